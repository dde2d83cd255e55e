/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Selects the next row to drive: the one with the largest violation of (2), (15-16) or (21-22).
 *
 * Only rows in no set can be violated.  Normal forces, joints and boxes come before friction, whose
 * bound depends on the normal force.  A row whose conditions hold joins its set here, with one
 * exception as in the paper's main loop (4.3): an open contact that was never clamped stays outside
 * all sets until its a becomes negative.
 *
 * After a restart the choice is weighted by random numbers, to obtain another order.
 */
#include <math.h>

#include "solver/dantzig.h"

/* Distance of f from its bounds, or of a from zero if f does not oppose it fully. */
static double failure_of(const mo_dantzig *z, int row, double lower, double upper)
{
    const double f = z->f[row], a = z->a[row], zero_a = z->rounding[row];
    const double zero_f = mo_dantzig_f_rounding(z, row);
    if (f < lower - zero_f) return lower - f;
    if (f > upper + zero_f) return f - upper;
    if ((a < -zero_a && f < upper - zero_f) || (a > zero_a && f > lower + zero_f)) return fabs(a);
    return 0;
}

static double check_bounded(mo_dantzig *z, int row)
{
    if (z->f[row] == z->lower[row] && z->a[row] >= 0) return 0; /* most often: an open contact */
    const double lower = z->lower[row], upper = z->upper[row], zero = mo_dantzig_f_rounding(z, row);
    const double failure = failure_of(z, row, lower, upper);
    if (failure == 0 && z->f[row] > lower + zero && z->f[row] < upper - zero)
        z->set[row] = MO_ROW_FROZEN; /* a = 0 is maintained */
    return failure;
}

/* Without slip (mu is infinite) a contact is either open, without force, or held in every row. */
static int is_apart(const mo_dantzig *z, int normal)
{
    for (int t = normal + 1; t <= normal + z->friction_count[normal]; ++t)
        if (z->f[t] != 0) return 0;
    return 1;
}

static double look_at_line(mo_dantzig *z, int row, int is_closed)
{
    if (!is_closed && !isinf(z->mu[row])) return failure_of(z, row, 0, 0);
    if (!is_closed && is_apart(z, z->normal[row])) return 0;
    const double failure = failure_of(z, row, mo_dantzig_lower(z, row), mo_dantzig_upper(z, row));
    if (failure == 0 && fabs(z->a[row]) <= z->rounding[row])
        z->set[row] = MO_ROW_FROZEN;
    else if (failure == 0)
        mo_dantzig_release(z, row, z->a[row] > 0 ? MO_ROW_LOWER : MO_ROW_UPPER);
    return failure;
}

/* One row of a disc, the other being kept: a = 0 is asked for while there is room on the disc. */
static double check_half(mo_dantzig *z, int row)
{
    if (fabs(z->a[row]) <= z->rounding[row]) {
        z->set[row] = MO_ROW_FROZEN;
        return 0;
    }
    return fabs(z->a[row]);
}

/* Both rows of a disc: e, driven first, turns to where the force must change. */
static double check_disc(mo_dantzig *z, int first, int is_closed)
{
    const double *f = z->f + first, *a = z->a + first;
    const double force = hypot(f[0], f[1]), motion = hypot(a[0], a[1]);
    const double radius = is_closed ? z->mu[first] * z->f[z->normal[first]] : 0;
    const double zero = MO_DANTZIG_ZERO * (force + radius) + mo_dantzig_nothing(z);
    if (force > radius + zero) {
        mo_dantzig_turn(z, first, f[0] / force, f[1] / force);
        z->f[first + 1] = 0;
        return force - radius;
    }
    if (!is_closed) return 0;
    if (motion <= z->rounding[first]) {
        z->set[first] = z->set[first + 1] = MO_ROW_FROZEN;
        return 0;
    }
    if (force >= radius - zero && f[0] * a[0] + f[1] * a[1] <= 0) { /* (21) */
        mo_dantzig_slide(z, first);
        return 0;
    }
    mo_dantzig_turn(z, first, -a[0] / motion, -a[1] / motion);
    z->a[first + 1] = 0;
    return motion;
}

static double check_friction(mo_dantzig *z, int row)
{
    const int normal = z->normal[row];
    const int is_closed =
        z->set[normal] != MO_ROW_LOWER && z->f[normal] > mo_dantzig_f_rounding(z, normal);
    if (z->kind[row] == MO_ROW_LINE) return look_at_line(z, row, is_closed);
    const int first = mo_disc_of(z, row);
    if (z->set[first] == MO_ROW_IDLE && z->set[first + 1] == MO_ROW_IDLE)
        return row == first ? check_disc(z, first, is_closed) : 0;
    return check_half(z, row);
}

/* The row with the largest violation, and its size. */
static int find_worst(mo_dantzig *z, double *failure)
{
    double most[2] = {0, 0};
    int row[2] = {-1, -1};
    for (int i = 0; i < z->n; ++i) {
        if (z->set[i] != MO_ROW_IDLE || i == z->skipped) continue;
        const int rubs = z->normal[i] >= 0;
        double now = rubs ? check_friction(z, i) : check_bounded(z, i);
        if (now > 0 && z->starts > 1) now *= mo_random_unit(&z->random);
        if (now > most[rubs]) {
            most[rubs] = now;
            row[rubs] = i;
        }
    }
    const int rubs = row[0] < 0;
    *failure = most[rubs];
    return row[rubs];
}

/* The rounding error of a is some pivots old: a small violation is checked with a new one. */
int mo_dantzig_pick(mo_dantzig *z)
{
    double failure, size = z->unit;
    const int row = find_worst(z, &failure);
    for (int k = 0; k < z->factor.count; ++k)
        size = mo_larger(size, fabs(z->f[z->member[k]]));
    if (row < 0 || failure > MO_DANTZIG_ZERO * size) return row;
    mo_dantzig_find_rounding(z);
    return find_worst(z, &failure);
}
