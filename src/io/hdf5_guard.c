/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The guard's ground floor: the file's bytes and its superblock [hdf5-format, II.A].
 *
 * Every address is checked against the end-of-file address that the superblock states, which in
 * turn must not lie beyond the file.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "io/hdf5_guard.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/hdf5_parse.h"

/* No writer creates larger nodes. */
enum { MAX_K = 1024, DEFAULT_CHUNK_K = 32, DEFAULT_LEAF_K = 4, DEFAULT_NODE_K = 16 };

bool mo_guard_fault(mo_guard *guard, const char *format, ...)
{
    if (!guard->error) {
        va_list values;
        va_start(values, format);
        vsnprintf(guard->fault, sizeof guard->fault, format, values);
        va_end(values);
        guard->error = MO_ERR_FORMAT;
    }
    return false;
}

bool mo_guard_no_memory(mo_guard *guard)
{
    mo_guard_fault(guard, "could not be read because memory ran out");
    guard->error = MO_ERR_MEMORY;
    return false;
}

bool mo_guard_inside(const mo_guard *guard, uint64_t address, uint64_t size)
{
    return address <= guard->size && size <= guard->size - address;
}

bool mo_guard_bytes(mo_guard *guard, uint64_t address, size_t size, void *to, const char *what)
{
    if (!mo_guard_inside(guard, address, size)) {
        return mo_guard_fault(guard, "has its %s outside the file; the file is damaged", what);
    }
    if (fseeko(guard->file, (off_t)(guard->start + address), SEEK_SET) != 0 ||
        fread(to, 1, size, guard->file) != size) {
        return mo_guard_fault(guard, "has a %s that could not be read", what);
    }
    return true;
}

unsigned char *mo_guard_load(mo_guard *guard, uint64_t address, uint64_t size, const char *what)
{
    /* Before allocation: a size in the file cannot exceed the file. */
    if (!mo_guard_inside(guard, address, size)) {
        mo_guard_fault(guard, "has its %s outside the file; the file is damaged", what);
        return NULL;
    }
    unsigned char *bytes = mo_memory_array(guard->allocator, (size_t)size, 1);
    if (!bytes) {
        mo_guard_no_memory(guard);
        return NULL;
    }
    if (!mo_guard_bytes(guard, address, (size_t)size, bytes, what)) {
        mo_memory_free(guard->allocator, bytes);
        return NULL;
    }
    return bytes;
}

uint64_t mo_guard_number(const unsigned char *p, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned k = bytes; k-- > 0;) {
        value = value << 8 | p[k];
    }
    return value;
}

/* ---- the superblock -------------------------------------------------------------------------- */

static bool check_end(mo_guard *guard, uint64_t end, uint64_t base)
{
    if (base != 0) {
        return mo_guard_fault(guard, "has a user block; remove it with h5unjam");
    }
    if (end > guard->size) {
        return mo_guard_fault(guard,
                              "is cut off: it should have %llu bytes and has %llu; copy it again",
                              (unsigned long long)end, (unsigned long long)guard->size);
    }
    guard->size = end;
    return true;
}

static bool check_k(mo_guard *guard)
{
    return (guard->leaf_k >= 1 && guard->leaf_k <= MAX_K && guard->node_k >= 1 &&
            guard->node_k <= MAX_K && guard->chunk_k >= 1 && guard->chunk_k <= MAX_K) ||
           mo_guard_fault(guard, "has a superblock with tree sizes that make no sense");
}

/* Versions 0 and 1: the root group is a symbol table entry. */
static bool read_old_superblock(mo_guard *guard, const unsigned char *p, unsigned version)
{
    const bool tail_is_longer = version == 1; /* the chunk tree's size, and padding */
    const unsigned char *addresses = p + (tail_is_longer ? 28 : 24);
    const unsigned char *entry = addresses + 32;
    if (p[9] != 0 || p[10] != 0 || p[12] != 0 || p[13] != 8 || p[14] != 8 ||
        mo_guard_number(p + 20, 4) != 0) {
        return mo_guard_fault(guard,
                              "has a superblock of an unknown kind; rewrite it with h5repack");
    }
    guard->leaf_k = (unsigned)mo_guard_number(p + 16, 2);
    guard->node_k = (unsigned)mo_guard_number(p + 18, 2);
    guard->chunk_k = tail_is_longer ? (unsigned)mo_guard_number(p + 24, 2) : DEFAULT_CHUNK_K;
    if (mo_guard_number(addresses + 8, 8) != MO_GUARD_NOWHERE ||
        mo_guard_number(addresses + 24, 8) != MO_GUARD_NOWHERE) {
        return mo_guard_fault(guard, "needs a special HDF5 driver; rewrite it with h5repack");
    }
    guard->root = mo_guard_number(entry + 8, 8);
    if (mo_guard_number(entry + 16, 4) == 1) {
        guard->root_tree = mo_guard_number(entry + 24, 8);
        guard->root_heap = mo_guard_number(entry + 32, 8);
    } else if (mo_guard_number(entry + 16, 4) != 0) {
        return mo_guard_fault(guard, "has a superblock whose root group is not a group");
    }
    return check_k(guard) &&
           check_end(guard, mo_guard_number(addresses + 16, 8), mo_guard_number(addresses, 8));
}

