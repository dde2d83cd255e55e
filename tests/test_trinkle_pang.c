/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The random grasps behind the rerun of [trinkle1997]: are they mechanics?  Velocities are compared with
 * differences of positions, accelerations with differences of velocities, forces with the power they put in.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"
#include "trinkle_pang.h"
#include "vec3.h"

enum { COORDINATES = 200, PARTS = 60 };

static grasp drawn(uint64_t seed, int rolling, int sliding)
{
    scene_grasp_def def = scene_grasp_default();
    grasp system;
    mo_message why;
    def.seed = seed;
    def.objects = 3;
    def.manipulators = 2;
    def.joints = 4;
    def.rolling = rolling;
    def.sliding = sliding;
    if (scene_grasp_draw(&def, &system, &why)) {
        fail_msg("%s", why.text);
    }
    CHECK(system.coordinate_count == 26);
    return system;
}

/* All mechanisms a time t later. */
static void later(const grasp *g, const double *qdd, double t, double *q, double *qd,
                  part_motion *parts)
{
    for (int b = 0; b < g->mechanism_count; ++b) {
        const int at = g->start[b];
        mechanism_advance(&g->mechanisms[b], NULL, g->qd + at, qdd + at, t, q + at, qd + at);
    }
    grasp_move_to(g, q, qd, parts);
}

/* ---- kinematics ------------------------------------------------------------------------------ */

static void parts_move_as_their_positions_say(void **state)
{
    (void)state;
    const double t = 1e-5;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        grasp g = drawn(seed, 3, 4);
        mo_random random = {seed};
        double qdd[COORDINATES], q[COORDINATES], qd[COORDINATES];
        part_motion before[PARTS], after[PARTS];
        fill_uniform(&random, -1, 1, g.coordinate_count, qdd);
        later(&g, qdd, -t, q, qd, before);
        later(&g, qdd, t, q, qd, after);
        for (int p = 0; p < g.part_start[g.mechanism_count]; ++p) {
            for (int k = 0; k < 3; ++k) {
                CHECK_NEAR((after[p].centre[k] - before[p].centre[k]) / (2 * t), g.parts[p].v[k],
                           1e-8);
            }
        }
        /* a = Jv qdd + the velocity products, and the same for the rotation */
        for (int b = 0; b < g.mechanism_count; ++b) {
            const int n = mechanism_coordinates(&g.mechanisms[b]);
            for (int p = g.part_start[b]; p < g.part_start[b + 1]; ++p) {
                const part_motion *now = &g.parts[p];
                for (int k = 0; k < 3; ++k) {
                    double a = now->a[k], alpha = now->alpha[k];
                    for (int j = 0; j < n; ++j) {
                        a += now->Jv[n * k + j] * qdd[g.start[b] + j];
                        alpha += now->Jw[n * k + j] * qdd[g.start[b] + j];
                    }
                    CHECK_NEAR((after[p].v[k] - before[p].v[k]) / (2 * t), a, 1e-7);
                    CHECK_NEAR((after[p].omega[k] - before[p].omega[k]) / (2 * t), alpha, 1e-7);
                }
            }
        }
        grasp_clear(&g);
    }
}

/* The rows of contact i at accelerations qdd: J qdd + w. */
static void rows_of(const grasp *g, int i, const double *qdd, double a[3])
{
    grasp_products(g, &g->contacts[i], a);
    for (int side = 0; side < 2; ++side) {
        double J[3 * COORDINATES_MOST];
        const int n = grasp_jacobian(g, &g->contacts[i], side, J);
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < n; ++j) {
                a[k] += J[n * k + j] * qdd[g->start[g->contacts[i].side[side].mechanism] + j];
            }
        }
    }
}

static void contact_rows_are_the_rates_of_gap_and_slip(void **state)
{
    (void)state;
    const double t = 1e-4;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        grasp g = drawn(seed, 3, 4);
        mo_random random = {seed};
        double qdd[COORDINATES], q[COORDINATES], qd[COORDINATES];
        part_motion before[PARTS], after[PARTS];
        fill_uniform(&random, -1, 1, g.coordinate_count, qdd);
        later(&g, qdd, -t, q, qd, before);
        later(&g, qdd, t, q, qd, after);
        for (int i = 0; i < g.contact_count; ++i) {
            const grasp_contact *contact = &g.contacts[i];
            double gap[3], slip[3][3], a[3];
            grasp_touch(&g, before, contact, &gap[0], slip[0]);
            grasp_touch(&g, g.parts, contact, &gap[1], slip[1]);
            grasp_touch(&g, after, contact, &gap[2], slip[2]);
            rows_of(&g, i, qdd, a);
            CHECK_NEAR(gap[1], 0, 1e-13);
            CHECK_NEAR((gap[2] - 2 * gap[1] + gap[0]) / (t * t), a[0], 1e-5);
            for (int k = 1; k < 3; ++k) {
                const double rate = vec3_dot(contact->frame + 3 * k, slip[2]) -
                                    vec3_dot(contact->frame + 3 * k, slip[0]);
                CHECK_NEAR(rate / (2 * t), a[k], 1e-6);
            }
        }
        grasp_clear(&g);
    }
}

