/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Boxes, capsules, cylinders and hulls that are stepped as a whole on a device: judged by Newton's
 * and Coulomb's laws from what the world then reports, by closed forms, and beside the same heap
 * stepped on the host.
 */
#include "device_heap_checks.h"

#include "device/ball_touch.h"
#include "sim/device_heap_data.h"

enum { BOXES = 1, CAPSULES, CYLINDERS, HULLS, MIXED };

static mo_world *heap_of(int shape, int count, double tol)
{
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    mo_message why = {""};
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", count, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "shape", shape, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.solver.tol = tol;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    return world;
}

static mo_world *solids_on(int shape, int count, double tol, int way)
{
    mo_world *world = heap_of(shape, count, tol);
    if (!send_to(world, way)) {
        mo_world_destroy(world);
        return NULL;
    }
    return world;
}

/* ---- bits ------------------------------------------------------------------------------------ */

static mo_world *mixture_on(int way)
{
    return solids_on(MIXED, 60, 1e-3, way);
}

static mo_world *hulls_on(int way)
{
    return solids_on(HULLS, 40, 1e-3, way);
}

static void all_variants_give_the_same_bits(void **state)
{
    (void)state;
    check_bits(mixture_on, 24);
    check_bits(hulls_on, 20);
}

/* ---- the laws -------------------------------------------------------------------------------- */

/* Cubes have one inertia about every axis: their spins change by the moments alone. */
static mo_world *cubes(int count)
{
    mo_world_def def = mo_default_world();
    mo_shape_def plane = mo_shape_plane(), cube = mo_shape_box(0.1, 0.1, 0.1);
    mo_world *world;
    plane.material.friction = cube.material.friction = 0.3;
    def.solver.tol = 1e-3;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, NULL);
    for (int k = 0; k < count; ++k) {
        const double axis[3] = {1, 0.3 * k, 2 - k % 5};
        const mo_pose at = mo_pose_turned(0.23 * (k % 4), 0.23 * (k / 4 % 4), 0.2 + 0.25 * (k / 16),
                                          axis, 0.1 * k);
        mo_world_add_solid(world, MO_BODY_FREE, &cube, &at, NULL);
    }
    return world;
}

static void a_step_obeys_newton_and_coulomb(void **state)
{
    (void)state;
    mo_world *world = cubes(80);
    CHECK(send_to(world, 0));
    heap_step(world, 29);
    CHECK(mo_device_heap_is_away(world));
    check_laws(world, 150);
    mo_world_destroy(world);
}

/* The same heaps on the host's own road: all lose their energy at one pace, and none sinks. */
static void heaps_settle_as_on_the_host(void **state)
{
    (void)state;
    double here = 0, there = 0;
    for (int shape = BOXES; shape <= MIXED; ++shape) {
        mo_world *one = heap_of(shape, 60, 1e-3), *other = solids_on(shape, 60, 1e-3, 0);
        mo_step_report a = {0}, b = {0};
        for (int k = 0; k < 100; ++k) {
            a = heap_step(one, 1);
            b = heap_step(other, 1);
            CHECK(b.status == MO_SOLVED && mo_device_heap_is_away(other));
            CHECK_BELOW(b.penetration, 8e-3); /* 5 % of a size: boxes that tumble into each other */
        }
        here += a.potential_energy;
        there += b.potential_energy;
        CHECK_BELOW(b.kinetic_energy, 2e-2 * b.potential_energy);
        CHECK_NEAR(b.kinetic_energy, mo_world_kinetic_energy(other), 1e-12 * b.kinetic_energy);
        CHECK_BELOW(mo_world_penetration(other), 2e-3);
        mo_world_destroy(one);
        mo_world_destroy(other);
    }
    CHECK_NEAR(there, here, 0.04 * here); /* of 300 bodies */
}

/* ---- closed forms ---------------------------------------------------------------------------- */

static mo_world *world_with(const mo_shape_def *floor, const mo_pose *floor_at,
                            const mo_shape_def *shape, const mo_pose *at, mo_body_id *body)
{
    mo_world_def def = mo_default_world();
    mo_world *world;
    def.solver.tol = 1e-8;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, floor, floor_at, NULL);
    *body = mo_world_add_solid(world, MO_BODY_FREE, shape, at, NULL);
    CHECK(body->index != 0 && send_to(world, 0));
    return world;
}

