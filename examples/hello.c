/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A brick thrown onto a rough floor: one body, one contact, one step.  See docs/hello.md. */
#include <moreau/moreau.h>
#include <stdio.h>

int main(void)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};     /* 2 kg                          */
    const double f[3] = {2 * -1.0, 2 * 3.0, 0};          /* momentum: falls at 1, slides at 3 m/s */
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};     /* normal first, then tangents   */
    const mo_law law = mo_law_coulomb(0.5);

    mo_builder *builder;
    mo_problem *problem;
    mo_result result = {0};
    mo_message why;
    mo_builder_create(NULL, &builder);
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 3, &law, NULL);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
    if (mo_builder_finish(builder, &problem, &why)) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    if (mo_solve(problem, NULL, &result)) { /* could it run?  */
        fprintf(stderr, "%s\n", result.message.text);
        return 1;
    }
    printf("%s: impulse %g %g, velocity %g %g, residual %.0e\n", mo_status_word(result.status), result.r[0],
           result.r[1], result.v[0], result.v[1], result.residual.natural_relative);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
    return 0;
}
