/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Actuators on joints whose force is affine in length and speed: motor, position, velocity, general without dynamics.  Others are noted and keep their place
 * in the controls.
 */
#include <math.h>
#include <string.h>

#include "io/mjcf.h"

static const char KIND[] = "actuator"; /* of defaults */

/* What the actuator pulls at; -1 and a note where it is no joint, -2 and a sentence where it is not there. */
static int find_joint(mo_mjcf *m, const mo_xml_node *node)
{
    const char *name = mo_mjcf_get(m, node, KIND, "joint");
    if (!name) {
        static const char *const OTHERS[] = {"jointinparent", "tendon",     "site",
                                             "body",          "slidersite", "cranksite"};
        for (size_t k = 0; k < sizeof OTHERS / sizeof OTHERS[0]; ++k) {
            if (mo_xml_get(node, OTHERS[k])) {
                mo_reader_note(m->r, node, " %s> is not read: the actuator does nothing",
                               OTHERS[k]);
                return -1;
            }
        }
        mo_reader_fail(m->r, node, "has no joint");
        return -2;
    }
    const int joint = mo_reader_name_find(m->r, 'j', name);
    if (joint < 0) {
        mo_reader_fail(m->r, node, "is at the joint '%.80s', which is not there", name);
        return -2;
    }
    return joint;
}

static bool read_servo(mo_mjcf *m, const mo_xml_node *node, mo_model_actuator *a)
{
    const int by_position = a->kind == MO_MODEL_POSITION;
    double damping = 0;
    if (!mo_mjcf_gain(m, node, by_position ? "kp" : "kv", &a->gain) ||
        (by_position && !mo_mjcf_amount(m, node, NULL, "kv", &damping))) {
        return false;
    }
    if (a->gain < 0) {
        return mo_reader_fail(m->r, node, "has a gain of %g, which must not be negative", a->gain);
    }
    a->bias[by_position ? 1 : 2] = -a->gain;
    a->bias[2] -= damping; /* position with kv: of later versions of MuJoCo */
    return true;
}

/* General: fixed gain, no bias or an affine one, and no dynamics. */
static bool read_general(mo_mjcf *m, const mo_xml_node *node, mo_model_actuator *a)
{
    static const char *const NO_DYNAMICS[] = {"none",   "integrator", "filter", "filterexact",
                                              "muscle", "user",       NULL};
    static const char *const GAINS[] = {"fixed", "affine", "muscle", "user", NULL};
    static const char *const BIASES[] = {"none", "affine", "muscle", "user", NULL};
    int dynamics = 0, gain = 0, bias = 0;
    double gains[10] = {0}, biases[10] = {0};
    if (!mo_mjcf_word(m, node, KIND, "dyntype", NO_DYNAMICS, &dynamics) ||
        !mo_mjcf_word(m, node, KIND, "gaintype", GAINS, &gain) ||
        !mo_mjcf_word(m, node, KIND, "biastype", BIASES, &bias) ||
        !mo_mjcf_numbers(m, node, KIND, "gainprm", 1, 10, gains, NULL) ||
        !mo_mjcf_numbers(m, node, KIND, "biasprm", 1, 10, biases, NULL) ||
        !mo_mjcf_gain(m, node, "gainprm", &a->gain)) {
        return false;
    }
    if (dynamics || gain > 1 || bias > 1 || (gain == 1 && (gains[1] != 0 || gains[2] != 0))) {
        mo_reader_note(m->r, node,
                       "> with dynamics, or a gain that is not fixed, is not read: the "
                       "actuator does nothing");
        a->kind = MO_MODEL_IGNORED;
        return true;
    }
    for (int k = 0; k < 3 && bias; ++k) {
        a->bias[k] = biases[k];
    }
    const double *b = a->bias;
    a->kind = b[0] == 0 && b[1] == 0 && b[2] == 0          ? MO_MODEL_MOTOR
              : b[0] == 0 && b[1] == -a->gain              ? MO_MODEL_POSITION
              : b[0] == 0 && b[1] == 0 && b[2] == -a->gain ? MO_MODEL_VELOCITY
                                                           : MO_MODEL_AFFINE;
    return true;
}

static bool read_ranges(mo_mjcf *m, const mo_xml_node *node, mo_model_actuator *a)
{
    return mo_mjcf_limits(m, node, KIND, "ctrllimited", "ctrlrange", &a->has_control_range,
                          a->control_range) &&
           mo_mjcf_limits(m, node, KIND, "forcelimited", "forcerange", &a->has_force_range,
                          a->force_range) &&
           mo_mjcf_numbers(m, node, KIND, "gear", 1, 6, a->gear, NULL);
}

static bool read_actuator(mo_mjcf *m, const mo_xml_node *node)
{
    static const char *const READ[] = {"motor", "position", "velocity", "general", NULL};
    mo_model_actuator *a = mo_reader_add_actuator(m->r, node, mo_xml_get(node, "name"));
    if (!a) {
        return false;
    }
    int kind = 0;
    while (READ[kind] && strcmp(READ[kind], node->name) != 0) {
        ++kind;
    }
    a->kind = READ[kind] ? (mo_model_actuator_kind)kind : MO_MODEL_IGNORED;
    if (a->kind == MO_MODEL_IGNORED) {
        mo_reader_note(m->r, node, "> is not read: the actuator does nothing");
        return true;
    }
    a->joint = find_joint(m, node);
    if (a->joint < -1 || !read_ranges(m, node, a) ||
        !(strcmp(node->name, "general") == 0 ? read_general(m, node, a)
          : a->kind == MO_MODEL_MOTOR        ? true
                                             : read_servo(m, node, a))) {
        return false;
    }
    if (a->joint < 0 || m->set.no_actuation) {
        a->kind = MO_MODEL_IGNORED;
    }
    return true;
}

bool mo_mjcf_actuators(mo_mjcf *m)
{
    for (const mo_xml_node *section = mo_xml_child(m->r->root, "actuator"); section;
         section = mo_xml_next(section, "actuator")) {
        for (const mo_xml_node *node = section->first; node; node = node->next) {
            if (!read_actuator(m, node)) {
                return false;
            }
        }
    }
    return true;
}
