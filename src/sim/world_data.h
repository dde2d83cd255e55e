/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What a world holds.  The files of this room each do one part of a step:
 *
 *   world.c      create, bodies come and go; shapes.c: shapes
 *   body.c       masses, looking at a body and moving it; apply.c: forces, impulses, user data
 *   pairs.c      positions -> pairs of shapes that may touch
 *   contacts.c   pairs -> contacts, matched with those of the last step; surfaces.c: their friction
 *   contacts_take.c  which of them take part in the step
 *   advance.c    free velocities before the solve, new poses after it
 *   assemble.c   contacts and joints -> a contact problem, and its answer back
 *   joint.c      joints in the problem; joint_rows.c: what each kind holds; joint_ahead.c: held at
 *                the end of a step
 *   impulses.c   the solve, to the tolerance and to the last digits that count; accuracy.c: which
 *                tolerance that is, by the motion
 *   impact.c     impacts that bounce
 *   step.c       the step itself
 *   state.c      everything that changes, as bytes
 *   passive.c    steps that would add energy; energy_gain.c: taking it out
 *   projection.c correction of positions at the end of a step, where asked for
 *   overlap.c    contacts of what would overlap at the end of a step
 *   answer.c     one round: assembled, solved, read back
 *   deadline.c   the time of a step; report.c: what it says of itself
 *   islands.c    islands, sleep
 *   energy.c     energies and momenta
 *   query.c      rays, overlaps and distances; events.c: contacts that begin and end
 *   forces_data.h  forces at one instant
 *   mechanism.h  mechanisms in joint coordinates, and the files that do their part of each of these
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

enum { MO_NONE = -1 };

/* What loops over contacts read of a body lies together, at the beginning. */
typedef struct mo_sim_body {
    uint32_t generation; /* 0: this place is free */
    mo_body_kind kind;
    int is_asleep;
    int is_displaced; /* by the projection of this step */
    int is_coarse;    /* of an island that this step solves to the coarse tolerance (accuracy.c) */
    int is_ball;      /* one and the same inertia about every axis */
    int block;        /* its body block in the problem of this step, or MO_NONE */
    int mechanism;    /* its place, for a link; else MO_NONE */
    int leader;       /* of the island with which it sleeps */
    double mass;
    double x[3];       /* centre of mass, world */
    double start_v[6]; /* at the start of the step, after its impacts */
    double free_v[6];  /* at the end of the step, were there no constraint */
    double next_v[6];  /* with them */
    double v[6];       /* velocity of the centre, spin */

    double orientation[4];
    double centre[3];  /* of mass, in the body's frame */
    double part;       /* of the way of a step that it goes: less than 1 where it is held back */
    double size;       /* radius about the centre of mass that holds the shapes */
    double force[6];   /* and moment, for the next step */
    double inertia[9]; /* about the centre of mass, body axes */
    double world_inertia[9];
    double next_x[3], next_orientation[4]; /* of links, and where there are joints  */
    int quiet_steps;                       /* steps since it last moved visibly */
    int link;                              /* in its mechanism */
    int first_shape;                       /* a list through mo_sim_shape.next */
    int shape_count;
    int first_joint; /* a list through mo_sim_joint.next */

    mo_body_def def;   /* as given */
    char *name;        /* the world's copy, also in def */
    void *motion_data; /* likewise */
} mo_sim_body;

typedef struct mo_sim_shape {
    uint32_t generation;
    int body, next;
    int proxy;      /* in the tree; MO_NONE for what has no bounds */
    int is_on_show; /* it touches nothing, and is in no list of the collision */

    /* At the start of the step: */
    int has_strayed; /* out of its box in the tree: its pairs are to be sought */
    double turn;     /* how far a point of it may move by turning */
    mo_bounds path;  /* how far it may move along each axis, turning apart */
    mo_bounds reach; /* bounds with path, turn and the margin */
    mo_bounds box;   /* in the tree */
    mo_pose pose;    /* in the world */

    mo_collider collider;
} mo_sim_shape;

