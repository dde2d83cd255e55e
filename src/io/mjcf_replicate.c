/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * <replicate count="n" offset="x y z" euler="a b c" sep="-"> becomes a <frame> that contains n
 * copies of its content, each in the frame of the copy before it, moved by the offset and turned by
 * the angles.  Names of a copy end with the separator and its number, with as many digits as n has.
 * Elements of other sections that refer to the content are copied as often, with the same endings:
 * tendons, then actuators, then what may refer to these.
 */
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"

enum { MOST_COPIES = 400, MOST_DIGITS = 12 }; /* copies are nested: below MO_XML_DEPTH */

typedef struct replica {
    mo_reader *r;
    int copies, digits;
    const char *sep;
    char number[MOST_DIGITS];
} replica;

/* ---- references ------------------------------------------------------------------------------ */

/* Kinds that others refer to; replicated names are in the reader's table by these numbers. */
static const char *const KINDS[] = {"body", "geom", "site", "joint", "tendon", "actuator"};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static bool register_name(const replica *c, const mo_xml_node *node, const char *kind)
{
    const char *name = mo_xml_get(node, "name");
    for (int k = 0; name && k < KIND_COUNT; ++k)
        if (strcmp(kind, KINDS[k]) == 0 && mo_reader_name_find(c->r, (char)('1' + k), name) < 0)
            return mo_reader_name_add(c->r, node, (char)('1' + k), name, 0);
    return true;
}

static bool register_all(const replica *c, const mo_xml_node *tree)
{
    for (const mo_xml_node *child = tree->first; child; child = child->next) {
        const char *kind = strcmp(child->name, "freejoint") == 0 ? "joint" : child->name;
        MO_PASS(register_name(c, child, kind) && register_all(c, child));
    }
    return true;
}

/* Does the attribute name something that is replicated? */
static int refers(const replica *c, const mo_xml_attribute *at)
{
    const int is_any = strcmp(at->name, "objname") == 0 || strcmp(at->name, "refname") == 0;
    for (int k = 0; k < KIND_COUNT; ++k)
        if ((is_any || strstr(at->name, KINDS[k])) &&
            mo_reader_name_find(c->r, (char)('1' + k), at->value) >= 0)
            return 1;
    return 0;
}

static int has_reference(const replica *c, const mo_xml_node *node)
{
    for (const mo_xml_attribute *at = node->attributes; at; at = at->next)
        if (refers(c, at)) return 1;
    for (const mo_xml_node *child = node->first; child; child = child->next)
        if (has_reference(c, child)) return 1;
    return 0;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool copy_attribute(const replica *c, mo_xml_node *node, const mo_xml_attribute *from)
{
    const bool is_name = strcmp(from->name, "name") == 0 && from->value[0];
    const char *value = is_name || refers(c, from)
                            ? mo_reader_join(c->r, from->value, c->sep, c->number)
                            : from->value;
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

static bool copy_element(const replica *c, const mo_xml_node *from, mo_xml_node *to)
{
    mo_xml_node *copy = add_child(c->r, to, from, from->name);
    MO_PASS(copy);
    for (const mo_xml_attribute *at = from->attributes; at; at = at->next)
        MO_PASS(copy_attribute(c, copy, at));
    for (const mo_xml_node *child = from->first; child; child = child->next)
        MO_PASS(copy_element(c, child, copy));
    return true;
}

static void set_number(replica *c, int k)
{
    snprintf(c->number, sizeof c->number, "%0*d", c->digits, k);
}

/* Elements of the section that refer to what is replicated: a copy for each. */
static bool copy_references(replica *c, mo_xml_node *section)
{
    mo_xml_node *child = section->first, *next;
    section->first = section->last = NULL;
    for (; child; child = next) {
        const int is_copied = has_reference(c, child);
        next = child->next;
        for (int k = 0; is_copied && k < c->copies; ++k) {
            set_number(c, k);
            MO_PASS(copy_element(c, child, section));
        }
        if (!is_copied) mo_xml_append(section, child);
        MO_PASS(!is_copied || register_name(c, child, section->name));
    }
    return true;
}

static bool copy_all_references(replica *c)
{
    static const char *const SECTIONS[] = {"tendon", "actuator", "contact", "equality", "sensor"};
    for (size_t k = 0; k < sizeof SECTIONS / sizeof SECTIONS[0]; ++k)
        for (mo_xml_node *section = c->r->root->first; section; section = section->next)
            MO_PASS(strcmp(section->name, SECTIONS[k]) != 0 || copy_references(c, section));
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
        if (name && !mo_reader_set(c->r, frame, name, at->value)) return NULL;
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
    c.copies = copies;
    c.digits = snprintf(NULL, 0, "%d", copies);
    node->name = "frame";
    node->attributes = NULL;
    node->first = node->last = NULL;
    mo_xml_node *frame = node;
    for (int k = 0; k < copies; ++k) {
        frame = k == 0 ? node : add_frame(&c, &content, frame);
        MO_PASS(frame);
        set_number(&c, k);
        for (const mo_xml_node *child = content.first; child; child = child->next)
            MO_PASS(copy_element(&c, child, frame));
    }
    return register_all(&c, &content) && copy_all_references(&c);
}

bool mo_mjcf_replicate_all(mo_reader *r, mo_xml_node *node, int depth)
{
    MO_FAIL_IF(depth > MO_XML_DEPTH,
               mo_reader_fail(r, node, "is more than %d levels deep", (int)MO_XML_DEPTH));
    for (mo_xml_node *child = node->first; child; child = child->next)
        if (!mo_mjcf_replicate_all(r, child, depth + 1) ||
            (strcmp(child->name, "replicate") == 0 && !replicate(r, child)))
            return false;
    return true;
}
