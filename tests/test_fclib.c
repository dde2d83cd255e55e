/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* FCLIB files: what is written comes back, and other programs read and write the same. */
#define _XOPEN_SOURCE 700

#include "check.h"

#include <dirent.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef MOREAU_HAVE_FCLIB
#include <fclib.h>
#endif

#include "fclib_compare.h"
#include "fclib_samples.h"
#include "fuzz/fuzz_edit.h"
#include "moreau/io.h"

static char directory[] = "/tmp/moreau-test-fclib-XXXXXX";
static char file[128], other[128];

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory)) {
        return -1;
    }
    snprintf(file, sizeof file, "%s/one.hdf5", directory);
    snprintf(other, sizeof other, "%s/two.hdf5", directory);
    return 0;
}

/* The directory must be empty but for the two files: nothing temporary stays behind. */
static int remove_directory(void **state)
{
    (void)state;
    unlink(file);
    unlink(other);
    return rmdir(directory);
}

static mo_document read_good(const char *path)
{
    mo_document document;
    mo_message why = {""};
    if (mo_fclib_read(path, NULL, &document, &why) != MO_OK) {
        fail_msg("%s", why.text);
    }
    return document;
}

static void write_good(const char *path, const mo_document *document)
{
    mo_message why = {""};
    if (mo_fclib_write(path, document, &why) != MO_OK) {
        fail_msg("%s", why.text);
    }
}

static bool same_bytes(const char *a, const char *b)
{
    fuzz_bytes x, y;
    assert_true(fuzz_load(a, &x) && fuzz_load(b, &y));
    const bool same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    free(x.data);
    free(y.data);
    return same;
}

/* ---- there and back ------------------------------------------------------------------------ */

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

static void what_was_read_gives_the_same_bytes_again(void **state)
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

/* ---- interpretation ------------------------------------------------------------------------ */

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
    assert_int_equal(bodies_of(3, 12, 0, 0), 2);  /* diagonal: free bodies of six       */
    assert_int_equal(bodies_of(3, 12, 1, 5), 2);  /* tied inside one                    */
    assert_int_equal(bodies_of(3, 12, 5, 6), 11); /* tied across: the finest cut is kept */
    assert_int_equal(bodies_of(3, 12, 2, 8), 6);
    assert_int_equal(bodies_of(3, 9, 0, 0), 9); /* no multiple of six                 */
    assert_int_equal(bodies_of(2, 9, 0, 0), 3); /* but of three, in the plane         */
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
    for (int b = 0; b < 3; ++b) {
        mo_builder_add_body(builder, 6, M, NULL);
    }
    /* Seven rows on bodies 0 and 1, two on bodies 1 and 2, one on body 2. */
    const int first[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 2}, second[] = {1, 1, 1, 1, 1, 1, 1, 2, 2, 2};
    for (int k = 0; k < 10; ++k) {
        const int c = mo_builder_add_constraint(builder, 1, &joint, NULL);
        mo_builder_add_jacobian(builder, c, first[k], 1, 6, J);
        if (first[k] != second[k]) {
            mo_builder_add_jacobian(builder, c, second[k], 1, 6, J);
        }
    }
    assert_int_equal(mo_builder_finish(builder, &document.problem, NULL), MO_OK);
    mo_builder_destroy(builder);
    write_good(file, &document);
    mo_document back = read_good(file);
    const int dims[] = {6, 1, 2, 1};
    assert_int_equal(mo_problem_constraint_count(back.problem), 4);
    for (int c = 0; c < 4; ++c) {
        assert_int_equal(mo_problem_constraint(back.problem, c).dim, dims[c]);
    }
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

/* ---- what the format cannot hold ----------------------------------------------------------- */

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

static void wrong_calls_are_told_so(void **state)
{
    (void)state;
    mo_message why;
    mo_document document = {0};
    assert_int_equal(mo_fclib_read(NULL, NULL, &document, &why), MO_ERR_ARGUMENT);
    assert_int_equal(mo_fclib_read(file, NULL, NULL, &why), MO_ERR_ARGUMENT);
    assert_int_equal(mo_fclib_write(file, &document, &why), MO_ERR_ARGUMENT);
    assert_int_equal(mo_fclib_write(NULL, &document, NULL), MO_ERR_ARGUMENT);
    mo_document_clear(&document);
    mo_document_clear(NULL);
}

/* ---- whole or untouched -------------------------------------------------------------------- */

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

/* ---- manners ------------------------------------------------------------------------------- */

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

