/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Tendons, with limits, a spring, damping and dry friction: fixed ones, which are sums of joints,
 * and spatial ones, which run through sites, around spheres and cylinders, and over pulleys.
 *
 * springlength is one number (the length at which the spring is at rest), two (between which it is
 * slack), or -1: the length where the springs of all joints are slack.
 */
#include <string.h>

#include "io/mjcf.h"

static const char KIND[] = "tendon"; /* of defaults */

static bool read_joints(mo_mjcf *m, const mo_xml_node *node, mo_model_tendon *tendon)
{
    MO_XML_EACH (part, node, "joint") {
        const int joint = mo_mjcf_find(m, part, 'j', "joint", "joint");
        double coefficient = 1;
        MO_PASS(joint >= 0 && mo_mjcf_number(m, part, NULL, "coef", &coefficient));
        MO_FAIL_IF(m->r->model->joints[joint].kind < MO_MODEL_SLIDE,
                   mo_reader_fail(m->r, part, "of a tendon is neither a hinge nor a slide"));
        tendon->joints[tendon->count] = joint;
        tendon->coefficients[tendon->count++] = coefficient;
    }
    return tendon->count > 0 || mo_reader_fail(m->r, node, "has no <joint>");
}

static bool read_spring(mo_mjcf *m, const mo_xml_node *node, mo_model_tendon *tendon)
{
    double rest[2] = {-1, -1};
    int count = 0;
    MO_PASS(mo_mjcf_passive(m, node, KIND, &tendon->stiffness, &tendon->damping,
                            &tendon->dry_friction) &&
            mo_mjcf_numbers(m, node, KIND, "springlength", 1, 2, rest, &count));
    rest[1] = count == 2 ? rest[1] : rest[0];
    if (tendon->path_count == 0 && rest[0] == -1 && rest[1] == -1) {
        rest[0] = 0;
        for (int k = 0; k < tendon->count; ++k)
            rest[0] += tendon->coefficients[k] * m->r->model->joints[tendon->joints[k]].spring_ref;
        rest[1] = rest[0];
    }
    memcpy(tendon->slack, rest, sizeof rest);
    return rest[0] <= rest[1] ||
           mo_reader_fail(m->r, node, "has a springlength from %g to %g; the first must be smaller",
                          rest[0], rest[1]);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static bool read_site(mo_mjcf *m, const mo_xml_node *node, mo_tendon_point *point)
{
    const int site = mo_mjcf_find(m, node, 's', "site", "site");
    if (site >= 0) {
        point->link = m->r->model->sites[site].body;
        point->pose = m->r->model->sites[site].pose;
    }
    return site >= 0;
}

static bool read_obstacle(mo_mjcf *m, const mo_xml_node *node, mo_tendon_point *point)
{
    const int place = mo_mjcf_find(m, node, 'g', "geom", "geom");
    MO_PASS(place >= 0);
    const mo_model_geom *geom = m->r->model->geoms + place;
    MO_FAIL_IF(geom->shape.kind != MO_SHAPE_BALL && geom->shape.kind != MO_SHAPE_CYLINDER,
               mo_reader_fail(m->r, node, "of a tendon is neither a sphere nor a cylinder"));
    point->kind = geom->shape.kind == MO_SHAPE_BALL ? MO_TENDON_BALL : MO_TENDON_CYLINDER;
    point->link = geom->body;
    point->pose = geom->shape.pose;
    point->radius = geom->shape.radius;
    if (mo_xml_get(node, "sidesite")) {
        const int site = mo_mjcf_find(m, node, 's', "sidesite", "site");
        MO_PASS(site >= 0);
        point->has_side = 1;
        point->side_link = m->r->model->sites[site].body;
        memcpy(point->side, m->r->model->sites[site].pose.position, sizeof point->side);
    }
    return true;
}

static bool read_pulley(mo_mjcf *m, const mo_xml_node *node, mo_tendon_point *point)
{
    point->kind = MO_TENDON_PULLEY;
    point->divisor = 1;
    return mo_mjcf_number(m, node, NULL, "divisor", &point->divisor) &&
           (point->divisor > 0 ||
            mo_reader_fail(m->r, node, "has divisor=\"%g\"; it must be positive", point->divisor));
}

/* Every part between pulleys begins and ends with a site; an obstacle is between two. */
static bool check_path(mo_mjcf *m, const mo_xml_node *node, const mo_model_tendon *tendon)
{
    int parts = 0;
    for (int k = 0; k < tendon->path_count; ++k) {
        const mo_tendon_point *at = tendon->path + k;
        const mo_tendon_point_kind before = k > 0 ? at[-1].kind : MO_TENDON_PULLEY,
                                   after =
                                       k + 1 < tendon->path_count ? at[1].kind : MO_TENDON_PULLEY;
        MO_FAIL_IF((at->kind == MO_TENDON_BALL || at->kind == MO_TENDON_CYLINDER) &&
                       (before != MO_TENDON_SITE || after != MO_TENDON_SITE),
                   mo_reader_fail(m->r, node, "has a geom that is not between two sites"));
        parts += at->kind == MO_TENDON_SITE && before != MO_TENDON_PULLEY;
    }
    return parts > 0 || mo_reader_fail(m->r, node, "has no two consecutive sites");
}

static bool read_path(mo_mjcf *m, const mo_xml_node *node, int parts, mo_model_tendon *tendon)
{
    tendon->path = mo_pool_take(m->r->pool, (size_t)parts + 1, sizeof *tendon->path);
    MO_FAIL_IF(!tendon->path, mo_reader_no_memory(m->r));
    for (const mo_xml_node *part = node->first; part; part = part->next) {
        mo_tendon_point *point = tendon->path + tendon->path_count;
        *point = (mo_tendon_point){.kind = MO_TENDON_SITE, .pose = mo_pose_identity()};
        const bool is_site = strcmp(part->name, "site") == 0,
                   is_geom = strcmp(part->name, "geom") == 0,
                   is_pulley = strcmp(part->name, "pulley") == 0;
        if (is_site || is_geom || is_pulley) {
            ++tendon->path_count;
            MO_PASS((is_site   ? read_site(m, part, point)
                     : is_geom ? read_obstacle(m, part, point)
                               : read_pulley(m, part, point)));
        }
    }
    return check_path(m, node, tendon);
}

/* ---- entry points ---------------------------------------------------------------------------- */

bool mo_mjcf_tendon(mo_mjcf *m, const mo_xml_node *node)
{
    const bool is_spatial = strcmp(node->name, "spatial") == 0;
    int parts = 0;
    if (!is_spatial && strcmp(node->name, "fixed") != 0) return true;
    for (const mo_xml_node *part = node->first; part; part = part->next)
        ++parts;
    mo_model_tendon *tendon = mo_reader_add_tendon(m->r, node, mo_xml_get(node, "name"), parts);
    MO_PASS(tendon &&
            (is_spatial ? read_path(m, node, parts, tendon) : read_joints(m, node, tendon)) &&
            read_spring(m, node, tendon) &&
            mo_mjcf_limits(m, node, KIND, "limited", "range", &tendon->has_limits, tendon->range));
    tendon->has_limits = tendon->has_limits && !m->set.no_limits;
    return true;
}
