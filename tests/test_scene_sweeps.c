/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sweeps over large scenes: colours, threads, bits. */
#include "scene_problems.h"

/* ---- sweeps over large scenes ---------------------------------------------------------------- */

/* Chunks of one group touch no body in common. */
static void check_groups(const mo_problem *problem, const mo_sweep *sweep)
{
    int *owner = malloc(sizeof *owner * (size_t)problem->body_count);
    CHECK(!sweep->last_is_sequential);
    for (int g = 0; g < sweep->group_count; ++g) {
        memset(owner, -1, sizeof *owner * (size_t)problem->body_count);
        for (int p = sweep->group_start[g]; p < sweep->group_start[g + 1]; ++p) {
            const int i = sweep->constraint[p], chunk = (p - sweep->group_start[g]) / MO_CHUNK;
            for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
                int *of_body = &owner[problem->block_index[k]];
                CHECK(*of_body == -1 || *of_body == chunk);
                *of_body = chunk;
            }
        }
    }
    free(owner);
}

static void chunks_of_one_colour_share_no_body(void **state)
{
    (void)state;
    mo_problem *problem;
    const mo_sweep *sweep;
    CHECK(scene_packing(20000, 7, &problem, NULL) == MO_OK);
    CHECK(mo_problem_sweep(problem, MO_SWEEP_COLOURED, &sweep) == MO_OK);
    check_groups(problem, sweep);
    CHECK(sweep->constraint[1] == sweep->constraint[0] + 1); /* whole chunks, in their order */
    mo_problem_destroy(problem);
}

static void constraints_numbered_at_random_are_coloured_one_by_one(void **state)
{
    (void)state;
    mo_problem *problem;
    const mo_sweep *sweep;
    CHECK(scene_packing(20000, 7, &problem, NULL) == MO_OK);
    int *order = shuffled(20000);
    mo_problem *mixed = copy_of(problem, order, 0);
    CHECK(mo_problem_sweep(mixed, MO_SWEEP_COLOURED, &sweep) == MO_OK);
    check_groups(mixed, sweep);
    CHECK(sweep->group_count <= 20); /* a few more than the contacts of a body */
    free(order);
    mo_problem_destroy(mixed);
    mo_problem_destroy(problem);
}

static void check_threads(const mo_problem *problem)
{
    enum { SWEEPS = 6, RUNS = 4 };
    static const int threads[RUNS] = {1, 2, 2, 3};
    mo_result result[RUNS];
    for (int k = 0; k < RUNS; ++k) {
        result[k] = swept(problem, threads[k], SWEEPS, 1);
        CHECK(same_bits(problem, result[0].r, result[k].r));
        CHECK(same_bits(problem, result[0].u, result[k].u));
        CHECK(result[0].residual.natural == result[k].residual.natural);
    }
    for (int k = 0; k < RUNS; ++k)
        mo_result_clear(&result[k]);
}

static void a_packing_gives_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(20000, 3, &problem, NULL) == MO_OK);
    check_threads(problem);
    int *order = shuffled(20000);
    mo_problem *mixed = copy_of(problem, order, 0);
    check_threads(mixed);
    free(order);
    mo_problem_destroy(mixed);
    mo_problem_destroy(problem);
}

static void its_reduced_problem_does_too(void **state)
{
    (void)state;
    mo_problem *problem, *reduced;
    CHECK(scene_packing(5000, 3, &problem, NULL) == MO_OK);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    check_threads(reduced);
    mo_problem_destroy(reduced);
    mo_problem_destroy(problem);
}

/* A body of another size sends every contact the general way; it must lead to the same place. */
static void the_path_for_contacts_of_free_bodies_changes_no_bit(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(5000, 8, &problem, NULL) == MO_OK);
    mo_problem *general = copy_of(problem, NULL, 1);
    for (double omega = 1; omega < 1.5; omega += 0.3) {
        mo_result quick = swept(problem, 1, 12, omega), slow = swept(general, 1, 12, omega);
        CHECK(same_bits(problem, quick.r, slow.r));
        mo_result_clear(&quick);
        mo_result_clear(&slow);
    }
    mo_problem_destroy(general);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_one_colour_share_no_body),
        cmocka_unit_test(constraints_numbered_at_random_are_coloured_one_by_one),
        cmocka_unit_test(a_packing_gives_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(its_reduced_problem_does_too),
        cmocka_unit_test(the_path_for_contacts_of_free_bodies_changes_no_bit),
    };
    return cmocka_run_group_tests_name("scenes", tests, NULL, NULL);
}
