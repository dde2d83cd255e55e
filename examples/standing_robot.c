/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A quadruped from an MJCF file stands under the control of its position servos; then the forces at
 * its feet are compared with its weight.
 *
 *     standing_robot scenes/models/quadruped.xml
 */
#include <math.h>
#include <moreau/moreau.h>
#include <stdio.h>

/* Reads the file, builds the world and sets the keyframe `stand`: pose and
 * targets of the servos. */
static int load(const char *path, mo_model *model, mo_world **world, mo_robot **robot,
                mo_message *why)
{
    if (mo_model_read(path, NULL, model, why)) return 0;
    const mo_world_def def = mo_model_world(model);
    const int key = mo_model_find_key(model, "stand");
    return key >= 0 && !mo_world_create(&def, NULL, world, why) &&
           !mo_model_build(model, *world, NULL, robot, why) &&
           !mo_robot_set_key(*robot, *world, &model->keys[key], why);
}

static double weight_of(const mo_world *world)
{
    double mass = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k)
        mass += mo_body_get(world, mo_world_body(world, k)).mass;
    return 9.81 * mass;
}

/* The contact force on a body in the last step, which took h seconds. */
static void force_on(const mo_world *world, mo_body_id body, double h, double force[3])
{
    force[0] = force[1] = force[2] = 0;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact c = mo_world_contact(world, k);
        const double sign = c.b.index == body.index ? 1 : c.a.index == body.index ? -1 : 0;
        for (int i = 0; i < 3; ++i)
            force[i] += sign * c.impulse[i] / h;
    }
}

static void print(const mo_model *model, const mo_robot *robot, const mo_world *world)
{
    static const char *feet[] = {"front_right_foot", "front_left_foot", "rear_right_foot",
                                 "rear_left_foot"};
    double total = 0, f[3];
    for (int k = 0; k < 4; ++k) {
        force_on(world, mo_robot_body(robot, mo_model_find_body(model, feet[k])), model->step, f);
        printf("%s: %.1f N normal, %.1f N tangential\n", feet[k], f[2], hypot(f[0], f[1]));
        total += f[2];
    }
    const int trunk = mo_model_find_body(model, "trunk");
    printf("all feet %.1f N, weight %.1f N, height of the trunk %.2f m\n", total, weight_of(world),
           mo_body_get(world, mo_robot_body(robot, trunk)).pose.position[2]);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "scenes/models/quadruped.xml";
    mo_model model = {0};
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    mo_message why = {{0}};
    int good = load(path, &model, &world, &robot, &why);
    for (int step = 0; step < 600 && good; ++step) {
        mo_step_report report;
        good = !mo_world_step(world, model.step, &report, &why) && report.status == MO_SOLVED;
    }
    if (good)
        print(&model, robot, world);
    else
        fprintf(stderr, "%s: %s\n", path, why.text[0] ? why.text : "no keyframe, or a step failed");
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
    return good ? 0 : 1;
}
