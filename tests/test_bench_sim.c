/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The parts of `moreau bench sim` that can be wrong without anybody noticing: scenes for others,
 * verdicts, lines. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "moreau/moreau.h"
#include "ours.h"
#include "rows.h"
#include "watch.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static void the_last_line_counts(void **state)
{
    (void)state;
    char text[4096] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    sim_outcome written = sim_outcome_start(), back;
    written.steps = 3;
    sim_outcome_print(file, &written);
    fprintf(file, "something else\n");
    written.steps = 4;
    written.drift = 1.0 / 3;
    sim_outcome_end(&written, sim_stopped, "it said: why\nand more");
    sim_outcome_print(file, &written);
    fprintf(file, "sim done steps=5"); /* cut short */
    fclose(file);
    assert_true(sim_outcome_parse(text, &back));
    assert_true(sim_outcome_is(&back, sim_stopped));
    assert_true(back.steps == 4 && back.drift == 1.0 / 3 && isnan(back.error));
    assert_string_equal(back.message, "it said: why and more");
    assert_false(sim_outcome_parse("nothing of that kind\n", &back));
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/* A compound of a box and a turned capsule, off its frame's origin, that turns. */
static mo_world *make_compound(void)
{
    mo_world *world = NULL;
    mo_message why;
    const mo_world_def def = mo_default_world();
    assert_int_equal(mo_world_create(&def, NULL, &world, &why), MO_OK);
    mo_body_def body = mo_default_body(MO_BODY_FREE);
    body.pose = mo_pose_turned(1, 2, 3, (const double[3]){1, 2, 3}, 0.7);
    body.velocity[0] = 0.3;
    memcpy(body.spin, (const double[3]){0.4, -0.9, 1.3}, sizeof body.spin);
    const mo_body_id id = mo_world_add_body(world, &body, &why);
    mo_shape_def box = mo_shape_box(0.1, 0.2, 0.3);
    box.pose = mo_pose_turned(0.5, 0, 0.2, (const double[3]){1, 1, 0}, 0.5);
    mo_shape_def capsule =
        mo_shape_capsule((const double[3]){0, -0.4, 0}, (const double[3]){0.3, 0.5, 0.1}, 0.15);
    assert_true(mo_world_add_shape(world, id, &box, &why).index != 0);
    assert_true(mo_world_add_shape(world, id, &capsule, &why).index != 0);
    return world;
}

/* The kinetic energy in the words for others is that of our world. */
static void principal_axes_keep_the_energy(void **state)
{
    (void)state;
    mo_world *world = make_compound();
    sim_scene scene;
    mo_message why;
    assert_true(sim_scene_take(world, 0.01, &scene, &why));
    const sim_body *body = scene.body;
    double inertia[9], twice = 0;
    sim_body_inertia(body, &body->pose, inertia);
    for (int i = 0; i < 3; ++i) {
        twice += body->mass * body->velocity[i] * body->velocity[i];
        for (int j = 0; j < 3; ++j)
            twice += body->spin[i] * inertia[3 * i + j] * body->spin[j];
    }
    const double exact = mo_world_kinetic_energy(world);
    CHECK_NEAR(0.5 * twice, exact, 1e-12 * exact);
    /* the frame that our world knows is found again */
    const mo_pose own = mo_pose_compose(&body->pose, &body->own);
    const mo_body_state now = mo_body_get(world, mo_world_body(world, 0));
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(own.position[k], now.pose.position[k], 1e-12);
        CHECK_NEAR(body->pose.position[k], now.centre[k], 1e-12);
    }
    /* and so is the capsule: its axis is the z of its frame */
    const mo_pose at = mo_pose_compose(&body->pose, &scene.shape[1].pose);
    double end[3], exact_end[3];
    mo_pose_point(&at, (const double[3]){0, 0, scene.shape[1].half[2]}, end);
    mo_pose_point(&now.pose, (const double[3]){0.3, 0.5, 0.1}, exact_end);
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(end[k], exact_end[k], 1e-6);
    CHECK_NEAR(scene.size, 0.1, 1e-6);
    sim_scene_clear(&scene);
    mo_world_destroy(world);
}

