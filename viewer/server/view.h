/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau view`: the scene, the simulation thread and the server.
 *
 *   frames/     the scene message and frames, from a recording; replay pages
 *   command.c   parses the commands of a page
 *   hand.c      the spring between the pointer and a body
 *   stage.c     the scene that is shown, and the commands of pages
 *   hub.c       messages between the threads
 *   player.c    the simulation thread
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
