/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The links of a group, checked as libhdf5 will search them.
 *
 * An old group is a symbol table: a B-tree of nodes (TREE) over leaves (SNOD), with the names in
 * a local heap (HEAP) [hdf5-format, III.A.1, III.B, III.C, III.D].  A new one keeps its links as
 * messages in its own header.  libhdf5 finds a name in the tree by bisection, so the names must
 * increase throughout: then what it finds is what was checked here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/hdf5_parse.h"

enum {
    HEAP_HEAD = 32,
    TREE_HEAD = 24,
    LEAF_HEAD = 8,
    ENTRY = 40,     /* bytes of an entry of a leaf */
    MAX_LEVEL = 16, /* of a tree: far more than any file can use */
    FREE_END = 1    /* ends the heap's list of free blocks */
};

/* One group while it is read. */
typedef struct table {
    mo_guard *guard;
    mo_guard_group *group;
    const char *heap;
    uint64_t heap_size;
} table;

static bool add_link(mo_guard *guard, mo_guard_group *group, mo_guard_link link)
{
    /* An entry costs bytes of the file: more than fit in it mean a tree with shared branches. */
    if (group->count >= guard->size / 8) {
        return mo_guard_fault(guard, "has more links than the file has room for");
    }
    void *links = group->links;
    if (!mo_memory_grow(guard->allocator, &links, &group->room, group->count + 1,
                        sizeof *group->links)) {
        return mo_guard_no_memory(guard);
    }
    group->links = links;
    group->links[group->count++] = link;
    return true;
}

/* ---- local heap ------------------------------------------------------------------------------ */

/* libhdf5 follows the list of free blocks when it loads a heap. */
static bool check_free_list(mo_guard *guard, const unsigned char *data, uint64_t size, uint64_t at)
{
    for (uint64_t steps = 0; at != FREE_END; ++steps) {
        if (at % 8 != 0 || at > size || size - at < 16 || steps > size / 16) {
            return mo_guard_fault(guard, "has a damaged heap of names");
        }
        const uint64_t length = mo_guard_number(data + at + 8, 8);
        if (length < 16 || length > size - at) {
            return mo_guard_fault(guard, "has a damaged heap of names");
        }
        at = mo_guard_number(data + at, 8);
    }
    return true;
}

static bool read_heap(table *t, uint64_t address)
{
    unsigned char p[HEAP_HEAD];
    if (!mo_guard_bytes(t->guard, address, sizeof p, p, "heap of names")) {
        return false;
    }
    if (memcmp(p, "HEAP", 4) != 0 || p[4] != 0) {
        return mo_guard_fault(t->guard, "has no heap of names");
    }
    t->heap_size = mo_guard_number(p + 8, 8);
    if (t->heap_size == 0) {
        return mo_guard_fault(t->guard, "has an empty heap of names");
    }
    unsigned char *data =
        mo_guard_load(t->guard, mo_guard_number(p + 24, 8), t->heap_size, "heap of names");
    if (!data) {
        return false;
    }
    t->heap = t->group->names = (char *)data;
    return check_free_list(t->guard, data, t->heap_size, mo_guard_number(p + 16, 8));
}

static bool name_at(table *t, uint64_t offset, const char **name)
{
    *name = "";
    if (offset >= t->heap_size || !memchr(t->heap + offset, 0, (size_t)(t->heap_size - offset))) {
        return mo_guard_fault(t->guard, "has a link name outside its heap");
    }
    *name = t->heap + offset;
    return true;
}

/* ---- symbol table ---------------------------------------------------------------------------- */

static bool read_entry(table *t, const unsigned char *p, const char **name)
{
    const uint64_t cached = mo_guard_number(p + 16, 4);
    mo_guard_link link = {.address = mo_guard_number(p + 8, 8)};
    if (!name_at(t, mo_guard_number(p, 8), name)) {
        return false;
    }
    link.name = *name;
    if (cached > 2) {
        return mo_guard_fault(t->guard, "has a link of an unknown kind");
    }
    if (cached == 2) { /* the value is a string in the heap */
        const char *value;
        link.kind = MO_GUARD_SOFT;
        if (!name_at(t, mo_guard_number(p + 24, 4), &value)) {
            return false;
        }
    }
    return add_link(t->guard, t->group, link);
}

/* A leaf: its names increase, the first beyond `below`, the last not beyond `last`. */
static bool read_leaf(table *t, uint64_t address, const char *below, const char *last)
{
    const uint64_t size = LEAF_HEAD + 2 * (uint64_t)t->guard->leaf_k * ENTRY;
    unsigned char *p = mo_guard_load(t->guard, address, size, "table of links");
    if (!p) {
        return false;
    }
    const unsigned used = (unsigned)mo_guard_number(p + 6, 2);
    bool good = memcmp(p, "SNOD", 4) == 0 && p[4] == 1 && used >= 1 && used <= 2 * t->guard->leaf_k;
    const char *before = below;
    for (unsigned k = 0; good && k < used; ++k) {
        const char *name;
        good = read_entry(t, p + LEAF_HEAD + (size_t)k * ENTRY, &name) && strcmp(before, name) < 0;
        before = name;
    }
    good = good && strcmp(before, last) <= 0;
    mo_memory_free(t->guard->allocator, p);
    return good || mo_guard_fault(t->guard, "has a damaged table of links");
}

