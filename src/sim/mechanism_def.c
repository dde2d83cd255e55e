/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Definitions of mechanisms: defaults and checks. */
#include <math.h>

#include "base/error.h"
#include "sim/mechanism.h"

/* ---- definitions ----------------------------------------------------------------------------- */

mo_link_def mo_default_link(int parent)
{
    return (mo_link_def){.parent = parent, .pose = mo_pose_identity()};
}

mo_axis_def mo_default_axis(mo_axis_kind kind, int link)
{
    return (mo_axis_def){.kind = kind, .link = link, .axis = {0, 0, 1}};
}

MO_NAMES(mo_axis_name, mo_axis_kind, NULL, "revolute", "prismatic", "ball", "planar", "free")

mo_actuator_def mo_actuator_motor(int joint)
{
    return (mo_actuator_def){
        .joint = joint, .gear = {1}, .gain = 1, .lower = -INFINITY, .upper = INFINITY};
}

mo_actuator_def mo_actuator_position(int joint, double stiffness, double damping)
{
    mo_actuator_def def = mo_actuator_motor(joint);
    def.gain = stiffness;
    def.bias[1] = -stiffness;
    def.bias[2] = -damping;
    return def;
}

mo_actuator_def mo_actuator_velocity(int joint, double damping)
{
    mo_actuator_def def = mo_actuator_motor(joint);
    def.gain = damping;
    def.bias[2] = -damping;
    return def;
}

mo_coupling_def mo_default_coupling(int a, int b)
{
    return (mo_coupling_def){.a = a, .b = b, .polynomial = {0, 1}};
}

