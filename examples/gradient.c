/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* How far does a brick slide faster if it is pushed harder, or the floor is rougher?  See docs/gradients.md. */
#include <moreau/moreau.h>
#include <stdio.h>

/* The brick of hello.c: 2 kg, falls at 1 m/s and slides at 3 m/s onto a floor with mu = 0.5. */
static mo_error make_brick(mo_problem **problem, mo_message *why)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double f[3] = {2 * -1.0, 2 * 3.0, 0};
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) {
        return MO_ERR_MEMORY;
    }
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 3, &law, NULL);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
    const mo_error error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}

int main(void)
{
    mo_problem *problem = NULL;
    mo_gradient *gradient = NULL;
    mo_result result = {0};
    mo_message why = {{0}};
    mo_options options = mo_default_options();
    options.tol = 1e-12; /* a derivative is as good as the solution it is taken at */
    if (make_brick(&problem, &why) || mo_solve(problem, &options, &result) ||
        mo_gradient_create(problem, result.r, &gradient, &why)) {
        fprintf(stderr, "%s%s\n", why.text, result.message.text);
        return 1;
    }
    /* One adjoint product: the derivative of v[1], the sliding speed, with respect to all data. */
    double speed[3] = {0, 1, 0}, f[3], mu[1];
    const mo_solution_vector seed = {.v = speed};
    const mo_data_vector by = {.f = f, .mu = mu};
    mo_gradient_adjoint(gradient, &seed, &by);
    printf("%s: speed %g, by f %g %g %g, by mu %g\n",
           mo_gradient_status_word(mo_gradient_describe(gradient).status), result.v[1], f[0], f[1],
           f[2] + 0.0, mu[0]);
    mo_gradient_destroy(gradient);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return 0;
}
