/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The operations of a law: one table of functions and one file per law; law.c lists them.
 *
 * Parameters are packed into plain doubles, so a problem with a million contacts stores equal
 * parameters once.  Every function takes the packed parameters p and the dimension d.  The velocity
 * argument includes the compliance: u + c r.
 */
#ifndef MO_LAW_OPS_H
#define MO_LAW_OPS_H

#include <stddef.h>

#include "moreau/law.h"

enum {
    MO_LAW_MAX_GROUPS = 2,      /* friction discs a law may have: sliding, rolling */
    MO_LAW_MAX_DIRECTIONS = 128 /* facet directions of one block */
};

/*
 * The law by facets: r = r_N axis + sum_j beta_j D_j with beta >= 0 and, in each group g of
 * directions, sum beta_j <= mu_g r_N.  The axis is e_N, but for a contact whose friction is tied to
 * r_N.  Laws that are polyhedral already (no friction disc) have no groups.
 */
typedef struct mo_law_facets {
    double axis[6];
    int groups;
    double mu[MO_LAW_MAX_GROUPS];
    int start[MO_LAW_MAX_GROUPS + 1]; /* directions of group g: start[g] .. start[g+1] */
    /* d entries each; of length one, but for a soft finger (mu = 1) */
    double direction[MO_LAW_MAX_DIRECTIONS][6];
} mo_law_facets;

/* Violation of the law by a pair (u, r), in physical units; see mo_residual. */
typedef struct mo_law_failure {
    double penetration_rate;
    double cone_violation;
    double dissipation;
} mo_law_failure;

/* A parameter of an operation that a law does not need. */
#define MO_UNUSED __attribute__((unused))

typedef struct mo_law_ops {
    const char *name;
    int least_rows, most_rows;
    const char *row_hint; /* appended to the message about a wrong number of rows, or NULL */

    /*
     * Parameters.  A law with friction has one coefficient, mu, or two: `moment` is the offset of
     * the second in mo_law and `moment_name` its name.  They are packed in this order.
     */
    int coefficients, takes_infinite_mu;
    size_t moment;
    const char *moment_name;

    /* For other parameters: whether they are valid, their number, and their packing; or NULL. */
    mo_error (*check)(const mo_law *law, int d, mo_message *why);
    int (*param_count)(int d);
    void (*pack)(const mo_law *law, int d, double *p);
    void (*unpack)(const double *p, int d, mo_law *law);

    /* y = the nearest point of the set of impulses; J = a derivative at x. */
    void (*project)(const double *p, int d, const double *x, double *y);
    void (*project_derivative)(const double *p, int d, const double *x, double *J);

    /* uhat = u shifted: -uhat is in the normal cone of the set at r; G = its derivative. */
    void (*shift)(const double *p, int d, const double *u, double *uhat);
    void (*shift_derivative)(const double *p, int d, const double *u, double *G);

    /* The prox map of [lu2015, Algorithm 1]: the normal part first, then friction on the disc whose
     * radius follows from it (the Alart-Curnier map).  x = r - step u, without the shift. */
    void (*prox)(const double *p, int d, const double *x, double *y);

    /* z = r - project(r - step uhat): zero exactly where the law holds.  NULL: that formula. */
    void (*natural)(const double *p, int d, double step, const double *u, const double *r,
                    double *z);

    /* Solves a single block exactly: r and u = W r + b obey the law. */
    void (*solve)(const double *p, int d, const double *W, const double *b, double *r);

    /* One step towards that from r, where u is the velocity (relax.c); NULL: solve is cheap. */
    void (*relax)(const double *p, int d, const double *W, const double *u, const double *r,
                  double *new_r);

    /* Power that friction fails to dissipate: zero at a solution.  NULL: no friction. */
    double (*friction_defect)(const double *p, int d, const double *u, const double *r);

    /* NULL: that of a contact, see mo_law_failure_of. */
    void (*failure)(const double *p, int d, const double *u, const double *r, mo_law_failure *out);

    /* E (d x 2): derivative of r with respect to mu and to the coefficient of the moment, at fixed
     * u, where the block slides; elsewhere its value is ignored.  NULL: the law has no
     * coefficients. */
    void (*by_coefficient)(const double *p, int d, const double *u, const double *r, double *E);

    /* At most `count` directions for each disc of dimension two. */
    void (*facets)(const double *p, int d, int count, mo_law_facets *out);
} mo_law_ops;

