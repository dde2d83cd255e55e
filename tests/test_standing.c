/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What leans on much, or carries much more than it weighs: one Newton step takes its motion out,
 * and a step at rest leaves it where it is. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "solver/newton_step.h"
#include "worlds.h"

/* ---- one step of Newton's method ------------------------------------------------------------- */

enum { BODIES = 12, TWICE = 2 };

/*
 * A column of bodies that move up and down: BODIES of mass 1 under one of mass M, each held by two
 * contacts where one would do.  Without impulses all fall at `fall`; in the end each contact
 * carries half of what is above.
 */
static mo_problem *build_column(double M, double fall, double *r)
{
    mo_builder *builder;
    mo_problem *problem;
    const mo_law law = mo_law_frictionless();
    const double up = 1, down = -1;
    double above = M + BODIES;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int b = 0; b <= BODIES; ++b) {
        const double mass = b < BODIES ? 1 : M, f = -mass * fall;
        mo_builder_add_body(builder, 1, &mass, &f);
    }
    for (int b = 0; b <= BODIES; ++b) {
        for (int k = 0; k < TWICE; ++k) {
            const int contact = mo_builder_add_constraint(builder, 1, &law, NULL);
            mo_builder_add_jacobian(builder, contact, b, 1, 1, &up);
            if (b > 0) mo_builder_add_jacobian(builder, contact, b - 1, 1, 1, &down);
            r[contact] = above * fall / TWICE;
        }
        above -= 1;
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* Of the heavy one: each contact adds what it opens. */
static double speed_of_top(const mo_newton *newton)
{
    double sum = 0;
    for (int b = 0; b <= BODIES; ++b)
        sum += newton->u[TWICE * b];
    return sum;
}

/* The part of that speed which a step of Newton's method leaves. */
static double left_by_a_step(mo_space space, const mo_problem *problem, double *r)
{
    mo_newton newton = {0};
    mo_arena arena = {0};
    CHECK(mo_newton_layout_in(space, problem, &arena, &newton) == MO_OK);
    void *memory = calloc(1, arena.used + MO_ARENA_ALIGN);
    CHECK(memory != NULL);
    arena = (mo_arena){.base = memory};
    CHECK(mo_newton_layout_in(space, problem, &arena, &newton) == MO_OK);
    mo_newton_begin(&newton, mo_default_options().newton.eps);
    const double merit = mo_newton_evaluate(&newton, r);
    const double before = speed_of_top(&newton);
    CHECK(mo_newton_find_step(&newton, r));
    mo_newton_take_step(&newton, merit, 0, r);
    const double after = speed_of_top(&newton);
    free(memory);
    return fabs(after / before);
}

static void a_newton_step_takes_the_motion_of_heavy_things_out(void **state)
{
    (void)state;
    const double fall = 0.2;
    for (double M = 1; M < 2e6; M *= 10) {
        for (int space = MO_SPACE_CONTACTS; space <= MO_SPACE_BODIES; ++space) {
            double r[TWICE * (BODIES + 1)];
            mo_problem *problem = build_column(M, fall, r);
            for (int k = 0; k < TWICE * (BODIES + 1); ++k)
                r[k] += 1e-6 * M * fall; /* lifts the heavy one alone */
            CHECK_BELOW(left_by_a_step((mo_space)space, problem, r), 0.05);
            mo_problem_destroy(problem);
        }
    }
}

/* ---- steps at rest --------------------------------------------------------------------------- */

typedef struct standing {
    const char *scene, *size;
    double value, ratio;
} standing;

static mo_world *build(const standing *own)
{
    const world_scene *scene = world_scene_find(own->scene);
    double values[WORLD_PARAMETERS];
    mo_world *world;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, own->size, own->value, NULL) == MO_OK);
    CHECK(world_set_value(scene, values, "ratio", own->ratio, NULL) == MO_OK);
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    return world;
}

/* The largest displacement of a body from `at`, which is set if `is_first`. */
static double way_from(const mo_world *world, int is_first, double (*at)[3])
{
    double most = 0;
    for (int b = 0; b < mo_world_body_count(world); ++b) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, b));
        if (is_first) memcpy(at[b], body.pose.position, sizeof at[b]);
        double square = 0;
        for (int i = 0; i < 3; ++i)
            square += pow(body.pose.position[i] - at[b][i], 2);
        most = fmax(most, sqrt(square));
    }
    return most;
}

