/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/cell_system.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"

/* Natural units: above this a velocity is also computed by the other formula. */
static const double FEW_DIGITS = 1e-12;

static void lay_out(mo_cell_system *s, mo_arena *arena)
{
    const size_t n = (size_t)s->enclosure->n;
    s->units = MO_TAKE(arena, n, mo_unit);
    s->cells = MO_TAKE(arena, n, int);
    s->rows = MO_TAKE(arena, n * MO_CELL_MOST_ROWS + 1, mo_cell_row);
    s->scratch = MO_TAKE(arena, n * (2 * n + 3) + 1, mo_interval);
    s->inverse = MO_TAKE(arena, n * n, double);
}

mo_error mo_cell_system_create(const mo_enclosure *enclosure, mo_cell_system *system,
                               mo_message *why)
{
    *system = (mo_cell_system){.enclosure = enclosure};
    mo_arena arena = {0};
    lay_out(system, &arena);
    system->memory = mo_arena_allocate(&arena, &enclosure->problem->allocator);
    MO_NEED_MEMORY(system->memory, why);
    lay_out(system, &arena);
    system->unit_count = mo_units_of(enclosure->problem, system->units);
    if (system->unit_count < 0) {
        mo_cell_system_destroy(system);
        return mo_fail(why, MO_ERR_UNSUPPORTED, "rolling friction and soft fingers have no cells");
    }
    for (int k = 0; k < system->unit_count; ++k)
        system->cells[k] = MO_CELL_ANY;
    return MO_OK;
}

void mo_cell_system_destroy(mo_cell_system *system)
{
    mo_memory_free(&system->enclosure->problem->allocator, system->memory);
    system->memory = NULL;
}

void mo_cell_system_write(mo_cell_system *system)
{
    system->row_count = 0;
    for (int k = 0; k < system->unit_count; ++k) {
        const mo_unit *unit = &system->units[k];
        system->row_count +=
            mo_cell_rows(unit, system->cells[k], system->enclosure->unit_r[unit->row],
                         system->rows + system->row_count);
    }
}

void mo_cell_system_add_far(mo_cell_system *system, int k, double sign, double centre,
                            double distance)
{
    system->rows[system->row_count++] = (mo_cell_row){
        .on_u = 1, .row = k, .dim = 1, .c = {sign}, .constant = sign * centre + distance};
}

/* ---- the sum of rows ------------------------------------------------------------------------- */

double mo_cell_system_reach(mo_cell_system *system, const double *y)
{
    const mo_enclosure *e = system->enclosure;
    const int n = e->n;
    mo_interval *on_u = system->scratch, *on_r = on_u + n, c = mo_interval_exact(0);
    for (int k = 0; k < 2 * n; ++k)
        on_u[k] = mo_interval_exact(0);
    for (int m = 0; m < system->row_count; ++m) {
        const mo_cell_row *row = &system->rows[m];
        if (!isfinite(y[m]) || (!row->is_equation && y[m] < 0)) return 0;
        mo_interval *sum = (row->on_u ? on_u : on_r) + row->row;
        for (int k = 0; k < row->dim; ++k)
            sum[k] = mo_interval_fma(sum[k], y[m], mo_interval_exact(row->c[k]));
        c = mo_interval_fma(c, -y[m], mo_interval_exact(row->constant));
    }
    double size = 0;
    for (int j = 0; j < n; ++j) {
        mo_interval g = on_r[j];
        for (int i = 0; i < n; ++i)
            g = mo_interval_add(g, mo_interval_mul(on_u[i], e->W[i * n + j]));
        c = mo_interval_add(c, mo_interval_mul(on_u[j], e->q[j]));
        size += g.mid == 0 && g.rad == 0 ? 0 : mo_interval_size(g);
    }
    return mo_reach_of(c, n, size);
}

/* ---- the root -------------------------------------------------------------------------------- */

/* The row at the point (u, r). */
static mo_interval value_at(const mo_cell_row *row, const mo_interval *u, const mo_interval *r)
{
    const mo_interval *x = (row->on_u ? u : r) + row->row;
    return mo_interval_combine(mo_interval_exact(-row->constant), row->dim, row->c, x);
}

/* The equations as E r = c; their number, at most n of them written. */
static int write_equations(const mo_cell_system *system, mo_interval *E, mo_interval *c)
{
    const mo_enclosure *e = system->enclosure;
    const int n = e->n;
    int count = 0;
    for (int m = 0; m < system->row_count; ++m) {
        const mo_cell_row *row = &system->rows[m];
        if (!row->is_equation || count++ >= n) continue;
        mo_interval *line = E + (size_t)(count - 1) * n;
        c[count - 1] = mo_interval_exact(row->constant);
        for (int j = 0; j < n; ++j)
            line[j] = mo_interval_exact(0);
        for (int k = 0; k < row->dim; ++k) {
            const int at = row->row + k;
            for (int j = 0; row->on_u && j < n; ++j)
                line[j] = mo_interval_fma(line[j], row->c[k], e->W[at * n + j]);
            if (row->on_u)
                c[count - 1] = mo_interval_fma(c[count - 1], -row->c[k], e->q[at]);
            else
                line[at] = mo_interval_exact(row->c[k]);
        }
    }
    return count;
}

