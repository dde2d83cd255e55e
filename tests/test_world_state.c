/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* State of a world, and definitions and steps that are refused. */
#include "world_steps.h"

/* ---- state and bad input --------------------------------------------------------------------- */

static mo_world *heap(void)
{
    mo_world *world = make_world(mo_default_world());
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    for (int k = 0; k < 6; ++k) {
        add(world, MO_BODY_FREE, k % 2 ? mo_shape_box(0.2, 0.15, 0.1) : mo_shape_ball(0.15),
            mo_pose_turned(0.05 * k, 0, 0.3 + 0.4 * k, (const double[3]){1, 2, 3}, 0.4 * k));
    }
    return world;
}

static void a_saved_and_loaded_run_continues_with_the_same_bits(void **state)
{
    (void)state;
    mo_world *one = heap(), *other = heap();
    go(one, 0.01, 60);
    const size_t size = mo_world_save(one, NULL, 0);
    void *bytes = malloc(size);
    CHECK(mo_world_save(one, bytes, size) == size);
    CHECK(mo_world_load(other, bytes, size, NULL) == MO_OK);
    go(one, 0.01, 60);
    go(other, 0.01, 60);
    for (int k = 0; k < mo_world_body_count(one); ++k) {
        const mo_body_state a = mo_body_get(one, mo_world_body(one, k)),
                            b = mo_body_get(other, mo_world_body(other, k));
        CHECK(memcmp(&a.pose, &b.pose, sizeof a.pose) == 0);
        CHECK(memcmp(a.velocity, b.velocity, sizeof a.velocity) == 0);
    }
    mo_message why = {{0}};
    CHECK(mo_world_load(other, bytes, size - 1, &why) == MO_ERR_FORMAT && why.text[0]);
    memset((char *)bytes + 100, 0xff, 64); /* numbers that are none */
    CHECK(mo_world_load(other, bytes, size, &why) == MO_ERR_FORMAT);
    free(bytes);
    mo_world_destroy(one);
    mo_world_destroy(other);
}

/* Counts of steps among them, which the next step increases.  Sanitizers see an overflow. */
static void any_integer_of_a_state_may_be_the_largest(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    def.sleeping = 1;
    mo_world *world = make_world(def);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    const mo_body_id id = add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(0, 0, 0.1));
    go(world, 0.01, 3);
    const size_t size = mo_world_save(world, NULL, 0);
    char *bytes = malloc(size);
    int accepted = 0;
    CHECK(mo_world_save(world, bytes, size) == size);
    for (size_t at = 0; at + sizeof(int32_t) <= size; at += sizeof(int32_t)) {
        int32_t kept;
        memcpy(&kept, bytes + at, sizeof kept);
        memcpy(bytes + at, &(int32_t){INT32_MAX}, sizeof kept);
        if (mo_world_load(world, bytes, size, NULL) == MO_OK) {
            ++accepted;
            mo_world_step(world, 0.01, NULL, NULL);
            mo_world_step(world, 0.01, NULL, NULL);
            CHECK(isfinite(mo_body_get(world, id).pose.position[2]));
        }
        memcpy(bytes + at, &kept, sizeof kept);
    }
    CHECK(accepted > 0 && mo_world_load(world, bytes, size, NULL) == MO_OK);
    free(bytes);
    mo_world_destroy(world);
}

static void a_step_too_long_for_its_contacts_is_refused_with_a_remedy(void **state)
{
    (void)state;
    mo_world *world = heap();
    mo_message why = {{0}};
    const mo_body_state before = mo_body_get(world, mo_world_body(world, 1));
    CHECK(mo_world_step(world, 1e5, NULL, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "too long") && strstr(why.text, "at most"));
    const mo_body_state after = mo_body_get(world, mo_world_body(world, 1));
    CHECK(memcmp(&before.pose, &after.pose, sizeof before.pose) == 0);
    CHECK(memcmp(before.velocity, after.velocity, sizeof before.velocity) == 0);
    CHECK(memcmp(before.spin, after.spin, sizeof before.spin) == 0);
    CHECK(mo_world_step(world, 1, NULL, &why) == MO_OK);
    mo_world_destroy(world);
}

