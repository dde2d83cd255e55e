/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Canonical impulses: where contacts are redundant, every method gives those of least norm.
 *
 * They are judged by closed forms (a cube, a table, a plank), by symmetry, and by linear algebra:
 * at the least norm no direction that leaves the motion alone shortens r.
 */
#include "every_method.h"

#include <stdlib.h>
#include <string.h>

#include "worlds.h"

static const double G = 9.81;

/* ---- worlds ---------------------------------------------------------------------------------- */

typedef struct setting {
    const char *name;
    double value;
} setting;

static mo_world *build(const char *name, const char *method, int count, const setting *set)
{
    const world_scene *scene = world_scene_find(name);
    double values[WORLD_PARAMETERS];
    mo_world *world;
    world_default_values(scene, values);
    for (int k = 0; k < count; ++k) {
        CHECK(world_set_value(scene, values, set[k].name, set[k].value, NULL) == MO_OK);
    }
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.solver.method = method;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    return world;
}

/* False where a step was not solved. */
static int runs(mo_world *world, double h, int steps)
{
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
        if (report.status != MO_SOLVED) {
            return 0;
        }
    }
    return 1;
}

static void run(mo_world *world, double h, int steps)
{
    if (!runs(world, h, steps)) {
        fail_msg("%s did not solve a step", mo_world_result(world)->method);
    }
}

/* Methods that take contacts with friction in space as they are. */
static int takes_friction(int method)
{
    const mo_method_info info = mo_method_describe(method);
    const unsigned bit = 1u << MO_LAW_COULOMB;
    return (info.laws & bit) && !(info.relaxed & bit) && !(info.by_facets & bit);
}

/* Normal and tangential parts of a contact's force, in N. */
static void force_of(const mo_contact *contact, double h, double *normal, double *friction)
{
    double square = 0;
    *normal = 0;
    for (int k = 0; k < 3; ++k) {
        *normal += contact->impulse[k] * contact->normal[k] / h;
        square += pow(contact->impulse[k] / h, 2);
    }
    *friction = 0;
    for (int k = 0; k < 3; ++k) {
        *friction += pow(contact->impulse[k] / h - *normal * contact->normal[k], 2);
    }
    *friction = sqrt(*friction);
    *normal = fabs(*normal);
    CHECK(isfinite(square));
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* A cube of 1000 kg: a quarter on each corner, and no friction, whatever the method. */
static void a_cube_stands_on_four_equal_corners(void **state)
{
    (void)state;
    const double h = 0.02, quarter = 1000 * G / 4;
    const setting one = {"count", 1};
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!takes_friction(m)) {
            continue;
        }
        mo_world *world = build("stack", mo_method_describe(m).name, 1, &one);
        run(world, h, 25);
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
    for (int k = -1; k <= 1; ++k) {
        add_box(world, MO_BODY_FIXED, k, 0, 0.25, post);
    }
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
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(on[k] / weight, 1.0 / 3, 1e-9);
    }
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
                fabs(other.point[1] + contact.point[1]) < 1e-6) {
                CHECK_NEAR(load, normal, 1e-8 * (1 + normal));
            }
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
               {"stack", NULL, 0.02, 2, {{"count", 10}, {"ratio", 1e4}}},
               {"wall", NULL, 0.02, 2, {{"courses", 5}, {"length", 6}}},
               {"wall", "ipm", 0.02, 2, {{"courses", 3}, {"length", 4}}},
               {"arch", NULL, 0.01, 0, {{NULL, 0}}},
               {"arch", "newton", 0.01, 0, {{NULL, 0}}}};
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; ++k) {
        mo_world *world = build(ALL[k].scene, ALL[k].method, ALL[k].count, ALL[k].set);
        run(world, ALL[k].h, 30);
        forces_are_symmetric(world, middle_of(world), ALL[k].h, 1e-6);
        mo_world_destroy(world);
    }
}

/* ---- least norm ------------------------------------------------------------------------------ */

