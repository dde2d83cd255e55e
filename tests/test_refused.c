/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A refused call changes nothing: the saved state has the same bytes before and after it, and the
 * world goes on as one that never had the call.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "linalg/vec3.h"

#include "moreau/joint.h"
#include "moreau/mechanism.h"
#include "moreau/moreau.h"

/* A ball that rests on a box, which is a shape of a fixed body, and a second ball on a hinge. */
typedef struct place {
    mo_world *world;
    mo_body_id ball, floor, hung;
    mo_shape_id ball_shape;
    mo_joint_id hinge;
} place;

static place build(void)
{
    place p;
    const mo_world_def def = mo_default_world();
    mo_body_def ball = mo_default_body(MO_BODY_FREE), fixed = mo_default_body(MO_BODY_FIXED);
    const mo_shape_def round = mo_shape_ball(0.5), box = mo_shape_box(5, 5, 0.5);
    CHECK(mo_world_create(&def, NULL, &p.world, NULL) == MO_OK);
    ball.pose = mo_pose_at(0, 0, 1.01);
    p.ball = mo_world_add_body(p.world, &ball, NULL);
    p.ball_shape = mo_world_add_shape(p.world, p.ball, &round, NULL);
    p.floor = mo_world_add_body(p.world, &fixed, NULL);
    mo_world_add_shape(p.world, p.floor, &box, NULL);
    ball.pose = mo_pose_at(3, 0, 3);
    p.hung = mo_world_add_body(p.world, &ball, NULL);
    mo_world_add_shape(p.world, p.hung, &round, NULL);
    mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, p.hung);
    hinge.anchor[0] = 2, hinge.anchor[2] = 3;
    hinge.axis[0] = 0, hinge.axis[1] = 1, hinge.axis[2] = 0;
    p.hinge = mo_world_add_joint(p.world, &hinge, NULL);
    CHECK(p.hinge.index != 0);
    return p;
}

/* ---- calls that are refused; true where they were
 * --------------------------------------------------- */

static int body_of_bad_mass(place *p, mo_message *why)
{
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = -1;
    return mo_world_add_body(p->world, &def, why).index == 0;
}

static int body_of_bad_inertia(place *p, mo_message *why)
{
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = 1;
    def.inertia[0] = def.inertia[1] = 1, def.inertia[2] = -1;
    return mo_world_add_body(p->world, &def, why).index == 0;
}

static int ball_of_no_radius(place *p, mo_message *why)
{
    const mo_shape_def def = mo_shape_ball(0);
    return mo_world_add_shape(p->world, p->ball, &def, why).index == 0;
}

static int ball_with_an_infinite_edge(place *p, mo_message *why)
{
    mo_shape_def def = mo_shape_ball(0.5);
    def.half[1] = INFINITY; /* which a ball has no use for, but a recording would have */
    return mo_world_add_shape(p->world, p->ball, &def, why).index == 0;
}

static int ball_of_no_colour(place *p, mo_message *why)
{
    mo_shape_def def = mo_shape_ball(0.5);
    def.colour[2] = NAN;
    return mo_world_add_shape(p->world, p->ball, &def, why).index == 0;
}

static int plane_on_a_free_body(place *p, mo_message *why)
{
    const mo_shape_def def = mo_shape_plane();
    return mo_world_add_shape(p->world, p->ball, &def, why).index == 0;
}

/* The mass overflows, so the body is weighed, and refused, after the shape has a place. */
static int shape_of_infinite_mass(place *p, mo_message *why)
{
    mo_shape_def def = mo_shape_ball(10);
    def.density = 1e308;
    return mo_world_add_shape(p->world, p->ball, &def, why).index == 0;
}

static int shape_of_a_stale_body(place *p, mo_message *why)
{
    const mo_shape_def def = mo_shape_ball(1);
    return mo_world_add_shape(p->world, (mo_body_id){77, 5}, &def, why).index == 0;
}

static int joint_of_one_body(place *p, mo_message *why)
{
    const mo_joint_def def = mo_default_joint(MO_JOINT_BALL, p->ball, p->ball);
    return mo_world_add_joint(p->world, &def, why).index == 0;
}

