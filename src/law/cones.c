/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "law/cones.h"

#include <math.h>
#include <string.h>

/* The output. */
typedef struct listing {
    mo_law_cone *cones; /* or NULL: count only */
    mo_law_rows *rows;  /* or NULL */
    int count, d;
} listing;

/* A new cone, all zero; NULL while counting. */
static mo_law_cone *add_cone(listing *list, int dim)
{
    mo_law_cone *cone = list->cones ? list->cones + list->count : NULL;
    ++list->count;
    if (cone) {
        memset(cone, 0, sizeof *cone);
        cone->dim = dim;
    }
    return cone;
}

static void fix_row(listing *list, int row, double value)
{
    if (list->rows && row < MO_LAW_MAX_DIM) {
        list->rows->fixed[row] = 1;
        list->rows->value[row] = value;
    }
}

/* r_row >= bound, or r_row <= bound where sign = -1. */
static void add_bound(listing *list, int row, double sign, double bound)
{
    mo_law_cone *cone = add_cone(list, 1);
    if (cone) {
        cone->E[row] = sign;
        cone->offset = -sign * bound;
    }
}

/* Axis of row k of an ellipsoid, axes `stride` apart; zero if too short to divide by. */
static double axis_of(const double *axes, int stride, int k)
{
    const double axis = fmin(axes[k * stride], MO_CONES_MU_MOST);
    return axis > MO_CONES_MU_LEAST ? axis : 0;
}

/* Friction in `dim` rows inside an ellipsoid; rows without an axis are fixed.  False: all are. */
static int add_ellipsoid(listing *list, int row, int dim, const double *axes, int stride)
{
    int rough = 0;
    for (int k = 0; k < dim; ++k)
        rough += axis_of(axes, stride, k) > 0;
    mo_law_cone *cone = rough ? add_cone(list, 1 + rough) : NULL;
    if (cone) cone->E[0] = 1;
    for (int k = 0, at = 1; k < dim; ++k) {
        const double axis = axis_of(axes, stride, k);
        if (axis == 0) {
            fix_row(list, row + k, 0);
            continue;
        }
        if (cone) cone->E[at++ * list->d + row + k] = 1 / axis;
        if (list->rows) list->rows->weight[row + k] = axis;
    }
    return rough > 0;
}

static void add_polygon(listing *list, double mu, int corners)
{
    const double step = 2 * acos(-1.0) / corners;
    for (int j = 0; j < corners; ++j) { /* edge j lies between the corners j and j + 1 */
        mo_law_cone *cone = add_cone(list, 1);
        if (cone) {
            cone->E[0] = 1;
            cone->E[1] = -cos((j + 0.5) * step) / (mu * cos(0.5 * step));
            cone->E[2] = -sin((j + 0.5) * step) / (mu * cos(0.5 * step));
        }
    }
    for (int k = 1; list->rows && k < 3; ++k)
        list->rows->weight[k] = mu;
}

static void add_box(listing *list, const double *lower, const double *upper)
{
    for (int k = 0; k < list->d; ++k) {
        if (lower[k] == upper[k]) {
            fix_row(list, k, lower[k]);
            continue;
        }
        if (lower[k] > -INFINITY) add_bound(list, k, 1, lower[k]);
        if (upper[k] < INFINITY) add_bound(list, k, -1, upper[k]);
    }
}

static void add_faceted(listing *list, const double *p)
{
    if (p[0] > MO_CONES_MU_LEAST) {
        add_polygon(list, p[0], (int)p[1]);
    } else {
        add_bound(list, 0, 1, 0);
        fix_row(list, 1, 0);
        fix_row(list, 2, 0);
    }
}

/* Friction discs from row 1 on, coefficients `stride` apart; the normal alone without friction. */
static void add_discs(listing *list, int discs, int dim, const double *mu, int stride)
{
    int rough = 0;
    for (int g = 0; g < discs; ++g)
        rough += add_ellipsoid(list, 1 + g * dim, dim, mu + g * stride, 0);
    if (!rough) add_bound(list, 0, 1, 0);
}

static void add_soft_finger(listing *list, const double *p)
{
    const double axes[3] = {p[0], p[0], p[1]};
    if (!add_ellipsoid(list, 1, 3, axes, 1)) add_bound(list, 0, 1, 0);
}

int mo_law_cones(mo_law_kind kind, const double *p, int d, mo_law_cone *cones, mo_law_rows *rows)
{
    listing list = {cones, rows, 0, d};
    if (rows) memset(rows, 0, sizeof *rows);
    for (int k = 0; rows && k < d; ++k)
        rows->weight[k] = 1;
    switch (kind) {
    case MO_LAW_COULOMB:
        add_discs(&list, 1, d - 1, p, 1);
        break;
    case MO_LAW_ROLLING:
        add_discs(&list, 2, 2, p, 1);
        break;
    case MO_LAW_PYRAMID: /* each tangential row by itself, with the same mu */
        add_discs(&list, 2, 1, p, 0);
        break;
    case MO_LAW_FACETED:
        add_faceted(&list, p);
        break;
    case MO_LAW_SOFT_FINGER:
        add_soft_finger(&list, p);
        break;
    case MO_LAW_FRICTIONLESS:
        add_bound(&list, 0, 1, 0);
        break;
    case MO_LAW_BOX:
        add_box(&list, p, p + d);
        break;
    default:
        break;
    }
    return list.count;
}
