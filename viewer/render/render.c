/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cast.h"
#include "fit.h"
#include "flat.h"
#include "forces.h"
#include "frames.h"
#include "light.h"
#include "marks.h"

enum { SHADOW_SIZE = 1400 };

/* The sun of the viewer's page (page/src/plain.ts), by its azimuth from the eye and its height. */
static const double SUN_AZIMUTH = -1.4, SUN_RISE = 1.55;

render_def render_default(void)
{
    return (render_def){.width = 1280,
                        .height = 720,
                        .azimuth = -0.9,
                        .elevation = 0.35,
                        .zoom = 1,
                        .followed = -1};
}

static int is_planar(const renderer *r)
{
    return r->recording->dimension == 2;
}

/* ---- the place of things --------------------------------------------------------------------- */

static int by_layer(const mo_recording *recording, int a, int b)
{
    const unsigned x = recording->shapes[a].def.layer, y = recording->shapes[b].def.layer;
    return x > y || (x == y && a > b);
}

/* Insertion sort: few shapes, or nearly all in one layer. */
static void sort_shapes(renderer *r)
{
    for (int k = 0; k < r->recording->shape_count; ++k) {
        int place = k;
        for (; place > 0 && by_layer(r->recording, r->order[place - 1], k); --place)
            r->order[place] = r->order[place - 1];
        r->order[place] = k;
    }
}

static void place_cameras(renderer *r)
{
    static const double up_3d[3] = {0, 0, 1}, up_2d[3] = {0, 1, 0}, front[3] = {0, 0, -1};
    const double a = r->def.azimuth, e = r->def.elevation;
    const double ahead[3] = {-cos(a) * cos(e), -sin(a) * cos(e), -sin(e)};
    /* The sun is to the left of the first camera and does not turn with it. */
    const double sun = r->def.azimuth + SUN_AZIMUTH;
    const double light[3] = {-cos(sun), -sin(sun), -SUN_RISE};
    r->eye = camera_towards(r->centre, r->size, is_planar(r) ? front : ahead,
                            is_planar(r) ? up_2d : up_3d, is_planar(r), 2 * r->def.width,
                            2 * r->def.height);
    r->light = camera_towards(r->centre, 1.6 * r->size, light, up_2d, 1, SHADOW_SIZE, SHADOW_SIZE);
}

/* ---- a camera that moves --------------------------------------------------------------------- */

/* Position of the followed body in a frame, or the mean of the moving bodies. */
static void find_middle(const renderer *r, int frame, double middle[3])
{
    const mo_recording *recording = r->recording;
    const mo_pose *poses = recording->poses + (size_t)frame * (size_t)recording->body_count;
    int count = 0;
    if (r->def.follow && r->def.followed >= 0) {
        memcpy(middle, poses[r->def.followed].position, 3 * sizeof *middle);
        return;
    }
    memset(middle, 0, 3 * sizeof *middle);
    for (int k = 0; k < recording->body_count; ++k) {
        const mo_body_kind kind = recording->bodies[k].kind;
        if (kind == MO_BODY_FIXED || kind == MO_BODY_DRIVEN) continue;
        ++count;
        for (int i = 0; i < 3; ++i)
            middle[i] += (poses[k].position[i] - middle[i]) / count;
    }
}

/* Centres the followed body in the image. */
static void aim(renderer *r)
{
    camera *eye = &r->eye;
    double off[3], depth = 0;
    for (int k = 0; k < 3; ++k) {
        off[k] = r->middle[k] - eye->eye[k];
        depth += off[k] * eye->ahead[k];
    }
    for (int k = 0; k < 3; ++k)
        eye->eye[k] += off[k] - depth * eye->ahead[k];
}

/* v about the vertical. */
static void spin(double v[3], double angle)
{
    const double x = v[0], y = v[1];
    v[0] = cos(angle) * x - sin(angle) * y;
    v[1] = sin(angle) * x + cos(angle) * y;
}

/* The camera of a frame: rotated about the centre of the scene, moved with the followed bodies. */
static void move_eye(renderer *r, int frame)
{
    const mo_recording *recording = r->recording;
    const double elapsed = recording->frames[frame].time - recording->frames[0].time;
    const double angle = is_planar(r) ? 0 : r->def.turn * elapsed;
    double off[3], now[3];
    r->eye = r->first;
    for (int k = 0; k < 3; ++k)
        off[k] = r->first.eye[k] - r->middle[k];
    spin(off, angle);
    spin(r->eye.right, angle);
    spin(r->eye.up, angle);
    spin(r->eye.ahead, angle);
    find_middle(r, r->def.follow ? frame : 0, now);
    for (int k = 0; k < 3; ++k) {
        r->eye.eye[k] = now[k] + off[k];
        r->light.eye[k] += now[k] - r->lit[k];
        r->centre[k] += now[k] - r->lit[k];
        r->lit[k] = now[k];
    }
}

