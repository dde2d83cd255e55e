/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sensors (moreau/sensor.h).  Accelerations are differences of velocities since the last call:
 *
 *   accelerometer   R' ((v - v_last) / t - g)           v of the site, R its axes
 *   force           R' sum over the subtree of m (dv_c / t - g), less the external forces on it
 *   torque          R' sum of dL / t + (x_c - s) x m (dv_c / t - g), less their moments about s
 *
 * with t the time since the last call, v_c and L velocity of the centre and angular momentum of a
 * body, s the site; external forces are contacts and joints that close loops.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/robot_data.h"
#include "linalg/vec3.h"
#include "moreau/joint.h"
#include "moreau/sensor.h"

MO_GETTER(int, mo_robot_sensor_count, mo_robot, sensor_count)
MO_GETTER(int, mo_robot_sensor_values, mo_robot, sensor_values)

const char *mo_robot_sensor(const mo_robot *robot, int k, const char **kind, int *first, int *count)
{
    MO_NEED_OR(NULL, robot, NULL);
    if (k < 0 || k >= robot->sensor_count) return NULL;
    const mo_model_sensor *sensor = robot->sensors + k;
    if (kind) *kind = mo_model_sensor_name(sensor->kind);
    if (first) *first = sensor->first;
    if (count) *count = sensor->count;
    return sensor->name;
}

/* ---- stored data ----------------------------------------------------------------------------- */

mo_error mo_robot_keep_sensors(mo_robot *robot, const mo_model *model, mo_message *why)
{
    const mo_allocator *a = &robot->allocator;
    const size_t bodies = (size_t)model->body_count, sensors = (size_t)model->sensor_count + 1;
    robot->sensors = mo_memory_array(a, sensors, sizeof *robot->sensors);
    robot->last = mo_memory_array(a, bodies, sizeof *robot->last);
    robot->parts = mo_memory_array(a, bodies, sizeof *robot->parts);
    robot->sites = mo_memory_array(a, (size_t)model->site_count + 1, sizeof *robot->sites);
    MO_NEED_MEMORY(robot->sensors && robot->last && robot->parts && robot->sites, why);
    robot->sensor_count = model->sensor_count;
    robot->sensor_values = model->sensor_values;
    robot->site_count = model->site_count;
    robot->v_count = model->v_count;
    for (int k = 0; k < model->body_count; ++k) {
        const mo_model_body *body = model->bodies + k;
        robot->parts[k] = (mo_robot_part){.parent = body->parent, .mass = body->mass};
        mo_vec3_copy(body->centre, robot->parts[k].centre);
    }
    for (int k = 0; k < model->site_count; ++k) {
        robot->sites[k] = model->sites[k];
        robot->sites[k].name = "";
    }
    for (int k = 0; k < model->sensor_count; ++k) {
        const char *name = model->sensors[k].name;
        robot->sensors[k] = model->sensors[k];
        robot->sensors[k].name = mo_pool_text(&robot->texts, name, strlen(name));
        MO_NEED_MEMORY(robot->sensors[k].name, why);
    }
    return MO_OK;
}

/* ---- motions --------------------------------------------------------------------------------- */

/* Angular momentum about the centre of mass, world axes. */
static void momentum_of(const mo_body_state *body, double L[3])
{
    double local[3], I[9], turned[3];
    mo_pose_vector_back(&body->pose, body->spin, local);
    mo_mat3_symmetric(body->inertia, I);
    mo_mat3_apply(I, local, turned);
    mo_pose_vector(&body->pose, turned, L);
}

/* Velocity of a point that is fixed to a body. */
static void velocity_at(const double centre_velocity[3], const double spin[3],
                        const double centre[3], const double at[3], double v[3])
{
    double arm[3], turn[3];
    mo_vec3_minus(at, centre, arm);
    mo_vec3_cross(spin, arm, turn);
    mo_vec3_along(centre_velocity, 1, turn, v);
}

typedef struct sensing {
    const mo_robot *robot;
    const mo_world *world;
    double h;    /* of the last step */
    double time; /* since the last call; 0: there was none */
    double gravity[3];
    double *values;
} sensing;

static mo_body_state body_of(const sensing *s, int body)
{
    return mo_body_get(s->world, mo_robot_body(s->robot, body));
}

