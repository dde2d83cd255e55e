/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The links of a group.
 *
 * An old group is a symbol table: a B-tree of nodes (TREE) over leaves (SNOD), with the names in
 * a local heap (HEAP) [hdf5-format, III.A.1, III.B, III.C, III.D].  A new one keeps its links as
 * messages in its own header.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/hdf5_parse.h"

enum { HEAP_HEAD = 32, LEAF_HEAD = 8, ENTRY = 40 }; /* bytes, of an entry of a leaf the last */

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

static bool read_heap(table *t, uint64_t address)
{
    unsigned char p[HEAP_HEAD];
    MO_PASS(mo_h5_bytes(t->h, address, sizeof p, p, "heap of names"));
    MO_FAIL_IF(memcmp(p, "HEAP", 4) != 0 || p[4] != 0, mo_h5_fault(t->h, "has no heap of names"));
    t->heap_size = mo_h5_number(p + 8, 8);
    MO_FAIL_IF(t->heap_size == 0, mo_h5_fault(t->h, "has an empty heap of names"));
    t->heap = (char *)mo_h5_load(t->h, mo_h5_number(p + 24, 8), t->heap_size, "heap of names");
    return t->heap != NULL;
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

static bool read_leaf(void *user, const unsigned char *key, uint64_t address, bool is_leaf)
{
    (void)key;
    table *t = user;
    if (!is_leaf) {
        return true;
    }
    const uint64_t size = LEAF_HEAD + 2 * (uint64_t)t->h->leaf_k * ENTRY;
    const unsigned char *p = mo_h5_load(t->h, address, size, "table of links");
    MO_PASS(p);
    const unsigned used = (unsigned)mo_h5_number(p + 6, 2);
    MO_FAIL_IF(memcmp(p, "SNOD", 4) != 0 || p[4] != 1 || used < 1 || used > 2 * t->h->leaf_k,
               mo_h5_fault(t->h, "has a damaged table of links"));
    for (unsigned k = 0; k < used; ++k) {
        MO_PASS(read_entry(t, p + LEAF_HEAD + (size_t)k * ENTRY));
    }
    return true;
}

static bool read_symbol_table(table *t, const mo_h5_message *message)
{
    const mo_h5_tree tree = {"tree of links", 0, t->h->node_k, 8, read_leaf, t};
    MO_FAIL_IF(message->size < 16, mo_h5_fault(t->h, "has a damaged object header"));
    return read_heap(t, mo_h5_number(message->data + 8, 8)) &&
           mo_h5_walk_tree(t->h, &tree, mo_h5_number(message->data, 8));
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

/* Adds the link of a message [hdf5-format, IV.A.2.g]. */
static bool read_link(mo_h5 *h, mo_h5_group *group, const mo_h5_message *message)
{
    const unsigned char *p = message->data;
    const unsigned flags = message->size < 2 ? 0xE0 : p[1], length_bytes = 1u << (flags & 3);
    size_t at = 2 + (flags & 8 ? 1 : 0) + (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0);
    MO_FAIL_IF(flags & 0xE0 || p[0] != 1 || message->size < at + length_bytes,
               mo_h5_fault(h, "has a damaged link"));
    const unsigned type = flags & 8 ? p[2] : 0;
    const uint64_t length = mo_h5_number(p + at, length_bytes);
    at += length_bytes;
    MO_FAIL_IF(length == 0 || length > message->size - at ||
                   (type == 0 && message->size - at - length < 8),
               mo_h5_fault(h, "has a damaged link"));
    const unsigned char *value = p + at + length;
    const mo_h5_link link = {.name = mo_pool_text(h->pool, (const char *)p + at, (size_t)length),
                             .address = type == 0 ? mo_h5_number(value, 8) : 0,
                             .kind = type == 0    ? MO_H5_HARD
                                     : type == 1  ? MO_H5_SOFT
                                     : type == 64 ? MO_H5_EXTERNAL
                                                  : MO_H5_USER};
    return link.name ? add_link(h, group, link) : mo_h5_no_memory(h);
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

/* ---- groups ---------------------------------------------------------------------------------- */

static bool read_links(mo_h5 *h, const mo_h5_header *header, mo_h5_group *group)
{
    const mo_h5_message *symbol_table = header->of[MO_H5_SYMBOL_TABLE];
    const mo_h5_message *link_info = header->of[MO_H5_LINK_INFO];
    MO_FAIL_IF(header->of[MO_H5_LAYOUT] || header->of[MO_H5_TYPE] || !symbol_table == !link_info,
               mo_h5_fault(h, "is not a group"));
    if (symbol_table) {
        table t = {.h = h, .group = group};
        MO_PASS(read_symbol_table(&t, symbol_table));
    } else {
        MO_PASS(check_link_info(h, link_info));
        for (const mo_h5_message *m = header->of[MO_H5_LINK]; m; m = m->next) {
            MO_PASS(read_link(h, group, m));
        }
    }
    return sort_links(h, group);
}

bool mo_h5_read_links(mo_h5 *h, uint64_t address, mo_h5_group *group)
{
    mo_h5_header header;
    h->place = group->path;
    h->budget = h->size;
    group->pool.allocator = *h->allocator;
    h->pool = &group->pool;
    return mo_h5_read_header(h, address, &header) && read_links(h, &header, group);
}

void mo_h5_leave(mo_h5 *h, mo_h5_group *group)
{
    mo_memory_free(h->allocator, group->links);
    mo_pool_clear(&group->pool);
    group->links = NULL;
    group->count = group->room = 0;
}

const mo_h5_link *mo_h5_find(const mo_h5_group *group, const char *name)
{
    const mo_h5_link key = {.name = name};
    return group->count ? bsearch(&key, group->links, group->count, sizeof key, compare_links)
                        : NULL;
}