/* ---- opening and closing --------------------------------------------------------------------- */

int render_open(renderer *r, const mo_recording *recording, const render_def *def)
{
    *r = (renderer){.def = *def, .recording = recording};
    frames_look(recording, r->centre, &r->size);
    place_cameras(r);
    fit_eye(r);
    find_middle(r, 0, r->middle);
    if (def->follow && def->followed >= 0) aim(r);
    r->first = r->eye;
    memcpy(r->lit, r->middle, sizeof r->lit);
    r->colours = palette_of(def->dark);
    r->order = malloc(((size_t)recording->shape_count + 1) * sizeof *r->order);
    r->drawn = malloc((size_t)recording->shape_count + 1);
    if (!r->order || !r->drawn || !frames_drawn(recording, r->drawn) ||
        !forces_measure(recording, &r->strongest, &r->thickness) ||
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
    free(r->drawn);
    canvas_close(&r->large);
    canvas_close(&r->small);
    canvas_close(&r->shadow);
    *r = (renderer){0};
}

/* ---- a frame --------------------------------------------------------------------------------- */

static void wipe(canvas *c)
{
    for (size_t k = 0; k < (size_t)c->width * (size_t)c->height; ++k) {
        c->depth[k] = INFINITY;
        if (c->owner) c->owner[k] = -1;
    }
}

/* Infinite walls, which would hide everything behind them, are not drawn. */
static int is_seen(const renderer *r, int k, const mo_pose *poses)
{
    const mo_recorded_shape *shape = r->recording->shapes + k;
    return r->drawn[k] &&
           (shape->def.kind != MO_SHAPE_PLANE || light_is_floor(&shape->def, poses + shape->body));
}

static int draw_space(renderer *r, const mo_pose *poses)
{
    const caster dark = {.onto = &r->shadow, .eye = &r->light};
    const caster lit = {.onto = &r->large, .eye = &r->eye};
    int good = 1;
    for (int pass = 0; pass < 2; ++pass) { /* the shadow's map first */
        for (int k = 0; k < r->recording->shape_count && good; ++k) {
            const mo_recorded_shape *shape = r->recording->shapes + k;
            good = !is_seen(r, k, poses) ||
                   cast_shape(pass ? &lit : &dark, &shape->def, poses + shape->body, k);
        }
    }
    light_shapes(r, poses);
    return good;
}

static colour plane_colour(const renderer *r, int k)
{
    const mo_recorded_shape *shape = r->recording->shapes + k;
    return shape->def.kind == MO_SHAPE_PLANE ? r->colours->ground : light_colour_of(r, k);
}

/* Rods thinner than a line are drawn wider, as on the page (page/src/shapes.ts). */
static mo_shape_def visible(const renderer *r, const mo_shape_def *shape)
{
    const double least = 0.012 * r->size;
    mo_shape_def wide = *shape;
    wide.radius = shape->kind == MO_SHAPE_CAPSULE ? fmax(shape->radius, least) : shape->radius;
    for (int k = 0; k < 2 && shape->kind == MO_SHAPE_BOX; ++k)
        wide.half[k] = fmax(shape->half[k], least);
    return wide;
}

static int draw_plane(renderer *r, const mo_pose *poses)
{
    int good = 1;
    for (int i = 0; i < r->recording->shape_count && good; ++i) {
        const int k = r->order[i];
        const mo_recorded_shape *shape = r->recording->shapes + k;
        const mo_pose pose = mo_pose_compose(poses + shape->body, &shape->def.pose);
        const mo_shape_def seen = visible(r, &shape->def);
        good = !r->drawn[k] || flat_shape(&r->large, &r->eye, &seen, &pose, 5, plane_colour(r, k));
    }
    return good;
}

static void draw_forces(renderer *r, const mo_recorded_frame *frame, const mo_pose *poses)
{
    const forces_view view = {.recording = r->recording,
                              .onto = &r->large,
                              .eye = &r->eye,
                              .size = r->size,
                              .strongest = r->strongest,
                              .thickness = r->thickness,
                              .sticks = r->colours->sticks,
                              .slides = r->colours->slides,
                              .halo = r->colours->background};
    forces_draw(&view, frame, poses);
    marks_forces(r, &view, forces_are_chains(frame));
}

int render_frame(renderer *r, int k)
{
    const mo_recording *recording = r->recording;
    const mo_recorded_frame *frame = recording->frames + k;
    const mo_pose *poses = recording->poses + (size_t)k * (size_t)recording->body_count;
    r->is_pale = r->def.forces && forces_are_chains(frame);
    move_eye(r, k);
    wipe(&r->large);
    wipe(&r->shadow);
    light_background(r);
    const int good = is_planar(r) ? draw_plane(r, poses) : draw_space(r, poses);
    if (r->def.forces) draw_forces(r, frame, poses);
    if (r->def.axes) marks_axes(r, frame->time);
    canvas_halve(&r->large, &r->small);
    return good;
}
