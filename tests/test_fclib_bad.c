/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Bad FCLIB files (fclib_damage.h): no file of the format at all, something missing, or something
 * of a wrong kind. */
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
#include "moreau/recording.h"

/* ---- not a file of the format at all --------------------------------------------------------- */

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    unlink(file);
    check_refused(MO_ERR_FILE, "No such file", NULL);
}

static void a_directory_is_no_file(void **state)
{
    (void)state;
    unlink(file);
    assert_int_equal(mkdir(file, 0755), 0);
    check_refused(MO_ERR_FILE, "is a directory", NULL);
    rmdir(file);
}

static void a_pipe_is_not_waited_for(void **state)
{
    (void)state;
    unlink(file);
    assert_int_equal(mkfifo(file, 0644), 0);
    check_refused(MO_ERR_FILE, "not a regular file", NULL);
    unlink(file);
}

static void an_empty_file_is_called_empty(void **state)
{
    (void)state;
    save_bytes("", 0);
    check_refused(MO_ERR_FORMAT, "is empty", NULL);
}

static void a_text_is_not_hdf5(void **state)
{
    (void)state;
    static const char text[] =
        "once upon a time there was a contact problem in a text file, long enough";
    save_bytes(text, sizeof text);
    check_refused(MO_ERR_FORMAT, "not an HDF5 file", NULL);
}

static void every_truncation_is_noticed(void **state)
{
    (void)state;
    fuzz_bytes whole;
    write_sample(SAMPLE_LOCAL_JOINTS);
    assert_true(fuzz_load(file, &whole));
    for (size_t size = 1; size < whole.size; size += 97) {
        save_bytes(whole.data, size);
        check_refused(MO_ERR_FORMAT, size < 48 ? "not an HDF5 file" : "truncated", NULL);
    }
    free(whole.data);
}

static void a_file_without_a_problem_is_asked_what_it_is(void **state)
{
    (void)state;
    const hid_t h = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    close_refused(h, "none of the groups", "is it an FCLIB file?");
}

static void a_path_longer_than_a_message_keeps_its_end(void **state)
{
    (void)state;
    char path[1200];
    mo_document document;
    mo_message why;
    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 10, "/end.hdf5", 10);
    assert_int_equal(mo_fclib_read(path, NULL, &document, &why), MO_ERR_FILE);
    assert_non_null(strstr(why.text, "/end.hdf5: could not be opened"));
}

/* ---- missing --------------------------------------------------------------------------------- */

static void a_file_without_W_is_refused_by_name(void **state)
{
    (void)state;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/W", H5P_DEFAULT);
    close_refused(h, "group /fclib_local/W is missing", NULL);
}

static void whatever_is_missing_is_named(void **state)
{
    (void)state;
    static const char *const global[] = {
        "M",         "M/m",        "M/n", "M/nz",      "M/nzmax", "M/p",
        "M/i",       "M/x",        "H",   "spacedim",  "vectors", "vectors/f",
        "vectors/w", "vectors/mu", "G",   "vectors/b", "G/x"};
    static const char *const local[] = {"V", "R", "W/p", "vectors/q", "vectors/s", "R/nz"};
    char path[64];
    for (size_t k = 0; k < sizeof global / sizeof *global; ++k) {
        const hid_t h = open_sample(SAMPLE_GLOBAL_JOINTS);
        snprintf(path, sizeof path, "/fclib_global/%s", global[k]);
        assert_true(H5Ldelete(h, path, H5P_DEFAULT) >= 0);
        close_refused(h, path, "is missing");
    }
    for (size_t k = 0; k < sizeof local / sizeof *local; ++k) {
        const hid_t h = open_sample(SAMPLE_LOCAL_JOINTS);
        snprintf(path, sizeof path, "/fclib_local/%s", local[k]);
        assert_true(H5Ldelete(h, path, H5P_DEFAULT) >= 0);
        close_refused(h, path, "is missing");
    }
    const hid_t h = open_sample(SAMPLE_GLOBAL_ROLLING);
    H5Ldelete(h, "/fclib_global_rolling/vectors/mu_r", H5P_DEFAULT);
    close_refused(h, "/fclib_global_rolling/vectors/mu_r", "is missing");
}