static void contacts_neither_part_nor_slip_unless_they_slide(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        grasp g = drawn(seed, 3, 4);
        int sliding = 0;
        double moving = 0;
        for (int i = 0; i < g.contact_count; ++i) {
            const grasp_contact *contact = &g.contacts[i];
            double gap, slip[3];
            grasp_touch(&g, g.parts, contact, &gap, slip);
            CHECK_NEAR(vec3_dot(contact->frame, slip), 0, 1e-12); /* eq. 5 */
            const double along[2] = {vec3_dot(contact->frame + 3, slip),
                                     vec3_dot(contact->frame + 6, slip)};
            const double speed = hypot(along[0], along[1]);
            sliding += contact->slides;
            if (contact->slides) {
                CHECK(speed > 1e-3);
                CHECK_NEAR(contact->direction[0], along[0] / speed, 1e-12);
                CHECK_NEAR(contact->direction[1], along[1] / speed, 1e-12);
            } else {
                CHECK_NEAR(speed, 0, 1e-12); /* eq. 6 */
            }
        }
        for (int k = 0; k < g.coordinate_count; ++k) {
            moving = fmax(moving, fabs(g.qd[k]));
        }
        CHECK(sliding == 4 && moving > 0.4 && moving < 0.6);
        grasp_clear(&g);
    }
}

/* ---- dynamics -------------------------------------------------------------------------------- */

/* Kinetic energy from the parts, and the height of the weights. */
static double energy(const mechanism *m, const part_motion *parts, const double *qd)
{
    double sum = 0;
    for (int k = 0; k < mechanism_parts(m); ++k) {
        double inertia[9], spin[3];
        mat3_turn(parts[k].Q, m->link[k].inertia, inertia);
        mat3_apply(inertia, parts[k].omega, spin);
        sum += 0.5 * m->link[k].mass * vec3_dot(parts[k].v, parts[k].v) +
               0.5 * vec3_dot(parts[k].omega, spin) +
               m->link[k].mass * SCENE_GRAVITY * parts[k].centre[2];
        sum += m->joints ? 0.5 * m->joint[k].rotor * qd[k] * qd[k] : 0;
    }
    return sum;
}

static void mass_matrices_are_positive_definite_and_hold_the_kinetic_energy(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        grasp g = drawn(seed, 3, 4);
        for (int b = 0; b < g.mechanism_count; ++b) {
            const mechanism *m = &g.mechanisms[b];
            const part_motion *parts = g.parts + g.part_start[b];
            const int n = mechanism_coordinates(m);
            double M[COORDINATES_MOST * COORDINATES_MOST], f[COORDINATES_MOST], height = 0,
                                                                                kinetic = 0;
            mechanism_dynamics(m, parts, M, f);
            for (int k = 0; k < mechanism_parts(m); ++k) {
                height += m->link[k].mass * SCENE_GRAVITY * parts[k].centre[2];
            }
            for (int i = 0; i < n; ++i) {
                CHECK(M[n * i + i] > 0);
                for (int j = 0; j < n; ++j) {
                    CHECK(M[n * i + j] == M[n * j + i]);
                    kinetic += 0.5 * g.qd[g.start[b] + i] * M[n * i + j] * g.qd[g.start[b] + j];
                }
            }
            CHECK_NEAR(kinetic, energy(m, parts, g.qd + g.start[b]) - height, 1e-12);
        }
        mo_problem *problem; /* the builder accepts positive definite masses alone */
        CHECK(grasp_problem(&g, 0.3, 0, &problem, NULL) == MO_OK);
        mo_problem_destroy(problem);
        grasp_clear(&g);
    }
}

