/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The current cell as a polyhedron in r, of all units or of one island.
 *
 * If W has a block structure (islands), the rows of an island contain its own impulses only.  A
 * contradiction among them is one of the whole cell, with zero multipliers elsewhere, and is found
 * in a smaller system.
 */
#include <math.h>
#include <string.h>

#include "certificate/search.h"
#include "linalg/dense.h"

/* ---- islands --------------------------------------------------------------------------------- */

static int touch(const mo_search *s, const mo_unit *a, const mo_unit *b)
{
    const mo_enclosure *e = s->system->enclosure;
    for (int i = a->row; i < a->row + a->dim; ++i) {
        for (int j = b->row; j < b->row + b->dim; ++j) {
            const mo_interval *to = &e->W[i * e->n + j], *from = &e->W[j * e->n + i];
            if (to->mid != 0 || to->rad != 0 || from->mid != 0 || from->rad != 0) return 1;
        }
    }
    return 0;
}

/* Numbers the units that can be reached from this one. */
static void spread(mo_search *s, int unit)
{
    s->island[unit] = s->island_count;
    for (int k = 0; k < s->system->unit_count; ++k)
        if (s->island[k] < 0 && touch(s, &s->system->units[unit], &s->system->units[k]))
            spread(s, k);
}

void mo_search_find_islands(mo_search *search)
{
    const mo_cell_system *system = search->system;
    search->island_count = 0;
    search->active = MO_EVERY_ISLAND;
    for (int k = 0; k < system->unit_count; ++k)
        search->island[k] = -1;
    for (int k = 0; k < system->unit_count; ++k) {
        if (search->island[k] < 0) {
            spread(search, k);
            ++search->island_count;
        }
        for (int i = 0; i < system->units[k].dim; ++i)
            search->row_island[system->units[k].row + i] = search->island[k];
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int is_active(const mo_search *s, int row)
{
    return s->active == MO_EVERY_ISLAND || s->row_island[row] == s->active;
}

/* A row of the system as a r + b, from the middles of the enclosure; r of the active island. */
static void load_row(const mo_search *s, const mo_cell_row *row, double *a, double *b)
{
    const mo_enclosure *e = s->system->enclosure;
    memset(a, 0, (size_t)s->polyhedron.n * sizeof *a);
    *b = -row->constant;
    for (int k = 0; k < row->dim; ++k) {
        const int at = row->row + k;
        if (!row->on_u) {
            a[s->column[at]] = row->c[k];
            continue;
        }
        for (int j = 0; j < e->n && row->c[k] != 0; ++j)
            if (is_active(s, j)) a[s->column[j]] += row->c[k] * e->W[at * e->n + j].mid;
        *b += row->c[k] * e->q[at].mid;
    }
}

void mo_search_load(mo_search *search)
{
    mo_polyhedron *p = &search->polyhedron;
    const mo_cell_system *system = search->system;
    p->n = p->rows = 0;
    for (int j = 0; j < system->enclosure->n; ++j)
        search->column[j] = is_active(search, j) ? p->n++ : -1;
    for (int m = 0; m < system->row_count; ++m) {
        if (is_active(search, system->rows[m].row)) {
            load_row(search, &system->rows[m], p->a + (size_t)p->rows * p->n, &p->b[p->rows]);
            p->is_equation[p->rows++] = system->rows[m].is_equation;
        }
    }
}

/* Extends the result of an island to all units: zero elsewhere. */
static void expand(mo_search *s)
{
    const mo_polyhedron *p = &s->polyhedron;
    for (int j = 0; j < s->system->enclosure->n; ++j)
        s->point[j] = s->column[j] >= 0 ? p->x[s->column[j]] : 0;
    for (int m = 0, at = 0; m < s->system->row_count; ++m)
        s->multipliers[m] = is_active(s, s->system->rows[m].row) ? p->y[at++] : 0;
}

int mo_search_is_empty(mo_search *search, double reach)
{
    mo_search_load(search);
    mo_polyhedron_decide(&search->polyhedron);
    expand(search);
    return search->polyhedron.has_proof &&
           mo_cell_system_reach(search->system, search->multipliers) >= reach;
}

void mo_search_velocity(const mo_search *search, const double *r, double *u)
{
    const mo_enclosure *e = search->system->enclosure;
    for (int i = 0; i < e->n; ++i) {
        u[i] = e->q[i].mid;
        for (int j = 0; j < e->n; ++j)
            u[i] += e->W[i * e->n + j].mid * r[j];
    }
}

/* ---- singular cells and sectors -------------------------------------------------------------- */

/* Is the difference of the velocities a new direction?  Then it joins the span. */
static int joins_span(mo_search *s, int *count)
{
    const int n = s->system->enclosure->n;
    double *next = s->span + (size_t)*count * n;
    if (*count >= n) return 0;
    mo_along(n, s->other, -1, s->u, next);
    const double before = sqrt(mo_dot(n, next, next));
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < *count; ++j)
            mo_axpy(n, -mo_dot(n, s->span + (size_t)j * n, next), s->span + (size_t)j * n, next);
    const double after = sqrt(mo_dot(n, next, next));
    if (!(after > 1e-7 * before)) return 0;
    for (int k = 0; k < n; ++k)
        next[k] /= after;
    ++*count;
    return 1;
}

static void keep_other(mo_search *s, int solution, int dimension)
{
    const mo_enclosure *e = s->system->enclosure;
    mo_found_solution *found = &s->set->solutions[solution];
    found->dimension = dimension > found->dimension ? dimension : found->dimension;
    if (!found->other_u) {
        found->other_u = mo_memory_array(&s->set->allocator, 2 * (size_t)e->n, sizeof(double));
        found->other_r = found->other_u ? found->other_u + e->n : NULL;
        s->error = found->other_u ? s->error : MO_ERR_MEMORY;
        for (int k = 0; found->other_u && k < e->n; ++k) {
            const double c = e->problem->compliance ? e->problem->compliance[k] : 0;
            found->other_r[k] = s->point[k] * e->unit_r[k];
            found->other_u[k] = s->other[k] * e->unit_u[k] - c * found->other_r[k];
        }
    }
}

/* Tests row by row whether the cell contains a velocity far from the solution, or proves that it
 * does not.  In an exact cell a distant velocity is a solution too. */
static int surround(mo_search *s, int solution, int is_exact)
{
    const int n = s->system->enclosure->n;
    int dimension = 0, proven = 1;
    mo_search_add_node(s, MO_PROOF_NEAR, -1, solution);
    for (int k = 0; k < 2 * n && !s->error; ++k) {
        mo_cell_system_write(s->system);
        mo_cell_system_add_far(s->system, k / 2, k % 2 ? -1 : 1,
                               mo_search_listed(s, solution, k / 2), MO_CLOSENESS);
        if (mo_search_is_empty(s, MO_REACH_LEAST)) {
            mo_search_add_values(s, s->system->row_count, s->multipliers);
            continue;
        }
        proven = 0;
        if (!is_exact) break;
        if (s->polyhedron.has_point) {
            mo_search_velocity(s, s->point, s->other);
            if (joins_span(s, &dimension)) keep_other(s, solution, dimension);
        }
    }
    return proven;
}

/* ---- sectors --------------------------------------------------------------------------------- */

/* The widest sector among the cells; -1 if there is none that can be halved. */
static int widest_sector(const mo_search *s)
{
    int widest = -1, children[MO_CELL_MOST_CELLS];
    for (int k = 0; k < s->system->unit_count; ++k) {
        const int cell = s->system->cells[k];
        if (cell >= MO_CELL_FIRST_SECTOR && mo_cell_is_sector(&s->system->units[k], cell) &&
            mo_cell_split(&s->system->units[k], cell, children) > 0 &&
            (widest < 0 || cell < s->system->cells[widest]))
            widest = k;
    }
    return widest;
}

/* Adds a node that the whole cell is near a listed solution; removed if that cannot be proven. */
static int is_near_listed(mo_search *s)
{
    mo_certificate *c = &s->set->certificate;
    const size_t nodes = c->node_count, values = c->value_count;
    const int solution = mo_search_find(s, 10 * MO_CLOSENESS);
    int proven = 0;
    if (solution >= 0) {
        proven = surround(s, solution, 0);
        c->node_count = proven ? c->node_count : nodes;
        c->value_count = proven ? c->value_count : values;
    }
    return proven;
}

/* A cell with sectors that contains the point (u, r): near a listed solution, or halved. */
static void sector_cell(mo_search *s)
{
    int children[MO_CELL_MOST_CELLS];
    if (is_near_listed(s) || s->error) return;
    const int unit = widest_sector(s);
    if (unit < 0 || s->system->cells[unit] > MO_SMALLEST_SECTOR) {
        s->is_complete = 0;
        return;
    }
    const int cell = s->system->cells[unit];
    const int count = mo_cell_split(&s->system->units[unit], cell, children);
    if (cell > MO_SMALL_SECTOR) /* not near any: possibly an unlisted solution */
        mo_search_refine(s);
    mo_search_split(s, unit, children, count, mo_search_visit);
}

void mo_search_singular_cell(mo_search *s)
{
    const size_t n = (size_t)s->system->enclosure->n;
    if (mo_search_is_empty(s, MO_REACH_LEAST)) {
        mo_search_add_empty(s);
        return;
    }
    if (!s->polyhedron.has_point) {
        s->is_complete = 0;
        return;
    }
    memcpy(s->r, s->point, n * sizeof *s->r);
    mo_search_velocity(s, s->r, s->u);
    if (widest_sector(s) >= 0) {
        sector_cell(s);
    } else if (mo_cells_are_met(s->system, s->r)) {
        const int solution = mo_search_add_solution(s, 0);
        const int proven = !s->error && surround(s, solution, s->is_exact);
        s->is_complete = s->is_complete && proven;
    } else {
        s->is_complete = 0;
    }
}