typedef struct rationed {
    long left; /* requests before memory runs out */
    long blocks;
} rationed;

static void *ration(void *user, void *p, size_t size)
{
    rationed *r = user;
    if (size == 0) {
        r->blocks -= p != NULL;
        free(p);
        return NULL;
    }
    if (r->left-- <= 0) {
        return NULL;
    }
    r->blocks += p == NULL;
    return realloc(p, size);
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
            rationed r = {.left = ration_size};
            const mo_allocator allocator = {ration, &r};
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
            assert_int_equal(r.blocks, 0);
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
            rationed r = {.left = ration_size};
            document.allocator = (mo_allocator){ration, &r};
            error = mo_fclib_write(file, &document, NULL);
            assert_true(error == MO_OK || error == MO_ERR_MEMORY);
            assert_int_equal(access(file, F_OK) == 0, error == MO_OK);
            assert_int_equal(r.blocks, 0);
        }
        document.allocator = (mo_allocator){0};
        mo_document back = read_good(file);
        check_same_document(&document, &back);
        mo_document_clear(&document);
        mo_document_clear(&back);
    }
}

/* ---- libfclib, the other reader and writer ------------------------------------------------- */

#ifdef MOREAU_HAVE_FCLIB

/* Entry (i, j) of an FCLIB matrix in compressed columns. */
static double fclib_entry(const struct fclib_matrix *m, int i, int j)
{
    double sum = 0;
    assert_int_equal(m->nz, -1);
    for (int e = m->p[j]; e < m->p[j + 1]; ++e) {
        sum += m->i[e] == i ? m->x[e] : 0;
    }
    return sum;
}

static void check_fclib_matrix(const struct fclib_matrix *m, int rows, int columns,
                               const double *dense, int stride, bool transposed)
{
    assert_int_equal(m->m, rows);
    assert_int_equal(m->n, columns);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            const double ours = transposed ? dense[j * stride + i] : dense[i * stride + j];
            const double theirs = fclib_entry(m, i, j);
            assert_true(same_numbers(&ours, &theirs, 1));
        }
    }
}

static void check_fclib_global(const mo_document *document)
{
    spread s = spread_make(document->problem);
    struct fclib_global *g = fclib_read_global(file);
    const int joints = s.rows - s.contact_rows;
    check_fclib_matrix(g->M, s.dofs, s.dofs, s.M, s.dofs, false);
    check_fclib_matrix(g->H, s.dofs, s.contact_rows, s.A, s.dofs, true);
    assert_int_equal(g->G != NULL, joints > 0);
    if (joints) {
        check_fclib_matrix(g->G, s.dofs, joints, s.A + s.contact_rows * s.dofs, s.dofs, true);
        assert_true(same_numbers(g->b, s.w + s.contact_rows, (size_t)joints));
    }
    assert_true(same_numbers(g->f, s.f, (size_t)s.dofs));
    assert_true(same_numbers(g->w, s.w, (size_t)s.contact_rows));
    assert_true(same_numbers(g->mu, s.mu, (size_t)s.contacts));
    if (document->title) {
        assert_string_equal(g->info->title, document->title);
        assert_string_equal(g->info->description, document->description);
    }
    fclib_delete_global(g);
    free(g);
    spread_clear(&s);
}

static void check_fclib_local(const mo_document *document)
{
    spread s = spread_make(document->problem);
    struct fclib_local *l = fclib_read_local(file);
    const int joints = s.rows - s.contact_rows;
    check_fclib_matrix(l->W, s.contact_rows, s.contact_rows, s.A, s.rows, false);
    assert_int_equal(l->V != NULL, joints > 0);
    if (joints) {
        check_fclib_matrix(l->V, s.contact_rows, joints, s.A + s.contact_rows, s.rows, false);
        check_fclib_matrix(l->R, joints, joints, s.A + s.contact_rows * s.rows + s.contact_rows,
                           s.rows, false);
        assert_true(same_numbers(l->s, s.w + s.contact_rows, (size_t)joints));
    }
    assert_true(same_numbers(l->q, s.w, (size_t)s.contact_rows));
    assert_true(same_numbers(l->mu, s.mu, (size_t)s.contacts));
    fclib_delete_local(l);
    free(l);
    spread_clear(&s);
}

