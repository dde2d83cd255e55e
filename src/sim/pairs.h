/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Pairs of shapes that may touch in a step.
 *
 * Every shape has a box in the tree that contains it, with a margin, for motion with the velocity
 * before the step, the free velocity, or a part of these.  Overlapping boxes form a pair.  Pairs
 * persist between steps: only those of shapes that left their boxes are searched again, or all of
 * them if many did, or if shapes were added or removed.  The list of pairs therefore depends on the
 * past; the contacts among them do not.
 */
#ifndef MO_SIM_PAIRS_H
#define MO_SIM_PAIRS_H

#include "sim/world_data.h"

/* Poses, boxes and pairs (world->pairs, sorted) for a step of h. */
mo_error mo_pairs_update(mo_world *world, double h);

/* The sentence for an error of a search for pairs or contacts: too many pairs, or no memory. */
mo_error mo_fail_pairs(mo_world *world, mo_message *why);

/* Does one of the two move, and does no mechanism, exclusion, joint or layer keep them apart? */
int mo_shapes_may_touch(const mo_world *world, int a, int b);

/* A shape that comes while a step is made: its pose, reach and box, as for the others. */
void mo_pairs_place(mo_world *world, int place, double h);

/* Does one of the two move, and may they meet in this step? */
int mo_pair_may_meet(const mo_world *world, const mo_pair *pair);

/* Does next_v take the shape off its path by more than `spare`? */
int mo_shape_strays(const mo_world *world, int place, double h, double spare);

/*
 * A shape moves in this step otherwise than was thought: adds all that it may meet with next_v to
 * `fresh`.  Where it stays in its box these are among the pairs, and mo_pairs_of_box adds them, of
 * all such shapes at once.
 */
mo_error mo_pairs_reach_out(mo_world *world, int place, double h, mo_pairs *fresh);
mo_error mo_pairs_of_box(mo_world *world, mo_pairs *fresh);

/* By shapes. */
mo_error mo_pairs_sort(mo_world *world, mo_pairs *pairs);

/* The largest gap at which the two may touch in this step. */
double mo_pair_reach(const mo_world *world, const mo_pair *pair);

/* Contacts are kept up to this gap. */
double mo_margin_of(const mo_world *world, const mo_sim_shape *a, const mo_sim_shape *b);
double mo_margin_for(const mo_world *world, double size); /* of the smaller of two shapes */
/* The gap up to which a contact takes part in every step (contacts_take.c). */
double mo_contact_margin(const mo_world *world, const mo_sim_contact *contact);

/* A pair of shapes as its contacts show it (overlap.c). */
typedef struct mo_near_pair {
    mo_pair shapes;
    double size;      /* of the smaller one, m */
    double start;     /* overlap at the start of the step, over the size */
    double normal[3]; /* of its nearest contact, or of a late contact */
    int is_late;
    int count; /* of its contacts, from this one on while the list does not grow */
    const mo_sim_contact *contact;
} mo_near_pair;

/* Largest distance of points of a body from the lines of their velocities in a step of h, m. */
double mo_curved_by(const mo_sim_body *body, const double spin[3], double h);

/* The pair that has these contacts. */
mo_near_pair mo_near_pair_of(const mo_sim_contact *contact, int count);

/*
 * How far the shapes are apart at these poses at least, m, and the direction of that.  The
 * directions that are tried, until one has more than `enough`, are the normal of their nearest
 * contact, turned with the one and with the other shape: two supports each, where a collision takes
 * many.
 */
double mo_near_pair_gap(const mo_world *world, const mo_near_pair *pair, const mo_pose at[2],
                        double enough, double along[3]);

#endif
