/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The default method: runs one method after the other until one has solved the problem.
 *
 * A start that solves the problem is returned at once.  Otherwise the problem is passed along
 * mo_ladder: each rung is a method with a limit on iterations, used if its predicate holds for the
 * facts.  The first rungs apply to the whole problem; it is then split into islands
 * (auto_islands.c), which continue independently.  A rung starts from the impulses of the previous
 * ones, and allocates its memory when it is used.
 *
 *   facts    mo_facts: counts, laws, and the costs of a factorisation and of a sweep in operations
 *   budgets  iterations, never seconds: the result is the same in every run
 *
 * result.explanation contains the facts and the rungs; result.message summarises them if more than
 * one rung was used.
 * Limits: an island of more than LARGE constraints, or with factors above HEAVY operations, has
 * first-order convergence only.
 */
#include "solver/auto.h"

#include <math.h>

#include "base/pace.h"
#include "measure/measure_blocks.h"
#include "problem/delassus.h"
#include "problem/views.h"
#include "solver/small.h"

/* Constraints. */
enum {
    TINY = 64,     /* swept before anything else is looked at */
    LARGE = 20000, /* no factorisation is tried on more */
    MANY = 1000,   /* from here on a factorisation costs more than long sweeps, */
    MORE = 5000    /* and also with a rough tolerance, which the path meets in about 15 steps */
};

/* Iterations. */
enum {
    ALL = 0,
    GLANCE = 2,
    NEAR_STEPS = 3,
    SLICE = 40,
    PATH = 2000,
    LANE_SWEEPS = 2000,
    ROUGH_SWEEPS = 600,
    MOST = 5000
};

static const double ROUGH = 1e-3;  /* tolerance from which on the path is shorter than sweeps */
static const double NEAR = 1e-3;   /* relative residual of a start that Newton's method finishes */
static const double HEAVY = 2e9;   /* operations of a factorisation: about a second */
static const double VISIT = 300;   /* operations of a visit to a block, beside its products */
static const double WEIGHT = 1.7;  /* of an operation of a factorisation, in those of a sweep */
static const double STEPS = 20;    /* of a method that factors, before it has solved something;  */
static const double COARSELY = 5;  /* with a coarse tolerance sweeps may cost so much more */
static const double MOMENTUM = 10; /* the most t of the momentum of long sweeps */
static const double PATIENCE = 2;  /* with sweeps that are late */

/* ---- facts ----------------------------------------------------------------------------------- */

static double sweep_cost(const mo_problem *problem)
{
    const double products = (double)problem->value_start[problem->constraint_count];
    return (problem->form == MO_FORM_GLOBAL ? 4 : 2) * products + VISIT * problem->constraint_count;
}

/* Sweeps that cost as much as the method after them. */
static int sweeps_afforded(const mo_facts *f)
{
    const double steps = f->tolerance >= MO_AUTO_COARSE ? COARSELY * STEPS : STEPS;
    const double sweeps = steps * (WEIGHT * f->factor_cost / f->sweep_cost + 1);
    return sweeps < MOST ? (int)sweeps : MOST;
}

static int takes(const mo_method *method, const mo_facts *f)
{
    return !(f->laws & ~method->laws);
}

mo_error mo_walk_begin(mo_run *run, int is_whole, mo_walk *walk)
{
    static const char *const spaces[] = {"none", "contacts", "bodies", "groups"};
    const mo_problem *problem = run->problem;
    const int rows = problem->row_count, dofs = problem->dof_count;
    mo_facts f = {.islands = 1,
                  .constraints = problem->constraint_count,
                  .rows = rows,
                  .velocities = dofs,
                  .redundancy = dofs ? (double)rows / dofs : 0,
                  .sweep_cost = sweep_cost(problem),
                  .start_residual = run->options->start ? run->best / run->q_scale : INFINITY,
                  .tolerance = run->options->tol};
    mo_space space;
    mo_error error = MO_OK;
    for (int i = 0; i < problem->constraint_count; ++i) {
        f.laws |= MO_LAW_BIT(problem->law[i].kind);
    }
    f.is_linear = f.laws == MO_LAW_BIT(MO_LAW_BILATERAL) && f.constraints > 1;
    if (!is_whole && f.constraints <= LARGE && takes(&mo_newton_method, &f)) {
        error = mo_delassus_choose(problem, &space, &f.factor_cost);
        f.space = error ? NULL : spaces[space];
    }
    *walk = (mo_walk){.facts = f, .is_whole = is_whole, .before = INFINITY};
    walk->afford = f.space ? sweeps_afforded(&walk->facts) : 0;
    return error;
}

