/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Triangles from STL (binary and text), Wavefront OBJ, COLLADA and MSH files. */
#ifndef MO_IO_MESH_FILE_H
#define MO_IO_MESH_FILE_H

#include "moreau/base.h"

/* At most this many bytes of mesh files a model, and points or triangles a mesh. */
enum { MO_MESH_BYTES = 256 << 20, MO_MESH_POINTS = 2000000 };

typedef struct mo_mesh_file {
    double *points; /* 3 numbers each */
    int point_count;
    int *triangles;     /* 3 points each, counterclockwise seen from outside */
    int triangle_count; /* 0: only points, which stand for their convex hull */
    const double *hull; /* its corners, once requested; not its own */
    int hull_count;
    const double *drawn;      /* its points in the model's pool, once requested */
    const int *drawn_indices; /* and its triangles there */
    int is_exact, is_shell;   /* mass model, if given for this mesh */
} mo_mesh_file;

/* By the end of the name: .stl, .obj, .dae or .msh.  Messages begin with `shown`. */
mo_error mo_mesh_file_read(const char *path, const char *shown, size_t most,
                           const mo_allocator *allocator, mo_mesh_file *mesh, size_t *size,
                           mo_message *why);
/* Does the name end as one that can be read?  NULL does not. */
int mo_mesh_file_is_known(const char *name);
void mo_mesh_file_clear(const mo_allocator *allocator, mo_mesh_file *mesh);

/* Text to a number as in the C locale, whatever locale the program is in; returns the end, or NULL
 * where there is no number. */
const char *mo_text_number(const char *text, double *value);

/* ---- while a file is read -------------------------------------------------------------------- */

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
/* Index of a point, which is added if it is new; -1 after an error. */
int mo_mesh_place_point(mo_mesh_building *b, const double x[3]);
/* Triangles with two corners in one are left out: they have no area.  0 for an error. */
int mo_mesh_add_triangle(mo_mesh_building *b, int p, int q, int r);

/* collada.c: the triangles of a .dae file; 0 for an error. */
int mo_mesh_read_collada(mo_mesh_building *b, const char *path);

#endif
