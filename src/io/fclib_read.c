/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reading FCLIB files into problems.  The layout is in fclib.h.
 *
 *   1. the file is opened (hdf5.h)
 *   2. vectors are read, and fix all sizes
 *   3. matrices are read and held against these sizes (fclib_matrix.c)
 *   4. M is cut into bodies (fclib_blocks.c), the columns of G or V into joints
 *   5. the blocks go to the builder (fclib_blocks.c), which checks the problem as a whole
 *   6. solution, guesses and texts follow (fclib_points.c)
 *
 * Limits: see hdf5.h for what kinds of HDF5 files are read, and fclib_blocks.c for how large
 * a body may be.  Attributes are not kept.
 */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/fclib.h"

const mo_fclib_kind mo_fclib_kinds[MO_FCLIB_KINDS] = {
    {"fclib_global", true, false},
    {"fclib_global_rolling", true, true},
    {"fclib_local", false, false},
    {"fclib_local_rolling", false, true},
};

/* One file while it is read. */
typedef struct reader {
    mo_h5 h;
    mo_document *document;
    const mo_fclib_kind *kind;
    mo_h5_group root, top; /* "/" and the group of the problem */
    mo_fclib_sizes sizes;
    double *f;         /* forces */
    double *w;         /* w, or q of a local problem */
    double *b;         /* b, or s of a local problem; NULL: no joints */
    double *mu, *mu_r; /* of the contacts */
    mo_sparse M;
    mo_fclib_parts bodies;
    mo_fclib_blocks blocks;
} reader;

bool mo_fclib_note(mo_h5 *h, mo_document *document, const char *format, ...)
{
    char line[512];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    const size_t before = document->notes ? strlen(document->notes) : 0;
    const size_t length = strlen(line);
    char *notes = mo_memory_resize(h->allocator, document->notes, before + length + 2);
    MO_FAIL_IF(!notes, mo_h5_no_memory(h));
    if (before) notes[before] = '\n';
    memcpy(notes + before + (before ? 1 : 0), line, length + 1);
    document->notes = notes;
    return true;
}

/* ---- contents of the file -------------------------------------------------------------------- */

static bool choose_kind(reader *in)
{
    for (int k = 0; k < MO_FCLIB_KINDS; ++k) {
        const mo_fclib_kind *kind = &mo_fclib_kinds[k];
        if (!mo_h5_has(&in->root, kind->group)) continue;
        if (!in->kind)
            in->kind = kind;
        else if (!mo_fclib_note(&in->h, in->document,
                                "The file also holds the problem /%s, which was left out.",
                                kind->group))
            return false;
    }
    MO_FAIL_IF(!in->kind && mo_h5_has(&in->root, "moreau_recording"),
               mo_h5_fault(&in->h,
                           "is a recording of a simulation, not a contact problem; moreau view and "
                           "moreau render show it, moreau run --export-problem writes problems"));
    return in->kind ||
           mo_h5_fault(&in->h, "holds none of the groups /fclib_global, /fclib_global_rolling, "
                               "/fclib_local and /fclib_local_rolling; is it an FCLIB file?");
}