/* A box on n contacts around its base, pushed sideways by a part of its weight. */
static mo_problem *box_on_a_ring(int n, double push)
{
    const double M[36] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,   0, 0, 0, 2, 0, 0, 0,
                          0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.7, 0, 0, 0, 0, 0, 0, 0.5};
    const double f[6] = {push * 2, 0, -2, 0, 0, 0};
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    const int body = mo_builder_add_body(builder, 6, M, f);
    for (int k = 0; k < n; ++k) {
        const double x = cos(k * 6.28318 / n), y = 0.6 * sin(k * 6.28318 / n), z = -0.5;
        const double J[18] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x};
        const mo_law law = mo_law_coulomb(0.5);
        const int contact = mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_jacobian(builder, contact, body, 3, 6, J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static mo_result solve_canonical(const char *method, const mo_problem *problem, int canonical)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = method;
    options.canonical = canonical;
    options.tol = 1e-10;
    CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
    CHECK_BELOW(result.residual.natural_relative, 1e-10);
    return result;
}

static double norm_of(const mo_result *result)
{
    double sum = 0;
    for (int k = 0; k < result->row_count; ++k) {
        sum += result->r[k] * result->r[k];
    }
    return sqrt(sum);
}

/* All methods end at one r, with the velocities of the method alone and no longer than its r; it
 * does so where blocks stick, where they slide, and where only W is given. */
static void every_method_ends_at_the_shortest_impulses(void **state)
{
    (void)state;
    static const double PUSH[] = {0, 0.1, 0.3, 0.7};
    for (int trial = 0; trial < 8; ++trial) {
        mo_problem *global = box_on_a_ring(5 + trial % 4, PUSH[trial / 2]), *problem = global;
        if (trial % 2) {
            CHECK(mo_problem_reduce(global, &problem, NULL) == MO_OK);
        }
        mo_result first = {0};
        for (int m = 0; m < mo_method_count(); ++m) {
            if (!is_exact(m, problem)) {
                continue;
            }
            const char *name = mo_method_describe(m).name;
            mo_result plain = solve_canonical(name, problem, 0);
            mo_result result = solve_canonical(name, problem, 1);
            CHECK_BELOW(norm_of(&result), norm_of(&plain) * (1 + 1e-9));
            if (!first.r) {
                first = solve_canonical(name, problem, 1);
            }
            for (int k = 0; k < result.row_count; ++k) {
                CHECK_NEAR(result.u[k], plain.u[k], 1e-8);
                CHECK_NEAR(result.r[k], first.r[k], 1e-6);
            }
            mo_result_clear(&plain);
            mo_result_clear(&result);
        }
        mo_result_clear(&first);
        if (problem != global) {
            mo_problem_destroy(problem);
        }
        mo_problem_destroy(global);
    }
}

