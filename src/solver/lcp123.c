/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * LCP1, LCP2 and LCP3: time stepping with contact and friction through convex problems
 * [anitescu2004, section 5].
 *
 *   lcp1   v(k + 1) = chi_1(v(k)) = P_1(mu Lambda(v(k)))                      section 5.1, eq. 4.34
 *   lcp2   v(k + 1) = chi_2(v(k)) = P_2(Lambda(P_1(mu Lambda(v(k)))))         section 5.2, eq. 4.35
 *   lcp3   v = chi_1(0) = P_1(0): the first iteration of lcp1, one convex problem     section 5.2
 *
 * (LCP0 of the paper, Lemke's method on the mixed problem 2.7-2.8, is `lemke`.)  P_1, P_2 and
 * Lambda are in convex.h, the loop in shift_loop.c, the convex solver in convex_newton.c.
 *
 *   here        paper          meaning
 *   r, u, w     c_n, D beta    impulses; velocities at the contacts; Delta
 *   s           Gamma          shift of the normal velocity, mu times the slip speed
 *   lambda     lambda     slip speed in the law's own norm: |u_T|, or max_j -d_j.u of a faceted law
 *   W           -              the paper pivots out M in the same way
 *
 * The paper has facets; here every law with a friction disc takes part, coulomb's cone in the plane
 * being the paper's with two directions.
 *
 * An iteration is one round of the loop: one convex problem (lcp1), two (lcp2).
 *
 * lcp2 at a deadline: after any completed iteration the velocity handed back satisfies u_N >= 0 to
 * rounding, since P_2 holds it as a constraint, and no contact slips faster than P_1 said.  It
 * belongs to the best iteration so far. A cancel flag or a finite time limit makes every such
 * iteration solve P_2 to rounding, several times the work of one that need not; an iteration limit
 * does not, since P_2 is then solved once more at the end.  Its impulses are the multipliers of
 * P_2; they push only (r_N >= 0), but may lie outside the friction cone, which P_2 ignores (the
 * paper says inside, section 5.2, against its own remark on the conic constraint at the end of that
 * section).  The residual tells how far they are from the law.  Once solved, r is that of P_1,
 * which is in the cone.
 *
 * lcp3 solves a relaxed law: a contact that slides with speed lambda also opens with mu lambda.  It
 * is right where nothing slips; elsewhere its error is of the order mu lambda [anitescu2004,
 * Theorem 7], and it ends as stalled with that residual.
 */
#include <string.h>

#include "solver/shift_loop.h"

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    mo_shift_loop *loop = MO_TAKE(arena, 1, mo_shift_loop);
    *out = loop;
    return mo_shift_loop_layout(&mo_convex_newton_engine, problem, options, arena, loop);
}

static mo_status solve_lcp1(mo_run *run, void *workspace)
{
    const mo_shift_rules rules = {.map = MO_SHIFT_ONE,
                                  .exact_first = 1,
                                  .rescue = run->options->lcp1.rescue,
                                  .forcing = run->options->lcp1.forcing};
    return mo_shift_loop_run(run, workspace, &rules);
}

static mo_status solve_lcp2(mo_run *run, void *workspace)
{
    const mo_shift_rules rules = {.map = MO_SHIFT_TWO,
                                  .exact_first = 1,
                                  .rescue = run->options->lcp2.rescue,
                                  .forcing = run->options->lcp2.forcing};
    return mo_shift_loop_run(run, workspace, &rules);
}

static mo_status solve_lcp3(mo_run *run, void *workspace)
{
    const mo_shift_rules rules = {.map = MO_SHIFT_ONE, .is_single = 1};
    return mo_shift_loop_run(run, workspace, &rules);
}

const mo_method mo_lcp1_method = {
    .name = "lcp1",
    .summary = "fixed point on the sliding speed, with one convex problem per iteration",
    .paper = "anitescu2004",
    .uses_blas = 1,
    .laws = MO_CONVEX_LAWS,
    .layout = layout,
    .solve = solve_lcp1,
};

const mo_method mo_lcp2_method = {
    .name = "lcp2",
    .summary = "the same with a second convex problem: no penetration after any iteration",
    .paper = "anitescu2004",
    .uses_blas = 1,
    .laws = MO_CONVEX_LAWS,
    .layout = layout,
    .solve = solve_lcp2,
};

const mo_method mo_lcp3_method = {
    .name = "lcp3",
    .summary = "one convex problem: a relaxed law, exact if nothing slips",
    .paper = "anitescu2004",
    .uses_blas = 1,
    .laws = MO_CONVEX_LAWS,
    .relaxed = MO_LAW_BIT(MO_LAW_COULOMB) | MO_LAW_BIT(MO_LAW_ROLLING) |
               MO_LAW_BIT(MO_LAW_FACETED) | MO_LAW_BIT(MO_LAW_PYRAMID) |
               MO_LAW_BIT(MO_LAW_SOFT_FINGER),
    .layout = layout,
    .solve = solve_lcp3,
};
