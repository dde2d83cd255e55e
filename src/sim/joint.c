/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Adding, removing, driving and reading joints.  joint_problem.c adds them to the problem of a
 * step.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/joint_rows.h"
#include "sim/world_data.h"

MO_NAMES(mo_joint_name, mo_joint_kind, NULL, "ball", "revolute", "prismatic", "weld", "distance")

mo_joint_def mo_default_joint(mo_joint_kind kind, mo_body_id a, mo_body_id b)
{
    return (mo_joint_def){.kind = kind, .a = a, .b = b, .axis = {0, 0, 1}, .max_effort = INFINITY};
}

/* ---- addition and removal -------------------------------------------------------------------- */

MO_GETTER(int, mo_world_joint_count, mo_world, jointed_count)

mo_joint_id mo_world_joint(const mo_world *world, int k)
{
    MO_NEED_OR((mo_joint_id){0}, world, NULL);
    if (k < 0 || k >= world->jointed_count) return (mo_joint_id){0};
    const int place = world->jointed[k];
    return (mo_joint_id){place + 1, world->joint[place].generation};
}

static int has_coordinate(const mo_world *world, mo_joint_kind kind)
{
    return kind == MO_JOINT_REVOLUTE || kind == MO_JOINT_PRISMATIC || kind == MO_JOINT_DISTANCE ||
           (kind == MO_JOINT_BALL && mo_is_planar(world));
}

static mo_error check_drive(mo_drive_kind drive, double target, double max_effort, mo_message *why)
{
    MO_REFUSE_IF(drive != MO_DRIVE_NONE && drive != MO_DRIVE_VELOCITY && drive != MO_DRIVE_POSITION,
                 why, "%d is not a kind of drive", (int)drive);
    MO_REFUSE_IF(!isfinite(target) || !(max_effort >= 0), why,
                 "a drive needs a finite target and a maximum effort that is not negative");
    return MO_OK;
}

static mo_error check_joint(const mo_world *world, const mo_joint_def *def, mo_message *why)
{
    const char *name = mo_joint_name(def->kind);
    MO_REFUSE_IF(!name, why, "%d is not a kind of joint", (int)def->kind);
    const int a = mo_body_place(world, def->a), b = mo_body_place(world, def->b);
    MO_REFUSE_IF(b < 0 || (a < 0 && def->a.index != 0), why,
                 "a body of this %s joint is not in the world", name);
    MO_REFUSE_IF(a == b, why, "a %s joint joins two bodies, not one with itself", name);
    const double sum =
        mo_vec3_norm(def->anchor) + mo_vec3_norm(def->anchor_b) + mo_vec3_norm(def->axis);
    MO_REFUSE_IF(!(sum <= MO_LARGEST), why, "anchors and axis of a %s joint must be finite", name);
    MO_REFUSE_IF(def->has_pose && !mo_pose_is_valid(&def->pose), why,
                 "the pose of a %s joint must be finite, with a unit quaternion", name);
    const double length =
        mo_is_planar(world) ? hypot(def->axis[0], def->axis[1]) : mo_vec3_norm(def->axis);
    const int needs_axis =
        def->kind == MO_JOINT_PRISMATIC || (def->kind == MO_JOINT_REVOLUTE && !mo_is_planar(world));
    MO_REFUSE_IF(needs_axis && !(length > 0), why, "a %s joint needs an axis", name);
    MO_REFUSE_IF(def->has_limits && !(def->lower <= def->upper), why,
                 "the lower limit %g of a %s joint is above the upper one %g", def->lower, name,
                 def->upper);
    MO_REFUSE_IF(!(def->dry_friction >= 0), why,
                 "the dry friction of a joint must not be negative");
    MO_REFUSE_IF(!(def->stiffness >= 0 && def->stiffness <= MO_LARGEST) ||
                     !(def->damping >= 0 && def->damping <= MO_LARGEST),
                 why,
                 "stiffness and damping of the servo of a joint must be finite and not "
                 "negative");
    const int asks = def->has_limits || def->dry_friction > 0 || def->drive != MO_DRIVE_NONE;
    MO_REFUSE_IF(asks && !has_coordinate(world, def->kind), why,
                 "a %s joint has no coordinate, so no limits, friction or drive", name);
    return check_drive(def->drive, def->target, def->max_effort, why);
}

