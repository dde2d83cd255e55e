/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Geoms: shape, pose, material, appearance, and contribution to the mass of the body.
 *
 * Meshes collide as convex hulls, as in MuJoCo; an ellipsoid is a hull of two hundred points, with
 * a note.  Two surfaces use the larger friction and the larger condim, unless one has the higher
 * priority (docs/models.md).
 */
#include <math.h>
#include <string.h>

#include "io/mjcf.h"
#include "linalg/principal.h"
#include "linalg/vec3.h"

typedef enum geom_type { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH } geom_type;
static const char *const TYPES[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh",   NULL};
static const mo_shape_kind KINDS[] = {
    [SPHERE] = MO_SHAPE_BALL,       [CAPSULE] = MO_SHAPE_CAPSULE, [ELLIPSOID] = MO_SHAPE_HULL,
    [CYLINDER] = MO_SHAPE_CYLINDER, [BOX] = MO_SHAPE_BOX,         [MESH] = MO_SHAPE_BALL};
/* Number of sizes of each type, without and with fromto. */
static const int SIZES[] = {0, 0, 1, 2, 3, 2, 3, 0}, SIZES_BETWEEN[] = {0, 0, 0, 1, 1, 1, 1, 0};

/* From one point to another: the middle, +z along it, half the distance as the last size. */
static bool between(mo_mjcf *m, const mo_xml_node *node, geom_type type, const double *from_to,
                    mo_pose *pose, double size[3])
{
    double along[3];
    MO_FAIL_IF(!SIZES_BETWEEN[type],
               mo_reader_fail(m->r, node, "of type %s cannot have fromto", TYPES[type]));
    mo_vec3_minus(from_to, from_to + 3, along);
    const double half = mo_vec3_norm(along) / 2;
    MO_FAIL_IF(!(half > 1e-14) || !mo_quat_from_z(along, pose->orientation),
               mo_reader_fail(m->r, node, "has a fromto with two equal points"));
    for (int k = 0; k < 3; ++k)
        pose->position[k] = (from_to[k] + from_to[3 + k]) / 2;
    if (type == CAPSULE || type == CYLINDER) {
        size[1] = half;
    } else {
        size[1] = size[0];
        size[2] = half;
    }
    return true;
}

static bool read_sizes(mo_mjcf *m, const mo_xml_node *node, geom_type type, mo_pose *pose,
                       double size[3])
{
    int count = 0, has_ends = 0;
    double from_to[6];
    MO_PASS(mo_mjcf_numbers(m, node, "geom", "size", 1, 3, size, &count) &&
            mo_mjcf_numbers(m, node, "geom", "fromto", 6, 6, from_to, &has_ends));
    const int needed = has_ends ? SIZES_BETWEEN[type] : SIZES[type];
    for (int k = 0; k < needed; ++k) {
        MO_FAIL_IF(k >= count || !(size[k] > 0),
                   mo_reader_fail(m->r, node, "of type %s needs %d positive %s in size",
                                  TYPES[type], needed, needed == 1 ? "number" : "numbers"));
    }
    return !has_ends || between(m, node, type, from_to, pose, size);
}

static bool make_field(mo_mjcf *m, const mo_xml_node *node, mo_shape_def *shape)
{
    const char *name = mo_mjcf_get(m, node, "geom", "hfield");
    const int place = mo_reader_name_find(m->r, 'h', name);
    return place >= 0
               ? mo_reader_mesh_drawn(m->r, place, shape)
               : mo_reader_fail(m->r, node,
                                "has the height field '%.80s', which is not among the assets",
                                name ? name : "");
}

/* The shape, and its mass at density 1. */
static bool make_shape(mo_mjcf *m, const mo_xml_node *node, geom_type type, const double size[3],
                       mo_model_geom *geom, mo_mass *mass)
{
    mo_shape_def *shape = &geom->shape;
    switch (type) {
    case SPHERE:
        shape->kind = MO_SHAPE_BALL;
        shape->radius = size[0];
        break;
    case BOX:
        shape->kind = MO_SHAPE_BOX;
        mo_vec3_copy(size, shape->half);
        break;
    case CAPSULE:
        shape->kind = MO_SHAPE_CAPSULE;
        shape->radius = size[0];
        mo_vec3_set(shape->ends[0], 0, 0, -size[1]);
        mo_vec3_set(shape->ends[1], 0, 0, size[1]);
        break;
    case CYLINDER:
        shape->kind = MO_SHAPE_CYLINDER;
        shape->radius = size[0];
        shape->half[2] = size[1];
        break;
    case HFIELD:
        *mass = (mo_mass){0};
        return make_field(m, node, shape);
    case ELLIPSOID:
        mo_vec3_copy(size, geom->ellipsoid);
        mo_mass_of_shape(shape, geom->ellipsoid, mass);
        return mo_reader_ellipsoid_shape(m->r, node, size, shape);
    default:
        shape->kind = MO_SHAPE_PLANE;
        break;
    }
    mo_mass_of_shape(shape, NULL, mass);
    return true;
}

/* Is it excluded from all contacts, and in no <pair>? */
static bool is_drawn_only(const mo_mjcf *m, const mo_xml_node *node, const mo_model_geom *geom)
{
    const char *name = mo_xml_get(node, "name");
    MO_XML_EACH (contact, name && geom->is_visual ? m->r->root : NULL, "contact") {
        MO_XML_EACH (pair, contact, "pair")
            if (mo_xml_equals(pair, "geom1", name) || mo_xml_equals(pair, "geom2", name))
                return false;
    }
    return geom->is_visual;
}

/* A mesh and its mass at density 1. */
static bool find_mesh(mo_mjcf *m, const mo_xml_node *node, const char *name, int *place,
                      mo_mass *mass)
{
    int is_shell = 0;
    *place = mo_reader_name_find(m->r, 'm', name);
    MO_FAIL_IF(*place < 0,
               mo_reader_fail(m->r, node, "has the mesh '%.80s', which is not among the assets",
                              name ? name : ""));
    const mo_mesh_file *mesh = m->r->meshes + *place;
    MO_PASS(mo_mjcf_truth(m, node, "geom", "shellinertia", &is_shell));
    mo_mass_of_mesh(mesh, mo_mjcf_by(m, node)->exact_mesh_inertia || mesh->is_exact, mass);
    if (is_shell || mesh->is_shell || !(mass->mass > 0)) /* shapes without volume are shells too */
        mo_mass_of_shell(mesh, mass);
    return true;
}

static bool make_mesh(mo_mjcf *m, const mo_xml_node *node, const char *name, mo_model_geom *geom,
                      mo_mass *mass, int *found)
{
    int place;
    *found = 1;
    MO_PASS(find_mesh(m, node, name, &place, mass));
    return is_drawn_only(m, node, geom)
               ? mo_reader_mesh_drawn(m->r, place, &geom->shape)
               : mo_reader_mesh_hull(m->r, node, place, geom->is_visual, &geom->shape, found);
}

/* Primitives are fitted to a mesh as in MuJoCo: in the frame of its principal axes, with the size
 * of the box with its mass and inertia; z is along the longest edge.  Half edges of that box in
 * increasing order; its axes are the columns of the rotation Q. */
static void inertia_box(const mo_mass *mass, double half[3], double Q[9])
{
    double value[3], axes[9], x[3], y[3], z[3];
    mo_principal_axes(mass->inertia, value, axes);
    const int least =
        value[1] < value[0] ? (value[2] < value[1] ? 2 : 1) : 2 * (value[2] < value[0]);
    const int one = (least + 1) % 3, two = (least + 2) % 3;
    const int order[3] = {value[one] < value[two] ? two : one, value[one] < value[two] ? one : two,
                          least};
    for (int k = 0; k < 3; ++k) {
        const double square = value[0] + value[1] + value[2] - 2 * value[order[k]];
        half[k] = mass->mass > 0 ? sqrt(fmax(1.5 * square / mass->mass, 0)) : 0;
        x[k] = axes[3 * k + order[0]];
        y[k] = axes[3 * k + order[1]];
    }
    mo_vec3_cross(x, y, z);
    for (int k = 0; k < 3; ++k)
        mo_vec3_set(Q + 3 * k, x[k], y[k], z[k]);
}

/* Sizes of a primitive fitted to a mesh with this mass; *pose becomes that of the primitive. */
static bool fit_to(mo_mjcf *m, const mo_xml_node *node, mo_shape_kind kind, const mo_mass *mass,
                   mo_pose *pose, double size[3])
{
    double half[3], Q[9], scale = 1;
    mo_pose of = mo_pose_identity();
    MO_PASS(mo_mjcf_number(m, node, "geom", "fitscale", &scale));
    inertia_box(mass, half, Q);
    MO_FAIL_IF(!(scale * half[0] > 0),
               mo_reader_fail(m->r, node, "cannot be fitted to a mesh without volume"));
    mo_vec3_scale(scale, half, size);
    mo_vec3_copy(mass->centre, of.position);
    mo_quat_from_matrix(Q, of.orientation);
    if (kind == MO_SHAPE_BALL) {
        size[0] = (size[0] + size[1] + size[2]) / 3;
    } else if (kind == MO_SHAPE_CAPSULE || kind == MO_SHAPE_CYLINDER) {
        size[0] = (size[0] + size[1]) / 2;
        size[1] = kind == MO_SHAPE_CAPSULE ? fmax(size[2] - size[0] / 2, 0) : size[2];
    }
    *pose = mo_pose_compose(pose, &of);
    return true;
}

static bool fit(mo_mjcf *m, const mo_xml_node *node, geom_type type, const char *name,
                mo_pose *pose, double size[3])
{
    int place;
    mo_mass mass;
    return find_mesh(m, node, name, &place, &mass) &&
           fit_to(m, node, KINDS[type], &mass, pose, size);
}

bool mo_mjcf_check_contact(mo_mjcf *m, const mo_xml_node *node, int condim, const double *friction,
                           int count)
{
    for (int k = 0; k < count; ++k)
        MO_FAIL_IF(friction[k] < 0, mo_reader_fail(m->r, node, "has a negative friction"));
    return condim == 1 || condim == 3 || condim == 4 || condim == 6 ||
           mo_reader_fail(m->r, node, "has condim=\"%d\"; it is 1, 3, 4 or 6", condim);
}

static bool read_surface(mo_mjcf *m, const mo_xml_node *node, mo_model_geom *geom)
{
    double friction[3] = {1, 0.005, 0.0001};
    int condim = 3, priority = 0, contype = 1, conaffinity = 1;
    MO_PASS(mo_mjcf_numbers(m, node, "geom", "friction", 1, 3, friction, NULL) &&
            mo_mjcf_whole(m, node, "geom", "condim", &condim) &&
            mo_mjcf_whole(m, node, "geom", "priority", &priority) &&
            mo_mjcf_whole(m, node, "geom", "contype", &contype) &&
            mo_mjcf_whole(m, node, "geom", "conaffinity", &conaffinity));
    MO_PASS(mo_mjcf_check_contact(m, node, condim, friction, 3));
    geom->shape.material = (mo_material){.friction = friction[0],
                                         .torsion = friction[1],
                                         .rolling = friction[2],
                                         .rule = MO_COMBINE_MAXIMUM,
                                         .dims = condim,
                                         .priority = priority};
    geom->shape.layer = m->set.no_contact ? 0 : (unsigned)contype;
    geom->shape.mask = m->set.no_contact ? 0 : (unsigned)conaffinity;
    geom->shape.either_mask = 1;
    geom->is_visual = !contype && !conaffinity;
    return true;
}

/* Mass and inertia of the geom into the sum of its body. */
static bool weigh(mo_mjcf *m, const mo_xml_node *node, const mo_mass *unit, mo_model_geom *geom,
                  mo_mass *sum)
{
    double mass = -1, density = 1000;
    int group = 0;
    mo_mass placed;
    MO_PASS(mo_mjcf_amount(m, node, "geom", "density", &density) &&
            mo_mjcf_number(m, node, "geom", "mass", &mass) &&
            mo_mjcf_whole(m, node, "geom", "group", &group));
    MO_FAIL_IF(mass < 0 && mo_mjcf_get(m, node, "geom", "mass"),
               mo_reader_fail(m->r, node, "has a negative mass"));
    const double factor = mass < 0 ? density : unit->mass > 0 ? mass / unit->mass : 0;
    geom->shape.density = factor;
    geom->mass = factor * unit->mass;
    if (group >= mo_mjcf_by(m, node)->inertia_groups[0] &&
        group <= mo_mjcf_by(m, node)->inertia_groups[1]) {
        mo_mass_place(unit, &geom->shape.pose, factor, &placed);
        mo_mass_add(sum, &placed);
    }
    return true;
}

/* Its colour: its own, or that of its material, or MJCF's grey; the finish of the material. */
static bool read_appearance(mo_mjcf *m, const mo_xml_node *node, const char *kind,
                            mo_shape_def *shape)
{
    static const double GREY[4] = {0.5, 0.5, 0.5, 1};
    const char *name = mo_mjcf_get(m, node, kind, "material");
    const int material = mo_reader_name_find(m->r, 'M', name);
    const char *rgba = mo_mjcf_get(m, node, kind, "rgba");
    double *colour = shape->colour;
    int given = 0;
    if (rgba && rgba[strspn(rgba, " \t\r\n")] && /* an empty name counts as none */
        !mo_reader_numbers(m->r, node, "rgba", rgba, 4, 4, colour, &given))
        return false;
    if (name && name[0] && material < 0) /* only the colour is affected; MuJoCo refuses it */
        mo_reader_note_of(m->r, node, name, "> refers to a material that is not defined: ignored");
    const double *from = material >= 0 ? m->materials[material].colour : GREY;
    if (material >= 0) {
        shape->metallic = m->materials[material].metallic;
        shape->roughness = m->materials[material].roughness;
    }
    /* MuJoCo treats its default colour as not given. */
    if (!given || (material >= 0 && mo_vec3_are_equal(colour, GREY) && colour[3] == 1))
        memcpy(colour, from, sizeof GREY);
    for (int k = 0; k < 4; ++k)
        colour[k] = fmin(fmax(colour[k], 0), 1);
    return true;
}

/* The other model of a medium is not supported: noted. */
static void note_fluid(mo_mjcf *m, const mo_xml_node *node)
{
    const char *shape = mo_mjcf_get(m, node, "geom", "fluidshape");
    const mo_medium *medium = &m->r->model->medium;
    if (shape && strcmp(shape, "ellipsoid") == 0 &&
        (medium->density > 0 || medium->viscosity > 0)) {
        mo_reader_note(m->r, node,
                       " fluidshape=\"ellipsoid\"> is not read: its body has the drag of "
                       "a box of its inertia");
    }
}

bool mo_mjcf_geom(mo_mjcf *m, const mo_xml_node *node, int body, mo_mass *sum)
{
    int type = SPHERE, found = 1;
    double size[3] = {0};
    mo_mass unit;
    mo_model_geom geom = {.shape = mo_default_shape(MO_SHAPE_BALL), .body = body};
    const char *mesh = mo_mjcf_get(m, node, "geom", "mesh");
    MO_PASS(mo_mjcf_word(m, node, "geom", "type", TYPES, &type));
    if ((type == PLANE || type == HFIELD) && mo_reader_moves(m->r->model, body)) {
        mo_reader_note(m->r, node, " type=\"%s\"> of a moving body is left out", TYPES[type]);
        return true;
    }
    if (!mo_mjcf_frame(m, node, "geom", &geom.shape.pose) || !read_surface(m, node, &geom) ||
        !read_appearance(m, node, "geom", &geom.shape) ||
        (type != MESH && !(mesh ? fit(m, node, (geom_type)type, mesh, &geom.shape.pose, size)
                                : read_sizes(m, node, (geom_type)type, &geom.shape.pose, size))))
        return false;
    note_fluid(m, node);
    geom.shape.pose = mo_pose_compose(&m->frame, &geom.shape.pose);
    MO_PASS((type == MESH ? make_mesh(m, node, mesh, &geom, &unit, &found)
                          : make_shape(m, node, (geom_type)type, size, &geom, &unit)) &&
            weigh(m, node, &unit, &geom, sum));
    if (!found) return true;
    if (type == ELLIPSOID && !geom.is_visual) {
        mo_reader_note(m->r, node,
                       " type=\"ellipsoid\"> collides as a polyhedron with 200 vertices");
    }
    mo_model_geom *added = mo_reader_add_geom(m->r, node, mo_xml_get(node, "name"), body);
    if (added) {
        geom.name = added->name;
        geom.line = added->line;
        *added = geom;
    }
    return added != NULL;
}

/* Its pose; its appearance is ignored. */
bool mo_mjcf_site(mo_mjcf *m, const mo_xml_node *node, int body)
{
    mo_pose pose = mo_pose_identity();
    double from_to[6], size[3] = {0.005, 0.005, 0.005}; /* of MJCF */
    int has_ends = 0, type = SPHERE;
    if (!mo_mjcf_frame(m, node, "site", &pose) ||
        !mo_mjcf_word(m, node, "site", "type", TYPES, &type) ||
        !mo_mjcf_numbers(m, node, "site", "size", 1, 3, size, NULL) ||
        !mo_mjcf_numbers(m, node, "site", "fromto", 6, 6, from_to, &has_ends) ||
        (has_ends &&
         !between(m, node, type == SPHERE ? CAPSULE : (geom_type)type, from_to, &pose, size)))
        return false;
    mo_model_site *site = mo_reader_add_site(m->r, node, mo_xml_get(node, "name"), body);
    if (site) {
        site->pose = mo_pose_compose(&m->frame, &pose);
        site->kind = KINDS[type];
        memcpy(site->size, size, sizeof size);
    }
    return site != NULL;
}
