/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Lemke's algorithm on the LCP view of a problem: LCP0 of [anitescu2004, section 5], and the method that
 * [trinkle1997, section 5] starts again with random covering vectors where it fails.
 *
 *     w = A z + b,   w_f = 0 on joints,   0 <= z perp w >= 0 elsewhere          (problem/lcp.h)
 *
 *   1. Scale the unknowns of each block (powers of two) so that the diagonal of A is about one.
 *   2. Pivot the joints out: w = S z + c on the pairs                              (problem/lcp_joints.h)
 *   3. Follow Lemke's path from the covering vector d = (1, .., 1) to z0 = 0       (lemke_path.h)
 *   4. On a ray, or lost to rounding, or out of pivots: again with a random d, lemke.restarts times.
 *   5. At z0 = 0: r = r0 + R z, two corrections of z from the true velocity of r, and the word of the measure.
 *
 *   here            [trinkle1997]             meaning
 *   A, b            M, r of (32)              the LCP, c and S the same without joints
 *   d, z0           covering vector           w = S z + c + d z0
 *   iteration       # iter.                   pivots, those of failed starts included
 *   start           # starts                  runs with different covering vectors
 *
 * For faceted and pyramid contacts and joints with a step that starts without penetration, A is copositive, and the
 * path ends at a solution in exact arithmetic [trinkle1997, Theorem 2].  Sliding contacts give no such promise.
 *
 * A secondary ray is handed back as result.ray.  With y its z, where y' S <= 0 and c' y < 0 no z >= 0 makes
 * S z + c >= 0: the problem has no solution, and the ray is the evidence.  A positive semidefinite S always leads
 * there when it has none [cottle1992, Theorem 4.4.12 and section 2.3]; a ray without this property proves nothing.
 *
 * Limits: matrices are dense, MOST_UNKNOWNS at most.  A coulomb contact in space is solved with lemke.facets
 * directions: the residual says how far that is from the cone, and the run ends as stalled.  A start other than zero is
 * tried as it is, but the path does not begin there.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "linalg/dense.h"
#include "problem/lcp.h"
#include "problem/lcp_joints.h"
#include "problem/views.h"
#include "solver/lemke_path.h"
#include "solver/method.h"

enum { MOST_UNKNOWNS = 12000, CORRECTIONS = 2 }; /* 12000: a matrix of 1.2 GB */

/* A ray proves that there is no solution where one would have to be this large, with numbers of about one. */
static const double OUT_OF_REACH = 1e11;

typedef struct workspace {
    mo_lcp lcp;
    const mo_sweep *sweep;
    mo_lcp_joints joints;
    mo_lemke_path path;
    double *A, *b, *scale; /* of all unknowns, scaled: z = size scale z' */
    double *S, *c, size;   /* of the pairs */
    double *cover, *lift;  /* d and p of the path */
    double *z, *w, *dz;    /* all unknowns */
    double *v;
    int restart, iteration;
    int reached_end; /* a start ended at z0 = 0, yet the measure is not content */
} workspace;

static mo_error check(const mo_problem *problem, const mo_options *options, mo_message *why)
{
    mo_arena counting = {NULL, 0};
    mo_lcp lcp;
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!mo_lcp_takes(problem, i)) {
            return mo_fail(why, MO_ERR_UNSUPPORTED,
                           "method lemke does not take the infinite mu of constraint %d", i);
        }
    }
    mo_lcp_layout(problem, MO_LCP_EXACT, options->lemke.facets, &counting, &lcp);
    if (lcp.size > MOST_UNKNOWNS) {
        return mo_fail(why, MO_ERR_UNSUPPORTED,
                       "method lemke takes %d unknowns at most, but this problem has %d of them",
                       MOST_UNKNOWNS, lcp.size);
    }
    return MO_OK;
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    workspace *taken = MO_TAKE(arena, 1, workspace), w = {0};
    size_t fill = 0;
    mo_lcp_layout(problem, MO_LCP_EXACT, options->lemke.facets, arena, &w.lcp);
    mo_error error = mo_problem_sweep(problem, MO_SWEEP_NATURAL, &w.sweep);
    error = error ? error : mo_lcp_fill(&w.lcp, &fill);
    if (error) {
        return error;
    }
    const size_t all = (size_t)w.lcp.size;
    const int pairs = w.lcp.size - w.lcp.free_count;
    mo_lcp_joints_layout(w.lcp.free_count, pairs, arena, &w.joints);
    mo_lemke_layout(pairs, fill, arena, &w.path);
    w.A = MO_TAKE(arena, all * all, double);
    w.S = w.lcp.free_count ? MO_TAKE(arena, (size_t)pairs * (size_t)pairs, double) : w.A;
    w.b = MO_TAKE(arena, all, double);
    w.scale = MO_TAKE(arena, all, double);
    w.z = MO_TAKE(arena, all, double);
    w.w = MO_TAKE(arena, all, double);
    w.dz = MO_TAKE(arena, all, double);
    w.c = MO_TAKE(arena, pairs, double);
    w.cover = MO_TAKE(arena, pairs, double);
    w.lift = MO_TAKE(arena, pairs, double);
    w.v = MO_TAKE(arena, problem->dof_count, double);
    if (taken) {
        *taken = w;
    }
    *out = taken;
    return MO_OK;
}

