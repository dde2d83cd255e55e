/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* FCLIB files: what is written comes back, and other ways to store the same are read. */
#define _XOPEN_SOURCE 700

#include "check.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fclib_compare.h"
#include "fclib_files.h"
#include "fclib_samples.h"
#include "fuzz/fuzz_edit.h"
#include "moreau/io.h"

/* ---- writing and reading --------------------------------------------------------------------- */

static void every_kind_of_document_comes_back_bit_for_bit(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLE_COUNT; ++k) {
        mo_document document = fclib_sample_make((fclib_sample)k);
        write_good(file, &document);
        mo_document back = read_good(file);
        check_same_document(&document, &back);
        assert_null(back.notes);
        mo_document_clear(&document);
        mo_document_clear(&back);
    }
}

static void a_file_that_was_read_is_written_with_the_same_bytes(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLE_COUNT; ++k) {
        mo_document document = fclib_sample_make((fclib_sample)k);
        write_good(file, &document);
        mo_document back = read_good(file);
        write_good(other, &back);
        assert_true(same_bytes(file, other));
        mo_document_clear(&document);
        mo_document_clear(&back);
    }
}

static void other_ways_of_storage_read_the_same(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLE_COUNT; ++k) {
        mo_document document = fclib_sample_make((fclib_sample)k);
        write_good(file, &document);
        for (int form = 0; form < FUZZ_FORMS; ++form) {
            assert_true(fuzz_rewrite(file, other, (fuzz_form)form));
            mo_document back = read_good(other);
            check_same_document(&document, &back);
            mo_document_clear(&back);
        }
        mo_document_clear(&document);
    }
}

/* W of one contact kind, large enough for a tree of chunks with several levels. */
static void a_vector_in_thousands_of_chunks_is_read(void **state)
{
    (void)state;
    enum { CONTACTS = 2000 };
    mo_builder *builder;
    mo_document document = {0};
    const mo_law law = mo_law_coulomb(0.5);
    assert_int_equal(mo_builder_create(NULL, &builder), MO_OK);
    for (int c = 0; c < CONTACTS; ++c) {
        const double W[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3}, q[3] = {-1, c, 0.5};
        mo_builder_add_coupling(builder, mo_builder_add_constraint(builder, 3, &law, q), c, 3, 3,
                                W);
    }
    assert_int_equal(mo_builder_finish(builder, &document.problem, NULL), MO_OK);
    mo_builder_destroy(builder);
    write_good(file, &document);
    assert_true(fuzz_rewrite(file, other, FUZZ_COMPRESSED));
    mo_document back = read_good(other);
    check_same_problem(document.problem, back.problem);
    mo_document_clear(&back);
    mo_document_clear(&document);
}

static void a_part_of_a_solution_stays_a_part(void **state)
{
    (void)state;
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_JOINTS);
    free(document.solution.v);
    free(document.guesses[0].u);
    free(document.guesses[1].r);
    document.solution.v = document.guesses[0].u = document.guesses[1].r = NULL;
    write_good(file, &document);
    mo_document back = read_good(file);
    check_same_document(&document, &back);
    mo_document_clear(&document);
    mo_document_clear(&back);
}

/* ---- interpretation -------------------------------------------------------------------------- */

