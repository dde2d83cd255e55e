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
#include "io/replace.h"
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

/* ---- what the format can hold ---------------------------------------------------------------- */

static bool is_joint(const writer *out, int c)
{
    return out->problem->law[c].kind == MO_LAW_BILATERAL;
}

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
    for (int k = 0; view->law.compliance && k < view->dim; ++k) {
        if (view->law.compliance[k] != 0) {
            return false;
        }
    }
    return true;
}

/* Counts one constraint; `first` is the first contact, or -1. */
static mo_error count_constraint(writer *out, int c, int *first, mo_message *why)
{
    const mo_constraint_view view = mo_problem_constraint(out->problem, c);
    mo_fclib_sizes *sizes = &out->sizes;
    if (!is_hard(&view)) {
        return refuse(out, c, &view, "the format has no compliance", why);
    }
    if (view.law.kind == MO_LAW_BILATERAL) {
        out->column[c] = sizes->joints;
        sizes->joints += view.dim;
        return MO_OK;
    }
    if (view.law.kind != MO_LAW_COULOMB && view.law.kind != MO_LAW_ROLLING) {
        return refuse(out, c, &view, "the format knows coulomb, rolling and bilateral only", why);
    }
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
    for (int c = 0; c < mo_problem_constraint_count(out->problem); ++c) {
        const mo_error error = count_constraint(out, c, &first, why);
        if (error) {
            return error;
        }
    }
    for (int k = 0; k < MO_FCLIB_KINDS; ++k) {
        if (mo_fclib_kinds[k].is_global == out->kind.is_global &&
            mo_fclib_kinds[k].is_rolling == out->kind.is_rolling) {
            out->kind = mo_fclib_kinds[k];
        }
    }
    return MO_OK;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* The path of something in the problem's group. */
static const char *inside(const writer *out, const char *name, char path[MO_H5_PATH])
{
    snprintf(path, MO_H5_PATH, "/%s/%s", out->kind.group, name);
    return path;
}

static bool fail_entries(writer *out, const mo_entries *entries)
{
    return entries->count == INT_MAX
               ? mo_h5_fail(&out->h, MO_ERR_UNSUPPORTED, "an FCLIB matrix holds at most %d entries",
                            INT_MAX)
               : mo_h5_no_memory(&out->h);
}

/* The facts stored with a matrix, as libfclib writes them: beside its numbers. */
static bool write_facts(writer *out, char matrix, const char *group)
{
    mo_h5 *h = &out->h;
    char path[MO_H5_PATH + 16];
    for (int k = 0; k < MO_DOCUMENT_MATRICES; ++k) {
        const mo_matrix_facts *facts = &out->document->facts[k];
        if (facts->matrix != matrix) {
            continue;
        }
        snprintf(path, sizeof path, "%s/comment", group);
        mo_h5_write_text(h, path, facts->comment ? facts->comment : "");
        snprintf(path, sizeof path, "%s/conditioning", group);
        mo_h5_write_doubles(h, path, 1, &facts->conditioning);
        snprintf(path, sizeof path, "%s/determinant", group);
        mo_h5_write_doubles(h, path, 1, &facts->determinant);
        snprintf(path, sizeof path, "%s/rank", group);
        mo_h5_write_int(h, path, facts->rank);
    }
    return !h->error;
}

static bool write_matrix(writer *out, const char *name, const mo_sparse *m)
{
    mo_h5 *h = &out->h;
    char group[MO_H5_PATH], path[MO_H5_PATH + 8];
    const size_t count = (size_t)mo_sparse_count(m);
    const struct {
        const char *name;
        int value;
    } numbers[] = {{"m", m->rows}, {"n", m->columns}, {"nz", -1}, {"nzmax", (int)count}};
    mo_h5_make_group(h, inside(out, name, group));
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        snprintf(path, sizeof path, "%s/%s", group, numbers[k].name);
        mo_h5_write_int(h, path, numbers[k].value);
    }
    snprintf(path, sizeof path, "%s/p", group);
    mo_h5_write_ints(h, path, (size_t)m->columns + 1, m->start);
    snprintf(path, sizeof path, "%s/i", group);
    mo_h5_write_ints(h, path, count, m->row);
    snprintf(path, sizeof path, "%s/x", group);
    return mo_h5_write_doubles(h, path, count, m->value) && write_facts(out, name[0], group);
}

