/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/cells.h"

#include <math.h>

#include "law/law_ops.h"

/* What a unit is, from its law and parameters. */
typedef enum family {
    FAMILY_NONE, /* no cells */
    FAMILY_SMOOTH,
    FAMILY_NEVER_SLIDES,
    FAMILY_PLANE,
    FAMILY_SPACE,
    FAMILY_FACETED,
    FAMILY_PYRAMID,
    FAMILY_SLIDING,
    FAMILY_BOX,
    FAMILY_JOINT
} family;

static family family_of(const mo_unit *unit)
{
    const mo_law *law = &unit->law;
    switch (law->kind) {
    case MO_LAW_FRICTIONLESS:
        return FAMILY_SMOOTH;
    case MO_LAW_BILATERAL:
        return FAMILY_JOINT;
    case MO_LAW_BOX:
        return FAMILY_BOX;
    case MO_LAW_SLIDING:
        return FAMILY_SLIDING;
    case MO_LAW_FACETED:
        return law->mu > 0 ? FAMILY_FACETED : FAMILY_SMOOTH;
    case MO_LAW_PYRAMID:
        return law->mu > 0 ? FAMILY_PYRAMID : FAMILY_SMOOTH;
    case MO_LAW_COULOMB:
        if (isinf(law->mu)) {
            return FAMILY_NEVER_SLIDES;
        }
        return !(law->mu > 0) ? FAMILY_SMOOTH : unit->dim == 2 ? FAMILY_PLANE : FAMILY_SPACE;
    default:
        return FAMILY_NONE;
    }
}

int mo_units_list(const mo_problem *problem, mo_unit *units)
{
    int count = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        const int by_row = view.law.kind == MO_LAW_BOX || view.law.kind == MO_LAW_BILATERAL;
        for (int k = 0; k < (by_row ? view.dim : 1); ++k) {
            mo_unit *unit = &units[count++];
            *unit = (mo_unit){i, view.offset + k, by_row ? 1 : view.dim, view.law};
            if (view.law.kind == MO_LAW_BOX) {
                unit->law.lower += k;
                unit->law.upper += k;
            }
        }
    }
    return count;
}

int mo_units_of(const mo_problem *problem, mo_unit *units)
{
    const int count = mo_units_list(problem, units);
    for (int k = 0; k < count; ++k) {
        if (family_of(&units[k]) == FAMILY_NONE) {
            return -1;
        }
    }
    return count;
}

/* ---- writing rows ---------------------------------------------------------------------------- */

typedef struct writer {
    const mo_unit *unit;
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
    for (int k = 0; k < w->unit->dim; ++k) {
        add_entry(w, on_u, ZERO, k, 1);
    }
}

static void add_apart(writer *w)
{
    add_all_zero(w, ON_R);
    add_entry(w, ON_U, AT_LEAST_ZERO, 0, 1);
}

static void add_closed(writer *w)
{
    add_entry(w, ON_U, ZERO, 0, 1);
    add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
}

static void add_undecided(writer *w)
{
    add_entry(w, ON_U, AT_LEAST_ZERO, 0, 1);
    add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
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
    if (cell == 0) {
        add_apart(w);
        return;
    }
    if (cell == MO_CELL_ANY) {
        add_undecided(w);
    } else {
        add_closed(w);
    }
    for (int k = 1; k < w->unit->dim; ++k) {
        add_entry(w, ON_R, ZERO, k, 1);
    }
}

static void never_slides_rows(writer *w, int cell)
{
    if (cell == MO_CELL_ANY) {
        add_undecided(w);
    } else if (cell == 0) {
        add_apart(w);
    } else {
        add_all_zero(w, ON_U);
        add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
    }
}

/*
 * Coulomb in the plane and pyramids.  Cells 1 .. 3 or 1 .. 9 are final, one digit in base three for each tangential row.  The
 * next one is closed with both rows undecided; then, for pyramids, three in which the first row is decided.
 */
static int final_cells(const mo_unit *unit)
{
    return unit->dim == 2 ? 3 : 9;
}

/* 0 sticks, 1 forward, 2 backward; -1 undecided. */
static int digit_of(const mo_unit *unit, int cell, int k)
{
    const int last = final_cells(unit);
    if (cell == MO_CELL_ANY || cell == last + 1) {
        return -1;
    }
    if (cell > last + 1) {
        return k == 1 ? cell - last - 2 : -1;
    }
    return k == 1 ? (cell - 1) % 3 : (cell - 1) / 3;
}

static void pyramid_rows(writer *w, int cell)
{
    if (cell == 0) {
        add_apart(w);
        return;
    }
    if (cell == MO_CELL_ANY) {
        add_undecided(w);
    } else {
        add_closed(w);
    }
    for (int k = 1; k < w->unit->dim; ++k) {
        const int digit = digit_of(w->unit, cell, k);
        if (digit < 0) {
            add_limit(w, k);
        } else {
            add_tangent(w, k, digit);
        }
    }
}

