/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reading MJCF, as MuJoCo 2.2 documents it.
 *
 *   mjcf.c            the sections in their order, compiler, option, what is not read
 *   mjcf_attach.c, mjcf_replicate.c   elements that are replaced by others
 *   mjcf_default.c    default classes, and attributes looked up through them
 *   mjcf_frame.c      positions, and the five ways to give an orientation
 *   mjcf_asset.c      meshes, and how materials look; mjcf_hfield.c: height fields
 *   mjcf_body.c       bodies, their inertia, joints; mjcf_geom.c: geoms
 *   mjcf_tendon.c     tendons
 *   mjcf_actuator.c   actuators
 *   mjcf_sensor.c     sensors
 *   mjcf_link.c       contact exclusions and pairs, equalities, keyframes
 */
#ifndef MO_IO_MJCF_H
#define MO_IO_MJCF_H

#include "io/model_reader.h"

typedef enum mo_mjcf_choice { MO_MJCF_NO, MO_MJCF_YES, MO_MJCF_AUTO } mo_mjcf_choice;

typedef struct mo_mjcf_class {
    const char *name;
    int parent;                /* -1: the top */
    const mo_xml_node **nodes; /* the <default> elements of this class */
    int node_count;
} mo_mjcf_class;

/* Settings of <compiler>, of the model or of an attached part. */
typedef struct mo_mjcf_compiler {
    double degree; /* a unit of angle in the file, rad */
    char sequence[4];
    mo_mjcf_choice inertia_from_geoms;
    int inertia_groups[2];
    const char *mesh_folder;
    int strip_path, exact_mesh_inertia, balance_inertia;
    double least_mass, least_inertia, total_mass;
} mo_mjcf_compiler;

/* Settings of <flag>. */
typedef struct mo_mjcf_settings {
    int no_contact, no_limits, no_passive, no_actuation, no_friction_loss, no_equality;
} mo_mjcf_settings;

/* Appearance of a <material>; metallic and roughness as in mo_shape_def. */
typedef struct mo_mjcf_material {
    double colour[4], metallic, roughness;
} mo_mjcf_material;

typedef struct mo_mjcf {
    mo_reader *r;
    mo_mjcf_settings set;
    mo_mjcf_compiler *compilers; /* by the part of the model; in the tree's pool */
    mo_mjcf_class *classes;      /* in the tree's pool */
    int class_count;
    mo_mjcf_material *materials; /* by their number; in the tree's pool */
    int material_count;
    mo_pose frame; /* of the <frame> that is read, in its body */
} mo_mjcf;

/* The settings of the part of the model that contains an element. */
static inline mo_mjcf_compiler *mo_mjcf_by(const mo_mjcf *m, const mo_xml_node *node)
{
    return m->compilers + node->part;
}

/* Replaces all <include> of a tree, which belongs to this attached part of the model, or 0. */
bool mo_mjcf_include_all(mo_reader *r, mo_xml_node *root, int part);
/* Replaces all <attach> of a tree; *parts counts them. */
bool mo_mjcf_attach_all(mo_reader *r, mo_xml_node *root, int level, int *parts);

/* mjcf_replicate.c */
bool mo_mjcf_replicate_all(mo_reader *r, mo_xml_node *node, int depth);

/* ---- attributes through the classes ---------------------------------------------------------- */

bool mo_mjcf_defaults(mo_mjcf *m);
/* The value of the attribute in the element, its class or a parent class; NULL: none.  `kind` is
 * the name of the element in defaults. */
const char *mo_mjcf_get(mo_mjcf *m, const mo_xml_node *node, const char *kind,
                        const char *attribute);

/* Numbers of an attribute; if it is absent `out` stays, and the count is 0. */
bool mo_mjcf_numbers(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                     int least, int most, double *out, int *count);
bool mo_mjcf_number(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                    double *out);
/* A number that may not be negative. */
bool mo_mjcf_amount(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                    double *out);
bool mo_mjcf_whole(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                   int *out);
/* One of the words, which end with NULL: its place; if it is absent `out` stays. */
bool mo_mjcf_word(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                  const char *const *words, int *out);
/* true or false: 1 or 0. */
bool mo_mjcf_truth(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                   int *out);
/* LIMITED (true, false, auto) and the range it is about. */
bool mo_mjcf_limits(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *limited,
                    const char *range, int *has, double out[2]);

/* Visits the defaults of a kind that apply to an element, from the top class down. */
bool mo_mjcf_each_default(mo_mjcf *m, const mo_xml_node *node, const char *kind,
                          bool (*visit)(mo_mjcf *, const mo_xml_node *, void *), void *user);

/* Spring, damper and dry friction of a joint or tendon; zero where <flag> turns them off. */
bool mo_mjcf_passive(mo_mjcf *m, const mo_xml_node *node, const char *kind, double *stiffness,
                     double *damping, double *dry_friction);

/* Reads pos and orientation; the pose is unchanged where they are absent. */
bool mo_mjcf_frame(mo_mjcf *m, const mo_xml_node *node, const char *kind, mo_pose *pose);

/* ---- sections -------------------------------------------------------------------------------- */

/* Reads every child of that name (NULL: all) in every section (NULL: the root), in order. */
bool mo_mjcf_each(mo_mjcf *m, const char *section, const char *name,
                  bool (*read)(mo_mjcf *, const mo_xml_node *));

/* Elements of <asset>, <tendon>, <actuator>, <contact>, <equality>, <keyframe> and <sensor>. */
bool mo_mjcf_mesh(mo_mjcf *m, const mo_xml_node *node);
bool mo_mjcf_height_field(mo_mjcf *m, const mo_xml_node *node);
bool mo_mjcf_tendon(mo_mjcf *m, const mo_xml_node *node);
bool mo_mjcf_actuator(mo_mjcf *m, const mo_xml_node *node);
bool mo_mjcf_contact(mo_mjcf *m, const mo_xml_node *node);
bool mo_mjcf_equality(mo_mjcf *m, const mo_xml_node *node);
bool mo_mjcf_key(mo_mjcf *m, const mo_xml_node *node);
bool mo_mjcf_sensor(mo_mjcf *m, const mo_xml_node *node);
/* The path of the file of an asset. */
bool mo_mjcf_asset_path(mo_mjcf *m, const mo_xml_node *node, const char *file, char path[MO_PATH]);
/* The name of an asset: its own, or its file's without folder and end; NULL: none. */
const char *mo_mjcf_asset_name(mo_reader *r, const mo_xml_node *node);
bool mo_mjcf_materials(mo_mjcf *m);
bool mo_mjcf_bodies(mo_mjcf *m);
bool mo_mjcf_geom(mo_mjcf *m, const mo_xml_node *node, int body, mo_mass *sum);
bool mo_mjcf_site(mo_mjcf *m, const mo_xml_node *node, int body);
/* condim and friction of a contact: a valid dimension, no negative coefficient. */
bool mo_mjcf_check_contact(mo_mjcf *m, const mo_xml_node *node, int condim, const double *friction,
                           int count);
/* The index of the object of a kind ('b', 'j', 'g', 't', 's') that an attribute names; -1 after an
 * error if it is not defined. */
int mo_mjcf_find(mo_mjcf *m, const mo_xml_node *node, char kind, const char *attribute,
                 const char *what);

#endif
