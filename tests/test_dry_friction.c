/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Dry friction of joints that hold, slide and change between the two (mechanism_friction.c),
 * against closed forms and against the same friction in tendons, which is always a row. */
#include "base/random.h"
#include "mechanism_worlds.h"

static const double G = 9.81;

/* A slide along x of 2 kg with 3 N of friction. */
static mo_mechanism_id add_slide(mo_world *world)
{
    mo_link_def link = mo_default_link(-1);
    link.mass = 2;
    mo_vec3_set(link.inertia, 0.1, 0.1, 0.1);
    mo_axis_def joint = mo_default_axis(MO_AXIS_PRISMATIC, 0);
    mo_vec3_set(joint.axis, 1, 0, 0);
    joint.dry_friction = 3;
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &joint;
    def.link_count = def.joint_count = 1;
    return add(world, &def);
}

/* v = v0 - F/m t until it stops, and then not at all. */
static void a_slide_brakes_evenly_and_stays(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_mechanism_id id = add_slide(world);
    const double h = 1e-3, v0 = 0.9, q0 = 0, rate = 3.0 / 2;
    CHECK(mo_mechanism_set(world, id, &q0, &v0, NULL) == MO_OK);
    for (int k = 1; k <= 550; ++k) { /* 0.9 s to go */
        run(world, h, h);
        CHECK_NEAR(mo_mechanism_v(world, id)[0], v0 - rate * k * h, 1e-12);
        CHECK_NEAR(mo_mechanism_joint(world, id, 0).friction_effort[0], -3, 1e-9);
    }
    run(world, h, 0.1);
    const double stopped = mo_mechanism_q(world, id)[0];
    CHECK_NEAR(stopped, v0 * v0 / (2 * rate), 1e-3);
    run(world, h, 1);
    CHECK(mo_mechanism_q(world, id)[0] == stopped && mo_mechanism_v(world, id)[0] == 0);
    CHECK_NEAR(mo_mechanism_joint(world, id, 0).friction_effort[0], 0, 1e-12);
    mo_world_destroy(world);
}

/* A push that grows by 1 N/s is balanced up to 3 N; then m v is the integral of what is more. */
static void a_push_breaks_it_free(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_mechanism_id id = add_slide(world);
    const double h = 2e-3;
    double impulse = 0;
    for (int k = 0; k < 2000; ++k) {
        const double push = k * h;
        CHECK(mo_mechanism_push(world, id, &push, NULL) == MO_OK);
        run(world, h, h);
        impulse += h * fmax(0, push - 3);
        CHECK_NEAR(2 * mo_mechanism_v(world, id)[0], impulse, 1e-9);
        CHECK_NEAR(mo_mechanism_joint(world, id, 0).friction_effort[0], -fmin(push, 3), 1e-6);
    }
    mo_world_destroy(world);
}

/* A box on a held arm, 0.8 m from its hinge: friction carries both weights; a heavier one turns it.
 */
static void friction_of_a_hinge_carries_a_box(void **state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; ++heavy) {
        mo_world *world = new_world(3);
        mo_link_def link = mo_default_link(-1);
        link.pose = mo_pose_at(0, 0, 1);
        link.mass = 1;
        link.centre[0] = 0.5;
        mo_vec3_set(link.inertia, 0.01, 0.09, 0.09);
        mo_axis_def hinge = mo_default_axis(MO_AXIS_REVOLUTE, 0);
        mo_vec3_set(hinge.axis, 0, 1, 0);
        hinge.dry_friction = 12;
        mo_mechanism_def def = mo_default_mechanism();
        def.links = &link;
        def.joints = &hinge;
        def.link_count = def.joint_count = 1;
        const mo_mechanism_id arm = add(world, &def);
        mo_shape_def plank = mo_shape_box(0.5, 0.2, 0.05);
        plank.pose = mo_pose_at(0.5, 0, 0);
        plank.density = 0;
        shape_on(world, arm, 0, plank);
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        body.pose = mo_pose_at(0.8, 0, 1.15);
        body.mass = heavy ? 1.1 : 0.7; /* N m: 10.4 or 13.5, of 12 */
        mo_vec3_set(body.inertia, 0.01, 0.01, 0.01);
        const mo_body_id box = mo_world_add_body(world, &body, NULL);
        const mo_shape_def cube = mo_shape_box(0.1, 0.1, 0.1);
        CHECK(mo_world_add_shape(world, box, &cube, NULL).index);
        run(world, 2e-3, 0.3);
        if (heavy) {
            CHECK(mo_mechanism_q(world, arm)[0] > 0.01);
        } else {
            CHECK(mo_mechanism_q(world, arm)[0] == 0);
            CHECK_NEAR(mo_mechanism_joint(world, arm, 0).friction_effort[0],
                       -G * (0.5 + 0.8 * body.mass), 1e-6);
        }
        mo_world_destroy(world);
    }
}

