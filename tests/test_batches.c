/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Compact contacts: the same problem as in rows; their arrangement in batches. */
#include "random_contacts.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "problem/row_blocks.h"
#include "problem/views.h"
#include "scenes.h"

/* ---- the form -------------------------------------------------------------------------------- */

static void a_compact_problem_is_the_one_of_its_rows(void **state)
{
    (void)state;
    mo_problem *compact = build(150, 3, 1), *rows = build(150, 3, 0);
    const int count = mo_problem_row_count(rows), dofs = mo_problem_dof_count(rows);
    double *r = draw_impulses(rows, 5), *out = malloc(4 * (size_t)(count + dofs) * sizeof *out);
    double *u = out + count, *v = u + count, *w = v + dofs;
    mo_residual a, b;
    CHECK(out && mo_problem_row_count(compact) == count && mo_problem_dof_count(compact) == dofs);
    CHECK(mo_problem_response(compact, r, out) == MO_OK &&
          mo_problem_response(rows, r, u) == MO_OK);
    check_near_all(out, u, count, 1e-13);
    mo_problem_velocity(compact, r, v);
    mo_problem_velocity(rows, r, w);
    check_near_all(v, w, dofs, 1e-13);
    CHECK(mo_measure(compact, r, &a) == MO_OK && mo_measure(rows, r, &b) == MO_OK);
    CHECK_NEAR(a.natural, b.natural, 1e-12 * b.natural);
    CHECK_NEAR(a.q_norm, b.q_norm, 1e-12 * b.q_norm);
    for (int i = 0; i < mo_problem_constraint_count(rows);
         ++i) { /* and they are written on demand */
        const mo_constraint_view view = mo_problem_constraint(rows, i);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view x = mo_problem_block(compact, i, k),
                                y = mo_problem_block(rows, i, k);
            CHECK(x.index == y.index);
            check_near_all(x.values, y.values, view.dim * mo_problem_body(rows, y.index).dim,
                           1e-15);
        }
    }
    for (int k = 0; k < RIGID; ++k)
        check_near_all(mo_problem_body(compact, k).M, mo_problem_body(rows, k).M, 36, 1e-15);
    free(r);
    free(out);
    mo_problem_destroy(compact);
    mo_problem_destroy(rows);
}

