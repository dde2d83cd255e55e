/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * <include> of SDF becomes the <model> of the file that its <uri> names: model://name is a folder
 * `name`, found as packages are (model_path.c), and its model.config names the file.  <name>,
 * <pose> and <static> of the include replace those of the model.
 *
 * Limits: a model that is not found, and one from the network, is noted and left out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "collide/pose.h"
#include "io/sdf.h"
#include "linalg/vec3.h"

enum { MOST_FILES = 500 };

/* The file of the newest version that model.config names; model.sdf if it names none. */
static bool name_file(mo_sdf *s, const char *folder, const char **out)
{
    char path[MO_PATH];
    mo_message ignored = {{0}};
    mo_xml_node *root = NULL;
    double newest = -1;
    *out = "model.sdf";
    const mo_error error =
        mo_file_within(folder, "", "model.config", path, &ignored)
            ? MO_ERR_FILE
            : mo_xml_read(path, "model.config", &s->r->tree, &s->r->elements, &root, &ignored);
    MO_FAIL_IF(error == MO_ERR_MEMORY, mo_reader_no_memory(s->r));
    MO_XML_EACH (node, error ? NULL : root, "sdf") {
        const char *version = mo_xml_get(node, "version");
        double number = 0;
        if (node->text && (!version || mo_text_number(version, &number)) && number > newest) {
            newest = number;
            *out = node->text;
        }
    }
    return true;
}

/* The root of the file; NULL, with a note, if it is not found. */
static bool open_model(mo_sdf *s, const mo_xml_node *include, mo_xml_node **root)
{
    static const char SCHEME[] = "model://";
    const char *uri = mo_xml_text(include, "uri"), *file = NULL;
    char folder[MO_PATH], path[MO_PATH];
    mo_message why = {{0}};
    *root = NULL;
    MO_FAIL_IF(!uri, mo_reader_fail(s->r, include, "has no <uri>"));
    const char *name = strncmp(uri, SCHEME, sizeof SCHEME - 1) ? NULL : uri + sizeof SCHEME - 1;
    const size_t length = name ? strcspn(name, "/") : 0;
    if (!name || !mo_reader_named_folder(s->r, name, length, folder)) {
        mo_reader_note_of(s->r, include, uri,
                          "> is not found: left out; put the folder of the model beside the file's "
                          "folder, and name it by model://FOLDER");
        return true;
    }
    MO_PASS(name_file(s, folder, &file));
    MO_FAIL_IF(mo_file_within(folder, "", file, path, &why),
               mo_reader_fail(s->r, include, "of %.100s: %.300s", uri, why.text));
    const char *beside = mo_pool_text(&s->r->tree, name, length);
    MO_FAIL_IF(!beside, mo_reader_no_memory(s->r));
    const char *shown = mo_reader_join(s->r, beside, "/", file);
    MO_PASS(shown);
    s->r->error = mo_xml_read(path, shown, &s->r->tree, &s->r->elements, root, s->r->why);
    return !s->r->error;
}

/* Is it one of the elements of an include that replace those of the model? */
static int may_replace(const mo_xml_node *child)
{
    return strcmp(child->name, "pose") == 0 || strcmp(child->name, "static") == 0;
}

/* Moves the children of a model behind those of the include, but for those that it replaces. */
static void take_children(mo_xml_node *include, mo_xml_node *model)
{
    mo_xml_node *child = model->first;
    while (child) {
        mo_xml_node *next = child->next;
        if (!may_replace(child) || !mo_xml_child(include, child->name))
            mo_xml_append(include, child);
        child = next;
    }
}

/* Leaves <pose> and <static>. */
static void drop_children(mo_xml_node *include)
{
    mo_xml_node *child = include->first;
    include->first = include->last = NULL;
    while (child) {
        mo_xml_node *next = child->next;
        if (may_replace(child)) mo_xml_append(include, child);
        child = next;
    }
}

static bool replace(mo_sdf *s, mo_xml_node *include, int *files)
{
    mo_xml_node *root;
    MO_FAIL_IF(++*files > MOST_FILES,
               mo_reader_fail(s->r, include, "is one of more than %d files", (int)MOST_FILES));
    MO_PASS(open_model(s, include, &root));
    const mo_xml_node *found = mo_xml_child(root, "model");
    if (!found) { /* also a light, which models of the world may be */
        include->first = include->last = NULL;
        include->name = "light";
        return true;
    }
    mo_xml_node *model = root->first;
    while (model != found)
        model = model->next;
    const char *own = mo_xml_text(include, "name"), *name = own ? own : mo_xml_get(model, "name");
    drop_children(include);
    take_children(include, model);
    include->name = "model";
    include->attributes = NULL;
    return mo_reader_set(s->r, include, "name", name);
}

static bool walk(mo_sdf *s, mo_xml_node *parent, int level, int *files)
{
    MO_FAIL_IF(level > MO_SDF_LEVELS,
               mo_reader_fail(s->r, parent, "is more than %d levels deep", (int)MO_SDF_LEVELS));
    for (mo_xml_node *node = parent->first; node; node = node->next) {
        const int is_included = strcmp(node->name, "include") == 0;
        MO_PASS(!is_included || replace(s, node, files));
        MO_PASS(strcmp(node->name, "model") != 0 || walk(s, node, level + 1, files));
    }
    return true;
}

