/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What a step leaves for later is the same whoever looks at it and when; what contacts are made of
 * is right for any number of materials. */
#include "heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "sim/world_data.h"

static void check_same_state(const mo_world *a, const mo_world *b)
{
    const size_t size = mo_world_save(a, NULL, 0);
    char *of_a = malloc(size), *of_b = malloc(size);
    CHECK(of_a && of_b && mo_world_save(b, NULL, 0) == size);
    CHECK(mo_world_save(a, of_a, size) == size && mo_world_save(b, of_b, size) == size);
    CHECK(memcmp(of_a, of_b, size) == 0);
    free(of_a);
    free(of_b);
}

static void queries_change_nothing(void **state)
{
    (void)state;
    mo_world *seen = heap_of_beads(120, 2e-3, 1), *unseen = heap_of_beads(120, 2e-3, 1);
    for (int k = 0; k < 60; ++k) {
        const mo_step_report report = heap_step(seen, 1), other = heap_step(unseen, 1);
        CHECK(report.contacts == other.contacts && report.islands == other.islands);
        CHECK(report.kinetic_energy == other.kinetic_energy);
        switch (k % 4) { /* each looks in its own way, and once nobody does */
        case 0:
            CHECK(mo_world_contact_count(seen) >= report.contacts); /* and those that bounced */
            break;
        case 1:
            CHECK(mo_world_contact(seen, mo_world_contact_count(seen) - 1).id != 0);
            CHECK(mo_world_contact(seen, mo_world_contact_count(seen)).id == 0);
            break;
        case 2:
            CHECK(mo_problem_constraint_count(mo_world_problem(seen)) == report.contacts);
            break;
        default:
            break;
        }
    }
    check_same_state(seen, unseen);
    mo_world_destroy(seen);
    mo_world_destroy(unseen);
}

/* Of a driven body: nowhere, once that is asked for. */
static void vanish(void *user, double time, mo_pose *pose)
{
    (void)time;
    *pose = mo_pose_at(*(int *)user ? NAN : 0, 0, -9);
}

static void add_vanishing(mo_world *world, int *vanishes)
{
    mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
    def.pose = mo_pose_at(0, 0, -9);
    def.motion = vanish;
    def.motion_user = vanishes;
    CHECK(mo_world_add_body(world, &def, NULL).index);
}

/* A step that is refused leaves contacts and impulses as they were. */
static void a_refused_step_forgets_no_impulse(void **state)
{
    (void)state;
    mo_world *world = heap_of_beads(60, 2e-3, 1), *other = heap_of_beads(60, 2e-3, 1);
    mo_message why = {""};
    int vanishes = 0;
    add_vanishing(world, &vanishes);
    for (int k = 0; k < 50; ++k) {
        heap_step(world, 1);
        heap_step(other, 1);
    }
    vanishes = 1;
    CHECK(mo_world_step(world, 0.02, NULL, &why) != MO_OK);
    CHECK(strstr(why.text, "finite") != NULL);
    const int count = mo_world_contact_count(other);
    CHECK(mo_world_contact_count(world) == count && count > 60);
    for (int k = 0; k < count; ++k) {
        const mo_contact a = mo_world_contact(world, k), b = mo_world_contact(other, k);
        CHECK(a.id == b.id && memcmp(a.impulse, b.impulse, sizeof a.impulse) == 0);
    }
    mo_world_destroy(world);
    mo_world_destroy(other);
}

/* More materials than have numbers: each ball on the plane has the mean of its friction and the
 * plane's. */
