/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* From shapes to touches: closed forms, distances by sampling, hulls, masses, the tree. */
#include <string.h>

#include "check.h"
#include "collide_bodies.h"

#include "collide/collide.h"
#include "collide/hull.h"
#include "collide/tree.h"
#include "linalg/vec3.h"

static mo_touch_list touches_of(const mo_shape_def *a, mo_pose at_a, const mo_shape_def *b,
                                mo_pose at_b, int is_planar, double reach)
{
    mo_touch_list list = {.allocator = mo_allocator_or_default(NULL)};
    mo_collider ca, cb;
    CHECK(mo_collider_init(a, is_planar, &list.allocator, &ca, NULL) == MO_OK);
    CHECK(mo_collider_init(b, is_planar, &list.allocator, &cb, NULL) == MO_OK);
    collide_bodies(&ca, &at_a, &cb, &at_b, reach, &list);
    mo_collider_clear(&list.allocator, &ca);
    mo_collider_clear(&list.allocator, &cb);
    return list;
}

static void drop(mo_touch_list *list)
{
    mo_memory_free(&list->allocator, list->touch);
}

static mo_pose random_pose(mo_random *random, double spread, int is_planar)
{
    double axis[3] = {0, 0, 1};
    if (!is_planar) fill_uniform(random, -1, 1, 3, axis);
    return mo_pose_turned(uniform(random, -spread, spread), uniform(random, -spread, spread),
                          is_planar ? 0 : uniform(random, -spread, spread), axis,
                          uniform(random, -3, 3));
}

static mo_shape_def random_shape(mo_random *random, int is_planar, double *room)
{
    const int kind = (int)uniform(random, 0, 4);
    if (kind == 0) return mo_shape_ball(uniform(random, 0.2, 1));
    if (kind == 1) {
        return mo_shape_box(uniform(random, 0.2, 1), uniform(random, 0.2, 1),
                            uniform(random, 0.2, 1));
    }
    if (kind == 2) {
        double a[3], b[3];
        fill_uniform(random, -1, 1, 3, a);
        fill_uniform(random, -1, 1, 3, b);
        a[2] *= !is_planar;
        b[2] *= !is_planar;
        return mo_shape_capsule(a, b, uniform(random, 0.1, 0.5));
    }
    fill_uniform(random, -1, 1, 30, room);
    return mo_shape_hull(room, 10);
}

/* ---- closed forms ---------------------------------------------------------------------------- */

static void a_ball_above_a_plane_touches_below_its_centre(void **state)
{
    (void)state;
    const mo_shape_def ball = mo_shape_ball(0.5), plane = mo_shape_plane();
    mo_touch_list list =
        touches_of(&ball, mo_pose_at(1, 2, 0.6), &plane, mo_pose_identity(), 0, 0.2);
    CHECK(list.count == 1);
    CHECK_NEAR(list.touch[0].gap, 0.1, 1e-15);
    CHECK_NEAR(list.touch[0].normal[2], -1, 1e-15); /* from the ball to the plane */
    CHECK_NEAR(list.touch[0].point[2], 0.05, 1e-15);
    drop(&list);
}

static void a_box_on_a_plane_has_its_four_corners(void **state)
{
    (void)state;
    const mo_shape_def box = mo_shape_box(0.5, 0.6, 0.7), plane = mo_shape_plane();
    mo_touch_list list =
        touches_of(&box, mo_pose_at(0, 0, 0.7), &plane, mo_pose_identity(), 0, 0.01);
    CHECK(list.count == 4);
    for (int k = 0; k < 4; ++k) {
        CHECK_NEAR(list.touch[k].gap, 0, 1e-15);
        CHECK_NEAR(fabs(list.touch[k].point[0]), 0.5, 1e-15);
        CHECK_NEAR(fabs(list.touch[k].point[1]), 0.6, 1e-15);
    }
    drop(&list);
}

