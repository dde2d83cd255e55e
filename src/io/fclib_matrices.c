/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The matrices of an FCLIB file: compressed columns without zeros, contacts and joints apart, each
 * in the order of the problem.
 */
#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "io/fclib_writer.h"

static bool fail_entries(mo_fclib_writer *out, const mo_entries *entries)
{
    return entries->count == INT_MAX
               ? mo_h5_fail(&out->h, MO_ERR_UNSUPPORTED, "an FCLIB matrix holds at most %d entries",
                            INT_MAX)
               : mo_h5_no_memory(&out->h);
}

/* The facts stored with a matrix, as libfclib writes them: beside its numbers. */
static bool write_facts(mo_fclib_writer *out, char matrix)
{
    mo_h5 *h = &out->h;
    for (int k = 0; k < MO_DOCUMENT_MATRICES; ++k) {
        const mo_matrix_facts *facts = &out->document->facts[k];
        if (facts->matrix != matrix) {
            continue;
        }
        mo_h5_write_text(h, "comment", facts->comment ? facts->comment : "");
        mo_h5_write_doubles(h, "conditioning", 1, &facts->conditioning);
        mo_h5_write_doubles(h, "determinant", 1, &facts->determinant);
        mo_h5_write_int(h, "rank", facts->rank);
    }
    return !h->error;
}

static bool write_matrix(mo_fclib_writer *out, const char *name, const mo_sparse *m)
{
    mo_h5 *h = &out->h;
    const size_t count = (size_t)mo_sparse_count(m);
    mo_fclib_make_group(out, name);
    mo_h5_write_int(h, "m", m->rows);
    mo_h5_write_int(h, "n", m->columns);
    mo_h5_write_int(h, "nz", -1);
    mo_h5_write_int(h, "nzmax", (int)count);
    mo_h5_write_ints(h, "p", (size_t)m->columns + 1, m->start);
    mo_h5_write_ints(h, "i", count, m->row);
    return mo_h5_write_doubles(h, "x", count, m->value) && write_facts(out, name[0]);
}

/* Sorts the entries, writes them, and drops them. */
static bool write_entries(mo_fclib_writer *out, const char *name, int rows, int columns,
                          mo_entries *entries)
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
static bool add_block(mo_fclib_writer *out, mo_entries *entries, const double *block, int d, int n,
                      int row, int column, bool transposed)
{
    for (int k = 0; k < d; ++k) {
        for (int a = 0; a < n; ++a) {
            MO_FAIL_IF(!mo_entries_add(out->h.allocator, entries, row + (transposed ? a : k),
                                       column + (transposed ? k : a),
                                       block[(size_t)k * (size_t)n + (size_t)a]),
                       fail_entries(out, entries));
        }
    }
    return true;
}

/* Readers interpret an M with entries on one side of the diagonal as half of a symmetric matrix. */
static bool check_sides(mo_fclib_writer *out, const mo_entries *M)
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

static bool write_mass(mo_fclib_writer *out)
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
static bool write_jacobians(mo_fclib_writer *out, const char *name, bool joints)
{
    const mo_problem *p = out->problem;
    mo_entries entries = {0};
    bool good = true;
    for (int c = 0; good && c < p->constraint_count; ++c) {
        if (mo_fclib_is_joint(out, c) != joints) {
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
static bool collect_couplings(mo_fclib_writer *out, bool row_joints, bool column_joints,
                              bool transposed, mo_entries *entries)
{
    const mo_problem *p = out->problem;
    for (int c = 0; c < p->constraint_count; ++c) {
        const int d = mo_constraint_dim(p, c);
        const double *W = blocks_of(p, c);
        for (int k = p->block_start[c]; k < p->block_start[c + 1]; ++k) {
            const int other = p->block_index[k], n = mo_constraint_dim(p, other);
            const int row = out->column[c], column = out->column[other];
            if (mo_fclib_is_joint(out, c) == row_joints &&
                mo_fclib_is_joint(out, other) == column_joints &&
                !add_block(out, entries, W, d, n, transposed ? column : row,
                           transposed ? row : column, transposed)) {
                return false;
            }
            W += (size_t)d * (size_t)n;
        }
    }
    return true;
}

static bool write_couplings(mo_fclib_writer *out, const char *name, bool row_joints,
                            bool column_joints)
{
    mo_entries entries = {0};
    if (!collect_couplings(out, row_joints, column_joints, false, &entries)) {
        mo_entries_clear(out->h.allocator, &entries);
        return false;
    }
    return write_entries(out, name, row_joints ? out->sizes.joints : out->sizes.rows,
                         column_joints ? out->sizes.joints : out->sizes.rows, &entries);
}

/* V also defines its transpose in [W V; V' R]; the problem must agree to rounding. */
static bool check_transposes(mo_fclib_writer *out)
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

bool mo_fclib_write_matrices(mo_fclib_writer *out)
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