static void friction_is_right_for_any_number_of_materials(void **state)
{
    (void)state;
    enum { BALLS = 3 * MO_SURFACES };
    mo_message why = {""};
    mo_world_def def = mo_default_world();
    def.solver.tol = 1e-4;
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const mo_body_def fixed = mo_default_body(MO_BODY_FIXED);
    mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    plane.material.friction = 0.8;
    const mo_body_id ground = mo_world_add_body(world, &fixed, &why);
    CHECK(mo_world_add_shape(world, ground, &plane, &why).index > 0);
    for (int k = 0; k < BALLS; ++k) {
        mo_body_def free_body = mo_default_body(MO_BODY_FREE);
        free_body.pose = mo_pose_at(0.3 * k, 0, 0.1);
        ball.material.friction = 0.1 + 0.02 * k;
        const mo_body_id id = mo_world_add_body(world, &free_body, &why);
        CHECK(mo_world_add_shape(world, id, &ball, &why).index > 0);
    }
    CHECK(heap_step(world, 1).contacts == BALLS);
    for (int k = 0; k < BALLS; ++k)
        CHECK_NEAR(mo_world_contact(world, k).mu, sqrt(0.8 * (0.1 + 0.02 * k)), 1e-15);
    mo_material ice = mo_default_material();
    ice.friction = 0.02;
    mo_body_set_material(world, mo_world_body(world, 3), &ice, NULL);
    mo_body_set_material(world, mo_world_body(world, BALLS), &ice, NULL);
    CHECK(heap_step(world, 1).contacts == BALLS);
    CHECK_NEAR(mo_world_contact(world, 2).mu, sqrt(0.8 * 0.02), 1e-15);
    CHECK_NEAR(mo_world_contact(world, BALLS - 1).mu, sqrt(0.8 * 0.02), 1e-15);
    CHECK_NEAR(mo_world_contact(world, 1).mu, sqrt(0.8 * 0.12), 1e-15);
    mo_world_destroy(world);
}

/* ---- contacts that are held ------------------------------------------------------------------ */

static mo_world *pile(void)
{
    mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    def.solver.tol = 2e-3;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    const mo_shape_def floor = mo_shape_plane(),
                       shapes[] = {mo_shape_box(0.2, 0.15, 0.1), mo_shape_cylinder(0.12, 0.15),
                                   mo_shape_capsule((const double[3]){-0.15, 0, 0},
                                                    (const double[3]){0.15, 0, 0}, 0.1),
                                   mo_shape_box(0.1, 0.1, 0.1)};
    mo_pose pose = mo_pose_identity();
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, &pose, NULL).index > 0);
    for (int k = 0; k < 16; ++k) {
        pose = mo_pose_turned(0.15 * (k % 3), 0.13 * (k % 2), 0.3 + 0.25 * k,
                              (const double[3]){1, 2, 3}, 0.7 * k);
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, shapes + k % 4, &pose, NULL).index > 0);
    }
    return world;
}

static mo_step_report step(mo_world *world)
{
    mo_step_report report;
    CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
    return report;
}

/* Contacts that were carried here from where they were collided. */
static int count_carried(const mo_world *world)
{
    int count = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        count += contact->held.points > 0 && contact->held.gap != contact->gap;
    }
    return count;
}

static void held_contacts_have_the_gaps_of_a_collision(void **state)
{
    (void)state;
    static const double SIZE = 0.1, MOVED = 4e-3; /* of the size, since they were collided */
    mo_world *world = pile();
    int carried = 0;
    for (int k = 0; k < 300; ++k) {
        const double depth = mo_world_penetration(world);
        CHECK_NEAR(step(world).penetration, depth, MOVED * MOVED * 2 * SIZE);
        carried += count_carried(world);
    }
    CHECK(carried > 1000);
    mo_world_destroy(world);
}

static void held_contacts_are_saved_and_loaded(void **state)
{
    (void)state;
    mo_world *one = pile(), *other = pile();
    for (int k = 0; k < 200; ++k)
        step(one);
    CHECK(count_carried(one) > 0);
    const size_t size = mo_world_save(one, NULL, 0);
    void *bytes = malloc(size);
    CHECK(bytes && mo_world_save(one, bytes, size) == size);
    CHECK(mo_world_load(other, bytes, size, NULL) == MO_OK);
    for (int k = 0; k < 100; ++k) {
        step(one);
        step(other);
    }
    check_same_state(one, other);
    free(bytes);
    mo_world_destroy(one);
    mo_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_change_nothing),
        cmocka_unit_test(a_refused_step_forgets_no_impulse),
        cmocka_unit_test(friction_is_right_for_any_number_of_materials),
        cmocka_unit_test(held_contacts_have_the_gaps_of_a_collision),
        cmocka_unit_test(held_contacts_are_saved_and_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