/* On a plane, and on a fixed box, cylinder, capsule and hull; heights in closed form. */
static void solids_come_to_rest_on_what_is_fixed(void **state)
{
    (void)state;
    const double a[3] = {-0.2, 0, 0}, b[3] = {0.2, 0, 0}, z[3] = {0, 0, 1};
    static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    double prism[24][3]; /* more touches than are usual */
    for (int k = 0; k < 24; ++k) {
        const double angle = 0.1 + acos(-1) / 6 * (k / 2);
        mo_vec3_set(prism[k], 0.3 * cos(angle), 0.3 * sin(angle), k % 2 ? 0.1 : -0.1);
    }
    const mo_shape_def floor[] = {mo_shape_plane(), mo_shape_box(1, 1, 1), mo_shape_cylinder(1, 1),
                                  mo_shape_hull(corner[0], 8)};
    const mo_shape_def shape[] = {mo_shape_box(0.1, 0.2, 0.3), mo_shape_capsule(a, b, 0.1),
                                  mo_shape_cylinder(0.2, 0.1), mo_shape_ball(0.15),
                                  mo_shape_hull(corner[0], 8), mo_shape_hull(prism[0], 24)};
    const double height[] = {0.3, 0.1, 0.1, 0.15, 1, 0.1};
    for (int f = 0; f < 4; ++f) {
        for (int k = 0; k < 6; ++k) {
            const double top = f > 0 ? 1 : 0;
            const mo_pose turned = mo_pose_turned(0, 0, 0, z, 0.4),
                          at = mo_pose_turned(0.02, 0.03, top + height[k] + 0.05, z, 0.3);
            mo_body_id body;
            mo_world *world = world_with(floor + f, &turned, shape + k, &at, &body);
            heap_step(world, 40);
            CHECK(mo_device_heap_is_away(world));
            const mo_body_state s = mo_body_get(world, body);
            CHECK_NEAR(s.centre[2], top + height[k], 1e-5);
            CHECK_BELOW(mo_vec3_norm(s.velocity), 1e-5);
            mo_world_destroy(world);
        }
    }
}

/* A box on a slope: it sticks below the angle of friction, and above it slides with
 * g (sin - mu cos). */
static void a_box_slides_down_a_slope(void **state)
{
    (void)state;
    const double y[3] = {0, 1, 0}, angles[2] = {0.3, 0.7}, mu = 0.5;
    for (int k = 0; k < 2; ++k) {
        const double angle = angles[k], n[3] = {sin(angle), 0, cos(angle)};
        const mo_pose slope = mo_pose_turned(0, 0, 0, y, angle),
                      at = mo_pose_turned(0.1 * n[0], 0, 0.1 * n[2], y, angle);
        const mo_shape_def plane = mo_shape_plane(), box = mo_shape_box(0.3, 0.2, 0.1);
        mo_body_id body;
        mo_world *world = world_with(&plane, &slope, &box, &at, &body);
        heap_step(world, 25);
        const mo_body_state s = mo_body_get(world, body);
        const double expected = angle > atan(mu) ? G * (sin(angle) - mu * cos(angle)) * 0.5 : 0;
        CHECK_NEAR(mo_vec3_norm(s.velocity), expected, 1e-4);
        CHECK_BELOW(mo_vec3_norm(s.spin), 1e-4);
        mo_world_destroy(world);
    }
}

/* A box that tumbles freely keeps its angular momentum, as J(R) w says it. */
static void a_free_box_keeps_its_angular_momentum(void **state)
{
    (void)state;
    const mo_shape_def plane = mo_shape_plane(), box = mo_shape_box(0.3, 0.2, 0.1);
    const mo_pose at = mo_pose_at(0, 0, 100);
    const double v[3] = {0}, spin[3] = {1, 7, 0.5};
    double momentum[3], before[3], after[3];
    mo_body_id body;
    mo_world *world = world_with(&plane, NULL, &box, &at, &body);
    CHECK(mo_body_set(world, body, &at, v, spin, NULL) == MO_OK);
    mo_world_momentum(world, momentum, before);
    heap_step(world, 100);
    CHECK(mo_device_heap_is_away(world));
    mo_world_momentum(world, momentum, after);
    for (int k = 0; k < 3; ++k) /* about the origin: the centre falls along z through x = y = 0 */
        CHECK_NEAR(after[k], before[k], 1e-9 * mo_vec3_norm(before));
    mo_world_destroy(world);
}

/* A push between steps, and a world that goes on on the host: impulses travel with it. */
static void solids_come_back_with_their_impulses(void **state)
{
    (void)state;
    mo_world *world = solids_on(BOXES, 40, 1e-3, 0);
    heap_step(world, 80);
    const int contacts = mo_world_contact_count(world);
    double carried = 0;
    for (int k = 0; k < contacts; ++k) {
        const mo_contact c = mo_world_contact(world, k);
        carried += mo_vec3_norm(c.impulse) > 0;
    }
    CHECK(carried > 60);
    mo_device_heap_end(world);
    const mo_step_report here = heap_step(world, 1);
    CHECK(here.status == MO_SOLVED && here.iterations < 300 && mo_world_problem(world) != NULL);
    CHECK(send_to(world, 0)); /* and there again: the features are those of the host */
    const mo_step_report there = heap_step(world, 1);
    CHECK(there.status == MO_SOLVED && there.iterations < 100 && mo_device_heap_is_away(world));
    mo_world_destroy(world);
}

/* ---- separation ------------------------------------------------------------------------------ */

