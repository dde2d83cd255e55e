/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sensors, and dynamics in the coordinates of the model, against closed forms, energies and finite
 * differences. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <math.h>
#include <string.h>

#include "moreau/sensor.h"

static const double G = 9.81;

/* The values of one sensor. */
static const double *of(const robot_world *w, const double *values, const char *name)
{
    const int k = mo_model_find_sensor(&w->model, name);
    int first = -1, count = 0;
    const char *kind = NULL;
    CHECK(k >= 0);
    assert_string_equal(mo_robot_sensor(w->robot, k, &kind, &first, &count), name);
    assert_string_equal(kind, mo_model_sensor_name(w->model.sensors[k].kind));
    return values + first;
}

static void near_three(const double *x, double a, double b, double c, double tolerance)
{
    CHECK_NEAR(x[0], a, tolerance);
    CHECK_NEAR(x[1], b, tolerance);
    CHECK_NEAR(x[2], c, tolerance);
}

static void steps(robot_world *w, int count, double *values)
{
    mo_message why = {{0}};
    for (int k = 0; k < count; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(w->world, w->model.step, &report, &why) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        CHECK(mo_robot_sense(w->robot, w->world, w->model.step, values, &why) == MO_OK);
    }
}

/* A box of 2 kg that falls, lands and rests, with a site that is turned by 90 degrees about x. */
static void an_imu_falls_and_rests(void **state)
{
    (void)state;
    robot_world w;
    double values[20];
    mo_message why = {{0}};
    open_text(MJCF("<worldbody><geom type='plane'/><body name='b' pos='0 0 .15'><freejoint/>"
                   "<geom type='box' size='.1 .1 .1' mass='2'/><site name='s' pos='.05 0 0'"
                   " euler='90 0 0'/><site name='foot' pos='0 0 -.1' size='.2'/>"
                   "<site name='off' pos='0 0 .1' size='.01'/></body></worldbody>"
                   "<sensor><accelerometer name='a' site='s'/><gyro name='g' site='s'/>"
                   "<velocimeter name='v' site='s'/><touch name='t' site='foot'/>"
                   "<touch name='t2' site='off'/><framequat name='q' objtype='site' objname='s'/>"
                   "<framepos name='p' objtype='xbody' objname='b'/><clock name='c'/></sensor>"),
              &w);
    assert_int_equal(mo_robot_sensor_values(w.robot), 3 + 3 + 3 + 1 + 1 + 4 + 3 + 1);
    CHECK(mo_robot_sense(w.robot, w.world, 0, values, &why) == MO_OK);
    near_three(of(&w, values, "a"), 0, G, 0, 1e-12); /* up is y of the site */
    steps(&w, 1, values);
    near_three(of(&w, values, "a"), 0, 0, 0, 1e-9); /* it falls */
    near_three(of(&w, values, "v"), 0, -G * w.model.step, 0, 1e-12);
    CHECK_NEAR(of(&w, values, "t")[0], 0, 0);
    steps(&w, 300, values);
    near_three(of(&w, values, "a"), 0, G, 0, 1e-6);
    near_three(of(&w, values, "g"), 0, 0, 0, 1e-9);
    CHECK_NEAR(of(&w, values, "t")[0], 2 * G, 1e-6);
    CHECK_NEAR(of(&w, values, "t2")[0], 0, 0);
    near_three(of(&w, values, "p"), 0, 0, 0.1, 1e-9);
    CHECK_NEAR(of(&w, values, "q")[0], sqrt(0.5), 1e-9);
    CHECK_NEAR(of(&w, values, "q")[1], sqrt(0.5), 1e-9);
    CHECK_NEAR(of(&w, values, "c")[0], mo_world_time(w.world), 0);
    double force[3], moment[3];
    const mo_body_id foot = mo_robot_body(w.robot, 1);
    CHECK(mo_body_contact_force(w.world, foot, force, moment, &why) == MO_OK);
    assert_int_equal(mo_body_contacts(w.world, foot, NULL, 0), 4);
    near_three(force, 0, 0, 2 * G, 1e-6);
    near_three(moment, 0, 0, 0, 1e-6);
    close_world(&w);
}

