/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A check and its evidence as a file of words and numbers, which other programs can read and check:
 *
 *     moreau-certificate 1
 *     problem ROWS DOFS
 *     verdict WORD
 *     solution proven|measured DIMENSION           for each in order, and four lines: u and r, ROWS
 *       u NUMBERS   r NUMBERS   other_u, other_r   numbers each; the others with DIMENSION above 0
 *     tree NODES                                   of measure/certificate.c in preorder, each node
 *       split UNIT  empty COUNT MULTIPLIERS        one of these four
 *       point SOLUTION  near SOLUTION COUNT MULTIPLIERS
 *     condition WORD holds|fails FACTOR COUNT MOTION|IMPULSE
 *     limit BELOW ABOVE        on the factor; followed by the condition for each finite end above 0
 *     end
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/error.h"
#include "base/memory.h"
#include "certificate/search.h"
#include "io/file.h"
#include "moreau/certificate.h"

/*
 * White space separates; # begins a comment to the end of its line.  Numbers have 17 digits and
 * read back as they were; u includes the compliance part.  One function for each part of the format
 * writes it or reads it.  Input is not trusted: mo_check_judge verifies it.
 */
#define MAGIC "moreau-certificate"
enum { VERSION = 1, MOST_BYTES = 1 << 30, MOST = 1000000000 };

typedef struct file {
    bool writes;
    const char *path;
    const mo_problem *problem;
    mo_check_result *check;
    mo_message *why;
    mo_error error;
    char *text;
    size_t length, room; /* written */
    int solutions;       /* written */
    char *at, *word;     /* reading: the current word, ended by a zero */
    int line;
    size_t node_room, value_room, solution_room;
} file;

/* ---- words and numbers ----------------------------------------------------------------------- */

static bool fail(file *f, const char *expected)
{
    if (!f->error) {
        f->error = mo_fail(f->why, MO_ERR_FILE, "%.300s: line %d: expected %s, not '%.40s'",
                           f->path, f->line, expected, f->word && f->word[0] ? f->word : "the end");
    }
    return false;
}

static bool fail_memory(file *f)
{
    f->error = f->error ? f->error : mo_fail_memory(f->why);
    return false;
}

MO_PRINTF(2, 3)
static bool put(file *f, const char *format, ...)
{
    enum { LONGEST = 128 };
    MO_FAIL_IF(f->error || !MO_GROW(&f->problem->allocator, f->text, f->room, f->length + LONGEST),
               fail_memory(f));
    va_list values;
    va_start(values, format);
    const int count = vsnprintf(f->text + f->length, LONGEST, format, values);
    va_end(values);
    f->length += count > 0 ? (size_t)count : 0;
    return true;
}

/* The next word; an empty one at the end. */
static void next(file *f)
{
    for (;;) {
        while (*f->at == ' ' || *f->at == '\t' || *f->at == '\r' || *f->at == '\n') {
            f->line += *f->at == '\n';
            ++f->at;
        }
        if (*f->at != '#') break;
        f->at += strcspn(f->at, "\n");
    }
    f->word = f->at;
    f->at += strcspn(f->at, " \t\r\n");
    if (*f->at == '\n') { /* the line ends with the word */
        *f->at = '\0';
        ++f->at;
        ++f->line;
    } else if (*f->at) {
        *f->at++ = '\0';
    }
}

/* The first word of a line, indented or not. */
static bool begin_line(file *f, const char *word)
{
    if (f->writes) return put(f, f->length ? "\n%s" : "%s", word);
    next(f);
    word += strspn(word, " ");
    return strcmp(f->word, word) == 0 || fail(f, word);
}

/* One of several words; `expected` lists them. */
static bool put_choice(file *f, const char *expected, int count, const char *const *words, int *k)
{
    if (f->writes) return put(f, " %s", words[*k]);
    next(f);
    for (*k = 0; *k < count && strcmp(f->word, words[*k]) != 0;)
        ++*k;
    return *k < count || fail(f, expected);
}

static bool put_whole(file *f, int least, int most, int *value)
{
    char *end;
    if (f->writes) return put(f, " %d", *value);
    next(f);
    errno = 0;
    const long number = strtol(f->word, &end, 10);
    MO_FAIL_IF(end == f->word || *end || errno || number < least || number > most,
               fail(f, "a whole number in its range"));
    *value = (int)number;
    return true;
}

