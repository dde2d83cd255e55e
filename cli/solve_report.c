/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solve_report.h"

#include "number.h"
#include "solve_ladder.h"
#include "text.h"

int outcome_is_solved(const outcome *o)
{
    return o->ran && !o->error.text[0] && o->result.status == MO_SOLVED;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_residual(json *j, const outcome *o)
{
    const mo_residual *residual = &o->result.residual;
    json_number(j, "residual", residual->natural);
    json_number(j, "residual_relative", residual->natural_relative);
    json_number(j, "tol", o->tol);
    json_number(j, "q_norm", residual->q_norm);
    json_number(j, "penetration_rate", residual->penetration_rate.value);
    json_whole(j, "penetration_rate_at", residual->penetration_rate.constraint);
    json_number(j, "cone_violation", residual->cone_violation.value);
    json_whole(j, "cone_violation_at", residual->cone_violation.constraint);
    json_number(j, "dissipation", residual->dissipation.value);
    json_whole(j, "dissipation_at", residual->dissipation.constraint);
    json_number(j, "power", residual->power);
    json_number(j, "residual_scaled", o->scaled);
    json_number(j, "siconos_q", residual->siconos_q);
    json_number(j, "siconos_full", residual->siconos_full);
    if (o->problem.dofs) {
        json_number(j, "siconos_global", o->global.siconos_global);
        json_number(j, "equilibrium_relative", o->global.equilibrium_relative);
    }
}

static void json_run(json *j, const outcome *o)
{
    const mo_result *result = &o->result;
    json_text(j, "method", result->method);
    json_text(j, "status", mo_status_name(result->status));
    summary_json(j, &o->problem);
    json_whole(j, "iterations", result->iterations);
    json_whole(j, "threads", o->threads);
    json_number(j, "seconds", result->seconds);
    json_number(j, "setup_seconds", result->setup_seconds);
    json_whole(j, "workspace_bytes", (long long)result->bytes);
    json_residual(j, o);
    json_text(j, "message",
              result->message.text[0] ? result->message.text : mo_status_text(result->status));
    if (o->is_explained) solve_ladder_json(j, &result->explanation);
    solve_proof_json(j, &o->proof);
    if (o->wrote_out) json_text(j, "out", o->out);
    if (o->wrote_history) json_text(j, "history", o->history);
}

void outcome_json(const outcome *o)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "file", o->file);
    if (o->ran)
        json_run(&j, o);
    else
        json_text(&j, "status", "error");
    if (o->error.text[0]) {
        json_text(&j, "error", o->error.text);
        json_text(&j, "error_at", o->failed);
    }
    json_object_end(&j);
    json_end(&j);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_label(const char *label)
{
    printf("  %-18s", label);
}

static void put_worst(const char *label, const mo_worst *worst)
{
    put_label(label);
    printf("%s", number_real(worst->value).text);
    if (worst->value > 0 && worst->constraint >= 0) printf(" at constraint %d", worst->constraint);
    fputc('\n', stdout);
}

static void put_headline(const outcome *o)
{
    const mo_result *result = &o->result;
    text_put(stdout, o->file);
    if (result->status == MO_SOLVED) {
        printf(": solved\n");
        return;
    }
    const char *more = result->message.text;
    printf(": NOT SOLVED, %s\n",
           result->status == MO_CANCELLED ? "it was interrupted" : mo_status_text(result->status));
    if (more[0]) {
        put_label("why");
        text_put_wrapped(stdout, more, 20, 20);
    }
}

/* Suggestions if the tolerance was not reached. */
static const char *advice(mo_status status)
{
    switch (status) {
    case MO_ITERATION_LIMIT:
        return "a larger --max-iter, or another --method (moreau solvers)";
    case MO_TIME_LIMIT:
        return "a larger --time-limit, or another --method (moreau solvers)";
    case MO_STALLED:
        return "another --method (moreau solvers), or a larger --tol";
    default:
        return NULL;
    }
}

static void put_files(const outcome *o)
{
    if (o->wrote_out) {
        put_label("written");
        text_put(stdout, o->out);
        printf(o->result.status == MO_SOLVED ? "\n" : " (the best iterate, not a solution)\n");
    }
    if (o->wrote_history) {
        put_label("history");
        text_put(stdout, o->history);
        fputc('\n', stdout);
    }
}

void outcome_put(const outcome *o)
{
    const mo_result *result = &o->result;
    const mo_residual *residual = &result->residual;
    if (!o->ran) return;
    put_headline(o);
    put_label("problem");
    printf("%s form, ", o->problem.form);
    summary_put(stdout, &o->problem);
    fputc('\n', stdout);
    put_label("method");
    printf("%s, %s, %s\n", result->method, number_count(result->iterations, "iteration").text,
           number_seconds(result->seconds).text);
    put_label("residual");
    printf("%s relative (tolerance %s), %s absolute\n",
           number_real(residual->natural_relative).text, number_short(o->tol).text,
           number_real(residual->natural).text);
    put_worst("penetration rate", &residual->penetration_rate);
    put_worst("cone violation", &residual->cone_violation);
    put_worst("dissipation error", &residual->dissipation);
    if (o->is_explained) solve_ladder_put(&result->explanation);
    solve_proof_put(&o->proof);
    if (advice(result->status)) {
        put_label("suggestion");
        printf("%s\n", advice(result->status));
    }
    put_files(o);
}

void outcome_head(int width)
{
    printf("%-*s  %-15s  %10s  %10s  %9s  %8s\n", width, "file", "status", "contacts", "iterations",
           "time", "residual");
}

void outcome_row(const outcome *o, int width)
{
    text_put_column(stdout, o->file, width);
    if (!o->ran) {
        printf("  error\n");
        return;
    }
    const mo_result *result = &o->result;
    printf("  %-15s  %10s  %10s  %9s  %8s\n", mo_status_name(result->status),
           number_whole(o->problem.contacts).text, number_whole(result->iterations).text,
           number_seconds(result->seconds).text,
           number_real(result->residual.natural_relative).text);
}

void outcome_total(int solved, int count, double tol, double seconds)
{
    printf("\n%s of %s solved to a relative residual of %s, in %s\n", number_whole(solved).text,
           number_count(count, "file").text, number_short(tol).text, number_seconds(seconds).text);
}
