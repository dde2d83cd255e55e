/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "world_call.h"

#include "command.h"
#include "settings.h"

int world_call_read(const char *command, const char *name, const args_values *sets,
                    const args_flag *rows, int quiet, world_call *call)
{
    if (model_file_is(name)) {
        const int status = model_file_open(command, name, rows, sets, quiet, call->model);
        const int is_named = !status && call->model->model.name[0];
        call->file_scene =
            (world_scene){.name = name,
                          .text = is_named ? call->model->model.name : "a robot from its file",
                          .step = model_file_step(call->model),
                          .time = 5};
        call->scene = &call->file_scene;
        return status;
    }
    call->model = NULL;
    if (model_flags_refuse(command, rows)) return EXIT_CALL;
    call->scene = settings_scene(command, name);
    return call->scene ? settings_read(command, call->scene, sets, call->values) : EXIT_CALL;
}

mo_error world_call_build(const world_call *call, mo_world **world, mo_message *why)
{
    return call->model ? model_file_build(call->model, world, why)
                       : call->scene->build(call->values, world, why);
}
