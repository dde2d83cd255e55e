/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Recordings: what is written is read back bit for bit, forces are those of the world, and bad
 * files get a sentence. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#include "moreau/moreau.h"
#include "scarce_memory.h"
#include "worlds.h"

static const double G = 9.81;

/* A file of this process, removed by the next test that uses the name. */
static const char *temporary(void)
{
    static char path[64];
    snprintf(path, sizeof path, "recording-%ld.hdf5", (long)getpid());
    return path;
}

static mo_body_id add_body(mo_world *world, mo_body_kind kind, const char *name, mo_pose pose)
{
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    def.name = name;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(body.index > 0);
    return body;
}

static void add_shape(mo_world *world, mo_body_id body, mo_shape_def shape)
{
    mo_message why = {{0}};
    if (!mo_world_add_shape(world, body, &shape, &why).index) {
        fail_msg("%s", why.text);
    }
}

/* A cube, a tetrahedron and a compound on the ground, beside a mesh: every array of a shape is in
 * use. */
static mo_world *make_world(void)
{
    static const double tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double ramp[] = {9, 0, 0, 12, 0, 0, 9, 3, 0, 12, 3, 1};
    static const int triangles[] = {0, 1, 2, 1, 3, 2};
    mo_world *world;
    const mo_world_def def = mo_default_world();
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    add_shape(world, add_body(world, MO_BODY_FIXED, "ground", mo_pose_identity()),
              mo_shape_plane());
    add_shape(world, add_body(world, MO_BODY_FREE, "a cube", mo_pose_at(0, 0, 0.5)),
              mo_shape_box(0.5, 0.5, 0.5));
    add_shape(world, add_body(world, MO_BODY_FREE, NULL, mo_pose_at(3, 0, 0)),
              mo_shape_hull(tetrahedron, 4));
    const mo_body_id both = add_body(world, MO_BODY_FREE, "two\nlines", mo_pose_at(-3, 0, 0.25));
    mo_shape_def red = mo_shape_ball(0.25);
    red.colour[0] = red.colour[3] = 1;
    red.metallic = 1;
    red.roughness = 0.25;
    add_shape(world, both, red);
    add_shape(world, both, mo_shape_capsule((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, 0.25));
    add_shape(world, add_body(world, MO_BODY_FIXED, "ramp", mo_pose_identity()),
              mo_shape_mesh(ramp, 4, triangles, 6));
    return world;
}

/* The start and so many steps. */
static void record(mo_world *world, double h, int steps, mo_recording *recording)
{
    mo_message why = {{0}};
    CHECK(mo_recording_begin(recording, world, NULL, &why) == MO_OK);
    CHECK(mo_recording_add(recording, world, 0, NULL, &why) == MO_OK);
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        if (mo_world_step(world, h, &report, &why) ||
            mo_recording_add(recording, world, h, &report, &why)) {
            fail_msg("%s", why.text);
        }
    }
}

