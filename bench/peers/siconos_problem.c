/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* From our problem to those of Siconos. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <siconos/numerics/CSparseMatrix.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/GlobalFrictionContactProblem.h>
#include <siconos/numerics/GlobalRollingFrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/RollingFrictionContactProblem.h>
#include <siconos/numerics/SparseBlockMatrix.h>

#include "siconos.h"

enum { DENSE_ROWS_MOST = 6000 }; /* 288 MB */

struct siconos_problem {
    siconos_family family;
    FrictionContactProblem *local;
    GlobalFrictionContactProblem *global;
    RollingFrictionContactProblem *rolling;
    GlobalRollingFrictionContactProblem *global_rolling;
};

/* ---- problems that can be expressed ---------------------------------------------------------- */

static int is_global(siconos_family family)
{
    return family == SICONOS_GLOBAL_3D || family == SICONOS_GLOBAL_ROLLING;
}

static int is_rolling(siconos_family family)
{
    return family == SICONOS_LOCAL_ROLLING || family == SICONOS_GLOBAL_ROLLING;
}

static int dimension_of(siconos_family family)
{
    return is_rolling(family) ? 5 : family == SICONOS_LOCAL_2D ? 2 : 3;
}

static int is_hard(const mo_constraint_view *c)
{
    for (int k = 0; c->law.compliance && k < c->dim; ++k)
        if (c->law.compliance[k] != 0) return 0;
    return 1;
}

int siconos_takes(const siconos_config *config, const siconos_source *source)
{
    const mo_law_kind kind = is_rolling(config->family) ? MO_LAW_ROLLING : MO_LAW_COULOMB;
    const int count = mo_problem_constraint_count(source->problem);
    const int rows = mo_problem_row_count(source->problem);
    if (count == 0 || (config->storage == SICONOS_DENSE && rows > DENSE_ROWS_MOST) ||
        (is_global(config->family) && mo_problem_form(source->problem) != MO_FORM_GLOBAL))
        return 0;
    for (int i = 0; i < count; ++i) {
        const mo_constraint_view c = mo_problem_constraint(source->problem, i);
        if (c.law.kind != kind || c.dim != dimension_of(config->family) || !isfinite(c.law.mu) ||
            !isfinite(c.law.mu_rolling) || (is_global(config->family) && !is_hard(&c)))
            return 0;
    }
    return 1;
}

/* ---- W --------------------------------------------------------------------------------------- */

/* One block of W, d x d by columns, compliance included. */
typedef struct w_block {
    int row, column;
    double *values;
} w_block;

static int by_place(const void *a, const void *b)
{
    const w_block *x = a, *y = b;
    return x->row != y->row ? x->row - y->row : x->column - y->column;
}

static void fill_block(const mo_constraint_view *c, const mo_block_view *from, int row, w_block *to)
{
    const int d = c->dim;
    to->row = row;
    to->column = from ? from->index : row;
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j)
            to->values[j * d + i] = from ? from->values[i * d + j] : 0;
        if (to->column == row && c->law.compliance) to->values[i * d + i] += c->law.compliance[i];
    }
}

/* All blocks of the reduced problem, a diagonal one in each row even where it is zero; sorted.
 * NULL: no memory. */
static w_block *list_blocks(const mo_problem *reduced, int d, int *count)
{
    const int n = mo_problem_constraint_count(reduced);
    size_t most = (size_t)n;
    for (int i = 0; i < n; ++i)
        most += (size_t)mo_problem_constraint(reduced, i).block_count;
    w_block *list = malloc(most * sizeof *list);
    double *values = malloc(most * (size_t)(d * d) * sizeof *values);
    int used = 0;
    for (int i = 0; list && values && i < n; ++i) {
        const mo_constraint_view c = mo_problem_constraint(reduced, i);
        int diagonal = 0;
        for (int k = 0; k < c.block_count; ++k) {
            const mo_block_view block = mo_problem_block(reduced, i, k);
            list[used].values = values + (size_t)used * (size_t)(d * d);
            fill_block(&c, &block, i, &list[used++]);
            diagonal |= block.index == i;
        }
        if (!diagonal) {
            list[used].values = values + (size_t)used * (size_t)(d * d);
            fill_block(&c, NULL, i, &list[used++]);
        }
    }
    if (!list || !values) {
        free(list);
        free(values);
        return NULL;
    }
    qsort(list, (size_t)used, sizeof *list, by_place);
    *count = used;
    return list;
}

static NumericsMatrix *make_dense(const w_block *list, int count, int d, int n)
{
    NumericsMatrix *W = NM_create(NM_DENSE, n * d, n * d);
    memset(W->matrix0, 0, (size_t)(n * d) * (size_t)(n * d) * sizeof(double));
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < d; ++j) {
            memcpy(W->matrix0 + (size_t)(list[k].column * d + j) * (size_t)(n * d) +
                       list[k].row * d,
                   list[k].values + j * d, (size_t)d * sizeof(double));
        }
    }
    return W;
}

