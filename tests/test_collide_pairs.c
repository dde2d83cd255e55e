/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every pair of convex kinds in space, judged by what a touch claims.
 *
 * A touch with normal n, gap g and point x says that x - g n / 2 is on a, x + g n / 2 is on b, and
 * that the two are separated by g along n.  The first two are checked with the definition of the
 * shapes; together with the third, checked with support functions written here, they prove that the
 * least gap is the distance.  Where shapes overlap, no sampled direction may separate them more
 * cheaply.
 */
#include <string.h>

#include "check.h"
#include "collide_bodies.h"

#include "collide/collide.h"
#include "collide/hull.h"
#include "linalg/vec3.h"

enum { DIRECTIONS = 400, HULL_POINTS = 12 };

typedef struct thing {
    mo_shape_def def;
    mo_pose pose;
    mo_collider collider;
    double points[3 * HULL_POINTS];
} thing;

static const mo_shape_kind CONVEX[] = {MO_SHAPE_BALL, MO_SHAPE_BOX, MO_SHAPE_CAPSULE,
                                       MO_SHAPE_CYLINDER, MO_SHAPE_HULL};
enum { CONVEX_COUNT = sizeof CONVEX / sizeof *CONVEX };

/* ---- shapes by their definition -------------------------------------------------------------- */

static void make(mo_random *random, mo_shape_kind kind, double scale, double offset, double spread,
                 thing *t)
{
    double axis[3], a[3], b[3];
    fill_uniform(random, -1, 1, 3, axis);
    fill_uniform(random, -scale, scale, 3, a);
    fill_uniform(random, -scale, scale, 3, b);
    fill_uniform(random, -scale, scale, 3 * HULL_POINTS, t->points);
    t->def = mo_default_shape(kind);
    t->def.radius = scale * uniform(random, 0.2, 1);
    for (int k = 0; k < 3; ++k)
        t->def.half[k] = scale * uniform(random, 0.1, 1);
    mo_vec3_copy(a, t->def.ends[0]);
    mo_vec3_copy(b, t->def.ends[1]);
    t->def.points = t->points;
    t->def.point_count = HULL_POINTS;
    double x[3];
    fill_uniform(random, -spread * scale, spread * scale, 3, x);
    t->pose = mo_pose_turned(x[0] + offset, x[1] - offset, x[2] + 2 * offset, axis,
                             uniform(random, -3, 3));
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    CHECK(mo_collider_init(&t->def, 0, &allocator, &t->collider, NULL) == MO_OK);
}

static void unmake(thing *t)
{
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_collider_clear(&allocator, &t->collider);
}

/* The largest d.x over the shape, about `origin`. */
static double support(const thing *t, const double d[3], const double origin[3])
{
    double local[3], centre[3], most = -INFINITY;
    mo_pose_vector_back(&t->pose, d, local);
    mo_vec3_minus(t->pose.position, origin, centre);
    const double at = mo_vec3_dot(d, centre), size = mo_vec3_norm(d);
    const mo_shape_def *def = &t->def;
    switch (def->kind) {
    case MO_SHAPE_BALL:
        return at + def->radius * size;
    case MO_SHAPE_BOX:
        return at + fabs(local[0]) * def->half[0] + fabs(local[1]) * def->half[1] +
               fabs(local[2]) * def->half[2];
    case MO_SHAPE_CAPSULE:
        return at + def->radius * size +
               fmax(mo_vec3_dot(local, def->ends[0]), mo_vec3_dot(local, def->ends[1]));
    case MO_SHAPE_CYLINDER:
        return at + def->radius * hypot(local[0], local[1]) + def->half[2] * fabs(local[2]);
    default:
        for (int k = 0; k < HULL_POINTS; ++k)
            most = fmax(most, mo_vec3_dot(local, t->points + 3 * k));
        return at + most;
    }
}

