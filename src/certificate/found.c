/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certificate/search.h"
#include "linalg/dense.h"
#include "moreau/solve.h"

static const mo_allocator *allocator_of(const mo_search *search)
{
    return &search->set->allocator;
}

void mo_search_add_node(mo_search *search, mo_proof_kind kind, int unit, int solution)
{
    mo_certificate *c = &search->set->certificate;
    if (!search->error &&
        !MO_GROW(allocator_of(search), c->nodes, search->node_room, c->node_count + 1))
        search->error = MO_ERR_MEMORY;
    if (!search->error)
        c->nodes[c->node_count++] = (mo_proof_node){kind, unit, solution, c->value_count};
}

void mo_search_add_values(mo_search *search, int count, const double *y)
{
    mo_certificate *c = &search->set->certificate;
    if (!search->error && !MO_GROW(allocator_of(search), c->values, search->value_room,
                                   c->value_count + (size_t)count))
        search->error = MO_ERR_MEMORY;
    if (!search->error && count > 0) {
        memcpy(c->values + c->value_count, y, (size_t)count * sizeof *y);
        c->value_count += (size_t)count;
    }
}

double mo_search_listed(const mo_search *search, int solution, int k)
{
    const mo_enclosure *e = search->system->enclosure;
    return search->set->certificate.u[(size_t)solution * e->n + k] / e->unit_u[k];
}

int mo_search_find(const mo_search *search, double distance)
{
    for (int s = 0; s < search->set->count; ++s) {
        int near = 1;
        for (int k = 0; k < search->system->enclosure->n && near; ++k)
            near = fabs(search->u[k] - mo_search_listed(search, s, k)) <= distance;
        if (near) return s;
    }
    return -1;
}

/* Writes r, u, v and modes of the current solution, in the units of the problem. */
static void write_solution(mo_search *search, mo_found_solution *found, int is_proven)
{
    const mo_enclosure *e = search->system->enclosure;
    const mo_problem *problem = e->problem;
    for (int k = 0; k < e->n; ++k) {
        found->r[k] = search->r[k] * e->unit_r[k];
        found->u[k] = search->u[k] * e->unit_u[k] -
                      (problem->compliance ? problem->compliance[k] * found->r[k] : 0);
    }
    if (found->v) mo_problem_velocity(problem, found->r, found->v);
    for (int k = 0; k < search->system->unit_count; ++k) {
        const mo_unit *unit = &search->system->units[k];
        for (int row = unit->row; row < unit->row + unit->dim; ++row)
            found->modes[row] = mo_cell_mode(unit, search->system->cells[k]);
    }
    found->is_proven = is_proven;
}

mo_found_solution *mo_solution_set_append(mo_solution_set *set, const mo_problem *problem,
                                          size_t *room)
{
    const size_t n = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
    MO_FAIL_IF(!MO_GROW(&set->allocator, set->solutions, *room, (size_t)set->count + 1), NULL);
    mo_found_solution *found = &set->solutions[set->count];
    *found = (mo_found_solution){0};
    found->r = mo_memory_array(&set->allocator, 2 * n + dofs, sizeof(double));
    found->modes = mo_memory_array(&set->allocator, n, sizeof *found->modes);
    ++set->count; /* from now on owned by the set */
    if (!found->r || !found->modes) return NULL;
    found->u = found->r + n;
    found->v = problem->form == MO_FORM_GLOBAL ? found->u + n : NULL;
    return found;
}

/* A new entry of the list and of the certificate, or NULL. */
static mo_found_solution *append_solution(mo_search *search)
{
    const mo_enclosure *e = search->system->enclosure;
    const size_t n = (size_t)e->n;
    mo_solution_set *set = search->set;
    mo_certificate *c = &set->certificate;
    mo_found_solution *found = mo_solution_set_append(set, e->problem, &search->solution_room);
    MO_FAIL_IF(!found ||
                   !MO_GROW(&set->allocator, c->u, search->u_room, (size_t)set->count * n + 1),
               NULL);
    for (int k = 0; k < e->n; ++k)
        c->u[(size_t)c->solution_count * n + k] = search->u[k] * e->unit_u[k];
    ++c->solution_count;
    return found;
}