/* What loops over pairs of shapes read of each: a cache line.  At the start of the step. */
typedef struct mo_shape_near {
    double x[3];   /* of its pose */
    double size;   /* of its collider */
    double motion; /* how far a point of it may move in the step, at most */
    double speed;  /* of its fastest point before the step, at most */
    int body;
    int surface;        /* its material in world->surfaces, or MO_NONE */
    uint8_t is_round;   /* a ball, or a disk in the plane, of radius `size` about x */
    uint8_t is_central; /* a round one about the centre of its body, which turns in place */
    uint8_t moves;      /* its body does, freely */
    /* no joint, mechanism or layer keeps it from any other of that kind */
    uint8_t collides_with_all;
    /* it moves further than was thought, but within its box: its pairs are there */
    int reaches_out;
} mo_shape_near;

/* The first few materials of a world, and what they make of each other (surfaces.c). */
enum { MO_SURFACES = 8 };
typedef struct mo_surfaces {
    int count;
    mo_material own[MO_SURFACES];
    mo_material both[MO_SURFACES][MO_SURFACES];
} mo_surfaces;

/* The rows of a contact: normal, tangents, then moments about them where the law has such rows. */
enum { MO_CONTACT_ROWS = 5 };

/* What most loops over contacts read of one lies at its beginning. */
typedef struct mo_sim_contact {
    int shape[2], body[2]; /* shape[0] < shape[1] */
    uint32_t feature;
    int constraint; /* in the problem of this step, or MO_NONE */
    int is_new;     /* it was none of the last step's */
    int late;       /* its record in world->late, where it was not taken at the start; or MO_NONE */
    double gap;
    double size; /* of the smaller shape */
    double mu, restitution;
    double point[3];
    double impulse[3]; /* world axes, of the last solve */
    double frame[9];   /* rows n, t, o: the normal and two tangents */
    double rolling, torsion;
    /* what a sticking contact has slid by rounding and tolerance, to be taken back, m */
    double slip[3];
    double impact[3]; /* impulse of the impacts at the start of the step, world axes */
    double moment[3]; /* as impulse */
    double velocity[3];
    mo_contact_mode mode;
    int unused_too;
} mo_sim_contact;

/* A contact taken later in the step than at its start, with the velocities v* (overlap.c). */
typedef struct mo_late_contact {
    double arm[2][3]; /* from the centre of each body to the point, then */
    double before;    /* m: what v* has opened the gap by since the start, to first order */
} mo_late_contact;

typedef struct mo_sim_contacts {
    mo_sim_contact *at;
    int count;
    size_t room;
    double deepest; /* penetration, when they were found; 0 where there is none */
    double least;   /* size, then; infinite where there is no contact */
    int *open;      /* places of those with gaps beyond the margin, which may be left out */
    /* and of those that are fast enough to bounce, as far as their shapes know; then of those that
     * do */
    int *fast;
    size_t open_room, fast_room;
    int open_count, fast_count;
    int has_open;      /* that list is right */
    int is_sorted_out; /* of the others all take part */
} mo_sim_contacts;

/* The constraints that a joint may have in a problem: what it holds, its two limits, its drive, its
 * dry friction. */
typedef enum mo_joint_part {
    MO_PART_HOLD,
    MO_PART_LOWER,
    MO_PART_UPPER,
    MO_PART_DRIVE,
    MO_PART_FRICTION,
    MO_PART_COUNT
} mo_joint_part;
enum { MO_JOINT_ROWS = 6, MO_JOINT_IMPULSES = MO_JOINT_ROWS + MO_PART_COUNT - 1 };

