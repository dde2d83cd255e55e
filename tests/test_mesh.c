/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Meshes and chains against the solids they bound, and under bodies that slide over their inner
 * sides. */
#include <string.h>

#include "check.h"
#include "collide_bodies.h"

#include "collide/collide.h"
#include "collide/mesh.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"

enum { CELLS = 12 }; /* of the floor, each way */

static const double G = 9.81;

typedef struct surface {
    double points[3 * (CELLS + 1) * (CELLS + 1)];
    int indices[6 * CELLS * CELLS];
    mo_shape_def def;
} surface;

/* A square floor from -6 to 6 of cells of one metre, cut along alternating diagonals; its height is
 * slope |x|. */
static void make_floor(surface *s, double slope)
{
    int count = 0;
    for (int j = 0; j <= CELLS; ++j) {
        for (int i = 0; i <= CELLS; ++i) {
            const double x = i - CELLS / 2, y = j - CELLS / 2;
            mo_vec3_set(s->points + 3 * ((CELLS + 1) * j + i), x, y, slope * fabs(x));
        }
    }
    for (int j = 0; j < CELLS; ++j) {
        for (int i = 0; i < CELLS; ++i) {
            const int a = (CELLS + 1) * j + i, b = a + 1, c = b + CELLS + 1, d = a + CELLS + 1;
            const int one[6] = {a, b, c, a, c, d}, other[6] = {a, b, d, b, c, d};
            memcpy(s->indices + count, (i + j) % 2 ? one : other, sizeof one);
            count += 6;
        }
    }
    s->def = mo_shape_mesh(s->points, (CELLS + 1) * (CELLS + 1), s->indices, count);
}

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

static const mo_touch *least_of(const mo_touch_list *list)
{
    const mo_touch *least = NULL;
    for (int k = 0; k < list->count; ++k)
        least = !least || list->touch[k].gap < least->gap ? list->touch + k : least;
    return least;
}

static mo_shape_def shape_of(mo_random *random, int kind, int is_planar)
{
    static const double HULL[15] = {0.3,  0.1, -0.2, -0.3, 0.2,  -0.1, 0,  -0.3,
                                    -0.2, 0.1, 0.1,  0.3,  -0.2, -0.1, 0.3};
    const double a = uniform(random, 0.1, 0.4), b = uniform(random, 0.1, 0.4),
                 c = uniform(random, 0.1, 0.4);
    switch (kind) {
    case 0:
        return mo_shape_ball(a);
    case 1:
        return mo_shape_box(a, b, c);
    case 2:
        return mo_shape_capsule((const double[3]){-a, b, is_planar ? 0 : c},
                                (const double[3]){b, -c, 0}, 0.5 * a);
    case 3:
        return mo_shape_hull(HULL, 5);
    default:
        return mo_shape_cylinder(a, b);
    }
}

static mo_pose random_pose(mo_random *random, double spread, int is_planar)
{
    double axis[3] = {0, 0, 1}, x[3];
    fill_uniform(random, -spread, spread, 3, x);
    if (!is_planar) fill_uniform(random, -1, 1, 3, axis);
    return mo_pose_turned(x[0], x[1], is_planar ? 0 : x[2], axis, uniform(random, -3, 3));
}

/* ---- against the solid ----------------------------------------------------------------------- */

