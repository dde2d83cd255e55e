/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A model into a world.
 *
 *   1. still bodies become fixed ones, where the poses above put them
 *   2. each tree becomes a free body or a mechanism; its bodies follow each other in the model
 *   3. shapes go to their bodies
 *   4. bodies that are fixed to each other, or whose groups are parent and child, do not touch, as in MuJoCo; and what the model excludes
 *   5. equalities become joints
 *   6. what overlaps for ever is excluded (robot_overlap.c)
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "io/robot_data.h"
#include "linalg/vec3.h"
#include "moreau/joint.h"

typedef struct building {
    const mo_model *model;
    mo_world *world;
    mo_robot *robot;
    mo_pool pool; /* of what is only needed here */
    int *
        group; /* of each body: the one above it, or itself, that moves against its parent; 0: still */
    int *touches;  /* has it shapes that collide? */
    mo_pose *pose; /* in the world, of still bodies and at the reference */
    mo_message *why;
} building;

mo_world_def mo_model_world(const mo_model *model)
{
    mo_world_def def = mo_default_world();
    memcpy(def.gravity, model->gravity, sizeof def.gravity);
    return def;
}

static const char *or_null(const char *name)
{
    return name[0] ? name : NULL;
}

/* ---- still bodies and free ones --------------------------------------------------------------------- */

static void find_groups(building *b)
{
    b->pose[0] = mo_pose_identity();
    for (int k = 1; k < b->model->body_count; ++k) {
        const mo_model_body *body = b->model->bodies + k;
        b->group[k] = body->joint_count > 0 ? k : b->group[body->parent];
        b->pose[k] = mo_pose_compose(&b->pose[body->parent], &body->pose);
    }
}

static mo_error add_still(building *b, int k)
{
    mo_body_def def = mo_default_body(MO_BODY_FIXED);
    def.pose = b->pose[k];
    def.name = or_null(b->model->bodies[k].name);
    b->robot->bodies[k] = mo_world_add_body(b->world, &def, b->why);
    return b->robot->bodies[k].index ? MO_OK : MO_ERR_ARGUMENT;
}

static void place_joint(building *b, int joint, mo_robot_place at)
{
    const mo_model_joint *of = b->model->joints + joint;
    at.first_q = of->first_q;
    at.first_v = of->first_v;
    at.q_count = mo_model_joint_q(of->kind);
    at.v_count = mo_model_joint_v(of->kind);
    b->robot->joints[joint] = at;
}

static mo_error add_free(building *b, int k)
{
    const mo_model_body *body = b->model->bodies + k;
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.pose = body->pose;
    def.mass = body->mass;
    memcpy(def.inertia, body->inertia, sizeof def.inertia);
    memcpy(def.centre, body->centre, sizeof def.centre);
    def.name = or_null(body->name);
    b->robot->bodies[k] = mo_world_add_body(b->world, &def, b->why);
    place_joint(b, body->first_joint, (mo_robot_place){.body = b->robot->bodies[k]});
    return b->robot->bodies[k].index ? MO_OK : MO_ERR_ARGUMENT;
}

/* ---- mechanisms ------------------------------------------------------------------------------------ */

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
    def.name = or_null(joint->name);
    return def;
}

static mo_actuator_def actuator_of(const mo_model_actuator *actuator, int joint)
{
    mo_actuator_def def = mo_actuator_motor(joint);
    memcpy(def.gear, actuator->gear, sizeof def.gear);
    memcpy(def.bias, actuator->bias, sizeof def.bias);
    def.gain = actuator->gain;
    if (actuator->has_force_range) {
        def.lower = actuator->force_range[0];
        def.upper = actuator->force_range[1];
    }
    def.has_target_range = actuator->has_control_range;
    def.target_lower = actuator->control_range[0];
    def.target_upper = actuator->control_range[1];
    def.name = or_null(actuator->name);
    return def;
}

static void fill_links(const building *b, int root, int count, mo_link_def *links)
{
    for (int k = 0; k < count; ++k) {
        const mo_model_body *body = b->model->bodies + root + k;
        links[k] = mo_default_link(k == 0 ? -1 : body->parent - root);
        links[k].pose = k == 0 ? b->pose[root] : body->pose;
        links[k].mass = body->mass;
        memcpy(links[k].inertia, body->inertia, sizeof links[k].inertia);
        memcpy(links[k].centre, body->centre, sizeof links[k].centre);
        links[k].name = or_null(body->name);
    }
}

