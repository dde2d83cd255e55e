/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Writing FCLIB files: what the format cannot hold is refused, a file is whole or untouched, and
 * nothing is left behind. */
#define _XOPEN_SOURCE 700

#include "check.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fclib_compare.h"
#include "fclib_files.h"
#include "fclib_samples.h"
#include "fuzz/fuzz_edit.h"
#include "moreau/io.h"
#include "scarce_memory.h"

/* ---- limits of the format -------------------------------------------------------------------- */

static void check_refused(const mo_document *document, const char *first, const char *second)
{
    mo_message why = {""};
    unlink(file);
    assert_int_equal(mo_fclib_write(file, document, &why), MO_ERR_UNSUPPORTED);
    assert_non_null(strstr(why.text, first));
    assert_non_null(strstr(why.text, second));
    assert_int_not_equal(access(file, F_OK), 0);
}

/* One body and two constraints with these laws. */
static mo_document two_laws(int d0, mo_law law0, int d1, mo_law law1)
{
    mo_builder *builder;
    mo_document document = {0};
    const double M[1] = {1}, J[6] = {1, 0.5, 0.25, 0, 0, 0};
    assert_int_equal(mo_builder_create(NULL, &builder), MO_OK);
    mo_builder_add_body(builder, 1, M, NULL);
    mo_builder_add_jacobian(builder, mo_builder_add_constraint(builder, d0, &law0, NULL), 0, d0, 1,
                            J);
    mo_builder_add_jacobian(builder, mo_builder_add_constraint(builder, d1, &law1, NULL), 0, d1, 1,
                            J);
    assert_int_equal(mo_builder_finish(builder, &document.problem, NULL), MO_OK);
    mo_builder_destroy(builder);
    return document;
}

static void a_law_that_the_format_lacks_is_refused_by_number_and_name(void **state)
{
    (void)state;
    const double lower[1] = {-1}, upper[1] = {1}, soft[3] = {0, 0.1, 0};
    mo_law compliant = mo_law_coulomb(0.5);
    compliant.compliance = soft;
    const struct {
        int d0;
        mo_law law0;
        int d1;
        mo_law law1;
        const char *first, *second;
    } cases[] = {
        {3, mo_law_coulomb(1), 1, mo_law_frictionless(), "constraint 1", "frictionless"},
        {1, mo_law_box(lower, upper), 3, mo_law_coulomb(1), "constraint 0", "box"},
        {3, mo_law_coulomb(1), 3, compliant, "constraint 1", "compliance"},
        {3, mo_law_coulomb(1), 2, mo_law_coulomb(1), "constraint 1", "dimension 2"},
        {3, mo_law_coulomb(1), 5, mo_law_rolling(1, 1), "constraint 1", "rolling"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        mo_document document = two_laws(cases[k].d0, cases[k].law0, cases[k].d1, cases[k].law1);
        check_refused(&document, cases[k].first, cases[k].second);
        mo_document_clear(&document);
    }
}

static void couplings_that_are_no_transposes_are_refused(void **state)
{
    (void)state;
    mo_builder *builder;
    mo_document document = {0};
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, V[3] = {1, 2, 3}, T[3] = {1, 2, 4};
    const mo_law contact = mo_law_coulomb(1), joint = mo_law_bilateral();
    assert_int_equal(mo_builder_create(NULL, &builder), MO_OK);
    mo_builder_add_constraint(builder, 3, &contact, NULL);
    mo_builder_add_constraint(builder, 1, &joint, NULL);
    mo_builder_add_coupling(builder, 0, 0, 3, 3, W);
    mo_builder_add_coupling(builder, 1, 1, 1, 1, W);
    mo_builder_add_coupling(builder, 0, 1, 3, 1, V);
    mo_builder_add_coupling(builder, 1, 0, 1, 3, T);
    assert_int_equal(mo_builder_finish(builder, &document.problem, NULL), MO_OK);
    mo_builder_destroy(builder);
    check_refused(&document, "transposes", "differ by 1");
    mo_document_clear(&document);
}

static void a_solution_that_is_not_finite_is_not_written(void **state)
{
    (void)state;
    mo_message why;
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_JOINTS);
    document.guesses[1].r[2] = NAN;
    unlink(file);
    assert_int_equal(mo_fclib_write(file, &document, &why), MO_ERR_ARGUMENT);
    assert_non_null(strstr(why.text, "entry 2 of r of /guesses/2"));
    assert_int_not_equal(access(file, F_OK), 0);
    mo_document_clear(&document);
}

static void wrong_calls_get_an_error_message(void **state)
{
    (void)state;
    mo_message why;
    mo_document document = {0};
    assert_int_equal(mo_fclib_read(NULL, NULL, &document, &why), MO_ERR_ARGUMENT);
    assert_int_equal(mo_fclib_read(file, NULL, NULL, &why), MO_ERR_ARGUMENT);
    assert_int_equal(mo_fclib_write(file, &document, &why), MO_ERR_ARGUMENT);
    assert_int_equal(mo_fclib_write(NULL, &document, NULL), MO_ERR_ARGUMENT);
    document = fclib_sample_make(SAMPLE_GLOBAL_2D);
    mo_point *guesses = document.guesses;
    const int count = document.guess_count;
    document.guesses = NULL;
    document.guess_count = 2;
    assert_int_equal(mo_fclib_write(file, &document, &why), MO_ERR_ARGUMENT);
    assert_non_null(strstr(why.text, "2 guesses but no array"));
    document.guesses = guesses;
    document.guess_count = count;
    mo_document_clear(&document);
    mo_document_clear(NULL);
}

/* ---- atomic writing -------------------------------------------------------------------------- */

