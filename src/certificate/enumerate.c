/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * All solutions of a small problem, by branch and bound over the cells of measure/cells.h.
 *
 *     visit(cells):  all modes chosen?  compute the solutions of this cell
 *                    rows contradict each other, with sufficient reach?  EMPTY
 *                    otherwise visit each cell of the undecided unit with the largest violation
 *
 * Islands (search_cell.c) are decided one after the other, so that their costs add.
 *
 * A last cell has as many equations as unknowns.  Regular: the root is enclosed; it is a solution,
 * proven if off every boundary, or the cell is empty (POINT).  Singular: multipliers prove EMPTY,
 * or a point with velocity u is found.  If u_k cannot differ by more than the closeness, the cell
 * has one velocity (NEAR); otherwise it is a convex set of positive dimension.
 *
 * Circular cones use sectors: methods propose solutions, sectors are halved until EMPTY or NEAR,
 * and Newton's method searches the remaining small ones.  The certificate is checked before use.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certificate/search.h"
#include "linalg/dense.h"

/* ---- the search ------------------------------------------------------------------------------ */

/* Does the midpoint of the root satisfy every row to rounding? */
static int root_fits(mo_search *s)
{
    s->active = MO_EVERY_ISLAND;
    mo_search_load(s);
    memcpy(s->polyhedron.x, s->r, (size_t)s->system->enclosure->n * sizeof *s->r);
    return mo_polyhedron_contains(&s->polyhedron) && mo_cells_are_met(s->system, s->r);
}

static void last_cell(mo_search *s)
{
    s->active = MO_EVERY_ISLAND;
    const mo_root_place place = mo_cell_system_root(s->system, s->root_r, s->root_u);
    if (place == MO_ROOT_OUTSIDE) {
        mo_search_add_node(s, MO_PROOF_POINT, -1, -1);
        return;
    }
    if (place == MO_ROOT_UNKNOWN) {
        mo_search_singular_cell(s);
        return;
    }
    for (int k = 0; k < s->system->enclosure->n; ++k) {
        s->r[k] = s->root_r[k].mid;
        s->u[k] = s->root_u[k].mid;
    }
    if (place == MO_ROOT_INSIDE || root_fits(s)) {
        mo_search_add_node(s, MO_PROOF_POINT, -1,
                           mo_search_add_solution(s, place == MO_ROOT_INSIDE));
    } else {
        s->is_complete = 0;
    }
}

/* Distance of the point from every mode of a unit: by how much u and r violate complementarity. */
static double violation(const mo_unit *unit, const double *u, const double *r)
{
    double sum =
        unit->dim > 1 || unit->law.kind != MO_LAW_BOX ? fabs(u[unit->row] * r[unit->row]) : 0;
    for (int k = unit->row + 1; k < unit->row + unit->dim; ++k)
        sum += fabs(unit->law.mu * r[unit->row] * fabs(u[k]) + r[k] * u[k]);
    return sum;
}

/* In the active island, or the first with undecided units: the undecided unit with the largest
 * violation at the current point, or the first; -1 if all are decided. */
static int undecided(mo_search *s, int has_point, int *children, int *count)
{
    int best = -1;
    double most = -1;
    if (has_point) mo_search_velocity(s, s->point, s->other);
    for (int k = 0; k < s->system->unit_count; ++k) {
        const mo_unit *unit = &s->system->units[k];
        const int cell = s->system->cells[k];
        if (mo_cell_is_sector(unit, cell) || mo_cell_split(unit, cell, children) == 0 ||
            (s->active != MO_EVERY_ISLAND && s->island[k] != s->active))
            continue;
        const double wrong = has_point ? violation(unit, s->other, s->point) : 0;
        if (wrong > most) {
            most = wrong;
            best = k;
        }
    }
    *count =
        best < 0 ? 0 : mo_cell_split(&s->system->units[best], s->system->cells[best], children);
    return best;
}

void mo_search_add_empty(mo_search *s)
{
    mo_search_add_node(s, MO_PROOF_EMPTY, -1, -1);
    mo_search_add_values(s, s->system->row_count, s->multipliers);
}

/* The island of the first undecided unit; MO_EVERY_ISLAND if all are decided. */
static int next_island(mo_search *s)
{
    int children[MO_CELL_MOST_CELLS], count;
    s->active = MO_EVERY_ISLAND;
    for (int k = 0; k < s->island_count; ++k) {
        s->active = k;
        if (undecided(s, 0, children, &count) >= 0) return k;
    }
    return s->active = MO_EVERY_ISLAND;
}