int mo_search_add_solution(mo_search *search, int is_proven)
{
    const int near = mo_search_find(search, 0.5 * MO_CLOSENESS);
    if (near >= 0) {
        if (is_proven && !search->set->solutions[near].is_proven)
            write_solution(search, &search->set->solutions[near], 1);
        return near;
    }
    mo_found_solution *found = search->error ? NULL : append_solution(search);
    if (!found) {
        search->error = MO_ERR_MEMORY;
        return -1;
    }
    write_solution(search, found, is_proven);
    return search->set->count - 1;
}

void mo_solution_set_clear(mo_solution_set *set)
{
    MO_NEED_OR(, set, NULL);
    for (int s = 0; s < set->count; ++s) {
        MO_FREE(&set->allocator, set->solutions[s].r, set->solutions[s].modes,
                set->solutions[s].other_u);
    }
    MO_FREE(&set->allocator, set->solutions, set->certificate.nodes, set->certificate.values,
            set->certificate.u);
    *set = (mo_solution_set){.verdict = MO_VERDICT_UNKNOWN};
}

/* ---- proposed solutions ---------------------------------------------------------------------- */

/* r = 0, or r at the friction limit with u_T not zero, or neither. */
static mo_found_mode mode_of(const mo_constraint_view *view, const double *u, const double *r)
{
    double force = 0, slip = 0;
    for (int k = 1; k < view->dim; ++k) {
        force = hypot(force, r[k]);
        slip = hypot(slip, u[k]);
    }
    if (view->law.kind == MO_LAW_BILATERAL) return MO_FOUND_STICK;
    if (r[0] <= 0) return MO_FOUND_APART;
    if (view->dim == 1 || view->law.mu == 0) return MO_FOUND_TOUCH;
    return slip > 0 && force >= view->law.mu * r[0] * (1 - 1e-9) ? MO_FOUND_SLIDE : MO_FOUND_STICK;
}

void mo_classify_modes(const mo_problem *problem, mo_found_solution *found)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        const double *r = found->r + view.offset, *u = found->u + view.offset;
        for (int k = 0; k < view.dim; ++k) {
            mo_found_mode *mode = &found->modes[view.offset + k];
            if (view.law.kind == MO_LAW_BOX) {
                *mode = r[k] <= view.law.lower[k]   ? MO_FOUND_LOWER
                        : r[k] >= view.law.upper[k] ? MO_FOUND_UPPER
                                                    : MO_FOUND_HELD;
            } else {
                *mode = mode_of(&view, u, r);
            }
        }
    }
}

/* Adds the solution in search->r and search->u if the measure accepts it. */
static void list_accepted(mo_search *search)
{
    const mo_enclosure *e = search->system->enclosure;
    double r[MO_ENCLOSURE_MOST_ROWS], scaled = INFINITY;
    for (int k = 0; k < e->n; ++k)
        r[k] = search->r[k] * e->unit_r[k];
    const mo_error error = mo_measure_scaled(e->problem, r, &scaled);
    if (error == MO_ERR_MEMORY) search->error = error;
    if (error || !(scaled <= 1e-9)) return;
    const int solution = mo_search_add_solution(search, 0);
    if (solution >= 0 && !search->set->solutions[solution].is_proven)
        mo_classify_modes(e->problem, &search->set->solutions[solution]);
}

static void list_result(mo_search *search, const mo_result *result)
{
    const mo_enclosure *e = search->system->enclosure;
    const double *compliance = e->problem->compliance;
    for (int k = 0; k < e->n; ++k) {
        search->r[k] = result->r[k] / e->unit_r[k];
        search->u[k] =
            (result->u[k] + (compliance ? compliance[k] * result->r[k] : 0)) / e->unit_u[k];
    }
    list_accepted(search);
}

