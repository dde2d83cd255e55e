/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Joints in the problem of a step, and their impulses.
 *
 *   part       law            w                        bounds
 *   hold       bilateral      error / h
 *   lower      frictionless   (q - lower) / h
 *   upper      frictionless   (upper - q) / h          (its row is negated)
 *   drive      box            -target, (q - target)/h  max_effort h
 *    with k, d                k (q - target)/(h k + d)                 compliance 1/(h (h k + d))
 *   friction   box            0                        dry_friction h
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/joint_rows.h"
#include "sim/world_data.h"

/* Relative to the response of a row to its own impulse: in a step, and in a projection. */
static const double REDUNDANT = 1e-12, REDUNDANT_PLACES = 1e-9;

/* Contribution of kinematic bodies to u. */
static void add_driven(const mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows,
                       double sign, double *w)
{
    for (int side = 0; side < 2; ++side) {
        const mo_sim_body *body = joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
        for (int k = 0; body && body->kind == MO_BODY_DRIVEN && k < rows->count; ++k)
            for (int i = 0; i < 6; ++i)
                w[k] += sign * rows->line[side][k][i] * body->free_v[i];
    }
}

void mo_joint_add_part(mo_world *world, mo_sim_joint *joint, mo_joint_part part, const mo_law *law,
                       const mo_joint_rows *rows, double sign, const double *w)
{
    double all[MO_JOINT_ROWS];
    memcpy(all, w, (size_t)rows->count * sizeof *all);
    add_driven(world, joint, rows, sign, all);
    joint->constraint[part] = mo_builder_add_constraint(world->builder, rows->count, law, all);
    for (int side = 0; side < 2; ++side) {
        const mo_sim_body *body = joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
        if (!body || body->block == MO_NONE) continue;
        const int n = mo_block_rows(world, body);
        for (int k = 0; k < rows->count; ++k) {
            double line[6];
            mo_vec3_scale(sign, rows->line[side][k], line);
            mo_vec3_scale(sign, rows->line[side][k] + 3, line + 3);
            mo_block_row(world, body, line, world->jacobian + k * n);
        }
        mo_add_jacobian(world, joint->constraint[part], body, rows->count);
    }
}

static void add_box(mo_world *world, mo_sim_joint *joint, mo_joint_part part,
                    const mo_joint_rows *rows, double most, double w, double compliance)
{
    const double lower = -most, upper = most;
    mo_law law = mo_law_box(&lower, &upper);
    law.compliance = compliance > 0 ? &compliance : NULL;
    mo_joint_add_part(world, joint, part, &law, rows, 1, &w);
}

/* The effort e of a servo with gains k and d, k (target - q - h q') - d q', is a compliant row. */
static void add_drive(mo_world *world, mo_sim_joint *joint, const mo_joint_rows *rows, double h,
                      double scale, double w)
{
    const mo_joint_def *def = &joint->def;
    const double slope = h * def->stiffness + def->damping, ahead = rows->error[0] - def->target;
    const int is_soft = def->drive == MO_DRIVE_POSITION && slope > 0;
    const double u = def->drive == MO_DRIVE_VELOCITY ? -def->target
                     : is_soft                       ? def->stiffness * ahead / slope
                                                     : ahead / h;
    add_box(world, joint, MO_PART_DRIVE, rows, def->max_effort * h * scale, w + scale * u,
            is_soft ? 1 / (h * slope) : 0);
}

void mo_joint_add_coordinate(mo_world *world, mo_sim_joint *joint, const mo_joint_rows *rows,
                             double h, double scale, double w)
{
    const mo_joint_def *def = &joint->def;
    const double q = rows->error[0];
    const mo_law one_sided = mo_law_frictionless();
    if (def->has_limits && isfinite(def->lower)) {
        mo_joint_add_part(world, joint, MO_PART_LOWER, &one_sided, rows, 1,
                          &(const double){w + scale * ((q - def->lower) / h)});
    }
    if (def->has_limits && isfinite(def->upper)) {
        mo_joint_add_part(world, joint, MO_PART_UPPER, &one_sided, rows, -1,
                          &(const double){scale * ((def->upper - q) / h) - w});
    }
    if (def->drive != MO_DRIVE_NONE && def->max_effort > 0)
        add_drive(world, joint, rows, h, scale, w);
    if (def->dry_friction > 0)
        add_box(world, joint, MO_PART_FRICTION, rows, def->dry_friction * h * scale, w, 0);
}

double mo_joint_gap(const mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows)
{
    double size = INFINITY, sum = 0;
    for (int side = 0; side < 2; ++side) {
        const double of_body = joint->body[side] >= 0 ? world->body[joint->body[side]].size : 0;
        size = of_body > 0 ? fmin(size, of_body) : size;
    }
    for (int i = 0; i < rows->count; ++i)
        sum += rows->error[i] * rows->error[i];
    return sqrt(sum) / (isfinite(size) ? size : 1);
}

static int joins_link(const mo_world *world, const mo_sim_joint *joint)
{
    for (int side = 0; side < 2; ++side)
        if (joint->body[side] >= 0 && world->body[joint->body[side]].kind == MO_BODY_LINK) return 1;
    return 0;
}

int mo_joint_is_projected(const mo_world *world, const mo_sim_joint *joint)
{
    return joins_link(world, joint) || world->def.projection;
}

static int can_move(const mo_world *world, const mo_sim_joint *joint)
{
    for (int side = 0; side < 2; ++side)
        if (joint->body[side] >= 0 && mo_moves_freely(world->body + joint->body[side])) return 1;
    return 0;
}

/* Compliance of the rows in a projection: loops may be redundant, and the errors left by
 * curvature are inconsistent; the next round reduces the rest. */
