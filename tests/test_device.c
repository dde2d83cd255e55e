/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels on the host as a device: scan, sort and sums against plain C, colours against the
 * sequential ones, the visit against the one in vector lanes, sweeps against the measure; and the
 * same bits whatever the order of indices and the number of threads.  On a machine with a GPU the
 * same checks run there, and its bits are those of the host.
 */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/colouring.h"
#include "device/kernel.h"
#include "problem/hashed_colours.h"
#include "problem/views.h"
#include "solver/device_arrange.h"
#include "solver/pace.h"

/* The ways in which the host may run a launch, and the GPU where there is one. */
enum { WAYS = 5 };

static mo_device *open_way(int way)
{
    static const mo_index_order ORDERS[] = {MO_FORWARD, MO_BACKWARD, MO_SHUFFLED, MO_FORWARD};
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_device *device = NULL;
    if (way < 4)
        CHECK(mo_device_open_host(NULL, way == 3 ? 3 : 1, ORDERS[way], &device) == MO_OK);
    else if (mo_device_has_gpu())
        CHECK(mo_device_open_gpu(&own, &device, NULL) == MO_OK);
    return device;
}

static void close_way(mo_device *device)
{
    mo_message why = {""};
    if (mo_device_error(device, &why)) fail_msg("%s", why.text);
    mo_device_close(device);
}

/* ---- the contract ---------------------------------------------------------------------------- */

static const int LENGTHS[] = {1, 2, 31, 255, 256, 257, 1000, 70000};
enum { LENGTH_COUNT = sizeof LENGTHS / sizeof *LENGTHS };

static void check_scan_and_sort(mo_device *device, int n)
{
    const size_t size = (size_t)n;
    mo_buffer a = {0}, b = {0};
    int *count = malloc((2 * size + 1) * sizeof *count), *start = count + n, *value = count;
    uint32_t *key = malloc(size * sizeof *key), *sorted = malloc(size * sizeof *sorted);
    mo_random random = {(uint64_t)n};
    for (int k = 0; k < n; ++k)
        count[k] = (int)(mo_random_bits(&random) % 5);
    mo_device_write(device, MO_TAKE_BUFFER(device, &a, n, int), count, size * sizeof *count);
    mo_device_scan(device, a.at, n, MO_TAKE_BUFFER(device, &b, n + 1, int));
    mo_device_read(device, start, b.at, (size + 1) * sizeof *start);
    for (int k = 0, sum = 0; k <= n; ++k) {
        assert_int_equal(start[k], sum);
        sum += k < n ? count[k] : 0;
    }
    for (int k = 0; k < n; ++k) {
        key[k] = (uint32_t)(mo_random_bits(&random) % 5000);
        value[k] = k;
    }
    mo_device_write(device, a.at, key, size * sizeof *key);
    mo_device_write(device, b.at, value, size * sizeof *value);
    mo_device_sort(device, a.at, b.at, n, 13, NULL);
    mo_device_read(device, sorted, a.at, size * sizeof *sorted);
    mo_device_read(device, value, b.at, size * sizeof *value);
    for (int k = 0; k < n; ++k) {
        CHECK(sorted[k] == key[value[k]]);
        CHECK(k == 0 || sorted[k - 1] < sorted[k] ||
              (sorted[k - 1] == sorted[k] && value[k - 1] < value[k]));
    }
    mo_buffer_free(device, &a);
    mo_buffer_free(device, &b);
    free(count);
    free(key);
    free(sorted);
}

static void scan_and_sort_are_those_of_plain_c(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; ++way) {
        mo_device *device = open_way(way);
        for (int k = 0; device && k < LENGTH_COUNT; ++k)
            check_scan_and_sort(device, LENGTHS[k]);
        if (device) close_way(device);
    }
}

