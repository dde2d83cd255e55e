/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * HDF5 files of vectors.  Files are read by our own parser (hdf5_parse.h) and written by libhdf5,
 * which only hdf5_write.c calls: on a damaged file it reads or writes outside its buffers.
 *
 * The first error is kept with its message ("FILE: PLACE what is wrong"); later calls return false
 * without effect.
 *
 * Read: superblocks 0 to 3 with 8-byte addresses at the start of the file; object headers 1 and 2;
 * links in symbol tables or in the header; datasets that are compact, contiguous, or in chunks
 * indexed by a version 1 B-tree, with deflate, shuffle and Fletcher-32 filters.  Refused: links in
 * a fractal heap, the chunk indices of HDF5 1.10, other filters, shared messages, user blocks,
 * drivers.  h5repack turns such a file into one that is read.
 */
#ifndef MO_IO_HDF5_H
#define MO_IO_HDF5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/pool.h"
#include "moreau/base.h"

enum { MO_H5_PATH = 64 }; /* room for the longest path inside a file that is used here */

typedef struct mo_h5 {
    const char *path; /* of the file, for messages */
    const mo_allocator *allocator;
    mo_message *why;   /* or NULL */
    mo_error error;    /* the first one */
    const char *place; /* of the object that is read, for messages */
    FILE *file;
    uint64_t start;   /* of the HDF5 file inside the file: addresses count from here */
    uint64_t size;    /* bytes of the file that may be used: its end-of-file address */
    uint64_t budget;  /* bytes that the current object may still load: its parts do not overlap */
    mo_pool *pool;    /* in which they are, until the object is read */
    uint64_t root;    /* address of the root group's object header */
    unsigned leaf_k;  /* half the entries of a symbol table node */
    unsigned node_k;  /* half the children of a group's B-tree node */
    unsigned chunk_k; /* half the children of a chunk B-tree node */
    mo_pool kept;     /* mo_h5_take */

    bool is_writing;
    hid_t out;              /* the file that is written */
    char group[MO_H5_PATH]; /* in which its next datasets are */
    H5E_auto2_t printer;    /* error printer of libhdf5, restored at the end */
    void *printer_data;
} mo_h5;

typedef enum mo_h5_link_kind { MO_H5_HARD, MO_H5_SOFT, MO_H5_EXTERNAL, MO_H5_USER } mo_h5_link_kind;

typedef struct mo_h5_link {
    const char *name;
    uint64_t address; /* of the object header, for a hard link */
    mo_h5_link_kind kind;
} mo_h5_link;

/* An open group: its location, and its links sorted by name. */
typedef struct mo_h5_group {
    char path[MO_H5_PATH];
    mo_h5_link *links;
    size_t count, room;
    mo_pool pool; /* of the link names */
} mo_h5_group;

/* Keeps the first error, with the file's name in front of its sentence; always false. */
bool mo_h5_fail(mo_h5 *h, mo_error error, const char *format, ...) MO_PRINTF(3, 4);
/* The same for the contents of the file: MO_ERR_FORMAT, with h->place in front, if any. */
bool mo_h5_fault(mo_h5 *h, const char *format, ...) MO_PRINTF(2, 3);
bool mo_h5_no_memory(mo_h5 *h);

/* Memory for the user of the file, all zero, that is freed by mo_h5_close; NULL after a failure. */
void *mo_h5_take(mo_h5 *h, size_t count, size_t size);

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens `path` and its root group.  mo_h5_close is called whatever is returned. */
bool mo_h5_open(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why,
                mo_h5_group *root);
/* The same for an HDF5 file that is `size` bytes of `path`, from `start` on. */
bool mo_h5_open_part(mo_h5 *h, const char *path, uint64_t start, uint64_t size,
                     const mo_allocator *allocator, mo_message *why, mo_h5_group *root);
void mo_h5_close(mo_h5 *h); /* also of a file that is written */

/* The link of that name, or NULL; its target is checked when it is opened. */
const mo_h5_link *mo_h5_find(const mo_h5_group *group, const char *name);
static inline bool mo_h5_has(const mo_h5_group *group, const char *name)
{
    return mo_h5_find(group, name) != NULL;
}

/* Is there a dataset of that name that never received its values? */
bool mo_h5_is_unwritten(mo_h5 *h, const mo_h5_group *group, const char *name);

/* A group inside a group, which must be there.  mo_h5_leave must follow, also after a failure. */
bool mo_h5_enter(mo_h5 *h, const mo_h5_group *parent, const char *name, mo_h5_group *group);
void mo_h5_leave(mo_h5 *h, mo_h5_group *group);

/* Datasets that must be there.  Arrays are the caller's to free; NULL after a failure. */
bool mo_h5_read_int(mo_h5 *h, const mo_h5_group *group, const char *name, int *value);
bool mo_h5_read_ints(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                     int **values);
bool mo_h5_read_doubles(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                        double **values);

/* The entries of a vector, and a range of them into existing memory; integers as 64 bits. */
bool mo_h5_count(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count);
bool mo_h5_read_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                    size_t count, double *values);
bool mo_h5_read_int_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                        size_t count, int64_t *values);

/* Text.  `*text` stays NULL, without an error, if it is stored in an unsupported form. */
bool mo_h5_read_text(mo_h5 *h, const mo_h5_group *group, const char *name, char **text);

/* ---- writing --------------------------------------------------------------------------------- */

/* A new file, built in memory, since libhdf5 crashes if the disk is full.  `path` is its name in
 * messages; mo_h5_image returns its bytes, which the caller writes. */
bool mo_h5_create(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why);
bool mo_h5_image(mo_h5 *h, void **bytes, size_t *size); /* to be freed through the allocator */

/* A group, by its absolute path ("/fclib_local/W").  The datasets that follow are in it. */
bool mo_h5_make_group(mo_h5 *h, const char *path);
bool mo_h5_write_int(mo_h5 *h, const char *name, int value);
bool mo_h5_write_ints(mo_h5 *h, const char *name, size_t count, const int *values);
bool mo_h5_write_doubles(mo_h5 *h, const char *name, size_t count, const double *values);
bool mo_h5_write_text(mo_h5 *h, const char *name, const char *text);

/* A little-endian number of 1 to 8 bytes. */
uint64_t mo_h5_number(const unsigned char *p, unsigned bytes);

#endif
