/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Correction of positions at the end of a step [anitescu2004, sec. 2].
 *
 * The smallest displacement d, in the mass metric, that opens the gaps and closes the joints to
 * first order:
 *
 *   min d' M d / 2   subject to   gap + J d >= 0 at the contacts,    error + J d = 0 at the joints.
 *
 * Its optimality conditions are a frictionless contact problem with f = 0 and the gaps as w, in
 * units of length.  It contains the contacts of overlapping bodies and of bodies that it has moved,
 * and is repeated if curvature leaves an error.  Velocities do not change, and angular velocities
 * rotate with their bodies, so no kinetic energy is added.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/joint_rows.h"
#include "sim/mechanism.h"
#include "sim/pairs.h"
#include "solver/canonical.h"

enum { MOST_ROUNDS = 3, FREE_ROUNDS = 2, MOST_JOINT_ROUNDS = 10, MOST_ITERATIONS = 300 };
static const double CLOSED = 1e-11; /* of the size of a body, or rad: error of a joint */
static const double NEARLY = 1e-3;  /* the same, of a joint whose drift the next step corrects */
/* The relative residual: a displacement somewhat above the smallest does no harm.  Overlap is
 * limited by the largest error of one contact, relative to the unit, which is the permitted one. */
static const double TOLERANCE = 0.2, OFF = 0.25;
static const double GAIN = 0.8; /* of the error of joints: a late round that leaves more ends it */
static const double TURN = 0.1; /* rad: of a link, in one projection */
/* Of the unit, of joints: they are closed to the last digits. */
static const double JOINT_TOLERANCE = 1e-7;

/* ---- errors to correct ----------------------------------------------------------------------- */

static void mark(mo_world *world, int body)
{
    world->body[body].is_displaced = mo_moves_freely(world->body + body);
}

/* The worst error of a joint that a projection closes, over the size of a body. */
static double joint_error(const mo_world *world)
{
    double worst = 0;
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        mo_joint_rows rows;
        const int is_projected = mo_joint_is_projected(world, joint);
        if (is_projected || world->step.has_open_joints) {
            mo_joint_hold(world, joint, &rows);
            const double error = mo_joint_gap(world, joint, &rows);
            worst = is_projected || error > NEARLY ? fmax(worst, error) : worst;
        }
    }
    return worst;
}

/* Does the projection move one of the two? */
static int is_concerned(const mo_world *world, const mo_near_pair *pair)
{
    return world->body[world->near[pair->shapes.a].body].is_displaced ||
           world->body[world->near[pair->shapes.b].body].is_displaced;
}

/* Touches of a pair at the present poses, where its gap is at most `reach`: frictionless contacts
 * at the end of world->side_contacts.  *deepest grows by its overlap, over the size. */
static mo_error collide(mo_world *world, const mo_near_pair *pair, double reach, double *deepest)
{
    mo_sim_contacts *list = &world->side_contacts;
    const int first = list->count;
    const mo_sim_shape *a = world->shape + pair->shapes.a, *b = world->shape + pair->shapes.b;
    const mo_pose at[2] = {mo_shape_pose(world->body + a->body, a),
                           mo_shape_pose(world->body + b->body, b)};
    double along[3];
    const double gap = mo_near_pair_gap(world, pair, at, along); /* at least */
    if (gap > reach) {
        *deepest = fmax(*deepest, -gap / pair->size);
        return MO_OK;
    }
    const mo_error error =
        mo_contacts_collide(world, &pair->shapes, at, pair->normal, fmax(0, reach), list);
    for (int k = first; k < list->count; ++k) {
        mo_sim_contact *contact = list->at + k;
        contact->mu = contact->rolling = contact->torsion = 0;
        contact->constraint = 0;
        *deepest = fmax(*deepest, -contact->gap / contact->size);
    }
    return error;
}

/* Contacts between displaced bodies and others into world->side_contacts, of pairs that overlap by
 * more than may be left where `only_deep`; the deepest overlap of those, over the size. */
static mo_error find_contacts(mo_world *world, int only_deep, double *deepest)
{
    const mo_sim_contacts *of = &world->contacts;
    mo_sim_contacts *list = &world->side_contacts;
    mo_error error = MO_OK;
    mo_contacts_clear(list);
    *deepest = 0;
    for (int k = 0, next; k < of->count && !error; k = next) {
        const mo_near_pair pair = mo_near_pair_at(of, k, of->count, &next);
        mo_pace();
        const double reach =
            only_deep ? -world->def.overlap * pair.size : mo_margin_for(world, pair.size);
        error = is_concerned(world, &pair) ? collide(world, &pair, reach, deepest) : MO_OK;
    }
    mo_pace();
    *deepest = mo_team_largest(world, *deepest);
    return mo_team_agree(world, error, NULL);
}

/* ---- a displacement -------------------------------------------------------------------------- */

static void set_inertias(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_pace_every(k, 256);
        mo_body_turn_inertia(world->body + world->living[k]);
    }
    mo_pace();
}

