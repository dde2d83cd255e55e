/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reactions and efforts at joints at one instant.
 *
 *   joints of bodies   force and moment on b: the rows of the joint times their forces (joint.h)
 *   links              Newton-Euler from the leaves: with the accelerations a of the solution and
 *                      the external forces e on a link (contacts, joints of bodies, applied forces,
 *                      thrusters, gravity compensation), the force from its parent is
 *
 *                          held_i = I_i a_i + v_i x I_i v_i - weight_i - e_i + sum of held_k over
 *                          its children k
 *
 *                      The effort of a joint is S . held + (armature) a along its axis.
 *   joints of links    efforts by origin: rows of the problem, springs, damping, actuators, applied
 *
 * For an impulse: the same with velocity jumps instead of accelerations, without finite forces.
 */
#include <stddef.h>
#include <string.h>

#include "linalg/dense.h"
#include "sim/forces_data.h"

/* ---- external forces ------------------------------------------------------------------------- */

/* A force at `at` and a moment, on a link: about the point of its mechanism's linkage. */
static void act_on(const mo_world *world, int place, const double at[3], double sign,
                   const double force[3], const double moment[3], double (*outside)[6])
{
    if (place < 0 || world->body[place].mechanism == MO_NONE) return;
    const mo_linkage *tree = &world->mechanism[world->body[place].mechanism]->tree;
    double arm[3], turn[3];
    mo_vec3_minus(at, tree->point, arm);
    mo_vec3_cross(arm, force, turn);
    mo_vec3_along(outside[place], sign, force, outside[place]);
    mo_vec3_along(outside[place] + 3, sign, turn, outside[place] + 3);
    mo_vec3_along(outside[place] + 3, sign, moment, outside[place] + 3);
}

static void gather(const mo_world *world, const mo_forces *forces, double (*outside)[6])
{
    memset(outside, 0, (size_t)world->body_places * sizeof *outside);
    for (int k = 0; k < forces->contact_count; ++k) {
        const mo_contact_force *contact = forces->contacts + k;
        for (int side = 0; side < 2; ++side) {
            act_on(world, world->contacts.at[k].body[side], contact->point, side ? 1 : -1,
                   contact->force, contact->moment, outside);
        }
    }
    for (int k = 0; k < forces->joint_count; ++k) {
        const mo_joint_force *joint = forces->joints + k;
        for (int side = 0; side < 2; ++side) {
            act_on(world, world->joint[world->jointed[k]].body[side], joint->point, side ? 1 : -1,
                   joint->force, joint->moment, outside);
        }
    }
    for (int k = 0; k < world->living_count && !forces->is_impulsive; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        act_on(world, world->living[k], body->x, 1, body->force, body->force + 3, outside);
    }
}

/* Thrusters, and gravity compensation. */
static void gather_mechanism(const mo_world *world, mo_sim_mechanism *mechanism,
                             double (*outside)[6])
{
    static const double none[3] = {0};
    for (int i = 0; i < mechanism->tree.links; ++i) {
        const mo_linkage_link *link = mechanism->tree.link + i;
        act_on(world, mechanism->body[i], link->x, -mechanism->gravity_compensation[i] * link->mass,
               world->def.gravity, none, outside);
    }
    for (int k = 0; k < mechanism->actuators; ++k) {
        const mo_actuator_def *def = &mechanism->actuator[k].def;
        if (def->on == MO_ON_LINK) {
            const mo_pose at = mo_pose_compose(mechanism->tree.pose + def->link, &def->place);
            double force[3], moment[3];
            mo_pose_vector(&at, def->gear, force);
            mo_pose_vector(&at, def->gear + 3, moment);
            act_on(world, mechanism->body[def->link], at.position,
                   mo_actuator_effort(mechanism, mechanism->actuator + k), force, moment, outside);
        }
    }
}

/* ---- joints of bodies ------------------------------------------------------------------------ */

