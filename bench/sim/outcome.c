/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "outcome.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const sim_done = "done";
const char *const sim_running = "running";
const char *const sim_time_limit = "time-limit";
const char *const sim_stopped = "stopped";
const char *const sim_crashed = "crashed";
const char *const sim_unsupported = "unsupported";

static const char *const HEAD = "sim ", *const TAIL = " : ";

sim_outcome sim_outcome_start(void)
{
    sim_outcome outcome = {.error = NAN, .residual = NAN, .residual_worst = NAN};
    outcome.residual_scaled = outcome.momentum = outcome.creep = outcome.speed = NAN;
    snprintf(outcome.status, sizeof outcome.status, "%s", sim_running);
    return outcome;
}

void sim_outcome_end(sim_outcome *outcome, const char *status, const char *message)
{
    snprintf(outcome->status, sizeof outcome->status, "%s", status);
    snprintf(outcome->message, sizeof outcome->message, "%s", message);
    for (char *at = outcome->message; *at; ++at)
        *at = *at == '\n' ? ' ' : *at;
}

void sim_outcome_add(sim_outcome *mean, int count, const sim_outcome *next)
{
    if (count == 0) {
        *mean = *next;
        return;
    }
#define SIM_FIELD(name) mean->name = (count * mean->name + next->name) / (count + 1);
    SIM_FIGURES(SIM_FIELD)
#undef SIM_FIELD
    if (sim_outcome_is(mean, sim_done)) sim_outcome_end(mean, next->status, next->message);
}

int sim_outcome_is(const sim_outcome *outcome, const char *status)
{
    return strcmp(outcome->status, status) == 0;
}

void sim_outcome_print(FILE *out, const sim_outcome *outcome)
{
    fprintf(out, "%s%s", HEAD, outcome->status);
#define SIM_FIELD(name) fprintf(out, " " #name "=%.17g", outcome->name);
    SIM_FIGURES(SIM_FIELD)
#undef SIM_FIELD
    fprintf(out, "%s%s\n", TAIL, outcome->message);
    fflush(out);
}

/* The number after " name=" in the line; false if it is missing. */
static int find_number(const char *line, const char *end, const char *name, double *value)
{
    const size_t length = strlen(name);
    for (const char *at = line; (at = strchr(at, ' ')) && at < end;) {
        ++at;
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            *value = strtod(at + length + 1, NULL);
            return 1;
        }
    }
    return 0;
}

static int parse_line(const char *line, sim_outcome *outcome)
{
    const char *end = strchr(line, '\n'), *tail = strstr(line, TAIL);
    if (strncmp(line, HEAD, strlen(HEAD)) != 0 || !end || !tail || tail > end) return 0;
    sim_outcome read = sim_outcome_start();
    const char *status = line + strlen(HEAD);
    int complete = 1;
    snprintf(read.status, sizeof read.status, "%.*s", (int)strcspn(status, " "), status);
#define SIM_FIELD(name) complete = complete && find_number(line, tail, #name, &read.name);
    SIM_FIGURES(SIM_FIELD)
#undef SIM_FIELD
    tail += strlen(TAIL);
    snprintf(read.message, sizeof read.message, "%.*s", (int)(end - tail), tail);
    if (complete) *outcome = read;
    return complete;
}

int sim_outcome_parse(const char *text, sim_outcome *outcome)
{
    int found = 0;
    for (const char *at = text; at && *at; at = strchr(at, '\n')) {
        at += *at == '\n';
        found += parse_line(at, outcome);
    }
    return found > 0;
}