/* A chain of four hinges over a floor; its friction is in joints, or in a tendon for each joint. */
enum { JOINTS = 4 };
static mo_mechanism_id add_rough_chain(mo_world *world, int in_tendons)
{
    static const double one = 1;
    mo_link_def link[JOINTS];
    mo_axis_def joint[JOINTS];
    mo_tendon_def tendon[JOINTS];
    int index[JOINTS];
    for (int k = 0; k < JOINTS; ++k) {
        const double friction = 1 + k % 3;
        link[k] = mo_default_link(k - 1);
        link[k].pose = mo_pose_at(k ? 0.3 : 0, 0, k ? 0 : 0.5);
        link[k].mass = 0.4;
        link[k].centre[0] = 0.15;
        mo_vec3_set(link[k].inertia, 1e-3, 4e-3, 4e-3);
        joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        mo_vec3_set(joint[k].axis, 0, k != 2, k == 2);
        joint[k].damping = 0.05;
        joint[k].dry_friction = in_tendons ? 0 : friction;
        index[k] = k;
        tendon[k] = mo_default_tendon();
        tendon[k].joints = index + k;
        tendon[k].coefficients = &one;
        tendon[k].count = 1;
        tendon[k].dry_friction = friction;
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.tendons = tendon;
    def.link_count = def.joint_count = JOINTS;
    def.tendon_count = in_tendons ? JOINTS : 0;
    const mo_mechanism_id id = add(world, &def);
    mo_shape_def tip = mo_shape_ball(0.05);
    tip.pose = mo_pose_at(0.3, 0, 0);
    tip.density = 0;
    shape_on(world, id, JOINTS - 1, tip);
    return id;
}

static void push_at_random(mo_world *world, mo_mechanism_id id, mo_random *random, double push[])
{
    for (int k = 0; k < JOINTS; ++k) {
        const int changes = mo_random_unit(random) < 0.05;
        push[k] = changes ? 8 * mo_random_unit(random) - 4 : push[k];
    }
    CHECK(mo_mechanism_push(world, id, push, NULL) == MO_OK);
}

/* Two chains that are pushed alike; the largest difference of their joints in so many steps, and
 * the way of the joints, rad. */
static double difference(int has_floor, int steps, double *way)
{
    mo_world *world[2];
    mo_mechanism_id id[2];
    double most = 0;
    for (int k = 0; k < 2; ++k) {
        world[k] = new_world(3);
        if (has_floor) add_floor(world[k], 0.6);
        id[k] = add_rough_chain(world[k], k);
    }
    mo_random random[2] = {{3}, {3}};
    double push[2][JOINTS] = {{0}};
    *way = 0;
    for (int step = 0; step < steps; ++step) {
        for (int k = 0; k < 2; ++k) {
            push_at_random(world[k], id[k], &random[k], push[k]);
            run(world[k], 2e-3, 2e-3);
        }
        const double *a = mo_mechanism_q(world[0], id[0]), *b = mo_mechanism_q(world[1], id[1]);
        for (int k = 0; k < JOINTS; ++k) {
            most = fmax(most, fabs(a[k] - b[k]));
            *way += 2e-3 * fabs(mo_mechanism_v(world[0], id[0])[k]);
        }
    }
    mo_world_destroy(world[0]);
    mo_world_destroy(world[1]);
    return most;
}

/* With a floor differences of rounding grow at each bounce. */
static void the_form_of_friction_does_not_matter(void **state)
{
    (void)state;
    double way;
    CHECK_BELOW(difference(0, 1000, &way), 1e-12);
    CHECK(way > 6);
    CHECK_BELOW(difference(1, 1000, &way), 1e-10);
    CHECK(way > 6);
}

/* Saved between two steps, a world goes on as it would have. */
static void a_saved_world_continues_with_the_same_bits(void **state)
{
    (void)state;
    mo_world *world = new_world(3), *other = new_world(3);
    add_floor(world, 0.6);
    add_floor(other, 0.6);
    const mo_mechanism_id id = add_rough_chain(world, 0), twin = add_rough_chain(other, 0);
    mo_random random = {3}, again = {3};
    double push[JOINTS] = {0}, same[JOINTS] = {0};
    for (int step = 0; step < 400; ++step) {
        push_at_random(world, id, &random, push);
        run(world, 2e-3, 2e-3);
        if (step == 200) {
            const size_t size = mo_world_save(world, NULL, 0);
            void *bytes = malloc(size);
            CHECK(bytes && mo_world_save(world, bytes, size) == size);
            CHECK(mo_world_load(other, bytes, size, NULL) == MO_OK);
            free(bytes);
            again = random;
            memcpy(same, push, sizeof same);
        } else if (step > 200) {
            push_at_random(other, twin, &again, same);
            run(other, 2e-3, 2e-3);
            CHECK(memcmp(mo_mechanism_q(world, id), mo_mechanism_q(other, twin),
                         JOINTS * sizeof(double)) == 0);
        }
    }
    mo_world_destroy(world);
    mo_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slide_brakes_evenly_and_stays),
        cmocka_unit_test(a_push_breaks_it_free),
        cmocka_unit_test(friction_of_a_hinge_carries_a_box),
        cmocka_unit_test(the_form_of_friction_does_not_matter),
        cmocka_unit_test(a_saved_world_continues_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
