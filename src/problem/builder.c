/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The builder: takes bodies, constraints and blocks as they come, then puts the blocks in order.
 *
 * Every number is checked when it arrives; what needs the whole (indices, sizes, masses) is checked
 * at the end.  The arrays grow in place and become the problem's own, so that a problem whose blocks come
 * in order is never copied.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "problem/problem_data.h"
#include "problem/views.h"

/* A growing array of some type. */
typedef struct pool {
    void *data;
    size_t count, room;
} pool;

/* A block as it came: which constraint, which body or column, its size, and where its values are. */
typedef struct block_record {
    int constraint, index;
    int rows, columns;
    size_t values;
} block_record;

struct mo_builder {
    mo_allocator allocator;
    mo_error error; /* the first one */
    mo_message why;
    pool body_start, mass_start, M, f, asymmetric;
    pool row_start, law, param, w, compliance;
    pool blocks, values;
    int couplings, jacobians; /* whether any came */
    int has_compliance;
};

static mo_error remember(mo_builder *builder, mo_error error)
{
    builder->error = error;
    return error;
}

static void remember_memory(mo_builder *builder)
{
    remember(builder, mo_fail_memory(&builder->why));
}

/* `count` new elements at the end of a pool; NULL for lack of memory, which is remembered. */
static void *extend(mo_builder *builder, pool *p, size_t count, size_t size)
{
    if (!mo_memory_grow(&builder->allocator, &p->data, &p->room, p->count + count, size)) {
        remember_memory(builder);
        return NULL;
    }
    void *first = (char *)p->data + p->count * size;
    p->count += count;
    return first;
}

static int append_doubles(mo_builder *builder, pool *p, size_t count, const double *from)
{
    if (count == 0) {
        return 1;
    }
    double *to = extend(builder, p, count, sizeof *to);
    if (!to) {
        return 0;
    }
    if (from) {
        memcpy(to, from, count * sizeof *to);
    } else {
        memset(to, 0, count * sizeof *to);
    }
    return 1;
}

static int append_int(mo_builder *builder, pool *p, int value)
{
    int *to = extend(builder, p, 1, sizeof *to);
    if (to) {
        *to = value;
    }
    return to != NULL;
}

static int append_size(mo_builder *builder, pool *p, size_t value)
{
    size_t *to = extend(builder, p, 1, sizeof *to);
    if (to) {
        *to = value;
    }
    return to != NULL;
}

mo_error mo_builder_create(const mo_allocator *allocator, mo_builder **builder)
{
    const mo_allocator own = mo_allocator_or_default(allocator);
    *builder = mo_memory_array(&own, 1, sizeof **builder);
    if (!*builder) {
        return MO_ERR_MEMORY;
    }
    memset(*builder, 0, sizeof **builder);
    (*builder)->allocator = own;
    return MO_OK;
}

static void drop_pools(mo_builder *builder)
{
    pool *const pools[] = {&builder->body_start, &builder->mass_start, &builder->M,
                           &builder->f,          &builder->asymmetric, &builder->row_start,  &builder->law,
                           &builder->param,      &builder->w,          &builder->compliance,
                           &builder->blocks,     &builder->values};
    for (size_t k = 0; k < sizeof pools / sizeof pools[0]; ++k) {
        mo_memory_free(&builder->allocator, pools[k]->data);
    }
    const mo_allocator own = builder->allocator;
    memset(builder, 0, sizeof *builder);
    builder->allocator = own;
}

void mo_builder_destroy(mo_builder *builder)
{
    if (builder) {
        const mo_allocator own = builder->allocator;
        drop_pools(builder);
        mo_memory_free(&own, builder);
    }
}

static void reserve(mo_builder *builder, pool *p, size_t count, size_t size)
{
    (void)mo_memory_grow(&builder->allocator, &p->data, &p->room, count, size); /* only a hint */
}

void mo_builder_reserve(mo_builder *builder, size_t bodies, size_t constraints, size_t blocks,
                        size_t block_values)
{
    reserve(builder, &builder->body_start, bodies + 1, sizeof(int));
    reserve(builder, &builder->mass_start, bodies + 1, sizeof(size_t));
    reserve(builder, &builder->row_start, constraints + 1, sizeof(int));
    reserve(builder, &builder->law, constraints, sizeof(mo_law_ref));
    reserve(builder, &builder->blocks, blocks, sizeof(block_record));
    reserve(builder, &builder->values, block_values, sizeof(double));
}

