/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/lcp_system.h"

#include "base/error.h"

#include <string.h>

mo_error mo_lcp_system_layout(const mo_problem *problem, int facets, mo_arena *arena,
                              mo_lcp_system *s)
{
    *s = (mo_lcp_system){0};
    MO_TRY(mo_problem_contact_space(problem, &s->space));
    mo_lcp_layout(problem, MO_LCP_EXACT, facets, arena, &s->lcp);
    const size_t all = (size_t)s->lcp.size;
    s->n = s->lcp.size - s->lcp.free_count;
    mo_lcp_joints_layout(s->lcp.free_count, s->n, arena, &s->joints);
    s->A = MO_TAKE(arena, all * all, double);
    s->S = s->lcp.free_count ? MO_TAKE(arena, (size_t)s->n * (size_t)s->n, double) : s->A;
    s->c = MO_TAKE(arena, s->n, double);
    MO_TAKE_EACH(arena, all, double, &s->b, &s->scale, &s->z, &s->w, &s->dz);
    s->v = MO_TAKE(arena, problem->dof_count, double);
    return MO_OK;
}

void mo_lcp_system_assemble(mo_run *run, mo_lcp_system *s, const mo_lcp *lcp,
                            mo_lcp_scaling scaling)
{
    mo_lcp_matrix(lcp, s->space->W, s->A);
    mo_lcp_vector(lcp, s->v, run->u, s->b);
    if (scaling != MO_SCALES_KEPT) mo_lcp_scales(lcp, s->A, scaling == MO_SCALES_POWERS, s->scale);
    mo_lcp_apply_scales(lcp, s->scale, s->A, s->b);
    if (lcp->free_count)
        mo_lcp_joints_eliminate(&s->joints, s->A, s->b, s->S, s->c);
    else if (s->n > 0)
        memcpy(s->c, s->b, (size_t)s->n * sizeof *s->c);
}

void mo_lcp_system_resize(mo_lcp_system *s, double size)
{
    s->size = size;
    for (int k = 0; k < s->n; ++k)
        s->c[k] /= size;
    for (int k = 0; k < s->joints.rank; ++k)
        s->joints.y[k] /= size;
}

/* run->r and run->u of z; dz becomes z in the units of the problem. */
static void set_impulse(mo_run *run, mo_lcp_system *s)
{
    for (int k = 0; k < s->lcp.size; ++k)
        s->dz[k] = s->size * s->scale[k] * s->z[k];
    mo_lcp_impulse(&s->lcp, s->dz, run->r);
    mo_problem_response_into(run->problem, run->r, s->v, run->u);
}

static double *set_pairs(mo_lcp_system *s, const double *pairs)
{
    double *own = s->z + s->lcp.free_count;
    if (s->n > 0) memcpy(own, pairs, (size_t)s->n * sizeof *own);
    return own;
}

void mo_lcp_system_put(mo_run *run, mo_lcp_system *s, const double *pairs)
{
    mo_lcp_joints_recover(&s->joints, set_pairs(s, pairs), s->z);
    set_impulse(run, s);
}

void mo_lcp_system_slack(mo_run *run, mo_lcp_system *s)
{
    mo_lcp_slack(&s->lcp, s->dz, run->r, run->u, s->w);
    for (int k = 0; k < s->lcp.size; ++k)
        s->w[k] *= s->scale[k] / s->size;
    mo_lcp_joints_forward(&s->joints, s->w, s->w + s->lcp.free_count);
}

void mo_lcp_system_move(mo_run *run, mo_lcp_system *s, const double *change)
{
    const int joints = s->lcp.free_count;
    mo_lcp_joints_backward(&s->joints, s->w, change, s->dz);
    mo_axpy(joints, 1, s->dz, s->z);
    for (int k = 0; k < s->n; ++k) {
        const double moved = s->z[joints + k] + change[k];
        s->z[joints + k] = moved > 0 ? moved : 0;
    }
    set_impulse(run, s);
}

void mo_lcp_system_keep_ray(mo_run *run, mo_lcp_system *s, const double *y)
{
    mo_lcp_joints_backward(&s->joints, NULL, set_pairs(s, y), s->z);
    for (int k = 0; k < s->lcp.size; ++k)
        s->dz[k] = s->scale[k] * s->z[k];
    mo_lcp_ray(&s->lcp, s->dz, run->r);
    mo_run_keep_ray(run, run->r);
}

mo_status mo_lcp_system_stall(mo_run *run, const mo_lcp_system *s)
{
    return s->lcp.uses_facets
               ? mo_run_stall(run,
                              "solved with %d facets for each cone, which leaves this residual on "
                              "the true cone",
                              s->lcp.facets)
               : mo_run_stall(run, "the LCP is solved, but rounding keeps the residual above tol");
}
