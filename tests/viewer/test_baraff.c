/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Baraff's mechanisms do their work in the hand: a turn of the wheel is a block, a stroke of the
 * lever a tooth or two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"
#include "stage.h"

static stage *open_stage(const char *scene)
{
    stage *s = calloc(1, sizeof *s);
    mo_message why = {{0}};
    stage_source source = {.scene = world_scene_find(scene)};
    world_default_values(source.scene, source.values);
    if (stage_open(s, &source, &why) != MO_OK) fail_msg("%s", why.text);
    mo_world_def def = mo_world_definition(s->world);
    def.solver.time_limit = INFINITY; /* a busy machine reaches the limit of the stage */
    CHECK(mo_world_change(s->world, &def, &why) == MO_OK);
    return s;
}

static mo_body_state body_named(const stage *s, const char *name, int *place)
{
    for (int k = 0; k < mo_world_body_count(s->world); ++k) {
        const mo_body_state state = mo_body_get(s->world, mo_world_body(s->world, k));
        if (strcmp(state.name, name) == 0) {
            *place = k;
            return state;
        }
    }
    fail_msg("there is no %s", name);
    return (mo_body_state){0};
}

/* Puts the hand on a point of a body, or moves it there where it already holds. */
static void reach(stage *s, command_verb verb, int body, double local_x, double x, double y)
{
    mo_message why;
    command w = {.verb = verb};
    w.field[FIELD_BODY] = (command_numbers){.at = {body}, .count = 1};
    w.field[FIELD_LOCAL] = (command_numbers){.at = {local_x, 0, 0}, .count = 3};
    w.field[FIELD_TARGET] = (command_numbers){.at = {x, y, 0}, .count = 3};
    CHECK(stage_command(s, 1, &w, &why) == MO_OK);
}

static void step(stage *s)
{
    mo_message why = {{0}};
    if (stage_step(s, &why) != MO_OK) fail_msg("%s", why.text);
    CHECK(s->report.status == MO_SOLVED);
    CHECK_BELOW(s->report.penetration, 2e-3);
}

static int blocks_out(const stage *s)
{
    int count = 0;
    for (int k = 0; k < mo_world_body_count(s->world); ++k) {
        const mo_body_state state = mo_body_get(s->world, mo_world_body(s->world, k));
        count += strcmp(state.name, "block") == 0 && state.pose.position[0] > 0.5;
    }
    return count;
}

static void a_turn_of_the_wheel_is_a_block(void **state)
{
    (void)state;
    stage *s = open_stage("blockfeeder");
    const double turn = 2 * acos(-1), period = 4;
    int wheel;
    const mo_body_state start = body_named(s, "wheel", &wheel);
    const double *centre = start.pose.position;
    reach(s, COMMAND_GRAB, wheel, -0.4, centre[0] - 0.4, centre[1]);
    for (int turns = 1; turns <= 3; ++turns) {
        for (double t = 0; t < period; t += s->step) { /* the mouse goes round */
            const double angle = turn * (0.5 + t / period);
            reach(s, COMMAND_DRAG, wheel, 0, centre[0] + 0.6 * cos(angle),
                  centre[1] + 0.6 * sin(angle));
            step(s);
        }
        CHECK(blocks_out(s) == turns);
    }
    CHECK(s->unsolved == 0);
    stage_close(s);
    free(s);
}

static void both_strokes_of_the_lever_raise_the_load(void **state)
{
    (void)state;
    stage *s = open_stage("jack");
    int lever, load;
    body_named(s, "lever", &lever);
    const double first = body_named(s, "load", &load).pose.position[1];
    double before = first;
    reach(s, COMMAND_GRAB, lever, 1.9, 1.9, 1.6);
    for (int stroke = 0; stroke < 4; ++stroke) {
        for (int k = 0; k < 120; ++k) {
            const double up = stroke % 2 ? -1 : 1, swing = k < 80 ? k / 80.0 : 1;
            reach(s, COMMAND_DRAG, lever, 0, 1.6,
                  1.6 + up * 1.6 * (stroke ? 2 * swing - 1 : swing));
            step(s);
        }
        const double now = body_named(s, "load", &load).pose.position[1];
        CHECK(now > before + 0.19); /* at least a tooth, on each of them */
        before = now;
    }
    const command release = {.verb = COMMAND_RELEASE};
    mo_message why;
    CHECK(stage_command(s, 1, &release, &why) == MO_OK);
    for (int k = 0; k < 200; ++k)
        step(s);
    const mo_body_state rests = body_named(s, "load", &load);
    CHECK(rests.pose.position[1] >
          first + 0.8); /* it stays up, at rest, but for what the pawls give */
    CHECK_BELOW(fabs(rests.velocity[1]), 1e-6);
    stage_close(s);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_of_the_wheel_is_a_block),
        cmocka_unit_test(both_strokes_of_the_lever_raise_the_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
