/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, LARGER = 1 + 1e-7;

/* ---- principal axes -------------------------------------------------------------------------- */

/* The turn of two axes that clears A_pq, as a step of Jacobi's method; Q collects the turns in its
 * columns. */
static void turn_pair(double A[3][3], double Q[3][3], int p, int q)
{
    const double angle = 0.5 * atan2(2 * A[p][q], A[q][q] - A[p][p]);
    const double c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; ++k) {
        const double x = A[k][p], y = A[k][q], a = Q[k][p], b = Q[k][q];
        A[k][p] = c * x - s * y;
        A[k][q] = s * x + c * y;
        Q[k][p] = c * a - s * b;
        Q[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = A[p][k], y = A[q][k];
        A[p][k] = c * x - s * y;
        A[q][k] = s * x + c * y;
    }
}

/* A rotation matrix as a quaternion, from its largest component. */
static void quaternion_of(double Q[3][3], double q[4])
{
    const double squares[4] = {1 + Q[0][0] + Q[1][1] + Q[2][2], 1 + Q[0][0] - Q[1][1] - Q[2][2],
                               1 - Q[0][0] + Q[1][1] - Q[2][2], 1 - Q[0][0] - Q[1][1] + Q[2][2]};
    const double products[4][4] = {
        {squares[0], Q[2][1] - Q[1][2], Q[0][2] - Q[2][0], Q[1][0] - Q[0][1]},
        {Q[2][1] - Q[1][2], squares[1], Q[1][0] + Q[0][1], Q[0][2] + Q[2][0]},
        {Q[0][2] - Q[2][0], Q[1][0] + Q[0][1], squares[2], Q[2][1] + Q[1][2]},
        {Q[1][0] - Q[0][1], Q[0][2] + Q[2][0], Q[2][1] + Q[1][2], squares[3]}};
    int largest = 0;
    for (int k = 1; k < 4; ++k)
        largest = squares[k] > squares[largest] ? k : largest;
    for (int k = 0; k < 4; ++k)
        q[k] = products[largest][k] / (2 * sqrt(squares[largest]));
}

/* Principal moments, and their axes in the body's axes.  An inertia that is diagonal already keeps
 * its axes. */
static void principal_axes(const double inertia[6], double moments[3], double orientation[4])
{
    double A[3][3] = {{inertia[0], inertia[3], inertia[4]},
                      {inertia[3], inertia[1], inertia[5]},
                      {inertia[4], inertia[5], inertia[2]}};
    double Q[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double small = 1e-15 * (A[0][0] + A[1][1] + A[2][2]);
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q)
                if (fabs(A[p][q]) > small) turn_pair(A, Q, p, q);
        }
    }
    quaternion_of(Q, orientation);
    for (int k = 0; k < 3; ++k)
        moments[k] = A[k][k];
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static mo_pose inverse(const mo_pose *pose)
{
    mo_pose back = mo_pose_identity();
    const double zero[3] = {0};
    mo_pose_point_back(pose, zero, back.position);
    back.orientation[0] = pose->orientation[0];
    for (int k = 1; k < 4; ++k)
        back.orientation[k] = -pose->orientation[k];
    return back;
}

/* The frame at the middle of a segment whose z runs along it. */
static mo_pose along_segment(const double a[3], const double b[3], double *half)
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double aside = hypot(d[0], d[1]), axis[3] = {-d[1], d[0], 0}, x_axis[3] = {1, 0, 0};
    *half = 0.5 * hypot(aside, d[2]);
    return mo_pose_turned(0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]),
                          aside > 0 ? axis : x_axis, atan2(aside, d[2]));
}

static int is_common(const mo_shape_def *def, int dimension)
{
    const mo_shape_def plain = mo_default_shape(def->kind);
    return (def->kind != MO_SHAPE_HULL || dimension == 3) && def->kind != MO_SHAPE_MESH &&
           def->material.rolling == 0 && def->material.torsion == 0 && def->layer == plain.layer &&
           def->mask == plain.mask;
}

