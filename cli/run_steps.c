/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The steps of `moreau run`, and their statistics. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "progress.h"
#include "run.h"
#include "run_outputs.h"
#include "run_report.h"
#include "text.h"

void run_fail(run_tally *tally, const char *file, const char *format, ...)
{
    if (!tally->error.text[0]) {
        va_list values;
        va_start(values, format);
        vsnprintf(tally->error.text, sizeof tally->error.text, format, values);
        va_end(values);
        tally->error_at = file;
    }
}

static void begin_tally(const mo_world *world, run_tally *tally)
{
    tally->began = 1;
    tally->bodies = mo_world_body_count(world);
    tally->start_time = tally->end_time = mo_world_time(world);
    tally->kinetic_first = tally->kinetic_last = mo_world_kinetic_energy(world);
    tally->potential_first = tally->potential_last = mo_world_potential_energy(world);
}

/* The larger of two; NaN is the largest. */
static double worse(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

static void count_unsolved(const mo_step_report *report, run_tally *tally)
{
    tally->unsolved += 1;
    if (tally->unsolved == 1) {
        tally->first_unsolved = tally->steps;
        tally->first_status = report->status;
        tally->first_why = report->message;
    }
}

static void count_step(const mo_world *world, const mo_step_report *report, run_tally *tally)
{
    tally->steps += 1;
    if (report->status != MO_SOLVED) count_unsolved(report, tally);
    tally->end_time = mo_world_time(world);
    tally->worst_residual = worse(tally->worst_residual, report->residual.natural_relative);
    tally->worst_penetration = worse(tally->worst_penetration, report->penetration);
    tally->worst_overlap = worse(tally->worst_overlap, report->overlap);
    tally->tolerance = fmax(tally->tolerance, report->tolerance);
    tally->rounds += report->rounds;
    tally->late_contacts += report->late_contacts;
    tally->impacts_left += report->impacts_left;
    tally->held_back += report->held_back;
    tally->compliant += report->is_compliant;
    tally->less_friction += report->friction_reduced > 0;
    tally->canonical += report->is_canonical;
    tally->energy_removed += report->energy_removed;
    tally->seconds_project += report->seconds_project;
    tally->kinetic_last = report->kinetic_energy;
    tally->potential_last = report->potential_energy;
    tally->contacts_last = report->contacts;
    tally->joints_last = report->joints;
    tally->most_contacts =
        report->contacts > tally->most_contacts ? report->contacts : tally->most_contacts;
    tally->iterations += report->iterations;
    tally->seconds.collide += report->seconds_collide;
    tally->seconds.assemble += report->seconds_assemble;
    tally->seconds.solve += report->seconds_solve;
    tally->seconds.advance += report->seconds_advance;
}

/* The reason why the last step is unsolved.  The problem of an impact is not kept; the message says
 * so. */
static void explain(const mo_world *world, run_tally *tally)
{
    const mo_result *result = mo_world_result(world);
    if (result->status != MO_SOLVED) {
        const mo_error error = solve_proof_explain(mo_world_problem(world), result, &tally->proof);
        if (error) run_fail(tally, NULL, "%s", mo_error_text(error));
        return;
    }
    tally->proof =
        (solve_proof){.is_explained = 1, .to_blame = "unknown", .verdict = MO_VERDICT_UNKNOWN};
    snprintf(
        tally->proof.reason.text, sizeof tally->proof.reason.text,
        "an impact at the start of the step was not solved, and its problem is not stored; the "
        "rest of the step was solved");
}

/* One step, in as many calls as its time limit requires; report->is_waiting after Ctrl-C. */
static mo_error take_step(const run_call *call, mo_world *world, run_tally *tally,
                          mo_step_report *report, mo_message *why)
{
    mo_error error = mo_world_step(world, call->h, report, why);
    while (!error && report->is_waiting && !interrupt_came()) {
        tally->waits += 1;
        error = mo_world_step(world, call->h, report, why);
    }
    return error;
}

static void take_steps(const run_call *call, mo_world *world, run_outputs *outputs,
                       run_tally *tally)
{
    run_progress line = run_progress_start();
    for (int k = 1; k <= call->steps && !tally->interrupted && !tally->error.text[0]; ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        const mo_error error = take_step(call, world, tally, &report, &why);
        if (error) {
            run_fail(tally, NULL, "step %d, from t = %.6g s, was refused: %.400s", k,
                     mo_world_time(world), text_of_error("", error, &why));
            break;
        }
        if (report.is_waiting) {
            tally->interrupted = 1;
            break;
        }
        count_step(world, &report, tally);
        mo_world_device(world, &tally->device);
        if (call->explain && report.status != MO_SOLVED && tally->unsolved == 1)
            explain(world, tally);
        run_outputs_step(outputs, call, world, k, &report, tally);
        tally->seconds.all = run_clock() - line.began;
        run_progress_show(&line, call, tally, &report);
        tally->interrupted = interrupt_came() && k < call->steps;
    }
    run_progress_end(&line);
}

void run_simulate(const run_call *call, mo_world *world, run_tally *tally)
{
    run_outputs outputs;
    begin_tally(world, tally);
    if (run_outputs_begin(&outputs, call, world, tally)) take_steps(call, world, &outputs, tally);
    run_outputs_end(&outputs, call, world, tally);
    if (call->world.model && tally->steps) model_file_forces(call->world.model, world, call->h);
    tally->worst_penetration = worse(tally->worst_penetration, mo_world_penetration(world));
}
