/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Adds a free joint to a body that a file fixes to the world, such as the base of a walking URDF
 * robot.  A base that never moves in the file often has no mass there; it gets that of its shapes.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "collide/collide.h"
#include "io/model_reader.h"
#include "moreau/model.h"

/* Numbers of joints from `at` on grow by one. */
static void renumber(mo_model *model, int body, int at)
{
    for (int k = body + 1; k < model->body_count; ++k) {
        ++model->bodies[k].first_joint;
    }
    for (int k = 0; k < model->actuator_count; ++k) {
        model->actuators[k].joint += model->actuators[k].joint >= at;
    }
    for (int k = 0; k < model->sensor_count; ++k) {
        mo_model_sensor *sensor = model->sensors + k;
        sensor->object += sensor->kind <= MO_SENSOR_JOINTACTUATORFRC && sensor->object >= at;
    }
    for (int k = 0; k < model->tendon_count; ++k) {
        for (int i = 0; i < model->tendons[k].count; ++i) {
            model->tendons[k].joints[i] += model->tendons[k].joints[i] >= at;
        }
    }
    for (int k = 0; k < model->equality_count; ++k) {
        mo_model_equality *e = model->equalities + k;
        if (e->kind == MO_MODEL_COUPLE) {
            e->a += e->a >= at;
            e->b += e->b >= at;
        }
    }
}

/* A copy of `count` numbers with `more` at `at`. */
static double *widen(mo_model *model, const double *from, int count, int at, const double *more,
                     int extra)
{
    double *wide = mo_pool_take(model->pool, (size_t)(count + extra) + 1, sizeof *wide);
    if (wide) {
        memcpy(wide, from, (size_t)at * sizeof *wide);
        memcpy(wide + at, more, (size_t)extra * sizeof *wide);
        memcpy(wide + at + extra, from + at, (size_t)(count - at) * sizeof *wide);
    }
    return wide;
}

static mo_error widen_all(mo_model *model, int at_q, int at_v, const mo_pose *pose, mo_message *why)
{
    double seven[7], six[6] = {0};
    memcpy(seven, pose->position, sizeof pose->position);
    memcpy(seven + 3, pose->orientation, sizeof pose->orientation);
    double *q = widen(model, model->q, model->q_count, at_q, seven, 7);
    int good = q != NULL;
    for (int k = 0; k < model->key_count && good; ++k) {
        double *key_q = widen(model, model->keys[k].q, model->q_count, at_q, seven, 7);
        double *key_v = widen(model, model->keys[k].v, model->v_count, at_v, six, 6);
        good = key_q && key_v;
        if (good) {
            model->keys[k].q = key_q;
            model->keys[k].v = key_v;
        }
    }
    MO_NEED_MEMORY(good, why);
    model->q = q;
    model->q_count += 7;
    model->v_count += 6;
    return MO_OK;
}

static const double DENSITY = 1000; /* kg/m^3: of shapes where no mass is given */

/* The pose of body k in `body`; false unless it is fixed to it. */
static int is_part(const mo_model *model, int body, int k, mo_pose *pose)
{
    *pose = mo_pose_identity();
    for (; k > body && model->bodies[k].joint_count == 0; k = model->bodies[k].parent) {
        *pose = mo_pose_compose(&model->bodies[k].pose, pose);
    }
    return k == body;
}

/* Adds the mass of a geom of a part at this pose. */
static mo_error add_geom(const mo_model *model, const mo_model_geom *geom, const mo_pose *pose,
                         mo_mass *sum, mo_message *why)
{
    mo_collider collider;
    mo_mass own, placed;
    double volume;
    if (geom->is_visual) {
        return MO_OK;
    }
    MO_TRY(mo_collider_init(&geom->shape, 0, &model->allocator, &collider, why));
    mo_collider_mass(&collider, &volume, own.centre, own.inertia);
    mo_collider_clear(&model->allocator, &collider);
    own.mass = volume;
    mo_mass_place(&own, pose, DENSITY, &placed);
    mo_mass_add(sum, &placed);
    return MO_OK;
}

static mo_error add_note(mo_model *model, const mo_model_body *body, mo_message *why)
{
    char text[240];
    const int length = snprintf(text, sizeof text,
                                "line %d: '%.80s' gets a free joint and has no mass: that of its "
                                "shapes at 1000 kg/m^3",
                                body->line, body->name);
    char *copy = mo_pool_text(model->pool, text, (size_t)length);
    MO_NEED_MEMORY(copy && MO_GROW(&model->allocator, model->notes, model->room[MO_LIST_NOTES],
                                   (size_t)model->note_count + 1),
                   why);
    model->notes[model->note_count++] =
        (mo_model_note){.line = body->line, .count = 1, .text = copy, .file = ""};
    return MO_OK;
}

/* The mass of its shapes, and of those that are fixed to it, where none of them has a mass. */
static mo_error weigh_by_shapes(mo_model *model, int body, mo_message *why)
{
    mo_mass sum = {0};
    mo_model_body *base = model->bodies + body;
    mo_pose pose;
    for (int k = body; k < model->body_count; ++k) {
        if (is_part(model, body, k, &pose) && model->bodies[k].mass > 0) {
            return MO_OK;
        }
    }
    for (int k = 0; k < model->geom_count; ++k) {
        if (is_part(model, body, model->geoms[k].body, &pose)) {
            MO_TRY(add_geom(model, model->geoms + k, &pose, &sum, why));
        }
    }
    if (!(sum.mass > 0)) {
        return MO_OK; /* a step refuses it, unless joints below it leave no motion without mass */
    }
    mo_mass_give(&sum, base);
    return add_note(model, base, why);
}

mo_error mo_model_release(mo_model *model, int body, mo_message *why)
{
    MO_REFUSE_IF(body < 1 || body >= model->body_count || model->bodies[body].parent != 0 ||
                     model->bodies[body].joint_count > 0,
                 why, "only a body that is fixed to the world can get a free joint");
    MO_FAIL_IF(!MO_GROW(&model->allocator, model->joints, model->room[MO_LIST_JOINTS],
                        (size_t)model->joint_count + 1),
               mo_fail_memory(why));
    MO_TRY(weigh_by_shapes(model, body, why));
    mo_model_body *of = model->bodies + body;
    const int at = of->first_joint, is_last = at == model->joint_count;
    const int at_q = is_last ? model->q_count : model->joints[at].first_q;
    const int at_v = is_last ? model->v_count : model->joints[at].first_v;
    MO_TRY(widen_all(model, at_q, at_v, &of->pose, why));
    memmove(model->joints + at + 1, model->joints + at,
            (size_t)(model->joint_count++ - at) * sizeof *model->joints);
    model->joints[at] = (mo_model_joint){.name = "",
                                         .kind = MO_MODEL_FREE,
                                         .body = body,
                                         .first_q = at_q,
                                         .first_v = at_v,
                                         .axis = {0, 0, 1}};
    for (int k = at + 1; k < model->joint_count; ++k) {
        model->joints[k].first_q += 7;
        model->joints[k].first_v += 6;
    }
    of->joint_count = 1;
    renumber(model, body, at);
    return MO_OK;
}
