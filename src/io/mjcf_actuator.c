/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Actuators.  Supported are muscles, and actuators whose force is affine in length and speed:
 * motor, position, velocity, damper, intvelocity, cylinder, and general with fixed or affine gain,
 * no or affine bias, and no dynamics, an integrator or a filter.  They drive a joint, a tendon or a
 * site.  Others are noted and keep their index in the controls.
 *
 * All actuators share one set of defaults, in which each element of a class overrides the previous
 * ones: "position" in a class sets gain and bias of a "general".  An actuator is therefore
 * evaluated from the top class down to the element itself.  `kv`, `dampratio`, `timeconst` and
 * `inheritrange` of position are those of MuJoCo 3.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"

static const char KIND[] = "actuator"; /* of defaults */

enum { DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT, DYN_MUSCLE, DYN_OTHER };
enum { FIXED_OR_NONE, AFFINE, MUSCLE, OTHER };

/* Settings of the elements, in order. */
typedef struct drive {
    int dynamics, gain_type, bias_type;
    double time_constant, time_constant_off, gain[10], bias[10];
    double servo_damping, damping_ratio; /* kv and dampratio of position */
    double inherit;                      /* ctrlrange is the joint's range times this */
} drive;

/* ---- the elements ---------------------------------------------------------------------------- */

static bool set_general(mo_mjcf *m, const mo_xml_node *node, drive *d)
{
    static const char *const DYNAMICS[] = {"none",   "integrator", "filter", "filterexact",
                                           "muscle", "user",       NULL};
    static const char *const GAINS[] = {"fixed", "affine", "muscle", "user", NULL};
    static const char *const BIASES[] = {"none", "affine", "muscle", "user", NULL};
    double dynamics[10] = {d->time_constant, d->time_constant_off};
    MO_PASS(mo_mjcf_word(m, node, NULL, "dyntype", DYNAMICS, &d->dynamics) &&
            mo_mjcf_word(m, node, NULL, "gaintype", GAINS, &d->gain_type) &&
            mo_mjcf_word(m, node, NULL, "biastype", BIASES, &d->bias_type) &&
            mo_mjcf_numbers(m, node, NULL, "dynprm", 1, 10, dynamics, NULL) &&
            mo_mjcf_numbers(m, node, NULL, "gainprm", 1, 10, d->gain, NULL) &&
            mo_mjcf_numbers(m, node, NULL, "biasprm", 1, 10, d->bias, NULL));
    d->time_constant = dynamics[0];
    d->time_constant_off = dynamics[1];
    return true;
}

