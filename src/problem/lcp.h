/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The LCP view: a problem with polyhedral laws as a mixed linear complementarity problem
 *
 *     w = A z + b,   free unknowns: w_k = 0,   all others: 0 <= z_k perp w_k >= 0.
 *
 * Every unknown z_k adds impulse_k z_k to r, and every w_k reads test_k.u (u with the compliance
 * part); a short list C of numbers couples the unknowns of one block.  With R and T
 * the matrices of these vectors and r = r0 + R z,
 *
 *     A = T' W R + C,   b = T' (W r0 + q) + c0
 */
#ifndef MO_PROBLEM_LCP_H
#define MO_PROBLEM_LCP_H

#include "base/arena.h"
#include "problem/problem_data.h"

/*
 * The unknowns of a block for each law:
 *
 *   law            unknowns z                  w                           where
 *   bilateral      impulse of each row, free   u of the row = 0
 *   frictionless   r_N                         u_N
 *   sliding        n, r = n (1, -mu s)         u_N                     [trinkle1997, eq. 10, 24-26]
 *   coulomb (3D)   r_N                       u_N                        [anitescu2004, eq. 2.7-2.8]
 *   faceted,       beta_j, one a direction     d_j.u_T + lambda
 *   rolling,       lambda, one a disc          mu r_N - sum beta_j
 *   soft finger    or ellipsoid (mu = 1: its directions are as long as the coefficients)
 *   coulomb (2D),  r_N                         u_N                         [trinkle1997, eq. 30-35]
 *   pyramid        s+_k = mu r_N + r_k         u_k + a-_k, which is a+_k
 *                  a-_k, negative part of u_k  2 mu r_N - s+_k, which is s-_k
 *   box            r_k - lower_k               u_k + p_k
 *                  p_k >= 0                    upper_k - r_k
 *
 *   here           [anitescu2004]              [trinkle1997]
 *   M, f, w        M, M v(l) + h k, Delta      M_obj and M_man, g + h, the velocity terms of (4)
 *   H              nu, n, D side by side       the system Jacobian J of (22), normals and tangents
 *   W, q           -                           A, b of (21)
 *   r_N, r_k       c_n, D beta                 c_n, c_t, c_o
 *   u_N, u_k       rho, D' v                   a_n, a_t, a_o
 *   lambda         lambda, zeta its partner    -
 *   joint impulse  c_nu                        -
 *
 * A box row without a lower bound counts down from its upper one; without both it is free, and with
 * equal ones it is a number in r0.  Coulomb in space, rolling and soft fingers have as many
 * directions as the caller asks for, which is then another law than the problem's.
 * MO_LCP_DIRECTIONS writes coulomb in the plane (two directions) and pyramids (two groups of two)
 * by eq. 2.7 as well: that is LCP0 to the letter, and A is copositive for every mu, but a contact
 * that sticks is degenerate then.  mu = 0 drops the friction unknowns.  Coulomb with mu = infinity
 * is no LCP (mo_lcp_takes is false).  The size is n_S + 5 n_R for n_S sliding and n_R pyramid
 * contacts [trinkle1997, section 3.2], and (k + 2) times the contacts for k facets.
 *
 * Convex relaxations.  Two variants change the matrix as [anitescu2004, section 4] asks, and leave
 * the parameter, which changes from one fixed-point iteration to the next, to the caller, who adds
 * it to b:
 *
 *   MO_LCP_RELAXED      (4.17-4.18): the row u_N becomes u_N - mu lambda, A is positive
 *                       semidefinite.  Add Gamma_i to b at the MO_LCP_NORMAL row of contact i.  At
 *                       Gamma = mu lambda it is the problem itself (Lemma 1).  The QP (4.21) in v
 *                       alone has the constraints test_N.u + mu test_j.u >= -Gamma, all of which
 *                       can be read off the unknowns.  By slacks lambda is |u_t| + |u_o|, and the
 *                       row u_N - mu sum (a+ + a-); a sliding contact has the row u_N - mu s.u_T.
 *   MO_LCP_FIXED_SLIP   (4.27-4.28): no unknowns lambda and no rows mu r_N - sum beta_j.  Add
 *                       lambda_i to b at each MO_LCP_DIRECTION row of contact i; the QP (4.29)
 *                       follows in the same way. Everything goes by directions here.
 *
 * The relaxed view has the unknowns of the exact one, in the same order.  Lambda(v) of (4.23), with
 * the sign that (2.5) needs, is max_j -d_j.u_T over the unknowns of role MO_LCP_DIRECTION of a
 * contact and group.
 *
 * The view is made for one solve, on the method's arena: it depends on an option (the facets), its
 * matrix is dense, and so it should not outlive the solve as the views kept with a problem do.
 */

