/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce trinkle-pang-verdicts`: a verdict for every data set, counted and named. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "papers.h"
#include "rerun.h"
#include "sheet.h"
#include "text.h"

static const char *const COMMAND = "reproduce";

typedef struct judged {
    tp_set set;
    tp_verdict verdict;
} judged;

static mo_error judge_all(judged *all, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < TRINKLE_PANG_SETS; ++k) {
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%d of %d data sets", k, TRINKLE_PANG_SETS);
        error = tp_solve(k, &all[k].set, why);
        error = error ? error : tp_judge(&all[k].set, &all[k].verdict, why);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%40s\r", "");
    return error;
}

static mo_error write_csv(const char *folder, const judged *all, mo_message *why)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/verdicts.csv", folder);
    FILE *file = fopen(path, "w");
    int bad = !file;
    if (file) {
        fprintf(file, "set,size,rolling,sliding,mu,verdict,by method,solutions,cells,seconds\n");
        for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
            const trinkle_pang_set *set = &all[k].set.set;
            const tp_verdict *v = &all[k].verdict;
            fprintf(file, "%d,%d,%d,%d,%.4g,%s,%d,%d,%lld,%.3f\n", set->number, set->size,
                    set->def.rolling, set->def.sliding, set->def.mu, mo_verdict_name(v->verdict),
                    v->by_method, v->solutions, v->cells, v->seconds);
        }
        bad = ferror(file);
        bad = fclose(file) != 0 || bad;
    }
    if (bad) snprintf(why->text, sizeof why->text, "%.400s cannot be written", path);
    return bad ? MO_ERR_FILE : MO_OK;
}

/* ---- counts ---------------------------------------------------------------------------------- */

typedef struct counts {
    int of[2][MO_VERDICT_COUNT]; /* sizes up to 50, and beyond */
    double longest[2];           /* seconds of the slowest verdict */
    int contradictions;
} counts;

static counts count(const judged *all)
{
    counts c = {0};
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        const int large = all[k].set.set.size > 50;
        const tp_verdict *v = &all[k].verdict;
        ++c.of[large][v->verdict];
        c.longest[large] = v->seconds > c.longest[large] ? v->seconds : c.longest[large];
        c.contradictions += v->contradicts;
    }
    return c;
}

static void print_all(const judged *all, const char *folder)
{
    const counts c = count(all);
    printf("The %d data sets of Trinkle, Pang, Sudarsky and Lo 1997: how many solutions\n\n"
           "%-10s %9s %9s\n",
           TRINKLE_PANG_SETS, "verdict", "size <=50", "larger");
    for (int v = 0; v < MO_VERDICT_COUNT; ++v) {
        printf("%-10s %9d %9d  %s\n", mo_verdict_name((mo_verdict)v), c.of[0][v], c.of[1][v],
               mo_verdict_text((mo_verdict)v));
    }
    printf("%-10s %7.1f s %7.1f s\n\nNot known:", "longest", c.longest[0], c.longest[1]);
    int unknown = 0;
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k)
        if (all[k].verdict.verdict == MO_VERDICT_UNKNOWN) printf("%s %d", unknown++ ? "," : "", k);
    printf("%s\n", unknown ? "" : " none");
    if (c.contradictions) {
        printf("%d sets have a solution and a proof that there is none: please report this\n",
               c.contradictions);
    }
    printf("\nIn ");
    text_put(stdout, folder);
    printf(": verdicts.csv\n");
}

static void print_json(const judged *all, const char *folder)
{
    const counts c = count(all);
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "trinkle-pang-verdicts");
    for (int large = 0; large < 2; ++large) {
        json_object(&j, large ? "larger" : "up_to_50");
        for (int v = 0; v < MO_VERDICT_COUNT; ++v)
            json_whole(&j, mo_verdict_name((mo_verdict)v), c.of[large][v]);
        json_number(&j, "longest_seconds", c.longest[large]);
        json_object_end(&j);
    }
    json_whole(&j, "contradictions", c.contradictions);
    json_array(&j, "not_known");
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k)
        if (all[k].verdict.verdict == MO_VERDICT_UNKNOWN) json_whole(&j, NULL, k);
    json_array_end(&j);
    json_text(&j, "folder", folder);
    json_object_end(&j);
    json_end(&j);
}

int paper_trinkle_pang_verdicts(const experiment_call *asked)
{
    const char *folder = asked->out ? asked->out : "out/trinkle-pang-verdicts";
    mo_message why = {""};
    if (!sheet_make_folder(folder)) {
        say(COMMAND, "the folder %.400s cannot be made: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    judged *all = calloc(TRINKLE_PANG_SETS, sizeof *all);
    mo_error error = all ? MO_OK : MO_ERR_MEMORY;
    error = error ? error : judge_all(all, &why);
    error = error ? error : write_csv(folder, all, &why);
    if (error)
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
    else if (asked->json)
        print_json(all, folder);
    else
        print_all(all, folder);
    free(all);
    return error || !output_is_good() ? EXIT_FAILED : EXIT_DONE;
}
