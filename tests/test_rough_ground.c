/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Ridges and valleys of meshes, smaller than the shapes on them. */
#include "check.h"

#include "linalg/vec3.h"
#include "moreau/moreau.h"

/* A box whose bottom is cut by a ridge, at every slope: the ridge is as deep in it as it is above
 * that, however deep its corners are behind the two faces. */
static void a_sharp_ridge_is_as_deep_as_its_edge(void **state)
{
    (void)state;
    static const int FACES[6] = {0, 1, 2, 1, 0, 3};
    const mo_shape_def box = mo_shape_box(0.4, 0.4, 0.4);
    for (int k = 0; k < 30; ++k) {
        const double z = -0.3 * (k + 1);
        const double points[12] = {0, -3, 0, 0, 3, 0, -3, 0, z, 3, 0, z};
        const mo_shape_def roof = mo_shape_mesh(points, 4, FACES, 6);
        for (int i = 0; i < 3; ++i) {
            const double depth = 0.002 * i, axis[3] = {0, 0, 1};
            const mo_pose at = mo_pose_turned(0.05, 0.3, 0.4 - depth, axis, 0.3);
            mo_world *world = NULL;
            CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
            CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &roof, NULL, NULL).index &&
                  mo_world_add_solid(world, MO_BODY_FREE, &box, &at, NULL).index);
            CHECK_NEAR(mo_world_penetration(world), depth, 1e-9);
            mo_world_destroy(world);
        }
    }
}

enum { SIDE = 15, CORNERS = SIDE * SIDE, SAMPLES = 8 };

typedef struct field {
    double points[3 * CORNERS];
    int indices[6 * (SIDE - 1) * (SIDE - 1)];
} field;

/* How far the sides of the triangles are inside a box, at most, over its size. */
static double depth_in_box(const field *f, const double half[3], const mo_pose *pose)
{
    double most = 0;
    for (int k = 0; k < 6 * (SIDE - 1) * (SIDE - 1); ++k) {
        const int next = k % 3 == 2 ? k - 2 : k + 1;
        const double *p = f->points + 3 * f->indices[k], *q = f->points + 3 * f->indices[next];
        for (int i = 0; i < SAMPLES; ++i) {
            double x[3], local[3], d[3], least = INFINITY;
            mo_vec3_minus(q, p, d);
            mo_vec3_along(p, (double)i / SAMPLES, d, x);
            mo_pose_point_back(pose, x, local);
            for (int j = 0; j < 3; ++j)
                least = fmin(least, half[j] - fabs(local[j]));
            most = fmax(most, least / mo_vec3_norm(half));
        }
    }
    return most;
}

/* How far the axis of a capsule is from the sides of the triangles, less than the radius, over the
 * size. */
static double depth_of_capsule(const field *f, double radius, double half, const mo_pose *pose)
{
    double most = 0;
    for (int k = 0; k < 6 * (SIDE - 1) * (SIDE - 1); ++k) {
        const int next = k % 3 == 2 ? k - 2 : k + 1;
        const double *p = f->points + 3 * f->indices[k], *q = f->points + 3 * f->indices[next];
        for (int i = 0; i < SAMPLES; ++i) {
            double x[3], local[3], d[3];
            mo_vec3_minus(q, p, d);
            mo_vec3_along(p, (double)i / SAMPLES, d, x);
            mo_pose_point_back(pose, x, local);
            local[2] -= fmax(-half, fmin(half, local[2]));
            most = fmax(most, (radius - mo_vec3_norm(local)) / (radius + half));
        }
    }
    return most;
}

/* Boxes and capsules of 0.1 m fall on ground whose cells are smaller than they are, in large steps:
 * no ridge ends a step inside of them, and the measure of penetration agrees. */
static void nothing_sinks_into_rough_ground(void **state)
{
    (void)state;
    enum { BODIES = 12 };
    const double half[3] = {0.1, 0.06, 0.08}, radius = 0.04;
    const double a[3] = {0, 0, -0.1}, b[3] = {0, 0, 0.1};
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        mo_random random = {.state = seed};
        double heights[CORNERS];
        field f;
        for (int k = 0; k < CORNERS; ++k) {
            const int i = k / SIDE, j = k % SIDE;
            const int is_rim = i == 0 || j == 0 || i == SIDE - 1 || j == SIDE - 1;
            heights[k] = is_rim ? 1 : uniform(&random, -0.15, 0.15);
        }
        mo_height_field_mesh(SIDE, SIDE, 0.08, heights, f.points, f.indices);
        const mo_shape_def ground =
            mo_shape_mesh(f.points, CORNERS, f.indices, 6 * (SIDE - 1) * (SIDE - 1));
        const mo_shape_def kinds[2] = {mo_shape_box(half[0], half[1], half[2]),
                                       mo_shape_capsule(a, b, radius)};
        mo_world *world = NULL;
        mo_body_id body[BODIES];
        CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
        CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &ground, NULL, NULL).index);
        for (int k = 0; k < BODIES; ++k) {
            double axis[3];
            fill_uniform(&random, -1, 1, 3, axis);
            const mo_pose at = mo_pose_turned(0.3 + 0.25 * (k % 3), 0.3 + 0.25 * (k / 3 % 2),
                                              0.3 + 0.25 * (k / 6), axis, 3 * axis[0]);
            body[k] = mo_world_add_solid(world, MO_BODY_FREE, kinds + k % 2, &at, NULL);
        }
        for (int step = 0; step < 60; ++step) {
            CHECK(mo_world_step(world, 0.02, NULL, NULL) == MO_OK);
            CHECK_BELOW(mo_world_relative_penetration(world), 5e-3);
            for (int k = 0; k < BODIES; ++k) {
                const mo_pose at = mo_body_get(world, body[k]).pose;
                CHECK_BELOW(k % 2 ? depth_of_capsule(&f, radius, 0.1, &at)
                                  : depth_in_box(&f, half, &at),
                            5e-3);
            }
        }
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sharp_ridge_is_as_deep_as_its_edge),
        cmocka_unit_test(nothing_sinks_into_rough_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
