/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What a world holds: records.h has its records, contact_list.h its contacts, step.h the step and
 * its phases.  The files of this folder by subject:
 *
 *   world, shapes, body, apply, query, events   creation, access, forces, queries
 *   pairs*, contacts*, surfaces, own_pairs      positions -> pairs -> contacts of the step
 *   advance, assemble*, answer, impulses        free velocities, problem, solve, solution, poses
 *   accuracy, islands, impact                   tolerances by motion; sleep; restitution
 *   joint*, mechanism*                          joints of bodies; trees in joint coordinates
 *   passive, energy*, island_gain, projection, overlap, penetration   bounds of energy, positions
 *   step, checks, deadline, report, state, batch   the step, its limit and report; saved states
 *   team, copies                                worlds that are parts of a larger one; many alike
 *   forces*                                     forces at one instant (acceleration level)
 *   device_*                                    heaps stepped on a GPU
 */
#ifndef MO_SIM_WORLD_DATA_H
#define MO_SIM_WORLD_DATA_H

#include <string.h>

#include "base/memory.h"
#include "base/prefetch.h"
#include "collide/collide.h"
#include "collide/tree.h"
#include "linalg/vec3.h"
#include "moreau/energy.h"
#include "moreau/joint.h"
#include "moreau/solve.h"
#include "moreau/world.h"
#include "sim/records.h"
#include "sim/step.h"
#include "sim/team.h"

typedef struct mo_sim_mechanism mo_sim_mechanism; /* mechanism.h */

/* Are the impulses of the last solve those of least norm?  Once missed, they are looked for again
 * when other contacts touch or the impulses change. */
typedef enum mo_canonical_state {
    MO_CANONICAL_UNKNOWN,
    MO_CANONICAL_FOUND,
    MO_CANONICAL_MISSED
} mo_canonical_state;

struct mo_world {
    mo_allocator allocator;
    mo_world_def def;
    double time;
    uint64_t steps;

    mo_sim_body *body;
    size_t body_room;
    int body_places; /* used or free */
    int *living;     /* bodies in the order of creation */
    size_t living_room;
    int living_count;

    mo_sim_shape *shape;
    size_t shape_room;
    mo_shape_near *near; /* of each shape */
    size_t near_room;
    mo_surfaces surfaces;
    int shape_places, free_shapes;
    int *boundless; /* half-spaces */
    size_t boundless_room;
    int boundless_count;

    mo_sim_joint *joint;
    size_t joint_room;
    int joint_places;
    int *jointed; /* joints in the order of creation */
    size_t jointed_room;
    int jointed_count;

    mo_sim_mechanism **mechanism; /* NULL: this place is free */
    size_t mechanism_room;
    int mechanism_places, mechanism_count;
    mo_pair_table excluded;  /* bodies that never touch */
    mo_pair_table own_pairs; /* shapes with their own material, or that never touch */
    double *jacobian;        /* working space for one block */
    size_t jacobian_room;

    uint32_t generation; /* of the next object that is added */
    mo_tree *tree;
    mo_pairs pairs, fresh_pairs, spare_pairs; /* pairs.h */
    int pairs_are_stale;                      /* shapes were added or removed */
    int strayed;                              /* number of shapes with has_strayed */
    int strayed_before;                       /* the same in the last step */
    int refits;                               /* steps since boxes moved in the tree */
    int reach_out;                            /* number of shapes with reaches_out */
    double least_margin;                      /* of all shapes */
    int has_driven;                           /* kinematic bodies move in this step */
    int *leader; /* of the island of each place of a body while islands are found, or MO_NONE */
    size_t leader_room;
    mo_island_facts *island; /* of each leader, likewise */
    size_t island_room;
    int *pair_start; /* of each shape, while they are sorted */
    size_t pair_start_room;
    mo_touch_list touches;
    mo_sim_contacts contacts, before; /* of this step and of the last one */
    mo_sim_contacts found;         /* of a step that was given up; empty: none since the last one */
    mo_sim_contacts side_contacts; /* of the projection */
    mo_step step;

    struct mo_recycler *recycler; /* memory of problems and results */
    mo_builder *builder;
    mo_problem *problem;
    mo_result result;
    mo_problem *side_problem; /* of the projection; the problem of the step is kept */
    mo_result side_result;
    double *start;
    size_t start_room;

    /* The contacts of each place of a body, while there are impacts (impact.c). */
    int *touch_start, *touching;
    size_t touch_start_room, touching_room;
    unsigned char *seen; /* of contacts */
    size_t seen_room;

    int copies;                  /* of another world (copies.c), which never touch; or 0 */
    int has_too_many_pairs;      /* the last search for pairs was aborted */
    double last_step;            /* h, for forces from impulses */
    int masses_are_fit;          /* as of the last update */
    struct mo_device_heap *heap; /* where it is stepped on a device (device_heap.h), or NULL */
    mo_message device_note;      /* reason why it is not, if a device was requested */
    mo_canonical_state canonical;
    const struct mo_team *team; /* of which this world is a part (team.h), or NULL */
};