/* Rows of blocks that hold friction or bounds; joints may be larger. */
enum { MO_LAW_MAX_DIM = 6, MO_BILATERAL_MAX_DIM = 64 };

extern const mo_law_ops mo_law_coulomb_ops, mo_law_frictionless_ops, mo_law_bilateral_ops,
    mo_law_box_ops, mo_law_rolling_ops, mo_law_faceted_ops, mo_law_pyramid_ops, mo_law_sliding_ops,
    mo_law_soft_finger_ops;

extern const mo_law_ops *const mo_law_table[MO_LAW_KIND_COUNT];

/* The table of a kind that has been checked. */
static inline const mo_law_ops *mo_law_ops_of(mo_law_kind kind)
{
    return mo_law_table[kind];
}

/*
 * Newton on the natural map of one block, with halving, from r.  Writes the best point it found, in
 * the set of impulses; true if that solves the block to rounding.
 */
int mo_law_solve_newton(const mo_law_ops *ops, const double *p, int d, const double *W,
                        const double *b, double *r);

/* Packed parameters: their number, from a law, and into a law of the same kind. */
int mo_law_param_count(const mo_law_ops *ops, int d);
void mo_law_pack(const mo_law *law, int d, double *p);
void mo_law_unpack(const double *p, int d, mo_law *law);

/* The operations `natural` and `failure`, or their defaults.  A contact fails by penetrating, by an
 * impulse outside its set, and by power r_N u_N or friction_defect that is not zero. */
void mo_law_natural_default(const mo_law_ops *ops, const double *p, int d, double step,
                            const double *u, const double *r, double *z);
static inline void mo_law_natural(const mo_law_ops *ops, const double *p, int d, double step,
                                  const double *u, const double *r, double *z)
{
    if (ops->natural)
        ops->natural(p, d, step, u, r, z);
    else
        mo_law_natural_default(ops, p, d, step, u, r, z);
}
void mo_law_failure_of(const mo_law_ops *ops, const double *p, int d, const double *u,
                       const double *r, mo_law_failure *out);

/* Members of the table of a law with friction, whose functions have these names. */
#define MO_LAW_FRICTION_OPS                                                                        \
    .project = project, .project_derivative = project_derivative, .shift = shift,                  \
    .shift_derivative = shift_derivative, .prox = prox, .solve = solve,                            \
    .by_coefficient = by_coefficient, .facets = facets

/* The same without friction: no shift, its derivative, no facets. */
#define MO_LAW_PLAIN_OPS                                                                           \
    .project = project, .project_derivative = project_derivative, .shift = mo_law_no_shift,        \
    .shift_derivative = mo_law_no_shift_derivative, .prox = project, .solve = solve,               \
    .facets = mo_law_no_facets
void mo_law_no_shift(const double *p, int d, const double *u, double *uhat);
void mo_law_no_shift_derivative(const double *p, int d, const double *u, double *G);
void mo_law_no_facets(const double *p, int d, int count, mo_law_facets *out);

/* The facets of a law that is not packed. */
void mo_law_facets_of(const mo_law *law, int d, int count, mo_law_facets *out);

/* Filling in facets: begin without groups; one more group; one more direction in it, zero. */
void mo_law_facets_begin(mo_law_facets *out);
void mo_law_facets_open(mo_law_facets *out, double mu);
double *mo_law_facets_add(mo_law_facets *out);

/* `count` directions of this length around the disc of rows `row` and row + 1. */
void mo_law_facets_add_disc(mo_law_facets *out, int row, int count, double length);

/* relax.c: one step of sweeps inside a block with moments. */
void mo_relax_rolling(const double *p, int d, const double *W, const double *u, const double *r,
                      double *new_r);
void mo_relax_soft_finger(const double *p, int d, const double *W, const double *u, const double *r,
                          double *new_r);

/* r = 0 if an entry is not finite, after an overflow in a badly scaled block. */
void mo_law_guard(int d, double *r);

/* u = W r + b */
void mo_block_velocity(int d, const double *W, const double *r, const double *b, double *u);

#endif
