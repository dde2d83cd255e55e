/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of a step of balls beside the search (ball_find.h): free velocities, contacts packed by
 * colour, impulses kept for the next step, new places.  The equations are those of sim/advance.c
 * and sim/assemble.c for balls.
 */
#ifndef MO_DEVICE_BALL_STEP_H
#define MO_DEVICE_BALL_STEP_H

#include "device/ball_find.h"
#include "device/colour_rounds.h"
#include "device/patch_visit.h"

typedef struct mo_ball_args {
    const mo_ball *from; /* in the order before */
    mo_ball *ball;
    const int *order; /* of the new order: places in the old one */
    mo_ball_near *near;
    uint32_t *id; /* of each ball */
    mo_line *free_line;
    const mo_line *next_line;
    const mo_fixed_shape *fixed;
    int balls;
    double h, gravity[3];
} mo_ball_args;

/* ---- velocities ------------------------------------------------------------------------------ */

/* v_free = (v + h (g + F/m)) / (1 + h d), and the spin likewise. */
MO_ANY void mo_free_motion(const mo_ball_args *a, const mo_ball *b, double *v)
{
    const double damp = 1 / (1 + a->h * b->linear_damping),
                 still = 1 / (1 + a->h * b->angular_damping);
    for (int k = 0; k < 3; ++k) {
        v[k] = damp * (b->v[k] + a->h * (a->gravity[k] + b->force[k] / b->mass));
        v[3 + k] = still * (b->v[3 + k] + a->h * b->force[3 + k] / b->inertia);
    }
}

/* The fastest that any ball may be in the step. */
MO_ANY mo_term mo_kernel_ball_speed(const mo_ball_args *a, int i)
{
    double v[6];
    mo_free_motion(a, a->from + i, v);
    const mo_vec before = mo_vec_at(a->from[i].v), after = mo_vec_at(v);
    const mo_term term = {
        0, mo_larger(sqrt(mo_vec_dot(before, before)), sqrt(mo_vec_dot(after, after)))};
    return term;
}

/* Balls in their new order, and what follows from them. */
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
    const mo_vec before = mo_vec_at(b.v), after = mo_vec_at(v);
    near.speed = mo_larger(sqrt(mo_vec_dot(before, before)), sqrt(mo_vec_dot(after, after)));
    a->ball[i] = b;
    a->near[i] = near;
    a->id[i] = b.id;
    a->free_line[i] = line;
}

MO_ANY void mo_kernel_fixed_lines(const mo_ball_args *a, int i)
{
    mo_line line = {{a->fixed[i].v[0], a->fixed[i].v[1], a->fixed[i].v[2]}, {0, 0, 0}, 0, 0};
    a->free_line[a->balls + i] = line;
}

