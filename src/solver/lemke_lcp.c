/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Conversion of a problem to the LCPs of Lemke's path, and from z back to r (lemke.c). */
#include <math.h>
#include <string.h>

#include "solver/lemke.h"

enum { CORRECTIONS = 2 };

/* A ray proves that there is no solution if one would have to be this large, in units of about
 * one. */
static const double OUT_OF_REACH = 1e11;

/* ---- the LCP --------------------------------------------------------------------------------- */

void mo_lemke_prepare(mo_run *run, mo_lemke_work *work)
{
    const size_t pairs = (size_t)work->system.n;
    double *S_R = mo_inverse_scratch(&work->path.inverse), *c_R = work->lift,
           most = 0; /* not in use yet */
    mo_lcp_system *s = &work->system;
    mo_lcp_system_assemble(run, s, &work->relaxed, MO_SCALES_POWERS); /* its diagonal is positive */
    if (pairs > 0) {
        memcpy(S_R, s->S, pairs * pairs * sizeof *S_R);
        memcpy(c_R, s->c, pairs * sizeof *c_R);
    }
    mo_lcp_system_assemble(run, s, &s->lcp, MO_SCALES_KEPT);
    for (size_t k = 0; k < pairs; ++k) {
        most = fmax(most, fabs(s->c[k]));
    }
    const double root = mo_lcp_scale_for(most, 1);
    mo_lcp_system_resize(s, 1 / (root * root));
    for (size_t k = 0; k < pairs; ++k) {
        c_R[k] /= s->size;
    }
    mo_lemke_family_load(&work->family, work->system.S, work->system.c, S_R, c_R);
}

/* ---- back to impulses ------------------------------------------------------------------------ */

int mo_lemke_check(mo_run *run, mo_lemke_work *work)
{
    double *pairs = work->system.w; /* not in use */
    mo_lemke_point(&work->path, pairs);
    mo_lcp_system_put(run, &work->system, pairs);
    return mo_run_check(run, work->iteration, run->u, run->r);
}

/* The w that the true velocity leaves on joints and on basic z is made to vanish. */
static void correct(mo_run *run, mo_lemke_work *work)
{
    mo_lcp_system *s = &work->system;
    double *change = s->dz + s->lcp.free_count;
    mo_lcp_system_slack(run, s);
    mo_lemke_correct(&work->path, s->w + s->lcp.free_count, change);
    mo_lcp_system_move(run, s, change);
}

mo_lemke_outcome mo_lemke_confirm(mo_run *run, mo_lemke_work *work)
{
    int solved = mo_lemke_check(run, work);
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
        driven -= work->system.c[j] * y[j];
        if (y[j] < 0) {
            return 0;
        }
    }
    return mo_lcp_system_is_exact(&work->system) && driven > 0 && most * OUT_OF_REACH <= driven;
}

int mo_lemke_judge_ray(mo_run *run, mo_lemke_work *work)
{
    double *pairs = work->system.w; /* not in use */
    mo_lemke_ray(&work->path, pairs);
    const int proves = proves_no_solution(work, pairs);
    if (!run->result->ray || proves) {
        mo_lcp_system_keep_ray(run, &work->system, pairs);
    }
    return proves;
}