mo_mechanism_def mo_default_mechanism(void)
{
    return (mo_mechanism_def){0};
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Either end may be infinite, but some moderate number is between them. */
static int is_range(double lower, double upper)
{
    return lower <= upper && lower <= MO_LARGEST && upper >= -MO_LARGEST;
}

static const char *named(const char *name)
{
    return name ? name : "";
}

static mo_error check_link(const mo_world *world, const mo_link_def *def, int k, mo_message *why)
{
    const char *name = named(def->name);
    const double *q = def->pose.orientation;
    MO_REFUSE_IF(
        def->parent < -1 || def->parent >= k, why,
        "the parent of link %d '%.64s' is %d, but must be an earlier link, or -1 for the world", k,
        name, def->parent);
    MO_REFUSE_IF(!mo_pose_is_valid(&def->pose), why,
                 "the pose of link %d '%.64s' must be finite, with a unit quaternion", k, name);
    MO_REFUSE_IF(mo_is_planar(world) && (q[1] != 0 || q[2] != 0), why,
                 "link %d '%.64s' of a planar world rotates about z only", k, name);
    const double *I = def->inertia;
    MO_REFUSE_IF(!(def->mass >= 0 && def->mass <= MO_LARGEST) ||
                     !mo_are_moderate(1, &def->gravity_compensation) || !mo_are_moderate(6, I) ||
                     !mo_are_moderate(3, def->centre) || I[0] < 0 || I[1] < 0 || I[2] < 0,
                 why,
                 "mass, inertia and centre of link %d '%.64s' must be finite, mass and "
                 "moments not negative",
                 k, name);
    return MO_OK;
}

static mo_error check_frame(const mo_world *world, const mo_axis_def *def, const char *name, int k,
                            mo_message *why)
{
    const int needs_axis = def->kind != MO_AXIS_BALL && def->kind != MO_AXIS_FREE;
    double cross[3];
    mo_vec3_cross(def->axis, def->side, cross);
    MO_REFUSE_IF(!mo_are_moderate(3, def->anchor) || !mo_are_moderate(3, def->axis) ||
                     !mo_are_moderate(3, def->side),
                 why, "anchor and axis of joint %d '%.64s' must be finite", k, name);
    MO_REFUSE_IF(needs_axis && !(mo_vec3_norm(def->axis) > 1e-100), why,
                 "joint %d '%.64s' is %s and needs an axis", k, name, mo_axis_name(def->kind));
    MO_REFUSE_IF(
        def->kind == MO_AXIS_PLANAR && mo_vec3_norm(def->side) > 0 &&
            !(mo_vec3_norm(cross) > 1e-9 * mo_vec3_norm(def->axis) * mo_vec3_norm(def->side)),
        why, "side of planar joint %d '%.64s' must not be along its axis", k, name);
    MO_REFUSE_IF(mo_is_planar(world) && (def->kind == MO_AXIS_BALL || def->kind == MO_AXIS_FREE),
                 why, "joint %d '%.64s' is %s, which a planar world does not have: use %s", k, name,
                 mo_axis_name(def->kind), def->kind == MO_AXIS_BALL ? "revolute" : "planar");
    MO_REFUSE_IF(mo_is_planar(world) && def->kind == MO_AXIS_PRISMATIC &&
                     !(hypot(def->axis[0], def->axis[1]) > 1e-100),
                 why, "prismatic joint %d '%.64s' of a planar world needs an axis in the plane", k,
                 name);
    return MO_OK;
}

static mo_error check_axis(const mo_world *world, const mo_mechanism_def *all, int k,
                           mo_message *why)
{
    const mo_axis_def *def = all->joints + k;
    const char *name = named(def->name);
    MO_REFUSE_IF(!mo_axis_name(def->kind), why, "joint %d '%.64s': %d is not a kind of joint", k,
                 name, (int)def->kind);
    MO_REFUSE_IF(def->link < 0 || def->link >= all->link_count, why,
                 "joint %d '%.64s' moves link %d, which does not exist", k, name, def->link);
    int others = 0;
    for (int i = 0; i < all->joint_count; ++i)
        others += i != k && all->joints[i].link == def->link;
    MO_REFUSE_IF(def->kind == MO_AXIS_FREE && (others > 0 || all->links[def->link].parent != -1),
                 why,
                 "free joint %d '%.64s' must be the only joint of a link whose parent is the world",
                 k, name);
    const double positive[4] = {def->dry_friction, def->damping, def->armature, def->stiffness};
    for (int i = 0; i < 4; ++i) {
        MO_REFUSE_IF(
            !(positive[i] >= 0 && positive[i] <= MO_LARGEST), why,
            "friction, damping, armature and stiffness of joint %d '%.64s' must be finite and "
            "not negative",
            k, name);
    }
    if (!mo_are_moderate(3, (const double[]){def->reference, def->initial, def->rest})) {
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "reference, initial value and rest of joint %d '%.64s' must be at most %g",
                       k, name, MO_LARGEST);
    }
    MO_REFUSE_IF(def->has_limits && !(def->kind == MO_AXIS_BALL ? def->upper > 0
                                                                : is_range(def->lower, def->upper)),
                 why, "the limits %g to %g of joint %d '%.64s' are empty", def->lower, def->upper,
                 k, name);
    MO_REFUSE_IF(def->has_limits && (def->kind == MO_AXIS_PLANAR || def->kind == MO_AXIS_FREE), why,
                 "joint %d '%.64s' is %s, which has no limits: give the link prismatic and "
                 "revolute joints",
                 k, name, mo_axis_name(def->kind));
    return check_frame(world, def, name, k, why);
}

static int is_muscle(const mo_muscle *m)
{
    const double all[10] = {
        m->range[0], m->range[1], m->force,           m->lmin,           m->lmax, m->vmax,
        m->fpmax,    m->fvmax,    m->length_range[0], m->length_range[1]};
    return mo_are_moderate(10, all) && m->range[0] < m->range[1] && m->force >= 0 && m->lmin < 1 &&
           m->lmax > 1 && m->vmax > 0 && m->fpmax >= 0 && m->fvmax > 1 &&
           m->length_range[0] < m->length_range[1];
}

