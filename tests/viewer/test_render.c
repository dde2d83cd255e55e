/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Pictures: shapes cover what geometry says, the same solid looks the same whatever it is made of,
 * and light throws shadows. */
#include <png.h>
#include <stdlib.h>
#include <string.h>

#ifdef MOREAU_HAVE_WEBP
#include <webp/demux.h>
#endif

#ifdef MOREAU_HAVE_GIF
#include <gif_lib.h>
#endif

#include "check.h"

#include "animation.h"
#include "cast.h"
#include "flat.h"
#include "gif.h"
#include "marks.h"
#include "moreau/moreau.h"
#include "render.h"

static const double PI = 3.14159265358979323846;

/* The depths of a shape, seen along x from 10 m before the origin. */
static canvas look_at(const mo_shape_def *shape, const mo_pose *pose, const camera *eye)
{
    canvas map;
    CHECK(canvas_open(&map, eye->width, eye->height, 0));
    for (int k = 0; k < map.width * map.height; ++k)
        map.depth[k] = INFINITY;
    const caster c = {.onto = &map, .eye = eye};
    CHECK(cast_shape(&c, shape, pose, 0));
    return map;
}

static camera an_eye(int is_flat)
{
    return camera_towards((const double[3]){0, 0, 0}, 2.5, (const double[3]){1, 0, 0},
                          (const double[3]){0, 0, 1}, is_flat, 301, 301);
}

static int covered(const canvas *map)
{
    int count = 0;
    for (int k = 0; k < map->width * map->height; ++k)
        count += isfinite(map->depth[k]);
    return count;
}

static void a_ball_covers_its_disc(void **state)
{
    (void)state;
    const mo_shape_def ball = mo_shape_ball(1);
    const mo_pose pose = mo_pose_identity();
    for (int is_flat = 0; is_flat < 2; ++is_flat) {
        const camera eye = an_eye(is_flat);
        canvas map = look_at(&ball, &pose, &eye);
        /* The eye is at 10 m: its tangents meet the picture at 1 / sqrt(10^2 - 1) for a distance of
         * 1 m. */
        const double radius = (is_flat ? 1 : 1 / sqrt(99)) / eye.pixel;
        CHECK_NEAR(covered(&map), PI * radius * radius, 0.01 * PI * radius * radius);
        CHECK_NEAR(map.depth[150 * 301 + 150], 9, 1e-5);
        canvas_close(&map);
    }
}

static void check_same(const canvas *a, const canvas *b, int edge)
{
    int differ = 0;
    for (int k = 0; k < a->width * a->height; ++k)
        if (isfinite(a->depth[k]) && isfinite(b->depth[k]))
            CHECK_NEAR(a->depth[k], b->depth[k], 1e-4);
        else
            differ += isfinite(a->depth[k]) != isfinite(b->depth[k]);
    CHECK(differ <= edge); /* pixels on the outline */
    CHECK(covered(a) > 2000);
}

static void a_box_is_a_hull_is_a_mesh(void **state)
{
    (void)state;
    const double x = 0.5, y = 0.7, z = 0.9;
    const double corners[] = {-x, -y, -z, x, -y, -z, -x, y, -z, x, y, -z,
                              -x, -y, z,  x, -y, z,  -x, y, z,  x, y, z};
    static const int triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    const mo_pose pose = mo_pose_turned(0.2, -0.1, 0.3, (const double[3]){1, 2, 3}, 0.8);
    const camera eye = an_eye(0);
    const mo_shape_def box = mo_shape_box(x, y, z), hull = mo_shape_hull(corners, 8),
                       mesh = mo_shape_mesh(corners, 8, triangles, 36);
    canvas a = look_at(&box, &pose, &eye), b = look_at(&hull, &pose, &eye),
           c = look_at(&mesh, &pose, &eye);
    check_same(&a, &b, 20);
    check_same(&a, &c, 20);
    canvas_close(&a);
    canvas_close(&b);
    canvas_close(&c);
}

/* A capsule is the union of its balls; a cylinder lies between the prism inside it and the one
 * around it. */
