/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * <replicate count="n" offset="x y z" euler="a b c" sep="-"> becomes a <frame> that contains n
 * copies of its content, each in the frame of the copy before it, moved by the offset and turned by
 * the angles.  Names of a copy end with the separator and its number, with as many digits as n has.
 */
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"

enum { MOST_COPIES = 400, MOST_DIGITS = 12 }; /* copies are nested: below MO_XML_DEPTH */

typedef struct replica {
    mo_reader *r;
    const char *sep;
    char number[MOST_DIGITS];
} replica;

static const char *renamed(const replica *c, const char *name)
{
    const size_t length = strlen(name), sep = strlen(c->sep), all = length + sep + MOST_DIGITS;
    char *text = mo_pool_take(&c->r->tree, all, 1);
    if (!text) {
        mo_reader_no_memory(c->r);
        return NULL;
    }
    snprintf(text, all, "%s%s%s", name, c->sep, c->number);
    return text;
}

static bool add_attribute(const replica *c, mo_xml_node *node, const mo_xml_attribute *from)
{
    const bool is_name = strcmp(from->name, "name") == 0 && from->value[0];
    mo_xml_attribute *own = mo_pool_take(&c->r->tree, 1, sizeof *own);
    const char *value = is_name && own ? renamed(c, from->value) : from->value;
    if (!own || !value) {
        return mo_reader_no_memory(c->r);
    }
    *own = (mo_xml_attribute){.name = from->name, .value = value, .next = node->attributes};
    node->attributes = own;
    return true;
}

/* A new last child of `parent`, at the place of `like` in the file. */
static mo_xml_node *add_child(mo_reader *r, mo_xml_node *parent, const mo_xml_node *like,
                              const char *name)
{
    mo_xml_node *node = mo_pool_take(&r->tree, 1, sizeof *node);
    if (!node) {
        mo_reader_no_memory(r);
        return NULL;
    }
    if (++r->elements > MO_XML_ELEMENTS) {
        mo_reader_fail(r, like, "makes more than %d elements", (int)MO_XML_ELEMENTS);
        return NULL;
    }
    *node = (mo_xml_node){.name = name,
                          .file = like->file,
                          .line = like->line,
                          .part = like->part,
                          .text = like->text,
                          .parent = parent};
    *(parent->last ? &parent->last->next : &parent->first) = node;
    parent->last = node;
    return node;
}

static bool copy_children(const replica *c, const mo_xml_node *from, mo_xml_node *to)
{
    for (const mo_xml_node *child = from->first; child; child = child->next) {
        mo_xml_node *copy = add_child(c->r, to, child, child->name);
        if (!copy) {
            return false;
        }
        for (const mo_xml_attribute *at = child->attributes; at; at = at->next) {
            if (!add_attribute(c, copy, at)) {
                return false;
            }
        }
        if (!copy_children(c, child, copy)) {
            return false;
        }
    }
    return true;
}

/* The frame of the next copy, in that of the last one. */
static mo_xml_node *add_frame(const replica *c, const mo_xml_node *content, mo_xml_node *around)
{
    mo_xml_node *frame = add_child(c->r, around, content, "frame");
    for (const mo_xml_attribute *at = content->attributes; frame && at; at = at->next) {
        const int is_offset = strcmp(at->name, "offset") == 0;
        const mo_xml_attribute own = {.name = is_offset ? "pos" : at->name, .value = at->value};
        if ((is_offset || strcmp(at->name, "euler") == 0) && !add_attribute(c, frame, &own)) {
            return NULL;
        }
    }
    return frame;
}

static bool replicate(mo_reader *r, mo_xml_node *node)
{
    const mo_xml_node content = *node;
    const char *count = mo_xml_get(node, "count"), *sep = mo_xml_get(node, "sep");
    replica c = {.r = r, .sep = sep ? sep : ""};
    int copies = 0;
    char rest;
    if (!count || sscanf(count, "%d %c", &copies, &rest) != 1 || copies < 1 ||
        copies > MOST_COPIES) {
        return mo_reader_fail(r, node, "has count=\"%.40s\"; give a number from 1 to %d",
                              count ? count : "", (int)MOST_COPIES);
    }
    const int digits = snprintf(NULL, 0, "%d", copies);
    node->name = "frame";
    node->attributes = NULL;
    node->first = node->last = NULL;
    mo_xml_node *frame = node;
    for (int k = 0; k < copies; ++k) {
        frame = k == 0 ? node : add_frame(&c, &content, frame);
        snprintf(c.number, sizeof c.number, "%0*d", digits, k);
        if (!frame || !copy_children(&c, &content, frame)) {
            return false;
        }
    }
    return true;
}

bool mo_mjcf_replicate_all(mo_reader *r, mo_xml_node *node, int depth)
{
    if (depth > MO_XML_DEPTH) {
        return mo_reader_fail(r, node, "is more than %d levels deep", (int)MO_XML_DEPTH);
    }
    for (mo_xml_node *child = node->first; child; child = child->next) {
        if (!mo_mjcf_replicate_all(r, child, depth + 1) ||
            (strcmp(child->name, "replicate") == 0 && !replicate(r, child))) {
            return false;
        }
    }
    return true;
}