/* A rod on a motorless hinge swings: the reaction of its bearing is m (a - g), its moment about the
 * hinge zero along the axis. */
static void a_bearing_carries_weight_and_swing(void **state)
{
    (void)state;
    robot_world w;
    double values[20], v0[3] = {0};
    mo_message why = {{0}};
    open_text(MJCF("<option timestep='1e-4'/><worldbody><body name='arm'><joint name='j' axis='0 1 "
                   "0' armature='.1'/><geom type='sphere' size='.1' pos='.5 0 0' mass='3'/>"
                   "<site name='s'/></body></worldbody><sensor><force name='f' site='s'/>"
                   "<torque name='m' site='s'/><jointpos name='p' joint='j'/><jointvel name='v'"
                   " joint='j'/><framelinacc name='l' objtype='body' objname='arm'/></sensor>"),
              &w);
    CHECK(mo_robot_sense(w.robot, w.world, 0, values, &why) == MO_OK);
    near_three(of(&w, values, "f"), 0, 0, 3 * G, 1e-12); /* at rest: its weight */
    near_three(of(&w, values, "m"), 0, -0.5 * 3 * G, 0, 1e-12);
    memcpy(v0, mo_body_get(w.world, mo_robot_body(w.robot, 1)).velocity, sizeof v0);
    steps(&w, 1000, values);
    /* (m l^2 + I + armature) q'' = m g l cos q:  the armature takes what the moment is */
    const double I = 3 * 0.25 + 0.4 * 3 * 0.01, q = of(&w, values, "p")[0];
    const double rate = of(&w, values, "v")[0];
    const double bend = 3 * G * 0.5 * cos(q) / (I + 0.1);
    CHECK_NEAR(of(&w, values, "m")[1], -0.1 * bend, 2e-3);
    /* along the rod: m (-l q'^2 - g . e), e = (cos q, 0, -sin q) */
    CHECK_NEAR(of(&w, values, "f")[0], 3 * (-0.5 * rate * rate - G * sin(q)), 5e-3);
    CHECK_NEAR(of(&w, values, "f")[2], 3 * (-0.5 * bend + G * cos(q)), 5e-3);
    close_world(&w);
}

static void sensors_of_actuators_and_tendons(void **state)
{
    (void)state;
    robot_world w;
    double values[10];
    mo_message why = {{0}};
    open_text(MJCF("<worldbody><body><joint name='j' type='slide'/><geom size='.1' mass='1'/>"
                   "</body></worldbody><tendon><fixed name='t'><joint joint='j' coef='3'/></fixed>"
                   "</tendon><actuator><motor name='a' joint='j' gear='2'/></actuator>"
                   "<sensor><actuatorfrc name='f' actuator='a'/><actuatorpos name='x' "
                   "actuator='a'/><tendonpos name='p' tendon='t'/><jointactuatorfrc name='e' "
                   "joint='j'/><actuatorfrc name='c' actuator='a' cutoff='1'/><magnetometer "
                   "name='n' site='none'/></sensor>"),
              &w);
    assert_int_equal(w.model.note_count, 1);
    CHECK(mo_robot_set_control(w.robot, w.world, 0, 4.905, &why) == MO_OK); /* against gravity */
    const double q[1] = {0.7};
    CHECK(mo_robot_set(w.robot, w.world, q, NULL, &why) == MO_OK);
    steps(&w, 1, values);
    CHECK_NEAR(of(&w, values, "f")[0], 4.905, 1e-12);
    CHECK_NEAR(of(&w, values, "e")[0], 9.81, 1e-12);
    CHECK_NEAR(of(&w, values, "c")[0], 1, 0);
    CHECK_NEAR(of(&w, values, "x")[0], 1.4, 1e-12);
    CHECK_NEAR(of(&w, values, "p")[0], 2.1, 1e-12);
    near_three(of(&w, values, "n"), 0, 0, 0, 0);
    close_world(&w);
}

