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

#endif
