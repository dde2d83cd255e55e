/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* See lemke_path.h.  S and c are scaled: entries of S on the diagonal and the largest of c are about one. */
#include "solver/lemke_path.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

enum { W, Z, NEITHER };               /* which of a pair is basic */
enum { NOTHING = -1, FRESH_VALUES = 50 }; /* pivots after which the values are computed anew */

/* All relative to the scaled problem, whose numbers are about one, and to the largest number of their kind. */
static const double NOISE = 1e-12;          /* of values: what rounding leaves of a zero            */
static const double FLAT = 1e-11;           /* of directions: below this a variable does not move   */
static const double FLAT_ROUNDING = 1e-14;  /* the same, as a part of the largest direction         */
static const double DRIFT = 1e-10;          /* residual of a solve above which K is factored anew   */
static const double SMALL_PIVOT = 1e-6;     /* a pivot that is looked at twice                      */
static const double BELOW_ZERO = 1e-6;      /* a value further below zero is off the path           */

void mo_lemke_layout(int n, size_t fill, mo_arena *arena, mo_lemke_path *path)
{
    const size_t room = (size_t)n + 1;
    *path = (mo_lemke_path){.n = n};
    path->column_start = MO_TAKE(arena, room, int);
    path->row_start = MO_TAKE(arena, room, int);
    path->row_of = MO_TAKE(arena, fill, int);
    path->column_of = MO_TAKE(arena, fill, int);
    path->entry = MO_TAKE(arena, fill, double);
    path->basic = MO_TAKE(arena, n, int);
    path->value = MO_TAKE(arena, n, double);
    path->rate = MO_TAKE(arena, n, double);
    path->direction = MO_TAKE(arena, n, double);
    path->row_slot = MO_TAKE(arena, n, int);
    path->column_slot = MO_TAKE(arena, n, int);
    path->spare_row = MO_TAKE(arena, room, int);
    path->spare_column = MO_TAKE(arena, room, int);
    path->index = MO_TAKE(arena, room, int);
    path->number = MO_TAKE(arena, room, double);
    path->y = MO_TAKE(arena, room, double);
    path->h = MO_TAKE(arena, room, double);
    path->image = MO_TAKE(arena, n, double);
    mo_inverse_layout(n + 1, arena, &path->inverse);
}

void mo_lemke_load(mo_lemke_path *path, const double *S)
{
    const int n = path->n;
    int count = 0;
    path->S = S;
    memset(path->column_start, 0, ((size_t)n + 1) * sizeof(int));
    for (int i = 0; i < n; ++i) {
        path->row_start[i] = count;
        for (int j = 0; j < n; ++j) {
            if (S[(size_t)i * n + j] != 0) {
                path->column_of[count++] = j;
                ++path->column_start[j + 1];
            }
        }
    }
    path->row_start[n] = count;
    for (int j = 0; j < n; ++j) {
        path->column_start[j + 1] += path->column_start[j];
        path->index[j] = path->column_start[j];
    }
    for (int i = 0; i < n; ++i) {
        for (int k = path->row_start[i]; k < path->row_start[i + 1]; ++k) {
            const int at = path->index[path->column_of[k]]++;
            path->row_of[at] = i;
            path->entry[at] = S[(size_t)i * n + path->column_of[k]];
        }
    }
}

/* ---- linear algebra ------------------------------------------------------------------------ */

/* image = S_alpha z_alpha + d z0, where z_alpha and z0 are in the slots of y. */
static void apply_basis(mo_lemke_path *path, const double *y)
{
    const double z0 = path->z0_slot >= 0 ? y[path->z0_slot] : 0;
    for (int i = 0; i < path->n; ++i) {
        path->image[i] = path->d[i] * z0;
    }
    for (int j = 0; j < path->n; ++j) {
        const double z = path->basic[j] == Z ? y[path->column_slot[j]] : 0;
        for (int k = path->column_start[j]; z != 0 && k < path->column_start[j + 1]; ++k) {
            path->image[path->row_of[k]] += z * path->entry[k];
        }
    }
}

/* The rows of column j of S that K has, times `sign`, as a sparse vector; returns its length. */
static int column_in_basis(mo_lemke_path *path, int j, double sign)
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

/* The columns of row i of (S, d) that K has. */
static int row_in_basis(mo_lemke_path *path, int i)
{
    int count = 0;
    const double *line = path->S + (size_t)i * path->n;
    for (int k = path->row_start[i]; k < path->row_start[i + 1]; ++k) {
        const int slot = path->column_slot[path->column_of[k]];
        if (slot >= 0) {
            path->index[count] = slot;
            path->number[count++] = line[path->column_of[k]];
        }
    }
    if (path->z0_slot >= 0) {
        path->index[count] = path->z0_slot;
        path->number[count++] = path->d[i];
    }
    return count;
}

