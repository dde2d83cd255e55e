/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Damage to HDF5 files.
 *
 * Bytes change anywhere, but rather where metadata are: near signatures and where the file is not
 * zero.  Checksums of the newest format are made right again most of the time, because a file
 * with a wrong one is refused at once and shows nothing.  Edits through HDF5 leave a sound file
 * with unsound contents.
 */
#define _XOPEN_SOURCE 700

#include "fuzz_edit.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/hdf5_parse.h"

/* ---- files ----------------------------------------------------------------------------------- */

bool fuzz_load(const char *path, fuzz_bytes *bytes)
{
    FILE *file = fopen(path, "rb");
    *bytes = (fuzz_bytes){0};
    if (!file) return false;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    bytes->data = malloc(size > 0 ? (size_t)size : 1);
    bytes->size = bytes->data && size > 0 ? fread(bytes->data, 1, (size_t)size, file) : 0;
    fclose(file);
    if (!bytes->size) {
        free(bytes->data);
        *bytes = (fuzz_bytes){0};
    }
    return bytes->size > 0;
}

bool fuzz_save(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    const bool good = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

static uint64_t below(mo_random *random, uint64_t end)
{
    return end ? mo_random_bits(random) % end : 0;
}

/* ---- checksums of the newest format ---------------------------------------------------------- */

static void put(uint8_t *p, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; ++k)
        p[k] = (uint8_t)(value >> 8 * k);
}

/* The object header at `at`: where its checksum should be, or 0. */
static size_t end_of_header(const fuzz_bytes *f, size_t at)
{
    if (f->size - at < 40) return 0;
    const unsigned flags = f->data[at + 5];
    const size_t skip = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    const int bytes = 1 << (flags & 3);
    const uint64_t end =
        at + skip + (size_t)bytes + mo_h5_number(f->data + at + skip, (unsigned)bytes);
    return end > at && end < f->size && f->size - end >= 4 ? (size_t)end : 0;
}

/* The first place of the four bytes of `sign` at or behind `from`; f->size: there is none. */
static size_t find_sign(const fuzz_bytes *f, size_t from, const char *sign)
{
    for (const uint8_t *next; from + 4 <= f->size; from = (size_t)(next - f->data) + 1) {
        next = memchr(f->data + from, sign[0], f->size - 3 - from);
        if (!next || memcmp(next, sign, 4) == 0) return next ? (size_t)(next - f->data) : f->size;
    }
    return f->size;
}

void fuzz_mend_checksums(fuzz_bytes *f)
{
    if (f->size < 48 || f->data[8] < 2) return;
    put(f->data + 44, mo_h5_checksum(f->data, 44), 4);
    for (size_t at = find_sign(f, 48, "OHDR"); at + 40 < f->size;
         at = find_sign(f, at + 1, "OHDR")) {
        const size_t end = end_of_header(f, at);
        if (end) put(f->data + end, mo_h5_checksum(f->data + at, end - at), 4);
    }
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static const uint64_t odd_numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       8,
                                       16,
                                       127,
                                       128,
                                       255,
                                       256,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x10000,
                                       0x7fffffff,
                                       0x80000000u,
                                       0xffffffffu,
                                       0x100000000u,
                                       0x7fffffffffffffffu,
                                       0x8000000000000000u,
                                       0xffffffffffffffffu,
                                       0xfffffffffffffff0u};

/* Somewhere worth changing. */
static size_t choose_place(const fuzz_bytes *f, mo_random *random)
{
    static const char *const signs[] = {"TREE", "SNOD", "HEAP", "OHDR", "OCHK", "\x89HDF"};
    const uint64_t way = below(random, 4);
    const size_t anywhere = (size_t)below(random, f->size);
    if (way == 0) return anywhere;
    if (way == 1) {
        const char *sign = signs[below(random, sizeof signs / sizeof signs[0])];
        size_t at = find_sign(f, anywhere, sign);
        at = at < f->size ? at : find_sign(f, 0, sign);
        return at < f->size ? (at + (size_t)below(random, 128)) % f->size : anywhere;
    }
    for (size_t k = 0; k < f->size; ++k) {
        const size_t at = (anywhere + k) % f->size;
        if (f->data[at] != 0 && f->data[at] != 0xff) return at;
    }
    return anywhere;
}

static void change_number(fuzz_bytes *f, size_t at, mo_random *random)
{
    const int bytes = 1 << below(random, 4);
    if (f->size - at < (size_t)bytes) return;
    const uint64_t old = mo_h5_number(f->data + at, (unsigned)bytes);
    uint64_t value = odd_numbers[below(random, sizeof odd_numbers / sizeof *odd_numbers)];
    switch (below(random, 5)) {
    case 0:
        value = old + below(random, 17) - 8;
        break;
    case 1:
        value = f->size - below(random, 64);
        break;
    case 2:
        value = below(random, f->size) & ~(uint64_t)7;
        break; /* like an address */
    default:
        break;
    }
    put(f->data + at, value, bytes);
}

