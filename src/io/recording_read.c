/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reads recordings from untrusted files.
 *
 *   1. the file is opened (hdf5.h)
 *   2. columns of each table must have the same number of rows and valid values, those that refer
 *      to bodies too (recording_columns.c)
 *   3. all references must be valid: meshes to points, frames to contacts, poses and velocities to
 *      frames
 *
 * Memory is bounded by the file: no allocation uses a count that no vector of the file confirms.
 */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/recording.h"
#include "linalg/vec3.h"

/* One file while it is read. */
typedef struct reader {
    mo_h5 h;
    mo_h5_group file, root;
    mo_recording *recording;
} reader;

/* ---- columns --------------------------------------------------------------------------------- */

/* The numbers of a column, in its range; `most` is the largest integer.  NULL after a failure. */
static void *read_numbers(mo_h5 *h, const mo_h5_group *group, const mo_column *column,
                          long long most, size_t *count)
{
    int *whole = NULL;
    double *real = NULL;
    bool good = column->integers ? mo_h5_read_ints(h, group, column->name, count, &whole)
                                 : mo_h5_read_doubles(h, group, column->name, count, &real);
    for (size_t k = 0; good && column->integers && k < *count; ++k) {
        good = (whole[k] >= column->least && whole[k] <= most) ||
               mo_h5_fault(h, "entry %zu of %s/%s is %d, outside %lld to %lld", k, group->path,
                           column->name, whole[k], column->least, most);
    }
    for (size_t k = 0; good && !column->integers && k < *count; ++k) {
        good = (column->range == MO_COLUMN_NOT_NEGATIVE ? real[k] >= 0 : isfinite(real[k])) ||
               mo_h5_fault(h, "entry %zu of %s/%s is %g, which is out of range", k, group->path,
                           column->name, real[k]);
    }
    if (!good) {
        MO_FREE(h->allocator, whole, real);
        return NULL;
    }
    return column->integers ? (void *)whole : (void *)real;
}

/* Finite numbers that are not in a table. */
static double *read_doubles(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count)
{
    return read_numbers(h, group, &(mo_column){.name = name}, 0, count);
}

static bool check_count(mo_h5 *h, const mo_h5_group *group, const char *name, size_t count,
                        size_t needed)
{
    return count == needed || mo_h5_fault(h, "%s/%s has %zu entries where %zu are needed",
                                          group->path, name, count, needed);
}

/* Copies a column to structs, which are allocated with the first column. */
static bool take_column(reader *in, const mo_h5_group *group, const mo_columns *table,
                        const mo_column *column, int *rows, char **structs)
{
    mo_h5 *h = &in->h;
    const long long most =
        column->most == MO_COLUMN_BODY ? in->recording->body_count - 1 : column->most;
    size_t count = 0;
    const size_t size = (size_t)column->width * (column->integers ? sizeof(int) : sizeof(double));
    void *values = read_numbers(h, group, column, most, &count);
    bool good = values != NULL;
    if (good && !*structs) {
        *rows = (int)(count / (size_t)column->width);
        *structs = mo_memory_zeros(h->allocator, (size_t)*rows, table->stride);
        good = *structs ? true : mo_h5_no_memory(h);
    }
    good =
        good && check_count(h, group, column->name, count, (size_t)*rows * (size_t)column->width);
    for (int k = 0; good && k < *rows; ++k) {
        memcpy(*structs + (size_t)k * table->stride + column->offset,
               (const char *)values + (size_t)k * size, size);
    }
    mo_memory_free(h->allocator, values);
    return good;
}

