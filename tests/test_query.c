/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Rays, overlaps and distances against closed forms and against points sampled along the rays. */
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

static mo_world *make_world(int is_planar)
{
    mo_world_def def = is_planar ? mo_default_planar_world() : mo_default_world();
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    mo_message why = {{0}};
    const mo_body_id body = mo_world_add_solid(world, kind, &shape, &pose, &why);
    if (!body.index) fail_msg("%s", why.text);
    return body;
}

static mo_ray_hit cast(const mo_world *world, const double from[3], const double to[3],
                       double length)
{
    mo_ray_hit hit;
    mo_message why = {{0}};
    if (mo_world_cast_ray(world, from, to, length, NULL, &hit, &why)) fail_msg("%s", why.text);
    return hit;
}

/* ---- rays and bodies in space ---------------------------------------------------------------- */

static const double RADIUS = 0.3, HALF[3] = {0.4, 0.25, 0.6}, END[3] = {0.2, -0.1, 0.5};
/* An octahedron. */
static const double TIP[18] = {0.7, 0, 0, -0.7, 0, 0, 0, 0.5, 0, 0, -0.5, 0, 0, 0, 0.6, 0, 0, -0.6};

/* How far x is outside the shape, in its frame, by some measure that is negative inside. */
static double outside(mo_shape_kind kind, const double x[3])
{
    const double r = hypot(x[0], x[1]);
    double along = 0, square = 0;
    switch (kind) {
    case MO_SHAPE_BALL:
        return sqrt(r * r + x[2] * x[2]) - RADIUS;
    case MO_SHAPE_BOX:
        return fmax(fmax(fabs(x[0]) - HALF[0], fabs(x[1]) - HALF[1]), fabs(x[2]) - HALF[2]);
    case MO_SHAPE_CYLINDER:
        return fmax(r - RADIUS, fabs(x[2]) - HALF[2]);
    case MO_SHAPE_HULL:
        return fabs(x[0]) / 0.7 + fabs(x[1]) / 0.5 + fabs(x[2]) / 0.6 - 1;
    case MO_SHAPE_PLANE:
        return x[2];
    default:
        break;
    }
    for (int k = 0; k < 3; ++k) { /* a capsule from -END to END */
        along += x[k] * END[k];
        square += END[k] * END[k];
    }
    const double s = fmin(1, fmax(-1, along / square));
    return sqrt(pow(x[0] - s * END[0], 2) + pow(x[1] - s * END[1], 2) + pow(x[2] - s * END[2], 2)) -
           RADIUS;
}

static mo_shape_def shape_of(mo_shape_kind kind)
{
    const double back[3] = {-END[0], -END[1], -END[2]};
    switch (kind) {
    case MO_SHAPE_BALL:
        return mo_shape_ball(RADIUS);
    case MO_SHAPE_BOX:
        return mo_shape_box(HALF[0], HALF[1], HALF[2]);
    case MO_SHAPE_CYLINDER:
        return mo_shape_cylinder(RADIUS, HALF[2]);
    case MO_SHAPE_HULL:
        return mo_shape_hull(TIP, 6);
    case MO_SHAPE_PLANE:
        return mo_shape_plane();
    default:
        return mo_shape_capsule(back, END, RADIUS);
    }
}

static double outside_at(mo_shape_kind kind, const mo_pose *pose, const double from[3],
                         const double direction[3], double t)
{
    const double point[3] = {from[0] + t * direction[0], from[1] + t * direction[1],
                             from[2] + t * direction[2]};
    double local[3];
    mo_pose_point_back(pose, point, local);
    return outside(kind, local);
}

/* The hit is on the surface, nothing before it is inside, and the shape lies behind the normal. */
static void check_ray(const mo_world *world, mo_shape_kind kind, const mo_pose *pose,
                      const double from[3], double direction[3], int *hits)
{
    const double size = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                             direction[2] * direction[2]);
    for (int k = 0; k < 3; ++k)
        direction[k] /= size;
    const mo_ray_hit hit = cast(world, from, direction, 10);
    const double end = hit.body.index ? hit.distance : 10;
    *hits += hit.body.index != 0;
    for (int k = 0; k < 300; ++k)
        CHECK(outside_at(kind, pose, from, direction, end * k / 300) > -1e-9);
    if (hit.body.index) {
        double n[3], across = 0;
        CHECK_BELOW(fabs(outside_at(kind, pose, from, direction, end)), 1e-8);
        CHECK_BELOW(outside_at(kind, pose, from, direction, end + 1e-5), 1e-7);
        mo_pose_vector_back(pose, hit.normal, n);
        CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-12);
        for (int k = 0; k < 3; ++k) {
            across += hit.normal[k] * direction[k];
            CHECK_NEAR(hit.point[k], from[k] + end * direction[k], 1e-12);
        }
        CHECK(across < 0);
        const double inner[3] = {hit.point[0] - 1e-6 * hit.normal[0],
                                 hit.point[1] - 1e-6 * hit.normal[1],
                                 hit.point[2] - 1e-6 * hit.normal[2]};
        CHECK(outside_at(kind, pose, inner, hit.normal, 1e-3) > 0);
    }
}

