/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_outputs.h"

#include <errno.h>
#include <string.h>

#include "command.h"
#include "paths.h"
#include "run_csv.h"
#include "run_state.h"
#include "sheet.h"
#include "text.h"

/* ---- before anything is built ---------------------------------------------------------------- */

/* A file of the call, by the flag that names it. */
typedef struct named_file {
    const char *flag, *path;
} named_file;

static int check_file(const char *command, const named_file *file)
{
    char *inputs[] = {NULL};
    if (path_is_folder(file->path)) {
        say(command, "%s %.500s names a folder; name a file", file->flag, file->path);
        return EXIT_CALL;
    }
    return path_check(command, file->flag, file->path, inputs, 1);
}

static int check_files(const char *command, const char *model, const named_file *files, int count)
{
    int status = EXIT_DONE;
    for (int k = 0; k < count && !status; ++k) {
        if (model && files[k].path && path_same(model, files[k].path)) {
            say(command, "%s %.500s would replace the model", files[k].flag, files[k].path);
            return EXIT_CALL;
        }
        for (int i = 0; i < k && files[k].path; ++i) {
            if (files[i].path && (strcmp(files[i].path, files[k].path) == 0 ||
                                  path_same(files[i].path, files[k].path))) {
                say(command, "%s and %s name the same file %.500s", files[i].flag, files[k].flag,
                    files[k].path);
                return EXIT_CALL;
            }
        }
        status = files[k].path ? check_file(command, files + k) : EXIT_DONE;
    }
    return status;
}