/* ---- predicates ------------------------------------------------------------------------------ */

/* The rung `small` is taken before the walk, in memory that lies beside the run's: see solve. */
static int is_taken_before(const mo_walk *w, const mo_run *run)
{
    (void)w;
    (void)run;
    return 0;
}

static int is_tiny(const mo_walk *w, const mo_run *run)
{
    (void)run;
    return w->facts.constraints <= TINY && !w->facts.is_linear;
}

static int are_coarse_contacts(const mo_walk *w, const mo_run *run)
{
    int contacts = 0;
    return w->facts.constraints > TINY && w->facts.tolerance >= MO_AUTO_COARSE &&
           !w->facts.is_linear && run->problem->form == MO_FORM_GLOBAL &&
           !mo_problem_swept_contacts(run->problem, &contacts) &&
           contacts > w->facts.constraints / 2;
}

static int is_large(const mo_walk *w, const mo_run *run)
{
    (void)run;
    return w->facts.constraints > LARGE;
}

static int is_factorable(const mo_walk *w, const mo_run *run)
{
    (void)run;
    return w->facts.space && w->facts.factor_cost <= HEAVY;
}

static int is_not_factorable(const mo_walk *w, const mo_run *run)
{
    return !is_factorable(w, run);
}

/* Heavy on light: what long sweeps have not solved to a rough tolerance is left to the path. */
static int is_for_newton(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && !(w->has_swept > 1 && w->facts.tolerance >= ROUGH);
}

static int is_near(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && !w->has_swept && w->facts.constraints > TINY &&
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
    if (!is_for_newton(w, run) || w->facts.is_linear || w->afford <= 0) {
        return 0;
    }
    if (w->slice == 0) {
        return w->facts.tolerance >= MO_AUTO_COARSE || w->afford >= MOST;
    }
    const double gained = log(w->before / run->best);
    const double missing = log(run->best / (run->options->tol * run->q_scale));
    return gained > 0 && missing / gained * w->slice <= PATIENCE * w->afford;
}

static int has_cones(const mo_walk *w, const mo_run *run)
{
    return is_factorable(w, run) && takes(&mo_ipm_method, &w->facts);
}

/* ---- budgets --------------------------------------------------------------------------------- */

static int all(const mo_walk *w)
{
    (void)w;
    return ALL;
}

static int glance(const mo_walk *w)
{
    (void)w;
    return GLANCE;
}

static int near_steps(const mo_walk *w)
{
    (void)w;
    return NEAR_STEPS;
}

static int few(const mo_walk *w)
{
    (void)w;
    return MO_AUTO_FEW;
}

static int lane_sweeps(const mo_walk *w)
{
    const int count = w->facts.constraints;
    return count <= MANY                                  ? LANE_SWEEPS
           : count <= MORE && w->facts.tolerance >= ROUGH ? ROUGH_SWEEPS
                                                          : ALL;
}

static int path(const mo_walk *w)
{
    (void)w;
    return PATH;
}

static int slice(const mo_walk *w)
{
    return w->slice;
}

/* ---- the ladder ------------------------------------------------------------------------------ */

static const mo_method small_method = {.name = "small"}; /* small.h */

