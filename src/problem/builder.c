/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The builder: collects bodies, constraints and blocks in any order, then sorts the blocks.
 *
 * Every number is checked when it is added; indices, sizes and masses are checked at the end.  The
 * arrays grow in place and become those of the problem, so a problem whose blocks are added in
 * order is never copied.  builder_finish.c completes the problem.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "problem/builder_data.h"

/* The contacts of a heap come one by one: what is the same for all of them is found by the
 * compiler. */
#define INLINE static inline __attribute__((always_inline))

/* `count` new elements at the end of an array; NULL if memory runs out, which is recorded. */
INLINE void *extend(mo_builder *builder, mo_builder_array *p, size_t count, size_t size)
{
    if (!mo_memory_grow(&builder->allocator, &p->data, &p->room, p->count + count, size)) {
        mo_builder_remember_memory(builder);
        return NULL;
    }
    void *first = (char *)p->data + p->count * size;
    p->count += count;
    return first;
}

INLINE int append_doubles(mo_builder *builder, mo_builder_array *p, size_t count,
                          const double *from)
{
    if (count == 0) return 1;
    double *to = extend(builder, p, count, sizeof *to);
    if (!to) return 0;
    for (size_t k = 0; k < count; ++k) /* few: shorter than a call of memcpy */
        to[k] = from ? from[k] : 0;
    return 1;
}

/* One element more: APPEND(builder, &builder->row_start, int, 3); false if memory runs out. */
#define APPEND(builder, array, type, ...)                                                          \
    (extend((builder), (array), 1, sizeof(type)) &&                                                \
     (((type *)(array)->data)[(array)->count - 1] = (__VA_ARGS__), 1))

int mo_builder_append_int(mo_builder *builder, mo_builder_array *p, int value)
{
    return APPEND(builder, p, int, value);
}

int mo_builder_append_size(mo_builder *builder, mo_builder_array *p, size_t value)
{
    return APPEND(builder, p, size_t, value);
}

mo_error mo_builder_create(const mo_allocator *allocator, mo_builder **builder)
{
    MO_NEED(builder, NULL);
    const mo_allocator own = mo_allocator_or_default(allocator);
    *builder = mo_memory_zeros(&own, 1, sizeof **builder);
    MO_NEED_MEMORY(*builder, NULL);
    (*builder)->allocator = own;
    return MO_OK;
}

void mo_builder_clear(mo_builder *builder)
{
    mo_builder_array *const arrays[] = {
        &builder->body_start, &builder->mass_start, &builder->M,         &builder->f,
        &builder->asymmetric, &builder->row_start,  &builder->law,       &builder->param,
        &builder->w,          &builder->compliance, &builder->blocks,    &builder->values,
        &builder->rigid,      &builder->contacts,   &builder->contact_of};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k)
        mo_memory_free(&builder->allocator, arrays[k]->data);
    const mo_allocator own = builder->allocator;
    memset(builder, 0, sizeof *builder);
    builder->allocator = own;
}

void mo_builder_destroy(mo_builder *builder)
{
    if (builder) {
        const mo_allocator own = builder->allocator;
        mo_builder_clear(builder);
        mo_memory_free(&own, builder);
    }
}

static void reserve(mo_builder *builder, mo_builder_array *p, size_t count, size_t size)
{
    (void)mo_memory_grow(&builder->allocator, &p->data, &p->room, count, size); /* only a hint */
}

void mo_builder_reserve(mo_builder *builder, size_t bodies, size_t constraints, size_t blocks,
                        size_t block_values)
{
    MO_NEED_OR(, builder, NULL);
    reserve(builder, &builder->body_start, bodies + 1, sizeof(int));
    reserve(builder, &builder->mass_start, bodies + 1, sizeof(size_t));
    reserve(builder, &builder->row_start, constraints + 1, sizeof(int));
    reserve(builder, &builder->law, constraints, sizeof(mo_law_ref));
    reserve(builder, &builder->w, 3 * constraints, sizeof(double));
    reserve(builder, &builder->contact_of, constraints, sizeof(int));
    reserve(builder, &builder->M, 36 * bodies, sizeof(double));
    reserve(builder, &builder->f, 6 * bodies, sizeof(double));
    reserve(builder, &builder->rigid, bodies, sizeof(mo_rigid));
    if (block_values == 0) /* contacts, in compact form */
        reserve(builder, &builder->contacts, constraints, sizeof(mo_compact_contact));
    reserve(builder, &builder->blocks, blocks, sizeof(mo_block_record));
    reserve(builder, &builder->values, block_values, sizeof(double));
}

/* The position of the first number that is not finite, or -1. */
INLINE long first_bad(const double *x, size_t count)
{
    double none = 0; /* NaN if one of them is not finite */
    for (size_t k = 0; x && k < count; ++k)
        none += 0 * x[k];
    for (size_t k = 0; none != 0 && k < count; ++k)
        if (!isfinite(x[k])) return (long)k;
    return -1;
}

