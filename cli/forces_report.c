/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Report of `moreau forces`: contacts, joints, links, efforts; as JSON and as text. */
#include "forces_report.h"

#include <math.h>
#include <stdio.h>

#include "json.h"
#include "text.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_vector(json *j, const char *key, int count, const double *x)
{
    json_array(j, key);
    for (int k = 0; k < count; ++k)
        json_number(j, NULL, x[k]);
    json_array_end(j);
}

static void json_body(json *j, const char *key, const mo_world *world, mo_body_id id)
{
    if (!id.index) {
        json_null(j, key); /* the world */
        return;
    }
    const mo_body_state body = mo_body_get(world, id);
    int k = 0;
    while (mo_world_body(world, k).index && mo_world_body(world, k).index != id.index)
        ++k;
    json_object(j, key);
    json_whole(j, "body", k);
    json_text(j, "name", body.name);
    json_object_end(j);
}

static void json_contact(json *j, const mo_world *world, const mo_contact_force *c)
{
    json_object(j, NULL);
    json_body(j, "a", world, c->a);
    json_body(j, "b", world, c->b);
    json_text(j, "transition", mo_transition_name(c->transition));
    json_truth(j, "sliding", c->is_sliding);
    json_vector(j, "point", 3, c->point);
    json_vector(j, "normal", 3, c->normal);
    json_number(j, "gap", c->gap);
    json_number(j, "mu", c->mu);
    json_vector(j, "velocity", 3, c->velocity);
    json_vector(j, "acceleration", 3, c->acceleration);
    json_vector(j, "force", 3, c->force);
    json_vector(j, "moment", 3, c->moment);
    json_object_end(j);
}

static void json_joint(json *j, const mo_world *world, const mo_joint_force *c)
{
    json_object(j, NULL);
    json_text(j, "kind", mo_joint_name(mo_joint_get(world, c->joint).kind));
    json_body(j, "a", world, c->a);
    json_body(j, "b", world, c->b);
    json_vector(j, "point", 3, c->point);
    json_vector(j, "force", 3, c->force);
    json_vector(j, "moment", 3, c->moment);
    json_number(j, "limit", c->limit);
    json_number(j, "friction", c->friction);
    json_number(j, "drive", c->drive);
    json_object_end(j);
}

static void json_link(json *j, const mo_world *world, const mo_link_force *c)
{
    json_object(j, NULL);
    json_body(j, "link", world, c->link);
    json_body(j, "parent", world, c->parent);
    json_vector(j, "point", 3, c->point);
    json_vector(j, "force", 3, c->force);
    json_vector(j, "moment", 3, c->moment);
    json_object_end(j);
}

static void json_axis(json *j, const mo_world *world, const mo_axis_force *c)
{
    const mo_axis_state joint = mo_mechanism_joint(world, c->mechanism, c->joint);
    json_object(j, NULL);
    json_text(j, "mechanism", mo_mechanism_get(world, c->mechanism).name);
    json_whole(j, "joint", c->joint);
    json_text(j, "name", joint.name);
    json_text(j, "kind", mo_axis_name(joint.kind));
    json_vector(j, "effort", c->v_count, c->effort);
    json_vector(j, "actuator", c->v_count, c->actuator);
    json_vector(j, "passive", c->v_count, c->passive);
    json_vector(j, "applied", c->v_count, c->applied);
    json_vector(j, "friction", c->v_count, c->friction);
    json_vector(j, "limit", c->v_count, c->limit);
    json_vector(j, "tendon", c->v_count, c->tendon);
    json_vector(j, "coupling", c->v_count, c->coupling);
    json_vector(j, "known", c->v_count, c->known);
    json_object_end(j);
}

