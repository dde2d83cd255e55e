/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Copies of a world that are stepped together (batch.h): equal copies move as one alone, bit for
 * bit, whatever the order of indices; different copies do not touch, obey closed forms and meet the
 * tolerance one by one; what copies cannot do is refused.
 */
#include "device_heap_checks.h"

enum { BALLS, BOXES, HULLS = 4, MIXED };

static mo_world *heap_of(int shape, int count)
{
    const world_scene *scene = world_scene_find(shape == BALLS ? "beads" : "heap");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    mo_message why = {""};
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", count, &why) == MO_OK);
    CHECK(shape == BALLS || world_set_value(scene, values, "shape", shape, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.solver.tol = 1e-3;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    return world;
}

static mo_world *copies_of(const mo_world *world, int copies)
{
    mo_world *batch = NULL;
    mo_message why = {""};
    if (mo_world_create_copies(world, copies, &batch, &why)) fail_msg("%s", why.text);
    return batch;
}

static void push(mo_world *batch, mo_body_id id, double x, double y, double z)
{
    const mo_body_state s = mo_body_get(batch, id);
    const double velocity[3] = {x, y, z}, spin[3] = {0, 0, 0};
    CHECK(mo_body_set(batch, id, &s.pose, velocity, spin, NULL) == MO_OK);
}

static int count_free(const mo_world *world)
{
    int count = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k)
        count += mo_body_get(world, mo_world_body(world, k)).kind == MO_BODY_FREE;
    return count;
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* How it moves, without what its neighbours in memory decide. */
static void check_same_motion(mo_body_state a, mo_body_state b)
{
    assert_memory_equal(a.centre, b.centre, sizeof a.centre);
    assert_memory_equal(&a.pose, &b.pose, sizeof a.pose);
    assert_memory_equal(a.velocity, b.velocity, sizeof a.velocity);
    assert_memory_equal(a.spin, b.spin, sizeof a.spin);
}

/* Balls that fill more than one patch, too. */
static void equal_copies_move_as_one_alone(void **state)
{
    (void)state;
    static const struct {
        int shape, count, copies, steps;
    } CASES[] = {{BALLS, 80, 5, 40},
                 {BALLS, 300, 3, 30},
                 {BOXES, 40, 4, 30},
                 {HULLS, 30, 2, 25},
                 {MIXED, 40, 3, 30}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
        mo_world *world = heap_of(CASES[i].shape, CASES[i].count), *one = copies_of(world, 1),
                 *all = copies_of(world, CASES[i].copies);
        const int bodies = mo_world_body_count(world);
        mo_step_report a = {0}, b = {0};
        for (int k = 0; k < CASES[i].steps; ++k) {
            a = heap_step(one, 1);
            b = heap_step(all, 1);
            CHECK(a.status == MO_SOLVED && b.status == MO_SOLVED);
            CHECK(b.contacts == CASES[i].copies * a.contacts && b.iterations == a.iterations);
        }
        CHECK(a.contacts > bodies / 2 && mo_device_heap_is_away(one) &&
              mo_device_heap_is_away(all));
        for (int copy = 0; copy < CASES[i].copies; ++copy) {
            for (int k = 0; k < bodies; ++k) {
                check_same_motion(mo_body_get(one, mo_world_body(one, k)),
                                  mo_body_get(all, mo_world_copy_body(all, copy, k)));
            }
        }
        mo_world_destroy(world);
        mo_world_destroy(one);
        mo_world_destroy(all);
    }
}

/* Every copy is pushed in its own way. */
static mo_world *different_on(int shape, int way)
{
    mo_world *world = heap_of(shape, 30), *batch = copies_of(world, 4);
    for (int copy = 0; copy < 4; ++copy) {
        for (int k = 0; k < mo_world_body_count(world); ++k) {
            const mo_body_id id = mo_world_copy_body(batch, copy, k);
            if (mo_body_get(batch, id).kind == MO_BODY_FREE)
                push(batch, id, 0.4 * copy, 0.1 * k, -0.3 * copy);
        }
    }
    mo_world_destroy(world);
    if (!send_to(batch, way)) {
        mo_world_destroy(batch);
        return NULL;
    }
    return batch;
}

static mo_world *different_balls(int way)
{
    return different_on(BALLS, way);
}

static mo_world *different_mixtures(int way)
{
    return different_on(MIXED, way);
}

static void all_variants_give_the_same_bits(void **state)
{
    (void)state;
    check_bits(different_balls, 25);
    check_bits(different_mixtures, 20);
}

/* ---- different copies ------------------------------------------------------------------------ */

/* On a plane each copy of a box slides v t - mu g t^2 / 2, until it rests; a ball lies in its way
 * in all of them, and is hit in the last. */
static void copies_obey_their_own_laws(void **state)
{
    (void)state;
    enum { COPIES = 4 };
    const double mu = 0.3, speed[COPIES] = {0, 0.5, 1, 3};
    const mo_shape_def plane = mo_shape_plane(), box = mo_shape_box(0.1, 0.1, 0.02),
                       ball = mo_shape_ball(0.1);
    const mo_pose at = mo_pose_at(0, 0, 0.02), before = mo_pose_at(0.6, 0, 0.1);
    mo_world_def def = mo_default_world();
    mo_world *world;
    def.solver.tol = 1e-9;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_shape_def own = box, floor = plane;
    own.material.friction = floor.material.friction = mu;
    CHECK(mo_world_add_solid(world, MO_BODY_FREE, &own, &at, NULL).index != 0);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL).index != 0);
    CHECK(mo_world_add_solid(world, MO_BODY_FREE, &ball, &before, NULL).index != 0);
    mo_world *batch = copies_of(world, COPIES);
    for (int c = 0; c < COPIES; ++c) {
        CHECK(mo_world_copy_body(batch, c, 1).index == mo_world_body(batch, 1).index);
        push(batch, mo_world_copy_body(batch, c, 0), speed[c], 0, 0);
    }
    heap_step(batch, 40);
    for (int k = 0; k < mo_world_contact_count(batch); ++k) { /* with the plane, or in one copy */
        const mo_contact c = mo_world_contact(batch, k);
        int copy[2] = {-1, -1};
        for (int i = 0; i < 2 * COPIES; ++i) {
            const mo_body_id id = mo_world_copy_body(batch, i / 2, i % 2 ? 2 : 0);
            copy[0] = id.index == c.a.index ? i / 2 : copy[0];
            copy[1] = id.index == c.b.index ? i / 2 : copy[1];
        }
        CHECK(copy[0] < 0 || copy[1] < 0 || copy[0] == copy[1]);
    }
    for (int c = 0; c < COPIES; ++c) {
        const mo_body_state s = mo_body_get(batch, mo_world_copy_body(batch, c, 0)),
                            b = mo_body_get(batch, mo_world_copy_body(batch, c, 2));
        const double steps = ceil(speed[c] / (mu * G * H) - 1e-9);
        /* v_k = v - k mu g h, x = h sum v_k while it is positive */
        const double way = H * ((steps - 1) * speed[c] - mu * G * H * (steps - 1) * steps / 2);
        if (c < COPIES - 1) {
            CHECK_NEAR(s.centre[0], steps > 0 ? way : 0, 1e-6);
            CHECK_NEAR(b.centre[0], 0.6, 1e-6);
        } else {
            CHECK(b.centre[0] > 0.7 && b.velocity[0] > 0.1);
        }
        CHECK_NEAR(s.centre[2], 0.02, 1e-4);
    }
    mo_world_destroy(world);
    mo_world_destroy(batch);
}