/* Acceleration of a point of a body, and of its spin, over the time since the last call. */
static void acceleration_of(const sensing *s, const mo_model_sensor *sensor, double linear[3],
                            double angular[3])
{
    const mo_body_state now = body_of(s, sensor->body);
    const mo_robot_motion *last = s->robot->last + sensor->body;
    double at[3], before_at[3], v[3], before[3];
    mo_vec3_set(linear, 0, 0, 0);
    mo_vec3_set(angular, 0, 0, 0);
    if (!(s->time > 0)) return;
    mo_pose_point(&now.pose, sensor->pose.position, at);
    mo_pose_point(&last->pose, sensor->pose.position, before_at);
    velocity_at(now.velocity, now.spin, now.centre, at, v);
    velocity_at(last->velocity, last->spin, last->centre, before_at, before);
    for (int k = 0; k < 3; ++k) {
        linear[k] = (v[k] - before[k]) / s->time;
        angular[k] = (now.spin[k] - last->spin[k]) / s->time;
    }
}

static void keep_motions(mo_robot *robot, const mo_world *world)
{
    for (int k = 0; k < robot->body_count; ++k) {
        const mo_body_state now = mo_body_get(world, robot->bodies[k]);
        mo_robot_motion *last = robot->last + k;
        last->pose = now.pose;
        mo_vec3_copy(now.velocity, last->velocity);
        mo_vec3_copy(now.spin, last->spin);
        mo_vec3_copy(now.centre, last->centre);
        momentum_of(&now, last->momentum);
    }
    robot->last_time = mo_world_time(world);
    robot->has_last = 1;
}

/* ---- forces ---------------------------------------------------------------------------------- */

static int is_same(mo_body_id a, mo_body_id b)
{
    return a.index && a.index == b.index && a.generation == b.generation;
}

/* wrench += (force, moment about `about`) of a force at a point. */
static void add_force(const double force[3], const double at[3], const double about[3], double sign,
                      double wrench[6])
{
    double arm[3], moment[3];
    mo_vec3_minus(at, about, arm);
    mo_vec3_cross(arm, force, moment);
    mo_vec3_along(wrench, sign, force, wrench);
    mo_vec3_along(wrench + 3, sign, moment, wrench + 3);
}

/* Is `above` the body or one of its ancestors? */
static int is_below(const mo_robot *robot, int body, int above)
{
    while (body > above)
        body = robot->parts[body].parent;
    return body == above;
}

static int place_of(const mo_robot *robot, mo_body_id id)
{
    for (int k = 1; k < robot->body_count; ++k)
        if (is_same(robot->bodies[k], id)) return k;
    return -1;
}

/* Subtracts the forces of loop joints on the subtree. */
static void subtract_loops(const sensing *s, int body, const double about[3], double wrench[6])
{
    for (int k = 0; k < mo_world_joint_count(s->world); ++k) {
        const mo_joint_state joint = mo_joint_get(s->world, mo_world_joint(s->world, k));
        const int a = place_of(s->robot, joint.a), b = place_of(s->robot, joint.b);
        const int has_a = a > 0 && is_below(s->robot, a, body);
        const int has_b = b > 0 && is_below(s->robot, b, body);
        if (has_a != has_b) {
            add_force(joint.force, joint.anchor[has_b], about, has_b ? -1 : 1, wrench);
            mo_vec3_along(wrench + 3, has_b ? -1 : 1, joint.moment, wrench + 3);
        }
    }
}

/* Force and moment from the parent on a body, about a point, world axes. */
static void reaction_of(const sensing *s, int body, const double about[3], double wrench[6])
{
    memset(wrench, 0, 6 * sizeof *wrench);
    for (int k = body; k < s->robot->body_count; ++k) {
        if (!is_below(s->robot, k, body)) continue;
        const mo_body_state now = body_of(s, k);
        const mo_robot_motion *last = s->robot->last + k;
        double force[3], L[3], contact[6];
        momentum_of(&now, L);
        for (int c = 0; c < 3; ++c) {
            const double a = s->time > 0 ? (now.velocity[c] - last->velocity[c]) / s->time : 0;
            force[c] = now.mass * (a - s->gravity[c]);
            wrench[3 + c] += s->time > 0 ? (L[c] - last->momentum[c]) / s->time : 0;
        }
        add_force(force, now.centre, about, 1, wrench);
        mo_body_contact_force(s->world, s->robot->bodies[k], contact, contact + 3, NULL);
        add_force(contact, now.centre, about, -1, wrench);
        mo_vec3_along(wrench + 3, -1, contact + 3, wrench + 3);
    }
    subtract_loops(s, body, about, wrench);
}

