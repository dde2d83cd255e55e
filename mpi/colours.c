/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Colours of a distributed problem: those of problem/hashed_colours.h, found in rounds (Jones and
 * Plassmann 1993).  In a round, every manifold that precedes all other uncoloured ones of its
 * bodies, on all ranks, gets the lowest colour that is free at these bodies.  A round exchanges 16
 * bytes for each copy of a body in both directions.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "problem/hashed_colours.h"
#include "spread.h"

/* A manifold, or a constraint in rows. */
typedef struct node {
    int first, count; /* constraints */
    uint64_t priority;
} node;

typedef struct rounds {
    mo_spread *s;
    node *nodes;
    int left;       /* uncoloured: the first so many of nodes */
    uint64_t *best; /* of each body: the least priority of an uncoloured node */
    int *first;     /* of each body: the first node of this rank that has it  */
    uint64_t *used; /* of each body: its colours, a bit each                   */
} rounds;

static const int *bodies_of(const mo_problem *part, int constraint, int *count)
{
    *count = part->block_start[constraint + 1] - part->block_start[constraint];
    return part->block_index + part->block_start[constraint];
}

static uint64_t priority_of(const mo_spread *s, int constraint)
{
    int count;
    const int *body = bodies_of(s->part, constraint, &count);
    return mo_node_priority(count, body, s->part->body_count, s->body_id);
}

static int continues(const mo_compact *compact, int i)
{
    const int a = i > 0 ? compact->contact_of[i - 1] : -1, b = compact->contact_of[i];
    return a >= 0 && b >= 0 && compact->contact[a].body[0] == compact->contact[b].body[0] &&
           compact->contact[a].body[1] == compact->contact[b].body[1];
}

static void make_nodes(rounds *w)
{
    const mo_spread *s = w->s;
    for (int i = 0; i < s->part->constraint_count; ++i)
        if (continues(s->compact, i))
            ++w->nodes[w->left - 1].count;
        else
            w->nodes[w->left++] = (node){i, 1, priority_of(s, i)};
}

/* op over the copies of each body, the result on all of them. */
static PetscErrorCode combine(const mo_spread *s, MPI_Op op, uint64_t *x)
{
    PetscErrorCode code = PetscSFReduceBegin(s->holders, MPI_UINT64_T, x, x, op);
    code = code ? code : PetscSFReduceEnd(s->holders, MPI_UINT64_T, x, x, op);
    code = code ? code : PetscSFBcastBegin(s->holders, MPI_UINT64_T, x, x, MPI_REPLACE);
    return code ? code : PetscSFBcastEnd(s->holders, MPI_UINT64_T, x, x, MPI_REPLACE);
}

static void find_best(rounds *w)
{
    const mo_problem *part = w->s->part;
    memset(w->best, 0xff, (size_t)part->body_count * sizeof *w->best);
    for (int n = 0; n < w->left; ++n) {
        int count;
        const int *body = bodies_of(part, w->nodes[n].first, &count);
        for (int k = 0; k < count; ++k) {
            if (w->nodes[n].priority < w->best[body[k]]) {
                w->best[body[k]] = w->nodes[n].priority;
                w->first[body[k]] = n;
            }
        }
    }
}

static int wins(const rounds *w, int n)
{
    int count;
    const int *body = bodies_of(w->s->part, w->nodes[n].first, &count);
    for (int k = 0; k < count; ++k)
        if (w->best[body[k]] != w->nodes[n].priority || w->first[body[k]] != n) return 0;
    return 1;
}

static void paint(rounds *w, const node *own)
{
    int count;
    const int *body = bodies_of(w->s->part, own->first, &count);
    uint64_t taken = 0;
    for (int k = 0; k < count; ++k)
        taken |= w->used[body[k]];
    const int colour = mo_colour_free(taken);
    memset(w->s->colour + own->first, colour, (size_t)own->count);
    for (int k = 0; k < count; ++k)
        w->used[body[k]] |= UINT64_C(1) << colour;
}

static PetscErrorCode colour_round(rounds *w)
{
    int kept = 0;
    find_best(w);
    PetscErrorCode code = combine(w->s, MPI_MIN, w->best);
    for (int n = 0; !code && n < w->left; ++n)
        if (wins(w, n))
            paint(w, w->nodes + n);
        else
            w->nodes[kept++] = w->nodes[n]; /* `first` of a body that wins later is set anew */
    w->left = kept;
    return code ? code : combine(w->s, MPI_BOR, w->used);
}

/* What fits no colour is visited one after the other: on one rank, or not at all. */
static mo_error check_rest(mo_spread *s, mo_message *why)
{
    int has_rest = 0, most = 0, with_rest = 0;
    for (int i = 0; i < s->part->constraint_count; ++i) {
        most = s->colour[i] >= most ? s->colour[i] + 1 : most;
        has_rest |= s->colour[i] == MO_COLOUR_REST;
    }
    MPI_Allreduce(&most, &s->colour_count, 1, MPI_INT, MPI_MAX, s->comm);
    MPI_Allreduce(&has_rest, &with_rest, 1, MPI_INT, MPI_SUM, s->comm);
    return with_rest <= 1 ? MO_OK
                          : mo_fail(why, MO_ERR_UNSUPPORTED,
                                    "bodies with more than %d constraints have them on %d ranks: "
                                    "all constraints of such a body must be on one",
                                    MO_COLOUR_REST / 2, with_rest);
}

static mo_error colour_all(rounds *w, mo_message *why)
{
    mo_spread *s = w->s;
    PetscErrorCode code = 0;
    make_nodes(w);
    memset(w->used, 0, (size_t)s->part->body_count * sizeof *w->used);
    for (int all_left = 1; all_left && !code;) {
        code = colour_round(w);
        MPI_Allreduce(&w->left, &all_left, 1, MPI_INT, MPI_MAX, s->comm);
    }
    const mo_error error = mo_mpi_agree(s->comm, mo_mpi_petsc_error(code, why), why);
    return error ? error : check_rest(s, why);
}

static void mark_outer(mo_spread *s)
{
    for (int i = 0; i < s->part->constraint_count; ++i) {
        int count;
        const int *body = bodies_of(s->part, i, &count);
        s->is_outer[i] = s->colour[i] == MO_COLOUR_REST;
        for (int k = 0; k < count; ++k)
            s->is_outer[i] |= s->holder_count[body[k]] > 1;
    }
}

mo_error mo_spread_colour(mo_spread *s, mo_message *why)
{
    const size_t bodies = (size_t)s->part->body_count + 1;
    const size_t constraints = (size_t)s->part->constraint_count + 1;
    rounds w = {.s = s,
                .nodes = malloc(constraints * sizeof *w.nodes),
                .best = malloc(bodies * sizeof *w.best),
                .first = malloc(bodies * sizeof *w.first),
                .used = malloc(bodies * sizeof *w.used)};
    s->colour = malloc(constraints);
    s->is_outer = malloc(constraints);
    mo_error error = w.nodes && w.best && w.first && w.used && s->colour && s->is_outer
                         ? MO_OK
                         : mo_fail_memory(why);
    error = mo_mpi_agree(s->comm, error, why);
    error = error ? error : colour_all(&w, why);
    if (!error) mark_outer(s);
    free(w.nodes);
    free(w.best);
    free(w.first);
    free(w.used);
    return error;
}
