/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A problem under construction, shared by builder.c and builder_finish.c. */
#ifndef MO_PROBLEM_BUILDER_DATA_H
#define MO_PROBLEM_BUILDER_DATA_H

#include "base/error.h"
#include "problem/compact.h"

/* A growing array of some type. */
typedef struct mo_builder_array {
    void *data;
    size_t count, room;
} mo_builder_array;

/* A block as it was added: its constraint, its body or column, its size, and its values.
 * Compact contacts have none. */
typedef struct mo_block_record {
    int constraint, index;
    int rows, columns;
    size_t values;
} mo_block_record;

struct mo_builder {
    mo_allocator allocator;
    mo_error error; /* the first one */
    mo_message why;
    mo_builder_array body_start, mass_start, M, f, asymmetric;
    mo_builder_array row_start, law, param, w, compliance;
    mo_builder_array rigid, contacts, contact_of; /* compact.h; contact_of is -1 for rows */
    mo_builder_array blocks, values;
    int couplings, jacobians; /* whether any came */
    int has_compliance, has_rigid;
};

/* The first error is kept; it is what mo_builder_finish returns. */
static inline mo_error mo_builder_remember(mo_builder *builder, mo_error error)
{
    builder->error = error;
    return error;
}

static inline void mo_builder_remember_memory(mo_builder *builder)
{
    mo_builder_remember(builder, mo_fail_memory(&builder->why));
}

static inline int mo_builder_last_int(const mo_builder_array *p)
{
    return p->count ? ((const int *)p->data)[p->count - 1] : 0;
}

static inline int mo_builder_row_count(const mo_builder *builder)
{
    return mo_builder_last_int(&builder->row_start);
}

/* One element more; false if memory runs out, which is remembered. */
int mo_builder_append_int(mo_builder *builder, mo_builder_array *p, int value);
int mo_builder_append_size(mo_builder *builder, mo_builder_array *p, size_t value);

/* A hard Coulomb contact of finite mu, whose frame, arms and bodies the caller writes: what is of
 * another kind or size must not come here.  NULL after an error, which is remembered. */
mo_compact_contact *mo_builder_extend_contacts(mo_builder *builder, double mu, const double w[3]);

/* Frees everything. */
void mo_builder_clear(mo_builder *builder);

#endif
