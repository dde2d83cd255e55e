/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Drives one row until its conditions hold: drive-to-zero, fdirection and maxstep of [baraff1994,
 * sections 4.3 and 5.5].
 *
 * Row d is in no set.  Its force changes by one unit; the clamped forces respond so that their a
 * stays zero (9), coupled friction follows its normal force, and all others are constant.  The step
 * ends where the first row must change its set.  The drive continues until a_d = 0
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

typedef enum event_kind {
    EVENT_NONE,    /* an unbounded step */
    EVENT_ARRIVED, /* a_d = 0 */
    EVENT_BOUND,   /* f_d is at a bound */
    EVENT_CLAMP,   /* a of the row reached zero */
    EVENT_LOWER,   /* f of the row reached its lower bound */
    EVENT_UPPER,   /* f of the row reached its upper bound */
    EVENT_SLIDE    /* the friction of a contact reached its disc */
} event_kind;

typedef struct drive_event {
    event_kind kind;
    int row;
    double step, rate;
    int is_zero; /* the step is, but for rounding */
} drive_event;

/* The drive of row d. */
typedef struct drive_course {
    int d;
    double sign;      /* direction of motion of f_d */
    int from_outside; /* f_d was outside its bounds: the drive ends at the bound */
    int leaves_disc;  /* the disc has shrunk past f_d, which continues outside it */
    double begun;     /* |a_d| at the beginning */
    double size;      /* the largest entry of the direction */
} drive_course;

/* ---- fdirection ------------------------------------------------------------------------------ */

/* The column of the driven row, at the clamped rows. */
static void gather_driven_column(mo_dantzig *z, int d)
{
    const double *column = z->W + (size_t)d * z->n;
    if (z->has_ties) {
        mo_dantzig_tied_column(z, d, z->column);
        column = z->column;
    }
    for (int k = 0; k < z->factor.count; ++k)
        z->row[k] = column[z->member[k]];
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
    for (int i = 0; z->has_ties && i < z->n; ++i)
        if (z->tie[i] != 0) z->df[i] = z->tie[i] * z->df[z->normal[i]];
    mo_dantzig_apply_direction(z, d);
    double error = 0;
    for (int k = 0; k < z->factor.count; ++k) {
        z->row[k] = z->da[z->member[k]];
        error = mo_larger(error, fabs(z->row[k]));
    }
    return error;
}

/* Solves (9): df of the clamped rows for a unit step of f_d. */
static double first_direction(mo_dantzig *z, const drive_course *course)
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
    for (int k = 0; k < F->count; ++k)
        z->df[z->member[k]] = sign * x[k];
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
    for (int k = 0; k < z->factor.count; ++k)
        size = mo_larger(size, fabs(z->df[z->member[k]]));
    return size;
}

/* df and da; false if the matrix of the clamped rows is singular. */
static int find_direction(mo_dantzig *z, drive_course *course)
{
    enum { REFINEMENTS = 2 };
    ++z->stamp;
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (z->broken || attempt) { /* the factor is inaccurate or was lost */
            if (!mo_dantzig_solve_sets(z, 1)) return 0;
            begin_factor(z, course->d);
        }
        double error = first_direction(z, course);
        course->size = direction_size(z);
        for (int k = 0; k < REFINEMENTS && error > 0.01 * MO_DANTZIG_NOISE * course->size; ++k) {
            error = refine_direction(z, course->d);
            course->size = direction_size(z);
        }
        if (error <= MO_DANTZIG_NOISE * course->size) /* false for NaN */
            return 1;
    }
    return 0;
}

/* ---- maxstep --------------------------------------------------------------------------------- */

/*
 * The longest step along a direction before a row must change its set:
 *
 *   clamped   until f reaches a bound, which for friction moves with f_N (10)
 *   at bound  until a reaches zero (11)
 *   a disc    until |f_T| = mu f_N, a quadratic equation (23)
 *   driven    until a_d = 0 (12), or f_d reaches or re-enters its bounds
 *
 * Rows count only if their rate exceeds the rounding of the direction.  Of rows with the same step,
 * as in symmetric piles, the end of the drive comes first, then the largest rate, which is the
 * better pivot.
 */