static void equal_boxes_on_each_other_have_four_touches_whatever_the_rounding(void **state)
{
    (void)state;
    mo_random random = {7};
    const mo_shape_def box = mo_shape_box(0.5, 0.5, 0.5);
    for (int k = 0; k < 200; ++k) {
        const double tiny = 1e-12, x = uniform(&random, -tiny, tiny),
                     y = uniform(&random, -tiny, tiny);
        mo_pose above =
            mo_pose_turned(x, y, 1, (const double[3]){0, 0, 1}, uniform(&random, -tiny, tiny));
        mo_touch_list list = touches_of(&box, mo_pose_identity(), &box, above, 0, 0.01);
        CHECK(list.count == 4);
        drop(&list);
    }
}

static void a_brick_across_two_overlaps_by_the_corners_of_the_overlap(void **state)
{
    (void)state;
    const mo_shape_def box = mo_shape_box(1, 0.5, 0.25);
    mo_touch_list list = touches_of(&box, mo_pose_identity(), &box, mo_pose_at(1, 0, 0.5), 0, 0.01);
    CHECK(list.count == 4);
    double low = 9, high = -9;
    for (int k = 0; k < 4; ++k) {
        low = fmin(low, list.touch[k].point[0]);
        high = fmax(high, list.touch[k].point[0]);
        CHECK_NEAR(list.touch[k].normal[2], 1, 1e-15);
    }
    CHECK_NEAR(low, 0, 1e-12);
    CHECK_NEAR(high, 1, 1e-12);
    drop(&list);
}

static void crossed_edges_touch_at_one_point(void **state)
{
    (void)state;
    /* two boxes stand on an edge each, crossed at a right angle */
    const mo_shape_def box = mo_shape_box(2, 0.5, 0.5);
    const double pi = acos(-1.0), ridge = 0.5 * sqrt(2.0);
    const mo_pose below = mo_pose_turned(0, 0, 0, (const double[3]){1, 0, 0}, pi / 4);
    const mo_pose turn =
        mo_pose_turned(0.1, 0.2, 2 * ridge + 0.01, (const double[3]){0, 0, 1}, pi / 2);
    const mo_pose above = mo_pose_compose(&turn, &below);
    mo_touch_list list = touches_of(&box, below, &box, above, 0, 0.05);
    CHECK(list.count == 1);
    CHECK_NEAR(list.touch[0].gap, 0.01, 1e-12);
    CHECK_NEAR(list.touch[0].normal[2], 1, 1e-12);
    CHECK_NEAR(list.touch[0].point[0], 0.1, 1e-12);
    CHECK_NEAR(list.touch[0].point[1], 0, 1e-12);
    drop(&list);
}

static void a_capsule_on_a_box_lies_on_two_points_and_hangs_over_the_edge(void **state)
{
    (void)state;
    const mo_shape_def box = mo_shape_box(1, 1, 1);
    const mo_shape_def rod =
        mo_shape_capsule((const double[3]){-0.5, 0, 0}, (const double[3]){0.5, 0, 0}, 0.1);
    mo_touch_list list = touches_of(&rod, mo_pose_at(0, 0, 1.1), &box, mo_pose_identity(), 0, 0.01);
    CHECK(list.count == 2);
    drop(&list);
    list = touches_of(&rod, mo_pose_at(0.8, 0, 1.1), &box, mo_pose_identity(), 0,
                      0.01); /* one end beyond x = 1 */
    CHECK(list.count == 2);
    double furthest = 0;
    for (int k = 0; k < 2; ++k) {
        CHECK_NEAR(list.touch[k].gap, 0, 1e-12);
        furthest = fmax(furthest, list.touch[k].point[0]);
    }
    CHECK_NEAR(furthest, 1, 1e-12);
    drop(&list);
}

/* ---- properties ------------------------------------------------------------------------------ */