void mo_search_seed(mo_search *search)
{
    static const char *const methods[] = {"auto", "nsgs", "newton"};
    for (int k = 0; k < 3 && !search->error; ++k) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = methods[k];
        options.tol = 1e-11;
        options.max_iter = 500;
        const mo_error error = mo_solve(search->system->enclosure->problem, &options, &result);
        if (!error)
            list_result(search, &result);
        else if (error == MO_ERR_MEMORY)
            search->error = error;
        mo_result_clear(&result);
    }
}

/* ---- Newton in a cell ------------------------------------------------------------------------ */

/* A row of the equations and its derivative in r: value + a.u + b.r. */
typedef struct newton_row {
    double value, a[3], b[3];
} newton_row;

/* u_N = 0, |u_T| r_k + mu r_N u_k = 0: friction at its limit against u_T [acary2011, eq. 2.2]. */
static newton_row sliding_row(const mo_unit *unit, int k, const double *u, const double *r)
{
    const double mu = unit->law.mu, speed = hypot(u[1], u[2]);
    newton_row row = {0};
    if (k == 0) {
        row.value = u[0];
        row.a[0] = 1;
        return row;
    }
    row.value = speed * r[k] + mu * r[0] * u[k];
    for (int j = 1; j < 3; ++j)
        row.a[j] = (speed > 0 ? r[k] * u[j] / speed : 0) + (j == k ? mu * r[0] : 0);
    row.b[0] = mu * u[k];
    row.b[k] = speed;
    return row;
}

/* E dr = -F; the rows that are linear are those of the cells. */
static int newton_system(const mo_search *s, const double *u, double *E, double *F)
{
    const mo_enclosure *e = s->system->enclosure;
    const int n = e->n;
    int count = 0;
    memset(E, 0, (size_t)n * n * sizeof *E);
    for (int k = 0; k < s->system->unit_count; ++k) {
        const mo_unit *unit = &s->system->units[k];
        mo_cell_row rows[MO_CELL_MOST_ROWS];
        const int sector = mo_cell_is_sector(unit, s->system->cells[k]);
        const int lines =
            sector ? 3 : mo_cell_rows(unit, s->system->cells[k], e->unit_r[unit->row], rows);
        for (int m = 0; m < lines && count < n; ++m) {
            newton_row row = {0};
            if (sector) {
                row = sliding_row(unit, m, u + unit->row, s->r + unit->row);
            } else if (rows[m].is_equation) {
                const double *x = (rows[m].on_u ? u : s->r) + unit->row;
                row.value = -rows[m].constant;
                for (int j = 0; j < unit->dim; ++j) {
                    row.value += rows[m].c[j] * x[j];
                    (rows[m].on_u ? row.a : row.b)[j] = rows[m].c[j];
                }
            } else {
                continue;
            }
            F[count] = -row.value;
            for (int j = 0; j < unit->dim; ++j) {
                E[count * n + unit->row + j] += row.b[j];
                for (int i = 0; i < n && row.a[j] != 0; ++i)
                    E[count * n + i] += row.a[j] * e->W[(unit->row + j) * n + i].mid;
            }
            ++count;
        }
    }
    return count;
}

void mo_search_refine(mo_search *search)
{
    enum { STEPS = 12 };
    const int n = search->system->enclosure->n;
    double *E = search->newton, *F = E + (size_t)n * n, *dr = F + n;
    for (int step = 0; step < STEPS; ++step) {
        mo_search_velocity(search, search->r, search->u);
        if (newton_system(search, search->u, E, F) != n || mo_solve_small(n, E, F, dr) < n) return;
        mo_axpy(n, 1, dr, search->r);
    }
    mo_search_velocity(search, search->r, search->u);
    list_accepted(search);
}
