/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * FCLIB files read in slabs and written back in slabs, on 1 to 4 ranks: the bits of a problem that
 * was read whole and dealt, and a solution that the reader of one process finds in the file.
 */
#include <unistd.h>

#include "bits.h"
#include "scenes.h"

static char in[64], out[64];

static void write_packing(scene_grain grain, const char *name)
{
    mo_document document = {0};
    mo_message why = {""};
    if (rank == 0) {
        expect(!scene_packing_of(grain, 600, 3, &document.problem, &why), why.text, name);
        expect(!mo_fclib_write(in, &document, &why), why.text, name);
        mo_problem_destroy(document.problem);
    }
    wait_for_all();
}

/* What was written, against the answer that it came from. */
static void check_written(const answer *expected, const char *name)
{
    mo_document document;
    mo_message why = {""};
    mo_residual residual;
    if (mo_fclib_read(out, NULL, &document, &why)) {
        expect(0, why.text, name);
        return;
    }
    const size_t rows = (size_t)mo_problem_row_count(document.problem),
                 dofs = (size_t)mo_problem_dof_count(document.problem);
    const mo_point *found = &document.solution;
    expect(found->r && found->u && found->v, "no solution was written", name);
    if (found->r && found->u && found->v) {
        double *u = malloc(rows * sizeof *u), off = 0;
        expect(!memcmp(found->r, expected->r, rows * sizeof *u), "another r", name);
        expect(!memcmp(found->v, expected->v, dofs * sizeof *u), "another v", name);
        mo_problem_relative_velocity(document.problem, found->v, u);
        for (size_t k = 0; k < rows; ++k) {
            off = fmax(off, fabs(u[k] - found->u[k]));
        }
        expect(off < 1e-12, "u is not that of v", name);
        mo_measure(document.problem, found->r, &residual);
        expect(residual.natural_relative <= 1.001e-3, "not solved, by mo_measure", name);
        free(u);
    }
    mo_document_clear(&document);
}

static void check_ranks(int ranks, const answer *dealt, const char *name)
{
    MPI_Comm comm;
    mo_message why = {""};
    mo_result result = {0};
    mo_spread *spread;
    mo_options options = mo_default_options();
    options.method = "nsgs";
    options.tol = 1e-3;
    options.nsgs.momentum = 10;
    wait_for_all();
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) {
        return;
    }
    const mo_error error = mo_spread_read(comm, in, &spread, &why);
    expect(!error, why.text, name);
    if (!error) {
        expect(!mo_spread_solve(spread, &options, &result), result.message.text, name);
        expect(result.iterations == dealt->iterations, "other sweeps", name);
        expect(!mo_spread_write(spread, &result, in, out, &why), why.text, name);
        if (rank == 0) {
            check_written(dealt, name);
        }
        /* once more, from a file that has a solution; and to where nothing can be written */
        expect(!mo_spread_write(spread, &result, out, out, &why), why.text, name);
        if (rank == 0) {
            check_written(dealt, name);
        }
        expect(mo_spread_write(spread, &result, in, "no/such/folder.hdf5", &why) == MO_ERR_FILE,
               why.text, name);
        expect(strstr(why.text, "no/such") != NULL, why.text, name);
        mo_result_clear(&result);
        mo_spread_destroy(spread);
    }
    MPI_Comm_free(&comm);
}

static void check_grain(scene_grain grain, const char *name)
{
    mo_document document;
    mo_message why = {""};
    answer dealt = {0};
    mo_options options = mo_default_options();
    options.method = "nsgs";
    options.tol = 1e-3;
    options.nsgs.momentum = 10;
    write_packing(grain, name);
    expect(!mo_fclib_read(in, NULL, &document, &why), why.text, name);
    solve_on(MPI_COMM_WORLD, document.problem, &options, name, &dealt);
    MPI_Bcast(&dealt.iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int ranks = 1; ranks <= 4; ++ranks) {
        check_ranks(ranks, &dealt, name);
    }
    wait_for_all();
    mo_document_clear(&document);
    free(dealt.r);
    free(dealt.v);
}

/* What is cut short, missing or of another kind is refused on all ranks, with a sentence. */
static void check_refusals(void)
{
    static const long sizes[] = {0, 100, 3000, 20000};
    mo_message why = {""};
    mo_spread *spread;
    for (int k = 0; k < 4; ++k) {
        write_packing(SCENE_BALLS, "refusals");
        if (rank == 0) {
            expect(truncate(in, sizes[k]) == 0, "truncate", "refusals");
        }
        wait_for_all();
        expect(mo_spread_read(MPI_COMM_WORLD, in, &spread, &why) == MO_ERR_UNSUPPORTED && !spread,
               why.text, "cut short");
        expect(strstr(why.text, "slabs") != NULL, why.text, "cut short");
    }
    wait_for_all();
    if (rank == 0) {
        unlink(in);
        unlink(out);
    }
    wait_for_all();
    expect(mo_spread_read(MPI_COMM_WORLD, in, &spread, &why) == MO_ERR_UNSUPPORTED, why.text,
           "missing");
}

int main(int argc, char **argv)
{
    int all = 0, process = (int)getpid();
    mo_mpi_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(in, sizeof in, "test_slabs_%d.hdf5", process);
    snprintf(out, sizeof out, "test_slabs_%d_out.hdf5", process);
    check_grain(SCENE_BALLS, "balls");
    check_grain(SCENE_STONES, "stones");
    check_refusals();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return all > 0;
}
