/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Correction of the initial configuration, since files have few digits and may violate their own
 * limits.
 *
 *   1. Hinges and slides beyond a limit are moved to it.
 *   2. Loops (ball joints between links, or between a link and a static body) are closed by
 *      Gauss-Newton: with e the anchor distances and J their Jacobian, q <- q + J' y, J J' y = -e,
 *      the smallest change of q; joints at a limit do not move.
 *   3. Overlapping bodies are listed; contact separates them.
 *
 * Each gives a note.  Limits: welds and couplings are left to the steps; a loop that does not close
 * is restored, with a note.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "io/robot_data.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "moreau/joint.h"
#include "sim/mechanism.h"
#include "sim/pairs.h"

static const double CLOSED = 1e-13;      /* m: rounding error of lengths of some metres */
static const double CLOSE_ENOUGH = 1e-9; /* m: a loop that is further open was not closed */
static const double WORTH_A_NOTE = 1e-9; /* m or rad */
static const double LONGEST_STEP = 0.2;  /* rad or m of one joint, an iteration */
static const double OVERLAP = 0.05;      /* of the smaller body: contact undoes less in silence */
enum { ITERATIONS = 50, MOST_LOOPS = MO_SMALL / 3 };

/* All mechanisms of the robot; their velocities one after the other make the unknowns. */
typedef struct start {
    mo_robot *robot;
    mo_world *world;
    mo_mechanism_id *id;
    int *v_at, *q_at; /* of each mechanism, in v and q */
    int mechanisms, n, q_count;
    mo_joint_id loop[MOST_LOOPS];
    int loops;
    double *q, *J, *A, *e, *y, *v, *side;
    char *held; /* of each velocity: its joint is held */
    mo_message *why;
} start;

/* ---- limits ---------------------------------------------------------------------------------- */

static int is_limited(const mo_axis_state *joint)
{
    return joint->has_limits &&
           (joint->kind == MO_AXIS_REVOLUTE || joint->kind == MO_AXIS_PRISMATIC);
}

/* Moves joints back to their limits in s->q, and counts them; *most is how far one was. */
static int clamp(start *s, double *most, const char **name)
{
    int count = 0;
    for (int m = 0; m < s->mechanisms; ++m) {
        const int joints = mo_mechanism_get(s->world, s->id[m]).joint_count;
        for (int k = 0; k < joints; ++k) {
            const mo_axis_state joint = mo_mechanism_joint(s->world, s->id[m], k);
            double *x = s->q + s->q_at[m] + joint.q_at;
            if (!is_limited(&joint) || (*x >= joint.lower && *x <= joint.upper)) continue;
            const double to = *x > joint.upper ? joint.upper : joint.lower, by = fabs(*x - to);
            *x = to;
            ++count;
            if (by > *most) {
                *most = by;
                *name = joint.name;
            }
        }
    }
    return count;
}

static void get_q(start *s)
{
    for (int m = 0; m < s->mechanisms; ++m) {
        memcpy(s->q + s->q_at[m], mo_mechanism_q(s->world, s->id[m]),
               (size_t)mo_mechanism_get(s->world, s->id[m]).q_count * sizeof *s->q);
    }
}

static mo_error set_q(start *s, const double *q)
{
    mo_error error = MO_OK;
    for (int m = 0; m < s->mechanisms && !error; ++m)
        error = mo_mechanism_set(s->world, s->id[m], q + s->q_at[m], NULL, s->why);
    return error;
}

