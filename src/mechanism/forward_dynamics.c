/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Forward dynamics by articulated bodies [featherstone2008, section 7.3].
 *
 * The response of a link and all its descendants to a motion A of its base is F = I A + p.
 * Inwards, a dof j with axis S is eliminated by
 *
 *     U = I S,   D = S . U + armature,   u = effort - S . (p + I c),
 *     I <- I - U U' / D,    p <- p + I c + U u / D,         c = V_before x S v
 *
 * (with I after the update), the dofs of a link from last to first; then I and p are added to the
 * parent.  Outwards,
 *
 *     A' = A + c,   a_j = (u' - U . A') / D   with u' = effort - S . p,     A <- A' + S a_j.
 *
 * Cost: linear in the dofs.
 */
#include "base/error.h"
#include "linalg/dense.h"
#include "mechanism/linkage.h"

static void apply(const double A[36], const double x[6], double y[6])
{
    for (int i = 0; i < 6; ++i) {
        y[i] = 0;
        for (int k = 0; k < 6; ++k)
            y[i] += A[6 * i + k] * x[k];
    }
}

/* The 6 x 6 matrix of momenta: columns of unit motions. */
static void full_inertia(const mo_spatial_inertia *body, double A[36])
{
    for (int k = 0; k < 6; ++k) {
        double motion[6] = {0}, column[6];
        motion[k] = 1;
        mo_spatial_momentum(body, motion, column);
        for (int i = 0; i < 6; ++i)
            A[6 * i + k] = column[i];
    }
}

/* c of each dof into linkage->push for now, and the twists. */
static void velocity_products(const mo_linkage *linkage, const double *v, double (*product)[6])
{
    mo_linkage_twists(linkage, v);
    for (int i = 0; i < linkage->links; ++i) {
        const mo_linkage_link *link = linkage->link + i;
        double twist[6] = {0}, before[6] = {0};
        if (link->parent >= 0) memcpy(twist, linkage->twist[link->parent], sizeof twist);
        for (int j = link->first_dof; j < link->first_dof + link->dof_count; ++j) {
            const mo_linkage_dof *dof = linkage->dof + j;
            if (dof->starts_group) memcpy(before, twist, sizeof before);
            mo_spatial_cross(before, dof->S, product[j]);
            mo_scale(6, v[j], product[j]);
            mo_spatial_add(v[j], dof->S, twist);
        }
    }
}

/* One dof; p is the link's force. */
static int eliminate(const mo_linkage *linkage, int j, const double effort, const double c[6],
                     double I[36], double p[6])
{
    const mo_linkage_dof *dof = linkage->dof + j;
    double *U = linkage->push[j], Ic[6];
    apply(I, dof->S, U);
    const double D = mo_spatial_dot(dof->S, U) + dof->armature;
    if (!(D > 0)) return 0;
    linkage->pivot[j] = D;
    linkage->rest[j] = effort - mo_spatial_dot(dof->S, p);
    apply(I, c, Ic);
    const double u = linkage->rest[j] - mo_spatial_dot(dof->S, Ic);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            I[6 * i + k] -= U[i] * U[k] / D;
    /* I c of the old I with u of it is I c of the new one with U rest / D */
    mo_spatial_add(1, Ic, p);
    mo_spatial_add(u / D, U, p);
    return 1;
}

static int eliminate_all(const mo_linkage *linkage, const double *effort, double (*product)[6])
{
    for (int i = 0; i < linkage->links; ++i) {
        double momentum[6];
        full_inertia(&linkage->link[i].weight, linkage->articulated[i]);
        mo_spatial_momentum(&linkage->link[i].weight, linkage->twist[i], momentum);
        mo_spatial_cross_force(linkage->twist[i], momentum, linkage->force[i]);
    }
    for (int i = linkage->links - 1; i >= 0; --i) {
        const mo_linkage_link *link = linkage->link + i;
        for (int j = link->first_dof + link->dof_count - 1; j >= link->first_dof; --j) {
            MO_PASS(eliminate(linkage, j, effort[j], product[j], linkage->articulated[i],
                              linkage->force[i]));
        }
        if (link->parent >= 0) {
            mo_spatial_add(1, linkage->force[i], linkage->force[link->parent]);
            for (int k = 0; k < 36; ++k)
                linkage->articulated[link->parent][k] += linkage->articulated[i][k];
        }
    }
    return 1;
}

int mo_linkage_forward(const mo_linkage *linkage, const double *v, const double *effort,
                       const double gravity[3], double *a)
{
    double(*product)[6] = linkage->product;
    velocity_products(linkage, v, product);
    MO_PASS(eliminate_all(linkage, effort, product));
    for (int i = 0; i < linkage->links; ++i) {
        const mo_linkage_link *link = linkage->link + i;
        double *rate = linkage->rate[i];
        const double ground[6] = {-gravity[0], -gravity[1], -gravity[2], 0, 0, 0};
        memcpy(rate, link->parent < 0 ? ground : linkage->rate[link->parent], 6 * sizeof *rate);
        for (int j = link->first_dof; j < link->first_dof + link->dof_count; ++j) {
            mo_spatial_add(1, product[j], rate);
            a[j] = (linkage->rest[j] - mo_spatial_dot(rate, linkage->push[j])) / linkage->pivot[j];
            mo_spatial_add(a[j], linkage->dof[j].S, rate);
        }
    }
    return 1;
}
