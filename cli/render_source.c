/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "render_source.h"

#include <math.h>

#include "exit_status.h"
#include "moreau/world.h"
#include "progress.h"
#include "settings.h"
#include "text.h"
#include "world_call.h"

/* Tolerance for display, as in the viewer; a scene may require a coarser one. */
static const double IMAGE_TOL = 1e-4;

int render_source_is_world(const char *name)
{
    return model_file_is(name) || world_scene_find(name);
}

static mo_error set_tolerance(mo_world *world, mo_message *why)
{
    mo_world_def def = mo_world_definition(world);
    def.solver.tol = fmax(def.solver.tol, IMAGE_TOL);
    return mo_world_change(world, &def, why);
}

/* Steps per frame; the first frame is the initial state. */
static mo_error simulate(mo_world *world, double h, int steps, int every, mo_recording *recording,
                         mo_message *why)
{
    progress_clock line = progress_begin();
    mo_error error = mo_recording_begin(recording, world, NULL, why);
    error = error ? error : mo_recording_add(recording, world, 0, NULL, why);
    for (int k = 1; k <= steps && !error && !interrupt_came(); ++k) {
        mo_step_report report;
        error = mo_world_step(world, h, &report, why);
        if (!error && (k % every == 0 || k == steps))
            error = mo_recording_add(recording, world, h, &report, why);
        progress_part(&line, "step", k, steps);
    }
    progress_done(&line);
    return error;
}

int render_source_run(const char *command, const char *name, const args_values *sets,
                      const args_flag *model_rows, const args_flag *time, double fps,
                      mo_recording *recording)
{
    model_file model = {0};
    world_call call = {.model = &model};
    mo_world *world = NULL;
    mo_message why = {{0}};
    double seconds = 0;
    int status = world_call_read(command, name, sets, model_rows, 0, &call);
    status = status ? status : settings_bounded(command, time, 0, 1e6, 0, &seconds);
    if (!status) {
        const double h = call.scene->step, whole = time->value ? seconds : call.scene->time;
        const int every = (int)fmax(1, floor(1 / (fps * h) + 1e-9));
        mo_error error = world_call_build(&call, &world, &why);
        error = error ? error : set_tolerance(world, &why);
        error = error ? error
                      : simulate(world, h, (int)fmin(1e9, ceil(whole / h - 1e-9)), every, recording,
                                 &why);
        if (error) {
            say_of_file(name, "%s", text_of_error(name, error, &why));
            status = EXIT_FAILED;
        }
        mo_world_destroy(world);
    }
    model_file_close(&model);
    return status;
}
