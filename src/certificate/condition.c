/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Decides the convex conditions of moreau/certificate.h, each by the shortest motion in natural units with
 *
 *     c.(A x + b) >= t   for all rays c of K                                                                    (1)
 *
 * and a margin t.  A polyhedral cone has finitely many rays.  A round one has (1, mu d) for every unit vector d: it starts
 * with eight, and each round adds the one that the motion at hand fails most, d = -u_T / |u_T|.  So the rows are
 * always a relaxation: if they contradict each other, their multipliers add up rays of the true cone to an impulse r
 * that proves failure; if the motion meets the cone itself, with the margin to spare for rounding, it proves that
 * the condition holds.  The margin is tried from large to small; pointed cones have the margin one and b = 0.
 *
 * Limits: 96 rows and 128 velocities, but for v = 0.  Where K* is met on its border alone (a wedge that just fits) neither answer
 * can be proven, but for v = 0 where w = 0.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certificate/polyhedron.h"
#include "linalg/dense.h"
#include "measure/certificate.h"
#include "measure/condition.h"

enum { ROUNDS = 60, FIRST_RAYS = 8 };

/* One row of (1): unit and ray. */
typedef struct cut {
    int unit;
    double ray[3];
} cut;

typedef struct program {
    mo_motion_map *map;
    mo_condition_kind kind;
    mo_polyhedron polyhedron;
    cut *cuts;
    int cut_count, most_cuts;
    double *x, *r; /* motion and impulse at hand, natural units */
} program;

static int is_joint(const mo_unit *unit)
{
    return unit->law.kind == MO_LAW_BILATERAL;
}

static void add_cut(program *p, int unit, double c0, double c1, double c2)
{
    if (p->cut_count < p->most_cuts) {
        p->cuts[p->cut_count++] = (cut){unit, {c0, c1, c2}};
    }
}

static void first_cuts(program *p)
{
    double rays[64][3];
    p->cut_count = 0;
    for (int k = 0; k < p->map->unit_count; ++k) {
        const mo_unit *unit = &p->map->units[k];
        if (is_joint(unit)) {
            add_cut(p, k, 1, 0, 0);
            continue;
        }
        const int count = mo_condition_rays(unit, mo_condition_is_frictionless(p->kind), rays);
        for (int j = 0; j < count; ++j) {
            add_cut(p, k, rays[j][0], rays[j][1], rays[j][2]);
        }
        for (int j = 0; j < FIRST_RAYS && count == 0; ++j) {
            const double angle = acos(-1.0) / 4 * j, mu = unit->law.mu;
            add_cut(p, k, 1, mu * cos(angle), mu * sin(angle));
        }
    }
}

/* The cuts as rows of the polyhedron in x. */
static void load(program *p, double margin)
{
    const mo_motion_map *map = p->map;
    const int n = map->columns, homogeneous = mo_condition_is_homogeneous(p->kind);
    p->polyhedron.rows = p->cut_count;
    for (int m = 0; m < p->cut_count; ++m) {
        const mo_unit *unit = &map->units[p->cuts[m].unit];
        double *a = p->polyhedron.a + (size_t)m * n, *b = &p->polyhedron.b[m];
        p->polyhedron.is_equation[m] = is_joint(unit);
        memset(a, 0, (size_t)n * sizeof *a);
        *b = is_joint(unit) ? 0 : -margin;
        for (int k = 0; k < unit->dim; ++k) {
            const int row = unit->row + k;
            for (int j = 0; j < n; ++j) {
                a[j] += p->cuts[m].ray[k] * map->A[(size_t)row * n + j].mid;
            }
            *b += homogeneous ? 0 : p->cuts[m].ray[k] * map->b[row].mid;
        }
    }
}

/* The multipliers as an impulse; a round cone's is put inside by a little more r_N. */
static void impulse_of(program *p)
{
    memset(p->r, 0, (size_t)p->map->rows * sizeof *p->r);
    for (int m = 0; m < p->cut_count; ++m) {
        const mo_unit *unit = &p->map->units[p->cuts[m].unit];
        for (int k = 0; k < unit->dim; ++k) {
            p->r[unit->row + k] += p->polyhedron.y[m] * p->cuts[m].ray[k];
        }
    }
    for (int k = 0; k < p->map->unit_count; ++k) {
        const mo_unit *unit = &p->map->units[k];
        if (!is_joint(unit) && !mo_condition_is_frictionless(p->kind) && unit->law.mu > 0) {
            p->r[unit->row] *= 1 + 64 * DBL_EPSILON;
        }
    }
}