static bool put_number(file *f, double *value)
{
    char *end;
    if (f->writes) return put(f, " %.17g", *value);
    next(f);
    *value = strtod(f->word, &end);
    return (end != f->word && !*end && isfinite(*value)) || fail(f, "a finite number");
}

static bool put_numbers(file *f, size_t count, double *x)
{
    for (size_t k = 0; k < count; ++k)
        MO_PASS(put_number(f, &x[k]));
    return true;
}

/* ---- solutions ------------------------------------------------------------------------------- */

static double compliance_of(const file *f, size_t row)
{
    return f->problem->compliance ? f->problem->compliance[row] : 0;
}

/* The file has the velocity that the law ties to r; mo_found_solution has it without compliance. */
static bool put_pair(file *f, const char *u_word, const char *r_word, double *u, double *r)
{
    const size_t rows = (size_t)f->problem->row_count;
    MO_PASS(begin_line(f, u_word));
    for (size_t k = 0; k < rows; ++k) {
        double tied = f->writes ? u[k] + compliance_of(f, k) * r[k] : 0;
        MO_PASS(put_number(f, &tied));
        if (!f->writes) u[k] = tied;
    }
    MO_PASS(begin_line(f, r_word) && put_numbers(f, rows, r));
    for (size_t k = 0; !f->writes && k < rows; ++k)
        u[k] -= compliance_of(f, k) * r[k];
    return true;
}

