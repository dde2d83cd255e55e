/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The current cell as a polyhedron in r, of all units or of one island.
 *
 * If W has a block structure (islands), the rows of an island contain its own impulses only.  A
 * contradiction among them is one of the whole cell, with zero multipliers elsewhere, and is found
 * in a smaller system.
 */
#include <string.h>

#include "certificate/search.h"

/* ---- islands --------------------------------------------------------------------------------- */

static int touch(const mo_search *s, const mo_unit *a, const mo_unit *b)
{
    const mo_enclosure *e = s->system->enclosure;
    for (int i = a->row; i < a->row + a->dim; ++i) {
        for (int j = b->row; j < b->row + b->dim; ++j) {
            const mo_interval *to = &e->W[i * e->n + j], *from = &e->W[j * e->n + i];
            if (to->mid != 0 || to->rad != 0 || from->mid != 0 || from->rad != 0) {
                return 1;
            }
        }
    }
    return 0;
}

/* Numbers the units that can be reached from this one. */
static void spread(mo_search *s, int unit)
{
    s->island[unit] = s->island_count;
    for (int k = 0; k < s->system->unit_count; ++k) {
        if (s->island[k] < 0 && touch(s, &s->system->units[unit], &s->system->units[k])) {
            spread(s, k);
        }
    }
}

void mo_search_find_islands(mo_search *search)
{
    const mo_cell_system *system = search->system;
    search->island_count = 0;
    search->active = MO_EVERY_ISLAND;
    for (int k = 0; k < system->unit_count; ++k) {
        search->island[k] = -1;
    }
    for (int k = 0; k < system->unit_count; ++k) {
        if (search->island[k] < 0) {
            spread(search, k);
            ++search->island_count;
        }
        for (int i = 0; i < system->units[k].dim; ++i) {
            search->row_island[system->units[k].row + i] = search->island[k];
        }
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
        for (int j = 0; j < e->n && row->c[k] != 0; ++j) {
            if (is_active(s, j)) {
                a[s->column[j]] += row->c[k] * e->W[at * e->n + j].mid;
            }
        }
        *b += row->c[k] * e->q[at].mid;
    }
}

void mo_search_load(mo_search *search)
{
    mo_polyhedron *p = &search->polyhedron;
    const mo_cell_system *system = search->system;
    p->n = p->rows = 0;
    for (int j = 0; j < system->enclosure->n; ++j) {
        search->column[j] = is_active(search, j) ? p->n++ : -1;
    }
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
    for (int j = 0; j < s->system->enclosure->n; ++j) {
        s->point[j] = s->column[j] >= 0 ? p->x[s->column[j]] : 0;
    }
    for (int m = 0, at = 0; m < s->system->row_count; ++m) {
        s->multipliers[m] = is_active(s, s->system->rows[m].row) ? p->y[at++] : 0;
    }
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
        for (int j = 0; j < e->n; ++j) {
            u[i] += e->W[i * e->n + j].mid * r[j];
        }
    }
}
