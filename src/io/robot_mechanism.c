/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The trees of a model: a dynamic body if it has no children, actuators or damping, otherwise a
 * mechanism.
 *
 * Trees that a coupling or a tendon connects (the fingers of a gripper with a fixed palm) share one
 * mechanism with several roots, so the constraint involves its own velocities only.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/robot_data.h"
#include "linalg/vec3.h"

/* ---- trees that share a mechanism ------------------------------------------------------------ */

/* The root of the tree of a body; 0: static. */
static int root_of(const mo_building *b, int body)
{
    int root = 0;
    for (; body > 0; body = b->model->bodies[body].parent)
        root = b->model->bodies[body].joint_count > 0 ? body : root;
    return root;
}

static int first_of(const mo_building *b, int root)
{
    while (b->joined[root] != root)
        root = b->joined[root];
    return root;
}

/* A body that the tendon moves; 0: it connects static bodies only. */
static int pulled_body(const mo_building *b, const mo_model_tendon *tendon)
{
    if (tendon->path_count == 0) return b->model->joints[tendon->joints[0]].body;
    for (int k = 0; k < tendon->path_count; ++k) {
        const mo_tendon_point *point = tendon->path + k;
        if (point->kind != MO_TENDON_PULLEY && root_of(b, point->link) > 0) return point->link;
    }
    return 0;
}

/* Puts the trees of two bodies into one mechanism; static bodies have no tree. */
static void join(mo_building *b, int body, int other)
{
    const int one = first_of(b, root_of(b, body)), two = first_of(b, root_of(b, other));
    if (one == 0 || two == 0) return;
    if (one < two)
        b->joined[two] = one;
    else
        b->joined[one] = two;
}

void mo_building_join_trees(mo_building *b)
{
    const mo_model *model = b->model;
    for (int k = 0; k < model->body_count; ++k)
        b->joined[k] = k;
    for (int k = 0; k < model->tendon_count; ++k) {
        const mo_model_tendon *tendon = model->tendons + k;
        const int body = pulled_body(b, tendon);
        for (int i = 0; i < tendon->count; ++i)
            join(b, body, model->joints[tendon->joints[i]].body);
        for (int i = 0; i < tendon->path_count; ++i) {
            join(b, body, tendon->path[i].link);
            join(b, body, tendon->path[i].side_link);
        }
    }
    for (int k = 0; k < model->equality_count; ++k) {
        const mo_model_equality *e = model->equalities + k;
        if (e->kind == MO_MODEL_COUPLE && e->b >= 0)
            join(b, model->joints[e->a].body, model->joints[e->b].body);
        else if (e->kind == MO_MODEL_TENDONS && e->b >= 0)
            join(b, pulled_body(b, model->tendons + e->a), pulled_body(b, model->tendons + e->b));
    }
    for (int k = 0; k < model->body_count; ++k)
        b->joined[k] = first_of(b, k);
}

/* ---- definitions ----------------------------------------------------------------------------- */

static mo_axis_def axis_of(const mo_model_joint *joint, int link)
{
    static const mo_axis_kind KINDS[] = {[MO_MODEL_FREE] = MO_AXIS_FREE,
                                         [MO_MODEL_BALL] = MO_AXIS_BALL,
                                         [MO_MODEL_SLIDE] = MO_AXIS_PRISMATIC,
                                         [MO_MODEL_HINGE] = MO_AXIS_REVOLUTE};
    mo_axis_def def = mo_default_axis(KINDS[joint->kind], link);
    memcpy(def.anchor, joint->anchor, sizeof def.anchor);
    memcpy(def.axis, joint->axis, sizeof def.axis);
    def.reference = def.initial = joint->ref;
    def.has_limits = joint->has_limits;
    def.lower = joint->range[0];
    def.upper = joint->range[1];
    def.dry_friction = joint->dry_friction;
    def.damping = joint->damping;
    def.armature = joint->armature;
    def.stiffness = joint->stiffness;
    def.rest = joint->spring_ref;
    def.name = mo_name_or_null(joint->name);
    return def;
}

/* The parts of one mechanism, as they are put together. */
typedef struct parts {
    mo_mechanism_def def;
    int first; /* root of the first tree */
} parts;

static int belongs(const mo_building *b, const parts *p, int body)
{
    const int root = root_of(b, body);
    return root > 0 && b->joined[root] == p->first;
}

static void add_links(mo_building *b, parts *p)
{
    const mo_model *model = b->model;
    for (int k = 1; k < model->body_count; ++k) {
        const mo_model_body *body = model->bodies + k;
        if (!belongs(b, p, k)) continue;
        const int is_root = root_of(b, k) == k;
        mo_link_def *link = b->links + p->def.link_count;
        b->link[k] = p->def.link_count++;
        *link = mo_default_link(is_root ? -1 : b->link[body->parent]);
        link->pose = is_root ? b->pose[k] : body->pose;
        link->mass = body->mass;
        link->gravity_compensation = body->gravity_compensation;
        memcpy(link->inertia, body->inertia, sizeof link->inertia);
        memcpy(link->centre, body->centre, sizeof link->centre);
        link->name = mo_name_or_null(body->name);
        for (int j = body->first_joint; j < body->first_joint + body->joint_count; ++j) {
            b->number[j] = p->def.joint_count;
            b->axes[p->def.joint_count++] = axis_of(model->joints + j, b->link[k]);
        }
    }
}