void mo_search_split(mo_search *s, int unit, const int *children, int count,
                     void (*visit)(mo_search *))
{
    const int island = s->island[unit], parent = s->system->cells[unit];
    mo_search_add_node(s, MO_PROOF_SPLIT, unit, -1);
    for (int k = 0; k < count; ++k) {
        s->system->cells[unit] = children[k];
        s->last_island = island;
        visit(s);
    }
    s->system->cells[unit] = parent;
}

void mo_search_visit(mo_search *s)
{
    int children[MO_CELL_MOST_CELLS], count = 0;
    if (s->error || s->set->systems >= s->most_systems) {
        s->is_complete = 0;
        return;
    }
    ++s->set->systems;
    mo_cell_system_write(s->system);
    const int last = s->last_island;
    if (next_island(s) == MO_EVERY_ISLAND) {
        last_cell(s);
        return;
    }
    const int next = s->active;
    s->active = last; /* may have become empty by the last decision */
    if (mo_search_is_empty(s, MO_REACH_INNER)) {
        mo_search_add_empty(s);
        return;
    }
    s->active = next;
    const int has_point = s->polyhedron.has_point && next == last;
    const int unit = undecided(s, has_point, children, &count);
    mo_search_split(s, unit, children, count, mo_search_visit);
}

/* ---- one island ------------------------------------------------------------------------------ */

/* Is the active island empty in every combination of its modes?  The first that is not ends it. */
static void visit_island(mo_search *s)
{
    int children[MO_CELL_MOST_CELLS], count = 0;
    s->is_complete = s->is_complete && !s->error && s->set->systems < s->most_systems;
    if (!s->is_complete) return;
    ++s->set->systems;
    mo_cell_system_write(s->system);
    const int decided = undecided(s, 0, children, &count) < 0;
    if (mo_search_is_empty(s, decided ? MO_REACH_LEAST : MO_REACH_INNER)) {
        mo_search_add_empty(s);
        return;
    }
    const int unit = undecided(s, s->polyhedron.has_point, children, &count);
    if (unit < 0) {
        s->is_complete = 0;
        return;
    }
    mo_search_split(s, unit, children, count, visit_island);
}

