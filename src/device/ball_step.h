/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of a step of balls besides the search (ball_find.h): free velocities, contacts packed by
 * colour, impulses kept for the next step, new positions.  The equations are those of sim/advance.c
 * and sim/assemble.c for balls.
 */
#ifndef MO_DEVICE_BALL_STEP_H
#define MO_DEVICE_BALL_STEP_H

#include "device/ball_find.h"
#include "device/colour_rounds.h"
#include "device/patch_visit.h"
#include "linalg/free_spin.h"

typedef struct mo_ball_args {
    const mo_ball *from; /* in the order before */
    mo_ball *ball;
    const int *order; /* of the new order: places in the old one */
    mo_ball_near *near;
    uint32_t *id; /* of each ball in its copy, for the colours */
    mo_line *free_line;
    const mo_line *next_line, *moved_line; /* moved: with the projection of positions */
    const mo_fixed_shape *fixed;
    const mo_solid *solid; /* NULL: all are balls */
    double *inertia;       /* of solids: inverse, as mo_visit_args has it */
    const double *force;   /* and moment, of each id in this step; NULL: none */
    int balls, per_copy;
    double h, gravity[3];
} mo_ball_args;

/* ---- velocities ------------------------------------------------------------------------------ */

MO_ANY const mo_solid *mo_solid_of(const mo_ball_args *a, const mo_ball *b)
{
    return a->solid ? a->solid + b->solid : NULL;
}

/* The angular velocity of a free body with its rotating inertia (sim/advance.c). */
MO_ANY void mo_free_spin(const mo_solid *s, const mo_ball *b, const double *force, double h,
                         double *spin)
{
    double R[9], w[3], l[3], moment[3], y[3];
    mo_quat_matrix(b->q, R);
    mo_mat3_apply_transposed(R, b->v + 3, w);
    mo_mat3_apply(s->inertia, w, l);
    mo_mat3_apply_transposed(R, force + 3, moment);
    mo_vec3_along(l, h, moment, l);
    mo_spin_freely(s->inertia, l, h, 1, y);
    mo_mat3_apply(R, y, spin);
    mo_vec3_scale(1 / (1 + h * b->angular_damping), spin, spin);
}

/* v_free = (v + h (g + F/m)) / (1 + h d), and the spin likewise. */
MO_ANY void mo_free_motion(const mo_ball_args *a, const mo_ball *b, double *v)
{
    const mo_solid *solid = mo_solid_of(a, b);
    const double damp = 1 / (1 + a->h * b->linear_damping),
                 still = 1 / (1 + a->h * b->angular_damping);
    double force[6] = {0, 0, 0, 0, 0, 0};
    if (a->force) memcpy(force, a->force + 6 * (size_t)b->id, sizeof force);
    for (int k = 0; k < 3; ++k) {
        v[k] = damp * (b->v[k] + a->h * (a->gravity[k] + force[k] / b->mass));
        v[3 + k] = still * (b->v[3 + k] + a->h * force[3 + k] / b->inertia);
    }
    if (solid && !solid->is_isotropic) mo_free_spin(solid, b, force, a->h, v + 3);
}

/* Bound on the speed of its points; half a turn moves none further than two radii (sim/pairs.c). */
MO_ANY double mo_fastest_point(const mo_ball_args *a, const mo_ball *b, const double *v,
                               const double *spin)
{
    const mo_solid *solid = mo_solid_of(a, b);
    const double speed = mo_vec3_norm(v), turn = a->h * mo_vec3_norm(spin);
    return !solid || solid->is_round ? speed : speed + (turn < 2 ? turn : 2) * b->radius / a->h;
}

/* The inverse inertia in world axes. */
MO_ANY void mo_turned_inertia(const mo_solid *s, const double q[4], double *I)
{
    double R[9], J[9];
    mo_quat_matrix(q, R);
    mo_mat3_turn(R, s->inertia, J);
    const double xx = J[4] * J[8] - J[5] * J[5], xy = J[2] * J[5] - J[1] * J[8],
                 xz = J[1] * J[5] - J[2] * J[4], over = 1 / (J[0] * xx + J[1] * xy + J[2] * xz);
    I[0] = over * xx, I[3] = over * xy, I[4] = over * xz;
    I[1] = over * (J[0] * J[8] - J[2] * J[2]);
    I[5] = over * (J[1] * J[2] - J[0] * J[5]);
    I[2] = over * (J[0] * J[4] - J[1] * J[1]);
    I[6] = I[7] = 0;
}

/* Bound on the speed of any ball in the step. */
MO_ANY mo_term mo_kernel_ball_speed(const mo_ball_args *a, int i)
{
    double v[6];
    mo_free_motion(a, a->from + i, v);
    const mo_ball *b = a->from + i;
    const mo_term term = {
        0, mo_larger(mo_fastest_point(a, b, b->v, b->v + 3), mo_fastest_point(a, b, v, v + 3))};
    return term;
}