static bool read_spacedim(reader *in)
{
    int d = 0;
    MO_PASS(mo_h5_read_int(&in->h, &in->top, "spacedim", &d));
    const bool known = in->kind->is_rolling ? d == 5 : d == 2 || d == 3;
    in->sizes.d = d;
    in->sizes.is_global = in->kind->is_global;
    return known || mo_h5_fault(&in->h, "%s/spacedim is %d where %s is needed", in->top.path, d,
                                in->kind->is_rolling ? "5" : "2 or 3");
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* One coefficient for each contact: any number from 0 to infinity. */
static bool read_friction(reader *in, const mo_h5_group *vectors, const char *name, double **mu)
{
    size_t count;
    MO_PASS(mo_h5_count(&in->h, vectors, name, &count));
    MO_FAIL_IF(count != (size_t)in->sizes.contacts,
               mo_h5_fault(&in->h, "%s/%s has %zu entries for %d contacts", vectors->path, name,
                           count, in->sizes.contacts));
    *mu = mo_h5_take(&in->h, count, sizeof **mu);
    MO_PASS(*mu && mo_h5_read_run(&in->h, vectors, name, 0, count, *mu));
    for (size_t k = 0; k < count; ++k) {
        MO_FAIL_IF(!((*mu)[k] >= 0),
                   mo_h5_fault(&in->h, "entry %zu of %s/%s is %g; friction is 0 or more", k,
                               vectors->path, name, (*mu)[k]));
    }
    return true;
}

/* A file has joints if it has one of their matrices, or a vector with entries; it must then have
 * all of them. */
static bool read_joints(reader *in, const mo_h5_group *vectors)
{
    const char *name = in->kind->is_global ? "b" : "s";
    const bool has_matrix = in->kind->is_global
                                ? mo_h5_has(&in->top, "G")
                                : mo_h5_has(&in->top, "V") || mo_h5_has(&in->top, "R");
    size_t count = 0;
    MO_PASS(!(has_matrix || mo_h5_has(vectors, name)) ||
            mo_fclib_read_vector(&in->h, vectors, name, &count, &in->b));
    in->b = has_matrix || count > 0 ? in->b : NULL;
    in->sizes.joints = (int)count;
    return true;
}

static bool read_motion(reader *in, const mo_h5_group *vectors)
{
    const char *w = in->kind->is_global ? "w" : "q";
    size_t count;
    MO_PASS(mo_fclib_read_vector(&in->h, vectors, w, &count, &in->w));
    MO_FAIL_IF(count % (size_t)in->sizes.d != 0,
               mo_h5_fault(&in->h, "%s/%s has %zu entries, no multiple of spacedim = %d",
                           vectors->path, w, count, in->sizes.d));
    in->sizes.rows = (int)count;
    in->sizes.contacts = (int)count / in->sizes.d;
    return true;
}

static bool read_vectors(reader *in)
{
    mo_h5_group vectors;
    size_t count = 0;
    mo_h5 *h = &in->h;
    bool good = mo_h5_enter(h, &in->top, "vectors", &vectors) && read_motion(in, &vectors) &&
                read_friction(in, &vectors, "mu", &in->mu) &&
                (!in->kind->is_rolling || read_friction(in, &vectors, "mu_r", &in->mu_r));
    if (good && in->kind->is_global) {
        good = mo_fclib_read_vector(h, &vectors, "f", &count, &in->f);
        in->sizes.dofs = (int)count;
    }
    good = good && read_joints(in, &vectors);
    mo_h5_leave(h, &vectors);
    return good;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* Do two columns have entries in the same parts of the rows? */
static bool same_parts(const mo_sparse *A, const mo_fclib_parts *parts, int a, int b)
{
    int e = A->start[a], f = A->start[b];
    while (e < A->start[a + 1] && f < A->start[b + 1]) {
        const int part = parts->of[A->row[e]];
        if (parts->of[A->row[f]] != part) return false;
        while (e < A->start[a + 1] && parts->of[A->row[e]] == part)
            ++e;
        while (f < A->start[b + 1] && parts->of[A->row[f]] == part)
            ++f;
    }
    return e == A->start[a + 1] && f == A->start[b + 1];
}

/* Contacts of d rows each; then joints: neighbouring columns of G or V in the same parts. */
static bool cut_constraints(reader *in, const mo_sparse *G, const mo_fclib_parts *parts)
{
    const mo_fclib_sizes *sizes = &in->sizes;
    mo_fclib_parts *constraints = &in->blocks.constraints;
    MO_FAIL_IF(sizes->joints > INT_MAX - sizes->rows,
               mo_h5_fault(&in->h, "contacts and joints have more than %d rows", INT_MAX));
    MO_PASS(mo_fclib_make_parts(&in->h, sizes->rows + sizes->joints, sizes->contacts, sizes->d,
                                constraints));
    int length = 0; /* of the current joint block */
    for (int j = 0; j < sizes->joints; ++j) {
        if (j == 0 || length == MO_FCLIB_JOINT_ROWS || !same_parts(G, parts, j - 1, j)) {
            constraints->start[constraints->count++] = sizes->rows + j;
            length = 0;
        }
        ++length;
    }
    constraints->start[constraints->count] = sizes->rows + sizes->joints;
    mo_fclib_index_parts(constraints);
    return true;
}

static void add_constraints(reader *in, mo_builder *builder)
{
    const mo_fclib_sizes *sizes = &in->sizes;
    const mo_fclib_parts *constraints = &in->blocks.constraints;
    for (int c = 0; c < sizes->contacts; ++c) {
        const mo_law law = in->kind->is_rolling ? mo_law_rolling(in->mu[c], in->mu_r[c])
                                                : mo_law_coulomb(in->mu[c]);
        mo_builder_add_constraint(builder, sizes->d, &law, in->w + (size_t)c * (size_t)sizes->d);
    }
    const mo_law joint = mo_law_bilateral();
    for (int c = sizes->contacts; c < constraints->count; ++c) {
        const int first = constraints->start[c];
        mo_builder_add_constraint(builder, constraints->start[c + 1] - first, &joint,
                                  in->b + (first - sizes->rows));
    }
}

/* ---- global problems ------------------------------------------------------------------------- */

static bool read_matrix(reader *in, const char *name, mo_fclib_size rows, mo_fclib_size columns,
                        mo_sparse *matrix)
{
    return mo_fclib_read_matrix(&in->h, &in->top, name, rows, columns, in->document, matrix);
}

/* A matrix that is part of another one. */
typedef struct piece {
    const mo_sparse *matrix;
    bool transposed;
    int row, column; /* of its first entry */
} piece;

/* A from its pieces. */
static bool join(reader *in, int rows, int columns, int count, const piece *pieces)
{
    mo_entries entries;
    size_t room = 0;
    for (int k = 0; k < count; ++k)
        room += (size_t)mo_sparse_count(pieces[k].matrix);
    const bool good = room <= INT_MAX && mo_entries_make(&in->h.kept, room, &entries);
    for (int k = 0; good && k < count; ++k) {
        const piece *p = &pieces[k];
        mo_entries_add_matrix(&entries, p->matrix, p->transposed, p->row, p->column);
    }
    return (good && mo_sparse_build(&in->h.kept, rows, columns, &entries, &in->blocks.A)) ||
           mo_h5_no_memory(&in->h);
}

static bool read_mass(reader *in)
{
    const mo_fclib_size f = {in->sizes.dofs, "f"};
    const int free_body = in->sizes.d == 2 ? 3 : 6;
    char place[MO_H5_PATH];
    snprintf(place, sizeof place, "/%s/M", in->kind->group);
    return read_matrix(in, "M", f, f, &in->M) &&
           mo_fclib_complete_mass(&in->h, place, &in->M, in->document) &&
           mo_fclib_find_bodies(&in->h, place, &in->M, free_body, &in->bodies);
}

/* A = [H G] */
static bool read_global(reader *in)
{
    const mo_fclib_sizes *sizes = &in->sizes;
    const mo_fclib_size f = {sizes->dofs, "f"}, w = {sizes->rows, "w"}, b = {sizes->joints, "b"};
    mo_sparse H = {0}, G = {0};
    const piece pieces[] = {{&H, false, 0, 0}, {&G, false, 0, sizes->rows}};
    in->blocks.across = &in->bodies;
    return read_mass(in) && read_matrix(in, "H", f, w, &H) &&
           (!in->b || read_matrix(in, "G", f, b, &G)) && cut_constraints(in, &G, &in->bodies) &&
           join(in, sizes->dofs, sizes->rows + sizes->joints, 2, pieces);
}

/* Beyond rounding: an implicit gyroscopic term makes M unsymmetric, and W with it. */
static bool is_unsymmetric(const double *M, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double size = sqrt(fabs(M[(size_t)i * n + i] * M[(size_t)j * n + j]));
            if (fabs(M[(size_t)i * n + j] - M[(size_t)j * n + i]) > 1e-12 * size) return true;
        }
    }
    return false;
}

