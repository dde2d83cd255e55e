/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A scene in the browser: the stage, the thread that plays it, and the server, put together.
 *
 *   frames/     the scene message and frames, from a recording; replay pages
 *   command.c      what a page commands
 *   hand.c      the spring of the mouse
 *   stage.c     the world that is shown, what pages do to it
 *   hub.c       between the threads
 *   player.c    the thread that simulates
 *   server.c    HTTP and WebSocket
 */
#ifndef VIEWER_VIEW_H
#define VIEWER_VIEW_H

#include "stage.h"

typedef struct view_def {
    const stage_source *source; /* live; or NULL: the page is served as it is */
    const unsigned char *html;
    size_t html_size;
    int port; /* 0: one that is free */
    void (*ready)(void *user, int port);
    int (*is_over)(void *user); /* asked a few times a second */
    void *user;
} view_def;

/* Serves until it is over. */
mo_error view_run(const view_def *def, mo_message *why);

#endif