/* The velocity without r: u_k = q_k + z' c with E' z = W_k', for the rows that lost digits. */
static void velocity_by_equations(mo_cell_system *system, const mo_interval *c, mo_interval *u)
{
    const mo_enclosure *e = system->enclosure;
    const int n = e->n;
    mo_interval *E = system->scratch, *z = E + (size_t)n * n + n, *column = z + n,
                *transposed = column + n;
    for (int k = 0; k < n * n; ++k)
        transposed[k] = E[k % n * n + k / n];
    const double a = mo_root_prepare(n, transposed, system->inverse);
    for (int k = 0; k < n && a < 0.5; ++k) {
        if (u[k].rad <= FEW_DIGITS) continue;
        memcpy(column, e->W + (size_t)k * n, (size_t)n * sizeof *column);
        mo_root_enclose(n, transposed, system->inverse, a, column, z);
        const mo_interval sum = mo_interval_dot(e->q[k], n, z, c);
        u[k] = sum.rad < u[k].rad ? sum : u[k];
    }
}

/* The exact value of an entry that an equation determines: a sticking contact has u = 0. */
static void write_zeros(const mo_cell_system *system, mo_interval *r, mo_interval *u)
{
    for (int m = 0; m < system->row_count; ++m) {
        const mo_cell_row *row = &system->rows[m];
        int single = -1, entries = 0;
        for (int k = 0; k < row->dim; ++k) {
            entries += row->c[k] != 0;
            single = row->c[k] != 0 ? k : single;
        }
        if (row->is_equation && row->constant == 0 && entries == 1)
            (row->on_u ? u : r)[row->row + single] = mo_interval_exact(0);
    }
}

/* mu^2 r_N^2 - |r_T|^2 of a sticking contact in space. */
static mo_interval room_in_cone(const mo_unit *unit, const mo_interval *r)
{
    const mo_interval limit = mo_interval_mul(mo_interval_exact(unit->law.mu), r[unit->row]);
    mo_interval room = mo_interval_mul(limit, limit);
    for (int k = unit->row + 1; k < unit->row + unit->dim; ++k)
        room = mo_interval_add(room, mo_interval_neg(mo_interval_mul(r[k], r[k])));
    return room;
}

int mo_cells_are_met(const mo_cell_system *system, const double *r)
{
    int met = 1;
    for (int k = 0; k < system->unit_count && met; ++k) {
        const mo_unit *unit = &system->units[k];
        if (mo_cell_has_round_cone(unit, system->cells[k])) {
            const double *at = r + unit->row, force = hypot(at[1], at[2]);
            met = unit->law.mu * at[0] - force >= -1e-10 * fmax(1, force);
        }
    }
    return met;
}

/* Location of the root, by the rows; and by the round cones, which they relax. */
static mo_root_place place_of(const mo_cell_system *system, const mo_interval *r,
                              const mo_interval *u)
{
    mo_root_place place = MO_ROOT_INSIDE;
    for (int m = 0; m < system->row_count && place != MO_ROOT_OUTSIDE; ++m) {
        const mo_interval value = value_at(&system->rows[m], u, r);
        if (system->rows[m].is_equation || mo_interval_lower(value) >= 0) continue;
        place = mo_interval_upper(value) < 0 ? MO_ROOT_OUTSIDE : MO_ROOT_EDGE;
    }
    for (int k = 0; k < system->unit_count && place != MO_ROOT_OUTSIDE; ++k) {
        if (mo_cell_has_round_cone(&system->units[k], system->cells[k])) {
            const mo_interval room = room_in_cone(&system->units[k], r);
            if (!(mo_interval_lower(room) >= 0))
                place = mo_interval_upper(room) < 0 ? MO_ROOT_OUTSIDE : MO_ROOT_EDGE;
        }
    }
    return place;
}

mo_root_place mo_cell_system_root(mo_cell_system *system, mo_interval *r, mo_interval *u)
{
    const mo_enclosure *e = system->enclosure;
    const int n = e->n;
    mo_interval *E = system->scratch, *c = E + (size_t)n * n;
    if (n > MO_SMALL || write_equations(system, E, c) != n) return MO_ROOT_UNKNOWN;
    const double a = mo_root_prepare(n, E, system->inverse);
    if (!(a < 0.5)) return MO_ROOT_UNKNOWN;
    mo_root_enclose(n, E, system->inverse, a, c, r);
    mo_enclosure_velocity(e, r, u);
    velocity_by_equations(system, c, u);
    write_zeros(system, r, u);
    return place_of(system, r, u);
}
