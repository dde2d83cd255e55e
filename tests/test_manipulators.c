/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Mass matrices, forces, motions and velocity products of serial chains, as the generator of
 * [trinkle1997] asks them of mechanisms (recursions, in spatial vectors), against sums over links
 * from the paper's own equations (1) and (3), in plain vectors:
 *
 * Link k moves with the joints j <= k.  With z_j the axis of joint j as it stands now, p_j its
 * point and c the centre of the link,
 *
 *     Jw_j = z_j,  Jv_j = z_j x (c - p_j)       a joint that turns
 *     Jw_j = 0,    Jv_j = z_j                   a joint that slides
 *
 * the velocity products are the rates of these columns times qd_j, where zd_j = omega_(j-1) x z_j,
 * and
 *
 *     M = sum of m Jv' Jv + Jw' I Jw, and the rotors;   f = sum of Jv' (weight - m a) - Jw' (I
 *                                                       alpha + omega x I omega)
 */
#include <string.h>

#include "check.h"
#include "moreau/mechanism.h"
#include "scenes.h"
#include "vec3.h"

enum { MOST = 8 };

/* At the reference configuration, in world axes. */
typedef struct chain {
    int joints;
    struct {
        int slides;
        double point[3], axis[3], rotor;
        double mass, centre[3], inertia[9]; /* of the link behind it */
    } at[MOST];
} chain;

typedef struct link_motion {
    double Q[9], s[3]; /* the point X of the reference configuration is now at Q X + s */
    double centre[3], v[3], omega[3];
    double a[3], alpha[3]; /* while qdd = 0 */
    double Jv[3 * MOST], Jw[3 * MOST];
} link_motion;

typedef struct joint_motion {
    double z[3], zd[3]; /* axis and its rate */
    double p[3], pd[3]; /* point and its velocity */
} joint_motion;

static void locate_joint(const double axis[3], const double point[3], const link_motion *before,
                         joint_motion *now)
{
    double arm[3];
    mat3_apply(before->Q, axis, now->z);
    mat3_apply(before->Q, point, now->p);
    vec3_along(now->p, 1, before->s, now->p);
    vec3_cross(before->omega, now->z, now->zd);
    vec3_along(now->p, -1, before->centre, arm);
    memcpy(now->pd, before->v, sizeof now->pd);
    vec3_add_cross(1, before->omega, arm, now->pd);
}

/* Where the link behind joint k is: the place of the one before, after the joint's own displacement
 * by q. */
static void place_link(const chain *c, int k, double q, const link_motion *before,
                       link_motion *after)
{
    const double *axis = c->at[k].axis, *point = c->at[k].point;
    const double phi[3] = {q * axis[0], q * axis[1], q * axis[2]}, none[3] = {0};
    double E[9], turned[3], shift[3], moved[3];
    mat3_rotation(c->at[k].slides ? none : phi, E);
    mat3_multiply(before->Q, E, after->Q);
    mat3_apply(E, point, turned);
    vec3_along(c->at[k].slides ? phi : point, -!c->at[k].slides, turned, shift);
    mat3_apply(before->Q, shift, moved);
    vec3_along(moved, 1, before->s, after->s);
    mat3_apply(after->Q, c->at[k].centre, after->centre);
    vec3_along(after->centre, 1, after->s, after->centre);
}

static void add_columns(const chain *c, int k, const joint_motion *joints, const double *qd,
                        link_motion *link)
{
    for (int j = 0; j <= k; ++j) {
        double column[3], arm[3];
        vec3_along(link->centre, -1, joints[j].p, arm);
        vec3_cross(joints[j].z, arm, column);
        if (c->at[j].slides)
            memcpy(column, joints[j].z, sizeof column);
        else
            vec3_along(link->omega, qd[j], joints[j].z, link->omega);
        vec3_along(link->v, qd[j], column, link->v);
        for (int i = 0; i < 3; ++i) {
            link->Jv[MOST * i + j] = column[i];
            link->Jw[MOST * i + j] = c->at[j].slides ? 0 : joints[j].z[i];
        }
    }
}