/* Terms that cancel badly: their sum to rounding, and in one order everywhere. */
static void sums_have_one_order(void **state)
{
    (void)state;
    for (int i = 0; i < LENGTH_COUNT; ++i) {
        const int n = LENGTHS[i];
        mo_term *term = calloc((size_t)n, sizeof *term), sum, first = {0, 0};
        mo_random random = {(uint64_t)i};
        double plain = 0, largest = 0, size = 0;
        for (int k = 0; k < n; ++k) {
            term[k] =
                (mo_term){(k % 2 ? 1 : -1e3) * mo_random_unit(&random), mo_random_unit(&random)};
            plain += term[k].sum;
            size += fabs(term[k].sum);
            largest = fmax(largest, term[k].largest);
        }
        for (int way = 0; way < WAYS; ++way) {
            mo_device *device = open_way(way);
            mo_buffer a = {0}, b = {0};
            if (!device) continue;
            mo_device_write(device, MO_TAKE_BUFFER(device, &a, n, mo_term), term,
                            (size_t)n * sizeof *term);
            mo_device_add_up(device, a.at, n, MO_TAKE_BUFFER(device, &b, 1, mo_term));
            mo_device_read(device, &sum, b.at, sizeof sum);
            CHECK_NEAR(sum.sum, plain, 1e-13 * size);
            CHECK(sum.largest == largest);
            first = way ? first : sum;
            assert_memory_equal(&sum, &first, sizeof sum);
            mo_buffer_free(device, &a);
            mo_buffer_free(device, &b);
            close_way(device);
        }
        free(term);
    }
}

/* ---- colours --------------------------------------------------------------------------------- */

enum { BODIES = 500, PAIRS = 3000 };

/* The pairs of few bodies need more than 63 colours. */
static void rounds_give_the_sequential_colours(void **state)
{
    (void)state;
    static int one[PAIRS], two[PAIRS], body[PAIRS][2], start[PAIRS + 1];
    static uint8_t expected[PAIRS];
    static uint32_t found[PAIRS];
    for (int few = 0; few < 2; ++few) {
        const int bodies = few ? 20 : BODIES;
        const mo_allocator own = mo_allocator_or_default(NULL);
        const mo_colour_graph pairs = {bodies, PAIRS, start, body[0], NULL};
        mo_random random = {7};
        for (int k = 0; k < PAIRS; ++k) {
            one[k] = body[k][0] = (int)(mo_random_unit(&random) * bodies);
            two[k] = body[k][1] =
                k % 9 == 0 ? bodies + k % 2
                           : (one[k] + 1 + (int)(mo_random_unit(&random) * (bodies - 1))) % bodies;
        }
        for (int k = 0; k <= PAIRS; ++k)
            start[k] = 2 * k;
        CHECK(mo_colour_nodes(&own, &pairs, expected) == MO_OK);
        for (int way = 0; way < WAYS; ++way) {
            mo_device *device = open_way(way);
            mo_device_colouring scratch = {0};
            mo_buffer a = {0}, b = {0};
            if (!device) continue;
            mo_device_write(device, MO_TAKE_BUFFER(device, &a, PAIRS, int), one, sizeof one);
            mo_device_write(device, MO_TAKE_BUFFER(device, &b, PAIRS, int), two, sizeof two);
            uint32_t *colour = mo_device_colour(device, &scratch, (mo_scratch){0}, PAIRS, a.at,
                                                b.at, bodies, NULL, 0);
            mo_device_read(device, found, colour, sizeof found);
            for (int k = 0; k < PAIRS; ++k)
                assert_int_equal(found[k], expected[k]);
            mo_device_colouring_end(device, &scratch);
            mo_buffer_free(device, &a);
            mo_buffer_free(device, &b);
            close_way(device);
        }
    }
}

/* ---- the visit ------------------------------------------------------------------------------- */

/* A heap while it settles: of balls, or of bodies of all shapes. */
static mo_world *settling(const char *name, int shape, double mu, int count)
{
    const world_scene *scene = world_scene_find(name);
    double values[WORLD_PARAMETERS];
    mo_world *world;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", count, NULL) == MO_OK);
    CHECK(world_set_value(scene, values, "mu", mu, NULL) == MO_OK);
    CHECK(!shape || world_set_value(scene, values, "shape", shape, NULL) == MO_OK);
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    heap_set_tolerance(world, count > 100 ? 1e-3 : 1e-8);
    heap_step(world, 25);
    return world;
}

enum { HEAPS = 4 }; /* the last two are swept by steep sweeps, from the first sweep on or later */
static mo_world *heap_number(int k)
{
    return k == 0   ? settling("beads", 0, 0.3, 300)
           : k == 1 ? settling("heap", 5, 0.5, 120)
           : k == 2 ? settling("beads", 0, 1.5, 300)
                    : settling("heap", 5, 0.9, 60);
}

