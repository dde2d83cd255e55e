/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/lemke_basis.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

enum { W = MO_LEMKE_W, Z = MO_LEMKE_Z, NEITHER = MO_LEMKE_NEITHER };

/* Relative to the largest value, or to one. */
static const double NOISE = 1e-12;     /* rounding error of a zero */
static const double BELOW_ZERO = 1e-6; /* a value further below zero is off the path */

void mo_lemke_layout(int n, size_t fill, mo_arena *arena, mo_lemke_path *path)
{
    const size_t room = (size_t)n + 1;
    *path = (mo_lemke_path){.n = n};
    MO_TAKE_EACH(arena, fill, int, &path->row_of, &path->column_of, &path->place);
    path->entry = MO_TAKE(arena, fill, double);
    MO_TAKE_EACH(arena, n, int, &path->order, &path->basic, &path->row_slot, &path->column_slot);
    MO_TAKE_EACH(arena, n, double, &path->value, &path->rate, &path->direction, &path->image);
    MO_TAKE_EACH(arena, room, int, &path->column_start, &path->row_start, &path->spare_row,
                 &path->spare_column, &path->index);
    MO_TAKE_EACH(arena, room, double, &path->number, &path->y, &path->h);
    mo_inverse_layout(n + 1, fill + room, arena, &path->inverse);
}

void mo_lemke_index(mo_lemke_path *path)
{
    const int n = path->n, count = path->row_start[n];
    memset(path->column_start, 0, ((size_t)n + 1) * sizeof(int));
    for (int k = 0; k < count; ++k)
        ++path->column_start[path->column_of[k] + 1];
    for (int j = 0; j < n; ++j) {
        path->column_start[j + 1] += path->column_start[j];
        path->index[j] = path->column_start[j];
    }
    for (int i = 0; i < n; ++i) {
        for (int k = path->row_start[i]; k < path->row_start[i + 1]; ++k) {
            path->place[k] = path->index[path->column_of[k]]++;
            path->row_of[path->place[k]] = i;
        }
    }
}

void mo_basis_apply(mo_lemke_path *path, const double *y)
{
    for (int i = 0; i < path->n; ++i)
        path->image[i] = path->z0_slot >= 0 ? path->d[i] * y[path->z0_slot] : 0;
    for (int j = 0; j < path->n; ++j) {
        const double z = path->basic[j] == Z ? y[path->column_slot[j]] : 0;
        for (int k = path->column_start[j]; z != 0 && k < path->column_start[j + 1]; ++k)
            path->image[path->row_of[k]] += z * path->entry[k];
    }
}

int mo_basis_column(mo_lemke_path *path, int j, double sign)
{
    int count = 0;
    for (int k = path->column_start[j]; k < path->column_start[j + 1]; ++k) {
        const int slot = path->row_slot[path->row_of[k]];
        if (slot >= 0) {
            path->index[count] = slot;
            path->number[count++] = sign * path->entry[k];
        }
    }
    return count;
}

int mo_basis_row(mo_lemke_path *path, int i)
{
    int count = 0;
    for (int k = path->row_start[i]; k < path->row_start[i + 1]; ++k) {
        const int slot = path->column_slot[path->column_of[k]];
        if (slot >= 0) {
            path->index[count] = slot;
            path->number[count++] = path->entry[path->place[k]];
        }
    }
    if (path->z0_slot >= 0) {
        path->index[count] = path->z0_slot;
        path->number[count++] = path->d[i];
    }
    return count;
}

void mo_basis_solve(mo_lemke_path *path, double sign, const double *rhs)
{
    int count = 0;
    for (int i = 0; i < path->n; ++i) {
        if (path->row_slot[i] >= 0) {
            path->index[count] = path->row_slot[i];
            path->number[count++] = sign * rhs[i];
        }
    }
    mo_inverse_times(&path->inverse, count, path->index, path->number, path->y);
    mo_basis_apply(path, path->y);
    count = 0;
    for (int i = 0; i < path->n; ++i)
        if (path->row_slot[i] >= 0) path->number[count++] = sign * rhs[i] - path->image[i];
    mo_inverse_times(&path->inverse, count, path->index, path->number, path->h);
    mo_axpy(path->inverse.size, 1, path->h, path->y);
}

void mo_basis_variables(mo_lemke_path *path, const double *rhs, double *basics, double *z0)
{
    mo_basis_solve(path, -1, rhs);
    mo_basis_apply(path, path->y);
    for (int i = 0; i < path->n; ++i)
        if (path->basic[i] == Z)
            basics[i] = path->y[path->column_slot[i]];
        else if (path->basic[i] == W)
            basics[i] = rhs[i] + path->image[i];
    *z0 = path->z0_slot >= 0 ? path->y[path->z0_slot] : 0;
}

int mo_basis_clean(mo_lemke_path *path)
{
    double most = fmax(1, path->value0), least = path->value0;
    for (int i = 0; i < path->n; ++i) {
        if (path->basic[i] != NEITHER) {
            most = fmax(most, path->value[i]);
            least = fmin(least, path->value[i]);
        }
    }
    path->noise = NOISE * most;
    for (int i = 0; i < path->n; ++i)
        path->value[i] = path->value[i] > path->noise ? path->value[i] : 0;
    return least >= -BELOW_ZERO * most && isfinite(most);
}

int mo_basis_values(mo_lemke_path *path)
{
    mo_basis_variables(path, path->p, path->rate, &path->rate0);
    mo_basis_variables(path, path->c, path->value, &path->value0);
    path->since_values = 0;
    return mo_basis_clean(path);
}

/* New slots, in the order of elimination; z0 comes last. */
static int number_slots(mo_lemke_path *path)
{
    int rows = 0, columns = 0;
    for (int k = 0; k < path->n; ++k) {
        const int i = path->order[k];
        path->row_slot[i] = path->row_slot[i] >= 0 ? rows++ : -1;
        path->column_slot[i] = path->column_slot[i] >= 0 ? columns++ : -1;
    }
    path->z0_slot = path->z0_slot >= 0 ? columns : -1;
    return rows;
}

static void put_column(mo_lemke_path *path, int j)
{
    mo_inverse_column(&path->inverse, path->row_slot[j]);
    for (int k = path->column_start[j]; k < path->column_start[j + 1]; ++k) {
        const int slot = path->row_slot[path->row_of[k]];
        if (slot >= 0) mo_inverse_put(&path->inverse, slot, path->entry[k]);
    }
}

static void put_covering_column(mo_lemke_path *path)
{
    mo_inverse_column(&path->inverse, -1);
    for (int i = 0; i < path->n; ++i)
        if (path->row_slot[i] >= 0) mo_inverse_put(&path->inverse, path->row_slot[i], path->d[i]);
}

int mo_basis_factor(mo_lemke_path *path)
{
    mo_inverse_begin(&path->inverse, number_slots(path));
    for (int k = 0; k < path->n; ++k)
        if (path->column_slot[path->order[k]] >= 0) put_column(path, path->order[k]);
    if (path->z0_slot >= 0) put_covering_column(path);
    path->spares = 0;
    path->since_factor = 0;
    return mo_inverse_factor(&path->inverse);
}

int mo_basis_renew(mo_lemke_path *path)
{
    return mo_basis_factor(path) && mo_basis_values(path);
}
