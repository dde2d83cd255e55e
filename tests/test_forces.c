/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Forces at one instant: closed forms, transitions, the limit of time stepping; the world and its
 * memory. */
#include "forces_tools.h"

static void a_block_rests_slips_slides_and_leaves(void **state)
{
    (void)state;
    const double mu = 0.4, mass = 1000 * 0.4 * 0.3 * 0.2;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.2, 0.15, 0.1), mo_pose_at(0, 0, 0.1), mu);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_ROLLS);
    CHECK_NEAR(total_force(&forces, 2), mass * G, 1e-7 * mass);
    CHECK_BELOW(fabs(forces.accelerations[1][2]), 1e-8);
    mo_forces_clear(&forces);

    /* a push at the height of the floor, so that it does not tip: half beyond what friction holds
     */
    const double push[3] = {1.5 * mu * mass * G, 0, 0}, at[3] = {0, 0, 0};
    mo_body_apply_force(world, block, push, at, NULL);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_SLIPS);
    CHECK_NEAR(forces.accelerations[1][0], 0.5 * mu * G, 1e-6);
    mo_forces_clear(&forces);
    CHECK(mo_world_step(world, 1e-9, NULL, NULL) == MO_OK); /* spends the push */

    set(world, block, 0.6, 0.8, 0, 0, 0, 0);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_SLIDES);
    CHECK(forces.sliding == 4 && forces.rolling == 0);
    CHECK_NEAR(forces.accelerations[1][0], -0.6 * mu * G, 1e-6);
    CHECK_NEAR(forces.accelerations[1][1], -0.8 * mu * G, 1e-6);
    mo_forces_clear(&forces);

    set(world, block, 0, 0, -1, 0, 0, 0);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_IMPACT);
    CHECK_NEAR(forces.accelerations[1][2], -G, 1e-9);
    mo_forces_clear(&forces);
    const double lift[3] = {0, 0, 2 * mass * G};
    set(world, block, 0, 0, 0, 0, 0, 0);
    mo_body_apply_force(world, block, lift, at, NULL);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_BREAKS);
    CHECK_NEAR(forces.accelerations[1][2], G, 1e-9);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

static void the_pyramid_holds_more_along_its_diagonal(void **state)
{
    (void)state;
    const double mu = 0.5, mass = 1000 * 8 * 0.001;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1), mo_pose_at(0, 0, 0.1), mu);
    const double force = 1.2 * mu * mass * G / sqrt(2), at[3] = {0, 0, 0};
    const double push[3] = {force, force, 0};
    mo_body_apply_force(world, block, push, at, NULL);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_SLIPS);
    mo_forces_clear(&forces);
    forces = solve(world, MO_FRICTION_PYRAMID);
    check_transitions(&forces, MO_TRANSITION_ROLLS);
    CHECK_BELOW(fabs(forces.accelerations[1][0]), 1e-7);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* Normal force of a ball that rolls over the top of another one: m g - m v^2 / (R + r), from the
 * curvature of both. */
static void a_ball_on_a_ball_feels_the_curvature_of_its_path(void **state)
{
    (void)state;
    const double R = 0.5, r = 0.1, v = 0.9, mass = 1000 * 4.0 / 3 * acos(-1.0) * r * r * r;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_ball(R), mo_pose_identity(), 0.8);
    const mo_body_id ball =
        add(world, MO_BODY_FREE, mo_shape_ball(r), mo_pose_at(0, 0, R + r), 0.8);
    set(world, ball, v, 0, 0, 0, v / r, 0);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_ROLLS);
    CHECK_NEAR(total_force(&forces, 2), mass * (G - v * v / (R + r)), 1e-5 * mass);
    CHECK_NEAR(forces.accelerations[1][2], -v * v / (R + r), 1e-6);
    mo_forces_clear(&forces);
    /* faster than sqrt(g (R + r)) it flies */
    set(world, ball, 3, 0, 0, 0, 3 / r, 0);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_BREAKS);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* A rod with one end on a smooth floor, turning: N (1 + 3 cos^2) = m (g - L w^2 sin). */