static const mo_batches *batches_of(mo_world *world)
{
    const mo_batches *batches;
    CHECK(mo_problem_batches(mo_world_problem(world), &batches) == MO_OK);
    CHECK(batches->row_count == 0 && batches->point_count > 20);
    return batches;
}

/* One batch, from the same state, impulses and shifts; plain or steep. */
static void check_batch(const mo_batches *b, int k, const mo_device_arrangement *on, int steep)
{
    const mo_batch *batch = b->batch + k;
    const size_t numbers = (size_t)b->line_count * MO_LINE, points = (size_t)b->point_count;
    double *state = malloc(numbers * sizeof *state);
    mo_point_impulses *impulses = calloc(points, sizeof *impulses);
    mo_random random = {(uint64_t)k};
    memcpy(state, b->free_state, numbers * sizeof *state);
    for (int p = 0; p < batch->point_count; ++p) {
        const int *constraint = b->constraint + (size_t)(batch->point + p) * MO_LANES;
        for (int k3 = 0; k3 < 3 * MO_LANES; ++k3) {
            const int is_there = constraint[k3 % MO_LANES] >= 0;
            impulses[batch->point + p].r[k3] = is_there * mo_random_unit(&random);
            impulses[batch->point + p].before[k3] = is_there * mo_random_unit(&random);
        }
    }
    const mo_point_impulses *start = impulses + batch->point;
    const mo_pace pace = {.beta = 0.5, .relax_N = 0.8, .relax_T = 0.9, .sweeps = 200};
    double *r = on->sweeps.impulses[0].at, *before = on->sweeps.impulses[1].at;
    const size_t apart = (size_t)on->sweeps.slots + (size_t)on->sweeps.points;
    double *lane_shift = calloc(points * MO_LANES, sizeof *lane_shift),
           *shift = calloc(apart, sizeof *shift);
    for (size_t i = 0; i < apart; ++i) { /* the host's memory is the device's */
        for (int p = 0; p < batch->point_count; ++p) {
            for (int lane = 0; lane < MO_LANES; ++lane) {
                const int c = b->constraint[(size_t)(batch->point + p) * MO_LANES + (size_t)lane];
                for (size_t x = 0; x < 3 && c >= 0 && c == on->constraint[i]; ++x) {
                    r[x * apart + i] = start[p].r[x * MO_LANES + (size_t)lane];
                    before[x * apart + i] = start[p].before[x * MO_LANES + (size_t)lane];
                }
            }
        }
    }
    mo_line *line = malloc((size_t)b->line_count * sizeof *line);
    memcpy(line, b->free_state, numbers * sizeof *state);
    const mo_visit_args a = {.slots = on->sweeps.slot_arrays,
                             .manifolds = on->sweeps.manifold_arrays,
                             .line = line,
                             .inertia = on->sweeps.inertia,
                             .moving = on->sweeps.moving,
                             .pace = &pace,
                             .r = r,
                             .other = before,
                             .points_from = (size_t)on->sweeps.slots,
                             .apart = apart,
                             .shift = steep ? shift : NULL};
    const mo_batch_pass pass = {.batches = b,
                                .state = state,
                                .impulses = impulses,
                                .relax_N = pace.relax_N,
                                .relax_T = pace.relax_T,
                                .beta = pace.beta,
                                .shift = steep ? lane_shift : NULL,
                                .shift_part = mo_shift_part(pace.sweeps)};
    const double moved = mo_batch_anywhere.visit(&pass, k, k + 1);
    double own_moved = 0;
    for (int i = 0; i < on->sweeps.slots + on->sweeps.manifolds; ++i) {
        const int is_slot = i < on->sweeps.slots, m = i - on->sweeps.slots;
        const int c =
            on->constraint[is_slot ? i : on->sweeps.slots + on->sweeps.manifold_arrays.first[m]];
        for (int lane = 0; lane < MO_LANES; ++lane) {
            if (b->constraint[(size_t)batch->point * MO_LANES + (size_t)lane] == c) {
                own_moved +=
                    is_slot ? mo_slot_sweep(&a, (size_t)i) : mo_manifold_sweep(&a, m, steep);
            }
        }
    }
    CHECK_NEAR(own_moved, moved, 1e-12 * moved);
    for (size_t i = 0; i < numbers; ++i)
        CHECK_NEAR(((const double *)(const void *)line)[i], state[i], 1e-11 * (1 + fabs(state[i])));
    double sum = 0, lane_sum = 0;
    for (size_t i = 0; i < points * MO_LANES || i < apart; ++i) {
        sum += i < apart ? shift[i] : 0;
        lane_sum += i < points * MO_LANES ? lane_shift[i] : 0;
    }
    CHECK_NEAR(sum, lane_sum, 1e-11 * (1 + lane_sum));
    CHECK(!steep || sum > 0);
    free(state);
    free(impulses);
    free(line);
    free(shift), free(lane_shift);
}

