/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The friction pyramid of [trinkle1997, eq. 15-16]: each tangential component by itself,
 *
 *   |r_k| <= mu r_N,   mu r_N u_k + r_k |u_k| = 0,   k = t, o
 *
 *   here        paper             meaning
 *   r_N, r_k    c_jn, c_jt, c_jo  contact force
 *   u_k         a_jt, a_jo        tangential acceleration (or velocity, in time stepping)
 *
 * Both together say that r_T dissipates most in the square with the corners mu r_N (+-1, +-1): the
 * polygon of polygon.h with four corners at 45 degrees and the radius sqrt(2) mu.  The square
 * circumscribes Coulomb's disc: a solution inside the cone solves Coulomb's problem too
 * [trinkle1997, Proposition 1].
 */
#include "law/polygon.h"

/* Four corners at sqrt(2) mu, the first one an eighth of a turn from the first axis. */
static void pack(MO_UNUSED const mo_law *law, MO_UNUSED int d, double *p)
{
    p[1] = 4;
    p[2] = 1.41421356237309504880;
    p[3] = 0.78539816339744830962;
}

/* Two groups of two directions: the square is the sum of two segments. */
static void facets(const double *p, int d, MO_UNUSED int count, mo_law_facets *out)
{
    mo_law_facets_begin(out);
    for (int k = 1; k < d; ++k) {
        mo_law_facets_open(out, p[0]);
        mo_law_facets_add(out)[k] = 1;
        mo_law_facets_add(out)[k] = -1;
    }
}

const mo_law_ops mo_law_pyramid_ops = {
    .name = "pyramid",
    .pack = pack,
    .facets = facets,
    MO_POLYGON_OPS,
};
