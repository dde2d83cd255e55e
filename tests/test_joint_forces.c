/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reactions and efforts at joints at one instant: closed forms of statics and dynamics, and for
 * random trees with contacts, loops, servos and springs the balance of every link by itself (Newton
 * and Euler, from the accelerations) and of every velocity (M a + b = efforts).
 */
#include "forces_tools.h"
#include "random_mechanism.h"

static void check_vector(const double x[3], double a, double b, double c, double tolerance)
{
    CHECK_NEAR(x[0], a, tolerance);
    CHECK_NEAR(x[1], b, tolerance);
    CHECK_NEAR(x[2], c, tolerance);
}

/* ---- joints between bodies ------------------------------------------------------------------- */

/* A rod along x, its end in the origin, its centre at 1/2; about y a positive angle leads down. */
static mo_body_id add_rod(mo_world *world, double spin)
{
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = 1;
    def.inertia[0] = 0.01;
    def.inertia[1] = def.inertia[2] = 0.1;
    def.centre[0] = 0.5;
    def.spin[1] = spin;
    def.velocity[2] = -0.5 * spin;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(body.index);
    return body;
}

static mo_joint_def pin_of(mo_body_id body)
{
    mo_joint_def pin = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, body);
    mo_vec3_set(pin.axis, 0, 1, 0);
    return pin;
}