static void a_visit_is_that_of_the_lanes(void **state)
{
    (void)state;
    for (int h = 0; h < 2; ++h) {
        mo_world *world = heap_number(h);
        const mo_batches *b = batches_of(world);
        mo_device *device = open_way(0);
        mo_device_arrangement on;
        double *r = calloc((size_t)mo_problem_row_count(b->problem), sizeof *r);
        CHECK(mo_device_arrange(device, b, &on) == MO_OK);
        CHECK(h == 0 ? on.sweeps.manifolds == 0 : on.sweeps.manifolds > 20);
        mo_device_write_impulses(&on, r);
        for (int k = 0; k < b->batch_count; ++k) {
            check_batch(b, k, &on, 0);
            check_batch(b, k, &on, 1);
        }
        free(r);
        mo_device_arrangement_end(&on);
        close_way(device);
        mo_world_destroy(world);
    }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static int stop_at(void *context, int iteration)
{
    return iteration >= *(const int *)context;
}

typedef struct answer {
    double *r, natural, approach, q;
    int iteration, passes;
} answer;

/* With a tail the last colours are visited by one block. */
static answer solve_on(mo_device *device, const mo_batches *b, double momentum, double tol,
                       int most, int has_tail)
{
    mo_device_arrangement on;
    answer a = {.r = calloc((size_t)mo_problem_row_count(b->problem), sizeof *a.r)};
    CHECK(mo_device_arrange(device, b, &on) == MO_OK);
    on.sweeps.tail_most *= has_tail;
    mo_device_write_impulses(&on, a.r);
    a.q = mo_device_sweeps_q(&on.sweeps);
    const mo_sweep_goal goal = {tol * fmax(1, a.q), INFINITY, 0, INFINITY, 0};
    mo_device_sweeps_start(&on.sweeps, momentum);
    a.passes = mo_device_sweeps_run(&on.sweeps, goal, stop_at, &most);
    a.iteration = on.sweeps.iteration;
    mo_device_sweeps_verdict(&on.sweeps);
    a.natural = on.sweeps.natural;
    a.approach = on.sweeps.approach;
    mo_device_read_impulses(&on, a.r);
    mo_device_arrangement_end(&on);
    return a;
}

/* The judge is mo_measure, on the host and from r alone. */
static void sweeps_solve_and_their_verdict_is_the_measure(void **state)
{
    (void)state;
    for (int h = 0; h < HEAPS; ++h) {
        mo_world *world = heap_number(h);
        const mo_batches *b = batches_of(world);
        mo_device *device = open_way(0);
        const double tol = h < 2 ? 1e-5 : 1e-4; /* steep sweeps gain their last digits slowly */
        const answer a = solve_on(device, b, 10, tol, 3000, 1);
        mo_residual residual;
        CHECK(a.passes && mo_measure(b->problem, a.r, &residual) == MO_OK);
        CHECK_BELOW(residual.natural_relative, 1.001 * tol);
        CHECK_NEAR(a.natural, residual.natural, 1e-9 * residual.natural);
        CHECK_NEAR(a.approach, residual.penetration_rate.value, 1e-12);
        CHECK_NEAR(a.q, residual.q_norm, 1e-12 * residual.q_norm);
        free(a.r);
        close_way(device);
        mo_world_destroy(world);
    }
}

/* Heaps of every shape; also where the sweeps end early, after an odd number of them. */
static void every_order_of_indices_gives_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * HEAPS - 1 + 4; ++k) { /* then boxes, capsules, cylinders, hulls */
        const int h = k / 2, most = h == 3 ? 181 : 37, shape = k - (2 * HEAPS - 2);
        mo_world *world = shape < 1 ? heap_number(h) : settling("heap", shape, 0.5, 40);
        const mo_batches *b = batches_of(world);
        const size_t rows = (size_t)mo_problem_row_count(b->problem);
        answer first = {0};
        for (int way = 0; way < WAYS; ++way) {
            mo_device *device = open_way(way);
            if (!device) continue;
            const answer a = solve_on(device, b, 10, h == 1 ? 1e-4 : 0, most, k % 2);
            first = way ? first : a;
            CHECK(h == 1 || (a.iteration == most && !a.passes));
            assert_int_equal(a.iteration, first.iteration);
            CHECK(a.natural == first.natural && a.approach == first.approach && a.q == first.q);
            assert_memory_equal(a.r, first.r, rows * sizeof *a.r);
            if (way) free(a.r);
            close_way(device);
        }
        free(first.r);
        mo_world_destroy(world);
    }
}