/* Is the point, in the axes of the site, within it? */
static int is_within(const mo_model_site *site, const double x[3])
{
    const double *r = site->size;
    switch (site->kind) {
    case MO_SHAPE_BOX:
        return fabs(x[0]) <= r[0] && fabs(x[1]) <= r[1] && fabs(x[2]) <= r[2];
    case MO_SHAPE_CYLINDER:
        return x[0] * x[0] + x[1] * x[1] <= r[0] * r[0] && fabs(x[2]) <= r[1];
    case MO_SHAPE_CAPSULE: {
        const double z = fmax(0, fabs(x[2]) - r[1]);
        return x[0] * x[0] + x[1] * x[1] + z * z <= r[0] * r[0];
    }
    case MO_SHAPE_HULL: { /* an ellipsoid */
        const double e[3] = {x[0] / r[0], x[1] / r[1], x[2] / r[2]};
        return mo_vec3_dot(e, e) <= 1;
    }
    default:
        return mo_vec3_dot(x, x) <= r[0] * r[0];
    }
}

static double touch_of(const sensing *s, const mo_model_sensor *sensor)
{
    const mo_model_site *site = s->robot->sites + sensor->object;
    const mo_body_id id = mo_robot_body(s->robot, sensor->body);
    const mo_pose frame = mo_robot_site(s->robot, s->world, sensor->object);
    double sum = 0;
    for (int k = 0; k < mo_world_contact_count(s->world) && s->h > 0; ++k) {
        const mo_contact contact = mo_world_contact(s->world, k);
        double local[3];
        mo_pose_point_back(&frame, contact.point, local);
        if ((is_same(contact.a, id) || is_same(contact.b, id)) && is_within(site, local))
            sum += mo_vec3_dot(contact.impulse, contact.normal) / s->h;
    }
    return sum;
}

/* ---- one sensor ------------------------------------------------------------------------------ */

static void sense_joint(const sensing *s, const mo_model_sensor *sensor, double *out)
{
    const mo_robot_place *at = s->robot->joints + sensor->object;
    const double *q = mo_mechanism_q(s->world, at->mechanism);
    const double *v = mo_mechanism_v(s->world, at->mechanism);
    if (!q || !v) return;
    if (sensor->kind == MO_SENSOR_JOINTPOS || sensor->kind == MO_SENSOR_BALLQUAT) {
        memcpy(out, q + at->at_q, (size_t)sensor->count * sizeof *out);
    } else if (sensor->kind != MO_SENSOR_JOINTACTUATORFRC) {
        memcpy(out, v + at->at_v, (size_t)sensor->count * sizeof *out);
    } else {
        const int count = mo_mechanism_get(s->world, at->mechanism).actuator_count;
        for (int k = 0; k < count; ++k) {
            const mo_actuator_state state = mo_mechanism_actuator(s->world, at->mechanism, k);
            *out += state.joint == at->number ? state.gear[0] * state.effort : 0;
        }
    }
}

static void sense_drive(const sensing *s, const mo_model_sensor *sensor, double *out)
{
    if (sensor->kind == MO_SENSOR_TENDONPOS || sensor->kind == MO_SENSOR_TENDONVEL) {
        const mo_robot_control *at = s->robot->tendons + sensor->object;
        const mo_tendon_state state = mo_mechanism_tendon(s->world, at->mechanism, at->number);
        *out = sensor->kind == MO_SENSOR_TENDONPOS ? state.length : state.speed;
        return;
    }
    const mo_robot_control *at = s->robot->actuators + sensor->object;
    if (at->mechanism.index) {
        const mo_actuator_state state = mo_mechanism_actuator(s->world, at->mechanism, at->number);
        *out = sensor->kind == MO_SENSOR_ACTUATORPOS   ? state.length
               : sensor->kind == MO_SENSOR_ACTUATORVEL ? state.speed
                                                       : state.effort;
    }
}

/* At a site, in its axes. */
static void sense_site(const sensing *s, const mo_model_sensor *sensor, double *out)
{
    const mo_body_state now = body_of(s, sensor->body);
    const mo_pose frame = mo_pose_compose(&now.pose, &sensor->pose);
    double world[6] = {0}, angular[3];
    if (sensor->kind == MO_SENSOR_TOUCH) {
        *out = touch_of(s, sensor);
        return;
    }
    if (sensor->kind == MO_SENSOR_ACCELEROMETER) {
        acceleration_of(s, sensor, world, angular);
        mo_vec3_along(world, -1, s->gravity, world);
    } else if (sensor->kind == MO_SENSOR_VELOCIMETER) {
        velocity_at(now.velocity, now.spin, now.centre, frame.position, world);
    } else if (sensor->kind == MO_SENSOR_GYRO) {
        mo_vec3_copy(now.spin, world);
    } else {
        reaction_of(s, sensor->body, frame.position, world);
    }
    mo_pose_vector_back(&frame, world + (sensor->kind == MO_SENSOR_TORQUE ? 3 : 0), out);
}

