/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Functions shared by the readers of MJCF, URDF and SDF: the growing model, messages with a line,
 * numbers, names and meshes.
 *
 * Functions return false after an error; the first message is kept (mo_reader.error, why).
 *
 *   model.c           mo_model_read, and access to a model
 *   model_reader.c    growing arrays, messages and notes, numbers
 *   model_rotation.c  rotations
 *   model_path.c      location of files
 *   model_inertia.c   masses and inertias from shapes, as in MuJoCo
 *   mesh_file.c       STL and OBJ
 *   mjcf*.c, urdf*.c, sdf*.c   the three formats
 *   robot_build.c     adds a model to a world
 */
#ifndef MO_IO_MODEL_READER_H
#define MO_IO_MODEL_READER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/pool.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "io/xml.h"
#include "moreau/model.h"

typedef struct mo_reader_name {
    char kind; /* 'b'ody, 'j'oint, 'g'eom, 'm'esh, ... */
    const char *name;
    int index;
} mo_reader_name;

typedef struct mo_reader {
    mo_model *model;
    mo_pool *pool; /* of the model */
    mo_pool tree;  /* for temporary data */
    mo_xml_node *root;
    int elements;
    char folder[MO_PATH];  /* of the file: includes and meshes are in it, */
    char package[MO_PATH]; /* or in the nearest folder above that has a package.xml ("": none), */
    const char *more;      /* or in this one, which the caller gave ("": none) */
    mo_reader_name *names; /* a hash table */
    size_t name_room, name_count;
    mo_mesh_file *meshes;
    int mesh_count;
    size_t mesh_room;
    size_t mesh_bytes; /* read so far */
    int is_lenient;    /* URDF: common errors are corrected, with a note */
    mo_error error;
    mo_message *why;
} mo_reader;

/* ---- messages -------------------------------------------------------------------------------- */

/* Fails with "line N: <name> ..." and returns false.  `node` may be NULL. */
bool mo_reader_fail(mo_reader *r, const mo_xml_node *node, const char *format, ...) MO_PRINTF(3, 4);
bool mo_reader_no_memory(mo_reader *r);
/* Adds a note in the same form; a repeated sentence only increases its count. */
void mo_reader_note(mo_reader *r, const mo_xml_node *node, const char *format, ...) MO_PRINTF(3, 4);
/* A note that names its first object; further ones with the same sentence increase its count. */
void mo_reader_note_of(mo_reader *r, const mo_xml_node *node, const char *of, const char *sentence);

/* The same, without the element at the beginning of the sentence; `of` may be NULL. */
void mo_reader_note_kind(mo_reader *r, const mo_xml_node *node, const char *of,
                         const char *sentence);

/* ---- growing the model ----------------------------------------------------------------------- */

/* The lists of a model: indices of mo_model.room. */
typedef enum mo_model_list {
    MO_LIST_BODIES,
    MO_LIST_JOINTS,
    MO_LIST_GEOMS,
    MO_LIST_ACTUATORS,
    MO_LIST_EQUALITIES,
    MO_LIST_EXCLUSIONS,
    MO_LIST_KEYS,
    MO_LIST_NOTES,
    MO_LIST_TENDONS,
    MO_LIST_SITES,
    MO_LIST_PAIRS,
    MO_LIST_SENSORS
} mo_model_list;

mo_model_body *mo_reader_add_body(mo_reader *r, const mo_xml_node *node, const char *name,
                                  int parent);
mo_model_joint *mo_reader_add_joint(mo_reader *r, const mo_xml_node *node, const char *name,
                                    mo_model_joint_kind kind, int body);
mo_model_geom *mo_reader_add_geom(mo_reader *r, const mo_xml_node *node, const char *name,
                                  int body);
mo_model_actuator *mo_reader_add_actuator(mo_reader *r, const mo_xml_node *node, const char *name);
mo_model_equality *mo_reader_add_equality(mo_reader *r, const mo_xml_node *node, const char *name);
mo_model_key *mo_reader_add_key(mo_reader *r, const mo_xml_node *node, const char *name);
/* With room for `joints` of them. */
mo_model_tendon *mo_reader_add_tendon(mo_reader *r, const mo_xml_node *node, const char *name,
                                      int joints);
mo_model_site *mo_reader_add_site(mo_reader *r, const mo_xml_node *node, const char *name,
                                  int body);
mo_model_sensor *mo_reader_add_sensor(mo_reader *r, const mo_xml_node *node, const char *name);
mo_model_pair *mo_reader_add_pair(mo_reader *r, const mo_xml_node *node, int a, int b);
bool mo_reader_exclude(mo_reader *r, int a, int b);

/* Registers a name of a kind; a second use is an error.  NULL and "" are not names. */
bool mo_reader_name_add(mo_reader *r, const mo_xml_node *node, char kind, const char *name,
                        int index);
int mo_reader_name_find(const mo_reader *r, char kind, const char *name); /* -1: none */
const char *mo_reader_text(mo_reader *r, const char *text); /* a copy in the model; "" for NULL */
/* After all joints are read: computes their indices in q and v, and the reference configuration. */
bool mo_reader_place_joints(mo_reader *r);
/* At the end: adds lines and counts to the notes. */
bool mo_reader_finish(mo_reader *r);

/* ---- elements that are made ------------------------------------------------------------------ */

/* A new element at the place of `like` in the file, the last child of `parent` unless that is NULL;
 * NULL after an error, here and below. */
mo_xml_node *mo_reader_element(mo_reader *r, mo_xml_node *parent, const char *name,
                               const mo_xml_node *like);
