/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "finish.h"
#include "frames.h"

enum { TAPS = 2 /* to each side, of the shadow's map */ };

static const double PALE = 0.75;    /* of the background, for bodies behind force chains */
static const double OCTANT = 0.9;   /* brightness of every other octant of a ball */
static const double OUTLINE = 0.82; /* brightness of the outline between bodies */

/* Contents of a pixel. */
typedef struct surface {
    double point[3], normal[3]; /* world; the normal towards the eye */
    int shape;
} surface;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double step_between(double from, double to, double x)
{
    const double t = fmin(1, fmax(0, (x - from) / (to - from)));
    return t;
}

static colour darker(colour c, double part)
{
    const float p = (float)part;
    return (colour){p * c.red, p * c.green, p * c.blue};
}

double light_round(double x)
{
    const double power = pow(10, floor(log10(x))), digit = x / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

int light_is_floor(const mo_shape_def *shape, const mo_pose *body)
{
    const mo_pose pose = mo_pose_compose(body, &shape->pose);
    double up[3];
    mo_pose_vector(&pose, (const double[3]){0, 0, 1}, up);
    return shape->kind == MO_SHAPE_PLANE && up[2] > 0.3;
}

colour light_colour_of(const renderer *r, int shape)
{
    const mo_recorded_shape *s = r->recording->shapes + shape;
    const mo_body_kind kind = r->recording->bodies[s->body].kind;
    const palette *p = r->colours;
    const double *c = s->def.colour;
    colour own = kind == MO_BODY_FIXED    ? p->fixed
                 : kind == MO_BODY_DRIVEN ? p->driven
                                          : palette_body(p, s->body);
    if (frames_has_colour(&s->def)) own = (colour){(float)c[0], (float)c[1], (float)c[2]};
    return colour_mix(own, p->background, r->is_pale ? PALE : 0);
}

/* ---- background ------------------------------------------------------------------------------ */

void light_background(renderer *r)
{
    const camera *eye = &r->eye;
    canvas *c = &r->large;
    /* The level direction ahead + s up is seen s / pixel above the middle. */
    const double level = eye->is_flat ? INFINITY : -eye->ahead[2] / eye->up[2] / eye->pixel;
    for (int y = 0; y < c->height; ++y) {
        const double above = (c->height / 2.0 - y - 0.5) - fmax(level, -0.5 * c->height);
        const colour row = colour_mix(r->colours->background, r->colours->zenith,
                                      step_between(0, 1, 0.55 * above / (0.5 * c->height)));
        for (int x = 0; x < c->width; ++x)
            c->pixel[(size_t)y * (size_t)c->width + (size_t)x] = row;
    }
}

/* ---- light ----------------------------------------------------------------------------------- */

/* Fraction of the light that reaches a point: samples of the depth map around it. */
static double light_at(const renderer *r, const surface *hit)
{
    double at[2];
    double off[3]; /* offset from the surface, against self-shadowing of a coarse map */
    const double slack = 3 * r->light.pixel;
    for (int k = 0; k < 3; ++k)
        off[k] = hit->point[k] + slack * hit->normal[k];
    const double depth = camera_see(&r->light, off, at) - slack;
    const int size = r->shadow.width;
    int lit = 0, asked = 0;
    for (int y = -TAPS; y <= TAPS; ++y) {
        for (int x = -TAPS; x <= TAPS; ++x, ++asked) {
            const int px = (int)(at[0] + 1.5 * x), py = (int)(at[1] + 1.5 * y);
            lit += px < 0 || py < 0 || px >= size || py >= size ||
                   r->shadow.depth[py * size + px] >= (float)depth;
        }
    }
    return (double)lit / asked;
}

static double octant(const renderer *r, const surface *hit, const mo_pose *poses)
{
    const mo_recorded_shape *shape = r->recording->shapes + hit->shape;
    double local[3];
    if (shape->def.kind != MO_SHAPE_BALL) return 1;
    const mo_pose pose = mo_pose_compose(poses + shape->body, &shape->def.pose);
    mo_pose_vector_back(&pose, hit->normal, local);
    return local[0] * local[1] * local[2] < 0 ? OCTANT : 1;
}

/* Colour of a surface with a finish; lit: fraction of the sunlight that reaches it. */
static colour reflect(const renderer *r, const surface *hit, colour shaded, colour own, double lit)
{
    const mo_shape_def *def = &r->recording->shapes[hit->shape].def;
    const double *n = hit->normal;
    double eye[3], way[3];
    for (int k = 0; k < 3; ++k)
        eye[k] = r->eye.is_flat ? -r->eye.ahead[k] : r->eye.eye[k] - hit->point[k];
    const double facing = dot(n, eye), far = sqrt(dot(eye, eye));
    for (int k = 0; k < 3; ++k)
        way[k] = (2 * facing * n[k] - eye[k]) / far;
    const finish f = {.metallic = fmin(1, def->metallic),
                      .roughness = fmin(1, def->roughness),
                      .facing = facing / far,
                      .upwards = way[2],
                      .sunwards = -dot(way, r->light.ahead),
                      .lit = lit};
    return finish_light(r->colours, shaded, own, &f);
}

static colour shade_body(const renderer *r, const surface *hit, const mo_pose *poses)
{
    const double *n = hit->normal;
    const double facing = fmax(0, -dot(n, r->light.ahead));
    const double sun = facing > 0 ? facing * light_at(r, hit) : 0;
    const colour own = light_colour_of(r, hit->shape);
    const colour shaded = darker(colour_lit(r->colours, own, n[2], sun), octant(r, hit, poses));
    const mo_shape_def *def = &r->recording->shapes[hit->shape].def;
    return frames_has_finish(def) ? reflect(r, hit, shaded, own, facing > 0 ? sun / facing : 0)
                                  : shaded;
}

/* ---- floors ---------------------------------------------------------------------------------- */

/* Blend with the horizon at a distance, in sizes of the scene, as on the page. */
static double fade(double far)
{
    static const double RINGS[][2] = {{0, 0}, {3, 0.05}, {9, 0.55}, {22, 0.9}, {60, 1}};
    for (size_t k = 1; k < sizeof RINGS / sizeof *RINGS; ++k) {
        if (far < RINGS[k][0]) {
            const double part = step_between(RINGS[k - 1][0], RINGS[k][0], far);
            return RINGS[k - 1][1] + part * (RINGS[k][1] - RINGS[k - 1][1]);
        }
    }
    return 1;
}

/* Coverage of a point of the floor by grid lines; footprint: of a pixel, m. */
static double grid_line(const double local[3], double cell, double footprint)
{
    double nearest = INFINITY;
    for (int k = 0; k < 2; ++k)
        nearest = fmin(nearest, fabs(local[k] - cell * round(local[k] / cell)));
    return fmin(1, fmax(0, 1.5 - nearest / footprint));
}

static colour shade_floor(const renderer *r, const surface *hit, const mo_pose *poses)
{
    const mo_recorded_shape *shape = r->recording->shapes + hit->shape;
    const mo_pose pose = mo_pose_compose(poses + shape->body, &shape->def.pose);
    const palette *p = r->colours;
    double local[3], off[3], at[2];
    mo_pose_point_back(&pose, hit->point, local);
    for (int k = 0; k < 3; ++k)
        off[k] = hit->point[k] - r->centre[k];
    const double far = sqrt(dot(off, off)) / r->size, horizon = fade(far);
    const double depth = camera_see(&r->eye, hit->point, at);
    const double cell = light_round(r->size / 4);
    const double line = grid_line(local, cell, depth * r->eye.pixel) * fmax(0, 1 - far / 5);
    const colour lit = colour_mix(colour_mix(p->ground, p->background, horizon), p->grid, line);
    const double shadow = 0.7 * (double)p->shadow * (1 - light_at(r, hit)) * (1 - horizon);
    return darker(lit, 1 - shadow);
}

/* ---- contact shadows ------------------------------------------------------------------------- */

/* A blurred rectangle on a floor. */
typedef struct patch {
    double foot[3], east[3], north[3];
    double half[2], blur, strength;
} patch;

/* Half extents of a shape along a direction of its own frame. */
static double extent(const mo_shape_def *s, const double d[3])
{
    const double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
    switch (s->kind) {
    case MO_SHAPE_BALL:
        return s->radius;
    case MO_SHAPE_BOX:
        return s->half[0] * x + s->half[1] * y + s->half[2] * z;
    case MO_SHAPE_CYLINDER:
        return s->radius * hypot(x, y) + s->half[2] * z;
    case MO_SHAPE_CAPSULE:
        return s->radius +
               (fabs(s->ends[1][0] - s->ends[0][0]) * x + fabs(s->ends[1][1] - s->ends[0][1]) * y +
                fabs(s->ends[1][2] - s->ends[0][2]) * z) /
                   2;
    default:
        return 0.6 * frames_reach(s);
    }
}

/* The contact shadow of a shape on a floor; false if it is too high. */
static int make_patch(const mo_shape_def *s, const mo_pose *pose, const mo_pose *floor, patch *p)
{
    double axes[3][3], local[3], centre[3], half[3], off[3], middle[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        mo_pose_vector(floor, unit, axes[k]);
        mo_pose_vector_back(pose, axes[k], local);
        half[k] = extent(s, local);
        middle[k] = s->kind == MO_SHAPE_CAPSULE ? (s->ends[0][k] + s->ends[1][k]) / 2 : 0;
    }
    mo_pose_point(pose, middle, centre);
    for (int k = 0; k < 3; ++k)
        off[k] = centre[k] - floor->position[k];
    const double height = dot(off, axes[2]), size = fmin(fmax(half[0], half[1]), 2 * half[2]);
    const double strength = 1 - fmax(0, height - half[2]) / (1.6 * size);
    if (!(strength > 0.03) || height < -half[2]) return 0;
    const double within = s->kind == MO_SHAPE_BALL ? 0.25 : 0.9;
    *p = (patch){.half = {within * half[0], within * half[1]},
                 .blur = (0.45 + 0.6 * (1 - strength)) * size,
                 .strength = strength * strength};
    for (int k = 0; k < 3; ++k)
        p->foot[k] = centre[k] - height * axes[2][k];
    memcpy(p->east, axes[0], sizeof p->east);
    memcpy(p->north, axes[1], sizeof p->north);
    return 1;
}

/* Darkens the pixels of the floor. */
static void draw_patch(renderer *r, const patch *p, int floor)
{
    canvas *c = &r->large;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 4; ++k) {
        double corner[3], at[2];
        for (int i = 0; i < 3; ++i) {
            corner[i] = p->foot[i] + (k & 1 ? 1 : -1) * (p->half[0] + p->blur) * p->east[i] +
                        (k & 2 ? 1 : -1) * (p->half[1] + p->blur) * p->north[i];
        }
        if (camera_see(&r->eye, corner, at) <= 0) return;
        for (int i = 0; i < 2; ++i) {
            low[i] = fmin(low[i], at[i]);
            high[i] = fmax(high[i], at[i]);
        }
    }
    for (int y = (int)fmax(0, low[1]); y <= (int)fmin(c->height - 1, high[1]); ++y) {
        for (int x = (int)fmax(0, low[0]); x <= (int)fmin(c->width - 1, high[0]); ++x) {
            const size_t k = (size_t)y * (size_t)c->width + (size_t)x;
            double from[3], way[3], off[3];
            if (c->owner[k] != floor) continue;
            camera_ray(&r->eye, x, y, from, way);
            for (int i = 0; i < 3; ++i)
                off[i] = from[i] + (double)c->depth[k] * way[i] - p->foot[i];
            const double out = hypot(fmax(0, fabs(dot(off, p->east)) - p->half[0]),
                                     fmax(0, fabs(dot(off, p->north)) - p->half[1]));
            const double near = fmax(0, 1 - out / p->blur);
            c->pixel[k] =
                darker(c->pixel[k], 1 - (double)r->colours->shadow * p->strength * near * near);
        }
    }
}

