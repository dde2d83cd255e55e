/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Random problems with static friction, which never failed in the paper, and with dynamic friction,
 * which has no solution in "situations where mu has been made unrealistically large".
 *
 * Ten bodies with thirty contacts at random points and in random directions.  They have no
 * geometry, so the lever arms of Painleve's paradox are more frequent than in a simulation.  The
 * direction of each sliding contact is random.
 */
#include "baraff.h"
#include "scenes.h"

enum { STATIC_TRIALS = 200, DYNAMIC_TRIALS = 200, BODIES = 10, CONTACTS = 30 };

const double br_mus[BR_MUS] = {0.1, 0.25, 0.5, 1, 2, 4};

static mo_error random_problem(uint64_t seed, int in_plane, double mu, mo_problem **problem)
{
    scene_random_def def = scene_random_default();
    def.seed = seed;
    def.bodies = BODIES;
    def.constraints = CONTACTS;
    def.in_plane = in_plane;
    def.mu_min = def.mu_max = mu;
    return scene_random(&def, problem, NULL, NULL);
}

/* The same contacts, all of them sliding. */
static mo_error set_sliding(uint64_t seed, double mu, mo_problem **problem)
{
    static const double sides[2] = {-1, 1};
    mo_problem *reduced = NULL;
    mo_builder *builder = NULL;
    mo_error error = mo_problem_reduce(*problem, &reduced, NULL);
    error = error ? error : mo_builder_create(NULL, &builder);
    mo_problem_destroy(*problem);
    *problem = NULL;
    for (int i = 0; !error && i < mo_problem_constraint_count(reduced); ++i) {
        const mo_constraint_view view = mo_problem_constraint(reduced, i);
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const mo_law law = mo_law_sliding(mu, &sides[seed >> 63]);
        mo_builder_add_constraint(builder, 2, &law, view.w);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(reduced, i, k);
            mo_builder_add_coupling(builder, i, block.index, 2, 2, block.values);
        }
    }
    error = error ? error : mo_builder_finish(builder, problem, NULL);
    mo_builder_destroy(builder);
    mo_problem_destroy(reduced);
    return error;
}

static mo_error try_one(const mo_problem *problem, br_trials *row)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "dantzig";
    options.tol = 1e-9;
    options.max_iter = 100000;
    options.dantzig.restarts = 0;
    mo_error error = mo_solve(problem, &options, &result);
    row->at_once += !error && result.status == MO_SOLVED;
    row->pivots += result.iterations;
    if (!error && result.status != MO_SOLVED) {
        options.dantzig.restarts = mo_default_options().dantzig.restarts;
        error = mo_solve(problem, &options, &result);
    }
    row->solved += !error && result.status == MO_SOLVED;
    row->rays += !error && result.status != MO_SOLVED && result.ray != NULL;
    ++row->trials;
    mo_result_clear(&result);
    return error;
}

static mo_error try_all(br_trials *row, int in_plane, int slides, int trials)
{
    mo_error error = MO_OK;
    for (int seed = 1; !error && seed <= trials; ++seed) {
        mo_problem *problem = NULL;
        error = random_problem((uint64_t)seed, in_plane, row->mu, &problem);
        error = error || !slides ? error : set_sliding((uint64_t)seed, row->mu, &problem);
        error = error ? error : try_one(problem, row);
        mo_problem_destroy(problem);
    }
    row->pivots /= row->trials ? row->trials : 1;
    return error;
}

mo_error br_try_static(br_trials *rows)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < BR_STATIC_ROWS; ++k) {
        rows[k] = (br_trials){.mu = br_mus[k % BR_MUS], .in_space = k / BR_MUS};
        error = try_all(&rows[k], !rows[k].in_space, 0, STATIC_TRIALS);
    }
    return error;
}

mo_error br_try_dynamic(br_trials *rows)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < BR_MUS; ++k) {
        rows[k] = (br_trials){.mu = br_mus[k]};
        error = try_all(&rows[k], 1, 1, DYNAMIC_TRIALS);
    }
    return error;
}
