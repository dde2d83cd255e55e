/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A brick thrown onto a rough floor: one body, one contact, one step.  The problem is solved by
 * three methods, and every answer is judged by the same measure.  See docs/contact-problem.md.
 */
#include <moreau/moreau.h>
#include <stdio.h>

/* M v = H r + f, u = H' v + w, with w = 0 and Coulomb's law at the contact. */
static int build(mo_problem **problem, mo_message *why)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}; /* 2 kg */
    const double f[3] = {2 * -1.0, 2 * 3.0, 0};      /* momentum: falls at 1, slides at 3 m/s */
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* H': the normal first, then two tangents */
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) return 0;
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 3, &law, NULL);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
    const mo_error error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error == MO_OK;
}

int main(void)
{
    const char *methods[] = {"auto", "nsgs", "ipm"};
    const double wrong[3] = {2, -0.5, 0}; /* half of the friction that the law asks for */
    mo_problem *problem = NULL;
    mo_result result = {0};
    mo_residual residual = {0};
    mo_message why = {{0}};
    int good = build(&problem, &why);
    for (int k = 0; k < 3 && good; ++k) {
        mo_options options = mo_default_options();
        options.method = methods[k];
        good = !mo_solve(problem, &options, &result) && result.status == MO_SOLVED;
        printf("%s: %s, impulse (%.3f, %.3f), velocity (%.3f, %.3f), residual below %g: %s\n",
               methods[k], mo_status_name(result.status), result.r[0], result.r[1],
               result.v[0] + 0.0, result.v[1], options.tol,
               result.residual.natural_relative < options.tol ? "yes" : "no");
    }
    if (good && !mo_measure(problem, wrong, &residual))
        printf("a wrong impulse: residual %.3f\n", residual.natural_relative);
    else
        fprintf(stderr, "contact_problem: %s%s\n", why.text, result.message.text);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return good ? 0 : 1;
}