const mo_rung mo_ladder[] = {
    /* Single contacts, rovers, one box: no plan, no view, one block of memory. */
    {"small", &small_method, 1, 0, is_taken_before,
     "at most 96 constraints and 128 rows, symmetric masses", all, "four rounds, then 200", 0,
     MO_START_BEST},
    /* What a contact or two hold: one visit solves it. */
    {"glance", &mo_nsgs_method, 1, 0, is_tiny, "at most 64 constraints, not joints alone", glance,
     "2", 0, MO_START_BEST},
    /* Heaps to 1e-4: eight manifolds at a time, a factorisation costs hundreds of sweeps. */
    {"lanes", &mo_nsgs_method, 1, 0, are_coarse_contacts,
     "more than 64 constraints, most of them contacts of rigid bodies, tolerance 1e-5 or more",
     lane_sweeps, "2,000; more than 1,000 constraints: all, or 600 up to 5,000 to 1e-3 or more",
     MOMENTUM, MO_START_BEST},
    /* Packings of ten thousands: factors would not fit. */
    {"large", &mo_nsgs_method, 1, 0, is_large, "more than 20,000 constraints", all, "all", MOMENTUM,
     MO_START_BEST},
    /* Contacts that slide in a known direction, which no other method takes; factors too large. */
    {"sweeps alone", &mo_nsgs_method, 0, 0, is_not_factorable,
     "a law that newton does not take, more than 20,000 constraints, or factors of more than 2e9 "
     "operations",
     all, "all", MOMENTUM, MO_START_BEST},
    /* Steps of what rests: the last impulses are right to a few digits. */
    {"near", &mo_newton_method, 0, 0, is_near,
     "a start of a residual of at most 1e-3, more than 64 constraints", near_steps, "3", 0,
     MO_START_BEST},
    /* Towers: sweeps tell which contacts are apart. */
    {"few sweeps", &mo_nsgs_method, 0, 0, is_to_be_swept, "not joints alone", few, "10", 0,
     MO_START_BEST},
    /* Boxes and mixtures to 1e-4; large heaps that sweeps solve to 1e-8 before factors would. */
    {"long sweeps", &mo_nsgs_method, 0, 1, are_sweeps_promising,
     "the last slice promises to be through before a method that factors", slice,
     "slices of 40, 80, 160, ...", MOMENTUM, MO_START_ON},
    /* Chains of joints, heaps that fall: a few steps once the set is right. */
    {"newton", &mo_newton_method, 0, 0, is_for_newton, "any, but not after lanes to 1e-3 or more",
     all, "one attempt", 0, MO_START_ON},
    /* Heaps at rest, heavy on light, redundant contacts: no luck is needed with the set. */
    {"ipm", &mo_quick_ipm_method, 0, 0, has_cones, "laws of cones", path, "2,000", 0,
     MO_START_BEST},
    /* Settling beads: the path sometimes ends in a local minimum; from zero it does not. */
    {"aln", &mo_aln_method, 0, 0, is_factorable, "any", all, "all", 0, MO_START_COLD},
};
const int mo_ladder_count = sizeof mo_ladder / sizeof mo_ladder[0];

