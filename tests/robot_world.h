/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A model in a world of its own, from a file, from text, or from one of our scenes. */
#ifndef MO_TESTS_ROBOT_WORLD_H
#define MO_TESTS_ROBOT_WORLD_H

#include "model_text.h"
#include "moreau/robot.h"

typedef struct robot_world {
    mo_model model;
    mo_world *world;
    mo_robot *robot;
} robot_world;

static inline void open_file(const char *path, robot_world *w)
{
    mo_message why = {{0}};
    if (mo_model_read(path, NULL, &w->model, &why)) fail_msg("%s: %s", path, why.text);
    const mo_world_def def = mo_model_world(&w->model);
    if (mo_world_create(&def, NULL, &w->world, &why) ||
        mo_model_build(&w->model, w->world, NULL, &w->robot, &why))
        fail_msg("%s: %s", path, why.text);
}

static inline void open_text(const char *text, robot_world *w)
{
    open_file(folder_put(&folder, "model.xml", text), w);
}

static inline void open_scene(const char *name, const char *key, robot_world *w)
{
    char path[600];
    mo_message why = {{0}};
    snprintf(path, sizeof path, "%s/scenes/models/%s.xml", MOREAU_SOURCE_DIR, name);
    open_file(path, w);
    assert_int_equal(w->model.note_count, 0);
    if (key) {
        const int k = mo_model_find_key(&w->model, key);
        CHECK(k >= 0);
        if (mo_robot_set_key(w->robot, w->world, w->model.keys + k, &why)) fail_msg("%s", why.text);
    }
}

static inline void close_world(robot_world *w)
{
    mo_robot_destroy(w->robot);
    mo_world_destroy(w->world);
    mo_model_clear(&w->model);
}

/* Steps of the model's length, all of which must be solved. */
static inline void run(robot_world *w, double time)
{
    const int steps = (int)ceil(time / w->model.step - 1e-6);
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        if (mo_world_step(w->world, w->model.step, &report, &why))
            fail_msg("step %d: %s", k, why.text);
        if (report.status != MO_SOLVED) {
            fail_msg("step %d at t = %g is not solved: %s", k, mo_world_time(w->world),
                     report.message.text);
        }
    }
}

/* Velocities are those of the middle of a step.  The energy there, J: the mean of that with the
 * coordinates before the last step and of that now; `twin` is another world of the same model. */
static inline double middle_energy(const robot_world *w, robot_world *twin, const double *before)
{
    double q[64], v[64], sum = 0;
    CHECK(w->model.q_count <= 64);
    mo_robot_get(w->robot, w->world, q, v);
    for (int side = 0; side < 2; ++side) {
        CHECK(mo_robot_set(twin->robot, twin->world, side ? q : before, v, NULL) == MO_OK);
        sum += mo_world_kinetic_energy(twin->world) + mo_world_potential_energy(twin->world);
    }
    return 0.5 * sum;
}

static inline mo_body_state body_of(const robot_world *w, const char *name)
{
    const int k = mo_model_find_body(&w->model, name);
    CHECK(k >= 0);
    return mo_body_get(w->world, mo_robot_body(w->robot, k));
}

/* The force that the contacts of the last step put on a body. */
static inline void force_on(const robot_world *w, const char *name, double force[3])
{
    const mo_body_id id = mo_robot_body(w->robot, mo_model_find_body(&w->model, name));
    memset(force, 0, 3 * sizeof *force);
    for (int k = 0; k < mo_world_contact_count(w->world); ++k) {
        const mo_contact c = mo_world_contact(w->world, k);
        const double sign = c.b.index == id.index ? 1 : c.a.index == id.index ? -1 : 0;
        mo_vec3_along(force, sign / w->model.step, c.impulse, force);
    }
}

#endif