/* Corners of a hull lie where our world has them, in the frame of its principal axes. */
static void a_hull_keeps_its_corners(void **state)
{
    (void)state;
    mo_message why = {""};
    sim_scene scene;
    mo_world *world = sim_world_make("heap,shape=4,count=2,seed=3", &why);
    assert_non_null(world);
    assert_true(sim_scene_take(world, 0.01, &scene, &why));
    int hulls = 0;
    for (int k = 0; k < scene.body_count; ++k) {
        const sim_body *body = scene.body + k;
        const mo_body_id id = mo_world_body(world, k);
        const mo_body_state now = mo_body_get(world, id);
        for (int i = 0; i < body->shape_count && body->is_free; ++i) {
            const sim_shape *shape = scene.shape + body->first_shape + i;
            const mo_shape_def def = mo_body_shape(world, id, i);
            const mo_pose at = mo_pose_compose(&body->pose, &shape->pose);
            assert_true(shape->kind == MO_SHAPE_HULL && shape->point_count == 8);
            ++hulls;
            for (int c = 0; c < 8; ++c) {
                double corner[3], exact[3];
                mo_pose_point(&at, shape->point + 3 * c, corner);
                mo_pose_point(&now.pose, def.points + 3 * c, exact);
                for (int d = 0; d < 3; ++d)
                    CHECK_NEAR(corner[d], exact[d], 1e-6);
            }
        }
    }
    assert_int_equal(hulls, 2);
    assert_true(scene.size > 0.05 && scene.size < 0.13); /* corners are at 0.13 */
    sim_scene_clear(&scene);
    mo_world_destroy(world);
}

static void scenes_that_others_cannot_take_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"chain", "drum"};
    for (int k = 0; k < 2; ++k) {
        sim_row row;
        mo_message why = {""};
        assert_false(sim_row_find(names[k], &row, &why));
        assert_non_null(strstr(why.text, "the scene has"));
    }
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* One step of a block on a slope, its impulses times `factor`. */
static sim_verdict judge_block(const char *text, double factor)
{
    mo_message why = {""};
    sim_scene scene;
    mo_world *world = sim_world_make(text, &why);
    assert_non_null(world);
    assert_true(sim_scene_take(world, 0.02, &scene, &why));
    sim_motion *before = calloc((size_t)scene.body_count, sizeof *before);
    sim_motion *after = calloc((size_t)scene.body_count, sizeof *after);
    assert_true(before && after);
    void *ours = sim_ours.create(&scene, 0, &why);
    assert_non_null(ours);
    for (int k = 0; k < 3; ++k) {
        sim_scene_start(&scene, before);
        sim_ours.read(ours, before);
        assert_true(sim_ours.step(ours, &why));
        sim_scene_start(&scene, after);
        sim_ours.read(ours, after);
    }
    sim_contact list[64];
    const int count = sim_ours.contacts(ours, list, 64);
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i)
            list[k].impulse[i] *= factor;
    sim_verdict verdict;
    assert_int_equal(sim_judge(&scene, before, after, list, count, &verdict, &why), MO_OK);
    sim_ours.destroy(ours);
    sim_scene_clear(&scene);
    mo_world_destroy(world);
    free(before);
    free(after);
    return verdict;
}

