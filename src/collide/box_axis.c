/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The axis of two boxes (axis.h), by separating axes.
 *
 * In the frame of a, with the axes of b in the columns of R and its centre at t, the separations
 * are
 *
 *   along the axis i of a         |t_i| - a_i - sum_j b_j |R_ij|                              (1)
 *   along the axis j of b         |(R' t)_j| - b_j - sum_i a_i |R_ij|                         (2)
 *   along the edges i, j crossed  (|n.t| - sum_k a_k |n_k| - sum_k b_k |(R' n)_k|) / |n|       (3)
 *
 * with n = e_i x R_j.  The first of them beyond the reach ends the search.  Where the boxes
 * overlap, the largest is the least overlap.
 */
#include <math.h>

#include "collide/axis.h"
#include "linalg/vec3.h"

/* Of the size: margin of edges over faces, so that bodies at rest keep their axis. */
static const double FACE_FIRST = 1e-10;
static const double PARALLEL = 1e-12; /* square of a sine: such edges have no normal */

typedef struct boxes {
    const double *a, *b;                    /* half edges */
    double R[3][3], size[3][3], t[3], u[3]; /* R, |R|, t, R' t */
    double best;
    int axis; /* 0 to 2 of a, 3 to 5 of b, 6 + 3 i + j of the edges i and j */
} boxes;

MO_OWN void set_up(const mo_core *a, const mo_core *b, boxes *s)
{
    double between[3];
    mo_vec3_minus(b->at, a->at, between);
    for (int i = 0; i < 3; ++i) {
        s->t[i] = between[0] * a->Q[i] + between[1] * a->Q[3 + i] + between[2] * a->Q[6 + i];
        s->u[i] = between[0] * b->Q[i] + between[1] * b->Q[3 + i] + between[2] * b->Q[6 + i];
        for (int j = 0; j < 3; ++j) {
            s->R[i][j] = a->Q[i] * b->Q[j] + a->Q[3 + i] * b->Q[3 + j] + a->Q[6 + i] * b->Q[6 + j];
            s->size[i][j] = fabs(s->R[i][j]);
        }
    }
    s->a = a->half;
    s->b = b->half;
    s->best = -INFINITY;
    s->axis = -1;
}

MO_OWN void try_faces(boxes *s)
{
    double gap[6];
    for (int i = 0; i < 3; ++i) {
        gap[i] = fabs(s->t[i]) - s->a[i] - s->b[0] * s->size[i][0] - s->b[1] * s->size[i][1] -
                 s->b[2] * s->size[i][2];
        gap[3 + i] = fabs(s->u[i]) - s->b[i] - s->a[0] * s->size[0][i] - s->a[1] * s->size[1][i] -
                     s->a[2] * s->size[2][i];
    }
    for (int k = 0; k < 6; ++k) {
        if (gap[k] > s->best) {
            s->best = gap[k];
            s->axis = k;
        }
    }
}

MO_OWN void try_edges(boxes *s, double reach)
{
    for (int i = 0; i < 3 && s->best <= reach; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) { /* n = (0, -R_i2j, R_i1j) on the axes i, i1, i2 */
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double square = 1 - s->R[i][j] * s->R[i][j];
            const double gap = fabs(s->t[i2] * s->R[i1][j] - s->t[i1] * s->R[i2][j]) -
                               s->a[i1] * s->size[i2][j] - s->a[i2] * s->size[i1][j] -
                               s->b[j1] * s->size[i][j2] - s->b[j2] * s->size[i][j1];
            const double length = sqrt(square);
            if (square > PARALLEL && gap > s->best * length) {
                s->best = gap / length;
                s->axis = 6 + 3 * i + j;
            }
        }
    }
}

/* The midpoint of the edge i of the box that is furthest along d. */
MO_OWN void edge_along(const mo_core *c, int i, const double d[3], double middle[3])
{
    mo_vec3_copy(c->at, middle);
    for (int k = 0; k < 3; ++k) {
        const double along[3] = {c->Q[k], c->Q[3 + k], c->Q[6 + k]};
        if (k != i) {
            mo_vec3_along(middle, mo_vec3_dot(along, d) < 0 ? -c->half[k] : c->half[k], along,
                          middle);
        }
    }
}

/* The normal of two edges, and their nearest points if these are inside the edges. */
MO_OWN void take_edges(const mo_core *a, const mo_core *b, const boxes *s, mo_axis *axis)
{
    const int i = (s->axis - 6) / 3, j = (s->axis - 6) % 3;
    const double d[3] = {a->Q[i], a->Q[3 + i], a->Q[6 + i]},
                 e[3] = {b->Q[j], b->Q[3 + j], b->Q[6 + j]};
    double between[3], against[3];
    mo_vec3_cross(d, e, axis->normal);
    mo_vec3_minus(b->at, a->at, between);
    mo_vec3_scale((mo_vec3_dot(axis->normal, between) < 0 ? -1 : 1) / mo_vec3_norm(axis->normal),
                  axis->normal, axis->normal);
    mo_vec3_scale(-1, axis->normal, against);
    edge_along(a, i, axis->normal, axis->on_a);
    edge_along(b, j, against, axis->on_b);
    mo_vec3_minus(axis->on_b, axis->on_a, between);
    const double de = mo_vec3_dot(d, e), dr = mo_vec3_dot(d, between), er = mo_vec3_dot(e, between),
                 det = 1 - de * de;
    const double at_a = (dr - de * er) / det, at_b = (de * dr - er) / det;
    mo_vec3_along(axis->on_a, at_a, d, axis->on_a);
    mo_vec3_along(axis->on_b, at_b, e, axis->on_b);
    axis->has_points = fabs(at_a) <= a->half[i] && fabs(at_b) <= b->half[j];
}

MO_EVERYWHERE int mo_axis_of_boxes(const mo_core *a, const mo_core *b, double reach, mo_axis *axis)
{
    boxes s;
    set_up(a, b, &s);
    try_faces(&s);
    if (s.axis < 0 || s.best > reach) /* no numbers have no axis */
        return 0;
    const double of_face = s.best, size = a->size < b->size ? a->size : b->size;
    const int face = s.axis;
    s.best += FACE_FIRST * size;
    try_edges(&s, reach);
    if (s.best > reach) return 0;
    axis->gap = s.axis == face ? of_face : s.best;
    axis->has_points = 0;
    axis->is_face = s.axis < 6;
    if (!axis->is_face) {
        take_edges(a, b, &s, axis);
        return 1;
    }
    const double *Q = s.axis < 3 ? a->Q : b->Q;
    const int k = s.axis % 3;
    const double sign = (s.axis < 3 ? s.t[k] : s.u[k]) < 0 ? -1 : 1;
    mo_vec3_set(axis->normal, sign * Q[k], sign * Q[3 + k], sign * Q[6 + k]);
    return 1;
}