/* Of a driven body: nowhere, once that is asked for. */
static void vanish(void *user, double time, mo_pose *pose)
{
    (void)time;
    *pose = mo_pose_at(*(int *)user ? NAN : 0, 0, -9);
}

static void add_vanishing(mo_world *world, int *vanishes)
{
    mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
    def.pose = mo_pose_at(0, 0, -9);
    def.motion = vanish;
    def.motion_user = vanishes;
    CHECK(mo_world_add_body(world, &def, NULL).index);
}

static void a_step_that_would_bring_nan_is_refused_and_nothing_changes(void **state)
{
    (void)state;
    mo_world *world = heap();
    int vanishes = 0;
    add_vanishing(world, &vanishes);
    go(world, 0.01, 5);
    const mo_body_id ball = mo_world_body(world, 1);
    const mo_body_state before = mo_body_get(world, ball);
    mo_message why = {{0}};
    CHECK(mo_world_step(world, -1, NULL, &why) == MO_ERR_ARGUMENT && why.text[0]);
    CHECK(mo_world_step(world, NAN, NULL, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_body_apply_force(world, ball, (const double[3]){NAN, 0, 0}, before.centre, &why));
    CHECK(strstr(why.text, "finite"));
    CHECK(mo_body_apply_torque(world, ball, (const double[3]){0, INFINITY, 0}, &why));
    const double push[3] = {1e100, 0, 0}, far[3] = {0, 1e100, 0}; /* a moment beyond any state */
    CHECK(mo_body_apply_force(world, ball, push, far, &why) == MO_ERR_ARGUMENT);
    vanishes = 1;
    CHECK(mo_world_step(world, 0.01, NULL, &why) != MO_OK && why.text[0]);
    vanishes = 0;
    const mo_body_state after = mo_body_get(world, ball);
    CHECK(memcmp(&before.pose, &after.pose, sizeof before.pose) == 0);
    CHECK_NEAR(mo_world_time(world), 0.05, 1e-12);
    CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_OK);
    mo_world_destroy(world);
}

static void bad_definitions_get_a_sentence(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_world *world = make_world(mo_default_world());
    const mo_body_id body = add(world, MO_BODY_FREE, mo_shape_ball(1), mo_pose_identity());
    mo_shape_def bad[] = {mo_shape_ball(-1),
                          mo_shape_ball(NAN),
                          mo_shape_box(1, 0, 1),
                          mo_shape_plane(),
                          rough(mo_shape_ball(1), -0.1),
                          mo_shape_cylinder(0, 1),
                          {.kind = (mo_shape_kind)99}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        why.text[0] = 0;
        CHECK(mo_world_add_shape(world, body, &bad[k], &why).index == 0);
        CHECK(strlen(why.text) > 10);
    }
    mo_body_def odd = mo_default_body(MO_BODY_FREE);
    odd.pose.orientation[0] = 2;
    CHECK(mo_world_add_body(world, &odd, &why).index == 0);
    const mo_joint_def self = mo_default_joint(MO_JOINT_BALL, body, body);
    CHECK(mo_world_add_joint(world, &self, &why).index == 0);
    mo_world_remove_body(world, body, NULL);
    CHECK(!mo_world_has_body(world, body));
    CHECK(mo_world_add_shape(world, body, &bad[3], &why).index == 0); /* a stale id */
    go(world, 0.01, 1);                                               /* an empty world is fine */
    const mo_body_def weightless = mo_default_body(MO_BODY_FREE);
    mo_world_add_body(world, &weightless, NULL);
    CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_ERR_ARGUMENT);
    mo_world_destroy(world);
}

