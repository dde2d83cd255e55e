/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The type, the size and the storage of a dataset [hdf5-format, IV.A.2.b, d, e, f, i, l].
 *
 * A dataset passes when its values are all in the file: as many bytes as elements times element
 * size, in the header (compact), in one piece (contiguous), or in chunks.  A claim of more than was
 * ever written is refused or, where nothing was written at all, marked, so that memory asked for a
 * dataset is bounded by the file.
 */
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "io/hdf5_parse.h"

enum { MAX_RANK = 32, LAYOUT_COMPACT = 0, LAYOUT_CONTIGUOUS = 1, LAYOUT_CHUNKED = 2 };

/* ---- element type ---------------------------------------------------------------------------- */

static bool is_whole_integer(const unsigned char *p, size_t size)
{
    return (size == 1 || size == 2 || size == 4 || size == 8) && (p[1] & 0xF6) == 0 && p[2] == 0 &&
           p[3] == 0 && mo_h5_number(p + 8, 2) == 0 && mo_h5_number(p + 10, 2) == 8 * size;
}

/* IEEE 754 single or double, either byte order: the bit field, then offset to bias. */
static bool is_ieee_float(const unsigned char *p, size_t size)
{
    static const unsigned char single[12] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0};
    static const unsigned char twice[12] = {0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0};
    return (p[1] & ~1u) == 0x20 && p[3] == 0 &&
           ((size == 4 && p[2] == 31 && memcmp(p + 8, single, 12) == 0) ||
            (size == 8 && p[2] == 63 && memcmp(p + 8, twice, 12) == 0));
}

static bool read_type(mo_h5 *h, const mo_h5_message *message, mo_h5_dataset *dataset)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 8 ? p[0] >> 4 : 0;
    MO_FAIL_IF(version < 1 || version > 3, mo_h5_fault(h, "has a damaged type"));
    const size_t size = (size_t)mo_h5_number(p + 4, 4);
    dataset->type_size = size;
    dataset->type = MO_H5_OTHER;
    switch (p[0] & 15) {
    case 0:
        if (message->size >= 12 && is_whole_integer(p, size)) {
            dataset->type = MO_H5_INTEGER;
            dataset->is_signed = p[1] & 8;
            dataset->is_big_endian = p[1] & 1;
        }
        break;
    case 1:
        if (message->size >= 20 && is_ieee_float(p, size)) {
            dataset->type = MO_H5_FLOAT;
            dataset->is_big_endian = p[1] & 1;
        }
        break;
    case 3:
        if (size >= 1 && (p[1] & 15) <= 2 && p[1] >> 4 <= 1 && p[2] == 0 && p[3] == 0) {
            dataset->type = MO_H5_TEXT;
            dataset->space_padded = (p[1] & 15) == 2;
        }
        break;
    default:
        break;
    }
    return true;
}

/* ---- number of elements ---------------------------------------------------------------------- */

static bool count_elements(mo_h5 *h, const unsigned char *dims, mo_h5_dataset *dataset)
{
    dataset->count = 1;
    for (int k = 0; k < dataset->rank; ++k) {
        const uint64_t n = mo_h5_number(dims + (size_t)k * 8, 8);
        MO_FAIL_IF(n && dataset->count > UINT64_MAX / n,
                   mo_h5_fault(h, "has more elements than can be counted"));
        dataset->count *= n;
    }
    return true;
}

static bool read_space(mo_h5 *h, const mo_h5_message *message, mo_h5_dataset *dataset)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 4 ? p[0] : 0;
    const size_t head = version == 1 ? 8 : 4;
    MO_FAIL_IF((version != 1 && version != 2) || message->size < head || p[1] > MAX_RANK ||
                   p[2] > 1,
               mo_h5_fault(h, "has a damaged shape"));
    dataset->rank = p[1];
    MO_FAIL_IF(message->size - head < (size_t)p[1] * 8 * (p[2] & 1 ? 2 : 1),
               mo_h5_fault(h, "has a damaged shape"));
    if (version == 2) {
        /* 0: one element, 1: an array, 2: nothing at all. */
        MO_FAIL_IF(p[3] > 2 || (p[3] == 1) != (p[1] > 0), mo_h5_fault(h, "has a damaged shape"));
        MO_FAIL_IF(p[3] == 2, mo_h5_fault(h, "is empty (a null dataspace)"));
    }
    return count_elements(h, p + head, dataset);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/*
 * A B-tree of chunks [hdf5-format, III.A.1], each perhaps compressed.  All chunks of a vector must
 * have been written, and none may unpack to more than deflate can pack into its size, so that
 * memory is bounded by the file.
 *
 * Limits: vectors only (rank 1); filters shuffle, deflate and Fletcher-32, each at most once and
 * in this order, which is how every writer has them.
 */
enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3, MAX_FILTERS = 3 };
enum { DEFLATE_RATIO = 1040 }; /* of zeros */

/* One dataset while its chunks are checked or, with a run, read. */
typedef struct chunks {
    mo_h5 *h;
    int place[MAX_FILTERS + 1]; /* of a filter among those applied, from 1; 0: it was not */
    int filter_count;
    uint64_t length;   /* elements of a chunk */
    uint64_t bytes;    /* of a chunk, filters undone */
    uint64_t expected; /* number of chunks */
    uint64_t seen;     /* chunks passed so far, in order */
    size_t type_size;
    const mo_h5_run *run; /* or NULL */
} chunks;

/* ---- filters --------------------------------------------------------------------------------- */

/* A filter that is known, with its parameters, and in the supported order. */
static bool may_follow(const chunks *c, int filter, const unsigned char *values, unsigned count,
                       size_t type_size)
{
    const uint64_t value = count == 1 ? mo_h5_number(values, 4) : UINT64_MAX;
    const bool is_known = filter == DEFLATE   ? value <= 9
                          : filter == SHUFFLE ? value == type_size
                                              : filter == FLETCHER32 && count == 0;
    return is_known && !c->place[filter] && !c->place[FLETCHER32] &&
           !(filter == SHUFFLE && c->place[DEFLATE]);
}

/* One filter's description; moves `at` behind it. */
static bool read_filter(chunks *c, const mo_h5_message *message, size_t *at, size_t type_size)
{
    const unsigned char *p = message->data;
    const bool old = p[0] == 1;
    const unsigned head = old ? 8 : 6; /* version 2 leaves out the name of a known filter */
    if (message->size - *at < head) return false;
    const int filter = (int)mo_h5_number(p + *at, 2);
    const size_t name = old ? (size_t)mo_h5_number(p + *at + 2, 2) : 0;
    const unsigned count = (unsigned)mo_h5_number(p + *at + head - 2, 2);
    const size_t values = (size_t)count * 4 + (old && count % 2 ? 4 : 0);
    *at += head;
    if (name % 8 != 0 || message->size - *at < name || message->size - *at - name < values ||
        !may_follow(c, filter, p + *at + name, count, type_size))
        return false;
    *at += name + values;
    c->place[filter] = ++c->filter_count;
    return true;
}