typedef struct mo_sim_joint {
    uint32_t generation;
    mo_joint_def def;
    int body[2];         /* MO_NONE: the world */
    int next[2];         /* of the lists of the two bodies */
    double anchor[2][3]; /* in each body's frame (world where there is none) */
    double axis[2][3];   /* likewise */
    double relative[4];  /* orientation of b in a when the joint was added */
    double length;       /* distance: when the joint was added */
    double q;       /* the coordinate at the last look, so that angles go on beyond half a turn */
    double start_q; /* at the start of the step, for one that is refused */
    /* of the last step: hold rows, then one for each other part */
    double impulse[MO_JOINT_IMPULSES];
    int constraint[MO_PART_COUNT];      /* in the problem of this step, or MO_NONE */
    double force[3], moment[3], effort; /* on b in the last step */
} mo_sim_joint;

/* How joints are held in a step (passive.c). */
typedef enum mo_hold {
    MO_HOLD_HERE,  /* at the poses of its start; drift is taken back */
    MO_HOLD_AHEAD, /* at the poses to which the motion leads */
    MO_HOLD_SPEED  /* in velocity alone: cannot add energy, leaves the drift */
} mo_hold;

typedef struct mo_pair {
    int a, b; /* shapes, a < b */
} mo_pair;

typedef struct mo_pairs {
    mo_pair *at;
    size_t room;
    int count;
} mo_pairs;

typedef struct mo_sim_mechanism mo_sim_mechanism; /* mechanism.h */

/* What a step that waits for more time does next (deadline.c). */
typedef enum mo_step_stage {
    MO_STAGE_ASSEMBLE,
    MO_STAGE_BEGIN, /* the solve, from the start that the problem has */
    MO_STAGE_SOLVE, /* the solve, from the impulses of the result */
    MO_STAGE_LOOK   /* is the answer the last one? */
} mo_step_stage;

/* And what it was about; is_ready: it may go on. */
typedef struct mo_pause {
    int is_ready;
    mo_step_stage stage;
    int overlap_rounds; /* done */
    mo_status status;   /* of the answer, before MO_STAGE_LOOK */
    mo_residual residual;
    double h;
    uint32_t generation;
    int bodies, contacts, own_pairs, excluded;
} mo_pause;

/* Of an island in this step, by its leader (accuracy.c). */
typedef struct mo_island_facts {
    int contacts, moves, has_joints;
    int is_driven; /* it touches a kinematic body */
} mo_island_facts;

struct mo_world {
    mo_allocator allocator;
    mo_world_def def;
    double time;
    uint64_t steps;

    mo_sim_body *body;
    size_t body_room;
    int body_places; /* used or free */
    int *living;     /* bodies in the order they came */
    size_t living_room;
    int living_count;

    mo_sim_shape *shape;
    size_t shape_room;
    mo_shape_near *near; /* of each shape */
    size_t near_room;
    mo_surfaces surfaces;
    int shape_places, free_shapes;
    int *boundless; /* shapes that fill half of space */
    size_t boundless_room;
    int boundless_count;

    mo_sim_joint *joint;
    size_t joint_room;
    int joint_places;
    int *jointed; /* living joints, in the order they came */
    size_t jointed_room;
    int jointed_count;

    mo_sim_mechanism **mechanism; /* NULL: this place is free */
    size_t mechanism_room;
    int mechanism_places, mechanism_count;
    mo_pair *excluded; /* bodies that never touch, sorted */
    size_t excluded_room;
    int excluded_count;
    struct mo_own_pair *own_pair; /* shapes that touch with a surface of their own, sorted */
    size_t own_pair_room;
    int own_pair_count;
    double *jacobian; /* working space for one block */
    size_t jacobian_room;

