/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Commands of pages change the world, or are refused and change nothing. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "hand.h"
#include "moreau/moreau.h"
#include "stage.h"

/* ---- the stage ------------------------------------------------------------------------------- */

static stage *open_stage(const char *scene)
{
    stage *s = calloc(1, sizeof *s);
    mo_message why = {{0}};
    stage_source source = {.scene = world_scene_find(scene)};
    world_default_values(source.scene, source.values);
    if (stage_open(s, &source, &why) != MO_OK) fail_msg("%s", why.text);
    return s;
}

static void shut_stage(stage *s)
{
    stage_close(s);
    free(s);
}

static void ask(stage *s, unsigned page, const char *text, int granted)
{
    command w;
    mo_message why = {{0}};
    CHECK(command_read(text, strlen(text), &w, &why) == MO_OK);
    const mo_error error = stage_command(s, page, &w, &why);
    if ((error == MO_OK) != granted) fail_msg("%s: %s", text, error ? why.text : "was granted");
    CHECK(granted || why.text[0]);
}

static void take_steps(stage *s, int count)
{
    mo_message why = {{0}};
    for (int k = 0; k < count; ++k)
        CHECK(stage_step(s, &why) == MO_OK);
}

static double height(const stage *s, int body)
{
    return mo_body_get(s->world, mo_world_body(s->world, body)).pose.position[2];
}

static void friction_is_replaced_and_restored(void **state)
{
    (void)state;
    stage *s = open_stage("stack");
    take_steps(s, 1);
    CHECK(mo_world_contact(s->world, 0).mu == 0.5);
    ask(s, 1, "{\"do\":\"set\",\"friction\":0.125}", 1);
    take_steps(s, 1);
    CHECK(mo_world_contact(s->world, 0).mu == 0.125 && s->friction == 0.125 && s->state_changed);
    ask(s, 1, "{\"do\":\"reset\"}", 1); /* it is kept */
    take_steps(s, 1);
    CHECK(mo_world_contact(s->world, 0).mu == 0.125);
    ask(s, 1, "{\"do\":\"set\",\"friction\":null}", 1);
    take_steps(s, 1);
    CHECK(mo_world_contact(s->world, 0).mu == 0.5 && isnan(s->friction));
    ask(s, 1, "{\"do\":\"set\",\"friction\":-1}", 0);
    shut_stage(s);
}

static void settings_reach_the_world(void **state)
{
    (void)state;
    stage *s = open_stage("stack");
    ask(s, 1, "{\"do\":\"set\",\"gravity\":1.5,\"method\":\"nsgs\"}", 1);
    ask(s, 1, "{\"do\":\"set\",\"step\":0.004,\"tolerance\":1e-5}", 1);
    mo_world_def def = mo_world_definition(s->world);
    CHECK(def.gravity[2] == -1.5 && def.gravity[0] == 0 && def.solver.tol == 1e-5);
    CHECK(strcmp(def.solver.method, "nsgs") == 0);
    CHECK(def.solver.time_limit <= 1); /* a page is answered, however large the scene is */
    take_steps(s, 1);
    CHECK_NEAR(mo_world_time(s->world), 0.004, 1e-15);
    ask(s, 1, "{\"do\":\"set\",\"step\":0.01,\"method\":\"magic\"}", 0); /* all of it or nothing */
    ask(s, 1, "{\"do\":\"set\",\"step\":-1}", 0);
    ask(s, 1, "{\"do\":\"set\",\"gravity\":[1,2]}", 0);
    ask(s, 1, "{\"do\":\"speed\",\"value\":0}", 0);
    CHECK(s->step == 0.004 && strcmp(s->method, "nsgs") == 0);
    /* with its own step and gravity */
    ask(s, 1, "{\"do\":\"scene\",\"name\":\"slip-to-roll\"}", 1);
    def = mo_world_definition(s->world);
    CHECK(s->step == 0.01 && def.gravity[2] == -9.81 && strcmp(def.solver.method, "nsgs") == 0);
    shut_stage(s);
}

