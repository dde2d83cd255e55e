/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Cannonball piles from rest, without walls, over time [anitescu2004, figures 2 and 3].
 *
 * The pile moves by `auto`, every step solved to 1e-8.  The problem of a step is then given to LCP0
 * to LCP3 and auto, each from zero, so that all answer the same question; in the paper each method
 * has a simulation of its own.  Beside it the pile moves by LCP3, whose relaxed law opens contacts
 * that slip: its number of contacts goes another way.
 */
#include "motion.h"

#include <math.h>

#include "machine.h"
#include "progress.h"
#include "worlds.h"

static const double STEP = 0.05; /* the paper's, s */
static const double TOLERANCE = 1e-8;
static const double RELAXED_TOLERANCE = 1e-12; /* LCP3 solves its one convex problem to rounding */

const char *const ah_solver_names[AH_SOLVERS] = {"LCP0", "LCP1", "LCP2", "LCP3", "auto"};
static const char *const METHODS[AH_SOLVERS] = {"lemke", "lcp1", "lcp2", "lcp3", "auto"};

static mo_error build(const ah_pile *pile, const char *method, double tolerance, mo_world **world,
                      mo_message *why)
{
    const world_scene *scene = world_scene_find("cannonball");
    double values[WORLD_PARAMETERS];
    world_default_values(scene, values);
    mo_error error = world_set_value(scene, values, "rows", pile->rows, why);
    error = error ? error : world_set_value(scene, values, "mu", pile->mu, why);
    error = error ? error : world_set_value(scene, values, "walls", 0, why);
    error = error ? error : scene->build(values, world, why);
    if (error) return error;
    mo_world_def def = mo_world_definition(*world);
    def.solver.method = method;
    def.solver.tol = tolerance;
    return mo_world_change(*world, &def, why);
}

static mo_error ask(const mo_problem *problem, ah_solver solver, double patience, ah_answer *answer)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = METHODS[solver];
    options.tol = solver == AH_S3 ? RELAXED_TOLERANCE : TOLERANCE;
    options.max_iter = 1000000;
    options.time_limit = patience;
    const double start = machine_process_clock();
    const mo_error error = mo_solve(problem, &options, &result);
    answer->seconds = machine_process_clock() - start;
    answer->residual = result.residual.natural_relative;
    answer->is_solved = !error && answer->residual <= TOLERANCE;
    answer->is_asked = 1;
    mo_result_clear(&result);
    return error;
}

static mo_error take_step(ah_pile *pile, int k, mo_world *exact, mo_world *relaxed, mo_message *why)
{
    ah_instant *at = &pile->at[k];
    mo_step_report report, other;
    const double before = mo_world_kinetic_energy(exact) + mo_world_potential_energy(exact);
    mo_error error = mo_world_step(exact, STEP, &report, why);
    error = error ? error : mo_world_step(relaxed, STEP, &other, why);
    if (error) return error;
    at->time = mo_world_time(exact);
    at->contacts = report.contacts;
    at->relaxed = other.contacts;
    pile->unsolved += report.status != MO_SOLVED;
    pile->penetration = fmax(pile->penetration, report.penetration);
    pile->gain = fmax(pile->gain, report.kinetic_energy + report.potential_energy - before);
    for (int s = 0; !error && k % pile->every == 0 && s < AH_SOLVERS; ++s) {
        progress_line("%d disks, step %d of %d: %s", pile->disks, k + 1, pile->steps,
                      ah_solver_names[s]);
        error = ask(mo_world_problem(exact), (ah_solver)s, pile->patience, &at->answer[s]);
    }
    return error;
}

mo_error ah_move_pile(ah_pile *pile, mo_message *why)
{
    mo_world *exact = NULL, *relaxed = NULL;
    pile->disks = pile->rows * (pile->rows + 1) / 2;
    mo_error error = build(pile, "auto", TOLERANCE, &exact, why);
    error = error ? error : build(pile, "lcp3", RELAXED_TOLERANCE, &relaxed, why);
    const double energy = error ? 1 : mo_world_potential_energy(exact);
    for (int k = 0; !error && k < pile->steps && k < AH_INSTANTS; ++k)
        error = take_step(pile, k, exact, relaxed, why);
    pile->gain /= energy;
    mo_world_destroy(exact);
    mo_world_destroy(relaxed);
    return error;
}
