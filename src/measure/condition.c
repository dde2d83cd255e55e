/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/condition.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "measure/certificate.h"

/* ---- the map --------------------------------------------------------------------------------- */

static mo_interval times(mo_interval a, double power)
{
    return mo_interval_mul((mo_interval){power, 0}, a);
}

/* H' and w in the natural units of the rows. */
static void write_jacobians(mo_motion_map *map)
{
    const mo_problem *problem = map->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        for (int b = 0; b < view.block_count; ++b) {
            const mo_block_view block = mo_problem_block(problem, i, b);
            const int n = mo_body_dim(problem, block.index),
                      start = problem->body_start[block.index];
            for (int k = 0; k < view.dim * n; ++k) {
                const int row = view.offset + k / n;
                map->A[(size_t)row * map->columns + start + k % n] =
                    times(mo_interval_exact(block.values[k]), 1 / map->enclosure.unit_u[row]);
            }
        }
    }
    for (int k = 0; k < map->rows; ++k)
        map->b[k] = times(mo_interval_exact(problem->w[k]), 1 / map->enclosure.unit_u[k]);
}

static void scale_columns(mo_motion_map *map)
{
    for (int j = 0; j < map->columns; ++j) {
        double largest = 0;
        for (int i = 0; i < map->rows; ++i)
            largest = fmax(largest, fabs(map->A[(size_t)i * map->columns + j].mid));
        map->unit[j] = 1 / mo_power_of_two(largest);
        for (int i = 0; i < map->rows; ++i) {
            mo_interval *entry = &map->A[(size_t)i * map->columns + j];
            *entry = times(*entry, map->unit[j]);
        }
    }
}

static void lay_out(mo_motion_map *map, mo_arena *arena)
{
    map->A = MO_TAKE(arena, (size_t)map->rows * map->columns, mo_interval);
    map->b = MO_TAKE(arena, map->rows, mo_interval);
    map->unit = MO_TAKE(arena, map->columns, double);
    map->units = MO_TAKE(arena, map->rows, mo_unit);
}

static void fill(mo_motion_map *map)
{
    const size_t entries = (size_t)map->rows * map->columns;
    if (map->problem->form == MO_FORM_GLOBAL) {
        for (size_t k = 0; k < entries; ++k)
            map->A[k] = mo_interval_exact(0);
        write_jacobians(map);
    } else if (entries) {
        memcpy(map->A, map->enclosure.W, entries * sizeof *map->A);
        memcpy(map->b, map->enclosure.q, (size_t)map->rows * sizeof *map->b);
    }
    scale_columns(map);
    if (map->problem->form == MO_FORM_REDUCED) /* its columns are in units of r already */
        for (int j = 0; j < map->columns; ++j)
            map->unit[j] *= map->enclosure.unit_r[j];
    map->unit_count = mo_units_list(map->problem, map->units);
}

static mo_law with_friction(mo_law law, double factor)
{
    law.mu *= factor;
    law.mu_rolling *= factor;
    law.mu_torsion *= factor;
    return law;
}

void mo_motion_map_scale_friction(mo_motion_map *map, double factor)
{
    for (int k = 0; k < map->unit_count && factor != 1; ++k)
        map->units[k].law = with_friction(map->units[k].law, factor);
}

mo_error mo_motion_map_create(const mo_problem *problem, mo_motion_map *map, mo_message *why)
{
    *map = (mo_motion_map){.problem = problem, .rows = problem->row_count};
    map->columns = problem->form == MO_FORM_GLOBAL ? problem->dof_count : problem->row_count;
    MO_TRY(mo_enclosure_create(problem, &map->enclosure, why));
    mo_arena arena = {0};
    lay_out(map, &arena);
    map->memory = mo_arena_allocate(&arena, &problem->allocator);
    if (!map->memory) {
        mo_enclosure_destroy(&map->enclosure);
        return mo_fail_memory(why);
    }
    lay_out(map, &arena);
    fill(map);
    return MO_OK;
}

void mo_motion_map_destroy(mo_motion_map *map)
{
    mo_memory_free(&map->problem->allocator, map->memory);
    map->memory = NULL;
    mo_enclosure_destroy(&map->enclosure);
}

/* ---- cones ----------------------------------------------------------------------------------- */

