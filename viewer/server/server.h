/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The HTTP and WebSocket server of `moreau view`, by libwebsockets, in the thread that calls
 * server_serve.
 *
 * It listens on 127.0.0.1 only.  Protection from other web sites in the user's browser:
 *
 *   Host      must be 127.0.0.1:PORT or localhost:PORT, which prevents DNS rebinding
 *   Origin    of a WebSocket must be http:// and one of these two
 *   headers   forbid framing and content from other hosts
 *
 * Limits for clients that read slowly or send too much: each page has at most one message in
 * transit, and the newest one follows; a command longer than COMMAND_LONGEST bytes closes its
 * connection, after at most one more fragment; there are at most STAGE_PAGES pages.
 */
#ifndef VIEWER_SERVER_H
#define VIEWER_SERVER_H

#include "hub.h"

typedef struct server server;

typedef struct server_def {
    int port; /* 0: one that is free */
    const unsigned char *html;
    size_t html_size;
    hub *hub; /* or NULL: there is a page, and no socket */
} server_def;

/* The def's html and hub stay the caller's.  NULL with a sentence. */
server *server_open(const server_def *def, mo_message *why);
void server_close(server *s);
int server_port(const server *s);

/* Serves until an event, or for a fifth of a second; false after an error. */
int server_serve(server *s);
/* From another thread: the hub has a message. */
void server_wake(void *server);

#endif
