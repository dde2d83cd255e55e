/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A step: its record, and its phases in their order.
 *
 *   predict   free velocities (advance.c)
 *   collide   pairs and contacts within reach (pairs.c, contacts.c)
 *   impacts   that bounce (impact.c)
 *   solve     rounds of assemble, solve and checks (answer.c, impulses.c, overlap.c, joint_ahead.c)
 *   accept    new poses, projection, report (advance.c, projection.c, report.c)
 */
#ifndef MO_SIM_STEP_H
#define MO_SIM_STEP_H

#include "base/pace.h"
#include "sim/contact_list.h"
#include "sim/records.h"
#include "sim/team.h"

/* How joints are held in a step (passive.c). */
typedef enum mo_hold {
    MO_HOLD_HERE,  /* at the poses of its start; drift is taken back */
    MO_HOLD_AHEAD, /* at the poses to which the motion leads */
    MO_HOLD_SPEED  /* in velocity alone: cannot add energy, leaves the drift */
} mo_hold;

/* Progress of a step: which part of the state at its start is kept where (deadline.c). */
typedef enum mo_step_stage {
    MO_STAGE_START,  /* the world is unchanged */
    MO_STAGE_SOLVE,  /* the contacts of the start are in world->before */
    MO_STAGE_ACCEPT, /* and the bodies in step.kept */
} mo_step_stage;

/* The state of a joint at the start of a step. */
typedef struct mo_kept_joint {
    double q, impulse[MO_JOINT_IMPULSES], force[3], moment[3], effort;
} mo_kept_joint;

typedef struct mo_step {
    double h; /* s */
    mo_step_report report;
    mo_error error;
    mo_message why; /* of that error */
    mo_hold joints_hold;
    double tol;          /* relative: the coarsest that was requested */
    int coarse_count;    /* contacts that are solved to it, where it is not solver.tol */
    int misses;          /* the most of all bodies */
    int has_missed;      /* the last coarse solve, with all its iterations or spared them */
    int missed;          /* solves of this step that found no solution (checks.c) */
    int ease;            /* what rounds give up as no solution was found otherwise (answer.c) */
    double smooth;       /* part by which they reduce friction in islands with kinematic bodies */
    int has_corrections; /* contacts of the last problem correct errors of position */
    int has_pushed;      /* kinematic bodies rub on others in it */
    int tried_count;     /* contacts of islands that are tried to solve to solver.tol */
    int is_settling;     /* the coarse islands are all near rest */
    int is_loose;        /* a mechanism, solved to the coarse tolerance after all (impulses.c) */
    int most_iterations; /* of each solve; 0: those of the world */
    int rough_rounds;    /* that may follow, solved less exactly (impulses.c) */
    int is_rough;        /* the last round: it is not the last of the step */
    int touched_count;   /* bodies of its problem that contacts or joints touch; these come first */

    /* Rounds since joints were last held otherwise; of Newton's method on joints held ahead. */
    int late_rounds, overlap_rounds, newton_rounds;
    double *guess;       /* next_v that joints are held ahead of, while they are */
    int has_open_joints; /* at the end of the step: the projection closes them; then: it did not */

    mo_late_contact *late; /* records of contacts that were taken late */
    size_t late_room;
    int late_count;
    mo_pairs overlapping;  /* at the end of the step */
    int has_held_back;     /* a body may be (overlap.c) */
    double overlap_before; /* of pairs that may overlap, at its start, over the size */
    int *crowd;            /* of each body: overlaps that are deep (contacts.c) */
    size_t crowd_room;
    int left_out;      /* pairs that overlap deeply, beyond those */
    int was_canonical; /* at its start, for one that is refused */

    /* The time limit (deadline.c): */
    mo_step_stage stage;
    struct mo_paced *paced; /* its phases, or NULL where there was no limit yet */
    int is_paced;           /* there is one in this step */
    int is_waiting;         /* for the next call */
    int is_given_up;        /* since the world was changed meanwhile */
    int begins_again;       /* after that */
    int tries;              /* solves that ended too early */
    double finer_tol;       /* to which the present round is solved; 0: solver.tol */
    mo_sim_body *kept; /* world->body at the start, which takes its place while the step waits */
    size_t kept_room;
    mo_kept_joint *kept_joint; /* of world->jointed */
    size_t kept_joint_room;
    double *kept_mechanisms; /* their saved state */
    size_t kept_mechanisms_room;
    double kept_time, kept_last; /* world->time and last_step */
    uint64_t kept_steps;
} mo_step;

