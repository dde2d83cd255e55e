/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The weight of a large heap, which a relative residual does not see: columns of balls that are
 * stopped by the residual alone are not carried.  From 30,000 contacts on, the second number of the
 * report (sinking) must be small, too, on the CPU and on a device.
 */
#include "device_heap_checks.h"

/* Columns of forty balls on a plane. */
static mo_world *columns_of_balls(int columns, double tol)
{
    mo_world_def def = mo_default_world();
    const mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    mo_world *world;
    def.solver.tol = tol;
    CHECK(mo_options_set(&def.solver, "device", "cpu", NULL) == MO_OK);
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, NULL);
    for (int k = 0; k < 40 * columns; ++k) {
        const mo_pose at = mo_pose_at(0.3 * (k / 40 % 30), 0.3 * (k / 1200), 0.1 + 0.2 * (k % 40));
        mo_world_add_solid(world, MO_BODY_FREE, &ball, &at, NULL);
    }
    return world;
}

/* One step from rest of one column; way < 0: not on a device. */
static mo_step_report column_step(double tol, int way)
{
    mo_world *world = columns_of_balls(1, tol);
    CHECK(way < 0 || send_to(world, way));
    const mo_step_report report = heap_step(world, 1);
    CHECK(mo_device_heap_is_away(world) == (way >= 0));
    mo_world_destroy(world);
    return report;
}

static void sinking_sees_a_weight_that_is_not_carried(void **state)
{
    (void)state;
    const mo_step_report exact = column_step(0.05, -1), coarse = column_step(0.05, 0),
                         fine = column_step(1e-5, 0);
    CHECK(exact.sinking < 1e-9 && fine.sinking < 1e-3);
    CHECK(coarse.status == MO_SOLVED && coarse.sinking > 0.3);
}

/* The power of the residual over r' W r, when nsgs has solved the first step from zero on the CPU:
 * r' W r is dv' M dv, with dv from the free fall of one step. */
static double sinking_of(int columns, double tol)
{
    mo_world *world = columns_of_balls(columns, 1e-3);
    mo_options options = mo_default_options();
    mo_result result = {0};
    heap_step(world, 1);
    const mo_problem *problem = mo_world_problem(world);
    const mo_body_state ball = mo_body_get(world, mo_world_body(world, 1));
    CHECK(mo_options_set(&options, "device", "cpu", NULL) == MO_OK);
    options.method = "nsgs";
    options.tol = tol;
    CHECK(mo_problem_constraint_count(problem) == 40 * columns);
    CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
    double exchange = 0;
    for (int k = 0; k < 40 * columns; ++k) {
        const double *v = result.v + 6 * k, fall[3] = {v[0], v[1], v[2] + G * H};
        exchange +=
            ball.mass * mo_vec3_dot(fall, fall) + ball.inertia[0] * mo_vec3_dot(v + 3, v + 3);
    }
    const double sinking = result.residual.power / exchange;
    mo_result_clear(&result);
    mo_world_destroy(world);
    return sinking;
}

/* From 30,000 contacts on the weight must be carried on the CPU, too. */
static void large_heaps_are_stopped_by_both_numbers(void **state)
{
    (void)state;
    CHECK(sinking_of(740, 0.2) > 0.5);
    CHECK_BELOW(sinking_of(760, 0.2), 0.5);
}

/* With little gravity all contacts close slowly: what is left to do is the weight. */
static mo_world *many_columns_on(int way)
{
    mo_world *world = columns_of_balls(760, 0.1);
    mo_world_def def = mo_world_definition(world);
    def.gravity[2] = -0.45;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    if (!send_to(world, way)) {
        mo_world_destroy(world);
        return NULL;
    }
    return world;
}

/* On a device all impulses are scaled for it: their bits are the same in every way. */
static void a_large_weight_is_carried_on_a_device(void **state)
{
    (void)state;
    mo_world *world = many_columns_on(0);
    const mo_step_report report = heap_step(world, 1);
    CHECK(report.status == MO_SOLVED && report.contacts == 40 * 760);
    CHECK_BELOW(report.sinking, 0.5);
    mo_world_destroy(world);
    check_bits(many_columns_on, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sinking_sees_a_weight_that_is_not_carried),
        cmocka_unit_test(large_heaps_are_stopped_by_both_numbers),
        cmocka_unit_test(a_large_weight_is_carried_on_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
