/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "json.h"
#include "manual.h"
#include "nearest.h"
#include "progress.h"
#include "text.h"

/* "about 4 min", or "" if it is not known. */
static const char *usual_time(const experiment *e, char text[40])
{
    char duration[24];
    text[0] = '\0';
    if (e->seconds > 0)
        snprintf(text, 40, "about %s", progress_duration(ceil(e->seconds), duration));
    return text;
}

static void list_json(const experiment *all, int count)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_array(&j, "experiments");
    for (int k = 0; k < count; ++k) {
        json_object(&j, NULL);
        json_text(&j, "name", all[k].name);
        json_text(&j, "summary", all[k].summary);
        json_number(&j, "seconds", all[k].seconds > 0 ? all[k].seconds : NAN);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

static void list(const experiment *all, int count, int as_json)
{
    if (as_json) {
        list_json(all, count);
        return;
    }
    int column = 0;
    for (int k = 0; k < count; ++k) {
        const int width = text_width(all[k].name) + 2;
        column = width > column ? width : column;
    }
    for (int k = 0; k < count; ++k) {
        char line[400], time[40];
        usual_time(&all[k], time);
        snprintf(line, sizeof line, time[0] ? "%s (%s)" : "%s", all[k].summary, time);
        printf("%-*s", column, all[k].name);
        text_put_wrapped(stdout, line, column, column);
    }
}

/* Its index, or -1 after a message if the name is unknown. */
static int find(const char *command, const experiment *all, int count, const char *name)
{
    nearest n = {.typed = name};
    for (int k = 0; k < count; ++k) {
        if (strcmp(all[k].name, name) == 0) return k;
        nearest_try(&n, all[k].name);
    }
    if (n.name)
        say(command, "there is no '%.100s'; did you mean %s?", name, n.name);
    else
        say(command, "unknown name '%.100s'; moreau %s lists all names", name, command);
    return -1;
}

/* --help as text, not as a manual page. */
static int asks_for_text(int argc, char **argv)
{
    manual_form form = MANUAL_NONE;
    for (int k = 0; k < argc && !form; ++k)
        form = manual_asked(argv[k]);
    return form == MANUAL_TEXT;
}

int experiments_command(const args_command *command, const args_flag *own, const experiment *all,
                        int count, int argc, char **argv)
{
    enum { FLAG_OUT, FLAG_JSON, FLAG_OWN, FLAG_COUNT };
    args_flag flags[FLAG_COUNT] = {
        [FLAG_OUT] = {.name = "out", .operand = "FOLDER", .text = "write files to this folder"},
        [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
    };
    const int flag_count = own ? FLAG_COUNT : FLAG_OWN;
    if (own) flags[FLAG_OWN] = *own;
    int operands = 0;
    const args_answer answer = args_parse(command, flags, flag_count, argc, argv, &operands);
    if (answer == ARGS_HELP && asks_for_text(argc, argv)) {
        printf("\nNames:\n");
        list(all, count, 0);
    }
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    const experiment_call asked = {flags[FLAG_OUT].value, flags[FLAG_JSON].value != NULL,
                                   own ? flags[FLAG_OWN].value : NULL};
    if (operands == 0) {
        list(all, count, asked.json);
        return EXIT_DONE;
    }
    const int index = find(command->name, all, count, argv[0]);
    if (index < 0) return EXIT_CALL;
    if (!all[index].run) {
        say(command->name, "%s is not part of this build", all[index].name);
        return EXIT_FAILED;
    }
    char time[40];
    if (usual_time(&all[index], time)[0] && isatty(STDERR_FILENO)) {
        fprintf(stderr, "%s takes %s of processor time\n", all[index].name, time);
        progress_expect(all[index].seconds);
    }
    return all[index].run(&asked);
}