/* Three rows hold one weight, a fourth opens: laws that have no parameters at all. */
static void rows_without_friction_share_a_weight(void **state)
{
    (void)state;
    const double mass = 1, weight = -3, none = 0, opens = 1;
    const mo_law law = mo_law_frictionless();
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 1, &mass, &weight);
    mo_builder_add_body(builder, 1, &mass, &none);
    for (int k = 0; k < 4; ++k) {
        mo_builder_add_constraint(builder, 1, &law, k < 3 ? &none : &opens);
        mo_builder_add_jacobian(builder, k, k == 3, 1, 1, &mass);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_result result = solve_canonical("auto", problem, 1);
    for (int k = 0; k < 4; ++k) {
        CHECK_NEAR(result.r[k], k < 3 ? 1 : 0, 1e-6);
    }
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

/* A joint that is pushed against its stop, with dry friction: both bear half, or friction as much
 * as it can. */
static void a_stop_and_dry_friction_share_a_push(void **state)
{
    (void)state;
    static const double PUSH[] = {0.5, 3};
    for (int k = 0; k < 2; ++k) {
        const double M = 2, f = -PUSH[k], J = 1, most = 1, least = -1;
        const mo_law stop = mo_law_frictionless(), friction = mo_law_box(&least, &most);
        mo_builder *builder;
        mo_problem *problem;
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        const int body = mo_builder_add_body(builder, 1, &M, &f);
        for (int i = 0; i < 2; ++i) {
            const int own = mo_builder_add_constraint(builder, 1, i ? &friction : &stop, NULL);
            mo_builder_add_jacobian(builder, own, body, 1, 1, &J);
        }
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_result result = solve_canonical("auto", problem, 1);
        CHECK_NEAR(result.r[0], k ? PUSH[k] - 1 : PUSH[k] / 2, 1e-12);
        CHECK_NEAR(result.r[1], k ? 1 : PUSH[k] / 2, 1e-12);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        mo_builder_destroy(builder);
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

/* Methods that change a set of active constraints.  In the step in which the fingers start to move,
 * more than one velocity obeys the law (one slides evenly, another also turns by 0.1 rad/s), and
 * rounding decides at which of them these end. */
static int ends_at_any_motion(const char *name)
{
    return strcmp(name, "dantzig") == 0 || strcmp(name, "newton") == 0;
}

/* A gripper with wide fingers lifts a box: it goes the same way for every method that solves all
 * steps (first-order methods do not). */
static void a_box_between_wide_fingers_moves_alike(void **state)
{
    (void)state;
    double first[3] = {0};
    int count = 0;
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!takes_friction(m)) {
            continue;
        }
        const char *name = mo_method_describe(m).name;
        mo_world *world = build("gripper", name, 0, NULL);
        if (runs(world, 0.01, 60)) {
            const mo_body_state box = box_of(world);
            CHECK(box.pose.position[2] > 0.11); /* it was lifted */
            for (int k = 0; k < 3; ++k) {
                first[k] = count ? first[k] : box.pose.position[k];
                CHECK_NEAR(box.pose.position[k], first[k], ends_at_any_motion(name) ? 1e-3 : 2e-5);
            }
            count += !ends_at_any_motion(name);
        }
        mo_world_destroy(world);
    }
    print_message("%d methods\n", count);
    CHECK(count >= 5);
}

/* ---- the last digits ------------------------------------------------------------------------- */

/* `refine` goes on to rounding, and stops at the noise that it is told of. */
static void refinement_reaches_the_last_digits(void **state)
{
    (void)state;
    mo_problem *problem = box_on_a_ring(6, 0.7);
    mo_options options = mo_default_options();
    mo_result plain = {0}, fine = {0}, noisy = {0};
    options.method = "nsgs";
    options.tol = 1e-4;
    CHECK(mo_solve(problem, &options, &plain) == MO_OK && plain.status == MO_SOLVED);
    options.refine = 1;
    CHECK(mo_solve(problem, &options, &fine) == MO_OK && fine.status == MO_SOLVED);
    CHECK(fine.residual.natural_relative < 1e-2 * plain.residual.natural_relative);
    options.noise = 1;
    CHECK(mo_solve(problem, &options, &noisy) == MO_OK && noisy.status == MO_SOLVED);
    CHECK(noisy.iterations == plain.iterations);
    CHECK(noisy.residual.natural == plain.residual.natural);
    mo_result_clear(&plain);
    mo_result_clear(&fine);
    mo_result_clear(&noisy);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_stands_on_four_equal_corners),
        cmocka_unit_test(a_cube_on_a_slope_shares_its_friction),
        cmocka_unit_test(a_plank_lies_on_three_supports_alike),
        cmocka_unit_test(a_table_loads_its_legs_linearly),
        cmocka_unit_test(symmetric_things_have_symmetric_forces),
        cmocka_unit_test(every_method_ends_at_the_shortest_impulses),
        cmocka_unit_test(rows_without_friction_share_a_weight),
        cmocka_unit_test(a_stop_and_dry_friction_share_a_push),
        cmocka_unit_test(a_box_between_wide_fingers_moves_alike),
        cmocka_unit_test(refinement_reaches_the_last_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