static int joint_without_an_axis(place *p, mo_message *why)
{
    mo_joint_def def = mo_default_joint(MO_JOINT_REVOLUTE, p->ball, p->hung);
    def.axis[0] = def.axis[1] = def.axis[2] = 0;
    return mo_world_add_joint(p->world, &def, why).index == 0;
}

static int drive_of_nan(place *p, mo_message *why)
{
    return mo_joint_set_drive(p->world, p->hinge, MO_DRIVE_VELOCITY, NAN, 1, why) != MO_OK;
}

static int pose_of_nan(place *p, mo_message *why)
{
    const double still[3] = {0};
    mo_pose pose = mo_pose_identity();
    pose.position[1] = NAN;
    return mo_body_set(p->world, p->ball, &pose, still, still, why) != MO_OK;
}

static int gravity_of_nan(place *p, mo_message *why)
{
    mo_world_def def = mo_world_definition(p->world);
    def.gravity[2] = NAN;
    return mo_world_change(p->world, &def, why) != MO_OK;
}

static int pair_with_itself(place *p, mo_message *why)
{
    const mo_material material = mo_default_material();
    return mo_world_pair(p->world, p->ball_shape, p->ball_shape, &material, why) != MO_OK;
}

static int step_of_nan(place *p, mo_message *why)
{
    return mo_world_step(p->world, NAN, NULL, why) != MO_OK;
}

static int state_of_noise(place *p, mo_message *why)
{
    return mo_world_load(p->world, "noise", 5, why) != MO_OK;
}

static int mechanism_without_links(place *p, mo_message *why)
{
    const mo_mechanism_def def = mo_default_mechanism();
    return mo_world_add_mechanism(p->world, &def, why).index == 0;
}

typedef struct refusal {
    const char *name;
    int (*call)(place *, mo_message *);
} refusal;

static const refusal REFUSALS[] = {
    {"a body of negative mass", body_of_bad_mass},
    {"a body whose inertia is not positive definite", body_of_bad_inertia},
    {"a ball without a radius", ball_of_no_radius},
    {"a ball with an infinite half edge", ball_with_an_infinite_edge},
    {"a ball whose colour is no number", ball_of_no_colour},
    {"a plane on a free body", plane_on_a_free_body},
    {"a shape of infinite mass", shape_of_infinite_mass},
    {"a shape of a body that is not there", shape_of_a_stale_body},
    {"a joint of a body with itself", joint_of_one_body},
    {"a hinge without an axis", joint_without_an_axis},
    {"a drive of NaN", drive_of_nan},
    {"a pose of NaN", pose_of_nan},
    {"gravity of NaN", gravity_of_nan},
    {"a pair of one shape", pair_with_itself},
    {"a step of NaN", step_of_nan},
    {"a state of noise", state_of_noise},
    {"a mechanism without links", mechanism_without_links},
};
enum { REFUSAL_COUNT = sizeof REFUSALS / sizeof *REFUSALS };

static void *save(const mo_world *world, size_t *size)
{
    *size = mo_world_save(world, NULL, 0);
    void *bytes = malloc(*size);
    CHECK(bytes && mo_world_save(world, bytes, *size) == *size);
    return bytes;
}

static int have_equal_states(const mo_world *one, const mo_world *other)
{
    size_t size_one, size_other;
    void *a = save(one, &size_one), *b = save(other, &size_other);
    const int are_equal = size_one == size_other && memcmp(a, b, size_one) == 0;
    free(a);
    free(b);
    return are_equal;
}

static void refused_calls_leave_the_saved_state_as_it_was(void **state)
{
    (void)state;
    for (int k = 0; k < REFUSAL_COUNT; ++k) {
        place p = build(), same = build();
        mo_message why = {{0}};
        if (!REFUSALS[k].call(&p, &why) || !why.text[0])
            fail_msg("%s: not refused, or without a sentence", REFUSALS[k].name);
        if (!have_equal_states(p.world, same.world))
            fail_msg("%s: the state changed", REFUSALS[k].name);
        mo_world_destroy(p.world);
        mo_world_destroy(same.world);
    }
}

