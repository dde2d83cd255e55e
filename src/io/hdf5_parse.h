/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reading HDF5 files: declarations shared by the files that parse them (hdf5_*.c).
 *
 * Files are untrusted.  Every address and size is checked against the end of the file before it is
 * used, memory is bounded by the size of the file, and every walk through the file ends.
 *
 * [hdf5-format] The HDF Group, HDF5 File Format Specification Version 3.0.
 */
#ifndef MO_IO_HDF5_PARSE_H
#define MO_IO_HDF5_PARSE_H

#include "io/hdf5.h"

#define MO_H5_NOWHERE UINT64_MAX

/* Object header messages that are read or passed over [hdf5-format, IV.A.2]. */
enum {
    MO_H5_SPACE = 0x01,
    MO_H5_LINK_INFO = 0x02,
    MO_H5_TYPE = 0x03,
    MO_H5_LINK = 0x06,
    MO_H5_EXTERNAL_FILES = 0x07,
    MO_H5_LAYOUT = 0x08,
    MO_H5_FILTERS = 0x0B,
    MO_H5_ATTRIBUTE = 0x0C,
    MO_H5_CONTINUATION = 0x10,
    MO_H5_SYMBOL_TABLE = 0x11,
    MO_H5_KINDS = 32
};

typedef struct mo_h5_message {
    const unsigned char *data;
    size_t size;
    const struct mo_h5_message *next; /* of the same kind */
} mo_h5_message;

/* An object header: the messages of each kind, of links and attributes in the reverse order, of the
 * others one at most.  They are in h->pool. */
typedef struct mo_h5_header {
    const mo_h5_message *of[MO_H5_KINDS];
} mo_h5_header;

bool mo_h5_read_header(mo_h5 *h, uint64_t address, mo_h5_header *header);

/* Whether [address, address + size) is inside the file. */
bool mo_h5_inside(const mo_h5 *h, uint64_t address, uint64_t size);

/* Copies bytes of the file; `what` names them in the fault. */
bool mo_h5_bytes(mo_h5 *h, uint64_t address, size_t size, void *to, const char *what);

/* Counts bytes of an object against h->budget, which is the file: a tree whose branches or values
 * are shared would otherwise cost far more than the file. */
bool mo_h5_spend(mo_h5 *h, uint64_t size);

/* Bytes of the file in h->pool, counted; NULL after a failure. */
unsigned char *mo_h5_load(mo_h5 *h, uint64_t address, uint64_t size, const char *what);

/* A version 1 B-tree [hdf5-format, III.A.1], which is walked in order. */
typedef struct mo_h5_tree {
    const char *what;    /* for messages: "tree of links" */
    unsigned type, half; /* 0 of links, 1 of chunks; half the children of a node */
    size_t key;          /* bytes */
    /* A child of a node, with the key before it; one of a leaf is to be read. */
    bool (*visit)(void *user, const unsigned char *key, uint64_t child, bool is_leaf);
    void *user;
} mo_h5_tree;
bool mo_h5_walk_tree(mo_h5 *h, const mo_h5_tree *tree, uint64_t root);

/* HDF5's checksum of metadata. */
uint32_t mo_h5_checksum(const unsigned char *p, size_t length);

/* A file that is not open yet, for reading or writing. */
void mo_h5_begin(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why);

/* Opens the file and reads its superblock (hdf5_file.c). */
bool mo_h5_open_file(mo_h5 *h, uint64_t start, uint64_t size);

/* Ends writing, where it was begun (hdf5_write.c). */
void mo_h5_close_out(mo_h5 *h);

/* The links of the group at `address`, sorted by name (hdf5_header.c). */
bool mo_h5_read_links(mo_h5 *h, uint64_t address, mo_h5_group *group);

/* ---- datasets (hdf5_dataset.c) --------------------------------------------------------------- */

typedef enum mo_h5_class {
    MO_H5_INTEGER,
    MO_H5_FLOAT,
    MO_H5_TEXT, /* of fixed length */
    MO_H5_OTHER /* any other type: the dataset is not read */
} mo_h5_class;

typedef struct mo_h5_dataset {
    mo_h5_class type;
    size_t type_size;   /* bytes an element */
    bool is_signed;     /* integers */
    bool is_big_endian; /* numbers */
    bool space_padded;  /* text */
    int rank;           /* 0 for one element */
    uint64_t count;     /* elements */
    bool is_unwritten;  /* it has elements, but no storage was ever given to them */
} mo_h5_dataset;

/* A run of elements to be read as they are stored, into room that is there. */
typedef struct mo_h5_run {
    uint64_t first, count;
    unsigned char *to;
} mo_h5_run;

/* The dataset at `address`, checked as a whole; the run may be NULL. */
bool mo_h5_read_dataset(mo_h5 *h, uint64_t address, mo_h5_dataset *dataset, const mo_h5_run *run);

#endif
