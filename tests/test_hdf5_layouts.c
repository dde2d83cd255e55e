/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The reader of HDF5 files (hdf5.h) against libhdf5 on sound files.
 *
 * Each case draws a file: format version, layout, filters, element type, shape, how much of it is
 * written, neighbours in the group.  The reader gives the values that libhdf5 gives, or a sentence;
 * a file that docs/formats.md lists as readable gives its values.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/hdf5.h"
#include "temporary.h"

enum { CASES = 1500, MOST = 300, TEXT_MOST = 40, INT_TYPES = 16, TYPES = 23 };

static char directory[TEMPORARY_ROOM], path[TEMPORARY_ROOM + 16];

typedef struct drawn {
    hid_t type, space, plan;
    hsize_t count; /* elements */
    int rank;
    int type_number; /* integers, then floats, then text, then what is not read */
    bool plain;      /* the reader must give the values */
    bool is_text;
    int links;  /* beside the dataset */
    int format; /* index of FORMATS */
} drawn;

static const H5F_libver_t FORMATS[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110};

static uint64_t below(mo_random *random, uint64_t end)
{
    return mo_random_bits(random) % end;
}

/* ---- drawing a file -------------------------------------------------------------------------- */

static hid_t draw_type(mo_random *random, drawn *d)
{
    const hid_t types[TYPES] = {H5T_STD_I8LE,   H5T_STD_I8BE,   H5T_STD_U8LE,      H5T_STD_U8BE,
                                H5T_STD_I16LE,  H5T_STD_I16BE,  H5T_STD_U16LE,     H5T_STD_U16BE,
                                H5T_STD_I32LE,  H5T_STD_I32BE,  H5T_STD_U32LE,     H5T_STD_U32BE,
                                H5T_STD_I64LE,  H5T_STD_I64BE,  H5T_STD_U64LE,     H5T_STD_U64BE,
                                H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE,    H5T_IEEE_F64BE,
                                H5T_C_S1,       H5T_FORTRAN_S1, H5T_NATIVE_LDOUBLE};
    d->type_number = (int)below(random, TYPES);
    const hid_t type = H5Tcopy(types[d->type_number]);
    d->is_text = H5Tget_class(type) == H5T_STRING;
    if (d->is_text) {
        H5Tset_size(type, 1 + below(random, TEXT_MOST));
        H5Tset_strpad(type, (H5T_str_t)below(random, 3));
        H5Tset_cset(type, (H5T_cset_t)below(random, 2));
    } else if (below(random, 16) == 0 && d->type_number < INT_TYPES) {
        H5Tset_precision(type, 7); /* part of the bits */
        d->plain = false;
    }
    d->plain = d->plain && d->type_number != TYPES - 1;
    return type;
}

/* One element, a vector, or what is no vector; perhaps able to grow. */
static hid_t draw_space(mo_random *random, drawn *d)
{
    hsize_t dims[2] = {below(random, MOST), 1 + below(random, 3)}, most[2];
    const uint64_t kind = below(random, 16);
    d->count = 1;
    d->rank = 0;
    if (kind == 0) {
        d->plain = false;
        d->count = 0;
        return H5Screate(H5S_NULL);
    }
    if (kind <= 2) return H5Screate(H5S_SCALAR);
    d->rank = kind == 3 ? 2 : 1;
    dims[0] = d->is_text ? 1 : dims[0];
    d->plain = d->plain && d->rank == 1;
    d->count = dims[0] * (d->rank == 2 ? dims[1] : 1);
    most[0] = below(random, 2) ? H5S_UNLIMITED : dims[0];
    most[1] = dims[1];
    return H5Screate_simple(d->rank, dims, most);
}

/* Filters as every writer has them, or in another order, or others. */
static void draw_filters(mo_random *random, drawn *d)
{
    const uint64_t kind = below(random, 8);
    if (kind == 0) {
        H5Pset_deflate(d->plan, 1);
        H5Pset_shuffle(d->plan);
        d->plain = false;
        return;
    }
    if (kind == 1 && d->type_number < INT_TYPES) {
        H5Pset_scaleoffset(d->plan, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT);
        d->plain = false;
        return;
    }
    if (below(random, 2)) H5Pset_shuffle(d->plan);
    if (below(random, 2)) H5Pset_deflate(d->plan, (unsigned)below(random, 10));
    if (below(random, 2)) H5Pset_fletcher32(d->plan);
}