static bool add_bodies(reader *in, mo_builder *builder)
{
    const mo_sparse *M = &in->M;
    size_t most = 0;
    for (int b = 0; b < in->bodies.count; ++b) {
        const size_t n = (size_t)(in->bodies.start[b + 1] - in->bodies.start[b]);
        most = n > most ? n : most;
    }
    double *dense = mo_h5_take(&in->h, most * most, sizeof *dense);
    for (int b = 0; dense && b < in->bodies.count; ++b) {
        const int first = in->bodies.start[b], n = in->bodies.start[b + 1] - first;
        memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
        for (int j = 0; j < n; ++j)
            for (int e = M->start[first + j]; e < M->start[first + j + 1]; ++e)
                dense[(size_t)(M->row[e] - first) * (size_t)n + (size_t)j] = M->value[e];
        if (is_unsymmetric(dense, n))
            mo_builder_add_unsymmetric_body(builder, n, dense, in->f + first);
        else
            mo_builder_add_body(builder, n, dense, in->f + first);
    }
    return dense != NULL;
}

/* ---- local problems -------------------------------------------------------------------------- */

/* A = [W V; V' R]', whose columns are the rows of u. */
static bool read_local(reader *in)
{
    const mo_fclib_sizes *sizes = &in->sizes;
    const int rows = sizes->rows, all = rows + sizes->joints;
    const mo_fclib_size q = {rows, "q"}, s = {sizes->joints, "s"};
    mo_fclib_parts contacts; /* of the rows of V, to compare its columns by */
    mo_sparse W = {0}, V = {0}, R = {0};
    const piece pieces[] = {
        {&W, true, 0, 0}, {&V, false, 0, rows}, {&V, true, rows, 0}, {&R, true, rows, rows}};
    in->blocks.are_couplings = true;
    in->blocks.across = &in->blocks.constraints;
    return read_matrix(in, "W", q, q, &W) &&
           (!in->b || (read_matrix(in, "V", q, s, &V) && read_matrix(in, "R", s, s, &R))) &&
           mo_fclib_make_parts(&in->h, rows, sizes->contacts, sizes->d, &contacts) &&
           cut_constraints(in, &V, &contacts) && join(in, all, all, 4, pieces);
}