/* A step that needs more calls than one is one step, and none that was not solved. */
static void a_step_that_waits_is_not_counted(void **state)
{
    (void)state;
    stage *s = open_stage("beads");
    mo_message why = {{0}};
    mo_world_def def = mo_world_definition(s->world);
    def.solver.time_limit = INFINITY; /* the state must not depend on the load of the machine */
    CHECK(mo_world_change(s->world, &def, &why) == MO_OK);
    take_steps(s, 40);
    const uint32_t steps = s->steps, unsolved = s->unsolved;
    const double time = mo_world_time(s->world);
    def.solver.time_limit = 1e-9;
    CHECK(mo_world_change(s->world, &def, &why) == MO_OK);
    s->frame_changed = 0;
    CHECK(stage_step(s, &why) == MO_OK);
    CHECK(s->is_waiting && s->steps == steps && s->unsolved == unsolved && !s->frame_changed);
    CHECK(mo_world_time(s->world) == time);
    def.solver.time_limit = INFINITY;
    CHECK(mo_world_change(s->world, &def, &why) == MO_OK);
    take_steps(s, 1);
    CHECK(!s->is_waiting && s->steps == steps + 1 && s->unsolved == unsolved);
    shut_stage(s);
}

/* The tolerances of a heap are those of its world, which all of its steps reach. */
static void a_heap_is_solved_to_the_tolerances_of_its_world(void **state)
{
    (void)state;
    const mo_world_def usual = mo_default_world();
    stage *s = open_stage("beads");
    ask(s, 1, "{\"do\":\"scene\",\"set\":{\"count\":200}}", 1);
    mo_world_def def = mo_world_definition(s->world);
    CHECK(def.solver.tol == usual.solver.tol && def.moving_tol == usual.moving_tol);
    def.solver.time_limit = INFINITY; /* the result must not depend on the load of the machine */
    CHECK(mo_world_change(s->world, &def, NULL) == MO_OK);
    take_steps(s, 60);
    CHECK(s->steps == 60 && s->report.contacts > 300 && s->unsolved == 0);
    shut_stage(s);
}

static void scenes_change_or_stay(void **state)
{
    (void)state;
    stage *s = open_stage("stack");
    const unsigned before = s->generation;
    take_steps(s, 3);
    ask(s, 1, "{\"do\":\"scene\",\"name\":\"stak\"}", 0);
    ask(s, 1, "{\"do\":\"scene\",\"name\":\"stack\",\"set\":{\"count\":0}}", 0);
    ask(s, 1, "{\"do\":\"scene\",\"name\":\"stack\",\"set\":{\"height\":3}}", 0);
    CHECK(s->generation == before && s->steps == 3 && mo_world_body_count(s->world) == 11);
    ask(s, 1, "{\"do\":\"scene\",\"name\":\"stack\",\"set\":{\"count\":3}}", 1);
    CHECK(s->generation == before + 1 && s->steps == 0 && mo_world_body_count(s->world) == 4);
    CHECK(s->scene_changed && mo_world_time(s->world) == 0);
    shut_stage(s);
}

static void hands_lift_and_let_go(void **state)
{
    (void)state;
    stage *s = open_stage("stack"); /* body 0 is the floor, 10 the top cube, at 9.5 m */
    ask(s, 1, "{\"do\":\"grab\",\"body\":0,\"local\":[0,0,0],\"target\":[0,0,1]}", 0);
    ask(s, 1, "{\"do\":\"grab\",\"body\":11,\"local\":[0,0,0],\"target\":[0,0,1]}", 0);
    ask(s, 1, "{\"do\":\"grab\",\"body\":1.5,\"local\":[0,0,0],\"target\":[0,0,1]}", 0);
    ask(s, 1, "{\"do\":\"grab\",\"body\":10,\"local\":[0,0,0],\"target\":[0,0,9.5]}", 1);
    ask(s, 1, "{\"do\":\"drag\",\"target\":[0,0,11.5]}", 1);
    take_steps(s, 100);
    /* At rest the spring carries the weight: w^2 (T - x) = g (1 + h w)^2. */
    const double sag = 9.81 * 1.3 * 1.3 / (15 * 15);
    CHECK_NEAR(height(s, 10), 11.5 - sag, 1e-3);
    CHECK_NEAR(s->hand_force, 9.81 * mo_body_get(s->world, s->shown.ids[10]).mass, 0.1);
    const unsigned there[] = {7, 1};
    stage_keep_pages(s, there, 2);
    take_steps(s, 10);
    CHECK_NEAR(height(s, 10), 11.5 - sag, 1e-3);
    stage_keep_pages(s, there, 1); /* page 1 has gone */
    take_steps(s, 10);
    CHECK(height(s, 10) < 11.4 && s->hand_force == 0);
    ask(s, 1, "{\"do\":\"drag\",\"target\":[0,0,20]}", 1); /* of an empty hand: nothing */
    ask(s, 1, "{\"do\":\"release\"}", 1);
    take_steps(s, 100);
    CHECK_NEAR(height(s, 10), 9.5, 1e-3);
    shut_stage(s);
}

