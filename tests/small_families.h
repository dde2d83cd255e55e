/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Random small problems, as a step of a simulation meets them: rovers, slider-cranks in the plane,
 * boxes on slopes, stacks, grippers.  Bodies are rigid, with random velocities, under gravity;
 * frames of contacts are random in their tangents.  Each seed is one problem.
 */
#ifndef SMALL_FAMILIES_H
#define SMALL_FAMILIES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "moreau/moreau.h"

typedef enum small_family {
    SMALL_ROVER,
    SMALL_SLIDER_CRANK,
    SMALL_BOX_ON_SLOPE,
    SMALL_STACK,
    SMALL_GRIPPER,
    SMALL_FAMILY_COUNT
} small_family;

static const char *const small_family_names[] = {"rover", "slider-crank", "box on slope", "stack",
                                                 "gripper"};

typedef struct small_maker {
    uint64_t state;
    mo_builder *builder;
    double mu, mass_ratio;
} small_maker;

/* Even in [low, high), the same on every machine. */
static inline double small_random(small_maker *m, double low, double high)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(m->state >> 11) / 9007199254740992.0;
}

static inline int small_count(small_maker *m, int low, int high)
{
    return low + (int)small_random(m, 0, high - low + 1);
}

/* A body in space, about as large as `size`, with a random velocity, after 5 ms of free fall. */
static inline int small_add_body(small_maker *m, double mass, double size, double speed)
{
    double M[36] = {0}, f[6];
    for (int k = 0; k < 6; ++k) {
        M[7 * k] = k < 3 ? mass : mass * size * size * small_random(m, 0.1, 0.4);
        f[k] = M[7 * k] * small_random(m, -speed, speed);
    }
    f[2] -= mass * 9.81 * 0.005;
    return mo_builder_add_body(m->builder, 6, M, f);
}

static inline void small_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rows of the velocity at a point of a body along the axes, times sign. */
static inline void small_rows(int d, const double *axes, const double *lever, double sign,
                              double *J)
{
    for (int k = 0; k < d; ++k) {
        double turn[3];
        small_cross(lever, axes + 3 * k, turn);
        for (int j = 0; j < 3; ++j) {
            J[6 * k + j] = sign * axes[3 * k + j];
            J[6 * k + 3 + j] = sign * turn[j];
        }
    }
}

/* A frame whose first axis is near `normal`, tilted by up to `tilt`. */
static inline void small_frame(small_maker *m, const double *normal, double tilt, double *axes)
{
    double other[3], length = 0;
    for (int k = 0; k < 3; ++k) {
        axes[k] = normal[k] + small_random(m, -tilt, tilt);
        other[k] = small_random(m, -1, 1);
        length += axes[k] * axes[k];
    }
    for (int k = 0; k < 3; ++k)
        axes[k] /= sqrt(length);
    small_cross(axes, other, axes + 3);
    length = sqrt(axes[3] * axes[3] + axes[4] * axes[4] + axes[5] * axes[5]);
    for (int k = 3; k < 6; ++k)
        axes[k] /= length;
    small_cross(axes, axes + 3, axes + 6);
}

/* A contact of body a at lever_a on body b (or the ground: -1). */
static inline void small_add_contact(small_maker *m, int a, const double *lever_a, int b,
                                     const double *lever_b, const double *axes)
{
    const mo_law law = mo_law_coulomb(m->mu);
    const double gap = small_random(m, 0, 1) < 0.2 ? small_random(m, 0, 0.2) : 0;
    const double w[3] = {gap, 0, 0};
    double J[18];
    const int c = mo_builder_add_constraint(m->builder, 3, &law, w);
    small_rows(3, axes, lever_a, 1, J);
    mo_builder_add_jacobian(m->builder, c, a, 3, 6, J);
    if (b >= 0) {
        small_rows(3, axes, lever_b, -1, J);
        mo_builder_add_jacobian(m->builder, c, b, 3, 6, J);
    }
}

