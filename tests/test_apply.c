/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Impulses against momenta, contact forces against weights, stale ids, user data. */
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

static const double G = 9.81;

static mo_world *make_world(mo_world_def def)
{
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    const mo_body_id body = mo_world_add_solid(world, kind, &shape, &pose, NULL);
    CHECK(body.index);
    return body;
}

/* ---- impulses -------------------------------------------------------------------------------- */

static void an_impulse_changes_the_momenta_by_itself(void **state)
{
    (void)state;
    for (int is_planar = 0; is_planar < 2; ++is_planar) {
        mo_world *world = make_world(is_planar ? mo_default_planar_world() : mo_default_world());
        const double axis[3] = {!is_planar, 0.3 * !is_planar, 1}, z = is_planar ? 0 : 0.2;
        const mo_body_id box = add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.2, 0.3),
                                   mo_pose_turned(1, 2, 0, axis, 0.8));
        const double impulse[3] = {3, -2, is_planar ? 0 : 1}, at[3] = {1.1, 2.2, z};
        double p[2][3], l[2][3];
        mo_world_momentum(world, p[0], l[0]);
        CHECK(mo_body_apply_impulse(world, box, impulse, at, NULL) == MO_OK);
        mo_world_momentum(world, p[1], l[1]);
        const double turn[3] = {at[1] * impulse[2] - at[2] * impulse[1],
                                at[2] * impulse[0] - at[0] * impulse[2],
                                at[0] * impulse[1] - at[1] * impulse[0]};
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(p[1][k] - p[0][k], impulse[k], 1e-12);
            CHECK_NEAR(l[1][k] - l[0][k], is_planar && k < 2 ? 0 : turn[k], 1e-10);
        }
        mo_world_destroy(world);
    }
}

/* A free mechanism of two links: its momenta change by the impulse, whatever the joint does. */
static void an_impulse_on_a_link_moves_its_mechanism(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    def.gravity[2] = 0;
    mo_world *world = make_world(def);
    mo_link_def links[2] = {mo_default_link(-1), mo_default_link(0)};
    mo_axis_def joints[2] = {mo_default_axis(MO_AXIS_FREE, 0),
                             mo_default_axis(MO_AXIS_REVOLUTE, 1)};
    for (int k = 0; k < 2; ++k) {
        links[k].mass = 1 + k;
        links[k].inertia[0] = links[k].inertia[1] = links[k].inertia[2] = 0.1;
        links[k].pose = mo_pose_at(0.5 * k, 0, 0);
    }
    mo_mechanism_def of = mo_default_mechanism();
    of.links = links;
    of.joints = joints;
    of.link_count = of.joint_count = 2;
    const mo_mechanism_id mechanism = mo_world_add_mechanism(world, &of, NULL);
    CHECK(mechanism.index);
    const mo_body_id link = mo_mechanism_link(world, mechanism, 1);
    const double impulse[3] = {1, 2, 3}, at[3] = {0.7, 0.1, -0.2};
    double p[3], l[3];
    CHECK(mo_body_apply_impulse(world, link, impulse, at, NULL) == MO_OK);
    mo_world_momentum(world, p, l);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(p[k], impulse[k], 1e-12);
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        CHECK_NEAR(l[k], at[i] * impulse[j] - at[j] * impulse[i], 1e-12);
    }
    /* the joint turned: the two links do not move as one body */
    CHECK(fabs(mo_mechanism_v(world, mechanism)[6]) > 0.1);
    mo_world_destroy(world);
}

static void impulses_leave_fixed_bodies_where_they_are(void **state)
{
    (void)state;
    mo_world *world = make_world(mo_default_world());
    const mo_body_id floor = add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    const mo_body_id empty = mo_world_add_body(world, &def, NULL);
    const double impulse[3] = {1, 0, 0}, at[3] = {0}, bad[3] = {0, INFINITY, 0};
    mo_message why = {{0}};
    CHECK(mo_body_apply_impulse(world, floor, impulse, at, &why) == MO_OK);
    CHECK(mo_body_get(world, floor).velocity[0] == 0);
    CHECK(mo_body_apply_impulse(world, empty, impulse, at, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "no mass"));
    const double beside[3] = {0, 1, 0}, huge[3] = {1e100, 0, 0};
    def.mass = 1e-3;
    const mo_body_id point = mo_world_add_body(world, &def, NULL);
    CHECK(mo_body_apply_impulse(world, point, impulse, beside, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "no inertia"));
    const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(0.01), mo_pose_identity());
    CHECK(mo_body_apply_impulse(world, ball, huge, beside, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_world_kinetic_energy(world) == 0);
    CHECK(mo_body_apply_impulse(world, floor, bad, at, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_body_apply_torque(world, floor, bad, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "finite"));
    mo_world_destroy(world);
}

/* ---- contacts of a body ---------------------------------------------------------------------- */

static void contact_forces_of_a_body_carry_its_weight(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    def.solver.tol = 1e-12;
    mo_world *world = make_world(def);
    const mo_body_id floor = add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    mo_body_id box[3];
    for (int k = 0; k < 3; ++k) {
        box[k] =
            add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1), mo_pose_at(0, 0, 0.1 + 0.2 * k));
    }
    double force[3], moment[3];
    CHECK(mo_body_contact_force(world, box[0], force, moment, NULL) == MO_OK);
    CHECK(force[2] == 0); /* before the first step */
    for (int k = 0; k < 20; ++k)
        CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    const double weight = G * mo_body_get(world, box[0]).mass;
    for (int k = 0; k < 3; ++k) { /* what is below less what is above */
        CHECK(mo_body_contact_force(world, box[k], force, moment, NULL) == MO_OK);
        CHECK_NEAR(force[2], weight, 1e-6);
        CHECK_NEAR(moment[0], 0, 1e-6);
    }
    CHECK(mo_body_contact_force(world, floor, force, moment, NULL) == MO_OK);
    CHECK_NEAR(force[2], -3 * weight, 1e-6);
    mo_contact all[32], some[32];
    CHECK(mo_world_contacts(world, all, 32) == 12 && mo_world_contact_count(world) == 12);
    CHECK(mo_body_contacts(world, box[0], some, 32) == 8);
    CHECK(mo_body_contacts(world, box[2], some, 32) == 4);
    CHECK(mo_body_contacts(world, floor, some, 1) == 4);
    for (int k = 0; k < 12; ++k)
        CHECK(all[k].id == mo_world_contact(world, k).id);
    mo_world_destroy(world);
}

