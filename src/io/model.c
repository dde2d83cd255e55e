/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models: reading, freeing, searching, and a free joint for a body that is fixed to the world. */
#include "moreau/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/collide.h"
#include "io/model_reader.h"

MO_NAMES(mo_model_joint_name, mo_model_joint_kind, NULL, "free", "ball", "slide", "hinge")

int mo_model_joint_q(mo_model_joint_kind kind)
{
    return kind == MO_MODEL_FREE ? 7 : kind == MO_MODEL_BALL ? 4 : 1;
}

int mo_model_joint_v(mo_model_joint_kind kind)
{
    return kind == MO_MODEL_FREE ? 6 : kind == MO_MODEL_BALL ? 3 : 1;
}

MO_NAMES(mo_model_actuator_name, mo_model_actuator_kind, NULL, "motor", "position", "velocity",
         "affine", "muscle", "ignored")

/* ---- search ---------------------------------------------------------------------------------- */

#define FIND(what, list, count)                                                                    \
    int mo_model_find_##what(const mo_model *model, const char *name)                              \
    {                                                                                              \
        for (int k = 0; model && name && name[0] && k < model->count; ++k)                         \
            if (strcmp(model->list[k].name, name) == 0) return k;                                  \
        return -1;                                                                                 \
    }
FIND(body, bodies, body_count)
FIND(joint, joints, joint_count)
FIND(actuator, actuators, actuator_count)
FIND(tendon, tendons, tendon_count)
FIND(site, sites, site_count)
FIND(sensor, sensors, sensor_count)
FIND(key, keys, key_count)

/* ---- visual shapes --------------------------------------------------------------------------- */

int mo_model_drop_visuals(mo_model *model)
{
    MO_NEED_OR(0, model, NULL);
    int kept = 0;
    for (int k = 0; k < model->geom_count; ++k) {
        int is_paired = 0;
        for (int i = 0; i < model->pair_count; ++i) {
            mo_model_pair *pair = model->pairs + i;
            is_paired |= pair->a == k || pair->b == k;
        }
        if (model->geoms[k].is_visual && !is_paired) continue;
        for (int i = 0; i < model->pair_count; ++i) { /* kept <= k, which is still to come */
            mo_model_pair *pair = model->pairs + i;
            pair->a = pair->a == k ? kept : pair->a;
            pair->b = pair->b == k ? kept : pair->b;
        }
        model->geoms[kept++] = model->geoms[k];
    }
    const int dropped = model->geom_count - kept;
    model->geom_count = kept;
    return dropped;
}

/* ---- servos ---------------------------------------------------------------------------------- */

int mo_model_servo(mo_model *model, double rate)
{
    MO_NEED_OR(0, model, NULL);
    int count = 0;
    for (int k = 0; k < model->actuator_count; ++k) {
        mo_model_actuator *a = model->actuators + k;
        const int is_single = a->joint >= 0 && model->joints[a->joint].kind >= MO_MODEL_SLIDE;
        if (a->kind != MO_MODEL_MOTOR || !is_single || a->gear[0] == 0 || !(rate > 0)) continue;
        a->kind = MO_MODEL_POSITION;
        a->servo_rate = rate;
        a->gear[0] *= a->gain; /* the force is that of the joint, for any unit of control */
        for (int side = 0; side < 2 && a->has_force_range; ++side)
            a->force_range[side] *= fabs(a->gear[0]);
        if (a->has_control_range && !a->has_force_range) {
            a->force_range[0] = a->control_range[0] * fabs(a->gear[0]);
            a->force_range[1] = a->control_range[1] * fabs(a->gear[0]);
            a->has_force_range = 1;
        }
        a->gear[0] = a->gain = 1; /* a control is a position of the joint */
        a->has_control_range = model->joints[a->joint].has_limits;
        memcpy(a->control_range, model->joints[a->joint].range, sizeof a->control_range);
        ++count;
    }
    return count;
}

/* ---- a free joint ---------------------------------------------------------------------------- */

/* The base of a walking robot in URDF is fixed to the world, and often has no mass in the file: it
 * gets that of its shapes. */

/* Numbers of joints from `at` on grow by one. */
static void renumber(mo_model *model, int body, int at)
{
    for (int k = body + 1; k < model->body_count; ++k)
        ++model->bodies[k].first_joint;
    for (int k = 0; k < model->actuator_count; ++k)
        model->actuators[k].joint += model->actuators[k].joint >= at;
    for (int k = 0; k < model->sensor_count; ++k) {
        mo_model_sensor *sensor = model->sensors + k;
        sensor->object += sensor->kind <= MO_SENSOR_JOINTACTUATORFRC && sensor->object >= at;
    }
    for (int k = 0; k < model->tendon_count; ++k)
        for (int i = 0; i < model->tendons[k].count; ++i)
            model->tendons[k].joints[i] += model->tendons[k].joints[i] >= at;
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
    for (; k > body && model->bodies[k].joint_count == 0; k = model->bodies[k].parent)
        *pose = mo_pose_compose(&model->bodies[k].pose, pose);
    return k == body;
}

