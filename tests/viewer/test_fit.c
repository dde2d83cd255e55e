/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The eye of an image: what moves and what is fixed near it fills the image; what is far does
 * not. */
#include "check.h"

#include "moreau/moreau.h"
#include "render.h"

static mo_body_id add(mo_world *world, mo_body_kind kind, const double at[3], mo_shape_def shape)
{
    mo_body_def def = mo_default_body(kind);
    def.pose = mo_pose_at(at[0], at[1], at[2]);
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(mo_world_add_shape(world, body, &shape, NULL).index);
    return body;
}

typedef struct rectangle {
    double low[2], high[2];
} rectangle;

/* The corners of a box, in pixels of the image. */
static void add_corners(const renderer *r, const double at[3], const double half[3],
                        rectangle *seen)
{
    for (int k = 0; k < 8; ++k) {
        const double corner[3] = {at[0] + (k & 1 ? half[0] : -half[0]),
                                  at[1] + (k & 2 ? half[1] : -half[1]),
                                  at[2] + (k & 4 ? half[2] : -half[2])};
        double x[2];
        CHECK(camera_see(&r->eye, corner, x) > 0);
        for (int i = 0; i < 2; ++i) {
            seen->low[i] = fmin(seen->low[i], x[i]);
            seen->high[i] = fmax(seen->high[i], x[i]);
        }
    }
}

/* A pillar beside a table that is fixed, one way or the other; a wall of 100 m far away. */
static void check_view(const double table[3], const double half[3], const double pillar[3])
{
    static const double slim[3] = {0.05, 0.05, 0.5};
    mo_world_def def = mo_default_world();
    mo_world *world;
    mo_recording recording = {0};
    renderer r;
    render_def image = render_default();
    image.width = 320;
    image.height = 180;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    add(world, MO_BODY_FREE, pillar, mo_shape_box(slim[0], slim[1], slim[2]));
    add(world, MO_BODY_FIXED, table, mo_shape_box(half[0], half[1], half[2]));
    add(world, MO_BODY_FIXED, (const double[3]){60, 0, 0}, mo_shape_box(1, 50, 50));
    CHECK(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK);
    CHECK(mo_recording_add(&recording, world, 0, NULL, NULL) == MO_OK);
    CHECK(render_open(&r, &recording, &image));
    rectangle seen = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    add_corners(&r, pillar, slim, &seen);
    add_corners(&r, table, half, &seen);
    CHECK(seen.low[0] >= 0 && seen.low[1] >= 0);
    CHECK(seen.high[0] <= r.eye.width && seen.high[1] <= r.eye.height);
    const double wide = (seen.high[0] - seen.low[0]) / r.eye.width,
                 high = (seen.high[1] - seen.low[1]) / r.eye.height;
    CHECK(fmax(wide, high) > 0.8); /* and it fills the image */
    render_close(&r);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

static void nearby_static_bodies_are_in_the_image(void **state)
{
    (void)state;
    check_view((const double[3]){0.5, 0, -0.5}, (const double[3]){0.6, 0.4, 0.02},
               (const double[3]){0, 0, 0});
    check_view((const double[3]){0, -0.7, 0}, (const double[3]){0.1, 0.3, 0.7},
               (const double[3]){0, 0, 0.2});
    check_view((const double[3]){3, 3, 1}, (const double[3]){0.4, 0.4, 0.1},
               (const double[3]){3, 3, 1.7});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearby_static_bodies_are_in_the_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
