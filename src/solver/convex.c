/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The block functions g_i as proximal maps.
 *
 * Shifted: prox of s r_N on K is the projection of x - step s e_N.  Bounded slip: the normal part
 * is max(0, x_N), and the prox of step lambda |.| is x minus its projection on the ball of that
 * radius in the slip norm: a disc, an interval, for a faceted law the polygon { y : -d_j.y <= 1 for
 * all j }, for a soft finger the ellipsoid { y : |D y| <= 1 }, D = diag(mu, mu, mu_torsion), whose
 * slip speed lambda = |D u_F| already contains the coefficients.
 */
#include "solver/convex.h"

#include <math.h>
#include <string.h>

#include "law/ellipsoid.h"
#include "law/polygon.h"
#include "linalg/dense.h"

/* The friction discs of a law as groups of rows; corners > 0: a polygon with so many. */
typedef struct slip_groups {
    int count;
    int row[MO_LAW_MAX_GROUPS], dim[MO_LAW_MAX_GROUPS];
    double mu[MO_LAW_MAX_GROUPS];
    int corners;
    const double *mixed; /* mu and mu_torsion of a soft finger; else NULL */
} slip_groups;

static void add_group(slip_groups *groups, int row, int dim, double mu)
{
    groups->row[groups->count] = row;
    groups->dim[groups->count] = dim;
    groups->mu[groups->count++] = mu;
}

static slip_groups groups_of(const mo_problem *problem, int i)
{
    const double *p = mo_constraint_param(problem, i);
    const int d = mo_constraint_dim(problem, i);
    slip_groups groups = {0};
    switch ((mo_law_kind)problem->law[i].kind) {
    case MO_LAW_COULOMB:
        add_group(&groups, 1, d - 1, p[0]);
        break;
    case MO_LAW_ROLLING:
        add_group(&groups, 1, 2, p[0]);
        add_group(&groups, 3, 2, p[1]);
        break;
    case MO_LAW_PYRAMID: /* each tangential row by itself */
        add_group(&groups, 1, 1, p[0]);
        add_group(&groups, 2, 1, p[0]);
        break;
    case MO_LAW_FACETED:
        add_group(&groups, 1, 2, p[0]);
        groups.corners = (int)p[1];
        break;
    case MO_LAW_SOFT_FINGER:
        add_group(&groups, 1, 3, fmax(p[0], p[1]));
        groups.mixed = p;
        break;
    default:
        break;
    }
    return groups;
}

/* ---- the ball of slip ------------------------------------------------------------------------ */

/* The direction of a faceted law that dissipates most: the largest -d_j.y. */
static double polygon_norm(int corners, const double *y, double direction[2])
{
    const mo_polygon polygon = {.mu = 1, .corners = corners, .phase = 0};
    double most = -INFINITY;
    for (int j = 0; j < corners; ++j) {
        double d[2];
        mo_polygon_corner(&polygon, j, d);
        const double along = -(d[0] * y[0] + d[1] * y[1]);
        if (along > most) {
            most = along;
            direction[0] = -d[0];
            direction[1] = -d[1];
        }
    }
    return most;
}

static double slip_norm(const slip_groups *groups, int g, const double *y)
{
    double direction[2];
    if (groups->mixed) {
        const double mu = groups->mixed[0], mu_torsion = groups->mixed[1];
        return sqrt(mu * mu * mo_dot(2, y, y) + mu_torsion * mu_torsion * y[2] * y[2]);
    }
    return groups->corners ? polygon_norm(groups->corners, y, direction)
                           : sqrt(mo_dot(groups->dim[g], y, y));
}

/*
 * y -= its projection on { x : d_j.x <= radius for all j }, the mirror image of the velocities that
 * are allowed; J = the derivative of that.  By symmetry the nearest edge is the one in the
 * direction of the point; the nearest point on it lies between the corners or at one.
 */
