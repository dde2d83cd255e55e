/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/prox_model.h"

#include <math.h>
#include <string.h>

#include "law/polygon.h"
#include "linalg/dense.h"

void mo_prox_model_init(mo_prox_model *model, const mo_problem *problem, mo_prox_kind kind,
                        int facets, double zeta, int newest)
{
    const double unused[MO_LAW_MAX_GROUPS] = {0};
    *model = (mo_prox_model){.kind = kind, .problem = problem, .zeta = zeta, .newest = newest};
    mo_law_coulomb_ops.facets(unused, 2, facets, &model->plane);
    mo_law_coulomb_ops.facets(unused, 3, facets, &model->space);
    mo_law_rolling_ops.facets(unused, 5, facets, &model->rolling);
}

/* The facets of block i, or NULL if its law has no friction disc or never slides. */
static const mo_law_facets *facets_of(const mo_prox_model *model, int i)
{
    const mo_problem *problem = model->problem;
    if (model->kind == MO_PROX_CONIC) return NULL;
    switch ((mo_law_kind)problem->law[i].kind) {
    case MO_LAW_COULOMB:
        if (isinf(mo_constraint_param(problem, i)[0])) return NULL;
        return mo_constraint_dim(problem, i) == 2 ? &model->plane : &model->space;
    case MO_LAW_ROLLING:
        return &model->rolling;
    default:
        return NULL;
    }
}

static int direction_count(const mo_law_facets *facets)
{
    return facets->start[facets->groups];
}

/* Does block i carry p_f and s as unknowns? */
static int is_split(const mo_prox_model *model, int i)
{
    return model->kind == MO_PROX_LINEARISED && facets_of(model, i) != NULL;
}

int mo_prox_size(const mo_prox_model *model, int i)
{
    if (!is_split(model, i)) return mo_constraint_dim(model->problem, i);
    const mo_law_facets *facets = facets_of(model, i);
    return 1 + direction_count(facets) + facets->groups;
}

double mo_prox_spread(const mo_prox_model *model, int i)
{
    if (!is_split(model, i)) return 1;
    /* sum_j d_j d_j' = half the number of directions times 1; in the plane they are opposite */
    const mo_law_facets *facets = facets_of(model, i);
    const int in_disc = facets->start[1];
    return in_disc == 2 ? 2 : 0.5 * in_disc;
}

void mo_prox_split(const mo_prox_model *model, int i, const double *r, double *z)
{
    const int d = mo_constraint_dim(model->problem, i);
    if (!is_split(model, i)) {
        memcpy(z, r, (size_t)d * sizeof *z);
        return;
    }
    /* Equal shares that add up to r_T, moved up together until none is negative. */
    const mo_law_facets *facets = facets_of(model, i);
    memset(z, 0, (size_t)mo_prox_size(model, i) * sizeof *z);
    z[0] = r[0];
    for (int g = 0; g < facets->groups; ++g) {
        const double share =
            facets->start[g + 1] - facets->start[g] == 2 ? 0.5 : 1 / mo_prox_spread(model, i);
        double least = 0;
        for (int j = facets->start[g]; j < facets->start[g + 1]; ++j) {
            z[1 + j] = share * mo_dot(d, facets->direction[j], r);
            least = fmin(least, z[1 + j]);
        }
        for (int j = facets->start[g]; j < facets->start[g + 1]; ++j)
            z[1 + j] -= least;
    }
}

void mo_prox_impulse(const mo_prox_model *model, int i, const double *z, double *r)
{
    const int d = mo_constraint_dim(model->problem, i);
    if (!is_split(model, i)) {
        memcpy(r, z, (size_t)d * sizeof *r);
        return;
    }
    const mo_law_facets *facets = facets_of(model, i);
    memset(r, 0, (size_t)d * sizeof *r);
    r[0] = z[0];
    for (int j = 0; j < direction_count(facets); ++j)
        mo_axpy(d, z[1 + j], facets->direction[j], r);
}

/* ---- the linearised model -------------------------------------------------------------------- */

