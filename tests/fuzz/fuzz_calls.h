/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random calls on one world: what they work on, and the list of them. */
#ifndef TESTS_FUZZ_CALLS_H
#define TESTS_FUZZ_CALLS_H

#include "base/random.h"
#include "moreau/moreau.h"

enum { FUZZ_MOST_BODIES = 16, FUZZ_MOST_TEXT = 96 };

/* The longest step of a run.  A suspended step is a step for each call. */
typedef struct fuzz_longest {
    double seconds; /* of processor time of the thread */
    mo_step_report report;
    uint64_t number; /* of the case */
    int call;
} fuzz_longest;

typedef struct fuzz_place {
    mo_random random;
    int oddity; /* in 64 numbers, so many make no sense */
    mo_world *world;
    mo_world *twin; /* built alike and saved states exchanged; NULL: none */
    mo_model model;
    mo_robot *robot;
    mo_events *events;
    mo_recording recording;
    int is_recording;
    void *state; /* a saved state of this world, or of one that was like it */
    size_t state_size;
    /* the state before and after the last call, in room that grows */
    char *kept[2];
    size_t kept_size[2], kept_room;
    char path[FUZZ_MOST_TEXT]; /* of a file that it may write */
    int is_timed; /* 1: it has had a time limit, so that what it finds depends on the clock */
    mo_step_report report;
    double h;
    mo_message why;
    uint64_t number;
    int call;
    fuzz_longest *longest;
} fuzz_place;

/* One call, or a few that belong together.  A refused one leaves the state as it was. */
typedef enum fuzz_outcome { FUZZ_TAKEN, FUZZ_REFUSED } fuzz_outcome;

typedef struct fuzz_call {
    const char *name;
    int weight; /* how often, among all */
    fuzz_outcome (*make)(fuzz_place *p);
} fuzz_call;

/* Calls that build and change, and those that step and read. */
extern const fuzz_call FUZZ_BUILD_CALLS[], FUZZ_STEP_CALLS[];
extern const int FUZZ_BUILD_COUNT, FUZZ_STEP_COUNT;

/* fuzz_mechanism_calls.c */
fuzz_outcome fuzz_add_mechanism(fuzz_place *p);
fuzz_outcome fuzz_couple(fuzz_place *p);
fuzz_outcome fuzz_set_mechanism(fuzz_place *p);
fuzz_outcome fuzz_move_robot(fuzz_place *p);

/* Keeps the present state: 0, before a call, or 1, after it. */
void fuzz_keep(fuzz_place *p, int which);

/* A new world, and what belongs to it, in the place of the last one. */
void fuzz_begin(fuzz_place *p);
void fuzz_end(fuzz_place *p);

/* ---- random values --------------------------------------------------------------------------- */

/* From 0 to end - 1. */
int fuzz_below(fuzz_place *p, int end);
/* Between low and high, or a number that makes no sense there. */
/* An enumerator below `end`, rarely one that is none. */
int fuzz_choice(fuzz_place *p, int end);
double fuzz_number(fuzz_place *p, double low, double high);
void fuzz_numbers(fuzz_place *p, double low, double high, int count, double *x);
mo_pose fuzz_pose(fuzz_place *p);
/* Of the world, or now and then one that is null, stale or invented. */
mo_body_id fuzz_body(fuzz_place *p);
mo_shape_id fuzz_shape_id(fuzz_place *p);
mo_joint_id fuzz_joint(fuzz_place *p);
mo_mechanism_id fuzz_mechanism(fuzz_place *p);
mo_material fuzz_material(fuzz_place *p);
mo_shape_def fuzz_shape(fuzz_place *p, double points[48], int indices[96]);
/* A definition in which each member is drawn. */
mo_world_def fuzz_definition(fuzz_place *p);

#endif