/* A hub that touches 80 others: more than 63 colours, whose rest is visited in order. */
static void a_hub_needs_the_last_colour(void **state)
{
    (void)state;
    enum { SPOKES = 80 };
    const double J[9] = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
    mo_builder *builder;
    mo_problem *problem;
    const mo_batches *b;
    mo_residual residual;
    mo_random random = {3};
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int k = 0; k <= SPOKES; ++k) {
        const double f[6] = {mo_random_unit(&random), mo_random_unit(&random), -1, 0, 0.1, 0};
        mo_builder_add_rigid_body(builder, k ? 1 : 50, J, f);
    }
    for (int k = 1; k <= SPOKES; ++k) {
        const double angle = 0.07 * k, c = cos(angle), s = sin(angle);
        mo_rigid_contact contact = {.body = {0, k},
                                    .frame = {c, s, 0, -s, c, 0, 0, 0, 1},
                                    .arm = {{-c, -s, 0}, {0.1 * c, 0.1 * s, 0}},
                                    .w = {0.01, 0, 0},
                                    .mu = 0.4};
        mo_builder_add_contact(builder, &contact);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    CHECK(mo_problem_batches(problem, &b) == MO_OK);
    mo_device *device = open_way(2);
    const answer a = solve_on(device, b, 0, 1e-6, 5000, 1);
    CHECK(mo_measure(problem, a.r, &residual) == MO_OK);
    CHECK(a.passes);
    CHECK_BELOW(residual.natural_relative, 1.001e-6);
    free(a.r);
    close_way(device);
    mo_builder_destroy(builder);
    mo_problem_destroy(problem);
}

/* ---- the option ------------------------------------------------------------------------------ */

/* Where there is no GPU the demand is refused with a sentence; what it does not take, by name. */
static void a_demand_is_met_or_refused(void **state)
{
    (void)state;
    mo_world *world = settling("beads", 0, 0.3, 300);
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.device = 2;
    options.tol = 1e-3;
    options.method = "newton";
    CHECK(mo_solve(mo_world_problem(world), &options, &result) == MO_ERR_UNSUPPORTED);
    CHECK(strstr(result.message.text, "newton") != NULL);
    options.method = "nsgs";
    const mo_error error = mo_solve(mo_world_problem(world), &options, &result);
    if (mo_device_has_gpu())
        CHECK(error == MO_OK && result.status == MO_SOLVED);
    else
        CHECK(error == MO_ERR_UNSUPPORTED && strstr(result.message.text, "device = cpu") != NULL);
    options.device = 1;
    CHECK(mo_solve(mo_world_problem(world), &options, &result) == MO_OK);
    CHECK(result.status == MO_SOLVED);
    mo_result_clear(&result);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_and_sort_are_those_of_plain_c),
        cmocka_unit_test(sums_have_one_order),
        cmocka_unit_test(rounds_give_the_sequential_colours),
        cmocka_unit_test(a_visit_is_that_of_the_lanes),
        cmocka_unit_test(sweeps_solve_and_their_verdict_is_the_measure),
        cmocka_unit_test(every_order_of_indices_gives_the_same_bits),
        cmocka_unit_test(a_hub_needs_the_last_colour),
        cmocka_unit_test(a_demand_is_met_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
