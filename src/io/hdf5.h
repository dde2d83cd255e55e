/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interface to libhdf5 for readers and writers of vectors; no other file calls it.
 *
 * The first error is kept with its message ("FILE: PLACE what is wrong"); later calls return false
 * without effect.  Output of libhdf5 is suppressed while a file is open.
 *
 * libhdf5 only accesses objects that the guard has accepted (hdf5_guard.h); the file must not
 * change in between.  libhdf5 is not thread safe unless it was built so.
 */
#ifndef MO_IO_HDF5_H
#define MO_IO_HDF5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "io/hdf5_guard.h"
#include "moreau/base.h"

typedef struct mo_h5 {
    const char *path; /* of the file, for messages */
    const mo_allocator *allocator;
    mo_message *why; /* or NULL */
    mo_error error;  /* the first one */
    hid_t file;
    mo_guard guard;
    H5E_auto2_t printer; /* the caller's, put back at the end */
    void *printer_data;
} mo_h5;

enum { MO_H5_PATH = 64 }; /* room for the longest path inside a file that is used here */

/* An open group: its location and contents. */
typedef struct mo_h5_group {
    char path[MO_H5_PATH];
    mo_guard_group links;
} mo_h5_group;

/* Keeps the first error, with the file's name in front of its sentence; always false. */
bool mo_h5_fail(mo_h5 *h, mo_error error, const char *format, ...) MO_PRINTF(3, 4);
bool mo_h5_no_memory(mo_h5 *h);

/* What libhdf5 prints is off from here to mo_h5_close. */
void mo_h5_silence(mo_h5 *h);

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens `path` and its root group.  mo_h5_close is called whatever is returned. */
bool mo_h5_open(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why,
                mo_h5_group *root);
/* The same for an HDF5 file that is `size` bytes of `path`, from `start` on; libhdf5 has a copy. */
bool mo_h5_open_part(mo_h5 *h, const char *path, uint64_t start, uint64_t size,
                     const mo_allocator *allocator, mo_message *why, mo_h5_group *root);
void mo_h5_close(mo_h5 *h);

/* Whether there is a link of that name; its target is checked when it is opened. */
bool mo_h5_has(const mo_h5_group *group, const char *name);

/* Is there a dataset of that name that never received its values? */
bool mo_h5_is_unwritten(mo_h5 *h, const mo_h5_group *group, const char *name);

/* A group inside a group, which must be there.  To be left, also after a failure. */
bool mo_h5_enter(mo_h5 *h, const mo_h5_group *parent, const char *name, mo_h5_group *group);
void mo_h5_leave(mo_h5 *h, mo_h5_group *group);

/* Datasets that must be there.  Arrays are the caller's to free; NULL after a failure. */
bool mo_h5_read_int(mo_h5 *h, const mo_h5_group *group, const char *name, int *value);
bool mo_h5_read_ints(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                     int **values);
bool mo_h5_read_doubles(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                        double **values);

/* The entries of a vector, and a run of them into room that is there; integers as 64 bits. */
bool mo_h5_count(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count);
bool mo_h5_read_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                    size_t count, double *values);
bool mo_h5_read_int_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                        size_t count, int64_t *values);

/* Text.  `*text` stays NULL, without an error, where it is stored in a form that is left alone. */
bool mo_h5_read_text(mo_h5 *h, const mo_h5_group *group, const char *name, char **text);

/* ---- writing --------------------------------------------------------------------------------- */

/* A new file, built in memory, since libhdf5 does not survive a full disk.  `path` is its name in
 * messages; mo_h5_image returns its bytes, which the caller writes. */
bool mo_h5_create(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why);
bool mo_h5_image(mo_h5 *h, void **bytes, size_t *size); /* to be freed through the allocator */

/* Paths are absolute ("/fclib_local/W"). */
bool mo_h5_make_group(mo_h5 *h, const char *path);
bool mo_h5_write_int(mo_h5 *h, const char *path, int value);
bool mo_h5_write_ints(mo_h5 *h, const char *path, size_t count, const int *values);
bool mo_h5_write_doubles(mo_h5 *h, const char *path, size_t count, const double *values);
bool mo_h5_write_text(mo_h5 *h, const char *path, const char *text);

#endif
