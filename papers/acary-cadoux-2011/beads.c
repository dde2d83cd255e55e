/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Beads fall into a box: h = 0.02 s, mu = 0.3, restitution 0.2 [acary2011, section 6].
 *
 * Every solver has a simulation of its own, each step started from the impulses of the last.  As
 * printed: successive approximations s = F(s) until (6.1) with epsilon = 0.01, 20 rounds at most;
 * projected gradients with 250 iterations for a convex problem (v).  Impacts and contacts that
 * close late are solved by the same means, and count in rounds and time.
 *
 * Four facets with interior points (iv) are asked on the problems of every 30th step, from zero, as
 * OOQP had no warm start: the cones of these problems are replaced by pyramids, then as above.
 */
#include "motion.h"

#include <math.h>
#include <string.h>

#include "machine.h"
#include "progress.h"
#include "worlds.h"

static const double STEP = 0.02, TOLERANCE = 1e-8,
                    NEVER = 1e-13 /* the paper's rule alone ends a solve */;

const char *const ac_solver_texts[AC_SOLVERS] = {"projected gradient (v), (6.1)", "auto to 1e-4",
                                                 "auto to 1e-8"};

static void set_as_printed(mo_options *options, const char *engine)
{
    options->method = "acary-cadoux";
    options->tol = NEVER;
    options->max_iter = 20;
    mo_options_set(options, "acary-cadoux.engine", engine, NULL);
    mo_options_set(options, "acary-cadoux.outer", "successive", NULL);
    options->acary_cadoux.rescue = 0;
    options->acary_cadoux.inner = 250;
    options->acary_cadoux.epsilon = 0.01;
}

static mo_error build(int beads, ac_solver solver, mo_world **world, mo_message *why)
{
    const world_scene *scene = world_scene_find("beads");
    double values[WORLD_PARAMETERS];
    world_default_values(scene, values);
    mo_error error = world_set_value(scene, values, "count", beads, why);
    error = error ? error : scene->build(values, world, why);
    if (error) return error;
    mo_world_def def = mo_world_definition(*world);
    if (solver == AC_GRADIENT)
        set_as_printed(&def.solver, "gradient");
    else
        def.solver.tol = solver == AC_COARSE ? 1e-4 : TOLERANCE;
    return mo_world_change(*world, &def, why);
}

/* ---- four facets ----------------------------------------------------------------------------- */

static mo_error with_pyramids(const mo_problem *from, mo_problem **to)
{
    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return error;
    for (int b = 0; b < mo_problem_body_count(from); ++b) {
        const mo_body_view body = mo_problem_body(from, b);
        mo_builder_add_body(builder, body.dim, body.M, body.f);
    }
    for (int i = 0; i < mo_problem_constraint_count(from); ++i) {
        const mo_constraint_view view = mo_problem_constraint(from, i);
        const mo_law law = mo_law_faceted(view.law.mu, 4);
        mo_builder_add_constraint(builder, view.dim, &law, view.w);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(from, i, k);
            mo_builder_add_jacobian(builder, i, block.index, view.dim,
                                    mo_problem_body(from, block.index).dim, block.values);
        }
    }
    error = mo_builder_finish(builder, to, NULL);
    mo_builder_destroy(builder);
    return error;
}

static mo_error ask_facets(const mo_problem *problem, ac_bead_step *step)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_problem *faceted = NULL;
    set_as_printed(&options, "interior");
    mo_error error = with_pyramids(problem, &faceted);
    const double start = machine_process_clock();
    error = error ? error : mo_solve(faceted, &options, &result);
    step->facets_seconds = machine_process_clock() - start;
    step->facets_rounds = result.iterations;
    mo_result_clear(&result);
    mo_problem_destroy(faceted);
    return error;
}

/* ---- the simulation -------------------------------------------------------------------------- */

static int pressed(const mo_world *world)
{
    int count = 0;
    for (int k = 0; k < mo_world_contact_count(world); ++k)
        count += mo_world_contact(world, k).mode != MO_CONTACT_APART;
    return count;
}

static mo_error take_step(mo_world *world, ac_bead_run *run, double *energy, double first,
                          mo_message *why)
{
    mo_step_report report;
    ac_bead_step *step = &run->step[run->steps];
    const double start = machine_process_clock();
    const mo_error error = mo_world_step(world, STEP, &report, why);
    if (error) return error;
    const double now = report.kinetic_energy + report.potential_energy;
    step->seconds = machine_process_clock() - start;
    step->contacts = report.contacts;
    step->pressed = pressed(world);
    step->rounds = report.iterations;
    step->residual = report.residual.natural_relative;
    run->unsolved += step->residual > TOLERANCE;
    run->energy_gain = fmax(run->energy_gain, (now - *energy) / first);
    const mo_body_id bead = mo_world_body(world, mo_world_body_count(world) - 1);
    run->penetration =
        fmax(run->penetration, report.penetration / mo_body_shape(world, bead, 0).radius);
    *energy = now;
    ++run->steps;
    return MO_OK;
}

mo_error ac_drop_beads(int beads, int steps, ac_solver solver, int with_facets, ac_bead_run *run,
                       mo_message *why)
{
    mo_world *world = NULL;
    memset(run, 0, sizeof *run);
    run->solver = solver;
    run->beads = beads;
    mo_error error = build(beads, solver, &world, why);
    double energy = error ? 1 : mo_world_potential_energy(world);
    const double first = energy;
    while (!error && run->steps < steps) {
        progress_line("%d beads by %s: step %d of %d", beads, ac_solver_texts[solver],
                      run->steps + 1, steps);
        error = take_step(world, run, &energy, first, why);
        if (!error && with_facets && run->steps % AC_FACETS_EVERY == 0)
            error = ask_facets(mo_world_problem(world), &run->step[run->steps - 1]);
    }
    mo_world_destroy(world);
    return error;
}
