/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double norm(const double a[3])
{
    return sqrt(dot(a, a));
}

/* ---- energy and displacements ---------------------------------------------------------------- */

static double energy(const sim_scene *scene, const sim_motion *now)
{
    double sum = 0;
    for (int k = 0; k < scene->body_count; ++k) {
        const sim_body *body = scene->body + k;
        if (body->is_free) {
            double spin[3];
            mo_pose_vector_back(&now[k].pose, now[k].spin, spin);
            sum += body->mass * (0.5 * dot(now[k].velocity, now[k].velocity) -
                                 dot(scene->gravity, now[k].pose.position));
            for (int i = 0; i < 3; ++i)
                sum += 0.5 * body->inertia[i] * spin[i] * spin[i];
        }
    }
    return sum;
}

/* The largest displacement of a dynamic body. */
static double longest_way(const sim_scene *scene, const sim_motion *then, const sim_motion *now)
{
    double longest = 0;
    for (int k = 0; k < scene->body_count; ++k) {
        const double *x = now[k].pose.position, *y = then[k].pose.position;
        const double way[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        longest = scene->body[k].is_free ? fmax(longest, norm(way)) : longest;
    }
    return longest;
}

static double rms_speed(const sim_scene *scene, const sim_motion *now)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < scene->body_count; ++k) {
        if (scene->body[k].is_free) {
            sum += dot(now[k].velocity, now[k].velocity);
            ++count;
        }
    }
    return count > 0 ? sqrt(sum / count) : 0;
}

/* ---- closed forms ---------------------------------------------------------------------------- */

static int first_free(const sim_scene *scene)
{
    int k = 0;
    while (k < scene->body_count - 1 && !scene->body[k].is_free)
        ++k;
    return k;
}

/* The plane of the first static half-space: its normal, and the friction against the watched
 * body. */
static double ground(const sim_scene *scene, const sim_body *watched, double normal[3])
{
    for (int k = 0; k < scene->body_count; ++k) {
        const sim_body *body = scene->body + k;
        const sim_shape *shape = scene->shape + body->first_shape;
        if (!body->is_free && body->shape_count > 0 && shape->kind == MO_SHAPE_PLANE) {
            const mo_pose pose = mo_pose_compose(&body->pose, &shape->pose);
            mo_pose_vector(&pose, (const double[3]){0, 0, 1}, normal);
            return sqrt(shape->friction * scene->shape[watched->first_shape].friction);
        }
    }
    return NAN;
}

/* The relative error of the acceleration, from the way of k steps: a h^2 k (k + 1) / 2. */
static double slide_error(const sim_watch *watch, const sim_motion *now)
{
    const int k = first_free(watch->scene);
    const double *g = watch->scene->gravity;
    double n[3] = {0};
    const double mu = ground(watch->scene, watch->scene->body + k, n), g_N = dot(g, n);
    const double g_T[3] = {g[0] - g_N * n[0], g[1] - g_N * n[1], g[2] - g_N * n[2]};
    const double *x = now[k].pose.position, *y = watch->start[k].pose.position;
    const double way[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]}, h = watch->scene->step;
    const double exact = 0.5 * (norm(g_T) - mu * fabs(g_N)) * h * h * watch->k * (watch->k + 1.0);
    return dot(way, g_T) / norm(g_T) / exact - 1;
}

/* Speed of the lowest point of the ball over the ground. */
static double slip_speed(const sim_watch *watch, const sim_motion *now)
{
    const int k = first_free(watch->scene);
    const sim_body *ball = watch->scene->body + k;
    double n[3] = {0};
    ground(watch->scene, ball, n);
    const double r = watch->scene->shape[ball->first_shape].radius, *w = now[k].spin;
    const double v[3] = {now[k].velocity[0] - r * (w[1] * n[2] - w[2] * n[1]),
                         now[k].velocity[1] - r * (w[2] * n[0] - w[0] * n[2]),
                         now[k].velocity[2] - r * (w[0] * n[1] - w[1] * n[0])};
    const double v_N = dot(v, n),
                 slip[3] = {v[0] - v_N * n[0], v[1] - v_N * n[1], v[2] - v_N * n[2]};
    return norm(slip);
}

static void watch_ball(sim_watch *watch, const sim_motion *now, sim_outcome *outcome)
{
    static const double part = 0.02;
    const sim_scene *scene = watch->scene;
    const int k = first_free(scene);
    double n[3] = {0};
    const double mu = ground(scene, scene->body + k, n), first = slip_speed(watch, watch->start),
                 exact = 2 * first / (7 * mu * fabs(dot(scene->gravity, n))),
                 slip = slip_speed(watch, now);
    if (watch->roll_time == 0 && slip <= part * first) {
        const double within = (watch->slip - part * first) / (watch->slip - slip);
        watch->roll_time = (watch->k - 1 + within) * scene->step / (1 - part);
    }
    watch->slip = slip;
    outcome->error = watch->roll_time > 0 ? watch->roll_time / exact - 1 : INFINITY;
    outcome->error_step = scene->step / exact;
}

/* ---- observation ----------------------------------------------------------------------------- */

int sim_watch_begin(const sim_scene *scene, const sim_call *call, sim_watch *watch)
{
    const size_t bodies = (size_t)scene->body_count;
    *watch = (sim_watch){.scene = scene, .call = call};
    watch->start = calloc(bodies, sizeof *watch->start);
    watch->half = calloc(bodies, sizeof *watch->half);
    if (!watch->start || !watch->half) return 0;
    sim_scene_start(scene, watch->start);
    sim_scene_start(scene, watch->half);
    for (int k = 0; k < scene->body_count; ++k)
        watch->weight += scene->body[k].is_free ? scene->body[k].mass * norm(scene->gravity) : 0;
    watch->energy_least = energy(scene, watch->start);
    watch->slip = call->question == SIM_ROLL ? slip_speed(watch, watch->start) : 0;
    return 1;
}

void sim_watch_step(sim_watch *watch, const sim_motion *now, sim_outcome *outcome)
{
    const sim_scene *scene = watch->scene;
    const int half = watch->call->steps / 2;
    const double total = energy(scene, now);
    ++watch->k;
    outcome->drift = fmax(outcome->drift, longest_way(scene, watch->start, now));
    if (watch->weight > 0) {
        outcome->energy_rise =
            fmax(outcome->energy_rise, (total - watch->energy_least) / watch->weight);
    }
    watch->energy_least = fmin(watch->energy_least, total);
    outcome->speed = rms_speed(scene, now);
    if (watch->k == half)
        memcpy(watch->half, now, (size_t)scene->body_count * sizeof *now);
    else if (watch->k > half)
        outcome->creep = longest_way(scene, watch->half, now) / ((watch->k - half) * scene->step);
    if (watch->call->question == SIM_SLIDE)
        outcome->error = slide_error(watch, now);
    else if (watch->call->question == SIM_ROLL)
        watch_ball(watch, now, outcome);
}

void sim_watch_end(sim_watch *watch)
{
    free(watch->start);
    free(watch->half);
}
