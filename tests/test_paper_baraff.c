/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What [baraff1994, section 7] claims and the rerun finds, but for the times. */
#include "check.h"

#include <stdlib.h>

#include "baraff-1994/baraff.h"

static void every_pile_is_solved_and_its_rank_is_known(void **state)
{
    (void)state;
    for (int pile = 0; pile < BR_PILE_COUNT; ++pile) {
        for (int contacts = 10; contacts <= 160; contacts *= 4) {
            br_cost row;
            CHECK(br_measure_one((br_pile)pile, contacts, 0, &row) == MO_OK);
            CHECK(row.is_solved && row.residual <= 1e-10);
            CHECK(abs(row.n - contacts) <= contacts / 4);
            CHECK(row.pressed <= row.rank && row.rank <= row.n && row.pivots <= row.n);
            CHECK(row.gauss > 0 && row.pivoting > 0 && row.pivoting <= row.call);
        }
    }
}

static void pivots_grow_like_the_contacts(void **state)
{
    (void)state;
    br_pivots rows[8];
    int count = 0;
    for (int contacts = 20; contacts <= 160; contacts *= 2) {
        CHECK(br_count_one(BR_NONE, 1, contacts, &rows[count++]) == MO_OK);
        CHECK(br_count_one(BR_PLANE, 1, contacts, &rows[count++]) == MO_OK);
    }
    for (int k = 0; k < count; ++k)
        CHECK(rows[k].is_solved && rows[k].pivots <= 3 * rows[k].contacts);
    CHECK_BELOW(br_growth(rows, count, BR_NONE, 1), 1.15);
    CHECK_BELOW(br_growth(rows, count, BR_PLANE, 1), 1.25);
}

static void walls_in_space_reach_the_true_cone(void **state)
{
    (void)state;
    for (int shaken = 0; shaken < 2; ++shaken) {
        br_pivots row;
        CHECK(br_count_one(BR_SPACE, shaken, 36, &row) == MO_OK);
        CHECK(row.is_solved && row.rows == 3 * row.contacts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pile_is_solved_and_its_rank_is_known),
        cmocka_unit_test(pivots_grow_like_the_contacts),
        cmocka_unit_test(walls_in_space_reach_the_true_cone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
