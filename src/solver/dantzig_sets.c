/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Changes of sets in `dantzig`, and the updates of the factor.
 *
 * A friction row at a bound has f = tie f_N, tie = -mu or mu (along the axis e of a disc, mu).  If
 * its normal force is clamped, the column of that force includes the friction, A_N + tie A_F
 * [baraff1994, section 5.4].  A row that leaves C_F first adds its column to that of its normal
 * force, a combination of two columns in O(k); a frozen row is not in the factor, and a rank-one
 * change does the same.
 *
 * If a normal force is zero, its friction is inactive: f = 0, idle, without a condition on a.  When
 * the contact closes again, its friction starts at the bound that opposes a, as (16) requires.
 */
#include <math.h>
#include <string.h>

#include "solver/dantzig.h"

double mo_dantzig_lower(const mo_dantzig *z, int row)
{
    if (z->normal[row] < 0) return z->lower[row];
    return isinf(z->mu[row]) ? -INFINITY : -z->mu[row] * z->f[z->normal[row]];
}

double mo_dantzig_upper(const mo_dantzig *z, int row)
{
    if (z->normal[row] < 0) return z->upper[row];
    return isinf(z->mu[row]) ? INFINITY : z->mu[row] * z->f[z->normal[row]];
}

int mo_dantzig_is_outside(const mo_dantzig *z, int row, double zero)
{
    const int first = mo_disc_of(z, row);
    if (first >= 0) return hypot(z->f[first], z->f[first + 1]) > mo_dantzig_upper(z, first) + zero;
    return z->f[row] < mo_dantzig_lower(z, row) - zero ||
           z->f[row] > mo_dantzig_upper(z, row) + zero;
}

/* ---- entering -------------------------------------------------------------------------------- */

/* The entry of a row of A in the column of row j, its tied friction included. */
static double tied_entry(const mo_dantzig *z, const double *row, int j)
{
    double entry = row[j];
    for (int t = j + 1; t <= j + z->friction_count[j]; ++t)
        entry += z->tie[t] * row[t];
    return entry;
}

static int enter_symmetric(mo_dantzig *z, int j)
{
    mo_dantzig_factor *F = &z->factor;
    const double *A = z->W + (size_t)j * z->n;
    for (int k = 0; k < F->count; ++k)
        z->row[k] = A[z->member[k]];
    const double pivot = mo_cholesky_try(F, z->row, A[j]);
    if (!(pivot > MO_DANTZIG_PIVOT * A[j])) return 0;
    mo_cholesky_append(F, pivot, z->driven >= 0 ? A[z->driven] : 0);
    return 1;
}

static int enter_unsymmetric(mo_dantzig *z, int j)
{
    mo_dantzig_factor *F = &z->factor;
    mo_dantzig_tied_column(z, j, z->column);
    mo_dantzig_row(z, j, z->row);
    const double corner = tied_entry(z, z->row, j);
    for (int k = 0; k < F->count; ++k) {
        F->driven[k] = z->column[z->member[k]];
        z->image[k] = tied_entry(z, z->row, z->member[k]);
    }
    const double pivot = mo_inverse_try(F, F->driven, z->image, corner);
    double size = fabs(corner);
    for (int k = 0; k < F->count; ++k)
        size = fmax(size, fabs(z->image[k] * F->right[k]));
    if (!(fabs(pivot) > MO_DANTZIG_PIVOT * size)) return 0;
    mo_inverse_append(F, pivot);
    return 1;
}

/* Rebuilds the factor from the sets; false if the matrix is singular. */
static int rebuild_factor(mo_dantzig *z)
{
    mo_dantzig_factor *F = &z->factor;
    for (int k = 0; k < F->count; ++k) {
        double *to = F->F + (size_t)k * F->stride;
        mo_dantzig_tied_column(z, z->member[k], z->column);
        for (int i = 0; i < F->count; ++i)
            to[i] = z->column[z->member[i]];
    }
    return F->is_symmetric ? mo_cholesky_rebuild(F) : mo_inverse_rebuild(F);
}

static int enter_factor(mo_dantzig *z, int j)
{
    if (z->broken) {
        z->broken = !rebuild_factor(z);
        if (z->broken) return 0;
    }
    const int entered = z->factor.is_symmetric ? enter_symmetric(z, j) : enter_unsymmetric(z, j);
    if (entered) {
        z->place[j] = z->factor.count - 1;
        z->member[z->place[j]] = j;
    }
    return entered;
}

/* ---- contacts that close --------------------------------------------------------------------- */

