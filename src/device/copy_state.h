/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The state of a copy of a world during its sweeps (copy_visit.h), and its decisions. */
#ifndef MO_DEVICE_COPY_STATE_H
#define MO_DEVICE_COPY_STATE_H

#include "device/contact_visit.h"
#include "device/kernel.h"
#include "problem/pair_order.h"

enum {
    MO_COPY_THREADS = 128,
    /* threads of a copy of few contacts: more copies are then swept concurrently */
    MO_COPY_FEW = 32,
    MO_COPY_MOST = 4096 /* contacts of a copy, in the mean: more are swept by many blocks */
};

/* What follows a part. */
typedef enum mo_copy_phase {
    MO_COPY_SPEED,
    MO_COPY_APPLY,
    MO_COPY_KEEP,
    MO_COPY_LOOK,
    MO_COPY_MOVE,
    MO_COPY_VISIT,
    MO_COPY_FREE,
    MO_COPY_SUM,
    MO_COPY_DECIDE,
    MO_COPY_NEXT,
    MO_COPY_END
} mo_copy_phase;

typedef enum mo_copy_stage_name { MO_COPY_NEW, MO_COPY_SWEEPS, MO_COPY_VERDICT } mo_copy_stage_name;

typedef struct mo_copy_state {
    mo_pace pace;
    double scale, goal;       /* max(1, |q|); of the natural residual */
    double natural, approach; /* of the last look */
    int due;                  /* sweep of the next look */
    int stage;                /* mo_copy_stage_name */
    int is_solved, is_over;
} mo_copy_state;

/* As mo_sweep_goal, for every copy; natural: over max(1, |q|). */
typedef struct mo_copy_goal {
    double tolerance; /* natural: the goal of the sweeps, slightly smaller */
    double natural, rate, momentum;
    double friction;      /* the largest */
    int rate_until, most; /* sweeps */
} mo_copy_goal;

typedef struct mo_copy_args {
    mo_visit_args visit;
    double *impulses[2]; /* r and other, in turn */
    const mo_line *free_line;
    const int *start; /* slots or manifolds of each copy and colour */
    int per_copy, has_manifolds;
    int threads; /* of a block */
    mo_copy_goal goal;
    int until; /* sweeps after which it continues in another launch */
    mo_copy_state *state;
} mo_copy_args;

typedef struct mo_copy_shared {
    mo_visit_args visit[2]; /* of even and odd sweeps */
    mo_copy_state state;
    mo_term strand[MO_COPY_THREADS], group[MO_COPY_THREADS / MO_GROUP];
    int next; /* mo_copy_phase */
} mo_copy_shared;

typedef struct mo_copy_own {
    mo_term term;
    int phase, colour, after; /* after: the phase whose sum is taken */
} mo_copy_own;

MO_ANY int mo_copy_start(const mo_copy_args *a, int copy, int colour)
{
    return a->start[(size_t)copy * MO_COLOURS + (size_t)colour];
}

/* Its impulses: begin and end. */
MO_ANY size_t mo_copy_impulse(const mo_copy_args *a, int copy)
{
    const int at = mo_copy_start(a, copy, 0);
    return a->has_manifolds ? a->visit.points_from + (size_t)a->visit.manifolds.first[at]
                            : (size_t)at;
}

/* ---- decisions, by the first thread ---------------------------------------------------------- */

/* As in solver/device_sweeps.c: 2, 4, 8, then every 8, 16 and 32. */
MO_ANY int mo_copy_next_check(int sweeps)
{
    return sweeps + (sweeps < 2     ? 2
                     : sweeps < 8   ? sweeps
                     : sweeps < 120 ? 8
                     : sweeps < 248 ? 16
                                    : 32);
}

MO_ANY int mo_copy_contacts(const mo_copy_args *a, int copy)
{
    return (int)(mo_copy_impulse(a, copy + 1) - mo_copy_impulse(a, copy));
}

MO_ANY void mo_copy_set_pace(const mo_copy_args *a, int copy, mo_pace *now)
{
    const mo_sweep_pace pace =
        mo_sweep_pace_at(mo_copy_contacts(a, copy), now->sweeps, a->goal.momentum);
    if (now->sweeps == 0) {
        now->momentum = mo_momentum_begin(pace.cap);
        now->beta = pace.cap > 1 ? mo_momentum_next(&now->momentum) : 0;
    } else if (pace.is_new) {
        mo_momentum_allow(&now->momentum, pace.cap);
    }
    now->relax_N = pace.relax_N;
    now->relax_T = pace.relax_T;
}

MO_ANY int mo_copy_is_at_its_end(const mo_copy_args *a, const mo_copy_state *state)
{
    const int sweeps = state->pace.sweeps;
    return sweeps >= a->goal.most || (sweeps > 0 && state->pace.moved == 0);
}

/* After a look between sweeps. */
MO_ANY int mo_copy_continues(const mo_copy_args *a, int copy, mo_copy_shared *s)
{
    mo_copy_state *state = &s->state;
    const int sweeps = state->pace.sweeps,
              passes = state->natural <= state->goal &&
                       (state->approach <= a->goal.rate || sweeps >= a->goal.rate_until);
    if (passes || mo_copy_is_at_its_end(a, state)) {
        state->stage = MO_COPY_VERDICT;
        return MO_COPY_FREE;
    }
    mo_copy_set_pace(a, copy, &state->pace);
    state->due = mo_copy_next_check(sweeps);
    s->visit[0].shift = s->visit[1].shift =
        mo_is_steep(a->goal.friction, sweeps) ? a->visit.shift : NULL;
    return MO_COPY_MOVE;
}

/* From the impulses only. */
MO_ANY int mo_copy_verdict(const mo_copy_args *a, mo_copy_state *state)
{
    state->is_solved = state->natural <= a->goal.tolerance * state->scale;
    state->is_over = state->is_solved || mo_copy_is_at_its_end(a, state);
    state->goal *= 0.7;
    state->stage = MO_COPY_SWEEPS;
    return state->is_over ? MO_COPY_END : MO_COPY_LOOK;
}

MO_ANY int mo_copy_decide(const mo_copy_args *a, int copy, int after, mo_copy_shared *s)
{
    mo_copy_state *state = &s->state;
    mo_term sum = s->group[0];
    for (int g = 1; g < a->threads / MO_GROUP; ++g)
        sum = mo_term_add(sum, s->group[g]);
    if (after == MO_COPY_SPEED) {
        state->scale = mo_larger(1, sqrt(sum.sum));
        state->goal = a->goal.natural * state->scale;
        state->stage = MO_COPY_SWEEPS;
        return MO_COPY_APPLY;
    }
    if (after == MO_COPY_LOOK) {
        state->natural = sqrt(sum.sum);
        state->approach = sum.largest;
        return state->stage == MO_COPY_VERDICT ? mo_copy_verdict(a, state)
                                               : mo_copy_continues(a, copy, s);
    }
    mo_pace_next(&state->pace, sum.sum);
    return state->pace.sweeps < state->due && state->pace.sweeps < a->goal.most ? MO_COPY_MOVE
           : state->pace.sweeps >= a->until                                     ? MO_COPY_END
                                                                                : MO_COPY_LOOK;
}

#endif
