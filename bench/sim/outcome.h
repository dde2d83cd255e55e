/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The results of one engine on one scene, and the line of text by which a process reports them:
 *
 *     sim STATUS name=value ... : message
 *
 * A process writes such a line from time to time and at its end.  The last one is used, so the
 * results up to a crash or a timeout are known.
 */
#ifndef BENCH_SIM_OUTCOME_H
#define BENCH_SIM_OUTCOME_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name and meaning: the fields, JSON members and CSV columns follow from this list. */
#define SIM_FIGURES(X)                                                                             \
    X(steps)            /* that were taken                                                    */   \
    X(seconds)          /* processor time in the engine only */                                    \
    X(size)             /* r: the smallest half extent of a free body, m                      */   \
    X(contacts)         /* points with an impulse in the last judged step */                       \
    X(penetration)      /* the deepest of all steps, m, found by our collision at its poses   */   \
    X(penetration_late) /* the deepest of the second half, m                                  */   \
    X(penetration_mean) /* of its own contact points that overlap, m, in the judged steps     */   \
    X(drift)            /* the largest displacement of a body, of all steps, m                */   \
    X(creep)            /* the largest displacement in the second half, over its time, m/s    */   \
    X(energy_rise)      /* above the lowest energy before, over the weight of all, m          */   \
    X(speed)            /* root mean square over the free bodies at the end, m/s              */   \
    X(residual)         /* of its impulses, by mo_measure: the median of the judged steps     */   \
    X(residual_worst)   /* the largest of them                                                */   \
    X(residual_scaled)  /* median, by mo_measure_scaled                                       */   \
    X(momentum)         /* median: part of the motion that the impulses do not explain */          \
    X(judged)           /* steps that were judged                                             */   \
    X(error)            /* relative, against a closed form; NaN if there is none           */      \
    X(error_step)       /* resolution of a measured time: one step, relative; otherwise 0 */

enum { SIM_STATUS_SIZE = 16, SIM_MESSAGE_SIZE = 200 };

typedef struct sim_outcome {
    char status[SIM_STATUS_SIZE];
#define SIM_FIELD(name) double name;
    SIM_FIGURES(SIM_FIELD)
#undef SIM_FIELD
    char message[SIM_MESSAGE_SIZE];
} sim_outcome;

extern const char *const sim_done;        /* "done"        */
extern const char *const sim_running;     /* "running"     */
extern const char *const sim_time_limit;  /* "time-limit"  */
extern const char *const sim_stopped;     /* "stopped": with a reason, or its state is not finite */
extern const char *const sim_crashed;     /* "crashed"     */
extern const char *const sim_unsupported; /* "unsupported" */

sim_outcome sim_outcome_start(void); /* running, nothing known */
void sim_outcome_end(sim_outcome *outcome, const char *status, const char *message);
/* Updates the mean of `count` runs with one more; the first unfinished run determines the
 * status. */
void sim_outcome_add(sim_outcome *mean, int count, const sim_outcome *next);
int sim_outcome_is(const sim_outcome *outcome, const char *status);

void sim_outcome_print(FILE *out, const sim_outcome *outcome);
/* The last outcome line of the text; false if there is none. */
int sim_outcome_parse(const char *text, sim_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
