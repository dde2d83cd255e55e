/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The default method: runs one method after the other until one has solved the problem.
 *
 * The problem is passed along mo_ladder: each rung is a method with a limit on iterations, used if
 * its predicate holds for the facts.  The first rungs apply to the whole problem; it is then split
 * into islands, which continue independently.
 *
 *   facts    mo_facts: counts, laws, and the costs of a factorisation and of a sweep in operations
 *   budgets  iterations, never seconds: the result is the same in every run
 *
 * Limits: an island of more than LARGE constraints, or with factors above HEAVY operations, has
 * first-order convergence only.
 */
#include "solver/auto.h"

#include <math.h>

#include "problem/delassus.h"
#include "problem/dense_delassus.h"
#include "problem/views.h"

enum {
    LARGE = 20000, /* constraints: no factorisation is planned for more */
    MORE = 5000,   /* constraints: sweeps alone to a coarse tolerance */
    ROUGHLY = 600, /* sweeps to a rough tolerance, which the path meets in about 15 steps */
    FEW = 10,      /* sweeps before the first factorisation */
    NEAR_STEPS = 3,
    FEW_STEPS = 15,  /* sweeps and Newton steps before pivoting */
    SLICE = 40,      /* long sweeps come in slices of this many, twice as many, ... */
    PATH = 2000,     /* iterations of methods that are then given up */
    AFFORDED = 5000, /* sweeps at most that factorisations are put off for */
    MORE_SWEEPS = 20 /* at most, before `newton` is tried again on a problem without a start */
};
static const double COARSE = 1e-5; /* a tolerance that sweeps, as a rule, reach before Newton */
static const double ROUGH = 1e-3;  /* tolerance from which on the path is shorter than sweeps */
static const double NEAR = 1e-3;   /* relative residual of a start that Newton's method finishes */
static const double HEAVY = 2e9;   /* operations of a factorisation: about a second */
static const double VISIT = 300;   /* operations of a visit to a block, beside its products */
static const double STEPS = 34;    /* factorisations that sweeps may cost, at fine tolerances, */
static const double COARSELY = 5;  /* and so many times more at coarse ones */
static const double LATE = 2;      /* of what sweeps may cost: they are given up */
static const double SHARE = 0.1;   /* of what sweeps may cost, for `more sweeps` */
static const double MOMENTUM = 10; /* the most t of the momentum of long sweeps */

/* ---- facts ----------------------------------------------------------------------------------- */

static int takes(const mo_method *method, const mo_facts *f)
{
    return !(f->laws & ~method->laws);
}

mo_walk mo_walk_begin(const mo_run *run)
{
    const mo_problem *problem = run->problem;
    const int rows = problem->row_count, dofs = problem->dof_count;
    const double products = (double)problem->value_start[problem->constraint_count];
    mo_facts f = {.islands = 1,
                  .constraints = problem->constraint_count,
                  .rows = rows,
                  .velocities = dofs,
                  .redundancy = dofs ? (double)rows / dofs : 0,
                  .sweep_cost = (problem->form == MO_FORM_GLOBAL ? 4 : 2) * products +
                                VISIT * problem->constraint_count,
                  .start_residual = INFINITY,
                  .tolerance = run->options->tol,
                  .laws = problem->laws};
    f.is_linear = mo_problem_is_linear(problem);
    return (mo_walk){.facts = f, .scope = MO_WHOLE, .before = INFINITY, .counted = -1};
}

mo_error mo_walk_plan(mo_walk *walk, const mo_run *run)
{
    static const char *const spaces[] = {"none", "contacts", "bodies", "groups"};
    mo_facts *f = &walk->facts;
    mo_space space;
    walk->scope = MO_ISLAND;
    f->start_residual = run->options->start ? run->best / run->q_scale : INFINITY;
    if (f->constraints > LARGE || !takes(&mo_newton_method, f)) return MO_OK;
    const mo_error error = mo_delassus_choose(run->problem, &space, &f->factor_cost);
    if (!error) {
        const double steps = f->tolerance >= COARSE ? COARSELY * STEPS : STEPS;
        f->space = spaces[space];
        walk->afford = (int)fmin(AFFORDED, steps * (f->factor_cost / f->sweep_cost + 0.5));
    }
    return error;
}

/* ---- predicates ------------------------------------------------------------------------------ */

/* Small problems with a start are refined from it in dense form. */
static int is_new(const mo_walk *w, const mo_run *run)
{
    return w->facts.constraints == 1 || !run->options->start || !mo_dense_fits(run->problem);
}

static int is_dense(const mo_walk *w, const mo_run *run)
{
    (void)w;
    return mo_dense_fits(run->problem);
}