static void moving_by_the_gap_along_the_normal_closes_it(void **state)
{
    (void)state;
    mo_random random = {11};
    int seen = 0;
    for (int k = 0; k < 4000; ++k) {
        const int is_planar = k % 2;
        double room_a[30], room_b[30];
        const mo_shape_def a = random_shape(&random, is_planar, room_a),
                           b = random_shape(&random, is_planar, room_b);
        const mo_pose at_a = random_pose(&random, 1, is_planar);
        mo_pose at_b = random_pose(&random, 1.5, is_planar);
        mo_touch_list list = touches_of(&a, at_a, &b, at_b, is_planar, 0.3);
        double least = INFINITY, normal[3] = {0};
        for (int i = 0; i < list.count; ++i) {
            CHECK_NEAR(mo_vec3_norm(list.touch[i].normal), 1, 1e-12);
            if (list.touch[i].gap < least) {
                least = list.touch[i].gap;
                mo_vec3_copy(list.touch[i].normal, normal);
            }
        }
        drop(&list);
        if (!(least > 1e-6 && least < 0.3)) continue;
        ++seen;
        mo_vec3_along(at_b.position, -least, normal,
                      at_b.position); /* now they touch, to rounding */
        list = touches_of(&a, at_a, &b, at_b, is_planar, 0.3);
        double now = INFINITY;
        for (int i = 0; i < list.count; ++i)
            now = fmin(now, list.touch[i].gap);
        CHECK_NEAR(now, 0, 1e-9);
        drop(&list);
    }
    CHECK(seen > 300);
}

static void turning_the_pair_turns_the_normals(void **state)
{
    (void)state;
    mo_random random = {13};
    for (int k = 0; k < 2000; ++k) {
        const int is_planar = k % 2;
        double room_a[30], room_b[30];
        const mo_shape_def a = random_shape(&random, is_planar, room_a),
                           b = random_shape(&random, is_planar, room_b);
        const mo_pose at_a = random_pose(&random, 0.8, is_planar),
                      at_b = random_pose(&random, 0.8, is_planar);
        mo_touch_list one = touches_of(&a, at_a, &b, at_b, is_planar, 0.2);
        mo_touch_list other = touches_of(&b, at_b, &a, at_a, is_planar, 0.2);
        double least[2] = {INFINITY, INFINITY};
        for (int i = 0; i < one.count; ++i)
            least[0] = fmin(least[0], one.touch[i].gap);
        for (int i = 0; i < other.count; ++i)
            least[1] = fmin(least[1], other.touch[i].gap);
        if (isfinite(least[0]) && isfinite(least[1])) {
            CHECK_NEAR(
                least[0], least[1],
                is_planar
                    ? 2e-3
                    /* in the plane which of two nearly equal sides is the reference may differ */
                    : 1e-9);
        }
        drop(&one);
        drop(&other);
    }
}

static void features_are_unique_within_a_pair(void **state)
{
    (void)state;
    mo_random random = {17};
    for (int k = 0; k < 3000; ++k) {
        const int is_planar = k % 2;
        double room_a[30], room_b[30];
        const mo_shape_def a = random_shape(&random, is_planar, room_a),
                           b = random_shape(&random, is_planar, room_b);
        mo_touch_list list = touches_of(&a, random_pose(&random, 0.7, is_planar), &b,
                                        random_pose(&random, 0.7, is_planar), is_planar, 0.2);
        for (int i = 0; i < list.count; ++i) {
            CHECK(list.touch[i].feature < 1u << 24);
            for (int j = 0; j < i; ++j)
                CHECK(list.touch[i].feature != list.touch[j].feature);
        }
        drop(&list);
    }
}

/* ---- hulls and masses ------------------------------------------------------------------------ */

