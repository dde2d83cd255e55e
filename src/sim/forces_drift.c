/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The velocity products (d/dt J') v of [trinkle1997, eq. 4 and 23].
 *
 * J depends on the contact point and frame, which depend on the curvature of both surfaces.  All
 * bodies and joints are moved along their velocities by a time d forwards and backwards, contacts
 * are found again and matched by their features, and
 *
 *     (d/dt J') v = (J'(+d) v - J'(-d) v) / 2 d        to second order in d.
 *
 * If the accelerations act for a time d, v+ is the velocity in the middle, and half of the product
 * is used: J(x) v+ = -(d/2) (d/dt J') v keeps a joint closed to d^3 and conserves energy as the
 * leapfrog method does.  The velocity of the row supplies the other half from the second step on.
 *
 * Tangents follow the normal without rotation about it.  A contact found on one side only gives a
 * one-sided difference, on neither zero.  d moves no body by more than MOMENT of its size.
 */
#include <math.h>
#include <string.h>

#include "sim/forces_data.h"

static const double MOMENT = 1e-5;

/* ---- moving everything, and back ------------------------------------------------------------- */

static double moment_of(const mo_world *world)
{
    double fastest = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        const double size = body->size > 0 && isfinite(body->size) ? body->size : 1;
        fastest = fmax(fastest, mo_vec3_norm(body->v) / size + mo_vec3_norm(body->v + 3));
    }
    return fastest > 0 ? MOMENT / fastest : 0;
}

static void keep(const mo_world *world, mo_instant *instant)
{
    double *q = instant->kept_q;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_vec3_copy(body->x, instant->kept[k].x);
        memcpy(instant->kept[k].orientation, body->orientation, sizeof body->orientation);
        memcpy(instant->kept[k].v, body->v, sizeof body->v);
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        if (world->mechanism[k]) {
            const size_t count = (size_t)world->mechanism[k]->tree.coordinates;
            memcpy(q, world->mechanism[k]->q, count * sizeof *q);
            q += count;
        }
    }
}

/* Moves everything from the saved positions by a time d; d = 0 restores them. */
static void move(mo_world *world, const mo_instant *instant, double d)
{
    const double *q = instant->kept_q;
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const struct mo_place *kept = instant->kept + k;
        mo_vec3_along(kept->x, d, kept->v, body->x);
        if (d != 0) {
            mo_advance_turn(kept->orientation, kept->v + 3, d, body->orientation);
        } else {
            memcpy(body->orientation, kept->orientation, sizeof kept->orientation);
            memcpy(body->v, kept->v, sizeof kept->v);
        }
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism) {
            memcpy(mechanism->q, q, (size_t)mechanism->tree.coordinates * sizeof *q);
            if (d != 0) mo_linkage_move(&mechanism->tree, q, mechanism->v, d, mechanism->q);
            mo_mechanism_place_links(world, mechanism);
            q += mechanism->tree.coordinates;
        }
    }
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* The frame of `now` put to another normal. */
static void carry_frame(const double now[9], const double normal[3], double frame[9])
{
    mo_vec3_copy(normal, frame);
    mo_vec3_along(now + 3, -mo_vec3_dot(now + 3, normal), normal, frame + 3);
    mo_vec3_scale(1 / mo_vec3_norm(frame + 3), frame + 3, frame + 3);
    mo_vec3_cross(frame, frame + 3, frame + 6);
}

/* Relative velocity along the frame, then relative spin about the axes of the moments. */
static void contact_rate(const mo_world *world, const mo_sim_contact *now, const mo_sim_contact *at,
                         double rate[MO_CONTACT_ROWS])
{
    const mo_sim_body *a = world->body + at->body[0], *b = world->body + at->body[1];
    double frame[9], u_a[3], u_b[3], spin[3];
    carry_frame(now->frame, at->frame, frame);
    mo_point_velocity(a->x, a->v, at->point, u_a);
    mo_point_velocity(b->x, b->v, at->point, u_b);
    mo_vec3_minus(u_b, u_a, u_b);
    mo_vec3_minus(b->v + 3, a->v + 3, spin);
    for (int k = 0; k < 3; ++k)
        rate[k] = mo_vec3_dot(frame + 3 * k, u_b);
    const int rolls = now->rolling > 0;
    rate[3] = mo_vec3_dot(frame + (rolls ? 3 : 0), spin);
    rate[4] = mo_vec3_dot(frame + 6, spin);
}