static void the_sentence_begins_with_what_is_missing(void **state)
{
    (void)state;
    hid_t h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    close_refused(h, "x.hdf5: the dataset /fclib_local/vectors/q is missing", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/spacedim", H5P_DEFAULT);
    close_refused(h, "x.hdf5: the dataset /fclib_local/spacedim is missing", NULL);
}

/* As numpy writes it for a problem without joints. */
static void an_empty_vector_of_joints_is_none(void **state)
{
    (void)state;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    const hsize_t none = 0;
    const hid_t space = H5Screate_simple(1, &none, NULL);
    H5Dclose(H5Dcreate2(h, "/fclib_local/vectors/s", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                        H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(h);
    mo_document document;
    mo_message why = {""};
    const mo_error error = mo_fclib_read(file, NULL, &document, &why);
    if (error) fail_msg("%s", why.text);
    assert_int_equal(mo_problem_constraint_count(document.problem), 4);
    mo_document_clear(&document);
}

static void half_a_solution_of_joints_is_refused(void **state)
{
    (void)state;
    hid_t h = open_sample(SAMPLE_GLOBAL_JOINTS);
    H5Ldelete(h, "/solution/l", H5P_DEFAULT);
    close_refused(h, "/solution/l is missing", NULL);
    h = open_sample(SAMPLE_GLOBAL_JOINTS);
    H5Ldelete(h, "/guesses/2/r", H5P_DEFAULT);
    close_refused(h, "/guesses/2/r is missing", NULL);
    h = open_sample(SAMPLE_GLOBAL_JOINTS);
    H5Ldelete(h, "/guesses/number_of_guesses", H5P_DEFAULT);
    close_refused(h, "/guesses/number_of_guesses is missing", NULL);
}

/* Reads the file; its notes say this. */
static void close_noted(hid_t h, const char *first, const char *second)
{
    mo_document document;
    mo_message why = {""};
    H5Fclose(h);
    if (mo_fclib_read(file, NULL, &document, &why) != MO_OK) fail_msg("%s", why.text);
    assert_non_null(document.notes);
    if (!strstr(document.notes, first) || !strstr(document.notes, second))
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", document.notes, first, second);
    mo_document_clear(&document);
}

/* A vector as long as the one that is there, whose values are not. */
static void forget_values(hid_t h, const char *path)
{
    hid_t set = H5Dopen2(h, path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    H5Dclose(set);
    H5Ldelete(h, path, H5P_DEFAULT);
    set = H5Dcreate2(h, path, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
}

static void vectors_that_do_not_belong_are_left_out_with_a_note(void **state)
{
    (void)state;
    const double v[3] = {1, 2, 3};
    const hsize_t length = 3;
    hid_t h = open_sample(SAMPLE_GLOBAL_JOINTS);
    forget_values(h, "/solution/v");
    forget_values(h, "/guesses/1/v");
    close_noted(h, "/solution/v was left out", "never written");
    h = open_sample(SAMPLE_LOCAL_JOINTS);
    const hid_t space = H5Screate_simple(1, &length, NULL);
    H5Ldelete(h, "/solution/v", H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, "/solution/v", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
    H5Dclose(set);
    H5Sclose(space);
    close_noted(h, "/solution/v was left out", "no velocities v");
}

/* A file of the system that has fewer bytes than it says. */
static void a_file_that_ends_early_is_refused(void **state)
{
    (void)state;
    mo_document document;
    mo_recording recording;
    mo_message why = {""};
    if (access("/sys/kernel/uevent_seqnum", R_OK) == 0) {
        CHECK(mo_fclib_read("/sys/kernel/uevent_seqnum", NULL, &document, &why) == MO_ERR_FORMAT);
        CHECK(strstr(why.text, "could not be read") != NULL);
        CHECK(mo_recording_read("/sys/kernel/uevent_seqnum", NULL, &recording, &why) != MO_OK);
        CHECK(strstr(why.text, "could not be read") != NULL);
    }
}

/* ---- wrong kinds ----------------------------------------------------------------------------- */

static void put_text(hid_t h, const char *path)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, 4);
    H5Ldelete(h, path, H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, "one");
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

static void text_where_numbers_are_needed_is_refused(void **state)
{
    (void)state;
    hid_t h = open_sample(SAMPLE_LOCAL_3D);
    put_text(h, "/fclib_local/vectors/q");
    close_refused(h, "/fclib_local/vectors/q holds text where numbers are needed", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    put_text(h, "/fclib_local/W/nz");
    close_refused(h, "/fclib_local/W/nz holds text where integers are needed", NULL);
}

static void fractions_where_indices_are_needed_are_refused(void **state)
{
    (void)state;
    const double p[13] = {0};
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    fclib_put_doubles(h, "/fclib_local/W/p", 13, p);
    close_refused(h, "/fclib_local/W/p holds floating-point numbers where integers are needed",
                  NULL);
}

static void put_typed(hid_t h, const char *path, hid_t type, int rank)
{
    const hsize_t dims[3] = {12, 1, 1};
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    char zeros[12 * 64] = {0};
    H5Ldelete(h, path, H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void types_that_are_no_plain_numbers_are_refused(void **state)
{
    (void)state;
    const hid_t pair = H5Tcreate(H5T_COMPOUND, 16), odd = H5Tcopy(H5T_NATIVE_INT);
    H5Tinsert(pair, "a", 0, H5T_NATIVE_DOUBLE);
    H5Tset_precision(odd, 17);
    const hid_t types[] = {pair, odd, H5T_NATIVE_LDOUBLE, H5T_NATIVE_B32, H5T_STD_REF_OBJ};
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
        const hid_t h = open_sample(SAMPLE_LOCAL_3D);
        put_typed(h, "/fclib_local/vectors/q", types[k], 1);
        close_refused(h, "/fclib_local/vectors/q holds values of another type", NULL);
    }
    H5Tclose(pair);
    H5Tclose(odd);
}

static void a_matrix_where_a_vector_is_needed_is_refused(void **state)
{
    (void)state;
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    put_typed(h, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2);
    close_refused(h, "/fclib_local/vectors/q has rank 2", NULL);
}

static void several_numbers_where_one_is_needed_are_refused(void **state)
{
    (void)state;
    const int two[2] = {3, 3};
    const hid_t h = open_sample(SAMPLE_LOCAL_3D);
    fclib_put_ints(h, "/fclib_local/spacedim", 2, two);
    close_refused(h, "/fclib_local/spacedim has 2 entries where 1 is needed", NULL);
}

static void a_group_and_a_dataset_are_not_mistaken(void **state)
{
    (void)state;
    hid_t h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/vectors/q", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(h, "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    close_refused(h, "/fclib_local/vectors/q is a group", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    H5Ldelete(h, "/fclib_local/W", H5P_DEFAULT);
    put_int(h, "/fclib_local/W", 1);
    close_refused(h, "/fclib_local/W is not a group", NULL);
    h = open_sample(SAMPLE_LOCAL_3D);
    put_int(h, "/solution", 1);
    close_refused(h, "/solution is not a group", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        cmocka_unit_test(a_directory_is_no_file),
        cmocka_unit_test(a_pipe_is_not_waited_for),
        cmocka_unit_test(an_empty_file_is_called_empty),
        cmocka_unit_test(a_text_is_not_hdf5),
        cmocka_unit_test(every_truncation_is_noticed),
        cmocka_unit_test(a_file_without_a_problem_is_asked_what_it_is),
        cmocka_unit_test(a_path_longer_than_a_message_keeps_its_end),
        cmocka_unit_test(a_file_without_W_is_refused_by_name),
        cmocka_unit_test(whatever_is_missing_is_named),
        cmocka_unit_test(the_sentence_begins_with_what_is_missing),
        cmocka_unit_test(an_empty_vector_of_joints_is_none),
        cmocka_unit_test(half_a_solution_of_joints_is_refused),
        cmocka_unit_test(vectors_that_do_not_belong_are_left_out_with_a_note),
        cmocka_unit_test(a_file_that_ends_early_is_refused),
        cmocka_unit_test(text_where_numbers_are_needed_is_refused),
        cmocka_unit_test(fractions_where_indices_are_needed_are_refused),
        cmocka_unit_test(types_that_are_no_plain_numbers_are_refused),
        cmocka_unit_test(a_matrix_where_a_vector_is_needed_is_refused),
        cmocka_unit_test(several_numbers_where_one_is_needed_are_refused),
        cmocka_unit_test(a_group_and_a_dataset_are_not_mistaken),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
