/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random values for calls: numbers, ids, shapes, definitions of worlds. */
#include <math.h>

#include "fuzz_calls.h"

/* ---- random values --------------------------------------------------------------------------- */

int fuzz_below(fuzz_place *p, int end)
{
    return (int)(mo_random_bits(&p->random) % (uint64_t)end);
}

double fuzz_number(fuzz_place *p, double low, double high)
{
    static const double ODD[] = {NAN,  INFINITY, -INFINITY, 1e300,  -1e300,  1e100, -1e100,
                                 1e30, -1e15,    1e9,       -1,     0,       -0.0,  1,
                                 1e-6, 1e-9,     1e-30,     1e-100, -1e-200, 5e-324};
    if (fuzz_below(p, 64) < p->oddity) return ODD[fuzz_below(p, sizeof ODD / sizeof *ODD)];
    return low + (high - low) * mo_random_unit(&p->random);
}

void fuzz_numbers(fuzz_place *p, double low, double high, int count, double *x)
{
    for (int k = 0; k < count; ++k)
        x[k] = fuzz_number(p, low, high);
}

/* An enumerator below `end`, rarely one that is none. */
int fuzz_choice(fuzz_place *p, int end)
{
    return fuzz_below(p, 640) < p->oddity ? fuzz_below(p, 3) ? end : -1 : fuzz_below(p, end);
}

mo_pose fuzz_pose(fuzz_place *p)
{
    mo_pose pose = mo_pose_identity();
    fuzz_numbers(p, -1, 1, 3, pose.position);
    if (fuzz_below(p, 2)) fuzz_numbers(p, -1, 1, 4, pose.orientation);
    return pose;
}

mo_body_id fuzz_body(fuzz_place *p)
{
    mo_body_id id = mo_world_body(p->world, fuzz_below(p, mo_world_body_count(p->world) + 1));
    if (fuzz_below(p, 320) < p->oddity) {
        id.index += fuzz_below(p, 3) - 1;
        id.generation += (uint32_t)fuzz_below(p, 2);
    }
    return id;
}

mo_mechanism_id fuzz_mechanism(fuzz_place *p)
{
    return mo_world_mechanism(p->world, fuzz_below(p, mo_world_mechanism_count(p->world) + 1));
}

mo_shape_id fuzz_shape_id(fuzz_place *p)
{
    const mo_body_id body = fuzz_body(p);
    return mo_body_shape_id(p->world, body,
                            fuzz_below(p, mo_body_get(p->world, body).shape_count + 1));
}

mo_joint_id fuzz_joint(fuzz_place *p)
{
    return mo_world_joint(p->world, fuzz_below(p, mo_world_joint_count(p->world) + 1));
}

mo_material fuzz_material(fuzz_place *p)
{
    mo_material m = mo_default_material();
    m.friction = fuzz_below(p, 4) ? fuzz_number(p, 0, 1.5) : 0;
    m.restitution = fuzz_below(p, 3) ? 0 : fuzz_number(p, 0, 1);
    m.rolling = fuzz_below(p, 6) ? 0 : fuzz_number(p, 0, 0.1);
    m.torsion = fuzz_below(p, 6) ? 0 : fuzz_number(p, 0, 0.1);
    m.rule = (mo_combine_rule)fuzz_choice(p, MO_COMBINE_COUNT);
    m.dims = fuzz_below(p, 4) ? 0 : fuzz_below(p, 7);
    m.priority = fuzz_below(p, 3) - 1;
    return m;
}

enum { POINTS = 16, ROWS = 4 };