static void splice(fuzz_bytes *f, const fuzz_bytes *from, size_t at, mo_random *random)
{
    size_t length = (size_t)below(random, 1u << below(random, 10)) + 1;
    const size_t start = (size_t)below(random, from->size) & ~(size_t)(below(random, 2) ? 7 : 0);
    length = length < from->size - start ? length : from->size - start;
    length = length < f->size - at ? length : f->size - at;
    memmove(f->data + at, from->data + start, length);
}

static void change_bytes(fuzz_bytes *f, const fuzz_bytes *other, mo_random *random)
{
    const size_t at = choose_place(f, random);
    switch (below(random, 8)) {
    case 0:
        f->data[at] ^= (uint8_t)(1u << below(random, 8));
        break;
    case 1:
        f->data[at] = (uint8_t)mo_random_bits(random);
        break;
    case 2:
    case 3:
    case 4:
        change_number(f, at, random);
        break;
    case 5:
        splice(f, f, at, random);
        break;
    case 6:
        splice(f, other, at, random);
        break;
    default:
        if (below(random, 8) == 0) {
            f->size = at ? at : 1; /* cut */
        } else {
            const size_t rest = f->size - at;
            const size_t length = (size_t)below(random, 64);
            memset(f->data + at, below(random, 2) ? 0 : 0xff, length < rest ? length : rest);
        }
    }
}

/* ---- edits through HDF5 ---------------------------------------------------------------------- */

/* Where an FCLIB file has datasets, for a look by libhdf5. */
static const char *const groups[] = {"/fclib_global", "/fclib_global_rolling", "/fclib_local",
                                     "/fclib_local_rolling"};
static const char *const vectors[] = {"M/m",        "M/n",
                                      "M/nz",       "M/nzmax",
                                      "M/p",        "M/i",
                                      "M/x",        "H/m",
                                      "H/n",        "H/nz",
                                      "H/nzmax",    "H/p",
                                      "H/i",        "H/x",
                                      "G/n",        "G/nz",
                                      "G/p",        "G/i",
                                      "G/x",        "W/m",
                                      "W/n",        "W/nz",
                                      "W/nzmax",    "W/p",
                                      "W/i",        "W/x",
                                      "V/n",        "V/p",
                                      "V/i",        "V/x",
                                      "R/n",        "R/p",
                                      "R/i",        "R/x",
                                      "spacedim",   "vectors/f",
                                      "vectors/w",  "vectors/q",
                                      "vectors/b",  "vectors/s",
                                      "vectors/mu", "vectors/mu_r",
                                      "info/title", "info/description",
                                      "info",       "M",
                                      "H",          "G",
                                      "W",          "V",
                                      "R",          "vectors"};
static const char *const others[] = {"/solution/v",  "/solution/u",  "/solution/r",
                                     "/solution/l",  "/solution",    "/guesses/number_of_guesses",
                                     "/guesses/1/r", "/guesses/1/u", "/guesses/2",
                                     "/guesses"};

typedef struct choice {
    mo_random *random;
    uint64_t seen;
    char *path;
} choice;

/* Each link that is met takes the place of the one before with the chance that makes all alike. */
static herr_t choose_link(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
    choice *c = user;
    (void)file, (void)info;
    if (strlen(name) < 64 && below(c->random, ++c->seen) == 0) snprintf(c->path, 64, "%s", name);
    return 0;
}

/* Some object of the file, whatever the file is of. */
static void choose_path(hid_t file, mo_random *random, char path[64])
{
    choice c = {random, 0, path};
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, choose_link, &c);
}

static double odd_double(mo_random *random)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1, -1, 1e308, -1e308, 5e-324, 1e-12};
    return odd[below(random, sizeof odd / sizeof *odd)];
}

