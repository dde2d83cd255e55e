/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The interface of a simulator in the comparison: one table of functions. ours.c implements it for
 * Moreau; the other engines are in bench/peers/, each in its own program (peer_main.c).
 */
#ifndef BENCH_SIM_ENGINE_H
#define BENCH_SIM_ENGINE_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One contact of the last step. */
typedef struct sim_contact {
    int a, b; /* bodies of the scene */
    /* where the impulse acts on each, at the start of the step, in the world; one point in most
     * engines */
    double on_a[3], on_b[3];
    double normal[3];  /* unit, from a to b */
    double gap;        /* at the start of the step; negative where it overlaps */
    double impulse[3]; /* on b, in world axes, N s */
    double friction, restitution;
} sim_contact;

typedef struct sim_engine {
    const char *name;
    const char *impulses; /* where its impulses are read */
    /* names of its solvers and settings, ending with NULL; ours has tolerances */
    const char *const *configs;
    void *(*create)(const sim_scene *scene, int config, mo_message *why); /* NULL: it cannot */
    int (*step)(void *engine, mo_message *why);                           /* false: it stopped */
    void (*read)(void *engine, sim_motion *motions);                      /* one a body */
    /* Their number; writes up to `room` of them. */
    int (*contacts)(void *engine, sim_contact *list, int room);
    void (*destroy)(void *engine);
} sim_engine;

/* The position of a configuration by name, or -1. */
int sim_engine_config(const sim_engine *engine, const char *name);

#ifdef __cplusplus
}
#endif
#endif
