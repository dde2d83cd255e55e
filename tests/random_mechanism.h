/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random trees of links, in the order in which an MJCF file would list them (each link after its
 * parent's earlier branches). */
#ifndef MO_TESTS_RANDOM_MECHANISM_H
#define MO_TESTS_RANDOM_MECHANISM_H

#include <string.h>

#include "check.h"
#include "linalg/vec3.h"
#include "moreau/mechanism.h"

enum { MOST_LINKS = 64, MOST_DOFS = 6 * MOST_LINKS };

typedef struct random_mechanism {
    mo_link_def link[MOST_LINKS];
    double principal[MOST_LINKS][3], turn[MOST_LINKS][4]; /* of the inertias */
    mo_axis_def joint[MOST_LINKS];
    mo_mechanism_def def;
} random_mechanism;

static inline void random_quaternion(mo_random *random, double q[4])
{
    fill_uniform(random, -1, 1, 4, q);
    mo_quat_normalise(q);
}

/* Principal moments of four point masses on crossing axes, so that they belong to a body, in random
 * directions. */
static inline void random_mass(mo_random *random, mo_link_def *link, double principal[3],
                               double turn[4])
{
    double square[3], R[9], diagonal[9] = {0}, full[9];
    link->mass = uniform(random, 0.2, 2);
    fill_uniform(random, 0.001, 0.05, 3, square);
    for (int k = 0; k < 3; ++k)
        diagonal[4 * k] = principal[k] = link->mass * (square[(k + 1) % 3] + square[(k + 2) % 3]);
    random_quaternion(random, turn);
    mo_quat_matrix(turn, R);
    mo_mat3_turn(R, diagonal, full);
    const double inertia[6] = {full[0], full[4], full[8], full[1], full[2], full[5]};
    memcpy(link->inertia, inertia, sizeof inertia);
    fill_uniform(random, -0.2, 0.2, 3, link->centre);
}

static inline mo_axis_def random_axis(mo_random *random, mo_axis_kind kind, int link)
{
    mo_axis_def joint = mo_default_axis(kind, link);
    fill_uniform(random, -0.2, 0.2, 3, joint.anchor);
    fill_uniform(random, -1, 1, 3, joint.axis);
    joint.armature = kind == MO_AXIS_FREE ? 0 : uniform(random, 0, 0.1);
    joint.reference =
        kind == MO_AXIS_REVOLUTE || kind == MO_AXIS_PRISMATIC ? uniform(random, -1, 1) : 0;
    return joint;
}

/* Every link has one joint, some have two, the root may be free. */
static inline void make_random_mechanism(mo_random *random, int joints, random_mechanism *out)
{
    memset(out, 0, sizeof *out);
    out->def = mo_default_mechanism();
    out->def.links = out->link;
    out->def.joints = out->joint;
    const int is_free = mo_random_bits(random) % 2;
    for (int k = 0; k < joints; ++k) {
        const int is_first = k > 1 && out->joint[k - 1].link != out->joint[k - 2].link;
        const int shares = is_first && mo_random_bits(random) % 4 == 0;
        if (!shares) {
            const int own = out->def.link_count++;
            int parent = own - 1;
            while (parent > 0 && mo_random_bits(random) % 3 == 0) /* a branch from further below */
                parent = out->link[parent].parent;
            out->link[own] = mo_default_link(parent < 0 && own > 0 ? 0 : parent);
            fill_uniform(random, -0.5, 0.5, 3, out->link[own].pose.position);
            random_quaternion(random, out->link[own].pose.orientation);
            random_mass(random, out->link + own, out->principal[own], out->turn[own]);
        }
        mo_axis_kind kind =
            k == 0 && is_free
                ? MO_AXIS_FREE
                : (mo_axis_kind)(mo_random_bits(random) % MO_AXIS_FREE); /* any before it */
        for (int i = 0; i < k && shares; ++i) { /* MJCF has no turn after a ball on one link */
            const int follows = out->joint[i].link == out->def.link_count - 1;
            kind = follows && out->joint[i].kind == MO_AXIS_BALL ? MO_AXIS_PRISMATIC : kind;
        }
        out->joint[k] = random_axis(random, kind, out->def.link_count - 1);
    }
    out->def.joint_count = joints;
}

static inline void random_state(mo_random *random, mo_world *world, mo_mechanism_id id)
{
    const mo_mechanism_info info = mo_mechanism_get(world, id);
    double q[7 * MOST_LINKS], v[MOST_DOFS];
    fill_uniform(random, -1.5, 1.5, info.q_count, q);
    fill_uniform(random, -2, 2, info.v_count, v);
    CHECK(mo_mechanism_set(world, id, q, v, NULL) == MO_OK);
}

#endif