static void write_joint(const mo_world *world, int k, mo_joint_force *out)
{
    const mo_sim_joint *joint = world->joint + world->jointed[k];
    mo_joint_reaction reaction;
    mo_joint_react(world, joint, &reaction);
    *out = (mo_joint_force){.joint = mo_world_joint(world, k),
                            .a = joint->def.a,
                            .b = joint->def.b,
                            .limit = reaction.part[MO_PART_LOWER] + reaction.part[MO_PART_UPPER],
                            .drive = reaction.part[MO_PART_DRIVE],
                            .friction = reaction.part[MO_PART_FRICTION]};
    mo_vec3_copy(reaction.point, out->point);
    mo_vec3_copy(reaction.force, out->force);
    mo_vec3_copy(reaction.moment, out->moment);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* The force on each link from its parent, to tree.force, about the point of the linkage. */
static void hold_links(const mo_world *world, mo_sim_mechanism *mechanism, const double *a,
                       int is_impulsive, double (*outside)[6])
{
    static const double weightless[3] = {0};
    mo_linkage *tree = &mechanism->tree;
    const double *gravity = is_impulsive ? weightless : world->def.gravity;
    memcpy(mechanism->turned, mechanism->v, (size_t)tree->dofs * sizeof(double));
    if (is_impulsive) /* no rotation in zero time */
        memset(mechanism->turned, 0, (size_t)tree->dofs * sizeof(double));
    mo_linkage_inverse(tree, mechanism->turned, a, gravity, mechanism->bias);
    for (int i = tree->links - 1; i >= 0; --i) {
        mo_spatial_add(-1, outside[mechanism->body[i]], tree->force[i]);
        if (tree->link[i].parent >= 0) {
            mo_spatial_add(1, outside[mechanism->body[i]],
                           outside[mechanism->body[tree->link[i].parent]]);
        }
    }
}

static void write_links(const mo_world *world, const mo_sim_mechanism *mechanism,
                        mo_link_force *out)
{
    const mo_linkage *tree = &mechanism->tree;
    for (int i = 0; i < tree->links; ++i) {
        const mo_linkage_link *link = tree->link + i;
        const double *held = tree->force[i];
        double arm[3], turn[3];
        out[i] = (mo_link_force){.link = mo_body_id_of(world, mechanism->body[i])};
        if (link->parent >= 0) out[i].parent = mo_body_id_of(world, mechanism->body[link->parent]);
        mo_vec3_copy(link->dof_count > 0 ? tree->axis[link->first_dof + link->dof_count - 1].point
                                         : tree->pose[i].position,
                     out[i].point);
        mo_vec3_copy(held, out[i].force);
        mo_vec3_minus(out[i].point, tree->point, arm);
        mo_vec3_cross(arm, held, turn);
        mo_vec3_minus(held + 3, turn, out[i].moment);
    }
}

/* ---- joints of links ------------------------------------------------------------------------- */

static const double *force_of(const mo_world *world, int constraint)
{
    return world->result.r + mo_problem_constraint(world->problem, constraint).offset;
}

/* A row over the velocities times its force, to the joints that have them. */
static void spread(const mo_sim_mechanism *mechanism, const double *row, double force,
                   mo_axis_force *axes, size_t part)
{
    for (int j = 0; j < mechanism->tree.dofs; ++j) {
        const int joint = mechanism->tree.dof[j].joint;
        double *into = (double *)((char *)(axes + joint) + part);
        into[j - mechanism->tree.joint[joint].v_at] += force * row[j];
    }
}

static void write_rows(const mo_world *world, const mo_sim_mechanism *mechanism, int k,
                       mo_axis_force *out)
{
    const mo_sim_axis *axis = mechanism->axis + k;
    for (int side = 0; side < 2; ++side) {
        double row[3];
        if (axis->stop.constraint[side] != MO_NONE) {
            const int count = mo_mechanism_limit_row(mechanism, k, side, row);
            const double force = *force_of(world, axis->stop.constraint[side]);
            mo_axpy(count, force, row, out->limit);
        }
    }
    if (axis->friction_constraint != MO_NONE) {
        memcpy(out->friction, force_of(world, axis->friction_constraint),
               (size_t)out->v_count * sizeof(double));
    }
}

static void write_tendons(const mo_world *world, const mo_sim_mechanism *mechanism,
                          int is_impulsive, mo_axis_force *axes)
{
    for (int k = 0; k < mechanism->tendons; ++k) {
        const mo_sim_tendon *tendon = mechanism->tendon + k;
        const double speed = mo_dot(mechanism->tree.dofs, tendon->arm, mechanism->v);
        double pull = is_impulsive ? 0
                                   : -tendon->def.stiffness * mo_tendon_stretch(mechanism, tendon) -
                                         tendon->def.damping * speed;
        for (int side = 0; side < 2; ++side) {
            const int own = tendon->stop.constraint[side];
            pull += own == MO_NONE ? 0 : (side ? -1 : 1) * *force_of(world, own);
        }
        if (tendon->friction_constraint != MO_NONE)
            pull += *force_of(world, tendon->friction_constraint);
        spread(mechanism, tendon->arm, pull, axes, offsetof(mo_axis_force, tendon));
    }
}

static void write_couplings(const mo_world *world, mo_sim_mechanism *mechanism, mo_axis_force *axes)
{
    for (int k = 0; k < mechanism->couplings && mechanism->coupling_constraint != MO_NONE; ++k) {
        mo_coupling_row(mechanism, k, mechanism->row);
        spread(mechanism, mechanism->row, *force_of(world, mechanism->coupling_constraint + k),
               axes, offsetof(mo_axis_force, coupling));
    }
}

/* Springs, damping, actuators and applied efforts. */
static void write_finite(mo_sim_mechanism *mechanism, mo_axis_force *axes, double *efforts)
{
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        const int at = mechanism->tree.joint[k].v_at;
        mo_instant_passive(mechanism, k, axes[k].passive);
        memcpy(axes[k].applied, mechanism->effort + at, (size_t)axes[k].v_count * sizeof(double));
    }
    for (int k = 0; k < mechanism->actuators; ++k) {
        efforts[k] = mo_actuator_effort(mechanism, mechanism->actuator + k);
        if (mechanism->actuator[k].def.on != MO_ON_LINK)
            spread(mechanism, mechanism->row, efforts[k], axes, offsetof(mo_axis_force, actuator));
    }
}