/* Adds a cut for every round cone whose dual the motion leaves; their number. */
static int cut_again(program *p, double margin)
{
    const mo_motion_map *map = p->map;
    int added = 0;
    for (int k = 0; k < map->unit_count; ++k) {
        const mo_unit *unit = &map->units[k];
        if (unit->law.kind != MO_LAW_COULOMB || unit->dim != 3 || !(unit->law.mu > 0) ||
            mo_condition_is_frictionless(p->kind)) {
            continue;
        }
        double u[3];
        for (int i = 0; i < 3; ++i) {
            const int row = unit->row + i;
            u[i] = mo_condition_is_homogeneous(p->kind) ? 0 : map->b[row].mid;
            for (int j = 0; j < map->columns; ++j) {
                u[i] += map->A[(size_t)row * map->columns + j].mid * p->x[j];
            }
        }
        const double slip = hypot(u[1], u[2]), mu = unit->law.mu;
        if (slip > 0 && u[0] - mu * slip < 0.5 * margin) {
            add_cut(p, k, 1, -mu * u[1] / slip, -mu * u[2] / slip);
            ++added;
        }
    }
    return added;
}

/* One margin. */
static mo_answer try_margin(program *p, double margin, double *reach)
{
    first_cuts(p);
    for (int round = 0; round < ROUNDS; ++round) {
        load(p, margin);
        mo_polyhedron_decide(&p->polyhedron);
        memcpy(p->x, p->polyhedron.x, (size_t)p->map->columns * sizeof *p->x);
        if (p->polyhedron.has_point && mo_motion_proves(p->map, p->kind, p->x)) {
            return MO_ANSWER_HOLDS;
        }
        if (p->polyhedron.has_proof) {
            impulse_of(p);
            *reach = mo_impulse_reach(p->map, p->kind, p->r);
            if (*reach >= MO_REACH_OF_MOTION) {
                return MO_ANSWER_FAILS;
            }
        }
        if (!p->polyhedron.has_point || !cut_again(p, margin)) {
            break;
        }
    }
    return MO_ANSWER_UNKNOWN;
}

static mo_answer decide(program *p, double *reach)
{
    static const double margins[] = {1e-2, 1e-5, 1e-8, 0};
    memset(p->x, 0, (size_t)p->map->columns * sizeof *p->x);
    if (mo_motion_proves(p->map, p->kind, p->x)) { /* v = 0 */
        return MO_ANSWER_HOLDS;
    }
    if (mo_condition_is_homogeneous(p->kind)) {
        return try_margin(p, 1, reach);
    }
    mo_answer answer = MO_ANSWER_UNKNOWN;
    for (int k = 0; k < 4 && answer == MO_ANSWER_UNKNOWN; ++k) {
        answer = try_margin(p, margins[k], reach);
    }
    return answer;
}

/* ---- around it -------------------------------------------------------------------------------- */

static void lay_out(program *p, mo_arena *arena)
{
    const mo_motion_map *map = p->map;
    p->cuts = MO_TAKE(arena, p->most_cuts, cut);
    p->x = MO_TAKE(arena, map->columns, double);
    p->r = MO_TAKE(arena, map->rows, double);
    mo_polyhedron_layout(map->columns, p->most_cuts, arena, &p->polyhedron);
}

static double *keep(mo_condition *condition, int count, const double *x, const double *unit)
{
    double *kept = mo_memory_array(&condition->allocator, (size_t)count, sizeof *kept);
    for (int k = 0; k < count && kept; ++k) {
        kept[k] = x[k] * unit[k];
    }
    return kept;
}