static void draw_storage(mo_random *random, drawn *d)
{
    const uint64_t layout = below(random, 4);
    hsize_t chunk[2] = {1 + below(random, MOST), 1};
    d->plan = H5Pcreate(H5P_DATASET_CREATE);
    const H5D_alloc_time_t when[] = {H5D_ALLOC_TIME_DEFAULT, H5D_ALLOC_TIME_EARLY,
                                     H5D_ALLOC_TIME_LATE, H5D_ALLOC_TIME_INCR};
    H5Pset_obj_track_times(d->plan, below(random, 2) == 0);
    if (below(random, 4) == 0) {
        const double fill = 7;
        H5Pset_fill_value(d->plan, H5T_NATIVE_DOUBLE, &fill);
    }
    hsize_t dims[2] = {0}, most[2] = {0};
    if (d->rank > 0) H5Sget_simple_extent_dims(d->space, dims, most);
    if (d->rank > 0 && (layout >= 2 || most[0] == H5S_UNLIMITED)) {
        H5Pset_chunk(d->plan, d->rank, chunk);
        draw_filters(random, d);
        H5Pset_alloc_time(d->plan, when[below(random, 2)]);
        d->plain = d->plain && d->format != 2; /* chunk indices of HDF5 1.10 */
    } else if (layout == 1) {
        H5Pset_layout(d->plan, H5D_COMPACT);
    } else {
        H5Pset_alloc_time(d->plan, when[below(random, 3)]);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Bytes of elements: small integers, or any bits. */
static unsigned char *draw_values(mo_random *random, const drawn *d)
{
    const size_t size = H5Tget_size(d->type), bytes = (size_t)d->count * size;
    unsigned char *values = calloc(bytes + 1, 1);
    const bool small = below(random, 2);
    for (size_t k = 0; k < bytes; ++k) {
        values[k] = d->is_text ? (unsigned char)("ab c\0 "[below(random, 6)])
                               : (unsigned char)below(random, small ? 3 : 256);
    }
    return values;
}

static void write_neighbours(mo_random *random, hid_t group, const drawn *d)
{
    char name[16];
    for (int k = 0; k < d->links; ++k) {
        snprintf(name, sizeof name, "z%llu-%d", (unsigned long long)below(random, 100), k);
        const hid_t inner = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(inner);
    }
}

static bool write_file(mo_random *random, drawn *d)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), plan = H5Pcreate(H5P_FILE_CREATE);
    const uint64_t block = below(random, 32);
    H5Pset_libver_bounds(access, FORMATS[d->format],
                         d->format ? FORMATS[d->format] : H5F_LIBVER_LATEST);
    if (block == 0) {
        H5Pset_userblock(plan, 512);
        d->plain = false;
    }
    if (block <= 4 && d->format == 0)
        H5Pset_sym_k(plan, 2, 3); /* small nodes: deep trees of links */
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, plan, access);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write_neighbours(random, group, d);
    const hid_t set = H5Dcreate2(group, "x", d->type, d->space, H5P_DEFAULT, d->plan, H5P_DEFAULT);
    unsigned char *values = draw_values(random, d);
    bool good = set >= 0;
    if (good && below(random, 8) == 0)
        d->plain = false; /* never written */
    else if (good && d->count > 0)
        good = H5Dwrite(set, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (good && below(random, 4) == 0) {
        const hid_t scalar = H5Screate(H5S_SCALAR), type = H5T_NATIVE_INT;
        const hid_t note = H5Acreate2(set, "note", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
        H5Aclose(note);
        H5Sclose(scalar);
    }
    free(values);
    H5Dclose(set);
    H5Gclose(group);
    good = H5Fclose(file) >= 0 && good;
    H5Pclose(access);
    H5Pclose(plan);
    return good;
}

static bool draw_file(mo_random *random, drawn *d)
{
    *d = (drawn){.plain = true};
    d->format = (int)below(random, 3);
    d->links = below(random, 4) ? (int)below(random, 4) : (int)below(random, 60);
    d->plain = d->format == 0 || d->links < 7; /* more links are dense in the newer format */
    d->type = draw_type(random, d);
    d->space = draw_space(random, d);
    draw_storage(random, d);
    return write_file(random, d);
}

/* ---- both readers ---------------------------------------------------------------------------- */

static void *read_peer(const drawn *d, hid_t type)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, "g/x", H5P_DEFAULT);
    void *values = calloc((size_t)d->count + 1, H5Tget_size(type));
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    return values;
}

