/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A library without HDF5, libxml2 and OpenMP: files are refused with a sentence that says why and
 * what to do, and a world steps all the same.  A ball falls from 1 m onto the ground, and rests
 * there.
 */
#include <math.h>
#include <moreau/moreau.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void check(int is_true, const char *claim)
{
    if (!is_true) {
        printf("not true: %s\n", claim);
        ++failures;
    }
}

static void files_are_refused(void)
{
    mo_message why = {{0}};
    mo_document document;
    mo_recording recording;
    mo_model model;

    check(mo_fclib_read("a.hdf5", NULL, &document, &why) == MO_ERR_UNSUPPORTED &&
              strstr(why.text, "a.hdf5") && strstr(why.text, "MOREAU_HDF5=ON"),
          "an FCLIB file is refused");
    mo_document_clear(&document);
    check(mo_recording_read("b.hdf5", NULL, &recording, &why) == MO_ERR_UNSUPPORTED &&
              strstr(why.text, "b.hdf5") && strstr(why.text, "MOREAU_HDF5=ON"),
          "a recording is refused");
    mo_recording_clear(&recording);
    check(mo_recording_write("c.hdf5", &recording, &why) == MO_ERR_UNSUPPORTED &&
              strstr(why.text, "c.hdf5"),
          "a recording is not written");
    check(mo_model_read("d.xml", NULL, &model, &why) == MO_ERR_UNSUPPORTED &&
              strstr(why.text, "MOREAU_XML=ON"),
          "a robot's file is refused");
    mo_model_clear(&model);
}

static void a_ball_comes_to_rest(void)
{
    mo_message why = {{0}};
    mo_world *world = NULL;
    mo_world_def def = mo_default_world();
    def.solver.threads = 2; /* taken, and done by one */
    check(mo_world_create(&def, NULL, &world, &why) == MO_OK, "there is a world");

    const mo_shape_def plane = mo_shape_plane(), sphere = mo_shape_ball(0.1);
    mo_body_def fixed = mo_default_body(MO_BODY_FIXED), falling = mo_default_body(MO_BODY_FREE);
    falling.pose = mo_pose_at(0, 0, 1);
    const mo_body_id ground = mo_world_add_body(world, &fixed, &why);
    const mo_body_id ball = mo_world_add_body(world, &falling, &why);
    mo_world_add_shape(world, ground, &plane, &why);
    mo_world_add_shape(world, ball, &sphere, &why);

    for (int step = 0; step < 200; ++step) {
        mo_step_report report;
        check(mo_world_step(world, 0.005, &report, &why) == MO_OK && report.status == MO_SOLVED,
              "a step is solved");
    }
    check(fabs(mo_body_get(world, ball).pose.position[2] - 0.1) < 1e-6, "the ball rests");
    mo_world_destroy(world);
}

int main(void)
{
    files_are_refused();
    a_ball_comes_to_rest();
    return failures != 0;
}