/* The position of the first number that is not finite, or -1. */
static long first_bad(const double *x, size_t count)
{
    for (size_t k = 0; x && k < count; ++k) {
        if (!isfinite(x[k])) {
            return (long)k;
        }
    }
    return -1;
}

static int all_finite(mo_builder *builder, const double *x, size_t count, const char *what, int number)
{
    const long bad = first_bad(x, count);
    if (bad >= 0) {
        remember(builder, mo_fail(&builder->why, MO_ERR_PROBLEM, "entry %ld of %s %d is not finite", bad,
                                  what, number));
    }
    return bad < 0;
}

/* ---- adding -------------------------------------------------------------------------------- */

static int last_int(const pool *p)
{
    return p->count ? ((const int *)p->data)[p->count - 1] : 0;
}

static int append_flag(mo_builder *builder, pool *p, int flag)
{
    uint8_t *to = extend(builder, p, 1, sizeof *to);
    if (to) {
        *to = (uint8_t)flag;
    }
    return to != NULL;
}

static int add_body(mo_builder *builder, int n, const double *M, const double *f, int asymmetric)
{
    if (builder->error) {
        return -1;
    }
    const int body = builder->body_start.count ? (int)builder->body_start.count - 1 : 0;
    const int start = last_int(&builder->body_start);
    if (n < 1 || !M || n > INT_MAX - start) {
        remember(builder, mo_fail(&builder->why, MO_ERR_PROBLEM,
                                  "body %d needs at least one velocity and a mass matrix (n = %d)", body, n));
        return -1;
    }
    const size_t square = (size_t)n * (size_t)n;
    if (!all_finite(builder, M, square, "the mass matrix of body", body) ||
        !all_finite(builder, f, (size_t)n, "the force f of body", body)) {
        return -1;
    }
    const size_t mass_start = builder->M.count;
    if (body == 0 && builder->body_start.count == 0 && !append_int(builder, &builder->body_start, 0)) {
        return -1;
    }
    const int added = append_int(builder, &builder->body_start, start + n) &&
                      append_size(builder, &builder->mass_start, mass_start) &&
                      append_doubles(builder, &builder->M, square, M) &&
                      append_doubles(builder, &builder->f, (size_t)n, f) &&
                      append_flag(builder, &builder->asymmetric, asymmetric);
    return added ? body : -1;
}

int mo_builder_add_body(mo_builder *builder, int n, const double *M, const double *f)
{
    return add_body(builder, n, M, f, 0);
}

int mo_builder_add_unsymmetric_body(mo_builder *builder, int n, const double *M, const double *f)
{
    return add_body(builder, n, M, f, 1);
}

/* The packed parameters of a law: those of the block before, where they agree. */
static int add_law(mo_builder *builder, const mo_law *law, int d)
{
    const mo_law_ops *ops = mo_law_ops_of(law->kind);
    double packed[2 * MO_LAW_MAX_DIM];
    const size_t count = (size_t)ops->param_count(d);
    ops->pack(law, d, packed);
    const pool *param = &builder->param;
    const double *last = param->data;
    const int same = count == 0 || (param->count >= count &&
                                    memcmp(last + (param->count - count), packed, count * sizeof *last) == 0);
    mo_law_ref ref = {.kind = (uint8_t)law->kind};
    const size_t at = same ? param->count - count : param->count;
    if (at > UINT32_MAX) {
        remember_memory(builder);
        return 0;
    }
    ref.param = (uint32_t)at;
    if (!same && !append_doubles(builder, &builder->param, count, packed)) {
        return 0;
    }
    mo_law_ref *to = extend(builder, &builder->law, 1, sizeof *to);
    if (to) {
        *to = ref;
    }
    return to != NULL;
}

static int add_compliance(mo_builder *builder, const mo_law *law, int d)
{
    if (law->compliance && !builder->has_compliance) { /* the blocks before were hard */
        builder->has_compliance = 1;
        const size_t before = builder->w.count - (size_t)d;
        if (!append_doubles(builder, &builder->compliance, before, NULL)) {
            return 0;
        }
    }
    return !builder->has_compliance ||
           append_doubles(builder, &builder->compliance, (size_t)d, law->compliance);
}

