/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every request for memory of every reader fails once, with all that follow: the seeds of the
 * fuzzer, which have each kind of element, are read with an allocator that runs dry.  Nothing
 * crashes or leaks, and the error is that of memory with a sentence.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "fclib_samples.h"
#include "fuzz/fuzz_tools.h"
#include "io/mesh_file.h"
#include "moreau/recording.h"
#include "scarce_memory.h"

typedef mo_error read_fn(const char *path, const mo_allocator *allocator, mo_message *why);

/* And its world is built. */
static mo_error read_model(const char *path, const mo_allocator *allocator, mo_message *why)
{
    mo_model model = {0};
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    mo_error error = mo_model_read(path, allocator, &model, why);
    if (!error) {
        const mo_world_def def = mo_model_world(&model);
        error = mo_world_create(&def, allocator, &world, why);
    }
    error = error ? error : mo_model_build(&model, world, allocator, &robot, why);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
    return error;
}

static mo_error read_mesh(const char *path, const mo_allocator *allocator, mo_message *why)
{
    mo_mesh_file mesh = {0};
    size_t size = 0;
    const mo_error error = mo_mesh_file_read(path, "mesh", 1 << 20, allocator, &mesh, &size, why);
    mo_mesh_file_clear(allocator, &mesh);
    return error;
}

static mo_error read_problem(const char *path, const mo_allocator *allocator, mo_message *why)
{
    mo_document document = {0};
    const mo_error error = mo_fclib_read(path, allocator, &document, why);
    mo_document_clear(&document);
    return error;
}

static mo_error read_recording(const char *path, const mo_allocator *allocator, mo_message *why)
{
    mo_recording recording = {0};
    const mo_error error = mo_recording_read(path, allocator, &recording, why);
    mo_recording_clear(&recording);
    return error;
}

typedef struct reader {
    const char *name, *file;
    read_fn *read;
    int skipped; /* bytes before the file begins, which tell the fuzzer of what kind it is */
    int seeds;
} reader;

/* One seed: until enough memory is there for the whole. */
static void starve(void *user, const void *bytes, size_t size)
{
    enum { MOST = 100000 };
    reader *r = user;
    const uint8_t *data = bytes;
    const char *file = r->file;
    if (strcmp(r->name, "mesh") == 0) file = data[0] & 1 ? "in.obj" : "in.stl";
    const char *path = file_of(file, data + r->skipped, size - (size_t)r->skipped);
    const mo_allocator plenty = mo_allocator_or_default(NULL);
    mo_message whole = {{0}};
    const mo_error expected = r->read(path, &plenty, &whole);
    for (long k = 0; k < MOST; k += k < 300 ? 1 : 23) {
        scarce memory = {.left = k};
        const mo_allocator allocator = {scarce_reallocate, &memory};
        mo_message why = {{0}};
        const mo_error error = r->read(path, &allocator, &why);
        if (memory.live != 0)
            fail_msg("%s: request %ld fails, %ld blocks are left", r->name, k, memory.live);
        if (memory.left >= 0) {
            assert_int_equal(error, expected);
            break;
        }
        if ((error != MO_ERR_MEMORY && error != expected) || (error && !why.text[0]))
            fail_msg("%s: request %ld fails: error %d, '%s'", r->name, k, (int)error, why.text);
    }
    ++r->seeds;
}

static void every_request_of_every_reader_fails_once(void **state)
{
    (void)state;
    reader readers[] = {
        {"mjcf", "in.xml", read_model, 0, 0},
        {"urdf", "in.urdf", read_model, 0, 0},
        {"sdf", "in.sdf", read_model, 0, 0},
        {"mesh", "in.stl", read_mesh, 1, 0},
        {"collada", "in.dae", read_mesh, 0, 0},
        {"fclib", "in.hdf5", read_problem, 0, 0},
        {"recording", "in.hdf5", read_recording, 0, 0},
    };
    for (size_t k = 0; k < sizeof readers / sizeof *readers; ++k) {
        const fuzz_target *target = fuzz_target_find(readers[k].name);
        CHECK(target != NULL);
        target->seeds(starve, &readers[k]);
        CHECK(readers[k].seeds > 0);
    }
}

/* A certificate is read with the memory of its problem. */
static void every_request_of_a_certificate_fails_once(void **state)
{
    (void)state;
    enum { MOST = 10000 };
    char certificate[128], problem[128];
    mo_document document = fclib_sample_make(SAMPLE_GLOBAL_2D);
    mo_check_result check = {0};
    snprintf(certificate, sizeof certificate, "%s", path_of("in.txt"));
    snprintf(problem, sizeof problem, "%s", path_of("in.hdf5"));
    CHECK(mo_fclib_write(problem, &document, NULL) == MO_OK);
    CHECK(mo_check(document.problem, 200, &check) == MO_OK);
    CHECK(mo_check_write(certificate, document.problem, &check, NULL) == MO_OK);
    mo_check_clear(&check);
    mo_document_clear(&document);
    scarce memory = {.left = SCARCE_PLENTY};
    const mo_allocator allocator = {scarce_reallocate, &memory};
    CHECK(mo_fclib_read(problem, &allocator, &document, NULL) == MO_OK);
    long k = 0;
    for (memory.left = -1; k < MOST && memory.left < 0; ++k) {
        mo_message why = {{0}};
        const long before = memory.live;
        memory.left = k;
        const mo_error error = mo_check_read(certificate, document.problem, &check, &why);
        CHECK(memory.left >= 0 ? error == MO_OK : error == MO_ERR_MEMORY && why.text[0]);
        mo_check_clear(&check);
        assert_int_equal(memory.live, before);
    }
    CHECK(k > 3 && k < MOST);
    mo_document_clear(&document);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_of_every_reader_fails_once),
        cmocka_unit_test(every_request_of_a_certificate_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
