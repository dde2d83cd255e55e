/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `--vtk`: frames for ParaView, as VTK's XML files of polygons in plain text.
 *
 *   bodies.pvd, contacts.pvd       the frames with their times: open these
 *   bodies_000000.vtp ...          the shapes; for each point its body and its velocity
 *   contacts_000000.vtp ...   a point a contact; force and normal (on b), gap, mode, the two bodies
 */
#ifndef CLI_RUN_VTK_H
#define CLI_RUN_VTK_H

#include "run.h"
#include "run_mesh.h"

typedef struct run_vtk {
    run_mesh mesh;
    double *times;
    int count, room; /* of frames */
} run_vtk;

/* Each is true, or false after run_fail.  h is the step that ended here; 0: none, and no contacts.
 */
int run_vtk_begin(run_vtk *vtk, const run_call *call, const mo_world *world, run_tally *tally);
int run_vtk_frame(run_vtk *vtk, const run_call *call, const mo_world *world, double h,
                  run_tally *tally);
/* Writes the lists of frames, and clears. */
int run_vtk_end(run_vtk *vtk, const run_call *call, run_tally *tally);

#endif
