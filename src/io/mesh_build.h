/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#ifndef MO_IO_MESH_BUILD_H
#define MO_IO_MESH_BUILD_H

#include "io/mesh_file.h"

typedef struct mo_mesh_building {
    const mo_allocator *allocator;
    const char *shown;
    mo_mesh_file *mesh;
    size_t point_room, triangle_room;
    int *slots; /* a hash table of points, -1 if empty */
    size_t slot_count;
    mo_error error;
    mo_message *why;
} mo_mesh_building;

/* Keep the first message; return 0. */
int mo_mesh_fail(mo_mesh_building *b, const char *sentence);
int mo_mesh_no_memory(mo_mesh_building *b);
/* 0 for an error. */
int mo_mesh_append_point(mo_mesh_building *b, const double x[3]);
/* Index of a point, which is added if it is new; -1 after an error. */
int mo_mesh_place_point(mo_mesh_building *b, const double x[3]);
/* Triangles with two corners in one are left out: they have no area.  0 for an error. */
int mo_mesh_add_triangle(mo_mesh_building *b, int p, int q, int r);

/* collada.c: the triangles of a .dae file; 0 for an error. */
int mo_mesh_read_collada(mo_mesh_building *b, const char *path);

#endif