/* The same with attributes: pairs of a name and a text (NULL: left out), then NULL. */
__attribute__((sentinel)) mo_xml_node *mo_reader_make(mo_reader *r, mo_xml_node *parent,
                                                      const char *name, const mo_xml_node *like,
                                                      ...);
/* One more attribute; nothing if there is no text. */
bool mo_reader_set(mo_reader *r, mo_xml_node *node, const char *attribute, const char *text);
/* Three texts as one, in the pool of the tree. */
const char *mo_reader_join(mo_reader *r, const char *a, const char *b, const char *c);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads from `least` to `most` finite numbers of `text`, the value of an attribute; their number
 * goes to *count, which may be NULL. */
bool mo_reader_numbers(mo_reader *r, const mo_xml_node *node, const char *attribute,
                       const char *text, int least, int most, double *out, int *count);
/* The same of an attribute; if it is absent `out` stays, and the count is 0. */
bool mo_reader_attribute(mo_reader *r, const mo_xml_node *node, const char *attribute, int least,
                         int most, double *out, int *count);
/* A lower and an upper bound, which may be infinite. */
bool mo_reader_range(mo_reader *r, const mo_xml_node *node, const char *attribute, const char *text,
                     double out[2]);
bool mo_reader_ordered(mo_reader *r, const mo_xml_node *node, const char *attribute,
                       const double range[2]);

/* A rotation about a unit axis, and the smallest rotation that takes +z to `z`. */
void mo_quat_about(const double axis[3], double angle, double q[4]);
bool mo_quat_from_z(const double z[3], double q[4]);
void mo_quat_from_matrix(const double Q[9], double q[4]);
/* Roll, pitch and yaw: rotations about the fixed axes x, y and z. */
void mo_quat_from_rpy(const double rpy[3], double q[4]);
/* Is there a joint between a body and the world? */
bool mo_reader_moves(const mo_model *model, int body);

/* ---- meshes ---------------------------------------------------------------------------------- */

/*
 * The path of a file that the model refers to, relative to `under` (a part of its folder, or "").
 * It must exist and, links followed, lie in the model's folder, its package or the folder that the
 * caller gave; MO_ERR_UNSUPPORTED if it exists elsewhere, or links there.
 */
mo_error mo_reader_path(const mo_reader *r, const char *under, const char *name, char path[MO_PATH],
                        mo_message *why);
/* The folder, relative to the model's, of the file that an element is in; "": the model's own. */
void mo_reader_beside(const mo_xml_node *node, char folder[MO_PATH]);
/* Reads a mesh from a path that was found so, scaled; messages begin with `shown`. Returns the
 * place in r->meshes, or -1 with a message. */
int mo_reader_mesh(mo_reader *r, const mo_xml_node *node, const char *path, const char *shown,
                   const double scale[3]);

/* Takes ownership of a mesh that was not read from a file; returns its index, or -1. */
int mo_reader_keep_mesh(mo_reader *r, mo_mesh_file *mesh);

/* The hull of r->meshes[mesh], computed once; *found = 0 for a flat mesh, noted unless visual. */
bool mo_reader_mesh_hull(mo_reader *r, const mo_xml_node *node, int mesh, int is_visual,
                         mo_shape_def *shape, int *found);
/* r->meshes[mesh] itself, for drawing: a shape that does not collide. */
bool mo_reader_mesh_drawn(mo_reader *r, int mesh, mo_shape_def *shape);
/* Gives a mesh without triangles the faces of its convex hull. */
bool mo_reader_hull_triangles(mo_reader *r, const mo_xml_node *node, mo_mesh_file *mesh);
/* The hull of points on an ellipsoid. */
bool mo_reader_ellipsoid_shape(mo_reader *r, const mo_xml_node *node, const double half[3],
                               mo_shape_def *shape);

/* ---- masses (model_inertia.c) ---------------------------------------------------------------- */

/* Mass, centre of mass, and inertia about it: xx yy zz xy xz yz. */
typedef struct mo_mass {
    double mass, centre[3], inertia[6];
} mo_mass;

/* Volume, and inertia at density 1, of a primitive, or of an ellipsoid with these semi-axes. */
void mo_mass_of_shape(const mo_shape_def *shape, const double *ellipsoid, mo_mass *out);
/* The same of a closed mesh: exact, or as MuJoCo 2.2 does by default. */
void mo_mass_of_mesh(const mo_mesh_file *mesh, bool exact, mo_mass *out);
/* The same of its surface, with 1 kg/m^2. */
void mo_mass_of_shell(const mo_mesh_file *mesh, mo_mass *out);
/* Transforms a mass by a pose and multiplies mass and inertia by `factor`. */
void mo_mass_place(const mo_mass *mass, const mo_pose *pose, double factor, mo_mass *out);
void mo_mass_add(mo_mass *sum, const mo_mass *more);
/* Sets mass, centre and inertia of a body. */
void mo_mass_give(const mo_mass *mass, mo_model_body *body);
/* Checks mass and inertia of a body; URDF: corrects what can be corrected, with a note. */
bool mo_reader_check_body(mo_reader *r, const mo_xml_node *node, mo_model_body *body);

/* ---- the formats ----------------------------------------------------------------------------- */

/* model_path.c: fills in r->package. */
void mo_reader_find_package(mo_reader *r);
/* The folder of a package by its name (length bytes): one above the file, or beside one above. */
bool mo_reader_named_folder(const mo_reader *r, const char *name, size_t length,
                            char folder[MO_PATH]);

bool mo_mjcf_read(mo_reader *r);
bool mo_urdf_read(mo_reader *r);
bool mo_sdf_read(mo_reader *r);

#endif