static void a_swinging_rod_pulls_at_its_pin(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_body_id body = add_rod(world, 2);
    const mo_joint_def pin = pin_of(body);
    CHECK(mo_world_add_joint(world, &pin, NULL).index);
    mo_link_def link = mo_default_link(-1);
    link.mass = 1;
    link.inertia[0] = 0.01;
    link.inertia[1] = link.inertia[2] = 0.1;
    link.centre[0] = 0.5;
    mo_axis_def axis = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_vec3_set(axis.axis, 0, 1, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &axis;
    def.link_count = def.joint_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    const double v = 2, alpha = G * 0.5 / (0.1 + 0.25);
    CHECK(mo_mechanism_set(world, id, NULL, &v, NULL) == MO_OK);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    CHECK(forces.joint_count == 1 && forces.link_count == 1 && forces.axis_count == 1);
    /* m (a - g) with a = (-w^2/2, 0, -alpha/2) */
    check_vector(forces.joints[0].force, -0.5 * 4, 0, G - 0.5 * alpha, 1e-6);
    check_vector(forces.joints[0].moment, 0, 0, 0, 1e-6);
    check_vector(forces.joints[0].point, 0, 0, 0, 1e-12);
    check_vector(forces.links[0].force, -0.5 * 4, 0, G - 0.5 * alpha, 1e-9);
    check_vector(forces.links[0].moment, 0, 0, 0, 1e-9);
    CHECK(forces.joints[0].b.index == body.index && !forces.joints[0].a.index);
    CHECK(!forces.links[0].parent.index && forces.axes[0].effort[0] == 0);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* The moment of the weight, m g / 2, held by each in its turn. */
static void limits_friction_and_motors_of_joints_hold_a_rod(void **state)
{
    (void)state;
    for (int how = 0; how < 4; ++how) {
        mo_world *world = new_world(3);
        mo_joint_def pin = pin_of(add_rod(world, 0));
        pin.has_limits = how < 2;
        pin.lower = how == 0 ? -1 : 0;
        pin.upper = how == 0 ? 0 : 1;
        if (how == 1) /* the other way round: a positive angle leads up, its lower limit holds */
            mo_vec3_set(pin.axis, 0, -1, 0);
        pin.dry_friction = how == 2 ? 100 : 0;
        pin.drive = how == 3 ? MO_DRIVE_VELOCITY : MO_DRIVE_NONE;
        pin.max_effort = 100;
        CHECK(mo_world_add_joint(world, &pin, NULL).index);
        mo_forces forces = solve(world, MO_FRICTION_CONE);
        const mo_joint_force *joint = forces.joints;
        const double moment = 0.5 * G;
        CHECK_NEAR(joint->limit, how == 0 ? -moment : how == 1 ? moment : 0, 1e-7);
        CHECK_NEAR(joint->friction, how == 2 ? -moment : 0, 1e-7);
        CHECK_NEAR(joint->drive, how == 3 ? -moment : 0, 1e-7);
        check_vector(joint->force, 0, 0, G, 1e-7);
        check_vector(joint->moment, 0, -moment, 0, 1e-7);
        CHECK(forces.moving == 0);
        mo_forces_clear(&forces);
        mo_world_destroy(world);
    }
}

/* ---- mechanisms in closed form --------------------------------------------------------------- */

/* A bar of 1 kg and length 1 along x of its link, its joint at the origin, about y. */
static void set_bar(mo_link_def *link, mo_axis_def *joint, int k)
{
    link[k] = mo_default_link(k - 1);
    link[k].mass = 1;
    link[k].centre[0] = 0.5;
    link[k].inertia[0] = 1e-3;
    link[k].inertia[1] = link[k].inertia[2] = 1.0 / 12;
    joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
    mo_vec3_set(joint[k].axis, 0, 1, 0);
}

/*
 * An arch of two bars and three hinges, the last of them a joint of joint.h that closes the loop.
 * Each bar rises by t: the supports carry m g upwards each, and push inwards with m g / (2 tan t);
 * so do the bars at the top.
 */
static void a_three_hinged_arch_thrusts_by_the_book(void **state)
{
    (void)state;
    const double t = 0.6;
    mo_world *world = new_world(3);
    mo_link_def link[2];
    mo_axis_def joint[2];
    set_bar(link, joint, 0);
    set_bar(link, joint, 1);
    link[1].pose = mo_pose_at(1, 0, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = 2;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    const double q[2] = {-t, 2 * t};
    CHECK(mo_mechanism_set(world, id, q, NULL, NULL) == MO_OK);
    mo_joint_def foot =
        mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, mo_mechanism_link(world, id, 1));
    foot.anchor[0] = 2 * cos(t);
    CHECK(mo_world_add_joint(world, &foot, NULL).index);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    const double thrust = G / (2 * tan(t));
    CHECK(forces.moving == 0);
    check_vector(forces.joints[0].force, -thrust, 0, G, 1e-7);
    check_vector(forces.links[0].force, thrust, 0, G, 1e-7);
    check_vector(forces.links[1].force, thrust, 0, 0, 1e-7);
    check_vector(forces.links[1].point, cos(t), 0, sin(t), 1e-12);
    for (int k = 0; k < 2; ++k) {
        check_vector(forces.links[k].moment, 0, 0, 0, 1e-7);
        CHECK_NEAR(forces.axes[k].effort[0], 0, 1e-12);
    }
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* A bar held out level: by a servo, a limit, dry friction, a spring, a push, a coupling, a known
 * acceleration.  It takes m g / 2 about its hinge. */
static void every_source_of_effort_holds_a_bar(void **state)
{
    (void)state;
    enum { SERVO, LIMIT, FRICTION, SPRING, PUSH, COUPLING, KNOWN, COUNT };
    for (int how = 0; how < COUNT; ++how) {
        mo_world *world = new_world(3);
        mo_link_def link[2];
        mo_axis_def joint[2];
        const double hold = -0.5 * G; /* about y: upwards */
        set_bar(link, joint, 0);
        joint[0].has_limits = how == LIMIT;
        joint[0].lower = -1;
        joint[0].dry_friction = how == FRICTION ? 10 : 0;
        joint[0].stiffness = how == SPRING ? 10 : 0;
        joint[0].rest = hold / 10;
        link[1] = mo_default_link(
            -1); /* it turns three times as fast, has no weight to speak of, and is held itself */
        link[1].mass = 1e-6;
        link[1].inertia[0] = link[1].inertia[1] = link[1].inertia[2] = 1e-6;
        joint[1] = mo_default_axis(MO_AXIS_REVOLUTE, 1);
        joint[1].dry_friction = how == COUPLING ? 10 : 0;
        const mo_actuator_def servo = mo_actuator_position(0, 20, 1);
        mo_mechanism_def def = mo_default_mechanism();
        def.links = link;
        def.joints = joint;
        def.link_count = def.joint_count = 2;
        def.actuators = &servo;
        def.actuator_count = how == SERVO;
        const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
        CHECK(id.index);
        if (how == SERVO) {
            CHECK(!mo_mechanism_set_target(world, id, 0, hold / 20, NULL));
        } else if (how == PUSH) {
            CHECK(!mo_mechanism_push(world, id, (const double[2]){hold, 0}, NULL));
        } else if (how == COUPLING) {
            mo_coupling_def gear = mo_default_coupling(1, 0);
            gear.polynomial[1] = 3;
            CHECK(!mo_mechanism_couple(world, id, &gear, NULL));
        }
        const mo_known_acceleration still = {.mechanism = id, .velocity = 0};
        mo_force_options options = mo_default_force_options();
        options.known = &still;
        options.known_count = how == KNOWN;
        mo_forces forces = {0};
        CHECK(!mo_world_forces(world, &options, &forces, NULL) && forces.status == MO_SOLVED);
        const mo_axis_force *axis = forces.axes;
        const double parts[COUNT] = {axis->actuator[0], axis->limit[0],   axis->friction[0],
                                     axis->passive[0],  axis->applied[0], axis->coupling[0],
                                     axis->known[0]};
        for (int k = 0; k < COUNT; ++k)
            CHECK_NEAR(parts[k], k == how ? hold : 0, 1e-7);
        CHECK_NEAR(axis->effort[0], hold, 1e-7);
        CHECK_NEAR(forces.joint_accelerations[0], 0, 1e-6);
        check_vector(forces.links[0].force, 0, 0, G, 1e-6);
        check_vector(forces.links[0].moment, 0, hold, 0, 1e-6);
        if (how == SERVO) {
            CHECK(forces.actuator_count == 1);
            CHECK_NEAR(forces.actuator_efforts[0], hold, 1e-9);
        } else if (how == COUPLING) { /* q_b = 3 q_a: a third of the effort is held over there */
            CHECK_NEAR(forces.axes[1].friction[0], hold / 3, 1e-7);
            CHECK_NEAR(forces.axes[1].coupling[0], -hold / 3, 1e-7);
        }
        mo_forces_clear(&forces);
        mo_world_destroy(world);
    }
}

/* Painleve's rod (test_forces) as a link with a planar joint: nothing holds it but the floor, whose
 * impulse is the change of its momentum. */
static void an_impulse_passes_no_free_joint(void **state)
{
    (void)state;
    const double L = 1, radius = 0.01, angle = 1.2;
    mo_world *world = new_world(2);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 2.5);
    mo_link_def link = mo_default_link(-1);
    link.mass = 1;
    link.inertia[2] = L * L / 3;
    const mo_axis_def joint = mo_default_axis(MO_AXIS_PLANAR, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &joint;
    def.link_count = def.joint_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    CHECK(id.index);
    const double a[3] = {-L, 0, 0}, b[3] = {L, 0, 0};
    mo_shape_def shape = mo_shape_capsule(a, b, radius);
    shape.material.friction = 2.5;
    CHECK(mo_world_add_shape(world, mo_mechanism_link(world, id, 0), &shape, NULL).index);
    const double q[3] = {0, L * sin(angle) + radius, angle}, v[3] = {-4, 0, 0};
    CHECK(!mo_mechanism_set(world, id, q, v, NULL));
    mo_forces forces = {0};
    CHECK(!mo_world_forces(world, NULL, &forces, NULL) && forces.status == MO_SOLVED);
    CHECK(forces.is_impulsive && forces.contact_count == 1 && forces.contacts[0].force[1] > 0.1);
    CHECK_NEAR(forces.joint_accelerations[0], forces.contacts[0].force[0], 1e-6);
    check_vector(forces.links[0].force, 0, 0, 0, 1e-6);
    check_vector(forces.links[0].moment, 0, 0, 0, 1e-6);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* ---- random trees ---------------------------------------------------------------------------- */

/* Force and moment about `centre` that act on a body, of one that acts at `at`. */
static void add_wrench(const double at[3], double sign, const double force[3],
                       const double moment[3], const double centre[3], double sum[6])
{
    double arm[3], turn[3];
    mo_vec3_minus(at, centre, arm);
    mo_vec3_cross(arm, force, turn);
    mo_vec3_along(sum, sign, force, sum);
    mo_vec3_along(sum + 3, sign, turn, sum + 3);
    mo_vec3_along(sum + 3, sign, moment, sum + 3);
}

/* What a thruster does to a link, and what bears its weight. */
static void add_mechanism(const random_mechanism *made, int link, const mo_body_state *body,
                          double sum[6])
{
    static const double none[3] = {0}, up[3] = {0, 0, 1};
    const mo_actuator_def *thruster = made->def.actuators + made->def.actuator_count - 1;
    add_wrench(body->centre, made->link[link].gravity_compensation * body->mass * G, up, none,
               body->centre, sum);
    if (thruster->link == link) {
        double at[3], force[3], moment[3], R[9];
        mo_pose_point(&body->pose, thruster->place.position, at);
        mo_quat_matrix(body->pose.orientation, R);
        mo_mat3_apply(R, thruster->gear, force);
        mo_mat3_apply(R, thruster->gear + 3, moment);
        add_wrench(at, thruster->target, force, moment, body->centre, sum);
    }
}

/* What contacts and joints of bodies do to a body, about its centre. */
static void add_outside(const mo_forces *forces, mo_body_id id, const double centre[3],
                        double sum[6])
{
    for (int k = 0; k < forces->contact_count; ++k) {
        const mo_contact_force *c = forces->contacts + k;
        const double sign = (c->b.index == id.index) - (c->a.index == id.index);
        add_wrench(c->point, sign, c->force, c->moment, centre, sum);
    }
    for (int k = 0; k < forces->joint_count; ++k) {
        const mo_joint_force *c = forces->joints + k;
        const double sign = (c->b.index == id.index) - (c->a.index == id.index);
        add_wrench(c->point, sign, c->force, c->moment, centre, sum);
    }
}

/* m a and I alpha + w x I w, of what acts on each link. */
static double worst_balance(const mo_world *world, const mo_forces *forces,
                            const random_mechanism *made)
{
    double worst = 0;
    for (int k = 0; k < forces->link_count; ++k) {
        const mo_body_id own = forces->links[k].link;
        const mo_body_state body = mo_body_get(world, own);
        const double *i = body.inertia;
        const double full[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
        double sum[6] = {0}, R[9], I[9], spin[3], turn[3], needed[3];
        add_outside(forces, own, body.centre, sum);
        add_mechanism(made, k, &body, sum);
        for (int l = 0; l < forces->link_count; ++l) {
            const mo_link_force *held = forces->links + l;
            const double sign = (held->link.index == own.index) - (held->parent.index == own.index);
            add_wrench(held->point, sign, held->force, held->moment, body.centre, sum);
        }
        sum[2] -= body.mass * G;
        const double *a = forces->accelerations[0];
        for (int l = 0; l < forces->body_count; ++l)
            a = mo_world_body(world, l).index == own.index ? forces->accelerations[l] : a;
        mo_quat_matrix(body.pose.orientation, R);
        mo_mat3_turn(R, full, I);
        mo_mat3_apply(I, body.spin, spin);
        mo_vec3_cross(body.spin, spin, turn);
        mo_mat3_apply(I, a + 3, needed);
        for (int l = 0; l < 3; ++l) {
            worst = fmax(worst, fabs(sum[l] - body.mass * a[l]));
            worst = fmax(worst, fabs(sum[3 + l] - needed[l] - turn[l]));
        }
    }
    return worst;
}

/* M a + b = efforts + what acts from outside; and the part of what holds a link along the axes of
 * its joints is their effort. */
static void check_efforts(const mo_world *world, const mo_forces *forces, mo_mechanism_id id,
                          const random_mechanism *made)
{
    const int n = mo_mechanism_get(world, id).v_count;
    double needed[MOST_DOFS], J[6 * MOST_DOFS];
    CHECK(!mo_mechanism_inverse(world, id, forces->joint_accelerations, needed, NULL));
    for (int k = 0; k < forces->link_count; ++k) {
        const mo_body_state body = mo_body_get(world, forces->links[k].link);
        double sum[6] = {0};
        add_outside(forces, forces->links[k].link, body.centre, sum);
        add_mechanism(made, k, &body, sum);
        CHECK(!mo_mechanism_jacobian(world, id, k, body.centre, J, NULL));
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < 6; ++i)
                needed[j] -= J[i * n + j] * sum[i];
    }
    for (int k = 0; k < forces->axis_count; ++k) {
        const mo_axis_state joint = mo_mechanism_joint(world, id, k);
        const mo_link_force *held = forces->links + joint.link;
        for (int i = 0; i < joint.v_count; ++i)
            CHECK_NEAR(forces->axes[k].effort[i], needed[joint.v_at + i], 1e-6);
        if (joint.kind == MO_AXIS_REVOLUTE || joint.kind == MO_AXIS_PRISMATIC) {
            double at[6] = {0};
            add_wrench(held->point, 1, held->force, held->moment, joint.anchor, at);
            const double along =
                mo_vec3_dot(joint.axis, at + (joint.kind == MO_AXIS_REVOLUTE ? 3 : 0));
            const double rotor = made->joint[k].armature * forces->joint_accelerations[joint.v_at];
            CHECK_NEAR(along + rotor, forces->axes[k].effort[0], 1e-6);
        }
    }
}

typedef struct equipment {
    int joints[MOST_LINKS];
    double coefficients[MOST_LINKS];
    mo_tendon_def tendon;
} equipment;

/* Springs, damping, dry friction and motors on some of its joints; gravity compensation, a
 * thruster, and a tendon over all single joints. */
static void equip(mo_random *random, random_mechanism *made, mo_actuator_def *actuators,
                  equipment *more)
{
    int count = 0;
    *more = (equipment){.tendon = mo_default_tendon()};
    for (int k = 0; k < made->def.joint_count; ++k) {
        mo_axis_def *joint = made->joint + k;
        const int is_single = joint->kind == MO_AXIS_REVOLUTE || joint->kind == MO_AXIS_PRISMATIC;
        joint->damping = uniform(random, 0, 1);
        joint->stiffness = is_single ? uniform(random, 0, 5) : 0;
        joint->dry_friction = k % 3 == 0 && joint->kind != MO_AXIS_FREE ? 0.3 : 0;
        if (is_single) {
            more->joints[more->tendon.count] = k;
            more->coefficients[more->tendon.count++] = uniform(random, -1, 1);
        }
        if (is_single && k % 2) {
            actuators[count] = mo_actuator_position(k, 10, 1);
            actuators[count++].target = uniform(random, -1, 1);
        }
    }
    made->link[made->def.link_count - 1].gravity_compensation = 0.7;
    actuators[count] = mo_actuator_motor(0);
    actuators[count].on = MO_ON_LINK;
    actuators[count].link = made->def.link_count / 2;
    actuators[count].place = mo_pose_at(0.1, 0.2, 0.3);
    fill_uniform(random, -1, 1, 6, actuators[count].gear);
    actuators[count++].target = 2;
    made->def.actuators = actuators;
    made->def.actuator_count = count;
    more->tendon.joints = more->joints;
    more->tendon.coefficients = more->coefficients;
    more->tendon.stiffness = 3;
    more->tendon.damping = 0.5;
    more->tendon.dry_friction = 0.1;
    made->def.tendons = &more->tendon;
    made->def.tendon_count = more->tendon.count > 0;
}

/* A ball on a link that just touches a floor, at rest, and a link tied to the world. */
static void reactions_balance_every_link_of_random_trees(void **state)
{
    (void)state;
    mo_random random = {808};
    for (int round = 0; round < 30; ++round) {
        const int touches = round % 3 == 1, is_tied = round % 3 == 2;
        mo_actuator_def actuators[MOST_LINKS];
        random_mechanism made;
        make_random_mechanism(&random, 2 + round % 9, &made);
        equipment more;
        equip(&random, &made, actuators, &more);
        mo_world *world = new_world(3);
        const mo_mechanism_id id = mo_world_add_mechanism(world, &made.def, NULL);
        CHECK(id.index);
        const int n = mo_mechanism_get(world, id).v_count, links = made.def.link_count;
        double v[MOST_DOFS] = {0};
        if (!touches) fill_uniform(&random, -1, 1, n, v);
        CHECK(!mo_mechanism_set(world, id, NULL, v, NULL));
        const mo_body_id tip = mo_mechanism_link(world, id, links - 1);
        if (touches) {
            const mo_shape_def ball = mo_shape_ball(0.1);
            CHECK(mo_world_add_shape(world, tip, &ball, NULL).index);
            const double z = mo_body_get(world, tip).pose.position[2] - 0.1;
            add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_at(0, 0, z), 0.5);
        }
        if (is_tied) {
            mo_joint_def rope = mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, tip);
            mo_vec3_copy(mo_body_get(world, tip).pose.position, rope.anchor);
            CHECK(mo_world_add_joint(world, &rope, NULL).index);
        }
        mo_forces forces = solve(world, MO_FRICTION_CONE);
        CHECK(forces.link_count == links && forces.axis_count == made.def.joint_count);
        CHECK(forces.contact_count == touches && forces.joint_count == is_tied);
        CHECK_BELOW(worst_balance(world, &forces, &made), 1e-6);
        check_efforts(world, &forces, id, &made);
        mo_forces_clear(&forces);
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_swinging_rod_pulls_at_its_pin),
        cmocka_unit_test(limits_friction_and_motors_of_joints_hold_a_rod),
        cmocka_unit_test(a_three_hinged_arch_thrusts_by_the_book),
        cmocka_unit_test(every_source_of_effort_holds_a_bar),
        cmocka_unit_test(an_impulse_passes_no_free_joint),
        cmocka_unit_test(reactions_balance_every_link_of_random_trees),
    };
    return cmocka_run_group_tests_name("joint forces", tests, NULL, NULL);
}
