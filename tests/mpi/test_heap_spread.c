/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Heaps on ranks: the same trajectory, bit by bit, on 1 to 4 ranks while balls change
 * ranks; a checkpoint that another number of ranks continues; where bodies come to lie.
 * test_heap_world.c has the other shapes.
 */
#include <unistd.h>

#include "bits.h"

enum { BALLS = 250, STEPS = 30 };

typedef struct path {
    mo_heap_state *state; /* of all balls, on rank 0 */
    mo_heap_report last;
    int64_t sweeps, migrated;
    double depth; /* the largest of all steps */
} path;

/* All balls by id, on rank 0. */
static mo_heap_state *collect(MPI_Comm comm, const mo_heap *heap)
{
    int own = mo_heap_own_count(heap), size, counts[4] = {0}, starts[4] = {0};
    mo_heap_state *mine = calloc((size_t)own + 1, sizeof *mine), *all = calloc(BALLS, sizeof *all),
                  *sorted = calloc(BALLS, sizeof *sorted);
    MPI_Comm_size(comm, &size);
    for (int k = 0; k < own; ++k)
        mine[k] = mo_heap_own(heap, k);
    own *= (int)sizeof *mine;
    MPI_Gather(&own, 1, MPI_INT, counts, 1, MPI_INT, 0, comm);
    for (int k = 1; k < size; ++k)
        starts[k] = starts[k - 1] + counts[k - 1];
    MPI_Gatherv(mine, own, MPI_BYTE, all, counts, starts, MPI_BYTE, 0, comm);
    for (int k = 0; rank == 0 && k < BALLS; ++k)
        sorted[all[k].id] = all[k];
    free(mine);
    free(all);
    return sorted;
}

static mo_heap_def definition(void)
{
    mo_heap_def def = mo_default_heap(BALLS);
    def.balance = 7;
    def.dt = 0.02;
    def.tol = 1e-2;
    return def;
}

static void run_steps(mo_heap *heap, int steps, path *out)
{
    mo_message why = {""};
    for (int k = 0; k < steps; ++k) {
        expect(!mo_heap_step(heap, &out->last, &why), why.text, "heap");
        expect(out->last.status == MO_SOLVED, mo_status_text(out->last.status), "heap");
        out->sweeps += out->last.iterations;
        out->depth = fmax(out->depth, out->last.penetration);
    }
    out->migrated = out->last.migrated;
}

static int same_path(const path *a, const path *b)
{
    return !memcmp(a->state, b->state, BALLS * sizeof *a->state) &&
           a->last.kinetic == b->last.kinetic && a->last.potential == b->last.potential &&
           a->last.residual.natural == b->last.residual.natural &&
           a->last.contacts == b->last.contacts && a->depth == b->depth;
}

static MPI_Comm first_ranks(int ranks)
{
    MPI_Comm comm;
    wait_for_all();
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    return comm;
}

/* What one rank finds, against what the physics of a heap in a box asks for. */
static void check_physics(const path *p)
{
    const mo_heap_def def = definition();
    const double mass = def.density * 4 / 3 * 3.14159265358979323846 * pow(def.radius, 3);
    const double half = 0.5 * ceil(cbrt(BALLS)) * 2.2 * def.radius;
    double height = 0;
    for (int k = 0; k < BALLS; ++k) {
        const double *at = p->state[k].at, *turn = p->state[k].turn;
        height += at[2] / BALLS;
        expect(at[2] > 0.98 * def.radius, "a ball has fallen through the floor", "heap");
        expect(fabs(at[0]) < half - 0.98 * def.radius && fabs(at[1]) < half - 0.98 * def.radius,
               "a ball has passed through a wall", "heap");
        expect(fabs(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3] -
                    1) < 1e-12,
               "a rotation is none", "heap");
    }
    expect(fabs(p->last.potential - mass * def.gravity * height * BALLS) < 1e-9 * p->last.potential,
           "potential energy", "heap");
    expect(p->depth < 0.02 * def.radius, "balls penetrate", "heap");
    printf("heap: mean height %.3f m, %lld contacts, depth %.1e r, kinetic %.2e J, %lld sweeps\n",
           height, (long long)p->last.contacts, p->depth / def.radius, p->last.kinetic,
           (long long)p->sweeps);
}

static void check_ranks(path *first)
{
    const mo_heap_def def = definition();
    for (int ranks = 1; ranks <= 4; ranks = next_ranks(ranks)) {
        MPI_Comm comm = first_ranks(ranks);
        mo_message why = {""};
        mo_heap *heap;
        path own = {0};
        if (comm == MPI_COMM_NULL) continue;
        expect(!mo_heap_create(comm, &def, &heap, &why), why.text, "heap");
        run_steps(heap, STEPS, &own);
        own.state = collect(comm, heap);
        if (rank == 0 && ranks == 1) {
            *first = own;
            check_physics(&own);
        } else if (rank == 0) {
            expect(same_path(first, &own), "another trajectory", "heap");
            expect(own.sweeps == first->sweeps, "other sweeps", "heap");
            expect(own.migrated > 0, "no ball has changed its rank", "heap");
            expect(own.last.most < own.last.contacts, "one rank has all contacts", "heap");
        }
        if (ranks > 1 || rank > 0) free(own.state);
        mo_heap_destroy(heap);
        MPI_Comm_free(&comm);
    }
}

