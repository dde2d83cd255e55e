/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Decides the convex conditions of moreau/certificate.h.  Each is the search for the shortest
 * motion, in natural units, with
 *
 *     c.(A x + b) >= t   for all rays c of K                                                    (1)
 *
 * and a margin t.  A polyhedral cone has finitely many rays.  A circular one has (1, mu d) for
 * every unit vector d: the search starts with eight, and each round adds the ray that the motion
 * violates most, d = -u_T / |u_T|.  The rows are always a relaxation.  If they contradict each
 * other, their multipliers combine rays of the exact cone to an impulse r that proves failure.  If
 * the motion satisfies the cone itself, with a margin for rounding, it proves that the condition
 * holds.  Margins are tried from large to small; pointed cones have margin one and b = 0.
 *
 * Limits: 96 rows and 128 velocities, except for v = 0.  If K* is reached only on its boundary (a
 * wedge that just fits), neither answer can be proven, except by v = 0 if w = 0.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certificate/search.h"
#include "linalg/dense.h"
#include "measure/certificate.h"
#include "measure/condition.h"

enum { ROUNDS = 60, FIRST_RAYS = 8 };

/* One row of (1): unit and ray. */
typedef struct cut {
    int unit;
    double ray[MO_CONE_MOST_ROWS];
} cut;

typedef struct program {
    mo_motion_map *map;
    mo_condition_kind kind;
    mo_polyhedron polyhedron;
    cut *cuts;
    int cut_count, most_cuts;
    double *x, *r; /* motion and current impulse, natural units */
} program;

static void add_cut(program *p, int unit, const double *ray)
{
    if (p->cut_count < p->most_cuts) {
        cut *next = &p->cuts[p->cut_count++];
        next->unit = unit;
        memcpy(next->ray, ray, sizeof next->ray);
    }
}

/* Both ends of every axis; in the plane of sliding the diagonals as well. */
static void first_round_cuts(program *p, int k)
{
    const mo_unit *unit = &p->map->units[k];
    int groups[MO_CONE_MOST_GROUPS + 1];
    double c[MO_CONE_MOST_ROWS];
    mo_cone_groups(unit, groups, c);
    for (int j = 0; j < FIRST_RAYS; ++j) {
        const double angle = acos(-1.0) / 4 * j;
        const double ray[MO_CONE_MOST_ROWS] = {1, c[1] * cos(angle), c[2] * sin(angle)};
        add_cut(p, k, ray);
    }
    for (int j = 6; j < 2 * unit->dim; ++j) {
        double ray[MO_CONE_MOST_ROWS] = {1};
        ray[j / 2] = j % 2 ? c[j / 2] : -c[j / 2];
        add_cut(p, k, ray);
    }
}

static void first_cuts(program *p)
{
    static const double alone[MO_CONE_MOST_ROWS] = {1};
    double rays[MO_CONE_MOST_RAYS][MO_CONE_MOST_ROWS];
    p->cut_count = 0;
    for (int k = 0; k < p->map->unit_count; ++k) {
        const mo_unit *unit = &p->map->units[k];
        if (mo_cone_is_joint(unit)) {
            add_cut(p, k, alone);
            continue;
        }
        const int count = mo_cone_rays(unit, mo_condition_is_frictionless(p->kind), rays);
        for (int j = 0; j < count; ++j)
            add_cut(p, k, rays[j]);
        if (count == 0) first_round_cuts(p, k);
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
        p->polyhedron.is_equation[m] = mo_cone_is_joint(unit);
        memset(a, 0, (size_t)n * sizeof *a);
        *b = mo_cone_is_joint(unit) ? 0 : -margin;
        for (int k = 0; k < unit->dim; ++k) {
            const int row = unit->row + k;
            for (int j = 0; j < n; ++j)
                a[j] += p->cuts[m].ray[k] * map->A[(size_t)row * n + j].mid;
            *b += homogeneous ? 0 : p->cuts[m].ray[k] * map->b[row].mid;
        }
    }
}

/* The multipliers as an impulse; for a round cone, slightly more r_N moves it inside. */
static void impulse_of(program *p)
{
    memset(p->r, 0, (size_t)p->map->rows * sizeof *p->r);
    for (int m = 0; m < p->cut_count; ++m) {
        const mo_unit *unit = &p->map->units[p->cuts[m].unit];
        mo_axpy(unit->dim, p->polyhedron.y[m], p->cuts[m].ray, p->r + unit->row);
    }
    for (int k = 0; k < p->map->unit_count; ++k) {
        const mo_unit *unit = &p->map->units[k];
        if (!mo_cone_is_joint(unit) &&
            !mo_cone_is_smooth(unit, mo_condition_is_frictionless(p->kind)))
            p->r[unit->row] *= 1 + 64 * DBL_EPSILON;
    }
}

/* u of the current motion, of one unit. */
static void velocity_of(const program *p, const mo_unit *unit, double *u)
{
    const mo_motion_map *map = p->map;
    for (int i = 0; i < unit->dim; ++i) {
        const int row = unit->row + i;
        u[i] = mo_condition_is_homogeneous(p->kind) ? 0 : map->b[row].mid;
        for (int j = 0; j < map->columns; ++j)
            u[i] += map->A[(size_t)row * map->columns + j].mid * p->x[j];
    }
}

