/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Drives one row until its conditions hold: drive-to-zero and fdirection of [baraff1994, sections
 * 4.3 and 5.5].
 *
 * Row d is in no set.  Its force changes by one unit; the clamped forces respond so that their a
 * stays zero (9), coupled friction follows its normal force, and all others are constant.  The step
 * ends where the first row must change its set (dantzig_step.c).  The drive continues until a_d = 0
 * or f_d is at its bound.
 *
 * With friction, theorems 4 and 5 do not hold: a row that has just changed its set may have to
 * leave it with a step of zero.  It is then removed from all sets with its force fixed [section
 * 5.4], and the main loop drives it again later.  (The paper waits for the second such change,
 * which has the same sets.)
 */
#include <math.h>
#include <string.h>

#include "solver/dantzig.h"

/* ---- fdirection ------------------------------------------------------------------------------ */

/* The column of the driven row, at the clamped rows. */
static void gather_driven_column(mo_dantzig *z, int d)
{
    const double *column = z->W + (size_t)d * z->n;
    if (z->has_ties) {
        mo_dantzig_tied_column(z, d, z->column);
        column = z->column;
    }
    for (int k = 0; k < z->factor.count; ++k) {
        z->row[k] = column[z->member[k]];
    }
}

static void begin_factor(mo_dantzig *z, int d)
{
    if (z->factor.is_symmetric) {
        gather_driven_column(z, d);
        mo_cholesky_begin(&z->factor, z->row);
    }
}

/* df of tied friction; then da = A df, of which the largest |da| of a clamped row is the error. */
static double complete_direction(mo_dantzig *z, int d)
{
    for (int i = 0; z->has_ties && i < z->n; ++i) {
        if (z->tie[i] != 0) {
            z->df[i] = z->tie[i] * z->df[z->normal[i]];
        }
    }
    mo_dantzig_apply_direction(z, d);
    double error = 0;
    for (int k = 0; k < z->factor.count; ++k) {
        z->row[k] = z->da[z->member[k]];
        error = mo_larger(error, fabs(z->row[k]));
    }
    return error;
}

/* Solves (9): df of the clamped rows for a unit step of f_d. */
static double first_direction(mo_dantzig *z, const mo_dantzig_course *course)
{
    mo_dantzig_factor *F = &z->factor;
    double *x = z->image, sign = course->sign;
    if (F->is_symmetric) {
        mo_cholesky_solve(F, x);
    } else {
        gather_driven_column(z, course->d);
        mo_inverse_solve(F, z->row, x);
        sign = -sign;
    }
    memset(z->df, 0, (size_t)z->n * sizeof *z->df);
    for (int k = 0; k < F->count; ++k) {
        z->df[z->member[k]] = sign * x[k];
    }
    z->df[course->d] = course->sign;
    return complete_direction(z, course->d);
}

/* One step of refinement: df -= A_CC^-1 da of the clamped rows, which z->row holds. */
static double refine_direction(mo_dantzig *z, int d)
{
    mo_dantzig_subtract(z, z->df);
    return complete_direction(z, d);
}

static double direction_size(const mo_dantzig *z)
{
    double size = 1; /* that of f_d */
    for (int k = 0; k < z->factor.count; ++k) {
        size = mo_larger(size, fabs(z->df[z->member[k]]));
    }
    return size;
}

/* df and da; false if the matrix of the clamped rows is singular. */
static int find_direction(mo_dantzig *z, mo_dantzig_course *course)
{
    enum { REFINEMENTS = 2 };
    ++z->stamp;
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (z->broken || attempt) { /* the factor is inaccurate or was lost */
            if (!mo_dantzig_solve_sets(z, 1)) {
                return 0;
            }
            begin_factor(z, course->d);
        }
        double error = first_direction(z, course);
        course->size = direction_size(z);
        for (int k = 0; k < REFINEMENTS && error > 0.01 * MO_DANTZIG_NOISE * course->size; ++k) {
            error = refine_direction(z, course->d);
            course->size = direction_size(z);
        }
        if (error <= MO_DANTZIG_NOISE * course->size) { /* false for NaN */
            return 1;
        }
    }
    return 0;
}

/* ---- drive-to-zero --------------------------------------------------------------------------- */

static void advance(mo_dantzig *z, double step)
{
    for (int i = 0; i < z->n; ++i) {
        z->f[i] += step * z->df[i];
        z->a[i] += step * z->da[i];
    }
    for (int k = 0; k < z->factor.count; ++k) {
        z->a[z->member[k]] = 0;
    }
}

/* Is this the friction of a contact that is open? */
static int is_open(const mo_dantzig *z, int row)
{
    const int normal = z->normal[row];
    return normal >= 0 && z->f[normal] <= 0 && !mo_is_clamped(z, normal);
}

/* Is f_d beyond the bound behind it, or off its disc? */
static int is_outside(const mo_dantzig *z, const mo_dantzig_course *course)
{
    const int d = course->d, kind = z->kind[d];
    const double zero = mo_dantzig_f_rounding(z, d);
    if (kind == MO_ROW_DISC || kind == MO_ROW_SECOND) {
        const int first = kind == MO_ROW_DISC ? d : d - 1;
        return hypot(z->f[first], z->f[first + 1]) > mo_dantzig_upper(z, first) + zero;
    }
    return z->f[d] < mo_dantzig_lower(z, d) - zero || z->f[d] > mo_dantzig_upper(z, d) + zero;
}

