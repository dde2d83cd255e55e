/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Lemke's path (lemke_path.h): start, pivots and termination. */
#include "solver/lemke_path.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/lemke_basis.h"

enum { W = MO_LEMKE_W, Z = MO_LEMKE_Z, NEITHER = MO_LEMKE_NEITHER };

/* Pivots after which the values are recomputed, and after which an inaccurate inverse is. */
enum { FRESH_VALUES = 50, OLD = 30 };

/* Relative to numbers of about one, and to the largest number of their kind. */
static const double NOISE = 1e-12;      /* of values: rounding error of a zero */
static const double FLAT = 1e-12;       /* of directions: below this a variable does not move */
static const double DRIFT = 1e-10;      /* residual of a solve above which K is factored again */
static const double SMALL_PIVOT = 1e-6; /* a pivot that is verified */

/* ---- the direction --------------------------------------------------------------------------- */

/* The rows of K that the entering variable brings with it, as the right-hand side of K y = rhs. */
static int entering_rows(mo_lemke_path *path)
{
    if (path->enters_z) return mo_basis_column(path, path->entering, -1);
    path->index[0] = path->row_slot[path->entering];
    path->number[0] = 1;
    return 1;
}

/* Adds the effect of the entering variable on the rows to image. */
static void add_entering(mo_lemke_path *path)
{
    const int e = path->entering;
    for (int k = path->column_start[e]; path->enters_z && k < path->column_start[e + 1]; ++k)
        path->image[path->row_of[k]] += path->entry[k];
    if (!path->enters_z) path->image[e] -= 1;
}

/* How all basic variables move while the entering one grows by one, from y and its image; returns
 * the largest of these numbers, and the largest residual on the rows of K. */
static double read_direction(mo_lemke_path *path, double *drift)
{
    double size = fmax(1, fabs(path->y[path->z0_slot]));
    *drift = 0;
    for (int i = 0; i < path->n; ++i) {
        path->direction[i] = 0;
        if (path->row_slot[i] >= 0) *drift = fmax(*drift, fabs(path->image[i]));
        if (path->basic[i] == Z)
            path->direction[i] = path->y[path->column_slot[i]];
        else if (path->basic[i] == W)
            path->direction[i] = path->image[i];
        size = fmax(size, fabs(path->direction[i]));
    }
    path->direction0 = path->y[path->z0_slot];
    return size;
}

static double compute_direction(mo_lemke_path *path)
{
    double drift;
    mo_inverse_times(&path->inverse, entering_rows(path), path->index, path->number, path->y);
    mo_basis_apply(path, path->y);
    add_entering(path);
    const double size = read_direction(path, &drift);
    path->flat = FLAT * size;
    return drift / size;
}

/* One step of refinement; its length estimates the rounding, and smaller entries count as zero. */
static void refine_direction(mo_lemke_path *path)
{
    int count = 0;
    double drift, error = 0;
    for (int i = 0; i < path->n; ++i) {
        if (path->row_slot[i] >= 0) {
            path->index[count] = path->row_slot[i];
            path->number[count++] = -path->image[i];
        }
    }
    mo_inverse_times(&path->inverse, count, path->index, path->number, path->h);
    mo_basis_apply(path, path->h);
    for (int i = 0; i < path->n; ++i) {
        error = fmax(error, path->basic[i] == Z   ? fabs(path->h[path->column_slot[i]])
                            : path->basic[i] == W ? fabs(path->image[i])
                                                  : 0);
    }
    mo_axpy(path->inverse.size, 1, path->h, path->y);
    mo_basis_apply(path, path->y);
    add_entering(path);
    path->flat = fmax(FLAT * read_direction(path, &drift), 8 * error);
}

