/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Parts of a robot that overlap for ever.
 *
 * Two links that are not parent and child may overlap around the joints between them, and a first link may stand in its base: nothing opens these contacts, whatever the joints
 * do.  Soft contact lives with that; a hard one has no solution.  So each pair that overlaps at the reference configuration is looked at: where the gap does not change with any
 * velocity of the joints (its lever is below a thousandth of the smaller body), the two are excluded, and noted.
 *
 * In URDF the shapes of neighbouring links are seldom made to miss each other (the format's users list such pairs elsewhere, or let no link touch another), so there every pair
 * of links that overlaps at the reference configuration is excluded; one note tells how many.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "io/robot_data.h"
#include "sim/world_data.h"

static const double SHORT_LEVER = 1e-3; /* of the size of the smaller body */

/* Adds sign * n' J of a body to row, which is as long as the v of its mechanism. */
static mo_error add_row(const mo_world *world, mo_body_id body, const mo_sim_contact *contact,
                        double sign, double *J, double *row, mo_message *why)
{
    int link = 0;
    const mo_mechanism_id id = mo_body_mechanism(world, body, &link);
    const int n = mo_mechanism_get(world, id).v_count;
    const mo_error error = mo_mechanism_jacobian(world, id, link, contact->point, J, why);
    for (int k = 0; k < n && !error; ++k) {
        for (int c = 0; c < 3; ++c) {
            row[k] += sign * contact->frame[c] * J[c * n + k];
        }
    }
    return error;
}

static double largest(const double *row, int n)
{
    double most = 0;
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(row[k]));
    }
    return most;
}

/* How fast the gap opens with the velocity of one joint, at most; infinite where a body moves freely. */
static mo_error lever_of(const mo_world *world, const mo_sim_contact *contact, mo_pool *pool,
                         double *lever, mo_message *why)
{
    double *row[2] = {NULL, NULL};
    int n[2] = {0, 0};
    mo_mechanism_id id[2] = {{0}, {0}};
    *lever = 0;
    for (int side = 0; side < 2; ++side) {
        const mo_sim_body *body = world->body + contact->body[side];
        const mo_body_id of = mo_body_id_of(world, contact->body[side]);
        id[side] = mo_body_mechanism(world, of, NULL);
        if (!id[side].index) {
            *lever = body->kind == MO_BODY_FIXED ? *lever : INFINITY;
            continue;
        }
        n[side] = mo_mechanism_get(world, id[side]).v_count;
        const int shared = side == 1 && id[0].index == id[1].index;
        row[side] = shared ? row[0] : mo_pool_take(pool, (size_t)n[side] + 1, sizeof(double));
        double *J = mo_pool_take(pool, 6 * (size_t)n[side] + 1, sizeof *J);
        if (!row[side] || !J) {
            return mo_fail_memory(why);
        }
        const mo_error error = add_row(world, of, contact, side ? 1 : -1, J, row[side], why);
        if (error) {
            return error;
        }
    }
    for (int side = 0; side < 2; ++side) {
        *lever = fmax(*lever, row[side] ? largest(row[side], n[side]) : 0);
    }
    return MO_OK;
}

/* The size below which a lever is short: that of the smaller one of the two that moves. */
static double size_of(const mo_sim_body *a, const mo_sim_body *b)
{
    return a->kind != MO_BODY_LINK   ? b->size
           : b->kind != MO_BODY_LINK ? a->size
                                     : fmin(a->size, b->size);
}

static const char *name_of(const mo_sim_body *body)
{
    return body->name ? body->name : "";
}

/* One note for all pairs, of which `first` is one. */
static mo_error note_pairs(mo_robot *robot, const mo_world *world, const int first[2], int count,
                           mo_message *why)
{
    const char *a = name_of(world->body + first[0]), *b = name_of(world->body + first[1]);
    if (count == 1) {
        return mo_robot_keep_note(robot, why,
                                  "'%.80s' and '%.80s' overlap where all joints are at zero: they "
                                  "do not touch each other",
                                  a, b);
    }
    return mo_robot_keep_note(robot, why,
                              "%d pairs of links overlap where all joints are at zero ('%.80s' and "
                              "'%.80s' first): they do not touch each other",
                              count, a, b);
}

mo_error mo_robot_part_overlaps(mo_robot *robot, mo_world *world, int all, mo_message *why)
{
    mo_pool pool = {.allocator = robot->allocator};
    mo_error error = mo_contacts_touching(world) ? mo_fail_memory(why) : MO_OK;
    int count = 0, first[2] = {0, 0};
    for (int k = 0; k < world->before.count && !error; ++k) {
        const mo_sim_contact *contact = world->before.at + k;
        const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
        double lever = 0;
        const int is_pair = mo_own_pair(world, contact->shape[0], contact->shape[1]) != NULL;
        if (contact->gap >= 0 || (a->kind != MO_BODY_LINK && b->kind != MO_BODY_LINK) ||
            (mo_is_excluded(world, contact->body[0], contact->body[1]) && !is_pair)) {
            continue;
        }
        error = all ? MO_OK : lever_of(world, contact, &pool, &lever, why);
        if (error || lever > SHORT_LEVER * size_of(a, b)) {
            continue;
        }
        mo_forget_own_pair(world, contact->shape[0], contact->shape[1]);
        error = mo_world_exclude(world, mo_body_id_of(world, contact->body[0]),
                                 mo_body_id_of(world, contact->body[1]), why);
        if (!error && all && count++ == 0) {
            memcpy(first, contact->body, sizeof first);
        } else if (!error && !all) {
            error = mo_robot_keep_note(robot, why,
                                       "'%.80s' and '%.80s' overlap, and no joint moves them "
                                       "apart: they do not touch each other",
                                       name_of(a), name_of(b));
        }
    }
    mo_pool_clear(&pool);
    return error || count == 0 ? error : note_pairs(robot, world, first, count, why);
}
