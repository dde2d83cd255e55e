/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Steps of heaps at a coarse tolerance, in lanes: the problem that the world hands out is the
 * judge. */
#include "heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "moreau/moreau.h"
#include "problem/compact.h"
#include "problem/views.h"
#include "sim/world_data.h"

/* What mo_measure says of the problem and the impulses that the world hands out. */
static mo_residual judged(const mo_world *world)
{
    mo_residual residual;
    CHECK(mo_measure(mo_world_problem(world), mo_world_result(world)->r, &residual) == MO_OK);
    return residual;
}

static void check_same_residual(const mo_residual *told, const mo_residual *true_one)
{
    CHECK_NEAR(told->q_norm, true_one->q_norm, 1e-10 * true_one->q_norm);
    CHECK_NEAR(told->natural, true_one->natural, 1e-8 * true_one->natural + 1e-14);
    CHECK_NEAR(told->block.value, true_one->block.value, 1e-8 * true_one->natural + 1e-14);
    CHECK_NEAR(told->penetration_rate.value, true_one->penetration_rate.value, 1e-9);
    CHECK_NEAR(told->cone_violation.value, true_one->cone_violation.value, 1e-9);
    CHECK_NEAR(told->dissipation.value, true_one->dissipation.value, 1e-8);
    CHECK_NEAR(told->siconos_full, true_one->siconos_full, 1e-8 * true_one->siconos_full + 1e-14);
}

static void the_residual_is_that_of_the_measure(void **state)
{
    (void)state;
    mo_world *world = heap_of_beads(150, 2e-3, 1);
    for (int k = 0; k < 12; ++k) {
        const mo_step_report report = heap_step(world, 5);
        CHECK(report.status == MO_SOLVED);
        const mo_residual residual = judged(world);
        CHECK_BELOW(residual.natural_relative, 2e-3);
        check_same_residual(&report.residual, &residual);
        CHECK(mo_problem_constraint_count(mo_world_problem(world)) == report.contacts);
        CHECK(mo_problem_body_count(mo_world_problem(world)) == report.bodies);
    }
    mo_world_destroy(world);
}

/* Velocities and contacts of the world are those of the problem. */
static void the_answer_is_that_of_the_problem(void **state)
{
    (void)state;
    mo_world *world = heap_of_beads(80, 1e-4, 1);
    heap_step(world, 40);
    const mo_result *result = mo_world_result(world);
    const mo_problem *problem = mo_world_problem(world);
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        for (int i = 0; i < 6 && body->block != MO_NONE; ++i) {
            const int at = mo_problem_body(problem, body->block).offset + i;
            CHECK_NEAR(body->v[i], result->v[at], 1e-10);
        }
    }
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        const int row = mo_problem_constraint(problem, contact->constraint).offset;
        const double w_N = mo_problem_constraint(problem, contact->constraint).w[0];
        CHECK_NEAR(mo_vec3_dot(contact->impulse, contact->frame), result->r[row], 1e-12);
        CHECK_NEAR(mo_vec3_dot(contact->velocity, contact->frame) + w_N, result->u[row], 1e-9);
    }
    mo_world_destroy(world);
}

/* The problem of the last step stays as it was when the world changes. */
static void the_problem_outlives_its_bodies(void **state)
{
    (void)state;
    mo_world *world = heap_of_beads(60, 2e-3, 1);
    mo_message why = {""};
    const mo_step_report report = heap_step(world, 40);
    const mo_body_id first = mo_world_body(world, 1), second = mo_world_body(world, 2);
    mo_world_remove_body(world, first, NULL);
    CHECK(mo_problem_constraint_count(mo_world_problem(world)) == report.contacts);
    const mo_residual residual = judged(world);
    check_same_residual(&report.residual, &residual);
    const mo_step_report next = heap_step(world, 1);
    const mo_shape_def box = mo_shape_box(0.2, 0.05, 0.05);
    CHECK(mo_world_add_shape(world, second, &box, &why).index > 0);
    CHECK(mo_problem_constraint_count(mo_world_problem(world)) == next.contacts);
    heap_step(world, 5);
    CHECK_BELOW(judged(world).natural_relative, 2e-3);
    mo_world_destroy(world);
}

