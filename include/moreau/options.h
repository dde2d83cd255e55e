/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Options of mo_solve: common options first, then one struct per method.
 *
 * Every option with a value is one row of the table below.  The struct, the defaults, the checks,
 * the flags and the --help of the program, and the printing are generated from it.  A row reads
 *
 *   NUMBER(group, field, default, least, most, text)     a double
 *   COUNT (group, field, default, least, most, text)     an int
 *   CHOICE(group, field, default, names, text)           an int that selects one of the names
 *
 * where names are separated by '|' and the value is the position in that list.
 */
#ifndef MOREAU_OPTIONS_H
#define MOREAU_OPTIONS_H

#include <math.h>

#include "moreau/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MO_OPTIONS_COMMON(NUMBER, COUNT, CHOICE)                                                   \
    NUMBER(common, tol, 1e-8, 0.0, 1.0, "relative tolerance: natural residual <= tol max(1, |q|)") \
    NUMBER(common, penetration_rate, INFINITY, 0.0, INFINITY,                                      \
           "m/s: continue sweeping while a contact closes faster, up to 1,000 sweeps")             \
    COUNT(common, max_iter, 10000, 0, 2000000000,                                                  \
          "maximum number of iterations (sweeps, pivots, ...)")                                    \
    NUMBER(common, time_limit, INFINITY, 0.0, INFINITY, "maximum wall-clock time, in s")           \
    COUNT(common, threads, 1, 1, 1024,                                                             \
          "number of threads; the result does not depend on it, bit for bit")                      \
    CHOICE(common, device, 0, "auto|cpu|gpu",                                                      \
           "where sweeps run; auto: on a GPU if there is one, the problem is large, and there "    \
           "is no time limit")                                                                     \
    CHOICE(common, canonical, 0, "no|yes|start",                                                   \
           "yes: least-norm impulses among all with the same motion; start: the initial impulses " \
           "are canonical, and are kept if they solve the problem")                                \
    CHOICE(common, refine, 0, "no|digits|rest",                                                    \
           "digits: iterate beyond the tolerance, to 1e-4 of it or to rounding; rest: the same, "  \
           "and stop early if rounding exceeds the tolerance")                                     \
    NUMBER(common, noise, 0.0, 0.0, INFINITY,                                                      \
           "m/s: norm of the errors in w, below which refinement stops")                           \
    COUNT(common, history, 0, 0, 1, "1: record every residual check")

#define MO_OPTIONS_LADDER(NUMBER, COUNT, CHOICE)                                                   \
    COUNT(ladder, skip, 0, 0, 65535,                                                               \
          "auto: bit mask of rungs to leave out; 1 is the first rung, 2 the second, 4 the third")  \
    COUNT(ladder, steps, 0, 0, 2000000000,                                                         \
          "auto: iterations on each island of the methods that factor; 0: no limit")

#define MO_OPTIONS_NSGS(NUMBER, COUNT, CHOICE)                                                     \
    NUMBER(nsgs, omega, 1.0, 0.01, 1.99,                                                           \
           "relaxation: r becomes (1 - omega) r + omega r_new, projected")                         \
    CHOICE(nsgs, order, 0, "auto|natural|coloured",                                                \
           "order of a sweep; auto: natural up to 2,000 blocks, coloured (parallel) above")        \
    NUMBER(nsgs, momentum, 0.0, 0.0, 1e6,                                                          \
           "upper bound t of the momentum factor (t - 1) / t; 10 is usual, 0: no momentum")        \
    COUNT(nsgs, check_every, 0, 0, 1000000,                                                        \
          "sweeps between residual checks; 0: from 1 to 16, growing")