static mo_collider collider_of(const mo_shape_def *def)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_collider collider;
    CHECK(mo_collider_init(def, 0, &own, &collider, NULL) == MO_OK);
    return collider;
}

static mo_pose random_pose(mo_random *random)
{
    const double axis[3] = {uniform(random, -1, 1), uniform(random, -1, 1), 1};
    return mo_pose_turned(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1),
                          axis, uniform(random, -3, 3));
}

/* Of every two kinds, along random directions; a plane has one direction alone. */
static void the_separation_is_that_of_the_host(void **state)
{
    (void)state;
    const double a[3] = {-0.2, 0.1, 0}, b[3] = {0.3, 0, 0.1}, z[3] = {0, 0, 1};
    static const double corner[5][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 0}, {0, 0, -0.5}};
    const mo_shape_def def[] = {mo_shape_ball(0.3),          mo_shape_box(0.1, 0.2, 0.3),
                                mo_shape_capsule(a, b, 0.1), mo_shape_cylinder(0.2, 0.4),
                                mo_shape_hull(corner[0], 5), mo_shape_plane()};
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_random random = {7};
    for (int k = 0; k < 36; ++k) {
        mo_collider one = collider_of(def + k / 6), two = collider_of(def + k % 6);
        for (int sample = 0; sample < 20 && k / 6 < 5; ++sample) {
            double n[1][3], along[3];
            const mo_two_placed p = {{&one, random_pose(&random)}, {&two, random_pose(&random)}};
            mo_vec3_set(n[0], uniform(&random, -1, 1), uniform(&random, -1, 1), 0.5);
            mo_vec3_scale(1 / mo_vec3_norm(n[0]), n[0], n[0]);
            if (k % 6 == 5) mo_vector_out(&p.two.pose, z, n[0]);
            const double expected = mo_collide_separation(&two, &p.two.pose, &one, &p.one.pose,
                                                          (const double(*)[3])n, 1, along);
            CHECK_NEAR(mo_separation(&p, mo_vec_at(n[0])), expected, 1e-13);
        }
        mo_collider_clear(&own, &one);
        mo_collider_clear(&own, &two);
    }
}

/* Bodies that fall on each other turn, but few end a step in each other. */
static void few_pairs_are_searched_at_the_end_of_a_step(void **state)
{
    (void)state;
    mo_world *world = solids_on(MIXED, 200, 1e-2, 0);
    double pairs = 0, ends = 0;
    for (int k = 0; k < 50; ++k) {
        heap_step(world, 1);
        pairs += world->heap->pairs;
        ends += world->heap->ends.used;
    }
    CHECK(pairs > 10000);
    CHECK_BELOW(ends, 0.1 * pairs);
    mo_world_destroy(world);
}

/* ---- unsupported worlds ---------------------------------------------------------------------- */

static void check_refused(mo_world *world, const char *word)
{
    mo_message why = {""};
    CHECK(!mo_device_heap_takes(world, &why) && strstr(why.text, word) != NULL);
    CHECK(send_to(world, 0));
    heap_step(world, 2);
    CHECK(!mo_device_heap_is_away(world));
    mo_world_destroy(world);
}

static void other_worlds_are_refused_by_name(void **state)
{
    (void)state;
    mo_world *world = cubes(3);
    const mo_shape_def more = mo_shape_ball(0.05);
    CHECK(mo_world_add_shape(world, mo_world_body(world, 2), &more, NULL).index != 0);
    check_refused(world, "more than one");
    double round[40][3];
    for (int k = 0; k < 40; ++k) {
        const double height = -0.95 + 1.9 * k / 39;
        mo_vec3_set(round[k], sqrt(1 - height * height) * cos(2.4 * k),
                    sqrt(1 - height * height) * sin(2.4 * k), height);
    }
    world = cubes(3);
    const mo_shape_def hull = mo_shape_hull(round[0], 40);
    const mo_pose at = mo_pose_at(0, 0, 5);
    mo_world_add_solid(world, MO_BODY_FREE, &hull, &at, NULL);
    check_refused(world, "32 vertices");
    static const double ground[4][3] = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    world = cubes(3);
    const mo_shape_def mesh = mo_shape_mesh(ground[0], 4, triangles, 6);
    mo_world_add_solid(world, MO_BODY_FIXED, &mesh, NULL, NULL);
    check_refused(world, "not convex");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_variants_give_the_same_bits),
        cmocka_unit_test(a_step_obeys_newton_and_coulomb),
        cmocka_unit_test(heaps_settle_as_on_the_host),
        cmocka_unit_test(solids_come_to_rest_on_what_is_fixed),
        cmocka_unit_test(a_box_slides_down_a_slope),
        cmocka_unit_test(a_free_box_keeps_its_angular_momentum),
        cmocka_unit_test(solids_come_back_with_their_impulses),
        cmocka_unit_test(the_separation_is_that_of_the_host),
        cmocka_unit_test(few_pairs_are_searched_at_the_end_of_a_step),
        cmocka_unit_test(other_worlds_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
