/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Contacts that begin and end, and many worlds at once. */
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

static mo_world *make_world(int sleeps)
{
    mo_world_def def = mo_default_world();
    def.sleeping = sleeps;
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    const mo_body_id body = mo_world_add_solid(world, kind, &shape, &pose, NULL);
    CHECK(body.index);
    return body;
}

static void step(mo_world *world, mo_events *events)
{
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    CHECK(mo_events_update(events, world, NULL) == MO_OK);
}

/* A ball with restitution: each bounce begins and ends, in turn, and the height tells when. */
static void a_bounce_begins_and_ends(void **state)
{
    (void)state;
    mo_world *world = make_world(0);
    mo_shape_def plane = mo_shape_plane();
    plane.material.restitution = 0.8;
    const mo_body_id floor = add(world, MO_BODY_FIXED, plane, mo_pose_identity()),
                     ball = add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(0, 0, 1));
    mo_events *events;
    CHECK(mo_events_create(NULL, &events) == MO_OK);
    int begins = 0, is_on = 0;
    double first = 0;
    for (int k = 0; k < 120; ++k) {
        step(world, events);
        CHECK(mo_events_count(events) <= 1);
        for (int i = 0; i < mo_events_count(events); ++i) {
            const mo_event event = mo_events_get(events, i);
            CHECK(event.a.index == floor.index && event.b.index == ball.index);
            CHECK((event.kind == MO_EVENT_BEGIN) == !is_on);
            is_on = event.kind == MO_EVENT_BEGIN;
            begins += is_on;
            first = begins == 1 && is_on ? mo_world_time(world) : first;
        }
        const double height = mo_body_get(world, ball).pose.position[2];
        CHECK(!is_on || height < 0.15);
    }
    CHECK_NEAR(first, sqrt(2 * 0.9 / 9.81), 0.02); /* of the fall */
    CHECK(begins == 2); /* the second bounce is after 0.43 + 2 * 0.8 * 0.43 s */
    CHECK(mo_events_get(events, 99).a.index == 0);
    mo_events_destroy(events);
    mo_world_destroy(world);
}

/* The impulse of an impact that bounces is that of its contact: momentum is balanced. */
static void a_bounce_has_its_impulse_in_the_contacts(void **state)
{
    (void)state;
    mo_world *world = make_world(0);
    mo_shape_def plane = mo_shape_plane();
    plane.material.restitution = 0.8;
    add(world, MO_BODY_FIXED, plane, mo_pose_identity());
    const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(0, 0, 0.3));
    const double mass = mo_body_get(world, ball).mass, h = 0.01;
    double largest = 0;
    for (int k = 0; k < 60; ++k) {
        const double before = mo_body_get(world, ball).velocity[2];
        CHECK(mo_world_step(world, h, NULL, NULL) == MO_OK);
        double force[3], moment[3];
        CHECK(mo_body_contact_force(world, ball, force, moment, NULL) == MO_OK);
        const double gained = mass * (mo_body_get(world, ball).velocity[2] - before + 9.81 * h);
        CHECK_NEAR(force[2] * h, gained, 1e-9 * mass);
        largest = fmax(largest, gained / mass);
        mo_contact contact;
        if (gained / mass > 1) {
            CHECK(mo_body_contacts(world, ball, &contact, 1) == 1);
            CHECK_NEAR(contact.velocity[2], mo_body_get(world, ball).velocity[2], 1e-9);
        }
    }
    CHECK(largest > 1.8 * 0.9 * sqrt(2 * 9.81 * 0.2)); /* (1 + e) v of the first one */
    mo_world_destroy(world);
}

static void contacts_of_removed_bodies_end_and_those_of_sleeping_bodies_stay(void **state)
{
    (void)state;
    mo_world *world = make_world(1);
    const mo_body_id floor = add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity()),
                     low = add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1),
                               mo_pose_at(0, 0, 0.1)),
                     top = add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1),
                               mo_pose_at(0, 0, 0.3));
    mo_events *events;
    CHECK(mo_events_create(NULL, &events) == MO_OK);
    step(world, events);
    CHECK(mo_events_count(events) == 2);
    CHECK(mo_events_get(events, 0).kind == MO_EVENT_BEGIN);
    CHECK(mo_events_get(events, 0).a.index == floor.index);
    CHECK(mo_events_get(events, 1).a.index == low.index);
    for (int k = 0; k < 300; ++k) {
        step(world, events);
        CHECK(mo_events_count(events) == 0);
    }
    CHECK(mo_body_get(world, low).is_asleep);
    CHECK(mo_world_remove_body(world, top, NULL) == MO_OK);
    step(world, events);
    CHECK(mo_events_count(events) == 1);
    const mo_event event = mo_events_get(events, 0);
    CHECK(event.kind == MO_EVENT_END && event.a.index == low.index && event.b.index == top.index);
    mo_events_destroy(events);
    mo_events_destroy(NULL);
    mo_world_destroy(world);
}