#define MO_OPTIONS_PROX(NUMBER, COUNT, CHOICE)                                                     \
    CHOICE(prox, order, 0, "jacobi|gauss-seidel",                                                  \
           "Jacobi: from the last iterate (Algorithm 1); Gauss-Seidel: from the newest values")    \
    CHOICE(prox, model, 0, "conic|linearised",                                                     \
           "the exact cone (eq. 4), or friction facets (eq. 5, 13-14)")                            \
    CHOICE(prox, rule, 3, "fixed|foerg|contact|adaptive",                                          \
           "choice of the step r: prox.r; r* of eq. 32; from each diagonal block; adaptive")       \
    NUMBER(prox, r, 1.0, 1e-300, 1e300, "step of the fixed rule, in units of r over u")            \
    NUMBER(prox, zeta, 0.0, 0.0, 1e300, "relaxation (eq. 11): added to the diagonal of W")         \
    COUNT(prox, facets, 4, 3, 64,                                                                  \
          "linearised model: number of friction directions of a contact in space")

#define MO_OPTIONS_LEMKE(NUMBER, COUNT, CHOICE)                                                    \
    COUNT(lemke, facets, 8, 3, 64, "number of friction directions of a Coulomb contact in space")  \
    CHOICE(lemke, start, 0, "auto|cover|relaxed",                                                  \
           "covering vectors only, convex relaxation first, or chosen by size")                    \
    COUNT(lemke, restarts, 10, 0, 1000000,                                                         \
          "maximum number of restarts with new random numbers after a ray or a failure")           \
    COUNT(lemke, pivots, 0, 0, 2000000000,                                                         \
          "maximum number of pivots of one start; 0: 200 plus 20 for each unknown")                \
    COUNT(lemke, seed, 1, 0, 2000000000, "seed of the random covering vectors")

#define MO_OPTIONS_FIP(NUMBER, COUNT, CHOICE)                                                      \
    NUMBER(fip, beta, 0.2, 0.0, 0.99, "centring parameter of the first iteration (eq. 38)")        \
    NUMBER(fip, shrink, 1.0, 0.0, 1.0, "factor applied to beta after each iteration (step 3)")     \
    NUMBER(fip, eta, 0.95, 0.01, 0.9999,                                                           \
           "maximum fraction of the distance to the boundary (step 2)")                            \
    NUMBER(fip, rho, 0.5, 0.01, 0.99, "backtracking factor of the step length (step 2)")           \
    NUMBER(fip, sigma, 0.1, 1e-6, 0.99, "required fraction of the predicted decrease (eq. 39)")    \
    NUMBER(fip, zeta, 0.0, 0.0, 1e9,                                                               \
           "weight of the gap in the merit function; 0: square root of the number of pairs")       \
    NUMBER(fip, epsilon, 1e-6, 0.0, 1.0,                                                           \
           "gap over |q|^2 at which the active set is solved (step 3)")                            \
    COUNT(fip, facets, 8, 3, 64, "number of friction directions of a Coulomb contact in space")    \
    COUNT(fip, restarts, 10, 0, 1000000,                                                           \
          "maximum number of restarts from other interior points after a failure")                 \
    COUNT(fip, iterations, 300, 1, 2000000000, "maximum number of iterations of one start")        \
    COUNT(fip, seed, 1, 0, 2000000000, "seed of the random interior points")

#define MO_OPTIONS_LCP1(NUMBER, COUNT, CHOICE)                                                     \
    COUNT(lcp1, rescue, 1, 0, 1,                                                                   \
          "1: regularise if the fixed point does not converge; 0: as published")                   \
    NUMBER(lcp1, forcing, 0.1, 0.0, 1.0,                                                           \
           "accuracy of a convex problem relative to the last residual; 0: full accuracy")

#define MO_OPTIONS_LCP2(NUMBER, COUNT, CHOICE)                                                     \
    COUNT(lcp2, rescue, 1, 0, 1,                                                                   \
          "1: regularise if the fixed point does not converge; 0: as published")                   \
    NUMBER(lcp2, forcing, 0.1, 0.0, 1.0,                                                           \
           "accuracy of the first convex problem relative to the last residual; 0: full accuracy")