static NumericsMatrix *make_blocks(const w_block *list, int count, int d, int n)
{
    SparseBlockStructuredMatrix *sbm = SBM_new();
    const size_t rows = (size_t)n, blocks = (size_t)count, size = (size_t)(d * d) * sizeof(double);
    sbm->nbblocks = (unsigned)count;
    sbm->blocknumber0 = sbm->blocknumber1 = (unsigned)n;
    sbm->block = malloc(blocks * sizeof *sbm->block);
    sbm->blocksize0 = malloc(rows * sizeof *sbm->blocksize0);
    sbm->blocksize1 = malloc(rows * sizeof *sbm->blocksize1);
    sbm->filled1 = rows + 1;
    sbm->filled2 = blocks;
    sbm->index1_data = calloc(rows + 1, sizeof *sbm->index1_data);
    sbm->index2_data = malloc(blocks * sizeof *sbm->index2_data);
    for (int i = 0; i < n; ++i)
        sbm->blocksize0[i] = sbm->blocksize1[i] = (unsigned)(d * (i + 1));
    for (int k = 0; k < count; ++k) {
        sbm->block[k] = malloc(size);
        memcpy(sbm->block[k], list[k].values, size);
        sbm->index2_data[k] = (size_t)list[k].column;
        ++sbm->index1_data[list[k].row + 1];
    }
    for (int i = 0; i < n; ++i)
        sbm->index1_data[i + 1] += sbm->index1_data[i];
    return NM_new_SBM(n * d, n * d, sbm);
}

static NumericsMatrix *begin_sparse(int rows, int columns, size_t entries)
{
    NumericsMatrix *A = NM_create(NM_SPARSE, rows, columns);
    NM_triplet_alloc(A, (CS_INT)entries);
    A->matrix2->origin = NSM_TRIPLET;
    return A;
}

static NumericsMatrix *make_sparse(const w_block *list, int count, int d, int n)
{
    NumericsMatrix *W = begin_sparse(n * d, n * d, (size_t)count * (size_t)(d * d));
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < d * d; ++j)
            if (list[k].values[j] != 0)
                NM_entry(W, list[k].row * d + j % d, list[k].column * d + j / d, list[k].values[j]);
    }
    return W;
}

