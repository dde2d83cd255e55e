/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The interface of a method.
 *
 * A method is one file with one mo_method, listed in methods.c.  The driver (solve.c) checks the
 * options, allocates the workspace, passes a run, and afterwards computes v, u and the residual
 * from the best r.  In each iteration a method calls
 *
 *     mo_run_check      is this r accurate enough?   (measures, keeps the best, writes the history)
 *     mo_run_must_stop  must the method stop?        (cancel flag, deadline, iterations)
 *
 * It allocates nothing while it iterates.
 */
#ifndef MO_SOLVER_METHOD_H
#define MO_SOLVER_METHOD_H

#include "base/arena.h"
#include "moreau/solve.h"
#include "problem/compact.h"

typedef struct mo_run {
    const mo_problem *problem;
    const mo_options *options;
    mo_result *result;
    double start_time; /* mo_work_clock() at the start */
    double q_scale;    /* max(1, |q|) */
    double *r; /* the starting point, each block in its set; the method may use it as iterate */
    double *u; /* row_count entries, scratch of the method for mo_run_check */
    double *partial;  /* partial sums of the measure */
    double *scratch;  /* of the measure: v and u of the r that it saw last */
    int has_q;        /* scratch holds v and u of r = 0 until the first measurement */
    double best;      /* natural residual of result->r */
    int is_confirmed; /* result->r was measured: `residual`, and scratch, are its own */
    mo_residual residual;
    int done; /* iterations of the stages before, where several share a run */
    int history_stride, checks;
    mo_status status; /* why it must stop */
    mo_error error;   /* lack of memory in a check: the run ends */
} mo_run;

/*
 * Measures (u, r), where u is the velocity that r causes, after `iteration` iterations.  True once
 * the residual is at most the tolerance, confirmed by mo_measure from r alone.
 */
int mo_run_check(mo_run *run, int iteration, const double *u, const double *r);

/* The same from r alone, where the method has no u: as good as a check and its
 * confirmation, at the cost of the first. */
int mo_run_measure(mo_run *run, int iteration, const double *r);

/* Is every entry zero? */
int mo_run_is_zero(const double *r, int count);

/* The same if the method expects success: the whole residual in one pass. */
int mo_run_confirm(mo_run *run, int iteration, const double *r);

/* The same where the method has had r measured already: run->residual, and v and u in run->scratch,
 * are its own. */
int mo_run_judged(mo_run *run, int iteration, const double *r);

/* Measures the starting point run->r, with scratch v (dof_count entries) and run->u.  True if the
 * run is over, solved or stopped: see run->status. */
int mo_run_ends_at_start(mo_run *run, double *v);

/* True if the run must end after `iteration` iterations; see run->status. */
int mo_run_must_stop(mo_run *run, int iteration);

/* The same inside an iteration, only for the caller and the clock: iterations are not counted. */
int mo_run_is_over(mo_run *run);

/* Ends a run early: returns the status, after writing the message. */
mo_status mo_run_stall(mo_run *run, const char *format, ...) MO_PRINTF(2, 3);

/* Returns a direction of r (row_count numbers) along which the method ran to infinity. */
void mo_run_keep_ray(mo_run *run, const double *ray);

/* The vectors of a run on an arena. */
void mo_run_layout(mo_arena *arena, const mo_problem *problem, mo_run *run);

/*
 * Lays out a method's workspace on one new block of memory, behind the vectors of the run where
 * `with_run`.  The block is *memory, for mo_memory_free, and counts in result->bytes.
 */
struct mo_method;
mo_error mo_run_make_room(mo_run *run, const struct mo_method *method, int with_run, void **memory,
                          void **workspace);

typedef struct mo_method {
    const char *name;    /* as in options.method */
    const char *summary; /* one line */
    const char *paper;   /* key in docs/references.bib */
    unsigned laws;       /* 1 << kind for each law it takes */
    unsigned by_facets;  /* of these, the round cones in space that it replaces by facets */
    unsigned relaxed;    /* of these, the laws that it replaces by a convex one, in any dimension */
    int uses_blas;       /* its threads are kept to one (linalg/blas_threads.h) */
    int takes_compact;   /* it needs no rows of compact contacts (problem/compact.h) */

    /* Further requirements on a problem, with an error message; NULL: none. */
    mo_error (*check)(const mo_problem *problem, const mo_options *options, mo_message *why);

    /*
     * Takes the workspace (MO_HEAD) and its arrays from the arena.  Called twice: with a counting
     * arena, whose arrays are NULL, and with a real one.  Views come from the problem here too.
     */
    mo_error (*layout)(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **workspace);

    /* Iterates; the best r is in the result through mo_run_check. */
    mo_status (*solve)(mo_run *run, void *workspace);
} mo_method;

#define MO_DIGIT 0.1 /* sweeps whose changes shrink by this converge before a matrix is factored */
#define MO_ALL_LAWS ((1u << MO_LAW_KIND_COUNT) - 1u)

extern const mo_method mo_auto_method, mo_nsgs_method, mo_prox_method, mo_newton_method,
    mo_aln_method, mo_lemke_method;

extern const mo_method mo_lcp1_method, mo_lcp2_method, mo_lcp3_method;

extern const mo_method mo_acary_cadoux_method, mo_apgd_method, mo_admm_method;
extern const mo_method mo_fip_method;
extern const mo_method mo_ipm_method;
extern const mo_method mo_at_once_method, mo_small_method, mo_quick_ipm_method; /* auto's alone */
extern const mo_method mo_dantzig_method;

/* The list, in the order in which `moreau solvers` shows it; the first is the default. */
extern const mo_method *const mo_methods[];

#endif
