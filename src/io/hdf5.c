/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Calls of libhdf5 (hdf5.h). */
#include "io/hdf5.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/hdf5_parse.h"

/* ---- errors ---------------------------------------------------------------------------------- */

bool mo_h5_fail(mo_h5 *h, mo_error error, const char *format, ...)
{
    enum { SHOWN = 160 }; /* of a long path its end is shown, so that the sentence keeps its room */
    if (h->error) {
        return false;
    }
    char sentence[sizeof h->why->text];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    const size_t length = strlen(h->path);
    const bool cut = length > SHOWN;
    h->error = mo_fail(h->why, error, "%s%s: %.300s", cut ? "..." : "",
                       cut ? h->path + (length - SHOWN) : h->path, sentence);
    return false;
}

bool mo_h5_no_memory(mo_h5 *h)
{
    return mo_h5_fail(h, MO_ERR_MEMORY, "memory ran out");
}

/* Reports the finding of the guard at `place` ("" for the file itself). */
static bool fail_as_guard(mo_h5 *h, const char *place)
{
    return mo_h5_fail(h, h->guard.error ? h->guard.error : MO_ERR_FORMAT, "%s%s%s", place,
                      place[0] ? " " : "", h->guard.fault);
}

void mo_h5_silence(mo_h5 *h)
{
    H5Eget_auto2(H5E_DEFAULT, &h->printer, &h->printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* ---- opening --------------------------------------------------------------------------------- */

static hid_t access_list(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    /* Files on file systems without locks can be read. */
    H5Pset_file_locking(access, 1, 1);
#endif
    return access;
}

bool mo_h5_open(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why,
                mo_h5_group *root)
{
    *h = (mo_h5){.path = path, .allocator = allocator, .why = why, .file = H5I_INVALID_HID};
    *root = (mo_h5_group){.path = "/"};
    mo_h5_silence(h);
    if (!mo_guard_open(&h->guard, path, allocator)) {
        return fail_as_guard(h, "");
    }
    if (!mo_guard_read_group(&h->guard, h->guard.root, &root->links)) {
        return fail_as_guard(h, "/");
    }
    const hid_t access = access_list();
    h->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return h->file >= 0 ||
           mo_h5_fail(h, MO_ERR_FORMAT, "HDF5 cannot open this file; h5dump may tell why");
}

/* The bytes of the part, as a file in the memory of libhdf5. */
static hid_t open_copy(mo_h5 *h, uint64_t size)
{
    unsigned char *bytes = mo_guard_load(&h->guard, 0, size, "content");
    const hid_t access = bytes ? H5Pcreate(H5P_FILE_ACCESS) : H5I_INVALID_HID;
    hid_t file = H5I_INVALID_HID;
    if (bytes && H5Pset_fapl_core(access, 1 << 20, 0) >= 0 &&
        H5Pset_file_image(access, bytes, (size_t)size) >= 0) {
        file = H5Fopen("in-memory", H5F_ACC_RDONLY, access);
    }
    if (bytes) {
        H5Pclose(access);
    }
    mo_memory_free(h->allocator, bytes);
    return file;
}

bool mo_h5_open_part(mo_h5 *h, const char *path, uint64_t start, uint64_t size,
                     const mo_allocator *allocator, mo_message *why, mo_h5_group *root)
{
    *h = (mo_h5){.path = path, .allocator = allocator, .why = why, .file = H5I_INVALID_HID};
    *root = (mo_h5_group){.path = "/"};
    mo_h5_silence(h);
    if (!mo_guard_open_part(&h->guard, path, start, size, allocator)) {
        return fail_as_guard(h, "");
    }
    if (!mo_guard_read_group(&h->guard, h->guard.root, &root->links)) {
        return fail_as_guard(h, "/");
    }
    h->file = open_copy(h, h->guard.size);
    return h->file >= 0 || mo_h5_fail(h, MO_ERR_FORMAT, "HDF5 cannot open a part of this file");
}

void mo_h5_close(mo_h5 *h)
{
    if (h->file >= 0 && H5Fclose(h->file) < 0) {
        mo_h5_fail(h, MO_ERR_FILE, "HDF5 could not close the file");
    }
    mo_guard_close(&h->guard);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, h->printer, h->printer_data);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* All names are ours and short: the bounds are never met, and silence the warning. */
static void join(const mo_h5_group *parent, const char *name, char path[MO_H5_PATH])
{
    const char *between = strcmp(parent->path, "/") == 0 ? "" : "/";
    snprintf(path, MO_H5_PATH, "%.40s%s%.20s", parent->path, between, name);
}

bool mo_h5_has(const mo_h5_group *group, const char *name)
{
    return mo_guard_find(&group->links, name) != NULL;
}

/* The object behind a hard link.  Other links can lead out of the file, or nowhere. */
static bool find_object(mo_h5 *h, const mo_h5_group *parent, const char *name, const char *path,
                        const char *what, uint64_t *address)
{
    static const char *const kinds[] = {"hard", "soft", "external", "user-defined"};
    if (h->error) {
        return false;
    }
    const mo_guard_link *link = mo_guard_find(&parent->links, name);
    if (!link) {
        return mo_h5_fail(h, MO_ERR_FORMAT, "the %s %s is missing", what, path);
    }
    if (link->kind != MO_GUARD_HARD) {
        return mo_h5_fail(
            h, MO_ERR_FORMAT,
            "%s is a link of the %s kind, which is not followed; put the %s itself there", path,
            kinds[link->kind], what);
    }
    *address = link->address;
    return true;
}

bool mo_h5_enter(mo_h5 *h, const mo_h5_group *parent, const char *name, mo_h5_group *group)
{
    uint64_t address = 0;
    *group = (mo_h5_group){0};
    join(parent, name, group->path);
    if (!find_object(h, parent, name, group->path, "group", &address)) {
        return false;
    }
    return mo_guard_read_group(&h->guard, address, &group->links) || fail_as_guard(h, group->path);
}

void mo_h5_leave(mo_h5 *h, mo_h5_group *group)
{
    mo_guard_clear_group(&h->guard, &group->links);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A dataset that has passed the guard. */
typedef struct dataset {
    char path[MO_H5_PATH];
    mo_guard_dataset about;
} dataset;

static bool find_dataset(mo_h5 *h, const mo_h5_group *group, const char *name, dataset *d)
{
    uint64_t address = 0;
    join(group, name, d->path);
    if (!find_object(h, group, name, d->path, "dataset", &address)) {
        return false;
    }
    return mo_guard_read_dataset(&h->guard, address, &d->about) || fail_as_guard(h, d->path);
}

bool mo_h5_is_unwritten(mo_h5 *h, const mo_h5_group *group, const char *name)
{
    dataset d;
    return mo_h5_has(group, name) && find_dataset(h, group, name, &d) && d.about.is_unwritten;
}

/* A vector of numbers, or of integers alone; one element counts as a vector. */
static bool find_vector(mo_h5 *h, const mo_h5_group *group, const char *name, bool integers,
                        dataset *d)
{
    static const char *const classes[] = {"integers", "floating-point numbers", "text",
                                          "values of another type"};
    if (!find_dataset(h, group, name, d)) {
        return false;
    }
    if (d->about.type != MO_GUARD_INTEGER && (integers || d->about.type != MO_GUARD_FLOAT)) {
        return mo_h5_fail(h, MO_ERR_FORMAT, "%s holds %s where %s are needed", d->path,
                          classes[d->about.type], integers ? "integers" : "numbers");
    }
    if (d->about.rank > 1) {
        return mo_h5_fail(h, MO_ERR_FORMAT, "%s has rank %d where a vector is needed", d->path,
                          d->about.rank);
    }
    if (d->about.is_unwritten) {
        return mo_h5_fail(h, MO_ERR_FORMAT, "%s claims %llu entries that were never written",
                          d->path, (unsigned long long)d->about.count);
    }
    if (d->about.count > INT_MAX) {
        return mo_h5_fail(h, MO_ERR_FORMAT, "%s has %llu entries, more than %d", d->path,
                          (unsigned long long)d->about.count, INT_MAX);
    }
    return true;
}

/* All values of a dataset, converted to `type` (H5I_INVALID_HID: as they are stored). */
static bool read_values(mo_h5 *h, const dataset *d, hid_t type, void *to)
{
    if (d->about.count == 0) {
        return true;
    }
    const hid_t id = H5Dopen2(h->file, d->path, H5P_DEFAULT);
    const hid_t stored = id >= 0 ? H5Dget_type(id) : H5I_INVALID_HID;
    const bool good = stored >= 0 && H5Dread(id, type >= 0 ? type : stored, H5S_ALL, H5S_ALL,
                                             H5P_DEFAULT, to) >= 0;
    if (stored >= 0) {
        H5Tclose(stored);
    }
    if (id >= 0) {
        H5Dclose(id);
    }
    return good ||
           mo_h5_fail(h, MO_ERR_FORMAT, "HDF5 cannot read %s; h5dump may tell why", d->path);
}

/* Integers too wide for an int, by way of 64 bits.  (libhdf5 would clip them without a word.) */
static bool read_wide(mo_h5 *h, const dataset *d, int *values)
{
    const size_t count = (size_t)d->about.count;
    int64_t *wide = mo_memory_array(h->allocator, count, sizeof *wide);
    bool good = wide ? read_values(h, d, H5T_NATIVE_INT64, wide) : mo_h5_no_memory(h);
    for (size_t k = 0; good && k < count; ++k) {
        if (wide[k] < INT_MIN || wide[k] > INT_MAX) {
            good = mo_h5_fail(h, MO_ERR_FORMAT, "entry %zu of %s is too large for an index", k,
                              d->path);
        } else {
            values[k] = (int)wide[k];
        }
    }
    mo_memory_free(h->allocator, wide);
    return good;
}

bool mo_h5_read_ints(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                     int **values)
{
    dataset d;
    *values = NULL;
    *count = 0;
    if (!find_vector(h, group, name, true, &d)) {
        return false;
    }
    const bool fits = d.about.type_size + !d.about.is_signed <= sizeof(int);
    int *all = mo_memory_array(h->allocator, (size_t)d.about.count, sizeof *all);
    if (!all) {
        return mo_h5_no_memory(h);
    }
    if (!(fits ? read_values(h, &d, H5T_NATIVE_INT, all) : read_wide(h, &d, all))) {
        mo_memory_free(h->allocator, all);
        return false;
    }
    *count = (size_t)d.about.count;
    *values = all;
    return true;
}

bool mo_h5_read_int(mo_h5 *h, const mo_h5_group *group, const char *name, int *value)
{
    size_t count;
    int *values;
    if (!mo_h5_read_ints(h, group, name, &count, &values)) {
        return false;
    }
    if (count == 1) {
        *value = values[0];
    }
    mo_memory_free(h->allocator, values);
    return count == 1 || mo_h5_fail(h, MO_ERR_FORMAT, "%s/%s has %zu entries where 1 is needed",
                                    group->path, name, count);
}

bool mo_h5_read_doubles(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                        double **values)
{
    dataset d;
    *values = NULL;
    *count = 0;
    if (!find_vector(h, group, name, false, &d)) {
        return false;
    }
    double *all = mo_memory_array(h->allocator, (size_t)d.about.count, sizeof *all);
    if (!all) {
        return mo_h5_no_memory(h);
    }
    if (!read_values(h, &d, H5T_NATIVE_DOUBLE, all)) {
        mo_memory_free(h->allocator, all);
        return false;
    }
    *count = (size_t)d.about.count;
    *values = all;
    return true;
}

bool mo_h5_count(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count)
{
    dataset d;
    const bool good = find_vector(h, group, name, false, &d);
    *count = good ? (size_t)d.about.count : 0;
    return good;
}

/* A run of the values of a vector. */
static bool read_run(mo_h5 *h, const mo_h5_group *group, const char *name, hid_t type, size_t first,
                     size_t count, void *to)
{
    dataset d;
    const hsize_t start = first, length = count;
    if (!find_vector(h, group, name, type == H5T_NATIVE_INT64, &d)) {
        return false;
    }
    if (first > d.about.count || count > d.about.count - first) {
        return mo_h5_fail(h, MO_ERR_FORMAT, "%s has %llu entries, not %zu from %zu on", d.path,
                          (unsigned long long)d.about.count, count, first);
    }
    if (count == d.about.count || count == 0) {
        return count == 0 || read_values(h, &d, type, to);
    }
    const hid_t id = H5Dopen2(h->file, d.path, H5P_DEFAULT);
    const hid_t file = id >= 0 ? H5Dget_space(id) : H5I_INVALID_HID;
    const hid_t memory = H5Screate_simple(1, &length, NULL);
    const bool good = file >= 0 && memory >= 0 &&
                      H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, NULL, &length, NULL) >= 0 &&
                      H5Dread(id, type, memory, file, H5P_DEFAULT, to) >= 0;
    if (memory >= 0) {
        H5Sclose(memory);
    }
    if (file >= 0) {
        H5Sclose(file);
    }
    if (id >= 0) {
        H5Dclose(id);
    }
    return good || mo_h5_fail(h, MO_ERR_FORMAT, "HDF5 cannot read %s; h5dump may tell why", d.path);
}

bool mo_h5_read_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                    size_t count, double *values)
{
    return read_run(h, group, name, H5T_NATIVE_DOUBLE, first, count, values);
}

bool mo_h5_read_int_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                        size_t count, int64_t *values)
{
    return read_run(h, group, name, H5T_NATIVE_INT64, first, count, values);
}

/* Ends a string of fixed length: at its first zero, or before the spaces that pad it. */
static void end_text(char *text, const mo_guard_dataset *about)
{
    size_t length = about->type_size;
    text[length] = 0;
    length = strlen(text);
    while (about->space_padded && length > 0 && text[length - 1] == ' ') {
        text[--length] = 0;
    }
}

bool mo_h5_read_text(mo_h5 *h, const mo_h5_group *group, const char *name, char **text)
{
    dataset d;
    *text = NULL;
    if (!find_dataset(h, group, name, &d)) {
        return false;
    }
    if (d.about.type != MO_GUARD_TEXT || d.about.rank > 1 || d.about.count != 1 ||
        d.about.is_unwritten) {
        return true;
    }
    char *all = mo_memory_array(h->allocator, d.about.type_size + 1, 1);
    if (!all) {
        return mo_h5_no_memory(h);
    }
    if (!read_values(h, &d, H5I_INVALID_HID, all)) {
        mo_memory_free(h->allocator, all);
        return false;
    }
    end_text(all, &d.about);
    *text = all;
    return true;
}
