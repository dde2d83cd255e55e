/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Helpers for the builders of worlds.  A sketch collects a world.  It keeps the first error, and
 * later calls have no effect, so a builder reads from top to bottom and is checked once, by
 * sketch_finish.
 */
#ifndef SCENES_WORLD_TOOLS_H
#define SCENES_WORLD_TOOLS_H

#include "worlds.h"

typedef struct sketch {
    mo_world *world;
    mo_error error;
    mo_message why;
    double friction, restitution, density; /* of the following shapes */
} sketch;

sketch sketch_begin(mo_world_def def, double friction);
mo_error sketch_finish(sketch *s, mo_world **world, mo_message *why);

mo_body_id sketch_body(sketch *s, mo_body_kind kind, mo_pose pose, const char *name);
void sketch_shape(sketch *s, mo_body_id body,
                  mo_shape_def shape); /* with the sketch's material and density */
/* A body with one shape. */
mo_body_id sketch_add(sketch *s, mo_body_kind kind, mo_shape_def shape, mo_pose pose);
void sketch_velocity(sketch *s, mo_body_id body, double x, double y, double z);
void sketch_spin(sketch *s, mo_body_id body, double x, double y, double z);
void sketch_joint(sketch *s, const mo_joint_def *def);
void sketch_floor(sketch *s); /* z = 0, or y = 0 in the plane */

#endif
