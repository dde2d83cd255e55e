/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Reading, freeing and searching models. */
#include "moreau/model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
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
        for (int k = 0; model && name && name[0] && k < model->count; ++k) {                       \
            if (strcmp(model->list[k].name, name) == 0) return k;                                  \
        }                                                                                          \
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
        if (model->geoms[k].is_visual && !is_paired) {
            continue;
        }
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
        if (a->kind != MO_MODEL_MOTOR || !is_single || a->gear[0] == 0 || !(rate > 0)) {
            continue;
        }
        a->kind = MO_MODEL_POSITION;
        a->servo_rate = rate;
        a->gear[0] *= a->gain; /* the force is that of the joint, for any unit of control */
        for (int side = 0; side < 2 && a->has_force_range; ++side) {
            a->force_range[side] *= fabs(a->gear[0]);
        }
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

/* ---- reading --------------------------------------------------------------------------------- */

void mo_model_clear(mo_model *model)
{
    MO_NEED_OR(, model, NULL);
    if (!model->allocator.reallocate) {
        return;
    }
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
    for (int k = 0; k < r->mesh_count; ++k) {
        mo_mesh_file_clear(&r->tree.allocator, r->meshes + k);
    }
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
    if (!r.error && read_any(&r)) {
        mo_reader_finish(&r);
    }
    clear_reader(&r);
    if (r.error) {
        mo_model_clear(model);
    }
    return r.error;
}