void forces_report_json(const char *scene, const mo_force_options *options, const mo_world *world,
                        const mo_forces *forces)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "scene", scene);
    json_number(&j, "time", mo_world_time(world));
    json_text(&j, "status", mo_status_name(forces->status));
    json_text(&j, "message", forces->message.text);
    json_text(&j, "friction", options->friction == MO_FRICTION_PYRAMID ? "pyramid" : "cone");
    json_text(&j, "method", forces->method);
    json_whole(&j, "iterations", forces->iterations);
    json_number(&j, "residual", forces->residual.natural);
    json_truth(&j, "impulsive", forces->is_impulsive);
    json_whole(&j, "rolling", forces->rolling);
    json_whole(&j, "sliding", forces->sliding);
    json_whole(&j, "impacts", forces->impacts);
    json_whole(&j, "moving", forces->moving);
    json_array(&j, "contacts");
    for (int k = 0; k < forces->contact_count; ++k)
        json_contact(&j, world, forces->contacts + k);
    json_array_end(&j);
    json_array(&j, "accelerations");
    for (int k = 0; k < forces->body_count; ++k)
        json_vector(&j, NULL, 6, forces->accelerations[k]);
    json_array_end(&j);
    json_array(&j, "is_moving");
    for (int k = 0; k < forces->body_count; ++k)
        json_truth(&j, NULL, forces->is_moving[k]);
    json_array_end(&j);
    json_vector(&j, "joint_accelerations", forces->joint_acceleration_count,
                forces->joint_accelerations);
    json_array(&j, "joints");
    for (int k = 0; k < forces->joint_count; ++k)
        json_joint(&j, world, forces->joints + k);
    json_array_end(&j);
    json_array(&j, "links");
    for (int k = 0; k < forces->link_count; ++k)
        json_link(&j, world, forces->links + k);
    json_array_end(&j);
    json_array(&j, "axes");
    for (int k = 0; k < forces->axis_count; ++k)
        json_axis(&j, world, forces->axes + k);
    json_array_end(&j);
    json_vector(&j, "actuator_efforts", forces->actuator_count, forces->actuator_efforts);
    json_vector(&j, "known_efforts", forces->known_count, forces->known_efforts);
    json_object_end(&j);
    json_end(&j);
}

/* ---- text ------------------------------------------------------------------------------------ */

enum { NAME_WIDTH = 14, MOST_LINES = 24 };

static void put_name(const mo_world *world, mo_body_id id)
{
    const mo_body_state body = mo_body_get(world, id);
    char number[32];
    snprintf(number, sizeof number, id.index ? "body %d" : "the world", (int)id.index - 1);
    text_put_column(stdout, id.index && body.name[0] ? body.name : number, NAME_WIDTH);
}

static double length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double along(const double x[3], const double n[3])
{
    return x[0] * n[0] + x[1] * n[1] + x[2] * n[2];
}

static void put_rest(int count)
{
    if (count > MOST_LINES) printf("... and %d more; --json has all of them\n", count - MOST_LINES);
}

static void put_contact(const mo_world *world, const mo_contact_force *c)
{
    const double normal = along(c->force, c->normal), all = length(c->force);
    const double friction = sqrt(fmax(all * all - normal * normal, 0));
    put_name(world, c->a);
    printf(" ");
    put_name(world, c->b);
    printf(" %-7s %12.6g %12.6g %12.4g %12.4g\n", mo_transition_name(c->transition), normal,
           friction, length(c->velocity), length(c->acceleration));
}

static void put_joints(const mo_world *world, const mo_forces *forces)
{
    const char *s = forces->is_impulsive ? " s" : "";
    char force[16], moment[16];
    snprintf(force, sizeof force, "force N%s", s);
    snprintf(moment, sizeof moment, "moment N m%s", s);
    if (forces->joint_count > 0) {
        printf("\n%-9s %-*s %-*s %12s %12s %12s %12s %12s\n", "joint", NAME_WIDTH, "a", NAME_WIDTH,
               "b", force, moment, "limit", "friction", "drive");
    }
    for (int k = 0; k < forces->joint_count && k < MOST_LINES; ++k) {
        const mo_joint_force *c = forces->joints + k;
        printf("%-9s ", mo_joint_name(mo_joint_get(world, c->joint).kind));
        put_name(world, c->a);
        printf(" ");
        put_name(world, c->b);
        printf(" %12.6g %12.6g %12.6g %12.6g %12.6g\n", length(c->force), length(c->moment),
               c->limit, c->friction, c->drive);
    }
    put_rest(forces->joint_count);
}

static double length_of(int count, const double *x)
{
    double sum = 0;
    for (int k = 0; k < count; ++k)
        sum += x[k] * x[k];
    return count == 1 ? x[0] : sqrt(sum);
}

