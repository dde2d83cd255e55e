/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The list of simulated scenes. */
#include "worlds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "world_list.h"

#define SEED                                                                                       \
    {                                                                                              \
        "seed", 1, 0, 1e9, "seed of the random numbers", 1                                         \
    }

static const world_scene SCENES[] = {
    {"incline",
     "a block that rests or slides on a slope",
     0.01,
     2,
     world_incline,
     {{"mu", 0.49, 0, 10, "friction coefficient", 0},
      {"slope", 0.5, 0, 10, "tangent of the angle", 0},
      {"turn", 0, -7, 7, "direction of steepest descent, rad", 0}}},
    {"slip-to-roll",
     "a sliding ball that starts to roll",
     0.01,
     1,
     world_slip_to_roll,
     {{"mu", 0.3, 0, 10, "friction coefficient", 0},
      {"speed", 2, -100, 100, "initial speed, m/s", 0},
      {"turn", 0, -7, 7, "direction of motion, rad", 0}}},
    {"stack",
     "a stack of cubes",
     0.02,
     10,
     world_stack,
     {{"count", 10, 1, 1000, "number of cubes", 1},
      {"mu", 0.5, 0, 10, "friction coefficient", 0},
      {"ratio", 1, 1e-9, 1e9, "mass of the top over that of the bottom", 0}}},
    {"wall",
     "a wall of bricks in running bond",
     0.02,
     10,
     world_wall,
     {{"courses", 10, 1, 200, "number of courses", 1},
      {"length", 20, 1, 1000, "bricks in a course", 1},
      {"mu", 0.5, 0, 10, "friction coefficient", 0},
      {"ratio", 1, 1e-9, 1e9, "mass of a top brick over that of a bottom one", 0}}},
    {"kapla",
     "a tower of crossed planks",
     0.02,
     10,
     world_kapla,
     {{"layers", 40, 1, 2000, "number of layers", 1},
      {"planks", 3, 2, 5, "planks per layer, which has room for 5", 1},
      {"mu", 0.5, 0, 10, "friction coefficient", 0},
      {"ratio", 1, 1e-9, 1e9, "mass of a top plank over that of a bottom one", 0}}},
    {"arch",
     "a round arch of wedge-shaped stones",
     0.01,
     10,
     world_arch,
     {{"stones", 15, 3, 101, "number of stones", 1},
      {"thickness", 0.25, 0.01, 0.9, "thickness of the ring over its outer radius", 0},
      {"mu", 0.7, 0, 10, "friction coefficient", 0}}},
    {"domino",
     "a row of dominoes, the first one pushed",
     0.005,
     4,
     world_domino,
     {{"count", 30, 1, 1000, "number of dominoes", 1},
      {"mu", 0.4, 0, 10, "friction coefficient", 0},
      {"gap", 0.02, 0.001, 0.04, "gap between dominoes, m", 0}}},
    {"cascade",
     "growing dominoes on a spiral, the last of which knocks down an arch",
     0.004,
     5,
     world_cascade,
     {{"count", 40, 1, 200, "number of dominoes", 1},
      {"growth", 1.05, 1, 1.3, "size of a domino over that of the last", 0},
      {"turn", 0.2, -0.4, 0.4, "angle from one domino to the next, rad", 0},
      {"mu", 0.4, 0, 10, "friction coefficient", 0}}},
    {"cannonball",
     "a pyramid of disks in the plane",
     0.05,
     20,
     world_cannonball,
     {{"rows", 6, 1, 200, "number of rows", 1},
      {"mu", 0.3, 0, 10, "friction coefficient", 0},
      {"walls", 1, 0, 1, "1: walls support the lowest row", 1}}},
    {"brazil-nut",
     "a large disk rises among small ones that are shaken",
     0.1,
     250,
     world_brazil_nut,
     {{"count", 269, 1, 20000, "number of small disks", 1},
      {"mu", 0.5, 0, 10, "friction coefficient", 0},
      {"restitution", 0.5, 0, 1, "restitution", 0},
      {"amplitude", 6, 0, 100, "amplitude of a shake, m", 0},
      {"period", 5, 0.1, 1000, "time between shakes, s", 0},
      SEED}},
    {"beads",
     "spheres dropped into a box",
     0.02,
     6,
     world_beads,
     {{"count", 600, 1, 20000000, "number of balls", 1},
      {"mu", 0.3, 0, 10, "friction coefficient", 0},
      {"restitution", 0.2, 0, 1, "restitution", 0},
      {"radius", 0.1, 1e-3, 1e3, "radius, m", 0},
      SEED}},
    {"heap",
     "balls, boxes, capsules, cylinders, hulls or a mixture dropped into a box",
     0.01,
     3,
     world_heap,
     {{"count", 300, 1, 20000000, "number of bodies", 1},
      {"shape", 5, 0, 5, "0 balls, 1 boxes, 2 capsules, 3 cylinders, 4 hulls, 5 a mixture", 1},
      {"boxes", 0, 0, 100000, "number of the lowest bodies that are boxes with any shape", 1},
      {"mu", 0.5, 0, 10, "friction coefficient", 0},
      {"restitution", 0, 0, 1, "restitution", 0},
      {"radius", 0.1, 1e-3, 1e3, "radius of a ball, m; other shapes have a similar size", 0},
      SEED}},
    {"funnel",
     "balls run through a funnel",
     0.01,
     8,
     world_funnel,
     {{"count", 400, 1, 100000, "number of balls", 1},
      {"mu", 0.2, 0, 10, "friction coefficient", 0},
      {"opening", 0.5, 0.1, 5, "width of the opening, m", 0},
      SEED}},
    {"drum",
     "disks in a rotating drum",
     0.01,
     20,
     world_drum,
     {{"count", 200, 1, 20000, "number of disks", 1},
      {"mu", 0.5, 0, 10, "friction coefficient", 0},
      {"speed", 1, -100, 100, "speed of the drum, rad/s", 0},
      SEED}},
    {"painleve",
     "a rod that slides on its tip (Painleve)",
     0.001,
     1,
     world_painleve,
     {{"mu", 1.5, 0, 10, "friction coefficient", 0},
      {"angle", 1.0, 0.05, 1.5, "angle of the rod above the ground, rad", 0},
      {"speed", 3, -100, 100, "initial speed, m/s", 0}}},
    {"chain",
     "a chain of links on ball joints, held at one or both ends",
     0.01,
     5,
     world_chain,
     {{"links", 20, 2, 2000, "number of links", 1},
      {"ends", 1, 1, 2, "number of ends that are held", 1},
      {"ratio", 1, 1e-6, 1e6, "mass of the last link over that of the others", 0}}},
    {"slider-crank",
     "a crank drives a slider",
     0.005,
     5,
     world_slider_crank,
     {{"speed", 6, -100, 100, "speed of the motor, rad/s", 0},
      {"effort", 100, 0, 1e9, "maximum torque of the motor, N m", 0}}},
    {"blockfeeder",
     "a wheel that feeds blocks one by one",
     0.01,
     20,
     world_blockfeeder,
     {{"count", 7, 1, 200, "number of blocks", 1},
      {"mu", 0.2, 0, 10, "friction coefficient", 0},
      {"speed", 0, -20, 20, "speed of a motor on the wheel, rad/s; 0: no motor", 0}}},
    {"jack",
     "a double-action jack: both strokes of the lever raise the load",
     0.01,
     20,
     world_jack,
     {{"load", 100, 1, 1e6, "mass of the load, kg", 0},
      {"mu", 0.2, 0, 10, "friction coefficient", 0},
      {"pump", 0, 0, 5, "strokes of the lever per second; 0: the lever is free", 0}}},
    {"gripper",
     "two fingers lift a heavy box",
     0.005,
     3,
     world_gripper,
     {{"mass", 10, 1e-3, 1e6, "mass of the box, kg; a finger has 0.1 kg", 0},
      {"mu", 0.6, 0, 10, "friction coefficient", 0},
      {"squeeze", 200, 0, 1e8, "force of a finger, N", 0},
      {"lift", 0.2, 0, 10, "lifting speed, m/s", 0}}},
    {"cradle",
     "Newton's cradle",
     0.001,
     4,
     world_cradle,
     {{"balls", 5, 2, 50, "number of balls", 1},
      {"raised", 1, 1, 50, "number of raised balls", 1},
      {"restitution", 1, 0, 1, "restitution", 0}}},
    {"spinning-coin",
     "a coin that spins on its rim, rolls and settles",
     0.0005,
     4,
     world_spinning_coin,
     {{"spin", 25, -1000, 1000, "angular velocity about the vertical, rad/s", 0},
      {"lean", 0.5, 0, 1.5, "angle from the vertical, rad", 0},
      {"mu", 0.3, 0, 10, "friction coefficient", 0}}},
    {"billiard",
     "a billiard break",
     0.002,
     4,
     world_billiard,
     {{"speed", 8, 0, 100, "speed of the cue ball, m/s", 0},
      {"mu", 0.2, 0, 10, "friction coefficient", 0},
      {"restitution", 0.95, 0, 1, "restitution", 0}}},
};