/* Adds the mass of a geom of a part at this pose. */
static mo_error add_geom(const mo_model *model, const mo_model_geom *geom, const mo_pose *pose,
                         mo_mass *sum, mo_message *why)
{
    mo_collider collider;
    mo_mass own, placed;
    double volume;
    if (geom->is_visual) return MO_OK;
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
    for (int k = body; k < model->body_count; ++k)
        if (is_part(model, body, k, &pose) && model->bodies[k].mass > 0) return MO_OK;
    for (int k = 0; k < model->geom_count; ++k)
        if (is_part(model, body, model->geoms[k].body, &pose))
            MO_TRY(add_geom(model, model->geoms + k, &pose, &sum, why));
    if (!(sum.mass > 0))
        return MO_OK; /* a step refuses it, unless joints below it leave no motion without mass */
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

/* ---- reading --------------------------------------------------------------------------------- */

void mo_model_clear(mo_model *model)
{
    MO_NEED_OR(, model, NULL);
    if (!model->allocator.reallocate) return;
    const mo_allocator allocator = model->allocator;
    MO_FREE(&allocator, model->bodies, model->joints, model->geoms, model->actuators,
            model->equalities, model->exclusions, model->keys, model->notes, model->tendons,
            model->sites, model->pairs, model->sensors);
    if (model->pool) {
        mo_pool_clear(model->pool);
        mo_memory_free(&allocator, model->pool);
    }
    *model = (mo_model){0};
}

static bool read_any(mo_reader *r)
{
    if (strcmp(r->root->name, "mujoco") == 0) {
        r->model->format = "MJCF";
        return mo_mjcf_read(r);
    }
    if (strcmp(r->root->name, "robot") == 0) {
        r->model->format = "URDF";
        return mo_urdf_read(r);
    }
    const char *version = mo_xml_get(r->root, "version");
    /* format 1.2 differs only in its root */
    const int is_older = strcmp(r->root->name, "gazebo") == 0;
    if (strcmp(r->root->name, "sdf") == 0 || (is_older && version && strcmp(version, "1.2") == 0)) {
        r->model->format = "SDF";
        return mo_sdf_read(r);
    }
    MO_FAIL_IF(is_older,
               mo_reader_fail(r, r->root,
                              "is SDF before version 1.2, which is not read; convert the file with "
                              "Gazebo (gz sdf -c FILE), or use a newer one of the same model"));
    return mo_reader_fail(r, r->root,
                          "is not a model: the root of MJCF is <mujoco>, that of URDF is <robot>, "
                          "that of SDF is <sdf>");
}

static void clear_reader(mo_reader *r)
{
    for (int k = 0; k < r->mesh_count; ++k)
        mo_mesh_file_clear(&r->tree.allocator, r->meshes + k);
    mo_memory_free(&r->tree.allocator, r->meshes);
    mo_pool_clear(&r->tree);
}

mo_error mo_model_read(const char *path, const mo_allocator *allocator, mo_model *model,
                       mo_message *why)
{
    MO_NEED(path && model, why);
    return mo_model_read_with(path, NULL, allocator, model, why);
}

mo_error mo_model_read_with(const char *path, const char *folder, const mo_allocator *allocator,
                            mo_model *model, mo_message *why)
{
    MO_NEED(path && model, why);
    *model = (mo_model){.name = "", .format = "", .gravity = {0, 0, -9.81}};
    model->allocator = mo_allocator_or_default(allocator);
    mo_pool *pool = mo_memory_array(&model->allocator, 1, sizeof *pool);
    if (!pool) {
        *model = (mo_model){0};
        return mo_fail_memory(why);
    }
    *pool = (mo_pool){.allocator = model->allocator};
    model->pool = pool;
    mo_reader r = {.model = model, .pool = pool, .why = why, .more = folder ? folder : ""};
    r.tree.allocator = model->allocator;
    r.error = mo_file_folder(path, r.folder, why);
    mo_reader_find_package(&r);
    r.error = r.error ? r.error : mo_xml_read(path, "", &r.tree, &r.elements, &r.root, why);
    if (!r.error && read_any(&r)) mo_reader_finish(&r);
    clear_reader(&r);
    if (r.error) mo_model_clear(model);
    return r.error;
}