static void balls_are_added_and_the_oldest_is_removed(void **state)
{
    (void)state;
    stage *s = open_stage("stack");
    const int before = mo_world_body_count(s->world);
    const unsigned generation = s->generation;
    ask(s, 1, "{\"do\":\"throw\",\"from\":[0,0,50],\"velocity\":[3,0,0],\"radius\":0.1}", 1);
    CHECK(mo_world_body_count(s->world) == before + 1 && s->generation == generation + 1);
    CHECK(s->shown.body_count == before + 1);
    take_steps(s, 10);
    const mo_body_state ball = mo_body_get(s->world, mo_world_body(s->world, before));
    CHECK_NEAR(ball.velocity[0], 3, 1e-9);
    CHECK_NEAR(ball.velocity[2], -9.81 * 10 * s->step, 1e-9);
    for (int k = 0; k < STAGE_BALLS + 20; ++k)
        ask(s, 1, "{\"do\":\"throw\",\"from\":[0,0,90],\"velocity\":[0,0,0],\"radius\":0.01}", 1);
    CHECK(mo_world_body_count(s->world) == before + STAGE_BALLS);
    ask(s, 1, "{\"do\":\"set\",\"friction\":0.3}", 1);
    take_steps(s, 2);
    ask(s, 1, "{\"do\":\"throw\",\"from\":[0,0,1],\"velocity\":[0,0,0],\"radius\":0}", 0);
    ask(s, 1, "{\"do\":\"throw\",\"from\":[0,0,1e300],\"velocity\":[0,0,0],\"radius\":1}", 0);
    ask(s, 1, "{\"do\":\"reset\"}", 1);
    CHECK(mo_world_body_count(s->world) == before);
    shut_stage(s);
}

static void drives_take_targets(void **state)
{
    (void)state;
    stage *s = open_stage("slider-crank");
    ask(s, 1, "{\"do\":\"joint\",\"index\":0,\"target\":-2}", 1);
    take_steps(s, 400);
    CHECK_NEAR(mo_joint_get(s->world, mo_world_joint(s->world, 0)).speed, -2, 1e-6);
    ask(s, 1, "{\"do\":\"joint\",\"index\":1,\"target\":1}", 0); /* has none */
    ask(s, 1, "{\"do\":\"joint\",\"index\":9,\"target\":1}", 0);
    shut_stage(s);
}

/* A fixed base with four joints about y, one above the other, and an actuator of each kind, named
 * or not. */