static mo_error check_actuator(const mo_mechanism_def *all, int k, mo_message *why)
{
    const mo_actuator_def *def = all->actuators + k;
    const char *name = named(def->name);
    static const char *const WHAT[] = {"joint", "tendon", "link"};
    const int on = def->on >= MO_ON_JOINT && def->on <= MO_ON_LINK ? (int)def->on : 0;
    const int driven[] = {def->joint, def->tendon, def->link};
    const int counts[] = {all->joint_count, all->tendon_count, all->link_count};
    MO_REFUSE_IF(on != (int)def->on || driven[on] < 0 || driven[on] >= counts[on], why,
                 "actuator %d '%.64s' drives %s %d, which does not exist", k, name, WHAT[on],
                 driven[on]);
    MO_REFUSE_IF(def->dynamics < MO_DYNAMICS_NONE || def->dynamics > MO_DYNAMICS_MUSCLE ||
                     (def->dynamics >= MO_DYNAMICS_FILTER && !(def->time_constant > 0)) ||
                     (def->dynamics == MO_DYNAMICS_MUSCLE && !(def->time_constant_off > 0)),
                 why,
                 "actuator %d '%.64s' has invalid dynamics, or a time constant that is "
                 "not positive",
                 k, name);
    MO_REFUSE_IF(!mo_are_moderate(6, def->gear) || !mo_are_moderate(3, def->bias) ||
                     !isfinite(def->gain) || !mo_are_moderate(1, &def->target) ||
                     !isfinite(def->gain_length + def->gain_speed) ||
                     (on == MO_ON_LINK && !(mo_are_moderate(3, def->place.position) &&
                                            mo_are_moderate(4, def->place.orientation))),
                 why, "gear, gain, bias and target of actuator %d '%.64s' must be finite", k, name);
    MO_REFUSE_IF(def->is_muscle && !is_muscle(&def->muscle), why,
                 "the muscle of actuator %d '%.64s' needs finite numbers with lmin < 1 < lmax, "
                 "vmax above 0, fvmax above 1, and ranges that are not empty",
                 k, name);
    MO_REFUSE_IF(!is_range(def->lower, def->upper) ||
                     (def->has_target_range && !is_range(def->target_lower, def->target_upper)) ||
                     (def->has_state_range && !is_range(def->state_lower, def->state_upper)),
                 why, "a range of actuator %d '%.64s' is empty", k, name);
    return MO_OK;
}

static mo_error check_tendon(const mo_mechanism_def *all, int k, mo_message *why)
{
    const mo_tendon_def *def = all->tendons + k;
    const char *name = named(def->name);
    const int is_path = def->path_count > 0 && def->path;
    if (is_path) {
        MO_TRY(mo_tendon_check_path(all, k, why));
    } else if (def->count < 1 || !def->joints || !def->coefficients || def->path_count != 0 ||
               !mo_are_moderate(def->count, def->coefficients)) {
        return mo_fail(why, MO_ERR_ARGUMENT, "tendon %d '%.64s' has no joints, or no coefficients",
                       k, name);
    }
    for (int i = 0; !is_path && i < def->count; ++i) {
        const int joint = def->joints[i];
        MO_REFUSE_IF(joint < 0 || joint >= all->joint_count ||
                         (all->joints[joint].kind != MO_AXIS_REVOLUTE &&
                          all->joints[joint].kind != MO_AXIS_PRISMATIC),
                     why, "tendon %d '%.64s' has joint %d, which is not revolute or prismatic", k,
                     name, joint);
    }
    const double positive[3] = {def->stiffness, def->damping, def->dry_friction};
    MO_REFUSE_IF(!mo_are_moderate(3, positive) || positive[0] < 0 || positive[1] < 0 ||
                     positive[2] < 0 || !is_range(def->slack[0], def->slack[1]) ||
                     (def->has_limits && !is_range(def->lower, def->upper)),
                 why,
                 "tendon %d '%.64s' has a negative stiffness, damping or friction, or an empty "
                 "range of limits or slack",
                 k, name);
    return MO_OK;
}

mo_error mo_mechanism_check(const mo_world *world, const mo_mechanism_def *def, mo_message *why)
{
    MO_REFUSE_IF(def->link_count < 1 || def->joint_count < 0 || def->actuator_count < 0 ||
                     !def->links || def->tendon_count < 0 || (def->joint_count && !def->joints) ||
                     (def->actuator_count && !def->actuators) ||
                     (def->tendon_count && !def->tendons),
                 why, "mechanism '%.64s' has no links, or an array is missing", named(def->name));
    MO_REFUSE_IF(!(def->medium.density >= 0 && def->medium.viscosity >= 0) ||
                     !mo_are_moderate(2, &def->medium.density) ||
                     !mo_are_moderate(3, def->medium.wind),
                 why,
                 "density, viscosity and wind of mechanism '%.64s' must be finite, the first "
                 "two not negative",
                 named(def->name));
    mo_error error = MO_OK;
    for (int k = 0; k < def->link_count && !error; ++k)
        error = check_link(world, def->links + k, k, why);
    for (int k = 0; k < def->joint_count && !error; ++k)
        error = check_axis(world, def, k, why);
    for (int k = 0; k < def->tendon_count && !error; ++k)
        error = check_tendon(def, k, why);
    for (int k = 0; k < def->actuator_count && !error; ++k)
        error = check_actuator(def, k, why);
    return error;
}
