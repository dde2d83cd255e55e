/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Writes a check and its evidence to a file (format: certificate_file.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/certificate_file.h"
#include "io/replace.h"
#include "measure/cell_system.h"
#include "moreau/certificate.h"

typedef struct writer {
    const mo_allocator *allocator;
    void *text;
    size_t length, room;
    mo_error error;
} writer;

MO_PRINTF(2, 3)
static void put(writer *w, const char *format, ...)
{
    enum { LONGEST = 128 };
    if (!w->error && !mo_memory_grow(w->allocator, &w->text, &w->room, w->length + LONGEST, 1)) {
        w->error = MO_ERR_MEMORY;
    }
    if (!w->error) {
        va_list values;
        va_start(values, format);
        const int count = vsnprintf((char *)w->text + w->length, LONGEST, format, values);
        va_end(values);
        w->length += count > 0 ? (size_t)count : 0;
    }
}

static void put_numbers(writer *w, size_t count, const double *x)
{
    for (size_t k = 0; k < count; ++k) {
        put(w, " %.17g", x[k]);
    }
    put(w, "\n");
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The velocity that the law ties to r, and r; their words begin with `prefix`. */
static void put_pair(writer *w, const mo_problem *problem, const char *prefix, const double *u,
                     const double *r)
{
    put(w, "  %su", prefix);
    for (int k = 0; k < problem->row_count; ++k) {
        put(w, " %.17g", u[k] + (problem->compliance ? problem->compliance[k] * r[k] : 0));
    }
    put(w, "\n  %sr", prefix);
    put_numbers(w, (size_t)problem->row_count, r);
}

static void put_solution(writer *w, const mo_problem *problem, const mo_found_solution *s)
{
    put(w, "solution %s %d\n", s->is_proven ? "proven" : "measured", s->dimension);
    put_pair(w, problem, "", s->u, s->r);
    if (s->dimension > 0 && s->other_u) {
        put_pair(w, problem, "other_", s->other_u, s->other_r);
    }
}

/* A node's multipliers end where those of the next node begin. */
static void put_tree(writer *w, const mo_certificate *c)
{
    put(w, "tree %zu\n", c->node_count);
    for (size_t k = 0; k < c->node_count; ++k) {
        const mo_proof_node *node = &c->nodes[k];
        const size_t end = k + 1 < c->node_count ? c->nodes[k + 1].values : c->value_count;
        switch (node->kind) {
        case MO_PROOF_SPLIT:
            put(w, "  split %d\n", node->unit);
            break;
        case MO_PROOF_POINT:
            put(w, "  point %d\n", node->solution);
            break;
        case MO_PROOF_EMPTY:
            put(w, "  empty %zu", end - node->values);
            put_numbers(w, end - node->values, c->values + node->values);
            break;
        case MO_PROOF_NEAR:
            put(w, "  near %d %zu", node->solution, end - node->values);
            put_numbers(w, end - node->values, c->values + node->values);
            break;
        }
    }
}

static void put_condition(writer *w, const mo_condition *c)
{
    const int holds = c->answer == MO_ANSWER_HOLDS;
    const int count = holds ? c->motion_count : c->impulse_count;
    if (c->answer != MO_ANSWER_UNKNOWN) {
        put(w, "condition %s %s %.17g %d", mo_condition_name(c->kind), mo_answer_name(c->answer),
            c->friction, count);
        put_numbers(w, (size_t)count, holds ? c->motion : c->impulse);
    }
}

static void put_limit(writer *w, const mo_friction_limit *limit)
{
    if (!(limit->below > 0) && isinf(limit->above)) {
        return;
    }
    put(w, "limit %.17g", limit->below);
    if (isinf(limit->above)) {
        put(w, " none\n");
    } else {
        put(w, " %.17g\n", limit->above);
    }
    if (limit->below > 0) {
        put_condition(w, &limit->pointed);
    }
    if (isfinite(limit->above)) {
        put_condition(w, &limit->blunt);
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

static void put_all(writer *w, const mo_problem *problem, const mo_check_result *check)
{
    put(w, "%s %d\n", MO_CERTIFICATE_MAGIC, MO_CERTIFICATE_VERSION);
    put(w, "problem %d %d\n", problem->row_count, problem->dof_count);
    put(w, "verdict %s # %.80s\n", mo_verdict_name(check->verdict),
        mo_verdict_text(check->verdict));
    for (int k = 0; k < check->set.count; ++k) {
        put_solution(w, problem, &check->set.solutions[k]);
    }
    if (check->set.certificate.node_count > 0) {
        put_tree(w, &check->set.certificate);
    }
    for (int k = 0; k < MO_CONDITION_COUNT; ++k) {
        put_condition(w, &check->conditions[k]);
    }
    put_limit(w, &check->limit);
    put(w, "end\n");
}

mo_error mo_check_write(const char *path, const mo_problem *problem, const mo_check_result *check,
                        mo_message *why)
{
    MO_NEED(path && problem && check, why);
    writer w = {.allocator = &problem->allocator};
    mo_c_locale numbers = mo_c_locale_begin();
    put_all(&w, problem, check);
    mo_c_locale_end(&numbers);
    mo_error error = w.error ? mo_fail_memory(why) : MO_OK;
    error = error ? error : mo_replace_file(path, w.text, w.length, why);
    mo_memory_free(w.allocator, w.text);
    return error;
}