/* The rows of s in eq. 13-14: what is left of mu p_n, with the relaxation of eq. 11. */
static void drive_slip(const mo_prox_model *model, int i, const double *z, double *F)
{
    const mo_law_facets *facets = facets_of(model, i);
    const double *mu = mo_constraint_param(model->problem, i);
    const int directions = direction_count(facets);
    for (int g = 0; g < facets->groups; ++g) {
        F[g] = mu[g] * z[0] + model->zeta * z[1 + directions + g];
        for (int j = facets->start[g]; j < facets->start[g + 1]; ++j)
            F[g] -= z[1 + j];
    }
}

/* The rows of p_n and p_f in eq. 13-14. */
static void drive_impulse(const mo_prox_model *model, int i, const double *u, const double *z,
                          double *F)
{
    const mo_law_facets *facets = facets_of(model, i);
    const int d = mo_constraint_dim(model->problem, i), directions = direction_count(facets);
    F[0] = u[0] + model->zeta * z[0];
    for (int g = 0; g < facets->groups; ++g) {
        for (int j = facets->start[g]; j < facets->start[g + 1]; ++j) {
            F[1 + j] =
                mo_dot(d, facets->direction[j], u) + z[1 + directions + g] + model->zeta * z[1 + j];
        }
    }
}

/* z <- max(0, z - step F), eq. 23-24; s sees the old impulses, or the new ones. */
static void step_linearised(const mo_prox_model *model, int i, double step, double slip_step,
                            const double *u, double *z)
{
    const mo_law_facets *facets = facets_of(model, i);
    const int impulses = 1 + direction_count(facets);
    double F[MO_PROX_MAX];
    drive_impulse(model, i, u, z, F);
    drive_slip(model, i, z, F + impulses);
    for (int k = 0; k < impulses; ++k)
        z[k] = fmax(0, z[k] - step * F[k]);
    if (model->newest) drive_slip(model, i, z, F + impulses);
    for (int k = impulses; k < impulses + facets->groups; ++k)
        z[k] = fmax(0, z[k] - slip_step * F[k]);
}

/* ---- the pyramid ----------------------------------------------------------------------------- */

/* The normal part first, then friction of each disc on the polygon with corners mu z_N d_j. */
static void step_pyramid(const mo_prox_model *model, int i, double step, const double *u, double *z)
{
    const mo_law_facets *facets = facets_of(model, i);
    const double *mu = mo_constraint_param(model->problem, i);
    const int d = mo_constraint_dim(model->problem, i);
    for (int k = 0; k < d; ++k)
        z[k] -= step * (u[k] + model->zeta * z[k]);
    const double n = fmax(0, z[0]);
    for (int g = 0; g < facets->groups && d > 2; ++g) {
        const double p[MO_POLYGON_PARAMS] = {mu[g], facets->start[g + 1] - facets->start[g], 1, 0};
        double *disc = z + 1 + 2 * g, x[3] = {n, disc[0], disc[1]}, y[3];
        mo_polygon_prox(p, 3, x, y);
        memcpy(disc, y + 1, 2 * sizeof *disc);
    }
    if (d == 2) z[1] = fmin(mu[0] * n, fmax(-mu[0] * n, z[1]));
    z[0] = n;
}

/* ---- any model ------------------------------------------------------------------------------- */

static void step_conic(const mo_prox_model *model, int i, double step, const double *u, double *z)
{
    const int d = mo_constraint_dim(model->problem, i);
    double x[MO_BILATERAL_MAX_DIM];
    for (int k = 0; k < d; ++k)
        x[k] = z[k] - step * (u[k] + model->zeta * z[k]);
    mo_constraint_law(model->problem, i)->prox(mo_constraint_param(model->problem, i), d, x, z);
}

_Static_assert((int)MO_PROX_MAX >= (int)MO_BILATERAL_MAX_DIM, "room for the unknowns of a joint");

double mo_prox_step(const mo_prox_model *model, int i, double step, double slip_step,
                    const double *u, double *z)
{
    double old[MO_PROX_MAX];
    const int size = mo_prox_size(model, i);
    memcpy(old, z, (size_t)size * sizeof *old);
    if (!facets_of(model, i))
        step_conic(model, i, step, u, z);
    else if (model->kind == MO_PROX_LINEARISED)
        step_linearised(model, i, step, slip_step, u, z);
    else
        step_pyramid(model, i, step, u, z);
    return mo_distance_square(size, z, old);
}
