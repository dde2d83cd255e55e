/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sweeps, looks and the measure in lanes against plain C. */
#include "random_contacts.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/vec3.h"
#include "measure/measure_batches.h"
#include "moreau/moreau.h"
#include "problem/views.h"
#include "scenes.h"
#include "solver/sweeps.h"

/* ---- lanes against plain C ----------------------------------------------------------------------
 */

static mo_sweeps *make_sweeps(const mo_batches *batches, char **memory)
{
    mo_arena arena = {0};
    mo_sweeps counted, *sweeps = malloc(sizeof *sweeps);
    mo_sweeps_layout(&arena, batches, &counted);
    *memory = malloc(arena.used + MO_ARENA_ALIGN);
    CHECK(sweeps && *memory);
    arena = (mo_arena){.base = *memory + MO_ARENA_ALIGN - (uintptr_t)*memory % MO_ARENA_ALIGN};
    mo_sweeps_layout(&arena, batches, sweeps);
    return sweeps;
}

static void check_worst(mo_worst told, mo_worst of_measure)
{
    CHECK_NEAR(told.value, of_measure.value, 1e-9 * of_measure.value);
    CHECK(told.constraint == of_measure.constraint);
}

static void the_measure_in_lanes_is_the_measure(void **state)
{
    (void)state;
    mo_problem *problems[3] = {build(203, 9, 1), build(64, 2, 0), NULL};
    mo_message why = {""};
    CHECK(scene_packing(3001, 3, &problems[2], &why) == MO_OK); /* balls */
    for (int k = 0; k < 3; ++k) {
        const mo_problem *problem = problems[k];
        double *r = draw_impulses(problem, 17), *v, *out;
        char *memory;
        mo_sweeps *sweeps = make_sweeps(batches_of(problem), &memory);
        mo_residual told, truth;
        const size_t rows = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
        v = malloc((dofs + 3 * rows) * sizeof *v);
        out = v + dofs;
        CHECK(v && mo_measure(problem, r, &truth) == MO_OK);
        mo_sweeps_start(sweeps, 1, 0, r);
        mo_sweeps_measure(sweeps, truth.q_norm, out, v, out + rows, &told);
        check_near_all(out, r, (int)rows, 1e-13);
        CHECK(mo_problem_response(problem, r, out + 2 * rows) == MO_OK);
        check_near_all(out + rows, out + 2 * rows, (int)rows, 1e-12);
        CHECK_NEAR(told.natural, truth.natural, 1e-9 * truth.natural);
        CHECK_NEAR(told.siconos_full, truth.siconos_full, 1e-9 * truth.siconos_full);
        CHECK_NEAR(told.power, truth.power, 1e-9 * truth.power);
        check_worst(told.block, truth.block);
        check_worst(told.penetration_rate, truth.penetration_rate);
        check_worst(told.cone_violation, truth.cone_violation);
        check_worst(told.dissipation, truth.dissipation);
        free(r);
        free(v);
        free(memory);
        free(sweeps);
        mo_problem_destroy(problems[k]);
    }
}

/* W of a contact. */
static void contact_W(const mo_problem *problem, const mo_compact *compact, int i, double W[9])
{
    const mo_compact_contact *c = compact->contact + compact->contact_of[i];
    memset(W, 0, 9 * sizeof *W);
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 9 && c->body[side] < problem->body_count; ++k) {
            double J[6], by[6], other[6];
            mo_vec3_copy(c->frame + 3 * (k / 3), J);
            mo_vec3_cross(c->arm[side], J, J + 3);
            mo_rigid_accelerate(compact->rigid + c->body[side], J, by);
            mo_vec3_copy(c->frame + 3 * (k % 3), other);
            mo_vec3_cross(c->arm[side], other, other + 3);
            W[k] += mo_vec3_dot(other, by) + mo_vec3_dot(other + 3, by + 3);
        }
    }
}

static double largest_of_T(const double W[9])
{
    return 0.5 * (W[4] + W[8]) + sqrt(0.25 * (W[4] - W[8]) * (W[4] - W[8]) + W[5] * W[5]);
}

