/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Dantzig's algorithm with Baraff's friction [baraff1994]; see docs/methods/dantzig.md.
 *
 * The paper's forces and accelerations, a = A f + b (1), are read as impulses and velocities.
 *
 *   here             paper            meaning
 *   A, f, a; q       A, f, a; b       W + compliance, r, u + compliance r; q; scaled (dantzig.h)
 *   CLAMPED, FROZEN  C, C_F           a = 0 is kept; FROZEN rows depend on the clamped ones
 *   LOWER, UPPER     NC, NC-; NC+, NC_F   f at its bound: zero, -mu f_N or mu f_N
 *   IDLE; tie        -; +-mu          in no set; friction at a bound follows its normal force
 *   df, da           Delta f, Delta a the direction
 *
 * The main loop picks a row that violates its conditions (dantzig_pick.c) and drives it until they
 * hold (dantzig_drive.c).  Contacts in space (5.6) end with Newton steps.
 * Limits: two dense matrices of all rows; no proof of termination with friction, so each start has
 * a limit on pivots.  A pivot costs O(k^2) for k clamped rows.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solver/dantzig.h"

enum { LARGEST = 6000 }; /* rows: 288 MB a matrix */

static mo_error check(const mo_problem *problem, const mo_options *options, mo_message *why)
{
    (void)options;
    MO_FAIL_IF(problem->row_count > LARGEST,
               mo_fail(why, MO_ERR_UNSUPPORTED,
                       "method dantzig uses dense matrices and accepts at most %d rows, not %d",
                       LARGEST, problem->row_count));
    return MO_OK;
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    mo_dantzig *z = MO_HEAD(arena, mo_dantzig);
    *out = z;
    return mo_dantzig_layout(problem, options, arena, z);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* u of r: by W, or as the measure computes it if the tolerance is below the rounding of W. */
static void find_velocity(const mo_dantzig *z, const double *r, double *u)
{
    const double *compliance = z->problem->compliance;
    if (z->options->tol < 1e-13) {
        mo_problem_response_into(z->problem, r, z->v, u);
        return;
    }
    mo_dantzig_velocity(z, r, u);
    for (int i = 0; compliance && i < z->n; ++i)
        u[i] -= compliance[i] * r[i];
}

static int measure(mo_dantzig *z)
{
    mo_run *run = z->run;
    mo_dantzig_unscale(z, z->f, run->r);
    find_velocity(z, run->r, run->u);
    if (!mo_run_check(run, z->pivots, run->u, run->r)) return 0;
    run->status = MO_SOLVED;
    return 1;
}

/* Only the final iterate is accurate; others are measured rarely, to keep a best one. */
int mo_dantzig_tick(mo_dantzig *z)
{
    ++z->pivots;
    if (z->pivots >= z->next_check || z->pivots >= z->options->max_iter) {
        z->next_check = 4 * (z->pivots + 1);
        if (measure(z)) return 1;
    }
    return mo_run_must_stop(z->run, z->pivots);
}

/* ---- compute-forces -------------------------------------------------------------------------- */

typedef enum ending {
    END_ALL_HOLD, /* no condition fails */
    END_STUCK,    /* the factor is lost, or the budget is spent */
    END_RAY,      /* an unbounded step */
    END_STOPPED   /* see run->status */
} ending;

/* All conditions seem to hold: solves for the forces again, and verifies. */
static int all_hold(mo_dantzig *z)
{
    return mo_dantzig_solve_sets(z, 0) && !mo_dantzig_give_up_failures(z) && mo_dantzig_pick(z) < 0;
}

/*
 * An unbounded step.  Without friction it ends the run.  With friction the row is skipped until
 * another row has been driven; the run ends if none can be, or after too many such steps.
 */
static int meet_ray(mo_dantzig *z, int d, int *rays)
{
    enum { RAYS = 20 };
    mo_dantzig_unscale(z, z->df, z->ray);
    z->has_ray = 1;
    z->skipped = d;
    return z->factor.is_symmetric || ++*rays > RAYS || mo_dantzig_pick(z) < 0;
}

static ending compute_forces(mo_dantzig *z)
{
    enum { REPAIRS = 5, FRESH = 256 };
    const int budget = z->pivots + 100 + 30 * z->n;
    int repairs = 0, rays = 0, fresh = z->pivots;
    while (!z->broken && z->pivots <= budget) {
        const int d = mo_dantzig_pick(z);
        if (d < 0) {
            if (all_hold(z)) return END_ALL_HOLD;
            if (++repairs > REPAIRS) return END_STUCK;
            continue;
        }
        const mo_drive_end end = mo_dantzig_drive(z, d);
        if (end == MO_DRIVE_STOPPED) return END_STOPPED;
        if (end == MO_DRIVE_RAY) {
            if (meet_ray(z, d, &rays)) return END_RAY;
            continue;
        }
        z->skipped = -1;
        if (z->pivots - fresh >= FRESH) { /* without the rounding of the updates */
            mo_dantzig_solve_sets(z, 0);
            fresh = z->pivots;
        }
    }
    return END_STUCK;
}

/* ---- contacts in space ----------------------------------------------------------------------- */

/*
 * From the paper's friction to Coulomb's law.  [baraff1994, section 5.6] keeps the direction that a
 * friction force had when it reached its disc, and requires only that it opposes the motion in part
 * (21): modes are mostly right, directions are not.  Newton steps finish (newton_step.h), their
 * matrix regularised by eps, more so after a step without progress.  True if the run ends.
 */
static int polish(mo_dantzig *z)
{
    enum { HALVINGS = 12 };
    const double least = 1e-6, most = 1; /* of eps */
    double *r = z->df, *kept = z->da, eps = least;
    mo_dantzig_unscale(z, z->f, r);
    mo_newton_begin(&z->newton, eps);
    double merit = mo_newton_evaluate(&z->newton, r);
    for (int k = 0; k < z->options->dantzig.polish && eps <= most; ++k) {
        const double before = merit;
        memcpy(kept, r, (size_t)z->n * sizeof *r);
        z->newton.eps = eps;
        if (mo_newton_find_step(&z->newton, r))
            merit = mo_newton_take_step(&z->newton, before, HALVINGS, r);
        if (merit < before) {
            eps = mo_larger(eps / 10, least);
        } else {
            eps *= 100;
            memcpy(r, kept, (size_t)z->n * sizeof *r);
            merit = mo_newton_evaluate(&z->newton, r);
        }
        mo_dantzig_import(z, r);
        mo_dantzig_refresh(z);
        z->next_check = 0;
        if (mo_dantzig_tick(z)) return 1;
    }
    return 0;
}

/* ---- endings --------------------------------------------------------------------------------- */

/* Does the direction prove that there is no solution?  A df = 0 and b'df < 0, without friction. */
static int is_proof(const mo_dantzig *z)
{
    double largest = 0, response = 0, gain = 0;
    if (!z->factor.is_symmetric) return 0;
    for (int i = 0; i < z->n; ++i) {
        largest = mo_larger(largest, fabs(z->df[i]));
        response = mo_larger(response, fabs(z->da[i]));
        gain += z->q[i] * z->df[i];
    }
    return response <= MO_DANTZIG_NOISE * largest && gain < -1e-6 * z->unit * largest;
}

static mo_status end_without_solution(mo_dantzig *z)
{
    mo_run_keep_ray(z->run, z->ray);
    mo_say(&z->run->result->message,
           "there is no solution: the ray z in the result has W z = 0 and q'z < 0");
    return MO_NO_SOLUTION;
}

/* If every condition holds, the remaining error is rounding (in space: if it is small enough). */
static int is_exact(const mo_dantzig *z)
{
    return !z->has_discs || z->run->best <= 1e-13 * z->run->q_scale;
}

static mo_status end_stalled(mo_dantzig *z, int all_held)
{
    mo_run *run = z->run;
    if (all_held && is_exact(z)) {
        return mo_run_stall(run,
                            "every condition holds to rounding, but the residual is above tol");
    }
    if (z->has_ray) {
        mo_run_keep_ray(run, z->ray);
        return mo_run_stall(run, "the forces are unbounded along the ray in the result: an "
                                 "impulse in this direction causes no motion");
    }
    return mo_run_stall(run, "not finished after %d starts and %d skipped rows", z->starts,
                        z->give_ups);
}

static void start(mo_dantzig *z, int is_warm)
{
    ++z->starts;
    if (is_warm && z->starts == 1)
        mo_dantzig_adopt(z);
    else
        mo_dantzig_begin(z);
}

static mo_status solve(mo_run *run, void *memory)
{
    mo_dantzig *z = memory;
    const int is_warm = !mo_run_is_zero(run->r, z->n);
    int all_held = 0;
    z->run = run;
    z->random = (mo_random){1};
    z->next_check = 4;
    mo_dantzig_import(z, run->r);
    mo_dantzig_refresh(z);
    if (measure(z)) return MO_SOLVED;
    if (mo_run_must_stop(run, 0)) return run->status;
    while (z->starts <= z->options->dantzig.restarts && !(all_held && is_exact(z))) {
        start(z, is_warm);
        const ending end = compute_forces(z);
        all_held = end == END_ALL_HOLD;
        if (end == END_STOPPED || measure(z) || mo_run_must_stop(run, z->pivots))
            return run->status;
        if (end == END_RAY && is_proof(z)) return end_without_solution(z);
        if (end != END_RAY && !is_exact(z) && polish(z)) return run->status;
    }
    return end_stalled(z, all_held);
}

const mo_method mo_dantzig_method = {
    .name = "dantzig",
    .summary =
        "Dantzig's pivoting with Baraff's friction: contacts are resolved one after the other",
    .paper = "baraff1994",
    .uses_blas = 1,
    .laws = MO_LAW_BIT(MO_LAW_COULOMB) | MO_LAW_BIT(MO_LAW_FRICTIONLESS) |
            MO_LAW_BIT(MO_LAW_BILATERAL) | MO_LAW_BIT(MO_LAW_BOX) | MO_LAW_BIT(MO_LAW_PYRAMID) |
            MO_LAW_BIT(MO_LAW_SLIDING),
    .check = check,
    .layout = layout,
    .solve = solve,
};