static int take_place(mo_world *world)
{
    for (int k = 0; world->jointed_count < world->joint_places && k < world->joint_places; ++k)
        if (!world->joint[k].generation) return k;
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->joint, world->joint_room,
                        (size_t)world->joint_places + 1),
               MO_NONE);
    return world->joint_places++;
}

/* Anchor, axis and orientation as each body has them now. */
static void attach(const mo_world *world, mo_sim_joint *joint)
{
    const mo_joint_def *def = &joint->def;
    double axis[3], q[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    mo_vec3_copy(def->axis, axis);
    axis[2] = mo_is_planar(world) && def->kind == MO_JOINT_PRISMATIC ? 0 : axis[2];
    const double length = mo_vec3_norm(axis);
    mo_vec3_scale(length > 0 ? 1 / length : 0, axis, axis);
    for (int side = 0; side < 2; ++side) {
        const double *anchor = side && def->kind == MO_JOINT_DISTANCE ? def->anchor_b : def->anchor;
        mo_vec3_copy(anchor, joint->anchor[side]);
        mo_vec3_copy(axis, joint->axis[side]);
        if (joint->body[side] >= 0) {
            const mo_pose pose = mo_sim_body_pose(world->body + joint->body[side]);
            memcpy(q[side], pose.orientation, sizeof q[side]);
            mo_pose_point_back(&pose, anchor, joint->anchor[side]);
            mo_pose_vector_back(&pose, axis, joint->axis[side]);
        }
    }
    const double back[4] = {q[0][0], -q[0][1], -q[0][2], -q[0][3]};
    mo_quat_multiply(back, q[1], joint->relative);
    double apart[3];
    mo_vec3_minus(def->anchor_b, def->anchor, apart);
    joint->length = mo_vec3_norm(apart);
    if (def->kind == MO_JOINT_WELD && def->has_pose) {
        memcpy(joint->relative, def->pose.orientation, sizeof joint->relative);
        memcpy(joint->anchor[0], def->pose.position, sizeof joint->anchor[0]);
        memset(joint->anchor[1], 0, sizeof joint->anchor[1]);
    }
}

mo_joint_id mo_world_add_joint(mo_world *world, const mo_joint_def *def, mo_message *why)
{
    MO_NEED_OR((mo_joint_id){0}, world && def, why);
    if (check_joint(world, def, why)) return (mo_joint_id){0};
    mo_device_heap_bring_back(world);
    const int has_room = MO_GROW(&world->allocator, world->jointed, world->jointed_room,
                                 (size_t)world->jointed_count + 1);
    const int place = has_room ? take_place(world) : MO_NONE;
    if (place < 0) {
        mo_fail_memory(why);
        return (mo_joint_id){0};
    }
    mo_sim_joint *joint = world->joint + place;
    *joint = (mo_sim_joint){.generation = world->generation++, .def = *def};
    for (int k = 0; k < MO_PART_COUNT; ++k)
        joint->constraint[k] = MO_NONE;
    joint->body[0] = mo_body_place(world, def->a);
    joint->body[1] = mo_body_place(world, def->b);
    for (int side = 0; side < 2; ++side) {
        joint->next[side] = MO_NONE;
        if (joint->body[side] >= 0) {
            mo_sim_body *body = world->body + joint->body[side];
            joint->next[side] = body->first_joint;
            body->first_joint = place;
            mo_body_wake(world, joint->body[side]);
        }
    }
    attach(world, joint);
    world->jointed[world->jointed_count++] = place;
    world->pairs_are_stale = 1;
    return (mo_joint_id){place + 1, joint->generation};
}

static void unlink_joint(mo_world *world, int place, int side)
{
    const int owner = world->joint[place].body[side];
    if (owner < 0) return;
    int *link = &world->body[owner].first_joint;
    while (*link != place) {
        mo_sim_joint *joint = world->joint + *link;
        link = &joint->next[joint->body[1] == owner];
    }
    *link = world->joint[place].next[side];
    mo_body_wake(world, owner);
}

mo_error mo_world_remove_joint(mo_world *world, mo_joint_id id, mo_message *why)
{
    MO_NEED(world, why);
    const int place = mo_joint_place(world, id);
    MO_NEED_ID(place >= 0, "joint", id, why);
    mo_step_give_up(world);
    unlink_joint(world, place, 0);
    unlink_joint(world, place, 1);
    world->joint[place] = (mo_sim_joint){0};
    mo_list_remove(world->jointed, &world->jointed_count, place);
    return MO_OK;
}

mo_error mo_joint_set_drive(mo_world *world, mo_joint_id id, mo_drive_kind drive, double target,
                            double max_effort, mo_message *why)
{
    MO_NEED(world, why);
    const int place = mo_joint_place(world, id);
    MO_NEED_ID(place >= 0, "joint", id, why);
    mo_sim_joint *joint = world->joint + place;
    MO_REFUSE_IF(drive != MO_DRIVE_NONE && !has_coordinate(world, joint->def.kind), why,
                 "a %s joint has no coordinate to drive", mo_joint_name(joint->def.kind));
    const mo_error error = check_drive(drive, target, max_effort, why);
    if (!error) {
        mo_step_give_up(world);
        joint->def.drive = drive;
        joint->def.target = target;
        joint->def.max_effort = max_effort;
        for (int side = 0; side < 2; ++side)
            if (joint->body[side] >= 0) mo_body_wake(world, joint->body[side]);
    }
    return error;
}

/* ---- access ---------------------------------------------------------------------------------- */

void mo_joint_rates(const mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows,
                    double *rate)
{
    for (int k = 0; k < rows->count; ++k) {
        rate[k] = 0;
        for (int side = 0; side < 2; ++side)
            for (int i = 0; joint->body[side] >= 0 && i < 6; ++i)
                rate[k] += rows->line[side][k][i] * world->body[joint->body[side]].v[i];
    }
}

double mo_joint_speed(const mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows)
{
    double rate[MO_JOINT_ROWS];
    mo_joint_rates(world, joint, rows, rate);
    return rate[0];
}

/* The axis in the world, as a has it. */
static void axis_of(const mo_world *world, const mo_sim_joint *joint, double axis[3])
{
    const mo_pose pose =
        joint->body[0] >= 0 ? mo_sim_body_pose(world->body + joint->body[0]) : mo_pose_identity();
    mo_pose_vector(&pose, joint->axis[0], axis);
}

mo_joint_state mo_joint_get(const mo_world *world, mo_joint_id id)
{
    MO_NEED_OR((mo_joint_state){0}, world, NULL);
    mo_joint_state state = {.kind = MO_JOINT_KIND_COUNT};
    const int place = mo_joint_place(world, id);
    if (place < 0) return state;
    const mo_sim_joint *joint = world->joint + place;
    mo_joint_rows rows;
    state.kind = joint->def.kind;
    state.a = joint->def.a;
    state.b = joint->def.b;
    state.user_data = joint->def.user_data;
    mo_joint_anchors(world, joint, state.anchor);
    mo_joint_coordinate(world, joint, &rows);
    if (rows.count > 0) {
        state.q = rows.error[0];
        state.speed = mo_joint_speed(world, joint, &rows);
    }
    mo_joint_hold(world, joint, &rows);
    for (int k = 0; k < rows.count; ++k)
        state.error += rows.error[k] * rows.error[k];
    state.error = sqrt(state.error);
    mo_vec3_copy(joint->force, state.force);
    mo_vec3_copy(joint->moment, state.moment);
    state.effort = joint->effort;
    state.has_limits = joint->def.has_limits;
    state.lower = joint->def.lower;
    state.upper = joint->def.upper;
    state.drive = joint->def.drive;
    state.target = joint->def.target;
    state.max_effort = joint->def.max_effort;
    if (joint->def.kind == MO_JOINT_REVOLUTE || joint->def.kind == MO_JOINT_PRISMATIC)
        axis_of(world, joint, state.axis);
    return state;
}
