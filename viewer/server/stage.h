/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The scene that is shown: a world, the springs with which pages drag its bodies, and the settings
 * that they changed.  It uses neither threads nor sockets; player.c passes the time and the
 * commands.
 *
 * A reset builds the scene again and keeps the settings (step, method, tolerance, gravity,
 * friction).  Another scene keeps the method and the tolerance only.
 */
#ifndef VIEWER_STAGE_H
#define VIEWER_STAGE_H

#include <stdint.h>
#include <stdio.h>

#include "command.h"
#include "frames.h"
#include "hand.h"
#include "restart.h"
#include "worlds.h"

enum {
    STAGE_PAGES = 16,
    STAGE_BALLS = 100
}; /* simultaneous pages; thrown balls, after which the oldest is removed */

/* Source of the world: a scene of the list, or a function of the host. */
typedef struct stage_source {
    const world_scene *scene; /* or NULL, and then: */
    double values[WORLD_PARAMETERS];
    mo_error (*build)(void *user, mo_world **world, mo_message *why);
    mo_robot *(*robot)(void *user); /* in the world that was built last; may be NULL */
    void *build_user;
    const char *name, *title;

    double step; /* s; 0: that of the scene */
    int restart; /* whether it restarts at rest */
    /* Changes the definition of the world that was built, e.g. its method; may be NULL. */
    void (*configure)(void *user, mo_world_def *def);
    void *configure_user;
} stage_source;

typedef struct stage_hand {
    unsigned page; /* 0: none */
    hand hand;
} stage_hand;

typedef struct stage {
    stage_source source;
    mo_world *world;
    mo_recording shown; /* of the world as it is: one frame */
    frames_drive *drives;
    int drive_count;
    frames_actuator *actuators;
    int actuator_count;
    frames_readings readings;
    double hand_force; /* N: the largest of the last step */
    uint32_t generation, steps, unsolved;
    mo_step_report report; /* of the last step, where steps > 0 */
    int is_waiting;        /* the call reached its time limit before the step was solved */
    restart_watch watch;

    int playing, restart;
    double speed, step;
    char method[COMMAND_NAME]; /* "": the default */
    double tolerance;          /* 0: as the scene has it */
    double friction;           /* NaN: as the scene has it */
    int has_gravity;
    double gravity[3];
    mo_material *material; /* original friction of each body; NULL: not replaced */

    stage_hand hands[STAGE_PAGES];
    mo_body_id balls[STAGE_BALLS]; /* a ring */
    int ball_count, next_ball;

    /* since they were last sent; cleared by the sender */
    int scene_changed, state_changed, frame_changed;
    int single_steps; /* asked for by single-step commands */
} stage;

/* From {0}. */
mo_error stage_open(stage *s, const stage_source *source, mo_message *why);
void stage_close(stage *s);

/* Executes a command of a page; an error message if refused. */
mo_error stage_command(stage *s, unsigned page, const command *w, mo_message *why);
/* Releases the hands of pages that are not in the list. */
void stage_keep_pages(stage *s, const unsigned *pages, int count);

/* One step, or a restart if due; a refused step pauses. */
mo_error stage_step(stage *s, mo_message *why);

/* Messages for the page: see frames.h. */
void stage_put_scene(stage *s, FILE *out);
void stage_put_state(stage *s, FILE *out);
size_t stage_frame_size(const stage *s);
void stage_frame(const stage *s, double milliseconds, double rate, unsigned char *to);

#endif