static void activate_line(mo_dantzig *z, int row)
{
    const double a = z->a[row], zero = z->rounding[row];
    z->set[row] = fabs(a) <= zero ? MO_ROW_FROZEN : a > 0 ? MO_ROW_LOWER : MO_ROW_UPPER;
    z->tie[row] = fabs(a) <= zero ? 0 : a > 0 ? -z->mu[row] : z->mu[row];
}

static void activate_disc(mo_dantzig *z, int first)
{
    const double size = hypot(z->a[first], z->a[first + 1]);
    if (size <= z->rounding[first]) {
        z->set[first] = z->set[first + 1] = MO_ROW_FROZEN;
        return;
    }
    mo_dantzig_turn(z, first, -z->a[first] / size, -z->a[first + 1] / size);
    z->set[first] = MO_ROW_UPPER;
    z->set[first + 1] = MO_ROW_FOLLOWING;
    z->tie[first] = z->mu[first];
}

/* A contact closes again: its friction opposes a from the start, or holds where a is zero.
 * Friction that was given up before stays so. */
static void activate_friction(mo_dantzig *z, int normal)
{
    for (int t = normal + 1; t <= normal + z->friction_count[normal]; ++t) {
        if (z->set[t] != MO_ROW_IDLE || z->f[t] != 0 || isinf(z->mu[t])) continue;
        if (z->kind[t] == MO_ROW_LINE)
            activate_line(z, t);
        else if (z->kind[t] == MO_ROW_DISC && z->f[t + 1] == 0)
            activate_disc(z, t);
    }
}

static void sleep_friction(mo_dantzig *z, int normal);

/* A row that re-enters C_F removes its column from that of its normal force. */
static void untie(mo_dantzig *z, int row)
{
    const int normal = z->normal[row];
    if (normal >= 0 && z->tie[row] != 0 && mo_is_clamped(z, normal))
        mo_inverse_combine(&z->factor, z->place[normal], z->place[row], -z->tie[row]);
    z->tie[row] = 0;
    if (z->kind[row] == MO_ROW_DISC && z->set[row + 1] == MO_ROW_FOLLOWING)
        z->set[row + 1] = MO_ROW_IDLE; /* its a is not zero: the main loop handles it */
}

