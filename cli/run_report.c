/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "number.h"
#include "progress.h"
#include "text.h"

static const double FIRST_SECONDS = 0.3; /* shorter work shows nothing */
static const double EVERY_SECONDS = 0.1; /* ten lines a second are readable */

double run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double simulated(const run_tally *tally)
{
    return tally->end_time - tally->start_time;
}

/* Simulated seconds per second of wall time; 0 if there was no step. */
static double real_time_factor(const run_tally *tally)
{
    return tally->seconds.all > 0 ? simulated(tally) / tally->seconds.all : 0;
}

/* ---- progress -------------------------------------------------------------------------------- */

run_progress run_progress_start(void)
{
    const double now = run_clock();
    return (run_progress){
        .on_terminal = isatty(STDERR_FILENO), .began = now, .next = now + FIRST_SECONDS};
}

void run_progress_show(run_progress *p, const run_call *call, const run_tally *tally,
                       const mo_step_report *last)
{
    const double now = p->on_terminal ? run_clock() : 0;
    char left[24];
    if (!p->on_terminal || now < p->next || tally->steps < 1) return;
    p->next = now + EVERY_SECONDS;
    p->shown = 1;
    fprintf(stderr, "\r\033[K%s: step %d of %d, t = %.4g s, %s, residual %.0e, %.2g x real time",
            call->world.scene->name, tally->steps, call->steps, tally->end_time,
            number_count(last->contacts, "contact").text, last->residual.natural_relative,
            simulated(tally) / (now - p->began));
    if (tally->unsolved) fprintf(stderr, ", %d UNSOLVED", tally->unsolved);
    fprintf(stderr, ", %s left%s",
            progress_duration((now - p->began) / tally->steps * (call->steps - tally->steps), left),
            interrupt_came() ? ", stopping" : "");
    fflush(stderr);
}