bool mo_sdf_include_all(mo_sdf *s, mo_xml_node *world)
{
    int files = 0;
    return walk(s, world, 0, &files);
}

/* ---- frames and elements that are written ---------------------------------------------------- */

/* ---- writing --------------------------------------------------------------------------------- */

const char *mo_sdf_numbers(mo_sdf *s, const double *x, int count)
{
    char text[200] = "";
    size_t used = 0;
    mo_c_locale numbers = mo_c_locale_begin();
    for (int k = 0; k < count && used < sizeof text; ++k)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", k ? " " : "", x[k]);
    mo_c_locale_end(&numbers);
    return mo_reader_join(s->r, text, "", "");
}

bool mo_sdf_set_origin(mo_sdf *s, mo_xml_node *node, const mo_pose *pose)
{
    const double *q = pose->orientation, xyzw[4] = {q[1], q[2], q[3], q[0]};
    return mo_reader_make(s->r, node, "origin", node, "xyz", mo_sdf_numbers(s, pose->position, 3),
                          "quat_xyzw", mo_sdf_numbers(s, xyzw, 4), NULL) &&
           !s->r->error;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool mo_sdf_pose(mo_sdf *s, const mo_xml_node *of, mo_pose *out)
{
    static const double DEGREE = 3.14159265358979323846 / 180;
    const mo_xml_node *node = mo_xml_child(of, "pose");
    double x[6] = {0};
    *out = mo_pose_identity();
    if (!node || !node->text) return true;
    const char *format = mo_xml_get(node, "rotation_format"), *in = mo_xml_get(node, "degrees");
    MO_FAIL_IF(
        format && strcmp(format, "euler_rpy") != 0,
        mo_reader_fail(s->r, node, "has rotation_format=\"%.40s\"; euler_rpy is read", format));
    MO_PASS(mo_reader_numbers(s->r, node, "text", node->text, 6, 6, x, NULL));
    mo_vec3_copy(x, out->position);
    mo_vec3_scale(in && strcmp(in, "true") == 0 ? DEGREE : 1, x + 3, x + 3);
    mo_quat_from_rpy(x + 3, out->orientation);
    return true;
}

mo_pose mo_sdf_between(const mo_pose *a, const mo_pose *b)
{
    const mo_pose back = mo_pose_inverse(a);
    return mo_pose_compose(&back, b);
}

/* The link, frame, joint or model of that name (the first `length` characters). */
static const mo_xml_node *find_frame(const mo_xml_node *model, const char *name, size_t length)
{
    for (const mo_xml_node *child = model->first; child; child = child->next) {
        const char *own = mo_xml_get(child, "name");
        if (own && strlen(own) == length && strncmp(own, name, length) == 0 &&
            (strcmp(child->name, "link") == 0 || strcmp(child->name, "frame") == 0 ||
             strcmp(child->name, "joint") == 0 || strcmp(child->name, "model") == 0))
            return child;
    }
    return NULL;
}

int mo_sdf_is_absent(const mo_xml_node *model, const char *name)
{
    const char *scope = strstr(name, "::");
    return scope && !find_frame(model, name, strlen(name)) &&
           !find_frame(model, name, (size_t)(scope - name));
}

bool mo_sdf_frame(mo_sdf *s, const mo_xml_node *model, const mo_xml_node *from, const char *name,
                  int level, mo_pose *out)
{
    *out = mo_pose_identity();
    if (!name || !name[0] || strcmp(name, "__model__") == 0) return true;
    /* a name with :: may also be that of a link, as older versions of Gazebo write it */
    const mo_xml_node *whole = find_frame(model, name, strlen(name));
    const char *scope = whole ? NULL : strstr(name, "::");
    const mo_xml_node *node = scope ? find_frame(model, name, (size_t)(scope - name)) : whole;
    MO_FAIL_IF(!node, mo_reader_fail(s->r, from,
                                     "refers to the frame '%.80s', which is not defined", name));
    MO_FAIL_IF(
        level > MO_SDF_FRAME_LEVELS,
        mo_reader_fail(s->r, from,
                       "refers to frames in a cycle, or to a chain of more than %d, at '%.80s'",
                       (int)MO_SDF_FRAME_LEVELS, name));
    const char *in = mo_xml_get(mo_xml_child(node, "pose"), "relative_to");
    if (!in || !in[0]) {
        in = strcmp(node->name, "frame") == 0   ? mo_xml_get(node, "attached_to")
             : strcmp(node->name, "joint") == 0 ? mo_xml_text(node, "child")
                                                : "";
    }
    mo_pose base, own, inner = mo_pose_identity();
    if (!mo_sdf_frame(s, model, node, in, level + 1, &base) || !mo_sdf_pose(s, node, &own) ||
        (scope && !mo_sdf_frame(s, node, from, scope + 2, level + 1, &inner)))
        return false;
    base = mo_pose_compose(&base, &own);
    *out = mo_pose_compose(&base, &inner);
    return true;
}

bool mo_sdf_place(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *from, const char *name,
                  mo_pose *out)
{
    mo_pose in_model = mo_pose_identity();
    const bool is_world = name && strcmp(name, "world") == 0;
    if (!is_world && !mo_sdf_frame(s, m->node, from, name, 0, &in_model)) return false;
    *out = is_world ? mo_pose_identity() : mo_pose_compose(&m->pose, &in_model);
    return true;
}