/* The reason why the theory does not cover the law; NULL if it does. */
static const char *reason_of_law(const mo_law *law, mo_condition_kind kind)
{
    const int frictionless = mo_condition_is_frictionless(kind);
    const int has_moments = law->kind == MO_LAW_ROLLING || law->kind == MO_LAW_SOFT_FINGER;
    if (has_moments && kind == MO_CONDITION_CLOSED) {
        return "its theorem is about Coulomb's cone, and some contacts have rolling or torsional "
               "friction; see strict";
    }
    if (law->kind == MO_LAW_BILATERAL && mo_condition_is_homogeneous(kind))
        return "joints would have to be proven independent, which is not done";
    if (law->kind == MO_LAW_BOX) return "it assumes cones, but some laws have bounds";
    if (law->kind == MO_LAW_SLIDING && !frictionless) {
        return "it assumes friction opposite to sliding, but some contacts have a prescribed "
               "direction";
    }
    const int coulomb = law->kind == MO_LAW_COULOMB || has_moments;
    return coulomb && (isinf(law->mu) || isinf(law->mu_torsion)) && !frictionless
               ? "it needs finite friction coefficients"
               : NULL;
}

int mo_condition_applies(const mo_problem *problem, mo_condition_kind kind, mo_message *why)
{
    const char *reason = NULL;
    if (problem->compliance)
        reason = "it assumes hard laws, but some are compliant";
    else if (problem->form == MO_FORM_GLOBAL && !problem->is_symmetric)
        reason = "it needs a symmetric mass matrix";
    for (int i = 0; i < problem->constraint_count && !reason; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        reason = reason_of_law(&view.law, kind);
    }
    if (reason) mo_say(why, "%s", reason);
    return !reason;
}

int mo_motion_map_is_symmetric(const mo_motion_map *map)
{
    int symmetric = 1;
    for (int i = 0; i < map->rows && symmetric; ++i) {
        for (int j = 0; j < i && symmetric; ++j) { /* natural units: the diagonal is about one */
            const mo_interval *W = map->enclosure.W;
            symmetric = fabs(W[i * map->rows + j].mid - W[j * map->rows + i].mid) <= 1e-12;
        }
    }
    return symmetric;
}

static int in_dual(const mo_unit *unit, mo_condition_kind kind, const mo_interval *u)
{
    const int frictionless = mo_condition_is_frictionless(kind);
    const int strictly = mo_condition_is_homogeneous(kind) ||
                         (kind == MO_CONDITION_STRICT && !mo_cone_is_smooth(unit, frictionless));
    return mo_cone_has_motion(unit, (mo_cone_question){frictionless, strictly}, u);
}

int mo_motion_proves(const mo_motion_map *map, mo_condition_kind kind, const double *x)
{
    int good = 1;
    for (int k = 0; k < map->unit_count && good; ++k) {
        const mo_unit *unit = &map->units[k];
        mo_interval u[MO_CONE_MOST_ROWS];
        for (int i = 0; i < unit->dim; ++i) {
            const mo_interval *line = map->A + (size_t)(unit->row + i) * map->columns;
            u[i] = mo_interval_combine(mo_condition_is_homogeneous(kind) ? mo_interval_exact(0)
                                                                         : map->b[unit->row + i],
                                       map->columns, x, line);
        }
        good = in_dual(unit, kind, u);
    }
    return good;
}

int mo_velocity_proves(const mo_problem *problem, mo_condition_kind kind, double friction,
                       const double *v)
{
    const int homogeneous = mo_condition_is_homogeneous(kind);
    int good = 1;
    for (int i = 0; i < problem->constraint_count && good; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        const mo_unit unit = {i, view.offset, view.dim,
                              friction == 1 ? view.law : with_friction(view.law, friction)};
        mo_interval u[MO_CONE_MOST_ROWS];
        for (int k = 0; k < view.dim && good; ++k) {
            u[mo_cone_is_joint(&unit) ? 0 : k] =
                mo_row_enclosure(problem, i, k, homogeneous ? 0 : view.w[k], v);
            good = !mo_cone_is_joint(&unit) || in_dual(&unit, kind, u);
        }
        good = good && (mo_cone_is_joint(&unit) || in_dual(&unit, kind, u));
    }
    return good;
}

