/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Recordings: what is written is read back bit for bit, forces are those of the world, and bad
 * files get a sentence. */
#include "recording_worlds.h"

/* ---- claims ---------------------------------------------------------------------------------- */

static void check_shapes(const mo_recording *a, const mo_recording *b)
{
    CHECK(a->shape_count == b->shape_count);
    for (int k = 0; k < a->shape_count; ++k) {
        mo_shape_def x = a->shapes[k].def, y = b->shapes[k].def;
        CHECK(a->shapes[k].body == b->shapes[k].body && x.kind == y.kind);
        CHECK(x.point_count == y.point_count && x.index_count == y.index_count);
        if (x.point_count) assert_memory_equal(x.points, y.points, 24 * (size_t)x.point_count);
        if (x.index_count) assert_memory_equal(x.indices, y.indices, 4 * (size_t)x.index_count);
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

static void written_values_are_read_back_bit_for_bit(void **state)
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

/* A shape without points may have a number of them in its definition, which means nothing. */
static void numbers_of_points_without_points_are_ignored(void **state)
{
    (void)state;
    const mo_world_def def = mo_default_world();
    mo_world *world;
    mo_recording recording;
    mo_shape_def box = mo_shape_box(0.1, 0.1, 0.1);
    box.point_count = 1000, box.index_count = 1000;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_add_solid(world, MO_BODY_FREE, &box, NULL, NULL).index);
    CHECK(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK);
    CHECK(recording.shapes[0].def.point_count == 0 && recording.shapes[0].def.index_count == 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_values_are_read_back_bit_for_bit),
        cmocka_unit_test(the_forces_of_a_cube_at_rest_carry_its_weight),
        cmocka_unit_test(planar_worlds_and_worlds_without_anything_are_recorded),
        cmocka_unit_test(bodies_that_come_or_go_are_refused),
        cmocka_unit_test(numbers_of_points_without_points_are_ignored),
        cmocka_unit_test(memory_that_runs_out_is_an_error_and_never_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