#define MO_OPTIONS_ACARY_CADOUX(NUMBER, COUNT, CHOICE)                                             \
    CHOICE(acary_cadoux, engine, 0, "newton|gradient|apgd|facets|interior|admm",                   \
           "solver of the convex problems")                                                        \
    CHOICE(acary_cadoux, outer, 1, "successive|anderson|newton",                                   \
           "update of the sliding speeds: s = F(s), Anderson mixing, or Newton")                   \
    COUNT(acary_cadoux, memory, 5, 1, 20, "depth of the Anderson mixing")                          \
    COUNT(acary_cadoux, inner, 10000, 1, 2000000000,                                               \
          "maximum number of iterations of a first-order engine for one convex problem")           \
    COUNT(acary_cadoux, rescue, 1, 0, 1,                                                           \
          "1: regularise if the fixed point does not converge; 0: as published")                   \
    NUMBER(acary_cadoux, forcing, 0.3, 0.0, 1.0,                                                   \
           "accuracy of a convex problem relative to the last residual; 0: full accuracy")         \
    NUMBER(acary_cadoux, epsilon, 0.0, 0.0, 1.0,                                                   \
           "also stop by rule (6.1) on the change of the speeds; 0: off")

#define MO_OPTIONS_APGD(NUMBER, COUNT, CHOICE)                                                     \
    CHOICE(apgd, model, 0, "exact|relaxed",                                                        \
           "the exact law, or its convex relaxation, in which a sliding contact also opens")

#define MO_OPTIONS_ADMM(NUMBER, COUNT, CHOICE)                                                     \
    NUMBER(admm, rho, 0.0, 0.0, 1e9,                                                               \
           "penalty in units of the diagonal blocks of W; 0: from the spectrum of W")              \
    COUNT(admm, adapt, 1, 0, 1, "1: adapt the penalty to the residuals; 0: fixed")

#define MO_OPTIONS_NEWTON(NUMBER, COUNT, CHOICE)                                                   \
    COUNT(newton, sweeps, 20, 1, 1000000,                                                          \
          "Gauss-Seidel sweeps before the first attempt; doubled for each further attempt")        \
    COUNT(newton, rounds, 8, 1, 1000, "maximum number of attempts")                                \
    NUMBER(newton, eps, 1e-6, 0.0, 1.0, "regularisation of the Newton matrix where W is singular") \
    CHOICE(newton, function, 0, "ac|fb",                                                           \
           "natural map (Alart-Curnier), or Fischer-Burmeister function")

#define MO_OPTIONS_IPM(NUMBER, COUNT, CHOICE)                                                      \
    COUNT(ipm, iterations, 60, 1, 1000000,                                                         \
          "maximum number of interior-point steps from one start")                                 \
    COUNT(ipm, crossover, 1, 0, 1,                                                                 \
          "1: try Newton steps on the way; 0: only at the end, from the analytic centre")

#define MO_OPTIONS_DANTZIG(NUMBER, COUNT, CHOICE)                                                  \
    COUNT(dantzig, polish, 100, 0, 1000,                                                           \
          "maximum number of Newton steps from the result of pivoting to the exact cone")          \
    COUNT(dantzig, restarts, 20, 0, 1000000,                                                       \
          "maximum number of restarts in another order after a failure")

