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
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/fclib_writer.h"
#include "io/replace.h"
#include "problem/problem_data.h"

/* ---- limits of the format -------------------------------------------------------------------- */

static mo_error refuse(const mo_fclib_writer *out, int c, const mo_constraint_view *view,
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
static mo_error count_constraint(mo_fclib_writer *out, int c, int *first, mo_message *why)
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

static mo_error classify(mo_fclib_writer *out, mo_message *why)
{
    int first = -1;
    out->kind.is_global = mo_problem_form(out->problem) == MO_FORM_GLOBAL;
    out->sizes = (mo_fclib_sizes){
        .d = 3, .dofs = mo_problem_dof_count(out->problem), .is_global = out->kind.is_global};
    for (int c = 0; c < mo_problem_constraint_count(out->problem); ++c) {
        MO_TRY(count_constraint(out, c, &first, why));
    }
    for (int k = 0; k < MO_FCLIB_KINDS; ++k) {
        if (mo_fclib_kinds[k].is_global == out->kind.is_global &&
            mo_fclib_kinds[k].is_rolling == out->kind.is_rolling) {
            out->kind = mo_fclib_kinds[k];
        }
    }
    return MO_OK;
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* The entries of contacts, or of joints, among values given for all rows. */
static void pick(const mo_fclib_writer *out, bool joints, const double *all, double *picked)
{
    const mo_problem *p = out->problem;
    for (int c = 0; c < p->constraint_count; ++c) {
        if (mo_fclib_is_joint(out, c) == joints) {
            memcpy(picked + out->column[c], all + p->row_start[c],
                   (size_t)mo_constraint_dim(p, c) * sizeof *picked);
        }
    }
}

static bool write_rows(mo_fclib_writer *out, const char *name, bool joints, const double *all)
{
    const size_t count = (size_t)(joints ? out->sizes.joints : out->sizes.rows);
    double *picked = mo_memory_array(out->h.allocator, count, sizeof *picked);
    MO_FAIL_IF(!picked, mo_h5_no_memory(&out->h));
    pick(out, joints, all, picked);
    const bool good = mo_h5_write_doubles(&out->h, name, count, picked);
    mo_memory_free(out->h.allocator, picked);
    return good;
}

static bool write_friction(mo_fclib_writer *out, const char *name, bool rolling)
{
    double *mu = mo_memory_array(out->h.allocator, (size_t)out->sizes.contacts, sizeof *mu);
    size_t count = 0;
    MO_FAIL_IF(!mu, mo_h5_no_memory(&out->h));
    for (int c = 0; c < out->problem->constraint_count; ++c) {
        if (!mo_fclib_is_joint(out, c)) {
            const mo_law law = mo_problem_constraint(out->problem, c).law;
            mu[count++] = rolling ? law.mu_rolling : law.mu;
        }
    }
    const bool good = mo_h5_write_doubles(&out->h, name, count, mu);
    mo_memory_free(out->h.allocator, mu);
    return good;
}

static bool write_vectors(mo_fclib_writer *out)
{
    const mo_problem *p = out->problem;
    const bool global = out->kind.is_global;
    mo_fclib_make_group(out, "vectors");
    if (global) {
        mo_h5_write_doubles(&out->h, "f", (size_t)p->dof_count, p->f);
    }
    write_rows(out, global ? "w" : "q", false, p->w);
    if (out->sizes.joints) {
        write_rows(out, global ? "b" : "s", true, p->w);
    }
    if (out->kind.is_rolling) {
        write_friction(out, "mu_r", true);
    }
    return write_friction(out, "mu", false);
}

/* ---- texts, solution, guesses ---------------------------------------------------------------- */

static bool write_info(mo_fclib_writer *out)
{
    const mo_document *document = out->document;
    const struct {
        const char *name, *text;
    } texts[] = {{"title", document->title},
                 {"description", document->description},
                 {"math_info", document->math_info}};
    if (document->title || document->description || document->math_info) {
        mo_fclib_make_group(out, "info");
    }
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
        if (texts[k].text) {
            mo_h5_write_text(&out->h, texts[k].name, texts[k].text);
        }
    }
    return !out->h.error;
}

static bool check_finite(mo_fclib_writer *out, const char *group, const char *name,
                         const double *values, int count)
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

static bool write_point(mo_fclib_writer *out, const char *group, const mo_point *point)
{
    const int rows = out->problem->row_count;
    MO_PASS(check_finite(out, group, "v", point->v, out->sizes.dofs) &&
            check_finite(out, group, "u", point->u, rows) &&
            check_finite(out, group, "r", point->r, rows));
    mo_h5_make_group(&out->h, group);
    if (point->v && out->kind.is_global) {
        mo_h5_write_doubles(&out->h, "v", (size_t)out->sizes.dofs, point->v);
    }
    if (point->u) {
        write_rows(out, "u", false, point->u);
    }
    if (point->r) {
        write_rows(out, "r", false, point->r);
    }
    if (point->r && out->sizes.joints) {
        write_rows(out, "l", true, point->r);
    }
    return !out->h.error;
}

static bool write_points(mo_fclib_writer *out)
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
static mo_error build_file(mo_fclib_writer *out, const mo_allocator *allocator, void **bytes,
                           size_t *size, mo_message *why)
{
    char path[MO_H5_PATH];
    if (mo_h5_create(&out->h, out->path, allocator, why)) {
        snprintf(path, sizeof path, "/%s", out->kind.group);
        mo_h5_make_group(&out->h, path);
        mo_h5_write_int(&out->h, "spacedim", out->sizes.d);
        if (!out->h.error && mo_fclib_write_matrices(out) && write_vectors(out) &&
            write_info(out)) {
            write_points(out);
        }
        mo_h5_image(&out->h, bytes, size);
    }
    mo_h5_close(&out->h);
    return out->h.error;
}

static mo_error check_arguments(const char *path, const mo_document *document, mo_message *why)
{
    MO_FAIL_IF(
        !path || !document || !document->problem,
        mo_fail(why, MO_ERR_ARGUMENT, "mo_fclib_write needs a path and a document with a problem"));
    MO_FAIL_IF(document->guess_count < 0 || (document->guess_count > 0 && !document->guesses),
               mo_fail(why, MO_ERR_ARGUMENT, "the document has %d guesses but no array of them",
                       document->guess_count));
    return MO_OK;
}

mo_error mo_fclib_write(const char *path, const mo_document *document, mo_message *why)
{
    MO_TRY(check_arguments(path, document, why));
    const mo_allocator own = mo_allocator_or_default(&document->allocator);
    mo_fclib_writer out = {.path = path, .document = document, .problem = document->problem};
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
