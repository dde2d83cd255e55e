/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A model as MJCF of MuJoCo 2.2, with everything resolved: no defaults, no includes, angles in
 * radians, each body with its inertia, meshes that collide as the corners of their hull.
 *
 * Visual geoms are left out, and so are gravity compensation and dynamics that MuJoCo 2.2 does not
 * have (an exact filter is written as a filter).  Servos that are tuned by the mass they feel
 * (dampratio, --servo) must have their gains (mo_model_actuator.gain, bias) filled in before.
 * Empty and repeated names are replaced by a letter and a number.
 *
 * Bodies must be in depth-first order, as the readers leave them.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/error.h"
#include "io/file.h"
#include "io/mjcf_write.h"

static void put_contacts(const mo_mjcf_writer *w)
{
    const mo_model *model = w->model;
    fputs("<contact>\n", w->out);
    for (int k = 0; k < model->pair_count; ++k) {
        const mo_model_pair *pair = model->pairs + k;
        const mo_material *m = &pair->material;
        const double friction[5] = {m->friction, m->friction, m->torsion, m->rolling, m->rolling};
        fprintf(w->out, "<pair geom1=\"g%d\" geom2=\"g%d\" condim=\"%d\"", pair->a, pair->b,
                m->dims ? m->dims : 3);
        mo_mjcf_put_numbers(w, "friction", friction, 5);
        fputs("/>\n", w->out);
    }
    for (int k = 0; k < model->exclusion_count; ++k) {
        fputs("<exclude", w->out);
        mo_mjcf_put_body_name(w, "body1", model->exclusions[k][0]);
        mo_mjcf_put_body_name(w, "body2", model->exclusions[k][1]);
        fputs("/>\n", w->out);
    }
    fputs("</contact>\n", w->out);
}

static void put_equality(const mo_mjcf_writer *w, const mo_model_equality *e)
{
    static const char *const WORDS[] = {"connect", "weld", "joint", "tendon"};
    fprintf(w->out, "<%s", WORDS[e->kind]);
    if (e->kind == MO_MODEL_CONNECT || e->kind == MO_MODEL_WELD) {
        mo_mjcf_put_body_name(w, "body1", e->a);
        mo_mjcf_put_body_name(w, "body2", e->b);
        if (e->kind == MO_MODEL_CONNECT) {
            mo_mjcf_put_numbers(w, "anchor", e->anchor, 3);
        } else if (e->has_pose) {
            double pose[7];
            memcpy(pose, e->pose.position, sizeof e->pose.position);
            memcpy(pose + 3, e->pose.orientation, sizeof e->pose.orientation);
            mo_mjcf_put_numbers(w, "relpose", pose, 7);
        }
    } else {
        void (*put)(const mo_mjcf_writer *, const char *, int) =
            e->kind == MO_MODEL_COUPLE ? mo_mjcf_put_joint_name : mo_mjcf_put_tendon_name;
        put(w, e->kind == MO_MODEL_COUPLE ? "joint1" : "tendon1", e->a);
        if (e->b >= 0) put(w, e->kind == MO_MODEL_COUPLE ? "joint2" : "tendon2", e->b);
        mo_mjcf_put_numbers(w, "polycoef", e->polynomial, 5);
    }
    fputs("/>\n", w->out);
}

static void put_path(const mo_mjcf_writer *w, int k)
{
    for (int i = 0; i < w->model->tendons[k].path_count; ++i) {
        const mo_tendon_point *point = w->model->tendons[k].path + i;
        if (point->kind == MO_TENDON_PULLEY) {
            fputs("<pulley", w->out);
            mo_mjcf_put_numbers(w, "divisor", &point->divisor, 1);
        } else {
            const char *what = point->kind == MO_TENDON_SITE ? "site" : "geom";
            fprintf(w->out, "<%s %s=\"t%dp%d\"", what, what, k, i);
            if (point->has_side) fprintf(w->out, " sidesite=\"t%dp%ds\"", k, i);
        }
        fputs("/>\n", w->out);
    }
}

