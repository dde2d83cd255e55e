/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Statements of [lu2015] about its particle, and our results: the table that the program prints. */
#include <math.h>
#include <string.h>

#include "lu_trinkle.h"

#define WRITE(claim, ...) snprintf((claim)->ours, sizeof(claim)->ours, __VA_ARGS__)

/* Iterations of a reading to its own tolerance of 1e-6. */
static int reading(lt_reading_index index, double gravity, double r)
{
    lt_trace trace;
    lt_read(index, gravity, r, LT_TOLERANCE, &trace);
    return trace.iterations;
}

/* Iterations of the library, conic model, fixed step. */
static int conic_to(double tolerance, double gravity, double r)
{
    lt_trace trace;
    const lt_trial trial = {.gravity = gravity, .step = r, .tolerance = tolerance};
    return lt_solve(&trial, &trace) ? LT_MOST : trace.iterations;
}

static int conic(double gravity, double r)
{
    return conic_to(LT_TOLERANCE, gravity, r);
}

/* The most iterations over the external forces that pull the particle onto the plane. */
static int most_in_contact(int (*count)(double gravity, double r), double r)
{
    int most = 0;
    for (int k = 0; k < lt_force_count; ++k) {
        const int iterations = lt_forces[k] < -5 ? count(lt_forces[k], r) : 0;
        most = iterations > most ? iterations : most;
    }
    return most;
}

static int together(double gravity, double r)
{
    return reading(LT_READ_TOGETHER, gravity, r);
}

static int in_sequence(double gravity, double r)
{
    return reading(LT_READ_SEQUENCE, gravity, r);
}

static int in_sequence_phi(double gravity, double r)
{
    return reading(LT_READ_SEQUENCE_PHI, gravity, r);
}

/* The number of r = 0.1, 0.2, ... 2.0 that reach the tolerance. */
static int good_steps(int (*count)(double gravity, double r), double gravity)
{
    int good = 0;
    for (int k = 1; k <= 20; ++k)
        good += count(gravity, k / 10.0) < LT_MOST;
    return good;
}

/* ---- figure 2 -------------------------------------------------------------------------------- */

static void one_iteration(paper_claim *c)
{
    c->claim = "At r = 1 one iteration is enough, whatever the external force.";
    c->paper = "1";
    const int ours = most_in_contact(conic, 1), sequence = most_in_contact(in_sequence, 1);
    WRITE(c,
          "conic model: %d; linearised model: %d with s stepped after p, %d (no convergence) with "
          "all stepped "
          "together",
          ours, sequence, most_in_contact(together, 1));
    c->verdict = ours == 1 ? "holds" : "does not hold";
}

static void poor_at_one_and_a_quarter(paper_claim *c)
{
    c->claim = "g = -10: 300 iterations, the most allowed, at r = 1.25.";
    c->paper = "300";
    const int sequence = in_sequence(-10, 1.25);
    WRITE(c,
          "linearised, s after p: %d (%d at r = 1.23; unstable from r = sqrt(5) - 1 = 1.236 on); "
          "linearised, all "
          "together: %d (unstable from r = 1 on); conic: %d; conic with eq. 26 to the letter: %d",
          sequence, in_sequence(-10, 1.23), together(-10, 1.25), conic(-10, 1.25),
          reading(LT_READ_PRINTED, -10, 1.25));
    c->verdict = sequence == LT_MOST ? "holds for the linearised model" : "does not hold";
}

static void touches_at_five(paper_claim *c)
{
    lt_trace trace;
    const lt_trial trial = {.gravity = -5, .step = 1, .tolerance = LT_FINE};
    c->claim = "At g = -5 the particle touches the plane without an impulse.";
    c->paper = "0";
    const int failed = lt_solve(&trial, &trace) != MO_OK;
    WRITE(c, "p_n = %.1g", trace.impulse[LT_MOST][0]);
    c->verdict = !failed && fabs(trace.impulse[LT_MOST][0]) < 1e-15 ? "holds" : "does not hold";
}

