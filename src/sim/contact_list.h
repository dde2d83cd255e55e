/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The contacts of a step, and the invariants of a list of them.
 *
 *   order    by shapes and feature (mo_contact_order); contacts added at the end are merged
 *            (mo_contacts_merge)
 *   taken    constraint != MO_NONE: part of the problem; always if within the margin
 *   open     gaps beyond the margin: may be left out.  Their indices are listed while
 *            mo_contacts_know_open
 *   late     added after the start of the step, with its own record (mo_contact_is_late)
 */
#ifndef MO_SIM_CONTACT_LIST_H
#define MO_SIM_CONTACT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "moreau/shape.h"
#include "moreau/world.h"

enum { MO_NONE = -1, MO_NEXT = -2 };

typedef struct mo_pair {
    int a, b; /* shapes, a < b; of a team, by the ids of their bodies */
} mo_pair;

/* A sorted list of pairs with what they are given (own_pairs.c). */
typedef struct mo_pair_table {
    struct mo_own_pair *at;
    size_t room;
    int count;
} mo_pair_table;

typedef struct mo_pairs {
    mo_pair *at;
    size_t room;
    int count;
} mo_pairs;

/* The rows of a contact: normal, tangents, then moments about them where the law has such rows. */
enum { MO_CONTACT_ROWS = 5 };

/* A contact as it was last collided (contacts_hold.c). */
typedef struct mo_held {
    double on[2][3];  /* its point on either shape, in the frame of that shape */
    double normal[3]; /* in the frame of the first */
    double turn[4];   /* of the second shape in the frame of the first */
    double gap, reach;
    int points, unused; /* of its pair within that reach, 0: it is not held; 0 */
} mo_held;

/* The data that most loops over contacts read come first. */
typedef struct mo_sim_contact {
    int shape[2], body[2]; /* in the order of mo_pair */
    uint32_t feature;
    int constraint; /* in the problem of this step; MO_NONE, or MO_NEXT: from the next round on */
    int is_new;     /* it was none of the last step's */
    int late;       /* its record in world->step.late if it is a late contact, or MO_NONE */
    double gap;
    double size; /* of the smaller shape */
    double mu, restitution;
    double point[3];
    double impulse[3]; /* world axes, of the last solve */
    double frame[9];   /* rows n, t, o: the normal and two tangents */
    double rolling, torsion;
    /* slip of a sticking contact by rounding and tolerance, to be corrected, m */
    double slip[3];
    double impact[3]; /* impulse of the impacts at the start of the step, world axes */
    double moment[3]; /* as impulse */
    double velocity[3];
    mo_contact_mode mode;
    int was_late; /* its point and gap are those of the end of the step */
    mo_held held;
} mo_sim_contact;

/* A late contact, added after the start of the step with the velocities v* (overlap.c). */
typedef struct mo_late_contact {
    double arm[2][3]; /* from the centre of each body to the point, then */
    double before;    /* m: change of the gap by v* since the start, to first order */
} mo_late_contact;

typedef struct mo_sim_contacts {
    mo_sim_contact *at;
    int count;
    size_t room;
    double deepest; /* penetration when they were found; 0 if none */
    double least;   /* size, then; infinite if there is no contact */
    int *open;      /* places of those with gaps beyond the margin */
    /* candidates for rebounds, by the speeds of their shapes; later those that rebound */
    int *fast;
    size_t open_room, fast_room;
    int open_count, fast_count;
} mo_sim_contacts;

/* The places of the open contacts are no longer known. */
static inline void mo_contacts_forget_open(mo_sim_contacts *list)
{
    list->open_count = MO_NONE;
}

static inline int mo_contacts_know_open(const mo_sim_contacts *list)
{
    return list->open_count != MO_NONE;
}

static inline void mo_contacts_clear(mo_sim_contacts *list)
{
    list->count = 0;
    mo_contacts_forget_open(list);
}

/* End of the contacts of the pair that contact k belongs to. */
static inline int mo_contacts_end_of_pair(const mo_sim_contacts *list, int k)
{
    const mo_sim_contact *first = list->at + k;
    for (++k; k < list->count && list->at[k].shape[0] == first->shape[0] &&
              list->at[k].shape[1] == first->shape[1];
         ++k) {
    }
    return k;
}

