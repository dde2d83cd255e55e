/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The layout of a recording's file, shared by its writer and its reader: tables of columns, each
 * column a member of a struct of moreau/recording.h and a vector of the file, `width` numbers a
 * row.
 *
 *   /moreau_recording/version, dimension, gravity, title
 *   /moreau_recording/bodies      kind, mass, names (one a line)
 *   /moreau_recording/shapes      body, kind, pose, sizes, material, density, layers, colour,
 *                                 and the arrays of hulls and meshes
 *   /moreau_recording/joints      kind, a, b, anchor_a, anchor_b, axis; missing in older files,
 *                                 which have none
 *   /moreau_recording/frames      time, step, energies, residual, penetration, status,
 *                                 contact_count, poses, velocities
 *   /moreau_recording/contacts    bodies, id, mode, point, normal, force, moment, velocity, gap, mu
 */
#ifndef MO_IO_RECORDING_H
#define MO_IO_RECORDING_H

#include <limits.h>

#include "io/hdf5.h"
#include "moreau/recording.h"

/*
 * A file that was written as the run went is a sequence of such files.  The first has the head (all
 * but frames and contacts) and may have frames; each of the others has version, frames and contacts
 * alone, and 16 bytes before it: MO_RECORDING_MORE, and its size, low byte first.
 */
#define MO_RECORDING_MORE "MOREAU+\n"
enum { MO_RECORDING_MARK = 8 }; /* bytes of it, without the zero */

/* The bytes of one of them, from frame `first` on, in memory of the recording's allocator. */
mo_error mo_recording_image(const mo_recording *recording, const char *path, int has_head,
                            int first, void **bytes, size_t *size, mo_message *why);

#define MO_RECORDING_ROOT "moreau_recording"
enum { MO_RECORDING_VERSION = 1 };

/* Valid values of a column. */
typedef enum mo_column_range {
    MO_COLUMN_ANY,         /* finite */
    MO_COLUMN_NOT_NEGATIVE /* from zero to infinity, included */
} mo_column_range;

/* The largest value of a column that refers to a body: the last body. */
#define MO_COLUMN_BODY LLONG_MAX

typedef struct mo_column {
    const char *name;
    bool integers;
    int width; /* numbers a row, one after the other in the struct */
    size_t offset;
    mo_column_range range; /* of doubles */
    long long least, most; /* of integers; most: or MO_COLUMN_BODY */
    bool may_lack;         /* older files have no such column: zeros */
} mo_column;

typedef struct mo_columns {
    const char *group; /* under the root */
    size_t stride;     /* of a row of the struct */
    int count;
    const mo_column *column;
} mo_columns;

typedef enum mo_recording_table {
    MO_TABLE_BODIES,
    MO_TABLE_SHAPES,
    MO_TABLE_JOINTS,
    MO_TABLE_FRAMES,
    MO_TABLE_CONTACTS,
    MO_TABLE_COUNT
} mo_recording_table;

extern const mo_columns mo_recording_tables[MO_TABLE_COUNT];

#endif
