/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Heaps of balls that are stepped as a whole on a device: judged by Newton's and Coulomb's laws
 * from what the world then tells, by closed forms, and beside the same heap stepped on the host.
 * The bits do not depend on the order of indices, nor on whether the device is the host or a GPU.
 */
#include "device_heap_checks.h"

static mo_world *heap_on(int count, double tol, int way)
{
    mo_world *world = heap_of_beads(count, tol, 1);
    if (!send_to(world, way)) {
        mo_world_destroy(world);
        return NULL;
    }
    return world;
}

/* ---- bits ------------------------------------------------------------------------------------ */

static mo_world *three_patches(int way)
{
    return heap_on(520, 1e-3, way);
}

static void all_variants_give_the_same_bits(void **state)
{
    (void)state;
    check_bits(three_patches, 15);
}

/* ---- the laws -------------------------------------------------------------------------------- */

/* Without restitution: w is the gap over h. */
static void a_step_obeys_newton_and_coulomb(void **state)
{
    (void)state;
    mo_world *world = heap_on(200, 1e-3, 0);
    forget_restitution(world);
    heap_step(world, 29);
    check_laws(world, 300);
    mo_world_destroy(world);
}

/* No touch is lost: every pair of balls that is nearer than its margin has its contact. */
static void every_touch_has_its_contact(void **state)
{
    (void)state;
    mo_world *world = heap_on(250, 1e-3, 1);
    heap_step(world, 30);
    const int bodies = mo_world_body_count(world);
    double(*x)[3] = calloc((size_t)bodies, sizeof *x);
    int near = 0, found = 0;
    for (int k = 0; k < bodies; ++k)
        mo_vec3_copy(mo_body_get(world, mo_world_body(world, k)).centre, x[k]);
    heap_step(world, 1); /* from these places */
    for (int i = 1; i < bodies; ++i) {
        for (int j = 1; j < i; ++j) {
            double between[3];
            mo_vec3_minus(x[i], x[j], between);
            near += mo_vec3_norm(between) <= 0.2 + 0.01 * 0.1;
        }
    }
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact c = mo_world_contact(world, k);
        const int is_ball = index_of(world, c.a) > 0 && index_of(world, c.b) > 0;
        found += is_ball && c.gap <= 0.01 * 0.1;
    }
    CHECK(near > 300 && near == found);
    free(x);
    mo_world_destroy(world);
}

/* The same heap on the host's own road: both lose their energy at one pace, and neither sinks. */
static void a_heap_settles_as_on_the_host(void **state)
{
    (void)state;
    mo_world *one = heap_of_beads(300, 1e-3, 1), *other = heap_on(300, 1e-3, 0);
    mo_step_report a = {0}, b = {0};
    for (int k = 0; k < 60; ++k) {
        a = heap_step(one, 1);
        b = heap_step(other, 1);
        CHECK(b.status == MO_SOLVED);
        CHECK_BELOW(b.penetration, 1e-3); /* a hundredth of a radius */
    }
    CHECK_NEAR(b.potential_energy, a.potential_energy, 0.03 * a.potential_energy);
    CHECK_BELOW(b.kinetic_energy, 1e-2 * b.potential_energy);
    CHECK_NEAR(b.kinetic_energy, mo_world_kinetic_energy(other), 1e-12 * b.kinetic_energy);
    CHECK_NEAR(b.potential_energy, mo_world_potential_energy(other), 1e-12 * b.potential_energy);
    CHECK_BELOW(mo_world_penetration(other), 1e-3);
    mo_world_destroy(one);
    mo_world_destroy(other);
}

/* ---- closed forms ---------------------------------------------------------------------------- */

typedef struct single {
    mo_world *world;
    mo_body_id ball;
} single;

static single make_single(mo_shape_def floor, const mo_pose *at, double height, double restitution)
{
    mo_world_def def = mo_default_world();
    single s = {0};
    mo_shape_def ball = mo_shape_ball(0.1);
    const mo_pose above = mo_pose_at(0.02, 0.01, height);
    def.solver.tol = 1e-6;
    floor.material.restitution = ball.material.restitution = restitution;
    CHECK(mo_world_create(&def, NULL, &s.world, NULL) == MO_OK);
    CHECK(mo_world_add_solid(s.world, MO_BODY_FIXED, &floor, at, NULL).index != 0);
    s.ball = mo_world_add_solid(s.world, MO_BODY_FREE, &ball, &above, NULL);
    CHECK(s.ball.index != 0 && send_to(s.world, 0));
    return s;
}