/* Sorts the entries, writes them, and drops them. */
static bool write_entries(writer *out, const char *name, int rows, int columns, mo_entries *entries)
{
    mo_sparse matrix = {0};
    const bool built = mo_sparse_build(out->h.allocator, rows, columns, entries->count,
                                       entries->row, entries->column, entries->value, &matrix);
    mo_entries_clear(out->h.allocator, entries);
    const bool good = built ? write_matrix(out, name, &matrix) : mo_h5_no_memory(&out->h);
    mo_sparse_clear(out->h.allocator, &matrix);
    return good;
}

/* Adds one d x n block with its corner at (row, column), or its transpose. */
static bool add_block(writer *out, mo_entries *entries, const double *block, int d, int n, int row,
                      int column, bool transposed)
{
    for (int k = 0; k < d; ++k) {
        for (int a = 0; a < n; ++a) {
            if (!mo_entries_add(out->h.allocator, entries, row + (transposed ? a : k),
                                column + (transposed ? k : a),
                                block[(size_t)k * (size_t)n + (size_t)a])) {
                return fail_entries(out, entries);
            }
        }
    }
    return true;
}

/* A reader takes an M with entries on one side of its diagonal for half of a symmetric one. */
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
    mo_entries entries = {0};
    for (int b = 0; b < mo_problem_body_count(out->problem); ++b) {
        const mo_body_view body = mo_problem_body(out->problem, b);
        if (!add_block(out, &entries, body.M, body.dim, body.dim, body.offset, body.offset,
                       false)) {
            mo_entries_clear(out->h.allocator, &entries);
            return false;
        }
    }
    if (!check_sides(out, &entries)) {
        mo_entries_clear(out->h.allocator, &entries);
        return false;
    }
    return write_entries(out, "M", out->sizes.dofs, out->sizes.dofs, &entries);
}

/* The values of the blocks of a constraint, consecutively. */
static const double *blocks_of(const mo_problem *p, int c)
{
    return p->block_start[c + 1] > p->block_start[c] ? p->values + p->value_start[c] : NULL;
}

/* H from the Jacobians of the contacts, or G from those of the joints: H_bi = J'. */
static bool write_jacobians(writer *out, const char *name, bool joints)
{
    const mo_problem *p = out->problem;
    mo_entries entries = {0};
    bool good = true;
    for (int c = 0; good && c < p->constraint_count; ++c) {
        if (is_joint(out, c) != joints) {
            continue;
        }
        const int d = mo_constraint_dim(p, c);
        const double *J = blocks_of(p, c);
        for (int k = p->block_start[c]; good && k < p->block_start[c + 1]; ++k) {
            const int body = p->block_index[k], n = mo_body_dim(p, body);
            good = add_block(out, &entries, J, d, n, p->body_start[body], out->column[c], true);
            J += (size_t)d * (size_t)n;
        }
    }
    if (!good) {
        mo_entries_clear(out->h.allocator, &entries);
        return false;
    }
    return write_entries(out, name, out->sizes.dofs, joints ? out->sizes.joints : out->sizes.rows,
                         &entries);
}

/* The couplings of one kind of constraint with another; transposed where asked. */
static bool collect_couplings(writer *out, bool row_joints, bool column_joints, bool transposed,
                              mo_entries *entries)
{
    const mo_problem *p = out->problem;
    for (int c = 0; c < p->constraint_count; ++c) {
        const int d = mo_constraint_dim(p, c);
        const double *W = blocks_of(p, c);
        for (int k = p->block_start[c]; k < p->block_start[c + 1]; ++k) {
            const int other = p->block_index[k], n = mo_constraint_dim(p, other);
            const int row = out->column[c], column = out->column[other];
            if (is_joint(out, c) == row_joints && is_joint(out, other) == column_joints &&
                !add_block(out, entries, W, d, n, transposed ? column : row,
                           transposed ? row : column, transposed)) {
                return false;
            }
            W += (size_t)d * (size_t)n;
        }
    }
    return true;
}

static bool write_couplings(writer *out, const char *name, bool row_joints, bool column_joints)
{
    mo_entries entries = {0};
    if (!collect_couplings(out, row_joints, column_joints, false, &entries)) {
        mo_entries_clear(out->h.allocator, &entries);
        return false;
    }
    return write_entries(out, name, row_joints ? out->sizes.joints : out->sizes.rows,
                         column_joints ? out->sizes.joints : out->sizes.rows, &entries);
}

