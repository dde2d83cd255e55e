/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Fixed tendons: sums of joints, with limits, a spring, damping and dry friction.  Spatial ones,
 * which run along sites and around geoms, are noted and left out.
 *
 * springlength is one number (the length at which the spring is at rest), two (between which it is
 * slack), or -1: the length where the springs of all joints are slack.
 */
#include <string.h>

#include "io/mjcf.h"

static const char KIND[] = "tendon"; /* of defaults */

static bool read_joints(mo_mjcf *m, const mo_xml_node *node, mo_model_tendon *tendon)
{
    for (const mo_xml_node *part = mo_xml_child(node, "joint"); part;
         part = mo_xml_next(part, "joint")) {
        const int joint = mo_mjcf_find(m, part, 'j', "joint", "joint");
        double coefficient = 1;
        if (joint < 0 || !mo_mjcf_number(m, part, NULL, "coef", &coefficient)) {
            return false;
        }
        if (m->r->model->joints[joint].kind < MO_MODEL_SLIDE) {
            return mo_reader_fail(m->r, part, "of a tendon is no hinge and no slide");
        }
        tendon->joints[tendon->count] = joint;
        tendon->coefficients[tendon->count++] = coefficient;
    }
    return tendon->count > 0 || mo_reader_fail(m->r, node, "has no <joint>");
}

static bool read_spring(mo_mjcf *m, const mo_xml_node *node, mo_model_tendon *tendon)
{
    double rest[2] = {-1, -1};
    int count = 0;
    if (!mo_mjcf_amount(m, node, KIND, "stiffness", &tendon->stiffness) ||
        !mo_mjcf_amount(m, node, KIND, "damping", &tendon->damping) ||
        !mo_mjcf_amount(m, node, KIND, "frictionloss", &tendon->dry_friction) ||
        !mo_mjcf_numbers(m, node, KIND, "springlength", 1, 2, rest, &count)) {
        return false;
    }
    rest[1] = count == 2 ? rest[1] : rest[0];
    if (rest[0] == -1 && rest[1] == -1) {
        rest[0] = 0;
        for (int k = 0; k < tendon->count; ++k) {
            rest[0] += tendon->coefficients[k] * m->r->model->joints[tendon->joints[k]].spring_ref;
        }
        rest[1] = rest[0];
    }
    memcpy(tendon->slack, rest, sizeof rest);
    return rest[0] <= rest[1] ||
           mo_reader_fail(m->r, node, "has a springlength from %g to %g; the first must be smaller",
                          rest[0], rest[1]);
}

static bool read_fixed(mo_mjcf *m, const mo_xml_node *node)
{
    int joints = 0;
    for (const mo_xml_node *part = node->first; part; part = part->next) {
        ++joints;
    }
    mo_model_tendon *tendon = mo_reader_add_tendon(m->r, node, mo_xml_get(node, "name"), joints);
    if (!tendon || !read_joints(m, node, tendon) || !read_spring(m, node, tendon) ||
        !mo_mjcf_limits(m, node, KIND, "limited", "range", &tendon->has_limits, tendon->range)) {
        return false;
    }
    if (m->set.no_passive) {
        tendon->stiffness = tendon->damping = 0;
    }
    if (m->set.no_friction_loss) {
        tendon->dry_friction = 0;
    }
    if (m->set.no_limits) {
        tendon->has_limits = 0;
    }
    return true;
}

bool mo_mjcf_tendons(mo_mjcf *m)
{
    for (const mo_xml_node *section = mo_xml_child(m->r->root, "tendon"); section;
         section = mo_xml_next(section, "tendon")) {
        for (const mo_xml_node *node = section->first; node; node = node->next) {
            if (strcmp(node->name, "fixed") == 0) {
                if (!read_fixed(m, node)) return false;
            } else if (!mo_reader_name_add(m->r, node, 'u', mo_xml_get(node, "name"), 0)) {
                return false; /* unread ones are remembered by name: what they drive does nothing */
            } else {
                mo_reader_note(m->r, node, "> of a tendon is not read: it pulls at nothing");
            }
        }
    }
    return true;
}
