/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Object headers and the links of a group.
 *
 * A header, version 1 or 2, is one chunk of bytes that may continue in others, and is split into
 * messages [hdf5-format, IV.A.1].  Each chunk must lie in the file and be filled by its messages,
 * and no chunk may occur twice, so a chain of continuations ends.
 *
 * An old group is a symbol table: a B-tree of nodes (TREE) over leaves (SNOD), with the names in
 * a local heap (HEAP) [hdf5-format, III.A.1, III.B, III.C, III.D].  A new one keeps its links as
 * messages in its own header.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/hdf5_parse.h"

enum {
    MAX_CHUNKS = 32,
    PREFIX_1 = 16,   /* version 1: bytes before the first message */
    MESSAGE_1 = 8,   /*            bytes before the data of a message */
    CHECKSUM = 4,    /* version 2: bytes after the last message */
    SHARED_FLAG = 2, /* the message's data are elsewhere */
    KNOWN_FLAGS = 1 | 2 | 4
};

/* A walk over one header. */
typedef struct walk {
    mo_h5 *h;
    mo_h5_header *header;
    unsigned version;
    unsigned message_prefix;        /* bytes before the data of a message */
    uint64_t addresses[MAX_CHUNKS]; /* of chunks to be read, in order */
    uint64_t sizes[MAX_CHUNKS];
    size_t pending;
} walk;

/* Bits of the kinds that are read or passed over: NIL, old and new fill values, links and group
 * info, comments and times; and of those of which a header has one. */
static const uint32_t KNOWN = 0x00673dff, SINGLE = 1u << MO_H5_SPACE | 1u << MO_H5_LINK_INFO |
                                                   1u << MO_H5_TYPE | 1u << MO_H5_EXTERNAL_FILES |
                                                   1u << MO_H5_LAYOUT | 1u << MO_H5_FILTERS |
                                                   1u << MO_H5_SYMBOL_TABLE;

static bool add_chunk(walk *w, uint64_t address, uint64_t size)
{
    MO_FAIL_IF(w->pending == MAX_CHUNKS,
               mo_h5_fault(w->h, "has an object header in too many pieces"));
    for (size_t k = 0; k < w->pending; ++k) {
        MO_FAIL_IF(w->addresses[k] == address,
                   mo_h5_fault(w->h, "has an object header whose continuations form a cycle"));
    }
    w->addresses[w->pending] = address;
    w->sizes[w->pending++] = size;
    return true;
}

static bool add_message(walk *w, unsigned type, unsigned flags, const unsigned char *data,
                        size_t size)
{
    MO_FAIL_IF(type >= MO_H5_KINDS || !(KNOWN >> type & 1),
               mo_h5_fault(w->h,
                           "has an object header message of unknown kind %u; rewrite the file "
                           "with h5repack",
                           type));
    MO_FAIL_IF(flags & ~(unsigned)KNOWN_FLAGS,
               mo_h5_fault(w->h, "has an object header message with unknown flags"));
    /* Attributes are never read, so they may be shared. */
    MO_FAIL_IF(flags & SHARED_FLAG && type != MO_H5_ATTRIBUTE,
               mo_h5_fault(w->h, "shares its description with another object (a committed type?), "
                                 "which is not supported"));
    if (type == MO_H5_CONTINUATION) {
        return size >= 16 ? add_chunk(w, mo_h5_number(data, 8), mo_h5_number(data + 8, 8))
                          : mo_h5_fault(w->h, "has a damaged object header");
    }
    const mo_h5_message **list = w->header->of + type;
    MO_FAIL_IF(*list && SINGLE >> type & 1,
               mo_h5_fault(w->h, "has two object header messages of kind %u", type));
    mo_h5_message *message = mo_pool_take(w->h->pool, 1, sizeof *message);
    MO_FAIL_IF(!message, mo_h5_no_memory(w->h));
    *message = (mo_h5_message){data, size, *list};
    *list = message;
    return true;
}

/* Cuts the bytes of one chunk; `seen` counts messages of any kind. */
static bool cut_chunk(walk *w, const unsigned char *p, size_t size, size_t *seen)
{
    size_t at = 0;
    while (size - at >= w->message_prefix) {
        const unsigned char *m = p + at;
        const bool old = w->version == 1;
        const unsigned type = old ? (unsigned)mo_h5_number(m, 2) : m[0];
        const size_t length = (size_t)mo_h5_number(m + (old ? 2 : 1), 2);
        const unsigned flags = old ? m[4] : m[3];
        at += w->message_prefix;
        MO_FAIL_IF(length > size - at || (old && length % 8 != 0),
                   mo_h5_fault(w->h, "has an object header message that overruns it"));
        MO_PASS(add_message(w, type, flags, p + at, length));
        at += length;
        ++*seen;
    }
    /* Version 2 may leave a gap too small for a message; version 1 fills up with NIL messages. */
    return at == size || w->version == 2 ||
           mo_h5_fault(w->h, "has an object header that its messages do not fill");
}