int mo_builder_add_constraint(mo_builder *builder, int d, const mo_law *law, const double *w)
{
    if (builder->error) {
        return -1;
    }
    const int constraint = (int)builder->law.count;
    const int start = last_int(&builder->row_start);
    mo_message inner;
    const mo_error bad = mo_law_check(law, d, &inner);
    if (bad || d > INT_MAX - start || builder->law.count >= INT_MAX) {
        remember(builder, mo_fail(&builder->why, bad ? bad : MO_ERR_PROBLEM, "constraint %d: %.400s",
                                  constraint, bad ? inner.text : "there are too many rows"));
        return -1;
    }
    if (!all_finite(builder, w, (size_t)d, "w of constraint", constraint)) {
        return -1;
    }
    if (builder->row_start.count == 0 && !append_int(builder, &builder->row_start, 0)) {
        return -1;
    }
    const int added = append_int(builder, &builder->row_start, start + d) &&
                      append_doubles(builder, &builder->w, (size_t)d, w) && add_law(builder, law, d) &&
                      add_compliance(builder, law, d);
    return added ? constraint : -1;
}

static void add_block(mo_builder *builder, block_record record, const double *values, const char *what)
{
    if (builder->error) {
        return;
    }
    if (record.constraint < 0 || record.index < 0 || record.rows < 1 || record.columns < 1 || !values) {
        remember(builder,
                 mo_fail(&builder->why, MO_ERR_PROBLEM,
                         "%s %d names block %d and has %d x %d values: numbers count from 0, sizes "
                         "from 1",
                         what, record.constraint, record.index, record.rows, record.columns));
        return;
    }
    const size_t count = (size_t)record.rows * (size_t)record.columns;
    if (!all_finite(builder, values, count, what, record.constraint)) {
        return;
    }
    record.values = builder->values.count;
    block_record *to = extend(builder, &builder->blocks, 1, sizeof *to);
    if (to && append_doubles(builder, &builder->values, count, values)) {
        *to = record;
    }
}

void mo_builder_add_jacobian(mo_builder *builder, int constraint, int body, int d, int n,
                             const double *J)
{
    builder->jacobians = 1;
    add_block(builder, (block_record){constraint, body, d, n, 0}, J, "the Jacobian of constraint");
}

void mo_builder_add_coupling(mo_builder *builder, int row, int column, int d_row, int d_column,
                             const double *W)
{
    builder->couplings = 1;
    add_block(builder, (block_record){row, column, d_row, d_column, 0}, W, "the coupling of constraint");
}

/* ---- finishing ----------------------------------------------------------------------------- */

static void *steal(pool *p)
{
    void *data = p->data;
    *p = (pool){0};
    return data;
}

static mo_error check_form(mo_builder *builder)
{
    if (builder->couplings && (builder->jacobians || builder->body_start.count)) {
        return mo_fail(&builder->why, MO_ERR_PROBLEM,
                       "a problem has bodies and Jacobians, or couplings W, but not both");
    }
    if (builder->blocks.count > INT_MAX) {
        return mo_fail(&builder->why, MO_ERR_PROBLEM, "there are more than %d blocks", INT_MAX);
    }
    return MO_OK;
}

static mo_error check_blocks(mo_builder *builder, const mo_problem *problem)
{
    const block_record *blocks = builder->blocks.data;
    const int columns = problem->form == MO_FORM_GLOBAL ? problem->body_count : problem->constraint_count;
    const char *what = problem->form == MO_FORM_GLOBAL ? "body" : "constraint";
    for (size_t k = 0; k < builder->blocks.count; ++k) {
        const block_record *block = &blocks[k];
        if (block->constraint >= problem->constraint_count || block->index >= columns) {
            return mo_fail(&builder->why, MO_ERR_PROBLEM,
                           "block %zu names constraint %d of %d and %s %d of %d", k, block->constraint,
                           problem->constraint_count, what, block->index, columns);
        }
        const int rows = mo_constraint_dim(problem, block->constraint);
        const int width = mo_block_columns(problem, block->index);
        if (block->rows != rows || block->columns != width) {
            return mo_fail(&builder->why, MO_ERR_PROBLEM,
                           "the block of constraint %d and %s %d is %d x %d, but should be %d x %d",
                           block->constraint, what, block->index, block->rows, block->columns, rows, width);
        }
    }
    return MO_OK;
}

