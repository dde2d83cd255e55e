/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The derivative of a solution: how the sliding speed of a brick after an impact depends on the
 * friction coefficient and on the momentum before.  See docs/gradients.md.
 */
#include <math.h>
#include <moreau/moreau.h>
#include <stdio.h>

/* The brick of contact_problem.c: 2 kg, falls at 1 m/s and slides at 3 m/s. */
static int build(double mu, mo_problem **problem, mo_message *why)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double f[3] = {2 * -1.0, 2 * 3.0, 0};
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const mo_law law = mo_law_coulomb(mu);
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) return 0;
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 3, &law, NULL);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
    const mo_error error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error == MO_OK;
}

/* One adjoint product: the derivative of the speed v[1] with respect to all data. */
static int differentiate(const mo_problem *problem, const mo_result *result, double mu,
                         mo_message *why)
{
    double speed[3] = {0, 1, 0}, by_f[3], by_mu[1];
    const mo_solution_vector seed = {.v = speed};
    const mo_data_vector by = {.f = by_f, .mu = by_mu};
    mo_gradient *gradient = NULL;
    if (mo_gradient_create(problem, result->r, &gradient, why)) return 0;
    mo_gradient_adjoint(gradient, &seed, &by);
    printf("%.1f  %.3f  %.3f  %.3f  %.3f  %s\n", mu, fabs(result->v[1]), by_mu[0] + 0.0,
           by_f[0] + 0.0, by_f[1] + 0.0,
           mo_gradient_status_name(mo_gradient_describe(gradient).status));
    mo_gradient_destroy(gradient);
    return 1;
}

int main(void)
{
    const double frictions[] = {0.1, 0.5, 1.0, 2.0, 2.9, 3.5};
    int good = 1;
    printf("# mu, speed, d speed / d mu, d speed / d f_N, d speed / d f_T, status\n");
    for (int k = 0; k < 6 && good; ++k) {
        mo_problem *problem = NULL;
        mo_result result = {0};
        mo_message why = {{0}};
        mo_options options = mo_default_options();
        options.tol = 1e-12; /* a derivative is as accurate as the solution it is taken at */
        good = build(frictions[k], &problem, &why) && !mo_solve(problem, &options, &result) &&
               differentiate(problem, &result, frictions[k], &why);
        if (!good) fprintf(stderr, "gradient: %s%s\n", why.text, result.message.text);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    return good ? 0 : 1;
}
