/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Writing problems as FCLIB files.  The layout is in fclib.h.
 *
 * Contacts go to H (or W), bilateral constraints to G (or V, R), both in the problem's order;
 * matrices are written as compressed columns without zeros.  The same document gives the same
 * bytes.
 *
 * Limits: FCLIB knows Coulomb contacts of one dimension, or rolling ones, and joints; any other
 * law, compliance, or a mixture is refused.  A joint has no u in a file.  V stands for both
 * couplings of contacts with joints, so these must be transposes of each other.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/fclib.h"
#include "io/file.h"
#include "problem/problem_data.h"

/* One file while it is written. */
typedef struct writer {
    mo_h5 h;
    const char *path; /* as the caller gave it */
    const mo_document *document;
    const mo_problem *problem;
    mo_fclib_kind kind;
    mo_fclib_sizes sizes;
    int *column; /* of each constraint: its first among those of its kind (contact or joint) */
} writer;

static bool is_joint(const writer *out, int c)
{
    return out->problem->law[c].kind == MO_LAW_BILATERAL;
}

/* Rows of all contacts, or of all joints. */
static int rows_of(const writer *out, bool joints)
{
    return joints ? out->sizes.joints : out->sizes.rows;
}

/* A group in that of the problem, for the datasets that follow. */
static void make_group(writer *out, const char *name)
{
    char path[MO_H5_PATH];
    snprintf(path, sizeof path, "/%s/%s", out->kind.group, name);
    mo_h5_make_group(&out->h, path);
}

/* ---- limits of the format -------------------------------------------------------------------- */

static mo_error refuse(const writer *out, int c, const mo_constraint_view *view,
                       const char *because, mo_message *why)
{
    return mo_fail(
        why, MO_ERR_UNSUPPORTED,
        "%.200s: constraint %d (law %s, dimension %d) cannot be written to an FCLIB file: %s",
        out->path, c, mo_law_name(view->law.kind), view->dim, because);
}

static bool is_hard(const mo_constraint_view *view)
{
    for (int k = 0; view->law.compliance && k < view->dim; ++k)
        if (view->law.compliance[k] != 0) return false;
    return true;
}

/* Counts one constraint; `first` is the first contact, or -1. */
static mo_error count_constraint(writer *out, int c, int *first, mo_message *why)
{
    const mo_constraint_view view = mo_problem_constraint(out->problem, c);
    mo_fclib_sizes *sizes = &out->sizes;
    MO_FAIL_IF(!is_hard(&view), refuse(out, c, &view, "the format has no compliance", why));
    if (view.law.kind == MO_LAW_BILATERAL) {
        out->column[c] = sizes->joints;
        sizes->joints += view.dim;
        return MO_OK;
    }
    MO_FAIL_IF(view.law.kind != MO_LAW_COULOMB && view.law.kind != MO_LAW_ROLLING,
               refuse(out, c, &view, "the format knows coulomb, rolling and bilateral only", why));
    if (*first >= 0 &&
        (view.dim != sizes->d || (view.law.kind == MO_LAW_ROLLING) != out->kind.is_rolling)) {
        char because[96];
        snprintf(because, sizeof because,
                 "all contacts must be of one kind, and contact %d is %s in %d", *first,
                 out->kind.is_rolling ? "rolling" : "coulomb", sizes->d);
        return refuse(out, c, &view, because, why);
    }
    if (*first < 0) {
        *first = c;
        sizes->d = view.dim;
        out->kind.is_rolling = view.law.kind == MO_LAW_ROLLING;
    }
    out->column[c] = sizes->rows;
    sizes->rows += view.dim;
    ++sizes->contacts;
    return MO_OK;
}

