/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Point Jacobians.  The point `at` of a link moves with (v + w x (at - c), w) of its twist.  A line
 * (e, m), force and moment about that point, is the spatial force (e, m + (at - c) x e).  Its row
 * over the velocities is S_j . that force for the dofs j between the link and the root, and zero
 * for all others.
 */
#include "mechanism/linkage.h"

void mo_linkage_row(const mo_linkage *linkage, int link, const double at[3], const double line[6],
                    double *row)
{
    double force[6], arm[3], moment[3];
    memset(row, 0, (size_t)linkage->dofs * sizeof *row);
    mo_vec3_minus(at, linkage->point, arm);
    mo_vec3_cross(arm, line, moment);
    mo_vec3_copy(line, force);
    mo_vec3_along(moment, 1, line + 3, force + 3);
    for (int j = linkage->link[link].last_dof; j >= 0; j = linkage->dof[j].parent)
        row[j] = mo_spatial_dot(linkage->dof[j].S, force);
}

void mo_linkage_motions(const mo_linkage *linkage, const double *v, double (*motion)[6])
{
    mo_linkage_twists(linkage, v);
    for (int i = 0; i < linkage->links; ++i) {
        const double *twist = linkage->twist[i];
        double arm[3];
        mo_vec3_minus(linkage->link[i].x, linkage->point, arm);
        mo_vec3_cross(twist + 3, arm, motion[i]);
        mo_vec3_along(motion[i], 1, twist, motion[i]);
        mo_vec3_copy(twist + 3, motion[i] + 3);
    }
}
