/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "fclib_samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

typedef struct maker {
    mo_builder *builder;
    mo_random random;
} maker;

static double number(maker *m)
{
    return 2 * mo_random_unit(&m->random) - 1;
}

static void fill(maker *m, int count, double *values)
{
    for (int k = 0; k < count; ++k)
        values[k] = number(m);
}

/* A full mass matrix: the diagonal dominates. */
static void add_body(maker *m, int n)
{
    double M[36], f[6];
    fill(m, n, f);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            M[i * n + j] = M[j * n + i] = i == j ? 8 + number(m) : number(m);
    mo_builder_add_body(m->builder, n, M, f);
}

static int add_constraint(maker *m, int d, mo_law law)
{
    double w[6];
    fill(m, d, w);
    return mo_builder_add_constraint(m->builder, d, &law, w);
}

static void add_jacobian(maker *m, int constraint, int body, int d, int n)
{
    double J[36];
    fill(m, d * n, J);
    mo_builder_add_jacobian(m->builder, constraint, body, d, n, J);
}

static void add_coupling(maker *m, int row, int column, int d_row, int d_column)
{
    double W[36];
    fill(m, d_row * d_column, W);
    mo_builder_add_coupling(m->builder, row, column, d_row, d_column, W);
}

/* A coupling and its transpose. */
static void add_twin_couplings(maker *m, int row, int column, int d_row, int d_column)
{
    double W[36], T[36];
    fill(m, d_row * d_column, W);
    for (int i = 0; i < d_row; ++i)
        for (int j = 0; j < d_column; ++j)
            T[j * d_row + i] = W[i * d_column + j];
    mo_builder_add_coupling(m->builder, row, column, d_row, d_column, W);
    mo_builder_add_coupling(m->builder, column, row, d_column, d_row, T);
}

static void make_global(maker *m, int bodies, int n, int contacts, int d)
{
    for (int b = 0; b < bodies; ++b)
        add_body(m, n);
    for (int c = 0; c < contacts; ++c) {
        const mo_law law = d == 5 ? mo_law_rolling(0.1 * c, 0.01 * c) : mo_law_coulomb(0.25 * c);
        const int constraint = add_constraint(m, d, law);
        add_jacobian(m, constraint, c % bodies, d, n);
        if (c % 2) add_jacobian(m, constraint, (c + 1) % bodies, d, n);
    }
}

/* Joints between contacts, so that a file has to put them in another order. */
static void make_global_joints(maker *m)
{
    for (int b = 0; b < 3; ++b)
        add_body(m, 6);
    for (int c = 0; c < 4; ++c) {
        const bool joint = c % 2 == 0;
        const int d = joint ? 5 - c : 3;
        const int constraint =
            add_constraint(m, d, joint ? mo_law_bilateral() : mo_law_coulomb(0.3));
        add_jacobian(m, constraint, c % 3, d, 6);
        add_jacobian(m, constraint, (c + 1) % 3, d, 6);
    }
}

static void make_local(maker *m, int contacts, int d)
{
    for (int c = 0; c < contacts; ++c) {
        const double mu = c == 1 && d < 5 ? INFINITY : 0.2 * c;
        add_constraint(m, d, d == 5 ? mo_law_rolling(mu, 0.5) : mo_law_coulomb(mu));
    }
    for (int c = 0; c < contacts; ++c) {
        add_coupling(m, c, c, d, d);
        if (c) {
            add_coupling(m, c, c - 1, d, d);
            add_coupling(m, c - 1, c, d, d);
        }
    }
}

static void make_local_joints(maker *m)
{
    add_constraint(m, 3, mo_law_coulomb(0.5));
    add_constraint(m, 2, mo_law_bilateral());
    add_constraint(m, 3, mo_law_coulomb(0.6));
    for (int c = 0; c < 3; ++c)
        add_coupling(m, c, c, c == 1 ? 2 : 3, c == 1 ? 2 : 3);
    add_coupling(m, 0, 2, 3, 3);
    add_twin_couplings(m, 0, 1, 3, 2);
    add_twin_couplings(m, 2, 1, 3, 2);
}

static double *random_vector(maker *m, int count)
{
    double *values = malloc((size_t)(count ? count : 1) * sizeof *values);
    if (!values) abort();
    fill(m, count, values);
    return values;
}

