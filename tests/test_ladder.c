/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The ladder of auto: each rung is needed.  A rung is left out with ladder.skip, and the family of
 * problems that it is for must get worse, by a count of iterations or of bytes, never by the clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "check.h"
#include "heap.h"
#include "ladder_rungs.h"
#include "moreau/moreau.h"
#include "scarce_memory.h"
#include "scenes.h"
#include "worlds.h"

/* Iterations of the methods that factor. */
static int factorisations(const mo_result *result)
{
    static const char *const names[] = {"near", "newton", "ipm", "aln"};
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        const mo_rung_report *report = taken(result, names[k]);
        count += report ? report->iterations : 0;
    }
    return count;
}

/* ---- each rung ------------------------------------------------------------------------------- */

/* Bytes of the views of a problem, which is destroyed, once it is solved; a plan is one of them. */
static size_t bytes_without(mo_problem *problem, const char *rung)
{
    mo_options options = mo_default_options();
    options.tol = 1e-4;
    mo_result result = solve_without(problem, rung, options);
    const size_t bytes = mo_problem_bytes(problem);
    CHECK(result.status == MO_SOLVED);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return bytes;
}

/* Particles on the ground, each with one contact. */
static mo_problem *make_particles(int count)
{
    static const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[3] = {0};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int k = 0; k < count; ++k) {
        const double f[3] = {-1, 0.1 * (k % 7), 0.2};
        mo_builder_add_body(builder, 3, M, f);
        mo_builder_add_constraint(builder, 3, &law, w);
        mo_builder_add_jacobian(builder, k, k, 3, 3, M);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static void without_at_once_single_contacts_cost_a_view(void **state)
{
    (void)state;
    CHECK(bytes_without(make_particles(1), NULL) < bytes_without(make_particles(1), "at once"));
}

/* Particles in a row, each pushed by the one before it. */
static mo_problem *make_row(const mo_allocator *allocator, const mo_law *law, int count)
{
    static const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[3] = {-1, 0.3, 0.2}, w[3] = {0};
    static const double minus[9] = {-0.5, 0, 0, 0, -0.5, 0, 0, 0, -0.5};
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(allocator, &builder) == MO_OK);
    for (int k = 0; k < count; ++k) {
        mo_builder_add_body(builder, 3, M, f);
        mo_builder_add_constraint(builder, 3, law, w);
        mo_builder_add_jacobian(builder, k, k, 3, 3, M);
        if (k > 0) mo_builder_add_jacobian(builder, k, k - 1, 3, 3, minus);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* Blocks of memory that a solve to 1e-8 asks for. */
static long blocks_without(int contacts, const char *rung)
{
    scarce memory = {.left = SCARCE_PLENTY};
    const mo_allocator allocator = {scarce_reallocate, &memory};
    const mo_law law = mo_law_coulomb(0.3);
    mo_problem *problem = make_row(&allocator, &law, contacts);
    const long before = memory.left;
    mo_result result = solve_without(problem, rung, mo_default_options());
    const long blocks = before - memory.left;
    CHECK(result.status == MO_SOLVED);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return blocks;
}

/* No plan, no islands, no views but W. */
static void without_small_few_contacts_take_more_memory_blocks(void **state)
{
    (void)state;
    for (int contacts = 2; contacts <= 42; contacts += 8)
        CHECK(2 * blocks_without(contacts, NULL) <= blocks_without(contacts, "small"));
}

static mo_problem *make_random(uint64_t seed, int bodies, int constraints, int in_plane)
{
    scene_random_def def = scene_random_default();
    mo_problem *problem;
    def.seed = seed;
    def.bodies = bodies;
    def.constraints = constraints;
    def.in_plane = in_plane;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    return problem;
}

/* Iterations of some rungs over a family of problems in the plane, between few bodies, where most
 * contacts are redundant, or between many; without one rung, or NULL: with all. */
static int count_flat(int bodies, const char *const *rungs, const char *without)
{
    int count = 0;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        mo_problem *problem = make_random(seed, bodies, 30, 1);
        mo_result result = solve_without(problem, without, mo_default_options());
        for (int k = 0; rungs[k]; ++k)
            count += taken(&result, rungs[k]) ? taken(&result, rungs[k])->iterations : 0;
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    return count;
}

static void without_pivots_redundant_contacts_in_the_plane_take_more_factorisations(void **state)
{
    (void)state;
    static const char *const factored[] = {"few steps", "small", "newton", "ipm", "aln", NULL};
    CHECK(4 * count_flat(7, factored, NULL) <= 3 * count_flat(7, factored, "pivots"));
}

static void without_few_steps_contacts_in_the_plane_take_more_pivots(void **state)
{
    (void)state;
    static const char *const all[] = {"few steps", "pivots", "small", "newton", "ipm", "aln", NULL};
    CHECK(2 * count_flat(21, all, NULL) <= count_flat(21, all, "few steps"));
}

/* Sweeps over a family of packings, with all rungs and without one. */
static void count_sweeps(int contacts, double tol, const char *rung, int *with, int *without)
{
    enum { PACKINGS = 8 };
    mo_options options = mo_default_options();
    options.tol = tol;
    *with = *without = 0;
    for (uint64_t seed = 1; seed <= PACKINGS; ++seed) {
        mo_problem *problem;
        CHECK(scene_packing(contacts, seed, &problem, NULL) == MO_OK);
        mo_result a = solve_without(problem, NULL, options),
                  b = solve_without(problem, rung, options);
        CHECK(a.status == MO_SOLVED && b.status == MO_SOLVED && taken(&a, rung));
        *with += a.iterations;
        *without += b.iterations;
        mo_result_clear(&a);
        mo_result_clear(&b);
        mo_problem_destroy(problem);
    }
}

/* Their sweeps do not begin anew with every slice; over a family, since one packing says little. */
static void without_lanes_or_rough_packings_take_more_sweeps(void **state)
{
    (void)state;
    int with, without;
    count_sweeps(900, 5e-4, "lanes", &with, &without);
    CHECK(10 * with <= 9 * without);
    count_sweeps(900, 1e-3, "rough", &with, &without);
    CHECK(10 * with <= 9 * without);
}

static void without_its_rung_large_packings_take_more_sweeps(void **state)
{
    (void)state;
    int with, without;
    count_sweeps(5500, 5e-4, "large", &with, &without);
    CHECK(10 * with <= 9 * without);
}

/* Sweeps would go on for ever in a high tower, and methods that factor follow them. */
static void a_tower_of_more_than_1000_contacts_is_solved_coarsely(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.boxes = 260;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    mo_result result = solve(problem, 1e-4);
    CHECK(result.status == MO_SOLVED);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* A tolerance that so many sweeps nearly reach; they go on, and nothing is factored. */
static void check_that_sweeps_go_on(const mo_problem *problem, int sweeps, const char *rung)
{
    mo_options options = mo_default_options();
    mo_result swept = {0};
    options.method = "nsgs";
    options.nsgs.momentum = 10;
    options.max_iter = sweeps;
    options.tol = 1e-5;
    CHECK(mo_solve(problem, &options, &swept) == MO_OK && swept.status == MO_ITERATION_LIMIT);
    mo_result result = solve(problem, swept.residual.natural_relative / 1.2);
    CHECK(result.iterations > sweeps && taken(&result, rung) && factorisations(&result) == 0);
    mo_result_clear(&result);
    mo_result_clear(&swept);
}

/* Balls that settle, where a factorisation costs hundreds of sweeps, and a wall, where it costs a
 * few. */
static void sweeps_that_come_near_go_on(void **state)
{
    (void)state;
    mo_world *world = heap_of_beads(600, 1e-2, 1);
    heap_step(world, 56);
    check_that_sweeps_go_on(mo_world_problem(world), 2000, "sweeps alone");
    mo_world_destroy(world);
    scene_wall_def def = scene_wall_default();
    mo_problem *problem;
    def.courses = 60;
    def.length = 3;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    check_that_sweeps_go_on(problem, 600, "long sweeps");
    mo_problem_destroy(problem);
}

/* Bodies on the ground, each an island: swept over the whole, nothing is split. */
static void without_its_rung_a_large_problem_is_split(void **state)
{
    (void)state;
    mo_problem *problem = make_particles(20001);
    mo_result with = solve_without(problem, NULL, mo_default_options()),
              without = solve_without(problem, "large", mo_default_options());
    CHECK(with.status == MO_SOLVED && without.status == MO_SOLVED);
    CHECK(with.explanation.facts.islands == 1); /* not looked for */
    CHECK(without.explanation.facts.islands == 20001);
    mo_result_clear(&with);
    mo_result_clear(&without);
    mo_problem_destroy(problem);
}

static void without_sweeps_alone_sliding_contacts_are_not_solved(void **state)
{
    (void)state;
    static const double direction[2] = {1, 0};
    const mo_law law = mo_law_sliding(0.2, direction);
    mo_problem *problem = make_row(NULL, &law, 100);
    mo_result with = solve_without(problem, NULL, mo_default_options()),
              without = solve_without(problem, "sweeps alone", mo_default_options());
    CHECK(with.status == MO_SOLVED && taken(&with, "sweeps alone"));
    CHECK(without.status != MO_SOLVED);
    mo_result_clear(&with);
    mo_result_clear(&without);
    mo_problem_destroy(problem);
}

static void without_near_a_good_start_takes_more_iterations(void **state)
{
    (void)state;
    scene_wall_def def = scene_wall_default();
    mo_problem *problem;
    def.courses = def.length = 6;
    def.shake = 0.1;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    mo_result rough = solve(problem, 1e-6);
    CHECK(rough.status == MO_SOLVED);
    mo_options options = mo_default_options();
    options.start = rough.r;
    mo_result with = solve_without(problem, NULL, options),
              without = solve_without(problem, "near", options);
    CHECK(with.status == MO_SOLVED && without.status == MO_SOLVED);
    CHECK(taken(&with, "near") && 2 * with.iterations <= without.iterations);
    mo_result_clear(&rough);
    mo_result_clear(&with);
    mo_result_clear(&without);
    mo_problem_destroy(problem);
}

/* Factorisations over a family, with all rungs and without one. */
static void count_both(mo_problem *problem, const char *rung, double tol, int *with, int *without)
{
    mo_options options = mo_default_options();
    options.tol = tol;
    mo_result a = solve_without(problem, NULL, options), b = solve_without(problem, rung, options);
    CHECK(a.status == MO_SOLVED && b.status == MO_SOLVED);
    *with += factorisations(&a);
    *without += factorisations(&b);
    mo_result_clear(&a);
    mo_result_clear(&b);
    mo_problem_destroy(problem);
}

static void without_few_sweeps_planted_problems_take_more_factorisations(void **state)
{
    (void)state;
    int with = 0, without = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed)
        count_both(make_random(seed, 60, 90, seed % 2), "few sweeps", 1e-8, &with, &without);
    CHECK(4 * with <= 3 * without);
}

static void without_more_sweeps_clouds_of_bodies_take_more_factorisations(void **state)
{
    (void)state;
    int with = 0, without = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        def.seed = seed;
        def.bodies = 100;
        def.constraints = 250;
        def.in_plane = 1;
        def.mu_min = 0.5;
        def.mu_max = 1.5;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        count_both(problem, "more sweeps", 1e-8, &with, &without);
    }
    CHECK(3 * with <= 2 * without);
}

static void without_long_sweeps_reduced_walls_are_factored_at_coarse_tolerances(void **state)
{
    (void)state;
    int with = 0, without = 0;
    for (int k = 3; k <= 6; ++k) {
        scene_wall_def def = scene_wall_default();
        mo_problem *problem, *reduced;
        def.courses = def.length = k;
        def.shake = 0.1;
        CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
        CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
        mo_problem_destroy(problem);
        count_both(reduced, "long sweeps", 1e-3, &with, &without);
    }
    CHECK(2 * with < without);
}

/* Factorisations to 1e-8 of a step of 150 beads that settle. */
static int count_settling(double seed)
{
    const world_scene *scene = world_scene_find("beads");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", 150, NULL) == MO_OK);
    CHECK(world_set_value(scene, values, "seed", seed, NULL) == MO_OK);
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.moving_tol = 0;
    def.solver.tol = 1e-3;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    for (int k = 0; k < 90; ++k)
        CHECK(mo_world_step(world, scene->step, NULL, NULL) == MO_OK);
    mo_result result = solve(mo_world_problem(world), 1e-8);
    CHECK(result.status == MO_SOLVED);
    const int count = factorisations(&result);
    mo_result_clear(&result);
    mo_world_destroy(world);
    return count;
}

/* The first path of ipm ends at a fold in these.  Proximal points without a limit take 978 and 781
 * Newton steps from there; a part of the shift's gradient or the arc takes less than a quarter. */
static void beads_that_settle_pass_folds(void **state)
{
    (void)state;
    int count = 0;
    for (int seed = 1; seed <= 3; seed += 2)
        count += count_settling(seed);
    CHECK(count <= 200);
}

/* Factorisations of the steps in which beads fall, without one rung; NULL: with all of them. */
static int count_falling(int beads, const char *rung)
{
    const world_scene *scene = world_scene_find("beads");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    int count = 0;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", beads, NULL) == MO_OK);
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.moving_tol = 0;
    def.solver.tol = 1e-8;
    def.solver.ladder.skip = rung ? 1 << rung_number(rung) : 0;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    for (int k = 0; k < 25; ++k) {
        mo_step_report report = {0};
        CHECK(mo_world_step(world, scene->step, &report, NULL) == MO_OK);
        CHECK(mo_world_result(world)->status == MO_SOLVED);
        count += factorisations(mo_world_result(world));
    }
    mo_world_destroy(world);
    return count;
}

/* ipm tries Newton steps too, but from impulses that are near alone. */
static void without_newton_beads_that_fall_take_more_factorisations(void **state)
{
    (void)state;
    const int few = count_falling(60, NULL), many = count_falling(150, NULL);
    CHECK(few > 0 && 4 * few <= 3 * count_falling(60, "newton"));
    CHECK(many > 0 && 10 * many <= 9 * count_falling(150, "newton"));
}

/* Light boxes below heavy ones, pushed. */
static mo_problem *make_tower(int k)
{
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.boxes = 9 + k % 4;
    def.mass_ratio = k % 2 ? 1e3 : 1e6;
    def.push = 0.3;
    def.mu = k % 3 ? 0.5 : 0.1;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    return problem;
}

static void without_ipm_packings_and_shaken_walls_take_more_factorisations(void **state)
{
    (void)state;
    int with = 0, without = 0;
    for (int k = 1; k <= 3; ++k) {
        scene_wall_def def = scene_wall_default();
        mo_problem *problem;
        CHECK(scene_packing(150, (uint64_t)k, &problem, NULL) == MO_OK);
        count_both(problem, "ipm", 1e-8, &with, &without);
        def.courses = def.length = 2 + 2 * k;
        def.shake = 0.1;
        CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
        count_both(problem, "ipm", 1e-8, &with, &without);
    }
    CHECK(2 * with <= without);
}

/* What ipm leaves is seldom and large; here aln stands in for it. */
static void without_ipm_and_aln_towers_with_a_heavy_top_are_left(void **state)
{
    (void)state;
    int left = 0;
    for (int k = 0; k < 12; ++k) {
        mo_problem *problem = make_tower(k);
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.ladder.skip = 1 << rung_number("ipm") | 1 << rung_number("aln");
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        left += result.status != MO_SOLVED;
        mo_result_clear(&result);
        result = solve_without(problem, "ipm", mo_default_options());
        CHECK(result.status == MO_SOLVED);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    CHECK(left > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_at_once_single_contacts_cost_a_view),
        cmocka_unit_test(without_small_few_contacts_take_more_memory_blocks),
        cmocka_unit_test(without_few_steps_contacts_in_the_plane_take_more_pivots),
        cmocka_unit_test(without_pivots_redundant_contacts_in_the_plane_take_more_factorisations),
        cmocka_unit_test(without_lanes_or_rough_packings_take_more_sweeps),
        cmocka_unit_test(without_its_rung_large_packings_take_more_sweeps),
        cmocka_unit_test(a_tower_of_more_than_1000_contacts_is_solved_coarsely),
        cmocka_unit_test(sweeps_that_come_near_go_on),
        cmocka_unit_test(without_its_rung_a_large_problem_is_split),
        cmocka_unit_test(without_sweeps_alone_sliding_contacts_are_not_solved),
        cmocka_unit_test(without_near_a_good_start_takes_more_iterations),
        cmocka_unit_test(without_few_sweeps_planted_problems_take_more_factorisations),
        cmocka_unit_test(without_more_sweeps_clouds_of_bodies_take_more_factorisations),
        cmocka_unit_test(without_long_sweeps_reduced_walls_are_factored_at_coarse_tolerances),
        cmocka_unit_test(beads_that_settle_pass_folds),
        cmocka_unit_test(without_newton_beads_that_fall_take_more_factorisations),
        cmocka_unit_test(without_ipm_packings_and_shaken_walls_take_more_factorisations),
        cmocka_unit_test(without_ipm_and_aln_towers_with_a_heavy_top_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
