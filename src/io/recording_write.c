/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Recordings to files.  The layout is in recording.h; the same recording gives the same bytes. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/recording.h"

/* A column of `rows` rows, gathered from structs. */
static bool write_column(mo_h5 *h, const mo_columns *table, const mo_column *column, size_t rows,
                         const void *structs)
{
    const size_t size = (size_t)column->width * (column->integers ? sizeof(int) : sizeof(double));
    char *values = mo_memory_array(h->allocator, rows, size);
    MO_FAIL_IF(!values, mo_h5_no_memory(h));
    for (size_t k = 0; k < rows; ++k)
        memcpy(values + k * size, (const char *)structs + k * table->stride + column->offset, size);
    const size_t count = rows * (size_t)column->width;
    const bool good =
        column->integers
            ? mo_h5_write_ints(h, column->name, count, (const int *)(const void *)values)
            : mo_h5_write_doubles(h, column->name, count, (const double *)(const void *)values);
    mo_memory_free(h->allocator, values);
    return good;
}

static bool write_table(mo_h5 *h, mo_recording_table which, int rows, const void *structs)
{
    const mo_columns *table = &mo_recording_tables[which];
    char path[MO_H5_PATH];
    snprintf(path, sizeof path, "/" MO_RECORDING_ROOT "/%.16s", table->group);
    bool good = mo_h5_make_group(h, path);
    for (int k = 0; good && k < table->count; ++k)
        good = write_column(h, table, table->column + k, (size_t)rows, structs);
    return good;
}

/* The names of the bodies, one a line. */
static bool write_names(mo_h5 *h, const mo_recording *recording)
{
    size_t size = 1;
    for (int k = 0; k < recording->body_count; ++k)
        size += strlen(recording->bodies[k].name) + 1;
    char *all = mo_memory_array(h->allocator, size, 1);
    MO_FAIL_IF(!all, mo_h5_no_memory(h));
    char *to = all;
    for (int k = 0; k < recording->body_count; ++k) {
        for (const char *c = recording->bodies[k].name; *c; ++c)
            *to++ = *c == '\n' ? ' ' : *c;
        *to++ = '\n';
    }
    *to = 0;
    const bool good = mo_h5_write_text(h, "names", all);
    mo_memory_free(h->allocator, all);
    return good;
}

/* The points and indices of all shapes, concatenated. */
static bool write_arrays(mo_h5 *h, const mo_recording *recording)
{
    size_t points = 0, indices = 0;
    for (int k = 0; k < recording->shape_count; ++k) {
        points += 3 * (size_t)recording->shapes[k].def.point_count;
        indices += (size_t)recording->shapes[k].def.index_count;
    }
    double *all_points = mo_memory_array(h->allocator, points, sizeof *all_points);
    int *all_indices = mo_memory_array(h->allocator, indices, sizeof *all_indices);
    bool good = all_points && all_indices ? true : mo_h5_no_memory(h);
    points = indices = 0;
    for (int k = 0; good && k < recording->shape_count; ++k) {
        const mo_shape_def *def = &recording->shapes[k].def;
        const size_t p = 3 * (size_t)def->point_count, i = (size_t)def->index_count;
        if (p) memcpy(all_points + points, def->points, p * sizeof *all_points);
        if (i) memcpy(all_indices + indices, def->indices, i * sizeof *all_indices);
        points += p;
        indices += i;
    }
    good = good && mo_h5_write_doubles(h, "points", points, all_points) &&
           mo_h5_write_ints(h, "indices", indices, all_indices);
    MO_FREE(h->allocator, all_points, all_indices);
    return good;
}

static bool write_head(mo_h5 *h, const mo_recording *recording)
{
    return mo_h5_write_int(h, "dimension", recording->dimension) &&
           mo_h5_write_doubles(h, "gravity", 3, recording->gravity) &&
           (!recording->title || mo_h5_write_text(h, "title", recording->title)) &&
           write_table(h, MO_TABLE_BODIES, recording->body_count, recording->bodies) &&
           write_names(h, recording) &&
           write_table(h, MO_TABLE_SHAPES, recording->shape_count, recording->shapes) &&
           write_arrays(h, recording) &&
           write_table(h, MO_TABLE_JOINTS, recording->joint_count, recording->joints);
}

/* The frames from `first` on, with their contacts. */
static bool write_frames(mo_h5 *h, const mo_recording *recording, int first)
{
    const int frames = recording->frame_count - first;
    const size_t bodies = (size_t)recording->body_count;
    const size_t rows = (size_t)frames * bodies, from = (size_t)first * bodies;
    const int contact = frames > 0 ? recording->frames[first].first_contact : 0;
    const int contacts = frames > 0 ? recording->contact_count - contact : 0;
    return write_table(h, MO_TABLE_FRAMES, frames, frames > 0 ? recording->frames + first : NULL) &&
           mo_h5_write_doubles(h, "poses", 7 * rows,
                               rows ? recording->poses[from].position : NULL) &&
           mo_h5_write_doubles(h, "velocities", 6 * rows,
                               rows ? recording->velocities[from] : NULL) &&
           write_table(h, MO_TABLE_CONTACTS, contacts,
                       contacts > 0 ? recording->contacts + contact : NULL);
}

mo_error mo_recording_image(const mo_recording *recording, const char *path, int has_head,
                            int first, void **bytes, size_t *size, mo_message *why)
{
    const mo_allocator own = mo_allocator_or_default(&recording->allocator);
    mo_h5 h;
    *bytes = NULL;
    *size = 0;
    if (mo_h5_create(&h, path, &own, why) && mo_h5_make_group(&h, "/" MO_RECORDING_ROOT) &&
        mo_h5_write_int(&h, "version", MO_RECORDING_VERSION) &&
        (!has_head || write_head(&h, recording)) && write_frames(&h, recording, first))
        mo_h5_image(&h, bytes, size);
    mo_h5_close(&h);
    if (h.error) {
        mo_memory_free(&own, *bytes);
        *bytes = NULL;
    }
    return h.error;
}

mo_error mo_recording_write(const char *path, const mo_recording *recording, mo_message *why)
{
    MO_REFUSE_IF(!path || !recording || recording->dimension == 0, why,
                 "mo_recording_write needs a path and a recording that was begun");
    const mo_allocator own = mo_allocator_or_default(&recording->allocator);
    void *bytes = NULL;
    size_t size = 0;
    mo_error error = mo_recording_image(recording, path, 1, 0, &bytes, &size, why);
    error = error ? error : mo_replace_file(path, bytes, size, why);
    mo_memory_free(&own, bytes);
    return error;
}