/* One box among balls: only the batches that hold its own contacts are not central. */
static void one_box_among_balls_leaves_the_others_as_they_are(void **state)
{
    (void)state;
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    mo_message why = {""};
    const mo_batches *batches;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", 400, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "shape", 0, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "boxes", 1, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    for (int k = 0; k < 80; ++k)
        CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_OK);
    int of_box = 0, general = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const int *body = world->contacts.at[k].body;
        of_box += !world->body[body[0]].is_ball || !world->body[body[1]].is_ball;
    }
    CHECK(mo_problem_batches(mo_world_problem(world), &batches) == MO_OK);
    for (int k = 0; k < batches->batch_count; ++k)
        general += !batches->batch[k].is_central;
    CHECK(general > 0 && batches->batch_count > 50);
    CHECK(general <= 30);
    CHECK(of_box > 0);
    mo_world_destroy(world);
}

/* Iterations of a heap of 150 balls and of one more, of a part of their size, that falls on it. */
static int iterations_with(double part)
{
    mo_world *world = heap_of_beads(150, 0.3, 1);
    const double size = world->shape[world->body[world->living[1]].first_shape].collider.size;
    const mo_shape_def ball = mo_shape_ball(part * size);
    mo_pose pose = mo_pose_identity();
    mo_message why = {""};
    int sum = 0;
    for (int k = 1; k < world->living_count; ++k)
        pose.position[2] = fmax(pose.position[2], world->body[world->living[k]].x[2]);
    pose.position[2] += 2.5 * size;
    CHECK(mo_world_add_solid(world, MO_BODY_FREE, &ball, &pose, &why).index > 0);
    for (int k = 0; k < 150; ++k)
        sum += heap_step(world, 1).iterations;
    mo_world_destroy(world);
    return sum;
}

static void a_small_body_does_not_slow_the_heap(void **state)
{
    (void)state;
    const int of_balls = iterations_with(1), with_small = iterations_with(0.1);
    CHECK(of_balls > 300);
    CHECK_BELOW(with_small, 2 * of_balls); /* its own limit is a tenth of theirs */
}

static void one_and_two_threads_have_the_same_bits(void **state)
{
    (void)state;
    mo_world *one = heap_of_beads(3000, 2e-3, 1), *two = heap_of_beads(3000, 2e-3, 2);
    const mo_step_report report = heap_step(one, 10);
    heap_step(two, 10);
    CHECK(report.contacts > MO_CHUNK * MO_LANES); /* else the threads would have nothing to share */
    for (int k = 0; k < one->living_count; ++k) {
        const mo_sim_body *a = one->body + one->living[k], *b = two->body + two->living[k];
        CHECK(memcmp(a->x, b->x, sizeof a->x) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0);
    }
    mo_world_destroy(one);
    mo_world_destroy(two);
}

/* Pairs that were kept find what a world without a past finds. */
static void a_loaded_world_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    mo_world *world = heap_of_beads(120, 2e-3, 1), *other = heap_of_beads(120, 2e-3, 1);
    mo_message why = {""};
    heap_step(world, 60);
    const size_t size = mo_world_save(world, NULL, 0);
    char *bytes = malloc(size);
    CHECK(bytes != NULL);
    CHECK(mo_world_save(world, bytes, size) == size);
    CHECK(mo_world_load(other, bytes, size, &why) == MO_OK);
    heap_step(world, 40);
    heap_step(other, 40);
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *a = world->body + world->living[k], *b = other->body + other->living[k];
        CHECK(memcmp(a->x, b->x, sizeof a->x) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0);
    }
    free(bytes);
    mo_world_destroy(world);
    mo_world_destroy(other);
}

/* Balls that fall onto a driven plate which moves sideways and up are carried along. */
static void lift(void *user, double time, mo_pose *pose)
{
    (void)user;
    pose->position[0] = 0.5 * time;
    pose->position[2] = 0.2 * time;
}

