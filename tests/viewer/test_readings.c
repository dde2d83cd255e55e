/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What the viewer shows of a robot: pins of its joints, coordinates, efforts and sensors. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "frames.h"
#include "model_text.h"
#include "moreau/moreau.h"

/* A slide with a hinge at its end, a ball joint below it, and a free body. */
static const char MACHINE[] =
    MJCF("<worldbody><body name='cart'><joint name='slide' type='slide' axis='1 0 0'/>"
         "<geom type='box' size='.1 .1 .1'/>"
         "<body name='arm' pos='0 0 -.2'><joint name='swing' axis='0 1 0' pos='0 0 .1'/>"
         "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02'/><site name='tip' pos='0 0 -.3'/>"
         "<body name='bob' pos='0 0 -.4'><joint name='round' type='ball'/>"
         "<geom size='.05'/></body></body></body>"
         "<body name='stone' pos='3 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
         "<actuator><position name='push' joint='slide' kp='500' kv='40'/>"
         "<motor joint='swing' gear='2'/></actuator>"
         "<sensor><gyro name='imu' site='tip'/><jointpos joint='swing'/></sensor>");

typedef struct machine {
    mo_model model;
    mo_world *world;
    mo_robot *robot;
    mo_recording picture;
    mo_step_report report;
} machine;

static machine build(void)
{
    machine m = {0};
    mo_message why = {{0}};
    read_text(MACHINE, &m.model);
    const mo_world_def def = mo_model_world(&m.model);
    CHECK(mo_world_create(&def, NULL, &m.world, NULL) == MO_OK);
    if (mo_model_build(&m.model, m.world, NULL, &m.robot, &why) ||
        mo_robot_set_controls(m.robot, m.world, (const double[]){0.2, 0.1}, &why) ||
        mo_recording_begin(&m.picture, m.world, NULL, &why))
        fail_msg("%s", why.text);
    return m;
}

static void step(machine *m, double h)
{
    CHECK(mo_world_step(m->world, h, &m->report, NULL) == MO_OK);
    CHECK(frames_of_world(&m->picture, m->world, h, &m->report, NULL) == MO_OK);
}

static void destroy(machine *m)
{
    mo_recording_clear(&m->picture);
    mo_robot_destroy(m->robot);
    mo_world_destroy(m->world);
    mo_model_clear(&m->model);
}

/* Hinge and ball: the anchors on both bodies coincide at all times; the slide's axis is x. */
static void joints_of_a_robot_are_recorded_with_their_anchors(void **state)
{
    (void)state;
    machine m = build();
    static const mo_joint_kind KINDS[] = {MO_JOINT_PRISMATIC, MO_JOINT_REVOLUTE, MO_JOINT_BALL};
    assert_int_equal(m.picture.joint_count, 3); /* not that of the free body */
    for (int k = 0; k < 3; ++k)
        CHECK(m.picture.joints[k].kind == KINDS[k]);
    CHECK(m.picture.joints[0].a == -1 && m.picture.joints[2].a == m.picture.joints[1].b);
    CHECK_NEAR(fabs(m.picture.joints[0].axis[0]), 1, 1e-12);
    CHECK_NEAR(fabs(m.picture.joints[1].axis[1]), 1, 1e-12);
    for (int k = 0; k < 200; ++k)
        step(&m, 0.002);
    CHECK(fabs(mo_mechanism_q(m.world, mo_world_mechanism(m.world, 0))[0]) > 0.05);
    for (int k = 1; k < 3; ++k) {
        const mo_recorded_joint *joint = m.picture.joints + k;
        double a[3], b[3];
        mo_pose_point(m.picture.poses + joint->a, joint->anchor[0], a);
        mo_pose_point(m.picture.poses + joint->b, joint->anchor[1], b);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(a[i], b[i], 1e-9);
    }
    destroy(&m);
}

static double reading_at(const unsigned char *bytes, size_t size, int k, int count)
{
    float value; /* little endian, as this machine is in all tests */
    memcpy(&value, bytes + size - 4 * (size_t)(count - k), sizeof value);
    return value;
}

static void check_reading(const frames_reading *reading, const char *name, const char *unit)
{
    assert_string_equal(reading->name, name);
    assert_string_equal(reading->unit, unit);
}

static void readings_are_coordinates_efforts_and_sensors(void **state)
{
    (void)state;
    machine m = build();
    frames_actuator *actuators = NULL;
    const int count = frames_actuators(m.world, &actuators);
    frames_readings readings = frames_readings_of(m.world, m.robot, &m.picture, actuators, count);
    assert_int_equal(readings.count, 2 + 2 + 4); /* the ball joint has no angle */
    check_reading(readings.list + 0, "slide", "m");
    check_reading(readings.list + 1, "swing", "rad");
    check_reading(readings.list + 2, "push", "N");
    check_reading(readings.list + 3, "swing", "N m");
    check_reading(readings.list + 4, "imu.0", "rad/s");
    assert_string_equal(m.picture.bodies[readings.list[1].body].name, "arm");
    CHECK(actuators[0].q == 0 && actuators[0].effort == 2);
    CHECK(actuators[1].q == 1 && actuators[1].effort == 3);
    for (int k = 0; k < 100; ++k) {
        step(&m, 0.002);
        frames_read(&readings, m.world, m.robot, 0.002);
    }
    const frames_numbers numbers = {.readings = &readings};
    const size_t size = frames_size(&m.picture, 0, &numbers);
    unsigned char *bytes = malloc(size);
    frames_write(&m.picture, 0, &numbers, bytes);
    const mo_mechanism_id id = mo_world_mechanism(m.world, 0);
    const double *q = mo_mechanism_q(m.world, id), *v = mo_mechanism_v(m.world, id);
    CHECK_NEAR(reading_at(bytes, size, 0, 8), q[0], 1e-6);
    CHECK_NEAR(reading_at(bytes, size, 1, 8), q[1], 1e-6);
    /* the servo, and the motor by its definition */
    CHECK_NEAR(reading_at(bytes, size, 2, 8), 500 * (0.2 - q[0]) - 40 * v[0], 0.2);
    CHECK_NEAR(reading_at(bytes, size, 3, 8), 0.1, 1e-6);
    CHECK_NEAR(reading_at(bytes, size, 5, 8), v[1], 1e-5); /* the hinge turns about y */
    CHECK_NEAR(reading_at(bytes, size, 7, 8), q[1], 1e-6);
    CHECK(fabs(v[1]) > 0.01);
    free(bytes);
    frames_readings_clear(&readings);
    free(actuators);
    destroy(&m);
}

/* A heap has none. */
static void a_world_without_mechanisms_has_no_readings(void **state)
{
    (void)state;
    mo_world *world;
    mo_recording picture = {0};
    CHECK(world_create_default("stack", &world, NULL) == MO_OK);
    CHECK(mo_recording_begin(&picture, world, NULL, NULL) == MO_OK);
    frames_readings none = frames_readings_of(world, NULL, &picture, NULL, 0);
    CHECK(none.count == 0 && !none.list);
    frames_read(&none, world, NULL, 0);
    frames_readings_clear(&none);
    mo_recording_clear(&picture);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_of_a_robot_are_recorded_with_their_anchors),
        cmocka_unit_test(readings_are_coordinates_efforts_and_sensors),
        cmocka_unit_test(a_world_without_mechanisms_has_no_readings),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