/* Has no contact in space friction?  Dantzig's pivoting then ends. */
static int is_flat(const mo_walk *w, const mo_run *run)
{
    const mo_problem *problem = run->problem;
    int is_flat = mo_dense_fits(problem) && takes(&mo_dantzig_method, &w->facts);
    for (int i = 0; i < problem->constraint_count && is_flat; ++i) {
        is_flat = problem->law[i].kind != MO_LAW_COULOMB || mo_constraint_dim(problem, i) == 2 ||
                  mo_constraint_param(problem, i)[0] == 0;
    }
    return is_flat;
}

static int are_coarse_contacts(const mo_walk *w, const mo_run *run)
{
    int contacts = 0;
    return w->facts.tolerance >= COARSE && !w->facts.is_linear && !is_dense(w, run) &&
           run->problem->form == MO_FORM_GLOBAL &&
           !mo_problem_swept_contacts(run->problem, &contacts) &&
           contacts > w->facts.constraints / 2;
}

static int are_rough_contacts(const mo_walk *w, const mo_run *run)
{
    return w->facts.constraints <= MORE && w->facts.tolerance >= ROUGH &&
           are_coarse_contacts(w, run);
}

static int are_some_coarse_contacts(const mo_walk *w, const mo_run *run)
{
    return w->facts.constraints <= MORE && w->facts.tolerance < ROUGH &&
           are_coarse_contacts(w, run);
}

static int is_large(const mo_walk *w, const mo_run *run)
{
    return w->facts.constraints > LARGE ||
           (w->facts.constraints > MORE && are_coarse_contacts(w, run));
}

/* Long sweeps to a rough tolerance are behind it. */
static int is_roughly_swept(const mo_walk *w)
{
    return w->has_swept > 1 && w->facts.tolerance >= ROUGH;
}

/* Sweeps in all, if the residual falls with the inverse of their number. */
static double sweeps_needed(const mo_walk *w, const mo_run *run)
{
    const double goal = run->options->tol * run->q_scale;
    return run->result->iterations * fmin(run->best, w->before) / goal;
}

/* Do sweeps that have missed a coarse tolerance still cost less than the path?  At a rough one they
 * do where a factorisation costs much; at others if they also meet it before late. */
static int are_sweeps_cheaper(const mo_walk *w, const mo_run *run)
{
    return w->has_swept > 1 && w->afford >= AFFORDED &&
           (w->facts.tolerance >= ROUGH || sweeps_needed(w, run) <= LATE * AFFORDED);
}

static int is_factorable(const mo_walk *w, const mo_run *run)
{
    return w->facts.space && w->facts.factor_cost <= HEAVY && !are_sweeps_cheaper(w, run);
}

static int is_not_factorable(const mo_walk *w, const mo_run *run)
{
    return !is_factorable(w, run);
}

/* Heavy on light: what long sweeps have not solved to a rough tolerance is left to the path. */
static int is_for_newton(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && !is_roughly_swept(w) && w->tries <= w->has_more;
}

int mo_auto_is_near(const mo_run *run, int rows, double square)
{
    const double near = NEAR * run->q_scale;
    return run->options->start && rows > MO_DENSE_ROWS && square <= near * near;
}

static int is_near(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && !w->has_swept && w->facts.rows > MO_DENSE_ROWS &&
           w->facts.start_residual <= NEAR;
}

static int is_to_be_swept(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && !w->has_swept && !w->facts.is_linear;
}

/*
 * Does the pace of the last slice lead to the tolerance within what sweeps may cost, or not much
 * later?  Before the first nothing is known, and where a factorisation costs little it comes first.
 */
static int are_sweeps_promising(const mo_walk *w, const mo_run *run)
{
    if (!is_factorable(w, run) || w->facts.is_linear || w->afford <= 0) return 0;
    if (w->slice == 0 && is_roughly_swept(w)) return sweeps_needed(w, run) <= LATE * w->afford;
    if (w->slice == 0) return w->facts.tolerance >= COARSE || w->afford >= AFFORDED;
    const double gained = log(w->before / run->best);
    const double missing = log(run->best / (run->options->tol * run->q_scale));
    return gained > 0 && missing / gained * w->slice <= LATE * w->afford;
}

/* A start determines the modes of most contacts; without one, sweeps find them for a second try. */
static int is_to_be_tried(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && !is_roughly_swept(w) && w->tries == 1 && !w->has_more &&
           !run->options->start && run->options->ladder.steps == 0 && !w->facts.is_linear;
}