static void rays_meet_every_shape_where_its_surface_is(void **state)
{
    (void)state;
    mo_random random = {7};
    for (int kind = 0; kind < MO_SHAPE_KIND_COUNT; ++kind) {
        int hits = 0;
        if (kind == MO_SHAPE_MESH) continue;
        for (int k = 0; k < 400; ++k) {
            mo_world *world = make_world(0);
            double axis[3], from[3], direction[3];
            fill_uniform(&random, -1, 1, 3, axis);
            const mo_pose pose = mo_pose_turned(0.3, -0.2, 0.1, axis, uniform(&random, -3, 3));
            add(world, kind == MO_SHAPE_PLANE ? MO_BODY_FIXED : MO_BODY_FREE,
                shape_of((mo_shape_kind)kind), pose);
            do {
                fill_uniform(&random, -3, 3, 3, from);
            } while (outside_at((mo_shape_kind)kind, &pose, from, from, 0) < 0.01);
            for (int i = 0; i < 3; ++i)
                direction[i] = pose.position[i] + uniform(&random, -0.8, 0.8) - from[i];
            check_ray(world, (mo_shape_kind)kind, &pose, from, direction, &hits);
            mo_world_destroy(world);
        }
        CHECK(hits > 50 && (hits < 400 || kind == MO_SHAPE_PLANE));
    }
}

static void the_first_of_several_is_hit_and_filters_leave_out_others(void **state)
{
    (void)state;
    mo_world *world = make_world(0);
    mo_shape_def other = mo_shape_ball(0.5);
    other.layer = 4;
    const mo_body_id far = add(world, MO_BODY_FREE, mo_shape_ball(0.5), mo_pose_at(5, 0, 0)),
                     near = add(world, MO_BODY_FREE, other, mo_pose_at(3, 0, 0));
    const double from[3] = {0, 0, 0}, along[3] = {2, 0, 0}, back[3] = {-1, 0, 0};
    mo_ray_hit hit = cast(world, from, along, INFINITY);
    CHECK(hit.body.index == near.index && hit.shape.index > 0);
    CHECK_NEAR(hit.distance, 2.5, 1e-12);
    CHECK(mo_shape_body(world, hit.shape).index == near.index);
    CHECK(cast(world, from, along, 2.4).body.index == 0);
    CHECK(cast(world, from, back, INFINITY).body.index == 0);
    mo_query_filter filter = mo_default_query_filter();
    filter.ignored = near;
    CHECK(mo_world_cast_ray(world, from, along, 100, &filter, &hit, NULL) == MO_OK);
    CHECK(hit.body.index == far.index);
    CHECK_NEAR(hit.distance, 4.5, 1e-12);
    filter = (mo_query_filter){.mask = 2};
    CHECK(mo_world_cast_ray(world, from, along, 100, &filter, &hit, NULL) == MO_OK);
    CHECK(hit.body.index == 0);
    /* from inside: at once */
    const double inside[3] = {3.1, 0, 0};
    CHECK(cast(world, inside, along, 1).distance == 0);
    mo_world_destroy(world);
}