static int compare_blocks(const void *a, const void *b)
{
    const block_record *x = a, *y = b;
    if (x->constraint != y->constraint) {
        return x->constraint < y->constraint ? -1 : 1;
    }
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return x->values < y->values ? -1 : x->values > y->values; /* equal blocks add in the order given */
}

static int is_sorted(const block_record *blocks, size_t count)
{
    for (size_t k = 1; k < count; ++k) {
        const block_record *x = &blocks[k - 1], *y = &blocks[k];
        const int rises = x->constraint < y->constraint ||
                          (x->constraint == y->constraint && x->index < y->index);
        if (!rises) {
            return 0;
        }
    }
    return 1;
}

/* Sorts the blocks, adds those given twice, and copies the values in the new order. */
static int sort_blocks(mo_builder *builder)
{
    block_record *blocks = builder->blocks.data;
    qsort(blocks, builder->blocks.count, sizeof *blocks, compare_blocks);
    const double *from = builder->values.data;
    double *to = mo_memory_array(&builder->allocator, builder->values.count, sizeof *to);
    if (!to) {
        remember_memory(builder);
        return 0;
    }
    size_t kept = 0, used = 0;
    for (size_t k = 0; k < builder->blocks.count; ++k) {
        const size_t count = (size_t)blocks[k].rows * (size_t)blocks[k].columns;
        block_record *last = kept ? &blocks[kept - 1] : NULL;
        if (last && last->constraint == blocks[k].constraint && last->index == blocks[k].index) {
            for (size_t j = 0; j < count; ++j) {
                to[last->values + j] += from[blocks[k].values + j];
            }
            continue;
        }
        memcpy(to + used, from + blocks[k].values, count * sizeof *to);
        blocks[kept] = blocks[k];
        blocks[kept++].values = used;
        used += count;
    }
    mo_memory_free(&builder->allocator, builder->values.data);
    builder->values = (pool){to, used, builder->values.count};
    builder->blocks.count = kept;
    return 1;
}

/* The rows of blocks: block_start, block_index, value_start from the sorted records. */
static int index_blocks(mo_builder *builder, mo_problem *problem)
{
    const block_record *blocks = builder->blocks.data;
    const size_t constraints = (size_t)problem->constraint_count;
    problem->block_start = mo_memory_array(&builder->allocator, constraints + 1, sizeof(int));
    problem->value_start = mo_memory_array(&builder->allocator, constraints + 1, sizeof(size_t));
    problem->block_index = mo_memory_array(&builder->allocator, builder->blocks.count, sizeof(int));
    if (!problem->block_start || !problem->value_start || !problem->block_index) {
        remember_memory(builder);
        return 0;
    }
    size_t k = 0;
    for (size_t i = 0; i <= constraints; ++i) {
        problem->block_start[i] = (int)k;
        problem->value_start[i] = k < builder->blocks.count ? blocks[k].values : builder->values.count;
        for (; k < builder->blocks.count && blocks[k].constraint == (int)i; ++k) {
            problem->block_index[k] = blocks[k].index;
        }
    }
    return 1;
}

static mo_error check_symmetric(mo_builder *builder, const double *M, int n, int body)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double a = M[(size_t)i * n + j], b = M[(size_t)j * n + i];
            const double size = sqrt(fabs(M[(size_t)i * n + i] * M[(size_t)j * n + j]));
            if (fabs(a - b) > 1e-10 * size) { /* rounding of whoever computed it, no more */
                return mo_fail(&builder->why, MO_ERR_PROBLEM,
                               "the mass matrix of body %d is not symmetric: entries (%d,%d) and (%d,%d) "
                               "are %g and %g",
                               body, i, j, j, i, a, b);
            }
        }
    }
    return MO_OK;
}

/* F, a copy of M, becomes its factor; an unsymmetric M must have a definite symmetric part as well. */
static int factor_mass(const double *M, int n, int asymmetric, double *F)
{
    const size_t square = (size_t)n * (size_t)n;
    if (asymmetric) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                F[(size_t)i * n + j] = 0.5 * (M[(size_t)i * n + j] + M[(size_t)j * n + i]);
            }
        }
        if (!mo_factor_symmetric(n, F)) {
            return 0;
        }
        memcpy(F, M, square * sizeof *F);
        return mo_factor_unsymmetric(n, F);
    }
    memcpy(F, M, square * sizeof *F);
    return mo_factor_symmetric(n, F);
}

