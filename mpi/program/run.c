/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* moreau-mpi run: simulates a heap; CSV files and recordings by rank, checkpoints and restarts. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "farewell.h"
#include "json.h"
#include "number.h"
#include "record.h"
#include "spread.h"

static const call_command COMMAND = {
    .name = "run",
    .operands = "beads|heap",
    .about = "simulate bodies that fall into a box, distributed over ranks",
    .examples = "  mpiexec -n 4 moreau-mpi run beads --set count=20000 --steps 200\n"
                "  mpiexec -n 2 moreau-mpi run heap --set count=1000 --set shape=5\n"
                "  mpiexec -n 2 moreau-mpi run beads --steps 500 --checkpoint beads.heap\n"
                "  mpiexec -n 3 moreau-mpi run beads --restart beads.heap --steps 500\n"
                "  mpiexec -n 2 moreau-mpi run beads --csv beads.csv --every 10\n"
                "  mpiexec -n 2 moreau-mpi run heap --record heap.hdf5\n"
                "  moreau-mpi join heap.hdf5\n",
    .least = 1,
    .most = 1,
};

typedef struct run {
    mo_heap_def def;
    call_texts settings;
    double steps, every, checkpoint_every, dt, tol;
    const char *csv, *record, *checkpoint, *restart, *scene;
    int json, is_heap;
    mo_heap *heap;
    FILE *rows, *frames; /* of this rank */
    call_progress progress;
    int64_t sweeps, unsolved;
    double depth, overlap, worst, seconds;
} run;

/* ---- the call ------------------------------------------------------------------------------- */

/* beads, or heap with its shapes. */
static int choose_scene(run *r, const char *scene)
{
    r->scene = scene;
    if (strcmp(scene, "beads") == 0) return -1;
    if (strcmp(scene, "heap") == 0) {
        r->is_heap = 1;
        return -1;
    }
    call_say("run: the scenes for ranks are beads and heap, not %.80s; moreau run, in one process, "
             "has the others, and joints, mechanisms, meshes and moving walls",
             scene);
    return EXIT_CALL;
}

typedef struct setting {
    const char *name;
    double *value;
    double least, most;
    int is_whole;
} setting;

/* One NAME=VALUE; false, with a sentence, if it is none of those known. */
static int apply_setting(const char *text, const setting *known, int count)
{
    for (int k = 0; k < count; ++k) {
        double value;
        if (call_setting(text, known[k].name, &value)) {
            if (value >= known[k].least && value <= known[k].most &&
                (!known[k].is_whole || value == floor(value))) {
                *known[k].value = value;
                return 1;
            }
            call_say("run: --set %.100s: %s is a%s number from %g to %g", text, known[k].name,
                     known[k].is_whole ? " whole" : "", known[k].least, known[k].most);
            return 0;
        }
    }
    call_say(
        "run: --set %.100s: there are count, mu, restitution, radius, seed, density and box, for "
        "heap also shape and boxes, each with a number",
        text);
    return 0;
}

