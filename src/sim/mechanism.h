/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Mechanisms in a world.
 *
 *   mechanism_def.c      definitions and their checks
 *   mechanism.c          adding and removing
 *   mechanism_get.c      reading, changing, dynamics
 *   mechanism_step.c     free velocities before the solve, new coordinates after it
 *   mechanism_rows.c     limits, dry friction and actuators in the problem
 *   mechanism_friction.c joints that slide on or hold, without rows
 *   mechanism_tendon.c   tendons: sums of joints; spring, friction
 *   mechanism_path.c     spatial tendons: length and moment arms
 *   mechanism_drive.c    actuators: transmission, effort and state
 *   mechanism_medium.c   drag of air and water
 *   mechanism_couple.c   couplings of joints and tendons
 *   mechanism_state.c    saved state
 */
#ifndef MO_SIM_MECHANISM_H
#define MO_SIM_MECHANISM_H

#include "mechanism/linkage.h"
#include "sim/world_data.h"

/* The lower and upper limit of a joint or tendon. */
typedef struct mo_sim_stop {
    int takes[2], constraint[2]; /* in the problem of this step */
    double impulse[2];           /* of the last step */
} mo_sim_stop;

typedef struct mo_sim_axis {
    mo_axis_def def; /* the name is the world's copy */
    mo_sim_stop stop;
    int friction_constraint;    /* in the problem of this step */
    double friction_impulse[6]; /* of the last step */
    /* Forms of dry friction (mechanism_friction.c): the direction in which it is expected to slide,
     * 1 or -1, or 0; did it slide or hold in the last step?  The same in this step. */
    double slip, had_form;
    double slides;
    int holds;
} mo_sim_axis;

typedef struct mo_sim_tendon {
    mo_tendon_def def;     /* without its arrays; the name is the world's copy */
    double *arm;           /* dl/dq, its row over the velocities; without a path it never changes */
    double reference;      /* its length while all joints are at theirs */
    mo_tendon_point *path; /* NULL: a sum of joints */
    double length;         /* of the path, at the present q */
    mo_sim_stop stop;
    int friction_constraint;
    double friction_impulse;
} mo_sim_tendon;

/* The box of a link in the medium: edges, and axes in its frame as columns. */
typedef struct mo_drag_box {
    double edge[3], axes[9];
} mo_drag_box;

typedef struct mo_sim_actuator {
    mo_actuator_def def;
    double target;
    double state;     /* that follows it, with dynamics */
    double effort;    /* of the last step */
    int is_saturated; /* at a limit at the end of the last step */
    int is_row;       /* of this step's problem, not part of the mass matrix */
    int constraint;
} mo_sim_actuator;

typedef struct mo_sim_coupling {
    mo_coupling_def def;
    double impulse; /* of the last step */
} mo_sim_coupling;

struct mo_sim_mechanism {
    uint32_t generation;
    char *name;
    char **names; /* of joints, actuators, tendons */
    mo_linkage tree;
    int *body;      /* the place of each link's body */
    int *weld;      /* of each link: the first link of its rigid group; MO_NO_LINK: the world's */
    int *neighbour; /* the same of the group below */
    mo_sim_axis *axis;
    mo_sim_actuator *actuator;
    int actuators;
    mo_sim_tendon *tendon;
    mo_tendon_point *tendon_points; /* of all paths */
    int tendons;
    double *gravity_compensation; /* of each link: the part of its weight that is compensated */
    mo_sim_coupling *coupling;
    int couplings;
    int coupling_constraint; /* of the first, in the problem of this step; or MO_NONE */
    size_t coupling_room;
    mo_control_fn *control;
    void *control_user;
    int collides_parents;
    mo_medium medium;
    mo_drag_box *box; /* of each link */

    double *numbers;              /* all of these: */
    double *q, *next_q, *posed_q; /* the last: that of `pose` */
    double *v, *start_v, *free_v,
        *next_v;           /* as those of a body                                   */
    double *push, *effort; /* from outside in the next step; in this one, with the control's */
    double *rhs, *row, *bias, *turned; /* A free_v; working space */
    double *kick;                      /* change of v by forces and impulses in the last step */
    double pull;                       /* twice the energy of that by efforts and gravity alone */
    double *M, *A, *F;                 /* mass; with the implicit terms of a step; factor */
    double *packed;                    /* A of the velocities that are free */
    /* The mechanisms that loops join (joint_span.c): the place of the first, and at that one their
     * velocities, and orthonormal rows of the loops so far; the own velocities among them. */
    int group, group_dofs, spanned, group_at;
    double *span;
    size_t span_room;
    int *free_dof, free_count; /* velocities of joints that do not hold */
    double wait, last_wait;    /* steps without new forms of friction; after the last wrong one */
    double (*motion)[6];
    mo_pose *pose;
    int block;       /* in the problem of this step, or MO_NONE */
    int block_dofs;  /* its velocities: all, or those that are free */
    int is_singular; /* its mass matrix is not positive definite */
};

