/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* moreau-mpi solve: the contact problem of an FCLIB file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "json.h"
#include "spread.h"

static const call_command COMMAND = {
    .name = "solve",
    .operands = "FILE",
    .about = "solve the contact problem of an FCLIB file on several ranks",
    .examples = "  mpiexec -n 4 moreau-mpi solve box.hdf5 --tol 1e-6\n"
                "  mpiexec -n 2 moreau-mpi solve box.hdf5 --method nsgs --out solved.hdf5\n",
    .least = 1,
    .most = 1,
};

typedef struct job {
    const char *file, *out, *linear;
    mo_options options;
    mo_linear way;
    mo_document document;
    mo_spread *spread;
    mo_result result;
    double *r, *v, *u; /* of the whole, on rank 0 */
    int json, is_slabs;
    call_progress progress;
} job;

static void put_json(const job *j, int ranks)
{
    const mo_residual *residual = &j->result.residual;
    json out = json_begin(stdout);
    json_object(&out, NULL);
    json_text(&out, "file", j->file);
    json_whole(&out, "ranks", ranks);
    json_truth(&out, "slabs", j->is_slabs);
    json_text(&out, "method", j->result.method);
    json_text(&out, "status", mo_status_name(j->result.status));
    json_whole(&out, "constraints", mo_spread_constraint_count(j->spread));
    json_whole(&out, "bodies", mo_spread_body_count(j->spread));
    json_whole(&out, "colours", mo_spread_colour_count(j->spread));
    json_whole(&out, "iterations", j->result.iterations);
    json_number(&out, "seconds", j->result.seconds);
    json_number(&out, "residual", residual->natural);
    json_number(&out, "residual_relative", residual->natural_relative);
    json_number(&out, "tol", j->options.tol);
    json_number(&out, "q_norm", residual->q_norm);
    json_number(&out, "penetration_rate", residual->penetration_rate.value);
    json_number(&out, "cone_violation", residual->cone_violation.value);
    json_number(&out, "dissipation", residual->dissipation.value);
    json_text(&out, "message", j->result.message.text);
    json_object_end(&out);
    json_end(&out);
}

static void put_text(const job *j, int ranks)
{
    const mo_residual *residual = &j->result.residual;
    const int is_solved = j->result.status == MO_SOLVED;
    printf("%s: %s%s\n", j->file, is_solved ? "" : "NOT SOLVED, ",
           mo_status_text(j->result.status));
    printf("  problem           %lld constraints, %lld bodies, %d colours, %d ranks\n",
           (long long)mo_spread_constraint_count(j->spread),
           (long long)mo_spread_body_count(j->spread), mo_spread_colour_count(j->spread), ranks);
    printf("  method            %s, %d iterations, %.3g s\n", j->result.method,
           j->result.iterations, j->result.seconds);
    printf("  residual          %.2g relative (asked for %g), %.2g absolute\n",
           residual->natural_relative, j->options.tol, residual->natural);
    printf("  penetration rate  %.2g at constraint %d\n", residual->penetration_rate.value,
           residual->penetration_rate.constraint);
    if (j->result.message.text[0]) printf("  message           %s\n", j->result.message.text);
}

/* The whole answer on rank 0, written beside the problem. */
static mo_error write_out(job *j, mo_message *why)
{
    const mo_problem *whole = j->document.problem;
    const size_t rows = (size_t)mo_problem_row_count(whole);
    const size_t dofs = (size_t)mo_problem_dof_count(whole);
    mo_error error = MO_OK;
    j->r = calloc(rows + 1, sizeof *j->r);
    j->u = calloc(rows + 1, sizeof *j->u);
    j->v = calloc(dofs + 1, sizeof *j->v);
    if (!j->r || !j->u || !j->v) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    error = mo_spread_gather(j->spread, &j->result, j->r, j->v);
    if (!error && call_is_root()) {
        mo_document solved = j->document; /* borrows all of it */
        mo_problem_relative_velocity(whole, j->v, j->u);
        solved.solution = (mo_point){j->v, j->u, j->r};
        error = mo_fclib_write(j->out, &solved, why);
    }
    free(j->r);
    free(j->u);
    free(j->v);
    int code = (int)error;
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (mo_error)code;
}

