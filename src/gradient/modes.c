/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "gradient/modes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"

/* A jump of J between modes is of order one; inside a mode J changes by tau over its argument. */
static const double JUMP = 0.05;

static double change(int size, const double *J, const double *other)
{
    double most = 0;
    for (int k = 0; k < size; ++k)
        most = fmax(most, fabs(J[k] - other[k]));
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
            if (change(d * d, J, other) > JUMP) return 1;
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
        is_apart_without_slip(d, rho, tau, u, r, &block.is_on_edge))
        memset(J, 0, (size_t)(d * d) * sizeof *J);
    else
        block.is_on_edge |= is_near_kink(law, p, d, tau, x, J);
    mo_multiply(d, d, J, G, JG);
    set_by_mu(law, p, d, u, r, J, by_mu);
    block.mode = mode_of(d, J);
    return block;
}

/* ---- away from the edges --------------------------------------------------------------------- */

/* Limit of rounds with each share; distances from the boundary, relative to the mean impulse;
 * the slack of a set; the part of a shift that must be possible, and the factor by which the
 * shifts must shrink, for a round to continue. */
enum { ROUNDS = 20 };
static const double SHARES[] = {0.1, 0.01, 0.001}, RELAXATION = 1.5, SLACK = 1e-12;
static const double LEAST_PART = 1e-3, STANDSTILL = 0.95;

static double reach(const mo_centre *c, int i)
{
    return c->system->rho[i] * c->edge;
}

/* ---- admissible changes of a block ----------------------------------------------------------- */

/* The ray of a block that slides at u: r, or at r = 0 what the law gives for r_N = 1, if any. */
static bool find_ray(const mo_centre *c, int i, const double *u, const double *r, double *ray)
{
    const mo_law_ops *law = mo_constraint_law(c->problem, i);
    const double *p = mo_constraint_param(c->problem, i);
    const int d = mo_constraint_dim(c->problem, i), kind = c->problem->law[i].kind;
    if (mo_norm(d, r) > reach(c, i)) {
        memcpy(ray, r, (size_t)d * sizeof *r);
        return true;
    }
    double E[2 * MO_LAW_MAX_DIM], uhat[MO_LAW_MAX_DIM], unit[MO_LAW_MAX_DIM] = {1};
    if (!law->by_coefficient || !isfinite(p[0])) return false;
    law->by_coefficient(p, d, u, unit, E); /* friction is linear in the coefficients together */
    const int has_moment = kind == MO_LAW_ROLLING || kind == MO_LAW_SOFT_FINGER;
    for (int k = 0; k < d; ++k)
        ray[k] = unit[k] + p[0] * E[2 * k] + (has_moment ? p[1] * E[2 * k + 1] : 0);
    law->shift(p, d, u, uhat);
    return c->system->rho[i] * fabs(mo_dot(d, ray, uhat)) <= reach(c, i) * mo_norm(d, ray);
}

static bool is_compliant(const mo_problem *problem, int i)
{
    for (int row = problem->row_start[i]; row < problem->row_start[i + 1]; ++row)
        if (problem->compliance && problem->compliance[row] > 0) return true;
    return false;
}

/* J of block i; false if it is zero. */
static bool set_projector(const mo_centre *c, int i, const double *u, const double *r, double *J)
{
    const mo_problem *problem = c->problem;
    const int d = mo_constraint_dim(problem, i), kind = problem->law[i].kind;
    const int by_rows = kind == MO_LAW_BOX || kind == MO_LAW_BILATERAL;
    double ray[MO_BILATERAL_MAX_DIM];
    memset(J, 0, (size_t)(d * d) * sizeof *J);
    if (is_compliant(problem, i)) return false;
    if (by_rows || mo_norm(d, u) <= c->edge) { /* at rest */
        int any = 0;
        for (int k = 0; k < d; ++k) {
            J[k * d + k] = kind != MO_LAW_BOX || fabs(u[k]) <= c->edge;
            any |= J[k * d + k] > 0;
        }
        return any;
    }
    if (u[0] > c->edge || !find_ray(c, i, u, r, ray)) return false;
    for (int a = 0; a < d; ++a)
        for (int b = 0; b < d; ++b)
            J[a * d + b] = ray[a] * ray[b] / mo_dot(d, ray, ray);
    return true;
}

static void set_projectors(const mo_centre *c, const double *r)
{
    const mo_problem *problem = c->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const size_t d = (size_t)mo_constraint_dim(problem, i), at = c->system->start[i];
        const int row = problem->row_start[i];
        c->active[i] = set_projector(c, i, c->u + row, r + row, c->J + at);
        memcpy(c->JG + at, c->J + at, d * d * sizeof(double));
    }
}

/* ---- the shift ------------------------------------------------------------------------------- */

