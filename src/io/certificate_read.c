/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reads a check and its evidence from a file (format: certificate_file.h).  The contents are not
 * trusted; mo_check_judge verifies them.  A syntax error is reported with the line and the expected
 * word.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/error.h"
#include "base/memory.h"
#include "certificate/search.h"
#include "io/certificate_file.h"
#include "io/file.h"
#include "moreau/certificate.h"

enum { MOST_BYTES = 1 << 30 };

typedef struct reader {
    const char *path;
    const mo_problem *problem;
    mo_check_result *check;
    mo_message *why;
    char *text, *at;
    int line;
    char *word; /* the current word, ended by a zero */
    size_t node_room, value_room, solution_room;
    mo_error error;
} reader;

/* ---- tokens ---------------------------------------------------------------------------------- */

static int fail(reader *r, const char *expected)
{
    if (!r->error) {
        r->error = mo_fail(r->why, MO_ERR_FILE, "%.300s: line %d: expected %s, not '%.40s'",
                           r->path, r->line, expected, r->word && r->word[0] ? r->word : "the end");
    }
    return 0;
}

static int fail_memory(reader *r)
{
    r->error = r->error ? r->error : mo_fail_memory(r->why);
    return 0;
}

/* The next word; an empty one at the end. */
static const char *next(reader *r)
{
    for (;;) {
        while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n') {
            r->line += *r->at == '\n';
            ++r->at;
        }
        if (*r->at != '#') {
            break;
        }
        r->at += strcspn(r->at, "\n");
    }
    r->word = r->at;
    r->at += strcspn(r->at, " \t\r\n");
    if (*r->at == '\n') { /* the line ends with the word */
        *r->at = '\0';
        ++r->at;
        ++r->line;
    } else if (*r->at) {
        *r->at++ = '\0';
    }
    return r->word;
}

static int is_word(const reader *r, const char *word)
{
    return strcmp(r->word, word) == 0;
}

static int read_word(reader *r, const char *word)
{
    next(r);
    return is_word(r, word) || fail(r, word);
}

static int read_number(reader *r, double *value)
{
    char *end;
    next(r);
    *value = strtod(r->word, &end);
    return (end != r->word && !*end && isfinite(*value)) || fail(r, "a finite number");
}

static int read_whole(reader *r, long least, long most, long *value)
{
    char *end;
    next(r);
    errno = 0;
    *value = strtol(r->word, &end, 10);
    return (end != r->word && !*end && !errno && *value >= least && *value <= most) ||
           fail(r, "a whole number in its range");
}