/* What became of its bodies, joints and actuators. */
static mo_error keep_ids(building *b, int root, int links, int first_joint, int joints,
                         mo_mechanism_id id)
{
    mo_robot *robot = b->robot;
    for (int k = 0; k < links; ++k) {
        robot->bodies[root + k] = mo_mechanism_link(b->world, id, k);
    }
    for (int k = 0; k < joints; ++k) {
        const mo_axis_state state = mo_mechanism_joint(b->world, id, k);
        place_joint(
            b, first_joint + k,
            (mo_robot_place){.mechanism = id, .number = k, .at_q = state.q_at, .at_v = state.v_at});
    }
    const mo_mechanism_info info = mo_mechanism_get(b->world, id);
    robot->most_q = info.q_count > robot->most_q ? info.q_count : robot->most_q;
    robot->most_v = info.v_count > robot->most_v ? info.v_count : robot->most_v;
    return MO_OK;
}

static mo_error add_mechanism(building *b, int root, int link_count)
{
    const mo_model *model = b->model;
    const int first_joint = model->bodies[root].first_joint;
    const mo_model_body *last = model->bodies + root + link_count - 1;
    const int joint_count = last->first_joint + last->joint_count - first_joint;
    mo_link_def *links = mo_pool_take(&b->pool, (size_t)link_count, sizeof *links);
    mo_axis_def *axes = mo_pool_take(&b->pool, (size_t)joint_count, sizeof *axes);
    mo_actuator_def *actuators =
        mo_pool_take(&b->pool, (size_t)model->actuator_count + 1, sizeof *actuators);
    if (!links || !axes || !actuators) {
        return mo_fail_memory(b->why);
    }
    fill_links(b, root, link_count, links);
    for (int k = 0; k < joint_count; ++k) {
        const mo_model_joint *joint = model->joints + first_joint + k;
        axes[k] = axis_of(joint, joint->body - root);
    }
    int actuator_count = 0;
    for (int k = 0; k < model->actuator_count; ++k) {
        const mo_model_actuator *actuator = model->actuators + k;
        const int joint = actuator->joint - first_joint;
        if (actuator->kind != MO_MODEL_IGNORED && joint >= 0 && joint < joint_count) {
            b->robot->actuators[k].number = actuator_count;
            actuators[actuator_count++] = actuator_of(actuator, joint);
        }
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = links;
    def.link_count = link_count;
    def.joints = axes;
    def.joint_count = joint_count;
    def.actuators = actuators;
    def.actuator_count = actuator_count;
    def.collide_parents = model->parents_touch;
    def.name = or_null(model->bodies[root].name);
    const mo_mechanism_id id = mo_world_add_mechanism(b->world, &def, b->why);
    if (!id.index) {
        return MO_ERR_ARGUMENT;
    }
    for (int k = 0; k < model->actuator_count; ++k) {
        const int joint = model->actuators[k].joint - first_joint;
        if (model->actuators[k].kind != MO_MODEL_IGNORED && joint >= 0 && joint < joint_count) {
            b->robot->actuators[k].mechanism = id;
        }
    }
    return keep_ids(b, root, link_count, first_joint, joint_count, id);
}

/* A free joint of its own, which nothing drives or slows. */
static int is_free_alone(const mo_model *model, int root, int count)
{
    const mo_model_body *body = model->bodies + root;
    const mo_model_joint *joint = model->joints + body->first_joint;
    if (count > 1 || joint->kind != MO_MODEL_FREE || joint->damping > 0 || joint->armature > 0 ||
        joint->dry_friction > 0) {
        return 0;
    }
    for (int k = 0; k < model->actuator_count; ++k) {
        if (model->actuators[k].joint == body->first_joint) {
            return 0;
        }
    }
    return 1;
}

/* Does something that moves with each joint weigh anything? */
static mo_error check_weights(building *b)
{
    const mo_model *model = b->model;
    double *below = mo_pool_take(&b->pool, (size_t)model->body_count, sizeof *below);
    if (!below) {
        return mo_fail_memory(b->why);
    }
    for (int k = model->body_count - 1; k > 0; --k) {
        const mo_model_body *body = model->bodies + k;
        below[k] += body->mass;
        below[body->parent] += below[k];
        if (body->joint_count > 0 && !(below[k] > 0) &&
            model->joints[body->first_joint].armature == 0) {
            return mo_fail(b->why, MO_ERR_FORMAT,
                           "line %d: the body '%.80s' moves but has no mass; give it geoms or an "
                           "<inertial>",
                           body->line, body->name);
        }
    }
    return MO_OK;
}

static mo_error add_bodies(building *b)
{
    const mo_model *model = b->model;
    mo_error error = check_weights(b);
    for (int k = 0; k < model->body_count && !error;) {
        if (b->group[k] == 0) {
            error = add_still(b, k);
            ++k;
            continue;
        }
        int end = k + 1;
        while (end < model->body_count && model->bodies[end].parent >= k) {
            ++end;
        }
        error = is_free_alone(model, k, end - k) ? add_free(b, k) : add_mechanism(b, k, end - k);
        k = end;
    }
    return error;
}

/* ---- shapes, and what does not touch ------------------------------------------------------------------ */

static int has_no_inertia(const mo_model_body *body)
{
    const double *I = body->inertia;
    return body->mass > 0 && I[0] == 0 && I[1] == 0 && I[2] == 0;
}

static mo_error add_shapes(building *b)
{
    for (int k = 0; k < b->model->geom_count; ++k) {
        const mo_model_geom *geom = b->model->geoms + k;
        mo_shape_def shape = geom->shape;
        /* The masses are the model's; only where it has a mass and no inertia, that of the shapes is scaled to it. */
        shape.density =
            has_no_inertia(b->model->bodies + geom->body) && !geom->is_visual ? 1000 : 0;
        b->touches[geom->body] |= !geom->is_visual;
        if (!mo_world_add_shape(b->world, b->robot->bodies[geom->body], &shape, b->why).index) {
            return MO_ERR_ARGUMENT;
        }
    }
    return MO_OK;
}

static mo_error exclude(building *b, int first, int second)
{
    const mo_body_id one = b->robot->bodies[first], other = b->robot->bodies[second];
    return one.index && other.index && first != second
               ? mo_world_exclude(b->world, one, other, b->why)
               : MO_OK;
}

/* Bodies of the tree that starts at `root`: those of one group, and of a group and the one above it. */
static mo_error exclude_tree(building *b, int root, int end)
{
    mo_error error = MO_OK;
    for (int i = root; i < end; ++i) {
        for (int j = i + 1; b->touches[i] && j < end && !error; ++j) {
            if (!b->touches[j]) continue;
            const int g = b->group[i], h = b->group[j];
            const int above_g = b->group[b->model->bodies[g].parent];
            const int above_h = b->group[b->model->bodies[h].parent];
            if (g == h || (!b->model->parents_touch && (above_g == h || above_h == g))) {
                error = exclude(b, i, j);
            }
        }
    }
    return error;
}

static mo_error add_exclusions(building *b)
{
    const mo_model *model = b->model;
    mo_error error = MO_OK;
    for (int k = 0; k < model->body_count && !error;) {
        int end = k + 1;
        while (b->group[k] && end < model->body_count && model->bodies[end].parent >= k) {
            ++end;
        }
        error = exclude_tree(b, k, end);
        k = end;
    }
    for (int k = 0; k < model->exclusion_count && !error; ++k) {
        error = exclude(b, model->exclusions[k][0], model->exclusions[k][1]);
    }
    return error;
}

/* ---- equalities ------------------------------------------------------------------------------------ */

/* The pose of a in b from that of b in a. */
static mo_pose inverse_of(const mo_pose *pose)
{
    mo_pose back = *pose;
    const double origin[3] = {0};
    for (int k = 1; k < 4; ++k) {
        back.orientation[k] = -pose->orientation[k];
    }
    mo_pose_point_back(pose, origin, back.position);
    return back;
}

/* Joints of one mechanism; q of the first is put where the coupling has it. */
static mo_error add_coupling(building *b, const mo_model_equality *e)
{
    const mo_robot_place *a = b->robot->joints + e->a,
                         *of = b->robot->joints + (e->b >= 0 ? e->b : e->a);
    if (a->mechanism.index != of->mechanism.index || !a->mechanism.index) {
        return mo_robot_keep_note(
            b->robot, b->why,
            "line %d: the joints '%.60s' and '%.60s' are of two trees: they are "
            "not coupled",
            e->line, b->model->joints[e->a].name, b->model->joints[e->b].name);
    }
    mo_coupling_def def = {.a = a->number, .b = e->b >= 0 ? of->number : -1};
    memcpy(def.polynomial, e->polynomial, sizeof def.polynomial);
    mo_error error = mo_mechanism_couple(b->world, a->mechanism, &def, b->why);
    if (!error && e->polynomial[0] != 0) {
        const int n = mo_mechanism_get(b->world, a->mechanism).q_count;
        memcpy(b->robot->q, mo_mechanism_q(b->world, a->mechanism), (size_t)n * sizeof(double));
        b->robot->q[a->at_q] = b->model->joints[e->a].ref + e->polynomial[0];
        error = mo_mechanism_set(b->world, a->mechanism, b->robot->q, NULL, b->why);
    }
    return error;
}

/* A free body that is welded at a given pose is put there: to lift it afterwards would take energy from nowhere. */
static mo_error move_to_weld(building *b, const mo_joint_def *def, int first)
{
    const double still[3] = {0};
    if (!def->has_pose || mo_body_get(b->world, def->b).kind != MO_BODY_FREE) {
        return MO_OK;
    }
    const mo_pose pose = mo_pose_compose(&b->pose[first], &def->pose);
    return mo_body_set(b->world, def->b, &pose, still, still, b->why);
}

static mo_error add_equality(building *b, const mo_model_equality *e)
{
    if (e->kind == MO_MODEL_COUPLE) {
        return add_coupling(b, e);
    }
    if (b->group[e->a] == 0 && b->group[e->b] == 0) {
        return MO_OK;
    }
    /* The second body of a joint is one that moves. */
    const int swapped = b->group[e->b] == 0;
    const int first = swapped ? e->b : e->a, second = swapped ? e->a : e->b;
    mo_joint_def def = mo_default_joint(e->kind == MO_MODEL_WELD ? MO_JOINT_WELD : MO_JOINT_BALL,
                                        b->robot->bodies[first], b->robot->bodies[second]);
    def.collide = 1;
    mo_pose_point(&b->pose[e->a], e->anchor, def.anchor);
    if (e->kind == MO_MODEL_WELD) {
        memcpy(def.anchor, b->pose[second].position, sizeof def.anchor);
        def.has_pose = e->has_pose;
        def.pose = swapped ? inverse_of(&e->pose) : e->pose;
        if (move_to_weld(b, &def, first)) {
            return MO_ERR_ARGUMENT;
        }
    }
    return mo_world_add_joint(b->world, &def, b->why).index ? MO_OK : MO_ERR_ARGUMENT;
}

/* ---- all ------------------------------------------------------------------------------------------- */

static mo_error make_robot(const mo_model *model, const mo_allocator *allocator, mo_robot **made,
                           mo_message *why)
{
    const mo_allocator own = mo_allocator_or_default(allocator);
    mo_robot *robot = mo_memory_array(&own, 1, sizeof *robot);
    if (!robot) {
        return mo_fail_memory(why);
    }
    *robot = (mo_robot){.allocator = own,
                        .body_count = model->body_count,
                        .joint_count = model->joint_count,
                        .actuator_count = model->actuator_count};
    robot->bodies = mo_memory_array(&own, (size_t)model->body_count + 1, sizeof *robot->bodies);
    robot->joints = mo_memory_array(&own, (size_t)model->joint_count + 1, sizeof *robot->joints);
    robot->actuators =
        mo_memory_array(&own, (size_t)model->actuator_count + 1, sizeof *robot->actuators);
    robot->q = mo_memory_array(&own, (size_t)model->q_count + 1, sizeof *robot->q);
    robot->v = mo_memory_array(&own, (size_t)model->v_count + 1, sizeof *robot->v);
    if (!robot->bodies || !robot->joints || !robot->actuators || !robot->q || !robot->v) {
        mo_robot_destroy(robot);
        return mo_fail_memory(why);
    }
    robot->texts.allocator = own;
    memset(robot->actuators, 0, ((size_t)model->actuator_count + 1) * sizeof *robot->actuators);
    *made = robot;
    return MO_OK;
}

mo_error mo_model_build(const mo_model *model, mo_world *world, const mo_allocator *allocator,
                        mo_robot **robot, mo_message *why)
{
    building b = {.model = model, .world = world, .why = why};
    *robot = NULL;
    if (mo_world_definition(world).dimension != 3) {
        return mo_fail(why, MO_ERR_ARGUMENT, "models are for worlds in space");
    }
    mo_error error = make_robot(model, allocator, &b.robot, why);
    if (error) {
        return error;
    }
    b.pool.allocator = b.robot->allocator;
    b.group = mo_pool_take(&b.pool, (size_t)model->body_count, sizeof *b.group);
    b.pose = mo_pool_take(&b.pool, (size_t)model->body_count, sizeof *b.pose);
    b.touches = mo_pool_take(&b.pool, (size_t)model->body_count, sizeof *b.touches);
    if (!b.group || !b.pose || !b.touches) {
        error = mo_fail_memory(why);
    } else {
        find_groups(&b);
        error = add_bodies(&b);
        error = error ? error : add_shapes(&b);
        error = error ? error : add_exclusions(&b);
        for (int k = 0; k < model->equality_count && !error; ++k) {
            error = add_equality(&b, model->equalities + k);
        }
        const int is_urdf = strcmp(model->format, "URDF") == 0;
        error = error ? error : mo_robot_part_overlaps(b.robot, world, is_urdf, why);
    }
    mo_pool_clear(&b.pool);
    if (error) {
        mo_robot_destroy(b.robot);
        return error;
    }
    *robot = b.robot;
    return MO_OK;
}