static void put_tendons(const mo_mjcf_writer *w)
{
    fputs("<tendon>\n", w->out);
    for (int k = 0; k < w->model->tendon_count; ++k) {
        const mo_model_tendon *tendon = w->model->tendons + k;
        const char *kind = tendon->path_count > 0 ? "spatial" : "fixed";
        fprintf(w->out, "<%s", kind);
        mo_mjcf_put_tendon_name(w, "name", k);
        mo_mjcf_put_range(w, "limited", "range", tendon->has_limits, tendon->range);
        mo_mjcf_put_number(w, "stiffness", tendon->stiffness);
        mo_mjcf_put_number(w, "damping", tendon->damping);
        mo_mjcf_put_number(w, "frictionloss", tendon->dry_friction);
        if (tendon->stiffness > 0) { /* MuJoCo 2.2 has one length, without slack */
            mo_mjcf_put_numbers(w, "springlength", tendon->slack,
                                1 + (tendon->slack[0] != tendon->slack[1]));
        }
        fputs(">\n", w->out);
        for (int i = 0; i < tendon->count; ++i) {
            fputs("<joint", w->out);
            mo_mjcf_put_joint_name(w, "joint", tendon->joints[i]);
            mo_mjcf_put_numbers(w, "coef", tendon->coefficients + i, 1);
            fputs("/>\n", w->out);
        }
        put_path(w, k);
        fprintf(w->out, "</%s>\n", kind);
    }
    fputs("</tendon>\n", w->out);
}

static void put_muscle(const mo_mjcf_writer *w, const mo_model_actuator *a)
{
    const mo_muscle *m = &a->muscle;
    const double all[9] = {m->range[0], m->range[1], m->force, a->muscle_scale, m->lmin,
                           m->lmax,     m->vmax,     m->fpmax, m->fvmax};
    fputs(" gaintype=\"muscle\" biastype=\"muscle\"", w->out);
    mo_mjcf_put_numbers(w, "gainprm", all, 9);
    mo_mjcf_put_numbers(w, "biasprm", all, 9);
    if (m->length_range[0] < m->length_range[1])
        mo_mjcf_put_numbers(w, "lengthrange", m->length_range, 2);
}

/* An actuator without effect keeps its place in the controls as a motor without force. */
static void put_actuator(const mo_mjcf_writer *w, int k)
{
    static const char *const DYNAMICS[] = {"none", "integrator", "filter", "filter", "muscle"};
    const mo_model_actuator *a = w->model->actuators + k;
    const int works = a->kind != MO_MODEL_IGNORED;
    const double gain[3] = {works ? a->gain : 0, a->gain_length, a->gain_speed};
    fputs("<general", w->out);
    mo_mjcf_put_name(w, "name", a->name, 'a', k);
    if (a->tendon >= 0)
        mo_mjcf_put_tendon_name(w, "tendon", a->tendon);
    else if (a->site >= 0)
        mo_mjcf_put_name(w, "site", w->model->sites[a->site].name, 's', a->site);
    else
        mo_mjcf_put_joint_name(w, "joint", a->joint >= 0 ? a->joint : 0);
    mo_mjcf_put_numbers(w, "gear", a->gear, 6);
    if (a->kind == MO_MODEL_MUSCLE) {
        put_muscle(w, a);
    } else {
        fputs(" gaintype=\"affine\" biastype=\"affine\"", w->out);
        mo_mjcf_put_numbers(w, "gainprm", gain, 3);
        mo_mjcf_put_numbers(w, "biasprm", works ? a->bias : (const double[3]){0}, 3);
    }
    if (works && a->dynamics != MO_DYNAMICS_NONE) {
        fprintf(w->out, " dyntype=\"%s\"", DYNAMICS[a->dynamics]);
        const double tau[2] = {a->time_constant, a->time_constant_off};
        mo_mjcf_put_numbers(w, "dynprm", tau, a->dynamics == MO_DYNAMICS_MUSCLE ? 2 : 1);
    }
    mo_mjcf_put_range(w, "ctrllimited", "ctrlrange", a->has_control_range, a->control_range);
    mo_mjcf_put_range(w, "forcelimited", "forcerange", a->has_force_range, a->force_range);
    mo_mjcf_put_range(w, "actlimited", "actrange", works && a->has_state_range, a->state_range);
    fputs("/>\n", w->out);
}

