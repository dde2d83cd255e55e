/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * FCLIB files read in slabs and written back in slabs, on 1 to 4 ranks: the bits of a problem that
 * was read whole and dealt, and a solution that the reader of one process finds in the file.
 * Global and reduced problems, with joints and with bodies of any number of velocities; a rank does
 * not read the whole file.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "bits.h"
#include "scenes.h"
#include "scenes/rng.h"

static char in[64], out[64];
/* Bytes of headers and names, and of pages at the ends of a run, for each vector of the file; there
 * are nine vectors, or 13 with joints. */
static const double HEADS = 2.2e4;

/* A packing or a machine, or its reduced problem. */
typedef struct kind {
    const char *name;
    scene_grain grain;
    int contacts, is_reduced;
    int machine, d, bodies; /* machine: FREE, OTHER or MIXED bodies, joined; d: rows of a contact */
} kind;

enum { NO_MACHINE, FREE, OTHER, MIXED };

static const kind KINDS[] = {
    {"balls", SCENE_BALLS, 3000, 0, 0, 3, 0},
    {"stones", SCENE_STONES, 600, 0, 0, 3, 0},
    {"reduced balls", SCENE_BALLS, 600, 1, 0, 3, 0},
    {"reduced stones", SCENE_STONES, 300, 1, 0, 3, 0},
    {"many reduced balls", SCENE_BALLS, 2400, 1, 0, 3,
     0}, /* in colours, not in the natural order */
    {"joined free bodies", 0, 90, 0, FREE, 3, 40},
    {"joined bodies", 0, 1800, 0, OTHER, 3, 700},
    {"one mechanism among free bodies", 0, 60, 0, MIXED, 3, 40},
    {"joined bodies of the plane", 0, 60, 0, OTHER, 2, 40},
    {"joints without contacts", 0, 0, 0, MIXED, 3, 40},
    {"reduced joined bodies", 0, 40, 1, OTHER, 3, 40},
    {"reduced joints without contacts", 0, 0, 1, FREE, 3, 40},
};

/* ---- machines -------------------------------------------------------------------------------- */

/* Velocities of a body. */
static int size_of_body(const kind *of, int b)
{
    const int free_body = of->d == 2 ? 3 : 6;
    return of->machine == FREE    ? free_body
           : of->machine == OTHER ? 3 + b % 7
                                  : (b == of->bodies / 2 ? 11 : free_body);
}

/* Its M couples neighbouring velocities; that of the last one is not symmetric, where a file can
 * hold that. */
static void add_body(const kind *of, int b, rng *random, mo_builder *builder)
{
    const int n = size_of_body(of, b);
    double M[11 * 11] = {0}, f[11];
    for (int i = 0; i < n; ++i) {
        M[i * n + i] = rng_between(random, 2, 4);
        f[i] = rng_between(random, -1, 1);
        if (i > 0) M[i * n + i - 1] = M[(i - 1) * n + i] = rng_between(random, -0.5, 0.5);
    }
    if (b == of->bodies - 1 && !of->is_reduced) {
        M[1] += 0.25;
        mo_builder_add_unsymmetric_body(builder, n, M, f);
    } else {
        mo_builder_add_body(builder, n, M, f);
    }
}

/* d rows between two bodies, or a body and the world. */
static void add_rows(const kind *of, int d, const mo_law *law, int a, int b, rng *random,
                     mo_builder *builder)
{
    double w[6], J[6 * 11];
    for (int i = 0; i < d; ++i) /* of a contact: v = 0 opens it, so that there is a solution */
        w[i] = law->mu > 0 ? (i == 0 ? 0.5 : 0.1) : rng_between(random, -0.2, 0.2);
    const int c = mo_builder_add_constraint(builder, d, law, w);
    for (int side = 0; side < 2; ++side) {
        const int body = side ? b : a;
        for (int k = 0; k < 6 * 11; ++k)
            J[k] = rng_between(random, -1, 1);
        if (side == 0 || b != a)
            mo_builder_add_jacobian(builder, c, body, d, size_of_body(of, body), J);
    }
}

/* Contacts between any bodies; joints of a few rows in a chain, two of them between the same
 * bodies, and one of a body and the world. */
static mo_error make_machine(const kind *of, mo_problem **problem, mo_message *why)
{
    const mo_law contact = mo_law_coulomb(0.4), joint = mo_law_bilateral();
    const int bodies = of->bodies;
    rng random = rng_of(7, (uint64_t)of->machine);
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) return MO_ERR_MEMORY;
    for (int b = 0; b < bodies; ++b)
        add_body(of, b, &random, builder);
    for (int k = 0; k < of->contacts; ++k)
        add_rows(of, of->d, &contact, k % bodies, (k * k + 3 * k + 1) % bodies, &random, builder);
    for (int b = 0; b + 1 < bodies; b += b % 5 == 3 ? 2 : 1)
        add_rows(of, 1 + b % 2, &joint, b, b + 1, &random, builder);
    add_rows(of, 1, &joint, bodies - 2, bodies - 1, &random, builder);
    add_rows(of, 2, &joint, 0, 0, &random, builder);
    const mo_error error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}

