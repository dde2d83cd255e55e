/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * LCP1, LCP2 and LCP3: contact with friction through convex problems [anitescu2004, section 5]; see
 * docs/methods/lcp123.md.
 *
 *   lcp1   v(k + 1) = chi_1(v(k)) = P_1(mu Lambda(v(k)))                      section 5.1, eq. 4.34
 *   lcp2   v(k + 1) = chi_2(v(k)) = P_2(Lambda(P_1(mu Lambda(v(k)))))         section 5.2, eq. 4.35
 *   lcp3   v = chi_1(0) = P_1(0), one convex problem; error of order mu lambda (Theorem 7)
 *
 * P_1, P_2 and Lambda are in convex.h, the loop in shift_loop.c, the convex solver in
 * convex_newton.c.  The paper's c_n and D beta are r, Delta is w, Gamma is s; lambda is the slip
 * speed in the norm of the law.  The paper has facets; here every law with friction is supported.
 *
 * If lcp2 is stopped, its velocity has u_N >= 0 to rounding, since P_2 enforces it.  Its impulses
 * are the multipliers of P_2 and may lie outside the friction cone (against section 5.2 of the
 * paper).
 */

#include "solver/shift_loop.h"

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    mo_shift_loop *loop = MO_HEAD(arena, mo_shift_loop);
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