static void a_turning_rod_presses_by_the_book(void **state)
{
    (void)state;
    const double L = 1, radius = 0.01, angle = 0.7, spin = 1.3;
    mo_world *world = new_world(2);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 0);
    const double a[3] = {-L, 0, 0}, b[3] = {L, 0, 0};
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = 2;
    def.inertia[2] = 2 * L * L / 3;
    def.pose = mo_pose_planar(0, L * sin(angle) + radius, angle);
    def.velocity[1] = L * cos(angle) * spin;
    def.spin[2] = spin;
    const mo_body_id rod = mo_world_add_body(world, &def, NULL);
    mo_shape_def shape = mo_shape_capsule(a, b, radius);
    shape.material.friction = 0;
    CHECK(mo_world_add_shape(world, rod, &shape, NULL).index);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    CHECK(forces.contact_count == 1 && forces.sliding == 1);
    const double c = cos(angle),
                 expected = 2 * (G - L * spin * spin * sin(angle)) / (1 + 3 * c * c);
    CHECK_NEAR(total_force(&forces, 1), expected, 1e-6 * expected);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* At rest on a slope a ball rolls with 5/7 g sin while tan <= 7/2 mu, else it slips; already
 * sliding, it has the friction of its direction. */
static void a_ball_on_a_slope_rolls_slips_and_slides(void **state)
{
    (void)state;
    const double mu = 0.2, r = 0.1, steep[3] = {0.3, 0.8, 0.3}, speed[3] = {0, 0, 0.5};
    for (int round = 0; round < 3; ++round) {
        const double s = sin(steep[round]), c = cos(steep[round]);
        mo_world_def def = mo_default_world();
        mo_vec3_set(def.gravity, G * s, 0, -G * c);
        mo_world *world;
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
        const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(r), mo_pose_at(0, 0, r), mu);
        set(world, ball, -speed[round], 0, 0, 0, 0, 0); /* uphill */
        mo_forces forces = solve(world, MO_FRICTION_CONE);
        const mo_transition becomes[3] = {MO_TRANSITION_ROLLS, MO_TRANSITION_SLIPS,
                                          MO_TRANSITION_SLIDES};
        const double along[3] = {5.0 / 7 * G * s, G * (s - mu * c), G * (s + mu * c)};
        const double turn[3] = {along[0] / r, 2.5 * mu * G * c / r, -2.5 * mu * G * c / r};
        check_transitions(&forces, becomes[round]);
        CHECK_NEAR(forces.accelerations[1][0], along[round], 1e-6);
        CHECK_NEAR(forces.accelerations[1][4], turn[round], 1e-5);
        mo_forces_clear(&forces);
        mo_world_destroy(world);
    }
}

/* ---- the limit of time stepping -------------------------------------------------------------- */

static double distance_to_step(double h)
{
    mo_mechanism_id arm;
    mo_world *world = make_mixture(&arm);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    CHECK(forces.sliding == 5 && forces.impacts == 0);
    double before[3][6], worst = 0, v[3];
    memcpy(v, mo_mechanism_v(world, arm), sizeof v);
    for (int k = 1; k <= 2; ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        mo_vec3_copy(body.velocity, before[k]);
        mo_vec3_copy(body.spin, before[k] + 3);
    }
    mo_step_report report;
    CHECK(mo_world_step(world, h, &report, NULL) == MO_OK && report.status == MO_SOLVED);
    for (int k = 1; k <= 2; ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst,
                         fabs((body.velocity[i] - before[k][i]) / h - forces.accelerations[k][i]));
            worst = fmax(worst, fabs((body.spin[i] - before[k][3 + i]) / h -
                                     forces.accelerations[k][3 + i]));
        }
    }
    for (int i = 0; i < 3; ++i) {
        worst = fmax(worst, fabs((mo_mechanism_v(world, arm)[i] - v[i]) / h -
                                 forces.joint_accelerations[i]));
    }
    mo_forces_clear(&forces);
    mo_world_destroy(world);
    return worst;
}

