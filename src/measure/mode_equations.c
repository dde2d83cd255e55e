/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/mode_equations.h"

#include <math.h>

enum { ROW_IS_R = 16 };

static int is_round(const mo_unit *unit)
{
    const mo_law_kind kind = unit->law.kind;
    return unit->dim > 3 ? kind == MO_LAW_ROLLING || kind == MO_LAW_SOFT_FINGER
                         : kind == MO_LAW_COULOMB && unit->dim == 3 && unit->law.mu > 0 &&
                               !isinf(unit->law.mu);
}

/* ---- choosing a mode ------------------------------------------------------------------------- */

/* Distance of the point from the cell. */
static double misfit(const mo_unit *unit, int cell, double unit_r, const double *u, const double *r)
{
    mo_cell_row rows[MO_CELL_MOST_ROWS];
    const int count = mo_cell_rows(unit, cell, unit_r, rows);
    double worst = 0;
    for (int m = 0; m < count; ++m) {
        double value = -rows[m].constant;
        for (int k = 0; k < unit->dim; ++k)
            value += rows[m].c[k] * (rows[m].on_u ? u : r)[k];
        worst = fmax(worst, rows[m].is_equation ? fabs(value) : -value);
    }
    return worst;
}

static int best_cell(const mo_unit *unit, double unit_r, const double *u, const double *r)
{
    int children[MO_CELL_MOST_CELLS];
    const int count = mo_cell_finals(unit, children);
    int best = MO_CELL_ANY;
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
        const double fit = misfit(unit, children[k], unit_r, u, r);
        if (fit < least) {
            least = fit;
            best = children[k];
        }
    }
    return best;
}

mo_unit_mode mo_mode_of(const mo_unit *unit, double unit_r, const double *u, const double *r)
{
    mo_unit_mode mode = {0};
    int groups[MO_CONE_MOST_GROUPS + 1];
    double c[MO_CONE_MOST_ROWS];
    if (!is_round(unit)) {
        mode.cell = best_cell(unit, unit_r, u, r);
        return mode;
    }
    mode.is_round = r[0] > u[0]; /* otherwise open, cell 0 */
    const int count = mo_cone_groups(unit, groups, c);
    for (int g = 0; g < count; ++g) {
        double slip = 0, share = 0;
        for (int k = groups[g]; k < groups[g + 1]; ++k) {
            slip = hypot(slip, c[k] * u[k]);
            share = hypot(share, c[k] > 0 ? r[k] / c[k] : 0);
        }
        mode.slides[g] = slip > r[0] - share;
    }
    return mode;
}

/* ---- equations ------------------------------------------------------------------------------- */

/* u_k = 0 or r_k = 0 */
static mo_mode_row zero_row(int on_r, int k, const mo_interval *u, const mo_interval *r)
{
    mo_mode_row row = {.value = on_r ? r[k] : u[k], .is_zero_of = on_r ? ROW_IS_R + k : k};
    (on_r ? row.by_r : row.by_u)[k] = mo_interval_exact(1);
    return row;
}

static int apart_rows(const mo_unit *unit, const mo_interval *u, const mo_interval *r,
                      mo_mode_row *rows)
{
    for (int k = 0; k < unit->dim; ++k)
        rows[k] = zero_row(1, k, u, r);
    return unit->dim;
}

/* (1) for row k of the group from `begin` to `end`. */
static mo_mode_row sliding_row(int k, int begin, int end, const double *c, const mo_interval *u,
                               const mo_interval *r)
{
    mo_interval sum = mo_interval_exact(0), scaled[MO_CONE_MOST_ROWS];
    for (int j = begin; j < end; ++j) {
        scaled[j] = mo_interval_mul(mo_interval_exact(c[j]), u[j]);
        sum = mo_interval_add(sum, mo_interval_mul(scaled[j], scaled[j]));
    }
    const mo_interval s = mo_interval_sqrt(sum), over = mo_interval_inverse(s);
    const mo_interval pull = mo_interval_mul(mo_interval_exact(c[k]), scaled[k]); /* c_k^2 u_k */
    mo_mode_row row = {.is_zero_of = -1};
    row.value = mo_interval_add(mo_interval_mul(s, r[k]), mo_interval_mul(r[0], pull));
    for (int j = begin; j < end; ++j) {
        const mo_interval slope =
            /* ds / du_j */
            mo_interval_mul(mo_interval_mul(mo_interval_exact(c[j]), scaled[j]), over);
        row.by_u[j] = mo_interval_mul(r[k], slope);
    }
    row.by_u[k] = mo_interval_add(
        row.by_u[k],
        mo_interval_mul(r[0], mo_interval_mul(mo_interval_exact(c[k]), mo_interval_exact(c[k]))));
    row.by_r[0] = pull;
    row.by_r[k] = s;
    return row;
}