static int read_numbers(reader *r, size_t count, double *x)
{
    int good = 1;
    for (size_t k = 0; k < count && good; ++k) {
        good = read_number(r, &x[k]);
    }
    return good;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int read_head(reader *r)
{
    long version = 0, rows = 0, dofs = 0;
    MO_PASS(read_word(r, MO_CERTIFICATE_MAGIC) && read_whole(r, 1, 1000, &version));
    MO_FAIL_IF(version != MO_CERTIFICATE_VERSION, fail(r, "format version 1"));
    MO_PASS(read_word(r, "problem") && read_whole(r, 0, 1000000000, &rows) &&
            read_whole(r, 0, 1000000000, &dofs));
    if (rows != r->problem->row_count || dofs != r->problem->dof_count) {
        r->error =
            mo_fail(r->why, MO_ERR_FILE,
                    "%.300s is for a problem with %ld rows and %ld velocities; this one has %d"
                    " and %d",
                    r->path, rows, dofs, r->problem->row_count, r->problem->dof_count);
        return 0;
    }
    return 1;
}

static int read_verdict(reader *r)
{
    MO_PASS(read_word(r, "verdict"));
    next(r);
    for (int k = 0; k < MO_VERDICT_COUNT; ++k) {
        if (is_word(r, mo_verdict_name((mo_verdict)k))) {
            r->check->verdict = (mo_verdict)k;
            return 1;
        }
    }
    return fail(r, "none, unique, several, exists or unknown");
}

/* u and r with the compliance taken off u again, as mo_found_solution has it. */
static int read_pair(reader *r, const char *u_word, const char *r_word, double *u, double *impulse)
{
    const size_t rows = (size_t)r->problem->row_count;
    MO_PASS(read_word(r, u_word) && read_numbers(r, rows, u) && read_word(r, r_word) &&
            read_numbers(r, rows, impulse));
    for (size_t k = 0; k < rows && r->problem->compliance; ++k) {
        u[k] -= r->problem->compliance[k] * impulse[k];
    }
    return 1;
}

static int read_other(reader *r, mo_found_solution *found)
{
    const size_t n = (size_t)r->problem->row_count;
    found->other_u = mo_memory_array(&r->check->set.allocator, 2 * n, sizeof(double));
    MO_FAIL_IF(!found->other_u, fail_memory(r));
    found->other_r = found->other_u + n;
    return read_pair(r, "other_u", "other_r", found->other_u, found->other_r);
}

static int read_solution(reader *r)
{
    long dimension = 0;
    mo_found_solution *found =
        mo_solution_set_append(&r->check->set, r->problem, &r->solution_room);
    MO_FAIL_IF(!found, fail_memory(r));
    next(r);
    found->is_proven = is_word(r, "proven");
    MO_FAIL_IF(!found->is_proven && !is_word(r, "measured"), fail(r, "proven or measured"));
    MO_PASS(read_whole(r, 0, r->problem->row_count, &dimension) &&
            read_pair(r, "u", "r", found->u, found->r));
    found->dimension = (int)dimension;
    if (found->v) {
        mo_problem_velocity(r->problem, found->r, found->v);
    }
    mo_classify_modes(r->problem, found);
    return dimension == 0 || read_other(r, found);
}

static int read_multipliers(reader *r, mo_certificate *c)
{
    long count = 0;
    MO_PASS(read_whole(r, 0, 1000000000, &count));
    for (long k = 0; k < count; ++k) { /* grows with the file, not with counts in it */
        MO_FAIL_IF(!MO_GROW(&r->check->set.allocator, c->values, r->value_room, c->value_count + 1),
                   fail_memory(r));
        MO_PASS(read_number(r, &c->values[c->value_count]));
        ++c->value_count;
    }
    return 1;
}

static int read_node(reader *r, mo_certificate *c)
{
    static const struct {
        const char *word;
        mo_proof_kind kind;
    } kinds[] = {{"split", MO_PROOF_SPLIT},
                 {"empty", MO_PROOF_EMPTY},
                 {"point", MO_PROOF_POINT},
                 {"near", MO_PROOF_NEAR}};
    long number = -1;
    int k = 0;
    next(r);
    while (k < 4 && !is_word(r, kinds[k].word)) {
        ++k;
    }
    MO_FAIL_IF(k == 4, fail(r, "split, empty, point or near"));
    const mo_proof_kind kind = kinds[k].kind;
    if (kind != MO_PROOF_EMPTY && !read_whole(r, -1, 1000000000, &number)) {
        return 0;
    }
    MO_FAIL_IF(!MO_GROW(&r->check->set.allocator, c->nodes, r->node_room, c->node_count + 1),
               fail_memory(r));
    const int is_split = kind == MO_PROOF_SPLIT;
    c->nodes[c->node_count++] = (mo_proof_node){kind, is_split ? (int)number : -1,
                                                is_split ? -1 : (int)number, c->value_count};
    return is_split || kind == MO_PROOF_POINT || read_multipliers(r, c);
}

static int read_tree(reader *r)
{
    mo_certificate *c = &r->check->set.certificate;
    long count = 0;
    MO_FAIL_IF(c->node_count > 0, fail(r, "one tree only"));
    int good = read_whole(r, 1, 1000000000, &count);
    for (long k = 0; k < count && good; ++k) {
        good = read_node(r, c);
    }
    return good;
}

static int read_kind(reader *r, mo_condition_kind *kind)
{
    next(r);
    for (int k = 0; k < MO_CONDITION_COUNT; ++k) {
        if (is_word(r, mo_condition_name((mo_condition_kind)k))) {
            *kind = (mo_condition_kind)k;
            return 1;
        }
    }
    return fail(r, "the name of a condition");
}

/* After the word "condition". */
static int read_condition(reader *r, mo_condition *c)
{
    long count = 0;
    *c = (mo_condition){.answer = MO_ANSWER_UNKNOWN, .allocator = r->problem->allocator};
    MO_PASS(read_kind(r, &c->kind));
    next(r);
    const int holds = is_word(r, "holds");
    MO_FAIL_IF(!holds && !is_word(r, "fails"), fail(r, "holds or fails"));
    const int most = r->problem->row_count > r->problem->dof_count ? r->problem->row_count
                                                                   : r->problem->dof_count;
    MO_PASS(read_number(r, &c->friction) && read_whole(r, 0, most, &count));
    double *x = mo_memory_array(&c->allocator, (size_t)count, sizeof *x);
    MO_FAIL_IF(!x, fail_memory(r));
    c->answer = holds ? MO_ANSWER_HOLDS : MO_ANSWER_FAILS;
    *(holds ? &c->motion : &c->impulse) = x;
    *(holds ? &c->motion_count : &c->impulse_count) = (int)count;
    return read_numbers(r, (size_t)count, x);
}

/* A condition of the problem itself is stored at its index. */
static int read_own_condition(reader *r)
{
    mo_condition c;
    const int good = read_condition(r, &c);
    mo_condition *place = &r->check->conditions[good ? c.kind : 0];
    if (!good || place->answer != MO_ANSWER_UNKNOWN) {
        mo_condition_clear(&c);
        return good ? fail(r, "each condition once") : 0;
    }
    *place = c;
    return 1;
}

static int read_limit(reader *r)
{
    mo_friction_limit *limit = &r->check->limit;
    char *end;
    MO_FAIL_IF(limit->below > 0 || isfinite(limit->above), fail(r, "one limit only"));
    MO_PASS(read_number(r, &limit->below));
    next(r);
    limit->above = is_word(r, "none") ? INFINITY : strtod(r->word, &end);
    MO_FAIL_IF(!is_word(r, "none") && (end == r->word || *end || !isfinite(limit->above)),
               fail(r, "a finite number or none"));
    return (!(limit->below > 0) ||
            (read_word(r, "condition") && read_condition(r, &limit->pointed))) &&
           (isinf(limit->above) || (read_word(r, "condition") && read_condition(r, &limit->blunt)));
}

static int read_parts(reader *r)
{
    int good = read_head(r) && read_verdict(r);
    while (good) {
        next(r);
        if (is_word(r, "solution")) {
            good = read_solution(r);
        } else if (is_word(r, "tree")) {
            good = read_tree(r);
        } else if (is_word(r, "condition")) {
            good = read_own_condition(r);
        } else if (is_word(r, "limit")) {
            good = read_limit(r);
        } else if (is_word(r, "end")) {
            next(r);
            return r->word[0] ? fail(r, "nothing after end") : 1;
        } else {
            good = fail(r, "solution, tree, condition, limit or end");
        }
    }
    return 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* All of the file, ended by a zero. */
static mo_error slurp(reader *r)
{
    size_t length = 0;
    const mo_error error = mo_file_read(r->path, r->path, MOST_BYTES, &r->problem->allocator,
                                        &r->text, &length, r->why);
    r->at = r->text;
    return !error && memchr(r->text, 0, length)
               ? mo_fail(r->why, MO_ERR_FILE, "%.300s: is not a text file", r->path)
               : error;
}

/* The certificate's own list of velocities, which the checker reads. */
static int list_velocities(reader *r)
{
    mo_solution_set *set = &r->check->set;
    const size_t n = (size_t)r->problem->row_count;
    double *u = mo_memory_array(&set->allocator, (size_t)set->count * n, sizeof *u);
    MO_FAIL_IF(!u, fail_memory(r));
    for (int s = 0; s < set->count; ++s) {
        for (size_t k = 0; k < n; ++k) {
            const double c = r->problem->compliance ? r->problem->compliance[k] : 0;
            u[(size_t)s * n + k] = set->solutions[s].u[k] + c * set->solutions[s].r[k];
        }
    }
    set->certificate.u = u;
    set->certificate.solution_count = set->count;
    return 1;
}

static void begin(const mo_problem *problem, mo_check_result *check)
{
    *check = (mo_check_result){.verdict = MO_VERDICT_UNKNOWN};
    check->limit.above = INFINITY;
    check->set.allocator = problem->allocator;
    check->set.certificate.row_count = problem->row_count;
    for (int k = 0; k < MO_CONDITION_COUNT; ++k) {
        check->conditions[k] = (mo_condition){
            .kind = (mo_condition_kind)k, .answer = MO_ANSWER_UNKNOWN, .friction = 1};
    }
    check->limit.pointed = check->limit.blunt = (mo_condition){.answer = MO_ANSWER_UNKNOWN};
}

mo_error mo_check_read(const char *path, const mo_problem *problem, mo_check_result *check,
                       mo_message *why)
{
    MO_NEED(path && problem && check, why);
    reader r = {.path = path, .problem = problem, .check = check, .why = why, .line = 1};
    begin(problem, check);
    r.error = slurp(&r);
    mo_c_locale numbers = mo_c_locale_begin();
    const int is_read = !r.error && read_parts(&r);
    mo_c_locale_end(&numbers);
    if (is_read) {
        check->set.verdict = check->verdict;
        list_velocities(&r);
    }
    mo_memory_free(&problem->allocator, r.text);
    if (r.error) {
        mo_check_clear(check);
    }
    return r.error;
}
