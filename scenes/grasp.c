/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The system of objects and manipulators: numbering, contact kinematics, and the problem it makes. */
#include "grasp.h"

#include <stdlib.h>

#include "rigid.h"
#include "vec3.h"

/* ---- room ------------------------------------------------------------------------------------ */

int grasp_init(grasp *g, int mechanisms, int contacts)
{
    *g = (grasp){.mechanism_count = mechanisms, .contact_count = contacts};
    g->mechanisms = calloc((size_t)mechanisms + 1, sizeof *g->mechanisms);
    g->start = calloc((size_t)mechanisms + 1, sizeof *g->start);
    g->part_start = calloc((size_t)mechanisms + 1, sizeof *g->part_start);
    g->contacts = calloc((size_t)contacts + 1, sizeof *g->contacts);
    return g->mechanisms && g->start && g->part_start && g->contacts;
}

void grasp_clear(grasp *g)
{
    free(g->mechanisms);
    free(g->start);
    free(g->part_start);
    free(g->contacts);
    free(g->qd);
    free(g->parts);
    *g = (grasp){0};
}

int grasp_number(grasp *g)
{
    for (int b = 0; b < g->mechanism_count; ++b) {
        g->start[b + 1] = g->start[b] + mechanism_coordinates(&g->mechanisms[b]);
        g->part_start[b + 1] = g->part_start[b] + mechanism_parts(&g->mechanisms[b]);
    }
    g->coordinate_count = g->start[g->mechanism_count];
    g->qd = calloc((size_t)g->coordinate_count + 1, sizeof *g->qd);
    g->parts = calloc((size_t)g->part_start[g->mechanism_count] + 1, sizeof *g->parts);
    return g->qd && g->parts;
}

void grasp_move_to(const grasp *g, const double *q, const double *qd, part_motion *parts)
{
    for (int b = 0; b < g->mechanism_count; ++b) {
        const int start = g->start[b];
        mechanism_move(&g->mechanisms[b], q ? q + start : NULL, qd ? qd + start : NULL,
                       parts + g->part_start[b]);
    }
}

void grasp_move(grasp *g)
{
    grasp_move_to(g, NULL, g->qd, g->parts);
}

/* ---- contact kinematics ---------------------------------------------------------------------- */

/* The centre of a cap: its place, velocity and, while qdd = 0, acceleration; and how its part turns. */
typedef struct cap_motion {
    double c[3], v[3], a[3], omega[3], alpha[3];
} cap_motion;

static const part_motion *part_of(const grasp *g, const part_motion *parts, const grasp_side *side)
{
    return parts + g->part_start[side->mechanism] + side->part;
}

static void move_cap(const grasp *g, const part_motion *parts, const grasp_side *side,
                     cap_motion *cap)
{
    *cap = (cap_motion){0};
    if (side->mechanism == GRASP_WORLD) {
        memcpy(cap->c, side->cap_centre, sizeof cap->c);
        return;
    }
    const part_motion *part = part_of(g, parts, side);
    double arm[3], turning[3];
    mat3_apply(part->Q, side->cap_centre, cap->c);
    vec3_along(cap->c, 1, part->s, cap->c);
    vec3_along(cap->c, -1, part->centre, arm);
    memcpy(cap->v, part->v, sizeof cap->v);
    memcpy(cap->a, part->a, sizeof cap->a);
    memcpy(cap->omega, part->omega, sizeof cap->omega);
    memcpy(cap->alpha, part->alpha, sizeof cap->alpha);
    vec3_cross(part->omega, arm, turning);
    vec3_along(cap->v, 1, turning, cap->v);
    vec3_add_cross(1, part->alpha, arm, cap->a);
    vec3_add_cross(1, part->omega, turning, cap->a);
}

/* Both caps, the normal between them, the distance of their centres and n'. */
typedef struct touch_motion {
    cap_motion cap[2];
    double n[3], distance, n_rate[3], crossing[3]; /* crossing: P (c_1' - c_0') */
} touch_motion;

static void move_touch(const grasp *g, const part_motion *parts, const grasp_contact *contact,
                       touch_motion *touch)
{
    double apart[3];
    move_cap(g, parts, &contact->side[0], &touch->cap[0]);
    move_cap(g, parts, &contact->side[1], &touch->cap[1]);
    vec3_along(touch->cap[1].c, -1, touch->cap[0].c, touch->n);
    touch->distance = sqrt(vec3_dot(touch->n, touch->n));
    vec3_normalise(touch->n);
    vec3_along(touch->cap[1].v, -1, touch->cap[0].v, apart);
    vec3_along(apart, -vec3_dot(touch->n, apart), touch->n, touch->crossing);
    for (int k = 0; k < 3; ++k) {
        touch->n_rate[k] = touch->crossing[k] / touch->distance;
    }
}