/* Puts a matrix of triplets in a group; p has columns and i has rows, as real files do. */
static void put_triplets(hid_t h, const char *group, int m, int n, int nz, const int *rows,
                         const int *columns, const double *values)
{
    const struct {
        const char *name;
        int value;
    } numbers[] = {{"m", m}, {"n", n}, {"nz", nz}, {"nzmax", nz}};
    char path[64];
    H5Ldelete(h, group, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(h, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int k = 0; k < 4; ++k) {
        snprintf(path, sizeof path, "%s/%s", group, numbers[k].name);
        fclib_put_ints(h, path, 1, &numbers[k].value);
    }
    snprintf(path, sizeof path, "%s/p", group);
    fclib_put_ints(h, path, (hsize_t)nz, columns);
    snprintf(path, sizeof path, "%s/i", group);
    fclib_put_ints(h, path, (hsize_t)nz, rows);
    snprintf(path, sizeof path, "%s/x", group);
    fclib_put_doubles(h, path, (hsize_t)nz, values);
}

/* A global file without contacts whose M has the given triplets. */
static mo_document read_mass(int spacedim, int n, int nz, const int *rows, const int *columns,
                             const double *values)
{
    double *f = calloc((size_t)n, sizeof *f);
    const int zero = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t h = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(h, "/fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(h, "/fclib_global/vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    fclib_put_ints(h, "/fclib_global/spacedim", 1, &spacedim);
    fclib_put_doubles(h, "/fclib_global/vectors/f", (hsize_t)n, f);
    fclib_put_doubles(h, "/fclib_global/vectors/w", 0, f);
    fclib_put_doubles(h, "/fclib_global/vectors/mu", 0, f);
    put_triplets(h, "/fclib_global/M", n, n, nz, rows, columns, values);
    put_triplets(h, "/fclib_global/H", n, 0, 0, &zero, &zero, f);
    H5Fclose(h);
    free(f);
    return read_good(file);
}

/* Unit masses, with one entry (i, j) and its mirror image. */
static int bodies_of(int spacedim, int n, int i, int j)
{
    int rows[64], columns[64];
    double values[64];
    for (int k = 0; k < n; ++k) {
        rows[k] = columns[k] = k;
        values[k] = 4;
    }
    rows[n] = columns[n + 1] = i;
    columns[n] = rows[n + 1] = j;
    values[n] = values[n + 1] = i == j ? 0 : 0.5;
    mo_document document = read_mass(spacedim, n, n + 2, rows, columns, values);
    const int bodies = mo_problem_body_count(document.problem);
    mo_document_clear(&document);
    return bodies;
}

static void a_mass_matrix_falls_into_bodies(void **state)
{
    (void)state;
    assert_int_equal(bodies_of(3, 12, 0, 0), 2);  /* diagonal: free bodies of six */
    assert_int_equal(bodies_of(3, 12, 1, 5), 2);  /* tied inside one */
    assert_int_equal(bodies_of(3, 12, 5, 6), 11); /* tied across: the finest cut is kept */
    assert_int_equal(bodies_of(3, 12, 2, 8), 6);
    assert_int_equal(bodies_of(3, 9, 0, 0), 9); /* no multiple of six */
    assert_int_equal(bodies_of(2, 9, 0, 0), 3); /* but of three, in the plane */
    assert_int_equal(bodies_of(2, 9, 0, 2), 3);
}

static void half_a_mass_matrix_is_completed_and_noted(void **state)
{
    (void)state;
    const int rows[] = {0, 1, 2, 0}, columns[] = {0, 1, 2, 1};
    const double values[] = {2, 2, 2, 0.5};
    mo_document document = read_mass(3, 3, 4, rows, columns, values);
    assert_non_null(document.notes);
    assert_non_null(strstr(document.notes, "upper half"));
    assert_int_equal(mo_problem_body_count(document.problem), 2);
    const mo_body_view body = mo_problem_body(document.problem, 0);
    assert_true(body.dim == 2 && body.M[1] == 0.5 && body.M[2] == 0.5);
    mo_document_clear(&document);
}

/* An implicit gyroscopic term: M = 2 I plus something skew. */
static void an_unsymmetric_mass_matrix_survives_unless_it_is_a_triangle(void **state)
{
    (void)state;
    mo_builder *builder;
    const double skew[4] = {2, 0.5, -0.5, 2}, triangle[4] = {2, 0.5, 0, 2};
    for (int k = 0; k < 2; ++k) {
        mo_document document = {0};
        mo_message why = {""};
        assert_int_equal(mo_builder_create(NULL, &builder), MO_OK);
        mo_builder_add_unsymmetric_body(builder, 2, k ? triangle : skew, NULL);
        assert_int_equal(mo_builder_finish(builder, &document.problem, NULL), MO_OK);
        mo_builder_destroy(builder);
        assert_int_equal(mo_fclib_write(file, &document, &why), k ? MO_ERR_UNSUPPORTED : MO_OK);
        if (k) {
            assert_non_null(strstr(why.text, "only above its diagonal"));
        } else {
            mo_document back = read_good(file);
            check_same_document(&document, &back);
            assert_false(mo_problem_body(back.problem, 0).is_symmetric);
            mo_document_clear(&back);
        }
        mo_document_clear(&document);
    }
}

static void entries_given_twice_add_up(void **state)
{
    (void)state;
    const int rows[] = {1, 0, 1, 0, 0, 1}, columns[] = {1, 0, 1, 1, 0, 0};
    const double values[] = {1, 2, 2, 0.25, 3, 0.25};
    mo_document document = read_mass(3, 2, 6, rows, columns, values);
    const mo_body_view body = mo_problem_body(document.problem, 0);
    assert_null(document.notes);
    assert_true(body.dim == 2 && body.M[0] == 5 && body.M[1] == 0.25 && body.M[3] == 3);
    mo_document_clear(&document);
}

static void joints_that_touch_the_same_bodies_share_a_block(void **state)
{
    (void)state;
    mo_builder *builder;
    mo_document document = {0};
    const double M[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                          0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    const double J[6] = {1, 2, 3, 4, 5, 6};
    const mo_law joint = mo_law_bilateral();
    assert_int_equal(mo_builder_create(NULL, &builder), MO_OK);
    for (int b = 0; b < 3; ++b)
        mo_builder_add_body(builder, 6, M, NULL);
    /* Seven rows on bodies 0 and 1, two on bodies 1 and 2, one on body 2. */
    const int first[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 2}, second[] = {1, 1, 1, 1, 1, 1, 1, 2, 2, 2};
    for (int k = 0; k < 10; ++k) {
        const int c = mo_builder_add_constraint(builder, 1, &joint, NULL);
        mo_builder_add_jacobian(builder, c, first[k], 1, 6, J);
        if (first[k] != second[k]) mo_builder_add_jacobian(builder, c, second[k], 1, 6, J);
    }
    assert_int_equal(mo_builder_finish(builder, &document.problem, NULL), MO_OK);
    mo_builder_destroy(builder);
    write_good(file, &document);
    mo_document back = read_good(file);
    const int dims[] = {6, 1, 2, 1};
    assert_int_equal(mo_problem_constraint_count(back.problem), 4);
    for (int c = 0; c < 4; ++c)
        assert_int_equal(mo_problem_constraint(back.problem, c).dim, dims[c]);
    check_same_document(&document, &back);
    mo_document_clear(&document);
    mo_document_clear(&back);
}

static void a_local_problem_whose_W_is_zero_stays_local(void **state)
{
    (void)state;
    mo_document document = fclib_sample_make(SAMPLE_LOCAL_3D);
    write_good(file, &document);
    mo_document_clear(&document);
    const hid_t h = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    const int none = 0;
    const double nothing = 0;
    put_triplets(h, "/fclib_local/W", 12, 12, 0, &none, &none, &nothing);
    H5Fclose(h);
    document = read_good(file);
    assert_int_equal(mo_problem_form(document.problem), MO_FORM_REDUCED);
    mo_document_clear(&document);
}

static void a_second_problem_in_the_file_is_noted(void **state)
{
    (void)state;
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_3D);
    write_good(file, &document);
    const hid_t h = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(h, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(h);
    mo_document back = read_good(file);
    check_same_document(&document, &back);
    assert_non_null(strstr(back.notes, "/fclib_local"));
    mo_document_clear(&document);
    mo_document_clear(&back);
}

static void a_title_of_variable_length_is_left_out_with_a_note(void **state)
{
    (void)state;
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_JOINTS);
    write_good(file, &document);
    mo_document_clear(&document);
    const hid_t h = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    const char *text = "as h5py would write it";
    H5Tset_size(type, H5T_VARIABLE);
    H5Ldelete(h, "/fclib_global/info/title", H5P_DEFAULT);
    const hid_t set = H5Dcreate2(h, "/fclib_global/info/title", type, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text);
    H5Dclose(set);
    H5Tclose(type);
    H5Sclose(space);
    H5Fclose(h);
    document = read_good(file);
    assert_null(document.title);
    assert_non_null(document.description);
    assert_non_null(strstr(document.notes, "/fclib_global/info/title"));
    mo_document_clear(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_document_comes_back_bit_for_bit),
        cmocka_unit_test(a_file_that_was_read_is_written_with_the_same_bytes),
        cmocka_unit_test(other_ways_of_storage_read_the_same),
        cmocka_unit_test(a_vector_in_thousands_of_chunks_is_read),
        cmocka_unit_test(a_part_of_a_solution_stays_a_part),
        cmocka_unit_test(a_mass_matrix_falls_into_bodies),
        cmocka_unit_test(half_a_mass_matrix_is_completed_and_noted),
        cmocka_unit_test(an_unsymmetric_mass_matrix_survives_unless_it_is_a_triangle),
        cmocka_unit_test(entries_given_twice_add_up),
        cmocka_unit_test(joints_that_touch_the_same_bodies_share_a_block),
        cmocka_unit_test(a_local_problem_whose_W_is_zero_stays_local),
        cmocka_unit_test(a_second_problem_in_the_file_is_noted),
        cmocka_unit_test(a_title_of_variable_length_is_left_out_with_a_note),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
