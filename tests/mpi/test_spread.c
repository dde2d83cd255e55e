/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Spread problems: the same bits on 1 to 4 ranks, a residual that mo_measure confirms from r alone,
 * colours of hashed_colours.h, and messages as counted from the distribution alone.
 */
#include "base/memory.h"
#include "bits.h"
#include "exact.h"
#include "hub.h"
#include "packing.h"
#include "problem/hashed_colours.h"
#include "scenes.h"

static void check_packings(void)
{
    static const scene_grain grains[] = {SCENE_BALLS, SCENE_STONES, SCENE_SOFT_BALLS};
    static const char *const names[] = {"balls", "stones", "soft balls"};
    mo_options options = mo_default_options();
    options.method = "nsgs";
    for (int k = 0; k < 3; ++k) {
        mo_problem *whole;
        options.tol = k == 1 ? 2e-2 : 1e-3;
        options.nsgs.momentum = k == 1 ? 0 : 10;
        if (!scene_packing_of(grains[k], 2000, 7, &whole, NULL)) {
            const mo_status status = check_bits(names[k], whole, &options, 1);
            expect(rank > 0 || status == MO_SOLVED, "not solved", names[k]);
            mo_problem_destroy(whole);
        }
    }
}

/* ---- odd distributions ----------------------------------------------------------------------- */

static void check_odd(void)
{
    static const int balls[] = {1, 2, 80};
    static const char *const names[] = {"one ball on a plate", "two balls", "a hub of 80 balls"};
    mo_options options = mo_default_options();
    options.method = "auto";
    options.tol = 1e-6;
    for (int k = 0; k < 3; ++k) {
        mo_problem *whole = make_hub(balls[k]);
        options.max_iter = k < 2 ? 1000 : 30;
        expect(whole != NULL, "it could not be built", names[k]);
        if (whole) {
            const mo_status status = check_bits(names[k], whole, &options, 0);
            expect(rank > 0 || status == (k < 2 ? MO_SOLVED : MO_ITERATION_LIMIT),
                   mo_status_text(status), names[k]);
            mo_problem_destroy(whole);
        }
    }
}

/* All contacts on the last rank, bodies owned by the first: the answer is that of the dealer. */
static void check_one_rank_with_all(void)
{
    enum { BALLS = 20 };
    mo_problem *whole = make_hub(BALLS), *part = make_hub(BALLS);
    mo_options options = mo_default_options();
    mo_message why = {""};
    mo_result result = {0};
    mo_spread *spread;
    answer dealt = {0};
    uint32_t id[BALLS + 1];
    int owner[BALLS + 1] = {0};
    int64_t place[BALLS + 4];
    int is_last, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_last = rank == size - 1;
    for (int k = 0; k < BALLS + 4; ++k) {
        place[k] = k;
        id[k < BALLS ? k : BALLS] = (uint32_t)(k < BALLS ? k : BALLS);
    }
    if (!is_last) { /* rank 0 holds the bodies, the others nothing */
        mo_builder *builder;
        mo_problem_destroy(part);
        mo_builder_create(NULL, &builder);
        for (int k = 0; rank == 0 && k <= BALLS; ++k) {
            const double f[6] = {0.02 * (k % 5), 0.01 * (k % 3), -1, 0, 0, 0};
            mo_builder_add_rigid_body(builder, k == BALLS ? 10 : 1, IDENTITY, f);
        }
        mo_builder_finish(builder, &part, NULL);
        mo_builder_destroy(builder);
    }
    options.tol = 1e-6;
    const mo_error error =
        mo_spread_create(MPI_COMM_WORLD, part, &(mo_spread_map){id, owner, place}, &spread, &why);
    expect(!error, why.text, "one rank with all contacts");
    expect(!mo_spread_solve(spread, &options, &result), result.message.text, "one rank with all");
    double *r = calloc((size_t)mo_problem_row_count(whole), sizeof *r),
           *v = calloc((size_t)mo_problem_dof_count(whole), sizeof *v);
    mo_spread_gather(spread, &result, r, v);
    solve_on(MPI_COMM_WORLD, whole, &options, "dealt", &dealt);
    if (rank == 0) {
        double worst = 0;
        for (int k = 0; k < mo_problem_row_count(whole); ++k)
            worst = fmax(worst, fabs(r[k] - dealt.r[k])); /* arms have passed through Jacobians */
        expect(result.status == MO_SOLVED && worst < 1e-12, "another answer than the dealer's",
               "one rank with all contacts");
        expect(result.iterations == dealt.iterations, "other sweeps", "one rank with all contacts");
    }
    mo_result_clear(&result);
    mo_spread_destroy(spread);
    mo_problem_destroy(whole);
    free(r);
    free(v);
    free(dealt.r);
    free(dealt.v);
}