static void a_driven_plate_carries_balls(void **state)
{
    (void)state;
    mo_message why = {""};
    mo_world_def def = mo_default_world();
    def.solver.tol = 1e-4;
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    mo_body_def plate = mo_default_body(MO_BODY_DRIVEN);
    plate.motion = lift;
    const mo_body_id driven = mo_world_add_body(world, &plate, &why);
    const mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    CHECK(mo_world_add_shape(world, driven, &plane, &why).index > 0);
    for (int k = 0; k < 5; ++k) {
        mo_body_def def_k = mo_default_body(MO_BODY_FREE);
        def_k.pose = mo_pose_at(0.3 * k, 0, 0.1);
        CHECK(mo_world_add_shape(world, mo_world_add_body(world, &def_k, &why), &ball, &why).index >
              0);
    }
    const mo_step_report report = heap_step(world, 100);
    CHECK(report.contacts == 5);
    mo_residual residual = judged(world);
    check_same_residual(&report.residual, &residual);
    for (int k = 1; k <= 5; ++k) { /* from rest a ball on a plate rolls at 2/7 of its speed */
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        CHECK_NEAR(s.velocity[0], 0.5 * 2 / 7, 1e-3);
        CHECK_NEAR(s.velocity[2], 0.2, 1e-3);
    }
    mo_world_destroy(world);
}

/* Balls with this friction, after 100 steps to 2e-3, all of them solved. */
static mo_world *run_balls(int count, double mu)
{
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    mo_message why = {""};
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "shape", 0, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "count", count, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "mu", mu, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.solver.tol = 2e-3;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    for (int step = 0; step < 100; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        CHECK(report.status == MO_SOLVED);
    }
    CHECK_BELOW(judged(world).natural_relative, 2e-3);
    return world;
}

/* Sweeps that visit friction after the normal impulse end in cycles here. */
static void heaps_with_friction_above_one_are_solved(void **state)
{
    (void)state;
    mo_world_destroy(run_balls(200, 1.5));
    mo_world_destroy(run_balls(200, 2));
}

/* Every contact is compact, so that it is visited in lanes, and none has friction. */
static void heaps_without_friction_are_swept_in_lanes(void **state)
{
    (void)state;
    mo_world *world = run_balls(100, 0);
    const mo_problem *problem = mo_world_problem(world);
    CHECK(problem->constraint_count > 50);
    CHECK(problem->compact && problem->compact->contact_count == problem->constraint_count);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *r = mo_world_result(world)->r + problem->row_start[i];
        CHECK_BELOW(fabs(r[1]) + fabs(r[2]), 1e-14 * r[0]);
    }
    mo_world_destroy(world);
}

/* A hundred columns of three boxes with densities of 0.1 to 1,000 kg/m^3: heavy on light, which
 * sweeps alone do not solve in 3,000. */
static void heavy_boxes_on_light_ones_are_solved(void **state)
{
    (void)state;
    mo_world *world;
    mo_message why = {""};
    mo_world_def def = mo_default_world();
    def.solver.tol = 2e-3;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const mo_shape_def floor = mo_shape_plane();
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, &why).index > 0);
    for (int k = 0; k < 300; ++k) {
        const mo_pose at =
            mo_pose_at(0.3 * (k % 10), 0.3 * (k / 10 % 10), 0.061 + 0.121 * (k / 100));
        mo_shape_def box = mo_shape_box(0.1, 0.08, 0.06);
        box.density = 1000 * pow(1e-4, (k * 37 % 101) / 100.0);
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, &box, &at, &why).index > 0);
    }
    for (int k = 0; k < 8; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        CHECK_BELOW(judged(world).natural_relative, 2e-3);
    }
    CHECK(mo_world_contact_count(world) > 1000);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_residual_is_that_of_the_measure),
        cmocka_unit_test(the_answer_is_that_of_the_problem),
        cmocka_unit_test(the_problem_outlives_its_bodies),
        cmocka_unit_test(one_box_among_balls_leaves_the_others_as_they_are),
        cmocka_unit_test(a_small_body_does_not_slow_the_heap),
        cmocka_unit_test(one_and_two_threads_have_the_same_bits),
        cmocka_unit_test(a_loaded_world_goes_on_with_the_same_bits),
        cmocka_unit_test(a_driven_plate_carries_balls),
        cmocka_unit_test(heaps_without_friction_are_swept_in_lanes),
        cmocka_unit_test(heaps_with_friction_above_one_are_solved),
        cmocka_unit_test(heavy_boxes_on_light_ones_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