static void right_impulses_pass_and_wrong_ones_do_not(void **state)
{
    (void)state;
    static const char *const scenes[] = {"incline,mu=0.51,turn=0.8", "incline,mu=0.49,turn=0.8",
                                         "stack,count=3", "cannonball,rows=4,mu=0.2"};
    for (int k = 0; k < 4; ++k) {
        const sim_verdict right = judge_block(scenes[k], 1), wrong = judge_block(scenes[k], 0.99);
        CHECK_BELOW(right.residual, 1e-8);
        CHECK_BELOW(right.momentum, 1e-12);
        CHECK_BELOW(1e-4, wrong.residual);
        CHECK_BELOW(1e-4, wrong.momentum);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static sim_outcome run_ours(const char *scene, double step, int steps, sim_question question)
{
    char text[1 << 14] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    const sim_call call = {scene, step, steps, 60, question, 0};
    sim_run(&sim_ours, 0, &call, file);
    fclose(file);
    sim_outcome outcome;
    assert_true(sim_outcome_parse(text, &outcome));
    return outcome;
}

static void ours_stands_slides_and_rolls_as_closed_forms_say(void **state)
{
    (void)state;
    const sim_outcome stack = run_ours("stack,count=10", 0.02, 40, SIM_STAND);
    assert_true(sim_outcome_is(&stack, sim_done) && stack.steps == 40 && stack.judged == 20);
    CHECK_BELOW(stack.drift, 1e-9);
    CHECK_BELOW(stack.residual_worst, 1e-8);
    CHECK_BELOW(stack.energy_rise, 1e-9);
    const sim_outcome block = run_ours("incline,mu=0.49,turn=0.7", 0.02, 50, SIM_SLIDE);
    CHECK_BELOW(fabs(block.error), 1e-9);
    const sim_outcome ball = run_ours("slip-to-roll,turn=0.7", 0.001, 400, SIM_ROLL);
    CHECK_BELOW(fabs(ball.error), ball.error_step);
    const sim_outcome discs = run_ours("cannonball,rows=5,mu=0.2", 0.05, 20, SIM_STAND);
    CHECK_BELOW(discs.drift, 1e-9);
    CHECK_BELOW(discs.residual_worst, 1e-8);
}

static void calls_that_cannot_run_are_refused_with_a_reason(void **state)
{
    (void)state;
    const sim_outcome outcome = run_ours("chain", 0.01, 5, SIM_SETTLE);
    assert_true(sim_outcome_is(&outcome, sim_unsupported));
    assert_non_null(strstr(outcome.message, "joints"));
}

static void words_tell_what_became_of_it(void **state)
{
    (void)state;
    sim_row row = {.step = 0.1, .time = 1, .question = SIM_STAND};
    const sim_board board = {.row = &row, .row_count = 1, .limit = 4};
    sim_entry entry = {.outcome = sim_outcome_start()};
    sim_outcome *o = &entry.outcome;
    o->size = 0.5;
    o->steps = 10;
    o->drift = 0.4;
    sim_outcome_end(o, sim_done, "");
    assert_string_equal(sim_entry_words(&board, &entry).text, "stands");
    o->drift = 0.6;
    assert_false(sim_entry_words(&board, &entry).is_right);
    o->steps = 3; /* what fell before the time was up has fallen */
    sim_outcome_end(o, sim_time_limit, "");
    assert_string_equal(sim_entry_words(&board, &entry).text, "falls");
    o->drift = 0;
    o->seconds = 4;
    assert_string_equal(sim_entry_words(&board, &entry).text, "3 of 10 steps in 4 s");
    row.question = SIM_SLIDE;
    o->error = 0.4;
    sim_outcome_end(o, sim_done, "");
    assert_string_equal(sim_entry_words(&board, &entry).text, "too fast (+40 %)");
    o->error = -1;
    assert_string_equal(sim_entry_words(&board, &entry).text, "sticks");
    assert_true(sim_is_among("si-10", "quick-20,si-10") && !sim_is_among("si-1", "quick-20,si-10"));
}

/* ---- means and ratios ------------------------------------------------------------------------ */

static void seeds_are_averaged_and_one_that_fails_is_seen(void **state)
{
    (void)state;
    sim_outcome mean = sim_outcome_start(), next = sim_outcome_start();
    for (int k = 0; k < 3; ++k) {
        next.steps = 10;
        next.seconds = 1 + k;
        next.residual = k;
        sim_outcome_end(&next, k == 1 ? sim_stopped : sim_done, k == 1 ? "why" : "");
        sim_outcome_add(&mean, k, &next);
    }
    assert_true(mean.steps == 10 && mean.seconds == 2 && mean.residual == 1);
    assert_true(sim_outcome_is(&mean, sim_stopped));
    assert_string_equal(mean.message, "why");
}

static void ratios_are_to_the_fastest_peer_that_ends(void **state)
{
    (void)state;
    sim_row row = {.step = 0.1, .time = 1};
    sim_board board = {.row = &row, .row_count = 1};
    static const char *const engines[] = {"moreau", "ode", "bullet", "mujoco"};
    static const double seconds[] = {1, 4, 2, 0.5};
    for (int k = 0; k < 4; ++k) {
        sim_entry entry = {.engine = engines[k], .outcome = sim_outcome_start()};
        entry.outcome.steps = 10;
        entry.outcome.seconds = seconds[k];
        sim_outcome_end(&entry.outcome, k == 3 ? sim_crashed : sim_done, "");
        assert_true(isnan(sim_entry_ratio(&board, &entry)) == (k < 2));
        assert_true(sim_board_add(&board, &entry));
    }
    assert_string_equal(sim_board_fastest_peer(&board, 0)->engine, "bullet");
    assert_true(sim_entry_ratio(&board, board.entry) == 0.5);
    board.row = NULL; /* not from malloc */
    sim_board_clear(&board);
}

static void ours_runs_at_the_tolerance_of_the_scene_or_as_asked(void **state)
{
    (void)state;
    sim_row row;
    mo_message why = {""};
    assert_true(sim_row_find("heap,count=2500,shape=1", &row, &why));
    assert_string_equal(row.ours, "0.002");
    assert_true(sim_row_find("stack,count=2", &row, &why));
    assert_true(sim_ours_tolerance(row.ours) == 1e-8);
    assert_true(sim_ours_tolerance("2e-3") == 2e-3);
    static const char *const none[] = {"", "0", "2", "1e-3x", "peer", "nan", "-1"};
    for (int k = 0; k < 7; ++k)
        assert_true(sim_ours_tolerance(none[k]) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_line_counts),
        cmocka_unit_test(principal_axes_keep_the_energy),
        cmocka_unit_test(scenes_that_others_cannot_take_are_refused),
        cmocka_unit_test(right_impulses_pass_and_wrong_ones_do_not),
        cmocka_unit_test(ours_stands_slides_and_rolls_as_closed_forms_say),
        cmocka_unit_test(calls_that_cannot_run_are_refused_with_a_reason),
        cmocka_unit_test(words_tell_what_became_of_it),
        cmocka_unit_test(a_hull_keeps_its_corners),
        cmocka_unit_test(seeds_are_averaged_and_one_that_fails_is_seen),
        cmocka_unit_test(ratios_are_to_the_fastest_peer_that_ends),
        cmocka_unit_test(ours_runs_at_the_tolerance_of_the_scene_or_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
