/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Nothing that is not finite comes in or goes out: each number of each definition in turn is NaN,
 * infinite, huge or tiny.  The call is refused with a sentence, or the world stays finite through
 * steps: poses, velocities, energies, contacts, coordinates of mechanisms, saved state.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

/* What a scene is made of. */
typedef struct parts {
    mo_world_def world;
    mo_body_def body;
    mo_shape_def shape;
    mo_joint_def joint;
    mo_link_def link;
    mo_axis_def axis;
    mo_actuator_def actuator;
    mo_tendon_def tendon;
    double h, force[3], moment[3], at[3], material[4];
} parts;

#define FIELD(name)                                                                                \
    {                                                                                              \
        offsetof(parts, name), #name                                                               \
    }
typedef struct field {
    size_t at;
    const char *name;
} field;

static const field FIELDS[] = {
    FIELD(world.gravity[0]),
    FIELD(world.gravity[2]),
    FIELD(world.margin),
    FIELD(world.first_order),
    FIELD(world.restitution_speed),
    FIELD(world.solver.tol),
    FIELD(world.solver.time_limit),
    FIELD(body.pose.position[0]),
    FIELD(body.pose.position[2]),
    FIELD(body.pose.orientation[0]),
    FIELD(body.pose.orientation[2]),
    FIELD(body.velocity[0]),
    FIELD(body.velocity[2]),
    FIELD(body.spin[0]),
    FIELD(body.spin[2]),
    FIELD(body.mass),
    FIELD(body.inertia[0]),
    FIELD(body.inertia[3]),
    FIELD(body.centre[1]),
    FIELD(body.linear_damping),
    FIELD(body.angular_damping),
    FIELD(shape.pose.position[1]),
    FIELD(shape.pose.orientation[0]),
    FIELD(shape.pose.orientation[3]),
    FIELD(shape.half[0]),
    FIELD(shape.half[2]),
    FIELD(shape.material.friction),
    FIELD(shape.material.restitution),
    FIELD(shape.material.rolling),
    FIELD(shape.material.torsion),
    FIELD(shape.density),
    FIELD(joint.anchor[0]),
    FIELD(joint.anchor_b[0]),
    FIELD(joint.axis[1]),
    FIELD(joint.lower),
    FIELD(joint.upper),
    FIELD(joint.dry_friction),
    FIELD(joint.target),
    FIELD(joint.max_effort),
    FIELD(link.mass),
    FIELD(link.inertia[0]),
    FIELD(link.inertia[4]),
    FIELD(link.centre[0]),
    FIELD(link.gravity_compensation),
    FIELD(link.pose.position[0]),
    FIELD(link.pose.orientation[0]),
    FIELD(axis.anchor[0]),
    FIELD(axis.axis[2]),
    FIELD(axis.reference),
    FIELD(axis.initial),
    FIELD(axis.lower),
    FIELD(axis.upper),
    FIELD(axis.dry_friction),
    FIELD(axis.damping),
    FIELD(axis.armature),
    FIELD(axis.stiffness),
    FIELD(axis.rest),
    FIELD(actuator.gear[0]),
    FIELD(actuator.gain),
    FIELD(actuator.bias[0]),
    FIELD(actuator.bias[1]),
    FIELD(actuator.bias[2]),
    FIELD(actuator.lower),
    FIELD(actuator.upper),
    FIELD(actuator.target),
    FIELD(actuator.gain_length),
    FIELD(actuator.gain_speed),
    FIELD(actuator.time_constant),
    FIELD(tendon.stiffness),
    FIELD(tendon.slack[0]),
    FIELD(tendon.damping),
    FIELD(tendon.dry_friction),
    FIELD(tendon.lower),
    FIELD(h),
    FIELD(force[0]),
    FIELD(moment[1]),
    FIELD(at[0]),
    FIELD(material[0]),
    FIELD(material[1]),
    FIELD(material[2]),
    FIELD(material[3]),
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

static const double VALUES[] = {NAN,   INFINITY, -INFINITY, 1e300, -1e300,
                                1e150, 5e-324,   1e-320,    1e-250};
enum { VALUE_COUNT = sizeof VALUES / sizeof *VALUES };

static parts usual(mo_axis_kind kind)
{
    const mo_body_id none = {0};
    parts p = {.world = mo_default_world(),
               .body = mo_default_body(MO_BODY_FREE),
               .shape = mo_shape_box(0.5, 0.4, 0.5),
               .joint = mo_default_joint(MO_JOINT_REVOLUTE, none, none),
               .link = mo_default_link(-1),
               .axis = mo_default_axis(kind, 0),
               .actuator = mo_actuator_position(0, 10, 1),
               .tendon = mo_default_tendon(),
               .h = 0.01,
               .material = {0.5, 0, 0, 0}};
    p.world.solver.max_iter = 100;
    p.body.pose = mo_pose_at(0, 0, 0.45);
    p.joint.axis[1] = 1, p.joint.anchor[2] = 1;
    p.joint.has_limits = 1, p.joint.lower = -1, p.joint.upper = 1;
    p.joint.drive = MO_DRIVE_VELOCITY, p.joint.target = 1, p.joint.max_effort = 3;
    p.link.mass = 1, p.link.pose = mo_pose_at(3, 0, 1);
    p.link.inertia[0] = p.link.inertia[1] = p.link.inertia[2] = 0.1;
    p.axis.has_limits = 1, p.axis.lower = -1, p.axis.upper = 1;
    p.axis.stiffness = 1, p.axis.damping = 0.1;
    return p;
}

/* ---- the scene ------------------------------------------------------------------------------- */

/* 1 where the call was taken; one that is refused has a sentence. */
static int was_taken(int taken, mo_message *why, const char *what)
{
    if (!taken && !why->text[0]) fail_msg("%s: refused without a sentence", what);
    why->text[0] = '\0';
    return taken;
}

static void add_mechanism(mo_world *world, const parts *p, const char *what)
{
    const int joints[2] = {0, 1};
    const double coefficients[2] = {1, -1};
    mo_link_def links[2] = {p->link, p->link};
    mo_axis_def axes[2] = {p->axis, p->axis};
    mo_tendon_def tendon = p->tendon;
    mo_mechanism_def def = mo_default_mechanism();
    mo_message why = {{0}};
    links[1].parent = 0, axes[1].link = 1;
    tendon.joints = joints, tendon.coefficients = coefficients, tendon.count = 2;
    def.links = links, def.link_count = 2;
    def.joints = axes, def.joint_count = 2;
    def.tendons = &tendon, def.tendon_count = 1;
    def.actuators = &p->actuator, def.actuator_count = 1;
    memset(links[1].inertia, 0, sizeof links[1].inertia); /* that of its shape */
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, &why);
    if (was_taken(id.index > 0, &why, what)) {
        const mo_body_id body = mo_mechanism_link(world, id, 1);
        was_taken(mo_world_add_shape(world, body, &p->shape, &why).index > 0, &why, what);
    }
}

