/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "world_tools.h"

#include <string.h>

sketch sketch_begin(mo_world_def def, double friction)
{
    sketch s = {.friction = friction, .density = 1000};
    s.error = mo_world_create(&def, NULL, &s.world, &s.why);
    return s;
}

mo_error sketch_finish(sketch *s, mo_world **world, mo_message *why)
{
    if (s->error) {
        mo_world_destroy(s->world);
        s->world = NULL;
        if (why) *why = s->why;
    }
    *world = s->world;
    return s->error;
}

mo_body_id sketch_body(sketch *s, mo_body_kind kind, mo_pose pose, const char *name)
{
    if (s->error) return (mo_body_id){0};
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    def.name = name;
    const mo_body_id body = mo_world_add_body(s->world, &def, &s->why);
    s->error = body.index ? MO_OK : MO_ERR_ARGUMENT;
    return body;
}

void sketch_shape(sketch *s, mo_body_id body, mo_shape_def shape)
{
    if (!s->error) {
        shape.material.friction = s->friction;
        shape.material.restitution = s->restitution;
        shape.density = s->density;
        s->error =
            mo_world_add_shape(s->world, body, &shape, &s->why).index ? MO_OK : MO_ERR_ARGUMENT;
    }
}

mo_body_id sketch_add(sketch *s, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    const mo_body_id body = sketch_body(s, kind, pose, NULL);
    sketch_shape(s, body, shape);
    return body;
}

static void set_motion(sketch *s, mo_body_id body, const double v[3], const double spin[3])
{
    if (!s->error) {
        const mo_body_state now = mo_body_get(s->world, body);
        s->error = mo_body_set(s->world, body, &now.pose, v ? v : now.velocity,
                               spin ? spin : now.spin, &s->why);
    }
}

void sketch_velocity(sketch *s, mo_body_id body, double x, double y, double z)
{
    set_motion(s, body, (const double[3]){x, y, z}, NULL);
}

void sketch_spin(sketch *s, mo_body_id body, double x, double y, double z)
{
    set_motion(s, body, NULL, (const double[3]){x, y, z});
}

void sketch_joint(sketch *s, const mo_joint_def *def)
{
    if (!s->error)
        s->error = mo_world_add_joint(s->world, def, &s->why).index ? MO_OK : MO_ERR_ARGUMENT;
}

void sketch_floor(sketch *s)
{
    const mo_body_id floor = sketch_body(s, MO_BODY_FIXED, mo_pose_identity(), "floor");
    sketch_shape(s, floor, mo_shape_plane());
}