static void without_contacts_energy_grows_by_the_power_of_what_is_applied(void **state)
{
    (void)state;
    const double t = 1e-4;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        grasp g = drawn(seed, 3, 4);
        mo_problem *problem;
        double v[COORDINATES], r[64] = {0};
        CHECK(grasp_problem(&g, 0.3, 0, &problem, NULL) == MO_OK);
        mo_problem_velocity(problem, r, v); /* M^-1 f */
        for (int b = 0; b < g.mechanism_count; ++b) {
            const mechanism *m = &g.mechanisms[b];
            double q[COORDINATES_MOST], qd[COORDINATES_MOST], at[2], power = 0;
            part_motion parts[JOINTS_MOST];
            for (int side = 0; side < 2; ++side) {
                mechanism_advance(m, NULL, g.qd + g.start[b], v + g.start[b], side ? t : -t, q, qd);
                mechanism_move(m, q, qd, parts);
                at[side] = energy(m, parts, qd);
            }
            for (int k = 0; k < mechanism_coordinates(m); ++k) {
                power += m->applied[k] * g.qd[g.start[b] + k];
            }
            CHECK_NEAR((at[1] - at[0]) / (2 * t), power, 1e-4 * (1 + fabs(power)));
        }
        mo_problem_destroy(problem);
        grasp_clear(&g);
    }
}

/* ---- the data sets --------------------------------------------------------------------------- */

static void the_328_data_sets_have_the_sizes_of_table_1(void **state)
{
    (void)state;
    static const int sizes[] = {2, 10, 16, 30, 50, 90, 120, 150, 170};
    static const int sets[] = {20, 60, 10, 26, 20, 23, 10, 6, 10};
    int found[9] = {0}, problems = 0, last = -1;
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        const trinkle_pang_set set = trinkle_pang_set_of(k);
        mo_problem *problem;
        CHECK(set.number == k && set.def.mu > 0.04 && set.def.mu < 0.81);
        problems += set.problem != last;
        last = set.problem;
        for (int s = 0; s < 9; ++s) {
            found[s] += set.size == sizes[s];
        }
        CHECK(scene_grasp(&set.def, &problem, NULL) == MO_OK);
        int lcp_size = 0;
        for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
            lcp_size += mo_problem_constraint(problem, i).law.kind == MO_LAW_PYRAMID ? 5 : 1;
        }
        CHECK(lcp_size == set.size);
        mo_problem_destroy(problem);
    }
    CHECK(problems == TRINKLE_PANG_PROBLEMS);
    for (int s = 0; s < 9; ++s) {
        CHECK(found[s] == sets[s]);
    }
}

static void the_same_description_gives_the_same_bits(void **state)
{
    (void)state;
    const trinkle_pang_set set = trinkle_pang_set_of(120);
    mo_problem *a = NULL, *b = NULL;
    CHECK(scene_grasp(&set.def, &a, NULL) == MO_OK);
    CHECK(scene_grasp(&set.def, &b, NULL) == MO_OK);
    const size_t rows = (size_t)mo_problem_row_count(a);
    double *u = malloc(2 * rows * sizeof *u);
    CHECK(u && mo_problem_response(a, NULL, u) == MO_OK &&
          mo_problem_response(b, NULL, u + rows) == MO_OK);
    CHECK(memcmp(u, u + rows, rows * sizeof *u) == 0);
    free(u);
    mo_problem_destroy(a);
    mo_problem_destroy(b);
}

static void impossible_descriptions_are_refused_with_a_sentence(void **state)
{
    (void)state;
    scene_grasp_def def = scene_grasp_default();
    mo_problem *problem;
    mo_message why;
    def.rolling = 6; /* 15 coordinates */
    CHECK(scene_grasp(&def, &problem, &why) == MO_ERR_ARGUMENT && strstr(why.text, "slide"));
    def = scene_grasp_default();
    def.joints = 9;
    CHECK(scene_grasp(&def, &problem, &why) == MO_ERR_ARGUMENT && !problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_move_as_their_positions_say),
        cmocka_unit_test(contact_rows_are_the_rates_of_gap_and_slip),
        cmocka_unit_test(contacts_neither_part_nor_slip_unless_they_slide),
        cmocka_unit_test(mass_matrices_are_positive_definite_and_hold_the_kinetic_energy),
        cmocka_unit_test(without_contacts_energy_grows_by_the_power_of_what_is_applied),
        cmocka_unit_test(the_328_data_sets_have_the_sizes_of_table_1),
        cmocka_unit_test(the_same_description_gives_the_same_bits),
        cmocka_unit_test(impossible_descriptions_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
