/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* MJCF output of names, numbers, bodies with their contents, and meshes. */
#include "io/mjcf_write.h"

#include <math.h>
#include <string.h>

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_text(const mo_mjcf_writer *w, const char *text)
{
    for (; *text; ++text) {
        static const char SPECIAL[] = "&<>\"'";
        static const char *const ENTITY[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
        const char *at = strchr(SPECIAL, *text);
        if (at)
            fputs(ENTITY[at - SPECIAL], w->out);
        else
            fputc(*text, w->out);
    }
}

void mo_mjcf_put_name(const mo_mjcf_writer *w, const char *attribute, const char *name, char letter,
                      int k)
{
    fprintf(w->out, " %s=\"", attribute);
    if (name[0])
        put_text(w, name);
    else
        fprintf(w->out, "%c%d", letter, k);
    fputc('"', w->out);
}

void mo_mjcf_put_body_name(const mo_mjcf_writer *w, const char *attribute, int body)
{
    mo_mjcf_put_name(w, attribute, body ? w->model->bodies[body].name : "world", 'b', body);
}

void mo_mjcf_put_joint_name(const mo_mjcf_writer *w, const char *attribute, int joint)
{
    mo_mjcf_put_name(w, attribute, w->model->joints[joint].name, 'j', joint);
}

void mo_mjcf_put_tendon_name(const mo_mjcf_writer *w, const char *attribute, int tendon)
{
    mo_mjcf_put_name(w, attribute, w->model->tendons[tendon].name, 't', tendon);
}

void mo_mjcf_put_numbers(const mo_mjcf_writer *w, const char *attribute, const double *x, int count)
{
    if (count == 0) return; /* MuJoCo refuses an empty list */
    fprintf(w->out, " %s=\"", attribute);
    for (int k = 0; k < count; ++k)
        fprintf(w->out, "%s%.17g", k ? " " : "", x[k]);
    fputc('"', w->out);
}

void mo_mjcf_put_number(const mo_mjcf_writer *w, const char *attribute, double x)
{
    if (x != 0) mo_mjcf_put_numbers(w, attribute, &x, 1);
}

static void put_pose(const mo_mjcf_writer *w, const mo_pose *pose)
{
    mo_mjcf_put_numbers(w, "pos", pose->position, 3);
    mo_mjcf_put_numbers(w, "quat", pose->orientation, 4);
}

void mo_mjcf_put_range(const mo_mjcf_writer *w, const char *limited, const char *range, int has,
                       const double r[2])
{
    static const double FAR = 1e10;
    if (has) {
        const double both[2] = {fmax(r[0], -FAR), fmin(r[1], FAR)};
        fprintf(w->out, " %s=\"true\"", limited);
        mo_mjcf_put_numbers(w, range, both, 2);
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Without products only the diagonal, where MuJoCo accepts the zeros of a fixed body. */
static void put_inertial(const mo_mjcf_writer *w, const mo_model_body *body)
{
    if (body->mass > 0) {
        fputs("<inertial", w->out);
        mo_mjcf_put_numbers(w, "pos", body->centre, 3);
        mo_mjcf_put_number(w, "mass", body->mass);
        const double *products = body->inertia + 3;
        const int is_diagonal = products[0] == 0 && products[1] == 0 && products[2] == 0;
        mo_mjcf_put_numbers(w, is_diagonal ? "diaginertia" : "fullinertia", body->inertia,
                            is_diagonal ? 3 : 6);
        fputs("/>\n", w->out);
    }
}

static void put_joint(const mo_mjcf_writer *w, int k)
{
    const mo_model_joint *joint = w->model->joints + k;
    fprintf(w->out, "<joint type=\"%s\"", mo_model_joint_name(joint->kind));
    mo_mjcf_put_joint_name(w, "name", k);
    if (joint->kind != MO_MODEL_FREE) mo_mjcf_put_numbers(w, "pos", joint->anchor, 3);
    if (joint->kind >= MO_MODEL_SLIDE) {
        mo_mjcf_put_numbers(w, "axis", joint->axis, 3);
        mo_mjcf_put_number(w, "ref", joint->ref);
        mo_mjcf_put_number(w, "springref", joint->spring_ref);
    }
    mo_mjcf_put_range(w, "limited", "range", joint->has_limits, joint->range);
    mo_mjcf_put_number(w, "stiffness", joint->stiffness);
    mo_mjcf_put_number(w, "damping", joint->damping);
    mo_mjcf_put_number(w, "armature", joint->armature);
    mo_mjcf_put_number(w, "frictionloss", joint->dry_friction);
    fputs("/>\n", w->out);
}

/* The first geom with the same corners. */
static int mesh_of(const mo_model *model, int geom)
{
    int k = 0;
    while (model->geoms[k].shape.kind != MO_SHAPE_HULL ||
           model->geoms[k].shape.points != model->geoms[geom].shape.points)
        ++k;
    return k;
}

static void put_size(const mo_mjcf_writer *w, int k)
{
    const mo_model_geom *geom = w->model->geoms + k;
    const mo_shape_def *shape = &geom->shape;
    double round[2] = {shape->radius, shape->half[2]};
    if (geom->ellipsoid[0] > 0) {
        fputs(" type=\"ellipsoid\"", w->out);
        mo_mjcf_put_numbers(w, "size", geom->ellipsoid, 3);
        return;
    }
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        fputs(" type=\"sphere\"", w->out);
        mo_mjcf_put_numbers(w, "size", &shape->radius, 1);
        break;
    case MO_SHAPE_BOX:
        fputs(" type=\"box\"", w->out);
        mo_mjcf_put_numbers(w, "size", shape->half, 3);
        break;
    case MO_SHAPE_CAPSULE: /* the readers have them along z */
        round[1] = shape->ends[1][2];
        fputs(" type=\"capsule\"", w->out);
        mo_mjcf_put_numbers(w, "size", round, 2);
        break;
    case MO_SHAPE_CYLINDER:
        fputs(" type=\"cylinder\"", w->out);
        mo_mjcf_put_numbers(w, "size", round, 2);
        break;
    case MO_SHAPE_HULL:
        fprintf(w->out, " type=\"mesh\" mesh=\"m%d\"", mesh_of(w->model, k));
        break;
    default:
        fputs(" type=\"plane\" size=\"0 0 1\"", w->out);
    }
}

/* Neither visual geoms nor height fields. */
static int is_written(const mo_model *model, int k)
{
    if (model->geoms[k].shape.kind == MO_SHAPE_MESH) return 0;
    int is_paired = 0;
    for (int i = 0; i < model->pair_count; ++i)
        is_paired |= model->pairs[i].a == k || model->pairs[i].b == k;
    return is_paired || !model->geoms[k].is_visual;
}

static void put_geom(const mo_mjcf_writer *w, int k)
{
    const mo_model_geom *geom = w->model->geoms + k;
    const mo_material *m = &geom->shape.material;
    const double friction[3] = {m->friction, m->torsion, m->rolling};
    fprintf(w->out, "<geom name=\"g%d\"", k);
    put_size(w, k);
    put_pose(w, &geom->shape.pose);
    mo_mjcf_put_numbers(w, "friction", friction, 3);
    fprintf(w->out, " condim=\"%d\" priority=\"%d\" contype=\"%d\" conaffinity=\"%d\"/>\n",
            m->dims ? m->dims : 3, m->priority, (int)geom->shape.layer, (int)geom->shape.mask);
}

/* Sites and geoms of tendon paths, with generated names: t1p2, and t1p2s for the side site. */
static void put_path_points(const mo_mjcf_writer *w, int body)
{
    for (int k = 0; k < w->model->tendon_count; ++k) {
        for (int i = 0; i < w->model->tendons[k].path_count; ++i) {
            const mo_tendon_point *point = w->model->tendons[k].path + i;
            if (point->kind != MO_TENDON_PULLEY && point->link == body) {
                fprintf(w->out, "<%s name=\"t%dp%d\"",
                        point->kind == MO_TENDON_SITE ? "site" : "geom", k, i);
                if (point->kind != MO_TENDON_SITE) {
                    const double size[2] = {point->radius, point->radius};
                    fprintf(w->out, " type=\"%s\" contype=\"0\" conaffinity=\"0\"",
                            point->kind == MO_TENDON_BALL ? "sphere" : "cylinder");
                    mo_mjcf_put_numbers(w, "size", size, 2);
                }
                put_pose(w, &point->pose);
                fputs("/>\n", w->out);
            }
            if (point->has_side && point->side_link == body) {
                fprintf(w->out, "<site name=\"t%dp%ds\"", k, i);
                mo_mjcf_put_numbers(w, "pos", point->side, 3);
                fputs("/>\n", w->out);
            }
        }
    }
}

static void put_parts(const mo_mjcf_writer *w, int body)
{
    const mo_model *model = w->model;
    const mo_model_body *of = model->bodies + body;
    for (int k = 0; body && k < of->joint_count; ++k)
        put_joint(w, of->first_joint + k);
    for (int k = 0; k < model->geom_count; ++k)
        if (model->geoms[k].body == body && is_written(model, k)) put_geom(w, k);
    for (int k = 0; k < model->site_count; ++k) {
        if (model->sites[k].body == body) {
            fputs("<site", w->out);
            mo_mjcf_put_name(w, "name", model->sites[k].name, 's', k);
            put_pose(w, &model->sites[k].pose);
            fputs("/>\n", w->out);
        }
    }
    put_path_points(w, body);
}

int mo_mjcf_put_bodies(const mo_mjcf_writer *w)
{
    int open = 0; /* the body that is being written */
    fputs("<worldbody>\n", w->out);
    put_parts(w, 0);
    for (int k = 1; k < w->model->body_count; ++k) {
        const mo_model_body *body = w->model->bodies + k;
        for (; open > body->parent; open = w->model->bodies[open].parent)
            fputs("</body>\n", w->out);
        if (open != body->parent) return 0;
        fputs("<body", w->out);
        mo_mjcf_put_body_name(w, "name", k);
        put_pose(w, &body->pose);
        fprintf(w->out, "%s>\n", body->is_mocap ? " mocap=\"true\"" : "");
        put_inertial(w, body);
        put_parts(w, k);
        open = k;
    }
    for (; open > 0; open = w->model->bodies[open].parent)
        fputs("</body>\n", w->out);
    fputs("</worldbody>\n", w->out);
    return 1;
}

void mo_mjcf_put_meshes(const mo_mjcf_writer *w)
{
    fputs("<asset>\n", w->out);
    for (int k = 0; k < w->model->geom_count; ++k) {
        const mo_model_geom *geom = w->model->geoms + k;
        if (is_written(w->model, k) && geom->shape.kind == MO_SHAPE_HULL &&
            !(geom->ellipsoid[0] > 0) && mesh_of(w->model, k) == k) {
            fprintf(w->out, "<mesh name=\"m%d\"", k);
            mo_mjcf_put_numbers(w, "vertex", geom->shape.points, 3 * geom->shape.point_count);
            fputs("/>\n", w->out);
        }
    }
    fputs("</asset>\n", w->out);
}
