/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Longest step along a direction of `dantzig` before a row must change its set: maxstep of
 * [baraff1994, sections 4.3, 5.5].
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
#include <math.h>

#include "solver/dantzig.h"

/* Steps that differ by less than this part are one where the drive would end. */
static const double END_TIE = 1e-9;

static void consider(const mo_dantzig *z, mo_dantzig_event *best, mo_event_kind kind, int row,
                     double slack, double rate)
{
    const int ends = kind <= MO_EVENT_BOUND || best->kind <= MO_EVENT_BOUND;
    const double step = slack > 0 ? slack / rate : 0;
    const double rounding =
        kind == MO_EVENT_CLAMP ? z->rounding[row] : mo_dantzig_f_rounding(z, row);
    const double tie = 0.01 * rounding / rate + (ends && isfinite(best->step) ? END_TIE * step : 0);
    const double weight = kind <= MO_EVENT_BOUND ? INFINITY : rate;
    if (step < best->step - tie || (step <= best->step + tie && weight > best->rate)) {
        *best = (mo_dantzig_event){kind, row, step, weight, slack <= rounding};
    }
}

/* Rate at which the bounds of a friction row separate. */
static double bound_rate(const mo_dantzig *z, int row)
{
    return isinf(z->mu[row]) ? 0 : z->mu[row] * z->df[z->normal[row]];
}

/* f of friction in the plane reaches a bound.  If both are still zero, the one reached faster
 * counts. */
static void consider_line(const mo_dantzig *z, double noise, int row, mo_dantzig_event *best)
{
    const double apart = bound_rate(z, row), to_upper = z->df[row] - apart,
                 to_lower = -apart - z->df[row];
    if (to_upper > noise && to_upper >= to_lower) {
        consider(z, best, MO_EVENT_UPPER, row, mo_dantzig_upper(z, row) - z->f[row], to_upper);
    }
    if (to_lower > noise) {
        consider(z, best, MO_EVENT_LOWER, row, z->f[row] - mo_dantzig_lower(z, row), to_lower);
    }
    if (to_upper > noise && to_upper < to_lower) {
        consider(z, best, MO_EVENT_UPPER, row, mo_dantzig_upper(z, row) - z->f[row], to_upper);
    }
}

static void consider_fixed(const mo_dantzig *z, double noise, int row, mo_dantzig_event *best)
{
    const double df = z->df[row];
    if (df < -noise && !isinf(z->lower[row])) {
        consider(z, best, MO_EVENT_LOWER, row, z->f[row] - z->lower[row], -df);
    } else if (df > noise && !isinf(z->upper[row])) {
        consider(z, best, MO_EVENT_UPPER, row, z->upper[row] - z->f[row], df);
    }
}

static void consider_bounds(const mo_dantzig *z, double noise, int row, mo_dantzig_event *best)
{
    if (z->kind[row] == MO_ROW_BOUNDED) {
        consider_fixed(z, noise, row, best);
    } else if (z->kind[row] == MO_ROW_LINE && !isinf(z->mu[row])) {
        consider_line(z, noise, row, best);
    }
}

/*
 * The friction of a contact in space reaches its disc: the smallest s with |f_T + s df_T| = mu (f_N
 * + s df_N), of A s^2 + 2 B s + C = 0 with C <= 0.  `row` is the first of the two, `named` the one
 * that the event reports.
 */
static void consider_disc(const mo_dantzig *z, double noise, int row, mo_event_kind kind, int named,
                          mo_dantzig_event *best)
{
    const double mu = z->mu[row], N = mu * z->f[z->normal[row]], dN = mu * z->df[z->normal[row]];
    const double x = z->f[row], y = z->f[row + 1], dx = z->df[row], dy = z->df[row + 1];
    const double size = hypot(x, y), slack = N - size;
    if (N + size <= mo_dantzig_nothing(z)) { /* at the apex of the cone */
        if (hypot(dx, dy) - dN > noise) {
            consider(z, best, kind, named, 0, hypot(dx, dy) - dN);
        }
        return;
    }
    const double A = dx * dx + dy * dy - dN * dN, B = x * dx + y * dy - N * dN;
    const double C = slack > 0 ? -slack * (N + size) : 0, root = B * B - A * C;
    const double reach = root >= 0 ? B + sqrt(root) : 0; /* s = -C / reach */
    const double rate = reach / (N + size);              /* slack over s */
    if (rate > noise) {
        consider(z, best, kind, named, slack, rate);
    }
}

