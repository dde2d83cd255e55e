/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Default classes.  An element takes a missing attribute from its class or the nearest parent class
 * that has it.  Its class is given by `class`, by the `childclass` of the nearest enclosing body,
 * or is the top class.  Several <default> sections extend the same classes.
 *
 * All actuators share one set of defaults, and so do all equalities.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"

enum { MOST_DEFAULTS = 3000 }; /* elements in all: every lookup goes through some of them */
enum { MOST_LEVELS = MO_XML_DEPTH };

static int find_class(const mo_mjcf *m, const char *name)
{
    return mo_reader_name_find(m->r, 'c', name);
}

static bool add_node(mo_mjcf *m, int place, const mo_xml_node *node)
{
    mo_mjcf_class *class = m->classes + place;
    const mo_xml_node **more =
        mo_pool_take(&m->r->tree, (size_t) class->node_count + 1, sizeof *more);
    MO_FAIL_IF(!more, mo_reader_no_memory(m->r));
    for (int k = 0; k < class->node_count; ++k)
        more[k] = class->nodes[k];
    more[class->node_count++] = node;
    class->nodes = more;
    return true;
}

static int add_class(mo_mjcf *m, const mo_xml_node *node, const char *name, int parent)
{
    if (m->class_count == MOST_DEFAULTS) {
        mo_reader_fail(m->r, node, "is one of more than %d default classes", (int)MOST_DEFAULTS);
        return -1;
    }
    m->classes[m->class_count] = (mo_mjcf_class){.name = name, .parent = parent};
    return mo_reader_name_add(m->r, node, 'c', name, m->class_count) ? m->class_count++ : -1;
}

static bool read_class(mo_mjcf *m, const mo_xml_node *node, int parent, int *elements)
{
    const char *name = mo_xml_get(node, "class");
    const int is_top = parent < 0 && node->part == 0; /* an attached part has its own */
    int place = is_top ? 0 : find_class(m, name);
    MO_FAIL_IF(parent >= 0 && (!name || !name[0]),
               mo_reader_fail(m->r, node, "inside another <default> has no class"));
    if (is_top && name && place != find_class(m, name) &&
        !mo_reader_name_add(m->r, node, 'c', name, 0))
        return false;
    if (place < 0) {
        place = add_class(m, node, name, parent);
    } else if (parent >= 0 && m->classes[place].parent != parent) {
        return mo_reader_fail(
            m->r, node, "has the class '%.80s', which is already defined inside another class",
            name);
    }
    MO_PASS(place >= 0 && add_node(m, place, node));
    for (const mo_xml_node *child = node->first; child; child = child->next) {
        MO_FAIL_IF(
            ++*elements > MOST_DEFAULTS,
            mo_reader_fail(m->r, child, "is one of more than %d defaults", (int)MOST_DEFAULTS));
        if (strcmp(child->name, "default") == 0 && !read_class(m, child, place, elements))
            return false;
    }
    return true;
}

bool mo_mjcf_defaults(mo_mjcf *m)
{
    int elements = 0;
    m->classes = mo_pool_take(&m->r->tree, MOST_DEFAULTS, sizeof *m->classes);
    MO_FAIL_IF(!m->classes, mo_reader_no_memory(m->r));
    m->classes[0] = (mo_mjcf_class){.name = "main", .parent = -1};
    m->class_count = 1;
    MO_PASS(mo_reader_name_add(m->r, NULL, 'c', "main", 0));
    MO_XML_EACH (node, m->r->root, "default")
        MO_PASS(read_class(m, node, -1, &elements));
    return true;
}

/* ---- lookup ---------------------------------------------------------------------------------- */

/* The class of an element; -1 and a sentence if it is not there. */
static int class_of(mo_mjcf *m, const mo_xml_node *node)
{
    const char *name = mo_xml_get(node, "class");
    const mo_xml_node *at = node;
    for (const mo_xml_node *up = node->parent; up && !name; up = up->parent) {
        name = mo_xml_get(up, "childclass");
        at = up;
    }
    const int place = name ? find_class(m, name) : 0;
    if (place < 0) mo_reader_fail(m->r, at, "has the class '%.80s', which is not defined", name);
    return place;
}

/* Is the element of a <default> about this kind? */
static bool is_about(const mo_xml_node *node, const char *kind)
{
    return strcmp(kind, "actuator") == 0
               ? mo_text_has_word(" general motor position velocity intvelocity damper cylinder "
                                  "muscle adhesion ",
                                  node->name)
               : strcmp(node->name, kind) == 0 || (strcmp(kind, "tendon") == 0 &&
                                                   mo_text_has_word(" fixed spatial ", node->name));
}

