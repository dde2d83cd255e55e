/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_list.h"

#include <stdio.h>
#include <string.h>

#include "number.h"
#include "text.h"

static void json_parameter(json *j, const world_parameter *p)
{
    json_object(j, NULL);
    json_text(j, "name", p->name);
    json_text(j, "text", p->text);
    json_number(j, "default", p->value);
    json_number(j, "least", p->least);
    json_number(j, "most", p->most);
    json_object_end(j);
}

void run_list_json(json *j, const world_scene *scene)
{
    json_object(j, NULL);
    json_text(j, "name", scene->name);
    json_text(j, "text", scene->text);
    if (scene->build) {
        json_number(j, "dt", scene->step);
        json_number(j, "time", scene->time);
    }
    json_array(j, "parameters");
    for (int k = 0; k < world_parameter_count(scene); ++k)
        json_parameter(j, scene->parameter + k);
    json_array_end(j);
    json_object_end(j);
}

static void put_parameter(const world_parameter *p)
{
    enum { COLUMN = 46 };
    char setting[64], range[96];
    snprintf(setting, sizeof setting, "%s=%s", p->name, number_short(p->value).text);
    snprintf(range, sizeof range, "%s to %s", number_short(p->least).text,
             number_short(p->most).text);
    const int column = printf("    %-20s  %-18s  ", setting, range);
    text_put_wrapped(stdout, p->text, column, COLUMN);
}

void run_list_put(const world_scene *scene)
{
    const int column = printf("%-14s%s", scene->name, strlen(scene->name) < 14 ? "" : "  ");
    text_put_wrapped(stdout, scene->text, column, 14);
    if (scene->build) {
        printf("    %s s in steps of %s s\n", number_short(scene->time).text,
               number_short(scene->step).text);
    }
    for (int k = 0; k < world_parameter_count(scene); ++k)
        put_parameter(scene->parameter + k);
}

void run_list(const world_scene *one, int as_json)
{
    json j = json_begin(stdout);
    if (as_json) {
        json_object(&j, NULL);
        json_array(&j, "scenes");
    } else {
        printf(
            "Scenes with their duration, and the parameters for --set with default and range.\n");
    }
    for (int k = 0; k < world_scene_count(); ++k) {
        const world_scene *scene = world_scene_at(k);
        if (one && one != scene) continue;
        if (as_json) {
            run_list_json(&j, scene);
        } else {
            fputc('\n', stdout);
            run_list_put(scene);
        }
    }
    if (as_json) {
        json_array_end(&j);
        json_object_end(&j);
        json_end(&j);
    }
}