static mo_error factor_masses(mo_builder *builder, mo_problem *problem)
{
    const size_t count = problem->mass_start[problem->body_count];
    problem->factor = mo_memory_array(&builder->allocator, count, sizeof(double));
    if (!problem->factor) {
        return mo_fail_memory(&builder->why);
    }
    problem->is_symmetric = 1;
    for (int b = 0; b < problem->body_count; ++b) {
        const int n = mo_body_dim(problem, b), asymmetric = problem->asymmetric[b];
        const double *M = problem->M + problem->mass_start[b];
        const mo_error error = asymmetric ? MO_OK : check_symmetric(builder, M, n, b);
        if (error) {
            return error;
        }
        if (!factor_mass(M, n, asymmetric, problem->factor + problem->mass_start[b])) {
            return mo_fail(&builder->why, MO_ERR_PROBLEM,
                           "the mass matrix of body %d is not positive definite: every direction of "
                           "motion needs inertia",
                           b);
        }
        problem->is_symmetric = problem->is_symmetric && !asymmetric;
    }
    return MO_OK;
}

/* Hands the arrays over; from here on they are the problem's to free. */
static void move_arrays(mo_builder *builder, mo_problem *problem)
{
    problem->body_count = builder->body_start.count ? (int)builder->body_start.count - 1 : 0;
    problem->constraint_count = (int)builder->law.count;
    problem->dof_count = last_int(&builder->body_start);
    problem->row_count = last_int(&builder->row_start);
    problem->param_count = builder->param.count;
    problem->body_start = steal(&builder->body_start);
    problem->mass_start = steal(&builder->mass_start);
    problem->M = steal(&builder->M);
    problem->f = steal(&builder->f);
    problem->asymmetric = steal(&builder->asymmetric);
    problem->row_start = steal(&builder->row_start);
    problem->law = steal(&builder->law);
    problem->param = steal(&builder->param);
    problem->w = steal(&builder->w);
    problem->compliance = steal(&builder->compliance);
}

/* Arrays into which offsets are added even where they are empty. */
static int never_null(mo_builder *builder, pool *p)
{
    const int grown = mo_memory_grow(&builder->allocator, &p->data, &p->room, 1, sizeof(double));
    if (!grown) {
        remember_memory(builder);
    }
    return grown;
}

static mo_error assemble(mo_builder *builder, mo_problem *problem)
{
    mo_error error = check_form(builder);
    if (error) {
        return error;
    }
    problem->form = builder->couplings ? MO_FORM_REDUCED : MO_FORM_GLOBAL;
    if ((!builder->body_start.count && !append_int(builder, &builder->body_start, 0)) ||
        (!builder->row_start.count && !append_int(builder, &builder->row_start, 0)) ||
        !append_size(builder, &builder->mass_start, builder->M.count) ||
        !never_null(builder, &builder->param) || !never_null(builder, &builder->values)) {
        return builder->error;
    }
    move_arrays(builder, problem);
    error = check_blocks(builder, problem);
    if (error) {
        return error;
    }
    if (!is_sorted(builder->blocks.data, builder->blocks.count) && !sort_blocks(builder)) {
        return builder->error;
    }
    if (!index_blocks(builder, problem)) {
        return builder->error;
    }
    problem->values = steal(&builder->values);
    error = factor_masses(builder, problem);
    return error ? error : mo_views_create(&problem->allocator, &problem->views);
}

mo_error mo_builder_finish(mo_builder *builder, mo_problem **out, mo_message *why)
{
    *out = NULL;
    mo_error error = builder->error;
    mo_problem *problem = NULL;
    if (!error) {
        problem = mo_memory_array(&builder->allocator, 1, sizeof *problem);
        error = problem ? MO_OK : mo_fail_memory(&builder->why);
    }
    if (problem) {
        memset(problem, 0, sizeof *problem);
        problem->allocator = builder->allocator;
        error = assemble(builder, problem);
    }
    if (error) {
        mo_say(why, "%s", builder->why.text[0] ? builder->why.text : mo_error_text(error));
        mo_problem_destroy(problem);
        problem = NULL;
    }
    drop_pools(builder);
    *out = problem;
    return error;
}
