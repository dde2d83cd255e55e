/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Coulomb's cone in space with k facets [anitescu2004, eq. 2.5]:
 *
 *   r_T = sum_j beta_j d_j,   0 <= beta perp D' u_T + lambda e >= 0,
 *   0 <= lambda perp mu r_N - e' beta >= 0
 *
 *   here             paper    meaning
 *   r_N              c_n      normal impulse
 *   d_j, D        d_j, D   friction directions at the angles 2 pi j / k, and the matrix of them all
 *   lambda           lambda   slip speed max_j -d_j.u_T, where r_N > 0
 *
 * The paper asks for directions in opposite pairs (an even k); any k >= 3 makes a law here.  The
 * cone lies inside Coulomb's and touches it along k rays.  In the plane Coulomb's cone has two
 * facets already: use coulomb. See polygon.h for the mathematics.
 */
#include "base/error.h"
#include "law/polygon.h"

enum { MOST_FACETS = MO_LAW_MAX_DIRECTIONS / MO_LAW_MAX_GROUPS };

static mo_error check(const mo_law *law, MO_UNUSED int d, mo_message *why)
{
    return law->facets >= 3 && law->facets <= MOST_FACETS
               ? MO_OK
               : mo_fail(why, MO_ERR_PROBLEM, "a faceted law has 3 to %d facets, not %d",
                         MOST_FACETS, law->facets);
}

/* The corners lie on Coulomb's circle, the first one on the first axis. */
static void pack(const mo_law *law, MO_UNUSED int d, double *p)
{
    p[1] = law->facets;
    p[2] = 1;
    p[3] = 0;
}

static void unpack(const double *p, MO_UNUSED int d, mo_law *law)
{
    law->facets = (int)p[1];
}

/* Its own directions, for any requested number. */
static void facets(const double *p, MO_UNUSED int d, MO_UNUSED int count, mo_law_facets *out)
{
    const mo_polygon polygon = {.mu = p[0], .corners = (int)p[1]};
    mo_law_facets_begin(out);
    mo_law_facets_open(out, p[0]);
    for (int j = 0; j < polygon.corners; ++j)
        mo_polygon_corner(&polygon, j, mo_law_facets_add(out) + 1);
}

const mo_law_ops mo_law_faceted_ops = {
    .name = "faceted",
    .check = check,
    .pack = pack,
    .unpack = unpack,
    .facets = facets,
    MO_POLYGON_OPS,
};