static void the_hull_of_a_cube_with_points_inside_is_the_cube(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_random random = {3};
    double points[3 * 60];
    for (int k = 0; k < 8; ++k)
        mo_vec3_set(points + 3 * k, k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    fill_uniform(&random, -1, 1, 3 * 52, points + 24);
    mo_hull *hull = mo_hull_create(&allocator, 0, points, 60, NULL);
    CHECK(hull && hull->vertex_count == 8 && hull->face_count == 6 && hull->edge_count == 12);
    double volume, centre[3], inertia[6];
    mo_hull_mass(hull, &volume, centre, inertia);
    CHECK_NEAR(volume, 8, 1e-12);
    CHECK_NEAR(inertia[0], 8 * 2.0 / 3, 1e-12);
    CHECK_NEAR(mo_vec3_norm(centre), 0, 1e-12);
    mo_hull_destroy(&allocator, hull);
}

static void random_hulls_hold_their_points_and_obey_eulers_formula(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_random random = {5};
    for (int k = 0; k < 100; ++k) {
        double points[3 * 100];
        const int count = 4 + (int)uniform(&random, 0, 96);
        fill_uniform(&random, -1, 1, 3 * count, points);
        mo_hull *hull = mo_hull_create(&allocator, 0, points, count, NULL);
        CHECK(hull != NULL);
        CHECK(hull->vertex_count - hull->edge_count + hull->face_count == 2);
        for (int i = 0; i < count; ++i)
            for (int f = 0; f < hull->face_count; ++f)
                CHECK_BELOW(mo_vec3_dot(hull->plane[f], points + 3 * i) - hull->plane[f][3], 1e-6);
        mo_hull_destroy(&allocator, hull);
    }
}

static void flat_points_are_refused_with_a_sentence(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_message why = {{0}};
    const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    CHECK(mo_hull_create(&allocator, 0, flat, 4, &why) == NULL && strlen(why.text) > 10);
    const double line[9] = {0, 0, 0, 1, 1, 0, 2, 2, 0};
    CHECK(mo_hull_create(&allocator, 1, line, 3, &why) == NULL);
    const double bad[12] = {0, 0, 0, 1, 0, 0, 0, NAN, 0, 1, 1, 1};
    CHECK(mo_hull_create(&allocator, 0, bad, 4, &why) == NULL);
}

/* Volume and inertia by counting random points. */
static void masses_equal_those_of_random_points(void **state)
{
    (void)state;
    mo_random random = {23};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_shape_def rod =
        mo_shape_capsule((const double[3]){-0.3, 0.1, 0}, (const double[3]){0.4, 0.2, 0.3}, 0.3);
    rod.pose = mo_pose_turned(0.1, 0.2, -0.1, (const double[3]){1, 2, 3}, 0.7);
    mo_collider c;
    CHECK(mo_collider_init(&rod, 0, &allocator, &c, NULL) == MO_OK);
    double volume, centre[3], inertia[6];
    mo_collider_mass(&c, &volume, centre, inertia);
    double ends[2][3], sum = 0, mean[3] = {0}, second = 0;
    for (int k = 0; k < 2; ++k)
        mo_pose_point(&rod.pose, rod.ends[k], ends[k]);
    const int count = 400000;
    for (int k = 0; k < count; ++k) {
        double x[3], d[3], to[3];
        fill_uniform(&random, -1, 1, 3, x);
        mo_vec3_minus(ends[1], ends[0], d);
        mo_vec3_minus(x, ends[0], to);
        const double t = fmin(1, fmax(0, mo_vec3_dot(d, to) / mo_vec3_dot(d, d)));
        mo_vec3_along(to, -t, d, to);
        if (mo_vec3_norm(to) <= rod.radius) {
            sum += 8.0 / count;
            mo_vec3_along(mean, 8.0 / count, x, mean);
            mo_vec3_minus(x, centre, to);
            second += 8.0 / count * (to[1] * to[1] + to[2] * to[2]);
        }
    }
    CHECK_NEAR(sum, volume, 0.01 * volume);
    CHECK_NEAR(mean[0] / sum, centre[0], 0.01);
    CHECK_NEAR(second, inertia[0], 0.02 * inertia[0]);
    mo_collider_clear(&allocator, &c);
}

/* ---- the tree -------------------------------------------------------------------------------- */

enum { BOXES = 300 };

typedef struct tally {
    int seen[BOXES];
} tally;

static int count_item(void *context, int item)
{
    ((tally *)context)->seen[item]++;
    return 1;
}

static mo_bounds random_bounds(mo_random *random)
{
    mo_bounds b;
    for (int k = 0; k < 3; ++k) {
        b.low[k] = uniform(random, -10, 10);
        b.high[k] = b.low[k] + uniform(random, 0, 2);
    }
    return b;
}

static int meet(const mo_bounds *a, const mo_bounds *b)
{
    int meets = 1;
    for (int d = 0; d < 3; ++d)
        meets = meets && a->low[d] <= b->high[d] && b->low[d] <= a->high[d];
    return meets;
}

typedef struct pair_tally {
    int seen[BOXES][BOXES];
} pair_tally;

static int count_pair(void *context, int a, int b)
{
    ((pair_tally *)context)->seen[a < b ? a : b][a < b ? b : a]++;
    return 1;
}

static void check_pairs(mo_tree *tree, const mo_bounds *bounds)
{
    static pair_tally t;
    memset(&t, 0, sizeof t);
    CHECK(mo_tree_pairs(tree, count_pair, &t) == MO_OK);
    for (int a = 0; a < BOXES; ++a)
        for (int b = a + 1; b < BOXES; ++b)
            CHECK(t.seen[a][b] == meet(bounds + a, bounds + b));
}

static void the_tree_finds_what_a_list_finds(void **state)
{
    (void)state;
    mo_random random = {29};
    mo_tree *tree;
    CHECK(mo_tree_create(NULL, &tree) == MO_OK);
    mo_bounds bounds[BOXES];
    int proxy[BOXES];
    for (int k = 0; k < BOXES; ++k) {
        bounds[k] = random_bounds(&random);
        proxy[k] = mo_tree_insert(tree, &bounds[k], k);
    }
    for (int round = 0; round < 200; ++round) {
        const int k = (int)uniform(&random, 0, BOXES);
        bounds[k] = random_bounds(&random);
        if (round % 3 == 0) {
            mo_tree_remove(tree, proxy[k]);
            proxy[k] = mo_tree_insert(tree, &bounds[k], k);
        } else {
            mo_tree_move(tree, proxy[k], &bounds[k], 0);
        }
        const mo_bounds asked = random_bounds(&random);
        tally t = {{0}};
        mo_tree_query(tree, &asked, count_item, &t);
        for (int i = 0; i < BOXES; ++i)
            CHECK(t.seen[i] == meet(bounds + i, &asked));
        check_pairs(tree, bounds);
    }
    for (int k = 0; k < BOXES; ++k) { /* all at once, and the tree keeps its shape */
        bounds[k] = random_bounds(&random);
        mo_tree_resize(tree, proxy[k], &bounds[k], 0);
    }
    mo_tree_refit(tree);
    check_pairs(tree, bounds);
    mo_tree_destroy(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_above_a_plane_touches_below_its_centre),
        cmocka_unit_test(a_box_on_a_plane_has_its_four_corners),
        cmocka_unit_test(equal_boxes_on_each_other_have_four_touches_whatever_the_rounding),
        cmocka_unit_test(a_brick_across_two_overlaps_by_the_corners_of_the_overlap),
        cmocka_unit_test(crossed_edges_touch_at_one_point),
        cmocka_unit_test(a_capsule_on_a_box_lies_on_two_points_and_hangs_over_the_edge),
        cmocka_unit_test(moving_by_the_gap_along_the_normal_closes_it),
        cmocka_unit_test(turning_the_pair_turns_the_normals),
        cmocka_unit_test(features_are_unique_within_a_pair),
        cmocka_unit_test(the_hull_of_a_cube_with_points_inside_is_the_cube),
        cmocka_unit_test(random_hulls_hold_their_points_and_obey_eulers_formula),
        cmocka_unit_test(flat_points_are_refused_with_a_sentence),
        cmocka_unit_test(masses_equal_those_of_random_points),
        cmocka_unit_test(the_tree_finds_what_a_list_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
