/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Cylinders that stand, lie and roll. */
#include "check.h"

#include "linalg/vec3.h"
#include "moreau/moreau.h"

static const double G = 9.81;

static mo_world *make_world(double tilt)
{
    mo_world *world;
    mo_world_def def = mo_default_world();
    def.gravity[0] = G * sin(tilt);
    def.gravity[2] = -G * cos(tilt);
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    mo_message why = {{0}};
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    const mo_body_id body = mo_world_add_body(world, &def, &why);
    if (!mo_world_add_shape(world, body, &shape, &why).index) fail_msg("%s", why.text);
    return body;
}

/* A plane at z = 0, or the top of a box there. */
static void add_ground(mo_world *world, int is_box)
{
    if (is_box)
        add(world, MO_BODY_FIXED, mo_shape_box(50, 50, 1), mo_pose_at(0, 0, -1));
    else
        add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
}

static void go(mo_world *world, double h, int steps)
{
    mo_step_report report = {0};
    for (int k = 0; k < steps; ++k) {
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
        if (report.status != MO_SOLVED) fail_msg("step %d: %s", k, report.message.text);
    }
}

static void a_standing_cylinder_does_not_move(void **state)
{
    (void)state;
    for (int is_box = 0; is_box < 2; ++is_box) {
        mo_world *world = make_world(0);
        add_ground(world, is_box);
        mo_body_id body[3];
        for (int k = 0; k < 3; ++k) { /* on each other, turned and a little aside */
            body[k] = add(
                world, MO_BODY_FREE, mo_shape_cylinder(0.3, 0.2),
                mo_pose_turned(0.02 * k, 0, 0.2 + 0.4 * k, (const double[3]){0, 0, 1}, 0.4 * k));
        }
        go(world, 0.01, 200);
        for (int k = 0; k < 3; ++k) {
            const mo_body_state now = mo_body_get(world, body[k]);
            CHECK_NEAR(now.pose.position[0], 0.02 * k, 1e-9);
            CHECK_NEAR(now.pose.position[1], 0, 1e-9);
            CHECK_NEAR(now.pose.position[2], 0.2 + 0.4 * k, 1e-9);
        }
        mo_world_destroy(world);
    }
}

static void a_lying_cylinder_does_not_roll_by_itself(void **state)
{
    (void)state;
    for (int is_box = 0; is_box < 2; ++is_box) {
        mo_world *world = make_world(0);
        add_ground(world, is_box);
        const mo_body_id body =
            add(world, MO_BODY_FREE, mo_shape_cylinder(0.3, 0.5),
                mo_pose_turned(0, 0, 0.3, (const double[3]){1, 0, 0}, acos(-1.0) / 2));
        go(world, 0.01, 200);
        const mo_body_state now = mo_body_get(world, body);
        CHECK_NEAR(now.pose.position[0], 0, 1e-9);
        CHECK_NEAR(now.pose.position[1], 0, 1e-9);
        CHECK_NEAR(now.pose.position[2], 0.3, 1e-9);
        mo_world_destroy(world);
    }
}

/* Down a slope without slipping: a = 2/3 g sin(tilt), whatever the angle it has turned by; its
 * height stays. */
static void a_cylinder_rolls_down_a_slope_at_two_thirds(void **state)
{
    (void)state;
    for (int is_box = 0; is_box < 2; ++is_box) {
        const double tilt = 0.1, h = 0.01;
        mo_world *world = make_world(tilt);
        add_ground(world, is_box);
        const mo_body_id body =
            add(world, MO_BODY_FREE, mo_shape_cylinder(0.3, 0.5),
                mo_pose_turned(-20, 0, 0.3, (const double[3]){1, 0, 0}, acos(-1.0) / 2));
        for (int k = 1; k <= 300; ++k) {
            go(world, h, 1);
            const mo_body_state now = mo_body_get(world, body);
            CHECK_NEAR(now.velocity[0], 2.0 / 3 * G * sin(tilt) * k * h, 1e-7);
            CHECK_NEAR(now.spin[1], now.velocity[0] / 0.3, 1e-6);
            CHECK_NEAR(now.pose.position[2], 0.3, 1e-7);
        }
        mo_world_destroy(world);
    }
}

