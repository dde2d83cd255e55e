/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The shapes of a world as polygons and lines for drawing, created once in the frames of their
 * bodies.
 *
 * Round shapes have flat faces.  A plane is a patch around the origin of its body that reaches
 * beyond the other bodies.  A disk has a spoke that shows its rotation.
 */
#ifndef CLI_RUN_MESH_H
#define CLI_RUN_MESH_H

#include "moreau/world.h"

/* Corners of cells, one cell after the other: cell k has the corners from end[k - 1] to end[k]. */
typedef struct run_cells {
    int *corner, *end;
    int corner_count, count;
    int corner_room, room;
} run_cells;

typedef struct run_mesh {
    double (*point)[3]; /* in the body's frame */
    int *body;          /* of each point, by its place in the list of bodies */
    int point_count, point_room, body_room;
    run_cells faces, lines;
    int failed; /* memory ran out */
} run_mesh;

/* False if memory runs out.  To be cleared in either case. */
int run_mesh_make(run_mesh *mesh, const mo_world *world);
void run_mesh_clear(run_mesh *mesh);

#endif