/* The way to solve linear systems; false if there is none of that name. */
static int find_linear(const char *name, mo_linear *linear)
{
    static const char *const names[] = {"auto", "factor", "multigrid"};
    for (int k = 0; k < 3; ++k) {
        if (!name || strcmp(name, names[k]) == 0) {
            *linear = (mo_linear)k;
            return 1;
        }
    }
    call_say("solve: --linear is auto, factor or multigrid, not %.80s", name);
    return 0;
}

/* In slabs, or whole on every rank where the file is not of that kind. */
static mo_error read_file(job *j, mo_message *why)
{
    const mo_error error = mo_spread_read(MPI_COMM_WORLD, j->file, &j->spread, why);
    j->is_slabs = error == MO_OK;
    if (error != MO_ERR_UNSUPPORTED) return error;
    const mo_error whole =
        mo_mpi_agree(MPI_COMM_WORLD, mo_fclib_read(j->file, NULL, &j->document, why), why);
    return whole ? whole : mo_spread_deal(MPI_COMM_WORLD, j->document.problem, &j->spread, why);
}

static void show(void *user, const mo_progress *now, const double *r)
{
    job *j = user;
    (void)r;
    if (call_progress_is_due(&j->progress)) {
        fprintf(stderr, "iteration %d: residual %.1e (tolerance %g)\n", now->iteration,
                now->residual_relative, j->options.tol);
    }
}

static int solve(job *j)
{
    mo_message why = {""};
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    j->options.progress = show;
    j->options.progress_user = j;
    mo_error error = mo_spread_solve(j->spread, &j->options, &j->result);
    if (error) {
        call_say("%s: %s", j->file, j->result.message.text);
        return EXIT_FAILED;
    }
    if (call_is_root()) (j->json ? put_json : put_text)(j, ranks);
    if (j->out) {
        error = j->is_slabs ? mo_spread_write(j->spread, &j->result, j->file, j->out, &why)
                            : write_out(j, &why);
    }
    if (error) {
        call_say("%s", why.text);
        return EXIT_FAILED;
    }
    return j->result.status == MO_SOLVED ? EXIT_DONE : EXIT_FAILED;
}

int command_solve(int argc, char **argv)
{
    job j = {.options = mo_default_options()};
    double max_iter = j.options.max_iter;
    const call_flag flags[] = {
        {.name = "method",
         .operand = "NAME",
         .about = "nsgs, newton, admm or auto [auto]",
         .text = &j.options.method},
        {.name = "linear",
         .operand = "WAY",
         .about = "linear systems of newton and admm: factor, multigrid or auto [auto]",
         .text = &j.linear},
        {.name = "tol",
         .operand = "X",
         .about = "relative tolerance [1e-8]",
         .number = &j.options.tol,
         .least = 0,
         .most = 1},
        {.name = "max-iter",
         .operand = "N",
         .about = "maximum number of sweeps [10000]",
         .number = &max_iter,
         .least = 0,
         .most = 2e9},
        {.name = "time-limit",
         .operand = "S",
         .about = "maximum wall-clock time, in s",
         .number = &j.options.time_limit,
         .least = 0,
         .most = INFINITY},
        {.name = "nsgs.momentum",
         .operand = "X",
         .about = "limit of the momentum of nsgs [0]",
         .number = &j.options.nsgs.momentum,
         .least = 0,
         .most = 1e6},
        {.name = "out",
         .operand = "FILE",
         .about = "write the problem with its solution to this FCLIB file",
         .text = &j.out},
        CALL_PROGRESS(j.progress.is_asked),
        {.name = "json", .about = "print one JSON object", .is_set = &j.json},
    };
    int count;
    const int status =
        call_read(&COMMAND, flags, sizeof flags / sizeof *flags, argc, argv, &j.file, &count);
    if (status >= 0) return status;
    if (!find_linear(j.linear, &j.way)) return EXIT_CALL;
    mo_message why = {""};
    j.options.max_iter = (int)max_iter;
    if (read_file(&j, &why)) {
        call_say("%s", why.text);
        mo_document_clear(&j.document);
        return EXIT_FAILED;
    }
    mo_spread_set_linear(j.spread, j.way);
    const int done = solve(&j);
    mo_result_clear(&j.result);
    mo_spread_destroy(j.spread);
    mo_document_clear(&j.document);
    return done;
}