/* The structs of a table, or NULL; *rows is their number. */
static void *read_table(reader *in, const mo_h5_group *group, mo_recording_table which, int *rows)
{
    mo_h5 *h = &in->h;
    const mo_columns *table = &mo_recording_tables[which];
    char *structs = NULL;
    bool good = true;
    *rows = 0;
    for (int k = 0; good && k < table->count; ++k) {
        const mo_column *column = table->column + k;
        good = (column->may_lack && !mo_h5_has(group, column->name)) ||
               take_column(in, group, table, column, rows, &structs);
    }
    if (!good) {
        mo_memory_free(h->allocator, structs);
        *rows = 0;
        return NULL;
    }
    return structs;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Names that are missing, or too few, are empty. */
static bool read_names(reader *in, const mo_h5_group *group)
{
    mo_h5 *h = &in->h;
    mo_recording *recording = in->recording;
    char *all = NULL;
    if (mo_h5_has(group, "names") && !mo_h5_read_text(h, group, "names", &all)) return false;
    bool good = true;
    const char *from = all ? all : "";
    for (int k = 0; good && k < recording->body_count; ++k) {
        const size_t length = strcspn(from, "\n");
        recording->bodies[k].name = mo_memory_copy(h->allocator, from, length);
        good = recording->bodies[k].name ? true : mo_h5_no_memory(h);
        from += length + (from[length] == '\n');
    }
    mo_memory_free(h->allocator, all);
    return good;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool check_indices(mo_h5 *h, const mo_shape_def *def, int shape)
{
    for (int k = 0; k < def->index_count; ++k) {
        MO_FAIL_IF(def->indices[k] < 0 || def->indices[k] >= def->point_count,
                   mo_h5_fault(h, "index %d of shape %d is %d, but it has %d points", k, shape,
                               def->indices[k], def->point_count));
    }
    return true;
}

/* Hands each shape its part of the points and indices. */
static bool share_arrays(reader *in, const double *points, size_t point_count, const int *indices,
                         size_t index_count)
{
    mo_h5 *h = &in->h;
    size_t p = 0, i = 0;
    for (int k = 0; k < in->recording->shape_count; ++k) {
        mo_shape_def *def = &in->recording->shapes[k].def;
        const size_t np = 3 * (size_t)def->point_count, ni = (size_t)def->index_count;
        MO_FAIL_IF(
            np > point_count - p || ni > index_count - i,
            mo_h5_fault(h, "shape %d refers to more points or indices than the file has", k));
        def->points = np ? mo_memory_copy(h->allocator, points + p, np * sizeof *points) : NULL;
        def->indices = ni ? mo_memory_copy(h->allocator, indices + i, ni * sizeof *indices) : NULL;
        MO_FAIL_IF((np && !def->points) || (ni && !def->indices), mo_h5_no_memory(h));
        MO_PASS(check_indices(h, def, k));
        p += np;
        i += ni;
    }
    return (p == point_count && i == index_count) ||
           mo_h5_fault(h, "some points or indices belong to no shape");
}

static bool read_arrays(reader *in, const mo_h5_group *group)
{
    static const mo_column INDICES = {.name = "indices", .integers = true};
    mo_h5 *h = &in->h;
    size_t point_count = 0, index_count = 0;
    double *points = read_doubles(h, group, "points", &point_count);
    int *indices = points ? read_numbers(h, group, &INDICES, INT_MAX, &index_count) : NULL;
    const bool good = indices && share_arrays(in, points, point_count, indices, index_count);
    MO_FREE(h->allocator, points, indices);
    return good;
}

/* ---- frames and contacts --------------------------------------------------------------------- */

static bool check_orientations(mo_h5 *h, const mo_pose *poses, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        MO_FAIL_IF(!mo_quat_is_unit(poses[k].orientation),
                   mo_h5_fault(h, "orientation %zu is not a unit quaternion", k));
    }
    return true;
}

/* Poses and velocities: a row for each body of each frame. */
static bool read_motion(reader *in, const mo_h5_group *group)
{
    mo_recording *recording = in->recording;
    const size_t rows = (size_t)recording->frame_count * (size_t)recording->body_count;
    size_t count = 0;
    double *values = read_doubles(&in->h, group, "poses", &count);
    recording->poses = (void *)values;
    MO_PASS(values && check_count(&in->h, group, "poses", count, 7 * rows) &&
            check_orientations(&in->h, recording->poses, rows));
    values = read_doubles(&in->h, group, "velocities", &count);
    recording->velocities = (void *)values;
    return values && check_count(&in->h, group, "velocities", count, 6 * rows);
}

/* Each contact belongs to a frame. */
static bool share_contacts(reader *in, const mo_h5_group *group)
{
    (void)group;
    mo_recording *recording = in->recording;
    long long sum = 0;
    for (int k = 0; k < recording->frame_count && sum <= recording->contact_count; ++k) {
        recording->frames[k].first_contact = (int)sum;
        sum += recording->frames[k].contact_count;
    }
    return sum == recording->contact_count ||
           mo_h5_fault(
               &in->h,
               "the contact counts of the frames do not add up to the %d contacts of the file",
               recording->contact_count);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Data of a table beside its columns. */
typedef bool finish_table(reader *in, const mo_h5_group *group);

static bool read_rows(reader *in, mo_recording_table which, void **structs, int *rows,
                      finish_table *finish)
{
    mo_h5_group group;
    bool good = mo_h5_enter(&in->h, &in->root, mo_recording_tables[which].group, &group);
    if (good) {
        *structs = read_table(in, &group, which, rows);
        good = *structs && (!finish || finish(in, &group));
    }
    mo_h5_leave(&in->h, &group);
    return good;
}

static bool read_bodies(reader *in)
{
    mo_recording *to = in->recording;
    return read_rows(in, MO_TABLE_BODIES, (void **)&to->bodies, &to->body_count, read_names) &&
           read_rows(in, MO_TABLE_SHAPES, (void **)&to->shapes, &to->shape_count, read_arrays) &&
           (!mo_h5_has(&in->root, "joints") || /* older files have none */
            read_rows(in, MO_TABLE_JOINTS, (void **)&to->joints, &to->joint_count, NULL));
}

static bool read_frames(reader *in)
{
    mo_recording *to = in->recording;
    return read_rows(in, MO_TABLE_FRAMES, (void **)&to->frames, &to->frame_count, read_motion) &&
           read_rows(in, MO_TABLE_CONTACTS, (void **)&to->contacts, &to->contact_count,
                     share_contacts);
}

/* ---- entry points ---------------------------------------------------------------------------- */

static bool read_head(reader *in)
{
    mo_h5 *h = &in->h;
    size_t count = 0;
    MO_PASS(mo_h5_read_int(h, &in->root, "dimension", &in->recording->dimension));
    MO_FAIL_IF(
        in->recording->dimension != 2 && in->recording->dimension != 3,
        mo_h5_fault(h, "the dimension is %d where 2 or 3 is needed", in->recording->dimension));
    double *gravity = read_doubles(h, &in->root, "gravity", &count);
    bool good = gravity && check_count(h, &in->root, "gravity", count, 3);
    if (good) memcpy(in->recording->gravity, gravity, sizeof in->recording->gravity);
    mo_memory_free(h->allocator, gravity);
    return good && (!mo_h5_has(&in->root, "title") ||
                    mo_h5_read_text(h, &in->root, "title", &in->recording->title));
}

static bool check_version(reader *in)
{
    mo_h5 *h = &in->h;
    int version = 0;
    MO_FAIL_IF(!mo_h5_has(&in->file, MO_RECORDING_ROOT),
               mo_h5_fault(h, "holds no group /" MO_RECORDING_ROOT "; is it a recording?"));
    MO_PASS(mo_h5_enter(h, &in->file, MO_RECORDING_ROOT, &in->root) &&
            mo_h5_read_int(h, &in->root, "version", &version));
    return version == MO_RECORDING_VERSION ||
           mo_h5_fail(h, MO_ERR_UNSUPPORTED, "is a recording of version %d; this library reads %d",
                      version, MO_RECORDING_VERSION);
}

static void close_part(reader *in)
{
    mo_h5_leave(&in->h, &in->root);
    mo_h5_leave(&in->h, &in->file);
    mo_h5_close(&in->h);
}

/* ---- files that were written as the run went ------------------------------------------------- */

/* Appends a recording to another one of the same bodies. */
static mo_error append(mo_recording *to, const mo_recording *more, mo_message *why)
{
    const size_t bodies = (size_t)to->body_count;
    const size_t frames = (size_t)to->frame_count + (size_t)more->frame_count;
    const size_t contacts = (size_t)to->contact_count + (size_t)more->contact_count;
    MO_FAIL_IF(7 * frames * bodies > INT_MAX || contacts > INT_MAX / 3,
               mo_fail(why, MO_ERR_UNSUPPORTED, "the recording is too large to be read"));
    const mo_allocator *allocator = &to->allocator;
    MO_FAIL_IF(!MO_GROW(allocator, to->frames, to->frame_room, frames + 1) ||
                   !MO_GROW(allocator, to->poses, to->pose_room, frames * bodies + 1) ||
                   !MO_GROW(allocator, to->velocities, to->velocity_room, frames * bodies + 1) ||
                   !MO_GROW(allocator, to->contacts, to->contact_room, contacts + 1),
               mo_fail_memory(why));
    const size_t at = (size_t)to->frame_count * bodies, rows = (size_t)more->frame_count * bodies;
    memcpy(to->poses + at, more->poses, rows * sizeof *to->poses);
    memcpy(to->velocities + at, more->velocities, rows * sizeof *to->velocities);
    memcpy(to->contacts + to->contact_count, more->contacts,
           (size_t)more->contact_count * sizeof *to->contacts);
    for (int k = 0; k < more->frame_count; ++k) {
        mo_recorded_frame *frame = to->frames + to->frame_count + k;
        *frame = more->frames[k];
        frame->first_contact += to->contact_count;
    }
    to->frame_count = (int)frames;
    to->contact_count = (int)contacts;
    return MO_OK;
}

/* One of the files after the first: `size` bytes from `start` on. */
static mo_error read_more(mo_recording *recording, const char *path, uint64_t start, uint64_t size,
                          mo_message *why)
{
    mo_recording more = {.allocator = recording->allocator, .body_count = recording->body_count};
    reader in = {.recording = &more};
    if (mo_h5_open_part(&in.h, path, start, size, &recording->allocator, why, &in.file) &&
        check_version(&in))
        read_frames(&in);
    close_part(&in);
    const mo_error error = in.h.error ? in.h.error : append(recording, &more, why);
    more.body_count = 0; /* the reader does not store their names */
    mo_recording_clear(&more);
    return error;
}

/* All further parts, up to the end or to an incomplete one of an interrupted run. */
static mo_error read_rest(mo_recording *recording, const char *path, uint64_t start,
                          mo_message *why)
{
    mo_error error = MO_OK;
    FILE *file = fopen(path, "rb");
    unsigned char mark[2 * MO_RECORDING_MARK];
    if (!file || fseeko(file, 0, SEEK_END) != 0)
        error = mo_fail(why, MO_ERR_FILE, "%.300s: could not be read to its end", path);
    const off_t length = error ? 0 : ftello(file);
    const uint64_t end = length > 0 ? (uint64_t)length : 0;
    while (!error && start <= end && end - start > sizeof mark) {
        if (fseeko(file, (off_t)start, SEEK_SET) != 0 ||
            fread(mark, 1, sizeof mark, file) != sizeof mark) {
            error = mo_fail(why, MO_ERR_FILE, "%.300s: could not be read to its end", path);
            break;
        }
        const uint64_t size = mo_h5_number(mark + MO_RECORDING_MARK, 8);
        start += sizeof mark;
        if (memcmp(mark, MO_RECORDING_MORE, MO_RECORDING_MARK) != 0 || size > end - start) break;
        error = read_more(recording, path, start, size, why);
        start += size;
    }
    if (file) fclose(file);
    return error;
}

mo_error mo_recording_read(const char *path, const mo_allocator *allocator, mo_recording *recording,
                           mo_message *why)
{
    MO_REFUSE_IF(!path || !recording, why,
                 "mo_recording_read needs a path and a place for the recording");
    const mo_allocator own = mo_allocator_or_default(allocator);
    *recording = (mo_recording){.allocator = own};
    reader in = {.recording = recording};
    if (mo_h5_open(&in.h, path, &own, why, &in.file) && check_version(&in) && read_head(&in) &&
        read_bodies(&in))
        read_frames(&in);
    const uint64_t end = in.h.size;
    close_part(&in);
    const mo_error error = in.h.error ? in.h.error : read_rest(recording, path, end, why);
    if (error) mo_recording_clear(recording);
    return error;
}
