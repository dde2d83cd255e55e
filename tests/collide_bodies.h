/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Collides two shapes whose bodies are at given poses. */
#ifndef TESTS_COLLIDE_BODIES_H
#define TESTS_COLLIDE_BODIES_H

#include "collide/collide.h"

static inline void collide_bodies(const mo_collider *a, const mo_pose *pose_a, const mo_collider *b,
                                  const mo_pose *pose_b, double reach, mo_touch_list *touches)
{
    const mo_pose shape_a = mo_pose_compose(pose_a, &a->def.pose),
                  shape_b = mo_pose_compose(pose_b, &b->def.pose);
    mo_collide_at(a, &shape_a, b, &shape_b, reach, touches);
}

#endif