/* On a box that is turned a quarter about z, and on a plane. */
static void a_ball_comes_to_rest_on_what_is_fixed(void **state)
{
    (void)state;
    const double z[3] = {0, 0, 1};
    const mo_pose turned = mo_pose_turned(0, 0, 0.5, z, 0.7853981633974483);
    const mo_shape_def floors[2] = {mo_shape_plane(), mo_shape_box(0.4, 0.3, 0.25)};
    for (int k = 0; k < 2; ++k) {
        const double top = k ? 0.75 : 0.5;
        single s = make_single(floors[k], &turned, top + 0.15, 0);
        heap_step(s.world, 40);
        CHECK(mo_device_heap_is_away(s.world));
        const mo_body_state at = mo_body_get(s.world, s.ball);
        CHECK_NEAR(at.centre[2], top + 0.1, 1e-5);
        CHECK_BELOW(mo_vec3_norm(at.velocity), 1e-4);
        mo_world_destroy(s.world);
    }
}

/* Newton's law: it leaves the floor with e times the speed at which it came. */
static void a_ball_bounces(void **state)
{
    (void)state;
    const double e = 0.6;
    single s = make_single(mo_shape_plane(), NULL, 1, e);
    double before = 0, after = 0;
    for (int k = 0; k < 60 && after <= 0; ++k) {
        before = mo_body_get(s.world, s.ball).velocity[2];
        heap_step(s.world, 1);
        after = mo_body_get(s.world, s.ball).velocity[2];
    }
    CHECK_NEAR(after, -e * before, 1e-5);
    mo_world_destroy(s.world);
}

/* Uphill on a plane without grip and with it: v - g t, and 2/7 of the speed is lost to rolling. */
static void a_sliding_ball_ends_rolling(void **state)
{
    (void)state;
    single s = make_single(mo_shape_plane(), NULL, 0.1, 0);
    const double v[3] = {1, 0, 0}, spin[3] = {0, 0, 0};
    const mo_pose pose = mo_pose_at(0, 0, 0.1);
    CHECK(mo_body_set(s.world, s.ball, &pose, v, spin, NULL) == MO_OK);
    heap_step(s.world, 100);
    const mo_body_state at = mo_body_get(s.world, s.ball);
    CHECK(mo_device_heap_is_away(s.world));
    CHECK_NEAR(at.velocity[0], 5.0 / 7, 1e-3);
    CHECK_NEAR(at.spin[1], at.velocity[0] / 0.1, 1e-3);
    mo_world_destroy(s.world);
}

/* Fast balls through a row: a contact that nobody expected is taken in, and nothing passes. */
static void late_contacts_are_taken_in(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    mo_world *world;
    const mo_shape_def ball = mo_shape_ball(0.1);
    def.solver.tol = 1e-4;
    def.gravity[2] = 0;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    for (int k = 0; k < 5; ++k) { /* gaps of a tenth of a radius between balls at rest */
        const mo_pose at = mo_pose_at(0.21 * k, 0, 0);
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, &ball, &at, NULL).index != 0);
    }
    const double v[3] = {20, 0, 0}, spin[3] = {0};
    const mo_pose start = mo_pose_at(-0.45, 0, 0);
    CHECK(mo_body_set(world, mo_world_body(world, 0), &start, v, spin, NULL) == MO_OK);
    CHECK(send_to(world, 0));
    double momentum[3], angular[3];
    const double mass = mo_body_get(world, mo_world_body(world, 0)).mass;
    for (int k = 0; k < 6; ++k) {
        heap_step(world, 1);
        CHECK_BELOW(mo_world_penetration(world), 2e-4);
    }
    mo_world_momentum(world, momentum, angular);
    CHECK_NEAR(momentum[0], 20 * mass, 1e-9 * mass);
    for (int k = 1; k < 5; ++k) { /* in their order still */
        const double here = mo_body_get(world, mo_world_body(world, k)).centre[0],
                     last = mo_body_get(world, mo_world_body(world, k - 1)).centre[0];
        CHECK(here - last > 0.199);
    }
    mo_world_destroy(world);
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* A push between steps, and a world that goes on on the host: no one sees where it was. */
static void changes_between_steps_take_effect(void **state)
{
    (void)state;
    single s = make_single(mo_shape_plane(), NULL, 5, 0);
    const double force[3] = {3, 0, 0};
    heap_step(s.world, 3);
    const mo_body_state before = mo_body_get(s.world, s.ball);
    CHECK(mo_body_apply_force(s.world, s.ball, force, before.centre, NULL) == MO_OK);
    CHECK(!mo_device_heap_is_away(s.world));
    heap_step(s.world, 1);
    CHECK(mo_device_heap_is_away(s.world));
    const mo_body_state after = mo_body_get(s.world, s.ball);
    CHECK_NEAR(after.velocity[0] - before.velocity[0], H * 3 / after.mass, 1e-14);
    CHECK_NEAR(after.velocity[2] - before.velocity[2], -H * G, 1e-12);
    heap_step(s.world, 1); /* the force was of one step */
    CHECK_NEAR(mo_body_get(s.world, s.ball).velocity[0], after.velocity[0], 1e-15);
    mo_world_destroy(s.world);
}

