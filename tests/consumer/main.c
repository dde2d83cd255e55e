/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A ball of 2 kg flies at 3 m/s down and 1 m/s sideways into the floor, with mu = 0.5.  The contact
 * stops the fall with an impulse of 6 N s; friction, at most half of it, takes 2 N s to stop the
 * sideways motion.  So r = (6, -2, 0) and v = 0.
 */
#include <math.h>
#include <moreau/moreau.h>
#include <stdio.h>

int main(void)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double f[3] = {2 * -3, 2 * 1, 0}; /* M times the velocity before the impact */
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double w[3] = {0, 0, 0};
    const mo_law law = mo_law_coulomb(0.5);

    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    mo_result result = {0};
    mo_message why = {{0}};

    mo_error error = mo_builder_create(NULL, &builder);
    if (error == MO_OK) {
        int ball = mo_builder_add_body(builder, 3, M, f);
        int floor = mo_builder_add_constraint(builder, 3, &law, w);
        mo_builder_add_jacobian(builder, floor, ball, 3, 3, J);
        error = mo_builder_finish(builder, &problem, &why);
    }
    if (error == MO_OK) error = mo_solve(problem, NULL, &result);

    int right = 0;
    if (error == MO_OK && result.status == MO_SOLVED) {
        printf("moreau %s, %s: r = (%g, %g, %g), residual %g\n", mo_version(), result.method,
               result.r[0], result.r[1], result.r[2], result.residual.natural);
        right = fabs(result.r[0] - 6) < 1e-6 && fabs(result.r[1] + 2) < 1e-6 &&
                fabs(result.r[2]) < 1e-6;
    } else {
        fprintf(stderr, "not solved: %s %s\n", mo_error_text(error), why.text);
    }

    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
    return right ? 0 : 1;
}
