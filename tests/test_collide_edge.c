/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Shapes in special places: concentric, parallel, in line, exactly touching, without length,
 * without numbers.
 */
#include "check.h"

#include "collide/collide.h"
#include "linalg/vec3.h"

enum { KINDS = 12, TURNS = 6 };

static const double TETRAHEDRON[12] = {-1, -1, -1, 1, 1, -1, 1, -1, 1, -1, 1, 1};
static const double HILL[18] = {-4, -4, 0, 4, -4, 0, 4, 4, 0, -4, 4, 0, 0, 0, 0, 0, 0, 1};
static const int FACES[18] = {0, 1, 4, 1, 2, 4, 2, 3, 5, 3, 0, 5, 0, 4, 5, 4, 2, 5};
static const int CHAIN[6] = {0, 4, 4, 1, 1, 2};

/* In the plane a cylinder is a ball. */
static mo_shape_def shape_of(int k, int is_planar)
{
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, !is_planar};
    switch (k) {
    case 0:
        return mo_shape_ball(1);
    case 1:
        return mo_shape_box(1, 1, 1);
    case 2:
        return mo_shape_box(1, 0.5, 1e-3);
    case 3:
        return mo_shape_capsule(o, x, 1);
    case 4:
        return mo_shape_capsule(o, is_planar ? y : z, 0.5);
    case 5:
        return mo_shape_capsule(o, o, 1); /* no length */
    case 6:
        return is_planar ? mo_shape_ball(0.5) : mo_shape_cylinder(1, 1);
    case 7:
        return is_planar ? mo_shape_ball(2) : mo_shape_cylinder(1, 1e-3);
    case 8:
        return is_planar ? mo_shape_ball(1e-3) : mo_shape_cylinder(1e-3, 1);
    case 9:
        return mo_shape_hull(TETRAHEDRON, 4);
    case 10:
        return is_planar ? mo_shape_mesh(HILL, 6, CHAIN, 6) : mo_shape_mesh(HILL, 6, FACES, 18);
    default:
        return mo_shape_plane();
    }
}

static mo_pose special_pose(mo_random *random, int is_planar)
{
    static const double AXES[TURNS][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0},
                                          {1, 1, 0}, {1, 1, 1}, {-1, 0, 1}};
    const double x = (int)uniform(random, -3, 4) * 0.5, y = (int)uniform(random, -3, 4) * 0.5,
                 z = (int)uniform(random, -3, 4) * 0.5;
    const double quarter = (int)uniform(random, 0, 8) * acos(-1.0) / 4;
    return mo_pose_turned(x, y, is_planar ? 0 : z,
                          AXES[is_planar ? 0 : (int)uniform(random, 0, TURNS)], quarter);
}

/*
 * Sound touches: finite, a unit normal, no two of the same name; the nearest is the same when the
 * pair is turned round.
 */
static void check_list(const mo_touch_list *list, double reach)
{
    for (int i = 0; i < list->count; ++i) {
        const mo_touch *t = list->touch + i;
        CHECK(isfinite(t->gap) && isfinite(mo_vec3_norm(t->point)));
        CHECK_NEAR(mo_vec3_norm(t->normal), 1, 1e-9);
        CHECK_BELOW(t->gap, reach);
        for (int j = 0; j < i; ++j) {
            CHECK(t->feature != list->touch[j].feature);
        }
    }
}

static double least_gap(const mo_touch_list *list)
{
    double least = INFINITY;
    for (int k = 0; k < list->count; ++k) {
        least = fmin(least, list->touch[k].gap);
    }
    return least;
}

static void special_places_give_sound_touches(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_random random = {307};
    for (int round = 0; round < 60; ++round) {
        const int is_planar = round % 2;
        mo_collider c[KINDS];
        for (int k = 0; k < KINDS; ++k) {
            const mo_shape_def def = shape_of(k, is_planar);
            CHECK(mo_collider_init(&def, is_planar, &allocator, &c[k], NULL) == MO_OK);
        }
        for (int k = 0; k < KINDS * KINDS; ++k) {
            const mo_collider *a = c + k / KINDS, *b = c + k % KINDS;
            const mo_pose at_a = special_pose(&random, is_planar),
                          at_b = round % 5 ? special_pose(&random, is_planar) : at_a;
            mo_touch_list one = {.allocator = allocator}, other = {.allocator = allocator};
            mo_collide(a, &at_a, b, &at_b, 0.2, &one);
            mo_collide(b, &at_b, a, &at_a, 0.2, &other);
            check_list(&one, 0.2);
            check_list(&other, 0.2);
            if (isfinite(least_gap(&one)) || isfinite(least_gap(&other))) {
                CHECK_NEAR(least_gap(&one), least_gap(&other), 1e-6);
            }
            mo_memory_free(&allocator, one.touch);
            mo_memory_free(&allocator, other.touch);
        }
        for (int k = 0; k < KINDS; ++k) {
            mo_collider_clear(&allocator, &c[k]);
        }
    }
}

/* A pose that is no pose: whatever comes out, it comes out, and holds no infinite gap. */
static void poses_without_numbers_do_no_harm(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    for (int k = 0; k < 2 * KINDS * KINDS; ++k) {
        const int is_planar = k % 2;
        const mo_shape_def def_a = shape_of(k / 2 / KINDS, is_planar),
                           def_b = shape_of(k / 2 % KINDS, is_planar);
        mo_collider a, b;
        CHECK(mo_collider_init(&def_a, is_planar, &allocator, &a, NULL) == MO_OK);
        CHECK(mo_collider_init(&def_b, is_planar, &allocator, &b, NULL) == MO_OK);
        for (int i = 0; i < 7; ++i) {
            mo_pose at = mo_pose_identity(), bad = at;
            *(i < 3 ? bad.position + i : bad.orientation + (i - 3)) = NAN;
            mo_touch_list list = {.allocator = allocator};
            mo_collide(&a, &bad, &b, &at, 0.1, &list);
            mo_collide(&a, &at, &b, &bad, 0.1, &list);
            for (int t = 0; t < list.count; ++t) {
                CHECK(!isinf(list.touch[t].gap));
            }
            mo_memory_free(&allocator, list.touch);
        }
        mo_collider_clear(&allocator, &a);
        mo_collider_clear(&allocator, &b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_places_give_sound_touches),
        cmocka_unit_test(poses_without_numbers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