/* How far outside the shape a point is, at least; 0 or less inside. */
static double outside(const thing *t, const double world[3])
{
    double x[3], foot[3], to[3], most = -INFINITY;
    mo_pose_point_back(&t->pose, world, x);
    const mo_shape_def *def = &t->def;
    switch (def->kind) {
    case MO_SHAPE_BALL:
        return mo_vec3_norm(x) - def->radius;
    case MO_SHAPE_BOX:
        return fmax(fabs(x[0]) - def->half[0],
                    fmax(fabs(x[1]) - def->half[1], fabs(x[2]) - def->half[2]));
    case MO_SHAPE_CAPSULE:
        mo_vec3_minus(def->ends[1], def->ends[0], to);
        mo_vec3_minus(x, def->ends[0], foot);
        mo_vec3_along(foot, -fmin(1, fmax(0, mo_vec3_dot(foot, to) / mo_vec3_dot(to, to))), to,
                      foot);
        return mo_vec3_norm(foot) - def->radius;
    case MO_SHAPE_CYLINDER:
        return fmax(hypot(x[0], x[1]) - def->radius, fabs(x[2]) - def->half[2]);
    default:
        for (int k = 0; k < t->collider.hull->face_count; ++k) {
            const double *plane = t->collider.hull->plane[k];
            most = fmax(most, mo_vec3_dot(plane, x) - plane[3]);
        }
        return most;
    }
}

static double separation(const thing *a, const thing *b, const double n[3])
{
    double back[3];
    mo_vec3_scale(-1, n, back);
    return -support(b, back, a->pose.position) - support(a, n, a->pose.position);
}

static void random_direction(mo_random *random, double n[3])
{
    do {
        fill_uniform(random, -1, 1, 3, n);
    } while (mo_vec3_norm(n) > 1 || mo_vec3_norm(n) < 0.1);
    mo_vec3_scale(1 / mo_vec3_norm(n), n, n);
}

/* The best of random directions, each tried nearer to the best so far. */
static double sampled_separation(mo_random *random, const thing *a, const thing *b)
{
    double best = -INFINITY, at[3] = {1, 0, 0};
    for (int k = 0; k < DIRECTIONS; ++k) {
        double n[3];
        random_direction(random, n);
        if (k > DIRECTIONS / 4) {
            mo_vec3_along(at, pow(0.97, k - DIRECTIONS / 4), n, n);
            mo_vec3_scale(1 / mo_vec3_norm(n), n, n);
        }
        const double s = separation(a, b, n);
        if (s > best) {
            best = s;
            mo_vec3_copy(n, at);
        }
    }
    return best;
}

/* ---- the claims ------------------------------------------------------------------------------ */

static const mo_touch *least_of(const mo_touch_list *list)
{
    const mo_touch *least = NULL;
    for (int k = 0; k < list->count; ++k)
        least = !least || list->touch[k].gap < least->gap ? list->touch + k : least;
    return least;
}

static int is_round(const thing *t)
{
    return t->def.kind == MO_SHAPE_CYLINDER || t->def.kind == MO_SHAPE_CAPSULE ||
           t->def.kind == MO_SHAPE_BALL;
}

/* Of deep overlaps with a round shape the depth is known to a thousandth only (collide.h). */
static double uncertainty(const thing *a, const thing *b, double scale, double gap)
{
    return (is_round(a) || is_round(b)) && gap < -0.04 * scale ? -1e-3 * gap : 0;
}

static void check_touch(const thing *a, const thing *b, const mo_touch *touch, double scale,
                        double rounding)
{
    double on_a[3], on_b[3];
    mo_vec3_along(touch->point, -0.5 * touch->gap, touch->normal, on_a);
    mo_vec3_along(touch->point, 0.5 * touch->gap, touch->normal, on_b);
    CHECK_NEAR(mo_vec3_norm(touch->normal), 1, 1e-12);
    /*
     * a corner may count as on a side from a millionth of a size outside, and a rim turns along the
     * axis faster than the axis does
     */
    CHECK_BELOW(outside(a, on_a), 1e-5 * scale + rounding);
    CHECK_BELOW(outside(b, on_b), 1e-5 * scale + rounding);
}

