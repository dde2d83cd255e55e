/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Groups and vectors of HDF5 files (hdf5.h). */
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

/* Keeps the first error: the end of a long path, to leave room for the rest, then the message. */
MO_PRINTF(4, 0)
static bool fail(mo_h5 *h, mo_error error, const char *place, const char *format, va_list values)
{
    enum { SHOWN = 160 };
    char sentence[sizeof h->why->text];
    if (!h->error) {
        const size_t length = strlen(h->path);
        const bool cut = length > SHOWN;
        vsnprintf(sentence, sizeof sentence, format, values);
        h->error = mo_fail(h->why, error, "%s%s: %s%s%.300s", cut ? "..." : "",
                           cut ? h->path + (length - SHOWN) : h->path, place, place[0] ? " " : "",
                           sentence);
    }
    return false;
}

bool mo_h5_fail(mo_h5 *h, mo_error error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fail(h, error, "", format, values);
    va_end(values);
    return false;
}

bool mo_h5_fault(mo_h5 *h, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fail(h, MO_ERR_FORMAT, h->place, format, values);
    va_end(values);
    return false;
}

bool mo_h5_no_memory(mo_h5 *h)
{
    return mo_h5_fail(h, MO_ERR_MEMORY, "memory ran out");
}

void *mo_h5_take(mo_h5 *h, size_t count, size_t size)
{
    void *taken = mo_pool_take(&h->kept, count, size);
    if (!taken) mo_h5_no_memory(h);
    return taken;
}

/* ---- opening --------------------------------------------------------------------------------- */

void mo_h5_begin(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why)
{
    *h = (mo_h5){.path = path,
                 .allocator = allocator,
                 .why = why,
                 .place = "",
                 .kept.allocator = *allocator,
                 .out = H5I_INVALID_HID};
}

bool mo_h5_open_part(mo_h5 *h, const char *path, uint64_t start, uint64_t size,
                     const mo_allocator *allocator, mo_message *why, mo_h5_group *root)
{
    mo_h5_begin(h, path, allocator, why);
    *root = (mo_h5_group){.path = "/"};
    return mo_h5_open_file(h, start, size) && mo_h5_read_links(h, h->root, root);
}

bool mo_h5_open(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why,
                mo_h5_group *root)
{
    return mo_h5_open_part(h, path, 0, 0, allocator, why, root);
}