static sim_shape take_shape(const mo_shape_def *def, const mo_pose *own, int dimension)
{
    sim_shape shape = {.kind = def->kind,
                       .radius = def->radius,
                       .half = {def->half[0], def->half[1], def->half[2]},
                       .friction = def->material.friction,
                       .restitution = def->material.restitution};
    mo_pose local = mo_pose_identity();
    if (def->kind == MO_SHAPE_CAPSULE)
        local = along_segment(def->ends[0], def->ends[1], &shape.half[2]);
    else if (def->kind == MO_SHAPE_PLANE && dimension == 2)
        local = mo_pose_turned(0, 0, 0, (const double[3]){1, 0, 0}, -PI / 2); /* z turns to y */
    else if (def->kind == MO_SHAPE_BOX && dimension == 2)
        shape.half[2] = fmax(def->half[0], def->half[1]);
    const mo_pose in_body = mo_pose_compose(&def->pose, &local);
    shape.pose = mo_pose_compose(own, &in_body);
    return shape;
}

/* The smallest half width along an axis of its frame. */
static double hull_size(const sim_shape *shape)
{
    double size = INFINITY;
    for (int d = 0; d < 3; ++d) {
        double least = INFINITY, most = -INFINITY;
        for (int k = 0; k < shape->point_count; ++k) {
            least = fmin(least, shape->point[3 * k + d]);
            most = fmax(most, shape->point[3 * k + d]);
        }
        size = fmin(size, 0.5 * (most - least));
    }
    return size;
}

static double size_of(const sim_shape *shape, int dimension)
{
    switch (shape->kind) {
    case MO_SHAPE_HULL:
        return hull_size(shape);
    case MO_SHAPE_BOX: {
        const double flat = fmin(shape->half[0], shape->half[1]);
        return dimension == 2 ? flat : fmin(flat, shape->half[2]);
    }
    case MO_SHAPE_CYLINDER:
        return fmin(shape->radius, shape->half[2]);
    case MO_SHAPE_BALL:
    case MO_SHAPE_CAPSULE:
        return shape->radius;
    default:
        return INFINITY;
    }
}

/* ---- the scene ------------------------------------------------------------------------------- */

static sim_body take_body(const mo_body_state *state, int dimension)
{
    sim_body body = {.is_free = state->kind == MO_BODY_FREE,
                     .mass = state->mass,
                     .size = INFINITY,
                     .pose = mo_pose_identity()};
    mo_pose principal = mo_pose_identity(); /* in the body's frame */
    if (body.is_free) {
        memcpy(body.velocity, state->velocity, sizeof body.velocity);
        memcpy(body.spin, state->spin, sizeof body.spin);
        if (dimension == 2) /* the other two rotations are skipped: any moments are valid */
            body.inertia[0] = body.inertia[1] = body.inertia[2] = state->inertia[2];
        else
            principal_axes(state->inertia, body.inertia, principal.orientation);
        mo_pose_point_back(&state->pose, state->centre, principal.position);
    }
    body.pose = mo_pose_compose(&state->pose, &principal);
    body.own = inverse(&principal);
    return body;
}

static int refuse(mo_message *why, const char *what)
{
    snprintf(why->text, sizeof why->text, "the scene has %s: it cannot be handed to other engines",
             what);
    return 0;
}

/* A feature of the world that peers do not support; NULL if there is none. */
static const char *strange(const mo_world *world)
{
    if (mo_world_joint_count(world) > 0) return "joints";
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_id id = mo_world_body(world, k);
        const mo_body_state state = mo_body_get(world, id);
        if (state.kind == MO_BODY_DRIVEN) return "driven bodies";
        for (int i = 0; i < state.shape_count; ++i) {
            const mo_shape_def def = mo_body_shape(world, id, i);
            if (!is_common(&def, mo_world_definition(world).dimension))
                return "meshes, polygons, layers, or friction against rolling or spinning";
        }
    }
    return NULL;
}

/* The corners of a hull, larger where it is free; returns where the next one's begin. */
static double *take_corners(const mo_shape_def *def, double factor, double *at, sim_shape *shape)
{
    shape->point = at;
    shape->point_count = def->kind == MO_SHAPE_HULL ? def->point_count : 0;
    for (int k = 0; k < 3 * shape->point_count; ++k)
        *at++ = factor * def->points[k];
    return at;
}