static void round_things_are_round(void **state)
{
    (void)state;
    const camera eye = an_eye(0);
    const mo_pose pose = mo_pose_turned(0, 0, 0, (const double[3]){1, 1, 0}, 0.6);
    const mo_shape_def capsule =
        mo_shape_capsule((const double[3]){-1, 0, 0}, (const double[3]){1, 0.5, 0}, 0.4);
    canvas whole = look_at(&capsule, &pose, &eye);
    for (int k = 0; k <= 20; ++k) {
        mo_shape_def ball = mo_shape_ball(0.4);
        ball.pose = mo_pose_at(-1 + 0.1 * k, 0.025 * k, 0);
        canvas part = look_at(&ball, &pose, &eye);
        for (int i = 0; i < whole.width * whole.height; ++i)
            CHECK(whole.depth[i] <= part.depth[i] + 1e-4F);
        canvas_close(&part);
    }
    canvas_close(&whole);
    enum { SIDES = 24 };
    double points[2][6 * SIDES];
    for (int k = 0; k < SIDES; ++k) {
        const double angle = 2 * PI * k / SIDES, grow = 1 / cos(PI / SIDES);
        for (int end = 0; end < 2; ++end) {
            for (int outer = 0; outer < 2; ++outer) {
                double *p = points[outer] + 3 * (2 * k + end);
                p[0] = 0.7 * (outer ? grow : 1) * cos(angle);
                p[1] = 0.7 * (outer ? grow : 1) * sin(angle);
                p[2] = end ? 1.1 : -1.1;
            }
        }
    }
    const mo_shape_def cylinder = mo_shape_cylinder(0.7, 1.1),
                       inner = mo_shape_hull(points[0], 2 * SIDES),
                       outer = mo_shape_hull(points[1], 2 * SIDES);
    canvas a = look_at(&cylinder, &pose, &eye), b = look_at(&inner, &pose, &eye),
           c = look_at(&outer, &pose, &eye);
    for (int i = 0; i < a.width * a.height; ++i)
        CHECK(a.depth[i] <= b.depth[i] + 1e-4F && a.depth[i] >= c.depth[i] - 1e-4F);
    canvas_close(&a);
    canvas_close(&b);
    canvas_close(&c);
}

/* A thousand points on a ball: what is drawn of them lies in the ball, and fills most of it. */
static void hulls_of_many_points_are_drawn_nearly(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static double points[3 * COUNT];
    for (int k = 0; k < COUNT; ++k) {
        const double z = (2 * k + 1.0) / COUNT - 1, angle = 2.4 * k, across = sqrt(1 - z * z);
        points[3 * k] = across * cos(angle);
        points[3 * k + 1] = across * sin(angle);
        points[3 * k + 2] = z;
    }
    const camera eye = an_eye(0);
    const mo_pose pose = mo_pose_identity();
    const mo_shape_def hull = mo_shape_hull(points, COUNT), ball = mo_shape_ball(1);
    canvas a = look_at(&hull, &pose, &eye), b = look_at(&ball, &pose, &eye);
    for (int i = 0; i < a.width * a.height; ++i)
        CHECK(a.depth[i] >= b.depth[i] - 1e-4F);
    CHECK(covered(&a) > 0.9 * covered(&b));
    canvas_close(&a);
    canvas_close(&b);
}

static void distances_in_the_plane(void **state)
{
    (void)state;
    const double square[] = {-1, -1, 0, 1, 1, 0, 0, 0, 0, 1, -1, 0, -1, 1, 0};
    const mo_shape_def box = mo_shape_box(1, 1, 0), any = mo_shape_hull(square, 5);
    double corners[5][3];
    CHECK(flat_corners(&any, corners) == 4);
    const mo_shape_def hull = mo_shape_hull(corners[0], 4);
    mo_random random = {5};
    for (int k = 0; k < 2000; ++k) {
        const double p[3] = {uniform(&random, -2, 2), uniform(&random, -2, 2), 0};
        CHECK_NEAR(flat_distance(&hull, p), flat_distance(&box, p), 1e-12);
    }
    const mo_shape_def capsule =
        mo_shape_capsule((const double[3]){0, 0, 0}, (const double[3]){3, 4, 0}, 0.5);
    CHECK_NEAR(flat_distance(&capsule, (const double[3]){6, 8, 0}), 4.5, 1e-12);
    CHECK_NEAR(flat_distance(&capsule, (const double[3]){-4, 3, 0}), 4.5, 1e-12);
    const mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(2);
    CHECK(flat_distance(&plane, (const double[3]){7, -3, 0}) == -3);
    CHECK(flat_distance(&ball, (const double[3]){3, 4, 0}) == 3);
}