/* A chassis on wheels: each a body on an axle (five rows), with one contact on rough ground. */
static inline void small_make_rover(small_maker *m)
{
    static const double up[3] = {0, 0, 1};
    static const double frame[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int wheels = small_count(m, 3, 6);
    const int chassis = small_add_body(m, small_random(m, 10, 50), 0.5, 1);
    const mo_law joint = mo_law_bilateral();
    const double w[5] = {0};
    for (int k = 0; k < wheels; ++k) {
        const int wheel = small_add_body(m, small_random(m, 0.5, 3), 0.15, 1);
        const double hub[3] = {small_random(m, -0.5, 0.5), k % 2 ? 0.3 : -0.3, -0.1};
        const double zero[3] = {0, 0, 0}, foot[3] = {small_random(m, -0.05, 0.05), 0, -0.15};
        double J[30] = {0}, axes[9];
        const int c = mo_builder_add_constraint(m->builder, 5, &joint, w);
        for (int side = 0; side < 2; ++side) {
            small_rows(3, frame, side ? zero : hub, side ? -1 : 1, J);
            for (int j = 3; j < 5; ++j) { /* turns about y alone */
                memset(J + 6 * j, 0, 6 * sizeof *J);
                J[6 * j + (j == 3 ? 3 : 5)] = side ? -1 : 1;
            }
            mo_builder_add_jacobian(m->builder, c, side ? wheel : chassis, 5, 6, J);
        }
        small_frame(m, up, 0.2, axes);
        small_add_contact(m, wheel, foot, -1, NULL, axes);
    }
}

/* Crank, rod and slider in the plane: three hinges, one to three corners between two walls. */
static inline void small_make_slider_crank(small_maker *m)
{
    static const double size[3] = {0.15, 0.3, 0.1};
    const mo_law joint = mo_law_bilateral(), law = mo_law_coulomb(m->mu);
    const double turn = small_random(m, 0, 6.28), zero[2] = {0, 0};
    const int corners = small_count(m, 1, 3);
    int bodies[3];
    for (int k = 0; k < 3; ++k) {
        const double mass = small_random(m, 0.02, 0.1);
        const double M[9] = {mass, 0, 0, 0, mass, 0, 0, 0, mass * size[k] * size[k] / 12};
        const double f[3] = {mass * small_random(m, -2, 2), mass * small_random(m, -2, 2),
                             M[8] * small_random(m, -100, 100)};
        bodies[k] = mo_builder_add_body(m->builder, 3, M, f);
    }
    for (int k = 0; k < 3; ++k) { /* the hinge before body k */
        const int c = mo_builder_add_constraint(m->builder, 2, &joint, zero);
        const double angle = k == 0 ? turn : k == 1 ? -0.5 * turn : 0;
        const double x = -0.5 * size[k] * cos(angle), y = -0.5 * size[k] * sin(angle);
        const double J[6] = {1, 0, -y, 0, 1, x};
        mo_builder_add_jacobian(m->builder, c, bodies[k], 2, 3, J);
        if (k > 0) {
            const double before = k == 1 ? turn : -0.5 * turn;
            const double a = 0.5 * size[k - 1] * cos(before), b = 0.5 * size[k - 1] * sin(before);
            const double L[6] = {-1, 0, b, 0, -1, -a};
            mo_builder_add_jacobian(m->builder, c, bodies[k - 1], 2, 3, L);
        }
    }
    for (int k = 0; k < corners; ++k) { /* normal along y, of the lower or the upper wall */
        const double side = k % 2 ? -1 : 1, x = k / 2 ? -0.05 : 0.05, y = -side * 0.02;
        const double J[6] = {0, side, side * x, 1, 0, -y}, w[2] = {small_random(m, 0, 0.01), 0};
        const int c = mo_builder_add_constraint(m->builder, 2, &law, w);
        mo_builder_add_jacobian(m->builder, c, bodies[2], 2, 3, J);
    }
}

/* Four corners of a box of half sizes h, k = 0 .. 3, at height z. */
static inline void small_corner(const double *h, int k, double z, double *lever)
{
    lever[0] = k % 2 ? h[0] : -h[0];
    lever[1] = k / 2 ? h[1] : -h[1];
    lever[2] = z;
}

static inline void small_make_stack(small_maker *m, int boxes, double tilt)
{
    double up[3] = {sin(tilt), 0, cos(tilt)}, axes[9];
    double h[3] = {small_random(m, 0.1, 0.5), small_random(m, 0.1, 0.5), small_random(m, 0.1, 0.5)};
    const double speed = small_random(m, 0, 1) < 0.5 ? 0 : small_random(m, 0, 2);
    int below = -1;
    small_frame(m, up, 0, axes);
    memcpy(axes, (double[3]){0, 0, 1}, 3 * sizeof *axes); /* the slope is in the force instead */
    memcpy(axes + 3, (double[6]){1, 0, 0, 0, 1, 0}, 6 * sizeof *axes);
    for (int b = 0; b < boxes; ++b) {
        const double mass = pow(m->mass_ratio, boxes > 1 ? (double)b / (boxes - 1) : 0);
        double M[36] = {0}, f[6];
        for (int k = 0; k < 6; ++k) {
            M[7 * k] = k < 3 ? mass : mass * 0.3 * h[k - 3] * h[k - 3] + 0.01 * mass;
            f[k] = M[7 * k] * small_random(m, -speed, speed) - (k < 3 ? mass * 0.05 * up[k] : 0);
        }
        const int body = mo_builder_add_body(m->builder, 6, M, f);
        for (int k = 0; k < 4; ++k) {
            double foot[3], head[3];
            small_corner(h, k, -h[2], foot);
            small_corner(h, k, h[2], head);
            small_add_contact(m, body, foot, below, head, axes);
        }
        below = body;
    }
}

/* An object between two to four fingers, each a slide with a motor (a bounded force). */
static inline void small_make_gripper(small_maker *m)
{
    const int fingers = small_count(m, 2, 4), object = small_add_body(m, 0.3, 0.05, 0.5);
    for (int k = 0; k < fingers; ++k) {
        const double angle = 6.283 * k / fingers + small_random(m, -0.2, 0.2);
        const double normal[3] = {-cos(angle), -sin(angle), 0};
        const double mass = small_random(m, 0.05, 0.5), f = mass * small_random(m, -0.2, 0.5);
        const double push = small_random(m, 0, 0.1), lower = 0, one = 1, w = -1;
        const mo_law motor = mo_law_box(&lower, &push);
        const int finger = mo_builder_add_body(m->builder, 1, &mass, &f);
        const int drive = mo_builder_add_constraint(m->builder, 1, &motor, &w);
        double axes[9], J[18], along[3];
        mo_builder_add_jacobian(m->builder, drive, finger, 1, 1, &one);
        for (int point = 0; point < 2; ++point) {
            const mo_law law = mo_law_coulomb(m->mu);
            const double lever[3] = {-0.05 * normal[0], -0.05 * normal[1], point ? 0.01 : -0.01};
            const double zero[3] = {0, 0, 0};
            const int c = mo_builder_add_constraint(m->builder, 3, &law, zero);
            small_frame(m, normal, 0.05, axes);
            small_rows(3, axes, lever, 1, J);
            mo_builder_add_jacobian(m->builder, c, object, 3, 6, J);
            for (int j = 0; j < 3; ++j)
                along[j] = -(axes[3 * j] * normal[0] + axes[3 * j + 1] * normal[1]);
            mo_builder_add_jacobian(m->builder, c, finger, 3, 1, along);
        }
    }
}

/* The problem of a family, a seed and a coefficient of friction; reduced where `reduced`. */
static inline mo_problem *small_make(small_family family, uint64_t seed, double mu,
                                     double mass_ratio, int reduced)
{
    small_maker m = {.state = seed * 2654435761u + (uint64_t)family + 1, .mu = mu};
    mo_problem *problem = NULL, *other = NULL;
    m.mass_ratio = mass_ratio;
    small_random(&m, 0, 1);
    if (mo_builder_create(NULL, &m.builder)) return NULL;
    switch (family) {
    case SMALL_ROVER:
        small_make_rover(&m);
        break;
    case SMALL_SLIDER_CRANK:
        small_make_slider_crank(&m);
        break;
    case SMALL_BOX_ON_SLOPE:
        small_make_stack(&m, 1, small_random(&m, 0, 1));
        break;
    case SMALL_STACK:
        small_make_stack(&m, small_count(&m, 2, 5), 0);
        break;
    default:
        small_make_gripper(&m);
        break;
    }
    if (mo_builder_finish(m.builder, &problem, NULL)) problem = NULL;
    mo_builder_destroy(m.builder);
    if (problem && reduced) {
        if (mo_problem_reduce(problem, &other, NULL)) other = NULL;
        mo_problem_destroy(problem);
        problem = other;
    }
    return problem;
}

#endif
