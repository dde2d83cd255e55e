/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Construction of a linkage from its definition: dofs, their order, and workspace. */
#include "mechanism/linkage.h"

static void unit(const double a[3], double out[3])
{
    mo_vec3_scale(1 / mo_vec3_norm(a), a, out);
}

/* The first displacement of a planar joint: as given, or x (y where x is across), in the plane. */
static void side_of(const mo_axis_def *def, const double normal[3], double side[3])
{
    double along[3] = {fabs(normal[0]) < 0.9, fabs(normal[0]) >= 0.9, 0};
    if (mo_vec3_norm(def->side) > 0) mo_vec3_copy(def->side, along);
    mo_vec3_along(along, -mo_vec3_dot(along, normal), normal, along);
    unit(along, side);
}

static mo_linkage_joint joint_of(const mo_axis_def *def)
{
    mo_linkage_joint joint = {.kind = def->kind, .link = def->link, .reference = def->reference};
    mo_vec3_copy(def->anchor, joint.anchor);
    if (def->kind != MO_AXIS_BALL && def->kind != MO_AXIS_FREE) unit(def->axis, joint.axis);
    if (def->kind == MO_AXIS_PLANAR) side_of(def, joint.axis, joint.side);
    return joint;
}

/* Dofs and coordinates come by links, in the order of definition; joints keep their numbers. */
static void number_dofs(mo_linkage *linkage, const mo_mechanism_def *def)
{
    int dof = 0, q = 0;
    for (int i = 0; i < linkage->links; ++i) {
        mo_linkage_link *link = linkage->link + i;
        link->first_dof = dof;
        int last = link->parent < 0 ? MO_NO_LINK : linkage->link[link->parent].last_dof;
        for (int k = 0; k < linkage->joints; ++k) {
            mo_linkage_joint *joint = linkage->joint + k;
            if (joint->link != i) continue;
            joint->q_at = q;
            joint->v_at = dof;
            q += mo_axis_q_count(joint->kind);
            for (int part = 0; part < mo_axis_v_count(joint->kind); ++part, ++dof) {
                const int in_ball = (joint->kind == MO_AXIS_BALL && part > 0) ||
                                    (joint->kind == MO_AXIS_FREE && part > 3);
                linkage->dof[dof] = (mo_linkage_dof){.link = i,
                                                     .joint = k,
                                                     .parent = last,
                                                     .starts_group = !in_ball,
                                                     .armature = def->joints[k].armature};
                last = dof;
            }
        }
        link->dof_count = dof - link->first_dof;
        link->last_dof = last;
    }
}

static mo_error make_room(mo_linkage *linkage, const mo_allocator *allocator)
{
    static const double NO_TURN[5] = {NAN};
    const size_t links = (size_t)linkage->links, dofs = (size_t)linkage->dofs;
    const int has_all =
        MO_NEW(allocator, links, &linkage->link) &&
        MO_NEW(allocator, linkage->joints, &linkage->joint) &&
        MO_NEW(allocator, dofs, &linkage->dof) && MO_NEW(allocator, dofs, &linkage->axis) &&
        MO_NEW(allocator, dofs, &linkage->ahead) && MO_NEW(allocator, links, &linkage->twist) &&
        MO_NEW(allocator, links, &linkage->rate) && MO_NEW(allocator, links, &linkage->force) &&
        MO_NEW(allocator, links, &linkage->composite) &&
        MO_NEW(allocator, links, &linkage->articulated) &&
        MO_NEW(allocator, dofs, &linkage->push) && MO_NEW(allocator, dofs, &linkage->product) &&
        MO_NEW(allocator, links, &linkage->pose) && MO_NEW(allocator, dofs, &linkage->pivot) &&
        MO_NEW(allocator, dofs, &linkage->rest) && MO_NEW(allocator, dofs, &linkage->turn);
    for (size_t j = 0; has_all && j < dofs; ++j)
        memcpy(linkage->turn[j], NO_TURN, sizeof NO_TURN);
    return has_all ? MO_OK : MO_ERR_MEMORY;
}

mo_error mo_linkage_init(mo_linkage *linkage, const mo_mechanism_def *def,
                         const mo_allocator *allocator)
{
    *linkage = (mo_linkage){.links = def->link_count, .joints = def->joint_count};
    for (int k = 0; k < def->joint_count; ++k) {
        linkage->dofs += mo_axis_v_count(def->joints[k].kind);
        linkage->coordinates += mo_axis_q_count(def->joints[k].kind);
    }
    if (make_room(linkage, allocator)) {
        mo_linkage_clear(linkage, allocator);
        return MO_ERR_MEMORY;
    }
    for (int k = 0; k < def->joint_count; ++k)
        linkage->joint[k] = joint_of(def->joints + k);
    for (int i = 0; i < def->link_count; ++i) {
        linkage->link[i] = (mo_linkage_link){
            .parent = def->links[i].parent < 0 ? MO_NO_LINK : def->links[i].parent,
            .home = def->links[i].pose};
        mo_quat_normalise(linkage->link[i].home.orientation);
    }
    number_dofs(linkage, def);
    return MO_OK;
}

void mo_linkage_clear(mo_linkage *linkage, const mo_allocator *allocator)
{
    MO_FREE(allocator, linkage->link, linkage->joint, linkage->dof, linkage->twist, linkage->rate,
            linkage->force, linkage->push, linkage->pivot, linkage->composite, linkage->articulated,
            linkage->rest, linkage->product, linkage->turn, linkage->pose, linkage->axis,
            linkage->ahead);
    *linkage = (mo_linkage){0};
}

void mo_linkage_initial(const mo_linkage *linkage, const mo_mechanism_def *def, double *q)
{
    for (int k = 0; k < linkage->joints; ++k) {
        const mo_linkage_joint *joint = linkage->joint + k;
        const mo_pose *home = &linkage->link[joint->link].home;
        double *own = q + joint->q_at;
        switch (joint->kind) {
        case MO_AXIS_FREE:
            mo_vec3_copy(home->position, own);
            memcpy(own + 3, home->orientation, sizeof home->orientation);
            break;
        case MO_AXIS_BALL:
            own[0] = 1;
            own[1] = own[2] = own[3] = 0;
            break;
        case MO_AXIS_PLANAR:
            own[0] = own[1] = own[2] = 0;
            break;
        default:
            own[0] = def->joints[k].initial;
        }
    }
}