static void check_pair(mo_random *random, const thing *a, const thing *b, double scale,
                       double rounding)
{
    const double reach = 0.3 * scale;
    mo_touch_list list = {.allocator = mo_allocator_or_default(NULL)};
    collide_bodies(&a->collider, &a->pose, &b->collider, &b->pose, reach, &list);
    const mo_touch *least = least_of(&list);
    const double sampled = sampled_separation(random, a, b);
    if (!least) {
        CHECK_BELOW(0.97 * reach - 0.01 * scale, sampled);
    } else {
        CHECK_BELOW(least->gap, reach);
        CHECK_NEAR(separation(a, b, least->normal), least->gap, 1e-9 * scale + rounding);
        CHECK_BELOW(sampled,
                    least->gap + 1e-9 * scale + rounding + uncertainty(a, b, scale, least->gap));
        for (int k = 0; k < list.count; ++k) {
            check_touch(a, b, list.touch + k, scale,
                        rounding + uncertainty(a, b, scale, list.touch[k].gap));
        }
    }
    mo_memory_free(&list.allocator, list.touch);
}

static void each_pair(mo_random *random, int rounds, double scale, double offset, double spread)
{
    for (int i = 0; i < CONVEX_COUNT; ++i) {
        for (int j = 0; j < CONVEX_COUNT; ++j) {
            for (int k = 0; k < rounds; ++k) {
                thing a, b;
                make(random, CONVEX[i], scale, offset, spread, &a);
                make(random, CONVEX[j], scale, offset, spread, &b);
                check_pair(random, &a, &b, scale, 1e-14 * offset);
                unmake(&a);
                unmake(&b);
            }
        }
    }
}

static void the_least_gap_is_the_distance(void **state)
{
    (void)state;
    mo_random random = {101};
    each_pair(&random, 60, 1, 0, 1.3);
}

static void tiny_huge_and_far_away_shapes_touch_alike(void **state)
{
    (void)state;
    mo_random random = {103};
    each_pair(&random, 12, 1e-4, 0, 1.3);
    each_pair(&random, 12, 1e3, 0, 1.3);
    each_pair(&random, 12, 1, 1e4, 1.3);
}

static void overlaps_leave_by_the_cheapest_direction(void **state)
{
    (void)state;
    mo_random random = {107};
    each_pair(&random, 30, 1, 0, 0.5);
}

/* A small one at the surface of a large one, both ways round. */
static void sizes_may_differ_by_a_thousand(void **state)
{
    (void)state;
    mo_random random = {109};
    const double small = 1e-3;
    for (int k = 0; k < 30 * CONVEX_COUNT * CONVEX_COUNT; ++k) {
        thing a, b;
        double n[3];
        make(&random, CONVEX[k % CONVEX_COUNT], 1, 0, 0, &a);
        make(&random, CONVEX[k / CONVEX_COUNT % CONVEX_COUNT], small, 0, 0, &b);
        random_direction(&random, n);
        mo_vec3_along(b.pose.position, -separation(&a, &b, n) + uniform(&random, -small, small), n,
                      b.pose.position);
        const double rounding = 1e-12;
        check_pair(&random, k % 2 ? &b : &a, k % 2 ? &a : &b, small, rounding);
        unmake(&a);
        unmake(&b);
    }
}

/* Needles and plates. */
static void thin_shapes_touch_alike(void **state)
{
    (void)state;
    mo_random random = {113};
    for (int k = 0; k < 30 * CONVEX_COUNT * CONVEX_COUNT; ++k) {
        thing t[2];
        for (int side = 0; side < 2; ++side) {
            const int at = side ? k / CONVEX_COUNT : k;
            make(&random, CONVEX[at % CONVEX_COUNT], 1, 0, 0.9, t + side);
            unmake(t + side);
            thing *now = t + side;
            now->def.half[k / 25 % 3] = 1e-3;
            now->def.radius = now->def.kind == MO_SHAPE_CYLINDER && k / 25 % 3 == 2
                                  ? now->def.radius
                                  : fmin(now->def.radius, 1e-2);
            for (int i = 0; i < HULL_POINTS; ++i)
                now->points[3 * i + k % 3] *= 1e-3;
            const mo_allocator allocator = mo_allocator_or_default(NULL);
            now->def.points = now->points;
            CHECK(mo_collider_init(&now->def, 0, &allocator, &now->collider, NULL) == MO_OK);
        }
        check_pair(&random, t, t + 1, 1, 0);
        unmake(t);
        unmake(t + 1);
    }
}