static void stands_still_at_little_cost(const standing *own, int settles, int steps)
{
    mo_world *world = build(own);
    double(*at)[3] = calloc((size_t)mo_world_body_count(world), sizeof *at), way = 0;
    int iterations = 0;
    CHECK(at != NULL);
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.02, &report, NULL) == MO_OK && report.status == MO_SOLVED);
        if (k >= settles) {
            way = fmax(way, way_from(world, k == settles, at));
            iterations += report.iterations;
        }
    }
    if (!(way < 5e-10) || iterations > 3 * (steps - settles)) {
        fail_msg("%s, %s=%g, ratio=%g: moved by %g m, in %d iterations", own->scene, own->size,
                 own->value, own->ratio, way, iterations);
    }
    free(at);
    mo_world_destroy(world);
}

static void slender_and_top_heavy_things_stand_still(void **state)
{
    (void)state;
    static const standing ALL[] = {
        {"stack", "count", 60, 1}, {"stack", "count", 30, 1e6}, {"stack", "count", 100, 1e4}};
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; ++k)
        stands_still_at_little_cost(ALL + k, 15, 60);
}

/* Eight orders of masses: rounding leaves more than the tolerance, which is said without a search,
 * and the stack stands all the same. */
static void rounding_errors_are_reported(void **state)
{
    (void)state;
    const standing own = {"stack", "count", 30, 1e8};
    mo_world *world = build(&own);
    double at[32][3], way = way_from(world, 1, at);
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.02, &report, NULL) == MO_OK);
        CHECK(report.status == MO_STALLED && strstr(report.message.text, "rounding"));
        CHECK(report.iterations <= 60);
        CHECK_BELOW(report.residual.natural_relative, 1e-6);
        way = fmax(way, way_from(world, 0, at));
    }
    CHECK_BELOW(way, 1e-7);
    mo_world_destroy(world);
}

/* A body and a rotor without shapes, about their centres: they turn on for ever, alone and beside
 * what rests. */
static void bodies_without_shapes_keep_rotating(void **state)
{
    (void)state;
    for (int is_beside = 0; is_beside < 2; ++is_beside) {
        const mo_shape_def plane = mo_shape_plane(), box = mo_shape_box(0.5, 0.5, 0.5);
        mo_world_def def = mo_default_world();
        mo_world *world;
        def.gravity[2] = is_beside ? -9.81 : 0;
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
        body.spin[2] = 3;
        const mo_body_id alone = mo_world_add_body(world, &body, NULL);
        mo_link_def links[2] = {mo_default_link(-1), mo_default_link(0)};
        mo_axis_def axes[2] = {mo_default_axis(MO_AXIS_FREE, 0),
                               mo_default_axis(MO_AXIS_REVOLUTE, 1)};
        mo_mechanism_def robot = mo_default_mechanism();
        for (int k = 0; k < 2; ++k) {
            links[k].mass = k ? 0.1 : 1;
            links[k].inertia[0] = links[k].inertia[1] = links[k].inertia[2] = 0.01;
        }
        links[0].pose = mo_pose_at(5, 0, 0.5);
        robot.links = links, robot.link_count = 2;
        robot.joints = axes, robot.joint_count = 2;
        const mo_mechanism_id id = mo_world_add_mechanism(world, &robot, NULL);
        CHECK(id.index > 0);
        if (is_beside) { /* the link that bears the rotor stands on the floor */
            mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, NULL);
            mo_world_add_shape(world, mo_mechanism_link(world, id, 0), &box, NULL);
        }
        const double v[7] = {0, 0, 0, 0, 0, 0, 3};
        CHECK(mo_mechanism_set(world, id, NULL, v, NULL) == MO_OK);
        for (int k = 0; k < 50; ++k)
            CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
        CHECK_NEAR(mo_body_get(world, alone).spin[2], 3, 1e-12);
        CHECK_NEAR(mo_mechanism_v(world, id)[6], 3, 1e-6);
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newton_step_takes_the_motion_of_heavy_things_out),
        cmocka_unit_test(slender_and_top_heavy_things_stand_still),
        cmocka_unit_test(rounding_errors_are_reported),
        cmocka_unit_test(bodies_without_shapes_keep_rotating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