/* ---- the LCP ------------------------------------------------------------------------------- */

/* The power of two next to 1 / sqrt(x). */
static double scale_for(double x)
{
    int exponent;
    if (!(x > 0) || !isfinite(x)) {
        return 1;
    }
    frexp(x, &exponent);
    return ldexp(1, -exponent / 2);
}

/* One scale for the impulses of a block, by the mean of their diagonal; speeds have its inverse. */
static void choose_scales(workspace *w)
{
    const mo_lcp *lcp = &w->lcp;
    const size_t next = (size_t)lcp->size + 1; /* from one diagonal entry to the next */
    for (int k = 0; k < lcp->free_count; ++k) {
        w->scale[k] = scale_for(w->A[(size_t)k * next]);
    }
    for (int i = 0; i < lcp->problem->constraint_count; ++i) {
        double sum = 0;
        int count = 0;
        for (int k = lcp->pair_start[i]; k < lcp->pair_start[i + 1]; ++k) {
            const double diagonal = w->A[(size_t)k * next];
            if (lcp->unknown[k].rows > 0 && diagonal > 0) {
                sum += diagonal;
                ++count;
            }
        }
        const double scale = scale_for(count ? sum / count : 0);
        for (int k = lcp->pair_start[i]; k < lcp->pair_start[i + 1]; ++k) {
            w->scale[k] = lcp->unknown[k].rows > 0 ? scale : 1 / scale;
        }
    }
}

static void apply_scales(workspace *w)
{
    const int n = w->lcp.size;
    for (int i = 0; i < n; ++i) {
        double *line = w->A + (size_t)i * n;
        for (int j = 0; j < n; ++j) {
            line[j] *= w->scale[i] * w->scale[j];
        }
        w->b[i] *= w->scale[i];
    }
}

/* A, b, S and c; c with its largest number between one and two. */
static void prepare(mo_run *run, workspace *w)
{
    const int pairs = w->joints.pairs;
    mo_lcp_matrix(&w->lcp, w->sweep, w->A);
    mo_lcp_vector(&w->lcp, w->v, run->u, w->b);
    choose_scales(w);
    apply_scales(w);
    if (w->lcp.free_count) {
        mo_lcp_joints_eliminate(&w->joints, w->A, w->b, w->S, w->c);
    } else {
        memcpy(w->c, w->b, (size_t)pairs * sizeof *w->c);
    }
    double most = 0;
    for (int k = 0; k < pairs; ++k) {
        most = fmax(most, fabs(w->c[k]));
    }
    const double root = scale_for(most);
    w->size = 1 / (root * root);
    for (int k = 0; k < pairs; ++k) {
        w->c[k] /= w->size;
    }
    for (int k = 0; k < w->joints.rank; ++k) {
        w->joints.y[k] /= w->size;
    }
    mo_lemke_load(&w->path, w->S);
}