    uint32_t generation; /* of the next thing that is added */
    mo_tree *tree;
    mo_pairs pairs, fresh_pairs, spare_pairs; /* pairs.h */
    int pairs_are_stale;                      /* something came or went */
    int strayed;                              /* shapes that have */
    int strayed_before;                       /* in the last step */
    int refits;                               /* steps since boxes moved in the tree */
    int reach_out;                            /* shapes that do */
    double least_margin;                      /* of all shapes */
    int has_driven;                           /* bodies */
    int *leader; /* of the island of each place of a body while islands are found, or MO_NONE */
    size_t leader_room;
    mo_island_facts *island; /* of each leader, likewise */
    size_t island_room;
    double tol;       /* of this step: the coarsest that was asked for */
    int coarse_count; /* contacts that are solved to it, where it is not solver.tol */
    int *pair_start;  /* of each shape, while they are sorted */
    size_t pair_start_room;
    mo_touch_list touches;
    mo_sim_contacts contacts, before;
    mo_pairs overlapping;  /* at the end of the step */
    double overlap_before; /* of pairs that may overlap, at the start of the step, over the size */
    int is_projected;      /* positions were, in this step */
    double ends;           /* of the step, on the clock (deadline.c) */
    int is_cut_short;      /* by that */
    mo_pause pause;        /* likewise */
    mo_late_contact *late;
    size_t late_room;
    int late_count;

    struct mo_recycler *recycler; /* memory of problems and results */
    mo_builder *builder;
    mo_problem *problem;
    mo_result result;
    mo_problem *side_problem; /* of the projection, so that the step's own stay */
    mo_result side_result;
    double *start;
    size_t start_room;

    /* The contacts of each place of a body, while there are impacts (impact.c). */
    int *touch_start, *touching;
    size_t touch_start_room, touching_room;
    unsigned char *seen; /* of contacts */
    size_t seen_room;

    int *crowd; /* of each body: overlaps that are deep, in this step (contacts.c) */
    size_t crowd_room;
    int left_out;                            /* pairs that overlap deeply, beyond those */
    int has_too_many_pairs;                  /* the last search for pairs was given up */
    double last_step;                        /* h, for forces from impulses */
    mo_hold joints_hold;                     /* in this step */
    int masses_are_fit;                      /* as they were when they were last looked at */
    double kinetic_energy, potential_energy; /* of the bodies at the end of the step */
    struct mo_device_heap *heap; /* where it is stepped on a device (device_heap.h), or NULL */
    mo_message device_note;      /* why it is not, where that was asked for */
    int is_canonical;            /* the impulses of the last solve are (impulses.c) */
    int was_canonical;           /* at the start of the step, for one that is refused */
};

/* The default method, which may then be helped by what the simulator knows. */
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

/* A first-order world is one of Newton's with velocities that are forgotten and masses that make up
 * for it: M h / first_order. */
static inline double mo_mass_scale(const mo_world *world, double h)
{
    return world->def.first_order > 0 ? h / world->def.first_order : 1;
}

/* Is a contact one of an island that is solved to the coarse tolerance? */
static inline int mo_is_coarse(const mo_world *world, const mo_sim_contact *contact)
{
    return world->body[contact->body[0]].is_coarse || world->body[contact->body[1]].is_coarse;
}

/* Does it take part in the problem by velocities of its own? */
static inline int mo_moves_freely(const mo_sim_body *body)
{
    return (body->kind == MO_BODY_FREE || body->kind == MO_BODY_LINK) && !body->is_asleep;
}

/* The place of an id, or MO_NONE where it is stale. */
int mo_body_place(const mo_world *world, mo_body_id id);
int mo_shape_place(const mo_world *world, mo_shape_id id);
int mo_joint_place(const mo_world *world, mo_joint_id id);
/* "there is no body with this id ...": of a thing that was removed, or is in another world. */
mo_error mo_fail_stale(mo_message *why, const char *what, int32_t index, uint32_t generation);
mo_body_id mo_body_id_of(const mo_world *world, int place);

/* Pose of the body's frame from the centre of mass; of a shape of it, in the world. */
mo_pose mo_sim_body_pose(const mo_sim_body *body);
mo_pose mo_shape_pose(const mo_sim_body *body, const mo_sim_shape *shape);
/* The same, were the body's centre of mass there and its orientation this. */
mo_pose mo_shape_pose_at(const mo_sim_body *body, const double x[3], const double orientation[4],
                         const mo_sim_shape *shape);

