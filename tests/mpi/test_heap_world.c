/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The step of a heap on ranks is that of a world: the states of both are compared, bit by bit, for
 * balls, boxes, capsules, cylinders, hulls and mixtures, on 1 to 4 ranks; and thin bodies that fly
 * and spin fast do not pass through a thin wall.
 */
#include "bits.h"
#include "heap.h"
#include "linalg/vec3.h"

static const double PI = 3.14159265358979323846;

/* What a case adds to a heap: states of bodies, and a wall in the middle of the box. */
typedef struct trial {
    const char *name;
    mo_heap_kind shape;
    int count, boxes, steps;
    double tol, dt, mu;
    double speed, spin; /* m/s towards +x and rad/s of all bodies, which then fly at the wall */
    double restitution;
    int comes_to_rest; /* in the end, by the default method, which such worlds are solved by */
    /* at most so many, from impulses that are this many times too large, if not zero: steps are not
     * solved, and their islands add no energy */
    int sweeps, excess;
    int gives_way;      /* in some steps contacts become compliant */
    double world_apart; /* at most: ranks sweep few such contacts too, a world does not */
} trial;

static const trial TRIALS[] = {
    {"balls", MO_HEAP_BALLS, 150, 0, 60, 1e-3, 0.01, 0.3, .speed = 0},
    {"boxes", MO_HEAP_BOXES, 36, 0, 40, 1e-3, 0.01, 0.3, .speed = 0},
    {"capsules", MO_HEAP_CAPSULES, 48, 0, 40, 1e-3, 0.01, 0.3, .speed = 0},
    {"cylinders", MO_HEAP_CYLINDERS, 36, 0, 40, 1e-2, 0.01, 0.3, .speed = 0},
    {"hulls, steep", MO_HEAP_HULLS, 36, 0, 36, 1e-2, 0.01, 1.5, .speed = 0},
    {"a mixture", MO_HEAP_MIXED, 48, 0, 40, 2e-3, 0.01, 0.3, .speed = 0},
    {"a box among balls", MO_HEAP_BALLS, 48, 1, 30, 1e-2, 0.02, 0, .speed = 0},
    {"flying boxes", MO_HEAP_BOXES, 16, 0, 3, 1e-3, 0.01, 0.3, .speed = 100, .spin = 400},
    {"flying rods", MO_HEAP_CAPSULES, 12, 0, 3, 1e-3, 0.01, 0.3, .speed = 100, .spin = 700},
    {"flying mixture", MO_HEAP_MIXED, 16, 0, 3, 1e-3, 0.01, 0.3, .speed = 60, .spin = 300},
    {"bouncing balls", MO_HEAP_BALLS, 80, 0, 50, 1e-3, 0.01, 0.3, .restitution = 0.8},
    {"bouncing mixture", MO_HEAP_MIXED, 32, 0, 40, 1e-2, 0.01, 0.6, .restitution = 0.5},
    {"flying, bouncing", MO_HEAP_BOXES, 16, 0, 4, 1e-3, 0.01, 0.3, .speed = 60, .spin = 300,
     .restitution = 1},
    {"boxes at rest", MO_HEAP_BOXES, 8, 0, 130, 1e-7, 0.01, 0.5, .comes_to_rest = 1},
    {"balls, unsolved", MO_HEAP_BALLS, 150, 0, 70, 0.1, 0.01, 0.5, .sweeps = 3, .excess = 2,
     .gives_way = 1},
    {"boxes, unsolved", MO_HEAP_BOXES, 36, 0, 40, 0.1, 0.01, 0.5, .sweeps = 3, .excess = 2},
    {"mixture, unsolved", MO_HEAP_MIXED, 48, 0, 40, 0.1, 0.01, 0.5, .sweeps = 3, .excess = 2},
    {"mixture, giving way", MO_HEAP_MIXED, 48, 0, 40, 0.02, 0.01, 0.5, .sweeps = 3, .excess = 4,
     .gives_way = 1},
    {"balls, one sweep", MO_HEAP_BALLS, 150, 0, 56, 0.1, 0.01, 0.5, .sweeps = 1, .excess = 4,
     .gives_way = 1, .world_apart = 1e-10},
};