/* Impulses travel with it: at rest the next step on the host starts from its solution. */
static void a_heap_that_comes_back_keeps_its_impulses(void **state)
{
    (void)state;
    mo_world *world = heap_on(100, 1e-3, 0);
    heap_step(world, 90);
    mo_device_heap_end(world);
    const mo_step_report report = heap_step(world, 1);
    CHECK(report.status == MO_SOLVED && report.contacts > 150 && mo_world_problem(world) != NULL);
    CHECK(report.iterations < 200);
    int carried = 0;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact c = mo_world_contact(world, k);
        carried += mo_vec3_norm(c.impulse) > 0;
    }
    CHECK(carried > 100);
    mo_world_destroy(world);
}

static void a_saved_heap_is_loaded_again(void **state)
{
    (void)state;
    mo_world *world = heap_on(100, 1e-3, 0), *other = heap_on(100, 1e-3, 0);
    mo_message why = {""};
    heap_step(world, 60);
    const size_t size = mo_world_save(world, NULL, 0);
    char *saved = malloc(size), *again = malloc(size);
    CHECK(saved && again && mo_world_save(world, saved, size) == size);
    CHECK(mo_world_load(other, saved, size, &why) == MO_OK);
    CHECK(mo_world_save(other, again, size) == size && memcmp(again, saved, size) == 0);
    const mo_step_report report = heap_step(other, 1);
    CHECK(report.status == MO_SOLVED && report.contacts > 100);
    free(saved);
    free(again);
    mo_world_destroy(world);
    mo_world_destroy(other);
}

/* Of facts that a driver may tell, as auto and gpu see them. */
static void a_gpu_without_kernels_is_refused_by_its_architecture(void **state)
{
    (void)state;
    mo_gpu_facts gpu = {.trouble = "no driver"};
    mo_message why = {""};
    CHECK(mo_device_judge_gpu(&gpu, &why) == MO_ERR_UNSUPPORTED && strstr(why.text, "no driver"));
    gpu = (mo_gpu_facts){.count = 1, .name = "Old", .major = 6, .minor = 1};
    CHECK(mo_device_judge_gpu(&gpu, &why) == MO_ERR_UNSUPPORTED);
    CHECK(strstr(why.text, "Old, of compute capability 6.1") != NULL);
    CHECK(strstr(why.text, "CMAKE_CUDA_ARCHITECTURES=61") && strstr(why.text, "device = cpu"));
    gpu.trouble = "it is asleep";
    CHECK(mo_device_judge_gpu(&gpu, &why) != MO_OK && strstr(why.text, "it is asleep") != NULL);
    gpu.trouble = NULL;
    gpu.has_kernels = 1;
    CHECK(mo_device_judge_gpu(&gpu, NULL) == MO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_variants_give_the_same_bits),
        cmocka_unit_test(a_step_obeys_newton_and_coulomb),
        cmocka_unit_test(every_touch_has_its_contact),
        cmocka_unit_test(a_heap_settles_as_on_the_host),
        cmocka_unit_test(a_ball_comes_to_rest_on_what_is_fixed),
        cmocka_unit_test(a_ball_bounces),
        cmocka_unit_test(a_sliding_ball_ends_rolling),
        cmocka_unit_test(late_contacts_are_taken_in),
        cmocka_unit_test(changes_between_steps_take_effect),
        cmocka_unit_test(a_heap_that_comes_back_keeps_its_impulses),
        cmocka_unit_test(a_saved_heap_is_loaded_again),
        cmocka_unit_test(a_gpu_without_kernels_is_refused_by_its_architecture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