static int closed_rows(const mo_unit *unit, const mo_unit_mode *mode, const mo_interval *u,
                       const mo_interval *r, mo_mode_row *rows)
{
    int groups[MO_CONE_MOST_GROUPS + 1], count = 0;
    double c[MO_CONE_MOST_ROWS];
    const int group_count = mo_cone_groups(unit, groups, c);
    rows[count++] = zero_row(0, 0, u, r);
    for (int g = 0; g < group_count; ++g) {
        for (int k = groups[g]; k < groups[g + 1]; ++k) {
            rows[count++] = !(c[k] > 0)       ? zero_row(1, k, u, r)
                            : mode->slides[g] ? sliding_row(k, groups[g], groups[g + 1], c, u, r)
                                              : zero_row(0, k, u, r);
        }
    }
    return count;
}

static mo_interval value_of(const mo_cell_row *row, int dim, const mo_interval *u,
                            const mo_interval *r)
{
    return mo_interval_combine(mo_interval_exact(-row->constant), dim, row->c, row->on_u ? u : r);
}

static mo_mode_row linear_row(const mo_cell_row *from, int dim, const mo_interval *u,
                              const mo_interval *r)
{
    mo_mode_row row = {.value = value_of(from, dim, u, r), .is_zero_of = -1};
    int entries = 0, single = 0;
    for (int k = 0; k < dim; ++k) {
        (from->on_u ? row.by_u : row.by_r)[k] = mo_interval_exact(from->c[k]);
        entries += from->c[k] != 0;
        single = from->c[k] != 0 ? k : single;
    }
    if (entries == 1 && from->constant == 0)
        row.is_zero_of = from->on_u ? single : ROW_IS_R + single;
    return row;
}

int mo_mode_rows(const mo_unit *unit, const mo_unit_mode *mode, double unit_r, const mo_interval *u,
                 const mo_interval *r, mo_mode_row *rows)
{
    mo_cell_row all[MO_CELL_MOST_ROWS];
    int equations = 0;
    if (mode->is_round) return closed_rows(unit, mode, u, r, rows);
    if (is_round(unit)) return apart_rows(unit, u, r, rows);
    const int count = mo_cell_rows(unit, mode->cell, unit_r, all);
    for (int m = 0; m < count; ++m)
        if (all[m].is_equation && equations++ < unit->dim)
            rows[equations - 1] = linear_row(&all[m], unit->dim, u, r);
    return equations;
}

/* ---- inequalities ---------------------------------------------------------------------------- */

/* Closed: r_N >= 0, sticking groups inside their limit, s > 0 in sliding ones, as (1) needs. */
static int closed_is_met(const mo_unit *unit, const mo_unit_mode *mode, const mo_interval *u,
                         const mo_interval *r)
{
    int groups[MO_CONE_MOST_GROUPS + 1], met = mo_interval_lower(r[0]) >= 0;
    double c[MO_CONE_MOST_ROWS];
    const int count = mo_cone_groups(unit, groups, c);
    for (int g = 0; g < count && met; ++g) {
        mo_interval room = mo_interval_mul(r[0], r[0]), slip = mo_interval_exact(0);
        for (int k = groups[g]; k < groups[g + 1]; ++k) {
            if (c[k] > 0) {
                const mo_interval share =
                    mo_interval_mul(mo_interval_inverse(mo_interval_exact(c[k])), r[k]);
                room = mo_interval_add(room, mo_interval_neg(mo_interval_mul(share, share)));
                slip = mo_interval_add(slip, mo_interval_mul(u[k], u[k]));
            }
        }
        met = mode->slides[g] ? mo_interval_lower(slip) > 0 : mo_interval_lower(room) >= 0;
    }
    return met;
}

int mo_mode_is_met(const mo_unit *unit, const mo_unit_mode *mode, double unit_r,
                   const mo_interval *u, const mo_interval *r)
{
    mo_cell_row all[MO_CELL_MOST_ROWS];
    if (mode->is_round) return closed_is_met(unit, mode, u, r);
    if (is_round(unit)) return mo_interval_lower(u[0]) >= 0;
    const int count = mo_cell_rows(unit, mode->cell, unit_r, all);
    int met = 1;
    for (int m = 0; m < count && met; ++m)
        met = all[m].is_equation || mo_interval_lower(value_of(&all[m], unit->dim, u, r)) >= 0;
    return met;
}