/* What most loops over contacts read of a body. */
static inline void mo_body_prefetch(const mo_world *world, int place)
{
    mo_prefetch(world->body + place, offsetof(mo_sim_body, start_v));
}

/* Of a loop over living bodies at k: it will read so many bytes of each, from there on. */
static inline void mo_living_prefetch(const mo_world *world, int k, size_t from, size_t size)
{
    if (k + MO_AHEAD / 2 < world->living_count) {
        mo_prefetch((const char *)(world->body + world->living[k + MO_AHEAD / 2]) + from, size);
    }
}

/* Velocity of the body's point at `at` (world) that moves with v: all velocities, of the centre and
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

/* From the centre of one of its bodies to the point of a contact. */
static inline void mo_contact_arm(const mo_world *world, const mo_sim_contact *contact, int side,
                                  double arm[3])
{
    if (contact->late != MO_NONE) {
        mo_vec3_copy(world->late[contact->late].arm[side], arm);
    } else {
        mo_vec3_minus(contact->point, world->body[contact->body[side]].x, arm);
    }
}

/* deadline.c */
void mo_deadline_start(mo_world *world);
double mo_deadline_share(const mo_world *world); /* s: for the next solve */
/* Is the answer at hand not good enough to take the step, and the time over? */
int mo_deadline_waits(const mo_world *world, double h);
/* A step whose time is over keeps contacts and problem for the next call; is this the next one,
 * with nothing changed? */
int mo_pause_is_possible(const mo_world *world);
void mo_pause_begin(mo_world *world, double h);
int mo_pause_ends(mo_world *world, double h);
int mo_deadline_has(const mo_world *world, double seconds); /* for something that takes so long */
int mo_deadline_is_over(mo_world *world);
int mo_deadline_is_near(const mo_world *world); /* too near for a first solve */
/* answer.c: one round of a step, from the contacts that take part to next_v and impulses; where it
 * goes on, from the problem and the impulses that there are */
mo_error mo_step_solve(mo_world *world, double h, int goes_on, mo_step_report *report,
                       mo_message *why);
/* No time is left: this is what comes next. */
void mo_step_postpone(mo_world *world, mo_step_stage next);
/* report.c: what a step says of itself at its end */
void mo_report_fill(mo_world *world, mo_step_report *report);

/* ---- the parts of a step, in their order ----------------------------------------------------- */

/* body.c */
mo_error mo_body_weigh(mo_world *world, int place,
                       mo_message *why); /* mass, centre, inertia from def and shapes */
void mo_body_wake(mo_world *world, int place);
void mo_body_turn_inertia(mo_sim_body *body); /* world_inertia at its orientation */
/* energy.c: of a body at its present pose and velocity */
double mo_body_kinetic_now(const mo_world *world, const mo_sim_body *body);
double mo_body_potential(const mo_world *world, const mo_sim_body *body);

/* contacts.c: contacts within reach of a step of h, matched with world->before. */
mo_error mo_contacts_find(mo_world *world, double h);
/* Touches at the present positions, within reach of a step of h (or 0) with v and free_v. */
mo_error mo_contacts_list(mo_world *world, double h, mo_sim_contacts *list);
/* Touches at the present poses of the shapes that touch in `of`, a list in order; so is this one.
 */
mo_error mo_contacts_again(mo_world *world, const mo_sim_contacts *of, mo_sim_contacts *list);
/* Touches at the present positions as frictionless contacts that all take part, into world->before.
 */
mo_error mo_contacts_touching(mo_world *world);
/* More of them, of bodies that next_v makes faster than was thought when they were found. */
mo_error mo_contacts_look_again(mo_world *world, double h);
/* Touches of a pair at these poses, as contacts at the end of the list, by feature. */
mo_error mo_contacts_collide(mo_world *world, const mo_pair *pair, const mo_pose at[2],
                             double margin, mo_sim_contacts *list);
