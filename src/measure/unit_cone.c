/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/unit_cone.h"

#include <math.h>
#include <string.h>

#include "law/law_ops.h"

int mo_cone_is_joint(const mo_unit *unit)
{
    return unit->law.kind == MO_LAW_BILATERAL;
}

int mo_cone_is_smooth(const mo_unit *unit, int frictionless)
{
    const mo_law *law = &unit->law;
    return frictionless || law->kind == MO_LAW_FRICTIONLESS ||
           (!(law->mu > 0) && !(law->kind == MO_LAW_ROLLING && law->mu_rolling > 0) &&
            !(law->kind == MO_LAW_SOFT_FINGER && law->mu_torsion > 0));
}

/* ---- rays and groups ------------------------------------------------------------------------- */

static void set_ray(double *ray, double c0, double c1, double c2)
{
    const double full[MO_CONE_MOST_ROWS] = {c0, c1, c2};
    memcpy(ray, full, sizeof full);
}

static int faceted_rays(const mo_law *law, double (*rays)[MO_CONE_MOST_ROWS])
{
    mo_law_facets facets;
    mo_law_facets_of(law, 3, law->facets, &facets);
    for (int j = 0; j < law->facets; ++j) {
        const double *d = facets.direction[j];
        set_ray(rays[j], 1, law->mu * d[1], law->mu * d[2]);
    }
    return law->facets;
}

int mo_cone_rays(const mo_unit *unit, int frictionless, double (*rays)[MO_CONE_MOST_ROWS])
{
    const double mu = unit->law.mu;
    if (mo_cone_is_smooth(unit, frictionless)) {
        set_ray(rays[0], 1, 0, 0);
        return 1;
    }
    if (unit->law.kind == MO_LAW_FACETED) return faceted_rays(&unit->law, rays);
    if (unit->law.kind == MO_LAW_PYRAMID) {
        for (int j = 0; j < 4; ++j)
            set_ray(rays[j], 1, j & 1 ? mu : -mu, j & 2 ? mu : -mu);
        return 4;
    }
    if (unit->dim == 2) {
        set_ray(rays[0], 1, mu, 0);
        set_ray(rays[1], 1, -mu, 0);
        return 2;
    }
    return 0;
}

int mo_cone_groups(const mo_unit *unit, int groups[MO_CONE_MOST_GROUPS + 1],
                   double c[MO_CONE_MOST_ROWS])
{
    const mo_law *law = &unit->law;
    const int rolls = law->kind == MO_LAW_ROLLING, count = rolls ? 2 : 1;
    groups[0] = 1;
    groups[1] = rolls ? 3 : unit->dim;
    groups[2] = unit->dim;
    c[0] = 1;
    for (int k = 1; k < unit->dim; ++k)
        c[k] = k < 3 ? law->mu : rolls ? law->mu_rolling : law->mu_torsion;
    return count;
}

/* ---- inside ---------------------------------------------------------------------------------- */

static int reached(double value, int strictly)
{
    return strictly ? value > 0 : value >= 0;
}

/* No less than the square root of the numbers in the interval. */
static double root_above(mo_interval square)
{
    const double top = mo_interval_upper(square);
    return top > 0 ? nextafter(sqrt(top), INFINITY) : top <= 0 ? 0 : INFINITY;
}

/* (2).  One group is judged by squares, so that a motion along the border is not lost to a root. */
static int in_round_dual(const mo_unit *unit, int strictly, const mo_interval *u)
{
    int groups[MO_CONE_MOST_GROUPS + 1];
    double c[MO_CONE_MOST_ROWS];
    const int count = mo_cone_groups(unit, groups, c);
    mo_interval rest = u[0], slip = mo_interval_exact(0);
    for (int g = 0; g < count; ++g) {
        slip = mo_interval_exact(0);
        for (int k = groups[g]; k < groups[g + 1]; ++k) {
            const mo_interval scaled = mo_interval_mul(mo_interval_exact(c[k]), u[k]);
            slip = mo_interval_add(slip, mo_interval_mul(scaled, scaled));
        }
        rest = mo_interval_add(rest, mo_interval_exact(-root_above(slip)));
    }
    if (count == 1) rest = mo_interval_add(mo_interval_mul(u[0], u[0]), mo_interval_neg(slip));
    return mo_interval_lower(u[0]) >= 0 && reached(mo_interval_lower(rest), strictly) &&
           (!strictly || mo_interval_lower(u[0]) > 0);
}

int mo_cone_has_motion(const mo_unit *unit, mo_cone_question question, const mo_interval *u)
{
    double rays[MO_CONE_MOST_RAYS][MO_CONE_MOST_ROWS];
    if (mo_cone_is_joint(unit)) return u[0].mid == 0 && u[0].rad == 0;
    const int count = mo_cone_rays(unit, question.frictionless, rays);
    int inside = count > 0 || in_round_dual(unit, question.strictly, u);
    for (int j = 0; j < count && inside; ++j) {
        const mo_interval sum = mo_interval_combine(mo_interval_exact(0), unit->dim, rays[j], u);
        inside = reached(mo_interval_lower(sum), question.strictly);
    }
    return inside;
}

/* (1), by squares; r_k / c_k is an interval around the quotient. */
static int in_round_cone(const mo_unit *unit, const double *r)
{
    int groups[MO_CONE_MOST_GROUPS + 1], good = r[0] >= 0;
    double c[MO_CONE_MOST_ROWS];
    const int count = mo_cone_groups(unit, groups, c);
    const mo_interval normal = mo_interval_exact(r[0]);
    for (int g = 0; g < count && good; ++g) {
        mo_interval room = mo_interval_mul(normal, normal);
        for (int k = groups[g]; k < groups[g + 1] && good; ++k) {
            if (r[k] == 0) continue;
            good = c[k] > 0;
            const mo_interval share = mo_interval_round(r[k] / c[k], 0);
            room = mo_interval_add(room, mo_interval_neg(mo_interval_mul(share, share)));
        }
        good = good && mo_interval_lower(room) >= 0;
    }
    return good;
}

static int in_smooth_cone(const mo_unit *unit, const double *r)
{
    int good = r[0] >= 0;
    for (int k = 1; k < unit->dim; ++k)
        good = good && r[k] == 0;
    return good;
}

int mo_cone_has_impulse(const mo_unit *unit, int frictionless, const double *r)
{
    mo_cell_row rows[MO_CELL_MOST_ROWS];
    if (mo_cone_is_joint(unit)) return 1;
    if (mo_cone_is_smooth(unit, frictionless)) return in_smooth_cone(unit, r);
    if (unit->dim > 3 || (unit->law.kind == MO_LAW_COULOMB && unit->dim == 3))
        return in_round_cone(unit, r);
    const int count = mo_cell_rows(unit, MO_CELL_ANY, 1, rows); /* rows of a polyhedral cone */
    int good = 1;
    for (int m = 0; m < count && good; ++m) {
        mo_interval sum = mo_interval_exact(0);
        for (int k = 0; k < unit->dim && !rows[m].on_u; ++k)
            sum = mo_interval_fma(sum, rows[m].c[k], mo_interval_exact(r[k]));
        good = mo_interval_lower(sum) >= 0;
    }
    return good;
}
