/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Links: <inertial>, <collision> and <visual>.  A link without <inertial> has no mass, unless it
 * moves and no link moving with it has one: its mass is then that of its <collision> shapes at the
 * density of water, with a note.  Meshes collide as convex hulls.  Primitives and readable meshes
 * of <visual> are kept; they do not collide.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/urdf.h"
#include "linalg/vec3.h"

static const double DENSITY = 1000; /* kg/m^3, without <inertial> */

bool mo_urdf_number(mo_urdf *u, const mo_xml_node *node, const char *attribute, double *out)
{
    return mo_reader_attribute(u->r, node, attribute, 1, 1, out, NULL);
}

/* Roll, pitch and yaw are rotations about fixed axes. */
bool mo_urdf_origin(mo_urdf *u, const mo_xml_node *node, mo_pose *pose)
{
    const mo_xml_node *origin = mo_xml_child(node, "origin");
    double rpy[3] = {0}, xyzw[4];
    int has_quaternion = 0;
    *pose = mo_pose_identity();
    if (!origin) return true;
    MO_PASS(mo_reader_attribute(u->r, origin, "xyz", 3, 3, pose->position, NULL) &&
            mo_reader_attribute(u->r, origin, "rpy", 3, 3, rpy, NULL) &&
            mo_reader_attribute(u->r, origin, "quat_xyzw", 4, 4, xyzw, &has_quaternion));
    if (has_quaternion) {
        const double q[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
        MO_FAIL_IF(!(mo_vec3_norm(q + 1) + fabs(q[0]) > 1e-14),
                   mo_reader_fail(u->r, origin, "has a quat_xyzw of length zero"));
        memcpy(pose->orientation, q, sizeof q);
        mo_quat_normalise(pose->orientation);
        return true;
    }
    mo_quat_from_rpy(rpy, pose->orientation);
    return true;
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* A moving link with a mass but no inertia could rotate freely: it gets the inertia of a ball. */
static void give_inertia(mo_urdf *u, const mo_xml_node *link, int place, mo_mass *given)
{
    for (int k = 0; k < 6; ++k)
        if (given->inertia[k] != 0) return;
    if (given->mass > 0 && !mo_xml_child(link, "collision") &&
        mo_reader_moves(u->r->model, place)) {
        const double radius = cbrt(given->mass / DENSITY * 0.75 / 3.14159265358979323846);
        mo_reader_note_of(u->r, link, mo_xml_get(link, "name"),
                          "> has a mass and no inertia: it gets that of a ball of its mass at 1000 "
                          "kg/m^3");
        given->inertia[0] = given->inertia[1] = given->inertia[2] =
            0.4 * given->mass * radius * radius;
    }
}

static bool read_inertial(mo_urdf *u, const mo_xml_node *link, int place)
{
    static const char *const NAMES[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const mo_xml_node *node = mo_xml_child(link, "inertial");
    mo_pose pose;
    mo_mass given = {0}, placed;
    if (!node) return true;
    const mo_xml_node *mass = mo_xml_child(node, "mass"), *inertia = mo_xml_child(node, "inertia");
    MO_FAIL_IF(!mo_xml_get(mass, "value"), mo_reader_fail(u->r, node, "has no <mass value>"));
    MO_PASS(mo_urdf_origin(u, node, &pose) && mo_urdf_number(u, mass, "value", &given.mass));
    for (int k = 0; k < 6 && inertia; ++k)
        MO_PASS(mo_urdf_number(u, inertia, NAMES[k], &given.inertia[k]));
    if (given.mass == 0 && (given.inertia[0] > 0 || mo_xml_child(link, "collision")))
        mo_reader_note_of(u->r, node, mo_xml_get(link, "name"), "> has zero mass");
    give_inertia(u, link, place, &given);
    mo_mass_place(&given, &pose, 1, &placed);
    mo_model_body *body = u->r->model->bodies + place;
    mo_mass_give(&placed, body);
    return mo_reader_check_body(u->r, node, body);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* "package://name/rest" or model://: in a folder `name`, the package, or the caller's folder. */
static mo_error package_path(const mo_urdf *u, const char *name, char path[MO_PATH],
                             mo_message *why)
{
    const char *inner = strstr(name, "://") + 3, *slash = strchr(inner, '/');
    const char *rest = slash ? slash + 1 : "";
    const char *package = u->r->package[0] ? u->r->package : u->r->folder;
    char named[MO_PATH];
    mo_message ignored = {{0}};
    if (mo_reader_named_folder(u->r, inner, slash ? (size_t)(slash - inner) : 0, named) &&
        mo_file_within(named, "", rest, path, &ignored) == MO_OK)
        return MO_OK;
    mo_error error = mo_file_within(package, "", rest, path, why);
    for (int k = 0; k < 2 && error && u->r->more[0]; ++k)
        error = mo_file_within(u->r->more, "", k ? inner : rest, path, &ignored) ? error : MO_OK;
    return error;
}

/* Finds a readable file, or notes that there is none.  An error outside the allowed folders. */
static bool find_mesh(mo_urdf *u, const mo_xml_node *node, const char *name, char path[MO_PATH],
                      int *found)
{
    const int in_package =
        strncmp(name, "package://", 10) == 0 || strncmp(name, "model://", 8) == 0;
    const char *plain = strncmp(name, "file://", 7) == 0 ? name + 7 : name;
    mo_message why = {{0}};
    *found = 0;
    if (!mo_mesh_file_is_known(name)) {
        mo_reader_note_of(
            u->r, node, name,
            "> is not a .stl, .obj, .dae or .msh file: the shape is left out; convert it");
        return true;
    }
    mo_error error = in_package ? package_path(u, name, path, &why)
                                : mo_reader_path(u->r, "", plain, path, &why);
    if (error == MO_ERR_UNSUPPORTED && plain[0] == '/') { /* Bullet's root is the file's folder */
        const mo_error within = mo_reader_path(u->r, "", plain + 1, path, &why);
        error = within == MO_OK || access(plain, F_OK) != 0 ? within : error;
    }
    MO_FAIL_IF(error == MO_ERR_UNSUPPORTED, mo_reader_fail(u->r, node, "%.300s", why.text));
    if (error) {
        mo_reader_note_of(u->r, node, name,
                          in_package ? "> was not found: the shape is left out; searched the "
                                       "file's package, in folders of the package's name above "
                                       "and beside it, and in --meshes"
                                     : "> was not found: the shape is left out; searched the "
                                       "file's folder and in --meshes");
    }
    *found = !error;
    return true;
}

/* A mesh as a hull. */
static bool mesh_shape(mo_urdf *u, const mo_xml_node *node, int is_visual, mo_shape_def *shape,
                       mo_mass *mass, int *found)
{
    double scale[3] = {1, 1, 1};
    const char *name = mo_xml_get(node, "filename");
    char path[MO_PATH];
    MO_FAIL_IF(!name, mo_reader_fail(u->r, node, "has no filename"));
    if (!mo_reader_attribute(u->r, node, "scale", 3, 3, scale, NULL) ||
        !find_mesh(u, node, name, path, found) || !*found)
        return !u->r->error;
    const int mesh = mo_reader_mesh(u->r, node, path, name, scale);
    if (mesh >= 0) mo_mass_of_mesh(u->r->meshes + mesh, true, mass);
    return mesh >= 0 && (is_visual ? mo_reader_mesh_drawn(u->r, mesh, shape)
                                   : mo_reader_mesh_hull(u->r, node, mesh, 0, shape, found));
}

static bool positive(mo_urdf *u, const mo_xml_node *node, const char *attribute, double *out)
{
    *out = 0;
    return mo_urdf_number(u, node, attribute, out) &&
           (*out > 0 || mo_reader_fail(u->r, node, "needs a positive %s", attribute));
}

static bool three_of(mo_urdf *u, const mo_xml_node *node, const char *attribute, double out[3])
{
    int count = 0;
    return mo_reader_attribute(u->r, node, attribute, 3, 3, out, &count) &&
           (count == 3 || mo_reader_fail(u->r, node, "has no %s", attribute));
}

static bool primitive_shape(mo_urdf *u, const mo_xml_node *node, mo_shape_def *shape)
{
    double length;
    if (strcmp(node->name, "sphere") == 0) {
        shape->kind = MO_SHAPE_BALL;
        return positive(u, node, "radius", &shape->radius);
    }
    if (strcmp(node->name, "box") == 0) {
        shape->kind = MO_SHAPE_BOX;
        MO_PASS(three_of(u, node, "size", shape->half));
        mo_vec3_scale(0.5, shape->half, shape->half);
        return (shape->half[0] > 0 && shape->half[1] > 0 && shape->half[2] > 0) ||
               mo_reader_fail(u->r, node, "needs three positive numbers in size");
    }
    if (strcmp(node->name, "plane") == 0) { /* of SDF, as the one below */
        double n[3] = {0, 0, 1};
        shape->kind = MO_SHAPE_PLANE;
        MO_PASS(mo_reader_attribute(u->r, node, "normal", 3, 3, n, NULL));
        mo_pose turn = mo_pose_identity();
        MO_FAIL_IF(!mo_quat_from_z(n, turn.orientation),
                   mo_reader_fail(u->r, node, "has a normal of length zero"));
        shape->pose = mo_pose_compose(&shape->pose, &turn);
        return true;
    }
    if (strcmp(node->name, "ellipsoid") == 0) {
        MO_PASS(three_of(u, node, "radii", shape->half));
        return (shape->half[0] > 0 && shape->half[1] > 0 && shape->half[2] > 0 &&
                mo_reader_ellipsoid_shape(u->r, node, shape->half, shape)) ||
               mo_reader_fail(u->r, node, "needs three positive radii");
    }
    const int is_capsule = strcmp(node->name, "capsule") == 0;
    MO_PASS(positive(u, node, "radius", &shape->radius) && positive(u, node, "length", &length));
    shape->kind = is_capsule ? MO_SHAPE_CAPSULE : MO_SHAPE_CYLINDER;
    shape->half[2] = length / 2;
    mo_vec3_set(shape->ends[0], 0, 0, -length / 2);
    mo_vec3_set(shape->ends[1], 0, 0, length / 2);
    return true;
}

/* Shapes of size zero are left out. */
static bool find_empty(mo_urdf *u, const mo_xml_node *node, int *is_empty)
{
    double radius = 1, length = 1, size[3] = {1, 1, 1};
    if (!mo_urdf_number(u, node, "radius", &radius) ||
        !mo_urdf_number(u, node, "length", &length) ||
        (strcmp(node->name, "box") == 0 && !three_of(u, node, "size", size)))
        return false;
    *is_empty = radius == 0 || length == 0 || size[0] == 0 || size[1] == 0 || size[2] == 0;
    if (*is_empty) mo_reader_note(u->r, node, "> has a size of zero: the shape is left out");
    return true;
}

/* The shape in a <collision> or <visual>; *found: whether it has a supported one. */
static bool read_shape(mo_urdf *u, const mo_xml_node *node, int is_visual, mo_shape_def *shape,
                       mo_mass *mass, int *found)
{
    const mo_xml_node *geometry = mo_xml_child(node, "geometry");
    const mo_xml_node *what = geometry ? geometry->first : NULL;
    *found = 0;
    if (!what && is_visual) {
        mo_reader_note(u->r, node, "> has no <geometry> with a shape in it: it is left out");
        return true;
    }
    MO_FAIL_IF(!what, mo_reader_fail(u->r, node, "has no <geometry> with a shape in it"));
    if (strcmp(what->name, "mesh") == 0) {
        if (is_visual && !mo_mesh_file_is_known(mo_xml_get(what, "filename")))
            return true; /* does not affect the motion */
        return mesh_shape(u, what, is_visual, shape, mass, found);
    }
    const int is_sdf = strcmp(u->r->model->format, "SDF") == 0;
    int is_empty;
    if (!find_empty(u, what, &is_empty) || is_empty) return !u->r->error;
    if (!mo_text_has_word(" box sphere cylinder capsule ", what->name) &&
        !(is_sdf && mo_text_has_word(" plane ellipsoid ", what->name))) {
        mo_reader_note(u->r, what, "> is not supported: the shape is left out");
        return true;
    }
    *found = 1;
    MO_PASS(primitive_shape(u, what, shape));
    if (shape->kind != MO_SHAPE_HULL) /* models of SDF define masses themselves */
        mo_mass_of_shape(shape, NULL, mass);
    return true;
}

/* <material>: its own colour, or that of the robot's material of this name; none leaves zeros. */
static bool read_colour(mo_urdf *u, const mo_xml_node *shape, double colour[4])
{
    const mo_xml_node *own = mo_xml_child(shape, "material");
    const mo_xml_node *from = mo_xml_child(own, "color");
    const char *name = mo_xml_get(own, "name");
    MO_XML_EACH (node, name && !from ? u->r->root : NULL, "material")
        if (!from && mo_xml_equals(node, "name", name)) from = mo_xml_child(node, "color");
    const char *rgba = mo_xml_get(from, "rgba");
    int count = 4;
    if (rgba && !mo_reader_numbers(u->r, from, "rgba", rgba, 3, 4, colour, &count)) return false;
    colour[3] = rgba && count == 3 ? 1 : colour[3];
    for (int k = 0; k < 4; ++k)
        colour[k] = fmin(fmax(colour[k], 0), 1);
    return true;
}

static bool add_shape(mo_urdf *u, const mo_xml_node *node, int body, int is_visual, mo_mass *sum)
{
    mo_shape_def shape = mo_default_shape(MO_SHAPE_BALL);
    mo_mass unit = {0}, placed;
    int found = 0;
    MO_PASS(mo_urdf_origin(u, node, &shape.pose) && read_colour(u, node, shape.colour) &&
            read_shape(u, node, is_visual, &shape, &unit, &found));
    if (found && !is_visual) {
        mo_mass_place(&unit, &shape.pose, DENSITY, &placed);
        mo_mass_add(sum, &placed);
    }
    if (!found) return true;
    mo_model_geom *geom = mo_reader_add_geom(u->r, node, NULL, body);
    MO_PASS(geom);
    double friction = 1;
    MO_PASS(mo_urdf_number(u, node, "mu", &friction));
    friction = friction < 0 ? INFINITY : friction; /* as in Gazebo: "mu" comes from SDF alone */
    shape.material = (mo_material){
        .friction = friction,
        .rule = mo_xml_get(node, "mu") ? MO_COMBINE_MINIMUM : MO_COMBINE_MAXIMUM,
        .dims = 3,
    };
    shape.density = 0;
    if (is_visual) shape.layer = shape.mask = 0;
    geom->name = mo_reader_text(u->r, mo_xml_get(node, "name"));
    geom->shape = shape;
    geom->is_visual = is_visual;
    return !u->r->error;
}

/* The mass of its shapes, if it moves and no mass is given. */
static bool weigh_by_shape(mo_urdf *u, const mo_xml_node *link, int place, const mo_mass *sum)
{
    if (!u->weighs_by_shape || !mo_reader_moves(u->r->model, place)) return true;
    mo_model_body *body = u->r->model->bodies + place;
    if (!(sum->mass > 0)) { /* its shapes could not be read */
        if (mo_xml_child(link, "collision")) {
            mo_reader_note(
                u->r, link,
                "> moves and has neither <inertial> nor a readable shape: its mass is set to 1 g");
            body->mass = 1e-3;
            body->inertia[0] = body->inertia[1] = body->inertia[2] = 1e-7; /* a ball of 1.6 cm */
        }
        return true;
    }
    mo_reader_note(u->r, link,
                   "> moves and has no <inertial>: its mass is that of its <collision> "
                   "at 1000 kg/m^3");
    mo_mass_give(sum, body);
    return mo_reader_check_body(u->r, link, body);
}

bool mo_urdf_link(mo_urdf *u, const mo_xml_node *link, int body)
{
    mo_mass sum = {0};
    MO_PASS(read_inertial(u, link, body));
    for (const mo_xml_node *node = link->first; node; node = node->next) {
        const int is_visual = strcmp(node->name, "visual") == 0;
        if (is_visual || strcmp(node->name, "collision") == 0) {
            if (!add_shape(u, node, body, is_visual, &sum)) return false;
        } else if (strcmp(node->name, "inertial") != 0) {
            mo_reader_note(u->r, node, "> is not supported: ignored");
        }
    }
    return weigh_by_shape(u, link, body, &sum);
}