/* After an answer: its speed is among those that a ball may have. */
MO_ANY mo_term mo_kernel_ball_next_speed(const mo_ball_args *a, int i)
{
    const mo_vec v = mo_vec_at(a->next_line[i].v);
    a->near[i].speed = mo_larger(a->near[i].speed, sqrt(mo_vec_dot(v, v)));
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

/* w_N = gap / h, less rounding; a deep penetration goes out in several steps (sim/assemble.c). */
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
 * the step itself; a penetration asks for more.
 */
MO_ANY double mo_bounce_speed(const mo_find_args *f, const mo_ball_touch *t, int one, int two,
                              double restitution, double w_N)
{
    const double rate =
        mo_vec_dot(t->n, mo_vec_minus(mo_velocity_before(f, one), mo_velocity_before(f, two)));
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
    a->slots.w_N[k] = mo_bounce_speed(f, &t, one, two, f->restitution[both],
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

/* The impulses of an answer, back in the order of the list. */
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
} mo_slot_args;

/* Contacts inside of patches come first, by patch and colour; then all others by colour. */
MO_ANY void mo_kernel_slot_keys(const mo_slot_args *a, int i)
{
    const int is_inside =
        a->colour[i] < MO_COLOUR_REST && mo_is_inside(a->one[i], a->two[i], a->moving, MO_PATCH);
    const int patch = is_inside ? a->one[i] / MO_PATCH : a->patches;
    a->key[i] = (uint32_t)patch * MO_COLOURS + a->colour[i];
    a->order[i] = i;
}

/* i = 0 .. contacts */
MO_ANY void mo_kernel_slot_starts(const mo_slot_args *a, int i)
{
    const int own = i < a->contacts ? (int)a->key[i] : (a->patches + 1) * MO_COLOURS,
              last = i > 0 ? (int)a->key[i - 1] : -1;
    for (int c = last + 1; c <= own; ++c) {
        a->start[c] = i;
    }
}

/* ---- the end of a step ----------------------------------------------------------------------- */

/* (cos |p|, p sin |p| / |p|): halved until a short series is exact, then squared as often. */
MO_ANY void mo_half_turn(mo_vec p, double q[4])
{
    int halvings = 0;
    double s = mo_vec_dot(p, p);
    for (; s > 1.0 / 64 && halvings < 60; ++halvings) {
        s = 0.25 * s;
        p = mo_vec_times(0.5, p);
    }
    const double c = 1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90)))),
                 k = 1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110))));
    q[0] = c, q[1] = k * p.x, q[2] = k * p.y, q[3] = k * p.z;
    for (; halvings > 0; --halvings) {
        const double w = q[0];
        q[0] = w * w - (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        q[1] = 2 * w * q[1], q[2] = 2 * w * q[2], q[3] = 2 * w * q[3];
    }
}

MO_ANY void mo_turn_ball(double q[4], mo_vec spin, double h)
{
    double t[4], out[4];
    mo_half_turn(mo_vec_times(0.5 * h, spin), t);
    out[0] = t[0] * q[0] - t[1] * q[1] - t[2] * q[2] - t[3] * q[3];
    out[1] = t[0] * q[1] + t[1] * q[0] + t[2] * q[3] - t[3] * q[2];
    out[2] = t[0] * q[2] - t[1] * q[3] + t[2] * q[0] + t[3] * q[1];
    out[3] = t[0] * q[3] + t[1] * q[2] - t[2] * q[1] + t[3] * q[0];
    const double size = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int k = 0; k < 4; ++k) {
        q[k] = out[k] / size;
    }
}

/* Kinetic energy at the end of the step; not finite where a number is not. */
MO_ANY mo_term mo_kernel_ball_kinetic(const mo_ball_args *a, int i)
{
    const mo_ball *b = a->ball + i;
    const mo_vec v = mo_vec_at(a->next_line[i].v), spin = mo_vec_at(a->next_line[i].spin);
    const mo_term term = {0.5 * (b->mass * mo_vec_dot(v, v) + b->inertia * mo_vec_dot(spin, spin)),
                          0};
    return term;
}

/* The next state becomes the present one; returns the potential energy. */
MO_ANY mo_term mo_kernel_ball_advance(const mo_ball_args *a, int i)
{
    mo_ball b = a->ball[i];
    const mo_line next = a->next_line[i];
    mo_term term = {0, 0};
    for (int k = 0; k < 3; ++k) {
        b.x[k] += a->h * next.v[k];
        b.v[k] = next.v[k];
        b.v[3 + k] = next.spin[k];
        b.force[k] = b.force[3 + k] = 0;
        term.sum -= b.mass * a->gravity[k] * b.x[k];
    }
    mo_turn_ball(b.q, mo_vec_at(next.spin), a->h);
    a->ball[i] = b;
    return term;
}

/* ---- for whoever looks ----------------------------------------------------------------------- */

typedef struct mo_show_args {
    const mo_ball *ball;
    mo_ball *by_id;
} mo_show_args;

MO_ANY void mo_kernel_ball_show(const mo_show_args *a, int i)
{
    a->by_id[a->ball[i].id] = a->ball[i];
}

#endif