/* Converts a point of a model body to the frame of its link, or to the world if the body is static.
 * */
static void move_to_link(const mo_building *b, int *body, mo_pose *pose)
{
    if (root_of(b, *body) > 0) {
        *body = b->link[*body];
    } else {
        *pose = mo_pose_compose(b->pose + *body, pose);
        *body = -1;
    }
}

static void copy_path(const mo_building *b, const mo_model_tendon *tendon, mo_tendon_point *path)
{
    for (int k = 0; k < tendon->path_count; ++k) {
        mo_pose side = mo_pose_identity();
        path[k] = tendon->path[k];
        memcpy(side.position, path[k].side, sizeof side.position);
        move_to_link(b, &path[k].link, &path[k].pose);
        move_to_link(b, &path[k].side_link, &side);
        memcpy(path[k].side, side.position, sizeof side.position);
    }
}

static mo_error add_tendons(mo_building *b, parts *p)
{
    for (int k = 0; k < b->model->tendon_count; ++k) {
        const mo_model_tendon *tendon = b->model->tendons + k;
        if (!belongs(b, p, pulled_body(b, tendon))) continue;
        int *joints = mo_pool_take(&b->pool, (size_t)tendon->count + 1, sizeof *joints);
        mo_tendon_point *path =
            mo_pool_take(&b->pool, (size_t)tendon->path_count + 1, sizeof *path);
        MO_NEED_MEMORY(joints && path, b->why);
        copy_path(b, tendon, path);
        for (int i = 0; i < tendon->count; ++i)
            joints[i] = b->number[tendon->joints[i]];
        b->robot->tendons[k].number = p->def.tendon_count;
        b->tendons[p->def.tendon_count++] =
            (mo_tendon_def){.joints = joints,
                            .coefficients = tendon->coefficients,
                            .count = tendon->count,
                            .path = path,
                            .path_count = tendon->path_count,
                            .has_limits = tendon->has_limits,
                            .lower = tendon->range[0],
                            .upper = tendon->range[1],
                            .stiffness = tendon->stiffness,
                            .slack = {tendon->slack[0], tendon->slack[1]},
                            .damping = tendon->damping,
                            .dry_friction = tendon->dry_friction,
                            .name = mo_name_or_null(tendon->name)};
    }
    return MO_OK;
}

/* The body that an actuator acts on, 0 if it does nothing. */
static int driven_body(const mo_building *b, const mo_model_actuator *a)
{
    const mo_model *model = b->model;
    return a->kind == MO_MODEL_IGNORED ? 0
           : a->joint >= 0             ? model->joints[a->joint].body
           : a->tendon >= 0            ? pulled_body(b, model->tendons + a->tendon)
           : a->site >= 0              ? model->sites[a->site].body
                                       : 0;
}

static mo_actuator_def actuator_of(const mo_building *b, const mo_model_actuator *a)
{
    mo_actuator_def def = mo_actuator_motor(a->joint >= 0 ? b->number[a->joint] : 0);
    memcpy(def.gear, a->gear, sizeof def.gear);
    memcpy(def.bias, a->bias, sizeof def.bias);
    def.gain = a->gain;
    def.gain_length = a->gain_length;
    def.gain_speed = a->gain_speed;
    def.dynamics = a->dynamics;
    def.time_constant = a->time_constant;
    def.time_constant_off = a->time_constant_off;
    def.is_muscle = a->kind == MO_MODEL_MUSCLE;
    def.muscle = a->muscle;
    def.muscle.force = fmax(a->muscle.force, 0); /* see robot_tune.c */
    if (a->muscle.length_range[0] == a->muscle.length_range[1]) def.muscle.length_range[1] += 1;
    if (a->tendon >= 0) {
        def.on = MO_ON_TENDON;
        def.tendon = b->robot->tendons[a->tendon].number;
    } else if (a->site >= 0) {
        def.on = MO_ON_LINK;
        def.link = b->link[b->model->sites[a->site].body];
        def.place = b->model->sites[a->site].pose;
    }
    if (a->has_force_range) {
        def.lower = a->force_range[0];
        def.upper = a->force_range[1];
    }
    def.has_target_range = a->has_control_range;
    def.target_lower = a->control_range[0];
    def.target_upper = a->control_range[1];
    if (a->has_control_range) /* the initial control is zero, or the nearest value of its range */
        def.target = fmin(fmax(0, a->control_range[0]), a->control_range[1]);
    def.has_state_range = a->has_state_range;
    def.state_lower = a->state_range[0];
    def.state_upper = a->state_range[1];
    def.name = mo_name_or_null(a->name);
    return def;
}