INLINE int all_finite(mo_builder *builder, const double *x, size_t count, const char *what,
                      int number)
{
    const long bad = first_bad(x, count);
    if (bad >= 0) {
        mo_builder_remember(builder,
                            mo_fail(&builder->why, MO_ERR_PROBLEM,
                                    "entry %ld of %s %d is not finite", bad, what, number));
    }
    return bad < 0;
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* That of a rigid body (NULL) is written with the rows, if ever. */
static int append_mass(mo_builder *builder, size_t square, const double *M)
{
    return M ? append_doubles(builder, &builder->M, square, M)
             : extend(builder, &builder->M, square, sizeof *M) != NULL;
}

static int add_body(mo_builder *builder, int n, const double *M, const double *f, int asymmetric,
                    const mo_rigid *rigid)
{
    if (builder->error) return -1;
    const int body = builder->body_start.count ? (int)builder->body_start.count - 1 : 0;
    const int start = mo_builder_last_int(&builder->body_start);
    if (n < 1 || !(M || rigid->mass > 0) || n > INT_MAX - start) {
        mo_builder_remember(
            builder,
            mo_fail(&builder->why, MO_ERR_PROBLEM,
                    "body %d needs at least one velocity and a mass matrix (n = %d)", body, n));
        return -1;
    }
    const size_t square = (size_t)n * (size_t)n;
    if (!all_finite(builder, M, square, "the mass matrix of body", body) ||
        !all_finite(builder, f, (size_t)n, "the force f of body", body))
        return -1;
    const size_t mass_start = builder->M.count;
    if (body == 0 && builder->body_start.count == 0 &&
        !mo_builder_append_int(builder, &builder->body_start, 0))
        return -1;
    const int added = mo_builder_append_int(builder, &builder->body_start, start + n) &&
                      mo_builder_append_size(builder, &builder->mass_start, mass_start) &&
                      append_mass(builder, square, M) &&
                      append_doubles(builder, &builder->f, (size_t)n, f) &&
                      APPEND(builder, &builder->asymmetric, uint8_t, (uint8_t)asymmetric) &&
                      APPEND(builder, &builder->rigid, mo_rigid, *rigid);
    return added ? body : -1;
}

int mo_builder_add_body(mo_builder *builder, int n, const double *M, const double *f)
{
    MO_NEED_OR(-1, builder, NULL);
    return add_body(builder, n, M, f, 0, &(mo_rigid){0});
}

int mo_builder_add_unsymmetric_body(mo_builder *builder, int n, const double *M, const double *f)
{
    MO_NEED_OR(-1, builder, NULL);
    return add_body(builder, n, M, f, 1, &(mo_rigid){0});
}

int mo_builder_add_rigid_body(mo_builder *builder, double mass, const double J[9], const double *f)
{
    MO_NEED_OR(-1, builder, NULL);
    if (builder->error) return -1;
    const double none[9] = {0}; /* no inertia is refused below */
    J = J ? J : none;
    const mo_rigid rigid = mo_rigid_of(mass, J);
    if (!(mass > 0) || !isfinite(rigid.inverse_mass) || !mo_mat3_is_positive_definite(J) ||
        first_bad(J, 9) >= 0 || first_bad(rigid.inverse_inertia, 6) >= 0) {
        mo_builder_remember(
            builder, mo_fail(&builder->why, MO_ERR_PROBLEM,
                             "rigid body %zu needs a positive mass and a positive definite inertia",
                             builder->rigid.count));
        return -1;
    }
    builder->has_rigid = 1;
    return add_body(builder, 6, NULL, f, 0, &rigid);
}

/* The packed parameters of a law, shared with the previous block if equal. */
INLINE int add_law(mo_builder *builder, mo_law_kind kind, size_t count, const double *packed)
{
    const mo_builder_array *param = &builder->param;
    int same = param->count >= count;
    for (size_t k = 0; same && k < count; ++k)
        same = ((const double *)param->data)[param->count - count + k] == packed[k];
    mo_law_ref ref = {.kind = (uint8_t)kind};
    const size_t at = same ? param->count - count : param->count;
    if (at > UINT32_MAX) {
        mo_builder_remember_memory(builder);
        return 0;
    }
    ref.param = (uint32_t)at;
    if (!same && !append_doubles(builder, &builder->param, count, packed)) return 0;
    return APPEND(builder, &builder->law, mo_law_ref, ref);
}

static int add_compliance(mo_builder *builder, const double *compliance, int d)
{
    if (compliance && !builder->has_compliance) { /* the previous blocks had no compliance */
        builder->has_compliance = 1;
        const size_t before = builder->w.count - (size_t)d;
        MO_PASS(append_doubles(builder, &builder->compliance, before, NULL));
    }
    return !builder->has_compliance ||
           append_doubles(builder, &builder->compliance, (size_t)d, compliance);
}

/* A constraint of d rows whose law has passed its check and has these parameters; contact: its
 * number, or -1 for rows. */
INLINE int append_constraint(mo_builder *builder, int d, const mo_law *law, size_t count,
                             const double *packed, const double *w, int contact)
{
    const int constraint = (int)builder->law.count;
    const int start = mo_builder_last_int(&builder->row_start);
    if (d > INT_MAX - start || builder->law.count >= INT_MAX) {
        mo_builder_remember(builder, mo_fail(&builder->why, MO_ERR_PROBLEM,
                                             "constraint %d: there are too many rows", constraint));
        return -1;
    }
    if (!all_finite(builder, w, (size_t)d, "w of constraint", constraint)) return -1;
    if (builder->row_start.count == 0 && !mo_builder_append_int(builder, &builder->row_start, 0))
        return -1;
    const int added = APPEND(builder, &builder->row_start, int, start + d) &&
                      append_doubles(builder, &builder->w, (size_t)d, w) &&
                      add_law(builder, law->kind, count, packed) &&
                      add_compliance(builder, law->compliance, d) &&
                      APPEND(builder, &builder->contact_of, int, contact);
    return added ? constraint : -1;
}

int mo_builder_add_constraint(mo_builder *builder, int d, const mo_law *law, const double *w)
{
    MO_NEED_OR(-1, builder, NULL);
    if (builder->error) return -1;
    mo_message inner;
    double packed[2 * MO_LAW_MAX_DIM];
    const mo_error bad = mo_law_check(law, d, &inner);
    if (bad) {
        mo_builder_remember(builder, mo_fail(&builder->why, bad, "constraint %d: %.400s",
                                             (int)builder->law.count, inner.text));
        return -1;
    }
    mo_law_pack(law, d, packed);
    return append_constraint(
        builder, d, law, (size_t)mo_law_param_count(mo_law_ops_of(law->kind), d), packed, w, -1);
}

static int check_contact(mo_builder *builder, const mo_rigid_contact *contact, int constraint)
{
    const char *wrong =
        !contact ? "is NULL"
        : contact->body[0] < -1 || contact->body[1] < -1 || contact->body[0] == contact->body[1]
            ? "needs two bodies, or one and the world"
        : !mo_is_frame(contact->frame, 3, 1e-8)     ? "has a frame that is not orthonormal"
        : !(contact->mu >= 0) || isinf(contact->mu) ? "needs a finite friction coefficient"
                                                    : NULL;
    if (wrong) {
        mo_builder_remember(
            builder, mo_fail(&builder->why, MO_ERR_PROBLEM, "contact %d %s", constraint, wrong));
    }
    return !wrong && all_finite(builder, contact->arm[0], 6, "the arms of contact", constraint);
}

mo_compact_contact *mo_builder_extend_contacts(mo_builder *builder, double mu, const double w[3])
{
    const int number = (int)builder->contacts.count;
    const mo_law law = {.kind = MO_LAW_COULOMB, .mu = mu};
    builder->jacobians = 1;
    return !builder->error && append_constraint(builder, 3, &law, 1, &mu, w, number) >= 0
               ? extend(builder, &builder->contacts, 1, sizeof(mo_compact_contact))
               : NULL;
}

int mo_builder_add_contact(mo_builder *builder, const mo_rigid_contact *contact)
{
    MO_NEED_OR(-1, builder, NULL);
    const int constraint = (int)builder->law.count;
    if (builder->error || !check_contact(builder, contact, constraint)) return -1;
    mo_compact_contact *to = mo_builder_extend_contacts(builder, contact->mu, contact->w);
    if (!to) return -1;
    memcpy(to->frame, contact->frame, sizeof to->frame);
    memcpy(to->arm, contact->arm, sizeof to->arm);
    memcpy(to->body, contact->body, sizeof to->body);
    return constraint;
}

static void add_block(mo_builder *builder, mo_block_record record, const double *values,
                      const char *what)
{
    if (builder->error) return;
    if (record.constraint < 0 || record.index < 0 || record.rows < 1 || record.columns < 1 ||
        !values) {
        mo_builder_remember(
            builder,
            mo_fail(&builder->why, MO_ERR_PROBLEM,
                    "%s %d names block %d and has %d x %d values: numbers count from 0, sizes "
                    "from 1",
                    what, record.constraint, record.index, record.rows, record.columns));
        return;
    }
    const size_t count = (size_t)record.rows * (size_t)record.columns;
    if (!all_finite(builder, values, count, what, record.constraint)) return;
    record.values = builder->values.count;
    mo_block_record *to = extend(builder, &builder->blocks, 1, sizeof *to);
    if (to && append_doubles(builder, &builder->values, count, values)) *to = record;
}

void mo_builder_add_jacobian(mo_builder *builder, int constraint, int body, int d, int n,
                             const double *J)
{
    MO_NEED_OR(, builder, NULL);
    builder->jacobians = 1;
    add_block(builder, (mo_block_record){constraint, body, d, n, 0}, J,
              "the Jacobian of constraint");
}

void mo_builder_add_coupling(mo_builder *builder, int row, int column, int d_row, int d_column,
                             const double *W)
{
    MO_NEED_OR(, builder, NULL);
    builder->couplings = 1;
    add_block(builder, (mo_block_record){row, column, d_row, d_column, 0}, W,
              "the coupling of constraint");
}