/* The default method, to which the simulator may pass further options. */
static inline int mo_uses_auto(const mo_world *world)
{
    const char *method = world->def.solver.method;
    return !method || strcmp(method, "auto") == 0;
}

static inline int mo_is_planar(const mo_world *world)
{
    return world->def.dimension == 2;
}

/* Velocities of a rigid body. */
static inline int mo_body_rows(const mo_world *world)
{
    return mo_is_planar(world) ? 3 : 6;
}

/* First-order dynamics are a step of Newton's equations from rest with the mass M h / first_order.
 */
static inline double mo_mass_scale(const mo_world *world, double h)
{
    return world->def.first_order > 0 ? h / world->def.first_order : 1;
}

/* The accuracy of the island of a contact; other than dynamic bodies are fine. */
static inline mo_accuracy mo_contact_accuracy(const mo_world *world, const mo_sim_contact *contact)
{
    const mo_accuracy a = world->body[contact->body[0]].accuracy,
                      b = world->body[contact->body[1]].accuracy;
    return a > b ? a : b;
}

static inline int mo_is_coarse(const mo_world *world, const mo_sim_contact *contact)
{
    return mo_contact_accuracy(world, contact) == MO_COARSE;
}

/* May a body be held back in this step (overlap.c)?  In a team others hold back, too. */
static inline int mo_may_be_held_back(const mo_world *world)
{
    return world->step.has_held_back || world->team;
}

/* It is not held back in this step (overlap.c). */
static inline void mo_body_let_go(mo_sim_body *body)
{
    body->part = 1;
    body->carrier = MO_NONE;
}

/* Is it kinematic, and does it move in this step? */
static inline int mo_is_driven(const mo_sim_body *body)
{
    return body->kind == MO_BODY_DRIVEN &&
           mo_vec3_norm(body->free_v) + mo_vec3_norm(body->free_v + 3) > 0;
}

/* Whether its velocities are unknowns of the problem. */
static inline int mo_moves_freely(const mo_sim_body *body)
{
    return (body->kind == MO_BODY_FREE || body->kind == MO_BODY_LINK) && !body->is_asleep;
}

/* Is it part of a constraint of the present problem? */
static inline int mo_is_touched(const mo_world *world, const mo_sim_body *body)
{
    return body->block != MO_NONE && body->block < world->step.touched_count;
}

/* The place of an id among `things`, of which there are things_places; MO_NONE if it is stale. */
#define MO_PLACE_FINDER(name, id_type, things)                                                     \
    int name(const mo_world *world, id_type id)                                                    \
    {                                                                                              \
        const int place = id.index > 0 ? id.index - 1 : MO_NONE;                                   \
        const int is_there = place >= 0 && place < world->things##_places && id.generation &&      \
                             world->things[place].generation == id.generation;                     \
        return is_there ? place : MO_NONE;                                                         \
    }
int mo_body_place(const mo_world *world, mo_body_id id);
int mo_shape_place(const mo_world *world, mo_shape_id id);
int mo_joint_place(const mo_world *world, mo_joint_id id);
/* "there is no body with this id ...": it was removed, or belongs to another world. */
mo_error mo_fail_stale(mo_message *why, const char *what, int32_t index, uint32_t generation);
/* Removes a value from a list, which keeps its order. */
static inline void mo_list_remove(int *list, int *count, int value)
{
    int kept = 0;
    for (int k = 0; k < *count; ++k) {
        list[kept] = list[k];
        kept += list[k] != value;
    }
    *count = kept;
}
#define MO_NEED_ID(is_there, what, id, why)                                                        \
    do {                                                                                           \
        if (!(is_there)) return mo_fail_stale((why), (what), (id).index, (id).generation);         \
    } while (0)
mo_body_id mo_body_id_of(const mo_world *world, int place);

/* Pose of the body's frame from the centre of mass; of a shape of it, in the world. */
mo_pose mo_sim_body_pose(const mo_sim_body *body);
mo_pose mo_shape_pose(const mo_sim_body *body, const mo_sim_shape *shape);
/* The same for another centre of mass and orientation. */
mo_pose mo_shape_pose_at(const mo_sim_body *body, const double x[3], const double orientation[4],
                         const mo_sim_shape *shape);

/* In a loop over bodies, at k: prefetches `size` bytes of a later body, from `from` on. */
static inline void mo_living_prefetch(const mo_world *world, int k, size_t from, size_t size)
{
    if (k + MO_AHEAD / 2 < world->living_count)
        mo_prefetch((const char *)(world->body + world->living[k + MO_AHEAD / 2]) + from, size);
}

