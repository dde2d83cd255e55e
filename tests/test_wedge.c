/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Wedges that friction locks: two walls whose angle is below twice the angle of friction.  Nothing
 * pushes a body out of such a wedge, so a step that asks for it has no solution.
 */
#include <string.h>

#include "check.h"
#include "moreau/moreau.h"

static const double R = 0.1, H = 0.01;

static mo_world *build_world(double tol)
{
    mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    def.solver.tol = tol > 0 ? tol : def.solver.tol;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

/* A half-space to the left or right of the plane x = 0, turned by `lean` (rad) about the y axis. */
static mo_shape_def wall_of(int side, double lean)
{
    const double normal[3] = {side * cos(lean), 0, sin(lean)};
    return mo_shape_half_space(normal, 0);
}

/* The height of the centre of a ball that touches both walls and is inside each by `depth`. */
static double height_of(double lean, double depth)
{
    return (R - depth) / sin(lean);
}

static mo_body_id add_ball(mo_world *world, double y, double z)
{
    const mo_shape_def ball = mo_shape_ball(R);
    const mo_pose at = mo_pose_at(0, y, z);
    const mo_body_id id = mo_world_add_solid(world, MO_BODY_FREE, &ball, &at, NULL);
    CHECK(id.index > 0);
    return id;
}

/* Balls in a groove, a little inside its walls: the steps are solved, and leave the overlap as it
 * is. */
static void check_groove(double lean, double depth, double tol)
{
    enum { BALLS = 3, STEPS = 50 };
    mo_world *world = build_world(tol);
    for (int side = -1; side <= 1; side += 2) {
        const mo_shape_def wall = wall_of(side, lean);
        CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &wall, NULL, NULL).index > 0);
    }
    mo_body_id ball[BALLS];
    for (int k = 0; k < BALLS; ++k)
        ball[k] = add_ball(world, 3 * k * R, height_of(lean, depth));
    for (int step = 0; step < STEPS; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, H, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED && report.friction_reduced == 0);
        CHECK(report.residual.natural_relative <= report.tolerance);
        CHECK_BELOW(report.penetration, depth + 1e-9);
    }
    for (int k = 0; k < BALLS; ++k) {
        const double z = mo_body_get(world, ball[k]).pose.position[2];
        CHECK_BELOW(fabs(z - height_of(lean, depth)), depth / sin(lean) + 1e-9);
    }
    mo_world_destroy(world);
}

static void a_body_in_a_wedge_is_not_pushed_out_of_it(void **state)
{
    (void)state;
    static const double LEANS[] = {0.1, 0.3, 0.45}, DEPTHS[] = {1e-8, 1e-6, 5e-5};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            check_groove(LEANS[i], DEPTHS[k], 0);
    check_groove(0.3, 1e-6, 1e-6);
}

/* Steps of a ball between a wall that leans and one that closes at a speed, up to the first one
 * with reduced friction.  Returns the part of it, 0: there is none. */
static double squeeze(double lean, double speed, double *deepest)
{
    mo_world *world = build_world(0);
    const mo_shape_def leans = wall_of(1, lean), plate = mo_shape_box(0.1, 2, 2);
    mo_body_def closes = mo_default_body(MO_BODY_DRIVEN);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &leans, NULL, NULL).index > 0);
    const double z = 0.5; /* of the ball, which touches both */
    const double wall = (R - z * sin(lean)) / cos(lean);
    closes.pose = mo_pose_at(wall + R + 0.1, 0, z);
    closes.velocity[0] = -speed;
    const mo_body_id pushes = mo_world_add_body(world, &closes, NULL);
    CHECK(mo_world_add_shape(world, pushes, &plate, NULL).index > 0);
    const mo_body_id ball = add_ball(world, 0, z);
    mo_pose at = mo_pose_at(wall, 0, z);
    const double still[3] = {0};
    CHECK(mo_body_set(world, ball, &at, still, still, NULL) == MO_OK);
    double reduced = 0;
    *deepest = 0;
    for (int step = 0; step < 20; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, H, &report, NULL) == MO_OK);
        CHECK(!(report.friction_reduced > 0) || report.status != MO_SOLVED);
        CHECK(!(report.friction_reduced > 0) || strstr(report.message.text, "reduced") != NULL);
        CHECK(!report.is_compliant);
        reduced = fmax(reduced, report.friction_reduced);
        *deepest = fmax(*deepest, mo_world_relative_penetration(world));
    }
    mo_world_destroy(world);
    return reduced;
}

/* It slips out, as a drive has any force: shapes do not overlap.  In a wide wedge it slides. */
static void a_jam_by_friction_yields_by_friction(void **state)
{
    (void)state;
    double deepest;
    CHECK(squeeze(0.5, 0.5, &deepest) > 0);
    CHECK_BELOW(deepest, 2e-3);
    CHECK(squeeze(0.3, 0.1, &deepest) > 0);
    CHECK_BELOW(deepest, 2e-3);
    CHECK(squeeze(1.2, 0.5, &deepest) == 0);
    CHECK_BELOW(deepest, 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_in_a_wedge_is_not_pushed_out_of_it),
        cmocka_unit_test(a_jam_by_friction_yields_by_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
