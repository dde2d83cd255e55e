/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contacts that are held from step to step, at coarse tolerances.
 *
 * While two shapes move against each other by less than m since they were collided, the points of
 * their contacts are carried along with either shape, and the normal with the first.  The gap
 * n.(x_1 - x_0) is then wrong by about m^2 over their size.  A pair is held where all of its points
 * are contacts of the last step, and no other point can have come within reach.  What this depends
 * on is noted at the end of a step, for pairs that moved little in it, in the contacts themselves:
 * a world that was saved goes on with the same bits.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/pairs.h"

/* The largest m, of the size of the smaller shape: of the tolerance, and at most. */
static const double OF_TOLERANCE = 2, MOST = 4e-3;
static const double OF_MARGIN = 0.5; /* points beyond the reach may be nearer by this */

static int is_for(const mo_world *world, const mo_sim_contact *contact)
{
    return world->def.solver.tol > MO_FINE_TOLERANCE && !world->near[contact->shape[0]].is_round &&
           !world->near[contact->shape[1]].is_round;
}

/* m: of the smaller shape's size. */
static double largest_move(const mo_world *world, double size)
{
    return fmin(MOST, OF_TOLERANCE * world->def.solver.tol) * size;
}

/* The orientation of the second in the frame of the first. */
static void turn_between(const mo_pose at[2], double turn[4])
{
    const double *q = at[0].orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    mo_quat_multiply(back, at[1].orientation, turn);
}

static void matrices_of(const mo_pose at[2], double Q[2][9])
{
    mo_quat_matrix(at[0].orientation, Q[0]);
    mo_quat_matrix(at[1].orientation, Q[1]);
}

/* Its points have been collided, all take part, and stay nearly in place in this step. */
static int may_be_held(const mo_world *world, const mo_sim_contact *contact, int count, double h)
{
    const double most = largest_move(world, contact->size);
    for (int k = 0; k < count; ++k, ++contact)
        if (!mo_contact_is_taken(contact) || contact->was_late ||
            !(h * mo_vec3_norm(contact->velocity) < most))
            return 0;
    return 1;
}

void mo_contacts_note(const mo_world *world, mo_sim_contact *contact, int count, double h)
{
    if (contact->held.points > 0 || !is_for(world, contact) ||
        !may_be_held(world, contact, count, h))
        return;
    const mo_pose at[2] = {world->shape[contact->shape[0]].pose,
                           world->shape[contact->shape[1]].pose};
    const double reach = contact->held.reach;
    double turn[4], Q[2][9];
    turn_between(at, turn);
    matrices_of(at, Q);
    for (int k = 0; k < count; ++k, ++contact) {
        mo_held *held = &contact->held;
        for (int side = 0; side < 2; ++side) {
            double x[3];
            mo_vec3_along(contact->point, (side ? 0.5 : -0.5) * contact->gap, contact->frame, x);
            mo_vec3_minus(x, at[side].position, x);
            mo_mat3_apply_transposed(Q[side], x, held->on[side]);
        }
        mo_mat3_apply_transposed(Q[0], contact->frame, held->normal);
        memcpy(held->turn, turn, sizeof turn);
        held->gap = contact->gap;
        held->reach = reach;
        held->points = count;
    }
}

/* By how much the second has turned against the first, rad. */
static double turned(const mo_pose at[2], const mo_sim_contact *last)
{
    double now[4], less = 0, more = 0;
    turn_between(at, now);
    for (int k = 0; k < 4; ++k) { /* q and -q are one rotation */
        less += (now[k] - last->held.turn[k]) * (now[k] - last->held.turn[k]);
        more += (now[k] + last->held.turn[k]) * (now[k] + last->held.turn[k]);
    }
    return 2 * sqrt(fmin(less, more));
}

/* The touch at these poses, Q their matrices; how far its points have moved against each other,
 * m. */
static double carry(const mo_pose at[2], double Q[2][9], const mo_sim_contact *last,
                    mo_touch *touch)
{
    double x[2][3], apart[3], moved[3];
    for (int side = 0; side < 2; ++side) {
        mo_mat3_apply(Q[side], last->held.on[side], x[side]);
        mo_vec3_along(x[side], 1, at[side].position, x[side]);
    }
    mo_mat3_apply(Q[0], last->held.normal, touch->normal);
    mo_vec3_minus(x[1], x[0], apart);
    mo_vec3_along(apart, -last->held.gap, touch->normal, moved);
    touch->gap = mo_vec3_dot(touch->normal, apart);
    touch->feature = last->feature;
    mo_vec3_along(x[0], 0.5, apart, touch->point);
    return mo_vec3_norm(moved);
}

int mo_contacts_hold(mo_world *world, const mo_pose at[2], const mo_sim_contact *last, int count,
                     double reach)
{
    mo_touch_list *touches = &world->touches;
    if (last->held.points != count || !is_for(world, last)) return 0;
    const double size = fmin(world->near[last->shape[0]].size, world->near[last->shape[1]].size),
                 most = fmin(largest_move(world, size),
                             last->held.reach + OF_MARGIN * mo_margin_for(world, size) - reach),
                 left = most - turned(at, last) * size;
    double Q[2][9];
    if (!(left > 0)) return 0;
    matrices_of(at, Q);
    touches->count = touches->is_short = 0;
    for (int k = 0; k < count; ++k) {
        mo_touch touch;
        if (last[k].held.points != count || !(carry(at, Q, last + k, &touch) < left)) return 0;
        mo_touch_add(touches, &touch);
    }
    return 1;
}
