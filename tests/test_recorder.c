/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Recordings that are written as the run goes: a short one has the bytes of one that was written at
 * once, a long one holds a bounded amount of memory, and one whose process was killed, or whose
 * file was cut, is readable up to there.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "moreau/moreau.h"
#include "moreau/recording.h"

enum {
    BODIES = 4000,   /* 0.4 MB a frame: 32 MB are 80 frames */
    LONG_RUN = 200,  /* frames */
    KEPT = 32 << 20, /* bytes of frames in memory */
};

static const char *const PATH = "test_recorder.hdf5", *const PART = "test_recorder.hdf5.part";

static mo_world *make(int bodies)
{
    const mo_shape_def floor = mo_shape_plane(), ball = mo_shape_ball(0.1);
    const mo_world_def def = mo_default_world();
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    for (int k = 0; k < bodies; ++k) {
        const mo_pose at = mo_pose_at(k % 100, k / 100, 0.1 + k % 7);
        mo_world_add_solid(world, bodies < 10 ? MO_BODY_FREE : MO_BODY_FIXED, &ball, &at, NULL);
    }
    return world;
}

static char *all_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    CHECK(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void a_short_run_has_the_bytes_of_one_that_is_written_at_once(void **state)
{
    (void)state;
    mo_world *world = make(5);
    mo_recording whole = {0};
    mo_recorder *recorder;
    size_t size, other;
    CHECK(mo_recording_begin(&whole, world, NULL, NULL) == MO_OK);
    CHECK(mo_recording_set_title(&whole, "five", NULL) == MO_OK);
    CHECK(mo_recorder_create(PATH, world, "five", NULL, &recorder, NULL) == MO_OK);
    CHECK(access(PART, F_OK) == 0);
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK(mo_recording_add(&whole, world, 0.01, &report, NULL) == MO_OK);
        CHECK(mo_recorder_add(recorder, world, 0.01, &report, NULL) == MO_OK);
    }
    CHECK(mo_recorder_finish(recorder, NULL) == MO_OK);
    CHECK(access(PART, F_OK) != 0);
    CHECK(mo_recording_write("test_recorder_whole.hdf5", &whole, NULL) == MO_OK);
    char *a = all_of(PATH, &size), *b = all_of("test_recorder_whole.hdf5", &other);
    CHECK(size == other && memcmp(a, b, size) == 0);
    free(a);
    free(b);
    remove(PATH);
    remove("test_recorder_whole.hdf5");
    mo_recording_clear(&whole);
    mo_world_destroy(world);
}

/* Of a program that is killed in its first step. */
static void the_first_frame_is_on_the_disk_at_once(void **state)
{
    (void)state;
    mo_world *world = make(5);
    mo_recorder *recorder;
    mo_recording found;
    mo_message why = {{0}};
    CHECK(mo_recorder_create(PATH, world, NULL, NULL, &recorder, NULL) == MO_OK);
    CHECK(mo_recorder_add(recorder, world, 0, NULL, NULL) == MO_OK);
    if (mo_recording_read(PART, NULL, &found, &why)) fail_msg("%s", why.text);
    CHECK(found.frame_count == 1 && found.body_count == 6);
    mo_recording_clear(&found);
    mo_recorder_destroy(recorder);
    remove(PART);
    mo_world_destroy(world);
}

/* ---- long runs --------------------------------------------------------------------------- */

/* Frame k has body 1 at x = k. */
static void add_frame(mo_recorder *recorder, mo_world *world, int k)
{
    const double still[3] = {0};
    const mo_pose at = mo_pose_at(k, 0, 0);
    CHECK(mo_body_set(world, mo_world_body(world, 1), &at, still, still, NULL) == MO_OK);
    CHECK(mo_recorder_add(recorder, world, 0, NULL, NULL) == MO_OK);
}

/* What the file holds are the first frames, in their order; how many. */
static int frames_in(const char *path)
{
    mo_recording found;
    mo_message why = {{0}};
    if (mo_recording_read(path, NULL, &found, &why)) fail_msg("%s", why.text);
    CHECK(found.body_count == BODIES + 1);
    for (int k = 0; k < found.frame_count; ++k) {
        const mo_pose *poses = found.poses + (size_t)k * (BODIES + 1);
        CHECK(poses[1].position[0] == k && poses[BODIES].position[0] == (BODIES - 1) % 100);
    }
    const int count = found.frame_count;
    mo_recording_clear(&found);
    return count;
}

typedef struct counter {
    size_t now, most;
} counter;

static void *counted(void *user, void *p, size_t size)
{
    enum { HEAD = sizeof(max_align_t) };
    counter *count = user;
    char *old = p ? (char *)p - HEAD : NULL;
    size_t had = 0;
    if (old) memcpy(&had, old, sizeof had);
    char *block = size ? realloc(old, size + HEAD) : NULL;
    if (size == 0)
        free(old);
    else if (block)
        memcpy(block, &size, sizeof size);
    count->now += size - had;
    count->most = count->now > count->most ? count->now : count->most;
    return block ? block + HEAD : NULL;
}

