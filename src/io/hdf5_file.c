/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The bytes of an HDF5 file and its superblock [hdf5-format, II.A].
 *
 * Every address is checked against the end-of-file address that the superblock states, which in
 * turn must not lie beyond the file.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/hdf5_parse.h"

/* No writer creates larger nodes. */
enum { MAX_K = 1024, DEFAULT_CHUNK_K = 32, DEFAULT_LEAF_K = 4, DEFAULT_NODE_K = 16 };

bool mo_h5_inside(const mo_h5 *h, uint64_t address, uint64_t size)
{
    return address <= h->size && size <= h->size - address;
}

bool mo_h5_bytes(mo_h5 *h, uint64_t address, size_t size, void *to, const char *what)
{
    MO_FAIL_IF(!mo_h5_inside(h, address, size),
               mo_h5_fault(h, "has its %s outside the file; the file is damaged", what));
    MO_FAIL_IF(fseeko(h->file, (off_t)(h->start + address), SEEK_SET) != 0 ||
                   fread(to, 1, size, h->file) != size,
               mo_h5_fault(h, "has a %s that could not be read", what));
    return true;
}

bool mo_h5_spend(mo_h5 *h, uint64_t size)
{
    MO_FAIL_IF(size > h->budget,
               mo_h5_fault(h, "uses parts of the file twice; the file is damaged"));
    h->budget -= size;
    return true;
}

unsigned char *mo_h5_load(mo_h5 *h, uint64_t address, uint64_t size, const char *what)
{
    /* Before allocation: a size in the file cannot exceed the file. */
    const bool is_inside = mo_h5_inside(h, address, size) ||
                           mo_h5_fault(h, "has its %s outside the file; the file is damaged", what);
    if (!is_inside || !mo_h5_spend(h, size)) return NULL;
    unsigned char *bytes = mo_pool_take(h->pool, (size_t)size, 1);
    const bool is_read =
        bytes ? mo_h5_bytes(h, address, (size_t)size, bytes, what) : mo_h5_no_memory(h);
    return is_read ? bytes : NULL;
}

uint64_t mo_h5_number(const unsigned char *p, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned k = bytes; k-- > 0;)
        value = value << 8 | p[k];
    return value;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* A node of the stated level (-1: any, for the root).  Levels fall, so that a descent ends. */
static bool walk_node(mo_h5 *h, const mo_h5_tree *tree, uint64_t address, int level)
{
    enum { HEAD = 24, MAX_LEVEL = 16 }; /* far more levels than any file can use */
    const unsigned most = 2 * tree->half;
    const unsigned char *p = mo_h5_load(
        h, address, HEAD + (uint64_t)most * 8 + ((uint64_t)most + 1) * tree->key, tree->what);
    MO_PASS(p);
    const unsigned used = (unsigned)mo_h5_number(p + 6, 2);
    const bool may_be_empty = tree->type == 0 && level < 0 && p[5] == 0; /* of an empty group */
    MO_FAIL_IF(memcmp(p, "TREE", 4) != 0 || p[4] != tree->type || p[5] > MAX_LEVEL ||
                   (level >= 0 && p[5] != level) || used > most || (used == 0 && !may_be_empty),
               mo_h5_fault(h, "has a damaged %s", tree->what));
    for (unsigned k = 0; k < used; ++k) {
        const unsigned char *key = p + HEAD + (size_t)k * (tree->key + 8);
        const uint64_t child = mo_h5_number(key + tree->key, 8);
        MO_PASS(tree->visit(tree->user, key, child, p[5] == 0) &&
                (p[5] == 0 || walk_node(h, tree, child, p[5] - 1)));
    }
    return true;
}

bool mo_h5_walk_tree(mo_h5 *h, const mo_h5_tree *tree, uint64_t root)
{
    return walk_node(h, tree, root, -1);
}

/* ---- checksum: Bob Jenkins' lookup3 (public domain, 2006), byte by byte and from zero -------- */

