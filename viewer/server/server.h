/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The HTTP and WebSocket server of `moreau view`, by libwebsockets, in the thread that calls
 * server_serve.
 *
 * It listens on 127.0.0.1 alone.  What protects it from other sites in the user's browser:
 *
 *   Host      must be 127.0.0.1:PORT or localhost:PORT, so that a name of theirs that they let
 *             point here (DNS rebinding) is refused
 *   Origin    of a WebSocket must be http:// and one of these: pages of other origins are refused
 *   headers   forbid framing, and loading anything from elsewhere
 *
 * What protects it from what does not read, or sends too much: each page has at most one message
 * under way, and the next one is the newest; a command that grows beyond COMMAND_LONGEST bytes ends
 * its connection after at most a fragment more; there are at most STAGE_PAGES pages.
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