static void add_actuators(mo_building *b, parts *p)
{
    for (int k = 0; k < b->model->actuator_count; ++k) {
        const mo_model_actuator *a = b->model->actuators + k;
        const int body = driven_body(b, a);
        if (body > 0 && belongs(b, p, body)) {
            b->robot->actuators[k].number = p->def.actuator_count;
            b->actuators[p->def.actuator_count++] = actuator_of(b, a);
        }
    }
}

/* ---- addition to the world ------------------------------------------------------------------- */

static void place_joint(mo_building *b, int joint, mo_robot_place at)
{
    const mo_model_joint *of = b->model->joints + joint;
    at.first_q = of->first_q;
    at.first_v = of->first_v;
    at.q_count = mo_model_joint_q(of->kind);
    at.v_count = mo_model_joint_v(of->kind);
    b->robot->joints[joint] = at;
}

/* Stores the ids of bodies, joints, tendons and actuators in the world. */
static void keep_ids(mo_building *b, const parts *p, mo_mechanism_id id)
{
    const mo_model *model = b->model;
    for (int k = 1; k < model->body_count; ++k) {
        if (!belongs(b, p, k)) continue;
        const mo_model_body *body = model->bodies + k;
        b->robot->bodies[k] = mo_mechanism_link(b->world, id, b->link[k]);
        for (int j = body->first_joint; j < body->first_joint + body->joint_count; ++j) {
            const mo_axis_state state = mo_mechanism_joint(b->world, id, b->number[j]);
            place_joint(b, j,
                        (mo_robot_place){.mechanism = id,
                                         .number = b->number[j],
                                         .at_q = state.q_at,
                                         .at_v = state.v_at});
        }
    }
    for (int k = 0; k < model->tendon_count; ++k)
        if (belongs(b, p, pulled_body(b, model->tendons + k))) b->robot->tendons[k].mechanism = id;
    for (int k = 0; k < model->actuator_count; ++k) {
        const int body = driven_body(b, model->actuators + k);
        if (body > 0 && belongs(b, p, body)) b->robot->actuators[k].mechanism = id;
    }
}

static mo_error add_mechanism(mo_building *b, int root)
{
    const mo_model *model = b->model;
    parts p = {.def = mo_default_mechanism(), .first = root};
    add_links(b, &p);
    MO_TRY(add_tendons(b, &p));
    add_actuators(b, &p);
    p.def.links = b->links;
    p.def.joints = b->axes;
    p.def.actuators = b->actuators;
    p.def.tendons = b->tendons;
    p.def.collide_parents = model->parents_touch;
    p.def.medium = model->medium;
    p.def.name = mo_name_or_null(model->bodies[root].name);
    const mo_mechanism_id id = mo_world_add_mechanism(b->world, &p.def, b->why);
    MO_FAIL_IF(!id.index, MO_ERR_ARGUMENT);
    keep_ids(b, &p, id);
    return mo_building_tune(b, id);
}

/* A single free joint without actuator, damping or gravity compensation. */
static int is_free_alone(const mo_building *b, int root)
{
    const mo_model *model = b->model;
    const mo_model_body *body = model->bodies + root;
    const mo_model_joint *joint = model->joints + body->first_joint;
    const int is_last = root + 1 == model->body_count || model->bodies[root + 1].parent < root;
    if (!is_last || joint->kind != MO_MODEL_FREE || joint->damping > 0 || joint->armature > 0 ||
        joint->dry_friction > 0 || body->gravity_compensation != 0 || model->medium.density > 0 ||
        model->medium.viscosity > 0)
        return 0;
    for (int k = 0; k < model->actuator_count; ++k)
        if (driven_body(b, model->actuators + k) == root) return 0;
    for (int k = 0; k < model->tendon_count; ++k) {
        for (int i = 0; i < model->tendons[k].path_count; ++i)
            if (model->tendons[k].path[i].link == root) return 0;
    }
    return 1;
}

static mo_error add_free(mo_building *b, int k)
{
    const mo_model_body *body = b->model->bodies + k;
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.pose = body->pose;
    def.mass = body->mass;
    memcpy(def.inertia, body->inertia, sizeof def.inertia);
    memcpy(def.centre, body->centre, sizeof def.centre);
    def.name = mo_name_or_null(body->name);
    b->robot->bodies[k] = mo_world_add_body(b->world, &def, b->why);
    place_joint(b, body->first_joint, (mo_robot_place){.body = b->robot->bodies[k]});
    return b->robot->bodies[k].index ? MO_OK : MO_ERR_ARGUMENT;
}

mo_error mo_building_add_trees(mo_building *b, int root)
{
    return is_free_alone(b, root) ? add_free(b, root) : add_mechanism(b, root);
}
