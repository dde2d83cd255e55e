/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* An inverse that is updated as rows and columns change. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/inverse.h"

/* ---- the updated inverse --------------------------------------------------------------------- */

enum { SIZE = 40 };

/* |K (K^-1 c) - c| for a random c, K row-major. */
static double inverse_error(mo_random *random, const mo_inverse *inverse, int n, const double *K)
{
    double c[SIZE] = {0}, y[SIZE] = {0}, worst = 0;
    int index[SIZE] = {0};
    for (int k = 0; k < n; ++k)
        index[k] = k;
    fill_uniform(random, -1, 1, n, c);
    mo_inverse_times(inverse, n, index, c, y);
    for (int k = 0; k < n; ++k)
        worst = fmax(worst, fabs(mo_dot(n, K + k * SIZE, y) - c[k]));
    return worst;
}

static void an_inverse_follows_the_rows_and_columns_that_change(void **state)
{
    (void)state;
    mo_random random = {61};
    mo_arena arena = {0};
    mo_inverse inverse;
    static double K[SIZE * SIZE];
    int n = 0, index[SIZE] = {0};
    mo_inverse_layout(SIZE, SIZE * SIZE, &arena, &inverse);
    void *memory =
        aligned_alloc(MO_ARENA_ALIGN, (arena.used / MO_ARENA_ALIGN + 1) * MO_ARENA_ALIGN);
    arena = (mo_arena){.base = memory};
    mo_inverse_layout(SIZE, SIZE * SIZE, &arena, &inverse);
    mo_inverse_clear(&inverse);
    for (int k = 0; k < SIZE; ++k)
        index[k] = k;
    for (int change = 0; change < 500; ++change) {
        double line[SIZE] = {0}, image[SIZE] = {0};
        if (n < SIZE && change % 3 == 0) {
            n = mo_inverse_grow(&inverse) + 1;
            for (int k = 0; k < n; ++k)
                K[(n - 1) * SIZE + k] = K[k * SIZE + n - 1] = k == n - 1;
        }
        const int at = (int)uniform(&random, 0, n);
        fill_uniform(&random, -1, 1, n, line);
        line[at] += 5; /* far from singular */
        if (change % 2) {
            mo_inverse_times(&inverse, n, index, line, image);
            mo_inverse_replace_column(&inverse, at, image);
        } else {
            mo_inverse_left(&inverse, n, index, line, image);
            mo_inverse_replace_row(&inverse, at, image);
        }
        for (int k = 0; k < n; ++k)
            K[change % 2 ? k * SIZE + at : at * SIZE + k] = line[k];
        CHECK_BELOW(inverse_error(&random, &inverse, n, K), 1e-9);
    }
    mo_inverse_begin(&inverse, n); /* and factored anew */
    for (int j = 0; j < n; ++j) {
        mo_inverse_column(&inverse, j);
        for (int i = 0; i < n; ++i)
            mo_inverse_put(&inverse, i, K[i * SIZE + j]);
    }
    CHECK(mo_inverse_factor(&inverse));
    CHECK_BELOW(inverse_error(&random, &inverse, n, K), 1e-12);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inverse_follows_the_rows_and_columns_that_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
