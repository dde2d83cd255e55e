/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Internal definitions of the method `dantzig` (dantzig.c).
 *
 *   dantzig.c           main loop (compute-forces), restarts, termination
 *   dantzig_pick.c      violated conditions;  dantzig_drive.c: drive-to-zero, fdirection, maxstep
 *   dantzig_sets.c      changes of sets and of the factor
 *   dantzig_layout.c    rows and matrix;      dantzig_matrix.c: products, change of units
 *   dantzig_factor.c    factor of A_CC;       dantzig_start.c: initial sets
 *
 * Scaled units: with s_i = sqrt(W_ii) (one number for all rows of a contact), f_i = s_i r_i, a_i =
 * u_i / s_i and A_ij = W_ij / (s_i s_j), so A has a diagonal of about one and f and a have the same
 * units.  The two tangential rows of a contact in space use a frame whose first axis e lies along
 * the friction force while the contact slides.
 */
#ifndef MO_SOLVER_DANTZIG_H
#define MO_SOLVER_DANTZIG_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "solver/method.h"
#include "solver/newton_step.h"

/* The kind of a row. */
typedef enum mo_row_kind {
    MO_ROW_BOUNDED, /* lower <= f <= upper, fixed: a normal force, a joint, a box */
    MO_ROW_LINE,    /* friction in the plane, |f| <= mu f_N */
    MO_ROW_DISC,    /* friction in space: this row (axis e) and the next, |f| <= mu f_N */
    MO_ROW_SECOND,  /* the other row of a disc */
    MO_ROW_TIED     /* dynamic friction, or none: f = tie f_N always, without a condition on a */
} mo_row_kind;

/* The set that a row is in. */
typedef enum mo_row_set {
    MO_ROW_IDLE,     /* in no set: not examined yet, or released; f is constant */
    MO_ROW_CLAMPED,  /* C, C_F: a = 0 is maintained and f follows */
    MO_ROW_LOWER,    /* NC, NC-: f at its lower bound, a >= 0 */
    MO_ROW_UPPER,    /* NC+, NC_F: f at its upper bound, a <= 0 */
    MO_ROW_FROZEN,   /* C, C_F too, but a = 0 follows from the clamped rows: f is held */
    MO_ROW_FOLLOWING /* f follows a normal force, without a condition on a */
} mo_row_set;

/*
 * The factor of A_CC, columns of normal forces carrying those of the friction tied to them.
 * Symmetric: Cholesky's L. Otherwise the inverse B.  Both by columns, with the leading dimension
 * `stride`.
 */
typedef struct mo_dantzig_factor {
    int is_symmetric;
    int count; /* clamped rows */
    int stride;
    double *F;            /* L or B */
    double *driven;       /* L^-1 A_Cd, kept while row d is driven; scratch for B */
    double *left, *right; /* scratch, `stride` entries each */
    double *work;         /* of LAPACK */
    int *pivots;
} mo_dantzig_factor;

typedef struct mo_dantzig {
    const mo_problem *problem;
    const mo_options *options;
    int n;                   /* rows */
    int is_symmetric;        /* W is */
    int has_ties, has_discs; /* some row may be tied to another; some contact has a disc */

    /* The matrix, by columns with the leading dimension n, and where its columns are not zero. */
    double *W;
    int *run_start; /* runs of column j: run_start[j] .. run_start[j+1] */
    int *runs;      /* first row and one past the last, in pairs */
    double *q;
    double *scale; /* s */

    /* Rows. */
    uint8_t *kind, *set;
    int *normal;           /* the normal row of a friction row; -1 */
    int *friction_count;   /* of a normal row: the friction rows that come after it */
    double *lower, *upper; /* of MO_ROW_BOUNDED */
    double *span;          /* the size of those bounds that are finite */
    double *mu, *tie;      /* of friction rows; tie: f = tie f_N in sets of bounds  */
    double *cosine, *sine; /* axis e of a disc, at its first row */
    int *member, *place;   /* the clamped rows, and where a row is among them (-1)  */

    double *f, *a;                        /* the iterate, a = A f + b */
    double *df, *da;                      /* the direction, da = A df */
    double *column, *row, *world, *image; /* scratch */
    double *v;                            /* velocities of the bodies, scratch */
    double *ray;                          /* of an unbounded step, in units of r  */
    double *rounding;                     /* error bound of a */
    uint32_t *refused;                    /* the direction in which a row could not be clamped */

    mo_dantzig_factor factor;

    double unit;    /* size of a and f: the largest |q| */
    int pivots;     /* iterations */
    uint32_t stamp; /* counts directions */
    int driven;     /* the row that is driven, or -1 */
    int skipped;    /* a row whose step was unbounded, or -1 */
    int broken;     /* the factor is invalid: only the sets are used */
    int has_ray;    /* an unbounded step occurred: `ray` */
    int give_ups;   /* rows given up, of section 5.4 */
    int next_check; /* pivots at which the iterate is measured */
    int starts;     /* starts so far: from the second on, the order is random */
    mo_random random;
    mo_run *run;

    mo_newton newton; /* of the exact cone, where has_discs */
} mo_dantzig;