/* If an island has no solution, neither has the problem. */
static int some_island_is_empty(mo_search *s)
{
    const long long all = s->most_systems;
    mo_certificate *c = &s->set->certificate;
    for (long long each = 32; s->island_count > 1 && 2 * each * s->island_count <= all; each *= 4) {
        for (int k = 0; k < s->island_count && !s->error; ++k) {
            s->active = k;
            s->is_complete = 1;
            s->most_systems = s->set->systems + each;
            visit_island(s);
            s->most_systems = all;
            if (s->is_complete && !s->error) return 1;
            c->node_count = c->value_count = 0;
        }
    }
    s->is_complete = 1;
    s->active = MO_EVERY_ISLAND;
    return 0;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static int is_several(const mo_solution_set *set)
{
    int several = set->count > 1;
    for (int k = 0; k < set->count && !several; ++k)
        several = set->solutions[k].dimension > 0;
    return several;
}

static void drop_certificate(mo_solution_set *set)
{
    set->certificate.node_count = set->certificate.value_count = 0;
    set->checked = (mo_certificate_report){0};
}

/* Solutions that no cell could prove (a contact that slides in space): by interval Newton. */
static void prove_listed(mo_search *s)
{
    const mo_enclosure *e = s->system->enclosure;
    double least = INFINITY;
    for (int k = 0; k < e->n; ++k)
        least = fmin(least, e->unit_u[k]);
    for (int k = 0; k < s->set->count && !s->error; ++k) {
        mo_found_solution *found = &s->set->solutions[k];
        mo_error_bound bound;
        if (!found->is_proven && found->dimension == 0) {
            s->error = mo_bound_error(e->problem, NULL, found->r, &bound);
            found->is_proven =
                !s->error && bound.is_proven && bound.u <= 0.5 * MO_CLOSENESS * least;
        }
    }
}

static void judge(mo_search *s)
{
    mo_solution_set *set = s->set;
    const mo_problem *problem = s->system->enclosure->problem;
    if (s->is_complete) s->error = mo_certificate_check(problem, &set->certificate, &set->checked);
    const int proven = s->is_complete && set->checked.holds;
    if (!proven) drop_certificate(set);
    if (is_several(set)) {
        set->verdict = MO_VERDICT_SEVERAL;
        mo_say(&set->message, "%s",
               proven ? "the list of solutions is proven complete"
                      : "at least these; the list is not proven complete");
    } else if (set->count == 1) {
        set->verdict = proven ? MO_VERDICT_UNIQUE : MO_VERDICT_EXISTS;
        mo_say(&set->message, "%s",
               proven ? "all other velocities are excluded" : "other velocities are not excluded");
    } else {
        set->verdict = proven ? MO_VERDICT_NONE : MO_VERDICT_UNKNOWN;
        mo_say(&set->message, "%s",
               proven ? "every combination of contact modes is infeasible"
                      : "not every combination of modes could be excluded");
    }
}

static void lay_out(mo_search *s, int n, int rows, mo_arena *arena)
{
    MO_TAKE_EACH(arena, n, mo_interval, &s->root_r, &s->root_u);
    MO_TAKE_EACH(arena, n, double, &s->u, &s->r, &s->other, &s->point);
    s->span = MO_TAKE(arena, (size_t)n * n, double);
    s->newton = MO_TAKE(arena, (size_t)n * (n + 2), double);
    s->multipliers = MO_TAKE(arena, rows, double);
    MO_TAKE_EACH(arena, n, int, &s->column, &s->row_island, &s->island);
    mo_polyhedron_layout(n, rows, arena, &s->polyhedron);
}

/* The most rows that the cells of all units can have together, and one. */
static int most_rows(mo_cell_system *system)
{
    mo_cell_row rows[MO_CELL_MOST_ROWS];
    int children[MO_CELL_MOST_CELLS], total = 1;
    for (int k = 0; k < system->unit_count; ++k) {
        const mo_unit *unit = &system->units[k];
        int most = mo_cell_rows(unit, MO_CELL_ANY, 1, rows);
        for (int c = mo_cell_finals(unit, children) - 1; c >= 0; --c) {
            const int count = mo_cell_rows(unit, children[c], 1, rows);
            most = count > most ? count : most;
        }
        total += most;
    }
    return total;
}

static int has_relaxed_cells(const mo_cell_system *system)
{
    int relaxed = 0;
    for (int k = 0; k < system->unit_count && !relaxed; ++k) {
        relaxed = !mo_cell_is_exact(&system->units[k], 1) &&
                  mo_cell_split(&system->units[k], MO_CELL_ANY, (int[MO_CELL_MOST_CELLS]){0}) > 0;
    }
    return relaxed;
}

/* Solutions from methods where cells do not compute them, then all cells. */
static void find_all(mo_search *s)
{
    if (!s->is_exact && !s->error) mo_search_seed(s);
    mo_search_visit(s);
}

static mo_error search_in(mo_cell_system *system, long long most_systems, mo_solution_set *set)
{
    const mo_allocator *allocator = &set->allocator;
    const int n = system->enclosure->n, rows = most_rows(system);
    mo_search s = {.system = system, .set = set, .most_systems = most_systems, .is_complete = 1};
    mo_arena arena = {0};
    lay_out(&s, n, rows, &arena);
    void *memory = mo_arena_allocate(&arena, allocator);
    MO_NEED_MEMORY(memory, NULL);
    lay_out(&s, n, rows, &arena);
    s.is_exact = !has_relaxed_cells(system);
    mo_search_find_islands(&s);
    if (!some_island_is_empty(&s)) find_all(&s);
    if (!s.error) prove_listed(&s);
    if (!s.error) judge(&s);
    mo_memory_free(allocator, memory);
    return s.error;
}

/* About ten seconds for any size: 20,000 cells up to 40 rows, 250 at 96, 20 at 160. */
static long long default_systems(int rows)
{
    const double fewer = rows > 40 ? pow(40.0 / rows, 5) : 1;
    return (long long)fmax(20, floor(20000 * fewer));
}

mo_error mo_find_all_solutions(const mo_problem *problem, long long most_systems,
                               mo_solution_set *set)
{
    MO_NEED(problem && set, NULL);
    mo_enclosure enclosure;
    mo_cell_system system;
    *set = (mo_solution_set){.verdict = MO_VERDICT_UNKNOWN, .allocator = problem->allocator};
    set->certificate.row_count = problem->row_count;
    mo_error error = mo_enclosure_create(problem, &enclosure, &set->message);
    if (error)
        return error == MO_ERR_UNSUPPORTED ? MO_OK : error; /* the message contains the reason */
    error = mo_cell_system_create(&enclosure, &system, &set->message);
    if (!error) {
        error = search_in(
            &system, most_systems > 0 ? most_systems : default_systems(problem->row_count), set);
        mo_cell_system_destroy(&system);
    }
    mo_enclosure_destroy(&enclosure);
    return error == MO_ERR_UNSUPPORTED ? MO_OK : error;
}