static int has_cones(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && takes(&mo_ipm_method, &w->facts);
}

/* ---- the ladder ------------------------------------------------------------------------------ */

const mo_rung mo_ladder[] = {
    /* Heaps to 1e-4: eight manifolds at a time, a factorisation costs hundreds of sweeps. */
    {"lanes", &mo_nsgs_method, MO_WHOLE, are_some_coarse_contacts,
     "not `small`, at most 5,000 constraints, most of them contacts of rigid bodies, "
     "tolerance from 1e-5 to 1e-3",
     PATH, MO_START_BEST, MOMENTUM},
    /* Heaps of heavy bodies on light ones to 1e-3: the path ends where sweeps do not. */
    {"rough", &mo_nsgs_method, MO_WHOLE, are_rough_contacts, "as `lanes`, tolerance 1e-3 or more",
     ROUGHLY, MO_START_BEST, MOMENTUM},
    /* Packings of many thousands: factors cost too much, or would not fit. */
    {"large", &mo_nsgs_method, MO_WHOLE, is_large,
     "as `lanes` or `rough` with more constraints; more than 20,000 of any kind", MO_ALL,
     MO_START_BEST, MOMENTUM},
    /* Single contacts, a few that hardly touch, things that fly apart: nothing is prepared. */
    {"at once", &mo_at_once_method, MO_WHOLE, is_new, "not `small` with a start", MO_ALL,
     MO_START_BEST, 0},
    /* Slider-cranks, cams, discs: a few Newton steps, where pivoting stands behind them. */
    {"few steps", &mo_small_method, MO_EITHER, is_flat, "`small`, in the plane or without friction",
     FEW_STEPS, MO_START_BEST, 0},
    /* Redundant contacts in the plane: pivoting ends where the set of Newton's steps cycles. */
    {"pivots", &mo_dantzig_method, MO_EITHER, is_flat, "as `few steps`", PATH, MO_START_COLD, 0},
    /* Rovers, robots, one box: no plan, no view but W, one block of memory. */
    {"small", &mo_small_method, MO_EITHER, is_dense,
     "at most 96 constraints and 128 rows, symmetric masses", MO_ALL, MO_START_BEST, 0},
    /* Contacts that slide in a known direction, which no other method takes; factors too large. */
    {"sweeps alone", &mo_nsgs_method, MO_ISLAND, is_not_factorable,
     "a law that newton does not take, more than 20,000 constraints, factors of more than 2e9 "
     "operations, or after `rough` of more than 29 sweeps, and after `lanes` that come near",
     MO_ALL, MO_START_BEST, MOMENTUM},
    /* Steps of what rests: the last impulses are right to a few digits. */
    {"near", &mo_newton_method, MO_ISLAND, is_near,
     "a start of a residual of at most 1e-3, more than 128 rows", NEAR_STEPS, MO_START_BEST, 0},
    /* Towers: sweeps tell which contacts are apart. */
    {"few sweeps", &mo_nsgs_method, MO_ISLAND, is_to_be_swept, "not joints alone, not swept yet",
     FEW, MO_START_BEST, 0},
    /* Reduced heaps to 1e-4; large heaps that sweeps solve to 1e-8 before factors would. */
    {"long sweeps", &mo_nsgs_method, MO_ISLAND, are_sweeps_promising,
     "the last slice promises to be through before a method that factors", MO_SLICES, MO_START_ON,
     MOMENTUM},
    /* Clouds of bodies at their first impact: sweeps find the modes that Newton's method needs. */
    {"more sweeps", &mo_nsgs_method, MO_ISLAND, is_to_be_tried,
     "no start, once, when `newton` has missed", MO_MORE, MO_START_ON, 0},
    /* Chains of joints, heaps that fall: a few steps once the set is right. */
    {"newton", &mo_newton_method, MO_ISLAND, is_for_newton,
     "any, but not after long sweeps over the whole to 1e-3 or more; again after `more sweeps`",
     MO_BACK, MO_START_ON, 0},
    /* Heaps at rest, heavy on light, redundant contacts: no luck is needed with the set. */
    {"ipm", &mo_quick_ipm_method, MO_ISLAND, has_cones, "laws of cones", PATH, MO_START_WARM, 0},
    /* Settling beads: the path sometimes ends in a local minimum; from zero it does not. */
    {"aln", &mo_aln_method, MO_ISLAND, is_factorable, "any", MO_ALL, MO_START_COLD, 0},
};
const int mo_ladder_count = sizeof mo_ladder / sizeof mo_ladder[0];
const mo_rung *const mo_rung_in_place = mo_ladder + 9;

/* ---- the walk -------------------------------------------------------------------------------- */

