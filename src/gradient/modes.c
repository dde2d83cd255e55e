/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "gradient/modes.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* A jump of J between two modes is of order one; its change inside a mode is tau over the size of
 * the argument. */
static const double JUMP = 0.05;

static double change(int size, const double *J, const double *other)
{
    double most = 0;
    for (int k = 0; k < size; ++k) {
        most = fmax(most, fabs(J[k] - other[k]));
    }
    return most;
}

/* Does J jump within tau of x along an axis? */
static int is_near_kink(const mo_law_ops *law, const double *p, int d, double tau, const double *x,
                        const double *J)
{
    double at[MO_LAW_MAX_DIM], other[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    memcpy(at, x, (size_t)d * sizeof *at);
    for (int k = 0; k < d; ++k) {
        for (int side = -1; side <= 1; side += 2) {
            at[k] = x[k] + side * tau;
            law->project_derivative(p, d, at, other);
            if (change(d * d, J, other) > JUMP) {
                return 1;
            }
        }
        at[k] = x[k];
    }
    return 0;
}

static mo_mode mode_of(int d, const double *J)
{
    double from_zero = 0, from_identity = 0;
    for (int k = 0; k < d * d; ++k) {
        from_zero = fmax(from_zero, fabs(J[k]));
        from_identity = fmax(from_identity, fabs(J[k] - (k % (d + 1) == 0)));
    }
    return from_zero == 0 ? MO_MODE_FREE : from_identity == 0 ? MO_MODE_HELD : MO_MODE_SLIDING;
}

/*
 * Coulomb with mu = infinity: an open contact (r = 0) is not given by a projection, and u_T is free
 * there. True if the contact is open; on the edge, too, if that cannot be distinguished from
 * sticking without load.
 */
static int is_apart_without_slip(int d, double rho, double tau, const double *u, const double *r,
                                 int *is_on_edge)
{
    const double pressed = sqrt(mo_dot(d, r, r)), gap = rho * u[0];
    const double slip = rho * sqrt(mo_dot(d - 1, u + 1, u + 1));
    *is_on_edge = pressed <= tau && (gap <= tau || slip <= tau);
    return pressed <= tau && slip > tau;
}

static void set_by_mu(const mo_law_ops *law, const double *p, int d, const double *u,
                      const double *r, const double *J, double *by_mu)
{
    double E[2 * MO_LAW_MAX_DIM], moved[2 * MO_LAW_MAX_DIM];
    memset(by_mu, 0, (size_t)(2 * d) * sizeof *by_mu);
    if (law->by_coefficient && mode_of(d, J) == MO_MODE_SLIDING) {
        law->by_coefficient(p, d, u, r, E);
        mo_multiply(d, 2, J, E, moved);
        mo_along(2 * d, E, -1, moved, by_mu);
    }
}

mo_gradient_block mo_gradient_linearise(const mo_problem *problem, int i, double rho, double tau,
                                        const double *u, const double *r, double *J, double *JG,
                                        double *by_mu)
{
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    const int d = mo_constraint_dim(problem, i), kind = problem->law[i].kind;
    mo_gradient_block block = {.mode = MO_MODE_HELD};
    if (kind == MO_LAW_BILATERAL) {
        mo_law_no_shift_derivative(p, d, u, J); /* the identity */
        memcpy(JG, J, (size_t)(d * d) * sizeof *J);
        memset(by_mu, 0, (size_t)(2 * d) * sizeof *by_mu);
        return block;
    }
    double x[MO_LAW_MAX_DIM], G[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    law->shift(p, d, u, x);
    mo_along(d, r, -rho, x, x);
    law->project_derivative(p, d, x, J);
    law->shift_derivative(p, d, u, G);
    if (kind == MO_LAW_COULOMB && isinf(p[0]) &&
        is_apart_without_slip(d, rho, tau, u, r, &block.is_on_edge)) {
        memset(J, 0, (size_t)(d * d) * sizeof *J);
    } else {
        block.is_on_edge |= is_near_kink(law, p, d, tau, x, J);
    }
    mo_multiply(d, d, J, G, JG);
    set_by_mu(law, p, d, u, r, J, by_mu);
    block.mode = mode_of(d, J);
    return block;
}