static void joint_rates(const mo_world *world, mo_instant *instant, int when)
{
    for (int k = 0; k < world->jointed_count; ++k) {
        const int place = world->jointed[k];
        mo_joint_instant *rate = &instant->joint_rate[place][when];
        mo_joint_rows rows;
        mo_joint_hold(world, world->joint + place, &rows);
        mo_joint_rates(world, world->joint + place, &rows, rate->hold);
        mo_joint_coordinate(world, world->joint + place, &rows);
        rate->coordinate = 0;
        mo_joint_rates(world, world->joint + place, &rows, &rate->coordinate);
    }
}

/* Both lists are sorted by shapes and feature. */
static void contact_rates(const mo_world *world, mo_instant *instant, const mo_sim_contacts *list,
                          int when)
{
    int i = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *now = world->contacts.at + k;
        while (i < list->count && mo_contact_order(list->at + i, now) < 0)
            ++i;
        instant->has_rate[k][when] = i < list->count && mo_contact_order(now, list->at + i) >= 0;
        if (instant->has_rate[k][when])
            contact_rate(world, now, list->at + i, instant->rate[k][when]);
    }
}

/* Rows of a contact from `first` on remove their velocity. */
void mo_instant_stop(mo_instant *instant, int k, int first, int end)
{
    for (int i = first; i < end; ++i)
        instant->contact[k].drift[i] += instant->per_step * instant->rate[k][1][i];
}

/* Differences of the values before, now and after. */
static void set_drifts(const mo_world *world, mo_instant *instant, double d)
{
    const double part = instant->per_step > 0 ? 0.5 : 1;
    for (int k = 0; k < world->contacts.count; ++k) {
        const int *has = instant->has_rate[k];
        const int first = has[0] ? 0 : 1, last = has[2] ? 2 : 1;
        for (int i = 0; i < MO_CONTACT_ROWS && first < last; ++i) {
            instant->contact[k].drift[i] =
                part * (instant->rate[k][last][i] - instant->rate[k][first][i]) /
                ((last - first) * d);
        }
        mo_instant_stop(instant, k, 0, 1);
        if (!instant->contact[k].is_sliding) mo_instant_stop(instant, k, 1, MO_CONTACT_ROWS);
    }
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_joint_instant *rate = instant->joint_rate[world->jointed[k]];
        mo_joint_instant *out = instant->joint + world->jointed[k];
        for (int i = 0; i < MO_JOINT_ROWS; ++i) {
            out->hold[i] = part * (rate[2].hold[i] - rate[0].hold[i]) / (2 * d) +
                           instant->per_step * rate[1].hold[i];
        }
        out->coordinate = part * (rate[2].coordinate - rate[0].coordinate) / (2 * d);
    }
}

mo_error mo_instant_drift(mo_world *world, mo_instant *instant)
{
    const double d = moment_of(world);
    mo_error error = MO_OK;
    if (!(d > 0)) return MO_OK;
    keep(world, instant);
    contact_rates(world, instant, &world->contacts, 1);
    joint_rates(world, instant, 1);
    for (int when = 0; when <= 2 && !error; when += 2) {
        move(world, instant, when ? d : -d);
        error = mo_contacts_again(world, &world->contacts, &instant->moved);
        if (!error) {
            contact_rates(world, instant, &instant->moved, when);
            joint_rates(world, instant, when);
        }
    }
    move(world, instant, 0);
    if (!error) set_drifts(world, instant, d);
    return error;
}