/* ---- colours and messages, from the distribution alone --------------------------------------- */

typedef struct edge {
    int colour, rank, body[2]; /* bodies by id, -1: the world */
} edge;

/* All manifolds on rank 0, by rising rank and id. */
static edge *collect_edges(const mo_spread *spread, int *total)
{
    const mo_problem *part = mo_spread_part(spread);
    const uint8_t *colour = mo_spread_colours(spread);
    const uint32_t *id = mo_spread_body_ids(spread);
    const int constraints = mo_problem_constraint_count(part);
    int own = 0, size, sum = 0, counts[4], starts[4];
    edge *mine = malloc(((size_t)constraints + 1) * sizeof *mine);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < constraints; ++i) {
        const int blocks = mo_problem_constraint(part, i).block_count;
        edge *e = mine + own;
        *e = (edge){colour[i], rank, {-1, -1}};
        for (int k = 0; k < blocks; ++k)
            e->body[k] = (int)id[mo_problem_block(part, i, k).index];
        own += own == 0 || memcmp(e->body, e[-1].body, sizeof e->body) != 0;
    }
    own *= (int)sizeof *mine;
    MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < size; ++k) {
        starts[k] = sum;
        sum += counts[k];
    }
    edge *all = malloc((size_t)sum + sizeof *all);
    MPI_Gatherv(mine, own, MPI_BYTE, all, counts, starts, MPI_BYTE, 0, MPI_COMM_WORLD);
    free(mine);
    *total = sum / (int)sizeof *all;
    return all;
}

static void check_colours(const edge *all, int total, int bodies)
{
    int(*body)[2] = malloc((size_t)total * sizeof *body);
    int *start = malloc(((size_t)total + 1) * sizeof *start);
    uint8_t *colour = malloc((size_t)total);
    int differing = 0;
    for (int k = 0; k < total; ++k) {
        memcpy(body[k], all[k].body, sizeof body[k]);
        start[k] = 2 * k;
    }
    start[total] = 2 * total;
    const mo_colour_graph pairs = {bodies, total, start, body[0], NULL};
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_colour_nodes(&own, &pairs, colour);
    for (int k = 0; k < total; ++k)
        differing += colour[k] != all[k].colour;
    expect(differing == 0, "colours differ from those of one process", "packing");
    free(body);
    free(start);
    free(colour);
}

/* The ranks that hold each body, a bit each; then who sends what to whom after each colour: to the
 * rank of the next visit in the sweep, or after the last to all that hold the body. */
static void check_traffic(const edge *all, int total, int bodies, const unsigned *held,
                          const mo_spread_traffic *predicted, const mo_spread_traffic *counted,
                          int64_t rounds)
{
    int64_t messages = 0, bytes = 0;
    unsigned *needs = malloc((size_t)bodies * sizeof *needs);
    memcpy(needs, held, (size_t)bodies * sizeof *needs);
    for (int c = 63; c >= 0; --c) {
        int is_sent[4][4] = {{0}};
        for (int k = 0; k < total; ++k) {
            for (int side = 0; all[k].colour == c && side < 2; ++side) {
                const int b = all[k].body[side];
                if (b < 0 || b >= bodies) continue;
                for (int to = 0; to < 4; ++to) {
                    if (to != all[k].rank && needs[b] >> to & 1) {
                        is_sent[all[k].rank][to] = 1;
                        bytes += 64;
                    }
                }
                needs[b] = 1u << all[k].rank;
            }
        }
        for (int k = 0; k < 16; ++k)
            messages += is_sent[k / 4][k % 4];
    }
    free(needs);
    expect(messages > 0 && messages == predicted->messages, "messages of the model", "packing");
    expect(bytes > 0 && bytes == predicted->bytes, "bytes of the model", "packing");
    expect(counted->messages == rounds * messages, "messages counted", "packing");
    expect(counted->bytes == rounds * bytes, "bytes counted", "packing");
}