static void edit_values(hid_t set, mo_random *random)
{
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count > 0 && count < 100000 && H5Tget_class(type) == H5T_INTEGER) {
        long long *values = calloc((size_t)count, sizeof *values);
        H5Dread(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        long long *one = &values[below(random, (uint64_t)count)];
        *one = below(random, 2) ? (long long)((uint64_t)*one + below(random, 9) - 4)
                                : (long long)odd_numbers[below(random, 23)];
        H5Dwrite(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        free(values);
    } else if (count > 0 && count < 100000 && H5Tget_class(type) == H5T_FLOAT) {
        double *values = calloc((size_t)count, sizeof *values);
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        values[below(random, (uint64_t)count)] = odd_double(random);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        free(values);
    }
    H5Tclose(type);
    H5Sclose(space);
}

/* A dataset of another type, rank or size in the place of one that was there. */
static void replace_dataset(hid_t file, const char *path, mo_random *random)
{
    const hid_t types[] = {H5T_NATIVE_INT,     H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,
                           H5T_NATIVE_LLONG,   H5T_NATIVE_UCHAR,  H5T_C_S1,
                           H5T_NATIVE_LDOUBLE, H5T_STD_REF_OBJ};
    const hsize_t sizes[] = {0, 1, 2, 3, 5, 6, 9, 12, 1000, (hsize_t)1 << 31, (hsize_t)1 << 40};
    hsize_t dims[2] = {sizes[below(random, sizeof sizes / sizeof *sizes)], below(random, 4)};
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Ldelete(file, path, H5P_DEFAULT);
    if (below(random, 4) == 0) {
        H5Pset_external(plan, "/etc/passwd", 0, H5F_UNLIMITED);
    } else if (below(random, 3) == 0) {
        const hsize_t chunk[2] = {1 + below(random, 7), 1 + below(random, 3)};
        const int rank = below(random, 4) ? 1 : 2;
        H5Pset_chunk(plan, rank, chunk);
    }
    const hid_t space = below(random, 8) ? H5Screate_simple(below(random, 8) ? 1 : 2, dims, NULL)
                                         : H5Screate(below(random, 2) ? H5S_SCALAR : H5S_NULL);
    const hid_t set = H5Dcreate2(file, path, types[below(random, sizeof types / sizeof *types)],
                                 space, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (set >= 0 && dims[0] <= 1000 && below(random, 2)) edit_values(set, random);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(plan);
}

static void edit_by_hdf5(const char *path, mo_random *random)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    char place[64] = "/", again[64] = "/";
    if (file < 0) return;
    for (uint64_t edits = 1 + below(random, 3); edits-- > 0;) {
        choose_path(file, random, place);
        const hid_t set = H5Dopen2(file, place, H5P_DEFAULT);
        const uint64_t kind = below(random, 12);
        if (set >= 0 && kind < 8) edit_values(set, random);
        H5Dclose(set);
        if (kind == 8) {
            H5Ldelete(file, place, H5P_DEFAULT);
        } else if (kind == 9) {
            H5Ldelete(file, place, H5P_DEFAULT);
            if (below(random, 2)) {
                H5Lcreate_soft(below(random, 2) ? place : "/", file, place, H5P_DEFAULT,
                               H5P_DEFAULT);
            } else {
                H5Lcreate_external("elsewhere.hdf5", place, file, place, H5P_DEFAULT, H5P_DEFAULT);
            }
        } else if (kind == 10) {
            choose_path(file, random, again);
            H5Ldelete(file, place, H5P_DEFAULT);
            H5Lcreate_hard(file, below(random, 2) ? "/" : again, file, place, H5P_DEFAULT,
                           H5P_DEFAULT);
        } else if (kind == 11) {
            replace_dataset(file, place, random);
        }
    }
    H5Fclose(file);
}

static void change_often(fuzz_bytes *f, const fuzz_bytes *other, mo_random *random)
{
    for (uint64_t changes = 1 + below(random, 1u << below(random, 5)); changes-- > 0;)
        change_bytes(f, other, random);
    if (below(random, 8)) fuzz_mend_checksums(f);
}

fuzz_bytes fuzz_mutate(const fuzz_bytes *seed, const fuzz_bytes *other, mo_random *random,
                       const char *scratch)
{
    fuzz_bytes f = {malloc(seed->size), seed->size};
    if (!f.data) abort();
    memcpy(f.data, seed->data, seed->size);
    const bool edit = below(random, 4) == 0;
    if (edit && fuzz_save(scratch, f.data, f.size)) {
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        edit_by_hdf5(scratch, random);
        free(f.data);
        if (!fuzz_load(scratch, &f)) abort();
    }
    if (!edit || below(random, 4) == 0) change_often(&f, other, random);
    return f;
}

size_t fuzz_change_hdf5(uint8_t *data, size_t size, mo_random *random)
{
    fuzz_bytes f = {data, size};
    change_often(&f, &f, random);
    return f.size;
}

size_t fuzz_edit_hdf5(uint8_t *data, size_t size, size_t room, mo_random *random)
{
    static char scratch[64];
    fuzz_bytes f;
    if (!scratch[0]) {
        /* HDF5 clears half a megabyte for each file that it opens: quick where it is kept. */
        H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
        snprintf(scratch, sizeof scratch, "/dev/shm/moreau-fuzz-%ld.hdf5", (long)getpid());
    }
    if (!fuzz_save(scratch, data, size)) return size;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    edit_by_hdf5(scratch, random);
    if (fuzz_load(scratch, &f)) {
        size = f.size < room ? f.size : room;
        memcpy(data, f.data, size);
        free(f.data);
    }
    unlink(scratch);
    return size;
}

/* ---- libhdf5 alone --------------------------------------------------------------------------- */

/* Reads a dataset as a careful user of libhdf5 would: type, rank and storage are looked at. */
static bool read_bare_dataset(hid_t file, const char *path)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return false;
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const H5T_class_t kind = H5Tget_class(type);
    bool good = false;
    if (count > 0 && count < 1000000 && (kind == H5T_INTEGER || kind == H5T_FLOAT)) {
        double *values = calloc((size_t)count, sizeof *values);
        good = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
        free(values);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

bool fuzz_read_bare(const char *path)
{
    char place[64];
    int read = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return false;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
        for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
            snprintf(place, sizeof place, "%s/%s", groups[g], vectors[k]);
            read += read_bare_dataset(file, place);
        }
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
        read += read_bare_dataset(file, others[k]);
    H5Fclose(file);
    return read > 0;
}