/* V stands for its transpose too: [W V; V' R].  Apart from rounding the problem must agree. */
static bool check_transposes(writer *out)
{
    static const double ROUNDING = 1e-12; /* relative to the largest entry of V */
    const mo_allocator *allocator = out->h.allocator;
    mo_entries difference = {0};
    mo_sparse rest = {0};
    double largest = 0, worst = 0;
    bool good = collect_couplings(out, false, true, false, &difference);
    for (size_t k = 0; k < difference.count; ++k) {
        largest = fmax(largest, fabs(difference.value[k]));
        difference.value[k] = -difference.value[k];
    }
    good = good && collect_couplings(out, true, false, true, &difference);
    if (good && !mo_sparse_build(allocator, out->sizes.rows, out->sizes.joints, difference.count,
                                 difference.row, difference.column, difference.value, &rest)) {
        good = mo_h5_no_memory(&out->h);
    }
    for (int e = 0; good && e < mo_sparse_count(&rest); ++e) {
        worst = fmax(worst, fabs(rest.value[e]));
    }
    mo_entries_clear(allocator, &difference);
    mo_sparse_clear(allocator, &rest);
    return good &&
           (worst <= ROUNDING * largest ||
            mo_h5_fail(&out->h, MO_ERR_UNSUPPORTED,
                       "the couplings of contacts with joints are not the transposes of those of "
                       "joints with contacts (they differ by %g), which FCLIB cannot hold",
                       worst));
}

static bool write_matrices(writer *out)
{
    const bool joints = out->sizes.joints > 0;
    if (out->kind.is_global) {
        return write_mass(out) && write_jacobians(out, "H", false) &&
               (!joints || write_jacobians(out, "G", true));
    }
    return write_couplings(out, "W", false, false) &&
           (!joints || (check_transposes(out) && write_couplings(out, "V", false, true) &&
                        write_couplings(out, "R", true, true)));
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* The entries of contacts, or of joints, among values given for all rows. */
static void pick(const writer *out, bool joints, const double *all, double *picked)
{
    const mo_problem *p = out->problem;
    for (int c = 0; c < p->constraint_count; ++c) {
        if (is_joint(out, c) == joints) {
            memcpy(picked + out->column[c], all + p->row_start[c],
                   (size_t)mo_constraint_dim(p, c) * sizeof *picked);
        }
    }
}

static bool write_rows(writer *out, const char *path, bool joints, const double *all)
{
    const size_t count = (size_t)(joints ? out->sizes.joints : out->sizes.rows);
    double *picked = mo_memory_array(out->h.allocator, count, sizeof *picked);
    if (!picked) {
        return mo_h5_no_memory(&out->h);
    }
    pick(out, joints, all, picked);
    const bool good = mo_h5_write_doubles(&out->h, path, count, picked);
    mo_memory_free(out->h.allocator, picked);
    return good;
}

static bool write_friction(writer *out, const char *path, bool rolling)
{
    double *mu = mo_memory_array(out->h.allocator, (size_t)out->sizes.contacts, sizeof *mu);
    size_t count = 0;
    if (!mu) {
        return mo_h5_no_memory(&out->h);
    }
    for (int c = 0; c < out->problem->constraint_count; ++c) {
        if (!is_joint(out, c)) {
            const mo_law law = mo_problem_constraint(out->problem, c).law;
            mu[count++] = rolling ? law.mu_rolling : law.mu;
        }
    }
    const bool good = mo_h5_write_doubles(&out->h, path, count, mu);
    mo_memory_free(out->h.allocator, mu);
    return good;
}

static bool write_vectors(writer *out)
{
    const mo_problem *p = out->problem;
    const bool global = out->kind.is_global;
    char path[MO_H5_PATH];
    mo_h5_make_group(&out->h, inside(out, "vectors", path));
    if (global) {
        mo_h5_write_doubles(&out->h, inside(out, "vectors/f", path), (size_t)p->dof_count, p->f);
    }
    write_rows(out, inside(out, global ? "vectors/w" : "vectors/q", path), false, p->w);
    if (out->sizes.joints) {
        write_rows(out, inside(out, global ? "vectors/b" : "vectors/s", path), true, p->w);
    }
    if (out->kind.is_rolling) {
        write_friction(out, inside(out, "vectors/mu_r", path), true);
    }
    return write_friction(out, inside(out, "vectors/mu", path), false);
}

/* ---- texts, solution, guesses ---------------------------------------------------------------- */

static bool write_info(writer *out)
{
    const mo_document *document = out->document;
    const struct {
        const char *path, *text;
    } texts[] = {{"info/title", document->title},
                 {"info/description", document->description},
                 {"info/math_info", document->math_info}};
    char path[MO_H5_PATH];
    if (document->title || document->description || document->math_info) {
        mo_h5_make_group(&out->h, inside(out, "info", path));
    }
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
        if (texts[k].text) {
            mo_h5_write_text(&out->h, inside(out, texts[k].path, path), texts[k].text);
        }
    }
    return !out->h.error;
}