/* y = K^-1 (rhs on the rows of K), refined once. */
static void solve_on_rows(mo_lemke_path *path, double sign, const double *rhs)
{
    int count = 0;
    for (int i = 0; i < path->n; ++i) {
        if (path->row_slot[i] >= 0) {
            path->index[count] = path->row_slot[i];
            path->number[count++] = sign * rhs[i];
        }
    }
    mo_inverse_times(&path->inverse, count, path->index, path->number, path->y);
    apply_basis(path, path->y);
    count = 0;
    for (int i = 0; i < path->n; ++i) {
        if (path->row_slot[i] >= 0) {
            path->number[count++] = sign * rhs[i] - path->image[i];
        }
    }
    mo_inverse_times(&path->inverse, count, path->index, path->number, path->h);
    mo_axpy(path->inverse.size, 1, path->h, path->y);
}

/* The basic variables that belong to the constant vector `rhs` (c, or p for the rates). */
static void compute_basics(mo_lemke_path *path, const double *rhs, double *basics, double *z0)
{
    solve_on_rows(path, -1, rhs);
    apply_basis(path, path->y);
    for (int i = 0; i < path->n; ++i) {
        if (path->basic[i] == Z) {
            basics[i] = path->y[path->column_slot[i]];
        } else if (path->basic[i] == W) {
            basics[i] = rhs[i] + path->image[i];
        }
    }
    *z0 = path->z0_slot >= 0 ? path->y[path->z0_slot] : 0;
}

/* Values within the noise of zero are zero, and none is below it; false where one was far below. */
static int clean_values(mo_lemke_path *path)
{
    double most = fmax(1, path->value0), least = path->value0;
    for (int i = 0; i < path->n; ++i) {
        if (path->basic[i] != NEITHER) {
            most = fmax(most, path->value[i]);
            least = fmin(least, path->value[i]);
        }
    }
    path->noise = NOISE * most;
    for (int i = 0; i < path->n; ++i) {
        path->value[i] = path->value[i] > path->noise ? path->value[i] : 0;
    }
    return least >= -BELOW_ZERO * most && isfinite(most);
}

static int compute_values(mo_lemke_path *path)
{
    compute_basics(path, path->p, path->rate, &path->rate0);
    compute_basics(path, path->c, path->value, &path->value0);
    path->since_values = 0;
    return clean_values(path);
}

static int factor_anew(mo_lemke_path *path)
{
    mo_inverse *inverse = &path->inverse;
    const size_t room = (size_t)inverse->room;
    int rows = 0, columns = path->z0_slot >= 0;
    for (int i = 0; i < path->n; ++i) {
        path->row_slot[i] = path->row_slot[i] >= 0 ? rows++ : -1;
        path->column_slot[i] = path->column_slot[i] >= 0 ? columns++ : -1;
    }
    path->z0_slot = path->z0_slot >= 0 ? 0 : -1;
    for (int k = 0; k < columns; ++k) {
        memset(inverse->Z + (size_t)k * room, 0, (size_t)rows * sizeof(double));
    }
    for (int j = 0; j < path->n; ++j) {
        if (path->row_slot[j] >= 0 && path->z0_slot >= 0) {
            inverse->Z[path->row_slot[j]] = path->d[j];
        }
        for (int k = path->column_start[j]; path->column_slot[j] >= 0 && k < path->column_start[j + 1]; ++k) {
            const int slot = path->row_slot[path->row_of[k]];
            if (slot >= 0) {
                inverse->Z[(size_t)path->column_slot[j] * room + slot] = path->entry[k];
            }
        }
    }
    path->spares = 0;
    path->since_factor = 0;
    return mo_inverse_factor(inverse, rows) && compute_values(path);
}

/* ---- one pivot ----------------------------------------------------------------------------- */

/* How all basic variables move while the entering one grows by one; returns the residual on the rows of K. */
static double compute_direction(mo_lemke_path *path)
{
    const int e = path->entering;
    int count = 1;
    if (path->enters_z) {
        count = column_in_basis(path, e, -1);
    } else {
        path->index[0] = path->row_slot[e];
        path->number[0] = 1;
    }
    mo_inverse_times(&path->inverse, count, path->index, path->number, path->y);
    apply_basis(path, path->y);
    for (int k = path->column_start[e]; path->enters_z && k < path->column_start[e + 1]; ++k) {
        path->image[path->row_of[k]] += path->entry[k];
    }
    double drift = 0, size = 1;
    for (int i = 0; i < path->n; ++i) {
        path->direction[i] = 0;
        if (path->row_slot[i] >= 0) {
            drift = fmax(drift, fabs(path->image[i] - (!path->enters_z && i == e)));
        }
        if (path->basic[i] == Z) {
            path->direction[i] = path->y[path->column_slot[i]];
        } else if (path->basic[i] == W) {
            path->direction[i] = path->image[i];
        }
        size = fmax(size, fabs(path->direction[i]));
    }
    path->direction0 = path->y[path->z0_slot];
    path->flat = FLAT + FLAT_ROUNDING * fmax(size, fabs(path->direction0));
    return drift / size;
}