static void add_products(const chain *c, int k, const joint_motion *joints, const double *qd,
                         link_motion *link)
{
    for (int j = 0; j <= k; ++j) {
        double arm[3], arm_rate[3];
        vec3_along(link->centre, -1, joints[j].p, arm);
        vec3_along(link->v, -1, joints[j].pd, arm_rate);
        if (c->at[j].slides) {
            vec3_along(link->a, qd[j], joints[j].zd, link->a);
        } else {
            vec3_add_cross(qd[j], joints[j].zd, arm, link->a);
            vec3_add_cross(qd[j], joints[j].z, arm_rate, link->a);
            vec3_along(link->alpha, qd[j], joints[j].zd, link->alpha);
        }
    }
}

static void move_chain(const chain *c, const double *q, const double *qd, link_motion *links)
{
    const link_motion base = {.Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    joint_motion joints[MOST];
    for (int k = 0; k < c->joints; ++k) {
        const link_motion *before = k ? links + k - 1 : &base;
        links[k] = (link_motion){0};
        locate_joint(c->at[k].axis, c->at[k].point, before, joints + k);
        place_link(c, k, q[k], before, links + k);
        add_columns(c, k, joints, qd, links + k);
        add_products(c, k, joints, qd, links + k);
    }
}

static void add_link(double mass, const double inertia_at_first[9], const link_motion *link, int n,
                     double *M, double *f)
{
    double inertia[9], spin[3], moment[3], weight[3];
    mat3_turn(link->Q, inertia_at_first, inertia);
    mat3_apply(inertia, link->omega, spin);
    mat3_apply(inertia, link->alpha, moment);
    vec3_add_cross(1, link->omega, spin, moment);
    for (int k = 0; k < 3; ++k)
        weight[k] = -mass * (link->a[k] + (k == 2 ? SCENE_GRAVITY : 0));
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            f[i] += link->Jv[MOST * k + i] * weight[k] - link->Jw[MOST * k + i] * moment[k];
            for (int j = 0; j < n; ++j) {
                M[n * i + j] += mass * link->Jv[MOST * k + i] * link->Jv[MOST * k + j];
                for (int l = 0; l < 3; ++l) {
                    M[n * i + j] +=
                        link->Jw[MOST * k + i] * inertia[3 * k + l] * link->Jw[MOST * l + j];
                }
            }
        }
    }
}

static void sum_up(const chain *c, const link_motion *links, double *M, double *f)
{
    const int n = c->joints;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    memset(f, 0, (size_t)n * sizeof *f);
    for (int k = 0; k < n; ++k) {
        add_link(c->at[k].mass, c->at[k].inertia, links + k, n, M, f);
        M[n * k + k] += c->at[k].rotor;
    }
}

/* ---- the same as a mechanism ----------------------------------------------------------------- */

static chain draw_chain(mo_random *random, int joints)
{
    chain c = {.joints = joints};
    for (int k = 0; k < joints; ++k) {
        double square[3], phi[3], Q[9], principal[9] = {0};
        fill_uniform(random, 0.01, 0.1, 3, square);
        fill_uniform(random, -1, 1, 3, phi);
        c.at[k].mass = uniform(random, 0.2, 2);
        for (int i = 0; i < 3; ++i)
            principal[4 * i] = c.at[k].mass * (square[(i + 1) % 3] + square[(i + 2) % 3]);
        mat3_rotation(phi, Q);
        mat3_turn(Q, principal, c.at[k].inertia);
        fill_uniform(random, -1, 1, 3, c.at[k].centre);
        c.at[k].slides = mo_random_bits(random) % 3 == 0;
        c.at[k].rotor = uniform(random, 0, 0.1);
        fill_uniform(random, -1, 1, 3, c.at[k].point);
        fill_uniform(random, -1, 1, 3, c.at[k].axis);
        vec3_normalise(c.at[k].axis);
    }
    return c;
}

