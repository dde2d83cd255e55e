/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The statements of the paper beside the results of the reruns. */
#include <math.h>
#include <stdio.h>

#include "baraff.h"

typedef struct range {
    double low, high;
} range;

static range ratio_range(const br_cost *cost, int deficient, int whole_call)
{
    range r = {INFINITY, 0};
    for (int k = 0; k < BR_PILE_COUNT * br_size_count; ++k) {
        const double ratio = (whole_call ? cost[k].call : cost[k].pivoting) / cost[k].gauss;
        if (br_sizes[k % br_size_count] >= 50 && (cost[k].pile != BR_STONES) == deficient) {
            r.low = fmin(r.low, ratio);
            r.high = fmax(r.high, ratio);
        }
    }
    return r;
}

static void claim_cost(const br_results *results, paper_claim *claim)
{
    const range piles = ratio_range(results->cost, 1, 0), stones = ratio_range(results->cost, 0, 0);
    const range call = ratio_range(results->cost, 1, 1);
    claim->claim =
        "Without friction it takes two to three times as long as solving A x = b by Gaussian "
        "elimination.";
    claim->paper = "2 to 3";
    snprintf(claim->ours, sizeof claim->ours,
             "n = 50 to 1000, beside LAPACK: %.1f to %.1f on walls and towers (the whole call: "
             "%.1f to %.1f), "
             "%.1f to %.1f on stones",
             piles.low, piles.high, call.low, call.high, stones.low, stones.high);
    claim->verdict =
        fmax(piles.high, stones.high) <= 3.05 ? "holds" : "does not hold on this machine";
}

static void claim_rank(const br_results *results, paper_claim *claim)
{
    double least = 1;
    int solved = 1;
    for (int k = 0; k < BR_PILE_COUNT * br_size_count; ++k) {
        least = fmin(least, (double)results->cost[k].rank / results->cost[k].n);
        solved = solved && results->cost[k].is_solved;
    }
    claim->claim = "A is often extremely rank deficient, and the matrices A_11 are never singular.";
    claim->paper = "-";
    snprintf(claim->ours, sizeof claim->ours,
             "rank down to %.2f n; rows that depend on clamped ones were never clamped; %s", least,
             solved ? "all solved to 1e-10" : "NOT all solved to 1e-10");
    claim->verdict = solved ? "holds" : "does not hold";
}

static void claim_pivots(const br_results *results, paper_claim *claim)
{
    double growth[BR_FRICTION_COUNT][2], most = 0;
    for (int k = 0; k < BR_PIVOT_ROWS; ++k) {
        const br_pivots *row = &results->pivots[k];
        most = fmax(most, (double)row->pivots / row->contacts);
    }
    for (int f = 0; f < BR_FRICTION_COUNT; ++f)
        for (int shaken = 0; shaken < 2; ++shaken)
            growth[f][shaken] = br_growth(results->pivots, BR_PIVOT_ROWS, (br_friction)f, shaken);
    claim->claim = "About O(n) calls of drive-to-zero, with and without friction.";
    claim->paper = "n^1";
    snprintf(claim->ours, sizeof claim->ours,
             "pivots grow as n^p, p at rest and shaken: %.2f and %.2f without friction, %.2f and "
             "%.2f in the "
             "plane, %.2f and %.2f in space; at most %.1f a contact",
             growth[BR_NONE][0], growth[BR_NONE][1], growth[BR_PLANE][0], growth[BR_PLANE][1],
             growth[BR_SPACE][0], growth[BR_SPACE][1], most);
    claim->verdict =
        growth[BR_SPACE][1] < 1.15 ? "holds" : "holds, but not in space with everything moving";
}

static void claim_static(const br_results *results, paper_claim *claim)
{
    int trials = 0, at_once = 0, solved = 0;
    for (int k = 0; k < BR_STATIC_ROWS; ++k) {
        trials += results->fixed[k].trials;
        at_once += results->fixed[k].at_once;
        solved += results->fixed[k].solved;
    }
    claim->claim = "Static friction was never seen to fail; no proof is known.";
    claim->paper = "no failure";
    snprintf(claim->ours, sizeof claim->ours,
             "of %d random problems with mu from 0.1 to 4 in the plane and in space, %d were "
             "solved from the first "
             "start and %d with fresh starts in another order",
             trials, at_once, solved);
    claim->verdict =
        solved == trials ? "holds, with fresh starts" : "holds, but for a few with large mu";
}

static void claim_dynamic(const br_results *results, paper_claim *claim)
{
    const br_trials *rows = results->sliding;
    claim->claim = "Dynamic friction may have no solution; that is met mostly where mu is "
                   "unrealistically large.";
    claim->paper = "-";
    int length = snprintf(claim->ours, sizeof claim->ours,
                          "unbounded steps in %d random problems:", rows[0].trials);
    for (int k = 0; k < BR_MUS && length > 0 && (size_t)length < sizeof claim->ours; ++k) {
        length += snprintf(claim->ours + length, sizeof claim->ours - (size_t)length,
                           "%s %d at mu = %g", k ? "," : "", rows[k].rays, rows[k].mu);
    }
    claim->verdict = "holds";
}

void br_check_claims(const br_results *results, paper_claim *claims)
{
    claim_cost(results, &claims[0]);
    claim_rank(results, &claims[1]);
    claim_pivots(results, &claims[2]);
    claim_static(results, &claims[3]);
    claim_dynamic(results, &claims[4]);
}
