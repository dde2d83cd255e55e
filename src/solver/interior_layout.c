/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/error.h"
#include "base/pace.h"
#include "solver/interior.h"

int mo_interior_cones(const mo_problem *problem, int i, mo_law_cone *cones, mo_law_rows *rows)
{
    return mo_law_cones((mo_law_kind)problem->law[i].kind, mo_constraint_param(problem, i),
                        mo_constraint_dim(problem, i), cones, rows);
}

static size_t block_size(const mo_problem *problem, int i)
{
    const size_t d = (size_t)mo_constraint_dim(problem, i);
    return d * d;
}

static void count_all(const mo_problem *problem, int *cones, size_t *values)
{
    *cones = 0;
    *values = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        *cones += mo_interior_cones(problem, i, NULL, NULL);
        *values += block_size(problem, i);
    }
}

/* The cones of all constraints one after the other, in their own units. */
static void list_cones(mo_interior *s)
{
    const mo_problem *problem = s->problem;
    int count = 0, rows = 0;
    size_t values = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        s->cone_start[i] = count;
        s->C_start[i] = values;
        values += block_size(problem, i);
        const int own = mo_interior_cones(problem, i, s->cone + count, NULL);
        for (int k = 0; k < own; ++k, ++count) {
            s->first[count] = rows;
            rows += s->cone[count].dim;
        }
    }
    s->cone_start[problem->constraint_count] = count;
    s->C_start[problem->constraint_count] = values;
    s->first[count] = rows;
    s->cone_rows = rows;
}

mo_error mo_interior_layout(const mo_problem *problem, int is_quick, mo_arena *arena,
                            mo_interior *s)
{
    size_t values;
    const size_t count = (size_t)problem->constraint_count, rows = (size_t)problem->row_count;
    *s = (mo_interior){.problem = problem};
    count_all(problem, &s->cone_count, &values);
    const size_t cones = (size_t)s->cone_count;
    MO_TRY(mo_interior_matrix_layout(problem, is_quick, arena, &s->matrix));
    s->cone_start = MO_TAKE(arena, count + 1, int);
    s->first = MO_TAKE(arena, cones + 1, int);
    s->cone = MO_TAKE(arena, cones, mo_law_cone);
    s->scaling = MO_TAKE(arena, cones, mo_scaling);
    s->scale = MO_TAKE(arena, count, double);
    s->fixed = MO_TAKE(arena, rows, uint8_t);
    s->C = MO_TAKE(arena, values, double);
    s->C_start = MO_TAKE(arena, count + 1, size_t);
    MO_TAKE_EACH(arena, rows, double, &s->r, &s->u, &s->yhat, &s->rest, &s->g, &s->dr, &s->centre_r,
                 &s->path_r, &s->kept_r);
    MO_TAKE_EACH(arena, cones * MO_LORENTZ_MAX, double, &s->z, &s->p, &s->dp, &s->dz, &s->target,
                 &s->centre_p, &s->centre_z, &s->path_p, &s->path_z, &s->kept_z);
    if (arena->base) list_cones(s);
    return MO_OK;
}
