/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * <include file="..."/> is replaced by the contents of the root element of that file.  Files are
 * searched next to the main file, then next to the including file.  As in MuJoCo, a file may be
 * included once, so cycles are impossible.
 *
 * <attach model="m" body="b" prefix="p"/> is replaced by the body b of the file that the asset
 * <model name="m" file="..."/> names (without a body: by the content of its <worldbody>), and the
 * sections of that file are appended to those of the model.  All names in it, definitions and
 * references, get the prefix.
 *
 * Such a part of the model keeps its own <compiler> and defaults: its elements have their own
 * number (mo_xml_node.part), and its top class is named by the prefix followed by "main".  Its
 * <option> and keyframes are ignored.
 */
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"

enum { MOST_FILES = 500, MOST_PARTS = 200, MOST_LEVELS = 10 };

/* ---- include --------------------------------------------------------------------------------- */

/* Replaces `node`, which follows `before` (NULL: is the first), by the children of `from`. */
static void splice(mo_xml_node *parent, mo_xml_node *before, mo_xml_node *node, mo_xml_node *from)
{
    mo_xml_node *first = from->first ? from->first : node->next;
    for (mo_xml_node *child = from->first; child; child = child->next)
        child->parent = parent;
    if (from->last) from->last->next = node->next;
    if (before)
        before->next = first;
    else
        parent->first = first;
    if (parent->last == node) parent->last = from->last ? from->last : before;
}

/* Reads the file that an element names, in the model's folder or that of the element's file. */
static bool open_file(mo_reader *r, const mo_xml_node *node, const char *file, mo_xml_node **root)
{
    char path[MO_PATH], beside[MO_PATH], shown[2 * MO_PATH];
    mo_message why = {{0}}, ignored = {{0}};
    mo_reader_beside(node, beside);
    snprintf(shown, sizeof shown, "%s", file);
    if (mo_reader_path(r, "", file, path, &why)) {
        MO_FAIL_IF(!beside[0] || mo_reader_path(r, beside, file, path, &ignored),
                   mo_reader_fail(r, node, "%.380s", why.text));
        snprintf(shown, sizeof shown, "%s/%s", beside, file);
    }
    file = mo_pool_text(&r->tree, shown, strlen(shown));
    MO_FAIL_IF(!file, mo_reader_no_memory(r));
    r->error = mo_xml_read(path, file, &r->tree, &r->elements, root, r->why);
    return !r->error;
}

static bool include(mo_reader *r, mo_xml_node *parent, mo_xml_node *before, mo_xml_node *node,
                    int part, int *files)
{
    const char *file = mo_xml_get(node, "file");
    mo_xml_node *root = NULL;
    MO_FAIL_IF(!file, mo_reader_fail(r, node, "has no file"));
    MO_FAIL_IF(++*files > MOST_FILES,
               mo_reader_fail(r, node, "exceeds the limit of %d included files", (int)MOST_FILES));
    MO_PASS(open_file(r, node, file, &root));
    char key[2 * MO_PATH]; /* every part of the model may include a file once */
    snprintf(key, sizeof key, "%d %s", part, root->file);
    const char *kept = mo_pool_text(&r->tree, key, strlen(key));
    MO_FAIL_IF(!kept, mo_reader_no_memory(r));
    MO_FAIL_IF(mo_reader_name_find(r, 'F', kept) >= 0,
               mo_reader_fail(r, node, "includes %.100s a second time; a file may be included once",
                              root->file));
    MO_PASS(mo_reader_name_add(r, node, 'F', kept, 0));
    splice(parent, before, node, root);
    return true;
}

/* Without recursion into included elements, which are walked like the rest. */
static bool include_below(mo_reader *r, mo_xml_node *parent, int depth, int part, int *files)
{
    mo_xml_node *before = NULL, *node = parent->first;
    MO_FAIL_IF(depth > MO_XML_DEPTH,
               mo_reader_fail(r, parent, "is more than %d levels deep", (int)MO_XML_DEPTH));
    while (node) {
        if (strcmp(node->name, "include") == 0) {
            MO_PASS(include(r, parent, before, node, part, files));
            node = before ? before->next : parent->first;
            continue;
        }
        MO_PASS(include_below(r, node, depth + 1, part, files));
        before = node;
        node = node->next;
    }
    return true;
}