static mo_error classify(writer *out, mo_message *why)
{
    int first = -1;
    out->kind.is_global = mo_problem_form(out->problem) == MO_FORM_GLOBAL;
    out->sizes = (mo_fclib_sizes){
        .d = 3, .dofs = mo_problem_dof_count(out->problem), .is_global = out->kind.is_global};
    for (int c = 0; c < mo_problem_constraint_count(out->problem); ++c)
        MO_TRY(count_constraint(out, c, &first, why));
    for (int k = 0; k < MO_FCLIB_KINDS; ++k)
        if (mo_fclib_kinds[k].is_global == out->kind.is_global &&
            mo_fclib_kinds[k].is_rolling == out->kind.is_rolling)
            out->kind = mo_fclib_kinds[k];
    return MO_OK;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* The facts stored with a matrix, as libfclib writes them: beside its numbers. */
static bool write_facts(writer *out, char matrix)
{
    mo_h5 *h = &out->h;
    for (int k = 0; k < MO_DOCUMENT_MATRICES; ++k) {
        const mo_matrix_facts *facts = &out->document->facts[k];
        if (facts->matrix != matrix) continue;
        mo_h5_write_text(h, "comment", facts->comment ? facts->comment : "");
        mo_h5_write_doubles(h, "conditioning", 1, &facts->conditioning);
        mo_h5_write_doubles(h, "determinant", 1, &facts->determinant);
        mo_h5_write_int(h, "rank", facts->rank);
    }
    return !h->error;
}

static bool write_matrix(writer *out, const char *name, const mo_sparse *m)
{
    mo_h5 *h = &out->h;
    const size_t count = (size_t)mo_sparse_count(m);
    make_group(out, name);
    mo_h5_write_int(h, "m", m->rows);
    mo_h5_write_int(h, "n", m->columns);
    mo_h5_write_int(h, "nz", -1);
    mo_h5_write_int(h, "nzmax", (int)count);
    mo_h5_write_ints(h, "p", (size_t)m->columns + 1, m->start);
    mo_h5_write_ints(h, "i", count, m->row);
    return mo_h5_write_doubles(h, "x", count, m->value) && write_facts(out, name[0]);
}

/* Sorts the entries, writes them, and drops them. */
static bool write_entries(writer *out, const char *name, int rows, int columns,
                          const mo_entries *entries)
{
    mo_sparse matrix;
    const bool good = mo_sparse_build(&out->h.kept, rows, columns, entries, &matrix)
                          ? write_matrix(out, name, &matrix)
                          : mo_h5_no_memory(&out->h);
    mo_pool_clear(&out->h.kept);
    return good;
}

static bool make_entries(writer *out, size_t room, mo_entries *entries)
{
    MO_FAIL_IF(room > INT_MAX, mo_h5_fail(&out->h, MO_ERR_UNSUPPORTED,
                                          "an FCLIB matrix holds at most %d entries", INT_MAX));
    return mo_entries_make(&out->h.kept, room, entries) || mo_h5_no_memory(&out->h);
}

/* Adds one d x n block with its corner at (row, column), all of it transposed where asked. */
static void add_block(mo_entries *entries, const double *block, int d, int n, int row, int column,
                      bool transposed)
{
    for (int k = 0; k < d * n; ++k) {
        const int i = row + k / n, j = column + k % n;
        mo_entries_add(entries, transposed ? j : i, transposed ? i : j, block[k]);
    }
}

/* Readers interpret an M with entries on one side of the diagonal as half of a symmetric matrix. */
static bool check_sides(writer *out, const mo_entries *M)
{
    bool below = false, above = false;
    for (size_t k = 0; k < M->count; ++k) {
        below = below || M->row[k] > M->column[k];
        above = above || M->row[k] < M->column[k];
    }
    return below == above ||
           mo_h5_fail(
               &out->h, MO_ERR_UNSUPPORTED,
               "the mass matrix has entries only %s its diagonal; from an FCLIB file it would "
               "be read as half of a symmetric one",
               below ? "below" : "above");
}

static bool write_mass(writer *out)
{
    const mo_problem *p = out->problem;
    mo_entries entries;
    size_t room = 0;
    for (int b = 0; b < p->body_count; ++b)
        room += (size_t)mo_body_dim(p, b) * (size_t)mo_body_dim(p, b);
    MO_PASS(make_entries(out, room, &entries));
    for (int b = 0; b < p->body_count; ++b) {
        const mo_body_view body = mo_problem_body(p, b);
        add_block(&entries, body.M, body.dim, body.dim, body.offset, body.offset, false);
    }
    return check_sides(out, &entries) &&
           write_entries(out, "M", out->sizes.dofs, out->sizes.dofs, &entries);
}

/* Adds the Jacobians of contacts or of joints, or their couplings with contacts or joints. */
static void collect(const writer *out, bool joints, bool with_joints, bool transposed,
                    mo_entries *entries)
{
    const mo_problem *p = out->problem;
    const bool global = out->kind.is_global;
    for (int c = 0; c < p->constraint_count; ++c) {
        const int d = mo_constraint_dim(p, c);
        for (int k = p->block_start[c], n, at = 0; k < p->block_start[c + 1]; ++k, at += d * n) {
            const int other = p->block_index[k];
            n = global ? mo_body_dim(p, other) : mo_constraint_dim(p, other);
            if (is_joint(out, c) == joints && (global || is_joint(out, other) == with_joints)) {
                add_block(entries, p->values + p->value_start[c] + at, d, n, out->column[c],
                          global ? p->body_start[other] : out->column[other], transposed);
            }
        }
    }
}

/* H or G, the Jacobians of contacts or joints (H_bi = J'), or the couplings W, V or R. */
static bool write_blocks(writer *out, const char *name, bool joints, bool with_joints)
{
    const bool global = out->kind.is_global;
    const int rows = rows_of(out, joints);
    mo_entries entries;
    MO_PASS(make_entries(out, out->problem->value_start[out->problem->constraint_count], &entries));
    collect(out, joints, with_joints, global, &entries);
    return write_entries(out, name, global ? out->sizes.dofs : rows,
                         global ? rows : rows_of(out, with_joints), &entries);
}

/* V also defines its transpose in [W V; V' R]; the problem must agree to rounding. */
static bool check_transposes(writer *out)
{
    static const double ROUNDING = 1e-12; /* relative to the largest entry of V */
    mo_entries difference;
    mo_sparse rest;
    double largest = 0, worst = 0;
    MO_PASS(
        make_entries(out, out->problem->value_start[out->problem->constraint_count], &difference));
    collect(out, false, true, false, &difference);
    for (size_t k = 0; k < difference.count; ++k) {
        largest = fmax(largest, fabs(difference.value[k]));
        difference.value[k] = -difference.value[k];
    }
    collect(out, true, false, true, &difference);
    MO_FAIL_IF(
        !mo_sparse_build(&out->h.kept, out->sizes.rows, out->sizes.joints, &difference, &rest),
        mo_h5_no_memory(&out->h));
    for (int e = 0; e < mo_sparse_count(&rest); ++e)
        worst = fmax(worst, fabs(rest.value[e]));
    return worst <= ROUNDING * largest ||
           mo_h5_fail(&out->h, MO_ERR_UNSUPPORTED,
                      "the couplings of contacts with joints are not the transposes of those of "
                      "joints with contacts (they differ by %g), which FCLIB cannot hold",
                      worst);
}

static bool write_matrices(writer *out)
{
    const bool joints = out->sizes.joints > 0;
    if (out->kind.is_global) {
        return write_mass(out) && write_blocks(out, "H", false, false) &&
               (!joints || write_blocks(out, "G", true, false));
    }
    return write_blocks(out, "W", false, false) &&
           (!joints || (check_transposes(out) && write_blocks(out, "V", false, true) &&
                        write_blocks(out, "R", true, true)));
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* The entries of contacts, or of joints, among values given for all rows. */
static bool write_rows(writer *out, const char *name, bool joints, const double *all)
{
    const mo_problem *p = out->problem;
    const size_t count = (size_t)rows_of(out, joints);
    double *picked = mo_h5_take(&out->h, count, sizeof *picked);
    MO_PASS(picked);
    for (int c = 0; c < p->constraint_count; ++c) {
        if (is_joint(out, c) == joints) {
            memcpy(picked + out->column[c], all + p->row_start[c],
                   (size_t)mo_constraint_dim(p, c) * sizeof *picked);
        }
    }
    return mo_h5_write_doubles(&out->h, name, count, picked);
}

static bool write_friction(writer *out, const char *name, bool rolling)
{
    double *mu = mo_h5_take(&out->h, (size_t)out->sizes.contacts, sizeof *mu);
    size_t count = 0;
    for (int c = 0; mu && c < out->problem->constraint_count; ++c) {
        if (!is_joint(out, c)) {
            const mo_law law = mo_problem_constraint(out->problem, c).law;
            mu[count++] = rolling ? law.mu_rolling : law.mu;
        }
    }
    return mu && mo_h5_write_doubles(&out->h, name, count, mu);
}

static bool write_vectors(writer *out)
{
    const mo_problem *p = out->problem;
    const bool global = out->kind.is_global;
    make_group(out, "vectors");
    if (global) mo_h5_write_doubles(&out->h, "f", (size_t)p->dof_count, p->f);
    write_rows(out, global ? "w" : "q", false, p->w);
    if (out->sizes.joints) write_rows(out, global ? "b" : "s", true, p->w);
    if (out->kind.is_rolling) write_friction(out, "mu_r", true);
    return write_friction(out, "mu", false);
}

/* ---- texts, solution, guesses ---------------------------------------------------------------- */

static bool write_info(writer *out)
{
    const mo_document *document = out->document;
    const struct {
        const char *name, *text;
    } texts[] = {{"title", document->title},
                 {"description", document->description},
                 {"math_info", document->math_info}};
    if (document->title || document->description || document->math_info) make_group(out, "info");
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k)
        if (texts[k].text) mo_h5_write_text(&out->h, texts[k].name, texts[k].text);
    return !out->h.error;
}

static bool check_finite(writer *out, const char *group, const char *name, const double *values,
                         int count)
{
    for (int k = 0; values && k < count; ++k) {
        MO_FAIL_IF(!isfinite(values[k]),
                   mo_h5_fail(&out->h, MO_ERR_ARGUMENT,
                              "entry %d of %s of %s is %g; only finite numbers "
                              "are written",
                              k, name, group, values[k]));
    }
    return true;
}

static bool write_point(writer *out, const char *group, const mo_point *point)
{
    const int rows = out->problem->row_count;
    MO_PASS(check_finite(out, group, "v", point->v, out->sizes.dofs) &&
            check_finite(out, group, "u", point->u, rows) &&
            check_finite(out, group, "r", point->r, rows));
    mo_h5_make_group(&out->h, group);
    if (point->v && out->kind.is_global)
        mo_h5_write_doubles(&out->h, "v", (size_t)out->sizes.dofs, point->v);
    if (point->u) write_rows(out, "u", false, point->u);
    if (point->r) write_rows(out, "r", false, point->r);
    if (point->r && out->sizes.joints) write_rows(out, "l", true, point->r);
    return !out->h.error;
}

static bool write_points(writer *out)
{
    const mo_document *document = out->document;
    const mo_point *solution = &document->solution;
    if ((solution->v || solution->u || solution->r) && !write_point(out, "/solution", solution))
        return false;
    if (document->guess_count == 0) return true;
    mo_h5_make_group(&out->h, "/guesses");
    mo_h5_write_int(&out->h, "number_of_guesses", document->guess_count);
    for (int k = 0; k < document->guess_count; ++k) {
        char group[MO_H5_PATH];
        snprintf(group, sizeof group, "/guesses/%d", k + 1);
        MO_PASS(write_point(out, group, &document->guesses[k]));
    }
    return !out->h.error;
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* The file as bytes, which belong to the caller. */
static mo_error build_file(writer *out, const mo_allocator *allocator, void **bytes, size_t *size,
                           mo_message *why)
{
    char path[MO_H5_PATH];
    if (mo_h5_create(&out->h, out->path, allocator, why)) {
        snprintf(path, sizeof path, "/%s", out->kind.group);
        mo_h5_make_group(&out->h, path);
        mo_h5_write_int(&out->h, "spacedim", out->sizes.d);
        if (!out->h.error && write_matrices(out) && write_vectors(out) && write_info(out))
            write_points(out);
        mo_h5_image(&out->h, bytes, size);
    }
    mo_h5_close(&out->h);
    return out->h.error;
}

static mo_error check_arguments(const char *path, const mo_document *document, mo_message *why)
{
    MO_REFUSE_IF(!path || !document || !document->problem, why,
                 "mo_fclib_write needs a path and a document with a problem");
    MO_REFUSE_IF(document->guess_count < 0 || (document->guess_count > 0 && !document->guesses),
                 why, "the document has %d guesses but no array of them", document->guess_count);
    return MO_OK;
}

mo_error mo_fclib_write(const char *path, const mo_document *document, mo_message *why)
{
    MO_TRY(check_arguments(path, document, why));
    const mo_allocator own = mo_allocator_or_default(&document->allocator);
    writer out = {.path = path, .document = document, .problem = document->problem};
    mo_problem_write_rows(document->problem);
    void *bytes = NULL;
    size_t size = 0;
    out.column = mo_memory_array(&own, (size_t)out.problem->constraint_count, sizeof *out.column);
    MO_NEED_MEMORY(out.column, why);
    mo_error error = classify(&out, why);
    error = error ? error : build_file(&out, &own, &bytes, &size, why);
    error = error ? error : mo_replace_file(path, bytes, size, why);
    MO_FREE(&own, bytes, out.column);
    return error;
}
