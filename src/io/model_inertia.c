/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Masses and inertias of shapes, by closed forms, and of meshes, by the pyramids that their
 * triangles make with a point inside.
 *
 * A pyramid with its tip at the origin and the triangle a, b, c has the volume V = a.(b x c)/6, its
 * centre at (a + b + c)/4, and the second moments
 *
 *     int x x' = V/20 (a a' + b b' + c c' + s s'),      s = a + b + c.
 *
 * MuJoCo's default for meshes takes |V|: first with the tip at the centre of the surface, which
 * gives the centre of mass, then with the tip there; and for the mass it takes the volume of the
 * box that has these moments for that volume.  So hollows count as full, and even a convex mesh has
 * its true volume only with exactmeshinertia.  It is followed to the letter.
 */
#include <math.h>
#include <string.h>

#include "collide/collide.h"
#include "io/model_reader.h"
#include "linalg/dense.h"
#include "linalg/principal.h"
#include "linalg/vec3.h"

static const double PI = 3.14159265358979323846;

/* ---- closed forms ---------------------------------------------------------------------------- */

/* A box (fill 8, part 3) or an ellipsoid (4 pi / 3, 5): mass = fill a b c at density 1, and
 * mass (b^2 + c^2) / part about the axis of a. */
static void mass_by_halves(const double half[3], double fill, double part, mo_mass *out)
{
    out->mass = fill * half[0] * half[1] * half[2];
    for (int k = 0; k < 3; ++k) {
        const double p = half[(k + 1) % 3], q = half[(k + 2) % 3];
        out->inertia[k] = out->mass / part * (p * p + q * q);
    }
}

/* Capsules of models lie along their own z. */
void mo_mass_of_shape(const mo_shape_def *shape, const double *ellipsoid, mo_mass *out)
{
    const double ball[3] = {shape->radius, shape->radius, shape->radius};
    const int is_round = shape->kind == MO_SHAPE_CAPSULE;
    const double half = is_round ? shape->ends[1][2] : shape->half[2];
    memset(out, 0, sizeof *out);
    if (ellipsoid) {
        mass_by_halves(ellipsoid, 4 * PI / 3, 5, out);
        return;
    }
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        mass_by_halves(ball, 4 * PI / 3, 5, out);
        break;
    case MO_SHAPE_BOX:
        mass_by_halves(shape->half, 8, 3, out);
        break;
    case MO_SHAPE_CYLINDER:
    case MO_SHAPE_CAPSULE:
        mo_rod_mass(shape->radius, 2 * half, is_round, 0, &out->mass, out->inertia);
        break;
    default: /* planes have no mass; hulls come from meshes */
        break;
    }
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static void corners(const mo_mesh_file *mesh, int k, const double tip[3], double corner[3][3])
{
    for (int c = 0; c < 3; ++c) {
        mo_vec3_minus(mesh->points + 3 * (size_t)mesh->triangles[3 * (size_t)k + (size_t)c], tip,
                      corner[c]);
    }
}

/* |V| unless exact. */
static double pyramid(const double corner[3][3], bool exact)
{
    double n[3];
    mo_vec3_cross(corner[1], corner[2], n);
    const double V = mo_vec3_dot(corner[0], n) / 6;
    return exact ? V : fabs(V);
}

static double area_of(const double corner[3][3])
{
    double u[3], v[3], n[3];
    mo_vec3_minus(corner[1], corner[0], u);
    mo_vec3_minus(corner[2], corner[0], v);
    mo_vec3_cross(u, v, n);
    return mo_vec3_norm(n) / 2;
}

/* moment += factor (a a' + b b' + c c' + s s'), stored as xx yy zz xy xz yz. */
static void add_moment(const double corner[3][3], double factor, double moment[6])
{
    static const int ROW[6] = {0, 1, 2, 0, 0, 1}, COLUMN[6] = {0, 1, 2, 1, 2, 2};
    double s[3];
    for (int c = 0; c < 3; ++c)
        s[c] = corner[0][c] + corner[1][c] + corner[2][c];
    for (int e = 0; e < 6; ++e) {
        const int i = ROW[e], j = COLUMN[e];
        moment[e] += factor * (corner[0][i] * corner[0][j] + corner[1][i] * corner[1][j] +
                               corner[2][i] * corner[2][j] + s[i] * s[j]);
    }
}

/* From second moments to the inertia. */
static void set_inertia(const double moment[6], double inertia[6])
{
    for (int k = 0; k < 3; ++k) {
        inertia[k] = moment[(k + 1) % 3] + moment[(k + 2) % 3];
        inertia[3 + k] = -moment[3 + k];
    }
}

/* The centroid of the surface: triangles weighted by area. */
static void surface_centre(const mo_mesh_file *mesh, double centre[3])
{
    const double origin[3] = {0};
    double all = 0, sum[3] = {0};
    for (int k = 0; k < mesh->triangle_count; ++k) {
        double corner[3][3];
        corners(mesh, k, origin, corner);
        const double area = area_of((const double(*)[3])corner);
        all += area;
        for (int c = 0; c < 3; ++c)
            mo_vec3_along(sum, area / 3, corner[c], sum);
    }
    mo_vec3_scale(all > 0 ? 1 / all : 0, sum, centre);
}

/* The mass of the box with these moments, a^2 = 3/2 (B + C - A) / m; zero for flat meshes. */
static void as_box(mo_mass *mass)
{
    double value[3], Q[9], square = 1;
    mo_principal_axes(mass->inertia, value, Q);
    for (int k = 0; k < 3; ++k)
        square *= 1.5 * (value[(k + 1) % 3] + value[(k + 2) % 3] - value[k]) / mass->mass;
    const double factor = mass->mass > 0 && square > 0 ? 8 * sqrt(square) / mass->mass : 0;
    mass->mass *= factor;
    mo_scale(6, factor, mass->inertia);
}

