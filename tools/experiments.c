/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "experiments.h"

#include <stdio.h>
#include <string.h>

#include "exit_status.h"
#include "json.h"
#include "nearest.h"
#include "text.h"

static void list_json(const experiment *all, int count)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_array(&j, "experiments");
    for (int k = 0; k < count; ++k) {
        json_object(&j, NULL);
        json_text(&j, "name", all[k].name);
        json_text(&j, "summary", all[k].summary);
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
        printf("%-*s", column, all[k].name);
        text_put_wrapped(stdout, all[k].summary, column, column);
    }
}

/* Its position, or -1 where the name is unknown, which has then been said. */
static int find(const char *command, const experiment *all, int count, const char *name)
{
    nearest n = {.typed = name};
    for (int k = 0; k < count; ++k) {
        if (strcmp(all[k].name, name) == 0) {
            return k;
        }
        nearest_try(&n, all[k].name);
    }
    if (n.name) {
        say(command, "there is no '%.100s'; did you mean %s?", name, n.name);
    } else {
        say(command, "there is no '%.100s'; moreau %s lists what there is", name, command);
    }
    return -1;
}

int experiments_command(const args_command *command, const args_flag *own, const experiment *all,
                        int count, int argc, char **argv)
{
    enum { FLAG_OUT, FLAG_JSON, FLAG_OWN, FLAG_COUNT };
    args_flag flags[FLAG_COUNT] = {
        [FLAG_OUT] = {.name = "out",
                      .operand = "FOLDER",
                      .text = "where the files it makes are written"},
        [FLAG_JSON] = {.name = "json", .text = "one JSON object, and nothing else"},
    };
    const int flag_count = own ? FLAG_COUNT : FLAG_OWN;
    if (own) {
        flags[FLAG_OWN] = *own;
    }
    int operands = 0;
    const args_answer answer = args_parse(command, flags, flag_count, argc, argv, &operands);
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    const experiment_call asked = {flags[FLAG_OUT].value, flags[FLAG_JSON].value != NULL,
                                   own ? flags[FLAG_OWN].value : NULL};
    if (operands == 0) {
        list(all, count, asked.json);
        return EXIT_DONE;
    }
    const int index = find(command->name, all, count, argv[0]);
    if (index < 0) {
        return EXIT_CALL;
    }
    if (!all[index].run) {
        say(command->name, "%s is not part of this build", all[index].name);
        return EXIT_FAILED;
    }
    return all[index].run(&asked);
}