bool mo_mjcf_include_all(mo_reader *r, mo_xml_node *root, int part)
{
    int files = 0;
    return include_below(r, root, 0, part, &files);
}

/* ---- attach ---------------------------------------------------------------------------------- */

static const char NAMES[] =
    " name class childclass joint joint1 joint2 jointinparent body body1 body2 geom geom1 geom2 "
    "site site1 site2 sidesite refsite cranksite slidersite tendon tendon1 tendon2 actuator mesh "
    "material texture hfield objname refname target ";
/* Sections that are attached, and those whose elements have a class. */
static const char KEPT[] = " compiler default asset contact equality tendon actuator sensor ";
static const char WITH_CLASS[] = " asset equality tendon actuator ";

typedef struct attachment {
    mo_reader *r;
    const char *prefix;
    int part;
    int has_defaults;
} attachment;

static const char *prefixed(const attachment *a, const char *name)
{
    return mo_reader_join(a->r, a->prefix, name, "");
}

/* Assets without a name are named after their file, without folder and end. */
static bool name_by_file(const attachment *a, mo_xml_node *node)
{
    if (!mo_xml_get(node, "file") || mo_xml_get(node, "name") ||
        (strcmp(node->name, "mesh") != 0 && strcmp(node->name, "hfield") != 0))
        return true;
    const char *own = mo_mjcf_asset_name(a->r, node), *name = own ? prefixed(a, own) : NULL;
    return name && mo_reader_set(a->r, node, "name", name);
}

static bool rename_all(const attachment *a, mo_xml_node *node)
{
    node->part = node->part ? node->part : a->part; /* it may be in an attached part */
    for (mo_xml_attribute *at = node->attributes; at; at = at->next) {
        const int is_world = strncmp(at->name, "body", 4) == 0 && strcmp(at->value, "world") == 0;
        if (mo_text_has_word(NAMES, at->name) && at->value[0] && !is_world) {
            at->value = prefixed(a, at->value);
            MO_PASS(at->value);
        }
    }
    MO_PASS(name_by_file(a, node));
    for (mo_xml_node *child = node->first; child; child = child->next)
        MO_PASS(rename_all(a, child));
    return true;
}

/* The top class of the part; it has a unique name even without a prefix. */
static const char *top_class(const attachment *a)
{
    return a->prefix[0] ? prefixed(a, "main") : " main";
}

static bool give_class(const attachment *a, mo_xml_node *node, const char *attribute)
{
    const char *top = top_class(a);
    return !a->has_defaults || mo_xml_get(node, attribute) ||
           (top && mo_reader_set(a->r, node, attribute, top));
}

/* Moves the sections of a part to the end of the model. */
static bool take_sections(const attachment *a, mo_xml_node *root, mo_xml_node *from)
{
    for (mo_xml_node *section = from->first, *next; section; section = next) {
        next = section->next;
        if (!mo_text_has_word(KEPT, section->name)) {
            if (strcmp(section->name, "keyframe") == 0)
                mo_reader_note(a->r, section, "> of an attached model is not read");
            continue;
        }
        if (strcmp(section->name, "default") == 0 && !give_class(a, section, "class")) return false;
        for (mo_xml_node *child = section->first; child; child = child->next)
            if (mo_text_has_word(WITH_CLASS, section->name) &&
                strcmp(child->name, "texture") != 0 && !give_class(a, child, "class"))
                return false;
        mo_xml_append(root, section);
    }
    return true;
}