/* All groups.  A new method adds its list above and its line here. */
#define MO_OPTIONS_TABLE(NUMBER, COUNT, CHOICE)                                                    \
    MO_OPTIONS_COMMON(NUMBER, COUNT, CHOICE)                                                       \
    MO_OPTIONS_LADDER(NUMBER, COUNT, CHOICE)                                                       \
    MO_OPTIONS_NSGS(NUMBER, COUNT, CHOICE)                                                         \
    MO_OPTIONS_PROX(NUMBER, COUNT, CHOICE)                                                         \
    MO_OPTIONS_NEWTON(NUMBER, COUNT, CHOICE)                                                       \
    MO_OPTIONS_IPM(NUMBER, COUNT, CHOICE)                                                          \
    MO_OPTIONS_LEMKE(NUMBER, COUNT, CHOICE)                                                        \
    MO_OPTIONS_FIP(NUMBER, COUNT, CHOICE)                                                          \
    MO_OPTIONS_LCP1(NUMBER, COUNT, CHOICE)                                                         \
    MO_OPTIONS_LCP2(NUMBER, COUNT, CHOICE)                                                         \
    MO_OPTIONS_ACARY_CADOUX(NUMBER, COUNT, CHOICE)                                                 \
    MO_OPTIONS_APGD(NUMBER, COUNT, CHOICE)                                                         \
    MO_OPTIONS_ADMM(NUMBER, COUNT, CHOICE)                                                         \
    MO_OPTIONS_DANTZIG(NUMBER, COUNT, CHOICE)

#define MO_FIELD_NUMBER(group, field, value, least, most, text) double field;
#define MO_FIELD_COUNT(group, field, value, least, most, text) int field;
#define MO_FIELD_CHOICE(group, field, value, names, text) int field;

/* A residual check of a method: one entry of the history. */
typedef struct mo_progress {
    int iteration;
    double seconds; /* since the start of the solve */
    /* natural residual */
    double residual;
    /* natural residual over max(1, |q|) */
    double residual_relative;
} mo_progress;

typedef struct mo_options {
    const char *method; /* name of a method (mo_method_describe); NULL: the default */

    MO_OPTIONS_COMMON(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)

    /* initial impulses, row_count numbers; NULL: zero */
    const double *start;
    const volatile int *cancel; /* tested at each iteration: the solve ends if it is not 0 */
    /* called at each residual check with the present iterate; may be NULL */
    void (*progress)(void *user, const mo_progress *now, const double *r);
    void *progress_user;

    struct {
        MO_OPTIONS_LADDER(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } ladder;
    struct {
        MO_OPTIONS_NSGS(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } nsgs;
    struct {
        MO_OPTIONS_PROX(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } prox;
    struct {
        MO_OPTIONS_NEWTON(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } newton;
    struct {
        MO_OPTIONS_IPM(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } ipm;
    struct {
        MO_OPTIONS_LCP1(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } lcp1;
    struct {
        MO_OPTIONS_LCP2(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } lcp2;
    struct {
        MO_OPTIONS_ACARY_CADOUX(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } acary_cadoux;
    struct {
        MO_OPTIONS_APGD(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } apgd;
    struct {
        MO_OPTIONS_ADMM(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } admm;
    struct {
        MO_OPTIONS_LEMKE(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } lemke;
    struct {
        MO_OPTIONS_FIP(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } fip;
    struct {
        MO_OPTIONS_DANTZIG(MO_FIELD_NUMBER, MO_FIELD_COUNT, MO_FIELD_CHOICE)
    } dantzig;
} mo_options;

MO_API mo_options mo_default_options(void);

/* Checks whether every option is inside its range. */
MO_API mo_error mo_options_check(const mo_options *options, mo_message *why);

/* Sets one option by its name ("tol", "nsgs.omega", "prox.rule") from its text ("foerg"). */
MO_API mo_error mo_options_set(mo_options *options, const char *name, const char *value,
                               mo_message *why);

/* One row of the table, for help and printing. */
typedef struct mo_option_info {
    const char *name; /* "tol", "nsgs.omega"                  */
    /* description */
    const char *text;
    const char *names; /* names of a choice, separated by '|'; otherwise NULL */
    double least, most;
    int is_count; /* an int, not a double */
} mo_option_info;

MO_API int mo_option_count(void);
MO_API mo_option_info mo_option_describe(int index);

/* Writes the value of option `index` as text ("1e-08", "foerg") to `text` of `size` bytes. */
MO_API void mo_option_print(const mo_options *options, int index, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