static bool read_filters(chunks *c, const mo_h5_message *message, size_t type_size)
{
    const unsigned char *p = message->data;
    if (message->size < 2 || p[0] < 1 || p[0] > 2 || p[1] > MAX_FILTERS) return false;
    size_t at = p[0] == 1 ? 8 : 2;
    if (message->size < at) return false;
    for (unsigned k = 0; k < p[1]; ++k)
        MO_PASS(read_filter(c, message, &at, type_size));
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

/* A zlib stream that unpacks to exactly c->bytes, in the pool; NULL if it does not. */
static unsigned char *inflate_chunk(chunks *c, unsigned char *packed, uint64_t size)
{
    mo_pool *pool = c->h->pool;
    z_stream stream = {
        .zalloc = zlib_allocate, .zfree = zlib_free, .opaque = &pool->allocator, .next_in = packed};
    unsigned char *plain = mo_pool_take(pool, (size_t)c->bytes, 1);
    stream.avail_in = (uInt)size;
    stream.next_out = plain;
    stream.avail_out = (uInt)c->bytes;
    if (!plain || inflateInit(&stream) != Z_OK) {
        mo_h5_no_memory(c->h);
        return NULL;
    }
    const int state = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return state == Z_STREAM_END && stream.avail_out == 0 ? plain : NULL;
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
    const uint32_t stored = (uint32_t)mo_h5_number(p + size, 4);
    return stored == sum || stored == swapped;
}

static bool is_applied(const chunks *c, int filter, unsigned skipped)
{
    return c->place[filter] && !(skipped >> (c->place[filter] - 1) & 1);
}

/* The elements of the chunk after `first` others that belong to the run. */
static void copy_elements(const chunks *c, uint64_t first, const unsigned char *plain,
                          bool shuffled)
{
    const size_t size = c->type_size;
    const uint64_t run_end = c->run->first + c->run->count, chunk_end = first + c->length;
    const uint64_t begin = c->run->first > first ? c->run->first : first;
    const uint64_t end = run_end < chunk_end ? run_end : chunk_end;
    unsigned char *to = c->run->to + (size_t)(begin - c->run->first) * size;
    if (!shuffled) {
        memcpy(to, plain + (size_t)(begin - first) * size, (size_t)(end - begin) * size);
        return;
    }
    for (uint64_t e = begin - first; e < end - first; ++e)
        for (size_t byte = 0; byte < size; ++byte)
            *to++ = plain[byte * (size_t)c->length + (size_t)e];
}

/* Undoes the filters of one chunk, the last one first.  Its pool holds one chunk at a time. */
static bool read_chunk(chunks *c, uint64_t first, uint64_t address, uint64_t size, unsigned skipped)
{
    mo_pool own = {.allocator = *c->h->allocator}, *outer = c->h->pool;
    c->h->pool = &own;
    unsigned char *plain = mo_h5_load(c->h, address, size, "values");
    bool good = plain != NULL;
    if (good && is_applied(c, FLETCHER32, skipped)) {
        good = size >= 4 && has_checksum(plain, (size_t)size - 4);
        size -= 4;
    }
    if (good && is_applied(c, DEFLATE, skipped)) {
        plain = inflate_chunk(c, plain, size);
        good = plain != NULL;
    } else {
        good = good && size == c->bytes;
    }
    if (good) copy_elements(c, first, plain, is_applied(c, SHUFFLE, skipped));
    mo_pool_clear(&own);
    c->h->pool = outer;
    return good;
}

/* ---- the tree of chunks ---------------------------------------------------------------------- */

enum { KEY = 8 + 2 * 8 }; /* size, filter mask, offsets along the vector and inside an element */

/* Chunks must be in order, which excludes cycles and nodes visited twice. */
static bool check_chunk(void *user, const unsigned char *key, uint64_t address, bool is_leaf)
{
    chunks *c = user;
    const uint64_t size = mo_h5_number(key, 4), first = c->seen * c->length;
    const unsigned skipped = (unsigned)mo_h5_number(key + 4, 4);
    MO_FAIL_IF(c->seen >= c->expected || mo_h5_number(key + 8, 8) != first ||
                   (is_leaf && (mo_h5_number(key + 16, 8) != 0 || skipped >> c->filter_count != 0)),
               mo_h5_fault(c->h, "has chunks that are missing or out of order"));
    if (!is_leaf) return true;
    ++c->seen;
    MO_FAIL_IF(!mo_h5_inside(c->h, address, size),
               mo_h5_fault(c->h, "has values outside the file; the file is damaged"));
    const bool is_wanted =
        c->run && first < c->run->first + c->run->count && first + c->length > c->run->first;
    return (c->bytes / DEFLATE_RATIO <= size &&
            (is_wanted ? read_chunk(c, first, address, size, skipped) : mo_h5_spend(c->h, size))) ||
           mo_h5_fault(c->h, "has a chunk that does not unpack; the file is damaged");
}

static bool read_chunks(mo_h5 *h, const mo_h5_message *layout, const mo_h5_message *filters,
                        mo_h5_dataset *dataset, const mo_h5_run *run)
{
    enum { HEAD = 3 + 8, DIMS = 2 * 4 };
    const unsigned char *p = layout->data;
    chunks c = {.h = h, .type_size = dataset->type_size, .run = run};
    MO_FAIL_IF(dataset->rank != 1,
               mo_h5_fault(h, "is chunked and has rank %d; a vector is needed", dataset->rank));
    MO_FAIL_IF(layout->size < HEAD + DIMS || p[2] != 2, mo_h5_fault(h, "has a damaged layout"));
    const uint64_t root = mo_h5_number(p + 3, 8);
    c.length = mo_h5_number(p + HEAD, 4);
    c.bytes = c.length * dataset->type_size;
    MO_FAIL_IF(c.length == 0 || mo_h5_number(p + HEAD + 4, 4) != dataset->type_size ||
                   c.bytes > UINT32_MAX,
               mo_h5_fault(h, "has chunks of an impossible size"));
    MO_FAIL_IF(filters && !read_filters(&c, filters, dataset->type_size),
               mo_h5_fault(h, "has filters other than deflate, shuffle and Fletcher-32; rewrite "
                              "the file with h5repack -f NONE"));
    c.expected = dataset->count / c.length + (dataset->count % c.length != 0);
    if (dataset->count == 0) return true;
    if (root == MO_H5_NOWHERE) {
        dataset->is_unwritten = true;
        return true;
    }
    const mo_h5_tree tree = {"tree of chunks", 1, h->chunk_k, KEY, check_chunk, &c};
    return mo_h5_walk_tree(h, &tree, root) &&
           (c.seen == c.expected ||
            mo_h5_fault(h, "has %llu chunks where %llu are needed; some were never written",
                        (unsigned long long)c.seen, (unsigned long long)c.expected));
}

/* ---- layout ---------------------------------------------------------------------------------- */

static bool check_length(mo_h5 *h, uint64_t needed, uint64_t held)
{
    return needed == held ||
           mo_h5_fault(h, "should hold %llu bytes and holds %llu; the file is damaged",
                       (unsigned long long)needed, (unsigned long long)held);
}

/* The values are in the header. */
static bool read_compact(mo_h5 *h, const mo_h5_message *message, uint64_t bytes,
                         const mo_h5_dataset *dataset, const mo_h5_run *run)
{
    MO_FAIL_IF(message->size < 4 || mo_h5_number(message->data + 2, 2) > message->size - 4,
               mo_h5_fault(h, "has a damaged layout"));
    MO_PASS(check_length(h, bytes, mo_h5_number(message->data + 2, 2)));
    if (run && run->count) {
        memcpy(run->to, message->data + 4 + run->first * dataset->type_size,
               (size_t)run->count * dataset->type_size);
    }
    return true;
}

static bool read_contiguous(mo_h5 *h, const mo_h5_message *message, uint64_t bytes,
                            mo_h5_dataset *dataset, const mo_h5_run *run)
{
    MO_FAIL_IF(message->size < 18, mo_h5_fault(h, "has a damaged layout"));
    const uint64_t address = mo_h5_number(message->data + 2, 8);
    MO_PASS(check_length(h, bytes, mo_h5_number(message->data + 10, 8)));
    dataset->is_unwritten = bytes > 0 && address == MO_H5_NOWHERE;
    if (bytes == 0 || dataset->is_unwritten) return true;
    MO_FAIL_IF(!mo_h5_inside(h, address, bytes),
               mo_h5_fault(h, "has values outside the file: %llu bytes in a file of %llu",
                           (unsigned long long)bytes, (unsigned long long)h->size));
    return !run || mo_h5_bytes(h, address + run->first * dataset->type_size,
                               (size_t)run->count * dataset->type_size, run->to, "values");
}

static bool read_layout(mo_h5 *h, const mo_h5_header *header, const mo_h5_message *message,
                        mo_h5_dataset *dataset, const mo_h5_run *run)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 2 ? p[0] : 0;
    const mo_h5_message *filters = header->of[MO_H5_FILTERS];
    MO_FAIL_IF(version < 3 || version > 4,
               mo_h5_fault(h, "has a layout of an unknown version; rewrite the file with "
                              "h5repack"));
    if (p[1] == LAYOUT_CHUNKED && version == 3)
        return read_chunks(h, message, filters, dataset, run);
    MO_FAIL_IF(p[1] == LAYOUT_CHUNKED,
               mo_h5_fault(h, "is chunked in a form that came with HDF5 1.10; rewrite the file "
                              "with h5repack"));
    MO_FAIL_IF(filters, mo_h5_fault(h, "has filters but no chunks; the file is damaged"));
    MO_FAIL_IF(dataset->count > UINT64_MAX / dataset->type_size,
               mo_h5_fault(h, "has more elements than can be counted"));
    const uint64_t bytes = dataset->count * dataset->type_size;
    switch (p[1]) {
    case LAYOUT_COMPACT:
        return read_compact(h, message, bytes, dataset, run);
    case LAYOUT_CONTIGUOUS:
        return read_contiguous(h, message, bytes, dataset, run);
    default:
        return mo_h5_fault(h, "is virtual: its values lie in other files; copy them into this "
                              "one with h5repack");
    }
}

