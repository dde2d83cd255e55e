/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Canonical impulses: where contacts are redundant, every method gives those of least norm.
 *
 * They are judged by closed forms (a cube, a table, a plank), by symmetry, and by linear algebra:
 * at the least norm no direction that leaves the motion alone shortens r.
 */
#include "canonical_worlds.h"

/* ---- closed forms ---------------------------------------------------------------------------- */

/* A cube of 1000 kg: a quarter on each corner, and no friction, whatever the method. */
static void a_cube_stands_on_four_equal_corners(void **state)
{
    (void)state;
    const double h = 0.02, quarter = 1000 * G / 4;
    const setting one = {"count", 1};
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!takes_friction(m)) continue;
        mo_world *world = build("stack", mo_method_describe(m).name, 1, &one);
        run(world, h, 25);
        mo_step_report report;
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK && report.is_canonical);
        CHECK(mo_world_contact_count(world) == 4);
        for (int k = 0; k < 4; ++k) {
            const mo_contact contact = mo_world_contact(world, k);
            double normal, friction;
            force_of(&contact, h, &normal, &friction);
            CHECK_NEAR(normal / quarter, 1, 1e-9);
            CHECK_BELOW(friction, 1e-9);
        }
        mo_world_destroy(world);
    }
}

/* The same on a slope below the angle of friction: down the slope each corner holds a quarter. */
static void a_cube_on_a_slope_shares_its_friction(void **state)
{
    (void)state;
    const double h = 0.01;
    const setting set[] = {{"mu", 0.6}, {"slope", 0.3}};
    mo_world *world = build("incline", NULL, 2, set);
    run(world, h, 40);
    double sum = 0, most = 0, least = INFINITY;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        double normal, friction;
        force_of(&contact, h, &normal, &friction);
        sum += friction / normal;
        most = fmax(most, friction);
        least = fmin(least, friction);
    }
    CHECK(mo_world_contact_count(world) == 4);
    CHECK_BELOW((most - least) / most, 0.5); /* the lower corners carry more */
    CHECK_BELOW(sum / 4, 0.6);
    mo_world_destroy(world);
}

static mo_body_id add_box(mo_world *world, mo_body_kind kind, double x, double y, double z,
                          const double half[3])
{
    const mo_body_def def = mo_default_body(kind);
    mo_body_def own = def;
    own.pose = mo_pose_at(x, y, z);
    const mo_body_id body = mo_world_add_body(world, &own, NULL);
    const mo_shape_def box = mo_shape_box(half[0], half[1], half[2]);
    CHECK(body.index > 0 && mo_world_add_shape(world, body, &box, NULL).index > 0);
    return body;
}

/* A plank on three equal supports, in the middle and at both ends: a third on each. */
static void a_plank_lies_on_three_supports_alike(void **state)
{
    (void)state;
    const double h = 0.01, plank[3] = {1.1, 0.1, 0.05}, post[3] = {0.1, 0.1, 0.25};
    mo_world *world;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    for (int k = -1; k <= 1; ++k)
        add_box(world, MO_BODY_FIXED, k, 0, 0.25, post);
    const mo_body_id body = add_box(world, MO_BODY_FREE, 0, 0, 0.55, plank);
    const double weight = mo_body_get(world, body).mass * G;
    run(world, h, 30);
    double on[3] = {0};
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        double normal, friction;
        force_of(&contact, h, &normal, &friction);
        on[(int)lround(contact.point[0]) + 1] += normal;
        CHECK_BELOW(friction, 1e-9 * weight);
    }
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(on[k] / weight, 1.0 / 3, 1e-9);
    mo_world_destroy(world);
}

/* A table of five boxes in one body, its legs at unequal distances from the centre of mass: the
 * forces of four legs depend linearly on where they stand, which is the least norm. */
