/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/measure_balls.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

/* u = v_1 - v_2 + (l_1 s_1 - l_2 s_2) x n + w */
static void relative_velocity(const mo_ball_contact *contact, const mo_ball *state, double u[3])
{
    const mo_ball *one = state + contact->body[0], *two = state + contact->body[1];
    double arm[3];
    for (int k = 0; k < 3; ++k) {
        arm[k] = contact->lever[0] * one->spin[k] - contact->lever[1] * two->spin[k];
    }
    mo_vec3_cross(arm, contact->n, u);
    for (int k = 0; k < 3; ++k) {
        u[k] += one->v[k] - two->v[k] + contact->w[k];
    }
}

double mo_balls_q_norm(const mo_balls *balls)
{
    double sum = 0;
    for (int i = 0; i < balls->contact_count; ++i) {
        double u[3];
        relative_velocity(balls->contact + i, balls->free_state, u);
        sum += mo_vec3_dot(u, u);
    }
    return sqrt(sum);
}

/* A vector by its part along the normal and the rest. */
typedef struct split {
    double N, T[3], length;
} split;

static inline split split_of(const double x[3], const double n[3])
{
    split s = {.N = mo_vec3_dot(x, n)};
    mo_vec3_along(x, -s.N, n, s.T);
    s.length = mo_vec3_norm(s.T);
    return s;
}

/* Into the cone: what is left of the normal part, and the factor of the rest. */
static void project(double mu, const split *x, double *y_N, double *part)
{
    if (x->length <= mu * x->N) {
        *y_N = x->N;
        *part = 1;
    } else if (mu * x->length <= -x->N) {
        *y_N = *part = 0;
    } else {
        *y_N = mu > 1 ? (x->N / mu + x->length) / (mu + 1 / mu)
                      : (x->N + mu * x->length) / (1 + mu * mu);
        *part = mu * *y_N / x->length;
    }
}

/* |r - proj_K(r - step (u + mu |u_T| n))|^2 */
static inline double square_with_step(const mo_ball_contact *contact, double step, const split *u,
                                      const split *r)
{
    split x = {.N = r->N - step * (u->N + contact->mu * u->length)};
    double y_N, part, z[3];
    mo_vec3_along(r->T, -step, u->T, x.T);
    x.length = mo_vec3_norm(x.T);
    project(contact->mu, &x, &y_N, &part);
    mo_vec3_along(r->T, -part, x.T, z);
    return (r->N - y_N) * (r->N - y_N) + mo_vec3_dot(z, z);
}

/* With step 1; where u is lost in the rounding of r, with a longer one, as mo_measure has it. */
static double natural_square(const mo_ball_contact *contact, const split *u, const split *r)
{
    const double square = square_with_step(contact, 1, u, r);
    const double moved = u->N * u->N + u->length * u->length,
                 size = r->N * r->N + r->length * r->length;
    if (!(moved > 0) || moved > 1e-24 * size) {
        return square;
    }
    if (!(size <= 1e200)) {
        return INFINITY;
    }
    const double longer = sqrt(size / moved);
    return fmax(square, square_with_step(contact, longer, u, r) / (longer * longer));
}

static double distance_from_cone(double mu, const split *r)
{
    double y_N, part;
    project(mu, r, &y_N, &part);
    return hypot(r->N - y_N, (1 - part) * r->length);
}

static void keep_worst(mo_worst *worst, double value, int constraint)
{
    if (!(value <= worst->value)) { /* also where value is not a number */
        *worst = (mo_worst){value, constraint};
    }
}

static void keep_failures(double mu, const split *u, const split *r, int i, mo_residual *residual)
{
    const double friction = mu * r->N * u->length + mo_vec3_dot(r->T, u->T);
    const int is_inside = r->length <= mu * r->N;
    keep_worst(&residual->penetration_rate, fmax(0, -u->N), i);
    keep_worst(&residual->cone_violation, is_inside ? 0 : distance_from_cone(mu, r), i);
    keep_worst(&residual->dissipation, fmax(fabs(r->N * u->N), fabs(friction)), i);
}

void mo_measure_balls(const mo_balls *balls, double q_norm, const double *r, mo_ball *state,
                      mo_residual *residual)
{
    double natural = 0, u_square = 0, r_square = 0;
    *residual = (mo_residual){.block = {0, -1},
                              .penetration_rate = {0, -1},
                              .cone_violation = {0, -1},
                              .dissipation = {0, -1},
                              .q_norm = q_norm};
    memcpy(state, balls->free_state, ((size_t)balls->body_count + 1) * sizeof *state);
    mo_balls_push(balls, r, state);
    for (int i = 0; i < balls->contact_count; ++i) {
        const mo_ball_contact *contact = balls->contact + i;
        double u[3];
        relative_velocity(contact, state, u);
        const split of_u = split_of(u, contact->n), of_r = split_of(r + 3 * (size_t)i, contact->n);
        const double square = natural_square(contact, &of_u, &of_r);
        natural += square;
        u_square += mo_vec3_dot(u, u);
        r_square += mo_vec3_dot(r + 3 * (size_t)i, r + 3 * (size_t)i);
        keep_worst(&residual->block, sqrt(square), i);
        keep_failures(contact->mu, &of_u, &of_r, i, residual);
    }
    residual->natural = sqrt(natural);
    residual->natural_relative = residual->natural / fmax(1, q_norm);
    residual->siconos_q = q_norm > 0 ? residual->natural / q_norm : residual->natural;
    const double scale = fmax(q_norm, sqrt(fmax(u_square, r_square)));
    residual->siconos_full = scale > 0 ? residual->natural / scale : residual->natural;
}