/* The element of the class that has the attribute: the last one is used; NULL: none. */
static const mo_xml_node *holder_in_class(const mo_mjcf_class *class, const char *kind,
                                          const char *attribute)
{
    const mo_xml_node *found = NULL;
    for (int k = 0; k < class->node_count; ++k) {
        for (const mo_xml_node *node = class->nodes[k]->first; node; node = node->next)
            if (is_about(node, kind) && mo_xml_get(node, attribute)) found = node;
    }
    return found;
}

/* Itself, or the element of a default; its line is used in messages.  NULL: none. */
static const mo_xml_node *holder_of(mo_mjcf *m, const mo_xml_node *node, const char *kind,
                                    const char *attribute)
{
    const mo_xml_node *holder = mo_xml_get(node, attribute) ? node : NULL;
    if (holder || !kind) return holder;
    for (int c = class_of(m, node); c >= 0 && !holder; c = m->classes[c].parent)
        holder = holder_in_class(m->classes + c, kind, attribute);
    return holder;
}

bool mo_mjcf_each_default(mo_mjcf *m, const mo_xml_node *node, const char *kind,
                          bool (*visit)(mo_mjcf *, const mo_xml_node *, void *), void *user)
{
    int chain[MOST_LEVELS], count = 0;
    for (int c = class_of(m, node); c >= 0 && count < MOST_LEVELS; c = m->classes[c].parent)
        chain[count++] = c;
    while (count > 0 && !m->r->error) {
        const mo_mjcf_class *class = m->classes + chain[--count];
        for (int k = 0; k < class->node_count; ++k) {
            for (const mo_xml_node *at = class->nodes[k]->first; at; at = at->next)
                if (is_about(at, kind) && !visit(m, at, user)) return false;
        }
    }
    return !m->r->error;
}

const char *mo_mjcf_get(mo_mjcf *m, const mo_xml_node *node, const char *kind,
                        const char *attribute)
{
    return mo_xml_get(holder_of(m, node, kind, attribute), attribute);
}

bool mo_mjcf_numbers(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                     int least, int most, double *out, int *count)
{
    const mo_xml_node *holder = holder_of(m, node, kind, attribute);
    if (count) *count = 0;
    return !m->r->error &&
           (!holder || mo_reader_numbers(m->r, holder, attribute, mo_xml_get(holder, attribute),
                                         least, most, out, count));
}

bool mo_mjcf_number(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                    double *out)
{
    return mo_mjcf_numbers(m, node, kind, attribute, 1, 1, out, NULL);
}

bool mo_mjcf_amount(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                    double *out)
{
    return mo_mjcf_number(m, node, kind, attribute, out) &&
           (*out >= 0 || mo_reader_fail(m->r, node, "has %s=\"%g\", which must not be negative",
                                        attribute, *out));
}

bool mo_mjcf_whole(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                   int *out)
{
    double value = *out;
    MO_PASS(mo_mjcf_number(m, node, kind, attribute, &value));
    MO_FAIL_IF(
        value != floor(value) || fabs(value) > INT_MAX,
        mo_reader_fail(m->r, node, "has %s=\"%g\", which is not a whole number", attribute, value));
    *out = (int)value;
    return true;
}

bool mo_mjcf_word(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                  const char *const *words, int *out)
{
    const mo_xml_node *holder = holder_of(m, node, kind, attribute);
    if (m->r->error || !holder) return !m->r->error;
    const char *text = mo_xml_get(holder, attribute);
    char list[300] = "";
    for (int k = 0; words[k]; ++k) {
        if (strcmp(words[k], text) == 0) {
            *out = k;
            return true;
        }
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", words[k]);
    }
    return mo_reader_fail(m->r, holder, "has %s=\"%.60s\", which is none of its values: %s",
                          attribute, text, list);
}

bool mo_mjcf_truth(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *attribute,
                   int *out)
{
    static const char *const TRUTH[] = {"false", "true", NULL};
    return mo_mjcf_word(m, node, kind, attribute, TRUTH, out);
}

bool mo_mjcf_limits(mo_mjcf *m, const mo_xml_node *node, const char *kind, const char *limited,
                    const char *range, int *has, double out[2])
{
    static const char *const CHOICES[] = {"false", "true", "auto", NULL};
    int choice = MO_MJCF_AUTO;
    const char *text = mo_mjcf_get(m, node, kind, range);
    MO_PASS(mo_mjcf_word(m, node, kind, limited, CHOICES, &choice));
    *has = choice == MO_MJCF_YES || (choice == MO_MJCF_AUTO && text);
    if (!*has) return true;
    MO_FAIL_IF(!text, mo_reader_fail(m->r, node, "is %s but has no %s", limited, range));
    return mo_reader_range(m->r, node, range, text, out) &&
           mo_reader_ordered(m->r, node, range, out);
}
