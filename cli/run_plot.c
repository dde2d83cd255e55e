/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "plot.h"
#include "run_gp.h"
#include "text.h"

static const char STEPS[] = "steps.csv";

static int fail(const run_call *call, run_tally *tally)
{
    run_fail(tally, call->plot, "%s could not be written: %s", STEPS, strerror(errno));
    return 0;
}

int run_plot_begin(run_plot *plot, const run_call *call, run_tally *tally)
{
    char path[OUTPUT_PATH];
    if (!output_join(path, call->plot, STEPS) || !output_open(&plot->steps, path))
        return fail(call, tally);
    fputs("time,kinetic,potential,energy,contacts,sliding,normal_sum,normal_most,tangent_sum,"
          "residual,penetration,iterations,solved\n",
          plot->steps.file);
    return 1;
}

/* The contact forces of a step, in N. */
typedef struct forces {
    double normal_sum, normal_most, tangent_sum;
    int contacts, sliding;
} forces;

static forces forces_of(const mo_world *world, double h)
{
    forces f = {.contacts = mo_world_contact_count(world)};
    for (int k = 0; k < f.contacts; ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        const double *r = contact.impulse, *n = contact.normal;
        const double normal = (r[0] * n[0] + r[1] * n[1] + r[2] * n[2]) / h;
        const double square = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / (h * h);
        f.normal_sum += normal;
        f.normal_most = fmax(f.normal_most, normal);
        f.tangent_sum += sqrt(fmax(0, square - normal * normal));
        f.sliding += contact.mode == MO_CONTACT_SLIDES;
    }
    return f;
}

int run_plot_step(run_plot *plot, const run_call *call, const mo_world *world,
                  const mo_step_report *report, run_tally *tally)
{
    const forces f = forces_of(world, call->h);
    const double before[] = {mo_world_time(world), report->kinetic_energy, report->potential_energy,
                             report->kinetic_energy + report->potential_energy};
    const double after[] = {f.normal_sum, f.normal_most, f.tangent_sum,
                            report->residual.natural_relative, report->penetration};
    FILE *out = plot->steps.file;
    for (int k = 0; k < 4; ++k)
        fprintf(out, "%s,", number_exact(before[k]).text);
    fprintf(out, "%d,%d", f.contacts, f.sliding);
    for (int k = 0; k < 5; ++k)
        fprintf(out, ",%s", number_exact(after[k]).text);
    fprintf(out, ",%d,%d\n", report->iterations, report->status == MO_SOLVED);
    return !ferror(out) || fail(call, tally);
}

static int draw(const run_call *call, run_tally *tally)
{
    switch (plot_draw(call->plot, run_gp, sizeof run_gp)) {
    case PLOT_DRAWN:
        tally->plot_drawn = 1;
        return 1;
    case PLOT_NO_GNUPLOT:
        say("run",
            "gnuplot is missing, so nothing was drawn; install it (on Debian and Ubuntu: apt "
            "install gnuplot-nox); the numbers are in %.400s/%s",
            call->plot, STEPS);
        return 1;
    default:
        run_fail(tally, call->plot, "gnuplot could not draw figures.gp");
        return 0;
    }
}

int run_plot_end(run_plot *plot, const run_call *call, run_tally *tally)
{
    if (!plot->steps.file) return 0;
    if (!output_commit(&plot->steps)) return fail(call, tally);
    return tally->steps == 0 || draw(call, tally); /* nothing to draw: no drawing */
}