/* A visit of a contact in plain C, as batch_contacts.h has it. */
static void visit_plainly(const mo_problem *problem, const mo_compact *compact, int i, double *r,
                          double *u)
{
    const double mu = *mo_constraint_param(problem, i);
    double *own = r + problem->row_start[i], W[9];
    contact_W(problem, compact, i, W);
    const double W_T = largest_of_T(W);
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    own[0] = fmax(0, own[0] - u[problem->row_start[i]] / W[0]);
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    double stick[2] = {own[1] - u[problem->row_start[i] + 1] / W_T,
                       own[2] - u[problem->row_start[i] + 2] / W_T};
    const double size = hypot(stick[0], stick[1]), bound = mu * own[0];
    own[1] = size > bound ? stick[0] * bound / size : stick[0];
    own[2] = size > bound ? stick[1] * bound / size : stick[1];
}

/* A visit of a steep pass: the projection by the law's own, in scaled coordinates. */
static void visit_steeply(const mo_problem *problem, const mo_compact *compact, int i, double *r,
                          double *u, double *shift)
{
    const double mu = *mo_constraint_param(problem, i);
    double W[9];
    double *own = r + problem->row_start[i], *velocity = u + problem->row_start[i];
    contact_W(problem, compact, i, W);
    const double W_T = largest_of_T(W);
    const double c = 1 + hypot(W[1], W[2]) / sqrt(W[0] * W_T), D_N = c * W[0], D_T = c * W_T;
    const double scale = sqrt(D_T / D_N), mu_scaled = scale * mu;
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    const double x[3] = {own[0] - (velocity[0] + *shift) / D_N,
                         scale * (own[1] - velocity[1] / D_T),
                         scale * (own[2] - velocity[2] / D_T)};
    double p[3];
    mo_law_ops_of(MO_LAW_COULOMB)->project(&mu_scaled, 3, x, p);
    own[0] = p[0];
    own[1] = p[1] / scale;
    own[2] = p[2] / scale;
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    *shift += 0.25 * (mu * hypot(velocity[1], velocity[2]) - *shift);
}

/* Two sweeps over contacts in the order of the batches; lanes share nothing: lane after lane. */
static void sweep_plainly(const mo_problem *problem, const mo_batches *b, double *r, double *u,
                          double *shift)
{
    for (int k = 0; k < 2 * b->batch_count; ++k) {
        const mo_batch *batch = b->batch + k % b->batch_count;
        for (int at = 0; at < MO_LANES * batch->point_count; ++at) {
            const int lane = at / batch->point_count, point = at % batch->point_count;
            const int i = b->constraint[(batch->point + point) * MO_LANES + lane];
            if (i >= 0 && shift)
                visit_steeply(problem, b->compact, i, r, u, shift + i);
            else if (i >= 0)
                visit_plainly(problem, b->compact, i, r, u);
        }
    }
}