static void every_method_takes_a_compact_problem(void **state)
{
    (void)state;
    mo_problem *problem = build(30, 8, 1);
    const char *const methods[] = {"nsgs", "prox", "newton", "aln", "ipm", "admm"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        mo_residual residual;
        options.method = methods[k];
        options.tol = 1e-6;
        options.max_iter = 100000;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK_NEAR(residual.natural, result.residual.natural, 1e-9 * (1 + residual.natural));
        if (result.status != MO_SOLVED) {
            fail_msg("%s: %s, residual %g", methods[k], mo_status_name(result.status),
                     residual.natural_relative);
        }
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void contacts_in_rows_are_found(void **state)
{
    (void)state;
    mo_problem *rows = build(150, 3, 0), *given = build(150, 3, 1);
    const mo_compact *found, *own;
    CHECK(mo_problem_compact(rows, &found) == MO_OK && mo_problem_compact(given, &own) == MO_OK);
    CHECK(found->contact_count == 150 && own->contact_count == 150);
    for (int k = 0; k < 150; ++k) {
        const mo_compact_contact *a = found->contact + k, *b = own->contact + k;
        /* the first body in rows is the one with the lower number: both may be turned about */
        const int turned = a->body[0] != b->body[0];
        CHECK(a->body[turned] == b->body[0] && a->body[!turned] == b->body[1]);
        check_near_all(a->arm[turned], b->arm[0], b->body[0] < RIGID ? 3 : 0, 1e-12);
        check_near_all(a->arm[!turned], b->arm[1], b->body[1] < RIGID ? 3 : 0, 1e-12);
        CHECK_NEAR(mo_vec3_dot(a->frame, b->frame), turned ? -1 : 1, 1e-12);
    }
    mo_problem_destroy(rows);
    mo_problem_destroy(given);
}

/* An axis that is no unit vector, an arm that is none, an M that couples, mu = infinity: rows. */
static void other_constraints_are_not_taken_for_contacts(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 5; ++wrong) {
        double M[36] = {0}, J[18] = {0};
        mo_builder *builder;
        mo_problem *problem;
        const mo_compact *compact;
        const mo_law law = mo_law_coulomb(wrong == 4 ? INFINITY : 0.5);
        for (int k = 0; k < 6; ++k)
            M[7 * k] = 1;
        J[0] = J[7] = J[14] = 1;
        J[3] = wrong == 1 ? 0.1 : 0; /* a x e_0 has no part along e_0 */
        J[0] = wrong == 2 ? 1.1 : 1;
        M[3] = M[18] = wrong == 3 ? 0.1 : 0;
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        mo_builder_add_body(builder, 6, M, NULL);
        mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_jacobian(builder, 0, 0, 3, 6, J);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        CHECK(mo_problem_compact(problem, &compact) == MO_OK);
        CHECK(compact->contact_count == (wrong == 0));
        mo_builder_destroy(builder);
        mo_problem_destroy(problem);
    }
}

static void bad_contacts_get_a_sentence(void **state)
{
    (void)state;
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    for (int wrong = 0; wrong < 9; ++wrong) {
        mo_builder *builder;
        mo_problem *problem;
        mo_message why = {""};
        mo_rigid_contact contact = {
            .body = {0, -1}, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mu = 0.5};
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        if (wrong == 7)
            mo_builder_add_body(builder, 3, J, NULL); /* no rigid body in space */
        else
            mo_builder_add_rigid_body(builder, wrong == 5 ? -1 : 1, wrong == 6 ? flat : J, NULL);
        contact.frame[0] = wrong == 0 ? 2 : 1;
        contact.mu = wrong == 1 ? NAN : 0.5;
        contact.arm[0][1] = wrong == 2 ? INFINITY : 0;
        contact.body[0] = wrong == 3 ? -1 : wrong == 4 ? 5 : 0;
        mo_builder_add_contact(builder, &contact);
        if (wrong == 8) /* which the lanes would not see */
            mo_builder_add_jacobian(builder, 0, 0, 3, 6, (const double[18]){1});
        CHECK(mo_builder_finish(builder, &problem, &why) != MO_OK && problem == NULL);
        CHECK(why.text[0] != '\0');
        mo_builder_destroy(builder);
    }
}

/* A file holds the rows, in which the same contacts are found again. */
static void a_compact_problem_survives_a_file(void **state)
{
    (void)state;
    const char *path = "test_batches.hdf5";
    mo_problem *problem = build_any(80, 31, 1, 0);
    mo_document document = {.problem = problem}, back = {0};
    mo_message why = {""};
    const mo_compact *compact;
    mo_residual a, b;
    double *r = draw_impulses(problem, 3);
    if (mo_fclib_write(path, &document, &why) || mo_fclib_read(path, NULL, &back, &why))
        fail_msg("%s", why.text);
    CHECK(mo_problem_compact(back.problem, &compact) == MO_OK && compact->contact_count == 80);
    CHECK(mo_measure(problem, r, &a) == MO_OK && mo_measure(back.problem, r, &b) == MO_OK);
    CHECK_NEAR(a.natural, b.natural, 1e-9 * a.natural);
    CHECK_NEAR(a.q_norm, b.q_norm, 1e-12 * a.q_norm);
    remove(path);
    free(r);
    mo_document_clear(&back);
    mo_problem_destroy(problem);
}

/* ---- the arrangement --------------------------------------------------------------------------
 */

static void every_constraint_is_in_one_place(void **state)
{
    (void)state;
    mo_problem *problem = build(500, 4, 1);
    const mo_batches *b = batches_of(problem);
    int *seen = calloc((size_t)problem->constraint_count, sizeof *seen);
    CHECK(seen != NULL);
    for (int k = 0; k < b->point_count * MO_LANES; ++k)
        if (b->constraint[k] >= 0) ++seen[b->constraint[k]];
    for (int k = 0; k < b->row_count; ++k)
        ++seen[b->row[k].constraint];
    CHECK(b->row_count == 3);
    for (int i = 0; i < problem->constraint_count; ++i)
        CHECK(seen[i] == 1);
    free(seen);
    mo_problem_destroy(problem);
}

/* The groups that touched each line last. */
static void touch(int *last, int line, int world, int group)
{
    if (line != world) {
        CHECK(last[line] != group);
        last[line] = group;
    }
}

static void constraints_of_one_colour_share_no_body(void **state)
{
    (void)state;
    mo_problem *problem = build(300, 6, 1);
    const mo_batches *b = batches_of(problem);
    int *last = malloc((size_t)b->line_count * sizeof *last);
    CHECK(last != NULL);
    memset(last, 0xff, (size_t)b->line_count * sizeof *last);
    for (int g = 0; g < b->group_count - b->last_is_sequential; ++g) {
        for (int k = b->group[g].first_batch; k < b->group[g].last_batch; ++k) {
            for (int lane = 0; lane < 2 * MO_LANES; ++lane) {
                touch(last, b->batch[k].line[lane / MO_LANES][lane % MO_LANES], b->line_count - 1,
                      g);
            }
        }
        for (int k = b->group[g].first_row; k < b->group[g].last_row; ++k) {
            const int i = b->row[k].constraint;
            for (int m = problem->block_start[i]; m < problem->block_start[i + 1]; ++m)
                touch(last, b->line_of[problem->block_index[m]], b->line_count - 1, g);
        }
    }
    free(last);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compact_problem_is_the_one_of_its_rows),
        cmocka_unit_test(every_method_takes_a_compact_problem),
        cmocka_unit_test(contacts_in_rows_are_found),
        cmocka_unit_test(other_constraints_are_not_taken_for_contacts),
        cmocka_unit_test(bad_contacts_get_a_sentence),
        cmocka_unit_test(a_compact_problem_survives_a_file),
        cmocka_unit_test(every_constraint_is_in_one_place),
        cmocka_unit_test(constraints_of_one_colour_share_no_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