/* ---- ids and user data ----------------------------------------------------------------------- */

static void stale_ids_get_a_sentence_everywhere(void **state)
{
    (void)state;
    mo_world *world = make_world(mo_default_world());
    const mo_body_id body = add(world, MO_BODY_FREE, mo_shape_ball(1), mo_pose_identity());
    const mo_shape_id shape = mo_body_shape_id(world, body, 0);
    CHECK(shape.index && mo_shape_body(world, shape).index == body.index);
    CHECK(mo_body_shape_id(world, body, 1).index == 0);
    mo_joint_def def = mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, body);
    const mo_joint_id joint = mo_world_add_joint(world, &def, NULL);
    CHECK(mo_world_remove_body(world, body, NULL) == MO_OK);
    const double x[3] = {0};
    double force[3], moment[3];
    mo_pose pose;
    mo_message why;
    const mo_material material = mo_default_material();
#define IS_REFUSED(what, call)                                                                     \
    do {                                                                                           \
        why = (mo_message){{0}};                                                                   \
        CHECK((call) == MO_ERR_ARGUMENT);                                                          \
        CHECK(strstr(why.text, "there is no " what " with this id"));                              \
    } while (0)
    IS_REFUSED("body", mo_world_remove_body(world, body, &why));
    IS_REFUSED("body", mo_body_pose(world, body, &pose, &why));
    IS_REFUSED("body", mo_body_apply_force(world, body, x, x, &why));
    IS_REFUSED("body", mo_body_apply_torque(world, body, x, &why));
    IS_REFUSED("body", mo_body_apply_impulse(world, body, x, x, &why));
    IS_REFUSED("body", mo_body_contact_force(world, body, force, moment, &why));
    IS_REFUSED("body", mo_body_set_material(world, body, &material, &why));
    IS_REFUSED("body", mo_body_set_user_data(world, body, NULL, &why));
    IS_REFUSED("shape", mo_shape_set_user_data(world, shape, NULL, &why));
    IS_REFUSED("joint", mo_joint_set_user_data(world, joint, NULL, &why));
    IS_REFUSED("joint", mo_joint_set_drive(world, joint, MO_DRIVE_NONE, 0, 0, &why));
    IS_REFUSED("joint", mo_world_remove_joint(world, joint, &why));
    IS_REFUSED("mechanism", mo_world_remove_mechanism(world, (mo_mechanism_id){1, 1}, &why));
    CHECK(mo_body_contacts(world, body, NULL, 0) == 0);
    CHECK(mo_shape_body(world, shape).index == 0);
    mo_world_destroy(world);
}

static void user_data_is_kept(void **state)
{
    (void)state;
    mo_world *world = make_world(mo_default_world());
    int one, two;
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.user_data = &one;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    mo_shape_def ball = mo_shape_ball(1);
    ball.user_data = &two;
    const mo_shape_id shape = mo_world_add_shape(world, body, &ball, NULL);
    mo_joint_def joint_def = mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, body);
    joint_def.user_data = &one;
    const mo_joint_id joint = mo_world_add_joint(world, &joint_def, NULL);
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    CHECK(mo_body_get(world, body).user_data == &one);
    CHECK(mo_body_shape(world, body, 0).user_data == &two);
    CHECK(mo_joint_get(world, joint).user_data == &one);
    CHECK(mo_body_set_user_data(world, body, &two, NULL) == MO_OK);
    CHECK(mo_shape_set_user_data(world, shape, &one, NULL) == MO_OK);
    CHECK(mo_joint_set_user_data(world, joint, &two, NULL) == MO_OK);
    CHECK(mo_body_get(world, body).user_data == &two);
    CHECK(mo_body_shape(world, body, 0).user_data == &one);
    CHECK(mo_joint_get(world, joint).user_data == &two);
    mo_pose pose;
    CHECK(mo_body_pose(world, body, &pose, NULL) == MO_OK);
    const mo_body_state now = mo_body_get(world, body);
    CHECK(memcmp(&pose, &now.pose, sizeof pose) == 0);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impulse_changes_the_momenta_by_itself),
        cmocka_unit_test(an_impulse_on_a_link_moves_its_mechanism),
        cmocka_unit_test(impulses_leave_fixed_bodies_where_they_are),
        cmocka_unit_test(contact_forces_of_a_body_carry_its_weight),
        cmocka_unit_test(stale_ids_get_a_sentence_everywhere),
        cmocka_unit_test(user_data_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