/* Relative rounding thresholds, times the size of the operands. */
#define MO_DANTZIG_NOISE 1e-11 /* in a direction, whose largest entry is one: da, rates       */
#define MO_DANTZIG_ZERO 1e-11  /* in a row of a or f, over the terms of its sum               */
#define MO_DANTZIG_PIVOT 1e-9  /* a pivot, that is a Schur complement, over the diagonal      */

/* ---- dantzig_layout.c ------------------------------------------------------------------------ */

/* Takes the arrays from the arena and, on a real one, fills in rows and matrix. */
mo_error mo_dantzig_layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                           mo_dantzig *z);

/* ---- dantzig_matrix.c ------------------------------------------------------------------------ */

/* da = A df where only the clamped rows, the rows tied to them, and row d move. */
void mo_dantzig_apply_direction(mo_dantzig *z, int d);

/* The column and the row of A for row j; the tied column includes the friction tied to j. */
void mo_dantzig_column(mo_dantzig *z, int j, double *out);
void mo_dantzig_tied_column(mo_dantzig *z, int j, double *out);
void mo_dantzig_row(mo_dantzig *z, int j, double *out);

/* a = A f + b, with an error bound for each row. */
void mo_dantzig_refresh(mo_dantzig *z);
void mo_dantzig_find_rounding(mo_dantzig *z);

/* r from f or df; u + compliance r = W r + q from r. */
void mo_dantzig_unscale(const mo_dantzig *z, const double *x, double *r);
void mo_dantzig_velocity(const mo_dantzig *z, const double *r, double *u);

/* f from impulses; the axes of the discs are turned towards them. */
void mo_dantzig_import(mo_dantzig *z, const double *r);

/* Turns the axes of a disc (its first row) so that e points along (c, s) of the current axes. */
void mo_dantzig_turn(mo_dantzig *z, int first, double c, double s);

/* ---- dantzig_factor.c ------------------------------------------------------------------------ */

void mo_cholesky_begin(mo_dantzig_factor *F, const double *v); /* driven = L^-1 v */
void mo_cholesky_solve(mo_dantzig_factor *F, double *x);       /* x = -L^-T driven */
void mo_cholesky_full_solve(mo_dantzig_factor *F, double *x);  /* x = (L L')^-1 x */
double mo_cholesky_try(mo_dantzig_factor *F, const double *v, double diagonal); /* the pivot */
void mo_cholesky_append(mo_dantzig_factor *F, double pivot, double driven_entry);
void mo_cholesky_remove(mo_dantzig_factor *F, int p);
int mo_cholesky_rebuild(
    mo_dantzig_factor *F); /* F holds A_CC, then L; false if A_CC is not positive definite */

