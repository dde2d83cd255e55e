/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Lemke's algorithm on the LCP view: LCP0 of [anitescu2004, section 5] with the restarts of
 * [trinkle1997, section 5]; see docs/methods/lemke.md.
 *
 *     w = A z + b,   w_f = 0 on joints,   0 <= z perp w >= 0 elsewhere          (problem/lcp.h)
 *
 *   1. scale each block by powers of two, and eliminate the joints: w = S z + c
 *   2. follow the path from a covering vector d, w = S z + c + d z0, to z0 = 0 (lemke_path.h);
 *      after a failure restart with a random d, or through regularised problems (lemke_follow.c)
 *   3. at z0 = 0: r = r0 + R z, two corrections of z from the velocity of r, and the measure
 *
 * The path provably ends at a solution if A is copositive [anitescu2004, section 2.2] or mu small
 * [trinkle1997, Theorem 2].  A secondary ray y with y' S <= 0 and c' y < 0 proves that no solution
 * exists [cottle1992, Theorem 4.4.12, section 2.3].
 * Limits: dense S, MOST_UNKNOWNS rows; lemke.facets directions in space; no warm start.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "solver/lemke.h"

enum { START_AUTO, START_COVER, START_RELAXED };
enum { FEW = 256 };             /* unknowns up to which covering vectors come first */
enum { MOST_UNKNOWNS = 12000 }; /* a matrix of 1.2 GB */

enum { CORRECTIONS = 2 };

/* A ray is a proof if a solution would have to be this large, in units of about one. */
static const double OUT_OF_REACH = 1e11;

static mo_error check(const mo_problem *problem, const mo_options *options, mo_message *why)
{
    return mo_lcp_check(problem, options->lemke.facets, MOST_UNKNOWNS, "lemke", why);
}

/* Pairs in the order in which W is best eliminated, contact by contact. */
static void choose_order(const mo_lcp_system *s, int *order)
{
    const mo_lcp *lcp = &s->lcp;
    int count = 0;
    for (int k = 0; k < lcp->problem->constraint_count; ++k) {
        /* joints couple all rows, so no order is better */
        const int i = lcp->free_count ? k : s->space->plan->node_block[k];
        for (int j = lcp->pair_start[i]; j < lcp->pair_start[i + 1]; ++j)
            order[count++] = j - lcp->free_count;
    }
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    mo_lemke_work *w = MO_HEAD(arena, mo_lemke_work);
    *w = (mo_lemke_work){0};
    *out = w;
    MO_TRY(mo_lcp_system_layout(problem, options->lemke.facets, arena, &w->system));
    const mo_lcp_system *s = &w->system;
    const size_t fill = mo_lcp_fill(&s->lcp, s->space->W);
    const int pairs = s->n;
    mo_lcp_layout(problem, MO_LCP_RELAXED, options->lemke.facets, arena, &w->relaxed);
    mo_lemke_layout(pairs, fill, arena, &w->path);
    mo_lemke_family_layout(pairs, fill, arena, &w->family);
    MO_TAKE_EACH(arena, pairs, double, &w->cover, &w->lift, &w->kept_value, &w->centre);
    w->kept_basic = MO_TAKE(arena, pairs, int);
    w->family.exact = &w->system.lcp;
    w->family.relaxed = &w->relaxed;
    w->family.path = &w->path;
    if (arena->base) choose_order(&w->system, w->path.order);
    return MO_OK;
}

/* ---- the LCP --------------------------------------------------------------------------------- */

/* From the problem to the family of LCPs. */
static void prepare(mo_run *run, mo_lemke_work *work)
{
    const size_t pairs = (size_t)work->system.n;
    double *S_R = mo_inverse_scratch(&work->path.inverse), *c_R = work->lift,
           most = 0; /* not in use yet */
    mo_lcp_system *s = &work->system;
    mo_lcp_system_assemble(run, s, &work->relaxed, MO_SCALES_POWERS); /* its diagonal is positive */
    if (pairs > 0) {
        memcpy(S_R, s->S, pairs * pairs * sizeof *S_R);
        memcpy(c_R, s->c, pairs * sizeof *c_R);
    }
    mo_lcp_system_assemble(run, s, &s->lcp, MO_SCALES_KEPT);
    for (size_t k = 0; k < pairs; ++k)
        most = fmax(most, fabs(s->c[k]));
    const double root = mo_lcp_scale_for(most, 1);
    mo_lcp_system_resize(s, 1 / (root * root));
    for (size_t k = 0; k < pairs; ++k)
        c_R[k] /= s->size;
    mo_lemke_family_load(&work->family, work->system.S, work->system.c, S_R, c_R);
}

