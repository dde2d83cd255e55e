/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/cells.h"

#include <math.h>

mo_cell_family mo_cell_family_of(const mo_unit *unit)
{
    const mo_law *law = &unit->law;
    switch (law->kind) {
    case MO_LAW_FRICTIONLESS:
        return MO_FAMILY_SMOOTH;
    case MO_LAW_BILATERAL:
        return MO_FAMILY_JOINT;
    case MO_LAW_BOX:
        return MO_FAMILY_BOX;
    case MO_LAW_SLIDING:
        return MO_FAMILY_SLIDING;
    case MO_LAW_FACETED:
        return law->mu > 0 ? MO_FAMILY_FACETED : MO_FAMILY_SMOOTH;
    case MO_LAW_PYRAMID:
        return law->mu > 0 ? MO_FAMILY_PYRAMID : MO_FAMILY_SMOOTH;
    case MO_LAW_COULOMB:
        if (isinf(law->mu)) return MO_FAMILY_NEVER_SLIDES;
        return !(law->mu > 0)   ? MO_FAMILY_SMOOTH
               : unit->dim == 2 ? MO_FAMILY_PLANE
                                : MO_FAMILY_SPACE;
    default:
        return MO_FAMILY_NONE;
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
    for (int k = 0; k < count; ++k)
        if (mo_cell_family_of(&units[k]) == MO_FAMILY_NONE) return -1;
    return count;
}

static int count_up(int count, int *children)
{
    for (int k = 0; k < count; ++k)
        children[k] = k;
    return count;
}

int mo_cell_final_count(const mo_unit *unit)
{
    return unit->dim == 2 ? 3 : 9;
}

/* Open or closed; if closed, by its rows in turn. */
static int split_pyramid(const mo_unit *unit, int cell, int *children)
{
    const int last = mo_cell_final_count(unit);
    if (cell == MO_CELL_ANY) {
        children[0] = 0;
        children[1] = last + 1;
        return 2;
    }
    if (cell <= last) return 0;
    for (int k = 0; k < 3; ++k) {
        children[k] = cell > last + 1
                          ? cell - last - 1 + 3 * k /* the second row, beside the first */
                      : unit->dim == 2 ? 1 + k
                                       : last + 2 + k;
    }
    return 3;
}

static int split_box(const mo_unit *unit, int *children)
{
    int count = 0;
    if (*unit->law.lower == *unit->law.upper) return 0;
    if (!isinf(*unit->law.lower)) children[count++] = 0;
    if (!isinf(*unit->law.upper)) children[count++] = 1;
    children[count++] = 2;
    return count;
}

/* Open, stick and four sectors; a sector in two halves, up to the largest number. */
static int split_space(int cell, int *children)
{
    enum { MOST = 1 << 28 };
    if (cell >= MO_CELL_FIRST_SECTOR) {
        children[0] = 2 * cell;
        children[1] = 2 * cell + 1;
        return cell < MOST ? 2 : 0;
    }
    if (cell != MO_CELL_ANY) return 0;
    count_up(2, children);
    for (int k = 0; k < 4; ++k)
        children[2 + k] = MO_CELL_FIRST_SECTOR + k;
    return 6;
}

int mo_cell_split(const mo_unit *unit, int cell, int *children)
{
    const mo_cell_family f = mo_cell_family_of(unit);
    if (f == MO_FAMILY_SPACE) return split_space(cell, children);
    if (f == MO_FAMILY_PLANE || f == MO_FAMILY_PYRAMID) return split_pyramid(unit, cell, children);
    if (cell != MO_CELL_ANY) return 0;
    switch (f) {
    case MO_FAMILY_SMOOTH:
    case MO_FAMILY_NEVER_SLIDES:
    case MO_FAMILY_SLIDING:
        return count_up(2, children);
    case MO_FAMILY_FACETED:
        return count_up(2 + 2 * unit->law.facets, children);
    case MO_FAMILY_BOX:
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
        for (int k = 0; k < split; ++k)
            pending[left++] = children[k];
        if (split == 0) cells[count++] = cell;
    }
    return count;
}

int mo_cell_is_exact(const mo_unit *unit, int cell)
{
    int children[MO_CELL_MOST_CELLS];
    return mo_cell_family_of(unit) == MO_FAMILY_SPACE ? cell == 0
                                                      : mo_cell_split(unit, cell, children) == 0;
}

int mo_cell_is_sector(const mo_unit *unit, int cell)
{
    return mo_cell_family_of(unit) == MO_FAMILY_SPACE && cell >= MO_CELL_FIRST_SECTOR;
}

int mo_cell_has_round_cone(const mo_unit *unit, int cell)
{
    return mo_cell_family_of(unit) == MO_FAMILY_SPACE && cell == 1;
}

mo_found_mode mo_cell_mode(const mo_unit *unit, int cell)
{
    const mo_cell_family f = mo_cell_family_of(unit);
    if (f == MO_FAMILY_JOINT) return MO_FOUND_STICK;
    if (f == MO_FAMILY_BOX) {
        const int fixed = *unit->law.lower == *unit->law.upper;
        return fixed || cell == 0 ? MO_FOUND_LOWER : cell == 1 ? MO_FOUND_UPPER : MO_FOUND_HELD;
    }
    if (cell == 0) return MO_FOUND_APART;
    if (f == MO_FAMILY_SMOOTH) return MO_FOUND_TOUCH;
    return cell == 1 && f != MO_FAMILY_SLIDING ? MO_FOUND_STICK : MO_FOUND_SLIDE;
}