static void time_stepping_tends_to_it_at_first_order(void **state)
{
    (void)state;
    const double coarse = distance_to_step(1e-3), fine = distance_to_step(5e-4),
                 finest = distance_to_step(2.5e-4);
    CHECK_BELOW(coarse, 0.5);
    CHECK_BELOW(fine, 0.55 * coarse);
    CHECK_BELOW(finest, 0.55 * fine);
}

/* ---- no force -------------------------------------------------------------------------------- */

static const double ROD = 1, RADIUS = 0.01, LEANS = 1.2, MU = 2.5, MASS = 1;

/* Painleve's rod: its lower end slides towards it, and pressing makes it dig in. */
static mo_body_id add_painleve_rod(mo_world *world)
{
    const double a[3] = {-ROD, 0, 0}, b[3] = {ROD, 0, 0};
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), MU);
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = MASS;
    def.inertia[2] = MASS * ROD * ROD / 3;
    def.pose = mo_pose_planar(0, ROD * sin(LEANS) + RADIUS, LEANS);
    def.velocity[0] = -4;
    const mo_body_id rod = mo_world_add_body(world, &def, NULL);
    mo_shape_def shape = mo_shape_capsule(a, b, RADIUS);
    shape.material.friction = MU;
    CHECK(mo_world_add_shape(world, rod, &shape, NULL).index);
    return rod;
}

static void where_no_force_exists_there_is_an_impulse(void **state)
{
    (void)state;
    mo_world *world = new_world(2);
    const mo_body_id rod = add_painleve_rod(world);
    const double I = MASS * ROD * ROD / 3;
    const double arm = ROD * cos(LEANS), height = ROD * sin(LEANS) + RADIUS;
    mo_force_options options = mo_default_force_options();
    mo_forces forces = {0};
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_OK);
    /* A~ = 1/m + (arm^2 - mu arm height)/I is negative, and so is b = -g: no c_n >= 0 with a_n = A~
     * c_n + b >= 0, perpendicular */
    CHECK(1 / MASS + (arm * arm - MU * arm * height) / I < 0);
    CHECK(forces.is_impulsive && forces.status == MO_SOLVED);
    CHECK(forces.contact_count == 1);
    const mo_contact_force *contact = forces.contacts;
    CHECK(contact->force[1] > 0 && contact->force[0] > 0);
    CHECK_BELOW(contact->force[0], MU * contact->force[1] * (1 + 1e-9));
    /* after it the end neither penetrates nor slides on */
    CHECK_BELOW(-contact->acceleration[1], 1e-6);
    CHECK_BELOW(fabs(contact->acceleration[0]), 1e-6);
    CHECK_NEAR(forces.accelerations[1][0], contact->force[0] / MASS, 1e-6);
    /* so that W p = (4, 0) along x and y, with W = 1/m + (lever)' (lever) / I and the lever
     * (height, -arm) */
    const double xx = 1 / MASS + height * height / I, xy = -arm * height / I,
                 yy = 1 / MASS + arm * arm / I, det = xx * yy - xy * xy;
    CHECK_NEAR(contact->force[0], 4 * yy / det, 1e-5);
    CHECK_NEAR(contact->force[1], -4 * xy / det, 1e-5);
    mo_forces_clear(&forces);
    /* the other way round it slides on: pressing turns it out of the floor */
    set(world, rod, 4, 0, 0, 0, 0, 0);
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_OK && forces.status == MO_SOLVED);
    CHECK(!forces.is_impulsive && forces.contacts[0].transition == MO_TRANSITION_SLIDES);
    const double normal = G / (1 / MASS + (arm * arm + MU * arm * height) / I);
    CHECK_NEAR(forces.contacts[0].force[1], normal, 1e-6 * normal);
    CHECK_NEAR(forces.contacts[0].force[0], -MU * normal, 1e-6 * normal);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* ---- joints, mechanisms, the world ----------------------------------------------------------- */