/*
 * It stands with its weight inside its foot, and falls with it outside.  Between the polygon of six
 * points and the rim it leans by a trace in one step, and stands on the rim in the next.
 */
static void a_tall_cylinder_topples_where_its_weight_leaves_its_foot(void **state)
{
    (void)state;
    const double radius = 0.1, half = 0.5, limit = atan(radius / half);
    const double part[3] = {0.85, 0.98, 1.02}, trace[3] = {1e-9, 1e-4, 0};
    for (int k = 0; k < 3; ++k) {
        mo_world *world = make_world(limit * part[k]);
        add_ground(world, 0);
        const mo_body_id body =
            add(world, MO_BODY_FREE, mo_shape_cylinder(radius, half),
                mo_pose_turned(0, 0, half, (const double[3]){0, 0, 1}, 0.5)); /* no corner ahead */
        go(world, 0.01, 200);
        const mo_body_state now = mo_body_get(world, body);
        if (part[k] > 1)
            CHECK_BELOW(now.pose.position[2], 0.9 * half);
        else
            CHECK_NEAR(now.pose.position[2], half, trace[k]);
        mo_world_destroy(world);
    }
}

/* How far b is from a along n, by the support function of a cylinder. */
static double separation(const mo_pose *a, const mo_pose *b, const double n[3])
{
    const double radius = 0.07, half = 0.1;
    double apart = 0, sum = 0;
    for (int side = 0; side < 2; ++side) {
        const mo_pose *pose = side ? b : a;
        const double up[3] = {0, 0, 1};
        double axis[3];
        mo_pose_vector(pose, up, axis);
        const double along = n[0] * axis[0] + n[1] * axis[1] + n[2] * axis[2];
        sum += half * fabs(along) + radius * sqrt(fmax(0, 1 - along * along));
    }
    for (int i = 0; i < 3; ++i)
        apart += n[i] * (b->position[i] - a->position[i]);
    return apart - sum;
}

/* Two poses of heaps whose rims meet: a search among the features near a cap's normal, or near that
 * of two sides, finds nothing better than these. */
static void cylinders_leave_each_other_by_the_shortest_way(void **state)
{
    (void)state;
    static const struct {
        mo_pose a, b;
        double n[3]; /* along which they hardly overlap */
    } CASES[] = {
        {{{0.83945934154002977, -0.14802730967745281, 0.12194399344344052},
          {0.27724984793099233, -0.84450863683993915, 0.45695865942443148, 0.033562891740978949}},
         {{0.88999997545084109, -0.15994054873462663, 0.32432265806171745},
          {0.663718352130933, -0.38617203603840244, -0.32215134488548919, -0.55368548709084353}},
         {0.0254, -0.4940, 0.8691}},
        {{{0.46520741214027406, -0.43406004944482868, 0.069999999222735448},
          {-0.70677727574741778, -0.62706609725779394, -0.32678440086034821, 0.021585817364234799}},
         {{0.43259302560159379, -0.30012930289044237, 0.20481373932491809},
          {0.18888257059785044, 0.1291033664051616, 0.64909394411925814, -0.72548793719462246}},
         {0.0723, 0.1281, 0.9891}}};
    for (int k = 0; k < 2; ++k) {
        double n[3], norm = 0;
        for (int i = 0; i < 3; ++i)
            norm += CASES[k].n[i] * CASES[k].n[i];
        for (int i = 0; i < 3; ++i)
            n[i] = CASES[k].n[i] / sqrt(norm);
        mo_world *world = make_world(0);
        add(world, MO_BODY_FREE, mo_shape_cylinder(0.07, 0.1), CASES[k].a);
        add(world, MO_BODY_FREE, mo_shape_cylinder(0.07, 0.1), CASES[k].b);
        CHECK_BELOW(mo_world_penetration(world),
                    fmax(0, -separation(&CASES[k].a, &CASES[k].b, n)) + 1e-9);
        mo_world_destroy(world);
    }
}

/*
 * Two cylinders lie across each other at a small angle and overlap along their whole lines.  The
 * ends of these are contacts, too: otherwise the pair turns about the crossing, deeper and deeper
 * at one end.  The lower line of b ends at height H over the axis of a, and L sin(angle) beside it.
 */
