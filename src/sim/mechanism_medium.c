/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Drag of a medium on links (mo_medium): a force -c v and a moment -c w along each principal axis
 * of a link, where c grows with the speed.  With J the row of that velocity, J' c J is added to the
 * damping of a step:
 *
 *     A += h c J' J,      rhs += h c wind J'
 *
 * so drag never reverses a motion, even of light links.  c is evaluated at the start of the step.
 */
#include <math.h>

#include "linalg/dense.h"
#include "linalg/principal.h"
#include "sim/mechanism.h"

void mo_mechanism_find_box(mo_sim_mechanism *mechanism, int k)
{
    const mo_linkage_link *link = mechanism->tree.link + k;
    mo_drag_box *box = mechanism->box + k;
    double moment[3], six[6];
    *box = (mo_drag_box){.edge = {0}};
    if (!(link->mass > 0) || (mechanism->medium.density == 0 && mechanism->medium.viscosity == 0))
        return;
    mo_mat3_six(link->inertia, six);
    mo_principal_axes(six, moment, box->axes);
    for (int a = 0; a < 3; ++a) {
        const double other = moment[(a + 1) % 3] + moment[(a + 2) % 3];
        box->edge[a] = sqrt(fmax(0, 6 * (other - moment[a]) / link->mass));
    }
}

/* A force or moment -c (J v - wind) along J. */
static void add_row(mo_sim_mechanism *mechanism, double c, double wind, double h)
{
    const int n = mechanism->tree.dofs;
    const double *row = mechanism->row;
    const double now = h > 0 ? 0 : mo_dot(n, row, mechanism->v);
    for (int i = 0; i < n; ++i) {
        if (row[i] != 0) {
            mechanism->rhs[i] += (h > 0 ? h : 1) * c * (wind - now) * row[i];
            for (int j = 0; h > 0 && j < n; ++j)
                mechanism->A[(size_t)i * (size_t)n + (size_t)j] += h * c * row[i] * row[j];
        }
    }
}

static void drag_link(mo_sim_mechanism *mechanism, int k, double h)
{
    const mo_medium *medium = &mechanism->medium;
    const mo_linkage_link *link = mechanism->tree.link + k;
    const double pi = 3.14159265358979323846;
    const double *edge = mechanism->box[k].edge, *Q = mechanism->box[k].axes;
    const double mean = (edge[0] + edge[1] + edge[2]) / 3;
    for (int a = 0; a < 3; ++a) {
        const double own[3] = {Q[a], Q[3 + a], Q[6 + a]};
        double axis[3];
        mo_pose_vector(mechanism->tree.pose + k, own, axis);
        const double y = edge[(a + 1) % 3], z = edge[(a + 2) % 3];
        const double wind = mo_vec3_dot(medium->wind, axis);
        double line[6] = {axis[0], axis[1], axis[2], 0, 0, 0};
        mo_linkage_row(&mechanism->tree, k, link->x, line, mechanism->row);
        const double speed = mo_dot(mechanism->tree.dofs, mechanism->row, mechanism->v) - wind;
        add_row(mechanism,
                3 * pi * mean * medium->viscosity + 0.5 * medium->density * y * z * fabs(speed),
                wind, h);
        double turn[6] = {0, 0, 0, axis[0], axis[1], axis[2]};
        mo_linkage_row(&mechanism->tree, k, link->x, turn, mechanism->row);
        const double spin = mo_dot(mechanism->tree.dofs, mechanism->row, mechanism->v);
        add_row(mechanism,
                pi * mean * mean * mean * medium->viscosity +
                    medium->density * edge[a] * (y * y * y * y + z * z * z * z) * fabs(spin) / 64,
                0, h);
    }
}

void mo_mechanism_drag(mo_sim_mechanism *mechanism, double h)
{
    if (mechanism->medium.density == 0 && mechanism->medium.viscosity == 0) return;
    for (int k = 0; k < mechanism->tree.links; ++k)
        if (mechanism->tree.link[k].last_dof >= 0 && mechanism->tree.link[k].mass > 0)
            drag_link(mechanism, k, h);
}