static void a_write_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_JOINTS);
    write_good(file, &document);
    write_good(other, &document);
    document.solution.u[0] = INFINITY; /* found when most of the file has been written */
    assert_int_not_equal(mo_fclib_write(file, &document, NULL), MO_OK);
    assert_true(same_bytes(file, other));
    mo_document_clear(&document);
}

static void a_place_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    mo_message why = {""};
    mo_document document = fclib_sample_make(SAMPLE_LOCAL_2D);
    assert_int_equal(mo_fclib_write("/nonexistent/x.hdf5", &document, &why), MO_ERR_FILE);
    assert_non_null(strstr(why.text, "/nonexistent/x.hdf5"));
    assert_int_equal(mo_fclib_write(directory, &document, &why), MO_ERR_FILE);
    assert_non_null(strstr(why.text, "directory"));
    assert_int_equal(mo_fclib_write("/dev/null", &document, &why), MO_ERR_FILE);
    assert_int_equal(mo_fclib_write("", &document, &why), MO_ERR_FILE);
    mo_document_clear(&document);
}

static void a_file_keeps_its_permissions_and_a_link_its_target(void **state)
{
    (void)state;
    struct stat about;
    mo_document document = fclib_sample_make(SAMPLE_LOCAL_2D);
    write_good(file, &document);
    assert_int_equal(chmod(file, 0640), 0);
    unlink(other);
    assert_int_equal(symlink("one.hdf5", other), 0);
    mo_document second = fclib_sample_make(SAMPLE_LOCAL_3D);
    write_good(other, &second);
    assert_int_equal(lstat(other, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    mo_document back = read_good(file);
    check_same_document(&second, &back);
    unlink(other);
    mo_document_clear(&document);
    mo_document_clear(&second);
    mo_document_clear(&back);
}

/* ---- manners --------------------------------------------------------------------------------- */

static herr_t printer(hid_t stack, void *data)
{
    (void)stack;
    ++*(int *)data;
    return 0;
}

static void the_callers_error_printer_is_silent_and_put_back(void **state)
{
    (void)state;
    int called = 0;
    H5E_auto2_t after;
    void *data;
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_JOINTS);
    H5Eset_auto2(H5E_DEFAULT, printer, &called);
    write_good(file, &document);
    mo_document_clear(&document);
    document = read_good(file);
    mo_document_clear(&document);
    assert_int_not_equal(mo_fclib_read("/nonexistent", NULL, &document, NULL), MO_OK);
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    assert_true(after == printer && data == &called && called == 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void reading_survives_memory_that_runs_out_anywhere(void **state)
{
    (void)state;
    const fclib_sample samples[] = {SAMPLE_GLOBAL_JOINTS, SAMPLE_LOCAL_JOINTS,
                                    SAMPLE_GLOBAL_ROLLING};
    const fuzz_form forms[] = {FUZZ_NEWEST, FUZZ_COMPRESSED, FUZZ_BIG_ENDIAN};
    for (int k = 0; k < 3; ++k) {
        mo_document document = fclib_sample_make(samples[k]);
        write_good(other, &document);
        assert_true(fuzz_rewrite(other, file, forms[k]));
        mo_error error = MO_ERR_MEMORY;
        for (long ration_size = 0; error != MO_OK; ++ration_size) {
            scarce r = {.left = ration_size};
            const mo_allocator allocator = {scarce_reallocate, &r};
            const mo_document cleared = {0};
            mo_document back;
            mo_message why = {""};
            error = mo_fclib_read(file, &allocator, &back, &why);
            if (error) {
                assert_int_equal(error, MO_ERR_MEMORY);
                assert_non_null(strstr(why.text, "memory"));
                assert_memory_equal(&back, &cleared, sizeof cleared);
            } else {
                check_same_document(&document, &back);
                mo_document_clear(&back);
            }
            assert_int_equal(r.live, 0);
            assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
        }
        mo_document_clear(&document);
    }
}

static void writing_survives_memory_that_runs_out_anywhere(void **state)
{
    (void)state;
    const fclib_sample samples[] = {SAMPLE_GLOBAL_JOINTS, SAMPLE_LOCAL_JOINTS,
                                    SAMPLE_GLOBAL_ROLLING};
    for (int k = 0; k < 3; ++k) {
        mo_document document = fclib_sample_make(samples[k]);
        mo_error error = MO_ERR_MEMORY;
        unlink(file);
        for (long ration_size = 0; error != MO_OK; ++ration_size) {
            scarce r = {.left = ration_size};
            document.allocator = (mo_allocator){scarce_reallocate, &r};
            error = mo_fclib_write(file, &document, NULL);
            assert_true(error == MO_OK || error == MO_ERR_MEMORY);
            assert_int_equal(access(file, F_OK) == 0, error == MO_OK);
            assert_int_equal(r.live, 0);
        }
        document.allocator = (mo_allocator){0};
        mo_document back = read_good(file);
        check_same_document(&document, &back);
        mo_document_clear(&document);
        mo_document_clear(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_that_the_format_lacks_is_refused_by_number_and_name),
        cmocka_unit_test(couplings_that_are_no_transposes_are_refused),
        cmocka_unit_test(a_solution_that_is_not_finite_is_not_written),
        cmocka_unit_test(wrong_calls_get_an_error_message),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file),
        cmocka_unit_test(a_place_that_cannot_be_written_is_named),
        cmocka_unit_test(a_file_keeps_its_permissions_and_a_link_its_target),
        cmocka_unit_test(the_callers_error_printer_is_silent_and_put_back),
        cmocka_unit_test(reading_survives_memory_that_runs_out_anywhere),
        cmocka_unit_test(writing_survives_memory_that_runs_out_anywhere),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
