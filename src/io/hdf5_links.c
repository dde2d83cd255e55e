/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The links of a group.
 *
 * An old group is a symbol table: a B-tree of nodes (TREE) over leaves (SNOD), with the names in
 * a local heap (HEAP) [hdf5-format, III.A.1, III.B, III.C, III.D].  A new one keeps its links as
 * messages in its own header.  Nodes have falling levels, and all together are no larger than the
 * file (mo_h5_spend), so that a walk always ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/hdf5_parse.h"

enum {
    HEAP_HEAD = 32,
    TREE_HEAD = 24,
    LEAF_HEAD = 8,
    ENTRY = 40,    /* bytes of an entry of a leaf */
    MAX_LEVEL = 16 /* of a tree: far more than any file can use */
};

/* One group while it is read. */
typedef struct table {
    mo_h5 *h;
    mo_h5_group *group;
    const char *heap;
    uint64_t heap_size;
} table;

static bool add_link(mo_h5 *h, mo_h5_group *group, mo_h5_link link)
{
    MO_FAIL_IF(!MO_GROW(h->allocator, group->links, group->room, group->count + 1),
               mo_h5_no_memory(h));
    group->links[group->count++] = link;
    return true;
}

/* ---- local heap ------------------------------------------------------------------------------ */

static bool read_heap(table *t, uint64_t address)
{
    unsigned char p[HEAP_HEAD];
    MO_PASS(mo_h5_bytes(t->h, address, sizeof p, p, "heap of names"));
    MO_FAIL_IF(memcmp(p, "HEAP", 4) != 0 || p[4] != 0, mo_h5_fault(t->h, "has no heap of names"));
    t->heap_size = mo_h5_number(p + 8, 8);
    MO_FAIL_IF(t->heap_size == 0, mo_h5_fault(t->h, "has an empty heap of names"));
    unsigned char *data = mo_h5_load(t->h, mo_h5_number(p + 24, 8), t->heap_size, "heap of names");
    MO_PASS(data);
    t->heap = t->group->names = (char *)data;
    return true;
}

/* ---- symbol table ---------------------------------------------------------------------------- */

static bool read_entry(table *t, const unsigned char *p)
{
    const uint64_t cached = mo_h5_number(p + 16, 4), name = mo_h5_number(p, 8);
    MO_FAIL_IF(name >= t->heap_size || !memchr(t->heap + name, 0, (size_t)(t->heap_size - name)),
               mo_h5_fault(t->h, "has a link name outside its heap"));
    MO_FAIL_IF(cached > 2, mo_h5_fault(t->h, "has a link of an unknown kind"));
    const mo_h5_link link = {.name = t->heap + name,
                             .address = mo_h5_number(p + 8, 8),
                             .kind = cached == 2 ? MO_H5_SOFT : MO_H5_HARD};
    return add_link(t->h, t->group, link);
}

static bool read_leaf(table *t, uint64_t address)
{
    const uint64_t size = LEAF_HEAD + 2 * (uint64_t)t->h->leaf_k * ENTRY;
    unsigned char *p = mo_h5_load(t->h, address, size, "table of links");
    MO_PASS(p);
    const unsigned used = (unsigned)mo_h5_number(p + 6, 2);
    bool good = memcmp(p, "SNOD", 4) == 0 && p[4] == 1 && used >= 1 && used <= 2 * t->h->leaf_k;
    for (unsigned k = 0; good && k < used; ++k) {
        good = read_entry(t, p + LEAF_HEAD + (size_t)k * ENTRY);
    }
    mo_memory_free(t->h->allocator, p);
    return good || mo_h5_fault(t->h, "has a damaged table of links");
}

/* A node of the stated level (-1: any, for the root), so that a descent always ends. */
static bool read_node(table *t, uint64_t address, int level)
{
    const unsigned most = 2 * t->h->node_k;
    const uint64_t size = TREE_HEAD + (uint64_t)most * 8 + ((uint64_t)most + 1) * 8;
    unsigned char *p = mo_h5_load(t->h, address, size, "tree of links");
    MO_PASS(p);
    const unsigned used = (unsigned)mo_h5_number(p + 6, 2);
    const bool is_root = level < 0;
    /* An empty group has a root node without children. */
    bool good = memcmp(p, "TREE", 4) == 0 && p[4] == 0 && p[5] <= MAX_LEVEL && used <= most &&
                (is_root ? used > 0 || p[5] == 0 : used > 0 && p[5] == level);
    for (unsigned k = 0; good && k < used; ++k) {
        const uint64_t child = mo_h5_number(p + TREE_HEAD + 8 + (size_t)k * 16, 8);
        good = p[5] == 0 ? read_leaf(t, child) : read_node(t, child, p[5] - 1);
    }
    mo_memory_free(t->h->allocator, p);
    return good || mo_h5_fault(t->h, "has a damaged tree of links");
}

static bool read_symbol_table(table *t, const mo_h5_message *message)
{
    MO_FAIL_IF(message->size < 16, mo_h5_fault(t->h, "has a damaged object header"));
    return read_heap(t, mo_h5_number(message->data + 8, 8)) &&
           read_node(t, mo_h5_number(message->data, 8), -1);
}

/* ---- links as messages ----------------------------------------------------------------------- */

