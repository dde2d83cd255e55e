/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * (D + B W) x = b in the space of contacts and in that of bodies: the answer is put back into the
 * equation, with W applied by the problem itself, and Newton's method takes the same steps in both.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"
#include "solver/newton_step.h"

enum { MAX_BODY = 9 };

/* ---- a problem with bodies of every size ----------------------------------------------------- */

/* A random positive definite matrix, symmetric or not, `scale` times one of entries around 1. */
static void random_mass(mo_random *random, int n, int symmetric, double scale, double *M)
{
    double R[MAX_BODY * MAX_BODY];
    fill_uniform(random, -1, 1, n * n, R);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = (i == j) + (symmetric ? 0 : 0.3 * (R[i * n + j] - R[j * n + i]));
            for (int k = 0; k < n; ++k)
                sum += R[i * n + k] * R[j * n + k];
            M[i * n + j] = scale * sum;
        }
    }
}

static mo_problem *random_problem(mo_random *random, int bodies, int constraints, int symmetric)
{
    mo_builder *builder;
    mo_problem *problem;
    double M[MAX_BODY * MAX_BODY], J[MAX_BODY * MAX_BODY], w[3];
    int dim[64];
    CHECK(bodies <= 64 && mo_builder_create(NULL, &builder) == MO_OK);
    for (int b = 0; b < bodies; ++b) {
        dim[b] = 1 + (int)uniform(random, 0, MAX_BODY);
        random_mass(random, dim[b], symmetric, pow(10, uniform(random, -3, 3)), M);
        if (symmetric)
            mo_builder_add_body(builder, dim[b], M, NULL);
        else
            mo_builder_add_unsymmetric_body(builder, dim[b], M, NULL);
    }
    for (int i = 0; i < constraints; ++i) {
        const int d = 1 + (int)uniform(random, 0, 3), touched = (int)uniform(random, 0, 4);
        const mo_law law = {.kind = MO_LAW_BILATERAL};
        fill_uniform(random, -1, 1, d, w);
        mo_builder_add_constraint(builder, d, &law, w);
        for (int k = 0; k < touched; ++k) {
            const int body = (int)uniform(random, 0, bodies);
            fill_uniform(random, -1, 1, d * dim[body], J);
            mo_builder_add_jacobian(builder, i, body, d, dim[body], J);
        }
    }
    mo_message why = {{0}};
    if (mo_builder_finish(builder, &problem, &why)) fail_msg("%s", why.text);
    mo_builder_destroy(builder);
    return problem;
}

/* ---- one system ------------------------------------------------------------------------------ */

static void *lay_out(mo_space space, const mo_problem *problem, mo_delassus *system)
{
    mo_arena arena = {0};
    CHECK(mo_delassus_layout(problem, space, &arena, system) == MO_OK);
    char *memory = malloc(arena.used + 64);
    arena = (mo_arena){.base = memory};
    CHECK(mo_delassus_layout(problem, space, &arena, system) == MO_OK);
    return memory;
}

/* D and B as they come from a law: I - J + eps J and rho J for a J between 0 and 1, made a little
 * unsymmetric. */
static void fill_blocks(mo_random *random, mo_delassus *s, double eps)
{
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(s->problem, i);
        double *D = s->D + s->start[i], *B = s->B + s->start[i];
        const double J = (int)uniform(random, 0, 3) / 2.0, *W = mo_sweep_diagonal(s->sweep, i);
        double trace = 0;
        for (int k = 0; k < d; ++k)
            trace += W[k * (d + 1)];
        const double rho = trace > 0 ? d / trace : 1;
        s->active[i] = J > 0;
        for (int k = 0; k < d * d; ++k) {
            const int is_diagonal = k % (d + 1) == 0;
            B[k] = rho * J * (is_diagonal + uniform(random, -0.1, 0.1));
            D[k] = is_diagonal * (1 - (1 - eps) * J);
        }
    }
}

