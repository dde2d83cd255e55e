/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * newton and admm on ranks, whose linear systems PETSc factors or solves with multigrid: the motion
 * of one rank, and a residual that mo_measure confirms.
 */
#include "bits.h"
#include "hub.h"
#include "scenes.h"

/* Bodies with one to six velocities on a chain of joints, with contacts: no block size fits all. */
static mo_problem *make_uneven(int count)
{
    mo_builder *builder;
    mo_problem *problem = NULL;
    const mo_law joint = mo_law_bilateral(), contact = mo_law_coulomb(0.5);
    mo_builder_create(NULL, &builder);
    for (int k = 0; k < count; ++k) {
        const int n = 1 + k % 6;
        double M[36] = {0}, f[6] = {0};
        for (int i = 0; i < n; ++i) {
            M[i * n + i] = 1 + 0.1 * i;
            f[i] = i == 0 ? -1 : 0.1 * k;
        }
        mo_builder_add_body(builder, n, M, f);
    }
    for (int k = 0; k < count; ++k) {
        const int n = 1 + k % 6, is_joint = k + 1 < count, m = 1 + (k + 1) % 6;
        const double w[3] = {0};
        double J[18] = {0};
        J[0] = J[n + (n > 1)] = J[2 * n + (n > 2 ? 2 : 0)] = 1;
        mo_builder_add_jacobian(builder, mo_builder_add_constraint(builder, 3, &contact, w), k, 3,
                                n, J);
        if (is_joint) {
            const double ahead[6] = {1}, behind[6] = {-1};
            const int number = mo_builder_add_constraint(builder, 1, &joint, w);
            mo_builder_add_jacobian(builder, number, k, 1, n, ahead);
            mo_builder_add_jacobian(builder, number, k + 1, 1, m, behind);
        }
    }
    mo_builder_finish(builder, &problem, NULL);
    mo_builder_destroy(builder);
    return problem;
}

/* The largest difference of two motions over the largest speed. */
static double distance(const mo_problem *whole, const answer *a, const answer *b)
{
    double off = 0, size = 0;
    for (int k = 0; k < mo_problem_dof_count(whole); ++k) {
        off = fmax(off, fabs(a->v[k] - b->v[k]));
        size = fmax(size, fabs(a->v[k]));
    }
    return off / size;
}

/* On one rank by a factorisation, on all by a factorisation and by multigrid (the first way_count
 * of these): solved, by the measure of one process, and the same motion. */
static void check_matrices(const char *name, const mo_problem *whole, const mo_options *options,
                           int way_count)
{
    static const mo_linear ways[] = {MO_LINEAR_FACTOR, MO_LINEAR_FACTOR, MO_LINEAR_MULTIGRID};
    answer of[3] = {{0}};
    for (int k = 0; k < way_count; ++k) {
        MPI_Comm comm;
        wait_for_all();
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || k > 0 ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            solve_by(comm, whole, options, ways[k], name, of + k);
            MPI_Comm_free(&comm);
        }
        if (rank == 0) {
            check_residual(name, whole, options, of + k);
            expect(of[k].status == MO_SOLVED, mo_status_text(of[k].status), name);
            expect(distance(whole, of, of + k) < 1e-5, "another motion", name);
        }
    }
    for (int k = 0; k < 3; ++k) {
        free(of[k].r);
        free(of[k].v);
    }
}

static void check_admm_and_newton(void)
{
    const int is_every = getenv("MOREAU_EVERY_RANK") != NULL;
    mo_options options = mo_default_options();
    mo_problem *packing, *small, *uneven = make_uneven(9), *hub = make_hub(80);
    if (scene_packing(is_every ? 300 : 100, 11, &packing, NULL) ||
        scene_packing(40, 11, &small, NULL) || !uneven || !hub) {
        expect(0, "they could not be built", "matrices");
        return;
    }
    options.tol = 1e-6;
    options.method = "admm";
    check_matrices("admm, packing", small, &options, is_every ? 3 : 2);
    options.tol = 1e-8;
    options.method = "newton";
    check_matrices("newton, packing", packing, &options, 3);
    check_matrices("newton, uneven bodies", uneven, &options, 3);
    check_matrices("newton, a hub of 80 balls", hub, &options, 3);
    mo_problem_destroy(packing);
    mo_problem_destroy(small);
    mo_problem_destroy(uneven);
    mo_problem_destroy(hub);
}

int main(int argc, char **argv)
{
    int all = 0;
    mo_mpi_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_admm_and_newton();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return all > 0;
}
