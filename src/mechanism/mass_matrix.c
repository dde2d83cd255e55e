/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The mass matrix by composite rigid bodies [featherstone2008, section 6.2].
 *
 * I_i, the composite inertia of link i and its descendants, is accumulated towards the root.  A
 * unit acceleration of dof j needs the force F = I_i S_j on the composite body, and M_jk = S_k . F
 * for the dofs k between it and the root; all others are zero.  Cost: dofs times depth.
 */
#include "mechanism/linkage.h"

static void add_weight(const mo_spatial_inertia *from, mo_spatial_inertia *to)
{
    to->mass += from->mass;
    mo_vec3_along(to->moment, 1, from->moment, to->moment);
    for (int k = 0; k < 9; ++k)
        to->inertia[k] += from->inertia[k];
}

void mo_linkage_mass_matrix(const mo_linkage *linkage, double *M)
{
    const size_t n = (size_t)linkage->dofs;
    mo_spatial_inertia *composite = linkage->composite;
    for (int i = 0; i < linkage->links; ++i)
        composite[i] = linkage->link[i].weight;
    for (int i = linkage->links - 1; i >= 0; --i)
        if (linkage->link[i].parent >= 0)
            add_weight(composite + i, composite + linkage->link[i].parent);
    memset(M, 0, n * n * sizeof *M);
    for (int j = 0; j < linkage->dofs; ++j) {
        const mo_linkage_dof *dof = linkage->dof + j;
        double force[6];
        mo_spatial_momentum(composite + dof->link, dof->S, force);
        for (int k = j; k >= 0; k = linkage->dof[k].parent) {
            const double entry = mo_spatial_dot(linkage->dof[k].S, force);
            M[(size_t)j * n + (size_t)k] = M[(size_t)k * n + (size_t)j] = entry;
        }
        M[(size_t)j * n + (size_t)j] += dof->armature;
    }
}