static void a_pendulum_of_joints_and_one_of_links_agree(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = 1;
    def.inertia[0] = 0.01;
    def.inertia[1] = def.inertia[2] = 0.1;
    def.centre[0] = 0.5;
    def.spin[1] = 2;
    def.velocity[2] = -1;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    mo_joint_def pin = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, body);
    mo_vec3_set(pin.axis, 0, 1, 0);
    CHECK(mo_world_add_joint(world, &pin, NULL).index);
    mo_link_def link = mo_default_link(-1);
    link.mass = 1;
    memcpy(link.inertia, def.inertia, sizeof link.inertia);
    link.centre[0] = 0.5;
    mo_axis_def axis = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_vec3_set(axis.axis, 0, 1, 0);
    mo_mechanism_def mechanism = mo_default_mechanism();
    mechanism.links = &link;
    mechanism.joints = &axis;
    mechanism.link_count = mechanism.joint_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &mechanism, NULL);
    const double v = 2;
    CHECK(mo_mechanism_set(world, id, NULL, &v, NULL) == MO_OK);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    const double expected = G * 0.5 / (0.1 + 0.25); /* about y, downwards */
    CHECK_NEAR(forces.joint_accelerations[0], expected, 1e-9);
    for (int i = 0; i < 6; ++i)
        CHECK_NEAR(forces.accelerations[0][i], forces.accelerations[1][i], 1e-6);
    CHECK_NEAR(forces.accelerations[1][0], -0.5 * 4, 1e-9); /* centripetal */
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* The impulse is found by a step of no length, which computes the angle of the hinge anew. */
static void an_impulse_leaves_the_angles_of_joints(void **state)
{
    (void)state;
    mo_world *world = new_world(2);
    add_painleve_rod(world);
    const mo_body_id wheel =
        add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_planar(5, 5, 0), 0.5);
    mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, wheel);
    hinge.anchor[0] = hinge.anchor[1] = 5;
    const mo_joint_id joint = mo_world_add_joint(world, &hinge, NULL);
    const mo_pose turned = mo_pose_planar(5, 5, 0.3);
    CHECK(mo_body_set(world, wheel, &turned, (double[3]){0}, (double[3]){0}, NULL) == MO_OK);
    const size_t size = mo_world_save(world, NULL, 0);
    char *before = malloc(size), *after = malloc(size);
    mo_world_save(world, before, size);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    CHECK(forces.is_impulsive);
    mo_world_save(world, after, size);
    CHECK(memcmp(before, after, size) == 0);
    CHECK_NEAR(mo_joint_get(world, joint).q, 0.3, 1e-12);
    free(before);
    free(after);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

static void accelerations_out_of_range_are_refused(void **state)
{
    (void)state;
    mo_mechanism_id arm;
    mo_world *world = make_mixture(&arm);
    mo_forces forces = {0};
    mo_message why = {{0}};
    const double fast[8] = {1e90, 1e90};
    CHECK(mo_mechanism_get(world, arm).v_count <= 8);
    CHECK(mo_mechanism_set(world, arm, NULL, fast, NULL) == MO_OK);
    CHECK(mo_world_forces(world, NULL, &forces, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "accelerations") && !forces.accelerations);
    mo_world_destroy(world);
}

static void the_world_stays_as_it_is(void **state)
{
    (void)state;
    mo_mechanism_id arm;
    mo_world *world = make_mixture(&arm);
    CHECK(mo_world_step(world, 1e-3, NULL, NULL) == MO_OK);
    const size_t size = mo_world_save(world, NULL, 0);
    char *before = malloc(size), *after = malloc(size);
    mo_world_save(world, before, size);
    mo_force_options options = mo_default_force_options();
    options.gap = 1e-3;
    options.speed = 1e-2;
    mo_forces forces = {0};
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_OK);
    CHECK(mo_world_save(world, after, size) == size);
    CHECK(memcmp(before, after, size) == 0);
    options.speed = -1;
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_ERR_ARGUMENT);
    free(before);
    free(after);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct scarcity {
    int left, failed;
} scarcity;