static bool read_node(table *t, uint64_t address, int level, const char *below, const char *last);

/* The children of a node: the keys between them bound the names below. */
static bool read_children(table *t, const unsigned char *p, const char *below, const char *last)
{
    const unsigned level = p[5];
    const unsigned used = (unsigned)mo_guard_number(p + 6, 2);
    const char *left;
    if (!name_at(t, mo_guard_number(p + TREE_HEAD, 8), &left) || strcmp(below, left) > 0) {
        return false;
    }
    for (unsigned k = 0; k < used; ++k) {
        const unsigned char *child = p + TREE_HEAD + 8 + (size_t)k * 16;
        const uint64_t address = mo_guard_number(child, 8);
        const char *right;
        if (!name_at(t, mo_guard_number(child + 8, 8), &right) || strcmp(left, right) >= 0) {
            return false;
        }
        if (!(level == 0 ? read_leaf(t, address, left, right)
                         : read_node(t, address, (int)level - 1, left, right))) {
            return false;
        }
        left = right;
    }
    return !last || strcmp(left, last) <= 0;
}

/* A node of the stated level (-1: any, for the root), so that a descent always ends. */
static bool read_node(table *t, uint64_t address, int level, const char *below, const char *last)
{
    const unsigned most = 2 * t->guard->node_k;
    const uint64_t size = TREE_HEAD + (uint64_t)most * 8 + ((uint64_t)most + 1) * 8;
    unsigned char *p = mo_guard_load(t->guard, address, size, "tree of links");
    if (!p) {
        return false;
    }
    const unsigned used = (unsigned)mo_guard_number(p + 6, 2);
    const bool is_root = level < 0;
    /* An empty group has a root node without children. */
    const bool good = memcmp(p, "TREE", 4) == 0 && p[4] == 0 && p[5] <= MAX_LEVEL && used <= most &&
                      (is_root ? used > 0 || p[5] == 0 : used > 0 && p[5] == level) &&
                      (used == 0 || read_children(t, p, below, last));
    mo_memory_free(t->guard->allocator, p);
    return good || mo_guard_fault(t->guard, "has a damaged tree of links");
}

static bool read_symbol_table(table *t, uint64_t address, const mo_guard_message *message)
{
    if (message->size < 16) {
        return mo_guard_fault(t->guard, "has a damaged object header");
    }
    const uint64_t tree = mo_guard_number(message->data, 8);
    const uint64_t heap = mo_guard_number(message->data + 8, 8);
    /* The superblock keeps a copy for the root group, which libhdf5 may use instead. */
    if (address == t->guard->root && t->guard->root_tree != MO_GUARD_NOWHERE &&
        (t->guard->root_tree != tree || t->guard->root_heap != heap)) {
        return mo_guard_fault(t->guard, "disagrees with the superblock on where its links are");
    }
    return read_heap(t, heap) && read_node(t, tree, -1, "", NULL);
}

/* ---- links as messages ----------------------------------------------------------------------- */

/* Link info: where a heap is named, the links are in it and not in the header. */
static bool check_link_info(mo_guard *guard, const mo_guard_message *message)
{
    const unsigned char *p = message->data;
    if (message->size < 2 || p[0] != 0 || p[1] > 3) {
        return mo_guard_fault(guard, "has a damaged object header");
    }
    const size_t heap = 2 + (p[1] & 1 ? 8 : 0);
    if (message->size < heap + 16 + (p[1] & 2 ? 8 : 0)) {
        return mo_guard_fault(guard, "has a damaged object header");
    }
    return mo_guard_number(p + heap, 8) == MO_GUARD_NOWHERE ||
           mo_guard_fault(guard,
                          "keeps its links in a dense form that is not supported; rewrite the "
                          "file with h5repack");
}

static bool check_group_info(mo_guard *guard, const mo_guard_message *message)
{
    const unsigned char *p = message->data;
    return (message->size >= 2 && p[0] == 0 && p[1] <= 3 &&
            message->size >= 2u + (p[1] & 1 ? 4 : 0) + (p[1] & 2 ? 4 : 0)) ||
           mo_guard_fault(guard, "has a damaged object header");
}

/* The fields of a link message up to its name [hdf5-format, IV.A.2.g]. */
typedef struct link_fields {
    unsigned type;
    size_t name_at, name_size;
} link_fields;

