/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Chunked storage: a B-tree of chunks [hdf5-format, III.A.1], each perhaps compressed.
 *
 * All chunks of a vector must have been written, so that memory is bounded by the file, and each
 * must give exactly one chunk of bytes once its filters are undone.  libhdf5 takes that for
 * granted, so a compressed chunk is inflated here once, into nothing, to see how long it is.
 *
 * Limits: vectors only (rank 1); filters shuffle, deflate and Fletcher-32, each at most once and
 * in this order, which is how every writer has them.
 */
#include "io/hdf5_chunks.h"

#include <string.h>
#include <zlib.h>

#include "base/memory.h"

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3, MAX_FILTERS = 3, TREE_HEAD = 24, MAX_LEVEL = 16 };

/* One dataset while its chunks are checked. */
typedef struct chunks {
    mo_guard *guard;
    int filters[MAX_FILTERS]; /* in the order in which they were applied */
    int filter_count;
    uint64_t length;   /* elements of a chunk */
    uint64_t bytes;    /* of a chunk, filters undone */
    uint64_t expected; /* number of chunks */
    uint64_t seen;     /* chunks passed so far, in order */
} chunks;

/* ---- filters --------------------------------------------------------------------------------- */

static bool check_parameters(int filter, const unsigned char *values, unsigned count,
                             size_t type_size)
{
    switch (filter) {
    case DEFLATE:
        return count == 1 && mo_guard_number(values, 4) <= 9;
    case SHUFFLE:
        return count == 1 && mo_guard_number(values, 4) == type_size;
    case FLETCHER32:
        return count == 0;
    default:
        return false;
    }
}

/* The place of a filter in the one order that is taken. */
static int rank(int filter)
{
    return filter == SHUFFLE ? 0 : filter == DEFLATE ? 1 : 2;
}

/* One filter's description; moves `at` behind it. */
static bool read_filter(chunks *c, const mo_guard_message *message, size_t *at, size_t type_size)
{
    const unsigned char *p = message->data;
    const bool old = p[0] == 1;
    const unsigned head = old ? 8 : 6; /* version 2 leaves out the name of a known filter */
    if (message->size - *at < head) {
        return false;
    }
    const int filter = (int)mo_guard_number(p + *at, 2);
    const size_t name = old ? (size_t)mo_guard_number(p + *at + 2, 2) : 0;
    const unsigned count = (unsigned)mo_guard_number(p + *at + head - 2, 2);
    const size_t values = (size_t)count * 4 + (old && count % 2 ? 4 : 0);
    *at += head;
    if (name % 8 != 0 || message->size - *at < name || message->size - *at - name < values ||
        !check_parameters(filter, p + *at + name, count, type_size)) {
        return false;
    }
    *at += name + values;
    if (c->filter_count && rank(filter) <= rank(c->filters[c->filter_count - 1])) {
        return false;
    }
    c->filters[c->filter_count++] = filter;
    return true;
}

static bool read_filters(chunks *c, const mo_guard_message *message, size_t type_size)
{
    const unsigned char *p = message->data;
    if (message->size < 2 || p[0] < 1 || p[0] > 2 || p[1] > MAX_FILTERS) {
        return false;
    }
    size_t at = p[0] == 1 ? 8 : 2;
    if (message->size < at) {
        return false;
    }
    for (unsigned k = 0; k < p[1]; ++k) {
        if (!read_filter(c, message, &at, type_size)) {
            return false;
        }
    }
    return true;
}

/* ---- one chunk ------------------------------------------------------------------------------- */

static void *zlib_allocate(void *allocator, unsigned count, unsigned size)
{
    return mo_memory_array(allocator, count, size);
}

static void zlib_free(void *allocator, void *p)
{
    mo_memory_free(allocator, p);
}