static mo_heap_def definition(const trial *t)
{
    mo_heap_def def = mo_default_heap(t->count);
    def.shape = t->shape;
    def.boxes = t->boxes;
    def.is_turned = 1;
    def.tol = t->tol;
    def.dt = t->dt;
    def.mu = t->mu;
    def.restitution = t->restitution;
    def.balance = 7;
    if (t->speed > 0) {
        def.radius = 0.005;
        def.box = 4;
        def.gravity = 0;
    }
    return def;
}

static mo_shape_def thin_wall(const mo_heap_def *def)
{
    mo_shape_def wall = mo_shape_box(0.0005, 4, 6);
    wall.material.friction = def->mu;
    wall.material.restitution = def->restitution;
    return wall;
}

/* Pairs of bodies at random distances from the wall, which they reach in the first steps. */
static void fly(const trial *t, mo_heap *heap)
{
    mo_message why = {""};
    if (!(t->speed > 0)) return;
    const mo_shape_def wall = thin_wall(&heap->def);
    expect(mo_world_add_shape(heap->world, mo_world_body(heap->world, 0), &wall, &why).index,
           why.text, t->name);
    for (int b = 0; b < heap->count; ++b) {
        mo_heap_body *body = heap->own + b;
        const uint32_t pair = body->id / 2;
        const double part = fmod(0.61803398875 * (1 + pair), 1), turn = 2 * PI * part + body->id;
        body->at[0] = -0.03 - 2.5 * t->dt * t->speed * part;
        body->at[1] = 1.8 * (pair % 4) - 2.7 + 0.016 * (body->id % 2);
        body->at[2] = 0.3 + 1.5 * (pair / 4);
        mo_vec3_set(body->v, t->speed, 0, 0);
        mo_vec3_set(body->spin, 0.3 * t->spin * cos(3 * turn), t->spin * cos(turn),
                    t->spin * sin(turn));
    }
    free(heap->cell_owner);
    heap->cell_owner = NULL;
    expect(!mo_heap_balance(heap, &why) && !mo_heap_migrate(heap, &why), why.text, t->name);
}

/* All bodies by id, on rank 0. */
static mo_heap_state *collect(MPI_Comm comm, const mo_heap *heap)
{
    const int count = heap->def.count;
    int own = mo_heap_own_count(heap), size, counts[4] = {0}, starts[4] = {0};
    mo_heap_state *mine = calloc((size_t)own + 1, sizeof *mine),
                  *all = calloc((size_t)count, sizeof *all),
                  *sorted = calloc((size_t)count, sizeof *sorted);
    MPI_Comm_size(comm, &size);
    for (int k = 0; k < own; ++k)
        mine[k] = mo_heap_own(heap, k);
    own *= (int)sizeof *mine;
    MPI_Gather(&own, 1, MPI_INT, counts, 1, MPI_INT, 0, comm);
    for (int k = 1; k < size; ++k)
        starts[k] = starts[k - 1] + counts[k - 1];
    MPI_Gatherv(mine, own, MPI_BYTE, all, counts, starts, MPI_BYTE, 0, comm);
    for (int k = 0; rank == 0 && k < count; ++k)
        sorted[all[k].id] = all[k];
    free(mine);
    free(all);
    return sorted;
}

/* ---- the world ------------------------------------------------------------------------------- */