static bool is_on_edge(const mo_centre *c, int i, const double *r)
{
    double J[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM], JG[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    double by_mu[2 * MO_LAW_MAX_DIM];
    const int row = c->problem->row_start[i];
    return c->problem->law[i].kind != MO_LAW_BILATERAL &&
           mo_gradient_linearise(c->problem, i, c->system->rho[i], reach(c, i), c->u + row, r + row,
                                 J, JG, by_mu)
               .is_on_edge;
}

static int count_edges(const mo_centre *c, const double *r)
{
    int count = 0;
    for (int i = 0; i < c->problem->constraint_count; ++i)
        count += is_on_edge(c, i, r);
    return count;
}

/* r clamped to the bounds of a box row, `share` away from each, or to their middle. */
static double box_target(double lower, double upper, double r, double share)
{
    if (upper - lower <= 2 * share) return 0.5 * (lower + upper);
    return fmin(upper - share, fmax(lower + share, r));
}

/* The nearest impulse that is `share` inside the set of block i, minus r, limited to the set. */
static void set_shift(const mo_centre *c, int i, double share, const double *r, double *shift)
{
    const mo_problem *problem = c->problem;
    const int d = mo_constraint_dim(problem, i), kind = problem->law[i].kind;
    const double *p = mo_constraint_param(problem, i), *J = c->J + c->system->start[i];
    double raw[MO_BILATERAL_MAX_DIM] = {0};
    if (kind == MO_LAW_BOX) {
        for (int k = 0; k < d; ++k)
            raw[k] = box_target(p[k], p[d + k], r[k], share) - r[k];
    } else if (mo_norm(d, c->u + problem->row_start[i]) > c->edge) { /* on its ray */
        raw[0] = fmax(0, share - r[0]) / J[0];
    } else if (kind != MO_LAW_BILATERAL) { /* in the cone with its apex at share e_N */
        double x[MO_LAW_MAX_DIM];
        memcpy(x, r, (size_t)d * sizeof *r);
        x[0] -= share;
        mo_constraint_law(problem, i)->project(p, d, x, raw);
        mo_axpy(d, -1, x, raw);
    }
    for (int k = 0; k < d; ++k)
        shift[k] = mo_dot(d, J + k * d, raw);
}

/* The shifts of all blocks, in the units of least_norm.h; `share` of the mean impulse. */
static void collect_shifts(const mo_centre *c, double share, const double *r)
{
    const mo_problem *problem = c->problem;
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        sum += mo_norm(d, r + row) / sqrt(c->system->rho[i]);
    }
    const double typical = share * sum / problem->constraint_count;
    memset(c->shift, 0, (size_t)problem->row_count * sizeof(double));
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        const double root = sqrt(c->system->rho[i]);
        if (c->active[i]) set_shift(c, i, root * typical, r + row, c->shift + row);
        for (int k = 0; k < d && c->active[i]; ++k)
            c->shift[row + k] /= root;
    }
}

/* ---- the step -------------------------------------------------------------------------------- */

/* step = the part of the shift that keeps the motion, in units of r; false without one. */
static bool find_step(const mo_centre *c)
{
    const mo_problem *problem = c->problem;
    const int rows = problem->row_count;
    const double shift_norm = mo_norm(rows, c->shift);
    mo_least_norm_apply(c->system, c->shift, c->step);
    mo_least_norm_solve(c->system, c->step, c->step);
    mo_along(rows, c->shift, -1, c->step, c->step);
    const bool is_worth = mo_norm(rows, c->step) > LEAST_PART * shift_norm;
    for (int i = 0; i < problem->constraint_count; ++i)
        for (int row = problem->row_start[i]; row < problem->row_start[i + 1]; ++row)
            c->step[row] *= sqrt(c->system->rho[i]);
    return is_worth;
}

static bool is_allowed(const mo_centre *c, const double *r)
{
    const mo_problem *problem = c->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        double y[MO_BILATERAL_MAX_DIM];
        mo_constraint_law(problem, i)->project(mo_constraint_param(problem, i), d, r + row, y);
        mo_axpy(d, -1, r + row, y);
        if (mo_norm(d, y) > SLACK * mo_norm(d, r + row)) return false;
    }
    return true;
}

/* Rounds with one share, until no block is on an edge or shifts stagnate; the fewest edges. */
static int approach(const mo_centre *c, double share, int least, double *r, double *best)
{
    const int rows = c->problem->row_count;
    double last = INFINITY;
    for (int round = 0; round < ROUNDS && least > 0; ++round) {
        collect_shifts(c, share, r);
        const double shift_norm = mo_norm(rows, c->shift);
        if (shift_norm > STANDSTILL * last || !find_step(c)) break;
        last = shift_norm;
        mo_axpy(rows, RELAXATION, c->step, r);
        const int left = is_allowed(c, r) ? count_edges(c, r) : least;
        if (left < least) {
            least = left;
            memcpy(best, r, (size_t)rows * sizeof *r);
        }
    }
    return least;
}

bool mo_centre_move(const mo_centre *c, double *r, double *best)
{
    const size_t rows = (size_t)c->problem->row_count;
    const int before = count_edges(c, r);
    int least = before;
    memcpy(best, r, rows * sizeof *r);
    set_projectors(c, r);
    MO_PASS(mo_least_norm_factor(c->system));
    for (size_t k = 0; k < sizeof SHARES / sizeof SHARES[0]; ++k)
        least = approach(c, SHARES[k], least, r, best);
    memcpy(r, best, rows * sizeof *r);
    return least < before;
}
