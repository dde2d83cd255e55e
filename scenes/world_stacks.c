/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Stacks, walls, towers, arches and dominoes.  Masses grow geometrically from the bottom to `ratio`
 * times that at the top. */
#include <math.h>

#include "world_list.h"
#include "world_tools.h"

static const double PI = 3.14159265358979323846;

static double density_at(int level, int levels, double ratio)
{
    return 1000 * (levels > 1 ? pow(ratio, (double)level / (levels - 1)) : 1);
}

mo_error world_stack(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0];
    sketch s = sketch_begin(mo_default_world(), values[1]);
    sketch_floor(&s);
    for (int k = 0; k < count; ++k) {
        s.density = density_at(k, count, values[2]);
        sketch_add(&s, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0.5), mo_pose_at(0, 0, 0.5 + k));
    }
    return sketch_finish(&s, world, why);
}

/* Bricks of 0.24 x 0.12 x 0.08 m; odd courses begin and end with half a brick. */
mo_error world_wall(const double *values, mo_world **world, mo_message *why)
{
    const int courses = (int)values[0], length = (int)values[1];
    const double a = 0.24, b = 0.12, c = 0.08;
    sketch s = sketch_begin(mo_default_world(), values[2]);
    sketch_floor(&s);
    for (int course = 0; course < courses; ++course) {
        s.density = density_at(course, courses, values[3]);
        const double z = (course + 0.5) * c;
        const int is_odd = course % 2;
        for (int k = is_odd; k < length; ++k) {
            sketch_add(&s, MO_BODY_FREE, mo_shape_box(a / 2, b / 2, c / 2),
                       mo_pose_at((k + (is_odd ? 0 : 0.5)) * a, 0, z));
        }
        for (int end = 0; is_odd && end < 2; ++end) {
            const double x = end ? length * a - a / 4 : a / 4;
            sketch_add(&s, MO_BODY_FREE, mo_shape_box(a / 4, b / 2, c / 2), mo_pose_at(x, 0, z));
        }
    }
    return sketch_finish(&s, world, why);
}

/* Planks of 0.12 x 0.024 x 0.008 m, each layer across the one below. */
mo_error world_kapla(const double *values, mo_world **world, mo_message *why)
{
    const int layers = (int)values[0], planks = (int)values[1];
    const double a = 0.12, b = 0.024, c = 0.008;
    sketch s = sketch_begin(mo_default_world(), values[2]);
    sketch_floor(&s);
    for (int layer = 0; layer < layers; ++layer) {
        s.density = density_at(layer, layers, values[3]);
        for (int k = 0; k < planks; ++k) {
            const double aside = (a - b) * ((double)k / (planks - 1) - 0.5), z = (layer + 0.5) * c;
            const int is_turned = layer % 2;
            sketch_add(&s, MO_BODY_FREE,
                       is_turned ? mo_shape_box(b / 2, a / 2, c / 2)
                                 : mo_shape_box(a / 2, b / 2, c / 2),
                       mo_pose_at(is_turned ? aside : 0, is_turned ? 0 : aside, z));
        }
    }
    return sketch_finish(&s, world, why);
}

/*
 * A half ring, cut into equal stones; the two at its feet stand on the floor.  `place` is the
 * middle of its base; the ring lies in the plane x z of its frame.
 */
static void add_arch(sketch *s, int stones, double inner, double outer, mo_pose place)
{
    const double half_depth = 0.15 * outer;
    for (int k = 0; k < stones; ++k) {
        double points[24], middle[2] = {0};
        for (int i = 0; i < 4; ++i) {
            const double angle = PI * (k + i / 2) / stones, radius = i % 2 ? outer : inner;
            const double z = (k + i / 2) % stones == 0
                                 ? 0
                                 : radius * sin(angle); /* the feet are level to the last bit */
            for (int side = 0; side < 2; ++side) {
                double *p = points + 3 * (2 * i + side);
                p[0] = radius * cos(angle);
                p[1] = side ? half_depth : -half_depth;
                p[2] = z;
            }
            middle[0] += radius * cos(angle) / 4;
            middle[1] += z / 4;
        }
        for (int i = 0; i < 8; ++i) {
            points[3 * i] -= middle[0];
            points[3 * i + 2] -= middle[1];
        }
        const mo_pose stone = mo_pose_at(middle[0], 0, middle[1]);
        sketch_add(s, MO_BODY_FREE, mo_shape_hull(points, 8), mo_pose_compose(&place, &stone));
    }
}

/* The outer radius is 1 m, the depth 0.3 m. */
mo_error world_arch(const double *values, mo_world **world, mo_message *why)
{
    sketch s = sketch_begin(mo_default_world(), values[2]);
    sketch_floor(&s);
    add_arch(&s, (int)values[0], 1 - values[1], 1, mo_pose_identity());
    return sketch_finish(&s, world, why);
}

/* Dominoes of 0.048 x 0.024 x 0.008 m in a row. */
mo_error world_domino(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0];
    const double a = 0.048, b = 0.024, c = 0.008, pitch = c + values[2];
    sketch s = sketch_begin(mo_default_world(), values[1]);
    sketch_floor(&s);
    for (int k = 0; k < count; ++k) {
        const mo_body_id domino = sketch_add(&s, MO_BODY_FREE, mo_shape_box(c / 2, b / 2, a / 2),
                                             mo_pose_at(k * pitch, 0, a / 2));
        if (k == 0) { /* it turns about its lower edge in front */
            sketch_spin(&s, domino, 0, 8, 0);
            sketch_velocity(&s, domino, 8 * a / 2, 0, 8 * c / 2);
        }
    }
    return sketch_finish(&s, world, why);
}

/*
 * Dominoes along a logarithmic spiral, each larger than the one before by the factor `growth`; the
 * last one is 0.5 m high and falls onto the crown of an arch.  Domino k is a_k high, a_k/2 wide and
 * a_k/6 thick; its neighbour stands 0.4 a_k farther, turned by `turn`.  The spiral is laid out from
 * its last domino.
 */
mo_error world_cascade(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0];
    const double growth = values[1], turn = values[2], up[3] = {0, 0, 1};
    sketch s = sketch_begin(mo_default_world(), values[3]);
    double x = 0, y = 0, heading = 0, a = 0.5;
    sketch_floor(&s);
    s.density = 300;
    add_arch(&s, 13, 0.34, 0.44, mo_pose_turned(0.33, 0, 0, up, PI / 2));
    s.density = 1000;
    for (int k = count - 1; k >= 0; --k) {
        const mo_body_id domino = sketch_add(&s, MO_BODY_FREE, mo_shape_box(a / 12, a / 4, a / 2),
                                             mo_pose_turned(x, y, a / 2, up, heading));
        if (k == 0) { /* it turns about its lower edge in front */
            const double spin = 1.5 * sqrt(9.81 / a), c = cos(heading), d = sin(heading);
            sketch_spin(&s, domino, -d * spin, c * spin, 0);
            sketch_velocity(&s, domino, c * spin * a / 2, d * spin * a / 2, spin * a / 12);
        }
        a /= growth;
        heading -= turn;
        x -= 0.4 * a * cos(heading + turn / 2);
        y -= 0.4 * a * sin(heading + turn / 2);
    }
    return sketch_finish(&s, world, why);
}
