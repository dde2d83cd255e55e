/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The central path by its arc length, for the parts of it on which tau does not decrease.
 *
 * The points (1)-(2) of interior.h form a curve x(tau), x = (r, z).  With friction it may fold: tau
 * must increase before it decreases again [acary2024].  The factors J of (4) give, with two right
 * sides,
 *
 *     t   the tangent dx / dtau: (3) with target = e and rest = 0
 *     c   the step to the curve: (3) with target = tau e, made orthogonal to t by a multiple of t
 *     x += c + h t;    tau increases if det J < 0 and decreases if det J > 0                  (5)
 *
 * (5) is the orientation of the whole curve.  Lengths are those of (T dp, T^-1 dz) / sqrt(tau), the
 * maximum over the cones.  h = 0 until |c| <= NEAR; |h t| = reach, adapted to |c| after the step.
 * Arc steps start at a plain step shorter than SHORT, after three shorter than HELD, or if
 * det J < 0; they end when t is short.  Limits: no bound on the length of the curve.
 */
#include <math.h>
#include <string.h>

#include "solver/interior.h"

static const double SHORT = 0.1, HELD = 0.3;
static const double NEAR = 0.7, CLOSE = 0.4, FAR = 1;
static const double FIRST_REACH = 0.5, LEAST_REACH = 0.1, MOST_REACH = 4;
static const double SMOOTH = 4; /* of |tau t| where plain steps go on */
enum { HELD_MOST = 3, SHORTER_MOST = 6 };

/* The product of two directions; *most: the largest part of a cone. */
static double dot(const mo_interior *s, const double *dp, const double *dz, const double *ep,
                  const double *ez, double *most)
{
    double sum = 0;
    *most = 0;
    for (int k = 0; k < s->cone_count; ++k) {
        const int n = s->cone[k].dim, at = s->first[k];
        double a[4][MO_LORENTZ_MAX];
        mo_scaling_apply(n, s->scaling + k, dp + at, a[0]);
        mo_scaling_apply(n, s->scaling + k, ep + at, a[1]);
        mo_scaling_undo(n, s->scaling + k, dz + at, a[2]);
        mo_scaling_undo(n, s->scaling + k, ez + at, a[3]);
        const double part = (mo_dot(n, a[0], a[1]) + mo_dot(n, a[2], a[3])) / s->tau;
        sum += part;
        *most = fmax(*most, part);
    }
    return sum;
}

static void keep_direction(const mo_interior *s, double *r, double *p, double *z)
{
    memcpy(r, s->dr, (size_t)s->problem->row_count * sizeof *r);
    memcpy(p, s->dp, (size_t)s->cone_rows * sizeof *p);
    memcpy(z, s->dz, (size_t)s->cone_rows * sizeof *z);
}

/* t */
static void find_tangent(mo_interior *s)
{
    double *rest = s->rest;
    for (int k = 0; k < s->cone_count; ++k) {
        const int n = s->cone[k].dim, at = s->first[k];
        double lambda[MO_LORENTZ_MAX], h[MO_LORENTZ_MAX];
        const double e[MO_LORENTZ_MAX] = {1};
        mo_scaling_apply(n, s->scaling + k, s->p + at, lambda);
        mo_lorentz_divide(n, lambda, e, h);
        mo_scaling_apply(n, s->scaling + k, h, s->target + at);
    }
    memset(s->path_r, 0, (size_t)s->problem->row_count * sizeof *rest);
    s->rest = s->path_r;
    mo_interior_direction(s, 1);
    s->rest = rest;
    keep_direction(s, s->path_r, s->path_p, s->path_z);
}

/* c, with the t that is there; `square`: of t.  Its length. */
static double find_centring(mo_interior *s, double square)
{
    double most;
    memset(s->dp, 0, (size_t)s->cone_rows * sizeof *s->dp);
    memset(s->dz, 0, (size_t)s->cone_rows * sizeof *s->dz);
    mo_interior_aim_centre(s);
    mo_interior_direction(s, 1);
    const double part =
        -dot(s, s->dp, s->dz, s->path_p, s->path_z, &most) / (square + 1 / (s->tau * s->tau));
    mo_axpy(s->problem->row_count, part, s->path_r, s->dr);
    mo_axpy(s->cone_rows, part, s->path_p, s->dp);
    mo_axpy(s->cone_rows, part, s->path_z, s->dz);
    keep_direction(s, s->centre_r, s->centre_p, s->centre_z);
    dot(s, s->dp, s->dz, s->dp, s->dz, &most);
    return sqrt(most);
}

/* c + h t */
static void combine(mo_interior *s, double h)
{
    mo_along(s->problem->row_count, s->centre_r, h, s->path_r, s->dr);
    for (int k = 0; k < s->cone_rows; ++k) {
        s->dp[k] = s->centre_p[k] + h * s->path_p[k];
        s->dz[k] = s->centre_z[k] + h * s->path_z[k];
    }
}

int mo_arc_is_due(mo_interior *s)
{
    mo_arc *arc = &s->arc;
    const size_t rows = (size_t)s->problem->row_count, cone_rows = (size_t)s->cone_rows;
    arc->sign = mo_delassus_sign(&s->matrix.system);
    if (arc->is_on) return 1;
    arc->held = s->length < HELD ? arc->held + 1 : 0;
    arc->is_on = arc->sign < 0 || s->length < SHORT || arc->held >= HELD_MOST;
    if (!arc->is_on) {
        memcpy(s->kept_r, s->r, rows * sizeof *s->r);
        memcpy(s->kept_z, s->z, cone_rows * sizeof *s->z);
        arc->has_kept = 1;
    } else {
        arc->reach = FIRST_REACH;
        arc->has_moved = arc->held = 0;
    }
    return arc->is_on;
}

/* A plain step has jumped over a fold: back before it. */
static double go_back(mo_interior *s)
{
    memcpy(s->r, s->kept_r, (size_t)s->problem->row_count * sizeof *s->r);
    memcpy(s->z, s->kept_z, (size_t)s->cone_rows * sizeof *s->z);
    memset(s->dr, 0, (size_t)s->problem->row_count * sizeof *s->dr);
    memset(s->dz, 0, (size_t)s->cone_rows * sizeof *s->dz);
    s->arc.has_kept = 0;
    return 1;
}

double mo_arc_step(mo_interior *s)
{
    mo_arc *arc = &s->arc;
    double most;
    if (arc->sign < 0 && arc->has_kept) return go_back(s);
    arc->has_kept = 0;
    find_tangent(s);
    const double square = dot(s, s->path_p, s->path_z, s->path_p, s->path_z, &most);
    const double tangent = sqrt(most), off = find_centring(s, square);
    if (arc->has_moved) {
        arc->reach = off < CLOSE ? fmin(MOST_REACH, 2 * arc->reach)
                     : off > FAR ? fmax(LEAST_REACH, 0.5 * arc->reach)
                                 : arc->reach;
    }
    arc->has_moved = off < NEAR;
    double h = arc->has_moved ? -arc->sign * arc->reach / fmax(tangent, 1 / s->tau) : 0;
    double length = 0;
    for (int k = 0; k <= SHORTER_MOST && !(length >= 1); ++k, h *= NEAR) {
        combine(s, h);
        length = fmin(1, 0.9 * mo_interior_longest(s, 1 / 0.9));
    }
    arc->is_on = arc->sign < 0 || tangent * s->tau >= SMOOTH || off >= 0.5;
    return length;
}
