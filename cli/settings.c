/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "nearest.h"
#include "number.h"
#include "text.h"

int settings_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* Reports an unknown parameter, with the nearest name or all of them. */
static void say_no_parameter(const char *command, const world_scene *scene, const char *name)
{
    char all[512] = "";
    nearest n = {.typed = name};
    int length = 0;
    for (int k = 0; k < world_parameter_count(scene); ++k) {
        nearest_try(&n, scene->parameter[k].name);
        length += snprintf(all + length, sizeof all - (size_t)length, "%s%s", k ? ", " : "",
                           scene->parameter[k].name);
    }
    if (n.name) {
        say(command, "the scene %s has no parameter '%.100s'; did you mean %s?", scene->name, name,
            n.name);
    } else {
        say(command, "the scene %s has no parameter '%.100s'; it has %s", scene->name, name, all);
    }
}

static const world_parameter *find_parameter(const world_scene *scene, const char *name)
{
    for (int k = 0; k < world_parameter_count(scene); ++k)
        if (strcmp(scene->parameter[k].name, name) == 0) return scene->parameter + k;
    return NULL;
}

static int read_setting(const char *command, const world_scene *scene, const char *text,
                        double *values)
{
    char name[64];
    const size_t length = strcspn(text, "=");
    double value = 0;
    mo_message why = {{0}};
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             text);
    const world_parameter *parameter = find_parameter(scene, name);
    if (!parameter) {
        say_no_parameter(command, scene, name);
        return EXIT_CALL;
    }
    if (text[length] != '=' || !settings_number(text + length + 1, &value)) {
        say(command, "--set %.100s is not a number for %s, as in --set %s=%s", text, name, name,
            number_short(parameter->value).text);
        return EXIT_CALL;
    }
    const mo_error error = world_set_value(scene, values, name, value, &why);
    if (error) say(command, "%s", text_of_error("", error, &why));
    return error ? EXIT_CALL : EXIT_DONE;
}

int settings_read(const char *command, const world_scene *scene, const args_values *sets,
                  double *values)
{
    int status = EXIT_DONE;
    world_default_values(scene, values);
    for (int k = 0; k < sets->count && !status; ++k) {
        const size_t name = strcspn(sets->at[k], "=");
        for (int j = 0; j < k; ++j) {
            if (strcspn(sets->at[j], "=") == name && strncmp(sets->at[j], sets->at[k], name) == 0) {
                say(command, "--set %.100s and --set %.100s are both given; give one of them",
                    sets->at[j], sets->at[k]);
                return EXIT_CALL;
            }
        }
        status = read_setting(command, scene, sets->at[k], values);
    }
    return status;
}

static int ends_as(const char *name, const char *end)
{
    const size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

const world_scene *settings_scene(const char *command, const char *name)
{
    const world_scene *scene = world_scene_find(name);
    if (scene) return scene;
    if (ends_as(name, ".hdf5") || ends_as(name, ".h5")) {
        say(command,
            "%.200s is not a scene; use moreau solve or moreau check for a problem, moreau view or "
            "moreau render for a recording",
            name);
        return NULL;
    }
    nearest n = {.typed = name};
    for (int k = 0; k < world_scene_count(); ++k)
        nearest_try(&n, world_scene_at(k)->name);
    if (strchr(name, '/') || strchr(name, '.'))
        say(command, "%.200s is neither a scene nor a file of a robot (.xml, .urdf, .sdf)", name);
    else if (n.name)
        say(command, "there is no scene '%.100s'; did you mean %s?", name, n.name);
    else
        say(command, "there is no scene '%.100s'; moreau run --list shows all scenes", name);
    return NULL;
}

int settings_bounded(const char *command, const args_flag *flag, double least, double most,
                     int whole, double *value)
{
    double given = 0;
    if (!flag->value) return EXIT_DONE;
    if (!settings_number(flag->value, &given) || given < least || given > most ||
        (whole && given != floor(given))) {
        say(command, "%s %.100s is not a %snumber from %s to %s", args_typed(flag->name).text,
            flag->value, whole ? "whole " : "", number_short(least).text, number_short(most).text);
        return EXIT_CALL;
    }
    *value = given;
    return EXIT_DONE;
}
