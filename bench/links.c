/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench links`: cost of the dynamics of mechanisms against their size.
 *
 * Two trees of revolute joints with alternating axes: a chain, whose depth is its size, and a
 * binary tree, whose depth is logarithmic.  Each time is the minimum processor time of several
 * runs: inverse dynamics (Newton-Euler) and forward dynamics (articulated bodies), which are linear
 * in the number of joints; the mass matrix (composite bodies), joints times depth; and, up to
 * MOST_STEPPED joints, a step of a world, which factors that matrix.
 */
#include <math.h>
#include <stdlib.h>

#include "asked.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "text.h"

enum { SIZES = 5, REPEATS = 7, MOST_STEPPED = 300 };
static const int JOINTS[SIZES] = {10, 30, 100, 300, 1000};
static const double AT_LEAST = 2e-4; /* s: a run repeats its call until it takes this long */

typedef struct links_row {
    const char *tree;
    int joints;
    double inverse, forward, mass, step; /* s; step 0: not taken */
} links_row;

typedef struct links_world {
    mo_world *world;
    mo_mechanism_id id;
    double *in, *out;
} links_world;

/* ---- the trees ------------------------------------------------------------------------------- */

static int make_world(int joints, int is_binary, links_world *made)
{
    mo_link_def *link = calloc((size_t)joints, sizeof *link);
    mo_axis_def *joint = calloc((size_t)joints, sizeof *joint);
    const mo_world_def world_def = mo_default_world();
    mo_mechanism_def def = mo_default_mechanism();
    made->in = calloc((size_t)joints, sizeof(double));
    made->out = calloc((size_t)joints * (size_t)joints, sizeof(double));
    for (int k = 0; link && joint && k < joints; ++k) {
        link[k] = mo_default_link(k == 0 ? -1 : is_binary ? (k - 1) / 2 : k - 1);
        link[k].pose = mo_pose_at(k ? 0.1 : 0, 0, 0);
        link[k].mass = 0.1;
        link[k].centre[0] = 0.05;
        link[k].inertia[0] = link[k].inertia[1] = link[k].inertia[2] = 1e-3;
        joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        joint[k].axis[0] = 0;
        joint[k].axis[1] = k % 2;
        joint[k].axis[2] = !(k % 2);
        joint[k].initial = 0.1 * sin(k);
    }
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = joints;
    made->world = NULL;
    const int is_made = link && joint && made->in && made->out &&
                        !mo_world_create(&world_def, NULL, &made->world, NULL);
    made->id = is_made ? mo_world_add_mechanism(made->world, &def, NULL) : (mo_mechanism_id){0};
    for (int k = 0; made->id.index && k < joints; ++k)
        made->in[k] = cos(k);
    free(link);
    free(joint);
    return made->id.index && !mo_mechanism_set(made->world, made->id, NULL, made->in, NULL);
}

static void clear_world(links_world *made)
{
    mo_world_destroy(made->world);
    free(made->in);
    free(made->out);
}

/* ---- timing ---------------------------------------------------------------------------------- */

static void call_inverse(const links_world *w)
{
    mo_mechanism_inverse(w->world, w->id, w->in, w->out, NULL);
}

static void call_forward(const links_world *w)
{
    mo_mechanism_forward(w->world, w->id, w->in, w->out, NULL);
}

static void call_mass(const links_world *w)
{
    mo_mechanism_mass_matrix(w->world, w->id, w->out, NULL);
}

static void call_step(const links_world *w)
{
    mo_world_step(w->world, 1e-4, NULL, NULL);
}

/* Seconds per call, the least of REPEATS runs. */
static double time_of(void (*call)(const links_world *), const links_world *w)
{
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        const double start = machine_processor_clock();
        double spent = 0;
        int calls = 0;
        do {
            call(w);
            ++calls;
            spent = machine_processor_clock() - start;
        } while (spent < AT_LEAST);
        best = fmin(best, spent / calls);
    }
    return best;
}

static int measure(int joints, int is_binary, links_row *row)
{
    links_world w;
    const int is_made = make_world(joints, is_binary, &w);
    *row = (links_row){.tree = is_binary ? "binary" : "chain", .joints = joints};
    if (is_made) {
        row->inverse = time_of(call_inverse, &w);
        row->forward = time_of(call_forward, &w);
        row->mass = time_of(call_mass, &w);
        row->step = joints <= MOST_STEPPED ? time_of(call_step, &w) : 0;
    }
    clear_world(&w);
    return is_made;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put_json(const links_row *rows, int count)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "bench", "links");
    json_array(&j, "rows");
    for (int k = 0; k < count; ++k) {
        json_object(&j, NULL);
        json_text(&j, "tree", rows[k].tree);
        json_whole(&j, "joints", rows[k].joints);
        json_number(&j, "inverse_seconds", rows[k].inverse);
        json_number(&j, "forward_seconds", rows[k].forward);
        json_number(&j, "mass_matrix_seconds", rows[k].mass);
        if (rows[k].step > 0) json_number(&j, "step_seconds", rows[k].step);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

static void put_text(const links_row *rows, int count)
{
    printf("microseconds a call, and nanoseconds a joint\n\n%-8s %6s %10s %6s %10s %6s %10s %6s "
           "%10s\n",
           "tree", "joints", "inverse", "", "forward", "", "mass", "", "step");
    for (int k = 0; k < count; ++k) {
        const double us = 1e6, ns = 1e9 / rows[k].joints;
        printf("%-8s %6d %10.2f %6.0f %10.2f %6.0f %10.2f %6.0f", rows[k].tree, rows[k].joints,
               us * rows[k].inverse, ns * rows[k].inverse, us * rows[k].forward,
               ns * rows[k].forward, us * rows[k].mass, ns * rows[k].mass);
        if (rows[k].step > 0) printf(" %10.1f", us * rows[k].step);
        printf("\n");
    }
}

int bench_links(const struct experiment_call *asked)
{
    links_row rows[2 * SIZES];
    int count = 0;
    if (asked_for_no_files(asked, "links")) return EXIT_CALL;
    for (int is_binary = 0; is_binary < 2; ++is_binary) {
        for (int k = 0; k < SIZES; ++k) {
            if (!measure(JOINTS[k], is_binary, rows + count++)) {
                say("bench", "memory ran out");
                return EXIT_FAILED;
            }
        }
    }
    if (asked->json)
        put_json(rows, count);
    else
        put_text(rows, count);
    return EXIT_DONE;
}
