/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "body_system.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

enum {
    FACTORED_MOST = 300000, /* velocities: more go to GAMG, whose memory grows linearly */
    INNER_STEPS = 2000,
    GMRES_STEPS = 200 /* without a restart */
};
/* Relative residuals of the iterations; a step of Newton need not be exact. */
static const double INNER = 1e-11, INNER_OF_NEWTON = 1e-9;

/* ---- construction ---------------------------------------------------------------------------- */

static PetscErrorCode number_velocities(mo_body_system *b)
{
    const mo_spread *s = b->s;
    PetscInt own = 0, before = 0;
    for (int k = 0; k < s->part->body_count; ++k) {
        if (s->body_rank[k] == s->rank) {
            b->first[k] = own;
            own += mo_body_dim(s->part, k);
        }
    }
    MPI_Exscan(&own, &before, 1, MPIU_INT, MPI_SUM, s->comm);
    for (int k = 0; k < s->part->body_count; ++k)
        b->first[k] += s->rank ? before : 0;
    PetscErrorCode code = PetscSFBcastBegin(s->holders, MPIU_INT, b->first, b->first, MPI_REPLACE);
    code = code ? code : PetscSFBcastEnd(s->holders, MPIU_INT, b->first, b->first, MPI_REPLACE);
    code = code ? code : VecCreateMPI(s->comm, own, PETSC_DETERMINE, &b->right);
    return code ? code : VecDuplicate(b->right, &b->answer);
}

/* ---- the matrix' pattern -------------------------------------------------------------------- */

/* Blocks in the row of each own body at most: its own, and one for each body of its constraints. */
static PetscErrorCode count_blocks(const mo_body_system *b, double *degree)
{
    const mo_problem *part = b->s->part;
    for (int i = 0; i < part->constraint_count; ++i) {
        const int first = part->block_start[i], last = part->block_start[i + 1];
        for (int k = first; k < last; ++k)
            degree[(size_t)part->block_index[k] * (size_t)b->width] += last - first - 1;
    }
    return mo_bodies_combine(b, degree);
}

static PetscInt least(double a, PetscInt b)
{
    return a < (double)b ? (PetscInt)a : b;
}

/* Entries of each row (of each row of blocks) in this rank's columns and in the others'. */
static int fill_counts(const mo_body_system *b, const double *degree, PetscInt own, PetscInt all,
                       PetscInt *inside, PetscInt *outside)
{
    const mo_problem *part = b->s->part;
    const int block = b->is_uniform ? b->width : 1;
    int rows = 0;
    for (int k = 0; k < part->body_count; ++k) {
        if (b->s->body_rank[k] != b->s->rank) continue;
        const double count =
            (1 + degree[(size_t)k * (size_t)b->width]) * (b->is_uniform ? 1 : b->width);
        for (int j = 0; j < mo_body_dim(part, k) / block; ++j, ++rows) {
            inside[rows] = least(count, own / block);
            outside[rows] = least(count, (all - own) / block);
        }
    }
    return rows;
}

static const char *type_of(const mo_body_system *b)
{
    return !b->is_uniform || b->is_iterative ? MATAIJ : b->is_symmetric ? MATSBAIJ : MATBAIJ;
}

static PetscErrorCode lay_out(mo_body_system *b, const PetscInt *inside, const PetscInt *outside)
{
    PetscInt own, all;
    PetscErrorCode code = VecGetLocalSize(b->right, &own);
    code = code ? code : VecGetSize(b->right, &all);
    code = code ? code : MatCreate(b->s->comm, &b->matrix);
    code = code ? code : MatSetSizes(b->matrix, own, own, all, all);
    code = code ? code : MatSetBlockSize(b->matrix, b->is_uniform ? b->width : 1);
    code = code ? code : MatSetType(b->matrix, type_of(b));
    code = code ? code
                : MatXAIJSetPreallocation(b->matrix, b->is_uniform ? b->width : 1, inside, outside,
                                          inside, outside);
    if (!code && strcmp(type_of(b), MATSBAIJ) == 0)
        code = MatSetOption(b->matrix, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE);
    return code;
}