static void easy_above_five(paper_claim *c)
{
    c->claim = "g > -5: few iterations, except as r approaches zero.";
    c->paper = "few";
    const int small = in_sequence(-4, 0.05), middle = in_sequence(-4, 0.5),
              large = in_sequence(-4, 1.5);
    WRITE(
        c,
        "g = -4, linearised, s after p: %d at r = 0.05, %d at 0.5, %d at 1.5; conic: %d at every r",
        small, middle, large, conic(-4, 0.05));
    c->verdict = small > 50 && middle < 10 && large < 10 ? "holds" : "does not hold";
}

static void good_near_the_optimum(paper_claim *c)
{
    c->claim = "g far below -5: values of r near 1 do well.";
    c->paper = "well";
    const int below = in_sequence(-20, 0.9), above = in_sequence(-20, 1.1);
    WRITE(c, "g = -20: conic %d at r = 0.9 and %d at 1.1; linearised, s after p: %d and %d",
          conic(-20, 0.9), conic(-20, 1.1), below, above);
    c->verdict = below < 20 && above < 20 ? "holds" : "does not hold";
}

static void poor_just_below_five(paper_claim *c)
{
    c->claim = "g = -(5 + eps): very poor, except at r = 1 and r = 1.3.";
    c->paper = "r = 1, r = 1.3";
    const int good = good_steps(in_sequence_phi, -5.001);
    int most = 0;
    for (int k = 5; k <= 15; ++k) {
        const int iterations = conic_to(LT_PHI_TO_TOTAL(LT_TOLERANCE), -5.001, k / 10.0);
        most = iterations > most ? iterations : most;
    }
    WRITE(c,
          "eps = 1e-3, linearised, s after p, |phi| < 1e-6: of r = 0.1, 0.2 ... 2.0 only %d "
          "converges in time, "
          "r = 1 (%d iterations). r = 1.3 lies in the unstable range and stops by luck, for some g "
          "(-5.26: %d; "
          "-5.2: %d). Conic: at most %d for 0.5 <= r <= 1.5",
          good, in_sequence_phi(-5.001, 1), in_sequence(-5.26, 1.3), in_sequence(-5.2, 1.3), most);
    c->verdict = good == 1 ? "holds for the linearised model, but for r = 1.3" : "does not hold";
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

static void extreme_eigenvalues(paper_claim *c)
{
    lt_eigenvalues v;
    const int ok = lt_compute_eigenvalues(0, &v);
    c->claim = "The matrix of eq. 33 has extreme eigenvalues 2 and 0, so that r* = 1 (eq. 32).";
    c->paper = "2, 0, r* = 1";
    WRITE(c,
          "%.3f, %.3f, %.3f, %.3f, so that r* = %.12g; and the pair +-%.3gi, which the paper "
          "leaves out: the matrix is "
          "not symmetric, eq. 32 does not apply to it, and with all unknowns stepped together r = "
          "1 does not "
          "converge",
          fabs(v.re[1]), v.re[2], v.re[3], v.re[4], v.r_star, v.im[5]);
    c->verdict = ok && fabs(v.r_star - 1) < 1e-12 ? "holds for the real ones" : "does not hold";
}

static void relaxed_optimum(paper_claim *c)
{
    lt_eigenvalues fine, coarse;
    const int ok = lt_compute_eigenvalues(1e-12, &fine) && lt_compute_eigenvalues(1e-6, &coarse);
    c->claim = "With relaxation eta_max stays 2, and r* = 2 / (2 + zeta).";
    c->paper = "0.9999999999995 (zeta = 1e-12), 0.9999950000025 (zeta = 1e-6)";
    WRITE(c,
          "%.13f and %.13f: eta_max becomes 2 + zeta, so that r* = 1 / (1 + zeta). (2 / (2 + 1e-6) "
          "is "
          "0.99999950000025: the printed number lacks a 9.)",
          fine.r_star, coarse.r_star);
    c->verdict = ok ? "nearly; the difference is of order zeta" : "does not hold";
}

/* ---- figures 3 to 5 -------------------------------------------------------------------------- */

/* |phi| after 300 iterations, the largest over those steps of the figures that converge. */
static double floor_of(double zeta, int linearised)
{
    double most = 0;
    for (int k = 0; k < lt_step_count; ++k) {
        lt_trace trace;
        const lt_trial trial = {.gravity = -10,
                                .step = lt_steps[k],
                                .zeta = zeta,
                                .linearised = linearised,
                                .gauss_seidel = linearised};
        if (!(linearised && lt_steps[k] > sqrt(5) - 1) && !lt_solve(&trial, &trace))
            most = fmax(most, sqrt(2 * trace.error[LT_MOST]));
    }
    return most;
}

static void rounding_floor(paper_claim *c)
{
    c->claim = "zeta = 0: the total error ends at the order of 1e-16.";
    c->paper = "1e-16";
    const double a = floor_of(0, 0), b = floor_of(0, 1);
    WRITE(c,
          "|phi| ends at %.0e or below (conic), %.0e (linearised, s after p); the total error of "
          "eq. 31, |phi|^2 / 2, at "
          "%.0e",
          a, b, LT_PHI_TO_TOTAL(fmax(a, b)));
    c->verdict = fmax(a, b) < 1e-14 ? "holds for |phi|" : "does not hold";
}

static void relaxation_floor(paper_claim *c)
{
    c->claim = "zeta > 0: the total error never falls below the order of zeta.";
    c->paper = "1e-12 (zeta = 1e-12), 1e-6 (zeta = 1e-6)";
    const double a = floor_of(1e-12, 0), b = floor_of(1e-6, 0);
    WRITE(c,
          "|phi| ends at %.1e and %.1e (conic), %.1e and %.1e (linearised, s after p). The total "
          "error of eq. 31 is "
          "its half square, %.0e and %.0e, of order zeta^2, and would pass the tolerance of 1e-17 "
          "that the paper "
          "says it never meets: its figures show |phi|",
          a, b, floor_of(1e-12, 1), floor_of(1e-6, 1), LT_PHI_TO_TOTAL(a), LT_PHI_TO_TOTAL(b));
    c->verdict = fabs(log10(a / 1e-12)) < 1 && fabs(log10(b / 1e-6)) < 1 ? "holds for |phi|"
                                                                         : "does not hold";
}

/* ---- beyond the paper ------------------------------------------------------------------------ */

static mo_error adaptive_rule(const lt_comparison *rules, paper_claim *c)
{
    int most[2] = {0, 0}, worst = 0;
    for (int k = 0; k < 2 * lt_force_count; ++k) {
        lt_trace trace;
        const lt_trial trial = {
            .gravity = lt_forces[k / 2], .adaptive = 1, .linearised = k % 2, .tolerance = LT_FINE};
        const mo_error error = lt_solve(&trial, &trace);
        if (error) return error;
        most[k % 2] = trace.iterations > most[k % 2] ? trace.iterations : most[k % 2];
    }
    for (int k = 0; k < lt_comparison_count; ++k)
        worst = rules[k].iterations[LT_ADAPTIVE] > worst ? rules[k].iterations[LT_ADAPTIVE] : worst;
    c->claim = "r must depend on b (the conclusion; no rule is given).";
    c->paper = "-";
    WRITE(c,
          "prox.rule=adaptive, to a total error of 1e-17: at most %d (conic) and %d (linearised) "
          "iterations for every "
          "force of figure 2; on all the problems of rules.csv at most %d",
          most[0], most[1], worst);
    c->verdict = most[0] <= 20 && most[1] <= 20 ? "beyond the paper" : "does not hold";
    return MO_OK;
}

mo_error lt_check_claims(const lt_comparison *rules, paper_claim claims[LT_CLAIM_COUNT])
{
    void (*const checks[])(paper_claim *) = {
        one_iteration,         poor_at_one_and_a_quarter, touches_at_five,     easy_above_five,
        good_near_the_optimum, poor_just_below_five,      extreme_eigenvalues, relaxed_optimum,
        rounding_floor,        relaxation_floor,
    };
    enum { COUNT = sizeof checks / sizeof checks[0] };
    _Static_assert(COUNT + 1 == LT_CLAIM_COUNT, "every claim has its place");
    for (int k = 0; k < COUNT; ++k)
        checks[k](&claims[k]);
    return adaptive_rule(rules, &claims[COUNT]);
}
