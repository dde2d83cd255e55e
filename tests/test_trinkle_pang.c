/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The random grasps behind the rerun of [trinkle1997]: are they mechanics?  Velocities are compared
 * with differences of positions, accelerations with differences of velocities, forces with the
 * power they put in.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"
#include "trinkle_pang.h"
#include "vec3.h"

enum { COORDINATES = 26, LINKS = 11 };

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
    if (scene_grasp_draw(&def, &system, &why)) fail_msg("%s", why.text);
    CHECK(system.coordinate_count == COORDINATES);
    return system;
}

/* The unit quaternion of the rotation about phi by its length. */
static void quaternion_of(const double phi[3], double q[4])
{
    const double angle = sqrt(vec3_dot(phi, phi)), s = angle > 0 ? sin(angle / 2) / angle : 0.5;
    q[0] = cos(angle / 2);
    for (int k = 0; k < 3; ++k)
        q[1 + k] = s * phi[k];
}

/*
 * The system from where it was drawn, a time t later, along constant accelerations: exact to t^2.
 * Objects start with the axes of the world, so that the rate of their spin is that of the rotation
 * vector.
 */
static void put_later(grasp *g, const double *start_q, const double *qdd, double t)
{
    for (int b = 0; b < g->mechanism_count; ++b) {
        const mo_mechanism_info info = mo_mechanism_get(g->world, g->mechanisms[b]);
        double q[7], v[GRASP_COORDINATES_MOST], moved[GRASP_COORDINATES_MOST];
        for (int k = 0; k < info.v_count; ++k) {
            const double rate = g->qd[g->start[b] + k], gain = qdd[g->start[b] + k];
            moved[k] = t * rate + 0.5 * t * t * gain;
            v[k] = rate + t * gain;
        }
        const int is_object = info.q_count == 7;
        for (int k = 0; k < (is_object ? 3 : info.q_count); ++k)
            q[k] = start_q[k] + moved[k];
        if (is_object) quaternion_of(moved + 3, q + 3);
        CHECK(mo_mechanism_set(g->world, g->mechanisms[b], q, v, NULL) == MO_OK);
        start_q += info.q_count;
    }
}

/* Its coordinates, one mechanism after the other. */
static void read_q(const grasp *g, double *q)
{
    for (int b = 0; b < g->mechanism_count; ++b) {
        const int count = mo_mechanism_get(g->world, g->mechanisms[b]).q_count;
        memcpy(q, mo_mechanism_q(g->world, g->mechanisms[b]), (size_t)count * sizeof *q);
        q += count;
    }
}

/* All links, one mechanism after the other: how many. */
static int read_links(const grasp *g, mo_body_state *links)
{
    int count = 0;
    for (int b = 0; b < g->mechanism_count; ++b)
        for (int k = 0; k < mo_mechanism_get(g->world, g->mechanisms[b]).link_count; ++k)
            links[count++] = grasp_link(g, b, k);
    return count;
}

/* ---- kinematics ------------------------------------------------------------------------------ */

/* Acceleration of a link's centre and spin: J qdd + drift. */
static void acceleration_of(const grasp *g, int b, int link, const double *qdd, double a[6])
{
    double J[6 * GRASP_COORDINATES_MOST];
    const mo_body_state now = grasp_link(g, b, link);
    const int n = grasp_coordinates(g, b);
    CHECK(!mo_mechanism_drift(g->world, g->mechanisms[b], link, now.centre, a, NULL));
    CHECK(!mo_mechanism_jacobian(g->world, g->mechanisms[b], link, now.centre, J, NULL));
    for (int k = 0; k < 6; ++k)
        for (int j = 0; j < n; ++j)
            a[k] += J[n * k + j] * qdd[g->start[b] + j];
}

static void links_move_as_their_positions_say(void **state)
{
    (void)state;
    const double t = 1e-5;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        grasp g = drawn(seed, 3, 4);
        mo_random random = {seed};
        double qdd[COORDINATES], q[40], a[LINKS][6];
        mo_body_state before[LINKS], now[LINKS], after[LINKS];
        int at = 0;
        fill_uniform(&random, -1, 1, COORDINATES, qdd);
        read_q(&g, q);
        CHECK(read_links(&g, now) == LINKS);
        for (int b = 0; b < g.mechanism_count; ++b)
            for (int k = 0; k < mo_mechanism_get(g.world, g.mechanisms[b]).link_count; ++k)
                acceleration_of(&g, b, k, qdd, a[at++]);
        put_later(&g, q, qdd, -t);
        read_links(&g, before);
        put_later(&g, q, qdd, t);
        read_links(&g, after);
        for (int p = 0; p < LINKS; ++p) {
            for (int k = 0; k < 3; ++k) {
                const double moved = after[p].centre[k] - before[p].centre[k];
                CHECK_NEAR(moved / (2 * t), now[p].velocity[k], 1e-8);
                CHECK_NEAR((after[p].velocity[k] - before[p].velocity[k]) / (2 * t), a[p][k], 1e-7);
                CHECK_NEAR((after[p].spin[k] - before[p].spin[k]) / (2 * t), a[p][3 + k], 1e-7);
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
        double J[3 * GRASP_COORDINATES_MOST];
        const int n = grasp_jacobian(g, &g->contacts[i], side, J);
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < n; ++j)
                a[k] += J[n * k + j] * qdd[g->start[g->contacts[i].side[side].mechanism] + j];
    }
}