static void rays_fall_on_a_height_field_and_on_a_half_space(void **state)
{
    (void)state;
    enum { ROWS = 5, COLUMNS = 7 };
    double heights[ROWS * COLUMNS], points[3 * ROWS * COLUMNS];
    int indices[6 * (ROWS - 1) * (COLUMNS - 1)];
    mo_random random = {3};
    for (int k = 0; k < ROWS * COLUMNS; ++k)
        heights[k] = 0.3 * (k % COLUMNS) - 0.2 * (k / COLUMNS); /* a slope */
    mo_height_field_mesh(ROWS, COLUMNS, 0.5, heights, points, indices);
    mo_world *world = make_world(0);
    add(world, MO_BODY_FIXED,
        mo_shape_mesh(points, ROWS * COLUMNS, indices, 6 * (ROWS - 1) * (COLUMNS - 1)),
        mo_pose_at(1, 2, 0));
    const double down[3] = {0, 0, -1}, up[3] = {0, 0, 1};
    for (int k = 0; k < 200; ++k) {
        const double x = uniform(&random, 0, 3), y = uniform(&random, 0, 2);
        const double from[3] = {1 + x, 2 + y, 5}, below[3] = {1 + x, 2 + y, -5};
        CHECK_NEAR(cast(world, from, down, 100).distance, 5 - (0.6 * x - 0.4 * y), 1e-12);
        CHECK(cast(world, below, up, 100).body.index == 0); /* from behind */
    }
    const double beside[3] = {0.9, 2.5, 5}, along_edges[3] = {2, 3, 5};
    CHECK(cast(world, beside, down, 100).body.index == 0);
    CHECK_NEAR(cast(world, along_edges, down, 100).distance, 5 - 0.2, 1e-12);
    const double normal[3] = {0, -3, 4};
    add(world, MO_BODY_FIXED, mo_shape_half_space(normal, -10), mo_pose_identity());
    /* -3 y + 4 z = -10 at y = 30: z = 20; the height field is not there */
    const double over[3] = {0, 30, 50};
    const mo_ray_hit hit = cast(world, over, down, 100);
    CHECK_NEAR(hit.distance, 30, 1e-12);
    CHECK_NEAR(hit.normal[1], -0.6, 1e-12);
    CHECK_NEAR(hit.normal[2], 0.8, 1e-12);
    mo_world_destroy(world);
}

static void rays_in_the_plane(void **state)
{
    (void)state;
    mo_world *world = make_world(1);
    const double normal[2] = {1, 1}, chain[9] = {-9, 5, 0, -8, 5, 0, -7, 5, 0};
    const int links[4] = {0, 1, 1, 2};
    add(world, MO_BODY_FREE, mo_shape_box(1, 0.5, 1), mo_pose_planar(5, 0, acos(0)));
    add(world, MO_BODY_FIXED, mo_shape_half_plane(normal, -20), mo_pose_identity());
    add(world, MO_BODY_FIXED, mo_shape_mesh(chain, 3, links, 4), mo_pose_identity());
    const double from[3] = {0, 0.25, 7}, along[3] = {1, 0, 3}, back[3] = {-1, 0, 0};
    CHECK_NEAR(cast(world, from, along, 100).distance, 4.5, 1e-12);
    const mo_ray_hit wall = cast(world, from, back, 100);
    CHECK_NEAR(wall.distance, 20.25, 1e-12);
    CHECK_NEAR(wall.normal[0], sqrt(0.5), 1e-12);
    /* solid on the right as one walks it: the chain along +x is met from above */
    const double above[3] = {-8.3, 7, 0}, below[3] = {-8.3, 3, 0};
    const double down[3] = {0, -1, 0}, up[3] = {0, 1, 0};
    CHECK_NEAR(cast(world, above, down, 100).distance, 2, 1e-12);
    CHECK(cast(world, below, up, 100).body.index == 0);
    mo_world_destroy(world);
}

static void many_rays_are_single_rays_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { RAYS = 100 };
    mo_world *world = make_world(0);
    mo_random random = {5};
    double origins[3 * RAYS], directions[3 * RAYS];
    for (int k = 0; k < 20; ++k) {
        add(world, MO_BODY_FREE, mo_shape_ball(0.5),
            mo_pose_at(uniform(&random, -3, 3), uniform(&random, -3, 3), uniform(&random, -3, 3)));
    }
    fill_uniform(&random, -5, 5, 3 * RAYS, origins);
    fill_uniform(&random, -1, 1, 3 * RAYS, directions);
    for (int threads = 1; threads <= 2; ++threads) {
        mo_ray_hit hits[RAYS];
        CHECK(mo_world_cast_rays(world, RAYS, origins, directions, 20, NULL, threads, hits, NULL) ==
              MO_OK);
        for (int k = 0; k < RAYS; ++k) {
            const mo_ray_hit one = cast(world, origins + 3 * k, directions + 3 * k, 20);
            CHECK(one.body.index == hits[k].body.index && one.distance == hits[k].distance);
        }
    }
    mo_world_destroy(world);
}

