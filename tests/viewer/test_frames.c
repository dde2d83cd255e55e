/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Frames hold the world, by the offsets of docs/frames.md; replay pages hold the frames. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "check.h"

#include "frames.h"
#include "moreau/moreau.h"
#include "replay.h"
#include "worlds.h"

/* ---- reading, by the document alone ---------------------------------------------------------- */

static uint32_t u32_at(const unsigned char *bytes, size_t offset)
{
    const unsigned char *p = bytes + offset;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double f32_at(const unsigned char *bytes, size_t offset)
{
    const uint32_t bits = u32_at(bytes, offset);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double f64_at(const unsigned char *bytes, size_t offset)
{
    const uint64_t bits = u32_at(bytes, offset) | (uint64_t)u32_at(bytes, offset + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_floats(const unsigned char *bytes, size_t offset, const double *expected,
                         int count)
{
    for (int k = 0; k < count; ++k)
        CHECK(f32_at(bytes, offset + 4 * (size_t)k) == (double)(float)expected[k]);
}

static void check_contact(const unsigned char *bytes, size_t at, const mo_world *world, int k,
                          double h)
{
    const mo_contact contact = mo_world_contact(world, k);
    double force[3];
    for (int i = 0; i < 3; ++i)
        force[i] = contact.impulse[i] / h;
    check_floats(bytes, at, contact.point, 3);
    check_floats(bytes, at + 12, contact.normal, 3);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(f32_at(bytes, at + 24 + 4 * (size_t)i), force[i], 1e-6 * fabs(force[i]) + 1e-30);
    check_floats(bytes, at + 36, &contact.mu, 1);
    check_floats(bytes, at + 40, &contact.gap, 1);
    CHECK(u32_at(bytes, at + 44) == (uint32_t)contact.mode);
    CHECK(u32_at(bytes, at + 48) == (uint32_t)contact.a.index - 1);
    CHECK(u32_at(bytes, at + 52) == (uint32_t)contact.b.index - 1);
}

static void frames_hold_the_world(void **state)
{
    (void)state;
    const double h = 0.02;
    mo_world *world;
    mo_recording picture = {0};
    mo_step_report report;
    CHECK(world_create_default("stack", &world, NULL) == MO_OK);
    CHECK(mo_recording_begin(&picture, world, NULL, NULL) == MO_OK);
    for (int step = 0; step < 3; ++step) { /* written over and over */
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
        CHECK(frames_of_world(&picture, world, h, &report, NULL) == MO_OK);
    }
    const frames_numbers numbers = {
        .generation = 7, .steps = 3, .unsolved = 1, .milliseconds = 0.5, .rate = 2, .hand = 12.5};
    const size_t bodies = (size_t)mo_world_body_count(world),
                 contacts = (size_t)mo_world_contact_count(world);
    const size_t size = 100 + 28 * bodies + 56 * contacts;
    CHECK(contacts >= 40 && frames_size(&picture, 0, &numbers) == size);
    unsigned char *bytes = malloc(size + 8);
    memset(bytes, 0xAB, size + 8);
    frames_write(&picture, 0, &numbers, bytes);

    CHECK(memcmp(bytes, "FMO5", 4) == 0 && u32_at(bytes, 4) == 7);
    CHECK(f64_at(bytes, 8) == mo_world_time(world));
    check_floats(bytes, 16, &report.kinetic_energy, 1);
    check_floats(bytes, 20, &report.potential_energy, 1);
    check_floats(bytes, 24, &report.residual.natural_relative, 1);
    check_floats(bytes, 28, &report.penetration, 1);
    CHECK(f32_at(bytes, 32) == 0.5 && f32_at(bytes, 36) == 2);
    CHECK(u32_at(bytes, 40) == (uint32_t)report.status);
    CHECK(u32_at(bytes, 44) == 3 && u32_at(bytes, 48) == 1 && u32_at(bytes, 52) == bodies &&
          u32_at(bytes, 56) == contacts && u32_at(bytes, 92) == 0 && u32_at(bytes, 96) == contacts);
    check_floats(bytes, 84, &report.tolerance, 1);
    CHECK(report.tolerance > 0 && f32_at(bytes, 88) == 12.5);
    const mo_energy energy = mo_world_energy(world);
    check_floats(bytes, 76, &energy.rotation, 1);
    check_floats(bytes, 80, &energy.springs, 1);
    for (size_t k = 0; k < bodies; ++k) {
        const mo_pose pose = mo_body_get(world, mo_world_body(world, (int)k)).pose;
        check_floats(bytes, 100 + 28 * k, pose.position, 3);
        check_floats(bytes, 100 + 28 * k + 12, pose.orientation, 4);
    }
    for (size_t k = 0; k < contacts; ++k)
        check_contact(bytes, 100 + 28 * bodies + 56 * k, world, (int)k, h);
    CHECK(u32_at(bytes, size) == 0xABABABAB);          /* and not a byte more */
    const frames_numbers more = {.contacts = 1000000}; /* than the frame has */
    frames_write(&picture, 0, &more, bytes);
    CHECK(u32_at(bytes, 56) == contacts && u32_at(bytes, 96) == 1000000);
    free(bytes);
    mo_recording_clear(&picture);
    mo_world_destroy(world);
}

/* ---- drives ---------------------------------------------------------------------------------- */

static void drives_are_listed_with_a_range(void **state)
{
    (void)state;
    mo_world *world;
    CHECK(world_create_default("slider-crank", &world, NULL) == MO_OK);
    frames_drive *drives = NULL;
    CHECK(frames_drives(world, &drives) == 4 && drives);
    CHECK(drives[0].kind == MO_DRIVE_VELOCITY && drives[0].target == 6);
    CHECK(drives[0].least <= -6 && drives[0].most >= 6);
    CHECK(drives[1].kind == MO_DRIVE_NONE && drives[3].kind == MO_DRIVE_NONE);
    free(drives);
    mo_world_destroy(world);
}

/* ---- replay pages ---------------------------------------------------------------------------- */

static const char PAGE[] = "<html><body><p>a page, with </body > in it</p></body></html>\n";

static int letter(int c)
{
    static const char LETTERS[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = c ? strchr(LETTERS, c) : NULL;
    return place ? (int)(place - LETTERS) : -1;
}

/* What a replay page holds, unpacked; to be freed. */
static unsigned char *unpack(const char *html, size_t *size)
{
    static const char BEGIN[] =
        "<script type=\"application/x-moreau-recording\" id=\"moreau-recording\">";
    const char *at = strstr(html, BEGIN);
    CHECK(at != NULL);
    at += sizeof BEGIN - 1;
    unsigned char *packed = malloc(strlen(at)), *bytes = NULL;
    size_t packed_size = 0;
    for (; *at != '<'; at += 4) {
        int four[4], pads = 0;
        for (int k = 0; k < 4; ++k) {
            four[k] = letter(at[k]);
            pads += at[k] == '=';
            CHECK(four[k] >= 0 || at[k] == '=');
        }
        const unsigned all = (unsigned)four[0] << 18 | (unsigned)four[1] << 12 |
                             (unsigned)(pads < 2 ? four[2] : 0) << 6 |
                             (unsigned)(pads < 1 ? four[3] : 0);
        for (int k = 0; k < 3 - pads; ++k)
            packed[packed_size++] = (unsigned char)(all >> (16 - 8 * k));
    }
    CHECK(strncmp(at, "</script>\n</body></html>\n", 25) == 0); /* the page goes on and ends */
    *size = (size_t)4 << 20;
    bytes = malloc(*size);
    z_stream stream = {.next_in = packed, .avail_in = (unsigned)packed_size};
    stream.next_out = bytes;
    stream.avail_out = (unsigned)*size;
    CHECK(inflateInit2(&stream, 15 + 16) == Z_OK); /* gzip */
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    *size = stream.total_out;
    inflateEnd(&stream);
    free(packed);
    return bytes;
}

static mo_recording record(const char *scene, double h, int steps)
{
    mo_world *world;
    mo_recording recording = {0};
    mo_step_report report;
    CHECK(world_create_default(scene, &world, NULL) == MO_OK);
    CHECK(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK);
    CHECK(mo_recording_add(&recording, world, 0, NULL, NULL) == MO_OK);
    for (int k = 0; k < steps; ++k) {
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
        CHECK(mo_recording_add(&recording, world, h, &report, NULL) == MO_OK);
    }
    mo_world_destroy(world);
    return recording;
}

static void replay_pages_decode_to_the_recording(void **state)
{
    (void)state;
    const double h = 0.005;
    mo_recording recording = record("cradle", h, 99); /* 200 a second: thinned to 30 at most */
    char *html = NULL;
    size_t html_size = 0, size = 0;
    FILE *out = open_memstream(&html, &html_size);
    CHECK(replay_put_recording(&recording, "cradle", out, (const unsigned char *)PAGE,
                               sizeof PAGE - 1));
    CHECK(fclose(out) == 0);
    unsigned char *bytes = unpack(html, &size);
    size_t at = 4 + u32_at(bytes, 0); /* the scene comes first */
    CHECK(bytes[4] == '{' && bytes[at - 1] == '}');
    double before = -1;
    int frames = 0, k = 0;
    while (at < size) {
        const unsigned char *frame = bytes + at + 4;
        const double time = f64_at(frame, 8);
        while (k < recording.frame_count && recording.frames[k].time != time)
            ++k; /* in the order of time */
        CHECK(k < recording.frame_count);
        CHECK(u32_at(bytes, at) == frames_size(&recording, k, &(frames_numbers){0}));
        CHECK(before < 0 || time - before >= 1.0 / 30 - 1e-6 || k == recording.frame_count - 1);
        for (int i = 0; i < recording.body_count; ++i) {
            const mo_pose *pose = recording.poses + k * recording.body_count + i;
            check_floats(frame, 100 + 28 * (size_t)i, pose->position, 3);
            check_floats(frame, 100 + 28 * (size_t)i + 12, pose->orientation, 4);
        }
        before = time;
        at += 4 + u32_at(bytes, at);
        ++frames;
    }
    CHECK(at == size && k == recording.frame_count - 1); /* with the last one */
    CHECK(frames >= 14 && frames <= 17);
    free(bytes);
    free(html);
    mo_recording_clear(&recording);
}

static void long_runs_are_thinned_and_say_so(void **state)
{
    (void)state;
    mo_recording recording = record("incline", 0.05, 400); /* 20 s */
    const frames_numbers numbers = {.generation = 1};
    char note[REPLAY_NOTE];
    replay all = replay_begin(0), few = replay_begin(2000);
    for (int k = 0; k < recording.frame_count; ++k) {
        const int is_last = k + 1 == recording.frame_count;
        replay_add(&all, &recording, k, &numbers, is_last);
        replay_add(&few, &recording, k, &numbers, is_last);
        CHECK(few.bytes <= 2000);
    }
    CHECK(all.count == 401); /* 20 a second are below 30 */
    replay_note(&all, note);
    CHECK(note[0] == '\0');
    CHECK(few.count > 3 && few.count < 20);
    CHECK(few.frames[0].time == 0);
    CHECK(few.frames[few.count - 1].time == recording.frames[400].time);
    for (int k = 2; k < few.count; ++k) { /* evenly, but for the last */
        const double gap = few.frames[k].time - few.frames[k - 1].time;
        CHECK(k == few.count - 1 || gap >= few.interval - 1e-9);
    }
    replay_note(&few, note);
    CHECK(strstr(note, "frames a second") != NULL);
    replay_clear(&all);
    replay_clear(&few);
    mo_recording_clear(&recording);
}

/* One of the two opposite forces of a contact is shown, whichever body is named first. */
static void forces_are_shown_on_the_upper_body(void **state)
{
    (void)state;
    mo_recorded_body bodies[3] = {
        {.kind = MO_BODY_FIXED}, {.kind = MO_BODY_FREE}, {.kind = MO_BODY_FREE}};
    mo_recording recording = {.dimension = 3, .bodies = bodies, .body_count = 3};
    const mo_recorded_contact cases[] = {
        {.a = 1, .b = 2, .normal = {0, 0.6, 0.8}},  {.a = 2, .b = 1, .normal = {0, -0.6, -0.8}},
        {.a = 2, .b = 0, .normal = {0, 0, -1}},     {.a = 0, .b = 2, .normal = {0, 0, -1}},
        {.a = 1, .b = 2, .normal = {1, 0, -0.001}}, {.a = 2, .b = 1, .normal = {-1, 0, 0.001}},
    };
    const int expected[] = {1, -1, -1, 1, 1, -1};
    for (int k = 0; k < 6; ++k)
        CHECK(frames_shown_side(&recording, cases + k) == expected[k]);
}

/* The contacts of a pair are one link: the sum of their forces, at their weighted middle. */
static void contacts_of_a_pair_are_one_link(void **state)
{
    (void)state;
    mo_recorded_body bodies[3] = {
        {.kind = MO_BODY_FIXED}, {.kind = MO_BODY_FREE}, {.kind = MO_BODY_FREE}};
    mo_recorded_contact contacts[] = {
        {.a = 0, .b = 1, .point = {0, 0, 0}, .force = {0, 0, 3}},
        {.a = 0, .b = 1, .point = {4, 0, 0}, .force = {0, 0, 1}, .mode = MO_CONTACT_SLIDES},
        {.a = 1, .b = 2, .point = {0, 5, 0}, .force = {0, 0, 0}},
    };
    mo_recording recording = {
        .dimension = 3, .bodies = bodies, .body_count = 3, .contacts = contacts};
    const mo_recorded_frame frame = {.contact_count = 3};
    frames_link link;
    CHECK(frames_next_link(&recording, &frame, 0, &link) == 2);
    CHECK(link.force[2] == 4 && link.point[0] == 1 && link.slides);
    CHECK(!link.moves[0] && link.moves[1]);
    CHECK(frames_next_link(&recording, &frame, 2, &link) == 3);
    CHECK(link.force[2] == 0 && link.point[1] == 5 && link.moves[0] && link.moves[1]);
}

/* A body with shapes to look at shows those alone; a transparent one is not drawn; MuJoCo's grey
 * is no colour. */
static void visual_shapes_take_the_place_of_those_that_collide(void **state)
{
    (void)state;
    mo_recorded_body bodies[2] = {{.kind = MO_BODY_FREE}, {.kind = MO_BODY_FREE}};
    mo_recorded_shape shapes[] = {
        {.body = 0, .def = {.layer = 1}},
        {.body = 0, .def = {.layer = 0, .colour = {1, 0, 0, 1}}},
        {.body = 1, .def = {.layer = 1, .colour = {0.5, 0.5, 0.5, 1}}},
        {.body = 1, .def = {.layer = 1, .colour = {0.2, 0.5, 0.5, 0}}},
    };
    mo_recording recording = {
        .bodies = bodies, .body_count = 2, .shapes = shapes, .shape_count = 4};
    unsigned char drawn[4];
    CHECK(frames_drawn(&recording, drawn));
    CHECK(!drawn[0] && drawn[1] && drawn[2] && !drawn[3]);
    CHECK(!frames_has_colour(&shapes[0].def) && frames_has_colour(&shapes[1].def));
    CHECK(!frames_has_colour(&shapes[2].def) && frames_has_colour(&shapes[3].def));
    CHECK(!frames_has_finish(&shapes[0].def));
    shapes[0].def.roughness = 1; /* rubber */
    CHECK(frames_has_finish(&shapes[0].def));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_hold_the_world),
        cmocka_unit_test(drives_are_listed_with_a_range),
        cmocka_unit_test(replay_pages_decode_to_the_recording),
        cmocka_unit_test(long_runs_are_thinned_and_say_so),
        cmocka_unit_test(forces_are_shown_on_the_upper_body),
        cmocka_unit_test(contacts_of_a_pair_are_one_link),
        cmocka_unit_test(visual_shapes_take_the_place_of_those_that_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