/* ---- back to impulses ------------------------------------------------------------------------ */

int mo_lemke_check(mo_run *run, mo_lemke_work *work)
{
    double *pairs = work->system.w; /* not in use */
    mo_lemke_point(&work->path, pairs);
    mo_lcp_system_put(run, &work->system, pairs);
    return mo_run_check(run, work->iteration, run->u, run->r);
}

/* The w that the true velocity leaves on joints and on basic z is made to vanish. */
static void correct(mo_run *run, mo_lemke_work *work)
{
    mo_lcp_system *s = &work->system;
    double *change = s->dz + s->lcp.free_count;
    mo_lcp_system_slack(run, s);
    mo_lemke_correct(&work->path, s->w + s->lcp.free_count, change);
    mo_lcp_system_move(run, s, change);
}

/* Measures a solution of the problem's own LCP, with two corrections for rounding. */
static mo_lemke_outcome confirm(mo_run *run, mo_lemke_work *work)
{
    int solved = mo_lemke_check(run, work);
    work->reached_end = 1;
    for (int k = 0; k < CORRECTIONS && !solved; ++k) {
        if (mo_run_must_stop(run, work->iteration)) return MO_LEMKE_STOP;
        correct(run, work);
        solved = mo_run_check(run, work->iteration, run->u, run->r);
    }
    return solved ? MO_LEMKE_CONFIRMED : MO_LEMKE_FAILED;
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* y' S <= 0 and c' y < 0, to rounding: a solution z would need |z| >= -c' y / max (y' S). */
static int proves_no_solution(const mo_lemke_work *work, const double *y)
{
    const mo_lemke_path *path = &work->path;
    double driven = 0, most = 0;
    for (int j = 0; j < path->n; ++j) {
        double image = 0;
        for (int k = path->column_start[j]; k < path->column_start[j + 1]; ++k)
            image += path->entry[k] * y[path->row_of[k]];
        most = fmax(most, image);
        driven -= work->system.c[j] * y[j];
        if (y[j] < 0) return 0;
    }
    return mo_lcp_system_is_exact(&work->system) && driven > 0 && most * OUT_OF_REACH <= driven;
}

/* After a ray: keeps the first one, or one that proves that there is no solution (true). */
static int judge_ray(mo_run *run, mo_lemke_work *work)
{
    double *pairs = work->system.w; /* not in use */
    mo_lemke_ray(&work->path, pairs);
    const int proves = proves_no_solution(work, pairs);
    if (!run->result->ray || proves) mo_lcp_system_keep_ray(run, &work->system, pairs);
    return proves;
}

/* ---- starts ---------------------------------------------------------------------------------- */

static mo_random random_of(const mo_run *run, const mo_lemke_work *work)
{
    return (mo_random){(uint64_t)run->options->lemke.seed * UINT64_C(1000003) +
                       (uint64_t)work->restart};
}

/* The vector that breaks ties is random; the cover is one in the first start of each kind. */
void mo_lemke_choose_vectors(const mo_run *run, mo_lemke_work *work)
{
    mo_random random = random_of(run, work);
    for (int k = 0; k < work->system.n; ++k) {
        const double draw = mo_random_unit(&random);
        work->cover[k] = work->covers > 1 || work->relaxations > 1 ? 0.1 + draw : 1;
        work->lift[k] = 1 + mo_random_unit(&random);
    }
}

int mo_lemke_most_pivots(const mo_run *run, const mo_lemke_work *work)
{
    return run->options->lemke.pivots ? run->options->lemke.pivots : 200 + 20 * work->system.n;
}

/* Pivots between two residual checks: a check costs about as much as a pivot with 256 unknowns. */
static int is_due(const mo_lemke_work *work)
{
    return work->iteration % (1 + work->system.n / 256) == 0;
}