/* ---- many worlds ----------------------------------------------------------------------------- */

enum { WORLDS = 6 };

static void make_worlds(mo_world *worlds[WORLDS])
{
    for (int k = 0; k < WORLDS; ++k) {
        worlds[k] = make_world(0);
        add(worlds[k], MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
        for (int i = 0; i <= k; ++i) {
            add(worlds[k], MO_BODY_FREE, mo_shape_box(0.1, 0.2, 0.15),
                mo_pose_at(0.01 * k, 0, 0.3 + 0.4 * i));
        }
    }
}

static void worlds_step_with_the_same_bits_over_threads(void **state)
{
    (void)state;
    mo_world *one[WORLDS], *two[WORLDS], *alone[WORLDS];
    mo_batch_report reports[WORLDS];
    make_worlds(one);
    make_worlds(two);
    make_worlds(alone);
    CHECK(mo_worlds_step(one, WORLDS, 0.01, 60, 1, NULL, NULL) == MO_OK);
    CHECK(mo_worlds_step(two, WORLDS, 0.01, 60, 2, reports, NULL) == MO_OK);
    for (int k = 0; k < WORLDS; ++k) {
        for (int i = 0; i < 60; ++i)
            CHECK(mo_world_step(alone[k], 0.01, NULL, NULL) == MO_OK);
        CHECK(reports[k].steps == 60 && reports[k].unsolved == 0 && !reports[k].error);
        CHECK(reports[k].last.contacts == mo_world_contact_count(alone[k]));
        for (int i = 0; i < mo_world_body_count(alone[k]); ++i) {
            const mo_pose at = mo_body_get(alone[k], mo_world_body(alone[k], i)).pose;
            const mo_pose a = mo_body_get(one[k], mo_world_body(one[k], i)).pose;
            const mo_pose b = mo_body_get(two[k], mo_world_body(two[k], i)).pose;
            CHECK(memcmp(&at, &a, sizeof at) == 0 && memcmp(&at, &b, sizeof at) == 0);
        }
        mo_world_destroy(one[k]);
        mo_world_destroy(two[k]);
        mo_world_destroy(alone[k]);
    }
}

static void an_error_in_one_world_leaves_the_others(void **state)
{
    (void)state;
    mo_world *worlds[WORLDS];
    mo_batch_report reports[WORLDS];
    mo_message why = {{0}};
    make_worlds(worlds);
    mo_world_destroy(worlds[3]);
    mo_body_def empty = mo_default_body(MO_BODY_FREE); /* a body without a mass cannot be stepped */
    worlds[3] = make_world(0);
    CHECK(mo_world_add_body(worlds[3], &empty, NULL).index);
    CHECK(mo_worlds_step(worlds, WORLDS, 0.01, 3, 2, reports, &why) != MO_OK);
    CHECK(strstr(why.text, "world 3: "));
    for (int k = 0; k < WORLDS; ++k) {
        CHECK((reports[k].error != MO_OK) == (k == 3));
        CHECK(reports[k].steps == (k == 3 ? 0 : 3));
        CHECK_NEAR(mo_world_time(worlds[k]), k == 3 ? 0 : 0.03, 1e-12);
        mo_world_destroy(worlds[k]);
    }
    CHECK(mo_worlds_step(NULL, 0, 0.01, 1, 1, NULL, NULL) == MO_OK);
    CHECK(mo_worlds_step(NULL, 0, 0.01, 1, 0, NULL, &why) == MO_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bounce_begins_and_ends),
        cmocka_unit_test(a_bounce_has_its_impulse_in_the_contacts),
        cmocka_unit_test(contacts_of_removed_bodies_end_and_those_of_sleeping_bodies_stay),
        cmocka_unit_test(worlds_step_with_the_same_bits_over_threads),
        cmocka_unit_test(an_error_in_one_world_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
