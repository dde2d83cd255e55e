/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Bad FCLIB files: each is refused within a second, with a sentence that names the place.
 *
 * A test makes a good file, damages it, and says what the sentence must contain.  The good files
 * are the samples: /fclib_global has 12 velocities and 3 contacts (M is 12 x 12, H is 12 x 9),
 * /fclib_local has 4 contacts (W is 12 x 12).  Include check.h first, with _XOPEN_SOURCE=700.
 */
#ifndef TESTS_FCLIB_DAMAGE_H
#define TESTS_FCLIB_DAMAGE_H

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fclib_samples.h"
#include "fuzz/fuzz_edit.h"
#include "moreau/io.h"
#include "temporary.h"

static char directory[TEMPORARY_ROOM];
static char file[TEMPORARY_ROOM + 16];

static inline int make_directory(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!temporary_folder(directory, "fclib-bad-XXXXXX")) return -1;
    snprintf(file, sizeof file, "%s/x.hdf5", directory);
    return 0;
}

static inline int remove_directory(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(directory);
}

/* ---- the frame of every test ----------------------------------------------------------------- */

static inline void check_refused(mo_error expected, const char *first, const char *second)
{
    const mo_document cleared = {0};
    mo_document document;
    mo_message why = {""};
    struct timespec start, end;
    const ssize_t open_before = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    const mo_error error = mo_fclib_read(file, NULL, &document, &why);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    if (error != expected || !strstr(why.text, file) || !strstr(why.text, first) ||
        (second && !strstr(why.text, second))) {
        mo_document_clear(&document);
        fail_msg("error %d, \"%s\" lacks \"%s\" or \"%s\"", (int)error, why.text, first,
                 second ? second : "");
    }
    assert_memory_equal(&document, &cleared, sizeof cleared);
    CHECK_BELOW((double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec),
                1.0);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), open_before);
}

static inline void write_sample(fclib_sample sample)
{
    mo_document document = fclib_sample_make(sample);
    mo_message why = {""};
    if (mo_fclib_write(file, &document, &why) != MO_OK) fail_msg("%s", why.text);
    mo_document_clear(&document);
}

/* A sample, open for damage. */
static inline hid_t open_sample(fclib_sample sample)
{
    write_sample(sample);
    return H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
}

/* Closes the damaged file and looks at it. */
static inline void close_refused(hid_t h, const char *first, const char *second)
{
    H5Fclose(h);
    check_refused(MO_ERR_FORMAT, first, second);
}

static inline void put_int(hid_t h, const char *path, int value)
{
    fclib_put_ints(h, path, 1, &value);
}

/* Changes one entry of a vector that is there. */
static inline void set_double(hid_t h, const char *path, int entry, double value)
{
    double values[512];
    const hid_t set = H5Dopen2(h, path, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dget_storage_size(set) <= sizeof values);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    values[entry] = value;
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
}

static inline void set_int(hid_t h, const char *path, int entry, int value)
{
    int values[512];
    const hid_t set = H5Dopen2(h, path, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dget_storage_size(set) <= sizeof values);
    H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    values[entry] = value;
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
}

static inline void save_bytes(const void *bytes, size_t size)
{
    assert_true(fuzz_save(file, bytes, size));
}

#endif