/* ---- dynamics in the coordinates of the model ------------------------------------------------ */

/* A mechanism on a free base beside a free body whose centre is off its origin. */
static const char BOTH[] =
    MJCF("<worldbody><body pos='0 0 2'><freejoint/><geom type='box' size='.1 .2 .3' pos='.1 0 0'"
         " mass='2'/><site name='loose' pos='0 .1 .2'/></body><body pos='3 0 2'><freejoint/><geom"
         " size='.2' mass='1'/><body pos='.5 0 0'><joint type='hinge' axis='0 1 1'/><geom "
         "type='capsule' size='.05 .2' mass='.5' pos='0 0 .3'/><body pos='0 0 .5'><joint "
         "type='ball'/><geom type='box' size='.1 .05 .2' mass='.3'/><site name='tip' pos='0 0 .2'/>"
         "</body></body></body></worldbody>");

/* A static stand of 2 kg, and on it a hinge that turns a ball of 1 kg at 0.6 m at 5 rad/s; beside
 * them a free box of 3 kg that spins and moves. */
static void sensors_of_subtrees(void **state)
{
    (void)state;
    robot_world w;
    double values[24];
    mo_message why = {{0}};
    open_text(MJCF("<worldbody><body name='stand' pos='0 0 1'><geom size='.1' mass='2'/>"
                   "<body name='arm'><joint axis='0 0 1'/>"
                   "<geom pos='.6 0 0' size='.1' mass='1'/></body></body>"
                   "<body name='box' pos='0 4 0'><freejoint/>"
                   "<geom type='box' size='.1 .2 .3' mass='3'/></body></worldbody>"
                   "<sensor><subtreecom name='c' body='stand'/>"
                   "<subtreelinvel name='v' body='stand'/><subtreeangmom name='L' body='stand'/>"
                   "<subtreeangmom name='La' body='arm'/><subtreecom name='cb' body='box'/>"
                   "<subtreelinvel name='vb' body='box'/><subtreeangmom name='Lb' body='box'/>"
                   "<subtreecom name='cw' body='world'/></sensor>"),
              &w);
    const double v[7] = {5, 1, 2, 3, 4, 0, 6};
    CHECK(mo_robot_set(w.robot, w.world, NULL, v, &why) == MO_OK);
    CHECK(mo_robot_sensor_values(w.robot) == 24);
    CHECK(mo_robot_sense(w.robot, w.world, 0, values, &why) == MO_OK);
    const double ball = 0.4 * 0.1 * 0.1; /* kg m^2: of the arm's ball about its centre */
    near_three(of(&w, values, "c"), 0.2, 0, 1, 1e-14);
    near_three(of(&w, values, "v"), 0, 1, 0, 1e-14); /* 1/3 of 3 m/s */
    /* the stand 0.2 m from the common centre at -1 m/s against it, the ball 0.4 m at 2 m/s */
    near_three(of(&w, values, "L"), 0, 0, 5 * ball + 2 * 0.2 * 1 + 0.4 * 2, 1e-13);
    near_three(of(&w, values, "La"), 0, 0, 5 * ball, 1e-13);
    near_three(of(&w, values, "cb"), 0, 4, 0, 1e-14);
    near_three(of(&w, values, "vb"), 1, 2, 3, 1e-14);
    near_three(of(&w, values, "Lb"), 4 * (0.04 + 0.09), 0, 6 * (0.01 + 0.04), 1e-12);
    near_three(of(&w, values, "cw"), 0.1, 2, 0.5, 1e-14);
    close_world(&w);
}

static void put_anywhere(robot_world *w, double *v)
{
    double q[40];
    mo_message why = {{0}};
    mo_robot_get(w->robot, w->world, q, NULL);
    for (int k = 0; k < w->model.q_count; ++k)
        q[k] += 0.1 * sin(7 * k + 1);
    for (int k = 0; k < w->model.v_count; ++k)
        v[k] = cos(3 * k + 2);
    CHECK(mo_robot_set(w->robot, w->world, q, v, &why) == MO_OK);
}