typedef enum mo_lcp_variant {
    MO_LCP_EXACT,
    MO_LCP_DIRECTIONS, /* the same, coulomb in the plane and pyramids by directions too (eq. 2.7) */
    MO_LCP_RELAXED,
    MO_LCP_FIXED_SLIP
} mo_lcp_variant;

typedef enum mo_lcp_role {
    MO_LCP_JOINT,     /* impulse of a joint row, or of a box row without bounds: free */
    MO_LCP_NORMAL,    /* r_N, or n of a sliding contact */
    MO_LCP_DIRECTION, /* beta_j */
    MO_LCP_SLIP,      /* lambda of a group of directions */
    MO_LCP_SLACK,     /* s+ of a tangential row of a pyramid */
    MO_LCP_RECEDE,    /* a- of a tangential row of a pyramid */
    MO_LCP_BOUNDED,   /* distance of the impulse of a box row from one bound */
    MO_LCP_PRESS      /* speed with which it presses on its other bound */
} mo_lcp_role;

typedef struct mo_lcp_unknown {
    mo_lcp_role role;
    int constraint;
    int group,
        index;     /* of a direction: its group, and its place there; tangential row of a pyramid */
    int row, rows; /* the rows of r and u it touches: row .. row + rows, none for speeds */
    double impulse[MO_LAW_MAX_DIM], test[MO_LAW_MAX_DIM];
} mo_lcp_unknown;

/* w_row gains value times z_column. */
typedef struct mo_lcp_tie {
    int row, column;
    double value;
} mo_lcp_tie;

typedef struct mo_lcp {
    const mo_problem *problem;
    mo_lcp_variant variant;
    int facets;           /* directions of each round disc */
    int size, free_count; /* unknowns; the first free_count of them are free */
    int tie_count;
    int uses_facets; /* some block approximates a round cone: the LCP has another law */

    mo_lcp_unknown *unknown;
    mo_lcp_tie *tie;
    double *constant; /* c0, one an unknown; r0, one a row */
    double *offset;
    /* unknowns of constraint i among the free ones, and among the pairs: start[i] .. start[i+1] */
    int *free_start, *pair_start;
} mo_lcp;

/* Can this constraint be written as an LCP? */
int mo_lcp_takes(const mo_problem *problem, int constraint);

/* Are all constraints supported, with at most so many unknowns?  `method`: for the message. */
mo_error mo_lcp_check(const mo_problem *problem, int facets, int most_unknowns, const char *method,
                      mo_message *why);

/*
 * Lays the view out, with `facets` directions for each round disc.  With a counting arena only the
 * sizes are set; with a real one everything is.
 */
void mo_lcp_layout(const mo_problem *problem, mo_lcp_variant variant, int facets, mo_arena *arena,
                   mo_lcp *lcp);

/* Nonzero entries of A at most, once the joints are eliminated, with room for all pairs of unknowns
 * of one block. The sizes must be known.  W: the reduced problem. */
size_t mo_lcp_fill(const mo_lcp *lcp, const mo_problem *W);

/* A, size x size row-major.  W: the reduced problem. */
void mo_lcp_matrix(const mo_lcp *lcp, const mo_problem *W, double *A);

/* b.  v and u are scratch, dof_count and row_count entries. */
void mo_lcp_vector(const mo_lcp *lcp, double *v, double *u, double *b);

/*
 * Units for the unknowns: one scale for the impulses of a block, by the mean of their diagonal in
 * A, and its inverse for its speeds, so that products w_k z_k stay as they are.  With z = scale z'
 * and w' = scale w the diagonal of A' is one in the mean, or, with powers of two (by which nothing
 * is rounded), about one.
 */
void mo_lcp_scales(const mo_lcp *lcp, const double *A, int powers_of_two, double *scale);

/* A' = diag(scale) A diag(scale) and b' = diag(scale) b, in place. */
void mo_lcp_apply_scales(const mo_lcp *lcp, const double *scale, double *A, double *b);

/* 1 / sqrt(x), or the power of two next to it; 1 where x is no positive number. */
double mo_lcp_scale_for(double x, int powers_of_two);

/* r = r0 + R z, and r = R z for the direction of a ray. */
void mo_lcp_impulse(const mo_lcp *lcp, const double *z, double *r);
void mo_lcp_ray(const mo_lcp *lcp, const double *z, double *r);

/* w = T' (u + compliance r) + C z + c0: what z leaves, from the velocity u that its r causes. */
void mo_lcp_slack(const mo_lcp *lcp, const double *z, const double *r, const double *u, double *w);

#endif