/* ---- whole images ---------------------------------------------------------------------------- */

static float brightness(const renderer *r, const double point[3])
{
    double at[2];
    CHECK(camera_see(&r->eye, point, at) > 0);
    CHECK(at[0] > 0 && at[1] > 0 && at[0] < r->eye.width && at[1] < r->eye.height);
    const colour c = r->small.pixel[(int)(at[1] / 2) * r->small.width + (int)(at[0] / 2)];
    return (c.red + c.green + c.blue) / 3;
}

/* A ball hangs above the ground: dark where the light's ray through it ends, bright beside that. */
static void light_throws_shadows(void **state)
{
    (void)state;
    const mo_world_def def = mo_default_world();
    mo_body_def body = mo_default_body(MO_BODY_FIXED);
    const mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.5);
    mo_world *world;
    mo_recording recording = {0};
    renderer r;
    render_def how = render_default();
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &body, NULL), &plane, NULL).index);
    body = mo_default_body(MO_BODY_FREE);
    body.pose = mo_pose_at(0, 0, 1);
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &body, NULL), &ball, NULL).index);
    CHECK(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK);
    CHECK(mo_recording_add(&recording, world, 0, NULL, NULL) == MO_OK);
    how.width = 320;
    how.height = 240;
    how.zoom = 0.4;
    CHECK(render_open(&r, &recording, &how) && render_frame(&r, 0));
    const double *light = r.light.ahead;
    const double dark[3] = {-light[0] / light[2], -light[1] / light[2], 0};
    const double bright[3] = {dark[0] + 1.2, dark[1], 0};
    CHECK(brightness(&r, dark) < 0.8F * brightness(&r, bright));
    /* What was written reads back. */
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = tmpfile();
    CHECK(out && canvas_write_png(&r.small, out));
    size = (size_t)ftell(out);
    rewind(out);
    bytes = malloc(size);
    CHECK(fread(bytes, 1, size, out) == size);
    fclose(out);
    png_image image = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_memory(&image, bytes, size));
    image.format = PNG_FORMAT_RGB;
    CHECK(image.width == 320 && image.height == 240);
    unsigned char *read = malloc(PNG_IMAGE_SIZE(image)), *made = malloc(PNG_IMAGE_SIZE(image));
    CHECK(png_image_finish_read(&image, NULL, read, 0, NULL));
    canvas_bytes(&r.small, made);
    CHECK(memcmp(read, made, PNG_IMAGE_SIZE(image)) == 0);
    free(bytes);
    free(read);
    free(made);
    render_close(&r);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

#ifdef MOREAU_HAVE_WEBP
/* What libwebp reads back: so many frames at their times, each pixel near what was drawn. */
static void an_animation_reads_back(void **state)
{
    (void)state;
    enum { WIDTH = 64, HEIGHT = 32, FRAMES = 3, SIZE = 3 * WIDTH * HEIGHT };
    static unsigned char drawn[FRAMES][SIZE], file[100000];
    animation *a = animation_begin(WIDTH, HEIGHT);
    int kept = 0;
    CHECK(animation_is_built_in() && a);
    for (int k = 0; k < FRAMES; ++k) {
        for (int i = 0; i < SIZE; ++i) /* a bright half that grows over a dark one */
            drawn[k][i] = (unsigned char)(i / 3 % WIDTH < 16 * (k + 1) ? 220 : 40);
        CHECK(animation_add(a, drawn[k], 50 * k));
    }
    CHECK(animation_add(a, drawn[FRAMES - 1], 50 * FRAMES - 20)); /* equal: no frame of its own */
    FILE *out = tmpfile();
    CHECK(out && animation_write(a, 50 * FRAMES, out, &kept) && kept == FRAMES);
    rewind(out);
    const WebPData data = {file, fread(file, 1, sizeof file, out)};
    fclose(out);
    animation_end(a);
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
    WebPAnimInfo info;
    CHECK(decoder && WebPAnimDecoderGetInfo(decoder, &info));
    CHECK(info.frame_count == FRAMES && info.loop_count == 0);
    CHECK(info.canvas_width == WIDTH && info.canvas_height == HEIGHT);
    for (int k = 0; k < FRAMES; ++k) {
        unsigned char *rgba;
        int until;
        CHECK(WebPAnimDecoderGetNext(decoder, &rgba, &until) && until == 50 * (k + 1));
        for (int i = 0; i < WIDTH * HEIGHT; ++i)
            CHECK(abs(rgba[4 * i] - drawn[k][3 * i]) < 12);
    }
    WebPAnimDecoderDelete(decoder);
}
#endif