static void put_keys(const mo_mjcf_writer *w)
{
    const mo_model *model = w->model;
    fputs("<keyframe>\n", w->out);
    for (int k = 0; k < model->key_count; ++k) {
        const mo_model_key *key = model->keys + k;
        fputs("<key", w->out);
        mo_mjcf_put_name(w, "name", key->name, 'k', k);
        mo_mjcf_put_number(w, "time", key->time);
        mo_mjcf_put_numbers(w, "qpos", key->q, model->q_count);
        mo_mjcf_put_numbers(w, "qvel", key->v, model->v_count);
        mo_mjcf_put_numbers(w, "ctrl", key->control, model->actuator_count);
        fputs("/>\n", w->out);
    }
    fputs("</keyframe>\n", w->out);
}

/* MuJoCo 2.2 has no gravity compensation: kept as a custom number, one a body. */
static void put_gravity_compensation(const mo_mjcf_writer *w)
{
    int any = 0;
    for (int k = 0; k < w->model->body_count; ++k)
        any |= w->model->bodies[k].gravity_compensation != 0;
    if (any) {
        fputs("<custom><numeric name=\"gravcomp\" data=\"", w->out);
        for (int k = 0; k < w->model->body_count; ++k)
            fprintf(w->out, " %.17g", w->model->bodies[k].gravity_compensation);
        fputs("\"/></custom>\n", w->out);
    }
}

/* MuJoCo refuses moving bodies without mass or inertia. */
static int moves_without_mass(const mo_model *model)
{
    for (int k = 1; k < model->body_count; ++k) {
        const mo_model_body *body = model->bodies + k;
        const double *I = body->inertia;
        if (body->joint_count > 0 && (!(body->mass > 0) || !(I[0] > 0 && I[1] > 0 && I[2] > 0)))
            return 1;
    }
    return 0;
}

static int put_model(const mo_mjcf_writer *w)
{
    const mo_model *model = w->model;
    fputs("<mujoco", w->out);
    mo_mjcf_put_name(w, "model", model->name, 'm', 0);
    fprintf(w->out,
            ">\n<compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"true\"%s/>\n",
            moves_without_mass(model) ? " boundmass=\"1e-9\" boundinertia=\"1e-12\"" : "");
    fputs("<size njmax=\"8000\" nconmax=\"2000\"/>\n<option cone=\"elliptic\"", w->out);
    mo_mjcf_put_number(w, "timestep", model->step > 0 ? model->step : 0.002);
    mo_mjcf_put_numbers(w, "gravity", model->gravity, 3);
    mo_mjcf_put_number(w, "density", model->medium.density);
    mo_mjcf_put_number(w, "viscosity", model->medium.viscosity);
    mo_mjcf_put_numbers(w, "wind", model->medium.wind, 3);
    fprintf(w->out, ">%s</option>\n",
            model->parents_touch ? "<flag filterparent=\"disable\"/>" : "");
    mo_mjcf_put_meshes(w);
    MO_PASS(mo_mjcf_put_bodies(w));
    put_contacts(w);
    fputs("<equality>\n", w->out);
    for (int k = 0; k < model->equality_count; ++k)
        put_equality(w, model->equalities + k);
    fputs("</equality>\n", w->out);
    put_tendons(w);
    fputs("<actuator>\n", w->out);
    for (int k = 0; k < model->actuator_count; ++k)
        put_actuator(w, k);
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
    mo_mjcf_writer w = {.out = open_memstream(&text, &size), .model = model};
    MO_NEED_MEMORY(w.out, why);
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
    error = error ? error : mo_replace_file(path, text, size, why);
    free(text);
    return error;
}