/* Half the steps on `before` ranks, a checkpoint, the others on `after` ranks. */
static void check_restart(const path *first, int before, int after, const char *file)
{
    const mo_heap_def def = definition();
    MPI_Comm one = first_ranks(before), two = first_ranks(after);
    mo_message why = {""};
    mo_heap *heap;
    path own = {0};
    if (one != MPI_COMM_NULL) {
        expect(!mo_heap_create(one, &def, &heap, &why), why.text, "restart");
        run_steps(heap, STEPS / 2, &own);
        expect(!mo_heap_save(heap, file, &why), why.text, "restart");
        mo_heap_destroy(heap);
        MPI_Comm_free(&one);
    }
    wait_for_all();
    if (two != MPI_COMM_NULL) {
        const mo_error error = mo_heap_load(two, file, &heap, &why);
        expect(!error, why.text, "restart");
        expect(error || mo_heap_steps(heap) == STEPS / 2, "step of the checkpoint", "restart");
        run_steps(heap, STEPS - STEPS / 2, &own);
        own.depth = first->depth;
        own.state = collect(two, heap);
        if (rank == 0)
            expect(same_path(first, &own), "another trajectory after a restart", "restart");
        free(own.state);
        mo_heap_destroy(heap);
        MPI_Comm_free(&two);
    }
}

/* ---- other shapes ---------------------------------------------------------------------------- */

