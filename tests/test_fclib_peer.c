/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * FCLIB files beside libfclib, the independent reader and writer.  With an argument: all files of
 * the folder that MOREAU_PROBLEMS names are read, written and compared; without such a folder it
 * ends with 77.
 */
#define _XOPEN_SOURCE 700

#include "check.h"

#include <dirent.h>
#include <fclib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fclib_compare.h"
#include "fclib_files.h"
#include "fclib_samples.h"
#include "moreau/io.h"

/* ---- libfclib, the other reader and writer --------------------------------------------------- */

/* Entry (i, j) of an FCLIB matrix in compressed columns. */
static double fclib_entry(const struct fclib_matrix *m, int i, int j)
{
    double sum = 0;
    assert_int_equal(m->nz, -1);
    for (int e = m->p[j]; e < m->p[j + 1]; ++e)
        sum += m->i[e] == i ? m->x[e] : 0;
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
    if (!document->solution.r) return;
    spread s = spread_make(document->problem);
    int count = 0;
    struct fclib_solution *solution = fclib_read_solution(file);
    struct fclib_solution *guesses = fclib_read_guesses(file, &count);
    check_fclib_point(solution, &document->solution, &s);
    assert_int_equal(count, document->guess_count);
    for (int k = 0; k < count; ++k)
        check_fclib_point(&guesses[k], &document->guesses[k], &s);
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
        if (mo_problem_form(document.problem) == MO_FORM_GLOBAL)
            check_fclib_global(&document);
        else
            check_fclib_local(&document);
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

/* ---- real problems, where they are at hand --------------------------------------------------- */

static void check_real_file(const char *path)
{
    mo_document document = read_good(path);
    write_good(file, &document);
    mo_document back = read_good(file);
    check_same_problem(document.problem, back.problem);
    write_good(other, &back);
    assert_true(same_bytes(file, other));
    if (mo_problem_row_count(document.problem) <= 1000 &&
        mo_problem_constraint_count(document.problem) &&
        mo_problem_constraint(document.problem, 0).law.kind == MO_LAW_COULOMB) {
        if (mo_problem_form(document.problem) == MO_FORM_GLOBAL)
            check_fclib_global(&document);
        else
            check_fclib_local(&document);
    }
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
        if (entry->d_name[0] == '.' || stat(inner, &about) != 0) continue;
        const char *dot = strrchr(entry->d_name, '.');
        if (S_ISDIR(about.st_mode)) {
            count += check_real_folder(inner);
        } else if (dot && strcmp(dot, ".hdf5") == 0) {
            check_real_file(inner);
            ++count;
        }
    }
    if (folder) closedir(folder);
    return count;
}

static void real_problems_survive_a_round_trip(void **state)
{
    (void)state;
    const int count = check_real_folder(getenv("MOREAU_PROBLEMS"));
    print_message("%d files\n", count);
    assert_true(count > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libfclib_reads_what_we_write),
        cmocka_unit_test(we_read_what_libfclib_writes),
        cmocka_unit_test(rows_triplets_and_facts_about_a_matrix_are_read),
    };
    const struct CMUnitTest real_files[] = {
        cmocka_unit_test(real_problems_survive_a_round_trip),
    };
    (void)argv;
    if (argc == 1) return cmocka_run_group_tests(tests, make_directory, remove_directory);
    if (!getenv("MOREAU_PROBLEMS")) {
        puts("skipped: MOREAU_PROBLEMS names no folder of FCLIB files");
        return 77;
    }
    return cmocka_run_group_tests(real_files, make_directory, remove_directory);
}
