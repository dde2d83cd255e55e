/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "ours.h"

#include <stdlib.h>
#include <string.h>

typedef struct ours {
    const sim_scene *scene;
    mo_pose *principal; /* of each body, in the frame of our world */
} ours;

double sim_ours_tolerance(const char *name)
{
    char *end;
    const double tol = strtod(name, &end);
    return end != name && !*end && tol > 0 && tol <= 1 ? tol : 0;
}

static mo_pose inverse(const mo_pose *pose)
{
    mo_pose back = *pose;
    mo_pose_point_back(pose, (const double[3]){0}, back.position);
    for (int k = 1; k < 4; ++k)
        back.orientation[k] = -pose->orientation[k];
    return back;
}

static void *create(const sim_scene *scene, int config, mo_message *why)
{
    (void)config;
    mo_world_def def = mo_world_definition(scene->world);
    def.solver.tol = scene->tol > 0 ? scene->tol : def.solver.tol;
    if (mo_world_change(scene->world, &def, why)) return NULL;
    ours *o = calloc(1, sizeof *o);
    mo_pose *principal = calloc((size_t)scene->body_count, sizeof *principal);
    if (!o || !principal) {
        free(o);
        free(principal);
        return NULL;
    }
    for (int k = 0; k < scene->body_count; ++k)
        principal[k] = inverse(&scene->body[k].own);
    *o = (ours){scene, principal};
    return o;
}

static int step(void *engine, mo_message *why)
{
    const ours *o = engine;
    mo_step_report report;
    return mo_world_step(o->scene->world, o->scene->step, &report, why) == MO_OK;
}

static void read_motions(void *engine, sim_motion *motions)
{
    const ours *o = engine;
    const mo_world *world = o->scene->world;
    for (int k = 0; k < o->scene->body_count; ++k) {
        const mo_body_state state = mo_body_get(world, mo_world_body(world, k));
        motions[k].pose = mo_pose_compose(&state.pose, &o->principal[k]);
        if (o->scene->body[k].is_free) /* the frame's place is rounded, the centre is not */
            memcpy(motions[k].pose.position, state.centre, sizeof state.centre);
        memcpy(motions[k].velocity, state.velocity, sizeof state.velocity);
        memcpy(motions[k].spin, state.spin, sizeof state.spin);
    }
}

/* Restitution is not a member of a contact: that of the bodies' first shapes is taken. */
static double restitution_of(const sim_scene *scene, int a, int b)
{
    const double e_a = scene->shape[scene->body[a].first_shape].restitution;
    const double e_b = scene->shape[scene->body[b].first_shape].restitution;
    return e_a > e_b ? e_a : e_b;
}

static int contacts(void *engine, sim_contact *list, int room)
{
    const ours *o = engine;
    const int count = mo_world_contact_count(o->scene->world);
    for (int k = 0; k < count && k < room; ++k) {
        const mo_contact from = mo_world_contact(o->scene->world, k);
        /* bodies are never removed here, so their numbers are those of the scene, from 1 */
        sim_contact to = {.a = from.a.index - 1, .b = from.b.index - 1, .gap = from.gap};
        to.friction = from.mu;
        to.restitution = restitution_of(o->scene, to.a, to.b);
        memcpy(to.on_a, from.point, sizeof to.on_a);
        memcpy(to.on_b, from.point, sizeof to.on_b);
        memcpy(to.normal, from.normal, sizeof to.normal);
        memcpy(to.impulse, from.impulse, sizeof to.impulse);
        list[k] = to;
    }
    return count;
}

static void destroy(void *engine)
{
    ours *o = engine;
    free(o->principal);
    free(o);
}

const sim_engine sim_ours = {.name = "moreau",
                             .impulses = "mo_contact.impulse",
                             .create = create,
                             .step = step,
                             .read = read_motions,
                             .contacts = contacts,
                             .destroy = destroy};
