/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "experiments.h"

#include <stdio.h>
#include <string.h>

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

void experiments_list(const experiment *all, int count, int as_json)
{
    enum { COLUMN = 16 };
    if (as_json) {
        list_json(all, count);
        return;
    }
    for (int k = 0; k < count; ++k) {
        printf("%-*s", COLUMN, all[k].name);
        text_put_wrapped(stdout, all[k].summary, COLUMN, COLUMN);
    }
}

int experiments_find(const char *command, const experiment *all, int count, const char *name)
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