static int apply_settings(run *r)
{
    double count = r->def.count, seed = (double)r->def.seed, shape = MO_HEAP_MIXED, boxes = 0;
    const setting known[] = {{"count", &count, 1, 5e8, 1},
                             {"mu", &r->def.mu, 0, 1e6, 0},
                             {"radius", &r->def.radius, 1e-9, 1e9, 0},
                             {"seed", &seed, 0, 1e15, 1},
                             {"density", &r->def.density, 1e-9, 1e12, 0},
                             {"box", &r->def.box, 0, 1e12, 0},
                             {"restitution", &r->def.restitution, 0, 1, 0},
                             {"shape", &shape, 0, MO_HEAP_MIXED, 1},
                             {"boxes", &boxes, 0, 5e8, 1}};
    const int known_count = (int)(sizeof known / sizeof *known) - (r->is_heap ? 0 : 2);
    for (int pass = 0; pass < 2; ++pass) { /* the number of bodies decides on the tolerance */
        for (int k = 0; k < r->settings.count; ++k)
            if (!apply_setting(r->settings.at[k], known, known_count)) return EXIT_CALL;
        if (pass == 0) r->def = mo_default_heap((int)count);
    }
    r->def.seed = (uint64_t)seed;
    if (r->is_heap) {
        r->def.shape = (mo_heap_kind)shape;
        r->def.boxes = (int)boxes;
        r->def.is_turned = 1;
    }
    return -1;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* FILE.rank-K, where a file is asked for; parts of an earlier run on more ranks go. */
static int open_part(const char *name, FILE **file)
{
    char path[4200];
    int rank, size, good = 1;
    if (!name) return -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "%.4096s.rank-%d", name, rank);
    *file = fopen(path, "wb");
    good = *file != NULL;
    for (int k = size, is_there = rank == 0; is_there; ++k) {
        snprintf(path, sizeof path, "%.4096s.rank-%d", name, k);
        is_there = unlink(path) == 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!good) {
        call_say("run: %.500s.rank-*: a rank cannot write there", name);
        return EXIT_FAILED;
    }
    return -1;
}