static mo_error order_joints(start *s)
{
    double most = 0;
    const char *name = "";
    const int count = clamp(s, &most, &name);
    const mo_error error = count ? set_q(s, s->q) : MO_OK;
    return error || most < WORTH_A_NOTE
               ? error
               : mo_robot_keep_note(s->robot, s->why,
                                    "%d %s outside %s ('%.80s' by %.3g): moved to %s", count,
                                    count == 1 ? "joint starts" : "joints start",
                                    count == 1 ? "its limit" : "their limits", name, most,
                                    count == 1 ? "it" : "them");
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* The mechanism of the robot that a body is in, or -1. */
static int place_of(const start *s, mo_body_id body, int *link)
{
    const mo_mechanism_id id = mo_body_mechanism(s->world, body, link);
    for (int m = 0; m < s->mechanisms && id.index; ++m)
        if (s->id[m].index == id.index) return m;
    return -1;
}

static int is_held_in_place(const start *s, mo_body_id body)
{
    return place_of(s, body, NULL) >= 0 || !body.index ||
           mo_body_get(s->world, body).kind == MO_BODY_FIXED;
}

static void find_loops(start *s)
{
    for (int k = 0; k < mo_world_joint_count(s->world) && s->loops < MOST_LOOPS; ++k) {
        const mo_joint_id joint = mo_world_joint(s->world, k);
        const mo_joint_state state = mo_joint_get(s->world, joint);
        if (state.kind == MO_JOINT_BALL && is_held_in_place(s, state.a) &&
            is_held_in_place(s, state.b))
            s->loop[s->loops++] = joint;
    }
}

/* J += sign times the Jacobian of a body's point, in the rows of loop k. */
static void add_side(start *s, mo_body_id body, const double at[3], double sign, int k)
{
    int link = 0;
    const int m = place_of(s, body, &link);
    if (m < 0 || mo_mechanism_jacobian(s->world, s->id[m], link, at, s->side, NULL)) return;
    const int own = mo_mechanism_get(s->world, s->id[m]).v_count;
    for (int c = 0; c < 3; ++c) {
        double *row = s->J + (3 * k + c) * s->n + s->v_at[m];
        for (int i = 0; i < own; ++i)
            row[i] += s->held[s->v_at[m] + i] ? 0 : sign * s->side[c * own + i];
    }
}

/* e and J of all loops; returns the longest distance of two anchors. */
static double linearise(start *s)
{
    double most = 0;
    memset(s->J, 0, 3 * (size_t)s->loops * (size_t)s->n * sizeof *s->J);
    for (int k = 0; k < s->loops; ++k) {
        const mo_joint_state state = mo_joint_get(s->world, s->loop[k]);
        mo_vec3_minus(state.anchor[1], state.anchor[0], s->e + 3 * k);
        most = fmax(most, mo_vec3_norm(s->e + 3 * k));
        add_side(s, state.a, state.anchor[0], -1, k);
        add_side(s, state.b, state.anchor[1], 1, k);
    }
    return most;
}

/* v = -J' (J J')^-1 e, shortened to the longest step. */
static void find_step(start *s)
{
    const int rows = 3 * s->loops, n = s->n;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
            s->A[i * rows + j] = mo_dot(n, s->J + i * n, s->J + j * n);
    mo_solve_small(rows, s->A, s->e, s->y);
    memset(s->v, 0, (size_t)n * sizeof *s->v);
    for (int i = 0; i < rows; ++i)
        mo_axpy(n, -s->y[i], s->J + i * n, s->v);
    const double most = mo_largest(n, s->v);
    for (int j = 0; j < n && most > LONGEST_STEP; ++j)
        s->v[j] *= LONGEST_STEP / most;
}

/* Holds joints at a limit that the step would push beyond it; true if there is a new one. */
static int hold_at_limits(start *s)
{
    int more = 0;
    for (int m = 0; m < s->mechanisms; ++m) {
        const int joints = mo_mechanism_get(s->world, s->id[m]).joint_count;
        for (int k = 0; k < joints; ++k) {
            const mo_axis_state joint = mo_mechanism_joint(s->world, s->id[m], k);
            const int at = s->v_at[m] + joint.v_at;
            const double x = s->q[s->q_at[m] + joint.q_at], by = s->v[at];
            if (is_limited(&joint) && !s->held[at] &&
                ((x >= joint.upper && by > 0) || (x <= joint.lower && by < 0))) {
                s->held[at] = 1;
                more = 1;
            }
        }
    }
    return more;
}

/* Moves s->q by the step; joints that would leave their limits are held. */
static void take_step(start *s)
{
    double by = 0;
    const char *name = "";
    memset(s->held, 0, (size_t)s->n);
    do {
        linearise(s);
        find_step(s);
    } while (hold_at_limits(s));
    for (int m = 0; m < s->mechanisms; ++m) {
        mo_linkage_move(&mo_mechanism_at(s->world, s->id[m])->tree, s->q + s->q_at[m],
                        s->v + s->v_at[m], 1, s->q + s->q_at[m]);
    }
    clamp(s, &by, &name);
}

/* Iterates until the loops are closed to rounding; *open is the remaining distance. */
static mo_error close_loops(start *s, double *open)
{
    mo_error error = MO_OK;
    int goes_on = 1;
    *open = linearise(s);
    for (int k = 0; k<ITERATIONS && * open> CLOSED && goes_on && !error; ++k) {
        take_step(s);
        error = set_q(s, s->q);
        const double next = linearise(s);
        goes_on = next < *open || *open > CLOSE_ENOUGH;
        *open = next;
    }
    return error;
}

static mo_error order_loops(start *s, mo_pool *pool)
{
    double *before = mo_pool_take(pool, (size_t)s->q_count + 1, sizeof *before), open = 0;
    memset(s->held, 0, (size_t)s->n);
    const double first = linearise(s);
    MO_NEED_MEMORY(before, s->why);
    if (first <= CLOSED) return MO_OK;
    memcpy(before, s->q, (size_t)s->q_count * sizeof *before);
    mo_error error = close_loops(s, &open);
    if (!error && open > CLOSE_ENOUGH) {
        error = set_q(s, before);
        return error ? error
                     : mo_robot_keep_note(s->robot, s->why,
                                          "a loop is open by %.3g mm at the start and its joints "
                                          "cannot close it: the simulation closes it",
                                          1e3 * first);
    }
    return error || first < WORTH_A_NOTE
               ? error
               : mo_robot_keep_note(s->robot, s->why,
                                    "loops open by up to %.3g mm at the start were closed",
                                    1e3 * first);
}

static int make_room(start *s, mo_pool *pool)
{
    const size_t n = (size_t)s->n, rows = 3 * (size_t)s->loops;
    return MO_POOL_EACH(pool, rows * n + 1, double, &s->J) &&
           MO_POOL_EACH(pool, rows * rows + 1, double, &s->A) &&
           MO_POOL_EACH(pool, rows + 1, double, &s->e, &s->y) &&
           MO_POOL_EACH(pool, n + 1, double, &s->v) &&
           MO_POOL_EACH(pool, 6 * n + 1, double, &s->side) &&
           MO_POOL_EACH(pool, n + 1, char, &s->held);
}

static mo_error find_mechanisms(start *s, mo_pool *pool)
{
    const size_t most = (size_t)s->robot->joint_count + 1;
    MO_NEED_MEMORY(MO_POOL_EACH(pool, most, mo_mechanism_id, &s->id) &&
                       MO_POOL_EACH(pool, most, int, &s->v_at, &s->q_at),
                   s->why);
    for (int k = 0; k < s->robot->joint_count; ++k) {
        const mo_mechanism_id id = s->robot->joints[k].mechanism;
        if (id.index && s->robot->joints[k].number == 0) {
            const mo_mechanism_info info = mo_mechanism_get(s->world, id);
            s->id[s->mechanisms] = id;
            s->v_at[s->mechanisms] = s->n;
            s->q_at[s->mechanisms++] = s->q_count;
            s->n += info.v_count;
            s->q_count += info.q_count;
        }
    }
    s->q = mo_pool_take(pool, (size_t)s->q_count + 1, sizeof *s->q);
    return s->q ? MO_OK : mo_fail_memory(s->why);
}

/* ---- overlap --------------------------------------------------------------------------------- */

static mo_error note_overlaps(mo_robot *robot, mo_world *world, mo_message *why)
{
    const mo_sim_contact *worst = NULL;
    int count = 0;
    MO_FAIL_IF(mo_contacts_touching(world), mo_fail_pairs(world, why));
    for (int k = 0; k < world->before.count; ++k) {
        const mo_sim_contact *contact = world->before.at + k;
        const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
        if (-contact->gap <= OVERLAP * fmin(a->size, b->size) ||
            mo_is_excluded(world, contact->body[0], contact->body[1]) ||
            mo_pair_never_touches(world, contact->shape[0], contact->shape[1]))
            continue;
        ++count;
        worst = !worst || contact->gap < worst->gap ? contact : worst;
    }
    if (!worst) return MO_OK;
    const char *a = world->body[worst->body[0]].name, *b = world->body[worst->body[1]].name;
    return mo_robot_keep_note(robot, why,
                              "bodies overlap at the start at %d point%s, the deepest between "
                              "'%.80s' and '%.80s' by %.3g mm: contact separates them",
                              count, count == 1 ? "" : "s", a ? a : "", b ? b : "",
                              -1e3 * worst->gap);
}

mo_error mo_robot_order(mo_robot *robot, mo_world *world, mo_message *why)
{
    MO_NEED(robot && world, why);
    mo_pool pool = {.allocator = robot->allocator};
    start s = {.robot = robot, .world = world, .why = why};
    mo_error error = find_mechanisms(&s, &pool);
    if (!error) {
        get_q(&s);
        error = order_joints(&s);
        find_loops(&s);
    }
    if (!error && s.loops)
        error = make_room(&s, &pool) ? order_loops(&s, &pool) : mo_fail_memory(why);
    mo_pool_clear(&pool);
    return error ? error : note_overlaps(robot, world, why);
}
