/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The cannonball pile of disks in the plane: [anitescu2004, section 5.3]. */
#include <math.h>

#include "rigid.h"
#include "scenes.h"

enum { PLANAR = 3, WORLD = -1 };

scene_cannonball_def scene_cannonball_default(void)
{
    return (scene_cannonball_def){
        .rows = 6, .mu = 0.05, .radius = 3, .mass = 1, .step = 0.05, .has_walls = 0};
}

typedef struct pile {
    const scene_cannonball_def *def;
    mo_builder *builder;
    mo_law law;
} pile;

/* The disk at a place of a row, row 0 on the floor with `rows` disks. */
static int disk_at(const pile *p, int row, int place)
{
    return row * p->def->rows - row * (row - 1) / 2 + place;
}

static void add_disks(const pile *p)
{
    const scene_cannonball_def *def = p->def;
    const double inertia = 0.5 * def->mass * def->radius * def->radius;
    const double M[PLANAR * PLANAR] = {def->mass, 0, 0, 0, def->mass, 0, 0, 0, inertia};
    const double f[PLANAR] = {0, -def->mass * SCENE_GRAVITY * def->step, 0};
    for (int k = 0; k < def->rows * (def->rows + 1) / 2; ++k)
        mo_builder_add_body(p->builder, PLANAR, M, f);
}

/* The rows of a contact with unit normal n, read at arm = side * radius * n from the centre of a
 * disk. */
static void add_side(const pile *p, int contact, int disk, double n_x, double n_y, double side)
{
    /* the second disk lies behind the contact */
    const double a = side * p->def->radius, sign = -side;
    const double arm_x = a * n_x, arm_y = a * n_y, t_x = -n_y, t_y = n_x;
    const double J[2 * PLANAR] = {sign * n_x, sign * n_y, 0, /* arm is parallel to n */
                                  sign * t_x, sign * t_y, sign * (arm_x * t_y - arm_y * t_x)};
    mo_builder_add_jacobian(p->builder, contact, disk, 2, PLANAR, J);
}

/* A contact that touches: n points from the first (or the world) into the second. */
static void add_contact(const pile *p, int first, int second, double n_x, double n_y)
{
    const int contact = mo_builder_add_constraint(p->builder, 2, &p->law, NULL);
    if (first != WORLD) add_side(p, contact, first, n_x, n_y, 1);
    add_side(p, contact, second, n_x, n_y, -1);
}

static void add_contacts(const pile *p)
{
    const double up = 0.86602540378443864676, aside = 0.5; /* sin and cos of 60 degrees */
    const int rows = p->def->rows;
    for (int row = 0; row < rows; ++row) {
        for (int place = 0; place < rows - row; ++place) {
            const int disk = disk_at(p, row, place);
            if (row == 0) {
                add_contact(p, WORLD, disk, 0, 1);
            } else {
                add_contact(p, disk_at(p, row - 1, place), disk, aside, up);
                add_contact(p, disk_at(p, row - 1, place + 1), disk, -aside, up);
            }
            if (place > 0) add_contact(p, disk_at(p, row, place - 1), disk, 1, 0);
        }
    }
    if (p->def->has_walls) {
        add_contact(p, WORLD, disk_at(p, 0, 0), 1, 0);
        add_contact(p, WORLD, disk_at(p, 0, rows - 1), -1, 0);
    }
}

mo_error scene_cannonball(const scene_cannonball_def *def, mo_problem **problem, mo_message *why)
{
    *problem = NULL;
    if (def->rows < 1 || def->rows > 10000 || !(def->radius > 0) || !(def->mass > 0)) {
        return scene_fail(
            why, MO_ERR_ARGUMENT,
            "a cannonball pile needs 1 to 10000 rows, and a radius and a mass above 0");
    }
    pile p = {.def = def, .law = mo_law_coulomb(def->mu)};
    mo_error error = mo_builder_create(NULL, &p.builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    add_disks(&p);
    add_contacts(&p);
    error = mo_builder_finish(p.builder, problem, why);
    mo_builder_destroy(p.builder);
    return error;
}