/* Values at the defaults of <general> get those of muscles, as in MuJoCo. */
static bool set_muscle(mo_mjcf *m, const mo_xml_node *node, drive *d)
{
    static const char *const NAMES[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    static const double USUAL[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    double tau[2] = {d->time_constant == 1 ? 0.01 : d->time_constant,
                     d->time_constant_off == 0 ? 0.04 : d->time_constant_off};
    for (int k = 0; k < 9; ++k)
        d->gain[k] = d->gain[k] == (k == 0 ? 1 : 0) ? USUAL[k] : d->gain[k];
    MO_PASS(mo_mjcf_numbers(m, node, NULL, "timeconst", 2, 2, tau, NULL) &&
            mo_mjcf_numbers(m, node, NULL, "range", 2, 2, d->gain, NULL));
    for (int k = 0; k < 7; ++k)
        MO_PASS(mo_mjcf_number(m, node, NULL, NAMES[k], d->gain + 2 + k));
    d->time_constant = tau[0];
    d->time_constant_off = tau[1];
    memcpy(d->bias, d->gain, sizeof d->bias);
    return true;
}

/* A servo in position, or in the integral of its control. */
static bool set_position(mo_mjcf *m, const mo_xml_node *node, drive *d)
{
    double constant = 0;
    memset(d->bias, 0, sizeof d->bias);
    MO_PASS(mo_mjcf_amount(m, node, NULL, "kp", d->gain) &&
            mo_mjcf_amount(m, node, NULL, "kv", &d->servo_damping) &&
            mo_mjcf_amount(m, node, NULL, "dampratio", &d->damping_ratio) &&
            mo_mjcf_amount(m, node, NULL, "timeconst", &constant) &&
            mo_mjcf_amount(m, node, NULL, "inheritrange", &d->inherit));
    d->damping_ratio = mo_xml_get(node, "kv") ? 0 : d->damping_ratio;
    d->servo_damping = mo_xml_get(node, "dampratio") ? 0 : d->servo_damping;
    d->bias[1] = -d->gain[0];
    d->bias[2] = -d->servo_damping;
    d->dynamics = constant > 0 && d->dynamics == DYN_NONE ? DYN_FILTEREXACT : d->dynamics;
    d->time_constant = constant > 0 ? constant : d->time_constant;
    return true;
}

static bool set_velocity(mo_mjcf *m, const mo_xml_node *node, drive *d)
{
    memset(d->bias, 0, sizeof d->bias);
    const bool is_read = mo_mjcf_amount(m, node, NULL, "kv", d->gain);
    d->bias[2] = -d->gain[0];
    return is_read;
}

static bool set_damper(mo_mjcf *m, const mo_xml_node *node, drive *d)
{
    double kv = 1;
    const bool is_read = mo_mjcf_amount(m, node, NULL, "kv", &kv);
    memset(d->gain, 0, sizeof d->gain);
    d->gain[2] = -kv;
    return is_read;
}

static bool set_cylinder(mo_mjcf *m, const mo_xml_node *node, drive *d)
{
    double diameter = 0;
    MO_PASS(mo_mjcf_number(m, node, NULL, "timeconst", &d->time_constant) &&
            mo_mjcf_numbers(m, node, NULL, "bias", 3, 3, d->bias, NULL) &&
            mo_mjcf_amount(m, node, NULL, "area", d->gain) &&
            mo_mjcf_amount(m, node, NULL, "diameter", &diameter));
    d->gain[0] = diameter > 0 ? 3.14159265358979323846 / 4 * diameter * diameter : d->gain[0];
    return true;
}

static bool set_motor(mo_mjcf *m, const mo_xml_node *node, drive *d)
{
    (void)m, (void)node;
    d->gain[0] = 1;
    return true;
}

/* The elements, with what they make of an actuator before their attributes are read. */
static const struct {
    const char *name;
    bool (*set)(mo_mjcf *, const mo_xml_node *, drive *);
    int dynamics, gain_type, bias_type;
} ELEMENTS[] = {
    {"position", set_position, DYN_NONE, FIXED_OR_NONE, AFFINE},
    {"intvelocity", set_position, DYN_INTEGRATOR, FIXED_OR_NONE, AFFINE},
    {"velocity", set_velocity, DYN_NONE, FIXED_OR_NONE, AFFINE},
    {"damper", set_damper, DYN_NONE, AFFINE, FIXED_OR_NONE},
    {"cylinder", set_cylinder, DYN_FILTER, FIXED_OR_NONE, AFFINE},
    {"motor", set_motor, DYN_NONE, FIXED_OR_NONE, FIXED_OR_NONE},
    {"muscle", set_muscle, DYN_MUSCLE, MUSCLE, MUSCLE},
};

static bool set_by(mo_mjcf *m, const mo_xml_node *node, void *user)
{
    drive *d = user;
    if (strcmp(node->name, "general") == 0) return set_general(m, node, d);
    for (size_t k = 0; k < sizeof ELEMENTS / sizeof ELEMENTS[0]; ++k) {
        if (strcmp(node->name, ELEMENTS[k].name) == 0) {
            d->dynamics = ELEMENTS[k].dynamics;
            d->gain_type = ELEMENTS[k].gain_type;
            d->bias_type = ELEMENTS[k].bias_type;
            return ELEMENTS[k].set(m, node, d);
        }
    }
    d->gain_type = OTHER; /* adhesion */
    return true;
}

/* ---- transmission ---------------------------------------------------------------------------- */

/* The first of the attributes that is present, or NULL. */
static const char *target_of(mo_mjcf *m, const mo_xml_node *node, const char **name)
{
    static const char *const WAYS[] = {"joint", "jointinparent", "tendon",     "site",
                                       "body",  "cranksite",     "slidersite", NULL};
    for (int k = 0; WAYS[k]; ++k) {
        *name = mo_mjcf_get(m, node, KIND, WAYS[k]);
        if (*name) return WAYS[k];
    }
    return NULL;
}

/* "> does nothing", with the reason. */
static bool ignore(mo_mjcf *m, const mo_xml_node *node, mo_model_actuator *a, const char *reason)
{
    mo_reader_note(m->r, node, "%s: the actuator does nothing", reason);
    a->kind = MO_MODEL_IGNORED;
    return true;
}

static bool not_there(mo_mjcf *m, const mo_xml_node *node, const char *what, const char *name)
{
    return mo_reader_fail(m->r, node, "refers to the %s '%.80s', which is not defined", what, name);
}

static bool find_joint(mo_mjcf *m, const mo_xml_node *node, const char *way, const char *name,
                       mo_model_actuator *a)
{
    a->joint = mo_reader_name_find(m->r, 'j', name);
    MO_FAIL_IF(a->joint < 0, not_there(m, node, "joint", name));
    if (strcmp(way, "joint") != 0 && m->r->model->joints[a->joint].kind < MO_MODEL_SLIDE) {
        a->joint = -1;
        return ignore(m, node, a, " jointinparent> of a ball or free joint is not read");
    }
    return true;
}

static bool find_target(mo_mjcf *m, const mo_xml_node *node, mo_model_actuator *a)
{
    const char *name = NULL, *way = target_of(m, node, &name);
    MO_FAIL_IF(!way, mo_reader_fail(m->r, node, "has no joint"));
    if (strncmp(way, "joint", 5) == 0) return find_joint(m, node, way, name, a);
    if (strcmp(way, "tendon") == 0) {
        a->tendon = mo_reader_name_find(m->r, 't', name);
        return a->tendon >= 0 || not_there(m, node, "tendon", name);
    }
    if (strcmp(way, "site") == 0 && !mo_mjcf_get(m, node, KIND, "refsite")) {
        a->site = mo_reader_name_find(m->r, 's', name);
        return a->site >= 0 || not_there(m, node, "site", name);
    }
    char reason[60];
    snprintf(reason, sizeof reason, " %.20s> is not read",
             strcmp(way, "site") == 0 ? "refsite" : way);
    return ignore(m, node, a, reason);
}

static bool read_ranges(mo_mjcf *m, const mo_xml_node *node, const drive *d, mo_model_actuator *a)
{
    MO_PASS(mo_mjcf_limits(m, node, KIND, "ctrllimited", "ctrlrange", &a->has_control_range,
                           a->control_range) &&
            mo_mjcf_limits(m, node, KIND, "forcelimited", "forcerange", &a->has_force_range,
                           a->force_range) &&
            mo_mjcf_limits(m, node, KIND, "actlimited", "actrange", &a->has_state_range,
                           a->state_range) &&
            mo_mjcf_numbers(m, node, KIND, "gear", 1, 6, a->gear, NULL));
    if (d->inherit > 0 && a->joint >= 0 && m->r->model->joints[a->joint].has_limits) {
        const double *range = m->r->model->joints[a->joint].range;
        const double middle = (range[0] + range[1]) / 2, half = (range[1] - range[0]) / 2;
        double *own = d->dynamics == DYN_INTEGRATOR ? a->state_range : a->control_range;
        own[0] = middle - d->inherit * half;
        own[1] = middle + d->inherit * half;
        *(d->dynamics == DYN_INTEGRATOR ? &a->has_state_range : &a->has_control_range) = 1;
    }
    return true;
}

static mo_model_actuator_kind kind_of(const mo_model_actuator *a)
{
    const double *b = a->bias;
    const int is_plain = a->gain_length == 0 && a->gain_speed == 0 && b[0] == 0;
    return !is_plain                       ? MO_MODEL_AFFINE
           : b[1] == 0 && b[2] == 0        ? MO_MODEL_MOTOR
           : b[1] == -a->gain              ? MO_MODEL_POSITION
           : b[1] == 0 && b[2] == -a->gain ? MO_MODEL_VELOCITY
                                           : MO_MODEL_AFFINE;
}

static bool take_muscle(mo_mjcf *m, const mo_xml_node *node, const drive *d, mo_model_actuator *a)
{
    const double *p = d->gain;
    a->kind = MO_MODEL_MUSCLE;
    a->muscle = (mo_muscle){.range = {p[0], p[1]},
                            .force = p[2],
                            .lmin = p[4],
                            .lmax = p[5],
                            .vmax = p[6],
                            .fpmax = p[7],
                            .fvmax = p[8]};
    a->muscle_scale = p[3];
    MO_PASS(mo_mjcf_numbers(m, node, KIND, "lengthrange", 2, 2, a->muscle.length_range, NULL));
    const double *l = a->muscle.length_range;
    int differ = 0;
    for (int k = 0; k < 9; ++k)
        differ |= d->gain[k] != d->bias[k];
    if (differ) {
        mo_reader_note(
            m->r, node,
            "> is a muscle whose biasprm differs from gainprm: gainprm is used for both");
    }
    return (p[0] < p[1] && p[4] < 1 && p[5] > 1 && p[6] > 0 && p[7] >= 0 && p[8] > 1 && p[3] >= 0 &&
            l[0] <= l[1]) ||
           mo_reader_fail(m->r, node,
                          "is a muscle that needs range and lengthrange in order, lmin < 1 < lmax, "
                          "vmax > 0, fpmax >= 0, fvmax > 1 and scale >= 0");
}

static bool take_drive(mo_mjcf *m, const mo_xml_node *node, const drive *d, mo_model_actuator *a)
{
    a->gain = d->gain[0];
    a->gain_length = d->gain_type == AFFINE ? d->gain[1] : 0;
    a->gain_speed = d->gain_type == AFFINE ? d->gain[2] : 0;
    for (int k = 0; k < 3 && d->bias_type == AFFINE; ++k)
        a->bias[k] = d->bias[k];
    a->damping_ratio = d->bias_type == AFFINE && d->bias[2] == 0 ? d->damping_ratio : 0;
    a->kind = kind_of(a);
    a->dynamics = d->dynamics == DYN_INTEGRATOR    ? MO_DYNAMICS_INTEGRATOR
                  : d->dynamics == DYN_FILTER      ? MO_DYNAMICS_FILTER
                  : d->dynamics == DYN_FILTEREXACT ? MO_DYNAMICS_FILTER_EXACT
                  : d->dynamics == DYN_MUSCLE      ? MO_DYNAMICS_MUSCLE
                                                   : MO_DYNAMICS_NONE;
    a->time_constant = d->time_constant;
    a->time_constant_off = d->time_constant_off;
    const int is_muscle = d->gain_type == MUSCLE;
    if (d->dynamics >= DYN_OTHER || d->gain_type >= OTHER || d->bias_type >= OTHER ||
        is_muscle != (d->bias_type == MUSCLE))
        return ignore(m, node, a, "> of this kind is not read");
    if (is_muscle && !take_muscle(m, node, d, a)) return false;
    return a->dynamics < MO_DYNAMICS_FILTER ||
           (a->time_constant > 0 &&
            (a->dynamics != MO_DYNAMICS_MUSCLE || a->time_constant_off > 0)) ||
           mo_reader_fail(m->r, node, "is a filter with a time constant of %g; it must be positive",
                          a->time_constant);
}

/* actuatorfrcrange of a joint bounds the force of all its actuators. */
static void limit_by_joint(const mo_mjcf *m, mo_model_actuator *a)
{
    const mo_model_joint *joint = a->joint >= 0 ? m->r->model->joints + a->joint : NULL;
    if (!joint || !joint->has_effort_range || a->gear[0] == 0 || joint->kind < MO_MODEL_SLIDE)
        return;
    const double one = joint->effort_range[0] / a->gear[0],
                 other = joint->effort_range[1] / a->gear[0];
    a->force_range[0] = fmax(a->has_force_range ? a->force_range[0] : -INFINITY, fmin(one, other));
    a->force_range[1] = fmin(a->has_force_range ? a->force_range[1] : INFINITY, fmax(one, other));
    a->has_force_range = 1;
}

bool mo_mjcf_actuator(mo_mjcf *m, const mo_xml_node *node)
{
    mo_model_actuator *a = mo_reader_add_actuator(m->r, node, mo_xml_get(node, "name"));
    drive d = {.time_constant = 1, .gain = {1}};
    MO_PASS(a);
    if (strcmp(node->name, "adhesion") == 0 || strcmp(node->name, "plugin") == 0)
        return ignore(m, node, a, "> is not read");
    MO_PASS(mo_mjcf_each_default(m, node, KIND, set_by, &d) && set_by(m, node, &d) &&
            find_target(m, node, a));
    const int is_ignored = a->kind == MO_MODEL_IGNORED;
    if (!read_ranges(m, node, &d, a) || (!is_ignored && !take_drive(m, node, &d, a))) return false;
    if (is_ignored || m->set.no_actuation) a->kind = MO_MODEL_IGNORED;
    limit_by_joint(m, a);
    return true;
}