static void check_packing_by_rank(void)
{
    enum { CONTACTS = 5000 };
    mo_options options = mo_default_options();
    mo_spread_traffic predicted, counted;
    mo_message why = {""};
    mo_result result = {0};
    mo_spread *spread;
    int64_t rounds;
    int total;
    expect(!mo_spread_packing(MPI_COMM_WORLD, CONTACTS, 3, &spread, &why), why.text, "packing");
    const int bodies = (int)mo_spread_body_count(spread);
    options.method = "nsgs";
    options.tol = 2e-3;
    options.nsgs.momentum = 10;
    expect(!mo_spread_solve(spread, &options, &result), result.message.text, "packing");
    expect(result.status == MO_SOLVED, "not solved", "packing");
    mo_spread_predict(spread, &predicted);
    mo_spread_count(spread, &counted, &rounds);
    expect(rounds >= result.iterations, "rounds", "packing");
    edge *all = collect_edges(spread, &total);
    unsigned *held = calloc((size_t)bodies, sizeof *held),
             *of_all = calloc((size_t)bodies, sizeof *of_all);
    for (int b = 0; b < mo_problem_body_count(mo_spread_part(spread)); ++b)
        held[mo_spread_body_ids(spread)[b]] |= 1u << rank;
    MPI_Reduce(held, of_all, bodies, MPI_UNSIGNED, MPI_BOR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        expect(mo_spread_constraint_count(spread) == CONTACTS, "number of contacts", "packing");
        check_colours(all, total, bodies);
        check_traffic(all, total, bodies, of_all, &predicted, &counted, rounds);
    }
    free(all);
    free(held);
    free(of_all);
    mo_result_clear(&result);
    mo_spread_destroy(spread);
}

/* The packing that ranks generate is that of one process. */
static void check_same_packing(void)
{
    mo_options options = mo_default_options();
    mo_problem *whole;
    mo_spread *spread;
    mo_result result = {0};
    answer dealt = {0};
    options.method = "nsgs";
    options.tol = 1e-3;
    options.nsgs.momentum = 10;
    if (scene_packing(2000, 5, &whole, NULL) ||
        mo_spread_packing(MPI_COMM_WORLD, 2000, 5, &spread, NULL)) {
        expect(0, "it could not be built", "same packing");
        return;
    }
    solve_on(MPI_COMM_WORLD, whole, &options, "same packing", &dealt);
    mo_spread_solve(spread, &options, &result);
    double *r = calloc((size_t)mo_problem_row_count(whole), sizeof *r),
           *v = calloc((size_t)mo_problem_dof_count(whole), sizeof *v);
    mo_spread_gather(spread, &result, r, v);
    if (rank == 0) {
        mo_residual residual;
        mo_measure(whole, r, &residual);
        expect(residual.natural_relative < 1.001e-3, "residual of the whole", "same packing");
        expect(result.iterations == dealt.iterations, "sweeps", "same packing");
    }
    free(r);
    free(v);
    free(dealt.r);
    free(dealt.v);
    mo_result_clear(&result);
    mo_spread_destroy(spread);
    mo_problem_destroy(whole);
}

/* Residuals of 2e-2 and 2e-3 take the same sweeps on 1 to 4 ranks (check_bits) as in mo_solve, and
 * give the same bits. */
static void check_sweeps(void)
{
    mo_options options = mo_default_options();
    mo_problem *whole;
    options.method = "nsgs";
    options.nsgs.momentum = 10;
    if (scene_packing(4000, 2, &whole, NULL)) {
        expect(0, "it could not be built", "sweeps");
        return;
    }
    for (options.tol = 2e-2; options.tol > 1e-3; options.tol /= 10) {
        const mo_status status = check_bits("sweeps", whole, &options, 1);
        expect(rank > 0 || status == MO_SOLVED, "not solved", "sweeps");
    }
    mo_problem_destroy(whole);
}