static void begin_slice(mo_walk *walk, const mo_run *run)
{
    const double first = is_roughly_swept(walk) ? fmax(SLICE, sweeps_needed(walk, run)) : SLICE;
    walk->slice = (int)fmin(walk->slice ? 2 * walk->slice : first, walk->afford);
    walk->afford -= walk->slice;
    walk->before = run->best;
}

int mo_rung_factors(const mo_rung *rung)
{
    return rung->scope == MO_ISLAND && rung->method != &mo_nsgs_method;
}

/* Counts the iterations of the last rung. */
static void count_steps(mo_walk *walk, const mo_run *run)
{
    walk->steps += walk->counted >= 0 ? run->result->iterations - walk->counted : 0;
    walk->counted = -1;
}

/* Is the rung one that factors, and is the limit of these reached? */
static int is_used_up(const mo_walk *walk, const mo_run *run, const mo_rung *rung)
{
    const int most = run->options->ladder.steps;
    return most > 0 && walk->steps >= most && mo_rung_factors(rung);
}

const mo_rung *mo_walk_next(mo_walk *walk, const mo_run *run)
{
    count_steps(walk, run);
    for (; walk->next < mo_ladder_count; ++walk->next) {
        const mo_rung *rung = mo_ladder + walk->next;
        if (walk->scope == MO_WHOLE && rung->scope == MO_ISLAND)
            return NULL; /* mo_auto_split goes on from here */
        if (!(rung->scope & walk->scope) || run->options->ladder.skip >> walk->next & 1 ||
            is_used_up(walk, run, rung) || !rung->when(walk, run))
            continue;
        walk->counted = mo_rung_factors(rung) ? run->result->iterations : -1;
        if (rung->budget == MO_SLICES) {
            begin_slice(walk, run);
        } else if (rung->budget == MO_BACK) {
            ++walk->tries;
            --walk->next;
        } else {
            ++walk->next;
        }
        if (rung->budget == MO_MORE) {
            walk->slice = (int)fmax(1, fmin(MORE_SWEEPS, SHARE * walk->afford));
            walk->has_more = 1;
        }
        return rung;
    }
    return NULL;
}

mo_status mo_auto_walk(mo_run *run, mo_walk *walk, mo_message *summary)
{
    mo_status status = MO_STALLED;
    const mo_rung *rung;
    double residual = INFINITY; /* before the last rung */
    while (!run->error && (rung = mo_walk_next(walk, run)) != NULL) {
        mo_rung_run rung_run;
        residual = run->best;
        mo_rung_open(run, rung, walk, &rung_run);
        mo_rung_solve(&rung_run);
        mo_rung_close(&rung_run, &run->result->explanation);
        const int iterations = run->result->iterations - rung_run.iterations;
        if (iterations > 0 && (rung_run.status != MO_SOLVED || summary->text[0])) {
            mo_summary_add(summary, "%s %.1e (%d)", rung->name, run->best / run->q_scale,
                           iterations);
        }
        if (mo_auto_is_over(run, rung_run.status)) return rung_run.status;
        if (rung->method == &mo_nsgs_method)
            walk->has_swept = walk->scope == MO_WHOLE ? 2 : walk->has_swept ? walk->has_swept : 1;
        status = MO_STALLED; /* a rung that used up its own budget is not the caller's limit */
    }
    if (!run->error && walk->scope == MO_ISLAND && is_factorable(walk, run) &&
        run->best > 0.5 * residual) {
        mo_summary_add(summary, "the last rung made no progress: a local minimum of the residual, "
                                "or no solution near");
    }
    return status;
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)problem;
    (void)options;
    (void)arena;
    *out = NULL;
    return MO_OK;
}

static mo_status solve(mo_run *run, void *memory)
{
    mo_walk walk = mo_walk_begin(run);
    mo_message summary = {{0}};
    (void)memory;
    run->result->explanation.facts = walk.facts;
    if (run->options->max_iter == 0)
        return mo_run_measure(run, 0, run->r) ? MO_SOLVED : MO_ITERATION_LIMIT;
    mo_status status = mo_auto_walk(run, &walk, &summary);
    if (!mo_auto_is_over(run, status)) status = mo_auto_split(run, &walk, &summary);
    run->result->message = summary;
    return status;
}

const mo_method mo_auto_method = {
    .name = "auto",
    .summary = "sweeps, newton, ipm and aln in turn on each island; sweeps alone on large islands",
    .paper = "acary2018",
    .laws = MO_ALL_LAWS,
    .takes_compact = 1,
    .layout = layout,
    .solve = solve,
};
