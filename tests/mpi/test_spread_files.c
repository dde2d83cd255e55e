/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every FCLIB file of a folder (MOREAU_PROBLEMS, or the one beside the tree): the same bits on 1 to
 * 4 ranks, for global and reduced problems and for all laws in them; as many sweeps as mo_solve
 * takes, to 2e-2, 2e-3 and 1e-4; and the same r and v from a file that is read in slabs.
 */
#include <glob.h>

#include "bits.h"

enum { SWEEPS = 40, SLAB_SWEEPS = 3, SKIPPED = 77 };

/* On all ranks: read in slabs, against read whole and dealt. */
static void check_slabs(const char *path, const mo_problem *whole, const mo_options *options)
{
    const size_t rows = (size_t)mo_problem_row_count(whole),
                 dofs = (size_t)mo_problem_dof_count(whole);
    double *r = calloc(rows + 1, sizeof *r), *v = calloc(dofs + 1, sizeof *v);
    mo_message why = {""};
    mo_spread *spread;
    mo_result result = {0};
    answer dealt = {0};
    wait_for_all();
    solve_on(MPI_COMM_WORLD, whole, options, path, &dealt);
    const mo_error error = mo_spread_read(MPI_COMM_WORLD, path, &spread, &why);
    expect(!error, why.text, path);
    if (!error) {
        expect(!mo_spread_solve(spread, options, &result), result.message.text, path);
        expect(!mo_spread_gather(spread, &result, r, v), "gather", path);
        expect(rank > 0 ||
                   (!memcmp(r, dealt.r, rows * sizeof *r) && !memcmp(v, dealt.v, dofs * sizeof *v)),
               "slabs have another answer", path);
        mo_result_clear(&result);
        mo_spread_destroy(spread);
    }
    free(r);
    free(v);
    free(dealt.r);
    free(dealt.v);
}

static int check_file(const char *path)
{
    mo_options options = mo_default_options();
    mo_document document;
    mo_message why = {""};
    if (mo_fclib_read(path, NULL, &document, &why)) {
        expect(0, why.text, path);
        return 0;
    }
    options.method = "nsgs";
    options.max_iter = SWEEPS;
    mo_status status = MO_STALLED;
    for (int k = 0; k < 3; ++k) {
        options.tol = (const double[3]){2e-2, 2e-3, 1e-4}[k];
        status = check_bits(path, document.problem, &options, 1);
    }
    options.max_iter = SLAB_SWEEPS;
    check_slabs(path, document.problem, &options);
    mo_document_clear(&document);
    return status == MO_SOLVED;
}

static int check_folder(const char *folder)
{
    char pattern[4096];
    glob_t found = {0};
    int solved = 0;
    snprintf(pattern, sizeof pattern, "%s/*/*.hdf5", folder);
    if (glob(pattern, 0, NULL, &found)) {
        globfree(&found);
        return -1;
    }
    for (size_t k = 0; k < found.gl_pathc; ++k)
        solved += check_file(found.gl_pathv[k]);
    globfree(&found);
    return solved;
}

int main(int argc, char **argv)
{
    const char *folder = getenv("MOREAU_PROBLEMS");
    int all = 0;
    mo_mpi_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int solved = check_folder(folder ? folder : MOREAU_SHARED_PROBLEMS);
    if (solved < 0 && rank == 0)
        printf("skipped: there is no folder of FCLIB files; MOREAU_PROBLEMS names one\n");
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return solved < 0 ? SKIPPED : all > 0;
}
