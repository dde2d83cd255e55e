/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Rows of loops of mechanisms that follow from the rows before them.
 *
 * A planar loop in space has three rows more than it needs, or four, and with the digits of a file
 * they contradict each other: what no motion can do would take forces of many times the weight.
 * By Gram and Schmidt on L^-1 h, with h a row over the velocities of the mechanisms that loops join
 * and A = L L', a row of which the rows before leave less than DEPENDENT is given a compliance of
 * its own response.  Its error is left to the projection of positions.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/joint_rows.h"
#include "sim/mechanism.h"

/* Errors of 1e-6 in axes and lengths of a file leave up to 1e-4 of a row. */
static const double DEPENDENT = 1e-4;

/* The mechanism of a side that moves; NULL otherwise. */
static mo_sim_mechanism *side_of(const mo_world *world, const mo_sim_joint *joint, int side)
{
    const mo_sim_body *body = joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
    return body && body->mechanism != MO_NONE && mo_moves_freely(body)
               ? world->mechanism[body->mechanism]
               : NULL;
}

static void unite(mo_world *world, int group, int other)
{
    const int dofs = world->mechanism[group]->group_dofs;
    for (int k = 0; k < world->mechanism_places && group != other; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->group == other) {
            mechanism->group = group;
            mechanism->group_at += dofs;
            world->mechanism[group]->group_dofs += mechanism->tree.dofs;
        }
    }
}

mo_error mo_loops_begin(mo_world *world)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism) {
            mechanism->group = k;
            mechanism->group_dofs = mechanism->tree.dofs;
            mechanism->group_at = mechanism->spanned = 0;
        }
    }
    for (int pass = 0; pass < 2 && world->mechanism_count > 0; ++pass) {
        for (int k = 0; k < world->jointed_count; ++k) {
            const mo_sim_joint *joint = world->joint + world->jointed[k];
            const mo_sim_mechanism *a = side_of(world, joint, 0), *b = side_of(world, joint, 1);
            if (pass == 0 && a && b) {
                unite(world, a->group, b->group);
            } else if (pass == 1 && (a || b)) {
                mo_sim_mechanism *first = world->mechanism[(a ? a : b)->group];
                const size_t n = (size_t)first->group_dofs;
                MO_FAIL_IF(!MO_GROW(&world->allocator, first->span, first->span_room, (n + 1) * n),
                           MO_ERR_MEMORY);
            }
        }
    }
    return MO_OK;
}

int mo_joint_is_loop(const mo_world *world, const mo_sim_joint *joint)
{
    int links = 0, others = 0;
    for (int side = 0; side < 2; ++side) {
        const int place = joint->body[side], is_link = side_of(world, joint, side) != NULL;
        links += is_link;
        others += place >= 0 && mo_moves_freely(world->body + place) && !is_link;
    }
    return links > 0 && others == 0;
}

void mo_loop_release(mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows,
                     double *compliance)
{
    mo_sim_mechanism *side[2] = {side_of(world, joint, 0), side_of(world, joint, 1)};
    mo_sim_mechanism *first = world->mechanism[(side[0] ? side[0] : side[1])->group];
    const int n = first->group_dofs;
    for (int k = 0; k < rows->count; ++k) {
        double *row = first->span + (size_t)first->spanned * (size_t)n, own = 0;
        memset(row, 0, (size_t)n * sizeof *row);
        for (int i = 0; i < 2; ++i) {
            if (side[i]) {
                mo_block_row(world, world->body + joint->body[i], rows->line[i][k],
                             world->jacobian);
                mo_axpy(side[i]->tree.dofs, 1, world->jacobian, row + side[i]->group_at);
            }
        }
        for (int i = 0; i < 2; ++i)
            if (side[i] && (i == 0 || side[0] != side[1]))
                own += mo_mechanism_response(side[i], row + side[i]->group_at);
        for (int j = 0; j < first->spanned; ++j) {
            const double *s = first->span + (size_t)j * (size_t)n;
            mo_axpy(n, -mo_dot(n, s, row), s, row);
        }
        const double rest = mo_dot(n, row, row);
        const int is_new = rest > DEPENDENT * DEPENDENT * own && first->spanned < n;
        compliance[k] = is_new ? 0 : own > 0 ? own : 1;
        first->spanned += is_new;
        mo_scale(n, is_new ? 1 / sqrt(rest) : 0, row);
    }
}
