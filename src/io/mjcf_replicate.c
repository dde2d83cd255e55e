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

static bool copy_attribute(const replica *c, mo_xml_node *node, const mo_xml_attribute *from)
{
    const bool is_name = strcmp(from->name, "name") == 0 && from->value[0];
    const char *value =
        is_name ? mo_reader_join(c->r, from->value, c->sep, c->number) : from->value;
    return value && mo_reader_set(c->r, node, from->name, value);
}

static mo_xml_node *add_child(mo_reader *r, mo_xml_node *parent, const mo_xml_node *like,
                              const char *name)
{
    if (++r->elements > MO_XML_ELEMENTS) {
        mo_reader_fail(r, like, "makes more than %d elements", (int)MO_XML_ELEMENTS);
        return NULL;
    }
    return mo_reader_element(r, parent, name, like);
}

static bool copy_children(const replica *c, const mo_xml_node *from, mo_xml_node *to)
{
    for (const mo_xml_node *child = from->first; child; child = child->next) {
        mo_xml_node *copy = add_child(c->r, to, child, child->name);
        MO_PASS(copy);
        for (const mo_xml_attribute *at = child->attributes; at; at = at->next) {
            MO_PASS(copy_attribute(c, copy, at));
        }
        MO_PASS(copy_children(c, child, copy));
    }
    return true;
}

/* The frame of the next copy, in that of the last one. */
static mo_xml_node *add_frame(const replica *c, const mo_xml_node *content, mo_xml_node *around)
{
    mo_xml_node *frame = add_child(c->r, around, content, "frame");
    for (const mo_xml_attribute *at = content->attributes; frame && at; at = at->next) {
        const char *name = strcmp(at->name, "offset") == 0  ? "pos"
                           : strcmp(at->name, "euler") == 0 ? "euler"
                                                            : NULL;
        if (name && !mo_reader_set(c->r, frame, name, at->value)) {
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
    MO_FAIL_IF(!count || sscanf(count, "%d %c", &copies, &rest) != 1 || copies < 1 ||
                   copies > MOST_COPIES,
               mo_reader_fail(r, node, "has count=\"%.40s\"; give a number from 1 to %d",
                              count ? count : "", (int)MOST_COPIES));
    const int digits = snprintf(NULL, 0, "%d", copies);
    node->name = "frame";
    node->attributes = NULL;
    node->first = node->last = NULL;
    mo_xml_node *frame = node;
    for (int k = 0; k < copies; ++k) {
        frame = k == 0 ? node : add_frame(&c, &content, frame);
        snprintf(c.number, sizeof c.number, "%0*d", digits, k);
        MO_PASS(frame && copy_children(&c, &content, frame));
    }
    return true;
}

bool mo_mjcf_replicate_all(mo_reader *r, mo_xml_node *node, int depth)
{
    MO_FAIL_IF(depth > MO_XML_DEPTH,
               mo_reader_fail(r, node, "is more than %d levels deep", (int)MO_XML_DEPTH));
    for (mo_xml_node *child = node->first; child; child = child->next) {
        if (!mo_mjcf_replicate_all(r, child, depth + 1) ||
            (strcmp(child->name, "replicate") == 0 && !replicate(r, child))) {
            return false;
        }
    }
    return true;
}