/* Apart or closed; closed, by the rows in turn. */
static int split_pyramid(const mo_unit *unit, int cell, int *children)
{
    const int last = final_cells(unit);
    if (cell == MO_CELL_ANY) {
        children[0] = 0;
        children[1] = last + 1;
        return 2;
    }
    if (cell <= last) {
        return 0;
    }
    for (int k = 0; k < 3; ++k) {
        children[k] = cell > last + 1
                          ? cell - last - 1 + 3 * k /* the second row, beside the first */
                      : unit->dim == 2 ? 1 + k
                                       : last + 2 + k;
    }
    return 3;
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

/* r inside the edge from corner j to j + 1, in the directions' own order: mu r_N (n.d_j) - n.r_T >= 0. */
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

/* Cells: apart, stick, then corner and edge in turn. */
static void faceted_rows(writer *w, int cell)
{
    mo_law_facets facets;
    double p[2] = {w->unit->law.mu, w->unit->law.facets};
    mo_law_faceted_ops.facets(p, 3, w->unit->law.facets, &facets);
    if (cell == 0) {
        add_apart(w);
    } else if (cell >= 2) {
        if (cell % 2 == 0) {
            on_corner(w, &facets, cell / 2 - 1);
        } else {
            on_edge(w, &facets, cell / 2 - 1);
        }
    } else {
        if (cell == MO_CELL_ANY) {
            add_undecided(w);
        } else {
            add_all_zero(w, ON_U);
            add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
        }
        for (int j = 0; j < w->unit->law.facets; ++j) {
            add_edge(w, &facets, j, AT_LEAST_ZERO);
        }
    }
}

/* More than the rounding of a cosine, a product and a difference. */
static const double OUTWARD = 1 + 0x1p-48, INWARD = 1 - 0x1p-48;

/* -r_T.d <= mu r_N for d at so many radians. */
static void add_tangent_line(writer *w, double angle)
{
    add(w, ON_R, AT_LEAST_ZERO, w->unit->law.mu * OUTWARD, cos(angle), sin(angle));
}

/* The vector x_T turned by `sign` is between the directions a and b, less than a half turn apart. */
static void add_between(writer *w, int on_u, double sign, double a, double b)
{
    add(w, on_u, AT_LEAST_ZERO, 0, -sign * sin(a), sign * cos(a));
    add(w, on_u, AT_LEAST_ZERO, 0, sign * sin(b), -sign * cos(b));
}

static double sector_angle(int h, int at)
{
    int level = 0;
    while ((h >> level) >= 2 * MO_CELL_FIRST_SECTOR) {
        ++level;
    }
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
    if (cell >= MO_CELL_FIRST_SECTOR) {
        sector_rows(w, cell);
    } else if (cell == 0) {
        add_apart(w);
    } else {
        if (cell == MO_CELL_ANY) {
            add_undecided(w);
        } else {
            add_all_zero(w, ON_U);
            add_entry(w, ON_R, AT_LEAST_ZERO, 0, 1);
        }
        for (int j = 0; j < SIDES; ++j) {
            add_tangent_line(w, 2 * acos(-1.0) * j / SIDES);
        }
    }
}

static void sliding_rows(writer *w, int cell)
{
    const double mu = w->unit->law.mu;
    if (cell == 0) {
        add_apart(w);
        return;
    }
    if (cell == MO_CELL_ANY) {
        add_undecided(w);
    } else {
        add_closed(w);
    }
    for (int k = 1; k < w->unit->dim; ++k) {
        add(w, ON_R, ZERO, mu * w->unit->law.direction[k - 1], k == 1 ? 1 : 0, k == 2 ? 1 : 0);
    }
}

static void add_bound(writer *w, int is_equation, double sign, double bound, double unit_r)
{
    if (!isinf(bound)) {
        add_entry(w, ON_R, is_equation, 0, sign);
        w->rows[w->count - 1].constant = sign * bound / unit_r;
    }
}

/* Cells: lower, upper, held; a row with equal bounds is always at its bound, whatever its u. */
static void box_rows(writer *w, int cell, double unit_r)
{
    const double lower = *w->unit->law.lower, upper = *w->unit->law.upper;
    if (lower == upper) {
        add_bound(w, ZERO, 1, lower, unit_r);
    } else if (cell == 0) {
        add_bound(w, ZERO, 1, lower, unit_r);
        add_entry(w, ON_U, AT_LEAST_ZERO, 0, 1);
    } else if (cell == 1) {
        add_bound(w, ZERO, 1, upper, unit_r);
        add_entry(w, ON_U, AT_LEAST_ZERO, 0, -1);
    } else {
        if (cell == 2) {
            add_entry(w, ON_U, ZERO, 0, 1);
        }
        add_bound(w, AT_LEAST_ZERO, 1, lower, unit_r);
        add_bound(w, AT_LEAST_ZERO, -1, upper, unit_r);
    }
}

/* ---- by family ------------------------------------------------------------------------------- */

int mo_cell_rows(const mo_unit *unit, int cell, double unit_r, mo_cell_row *rows)
{
    writer w = {unit, rows, 0};
    switch (family_of(unit)) {
    case FAMILY_SMOOTH:
        smooth_rows(&w, cell);
        break;
    case FAMILY_NEVER_SLIDES:
        never_slides_rows(&w, cell);
        break;
    case FAMILY_PLANE:
    case FAMILY_PYRAMID:
        pyramid_rows(&w, cell);
        break;
    case FAMILY_FACETED:
        faceted_rows(&w, cell);
        break;
    case FAMILY_SPACE:
        space_rows(&w, cell);
        break;
    case FAMILY_SLIDING:
        sliding_rows(&w, cell);
        break;
    case FAMILY_BOX:
        box_rows(&w, cell, unit_r);
        break;
    case FAMILY_JOINT:
        add_all_zero(&w, ON_U);
        break;
    case FAMILY_NONE:
        break;
    }
    return w.count;
}

static int count_up(int count, int *children)
{
    for (int k = 0; k < count; ++k) {
        children[k] = k;
    }
    return count;
}

static int split_box(const mo_unit *unit, int *children)
{
    int count = 0;
    if (*unit->law.lower == *unit->law.upper) {
        return 0;
    }
    if (!isinf(*unit->law.lower)) {
        children[count++] = 0;
    }
    if (!isinf(*unit->law.upper)) {
        children[count++] = 1;
    }
    children[count++] = 2;
    return count;
}

/* Apart, stick and four sectors; a sector in two halves, until they are too many to be numbered. */
static int split_space(int cell, int *children)
{
    enum { MOST = 1 << 28 };
    if (cell >= MO_CELL_FIRST_SECTOR) {
        children[0] = 2 * cell;
        children[1] = 2 * cell + 1;
        return cell < MOST ? 2 : 0;
    }
    if (cell != MO_CELL_ANY) {
        return 0;
    }
    count_up(2, children);
    for (int k = 0; k < 4; ++k) {
        children[2 + k] = MO_CELL_FIRST_SECTOR + k;
    }
    return 6;
}

int mo_cell_split(const mo_unit *unit, int cell, int *children)
{
    const family f = family_of(unit);
    if (f == FAMILY_SPACE) {
        return split_space(cell, children);
    }
    if (f == FAMILY_PLANE || f == FAMILY_PYRAMID) {
        return split_pyramid(unit, cell, children);
    }
    if (cell != MO_CELL_ANY) {
        return 0;
    }
    switch (f) {
    case FAMILY_SMOOTH:
    case FAMILY_NEVER_SLIDES:
    case FAMILY_SLIDING:
        return count_up(2, children);
    case FAMILY_FACETED:
        return count_up(2 + 2 * unit->law.facets, children);
    case FAMILY_BOX:
        return split_box(unit, children);
    default:
        return 0;
    }
}

int mo_cell_finals(const mo_unit *unit, int *cells)
{
    int children[MO_CELL_MOST_CELLS], count = 0, pending[MO_CELL_MOST_CELLS] = {MO_CELL_ANY};
    for (int left = 1; left > 0;) {
        const int cell = pending[--left];
        const int split = mo_cell_is_sector(unit, cell) ? 0 : mo_cell_split(unit, cell, children);
        for (int k = 0; k < split; ++k) {
            pending[left++] = children[k];
        }
        if (split == 0) {
            cells[count++] = cell;
        }
    }
    return count;
}

int mo_cell_is_exact(const mo_unit *unit, int cell)
{
    int children[MO_CELL_MOST_CELLS];
    return family_of(unit) == FAMILY_SPACE ? cell == 0 : mo_cell_split(unit, cell, children) == 0;
}

int mo_cell_is_sector(const mo_unit *unit, int cell)
{
    return family_of(unit) == FAMILY_SPACE && cell >= MO_CELL_FIRST_SECTOR;
}

int mo_cell_has_round_cone(const mo_unit *unit, int cell)
{
    return family_of(unit) == FAMILY_SPACE && cell == 1;
}

mo_found_mode mo_cell_mode(const mo_unit *unit, int cell)
{
    const family f = family_of(unit);
    if (f == FAMILY_JOINT) {
        return MO_FOUND_STICK;
    }
    if (f == FAMILY_BOX) {
        const int fixed = *unit->law.lower == *unit->law.upper;
        return fixed || cell == 0 ? MO_FOUND_LOWER : cell == 1 ? MO_FOUND_UPPER : MO_FOUND_HELD;
    }
    if (cell == 0) {
        return MO_FOUND_APART;
    }
    if (f == FAMILY_SMOOTH) {
        return MO_FOUND_TOUCH;
    }
    return cell == 1 && f != FAMILY_SLIDING ? MO_FOUND_STICK : MO_FOUND_SLIDE;
}