static const double CORNERS[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                   -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int CUBE[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                             2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
static const double SQUARE[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const int AROUND[8] = {1, 0, 2, 1, 3, 2, 0, 3}; /* clockwise: solid on the right */

/* Apart, or with an overlap that is shallow; deep inside the triangles know of no solid. */
static void the_surface_of_a_box_touches_as_the_box_does(void **state)
{
    (void)state;
    mo_random random = {211};
    int seen = 0;
    for (int k = 0; k < 4000; ++k) {
        const int is_planar = k % 2, kind = k / 2 % (is_planar ? 4 : 5);
        const mo_shape_def shape = shape_of(&random, kind, is_planar), box = mo_shape_box(1, 1, 1),
                           mesh = is_planar ? mo_shape_mesh(SQUARE, 4, AROUND, 8)
                                            : mo_shape_mesh(CORNERS, 8, CUBE, 36);
        const mo_pose at = random_pose(&random, 1.6, is_planar),
                      about = random_pose(&random, 0.2, is_planar);
        mo_touch_list solid = touches_of(&shape, at, &box, about, is_planar, 0.2),
                      shell = touches_of(&shape, at, &mesh, about, is_planar, 0.2);
        const mo_touch *p = least_of(&solid), *q = least_of(&shell);
        if (!p) {
            CHECK(!q);
        } else if (p->gap > -1e-2) {
            CHECK(q);
            if (p->gap > 1e-6) {
                CHECK_NEAR(q->gap, p->gap, 1e-9);
                CHECK_NEAR(mo_vec3_dot(p->normal, q->normal), 1, 1e-6);
            } else { /* a neighbour of the face of least overlap may tell more */
                CHECK_BELOW(q->gap, p->gap + 1e-3);
            }
            ++seen;
        }
        mo_memory_free(&solid.allocator, solid.touch);
        mo_memory_free(&shell.allocator, shell.touch);
    }
    CHECK(seen > 500);
}

static void a_box_on_a_floor_of_triangles_has_its_four_corners(void **state)
{
    (void)state;
    surface s;
    make_floor(&s, 0);
    mo_random random = {223};
    for (int k = 0; k < 200; ++k) {
        const mo_shape_def box = mo_shape_box(1.3, 0.7, 0.2);
        const mo_pose at =
            mo_pose_turned(uniform(&random, -3, 3), uniform(&random, -3, 3),
                           0.2 + uniform(&random, -1e-3, 1e-3), (const double[3]){0, 0, 1}, k);
        mo_touch_list list = touches_of(&box, at, &s.def, mo_pose_identity(), 0, 0.01);
        CHECK(list.count == 4);
        for (int i = 0; i < list.count; ++i) {
            CHECK_NEAR(list.touch[i].normal[2], -1, 1e-12);
            CHECK_NEAR(list.touch[i].gap, at.position[2] - 0.2, 1e-12);
            for (int j = 0; j < i; ++j)
                CHECK(list.touch[i].feature != list.touch[j].feature);
        }
        mo_memory_free(&list.allocator, list.touch);
    }
}

/* A shape whose centre is above the floor is pushed out upwards from its lowest point, at any
 * depth. */
static void a_shape_that_is_sunk_deep_is_pushed_out(void **state)
{
    (void)state;
    static const double half[3] = {0.5, 0.4, 0.3}, a[3] = {0, 0, -0.5}, b[3] = {0, 0, 0.5};
    const mo_shape_def shape[3] = {mo_shape_box(half[0], half[1], half[2]),
                                   mo_shape_capsule(a, b, 0.2), mo_shape_cylinder(0.3, 0.5)};
    surface s;
    make_floor(&s, 0);
    mo_random random = {41};
    for (int k = 0; k < 600; ++k) {
        const double axis[3] = {uniform(&random, -1, 1), uniform(&random, -1, 1), 1};
        mo_pose at = mo_pose_turned(uniform(&random, -3, 3), uniform(&random, -3, 3), 0, axis, k);
        double R[9], below = 0;
        mo_quat_matrix(at.orientation, R);
        for (int i = 0; i < 3; ++i)
            below += half[i] * fabs(R[6 + i]);
        below = k % 3 == 0   ? below
                : k % 3 == 1 ? 0.5 * fabs(R[8]) + 0.2
                             : 0.5 * fabs(R[8]) + 0.3 * sqrt(fmax(0, 1 - R[8] * R[8]));
        at.position[2] = uniform(&random, 0.02, 1) * below;
        mo_touch_list list = touches_of(&shape[k % 3], at, &s.def, mo_pose_identity(), 0, 0.01);
        const mo_touch *least = least_of(&list);
        CHECK(list.count > 0);
        CHECK_NEAR(least->normal[2], -1, 1e-9);
        CHECK_NEAR(least->gap, at.position[2] - below, 1e-6);
        mo_memory_free(&list.allocator, list.touch);
    }
}

/* ---- under moving bodies --------------------------------------------------------------------- */

static mo_world *make_world(int is_planar)
{
    mo_world *world;
    const mo_world_def def = is_planar ? mo_default_planar_world() : mo_default_world();
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, double mu,
                      mo_pose pose)
{
    mo_message why = {{0}};
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    shape.material.friction = mu;
    const mo_body_id body = mo_world_add_body(world, &def, &why);
    if (!mo_world_add_shape(world, body, &shape, &why).index) fail_msg("%s", why.text);
    return body;
}

static void throw_it(mo_world *world, mo_body_id body, double x, double y)
{
    const mo_body_state now = mo_body_get(world, body);
    CHECK(mo_body_set(world, body, &now.pose, (const double[3]){x, y, 0},
                      (const double[3]){0, 0, 0}, NULL) == MO_OK);
}

/* Without friction nothing may slow down or lift what slides over inner sides. */
static void bodies_slide_over_a_flat_mesh_without_catching(void **state)
{
    (void)state;
    const double up = acos(-1.0) / 2;
    surface s;
    make_floor(&s, 0);
    const struct {
        mo_shape_def shape;
        mo_pose pose;
    } bodies[5] = {
        {mo_shape_ball(0.3), mo_pose_at(-4, -3.3, 0.3)},
        {mo_shape_box(0.4, 0.3, 0.2),
         mo_pose_turned(-4, -3.3, 0.2, (const double[3]){0, 0, 1}, 0.3)},
        {mo_shape_capsule((const double[3]){-0.3, 0, 0}, (const double[3]){0.3, 0, 0}, 0.2),
         mo_pose_at(-4, -3.3, 0.2)},
        {mo_shape_cylinder(0.3, 0.4), mo_pose_at(-4, -3.3, 0.4)},
        {mo_shape_cylinder(0.3, 0.4),
         mo_pose_turned(-4, -3.3, 0.3, (const double[3]){1, 0, 0}, up)},
    };
    for (int k = 0; k < 5; ++k) {
        mo_world *world = make_world(0);
        add(world, MO_BODY_FIXED, s.def, 0, mo_pose_identity());
        const mo_body_id body = add(world, MO_BODY_FREE, bodies[k].shape, 0, bodies[k].pose);
        throw_it(world, body, 3, 1.7);
        for (int step = 0; step < 200; ++step) {
            CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
            const mo_body_state now = mo_body_get(world, body);
            CHECK_NEAR(now.velocity[0], 3, 1e-7);
            CHECK_NEAR(now.velocity[1], 1.7, 1e-7);
            CHECK_NEAR(now.pose.position[2], bodies[k].pose.position[2], 1e-7);
        }
        mo_world_destroy(world);
    }
}

static void a_ball_comes_to_rest_in_a_valley(void **state)
{
    (void)state;
    surface s;
    make_floor(&s, 0.5);
    mo_world *world = make_world(0);
    add(world, MO_BODY_FIXED, s.def, 0.5, mo_pose_identity());
    const mo_body_id ball =
        add(world, MO_BODY_FREE, mo_shape_ball(0.3), 0.5, mo_pose_at(0.05, 0.2, 0.6));
    for (int step = 0; step < 400; ++step)
        CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    const mo_body_state now = mo_body_get(world, ball);
    CHECK_NEAR(now.pose.position[0], 0, 1e-6);
    CHECK_NEAR(now.pose.position[2], 0.3 * sqrt(1.25), 1e-6);
    mo_world_destroy(world);
}

/* A chain from x = -6 to 6 along y = 0, solid below; its points are listed from the other end. */
static mo_shape_def make_chain(double points[3 * 25], int indices[48])
{
    for (int k = 0; k < 25; ++k)
        mo_vec3_set(points + 3 * k, 6 - 0.5 * k, 0, 0);
    for (int k = 0; k < 24; ++k) {
        indices[2 * k] = k + 1;
        indices[2 * k + 1] = k;
    }
    return mo_shape_mesh(points, 25, indices, 48);
}

static void bodies_slide_over_a_straight_chain_without_catching(void **state)
{
    (void)state;
    double points[75];
    int indices[48];
    const mo_shape_def chain = make_chain(points, indices);
    const mo_shape_def shapes[3] = {
        mo_shape_ball(0.3), mo_shape_box(0.4, 0.3, 1),
        mo_shape_capsule((const double[3]){-0.4, 0, 0}, (const double[3]){0.4, 0, 0}, 0.3)};
    for (int k = 0; k < 3; ++k) {
        mo_world *world = make_world(1);
        add(world, MO_BODY_FIXED, chain, 0, mo_pose_identity());
        const mo_body_id body = add(world, MO_BODY_FREE, shapes[k], 0, mo_pose_planar(-4, 0.3, 0));
        throw_it(world, body, 3, 0);
        for (int step = 0; step < 200; ++step) {
            CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
            const mo_body_state now = mo_body_get(world, body);
            CHECK_NEAR(now.velocity[0], 3, 1e-8);
            CHECK_NEAR(now.pose.position[1], 0.3, 1e-8);
        }
        mo_world_destroy(world);
    }
}

/* With friction it slows down as on a plane. */
static void a_block_slides_over_triangles_as_over_a_plane(void **state)
{
    (void)state;
    surface s;
    make_floor(&s, 0);
    mo_world *world = make_world(0);
    add(world, MO_BODY_FIXED, s.def, 0.3, mo_pose_identity());
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.4, 0.3, 0.1), 0.3, mo_pose_at(-4, 0.1, 0.1));
    throw_it(world, block, 4, 0);
    for (int step = 1; step <= 100; ++step) {
        CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
        const mo_body_state now = mo_body_get(world, block);
        CHECK_NEAR(now.velocity[0], 4 - 0.3 * G * 0.01 * step, 1e-7);
    }
    mo_world_destroy(world);
}

static void invalid_meshes_are_refused_with_a_message(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_collider c;
    const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, bad[9] = {0, 0, 0, 1, 0, NAN, 0, 1, 0};
    const int right[3] = {0, 1, 2}, wrong[3] = {0, 1, 3}, flat[3] = {0, 1, 1};
    const mo_shape_def defs[6] = {
        mo_shape_mesh(points, 3, wrong, 3), mo_shape_mesh(bad, 3, right, 3),
        mo_shape_mesh(points, 3, flat, 3),  mo_shape_mesh(points, 3, right, 2),
        mo_shape_mesh(NULL, 0, right, 3),   mo_shape_mesh(points, 3, right, 0)};
    for (int k = 0; k < 6; ++k) {
        mo_message why = {{0}};
        CHECK(mo_collider_init(&defs[k], 0, &allocator, &c, &why) != MO_OK);
        CHECK(strlen(why.text) > 10);
    }
    const mo_shape_def good = mo_shape_mesh(points, 3, right, 3);
    CHECK(mo_collider_init(&good, 0, &allocator, &c, NULL) == MO_OK);
    mo_collider_clear(&allocator, &c);
}

/* Two triangles with points of their own are one square where a zero of the second has a sign. */
static void negative_zero_is_the_same_place(void **state)
{
    (void)state;
    static const double POINTS[18] = {0, 0,    0,    1, 0, 0,    0,    1, 0,
                                      1, -0.0, -0.0, 1, 1, -0.0, -0.0, 1, -0.0};
    static const int INDICES[6] = {0, 1, 2, 3, 4, 5};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    const mo_shape_def def = mo_shape_mesh(POINTS, 6, INDICES, 6);
    mo_mesh *mesh = mo_mesh_create(&allocator, 0, &def, NULL);
    CHECK(mesh != NULL);
    CHECK(mesh->beside[1] == 1 && mesh->beside[5] == 0);
    mo_mesh_destroy(&allocator, mesh);
}

/* A mesh without layer and mask falls with its body through the floor, and weighs nothing. */
static void a_mesh_that_is_drawn_only_moves_with_any_body(void **state)
{
    (void)state;
    static const double corner[] = {0, 0, -1, 1, 0, -1, 0, 1, -1};
    static const int triangle[] = {0, 1, 2}, wrong[] = {0, 1, 3};
    mo_shape_def drawn = mo_shape_mesh(corner, 3, triangle, 3), ball = mo_shape_ball(0.1);
    mo_message why = {{0}};
    mo_world *world;
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK);
    const mo_shape_def floor = mo_shape_plane();
    const mo_body_id ground = mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, &why);
    const mo_pose start = mo_pose_at(0, 0, 0.1);
    const mo_body_id body = mo_world_add_solid(world, MO_BODY_FREE, &ball, &start, &why);
    const double mass = mo_body_get(world, body).mass;
    CHECK(mo_world_add_shape(world, body, &drawn, &why).index == 0);
    drawn.layer = drawn.mask = 0;
    const mo_shape_id shape = mo_world_add_shape(world, body, &drawn, &why);
    CHECK(shape.index && mo_body_get(world, body).mass == mass);
    ball.pose = mo_pose_at(9, 0, 0);
    const mo_shape_id other = mo_world_add_shape(world, ground, &ball, &why);
    CHECK(mo_world_pair(world, shape, other, &ball.material, &why) == MO_ERR_ARGUMENT);
    drawn.indices = wrong;
    CHECK(mo_world_add_shape(world, body, &drawn, &why).index == 0);
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK && report.penetration < 1e-9);
    }
    CHECK_NEAR(mo_body_get(world, body).pose.position[2], 0.1, 1e-8);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_surface_of_a_box_touches_as_the_box_does),
        cmocka_unit_test(a_box_on_a_floor_of_triangles_has_its_four_corners),
        cmocka_unit_test(a_shape_that_is_sunk_deep_is_pushed_out),
        cmocka_unit_test(bodies_slide_over_a_flat_mesh_without_catching),
        cmocka_unit_test(a_ball_comes_to_rest_in_a_valley),
        cmocka_unit_test(bodies_slide_over_a_straight_chain_without_catching),
        cmocka_unit_test(a_block_slides_over_triangles_as_over_a_plane),
        cmocka_unit_test(invalid_meshes_are_refused_with_a_message),
        cmocka_unit_test(negative_zero_is_the_same_place),
        cmocka_unit_test(a_mesh_that_is_drawn_only_moves_with_any_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
