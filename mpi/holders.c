/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Copies of bodies: a PetscSF from the owners to the copies on other ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "spread.h"

typedef struct named {
    uint32_t id;
    int body;
} named;

static int by_id(const void *a, const void *b)
{
    const uint32_t x = ((const named *)a)->id, y = ((const named *)b)->id;
    return (x > y) - (x < y);
}

/* Lists of numbers for each rank, and what comes back. */
typedef struct mail {
    int *count, *start, *count_in, *start_in;
    int total, total_in;
} mail;

static int make_mail(const mo_spread *s, mail *m)
{
    const size_t size = (size_t)s->size;
    m->count = calloc(4 * size + 4, sizeof *m->count);
    if (!m->count) return 0;
    m->start = m->count + size;
    m->count_in = m->start + size + 1;
    m->start_in = m->count_in + size;
    return 1;
}

static void address_mail(const mo_spread *s, mail *m)
{
    MPI_Alltoall(m->count, 1, MPI_INT, m->count_in, 1, MPI_INT, s->comm);
    m->total = m->total_in = 0;
    for (int k = 0; k < s->size; ++k) {
        m->start[k] = m->total;
        m->start_in[k] = m->total_in;
        m->total += m->count[k];
        m->total_in += m->count_in[k];
    }
}

/* Owned bodies by id; -1 where this rank owns none of that id. */
static int find_body(const named *own, int count, uint32_t id)
{
    const named key = {id, 0}, *found = bsearch(&key, own, (size_t)count, sizeof *own, by_id);
    return found ? found->body : -1;
}

static int sort_own(const mo_spread *s, named *own)
{
    int count = 0;
    for (int b = 0; b < s->part->body_count; ++b)
        if (s->body_rank[b] == s->rank) own[count++] = (named){s->body_id[b], b};
    qsort(own, (size_t)count, sizeof *own, by_id);
    return count;
}

static mo_error check_ids(const mo_spread *s, const named *own, int count, mo_message *why)
{
    for (int k = 1; k < count; ++k) {
        if (own[k].id == own[k - 1].id) {
            return mo_fail(why, MO_ERR_ARGUMENT, "body id %u comes twice on rank %d", own[k].id,
                           s->rank);
        }
    }
    return MO_OK;
}

typedef struct leaves {
    int count;
    int *body;     /* numbers in the part, by owner */
    int *root;     /* their number on the owner */
    uint32_t *ids; /* asked for, then those that others ask for */
} leaves;

/* Owners are asked for the numbers of their bodies. */
static mo_error ask_owners(mo_spread *s, mail *m, leaves *l, const named *own, int own_count,
                           mo_message *why)
{
    mo_error error = MO_OK;
    int *next = calloc((size_t)s->size + 1, sizeof *next);
    uint32_t *in = malloc(((size_t)m->total_in + 1) * sizeof *in);
    int *answer = malloc(((size_t)m->total_in + 1) * sizeof *answer);
    if (!next || !in || !answer) error = mo_fail_memory(why);
    error = mo_mpi_agree(s->comm, error, why);
    if (!error) {
        for (int b = 0; b < s->part->body_count; ++b) {
            const int owner = s->body_rank[b];
            if (owner != s->rank) {
                const int at = m->start[owner] + next[owner]++;
                l->body[at] = b;
                l->ids[at] = s->body_id[b];
            }
        }
        MPI_Alltoallv(l->ids, m->count, m->start, MPI_UINT32_T, in, m->count_in, m->start_in,
                      MPI_UINT32_T, s->comm);
        for (int k = 0; k < m->total_in; ++k)
            answer[k] = find_body(own, own_count, in[k]);
        MPI_Alltoallv(answer, m->count_in, m->start_in, MPI_INT, l->root, m->count, m->start,
                      MPI_INT, s->comm);
    }
    free(next);
    free(in);
    free(answer);
    return error;
}