/* The body of that name, itself or below. */
static mo_xml_node *find_body(mo_xml_node *node, const char *name)
{
    for (mo_xml_node *child = node->first; child; child = child->next) {
        if (strcmp(child->name, "body") == 0 && mo_xml_equals(child, "name", name)) return child;
        mo_xml_node *found = find_body(child, name);
        if (found) return found;
    }
    return NULL;
}

/* The attach element becomes a frame that holds the body, or all that is in the world. */
static bool put_bodies(const attachment *a, mo_xml_node *node, mo_xml_node *from)
{
    const char *body = mo_xml_get(node, "body");
    mo_xml_node *world = NULL;
    for (mo_xml_node *child = from->first; child && !world; child = child->next)
        world = strcmp(child->name, "worldbody") == 0 ? child : NULL;
    const char *name = body && body[0] ? prefixed(a, body) : NULL;
    mo_xml_node *one = world && name ? find_body(world, name) : NULL;
    MO_FAIL_IF(!world || (name && !one),
               mo_reader_fail(a->r, node, "attaches the body '%.80s', which is not in its model",
                              body ? body : "world"));
    node->name = "frame";
    node->attributes = NULL;
    node->part = a->part;
    node->first = one ? one : world->first;
    node->last = one ? one : world->last;
    if (one) one->next = NULL;
    for (mo_xml_node *child = node->first; child; child = child->next)
        child->parent = node;
    return give_class(a, node, "childclass");
}

/* Opens the file of the asset <model> of that name, its own or the one that the file gives.  *from
 * is NULL if there is none. */
static bool open_model(mo_reader *r, const mo_xml_node *root, const char *name, mo_xml_node **from)
{
    *from = NULL;
    MO_XML_EACH (asset, root, "asset") {
        MO_XML_EACH (model, asset, "model") {
            const char *file = mo_xml_get(model, "file"), *own = mo_xml_get(model, "name");
            if (!file || (own && strcmp(own, name) != 0)) continue;
            MO_PASS(open_file(r, model, file, from));
            own = own ? own : mo_xml_get(*from, "model");
            if (own && strcmp(own, name) == 0) return true;
            *from = NULL;
        }
    }
    return true;
}

static bool attach(mo_reader *r, mo_xml_node *root, mo_xml_node *node, int level, int *parts)
{
    const char *name = mo_xml_get(node, "model"), *prefix = mo_xml_get(node, "prefix");
    mo_xml_node *from = NULL;
    MO_PASS(open_model(r, root, name ? name : "", &from));
    MO_FAIL_IF(!from,
               mo_reader_fail(r, node, "attaches the model '%.80s', which is not among the assets",
                              name ? name : ""));
    MO_FAIL_IF(++*parts >= MOST_PARTS || level >= MOST_LEVELS,
               mo_reader_fail(r, node, "is one of more than %d attached models, or %d levels deep",
                              (int)MOST_PARTS, (int)MOST_LEVELS));
    attachment a = {.r = r, .prefix = prefix ? prefix : "", .part = *parts};
    MO_PASS(mo_mjcf_include_all(r, from, a.part));
    a.has_defaults = mo_xml_child(from, "default") != NULL;
    MO_PASS(mo_mjcf_attach_all(r, from, level + 1, parts));
    for (mo_xml_node *child = from->first; child; child = child->next)
        MO_PASS(rename_all(&a, child));
    return put_bodies(&a, node, from) && take_sections(&a, root, from);
}

static bool walk(mo_reader *r, mo_xml_node *root, mo_xml_node *node, int level, int *parts)
{
    for (mo_xml_node *child = node->first; child; child = child->next)
        if (strcmp(child->name, "attach") == 0 ? !attach(r, root, child, level, parts)
                                               : !walk(r, root, child, level, parts))
            return false;
    return true;
}

bool mo_mjcf_attach_all(mo_reader *r, mo_xml_node *root, int level, int *parts)
{
    for (mo_xml_node *child = root->first; child; child = child->next)
        if (strcmp(child->name, "worldbody") == 0 && !walk(r, root, child, level, parts))
            return false;
    return true;
}