/* A box on a floor, another that is joined to it, and a mechanism; NULL: no such world. */
static mo_world *build(const parts *p, mo_body_id *box, const char *what)
{
    const mo_shape_def floor = mo_shape_plane(), other = mo_shape_box(0.5, 0.5, 0.45);
    const mo_pose above = mo_pose_at(0.1, 0.05, 1.4);
    mo_message why = {{0}};
    mo_world *world = NULL;
    if (!was_taken(mo_world_create(&p->world, NULL, &world, &why) == MO_OK, &why, what))
        return NULL;
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    *box = mo_world_add_body(world, &p->body, &why);
    if (was_taken(box->index > 0, &why, what))
        was_taken(mo_world_add_shape(world, *box, &p->shape, &why).index > 0, &why, what);
    mo_joint_def joint = p->joint;
    joint.a = *box;
    joint.b = mo_world_add_solid(world, MO_BODY_FREE, &other, &above, NULL);
    was_taken(mo_world_add_joint(world, &joint, &why).index > 0, &why, what);
    add_mechanism(world, p, what);
    return world;
}

static int all_finite(size_t count, const double *x)
{
    for (size_t k = 0; k < count; ++k)
        if (!isfinite(x[k])) return 0;
    return 1;
}

static int mechanisms_are_finite(const mo_world *world)
{
    int finite = 1;
    for (int k = 0; k < mo_world_mechanism_count(world); ++k) {
        const mo_mechanism_id id = mo_world_mechanism(world, k);
        const mo_mechanism_info info = mo_mechanism_get(world, id);
        finite = finite && all_finite((size_t)info.q_count, mo_mechanism_q(world, id)) &&
                 all_finite((size_t)info.v_count, mo_mechanism_v(world, id));
    }
    return finite;
}