/* Versions 2 and 3: the root group is an address. */
static bool read_new_superblock(mo_guard *guard, const unsigned char *p)
{
    if (p[9] != 8 || p[10] != 8) {
        return mo_guard_fault(guard,
                              "has a superblock of an unknown kind; rewrite it with h5repack");
    }
    if (mo_guard_number(p + 44, 4) != mo_guard_checksum(p, 44)) {
        return mo_guard_fault(guard, "has a superblock with a wrong checksum; the file is damaged");
    }
    if (p[11] != 0) {
        return mo_guard_fault(guard, "was not closed by its writer; clear it with h5clear -s");
    }
    if (mo_guard_number(p + 20, 8) != MO_GUARD_NOWHERE) {
        return mo_guard_fault(guard, "has a superblock extension; rewrite it with h5repack");
    }
    guard->leaf_k = DEFAULT_LEAF_K;
    guard->node_k = DEFAULT_NODE_K;
    guard->chunk_k = DEFAULT_CHUNK_K;
    guard->root = mo_guard_number(p + 36, 8);
    return check_end(guard, mo_guard_number(p + 28, 8), mo_guard_number(p + 12, 8));
}

static bool read_superblock(mo_guard *guard)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    enum { LONGEST = 100, SHORTEST = 48 };
    unsigned char p[LONGEST] = {0};
    if (guard->size < SHORTEST) {
        return mo_guard_fault(guard, "is not an HDF5 file");
    }
    const size_t available = guard->size < LONGEST ? (size_t)guard->size : LONGEST;
    if (!mo_guard_bytes(guard, 0, available, p, "superblock")) {
        return false;
    }
    if (memcmp(p, signature, sizeof signature) != 0) {
        return mo_guard_fault(guard, "is not an HDF5 file");
    }
    const unsigned version = p[8];
    if (version <= 1 && available == LONGEST) {
        return read_old_superblock(guard, p, version);
    }
    if (version == 2 || version == 3) {
        return read_new_superblock(guard, p);
    }
    return mo_guard_fault(guard, "is an HDF5 file that is cut off or of an unknown version");
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool open_file(mo_guard *guard, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        mo_guard_fault(guard, "could not be opened: %s", strerror(errno));
    } else if (S_ISDIR(about.st_mode)) {
        mo_guard_fault(guard, "is a directory, not a file");
    } else if (!S_ISREG(about.st_mode)) {
        /* A pipe or a device would block, or never end. */
        mo_guard_fault(guard, "is not a regular file");
    } else if (about.st_size == 0) {
        mo_guard_fault(guard, "is empty");
        return false;
    } else if (!(guard->file = fopen(path, "rb"))) {
        mo_guard_fault(guard, "could not be opened: %s", strerror(errno));
    } else {
        guard->size = (uint64_t)about.st_size;
        return true;
    }
    guard->error = MO_ERR_FILE;
    return false;
}

bool mo_guard_open(mo_guard *guard, const char *path, const mo_allocator *allocator)
{
    *guard = (mo_guard){
        .allocator = allocator, .root_tree = MO_GUARD_NOWHERE, .root_heap = MO_GUARD_NOWHERE};
    return open_file(guard, path) && read_superblock(guard);
}

bool mo_guard_open_part(mo_guard *guard, const char *path, uint64_t start, uint64_t size,
                        const mo_allocator *allocator)
{
    *guard = (mo_guard){
        .allocator = allocator, .root_tree = MO_GUARD_NOWHERE, .root_heap = MO_GUARD_NOWHERE};
    if (!open_file(guard, path)) {
        return false;
    }
    if (!mo_guard_inside(guard, start, size)) {
        return mo_guard_fault(guard, "was cut short while it was read");
    }
    guard->start = start;
    guard->size = size;
    return read_superblock(guard);
}

void mo_guard_close(mo_guard *guard)
{
    if (guard->file) {
        fclose(guard->file);
        guard->file = NULL;
    }
}