/* Of a frame, in world axes. */
static void sense_frame(const sensing *s, const mo_model_sensor *sensor, double *out)
{
    const mo_body_state now = body_of(s, sensor->body);
    const mo_pose frame = mo_pose_compose(&now.pose, &sensor->pose);
    double linear[3], angular[3];
    switch (sensor->kind) {
    case MO_SENSOR_FRAMEPOS:
        mo_vec3_copy(frame.position, out);
        break;
    case MO_SENSOR_FRAMEQUAT:
        memcpy(out, frame.orientation, sizeof frame.orientation);
        break;
    case MO_SENSOR_FRAMEXAXIS:
    case MO_SENSOR_FRAMEYAXIS:
    case MO_SENSOR_FRAMEZAXIS: {
        double axis[3] = {0};
        axis[sensor->kind - MO_SENSOR_FRAMEXAXIS] = 1;
        mo_pose_vector(&frame, axis, out);
        break;
    }
    case MO_SENSOR_FRAMELINVEL:
        velocity_at(now.velocity, now.spin, now.centre, frame.position, out);
        break;
    case MO_SENSOR_FRAMEANGVEL:
        mo_vec3_copy(now.spin, out);
        break;
    default: /* MuJoCo has gravity in the linear one: a frame at rest is accelerated upwards */
        acceleration_of(s, sensor, linear, angular);
        mo_vec3_along(linear, -1, s->gravity, linear);
        mo_vec3_copy(sensor->kind == MO_SENSOR_FRAMELINACC ? linear : angular, out);
    }
}

/* The centre of mass of a body and those below it, its velocity, or the angular momentum about it:
 * sum of L + m (x_c - x) x v_c. */
static void sense_subtree(const sensing *s, const mo_model_sensor *sensor, double *out)
{
    double mass = 0, centre[3] = {0}, momentum[3] = {0}, spin[3] = {0}, moment[3];
    for (int k = sensor->body; k < s->robot->body_count; ++k) {
        const mo_robot_part *part = s->robot->parts + k;
        if (part->mass > 0 && is_below(s->robot, k, sensor->body)) {
            const mo_body_state now = body_of(s, k);
            double at[3], L[3];
            momentum_of(&now, L);
            mo_pose_point(&now.pose, part->centre, at);
            mo_vec3_cross(at, now.velocity, moment);
            mo_vec3_along(spin, 1, L, spin);
            mo_vec3_along(spin, part->mass, moment, spin);
            mo_vec3_along(centre, part->mass, at, centre);
            mo_vec3_along(momentum, part->mass, now.velocity, momentum);
            mass += part->mass;
        }
    }
    if (!(mass > 0)) return;
    mo_vec3_scale(1 / mass, centre, centre);
    mo_vec3_cross(centre, momentum, moment);
    mo_vec3_along(spin, -1, moment, spin);
    mo_vec3_scale(1 / mass, momentum, momentum);
    mo_vec3_copy(sensor->kind == MO_SENSOR_SUBTREECOM      ? centre
                 : sensor->kind == MO_SENSOR_SUBTREELINVEL ? momentum
                                                           : spin,
                 out);
}

static void sense(const sensing *s, const mo_model_sensor *sensor)
{
    double *out = s->values + sensor->first;
    memset(out, 0, (size_t)sensor->count * sizeof *out);
    if (sensor->kind <= MO_SENSOR_JOINTACTUATORFRC)
        sense_joint(s, sensor, out);
    else if (sensor->kind <= MO_SENSOR_ACTUATORFRC)
        sense_drive(s, sensor, out);
    else if (sensor->kind <= MO_SENSOR_TOUCH)
        sense_site(s, sensor, out);
    else if (sensor->kind <= MO_SENSOR_FRAMEANGACC)
        sense_frame(s, sensor, out);
    else if (sensor->kind <= MO_SENSOR_SUBTREEANGMOM)
        sense_subtree(s, sensor, out);
    else if (sensor->kind == MO_SENSOR_CLOCK)
        *out = mo_world_time(s->world);
    for (int k = 0; k < sensor->count && sensor->cutoff > 0; ++k)
        out[k] = fmin(fmax(out[k], -sensor->cutoff), sensor->cutoff);
}

mo_error mo_robot_sense(mo_robot *robot, const mo_world *world, double h, double *values,
                        mo_message *why)
{
    MO_NEED(robot && world && values, why);
    const mo_world_def def = mo_world_definition(world);
    sensing s = {.robot = robot, .world = world, .h = h, .values = values};
    memcpy(s.gravity, def.gravity, sizeof s.gravity);
    s.time = robot->has_last ? mo_world_time(world) - robot->last_time : 0;
    for (int k = 0; k < robot->sensor_count; ++k)
        sense(&s, robot->sensors + k);
    keep_motions(robot, world);
    return MO_OK;
}
