/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Conversion of a problem to the LCPs of Lemke's path, and from z back to r (lemke.c). */
#include <math.h>
#include <string.h>

#include "solver/lemke.h"

enum { CORRECTIONS = 2 };

/* A ray proves that there is no solution where one would have to be this large, with numbers of
 * about one. */
static const double OUT_OF_REACH = 1e11;

/* ---- the LCP --------------------------------------------------------------------------------- */

/* A and b of a view, scaled, then S and c without its joints. */
static void assemble(mo_run *run, mo_lemke_work *work, const mo_lcp *lcp)
{
    const int n = lcp->size;
    mo_lcp_matrix(lcp, work->sweep, work->A);
    mo_lcp_vector(lcp, work->v, run->u, work->b);
    if (lcp == &work->relaxed) { /* it comes first; its diagonal is positive */
        mo_lcp_scales(lcp, work->A, 1, work->scale);
    }
    mo_lcp_apply_scales(lcp, work->scale, work->A, work->b);
    if (lcp->free_count) {
        mo_lcp_joints_eliminate(&work->joints, work->A, work->b, work->S, work->c);
    } else if (n > 0) {
        memcpy(work->c, work->b, (size_t)n * sizeof *work->c);
    }
}

void mo_lemke_prepare(mo_run *run, mo_lemke_work *work)
{
    const size_t pairs = (size_t)work->joints.pairs;
    double *S_R = mo_inverse_scratch(&work->path.inverse), *c_R = work->lift,
           most = 0; /* not in use yet */
    assemble(run, work, &work->relaxed);
    if (pairs > 0) {
        memcpy(S_R, work->S, pairs * pairs * sizeof *S_R);
        memcpy(c_R, work->c, pairs * sizeof *c_R);
    }
    assemble(run, work, &work->exact);
    for (size_t k = 0; k < pairs; ++k) {
        most = fmax(most, fabs(work->c[k]));
    }
    const double root = mo_lcp_scale_for(most, 1);
    work->size = 1 / (root * root);
    for (size_t k = 0; k < pairs; ++k) {
        work->c[k] /= work->size;
        c_R[k] /= work->size;
    }
    for (int k = 0; k < work->joints.rank; ++k) {
        work->joints.y[k] /= work->size;
    }
    mo_lemke_family_load(&work->family, work->S, work->c, S_R, c_R);
}

/* ---- back to impulses ------------------------------------------------------------------------ */

/* run->r and run->u of z, which is scaled; dz becomes z in the units of the problem. */
static void set_impulse(mo_run *run, mo_lemke_work *work)
{
    for (int k = 0; k < work->exact.size; ++k) {
        work->dz[k] = work->size * work->scale[k] * work->z[k];
    }
    mo_lcp_impulse(&work->exact, work->dz, run->r);
    mo_problem_response_into(run->problem, run->r, work->v, run->u);
}

int mo_lemke_look(mo_run *run, mo_lemke_work *work)
{
    double *pairs = work->z + work->exact.free_count;
    mo_lemke_point(&work->path, pairs);
    mo_lcp_joints_recover(&work->joints, pairs, work->z);
    set_impulse(run, work);
    return mo_run_check(run, work->iteration, run->u, run->r);
}

/* The w that the true velocity leaves on joints and on basic z is made to vanish. */
static void correct(mo_run *run, mo_lemke_work *work)
{
    const int joints = work->exact.free_count, all = work->exact.size;
    mo_lcp_slack(&work->exact, work->dz, run->r, run->u, work->w);
    for (int k = 0; k < all; ++k) {
        work->w[k] *= work->scale[k] / work->size;
    }
    mo_lcp_joints_forward(&work->joints, work->w, work->w + joints);
    mo_lemke_correct(&work->path, work->w + joints, work->dz + joints);
    mo_lcp_joints_backward(&work->joints, work->w, work->dz + joints, work->dz);
    for (int k = 0; k < all; ++k) {
        work->z[k] += work->dz[k];
        work->z[k] = k < joints || work->z[k] > 0 ? work->z[k] : 0;
    }
    set_impulse(run, work);
}

mo_lemke_outcome mo_lemke_confirm(mo_run *run, mo_lemke_work *work)
{
    int solved = mo_lemke_look(run, work);
    work->reached_end = 1;
    for (int k = 0; k < CORRECTIONS && !solved; ++k) {
        if (mo_run_must_stop(run, work->iteration)) {
            return MO_LEMKE_STOP;
        }
        correct(run, work);
        solved = mo_run_check(run, work->iteration, run->u, run->r);
    }
    return solved ? MO_LEMKE_CONFIRMED : MO_LEMKE_FAILED;
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* y' S <= 0 and c' y < 0, to rounding: a solution z would need |z| >= -c' y / max (y' S). */
static int proves_no_solution(const mo_lemke_work *work, const double *y)
{
    const mo_lemke_path *path = &work->path;
    double driven = 0, most = 0;
    for (int j = 0; j < path->n; ++j) {
        double image = 0;
        for (int k = path->column_start[j]; k < path->column_start[j + 1]; ++k) {
            image += path->entry[k] * y[path->row_of[k]];
        }
        most = fmax(most, image);
        driven -= work->c[j] * y[j];
        if (y[j] < 0) {
            return 0;
        }
    }
    return work->joints.rank == work->joints.count && !work->exact.uses_facets && driven > 0 &&
           most * OUT_OF_REACH <= driven;
}

int mo_lemke_judge_ray(mo_run *run, mo_lemke_work *work)
{
    double *pairs = work->z + work->exact.free_count;
    mo_lemke_ray(&work->path, pairs);
    const int proves = proves_no_solution(work, pairs);
    if (!run->result->ray || proves) {
        mo_lcp_joints_backward(&work->joints, NULL, pairs, work->z);
        for (int k = 0; k < work->exact.size; ++k) {
            work->dz[k] = work->scale[k] * work->z[k];
        }
        mo_lcp_ray(&work->exact, work->dz, run->r);
        mo_run_keep_ray(run, run->r);
    }
    return proves;
}