#ifdef MOREAU_HAVE_GIF
/* What giflib reads back: so many frames with their delays, each pixel near what was drawn. */
static void a_gif_reads_back(void **state)
{
    (void)state;
    enum { WIDTH = 64, HEIGHT = 32, FRAMES = 3, SIZE = 3 * WIDTH * HEIGHT };
    static unsigned char drawn[FRAMES][SIZE];
    const char *path = "test_render.gif";
    FILE *out = fopen(path, "wb");
    gif *g = gif_begin(WIDTH, HEIGHT, out);
    CHECK(gif_is_built_in() && g);
    for (int k = 0; k < FRAMES; ++k) {
        for (int i = 0; i < SIZE; ++i) /* a ramp of each colour, brighter from frame to frame */
            drawn[k][i] = (unsigned char)(40 * k + (i % 3 + 1) * (i / 3 % WIDTH) * 2 / 3);
        CHECK(gif_add(g, drawn[k], 5 + k));
    }
    CHECK(gif_end(g) && fclose(out) == 0);
    GifFileType *in = DGifOpenFileName(path, NULL);
    CHECK(in && DGifSlurp(in) == GIF_OK);
    CHECK(in->ImageCount == FRAMES && in->SWidth == WIDTH && in->SHeight == HEIGHT);
    for (int k = 0; k < FRAMES; ++k) {
        const SavedImage *image = in->SavedImages + k;
        const GifColorType *colours = image->ImageDesc.ColorMap->Colors;
        GraphicsControlBlock how;
        CHECK(DGifSavedExtensionToGCB(in, k, &how) == GIF_OK && how.DelayTime == 5 + k);
        for (int i = 0; i < WIDTH * HEIGHT; ++i) {
            const GifColorType *c = colours + image->RasterBits[i];
            CHECK(abs(c->Red - drawn[k][3 * i]) < 12 && abs(c->Blue - drawn[k][3 * i + 2]) < 12);
        }
    }
    DGifCloseFile(in, NULL);
    remove(path);
}
#endif

/* A free body that flies along x at 1 m/s, in two frames a second apart. */
static mo_recording a_flight(void)
{
    mo_world_def def = mo_default_world();
    mo_body_def body = mo_default_body(MO_BODY_FREE);
    const mo_shape_def ball = mo_shape_ball(0.1);
    mo_recording recording = {0};
    mo_step_report report;
    mo_world *world;
    memset(def.gravity, 0, sizeof def.gravity);
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    body.velocity[0] = 1;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &body, NULL), &ball, NULL).index);
    CHECK(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK);
    CHECK(mo_recording_add(&recording, world, 0, NULL, NULL) == MO_OK);
    CHECK(mo_world_step(world, 1, &report, NULL) == MO_OK);
    CHECK(mo_recording_add(&recording, world, 1, &report, NULL) == MO_OK);
    mo_world_destroy(world);
    return recording;
}

/* The least and the largest brightness on a grey ball. */
static void look_at_finish(double metallic, double roughness, float range[2])
{
    mo_world *world;
    mo_recording recording = {0};
    renderer r;
    render_def how = render_default();
    mo_shape_def ball = mo_shape_ball(0.5);
    ball.colour[0] = ball.colour[1] = ball.colour[2] = 0.4;
    ball.colour[3] = 1;
    ball.metallic = metallic;
    ball.roughness = roughness;
    how.width = how.height = 64;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_add_solid(world, MO_BODY_FREE, &ball, NULL, NULL).index);
    CHECK(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK);
    CHECK(mo_recording_add(&recording, world, 0, NULL, NULL) == MO_OK);
    CHECK(render_open(&r, &recording, &how) && render_frame(&r, 0));
    range[0] = 1;
    range[1] = 0;
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) {
            if (hypot(x - 31.5, y - 31.5) < 20) { /* within the outline */
                const colour c = r.small.pixel[64 * y + x];
                range[0] = fminf(range[0], c.green);
                range[1] = fmaxf(range[1], c.green);
            }
        }
    }
    render_close(&r);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