static mo_error make_graph(mo_spread *s, const leaves *l, mo_message *why)
{
    PetscSFNode *remote = NULL;
    PetscErrorCode code = PetscMalloc1((size_t)l->count + 1, &remote);
    mo_error error = mo_mpi_petsc_error(code, why);
    for (int k = 0; !error && k < l->count; ++k) {
        remote[k] = (PetscSFNode){s->body_rank[l->body[k]], l->root[k]};
        if (l->root[k] < 0) {
            error = mo_fail(why, MO_ERR_ARGUMENT,
                            "rank %d holds body id %u of rank %d, which does not own it", s->rank,
                            s->body_id[l->body[k]], s->body_rank[l->body[k]]);
        }
    }
    error = mo_mpi_agree(s->comm, error, why);
    if (!error) {
        code = PetscSFCreate(s->comm, &s->holders);
        code = code ? code
                    : PetscSFSetGraph(s->holders, s->part->body_count, l->count, l->body,
                                      PETSC_COPY_VALUES, remote, PETSC_COPY_VALUES);
        code = code ? code : PetscSFSetUp(s->holders);
        error = mo_mpi_agree(s->comm, mo_mpi_petsc_error(code, why), why);
    }
    PetscFree(remote);
    return error;
}

/* How many ranks hold each body. */
static mo_error count_holders(mo_spread *s, mo_message *why)
{
    for (int b = 0; b < s->part->body_count; ++b)
        s->holder_count[b] = 1;
    PetscErrorCode code =
        PetscSFReduceBegin(s->holders, MPI_INT, s->holder_count, s->holder_count, MPI_SUM);
    code = code ? code
                : PetscSFReduceEnd(s->holders, MPI_INT, s->holder_count, s->holder_count, MPI_SUM);
    code = code ? code
                : PetscSFBcastBegin(s->holders, MPI_INT, s->holder_count, s->holder_count,
                                    MPI_REPLACE);
    code =
        code ? code
             : PetscSFBcastEnd(s->holders, MPI_INT, s->holder_count, s->holder_count, MPI_REPLACE);
    return mo_mpi_agree(s->comm, mo_mpi_petsc_error(code, why), why);
}

static mo_error find_with(mo_spread *s, mail *m, leaves *l, named *own, mo_message *why)
{
    const int own_count = sort_own(s, own);
    mo_error error = mo_mpi_agree(s->comm, check_ids(s, own, own_count, why), why);
    error = error ? error : ask_owners(s, m, l, own, own_count, why);
    error = error ? error : make_graph(s, l, why);
    return error ? error : count_holders(s, why);
}

mo_error mo_spread_find_holders(mo_spread *s, mo_message *why)
{
    const size_t bodies = (size_t)s->part->body_count;
    mail m = {0};
    leaves l = {0};
    named *own = malloc((bodies + 1) * sizeof *own);
    mo_error error = own && make_mail(s, &m) ? MO_OK : mo_fail_memory(why);
    error = mo_mpi_agree(s->comm, error, why);
    if (!error) {
        for (int b = 0; b < s->part->body_count; ++b) {
            const int owner = s->body_rank[b];
            m.count[owner] += owner != s->rank;
        }
        address_mail(s, &m);
        l.count = m.total;
        l.body = malloc(((size_t)m.total + 1) * sizeof *l.body);
        l.root = malloc(((size_t)m.total + 1) * sizeof *l.root);
        l.ids = malloc(((size_t)m.total + 1) * sizeof *l.ids);
        s->holder_count = malloc((bodies + 1) * sizeof *s->holder_count);
        error = l.body && l.root && l.ids && s->holder_count ? MO_OK : mo_fail_memory(why);
        error = mo_mpi_agree(s->comm, error, why);
    }
    error = error ? error : find_with(s, &m, &l, own, why);
    free(own);
    free(m.count);
    free(l.body);
    free(l.root);
    free(l.ids);
    return error;
}