/* One call for a body with one shape; where the shape is refused, no body is left behind. */
static void a_solid_is_a_body_with_one_shape(void **state)
{
    (void)state;
    const mo_shape_def plane = mo_shape_plane(), box = mo_shape_box(0.1, 0.1, 0.1);
    const mo_pose pose = mo_pose_at(0, 0, 2);
    mo_message why = {{0}};
    mo_world *world;
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK); /* the default world */
    CHECK(mo_world_definition(world).gravity[2] == mo_default_world().gravity[2]);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, &why).index);
    const mo_body_id solid = mo_world_add_solid(world, MO_BODY_FREE, &box, &pose, &why);
    const mo_body_state found = mo_body_get(world, solid);
    CHECK(found.shape_count == 1 && found.pose.position[2] == 2);
    CHECK_NEAR(found.mass, 8, 1e-12);
    CHECK(!mo_world_add_solid(world, MO_BODY_FREE, &plane, NULL, &why).index && why.text[0]);
    CHECK(mo_world_body_count(world) == 2);
    mo_world_destroy(world);
}

/* Rolling friction acts on a ball, and not on the corners of a box, whose normals bear all
 * moments. */
static void a_face_has_no_rolling_moments(void **state)
{
    (void)state;
    mo_world *world;
    mo_shape_def floor = mo_shape_plane(), ball = mo_shape_ball(0.1),
                 box = mo_shape_box(0.1, 0.1, 0.1);
    floor.material.rolling = ball.material.rolling = box.material.rolling = 0.01;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL).index);
    for (int k = 0; k < 2; ++k) {
        const mo_pose pose = mo_pose_at(k, 0, 0.1);
        const mo_body_id id =
            mo_world_add_solid(world, MO_BODY_FREE, k ? &box : &ball, &pose, NULL);
        const double v[3] = {0.5, 0, 0}, spin[3] = {0, k ? 0 : 5, 0};
        CHECK(id.index && mo_body_set(world, id, &pose, v, spin, NULL) == MO_OK);
    }
    mo_step_report report;
    CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK && report.status == MO_SOLVED);
    CHECK(mo_world_contact_count(world) == 5);
    for (int k = 0; k < 5; ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        const double normal = contact.impulse[2], moment = -contact.moment[1];
        const int is_ball = contact.point[0] < 0.5;
        CHECK(normal > 0);
        CHECK_NEAR(moment, is_ball ? 0.01 * normal : 0, 1e-9 * normal);
    }
    mo_world_destroy(world);
}

/* Gaps and efforts follow from numbers of at most 1e100, and may be larger. */
static void a_world_far_away_loads_its_own_state(void **state)
{
    (void)state;
    mo_world *world;
    mo_message why = {{0}};
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    const mo_shape_def floor = mo_shape_half_space((const double[]){0, 0, 1}, 9e99),
                       ball = mo_shape_ball(1);
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    def.pose = mo_pose_at(0, 0, -9e99);
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(mo_world_add_shape(world, body, &ball, NULL).index > 0);
    CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_OK);
    CHECK(mo_world_contact(world, 0).gap < -1e100);
    const size_t size = mo_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    CHECK(bytes && mo_world_save(world, bytes, size) == size);
    CHECK(mo_world_load(world, bytes, size, &why) == MO_OK);
    free(bytes);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solid_is_a_body_with_one_shape),
        cmocka_unit_test(a_saved_and_loaded_run_continues_with_the_same_bits),
        cmocka_unit_test(any_integer_of_a_state_may_be_the_largest),
        cmocka_unit_test(a_step_too_long_for_its_contacts_is_refused_with_a_remedy),
        cmocka_unit_test(a_step_that_would_bring_nan_is_refused_and_nothing_changes),
        cmocka_unit_test(bad_definitions_get_a_sentence),
        cmocka_unit_test(a_face_has_no_rolling_moments),
        cmocka_unit_test(a_world_far_away_loads_its_own_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