void mo_inverse_solve(const mo_dantzig_factor *F, const double *v, double *x); /* x = B v */
double mo_inverse_try(mo_dantzig_factor *F, const double *column, const double *row, double corner);
void mo_inverse_append(mo_dantzig_factor *F, double pivot);
void mo_inverse_remove(mo_dantzig_factor *F, int p);
/* Column `to` += t column `from`. */
void mo_inverse_combine(mo_dantzig_factor *F, int to, int from, double t);
int mo_inverse_change_column(mo_dantzig_factor *F, int p, const double *change);
/* F holds A_CC, then its inverse; false if singular. */
int mo_inverse_rebuild(mo_dantzig_factor *F);

/* ---- dantzig_sets.c -------------------------------------------------------------------------- */

static inline double mo_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline int mo_is_clamped(const mo_dantzig *z, int row)
{
    return z->place[row] >= 0;
}

/* The first row of the disc that a row belongs to, or -1. */
static inline int mo_disc_of(const mo_dantzig *z, int row)
{
    return z->kind[row] == MO_ROW_DISC ? row : z->kind[row] == MO_ROW_SECOND ? row - 1 : -1;
}

/* Is f beyond a bound, or off its disc, by more than this? */
int mo_dantzig_is_outside(const mo_dantzig *z, int row, double zero);

/* Current bounds of f, and the rounding error of its distance from them. */
double mo_dantzig_lower(const mo_dantzig *z, int row);
double mo_dantzig_upper(const mo_dantzig *z, int row);

/* Forces below this are zero in every row. */
static inline double mo_dantzig_nothing(const mo_dantzig *z)
{
    return 1e-15 * z->unit;
}

static inline double mo_dantzig_f_rounding(const mo_dantzig *z, int row)
{
    const int normal = z->normal[row];
    const double span = normal < 0          ? z->span[row]
                        : isinf(z->mu[row]) ? 0
                                            : 2 * z->mu[row] * fabs(z->f[normal]);
    return MO_DANTZIG_ZERO * (fabs(z->f[row]) + span) + mo_dantzig_nothing(z);
}

/* Moves a row into C or C_F. False, without a change, if the row depends on the clamped ones. */
int mo_dantzig_clamp(mo_dantzig *z, int row);

/* Moves a row to a bound; sets z->broken if the remaining matrix is singular. */
void mo_dantzig_release(mo_dantzig *z, int row, mo_row_set to);

/* A contact in space begins to slide along its friction force. */
void mo_dantzig_slide(mo_dantzig *z, int first);

/* Takes a row out of every set; its force stays. */
void mo_dantzig_give_up(mo_dantzig *z, int row);

/* x of the clamped rows loses A_CC^-1 of z->row, which is overwritten. */
void mo_dantzig_subtract(mo_dantzig *z, double *x);

/* Solves for f of the clamped rows again, from a new factor where `anew` is set; a follows. */
int mo_dantzig_solve_sets(mo_dantzig *z, int anew);

/* ---- dantzig_drive.c ------------------------------------------------------------------------- */

typedef enum mo_drive_end {
    MO_DRIVE_DONE,    /* the row is in a set, or closer to one */
    MO_DRIVE_GAVE_UP, /* the sets did not lead to a solution */
    MO_DRIVE_RAY,     /* an unbounded step: df is the direction */
    MO_DRIVE_STOPPED  /* a limit, or solved: run->status */
} mo_drive_end;

mo_drive_end mo_dantzig_drive(mo_dantzig *z, int d);

/* ---- dantzig_pick.c -------------------------------------------------------------------------- */

/* The row that violates its conditions most, normal forces and joints first; -1: none. */
int mo_dantzig_pick(mo_dantzig *z);

/* ---- dantzig_start.c ------------------------------------------------------------------------- */

void mo_dantzig_begin(mo_dantzig *z); /* f = 0, or the nearest bound; the joints clamped */
void mo_dantzig_adopt(mo_dantzig *z); /* the sets that f suggests */

/* Gives up rows that break the conditions of their sets, friction last; returns how many. */
int mo_dantzig_give_up_failures(mo_dantzig *z);

/* ---- dantzig.c ------------------------------------------------------------------------------- */

/* Ends an iteration: counts it and measures occasionally.  True if the run ends. */
int mo_dantzig_tick(mo_dantzig *z);

#endif