static void displace(mo_world *world, double unit)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 256);
        if (body->block == MO_NONE) {
            continue;
        }
        mark(world, world->living[k]);
        if (body->mechanism == MO_NONE) {
            double turned[4], turn[4], spin[3], by[3];
            mo_vec3_along(body->x, unit, body->next_v, body->x);
            mo_advance_turn(body->orientation, body->next_v + 3, unit, turned);
            memcpy(body->orientation, turned, sizeof turned);
            mo_vec3_scale(unit, body->next_v + 3, by);
            mo_quat_rotation(by, turn);
            mo_quat_turn(turn, body->v + 3, spin);
            mo_vec3_copy(spin, body->v + 3);
        }
    }
    mo_pace();
    mo_mechanisms_displace(world, unit);
}

/* Saves the problem and result of the step; a second call restores them. */
static void change_sides(mo_world *world)
{
    mo_problem *problem = world->problem;
    world->problem = world->side_problem;
    world->side_problem = problem;
    const mo_result result = world->result;
    world->result = world->side_result;
    world->side_result = result;
    const mo_sim_contacts contacts = world->contacts;
    world->contacts = world->side_contacts;
    world->side_contacts = contacts;
}

static mo_error solve(mo_world *world, mo_message *why)
{
    mo_options options = world->def.solver;
    const int has_joints = world->jointed_count > 0 || world->mechanism_count > 0;
    options.tol = has_joints ? JOINT_TOLERANCE : TOLERANCE;
    options.method = has_joints ? options.method : "nsgs"; /* few, coarse, frictionless */
    options.penetration_rate = OFF;
    options.max_iter = options.max_iter < MOST_ITERATIONS ? options.max_iter : MOST_ITERATIONS;
    options.start = NULL;
    options.canonical = MO_CANONICAL_NO; /* displacements alone are read */
    options.time_limit = INFINITY;       /* few iterations, which must be made */
    const mo_error error = mo_team_solve(world, &options);
    return error ? mo_fail(why, error, "the projection was not taken: %.400s",
                           world->result.message.text)
                 : MO_OK;
}

/*
 * A displacement of links is linear in their joints, and where levers are short it may be far
 * beyond that: the part of it that turns no link by more than TURN.
 */
static double part_of_displacement(const mo_world *world, double unit)
{
    double most = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->block != MO_NONE && body->mechanism != MO_NONE) {
            most = fmax(most, unit * mo_vec3_norm(body->next_v + 3));
        }
    }
    return most > TURN ? TURN / most : 1;
}

static mo_error project_once(mo_world *world, double unit, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_PROJECTION, .h = unit};
    change_sides(world);
    set_inertias(world);
    mo_error error = mo_team_agree(world, mo_assemble(world, &phase, why), why);
    error = error ? error : solve(world, why);
    if (!error) {
        double sum = 0;
        mo_assemble_velocities(world);
        for (int k = 0; k < world->result.dof_count; ++k) {
            sum += world->result.v[k];
        }
        if (!mo_team_any(world, !isfinite(sum))) {
            displace(world, unit * part_of_displacement(world, unit));
            error = mo_team_share(world, MO_SHARED_POSE) ? mo_fail_memory(why) : MO_OK;
        }
    }
    change_sides(world);
    return error;
}

/* The overlap that may be left of the smallest body, in m. */
static double unit_of(const mo_world *world)
{
    double size = INFINITY;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 512);
        size = mo_moves_freely(body) && body->size > 0 ? fmin(size, body->size) : size;
    }
    size = mo_team_least(world, size);
    return world->def.overlap * (isfinite(size) ? size : 1);
}

/* How far it is to go: overlap, and errors of joints, loops and limits; and is another round of
 * use?  One that has hardly lessened an error is the last for it: no joint can undo it, or rounding
 * is left. */
typedef struct progress {
    double deepest, open;
    int gains; /* in overlap */
} progress;

static int needs(mo_world *world, int round, progress *now)
{
    const int overlaps = round == 0 && mo_team_any(world, world->step.overlapping.count);
    const double of_joints = joint_error(world);
    const double open = of_joints > CLOSED ? of_joints : mo_mechanisms_worst(world);
    const int closes = round < FREE_ROUNDS || open < GAIN * now->open;
    now->open = open;
    return (round < MOST_ROUNDS &&
            ((now->gains && now->deepest > world->def.overlap) || overlaps)) ||
           (round < MOST_JOINT_ROUNDS && closes && open > CLOSED);
}

mo_error mo_project_positions(mo_world *world, double *deepest, mo_message *why)
{
    mo_error error = MO_OK;
    *deepest = 0;
    world->step.is_projected = 0;
    for (int k = 0; k < world->living_count; ++k) {
        mo_pace_every(k, 512);
        world->body[world->living[k]].is_displaced = 0;
    }
    mo_pace();
    for (int k = 0; k < world->step.overlapping.count; ++k) {
        mark(world, world->near[world->step.overlapping.at[k].a].body);
        mark(world, world->near[world->step.overlapping.at[k].b].body);
    }
    if (mo_team_share(world, MO_SHARED_MARK)) {
        return mo_fail_memory(why);
    }
    progress now = {.gains = 1};
    for (int round = 0; !error && needs(world, round, &now); ++round) {
        double before;
        if (find_contacts(world, 0, &before)) {
            return mo_fail_memory(why);
        }
        world->step.is_projected = 1;
        error = project_once(world, unit_of(world), why);
        if (!error && find_contacts(world, 1, &now.deepest)) {
            error = mo_fail_memory(why);
        }
        now.gains = now.deepest < before;
    }
    *deepest = now.deepest;
    world->side_contacts.count = 0;
    return error;
}
