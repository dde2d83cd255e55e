/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The library's answers do not depend on the threads of the BLAS library, and it leaves their
 * number as it was. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"

#if defined(__ELF__)
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads(void);
#define IS_OPENBLAS (openblas_set_num_threads != NULL && openblas_get_num_threads != NULL)
#else
#define IS_OPENBLAS 0
#define openblas_set_num_threads(threads) ((void)(threads))
#define openblas_get_num_threads() 1
#endif

/* One body with many velocities, so that its mass matrix is factored by LAPACK, and contacts on
 * them. */
static mo_problem *large_block(void)
{
    enum { N = 400, CONTACTS = 60 };
    mo_random random = {7};
    mo_builder *builder;
    mo_problem *problem;
    double *M = calloc((size_t)N * N, sizeof *M), f[N], J[3 * N];
    CHECK(M && mo_builder_create(NULL, &builder) == MO_OK);
    for (int i = 0; i < N; ++i) {
        f[i] = uniform(&random, -1, 1);
        M[i * N + i] = N;
        for (int j = 0; j < i; ++j) {
            M[i * N + j] = M[j * N + i] = uniform(&random, -1, 1);
        }
    }
    mo_builder_add_body(builder, N, M, f);
    for (int k = 0; k < CONTACTS; ++k) {
        const mo_law law = mo_law_coulomb(0.4);
        const double w[3] = {-0.1, 0, 0};
        for (int j = 0; j < 3 * N; ++j) {
            J[j] = uniform(&random, -1, 1);
        }
        mo_builder_add_constraint(builder, 3, &law, w);
        mo_builder_add_jacobian(builder, k, 0, 3, N, J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    free(M);
    return problem;
}

static void solve_with(int threads, const char *method, mo_result *result)
{
    mo_options options = mo_default_options();
    if (IS_OPENBLAS) {
        openblas_set_num_threads(threads);
    }
    mo_problem *problem = large_block();
    options.method = method;
    options.max_iter = 300;
    CHECK(mo_solve(problem, &options, result) == MO_OK);
    mo_problem_destroy(problem);
    if (IS_OPENBLAS) {
        CHECK(openblas_get_num_threads() == threads);
    }
}

static void answers_have_the_same_bits_for_any_number_of_blas_threads(void **state)
{
    (void)state;
    const char *const methods[] = {"auto", "lemke", "dantzig", "acary-cadoux"};
    if (!IS_OPENBLAS) {
        skip();
    }
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        mo_result one = {0}, two = {0};
        solve_with(1, methods[m], &one);
        solve_with(2, methods[m], &two);
        if (memcmp(one.r, two.r, (size_t)one.row_count * sizeof *one.r) != 0) {
            fail_msg("%s: one and two threads of the BLAS library differ", methods[m]);
        }
        mo_result_clear(&one);
        mo_result_clear(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_the_same_bits_for_any_number_of_blas_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
