/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels for batches of contacts (batches.h), several manifolds at a time in vector registers.
 *
 * They are compiled for any processor, for AVX2 and for AVX-512.  The latter two use fused
 * multiply-add: the last bits depend on the type of processor, never on the run or the number of
 * threads.
 */
#ifndef MO_PROBLEM_BATCH_KERNEL_H
#define MO_PROBLEM_BATCH_KERNEL_H

#include "moreau/measure.h"
#include "problem/batches.h"

/* The impulses at a point of each lane, world axes: now, and before the last sweep. */
typedef struct mo_point_impulses {
    double r[3 * MO_LANES], before[3 * MO_LANES];
} mo_point_impulses;

typedef struct mo_batch_pass {
    const mo_batches *batches;
    double *state;
    mo_point_impulses *impulses; /* of each point of each batch */
    double relax_N, relax_T;     /* relaxation factor of a visit */
    double beta;                 /* momentum: the visit starts from r + beta (r - before) */
    double *shift; /* NULL, or of a steep pass (batch_passes.h): MO_LANES numbers for each point */
    double shift_part; /* relaxation factor of the shift */
    /* NULL, or MO_LANES numbers for each batch: the result of a visit or a check for each
     * manifold, for sums that do not depend on their order */
    double *each;
} mo_batch_pass;

/* Violation of the laws by a range of batches. */
typedef struct mo_batch_sums {
    double square;   /* sum of |z|^2, z the natural map */
    double approach; /* largest -u_N */
} mo_batch_sums;

/* Visits the batches begin .. end.  Returns the sum of |dr|^2. */
double mo_batch_visit(const mo_batch_pass *pass, int begin, int end);

/* The natural map at the current state, which is not changed. */
mo_batch_sums mo_batch_look(const mo_batch_pass *pass, int begin, int end);

/* Sums of squares, and the worst contacts, as mo_residual has them. */
typedef struct mo_batch_verdict {
    double natural, u, r;
    double power; /* sum of the failures of `dissipation` */
    mo_worst block, penetration_rate, cone_violation, dissipation;
} mo_batch_verdict;

/* All figures of mo_measure for the contacts of all batches, at a state to which their impulses
 * have been applied; u (3 * MO_LANES for each point, world axes) becomes their relative
 * velocities. */
mo_batch_verdict mo_batch_judge(const mo_batch_pass *pass, double *u);

/* Sum of |u|^2 of the batches begin .. end at the state, for any impulses. */
double mo_batch_speeds(const mo_batch_pass *pass, int begin, int end);

/* Adds the effect of the impulses of the batches begin .. end to the state. */
void mo_batch_apply(const mo_batch_pass *pass, int begin, int end);

/* From arms and normals of the points of these batches: inverse_N, inverse_T, apart and W_TN. */
void mo_batch_respond(const mo_batch_pass *pass, int begin, int end);

/* Extrapolates lines begin .. end by beta times their last change; `before`: their old values. */
void mo_batch_extrapolate(const mo_batch_pass *pass, double *before, int begin, int end);

/* The same, each for one kind of processor. */
typedef struct mo_batch_kernels {
    double (*visit)(const mo_batch_pass *pass, int begin, int end);
    mo_batch_sums (*look)(const mo_batch_pass *pass, int begin, int end);
    mo_batch_verdict (*judge)(const mo_batch_pass *pass, double *u);
    double (*speeds)(const mo_batch_pass *pass, int begin, int end);
    void (*apply)(const mo_batch_pass *pass, int begin, int end);
    void (*respond)(const mo_batch_pass *pass, int begin, int end);
    void (*extrapolate)(const mo_batch_pass *pass, double *before, int begin, int end);
} mo_batch_kernels;

extern const mo_batch_kernels mo_batch_anywhere, mo_batch_avx2, mo_batch_avx512;

#endif