static bool check_finite(writer *out, const char *group, const char *name, const double *values,
                         int count)
{
    for (int k = 0; values && k < count; ++k) {
        if (!isfinite(values[k])) {
            return mo_h5_fail(&out->h, MO_ERR_ARGUMENT,
                              "entry %d of %s of %s is %g; only finite numbers "
                              "are written",
                              k, name, group, values[k]);
        }
    }
    return true;
}

static bool write_point(writer *out, const char *group, const mo_point *point)
{
    const int rows = out->problem->row_count;
    char path[MO_H5_PATH + 8];
    if (!check_finite(out, group, "v", point->v, out->sizes.dofs) ||
        !check_finite(out, group, "u", point->u, rows) ||
        !check_finite(out, group, "r", point->r, rows)) {
        return false;
    }
    mo_h5_make_group(&out->h, group);
    if (point->v && out->kind.is_global) {
        snprintf(path, sizeof path, "%s/v", group);
        mo_h5_write_doubles(&out->h, path, (size_t)out->sizes.dofs, point->v);
    }
    if (point->u) {
        snprintf(path, sizeof path, "%s/u", group);
        write_rows(out, path, false, point->u);
    }
    if (point->r) {
        snprintf(path, sizeof path, "%s/r", group);
        write_rows(out, path, false, point->r);
    }
    if (point->r && out->sizes.joints) {
        snprintf(path, sizeof path, "%s/l", group);
        write_rows(out, path, true, point->r);
    }
    return !out->h.error;
}

static bool write_points(writer *out)
{
    const mo_document *document = out->document;
    const mo_point *solution = &document->solution;
    if ((solution->v || solution->u || solution->r) && !write_point(out, "/solution", solution)) {
        return false;
    }
    if (document->guess_count == 0) {
        return true;
    }
    mo_h5_make_group(&out->h, "/guesses");
    mo_h5_write_int(&out->h, "/guesses/number_of_guesses", document->guess_count);
    for (int k = 0; k < document->guess_count; ++k) {
        char group[MO_H5_PATH];
        snprintf(group, sizeof group, "/guesses/%d", k + 1);
        if (!write_point(out, group, &document->guesses[k])) {
            return false;
        }
    }
    return !out->h.error;
}

/* ---- the door -------------------------------------------------------------------------------- */

/* The file as bytes, which belong to the caller. */
static mo_error build_file(writer *out, const mo_allocator *allocator, void **bytes, size_t *size,
                           mo_message *why)
{
    char path[MO_H5_PATH];
    if (mo_h5_create(&out->h, out->path, allocator, why)) {
        snprintf(path, sizeof path, "/%s", out->kind.group);
        mo_h5_make_group(&out->h, path);
        mo_h5_write_int(&out->h, inside(out, "spacedim", path), out->sizes.d);
        if (!out->h.error && write_matrices(out) && write_vectors(out) && write_info(out)) {
            write_points(out);
        }
        mo_h5_image(&out->h, bytes, size);
    }
    mo_h5_close(&out->h);
    return out->h.error;
}

static mo_error put_in_place(const char *path, const void *bytes, size_t size, mo_message *why)
{
    mo_replacement replacement;
    mo_error error = mo_replace_begin(&replacement, path, why);
    error = error ? error : mo_replace_write(&replacement, bytes, size, why);
    return error ? error : mo_replace_commit(&replacement, why);
}

static mo_error check_arguments(const char *path, const mo_document *document, mo_message *why)
{
    if (!path || !document || !document->problem) {
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "mo_fclib_write needs a path and a document with a problem");
    }
    if (document->guess_count < 0 || (document->guess_count > 0 && !document->guesses)) {
        return mo_fail(why, MO_ERR_ARGUMENT, "the document has %d guesses but no array of them",
                       document->guess_count);
    }
    return MO_OK;
}

mo_error mo_fclib_write(const char *path, const mo_document *document, mo_message *why)
{
    mo_error error = check_arguments(path, document, why);
    if (error) {
        return error;
    }
    const mo_allocator own = mo_allocator_or_default(&document->allocator);
    writer out = {.path = path, .document = document, .problem = document->problem};
    mo_problem_write_rows(document->problem);
    void *bytes = NULL;
    size_t size = 0;
    out.column = mo_memory_array(&own, (size_t)out.problem->constraint_count, sizeof *out.column);
    if (!out.column) {
        return mo_fail_memory(why);
    }
    error = classify(&out, why);
    error = error ? error : build_file(&out, &own, &bytes, &size, why);
    error = error ? error : put_in_place(path, bytes, size, why);
    mo_memory_free(&own, bytes);
    mo_memory_free(&own, out.column);
    return error;
}
