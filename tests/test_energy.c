/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Energy never grows where nothing puts any in; a free spinning body keeps its angular momentum and
 * loses energy at first order. */
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"
#include "worlds.h"

typedef struct passive {
    const char *scene;
    int steps;
    const char *name; /* of a parameter, or NULL */
    double value;
} passive;

static mo_world *build(const passive *p, double *step)
{
    const world_scene *scene = world_scene_find(p->scene);
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world = NULL;
    CHECK(scene != NULL);
    world_default_values(scene, values);
    if ((p->name && world_set_value(scene, values, p->name, p->value, &why)) ||
        scene->build(values, &world, &why))
        fail_msg("%s: %s", p->scene, why.text);
    *step = scene->step;
    return world;
}

/* The weight of the free bodies at rest is what energies are compared with: a rise of a billionth
 * of a metre is rounding. */
static double rounding(const mo_world *world)
{
    double mass = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        mass += body.kind == MO_BODY_FREE ? body.mass : 0;
    }
    return 1e-9 * 9.81 * mass;
}

static void no_step_of_a_passive_scene_adds_energy(void **state)
{
    (void)state;
    static const passive SCENES[] = {
        {"incline", 100, NULL, 0},   {"slip-to-roll", 100, NULL, 0},
        {"stack", 40, NULL, 0},      {"arch", 20, NULL, 0},
        {"domino", 120, "count", 8}, {"cannonball", 60, "walls", 0},
        {"painleve", 300, NULL, 0},  {"beads", 60, "count", 30},
        {"billiard", 300, NULL, 0},  {"kapla", 20, "layers", 5},
        {"chain", 150, "links", 6},  {"chain", 60, "ends", 2},
        {"cradle", 900, NULL, 0},    {"cradle", 700, "restitution", 0.5},
        {"cradle", 700, "raised", 2}};
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; ++k) {
        double h;
        mo_world *world = build(&SCENES[k], &h);
        double energy = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
        const double allowed = rounding(world);
        for (int step = 0; step < SCENES[k].steps; ++step) {
            mo_step_report report;
            CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
            const double now = report.kinetic_energy + report.potential_energy;
            if (!(now <= energy + allowed)) {
                fail_msg("%s, step %d: from %.9g J to %.9g J, %.2g more than rounding",
                         SCENES[k].scene, step, energy, now, (now - energy) / allowed);
            }
            energy = now;
        }
        mo_world_destroy(world);
    }
}

static double worst_joint(const mo_world *world)
{
    double worst = 0;
    for (int k = 0; k < mo_world_joint_count(world); ++k)
        worst = fmax(worst, mo_joint_get(world, mo_world_joint(world, k)).error);
    return worst;
}

/* A chain that falls and whips, with a light or a heavy last link and steps that are far too long
 * for it: nothing gains, what was taken out for that is said, and no joint opens by more than a
 * hundredth of a link (0.095 m). */
static void a_stiff_chain_neither_explodes_nor_opens(void **state)
{
    (void)state;
    static const struct {
        double ratio, h;
        int steps;
    } CHAINS[] = {{1, 0.01, 150}, {100, 0.01, 200}, {1e4, 0.01, 100}, {100, 0.05, 30}, {1, 0.5, 5}};
    double removed = 0;
    for (size_t k = 0; k < sizeof CHAINS / sizeof *CHAINS; ++k) {
        const passive chain = {"chain", CHAINS[k].steps, "ratio", CHAINS[k].ratio};
        double own_step;
        mo_world *world = build(&chain, &own_step);
        double energy = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
        const double allowed = rounding(world);
        for (int step = 0; step < CHAINS[k].steps; ++step) {
            mo_step_report report;
            CHECK(mo_world_step(world, CHAINS[k].h, &report, NULL) == MO_OK);
            CHECK(report.kinetic_energy + report.potential_energy <= energy + allowed);
            CHECK_BELOW(worst_joint(world), 1e-3);
            CHECK(report.energy_removed >= 0);
            removed += report.energy_removed;
            energy = report.kinetic_energy + report.potential_energy;
        }
        mo_world_destroy(world);
    }
    CHECK(removed > 0);
}

/* Three rods on ball joints, free in space, the first thrown and spinning, with steps of a third of
 * a radian: what is taken out leaves their momentum as it is. */
