/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
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
                            mo_interior *interior)
{
    mo_interior own = {.problem = problem};
    size_t values;
    const size_t count = (size_t)problem->constraint_count, rows = (size_t)problem->row_count;
    count_all(problem, &own.cone_count, &values);
    const size_t cones = (size_t)own.cone_count;
    const mo_error error =
        mo_interior_matrix_layout(problem, is_quick, arena, interior ? &own.matrix : NULL);
    own.cone_start = MO_TAKE(arena, count + 1, int);
    own.first = MO_TAKE(arena, cones + 1, int);
    own.cone = MO_TAKE(arena, cones, mo_law_cone);
    own.scaling = MO_TAKE(arena, cones, mo_scaling);
    own.scale = MO_TAKE(arena, count, double);
    own.fixed = MO_TAKE(arena, rows, uint8_t);
    own.C = MO_TAKE(arena, values, double);
    own.C_start = MO_TAKE(arena, count + 1, size_t);
    double **const by_row[] = {&own.r,  &own.u,        &own.yhat,   &own.rest,  &own.g,
                               &own.dr, &own.centre_r, &own.path_r, &own.kept_r};
    for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; ++k) {
        *by_row[k] = MO_TAKE(arena, rows, double);
    }
    double **const by_cone[] = {&own.z,      &own.p,        &own.dp,       &own.dz,
                                &own.target, &own.centre_p, &own.centre_z, &own.path_p,
                                &own.path_z, &own.kept_z};
    for (size_t k = 0; k < sizeof by_cone / sizeof by_cone[0]; ++k) {
        *by_cone[k] = MO_TAKE(arena, cones * MO_LORENTZ_MAX, double);
    }
    if (interior && !error) {
        *interior = own;
        list_cones(interior);
    }
    return error;
}