/* After the word "solution": the next one. */
static bool put_solution(file *f)
{
    const size_t n = (size_t)f->problem->row_count;
    mo_solution_set *set = &f->check->set;
    mo_found_solution *s = f->writes ? &set->solutions[f->solutions++]
                                     : mo_solution_set_append(set, f->problem, &f->solution_room);
    MO_FAIL_IF(!s, fail_memory(f));
    int is_measured = !s->is_proven;
    MO_PASS(put_choice(f, "proven or measured", 2, (const char *[]){"proven", "measured"},
                       &is_measured) &&
            put_whole(f, 0, f->problem->row_count, &s->dimension) &&
            put_pair(f, "  u", "  r", s->u, s->r));
    if (!f->writes) {
        s->is_proven = !is_measured;
        if (s->v) mo_problem_velocity(f->problem, s->r, s->v);
        mo_classify_modes(f->problem, s);
    }
    if (!f->writes && s->dimension > 0) {
        s->other_u = mo_memory_array(&set->allocator, 2 * n, sizeof(double));
        MO_FAIL_IF(!s->other_u, fail_memory(f));
        s->other_r = s->other_u + n;
    }
    return s->dimension == 0 || !s->other_u ||
           put_pair(f, "  other_u", "  other_r", s->other_u, s->other_r);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* The multipliers of a node from `first` on; they grow with the file, not with counts in it. */
static bool put_multipliers(file *f, mo_certificate *c, size_t first, size_t end)
{
    int count = (int)(end - first);
    MO_PASS(put_whole(f, 0, MOST, &count));
    for (int k = 0; k < count; ++k) {
        MO_FAIL_IF(!f->writes && !MO_GROW(&f->check->set.allocator, c->values, f->value_room,
                                          first + (size_t)k + 1),
                   fail_memory(f));
        MO_PASS(put_number(f, &c->values[first + (size_t)k]));
        c->value_count += !f->writes;
    }
    return true;
}

/* Multipliers end where those of the next node begin. */
static bool put_node(file *f, mo_certificate *c, size_t k)
{
    static const mo_proof_kind kinds[] = {MO_PROOF_SPLIT, MO_PROOF_EMPTY, MO_PROOF_POINT,
                                          MO_PROOF_NEAR};
    static const char *const words[] = {"split", "empty", "point", "near"};
    mo_proof_node node = f->writes ? c->nodes[k] : (mo_proof_node){.unit = -1, .solution = -1};
    int which = 0;
    while (f->writes && kinds[which] != node.kind)
        ++which;
    MO_PASS((!f->writes || put(f, "\n ")) &&
            put_choice(f, "split, empty, point or near", 4, words, &which));
    node.kind = kinds[which];
    MO_PASS(node.kind == MO_PROOF_EMPTY ||
            put_whole(f, -1, MOST, node.kind == MO_PROOF_SPLIT ? &node.unit : &node.solution));
    if (!f->writes) {
        MO_FAIL_IF(!MO_GROW(&f->check->set.allocator, c->nodes, f->node_room, k + 1),
                   fail_memory(f));
        node.values = c->value_count;
        c->nodes[k] = node;
        c->node_count = k + 1;
    }
    return node.kind == MO_PROOF_SPLIT || node.kind == MO_PROOF_POINT ||
           put_multipliers(f, c, node.values,
                           f->writes && k + 1 < c->node_count ? c->nodes[k + 1].values
                                                              : c->value_count);
}

/* After the word "tree". */
static bool put_tree(file *f)
{
    mo_certificate *c = &f->check->set.certificate;
    int count = (int)c->node_count;
    MO_FAIL_IF(!f->writes && count > 0, fail(f, "one tree only"));
    MO_PASS(put_whole(f, 1, MOST, &count));
    for (int k = 0; k < count; ++k)
        MO_PASS(put_node(f, c, (size_t)k));
    return true;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* After the word "condition": those that are decided. */
static bool put_condition(file *f, mo_condition *c)
{
    const int rows = f->problem->row_count, dofs = f->problem->dof_count;
    const char *names[MO_CONDITION_COUNT];
    int kind = (int)c->kind, fails = c->answer == MO_ANSWER_FAILS;
    for (int k = 0; k < MO_CONDITION_COUNT; ++k)
        names[k] = mo_condition_name((mo_condition_kind)k);
    MO_PASS(put_choice(f, "the name of a condition", MO_CONDITION_COUNT, names, &kind) &&
            put_choice(f, "holds or fails", 2, (const char *[]){"holds", "fails"}, &fails) &&
            put_number(f, &c->friction));
    int *count = fails ? &c->impulse_count : &c->motion_count;
    double **x = fails ? &c->impulse : &c->motion;
    MO_PASS(put_whole(f, 0, rows > dofs ? rows : dofs, count));
    if (!f->writes) {
        *x = mo_memory_array(&c->allocator, (size_t)*count, sizeof **x);
        MO_FAIL_IF(!*x, fail_memory(f));
        c->kind = (mo_condition_kind)kind;
        c->answer = fails ? MO_ANSWER_FAILS : MO_ANSWER_HOLDS;
    }
    return put_numbers(f, (size_t)*count, *x);
}

/* A condition of the problem itself is stored at its index. */
static bool read_own_condition(file *f)
{
    mo_condition c = {.answer = MO_ANSWER_UNKNOWN, .allocator = f->problem->allocator};
    const bool good = put_condition(f, &c);
    mo_condition *place = &f->check->conditions[good ? c.kind : 0];
    if (!good || place->answer != MO_ANSWER_UNKNOWN) {
        mo_condition_clear(&c);
        return good && fail(f, "each condition once");
    }
    *place = c;
    return true;
}

/* A condition that belongs to an end of the limit. */
static bool put_end(file *f, mo_condition *c)
{
    if (f->writes && c->answer == MO_ANSWER_UNKNOWN) return true;
    if (!f->writes)
        *c = (mo_condition){.answer = MO_ANSWER_UNKNOWN, .allocator = f->problem->allocator};
    return begin_line(f, "condition") && put_condition(f, c);
}

static bool put_above(file *f, double *above)
{
    char *end;
    if (f->writes) return isinf(*above) ? put(f, " none") : put_number(f, above);
    next(f);
    const bool is_none = strcmp(f->word, "none") == 0;
    *above = is_none ? INFINITY : strtod(f->word, &end);
    return is_none || (end != f->word && !*end && isfinite(*above)) ||
           fail(f, "a finite number or none");
}

/* After the word "limit". */
static bool put_limit(file *f)
{
    mo_friction_limit *limit = &f->check->limit;
    MO_FAIL_IF(!f->writes && (limit->below > 0 || isfinite(limit->above)),
               fail(f, "one limit only"));
    return put_number(f, &limit->below) && put_above(f, &limit->above) &&
           (!(limit->below > 0) || put_end(f, &limit->pointed)) &&
           (isinf(limit->above) || put_end(f, &limit->blunt));
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool put_head(file *f)
{
    int version = VERSION, rows = f->problem->row_count, dofs = f->problem->dof_count;
    MO_PASS(begin_line(f, MAGIC) && put_whole(f, 1, 1000, &version));
    MO_FAIL_IF(version != VERSION, fail(f, "format version 1"));
    MO_PASS(begin_line(f, "problem") && put_whole(f, 0, MOST, &rows) &&
            put_whole(f, 0, MOST, &dofs));
    if (rows != f->problem->row_count || dofs != f->problem->dof_count) {
        f->error = mo_fail(f->why, MO_ERR_FILE,
                           "%.300s is for a problem with %d rows and %d velocities; this one has %d"
                           " and %d",
                           f->path, rows, dofs, f->problem->row_count, f->problem->dof_count);
        return false;
    }
    return true;
}

static bool put_verdict(file *f)
{
    const char *names[MO_VERDICT_COUNT];
    int verdict = (int)f->check->verdict;
    for (int k = 0; k < MO_VERDICT_COUNT; ++k)
        names[k] = mo_verdict_name((mo_verdict)k);
    MO_PASS(begin_line(f, "verdict") && put_choice(f, "none, unique, several, exists or unknown",
                                                   MO_VERDICT_COUNT, names, &verdict));
    f->check->verdict = (mo_verdict)verdict;
    return !f->writes || put(f, " # %.80s", mo_verdict_text(f->check->verdict));
}

static bool write_parts(file *f)
{
    mo_check_result *check = f->check;
    bool good = put_head(f) && put_verdict(f);
    for (int k = 0; good && k < check->set.count; ++k)
        good = begin_line(f, "solution") && put_solution(f);
    if (good && check->set.certificate.node_count > 0) good = begin_line(f, "tree") && put_tree(f);
    for (int k = 0; good && k < MO_CONDITION_COUNT; ++k)
        good = put_end(f, &check->conditions[k]);
    if (good && (check->limit.below > 0 || !isinf(check->limit.above)))
        good = begin_line(f, "limit") && put_limit(f);
    return good && begin_line(f, "end\n");
}

static bool read_parts(file *f)
{
    static const char *const words[] = {"solution", "tree", "condition", "limit", "end"};
    static bool (*const read[])(file *) = {put_solution, put_tree, read_own_condition, put_limit};
    int part = 0;
    bool good = put_head(f) && put_verdict(f);
    while (good && part < 4) {
        good = put_choice(f, "solution, tree, condition, limit or end", 5, words, &part) &&
               (part == 4 || read[part](f));
    }
    MO_PASS(good);
    next(f);
    return !f->word[0] || fail(f, "nothing after end");
}

/* All of the file, ended by a zero. */
static mo_error slurp(file *f)
{
    MO_TRY(mo_file_read(f->path, f->path, MOST_BYTES, &f->problem->allocator, &f->text, &f->length,
                        f->why));
    f->at = f->text;
    return memchr(f->text, 0, f->length)
               ? mo_fail(f->why, MO_ERR_FILE, "%.300s: is not a text file", f->path)
               : MO_OK;
}

/* The certificate's own list of velocities, which the checker reads. */
static bool list_velocities(file *f)
{
    mo_solution_set *set = &f->check->set;
    const size_t n = (size_t)f->problem->row_count;
    double *u = mo_memory_array(&set->allocator, (size_t)set->count * n, sizeof *u);
    MO_FAIL_IF(!u, fail_memory(f));
    for (size_t k = 0; k < (size_t)set->count * n; ++k) {
        const mo_found_solution *s = &set->solutions[k / n];
        u[k] = s->u[k % n] + compliance_of(f, k % n) * s->r[k % n];
    }
    set->certificate.u = u;
    set->certificate.solution_count = set->count;
    return true;
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

mo_error mo_check_write(const char *path, const mo_problem *problem, const mo_check_result *check,
                        mo_message *why)
{
    MO_NEED(path && problem && check, why);
    mo_check_result copy = *check;
    file f = {.writes = true, .path = path, .problem = problem, .check = &copy, .why = why};
    mo_c_locale numbers = mo_c_locale_begin();
    write_parts(&f);
    mo_c_locale_end(&numbers);
    const mo_error error = f.error ? f.error : mo_replace_file(path, f.text, f.length, why);
    mo_memory_free(&problem->allocator, f.text);
    return error;
}

mo_error mo_check_read(const char *path, const mo_problem *problem, mo_check_result *check,
                       mo_message *why)
{
    MO_NEED(path && problem && check, why);
    file f = {.path = path, .problem = problem, .check = check, .why = why, .line = 1};
    begin(problem, check);
    f.error = slurp(&f);
    mo_c_locale numbers = mo_c_locale_begin();
    const bool is_read = !f.error && read_parts(&f);
    mo_c_locale_end(&numbers);
    if (is_read) {
        check->set.verdict = check->verdict;
        list_velocities(&f);
    }
    mo_memory_free(&problem->allocator, f.text);
    if (f.error) mo_check_clear(check);
    return f.error;
}