/* |D x + B W x - b| over the size of the three; D and B as they were before factoring. */
static double error_of(const mo_delassus *s, const double *D, const double *B, const double *x,
                       const double *b)
{
    const mo_problem *problem = s->problem;
    const size_t rows = (size_t)problem->row_count;
    double *u = malloc((rows + 1) * sizeof *u), *q = malloc((rows + 1) * sizeof *q), worst = 0,
           size = 0;
    CHECK(mo_problem_response(problem, x, u) == MO_OK);
    CHECK(mo_problem_response(problem, NULL, q) == MO_OK);
    for (size_t k = 0; k < rows; ++k)
        u[k] -= q[k];
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        for (int a = 0; a < d; ++a) {
            double own = x[row + a], others = 0;
            if (s->active[i]) {
                own = mo_dot(d, D + s->start[i] + a * d, x + row);
                others = mo_dot(d, B + s->start[i] + a * d, u + row);
            }
            worst = fmax(worst, fabs(own + others - b[row + a]));
            size = fmax(size, fabs(own) + fabs(others) + fabs(b[row + a]));
        }
    }
    free(u);
    free(q);
    return worst / fmax(size, 1e-300);
}

static void check_space(mo_random *random, mo_space space, const mo_problem *problem, double eps)
{
    mo_delassus system;
    void *memory = lay_out(space, problem, &system);
    const size_t rows = (size_t)problem->row_count,
                 most = 9 * ((size_t)problem->constraint_count + 1);
    double *b = malloc((rows + 1) * sizeof *b), *x = malloc((rows + 1) * sizeof *x);
    double *D = malloc(most * sizeof *D), *B = malloc(most * sizeof *B);
    size_t used = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        used = system.start[i] + (size_t)(d * d);
    }
    fill_blocks(random, &system, eps);
    memcpy(D, system.D, used * sizeof *D);
    memcpy(B, system.B, used * sizeof *B);
    fill_uniform(random, -1, 1, (int)rows, b);
    memcpy(x, b, rows * sizeof *x);
    CHECK(mo_delassus_factor(&system));
    mo_delassus_solve(&system, x);
    CHECK_BELOW(error_of(&system, D, B, x, b), 1e-10);
    free(b);
    free(x);
    free(D);
    free(B);
    free(memory);
}

static void both_spaces_solve_systems_of_bodies_of_any_size(void **state)
{
    (void)state;
    mo_random random = {41};
    for (int trial = 0; trial < 120; ++trial) {
        mo_problem *problem = random_problem(&random, (int)uniform(&random, 1, 30),
                                             (int)uniform(&random, 1, 60), trial % 2);
        check_space(&random, MO_SPACE_CONTACTS, problem, trial % 3 ? 1e-2 : 1);
        check_space(&random, MO_SPACE_BODIES, problem, trial % 3 ? 1e-2 : 1);
        check_space(&random, MO_SPACE_BEST, problem, 1e-2);
        mo_problem_destroy(problem);
    }
}

/* A wall given by W alone: four contacts on each face, so that a face is a group of twelve rows and
 * rank six. */
static mo_problem *wall_of_W(int seed, int in_plane, double mu)
{
    scene_wall_def wall = scene_wall_default();
    mo_problem *problem, *reduced;
    wall.seed = (uint64_t)seed;
    wall.shake = 0.1 * seed;
    wall.in_plane = in_plane;
    wall.mu = mu;
    CHECK(scene_wall(&wall, &problem, NULL) == MO_OK);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    mo_problem_destroy(problem);
    return reduced;
}

static void groups_of_redundant_contacts_make_a_smaller_system(void **state)
{
    (void)state;
    mo_random random = {44};
    for (int seed = 1; seed <= 6; ++seed) {
        mo_problem *problem = wall_of_W(seed, seed % 2, 0.6);
        const mo_group_space *groups;
        CHECK(mo_problem_group_space(problem, &groups) == MO_OK);
        CHECK(groups != NULL);
        CHECK(4 * groups->space->plan->rows <= 3 * problem->row_count);
        for (int i = 0; i < problem->constraint_count; ++i)
            CHECK(mo_group_rank(groups, i) <= (seed % 2 ? 3 : 6));
        for (int trial = 0; trial < 10; ++trial)
            check_space(&random, MO_SPACE_GROUPS, problem, trial % 2 ? 1e-2 : 1);
        mo_problem_destroy(problem);
    }
}

