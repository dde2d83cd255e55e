/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The guard: a bounds-checked look at the structure of an HDF5 file before libhdf5 sees it.
 *
 * libhdf5 trusts much of what it reads, and a damaged file can make it read or write outside its
 * buffers, or run forever.  The guard parses, on its own, every piece of metadata that libhdf5
 * will touch on the way to an object (superblock, object headers, links, the storage of a
 * dataset) and refuses whatever does not lie inside the file, contradicts itself, or is of a kind
 * that no writer of contact problems produces.  Only objects that pass are opened.
 *
 * Accepted: superblocks 0 to 3 with 8-byte addresses at the start of the file; object headers 1
 * and 2; links in symbol tables or in the header; datasets that are compact, contiguous, or in
 * chunks indexed by a version 1 B-tree, with deflate, shuffle and Fletcher-32 filters.
 * Refused: links kept in a fractal heap, the chunk indices that came with HDF5 1.10, other
 * filters, shared messages, user blocks, drivers.  h5repack turns such a file into an accepted
 * one.
 *
 * [hdf5-format] The HDF Group, HDF5 File Format Specification Version 3.0.
 */
#ifndef MO_IO_HDF5_GUARD_H
#define MO_IO_HDF5_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "moreau/base.h"

typedef struct mo_guard {
    FILE *file;
    uint64_t start;     /* of the HDF5 file inside the file: addresses count from here */
    uint64_t size;      /* bytes of the file that may be used: its end-of-file address */
    uint64_t root;      /* address of the root group's object header */
    uint64_t root_tree; /* the superblock's copy of the root's symbol table, or */
    uint64_t root_heap; /* MO_GUARD_NOWHERE where it has none */
    unsigned leaf_k;    /* half the entries of a symbol table node */
    unsigned node_k;    /* half the children of a group's B-tree node */
    unsigned chunk_k;   /* half the children of a chunk B-tree node */
    const mo_allocator *allocator;
    mo_error error;  /* of the last call that failed */
    char fault[224]; /* error text, to follow "PATH: PLACE " */
} mo_guard;

#define MO_GUARD_NOWHERE UINT64_MAX

typedef enum mo_guard_link_kind {
    MO_GUARD_HARD,
    MO_GUARD_SOFT,
    MO_GUARD_EXTERNAL,
    MO_GUARD_USER
} mo_guard_link_kind;

typedef struct mo_guard_link {
    const char *name;
    uint64_t address; /* of the object header, for a hard link */
    mo_guard_link_kind kind;
} mo_guard_link;

/* The links of one group, sorted by name. */
typedef struct mo_guard_group {
    mo_guard_link *links;
    size_t count, room;
    char *names; /* heap of the link names */
} mo_guard_group;

typedef enum mo_guard_class {
    MO_GUARD_INTEGER,
    MO_GUARD_FLOAT,
    MO_GUARD_TEXT, /* of fixed length */
    MO_GUARD_OTHER /* anything else: nothing more is known of the dataset, and it is not safe */
} mo_guard_class;

typedef struct mo_guard_dataset {
    mo_guard_class type;
    size_t type_size;  /* bytes an element */
    bool is_signed;    /* integers */
    bool space_padded; /* text */
    int rank;          /* 0 for one element */
    uint64_t count;    /* elements */
    bool is_unwritten; /* it has elements, but no storage was ever given to them */
} mo_guard_dataset;

/* Opens the file and checks its superblock.  Whatever is returned, mo_guard_close may be called. */
bool mo_guard_open(mo_guard *guard, const char *path, const mo_allocator *allocator);
/* The same for an HDF5 file that is `size` bytes of another one, from `start` on. */
bool mo_guard_open_part(mo_guard *guard, const char *path, uint64_t start, uint64_t size,
                        const mo_allocator *allocator);
void mo_guard_close(mo_guard *guard);

/* Is the object at `address` a group, and which links does it hold?  To be cleared. */
bool mo_guard_read_group(mo_guard *guard, uint64_t address, mo_guard_group *group);
void mo_guard_clear_group(mo_guard *guard, mo_guard_group *group);

/* The link of that name, or NULL. */
const mo_guard_link *mo_guard_find(const mo_guard_group *group, const char *name);

/* Is the object at `address` a dataset whose values can be read without harm? */
bool mo_guard_read_dataset(mo_guard *guard, uint64_t address, mo_guard_dataset *dataset);

#endif