static void worlds_go_on_after_refused_calls_as_if_nothing_had_been_asked(void **state)
{
    (void)state;
    place p = build(), same = build();
    for (int step = 0; step < 60; ++step) {
        REFUSALS[step % REFUSAL_COUNT].call(&p, NULL);
        CHECK(mo_world_step(p.world, 0.01, NULL, NULL) == MO_OK);
        CHECK(mo_world_step(same.world, 0.01, NULL, NULL) == MO_OK);
    }
    CHECK(have_equal_states(p.world, same.world));
    CHECK_NEAR(mo_body_get(p.world, p.ball).pose.position[2], 1, 1e-9);
    mo_world_destroy(p.world);
    mo_world_destroy(same.world);
}

static void a_refused_first_shape_does_not_crash(void **state)
{
    (void)state;
    const mo_world_def def = mo_default_world();
    mo_body_def body = mo_default_body(MO_BODY_FREE);
    const mo_shape_def shape = mo_shape_ball(0.5);
    mo_world *world;
    mo_message why = {{0}};
    body.mass = 1e-300; /* its inertia is zero to rounding */
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    const mo_body_id id = mo_world_add_body(world, &body, &why);
    CHECK(mo_world_add_shape(world, id, &shape, &why).index == 0 && why.text[0]);
    mo_world_destroy(world);
}

/* A shape is refused in the place of a removed one, behind which there is none any more. */
static void a_refused_shape_leaves_the_places_of_removed_ones(void **state)
{
    (void)state;
    mo_world *world;
    mo_body_def light = mo_default_body(MO_BODY_FREE);
    const mo_shape_def round = mo_shape_ball(0.5);
    size_t size, size_after;
    light.mass = 1e-300; /* its inertia is zero to rounding */
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    const mo_body_id first = mo_world_add_solid(world, MO_BODY_FREE, &round, NULL, NULL);
    const mo_body_id other = mo_world_add_solid(world, MO_BODY_FREE, &round, NULL, NULL);
    CHECK(mo_world_remove_body(world, first, NULL) == MO_OK);
    CHECK(mo_world_remove_body(world, other, NULL) == MO_OK);
    const mo_body_id bad = mo_world_add_body(world, &light, NULL);
    void *before = save(world, &size);
    CHECK(bad.index && mo_world_add_shape(world, bad, &round, NULL).index == 0);
    void *after = save(world, &size_after);
    CHECK(size == size_after && memcmp(before, after, size) == 0);
    free(before);
    free(after);
    mo_world_destroy(world);
}

/* Shapes that are only drawn are in no tree: one that is refused or removed takes none of the other
 * shapes out of it. */
static void a_drawn_shape_leaves_the_others(void **state)
{
    (void)state;
    place p = build(), same = build();
    mo_shape_def drawn = mo_shape_ball(0.5);
    drawn.layer = drawn.mask = 0;
    const mo_shape_id id = mo_world_add_shape(p.world, p.ball, &drawn, NULL);
    CHECK(id.index != 0 && mo_world_remove_shape(p.world, id, NULL) == MO_OK);
    drawn.pose.position[0] = NAN;
    CHECK(mo_world_add_shape(p.world, p.ball, &drawn, NULL).index == 0);
    for (int step = 0; step < 60; ++step) {
        CHECK(mo_world_step(p.world, 0.01, NULL, NULL) == MO_OK);
        CHECK(mo_world_step(same.world, 0.01, NULL, NULL) == MO_OK);
    }
    CHECK(have_equal_states(p.world, same.world));
    CHECK_NEAR(mo_body_get(p.world, p.ball).pose.position[2], 1, 1e-9);
    mo_world_destroy(p.world);
    mo_world_destroy(same.world);
}

/* A step is refused for its last check, the speed of a driven body: by then, answers of the solver
 * have changed the effort of the motor and the impulses of the hinge. */