int mo_dantzig_clamp(mo_dantzig *z, int row)
{
    const int closes = z->friction_count[row] > 0 && z->set[row] == MO_ROW_LOWER;
    if (closes) activate_friction(z, row);
    if (!enter_factor(z, row)) {
        if (closes) sleep_friction(z, row);
        return 0;
    }
    if (z->normal[row] >= 0) untie(z, row);
    z->set[row] = MO_ROW_CLAMPED;
    return 1;
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Would the matrix without this row be singular?  Principal parts of definite ones are not. */
static int breaks_factor(const mo_dantzig *z, int p)
{
    return !z->factor.is_symmetric &&
           !(fabs(z->factor.F[(size_t)p * z->factor.stride + p]) > MO_DANTZIG_PIVOT);
}

/* If the factor is lost only the sets are kept, and the caller rebuilds it or restarts. */
static void leave_factor(mo_dantzig *z, int row)
{
    const int p = z->place[row], last = z->factor.count - 1;
    z->broken = z->broken || breaks_factor(z, p);
    if (z->broken)
        z->factor.count = last;
    else if (z->factor.is_symmetric)
        mo_cholesky_remove(&z->factor, p);
    else
        mo_inverse_remove(&z->factor, p);
    z->place[row] = -1;
    if (z->factor.is_symmetric) { /* the others move up */
        memmove(z->member + p, z->member + p + 1, (size_t)(last - p) * sizeof *z->member);
        for (int k = p; k < last; ++k)
            z->place[z->member[k]] = k;
    } else if (p != last) { /* the last one takes its place */
        z->member[p] = z->member[last];
        z->place[z->member[p]] = p;
    }
}

/* The column of a clamped normal force gains `tie` times the column of one of its friction rows. */
static void add_tie(mo_dantzig *z, int row, double tie)
{
    const int normal = z->normal[row];
    if (!mo_is_clamped(z, normal) || tie == 0 || z->broken) return;
    if (mo_is_clamped(z, row)) {
        mo_inverse_combine(&z->factor, z->place[normal], z->place[row], tie);
        return;
    }
    mo_dantzig_column(z, row, z->column);
    for (int k = 0; k < z->factor.count; ++k)
        z->image[k] = tie * z->column[z->member[k]];
    z->broken = !mo_inverse_change_column(&z->factor, z->place[normal], z->image);
}

/* Friction of a contact that opens: zero and idle. */
static void sleep_friction(mo_dantzig *z, int normal)
{
    for (int t = normal + 1; t <= normal + z->friction_count[normal]; ++t) {
        if (z->kind[t] == MO_ROW_TIED) {
            z->f[t] = 0;
        } else if (z->set[t] != MO_ROW_IDLE && !isinf(z->mu[t])) {
            if (mo_is_clamped(z, t)) leave_factor(z, t);
            z->f[t] = z->tie[t] = 0;
            z->set[t] = MO_ROW_IDLE;
        }
    }
}

static void leave(mo_dantzig *z, int row)
{
    if (mo_is_clamped(z, row)) leave_factor(z, row);
    if (z->friction_count[row] > 0) sleep_friction(z, row);
}

void mo_dantzig_release(mo_dantzig *z, int row, mo_row_set to)
{
    if (z->normal[row] >= 0) {
        z->tie[row] = to == MO_ROW_LOWER ? -z->mu[row] : z->mu[row];
        z->f[row] = z->tie[row] * z->f[z->normal[row]];
        add_tie(z, row, z->tie[row]);
        if (mo_is_clamped(z, row)) leave_factor(z, row);
    } else {
        leave(z, row);
        z->f[row] = to == MO_ROW_LOWER ? z->lower[row] : z->upper[row];
    }
    z->set[row] = (uint8_t)to;
}

void mo_dantzig_slide(mo_dantzig *z, int first)
{
    double c = z->f[first], s = z->f[first + 1];
    if (hypot(c, s) <= mo_dantzig_nothing(z)) { /* still at the apex: its direction of motion */
        c = z->df[first];
        s = z->df[first + 1];
    }
    const double size = hypot(c, s), mu = z->mu[first];
    c = size > 0 ? c / size : 1;
    s = size > 0 ? s / size : 0;
    add_tie(z, first, mu * c);
    add_tie(z, first + 1, mu * s);
    for (int k = 0; k < 2; ++k)
        if (mo_is_clamped(z, first + k)) leave_factor(z, first + k);
    mo_dantzig_turn(z, first, c, s);
    z->tie[first] = mu;
    z->f[first] = mu * z->f[z->normal[first]];
    z->f[first + 1] = 0;
    z->set[first] = MO_ROW_UPPER;
    z->set[first + 1] = MO_ROW_FOLLOWING;
}

/* ---- giving up ------------------------------------------------------------------------------- */

void mo_dantzig_give_up(mo_dantzig *z, int row)
{
    const int is_tied = z->normal[row] >= 0 && z->kind[row] != MO_ROW_TIED && z->tie[row] != 0;
    if (is_tied) {
        add_tie(z, row, -z->tie[row]);
        z->tie[row] = 0;
        if (z->kind[row] == MO_ROW_DISC) z->set[row + 1] = MO_ROW_IDLE;
    } else {
        leave(z, row);
    }
    z->set[row] = MO_ROW_IDLE;
    ++z->give_ups;
}

/* ---- from the sets alone --------------------------------------------------------------------- */

void mo_dantzig_subtract(mo_dantzig *z, double *x)
{
    mo_dantzig_factor *F = &z->factor;
    double *change = z->row;
    if (F->is_symmetric) {
        mo_cholesky_full_solve(F, change);
    } else {
        change = z->image;
        mo_inverse_solve(F, z->row, change);
    }
    for (int k = 0; k < F->count; ++k)
        x[z->member[k]] -= change[k];
}

/* f of the clamped rows moves by -B a, and the rows tied to them follow. */
static void correct_forces(mo_dantzig *z)
{
    for (int k = 0; k < z->factor.count; ++k)
        z->row[k] = z->a[z->member[k]];
    mo_dantzig_subtract(z, z->f);
    for (int i = 0; i < z->n; ++i)
        if (z->normal[i] >= 0 && (z->kind[i] == MO_ROW_TIED || z->tie[i] != 0))
            z->f[i] = z->tie[i] * z->f[z->normal[i]];
    mo_dantzig_refresh(z);
}

int mo_dantzig_solve_sets(mo_dantzig *z, int anew)
{
    if ((anew || z->broken) && !rebuild_factor(z)) {
        z->broken = 1;
        return 0;
    }
    z->broken = 0;
    mo_dantzig_refresh(z);
    correct_forces(z);
    correct_forces(z); /* refinement */
    return 1;
}
