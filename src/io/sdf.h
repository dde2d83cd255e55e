/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reading SDF.
 *
 *   sdf.c         links, joints and models, rewritten as URDF
 *   sdf_frame.c   models in other files, frames and their poses, elements that are written
 */
#ifndef MO_IO_SDF_H
#define MO_IO_SDF_H

#include "io/model_reader.h"

enum {
    MO_SDF_LEVELS = 30,       /* of models in models */
    MO_SDF_FRAME_LEVELS = 500 /* of frames given in others: a chain has one or two for each link */
};

typedef struct mo_sdf {
    mo_reader *r;
    mo_xml_node *root; /* of the tree that is written */
} mo_sdf;

/* A model while it is rewritten. */
typedef struct mo_sdf_model {
    const mo_xml_node *node;
    mo_pose pose;       /* in the world */
    const char *prefix; /* of its names */
    int is_static, level;
} mo_sdf_model;

/* Every <include> of a world, or of a root, and of its models becomes a <model>. */
bool mo_sdf_include_all(mo_sdf *s, mo_xml_node *world);
/* In the pool of the tree; NULL if memory runs out. */
const char *mo_sdf_numbers(mo_sdf *s, const double *x, int count);
bool mo_sdf_set_origin(mo_sdf *s, mo_xml_node *node, const mo_pose *pose);
/* <pose>x y z roll pitch yaw</pose> of an element, in the frame it names; the identity for none. */
bool mo_sdf_pose(mo_sdf *s, const mo_xml_node *of, mo_pose *out);
/* a^-1 b */
mo_pose mo_sdf_between(const mo_pose *a, const mo_pose *b);
/* Does a name with :: lead into a model that is not there? */
int mo_sdf_is_absent(const mo_xml_node *model, const char *name);
/* The pose of a frame in its model: that of the one it is given in, then its own. */
bool mo_sdf_frame(mo_sdf *s, const mo_xml_node *model, const mo_xml_node *from, const char *name,
                  int level, mo_pose *out);
bool mo_sdf_place(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *from, const char *name,
                  mo_pose *out);

#endif