/* Polished metal has a highlight and mirrors the dark ground; rubber has neither. */
static void metal_shines_and_rubber_does_not(void **state)
{
    (void)state;
    float plain[2], metal[2], rough_metal[2], rubber[2];
    look_at_finish(0, 0, plain);
    look_at_finish(1, 0.2, metal);
    look_at_finish(1, 0.9, rough_metal);
    look_at_finish(0, 1, rubber);
    CHECK(metal[1] > plain[1] + 0.2F && metal[1] > rough_metal[1] + 0.2F);
    CHECK(metal[0] < plain[0] - 0.02F);
    CHECK_NEAR(rubber[1], plain[1], 0.04);
    CHECK_NEAR(rubber[0], plain[0], 0.06);
}

/* The eye that follows keeps the ball where it was; the one that turns by 90 degrees about it is
 * as far from it as before, at a right angle. */
static void the_camera_follows_and_rotates(void **state)
{
    (void)state;
    mo_recording recording = a_flight();
    render_def how = render_default();
    renderer r;
    double before[2], after[2], from[3], to[3];
    how.width = how.height = 64;
    how.follow = 1;
    CHECK(render_open(&r, &recording, &how) && render_frame(&r, 0));
    camera_see(&r.eye, recording.poses[0].position, before);
    memcpy(from, r.eye.eye, sizeof from);
    CHECK(render_frame(&r, 1));
    camera_see(&r.eye, recording.poses[1].position, after);
    CHECK_NEAR(after[0], before[0], 1e-9);
    CHECK_NEAR(after[1], before[1], 1e-9);
    CHECK_NEAR(r.eye.eye[0] - from[0], 1, 1e-9);
    render_close(&r);
    /* a body of its own is in the middle (of the canvas of twice the size) */
    how.followed = 0;
    CHECK(render_open(&r, &recording, &how) && render_frame(&r, 1));
    camera_see(&r.eye, recording.poses[1].position, after);
    CHECK_NEAR(after[0], 64, 1e-9);
    CHECK_NEAR(after[1], 64, 1e-9);
    render_close(&r);
    how.followed = -1;
    how.turn = PI / 2;
    CHECK(render_open(&r, &recording, &how) && render_frame(&r, 1));
    for (int k = 0; k < 3; ++k) {
        from[k] = r.first.eye[k] - recording.poses[0].position[k];
        to[k] = r.eye.eye[k] - recording.poses[1].position[k];
    }
    CHECK_NEAR(hypot(to[0], to[1]), hypot(from[0], from[1]), 1e-9);
    CHECK_NEAR(from[0] * to[0] + from[1] * to[1], 0, 1e-9);
    CHECK_NEAR(to[2], from[2], 1e-9);
    render_close(&r);
    mo_recording_clear(&recording);
}

/* Numbers and units have letters, and each of them leaves ink; scales are round. */
static void labels_can_be_read(void **state)
{
    (void)state;
    static const char NEEDED[] = "0123456789.-+eNmstxyz=";
    const colour black = {0, 0, 0};
    for (const char *letter = NEEDED; *letter; ++letter) {
        const char text[2] = {*letter, 0};
        canvas c;
        double ink = 0;
        CHECK(canvas_open(&c, 40, 40, 1));
        for (int k = 0; k < 1600; ++k)
            c.pixel[k] = (colour){1, 1, 1};
        CHECK(marks_text(&c, (const double[2]){8, 32}, 24, text, black) > 0);
        for (int k = 0; k < 1600; ++k)
            ink += 1 - (double)c.pixel[k].red;
        CHECK(ink > 8);
        canvas_close(&c);
    }
    CHECK_NEAR(marks_round(0.7), 0.5, 1e-12);
    CHECK_NEAR(marks_round(2e3), 2e3, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_covers_its_disc),
        cmocka_unit_test(a_box_is_a_hull_is_a_mesh),
        cmocka_unit_test(round_things_are_round),
        cmocka_unit_test(hulls_of_many_points_are_drawn_nearly),
        cmocka_unit_test(distances_in_the_plane),
        cmocka_unit_test(light_throws_shadows),
        cmocka_unit_test(metal_shines_and_rubber_does_not),
        cmocka_unit_test(the_camera_follows_and_rotates),
        cmocka_unit_test(labels_can_be_read),
#ifdef MOREAU_HAVE_GIF
        cmocka_unit_test(a_gif_reads_back),
#endif
#ifdef MOREAU_HAVE_WEBP
        cmocka_unit_test(an_animation_reads_back),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
