/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau run`, in parts:
 *
 *   run.c           the call and the world; run_steps.c: the loop over the steps
 *   run_list.c      --list
 *   run_outputs.c   what is written on the way: hands each recorded step to the files below
 *   run_csv.c       --csv
 *   run_sensors.c   --sensors
 *   run_vtk.c       --vtk; run_mesh.c: shapes as polygons
 *   run_plot.c      --plot
 *   run_replay.c    --replay
 *   world_call.c    what is moved: a scene of the list, or
 *   model_file.c    robots from MJCF and URDF files; model_list.c: --joints
 *   run_state.c     --save-state, --load-state
 *   run_report.c    the line on the terminal, the summary, the JSON object
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "moreau/moreau.h"
#include "solve_proof.h"
#include "world_call.h"

/* The request. */
typedef struct run_call {
    world_call world;
    double h;  /* s */
    int steps; /* to be taken */
    mo_level level;
    double first_order; /* s; 0: Newton's law */
    mo_combine_rule friction_rule, restitution_rule;
    int every; /* recorded steps: 0, every, 2 every, ... */
    /* or NULL */
    const char *csv, *sensors, *record, *replay, *vtk, *plot, *save_state, *load_state,
        *export_file;
    int export_step;
    int json;
    int strict;
    int explain;
    const char *method; /* by name, also where it is the default */
    mo_options options;
} run_call;

typedef struct run_seconds {
    double all, collide, assemble, solve, advance;
} run_seconds;

/* Results of a run. */
typedef struct run_tally {
    int began;                    /* there is a world */
    int steps;                    /* taken */
    int waits;                    /* calls that ended at --time-limit, with the step to resume */
    int unsolved, first_unsolved; /* a number from 1; 0: none */
    mo_status first_status;
    mo_message first_why;
    solve_proof proof; /* of the first step, if requested */
    double worst_residual, worst_penetration;
    double tolerance;     /* relative, the coarsest of any step */
    double worst_overlap; /* relative to the size of a shape, after projections */
    /* sums over the reports of all steps */
    int rounds, late_contacts, impacts_left, held_back, compliant, less_friction, canonical;
    double energy_removed, seconds_project;
    double start_time, end_time; /* of the world */
    double kinetic_first, potential_first, kinetic_last, potential_last;
    int bodies, contacts_last, joints_last, most_contacts;
    long long iterations;
    run_seconds seconds;
    int interrupted;
    mo_message device;     /* where the last step ran */
    mo_message error;      /* the first error, or empty */
    const char *error_at;  /* the file it is about, or NULL */
    int plot_drawn;        /* gnuplot ran */
    char replay_note[128]; /* what the replay omits, or empty */
} run_tally;

/* Keeps the first error; `file` may be NULL. */
void run_fail(run_tally *tally, const char *file, const char *format, ...) MO_PRINTF(3, 4);

/* Takes the steps and writes the requested outputs. */
void run_simulate(const run_call *call, mo_world *world, run_tally *tally);

#endif