static void shrink_by_polygon(int corners, double radius, double *y, double *J)
{
    const double mirrored[2] = {-y[0], -y[1]};
    double n[2] = {-1, 0};
    const double along = polygon_norm(corners, mirrored, n);
    n[0] = -n[0];
    n[1] = -n[1];
    const double aside = -n[1] * y[0] + n[0] * y[1];
    const double half = radius * tan(acos(-1.0) / corners);
    if (along <= radius) {
        y[0] = y[1] = 0;
        memset(J, 0, 4 * sizeof *J);
        J[0] = J[3] = radius == 0; /* derivative at the centre of a ball of radius zero */
        return;
    }
    const int is_corner = fabs(aside) > half;
    const double kept = is_corner ? copysign(half, aside) : aside;
    y[0] -= radius * n[0] - kept * n[1];
    y[1] -= radius * n[1] + kept * n[0];
    /* I minus the part along the edge */
    const double follows = is_corner ? 0 : 1;
    J[0] = 1 - follows * n[1] * n[1];
    J[1] = J[2] = follows * n[0] * n[1];
    J[3] = 1 - follows * n[0] * n[0];
}

static void shrink_by_disc(int dim, double radius, double *y, double *J)
{
    const double size = sqrt(mo_dot(dim, y, y));
    const double scale = size > radius ? 1 - radius / size : radius == 0 ? 1 : 0;
    for (int a = 0; a < dim; ++a) {
        for (int b = 0; b < dim; ++b) {
            const double turned = size > radius ? radius / size * (y[a] / size) * (y[b] / size) : 0;
            J[a * dim + b] = (a == b) * scale + turned;
        }
    }
    mo_scale(dim, scale, y);
}

/* The ellipsoid has the half axes radius / D_i; a row with D_i = 0 has no friction at all. */
static void shrink_by_ellipsoid(const double *mixed, double radius, double *y, double *J)
{
    const double D[3] = {mixed[0], mixed[0], mixed[1]};
    double axes[3], nearest[3];
    for (int a = 0; a < 3; ++a)
        axes[a] = D[a] > 0 ? radius / D[a] : 0;
    mo_ellipsoid_project(3, axes, y, nearest, J);
    for (int a = 0; a < 3; ++a) {
        y[a] = D[a] > 0 ? y[a] - nearest[a] : 0;
        for (int b = 0; b < 3; ++b)
            J[a * 3 + b] = (D[a] > 0 && a == b) - J[a * 3 + b];
    }
}

/* Both together: y from x, J (d x d). */
static void bounded_slip(const mo_convex *convex, int i, double step, const double *x, double *y,
                         double *J)
{
    const int d = mo_constraint_dim(convex->problem, i);
    const slip_groups groups = groups_of(convex->problem, i);
    memmove(y, x, (size_t)d * sizeof *y);
    memset(J, 0, (size_t)(d * d) * sizeof *J);
    J[0] = y[0] > 0;
    y[0] = y[0] > 0 ? y[0] : 0;
    for (int g = 0; g < groups.count; ++g) {
        const int row = groups.row[g], dim = groups.dim[g];
        const double radius = step * convex->lambda[i * MO_LAW_MAX_GROUPS + g];
        double part[9] = {0};
        if (groups.mu[g] == 0) /* no friction for any slip */
            memset(y + row, 0, (size_t)dim * sizeof *y);
        else if (groups.mixed)
            shrink_by_ellipsoid(groups.mixed, radius, y + row, part);
        else if (groups.corners)
            shrink_by_polygon(groups.corners, radius, y + row, part);
        else
            shrink_by_disc(dim, radius, y + row, part);
        for (int a = 0; a < dim; ++a)
            memcpy(J + (row + a) * d + row, part + a * dim, (size_t)dim * sizeof *J);
    }
}

/* ---- the maps -------------------------------------------------------------------------------- */

static int is_bounded_slip(const mo_convex *convex, int i)
{
    return convex->kind == MO_CONVEX_BOUNDED_SLIP && groups_of(convex->problem, i).count > 0;
}

/* x minus the frozen shift. */
static const double *shifted(const mo_convex *convex, int i, int d, double step, const double *x,
                             double *room)
{
    if (convex->kind != MO_CONVEX_SHIFTED || convex->s[i] == 0) return x;
    memcpy(room, x, (size_t)d * sizeof *x);
    room[0] -= step * convex->s[i];
    return room;
}

static int has_facets(const mo_convex *convex, int i)
{
    return convex->facets && convex->facets->count[i] > 0;
}

