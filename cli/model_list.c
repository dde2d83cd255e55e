/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau run robot.xml --joints`: joints, actuators and their ranges. */
#include <stdio.h>

#include "json.h"
#include "model_file.h"
#include "number.h"
#include "text.h"

static const char *name_of(const char *name)
{
    return name[0] ? name : "-";
}

/* The joint, tendon or site that an actuator drives. */
static const char *driven_name(const mo_model *model, const mo_model_actuator *actuator)
{
    return actuator->joint >= 0    ? model->joints[actuator->joint].name
           : actuator->tendon >= 0 ? model->tendons[actuator->tendon].name
           : actuator->site >= 0   ? model->sites[actuator->site].name
                                   : "";
}

static const char *driven_word(const mo_model_actuator *actuator)
{
    return actuator->joint >= 0    ? "joint"
           : actuator->tendon >= 0 ? "tendon"
           : actuator->site >= 0   ? "site"
                                   : "nothing";
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_range(int has, const double range[2], const char *unit)
{
    if (has)
        printf("%s to %s%s", number_short(range[0]).text, number_short(range[1]).text, unit);
    else
        printf("unlimited");
}

static void put_joints(const mo_model *model)
{
    printf("  %-24s  %-6s  %-24s  %s\n", "joint", "kind", "moves", "range");
    for (int k = 0; k < model->joint_count; ++k) {
        const mo_model_joint *joint = model->joints + k;
        printf("  ");
        text_put_column(stdout, name_of(joint->name), 24);
        printf("  %-6s  ", mo_model_joint_name(joint->kind));
        text_put_column(stdout, name_of(model->bodies[joint->body].name), 24);
        printf("  ");
        put_range(joint->has_limits, joint->range, joint->kind == MO_MODEL_SLIDE ? " m" : " rad");
        fputc('\n', stdout);
    }
}

static void put_actuators(const mo_model *model)
{
    printf("\n  %-24s  %-8s  %-31s  %s\n", "actuator", "kind", "drives", "targets; forces");
    for (int k = 0; k < model->actuator_count; ++k) {
        const mo_model_actuator *actuator = model->actuators + k;
        printf("  ");
        text_put_column(stdout, name_of(actuator->name), 24);
        printf("  %-8s  ", mo_model_actuator_name(actuator->kind));
        printf("%-7s", driven_word(actuator));
        text_put_column(stdout, name_of(driven_name(model, actuator)), 24);
        printf("  ");
        put_range(actuator->has_control_range, actuator->control_range, "");
        printf("; ");
        put_range(actuator->has_force_range, actuator->force_range, "");
        fputc('\n', stdout);
    }
}

static void put_list(const model_file *file)
{
    const mo_model *model = &file->model;
    text_put(stdout, file->path);
    printf(": %s, ", model->format);
    text_put(stdout, name_of(model->name));
    printf("; %d bodies, %d degrees of freedom\n\n", model->body_count - 1, model->v_count);
    put_joints(model);
    if (model->actuator_count) put_actuators(model);
    if (model->key_count) {
        printf("\n  keyframes:");
        for (int k = 0; k < model->key_count; ++k) {
            printf(" ");
            text_put(stdout, name_of(model->keys[k].name));
        }
        fputc('\n', stdout);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_range(json *j, const char *name, int has, const double range[2])
{
    if (has) {
        json_array(j, name);
        json_number(j, NULL, range[0]);
        json_number(j, NULL, range[1]);
        json_array_end(j);
    } else {
        json_text(j, name, NULL);
    }
}

static void json_joints(json *j, const mo_model *model)
{
    json_array(j, "joints");
    for (int k = 0; k < model->joint_count; ++k) {
        const mo_model_joint *joint = model->joints + k;
        json_object(j, NULL);
        json_text(j, "name", joint->name);
        json_text(j, "kind", mo_model_joint_name(joint->kind));
        json_text(j, "body", model->bodies[joint->body].name);
        json_range(j, "range", joint->has_limits, joint->range);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_actuators(json *j, const mo_model *model)
{
    json_array(j, "actuators");
    for (int k = 0; k < model->actuator_count; ++k) {
        const mo_model_actuator *actuator = model->actuators + k;
        json_object(j, NULL);
        json_text(j, "name", actuator->name);
        json_text(j, "kind", mo_model_actuator_name(actuator->kind));
        json_text(j, "joint", actuator->joint >= 0 ? model->joints[actuator->joint].name : "");
        json_text(j, "drives", driven_word(actuator));
        json_text(j, "driven", driven_name(model, actuator));
        json_range(j, "targets", actuator->has_control_range, actuator->control_range);
        json_range(j, "forces", actuator->has_force_range, actuator->force_range);
        json_object_end(j);
    }
    json_array_end(j);
}

void model_file_list(const model_file *file, int as_json)
{
    const mo_model *model = &file->model;
    if (!as_json) {
        put_list(file);
        return;
    }
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "file", file->path);
    json_text(&j, "format", model->format);
    json_text(&j, "model", model->name);
    json_whole(&j, "bodies", model->body_count - 1);
    json_joints(&j, model);
    json_actuators(&j, model);
    json_array(&j, "keys");
    for (int k = 0; k < model->key_count; ++k)
        json_text(&j, NULL, model->keys[k].name);
    json_array_end(&j);
    json_array(&j, "notes");
    for (int k = 0; k < model->note_count; ++k)
        json_text(&j, NULL, model->notes[k].text);
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}