/* Velocity of the point `at` (world) of a body with the centre x and v: velocity of the centre, and
 * spin. */
static inline void mo_point_velocity(const double x[3], const double v[6], const double at[3],
                                     double out[3])
{
    double arm[3];
    mo_vec3_minus(at, x, arm);
    mo_vec3_cross(v + 3, arm, out);
    mo_vec3_along(out, 1, v, out);
}

/* Its part along the normal of a contact. */
static inline double mo_normal_rate(const double x[3], const double v[6],
                                    const mo_sim_contact *contact)
{
    double u[3];
    mo_point_velocity(x, v, contact->point, u);
    return mo_vec3_dot(contact->frame, u);
}

/* Is one of the two a link of a mechanism? */
static inline int mo_contact_has_link(const mo_world *world, const mo_sim_contact *contact)
{
    return world->mechanism_count > 0 && (world->body[contact->body[0]].mechanism != MO_NONE ||
                                          world->body[contact->body[1]].mechanism != MO_NONE);
}

/*
 * The lever arm from the centre of a body to the point of a contact, which lies midway in the gap.
 * With a gap much wider than the bodies, friction would rotate them a thousand times faster than it
 * moves them; the arm therefore ends at most one size of the smaller body beyond its surface.
 */
static inline void mo_contact_arm(const mo_world *world, const mo_sim_contact *contact, int side,
                                  double arm[3])
{
    if (contact->late != MO_NONE) {
        mo_vec3_copy(world->step.late[contact->late].arm[side], arm);
    } else {
        const double beyond = 0.5 * contact->gap - contact->size;
        mo_vec3_minus(contact->point, world->body[contact->body[side]].x, arm);
        if (beyond > 0) mo_vec3_along(arm, side ? beyond : -beyond, contact->frame, arm);
    }
}

/* mechanism.c */
void mo_mechanism_update_mass(mo_world *world,
                              int place); /* after the mass of a link has changed */
void mo_mechanism_remove_place(mo_world *world, int place);
void mo_mechanisms_clear(mo_world *world);
int mo_mechanism_keeps_apart(const mo_world *world, const mo_sim_body *a, const mo_sim_body *b);

/* shapes.c: inserts a shape into the tree, or into the list of unbounded shapes. */
mo_error mo_shape_enter(mo_world *world, int place);
/* Frees the place of a shape that is no longer in its body's list. */
void mo_forget_shape(mo_world *world, int place);
/* Wakes sleeping bodies near a shape, which may rest on it. */
void mo_wake_around(mo_world *world, int place);
/* Removes the contacts of a shape of the body (MO_NONE: of all); wakes bodies in contact. */
void mo_forget_contacts(mo_world *world, int body, int shape);

/* own_pairs.c: the material of a pair of shapes, or NULL; do two bodies never touch? */
const mo_material *mo_own_pair(const mo_world *world, int a, int b);
int mo_is_excluded(const mo_world *world, int a, int b);
/* surfaces.c: the index of a material in world->surfaces, or MO_NONE if that is full; the combined
 * material of two shapes, in *found if it is not stored. */
int mo_surface_number(mo_world *world, const mo_material *material);
void mo_surfaces_renew(mo_world *world); /* after the rules have changed */
const mo_material *mo_surface_between(const mo_world *world, int a, int b, mo_material *found);
int mo_pair_never_touches(const mo_world *world, int a, int b);
/* Two shapes no longer collide; MO_ERR_MEMORY. */
mo_error mo_pair_part(mo_world *world, int a, int b);
/* Of a shape of the body (MO_NONE: of the body itself and all its shapes). */
void mo_forget_own_pairs(mo_world *world, int body, int shape);

/* mechanism_get.c */
mo_error mo_mechanism_set_root(mo_world *world, int place, const mo_pose *pose,
                               const double velocity[3], const double spin[3], mo_message *why);
void mo_mechanism_rest(mo_world *world, int place); /* v = 0, when it falls asleep */
int mo_mechanism_stays_awake(const mo_world *world, int place);
int mo_mechanism_first(const mo_world *world,
                       int place); /* the body of its first link that moves */
/* Adds the energy of rotors, springs and compensated gravity. */
void mo_mechanisms_energy(const mo_world *world, mo_energy *energy);

/* state.c: what mo_world_save wrote, without checks; for its contacts there is room */
void mo_world_restore(mo_world *world, const void *bytes);

/* mechanism_state.c */
size_t mo_mechanisms_size(const mo_world *world); /* in doubles */
void mo_mechanisms_save(const mo_world *world, char *to);
int mo_mechanisms_sound(const mo_world *world, const char *from);
void mo_mechanisms_load(mo_world *world, const char *from);
/* Swaps with saved numbers; links stay where they are. */
void mo_mechanisms_exchange(mo_world *world, double *saved);

#endif