/* Steps that differ by less than this part are one where the drive would end. */
static const double END_TIE = 1e-9;

static void consider(const mo_dantzig *z, drive_event *best, event_kind kind, int row, double slack,
                     double rate)
{
    const int ends = kind <= EVENT_BOUND || best->kind <= EVENT_BOUND;
    const double step = slack > 0 ? slack / rate : 0;
    const double rounding = kind == EVENT_CLAMP ? z->rounding[row] : mo_dantzig_f_rounding(z, row);
    const double tie = 0.01 * rounding / rate + (ends && isfinite(best->step) ? END_TIE * step : 0);
    const double weight = kind <= EVENT_BOUND ? INFINITY : rate;
    if (step < best->step - tie || (step <= best->step + tie && weight > best->rate))
        *best = (drive_event){kind, row, step, weight, slack <= rounding};
}

/* Rate at which the bounds of a friction row separate. */
static double bound_rate(const mo_dantzig *z, int row)
{
    return isinf(z->mu[row]) ? 0 : z->mu[row] * z->df[z->normal[row]];
}

/* f of friction in the plane reaches a bound; the faster one counts if both are zero. */
static void consider_line(const mo_dantzig *z, double noise, int row, drive_event *best)
{
    const double apart = bound_rate(z, row), to_upper = z->df[row] - apart,
                 to_lower = -apart - z->df[row];
    if (to_upper > noise && to_upper >= to_lower)
        consider(z, best, EVENT_UPPER, row, mo_dantzig_upper(z, row) - z->f[row], to_upper);
    if (to_lower > noise)
        consider(z, best, EVENT_LOWER, row, z->f[row] - mo_dantzig_lower(z, row), to_lower);
    if (to_upper > noise && to_upper < to_lower)
        consider(z, best, EVENT_UPPER, row, mo_dantzig_upper(z, row) - z->f[row], to_upper);
}

static void consider_fixed(const mo_dantzig *z, double noise, int row, drive_event *best)
{
    const double df = z->df[row];
    if (df < -noise && !isinf(z->lower[row]))
        consider(z, best, EVENT_LOWER, row, z->f[row] - z->lower[row], -df);
    else if (df > noise && !isinf(z->upper[row]))
        consider(z, best, EVENT_UPPER, row, z->upper[row] - z->f[row], df);
}

static void consider_bounds(const mo_dantzig *z, double noise, int row, drive_event *best)
{
    if (z->kind[row] == MO_ROW_BOUNDED)
        consider_fixed(z, noise, row, best);
    else if (z->kind[row] == MO_ROW_LINE && !isinf(z->mu[row]))
        consider_line(z, noise, row, best);
}

/*
 * The friction of a contact in space reaches its disc: the smallest s with |f_T + s df_T| = mu (f_N
 * + s df_N), of A s^2 + 2 B s + C = 0 with C <= 0.  `row` is the first of the two, `named` the one
 * that the event reports.
 */
static void consider_disc(const mo_dantzig *z, double noise, int row, event_kind kind, int named,
                          drive_event *best)
{
    const double mu = z->mu[row], N = mu * z->f[z->normal[row]], dN = mu * z->df[z->normal[row]];
    const double x = z->f[row], y = z->f[row + 1], dx = z->df[row], dy = z->df[row + 1];
    const double size = hypot(x, y), slack = N - size;
    if (N + size <= mo_dantzig_nothing(z)) { /* at the apex of the cone */
        if (hypot(dx, dy) - dN > noise) consider(z, best, kind, named, 0, hypot(dx, dy) - dN);
        return;
    }
    const double A = dx * dx + dy * dy - dN * dN, B = x * dx + y * dy - N * dN;
    const double C = slack > 0 ? -slack * (N + size) : 0, root = B * B - A * C;
    const double reach = root >= 0 ? B + sqrt(root) : 0; /* s = -C / reach */
    const double rate = reach / (N + size);              /* slack over s */
    if (rate > noise) consider(z, best, kind, named, slack, rate);
}

