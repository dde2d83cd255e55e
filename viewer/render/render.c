/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cast.h"
#include "flat.h"
#include "forces.h"
#include "frames.h"

enum { SHADOW_SIZE = 1400, TAPS = 2 /* to each side */ };

static const colour BACKGROUND = {0.933F, 0.941F, 0.949F}, FIXED = {0.72F, 0.73F, 0.76F},
                    GROUND = {0.86F, 0.87F, 0.88F};
static const colour PALETTE[] = {
    {0.55F, 0.69F, 0.86F}, {0.89F, 0.72F, 0.53F}, {0.60F, 0.79F, 0.64F}, {0.83F, 0.60F, 0.58F},
    {0.69F, 0.64F, 0.83F}, {0.88F, 0.81F, 0.56F}, {0.55F, 0.77F, 0.78F}, {0.80F, 0.74F, 0.68F},
};
static const double LIGHT[3] = {0.45, 0.3,
                                -1}; /* where it shines to, from behind the left shoulder */

render_def render_default(void)
{
    return (render_def){
        .width = 1280, .height = 720, .azimuth = -0.9, .elevation = 0.35, .zoom = 1, .forces = 0};
}

static int is_planar(const renderer *r)
{
    return r->recording->dimension == 2;
}

static colour mix(colour a, colour b, double part)
{
    const float p = (float)part;
    return (colour){a.red + p * (b.red - a.red), a.green + p * (b.green - a.green),
                    a.blue + p * (b.blue - a.blue)};
}

/* Bodies stand back behind force chains. */
static const double PALE = 0.75;

static colour colour_of(const renderer *r, int body)
{
    const mo_body_kind kind = r->recording->bodies[body].kind;
    const int count = (int)(sizeof PALETTE / sizeof *PALETTE);
    /* Rows of as many bodies as there are colours would show stripes. */
    const colour own = kind == MO_BODY_FIXED ? FIXED : PALETTE[(body + body / (count - 1)) % count];
    return mix(own, BACKGROUND, r->is_pale ? PALE : 0);
}

/* ---- the place of things --------------------------------------------------------------------- */

static int by_layer(const mo_recording *recording, int a, int b)
{
    const unsigned x = recording->shapes[a].def.layer, y = recording->shapes[b].def.layer;
    return x > y || (x == y && a > b);
}

/* Few shapes, or nearly all of one layer: an insertion is enough. */
static void sort_shapes(renderer *r)
{
    for (int k = 0; k < r->recording->shape_count; ++k) {
        int place = k;
        for (; place > 0 && by_layer(r->recording, r->order[place - 1], k); --place) {
            r->order[place] = r->order[place - 1];
        }
        r->order[place] = k;
    }
}

static void place_cameras(renderer *r)
{
    static const double up_3d[3] = {0, 0, 1}, up_2d[3] = {0, 1, 0}, front[3] = {0, 0, -1};
    const double a = r->def.azimuth, e = r->def.elevation;
    const double ahead[3] = {-cos(a) * cos(e), -sin(a) * cos(e), -sin(e)};
    /* The light comes from the left of the eye, whatever it looks at. */
    const double light[3] = {-cos(a) * LIGHT[0] - sin(a) * LIGHT[1],
                             -sin(a) * LIGHT[0] + cos(a) * LIGHT[1], LIGHT[2]};
    r->eye = camera_towards(r->centre, r->size, is_planar(r) ? front : ahead,
                            is_planar(r) ? up_2d : up_3d, is_planar(r), 2 * r->def.width,
                            2 * r->def.height);
    r->light = camera_towards(r->centre, 1.6 * r->size, light, up_2d, 1, SHADOW_SIZE, SHADOW_SIZE);
}

/* ---- what fits in ---------------------------------------------------------------------------- */

typedef struct view_box {
    double low[2], high[2]; /* pixels */
} view_box;

/* Where what can move is seen in a frame; what has gone far away is left out. */
static void add_frame(const renderer *r, int frame, view_box *box)
{
    const mo_recording *recording = r->recording;
    const mo_pose *poses = recording->poses + (size_t)frame * (size_t)recording->body_count;
    for (int k = 0; k < recording->shape_count; ++k) {
        const mo_recorded_shape *shape = recording->shapes + k;
        const double *x = poses[shape->body].position, reach = frames_reach(&shape->def);
        const mo_body_kind kind = recording->bodies[shape->body].kind;
        const double far =
            hypot(hypot(x[0] - r->centre[0], x[1] - r->centre[1]), x[2] - r->centre[2]);
        double at[2];
        if (kind == MO_BODY_FIXED || isinf(reach) || far > 1.5 * r->size) {
            continue;
        }
        const double depth = camera_see(&r->eye, x, at);
        const double around = reach / (r->eye.pixel * (r->eye.is_flat ? 1 : depth));
        for (int i = 0; i < 2 && depth > 0; ++i) {
            box->low[i] = fmin(box->low[i], at[i] - around);
            box->high[i] = fmax(box->high[i], at[i] + around);
        }
    }
}

