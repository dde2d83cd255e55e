/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * SDF (root <sdf>): the models of a file, or of its first world, rewritten as one tree of URDF,
 * which urdf.c reads.
 *
 *   - Values that SDF has as text become attributes; a <pose> becomes an <origin>, from the frame
 *     that relative_to names.
 *   - The root is a link "world".  A link without a joint above it floats in it, or is fixed to it
 *     where its model is static.
 *   - A joint whose frame is not that of its child has a link without mass between; so has a
 *     universal joint between its two axes.
 *   - Names in a file of several models, and in models of models, begin with the model's: a::b.
 *
 * Limits: joints that close a loop, screws and gears are noted and left out; so are plugins,
 * sensors and actors.
 */
#include "io/sdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/vec3.h"

/* ---- links ----------------------------------------------------------------------------------- */

/* SDF's default where nothing is given: 1 kg, 1 kg m^2. */
static bool write_inertial(mo_sdf *s, const mo_xml_node *link, mo_xml_node *to)
{
    static const char *const NAMES[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const mo_xml_node *from = mo_xml_child(link, "inertial");
    const mo_xml_node *six = mo_xml_child(from, "inertia");
    mo_pose pose = mo_pose_identity();
    if (from && !mo_sdf_pose(s, from, &pose)) return false;
    const char *mass = mo_xml_text(from, "mass");
    const mo_xml_node *like = from ? from : link;
    mo_xml_node *inertial = mo_reader_element(s->r, to, "inertial", like);
    mo_reader_make(s->r, inertial, "mass", like, "value", mass ? mass : "1", NULL);
    mo_xml_node *inertia = mo_reader_make(s->r, inertial, "inertia", like, NULL);
    for (int k = 0; k < 6 && inertia; ++k) {
        const char *text = mo_xml_text(six, NAMES[k]);
        mo_reader_set(s->r, inertia, NAMES[k], text ? text : k < 3 ? "1" : "0");
    }
    return inertia && mo_sdf_set_origin(s, inertial, &pose);
}

static bool write_geometry(mo_sdf *s, const mo_xml_node *from, mo_xml_node *to)
{
    static const char *const VALUES[] = {"size", "radius", "length", "scale", "radii", "normal"};
    const mo_xml_node *geometry = mo_xml_child(from, "geometry");
    const mo_xml_node *shape = geometry ? geometry->first : NULL;
    mo_xml_node *made = mo_reader_element(s->r, to, "geometry", from);
    mo_xml_node *kind = made && shape ? mo_reader_element(s->r, made, shape->name, shape) : NULL;
    if (!kind) return made != NULL; /* the reader of links reports the error */
    for (size_t k = 0; k < sizeof VALUES / sizeof VALUES[0]; ++k) {
        const char *text = mo_xml_text(shape, VALUES[k]);
        if (!(strcmp(shape->name, "plane") == 0 && k == 0) &&
            !mo_reader_set(s->r, kind, VALUES[k], text))
            return false;
    }
    const char *uri = mo_xml_text(shape, "uri");
    if (uri && strncmp(uri, "model://", 8) == 0) {
        uri = mo_reader_join(s->r, "package://", uri + 8, "");
    } else if (uri && strncmp(uri, "file://", 7) == 0) {
        uri += 7;
    } else if (uri && uri[0] != '/' && !strstr(uri, "://") && strchr(from->file, '/')) {
        char folder[MO_PATH]; /* of an included model */
        mo_reader_beside(from, folder);
        const char *package = mo_reader_join(s->r, "package://", folder, "/");
        uri = package ? mo_reader_join(s->r, package, uri, "") : NULL;
        MO_PASS(uri);
    }
    return mo_reader_set(s->r, kind, "filename", uri);
}

static bool write_shape(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *link,
                        const mo_xml_node *from, mo_xml_node *to)
{
    const mo_xml_node *friction = mo_xml_child(mo_xml_child(from, "surface"), "friction");
    const char *in = mo_xml_get(mo_xml_child(from, "pose"), "relative_to");
    const char *mu = mo_xml_text(mo_xml_child(friction, "ode"), "mu");
    mo_pose pose, own, of_link;
    MO_PASS(mo_sdf_pose(s, from, &own));
    pose = own;
    if (in && in[0]) {
        MO_PASS(mo_sdf_frame(s, m->node, from, in, 0, &pose) &&
                mo_sdf_frame(s, m->node, from, mo_xml_get(link, "name"), 0, &of_link));
        pose = mo_sdf_between(&of_link, &pose);
        pose = mo_pose_compose(&pose, &own);
    }
    mo_xml_node *shape = mo_reader_make(s->r, to, from->name, from, "name",
                                        mo_xml_get(from, "name"), "mu", mu ? mu : "1", NULL);
    MO_PASS(shape && mo_sdf_set_origin(s, shape, &pose) && write_geometry(s, from, shape));
    const char *colour = mo_xml_text(mo_xml_child(from, "material"), "diffuse");
    mo_xml_node *material = colour ? mo_reader_element(s->r, shape, "material", from) : NULL;
    return !colour || mo_reader_make(s->r, material, "color", from, "rgba", colour, NULL);
}

/* Older files have an empty link of this name, to which the robot is attached. */
static bool is_world(const mo_xml_node *link)
{
    return mo_xml_equals(link, "name", "world");
}

static bool write_link(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *from)
{
    const char *name = mo_xml_get(from, "name");
    MO_FAIL_IF(!name, mo_reader_fail(s->r, from, "has no name"));
    if (is_world(from)) {
        mo_reader_note(s->r, from, " name=\"world\"> is the world itself: its parts are ignored");
        return true;
    }
    mo_xml_node *link = mo_reader_make(s->r, s->root, "link", from, "name",
                                       mo_reader_join(s->r, m->prefix, name, ""), NULL);
    MO_PASS(link && write_inertial(s, from, link));
    for (const mo_xml_node *part = from->first; part; part = part->next)
        if (strcmp(part->name, "collision") == 0 || strcmp(part->name, "visual") == 0)
            MO_PASS(write_shape(s, m, from, part, link));
        else if (strcmp(part->name, "pose") != 0 && strcmp(part->name, "inertial") != 0)
            mo_reader_note(s->r, part, "> of a link is not read: ignored");
    return true;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* From one link to another; both names are those of the tree that is written. */
static mo_xml_node *write_between(mo_sdf *s, const mo_xml_node *from, const char *name,
                                  const char *type, const char *parent, const char *child,
                                  const mo_pose *pose)
{
    mo_xml_node *joint =
        mo_reader_make(s->r, s->root, "joint", from, "name", name, "type", type, NULL);
    return mo_reader_make(s->r, joint, "parent", from, "link", parent, NULL) &&
                   mo_reader_make(s->r, joint, "child", from, "link", child, NULL) &&
                   mo_reader_name_add(s->r, from, 'C', child, 0) &&
                   mo_sdf_set_origin(s, joint, pose)
               ? joint
               : NULL;
}

/* A link without mass. */
static const char *write_place(mo_sdf *s, const mo_xml_node *from, const char *name)
{
    return mo_reader_make(s->r, s->root, "link", from, "name", name, NULL) ? name : NULL;
}

/* Direction, limits and losses of <axis> or <axis2>. */
static bool write_axis(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *joint,
                       const char *which, const mo_pose *at, mo_xml_node *to)
{
    static const char *const LOSSES[] = {"damping", "friction", "spring_stiffness",
                                         "spring_reference"};
    const mo_xml_node *axis = mo_xml_child(joint, which);
    const mo_xml_node *along = mo_xml_child(axis, "xyz");
    const mo_xml_node *limit = mo_xml_child(axis, "limit");
    const mo_xml_node *dynamics = mo_xml_child(axis, "dynamics");
    const char *old = mo_xml_text(axis, "use_parent_model_frame");
    const char *in = mo_xml_get(along, "expressed_in");
    double x[3] = {0, 0, 1}, turned[3];
    if (along && along->text && !mo_reader_numbers(s->r, along, "text", along->text, 3, 3, x, NULL))
        return false;
    if ((in && in[0]) || (old && (old[0] == '1' || strcmp(old, "true") == 0))) {
        mo_pose frame;
        MO_PASS(mo_sdf_place(s, m, along ? along : joint, in, &frame));
        mo_pose_vector(&frame, x, turned);
        mo_pose_vector_back(at, turned, x);
    }
    const char *lower = mo_xml_text(limit, "lower"), *upper = mo_xml_text(limit, "upper"),
               *effort = mo_xml_text(limit, "effort");
    double most = 0;
    const bool has_effort = effort && mo_text_number(effort, &most) && most > 0 && isfinite(most);
    mo_reader_make(s->r, to, "axis", joint, "xyz", mo_sdf_numbers(s, x, 3), NULL);
    mo_reader_make(s->r, to, "limit", joint, "lower", lower ? lower : "-inf", "upper",
                   upper ? upper : "inf", "effort", has_effort ? effort : "0", NULL);
    mo_xml_node *losses = mo_reader_make(s->r, to, "dynamics", joint, NULL);
    for (size_t k = 0; k < sizeof LOSSES / sizeof LOSSES[0] && losses; ++k)
        mo_reader_set(s->r, losses, LOSSES[k], mo_xml_text(dynamics, LOSSES[k]));
    return !s->r->error;
}

/* The type that urdf.c has, or NULL. */
static const char *type_of(mo_sdf *s, const mo_xml_node *joint)
{
    const char *type = mo_xml_get(joint, "type");
    if (type && mo_text_has_word(" revolute prismatic ball fixed ", type)) return type;
    if (type && mo_text_has_word(" continuous universal revolute2 ", type)) return "revolute";
    mo_reader_note(s->r, joint, " type=\"%.40s\"> is not read: the links are fixed to each other",
                   type ? type : "");
    return "fixed";
}

static bool write_joint(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *from)
{
    const char *own = mo_xml_get(from, "name"), *parent = mo_xml_text(from, "parent"),
               *child = mo_xml_text(from, "child"), *kind = mo_xml_get(from, "type");
    mo_pose above, below, at;
    MO_FAIL_IF(!own || !parent || !child,
               mo_reader_fail(s->r, from, "needs a name, a <parent> and a <child>"));
    const char *name = mo_reader_join(s->r, m->prefix, own, "");
    const char *upper =
        strcmp(parent, "world") == 0 ? parent : mo_reader_join(s->r, m->prefix, parent, "");
    const char *lower = mo_reader_join(s->r, m->prefix, child, "");
    MO_PASS(name && upper && lower);
    if (mo_reader_name_find(s->r, 'C', lower) >= 0) {
        mo_reader_note(s->r, from, "> closes a loop: it is left out");
        return true;
    }
    if (mo_sdf_is_absent(m->node, parent) || mo_sdf_is_absent(m->node, child)) {
        mo_reader_note(s->r, from, "> joins a model that is not there: it is left out");
        return true;
    }
    MO_PASS(mo_sdf_place(s, m, from, parent, &above) && mo_sdf_place(s, m, from, child, &below) &&
            mo_sdf_place(s, m, from, own, &at));
    const mo_pose first = mo_sdf_between(&above, &at), rest = mo_sdf_between(&at, &below);
    const char *type = type_of(s, from);
    const int is_double =
        mo_xml_equals(from, "type", "universal") || mo_xml_equals(from, "type", "revolute2");
    const int is_offset =
        mo_vec3_norm(rest.position) > 1e-12 || mo_vec3_norm(rest.orientation + 1) > 1e-12;
    MO_FAIL_IF(
        is_double && !(mo_xml_child(from, "axis") && mo_xml_child(from, "axis2")),
        mo_reader_fail(s->r, from, "of type %.20s needs <axis> and <axis2>, not parallel", kind));
    const mo_pose none = mo_pose_identity();
    const char *middle =
        is_double ? write_place(s, from, mo_reader_join(s->r, name, " ", "cross")) : NULL;
    const char *end =
        is_offset ? write_place(s, from, mo_reader_join(s->r, name, " ", "frame")) : lower;
    if ((is_double && !middle) || !end) return false;
    mo_xml_node *joint = write_between(s, from, name, type, upper, middle ? middle : end, &first);
    MO_PASS(joint && write_axis(s, m, from, "axis", &at, joint));
    if (middle) {
        mo_xml_node *second =
            write_between(s, from, mo_reader_join(s->r, name, " ", "2"), type, middle, end, &none);
        MO_PASS(second && write_axis(s, m, from, "axis2", &at, second));
    }
    return !is_offset || write_between(s, from, mo_reader_join(s->r, name, " ", "end"), "fixed",
                                       end, lower, &rest);
}

/* ---- models ---------------------------------------------------------------------------------- */

static bool write_each(mo_sdf *s, const mo_sdf_model *m, const char *name,
                       bool (*write)(mo_sdf *, const mo_sdf_model *, const mo_xml_node *))
{
    MO_XML_EACH (node, m->node, name)
        MO_PASS(write(s, m, node));
    return true;
}

/* A model in another one. */
static bool inner_of(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *node, mo_sdf_model *out)
{
    const char *name = mo_xml_get(node, "name");
    *out = (mo_sdf_model){.node = node, .is_static = m->is_static, .level = m->level + 1};
    MO_FAIL_IF(!name || out->level > MO_SDF_LEVELS,
               mo_reader_fail(s->r, node, "in a model has no name, or is more than %d levels deep",
                              (int)MO_SDF_LEVELS));
    out->prefix = mo_reader_join(s->r, m->prefix, name, "::");
    return out->prefix && mo_sdf_place(s, m, node, name, &out->pose);
}

/* Bullet's way to fix a base. */
static int is_massless(mo_sdf *s, const mo_xml_node *link)
{
    const char *mass = mo_xml_text(mo_xml_child(link, "inertial"), "mass");
    double value;
    const int is_zero = mass && mo_text_number(mass, &value) && value == 0;
    if (is_zero)
        mo_reader_note(s->r, link, "> has no mass and no joint above it: fixed to the world");
    return is_zero;
}

/* Links without a joint float, or are fixed if the model is static. */
static bool write_root(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *from)
{
    const char *own = mo_xml_get(from, "name"), *name = mo_reader_join(s->r, m->prefix, own, "");
    mo_pose pose;
    return is_world(from) ||
           (name && mo_sdf_place(s, m, from, own, &pose) &&
            (mo_reader_name_find(s->r, 'C', name) >= 0 ||
             write_between(s, from, mo_reader_join(s->r, name, " ", "base"),
                           m->is_static || is_massless(s, from) ? "fixed" : "floating", "world",
                           name, &pose)));
}

static bool write_roots(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *node)
{
    mo_sdf_model inner;
    return inner_of(s, m, node, &inner) && write_each(s, &inner, "model", write_roots) &&
           write_each(s, &inner, "link", write_root);
}

static bool write_parts(mo_sdf *s, const mo_sdf_model *m);

static bool write_inner(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *node)
{
    mo_sdf_model inner;
    return inner_of(s, m, node, &inner) && write_parts(s, &inner);
}

static bool write_parts(mo_sdf *s, const mo_sdf_model *m)
{
    static const char KNOWN[] = " link joint frame model pose static light ";
    for (const mo_xml_node *part = m->node->first; part; part = part->next) {
        char word[60];
        snprintf(word, sizeof word, " %.50s ", part->name);
        if (!strstr(KNOWN, word)) mo_reader_note(s->r, part, "> of a model is not read: ignored");
    }
    return write_each(s, m, "model", write_inner) && write_each(s, m, "link", write_link) &&
           write_each(s, m, "joint", write_joint);
}

static bool write_model(mo_sdf *s, const mo_xml_node *node, const char *prefix)
{
    const char *fixed = mo_xml_text(node, "static");
    mo_sdf_model m = {.node = node, .prefix = prefix};
    m.is_static = fixed && (strcmp(fixed, "true") == 0 || strcmp(fixed, "1") == 0);
    return mo_sdf_pose(s, node, &m.pose) && write_parts(s, &m) &&
           write_each(s, &m, "model", write_roots) && write_each(s, &m, "link", write_root);
}

static bool read_world(mo_sdf *s, const mo_xml_node *world)
{
    mo_model *model = s->r->model;
    const mo_xml_node *gravity = mo_xml_child(world, "gravity");
    const mo_xml_node *step = mo_xml_child(mo_xml_child(world, "physics"), "max_step_size");
    for (const mo_xml_node *part = world->first; part; part = part->next)
        if (strcmp(part->name, "actor") == 0) mo_reader_note(s->r, part, "> is not read: ignored");
    if (gravity && gravity->text &&
        !mo_reader_numbers(s->r, gravity, "text", gravity->text, 3, 3, model->gravity, NULL))
        return false;
    if (step && step->text &&
        !mo_reader_numbers(s->r, step, "text", step->text, 1, 1, &model->step, NULL))
        return false;
    return !step || model->step > 0 || mo_reader_fail(s->r, step, "must be positive");
}

/* The prefix of one of several models; a second one of the same name gets its line. */
static const char *name_model(mo_sdf *s, const mo_xml_node *model)
{
    char line[40] = "";
    const char *name = mo_xml_get(model, "name");
    name = name ? name : "";
    if (mo_reader_name_find(s->r, 'M', name) >= 0) {
        snprintf(line, sizeof line, "_%d", model->line);
        mo_reader_note(s->r, model, "> has the name of another one: its line is appended");
    }
    const char *prefix = mo_reader_join(s->r, name, line, "::");
    const int is_new = !line[0] && name[0];
    return prefix && (!is_new || mo_reader_name_add(s->r, model, 'M', name, 0)) ? prefix : NULL;
}

bool mo_sdf_read(mo_reader *r)
{
    mo_sdf s = {.r = r};
    mo_xml_node *from = r->root->first;
    while (from && strcmp(from->name, "world") != 0)
        from = from->next;
    const mo_xml_node *world = from;
    from = from ? from : r->root;
    MO_PASS(mo_sdf_include_all(&s, from));
    const mo_xml_node *first = mo_xml_child(from, "model");
    MO_FAIL_IF(!first, mo_reader_fail(r, from, "has no <model>"));
    const int is_one = !mo_xml_next(first, "model");
    s.root = mo_reader_element(r, NULL, "robot", r->root);
    if (!s.root || (world && !read_world(&s, world)) ||
        !mo_reader_set(r, s.root, "name", mo_xml_get(is_one ? first : from, "name")) ||
        !write_place(&s, from, "world"))
        return false;
    for (const mo_xml_node *model = first; model; model = mo_xml_next(model, "model")) {
        const char *prefix = is_one ? "" : name_model(&s, model);
        MO_PASS(prefix && write_model(&s, model, prefix));
    }
    r->root = s.root;
    return mo_urdf_read(r);
}