static void jointed_free_bodies_conserve_momentum(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    memset(def.gravity, 0, sizeof def.gravity);
    mo_world *world;
    mo_body_id rod[3];
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    for (int k = 0; k < 3; ++k) {
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        const mo_shape_def box = mo_shape_box(0.5, 0.05, 0.05);
        body.pose = mo_pose_at(1.1 * k, 0, 0);
        body.velocity[0] = k == 0 ? 2 : 0;
        body.spin[1] = k == 0 ? 3 : 0;
        body.spin[2] = k == 0 ? 12 : 0;
        rod[k] = mo_world_add_body(world, &body, NULL);
        CHECK(mo_world_add_shape(world, rod[k], &box, NULL).index > 0);
    }
    for (int k = 0; k < 2; ++k) {
        mo_joint_def ball = mo_default_joint(MO_JOINT_BALL, rod[k], rod[k + 1]);
        ball.anchor[0] = 1.1 * k + 0.55;
        CHECK(mo_world_add_joint(world, &ball, NULL).index > 0);
    }
    double first[3], turn[3];
    mo_world_momentum(world, first, turn);
    double energy = mo_world_kinetic_energy(world);
    for (int step = 0; step < 100; ++step) {
        double now[3];
        mo_step_report report;
        CHECK(mo_world_step(world, 0.03, &report, NULL) == MO_OK && report.status == MO_SOLVED);
        mo_world_momentum(world, now, turn);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(now[i], first[i], 1e-9 * first[0]);
        CHECK(report.kinetic_energy <= energy * (1 + 1e-9));
        CHECK_BELOW(worst_joint(world), 0.01);
        energy = report.kinetic_energy;
    }
    CHECK(energy > 0.1 * mo_body_get(world, rod[0]).mass);
    mo_world_destroy(world);
}

/* ---- a free body ----------------------------------------------------------------------------- */

/* A box of 1 x 2 x 3 spins for a second, mostly about its middle axis, without gravity.  Its
 * relative loss of energy. */
static double spin_for_a_second(double h, double *turn_of_momentum)
{
    mo_world_def def = mo_default_world();
    memset(def.gravity, 0, sizeof def.gravity);
    mo_body_def body = mo_default_body(MO_BODY_FREE);
    const mo_shape_def box = mo_shape_box(0.5, 1, 1.5);
    const double spin[3] = {0.3, 4, 0.2};
    memcpy(body.spin, spin, sizeof spin);
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &body, NULL), &box, NULL).index > 0);
    double linear[3], first[3], last[3], largest = 0, size = 0;
    mo_world_momentum(world, linear, first);
    const double energy = mo_world_kinetic_energy(world);
    double now = energy;
    for (int k = 0; k < lround(1 / h); ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
        CHECK(report.kinetic_energy <= now * (1 + 1e-14));
        now = report.kinetic_energy;
    }
    mo_world_momentum(world, linear, last);
    for (int i = 0; i < 3; ++i) {
        largest = fmax(largest, fabs(last[i] - first[i]));
        size = fmax(size, fabs(first[i]));
    }
    *turn_of_momentum = largest / size;
    mo_world_destroy(world);
    return 1 - now / energy;
}

/* A trunk and four limbs on ball joints, turned by `angle`. */
static void add_doll(mo_world *world, double x, double z, double angle)
{
    static const double LIMB[4][3] = {
        {0.11, 0, 0}, {-0.11, 0, 0}, {0.04, 0, -0.21}, {-0.04, 0, -0.21}};
    static const double a[3] = {0, 0, -0.06}, b[3] = {0, 0, 0.06};
    const double c = cos(angle), s = sin(angle), across[3] = {0, 1, 0};
    const mo_shape_def trunk = mo_shape_box(0.06, 0.05, 0.1), limb = mo_shape_capsule(a, b, 0.03);
    mo_pose pose = mo_pose_turned(x, 0, z, across, angle);
    const mo_body_id first = mo_world_add_solid(world, MO_BODY_FREE, &trunk, &pose, NULL);
    for (int k = 0; k < 4; ++k) {
        const double *at = LIMB[k], up = at[2] < 0 ? 0.09 : 0.06;
        pose =
            mo_pose_turned(x + c * at[0] + s * at[2], 0, z - s * at[0] + c * at[2], across, angle);
        const mo_body_id body = mo_world_add_solid(world, MO_BODY_FREE, &limb, &pose, NULL);
        mo_joint_def ball = mo_default_joint(MO_JOINT_BALL, first, body);
        ball.anchor[0] = pose.position[0] + s * up;
        ball.anchor[2] = pose.position[2] + c * up;
        CHECK(mo_world_add_joint(world, &ball, NULL).index > 0);
    }
}

/* Dolls that fall onto each other at 5 m/s. */
static mo_world *throw_dolls(int count, int columns, double tol)
{
    mo_world_def def = mo_default_world();
    def.solver.tol = tol > 0 ? tol : def.solver.tol;
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    const mo_shape_def plane = mo_shape_plane();
    mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, NULL);
    for (int k = 0; k < count; ++k)
        add_doll(world, 0.7 * (k % columns), 0.5 + 0.6 * (k / columns), 0.7 * k);
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        const double down[3] = {0, 0, -5};
        if (s.kind == MO_BODY_FREE) {
            CHECK(mo_body_set(world, mo_world_body(world, k), &s.pose, down, s.spin, NULL) ==
                  MO_OK);
        }
    }
    return world;
}