/* Friction above 1: steep sweeps, of a wall that is shaken. */
static void check_steep(void)
{
    mo_options options = mo_default_options();
    scene_wall_def wall = scene_wall_default();
    mo_problem *whole;
    wall.courses = wall.length = 8;
    wall.mu = 1.5;
    wall.shake = 0.1;
    options.method = "nsgs";
    options.nsgs.momentum = 10;
    options.tol = 2e-3;
    if (scene_wall(&wall, &whole, NULL)) {
        expect(0, "it could not be built", "steep");
        return;
    }
    const mo_status status = check_bits("steep", whole, &options, 1);
    expect(rank > 0 || status == MO_SOLVED, "not solved", "steep");
    mo_problem_destroy(whole);
}

/* Methods and options that ranks do not have are refused, on all ranks alike. */
static void check_refusals(void)
{
    static const char *const names[] = {"lemke", "ipm", "nobody"};
    mo_options options = mo_default_options();
    mo_message why = {""};
    mo_result result = {0};
    mo_spread *spread;
    expect(!mo_spread_packing(MPI_COMM_WORLD, 50, 1, &spread, &why), why.text, "refusals");
    for (int k = 0; k < 3; ++k) {
        options.method = names[k];
        expect(mo_spread_solve(spread, &options, &result) == MO_ERR_UNSUPPORTED &&
                   strstr(result.message.text, "nsgs") != NULL,
               result.message.text, names[k]);
    }
    options.method = "nsgs";
    options.tol = rank == 2 ? -1 : 1e-3; /* one rank alone is wrong */
    expect(mo_spread_solve(spread, &options, &result) == MO_ERR_ARGUMENT, result.message.text,
           "a wrong tolerance");
    mo_result_clear(&result);
    mo_spread_destroy(spread);
    expect(mo_spread_packing(MPI_COMM_WORLD, 0, 1, &spread, &why) == MO_ERR_ARGUMENT, why.text,
           "an empty packing");
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void check_sums(void)
{
    enum { COUNT = 4000 };
    static double x[COUNT];
    mo_exact exact;
    double expected = 0;
    mo_exact_init(&exact, MPI_COMM_SELF);
    for (int k = 0; k < COUNT; ++k) {
        x[k] = exp(20 * sin(k * k)) * fabs(cos(k));
        expected += x[k];
    }
    const double forwards = mo_exact_sum(&exact, 0, x, COUNT);
    for (int k = 0; k < COUNT / 2; ++k) {
        const double t = x[k];
        x[k] = x[COUNT - 1 - k];
        x[COUNT - 1 - k] = t;
    }
    const double backwards = mo_exact_sum(&exact, 0, x, COUNT);
    double halves = 0;
    exact.bound[1] = exact.bound[0];
    halves = mo_exact_sum(&exact, 1, x, 1777) + mo_exact_sum(&exact, 1, x + 1777, COUNT - 1777);
    expect(forwards == backwards, "another order, another sum", "sums");
    expect(fabs(forwards - expected) < 1e-9 * expected, "wrong sum", "sums");
    expect(fabs(halves - forwards) < 1e-9 * expected, "wrong halves", "sums");
    x[7] = NAN;
    expect(isinf(mo_exact_sum(&exact, 0, x, COUNT)), "what is not a number is lost", "sums");
    for (int k = 0; k < COUNT; ++k)
        x[k] = 1e-260;
    expect(fabs(mo_exact_sum(&exact, 0, x, COUNT) - COUNT * 1e-260) < 1e-265, "small ones", "sums");
    expect(mo_exact_sum(&exact, 0, x, 0) == 0, "none", "sums");
    mo_exact_clear(&exact);
}

int main(int argc, char **argv)
{
    int all = 0;
    mo_mpi_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_sums();
    check_packings();
    check_odd();
    check_one_rank_with_all();
    check_packing_by_rank();
    check_same_packing();
    check_sweeps();
    check_steep();
    check_refusals();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mo_mpi_end();
    return all > 0;
}
