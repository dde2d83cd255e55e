/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A model as MJCF of MuJoCo 2.2, with everything resolved: no defaults, no includes, angles in
 * radians, each body with its inertia, meshes that collide as the corners of their hull.
 *
 * What is only drawn is left out, and so are gravity compensation and dynamics that MuJoCo 2.2 does
 * not have (an exact filter is written as a filter).  Servos that are tuned by the mass they feel
 * (dampratio, --servo) must have their gains (mo_model_actuator.gain, bias) filled in before.
 * A name that is empty, or that would stand twice, is replaced by a letter and a number.
 *
 * Bodies must be in depth-first order, as the readers leave them.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/error.h"
#include "base/pool.h"
#include "io/replace.h"
#include "moreau/model.h"

typedef struct writer {
    FILE *out;
    const mo_model *model;
} writer;

/* ---- pieces ---------------------------------------------------------------------------------- */

static void put_text(const writer *w, const char *text)
{
    for (; *text; ++text) {
        static const char SPECIAL[] = "&<>\"'";
        static const char *const ENTITY[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
        const char *at = strchr(SPECIAL, *text);
        if (at) {
            fputs(ENTITY[at - SPECIAL], w->out);
        } else {
            fputc(*text, w->out);
        }
    }
}

/* attribute="name", or a letter and the number. */
static void put_name(const writer *w, const char *attribute, const char *name, char letter, int k)
{
    fprintf(w->out, " %s=\"", attribute);
    if (name[0]) {
        put_text(w, name);
    } else {
        fprintf(w->out, "%c%d", letter, k);
    }
    fputc('"', w->out);
}

static void put_body_name(const writer *w, const char *attribute, int body)
{
    put_name(w, attribute, body ? w->model->bodies[body].name : "world", 'b', body);
}

static void put_joint_name(const writer *w, const char *attribute, int joint)
{
    put_name(w, attribute, w->model->joints[joint].name, 'j', joint);
}

static void put_tendon_name(const writer *w, const char *attribute, int tendon)
{
    put_name(w, attribute, w->model->tendons[tendon].name, 't', tendon);
}

static void put_numbers(const writer *w, const char *attribute, const double *x, int count)
{
    fprintf(w->out, " %s=\"", attribute);
    for (int k = 0; k < count; ++k) {
        fprintf(w->out, "%s%.17g", k ? " " : "", x[k]);
    }
    fputc('"', w->out);
}

static void put_number(const writer *w, const char *attribute, double x)
{
    if (x != 0) {
        put_numbers(w, attribute, &x, 1);
    }
}

static void put_pose(const writer *w, const mo_pose *pose)
{
    put_numbers(w, "pos", pose->position, 3);
    put_numbers(w, "quat", pose->orientation, 4);
}

/* limited, and the range, whose infinities become numbers that no joint reaches. */
static void put_range(const writer *w, const char *limited, const char *range, int has,
                      const double r[2])
{
    static const double FAR = 1e10;
    if (has) {
        const double both[2] = {fmax(r[0], -FAR), fmin(r[1], FAR)};
        fprintf(w->out, " %s=\"true\"", limited);
        put_numbers(w, range, both, 2);
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void put_inertial(const writer *w, const mo_model_body *body)
{
    if (body->mass > 0) {
        fputs("<inertial", w->out);
        put_numbers(w, "pos", body->centre, 3);
        put_number(w, "mass", body->mass);
        put_numbers(w, "fullinertia", body->inertia, 6);
        fputs("/>\n", w->out);
    }
}

static void put_joint(const writer *w, int k)
{
    const mo_model_joint *joint = w->model->joints + k;
    fprintf(w->out, "<joint type=\"%s\"", mo_model_joint_word(joint->kind));
    put_joint_name(w, "name", k);
    if (joint->kind != MO_MODEL_FREE) {
        put_numbers(w, "pos", joint->anchor, 3);
    }
    if (joint->kind >= MO_MODEL_SLIDE) {
        put_numbers(w, "axis", joint->axis, 3);
        put_number(w, "ref", joint->ref);
        put_number(w, "springref", joint->spring_ref);
    }
    put_range(w, "limited", "range", joint->has_limits, joint->range);
    put_number(w, "stiffness", joint->stiffness);
    put_number(w, "damping", joint->damping);
    put_number(w, "armature", joint->armature);
    put_number(w, "frictionloss", joint->dry_friction);
    fputs("/>\n", w->out);
}

/* The first geom with the same corners. */
static int mesh_of(const mo_model *model, int geom)
{
    int k = 0;
    while (model->geoms[k].shape.kind != MO_SHAPE_HULL ||
           model->geoms[k].shape.points != model->geoms[geom].shape.points) {
        ++k;
    }
    return k;
}

static void put_size(const writer *w, int k)
{
    const mo_model_geom *geom = w->model->geoms + k;
    const mo_shape_def *shape = &geom->shape;
    double round[2] = {shape->radius, shape->half[2]};
    if (geom->ellipsoid[0] > 0) {
        fputs(" type=\"ellipsoid\"", w->out);
        put_numbers(w, "size", geom->ellipsoid, 3);
        return;
    }
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        fputs(" type=\"sphere\"", w->out);
        put_numbers(w, "size", &shape->radius, 1);
        break;
    case MO_SHAPE_BOX:
        fputs(" type=\"box\"", w->out);
        put_numbers(w, "size", shape->half, 3);
        break;
    case MO_SHAPE_CAPSULE: /* the readers have them along z */
        round[1] = shape->ends[1][2];
        fputs(" type=\"capsule\"", w->out);
        put_numbers(w, "size", round, 2);
        break;
    case MO_SHAPE_CYLINDER:
        fputs(" type=\"cylinder\"", w->out);
        put_numbers(w, "size", round, 2);
        break;
    case MO_SHAPE_HULL:
        fprintf(w->out, " type=\"mesh\" mesh=\"m%d\"", mesh_of(w->model, k));
        break;
    default:
        fputs(" type=\"plane\" size=\"0 0 1\"", w->out);
    }
}

/* Not what is only drawn. */
static int is_written(const mo_model *model, int k)
{
    int is_paired = 0;
    for (int i = 0; i < model->pair_count; ++i) {
        is_paired |= model->pairs[i].a == k || model->pairs[i].b == k;
    }
    return is_paired || !model->geoms[k].is_visual;
}

static void put_geom(const writer *w, int k)
{
    const mo_model_geom *geom = w->model->geoms + k;
    const mo_material *m = &geom->shape.material;
    const double friction[3] = {m->friction, m->torsion, m->rolling};
    fprintf(w->out, "<geom name=\"g%d\"", k);
    put_size(w, k);
    put_pose(w, &geom->shape.pose);
    put_numbers(w, "friction", friction, 3);
    fprintf(w->out, " condim=\"%d\" priority=\"%d\" contype=\"%d\" conaffinity=\"%d\"/>\n",
            m->dims ? m->dims : 3, m->priority, (int)geom->shape.layer, (int)geom->shape.mask);
}

static void put_parts(const writer *w, int body)
{
    const mo_model *model = w->model;
    const mo_model_body *of = model->bodies + body;
    for (int k = 0; body && k < of->joint_count; ++k) {
        put_joint(w, of->first_joint + k);
    }
    for (int k = 0; k < model->geom_count; ++k) {
        if (model->geoms[k].body == body && is_written(model, k)) {
            put_geom(w, k);
        }
    }
    for (int k = 0; k < model->site_count; ++k) {
        if (model->sites[k].body == body) {
            fputs("<site", w->out);
            put_name(w, "name", model->sites[k].name, 's', k);
            put_pose(w, &model->sites[k].pose);
            fputs("/>\n", w->out);
        }
    }
}

/* False where the order is not depth first. */
static int put_bodies(const writer *w)
{
    int open = 0; /* the body that is being written */
    fputs("<worldbody>\n", w->out);
    put_parts(w, 0);
    for (int k = 1; k < w->model->body_count; ++k) {
        const mo_model_body *body = w->model->bodies + k;
        for (; open > body->parent; open = w->model->bodies[open].parent) {
            fputs("</body>\n", w->out);
        }
        if (open != body->parent) {
            return 0;
        }
        fputs("<body", w->out);
        put_body_name(w, "name", k);
        put_pose(w, &body->pose);
        fprintf(w->out, "%s>\n", body->is_mocap ? " mocap=\"true\"" : "");
        put_inertial(w, body);
        put_parts(w, k);
        open = k;
    }
    for (; open > 0; open = w->model->bodies[open].parent) {
        fputs("</body>\n", w->out);
    }
    fputs("</worldbody>\n", w->out);
    return 1;
}

static void put_meshes(const writer *w)
{
    fputs("<asset>\n", w->out);
    for (int k = 0; k < w->model->geom_count; ++k) {
        const mo_model_geom *geom = w->model->geoms + k;
        if (is_written(w->model, k) && geom->shape.kind == MO_SHAPE_HULL &&
            !(geom->ellipsoid[0] > 0) && mesh_of(w->model, k) == k) {
            fprintf(w->out, "<mesh name=\"m%d\"", k);
            put_numbers(w, "vertex", geom->shape.points, 3 * geom->shape.point_count);
            fputs("/>\n", w->out);
        }
    }
    fputs("</asset>\n", w->out);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void put_contacts(const writer *w)
{
    const mo_model *model = w->model;
    fputs("<contact>\n", w->out);
    for (int k = 0; k < model->pair_count; ++k) {
        const mo_model_pair *pair = model->pairs + k;
        const mo_material *m = &pair->material;
        const double friction[5] = {m->friction, m->friction, m->torsion, m->rolling, m->rolling};
        fprintf(w->out, "<pair geom1=\"g%d\" geom2=\"g%d\" condim=\"%d\"", pair->a, pair->b,
                m->dims ? m->dims : 3);
        put_numbers(w, "friction", friction, 5);
        fputs("/>\n", w->out);
    }
    for (int k = 0; k < model->exclusion_count; ++k) {
        fputs("<exclude", w->out);
        put_body_name(w, "body1", model->exclusions[k][0]);
        put_body_name(w, "body2", model->exclusions[k][1]);
        fputs("/>\n", w->out);
    }
    fputs("</contact>\n", w->out);
}

static void put_equality(const writer *w, const mo_model_equality *e)
{
    static const char *const WORDS[] = {"connect", "weld", "joint", "tendon"};
    fprintf(w->out, "<%s", WORDS[e->kind]);
    if (e->kind == MO_MODEL_CONNECT || e->kind == MO_MODEL_WELD) {
        put_body_name(w, "body1", e->a);
        put_body_name(w, "body2", e->b);
        if (e->kind == MO_MODEL_CONNECT) {
            put_numbers(w, "anchor", e->anchor, 3);
        } else if (e->has_pose) {
            double pose[7];
            memcpy(pose, e->pose.position, sizeof e->pose.position);
            memcpy(pose + 3, e->pose.orientation, sizeof e->pose.orientation);
            put_numbers(w, "relpose", pose, 7);
        }
    } else {
        void (*put)(const writer *, const char *, int) =
            e->kind == MO_MODEL_COUPLE ? put_joint_name : put_tendon_name;
        put(w, e->kind == MO_MODEL_COUPLE ? "joint1" : "tendon1", e->a);
        if (e->b >= 0) {
            put(w, e->kind == MO_MODEL_COUPLE ? "joint2" : "tendon2", e->b);
        }
        put_numbers(w, "polycoef", e->polynomial, 5);
    }
    fputs("/>\n", w->out);
}

static void put_tendons(const writer *w)
{
    fputs("<tendon>\n", w->out);
    for (int k = 0; k < w->model->tendon_count; ++k) {
        const mo_model_tendon *tendon = w->model->tendons + k;
        fputs("<fixed", w->out);
        put_tendon_name(w, "name", k);
        put_range(w, "limited", "range", tendon->has_limits, tendon->range);
        put_number(w, "stiffness", tendon->stiffness);
        put_number(w, "damping", tendon->damping);
        put_number(w, "frictionloss", tendon->dry_friction);
        if (tendon->stiffness > 0) { /* MuJoCo 2.2 has one length, without slack */
            put_numbers(w, "springlength", tendon->slack,
                        1 + (tendon->slack[0] != tendon->slack[1]));
        }
        fputs(">\n", w->out);
        for (int i = 0; i < tendon->count; ++i) {
            fputs("<joint", w->out);
            put_joint_name(w, "joint", tendon->joints[i]);
            put_numbers(w, "coef", tendon->coefficients + i, 1);
            fputs("/>\n", w->out);
        }
        fputs("</fixed>\n", w->out);
    }
    fputs("</tendon>\n", w->out);
}

/* What does nothing keeps its place in the controls as a motor without force. */
static void put_actuator(const writer *w, int k)
{
    static const char *const DYNAMICS[] = {"none", "integrator", "filter", "filter"};
    const mo_model_actuator *a = w->model->actuators + k;
    const int works = a->kind != MO_MODEL_IGNORED;
    const double gain[3] = {works ? a->gain : 0, a->gain_length, a->gain_speed};
    fputs("<general", w->out);
    put_name(w, "name", a->name, 'a', k);
    if (a->tendon >= 0) {
        put_tendon_name(w, "tendon", a->tendon);
    } else if (a->site >= 0) {
        put_name(w, "site", w->model->sites[a->site].name, 's', a->site);
    } else {
        put_joint_name(w, "joint", a->joint >= 0 ? a->joint : 0);
    }
    put_numbers(w, "gear", a->gear, 6);
    fputs(" gaintype=\"affine\" biastype=\"affine\"", w->out);
    put_numbers(w, "gainprm", gain, 3);
    put_numbers(w, "biasprm", works ? a->bias : (const double[3]){0}, 3);
    if (works && a->dynamics != MO_DYNAMICS_NONE) {
        fprintf(w->out, " dyntype=\"%s\"", DYNAMICS[a->dynamics]);
        put_numbers(w, "dynprm", &a->time_constant, 1);
    }
    put_range(w, "ctrllimited", "ctrlrange", a->has_control_range, a->control_range);
    put_range(w, "forcelimited", "forcerange", a->has_force_range, a->force_range);
    put_range(w, "actlimited", "actrange", works && a->has_state_range, a->state_range);
    fputs("/>\n", w->out);
}

static void put_keys(const writer *w)
{
    const mo_model *model = w->model;
    fputs("<keyframe>\n", w->out);
    for (int k = 0; k < model->key_count; ++k) {
        const mo_model_key *key = model->keys + k;
        fputs("<key", w->out);
        put_name(w, "name", key->name, 'k', k);
        put_number(w, "time", key->time);
        put_numbers(w, "qpos", key->q, model->q_count);
        put_numbers(w, "qvel", key->v, model->v_count);
        put_numbers(w, "ctrl", key->control, model->actuator_count);
        fputs("/>\n", w->out);
    }
    fputs("</keyframe>\n", w->out);
}

/* MuJoCo 2.2 has no gravity compensation: kept as a custom number, one a body. */
static void put_gravity_compensation(const writer *w)
{
    int any = 0;
    for (int k = 0; k < w->model->body_count; ++k) {
        any |= w->model->bodies[k].gravity_compensation != 0;
    }
    if (any) {
        fputs("<custom><numeric name=\"gravcomp\" data=\"", w->out);
        for (int k = 0; k < w->model->body_count; ++k) {
            fprintf(w->out, " %.17g", w->model->bodies[k].gravity_compensation);
        }
        fputs("\"/></custom>\n", w->out);
    }
}

/* MuJoCo refuses bodies that move and have no mass or inertia of their own. */
static int moves_without_mass(const mo_model *model)
{
    for (int k = 1; k < model->body_count; ++k) {
        const mo_model_body *body = model->bodies + k;
        const double *I = body->inertia;
        if (body->joint_count > 0 && (!(body->mass > 0) || !(I[0] > 0 && I[1] > 0 && I[2] > 0))) {
            return 1;
        }
    }
    return 0;
}

static int put_model(const writer *w)
{
    const mo_model *model = w->model;
    fputs("<mujoco", w->out);
    put_name(w, "model", model->name, 'm', 0);
    fprintf(w->out,
            ">\n<compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"true\"%s/>\n",
            moves_without_mass(model) ? " boundmass=\"1e-9\" boundinertia=\"1e-12\"" : "");
    fputs("<size njmax=\"8000\" nconmax=\"2000\"/>\n<option cone=\"elliptic\"", w->out);
    put_number(w, "timestep", model->step > 0 ? model->step : 0.002);
    put_numbers(w, "gravity", model->gravity, 3);
    fprintf(w->out, ">%s</option>\n",
            model->parents_touch ? "<flag filterparent=\"disable\"/>" : "");
    put_meshes(w);
    if (!put_bodies(w)) {
        return 0;
    }
    put_contacts(w);
    fputs("<equality>\n", w->out);
    for (int k = 0; k < model->equality_count; ++k) {
        put_equality(w, model->equalities + k);
    }
    fputs("</equality>\n", w->out);
    put_tendons(w);
    fputs("<actuator>\n", w->out);
    for (int k = 0; k < model->actuator_count; ++k) {
        put_actuator(w, k);
    }
    fputs("</actuator>\n", w->out);
    put_keys(w);
    put_gravity_compensation(w);
    fputs("</mujoco>\n", w->out);
    return 1;
}

mo_error mo_model_write(const char *path, const mo_model *model, mo_message *why)
{
    MO_NEED(path && model, why);
    char *text = NULL;
    size_t size = 0;
    mo_replacement replacement;
    writer w = {.out = open_memstream(&text, &size), .model = model};
    if (!w.out) {
        return mo_fail_memory(why);
    }
    mo_c_locale numbers = mo_c_locale_begin();
    const int is_ordered = put_model(&w);
    mo_c_locale_end(&numbers);
    const int is_whole = fclose(w.out) == 0;
    mo_error error = MO_OK;
    if (!is_ordered) {
        error = mo_fail(why, MO_ERR_UNSUPPORTED,
                        "the bodies are not in depth-first order and cannot be written as MJCF");
    } else if (!is_whole) {
        error = mo_fail_memory(why);
    }
    error = error ? error : mo_replace_begin(&replacement, path, why);
    error = error ? error : mo_replace_write(&replacement, text, size, why);
    error = error ? error : mo_replace_commit(&replacement, why);
    free(text);
    return error;
}