double mo_impulse_reach(const mo_motion_map *map, mo_condition_kind kind, const double *r)
{
    mo_interval c = mo_interval_exact(0);
    for (int k = 0; k < map->unit_count; ++k) {
        const mo_unit *unit = &map->units[k];
        if (!mo_cone_has_impulse(unit, mo_condition_is_frictionless(kind), r + unit->row)) return 0;
        if (mo_condition_is_homogeneous(kind) && !mo_cone_is_joint(unit))
            c = mo_interval_add(c, mo_interval_exact(-r[unit->row]));
    }
    for (int k = 0; k < map->rows && !mo_condition_is_homogeneous(kind); ++k)
        c = mo_interval_fma(c, r[k], map->b[k]);
    double size = 0;
    for (int j = 0; j < map->columns; ++j) {
        mo_interval g = mo_interval_exact(0);
        for (int i = 0; i < map->rows; ++i)
            g = mo_interval_fma(g, r[i], map->A[(size_t)i * map->columns + j]);
        size += g.mid == 0 && g.rad == 0 ? 0 : mo_interval_size(g);
    }
    return mo_reach_of(c, map->columns, size);
}

/* ---- the checker ----------------------------------------------------------------------------- */

static void check_in(const mo_motion_map *map, const mo_condition *condition, double *scaled,
                     mo_certificate_report *report)
{
    if (condition->answer == MO_ANSWER_HOLDS && condition->motion &&
        condition->motion_count == map->columns) {
        for (int j = 0; j < map->columns; ++j)
            scaled[j] = condition->motion[j] / map->unit[j];
        report->holds = mo_motion_proves(map, condition->kind, scaled);
        report->reach = report->holds ? INFINITY : 0;
    }
    if (condition->answer == MO_ANSWER_FAILS && condition->impulse &&
        condition->impulse_count == map->rows) {
        for (int k = 0; k < map->rows; ++k)
            scaled[k] = condition->impulse[k] / map->enclosure.unit_r[k];
        report->reach = mo_impulse_reach(map, condition->kind, scaled);
        report->holds = report->reach >= MO_REACH_OF_MOTION;
    }
}

static mo_error check_by_map(const mo_problem *problem, const mo_condition *condition,
                             mo_certificate_report *report)
{
    mo_motion_map map;
    mo_error error = MO_OK;
    MO_TRY(mo_motion_map_create(problem, &map, NULL));
    const size_t room = (size_t)(map.rows > map.columns ? map.rows : map.columns);
    double *scaled = mo_memory_array(&problem->allocator, room, sizeof *scaled);
    if (!scaled) {
        error = MO_ERR_MEMORY;
    } else if (mo_motion_map_is_symmetric(&map)) {
        mo_motion_map_scale_friction(&map, condition->friction);
        check_in(&map, condition, scaled, report);
    }
    mo_memory_free(&problem->allocator, scaled);
    mo_motion_map_destroy(&map);
    return error;
}

mo_error mo_condition_check(const mo_problem *problem, const mo_condition *condition,
                            mo_certificate_report *report)
{
    MO_NEED(problem && condition && report, NULL);
    *report = (mo_certificate_report){0};
    if (condition->answer == MO_ANSWER_UNKNOWN || (unsigned)condition->kind >= MO_CONDITION_COUNT ||
        !(condition->friction >= 0) || isinf(condition->friction) ||
        !mo_condition_applies(problem, condition->kind, NULL))
        return MO_OK;
    if (condition->answer == MO_ANSWER_HOLDS && problem->form == MO_FORM_GLOBAL) {
        report->holds =
            condition->motion && condition->motion_count == problem->dof_count &&
            mo_velocity_proves(problem, condition->kind, condition->friction, condition->motion);
        report->reach = report->holds ? INFINITY : 0;
        return MO_OK;
    }
    return check_by_map(problem, condition, report);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

#define WORD(name, word, yes, no) word,
#define YES(name, word, yes, no) yes,
#define NO(name, word, yes, no) no,
static const char *const MEANS_YES[] = {MO_CONDITION_LIST(YES)};
static const char *const MEANS_NO[] = {MO_CONDITION_LIST(NO)};

MO_NAMES(mo_condition_name, mo_condition_kind, "unknown", MO_CONDITION_LIST(WORD))

const char *mo_answer_name(mo_answer answer)
{
    return answer == MO_ANSWER_HOLDS ? "holds" : answer == MO_ANSWER_FAILS ? "fails" : "unknown";
}

const char *mo_condition_text(mo_condition_kind kind, mo_answer answer)
{
    if ((unsigned)kind >= MO_CONDITION_COUNT || answer == MO_ANSWER_UNKNOWN)
        return "inconclusive: neither was proven";
    return answer == MO_ANSWER_HOLDS ? MEANS_YES[kind] : MEANS_NO[kind];
}
