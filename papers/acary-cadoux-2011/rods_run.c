/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce painleve`: rods in motion. */
#include <math.h>
#include <stdio.h>

#include "ac_rods_gp.h"
#include "json.h"
#include "motion.h"
#include "papers.h"
#include "progress.h"
#include "rerun.h"
#include "sheet.h"

enum { MUS = 19, STEPS = 3, FALLS = 3, ANGLES = 15, RAIL_STEPS = 100 };
static const double ANGLE = 1.0, RAIL_MU = 0.5;
static const double H[STEPS] = {1e-3, 1e-4, 1e-5};
static const double FALL_MUS[FALLS] = {0.6, 1.2, 1.5};
static const char *const FIGURES[] = {"jam.png", "fall.png", NULL};

typedef struct rod_results {
    ac_jam jam[MUS][STEPS];
    ac_fall fall[FALLS];
    ac_rail rail[ANGLES];
} rod_results;

static mo_error measure(void *results, mo_message *why)
{
    rod_results *r = results;
    mo_error error = MO_OK;
    for (int k = 0; k < MUS; ++k)
        for (int s = 0; s < STEPS && !error; ++s)
            error = ac_jam_rod(0.1 + 0.1 * k, ANGLE, H[s], &r->jam[k][s], why);
    for (int k = 0; k < FALLS && !error; ++k)
        error = ac_fall_rod(FALL_MUS[k], ANGLE, &r->fall[k], why);
    for (int k = 0; k < ANGLES && !error; ++k) {
        progress_line("the rod on its rail: %d of %d", k + 1, ANGLES);
        error = ac_drag_rod(acos(-1.0) / 36 * (k + 2), RAIL_MU, RAIL_STEPS, &r->rail[k], why);
    }
    return error;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static mo_error write_jam(const char *folder, const rod_results *r, mo_message *why)
{
    sheet_file s;
    const mo_error error = sheet_open(folder, "jam.csv", &s, why);
    if (error) return error;
    fprintf(s.file, "mu,h,normal force over weight,without a step,impulse over m u0,closed "
                    "form,slip over u0,solved\n");
    for (int k = 0; k < MUS; ++k) {
        for (int i = 0; i < STEPS; ++i) {
            const ac_jam *jam = &r->jam[k][i];
            fprintf(s.file, "%g,%g,%.9g,%.9g,%.9g,%.9g,%.3g,%d\n", jam->mu, jam->h, jam->force,
                    jam->expected, jam->impulse, jam->jammed, jam->slip, jam->is_solved);
        }
    }
    return sheet_close(&s, why);
}

static mo_error write_falls(const char *folder, const rod_results *r, mo_message *why)
{
    sheet_file s;
    const mo_error error = sheet_open(folder, "fall.csv", &s, why);
    if (error) return error;
    fprintf(s.file, "mu,time,angle,tip speed,normal force over weight\n");
    for (int k = 0; k < FALLS; ++k) {
        for (int i = 0; i < r->fall[k].steps; ++i) {
            const double *row = r->fall[k].row[i];
            fprintf(s.file, "%g,%.6g,%.6g,%.6g,%.6g\n", r->fall[k].mu, row[0], row[1], row[2],
                    row[3]);
        }
    }
    return sheet_close(&s, why);
}

static mo_error write_rail(const char *folder, const rod_results *r, mo_message *why)
{
    sheet_file s;
    const mo_error error = sheet_open(folder, "rail.csv", &s, why);
    if (error) return error;
    fprintf(s.file,
            "theta,mu,normal force over weight,closed form,status,steps,unsolved,worst residual\n");
    for (int k = 0; k < ANGLES; ++k) {
        const ac_rail *rail = &r->rail[k];
        fprintf(s.file, "%.6g,%g,%.9g,%.9g,%s,%d,%d,%.3g\n", rail->theta, rail->mu, rail->force,
                rail->expected, mo_status_name(rail->status), rail->steps, rail->unsolved,
                rail->residual);
    }
    return sheet_close(&s, why);
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    mo_error error = write_jam(folder, results, why);
    error = error ? error : write_falls(folder, results, why);
    return error ? error : write_rail(folder, results, why);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_jam(const rod_results *r)
{
    printf("A free rod slides on its leading tip, %g rad above the ground: it jams from mu = %.4f "
           "on.\n"
           "Normal force of the first step over the weight; where it jams, the impulse over m u0 "
           "and the tip's "
           "speed\n\n"
           "%6s %12s %12s %12s %12s %12s %12s %12s\n",
           ANGLE, r->jam[0][0].limit, "mu", "h = 1e-3", "1e-4", "1e-5", "closed form", "impulse",
           "closed form", "|tip| / u0");
    for (int k = 0; k < MUS; ++k) {
        const ac_jam *jam = r->jam[k], *last = &jam[STEPS - 1];
        printf("%6.1f %12.5g %12.5g %12.5g", jam->mu, jam[0].force, jam[1].force, last->force);
        if (isinf(last->expected)) {
            printf(" %12s %12.6f %12.6f %12.1e\n", "infinite", last->impulse, last->jammed,
                   fabs(last->slip));
        } else {
            printf(" %12.5g\n", last->expected);
        }
    }
}

static void print_rail(const rod_results *r)
{
    printf("\nExample 2.1 in motion: the rod on its rail, mu = %g, u0 = 1; a solution exists where "
           "tan theta >= mu "
           "(2.6)\n\n"
           "%8s %14s %14s %16s %22s %10s\n",
           RAIL_MU, "theta", "force / weight", "closed form", "first step", "steps not solved",
           "residual");
    for (int k = 0; k < ANGLES; ++k) {
        const ac_rail *rail = &r->rail[k];
        printf("%8.4f", rail->theta);
        if (isnan(rail->expected))
            printf(" %14s %14s", "-", "none");
        else
            printf(" %14.6f %14.6f", rail->force, rail->expected);
        printf(" %16s %15d of %3d %10.1e\n", mo_status_name(rail->status), rail->unsolved,
               rail->steps, rail->residual);
    }
}

static void print(const void *results)
{
    const rod_results *r = results;
    print_jam(r);
    printf("\nThe fall of the free rod, a second in steps of 1 ms\n\n");
    for (int k = 0; k < FALLS; ++k) {
        printf(
            "  mu = %g: %d of %d steps not solved, largest gain of energy in a step %.1e of it\n",
            r->fall[k].mu, r->fall[k].unsolved, r->fall[k].steps, r->fall[k].gain);
    }
    print_rail(r);
}

static void put(json *j, const void *results)
{
    const rod_results *r = results;
    json_array(j, "free_rod");
    for (int k = 0; k < MUS; ++k) {
        for (int i = 0; i < STEPS; ++i) {
            const ac_jam *jam = &r->jam[k][i];
            json_object(j, NULL);
            json_number(j, "mu", jam->mu);
            json_number(j, "h", jam->h);
            json_number(j, "force", jam->force);
            json_number(j, "force_closed_form", jam->expected);
            json_number(j, "impulse", jam->impulse);
            json_number(j, "impulse_closed_form", jam->jammed);
            json_number(j, "slip", jam->slip);
            json_truth(j, "solved", jam->is_solved);
            json_object_end(j);
        }
    }
    json_array_end(j);
    json_array(j, "rail");
    for (int k = 0; k < ANGLES; ++k) {
        const ac_rail *rail = &r->rail[k];
        json_object(j, NULL);
        json_number(j, "theta", rail->theta);
        json_number(j, "mu", rail->mu);
        json_number(j, "force", rail->force);
        json_number(j, "force_closed_form", rail->expected);
        json_text(j, "status", mo_status_name(rail->status));
        json_whole(j, "steps", rail->steps);
        json_whole(j, "unsolved_steps", rail->unsolved);
        json_object_end(j);
    }
    json_array_end(j);
}

PAPER_RERUN(paper_painleve, "painleve", sizeof(rod_results), ac_rods_gp)
