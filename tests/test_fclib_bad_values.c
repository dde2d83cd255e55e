/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Bad FCLIB files (fclib_damage.h): sizes that disagree, numbers that make no sense, claims beyond
 * the file and ways out of it. */
#define _XOPEN_SOURCE 700

#include "check.h"

#include <hdf5.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fclib_damage.h"
#include "fclib_samples.h"
#include "fuzz/fuzz_edit.h"
#include "moreau/io.h"

/* ---- sizes that disagree --------------------------------------------------------------------- */

static void sizes_that_disagree_are_both_named(void **state)
{
    (void)state;
    static const struct {
        fclib_sample sample;
        const char *path;
        int value;
        const char *first, *second;
    } cases[] = {
        {SAMPLE_GLOBAL_3D, "/fclib_global/M/m", 11, "/fclib_global/M has 11 rows", "f has 12"},
        {SAMPLE_GLOBAL_3D, "/fclib_global/M/n", 13, "/fclib_global/M has 13 columns", "f has 12"},
        {SAMPLE_GLOBAL_3D, "/fclib_global/H/m", 6, "/fclib_global/H has 6 rows", "f has 12"},
        {SAMPLE_GLOBAL_3D, "/fclib_global/H/n", 12, "/fclib_global/H has 12 columns", "w has 9"},
        {SAMPLE_GLOBAL_3D, "/fclib_global/spacedim", 2, "w has 9 entries", "spacedim = 2"},
        {SAMPLE_GLOBAL_3D, "/fclib_global/spacedim", 5, "spacedim is 5", "2 or 3"},
        {SAMPLE_GLOBAL_ROLLING, "/fclib_global_rolling/spacedim", 3, "spacedim is 3",
         "5 is needed"},
        {SAMPLE_LOCAL_3D, "/fclib_local/W/m", INT_MAX, "has 2147483647 rows", "q has 12"},
        {SAMPLE_LOCAL_3D, "/fclib_local/W/n", -1, "has -1 columns", "q has 12"},
        {SAMPLE_LOCAL_3D, "/fclib_local/W/nz", -3, "nz = -3", "-1 (columns)"},
        {SAMPLE_LOCAL_3D, "/fclib_local/W/nz", INT_MAX, "nz = 2147483647", "p has 13"},
        {SAMPLE_LOCAL_3D, "/fclib_local/W/nzmax", 5, "nzmax = 5 for 90 entries", NULL},
        {SAMPLE_LOCAL_3D, "/fclib_local/W/nzmax", INT_MIN, "nzmax = -2147483648", NULL},
        {SAMPLE_GLOBAL_JOINTS, "/guesses/number_of_guesses", 3, "number_of_guesses is 3",
         "holds 2"},
        {SAMPLE_GLOBAL_JOINTS, "/guesses/number_of_guesses", INT_MAX, "is 2147483647", "holds 2"},
        {SAMPLE_GLOBAL_JOINTS, "/guesses/number_of_guesses", -1, "number_of_guesses is -1", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const hid_t h = open_sample(cases[k].sample);
        put_int(h, cases[k].path, cases[k].value);
        close_refused(h, cases[k].first, cases[k].second);
    }
}

static void vectors_of_a_wrong_length_are_refused(void **state)
{
    (void)state;
    const double zeros[200] = {0};
    static const struct {
        fclib_sample sample;
        const char *path;
        hsize_t count;
        const char *text;
    } cases[] = {
        {SAMPLE_GLOBAL_3D, "/fclib_global/vectors/mu", 2,
         "/fclib_global/vectors/mu has 2 entries for 3"},
        {SAMPLE_GLOBAL_3D, "/fclib_global/vectors/f", 11, "the vector f has 11 entries"},
        {SAMPLE_GLOBAL_3D, "/fclib_global/vectors/w", 10, "no multiple of spacedim = 3"},
        {SAMPLE_GLOBAL_JOINTS, "/fclib_global/vectors/b", 3, "the vector b has 3 entries"},
        {SAMPLE_GLOBAL_JOINTS, "/solution/v", 17,
         "/solution/v has 17 entries where the problem has 18"},
        {SAMPLE_GLOBAL_JOINTS, "/solution/u", 0,
         "/solution/u has 0 entries where the problem has 6"},
        {SAMPLE_GLOBAL_JOINTS, "/guesses/1/l", 200, "/guesses/1/l has 200 entries"},
        {SAMPLE_LOCAL_3D, "/fclib_local/W/x", 91, "/fclib_local/W/i has 90 entries"},
        {SAMPLE_LOCAL_JOINTS, "/fclib_local/vectors/s", 1, "the vector s has 1 entries"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const hid_t h = open_sample(cases[k].sample);
        fclib_put_doubles(h, cases[k].path, cases[k].count, zeros);
        close_refused(h, cases[k].text, NULL);
    }
}

static void starts_of_columns_must_fit_and_rise(void **state)
{
    (void)state;
    const int zeros[14] = {0};
    hid_t h = open_sample(SAMPLE_LOCAL_3D);
    fclib_put_ints(h, "/fclib_local/W/p", 12, zeros);
    close_refused(h, "/fclib_local/W/p has 12 entries where 13 are needed", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    set_int(h, "/fclib_local/W/p", 5, 2);
    close_refused(h, "entry 5 of /fclib_local/W/p is 2, less than the one before", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    set_int(h, "/fclib_local/W/p", 0, 1);
    close_refused(h, "/fclib_local/W/p begins with 1", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    set_int(h, "/fclib_local/W/p", 12, INT_MAX);
    close_refused(h, "/fclib_local/W counts 2147483647 entries, but its x has 90", NULL);
}

static void indices_out_of_range_are_named(void **state)
{
    (void)state;
    hid_t h = open_sample(SAMPLE_LOCAL_3D);
    set_int(h, "/fclib_local/W/i", 7, 12);
    close_refused(h, "entry 7 of /fclib_local/W/i is 12, outside 0 to 11", NULL);
    h = open_sample(SAMPLE_GLOBAL_3D);
    set_int(h, "/fclib_global/H/i", 0, -1);
    close_refused(h, "entry 0 of /fclib_global/H/i is -1, outside 0 to 11", NULL);
}

/* Turns W into triplets without touching its arrays: p is then the columns. */
static void triplets_out_of_range_are_named(void **state)
{
    (void)state;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    put_int(h, "/fclib_local/W/nz", 13);
    close_refused(h, "of /fclib_local/W/p is", "outside 0 to 11");
}

/* A 64-bit index must not be cut to 32 bits. */
static void a_wide_integer_is_not_cut(void **state)
{
    (void)state;
    const long long value = (1LL << 32) - 1; /* -1 where it is cut */
    const hsize_t one = 1;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D), space = H5Screate_simple(1, &one, NULL);
    H5Ldelete(h, "/fclib_local/W/nz", H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, "/fclib_local/W/nz", H5T_NATIVE_LLONG, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    H5Dclose(set);
    H5Sclose(space);
    close_refused(h, "entry 0 of /fclib_local/W/nz is too large", NULL);
}

/* ---- numbers that make no sense -------------------------------------------------------------- */

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    static const struct {
        fclib_sample sample;
        const char *path;
    } cases[] = {
        {SAMPLE_GLOBAL_JOINTS, "/fclib_global/M/x"},
        {SAMPLE_GLOBAL_JOINTS, "/fclib_global/H/x"},
        {SAMPLE_GLOBAL_JOINTS, "/fclib_global/G/x"},
        {SAMPLE_GLOBAL_JOINTS, "/fclib_global/vectors/f"},
        {SAMPLE_GLOBAL_JOINTS, "/fclib_global/vectors/w"},
        {SAMPLE_GLOBAL_JOINTS, "/fclib_global/vectors/b"},
        {SAMPLE_LOCAL_JOINTS, "/fclib_local/W/x"},
        {SAMPLE_LOCAL_JOINTS, "/fclib_local/vectors/q"},
        {SAMPLE_GLOBAL_JOINTS, "/solution/v"},
        {SAMPLE_GLOBAL_JOINTS, "/guesses/2/l"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[96];
        snprintf(text, sizeof text, "entry 2 of %s is", cases[k].path);
        hid_t h = open_sample(cases[k].sample);
        set_double(h, cases[k].path, 2, k % 2 ? NAN : -INFINITY);
        close_refused(h, text, "finite");
    }
}

static void sums_that_overflow_are_refused(void **state)
{
    (void)state;
    const int indices[2] = {0, 0};
    const double values[2] = {1.7e308, 1.7e308};
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    put_int(h, "/fclib_local/W/nz", 2);
    fclib_put_ints(h, "/fclib_local/W/p", 2, indices);
    fclib_put_ints(h, "/fclib_local/W/i", 2, indices);
    fclib_put_doubles(h, "/fclib_local/W/x", 2, values);
    close_refused(h, "/fclib_local/W", "add up to inf");
}

static void friction_is_a_number_from_zero_up(void **state)
{
    (void)state;
    hid_t h = open_sample(SAMPLE_GLOBAL_3D);
    set_double(h, "/fclib_global/vectors/mu", 1, -0.5);
    close_refused(h, "entry 1 of /fclib_global/vectors/mu is -0.5", NULL);
    h = open_sample(SAMPLE_GLOBAL_3D);
    set_double(h, "/fclib_global/vectors/mu", 2, NAN);
    close_refused(h, "entry 2 of /fclib_global/vectors/mu is", "nan");
    h = open_sample(SAMPLE_GLOBAL_ROLLING);
    set_double(h, "/fclib_global_rolling/vectors/mu_r", 0, -1);
    close_refused(h, "entry 0 of /fclib_global_rolling/vectors/mu_r is -1", NULL);
}

static void a_mass_that_is_not_positive_is_refused(void **state)
{
    (void)state;
    const hid_t h = open_sample(SAMPLE_GLOBAL_3D);
    set_double(h, "/fclib_global/M/x", 0, -1);
    H5Fclose(h);
    check_refused(MO_ERR_PROBLEM, "body 0", "positive definite");
}

/* ---- claims beyond the file ------------------------------------------------------------------ */

/* A dataset of 2^40 values that takes no room in the file, stored in one of several ways. */
static void put_claim(hid_t h, const char *path, hid_t plan)
{
    const hsize_t huge = (hsize_t)1 << 40;
    const hid_t space = H5Screate_simple(1, &huge, NULL);
    H5Ldelete(h, path, H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, path, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(plan);
}

static void a_claim_of_values_never_written_is_refused(void **state)
{
    (void)state;
    const hsize_t chunk = 1000;
    hid_t h = open_sample(SAMPLE_LOCAL_3D);
    put_claim(h, "/fclib_local/vectors/q", H5Pcreate(H5P_DATASET_CREATE));
    close_refused(h, "/fclib_local/vectors/q claims 1099511627776 entries that were never written",
                  NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, 1, &chunk);
    put_claim(h, "/fclib_local/vectors/q", plan);
    close_refused(h, "/fclib_local/vectors/q claims 1099511627776 entries that were never written",
                  NULL);
}

static void chunks_that_were_not_all_written_are_refused(void **state)
{
    (void)state;
    const hsize_t count = 12, chunk = 3, one = 1, at = 4;
    const double value = 1;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &count, NULL), point = H5Screate_simple(1, &one, NULL);
    H5Pset_chunk(plan, 1, &chunk);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                 plan, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, point, space, H5P_DEFAULT, &value);
    H5Dclose(set);
    H5Sclose(space);
    H5Sclose(point);
    H5Pclose(plan);
    close_refused(h, "/fclib_local/vectors/q has chunks that are missing", NULL);
}

static void other_filters_are_refused_with_a_remedy(void **state)
{
    (void)state;
    const hsize_t count = 12;
    const double q[12] = {0};
    const hid_t h = open_sample(SAMPLE_LOCAL_3D), space = H5Screate_simple(1, &count, NULL);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, 1, &count);
    H5Pset_scaleoffset(plan, H5Z_SO_FLOAT_DSCALE, 3);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                 plan, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, q);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(plan);
    close_refused(h, "/fclib_local/vectors/q has filters", "h5repack -f NONE");
}

/* One entry far off the diagonal ties all velocities into one body. */
static void a_mass_matrix_too_large_to_be_dense_is_refused(void **state)
{
    (void)state;
    enum { N = 20000 };
    static int rows[N + 2], columns[N + 2];
    static double values[N + 2];
    for (int k = 0; k < N; ++k) {
        rows[k] = columns[k] = k;
        values[k] = 1;
    }
    rows[N] = columns[N + 1] = N - 1;
    values[N] = values[N + 1] = 0.5;
    const hid_t h = open_sample(SAMPLE_BODIES_ONLY);
    fclib_put_doubles(h, "/fclib_global/vectors/f", N, values);
    put_int(h, "/fclib_global/M/m", N);
    put_int(h, "/fclib_global/M/n", N);
    put_int(h, "/fclib_global/M/nz", N + 2);
    put_int(h, "/fclib_global/M/nzmax", N + 2);
    fclib_put_ints(h, "/fclib_global/M/p", N + 2, columns);
    fclib_put_ints(h, "/fclib_global/M/i", N + 2, rows);
    fclib_put_doubles(h, "/fclib_global/M/x", N + 2, values);
    put_int(h, "/fclib_global/H/m", N);
    H5Fclose(h);
    check_refused(MO_ERR_UNSUPPORTED, "/fclib_global/M ties the velocities 0 to 19999", "MiB");
}

/* ---- ways out of the file -------------------------------------------------------------------- */

static void links_that_lead_elsewhere_are_not_followed(void **state)
{
    (void)state;
    hid_t h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/W", H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "/W", h, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
    close_refused(h, "/fclib_local/W is a link of the external kind", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    H5Lcreate_soft("/fclib_local/vectors/q", h, "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT);
    close_refused(h, "/fclib_local/vectors/q is a link of the soft kind", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local", H5P_DEFAULT);
    H5Lcreate_soft("/", h, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT);
    close_refused(h, "/fclib_local is a link of the soft kind", NULL);
}

static void a_group_that_contains_itself_ends(void **state)
{
    (void)state;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/W", H5P_DEFAULT);
    H5Lcreate_hard(h, "/fclib_local", h, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
    close_refused(h, "/fclib_local/W/m is missing", NULL);
}

static void values_in_another_file_are_not_fetched(void **state)
{
    (void)state;
    const hsize_t count = 12;
    const hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t h = open_sample(SAMPLE_LOCAL_3D), plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plan, "/etc/passwd", 0, 96);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    hid_t set = H5Dcreate2(h, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan,
                           H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(plan);
    close_refused(h, "/fclib_local/vectors/q keeps its values in another file", NULL);

    h = open_sample(SAMPLE_LOCAL_3D);
    plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(plan, space, "/tmp/other.hdf5", "/q", space);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    set = H5Dcreate2(h, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan,
                     H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(plan);
    H5Sclose(space);
    close_refused(h, "/fclib_local/vectors/q is virtual", NULL);
}

/* ---- forms that are not taken ---------------------------------------------------------------- */

static void the_error_for_a_newest_form_file_with_many_links_names_the_remedy(void **state)
{
    (void)state;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t h = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    for (int k = 0; k < 20; ++k) {
        char name[16];
        snprintf(name, sizeof name, "g%d", k);
        H5Gclose(H5Gcreate2(h, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    close_refused(h, "dense form", "h5repack");
}

static void a_shared_type_is_refused(void **state)
{
    (void)state;
    const hsize_t count = 12;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D), space = H5Screate_simple(1, &count, NULL);
    const hid_t type = H5Tcopy(H5T_NATIVE_DOUBLE);
    H5Tcommit2(h, "/real", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    H5Dclose(H5Dcreate2(h, "/fclib_local/vectors/q", type, space, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
    H5Tclose(type);
    H5Sclose(space);
    close_refused(h, "/fclib_local/vectors/q shares its description", NULL);
}

/* Every byte of the metadata at the beginning of a file, set to two values. */
static void no_single_byte_brings_the_reader_down(void **state)
{
    (void)state;
    fuzz_bytes whole;
    write_sample(SAMPLE_LOCAL_2D);
    assert_true(fuzz_load(file, &whole));
    for (size_t at = 0; at < 2048 && at < whole.size; ++at) {
        const uint8_t before = whole.data[at];
        for (int k = 0; k < 2; ++k) {
            mo_document document;
            mo_message why = {""};
            whole.data[at] = k ? 0xff : (uint8_t)(before ^ 1);
            save_bytes(whole.data, whole.size);
            const mo_error error = mo_fclib_read(file, NULL, &document, &why);
            assert_true(error == MO_OK || strlen(why.text) > strlen(file));
            assert_null(strstr(why.text, "HDF5 cannot")); /* the guard came first */
            mo_document_clear(&document);
        }
        whole.data[at] = before;
    }
    free(whole.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_disagree_are_both_named),
        cmocka_unit_test(vectors_of_a_wrong_length_are_refused),
        cmocka_unit_test(starts_of_columns_must_fit_and_rise),
        cmocka_unit_test(indices_out_of_range_are_named),
        cmocka_unit_test(triplets_out_of_range_are_named),
        cmocka_unit_test(a_wide_integer_is_not_cut),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(sums_that_overflow_are_refused),
        cmocka_unit_test(friction_is_a_number_from_zero_up),
        cmocka_unit_test(a_mass_that_is_not_positive_is_refused),
        cmocka_unit_test(a_claim_of_values_never_written_is_refused),
        cmocka_unit_test(chunks_that_were_not_all_written_are_refused),
        cmocka_unit_test(other_filters_are_refused_with_a_remedy),
        cmocka_unit_test(a_mass_matrix_too_large_to_be_dense_is_refused),
        cmocka_unit_test(links_that_lead_elsewhere_are_not_followed),
        cmocka_unit_test(a_group_that_contains_itself_ends),
        cmocka_unit_test(values_in_another_file_are_not_fetched),
        cmocka_unit_test(the_error_for_a_newest_form_file_with_many_links_names_the_remedy),
        cmocka_unit_test(a_shared_type_is_refused),
        cmocka_unit_test(no_single_byte_brings_the_reader_down),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