int mo_auto_is_near(const mo_run *run, int constraints, double square)
{
    const double near = NEAR * run->q_scale;
    return run->options->start && constraints > TINY && square <= near * near;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void begin_slice(mo_walk *walk, const mo_run *run)
{
    walk->slice = walk->slice ? 2 * walk->slice : SLICE;
    walk->slice = walk->slice < walk->afford ? walk->slice : walk->afford;
    walk->afford -= walk->slice;
    walk->before = run->best;
}

const mo_rung *mo_walk_next(mo_walk *walk, const mo_run *run)
{
    for (; walk->next < mo_ladder_count; ++walk->next) {
        const mo_rung *rung = mo_ladder + walk->next;
        if (rung->is_whole != walk->is_whole || run->options->ladder.skip >> walk->next & 1 ||
            !rung->when(walk, run)) {
            continue;
        }
        if (rung->is_longer) {
            begin_slice(walk, run);
        } else {
            ++walk->next;
        }
        return rung;
    }
    return NULL;
}

mo_status mo_auto_walk(mo_run *run, mo_walk *walk, mo_status before, mo_message *summary)
{
    mo_status status = before;
    const mo_rung *rung;
    double residual = INFINITY; /* before the last rung */
    while (!run->error && (rung = mo_walk_next(walk, run)) != NULL) {
        mo_rung_run rung_run;
        residual = run->best;
        mo_rung_open(run, rung, walk, &rung_run);
        mo_rung_solve(&rung_run);
        mo_rung_close(&rung_run, &run->result->explanation);
        mo_summary_add(summary, "%s %.1e (%d)", rung->name, run->best / run->q_scale,
                       run->result->iterations - rung_run.iterations);
        if (mo_auto_is_over(run, rung_run.status)) {
            return rung_run.status;
        }
        walk->has_swept = walk->is_whole && rung->budget(walk) != GLANCE ? 2 : 0;
        status = MO_STALLED; /* a rung that used up its own budget is not the caller's limit */
    }
    if (!run->error && !walk->is_whole && is_factorable(walk, run) && run->best > 0.5 * residual) {
        mo_summary_add(summary, "the last rung made no progress: a local minimum of the residual, "
                                "or no solution near");
    }
    return status;
}

/* ---- the method ------------------------------------------------------------------------------ */

/*
 * May zero solve the problem?  Told at the first block that says no; on a tiny problem the first
 * sweep tells as cheaply.  Things that fly apart are solved here, before anything is prepared.
 */
static int zero_may_solve(mo_run *run)
{
    const mo_problem *problem = run->problem;
    const double goal = run->options->tol * run->q_scale;
    const double *q = problem->w;
    if (problem->constraint_count <= TINY || !mo_run_is_zero(run->r, problem->row_count)) {
        return 0;
    }
    if (problem->form == MO_FORM_GLOBAL) {
        double *u = run->scratch + problem->dof_count;
        mo_problem_response_into(problem, NULL, run->scratch, u);
        q = u;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!(mo_natural_square(problem, i, q, run->r) <= goal * goal)) {
            return 0;
        }
    }
    return 1;
}

/* Do the impulses that the caller starts from solve the problem already? */
static int start_solves(mo_run *run)
{
    return (run->options->start || zero_may_solve(run)) && mo_run_measure(run, 0, run->r);
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    *out = NULL;
    if (problem->constraint_count <= TINY) {
        mo_problem_write_rows(problem);
    }
    if (!(options->ladder.skip & 1)) {
        mo_small_prepare(problem, arena, out);
    }
    return MO_OK;
}

static mo_status solve_small(mo_run *run, void *memory)
{
    const mo_status status = mo_small_solve(run, memory);
    mo_explain_rung(&run->result->explanation, mo_ladder, 1, run->result->iterations,
                    run->best / run->q_scale, mo_work_clock() - run->start_time);
    run->done = run->result->iterations;
    return status;
}

static mo_status solve_large(mo_run *run, mo_walk *walk)
{
    mo_message summary = {{0}};
    mo_status status = mo_auto_walk(run, walk, MO_STALLED, &summary);
    const int is_over = run->result->iterations > 0 && mo_auto_is_over(run, status);
    if (!run->error && !is_over) {
        status = mo_auto_split(run, walk->has_swept, status, &summary);
    } else if (status == MO_SOLVED) {
        summary.text[0] = '\0'; /* what the first rung solves needs no summary */
    }
    run->result->message = summary;
    return status;
}

/* Long sweeps over the whole measure the start themselves, without the rows of contacts. */
static int looks_itself(const mo_walk *walk, const mo_run *run)
{
    mo_walk ahead = *walk;
    const mo_rung *first = mo_walk_next(&ahead, run);
    return first && first->budget != glance;
}

static mo_status solve(mo_run *run, void *memory)
{
    mo_walk walk;
    run->error = mo_walk_begin(run, 1, &walk);
    run->result->explanation.facts = walk.facts;
    if (memory) {
        const mo_status status = solve_small(run, memory);
        if (mo_auto_is_over(run, status)) {
            return status;
        }
    }
    if ((!looks_itself(&walk, run) && start_solves(run)) || run->error) {
        return run->error ? MO_STALLED : MO_SOLVED;
    }
    return solve_large(run, &walk);
}

const mo_method mo_auto_method = {
    .name = "auto",
    .summary =
        "the default: sweeps, newton, ipm and aln on each island; sweeps alone on large islands",
    .paper = "acary2018",
    .laws = MO_ALL_LAWS,
    .takes_compact = 1,
    .layout = layout,
    .solve = solve,
};