/* Moves the eye sideways and changes its angle until that fills the picture. */
static void fit(renderer *r)
{
    const double margin = 1.12;
    const int every = r->recording->frame_count / 20 + 1;
    for (int round = 0; round < 3; ++round) {
        camera *eye = &r->eye;
        view_box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
        for (int k = 0; k < r->recording->frame_count; k += every) {
            add_frame(r, k, &box);
        }
        const double wide = (box.high[0] - box.low[0]) / eye->width,
                     high = (box.high[1] - box.low[1]) / eye->height;
        if (!(wide > 0) || !(high > 0) || isinf(wide + high)) {
            return;
        }
        double at[2];
        const double depth = eye->is_flat ? 1 : camera_see(eye, r->centre, at);
        const double right = (box.low[0] + box.high[0] - eye->width) / 2 * eye->pixel * depth,
                     up = (eye->height - box.low[1] - box.high[1]) / 2 * eye->pixel * depth;
        for (int k = 0; k < 3; ++k) {
            eye->eye[k] += right * eye->right[k] + up * eye->up[k];
        }
        eye->pixel *= fmax(wide, high) * margin;
    }
    r->eye.pixel /= r->def.zoom;
}

/* ---- opening and closing --------------------------------------------------------------------- */

int render_open(renderer *r, const mo_recording *recording, const render_def *def)
{
    *r = (renderer){.def = *def, .recording = recording};
    frames_look(recording, r->centre, &r->size);
    place_cameras(r);
    fit(r);
    r->order = malloc(((size_t)recording->shape_count + 1) * sizeof *r->order);
    if (!r->order || !forces_measure(recording, &r->strongest, &r->thickness) ||
        !canvas_open(&r->large, 2 * def->width, 2 * def->height, 1) ||
        !canvas_open(&r->small, def->width, def->height, 1) ||
        !canvas_open(&r->shadow, SHADOW_SIZE, SHADOW_SIZE, 0)) {
        render_close(r);
        return 0;
    }
    sort_shapes(r);
    return 1;
}

void render_close(renderer *r)
{
    free(r->order);
    canvas_close(&r->large);
    canvas_close(&r->small);
    canvas_close(&r->shadow);
    *r = (renderer){0};
}

/* ---- light ----------------------------------------------------------------------------------- */

/* What a pixel shows. */
typedef struct surface {
    double point[3], normal[3]; /* world; the normal towards the eye */
    int body;
} surface;

/* The part of the light that reaches a point: the map of depths, asked about it and around it. */
static double light_at(const renderer *r, const surface *hit)
{
    double at[2];
    double off[3]; /* a little off the surface, which would shadow itself where the map is coarse */
    const double slack = 3 * r->light.pixel;
    for (int k = 0; k < 3; ++k) {
        off[k] = hit->point[k] + slack * hit->normal[k];
    }
    const double depth = camera_see(&r->light, off, at) - slack;
    int lit = 0, asked = 0;
    for (int y = -TAPS; y <= TAPS; ++y) {
        for (int x = -TAPS; x <= TAPS; ++x, ++asked) {
            const int px = (int)(at[0] + 1.5 * x), py = (int)(at[1] + 1.5 * y);
            lit += px < 0 || py < 0 || px >= SHADOW_SIZE || py >= SHADOW_SIZE ||
                   r->shadow.depth[py * SHADOW_SIZE + px] >= (float)depth;
        }
    }
    return (double)lit / asked;
}

/* The ground fades into the background far from what moves. */
static colour fade(const renderer *r, colour c, const double point[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        square += (point[k] - r->centre[k]) * (point[k] - r->centre[k]);
    }
    const double far = sqrt(square) / r->size;
    return mix(c, BACKGROUND, fmin(1, fmax(0, (far - 1.5) / 4)));
}

