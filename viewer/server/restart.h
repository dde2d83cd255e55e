/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * When a live scene starts again by itself.
 *
 * Always: once three times the usual time of the scene has passed and every body that can move is
 * farther than 2.5 sizes of the scene from where it began (a ball that rolled away).  In addition,
 * if the restart is switched on: when the scene has come to rest, and after three times its usual
 * time.  Never within 5 s of simulated time after a user dragged, threw or changed something.
 */
#ifndef VIEWER_RESTART_H
#define VIEWER_RESTART_H

#include "moreau/recording.h"

typedef struct restart_watch {
    double centre[3], size; /* of what can move, at the start */
    double usual_time;      /* s */
    double most_energy;     /* kinetic, since the start, J; not below what rounding gives */
    double moved, touched;  /* simulated times, s */
} restart_watch;

/* The recording has one frame, the initial state; usual_time: s, or 0 if unknown. */
restart_watch restart_begin(const mo_recording *recording, double usual_time);
/* Records user activity at this simulated time. */
void restart_touch(restart_watch *w, double time);
/* After each step, with its frame: whether the scene restarts. */
int restart_is_due(restart_watch *w, const mo_recording *recording, int at_rest_too);

#endif