/* Ones in the first start, then random numbers; those that break ties are random always. */
static void choose_vectors(const mo_run *run, workspace *w)
{
    mo_random random = {(uint64_t)run->options->lemke.seed * UINT64_C(1000003) + (uint64_t)w->restart};
    for (int k = 0; k < w->joints.pairs; ++k) {
        const double draw = mo_random_unit(&random);
        w->cover[k] = w->restart ? 0.1 + draw : 1;
        w->lift[k] = 1 + mo_random_unit(&random);
    }
}

/* ---- back to impulses ---------------------------------------------------------------------- */

/* run->r and run->u of z, which is scaled; its pairs are in place, its joints follow from them. */
static void set_impulse(mo_run *run, workspace *w)
{
    for (int k = 0; k < w->lcp.size; ++k) {
        w->dz[k] = w->size * w->scale[k] * w->z[k];
    }
    mo_lcp_impulse(&w->lcp, w->dz, run->r);
    mo_problem_response_into(run->problem, run->r, w->v, run->u);
}

static void set_point(mo_run *run, workspace *w)
{
    double *pairs = w->z + w->lcp.free_count;
    mo_lemke_point(&w->path, pairs);
    mo_lcp_joints_recover(&w->joints, pairs, w->z);
    set_impulse(run, w);
}

/* One correction: the w that the true velocity leaves on joints and on basic z is made to vanish. */
static void correct(mo_run *run, workspace *w)
{
    const int joints = w->lcp.free_count, all = w->lcp.size;
    mo_lcp_slack(&w->lcp, w->dz, run->r, run->u, w->w); /* dz still holds z in the units of the problem */
    for (int k = 0; k < all; ++k) {
        w->w[k] *= w->scale[k] / w->size;
    }
    mo_lcp_joints_forward(&w->joints, w->w, w->w + joints);
    mo_lemke_correct(&w->path, w->w + joints, w->dz + joints);
    mo_lcp_joints_backward(&w->joints, w->w, w->dz + joints, w->dz);
    for (int k = 0; k < all; ++k) {
        w->z[k] += w->dz[k];
        w->z[k] = k < joints || w->z[k] > 0 ? w->z[k] : 0;
    }
    set_impulse(run, w);
}

/* At z0 = 0: is it a solution of the problem? */
static int confirm(mo_run *run, workspace *w)
{
    set_point(run, w);
    for (int k = 0; k <= CORRECTIONS; ++k) {
        if (mo_run_check(run, w->iteration, run->u, run->r)) {
            return 1;
        }
        if (k < CORRECTIONS) {
            correct(run, w);
        }
    }
    return 0;
}

/* ---- rays ---------------------------------------------------------------------------------- */

/* y' S <= 0 and c' y < 0, to rounding: a solution z would need |z| >= -c' y / max (y' S). */
static int proves_no_solution(workspace *w, const double *y)
{
    const int n = w->joints.pairs;
    double *image = w->w, driven = 0, most = 0;
    memset(image, 0, (size_t)n * sizeof *image);
    for (int i = 0; i < n; ++i) {
        driven -= w->c[i] * y[i];
        if (y[i] < 0) {
            return 0;
        }
        if (y[i] > 0) {
            mo_axpy(n, y[i], w->S + (size_t)i * n, image);
        }
    }
    for (int k = 0; k < n; ++k) {
        most = fmax(most, image[k]);
    }
    return w->joints.rank == w->joints.count && !w->lcp.uses_facets && driven > 0 &&
           most * OUT_OF_REACH <= driven;
}

/* Keeps the ray of the first start that ended on one; true where it settles the matter. */
static int keep_ray(mo_run *run, workspace *w)
{
    double *pairs = w->z + w->lcp.free_count, z0;
    mo_lemke_ray(&w->path, pairs, &z0);
    const int proves = z0 == 0 && proves_no_solution(w, pairs);
    if (!run->result->ray || proves) {
        mo_lcp_joints_backward(&w->joints, NULL, pairs, w->z);
        for (int k = 0; k < w->lcp.size; ++k) {
            w->dz[k] = w->scale[k] * w->z[k];
        }
        mo_lcp_ray(&w->lcp, w->dz, run->r);
        mo_run_keep_ray(run, run->r);
    }
    return proves;
}

/* ---- the method ---------------------------------------------------------------------------- */