static void a_table_loads_its_legs_linearly(void **state)
{
    (void)state;
    const double h = 0.01, top[3] = {0.6, 0.4, 0.02}, leg[3] = {0.02, 0.02, 0.35};
    const double at[4][2] = {{-0.5, -0.3}, {0.3, -0.3}, {-0.5, 0.3}, {0.3, 0.3}};
    mo_world *world;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    const double ground[3] = {2, 2, 0.5};
    add_box(world, MO_BODY_FIXED, 0, 0, -0.5, ground);
    const mo_body_id body = add_box(world, MO_BODY_FREE, 0, 0, 0.72, top);
    for (int k = 0; k < 4; ++k) {
        mo_shape_def shape = mo_shape_box(leg[0], leg[1], leg[2]);
        shape.pose = mo_pose_at(at[k][0], at[k][1], -0.37);
        CHECK(mo_world_add_shape(world, body, &shape, NULL).index > 0);
    }
    run(world, h, 30);
    double on[2] = {0}, sum = 0;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        double normal, friction;
        force_of(&contact, h, &normal, &friction);
        on[contact.point[0] > 0] += normal;
        sum += normal;
        CHECK_BELOW(friction, 1e-8);
        for (int j = 0; j < mo_world_contact_count(world); ++j) { /* its image in y */
            const mo_contact other = mo_world_contact(world, j);
            double load, unused;
            force_of(&other, h, &load, &unused);
            if (fabs(other.point[0] - contact.point[0]) < 1e-6 &&
                fabs(other.point[1] + contact.point[1]) < 1e-6)
                CHECK_NEAR(load, normal, 1e-8 * (1 + normal));
        }
    }
    const mo_body_state now = mo_body_get(world, body);
    CHECK_NEAR(sum, now.mass * G, 1e-8 * sum);
    CHECK(on[0] < on[1]); /* the nearer legs carry more */
    mo_world_destroy(world);
}

/* ---- symmetry -------------------------------------------------------------------------------- */

/* For each contact the one at its image under x -> 2 c - x has the same force, to a part of the
 * largest. */
static void forces_are_symmetric(const mo_world *world, double c, double h, double tol)
{
    double most = 0, normal, friction, image_normal, image_friction;
    const int count = mo_world_contact_count(world);
    for (int k = 0; k < count; ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        force_of(&contact, h, &normal, &friction);
        most = fmax(most, hypot(normal, friction));
    }
    for (int k = 0; k < count; ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        int images = 0;
        force_of(&contact, h, &normal, &friction);
        for (int j = 0; j < count; ++j) {
            const mo_contact other = mo_world_contact(world, j);
            if (fabs(2 * c - contact.point[0] - other.point[0]) < 1e-6 &&
                fabs(contact.point[1] - other.point[1]) < 1e-6 &&
                fabs(contact.point[2] - other.point[2]) < 1e-6) {
                force_of(&other, h, &image_normal, &image_friction);
                images += fabs(image_normal - normal) <= tol * most &&
                          fabs(image_friction - friction) <= tol * most;
            }
        }
        if (images == 0) {
            fail_msg("the contact at (%g, %g, %g) has no image with %g N and %g N",
                     contact.point[0], contact.point[1], contact.point[2], normal, friction);
        }
    }
}

/* The middle of all contacts. */
static double middle_of(const mo_world *world)
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const double x = mo_world_contact(world, k).point[0];
        least = fmin(least, x);
        most = fmax(most, x);
    }
    return (least + most) / 2;
}

static void symmetric_things_have_symmetric_forces(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *method;
        double h;
        int count;
        setting set[2];
    } ALL[] = {{"stack", NULL, 0.02, 1, {{"count", 5}}},
               {"stack", "nsgs", 0.02, 1, {{"count", 3}}},
               {"stack", NULL, 0.02, 1, {{"count", 30}}},
               {"stack", NULL, 0.02, 1, {{"count", 80}}},
               {"stack", NULL, 0.02, 2, {{"count", 10}, {"ratio", 1e4}}},
               {"wall", NULL, 0.02, 2, {{"courses", 5}, {"length", 6}}},
               {"wall", NULL, 0.02, 2, {{"courses", 10}, {"length", 20}}},
               {"wall", "ipm", 0.02, 2, {{"courses", 3}, {"length", 4}}},
               {"arch", NULL, 0.01, 0, {{NULL, 0}}},
               {"arch", NULL, 0.01, 1, {{"stones", 41}}},
               {"arch", "newton", 0.01, 0, {{NULL, 0}}}};
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; ++k) {
        mo_world *world = build(ALL[k].scene, ALL[k].method, ALL[k].count, ALL[k].set);
        run(world, ALL[k].h, 30);
        forces_are_symmetric(world, middle_of(world), ALL[k].h, 1e-6);
        mo_world_destroy(world);
    }
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* The heaviest free body. */
static mo_body_state box_of(const mo_world *world)
{
    mo_body_state most = {.mass = 0};
    for (int b = 0; b < mo_world_body_count(world); ++b) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, b));
        most = body.kind == MO_BODY_FREE && body.mass > most.mass ? body : most;
    }
    return most;
}