/* The ray of a round cone that u violates most, and the violation: u_N less (2) of unit_cone.h. */
static double worst_ray(const mo_unit *unit, const double *u, double *ray)
{
    int groups[MO_CONE_MOST_GROUPS + 1];
    double c[MO_CONE_MOST_ROWS], rest = u[0];
    const int count = mo_cone_groups(unit, groups, c);
    memset(ray, 0, MO_CONE_MOST_ROWS * sizeof *ray);
    ray[0] = 1;
    for (int g = 0; g < count; ++g) {
        double slip = 0;
        for (int k = groups[g]; k < groups[g + 1]; ++k)
            slip = hypot(slip, c[k] * u[k]);
        for (int k = groups[g]; k < groups[g + 1] && slip > 0; ++k)
            ray[k] = -c[k] * (c[k] * u[k] / slip);
        rest -= slip;
    }
    return rest;
}

/* Adds a cut for every round cone whose dual the motion leaves; their number. */
static int cut_again(program *p, double margin)
{
    double rays[MO_CONE_MOST_RAYS][MO_CONE_MOST_ROWS];
    int added = 0;
    for (int k = 0; k < p->map->unit_count; ++k) {
        const mo_unit *unit = &p->map->units[k];
        double u[MO_CONE_MOST_ROWS], ray[MO_CONE_MOST_ROWS];
        if (mo_cone_is_joint(unit) ||
            mo_cone_rays(unit, mo_condition_is_frictionless(p->kind), rays) > 0)
            continue;
        velocity_of(p, unit, u);
        if (worst_ray(unit, u, ray) < 0.5 * margin) {
            add_cut(p, k, ray);
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
        if (p->polyhedron.has_point && mo_motion_proves(p->map, p->kind, p->x))
            return MO_ANSWER_HOLDS;
        if (p->polyhedron.has_proof) {
            impulse_of(p);
            *reach = mo_impulse_reach(p->map, p->kind, p->r);
            if (*reach >= MO_REACH_OF_MOTION) return MO_ANSWER_FAILS;
        }
        if (!p->polyhedron.has_point || !cut_again(p, margin)) break;
    }
    return MO_ANSWER_UNKNOWN;
}

static mo_answer decide(program *p, double *reach)
{
    static const double margins[] = {1e-2, 1e-5, 1e-8, 0};
    memset(p->x, 0, (size_t)p->map->columns * sizeof *p->x);
    if (mo_motion_proves(p->map, p->kind, p->x)) /* v = 0 */
        return MO_ANSWER_HOLDS;
    if (mo_condition_is_homogeneous(p->kind)) return try_margin(p, 1, reach);
    mo_answer answer = MO_ANSWER_UNKNOWN;
    for (int k = 0; k < 4 && answer == MO_ANSWER_UNKNOWN; ++k)
        answer = try_margin(p, margins[k], reach);
    return answer;
}

/* ---- interface ------------------------------------------------------------------------------- */

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
    for (int k = 0; k < count && kept; ++k)
        kept[k] = x[k] * unit[k];
    return kept;
}

static mo_error decide_in(mo_motion_map *map, mo_condition *condition)
{
    enum { CUTS_A_UNIT = FIRST_RAYS + 4 + ROUNDS };
    program p = {
        .map = map, .kind = condition->kind, .most_cuts = map->unit_count * CUTS_A_UNIT + 1};
    mo_arena arena = {0};
    lay_out(&p, &arena);
    void *memory = mo_arena_allocate(&arena, &condition->allocator);
    MO_NEED_MEMORY(memory, NULL);
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

/* v = 0, for a global problem of any size: every body at rest [acary2011, section 5.6]. */
static mo_error try_rest(const mo_problem *problem, mo_condition *condition)
{
    const size_t dofs = (size_t)problem->dof_count;
    double *v = mo_memory_zeros(&condition->allocator, dofs, sizeof *v);
    MO_NEED_MEMORY(v, NULL);
    if (mo_velocity_proves(problem, condition->kind, condition->friction, v)) {
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
    if (error) return error == MO_ERR_UNSUPPORTED ? MO_OK : error;
    if (map.columns > MO_POLYHEDRON_MOST_UNKNOWNS) {
        mo_say(&condition->message, "the problem has %d velocities; the limit is %d", map.columns,
               MO_POLYHEDRON_MOST_UNKNOWNS);
    } else if (!mo_motion_map_is_symmetric(&map)) {
        mo_say(&condition->message, "%s", "it needs a symmetric W");
    } else {
        mo_motion_map_scale_friction(&map, condition->friction);
        error = decide_in(&map, condition);
    }
    mo_motion_map_destroy(&map);
    return error;
}

/* Results are returned only if the independent checker accepts them. */
static mo_error confirm(const mo_problem *problem, mo_condition *condition)
{
    mo_certificate_report report;
    const mo_error error = mo_condition_check(problem, condition, &report);
    if (!error && !report.holds) mo_condition_clear(condition);
    return error;
}

mo_error mo_condition_decide(const mo_problem *problem, mo_condition_kind kind,
                             mo_condition *condition)
{
    MO_NEED(problem && condition, NULL);
    return mo_condition_decide_with(problem, kind, 1, condition);
}

mo_error mo_condition_decide_with(const mo_problem *problem, mo_condition_kind kind,
                                  double friction, mo_condition *condition)
{
    *condition = (mo_condition){.kind = kind,
                                .answer = MO_ANSWER_UNKNOWN,
                                .friction = friction,
                                .allocator = problem->allocator};
    MO_FAIL_IF((unsigned)kind >= MO_CONDITION_COUNT, MO_ERR_ARGUMENT);
    if (!mo_condition_applies(problem, kind, &condition->message)) return MO_OK;
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
    MO_NEED_OR(, condition, NULL);
    MO_FREE(&condition->allocator, condition->motion, condition->impulse);
    *condition = (mo_condition){
        .kind = condition->kind, .answer = MO_ANSWER_UNKNOWN, .friction = condition->friction};
}
