/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The simulation thread.  It executes commands, steps the world, and posts scene, state and frames
 * to the hub.
 *
 * Steps are scheduled h / speed seconds apart.  If a step takes longer, the next one starts at
 * once; lost time is not made up for.  At most about 60 frames a second are posted, and always the
 * last one before a pause.  The thread pauses while no page is connected.
 */
#ifndef VIEWER_PLAYER_H
#define VIEWER_PLAYER_H

#include <pthread.h>

#include "hub.h"
#include "stage.h"

typedef struct player {
    stage *stage;
    hub *hub;
    void (*wake)(void *user); /* the hub has a message; called by the player's thread */
    void *wake_user;
    pthread_t thread;
    int is_running;

    double due;          /* of the next step, wall time */
    double posted;       /* when the last frame was */
    double milliseconds; /* of a step, averaged */
    double began;        /* the step that is not yet solved; 0: none is */
    double rate;         /* measured simulated seconds per second */
    double window_began, window_time;
} player;

/* Posts the first scene and frame, and starts the thread; false if it cannot. */
int player_start(player *p);
/* Waits for the thread; the hub has been ended before. */
void player_join(player *p);

#endif
