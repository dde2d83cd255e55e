/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The rows of each cell (cells.h), one function per family. */
#include <math.h>

#include "law/law_ops.h"
#include "measure/cells.h"

/* ---- writing rows ---------------------------------------------------------------------------- */

typedef struct writer {
    const mo_unit *unit;
    double unit_r; /* natural unit of the impulse */
    mo_cell_row *rows;
    int count;
} writer;

static void add(writer *w, int on_u, int is_equation, double c0, double c1, double c2)
{
    w->rows[w->count++] =
        (mo_cell_row){on_u, is_equation, w->unit->row, w->unit->dim, {c0, c1, c2}, 0};
}

/* Component k of u or of r. */
static void add_entry(writer *w, int on_u, int is_equation, int k, double sign)
{
    add(w, on_u, is_equation, k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
}

enum { ON_R = 0, ON_U = 1, AT_LEAST_ZERO = 0, ZERO = 1 };

static void add_all_zero(writer *w, int on_u)
{
    for (int k = 0; k < w->unit->dim; ++k)
        add_entry(w, on_u, ZERO, k, 1);
}

/* u_N = 0, r_N >= 0 */
static void add_closed(writer *w)
{
    add_entry(w, ON_U, ZERO, 0, 1);
    add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
}

/* First rows of a contact: open (false: no others), undecided, sticking or closed. */
static int add_contact(writer *w, int cell, int sticks)
{
    if (cell == 0) {
        add_all_zero(w, ON_R);
        add_entry(w, ON_U, AT_LEAST_ZERO, 0, 1);
    } else if (cell == MO_CELL_ANY) {
        add_entry(w, ON_U, AT_LEAST_ZERO, 0, 1);
        add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
    } else if (sticks) {
        add_all_zero(w, ON_U);
        add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
    } else {
        add_closed(w);
    }
    return cell != 0;
}

/* |r_k| <= mu r_N */
static void add_limit(writer *w, int k)
{
    const double mu = w->unit->law.mu;
    add(w, ON_R, AT_LEAST_ZERO, mu, k == 1 ? 1 : 0, k == 2 ? 1 : 0);
    add(w, ON_R, AT_LEAST_ZERO, mu, k == 1 ? -1 : 0, k == 2 ? -1 : 0);
}

/* Tangential row k: 0 sticks, 1 slides forward (r_k = -mu r_N), 2 backward. */
static void add_tangent(writer *w, int k, int which)
{
    const double mu = w->unit->law.mu, sign = which == 1 ? 1 : -1;
    if (which == 0) {
        add_entry(w, ON_U, ZERO, k, 1);
        add_limit(w, k);
    } else {
        add(w, ON_R, ZERO, sign * mu, k == 1 ? 1 : 0, k == 2 ? 1 : 0);
        add_entry(w, ON_U, AT_LEAST_ZERO, k, sign);
    }
}

/* ---- one function a family ------------------------------------------------------------------- */

static void smooth_rows(writer *w, int cell)
{
    const int is_closed = add_contact(w, cell, 0);
    for (int k = 1; k < w->unit->dim && is_closed; ++k)
        add_entry(w, ON_R, ZERO, k, 1);
}

static void never_slides_rows(writer *w, int cell)
{
    add_contact(w, cell, 1);
}

/* 0 sticks, 1 forward, 2 backward; -1 undecided. */
static int digit_of(const mo_unit *unit, int cell, int k)
{
    const int last = mo_cell_final_count(unit);
    if (cell == MO_CELL_ANY || cell == last + 1) return -1;
    if (cell > last + 1) return k == 1 ? cell - last - 2 : -1;
    return k == 1 ? (cell - 1) % 3 : (cell - 1) / 3;
}

static void pyramid_rows(writer *w, int cell)
{
    const int is_closed = add_contact(w, cell, 0);
    for (int k = 1; k < w->unit->dim && is_closed; ++k) {
        const int digit = digit_of(w->unit, cell, k);
        if (digit < 0)
            add_limit(w, k);
        else
            add_tangent(w, k, digit);
    }
}

typedef struct corner {
    double x, y;
} corner;

static corner corner_of(const mo_law_facets *facets, int j)
{
    const int k = facets->start[1];
    const double *d = facets->direction[(j % k + k) % k];
    return (corner){d[1], d[2]};
}

/* r inside the edge from corner j to j + 1 of the law: mu r_N (n.d_j) - n.r_T >= 0. */
static void add_edge(writer *w, const mo_law_facets *facets, int j, int is_equation)
{
    const corner a = corner_of(facets, j), b = corner_of(facets, j + 1);
    const double nx = b.y - a.y, ny = a.x - b.x;
    add(w, ON_R, is_equation, w->unit->law.mu * (nx * a.x + ny * a.y), -nx, -ny);
}

/* -u_T does not prefer corner j + step to corner j. */
static void add_preference(writer *w, const mo_law_facets *facets, int j, int step)
{
    const corner a = corner_of(facets, j), b = corner_of(facets, j + step);
    add(w, ON_U, AT_LEAST_ZERO, 0, b.x - a.x, b.y - a.y);
}

static void on_corner(writer *w, const mo_law_facets *facets, int j)
{
    const double mu = w->unit->law.mu;
    const corner a = corner_of(facets, j);
    add_closed(w);
    add(w, ON_R, ZERO, -mu * a.x, 1, 0);
    add(w, ON_R, ZERO, -mu * a.y, 0, 1);
    add_preference(w, facets, j, 1);
    add_preference(w, facets, j, -1);
}

static void on_edge(writer *w, const mo_law_facets *facets, int j)
{
    const double mu = w->unit->law.mu;
    const corner a = corner_of(facets, j), b = corner_of(facets, j + 1);
    const double ex = b.x - a.x, ey = b.y - a.y;
    add_closed(w);
    add_edge(w, facets, j, ZERO);
    add(w, ON_R, AT_LEAST_ZERO, -mu * (ex * a.x + ey * a.y), ex, ey);
    add(w, ON_R, AT_LEAST_ZERO, mu * (ex * b.x + ey * b.y), -ex, -ey);
    add(w, ON_U, ZERO, 0, ex, ey);
    add(w, ON_U, AT_LEAST_ZERO, 0, -ey, ex); /* -u_T along the outward normal (ey, -ex) */
}

/* Cells: open, stick, then corner and edge in turn. */
static void faceted_rows(writer *w, int cell)
{
    mo_law_facets facets;
    mo_law_facets_of(&w->unit->law, 3, w->unit->law.facets, &facets);
    if (cell >= 2 && cell % 2 == 0)
        on_corner(w, &facets, cell / 2 - 1);
    else if (cell >= 2)
        on_edge(w, &facets, cell / 2 - 1);
    else if (add_contact(w, cell, 1))
        for (int j = 0; j < w->unit->law.facets; ++j)
            add_edge(w, &facets, j, AT_LEAST_ZERO);
}

/* More than the rounding of a cosine, a product and a difference. */
static const double OUTWARD = 1 + 0x1p-48, INWARD = 1 - 0x1p-48;

/* -r_T.d <= mu r_N for d at this angle in radians. */
static void add_tangent_line(writer *w, double angle)
{
    add(w, ON_R, AT_LEAST_ZERO, w->unit->law.mu * OUTWARD, cos(angle), sin(angle));
}

/* sign x_T is between the directions a and b, less than a half turn apart. */
static void add_between(writer *w, int on_u, double sign, double a, double b)
{
    add(w, on_u, AT_LEAST_ZERO, 0, -sign * sin(a), sign * cos(a));
    add(w, on_u, AT_LEAST_ZERO, 0, sign * sin(b), -sign * cos(b));
}

static double sector_angle(int h, int at)
{
    int level = 0;
    while ((h >> level) >= 2 * MO_CELL_FIRST_SECTOR)
        ++level;
    const int count = MO_CELL_FIRST_SECTOR << level;
    return ldexp(acos(-1.0), -1 - level) * ((h - count + at) % count);
}

static void sector_rows(writer *w, int h)
{
    const double a = sector_angle(h, 0), b = sector_angle(h, 1);
    const double half = 0.5 * (b > a ? b - a : b - a + 2 * acos(-1.0)), middle = a + half;
    add_closed(w);
    add_between(w, ON_U, 1, a, b);
    add_between(w, ON_R, -1, a, b);
    add_tangent_line(w, a);
    add_tangent_line(w, b);
    add_tangent_line(w, middle);
    add(w, ON_R, AT_LEAST_ZERO, -w->unit->law.mu * cos(half) * INWARD, -cos(middle), -sin(middle));
}

static void space_rows(writer *w, int cell)
{
    enum { SIDES = 16 };
    if (cell >= MO_CELL_FIRST_SECTOR)
        sector_rows(w, cell);
    else if (add_contact(w, cell, 1))
        for (int j = 0; j < SIDES; ++j)
            add_tangent_line(w, 2 * acos(-1.0) * j / SIDES);
}

static void sliding_rows(writer *w, int cell)
{
    const double mu = w->unit->law.mu;
    const int is_closed = add_contact(w, cell, 0);
    for (int k = 1; k < w->unit->dim && is_closed; ++k)
        add(w, ON_R, ZERO, mu * w->unit->law.direction[k - 1], k == 1 ? 1 : 0, k == 2 ? 1 : 0);
}

static void add_bound(writer *w, int is_equation, double sign, double bound)
{
    if (!isinf(bound)) {
        add_entry(w, ON_R, is_equation, 0, sign);
        w->rows[w->count - 1].constant = sign * bound / w->unit_r;
    }
}

/* Cells: lower, upper, held; a row with equal bounds is always at its bound, whatever its u. */
static void box_rows(writer *w, int cell)
{
    const double lower = *w->unit->law.lower, upper = *w->unit->law.upper;
    if (lower == upper) {
        add_bound(w, ZERO, 1, lower);
    } else if (cell == 0) {
        add_bound(w, ZERO, 1, lower);
        add_entry(w, ON_U, AT_LEAST_ZERO, 0, 1);
    } else if (cell == 1) {
        add_bound(w, ZERO, 1, upper);
        add_entry(w, ON_U, AT_LEAST_ZERO, 0, -1);
    } else {
        if (cell == 2) add_entry(w, ON_U, ZERO, 0, 1);
        add_bound(w, AT_LEAST_ZERO, 1, lower);
        add_bound(w, AT_LEAST_ZERO, -1, upper);
    }
}

/* ---- rows of each family --------------------------------------------------------------------- */

static void joint_rows(writer *w, int cell)
{
    (void)cell;
    add_all_zero(w, ON_U);
}

int mo_cell_rows(const mo_unit *unit, int cell, double unit_r, mo_cell_row *rows)
{
    static void (*const of_family[])(writer *, int) = {
        [MO_FAMILY_SMOOTH] = smooth_rows,   [MO_FAMILY_NEVER_SLIDES] = never_slides_rows,
        [MO_FAMILY_PLANE] = pyramid_rows,   [MO_FAMILY_PYRAMID] = pyramid_rows,
        [MO_FAMILY_FACETED] = faceted_rows, [MO_FAMILY_SPACE] = space_rows,
        [MO_FAMILY_SLIDING] = sliding_rows, [MO_FAMILY_BOX] = box_rows,
        [MO_FAMILY_JOINT] = joint_rows};
    const mo_cell_family family = mo_cell_family_of(unit);
    writer w = {unit, unit_r, rows, 0};
    if (family != MO_FAMILY_NONE) of_family[family](&w, cell);
    return w.count;
}
