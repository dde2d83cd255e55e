/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A block, a ball, a rod, a few balls: scenes with closed forms. */
#include <math.h>

#include "world_list.h"
#include "world_tools.h"

static const double PI = 3.14159265358979323846;

/* Gravity is tilted, not the slope: z is its normal. */
mo_error world_incline(const double *values, mo_world **world, mo_message *why)
{
    const double mu = values[0], angle = atan(values[1]), turn = values[2];
    mo_world_def def = mo_default_world();
    def.gravity[0] = 9.81 * sin(angle) * cos(turn);
    def.gravity[1] = 9.81 * sin(angle) * sin(turn);
    def.gravity[2] = -9.81 * cos(angle);
    sketch s = sketch_begin(def, mu);
    sketch_floor(&s);
    sketch_add(&s, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0.25), mo_pose_at(0, 0, 0.25));
    return sketch_finish(&s, world, why);
}

mo_error world_slip_to_roll(const double *values, mo_world **world, mo_message *why)
{
    sketch s = sketch_begin(mo_default_world(), values[0]);
    sketch_floor(&s);
    const mo_body_id ball = sketch_add(&s, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(0, 0, 0.1));
    sketch_velocity(&s, ball, values[1] * cos(values[2]), values[1] * sin(values[2]), 0);
    return sketch_finish(&s, world, why);
}

/* A thin rod of 2 m in the plane; its lower tip touches the ground and slides to the right. */
mo_error world_painleve(const double *values, mo_world **world, mo_message *why)
{
    const double angle = values[1], radius = 0.005;
    sketch s = sketch_begin(mo_default_planar_world(), values[0]);
    sketch_floor(&s);
    const mo_shape_def rod =
        mo_shape_capsule((const double[3]){-1, 0, 0}, (const double[3]){1, 0, 0}, radius);
    /* the tip that leads is down: the case that jams */
    const mo_body_id body =
        sketch_add(&s, MO_BODY_FREE, rod, mo_pose_planar(0, sin(angle) + radius, -angle));
    sketch_velocity(&s, body, values[2], 0, 0);
    return sketch_finish(&s, world, why);
}

/* Balls of 0.1 m on threads of 1 m, a hundredth of a millimetre apart, so that the impacts follow
 * one another. */
mo_error world_cradle(const double *values, mo_world **world, mo_message *why)
{
    const int balls = (int)values[0], raised = (int)values[1];
    const double radius = 0.1, apart = 2 * radius + 1e-5, length = 1;
    sketch s = sketch_begin(mo_default_world(), 0);
    s.restitution = values[2];
    for (int k = 0; k < balls; ++k) {
        const double swing = k < raised ? PI / 6 : 0, x = k * apart;
        const mo_body_id ball =
            sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius),
                       mo_pose_at(x - length * sin(swing), 0, -length * cos(swing)));
        mo_joint_def thread = mo_default_joint(MO_JOINT_DISTANCE, (mo_body_id){0}, ball);
        thread.anchor[0] = x;
        thread.anchor_b[0] = x - length * sin(swing);
        thread.anchor_b[2] = -length * cos(swing);
        sketch_joint(&s, &thread);
    }
    return sketch_finish(&s, world, why);
}

/* A coin on its rim, leaning a little, that spins about the vertical: it comes to roll on its rim,
 * leans further and settles. */
mo_error world_spinning_coin(const double *values, mo_world **world, mo_message *why)
{
    const double lean = values[1], radius = 0.02, half = 0.0015;
    sketch s = sketch_begin(mo_default_world(), values[2]);
    sketch_floor(&s);
    s.density = 8000;
    /* the axis of a cylinder is z; upright it is turned by a quarter about x */
    const mo_body_id coin = sketch_add(&s, MO_BODY_FREE, mo_shape_cylinder(radius, half),
                                       mo_pose_turned(0, 0, radius * cos(lean) + half * sin(lean),
                                                      (const double[3]){1, 0, 0}, PI / 2 - lean));
    sketch_spin(&s, coin, 0, 0, values[0]);
    return sketch_finish(&s, world, why);
}

/* Fifteen balls in a triangle and one that hits them, on a table with cushions. */
mo_error world_billiard(const double *values, mo_world **world, mo_message *why)
{
    const double radius = 0.0286, length = 2.54 / 2, width = 1.27 / 2,
                 apart = 2 * radius * (1 + 1e-4);
    sketch s = sketch_begin(mo_default_world(), values[1]);
    s.density = 0.17 / (4.0 / 3 * PI * radius * radius * radius);
    sketch_floor(&s);
    s.restitution = values[2];
    for (int k = 0; k < 4; ++k) {
        const int is_end = k < 2, sign = k % 2 ? 1 : -1;
        const double reach = (is_end ? length : width) + 0.05;
        sketch_add(&s, MO_BODY_FIXED,
                   is_end ? mo_shape_box(0.05, width + 0.1, 0.05)
                          : mo_shape_box(length + 0.1, 0.05, 0.05),
                   mo_pose_at(is_end ? sign * reach : 0, is_end ? 0 : sign * reach, 0.05));
    }
    for (int row = 0; row < 5; ++row) {
        for (int k = 0; k <= row; ++k) {
            sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius),
                       mo_pose_at(0.6 + row * apart * sqrt(0.75), (k - 0.5 * row) * apart, radius));
        }
    }
    const mo_body_id cue =
        sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius), mo_pose_at(-0.6, 0.003, radius));
    sketch_velocity(&s, cue, values[0], 0, 0);
    return sketch_finish(&s, world, why);
}