static inline int mo_contact_is_taken(const mo_sim_contact *contact)
{
    return contact->constraint != MO_NONE;
}

static inline int mo_contact_is_late(const mo_sim_contact *contact)
{
    return contact->late != MO_NONE;
}

/* contacts.c: contacts within reach of a step of h, matched with world->before. */
mo_error mo_contacts_find(mo_world *world, double h);
/* The contacts of this step and those of the last one change places. */
void mo_contacts_exchange(mo_world *world);
void mo_contacts_swap(mo_sim_contacts *a, mo_sim_contacts *b);
/* Touches at the present positions, within reach of a step of h (or 0) with v and free_v. */
mo_error mo_contacts_list(mo_world *world, double h, mo_sim_contacts *list);
/* Touches at the present poses of the shapes that touch in `of`, a list in order; so is this one.
 */
mo_error mo_contacts_again(mo_world *world, const mo_sim_contacts *of, mo_sim_contacts *list);
/* Touches at the present positions as frictionless contacts that all take part, into world->before.
 */
mo_error mo_contacts_touching(mo_world *world);
/* Finds more contacts of bodies that next_v makes faster than the bound used in the search. */
mo_error mo_contacts_look_again(mo_world *world, double h);
/* Touches of a pair at these poses, as contacts at the end of the list, by feature.  normal: of the
 * pair at poses near by, or NULL. */
mo_error mo_contacts_collide(mo_world *world, const mo_pair *pair, const mo_pose at[2],
                             const double *normal, double margin, mo_sim_contacts *list);
/* contacts_hold.c: the touches of a pair at these poses, into world->touches, from its contacts of
 * the last step; false if these are not all, or the shapes have moved since they were collided. */
int mo_contacts_hold(mo_world *world, const mo_pose at[2], const mo_sim_contact *last, int count,
                     double reach);
/* The contacts of a pair at the end of a step of h, while shapes have the poses of its start: notes
 * where they were collided if the pair may be held in the next step. */
void mo_contacts_note(const mo_world *world, mo_sim_contact *contact, int count, double h);
/* contacts_match.c: copies impulses of the last step to the contacts of the same pair; both are in
 * the order of features. */
void mo_contacts_match(const mo_world *world, const mo_sim_contact *last, int last_count,
                       mo_sim_contact *now, int count);
/* By shapes and feature: below, equal to or above zero. */
int mo_contact_order(const mo_sim_contact *c, const mo_sim_contact *d);
/* Sorts the contacts from `sorted` on into those before. */
mo_error mo_contacts_merge(mo_world *world, int sorted);

/* overlap.c: lists pairs that would overlap at the end of the step with next_v in
 * world->step.overlapping.  If one passes through, or its overlap grows by more than `deep` times
 * the permitted one (`deep_of_links` in an island with links), adds contacts of *count pairs; with
 * an infinite `deep`, bodies are held back instead. */
mo_error mo_overlaps_look(mo_world *world, double h, double deep, double deep_of_links, int *count);

/* contacts_take.c */
/* Selects the open contacts that take part, by start_v and free_v (constraint = 0, else MO_NONE);
 * after the impacts. */
void mo_contacts_choose(mo_world *world, double h);
/* contacts_span.c: those of links that others imply take no part; their gap becomes infinite. */
void mo_contacts_span(mo_world *world);
void mo_contacts_take_near(mo_world *world); /* of all: those within the margin, and no others */
/* Contacts left out that next_v closes to less than `depth` of a body's size; returns their
 * number, in a team that of all.  With `takes` they take part from now on. */
int mo_contacts_take_closing(mo_world *world, double h, double depth, int takes);
void mo_contacts_drop_late(mo_world *world); /* late contacts */
/* Removes the others, except for those that rebounded. */
void mo_contacts_keep_taken(mo_world *world);
int mo_contacts_taken(const mo_world *world); /* the number that takes part */
double mo_contact_approach(const mo_world *world,
                           const mo_sim_contact *contact); /* u_N with start_v */

#endif