void run_progress_end(run_progress *p)
{
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        p->shown = 0;
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_label(const char *label)
{
    printf("  %-18s", label);
}

static void put_unsolved(const run_call *call, const run_tally *tally)
{
    enum { COLUMN = 20 };
    char sentence[1024];
    put_label("unsolved steps");
    if (!tally->unsolved) {
        printf("0 of %d (relative residual at most %s", tally->steps,
               number_short(call->options.tol).text);
        if (tally->tolerance > call->options.tol)
            printf("; %s where many bodies move", number_short(tally->tolerance).text);
        puts(")");
        return;
    }
    snprintf(sentence, sizeof sentence, "%d of %d; the first is step %d: %s", tally->unsolved,
             tally->steps, tally->first_unsolved,
             tally->first_why.text[0] ? tally->first_why.text
                                      : mo_status_text(tally->first_status));
    text_put_wrapped(stdout, sentence, COLUMN, COLUMN);
}

/* Unsolved, overlapping and incomplete steps, if any. */
static void put_left(const run_tally *tally)
{
    if (tally->late_contacts + tally->impacts_left + tally->held_back + tally->compliant +
            tally->less_friction ==
        0)
        return;
    put_label("left");
    printf("%d late contacts, %d impacts, %d bodies held back, %d compliant steps, %d with less "
           "friction\n",
           tally->late_contacts, tally->impacts_left, tally->held_back, tally->compliant,
           tally->less_friction);
}

static void put_energy(const run_tally *tally)
{
    const double first = tally->kinetic_first + tally->potential_first;
    const double last = tally->kinetic_last + tally->potential_last;
    put_label("energy");
    printf("initial %s J, final %s J (kinetic %s, potential %s)\n", number_short(first).text,
           number_short(last).text, number_short(tally->kinetic_last).text,
           number_short(tally->potential_last).text);
}

static void put_seconds(const run_seconds *s, double factor)
{
    const double rest = s->all - s->collide - s->assemble - s->solve - s->advance;
    put_label("time");
    printf("%s, %.3g x real time\n", number_seconds(s->all).text, factor);
    put_label("");
    printf("collide %s, assemble %s, ", number_seconds(s->collide).text,
           number_seconds(s->assemble).text);
    printf("solve %s,\n", number_seconds(s->solve).text);
    put_label("");
    printf("advance %s, other %s\n", number_seconds(s->advance).text,
           number_seconds(rest > 0 ? rest : 0).text);
}

static void put_file(const char *label, const char *path)
{
    if (path) {
        put_label(label);
        text_put(stdout, path);
        fputc('\n', stdout);
    }
}

static void put_body_name(const char *name, int number)
{
    char without[32];
    snprintf(without, sizeof without, "body %d", number);
    text_put_column(stdout, name[0] ? name : without, 20);
}

/* Contact forces of the last step on each body of a robot. */
static void put_forces(const model_file *file)
{
    enum { MOST = 12 };
    for (int k = 0; k < file->force_count && k < MOST; ++k) {
        const model_force *f = file->forces + k;
        put_label(k ? "" : "contact forces");
        put_body_name(file->model.bodies[f->body].name, f->body);
        printf("  %9.3f %9.3f %9.3f N, %s\n", f->force[0], f->force[1], f->force[2],
               number_count(f->contacts, "contact").text);
    }
    if (file->force_count > MOST) {
        put_label("");
        printf("and %d bodies more\n", file->force_count - MOST);
    }
}

void run_report_put(const run_call *call, const run_tally *tally)
{
    printf("%s: %s of %s s", call->world.scene->name, number_count(tally->steps, "step").text,
           number_short(call->h).text);
    if (tally->start_time > 0) printf(", from t = %.6g s", tally->start_time);
    printf(", to t = %.6g s", tally->end_time);
    if (tally->unsolved) printf("; %d UNSOLVED", tally->unsolved);
    fputc('\n', stdout);
    put_label("world");
    printf("%d %s; last step: %s and %s\n", tally->bodies, tally->bodies == 1 ? "body" : "bodies",
           number_count(tally->contacts_last, "contact").text,
           number_count(tally->joints_last, "joint").text);
    put_label("method");
    printf("%s, %s\n", call->method, number_count(tally->iterations, "iteration").text);
    if (strcmp(tally->device.text, "cpu") != 0 && tally->device.text[0]) {
        put_label("device");
        printf("%s\n", tally->device.text);
    }
    put_unsolved(call, tally);
    solve_proof_put(&tally->proof);
    put_label("worst residual");
    printf("%s relative\n", number_real(tally->worst_residual).text);
    put_label("worst penetration");
    printf("%s m\n", number_real(tally->worst_penetration).text);
    put_left(tally);
    put_energy(tally);
    if (call->world.model) put_forces(call->world.model);
    put_seconds(&tally->seconds, real_time_factor(tally));
    if (!tally->error.text[0]) {
        put_file("csv", call->csv);
        put_file("sensors", call->sensors);
        put_file("recording", call->record);
        put_file("replay page", call->replay);
        if (call->replay && tally->replay_note[0]) {
            put_label("");
            printf("%s\n", tally->replay_note);
        }
        put_file("ParaView", call->vtk);
        put_file("plots", call->plot);
        put_file("problem", call->export_file);
        put_file("state", call->save_state);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_call(json *j, const run_call *call, const run_tally *tally)
{
    json_text(j, "scene", call->world.scene->name);
    json_object(j, "parameters");
    for (int k = 0; k < world_parameter_count(call->world.scene); ++k)
        json_number(j, call->world.scene->parameter[k].name, call->world.values[k]);
    json_object_end(j);
    json_text(j, "method", call->method);
    json_number(j, "tol", call->options.tol);
    json_number(j, "worst_tol", fmax(tally->tolerance, call->options.tol));
    json_whole(j, "threads", call->options.threads);
    json_text(j, "device", tally->device.text[0] ? tally->device.text : "cpu");
    json_number(j, "dt", call->h);
    json_whole(j, "steps_asked", call->steps);
}

/* The sensors after the last step. */
static void json_sensors(json *j, const model_file *file)
{
    json_array(j, "sensors");
    for (int k = 0; file->sensed && k < mo_robot_sensor_count(file->robot); ++k) {
        const char *kind = NULL;
        int first = 0, count = 0;
        json_object(j, NULL);
        json_text(j, "name", mo_robot_sensor(file->robot, k, &kind, &first, &count));
        json_text(j, "kind", kind);
        json_array(j, "values");
        for (int i = 0; i < count; ++i)
            json_number(j, NULL, file->sensed[first + i]);
        json_array_end(j);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_model(json *j, const model_file *file)
{
    json_array(j, "notes");
    for (int k = 0; k < file->model.note_count; ++k)
        json_text(j, NULL, file->model.notes[k].text);
    for (int k = 0; file->robot && k < mo_robot_note_count(file->robot); ++k)
        json_text(j, NULL, mo_robot_note(file->robot, k));
    json_array_end(j);
    json_array(j, "contact_forces");
    for (int k = 0; k < file->force_count; ++k) {
        const model_force *f = file->forces + k;
        json_object(j, NULL);
        json_text(j, "body", file->model.bodies[f->body].name);
        json_whole(j, "contacts", f->contacts);
        json_array(j, "force");
        for (int i = 0; i < 3; ++i)
            json_number(j, NULL, f->force[i]);
        json_array_end(j);
        json_object_end(j);
    }
    json_array_end(j);
    json_sensors(j, file);
}

static void json_energy(json *j, const run_tally *tally)
{
    json_number(j, "energy_first", tally->kinetic_first + tally->potential_first);
    json_number(j, "energy_last", tally->kinetic_last + tally->potential_last);
    json_number(j, "kinetic_first", tally->kinetic_first);
    json_number(j, "kinetic_last", tally->kinetic_last);
    json_number(j, "potential_first", tally->potential_first);
    json_number(j, "potential_last", tally->potential_last);
}

static void json_seconds(json *j, const run_tally *tally)
{
    json_number(j, "seconds", tally->seconds.all);
    json_number(j, "seconds_collide", tally->seconds.collide);
    json_number(j, "seconds_assemble", tally->seconds.assemble);
    json_number(j, "seconds_solve", tally->seconds.solve);
    json_number(j, "seconds_advance", tally->seconds.advance);
    json_number(j, "seconds_project", tally->seconds_project);
    json_number(j, "real_time_factor", real_time_factor(tally));
}

static void json_files(json *j, const run_call *call)
{
    const struct {
        const char *key, *path;
    } files[] = {{"csv", call->csv},          {"sensors", call->sensors},
                 {"record", call->record},    {"replay", call->replay},
                 {"vtk", call->vtk},          {"plot", call->plot},
                 {"state", call->save_state}, {"problem", call->export_file}};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; ++k)
        if (files[k].path) json_text(j, files[k].key, files[k].path);
}

static void json_tally(json *j, const run_tally *tally)
{
    json_whole(j, "steps", tally->steps);
    json_whole(j, "unsolved_steps", tally->unsolved);
    json_whole(j, "first_unsolved_step", tally->first_unsolved);
    json_text(j, "first_unsolved_status",
              tally->unsolved ? mo_status_name(tally->first_status) : NULL);
    solve_proof_json(j, &tally->proof);
    json_number(j, "worst_residual", tally->worst_residual);
    json_number(j, "worst_penetration", tally->worst_penetration);
    json_number(j, "worst_overlap", tally->worst_overlap);
    json_whole(j, "waits", tally->waits);
    json_whole(j, "rounds", tally->rounds);
    json_whole(j, "late_contacts", tally->late_contacts);
    json_whole(j, "impacts_left", tally->impacts_left);
    json_whole(j, "bodies_held_back", tally->held_back);
    json_whole(j, "compliant_steps", tally->compliant);
    json_whole(j, "less_friction_steps", tally->less_friction);
    json_whole(j, "canonical_steps", tally->canonical);
    json_number(j, "energy_removed", tally->energy_removed);
    json_energy(j, tally);
    json_number(j, "time_first", tally->start_time);
    json_number(j, "time_last", tally->end_time);
    json_whole(j, "bodies", tally->bodies);
    json_whole(j, "contacts_last", tally->contacts_last);
    json_whole(j, "contacts_most", tally->most_contacts);
    json_whole(j, "joints_last", tally->joints_last);
    json_whole(j, "iterations", tally->iterations);
    json_seconds(j, tally);
}

void run_report_json(const run_call *call, const run_tally *tally)
{
    const int failed = tally->error.text[0] != 0;
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "status", failed ? "error" : tally->interrupted ? "interrupted" : "done");
    if (failed) {
        json_text(&j, "error", tally->error.text);
        json_text(&j, "error_at", tally->error_at);
    }
    json_call(&j, call, tally);
    if (tally->began) json_tally(&j, tally);
    if (call->world.model) json_model(&j, call->world.model);
    if (!failed) json_files(&j, call);
    json_object_end(&j);
    json_end(&j);
}