static bool cut_link(const mo_guard_message *message, link_fields *fields)
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
    const uint64_t length = mo_guard_number(p + at, length_bytes);
    at += length_bytes;
    if (length == 0 || length > message->size - at) {
        return false;
    }
    fields->name_at = at;
    fields->name_size = (size_t)length;
    return true;
}

/* Adds one link; its name is copied to `name`, which has room for it. */
static bool read_link(mo_guard *guard, mo_guard_group *group, const mo_guard_message *message,
                      char *name)
{
    link_fields fields;
    mo_guard_link link = {.name = name};
    if (!cut_link(message, &fields)) {
        return mo_guard_fault(guard, "has a damaged link");
    }
    const size_t end = fields.name_at + fields.name_size;
    const size_t rest = message->size - end;
    const unsigned char *value = message->data + end;
    memcpy(name, message->data + fields.name_at, fields.name_size);
    name[fields.name_size] = 0;
    if (fields.type == 0) {
        if (rest < 8) {
            return mo_guard_fault(guard, "has a damaged link");
        }
        link.address = mo_guard_number(value, 8);
    } else {
        /* A value with its length; libhdf5 decodes it even where only a neighbour is wanted. */
        if (rest < 2 || mo_guard_number(value, 2) > rest - 2 || mo_guard_number(value, 2) == 0) {
            return mo_guard_fault(guard, "has a damaged link");
        }
        link.kind = fields.type == 1    ? MO_GUARD_SOFT
                    : fields.type == 64 ? MO_GUARD_EXTERNAL
                                        : MO_GUARD_USER;
    }
    return add_link(guard, group, link);
}

static int compare_links(const void *a, const void *b)
{
    return strcmp(((const mo_guard_link *)a)->name, ((const mo_guard_link *)b)->name);
}

static bool sort_links(mo_guard *guard, mo_guard_group *group)
{
    if (group->count) {
        qsort(group->links, group->count, sizeof *group->links, compare_links);
    }
    for (size_t k = 1; k < group->count; ++k) {
        if (compare_links(&group->links[k - 1], &group->links[k]) == 0) {
            return mo_guard_fault(guard, "has two links of the same name");
        }
    }
    return true;
}

static bool read_link_messages(mo_guard *guard, const mo_guard_header *header,
                               mo_guard_group *group)
{
    size_t room = 1;
    for (size_t k = 0; k < header->count; ++k) {
        room += header->messages[k].size; /* more than the names with their terminators */
    }
    group->names = mo_memory_array(guard->allocator, room, 1);
    if (!group->names) {
        return mo_guard_no_memory(guard);
    }
    char *name = group->names;
    for (size_t k = 0; k < header->count; ++k) {
        const mo_guard_message *message = &header->messages[k];
        if (message->type == MO_H5_LINK) {
            if (!read_link(guard, group, message, name)) {
                return false;
            }
            name += strlen(name) + 1;
        } else if (message->type == MO_H5_GROUP_INFO && !check_group_info(guard, message)) {
            return false;
        }
    }
    return sort_links(guard, group);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool read_links(mo_guard *guard, uint64_t address, const mo_guard_header *header,
                       mo_guard_group *group)
{
    const mo_guard_message *symbol_table, *link_info, *layout, *type;
    if (!mo_guard_message_of(guard, header, MO_H5_SYMBOL_TABLE, &symbol_table) ||
        !mo_guard_message_of(guard, header, MO_H5_LINK_INFO, &link_info) ||
        !mo_guard_message_of(guard, header, MO_H5_LAYOUT, &layout) ||
        !mo_guard_message_of(guard, header, MO_H5_TYPE, &type)) {
        return false;
    }
    if (layout || type || !symbol_table == !link_info) {
        return mo_guard_fault(guard, "is not a group");
    }
    if (symbol_table) {
        table t = {.guard = guard, .group = group};
        return read_symbol_table(&t, address, symbol_table);
    }
    return check_link_info(guard, link_info) && read_link_messages(guard, header, group);
}

bool mo_guard_read_group(mo_guard *guard, uint64_t address, mo_guard_group *group)
{
    mo_guard_header header;
    *group = (mo_guard_group){0};
    guard->error = MO_OK;
    const bool good =
        mo_guard_read_header(guard, address, &header) && read_links(guard, address, &header, group);
    mo_guard_clear_header(guard, &header);
    return good;
}

void mo_guard_clear_group(mo_guard *guard, mo_guard_group *group)
{
    mo_memory_free(guard->allocator, group->links);
    mo_memory_free(guard->allocator, group->names);
    *group = (mo_guard_group){0};
}

const mo_guard_link *mo_guard_find(const mo_guard_group *group, const char *name)
{
    const mo_guard_link key = {.name = name};
    return group->count ? bsearch(&key, group->links, group->count, sizeof key, compare_links)
                        : NULL;
}