/* Does this zlib stream unpack to exactly `bytes`? */
static bool inflates_to(chunks *c, unsigned char *packed, size_t size, uint64_t bytes)
{
    unsigned char sink[16384];
    mo_allocator allocator = *c->guard->allocator;
    z_stream stream = {.zalloc = zlib_allocate, .zfree = zlib_free, .opaque = &allocator};
    stream.next_in = packed;
    stream.avail_in = (uInt)size;
    if (inflateInit(&stream) != Z_OK) {
        return mo_guard_no_memory(c->guard);
    }
    uint64_t length = 0;
    int state = Z_OK;
    while (state == Z_OK && length <= bytes) {
        stream.next_out = sink;
        stream.avail_out = sizeof sink;
        state = inflate(&stream, Z_NO_FLUSH);
        length += sizeof sink - stream.avail_out;
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END && length == bytes;
}

/* HDF5's Fletcher-32 over big-endian pairs of bytes. */
static uint32_t fletcher32(const unsigned char *p, size_t size)
{
    uint32_t a = 0, b = 0;
    for (size_t k = 0; k < size; k += 2) {
        a += (uint32_t)p[k] << 8 | (k + 1 < size ? p[k + 1] : 0u);
        a = (a & 0xffff) + (a >> 16);
        b += a;
        b = (b & 0xffff) + (b >> 16);
    }
    return b << 16 | a;
}

/* The four bytes after `size` others are their checksum.  Early writers swapped its bytes. */
static bool has_checksum(const unsigned char *p, size_t size)
{
    const uint32_t sum = fletcher32(p, size);
    const uint32_t swapped = (sum & 0x00ff00ffu) << 8 | (sum >> 8 & 0x00ff00ffu);
    const uint32_t stored = (uint32_t)mo_guard_number(p + size, 4);
    return stored == sum || stored == swapped;
}

static bool is_applied(const chunks *c, int filter, unsigned skipped)
{
    for (int k = 0; k < c->filter_count; ++k) {
        if (c->filters[k] == filter) {
            return !(skipped >> k & 1);
        }
    }
    return false;
}

/* Undoes the filters of one chunk, the last one first.  (Shuffling changes no length.) */
static bool chunk_has_right_size(chunks *c, uint64_t address, uint64_t size, unsigned skipped)
{
    const bool summed = is_applied(c, FLETCHER32, skipped);
    const bool deflated = is_applied(c, DEFLATE, skipped);
    if (!summed && !deflated) {
        return size == c->bytes;
    }
    unsigned char *bytes = mo_guard_load(c->guard, address, size, "values");
    bool good = bytes != NULL;
    if (good && summed) {
        good = size >= 4 && has_checksum(bytes, (size_t)size - 4);
        size -= 4;
    }
    good = good && (deflated ? inflates_to(c, bytes, (size_t)size, c->bytes) : size == c->bytes);
    mo_memory_free(c->guard->allocator, bytes);
    return good;
}

/* ---- the tree of chunks ---------------------------------------------------------------------- */

enum { KEY = 8 + 2 * 8 }; /* size, filter mask, offsets along the vector and inside an element */

static bool check_chunk(chunks *c, const unsigned char *key, uint64_t address)
{
    const uint64_t size = mo_guard_number(key, 4);
    const unsigned skipped = (unsigned)mo_guard_number(key + 4, 4);
    if (c->seen >= c->expected || mo_guard_number(key + 8, 8) != c->seen * c->length ||
        mo_guard_number(key + 16, 8) != 0 || skipped >> c->filter_count != 0) {
        return mo_guard_fault(c->guard, "has chunks that are missing or out of order");
    }
    ++c->seen;
    if (!mo_guard_inside(c->guard, address, size)) {
        return mo_guard_fault(c->guard, "has values outside the file; the file is damaged");
    }
    return chunk_has_right_size(c, address, size, skipped) ||
           mo_guard_fault(c->guard, "has a chunk that does not unpack; the file is damaged");
}

static bool check_node(chunks *c, uint64_t address, int level);

/* Chunks come in order, so that nodes visited twice, or a circle, show at once. */
static bool check_children(chunks *c, const unsigned char *p, unsigned used)
{
    for (unsigned k = 0; k < used; ++k) {
        const unsigned char *key = p + TREE_HEAD + (size_t)k * (KEY + 8);
        const unsigned char *next = key + KEY + 8;
        const uint64_t child = mo_guard_number(key + KEY, 8);
        const uint64_t first = c->seen;
        if (mo_guard_number(key + 8, 8) != first * c->length ||
            !(p[5] == 0 ? check_chunk(c, key, child) : check_node(c, child, p[5] - 1))) {
            return mo_guard_fault(c->guard, "has chunks that are missing or out of order");
        }
        /* libhdf5 searches between keys: the next one lies beyond the chunk that was seen last,
         * be it by an offset inside its elements, as at the end of a tree. */
        const uint64_t last = (c->seen - 1) * c->length, offset = mo_guard_number(next + 8, 8);
        if (offset < last || (offset == last && mo_guard_number(next + 16, 8) == 0)) {
            return mo_guard_fault(c->guard, "has a damaged tree of chunks");
        }
    }
    return true;
}

static bool check_node(chunks *c, uint64_t address, int level)
{
    const unsigned most = 2 * c->guard->chunk_k;
    const uint64_t size = TREE_HEAD + (uint64_t)most * 8 + ((uint64_t)most + 1) * KEY;
    unsigned char *p = mo_guard_load(c->guard, address, size, "tree of chunks");
    if (!p) {
        return false;
    }
    const unsigned used = (unsigned)mo_guard_number(p + 6, 2);
    const bool good = memcmp(p, "TREE", 4) == 0 && p[4] == 1 && p[5] <= MAX_LEVEL &&
                      (level < 0 || p[5] == level) && used >= 1 && used <= most &&
                      check_children(c, p, used);
    mo_memory_free(c->guard->allocator, p);
    return good || mo_guard_fault(c->guard, "has a damaged tree of chunks");
}

bool mo_guard_check_chunks(mo_guard *guard, const mo_guard_message *layout,
                           const mo_guard_message *filters, mo_guard_dataset *dataset)
{
    enum { HEAD = 3 + 8, DIMS = 2 * 4 };
    const unsigned char *p = layout->data;
    chunks c = {.guard = guard};
    if (dataset->rank != 1) {
        return mo_guard_fault(guard, "is chunked and has rank %d; a vector is needed",
                              dataset->rank);
    }
    if (layout->size < HEAD + DIMS || p[2] != 2) {
        return mo_guard_fault(guard, "has a damaged layout");
    }
    const uint64_t tree = mo_guard_number(p + 3, 8);
    c.length = mo_guard_number(p + HEAD, 4);
    c.bytes = c.length * dataset->type_size;
    if (c.length == 0 || mo_guard_number(p + HEAD + 4, 4) != dataset->type_size ||
        c.bytes > UINT32_MAX) {
        return mo_guard_fault(guard, "has chunks of an impossible size");
    }
    if (filters && !read_filters(&c, filters, dataset->type_size)) {
        return mo_guard_fault(guard,
                              "has filters other than deflate, shuffle and Fletcher-32; rewrite "
                              "the file with h5repack -f NONE");
    }
    c.expected = dataset->count / c.length + (dataset->count % c.length != 0);
    if (dataset->count == 0) {
        return true;
    }
    if (tree == MO_GUARD_NOWHERE) {
        dataset->is_unwritten = true;
        return true;
    }
    return check_node(&c, tree, -1) &&
           (c.seen == c.expected ||
            mo_guard_fault(guard, "has %llu chunks where %llu are needed; some were never written",
                           (unsigned long long)c.seen, (unsigned long long)c.expected));
}