/* The projection of x, or its derivative. */
static void project(const mo_convex *convex, int i, double step, const double *x, int derivative,
                    double *out)
{
    const mo_problem *problem = convex->problem;
    const int d = mo_constraint_dim(problem, i);
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    double room[MO_BILATERAL_MAX_DIM];
    const double *at = shifted(convex, i, d, step, x, room);
    if (has_facets(convex, i)) {
        (derivative ? mo_facets_project_derivative : mo_facets_project)(
            convex->facets->count[i], convex->facets->angle + i * MO_FACETS_MOST, p[0], at, out);
    } else {
        (derivative ? law->project_derivative : law->project)(p, d, at, out);
    }
}

void mo_convex_prox(const mo_convex *convex, int i, double step, const double *x, double *y)
{
    double J[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    if (is_bounded_slip(convex, i))
        bounded_slip(convex, i, step, x, y, J);
    else
        project(convex, i, step, x, 0, y);
}

/*
 * shrink_at for the ellipsoid: |D (a + d)| / lambda - 1, in which (|D a| - lambda) is exact where
 * it is small, decides.
 */
static void shrink_by_ellipsoid_at(const double *mixed, double step, double lambda, const double *a,
                                   const double *d, double *y)
{
    const double D[3] = {mixed[0], mixed[0], mixed[1]};
    double z[3], axes[3], size = 0, a_size = 0, change = 0;
    for (int k = 0; k < 3; ++k) {
        z[k] = a[k] + d[k];
        axes[k] = D[k] > 0 ? lambda / D[k] : 0;
        size += D[k] * z[k] * (D[k] * z[k]);
        a_size += D[k] * a[k] * (D[k] * a[k]);
        change += D[k] * d[k] * (D[k] * (a[k] + z[k]));
    }
    const double sizes = sqrt(size) + sqrt(a_size);
    const double over = sizes > 0 ? (sqrt(a_size) - lambda) + change / sizes : -lambda;
    mo_ellipsoid_shrink(3, axes, z, lambda > 0 ? over / lambda : 0, y);
    for (int k = 0; k < 3; ++k)
        y[k] *= D[k] > 0 ? -step : 0;
}

/*
 * One group of bounded slip at x = -(a + d) / kappa, where d = da - kappa r: x shrinks by lambda /
 * kappa, that is by the size of a + d less lambda.  (|a| - lambda) is exact where it is small; the
 * rest is small by itself.
 */
static void shrink_at(const slip_groups *groups, int g, double step, double lambda, const double *a,
                      const double *d, double *y)
{
    const int dim = groups->dim[g];
    double z[2] = {0}, n[2] = {1, 0};
    if (groups->mixed) {
        shrink_by_ellipsoid_at(groups->mixed, step, lambda, a, d, y);
        return;
    }
    for (int k = 0; k < dim; ++k)
        z[k] = a[k] + d[k];
    if (groups->corners) {
        const double along = polygon_norm(groups->corners, z, n);
        const double over = (mo_dot(2, n, a) - lambda) + mo_dot(2, n, d),
                     aside = -n[1] * z[0] + n[0] * z[1];
        const double half = lambda * tan(acos(-1.0) / groups->corners);
        const double past = fabs(aside) > half ? copysign(fabs(aside) - half, aside) : 0;
        const int is_inside = !(along > lambda) && !(over > 0);
        y[0] = is_inside ? 0 : -step * (over * n[0] - past * n[1]);
        y[1] = is_inside ? 0 : -step * (over * n[1] + past * n[0]);
        return;
    }
    const double size = sqrt(mo_dot(dim, z, z)), a_size = sqrt(mo_dot(dim, a, a));
    double change = 0;
    for (int k = 0; k < dim; ++k)
        change += d[k] * (a[k] + z[k]);
    const double over = size + a_size > 0 ? (a_size - lambda) + change / (size + a_size) : -lambda;
    for (int k = 0; k < dim; ++k)
        y[k] = over > 0 ? -step * over * (z[k] / size) : 0;
}

double mo_convex_prox_at(const mo_convex *convex, int i, double step, const double *r,
                         const double *a, const double *da, double *y)
{
    const int dim = mo_constraint_dim(convex->problem, i);
    double x[MO_BILATERAL_MAX_DIM] = {0};
    for (int k = 0; k < dim; ++k)
        x[k] = r[k] - step * (a[k] + da[k]);
    mo_convex_prox(convex, i, step, x, y);
    if (!is_bounded_slip(convex, i)) {
        return mo_dot(dim, y, y) > 0 ? sqrt(mo_dot(dim, x, x))
                                     : 0; /* the part that is cut off contributes no rounding */
    }
    const slip_groups groups = groups_of(convex->problem, i);
    for (int g = 0; g < groups.count; ++g) {
        const int row = groups.row[g];
        double d[3] = {0};
        for (int k = 0; k < groups.dim[g]; ++k)
            d[k] = da[row + k] - r[row + k] / step;
        if (groups.mu[g] > 0) {
            shrink_at(&groups, g, step, convex->lambda[i * MO_LAW_MAX_GROUPS + g], a + row, d,
                      y + row);
        }
    }
    return sqrt(mo_dot(dim, r, r)) + sqrt(mo_dot(dim, y, y));
}

void mo_convex_prox_derivative(const mo_convex *convex, int i, double step, const double *x,
                               double *J)
{
    double y[MO_LAW_MAX_DIM];
    if (is_bounded_slip(convex, i))
        bounded_slip(convex, i, step, x, y, J);
    else
        project(convex, i, step, x, 1, J);
}

void mo_convex_velocity(const mo_convex *convex, int i, const double *u, const double *r,
                        double *out)
{
    const mo_problem *problem = convex->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    mo_law_velocity(problem, row, d, u, r, out);
    for (int k = 0; convex->weight && k < d; ++k)
        out[k] += convex->weight[i] * (r[k] - convex->centre[row + k]);
}

double mo_convex_residual(const mo_convex *convex, const double *u, const double *r)
{
    const mo_problem *problem = convex->problem;
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double x[MO_BILATERAL_MAX_DIM], y[MO_BILATERAL_MAX_DIM];
        mo_convex_velocity(convex, i, u + row, r + row, x);
        for (int k = 0; k < d; ++k)
            x[k] = r[row + k] - x[k];
        mo_convex_prox(convex, i, 1, x, y);
        for (int k = 0; k < d; ++k)
            sum += (r[row + k] - y[k]) * (r[row + k] - y[k]);
    }
    return sqrt(sum);
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* The largest row sum of |W_ii + compliance|, which bounds its norm; 1 if W_ii is zero. */
static double block_scale(int d, const double *W)
{
    double most = 0;
    for (int j = 0; j < d; ++j) {
        double sum = 0;
        for (int k = 0; k < d; ++k)
            sum += 0.5 * fabs(W[j * d + k] + W[k * d + j]);
        most = fmax(most, sum);
    }
    return most > 0 ? most : 1;
}

void mo_convex_scales(const mo_sweep *sweep, double *scale)
{
    for (int i = 0; i < sweep->problem->constraint_count; ++i)
        scale[i] = block_scale(mo_constraint_dim(sweep->problem, i), mo_sweep_diagonal(sweep, i));
}

/* ---- frozen quantities ----------------------------------------------------------------------- */

int mo_convex_has_shift(const mo_problem *problem, int i)
{
    return groups_of(problem, i).count > 0;
}

void mo_convex_shifts(const mo_problem *problem, const double *u, const double *r, double *s)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double law_u[MO_LAW_MAX_DIM], uhat[MO_LAW_MAX_DIM];
        s[i] = 0;
        if (mo_convex_has_shift(problem, i)) {
            memcpy(law_u, u + row, (size_t)d * sizeof *law_u);
            if (r) mo_law_velocity(problem, row, d, u + row, r + row, law_u);
            law_u[0] = 0; /* so that the shift is not lost in the rounding of u_N */
            mo_constraint_law(problem, i)->shift(mo_constraint_param(problem, i), d, law_u, uhat);
            s[i] = uhat[0];
        }
    }
}

void mo_convex_slips(const mo_problem *problem, const double *u, const double *r, double *lambda)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const slip_groups groups = groups_of(problem, i);
        double law_u[MO_BILATERAL_MAX_DIM];
        mo_law_velocity(problem, row, d, u + row, r + row, law_u);
        for (int g = 0; g < MO_LAW_MAX_GROUPS; ++g) {
            lambda[i * MO_LAW_MAX_GROUPS + g] =
                g < groups.count ? slip_norm(&groups, g, law_u + groups.row[g]) : 0;
        }
    }
}