/* Are the conditions of this disc being kept, with the contact not sliding? */
static int disc_is_kept(const mo_dantzig *z, int row)
{
    const int e = z->set[row], other = z->set[row + 1];
    return e == MO_ROW_CLAMPED || e == MO_ROW_FROZEN || other == MO_ROW_CLAMPED ||
           other == MO_ROW_FROZEN;
}

static void consider_row(const mo_dantzig *z, double noise, int row, drive_event *best)
{
    const double da = z->da[row];
    switch (z->set[row]) {
    case MO_ROW_CLAMPED:
        consider_bounds(z, noise, row, best);
        break;
    case MO_ROW_LOWER:
        if (da < -noise && z->refused[row] != z->stamp)
            consider(z, best, EVENT_CLAMP, row, z->a[row], -da);
        break;
    case MO_ROW_UPPER:
        if (da > noise && z->refused[row] != z->stamp)
            consider(z, best, EVENT_CLAMP, row, -z->a[row], da);
        break;
    case MO_ROW_FROZEN:
        if (fabs(da) > noise && z->refused[row] != z->stamp)
            consider(z, best, EVENT_CLAMP, row, 0, fabs(da));
        consider_bounds(z, noise, row, best);
        break;
    default:
        break;
    }
}

/* From outside: until the bound, which may move towards it. */
static void consider_return(const mo_dantzig *z, double noise, const drive_course *course,
                            drive_event *best)
{
    const int d = course->d;
    const double past =
        course->sign < 0 ? z->f[d] - mo_dantzig_upper(z, d) : mo_dantzig_lower(z, d) - z->f[d];
    const double rate = 1 + (z->normal[d] >= 0 ? bound_rate(z, d) : 0);
    if (rate > noise) consider(z, best, EVENT_BOUND, d, past, rate);
}

/* The next bound in the direction of motion.  As f_N decreases, the opposite bound may overtake
 * f_d, which is then temporarily outside. */
static void consider_driven(const mo_dantzig *z, double noise, const drive_course *course,
                            drive_event *best)
{
    const int d = course->d, kind = z->kind[d], first = mo_disc_of(z, d);
    if (course->from_outside) {
        consider_return(z, noise, course, best);
        return;
    }
    if (z->da[d] * course->sign > noise)
        consider(z, best, EVENT_ARRIVED, d, fabs(z->a[d]), fabs(z->da[d]));
    if (first >= 0 && !course->leaves_disc) {
        consider_disc(z, noise, first, EVENT_BOUND, d, best);
    } else if (kind == MO_ROW_BOUNDED || kind == MO_ROW_LINE) {
        const double bound = course->sign > 0 ? mo_dantzig_upper(z, d) : mo_dantzig_lower(z, d);
        const double rate = 1 - (kind == MO_ROW_LINE ? bound_rate(z, d) : 0);
        if (rate > noise && !isinf(bound))
            consider(z, best, EVENT_BOUND, d, course->sign * (bound - z->f[d]), rate);
    }
}

static drive_event max_step(const mo_dantzig *z, const drive_course *course)
{
    const double noise = MO_DANTZIG_NOISE * course->size;
    const int d = course->d;
    drive_event best = {EVENT_NONE, -1, INFINITY, 0, 0};
    consider_driven(z, noise, course, &best);
    for (int i = 0; i < z->n; ++i) {
        consider_row(z, noise, i, &best); /* d itself is in no set */
        if (z->kind[i] == MO_ROW_DISC && i != d && i + 1 != d && disc_is_kept(z, i))
            consider_disc(z, noise, i, EVENT_SLIDE, i, &best);
    }
    return best;
}

/* ---- drive-to-zero --------------------------------------------------------------------------- */

static void advance(mo_dantzig *z, double step)
{
    for (int i = 0; i < z->n; ++i) {
        z->f[i] += step * z->df[i];
        z->a[i] += step * z->da[i];
    }
    for (int k = 0; k < z->factor.count; ++k)
        z->a[z->member[k]] = 0;
}