static mo_error build_arm(void *user, mo_world **world, mo_message *why)
{
    (void)user;
    mo_world_def def = mo_default_world();
    mo_link_def links[4];
    mo_axis_def joints[4];
    mo_actuator_def actuators[4] = {mo_actuator_position(0, 200, 100),
                                    mo_actuator_position(1, 200, 100), mo_actuator_velocity(2, 5),
                                    mo_actuator_motor(3)};
    memset(def.gravity, 0, sizeof def.gravity);
    for (int k = 0; k < 4; ++k) {
        links[k] = mo_default_link(k - 1);
        links[k].pose = mo_pose_at(0, 0, k ? 0.5 : 0);
        joints[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        memcpy(joints[k].axis, (const double[3]){0, 1, 0}, sizeof joints[k].axis);
    }
    actuators[0].name = "first";
    actuators[0].has_target_range = 1;
    actuators[0].target_lower = -0.5;
    actuators[0].target_upper = 0.75;
    joints[1].name = "second";
    joints[1].has_limits = 1;
    joints[1].lower = -1;
    joints[1].upper = 2;
    actuators[1].gear[0] = -2; /* l = -2 q */
    actuators[3].gain = 2;
    actuators[3].lower = -6;
    actuators[3].upper = 8;
    mo_mechanism_def arm = mo_default_mechanism();
    arm.links = links;
    arm.joints = joints;
    arm.actuators = actuators;
    arm.link_count = arm.joint_count = arm.actuator_count = 4;
    mo_error error = mo_world_create(&def, NULL, world, why);
    const mo_mechanism_id id =
        error ? (mo_mechanism_id){0} : mo_world_add_mechanism(*world, &arm, why);
    mo_shape_def rod = mo_shape_box(0.05, 0.05, 0.2);
    rod.pose = mo_pose_at(0, 0, 0.25);
    for (int k = 0; !error && k < 4; ++k) {
        error = mo_world_add_shape(*world, mo_mechanism_link(*world, id, k), &rod, why).index
                    ? MO_OK
                    : MO_ERR_ARGUMENT;
    }
    return error;
}

static stage *open_arm(void)
{
    stage *s = calloc(1, sizeof *s);
    mo_message why = {{0}};
    const stage_source source = {.build = build_arm, .name = "arm", .title = "an arm"};
    if (stage_open(s, &source, &why) != MO_OK) fail_msg("%s", why.text);
    return s;
}

static void check_range(const frames_actuator *actuator, const char *name, double lower,
                        double upper)
{
    CHECK(strcmp(actuator->name, name) == 0);
    CHECK_NEAR(actuator->lower, lower, 1e-12);
    CHECK_NEAR(actuator->upper, upper, 1e-12);
    CHECK(actuator->target == 0);
}

static void actuators_are_listed_and_take_targets(void **state)
{
    (void)state;
    stage *s = open_arm();
    const mo_mechanism_id arm = mo_world_mechanism(s->world, 0);
    CHECK(s->actuator_count == 4);
    check_range(s->actuators + 0, "first", -0.5, 0.75);
    check_range(s->actuators + 1, "second", -4, 2); /* u = l at rest */
    check_range(s->actuators + 2, "actuator 3", -10, 10);
    check_range(s->actuators + 3, "actuator 4", -3, 4);
    CHECK(s->actuators[1].kind == FRAMES_POSITION && s->actuators[2].kind == FRAMES_VELOCITY &&
          s->actuators[3].kind == FRAMES_EFFORT);
    ask(s, 1, "{\"do\":\"target\",\"index\":0,\"value\":0.25}", 1);
    ask(s, 1, "{\"do\":\"target\",\"index\":1,\"value\":-1}", 1);
    take_steps(s, 600);
    CHECK_NEAR(mo_mechanism_q(s->world, arm)[0], 0.25, 1e-3);
    CHECK_NEAR(mo_mechanism_q(s->world, arm)[1], 0.5, 1e-3);       /* l = -1 */
    ask(s, 1, "{\"do\":\"target\",\"index\":0,\"value\":100}", 1); /* its end */
    CHECK(mo_mechanism_actuator(s->world, arm, 0).target == 0.75);
    ask(s, 1, "{\"do\":\"target\",\"index\":3,\"value\":-100}", 1);
    CHECK(mo_mechanism_actuator(s->world, arm, 3).target == -3);
    ask(s, 1, "{\"do\":\"target\",\"index\":4,\"value\":0}", 0);
    ask(s, 1, "{\"do\":\"target\",\"index\":0.5,\"value\":0}", 0);
    ask(s, 1, "{\"do\":\"target\",\"index\":-1,\"value\":0}", 0);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    stage_put_scene(s, out);
    fclose(out);
    const char *told = strstr(text, "\"actuators\"");
    CHECK(told && strstr(told, "\"first\"") && strstr(told, "0.75"));
    free(text);
    ask(s, 1, "{\"do\":\"reset\"}", 1);
    CHECK(s->actuator_count == 4 && s->actuators[0].target == 0);
    ask(s, 1, "{\"do\":\"scene\",\"name\":\"stack\"}", 1);
    CHECK(s->actuator_count == 0);
    ask(s, 1, "{\"do\":\"target\",\"index\":0,\"value\":0}", 0);
    ask(s, 1, "{\"do\":\"scene\",\"name\":\"arm\"}", 1); /* the file is still in the list */
    CHECK(s->actuator_count == 4);
    shut_stage(s);
}

/* The hand takes the last link of the passive half of the arm along. */
static void a_link_is_dragged(void **state)
{
    (void)state;
    stage *s = open_arm();
    int last = -1;
    for (int k = 0; k < s->shown.body_count; ++k)
        last = s->shown.bodies[k].kind == MO_BODY_LINK ? k : last;
    CHECK(last >= 0);
    char text[200];
    snprintf(text, sizeof text,
             "{\"do\":\"grab\",\"body\":%d,\"local\":[0,0,0.45],\"target\":[0.3,0,1.85]}", last);
    ask(s, 1, text, 1);
    take_steps(s, 300);
    const mo_pose pose = mo_body_get(s->world, s->shown.ids[last]).pose;
    double at[3];
    mo_pose_point(&pose, (const double[3]){0, 0, 0.45}, at);
    CHECK(at[0] > 0.2); /* it was at 0; the servos of the others hold against it */
    CHECK_BELOW(mo_world_kinetic_energy(s->world), 1e-3);
    shut_stage(s);
}

/* A ball that has rolled away starts again after three times the scene's time of 1 s, unless a
 * user acted in the last 5 s. */
static void a_scene_that_left_the_view_starts_again(void **state)
{
    (void)state;
    stage *s = open_stage("slip-to-roll");
    const uint32_t first = s->generation;
    take_steps(s, 298);
    CHECK(s->generation == first && s->steps == 298);
    take_steps(s, 3);
    CHECK(s->generation == first + 1 && s->steps <= 2 && mo_world_time(s->world) < 0.03);
    take_steps(s, 250 - (int)s->steps);
    ask(s, 1, "{\"do\":\"throw\",\"from\":[0,0,5],\"velocity\":[90,0,0],\"radius\":0.1}", 1);
    take_steps(s, 498);
    CHECK(s->steps == 748);
    take_steps(s, 4);
    CHECK(s->steps <= 3);
    shut_stage(s);
}

/* A stack at rest is shown for its usual 10 s if it is to start again, and stays otherwise. */
static void a_scene_at_rest_starts_again_if_requested(void **state)
{
    (void)state;
    stage *s = open_stage("stack");
    ask(s, 1, "{\"do\":\"scene\",\"set\":{\"count\":1}}", 1);
    take_steps(s, 600);
    CHECK(s->steps == 600);
    ask(s, 1, "{\"do\":\"set\",\"restart\":1}", 1);
    CHECK(s->restart && s->state_changed);
    take_steps(s, 248);
    CHECK(s->steps == 848);
    take_steps(s, 4);
    CHECK(s->steps <= 3);
    shut_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_replaced_and_restored),
        cmocka_unit_test(settings_reach_the_world),
        cmocka_unit_test(a_step_that_waits_is_not_counted),
        cmocka_unit_test(a_heap_is_solved_to_the_tolerances_of_its_world),
        cmocka_unit_test(scenes_change_or_stay),
        cmocka_unit_test(hands_lift_and_let_go),
        cmocka_unit_test(balls_are_added_and_the_oldest_is_removed),
        cmocka_unit_test(drives_take_targets),
        cmocka_unit_test(actuators_are_listed_and_take_targets),
        cmocka_unit_test(a_link_is_dragged),
        cmocka_unit_test(a_scene_that_left_the_view_starts_again),
        cmocka_unit_test(a_scene_at_rest_starts_again_if_requested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