static mo_error decide_in(mo_motion_map *map, mo_condition *condition)
{
    enum { CUTS_A_UNIT = FIRST_RAYS + ROUNDS };
    program p = {
        .map = map, .kind = condition->kind, .most_cuts = map->unit_count * CUTS_A_UNIT + 1};
    mo_arena arena = {0};
    lay_out(&p, &arena);
    void *memory = mo_memory_array(&condition->allocator, arena.used + MO_ARENA_ALIGN, 1);
    if (!memory) {
        return MO_ERR_MEMORY;
    }
    arena = (mo_arena){memory, 0};
    lay_out(&p, &arena);
    condition->answer = decide(&p, &condition->reach);
    mo_error error = MO_OK;
    if (condition->answer == MO_ANSWER_HOLDS) {
        condition->motion_count = map->columns;
        condition->motion = keep(condition, map->columns, p.x, map->unit);
        condition->reach = 0;
        error = condition->motion ? MO_OK : MO_ERR_MEMORY;
    } else if (condition->answer == MO_ANSWER_FAILS) {
        condition->impulse_count = map->rows;
        condition->impulse = keep(condition, map->rows, p.r, map->enclosure.unit_r);
        error = condition->impulse ? MO_OK : MO_ERR_MEMORY;
    }
    mo_memory_free(&condition->allocator, memory);
    return error;
}

/* v = 0, for a global problem of any size: all external objects at rest [acary2011, section 5.6]. */
static mo_error try_rest(const mo_problem *problem, mo_condition *condition)
{
    const size_t dofs = (size_t)problem->dof_count;
    double *v = mo_memory_array(&condition->allocator, dofs, sizeof *v);
    if (!v) {
        return MO_ERR_MEMORY;
    }
    memset(v, 0, dofs * sizeof *v);
    if (mo_velocity_proves(problem, condition->kind, v)) {
        condition->answer = MO_ANSWER_HOLDS;
        condition->motion = v;
        condition->motion_count = problem->dof_count;
    } else {
        mo_memory_free(&condition->allocator, v);
    }
    return MO_OK;
}

static mo_error decide_by_map(const mo_problem *problem, mo_condition *condition)
{
    mo_motion_map map;
    mo_error error = mo_motion_map_create(problem, &map, &condition->message);
    if (error) {
        return error == MO_ERR_UNSUPPORTED ? MO_OK : error;
    }
    if (map.columns > MO_POLYHEDRON_MOST_UNKNOWNS) {
        mo_say(&condition->message, "%d velocities are more than the %d that this takes",
               map.columns, MO_POLYHEDRON_MOST_UNKNOWNS);
    } else if (!mo_motion_map_is_symmetric(&map)) {
        mo_say(&condition->message, "%s", "it needs a symmetric W");
    } else {
        error = decide_in(&map, condition);
    }
    mo_motion_map_destroy(&map);
    return error;
}

/* Nothing leaves that the checker, on its own, does not accept. */
static mo_error confirm(const mo_problem *problem, mo_condition *condition)
{
    mo_certificate_report report;
    const mo_error error = mo_condition_check(problem, condition, &report);
    if (!error && !report.holds) {
        mo_condition_clear(condition);
    }
    return error;
}

mo_error mo_condition_decide(const mo_problem *problem, mo_condition_kind kind,
                             mo_condition *condition)
{
    *condition =
        (mo_condition){.kind = kind, .answer = MO_ANSWER_UNKNOWN, .allocator = problem->allocator};
    if ((unsigned)kind >= MO_CONDITION_COUNT) {
        return MO_ERR_ARGUMENT;
    }
    if (!mo_condition_applies(problem, kind, &condition->message)) {
        return MO_OK;
    }
    mo_error error = problem->form == MO_FORM_GLOBAL ? try_rest(problem, condition) : MO_OK;
    if (!error && condition->answer == MO_ANSWER_UNKNOWN) {
        error = decide_by_map(problem, condition);
        error =
            error || condition->answer == MO_ANSWER_UNKNOWN ? error : confirm(problem, condition);
    }
    return error;
}

void mo_condition_clear(mo_condition *condition)
{
    mo_memory_free(&condition->allocator, condition->motion);
    mo_memory_free(&condition->allocator, condition->impulse);
    *condition = (mo_condition){.kind = condition->kind, .answer = MO_ANSWER_UNKNOWN};
}
