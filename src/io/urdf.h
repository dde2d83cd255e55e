/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reading URDF.
 *
 *   urdf.c        the tree of links and joints
 *   urdf_joint.c  a joint, its limits, motor and dynamics
 *   urdf_link.c   what is in a link: inertia and shapes
 *
 * The root link is fixed to the world, as the format leaves it; a joint of type floating, from a
 * link without shapes and mass, makes it free.  Each movable joint with a limit of effort gets a
 * motor of its name, so that it can be driven.
 */
#ifndef MO_IO_URDF_H
#define MO_IO_URDF_H

#include "io/model_reader.h"

typedef struct mo_urdf {
    mo_reader *r;
    /* the link that is read: it moves, and neither it nor anything on it has an <inertial> */
    int weighs_by_shape;
} mo_urdf;

/* <origin xyz rpy> of an element, or the identity. */
bool mo_urdf_origin(mo_urdf *u, const mo_xml_node *node, mo_pose *pose);
/* A number of an attribute; if it is absent `out` stays. */
bool mo_urdf_number(mo_urdf *u, const mo_xml_node *node, const char *attribute, double *out);

/* urdf_joint.c: the type of a joint, and the joints of a body that it becomes. */
typedef enum mo_urdf_type {
    MO_URDF_FIXED,
    MO_URDF_REVOLUTE,
    MO_URDF_CONTINUOUS,
    MO_URDF_PRISMATIC,
    MO_URDF_PLANAR,
    MO_URDF_FLOATING,
    MO_URDF_BALL, /* of SDF */
    MO_URDF_UNKNOWN
} mo_urdf_type;

mo_urdf_type mo_urdf_type_of(const mo_xml_node *node);
bool mo_urdf_joint(mo_urdf *u, const mo_xml_node *node, int body);

/* urdf_link.c: inertia and shapes of a link into a body, whose frame is the link's. */
bool mo_urdf_link(mo_urdf *u, const mo_xml_node *link, int body);

#endif