static void there_are_no_groups_where_W_is_regular_or_not_symmetric(void **state)
{
    (void)state;
    mo_random random = {45};
    mo_problem *wall = wall_of_W(1, 0, 0.6);
    const mo_group_space *groups;
    for (int trial = 0; trial < 2;
         ++trial) { /* one contact a pair of bodies; masses that are not symmetric */
        mo_problem *problem, *reduced;
        if (trial == 0)
            CHECK(scene_packing(30, 1, &problem, NULL) == MO_OK);
        else
            problem = random_problem(&random, 2, 20, 0);
        CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
        CHECK(mo_problem_group_space(reduced, &groups) == MO_OK);
        CHECK(groups == NULL);
        check_space(&random, MO_SPACE_GROUPS, reduced, 1e-2); /* falls back to contacts */
        mo_problem_destroy(reduced);
        mo_problem_destroy(problem);
    }
    wall->values[1] += 1e-6; /* no longer E V E' */
    CHECK(mo_problem_group_space(wall, &groups) == MO_OK);
    CHECK(groups == NULL);
    mo_problem_destroy(wall);
}

static void the_space_of_fewer_operations_is_chosen(void **state)
{
    (void)state;
    scene_wall_def wall = scene_wall_default();
    mo_problem *problem, *reduced;
    mo_space space = MO_SPACE_BEST;
    double flops = 0;
    wall.courses = 6;
    CHECK(scene_wall(&wall, &problem, NULL) == MO_OK);
    CHECK(mo_delassus_choose(problem, &space, &flops) == MO_OK);
    CHECK(space == MO_SPACE_BODIES && flops > 0); /* eight contacts a brick */
    const mo_contact_space *contact;
    CHECK(mo_problem_contact_space(problem, &contact) == MO_OK);
    CHECK(flops < contact->plan->flops);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    CHECK(mo_delassus_choose(reduced, &space, &flops) == MO_OK);
    CHECK(space == MO_SPACE_CONTACTS); /* there are no bodies to choose */
    mo_problem_destroy(reduced);
    mo_problem_destroy(problem);
}

static void a_singular_block_or_matrix_is_noticed(void **state)
{
    (void)state;
    mo_random random = {43};
    mo_problem *problem = random_problem(&random, 3, 5, 1);
    for (mo_space space = MO_SPACE_CONTACTS; space <= MO_SPACE_BODIES; ++space) {
        mo_delassus system;
        void *memory = lay_out(space, problem, &system);
        fill_blocks(&random, &system, 1);
        for (int k = 0; k < 5; ++k) {
            const int d = mo_constraint_dim(problem, k);
            system.active[k] = 1;
            memset(system.D + system.start[k], 0, (size_t)(d * d) * sizeof(double));
            memset(system.B + system.start[k], 0, (size_t)(d * d) * sizeof(double));
        }
        CHECK(!mo_delassus_factor(&system));
        free(memory);
    }
    mo_problem_destroy(problem);
}

/* ---- Newton's method in both ----------------------------------------------------------------- */

static void *lay_out_newton(mo_space space, const mo_problem *problem, mo_newton *newton)
{
    mo_arena arena = {0};
    CHECK(mo_newton_layout_in(space, problem, &arena, newton) == MO_OK);
    char *memory = malloc(arena.used + 64);
    arena = (mo_arena){.base = memory};
    CHECK(mo_newton_layout_in(space, problem, &arena, newton) == MO_OK);
    return memory;
}

/* From a point that sweeps have found, a step in each space: the same motion of the bodies, and the
 * same velocities of contacts. */