static void write_packing(const kind *of)
{
    mo_document document = {0};
    mo_message why = {""};
    if (rank == 0) {
        mo_problem *whole = NULL;
        expect(!(of->machine ? make_machine(of, &whole, &why)
                             : scene_packing_of(of->grain, of->contacts, 3, &whole, &why)),
               why.text, of->name);
        document.problem = whole;
        if (of->is_reduced) {
            expect(!mo_problem_reduce(whole, &document.problem, &why), why.text, of->name);
            mo_problem_destroy(whole);
        }
        expect(!mo_fclib_write(in, &document, &why), why.text, of->name);
        mo_problem_destroy(document.problem);
    }
    wait_for_all();
}

/* Bytes that this process has read so far, or -1. */
static double bytes_read(void)
{
    double bytes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    if (file) {
        if (fscanf(file, "rchar: %lf", &bytes) != 1) bytes = -1;
        fclose(file);
    }
    return bytes;
}

static double size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) ? 0 : (double)about.st_size;
}

/* What was written, against the answer that it came from. */
static void check_written(const kind *of, const answer *expected)
{
    const char *name = of->name;
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
    const int is_whole = found->r && found->u && !found->v == !dofs;
    expect(is_whole, "no solution was written", name);
    if (is_whole) {
        double *u = malloc(rows * sizeof *u), off = 0;
        expect(!memcmp(found->r, expected->r, rows * sizeof *u), "another r", name);
        expect(!dofs || !memcmp(found->v, expected->v, dofs * sizeof *u), "another v", name);
        expect(!mo_problem_response(document.problem, found->r, u), "u of r", name);
        for (size_t k = 0; k < (size_t)(of->d * of->contacts) || (!of->machine && k < rows); ++k)
            off = fmax(off, fabs(u[k] - found->u[k])); /* that of joints is not in a file */
        expect(off < 1e-12, "u is not that of r", name);
        mo_measure(document.problem, found->r, &residual);
        expect(residual.natural_relative <= 1.001e-3, "not solved, by mo_measure", name);
        free(u);
    }
    mo_document_clear(&document);
}

static void check_ranks(const kind *of, int ranks, const answer *dealt)
{
    const char *name = of->name;
    MPI_Comm comm;
    mo_message why = {""};
    mo_result result = {0};
    mo_spread *spread = NULL;
    mo_options options = mo_default_options();
    options.method = "nsgs";
    options.tol = 1e-3;
    options.nsgs.momentum = 10;
    wait_for_all();
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) return;
    double share = 1, before = 0;
    mo_error error = MO_OK;
    for (int k = 0; k < 2 && !error; ++k) { /* MPI itself reads files when ranks meet first */
        mo_spread_destroy(spread);
        before = bytes_read();
        error = mo_spread_read(comm, in, &spread, &why);
        share = fmin(share, (bytes_read() - before) / size_of(in));
        expect(!error, why.text, name);
    }
    const double heads = (of->machine ? 13 : 9) * HEADS;
    expect(before < 0 || share < 1.1 / ranks + heads / size_of(in), "a rank read too much", name);
    if (rank == 0) printf("%s: %d ranks: %.2f of the file read by one\n", name, ranks, share);
    if (!error) {
        expect(!mo_spread_solve(spread, &options, &result), result.message.text, name);
        expect(result.status == MO_SOLVED, "not solved", name);
        expect(result.iterations == dealt->iterations, "other sweeps", name);
        expect(!mo_spread_write(spread, &result, in, out, &why), why.text, name);
        if (rank == 0) check_written(of, dealt);
        /* once more, from a file that has a solution; and to where nothing can be written */
        expect(!mo_spread_write(spread, &result, out, out, &why), why.text, name);
        if (rank == 0) check_written(of, dealt);
        expect(mo_spread_write(spread, &result, in, "no/such/folder.hdf5", &why) == MO_ERR_FILE,
               why.text, name);
        expect(strstr(why.text, "no/such") != NULL, why.text, name);
        mo_result_clear(&result);
        mo_spread_destroy(spread);
    }
    MPI_Comm_free(&comm);
}

static void check_kind(const kind *of)
{
    mo_document document;
    mo_message why = {""};
    answer dealt = {0};
    mo_options options = mo_default_options();
    options.method = "nsgs";
    options.tol = 1e-3;
    options.nsgs.momentum = 10;
    write_packing(of);
    expect(!mo_fclib_read(in, NULL, &document, &why), why.text, of->name);
    solve_on(MPI_COMM_WORLD, document.problem, &options, of->name, &dealt);
    MPI_Bcast(&dealt.iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int ranks = 1; ranks <= 4; ranks = next_ranks(ranks))
        check_ranks(of, ranks, &dealt);
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
    for (int k = 0; k < 8; ++k) {
        write_packing(KINDS + (k < 4 ? 0 : 2));
        if (rank == 0) expect(truncate(in, sizes[k % 4]) == 0, "truncate", "refusals");
        wait_for_all();
        expect(mo_spread_read(MPI_COMM_WORLD, in, &spread, &why) == MO_ERR_UNSUPPORTED && !spread,
               why.text, "cut short");
        expect(strstr(why.text, "slabs") != NULL, why.text, "cut short");
    }
    /* one rank alone does not find the file */
    write_packing(KINDS);
    expect(mo_spread_read(MPI_COMM_WORLD, rank == 2 ? "missing.hdf5" : in, &spread, &why) ==
                   MO_ERR_UNSUPPORTED &&
               !spread,
           why.text, "missing on one rank");
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
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; ++k)
        check_kind(KINDS + k);
    check_refusals();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return all > 0;
}
