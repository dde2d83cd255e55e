/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random problems of contacts between rigid bodies, compact or in rows. */
#ifndef MO_TESTS_RANDOM_CONTACTS_H
#define MO_TESTS_RANDOM_CONTACTS_H

#include "heap.h"

#include <stdlib.h>

#include "base/random.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"
#include "problem/views.h"

enum { RIGID = 40, LINKS = 9 };

static inline double draw(mo_random *random)
{
    return 2 * mo_random_unit(random) - 1;
}

/* A symmetric positive definite matrix of n rows. */
static inline void draw_mass(mo_random *random, int n, double *M)
{
    double A[LINKS * LINKS];
    for (int k = 0; k < n * n; ++k)
        A[k] = draw(random);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            M[i * n + j] = i == j ? 0.5 : 0;
            for (int k = 0; k < n; ++k)
                M[i * n + j] += A[i * n + k] * A[j * n + k];
        }
    }
}

static inline void draw_frame(mo_random *random, double frame[9])
{
    double n[3] = {draw(random), draw(random), draw(random)};
    mo_vec3_scale(1 / mo_vec3_norm(n), n, frame);
    mo_vec3_tangents(frame, frame + 3, frame + 6);
}

/* Manifolds of one to five points between random bodies, some with the world. */
static inline void draw_contact(mo_random *random, int bodies, mo_rigid_contact *contact)
{
    draw_frame(random, contact->frame);
    contact->body[0] = (int)(mo_random_unit(random) * bodies);
    contact->body[1] =
        (contact->body[0] + 1 + (int)(mo_random_unit(random) * (bodies - 1))) % bodies;
    if (mo_random_unit(random) < 0.2) contact->body[mo_random_unit(random) < 0.5] = -1;
    contact->mu = 0.1 + mo_random_unit(random);
}

static inline void draw_point(mo_random *random, mo_rigid_contact *contact)
{
    for (int k = 0; k < 3; ++k) {
        contact->arm[0][k] = draw(random);
        contact->arm[1][k] = draw(random);
        contact->w[k] = 0.1 * draw(random);
    }
}

/* The rows of a contact, for the same problem without the compact form. */
static inline void add_as_rows(mo_builder *builder, const mo_rigid_contact *contact)
{
    const mo_law law = mo_law_coulomb(contact->mu);
    const int i = mo_builder_add_constraint(builder, 3, &law, contact->w);
    for (int side = 0; side < 2; ++side) {
        double J[18];
        for (int k = 0; k < 3; ++k) {
            mo_vec3_scale(side ? -1 : 1, contact->frame + 3 * k, J + 6 * k);
            mo_vec3_cross(contact->arm[side], J + 6 * k, J + 6 * k + 3);
        }
        if (contact->body[side] >= 0)
            mo_builder_add_jacobian(builder, i, contact->body[side], 3, 6, J);
    }
}

static inline void add_bodies(mo_builder *builder, mo_random *random, int is_compact)
{
    for (int b = 0; b < RIGID; ++b) {
        double J[9], M[36] = {0}, f[6];
        const double mass = 0.5 + mo_random_unit(random);
        draw_mass(random, 3, J);
        for (int k = 0; k < 6; ++k)
            f[k] = draw(random);
        for (int i = 0; i < 3; ++i) {
            M[7 * i] = mass;
            memcpy(M + 6 * (i + 3) + 3, J + 3 * i, 3 * sizeof *J);
        }
        CHECK((is_compact ? mo_builder_add_rigid_body(builder, mass, J, f)
                          : mo_builder_add_body(builder, 6, M, f)) == b);
    }
}

static inline void add_mechanism(mo_builder *builder, mo_random *random)
{
    double M[LINKS * LINKS], f[LINKS];
    draw_mass(random, LINKS, M);
    for (int k = 0; k < LINKS; ++k)
        f[k] = draw(random);
    CHECK(mo_builder_add_body(builder, LINKS, M, f) == RIGID);
}

/* A joint between a rigid body and the mechanism, a limit of the latter, a soft-finger contact
 * between two bodies. */
static inline void add_rows(mo_builder *builder, mo_random *random)
{
    const mo_law laws[3] = {mo_law_bilateral(), mo_law_frictionless(),
                            mo_law_soft_finger(0.5, 0.1)};
    const int d[3] = {3, 1, 4}, body[3][2] = {{2, RIGID}, {RIGID, -1}, {4, 7}};
    for (int k = 0; k < 3; ++k) {
        const double w[4] = {0.1 * draw(random), 0.1 * draw(random), 0, 0};
        const int i = mo_builder_add_constraint(builder, d[k], laws + k, w);
        for (int side = 0; side < 2 && body[k][side] >= 0; ++side) {
            double J[4 * LINKS];
            const int n = body[k][side] == RIGID ? LINKS : 6;
            for (int m = 0; m < d[k] * n; ++m)
                J[m] = draw(random);
            mo_builder_add_jacobian(builder, i, body[k][side], d[k], n, J);
        }
    }
}

/* The same problem for the same seed, in compact form or in rows; with a mechanism or without. */
static inline mo_problem *build_any(int contacts, uint64_t seed, int is_compact, int has_others)
{
    mo_builder *builder;
    mo_problem *problem = NULL;
    mo_message why = {""};
    mo_random random = {seed};
    mo_rigid_contact contact;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    add_bodies(builder, &random, is_compact);
    if (has_others) add_mechanism(builder, &random);
    for (int k = 0, points = 0; k < contacts; ++k, --points) {
        if (points <= 0) {
            points = 1 + (int)(5 * mo_random_unit(&random));
            draw_contact(&random, RIGID, &contact);
        }
        draw_point(&random, &contact);
        if (is_compact)
            CHECK(mo_builder_add_contact(builder, &contact) == k);
        else
            add_as_rows(builder, &contact);
    }
    if (has_others) add_rows(builder, &random);
    if (mo_builder_finish(builder, &problem, &why)) fail_msg("%s", why.text);
    mo_builder_destroy(builder);
    return problem;
}

static inline mo_problem *build(int contacts, uint64_t seed, int is_compact)
{
    return build_any(contacts, seed, is_compact, 1);
}

/* Impulses in their sets, on their edges and outside. */
static inline double *draw_impulses(const mo_problem *problem, uint64_t seed)
{
    const int rows = mo_problem_row_count(problem);
    double *r = malloc((size_t)rows * sizeof *r);
    mo_random random = {seed};
    CHECK(r != NULL);
    for (int k = 0; k < rows; ++k) {
        r[k] = k % 3 == 0 ? fabs(draw(&random)) : 0.5 * draw(&random);
        r[k] *= k % 7 == 0 ? 0 : k % 11 == 0 ? 1e13 : 1;
    }
    return r;
}

static inline const mo_batches *batches_of(const mo_problem *problem)
{
    const mo_batches *batches = NULL;
    CHECK(mo_problem_batches(problem, &batches) == MO_OK);
    return batches;
}

static inline void check_near_all(const double *a, const double *b, int count, double tolerance)
{
    double largest = 1;
    for (int k = 0; k < count; ++k)
        largest = fmax(largest, fabs(b[k]));
    for (int k = 0; k < count; ++k)
        CHECK_NEAR(a[k], b[k], tolerance * largest);
}

#endif
