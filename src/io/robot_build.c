/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Adds a model to a world.
 *
 *   1. bodies without joints become static bodies, mocap bodies kinematic bodies
 *   2. each tree becomes a dynamic body or a mechanism (robot_mechanism.c)
 *   3. shapes are added to their bodies; pairs get their own material
 *   4. bodies that are fixed to each other, parents and children, and excluded pairs do not
 *      collide, as in MuJoCo
 *   5. equalities become joints and couplings
 *   6. pairs that always overlap are excluded (robot_overlap.c)
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/pose.h"
#include "io/robot_data.h"
#include "linalg/vec3.h"
#include "moreau/joint.h"

mo_world_def mo_model_world(const mo_model *model)
{
    MO_NEED_OR((mo_world_def){0}, model, NULL);
    mo_world_def def = mo_default_world();
    memcpy(def.gravity, model->gravity, sizeof def.gravity);
    return def;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void find_groups(mo_building *b)
{
    b->pose[0] = mo_pose_identity();
    for (int k = 1; k < b->model->body_count; ++k) {
        const mo_model_body *body = b->model->bodies + k;
        b->group[k] = body->joint_count > 0 ? k : b->group[body->parent];
        b->pose[k] = mo_pose_compose(&b->pose[body->parent], &body->pose);
    }
}

static mo_error add_still(mo_building *b, int k)
{
    const mo_model_body *body = b->model->bodies + k;
    mo_body_def def = mo_default_body(body->is_mocap ? MO_BODY_DRIVEN : MO_BODY_FIXED);
    def.pose = b->pose[k];
    def.name = mo_name_or_null(body->name);
    b->robot->bodies[k] = mo_world_add_body(b->world, &def, b->why);
    if (body->is_mocap) b->robot->mocap[b->robot->mocap_count++] = k;
    return b->robot->bodies[k].index ? MO_OK : MO_ERR_ARGUMENT;
}

/* Does every joint move some mass? */
static mo_error check_weights(mo_building *b)
{
    const mo_model *model = b->model;
    double *below = mo_pool_take(&b->pool, (size_t)model->body_count, sizeof *below);
    MO_NEED_MEMORY(below, b->why);
    for (int k = model->body_count - 1; k > 0; --k) {
        const mo_model_body *body = model->bodies + k;
        below[k] += body->mass;
        below[body->parent] += below[k];
        if (body->joint_count == 0 || below[k] > 0) continue;
        MO_FAIL_IF(model->joints[body->first_joint].armature == 0,
                   mo_fail(b->why, MO_ERR_FORMAT,
                           "line %d: the body '%.80s' moves but has no mass; give it geoms or an "
                           "<inertial>",
                           body->line, body->name));
        MO_TRY(mo_robot_keep_note(b->robot, b->why,
                                  "line %d: the body '%.80s' moves but has no mass: only the "
                                  "armature of its joint is used (MuJoCo rejects such a model)",
                                  body->line, body->name));
    }
    return MO_OK;
}

static mo_error add_bodies(mo_building *b)
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
        while (end < model->body_count && model->bodies[end].parent >= k)
            ++end;
        if (b->joined[k] == k) error = mo_building_add_trees(b, k);
        k = end;
    }
    return error;
}

/* ---- shapes and exclusions ------------------------------------------------------------------- */

static int has_no_inertia(const mo_model_body *body)
{
    const double *I = body->inertia;
    return body->mass > 0 && I[0] == 0 && I[1] == 0 && I[2] == 0;
}

static mo_error add_pairs(mo_building *b, const mo_shape_id *shapes)
{
    mo_error error = MO_OK;
    for (int k = 0; k < b->model->pair_count && !error; ++k) {
        const mo_model_pair *pair = b->model->pairs + k;
        if (b->model->geoms[pair->a].body != b->model->geoms[pair->b].body) {
            error =
                mo_world_pair(b->world, shapes[pair->a], shapes[pair->b], &pair->material, b->why);
        }
    }
    return error;
}

static mo_error add_shapes(mo_building *b)
{
    mo_shape_id *shapes = mo_pool_take(&b->pool, (size_t)b->model->geom_count + 1, sizeof *shapes);
    MO_NEED_MEMORY(shapes, b->why);
    for (int k = 0; k < b->model->geom_count; ++k) {
        const mo_model_geom *geom = b->model->geoms + k;
        mo_shape_def shape = geom->shape;
        /* The masses are the model's; only where it has a mass and no inertia, that of the shapes
         * is scaled to it. */
        shape.density =
            has_no_inertia(b->model->bodies + geom->body) && !geom->is_visual ? 1000 : 0;
        b->touches[geom->body] |= !geom->is_visual;
        shapes[k] = mo_world_add_shape(b->world, b->robot->bodies[geom->body], &shape, b->why);
        MO_FAIL_IF(!shapes[k].index, MO_ERR_ARGUMENT);
    }
    return add_pairs(b, shapes);
}