/* Every link's frame is the world's at the reference configuration. */
static mo_mechanism_id add_chain(mo_world *world, const chain *c)
{
    static const int AT[6] = {0, 4, 8, 1, 2, 5};
    mo_link_def link[MOST];
    mo_axis_def joint[MOST];
    for (int k = 0; k < c->joints; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].mass = c->at[k].mass;
        memcpy(link[k].centre, c->at[k].centre, sizeof link[k].centre);
        for (int i = 0; i < 6; ++i)
            link[k].inertia[i] = c->at[k].inertia[AT[i]];
        joint[k] = mo_default_axis(c->at[k].slides ? MO_AXIS_PRISMATIC : MO_AXIS_REVOLUTE, k);
        memcpy(joint[k].anchor, c->at[k].point, sizeof joint[k].anchor);
        memcpy(joint[k].axis, c->at[k].axis, sizeof joint[k].axis);
        joint[k].armature = c->at[k].rotor;
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = c->joints;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    CHECK(id.index);
    return id;
}

static void check_links(mo_world *world, mo_mechanism_id id, const chain *c,
                        const link_motion *links)
{
    const int n = c->joints;
    for (int k = 0; k < n; ++k) {
        const mo_body_state body = mo_body_get(world, mo_mechanism_link(world, id, k));
        double drift[6], J[6 * MOST];
        CHECK(!mo_mechanism_drift(world, id, k, body.centre, drift, NULL));
        CHECK(!mo_mechanism_jacobian(world, id, k, body.centre, J, NULL));
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(body.centre[i], links[k].centre[i], 1e-12 * (1 + fabs(links[k].centre[i])));
            CHECK_NEAR(body.velocity[i], links[k].v[i], 1e-11 * (1 + fabs(links[k].v[i])));
            CHECK_NEAR(body.spin[i], links[k].omega[i], 1e-12 * (1 + fabs(links[k].omega[i])));
            CHECK_NEAR(drift[i], links[k].a[i], 1e-10 * (1 + fabs(links[k].a[i])));
            CHECK_NEAR(drift[3 + i], links[k].alpha[i], 1e-11 * (1 + fabs(links[k].alpha[i])));
            for (int j = 0; j < n; ++j) {
                CHECK_NEAR(J[n * i + j], links[k].Jv[MOST * i + j], 1e-11);
                CHECK_NEAR(J[n * (3 + i) + j], links[k].Jw[MOST * i + j], 1e-12);
            }
        }
    }
}

static void chains_are_the_sums_over_their_links(void **state)
{
    (void)state;
    mo_random random = {2002};
    for (int round = 0; round < 40; ++round) {
        const chain c = draw_chain(&random, 1 + round % MOST);
        const int n = c.joints;
        mo_world_def def = mo_default_world();
        def.gravity[0] = def.gravity[1] = 0;
        def.gravity[2] = -SCENE_GRAVITY;
        mo_world *world;
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        const mo_mechanism_id id = add_chain(world, &c);
        double q[MOST], v[MOST], f[MOST], bias[MOST], M[MOST * MOST], ours[MOST * MOST];
        link_motion links[MOST];
        fill_uniform(&random, -1.5, 1.5, n, q);
        fill_uniform(&random, -2, 2, n, v);
        CHECK(mo_mechanism_set(world, id, q, v, NULL) == MO_OK);
        move_chain(&c, q, v, links);
        sum_up(&c, links, M, f);
        CHECK(!mo_mechanism_mass_matrix(world, id, ours, NULL));
        CHECK(!mo_mechanism_bias(world, id, bias, NULL));
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(-bias[i], f[i], 1e-10 * (1 + fabs(f[i])));
            for (int j = 0; j < n; ++j)
                CHECK_NEAR(ours[i * n + j], M[i * n + j], 1e-11 * (1 + fabs(M[i * n + j])));
        }
        check_links(world, id, &c, links);
        double drift[6];
        mo_message why;
        CHECK(mo_mechanism_drift(world, id, n, def.gravity, drift, &why) &&
              strstr(why.text, "links"));
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_the_sums_over_their_links),
    };
    return cmocka_run_group_tests_name("manipulators", tests, NULL, NULL);
}