/* ---- overlaps and distances ------------------------------------------------------------------ */

static void distances_have_their_closed_forms(void **state)
{
    (void)state;
    mo_world *world = make_world(0);
    const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(0.5), mo_pose_at(0, 0, 3)),
                     box = add(world, MO_BODY_FREE, mo_shape_box(1, 1, 1), mo_pose_identity()),
                     other = add(world, MO_BODY_FREE, mo_shape_box(1, 1, 1), mo_pose_at(4, 5, 0)),
                     floor = add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_at(0, 0, -7)),
                     wall = add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_at(0, 0, -9));
    mo_proximity found;
    CHECK(mo_world_distance(world, ball, box, INFINITY, &found, NULL) == MO_OK);
    CHECK_NEAR(found.distance, 1.5, 1e-12);
    CHECK_NEAR(found.point_a[2], 2.5, 1e-12);
    CHECK_NEAR(found.point_b[2], 1, 1e-12);
    CHECK_NEAR(found.normal[2], -1, 1e-12);
    CHECK(mo_shape_body(world, found.shape_a).index == ball.index);
    CHECK(mo_world_distance(world, box, other, INFINITY, &found, NULL) == MO_OK);
    CHECK_NEAR(found.distance, hypot(2, 3), 1e-12); /* of two edges */
    CHECK(mo_world_distance(world, floor, box, INFINITY, &found, NULL) == MO_OK);
    CHECK_NEAR(found.distance, 6, 1e-12);
    CHECK_NEAR(found.normal[2], 1, 1e-12);
    CHECK(mo_world_distance(world, floor, box, 5, &found, NULL) == MO_OK);
    CHECK(isinf(found.distance));
    CHECK(mo_world_distance(world, floor, wall, INFINITY, &found, NULL) == MO_OK);
    CHECK(isinf(found.distance));
    const mo_pose inside = mo_pose_at(1.3, 0, 0);
    const double rest[3] = {0};
    CHECK(mo_body_set(world, ball, &inside, rest, rest, NULL) == MO_OK);
    CHECK(mo_world_distance(world, ball, box, INFINITY, &found, NULL) == MO_OK);
    CHECK_NEAR(found.distance, -0.2, 1e-12);
    mo_world_destroy(world);
}

/* The distance of two boxes is that of no sampled pair of points, and of their nearest points. */
static void distances_of_turned_boxes_are_least(void **state)
{
    (void)state;
    mo_random random = {11};
    for (int trial = 0; trial < 50; ++trial) {
        mo_world *world = make_world(0);
        mo_body_id body[2];
        mo_pose pose[2];
        for (int k = 0; k < 2; ++k) {
            double axis[3];
            fill_uniform(&random, -1, 1, 3, axis);
            pose[k] = mo_pose_turned(3 * k, uniform(&random, -1, 1), uniform(&random, -1, 1), axis,
                                     uniform(&random, -3, 3));
            body[k] = add(world, MO_BODY_FREE, shape_of(MO_SHAPE_BOX), pose[k]);
        }
        mo_proximity found;
        CHECK(mo_world_distance(world, body[0], body[1], INFINITY, &found, NULL) == MO_OK);
        double local[3], apart = 0, least = INFINITY;
        mo_pose_point_back(&pose[0], found.point_a, local);
        CHECK_NEAR(outside(MO_SHAPE_BOX, local), 0, 1e-9);
        mo_pose_point_back(&pose[1], found.point_b, local);
        CHECK_NEAR(outside(MO_SHAPE_BOX, local), 0, 1e-9);
        for (int k = 0; k < 3; ++k)
            apart += pow(found.point_b[k] - found.point_a[k], 2);
        CHECK_NEAR(sqrt(apart), found.distance, 1e-9);
        for (int k = 0; k < 3000; ++k) {
            double point[2][3], square = 0;
            for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 3; ++j)
                    local[j] = HALF[j] * uniform(&random, -1, 1);
                mo_pose_point(&pose[i], local, point[i]);
            }
            for (int j = 0; j < 3; ++j)
                square += pow(point[1][j] - point[0][j], 2);
            least = fmin(least, sqrt(square));
        }
        CHECK(found.distance > 0 && found.distance <= least);
        mo_world_destroy(world);
    }
}