static void a_long_run_is_complete_and_holds_a_bounded_amount_of_memory(void **state)
{
    (void)state;
    counter count = {0, 0};
    const mo_allocator allocator = {counted, &count};
    mo_world *world = make(BODIES);
    mo_recorder *recorder;
    CHECK(mo_recorder_create(PATH, world, NULL, &allocator, &recorder, NULL) == MO_OK);
    for (int k = 0; k < LONG_RUN; ++k)
        add_frame(recorder, world, k);
    CHECK(mo_recorder_finish(recorder, NULL) == MO_OK);
    CHECK(count.now == 0);
    CHECK(count.most <
          4 * (size_t)KEPT); /* the arrays grow by halves, and the file is made of them */
    CHECK(frames_in(PATH) == LONG_RUN && access(PART, F_OK) != 0);
    remove(PATH);
    mo_world_destroy(world);
}

static void the_recording_of_a_killed_run_is_readable(void **state)
{
    (void)state;
    const pid_t child = fork();
    int status;
    size_t size;
    if (child == 0) {
        mo_world *world = make(BODIES);
        mo_recorder *recorder;
        CHECK(mo_recorder_create(PATH, world, NULL, NULL, &recorder, NULL) == MO_OK);
        for (int k = 0; k < LONG_RUN; ++k)
            add_frame(recorder, world, k);
        kill(getpid(), SIGKILL);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    CHECK(access(PATH, F_OK) != 0);
    const int found = frames_in(PART);
    CHECK(found >= LONG_RUN / 2 && found <= LONG_RUN);
    free(all_of(PART, &size));
    CHECK(truncate(PART, (long)size - 1000) == 0); /* killed while it wrote */
    const int fewer = frames_in(PART);
    CHECK(fewer > 0 && fewer < found);
    remove(PART);
}

static void a_path_that_cannot_be_written_is_known_at_the_start(void **state)
{
    (void)state;
    mo_world *world = make(1);
    mo_recorder *recorder;
    mo_message why = {{0}};
    CHECK(mo_recorder_create("no/such/folder/run.hdf5", world, NULL, NULL, &recorder, &why) ==
          MO_ERR_FILE);
    CHECK(!recorder && strstr(why.text, "no/such/folder"));
    CHECK(mo_recorder_create(".", world, NULL, NULL, &recorder, &why) == MO_ERR_FILE);
    CHECK(!recorder && strstr(why.text, "a directory"));
    CHECK(symlink(PATH, PATH) == 0);
    CHECK(mo_recorder_create(PATH, world, NULL, NULL, &recorder, &why) == MO_ERR_FILE);
    CHECK(!recorder && access(PART, F_OK) != 0 && unlink(PATH) == 0);
    mo_world_destroy(world);
}

/* The disk is full for a while: a limit on the size of files stands for it. */
static void a_disk_that_is_full_for_a_while_loses_no_frame(void **state)
{
    (void)state;
    enum { FRAMES = 100, FULL_FROM = 60, FULL_TO = 95 };
    mo_world *world = make(BODIES);
    mo_recorder *recorder;
    mo_message why = {{0}};
    struct rlimit before;
    int refused = 0;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const struct rlimit full = {4 << 20, before.rlim_max};
    CHECK(mo_recorder_create(PATH, world, NULL, NULL, &recorder, &why) == MO_OK);
    for (int k = 0; k < FRAMES; ++k) {
        const double still[3] = {0};
        const mo_pose at = mo_pose_at(k, 0, 0);
        CHECK(setrlimit(RLIMIT_FSIZE, k >= FULL_FROM && k < FULL_TO ? &full : &before) == 0);
        CHECK(mo_body_set(world, mo_world_body(world, 1), &at, still, still, NULL) == MO_OK);
        const mo_error error = mo_recorder_add(recorder, world, 0, NULL, &why);
        CHECK(!error || (k >= FULL_FROM && k < FULL_TO && error == MO_ERR_FILE &&
                         strstr(why.text, "File too large")));
        if (error && !refused++) CHECK(frames_in(PART) <= k); /* what is there is whole */
    }
    CHECK(refused > 0);
    CHECK(mo_recorder_finish(recorder, &why) == MO_OK && frames_in(PATH) == FRAMES);
    remove(PATH);
    mo_world_destroy(world);
}

/* Frames in memory are not lost with the recorder: what the disk has room for is in PATH.part. */
static void a_disk_that_stays_full_keeps_the_frames_that_fit(void **state)
{
    (void)state;
    enum { FRAMES = 20 }; /* 8 MB */
    mo_world *world = make(BODIES);
    mo_recorder *recorder;
    mo_message why = {{0}};
    struct rlimit before;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(mo_recorder_create(PATH, world, NULL, NULL, &recorder, &why) == MO_OK);
    for (int k = 0; k < FRAMES; ++k)
        add_frame(recorder, world, k);
    const struct rlimit full = {5 << 20, before.rlim_max};
    CHECK(setrlimit(RLIMIT_FSIZE, &full) == 0);
    CHECK(mo_recorder_finish(recorder, &why) == MO_ERR_FILE && strstr(why.text, "File too large"));
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    const int kept = frames_in(PART);
    CHECK(kept >= FRAMES / 3 && kept < FRAMES && access(PATH, F_OK) != 0);
    remove(PART);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_frame_is_on_the_disk_at_once),
        cmocka_unit_test(a_short_run_has_the_bytes_of_one_that_is_written_at_once),
        cmocka_unit_test(a_long_run_is_complete_and_holds_a_bounded_amount_of_memory),
        cmocka_unit_test(the_recording_of_a_killed_run_is_readable),
        cmocka_unit_test(a_path_that_cannot_be_written_is_known_at_the_start),
        cmocka_unit_test(a_disk_that_is_full_for_a_while_loses_no_frame),
        cmocka_unit_test(a_disk_that_stays_full_keeps_the_frames_that_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