static uint32_t rotate(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

/* lookup3's mix(a, b, c): six rounds that go around the three words. */
static void mix(uint32_t s[3])
{
    static const int turns[6] = {4, 6, 8, 16, 19, 4};
    for (int k = 0; k < 6; ++k) {
        uint32_t *a = &s[k % 3], *b = &s[(k + 1) % 3], *c = &s[(k + 2) % 3];
        *a -= *c;
        *a ^= rotate(*c, turns[k]);
        *c += *b;
    }
}

/* lookup3's final(a, b, c). */
static void finish(uint32_t s[3])
{
    static const int turns[7] = {14, 11, 25, 16, 4, 14, 24};
    for (int k = 0; k < 7; ++k) {
        uint32_t *to = &s[(k + 2) % 3];
        const uint32_t from = s[(k + 1) % 3];
        *to ^= from;
        *to -= rotate(from, turns[k]);
    }
}

static void add(uint32_t s[3], const unsigned char *p, size_t length)
{
    for (size_t k = 0; k < length; ++k)
        s[k / 4] += (uint32_t)p[k] << 8 * (k % 4);
}

uint32_t mo_h5_checksum(const unsigned char *p, size_t length)
{
    uint32_t s[3];
    s[0] = s[1] = s[2] = 0xdeadbeefu + (uint32_t)length;
    for (; length > 12; p += 12, length -= 12) {
        add(s, p, 12);
        mix(s);
    }
    if (length > 0) {
        add(s, p, length);
        finish(s);
    }
    return s[2];
}

/* ---- the superblock -------------------------------------------------------------------------- */

static bool check_end(mo_h5 *h, uint64_t end, uint64_t base)
{
    MO_FAIL_IF(base != 0, mo_h5_fault(h, "has a user block; remove it with h5unjam"));
    MO_FAIL_IF(end > h->size,
               mo_h5_fault(h, "is truncated: it should have %llu bytes and has %llu; copy it again",
                           (unsigned long long)end, (unsigned long long)h->size));
    h->size = end;
    return true;
}

static bool check_k(mo_h5 *h)
{
    return (h->leaf_k >= 1 && h->leaf_k <= MAX_K && h->node_k >= 1 && h->node_k <= MAX_K &&
            h->chunk_k >= 1 && h->chunk_k <= MAX_K) ||
           mo_h5_fault(h, "has a superblock with invalid tree sizes");
}

/* Versions 0 and 1: the root group is a symbol table entry. */
static bool read_old_superblock(mo_h5 *h, const unsigned char *p, unsigned version)
{
    const bool tail_is_longer = version == 1; /* the chunk tree's size, and padding */
    const unsigned char *addresses = p + (tail_is_longer ? 28 : 24);
    const unsigned char *entry = addresses + 32;
    MO_FAIL_IF(p[9] != 0 || p[10] != 0 || p[12] != 0 || p[13] != 8 || p[14] != 8 ||
                   mo_h5_number(p + 20, 4) != 0,
               mo_h5_fault(h, "has a superblock of an unknown kind; rewrite it with h5repack"));
    h->leaf_k = (unsigned)mo_h5_number(p + 16, 2);
    h->node_k = (unsigned)mo_h5_number(p + 18, 2);
    h->chunk_k = tail_is_longer ? (unsigned)mo_h5_number(p + 24, 2) : DEFAULT_CHUNK_K;
    MO_FAIL_IF(mo_h5_number(addresses + 8, 8) != MO_H5_NOWHERE ||
                   mo_h5_number(addresses + 24, 8) != MO_H5_NOWHERE,
               mo_h5_fault(h, "needs a special HDF5 driver; rewrite it with h5repack"));
    h->root = mo_h5_number(entry + 8, 8);
    return check_k(h) && check_end(h, mo_h5_number(addresses + 16, 8), mo_h5_number(addresses, 8));
}

/* Versions 2 and 3: the root group is an address. */
static bool read_new_superblock(mo_h5 *h, const unsigned char *p)
{
    MO_FAIL_IF(p[9] != 8 || p[10] != 8,
               mo_h5_fault(h, "has a superblock of an unknown kind; rewrite it with h5repack"));
    MO_FAIL_IF(mo_h5_number(p + 44, 4) != mo_h5_checksum(p, 44),
               mo_h5_fault(h, "has a superblock with a wrong checksum; the file is damaged"));
    MO_FAIL_IF(p[11] != 0,
               mo_h5_fault(h, "was not closed by its writer; clear it with h5clear -s"));
    MO_FAIL_IF(mo_h5_number(p + 20, 8) != MO_H5_NOWHERE,
               mo_h5_fault(h, "has a superblock extension; rewrite it with h5repack"));
    h->leaf_k = DEFAULT_LEAF_K;
    h->node_k = DEFAULT_NODE_K;
    h->chunk_k = DEFAULT_CHUNK_K;
    h->root = mo_h5_number(p + 36, 8);
    return check_end(h, mo_h5_number(p + 28, 8), mo_h5_number(p + 12, 8));
}

static bool read_superblock(mo_h5 *h)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    enum { LONGEST = 100, SHORTEST = 48 };
    unsigned char p[LONGEST] = {0};
    MO_FAIL_IF(h->size < SHORTEST, mo_h5_fault(h, "is not an HDF5 file"));
    const size_t available = h->size < LONGEST ? (size_t)h->size : LONGEST;
    MO_PASS(mo_h5_bytes(h, 0, available, p, "superblock"));
    MO_FAIL_IF(memcmp(p, signature, sizeof signature) != 0, mo_h5_fault(h, "is not an HDF5 file"));
    const unsigned version = p[8];
    if (version <= 1 && available == LONGEST) return read_old_superblock(h, p, version);
    if (version == 2 || version == 3) return read_new_superblock(h, p);
    return mo_h5_fault(h, "is an HDF5 file that is truncated or of an unknown version");
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The size of a regular file; a pipe or a device would block, or never end. */
static bool open_stream(mo_h5 *h)
{
    struct stat about;
    MO_FAIL_IF(stat(h->path, &about) != 0,
               mo_h5_fail(h, MO_ERR_FILE, "could not be opened: %s", strerror(errno)));
    MO_FAIL_IF(
        !S_ISREG(about.st_mode),
        mo_h5_fail(h, MO_ERR_FILE, "is %s",
                   S_ISDIR(about.st_mode) ? "a directory, not a file" : "not a regular file"));
    MO_FAIL_IF(about.st_size == 0, mo_h5_fault(h, "is empty"));
    h->file = fopen(h->path, "rb");
    h->size = (uint64_t)about.st_size;
    return h->file || mo_h5_fail(h, MO_ERR_FILE, "could not be opened: %s", strerror(errno));
}

bool mo_h5_open_file(mo_h5 *h, uint64_t start, uint64_t size)
{
    MO_PASS(open_stream(h));
    MO_FAIL_IF(size > 0 && !mo_h5_inside(h, start, size),
               mo_h5_fault(h, "was truncated while it was read"));
    h->start = start;
    h->size = size > 0 ? size : h->size;
    return read_superblock(h);
}
