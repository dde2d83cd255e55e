/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The library's answers do not depend on the threads of the BLAS library, and it leaves their
 * number as it was.  Nor do they on the processors that a process may run on, or on what the
 * environment says about threads: the test starts itself again, with `print` for the bits. */
#define _XOPEN_SOURCE 700
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
        for (int j = 0; j < i; ++j)
            M[i * N + j] = M[j * N + i] = uniform(&random, -1, 1);
    }
    mo_builder_add_body(builder, N, M, f);
    for (int k = 0; k < CONTACTS; ++k) {
        const mo_law law = mo_law_coulomb(0.4);
        const double w[3] = {-0.1, 0, 0};
        for (int j = 0; j < 3 * N; ++j)
            J[j] = uniform(&random, -1, 1);
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
    if (IS_OPENBLAS) openblas_set_num_threads(threads);
    mo_problem *problem = large_block();
    options.method = method;
    options.max_iter = 300;
    CHECK(mo_solve(problem, &options, result) == MO_OK);
    mo_problem_destroy(problem);
    if (IS_OPENBLAS) CHECK(openblas_get_num_threads() == threads);
}

static void answers_have_the_same_bits_for_any_number_of_blas_threads(void **state)
{
    (void)state;
    const char *const methods[] = {"auto", "lemke", "dantzig", "acary-cadoux"};
    if (!IS_OPENBLAS) skip();
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        mo_result one = {0}, two = {0};
        solve_with(1, methods[m], &one);
        solve_with(2, methods[m], &two);
        if (memcmp(one.r, two.r, (size_t)one.row_count * sizeof *one.r) != 0)
            fail_msg("%s: one and two threads of the BLAS library differ", methods[m]);
        mo_result_clear(&one);
        mo_result_clear(&two);
    }
}

static const char *self;
static const char *const METHODS[] = {"auto", "nsgs", "lemke", "acary-cadoux"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* FNV-1a over the impulses of each method. */
static void print_bits(void)
{
    for (int m = 0; m < METHOD_COUNT; ++m) {
        mo_result result = {0};
        mo_options options = mo_default_options();
        mo_problem *problem = large_block();
        options.method = METHODS[m];
        options.max_iter = 100;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        const unsigned char *bytes = (const unsigned char *)result.r;
        unsigned long long hash = 14695981039346656037u;
        for (size_t k = 0; k < (size_t)result.row_count * sizeof *result.r; ++k)
            hash = (hash ^ bytes[k]) * 1099511628211u;
        printf("%llx ", hash);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void ask(const char *prefix, char bits[128])
{
    char call[1024];
    snprintf(call, sizeof call, "%s '%.800s' print", prefix, self);
    FILE *answer = popen(call, "r");
    CHECK(answer && fgets(bits, 128, answer));
    if (pclose(answer) != 0) fail_msg("%s failed", call);
}

static void answers_have_the_same_bits_on_any_processors(void **state)
{
    (void)state;
    static const char *const PREFIXES[] = {"taskset -c 0 env", "env OPENBLAS_NUM_THREADS=1",
                                           "env OPENBLAS_NUM_THREADS=4",
                                           "env OMP_NUM_THREADS=3 OPENBLAS_NUM_THREADS=2"};
    char first[128], other[128];
    ask("env", first);
    CHECK(strlen(first) > 4 * 8);
    for (size_t k = 0; k < sizeof PREFIXES / sizeof *PREFIXES; ++k) {
        if (k == 0 && system("taskset -c 0 true 2>/dev/null") != 0)
            continue; /* processor 0 is not ours, or there is no such program */
        ask(PREFIXES[k], other);
        assert_string_equal(first, other);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_the_same_bits_for_any_number_of_blas_threads),
        cmocka_unit_test(answers_have_the_same_bits_on_any_processors),
    };
    self = argv[0];
    if (argc > 1 && strcmp(argv[1], "print") == 0) {
        print_bits();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
