/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce cannonball`: figures 2 and 3 of [anitescu2004]. */
#include <math.h>
#include <stdio.h>

#include "ah_motion_gp.h"
#include "json.h"
#include "motion.h"
#include "papers.h"
#include "rerun.h"
#include "sheet.h"

enum { PILES = 2 };

typedef struct motion_results {
    ah_pile pile[PILES];
} motion_results;

static const char *const FIGURES[] = {"figure2.png", "figure3.png", NULL};
static const char *const KEYS[AH_SOLVERS] = {"lcp0", "lcp1", "lcp2", "lcp3", "auto"};

/* Statements of the paper about each method on the two piles. */
static const char *const PAPER[PILES][AH_SOLVERS] = {
    {"quicker than LCP1 and LCP2", "converges", "converges", "the quickest", ""},
    {"fails", "fails", "fails", "goes through", ""}};

/* Results of one method over the steps of one pile. */
typedef struct total {
    int asked, solved;
    double seconds, worst_seconds, worst_residual;
} total;

static total total_of(const ah_pile *pile, int solver)
{
    total all = {0};
    for (int k = 0; k < pile->steps; ++k) {
        const ah_answer *answer = &pile->at[k].answer[solver];
        if (answer->is_asked) {
            ++all.asked;
            all.solved += answer->is_solved;
            all.seconds += answer->seconds;
            all.worst_seconds = fmax(all.worst_seconds, answer->seconds);
            all.worst_residual = fmax(all.worst_residual, answer->residual);
        }
    }
    return all;
}

static int most_contacts(const ah_pile *pile)
{
    int most = 0;
    for (int k = 0; k < pile->steps; ++k)
        most = pile->at[k].contacts > most ? pile->at[k].contacts : most;
    return most;
}

static mo_error measure(void *results, mo_message *why)
{
    motion_results *r = results;
    r->pile[0] = (ah_pile){.rows = 6, .mu = 0.05, .steps = 120, .every = 1, .patience = 4};
    r->pile[1] = (ah_pile){.rows = 16, .mu = 0.2, .steps = 160, .every = 8, .patience = 4};
    const mo_error error = ah_move_pile(&r->pile[0], why);
    return error ? error : ah_move_pile(&r->pile[1], why);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static mo_error write_pile(const char *folder, const ah_pile *pile, mo_message *why)
{
    char name[32];
    sheet_file s;
    snprintf(name, sizeof name, "disks-%d.csv", pile->disks);
    const mo_error error = sheet_open(folder, name, &s, why);
    if (error) return error;
    fprintf(s.file, "time,contacts,contacts by LCP3");
    for (int m = 0; m < AH_SOLVERS; ++m) {
        fprintf(s.file, ",%s s,%s solved,%s residual", ah_solver_names[m], ah_solver_names[m],
                ah_solver_names[m]);
    }
    for (int k = 0; k < pile->steps; ++k) {
        const ah_instant *at = &pile->at[k];
        fprintf(s.file, "\n%.6g,%d,%d", at->time, at->contacts, at->relaxed);
        for (int m = 0; m < AH_SOLVERS; ++m) {
            const ah_answer *a = &at->answer[m];
            if (a->is_asked)
                fprintf(s.file, ",%.6g,%d,%.3g", a->seconds, a->is_solved, a->residual);
            else
                fprintf(s.file, ",,,");
        }
    }
    fprintf(s.file, "\n");
    return sheet_close(&s, why);
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    const motion_results *r = results;
    const mo_error error = write_pile(folder, &r->pile[0], why);
    return error ? error : write_pile(folder, &r->pile[1], why);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_pile(const ah_pile *pile, int figure)
{
    const ah_instant *last = &pile->at[pile->steps - 1];
    printf("\nFigure %d: %d disks, mu = %g, %d steps of 0.05 s from rest\n\n", figure, pile->disks,
           pile->mu, pile->steps);
    printf("  contacts %d at first, %d at most, %d at last (by LCP3, whose law is relaxed: %d)\n",
           pile->at[0].contacts, most_contacts(pile), last->contacts, last->relaxed);
    printf("  moved by auto: %d steps not solved to 1e-8, deepest penetration %.1e m, largest gain "
           "of energy in a "
           "step %.1e of it\n\n",
           pile->unsolved, pile->penetration, pile->gain);
    printf("  %-6s %12s %12s %12s %12s   %s\n", "", "solved", "mean ms", "worst ms", "residual",
           "the paper");
    for (int m = 0; m < AH_SOLVERS; ++m) {
        const total all = total_of(pile, m);
        printf("  %-6s %5d of %3d %12.2f %12.2f %12.1e   %s\n", ah_solver_names[m], all.solved,
               all.asked, 1e3 * all.seconds / fmax(1, all.asked), 1e3 * all.worst_seconds,
               all.worst_residual, PAPER[figure - 2][m]);
    }
}

static void print(const void *results)
{
    const motion_results *r = results;
    printf(
        "Anitescu and Hart 2004: cannonball piles over time; each method on the problem of a step, "
        "from zero,\n"
        "for %g s of the clock at most; LCP3 answers a relaxed law, its residual is in Coulomb's\n",
        r->pile[0].patience);
    print_pile(&r->pile[0], 2);
    print_pile(&r->pile[1], 3);
}

static void put(json *j, const void *results)
{
    const motion_results *r = results;
    json_array(j, "piles");
    for (int p = 0; p < PILES; ++p) {
        const ah_pile *pile = &r->pile[p];
        json_object(j, NULL);
        json_whole(j, "disks", pile->disks);
        json_number(j, "mu", pile->mu);
        json_whole(j, "steps", pile->steps);
        json_whole(j, "unsolved_steps", pile->unsolved);
        json_number(j, "worst_penetration", pile->penetration);
        json_number(j, "largest_energy_gain", pile->gain);
        json_whole(j, "contacts_first", pile->at[0].contacts);
        json_whole(j, "contacts_last", pile->at[pile->steps - 1].contacts);
        json_whole(j, "contacts_last_by_lcp3", pile->at[pile->steps - 1].relaxed);
        for (int m = 0; m < AH_SOLVERS; ++m) {
            const total all = total_of(pile, m);
            json_object(j, KEYS[m]);
            json_whole(j, "asked", all.asked);
            json_whole(j, "solved", all.solved);
            json_number(j, "seconds_mean", all.seconds / fmax(1, all.asked));
            json_number(j, "seconds_worst", all.worst_seconds);
            json_number(j, "worst_residual", all.worst_residual);
            json_object_end(j);
        }
        json_object_end(j);
    }
    json_array_end(j);
}

PAPER_RERUN(paper_cannonball, "cannonball", sizeof(motion_results), ah_motion_gp)
