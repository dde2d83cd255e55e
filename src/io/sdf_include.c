/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * <include> of SDF becomes the <model> of the file that its <uri> names: model://name is a folder
 * `name`, found as packages are (model_path.c), and its model.config names the file.  <name>,
 * <pose> and <static> of the include replace those of the model.
 *
 * Limits: a model that is not found, and one from the network, is noted and left out.
 */
#include <stdio.h>
#include <string.h>

#include "io/sdf.h"

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
        if (!may_replace(child) || !mo_xml_child(include, child->name)) {
            mo_xml_append(include, child);
        }
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
        if (may_replace(child)) {
            mo_xml_append(include, child);
        }
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
    while (model != found) {
        model = model->next;
    }
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