void mo_h5_close(mo_h5 *h)
{
    if (h->file) {
        fclose(h->file);
        h->file = NULL;
    }
    mo_pool_clear(&h->kept);
    mo_h5_close_out(h);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* All names are short constants; the bounds only silence a warning. */
static void join(const mo_h5_group *parent, const char *name, char path[MO_H5_PATH])
{
    const char *between = strcmp(parent->path, "/") == 0 ? "" : "/";
    snprintf(path, MO_H5_PATH, "%.40s%s%.20s", parent->path, between, name);
}

/* The object behind a hard link.  Other links can lead out of the file, or nowhere. */
static bool find_object(mo_h5 *h, const mo_h5_group *parent, const char *name, const char *path,
                        const char *what, uint64_t *address)
{
    static const char *const kinds[] = {"hard", "soft", "external", "user-defined"};
    MO_PASS(!h->error);
    const mo_h5_link *link = mo_h5_find(parent, name);
    MO_FAIL_IF(!link, mo_h5_fault(h, "the %s %s is missing", what, path));
    MO_FAIL_IF(link->kind != MO_H5_HARD,
               mo_h5_fault(
                   h, "%s is a link of the %s kind, which is not followed; put the %s itself there",
                   path, kinds[link->kind], what));
    *address = link->address;
    return true;
}

bool mo_h5_enter(mo_h5 *h, const mo_h5_group *parent, const char *name, mo_h5_group *group)
{
    uint64_t address = 0;
    *group = (mo_h5_group){0};
    join(parent, name, group->path);
    MO_PASS(find_object(h, parent, name, group->path, "group", &address));
    return mo_h5_read_links(h, address, group);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct dataset {
    char path[MO_H5_PATH];
    uint64_t address;
    mo_h5_dataset about;
} dataset;

static bool find_dataset(mo_h5 *h, const mo_h5_group *group, const char *name, dataset *d)
{
    join(group, name, d->path);
    MO_PASS(find_object(h, group, name, d->path, "dataset", &d->address));
    h->place = d->path;
    const bool good = mo_h5_read_dataset(h, d->address, &d->about, NULL);
    h->place = "";
    return good;
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
    MO_PASS(find_dataset(h, group, name, d));
    MO_FAIL_IF(d->about.type != MO_H5_INTEGER && (integers || d->about.type != MO_H5_FLOAT),
               mo_h5_fault(h, "%s holds %s where %s are needed", d->path, classes[d->about.type],
                           integers ? "integers" : "numbers"));
    MO_FAIL_IF(d->about.rank > 1,
               mo_h5_fault(h, "%s has rank %d where a vector is needed", d->path, d->about.rank));
    MO_FAIL_IF(d->about.is_unwritten,
               mo_h5_fault(h, "%s claims %llu entries that were never written", d->path,
                           (unsigned long long)d->about.count));
    MO_FAIL_IF(d->about.count > INT_MAX,
               mo_h5_fault(h, "%s has %llu entries, more than %d", d->path,
                           (unsigned long long)d->about.count, INT_MAX));
    return true;
}

/* Elements `first`, ... as they are stored, into new memory. */
static unsigned char *load_run(mo_h5 *h, dataset *d, uint64_t first, uint64_t count)
{
    mo_h5_run run = {first, count,
                     mo_memory_array(h->allocator, (size_t)count, d->about.type_size)};
    if (!run.to) {
        mo_h5_no_memory(h);
        return NULL;
    }
    h->place = d->path;
    if (!mo_h5_read_dataset(h, d->address, &d->about, &run)) {
        mo_memory_free(h->allocator, run.to);
        run.to = NULL;
    }
    h->place = "";
    return run.to;
}

/* The bits of an element; those of a signed integer extended to 64. */
static uint64_t bits_of(const mo_h5_dataset *about, const unsigned char *p)
{
    const unsigned size = (unsigned)about->type_size;
    uint64_t bits = mo_h5_number(p, size);
    for (unsigned k = 0; about->is_big_endian && k < size; ++k)
        bits = k == 0 ? p[0] : bits << 8 | p[k];
    const unsigned unused = 64 - 8 * size;
    return about->is_signed && bits >> (8 * size - 1) ? bits | ~(UINT64_MAX >> unused) : bits;
}

static double as_double(const mo_h5_dataset *about, const unsigned char *p)
{
    const uint64_t bits = bits_of(about, p);
    const uint32_t half = (uint32_t)bits;
    double twice;
    float single;
    if (about->type == MO_H5_INTEGER)
        return about->is_signed ? (double)(int64_t)bits : (double)bits;
    memcpy(&twice, &bits, sizeof twice);
    memcpy(&single, &half, sizeof single);
    return about->type_size == sizeof single ? single : twice;
}

/* An integer beyond 64 bits with a sign is the largest there is: which is rejected later. */
static int64_t as_integer(const mo_h5_dataset *about, const unsigned char *p)
{
    const uint64_t bits = bits_of(about, p);
    return !about->is_signed && bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}

bool mo_h5_read_ints(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                     int **values)
{
    dataset d;
    *values = NULL;
    *count = 0;
    MO_PASS(find_vector(h, group, name, true, &d));
    unsigned char *stored = load_run(h, &d, 0, d.about.count);
    int *all = stored ? mo_memory_array(h->allocator, (size_t)d.about.count, sizeof *all) : NULL;
    bool good = all || mo_h5_no_memory(h);
    for (size_t k = 0; good && k < d.about.count; ++k) {
        const int64_t wide = as_integer(&d.about, stored + k * d.about.type_size);
        all[k] = (int)wide;
        good = (wide >= INT_MIN && wide <= INT_MAX) ||
               mo_h5_fault(h, "entry %zu of %s is too large for an index", k, d.path);
    }
    mo_memory_free(h->allocator, stored);
    if (!good) {
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
    MO_PASS(mo_h5_read_ints(h, group, name, &count, &values));
    if (count == 1) *value = values[0];
    mo_memory_free(h->allocator, values);
    return count == 1 ||
           mo_h5_fault(h, "%s/%s has %zu entries where 1 is needed", group->path, name, count);
}

bool mo_h5_count(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count)
{
    dataset d;
    const bool good = find_vector(h, group, name, false, &d);
    *count = good ? (size_t)d.about.count : 0;
    return good;
}

/* A range of a vector, as integers or as numbers: the other array is NULL. */
static bool read_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                     size_t count, int64_t *integers, double *numbers)
{
    dataset d;
    MO_PASS(find_vector(h, group, name, integers != NULL, &d));
    MO_FAIL_IF(first > d.about.count || count > d.about.count - first,
               mo_h5_fault(h, "%s has %llu entries, not %zu from %zu on", d.path,
                           (unsigned long long)d.about.count, count, first));
    unsigned char *stored = load_run(h, &d, first, count);
    for (size_t k = 0; stored && k < count; ++k) {
        const unsigned char *at = stored + k * d.about.type_size;
        if (integers)
            integers[k] = as_integer(&d.about, at);
        else
            numbers[k] = as_double(&d.about, at);
    }
    mo_memory_free(h->allocator, stored);
    return stored != NULL;
}

bool mo_h5_read_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                    size_t count, double *values)
{
    return read_run(h, group, name, first, count, NULL, values);
}

bool mo_h5_read_int_run(mo_h5 *h, const mo_h5_group *group, const char *name, size_t first,
                        size_t count, int64_t *values)
{
    return read_run(h, group, name, first, count, values, NULL);
}

bool mo_h5_read_doubles(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                        double **values)
{
    *values = NULL;
    MO_PASS(mo_h5_count(h, group, name, count));
    *values = mo_memory_array(h->allocator, *count, sizeof **values);
    MO_FAIL_IF(!*values, mo_h5_no_memory(h));
    if (!mo_h5_read_run(h, group, name, 0, *count, *values)) {
        mo_memory_free(h->allocator, *values);
        *values = NULL;
        *count = 0;
        return false;
    }
    return true;
}

/* Ends a string of fixed length before the spaces that pad it; a zero inside ends it sooner. */
static void end_text(char *text, const mo_h5_dataset *about)
{
    size_t length = about->type_size;
    while (about->space_padded && length > 0 && text[length - 1] == ' ')
        --length;
    text[length] = 0;
}

bool mo_h5_read_text(mo_h5 *h, const mo_h5_group *group, const char *name, char **text)
{
    dataset d;
    *text = NULL;
    MO_PASS(find_dataset(h, group, name, &d));
    if (d.about.type != MO_H5_TEXT || d.about.rank > 1 || d.about.count != 1 ||
        d.about.is_unwritten)
        return true;
    unsigned char *stored = load_run(h, &d, 0, 1);
    *text = stored ? mo_memory_copy(h->allocator, stored, d.about.type_size) : NULL;
    mo_memory_free(h->allocator, stored);
    MO_FAIL_IF(!*text, mo_h5_no_memory(h));
    end_text(*text, &d.about);
    return true;
}