static mo_error exclude(mo_building *b, int first, int second)
{
    const mo_body_id one = b->robot->bodies[first], other = b->robot->bodies[second];
    return one.index && other.index && first != second
               ? mo_world_exclude(b->world, one, other, b->why)
               : MO_OK;
}

/* Bodies of the tree that starts at `root`: those of one group, and of a group and the one above
 * it. */
static mo_error exclude_tree(mo_building *b, int root, int end)
{
    mo_error error = MO_OK;
    for (int i = root; i < end; ++i) {
        for (int j = i + 1; b->touches[i] && j < end && !error; ++j) {
            if (!b->touches[j]) continue;
            const int g = b->group[i], h = b->group[j];
            const int above_g = b->group[b->model->bodies[g].parent];
            const int above_h = b->group[b->model->bodies[h].parent];
            if (g == h || (!b->model->parents_touch && (above_g == h || above_h == g)))
                error = exclude(b, i, j);
        }
    }
    return error;
}

static mo_error add_exclusions(mo_building *b)
{
    const mo_model *model = b->model;
    mo_error error = MO_OK;
    for (int k = 0; k < model->body_count && !error;) {
        int end = k + 1;
        while (b->group[k] && end < model->body_count && model->bodies[end].parent >= k)
            ++end;
        error = exclude_tree(b, k, end);
        k = end;
    }
    for (int k = 0; k < model->exclusion_count && !error; ++k)
        error = exclude(b, model->exclusions[k][0], model->exclusions[k][1]);
    return error;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static mo_error make_robot(const mo_model *model, const mo_allocator *allocator, mo_robot **made,
                           mo_message *why)
{
    const mo_allocator own = mo_allocator_or_default(allocator);
    mo_robot *robot = mo_memory_array(&own, 1, sizeof *robot);
    MO_NEED_MEMORY(robot, why);
    *robot = (mo_robot){.allocator = own,
                        .body_count = model->body_count,
                        .joint_count = model->joint_count,
                        .actuator_count = model->actuator_count,
                        .tendon_count = model->tendon_count};
    if (!MO_NEW_EACH(&own, model->body_count + 1, mo_body_id, &robot->bodies) ||
        !MO_NEW_EACH(&own, model->joint_count + 1, mo_robot_place, &robot->joints) ||
        !MO_NEW_EACH(&own, model->actuator_count + 1, mo_robot_control, &robot->actuators) ||
        !MO_NEW_EACH(&own, model->tendon_count + 1, mo_robot_control, &robot->tendons) ||
        !MO_NEW_EACH(&own, model->q_count + 1, double, &robot->q) ||
        !MO_NEW_EACH(&own, model->v_count + 1, double, &robot->v) ||
        !MO_NEW_EACH(&own, model->mocap_count + 1, int, &robot->mocap)) {
        mo_robot_destroy(robot);
        return mo_fail_memory(why);
    }
    robot->texts.allocator = own;
    memset(robot->bodies, 0, ((size_t)model->body_count + 1) * sizeof *robot->bodies);
    memset(robot->actuators, 0, ((size_t)model->actuator_count + 1) * sizeof *robot->actuators);
    memset(robot->tendons, 0, ((size_t)model->tendon_count + 1) * sizeof *robot->tendons);
    *made = robot;
    return MO_OK;
}

static mo_error make_room(mo_building *b)
{
    const mo_model *model = b->model;
    const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count + 1;
    const bool good =
        MO_POOL_EACH(&b->pool, bodies, int, &b->group, &b->joined, &b->link, &b->touches) &&
        MO_POOL_EACH(&b->pool, joints, int, &b->number) &&
        MO_POOL_EACH(&b->pool, bodies, mo_pose, &b->pose) &&
        MO_POOL_EACH(&b->pool, bodies, mo_link_def, &b->links) &&
        MO_POOL_EACH(&b->pool, joints, mo_axis_def, &b->axes) &&
        MO_POOL_EACH(&b->pool, model->actuator_count + 1, mo_actuator_def, &b->actuators) &&
        MO_POOL_EACH(&b->pool, model->tendon_count + 1, mo_tendon_def, &b->tendons);
    return good ? MO_OK : mo_fail_memory(b->why);
}

/* Removes all bodies that a refused model has added, and with them joints and exclusions. */
static void remove_bodies(const mo_building *b)
{
    for (int k = 0; k < b->model->body_count; ++k)
        if (b->robot->bodies[k].index) /* with one link go all of its mechanism */
            mo_world_remove_body(b->world, b->robot->bodies[k], NULL);
}

/* ---- equalities ------------------------------------------------------------------------------ */

/* Connect and weld become joints of the world.  Equalities of joints and tendons become couplings
 * of their mechanism, which is one, since coupled trees are joined; the joint starts at the value
 * that satisfies the coupling. */
static mo_error add_coupling(mo_building *b, const mo_model_equality *e)
{
    const int of_tendons = e->kind == MO_MODEL_TENDONS;
    const mo_robot *robot = b->robot;
    const mo_mechanism_id id =
        of_tendons ? robot->tendons[e->a].mechanism : robot->joints[e->a].mechanism;
    mo_coupling_def def = mo_default_coupling(
        of_tendons ? robot->tendons[e->a].number : robot->joints[e->a].number, -1);
    def.of_tendons = of_tendons;
    if (of_tendons && !id.index) return MO_OK; /* between static bodies */
    if (e->b >= 0 && (!of_tendons || robot->tendons[e->b].mechanism.index))
        def.b = of_tendons ? robot->tendons[e->b].number : robot->joints[e->b].number;
    memcpy(def.polynomial, e->polynomial, sizeof def.polynomial);
    mo_error error = mo_mechanism_couple(b->world, id, &def, b->why);
    if (!error && !of_tendons && e->polynomial[0] != 0) {
        const int n = mo_mechanism_get(b->world, id).q_count;
        memcpy(robot->q, mo_mechanism_q(b->world, id), (size_t)n * sizeof(double));
        robot->q[robot->joints[e->a].at_q] = b->model->joints[e->a].ref + e->polynomial[0];
        error = mo_mechanism_set(b->world, id, robot->q, NULL, b->why);
    }
    return error;
}

/* Moves a free body that is welded at a given pose there: a correction of the joint would add
 * energy. */
static mo_error move_to_weld(mo_building *b, const mo_joint_def *def, int first)
{
    const double still[3] = {0};
    if (!def->has_pose || mo_body_get(b->world, def->b).kind != MO_BODY_FREE) return MO_OK;
    const mo_pose pose = mo_pose_compose(&b->pose[first], &def->pose);
    return mo_body_set(b->world, def->b, &pose, still, still, b->why);
}

static mo_error add_equality(mo_building *b, const mo_model_equality *e)
{
    if (e->kind == MO_MODEL_COUPLE || e->kind == MO_MODEL_TENDONS) return add_coupling(b, e);
    if (b->group[e->a] == 0 && b->group[e->b] == 0) return MO_OK;
    /* The second body of a joint must be dynamic. */
    const int swapped = b->group[e->b] == 0;
    const int first = swapped ? e->b : e->a, second = swapped ? e->a : e->b;
    mo_joint_def def = mo_default_joint(e->kind == MO_MODEL_WELD ? MO_JOINT_WELD : MO_JOINT_BALL,
                                        b->robot->bodies[first], b->robot->bodies[second]);
    def.collide = e->kind != MO_MODEL_WELD; /* welded bodies do not collide */
    mo_pose_point(&b->pose[e->a], e->anchor, def.anchor);
    if (e->kind == MO_MODEL_WELD) {
        memcpy(def.anchor, b->pose[second].position, sizeof def.anchor);
        def.has_pose = e->has_pose;
        def.pose = swapped ? mo_pose_inverse(&e->pose) : e->pose;
        MO_FAIL_IF(move_to_weld(b, &def, first), MO_ERR_ARGUMENT);
    }
    return mo_world_add_joint(b->world, &def, b->why).index ? MO_OK : MO_ERR_ARGUMENT;
}

/* ---- the whole ------------------------------------------------------------------------------- */

mo_error mo_model_build(const mo_model *model, mo_world *world, const mo_allocator *allocator,
                        mo_robot **robot, mo_message *why)
{
    MO_NEED(model && world && robot, why);
    mo_building b = {.model = model, .world = world, .why = why};
    *robot = NULL;
    MO_REFUSE_IF(mo_world_definition(world).dimension != 3, why,
                 "models need a three-dimensional world");
    MO_TRY(make_robot(model, allocator, &b.robot, why));
    b.pool.allocator = b.robot->allocator;
    mo_error error = make_room(&b);
    error = error ? error : mo_robot_keep_sensors(b.robot, model, why);
    if (!error) {
        const int is_urdf = strcmp(model->format, "MJCF") != 0; /* or SDF, read as URDF */
        find_groups(&b);
        mo_building_join_trees(&b);
        error = add_bodies(&b);
        error = error ? error : add_shapes(&b);
        error = error ? error : add_exclusions(&b);
        for (int k = 0; k < model->equality_count && !error; ++k)
            error = add_equality(&b, model->equalities + k);
        error = error ? error : mo_robot_part_overlaps(b.robot, world, is_urdf, why);
    }
    /* calls that return an id give the reason in `why` */
    const char *const short_of = mo_error_text(MO_ERR_MEMORY);
    error = error && why && strcmp(why->text, short_of) == 0 ? MO_ERR_MEMORY : error;
    mo_pool_clear(&b.pool);
    if (error) {
        remove_bodies(&b);
        mo_robot_destroy(b.robot);
        return error;
    }
    *robot = b.robot;
    return MO_OK;
}