static void both_ends_of_crossed_cylinders_touch(void **state)
{
    (void)state;
    static const double R = 0.07, L = 0.1, H = 0.0695, ANGLE = 0.05;
    const double expected = hypot(H, L * sin(ANGLE)) - R;
    const double c = cos(ANGLE / 2) * sqrt(0.5), s = sin(ANGLE / 2) * sqrt(0.5);
    const mo_pose lies = {{0, 0, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}},
                  turned = {{0, 0, H + R}, {c, -s, c, s}}; /* about z, after lying down */
    mo_world *world = make_world(0);
    double nearest[2] = {INFINITY, INFINITY};
    add(world, MO_BODY_FIXED, mo_shape_cylinder(R, L), lies);
    add(world, MO_BODY_FREE, mo_shape_cylinder(R, L), turned);
    CHECK(mo_world_step(world, 1e-6, NULL, NULL) == MO_OK);
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        double *own = nearest + (contact.point[0] > 0);
        if (fabs(contact.point[0]) > 0.9 * L) *own = fmin(*own, fabs(contact.gap - expected));
    }
    CHECK(expected < 0);
    CHECK_BELOW(nearest[0], 1e-9);
    CHECK_BELOW(nearest[1], 1e-9);
    mo_world_destroy(world);
}

/* A cylinder stands on another, tilted by 5e-5 rad: their caps touch all around the rim. */
static void nearly_parallel_caps_touch_all_around(void **state)
{
    (void)state;
    const mo_pose lower = {{0.004752236209095944, -0.0001770533346566748, 0.30000471275337875},
                           {0.9999999883911347, -1.8012372331364558e-05, -2.358090355698242e-05,
                            0.0001494564348576321}},
                  upper = {{0.0035700378702888057, 0.0039906131925533436, 0.5000056062417174},
                           {0.999988588046653, -1.1751427565490928e-05, -2.9068499884178512e-05,
                            -0.00477732073319416}};
    mo_world *world = make_world(0);
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    add(world, MO_BODY_FIXED, mo_shape_cylinder(0.1, 0.1), lower);
    add(world, MO_BODY_FREE, mo_shape_cylinder(0.1, 0.1), upper);
    CHECK(mo_world_step(world, 1e-3, NULL, NULL) == MO_OK);
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        for (int i = 0; i < 2; ++i) {
            least[i] = fmin(least[i], contact.point[i]);
            most[i] = fmax(most[i], contact.point[i]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        CHECK_BELOW(least[i], -0.08);
        CHECK_BELOW(0.08, most[i]);
    }
    mo_world_destroy(world);
}

/* Nine columns of five, swept to 2e-3: they rest as columns of boxes do, to the tolerance. */
static void columns_of_cylinders_come_to_rest(void **state)
{
    (void)state;
    mo_world *world;
    mo_world_def def = mo_default_world();
    mo_step_report report = {0};
    int sweeps = 0;
    def.solver.tol = 2e-3;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    add_ground(world, 0);
    for (int k = 0; k < 45; ++k) {
        const int column = k / 5, height = k % 5;
        const mo_pose pose = mo_pose_at(0.4 * (column % 3) + 0.003 * (height % 2),
                                        0.4 * (column / 3), 0.1 + 0.2002 * height);
        add(world, MO_BODY_FREE, mo_shape_cylinder(0.1, 0.1), pose);
    }
    for (int k = 0; k < 100; ++k) {
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        sweeps += report.iterations;
    }
    CHECK_BELOW(report.kinetic_energy, 0.005); /* J, of 280 kg */
    CHECK_BELOW(sweeps, 100 * 120);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_leave_each_other_by_the_shortest_way),
        cmocka_unit_test(both_ends_of_crossed_cylinders_touch),
        cmocka_unit_test(nearly_parallel_caps_touch_all_around),
        cmocka_unit_test(columns_of_cylinders_come_to_rest),
        cmocka_unit_test(a_standing_cylinder_does_not_move),
        cmocka_unit_test(a_lying_cylinder_does_not_roll_by_itself),
        cmocka_unit_test(a_cylinder_rolls_down_a_slope_at_two_thirds),
        cmocka_unit_test(a_tall_cylinder_topples_where_its_weight_leaves_its_foot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
