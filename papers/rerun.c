/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "rerun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "plot.h"
#include "progress.h"
#include "sheet.h"
#include "text.h"

static const char *const COMMAND = "reproduce";

static void print_all(const paper_rerun *rerun, const void *results, const char *folder,
                      plot_outcome drawn)
{
    rerun->print(results);
    printf("\nIn ");
    text_put(stdout, folder);
    printf(": the tables as CSV");
    for (int k = 0; drawn == PLOT_DRAWN && rerun->figures[k]; ++k)
        printf("%s%s", rerun->figures[k + 1] ? ", " : " and ", rerun->figures[k]);
    printf("\n");
}

static void print_json(const paper_rerun *rerun, const void *results, const char *folder,
                       plot_outcome drawn)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", rerun->name);
    rerun->put(&j, results);
    json_text(&j, "folder", folder);
    json_array(&j, "figures");
    for (int k = 0; drawn == PLOT_DRAWN && rerun->figures[k]; ++k)
        json_text(&j, NULL, rerun->figures[k]);
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

static int run_in(const paper_rerun *rerun, const char *folder, int as_json, void *results)
{
    mo_message why = {""};
    mo_error error = rerun->measure(results, &why);
    progress_line("%s", "");
    error = error ? error : rerun->write(folder, results, &why);
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    const plot_outcome drawn = plot_draw(folder, rerun->script, rerun->script_size);
    if (as_json)
        print_json(rerun, results, folder, drawn);
    else
        print_all(rerun, results, folder, drawn);
    const int status = plot_explain(drawn, folder);
    return output_is_good() ? status : EXIT_FAILED;
}

int paper_rerun_command(const paper_rerun *rerun, const experiment_call *asked)
{
    char own[64];
    snprintf(own, sizeof own, "out/%s", rerun->name);
    const char *folder = asked->out ? asked->out : own;
    if (!sheet_make_folder(folder)) {
        say(COMMAND, "the folder %.400s cannot be made: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    void *results = calloc(1, rerun->size);
    if (!results) {
        say(COMMAND, "%s", mo_error_text(MO_ERR_MEMORY));
        return EXIT_FAILED;
    }
    const int status = run_in(rerun, folder, asked->json, results);
    free(results);
    return status;
}