/* The step at which the first basic variable reaches zero; infinity if none does. */
static double longest_step(const mo_lemke_path *path)
{
    double step =
        path->direction0 < -path->flat ? fmax(0, path->value0) / -path->direction0 : INFINITY;
    for (int i = 0; i < path->n; ++i)
        if (path->direction[i] < -path->flat)
            step = fmin(step, path->value[i] / -path->direction[i]);
    return step;
}

/* Of those that reach zero there: z0, or else the one with the least rate over direction. */
static int choose_leaving(const mo_lemke_path *path, double step)
{
    if (path->direction0 < -path->flat && path->value0 + step * path->direction0 <= path->noise)
        return path->n;
    int leaving = MO_LEMKE_NOTHING;
    double least = INFINITY;
    for (int i = 0; i < path->n; ++i) {
        const double down = -path->direction[i];
        if (down > path->flat && path->value[i] - step * down <= path->noise &&
            path->rate[i] / down < least) {
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
    mo_inverse_left(&path->inverse, mo_basis_row(path, i), path->index, path->number, path->h);
    mo_inverse_replace_row(&path->inverse, row, path->h);
    path->row_slot[i] = row;
}

/* Index n is z0. */
static void set_column_slot(mo_lemke_path *path, int e, int slot)
{
    if (e == path->n)
        path->z0_slot = slot;
    else
        path->column_slot[e] = slot;
}

/* z_e enters with y = K^-1 of its column, w_j leaves: K gains that column, and row j. */
static void grow(mo_lemke_path *path, int e, int j)
{
    int row, column;
    if (path->spares > 0) {
        row = path->spare_row[--path->spares];
        column = path->spare_column[path->spares];
    } else {
        row = column = mo_inverse_grow(&path->inverse);
    }
    /* the column with a one in the new row, which is all that row has so far */
    path->y[column] = 1;
    mo_inverse_replace_column(&path->inverse, column, path->y);
    set_column_slot(path, e, column);
    put_row(path, row, j);
}

/* w_e enters and a column slot leaves: K loses row e and that column, now a unit entry. */
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
    path->row_slot[e] = MO_LEMKE_NOTHING;
}

/* z or z0 leaves a column slot. */
static void exchange_column(mo_lemke_path *path, int e, int column)
{
    if (!path->enters_z) {
        shrink(path, e, column);
        return;
    }
    mo_inverse_replace_column(&path->inverse, column, path->y);
    set_column_slot(path, e, column);
}

/* w_j leaves: its row becomes one of K's. */
static void exchange_row(mo_lemke_path *path, int e, int j)
{
    if (path->enters_z) {
        grow(path, e, j);
        return;
    }
    const int row = path->row_slot[e];
    path->row_slot[e] = MO_LEMKE_NOTHING;
    put_row(path, row, j);
}

/* The entering variable takes the place of the leaving one; the partner of that one enters next. */
static void exchange(mo_lemke_path *path, int leaving)
{
    const int e = path->entering, n = path->n;
    const int leaves_z = leaving < n && path->basic[leaving] == Z;
    for (int k = 0; path->enters_z && k < path->inverse.size; ++k)
        path->y[k] = -path->y[k]; /* K^-1 of the entering column */
    if (leaving == n) {
        exchange_column(path, e, path->z0_slot);
        path->z0_slot = MO_LEMKE_NOTHING;
    } else if (leaves_z) {
        const int column = path->column_slot[leaving];
        path->column_slot[leaving] = MO_LEMKE_NOTHING;
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

/* The leaving variable, MO_LEMKE_NOTHING on a ray; false if its pivot is small. */
static int find_leaving(const mo_lemke_path *path, double *step, int *leaving)
{
    *step = longest_step(path);
    *leaving = isfinite(*step) ? choose_leaving(path, *step) : MO_LEMKE_NOTHING;
    const double pivot = *leaving == MO_LEMKE_NOTHING ? 0
                         : *leaving == path->n        ? path->direction0
                                                      : path->direction[*leaving];
    return fabs(pivot) >= SMALL_PIVOT;
}

static int make_fresh(mo_lemke_path *path)
{
    const int made = mo_basis_renew(path);
    if (made) compute_direction(path);
    return made;
}

/* Direction and leaving variable; doubtful pivots are verified.  False: failed. */
static int look_ahead(mo_lemke_path *path, double *step, int *leaving)
{
    if (compute_direction(path) > DRIFT && path->since_factor > 0 && !make_fresh(path)) return 0;
    if (find_leaving(path, step, leaving)) return 1;
    refine_direction(path);
    if (!find_leaving(path, step, leaving) && path->since_factor > OLD) {
        if (!make_fresh(path)) return 0;
        refine_direction(path);
        find_leaving(path, step, leaving);
    }
    return 1;
}

mo_lemke_state mo_lemke_pivot(mo_lemke_path *path)
{
    double step;
    int leaving;
    if (!look_ahead(path, &step, &leaving)) return MO_LEMKE_LOST;
    if (leaving == MO_LEMKE_NOTHING)
        return step == INFINITY ? MO_LEMKE_RAY : MO_LEMKE_LOST; /* otherwise NaN */
    const double down = leaving == path->n ? -path->direction0 : -path->direction[leaving];
    move(path, step, (leaving == path->n ? path->rate0 : path->rate[leaving]) / down);
    exchange(path, leaving);
    if (leaving == path->n) {
        path->value0 = 0;
        return mo_basis_values(path) || mo_basis_renew(path) ? MO_LEMKE_SOLVED : MO_LEMKE_LOST;
    }
    const int is_full = mo_inverse_is_full(&path->inverse);
    if (is_full || (++path->since_values >= FRESH_VALUES && !mo_basis_values(path)))
        return mo_basis_renew(path) ? MO_LEMKE_MOVING : MO_LEMKE_LOST;
    return MO_LEMKE_MOVING;
}

/* ---- the ends of the path -------------------------------------------------------------------- */

/* The row that requires the largest z0 for c + d z0 >= 0; MO_LEMKE_NOTHING if c >= 0. */
static int first_row(const mo_lemke_path *path)
{
    int first = MO_LEMKE_NOTHING;
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

mo_lemke_state mo_lemke_start(mo_lemke_path *path, const double *c, const double *d,
                              const double *p)
{
    path->c = c;
    path->d = d;
    path->p = p;
    path->spares = path->since_values = 0;
    path->z0_slot = MO_LEMKE_NOTHING;
    for (int i = 0; i < path->n; ++i) {
        path->basic[i] = W;
        path->row_slot[i] = path->column_slot[i] = MO_LEMKE_NOTHING;
        path->value[i] = c[i];
        path->rate[i] = p[i];
    }
    mo_inverse_clear(&path->inverse);
    path->entering = first_row(path);
    if (path->entering == MO_LEMKE_NOTHING) return MO_LEMKE_SOLVED;
    path->enters_z = 1;
    path->basic[path->entering] = NEITHER;
    path->row_slot[path->entering] = 0;
    path->z0_slot = 0;
    return mo_basis_renew(path) ? MO_LEMKE_MOVING : MO_LEMKE_LOST;
}

int mo_lemke_take(mo_lemke_path *path)
{
    path->z0_slot = MO_LEMKE_NOTHING;
    for (int i = 0; i < path->n; ++i)
        path->row_slot[i] = path->column_slot[i] = path->basic[i] == Z ? 0 : MO_LEMKE_NOTHING;
    return mo_basis_factor(path);
}

void mo_lemke_hold(mo_lemke_path *path, const double *c)
{
    path->c = c;
    mo_basis_variables(path, c, path->value, &path->value0);
    mo_basis_clean(path);
}

/* d = w - S z - c for the point of the last path. */
static void aim(mo_lemke_path *path, const double *c, double *d)
{
    for (int i = 0; i < path->n; ++i)
        if (path->basic[i] == Z) path->y[path->column_slot[i]] = path->value[i];
    path->d = d;
    mo_basis_apply(path, path->y);
    for (int i = 0; i < path->n; ++i)
        d[i] = (path->basic[i] == W ? path->value[i] : 0) - path->image[i] - c[i];
}

/* p for which every basic variable has a positive rate, given in path->rate. */
static void choose_rates(mo_lemke_path *path, double *p)
{
    for (int i = 0; i < path->n; ++i)
        if (path->basic[i] == Z) path->y[path->column_slot[i]] = path->rate[i];
    mo_basis_apply(path, path->y);
    for (int i = 0; i < path->n; ++i)
        p[i] = (path->basic[i] == W ? path->rate[i] : 0) - path->image[i];
}

/* The first step, from z0 = 1 down to where the first basic variable reaches zero. */
static mo_lemke_state step_down(mo_lemke_path *path)
{
    mo_basis_solve(path, 1, path->d);
    mo_basis_apply(path, path->y);
    double size = 1;
    for (int i = 0; i < path->n; ++i) {
        path->direction[i] =
            path->basic[i] == Z ? path->y[path->column_slot[i]] : path->image[i] - path->d[i];
        size = fmax(size, fabs(path->direction[i]));
    }
    path->direction0 = -1;
    path->flat = FLAT * size;
    const double step = longest_step(path);
    const int leaving = choose_leaving(path, step);
    if (leaving == path->n) return mo_basis_values(path) ? MO_LEMKE_SOLVED : MO_LEMKE_LOST;
    const double down = -path->direction[leaving];
    path->entering = leaving; /* so that move() sets nothing else */
    move(path, step, path->rate[leaving] / down);
    path->enters_z = path->basic[leaving] == W;
    if (path->enters_z) {
        grow(path, path->n, leaving);
    } else {
        const int column = path->column_slot[leaving];
        path->column_slot[leaving] = MO_LEMKE_NOTHING;
        mo_inverse_replace_column(&path->inverse, column, path->y);
        path->z0_slot = column;
    }
    path->basic[leaving] = NEITHER;
    ++path->since_factor;
    return MO_LEMKE_MOVING;
}

mo_lemke_state mo_lemke_resume(mo_lemke_path *path, const double *c, double *d, double *p)
{
    aim(path, c, d);
    path->c = c;
    path->p = p;
    memcpy(path->rate, p, (size_t)path->n * sizeof *p);
    choose_rates(path, p);
    path->value0 = 1;
    path->rate0 = 0;
    return step_down(path);
}

void mo_lemke_keep(const mo_lemke_path *path, int *basic, double *value)
{
    memcpy(basic, path->basic, (size_t)path->n * sizeof *basic);
    memcpy(value, path->value, (size_t)path->n * sizeof *value);
}

void mo_lemke_restore(mo_lemke_path *path, const int *basic, const double *value)
{
    memcpy(path->basic, basic, (size_t)path->n * sizeof *basic);
    memcpy(path->value, value, (size_t)path->n * sizeof *value);
}

void mo_lemke_point(const mo_lemke_path *path, double *z)
{
    for (int i = 0; i < path->n; ++i)
        z[i] = path->basic[i] == Z ? path->value[i] : 0;
}

void mo_lemke_ray(const mo_lemke_path *path, double *z)
{
    for (int i = 0; i < path->n; ++i) {
        z[i] = path->basic[i] == Z ? path->direction[i] : 0;
        z[i] = fabs(z[i]) > path->flat ? z[i] : 0;
    }
    if (path->enters_z) z[path->entering] = 1;
}

void mo_lemke_correct(mo_lemke_path *path, const double *w, double *dz)
{
    mo_basis_solve(path, -1, w);
    for (int i = 0; i < path->n; ++i)
        dz[i] = path->basic[i] == Z ? path->y[path->column_slot[i]] : 0;
}