/* ---- the problem ----------------------------------------------------------------------------- */

static bool build_problem(reader *in)
{
    mo_builder *builder;
    mo_message why;
    char place[MO_H5_PATH];
    snprintf(place, sizeof place, "/%s/%s", in->kind->group, in->kind->is_global ? "H" : "W");
    MO_FAIL_IF(mo_builder_create(in->h.allocator, &builder) != MO_OK, mo_h5_no_memory(&in->h));
    mo_builder_reserve(builder, (size_t)in->bodies.count, (size_t)in->blocks.constraints.count, 0,
                       0);
    add_constraints(in, builder);
    bool good = add_bodies(in, builder) && mo_fclib_add_blocks(&in->h, place, &in->blocks, builder);
    if (good) {
        const mo_error error = mo_builder_finish(builder, &in->document->problem, &why);
        good = !error || mo_h5_fail(&in->h, error, "/%s: %s", in->kind->group, why.text);
    }
    mo_builder_destroy(builder);
    return good;
}

static bool read_problem(reader *in)
{
    return mo_h5_enter(&in->h, &in->root, in->kind->group, &in->top) && read_spacedim(in) &&
           read_vectors(in) && (in->kind->is_global ? read_global(in) : read_local(in)) &&
           build_problem(in);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool read_text(reader *in, const mo_h5_group *info, const char *name, char **text)
{
    if (!mo_h5_has(info, name)) return true;
    MO_PASS(mo_h5_read_text(&in->h, info, name, text));
    return *text || mo_fclib_note(&in->h, in->document,
                                  "%s/%s was left out: it is not one text of fixed length.",
                                  info->path, name);
}

static bool read_info(reader *in)
{
    if (!mo_h5_has(&in->top, "info")) return true;
    mo_h5_group info;
    const bool good = mo_h5_enter(&in->h, &in->top, "info", &info) &&
                      read_text(in, &info, "title", &in->document->title) &&
                      read_text(in, &info, "description", &in->document->description) &&
                      read_text(in, &info, "math_info", &in->document->math_info);
    mo_h5_leave(&in->h, &info);
    return good;
}

/* ---- entry points ---------------------------------------------------------------------------- */

mo_error mo_fclib_read(const char *path, const mo_allocator *allocator, mo_document *document,
                       mo_message *why)
{
    MO_REFUSE_IF(!path || !document, why, "mo_fclib_read needs a path and a document");
    const mo_allocator own = mo_allocator_or_default(allocator);
    *document = (mo_document){.allocator = own};
    reader in = {.document = document};
    if (mo_h5_open(&in.h, path, &own, why, &in.root) && choose_kind(&in) && read_problem(&in) &&
        read_info(&in))
        mo_fclib_read_points(&in.h, &in.root, &in.sizes, document);
    mo_h5_leave(&in.h, &in.root);
    mo_h5_leave(&in.h, &in.top);
    mo_h5_close(&in.h);
    if (in.h.error) mo_document_clear(document);
    return in.h.error;
}