static void give_points(fuzz_place *p, mo_shape_def *s, double points[48], int indices[96])
{
    fuzz_numbers(p, -0.4, 0.4, 3 * POINTS, points);
    s->points = points;
    s->point_count = s->kind == MO_SHAPE_HULL ? 3 + fuzz_below(p, POINTS - 2) : POINTS;
    if (s->kind != MO_SHAPE_MESH) return;
    s->indices = indices;
    s->index_count = 6 * (ROWS - 1) * (ROWS - 1);
    if (fuzz_below(p, 2)) {
        double heights[ROWS * ROWS];
        fuzz_numbers(p, -0.3, 0.3, ROWS * ROWS, heights);
        mo_height_field_mesh(ROWS, ROWS, fuzz_number(p, 0.2, 1), heights, points, indices);
        return;
    }
    for (int k = 0; k < s->index_count; ++k)
        indices[k] = fuzz_choice(p, POINTS);
    s->index_count -= fuzz_below(p, 4) ? 0 : fuzz_below(p, s->index_count + 1);
}

mo_shape_def fuzz_shape(fuzz_place *p, double points[48], int indices[96])
{
    mo_shape_def s = mo_default_shape((mo_shape_kind)fuzz_choice(p, MO_SHAPE_KIND_COUNT));
    s.radius = fuzz_number(p, 0.05, 0.5);
    fuzz_numbers(p, 0.05, 0.5, 3, s.half);
    fuzz_numbers(p, -0.3, 0.3, 6, s.ends[0]);
    if (s.kind == MO_SHAPE_HULL || s.kind == MO_SHAPE_MESH) give_points(p, &s, points, indices);
    if (fuzz_below(p, 4) == 0) s.pose = fuzz_pose(p);
    s.material = fuzz_material(p);
    s.density = fuzz_below(p, 3) ? 1000 : fuzz_number(p, 1e-3, 1e6);
    if (fuzz_below(p, 8) == 0) {
        s.layer = (unsigned)fuzz_below(p, 4);
        s.mask = (unsigned)fuzz_below(p, 4);
        s.either_mask = fuzz_below(p, 2);
    }
    return s;
}

mo_world_def fuzz_definition(fuzz_place *p)
{
    static const double TOLS[] = {1e-4, 1e-6, 1e-8, 1e-8, 1e-10, 1e-14};
    mo_world_def def = fuzz_below(p, 5) ? mo_default_world() : mo_default_planar_world();
    if (fuzz_below(p, 4) == 0) fuzz_numbers(p, -20, 20, 3, def.gravity);
    def.margin = fuzz_below(p, 3) ? 0 : fuzz_number(p, 0, 0.1);
    def.overlap = fuzz_below(p, 3) ? def.overlap : fuzz_number(p, 1e-3, 0.5);
    def.projection = fuzz_below(p, 2);
    def.sleeping = fuzz_below(p, 2);
    def.level = fuzz_below(p, 6) ? MO_LEVEL_VELOCITY : MO_LEVEL_ACCELERATION;
    def.first_order = fuzz_below(p, 6) ? 0 : fuzz_number(p, 1e-3, 10);
    def.restitution_speed = fuzz_below(p, 3) ? def.restitution_speed : fuzz_number(p, 0, 1);
    def.friction_rule = (mo_combine_rule)fuzz_choice(p, MO_COMBINE_COUNT);
    def.restitution_rule = (mo_combine_rule)fuzz_choice(p, MO_COMBINE_COUNT);
    def.moving_tol = fuzz_below(p, 2) ? def.moving_tol : fuzz_number(p, 0, 1e-2);
    def.solver.tol = TOLS[fuzz_below(p, 6)];
    def.solver.max_iter = fuzz_below(p, 4) ? 300 : fuzz_below(p, 50);
    def.solver.threads = 1 + fuzz_below(p, 3);
    if (fuzz_below(p, 3) == 0)
        def.solver.method = mo_method_describe(fuzz_below(p, mo_method_count())).name;
    if (fuzz_below(p, 16) == 0) /* one is refused where there is no GPU */
        mo_options_set(&def.solver, "device", fuzz_below(p, 2) ? "gpu" : "cpu", NULL);
    if (fuzz_below(p, 6) == 0)
        mo_options_set(&def.solver, "canonical", fuzz_below(p, 2) ? "yes" : "start", NULL);
    return def;
}
