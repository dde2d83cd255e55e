/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moreau/joint.h"

static const double FREQUENCY = 15; /* w, rad/s: follows within a sixth of a second */
static const double SPIN_DECAY = 2; /* 1/s */

/* ---- small matrices -------------------------------------------------------------------------- */

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* x = A^-1 b by the adjugate; false if A is singular. */
static int solve3(double A[3][3], const double b[3], double x[3])
{
    double adjugate[3][3];
    for (int k = 0; k < 3; ++k)
        cross(A[(k + 1) % 3], A[(k + 2) % 3], adjugate[k]);
    const double determinant = dot(A[0], adjugate[0]);
    for (int i = 0; i < 3; ++i) {
        x[i] =
            (adjugate[0][i] * b[0] + adjugate[1][i] * b[1] + adjugate[2][i] * b[2]) / determinant;
    }
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* J^-1 moment, in world axes; zero if the body has no inertia. */
static void turn(const mo_body_state *body, int planar, const double moment[3], double out[3])
{
    const double *J = body->inertia;
    double A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    double local[3], turned[3];
    memset(out, 0, 3 * sizeof *out);
    if (planar) {
        out[2] = J[2] > 0 ? moment[2] / J[2] : 0;
        return;
    }
    mo_pose_vector_back(&body->pose, moment, local);
    if (solve3(A, local, turned)) mo_pose_vector(&body->pose, turned, out);
}

/* K of (2), by columns: the acceleration of the point under a unit force along each axis. */
static void mobility(const mo_body_state *body, int planar, const double r[3], double K[3][3])
{
    for (int k = 0; k < 3; ++k) {
        double force[3] = {0, 0, 0}, moment[3], spin[3], swing[3];
        force[k] = 1;
        cross(r, force, moment);
        turn(body, planar, moment, spin);
        cross(spin, r, swing);
        for (int i = 0; i < 3; ++i)
            K[i][k] = force[i] / body->mass + swing[i];
    }
}

/* ---- connected bodies ------------------------------------------------------------------------ */

static int can_move(const mo_world *world, mo_body_id id)
{
    const mo_body_state body = mo_body_get(world, id);
    return id.index && body.mass > 0 && body.kind != MO_BODY_FIXED && body.kind != MO_BODY_DRIVEN;
}

/* Union-find: the root of a group. */
static int root_of(int *above, int k)
{
    while (above[k] != k) {
        above[k] = above[above[k]];
        k = above[k];
    }
    return k;
}

/* The mass of the group of a body, over its own.  Links hang together by their mechanism: all links
 * of the world count, since more is safe. */
static double weigh(const mo_world *world, int *above, mo_body_id body)
{
    const mo_body_state own = mo_body_get(world, body);
    double mass = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_id other = mo_world_body(world, k);
        const mo_body_state state = mo_body_get(world, other);
        if (root_of(above, other.index) == root_of(above, body.index) ||
            (own.kind == MO_BODY_LINK && state.kind == MO_BODY_LINK))
            mass += state.mass;
    }
    return mass / own.mass;
}

hand hand_take(const mo_world *world, mo_body_id body, const double local[3],
               const double target[3])
{
    hand h = {.body = body, .load = 1};
    int most = body.index;
    memcpy(h.local, local, sizeof h.local);
    memcpy(h.target, target, sizeof h.target);
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const int index = mo_world_body(world, k).index;
        most = index > most ? index : most;
    }
    int *above = malloc(((size_t)most + 1) * sizeof *above);
    for (int k = 0; above && k <= most; ++k)
        above[k] = k;
    for (int k = 0; k < mo_world_joint_count(world); ++k) {
        const mo_joint_state joint = mo_joint_get(world, mo_world_joint(world, k));
        if (above && can_move(world, joint.a) && can_move(world, joint.b))
            above[root_of(above, joint.a.index)] = root_of(above, joint.b.index);
    }
    h.load = above ? weigh(world, above, body) : 1; /* if memory runs out, the weaker hand */
    free(above);
    return h;
}

/* ---- the spring ------------------------------------------------------------------------------ */

static double smallest_inertia(const mo_body_state *body, int planar)
{
    const double *J = body->inertia;
    const double trace = J[0] + J[1] + J[2];
    if (planar) return J[2];
    /* Upper bound by Gershgorin's disks and a third of the trace. */
    const double x = J[0] - fabs(J[3]) - fabs(J[4]), y = J[1] - fabs(J[3]) - fabs(J[5]),
                 z = J[2] - fabs(J[4]) - fabs(J[5]);
    return fmax(0, fmin(fmin(x, y), fmin(z, trace / 3)));
}

/* Against the spin. */
static void damp(const hand *h, mo_world *world, const mo_body_state *body, int planar, double step)
{
    const double decay = SPIN_DECAY / (1 + SPIN_DECAY * step) * smallest_inertia(body, planar);
    double moment[3];
    for (int k = 0; k < 3; ++k)
        moment[k] = planar && k < 2 ? 0 : -decay * body->spin[k];
    mo_body_apply_torque(world, h->body, moment, NULL);
}

double hand_pull(const hand *h, mo_world *world, double step)
{
    const mo_body_state body = mo_body_get(world, h->body);
    const int planar = mo_world_definition(world).dimension == 2;
    if (!mo_world_has_body(world, h->body) || !(body.mass > 0)) return 0;
    const double w = FREQUENCY, hw = step * w, below = (1 + hw) * (1 + hw);
    const double share = (2 * hw + hw * hw) / below; /* d */
    const double strength = fmin(fmax(1, h->load), 1 / share);
    double at[3], r[3], v[3], a[3], K[3][3], force[3];
    mo_pose_point(&body.pose, h->local, at);
    for (int k = 0; k < 3; ++k)
        r[k] = at[k] - body.centre[k];
    cross(body.spin, r, v);
    for (int k = 0; k < 3; ++k) { /* (1), times s */
        const double speed = body.velocity[k] + v[k];
        a[k] = strength * (w * w * (h->target[k] - at[k]) - (2 * w + step * w * w) * speed) / below;
    }
    mobility(&body, planar, r, K);
    if (!solve3(K, a, force)) /* (2) */
        return 0;
    force[2] = planar ? 0 : force[2];
    mo_body_apply_force(world, h->body, force, at, NULL);
    damp(h, world, &body, planar, step);
    return sqrt(dot(force, force));
}
