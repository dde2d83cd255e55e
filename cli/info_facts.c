/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "info_facts.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static void study_laws(const mo_problem *problem, file_facts *facts)
{
    facts->mu_least = INFINITY;
    facts->mu_most = -INFINITY;
    for (int i = 0; i < facts->problem.constraints; ++i) {
        const mo_law law = mo_problem_constraint(problem, i).law;
        if (law.kind == MO_LAW_COULOMB || law.kind == MO_LAW_ROLLING ||
            law.kind == MO_LAW_SOFT_FINGER) {
            facts->mu_least = fmin(facts->mu_least, law.mu);
            facts->mu_most = fmax(facts->mu_most, law.mu);
        }
        facts->compliant += law.compliance != NULL;
    }
}

static void study_bodies(const mo_problem *problem, file_facts *facts)
{
    double lightest = INFINITY, heaviest = 0;
    for (int b = 0; b < facts->problem.bodies; ++b) {
        const mo_body_view body = mo_problem_body(problem, b);
        double mass = 0;
        for (int k = 0; k < body.dim; ++k)
            mass = fmax(mass, body.M[k * body.dim + k]);
        lightest = fmin(lightest, mass);
        heaviest = fmax(heaviest, mass);
        facts->largest_body = body.dim > facts->largest_body ? body.dim : facts->largest_body;
    }
    facts->mass_ratio = heaviest > 0 ? heaviest / lightest : 1;
}

/* |q|, which is the response to no impulse at all. */
static mo_error study_q(const mo_problem *problem, file_facts *facts)
{
    double *q = calloc((size_t)facts->problem.rows + 1, sizeof *q);
    const mo_error error = q ? mo_problem_response(problem, NULL, q) : MO_ERR_MEMORY;
    for (int k = 0; k < facts->problem.rows && !error; ++k)
        facts->q_norm = hypot(facts->q_norm, q[k]);
    free(q);
    return error;
}

mo_error file_study(const char *file, const mo_problem *problem, file_facts *facts)
{
    struct stat about;
    *facts = (file_facts){
        .problem = summary_of(problem),
        .file_bytes = stat(file, &about) == 0 ? (long long)about.st_size : 0,
        .bytes = mo_problem_bytes(problem),
        .rank = -1,
    };
    study_laws(problem, facts);
    study_bodies(problem, facts);
    mo_error error = study_q(problem, facts);
    if (!error) error = graph_study(problem, &facts->graph);
    if (!error && facts->problem.rows <= RANK_ROWS_MOST) error = rank_study(problem, &facts->rank);
    return error;
}

point_facts point_study(const mo_problem *problem, const mo_point *point)
{
    point_facts facts = {
        .is_there = point->v || point->u || point->r,
        .has_v = point->v != NULL,
        .has_u = point->u != NULL,
        .has_r = point->r != NULL,
    };
    facts.is_measured = point->r && mo_measure(problem, point->r, &facts.residual) == MO_OK;
    return facts;
}
