/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Verification of certificates.  The checker walks the tree of cells in preorder, generates the
 * cells from the laws, and verifies each proof in interval arithmetic, independently of how it was
 * found.
 *
 * The cells of a unit cover its law, so the leaves cover all solutions.  An EMPTY leaf has no
 * solution with impulses up to its reach, a POINT leaf none but its root, and a NEAR leaf none
 * further than the closeness from a listed solution.  A reach below MO_REACH_LEAST is no proof.
 * The walk does not prove that a listed solution is one.
 */
#include "measure/certificate.h"

#include "base/error.h"
#include "measure/cell_system.h"

typedef struct walk {
    const mo_certificate *certificate;
    mo_cell_system *system;
    mo_interval *r, *u;
    size_t next;
    double reach, closeness;
} walk;

static void keep_reach(walk *w, double reach)
{
    w->reach = reach < w->reach ? reach : w->reach;
}

/* Listed solution `which`, row k, in natural units (powers of two: nothing is rounded). */
static double listed(const walk *w, int which, int k)
{
    const int n = w->system->enclosure->n;
    return w->certificate->u[(size_t)which * n + k] / w->system->enclosure->unit_u[k];
}

static int is_listed(const walk *w, int which)
{
    return which >= 0 && which < w->certificate->solution_count;
}

static const double *values_of(const walk *w, const mo_proof_node *node, size_t count)
{
    const size_t have = w->certificate->value_count;
    return node->values <= have && count <= have - node->values
               ? w->certificate->values + node->values
               : NULL;
}

static int check_empty(walk *w, const mo_proof_node *node)
{
    mo_cell_system_write(w->system);
    const double *y = values_of(w, node, (size_t)w->system->row_count);
    const double reach = y ? mo_cell_system_reach(w->system, y) : 0;
    keep_reach(w, reach);
    return reach >= MO_REACH_LEAST;
}

static int check_point(walk *w, const mo_proof_node *node)
{
    const int n = w->system->enclosure->n;
    mo_cell_system_write(w->system);
    const mo_root_place place = mo_cell_system_root(w->system, w->r, w->u);
    if (node->solution == -1) return place == MO_ROOT_OUTSIDE;
    int near = place != MO_ROOT_UNKNOWN && is_listed(w, node->solution);
    for (int k = 0; k < n && near; ++k) {
        const mo_interval far =
            mo_interval_add(w->u[k], mo_interval_exact(-listed(w, node->solution, k)));
        near = mo_interval_size(far) <= MO_CLOSENESS_OF_ROOT;
        w->closeness = near ? fmax(w->closeness, mo_interval_size(far)) : w->closeness;
    }
    return near;
}

static int check_near(walk *w, const mo_proof_node *node)
{
    const int n = w->system->enclosure->n;
    int good = is_listed(w, node->solution);
    mo_cell_system_write(w->system);
    const size_t rows = (size_t)w->system->row_count + 1;
    const double *y = values_of(w, node, 2 * (size_t)n * rows);
    good = good && y;
    for (int k = 0; k < 2 * n && good; ++k, y += rows) {
        mo_cell_system_write(w->system);
        mo_cell_system_add_far(w->system, k / 2, k % 2 ? -1 : 1, listed(w, node->solution, k / 2),
                               MO_CLOSENESS);
        const double reach = mo_cell_system_reach(w->system, y);
        keep_reach(w, reach);
        good = reach >= MO_REACH_LEAST;
    }
    w->closeness = fmax(w->closeness, MO_CLOSENESS);
    return good;
}

static int check_tree(walk *w);

static int check_split(walk *w, const mo_proof_node *node)
{
    int children[MO_CELL_MOST_CELLS];
    if (node->unit < 0 || node->unit >= w->system->unit_count) return 0;
    int *cell = &w->system->cells[node->unit];
    const int parent = *cell,
              count = mo_cell_split(&w->system->units[node->unit], parent, children);
    int good = count > 0;
    for (int k = 0; k < count && good; ++k) {
        *cell = children[k];
        good = check_tree(w);
    }
    *cell = parent;
    return good;
}

/* The subtree from the next node on; its depth is bounded, as a cell splits some thirty times. */
static int check_tree(walk *w)
{
    if (w->next >= w->certificate->node_count) return 0;
    const size_t at = w->next++;
    const mo_proof_node *node = &w->certificate->nodes[at];
    int good = 0;
    switch (node->kind) {
    case MO_PROOF_SPLIT:
        return check_split(w, node);
    case MO_PROOF_EMPTY:
        good = check_empty(w, node);
        break;
    case MO_PROOF_POINT:
        good = check_point(w, node);
        break;
    case MO_PROOF_NEAR:
        good = check_near(w, node);
        break;
    }
    w->next = good ? w->next : at;
    return good;
}

static void check_in(walk *w, mo_certificate_report *report)
{
    const int holds = check_tree(w) && w->next == w->certificate->node_count;
    *report = (mo_certificate_report){holds, holds ? w->reach : 0, holds ? w->closeness : INFINITY,
                                      holds ? 0 : w->next};
}

mo_error mo_certificate_check(const mo_problem *problem, const mo_certificate *certificate,
                              mo_certificate_report *report)
{
    MO_NEED(problem && certificate && report, NULL);
    mo_enclosure enclosure;
    mo_cell_system system;
    *report = (mo_certificate_report){0};
    MO_FAIL_IF(certificate->row_count != problem->row_count, MO_ERR_ARGUMENT);
    MO_TRY(mo_enclosure_create(problem, &enclosure, NULL));
    mo_error error = mo_cell_system_create(&enclosure, &system, NULL);
    if (!error) {
        const size_t n = (size_t)enclosure.n;
        mo_interval *root = mo_memory_array(&problem->allocator, 2 * n, sizeof *root);
        if (root) {
            walk w = {certificate, &system, root, root + n, 0, INFINITY, 0};
            check_in(&w, report);
            mo_memory_free(&problem->allocator, root);
        } else {
            error = MO_ERR_MEMORY;
        }
        mo_cell_system_destroy(&system);
    }
    mo_enclosure_destroy(&enclosure);
    return error;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

#define WORD(name, word, text) word,
#define TEXT(name, word, text) text,
MO_NAMES(mo_verdict_name, mo_verdict, "unknown", MO_VERDICT_LIST(WORD))
MO_NAMES(mo_verdict_text, mo_verdict, "no verdict", MO_VERDICT_LIST(TEXT))
MO_NAMES(mo_found_mode_name, mo_found_mode, "unknown", "apart", "stick", "slide", "touch", "lower",
         "upper", "held")
