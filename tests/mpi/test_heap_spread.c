/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Heaps of balls on ranks: the same trajectory, bit by bit, on 1 to 4 ranks while balls change
 * ranks; a checkpoint that another number of ranks continues; and where the balls come to lie.
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
    for (int k = 0; k < own; ++k) {
        mine[k] = mo_heap_own(heap, k);
    }
    own *= (int)sizeof *mine;
    MPI_Gather(&own, 1, MPI_INT, counts, 1, MPI_INT, 0, comm);
    for (int k = 1; k < size; ++k) {
        starts[k] = starts[k - 1] + counts[k - 1];
    }
    MPI_Gatherv(mine, own, MPI_BYTE, all, counts, starts, MPI_BYTE, 0, comm);
    for (int k = 0; rank == 0 && k < BALLS; ++k) {
        sorted[all[k].id] = all[k];
    }
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
    for (int ranks = 1; ranks <= 4; ++ranks) {
        MPI_Comm comm = first_ranks(ranks);
        mo_message why = {""};
        mo_heap *heap;
        path own = {0};
        if (comm == MPI_COMM_NULL) {
            continue;
        }
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
        if (ranks > 1 || rank > 0) {
            free(own.state);
        }
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
        if (rank == 0) {
            expect(same_path(first, &own), "another trajectory after a restart", "restart");
        }
        free(own.state);
        mo_heap_destroy(heap);
        MPI_Comm_free(&two);
    }
}

/* A damaged checkpoint is refused with a sentence, on all ranks. */
static void check_damage(const char *file)
{
    mo_message why = {""};
    mo_heap *heap;
    if (rank == 0) {
        expect(truncate(file, 5000) == 0, "truncate", "damage");
    }
    wait_for_all();
    expect(mo_heap_load(MPI_COMM_WORLD, file, &heap, &why) == MO_ERR_FORMAT && !heap, why.text,
           "damage");
    expect(strstr(why.text, "cut short") != NULL, why.text, "damage");
    wait_for_all();
    if (rank == 0) {
        unlink(file);
    }
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
    check_damage(file);
    free(first.state);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return all > 0;
}