static void set_compliance(const mo_world *world, const mo_sim_joint *joint,
                           const mo_joint_rows *rows, double part, double *compliance)
{
    for (int k = 0; k < rows->count; ++k) {
        compliance[k] = 0;
        for (int side = 0; side < 2; ++side) {
            const mo_sim_body *body =
                joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
            const double *line = rows->line[side][k];
            if (body && body->mass > 0 && body->size > 0) {
                const double turns = mo_vec3_dot(line + 3, line + 3) / (body->size * body->size);
                compliance[k] += part * (mo_vec3_dot(line, line) + turns) / body->mass;
            }
        }
    }
}

void mo_joint_assemble(mo_world *world, int place, const mo_phase *phase)
{
    mo_sim_joint *joint = world->joint + place;
    for (int k = 0; k < MO_PART_COUNT; ++k)
        joint->constraint[k] = MO_NONE;
    if (!can_move(world, joint)) return;
    if (phase->kind == MO_PHASE_FORCE) {
        mo_instant_joint(world, place, phase->instant);
        return;
    }
    mo_joint_rows rows;
    double w[MO_JOINT_ROWS];
    if (phase->kind == MO_PHASE_STEP && world->step.joints_hold == MO_HOLD_AHEAD) {
        mo_joint_hold_ahead(world, joint, phase->h, &rows, w);
    } else {
        mo_joint_hold(world, joint, &rows);
        /* an impact takes no time, and a projection corrects the drift separately */
        const int is_free_of_drift =
            phase->kind == MO_PHASE_IMPACT ||
            (phase->kind == MO_PHASE_STEP &&
             (world->step.joints_hold == MO_HOLD_SPEED || mo_joint_is_projected(world, joint)));
        for (int k = 0; k < rows.count; ++k)
            w[k] = is_free_of_drift ? 0 : rows.error[k] / phase->h;
    }
    if (rows.count > 0) {
        mo_law held = mo_law_bilateral();
        double compliance[MO_JOINT_ROWS];
        const int is_projection = phase->kind == MO_PHASE_PROJECTION;
        if (is_projection || (phase->kind == MO_PHASE_STEP && joins_link(world, joint))) {
            if (!is_projection && mo_joint_is_loop(world, joint)) {
                mo_loop_release(world, joint, &rows, compliance);
            } else {
                set_compliance(world, joint, &rows, is_projection ? REDUNDANT_PLACES : REDUNDANT,
                               compliance);
            }
            held.compliance = compliance;
        }
        mo_joint_add_part(world, joint, MO_PART_HOLD, &held, &rows, 1, w);
    }
    if (phase->kind == MO_PHASE_STEP) { /* motors and friction need time */
        mo_joint_coordinate(world, joint, &rows);
        if (rows.count > 0) {
            joint->q = rows.error[0];
            mo_joint_add_coordinate(world, joint, &rows, phase->h, 1, 0);
        }
    }
}

static int first_impulse(int part)
{
    return part == MO_PART_HOLD ? 0 : MO_JOINT_ROWS + part - 1;
}

void mo_joint_write_start(const mo_world *world, int place, double *start)
{
    const mo_sim_joint *joint = world->joint + place;
    for (int part = 0; part < MO_PART_COUNT; ++part) {
        if (joint->constraint[part] != MO_NONE) {
            const mo_constraint_view view =
                mo_problem_constraint(world->problem, joint->constraint[part]);
            memcpy(start + view.offset, joint->impulse + first_impulse(part),
                   (size_t)view.dim * sizeof *start);
        }
    }
}

void mo_joint_react(const mo_world *world, const mo_sim_joint *joint, mo_joint_reaction *out)
{
    mo_joint_rows held, coordinate;
    double anchor[2][3], arm[3], turn[3];
    *out = (mo_joint_reaction){.force = {0}};
    mo_joint_hold(world, joint, &held);
    mo_joint_coordinate(world, joint, &coordinate);
    for (int part = 0; part < MO_PART_COUNT; ++part) {
        const mo_joint_rows *rows = part == MO_PART_HOLD ? &held : &coordinate;
        const double sign = part == MO_PART_UPPER ? -1 : 1;
        if (joint->constraint[part] == MO_NONE) continue;
        const mo_constraint_view view =
            mo_problem_constraint(world->problem, joint->constraint[part]);
        const double *r = world->result.r + view.offset;
        memcpy(out->r + first_impulse(part), r, (size_t)view.dim * sizeof *r);
        out->part[part] = sign * r[0];
        for (int k = 0; k < view.dim; ++k) {
            mo_vec3_along(out->force, sign * r[k], rows->line[1][k], out->force);
            mo_vec3_along(out->moment, sign * r[k], rows->line[1][k] + 3, out->moment);
        }
    }
    mo_joint_anchors(world, joint, anchor);
    mo_vec3_copy(anchor[1], out->point);
    mo_vec3_minus(anchor[1], world->body[joint->body[1]].x, arm);
    mo_vec3_cross(arm, out->force, turn);
    mo_vec3_minus(out->moment, turn, out->moment);
}

void mo_joint_answer(mo_world *world, int place, double h)
{
    mo_sim_joint *joint = world->joint + place;
    mo_joint_reaction reaction;
    mo_joint_react(world, joint, &reaction);
    memcpy(joint->impulse, reaction.r, sizeof joint->impulse);
    mo_vec3_scale(1 / h, reaction.force, joint->force);
    mo_vec3_scale(1 / h, reaction.moment, joint->moment);
    joint->effort = (reaction.part[MO_PART_DRIVE] + reaction.part[MO_PART_FRICTION]) / h;
}