static void compare_steps_in(mo_space other, const mo_problem *problem, double eps, double theta)
{
    mo_newton in[2];
    void *memory[2];
    const size_t bytes = (size_t)problem->row_count * sizeof(double);
    double *r = calloc((size_t)problem->row_count, sizeof *r), *centre = malloc(bytes);
    double *u[2] = {malloc(bytes), malloc(bytes)};
    const double rounding =
        other == MO_SPACE_GROUPS ? 1e-12 : 1e-13; /* W is E V E' to twelve digits */
    const double tolerance =
        theta > 0 ? 1e3 * rounding : rounding / eps; /* D is of size eps where contacts stick */
    for (int k = 0; k < 2; ++k) {
        memory[k] = lay_out_newton(k ? other : MO_SPACE_CONTACTS, problem, in + k);
        mo_newton_begin(in + k, eps);
        in[k].speed = INFINITY; /* eps for all, whatever they carry */
    }
    mo_newton_velocity(in, r);
    for (int sweep = 0; sweep < 10; ++sweep)
        mo_newton_sweep(in, r);
    memcpy(centre, r, bytes);
    for (int step = 0; step < 4; ++step) {
        double size = 0;
        for (int k = 0; k < 2; ++k) {
            in[k].theta = theta;
            in[k].centre = centre;
            mo_newton_evaluate(in + k, r);
            CHECK(mo_newton_find_step(in + k, r));
            CHECK(mo_problem_response(problem, in[k].dr, u[k]) == MO_OK);
        }
        for (int j = 0; j < problem->row_count; ++j)
            size = fmax(size, fabs(u[0][j]));
        for (int j = 0; j < problem->row_count; ++j)
            CHECK_NEAR(u[1][j], u[0][j], tolerance * size);
        mo_newton_take_step(in, 0, 3, r);
    }
    for (int k = 0; k < 2; ++k) {
        free(memory[k]);
        free(u[k]);
    }
    free(r);
    free(centre);
}

static void compare_steps(const mo_problem *problem, double eps, double theta)
{
    compare_steps_in(MO_SPACE_BODIES, problem, eps, theta);
}

static void newton_takes_the_same_steps_in_the_space_of_groups(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 6; ++seed) {
        mo_problem *problem = wall_of_W(seed, seed % 2, 0.2 * seed);
        compare_steps_in(MO_SPACE_GROUPS, problem, 1e-3, 0);
        compare_steps_in(MO_SPACE_GROUPS, problem, 0, 10);
        mo_problem_destroy(problem);
    }
}

static void newton_takes_the_same_steps_in_both_spaces(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 6; ++seed) {
        scene_random_def random = scene_random_default();
        scene_wall_def wall = scene_wall_default();
        mo_problem *problem;
        random.seed = (uint64_t)seed;
        random.constraints = 8 * seed;
        random.laws = SCENE_EVERY_LAW;
        random.compliance = seed % 2 ? 0 : 1e-3;
        CHECK(scene_random(&random, &problem, NULL, NULL) == MO_OK);
        compare_steps(problem, 1e-6, 0);
        compare_steps(problem, 1e-3, 0);
        compare_steps(problem, 0, 1);
        mo_problem_destroy(problem);
        wall.shake = 0.1 * seed; /* redundant contacts */
        wall.seed = (uint64_t)seed;
        CHECK(scene_wall(&wall, &problem, NULL) == MO_OK);
        compare_steps(problem, 1e-6, 0);
        compare_steps(problem, 0, 10);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_spaces_solve_systems_of_bodies_of_any_size),
        cmocka_unit_test(groups_of_redundant_contacts_make_a_smaller_system),
        cmocka_unit_test(there_are_no_groups_where_W_is_regular_or_not_symmetric),
        cmocka_unit_test(newton_takes_the_same_steps_in_the_space_of_groups),
        cmocka_unit_test(the_space_of_fewer_operations_is_chosen),
        cmocka_unit_test(a_singular_block_or_matrix_is_noticed),
        cmocka_unit_test(newton_takes_the_same_steps_in_both_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