typedef struct mo_instant mo_instant; /* forces_data.h */

/* The purpose of a problem: the step itself, an impact at its start, or positions at its end (h =
 * 1, v = displacements). */
typedef enum mo_phase_kind {
    MO_PHASE_STEP,
    MO_PHASE_IMPACT,
    MO_PHASE_PROJECTION,
    MO_PHASE_FORCE /* v = accelerations (forces.c) */
} mo_phase_kind;

typedef struct mo_phase {
    mo_phase_kind kind;
    double h;
    double restitution;        /* of an impact: a factor on those of the contacts */
    double softness;           /* compliance of contacts over their own response; 0: hard */
    const mo_instant *instant; /* of forces */
} mo_phase;

/* deadline.c: runs the phases, in as many calls as the time limit requires; 0: it waits */
int mo_step_run(mo_world *world, void (*phases)(void *));
/* Joints at the start of a step; bodies, before they change, where the step is paced:
 * MO_ERR_MEMORY. */
mo_error mo_step_keep_joints(mo_world *world);
mo_error mo_step_keep_bodies(mo_world *world);
void mo_step_undo_joints(mo_world *world); /* the joints of the start */
/* Ends a step that waits; the state is that of its start. */
void mo_step_give_up(mo_world *world);
double mo_step_share(const mo_world *world); /* s: for the next solve */
/* Has the last solve used its time, and is its answer too coarse to take the step? */
int mo_step_needs_time(mo_world *world, double h);
/* checks.c: does the last solution require another round?  Errors are in step.why */
mo_error mo_step_check(mo_world *world, int *more);
void mo_step_begin_rounds(mo_step *step); /* resets the limits of all checks */
/* Has the step had all solves without a solution that it may have?  It ends with this round. */
int mo_step_is_spent(const mo_step *step);
/* Are joint errors at the end of the step larger than allowed? */
int mo_joints_are_open(mo_world *world, double h);
/* answer.c: one round of a step, from the contacts that take part to next_v and impulses */
mo_error mo_step_solve(mo_world *world, mo_message *why);
/* Friction of a contact in the present round, over that of the contact. */
double mo_step_friction(const mo_world *world, const mo_sim_contact *contact);
/* Does the present solution add energy to the free bodies, beyond the work of the forces on them
 * and more than this fraction of their kinetic energy? */
int mo_answer_gains(const mo_world *world, double h, double part);
/* The sum over free bodies in the problem of a gain of energy, less this fraction of the energies
 * `all` to which it is added. */
typedef double mo_gain_of(const mo_world *world, const mo_sim_body *body, double h, double *all);
double mo_gain_sum(const mo_world *world, double h, double part, mo_gain_of *gain);
/* report.c: fills in the report at the end of a step */
void mo_report_fill(mo_world *world, mo_step_report *report);
/* A step that leaves impacts, late contacts, overlap or open joints becomes unsolved, with a
 * reason. */
void mo_report_left(const mo_world *world, mo_step_report *report);

/* ---- the parts of a step, in their order ----------------------------------------------------- */

/* body.c */
mo_error mo_body_update_mass(mo_world *world, int place,
                             mo_message *why); /* mass, centre, inertia from def and shapes */
void mo_body_wake(mo_world *world, int place);
void mo_body_turn_inertia(mo_sim_body *body); /* world_inertia at its orientation */
/* energy.c: of a body at its present pose and velocity */
double mo_body_kinetic_now(const mo_world *world, const mo_sim_body *body);
double mo_body_potential(const mo_world *world, const mo_sim_body *body);

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
/* The same to a few digits, not canonical: the start of another solve. */
mo_error mo_find_start(mo_world *world, double h, mo_message *why);
/* After steps that were not solved, a solution is likely not to exist.  All methods try after 1, 2,
 * 4, 8, 16, 32, 48, ... of them, and in one round of a step; other steps are spared that. */
int mo_step_is_spared(const mo_world *world);
/* Rounding error of u over all contacts, from the squares of the distances of their points from
 * the origin. */
