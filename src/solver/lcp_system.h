/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The LCP view of a problem (problem/lcp.h) for `lemke` and `fip`: scaled, and without its joints.
 *
 *     w = S z + c,   0 <= z perp w >= 0        (pairs alone)
 *
 * Impulses are scaled so that the diagonal of S is about one, and speeds by the inverse, which
 * keeps the products w_k z_k; then z and w are divided by `size`, which makes c about one.
 */
#ifndef MO_SOLVER_LCP_SYSTEM_H
#define MO_SOLVER_LCP_SYSTEM_H

#include "problem/lcp.h"
#include "problem/lcp_joints.h"
#include "problem/views.h"
#include "solver/method.h"

#define MO_POLYHEDRAL_LAWS                                                                         \
    (MO_LAW_BIT(MO_LAW_FRICTIONLESS) | MO_LAW_BIT(MO_LAW_BILATERAL) | MO_LAW_BIT(MO_LAW_BOX) |     \
     MO_LAW_BIT(MO_LAW_FACETED) | MO_LAW_BIT(MO_LAW_PYRAMID) | MO_LAW_BIT(MO_LAW_SLIDING))

typedef struct mo_lcp_system {
    mo_lcp lcp;
    const mo_contact_space *space; /* the reduced problem */
    mo_lcp_joints joints;
    int n;                 /* pairs */
    double *A, *b, *scale; /* of all unknowns, scaled: z in the problem's units is size scale z */
    double *S, *c, size;   /* of the pairs; S row-major */
    double *z, *w;         /* the point, and w that its true velocity leaves: all unknowns */
    double *dz, *v;        /* scratch */
} mo_lcp_system;

mo_error mo_lcp_system_layout(const mo_problem *problem, int facets, mo_arena *arena,
                              mo_lcp_system *system);

/* A and b, then S and c, of `lcp`, which has the unknowns of system->lcp; the scales are kept, or
 * chosen anew, as roots or as powers of two. */
typedef enum mo_lcp_scaling { MO_SCALES_KEPT, MO_SCALES_ROOTS, MO_SCALES_POWERS } mo_lcp_scaling;
void mo_lcp_system_assemble(mo_run *run, mo_lcp_system *system, const mo_lcp *lcp,
                            mo_lcp_scaling scaling);
void mo_lcp_system_resize(mo_lcp_system *system, double size); /* divides c, and the joints */

/* run->r and run->u of the point with these pairs. */
void mo_lcp_system_put(mo_run *run, mo_lcp_system *system, const double *pairs);

/* w of the point, once joints have been moved to make theirs zero; then the change of the pairs
 * that the caller found from it, clipped at zero, with what the joints add. */
void mo_lcp_system_slack(mo_run *run, mo_lcp_system *system);
void mo_lcp_system_move(mo_run *run, mo_lcp_system *system, const double *change);

/* Hands back y, a direction of the pairs, as the ray of the result. */
void mo_lcp_system_keep_ray(mo_run *run, mo_lcp_system *system, const double *y);

/* Is a ray a proof?  No round cone is approximated, and no joint is redundant. */
static inline int mo_lcp_system_is_exact(const mo_lcp_system *system)
{
    return system->joints.rank == system->joints.count && !system->lcp.uses_facets;
}

/* Ends a run at a solution of the facets that the measure does not accept. */
mo_status mo_lcp_system_stall(mo_run *run, const mo_lcp_system *system);

#endif
