/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "body_system.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

enum { FACTORED_MOST = 300000 };   /* velocities: more go to GAMG, whose memory grows linearly */
static const double INNER = 1e-11; /* relative residual of conjugate gradients */

/* ---- making it ------------------------------------------------------------------------------ */

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
    for (int k = 0; k < s->part->body_count; ++k) {
        b->first[k] += s->rank ? before : 0;
    }
    PetscErrorCode code = PetscSFBcastBegin(s->holders, MPIU_INT, b->first, b->first, MPI_REPLACE);
    code = code ? code : PetscSFBcastEnd(s->holders, MPIU_INT, b->first, b->first, MPI_REPLACE);
    code = code ? code : VecCreateMPI(s->comm, own, PETSC_DETERMINE, &b->right);
    return code ? code : VecDuplicate(b->right, &b->answer);
}

/* Bodies that share a constraint with each: an upper bound of the blocks of its row. */
static PetscErrorCode create_matrix(mo_body_system *b)
{
    const mo_problem *part = b->s->part;
    PetscInt own = 0, most = 0;
    double *degree = calloc((size_t)part->body_count * (size_t)b->width + 1, sizeof *degree);
    if (!degree) {
        return PETSC_ERR_MEM;
    }
    for (int i = 0; i < part->constraint_count; ++i) {
        const int first = part->block_start[i], last = part->block_start[i + 1];
        for (int k = first; k < last; ++k) {
            degree[(size_t)part->block_index[k] * (size_t)b->width] += last - first - 1;
        }
    }
    PetscErrorCode code = mo_bodies_combine(b, degree);
    for (int k = 0; k < part->body_count; ++k) {
        const PetscInt blocks = 1 + (PetscInt)degree[(size_t)k * (size_t)b->width];
        own += b->s->body_rank[k] == b->s->rank ? mo_body_dim(part, k) : 0;
        most = blocks > most ? blocks : most;
    }
    free(degree);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, b->s->comm);
    code = code ? code
                : MatCreateAIJ(b->s->comm, own, own, PETSC_DETERMINE, PETSC_DETERMINE,
                               most * b->width, NULL, most * b->width, NULL, &b->matrix);
    return code ? code : MatSetOption(b->matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE);
}

static PetscErrorCode create_solver(mo_body_system *b)
{
    PetscInt size;
    PC pc;
    PetscErrorCode code = VecGetSize(b->right, &size);
    code = code ? code : KSPCreate(b->s->comm, &b->solver);
    code = code ? code : KSPGetPC(b->solver, &pc);
    if (code) {
        return code;
    }
#ifdef PETSC_HAVE_MUMPS
    if (size <= FACTORED_MOST) {
        code = KSPSetType(b->solver, KSPPREONLY);
        code = code ? code : PCSetType(pc, PCCHOLESKY);
        return code ? code : PCFactorSetMatSolverType(pc, MATSOLVERMUMPS);
    }
#endif
    code = KSPSetType(b->solver, KSPCG);
    code = code ? code : PCSetType(pc, PCGAMG);
    return code ? code : KSPSetTolerances(b->solver, INNER, PETSC_DEFAULT, PETSC_DEFAULT, 2000);
}

PetscErrorCode mo_body_system_create(mo_spread *s, mo_body_system *b)
{
    *b = (mo_body_system){.s = s, .width = 1};
    for (int k = 0; k < s->part->body_count; ++k) {
        b->width = mo_body_dim(s->part, k) > b->width ? mo_body_dim(s->part, k) : b->width;
    }
    MPI_Allreduce(MPI_IN_PLACE, &b->width, 1, MPI_INT, MPI_MAX, s->comm);
    MPI_Type_contiguous(b->width, MPIU_SCALAR, &b->unit);
    MPI_Type_commit(&b->unit);
    mo_problem_write_rows(s->part);
    PetscErrorCode code = PetscMalloc1((size_t)s->part->body_count + 1, &b->first);
    code = code ? code : number_velocities(b);
    code = code ? code : create_matrix(b);
    return code ? code : create_solver(b);
}