/* ---- datasets -------------------------------------------------------------------------------- */

static bool read_dataset(mo_h5 *h, const mo_h5_header *header, mo_h5_dataset *dataset,
                         const mo_h5_run *run)
{
    const mo_h5_message *type = header->of[MO_H5_TYPE], *space = header->of[MO_H5_SPACE];
    const mo_h5_message *layout = header->of[MO_H5_LAYOUT];
    MO_FAIL_IF(header->of[MO_H5_SYMBOL_TABLE] || header->of[MO_H5_LINK_INFO],
               mo_h5_fault(h, "is a group where a dataset is needed"));
    MO_FAIL_IF(!type || !space || !layout, mo_h5_fault(h, "is not a dataset"));
    MO_FAIL_IF(header->of[MO_H5_EXTERNAL_FILES],
               mo_h5_fault(h, "keeps its values in another file; copy them into this one with "
                              "h5repack"));
    MO_PASS(read_type(h, type, dataset));
    if (dataset->type == MO_H5_OTHER) return true; /* the caller does not use it */
    return read_space(h, space, dataset) && read_layout(h, header, layout, dataset, run);
}

bool mo_h5_read_dataset(mo_h5 *h, uint64_t address, mo_h5_dataset *dataset, const mo_h5_run *run)
{
    mo_h5_header header;
    *dataset = (mo_h5_dataset){.type = MO_H5_OTHER};
    mo_pool pool = {.allocator = *h->allocator};
    h->budget = h->size;
    h->pool = &pool;
    const bool good =
        mo_h5_read_header(h, address, &header) && read_dataset(h, &header, dataset, run);
    h->pool = NULL;
    mo_pool_clear(&pool);
    return good;
}
