/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * XML as a tree of elements and attributes, each with its line; text between elements is ignored.
 * Only xml.c calls libxml2.
 *
 * Limits, each with an error message: 16 MiB per file, 100,000 elements in total, 500 levels, no
 * document type declaration (no entities but the five of XML), no network access.
 */
#ifndef MO_IO_XML_H
#define MO_IO_XML_H

#include "base/pool.h"

enum { MO_XML_BYTES = 16 << 20, MO_XML_ELEMENTS = 100000, MO_XML_DEPTH = 500 };

typedef struct mo_xml_attribute {
    const char *name, *value;
    struct mo_xml_attribute *next;
} mo_xml_attribute;

typedef struct mo_xml_node {
    const char *name;
    const char *file; /* "" in the first file, otherwise as it was included */
    int line;
    int part;         /* of a model that others are attached to (mjcf_attach.c); 0: its own */
    const char *text; /* of an element without others in it, without blanks around it; or NULL */
    mo_xml_attribute *attributes;
    struct mo_xml_node *parent, *first, *last, *next;
} mo_xml_node;

/* `elements` counts on from file to file.  The tree is in the pool. */
mo_error mo_xml_read(const char *path, const char *file, mo_pool *pool, int *elements,
                     mo_xml_node **root, mo_message *why);

/* The value of an attribute, the text of a child, the first child of that name, and the next one
 * after `node`; NULL if there is none.  The node may be NULL, but for the last. */
const char *mo_xml_get(const mo_xml_node *node, const char *attribute);
const char *mo_xml_text(const mo_xml_node *node, const char *child);
const mo_xml_node *mo_xml_child(const mo_xml_node *node, const char *name);
const mo_xml_node *mo_xml_next(const mo_xml_node *node, const char *name);
/* All children of that name; the parent may be NULL. */
#define MO_XML_EACH(node, parent, name)                                                            \
    for (const mo_xml_node *node = mo_xml_child((parent), (name)); node;                           \
         node = mo_xml_next(node, (name)))
/* Does the attribute have that value? */
bool mo_xml_equals(const mo_xml_node *node, const char *attribute, const char *value);
/* Does a list with a space before and after each word contain the word? */
bool mo_text_has_word(const char *list, const char *word);
/* Makes the node the last child of the parent. */
void mo_xml_append(mo_xml_node *parent, mo_xml_node *node);

#endif