/* The residual of impulses r, and the velocities u of the contacts. */
static double residual_and_velocity(const mo_problem *problem, const double *r, double *u)
{
    mo_residual residual;
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    CHECK(mo_measure(problem, r, &residual) == MO_OK);
    return residual.natural_relative;
}

/*
 * The step in which the fingers start has several motions, so that no rule on impulses makes it
 * unique.  While they slide on the box, every distribution of the normal impulses over their
 * corners is a solution, and uneven ones turn the box.  Two are shown: both are solutions to 1e-9,
 * and their velocities differ.
 */
static void the_box_has_several_motions_as_the_fingers_start(void **state)
{
    (void)state;
    static const char *const METHODS[] = {"ipm", "aln", "newton", "dantzig"};
    enum { COUNT = sizeof METHODS / sizeof *METHODS };
    mo_world *world = build("gripper", NULL, 0, NULL);
    CHECK(runs(world, 0.01, 26));
    const mo_problem *problem = mo_world_problem(world);
    const mo_result *result = mo_world_result(world);
    const size_t rows = (size_t)mo_problem_row_count(problem);
    double *u = calloc(2 * rows, sizeof *u), farthest = 0;
    CHECK(u != NULL);
    CHECK_BELOW(residual_and_velocity(problem, result->r, u), 1e-9);
    for (int m = 0; m < COUNT; ++m) {
        mo_options options = mo_default_options();
        mo_result other = {0};
        options.tol = 1e-10;
        options.method = METHODS[m];
        CHECK(mo_solve(problem, &options, &other) == MO_OK);
        if (other.status == MO_SOLVED) {
            double square = 0;
            CHECK_BELOW(residual_and_velocity(problem, other.r, u + rows), 1e-9);
            for (size_t k = 0; k < rows; ++k)
                square += (u[k] - u[rows + k]) * (u[k] - u[rows + k]);
            farthest = fmax(farthest, sqrt(square));
        }
        mo_result_clear(&other);
    }
    CHECK(farthest > 1e-4); /* m/s; 1e-9 is an error of 1e-10 m/s */
    free(u);
    mo_world_destroy(world);
}

/* Methods that change a set of active constraints: rounding decides at which of the several motions
 * they end. */
static int ends_at_any_motion(const char *name)
{
    return strcmp(name, "dantzig") == 0 || strcmp(name, "newton") == 0;
}

/* A gripper with wide fingers lifts a box: it goes the same way for every other method that solves
 * all steps (first-order methods do not). */
static void a_box_between_wide_fingers_moves_alike(void **state)
{
    (void)state;
    double first[3] = {0};
    int count = 0;
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!takes_friction(m)) continue;
        const char *name = mo_method_describe(m).name;
        mo_world *world = build("gripper", name, 0, NULL);
        if (runs(world, 0.01, 60)) {
            const mo_body_state box = box_of(world);
            CHECK(box.pose.position[2] > 0.11); /* it was lifted */
            for (int k = 0; k < 3 && !ends_at_any_motion(name); ++k) {
                first[k] = count ? first[k] : box.pose.position[k];
                CHECK_NEAR(box.pose.position[k], first[k], 2e-5);
            }
            count += !ends_at_any_motion(name);
        }
        mo_world_destroy(world);
    }
    print_message("%d methods\n", count);
    CHECK(count >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_stands_on_four_equal_corners),
        cmocka_unit_test(a_cube_on_a_slope_shares_its_friction),
        cmocka_unit_test(a_plank_lies_on_three_supports_alike),
        cmocka_unit_test(a_table_loads_its_legs_linearly),
        cmocka_unit_test(symmetric_things_have_symmetric_forces),
        cmocka_unit_test(the_box_has_several_motions_as_the_fingers_start),
        cmocka_unit_test(a_box_between_wide_fingers_moves_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
