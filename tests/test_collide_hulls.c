/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Hulls as meshes of robots have them: hundreds of edges, points rounded to single precision, faces
 * that are flat to rounding.  Where two of them overlap there is a touch, as deep as the axis of
 * least overlap says; where they are apart, the least gap is the distance.
 */
#include <string.h>

#include "check.h"
#include "collide_bodies.h"

#include "base/memory.h"
#include "collide/collide.h"
#include "collide/gjk.h"
#include "collide/hull.h"
#include "linalg/vec3.h"

enum { POINTS = 160, DIRECTIONS = 2000 };

/*
 * A cylinder whose rims have been turned on a lathe: rings of points, in single precision, as STL
 * has them.
 */
static mo_shape_def lathe(mo_random *random, double *points)
{
    const int rings = 8, around = POINTS / rings;
    for (int r = 0; r < rings; ++r) {
        const double z = -1 + 2.0 * r / (rings - 1);
        const double radius = (r == 0 || r == rings - 1 ? 0.4 : 0.5) * uniform(random, 0.97, 1);
        for (int k = 0; k < around; ++k) {
            /*
             * Every second point is nearly the one before, as where two surfaces of a drawing were
             * joined.
             */
            const double nearly = k % 2 ? uniform(random, 1e-6, 1e-4) : 0;
            const double angle = 2 * 3.14159265358979323846 * (k - k % 2) / around + nearly;
            double *x = points + 3 * (r * around + k);
            x[0] = (double)(float)(radius * cos(angle));
            x[1] = (double)(float)(radius * sin(angle));
            x[2] = (double)(float)z;
        }
    }
    return mo_shape_hull(points, POINTS);
}

static void world_points(const double *points, const mo_pose *pose, double *out)
{
    for (int k = 0; k < POINTS; ++k)
        mo_pose_point(pose, points + 3 * k, out + 3 * k);
}

/* The largest separation along sampled directions: no axis of theirs may report less. */
static double sampled_gap(mo_random *random, mo_core *a, mo_core *b)
{
    double best = -INFINITY;
    for (int k = 0; k < DIRECTIONS; ++k) {
        double n[3];
        fill_uniform(random, -1, 1, 3, n);
        const double length = mo_vec3_norm(n);
        if (length > 0.1) {
            mo_vec3_scale(1 / length, n, n);
            best = fmax(best, mo_core_gap(a, b, n));
        }
    }
    return best;
}

static double least_gap(const mo_touch_list *list)
{
    double least = INFINITY;
    for (int k = 0; k < list->count; ++k)
        least = fmin(least, list->touch[k].gap);
    return least;
}

static void hulls_of_meshes_touch_where_they_overlap(void **state)
{
    (void)state;
    mo_random random = {21};
    int overlaps = 0, near = 0;
    for (int round = 0; round < 120; ++round) {
        double points[2][3 * POINTS], placed[2][3 * POINTS];
        mo_shape_def shape[2];
        mo_collider collider[2];
        mo_pose pose[2];
        mo_touch_list list = {.allocator = mo_allocator_or_default(NULL)};
        for (int side = 0; side < 2; ++side) {
            double axis[3];
            shape[side] = lathe(&random, points[side]);
            fill_uniform(&random, -1, 1, 3, axis);
            const double spread = side * (round % 3 == 2 ? 1.2 : 0.3);
            pose[side] = mo_pose_turned(
                uniform(&random, -spread, spread), uniform(&random, -spread, spread),
                uniform(&random, -spread, spread), axis, round % 2 ? uniform(&random, -3, 3) : 0);
            world_points(points[side], pose + side, placed[side]);
            CHECK(mo_collider_init(shape + side, 0, &list.allocator, collider + side, NULL) ==
                  MO_OK);
        }
        mo_hull of_a = {.vertex_count = POINTS, .vertex = (double(*)[3])placed[0]},
                of_b = {.vertex_count = POINTS, .vertex = (double(*)[3])placed[1]};
        mo_core a = {.kind = MO_CORE_HULL, .hull = &of_a, .Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, b = a;
        b.hull = &of_b;
        mo_simplex simplex;
        double on_a[3], on_b[3];
        const double distance = mo_gjk_distance(&a, &b, &simplex, on_a, on_b);
        collide_bodies(collider, pose, collider + 1, pose + 1, 0.5, &list);
        const double gap = least_gap(&list);
        if (distance > 0 && distance < 0.5) {
            CHECK_NEAR(gap, distance, 1e-7);
            ++near;
        } else if (distance == 0) {
            CHECK(list.count > 0 && gap <= 1e-12);
            CHECK(gap >= sampled_gap(&random, &a, &b) - 1e-9);
            ++overlaps;
        } else {
            assert_int_equal(list.count, 0);
        }
        for (int side = 0; side < 2; ++side)
            mo_collider_clear(&list.allocator, collider + side);
        mo_memory_free(&list.allocator, list.touch);
    }
    CHECK(overlaps > 60 && near > 5);
}

/* Rings that are nearly flat and nearly in one plane, so that faces between them are slivers. */
static int nearly_flat_rings(mo_random *random, double *points)
{
    const int rings = 2 + (int)uniform(random, 0, 5.99),
              around = 8 + (int)uniform(random, 0, 27.99);
    const double rough = pow(10, -uniform(random, 6, 12)), bent = pow(10, -uniform(random, 3, 9));
    for (int k = 0; k < rings * around; ++k) {
        const int r = k / around;
        const double angle = 2 * 3.14159265358979323846 * (k % around) / around;
        const double radius = r % 2 ? 0.024 : 0.03;
        double *x = points + 3 * k;
        x[0] = (double)(float)(radius * cos(angle) + rough * uniform(random, 0, 2));
        x[1] = (double)(float)(radius * sin(angle));
        x[2] = (double)(float)(0.01 * (r / 2) + bent * cos(angle) + rough * uniform(random, 0, 2));
    }
    return rings * around;
}

/* The surface is closed, by Euler's formula, and every face has a plane. */
static void hulls_of_slivers_are_closed(void **state)
{
    (void)state;
    static double points[3 * 8 * 70];
    mo_random random = {77};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    for (int round = 0; round < 300; ++round) {
        const int count = nearly_flat_rings(&random, points);
        mo_hull *hull = mo_hull_create(&allocator, 0, points, count, NULL);
        if (!hull) continue; /* flat */
        assert_int_equal(hull->vertex_count - hull->edge_count + hull->face_count, 2);
        for (int f = 0; f < hull->face_count; ++f)
            CHECK(isfinite(hull->plane[f][3]));
        mo_hull_destroy(&allocator, hull);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_of_slivers_are_closed),
        cmocka_unit_test(hulls_of_meshes_touch_where_they_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
