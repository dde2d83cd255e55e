/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef struct judgement {
    const sim_scene *scene;
    const sim_motion *before, *after;
    mo_builder *builder;
    int *block; /* of each body in the problem, -1 for what does not move */
    double *v;  /* after the step, as the problem numbers it */
    double *r;
    int dofs, rows;
    int body_dofs, contact_rows; /* 6 and 3, in the plane 3 and 2 */
} judgement;

/* M, and f = M v + h F with the gyroscopic moment at the start of the step. */
static void add_body(judgement *j, int k)
{
    const sim_body *body = j->scene->body + k;
    const sim_motion *before = j->before + k, *after = j->after + k;
    const double h = j->scene->step, *g = j->scene->gravity;
    double inertia[9], L[3], turning[3], M[36] = {0}, f[6];
    j->block[k] = -1;
    if (!body->is_free) return;
    sim_body_inertia(body, &before->pose, inertia);
    for (int i = 0; i < 3; ++i)
        L[i] = dot(inertia + 3 * i, before->spin);
    cross(before->spin, L, turning);
    const int n = j->body_dofs, linear = j->scene->dimension, first = linear == 3 ? 0 : 2;
    for (int i = 0; i < n; ++i) {
        const int turn = first + i - linear;
        f[i] = i < linear ? body->mass * (before->velocity[i] + h * g[i])
                          : L[turn] - h * turning[turn];
        j->v[j->dofs + i] = i < linear ? after->velocity[i] : after->spin[turn];
        for (int m = 0; m < n; ++m) {
            M[n * i + m] = i < linear || m < linear ? (i == m) * body->mass
                                                    : inertia[3 * turn + first + m - linear];
        }
    }
    j->dofs += n;
    j->block[k] = mo_builder_add_body(j->builder, n, M, f);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Rows: the normal, then tangents; in the plane one of them. */
static void frame_of(const double normal[3], int dimension, double frame[9])
{
    memcpy(frame, normal, 3 * sizeof *frame);
    const int least = fabs(normal[0]) < fabs(normal[1]) ? 0 : 1;
    const double flat[3] = {0, 0, 1}, other[3] = {least == 0, least == 1, 0};
    cross(dimension == 2 ? flat : other, normal, frame + 3);
    const double length = sqrt(dot(frame + 3, frame + 3));
    for (int k = 0; k < 3 && length > 0; ++k)
        frame[3 + k] /= length;
    cross(frame, frame + 3, frame + 6);
}

/* J of the body at the contact, rows of the frame; `sign` is 1 for b. */
static void add_side(judgement *j, int constraint, int body, double sign, const double point[3],
                     const double frame[9])
{
    double J[18], arm[3];
    const int n = j->body_dofs, linear = j->scene->dimension;
    if (j->block[body] < 0) return;
    for (int k = 0; k < 3; ++k)
        arm[k] = point[k] - j->before[body].pose.position[k];
    for (int row = 0; row < j->contact_rows; ++row) {
        double moment[3];
        cross(arm, frame + 3 * row, moment);
        for (int k = 0; k < n; ++k) {
            J[n * row + k] =
                sign * (k < linear ? frame[3 * row + k] : moment[n == 6 ? k - linear : 2]);
        }
    }
    mo_builder_add_jacobian(j->builder, constraint, j->block[body], j->contact_rows, n, J);
}

/* Normal speed of b against a before the step. */
static double approach(const judgement *j, const sim_contact *contact)
{
    double speed = 0;
    for (int side = 0; side < 2; ++side) {
        const sim_motion *motion = j->before + (side ? contact->b : contact->a);
        const double *point = side ? contact->on_b : contact->on_a;
        double arm[3], turning[3];
        for (int k = 0; k < 3; ++k)
            arm[k] = point[k] - motion->pose.position[k];
        cross(motion->spin, arm, turning);
        speed += (side ? 1 : -1) *
                 (dot(motion->velocity, contact->normal) + dot(turning, contact->normal));
    }
    return speed;
}

static int bounces(const judgement *j, const sim_contact *contact)
{
    const double speed = -approach(j, contact);
    return contact->restitution > 0 && speed > j->scene->bounce_speed &&
           contact->gap <= j->scene->step * speed;
}

static void add_contact(judgement *j, const sim_contact *contact)
{
    double frame[9], w[3] = {fmax(contact->gap, 0) / j->scene->step, 0, 0};
    if (j->block[contact->a] < 0 && j->block[contact->b] < 0) return;
    frame_of(contact->normal, j->scene->dimension, frame);
    const mo_law law = mo_law_coulomb(contact->friction);
    const int constraint = mo_builder_add_constraint(j->builder, j->contact_rows, &law, w);
    add_side(j, constraint, contact->a, -1, contact->on_a, frame);
    add_side(j, constraint, contact->b, 1, contact->on_b, frame);
    for (int k = 0; k < j->contact_rows; ++k)
        j->r[j->rows++] = dot(frame + 3 * k, contact->impulse);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void look(const sim_contact *contacts, int count, sim_verdict *verdict)
{
    double sum = 0;
    int overlapping = 0;
    for (int k = 0; k < count; ++k) {
        sum += fmax(0, -contacts[k].gap);
        overlapping += contacts[k].gap < 0;
        verdict->touching += dot(contacts[k].impulse, contacts[k].impulse) > 0;
    }
    verdict->penetration = overlapping > 0 ? sum / overlapping : 0;
}

static mo_error measure(const judgement *j, sim_verdict *verdict, mo_message *why)
{
    mo_problem *problem = NULL;
    mo_residual residual = {0};
    mo_global_residual global = {0};
    mo_error error = mo_builder_finish(j->builder, &problem, why);
    error = error ? error : mo_measure(problem, j->r, &residual);
    error = error ? error : mo_measure_scaled(problem, j->r, &verdict->scaled);
    error = error ? error : mo_measure_global(problem, j->v, j->r, &global);
    verdict->residual = residual.natural_relative;
    verdict->momentum = global.equilibrium_relative;
    mo_problem_destroy(problem);
    return error;
}

mo_error sim_judge(const sim_scene *scene, const sim_motion *before, const sim_motion *after,
                   const sim_contact *contacts, int count, sim_verdict *verdict, mo_message *why)
{
    const int is_planar = scene->dimension == 2;
    judgement j = {.scene = scene,
                   .before = before,
                   .after = after,
                   .body_dofs = is_planar ? 3 : 6,
                   .contact_rows = is_planar ? 2 : 3};
    *verdict = (sim_verdict){0};
    for (int k = 0; k < count; ++k)
        verdict->bounces += bounces(&j, contacts + k);
    if (verdict->bounces > 0) return MO_OK;
    look(contacts, count, verdict);
    const size_t bodies = (size_t)scene->body_count;
    j.block = malloc((bodies + 1) * sizeof *j.block);
    j.v = malloc((6 * bodies + 1) * sizeof *j.v);
    j.r = malloc((3 * (size_t)count + 1) * sizeof *j.r);
    mo_error error = j.block && j.v && j.r ? mo_builder_create(NULL, &j.builder) : MO_ERR_MEMORY;
    for (int k = 0; !error && k < scene->body_count; ++k)
        add_body(&j, k);
    for (int k = 0; !error && k < count; ++k)
        add_contact(&j, contacts + k);
    error = error ? error : measure(&j, verdict, why);
    mo_builder_destroy(j.builder);
    free(j.block);
    free(j.v);
    free(j.r);
    return error;
}