/* One with the same bodies and states, then the box, which is no part of a team. */
static mo_world *make_world(const trial *t, const mo_heap *heap)
{
    mo_world_def def = mo_world_definition(heap->world);
    mo_message why = {""};
    mo_world *world = NULL;
    expect(!mo_world_create(&def, NULL, &world, &why), why.text, t->name);
    for (int b = 0; b < heap->count; ++b) {
        const mo_heap_body *from = heap->own + b;
        mo_shape_def shape = mo_heap_shape_at(heap, from)->collider.def;
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        shape.density = heap->def.density;
        shape.material.friction = t->mu;
        shape.material.restitution = t->restitution;
        mo_vec3_copy(from->v, body.velocity);
        mo_vec3_copy(from->spin, body.spin);
        const mo_body_id made = mo_world_add_body(world, &body, &why);
        expect(mo_world_add_shape(world, made, &shape, &why).index, why.text, t->name);
        mo_sim_body *now = world->body + mo_body_place(world, made);
        mo_vec3_copy(from->at, now->x); /* the centre of mass */
        memcpy(now->orientation, from->turn, sizeof now->orientation);
    }
    const mo_body_def fixed = mo_default_body(MO_BODY_FIXED);
    const mo_body_id box = mo_world_add_body(world, &fixed, &why);
    for (int k = 0; k < MO_HEAP_WALLS; ++k) {
        mo_shape_def wall = heap->shapes.wall[k].def;
        wall.material.friction = t->mu;
        wall.material.restitution = t->restitution;
        mo_world_add_shape(world, box, &wall, &why);
    }
    const mo_shape_def thin = thin_wall(&heap->def);
    if (t->speed > 0) mo_world_add_shape(world, box, &thin, &why);
    return world;
}

/* The largest difference of a position, orientation or velocity. */
static double apart(const mo_world *world, const mo_heap_state *state, int count)
{
    double most = 0;
    for (int b = 0; b < count; ++b) {
        const mo_sim_body *body = world->body + b;
        for (int k = 0; k < 4; ++k)
            most = fmax(most, fabs(body->orientation[k] - state[b].turn[k]));
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, fabs(body->x[k] - state[b].at[k]));
            most = fmax(most, fabs(body->v[k] - state[b].v[k]));
            most = fmax(most, fabs(body->v[3 + k] - state[b].spin[k]));
        }
    }
    return most;
}

/* A sum over impulses of contacts that tells two sets of them apart, whatever their order. */
static void add_impulse(const double r[3], uint64_t *sum)
{
    uint64_t bits[3];
    memcpy(bits, r, sizeof bits);
    *sum += (bits[0] ^ bits[1] >> 7 ^ bits[2] >> 13) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t impulses_of_heap(const mo_heap *heap)
{
    uint64_t sum = 0;
    for (int k = 0; k < heap->impulse_count; ++k)
        add_impulse(heap->impulse[k].r, &sum);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, heap->comm);
    return sum;
}

static uint64_t impulses_of_world(const mo_world *world)
{
    uint64_t sum = 0;
    for (int k = 0; k < world->contacts.count; ++k)
        add_impulse(world->contacts.at[k].impulse, &sum);
    return sum;
}

/* ---- the trials ------------------------------------------------------------------------------ */

typedef struct outcome {
    mo_heap_state *state;
    uint64_t impulses;
    int64_t sweeps, migrated, contacts;
    int held_back, unsolved, fewest; /* fewest: bodies of this rank in a step */
    double overlap, depth;           /* the largest of all steps, of a body and of a radius */
} outcome;

static void exceed(const trial *t, mo_world *world)
{
    for (int k = 0; k < world->contacts.count && t->excess; ++k)
        mo_vec3_scale(t->excess, world->contacts.at[k].impulse, world->contacts.at[k].impulse);
}

static void step(const trial *t, mo_heap *heap, outcome *out)
{
    mo_message why = {""};
    mo_heap_report report;
    exceed(t, heap->world);
    for (int k = 0; k < heap->impulse_count && t->excess; ++k) /* for those that migrate */
        mo_vec3_scale(t->excess, heap->impulse[k].r, heap->impulse[k].r);
    expect(!mo_heap_step(heap, &report, &why), why.text, t->name);
    out->sweeps += report.iterations;
    out->held_back += report.held_back;
    out->unsolved += report.status != MO_SOLVED && !report.held_back;
    out->contacts += report.contacts;
    out->overlap = fmax(out->overlap, report.overlap);
    out->depth = fmax(out->depth, report.penetration / heap->def.radius);
    out->migrated = report.migrated;
    out->fewest = heap->count < out->fewest ? heap->count : out->fewest;
}