static int is_finite(const mo_world *world)
{
    int finite = isfinite(mo_world_time(world)) && isfinite(mo_world_kinetic_energy(world)) &&
                 isfinite(mo_world_potential_energy(world)) && mechanisms_are_finite(world);
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        finite = finite && all_finite(3, s.pose.position) && all_finite(4, s.pose.orientation) &&
                 all_finite(3, s.velocity) && all_finite(3, s.spin) && all_finite(3, s.centre) &&
                 all_finite(6, s.inertia) && isfinite(s.mass);
    }
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact c = mo_world_contact(world, k);
        finite = finite && all_finite(3, c.point) && all_finite(3, c.normal) && isfinite(c.gap) &&
                 all_finite(3, c.impulse) && all_finite(3, c.moment) && all_finite(3, c.velocity);
    }
    return finite;
}

/* What was saved can be loaded: mo_world_load takes no number that is not finite. */
static int loads_again(mo_world *world)
{
    const size_t size = mo_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    CHECK(bytes && mo_world_save(world, bytes, size) == size);
    const int loads = mo_world_load(world, bytes, size, NULL) == MO_OK;
    free(bytes);
    return loads;
}

static void try_scene(const parts *p, const char *what)
{
    const mo_material material = {.friction = p->material[0],
                                  .restitution = p->material[1],
                                  .rolling = p->material[2],
                                  .torsion = p->material[3]};
    mo_body_id box = {0};
    mo_world *world = build(p, &box, what);
    for (int k = 0; world && k < 3; ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        mo_body_apply_force(world, box, p->force, p->at, NULL);
        mo_body_apply_torque(world, box, p->moment, NULL);
        mo_body_set_material(world, box, &material, NULL);
        const int stepped =
            was_taken(mo_world_step(world, p->h, &report, &why) == MO_OK, &why, what);
        if (!is_finite(world) || (stepped && (!isfinite(report.kinetic_energy) ||
                                              isnan(report.residual.natural_relative))))
            fail_msg("%s: a number of the world is not finite after %d steps", what, k + 1);
    }
    if (world && !loads_again(world)) fail_msg("%s: the saved state is not taken", what);
    mo_world_destroy(world);
}

static void sweep(mo_axis_kind kind)
{
    for (int f = 0; f < FIELD_COUNT; ++f) {
        for (int v = 0; v < VALUE_COUNT; ++v) {
            parts p = usual(kind);
            char what[100];
            memcpy((char *)&p + FIELDS[f].at, &VALUES[v], sizeof VALUES[v]);
            snprintf(what, sizeof what, "%s = %g", FIELDS[f].name, VALUES[v]);
            try_scene(&p, what);
        }
    }
}

static void no_number_of_a_definition_brings_nan_in(void **state)
{
    (void)state;
    sweep(MO_AXIS_REVOLUTE);
}

static void nor_with_prismatic_joints(void **state)
{
    (void)state;
    sweep(MO_AXIS_PRISMATIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_number_of_a_definition_brings_nan_in),
        cmocka_unit_test(nor_with_prismatic_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
