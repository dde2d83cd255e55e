/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Inverse dynamics by the recursive Newton-Euler equations [featherstone2008, section 5.3].
 *
 * Outwards, with V the twists and A their rates (gravity is an upward acceleration of the world):
 *
 *     V_i = V_parent + sum S_j v_j,      A_i = A_parent + sum (S_j a_j + V_before x S_j v_j)
 *
 * Inwards, with F the force on each link, which is passed on to its parent:
 *
 *     F_i = I_i A_i + V_i x* I_i V_i + sum of children,      effort_j = S_j . F_i + armature_j a_j.
 *
 * Cost: linear in the links.
 */
#include "mechanism/linkage.h"

/* Twist and rate of a link from its parent's. */
static void move_link(const mo_linkage *linkage, int i, const double *v, const double *a)
{
    const mo_linkage_link *link = linkage->link + i;
    double *twist = linkage->twist[i], *rate = linkage->rate[i], before[6] = {0};
    for (int j = link->first_dof; j < link->first_dof + link->dof_count; ++j) {
        const mo_linkage_dof *dof = linkage->dof + j;
        double product[6];
        if (dof->starts_group) memcpy(before, twist, sizeof before);
        mo_spatial_cross(before, dof->S, product);
        mo_spatial_add(v[j], product, rate);
        mo_spatial_add(v[j], dof->S, twist);
        if (a) mo_spatial_add(a[j], dof->S, rate);
    }
}

/* Twists and rates of all links, the world's own rate being `ground`. */
static void move_all(const mo_linkage *linkage, const double *v, const double *a,
                     const double ground[6])
{
    for (int i = 0; i < linkage->links; ++i) {
        const int parent = linkage->link[i].parent;
        if (parent < 0) {
            memset(linkage->twist[i], 0, sizeof linkage->twist[i]);
            memcpy(linkage->rate[i], ground, sizeof linkage->rate[i]);
        } else {
            memcpy(linkage->twist[i], linkage->twist[parent], sizeof linkage->twist[i]);
            memcpy(linkage->rate[i], linkage->rate[parent], sizeof linkage->rate[i]);
        }
        move_link(linkage, i, v, a);
    }
}

void mo_linkage_inverse(const mo_linkage *linkage, const double *v, const double *a,
                        const double gravity[3], double *effort)
{
    const double ground[6] = {-gravity[0], -gravity[1], -gravity[2], 0, 0, 0};
    move_all(linkage, v, a, ground);
    for (int i = 0; i < linkage->links; ++i) {
        double momentum[6], turning[6];
        mo_spatial_momentum(&linkage->link[i].weight, linkage->rate[i], linkage->force[i]);
        mo_spatial_momentum(&linkage->link[i].weight, linkage->twist[i], momentum);
        mo_spatial_cross_force(linkage->twist[i], momentum, turning);
        mo_spatial_add(1, turning, linkage->force[i]);
    }
    for (int i = linkage->links - 1; i >= 0; --i) {
        const mo_linkage_link *link = linkage->link + i;
        for (int j = link->first_dof; j < link->first_dof + link->dof_count; ++j) {
            effort[j] = mo_spatial_dot(linkage->dof[j].S, linkage->force[i]) +
                        (a ? linkage->dof[j].armature * a[j] : 0);
        }
        if (link->parent >= 0) mo_spatial_add(1, linkage->force[i], linkage->force[link->parent]);
    }
}

/*
 * The rate of a spatial velocity is that of the field at the fixed point c: the body's point at
 * `at` moves, so that w x (its velocity) comes in.
 */
void mo_linkage_drift(const mo_linkage *linkage, const double *v, int link, const double at[3],
                      double out[6])
{
    static const double still[6] = {0};
    move_all(linkage, v, NULL, still);
    const double *twist = linkage->twist[link], *rate = linkage->rate[link];
    double arm[3], turn[3], velocity[3], centripetal[3];
    mo_vec3_minus(at, linkage->point, arm);
    mo_vec3_cross(twist + 3, arm, velocity);
    mo_vec3_along(velocity, 1, twist, velocity);
    mo_vec3_cross(rate + 3, arm, turn);
    mo_vec3_cross(twist + 3, velocity, centripetal);
    for (int k = 0; k < 3; ++k) {
        out[k] = rate[k] + turn[k] + centripetal[k];
        out[3 + k] = rate[3 + k];
    }
}
