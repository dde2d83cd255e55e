/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The papers' simulations, short: what they say of each method, and the closed forms of sliding
 * rods. */
#include <stdlib.h>

#include "check.h"

#include "acary-cadoux-2011/motion.h"
#include "anitescu-hart-2004/motion.h"

/* [anitescu2004, figure 2]: all but LCP3, whose law is relaxed, answer every step; no step adds
 * energy. */
static void a_pile_of_21_disks_falls_apart_and_every_method_answers_its_steps(void **state)
{
    (void)state;
    ah_pile *pile = calloc(1, sizeof *pile);
    CHECK(pile != NULL);
    *pile = (ah_pile){.rows = 6, .mu = 0.05, .steps = 40, .every = 8, .patience = INFINITY};
    CHECK(ah_move_pile(pile, NULL) == MO_OK);
    CHECK(pile->disks == 21 && pile->at[0].contacts == 51 && pile->at[39].contacts < 45);
    CHECK(pile->unsolved == 0);
    CHECK_BELOW(pile->penetration, 1e-9);
    CHECK_BELOW(pile->gain, 1e-12);
    for (int k = 0; k < 40; k += 8) {
        for (int s = 0; s < AH_SOLVERS; ++s) {
            CHECK(pile->at[k].answer[s].is_asked);
            CHECK(pile->at[k].answer[s].is_solved == (s != AH_S3));
        }
    }
    free(pile);
}

static void the_nut_begins_at_the_bottom(void **state)
{
    (void)state;
    ah_nut *nut = calloc(1, sizeof *nut);
    CHECK(nut != NULL && ah_shake("auto", 1e-3, 0, nut, NULL) == MO_OK);
    CHECK(nut->top == -1 && nut->steps == 0 && nut->above[0] > 0.8);
    free(nut);
}

/* [acary2011, table 1]: a few convex problems a step by the paper's rule, which is far from solving
 * the law; auto solves it. */
static void beads_fall_by_the_papers_rule_and_by_the_law(void **state)
{
    (void)state;
    ac_bead_run *run = calloc(1, sizeof *run);
    CHECK(run != NULL);
    for (int s = 0; s < AC_SOLVERS; ++s) {
        double rounds = 0, facets = 0;
        CHECK(ac_drop_beads(27, 45, (ac_solver)s, s == AC_FINE, run, NULL) == MO_OK);
        for (int k = 0; k < run->steps; ++k) {
            rounds += run->step[k].rounds / 45.0;
            facets += run->step[k].facets_rounds;
        }
        CHECK(run->step[44].pressed >= 27 && run->step[44].contacts >= run->step[44].pressed);
        if (s == AC_GRADIENT) CHECK(rounds > 1 && rounds < 12 && run->unsolved > 10);
        if (s == AC_FINE) {
            CHECK(run->unsolved == 0 && facets >= 1 && facets <= 20);
            CHECK_BELOW(run->penetration, 1e-6);
            CHECK_BELOW(run->energy_gain, 1e-9);
        }
    }
    free(run);
}

/* Up to the limit the force of a step is that of the motion, beyond it the impulse is that of the
 * jam, whatever the step. */
static void a_free_rod_slides_or_jams_by_the_closed_form(void **state)
{
    (void)state;
    static const double mus[] = {0.2, 0.8, 1.3, 1.4, 1.9};
    for (int k = 0; k < 5; ++k) {
        for (double h = 1e-3; h > 5e-6; h /= 10) {
            ac_jam jam;
            CHECK(ac_jam_rod(mus[k], 1.0, h, &jam, NULL) == MO_OK && jam.is_solved);
            CHECK(jam.limit > 1.3 && jam.limit < 1.4);
            if (mus[k] < jam.limit) {
                CHECK_NEAR(jam.force, jam.expected, 1e-6 * jam.expected);
            } else {
                CHECK_NEAR(jam.impulse, jam.jammed, 10 * h); /* and the weight of the step */
                CHECK_NEAR(jam.slip, 0, 1e-9);
            }
        }
    }
}

/* (2.6): dragged along with the force of the closed form, or no step is said to be solved. */
static void the_rod_on_its_rail_is_dragged_where_it_has_a_solution(void **state)
{
    (void)state;
    for (double theta = 0.6; theta < 1.5; theta += 0.2) {
        ac_rail rail;
        CHECK(ac_drag_rod(theta, 0.5, 100, &rail, NULL) == MO_OK);
        CHECK(rail.unsolved == 0);
        CHECK_NEAR(rail.force, rail.expected, 1e-5 * rail.expected);
    }
    ac_rail none;
    CHECK(ac_drag_rod(0.2, 0.5, 4, &none, NULL) == MO_OK); /* `auto` tries every method in each */
    CHECK(isnan(none.expected) && none.status != MO_SOLVED && none.unsolved == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_of_21_disks_falls_apart_and_every_method_answers_its_steps),
        cmocka_unit_test(the_nut_begins_at_the_bottom),
        cmocka_unit_test(beads_fall_by_the_papers_rule_and_by_the_law),
        cmocka_unit_test(a_free_rod_slides_or_jams_by_the_closed_form),
        cmocka_unit_test(the_rod_on_its_rail_is_dragged_where_it_has_a_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
