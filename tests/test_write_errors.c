/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Files that cannot be written: the disk is full (a limit on the size of files stands for it), the
 * folder vanishes, the path is a loop, too long, or leads through a file.  Each writer says so in a
 * sentence that names the file, the old file is as it was, and nothing is left beside it.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <dirent.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fclib_samples.h"
#include "io/file.h"
#include "moreau/moreau.h"
#include "moreau/recording.h"
#include "temporary.h"

enum { ROOM = TEMPORARY_ROOM + 16, LARGEST = 100 /* bytes of a file on a full disk */ };

static char folder[TEMPORARY_ROOM];

static const char *in_folder(const char *name)
{
    static char path[ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int open_folder(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN); /* as in every program that looks at what write says */
#ifdef _OPENMP
    omp_get_max_threads(); /* clang's library writes a file when it starts */
#endif
    return temporary_folder(folder, "write-errors-XXXXXX") ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    unlink(in_folder("x"));
    return rmdir(folder);
}

static void fill_disk(int is_full)
{
    static struct rlimit before;
    if (is_full) CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const struct rlimit now = {is_full ? LARGEST : before.rlim_cur, before.rlim_max};
    CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *list = opendir(folder);
    CHECK(list != NULL);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += entry->d_name[0] != '.' || strncmp(entry->d_name, ".moreau", 7) == 0;
    closedir(list);
    return count;
}

/* ---- the writers ----------------------------------------------------------------------------- */

static mo_world *make_world(void)
{
    const mo_shape_def floor = mo_shape_plane(), ball = mo_shape_ball(0.1);
    const mo_world_def def = mo_default_world();
    const mo_pose at = mo_pose_at(0, 0, 1);
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    mo_world_add_solid(world, MO_BODY_FREE, &ball, &at, NULL);
    return world;
}

static mo_error write_problem(const char *path, mo_message *why)
{
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_2D);
    const mo_error error = mo_fclib_write(path, &document, why);
    mo_document_clear(&document);
    return error;
}

static mo_error write_recording(const char *path, mo_message *why)
{
    mo_world *world = make_world();
    mo_recording recording = {0};
    CHECK(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK);
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    CHECK(mo_recording_add(&recording, world, 0.01, NULL, NULL) == MO_OK);
    const mo_error error = mo_recording_write(path, &recording, why);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
    return error;
}

static mo_error write_certificate(const char *path, mo_message *why)
{
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_2D);
    mo_check_result check = {0};
    CHECK(mo_check(document.problem, 200, &check) == MO_OK);
    const mo_error error = mo_check_write(path, document.problem, &check, why);
    mo_check_clear(&check);
    mo_document_clear(&document);
    return error;
}

static mo_error write_model(const char *path, mo_message *why)
{
    mo_model model;
    CHECK(mo_model_read(MOREAU_SOURCE_DIR "/scenes/models/arm.xml", NULL, &model, NULL) == MO_OK);
    const mo_error error = mo_model_write(path, &model, why);
    mo_model_clear(&model);
    return error;
}

/* The part is made at the start, the whole at the end. */
static mo_error write_as_it_goes(const char *path, mo_message *why)
{
    mo_world *world = make_world();
    mo_recorder *recorder = NULL;
    mo_error error = mo_recorder_create(path, world, NULL, NULL, &recorder, why);
    if (!error) {
        CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
        error = mo_recorder_add(recorder, world, 0.01, NULL, why);
    }
    if (!error)
        error = mo_recorder_finish(recorder, why);
    else
        mo_recorder_destroy(recorder);
    mo_world_destroy(world);
    return error;
}

typedef mo_error write_fn(const char *path, mo_message *why);
static write_fn *const WRITERS[] = {write_problem, write_recording, write_certificate, write_model,
                                    write_as_it_goes};
enum { WRITER_COUNT = sizeof WRITERS / sizeof WRITERS[0] };

static void check_refused(int k, const char *path, const char *fragment)
{
    mo_message why = {{0}};
    const mo_error error = WRITERS[k](path, &why);
    if (error != MO_ERR_FILE || !strstr(why.text, fragment))
        fail_msg("writer %d: error %d, '%s' lacks '%s'", k, (int)error, why.text, fragment);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    for (int k = 0; k < WRITER_COUNT; ++k) {
        char text[8] = "";
        FILE *old = fopen(in_folder("x"), "w");
        CHECK(old && fputs("old", old) >= 0 && fclose(old) == 0);
        fill_disk(1);
        check_refused(k, in_folder("x"), "cannot be written");
        fill_disk(0);
        old = fopen(in_folder("x"), "r");
        CHECK(old && fgets(text, sizeof text, old) && strcmp(text, "old") == 0);
        fclose(old);
        unlink(in_folder("x.part"));
        assert_int_equal(files_in_folder(), 1);
    }
}

static void a_path_that_leads_nowhere_is_refused_by_name(void **state)
{
    (void)state;
    static char longest[2 * MO_PATH], full[MO_PATH];
    memset(longest, 'a', sizeof longest - 1);
    for (size_t k = 0; k < sizeof full - 1;
         ++k) /* a path of short names that has room for no more */
        full[k] = k % 2 ? '/' : '.';
    full[sizeof full - 2] = 'x';
    CHECK(symlink("loop", in_folder("loop")) == 0);
    fclose(fopen(in_folder("x"), "w"));
    for (int k = 0; k < WRITER_COUNT; ++k) {
        check_refused(k, in_folder("loop"), "symbolic links");
        check_refused(k, in_folder("x/y"), "Not a directory");
        check_refused(k, in_folder("none/y"), "No such file");
        check_refused(k, folder, "a directory");
        check_refused(k, "/dev/full", "not a regular file");
        check_refused(k, longest, "too long");
        check_refused(k, full, "too long");
        check_refused(k, "", "No such file");
    }
    unlink(in_folder("loop"));
    assert_int_equal(files_in_folder(), 1);
}

/* Whatever happens to the folder between the beginning and the end. */
static void a_temporary_file_that_vanishes_is_noticed(void **state)
{
    (void)state;
    mo_replacement r;
    mo_message why = {{0}};
    CHECK(mo_replace_begin(&r, in_folder("x"), &why) == MO_OK && unlink(r.temporary) == 0);
    CHECK(mo_replace_write(&r, "text", 4, &why) == MO_ERR_FILE && strstr(why.text, "No such file"));
    CHECK(mo_replace_begin(&r, in_folder("x"), &why) == MO_OK && unlink(r.temporary) == 0);
    CHECK(mo_replace_commit(&r, &why) == MO_ERR_FILE && strstr(why.text, "No such file"));
    /* the target has become a folder */
    CHECK(mo_replace_begin(&r, in_folder("y"), &why) == MO_OK);
    CHECK(mkdir(in_folder("y"), 0777) == 0);
    CHECK(mo_replace_commit(&r, &why) == MO_ERR_FILE && strstr(why.text, "directory"));
    CHECK(rmdir(in_folder("y")) == 0);
    assert_int_equal(files_in_folder(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(a_path_that_leads_nowhere_is_refused_by_name),
        cmocka_unit_test(a_temporary_file_that_vanishes_is_noticed),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