/* Are the conditions of this disc being kept, with the contact not sliding? */
static int disc_is_kept(const mo_dantzig *z, int row)
{
    const int e = z->set[row], other = z->set[row + 1];
    return e == MO_ROW_CLAMPED || e == MO_ROW_FROZEN || other == MO_ROW_CLAMPED ||
           other == MO_ROW_FROZEN;
}

static void consider_row(const mo_dantzig *z, double noise, int row, mo_dantzig_event *best)
{
    const double da = z->da[row];
    switch (z->set[row]) {
    case MO_ROW_CLAMPED:
        consider_bounds(z, noise, row, best);
        break;
    case MO_ROW_LOWER:
        if (da < -noise && z->refused[row] != z->stamp) {
            consider(z, best, MO_EVENT_CLAMP, row, z->a[row], -da);
        }
        break;
    case MO_ROW_UPPER:
        if (da > noise && z->refused[row] != z->stamp) {
            consider(z, best, MO_EVENT_CLAMP, row, -z->a[row], da);
        }
        break;
    case MO_ROW_FROZEN:
        if (fabs(da) > noise && z->refused[row] != z->stamp) {
            consider(z, best, MO_EVENT_CLAMP, row, 0, fabs(da));
        }
        consider_bounds(z, noise, row, best);
        break;
    default:
        break;
    }
}

/* From outside: until the bound, which may move towards it. */
static void consider_return(const mo_dantzig *z, double noise, const mo_dantzig_course *course,
                            mo_dantzig_event *best)
{
    const int d = course->d;
    const double past =
        course->sign < 0 ? z->f[d] - mo_dantzig_upper(z, d) : mo_dantzig_lower(z, d) - z->f[d];
    const double rate = 1 + (z->normal[d] >= 0 ? bound_rate(z, d) : 0);
    if (rate > noise) {
        consider(z, best, MO_EVENT_BOUND, d, past, rate);
    }
}

/* The next bound in the direction of motion.  As f_N decreases, the opposite bound may overtake
 * f_d, which is then temporarily outside. */
static void consider_driven(const mo_dantzig *z, double noise, const mo_dantzig_course *course,
                            mo_dantzig_event *best)
{
    const int d = course->d, kind = z->kind[d];
    if (course->from_outside) {
        consider_return(z, noise, course, best);
        return;
    }
    if (z->da[d] * course->sign > noise) {
        consider(z, best, MO_EVENT_ARRIVED, d, fabs(z->a[d]), fabs(z->da[d]));
    }
    if ((kind == MO_ROW_DISC || kind == MO_ROW_SECOND) && !course->leaves_disc) {
        consider_disc(z, noise, kind == MO_ROW_DISC ? d : d - 1, MO_EVENT_BOUND, d, best);
    } else if (kind == MO_ROW_BOUNDED || kind == MO_ROW_LINE) {
        const double bound = course->sign > 0 ? mo_dantzig_upper(z, d) : mo_dantzig_lower(z, d);
        const double rate = 1 - (kind == MO_ROW_LINE ? bound_rate(z, d) : 0);
        if (rate > noise && !isinf(bound)) {
            consider(z, best, MO_EVENT_BOUND, d, course->sign * (bound - z->f[d]), rate);
        }
    }
}

mo_dantzig_event mo_dantzig_max_step(const mo_dantzig *z, const mo_dantzig_course *course)
{
    const double noise = MO_DANTZIG_NOISE * course->size;
    const int d = course->d;
    mo_dantzig_event best = {MO_EVENT_NONE, -1, INFINITY, 0, 0};
    consider_driven(z, noise, course, &best);
    for (int i = 0; i < z->n; ++i) {
        consider_row(z, noise, i, &best); /* d itself is in no set */
        if (z->kind[i] == MO_ROW_DISC && i != d && i + 1 != d && disc_is_kept(z, i)) {
            consider_disc(z, noise, i, MO_EVENT_SLIDE, i, &best);
        }
    }
    return best;
}