static void write_known(const mo_world *world, int place, const mo_instant *instant,
                        const mo_forces *forces, mo_axis_force *axes)
{
    const mo_sim_mechanism *mechanism = world->mechanism[place];
    for (int k = 0; k < forces->known_count; ++k) {
        const mo_known_acceleration *known = instant->options->known + k;
        if (known->mechanism.index == place + 1) {
            const int joint = mechanism->tree.dof[known->velocity].joint;
            axes[joint].known[known->velocity - mechanism->tree.joint[joint].v_at] +=
                forces->known_efforts[k];
        }
    }
}

static void write_axes(const mo_world *world, int place, const mo_instant *instant,
                       const mo_forces *forces, mo_axis_force *axes, double *efforts)
{
    mo_sim_mechanism *mechanism = world->mechanism[place];
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        axes[k] = (mo_axis_force){.mechanism = {place + 1, mechanism->generation},
                                  .joint = k,
                                  .v_count = mo_axis_v_count(mechanism->axis[k].def.kind)};
        write_rows(world, mechanism, k, axes + k);
    }
    memset(efforts, 0, (size_t)mechanism->actuators * sizeof *efforts);
    write_tendons(world, mechanism, forces->is_impulsive, axes);
    write_couplings(world, mechanism, axes);
    write_known(world, place, instant, forces, axes);
    if (!forces->is_impulsive) write_finite(mechanism, axes, efforts);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        mo_axis_force *of = axes + k;
        for (int i = 0; i < of->v_count; ++i) {
            of->effort[i] = of->actuator[i] + of->passive[i] + of->applied[i] + of->friction[i] +
                            of->limit[i] + of->tendon[i] + of->coupling[i] + of->known[i];
        }
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

static mo_error make_room(const mo_world *world, mo_forces *forces)
{
    const mo_allocator *own = &world->allocator;
    forces->joint_count = world->jointed_count;
    for (int k = 0; k < world->mechanism_places; ++k) {
        const mo_sim_mechanism *mechanism = world->mechanism[k];
        forces->link_count += mechanism ? mechanism->tree.links : 0;
        forces->axis_count += mechanism ? mechanism->tree.joints : 0;
        forces->actuator_count += mechanism ? mechanism->actuators : 0;
    }
    forces->joints = mo_memory_array(own, (size_t)forces->joint_count, sizeof *forces->joints);
    forces->links = mo_memory_array(own, (size_t)forces->link_count, sizeof *forces->links);
    forces->axes = mo_memory_array(own, (size_t)forces->axis_count, sizeof *forces->axes);
    forces->actuator_efforts = mo_memory_array(own, (size_t)forces->actuator_count, sizeof(double));
    return forces->joints && forces->links && forces->axes && forces->actuator_efforts
               ? MO_OK
               : MO_ERR_MEMORY;
}

mo_error mo_forces_write_joints(mo_world *world, const mo_instant *instant, mo_forces *forces)
{
    double(*outside)[6] =
        mo_memory_array(&world->allocator, (size_t)world->body_places, sizeof *outside);
    if (!outside || make_room(world, forces)) {
        mo_memory_free(&world->allocator, outside);
        return MO_ERR_MEMORY;
    }
    for (int k = 0; k < forces->joint_count; ++k)
        write_joint(world, k, forces->joints + k);
    gather(world, forces, outside);
    int v = 0, link = 0, axis = 0, actuator = 0;
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (!mechanism) continue;
        if (!forces->is_impulsive) gather_mechanism(world, mechanism, outside);
        hold_links(world, mechanism, forces->joint_accelerations + v, forces->is_impulsive,
                   outside);
        write_links(world, mechanism, forces->links + link);
        write_axes(world, k, instant, forces, forces->axes + axis,
                   forces->actuator_efforts + actuator);
        v += mechanism->tree.dofs;
        link += mechanism->tree.links;
        axis += mechanism->tree.joints;
        actuator += mechanism->actuators;
    }
    mo_memory_free(&world->allocator, outside);
    return MO_OK;
}