static void overlap_queries_list_all_shapes(void **state)
{
    (void)state;
    mo_world *world = make_world(0);
    const mo_body_id a = add(world, MO_BODY_FREE, mo_shape_ball(0.5), mo_pose_at(0, 0, 0)),
                     b = add(world, MO_BODY_FREE, mo_shape_ball(0.5), mo_pose_at(2, 0, 0));
    add(world, MO_BODY_FREE, mo_shape_ball(0.5), mo_pose_at(9, 0, 0));
    const mo_shape_def probe = mo_shape_box(1, 1, 1);
    const mo_pose at = mo_pose_at(1, 0, 0);
    mo_proximity found[4];
    int count;
    CHECK(mo_world_overlap(world, &probe, &at, 0, NULL, found, 4, &count, NULL) == MO_OK);
    CHECK(count == 2 && found[0].body_b.index == a.index && found[1].body_b.index == b.index);
    CHECK_NEAR(found[0].distance, -0.5, 1e-12);
    CHECK(mo_world_overlap(world, &probe, &at, 7, NULL, found, 1, &count, NULL) == MO_OK);
    CHECK(count == 3 && found[0].body_b.index == a.index);
    CHECK(mo_world_overlap(world, &probe, NULL, 0, NULL, found, 4, &count, NULL) == MO_OK);
    CHECK(count == 1);
    mo_world_destroy(world);
}

/* A visual mesh has no search tree; the shape of a query collides whatever its layers are. */
static void visual_meshes_are_at_no_distance(void **state)
{
    (void)state;
    static const double POINTS[] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    static const int CORNERS[] = {0, 1, 2};
    mo_shape_def mesh = mo_shape_mesh(POINTS, 3, CORNERS, 3);
    mo_world *world = make_world(0);
    mo_proximity found;
    int count;
    mesh.layer = mesh.mask = 0;
    const mo_body_id ball =
        add(world, MO_BODY_FREE, mo_shape_ball(0.5), mo_pose_at(0, 0, 0.4)); /* 0.1 deep */
    CHECK(mo_world_overlap(world, &mesh, NULL, 0, NULL, &found, 1, &count, NULL) == MO_OK);
    CHECK(count == 1 && found.body_b.index == ball.index);
    CHECK_NEAR(found.distance, -0.1, 1e-12);
    const mo_body_id seen = add(world, MO_BODY_FIXED, mesh, mo_pose_identity());
    CHECK(mo_world_distance(world, ball, seen, INFINITY, &found, NULL) == MO_OK);
    CHECK(isinf(found.distance));
    mo_world_destroy(world);
}

static void bad_questions_get_a_sentence(void **state)
{
    (void)state;
    mo_world *world = make_world(0);
    const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(0.5), mo_pose_identity());
    const double zero[3] = {0}, along[3] = {1, 0, 0}, bad[3] = {NAN, 0, 0};
    const mo_shape_def probe = mo_shape_ball(-1);
    mo_ray_hit hit;
    mo_proximity found;
    int count;
    mo_message why = {{0}};
    CHECK(mo_world_cast_ray(world, zero, zero, 1, NULL, &hit, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "direction"));
    CHECK(mo_world_cast_ray(world, bad, along, 1, NULL, &hit, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_world_cast_ray(world, zero, along, -1, NULL, &hit, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_world_cast_rays(world, 1, bad, along, 1, NULL, 1, &hit, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "ray 0"));
    CHECK(mo_world_overlap(world, &probe, NULL, 0, NULL, &found, 1, &count, &why));
    CHECK(strstr(why.text, "radius") && count == 0);
    CHECK(mo_world_distance(world, ball, ball, 1, &found, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_world_distance(world, ball, (mo_body_id){0}, 1, &found, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "no body with this id"));
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_every_shape_where_its_surface_is),
        cmocka_unit_test(the_first_of_several_is_hit_and_filters_leave_out_others),
        cmocka_unit_test(rays_fall_on_a_height_field_and_on_a_half_space),
        cmocka_unit_test(rays_in_the_plane),
        cmocka_unit_test(many_rays_are_single_rays_for_any_number_of_threads),
        cmocka_unit_test(distances_have_their_closed_forms),
        cmocka_unit_test(distances_of_turned_boxes_are_least),
        cmocka_unit_test(visual_meshes_are_at_no_distance),
        cmocka_unit_test(overlap_queries_list_all_shapes),
        cmocka_unit_test(bad_questions_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