static void put_rows(run *r)
{
    const double time = (double)mo_heap_steps(r->heap) * mo_heap_def_of(r->heap)->dt;
    for (int k = 0; k < mo_heap_own_count(r->heap); ++k) {
        const mo_heap_state s = mo_heap_own(r->heap, k);
        fprintf(r->rows, "%s,%u", number_exact(time).text, s.id);
        for (int i = 0; i < 3; ++i)
            fprintf(r->rows, ",%s", number_exact(s.at[i]).text);
        for (int i = 0; i < 4; ++i)
            fprintf(r->rows, ",%s", number_exact(s.turn[i]).text);
        for (int i = 0; i < 3; ++i)
            fprintf(r->rows, ",%s", number_exact(s.v[i]).text);
        for (int i = 0; i < 3; ++i)
            fprintf(r->rows, ",%s", number_exact(s.spin[i]).text);
        fputc('\n', r->rows);
    }
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Of all states and ids, whatever the ranks: FNV-1a of each body, added. */
static uint64_t hash_of(const mo_heap *heap)
{
    uint64_t sum = 0;
    for (int k = 0; k < mo_heap_own_count(heap); ++k) {
        const mo_heap_state s = mo_heap_own(heap, k);
        double numbers[14] = {s.id};
        memcpy(numbers + 1, s.at, sizeof s.at);
        memcpy(numbers + 4, s.turn, sizeof s.turn);
        memcpy(numbers + 8, s.v, sizeof s.v);
        memcpy(numbers + 11, s.spin, sizeof s.spin);
        sum += mo_mpi_hash(numbers, sizeof numbers);
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void put_json(const run *r, const mo_heap_report *last, const char *hash, int ranks)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "scene", r->scene);
    json_whole(&j, "ranks", ranks);
    json_whole(&j, "bodies", mo_heap_def_of(r->heap)->count);
    json_whole(&j, "steps", mo_heap_steps(r->heap));
    json_number(&j, "dt", mo_heap_def_of(r->heap)->dt);
    json_number(&j, "tol", mo_heap_def_of(r->heap)->tol);
    json_whole(&j, "contacts", last->contacts);
    json_whole(&j, "contacts_most", last->most);
    json_whole(&j, "contacts_least", last->least);
    json_whole(&j, "colours", last->colours);
    json_whole(&j, "sweeps", r->sweeps);
    json_whole(&j, "unsolved_steps", r->unsolved);
    json_number(&j, "worst_residual", r->worst);
    json_number(&j, "penetration", r->depth);
    json_number(&j, "overlap", r->overlap);
    json_number(&j, "kinetic_energy", last->kinetic);
    json_number(&j, "potential_energy", last->potential);
    json_whole(&j, "migrated", last->migrated);
    json_number(&j, "seconds", r->seconds);
    json_text(&j, "hash", hash);
    json_object_end(&j);
    json_end(&j);
}

static void put_text(const run *r, const mo_heap_report *last, const char *hash, int ranks)
{
    printf("bodies         %d on %d ranks, %lld steps of %g s\n", mo_heap_def_of(r->heap)->count,
           ranks, (long long)mo_heap_steps(r->heap), mo_heap_def_of(r->heap)->dt);
    printf("contacts       %lld at the end, %lld to %lld a rank; %lld bodies have changed ranks\n",
           (long long)last->contacts, (long long)last->least, (long long)last->most,
           (long long)last->migrated);
    printf("unsolved steps %lld; worst residual %.2g (tolerance %g), %lld sweeps\n",
           (long long)r->unsolved, r->worst, mo_heap_def_of(r->heap)->tol, (long long)r->sweeps);
    printf("penetration    %.2g of the radius at most\n",
           r->depth / mo_heap_def_of(r->heap)->radius);
    printf("energy         kinetic %.4g J, potential %.4g J\n", last->kinetic, last->potential);
    printf("time           %.3g s\nstate          %s\n", r->seconds, hash);
}

static void report(const run *r, const mo_heap_report *last)
{
    char hash[20];
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_of(r->heap));
    if (call_is_root()) (r->json ? put_json : put_text)(r, last, hash, ranks);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void note_step(run *r, const mo_heap_report *now)
{
    r->sweeps += now->iterations;
    r->unsolved += now->status != MO_SOLVED;
    r->depth = fmax(r->depth, now->penetration);
    r->overlap = fmax(r->overlap, now->overlap);
    r->worst = fmax(r->worst, now->residual.natural_relative);
    r->seconds += now->seconds;
    if (call_progress_is_due(&r->progress)) {
        fprintf(stderr, "step %lld: %lld contacts, %d sweeps, residual %.1e\n",
                (long long)now->step, (long long)now->contacts, now->iterations,
                now->residual.natural_relative);
    }
}

static mo_error save_if_due(run *r, int is_last, mo_message *why)
{
    const int64_t step = mo_heap_steps(r->heap);
    if (!r->checkpoint || (!is_last && step % (int64_t)r->checkpoint_every != 0)) return MO_OK;
    return mo_heap_save(r->heap, r->checkpoint, why);
}

/* Rows and a frame of the present state, where they are asked for. */
static mo_error record(run *r, const mo_heap_report *now, mo_message *why)
{
    if (r->rows) put_rows(r);
    if (!r->frames) return MO_OK;
    return mo_mpi_agree(MPI_COMM_WORLD, record_frame(r->frames, r->record, r->heap, now, why), why);
}

static int take_steps(run *r)
{
    mo_message why = {""};
    mo_heap_report now = {0};
    mo_error error = record(r, NULL, &why);
    for (int64_t k = 1; !error && k <= (int64_t)r->steps; ++k) {
        error = mo_heap_step(r->heap, &now, &why);
        if (!error) {
            note_step(r, &now);
            error = save_if_due(r, k == (int64_t)r->steps, &why);
        }
        if (!error && k % (int64_t)r->every == 0) error = record(r, &now, &why);
    }
    if (error) {
        call_say("run: %s", why.text);
        return EXIT_FAILED;
    }
    report(r, &now);
    return EXIT_DONE;
}

/* Outputs that cannot be written are refused before the first step, on all ranks. */
static mo_error check_outputs(const run *r, mo_message *why)
{
    const char *const names[] = {r->csv, r->record, r->checkpoint};
    mo_error error = MO_OK;
    for (int k = 0; k < 3 && !error; ++k)
        error = names[k] ? mo_mpi_check_target(names[k], why) : MO_OK;
    if (!error && r->checkpoint && call_is_root()) { /* as mo_heap_save does */
        char beside[4200];
        snprintf(beside, sizeof beside, "%.4096s.part", r->checkpoint);
        FILE *file = fopen(beside, "ab");
        if (file) {
            fclose(file);
            unlink(beside);
        } else {
            snprintf(why->text, sizeof why->text, "%.300s: cannot be written: %s", r->checkpoint,
                     strerror(errno));
            error = MO_ERR_FILE;
        }
    }
    return mo_mpi_agree(MPI_COMM_WORLD, error, why);
}

static int start(run *r)
{
    mo_message why = {""};
    mo_error error = check_outputs(r, &why);
    if (error) {
        call_say("run: %s", why.text);
        return EXIT_FAILED;
    }
    farewell_prepare(r->checkpoint);
    if (r->restart)
        error = mo_heap_load(MPI_COMM_WORLD, r->restart, &r->heap, &why);
    else
        error = mo_heap_create(MPI_COMM_WORLD, &r->def, &r->heap, &why);
    if (error) {
        call_say("run: %s", why.text);
        return EXIT_FAILED;
    }
    const int status = open_part(r->csv, &r->rows);
    return status < 0 ? open_part(r->record, &r->frames) : status;
}

int command_run(int argc, char **argv)
{
    run r = {.def = mo_default_heap(600), .steps = 100, .every = 1, .checkpoint_every = 50};
    const call_flag flags[] = {
        {.name = "set",
         .operand = "NAME=VALUE",
         .about = "count [600], mu [0.3], restitution [0], radius [0.1], density [1000], box, "
                  "seed [1]; of heap also shape [5] and boxes [0], as in moreau run heap",
         .texts = &r.settings},
        {.name = "steps",
         .operand = "N",
         .about = "number of steps [100]",
         .number = &r.steps,
         .least = 0,
         .most = 1e9},
        {.name = "dt",
         .operand = "H",
         .about = "step size, in s [0.01]",
         .number = &r.dt,
         .least = 1e-9,
         .most = 1},
        {.name = "tol",
         .operand = "X",
         .about = "relative tolerance of a step [1e-3; 2e-3 above 2,000 bodies, 2e-2 above "
                  "50,000]",
         .number = &r.tol,
         .least = 1e-12,
         .most = 0.5},
        {.name = "csv",
         .operand = "FILE",
         .about = "write a CSV line for each body and recorded step, one file per rank; see "
                  "moreau-mpi join",
         .text = &r.csv},
        {.name = "record",
         .operand = "FILE",
         .about = "write a recording (HDF5), one file per rank; see moreau-mpi join",
         .text = &r.record},
        {.name = "every",
         .operand = "K",
         .about = "record every K-th step [1]",
         .number = &r.every,
         .least = 1,
         .most = 1e9},
        {.name = "checkpoint",
         .operand = "FILE",
         .about = "save the state to this file",
         .text = &r.checkpoint},
        {.name = "checkpoint-every",
         .operand = "K",
         .about = "number of steps between checkpoints [50]",
         .number = &r.checkpoint_every,
         .least = 1,
         .most = 1e9},
        {.name = "restart",
         .operand = "FILE",
         .about = "continue from a checkpoint, on any number of ranks",
         .text = &r.restart},
        CALL_PROGRESS(r.progress.is_asked),
        {.name = "json", .about = "print one JSON object", .is_set = &r.json},
    };
    const char *scene;
    int count;
    int status =
        call_read(&COMMAND, flags, sizeof flags / sizeof *flags, argc, argv, &scene, &count);
    status = status < 0 ? choose_scene(&r, scene) : status;
    status = status < 0 ? apply_settings(&r) : status;
    if (status >= 0) return status;
    r.def.dt = r.dt > 0 ? r.dt : r.def.dt;
    r.def.tol = r.tol > 0 ? r.tol : r.def.tol;
    status = start(&r);
    status = status < 0 ? take_steps(&r) : status;
    int failed = r.rows && fclose(r.rows) != 0;
    failed = (r.frames && fclose(r.frames) != 0) || failed;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed) {
        call_say("run: rows or frames could not be written: is the disk full?");
        status = EXIT_FAILED;
    }
    mo_heap_destroy(r.heap);
    farewell_end();
    return status;
}