mo_lemke_outcome mo_lemke_follow(mo_run *run, mo_lemke_work *work, int most, mo_lemke_state *state)
{
    const int first = work->iteration;
    for (++work->iteration; *state == MO_LEMKE_MOVING; ++work->iteration) {
        if (is_due(work) && mo_lemke_check(run, work)) return MO_LEMKE_CONFIRMED;
        if (mo_run_must_stop(run, work->iteration)) return MO_LEMKE_STOP;
        if (work->iteration - first >= most) return MO_LEMKE_FAILED;
        *state = mo_lemke_pivot(&work->path);
    }
    return mo_run_must_stop(run, work->iteration) ? MO_LEMKE_STOP : MO_LEMKE_FAILED;
}

/* From a covering vector. */
static mo_lemke_outcome start_covered(mo_run *run, mo_lemke_work *work)
{
    mo_lemke_family_choose(&work->family, 0, 0, work->centre, work->system.c);
    mo_lemke_choose_vectors(run, work);
    mo_lemke_state state = mo_lemke_start(&work->path, work->system.c, work->cover, work->lift);
    const mo_lemke_outcome found =
        mo_lemke_follow(run, work, mo_lemke_most_pivots(run, work), &state);
    if (found != MO_LEMKE_FAILED) return found;
    if (state == MO_LEMKE_SOLVED) return confirm(run, work);
    return state == MO_LEMKE_RAY && judge_ray(run, work) ? MO_LEMKE_REFUTED : MO_LEMKE_FAILED;
}

/* Does this start use regularised problems? Few unknowns: alternating with covering vectors,
 * which come first; many: three times, then alternating. */
static int is_relaxed(const mo_run *run, const mo_lemke_work *work)
{
    const int choice = run->options->lemke.start, k = work->restart;
    const int many = choice == START_RELAXED || work->system.n > FEW;
    return work->family.has_friction && choice != START_COVER &&
           (many ? k < 3 || k % 2 == 0 : k % 2);
}

/* A good rate for reducing the softness is not known beforehand: see lemke_follow.c. */
static double choose_factor(const mo_run *run, const mo_lemke_work *work)
{
    static const double first[] = {0.5, 0.4, 0.3};
    mo_random random = random_of(run, work);
    const double drawn = 0.2 + 0.5 * mo_random_unit(&random);
    return work->relaxations < 3 ? first[work->relaxations] : drawn;
}

static mo_lemke_outcome start(mo_run *run, mo_lemke_work *work)
{
    if (is_relaxed(run, work)) {
        const double factor = choose_factor(run, work);
        ++work->relaxations;
        return mo_lemke_start_relaxed(run, work, factor);
    }
    ++work->covers;
    return start_covered(run, work);
}

/* ---- the method ------------------------------------------------------------------------------ */

static mo_status give_up(mo_run *run, const mo_lemke_work *work)
{
    if (work->reached_end) return mo_lcp_system_stall(run, &work->system);
    if (run->result->ray) {
        return mo_run_stall(
            run,
            "none of %d starts led to a solution; one ended on a ray, which is not a proof here",
            work->restart);
    }
    return mo_run_stall(run, "no start of %d reached a solution within the limit of pivots",
                        work->restart);
}

static mo_status solve(mo_run *run, void *memory)
{
    mo_lemke_work *work = memory;
    if (mo_run_ends_at_start(run, work->system.v)) return run->status;
    prepare(run, work);
    for (work->restart = 0; work->restart <= run->options->lemke.restarts; ++work->restart) {
        switch (start(run, work)) {
        case MO_LEMKE_CONFIRMED:
            return MO_SOLVED;
        case MO_LEMKE_STOP:
            return run->status;
        case MO_LEMKE_REFUTED:
            mo_say(&run->result->message,
                   "no impulse meets all inequalities: the ray in the result shows it");
            return MO_NO_SOLUTION;
        case MO_LEMKE_FAILED:
            break;
        }
        if (mo_run_must_stop(run, work->iteration)) return run->status;
        if (work->reached_end && work->system.lcp.uses_facets)
            break; /* another solution of the facets would not help */
    }
    return give_up(run, work);
}

const mo_method mo_lemke_method = {
    .name = "lemke",
    .summary =
        "Lemke's pivoting on facets, with restarts; for polyhedral laws, a few thousand unknowns",
    .paper = "trinkle1997",
    .uses_blas = 1,
    .laws = MO_POLYHEDRAL_LAWS | MO_LAW_BIT(MO_LAW_COULOMB),
    .by_facets = MO_LAW_BIT(MO_LAW_COULOMB),
    .check = check,
    .layout = layout,
    .solve = solve,
};