static void *scarce_reallocate(void *user, void *p, size_t size)
{
    scarcity *s = user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    if (s->left-- <= 0) {
        s->failed = 1;
        return NULL;
    }
    return realloc(p, size);
}

/* A mechanism comes, a step is taken, forces are asked for, a step is taken by them: whichever
 * request fails, nothing breaks and nothing leaks. */
static mo_error use_memory(const mo_allocator *allocator)
{
    const mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    mo_error error = mo_world_create(&def, allocator, &world, NULL);
    if (error) return error;
    mo_link_def link[2] = {mo_default_link(-1), mo_default_link(0)};
    mo_axis_def joint[2] = {mo_default_axis(MO_AXIS_FREE, 0), mo_default_axis(MO_AXIS_REVOLUTE, 1)};
    const mo_actuator_def servo = mo_actuator_position(1, 10, 1);
    joint[1].dry_friction = 0.1;
    link[0].pose = mo_pose_at(0, 0, 0.1);
    link[1].pose = mo_pose_at(0.3, 0, 0);
    mo_mechanism_def mechanism = mo_default_mechanism();
    mechanism.links = link;
    mechanism.joints = joint;
    mechanism.actuators = &servo;
    mechanism.link_count = mechanism.joint_count = 2;
    mechanism.actuator_count = 1;
    mo_message why = {{0}};
    const mo_mechanism_id id = mo_world_add_mechanism(world, &mechanism, &why);
    const mo_body_def fixed = mo_default_body(MO_BODY_FIXED);
    const mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    int is_built = id.index != 0;
    for (int k = 0; k < 2 && is_built; ++k) {
        is_built =
            mo_world_add_shape(world, mo_mechanism_link(world, id, k), &ball, NULL).index != 0;
    }
    const mo_body_id floor = is_built ? mo_world_add_body(world, &fixed, NULL) : (mo_body_id){0};
    is_built = floor.index && mo_world_add_shape(world, floor, &plane, NULL).index;
    error = is_built ? mo_world_step(world, 1e-3, NULL, NULL) : MO_ERR_MEMORY;
    mo_forces forces = {0};
    mo_force_options options = mo_default_force_options();
    options.speed = 1e-2;
    error = error ? error : mo_world_forces(world, &options, &forces, NULL);
    mo_forces_clear(&forces);
    mo_world_def changed = mo_world_definition(world);
    changed.level = MO_LEVEL_ACCELERATION;
    error = error ? error : mo_world_change(world, &changed, NULL);
    error = error ? error : mo_world_step(world, 1e-3, NULL, NULL);
    mo_world_destroy(world);
    return error;
}

static void memory_that_runs_out_breaks_nothing(void **state)
{
    (void)state;
    scarcity s = {0};
    for (int n = 0;; ++n) {
        s = (scarcity){.left = n};
        const mo_allocator allocator = {scarce_reallocate, &s};
        const mo_error error = use_memory(&allocator);
        if (!s.failed) {
            CHECK(error == MO_OK && n > 50);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_rests_slips_slides_and_leaves),
        cmocka_unit_test(the_pyramid_holds_more_along_its_diagonal),
        cmocka_unit_test(a_ball_on_a_ball_feels_the_curvature_of_its_path),
        cmocka_unit_test(a_turning_rod_presses_by_the_book),
        cmocka_unit_test(a_ball_on_a_slope_rolls_slips_and_slides),
        cmocka_unit_test(time_stepping_tends_to_it_at_first_order),
        cmocka_unit_test(where_no_force_exists_there_is_an_impulse),
        cmocka_unit_test(a_pendulum_of_joints_and_one_of_links_agree),
        cmocka_unit_test(an_impulse_leaves_the_angles_of_joints),
        cmocka_unit_test(accelerations_out_of_range_are_refused),
        cmocka_unit_test(the_world_stays_as_it_is),
        cmocka_unit_test(memory_that_runs_out_breaks_nothing),
    };
    return cmocka_run_group_tests_name("forces", tests, NULL, NULL);
}
