/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A world that is recorded, and its file. */
#ifndef MO_TESTS_RECORDING_WORLDS_H
#define MO_TESTS_RECORDING_WORLDS_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#include "moreau/moreau.h"
#include "scarce_memory.h"
#include "worlds.h"

static const double G = 9.81;

/* A file of this process, removed by the next test that uses the name. */
static const char *temporary(void)
{
    static char path[64];
    snprintf(path, sizeof path, "recording-%ld.hdf5", (long)getpid());
    return path;
}

static inline mo_body_id add_body(mo_world *world, mo_body_kind kind, const char *name,
                                  mo_pose pose)
{
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    def.name = name;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(body.index > 0);
    return body;
}

static inline void add_shape(mo_world *world, mo_body_id body, mo_shape_def shape)
{
    mo_message why = {{0}};
    if (!mo_world_add_shape(world, body, &shape, &why).index) fail_msg("%s", why.text);
}

/* A cube, a tetrahedron and a compound on the ground, beside a mesh: every array of a shape is in
 * use. */
static inline mo_world *make_world(void)
{
    static const double tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double ramp[] = {9, 0, 0, 12, 0, 0, 9, 3, 0, 12, 3, 1};
    static const int triangles[] = {0, 1, 2, 1, 3, 2};
    mo_world *world;
    const mo_world_def def = mo_default_world();
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    add_shape(world, add_body(world, MO_BODY_FIXED, "ground", mo_pose_identity()),
              mo_shape_plane());
    add_shape(world, add_body(world, MO_BODY_FREE, "a cube", mo_pose_at(0, 0, 0.5)),
              mo_shape_box(0.5, 0.5, 0.5));
    add_shape(world, add_body(world, MO_BODY_FREE, NULL, mo_pose_at(3, 0, 0)),
              mo_shape_hull(tetrahedron, 4));
    const mo_body_id both = add_body(world, MO_BODY_FREE, "two\nlines", mo_pose_at(-3, 0, 0.25));
    mo_shape_def red = mo_shape_ball(0.25);
    red.colour[0] = red.colour[3] = 1;
    red.metallic = 1;
    red.roughness = 0.25;
    add_shape(world, both, red);
    add_shape(world, both, mo_shape_capsule((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, 0.25));
    add_shape(world, add_body(world, MO_BODY_FIXED, "ramp", mo_pose_identity()),
              mo_shape_mesh(ramp, 4, triangles, 6));
    return world;
}

/* The start and so many steps. */
static inline void record(mo_world *world, double h, int steps, mo_recording *recording)
{
    mo_message why = {{0}};
    CHECK(mo_recording_begin(recording, world, NULL, &why) == MO_OK);
    CHECK(mo_recording_add(recording, world, 0, NULL, &why) == MO_OK);
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        if (mo_world_step(world, h, &report, &why) ||
            mo_recording_add(recording, world, h, &report, &why))
            fail_msg("%s", why.text);
    }
}

static inline mo_recording write_and_read(const mo_recording *recording)
{
    mo_message why = {{0}};
    mo_recording back = {0};
    if (mo_recording_write(temporary(), recording, &why) ||
        mo_recording_read(temporary(), NULL, &back, &why))
        fail_msg("%s", why.text);
    return back;
}

static inline int remove_file(void **state)
{
    (void)state;
    unlink(temporary());
    return 0;
}

#endif
