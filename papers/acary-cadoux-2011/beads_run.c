/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce bead-piles`: table 1 and figure 8 of [acary2011]. */
#include <math.h>
#include <stdio.h>

#include "ac_beads_gp.h"
#include "json.h"
#include "motion.h"
#include "papers.h"
#include "rerun.h"
#include "sheet.h"

enum { SIZES = 3 };
static const int BEADS[SIZES] = {150, 300, 600};
static const char *const FIGURES[] = {"figure8.png", NULL};

/* Table 1: projected gradient, then interior points on four facets. */
typedef struct printed {
    int steps;
    double contacts, rounds, ms;
} printed;

static const printed PRINTED[SIZES][2] = {{{352, 239, 3.3, 768}, {323, 197, 3.1, 236}},
                                          {{308, 506, 3.2, 1200}, {272, 393, 3.5, 1121}},
                                          {{300, 741, 3.3, 1929}, {255, 524, 3.5, 949}}};

typedef struct bead_results {
    ac_bead_run run[SIZES][AC_SOLVERS];
} bead_results;

/* Means over the steps, the last row being that of four facets. */
typedef struct means {
    int steps;
    double contacts, pressed, rounds, ms, residual;
} means;

static means means_of(const ac_bead_run *run, int of_facets)
{
    means m = {0};
    for (int k = 0; k < run->steps; ++k) {
        const ac_bead_step *step = &run->step[k];
        if (of_facets && step->facets_seconds <= 0) continue;
        ++m.steps;
        m.contacts += step->contacts;
        m.pressed += step->pressed;
        m.rounds += of_facets ? step->facets_rounds : step->rounds;
        m.ms += 1e3 * (of_facets ? step->facets_seconds : step->seconds);
        m.residual += step->residual;
    }
    double *const sums[] = {&m.contacts, &m.pressed, &m.rounds, &m.ms, &m.residual};
    for (int k = 0; k < 5; ++k)
        *sums[k] /= fmax(1, m.steps);
    return m;
}

static mo_error measure(void *results, mo_message *why)
{
    bead_results *r = results;
    mo_error error = MO_OK;
    for (int n = 0; n < SIZES; ++n) {
        /* all to rounding would take long: the smallest pile alone */
        for (int s = 0; s < (n ? AC_FINE : AC_SOLVERS) && !error; ++s) {
            error = ac_drop_beads(BEADS[n], AC_BEAD_STEPS, (ac_solver)s, s == AC_COARSE,
                                  &r->run[n][s], why);
        }
    }
    return error;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static mo_error write_steps(const char *folder, const bead_results *r, mo_message *why)
{
    static const char *const names[AC_SOLVERS] = {"gradient", "auto 1e-4", "auto 1e-8"};
    sheet_file s;
    const mo_error error = sheet_open(folder, "steps.csv", &s, why);
    if (error) return error;
    fprintf(s.file, "beads,solver,step,contacts,pressed,rounds,ms,residual\n");
    for (int n = 0; n < SIZES; ++n) {
        for (int m = 0; m < AC_SOLVERS; ++m) {
            const ac_bead_run *run = &r->run[n][m];
            for (int k = 0; k < run->steps; ++k) {
                const ac_bead_step *step = &run->step[k];
                fprintf(s.file, "%d,%s,%d,%d,%d,%d,%.4g,%.3g\n", run->beads, names[m], k + 1,
                        step->contacts, step->pressed, step->rounds, 1e3 * step->seconds,
                        step->residual);
                if (step->facets_seconds > 0) {
                    fprintf(s.file, "%d,facets,%d,%d,%d,%d,%.4g,\n", run->beads, k + 1,
                            step->contacts, step->pressed, step->facets_rounds,
                            1e3 * step->facets_seconds);
                }
            }
        }
    }
    return sheet_close(&s, why);
}

static mo_error write_table(const char *folder, const bead_results *r, mo_message *why)
{
    sheet_file s;
    const mo_error error = sheet_open(folder, "table1.csv", &s, why);
    if (error) return error;
    fprintf(s.file, "beads,solver,steps,contacts,pressed,subproblems,ms,mean residual,worst "
                    "penetration in radii,largest gain of energy\n");
    for (int n = 0; n < SIZES; ++n) {
        for (int m = 0; m < AC_SOLVERS; ++m) {
            const ac_bead_run *run = &r->run[n][m];
            const means of = means_of(run, 0);
            if (of.steps == 0) continue;
            fprintf(s.file, "%d,\"%s\",%d,%.0f,%.0f,%.2f,%.4g,%.3g,%.3g,%.3g\n", run->beads,
                    ac_solver_texts[m], of.steps, of.contacts, of.pressed, of.rounds, of.ms,
                    of.residual, run->penetration, run->energy_gain);
        }
        const means facets = means_of(&r->run[n][AC_COARSE], 1);
        fprintf(s.file, "%d,\"four facets (iv)\",%d,%.0f,%.0f,%.2f,%.4g,,,\n", BEADS[n],
                facets.steps, facets.contacts, facets.pressed, facets.rounds, facets.ms);
    }
    return sheet_close(&s, why);
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    const mo_error error = write_steps(folder, results, why);
    return error ? error : write_table(folder, results, why);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_printed(const char *what, const printed *row)
{
    printf("  %-31s %5d %9.0f %8s %8.1f %9.0f\n", what, row->steps, row->contacts, "", row->rounds,
           row->ms);
}

static void print_size(const bead_results *r, int n)
{
    printf("\n%d beads\n", BEADS[n]);
    print_printed("paper: projected gradient", &PRINTED[n][0]);
    print_printed("paper: facets, interior points", &PRINTED[n][1]);
    for (int m = 0; m < AC_SOLVERS; ++m) {
        const ac_bead_run *run = &r->run[n][m];
        const means of = means_of(run, 0);
        if (of.steps == 0) continue;
        printf("  %-31s %5d %9.0f %8.0f %8.1f %9.2f %10.1e %9.1e\n", ac_solver_texts[m], of.steps,
               of.contacts, of.pressed, of.rounds, of.ms, of.residual, run->penetration);
    }
    const means facets = means_of(&r->run[n][AC_COARSE], 1);
    printf("  %-31s %5d %9.0f %8.0f %8.1f %9.2f\n", "four facets (iv), some steps", facets.steps,
           facets.contacts, facets.pressed, facets.rounds, facets.ms);
}

static void print(const void *results)
{
    printf("Acary, Cadoux, Lemaréchal and Malick 2011, table 1: beads fall into a box, h = 0.02, "
           "mu = 0.3, "
           "restitution 0.2\n"
           "(means of a step; subproblems of auto are its iterations; residual by the measure; "
           "penetration in "
           "radii)\n\n"
           "  %-31s %5s %9s %8s %8s %9s %10s %9s\n",
           "", "steps", "contacts", "pressed", "subprob.", "ms", "residual", "deepest");
    for (int n = 0; n < SIZES; ++n)
        print_size(results, n);
}

static void put_means(json *j, const means *of)
{
    json_whole(j, "steps", of->steps);
    json_number(j, "contacts", of->contacts);
    json_number(j, "pressed", of->pressed);
    json_number(j, "subproblems", of->rounds);
    json_number(j, "ms", of->ms);
}

static void put(json *j, const void *results)
{
    const bead_results *r = results;
    json_array(j, "table1");
    for (int n = 0; n < SIZES; ++n) {
        for (int m = 0; m <= AC_SOLVERS; ++m) {
            const int is_facets = m == AC_SOLVERS;
            const ac_bead_run *run = &r->run[n][is_facets ? AC_COARSE : m];
            const means of = means_of(run, is_facets);
            if (of.steps == 0) continue;
            json_object(j, NULL);
            json_whole(j, "beads", BEADS[n]);
            json_text(j, "solver", is_facets ? "four facets (iv)" : ac_solver_texts[m]);
            put_means(j, &of);
            if (!is_facets) {
                json_number(j, "mean_residual", of.residual);
                json_number(j, "worst_penetration_radii", run->penetration);
                json_number(j, "largest_energy_gain", run->energy_gain);
            }
            if (m == AC_GRADIENT || is_facets) {
                const printed *row = &PRINTED[n][is_facets];
                json_number(j, "paper_contacts", row->contacts);
                json_number(j, "paper_subproblems", row->rounds);
                json_number(j, "paper_ms", row->ms);
            }
            json_object_end(j);
        }
    }
    json_array_end(j);
}

PAPER_RERUN(paper_bead_piles, "bead-piles", sizeof(bead_results), ac_beads_gp)