/* Pivots between two looks at the residual: a look costs about as much as a pivot with 256 unknowns. */
static int is_due(const workspace *w)
{
    return w->iteration % (1 + w->joints.pairs / 256) == 0;
}

typedef enum outcome { SOLVED, REFUTED, MUST_STOP, TRY_AGAIN } outcome;

/* What the end of a path means. */
static outcome judge(mo_run *run, workspace *w, mo_lemke_state state)
{
    if (state == MO_LEMKE_SOLVED) {
        w->reached_end = 1;
        return confirm(run, w) ? SOLVED : TRY_AGAIN;
    }
    return state == MO_LEMKE_RAY && keep_ray(run, w) ? REFUTED : TRY_AGAIN;
}

/* One start: the path from z0 = infinity to its end. */
static outcome follow_path(mo_run *run, workspace *w)
{
    const int most = run->options->lemke.pivots ? run->options->lemke.pivots : 200 + 20 * w->joints.pairs;
    const int first = w->iteration;
    choose_vectors(run, w);
    mo_lemke_state state = mo_lemke_start(&w->path, w->c, w->cover, w->lift);
    for (++w->iteration; state == MO_LEMKE_MOVING; ++w->iteration) {
        if (is_due(w)) {
            set_point(run, w);
            if (mo_run_check(run, w->iteration, run->u, run->r)) {
                return SOLVED;
            }
        }
        if (mo_run_must_stop(run, w->iteration)) {
            return MUST_STOP;
        }
        if (w->iteration - first >= most) {
            return TRY_AGAIN;
        }
        state = mo_lemke_pivot(&w->path);
    }
    return judge(run, w, state);
}

static mo_status give_up(mo_run *run, const workspace *w)
{
    if (w->reached_end && w->lcp.uses_facets) {
        return mo_run_stall(run, "solved with %d facets for each cone, which leaves this residual on the true "
                                 "cone", run->options->lemke.facets);
    }
    if (w->reached_end) {
        return mo_run_stall(run, "the path ended at a complementary point in start %d, yet rounding keeps its "
                                 "residual above tol", w->restart);
    }
    if (run->result->ray) {
        return mo_run_stall(run, "none of %d starts led to a solution; one of them ended on a ray, which proves "
                                 "nothing here", w->restart);
    }
    return mo_run_stall(run, "none of %d starts led to a solution within its pivots", w->restart);
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    mo_problem_response_into(run->problem, run->r, w->v, run->u);
    if (mo_run_check(run, 0, run->u, run->r)) {
        return MO_SOLVED;
    }
    if (mo_run_must_stop(run, 0)) {
        return run->status;
    }
    prepare(run, w);
    for (w->restart = 0; w->restart <= run->options->lemke.restarts; ++w->restart) {
        switch (follow_path(run, w)) {
        case SOLVED:
            return MO_SOLVED;
        case MUST_STOP:
            return run->status;
        case REFUTED:
            mo_say(&run->result->message, "no impulse meets all inequalities: the ray in the result shows it");
            return MO_NO_SOLUTION;
        case TRY_AGAIN:
            break;
        }
        if (w->reached_end && w->lcp.uses_facets) {
            break; /* another path leads to another solution of the facets, which is not what is missing */
        }
        if (mo_run_must_stop(run, w->iteration)) {
            return run->status;
        }
    }
    return give_up(run, w);
}

#define POLYHEDRAL                                                                                 \
    (MO_LAW_BIT(MO_LAW_FRICTIONLESS) | MO_LAW_BIT(MO_LAW_BILATERAL) | MO_LAW_BIT(MO_LAW_BOX) |     \
     MO_LAW_BIT(MO_LAW_FACETED) | MO_LAW_BIT(MO_LAW_PYRAMID) | MO_LAW_BIT(MO_LAW_SLIDING))

const mo_method mo_lemke_method = {
    .name = "lemke",
    .summary = "Lemke's pivoting on facets, with restarts; for polyhedral laws, a few thousand unknowns",
    .paper = "trinkle1997",
    .laws = POLYHEDRAL | MO_LAW_BIT(MO_LAW_COULOMB),
    .by_facets = MO_LAW_BIT(MO_LAW_COULOMB),
    .check = check,
    .layout = layout,
    .solve = solve,
};