static mo_recording write_and_read(const mo_recording *recording)
{
    mo_message why = {{0}};
    mo_recording back = {0};
    if (mo_recording_write(temporary(), recording, &why) ||
        mo_recording_read(temporary(), NULL, &back, &why)) {
        fail_msg("%s", why.text);
    }
    return back;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void check_shapes(const mo_recording *a, const mo_recording *b)
{
    CHECK(a->shape_count == b->shape_count);
    for (int k = 0; k < a->shape_count; ++k) {
        mo_shape_def x = a->shapes[k].def, y = b->shapes[k].def;
        CHECK(a->shapes[k].body == b->shapes[k].body && x.kind == y.kind);
        CHECK(x.point_count == y.point_count && x.index_count == y.index_count);
        if (x.point_count) {
            assert_memory_equal(x.points, y.points, 24 * (size_t)x.point_count);
        }
        if (x.index_count) {
            assert_memory_equal(x.indices, y.indices, 4 * (size_t)x.index_count);
        }
        CHECK(x.radius == y.radius && x.density == y.density && x.layer == y.layer &&
              x.mask == y.mask);
        assert_memory_equal(&x.pose, &y.pose, sizeof x.pose);
        assert_memory_equal(x.half, y.half, sizeof x.half);
        assert_memory_equal(x.ends, y.ends, sizeof x.ends);
        assert_memory_equal(&x.material, &y.material, sizeof x.material);
        assert_memory_equal(x.colour, y.colour, sizeof x.colour);
        CHECK(x.metallic == y.metallic && x.roughness == y.roughness);
    }
}

static void check_frames(const mo_recording *a, const mo_recording *b)
{
    CHECK(a->frame_count == b->frame_count && a->contact_count == b->contact_count);
    for (int k = 0; k < a->frame_count; ++k) {
        const mo_recorded_frame *x = a->frames + k, *y = b->frames + k;
        CHECK(x->time == y->time && x->step == y->step && x->residual == y->residual);
        CHECK(x->kinetic_energy == y->kinetic_energy && x->potential_energy == y->potential_energy);
        CHECK(x->rotation_energy == y->rotation_energy && x->spring_energy == y->spring_energy);
        CHECK(x->penetration == y->penetration && x->status == y->status);
        CHECK(x->first_contact == y->first_contact && x->contact_count == y->contact_count);
    }
    const size_t rows = (size_t)a->frame_count * (size_t)a->body_count;
    assert_memory_equal(a->poses, b->poses, rows * sizeof *a->poses);
    assert_memory_equal(a->velocities, b->velocities, rows * sizeof *a->velocities);
    for (int k = 0; k < a->contact_count; ++k) {
        const mo_recorded_contact *x = a->contacts + k, *y = b->contacts + k;
        CHECK(x->a == y->a && x->b == y->b && x->mode == y->mode && x->gap == y->gap &&
              x->mu == y->mu);
        CHECK(x->id[0] == y->id[0] && x->id[1] == y->id[1]);
        assert_memory_equal(x->point, y->point, sizeof x->point);
        assert_memory_equal(x->normal, y->normal, sizeof x->normal);
        assert_memory_equal(x->force, y->force, sizeof x->force);
        assert_memory_equal(x->moment, y->moment, sizeof x->moment);
        assert_memory_equal(x->velocity, y->velocity, sizeof x->velocity);
    }
}

static void what_is_written_is_read_back_bit_for_bit(void **state)
{
    (void)state;
    mo_world *world = make_world();
    mo_recording recording, back;
    record(world, 0.01, 5, &recording);
    CHECK(mo_recording_set_title(&recording, "five steps", NULL) == MO_OK);
    back = write_and_read(&recording);
    CHECK(back.dimension == 3 && back.body_count == 5 && back.frame_count == 6);
    CHECK(strcmp(back.title, "five steps") == 0);
    CHECK(back.gravity[2] == recording.gravity[2]);
    CHECK(strcmp(back.bodies[1].name, "a cube") == 0 && strcmp(back.bodies[2].name, "") == 0);
    CHECK(strcmp(back.bodies[3].name, "two lines") == 0); /* a name is a line */
    CHECK(back.bodies[4].kind == MO_BODY_FIXED && back.bodies[1].mass == recording.bodies[1].mass);
    CHECK(recording.contact_count > 5 * 4);
    check_shapes(&recording, &back);
    check_frames(&recording, &back);
    mo_recording_clear(&recording);
    mo_recording_clear(&back);
    mo_world_destroy(world);
}

static void the_forces_of_a_cube_at_rest_carry_its_weight(void **state)
{
    (void)state;
    mo_world *world = make_world();
    mo_recording recording;
    record(world, 0.01, 3, &recording);
    CHECK(recording.frames[0].contact_count == 0); /* nothing has happened yet */
    const mo_recorded_frame *last = recording.frames + 3;
    double carried = 0;
    int contacts = 0;
    for (int k = last->first_contact; k < last->first_contact + last->contact_count; ++k) {
        const mo_recorded_contact *contact = recording.contacts + k;
        if (contact->a == 1 || contact->b == 1) {
            carried += contact->b == 1 ? contact->force[2] : -contact->force[2];
            CHECK(contact->mode == MO_CONTACT_STICKS);
            ++contacts;
        }
    }
    CHECK(contacts == 4);
    CHECK_NEAR(carried, recording.bodies[1].mass * G, 1e-6 * recording.bodies[1].mass * G);
    CHECK_NEAR(last->time, 0.03, 1e-15);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

static void planar_worlds_and_worlds_without_anything_are_recorded(void **state)
{
    (void)state;
    mo_world *world;
    mo_recording recording, back;
    CHECK(world_create_default("cannonball", &world, NULL) == MO_OK);
    record(world, 0.05, 2, &recording);
    back = write_and_read(&recording);
    CHECK(back.dimension == 2);
    check_shapes(&recording, &back);
    check_frames(&recording, &back);
    mo_recording_clear(&recording);
    mo_recording_clear(&back);
    mo_world_destroy(world);

    const mo_world_def def = mo_default_world();
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    record(world, 0.05, 2, &recording);
    back = write_and_read(&recording);
    CHECK(back.body_count == 0 && back.frame_count == 3 && back.contact_count == 0);
    mo_recording_clear(&recording);
    mo_recording_clear(&back);
    mo_world_destroy(world);
}

static void bodies_that_come_or_go_are_refused(void **state)
{
    (void)state;
    mo_world *world = make_world();
    mo_recording recording;
    mo_message why = {{0}};
    record(world, 0.01, 1, &recording);
    mo_world_remove_body(world, mo_world_body(world, 1), NULL);
    CHECK(mo_recording_add(&recording, world, 0.01, NULL, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "bodies") != NULL);
    CHECK(recording.frame_count == 2); /* as it was */
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static mo_error record_and_copy(const mo_world *world, const mo_allocator *allocator)
{
    mo_recording recording, back = {0};
    mo_error error = mo_recording_begin(&recording, world, allocator, NULL);
    error = error ? error : mo_recording_set_title(&recording, "title", NULL);
    error = error ? error : mo_recording_add(&recording, world, 0.01, NULL, NULL);
    error = error ? error : mo_recording_write(temporary(), &recording, NULL);
    error = error ? error : mo_recording_read(temporary(), allocator, &back, NULL);
    mo_recording_clear(&recording);
    mo_recording_clear(&back);
    return error;
}

static void memory_that_runs_out_is_an_error_and_never_leaks(void **state)
{
    (void)state;
    mo_world *world = make_world();
    mo_error error = MO_ERR_MEMORY;
    int requests = 0;
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    for (; error == MO_ERR_MEMORY && requests < 10000; ++requests) {
        scarce memory = {.left = requests};
        const mo_allocator allocator = {scarce_reallocate, &memory};
        error = record_and_copy(world, &allocator);
        CHECK(memory.live == 0);
    }
    CHECK(error == MO_OK && requests > 20);
    mo_world_destroy(world);
}

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
    if (!strstr(why.text, words)) {
        fail_msg("'%s' does not say '%s'", why.text, words);
    }
}

static void files_that_do_not_hold_together_are_refused(void **state)
{
    (void)state;
    mo_world *world = make_world();
    mo_recording r;
    record(world, 0.01, 2, &r);

    r.contacts[1].b = 5;
    expect(&r, "between bodies");
    r.contacts[1].b = -1;
    expect(&r, "contacts/b is -1");
    r.contacts[1].b = 1;
    r.contacts[0].mode = (mo_contact_mode)7;
    expect(&r, "contacts/mode");
    r.contacts[0].mode = MO_CONTACT_APART;
    r.frames[1].contact_count += 1;
    expect(&r, "other contacts");
    r.frames[1].contact_count -= 1;
    r.shapes[1].body = 5;
    expect(&r, "of body 5");
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
    expect(&recording, "joint 2 is between bodies");
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
    if (mo_recording_read(temporary(), NULL, &back, &why)) {
        fail_msg("%s", why.text);
    }
    CHECK(back.joint_count == 0 && back.frame_count == 3);
    free(bytes);
    mo_recording_clear(&back);
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

static int remove_file(void **state)
{
    (void)state;
    unlink(temporary());
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back_bit_for_bit),
        cmocka_unit_test(the_forces_of_a_cube_at_rest_carry_its_weight),
        cmocka_unit_test(planar_worlds_and_worlds_without_anything_are_recorded),
        cmocka_unit_test(bodies_that_come_or_go_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_an_error_and_never_leaks),
        cmocka_unit_test(damaged_files_get_a_sentence_and_never_crash),
        cmocka_unit_test(files_that_do_not_hold_together_are_refused),
        cmocka_unit_test(joints_are_recorded_where_their_bodies_have_them),
        cmocka_unit_test(a_file_without_joints_is_read),
        cmocka_unit_test(other_files_are_not_taken_for_recordings),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