/* Balls in their new order, and derived data. */
MO_ANY void mo_kernel_ball_gather(const mo_ball_args *a, int i)
{
    const mo_ball b = a->from[a->order[i]];
    mo_ball_near near = {{b.x[0], b.x[1], b.x[2]}, b.radius, 0, b.id, b.surface};
    mo_line line;
    double v[6];
    mo_free_motion(a, &b, v);
    for (int k = 0; k < 3; ++k) {
        line.v[k] = v[k];
        line.spin[k] = v[3 + k];
    }
    line.inverse_mass = 1 / b.mass;
    line.inverse_inertia = 1 / b.inertia;
    near.speed =
        mo_larger(mo_fastest_point(a, &b, b.v, b.v + 3), mo_fastest_point(a, &b, v, v + 3));
    if (a->solid) mo_turned_inertia(a->solid + b.solid, b.q, a->inertia + 8 * (size_t)i);
    a->ball[i] = b;
    a->near[i] = near;
    a->id[i] = b.id % (uint32_t)a->per_copy;
    a->free_line[i] = line;
}

MO_ANY void mo_kernel_fixed_lines(const mo_ball_args *a, int i)
{
    mo_line line = {{a->fixed[i].v[0], a->fixed[i].v[1], a->fixed[i].v[2]}, {0, 0, 0}, 0, 0};
    a->free_line[a->balls + i] = line;
    for (int k = 0; k < 8 && a->solid; ++k)
        a->inertia[8 * (size_t)(a->balls + i) + (size_t)k] = 0;
}