static void fill(const mo_world *world, sim_scene *scene)
{
    double *corners = scene->point;
    scene->size = INFINITY;
    for (int k = 0; k < scene->body_count; ++k) {
        const mo_body_id id = mo_world_body(world, k);
        const mo_body_state state = mo_body_get(world, id);
        sim_body *body = scene->body + k;
        *body = take_body(&state, scene->dimension);
        body->first_shape = scene->shape_count;
        body->shape_count = state.shape_count;
        for (int i = 0; i < state.shape_count; ++i) {
            const mo_shape_def def = mo_body_shape(world, id, i);
            sim_shape *shape = scene->shape + scene->shape_count++;
            *shape = take_shape(&def, &body->own, scene->dimension);
            corners = take_corners(&def, body->is_free ? LARGER : 1, corners, shape);
            body->size = fmin(body->size, size_of(shape, scene->dimension));
            for (int d = 0; d < 3 && body->is_free; ++d) {
                shape->half[d] *= LARGER;
                shape->radius *= d == 0 ? LARGER : 1;
            }
        }
        scene->size = body->is_free ? fmin(scene->size, body->size) : scene->size;
    }
}

int sim_scene_take(mo_world *world, double step, sim_scene *scene, mo_message *why)
{
    const mo_world_def def = mo_world_definition(world);
    const char *trouble = strange(world);
    *scene = (sim_scene){.dimension = def.dimension, .step = step, .world = world};
    if (trouble) return refuse(why, trouble);
    memcpy(scene->gravity, def.gravity, sizeof scene->gravity);
    const double g = sqrt(def.gravity[0] * def.gravity[0] + def.gravity[1] * def.gravity[1] +
                          def.gravity[2] * def.gravity[2]);
    scene->bounce_speed = fmax(def.restitution_speed, 2 * step * g); /* as our impacts have it */
    scene->body_count = mo_world_body_count(world);
    size_t shapes = 0, corners = 0;
    for (int k = 0; k < scene->body_count; ++k) {
        const mo_body_id id = mo_world_body(world, k);
        const int own = mo_body_get(world, id).shape_count;
        shapes += (size_t)own;
        for (int i = 0; i < own; ++i)
            corners += (size_t)mo_body_shape(world, id, i).point_count;
    }
    scene->body = calloc((size_t)scene->body_count + 1, sizeof *scene->body);
    scene->shape = calloc(shapes + 1, sizeof *scene->shape);
    scene->point = calloc(3 * corners + 1, sizeof *scene->point);
    if (!scene->body || !scene->shape || !scene->point) {
        sim_scene_clear(scene);
        snprintf(why->text, sizeof why->text, "memory ran out");
        return 0;
    }
    fill(world, scene);
    if (!isfinite(scene->size)) {
        sim_scene_clear(scene);
        return refuse(why, "no free body of a finite size");
    }
    return 1;
}

void sim_scene_clear(sim_scene *scene)
{
    free(scene->body);
    free(scene->shape);
    free(scene->point);
    *scene = (sim_scene){0};
}

void sim_scene_start(const sim_scene *scene, sim_motion *motions)
{
    for (int k = 0; k < scene->body_count; ++k) {
        const sim_body *body = scene->body + k;
        motions[k].pose = body->pose;
        memcpy(motions[k].velocity, body->velocity, sizeof body->velocity);
        memcpy(motions[k].spin, body->spin, sizeof body->spin);
    }
}

void sim_body_inertia(const sim_body *body, const mo_pose *pose, double inertia[9])
{
    double axis[3][3];
    for (int k = 0; k < 3; ++k)
        mo_pose_vector(pose, (const double[3]){k == 0, k == 1, k == 2}, axis[k]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            inertia[3 * i + j] = body->inertia[0] * axis[0][i] * axis[0][j] +
                                 body->inertia[1] * axis[1][i] * axis[1][j] +
                                 body->inertia[2] * axis[2][i] * axis[2][j];
        }
    }
}