static PetscErrorCode create_matrix(mo_body_system *b)
{
    const size_t numbers = (size_t)b->s->part->body_count * (size_t)b->width;
    PetscInt own, all, *inside = NULL, *outside = NULL;
    double *degree = calloc(numbers + 1, sizeof *degree);
    PetscErrorCode code =
        degree ? PetscMalloc2(numbers + 1, &inside, numbers + 1, &outside) : PETSC_ERR_MEM;
    code = code ? code : VecGetLocalSize(b->right, &own);
    code = code ? code : VecGetSize(b->right, &all);
    code = code ? code : count_blocks(b, degree);
    if (!code) {
        fill_counts(b, degree, own, all, inside, outside);
        code = lay_out(b, inside, outside);
    }
    PetscFree2(inside, outside);
    free(degree);
    return code;
}

/* ---- the solver ----------------------------------------------------------------------------- */

static int wants_iteration(const mo_spread *s, PetscInt size)
{
#ifdef PETSC_HAVE_MUMPS
    return s->linear == MO_LINEAR_MULTIGRID ||
           (s->linear == MO_LINEAR_AUTO && size > FACTORED_MOST);
#else
    (void)s;
    (void)size;
    return 1;
#endif
}

/* Conjugate gradients that start from the solution before; of an unsymmetric matrix GMRES. */
static PetscErrorCode set_iteration(const mo_body_system *b, PC pc)
{
    const int steps = b->is_symmetric ? INNER_STEPS : GMRES_STEPS;
    const double inner = b->is_symmetric ? INNER : INNER_OF_NEWTON;
    PetscErrorCode code = KSPSetType(b->solver, b->is_symmetric ? KSPCG : KSPGMRES);
    if (!code) {
        code = b->is_symmetric ? KSPSetInitialGuessNonzero(b->solver, PETSC_TRUE)
                               : KSPGMRESSetRestart(b->solver, GMRES_STEPS);
    }
    code = code ? code : PCSetType(pc, PCGAMG);
    return code ? code : KSPSetTolerances(b->solver, inner, PETSC_DEFAULT, PETSC_DEFAULT, steps);
}

static PetscErrorCode create_solver(mo_body_system *b)
{
    PC pc;
    PetscErrorCode code = KSPCreate(b->s->comm, &b->solver);
    code = code ? code : KSPGetPC(b->solver, &pc);
    if (code || b->is_iterative) return code ? code : set_iteration(b, pc);
    code = KSPSetType(b->solver, KSPPREONLY);
    code = code ? code : PCSetType(pc, b->is_symmetric ? PCCHOLESKY : PCLU);
    return code ? code : PCFactorSetMatSolverType(pc, MATSOLVERMUMPS);
}

/* The number of velocities of a body, and whether all have it. */
static void find_width(mo_body_system *b)
{
    int bounds[2] = {1, 1}; /* the largest, and the least with a minus */
    const mo_problem *part = b->s->part;
    bounds[1] = -INT_MAX;
    for (int k = 0; k < part->body_count; ++k) {
        const int n = mo_body_dim(part, k);
        bounds[0] = n > bounds[0] ? n : bounds[0];
        bounds[1] = -n > bounds[1] ? -n : bounds[1];
    }
    MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT, MPI_MAX, b->s->comm);
    b->width = bounds[0];
    b->is_uniform = bounds[0] == -bounds[1];
}

PetscErrorCode mo_body_system_create(mo_spread *s, int is_symmetric, mo_body_system *b)
{
    PetscInt size;
    *b = (mo_body_system){.s = s, .is_symmetric = is_symmetric};
    find_width(b);
    if (b->width > 1) {
        MPI_Type_contiguous(b->width, MPIU_SCALAR, &b->unit);
        MPI_Type_commit(&b->unit);
    } else {
        b->unit = MPIU_SCALAR; /* PetscSF adds no elements of a type that is one number */
    }
    mo_problem_write_rows(s->part);
    PetscErrorCode code = PetscMalloc1((size_t)s->part->body_count + 1, &b->first);
    code = code ? code : number_velocities(b);
    code = code ? code : VecGetSize(b->right, &size);
    if (code) return code;
    b->is_iterative = wants_iteration(s, size);
    code = create_matrix(b);
    return code ? code : create_solver(b);
}