/*
 * Parallel axes, equal heights, coincident centres: half edges, quarter turns and places on a grid.
 */
static void aligned_shapes_touch_alike(void **state)
{
    (void)state;
    mo_random random = {127};
    for (int k = 0; k < 60 * CONVEX_COUNT * CONVEX_COUNT; ++k) {
        static const double AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        thing t[2];
        for (int side = 0; side < 2; ++side) {
            const int at = side ? k / CONVEX_COUNT : k;
            make(&random, CONVEX[at % CONVEX_COUNT], 1, 0, 0, t + side);
            unmake(t + side);
            mo_shape_def *def = &t[side].def;
            def->radius = 0.5;
            mo_vec3_set(def->half, 0.5, 0.5, 1);
            mo_vec3_set(def->ends[0], 0, 0, -0.5);
            mo_vec3_set(def->ends[1], 0, 0, 0.5);
            for (int i = 0; i < 3 * HULL_POINTS; ++i)
                t[side].points[i] = 0.5 * floor(uniform(&random, -2, 3));
            def->points = t[side].points;
            double x[3]; /* one after the other: compilers differ in the order of arguments */
            for (int i = 0; i < 3; ++i)
                x[i] = 0.5 * floor(uniform(&random, -2, 3));
            const double *axis = AXES[(int)uniform(&random, 0, 3)];
            const double angle = acos(-1.0) / 2 * floor(uniform(&random, 0, 4));
            t[side].pose = mo_pose_turned(x[0], x[1], x[2], axis, angle);
        }
        const mo_allocator allocator = mo_allocator_or_default(NULL);
        const int is_made = !mo_collider_init(&t[0].def, 0, &allocator, &t[0].collider, NULL) &&
                            !mo_collider_init(&t[1].def, 0, &allocator, &t[1].collider, NULL);
        if (is_made) { /* points of a grid may span no volume */
            check_pair(&random, t, t + 1, 1, 0);
            unmake(t);
            unmake(t + 1);
        }
    }
}

/* Whatever was asked before, and the other way round: a pair remembers nothing. */
static void the_same_pair_has_the_same_bits(void **state)
{
    (void)state;
    mo_random random = {131};
    for (int k = 0; k < 20 * CONVEX_COUNT * CONVEX_COUNT; ++k) {
        thing a, b;
        make(&random, CONVEX[k % CONVEX_COUNT], 1, 0, 0.8, &a);
        make(&random, CONVEX[k / CONVEX_COUNT % CONVEX_COUNT], 1, 0, 0.8, &b);
        mo_touch_list list = {.allocator = mo_allocator_or_default(NULL)};
        collide_bodies(&a.collider, &a.pose, &b.collider, &b.pose, 0.2, &list);
        const int count = list.count;
        collide_bodies(&b.collider, &b.pose, &b.collider, &a.pose, 0.2, &list);
        const int again = list.count;
        collide_bodies(&a.collider, &a.pose, &b.collider, &b.pose, 0.2, &list);
        assert_int_equal(list.count - again, count);
        CHECK(count == 0 ||
              memcmp(list.touch, list.touch + again, (size_t)count * sizeof *list.touch) == 0);
        if (a.def.kind != b.def.kind) {
            const int turned = list.count;
            collide_bodies(&b.collider, &b.pose, &a.collider, &a.pose, 0.2, &list);
            assert_int_equal(list.count - turned, count);
            for (int i = 0; i < count; ++i) {
                const mo_touch *one = list.touch + i, *other = list.touch + turned + i;
                CHECK(one->gap == other->gap && one->feature == other->feature);
                CHECK(mo_vec3_dot(one->normal, other->normal) < 0);
            }
        }
        mo_memory_free(&list.allocator, list.touch);
        unmake(&a);
        unmake(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_gap_is_the_distance),
        cmocka_unit_test(tiny_huge_and_far_away_shapes_touch_alike),
        cmocka_unit_test(overlaps_leave_by_the_cheapest_direction),
        cmocka_unit_test(sizes_may_differ_by_a_thousand),
        cmocka_unit_test(thin_shapes_touch_alike),
        cmocka_unit_test(aligned_shapes_touch_alike),
        cmocka_unit_test(the_same_pair_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