static bool compare_doubles(mo_h5 *h, const mo_h5_group *group, const drawn *d, int number)
{
    size_t count;
    double *values;
    if (!mo_h5_read_doubles(h, group, "x", &count, &values)) return false;
    double *peer = read_peer(d, H5T_NATIVE_DOUBLE);
    assert_int_equal(count, d->count);
    for (size_t k = 0; k < count; ++k)
        if (memcmp(&values[k], &peer[k], sizeof *peer) != 0 &&
            !(isnan(values[k]) && isnan(peer[k])))
            fail_msg("case %d, element %zu: %.17g and %.17g", number, k, values[k], peer[k]);
    free(values);
    free(peer);
    return true;
}

static bool compare_ints(mo_h5 *h, const mo_h5_group *group, const drawn *d, int number)
{
    size_t count;
    int *values;
    if (!mo_h5_read_ints(h, group, "x", &count, &values)) return false;
    long long *peer = read_peer(d, H5T_NATIVE_LLONG);
    assert_int_equal(count, d->count);
    for (size_t k = 0; k < count; ++k)
        if (values[k] != peer[k])
            fail_msg("case %d, element %zu: %d and %lld", number, k, values[k], peer[k]);
    free(values);
    free(peer);
    return true;
}

static bool compare_text(mo_h5 *h, const mo_h5_group *group, const drawn *d, int number)
{
    char *text;
    if (!mo_h5_read_text(h, group, "x", &text)) return false;
    if (text) {
        const hid_t type = H5Tcopy(d->type);
        H5Tset_size(type, H5Tget_size(d->type) + 1);
        H5Tset_strpad(type, H5T_STR_NULLTERM);
        char *peer = read_peer(d, type);
        if (strcmp(text, peer) != 0) fail_msg("case %d: \"%s\" and \"%s\"", number, text, peer);
        free(peer);
        H5Tclose(type);
        free(text);
        return true;
    }
    return false;
}

typedef bool compare_fn(mo_h5 *h, const mo_h5_group *group, const drawn *d, int number);

/* Opens the file for one comparison; true where values were read, all of them equal. */
static bool compare(compare_fn *values, const drawn *d, int number)
{
    mo_h5 h;
    mo_h5_group root = {0}, group = {0};
    mo_message why = {""};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    const bool good = mo_h5_open(&h, path, &allocator, &why, &root) &&
                      mo_h5_enter(&h, &root, "g", &group) && values(&h, &group, d, number);
    if (!good && h.error && !strstr(why.text, path))
        fail_msg("case %d: refused without a sentence: \"%s\"", number, why.text);
    if (!good && d->plain && h.error == MO_ERR_FORMAT && values != compare_ints)
        fail_msg("case %d: %s", number, why.text);
    mo_h5_leave(&h, &group);
    mo_h5_leave(&h, &root);
    mo_h5_close(&h);
    return good;
}

static void values_are_those_of_libhdf5_or_a_sentence(void **state)
{
    (void)state;
    int doubles = 0, ints = 0, texts = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int number = 1; number <= CASES; ++number) {
        mo_random random = {(uint64_t)number * 0x9E3779B97F4A7C15u};
        drawn d;
        if (draw_file(&random, &d)) {
            doubles += !d.is_text && compare(compare_doubles, &d, number);
            ints += d.type_number < INT_TYPES && compare(compare_ints, &d, number);
            texts += d.is_text && compare(compare_text, &d, number);
        }
        H5Tclose(d.type);
        H5Sclose(d.space);
        H5Pclose(d.plan);
    }
    unlink(path);
    if (doubles < CASES / 4 || ints < CASES / 8 || texts < CASES / 32)
        fail_msg("read: %d with numbers, %d with integers, %d with text", doubles, ints, texts);
}

static int make_directory(void **state)
{
    (void)state;
    if (!temporary_folder(directory, "hdf5-layouts-XXXXXX")) return -1;
    snprintf(path, sizeof path, "%s/x.hdf5", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_libhdf5_or_a_sentence),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