static NumericsMatrix *make_W(const siconos_config *config, const mo_problem *reduced, int d)
{
    int count = 0;
    const int n = mo_problem_constraint_count(reduced);
    w_block *list = list_blocks(reduced, d, &count);
    if (!list) return NULL;
    double *values = list[0].values;
    for (int k = 1; k < count; ++k)
        values = list[k].values < values ? list[k].values : values;
    NumericsMatrix *W = config->storage == SICONOS_DENSE    ? make_dense(list, count, d, n)
                        : config->storage == SICONOS_BLOCKS ? make_blocks(list, count, d, n)
                                                            : make_sparse(list, count, d, n);
    free(values);
    free(list);
    return W;
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* w of the reduced problem is q. */
static double *copy_w(const mo_problem *problem)
{
    double *w = malloc((size_t)mo_problem_row_count(problem) * sizeof *w);
    for (int i = 0; w && i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view c = mo_problem_constraint(problem, i);
        memcpy(w + c.offset, c.w, (size_t)c.dim * sizeof *w);
    }
    return w;
}

static double *copy_f(const mo_problem *problem)
{
    double *f = malloc((size_t)mo_problem_dof_count(problem) * sizeof *f);
    for (int b = 0; f && b < mo_problem_body_count(problem); ++b) {
        const mo_body_view body = mo_problem_body(problem, b);
        memcpy(f + body.offset, body.f, (size_t)body.dim * sizeof *f);
    }
    return f;
}

static double *copy_mu(const mo_problem *problem, int rolling)
{
    const int n = mo_problem_constraint_count(problem);
    double *mu = malloc((size_t)n * sizeof *mu);
    for (int i = 0; mu && i < n; ++i) {
        const mo_law law = mo_problem_constraint(problem, i).law;
        mu[i] = rolling ? law.mu_rolling : law.mu;
    }
    return mu;
}

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/* ---- M and H --------------------------------------------------------------------------------- */

static NumericsMatrix *make_M(const mo_problem *problem)
{
    size_t entries = 0;
    const int bodies = mo_problem_body_count(problem), n = mo_problem_dof_count(problem);
    for (int b = 0; b < bodies; ++b) {
        const int dim = mo_problem_body(problem, b).dim;
        entries += (size_t)dim * (size_t)dim;
    }
    NumericsMatrix *M = begin_sparse(n, n, entries);
    for (int b = 0; b < bodies; ++b) {
        const mo_body_view body = mo_problem_body(problem, b);
        for (int k = 0; k < body.dim * body.dim; ++k)
            if (body.M[k] != 0)
                NM_entry(M, body.offset + k / body.dim, body.offset + k % body.dim, body.M[k]);
    }
    return M;
}

static NumericsMatrix *make_H(const mo_problem *problem)
{
    size_t entries = 0;
    const int count = mo_problem_constraint_count(problem);
    for (int i = 0; i < count; ++i) {
        const mo_constraint_view c = mo_problem_constraint(problem, i);
        for (int k = 0; k < c.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            entries += (size_t)c.dim * (size_t)mo_problem_body(problem, block.index).dim;
        }
    }
    NumericsMatrix *H =
        begin_sparse(mo_problem_dof_count(problem), mo_problem_row_count(problem), entries + 1);
    for (int i = 0; i < count; ++i) {
        const mo_constraint_view c = mo_problem_constraint(problem, i);
        for (int k = 0; k < c.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            const mo_body_view body = mo_problem_body(problem, block.index);
            for (int j = 0; j < c.dim * body.dim; ++j) {
                if (block.values[j] != 0) {
                    NM_entry(H, body.offset + j % body.dim, c.offset + j / body.dim,
                             block.values[j]);
                }
            }
        }
    }
    return H;
}

/* ---- problems -------------------------------------------------------------------------------- */

static int make_local(const siconos_config *config, const mo_problem *reduced, siconos_problem *to)
{
    const int d = dimension_of(config->family), n = mo_problem_constraint_count(reduced);
    NumericsMatrix *W = make_W(config, reduced, d);
    double *q = copy_w(reduced), *mu = copy_mu(reduced, 0);
    if (W && q && mu && is_rolling(config->family)) {
        to->rolling =
            rollingFrictionContactProblem_new_with_data(d, n, W, q, mu, copy_mu(reduced, 1));
    } else if (W && q && mu) {
        to->local = frictionContactProblem_new_with_data(d, n, W, q, mu);
    }
    return to->rolling || to->local;
}

static int make_global(const siconos_config *config, const mo_problem *problem, siconos_problem *to)
{
    NumericsMatrix *M = make_M(problem), *H = make_H(problem);
    double *f = copy_f(problem), *w = copy_w(problem), *mu = copy_mu(problem, 0);
    if (!f || !w || !mu) return 0;
    if (is_rolling(config->family)) {
        GlobalRollingFrictionContactProblem *p = globalRollingFrictionContactProblem_new();
        p->dimension = 5;
        p->numberOfContacts = mo_problem_constraint_count(problem);
        p->M = M;
        p->H = H;
        p->q = f;
        p->b = w;
        p->mu = mu;
        p->mu_r = copy_mu(problem, 1);
        to->global_rolling = p;
    } else {
        GlobalFrictionContactProblem *p = globalFrictionContactProblem_new();
        p->dimension = 3;
        p->numberOfContacts = mo_problem_constraint_count(problem);
        p->M = M;
        p->H = H;
        p->q = f;
        p->norm_q = norm(f, mo_problem_dof_count(problem));
        p->b = w;
        p->norm_b = norm(w, mo_problem_row_count(problem));
        p->mu = mu;
        to->global = p;
    }
    return 1;
}

siconos_problem *siconos_problem_make(const siconos_config *config, const siconos_source *source)
{
    siconos_problem *problem = calloc(1, sizeof *problem);
    if (problem) {
        problem->family = config->family;
        const int made = is_global(config->family) ? make_global(config, source->problem, problem)
                                                   : make_local(config, source->reduced, problem);
        if (!made) {
            free(problem);
            problem = NULL;
        }
    }
    return problem;
}

void siconos_problem_free(siconos_problem *problem)
{
    if (problem->local) frictionContactProblem_free(problem->local);
    if (problem->global) globalFrictionContact_free(problem->global);
    if (problem->rolling) rollingFrictionContactProblem_free(problem->rolling);
    if (problem->global_rolling) globalRollingFrictionContactProblem_free(problem->global_rolling);
    free(problem);
}

int siconos_problem_solve(siconos_problem *problem, struct SolverOptions *options, double *r,
                          double *u, double *v)
{
    switch (problem->family) {
    case SICONOS_LOCAL_2D:
        return fc2d_driver(problem->local, r, u, options);
    case SICONOS_GLOBAL_3D:
        return gfc3d_driver(problem->global, r, u, v, options);
    case SICONOS_LOCAL_ROLLING:
        return rolling_fc3d_driver(problem->rolling, r, u, options);
    case SICONOS_GLOBAL_ROLLING:
        return g_rolling_fc3d_driver(problem->global_rolling, r, u, v, options);
    default:
        return fc3d_driver(problem->local, r, u, options);
    }
}