static void the_mass_matrix_has_the_kinetic_energy(void **state)
{
    (void)state;
    robot_world w;
    double v[40], M[40 * 40], twice = 0;
    mo_message why = {{0}};
    open_text(BOTH, &w);
    const int n = w.model.v_count;
    put_anywhere(&w, v);
    CHECK(mo_robot_mass_matrix(w.robot, w.world, M, &why) == MO_OK);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            CHECK_NEAR(M[i * n + j], M[j * n + i], 1e-13);
            twice += v[i] * M[i * n + j] * v[j];
        }
    }
    CHECK_NEAR(twice / 2, mo_world_kinetic_energy(w.world), 1e-12);
    close_world(&w);
}

/* effort = M a + bias; and with no effort a small step accelerates by -M^-1 bias. */
static void inverse_dynamics_agree_with_a_step(void **state)
{
    (void)state;
    robot_world w;
    double v[40], after[40], a[40], bias[40], effort[40], M[40 * 40];
    const double h = 1e-7;
    mo_message why = {{0}};
    open_text(BOTH, &w);
    const int n = w.model.v_count;
    put_anywhere(&w, v);
    CHECK(mo_robot_bias(w.robot, w.world, bias, &why) == MO_OK);
    CHECK(mo_robot_mass_matrix(w.robot, w.world, M, &why) == MO_OK);
    for (int k = 0; k < n; ++k)
        a[k] = sin(2 * k + 1);
    CHECK(mo_robot_inverse(w.robot, w.world, a, effort, &why) == MO_OK);
    for (int i = 0; i < n; ++i) {
        double sum = bias[i];
        for (int j = 0; j < n; ++j)
            sum += M[i * n + j] * a[j];
        CHECK_NEAR(effort[i], sum, 1e-11);
    }
    mo_step_report report;
    CHECK(mo_world_step(w.world, h, &report, &why) == MO_OK);
    mo_robot_get(w.robot, w.world, NULL, after);
    for (int i = 0; i < n; ++i) {
        double sum = bias[i];
        for (int j = 0; j < n; ++j)
            sum += M[i * n + j] * (after[j] - v[j]) / h;
        CHECK_NEAR(sum, 0, 2e-5); /* of forces of some 10 N */
    }
    close_world(&w);
}

static void jacobians_agree_with_finite_differences(void **state)
{
    (void)state;
    robot_world w;
    double v[40], J[6 * 40];
    const double h = 1e-6;
    mo_message why = {{0}};
    open_text(BOTH, &w);
    w.model.gravity[2] = 0;
    const int n = w.model.v_count;
    for (int site = 0; site < 2; ++site) {
        put_anywhere(&w, v);
        const mo_pose before = mo_robot_site(w.robot, w.world, site);
        CHECK(mo_robot_site_jacobian(w.robot, w.world, site, J, &why) == MO_OK);
        mo_step_report report;
        CHECK(mo_world_step(w.world, h, &report, &why) == MO_OK);
        const mo_pose after = mo_robot_site(w.robot, w.world, site);
        for (int c = 0; c < 3; ++c) {
            double speed = 0;
            for (int k = 0; k < n; ++k)
                speed += J[c * n + k] * v[k];
            CHECK_NEAR((after.position[c] - before.position[c]) / h, speed, 1e-4);
        }
    }
    CHECK(mo_robot_site_jacobian(w.robot, w.world, 2, J, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_robot_jacobian(w.robot, w.world, 99, v, J, &why) == MO_ERR_ARGUMENT);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_imu_falls_and_rests),
        cmocka_unit_test(a_bearing_carries_weight_and_swing),
        cmocka_unit_test(sensors_of_actuators_and_tendons),
        cmocka_unit_test(sensors_of_subtrees),
        cmocka_unit_test(the_mass_matrix_has_the_kinetic_energy),
        cmocka_unit_test(inverse_dynamics_agree_with_a_step),
        cmocka_unit_test(jacobians_agree_with_finite_differences),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