/* The friction of a contact in space is on its disc: does it oppose the motion (21)? */
static int can_slide(const mo_dantzig *z, int d)
{
    const int first = z->kind[d] == MO_ROW_SECOND ? d - 1 : d;
    const double *f = z->f + first, *a = z->a + first;
    return z->kind[d] < MO_ROW_DISC || f[0] * a[0] + f[1] * a[1] <= 0;
}

/* The driven row is at a bound: it joins the set of that bound. */
static void settle_at_bound(mo_dantzig *z, const mo_dantzig_course *course)
{
    const int d = course->d, kind = z->kind[d];
    if (is_open(z, d)) {
        z->f[d] = 0;
    } else if (kind == MO_ROW_DISC || kind == MO_ROW_SECOND) {
        mo_dantzig_slide(z, kind == MO_ROW_DISC ? d : d - 1);
    } else {
        const int at_upper = course->from_outside ? course->sign < 0 : course->sign > 0;
        mo_dantzig_release(z, d, at_upper ? MO_ROW_UPPER : MO_ROW_LOWER);
    }
}

/* The drive is over.  A row that came from outside its bounds and has to go on inwards, or that is
 * outside at the end, is left to the main loop. */
static void finish(mo_dantzig *z, const mo_dantzig_course *course, const mo_dantzig_event *now)
{
    const int d = course->d;
    if (now->kind == MO_EVENT_BOUND) {
        const int continues = course->from_outside && z->a[d] * course->sign < 0;
        if (!continues || is_open(z, d)) {
            settle_at_bound(z, course);
        }
        return;
    }
    z->a[d] = 0;
    if (!is_outside(z, course) && !mo_dantzig_clamp(z, d)) {
        z->set[d] = MO_ROW_FROZEN;
    }
}

/* The blocking row changes its set.  False if it cannot be clamped: it does not count
 * in this direction. */
static int change_set(mo_dantzig *z, const mo_dantzig_event *now)
{
    if (now->kind == MO_EVENT_CLAMP) {
        if (!mo_dantzig_clamp(z, now->row)) {
            z->refused[now->row] = z->stamp;
            return 0;
        }
    } else if (now->kind == MO_EVENT_SLIDE) {
        mo_dantzig_slide(z, now->row);
    } else {
        mo_dantzig_release(z, now->row, now->kind == MO_EVENT_LOWER ? MO_ROW_LOWER : MO_ROW_UPPER);
    }
    return 1;
}

static mo_dantzig_course begin(mo_dantzig *z, int d)
{
    const double zero = 0.01 * mo_dantzig_f_rounding(z, d);
    const double above = z->f[d] - mo_dantzig_upper(z, d), below = mo_dantzig_lower(z, d) - z->f[d];
    mo_dantzig_course course = {
        .d = d, .from_outside = above > zero || below > zero, .begun = fabs(z->a[d])};
    course.sign = above > zero ? -1 : below > zero || z->a[d] < 0 ? 1 : -1;
    z->driven = d;
    begin_factor(z, d);
    return course;
}

/*
 * Nothing limits the step.  In a pile that comes to rest all velocities reach zero at once; by
 * rounding, the last ones then depend on the others and no longer change.  Such a row counts as
 * zero if |a_d| is below this fraction of its initial value.
 */
static const double ALMOST = 1e-6;

static mo_drive_end end_unbounded(mo_dantzig *z, const mo_dantzig_course *course)
{
    const int d = course->d;
    if (course->from_outside || fabs(z->a[d]) > ALMOST * course->begun) {
        return MO_DRIVE_RAY;
    }
    z->set[d] = MO_ROW_FROZEN;
    return MO_DRIVE_DONE;
}

static mo_drive_end drive(mo_dantzig *z, int d)
{
    const int patience = 50 + 2 * z->n; /* consecutive steps of length zero: a degenerate cycle */
    mo_dantzig_course course = begin(z, d);
    int last = -1, zero_steps = 0, is_known = 0;
    for (;;) {
        if (!is_known && !find_direction(z, &course)) {
            z->broken = 1;
            return MO_DRIVE_GAVE_UP;
        }
        const mo_dantzig_event now = mo_dantzig_max_step(z, &course);
        is_known = 0;
        if (now.kind == MO_EVENT_NONE) {
            return end_unbounded(z, &course);
        }
        advance(z, now.step);
        if (now.row == d && now.kind == MO_EVENT_BOUND && !course.from_outside &&
            !can_slide(z, d)) {
            course.leaves_disc = 1;
            continue;
        }
        if (now.row == d) {
            finish(z, &course, &now);
            return mo_dantzig_tick(z) ? MO_DRIVE_STOPPED : MO_DRIVE_DONE;
        }
        if (now.row == last && now.is_zero) {
            mo_dantzig_give_up(z, now.row);
            last = -1;
        } else if (change_set(z, &now)) {
            last = now.row;
        } else {
            is_known = 1;
            continue;
        }
        zero_steps = now.is_zero ? zero_steps + 1 : 0;
        if (mo_dantzig_tick(z)) {
            return MO_DRIVE_STOPPED;
        }
        if (zero_steps > patience) {
            return MO_DRIVE_GAVE_UP;
        }
    }
}

mo_drive_end mo_dantzig_drive(mo_dantzig *z, int d)
{
    const mo_drive_end end = drive(z, d);
    z->driven = -1;
    return end;
}