/* Link info: with a heap address, the links are in the heap and not in the header. */
static bool check_link_info(mo_h5 *h, const mo_h5_message *message)
{
    const unsigned char *p = message->data;
    MO_FAIL_IF(message->size < 2 || p[0] != 0 || p[1] > 3,
               mo_h5_fault(h, "has a damaged object header"));
    const size_t heap = 2 + (p[1] & 1 ? 8 : 0);
    MO_FAIL_IF(message->size < heap + 16 + (p[1] & 2 ? 8 : 0),
               mo_h5_fault(h, "has a damaged object header"));
    return mo_h5_number(p + heap, 8) == MO_H5_NOWHERE ||
           mo_h5_fault(h, "keeps its links in a dense form that is not supported; rewrite the "
                          "file with h5repack");
}

/* The fields of a link message up to its name [hdf5-format, IV.A.2.g]. */
typedef struct link_fields {
    unsigned type;
    size_t name_at, name_size;
} link_fields;

static bool cut_link(const mo_h5_message *message, link_fields *fields)
{
    const unsigned char *p = message->data;
    if (message->size < 2 || p[0] != 1 || p[1] & 0xE0) {
        return false;
    }
    const unsigned flags = p[1];
    const unsigned length_bytes = 1u << (flags & 3);
    size_t at = 2;
    const size_t fixed = (flags & 8 ? 1 : 0) + (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0);
    if (message->size - at < fixed + length_bytes) {
        return false;
    }
    fields->type = flags & 8 ? p[at] : 0;
    at += fixed;
    const uint64_t length = mo_h5_number(p + at, length_bytes);
    at += length_bytes;
    if (length == 0 || length > message->size - at) {
        return false;
    }
    fields->name_at = at;
    fields->name_size = (size_t)length;
    return true;
}

/* Adds one link; its name is copied to `name`, which has room for it. */
static bool read_link(mo_h5 *h, mo_h5_group *group, const mo_h5_message *message, char *name)
{
    link_fields fields;
    mo_h5_link link = {.name = name};
    MO_FAIL_IF(!cut_link(message, &fields), mo_h5_fault(h, "has a damaged link"));
    const size_t end = fields.name_at + fields.name_size;
    const size_t rest = message->size - end;
    const unsigned char *value = message->data + end;
    memcpy(name, message->data + fields.name_at, fields.name_size);
    name[fields.name_size] = 0;
    if (fields.type == 0) {
        MO_FAIL_IF(rest < 8, mo_h5_fault(h, "has a damaged link"));
        link.address = mo_h5_number(value, 8);
    } else {
        link.kind = fields.type == 1 ? MO_H5_SOFT : fields.type == 64 ? MO_H5_EXTERNAL : MO_H5_USER;
    }
    return add_link(h, group, link);
}

static int compare_links(const void *a, const void *b)
{
    return strcmp(((const mo_h5_link *)a)->name, ((const mo_h5_link *)b)->name);
}

static bool sort_links(mo_h5 *h, mo_h5_group *group)
{
    if (group->count) {
        qsort(group->links, group->count, sizeof *group->links, compare_links);
    }
    for (size_t k = 1; k < group->count; ++k) {
        MO_FAIL_IF(compare_links(&group->links[k - 1], &group->links[k]) == 0,
                   mo_h5_fault(h, "has two links of the same name"));
    }
    return true;
}

static bool read_link_messages(mo_h5 *h, const mo_h5_header *header, mo_h5_group *group)
{
    size_t room = 1;
    for (size_t k = 0; k < header->count; ++k) {
        room += header->messages[k].size; /* more than the names with their terminators */
    }
    group->names = mo_memory_array(h->allocator, room, 1);
    MO_FAIL_IF(!group->names, mo_h5_no_memory(h));
    char *name = group->names;
    for (size_t k = 0; k < header->count; ++k) {
        const mo_h5_message *message = &header->messages[k];
        if (message->type == MO_H5_LINK) {
            MO_PASS(read_link(h, group, message, name));
            name += strlen(name) + 1;
        }
    }
    return true;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool read_links(mo_h5 *h, const mo_h5_header *header, mo_h5_group *group)
{
    const mo_h5_message *symbol_table, *link_info, *layout, *type;
    MO_PASS(mo_h5_message_of(h, header, MO_H5_SYMBOL_TABLE, &symbol_table) &&
            mo_h5_message_of(h, header, MO_H5_LINK_INFO, &link_info) &&
            mo_h5_message_of(h, header, MO_H5_LAYOUT, &layout) &&
            mo_h5_message_of(h, header, MO_H5_TYPE, &type));
    MO_FAIL_IF(layout || type || !symbol_table == !link_info, mo_h5_fault(h, "is not a group"));
    table t = {.h = h, .group = group};
    const bool good = symbol_table
                          ? read_symbol_table(&t, symbol_table)
                          : check_link_info(h, link_info) && read_link_messages(h, header, group);
    return good && sort_links(h, group);
}

bool mo_h5_read_links(mo_h5 *h, uint64_t address, mo_h5_group *group)
{
    mo_h5_header header;
    h->place = group->path;
    h->budget = h->size;
    const bool good = mo_h5_read_header(h, address, &header) && read_links(h, &header, group);
    mo_h5_clear_header(h, &header);
    return good;
}

void mo_h5_leave(mo_h5 *h, mo_h5_group *group)
{
    MO_FREE(h->allocator, group->links, group->names);
    group->links = NULL;
    group->names = NULL;
    group->count = group->room = 0;
}

const mo_h5_link *mo_h5_find(const mo_h5_group *group, const char *name)
{
    const mo_h5_link key = {.name = name};
    return group->count ? bsearch(&key, group->links, group->count, sizeof key, compare_links)
                        : NULL;
}
