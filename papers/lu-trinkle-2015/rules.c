/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Beyond [lu2015]: the paper ends with the finding that r must depend on b, and with no rule for
 * it.  Here the rules of prox.rule are compared, on the particle (the worst external force of
 * figure 2 counts) and on problems where one r for all contacts is not enough.
 */
#include <stdlib.h>

#include "lu_trinkle.h"
#include "scenes.h"

const char *const lt_solver_names[LT_SOLVER_COUNT] = {"fixed", "foerg", "contact", "adaptive",
                                                      "nsgs"};

#define TOLERANCE 1e-8

/* Problem `number` of a family; how many there are is the family's size. */
typedef mo_error (*family)(int number, mo_problem **problem);

static mo_error particle(double mass, int number, mo_problem **problem)
{
    scene_particle_def def = scene_particle_default();
    def.mass = mass;
    def.gravity = lt_forces[number];
    return scene_particle(&def, problem, NULL);
}

static mo_error light_particle(int number, mo_problem **problem)
{
    return particle(1e-3, number, problem);
}

static mo_error paper_particle(int number, mo_problem **problem)
{
    return particle(1, number, problem);
}

static mo_error heavy_particle(int number, mo_problem **problem)
{
    return particle(1e3, number, problem);
}

/* One contact at a random point of a body with a random mass matrix: W is full. */
static mo_error one_contact(int number, mo_problem **problem)
{
    scene_random_def def = scene_random_default();
    def.seed = (uint64_t)number + 1;
    def.bodies = def.constraints = 1;
    return scene_random(&def, problem, NULL, NULL);
}

static mo_error block_that_sticks(int number, mo_problem **problem)
{
    (void)number;
    const scene_slope_def def = scene_slope_default();
    return scene_block_on_slope(&def, problem, NULL);
}

static mo_error block_that_slides(int number, mo_problem **problem)
{
    (void)number;
    scene_slope_def def = scene_slope_default();
    def.mu = 0.3; /* below tan 20 degrees */
    return scene_block_on_slope(&def, problem, NULL);
}

static mo_error stack(int number, mo_problem **problem)
{
    (void)number;
    const scene_stack_def def = scene_stack_default();
    return scene_box_stack(&def, problem, NULL);
}

static mo_error pushed_stack(int number, mo_problem **problem)
{
    (void)number;
    scene_stack_def def = scene_stack_default();
    def.push = 0.4;
    return scene_box_stack(&def, problem, NULL);
}

static mo_error chain(int number, mo_problem **problem)
{
    (void)number;
    const scene_chain_def def = scene_chain_default();
    return scene_joint_chain(&def, problem, NULL);
}

static mo_error heap(int number, mo_problem **problem)
{
    (void)number;
    scene_random_def def = scene_random_default();
    def.seed = 5;
    def.bodies = 100;
    def.constraints = 200;
    return scene_random(&def, problem, NULL, NULL);
}

static const struct {
    const char *name;
    family make;
    int size; /* 0: one problem for each force of figure 2 */
} families[] = {
    {"particle, 1 g", light_particle, 0},
    {"particle, 1 kg", paper_particle, 0},
    {"particle, 1 t", heavy_particle, 0},
    {"one contact, worst of 200", one_contact, 200},
    {"block sticks on a slope", block_that_sticks, 1},
    {"block slides on a slope", block_that_slides, 1},
    {"five boxes", stack, 1},
    {"five boxes, pushed", pushed_stack, 1},
    {"chain of ten rods", chain, 1},
    {"200 random contacts", heap, 1},
};

enum { FAMILY_COUNT = sizeof families / sizeof families[0], SHOWN = 7 /* five boxes, pushed */ };
const int lt_comparison_count = FAMILY_COUNT;

static mo_options options_of(int solver, int most)
{
    mo_options options = mo_default_options();
    options.method = solver == LT_NSGS ? "nsgs" : "prox";
    options.tol = TOLERANCE;
    options.max_iter = most;
    options.nsgs.check_every = 1; /* so that sweeps are counted exactly */
    options.prox.rule = solver == LT_NSGS ? LT_ADAPTIVE : solver;
    options.prox.r = 1; /* the paper's r* */
    return options;
}

static mo_error count_iterations(const mo_problem *problem, int solver, int *iterations)
{
    const mo_options options = options_of(solver, LT_RULE_MOST);
    mo_result result = {0};
    const mo_error error = mo_solve(problem, &options, &result);
    *iterations = result.status == MO_SOLVED ? result.iterations : LT_RULE_MOST;
    mo_result_clear(&result);
    return error;
}

/* The worst of a family, for each solver. */
static mo_error compare(family make, int size, lt_comparison *comparison)
{
    mo_error error = MO_OK;
    for (int number = 0; number < size && !error; ++number) {
        mo_problem *problem;
        error = make(number, &problem);
        for (int solver = 0; solver < LT_SOLVER_COUNT && !error; ++solver) {
            int iterations;
            error = count_iterations(problem, solver, &iterations);
            if (iterations > comparison->iterations[solver])
                comparison->iterations[solver] = iterations;
        }
        mo_problem_destroy(problem);
    }
    return error;
}

mo_error lt_compare(lt_comparison *all)
{
    mo_error error = MO_OK;
    for (int k = 0; k < FAMILY_COUNT && !error; ++k) {
        all[k] = (lt_comparison){.problem = families[k].name};
        error = compare(families[k].make, families[k].size > 0 ? families[k].size : lt_force_count,
                        &all[k]);
    }
    return error;
}

/* ---- one run in detail ----------------------------------------------------------------------- */

static void record(void *user, const mo_progress *now, const double *r)
{
    (void)r;
    ((double *)user)[now->iteration] = now->residual_relative;
}

mo_error lt_rule_history(int rule, int most, double *residual, const char **problem_name)
{
    mo_problem *problem;
    mo_error error = families[SHOWN].make(0, &problem);
    if (error) return error;
    for (int k = 0; k <= most; ++k)
        residual[k] = -1; /* the run ended before */
    mo_options options = options_of(rule, most);
    options.progress = record;
    options.progress_user = residual;
    mo_result result = {0};
    error = mo_solve(problem, &options, &result);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    *problem_name = families[SHOWN].name;
    return error;
}