/* The step at which the first basic variable reaches zero; infinity where none does. */
static double longest_step(const mo_lemke_path *path)
{
    double step = path->direction0 < -path->flat ? fmax(0, path->value0) / -path->direction0 : INFINITY;
    for (int i = 0; i < path->n; ++i) {
        if (path->direction[i] < -path->flat) {
            step = fmin(step, path->value[i] / -path->direction[i]);
        }
    }
    return step;
}

/* Of those that reach zero there, z0 if it is one of them, else the one with the least rate over direction. */
static int choose_leaving(const mo_lemke_path *path, double step)
{
    if (path->direction0 < -path->flat && path->value0 + step * path->direction0 <= path->noise) {
        return path->n;
    }
    int leaving = NOTHING;
    double least = INFINITY;
    for (int i = 0; i < path->n; ++i) {
        const double down = -path->direction[i];
        if (down > path->flat && path->value[i] - step * down <= path->noise && path->rate[i] / down < least) {
            least = path->rate[i] / down;
            leaving = i;
        }
    }
    return leaving;
}

static void move(mo_lemke_path *path, double step, double rate_step)
{
    for (int i = 0; i < path->n; ++i) {
        path->value[i] += step * path->direction[i];
        path->rate[i] += rate_step * path->direction[i];
        path->value[i] = path->value[i] > path->noise ? path->value[i] : 0;
    }
    path->value0 += step * path->direction0;
    path->rate0 += rate_step * path->direction0;
    path->value[path->entering] = step;
    path->rate[path->entering] = rate_step;
    path->noise = fmax(path->noise, NOISE * step);
}

/* Row slot `row` of K takes row i of (S, d). */
static void put_row(mo_lemke_path *path, int row, int i)
{
    mo_inverse_left(&path->inverse, row_in_basis(path, i), path->index, path->number, path->h);
    mo_inverse_replace_row(&path->inverse, row, path->h);
    path->row_slot[i] = row;
}

/* z_e enters, w_j leaves: K gains column e and row j. */
static void grow(mo_lemke_path *path, int e, int j)
{
    int row, column;
    if (path->spares > 0) {
        row = path->spare_row[--path->spares];
        column = path->spare_column[path->spares];
    } else {
        row = column = mo_inverse_grow(&path->inverse);
    }
    /* column e with a one in the new row: K^-1 of it is -y, and one in the new slot */
    for (int k = 0; k < path->inverse.size; ++k) {
        path->y[k] = k == column ? 1 : -path->y[k];
    }
    mo_inverse_replace_column(&path->inverse, column, path->y);
    path->column_slot[e] = column;
    put_row(path, row, j);
}

/* w_e enters, what is in a column slot leaves: K loses row e and that column, which become a unit entry. */
static void shrink(mo_lemke_path *path, int e, int column)
{
    const int row = path->row_slot[e];
    const double one = 1;
    mo_inverse_left(&path->inverse, 1, &column, &one, path->h);
    mo_inverse_replace_row(&path->inverse, row, path->h);
    mo_inverse_times(&path->inverse, 1, &row, &one, path->y);
    mo_inverse_replace_column(&path->inverse, column, path->y);
    path->spare_row[path->spares] = row;
    path->spare_column[path->spares++] = column;
    path->row_slot[e] = NOTHING;
}

/* z or z0 leaves a column slot. */
static void exchange_column(mo_lemke_path *path, int e, int column)
{
    if (!path->enters_z) {
        shrink(path, e, column);
        return;
    }
    for (int k = 0; k < path->inverse.size; ++k) {
        path->y[k] = -path->y[k];
    }
    mo_inverse_replace_column(&path->inverse, column, path->y);
    path->column_slot[e] = column;
}

/* w_j leaves: its row becomes one of K's. */
static void exchange_row(mo_lemke_path *path, int e, int j)
{
    if (path->enters_z) {
        grow(path, e, j);
        return;
    }
    const int row = path->row_slot[e];
    path->row_slot[e] = NOTHING;
    put_row(path, row, j);
}