/* Joints of mechanisms; of several velocities the length of each effort. */
static void put_axes(const mo_world *world, const mo_forces *forces)
{
    if (forces->axis_count > 0) {
        printf("\n%-*s %-*s %11s %11s %11s %11s %11s %11s\n", NAME_WIDTH, "joint", NAME_WIDTH,
               "link", forces->is_impulsive ? "effort s" : "effort", "actuator", "limit",
               "friction", forces->is_impulsive ? "force N s" : "force N",
               forces->is_impulsive ? "moment s" : "moment N m");
    }
    int first = 0; /* link of this mechanism */
    for (int k = 0; k < forces->axis_count && k < MOST_LINES; ++k) {
        const mo_axis_force *c = forces->axes + k;
        if (k > 0 && c->mechanism.index != c[-1].mechanism.index)
            first += mo_mechanism_get(world, c[-1].mechanism).link_count;
        const mo_axis_state joint = mo_mechanism_joint(world, c->mechanism, c->joint);
        const mo_link_force *held = forces->links + first + joint.link;
        char number[32];
        snprintf(number, sizeof number, "%s %d", mo_axis_name(joint.kind), c->joint);
        text_put_column(stdout, joint.name[0] ? joint.name : number, NAME_WIDTH);
        printf(" ");
        put_name(world, held->link);
        printf(" %11.5g %11.5g %11.5g %11.5g %11.5g %11.5g\n", length_of(c->v_count, c->effort),
               length_of(c->v_count, c->actuator), length_of(c->v_count, c->limit),
               length_of(c->v_count, c->friction), length(held->force), length(held->moment));
    }
    put_rest(forces->axis_count);
}

/* The parts of an assembly that accelerate, by name. */
static void put_moving(const mo_world *world, const mo_forces *forces)
{
    enum { MOST_NAMES = 8 };
    int listed = 0;
    if (forces->moving == 0) {
        printf("bodies     static equilibrium: no body accelerates\n");
        return;
    }
    printf("bodies     %d accelerate%s", forces->moving, forces->moving == 1 ? "s" : "");
    for (int k = 0; k < forces->body_count && forces->moving <= MOST_NAMES; ++k) {
        if (forces->is_moving[k]) {
            const mo_body_id id = mo_world_body(world, k);
            const char *name = mo_body_get(world, id).name;
            printf("%s", listed++ ? ", " : ": ");
            if (name[0])
                text_put(stdout, name);
            else
                printf("body %d", (int)id.index - 1);
        }
    }
    printf("\n");
}

void forces_report_text(const mo_world *world, const mo_forces *forces)
{
    printf("time       %g s\n", mo_world_time(world));
    printf("contacts   %d: %d sticking, %d sliding, %d impacting\n", forces->contact_count,
           forces->rolling, forces->sliding, forces->impacts);
    put_moving(world, forces);
    printf("%s  %s by %s, %d iterations, residual %.2g\n",
           forces->is_impulsive ? "impulse  " : "forces   ", mo_status_name(forces->status),
           forces->method ? forces->method : "no method", forces->iterations,
           forces->residual.natural);
    if (forces->is_impulsive) {
        printf("           no forces obey the laws here: these are impulses, in N s, and the "
               "velocities after them\n");
    }
    if (forces->status != MO_SOLVED && forces->message.text[0])
        printf("           %s\n", forces->message.text);
    if (forces->contact_count > 0) {
        printf("\n%-*s %-*s %-7s %12s %12s %12s %12s\n", NAME_WIDTH, "a", NAME_WIDTH, "b",
               "becomes", forces->is_impulsive ? "normal N s" : "normal N",
               forces->is_impulsive ? "friction" : "friction N", "speed m/s",
               forces->is_impulsive ? "then m/s" : "accel m/s2");
    }
    for (int k = 0; k < forces->contact_count && k < MOST_LINES; ++k)
        put_contact(world, forces->contacts + k);
    put_rest(forces->contact_count);
    put_joints(world, forces);
    put_axes(world, forces);
    if (forces->known_count > 0)
        printf("\nefforts for the known accelerations, in the given order:");
    for (int k = 0; k < forces->known_count; ++k)
        printf("%s%.8g", k ? ", " : " ", forces->known_efforts[k]);
    printf("%s", forces->known_count > 0 ? "\n" : "");
}
