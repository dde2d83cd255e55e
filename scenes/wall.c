/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A wall of bricks in running bond, with the contacts of every pair of faces at the corners of
 * their overlap. */
#include <math.h>

#include "rigid.h"
#include "rng.h"
#include "scenes.h"

enum { PLANAR = 3, WORLD = -1 };

static const double LENGTH = 0.24, HEIGHT = 0.08, DEPTH = 0.12; /* m, along x, z and y */
static const double MASS = 4;                                   /* kg, of a whole brick */

scene_wall_def scene_wall_default(void)
{
    return (scene_wall_def){.courses = 4, .length = 4, .mu = 0.6, .step = 0.01, .seed = 1};
}

typedef struct brick {
    double x, size; /* centre and length, along the wall */
} brick;

/* Even courses have `length` whole bricks; odd ones begin and end with a half. */
static int bricks_in(const scene_wall_def *def, int course)
{
    return course % 2 ? def->length + 1 : def->length;
}

static brick brick_at(const scene_wall_def *def, int course, int k)
{
    const int is_odd = course % 2, is_half = is_odd && (k == 0 || k == def->length);
    if (!is_odd) return (brick){(k + 0.5) * LENGTH, LENGTH};
    if (is_half) return (brick){k == 0 ? 0.25 * LENGTH : (def->length - 0.25) * LENGTH, LENGTH / 2};
    return (brick){k * LENGTH, LENGTH};
}

static void add_brick(mo_builder *builder, const scene_wall_def *def, int index, brick own)
{
    const double mass = MASS * own.size / LENGTH, weight = mass * SCENE_GRAVITY * def->step;
    rng g = rng_of(def->seed, (uint64_t)index);
    double kick[3];
    for (int k = 0; k < 3; ++k)
        kick[k] = mass * def->shake * rng_between(&g, -1, 1);
    if (!def->in_plane) {
        const double sides[3] = {own.size, DEPTH, HEIGHT};
        const double impulse[3] = {kick[0], kick[1], kick[2] - weight};
        rigid_add_box(builder, mass, sides, impulse);
        return;
    }
    const double turning = mass * (own.size * own.size + HEIGHT * HEIGHT) / 12;
    const double M[PLANAR * PLANAR] = {mass, 0, 0, 0, mass, 0, 0, 0, turning};
    const double f[PLANAR] = {kick[0], kick[2] - weight, 0};
    mo_builder_add_body(builder, PLANAR, M, f);
}

/* J of a point in the plane, at (x, z) from the centre: the velocity is (v_x - omega z, v_z +
 * omega x). */
static void planar_jacobian(int rows, double x, double z, double sign, double *J)
{
    const double all[2 * PLANAR] = {0, sign, sign * x, sign, 0, -sign * z};
    for (int k = 0; k < rows * PLANAR; ++k)
        J[k] = all[k];
}

/* Adds to the contact what the body sees at (x, y) of its lower (side -1) or upper (+1) face. */
static void touch(mo_builder *builder, const scene_wall_def *def, int contact, int body, double x,
                  double y, int side)
{
    static const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* normal z, tangents x and y */
    const double z = side * HEIGHT / 2, arm[3] = {x, y, z};
    double J[3 * RIGID];
    if (def->in_plane) {
        const int rows = def->frictionless ? 1 : 2;
        planar_jacobian(rows, x, z, -side, J);
        mo_builder_add_jacobian(builder, contact, body, rows, PLANAR, J);
    } else {
        const int rows = def->frictionless ? 1 : 3;
        rigid_jacobian(rows, frame, arm, -side, J);
        mo_builder_add_jacobian(builder, contact, body, rows, RIGID, J);
    }
}

/* One corner of the overlap of two faces; `below` is WORLD for the floor. */
static void add_corner(mo_builder *builder, const scene_wall_def *def, int below, brick lower,
                       int above, brick upper, double x, double y)
{
    const mo_law law = def->frictionless ? mo_law_frictionless() : mo_law_coulomb(def->mu);
    const int rows = def->frictionless ? 1 : def->in_plane ? 2 : 3;
    const int contact = mo_builder_add_constraint(builder, rows, &law, NULL);
    if (below != WORLD) touch(builder, def, contact, below, x - lower.x, y, 1);
    touch(builder, def, contact, above, x - upper.x, y, -1);
}

static void add_face(mo_builder *builder, const scene_wall_def *def, int below, brick lower,
                     int above, brick upper)
{
    const double left = fmax(lower.x - lower.size / 2, upper.x - upper.size / 2);
    const double right = fmin(lower.x + lower.size / 2, upper.x + upper.size / 2);
    if (right - left < 0.01 * LENGTH) return;
    for (int side = def->in_plane ? 1 : -1; side <= 1; side += 2) {
        const double y = def->in_plane ? 0 : side * DEPTH / 2;
        add_corner(builder, def, below, lower, above, upper, left, y);
        add_corner(builder, def, below, lower, above, upper, right, y);
    }
}

static void add_course(mo_builder *builder, const scene_wall_def *def, int course, int first)
{
    const int under = course > 0 ? bricks_in(def, course - 1) : 0;
    for (int k = 0; k < bricks_in(def, course); ++k) {
        const brick own = brick_at(def, course, k);
        add_brick(builder, def, first + k, own);
        if (course == 0) add_face(builder, def, WORLD, own, first + k, own);
        for (int j = 0; j < under; ++j)
            add_face(builder, def, first - under + j, brick_at(def, course - 1, j), first + k, own);
    }
}

mo_error scene_wall(const scene_wall_def *def, mo_problem **problem, mo_message *why)
{
    *problem = NULL;
    if (def->courses < 1 || def->length < 1) {
        return scene_fail(why, MO_ERR_ARGUMENT,
                          "a wall needs at least one course and one brick in it");
    }
    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    for (int course = 0, first = 0; course < def->courses; first += bricks_in(def, course++))
        add_course(builder, def, course, first);
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