/* The entering variable takes the place of the leaving one; the partner of that one enters next. */
static void exchange(mo_lemke_path *path, int leaving)
{
    const int e = path->entering, n = path->n;
    const int leaves_z = leaving < n && path->basic[leaving] == Z;
    if (leaving == n) {
        exchange_column(path, e, path->z0_slot);
        path->z0_slot = NOTHING;
    } else if (leaves_z) {
        const int column = path->column_slot[leaving];
        path->column_slot[leaving] = NOTHING;
        exchange_column(path, e, column);
    } else {
        exchange_row(path, e, leaving);
    }
    path->basic[e] = path->enters_z ? Z : W;
    if (leaving < n) {
        path->basic[leaving] = NEITHER;
        path->entering = leaving;
        path->enters_z = !leaves_z;
    }
    ++path->since_factor;
}

/* Direction and leaving variable; false where the inverse should be made anew before they are used. */
static int look_ahead(mo_lemke_path *path, double *step, int *leaving)
{
    const double drift = compute_direction(path);
    *step = longest_step(path);
    *leaving = isfinite(*step) ? choose_leaving(path, *step) : NOTHING;
    const double pivot = *leaving == NOTHING  ? 0
                         : *leaving == path->n ? path->direction0
                                               : path->direction[*leaving];
    return drift <= DRIFT && fabs(pivot) >= SMALL_PIVOT;
}

mo_lemke_state mo_lemke_pivot(mo_lemke_path *path)
{
    double step;
    int leaving;
    if (!look_ahead(path, &step, &leaving) && path->since_factor > 0) {
        if (!factor_anew(path)) {
            return MO_LEMKE_LOST;
        }
        look_ahead(path, &step, &leaving);
    }
    if (!isfinite(step)) {
        return step > 0 ? MO_LEMKE_RAY : MO_LEMKE_LOST; /* not a number */
    }
    if (leaving == NOTHING) {
        return MO_LEMKE_LOST;
    }
    const double down = leaving == path->n ? -path->direction0 : -path->direction[leaving];
    move(path, step, (leaving == path->n ? path->rate0 : path->rate[leaving]) / down);
    exchange(path, leaving);
    if (leaving == path->n) {
        path->value0 = 0;
        return factor_anew(path) ? MO_LEMKE_SOLVED : MO_LEMKE_LOST;
    }
    if (++path->since_values >= FRESH_VALUES && !compute_values(path)) {
        return factor_anew(path) ? MO_LEMKE_MOVING : MO_LEMKE_LOST;
    }
    return MO_LEMKE_MOVING;
}

/* ---- the ends of the path ------------------------------------------------------------------ */

/* The row that asks for the largest z0: c + d z0 >= 0 everywhere else; NOTHING where c >= 0. */
static int first_row(const mo_lemke_path *path)
{
    int first = NOTHING;
    double most = NOISE, rate = 0;
    for (int i = 0; i < path->n; ++i) {
        const double z0 = -path->c[i] / path->d[i], own_rate = -path->p[i] / path->d[i];
        if (z0 > most || (first >= 0 && z0 == most && own_rate > rate)) {
            first = i;
            most = z0;
            rate = own_rate;
        }
    }
    return first;
}

mo_lemke_state mo_lemke_start(mo_lemke_path *path, const double *c, const double *d, const double *p)
{
    path->c = c;
    path->d = d;
    path->p = p;
    path->spares = path->since_values = 0;
    path->z0_slot = NOTHING;
    for (int i = 0; i < path->n; ++i) {
        path->basic[i] = W;
        path->row_slot[i] = path->column_slot[i] = NOTHING;
        path->value[i] = c[i];
        path->rate[i] = p[i];
    }
    mo_inverse_clear(&path->inverse);
    path->entering = first_row(path);
    if (path->entering == NOTHING) {
        return MO_LEMKE_SOLVED;
    }
    path->enters_z = 1;
    path->basic[path->entering] = NEITHER;
    path->row_slot[path->entering] = 0;
    path->z0_slot = 0;
    return factor_anew(path) ? MO_LEMKE_MOVING : MO_LEMKE_LOST;
}

void mo_lemke_point(const mo_lemke_path *path, double *z)
{
    for (int i = 0; i < path->n; ++i) {
        z[i] = path->basic[i] == Z ? path->value[i] : 0;
    }
}

void mo_lemke_ray(const mo_lemke_path *path, double *z, double *z0)
{
    for (int i = 0; i < path->n; ++i) {
        z[i] = path->basic[i] == Z ? path->direction[i] : 0;
        z[i] = fabs(z[i]) > path->flat ? z[i] : 0;
    }
    if (path->enters_z) {
        z[path->entering] = 1;
    }
    *z0 = fabs(path->direction0) > path->flat ? path->direction0 : 0;
}

void mo_lemke_correct(mo_lemke_path *path, const double *w, double *dz)
{
    solve_on_rows(path, -1, w);
    for (int i = 0; i < path->n; ++i) {
        dz[i] = path->basic[i] == Z ? path->y[path->column_slot[i]] : 0;
    }
}