static void contact_rows_are_the_rates_of_gap_and_slip(void **state)
{
    (void)state;
    enum { CONTACTS = 7 };
    const double t = 1e-4;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        grasp g = drawn(seed, 3, 4);
        mo_random random = {seed};
        double qdd[COORDINATES], q[40], a[CONTACTS][3], gap[3][CONTACTS], slip[3][CONTACTS][3];
        fill_uniform(&random, -1, 1, COORDINATES, qdd);
        read_q(&g, q);
        CHECK(g.contact_count == CONTACTS);
        for (int i = 0; i < CONTACTS; ++i)
            rows_of(&g, i, qdd, a[i]);
        for (int when = 0; when < 3; ++when) {
            put_later(&g, q, qdd, (when - 1) * t);
            for (int i = 0; i < CONTACTS; ++i)
                grasp_touch(&g, &g.contacts[i], &gap[when][i], slip[when][i]);
        }
        for (int i = 0; i < CONTACTS; ++i) {
            const double *frame = g.contacts[i].frame;
            CHECK_NEAR(gap[1][i], 0, 1e-13);
            CHECK_NEAR((gap[2][i] - 2 * gap[1][i] + gap[0][i]) / (t * t), a[i][0], 1e-5);
            for (int k = 1; k < 3; ++k) {
                const double rate =
                    vec3_dot(frame + 3 * k, slip[2][i]) - vec3_dot(frame + 3 * k, slip[0][i]);
                CHECK_NEAR(rate / (2 * t), a[i][k], 1e-6);
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
            grasp_touch(&g, contact, &gap, slip);
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
        for (int k = 0; k < g.coordinate_count; ++k)
            moving = fmax(moving, fabs(g.qd[k]));
        CHECK(sliding == 4 && moving > 0.4 && moving < 0.6);
        grasp_clear(&g);
    }
}

/* ---- dynamics -------------------------------------------------------------------------------- */

/* The world adds up what its links hold, one by one. */
static void mass_matrices_are_positive_definite_and_hold_the_kinetic_energy(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        grasp g = drawn(seed, 3, 4);
        mo_problem *problem; /* the builder accepts positive definite masses alone */
        double kinetic = 0;
        CHECK(grasp_problem(&g, 0.3, 0, &problem, NULL) == MO_OK);
        for (int b = 0; b < g.mechanism_count; ++b) {
            const mo_body_view view = mo_problem_body(problem, b);
            const double *qd = g.qd + g.start[b];
            for (int i = 0; i < view.dim; ++i) {
                for (int j = 0; j < view.dim; ++j) {
                    CHECK(view.M[view.dim * i + j] == view.M[view.dim * j + i]);
                    kinetic += 0.5 * qd[i] * view.M[view.dim * i + j] * qd[j];
                }
            }
        }
        CHECK_NEAR(kinetic, mo_world_kinetic_energy(g.world), 1e-12);
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
        double a[COORDINATES], r[64] = {0}, q[40], energy[2], power = 0;
        CHECK(grasp_problem(&g, 0.3, 0, &problem, NULL) == MO_OK);
        mo_problem_velocity(problem, r, a); /* M^-1 f */
        read_q(&g, q);
        for (int side = 0; side < 2; ++side) {
            put_later(&g, q, a, side ? t : -t);
            energy[side] = mo_world_kinetic_energy(g.world) + mo_world_potential_energy(g.world);
        }
        for (int k = 0; k < COORDINATES; ++k)
            power += g.applied[k] * g.qd[k];
        CHECK_NEAR((energy[1] - energy[0]) / (2 * t), power, 1e-4 * (1 + fabs(power)));
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
        for (int s = 0; s < 9; ++s)
            found[s] += set.size == sizes[s];
        CHECK(scene_grasp(&set.def, &problem, NULL) == MO_OK);
        int lcp_size = 0;
        for (int i = 0; i < mo_problem_constraint_count(problem); ++i)
            lcp_size += mo_problem_constraint(problem, i).law.kind == MO_LAW_PYRAMID ? 5 : 1;
        CHECK(lcp_size == set.size);
        mo_problem_destroy(problem);
    }
    CHECK(problems == TRINKLE_PANG_PROBLEMS);
    for (int s = 0; s < 9; ++s)
        CHECK(found[s] == sets[s]);
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
        cmocka_unit_test(links_move_as_their_positions_say),
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
