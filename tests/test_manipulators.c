/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The manipulators of the generator of [trinkle1997] (scenes/mechanism.h: sums over links) as mechanisms of a world (recursions): the same mass matrices,
 * forces, motions and velocity products, so that its problems are those of real mechanisms.
 */
#include <string.h>

#include "check.h"
#include "linalg/vec3.h"
#include "mechanism.h"
#include "mechanism/linkage.h"
#include "moreau/mechanism.h"
#include "scenes.h"
#include "sim/mechanism.h"

static mechanism draw_chain(mo_random *random, int joints)
{
    mechanism m = {.joints = joints};
    for (int k = 0; k < joints; ++k) {
        mechanism_link *link = m.link + k;
        double square[3];
        fill_uniform(random, 0.01, 0.1, 3, square);
        link->mass = uniform(random, 0.2, 2);
        fill_uniform(random, -1, 1, 3, link->centre);
        for (int i = 0; i < 3; ++i) {
            link->inertia[4 * i] = link->mass * (square[(i + 1) % 3] + square[(i + 2) % 3]);
        }
        m.joint[k].slides = mo_random_bits(random) % 3 == 0;
        m.joint[k].rotor = uniform(random, 0, 0.1);
        fill_uniform(random, -1, 1, 3, m.joint[k].point);
        fill_uniform(random, -1, 1, 3, m.joint[k].axis);
        mo_vec3_scale(1 / mo_vec3_norm(m.joint[k].axis), m.joint[k].axis, m.joint[k].axis);
    }
    return m;
}

/* Every link's frame is the world's at the reference configuration. */
static mo_mechanism_id add_chain(mo_world *world, const mechanism *m)
{
    mo_link_def link[JOINTS_MOST];
    mo_axis_def joint[JOINTS_MOST];
    for (int k = 0; k < m->joints; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].mass = m->link[k].mass;
        mo_vec3_copy(m->link[k].centre, link[k].centre);
        for (int i = 0; i < 3; ++i) {
            link[k].inertia[i] = m->link[k].inertia[4 * i];
        }
        joint[k] = mo_default_axis(m->joint[k].slides ? MO_AXIS_PRISMATIC : MO_AXIS_REVOLUTE, k);
        mo_vec3_copy(m->joint[k].point, joint[k].anchor);
        mo_vec3_copy(m->joint[k].axis, joint[k].axis);
        joint[k].armature = m->joint[k].rotor;
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = m->joints;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    CHECK(id.index);
    return id;
}

static void check_links(mo_world *world, mo_mechanism_id id, const mechanism *m,
                        const part_motion *parts)
{
    const mo_linkage *tree = &mo_mechanism_at(world, id)->tree;
    for (int k = 0; k < m->joints; ++k) {
        const mo_body_state body = mo_body_get(world, mo_mechanism_link(world, id, k));
        double drift[6];
        mo_linkage_drift(tree, mo_mechanism_v(world, id), k, body.centre, drift);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(body.centre[i], parts[k].centre[i], 1e-12 * (1 + fabs(parts[k].centre[i])));
            CHECK_NEAR(body.velocity[i], parts[k].v[i], 1e-11 * (1 + fabs(parts[k].v[i])));
            CHECK_NEAR(body.spin[i], parts[k].omega[i], 1e-12 * (1 + fabs(parts[k].omega[i])));
            CHECK_NEAR(drift[i], parts[k].a[i], 1e-10 * (1 + fabs(parts[k].a[i])));
            CHECK_NEAR(drift[3 + i], parts[k].alpha[i], 1e-11 * (1 + fabs(parts[k].alpha[i])));
        }
    }
}

static void manipulators_of_the_generator_are_mechanisms(void **state)
{
    (void)state;
    mo_random random = {2002};
    for (int round = 0; round < 40; ++round) {
        const mechanism m = draw_chain(&random, 1 + round % JOINTS_MOST);
        mo_world_def def = mo_default_world();
        mo_vec3_set(def.gravity, 0, 0, -SCENE_GRAVITY);
        mo_world *world;
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        const mo_mechanism_id id = add_chain(world, &m);
        double q[JOINTS_MOST], v[JOINTS_MOST], f[JOINTS_MOST], bias[JOINTS_MOST];
        double M[JOINTS_MOST * JOINTS_MOST], ours[JOINTS_MOST * JOINTS_MOST];
        fill_uniform(&random, -1.5, 1.5, m.joints, q);
        fill_uniform(&random, -2, 2, m.joints, v);
        CHECK(mo_mechanism_set(world, id, q, v, NULL) == MO_OK);
        part_motion parts[JOINTS_MOST];
        mechanism_move(&m, q, v, parts);
        mechanism_dynamics(&m, parts, M, f);
        mo_mechanism_mass_matrix(world, id, ours, NULL);
        mo_mechanism_bias(world, id, bias, NULL);
        for (int i = 0; i < m.joints; ++i) {
            CHECK_NEAR(-bias[i], f[i], 1e-10 * (1 + fabs(f[i])));
            for (int j = 0; j < m.joints; ++j) {
                CHECK_NEAR(ours[i * m.joints + j], M[i * m.joints + j],
                           1e-11 * (1 + fabs(M[i * m.joints + j])));
            }
        }
        check_links(world, id, &m, parts);
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manipulators_of_the_generator_are_mechanisms),
    };
    return cmocka_run_group_tests_name("manipulators", tests, NULL, NULL);
}