/* By shapes and feature: below, equal to or above zero. */
int mo_contact_order(const mo_sim_contact *c, const mo_sim_contact *d);
/* Sorts the contacts from `sorted` on into those before. */
mo_error mo_contacts_merge(mo_world *world, int sorted);

/* overlap.c: pairs that would overlap at the end of the step with next_v, into
 * world->overlapping.  Where `takes`, and one of them does so by much, contacts of theirs: *count
 * pairs. */
mo_error mo_overlaps_look(mo_world *world, double h, int takes, int *count);

/* contacts_take.c */
/* Which of them take part, by start_v and free_v (constraint = 0, else MO_NONE); after the impacts.
 */
void mo_contacts_choose(mo_world *world, double h);
/* And of those that were left out, the ones which next_v closes to less than `depth` of a body's
 * size: so many, which take part from now on where `takes`. */
int mo_contacts_take_closing(mo_world *world, double h, double depth, int takes);
void mo_contacts_drop_late(mo_world *world); /* those that were taken later than at the start */
/* The others are forgotten, but for those that bounced. */
void mo_contacts_keep_taken(mo_world *world);
int mo_contacts_taken(const mo_world *world); /* so many take part */
double mo_contact_approach(const mo_world *world,
                           const mo_sim_contact *contact); /* u_N with start_v */

/* impact.c: slower impacts do not bounce */
double mo_impact_speed(const mo_world *world, double h);
/* Impacts that bounce, one after the other: start_v; `count` of them */
mo_error mo_impacts(mo_world *world, double h, mo_step_report *report, int *count, mo_message *why);

mo_error mo_check_masses(mo_world *world, mo_message *why);
/* Tolerances up to this are met by Newton's method, not by sweeps. */
#define MO_FINE_TOLERANCE 1e-8

/*
 * impulses.c: impulses of world->problem into world->result, from world->start (or from zero).  h:
 * of gaps, which are rounded; infinite where the problem has none.
 */
mo_error mo_find_impulses(mo_world *world, double h, int from_start, mo_message *why);
/* A better answer where a contact of the last one penetrates by much: then *is_better. */
mo_error mo_slow_penetration(mo_world *world, double h, int *is_better, mo_message *why);
double mo_body_kinetic(const mo_world *world, const mo_sim_body *body, const double v[6]);

/* accuracy.c: which islands this step solves to the coarse tolerance, into is_coarse of bodies and
 * world->tol; the others, from the present impulses, by these options */
mo_error mo_accuracy_choose(mo_world *world, double h);
mo_error mo_accuracy_solve_fine(mo_world *world, const mo_options *options);
/* next_v of islands at rest becomes zero */
mo_error mo_accuracy_rest(mo_world *world, double h);

/* passive.c: the energy that the step which next_v ends would leave above what there was, with
 * nothing that has given it; 0: none but rounding */
double mo_step_gain(const mo_world *world, double h);
void mo_hold_otherwise(mo_world *world); /* then: the next of mo_hold */

/* energy_gain.c: takes the gain out of next_v; false where it cannot.  Without `does_it`: can it?
 */
int mo_remove_energy_gain(mo_world *world, double h, double gain, int does_it);

/* joint_ahead.c: the worst error of a joint at the poses to which next_v leads, over the size of a
 * body; K of a body there, from the impulses of the last solve */
double mo_joints_error_ahead(mo_world *world, double h);
void mo_joints_stiffness(mo_world *world, int place, double h, double K[36]);
/* next_v as a guess (NULL: no memory); next_v, where it is too far from the guess, part of the way
 * back, and then the guess: was it? */
double *mo_guess_take(const mo_world *world);
int mo_guess_cut(mo_world *world, double h, double *guess);