/* On one rank, beside a world. */
static void run_beside_world(const trial *t, mo_heap *heap, outcome *out)
{
    mo_world *world = make_world(t, heap);
    mo_message why = {""};
    double most = 0;
    int64_t sweeps = 0;
    int held_back = 0, compliant = 0;
    double removed = 0;
    for (int k = 0; k < t->steps; ++k) {
        mo_step_report report;
        exceed(t, world);
        expect(!mo_world_step(world, t->dt, &report, &why), why.text, t->name);
        sweeps += report.iterations;
        held_back += report.held_back;
        removed += report.energy_removed;
        compliant += report.is_compliant;
        step(t, heap, out);
        free(out->state);
        out->state = collect(MPI_COMM_SELF, heap);
        most = fmax(most, apart(world, out->state, heap->count));
    }
    printf("%s: %d steps, %lld contacts, %lld sweeps (world %lld), %d held back (%d), apart %.2g, "
           "%d not solved, %d compliant, %.2g J removed\n",
           t->name, t->steps, (long long)out->contacts, (long long)out->sweeps, (long long)sweeps,
           out->held_back, held_back, most, out->unsolved, compliant, removed);
    expect(most <= t->world_apart, "the world has another state", t->name);
    expect((removed > 0) == (t->sweeps > 0), "energy removed", t->name);
    expect(compliant > 0 || !t->gives_way, "no contact has given way", t->name);
    expect(sweeps == out->sweeps && held_back == out->held_back, "another step", t->name);
    expect(t->world_apart > 0 || impulses_of_world(world) == impulses_of_heap(heap),
           "other impulses", t->name);
    mo_world_destroy(world);
}

static void run(const trial *t, int ranks, MPI_Comm comm, outcome *out)
{
    const mo_heap_def def = definition(t);
    mo_message why = {""};
    mo_heap *heap;
    expect(!mo_heap_create(comm, &def, &heap, &why), why.text, t->name);
    if (!t->comes_to_rest) {
        heap->world->def.solver.method = "nsgs";
        heap->world->def.solver.nsgs.momentum = 10;
    }
    if (t->sweeps) heap->world->def.solver.max_iter = t->sweeps;
    fly(t, heap);
    if (ranks == 1) {
        run_beside_world(t, heap, out);
    } else {
        for (int k = 0; k < t->steps; ++k)
            step(t, heap, out);
        out->state = collect(comm, heap);
    }
    out->impulses = impulses_of_heap(heap);
    mo_heap_destroy(heap);
}

static void check_trial(const trial *t)
{
    outcome first = {0};
    for (int ranks = 1; ranks <= 4; ranks = next_ranks(ranks)) {
        MPI_Comm comm;
        outcome own = {.fewest = t->count};
        wait_for_all();
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL) continue;
        run(t, ranks, comm, &own);
        expect((own.unsolved > 0) == (t->sweeps > 0) && own.contacts > 0, "not solved", t->name);
        expect(t->speed > 0 || t->sweeps || (own.overlap < 5e-3 && own.depth < 1e-2),
               "solids overlap", t->name);
        for (int b = 0; rank == 0 && b < t->count && t->speed > 0; ++b)
            expect(own.state[b].at[0] < 0, "a body is behind the wall", t->name);
        for (int b = 0; rank == 0 && b < t->count && t->comes_to_rest; ++b) {
            const double *v = own.state[b].v, *spin = own.state[b].spin;
            expect(mo_vec3_norm(v) == 0 && mo_vec3_norm(spin) == 0, "a body moves", t->name);
        }
        if (rank == 0 && ranks > 1) {
            expect(!memcmp(first.state, own.state, (size_t)t->count * sizeof *own.state) &&
                       own.sweeps == first.sweeps && own.held_back == first.held_back &&
                       own.impulses == first.impulses && own.unsolved == first.unsolved,
                   "another trajectory", t->name);
            expect(t->speed > 0 || own.migrated > 0, "no body has changed its rank", t->name);
            expect(own.fewest < t->count, "one rank has all bodies in all steps", t->name);
        }
        if (rank == 0 && ranks == 1)
            first = own;
        else
            free(own.state);
        MPI_Comm_free(&comm);
    }
    free(first.state);
}

int main(int argc, char **argv)
{
    int all = 0;
    mo_mpi_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t k = 0; k < sizeof TRIALS / sizeof *TRIALS; ++k)
        check_trial(TRIALS + k);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return all > 0;
}