static void check_fclib_point(const struct fclib_solution *theirs, const mo_point *ours,
                              const spread *s)
{
    for (int k = 0; k < s->rows; ++k) {
        const bool joint = k >= s->contact_rows;
        const double *r = joint ? theirs->l + (k - s->contact_rows) : theirs->r + k;
        assert_true(same_numbers(r, ours->r + s->order[k], 1));
        assert_true(joint || same_numbers(theirs->u + k, ours->u + s->order[k], 1));
    }
    assert_true(!ours->v || same_numbers(theirs->v, ours->v, (size_t)s->dofs));
}

static void check_fclib_points(const mo_document *document)
{
    if (!document->solution.r) {
        return;
    }
    spread s = spread_make(document->problem);
    int count = 0;
    struct fclib_solution *solution = fclib_read_solution(file);
    struct fclib_solution *guesses = fclib_read_guesses(file, &count);
    check_fclib_point(solution, &document->solution, &s);
    assert_int_equal(count, document->guess_count);
    for (int k = 0; k < count; ++k) {
        check_fclib_point(&guesses[k], &document->guesses[k], &s);
    }
    fclib_delete_solutions(solution, 1);
    fclib_delete_solutions(guesses, count);
    spread_clear(&s);
}

/* libfclib knows no rolling contacts, and wants contacts where there is a solution. */
static void libfclib_reads_what_we_write(void **state)
{
    (void)state;
    const fclib_sample samples[] = {SAMPLE_GLOBAL_3D,   SAMPLE_GLOBAL_2D, SAMPLE_GLOBAL_JOINTS,
                                    SAMPLE_LOCAL_3D,    SAMPLE_LOCAL_2D,  SAMPLE_LOCAL_JOINTS,
                                    SAMPLE_BODIES_ONLY, SAMPLE_NOTHING};
    for (size_t k = 0; k < sizeof samples / sizeof samples[0]; ++k) {
        mo_document document = fclib_sample_make(samples[k]);
        write_good(file, &document);
        if (mo_problem_form(document.problem) == MO_FORM_GLOBAL) {
            check_fclib_global(&document);
        } else {
            check_fclib_local(&document);
        }
        check_fclib_points(&document);
        mo_document_clear(&document);
    }
}

/* What libfclib read from one of our files, written by it again, comes back the same. */
static void we_read_what_libfclib_writes(void **state)
{
    (void)state;
    const fclib_sample samples[] = {SAMPLE_GLOBAL_JOINTS, SAMPLE_LOCAL_JOINTS};
    for (int k = 0; k < 2; ++k) {
        mo_document document = fclib_sample_make(samples[k]);
        int count = 0;
        write_good(file, &document);
        unlink(other);
        if (k == 0) {
            struct fclib_global *g = fclib_read_global(file);
            assert_int_equal(fclib_write_global(g, other), 1);
            fclib_delete_global(g);
            free(g);
        } else {
            struct fclib_local *l = fclib_read_local(file);
            assert_int_equal(fclib_write_local(l, other), 1);
            fclib_delete_local(l);
            free(l);
        }
        struct fclib_solution *solution = fclib_read_solution(file);
        struct fclib_solution *guesses = fclib_read_guesses(file, &count);
        assert_int_equal(fclib_write_solution(solution, other), 1);
        assert_int_equal(fclib_write_guesses(count, guesses, other), 1);
        fclib_delete_solutions(solution, 1);
        fclib_delete_solutions(guesses, count);
        mo_document back = read_good(other);
        check_same_document(&document, &back);
        mo_document_clear(&document);
        mo_document_clear(&back);
    }
}

