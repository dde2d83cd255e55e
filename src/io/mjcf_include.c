/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * <include file="..."/> is replaced by the contents of the root element of that file.  Files are
 * searched next to the main file, then next to the including file.  As in MuJoCo, a file may be
 * included once, so cycles are impossible.
 */
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"

enum { MOST_FILES = 500 };

/* Replaces `node`, which follows `before` (NULL: is the first), by the children of `from`. */
static void splice(mo_xml_node *parent, mo_xml_node *before, mo_xml_node *node, mo_xml_node *from)
{
    mo_xml_node *first = from->first ? from->first : node->next;
    for (mo_xml_node *child = from->first; child; child = child->next) {
        child->parent = parent;
    }
    if (from->last) {
        from->last->next = node->next;
    }
    if (before) {
        before->next = first;
    } else {
        parent->first = first;
    }
    if (parent->last == node) {
        parent->last = from->last ? from->last : before;
    }
}

bool mo_mjcf_open(mo_reader *r, const mo_xml_node *node, const char *file, mo_xml_node **root)
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
    MO_PASS(mo_mjcf_open(r, node, file, &root));
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
static bool walk(mo_reader *r, mo_xml_node *parent, int depth, int part, int *files)
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
        MO_PASS(walk(r, node, depth + 1, part, files));
        before = node;
        node = node->next;
    }
    return true;
}

bool mo_mjcf_include_all(mo_reader *r, mo_xml_node *root, int part)
{
    int files = 0;
    return walk(r, root, 0, part, &files);
}