double mo_place_rounding(double squares, double h);
/* Allowed penetration of contacts and error of joints in a step, relative to the smallest body; 0:
 * they follow from the tolerance, which is fine. */
double mo_step_depth(const mo_world *world);
/* The same for a tolerance that is not fine. */
double mo_depth_at(double tol);
/* The overlap that a step may leave, over the size: velocities of the next one remove it, and a
 * projection of positions what is deeper.  world.overlap, and more at coarse tolerances. */
double mo_overlap_limit(const mo_world *world);
double mo_body_kinetic(const mo_world *world, const mo_sim_body *body, const double v[6]);

/* accuracy.c: the accuracy of islands, into bodies and world->step, before a problem is assembled
 * (h infinite: all are fine); the coarsest tolerance at which the step is solved; the islands of an
 * accuracy, from the present impulses, by these options */
mo_error mo_accuracy_choose(mo_world *world, double h);
double mo_accuracy_tolerance(const mo_world *world);
/* The coarse tolerance that a step of h aims at, or that of the solver. */
double mo_accuracy_coarse(const mo_world *world, double h);
mo_error mo_accuracy_solve(mo_world *world, mo_accuracy accuracy, const mo_options *options);
/* Islands of the contacts that take part and of joints, into world->leader and world->island; that
 * of a body, or of the first body of a contact that moves freely, or NULL */
mo_error mo_accuracy_islands(mo_world *world);
/* In a team: `width` int64_t of the facts from this offset on, over all parts of an island */
mo_error mo_islands_combine(mo_world *world, mo_combine how, size_t offset, int width);
mo_island_facts *mo_island_of(const mo_world *world, int body);
mo_island_facts *mo_island_of_contact(const mo_world *world, const mo_sim_contact *contact);
/* island_gain.c: does an island gain more than this part of its kinetic energies, by the bound
 * there?  True also if memory runs out */
int mo_islands_gain(mo_world *world, double h, double part);
/* Removes the energy that an inexact solution adds from next_v: MO_ERR_MEMORY */
mo_error mo_islands_remove_gain(mo_world *world, double h);
/* The loss of each island before bodies are moved; afterwards, what a projection has lifted them by
 * beyond that is removed from v: MO_ERR_MEMORY */
mo_error mo_islands_keep_loss(mo_world *world, double h);
mo_error mo_islands_remove_lift(mo_world *world);
/* next_v of islands at rest becomes zero */
mo_error mo_accuracy_rest(mo_world *world, double h);

/* passive.c: the energy that the step with next_v would add without a source; 0: none, except for
 * rounding */
double mo_step_gain(const mo_world *world, double h);
/* The energy that the step loses; infinite if something drives the bodies */
double mo_step_loss(const mo_world *world, double h);
/* Removes from the velocities of jointed bodies the energy by which a projection has lifted them */
void mo_remove_lift(mo_world *world, double lift);
void mo_hold_next(mo_world *world); /* switches to the next of mo_hold */

/* energy_gain.c: removes the gain from next_v; false if that is impossible.  Without `does_it` it
 * only tests that. */
int mo_remove_energy_gain(mo_world *world, double h, double gain, int does_it);

/* joint_ahead.c: the worst error of a joint at the poses to which next_v leads, over the size of a
 * body; K of a body there, from the impulses of the last solve */
double mo_joints_error_ahead(mo_world *world, double h);
void mo_joints_stiffness(mo_world *world, int place, double h, double K[36]);
/* A copy of next_v as a guess (NULL: no memory).  If next_v is too far from the guess, moves it
 * part of the way back and makes it the guess; returns whether it did. */
double *mo_guess_take(const mo_world *world);
int mo_guess_cut(mo_world *world, double h, double *guess);

/* projection.c: removes penetration and joint errors from the positions, not from the velocities;
 * *deepest: the largest remaining overlap of moved bodies, over the size */
mo_error mo_project_positions(mo_world *world, double *deepest, mo_message *why);

/* islands.c: islands of the step that is done; sleep and waking.  Returns the number of islands. */
int mo_islands_update(mo_world *world);
int mo_islands_wake_touched(mo_world *world);     /* wakes bodies about to be hit; their number */
void mo_islands_wake(mo_world *world, int place); /* a body and its sleeping island */