static void a_refused_step_leaves_mechanisms(void **state)
{
    (void)state;
    place p = build();
    mo_link_def link = mo_default_link(-1);
    mo_axis_def axis = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_actuator_def servo = mo_actuator_position(0, 10, 1);
    mo_mechanism_def def = mo_default_mechanism();
    mo_body_def fast = mo_default_body(MO_BODY_DRIVEN);
    mo_message why = {{0}};
    size_t size, size_after;
    link.pose = mo_pose_at(-3, 0, 1);
    link.mass = 1;
    link.centre[0] = 0.5;
    link.inertia[0] = link.inertia[1] = link.inertia[2] = 0.1;
    link.pose.orientation[1] = link.pose.orientation[2] = -0.0; /* zeros of both signs follow */
    axis.axis[0] = axis.axis[1] = axis.axis[2] = -1;
    axis.dry_friction = 0.1;
    axis.has_limits = 1, axis.upper = 1;
    servo.target = 0.5;
    def.links = &link, def.link_count = 1;
    def.joints = &axis, def.joint_count = 1;
    def.actuators = &servo, def.actuator_count = 1;
    CHECK(mo_world_add_mechanism(p.world, &def, &why).index > 0);
    fast.spin[0] = fast.spin[1] = 1e100;
    CHECK(mo_world_add_body(p.world, &fast, &why).index > 0);
    void *before = save(p.world, &size);
    CHECK(mo_world_step(p.world, 0.01, NULL, &why) == MO_ERR_ARGUMENT && why.text[0]);
    void *after = save(p.world, &size_after);
    CHECK(size == size_after && memcmp(before, after, size) == 0);
    free(before);
    free(after);
    mo_world_destroy(p.world);
}

/* Coordinates of at most 1e100 may place a link beyond that, from where no step is taken.  A world
 * at the acceleration level has moved by then; its state can be saved and loaded. */
static void a_refused_step_restores_links_far_away(void **state)
{
    (void)state;
    mo_world_def level = mo_default_world();
    mo_world *world;
    mo_link_def links[2] = {mo_default_link(-1), mo_default_link(0)};
    mo_axis_def axes[2] = {mo_default_axis(MO_AXIS_PRISMATIC, 0),
                           mo_default_axis(MO_AXIS_PRISMATIC, 1)};
    mo_mechanism_def def = mo_default_mechanism();
    const double far[2] = {1e100, 1e100};
    size_t size, size_after;
    level.level = MO_LEVEL_ACCELERATION;
    links[0].mass = links[1].mass = 1;
    links[0].inertia[0] = links[0].inertia[1] = links[0].inertia[2] = 0.1;
    memcpy(links[1].inertia, links[0].inertia, sizeof links[1].inertia);
    def.links = links, def.joints = axes, def.link_count = def.joint_count = 2;
    CHECK(mo_world_create(&level, NULL, &world, NULL) == MO_OK);
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    CHECK(mo_mechanism_set(world, id, far, NULL, NULL) == MO_OK);
    void *before = save(world, &size);
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_ERR_ARGUMENT);
    void *after = save(world, &size_after);
    CHECK(size == size_after && memcmp(before, after, size) == 0);
    CHECK(mo_world_load(world, before, size, NULL) == MO_OK);
    free(before);
    free(after);
    mo_world_destroy(world);
}

/* Its volume is zero to rounding, so that it has no centre of mass. */
static void a_driven_body_of_no_volume_stays_where_it_is(void **state)
{
    (void)state;
    place p = build();
    const mo_shape_def thin = mo_shape_box(5e-324, 1, 1);
    mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
    def.pose = mo_pose_at(0, 9, 2);
    const mo_body_id body = mo_world_add_body(p.world, &def, NULL);
    (void)mo_world_add_shape(p.world, body, &thin, NULL);
    CHECK(mo_world_step(p.world, 0.01, NULL, NULL) == MO_OK);
    CHECK_NEAR(mo_body_get(p.world, body).pose.position[2], 2, 0);
    mo_world_destroy(p.world);
}