int world_scene_count(void)
{
    return (int)(sizeof SCENES / sizeof *SCENES);
}

const world_scene *world_scene_at(int k)
{
    return k >= 0 && k < world_scene_count() ? SCENES + k : NULL;
}

const world_scene *world_scene_find(const char *name)
{
    for (int k = 0; k < world_scene_count(); ++k)
        if (strcmp(SCENES[k].name, name) == 0) return SCENES + k;
    return NULL;
}

int world_parameter_count(const world_scene *scene)
{
    int count = 0;
    while (count < WORLD_PARAMETERS && scene->parameter[count].name)
        ++count;
    return count;
}

void world_default_values(const world_scene *scene, double *values)
{
    for (int k = 0; k < world_parameter_count(scene); ++k)
        values[k] = scene->parameter[k].value;
}

MO_PRINTF(2, 3)
static void say(mo_message *why, const char *format, ...)
{
    if (why) {
        va_list values;
        va_start(values, format);
        vsnprintf(why->text, sizeof why->text, format, values);
        va_end(values);
    }
}

mo_error world_set_value(const world_scene *scene, double *values, const char *name, double value,
                         mo_message *why)
{
    for (int k = 0; k < world_parameter_count(scene); ++k) {
        const world_parameter *p = scene->parameter + k;
        if (strcmp(p->name, name) == 0) {
            if (!(value >= p->least && value <= p->most)) {
                say(why, "scene '%s': %s must be between %g and %g", scene->name, name, p->least,
                    p->most);
                return MO_ERR_ARGUMENT;
            }
            if (p->is_whole && value != floor(value)) {
                say(why, "scene '%s': %s must be a whole number, not %g", scene->name, name, value);
                return MO_ERR_ARGUMENT;
            }
            values[k] = value;
            return MO_OK;
        }
    }
    say(why, "scene '%s' has no parameter '%.64s'", scene->name, name);
    return MO_ERR_ARGUMENT;
}

mo_error world_create_default(const char *name, mo_world **world, mo_message *why)
{
    const world_scene *scene = world_scene_find(name);
    *world = NULL;
    if (!scene) {
        say(why, "there is no scene '%.64s'", name);
        return MO_ERR_ARGUMENT;
    }
    double values[WORLD_PARAMETERS];
    world_default_values(scene, values);
    return scene->build(values, world, why);
}