/* The copy of a contact, by its bodies; -1: of none. */
static int copy_of(const mo_world *batch, int copies, int bodies, const mo_contact *c)
{
    for (int i = 0; i < copies * bodies; ++i) {
        const mo_body_id id = mo_world_copy_body(batch, i / bodies, i % bodies);
        if ((id.index == c->a.index || id.index == c->b.index) &&
            mo_body_get(batch, id).kind == MO_BODY_FREE)
            return i / bodies;
    }
    return -1;
}

/* Copies of a heap, in one of which a ball is shot down: the speed there is no measure for the
 * others, each of which meets the tolerance for itself. */
static void every_copy_meets_the_tolerance(void **state)
{
    (void)state;
    enum { COPIES = 5 };
    mo_world *world = heap_of(BALLS, 40);
    forget_restitution(world);
    heap_step(world, 45);
    mo_world *one = copies_of(world, 1), *batch = copies_of(world, COPIES);
    const int bodies = mo_world_body_count(world);
    int ball = 0;
    while (mo_body_get(world, mo_world_body(world, ball)).kind != MO_BODY_FREE)
        ++ball;
    push(batch, mo_world_copy_body(batch, 2, ball), 0, 0, -1000);
    const mo_step_report a = heap_step(one, 1), b = heap_step(batch, 1);
    CHECK(a.status == MO_SOLVED && b.status == MO_SOLVED && a.iterations > 0);
    CHECK(b.residual.q_norm > 300 * a.residual.q_norm);
    CHECK_BELOW(b.residual.natural_relative, 1e-3);
    double square[COPIES] = {0};
    for (int k = 0; k < mo_world_contact_count(batch); ++k) {
        const mo_contact c = mo_world_contact(batch, k);
        const int copy = copy_of(batch, COPIES, bodies, &c);
        CHECK(copy >= 0);
        square[copy] += natural_of(&c);
    }
    for (int copy = 0; copy < COPIES; ++copy) {
        const double q = copy == 2 ? b.residual.q_norm : a.residual.q_norm;
        CHECK_BELOW(sqrt(square[copy]), 1.001e-3 * fmax(1, q));
        CHECK(copy == 2 || sqrt(square[copy]) > 0);
    }
    mo_world_destroy(world);
    mo_world_destroy(one);
    mo_world_destroy(batch);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void unsupported_calls_on_copies_are_refused_with_a_reason(void **state)
{
    (void)state;
    mo_world *world = heap_of(BALLS, 10), *batch = copies_of(world, 2), *none = world;
    const mo_shape_def ball = mo_shape_ball(0.1);
    mo_message why = {""};
    CHECK(mo_world_body_count(batch) == mo_world_body_count(world) + count_free(world));
    CHECK(mo_world_copy_body(batch, 2, 0).index == 0 &&
          mo_world_copy_body(batch, -1, 0).index == 0);
    CHECK(mo_world_copy_body(batch, 0, mo_world_body_count(world)).index == 0);
    CHECK(mo_world_copy_body(world, 0, 0).index == 0);
    CHECK(mo_world_add_solid(batch, MO_BODY_FREE, &ball, NULL, &why).index == 0);
    CHECK(strstr(why.text, "copy that again") != NULL);
    CHECK(mo_world_remove_body(batch, mo_world_copy_body(batch, 1, 3), &why) == MO_ERR_UNSUPPORTED);
    CHECK(mo_world_create_copies(batch, 2, &none, &why) == MO_ERR_UNSUPPORTED && !none);
    CHECK(mo_world_create_copies(world, 0, &none, &why) == MO_ERR_ARGUMENT && !none);
    mo_body_def driven = mo_default_body(MO_BODY_DRIVEN);
    CHECK(mo_world_add_body(world, &driven, &why).index != 0);
    CHECK(mo_world_create_copies(world, 2, &none, &why) == MO_ERR_UNSUPPORTED);
    CHECK(strstr(why.text, "is driven") && strstr(why.text, "mo_worlds_step"));
    mo_world_destroy(world);
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK); /* and without any shape */
    const mo_body_def bare = mo_default_body(MO_BODY_FREE);
    CHECK(mo_world_add_body(world, &bare, NULL).index != 0);
    CHECK(mo_world_create_copies(world, 2, &none, &why) == MO_ERR_UNSUPPORTED);
    CHECK(strstr(why.text, "has no shape"));
    mo_world_destroy(world);
    mo_world_destroy(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_copies_move_as_one_alone),
        cmocka_unit_test(all_variants_give_the_same_bits),
        cmocka_unit_test(copies_obey_their_own_laws),
        cmocka_unit_test(every_copy_meets_the_tolerance),
        cmocka_unit_test(unsupported_calls_on_copies_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
