/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce brazil-nut`: figure 4 of [anitescu2004], by LCP3 as in the paper and by the
 * exact law. */
#include <stdio.h>

#include "ah_nut_gp.h"
#include "json.h"
#include "motion.h"
#include "papers.h"
#include "rerun.h"
#include "sheet.h"

enum { LAWS = 2, FRAMES = 4 };

typedef struct nut_results {
    ah_nut nut[LAWS];
} nut_results;

static const char *const FIGURES[] = {"figure4.png", "rise.png", NULL};
static const char *const NAMES[LAWS] = {"lcp3", "auto"};
static const char *const TEXTS[LAWS] = {"LCP3, the relaxed law, as in the paper",
                                        "auto, the exact law"};
static const double TOLERANCES[LAWS] = {1e-4, 1e-3};

static mo_error measure(void *results, mo_message *why)
{
    nut_results *r = results;
    mo_error error = MO_OK;
    for (int k = 0; k < LAWS && !error; ++k)
        error = ah_shake(NAMES[k], TOLERANCES[k], AH_SHAKES, &r->nut[k], why);
    return error;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static mo_error write_rise(const char *folder, const ah_nut *nut, mo_message *why)
{
    char name[32];
    sheet_file s;
    snprintf(name, sizeof name, "rise-%s.csv", nut->method);
    const mo_error error = sheet_open(folder, name, &s, why);
    if (error) return error;
    fprintf(s.file, "shake,height of the nut,share of the small disks above it\n");
    for (int k = 0; k <= nut->shakes; ++k)
        fprintf(s.file, "%d,%.6g,%.6g\n", k, nut->at[k][0][1], nut->above[k]);
    return sheet_close(&s, why);
}

/* The start, a third and two thirds of the way, and the end. */
static mo_error write_frame(const char *folder, const ah_nut *nut, int frame, mo_message *why)
{
    char name[32];
    sheet_file s;
    const int shake = frame * nut->shakes / (FRAMES - 1);
    snprintf(name, sizeof name, "frame-%s-%d.csv", nut->method, frame + 1);
    const mo_error error = sheet_open(folder, name, &s, why);
    if (error) return error;
    fprintf(s.file, "x,y,radius,height at the start,shake\n");
    for (int k = 0; k < AH_DISKS; ++k) {
        fprintf(s.file, "%.6g,%.6g,%g,%.6g,%d\n", nut->at[shake][k][0], nut->at[shake][k][1],
                k ? 1.5 : 5.0, nut->at[0][k][1], shake);
    }
    return sheet_close(&s, why);
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    const nut_results *r = results;
    mo_error error = MO_OK;
    for (int k = 0; k < LAWS; ++k) {
        error = error ? error : write_rise(folder, &r->nut[k], why);
        for (int frame = 0; frame < FRAMES; ++frame)
            error = error ? error : write_frame(folder, &r->nut[k], frame, why);
    }
    return error;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print(const void *results)
{
    const nut_results *r = results;
    printf("Anitescu and Hart 2004, figure 4: a disk of radius 5 below 269 of radius 1.5, shaken.\n"
           "The paper (LCP3): it comes to the top in about 50 shakes.\n\n"
           "%-40s %9s %9s %9s %11s %12s %12s\n",
           "", "at top", "contacts", "ms a step", "residual", "penetration", "not solved");
    for (int k = 0; k < LAWS; ++k) {
        const ah_nut *nut = &r->nut[k];
        char top[32];
        snprintf(top, sizeof top, nut->top < 0 ? "not in %d" : "shake %d",
                 nut->top < 0 ? nut->shakes : nut->top);
        printf("%-40s %9s %9.0f %9.1f %11.1e %10.1e m %5d of %d\n", TEXTS[k], top, nut->contacts,
               1e3 * nut->seconds, nut->residual, nut->penetration, nut->unsolved, nut->steps);
    }
    printf("\n(residual: mean over the steps, in Coulomb's law, which LCP3 relaxes; not solved: "
           "steps above %g "
           "and %g in it)\n",
           TOLERANCES[0], TOLERANCES[1]);
}

static void put(json *j, const void *results)
{
    const nut_results *r = results;
    json_whole(j, "paper_shakes", 50);
    json_array(j, "runs");
    for (int k = 0; k < LAWS; ++k) {
        const ah_nut *nut = &r->nut[k];
        json_object(j, NULL);
        json_text(j, "method", nut->method);
        json_number(j, "tol", nut->tolerance);
        json_whole(j, "shakes", nut->shakes);
        json_whole(j, "at_top_after", nut->top);
        json_whole(j, "steps", nut->steps);
        json_whole(j, "unsolved_steps", nut->unsolved);
        json_number(j, "contacts_mean", nut->contacts);
        json_number(j, "seconds_mean", nut->seconds);
        json_number(j, "residual_mean", nut->residual);
        json_number(j, "worst_penetration", nut->penetration);
        json_object_end(j);
    }
    json_array_end(j);
}

PAPER_RERUN(paper_brazil_nut, "brazil-nut", sizeof(nut_results), ah_nut_gp)