/* A sum over all bodies of what tells two states apart, whatever the ranks. */
static uint64_t fingerprint(MPI_Comm comm, const mo_heap *heap)
{
    uint64_t sum = 0;
    for (int k = 0; k < mo_heap_own_count(heap); ++k) {
        const mo_heap_state state = mo_heap_own(heap, k);
        double numbers[13];
        uint64_t bits[13];
        memcpy(numbers, state.at, sizeof numbers);
        memcpy(bits, numbers, sizeof bits);
        for (int i = 0; i < 13; ++i)
            sum += (bits[i] ^ state.id) * (UINT64_C(0x9e3779b97f4a7c15) + 2 * (uint64_t)i);
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
    return sum;
}

enum { SOLIDS = 48, SOLID_STEPS = 45 };

static mo_heap_def solids(mo_heap_kind shape)
{
    mo_heap_def def = mo_default_heap(SOLIDS);
    def.shape = shape;
    def.is_turned = 1;
    def.balance = 7;
    def.tol = 1e-2;
    return def;
}

/* Steps in which no solids overlap. */
static mo_heap_report step_solids(mo_heap *heap, int steps, const char *name)
{
    mo_message why = {""};
    mo_heap_report report = {0};
    double overlap = 0, depth = 0;
    for (int k = 0; k < steps; ++k) {
        expect(!mo_heap_step(heap, &report, &why), why.text, name);
        expect(report.status == MO_SOLVED, "not solved", name);
        overlap = fmax(overlap, report.overlap);
        depth = fmax(depth, report.penetration);
    }
    expect(overlap < 5e-3 && depth < 1e-2 * mo_heap_def_of(heap)->radius, "solids overlap", name);
    return report;
}

/* The same trajectory on 1 to 4 ranks; returns its end, on rank 0. */
static uint64_t check_shapes(mo_heap_kind shape, const char *name)
{
    const mo_heap_def def = solids(shape);
    uint64_t first = 0;
    for (int ranks = 1; ranks <= 4; ranks = next_ranks(ranks)) {
        MPI_Comm comm = first_ranks(ranks);
        mo_message why = {""};
        mo_heap *heap;
        if (comm == MPI_COMM_NULL) continue;
        expect(!mo_heap_create(comm, &def, &heap, &why), why.text, name);
        const mo_heap_report report = step_solids(heap, SOLID_STEPS, name);
        const uint64_t now = fingerprint(comm, heap);
        first = ranks == 1 ? now : first;
        expect(rank > 0 || (now == first && report.contacts > SOLIDS), "another trajectory", name);
        expect(ranks == 1 || report.migrated > 0, "no body has changed its rank", name);
        mo_heap_destroy(heap);
        MPI_Comm_free(&comm);
    }
    return first;
}

/* Steps on three ranks, a checkpoint, the others on two: the trajectory of one rank. */
static void check_solids_restart(mo_heap_kind shape, uint64_t end, const char *file)
{
    const mo_heap_def def = solids(shape);
    MPI_Comm three = first_ranks(3), two = first_ranks(2);
    mo_message why = {""};
    mo_heap *heap;
    if (three != MPI_COMM_NULL) {
        expect(!mo_heap_create(three, &def, &heap, &why), why.text, "solids");
        step_solids(heap, SOLID_STEPS / 2, "solids");
        expect(!mo_heap_save(heap, file, &why), why.text, "solids");
        mo_heap_destroy(heap);
        MPI_Comm_free(&three);
    }
    wait_for_all();
    if (two != MPI_COMM_NULL) {
        expect(!mo_heap_load(two, file, &heap, &why), why.text, "solids");
        step_solids(heap, SOLID_STEPS - SOLID_STEPS / 2, "solids");
        const uint64_t now = fingerprint(two, heap);
        expect(rank > 0 || now == end, "another trajectory after a restart", "solids");
        mo_heap_destroy(heap);
        MPI_Comm_free(&two);
    }
    wait_for_all();
}

/* What is wrong on one rank alone is refused on all, with a sentence. */
static void check_one_wrong(const char *file)
{
    mo_heap_def def = solids(MO_HEAP_BOXES);
    mo_message why = {""};
    mo_heap *heap;
    def.tol = rank == 2 ? -1 : def.tol;
    expect(mo_heap_create(MPI_COMM_WORLD, &def, &heap, &why) == MO_ERR_ARGUMENT && !heap &&
               strstr(why.text, "tolerance"),
           why.text, "a wrong definition on one rank");
    expect(mo_heap_load(MPI_COMM_WORLD, rank == 1 ? "missing.heap" : file, &heap, &why) ==
                   MO_ERR_FILE &&
               !heap && strstr(why.text, "missing.heap"),
           why.text, "a checkpoint that one rank does not find");
}

/* One body that falls lies on a face or on its side in the end: its height is known. */
static void check_rest(mo_heap_kind shape, const double *heights, int count, const char *name)
{
    mo_heap_def def = mo_default_heap(1);
    mo_message why = {""};
    mo_heap_report report = {0};
    mo_heap *heap;
    double off = 1;
    def.shape = shape;
    def.is_turned = 1;
    def.seed = 3;
    def.tol = 1e-6;
    expect(!mo_heap_create(MPI_COMM_WORLD, &def, &heap, &why), why.text, name);
    for (int k = 0; k < 100; ++k)
        expect(!mo_heap_step(heap, &report, &why), why.text, name);
    for (int k = 0; k < count && mo_heap_own_count(heap); ++k)
        off = fmin(off, fabs(mo_heap_own(heap, 0).at[2] - heights[k] * def.radius));
    MPI_Allreduce(MPI_IN_PLACE, &off, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    expect(off < 2e-3 * def.radius, "it does not lie on a face or side", name);
    expect(report.least == 0, "every rank has contacts of one body", name);
    mo_heap_destroy(heap);
}

static void change_byte(const char *name, long at)
{
    FILE *file = fopen(name, "r+b");
    expect(file != NULL, "fopen", "damage");
    if (file) {
        fseek(file, at, SEEK_SET);
        const int old = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(old ^ 0x41, file);
        fclose(file);
    }
}

/* A damaged checkpoint is refused with a sentence, on all ranks. */
static void check_damage(const char *file)
{
    mo_message why = {""};
    mo_heap *heap;
    for (long at = 20; at < 9000; at += 1790) { /* one byte in the head, in bodies, in impulses */
        if (rank == 0) change_byte(file, at);
        wait_for_all();
        const mo_error error = mo_heap_load(MPI_COMM_WORLD, file, &heap, &why);
        expect((error == MO_ERR_FORMAT || error == MO_ERR_ARGUMENT) && !heap && why.text[0],
               why.text, "a changed byte");
        wait_for_all();
        if (rank == 0) change_byte(file, at); /* back */
    }
    wait_for_all();
    expect(!mo_heap_load(MPI_COMM_WORLD, file, &heap, &why), why.text, "put right");
    mo_heap_destroy(heap);
    wait_for_all();
    if (rank == 0) expect(truncate(file, 5000) == 0, "truncate", "damage");
    wait_for_all();
    expect(mo_heap_load(MPI_COMM_WORLD, file, &heap, &why) == MO_ERR_FORMAT && !heap, why.text,
           "damage");
    expect(strstr(why.text, "cut short") != NULL, why.text, "damage");
    wait_for_all();
    if (rank == 0) unlink(file);
    wait_for_all();
    expect(mo_heap_load(MPI_COMM_WORLD, file, &heap, &why) == MO_ERR_FILE, why.text, "damage");
}

int main(int argc, char **argv)
{
    char file[64];
    int all = 0, process = (int)getpid();
    path first = {0};
    mo_mpi_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(file, sizeof file, "test_heap_spread_%d.heap", process);
    check_ranks(&first);
    check_restart(&first, 3, 2, file);
    check_restart(&first, 1, 4, file);
    check_one_wrong(file);
    check_damage(file);
    const uint64_t mixed = check_shapes(MO_HEAP_MIXED, "mixed shapes");
    check_solids_restart(MO_HEAP_MIXED, mixed, file);
    check_rest(MO_HEAP_BOXES, (const double[3]){1, 0.8, 0.6}, 3, "a box");
    check_rest(MO_HEAP_CAPSULES, (const double[1]){0.5}, 1, "a capsule");
    check_rest(MO_HEAP_CYLINDERS, (const double[2]){1, 0.7}, 2, "a cylinder");
    free(first.state);
    if (rank == 0) unlink(file);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return all > 0;
}