void mo_body_system_destroy(mo_body_system *b)
{
    KSPDestroy(&b->solver);
    MatDestroy(&b->matrix);
    VecDestroy(&b->right);
    VecDestroy(&b->answer);
    PetscFree(b->first);
    if (b->unit && b->width > 1) MPI_Type_free(&b->unit);
}

/* ---- vectors -------------------------------------------------------------------------------- */

void mo_bodies_push(const mo_body_system *b, const double *y, double *x)
{
    const mo_problem *part = b->s->part;
    for (int i = 0; i < part->constraint_count; ++i) {
        const double *J = part->values + part->value_start[i], *own = y + part->row_start[i];
        const int d = mo_constraint_dim(part, i);
        for (int k = part->block_start[i]; k < part->block_start[i + 1]; ++k) {
            const int body = part->block_index[k], n = mo_body_dim(part, body);
            for (int j = 0; j < d; ++j, J += n)
                mo_axpy(n, own[j], J, x + (size_t)body * (size_t)b->width);
        }
    }
}

void mo_bodies_pull(const mo_body_system *b, const double *x, double *y)
{
    const mo_problem *part = b->s->part;
    for (int i = 0; i < part->constraint_count; ++i) {
        const double *J = part->values + part->value_start[i];
        const int row = part->row_start[i], d = mo_constraint_dim(part, i);
        memset(y + row, 0, (size_t)d * sizeof *y);
        for (int k = part->block_start[i]; k < part->block_start[i + 1]; ++k) {
            const int body = part->block_index[k], n = mo_body_dim(part, body);
            for (int j = 0; j < d; ++j, J += n)
                y[row + j] += mo_dot(n, J, x + (size_t)body * (size_t)b->width);
        }
    }
}

void mo_bodies_accelerate(const mo_body_system *b, double *x)
{
    const mo_problem *part = b->s->part;
    for (int k = 0; k < part->body_count; ++k) {
        const int n = mo_body_dim(part, k);
        double *own = x + (size_t)k * (size_t)b->width;
        mo_solve_factored(n, mo_body_factor(part, k), own);
    }
}

static PetscErrorCode share(const mo_body_system *b, double *x)
{
    const PetscErrorCode code = PetscSFBcastBegin(b->s->holders, b->unit, x, x, MPI_REPLACE);
    return code ? code : PetscSFBcastEnd(b->s->holders, b->unit, x, x, MPI_REPLACE);
}

PetscErrorCode mo_bodies_combine(const mo_body_system *b, double *x)
{
    PetscErrorCode code = PetscSFReduceBegin(b->s->holders, b->unit, x, x, MPI_SUM);
    code = code ? code : PetscSFReduceEnd(b->s->holders, b->unit, x, x, MPI_SUM);
    return code ? code : share(b, x);
}

/* ---- the matrix ----------------------------------------------------------------------------- */

/* Adds a block between two bodies. */
static PetscErrorCode add_block(const mo_body_system *b, int one, int two, const double *block,
                                PetscInt *rows)
{
    if (b->is_uniform) {
        const PetscInt row = b->first[one] / b->width, column = b->first[two] / b->width;
        return MatSetValuesBlocked(b->matrix, 1, &row, 1, &column, block, ADD_VALUES);
    }
    const int n = mo_body_dim(b->s->part, one), m = mo_body_dim(b->s->part, two);
    PetscInt *columns = rows + b->width;
    for (int k = 0; k < n; ++k)
        rows[k] = b->first[one] + k;
    for (int k = 0; k < m; ++k)
        columns[k] = b->first[two] + k;
    return MatSetValues(b->matrix, n, rows, m, columns, block, ADD_VALUES);
}

static PetscErrorCode add_masses(const mo_body_system *b, PetscInt *rows)
{
    const mo_problem *part = b->s->part;
    PetscErrorCode code = 0;
    for (int k = 0; k < part->body_count && !code; ++k)
        if (b->s->body_rank[k] == b->s->rank)
            code = add_block(b, k, k, part->M + part->mass_start[k], rows);
    return code;
}