static inline mo_sim_mechanism *mo_mechanism_at(const mo_world *world, mo_mechanism_id id)
{
    const int place = id.index > 0 ? id.index - 1 : MO_NONE;
    const int is_there = place >= 0 && place < world->mechanism_places && id.generation &&
                         world->mechanism[place] &&
                         world->mechanism[place]->generation == id.generation;
    return is_there ? world->mechanism[place] : NULL;
}

/* Displacement of the spring of joint k: from its rest, or a rotation vector. */
static inline void mo_axis_stretch(const mo_sim_mechanism *mechanism, int k, double stretch[6])
{
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const double *q = mechanism->q + joint->q_at;
    memset(stretch, 0, 6 * sizeof *stretch);
    if (joint->kind == MO_AXIS_BALL)
        mo_rotation_vector(q, stretch);
    else if (mo_axis_v_count(joint->kind) == 1)
        stretch[0] = q[0] - mechanism->axis[k].def.rest;
}

/* A sleeping mechanism sleeps with all its links. */
int mo_mechanism_moves(const mo_world *world, const mo_sim_mechanism *mechanism);
void mo_mechanism_wake(mo_world *world, const mo_sim_mechanism *mechanism);

/* mechanism_def.c */
mo_error mo_mechanism_check(const mo_world *world, const mo_mechanism_def *def, mo_message *why);

/* mechanism_tendon.c */
mo_error mo_tendons_make(mo_sim_mechanism *mechanism, const mo_mechanism_def *def,
                         const mo_allocator *allocator);
/* Lengths that a definition leaves open, once the tree has its first coordinates. */
void mo_tendons_measure(mo_sim_mechanism *mechanism, double *q);
double mo_tendon_length(const mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon);
/* Its distance outside the slack. */
double mo_tendon_stretch(const mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon);
/* Spring and damper over a step of h, into A and rhs; with h = 0 as forces by q and v now, into
 * rhs. */
void mo_tendon_pull(mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon, double h);
void mo_tendon_add_friction(mo_world *world, mo_sim_mechanism *mechanism, mo_sim_tendon *tendon,
                            const mo_phase *phase);

/* mechanism_path.c: length and arms of spatial tendons at the present q of the tree. */
void mo_tendons_place(mo_sim_mechanism *mechanism);
mo_error mo_tendon_check_path(const mo_mechanism_def *all, int k, mo_message *why);

/* mechanism_drive.c: the transmission of an actuator at the present q. */
typedef struct mo_actuator_drive {
    double length, speed;
    int from, to;      /* the velocities that it drives: the rest of its row is zero */
    const double *row; /* over these */
} mo_actuator_drive;
/* `row` is memory for one that is not part of the definition, over all velocities. */
mo_actuator_drive mo_actuator_measure(const mo_sim_mechanism *mechanism,
                                      const mo_sim_actuator *actuator, const double *v,
                                      double *row);
/* Its row over all velocities. */
void mo_actuator_write_row(const mo_sim_mechanism *mechanism, const mo_actuator_drive *drive,
                           double *row);
static inline double mo_actuator_speed(const mo_actuator_drive *drive, const double *v)
{
    double speed = 0;
    for (int k = drive->from; k < drive->to; ++k)
        speed += drive->row[k - drive->from] * v[k];
    return speed;
}

/* The effort by q and v now, within its limits; its row is put into mechanism->row. */
double mo_actuator_effort(mo_sim_mechanism *mechanism, const mo_sim_actuator *actuator);
/* The state at the end of a step of h. */
void mo_actuator_follow(mo_sim_actuator *actuator, double h);
/* The input that the gain multiplies. */
static inline double mo_actuator_input(const mo_sim_actuator *actuator)
{
    return actuator->def.dynamics == MO_DYNAMICS_NONE ? actuator->target : actuator->state;
}
/* e = constant - slope l'+ of a step of h, before its limits. */
typedef struct mo_actuator_line {
    double constant, slope;
    mo_actuator_drive drive; /* its row may lie in mechanism->row */
} mo_actuator_line;
mo_actuator_line mo_actuator_line_of(const mo_sim_mechanism *mechanism,
                                     const mo_sim_actuator *actuator, double h);