static int can_run(int kind)
{
#if defined(__x86_64__)
    return kind == 0 ||
           (kind == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ||
           (kind == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"));
#else
    return kind == 0;
#endif
}

static void check_impulses(const mo_sweeps *s, const mo_problem *problem, const double *r)
{
    const mo_batches *b = s->batches;
    for (int k = 0; k < b->point_count * MO_LANES; ++k) {
        const int i = b->constraint[k];
        for (int x = 0; x < 3 && i >= 0; ++x) {
            const double *from = s->impulses[k / MO_LANES].r + k % MO_LANES;
            const double own[3] = {from[0], from[MO_LANES], from[2 * MO_LANES]};
            const double *e = b->compact->contact[b->compact->contact_of[i]].frame;
            CHECK_NEAR(mo_vec3_dot(own, e + 3 * x), r[problem->row_start[i] + x], 1e-9);
        }
    }
}

/* Responses of contacts, and two sweeps over them, for each kind of processor. */
static void check_visits(int is_steep)
{
    mo_problem *problem = build(60, 12, 1);
    const mo_batches *b = batches_of(problem);
    const int rows = problem->row_count;
    const size_t points = (size_t)b->point_count * MO_LANES;
    double *r = calloc(3 * (size_t)rows, sizeof *r), *u = r + rows, *out = u + rows;
    double *plain = calloc((size_t)problem->constraint_count, sizeof *plain),
           *shift = calloc(points, sizeof *shift);
    const mo_batch_kernels *const kernels[] = {&mo_batch_anywhere, &mo_batch_avx2,
                                               &mo_batch_avx512};
    mo_batches contacts = *b; /* without the three constraints in rows */
    CHECK(r && plain && shift);
    contacts.row_count = 0;
    sweep_plainly(problem, b, r, u, is_steep ? plain : NULL);
    for (int kind = 0; kind < 3; ++kind) {
        if (can_run(kind)) {
            char *memory;
            mo_sweeps *s = make_sweeps(&contacts, &memory);
            mo_sweeps_start(s, 1, 0, out);
            memset(shift, 0, points * sizeof *shift);
            const mo_batch_pass pass = {.batches = &contacts,
                                        .state = s->state,
                                        .impulses = s->impulses,
                                        .relax_N = 1,
                                        .relax_T = 1,
                                        .shift = is_steep ? shift : NULL,
                                        .shift_part = 0.25};
            const mo_batch_pass at_rest = {.batches = &contacts, .state = b->free_state};
            kernels[kind]->respond(&at_rest, 0, b->batch_count);
            kernels[kind]->visit(&pass, 0, b->batch_count);
            kernels[kind]->visit(&pass, 0, b->batch_count);
            check_impulses(s, problem, r);
            free(memory);
            free(s);
        }
    }
    free(shift);
    free(plain);
    free(r);
    mo_problem_destroy(problem);
}

static void visits_in_lanes_are_those_in_plain_c(void **state)
{
    (void)state;
    check_visits(0);
}

static void steep_visits_in_lanes_are_those_in_plain_c(void **state)
{
    (void)state;
    check_visits(1);
}

/* ---- solves ---------------------------------------------------------------------------------- */

static mo_result sweep(const mo_problem *problem, double tol, int most, double momentum,
                       int threads)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "nsgs";
    options.tol = tol;
    options.max_iter = most;
    options.threads = threads;
    options.nsgs.momentum = momentum;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    return result;
}

static void solved_results_meet_the_measured_residual(void **state)
{
    (void)state;
    mo_problem *problems[2] = {build(80, 21, 1), NULL};
    mo_message why = {""};
    const double tols[] = {1e-2, 1e-3, 1e-5};
    CHECK(scene_packing(3000, 3, &problems[1], &why) == MO_OK);
    for (int k = 0; k < 6; ++k) {
        const mo_problem *problem = problems[k / 3];
        mo_result result = sweep(problem, tols[k % 3], 50000, 10, 1);
        mo_residual residual;
        CHECK(result.status == MO_SOLVED);
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK_BELOW(residual.natural_relative, tols[k % 3] * (1 + 1e-9));
        CHECK_NEAR(residual.natural, result.residual.natural, 1e-9 * residual.natural);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problems[0]);
    mo_problem_destroy(problems[1]);
}

static void too_few_sweeps_are_reported(void **state)
{
    (void)state;
    mo_problem *problem = build(200, 5, 1);
    mo_result none = sweep(problem, 1e-5, 0, 10, 1), few = sweep(problem, 1e-5, 5, 10, 1);
    CHECK(none.status == MO_ITERATION_LIMIT && none.iterations == 0);
    CHECK(few.status == MO_ITERATION_LIMIT && few.iterations == 5);
    CHECK_BELOW(few.residual.natural, none.residual.natural);
    mo_result_clear(&none);
    mo_result_clear(&few);
    mo_problem_destroy(problem);
}

/* In the rounding of such a start the residual of the sweeps is zero, the measured one is not: the
 * goal was tightened without end. */
static void a_start_that_rounds_everything_away_ends(void **state)
{
    (void)state;
    const double light[9] = {3.2e32, 0, 0, 0, 3.2e32, 0, 0, 0, 3.2e32},
                 heavy[9] = {1.4e19, 0, 0, 0, 1.4e19, 0, 0, 0, 1.4e19};
    const double f[6] = {4.5e21}, g[6] = {1e35}, start[3] = {1e24, 1e24, 0};
    const mo_rigid_contact contact = {.body = {0, 1},
                                      .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                      .arm = {{-2.6e7, 1.4e8, -3.1e9}, {5e-5, -1400, 66000}},
                                      .w = {-6.5e-9},
                                      .mu = 0.4};
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_rigid_body(builder, 1.9e21, light, f);
    mo_builder_add_rigid_body(builder, 9.2e33, heavy, g);
    mo_builder_add_contact(builder, &contact);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    options.method = "nsgs", options.tol = 2e-4, options.max_iter = 300, options.start = start;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK((result.status == MO_SOLVED) == (result.residual.natural_relative <= options.tol));
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

static void any_number_of_threads_has_the_same_bits(void **state)
{
    (void)state;
    mo_problem *problem;
    mo_message why = {""};
    CHECK(scene_packing(20000, 3, &problem, &why) == MO_OK);
    mo_result one = sweep(problem, 1e-5, 12, 10, 1);
    for (int threads = 2; threads <= 4; ++threads) {
        mo_result other = sweep(problem, 1e-5, 12, 10, threads);
        CHECK(memcmp(one.r, other.r, (size_t)one.row_count * sizeof *one.r) == 0);
        mo_result_clear(&other);
    }
    mo_result_clear(&one);
    mo_problem_destroy(problem);
}

/* One ball on another, with mass ratios and frictions: the visit is the exact solution. */
static void a_pair_of_balls_is_solved_by_one_visit(void **state)
{
    (void)state;
    const double ratios[] = {1, 1e3, 1e6}, mus[] = {0, 0.01, 0.3, 2};
    for (int k = 0; k < 12; ++k) {
        mo_builder *builder;
        mo_problem *problem;
        const double ratio = ratios[k / 4];
        const mo_rigid_contact contact = {.body = {1, 0},
                                          .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                          .arm = {{0, 0, -0.2}, {0, 0, 0.1}},
                                          .w = {0, 0.05, 0.02},
                                          .mu = mus[k % 4]};
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        for (int b = 0; b < 2; ++b) {
            const double m = b ? 2 * ratio : 1, j = b ? 0.05 * ratio : 0.01;
            const double J[9] = {j, 0, 0, 0, j, 0, 0, 0, j},
                         f[6] = {0, 0, b ? -m : m, 0.1 * j, 0, 0};
            mo_builder_add_rigid_body(builder, m, J, f);
        }
        mo_builder_add_contact(builder, &contact);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        CHECK(batches_of(problem)->batch[0].is_central);
        mo_result result = sweep(problem, 1e-5, 3, 0, 1);
        CHECK(result.status == MO_SOLVED);
        CHECK_BELOW(result.residual.natural_relative, 1e-13);
        mo_result_clear(&result);
        mo_builder_destroy(builder);
        mo_problem_destroy(problem);
    }
}

/* Open contacts whose bodies do not move: no impulse solves them, with friction and without. */
static void open_contacts_of_bodies_at_rest_need_no_sweep(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        mo_builder *builder;
        mo_problem *problem;
        const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[6] = {0};
        const mo_rigid_contact contact = {.body = {1, 0},
                                          .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                          .arm = {{0, 0, -0.2}, {0.1, 0, 0.1}},
                                          .w = {3, 0, 0},
                                          .mu = 0.5 * k};
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        mo_builder_add_rigid_body(builder, 1, J, f);
        mo_builder_add_rigid_body(builder, 1, J, f);
        mo_builder_add_contact(builder, &contact);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_result result = sweep(problem, 1e-5, 3, 0, 1);
        CHECK(result.status == MO_SOLVED && result.iterations == 0);
        mo_result_clear(&result);
        mo_builder_destroy(builder);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measure_in_lanes_is_the_measure),
        cmocka_unit_test(visits_in_lanes_are_those_in_plain_c),
        cmocka_unit_test(steep_visits_in_lanes_are_those_in_plain_c),
        cmocka_unit_test(solved_results_meet_the_measured_residual),
        cmocka_unit_test(too_few_sweeps_are_reported),
        cmocka_unit_test(a_start_that_rounds_everything_away_ends),
        cmocka_unit_test(any_number_of_threads_has_the_same_bits),
        cmocka_unit_test(a_pair_of_balls_is_solved_by_one_visit),
        cmocka_unit_test(open_contacts_of_bodies_at_rest_need_no_sweep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