static void rows_triplets_and_facts_about_a_matrix_are_read(void **state)
{
    (void)state;
    /* W = [2 1 0; 0 3 0; 4 0 5] in three ways; the entry 3 is given as 1 + 2 in the triplets. */
    int column_p[] = {0, 2, 4, 5}, column_i[] = {0, 2, 0, 1, 2};
    double column_x[] = {2, 4, 1, 3, 5};
    int row_p[] = {0, 2, 3, 5}, row_i[] = {0, 1, 1, 0, 2};
    double row_x[] = {2, 1, 3, 4, 5};
    int triplet_p[] = {2, 1, 0, 1, 0, 1}, triplet_i[] = {2, 1, 2, 0, 0, 1};
    double triplet_x[] = {5, 1, 4, 1, 2, 2};
    char comment[] = "three ways";
    struct fclib_matrix_info facts = {comment, 1, 30, 3};
    struct fclib_matrix matrices[] = {
        {.m = 3, .n = 3, .nzmax = 5, .nz = -1, .p = column_p, .i = column_i, .x = column_x},
        {.m = 3, .n = 3, .nzmax = 5, .nz = -2, .p = row_p, .i = row_i, .x = row_x},
        {.m = 3,
         .n = 3,
         .nzmax = 6,
         .nz = 6,
         .p = triplet_p,
         .i = triplet_i,
         .x = triplet_x,
         .info = &facts},
    };
    const double W[9] = {2, 1, 0, 0, 3, 0, 4, 0, 5};
    double q[] = {-1, 0, 1}, mu[] = {0.5};
    for (int k = 0; k < 3; ++k) {
        struct fclib_local local = {.W = &matrices[k], .mu = mu, .q = q, .spacedim = 3};
        unlink(file);
        assert_int_equal(fclib_write_local(&local, file), 1);
        mo_document document = read_good(file);
        assert_true(same_numbers(mo_problem_block(document.problem, 0, 0).values, W, 9));
        assert_null(document.notes);
        if (k == 2) { /* the facts, too, survive being written and read again */
            write_good(other, &document);
            mo_document again = read_good(other);
            assert_int_equal(again.facts[0].matrix, 'W');
            assert_string_equal(again.facts[0].comment, comment);
            assert_true(again.facts[0].conditioning == 1 && again.facts[0].determinant == 30);
            assert_int_equal(again.facts[0].rank, 3);
            mo_document_clear(&again);
            struct fclib_local *theirs = fclib_read_local(other);
            assert_non_null(theirs);
            assert_non_null(theirs->W->info);
            assert_int_equal(theirs->W->info->rank, 3);
            fclib_delete_local(theirs);
            free(theirs);
        } else {
            assert_int_equal(document.facts[0].matrix, 0);
        }
        mo_document_clear(&document);
    }
}

#endif

/* ---- real problems, where they are at hand -------------------------------------------------- */

static void check_real_file(const char *path)
{
    mo_document document = read_good(path);
    write_good(file, &document);
    mo_document back = read_good(file);
    check_same_problem(document.problem, back.problem);
    write_good(other, &back);
    assert_true(same_bytes(file, other));
#ifdef MOREAU_HAVE_FCLIB
    if (mo_problem_row_count(document.problem) <= 1000 &&
        mo_problem_constraint_count(document.problem) &&
        mo_problem_constraint(document.problem, 0).law.kind == MO_LAW_COULOMB) {
        if (mo_problem_form(document.problem) == MO_FORM_GLOBAL) {
            check_fclib_global(&document);
        } else {
            check_fclib_local(&document);
        }
    }
#endif
    mo_document_clear(&document);
    mo_document_clear(&back);
}

static int check_real_folder(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        char inner[1024];
        struct stat about;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || stat(inner, &about) != 0) {
            continue;
        }
        const char *dot = strrchr(entry->d_name, '.');
        if (S_ISDIR(about.st_mode)) {
            count += check_real_folder(inner);
        } else if (dot && strcmp(dot, ".hdf5") == 0) {
            check_real_file(inner);
            ++count;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static void real_problems_survive_a_round_trip(void **state)
{
    (void)state;
    const char *named = getenv("MOREAU_PROBLEMS");
    const int count = check_real_folder(named ? named : MOREAU_SOURCE_DIR "/../shared/problems");
    if (!count) {
        skip();
    }
    print_message("%d files\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_document_comes_back_bit_for_bit),
        cmocka_unit_test(what_was_read_gives_the_same_bytes_again),
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
        cmocka_unit_test(a_law_that_the_format_lacks_is_refused_by_number_and_name),
        cmocka_unit_test(couplings_that_are_no_transposes_are_refused),
        cmocka_unit_test(a_solution_that_is_not_finite_is_not_written),
        cmocka_unit_test(wrong_calls_are_told_so),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file),
        cmocka_unit_test(a_place_that_cannot_be_written_is_named),
        cmocka_unit_test(a_file_keeps_its_permissions_and_a_link_its_target),
        cmocka_unit_test(the_callers_error_printer_is_silent_and_put_back),
        cmocka_unit_test(reading_survives_memory_that_runs_out_anywhere),
        cmocka_unit_test(writing_survives_memory_that_runs_out_anywhere),
#ifdef MOREAU_HAVE_FCLIB
        cmocka_unit_test(libfclib_reads_what_we_write),
        cmocka_unit_test(we_read_what_libfclib_writes),
        cmocka_unit_test(rows_triplets_and_facts_about_a_matrix_are_read),
#endif
        cmocka_unit_test(real_problems_survive_a_round_trip),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
