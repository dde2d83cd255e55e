/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Access to the tree of an XML file. */
#include <string.h>

#include "io/xml.h"

const char *mo_xml_get(const mo_xml_node *node, const char *attribute)
{
    for (const mo_xml_attribute *a = node ? node->attributes : NULL; a; a = a->next)
        if (strcmp(a->name, attribute) == 0) return a->value;
    return NULL;
}

bool mo_xml_equals(const mo_xml_node *node, const char *attribute, const char *value)
{
    const char *own = mo_xml_get(node, attribute);
    return own && strcmp(own, value) == 0;
}

static const mo_xml_node *named(const mo_xml_node *node, const char *name)
{
    while (node && strcmp(node->name, name) != 0)
        node = node->next;
    return node;
}

const mo_xml_node *mo_xml_child(const mo_xml_node *node, const char *name)
{
    return node ? named(node->first, name) : NULL;
}

const char *mo_xml_text(const mo_xml_node *node, const char *child)
{
    const mo_xml_node *found = mo_xml_child(node, child);
    return found ? found->text : NULL;
}

void mo_xml_append(mo_xml_node *parent, mo_xml_node *node)
{
    node->parent = parent;
    node->next = NULL;
    *(parent->last ? &parent->last->next : &parent->first) = node;
    parent->last = node;
}

bool mo_text_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    const bool is_one = length > 0 && !strchr(word, ' ');
    for (const char *at = strstr(list, word); is_one && at; at = strstr(at + 1, word))
        if (at > list && at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

const mo_xml_node *mo_xml_next(const mo_xml_node *node, const char *name)
{
    return named(node->next, name);
}