/* A tolerance of 2e-3 is a norm over all constraints: no joint may open by more than a hundredth of
 * the size of a limb (0.09 m), and no limb may end inside another. */
static void limbs_stay_joined_at_a_coarse_tolerance(void **state)
{
    (void)state;
    mo_world *world = throw_dolls(12, 3, 2e-3);
    for (int step = 0; step < 60; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK && report.status == MO_SOLVED);
        CHECK_BELOW(worst_joint(world), 1e-2 * 0.09);
        CHECK_BELOW(report.overlap, 1e-2);
    }
    mo_world_destroy(world);
}

/* A heap of jointed bodies is solved as other heaps are: to moving_tol while it moves, in few
 * rounds, although limbs turn fast; and it gains no energy. */
static void limbs_in_motion_are_solved_to_the_coarse_tolerance(void **state)
{
    (void)state;
    enum { STEPS = 120 };
    mo_world *world = throw_dolls(24, 2, 0);
    const double coarse = mo_default_world().moving_tol, allowed = rounding(world);
    double energy = INFINITY;
    int coarse_steps = 0, rounds = 0;
    for (int step = 0; step < STEPS; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK && report.status == MO_SOLVED);
        CHECK_BELOW(worst_joint(world), 1e-2 * 0.09);
        CHECK_BELOW(report.overlap, 1e-2);
        const double now = report.kinetic_energy + report.potential_energy;
        CHECK(now <= energy + allowed);
        energy = now;
        coarse_steps += report.tolerance == coarse;
        rounds += report.rounds;
    }
    CHECK(2 * coarse_steps > STEPS && rounds < 8 * STEPS);
    mo_world_destroy(world);
}

static void a_free_spin_keeps_its_momentum_and_loses_energy_at_first_order(void **state)
{
    (void)state;
    double last = 0;
    for (double h = 4e-3; h > 4e-4; h /= 2) {
        double turn;
        const double loss = spin_for_a_second(h, &turn);
        CHECK_BELOW(turn, 1e-11);
        CHECK(loss > 0);
        if (last > 0) CHECK_NEAR(last / loss, 2, 0.1); /* half the step, half the loss */
        last = loss;
    }
}

/* A ball that flies and spins, and a slider on a spring with a rotor and half its weight. */
static void energies_are_reported_by_kind(void **state)
{
    (void)state;
    mo_world *world;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    const mo_shape_def shape = mo_shape_ball(0.1);
    const mo_pose pose = mo_pose_at(0, 0, 2);
    const mo_body_id ball = mo_world_add_solid(world, MO_BODY_FREE, &shape, &pose, NULL);
    CHECK(mo_body_set(world, ball, &pose, (const double[3]){3, 0, 0}, (const double[3]){0, 5, 0},
                      NULL) == MO_OK);
    mo_link_def link = mo_default_link(-1);
    link.mass = 2;
    link.inertia[0] = link.inertia[1] = link.inertia[2] = 1;
    link.gravity_compensation = 0.5;
    mo_axis_def slide = mo_default_axis(MO_AXIS_PRISMATIC, 0);
    slide.stiffness = 30;
    slide.rest = -0.2;
    slide.armature = 0.5;
    slide.initial = 0.3;
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &slide;
    def.link_count = def.joint_count = 1;
    const mo_mechanism_id slider = mo_world_add_mechanism(world, &def, NULL);
    CHECK(mo_mechanism_set(world, slider, NULL, (const double[1]){4}, NULL) == MO_OK);
    const double m = mo_body_get(world, ball).mass, g = 9.81;
    const mo_energy energy = mo_world_energy(world);
    CHECK_NEAR(energy.translation, 0.5 * m * 9 + 0.5 * 2 * 16, 1e-12);
    CHECK_NEAR(energy.rotation, 0.5 * 0.4 * m * 0.01 * 25 + 0.5 * 0.5 * 16, 1e-12);
    CHECK_NEAR(energy.gravity, m * g * 2 + 0.5 * 2 * g * 0.3, 1e-11);
    CHECK_NEAR(energy.springs, 0.5 * 30 * 0.25, 1e-12);
    CHECK_NEAR(energy.translation + energy.rotation, mo_world_kinetic_energy(world), 1e-11);
    CHECK_NEAR(energy.gravity + energy.springs, mo_world_potential_energy(world), 1e-11);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_are_reported_by_kind),
        cmocka_unit_test(no_step_of_a_passive_scene_adds_energy),
        cmocka_unit_test(a_stiff_chain_neither_explodes_nor_opens),
        cmocka_unit_test(jointed_free_bodies_conserve_momentum),
        cmocka_unit_test(limbs_stay_joined_at_a_coarse_tolerance),
        cmocka_unit_test(limbs_in_motion_are_solved_to_the_coarse_tolerance),
        cmocka_unit_test(a_free_spin_keeps_its_momentum_and_loses_energy_at_first_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