void mo_body_system_destroy(mo_body_system *b)
{
    KSPDestroy(&b->solver);
    MatDestroy(&b->matrix);
    VecDestroy(&b->right);
    VecDestroy(&b->answer);
    PetscFree(b->first);
    if (b->unit) {
        MPI_Type_free(&b->unit);
    }
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
            for (int j = 0; j < d; ++j, J += n) {
                mo_axpy(n, own[j], J, x + (size_t)body * (size_t)b->width);
            }
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
            for (int j = 0; j < d; ++j, J += n) {
                y[row + j] += mo_dot(n, J, x + (size_t)body * (size_t)b->width);
            }
        }
    }
}

void mo_bodies_accelerate(const mo_body_system *b, double *x)
{
    const mo_problem *part = b->s->part;
    for (int k = 0; k < part->body_count; ++k) {
        const int n = mo_body_dim(part, k);
        double *own = x + (size_t)k * (size_t)b->width;
        mo_solve_lower(n, mo_body_factor(part, k), own);
        mo_solve_upper(n, mo_body_factor(part, k), own);
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

static void velocities_of(const mo_body_system *b, int body, PetscInt *numbers)
{
    for (int k = 0; k < mo_body_dim(b->s->part, body); ++k) {
        numbers[k] = b->first[body] + k;
    }
}

static PetscErrorCode add_masses(const mo_body_system *b, PetscInt *rows)
{
    const mo_problem *part = b->s->part;
    PetscErrorCode code = 0;
    for (int k = 0; k < part->body_count && !code; ++k) {
        if (b->s->body_rank[k] == b->s->rank) {
            const PetscInt n = mo_body_dim(part, k);
            velocities_of(b, k, rows);
            code = MatSetValues(b->matrix, n, rows, n, rows, part->M + part->mass_start[k],
                                ADD_VALUES);
        }
    }
    return code;
}

/* J_a' diag(1 / E) J_b of two bodies of a constraint. */
static void product(int d, int n, int m, const double *A, const double *B, const double *E,
                    double *out)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            out[i * m + j] = 0;
            for (int k = 0; k < d; ++k) {
                out[i * m + j] += A[k * n + i] * B[k * m + j] / E[k];
            }
        }
    }
}

static PetscErrorCode add_constraint(const mo_body_system *b, int i, const double *E,
                                     PetscInt *rows, double *block)
{
    const mo_problem *part = b->s->part;
    const int first = part->block_start[i], last = part->block_start[i + 1];
    const int d = mo_constraint_dim(part, i);
    const double *A = part->values + part->value_start[i];
    PetscInt *columns = rows + b->width;
    PetscErrorCode code = 0;
    for (int k = first; k < last && !code; ++k) {
        const int one = part->block_index[k], n = mo_body_dim(part, one);
        const double *B = part->values + part->value_start[i];
        velocities_of(b, one, rows);
        for (int j = first; j < last && !code; ++j) {
            const int two = part->block_index[j], m = mo_body_dim(part, two);
            velocities_of(b, two, columns);
            product(d, n, m, A, B, E + part->row_start[i], block);
            code = MatSetValues(b->matrix, n, rows, m, columns, block, ADD_VALUES);
            B += (size_t)d * (size_t)m;
        }
        A += (size_t)d * (size_t)n;
    }
    return code;
}

PetscErrorCode mo_body_system_factor(mo_body_system *b, const double *E)
{
    const size_t width = (size_t)b->width;
    PetscInt *rows = malloc(2 * width * sizeof *rows);
    double *block = malloc(width * width * sizeof *block);
    PetscErrorCode code = rows && block ? MatZeroEntries(b->matrix) : PETSC_ERR_MEM;
    code = code ? code : add_masses(b, rows);
    for (int i = 0; i < b->s->part->constraint_count && !code; ++i) {
        code = add_constraint(b, i, E, rows, block);
    }
    free(rows);
    free(block);
    code = code ? code : MatAssemblyBegin(b->matrix, MAT_FINAL_ASSEMBLY);
    code = code ? code : MatAssemblyEnd(b->matrix, MAT_FINAL_ASSEMBLY);
    code = code ? code : MatSetOption(b->matrix, MAT_SPD, PETSC_TRUE);
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
    if (!code && reason < 0) {
        return PETSC_ERR_NOT_CONVERGED;
    }
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
