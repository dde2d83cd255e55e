/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Painleve's rod [acary2011, example 2.1]: the upper end of a rod moves along a rail at 1 m/s and
 * pushes the lower end over the ground.  With mu > tan(angle), angle from the vertical, the rod
 * lies inside the friction cone and jams: the contact problem of rigid bodies has no solution.
 * mo_check proves that.
 */
#include <math.h>
#include <moreau/moreau.h>
#include <stdio.h>

/* One velocity, v = l d(angle)/dt: u_N = v sin(angle), u_T = v cos(angle) + 1. */
static int build(double angle, double mu, mo_problem **problem, mo_message *why)
{
    const double M = 1, f = -sin(angle), J[2] = {sin(angle), cos(angle)}, w[2] = {0, 1};
    const mo_law law = mo_law_coulomb(mu);
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) return 0;
    mo_builder_add_body(builder, 1, &M, &f);
    mo_builder_add_constraint(builder, 2, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 2, 1, J);
    const mo_error error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error == MO_OK;
}

int main(void)
{
    const double angle = 0.5, frictions[] = {0.2, 0.5, 0.6, 1.0};
    int good = 1;
    printf("tan(angle) = %.4f\n", tan(angle));
    for (int k = 0; k < 4 && good; ++k) {
        mo_problem *problem = NULL;
        mo_result result = {0};
        mo_check_result check = {0};
        mo_judgement judgement = {0};
        mo_message why = {{0}};
        good = build(angle, frictions[k], &problem, &why) && !mo_solve(problem, NULL, &result) &&
               !mo_check(problem, 0, &check) && !mo_check_judge(problem, &check, &judgement);
        printf("mu = %.1f: %s; solutions: %s; the certificate %s\n", frictions[k],
               result.status == MO_SOLVED ? "solved" : "not solved", mo_verdict_name(check.verdict),
               judgement.holds ? "holds" : "does not hold");
        mo_check_clear(&check);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    return good ? 0 : 1;
}
