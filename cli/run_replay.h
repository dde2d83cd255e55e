/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* --replay: a page that shows the run, to open with a double click (viewer/frames/replay.h). */
#ifndef CLI_RUN_REPLAY_H
#define CLI_RUN_REPLAY_H

#include "replay.h"
#include "run.h"

typedef struct run_replay {
    replay frames;
    mo_recording shown; /* one frame: the last step */
    frames_drive *drives;
    int drive_count;
    frames_actuator *actuators;
    int actuator_count;
    frames_readings readings;
    frames_numbers numbers;
    mo_step_report last; /* of the last step */
    int last_is_kept;
} run_replay;

/* Each is true, or false after run_fail.  run_replay_end clears, also what was not begun. */
int run_replay_begin(run_replay *r, const run_call *call, const mo_world *world, run_tally *tally);
int run_replay_step(run_replay *r, const run_call *call, const mo_world *world,
                    const mo_step_report *report, run_tally *tally);
void run_replay_end(run_replay *r, const run_call *call, const mo_world *world, run_tally *tally);

#endif
