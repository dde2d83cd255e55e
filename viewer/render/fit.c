/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "fit.h"

#include <math.h>
#include <string.h>

#include "frames.h"

static const double FAR = 1.5;   /* sizes of the moving bodies: bodies farther away are ignored */
static const double NEAR_BY = 3; /* sizes: fixed shapes within this distance are in view */
static const double MARGIN = 1.12;

typedef struct view_box {
    double low[2], high[2]; /* pixels */
} view_box;

/* ---- shapes as hulls of balls ---------------------------------------------------------------- */

enum { MOST_BALLS = 8 };

typedef struct ball {
    double centre[3], radius; /* in the frame of the shape, then of the world */
} ball;

static int put_corners(const double low[3], const double high[3], ball *balls)
{
    for (int k = 0; k < 8; ++k) {
        balls[k] = (ball){.centre = {k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1],
                                     k & 4 ? high[2] : low[2]}};
    }
    return 8;
}

static int put_box(const double half[3], ball *balls)
{
    const double low[3] = {-half[0], -half[1], -half[2]};
    return put_corners(low, half, balls);
}

static int put_points(const mo_shape_def *def, ball *balls)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3 * def->point_count; ++k) {
        low[k % 3] = fmin(low[k % 3], def->points[k]);
        high[k % 3] = fmax(high[k % 3], def->points[k]);
    }
    return def->point_count ? put_corners(low, high, balls) : 0;
}

static int balls_of(const mo_shape_def *def, ball *balls)
{
    switch (def->kind) {
    case MO_SHAPE_BALL:
        balls[0] = (ball){.radius = def->radius};
        return 1;
    case MO_SHAPE_BOX:
        return put_box(def->half, balls);
    case MO_SHAPE_CYLINDER:
        return put_box((const double[3]){def->radius, def->radius, def->half[2]}, balls);
    case MO_SHAPE_CAPSULE:
        for (int k = 0; k < 2; ++k) {
            balls[k].radius = def->radius;
            memcpy(balls[k].centre, def->ends[k], sizeof balls[k].centre);
        }
        return 2;
    case MO_SHAPE_HULL:
    case MO_SHAPE_MESH:
        return put_points(def, balls);
    default:
        return 0; /* a plane has no end */
    }
}

/* In the world; their largest distance from a point. */
static double place_balls(const mo_shape_def *def, const mo_pose *body, const double from[3],
                          ball *balls, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k) {
        double local[3], *x = balls[k].centre;
        mo_pose_point(&def->pose, x, local);
        mo_pose_point(body, local, x);
        most = fmax(most,
                    hypot(hypot(x[0] - from[0], x[1] - from[1]), x[2] - from[2]) + balls[k].radius);
    }
    return most;
}

/* ---- the picture ----------------------------------------------------------------------------- */

static void add_ball(const camera *eye, const ball *b, view_box *box)
{
    double at[2];
    const double depth = camera_see(eye, b->centre, at);
    const double around = b->radius / (eye->pixel * (eye->is_flat ? 1 : depth));
    for (int i = 0; i < 2 && depth > 0; ++i) {
        box->low[i] = fmin(box->low[i], at[i] - around);
        box->high[i] = fmax(box->high[i], at[i] + around);
    }
}

/* Fixed bodies are the same in all frames: only the first is used. */
static void add_frame(const renderer *r, int frame, view_box *box)
{
    const mo_recording *recording = r->recording;
    const mo_pose *poses = recording->poses + (size_t)frame * (size_t)recording->body_count;
    for (int k = 0; k < recording->shape_count; ++k) {
        const mo_recorded_shape *shape = recording->shapes + k;
        const int is_fixed = recording->bodies[shape->body].kind == MO_BODY_FIXED;
        const double *x = poses[shape->body].position;
        const double away =
            hypot(hypot(x[0] - r->centre[0], x[1] - r->centre[1]), x[2] - r->centre[2]);
        if (is_fixed ? frame > 0 : away > FAR * r->size) continue;
        ball balls[MOST_BALLS];
        const int count = balls_of(&shape->def, balls);
        const double reach = place_balls(&shape->def, poses + shape->body, r->centre, balls, count);
        for (int i = 0; i < count && !(is_fixed && reach > NEAR_BY * r->size); ++i)
            add_ball(&r->eye, balls + i, box);
    }
}

void fit_eye(renderer *r)
{
    /* A following camera is fitted to the first frame. */
    const int every =
        r->def.follow ? r->recording->frame_count : r->recording->frame_count / 20 + 1;
    for (int round = 0; round < 3; ++round) {
        camera *eye = &r->eye;
        view_box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
        for (int k = 0; k < r->recording->frame_count; k += every)
            add_frame(r, k, &box);
        const double wide = (box.high[0] - box.low[0]) / eye->width,
                     high = (box.high[1] - box.low[1]) / eye->height;
        if (!(wide > 0) || !(high > 0) || isinf(wide + high)) return;
        double at[2];
        const double depth = eye->is_flat ? 1 : camera_see(eye, r->centre, at);
        const double right = (box.low[0] + box.high[0] - eye->width) / 2 * eye->pixel * depth,
                     up = (eye->height - box.low[1] - box.high[1]) / 2 * eye->pixel * depth;
        for (int k = 0; k < 3; ++k)
            eye->eye[k] += right * eye->right[k] + up * eye->up[k];
        eye->pixel *= fmax(wide, high) * MARGIN;
    }
    /* A turning camera also needs the view from the side. */
    r->eye.pixel *= (r->def.turn != 0 ? 1.25 : 1) / r->def.zoom;
}