/* A file has no u for joints: theirs is zero. */
static mo_point make_point(maker *m, const mo_problem *problem)
{
    const int dofs = mo_problem_dof_count(problem), rows = mo_problem_row_count(problem);
    mo_point point = {.u = random_vector(m, rows), .r = random_vector(m, rows)};
    if (dofs) point.v = random_vector(m, dofs);
    for (int c = 0; c < mo_problem_constraint_count(problem); ++c) {
        const mo_constraint_view view = mo_problem_constraint(problem, c);
        for (int k = 0; view.law.kind == MO_LAW_BILATERAL && k < view.dim; ++k)
            point.u[view.offset + k] = 0;
    }
    return point;
}

static char *copy(const char *text)
{
    char *own = malloc(strlen(text) + 1);
    return own ? strcpy(own, text) : NULL;
}

static void build(maker *m, fclib_sample sample)
{
    switch (sample) {
    case SAMPLE_GLOBAL_3D:
        make_global(m, 2, 6, 3, 3);
        break;
    case SAMPLE_GLOBAL_2D:
        make_global(m, 3, 3, 4, 2);
        break;
    case SAMPLE_GLOBAL_JOINTS:
        make_global_joints(m);
        break;
    case SAMPLE_GLOBAL_ROLLING:
        make_global(m, 2, 6, 2, 5);
        add_jacobian(m, add_constraint(m, 1, mo_law_bilateral()), 1, 1, 6);
        break;
    case SAMPLE_LOCAL_3D:
        make_local(m, 4, 3);
        break;
    case SAMPLE_LOCAL_2D:
        make_local(m, 3, 2);
        break;
    case SAMPLE_LOCAL_JOINTS:
        make_local_joints(m);
        break;
    case SAMPLE_LOCAL_ROLLING:
        make_local(m, 2, 5);
        break;
    case SAMPLE_BODIES_ONLY:
        make_global(m, 2, 6, 0, 3);
        break;
    case SAMPLE_JOINTS_ONLY:
        make_global(m, 2, 6, 0, 3);
        add_jacobian(m, add_constraint(m, 3, mo_law_bilateral()), 0, 3, 6);
        break;
    case SAMPLE_NOTHING:
    case SAMPLE_COUNT:
        break;
    }
}

mo_document fclib_sample_make(fclib_sample sample)
{
    mo_document document = {0};
    maker m = {.random = {(uint64_t)sample + 1}};
    if (mo_builder_create(NULL, &m.builder) != MO_OK) abort();
    build(&m, sample);
    mo_message why;
    if (mo_builder_finish(m.builder, &document.problem, &why) != MO_OK) {
        fprintf(stderr, "sample %d: %s\n", (int)sample, why.text);
        abort();
    }
    mo_builder_destroy(m.builder);
    if (sample == SAMPLE_GLOBAL_JOINTS || sample == SAMPLE_LOCAL_JOINTS ||
        sample == SAMPLE_GLOBAL_ROLLING || sample == SAMPLE_JOINTS_ONLY) {
        document.title = copy("a sample");
        document.description = copy("made for tests,\nwith \xc3\xa9 in it");
        document.math_info = copy("");
        document.solution = make_point(&m, document.problem);
        document.guess_count = sample == SAMPLE_LOCAL_JOINTS ? 1 : 2;
        document.guesses = calloc((size_t)document.guess_count, sizeof *document.guesses);
        for (int k = 0; document.guesses && k < document.guess_count; ++k)
            document.guesses[k] = make_point(&m, document.problem);
    }
    return document;
}

static void put(hid_t file, const char *path, hid_t type, hsize_t count, const void *values)
{
    const hid_t space = H5Screate_simple(1, &count, NULL);
    if (H5Lexists(file, path, H5P_DEFAULT) > 0) H5Ldelete(file, path, H5P_DEFAULT);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0 || (count && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
        abort();
    H5Dclose(set);
    H5Sclose(space);
}

void fclib_put_ints(hid_t file, const char *path, hsize_t count, const int *values)
{
    put(file, path, H5T_NATIVE_INT, count, values);
}

void fclib_put_doubles(hid_t file, const char *path, hsize_t count, const double *values)
{
    put(file, path, H5T_NATIVE_DOUBLE, count, values);
}