/* projection.c: positions without penetration and joint errors, velocities as they are; the deepest
 * overlap that is left where something was moved, over the size */
mo_error mo_project_positions(mo_world *world, double *deepest, mo_message *why);

/* islands.c: islands of the step that is done; sleep and waking.  Returns the number of islands. */
int mo_islands_update(mo_world *world);
int mo_islands_wake_touched(mo_world *world);     /* what sleeps and is about to be hit; how many */
void mo_islands_wake(mo_world *world, int place); /* a body and what slept with it */

/* advance.c */
/* Turned by h spin; out may be the orientation. */
void mo_advance_turn(const double orientation[4], const double spin[3], double h, double out[4]);
void mo_advance_body(const mo_world *world, mo_sim_body *body, double h); /* free_v from start_v */
void mo_advance_start(mo_world *world, double h); /* start_v and free_v of every body */
void mo_advance_free(mo_world *world, double h);  /* free_v, from another start_v */
/* Poses at the end of the step, of links and where there are joints; is all finite there? */
mo_error mo_advance_poses(mo_world *world, double h, mo_message *why);
void mo_advance_accept(mo_world *world, double h); /* the next state becomes the present one */

/* What a problem is made for: the step itself, an impact at its start, or positions at its end (h =
 * 1, v = displacements). */
typedef enum mo_phase_kind {
    MO_PHASE_STEP,
    MO_PHASE_IMPACT,
    MO_PHASE_PROJECTION,
    MO_PHASE_FORCE /* v = accelerations (forces.c) */
} mo_phase_kind;

typedef struct mo_instant mo_instant; /* forces_data.h */

typedef struct mo_phase {
    mo_phase_kind kind;
    double h;
    double restitution;        /* of an impact: a factor on those of the contacts */
    double softness;           /* compliance of contacts over their own response; 0: hard */
    const mo_instant *instant; /* of forces */
} mo_phase;

/* assemble.c: the problem of the contacts that take part (constraint >= 0) and the joints. */
mo_error mo_assemble(mo_world *world, const mo_phase *phase, mo_message *why);
void mo_assemble_velocities(mo_world *world);       /* next_v alone */
void mo_assemble_answer(mo_world *world, double h); /* next_v, impulses, modes */
void mo_assemble_finish(mo_world *world);           /* velocities of contacts, of the last answer */
/* Of b against a at the point of a contact, with next_v. */
void mo_contact_velocity(const mo_world *world, const mo_sim_contact *contact, double out[3]);
/* w_N of a contact. */
double mo_contact_normal_w(const mo_world *world, const mo_sim_contact *contact,
                           const mo_phase *phase);

/* joint.c */
void mo_joint_assemble(mo_world *world, int place,
                       const mo_phase *phase); /* its bodies have their blocks */
/* Rows into the problem; sign turns them. */
struct mo_joint_rows;
void mo_joint_add_part(mo_world *world, mo_sim_joint *joint, mo_joint_part part, const mo_law *law,
                       const struct mo_joint_rows *rows, double sign, const double *w);
void mo_joint_answer(mo_world *world, int place, double h);
/* forces_step.c: mo_world_step at the acceleration level */
mo_error mo_forces_step(mo_world *world, double h, mo_step_report *report, mo_message *why);
/* forces_rows.c */
void mo_instant_force(const mo_world *world, mo_sim_body *body, const mo_instant *instant,
                      double f[6]);
void mo_instant_joint(mo_world *world, int place, const mo_instant *instant);
void mo_instant_known(mo_world *world, const mo_instant *instant);
void mo_joint_write_start(const mo_world *world, int place, double *start);

/* The six numbers of velocities of a body that is no link, as a body block has them. */
void mo_to_block(const mo_world *world, const double v[6], double *out);
/* A line of a Jacobian (on velocity of the centre and spin) as a row over the velocities of the
 * body's block, and how many these are. */
void mo_block_row(const mo_world *world, const mo_sim_body *body, const double line[6],
                  double *row);
