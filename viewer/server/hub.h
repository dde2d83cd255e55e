/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Messages between the simulation thread (player.c) and the server thread (server.c), in both
 * directions, behind one lock.
 *
 *   to the pages      the newest scene message, state message and frame; older ones are dropped, so
 *                     that a page that reads slowly misses frames and the simulation does not
 *                     wait.  A scene message drops the state and the frame before it.  Refusals,
 *                     each for one page.
 *   to the stage      commands in the order they came, up to HUB_COMMANDS; a drag replaces the drag
 *                     before it
 *
 * A message is shared by all pages that have not sent it yet, and freed by the last.
 */
#ifndef VIEWER_HUB_H
#define VIEWER_HUB_H

#include <pthread.h>
#include <stddef.h>

#include "command.h"
#include "stage.h"

enum { HUB_COMMANDS = 256, HUB_REFUSALS = 32 };

typedef struct hub_message {
    int uses; /* under the lock of the hub */
    size_t size;
    unsigned char bytes[];
} hub_message;

typedef enum hub_kind { HUB_SCENE, HUB_STATE, HUB_FRAME, HUB_KINDS } hub_kind;

typedef struct hub_command {
    unsigned page;
    command command;
} hub_command;

typedef struct hub_refusal {
    unsigned page; /* 0: for all */
    mo_message why;
} hub_refusal;

typedef struct hub {
    pthread_mutex_t lock;
    pthread_cond_t news; /* for the player: commands, pages, the end */
    int is_made;

    hub_message *newest[HUB_KINDS];
    unsigned long number[HUB_KINDS]; /* of the newest; 0: none yet */
    hub_refusal refusals[HUB_REFUSALS];
    int refusal_count;

    hub_command *commands; /* HUB_COMMANDS of them: a ring */
    int first_command, command_count;
    unsigned pages[STAGE_PAGES];
    int page_count;
    int is_over;
} hub;

int hub_open(hub *h); /* false if memory runs out */
void hub_close(hub *h);

/* A message with room for size bytes, used once; NULL if memory runs out. */
hub_message *hub_message_make(size_t size);
unsigned char *hub_message_text(hub_message *message);

/* ---- for the player -------------------------------------------------------------------------- */
void hub_post(hub *h, hub_kind kind, hub_message *message); /* takes it over */
void hub_refuse(hub *h, unsigned page, const mo_message *why);

/* ---- for the server -------------------------------------------------------------------------- */
/*
 * The next unseen message for this page: scene, state, then frame; or NULL.  To be released.  One
 * call, so that no frame overtakes its scene.
 */
hub_message *hub_take(hub *h, unsigned long seen[HUB_KINDS], hub_kind *kind);
void hub_let_go(hub *h, hub_message *message);
int hub_command_add(hub *h, unsigned page, const command *w); /* false: there are too many */
int hub_page_add(hub *h, unsigned page);                      /* false: there are too many */
void hub_page_remove(hub *h, unsigned page);
int hub_refusals(hub *h, hub_refusal *to); /* removes and returns all of them; their number */
void hub_end(hub *h);

#endif