static int check_folder(const char *command, const named_file *folder)
{
    if (folder->path && !sheet_make_folder(folder->path)) {
        say(command, "the folder %.500s of %s could not be created: %s", folder->path, folder->flag,
            strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

int run_outputs_check(const char *command, const run_call *call)
{
    const named_file files[] = {{"--csv", call->csv},
                                {"--sensors", call->sensors},
                                {"--record", call->record},
                                {"--replay", call->replay},
                                {"--save-state", call->save_state},
                                {"--export-problem", call->export_file}};
    const named_file vtk = {"--vtk", call->vtk}, plot = {"--plot", call->plot};
    const char *model = call->world.model ? call->world.model->path : NULL;
    int status = check_files(command, model, files, (int)(sizeof files / sizeof files[0]));
    status = status ? status : check_folder(command, &vtk);
    return status ? status : check_folder(command, &plot);
}

/* ---- one step's problem ---------------------------------------------------------------------- */

static int export_problem(const run_call *call, const mo_world *world, run_tally *tally)
{
    const mo_result *result = mo_world_result(world);
    const mo_problem *const taken = mo_world_problem(world);
    /* borrowed from the world: the document only reads it */
    mo_problem *problem;
    if (!taken) {
        run_fail(tally, call->export_file,
                 "a step on a GPU has no problem to be written: use --device cpu");
        return 0;
    }
    memcpy(&problem, &taken, sizeof problem);
    char title[128], description[256];
    mo_message why = {{0}};
    snprintf(title, sizeof title, "%s, step %d", call->world.scene->name, call->export_step);
    snprintf(description, sizeof description,
             "The contact problem of step %d of the scene %s, from t = %.6g s, h = %.6g s; the "
             "solution is that of %s (%s)",
             call->export_step, call->world.scene->name, mo_world_time(world) - call->h, call->h,
             result->method ? result->method : call->method, mo_status_name(result->status));
    const mo_document document = {.problem = problem,
                                  .title = title,
                                  .description = description,
                                  .solution = {result->v, result->u, result->r}};
    const mo_error error = mo_fclib_write(call->export_file, &document, &why);
    if (error)
        run_fail(tally, call->export_file, "%s", text_of_error(call->export_file, error, &why));
    return !error;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static int csv_frame(run_outputs *o, const run_call *call, const mo_world *world, run_tally *tally)
{
    if (!o->csv.file) return 1;
    run_csv_frame(o->csv.file, world);
    if (ferror(o->csv.file)) {
        run_fail(tally, call->csv, "could not be written: %s", strerror(errno));
        return 0;
    }
    return 1;
}

static int recording_frame(run_outputs *o, const run_call *call, const mo_world *world, double h,
                           const mo_step_report *report, run_tally *tally)
{
    mo_message why = {{0}};
    const mo_error error =
        o->recorder ? mo_recorder_add(o->recorder, world, h, report, &why) : MO_OK;
    if (error) run_fail(tally, call->record, "%s", text_of_error(call->record, error, &why));
    return !error;
}

/* Passes the state of the world to all outputs: after a step of h with its report, or before the
 * first (0, NULL). */
static int record(run_outputs *o, const run_call *call, const mo_world *world, double h,
                  const mo_step_report *report, run_tally *tally)
{
    return csv_frame(o, call, world, tally) && recording_frame(o, call, world, h, report, tally) &&
           (!o->has_vtk || run_vtk_frame(&o->vtk, call, world, h, tally));
}

static int begin_csv(run_outputs *o, const run_call *call, run_tally *tally)
{
    if (!output_open(&o->csv, call->csv)) {
        run_fail(tally, call->csv, "could not be written: %s", strerror(errno));
        return 0;
    }
    run_csv_head(o->csv.file);
    return 1;
}

static int begin_recording(run_outputs *o, const run_call *call, const mo_world *world,
                           run_tally *tally)
{
    mo_message why = {{0}};
    const mo_error error =
        mo_recorder_create(call->record, world, call->world.scene->name, NULL, &o->recorder, &why);
    if (error) run_fail(tally, call->record, "%s", text_of_error(call->record, error, &why));
    return !error;
}

int run_outputs_begin(run_outputs *o, const run_call *call, mo_world *world, run_tally *tally)
{
    *o = (run_outputs){0};
    if ((call->csv && !begin_csv(o, call, tally)) ||
        !run_sensors_begin(&o->sensors, call, world, tally) ||
        (call->record && !begin_recording(o, call, world, tally)) ||
        (call->replay && !run_replay_begin(&o->replay, call, world, tally)))
        return 0;
    o->has_vtk = call->vtk != NULL && run_vtk_begin(&o->vtk, call, world, tally);
    o->has_plot = call->plot != NULL && run_plot_begin(&o->plot, call, tally);
    return !tally->error.text[0] && record(o, call, world, 0, NULL, tally);
}

int run_outputs_step(run_outputs *o, const run_call *call, mo_world *world, int k,
                     const mo_step_report *report, run_tally *tally)
{
    if (call->export_file && k == call->export_step && !export_problem(call, world, tally))
        return 0;
    if (o->has_plot && !run_plot_step(&o->plot, call, world, report, tally)) return 0;
    if (call->replay && !run_replay_step(&o->replay, call, world, report, tally)) return 0;
    const int is_recorded = k % call->every == 0;
    if (!run_sensors_step(&o->sensors, call, world, call->h, is_recorded, tally)) return 0;
    return is_recorded ? record(o, call, world, call->h, report, tally) : 1;
}

static void end_recording(run_outputs *o, const run_call *call, run_tally *tally)
{
    mo_message why = {{0}};
    const mo_error error = o->recorder ? mo_recorder_finish(o->recorder, &why) : MO_OK;
    if (error) run_fail(tally, call->record, "%s", text_of_error(call->record, error, &why));
    o->recorder = NULL;
}

void run_outputs_end(run_outputs *o, const run_call *call, const mo_world *world, run_tally *tally)
{
    if (o->csv.file && !output_commit(&o->csv))
        run_fail(tally, call->csv, "could not be written: %s", strerror(errno));
    run_sensors_end(&o->sensors, call, tally);
    end_recording(o, call, tally);
    run_replay_end(&o->replay, call, world, tally);
    if (o->has_vtk) run_vtk_end(&o->vtk, call, tally);
    if (o->has_plot) run_plot_end(&o->plot, call, tally);
    if (call->save_state) run_state_save(call, world, tally);
}
