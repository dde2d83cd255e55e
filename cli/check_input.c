/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "check_input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "nearest.h"
#include "run_list.h"
#include "settings.h"
#include "text.h"

const world_scene *check_input_scene(const check_input *input)
{
    return input->small ? &input->small->about : input->moving;
}

/* An argument that is not a file and does not look like one: suggests a scene name. */
static int say_unknown(const char *command, const char *word)
{
    nearest n = {.typed = word};
    for (int k = 0; k < problem_scene_count(); ++k)
        nearest_try(&n, problem_scene_at(k)->about.name);
    for (int k = 0; k < world_scene_count(); ++k)
        nearest_try(&n, world_scene_at(k)->name);
    if (n.name) {
        say(command, "there is no file or scene '%.100s'; did you mean %s?", word, n.name);
    } else {
        say(command,
            "there is no file or scene '%.100s'; moreau check --list and moreau run --list show "
            "the scenes",
            word);
    }
    return EXIT_CALL;
}

int check_input_find(const char *command, const char *word, const args_values *sets, int step,
                     check_input *input)
{
    *input = (check_input){.name = word, .step = step > 0 ? step : 1};
    if (access(word, F_OK) != 0) {
        input->small = problem_scene_find(word);
        input->moving = world_scene_find(word);
    }
    const world_scene *scene = check_input_scene(input);
    if (scene) {
        if (input->small && step > 0) {
            say(command, "%s is one problem and has no steps; leave out --step", word);
            return EXIT_CALL;
        }
        return settings_read(command, scene, sets, input->values);
    }
    if (access(word, F_OK) != 0 && !strpbrk(word, "./\\")) return say_unknown(command, word);
    if (sets->count > 0 || step > 0) {
        say(command, "--set and --step are for scenes, and %.500s is a file", word);
        return EXIT_CALL;
    }
    return EXIT_DONE;
}

/* The problem of step K is that of a world that has taken K - 1 steps. */
static mo_error load_step(check_input *input, mo_message *why)
{
    mo_error error = input->moving->build(input->values, &input->world, why);
    for (int k = 0; k < input->step && !error; ++k) {
        mo_step_report report;
        error = mo_world_step(input->world, input->moving->step, &report, why);
    }
    input->problem = error ? NULL : mo_world_problem(input->world);
    return error;
}

mo_error check_input_load(check_input *input, mo_message *why)
{
    mo_error error;
    if (input->small) {
        error = input->small->build(input->values, &input->built, why);
        input->problem = input->built;
    } else if (input->moving) {
        error = load_step(input, why);
    } else {
        error = mo_fclib_read(input->name, NULL, &input->document, why);
        input->problem = input->document.problem;
    }
    return error;
}

void check_input_clear(check_input *input)
{
    mo_document_clear(&input->document);
    mo_problem_destroy(input->built);
    mo_world_destroy(input->world);
    *input = (check_input){0};
}

void check_input_list(int as_json)
{
    json j = json_begin(stdout);
    if (as_json) {
        json_object(&j, NULL);
        json_array(&j, "scenes");
    } else {
        printf(
            "Problems, and their parameters for --set with default and range. The scenes of moreau "
            "run\n--list are accepted as well: one of their steps is checked.\n");
    }
    for (int k = 0; k < problem_scene_count(); ++k) {
        if (as_json) {
            run_list_json(&j, &problem_scene_at(k)->about);
        } else {
            fputc('\n', stdout);
            run_list_put(&problem_scene_at(k)->about);
        }
    }
    if (as_json) {
        json_array_end(&j);
        json_object_end(&j);
        json_end(&j);
    }
}