int mo_block_rows(const mo_world *world, const mo_sim_body *body);

/* mechanism_step.c: what mechanisms do in each part of a step */
void mo_mechanisms_begin(mo_world *world, double h); /* start_v, and their controls are asked */
void mo_mechanisms_free(mo_world *world, double h);
mo_error mo_mechanisms_check(const mo_world *world, mo_message *why);
int mo_mechanisms_look_again(mo_world *world, double h);
void mo_mechanism_add_block(mo_world *world, int place, const mo_phase *phase);
void mo_mechanisms_assemble(mo_world *world, const mo_phase *phase);
void mo_mechanisms_velocities(mo_world *world);
void mo_mechanisms_accept_impact(mo_world *world);
void mo_mechanisms_kinetic(const mo_world *world, double *before, double *after);
void mo_mechanisms_poses(mo_world *world, double h);
void mo_mechanisms_accept(mo_world *world, double h);
void mo_mechanisms_displace(mo_world *world, double unit);
/* How far the worst coupling is off, or the worst joint beyond a limit, rad or m; limits that are
 * near take part. */
double mo_mechanisms_worst(mo_world *world);

/* mechanism.c */
void mo_mechanism_weigh(mo_world *world, int place); /* the body of a link has another mass */
void mo_mechanism_remove_place(mo_world *world, int place);
void mo_mechanisms_clear(mo_world *world);
int mo_mechanism_keeps_apart(const mo_world *world, const mo_sim_body *a, const mo_sim_body *b);
int mo_is_excluded(const mo_world *world, int a, int b);

/* shapes.c: into the tree, or among the boundless. */
mo_error mo_shape_enter(mo_world *world, int place);
/* Frees the place of a shape that is no longer in its body's list. */
void mo_forget_shape(mo_world *world, int place);
/* Wakes what sleeps near a shape, and may rest on it. */
void mo_wake_around(mo_world *world, int place);
/* The contacts of a shape of the body (MO_NONE: of all); wakes what was in contact. */
void mo_forget_contacts(mo_world *world, int body, int shape);

/* own_pairs.c: the surface of two shapes that have one of their own, or NULL. */
const mo_material *mo_own_pair(const mo_world *world, int a, int b);
/* surfaces.c: the number of a material among world->surfaces, or MO_NONE where there is no more
 * room; what two shapes have between them, in *found where it had to be found. */
int mo_surface_number(mo_world *world, const mo_material *material);
void mo_surfaces_renew(mo_world *world); /* by other rules */
const mo_material *mo_surface_between(const mo_world *world, int a, int b, mo_material *found);
int mo_pair_never_touches(const mo_world *world, int a, int b);
/* From now on two shapes never touch; MO_ERR_MEMORY. */
mo_error mo_pair_part(mo_world *world, int a, int b);
/* Of a shape of the body (MO_NONE: of all). */
void mo_forget_own_pairs(mo_world *world, int body, int shape);
void mo_forget_exclusions(mo_world *world, int place);

/* mechanism_get.c */
mo_error mo_mechanism_set_root(mo_world *world, int place, const mo_pose *pose,
                               const double velocity[3], const double spin[3], mo_message *why);
void mo_mechanism_rest(mo_world *world, int place); /* of one that falls asleep: v = 0 */
int mo_mechanism_stays_awake(const mo_world *world, int place);
int mo_mechanism_first(const mo_world *world,
                       int place); /* the body of its first link that moves */
/* Adds what is not that of the bodies: rotors, springs, compensated weight. */
void mo_mechanisms_energy(const mo_world *world, mo_energy *energy);

/* mechanism_state.c */
size_t mo_mechanisms_size(const mo_world *world); /* in doubles */
void mo_mechanisms_save(const mo_world *world, char *to);
int mo_mechanisms_sound(const mo_world *world, const char *from);
void mo_mechanisms_load(mo_world *world, const char *from);

#endif
