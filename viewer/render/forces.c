/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "forces.h"

#include <math.h>
#include <stdlib.h>

#include "frames.h"

static const double THRESHOLD = 0.01; /* of the largest force: weaker ones are not drawn */
static const double SHAFT = 5;        /* pixels of the large canvas */
static const double HALO = 4;         /* the rim around an arrow, in the same */
static const double CHAIN = 0.55;     /* width of the largest force, in half widths of a body */

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ---- scales ---------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the positive numbers; 0 if there is none. */
static double median(double *values, int count)
{
    int used = 0;
    for (int k = 0; k < count; ++k) {
        values[used] = values[k];
        used += values[k] > 0;
    }
    qsort(values, (size_t)used, sizeof *values, by_size);
    return used ? values[used / 2] : 0;
}

/* Half of the least width of a shape. */
static double thickness(const mo_shape_def *shape)
{
    switch (shape->kind) {
    case MO_SHAPE_BALL:
    case MO_SHAPE_CAPSULE:
        return shape->radius;
    case MO_SHAPE_BOX:
        return fmin(shape->half[0], fmin(shape->half[1], shape->half[2]));
    case MO_SHAPE_CYLINDER:
        return fmin(shape->radius, shape->half[2]);
    case MO_SHAPE_PLANE:
        return 0;
    default:
        return 0.4 * frames_reach(shape);
    }
}

int forces_measure(const mo_recording *recording, double *strongest, double *thick)
{
    const int frames = recording->frame_count, shapes = recording->shape_count;
    double *most = calloc((size_t)(frames > shapes ? frames : shapes) + 1, sizeof *most);
    for (int k = 0; most && k < shapes; ++k) {
        const mo_body_kind kind = recording->bodies[recording->shapes[k].body].kind;
        most[k] = kind == MO_BODY_FIXED ? 0 : thickness(&recording->shapes[k].def);
    }
    *thick = most ? median(most, shapes) : 0;
    for (int k = 0; most && k < frames; ++k) {
        const mo_recorded_frame *frame = recording->frames + k;
        most[k] = 0;
        for (int i = 0; i < frame->contact_count; ++i)
            most[k] = fmax(most[k], length_of(recording->contacts[frame->first_contact + i].force));
    }
    *strongest = most ? median(most, frames) : 0;
    free(most);
    return most != NULL;
}

/* ---- arrows ---------------------------------------------------------------------------------- */

static void draw_arrow(const forces_view *v, const double a[2], const double b[2], double wide,
                       colour how)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
    const double head = fmin(24, 0.5 * length) / length;
    canvas_line(v->onto, a, b, wide, how);
    for (int side = -1; side <= 1; side += 2) {
        const double barb[2] = {b[0] - head * (dx - 0.5 * side * dy),
                                b[1] - head * (dy + 0.5 * side * dx)};
        canvas_line(v->onto, b, barb, wide, how);
    }
}

double forces_length(const forces_view *v, double force)
{
    return force * v->size / fmax(3 * v->strongest, force);
}

static void draw_force(const forces_view *v, const mo_recorded_contact *contact)
{
    const double size = length_of(contact->force);
    const double scale = frames_shown_side(v->recording, contact) * forces_length(v, size) / size;
    double tip[3], a[2], b[2];
    for (int k = 0; k < 3; ++k)
        tip[k] = contact->point[k] + scale * contact->force[k];
    if (!(size > THRESHOLD * v->strongest) || camera_see(v->eye, contact->point, a) <= 0 ||
        camera_see(v->eye, tip, b) <= 0 || !(hypot(b[0] - a[0], b[1] - a[1]) > 3))
        return;
    draw_arrow(v, a, b, SHAFT + 2 * HALO, v->halo);
    draw_arrow(v, a, b, SHAFT, contact->mode == MO_CONTACT_SLIDES ? v->slides : v->sticks);
}

/* ---- chains ---------------------------------------------------------------------------------- */

double forces_width(const forces_view *v, double force)
{
    return CHAIN * v->thickness * fmin(3, force / v->strongest);
}

static void draw_link(const forces_view *v, const frames_link *link, const mo_pose *poses)
{
    const double size = length_of(link->force);
    double at[2], end[2];
    const double depth = camera_see(v->eye, link->point, at);
    const double wide = forces_width(v, size) / (v->eye->pixel * (v->eye->is_flat ? 1 : depth));
    if (!(size > THRESHOLD * v->strongest) || depth <= 0) return;
    for (int k = 0; k < 2; ++k)
        if (link->moves[k] && camera_see(v->eye, poses[k ? link->b : link->a].position, end) > 0)
            canvas_line(v->onto, at, end, fmax(1, wide), link->slides ? v->slides : v->sticks);
}

int forces_are_chains(const mo_recorded_frame *frame)
{
    return frame->contact_count > FRAMES_CHAINS_ABOVE;
}

void forces_draw(const forces_view *v, const mo_recorded_frame *frame, const mo_pose *poses)
{
    const mo_recorded_contact *contact = v->recording->contacts + frame->first_contact;
    if (!(v->strongest > 0)) return;
    if (!forces_are_chains(frame)) {
        for (int i = 0; i < frame->contact_count; ++i)
            draw_force(v, contact + i);
        return;
    }
    for (int i = 0; i < frame->contact_count;) {
        frames_link link;
        i = frames_next_link(v->recording, frame, i, &link);
        draw_link(v, &link, poses);
    }
}
