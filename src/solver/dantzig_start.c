/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Initial sets of `dantzig`: none, or those suggested by given impulses.
 *
 * A cold start has f = 0 and all joints clamped: the square system of [baraff1994, section 4.5],
 * without dependent rows.  A warm start clamps every row whose force is inside its bounds, couples
 * friction at its bound, solves for the clamped forces and releases rows that then fail; the main
 * loop drives them later.
 */
#include <math.h>

#include "solver/dantzig.h"

/* No row is in a set. */
static void forget(mo_dantzig *z)
{
    z->factor.count = 0;
    z->broken = 0;
    z->driven = z->skipped = -1;
    for (int i = 0; i < z->n; ++i) {
        const int is_tied = z->kind[i] == MO_ROW_TIED;
        z->place[i] = -1;
        z->set[i] = is_tied ? MO_ROW_FOLLOWING : MO_ROW_IDLE;
        z->tie[i] = is_tied ? z->tie[i] : 0;
    }
}

static int is_joint(const mo_dantzig *z, int row)
{
    return z->kind[row] == MO_ROW_BOUNDED && isinf(z->lower[row]) && isinf(z->upper[row]);
}

/* If a row is refused, a = 0 follows from the others, or the main loop detects it. */
static void clamp_joints(mo_dantzig *z)
{
    for (int i = 0; i < z->n; ++i)
        if (is_joint(z, i)) mo_dantzig_clamp(z, i);
}

void mo_dantzig_begin(mo_dantzig *z)
{
    forget(z);
    for (int i = 0; i < z->n; ++i)
        z->f[i] = z->normal[i] < 0 ? fmin(fmax(0, z->lower[i]), z->upper[i]) : 0;
    mo_dantzig_refresh(z);
    mo_dantzig_find_rounding(z);
    clamp_joints(z);
    mo_dantzig_solve_sets(z, 0);
}

/* ---- from impulses --------------------------------------------------------------------------- */

/* Clamps a row, or freezes it where it depends on those that are clamped already. */
static void hold(mo_dantzig *z, int row)
{
    if (!mo_dantzig_clamp(z, row)) z->set[row] = MO_ROW_FROZEN;
}

static void adopt_friction(mo_dantzig *z, int row)
{
    const int normal = z->normal[row];
    const double bound = z->mu[row] * z->f[normal];
    if (z->set[row] != MO_ROW_IDLE || z->f[normal] <= mo_dantzig_f_rounding(z, normal)) return;
    if (z->kind[row] == MO_ROW_LINE) {
        if (isinf(z->mu[row]) || fabs(z->f[row]) < bound * (1 - 1e-9))
            hold(z, row);
        else
            mo_dantzig_release(z, row, z->f[row] < 0 ? MO_ROW_LOWER : MO_ROW_UPPER);
    } else if (z->kind[row] == MO_ROW_DISC) {
        if (hypot(z->f[row], z->f[row + 1]) < bound * (1 - 1e-9)) {
            hold(z, row);
            hold(z, row + 1);
        } else {
            mo_dantzig_slide(z, row);
        }
    }
}

/* Does a row in a set break the conditions of that set?  After a fresh solve, violations above
 * ten times the rounding error of a are real. */
static int fails(const mo_dantzig *z, int row)
{
    const double zero_a = 10 * z->rounding[row], zero_f = 10 * mo_dantzig_f_rounding(z, row);
    switch (z->set[row]) {
    case MO_ROW_LOWER:
        return z->a[row] < -zero_a;
    case MO_ROW_UPPER:
        return z->a[row] > zero_a;
    case MO_ROW_FROZEN:
        return fabs(z->a[row]) > zero_a || mo_dantzig_is_outside(z, row, zero_f);
    case MO_ROW_CLAMPED:
        return mo_dantzig_is_outside(z, row, zero_f);
    default:
        return 0;
    }
}

int mo_dantzig_give_up_failures(mo_dantzig *z)
{
    int count = 0;
    mo_dantzig_find_rounding(z);
    for (int friction = 0; friction < 2; ++friction) {
        for (int i = 0; i < z->n; ++i) {
            if ((z->normal[i] >= 0) == friction && fails(z, i)) {
                mo_dantzig_give_up(z, i);
                ++count;
            }
        }
    }
    return count;
}

void mo_dantzig_adopt(mo_dantzig *z)
{
    enum { ROUNDS = 20 };
    forget(z);
    mo_dantzig_refresh(z);
    mo_dantzig_find_rounding(z);
    clamp_joints(z);
    for (int i = 0; i < z->n; ++i) {
        const double zero = mo_dantzig_f_rounding(z, i);
        if (z->normal[i] < 0 && z->set[i] == MO_ROW_IDLE && z->f[i] > z->lower[i] + zero &&
            z->f[i] < z->upper[i] - zero)
            hold(z, i);
    }
    for (int i = 0; i < z->n; ++i)
        if (z->normal[i] >= 0 && z->kind[i] != MO_ROW_TIED) adopt_friction(z, i);
    for (int k = 0; k < ROUNDS && mo_dantzig_solve_sets(z, 0) && mo_dantzig_give_up_failures(z);
         ++k) {
    }
}