/* The point of contact lies at +rho_0 n from the first centre, at -rho_1 n from the second. */
void grasp_touch(const grasp *g, const part_motion *parts, const grasp_contact *contact,
                 double *gap, double slip[3])
{
    const double rho[2] = {contact->side[0].radius, contact->side[1].radius};
    touch_motion touch;
    move_touch(g, parts, contact, &touch);
    *gap = touch.distance - rho[0] - rho[1];
    vec3_along(touch.cap[1].v, -1, touch.cap[0].v, slip);
    vec3_add_cross(-rho[1], touch.cap[1].omega, touch.n, slip);
    vec3_add_cross(-rho[0], touch.cap[0].omega, touch.n, slip);
}

void grasp_products(const grasp *g, const grasp_contact *contact, double w[3])
{
    touch_motion touch;
    double rate[3]; /* slip' while qdd = 0 */
    move_touch(g, g->parts, contact, &touch);
    vec3_along(touch.cap[1].a, -1, touch.cap[0].a, rate);
    w[0] = vec3_dot(touch.n, rate) + vec3_dot(touch.crossing, touch.crossing) / touch.distance;
    for (int side = 0; side < 2; ++side) {
        const double rho = contact->side[side].radius;
        vec3_add_cross(-rho, touch.cap[side].alpha, touch.n, rate);
        vec3_add_cross(-rho, touch.cap[side].omega, touch.n_rate, rate);
    }
    w[1] = vec3_dot(contact->frame + 3, rate);
    w[2] = vec3_dot(contact->frame + 6, rate);
}

int grasp_jacobian(const grasp *g, const grasp_contact *contact, int side, double *J)
{
    const grasp_side *of = &contact->side[side];
    if (of->mechanism == GRASP_WORLD) {
        return 0;
    }
    const part_motion *part = part_of(g, g->parts, of);
    const int n = mechanism_coordinates(&g->mechanisms[of->mechanism]);
    const double sign = side ? 1 : -1; /* the cap's centre lies on this side of the contact */
    double arm[3], of_part[3 * RIGID];
    vec3_along(of->cap_centre, -sign * of->radius, contact->frame, arm);
    vec3_along(arm, -1, part->centre, arm);
    rigid_jacobian(3, contact->frame, arm, sign, of_part);
    for (int i = 0; i < 3; ++i) {
        const double *row = of_part + RIGID * i;
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                sum += row[k] * part->Jv[n * k + j] + row[3 + k] * part->Jw[n * k + j];
            }
            J[n * i + j] = sum;
        }
    }
    return n;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void add_contact(mo_builder *builder, const grasp *g, const grasp_contact *contact,
                        double mu, int cone)
{
    const mo_law law = contact->slides ? mo_law_sliding(mu, contact->direction)
                       : cone          ? mo_law_coulomb(mu)
                                       : mo_law_pyramid(mu);
    double w[3], J[3 * COORDINATES_MOST];
    grasp_products(g, contact, w);
    const int constraint = mo_builder_add_constraint(builder, 3, &law, w);
    for (int side = 0; side < 2; ++side) {
        const int n = grasp_jacobian(g, contact, side, J);
        if (n) {
            mo_builder_add_jacobian(builder, constraint, contact->side[side].mechanism, 3, n, J);
        }
    }
}

mo_error grasp_problem(const grasp *g, double mu, int cone, mo_problem **problem, mo_message *why)
{
    mo_builder *builder;
    double M[COORDINATES_MOST * COORDINATES_MOST], f[COORDINATES_MOST];
    *problem = NULL;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) {
        return scene_fail(why, error, "%s", mo_error_text(error));
    }
    for (int b = 0; b < g->mechanism_count; ++b) {
        const mechanism *m = &g->mechanisms[b];
        mechanism_dynamics(m, g->parts + g->part_start[b], M, f);
        mo_builder_add_body(builder, mechanism_coordinates(m), M, f);
    }
    for (int i = 0; i < g->contact_count; ++i) {
        add_contact(builder, g, &g->contacts[i], mu, cone);
    }
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