/* Is this the friction of a contact that is open? */
static int is_open(const mo_dantzig *z, int row)
{
    const int normal = z->normal[row];
    return normal >= 0 && z->f[normal] <= 0 && !mo_is_clamped(z, normal);
}

/* The friction of a contact in space is on its disc: does it oppose the motion (21)? */
static int can_slide(const mo_dantzig *z, int d)
{
    const int first = mo_disc_of(z, d);
    const double *f = z->f + first, *a = z->a + first;
    return first < 0 || f[0] * a[0] + f[1] * a[1] <= 0;
}

/* The driven row is at a bound: it joins the set of that bound. */
static void settle_at_bound(mo_dantzig *z, const drive_course *course)
{
    const int d = course->d, first = mo_disc_of(z, d);
    if (is_open(z, d)) {
        z->f[d] = 0;
    } else if (first >= 0) {
        mo_dantzig_slide(z, first);
    } else {
        const int at_upper = course->from_outside ? course->sign < 0 : course->sign > 0;
        mo_dantzig_release(z, d, at_upper ? MO_ROW_UPPER : MO_ROW_LOWER);
    }
}

/* The drive is over.  A row that came from outside its bounds and has to go on inwards, or that is
 * outside at the end, is left to the main loop. */
static void finish(mo_dantzig *z, const drive_course *course, const drive_event *now)
{
    const int d = course->d;
    if (now->kind == EVENT_BOUND) {
        const int continues = course->from_outside && z->a[d] * course->sign < 0;
        if (!continues || is_open(z, d)) settle_at_bound(z, course);
        return;
    }
    z->a[d] = 0;
    if (!mo_dantzig_is_outside(z, d, mo_dantzig_f_rounding(z, d)) && !mo_dantzig_clamp(z, d))
        z->set[d] = MO_ROW_FROZEN;
}

/* The blocking row changes its set; false if it cannot be clamped in this direction. */
static int change_set(mo_dantzig *z, const drive_event *now)
{
    if (now->kind == EVENT_CLAMP) {
        if (!mo_dantzig_clamp(z, now->row)) {
            z->refused[now->row] = z->stamp;
            return 0;
        }
    } else if (now->kind == EVENT_SLIDE) {
        mo_dantzig_slide(z, now->row);
    } else {
        mo_dantzig_release(z, now->row, now->kind == EVENT_LOWER ? MO_ROW_LOWER : MO_ROW_UPPER);
    }
    return 1;
}

static drive_course begin(mo_dantzig *z, int d)
{
    const double zero = 0.01 * mo_dantzig_f_rounding(z, d);
    const double above = z->f[d] - mo_dantzig_upper(z, d), below = mo_dantzig_lower(z, d) - z->f[d];
    drive_course course = {
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

static mo_drive_end end_unbounded(mo_dantzig *z, const drive_course *course)
{
    const int d = course->d;
    if (course->from_outside || fabs(z->a[d]) > ALMOST * course->begun) return MO_DRIVE_RAY;
    z->set[d] = MO_ROW_FROZEN;
    return MO_DRIVE_DONE;
}

static mo_drive_end drive(mo_dantzig *z, int d)
{
    const int patience = 50 + 2 * z->n; /* consecutive steps of length zero: a degenerate cycle */
    drive_course course = begin(z, d);
    int last = -1, zero_steps = 0, is_known = 0;
    for (;;) {
        if (!is_known && !find_direction(z, &course)) {
            z->broken = 1;
            return MO_DRIVE_GAVE_UP;
        }
        const drive_event now = max_step(z, &course);
        is_known = 0;
        if (now.kind == EVENT_NONE) return end_unbounded(z, &course);
        advance(z, now.step);
        if (now.row == d && now.kind == EVENT_BOUND && !course.from_outside && !can_slide(z, d)) {
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
        if (mo_dantzig_tick(z)) return MO_DRIVE_STOPPED;
        if (zero_steps > patience) return MO_DRIVE_GAVE_UP;
    }
}

mo_drive_end mo_dantzig_drive(mo_dantzig *z, int d)
{
    const mo_drive_end end = drive(z, d);
    z->driven = -1;
    return end;
}
