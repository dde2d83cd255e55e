/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Overlapping parts of a robot.
 *
 * Links that are not parent and child may overlap around the joints between them, and a first link
 * may overlap its base.  Soft contact tolerates this; hard contacts that cannot open have no
 * solution.  Each pair of shapes that overlaps at the reference configuration is excluded from
 * collision, with a note, if
 *
 *   1. its gap does not depend on any joint velocity (lever arm below 1e-3 of the smaller body); or
 *   2. both are links of one tree, or a link of a tree with a fixed base and a static shape other
 *      than a plane, and they overlap by more than 1e-2 of the smaller body.  In URDF any overlap
 *      of two links is sufficient, since shapes of neighbours often overlap by design.
 *
 * A free tree that starts inside another body (feet in the floor) is separated by contact.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "io/robot_data.h"
#include "linalg/dense.h"
#include "sim/mechanism.h"
#include "sim/pairs.h"

static const double SHORT_LEVER = 1e-3; /* of the size of the smaller body */
static const double DEEP = 0.01;        /* of the same */

/* Adds sign * n' J of a body to row, which is as long as the v of its mechanism. */
static mo_error add_row(const mo_world *world, mo_body_id body, const mo_sim_contact *contact,
                        double sign, double *J, double *row, mo_message *why)
{
    int link = 0;
    const mo_mechanism_id id = mo_body_mechanism(world, body, &link);
    const int n = mo_mechanism_get(world, id).v_count;
    const mo_error error = mo_mechanism_jacobian(world, id, link, contact->point, J, why);
    for (int k = 0; k < n && !error; ++k)
        for (int c = 0; c < 3; ++c)
            row[k] += sign * contact->frame[c] * J[c * n + k];
    return error;
}

/* Largest opening speed of the gap per velocity of one joint; infinite if a body moves
 * freely. */
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
        MO_NEED_MEMORY(row[side] && J, why);
        MO_TRY(add_row(world, of, contact, side ? 1 : -1, J, row[side], why));
    }
    for (int side = 0; side < 2; ++side)
        *lever = fmax(*lever, row[side] ? mo_largest(n[side], row[side]) : 0);
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

/* The root of the tree of a link. */
static int root_of(const mo_world *world, const mo_sim_body *body)
{
    const mo_linkage *tree = &world->mechanism[body->mechanism]->tree;
    int link = body->link;
    while (tree->link[link].parent >= 0)
        link = tree->link[link].parent;
    return link;
}

static int is_free(const mo_world *world, const mo_sim_body *body)
{
    const mo_linkage *tree = &world->mechanism[body->mechanism]->tree;
    const mo_linkage_link *root = tree->link + root_of(world, body);
    return root->dof_count == 6 &&
           tree->joint[tree->dof[root->first_dof].joint].kind == MO_AXIS_FREE;
}

/* Do the two belong to one robot, so that an overlap may be intended? */
static int is_one_robot(const mo_world *world, const mo_sim_contact *contact, int all)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    if (a->kind == MO_BODY_LINK && b->kind == MO_BODY_LINK)
        return all || (a->mechanism == b->mechanism && root_of(world, a) == root_of(world, b));
    const int fixed = a->kind == MO_BODY_FIXED ? 0 : b->kind == MO_BODY_FIXED ? 1 : -1;
    if (fixed < 0) return 0;
    const mo_shape_kind kind = world->shape[contact->shape[fixed]].collider.def.kind;
    return kind != MO_SHAPE_PLANE && !is_free(world, fixed ? a : b);
}

/* The final note. */
typedef struct overlaps {
    int count, first[2];
} overlaps;

static mo_error note_pairs(mo_robot *robot, const mo_world *world, const overlaps *found,
                           mo_message *why)
{
    const char *a = name_of(world->body + found->first[0]),
               *b = name_of(world->body + found->first[1]);
    if (found->count == 0) return MO_OK;
    if (found->count == 1) {
        return mo_robot_keep_note(robot, why,
                                  "'%.80s' and '%.80s' overlap at the reference configuration: "
                                  "collision between them is disabled",
                                  a, b);
    }
    return mo_robot_keep_note(robot, why,
                              "%d pairs of parts overlap at the reference configuration ('%.80s' "
                              "and '%.80s' first): collision between them is disabled",
                              found->count, a, b);
}

/* Two links part as bodies; something fixed may also be the ground, and parts by the shape. */
static mo_error part(mo_world *world, const mo_sim_contact *contact, mo_message *why)
{
    const int are_links = world->body[contact->body[0]].kind == MO_BODY_LINK &&
                          world->body[contact->body[1]].kind == MO_BODY_LINK;
    MO_FAIL_IF(mo_pair_part(world, contact->shape[0], contact->shape[1]), mo_fail_memory(why));
    return are_links ? mo_world_exclude(world, mo_body_id_of(world, contact->body[0]),
                                        mo_body_id_of(world, contact->body[1]), why)
                     : MO_OK;
}

static mo_error look_at(mo_robot *robot, mo_world *world, const mo_sim_contact *contact, int all,
                        mo_pool *pool, overlaps *found, mo_message *why)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    const double size = size_of(a, b);
    double lever = 0;
    mo_error error = lever_of(world, contact, pool, &lever, why);
    const int for_ever = lever <= SHORT_LEVER * size;
    const int deep = is_one_robot(world, contact, all) && -contact->gap > (all ? 0 : DEEP * size);
    if (error || (!for_ever && !deep)) return error;
    error = part(world, contact, why);
    if (!error && for_ever && !all) {
        return mo_robot_keep_note(robot, why,
                                  "'%.80s' and '%.80s' overlap, and no joint moves them apart: "
                                  "collision between them is disabled",
                                  name_of(a), name_of(b));
    }
    if (!error && found->count++ == 0) memcpy(found->first, contact->body, sizeof found->first);
    return error;
}

mo_error mo_robot_part_overlaps(mo_robot *robot, mo_world *world, int all, mo_message *why)
{
    mo_pool pool = {.allocator = robot->allocator};
    mo_error error = mo_contacts_touching(world) ? mo_fail_pairs(world, why) : MO_OK;
    overlaps found = {0};
    for (int k = 0; k < world->before.count && !error; ++k) {
        const mo_sim_contact *contact = world->before.at + k;
        const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
        if (contact->gap < 0 && (a->kind == MO_BODY_LINK || b->kind == MO_BODY_LINK) &&
            !mo_is_excluded(world, contact->body[0], contact->body[1]) &&
            !mo_pair_never_touches(world, contact->shape[0], contact->shape[1]))
            error = look_at(robot, world, contact, all, &pool, &found, why);
    }
    mo_pool_clear(&pool);
    return error ? error : note_pairs(robot, world, &found, why);
}
