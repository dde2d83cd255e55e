/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* moreau-mpi bench: sweeps over a packing of which every rank generates its part. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "call.h"
#include "json.h"
#include "packing.h"
#include "spread.h"

static const call_command COMMAND = {
    .name = "bench",
    .operands = "",
    .about = "measure sweeps over a packing of balls; each rank generates its part",
    .examples = "  mpiexec -n 2 moreau-mpi bench --contacts 1000000 --sweeps 50\n"
                "  mpiexec -n 4 moreau-mpi bench --contacts 100000 --tol 2e-3 --json\n",
};

typedef struct bench {
    double contacts, sweeps, tol, momentum, seed;
    int json;
} bench;

/* Processor time of this rank, s. */
static double user_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

typedef struct figures {
    double make, solve, user; /* s; user: the largest of all ranks */
    mo_spread_times sweep;
    mo_spread_traffic predicted, counted;
    int64_t rounds;
    uint64_t hash; /* of r and v */
} figures;

/* Of the whole r and v, whatever the ranks. */
static uint64_t hash_of(const mo_spread *s, const mo_result *result)
{
    uint64_t sum = 0;
    for (int i = 0; i < s->part->constraint_count; ++i) {
        double own[4] = {(double)s->constraint_id[i]};
        memcpy(own + 1, result->r + s->part->row_start[i], 3 * sizeof *own);
        sum += mo_mpi_hash(own, sizeof own);
    }
    for (int b = 0; b < s->part->body_count; ++b) {
        double own[7] = {s->body_id[b]};
        memcpy(own + 1, result->v + s->part->body_start[b], 6 * sizeof *own);
        sum += s->body_rank[b] == s->rank ? mo_mpi_hash(own, sizeof own) : 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void put_json(const mo_spread *spread, const mo_result *result, const figures *f)
{
    const double sweeps = result->iterations ? result->iterations : 1;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_whole(&j, "ranks", ranks);
    json_whole(&j, "contacts", mo_spread_constraint_count(spread));
    json_whole(&j, "bodies", mo_spread_body_count(spread));
    json_whole(&j, "colours", mo_spread_colour_count(spread));
    json_text(&j, "status", mo_status_name(result->status));
    json_whole(&j, "sweeps", result->iterations);
    json_number(&j, "residual_relative", result->residual.natural_relative);
    json_number(&j, "make_seconds", f->make);
    json_number(&j, "solve_seconds", f->solve);
    json_number(&j, "sweep_seconds", f->solve / sweeps);
    json_number(&j, "sweep_user_seconds", f->user / sweeps);
    json_number(&j, "sweep_median_seconds", f->sweep.median);
    json_number(&j, "sweep_fastest_seconds", f->sweep.fastest);
    json_whole(&j, "rounds", f->rounds);
    json_whole(&j, "messages_a_sweep", f->predicted.messages);
    json_whole(&j, "bytes_a_sweep", f->predicted.bytes);
    json_whole(&j, "messages_counted", f->counted.messages);
    json_whole(&j, "bytes_counted", f->counted.bytes);
    json_whole(&j, "reductions", f->counted.reductions);
    json_whole(&j, "shared_bodies", f->predicted.shared);
    json_whole(&j, "outer_contacts", f->predicted.outer);
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)f->hash);
    json_text(&j, "hash", hash);
    json_object_end(&j);
    json_end(&j);
}

static void put_text(const mo_spread *spread, const mo_result *result, const figures *f)
{
    const double sweeps = result->iterations ? result->iterations : 1;
    printf("contacts       %lld, bodies %lld, colours %d\n",
           (long long)mo_spread_constraint_count(spread), (long long)mo_spread_body_count(spread),
           mo_spread_colour_count(spread));
    printf("status         %s after %d sweeps, residual %.2e relative\n",
           mo_status_name(result->status), result->iterations, result->residual.natural_relative);
    printf(
        "time           %.3f s to make; a sweep %.3f ms in the median, %.3f ms at least, %.3f ms "
        "of processor time\n",
        f->make, 1e3 * f->sweep.median, 1e3 * f->sweep.fastest, 1e3 * f->user / sweeps);
    printf("exchange       %lld messages, %lld bytes a sweep; %lld shared bodies, %lld outer "
           "contacts\n",
           (long long)f->predicted.messages, (long long)f->predicted.bytes,
           (long long)f->predicted.shared, (long long)f->predicted.outer);
    printf("state          %016llx (r and v)\n", (unsigned long long)f->hash);
}

static int solve(mo_spread *spread, const bench *b, double made)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    figures f = {.make = made};
    options.method = "nsgs";
    options.tol = b->tol;
    options.max_iter = (int)b->sweeps;
    options.nsgs.momentum = b->momentum;
    const double user = user_seconds(), begin = MPI_Wtime();
    const mo_error error = mo_spread_solve(spread, &options, &result);
    f.solve = MPI_Wtime() - begin;
    const double own = user_seconds() - user;
    MPI_Allreduce(&own, &f.user, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (error) {
        call_say("%s", result.message.text);
    } else {
        mo_spread_predict(spread, &f.predicted);
        mo_spread_count(spread, &f.counted, &f.rounds);
        f.sweep = mo_spread_sweep_times(spread);
        f.hash = hash_of(spread, &result);
        if (call_is_root()) (b->json ? put_json : put_text)(spread, &result, &f);
    }
    mo_result_clear(&result);
    return error ? EXIT_FAILED : EXIT_DONE;
}

int command_bench(int argc, char **argv)
{
    bench b = {.contacts = 100000, .sweeps = 100, .tol = 1e-8, .momentum = 10, .seed = 1};
    const call_flag flags[] = {
        {.name = "contacts",
         .operand = "N",
         .about = "number of contacts of the packing [100000]",
         .number = &b.contacts,
         .least = 1,
         .most = 1e8},
        {.name = "sweeps",
         .operand = "N",
         .about = "maximum number of sweeps [100]",
         .number = &b.sweeps,
         .least = 0,
         .most = 2e9},
        {.name = "tol",
         .operand = "X",
         .about = "relative tolerance [1e-8]",
         .number = &b.tol,
         .least = 0,
         .most = 1},
        {.name = "momentum",
         .operand = "X",
         .about = "limit of the momentum, 0: none [10]",
         .number = &b.momentum,
         .least = 0,
         .most = 1e6},
        {.name = "seed",
         .operand = "N",
         .about = "seed of the packing [1]",
         .number = &b.seed,
         .least = 0,
         .most = 1e15},
        {.name = "json", .about = "print one JSON object", .is_set = &b.json},
    };
    const char *operands[1];
    int operand_count;
    const int status = call_read(&COMMAND, flags, sizeof flags / sizeof *flags, argc, argv,
                                 operands, &operand_count);
    if (status >= 0) return status;
    mo_message why = {""};
    mo_spread *spread;
    const double begin = MPI_Wtime();
    if (mo_spread_packing(MPI_COMM_WORLD, (int)b.contacts, (uint64_t)b.seed, &spread, &why)) {
        call_say("%s", why.text);
        return EXIT_FAILED;
    }
    const int done = solve(spread, &b, MPI_Wtime() - begin);
    mo_spread_destroy(spread);
    return done;
}