/* advance.c */
/* Turned by h spin; out may be the orientation. */
void mo_advance_turn(const double orientation[4], const double spin[3], double h, double out[4]);

/* The free spin y of a body with the inertia J0 and the angular momentum l, both in its axes at the
 * start of a step: J0 y = exp(-h y) l. */
void mo_advance_spin(const double J0[9], const double l[3], double h, double y[3]);
void mo_advance_body(const mo_world *world, mo_sim_body *body, double h); /* free_v from start_v */
void mo_advance_driven(mo_world *world, double h); /* start_v and free_v of kinematic bodies */
void mo_advance_start(mo_world *world, double h);  /* the same of all others */
void mo_advance_free(mo_world *world, double h);   /* free_v, from another start_v */
void mo_advance_ends(mo_world *world, double h);   /* next poses of all bodies */
void mo_advance_carry(mo_world *world, double h);  /* of those that kinematic bodies carry */
/* Poses at the end of the step, of links and of jointed bodies; fails if one is not finite. */
mo_error mo_advance_poses(mo_world *world, double h, mo_message *why);
void mo_advance_accept(mo_world *world, double h); /* the next state becomes the present one */

/* assemble.c: the problem of the contacts that take part (constraint >= 0) and the joints. */
mo_error mo_assemble(mo_world *world, const mo_phase *phase, mo_message *why);
void mo_assemble_velocities(mo_world *world);       /* next_v alone */
void mo_assemble_answer(mo_world *world, double h); /* next_v, impulses, modes */
/* velocities of contacts, of the last answer; which of them may be held */
void mo_assemble_finish(mo_world *world, double h);
/* Of b against a at the point of a contact, with next_v. */
void mo_contact_velocity(const mo_world *world, const mo_sim_contact *contact, double out[3]);
/* w_N of a contact. */
double mo_contact_normal_w(const mo_world *world, const mo_sim_contact *contact,
                           const mo_phase *phase);

/* joint.c */
/* joint_span.c: before the joints of a problem; MO_ERR_MEMORY. */
mo_error mo_loops_begin(mo_world *world);
void mo_joint_assemble(mo_world *world, int place,
                       const mo_phase *phase); /* its bodies have their blocks */
/* Rows into the problem; sign turns them. */
struct mo_joint_rows;
void mo_joint_add_part(mo_world *world, mo_sim_joint *joint, mo_joint_part part, const mo_law *law,
                       const struct mo_joint_rows *rows, double sign, const double *w);
void mo_joint_answer(mo_world *world, int place, double h);
/* Limits, drive and friction of a step of h in the coordinate's row, with u = velocity, or over a
 * time h in forces, with u = scale * velocity + w and scale = 1 / h. */
void mo_joint_add_coordinate(mo_world *world, mo_sim_joint *joint, const struct mo_joint_rows *rows,
                             double h, double scale, double w);
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
/* Rows of world->jacobian, each as mo_block_row writes it, into the problem. */
void mo_add_jacobian(mo_world *world, int constraint, const mo_sim_body *body, int rows);

/* mechanism_step.c: mechanisms in each part of a step */
void mo_mechanisms_begin(mo_world *world, double h); /* start_v; calls their controls */
void mo_mechanisms_free(mo_world *world, double h);
mo_error mo_mechanisms_check(const mo_world *world, mo_message *why);
int mo_mechanisms_look_again(mo_world *world, double h);
/* Joints assumed to stick or slide by their friction become rows if the solution contradicts that,
 * or all of them; returns the number of mechanisms with such joints. */
int mo_mechanisms_release(mo_world *world, double h, int all);
void mo_mechanism_add_block(mo_world *world, int place, const mo_phase *phase);
void mo_mechanisms_assemble(mo_world *world, const mo_phase *phase);
void mo_mechanisms_velocities(mo_world *world);
void mo_mechanisms_accept_impact(mo_world *world);
void mo_mechanisms_kinetic(const mo_world *world, double *before, double *after);
void mo_mechanisms_poses(mo_world *world, double h);
void mo_mechanisms_accept(mo_world *world, double h);
void mo_mechanisms_displace(mo_world *world, double unit);
/* The largest error of a coupling or of a joint limit, rad or m; limits that are near become part
 * of the problem. */
double mo_mechanisms_worst(mo_world *world);

#endif
