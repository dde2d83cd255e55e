/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Recordings: files that are damaged or do not hold together. */
#include "recording_worlds.h"

#include <hdf5.h>

/* ---- bad files ------------------------------------------------------------------------------- */

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    CHECK(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

/* Reads a file that may be anything; an error comes with a sentence, and leaves nothing behind. */
static mo_error try_file(void)
{
    mo_recording recording;
    mo_message why = {{0}};
    const mo_error error = mo_recording_read(temporary(), NULL, &recording, &why);
    if (error) {
        CHECK(why.text[0] != 0);
        CHECK(recording.bodies == NULL && recording.frame_count == 0);
    }
    mo_recording_clear(&recording);
    return error;
}

static void damaged_files_get_a_sentence_and_never_crash(void **state)
{
    (void)state;
    enum { CASES = 300 };
    mo_world *world = make_world();
    mo_recording recording;
    mo_random random = {7};
    size_t size;
    int refused = 0;
    record(world, 0.01, 2, &recording);
    CHECK(mo_recording_write(temporary(), &recording, NULL) == MO_OK);
    char *bytes = read_bytes(temporary(), &size);
    for (int k = 0; k < CASES; ++k) {
        char *damaged = malloc(size);
        memcpy(damaged, bytes, size);
        for (int i = 0; i < 4; ++i) {
            const size_t at = (size_t)(mo_random_unit(&random) * (double)size);
            damaged[at] = (char)(256 * mo_random_unit(&random) - 128);
        }
        write_bytes(temporary(), damaged, k % 10 ? size : size / 2 + (size_t)k);
        refused += try_file() != MO_OK;
        free(damaged);
    }
    CHECK(refused >= CASES / 10); /* every tenth is cut short */
    free(bytes);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

/* Writes a recording that was changed, and expects a sentence with these words. */
static void expect(const mo_recording *recording, const char *words)
{
    mo_recording back = {0};
    mo_message why = {{0}};
    CHECK(mo_recording_write(temporary(), recording, NULL) == MO_OK);
    CHECK(mo_recording_read(temporary(), NULL, &back, &why) == MO_ERR_FORMAT);
    if (!strstr(why.text, words)) fail_msg("'%s' does not say '%s'", why.text, words);
}

static void files_that_do_not_hold_together_are_refused(void **state)
{
    (void)state;
    mo_world *world = make_world();
    mo_recording r;
    record(world, 0.01, 2, &r);

    r.contacts[1].b = 5;
    expect(&r, "contacts/b is 5, outside 0 to 4");
    r.contacts[1].b = -1;
    expect(&r, "contacts/b is -1");
    r.contacts[1].b = 1;
    r.contacts[0].mode = (mo_contact_mode)7;
    expect(&r, "contacts/mode");
    r.contacts[0].mode = MO_CONTACT_APART;
    r.frames[1].contact_count += 1;
    expect(&r, "do not add up");
    r.frames[1].contact_count -= 1;
    r.shapes[1].body = 5;
    expect(&r, "shapes/body is 5, outside 0 to 4");
    r.shapes[1].body = 1;
    r.shapes[0].def.kind = (mo_shape_kind)99;
    expect(&r, "shapes/kind");
    r.shapes[0].def.kind = MO_SHAPE_PLANE;
    r.shapes[r.shape_count - 1].def.point_count = 3; /* of 4, and triangles use the last */
    expect(&r, "has 3 points");
    r.shapes[r.shape_count - 1].def.point_count = 4;
    r.poses[2].orientation[1] += 0.5;
    expect(&r, "quaternion");
    r.poses[2].orientation[1] -= 0.5;
    r.velocities[3][2] = NAN;
    expect(&r, "velocities");
    r.velocities[3][2] = 0;
    r.contacts[0].mu = -1;
    expect(&r, "contacts/mu");
    r.contacts[0].mu = INFINITY; /* rough without end is allowed */
    r.dimension = 4;
    expect(&r, "dimension");
    r.dimension = 3;
    mo_recording back = write_and_read(&r);
    CHECK(isinf(back.contacts[0].mu));
    mo_recording_clear(&back);
    mo_recording_clear(&r);
    mo_world_destroy(world);
}

/* A slider and its crank: the two anchors of every joint meet in every frame, where the poses put
 * them. */
static void joints_are_recorded_where_their_bodies_have_them(void **state)
{
    (void)state;
    mo_world *world;
    mo_recording recording;
    CHECK(world_create_default("slider-crank", &world, NULL) == MO_OK);
    record(world, 0.005, 40, &recording);
    mo_recording back = write_and_read(&recording);
    CHECK(back.joint_count == 4 && back.joints[0].a == -1 && back.joints[0].b == 0);
    CHECK(back.joints[1].kind == MO_JOINT_REVOLUTE && back.joints[3].kind == MO_JOINT_PRISMATIC);
    for (int k = 0; k < 4; ++k) {
        const mo_recorded_joint *x = recording.joints + k, *y = back.joints + k;
        CHECK(x->kind == y->kind && x->a == y->a && x->b == y->b);
        assert_memory_equal(x->anchor, y->anchor, sizeof x->anchor);
        assert_memory_equal(x->axis, y->axis, sizeof x->axis);
    }
    CHECK(back.joints[3].axis[0] == 1 && back.joints[3].axis[1] == 0);
    for (int frame = 0; frame < back.frame_count; ++frame) {
        const mo_pose *poses = back.poses + frame * back.body_count, still = mo_pose_identity();
        for (int k = 0; k < 3; ++k) { /* the hinges */
            const mo_recorded_joint *joint = back.joints + k;
            double a[3], b[3];
            mo_pose_point(joint->a < 0 ? &still : poses + joint->a, joint->anchor[0], a);
            mo_pose_point(poses + joint->b, joint->anchor[1], b);
            CHECK_NEAR(a[0], b[0], 1e-3); /* what a step of 5 ms leaves open */
            CHECK_NEAR(a[1], b[1], 1e-3);
        }
    }
    recording.joints[2].b = 3;
    expect(&recording, "joints/b is 3, outside -1 to 2");
    recording.joints[2].b = -2;
    expect(&recording, "joints/b is -2");
    recording.joints[2].b = 2;
    mo_recording_clear(&back);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

/* A file from before joints were kept: the same without their group, here under another name. */
static void a_file_without_joints_is_read(void **state)
{
    (void)state;
    mo_world *world;
    mo_recording recording, back = {0};
    mo_message why = {{0}};
    size_t size;
    int renamed = 0;
    CHECK(world_create_default("chain", &world, NULL) == MO_OK);
    record(world, 0.01, 2, &recording);
    CHECK(recording.joint_count > 0);
    CHECK(mo_recording_write(temporary(), &recording, NULL) == MO_OK);
    char *bytes = read_bytes(temporary(), &size);
    for (size_t k = 0; k + 6 < size; ++k) {
        if (memcmp(bytes + k, "joints", 7) == 0) {
            bytes[k + 5] = 'z';
            ++renamed;
        }
    }
    CHECK(renamed == 1);
    write_bytes(temporary(), bytes, size);
    if (mo_recording_read(temporary(), NULL, &back, &why)) fail_msg("%s", why.text);
    CHECK(back.joint_count == 0 && back.frame_count == 3);
    free(bytes);
    mo_recording_clear(&back);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

/* A vector of the file in place of the one that it has. */
static void put_numbers(const char *name, hsize_t count, const double *values)
{
    const hid_t f = H5Fopen(temporary(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &count, NULL);
    CHECK(f >= 0 && space >= 0 && H5Ldelete(f, name, H5P_DEFAULT) >= 0);
    const hid_t set =
        H5Dcreate2(f, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    CHECK(H5Dclose(set) >= 0 && H5Sclose(space) >= 0 && H5Fclose(f) >= 0);
}

static void put_version(int version)
{
    const hid_t f = H5Fopen(temporary(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(f, "/moreau_recording/version", H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &version) >= 0);
    CHECK(H5Dclose(set) >= 0 && H5Fclose(f) >= 0);
}

static void vectors_of_other_lengths_and_other_versions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *words;
        int count;
    } CASES[] = {{"gravity", "gravity has 2 entries where 3 are needed", 2},
                 {"frames/poses", "poses has 7 entries", 7},
                 {"frames/velocities", "velocities has 1 entries", 1},
                 {"contacts/mu", "mu has 1 entries", 1},
                 {"shapes/points", "belong to no shape", 300}};
    const double zeros[300] = {0};
    mo_world *world = make_world();
    mo_recording recording, back;
    mo_message why = {{0}};
    record(world, 0.01, 2, &recording);
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; ++k) {
        char path[64];
        snprintf(path, sizeof path, "/moreau_recording/%s", CASES[k].name);
        CHECK(mo_recording_write(temporary(), &recording, NULL) == MO_OK);
        put_numbers(path, (hsize_t)CASES[k].count, zeros);
        CHECK(mo_recording_read(temporary(), NULL, &back, &why) == MO_ERR_FORMAT);
        if (!strstr(why.text, CASES[k].words))
            fail_msg("'%s' does not say '%s'", why.text, CASES[k].words);
    }
    CHECK(mo_recording_write(temporary(), &recording, NULL) == MO_OK);
    put_version(77);
    CHECK(mo_recording_read(temporary(), NULL, &back, &why) == MO_ERR_UNSUPPORTED);
    CHECK(strstr(why.text, "version 77") != NULL);
    mo_document document = {0};
    CHECK(mo_fclib_read(temporary(), NULL, &document, &why) == MO_ERR_FORMAT);
    CHECK(strstr(why.text, "is a recording of a simulation") != NULL);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

static void other_files_are_not_taken_for_recordings(void **state)
{
    (void)state;
    mo_recording recording;
    mo_message why = {{0}};
    CHECK(mo_recording_read("no-such-file.hdf5", NULL, &recording, &why) == MO_ERR_FILE);
    CHECK(strstr(why.text, "no-such-file.hdf5") != NULL);
    write_bytes(temporary(), "time,body\n", 10);
    CHECK(mo_recording_read(temporary(), NULL, &recording, &why) == MO_ERR_FORMAT);
    mo_world *world = make_world();
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    const mo_problem *taken = mo_world_problem(world);
    mo_document document = {0};
    memcpy(&document.problem, &taken, sizeof taken);
    CHECK(mo_fclib_write(temporary(), &document, NULL) == MO_OK);
    CHECK(mo_recording_read(temporary(), NULL, &recording, &why) == MO_ERR_FORMAT);
    CHECK(strstr(why.text, "is it a recording?") != NULL);
    CHECK(mo_recording_write("no/such/folder.hdf5", &(mo_recording){.dimension = 3}, &why) ==
          MO_ERR_FILE);
    CHECK(mo_recording_write(temporary(), &(mo_recording){0}, &why) == MO_ERR_ARGUMENT);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_get_a_sentence_and_never_crash),
        cmocka_unit_test(files_that_do_not_hold_together_are_refused),
        cmocka_unit_test(joints_are_recorded_where_their_bodies_have_them),
        cmocka_unit_test(a_file_without_joints_is_read),
        cmocka_unit_test(vectors_of_other_lengths_and_other_versions_are_refused),
        cmocka_unit_test(other_files_are_not_taken_for_recordings),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