static void draw_patches(renderer *r, const mo_pose *poses)
{
    const mo_recording *recording = r->recording;
    for (int f = 0; f < recording->shape_count; ++f) {
        const mo_recorded_shape *floor = recording->shapes + f;
        if (!light_is_floor(&floor->def, poses + floor->body)) continue;
        const mo_pose at = mo_pose_compose(poses + floor->body, &floor->def.pose);
        for (int k = 0; k < recording->shape_count; ++k) {
            const mo_recorded_shape *s = recording->shapes + k;
            const mo_pose pose = mo_pose_compose(poses + s->body, &s->def.pose);
            patch p;
            if (s->def.kind != MO_SHAPE_PLANE && s->def.layer != 0 &&
                make_patch(&s->def, &pose, &at, &p))
                draw_patch(r, &p, f);
        }
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* A thin outline between bodies. */
static void draw_outlines(renderer *r)
{
    canvas *c = &r->large;
    const mo_recorded_shape *shapes = r->recording->shapes;
    for (int y = 0; y + 1 < c->height; ++y) {
        for (int x = 0; x + 1 < c->width; ++x) {
            const size_t k = (size_t)y * (size_t)c->width + (size_t)x;
            const int here = c->owner[k], right = c->owner[k + 1],
                      below = c->owner[k + (size_t)c->width];
            const int body = here < 0 ? -1 : shapes[here].body;
            if (body != (right < 0 ? -1 : shapes[right].body) ||
                body != (below < 0 ? -1 : shapes[below].body))
                c->pixel[k] = darker(c->pixel[k], OUTLINE);
        }
    }
}

void light_shapes(renderer *r, const mo_pose *poses)
{
    canvas *c = &r->large;
#pragma omp parallel for schedule(static, 16)
    for (int y = 0; y < c->height; ++y) {
        for (int x = 0; x < c->width; ++x) {
            const size_t k = (size_t)y * (size_t)c->width + (size_t)x;
            surface hit = {.shape = c->owner[k]};
            double from[3], direction[3];
            if (hit.shape < 0) continue;
            camera_ray(&r->eye, x, y, from, direction);
            for (int i = 0; i < 3; ++i) {
                hit.point[i] = from[i] + (double)c->depth[k] * direction[i];
                hit.normal[i] = (double)c->normal[k][i];
            }
            c->pixel[k] = r->recording->shapes[hit.shape].def.kind == MO_SHAPE_PLANE
                              ? shade_floor(r, &hit, poses)
                              : shade_body(r, &hit, poses);
        }
    }
    draw_patches(r, poses);
    draw_outlines(r);
}