static bool read_version_1(walk *w, uint64_t address)
{
    unsigned char p[PREFIX_1];
    MO_PASS(mo_h5_bytes(w->h, address, sizeof p, p, "object header"));
    const size_t stated = (size_t)mo_h5_number(p + 2, 2);
    size_t seen = 0;
    w->version = 1;
    w->message_prefix = MESSAGE_1;
    MO_PASS(add_chunk(w, address + PREFIX_1, mo_h5_number(p + 8, 4)));
    for (size_t k = 0; k < w->pending; ++k) {
        const unsigned char *bytes =
            mo_h5_load(w->h, w->addresses[k], w->sizes[k], "object header");
        MO_FAIL_IF(!bytes || w->sizes[k] < MESSAGE_1,
                   mo_h5_fault(w->h, "has an object header without messages"));
        MO_PASS(cut_chunk(w, bytes, (size_t)w->sizes[k], &seen));
    }
    return seen == stated ||
           mo_h5_fault(w->h, "has an object header that states %zu messages and holds %zu", stated,
                       seen);
}

/* The prefix of a version 2 header; gives the place and the size of its first messages. */
static bool read_prefix_2(walk *w, uint64_t address, uint64_t *start, uint64_t *size)
{
    enum { LONGEST = 4 + 2 + 16 + 4 + 8 };
    unsigned char p[LONGEST] = {0};
    const uint64_t room = w->h->size - address; /* the caller has read 4 bytes there */
    MO_PASS(
        mo_h5_bytes(w->h, address, room < LONGEST ? (size_t)room : LONGEST, p, "object header"));
    const unsigned flags = p[5];
    MO_FAIL_IF(p[4] != 2 || flags & 0xC0,
               mo_h5_fault(w->h, "has an object header of an unknown version"));
    const unsigned size_bytes = 1u << (flags & 3);
    const unsigned skip = 6u + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    w->message_prefix = flags & 4 ? 6 : 4;
    *size = mo_h5_number(p + skip, size_bytes);
    *start = address + skip + size_bytes;
    return true;
}

/* Loads `size` bytes that end with the checksum of those before. */
static const unsigned char *load_checked(walk *w, uint64_t address, uint64_t size)
{
    const unsigned char *bytes = mo_h5_load(w->h, address, size, "object header");
    if (bytes && (size < CHECKSUM || mo_h5_number(bytes + size - CHECKSUM, CHECKSUM) !=
                                         mo_h5_checksum(bytes, (size_t)size - CHECKSUM))) {
        mo_h5_fault(w->h, "has an object header with a wrong checksum; the file is damaged");
        return NULL;
    }
    return bytes;
}

static bool read_version_2(walk *w, uint64_t address)
{
    uint64_t start = 0;
    uint64_t size = 0;
    size_t seen = 0;
    w->version = 2;
    MO_PASS(read_prefix_2(w, address, &start, &size));
    /* The first chunk has the whole header in front, the others a signature. */
    const uint64_t prefix = start - address;
    MO_FAIL_IF(!mo_h5_inside(w->h, start, size) || !add_chunk(w, address, prefix + size + CHECKSUM),
               mo_h5_fault(w->h, "has its object header outside the file; the file is damaged"));
    for (size_t k = 0; k < w->pending; ++k) {
        const uint64_t front = k == 0 ? prefix : 4;
        const unsigned char *bytes = load_checked(w, w->addresses[k], w->sizes[k]);
        MO_PASS(bytes);
        MO_FAIL_IF(w->sizes[k] < front + w->message_prefix + CHECKSUM ||
                       (k > 0 && memcmp(bytes, "OCHK", 4) != 0),
                   mo_h5_fault(w->h, "has an object header without messages"));
        MO_PASS(cut_chunk(w, bytes + front, (size_t)(w->sizes[k] - front - CHECKSUM), &seen));
    }
    return true;
}

bool mo_h5_read_header(mo_h5 *h, uint64_t address, mo_h5_header *header)
{
    unsigned char first[4];
    walk w = {.h = h, .header = header};
    *header = (mo_h5_header){0};
    MO_PASS(mo_h5_bytes(h, address, sizeof first, first, "object header"));
    if (memcmp(first, "OHDR", 4) == 0) return read_version_2(&w, address);
    if (first[0] == 1) return read_version_1(&w, address);
    return mo_h5_fault(h, "has an object header of an unknown version");
}

/* ---- links ----------------------------------------------------------------------------------- */

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
    if (!is_leaf) return true;
    const uint64_t size = LEAF_HEAD + 2 * (uint64_t)t->h->leaf_k * ENTRY;
    const unsigned char *p = mo_h5_load(t->h, address, size, "table of links");
    MO_PASS(p);
    const unsigned used = (unsigned)mo_h5_number(p + 6, 2);
    MO_FAIL_IF(memcmp(p, "SNOD", 4) != 0 || p[4] != 1 || used < 1 || used > 2 * t->h->leaf_k,
               mo_h5_fault(t->h, "has a damaged table of links"));
    for (unsigned k = 0; k < used; ++k)
        MO_PASS(read_entry(t, p + LEAF_HEAD + (size_t)k * ENTRY));
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
    if (group->count) qsort(group->links, group->count, sizeof *group->links, compare_links);
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
        for (const mo_h5_message *m = header->of[MO_H5_LINK]; m; m = m->next)
            MO_PASS(read_link(h, group, m));
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
    MO_PASS(mo_h5_read_header(h, address, &header) && read_links(h, &header, group));
    h->place = "";
    return true;
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
