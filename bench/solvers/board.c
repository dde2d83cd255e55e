/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "board.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void board_clear(board *b)
{
    free(b->problems);
    free(b->runs);
    b->problems = NULL;
    b->runs = NULL;
    b->problem_count = b->run_count = b->run_room = 0;
}

void board_add(board *b, int problem, int target, int is_peer, const char *solver,
               const trial_line *line)
{
    if (b->run_count == b->run_room) {
        const int room = 2 * b->run_room + 64;
        board_run *runs = realloc(b->runs, (size_t)room * sizeof *runs);
        if (!runs) {
            b->failed = 1;
            return;
        }
        b->runs = runs;
        b->run_room = room;
    }
    board_run *run = &b->runs[b->run_count++];
    *run = (board_run){.problem = problem, .target = target, .is_peer = is_peer, .line = *line};
    snprintf(run->solver, sizeof run->solver, "%s", solver);
}

const board_run *board_find(const board *b, int problem, int target, int is_peer,
                            const char *solver)
{
    for (int k = 0; k < b->run_count; ++k) {
        const board_run *run = &b->runs[k];
        if (run->problem == problem && run->target == target && run->is_peer == is_peer &&
            strcmp(run->solver, solver) == 0)
            return run;
    }
    return NULL;
}

const board_run *board_best(const board *b, int problem, int target, int is_peer)
{
    const board_run *best = NULL;
    for (int k = 0; k < b->run_count; ++k) {
        const board_run *run = &b->runs[k];
        if (run->problem == problem && run->target == target && run->is_peer == is_peer &&
            trial_is_solved(&run->line) && (!best || run->line.seconds < best->line.seconds))
            best = run;
    }
    return best;
}

int board_has_peer(const board *b, int problem, int target)
{
    for (int k = 0; k < b->run_count; ++k) {
        const board_run *run = &b->runs[k];
        if (run->problem == problem && run->target == target && run->is_peer) return 1;
    }
    return 0;
}

/* ---- each solver ----------------------------------------------------------------------------- */

/* The fastest time on each problem of all solvers; infinity if none solves it. */
static void find_fastest(const board *b, int target, double *least)
{
    for (int p = 0; p < b->problem_count; ++p)
        least[p] = INFINITY;
    for (int k = 0; k < b->run_count; ++k) {
        const board_run *run = &b->runs[k];
        if (run->target == target && trial_is_solved(&run->line))
            least[run->problem] = fmin(least[run->problem], run->line.seconds);
    }
}

static int is_of(const board_run *run, int target, int is_peer, const char *name)
{
    return run->target == target && run->is_peer == is_peer &&
           (!name || strcmp(run->solver, name) == 0);
}

board_curve board_curve_make(const board *b, int target, int is_peer, const char *name)
{
    board_curve curve = {.ratio = NULL};
    double *least = malloc(((size_t)b->problem_count + 1) * sizeof *least);
    curve.ratio = malloc(((size_t)b->problem_count + 1) * sizeof *curve.ratio);
    if (!least || !curve.ratio) {
        free(least);
        board_curve_clear(&curve);
        return curve;
    }
    find_fastest(b, target, least);
    curve.problem_count = b->problem_count;
    for (int p = 0; p < b->problem_count; ++p) {
        curve.solvable += least[p] < INFINITY;
        curve.ratio[p] = INFINITY;
    }
    for (int k = 0; k < b->run_count; ++k) {
        const board_run *run = &b->runs[k];
        if (is_of(run, target, is_peer, name) && trial_is_solved(&run->line)) {
            double *ratio = &curve.ratio[run->problem];
            *ratio = fmin(*ratio, run->line.seconds / least[run->problem]);
        }
    }
    free(least);
    return curve;
}

void board_curve_clear(board_curve *curve)
{
    free(curve->ratio);
    *curve = (board_curve){.ratio = NULL};
}

double board_curve_at(const board_curve *curve, double tau)
{
    int within = 0;
    for (int p = 0; p < curve->problem_count; ++p)
        within += curve->ratio[p] <= tau;
    return curve->solvable > 0 ? (double)within / curve->solvable : 0;
}

/* Its mean over tau from 1 to 10^4, evenly in the logarithm, and how often it is 1 there. */
static void add_curve(const board *b, int target, board_solver *solver)
{
    enum { POINTS = 41 };
    board_curve curve = board_curve_make(b, target, solver->is_peer, solver->name);
    for (int k = 0; k < POINTS; ++k)
        solver->area += board_curve_at(&curve, pow(10, 4.0 * k / (POINTS - 1))) / POINTS;
    for (int p = 0; p < curve.problem_count; ++p) {
        solver->fastest += curve.ratio[p] <= 1;
        solver->solved += curve.ratio[p] < INFINITY;
    }
    board_curve_clear(&curve);
}

static int by_side_and_area(const void *a, const void *b)
{
    const board_solver *x = a, *y = b;
    if (x->is_peer != y->is_peer) return x->is_peer - y->is_peer;
    return x->area != y->area ? (x->area < y->area) - (x->area > y->area)
                              : strcmp(x->name, y->name);
}

board_solver *board_solvers(const board *b, int target, int *count)
{
    board_solver *list = malloc(((size_t)b->run_count + 1) * sizeof *list);
    int n = 0;
    for (int k = 0; list && k < b->run_count; ++k) {
        const board_run *run = &b->runs[k];
        int at = 0;
        if (run->target != target) continue;
        while (at < n &&
               (list[at].is_peer != run->is_peer || strcmp(list[at].name, run->solver) != 0))
            ++at;
        if (at == n) list[n++] = (board_solver){.name = run->solver, .is_peer = run->is_peer};
        list[at].tried += strcmp(run->line.status, trial_refused) != 0;
    }
    for (int k = 0; k < n; ++k)
        add_curve(b, target, &list[k]);
    if (list) qsort(list, (size_t)n, sizeof *list, by_side_and_area);
    *count = n;
    return list;
}

/* ---- our default method beside the best of the peer ------------------------------------------ */

static const board_run *ours_of(const board *b, int problem, int target, const char *method)
{
    const board_run *run =
        method ? board_find(b, problem, target, 0, method) : board_best(b, problem, target, 0);
    return run && trial_is_solved(&run->line) ? run : NULL;
}

double board_ratio(const board *b, int problem, int target, const char *method)
{
    const board_run *ours = ours_of(b, problem, target, method);
    const board_run *theirs = board_best(b, problem, target, 1);
    return ours && theirs ? ours->line.seconds / theirs->line.seconds : NAN;
}

board_match board_compare(const board *b, int target, const char *method)
{
    board_match match = {.worst = -1};
    double sum = 0;
    for (int p = 0; p < b->problem_count; ++p) {
        if (!board_has_peer(b, p, target)) continue;
        const int ours = ours_of(b, p, target, method) != NULL;
        const int theirs = board_best(b, p, target, 1) != NULL;
        const double ratio = board_ratio(b, p, target, method);
        match.ours_only += ours && !theirs;
        match.theirs_only += theirs && !ours;
        match.neither += !ours && !theirs;
        if (ours && theirs && (match.worst < 0 || ratio > match.worst_ratio)) {
            match.worst = p;
            match.worst_ratio = ratio;
        }
        if (ours && theirs && b->problems[p].contacts >= BOARD_COUNTED_CONTACTS) {
            ++match.both;
            sum += log(ratio);
        }
    }
    match.mean = match.both > 0 ? exp(sum / match.both) : NAN;
    return match;
}