static colour shade(const renderer *r, const surface *hit)
{
    const int is_ground = r->recording->bodies[hit->body].kind == MO_BODY_FIXED;
    const double *n = hit->normal, *ahead = r->light.ahead;
    const double facing = fmax(0, -(n[0] * ahead[0] + n[1] * ahead[1] + n[2] * ahead[2]));
    const double sun = facing > 0 ? facing * light_at(r, hit) : 0;
    /* What is fixed stands back: light, and with little shade but shadows. */
    const float bright =
        (float)(is_ground ? 0.74 + 0.06 * n[2] + 0.25 * sun : 0.60 + 0.08 * n[2] + 0.42 * sun);
    const colour c = is_ground ? GROUND : colour_of(r, hit->body);
    const colour lit = {c.red * bright, c.green * bright, c.blue * bright};
    return is_ground ? fade(r, lit, hit->point) : lit;
}

/* Every pixel that shows a body, from its depth and normal. */
static void shade_all(renderer *r)
{
    canvas *c = &r->large;
#pragma omp parallel for schedule(static, 16)
    for (int y = 0; y < c->height; ++y) {
        for (int x = 0; x < c->width; ++x) {
            const size_t k = (size_t)y * (size_t)c->width + (size_t)x;
            surface hit = {.body = c->owner[k]};
            double from[3], direction[3];
            if (hit.body < 0) {
                continue;
            }
            camera_ray(&r->eye, x, y, from, direction);
            for (int i = 0; i < 3; ++i) {
                hit.point[i] = from[i] + (double)c->depth[k] * direction[i];
                hit.normal[i] = (double)c->normal[k][i];
            }
            c->pixel[k] = shade(r, &hit);
        }
    }
}

/* ---- a frame --------------------------------------------------------------------------------- */

static void wipe(canvas *c)
{
    for (size_t k = 0; k < (size_t)c->width * (size_t)c->height; ++k) {
        c->depth[k] = INFINITY;
        if (c->pixel) {
            c->pixel[k] = BACKGROUND;
            c->owner[k] = -1;
        }
    }
}

/* A thin line where one body ends and another one, or nothing, begins. */
static void draw_outlines(canvas *c)
{
    for (int y = 0; y + 1 < c->height; ++y) {
        for (int x = 0; x + 1 < c->width; ++x) {
            const size_t k = (size_t)y * (size_t)c->width + (size_t)x;
            if (c->owner[k] != c->owner[k + 1] || c->owner[k] != c->owner[k + (size_t)c->width]) {
                colour *p = c->pixel + k;
                *p = (colour){0.7F * p->red, 0.7F * p->green, 0.7F * p->blue};
            }
        }
    }
}

static int draw_space(renderer *r, const mo_pose *poses)
{
    const caster dark = {.onto = &r->shadow, .eye = &r->light};
    const caster lit = {.onto = &r->large, .eye = &r->eye};
    int good = 1;
    for (int pass = 0; pass < 2; ++pass) { /* the shadow's map first */
        for (int k = 0; k < r->recording->shape_count && good; ++k) {
            const mo_recorded_shape *shape = r->recording->shapes + k;
            good = cast_shape(pass ? &lit : &dark, &shape->def, poses + shape->body, shape->body);
        }
    }
    shade_all(r);
    draw_outlines(&r->large);
    return good;
}

static int draw_plane(renderer *r, const mo_pose *poses)
{
    int good = 1;
    for (int k = 0; k < r->recording->shape_count && good; ++k) {
        const mo_recorded_shape *shape = r->recording->shapes + r->order[k];
        const mo_pose pose = mo_pose_compose(poses + shape->body, &shape->def.pose);
        good = flat_shape(&r->large, &r->eye, &shape->def, &pose, 5, colour_of(r, shape->body));
    }
    return good;
}

static void draw_forces(renderer *r, const mo_recorded_frame *frame, const mo_pose *poses)
{
    static const colour STICKS = {0.11F, 0.42F, 0.85F}, SLIDES = {0.85F, 0.22F, 0.20F};
    const forces_view view = {.recording = r->recording,
                              .onto = &r->large,
                              .eye = &r->eye,
                              .size = r->size,
                              .strongest = r->strongest,
                              .thickness = r->thickness,
                              .sticks = STICKS,
                              .slides = SLIDES,
                              .halo = BACKGROUND};
    forces_draw(&view, frame, poses);
}

int render_frame(renderer *r, int k)
{
    const mo_recording *recording = r->recording;
    const mo_recorded_frame *frame = recording->frames + k;
    const mo_pose *poses = recording->poses + (size_t)k * (size_t)recording->body_count;
    r->is_pale = r->def.forces && forces_are_chains(frame);
    wipe(&r->large);
    wipe(&r->shadow);
    const int good = is_planar(r) ? draw_plane(r, poses) : draw_space(r, poses);
    if (r->def.forces) {
        draw_forces(r, frame, poses);
    }
    canvas_halve(&r->large, &r->small);
    return good;
}