void mo_mass_of_mesh(const mo_mesh_file *mesh, bool exact, mo_mass *out)
{
    double tip[3], corner[3][3], volume = 0, centre[3] = {0}, moment[6] = {0};
    memset(out, 0, sizeof *out);
    surface_centre(mesh, tip);
    for (int k = 0; k < mesh->triangle_count; ++k) {
        corners(mesh, k, tip, corner);
        const double V = pyramid((const double(*)[3])corner, exact);
        volume += V;
        for (int c = 0; c < 3; ++c)
            mo_vec3_along(centre, V / 4, corner[c], centre);
    }
    mo_vec3_along(tip, volume != 0 ? 1 / volume : 0, centre, out->centre);
    for (int k = 0; k < mesh->triangle_count; ++k) {
        corners(mesh, k, out->centre, corner);
        const double V = pyramid((const double(*)[3])corner, exact);
        out->mass += V;
        add_moment((const double(*)[3])corner, V / 20, moment);
    }
    set_inertia(moment, out->inertia);
    if (!exact) as_box(out);
}

void mo_mass_of_shell(const mo_mesh_file *mesh, mo_mass *out)
{
    double corner[3][3], moment[6] = {0};
    memset(out, 0, sizeof *out);
    surface_centre(mesh, out->centre);
    for (int k = 0; k < mesh->triangle_count; ++k) {
        corners(mesh, k, out->centre, corner);
        const double area = area_of((const double(*)[3])corner);
        out->mass += area;
        add_moment((const double(*)[3])corner, area / 12, moment);
    }
    set_inertia(moment, out->inertia);
}

/* ---- entry points ---------------------------------------------------------------------------- */

void mo_mass_place(const mo_mass *mass, const mo_pose *pose, double factor, mo_mass *out)
{
    double Q[9];
    mo_quat_matrix(pose->orientation, Q);
    memmove(out->inertia, mass->inertia, sizeof out->inertia);
    mo_inertia_turn(Q, out->inertia);
    out->mass = factor * mass->mass;
    mo_pose_point(pose, mass->centre, out->centre);
    mo_scale(6, factor, out->inertia);
}

/* Adds the inertia of a point mass at x. */
static void add_point(double inertia[6], double mass, const double x[3])
{
    for (int k = 0; k < 3; ++k)
        inertia[k] += mass * (x[(k + 1) % 3] * x[(k + 1) % 3] + x[(k + 2) % 3] * x[(k + 2) % 3]);
    inertia[3] -= mass * x[0] * x[1];
    inertia[4] -= mass * x[0] * x[2];
    inertia[5] -= mass * x[1] * x[2];
}

void mo_mass_add(mo_mass *sum, const mo_mass *more)
{
    const double mass = sum->mass + more->mass;
    if (mass <= 0) return;
    double between[3];
    mo_vec3_minus(more->centre, sum->centre, between);
    mo_vec3_along(sum->centre, more->mass / mass, between, sum->centre);
    mo_axpy(6, 1, more->inertia, sum->inertia);
    /* Two masses about their common centre are as one reduced mass at their distance. */
    add_point(sum->inertia, sum->mass * (more->mass / mass), between);
    sum->mass = mass;
}

void mo_mass_give(const mo_mass *mass, mo_model_body *body)
{
    body->mass = mass->mass;
    memcpy(body->centre, mass->centre, sizeof body->centre);
    memcpy(body->inertia, mass->inertia, sizeof body->inertia);
}

/* kg m^2: below a gram at a micrometre; such values in files are rounding. */
static const double ROUNDING = 1e-15;

bool mo_reader_check_body(mo_reader *r, const mo_xml_node *node, mo_model_body *body)
{
    double values[3], Q[9];
    MO_FAIL_IF(!(body->mass >= 0) || !isfinite(body->mass),
               mo_reader_fail(r, node, "has a mass of %g kg; it must be positive", body->mass));
    mo_principal_axes(body->inertia, values, Q);
    const double largest = fmax(values[0], fmax(values[1], values[2]));
    const double smallest = fmin(values[0], fmin(values[1], values[2]));
    const double sum = values[0] + values[1] + values[2];
    const int is_negative = smallest < -1e-12 * fabs(largest);
    if (is_negative && r->is_lenient && fabs(smallest) < ROUNDING) {
        memset(body->inertia, 0, sizeof body->inertia); /* negligible: that of the shapes */
        return true;
    }
    if (is_negative && r->is_lenient && isfinite(sum) && largest > 0) {
        mo_reader_note(r, node,
                       "> has an inertia that is not positive: moments below 1e-6 of the largest "
                       "are raised to that");
        for (int k = 0; k < 3; ++k)
            values[k] = fmax(values[k], 1e-6 * largest);
        mo_principal_compose(values, Q, body->inertia);
        return true;
    }
    MO_FAIL_IF(!isfinite(sum) || is_negative || (body->mass > 0 && largest < 0),
               mo_reader_fail(
                   r, node,
                   "has an inertia that is not positive: its principal moments are %g, %g and %g",
                   values[0], values[1], values[2]));
    if (2 * largest > sum * (1 + 1e-6)) {
        mo_reader_note(r, node,
                       "> has an inertia that no rigid body can have (principal moments with A + B "
                       "< C): used as given");
    }
    return true;
}
