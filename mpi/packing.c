/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scenes/packing.h"
#include "spread.h"

enum { CONTACTS_MOST = 100000000 };

typedef struct maker {
    MPI_Comm comm;
    int rank, size;
    scene_bed bed;
    int begin, end; /* balls of this rank */
    double *growth; /* of its candidates; NULL while counting */
    size_t count;
    double scale;    /* of the radii */
    int ghost_begin; /* the first ball that the part has */
    mo_builder *builder;
    int64_t contacts; /* so far */
} maker;

static void note(void *context, const scene_candidate *pair)
{
    maker *m = context;
    if (m->growth) m->growth[m->count] = pair->growth;
    ++m->count;
}

static int first_ball(const maker *m, int rank)
{
    return (int)((int64_t)m->bed.bodies * rank / m->size);
}

static int64_t count_candidates(maker *m)
{
    m->begin = first_ball(m, m->rank);
    m->end = first_ball(m, m->rank + 1);
    m->count = 0;
    scene_bed_visit(&m->bed, m->begin, m->end, note, m);
    int64_t own = (int64_t)m->count, all;
    MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, m->comm);
    return all;
}

/* As many balls as scene_packing takes. */
static void make_bed(maker *m, int contacts, uint64_t seed)
{
    for (int bodies = contacts / 3 + 1;; bodies += bodies / 8 + 1) {
        m->bed = scene_bed_of(SCENE_BALLS, bodies, seed);
        if (count_candidates(m) >= contacts) return;
    }
}

static int64_t count_up_to(const maker *m, double limit)
{
    int64_t own = 0, all;
    for (size_t k = 0; k < m->count; ++k)
        own += m->growth[k] <= limit;
    MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, m->comm);
    return all;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The growth at which so many candidates touch, by bisection: positive doubles are in the order of
 * their bits. */
static void find_scale(maker *m, int contacts)
{
    uint64_t low = 0, high = UINT64_C(0x7ff0000000000000);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (count_up_to(m, from_bits(middle)) >= contacts)
            high = middle;
        else
            low = middle + 1;
    }
    m->scale = from_bits(low);
}

static void find_ghosts(void *context, const scene_candidate *pair)
{
    maker *m = context;
    if (pair->growth <= m->scale && pair->first != SCENE_BED_WORLD)
        m->ghost_begin = pair->first < m->ghost_begin ? pair->first : m->ghost_begin;
}

static void add_contact(void *context, const scene_candidate *pair)
{
    maker *m = context;
    if (pair->growth <= m->scale) {
        mo_rigid_contact contact = scene_bed_contact(pair);
        for (int side = 0; side < 2; ++side)
            contact.body[side] -= contact.body[side] >= 0 ? m->ghost_begin : 0;
        mo_builder_add_contact(m->builder, &contact);
        ++m->contacts;
    }
}

/* Balls from the first that a contact of this rank touches; most of them are copies of one layer of
 * the rank below. */
static void add_balls(maker *m)
{
    m->ghost_begin = m->begin;
    scene_bed_visit(&m->bed, m->begin, m->end, find_ghosts, m);
    for (int body = m->ghost_begin; body < m->end; ++body) {
        double i[3], f[6];
        const double mass = scene_bed_body(&m->bed, body, m->scale, i, f);
        const double J[9] = {i[0], 0, 0, 0, i[1], 0, 0, 0, i[2]};
        mo_builder_add_rigid_body(m->builder, mass, J, f);
    }
}

static mo_error build_part(maker *m, mo_problem **part, mo_message *why)
{
    if (mo_builder_create(NULL, &m->builder)) return mo_fail_memory(why);
    mo_builder_reserve(m->builder, (size_t)(m->end - m->begin), m->count, 2 * m->count, 0);
    add_balls(m);
    scene_bed_visit(&m->bed, m->begin, m->end, add_contact, m);
    const mo_error error = mo_builder_finish(m->builder, part, why);
    mo_builder_destroy(m->builder);
    return error;
}

static int rank_of_ball(const maker *m, int ball)
{
    int rank = (int)((int64_t)ball * m->size / m->bed.bodies);
    while (ball < first_ball(m, rank))
        --rank;
    while (ball >= first_ball(m, rank + 1))
        ++rank;
    return rank;
}

static mo_error spread_part(const maker *m, mo_problem *part, mo_spread **spread, mo_message *why)
{
    const int bodies = m->end - m->ghost_begin;
    int64_t before = 0;
    uint32_t *id = malloc(((size_t)bodies + 1) * sizeof *id);
    int *owner = malloc(((size_t)bodies + 1) * sizeof *owner);
    int64_t *place = malloc(((size_t)m->contacts + 1) * sizeof *place);
    mo_error error = id && owner && place ? MO_OK : mo_fail_memory(why);
    MPI_Exscan(&m->contacts, &before, 1, MPI_INT64_T, MPI_SUM, m->comm);
    error = mo_mpi_agree(m->comm, error, why);
    if (error) {
        mo_problem_destroy(part);
    } else {
        for (int k = 0; k < bodies; ++k) {
            id[k] = (uint32_t)(m->ghost_begin + k);
            owner[k] = rank_of_ball(m, m->ghost_begin + k);
        }
        for (int64_t k = 0; k < m->contacts; ++k)
            place[k] = (m->rank ? before : 0) + k;
        error = mo_spread_create(m->comm, part, &(mo_spread_map){id, owner, place}, spread, why);
    }
    free(id);
    free(owner);
    free(place);
    return error;
}

mo_error mo_spread_packing(MPI_Comm comm, int contacts, uint64_t seed, mo_spread **spread,
                           mo_message *why)
{
    maker m = {.comm = comm};
    mo_problem *part = NULL;
    *spread = NULL;
    MPI_Comm_rank(comm, &m.rank);
    MPI_Comm_size(comm, &m.size);
    if (contacts < 1 || contacts > CONTACTS_MOST) {
        return mo_fail(why, MO_ERR_ARGUMENT, "a packing has 1 to %d contacts, not %d",
                       CONTACTS_MOST, contacts);
    }
    make_bed(&m, contacts, seed);
    m.growth = malloc((m.count + 1) * sizeof *m.growth);
    mo_error error = mo_mpi_agree(comm, m.growth ? MO_OK : mo_fail_memory(why), why);
    if (!error) {
        m.count = 0;
        scene_bed_visit(&m.bed, m.begin, m.end, note, &m);
        find_scale(&m, contacts);
        error = mo_mpi_agree(comm, build_part(&m, &part, why), why);
        error = error ? error : spread_part(&m, part, spread, why);
    }
    free(m.growth);
    return error;
}