/* After a solution: includes its speed in the bound. */
MO_ANY mo_term mo_kernel_ball_next_speed(const mo_ball_args *a, int i)
{
    const mo_line *next = a->next_line + i;
    a->near[i].speed =
        mo_larger(a->near[i].speed, mo_fastest_point(a, a->ball + i, next->v, next->spin));
    const mo_term term = {0, a->near[i].speed};
    return term;
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef struct mo_pack_args {
    mo_find_args find;
    const int *order; /* of each slot: its contact */
    mo_slots slots;
    double *r; /* of slots */
    size_t apart;
    mo_touch_rows now; /* the list of this step */
} mo_pack_args;

/* w_N = gap / h; a deep penetration is removed in several steps (sim/assemble.c). */
MO_ANY double mo_gap_speed(double gap, double size, mo_vec point, double h)
{
    const double TOUCHES = 8 * 2.220446049250313e-16, RECOVERY = 0.01;
    const double rounding = TOUCHES * sqrt(mo_vec_dot(point, point)), deepest = -RECOVERY * size;
    const double off = gap > rounding ? rounding : gap < -rounding ? -rounding : gap;
    const double left = gap - off;
    return (left > deepest ? left : deepest) / h;
}

/*
 * An impact that bounces: u_N + e u_N before >= 0 (Newton's law, Moreau's form), in the problem of
 * the step itself; a penetration may require a larger speed.
 */
MO_ANY double mo_bounce_speed(const mo_find_args *f, const mo_ball_touch *t, int one, int two,
                              const mo_two_arms *arms, double restitution, double w_N)
{
    const double rate =
        mo_vec_dot(t->n, mo_vec_minus(mo_velocity_before(f, one, arms ? &arms->one : NULL),
                                      mo_velocity_before(f, two, arms ? &arms->two : NULL)));
    const int bounces = restitution > 0 && -rate > f->bounce_speed && t->gap <= -f->h * rate;
    return bounces && restitution * rate < w_N ? restitution * rate : w_N;
}

/* Slot i from its contact; returns the penetration. */
MO_ANY mo_term mo_kernel_ball_pack(const mo_pack_args *a, int i)
{
    const mo_find_args *f = &a->find;
    const int c = a->order[i], one = f->one[c], two = f->two[c], match = f->match[c];
    const int is_fixed = two >= f->balls;
    const mo_ball_near *own = f->near + one;
    const mo_ball_touch t = is_fixed ? mo_touch_fixed(own, f->fixed + (two - f->balls))
                                     : mo_touch_balls(own, f->near + two);
    const uint32_t other =
        is_fixed ? (uint32_t)f->fixed[two - f->balls].surface : f->near[two].surface;
    const double lever = own->radius + 0.5 * t.gap;
    const mo_vec point = mo_vec_along(mo_vec_at(own->x), -lever, t.n);
    const size_t k = (size_t)i;
    a->slots.one[k] = one;
    a->slots.two[k] = two;
    mo_vec_write(t.n, a->slots.n, a->slots.room, k);
    const uint32_t both = own->surface * MO_FIXED_SURFACES + other;
    a->slots.w_N[k] = mo_bounce_speed(f, &t, one, two, NULL, f->restitution[both],
                                      mo_gap_speed(t.gap, t.size, point, f->h));
    a->slots.mu[k] = f->mu[both];
    a->slots.lever_1[k] = -lever;
    a->slots.lever_2[k] = is_fixed ? 0 : f->near[two].radius + 0.5 * t.gap;
    const mo_vec r =
        match >= 0 ? mo_vec_read(f->last.r, f->last.apart, (size_t)match) : mo_vec_of(0, 0, 0);
    mo_vec_write(r, a->r, a->apart, k);
    const mo_term term = {0, mo_larger(0, -t.gap)};
    return term;
}

/* The impulses of a solution, in the order of the list. */
MO_ANY void mo_kernel_ball_keep(const mo_pack_args *a, int i)
{
    const int c = a->order[i], two = a->find.two[c];
    a->now.other[c] = two < a->find.balls ? (int)a->find.near[two].id : two;
    mo_vec_write(mo_vec_read(a->r, a->apart, (size_t)i), a->now.r, a->now.apart, (size_t)c);
}

MO_ANY void mo_kernel_ball_rows(const mo_pack_args *a, int i)
{
    const uint32_t id = a->find.near[i].id;
    a->now.begin[id] = a->find.start[i];
    a->now.end[id] = a->find.start[i + 1];
}

/* ---- colours of slots ------------------------------------------------------------------------ */

typedef struct mo_slot_args {
    const int *one, *two;
    const uint32_t *colour; /* of each contact, then sorted */
    uint32_t *key;
    int *order;
    int *start; /* of each colour of each patch, then of each colour between patches */
    int contacts, moving, patches;
    int per_patch; /* bodies */
    int is_copies; /* patches are copies of a world, between which there are no contacts */
} mo_slot_args;

/* Contacts inside of patches come first, by patch and colour; then all others by colour. */
MO_ANY void mo_kernel_slot_keys(const mo_slot_args *a, int i)
{
    const int is_inside =
        a->is_copies || (a->patches > 0 && a->colour[i] < MO_COLOUR_REST &&
                         mo_is_inside(a->one[i], a->two[i], a->moving, a->per_patch));
    const int patch = is_inside ? a->one[i] / a->per_patch : a->patches;
    a->key[i] = (uint32_t)patch * MO_COLOURS + a->colour[i];
    a->order[i] = i;
}

/* i = 0 .. contacts */
MO_ANY void mo_kernel_slot_starts(const mo_slot_args *a, int i)
{
    const int own = i < a->contacts ? (int)a->key[i] : (a->patches + 1) * MO_COLOURS,
              last = i > 0 ? (int)a->key[i - 1] : -1;
    for (int c = last + 1; c <= own; ++c)
        a->start[c] = i;
}

/* ---- the end of a step ----------------------------------------------------------------------- */

/* Kinetic energy at the end of the step; not finite where a number is not. */
MO_ANY mo_term mo_kernel_ball_kinetic(const mo_ball_args *a, int i)
{
    const mo_ball *b = a->ball + i;
    const double *v = a->next_line[i].v, *spin = a->next_line[i].spin;
    const mo_solid *solid = mo_solid_of(a, b);
    double turning = b->inertia * mo_vec3_dot(spin, spin);
    if (solid && !solid->is_isotropic) {
        double R[9], w[3], l[3];
        mo_quat_matrix(b->q, R);
        mo_mat3_apply_transposed(R, spin, w);
        mo_mat3_apply(solid->inertia, w, l);
        turning = mo_vec3_dot(w, l);
    }
    const mo_term term = {0.5 * (b->mass * mo_vec3_dot(v, v) + turning), 0};
    return term;
}

/* The next state becomes the present one; returns the potential energy. */
MO_ANY mo_term mo_kernel_ball_advance(const mo_ball_args *a, int i)
{
    mo_ball b = a->ball[i];
    const mo_line next = a->next_line[i], moved = a->moved_line[i];
    mo_term term = {0, 0};
    for (int k = 0; k < 3; ++k) {
        b.x[k] += a->h * moved.v[k];
        b.v[k] = next.v[k];
        b.v[3 + k] = next.spin[k];
        term.sum -= b.mass * a->gravity[k] * b.x[k];
    }
    mo_turn_by(moved.spin, a->h, b.q);
    a->ball[i] = b;
    return term;
}

/* ---- output for the host --------------------------------------------------------------------- */

typedef struct mo_show_args {
    const mo_ball *ball;
    mo_ball *by_id;
} mo_show_args;

MO_ANY void mo_kernel_ball_show(const mo_show_args *a, int i)
{
    a->by_id[a->ball[i].id] = a->ball[i];
}

#endif
