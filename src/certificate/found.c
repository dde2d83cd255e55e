/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certificate/search.h"

static const mo_allocator *allocator_of(const mo_search *search)
{
    return &search->set->allocator;
}

void mo_search_add_node(mo_search *search, mo_proof_kind kind, int unit, int solution)
{
    mo_certificate *c = &search->set->certificate;
    if (!search->error &&
        !MO_GROW(allocator_of(search), c->nodes, search->node_room, c->node_count + 1)) {
        search->error = MO_ERR_MEMORY;
    }
    if (!search->error) {
        c->nodes[c->node_count++] = (mo_proof_node){kind, unit, solution, c->value_count};
    }
}

void mo_search_add_values(mo_search *search, int count, const double *y)
{
    mo_certificate *c = &search->set->certificate;
    if (!search->error && !MO_GROW(allocator_of(search), c->values, search->value_room,
                                   c->value_count + (size_t)count)) {
        search->error = MO_ERR_MEMORY;
    }
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
        for (int k = 0; k < search->system->enclosure->n && near; ++k) {
            near = fabs(search->u[k] - mo_search_listed(search, s, k)) <= distance;
        }
        if (near) {
            return s;
        }
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
    if (found->v) {
        mo_problem_velocity(problem, found->r, found->v);
    }
    for (int k = 0; k < search->system->unit_count; ++k) {
        const mo_unit *unit = &search->system->units[k];
        for (int row = unit->row; row < unit->row + unit->dim; ++row) {
            found->modes[row] = mo_cell_mode(unit, search->system->cells[k]);
        }
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
    if (!found->r || !found->modes) {
        return NULL;
    }
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
    for (int k = 0; k < e->n; ++k) {
        c->u[(size_t)c->solution_count * n + k] = search->u[k] * e->unit_u[k];
    }
    ++c->solution_count;
    return found;
}

int mo_search_add_solution(mo_search *search, int is_proven)
{
    const int near = mo_search_find(search, 0.5 * MO_CLOSENESS);
    if (near >= 0) {
        if (is_proven && !search->set->solutions[near].is_proven) {
            write_solution(search, &search->set->solutions[near], 1);
        }
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