/* J_a' K J_b of two bodies of a constraint. */
static void product(int d, int n, int m, const double *A, const double *K, const double *B,
                    double *out)
{
    memset(out, 0, (size_t)n * (size_t)m * sizeof *out);
    for (int k = 0; k < d; ++k) {
        for (int l = 0; l < d; ++l) {
            for (int i = 0; i < n; ++i) {
                mo_axpy(m, A[k * n + i] * K[k * d + l], B + (size_t)l * (size_t)m,
                        out + (size_t)i * (size_t)m);
            }
        }
    }
}

static PetscErrorCode add_constraint(const mo_body_system *b, int i, const double *K,
                                     PetscInt *rows, double *block)
{
    const mo_problem *part = b->s->part;
    const int first = part->block_start[i], last = part->block_start[i + 1];
    const int d = mo_constraint_dim(part, i);
    const double *A = part->values + part->value_start[i];
    PetscErrorCode code = 0;
    for (int k = first; k < last && !code; ++k) {
        const int one = part->block_index[k], n = mo_body_dim(part, one);
        const double *B = part->values + part->value_start[i];
        for (int j = first; j < last && !code; ++j) {
            const int two = part->block_index[j], m = mo_body_dim(part, two);
            product(d, n, m, A, K, B, block);
            code = add_block(b, one, two, block, rows);
            B += (size_t)d * (size_t)m;
        }
        A += (size_t)d * (size_t)n;
    }
    return code;
}

PetscErrorCode mo_body_system_factor(mo_body_system *b, const size_t *start, const double *K)
{
    const size_t width = (size_t)b->width;
    PetscInt *rows = malloc(2 * width * sizeof *rows);
    double *block = malloc(width * width * sizeof *block);
    PetscErrorCode code = rows && block ? MatZeroEntries(b->matrix) : PETSC_ERR_MEM;
    code = code ? code : add_masses(b, rows);
    for (int i = 0; i < b->s->part->constraint_count && !code; ++i)
        code = add_constraint(b, i, K + start[i], rows, block);
    free(rows);
    free(block);
    code = code ? code : MatAssemblyBegin(b->matrix, MAT_FINAL_ASSEMBLY);
    code = code ? code : MatAssemblyEnd(b->matrix, MAT_FINAL_ASSEMBLY);
    if (!code && b->is_symmetric) code = MatSetOption(b->matrix, MAT_SPD, PETSC_TRUE);
    code = code ? code : KSPSetOperators(b->solver, b->matrix, b->matrix);
    return code ? code : KSPSetUp(b->solver);
}

PetscErrorCode mo_body_system_solve(mo_body_system *b, double *x)
{
    const mo_problem *part = b->s->part;
    PetscScalar *own;
    KSPConvergedReason reason;
    PetscInt at = 0;
    PetscErrorCode code = VecGetArray(b->right, &own);
    for (int k = 0; k < part->body_count && !code; ++k) {
        const int n = mo_body_dim(part, k);
        if (b->s->body_rank[k] == b->s->rank) {
            memcpy(own + at, x + (size_t)k * (size_t)b->width, (size_t)n * sizeof *x);
            at += n;
        }
    }
    code = code ? code : VecRestoreArray(b->right, &own);
    code = code ? code : KSPSolve(b->solver, b->right, b->answer);
    code = code ? code : KSPGetConvergedReason(b->solver, &reason);
    if (!code && reason < 0 && (b->is_symmetric || reason != KSP_DIVERGED_ITS))
        return PETSC_ERR_NOT_CONVERGED;
    code = code ? code : VecGetArray(b->answer, &own);
    at = 0;
    for (int k = 0; k < part->body_count && !code; ++k) {
        const int n = mo_body_dim(part, k);
        if (b->s->body_rank[k] == b->s->rank) {
            memcpy(x + (size_t)k * (size_t)b->width, own + at, (size_t)n * sizeof *x);
            at += n;
        }
    }
    code = code ? code : VecRestoreArray(b->answer, &own);
    return code ? code : share(b, x);
}
