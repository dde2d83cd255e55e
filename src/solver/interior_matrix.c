/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/interior_matrix.h"
#include "base/error.h"
#include "base/pace.h"

#include <string.h>

/* Rows up to which the space of contacts is used at any cost. */
enum { CONTACT_ROWS = 12000 };

/* Rows for each velocity from which on a quick try is made in the space of bodies. */
enum { MANY_ROWS = 3 };

static mo_space space_for(const mo_problem *problem, int is_quick)
{
    const int has_many = problem->row_count >= MANY_ROWS * problem->dof_count;
    const int is_cheaper = is_quick && problem->form == MO_FORM_GLOBAL && has_many;
    return is_cheaper || problem->row_count > CONTACT_ROWS ? MO_SPACE_BEST : MO_SPACE_CONTACTS;
}

mo_error mo_interior_matrix_layout(const mo_problem *problem, int is_quick, mo_arena *arena,
                                   mo_interior_matrix *matrix)
{
    matrix->problem = problem;
    MO_TRY(mo_problem_sweep(problem, MO_SWEEP_NATURAL, &matrix->sweep));
    MO_TRY(mo_delassus_layout(problem, space_for(problem, is_quick), arena, &matrix->system));
    MO_TAKE_EACH(arena, problem->row_count, double, &matrix->right, &matrix->rest);
    matrix->state = MO_TAKE(arena, mo_sweep_state_size(matrix->sweep), double);
    return MO_OK;
}

const double *mo_interior_diagonal(const mo_interior_matrix *m, int i)
{
    return mo_sweep_diagonal(m->sweep, i); /* natural order: position i holds constraint i */
}

void mo_interior_velocity(const mo_interior_matrix *m, const double *r, double *u)
{
    const int is_global = mo_sweep_state_size(m->sweep) > 0;
    mo_sweep_reset(m->sweep, 1, r, m->state);
    mo_sweep_all_velocities(m->sweep, 1, is_global ? m->state : r, u);
}

/* D = C and B = I; a fixed row reads x = b = 0. */
static void set_blocks(mo_interior_matrix *m, int i)
{
    const int row = m->problem->row_start[i], d = m->problem->row_start[i + 1] - row;
    const double *C = m->C + m->C_start[i];
    double *D = m->system.D + m->system.start[i], *B = m->system.B + m->system.start[i];
    for (int a = 0; a < d; ++a) {
        const int is_fixed = m->fixed[row + a];
        for (int b = 0; b < d; ++b) {
            D[a * d + b] = is_fixed ? a == b : C[a * d + b];
            B[a * d + b] = !is_fixed && a == b;
        }
    }
}

int mo_interior_factor(mo_interior_matrix *m, const double *C, const size_t *C_start,
                       const uint8_t *fixed)
{
    m->C = C;
    m->C_start = C_start;
    m->fixed = fixed;
    memset(m->system.active, 1, (size_t)m->problem->constraint_count);
    for (int i = 0; i < m->problem->constraint_count; ++i)
        set_blocks(m, i);
    return mo_delassus_factor(&m->system);
}

/* y = W x; the blocks of W if available. */
static void multiply(const mo_interior_matrix *m, const double *x, double *y)
{
    if (m->system.contact) {
        mo_delassus_response(&m->system, x, y);
        return;
    }
    memset(m->state, 0, (size_t)m->problem->dof_count * sizeof(double));
    for (int i = 0; i < m->problem->constraint_count; ++i)
        mo_sweep_apply(m->sweep, i, x + m->problem->row_start[i], m->state);
    for (int i = 0; i < m->problem->constraint_count; ++i)
        mo_sweep_change(m->sweep, i, m->state, y + m->problem->row_start[i]);
}

/* rest = right - (W + C) x. */
static void find_rest(mo_interior_matrix *m, const double *x)
{
    multiply(m, x, m->rest);
    for (int i = 0; i < m->problem->constraint_count; ++i) {
        const int row = m->problem->row_start[i], d = m->problem->row_start[i + 1] - row;
        const double *C = m->C + m->C_start[i];
        mo_pace_every(i + 1, 128);
        for (int a = 0; a < d; ++a) {
            const double left = m->rest[row + a] + mo_dot(d, C + (size_t)(a * d), x + row);
            m->rest[row + a] = m->fixed[row + a] ? 0 : m->right[row + a] - left;
        }
    }
}

void mo_interior_solve(mo_interior_matrix *m, int is_refined, double *x)
{
    const int rows = m->problem->row_count;
    for (int k = 0; k < rows; ++k)
        x[k] = m->fixed[k] ? 0 : x[k];
    memcpy(m->right, x, (size_t)rows * sizeof *x);
    mo_delassus_solve(&m->system, x);
    if (is_refined) {
        find_rest(m, x);
        mo_delassus_solve(&m->system, m->rest);
        mo_axpy(rows, 1, m->rest, x);
    }
}