/* Quaternions of joints in a state are of length one.  Those of links follow from them. */
static void no_quaternion_of_another_length_comes_in_by_a_state(void **state)
{
    (void)state;
    mo_world *world;
    mo_link_def links[2] = {mo_default_link(-1), mo_default_link(0)};
    mo_axis_def axes[2] = {mo_default_axis(MO_AXIS_FREE, 0), mo_default_axis(MO_AXIS_BALL, 1)};
    mo_mechanism_def def = mo_default_mechanism();
    mo_message why = {{0}};
    size_t size;
    int found = 0, refused = 0;
    for (int k = 0; k < 2; ++k) {
        links[k].mass = 1;
        links[k].inertia[0] = links[k].inertia[1] = links[k].inertia[2] = 0.1;
    }
    def.links = links, def.joints = axes, def.link_count = def.joint_count = 2;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_add_mechanism(world, &def, &why).index > 0);
    char *bytes = save(world, &size);
    for (size_t at = size % 8; at + sizeof(double) <= size; at += sizeof(double)) {
        const double one = 1, zero = 0;
        if (memcmp(bytes + at, &one, sizeof one) == 0) { /* in turn, that of each body and joint */
            memcpy(bytes + at, &zero, sizeof zero);
            why.text[0] = 0;
            const mo_error error = mo_world_load(world, bytes, size, &why);
            CHECK(error == (why.text[0] ? MO_ERR_FORMAT : MO_OK));
            refused += error != MO_OK;
            memcpy(bytes + at, &one, sizeof one);
            CHECK_NEAR(mo_body_get(world, mo_world_body(world, 0)).pose.orientation[0], 1, 0);
            CHECK_NEAR(mo_body_get(world, mo_world_body(world, 1)).pose.orientation[0], 1, 0);
            ++found;
        }
    }
    assert_int_equal(found, 4);
    assert_int_equal(refused, 2);
    free(bytes);
    mo_world_destroy(world);
}

/* Whatever eight bytes become NaN: the state is refused, or the world stays finite. */
static void no_number_that_is_not_finite_comes_in_by_a_state(void **state)
{
    (void)state;
    place p = build();
    size_t size;
    int refused = 0;
    for (int step = 0; step < 20; ++step)
        CHECK(mo_world_step(p.world, 0.01, NULL, NULL) == MO_OK);
    char *bytes = save(p.world, &size), *damaged = malloc(size);
    CHECK(bytes && damaged);
    for (size_t at = 0; at + sizeof(double) <= size; at += sizeof(double)) {
        const double bad = at % 16 ? NAN : INFINITY;
        memcpy(damaged, bytes, size);
        memcpy(damaged + at, &bad, sizeof bad);
        mo_message why = {{0}};
        if (mo_world_load(p.world, damaged, size, &why)) {
            CHECK(why.text[0] != '\0');
            ++refused;
            continue;
        }
        CHECK(mo_world_step(p.world, 0.01, NULL, NULL) == MO_OK);
        CHECK(isfinite(mo_world_time(p.world)) && isfinite(mo_world_kinetic_energy(p.world)));
        for (int k = 0; k < mo_world_body_count(p.world); ++k) {
            const mo_body_state body = mo_body_get(p.world, mo_world_body(p.world, k));
            CHECK(isfinite(mo_vec3_dot(body.pose.position, body.velocity)));
            CHECK(isfinite(mo_vec3_dot(body.spin, body.spin)));
        }
        const mo_joint_state joint = mo_joint_get(p.world, p.hinge);
        CHECK(isfinite(joint.q) && isfinite(joint.speed) && isfinite(joint.target));
        CHECK(isfinite(joint.effort) && isfinite(mo_vec3_dot(joint.force, joint.moment)));
    }
    CHECK(refused > 100);
    free(bytes);
    free(damaged);
    mo_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_calls_leave_the_saved_state_as_it_was),
        cmocka_unit_test(worlds_go_on_after_refused_calls_as_if_nothing_had_been_asked),
        cmocka_unit_test(a_refused_first_shape_does_not_crash),
        cmocka_unit_test(a_refused_shape_leaves_the_places_of_removed_ones),
        cmocka_unit_test(a_drawn_shape_leaves_the_others),
        cmocka_unit_test(a_refused_step_leaves_mechanisms),
        cmocka_unit_test(a_refused_step_restores_links_far_away),
        cmocka_unit_test(a_driven_body_of_no_volume_stays_where_it_is),
        cmocka_unit_test(no_quaternion_of_another_length_comes_in_by_a_state),
        cmocka_unit_test(no_number_that_is_not_finite_comes_in_by_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