/* Which rows they take, by start_v and free_v. */
void mo_mechanism_choose(mo_sim_mechanism *mechanism, double h);
/* At an instant: limits that are reached, within `gap`, and not left faster than `speed`. */
void mo_mechanism_choose_reached(mo_sim_mechanism *mechanism, double gap, double speed);
/* More of them, where next_v shows that they are needed; how many. */
int mo_mechanism_look_again(mo_sim_mechanism *mechanism, double h);
void mo_mechanism_add_rows(mo_world *world, mo_sim_mechanism *mechanism, const mo_phase *phase);
/* The velocities of joint k on which a limit (0: lower, 1: upper) acts; returns their number. */
int mo_mechanism_limit_row(const mo_sim_mechanism *mechanism, int k, int side, double row[3]);
int mo_mechanism_has_rows(const mo_sim_mechanism *mechanism, const mo_phase *phase);
void mo_mechanism_write_start(const mo_world *world, const mo_sim_mechanism *mechanism,
                              double *start);
/* The answer of a step of d, in next_v and r; factors that make impulses of the step, and efforts,
 * of r. */
void mo_mechanism_read_rows(const mo_world *world, mo_sim_mechanism *mechanism, double d,
                            double to_impulse, double to_effort);

/* mechanism_friction.c: the forms of friction for a step of h (0: rows), and for the next one */
void mo_mechanism_begin_friction(mo_world *world, mo_sim_mechanism *mechanism, double h);
void mo_mechanism_predict_friction(mo_sim_mechanism *mechanism, double h);
int mo_friction_is_row(const mo_sim_axis *axis);
/* Joints that the answer contradicts, or all, become rows: how many. */
int mo_mechanism_release(mo_sim_mechanism *mechanism, double h, int all);
/* A and f such that joints that hold have no velocity. */
void mo_mechanism_hold(const mo_sim_mechanism *mechanism, double *A, double *f);
/* The block of the other velocities, or MO_NONE where there are none; rows over all velocities in
 * the block of the problem; all velocities from those of the block. */
int mo_mechanism_add_free_block(mo_world *world, mo_sim_mechanism *mechanism);
void mo_mechanism_add_jacobian(mo_world *world, const mo_sim_mechanism *mechanism, int constraint,
                               int rows, double *J);
void mo_mechanism_read_velocities(const mo_sim_mechanism *mechanism, const double *v, double *out);
void mo_mechanism_add_friction(mo_world *world, mo_sim_mechanism *mechanism, int k,
                               const mo_phase *phase);
void mo_mechanism_read_friction(const mo_world *world, mo_sim_mechanism *mechanism, double h);

/* mechanism_medium.c: drag over a step of h, into A and rhs; with h = 0 as forces by v now, into
 * rhs. */
void mo_mechanism_drag(mo_sim_mechanism *mechanism, double h);
/* The box of a link whose mass has changed. */
void mo_mechanism_find_box(mo_sim_mechanism *mechanism, int link);

/* mechanism_couple.c */
double mo_mechanism_coupling_error(const mo_sim_mechanism *mechanism);
void mo_mechanism_add_couplings(mo_world *world, mo_sim_mechanism *mechanism,
                                const mo_phase *phase);
/* Of coupling k, over the velocities, at the present q. */
void mo_coupling_row(const mo_sim_mechanism *mechanism, int k, double *row);

/* mechanism_step.c */
void mo_mechanism_free(const mo_world *world, mo_sim_mechanism *mechanism, double h);
/* rhs gains h times gravity, and forces on links. */
void mo_mechanism_add_forces(const mo_world *world, mo_sim_mechanism *mechanism, double h);
/* row A^-1 row' of a step that was begun; spoils the row. */
double mo_mechanism_response(const mo_sim_mechanism *mechanism, double *row);
/* Bodies' poses and velocities from q and v. */
void mo_mechanism_place_links(mo_world *world, mo_sim_mechanism *mechanism);

#endif
