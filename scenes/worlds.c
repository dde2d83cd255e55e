/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The list of scenes that move. */
#include "worlds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "world_list.h"

#define SEED                                                                                       \
    {                                                                                              \
        "seed", 1, 0, 1e9, "of the random numbers", 1                                              \
    }

static const world_scene SCENES[] = {
    {"incline",
     "a block on a slope: it rests or slides",
     0.01,
     2,
     world_incline,
     {{"mu", 0.49, 0, 10, "friction", 0},
      {"slope", 0.5, 0, 10, "tangent of the angle", 0},
      {"turn", 0, -7, 7, "direction of the fall line, rad", 0}}},
    {"slip-to-roll",
     "a sliding ball comes to roll",
     0.01,
     1,
     world_slip_to_roll,
     {{"mu", 0.3, 0, 10, "friction", 0},
      {"speed", 2, -100, 100, "m/s at the start", 0},
      {"turn", 0, -7, 7, "direction, rad", 0}}},
    {"stack",
     "cubes on top of each other",
     0.02,
     10,
     world_stack,
     {{"count", 10, 1, 1000, "cubes", 1},
      {"mu", 0.5, 0, 10, "friction", 0},
      {"ratio", 1, 1e-9, 1e9, "mass of the top over that of the bottom", 0}}},
    {"wall",
     "a wall of bricks in running bond",
     0.02,
     10,
     world_wall,
     {{"courses", 10, 1, 200, "courses", 1},
      {"length", 20, 1, 1000, "bricks in a course", 1},
      {"mu", 0.5, 0, 10, "friction", 0},
      {"ratio", 1, 1e-9, 1e9, "mass of a top brick over that of a bottom one", 0}}},
    {"kapla",
     "a tower of crossed planks",
     0.02,
     10,
     world_kapla,
     {{"layers", 40, 1, 2000, "layers", 1},
      {"planks", 3, 2, 5, "planks in a layer, which is 5 wide", 1},
      {"mu", 0.5, 0, 10, "friction", 0},
      {"ratio", 1, 1e-9, 1e9, "mass of a top plank over that of a bottom one", 0}}},
    {"arch",
     "a round arch of wedge-shaped stones",
     0.01,
     10,
     world_arch,
     {{"stones", 15, 3, 101, "stones", 1},
      {"thickness", 0.25, 0.01, 0.9, "of the ring, over its outer radius", 0},
      {"mu", 0.7, 0, 10, "friction", 0}}},
    {"domino",
     "a row of dominoes, the first one pushed",
     0.005,
     4,
     world_domino,
     {{"count", 30, 1, 1000, "dominoes", 1},
      {"mu", 0.4, 0, 10, "friction", 0},
      {"gap", 0.02, 0.001, 0.04, "between two of them, m", 0}}},
    {"cascade",
     "growing dominoes on a spiral, the last of which knocks down an arch",
     0.004,
     5,
     world_cascade,
     {{"count", 40, 1, 200, "dominoes", 1},
      {"growth", 1.05, 1, 1.3, "size of a domino over that of the one before", 0},
      {"turn", 0.2, -0.4, 0.4, "from one domino to the next, rad", 0},
      {"mu", 0.4, 0, 10, "friction", 0}}},
    {"cannonball",
     "a pyramid of disks in the plane",
     0.05,
     20,
     world_cannonball,
     {{"rows", 6, 1, 200, "rows", 1},
      {"mu", 0.3, 0, 10, "friction", 0},
      {"walls", 1, 0, 1, "1: walls hold the lowest row", 1}}},
    {"brazil-nut",
     "a large disk rises among small ones that are shaken",
     0.1,
     250,
     world_brazil_nut,
     {{"count", 269, 1, 20000, "small disks", 1},
      {"mu", 0.5, 0, 10, "friction", 0},
      {"restitution", 0.5, 0, 1, "restitution", 0},
      {"amplitude", 6, 0, 100, "of a shake, m", 0},
      {"period", 5, 0.1, 1000, "from one shake to the next, s", 0},
      SEED}},
    {"beads",
     "spheres dropped into a box",
     0.02,
     6,
     world_beads,
     {{"count", 600, 1, 20000000, "balls", 1},
      {"mu", 0.3, 0, 10, "friction", 0},
      {"restitution", 0.2, 0, 1, "restitution", 0},
      {"radius", 0.1, 1e-3, 1e3, "m", 0},
      SEED}},
    {"heap",
     "bodies of one kind, or of four, dropped into a box; solved to the tolerances of beads",
     0.01,
     3,
     world_heap,
     {{"count", 300, 1, 20000000, "bodies", 1},
      {"shape", 5, 0, 5, "0 balls, 1 boxes, 2 capsules, 3 cylinders, 4 hulls, 5 a mixture", 1},
      {"boxes", 0, 0, 100000, "of them, among the lowest, that are boxes in any case", 1},
      {"mu", 0.5, 0, 10, "friction", 0},
      {"restitution", 0, 0, 1, "restitution", 0},
      {"radius", 0.1, 1e-3, 1e3, "of a ball; the others are about as large, m", 0},
      SEED}},
    {"funnel",
     "balls run through a funnel",
     0.01,
     8,
     world_funnel,
     {{"count", 400, 1, 100000, "balls", 1},
      {"mu", 0.2, 0, 10, "friction", 0},
      {"opening", 0.5, 0.1, 5, "width of the mouth, m", 0},
      SEED}},
    {"drum",
     "disks in a rotating drum",
     0.01,
     20,
     world_drum,
     {{"count", 200, 1, 20000, "disks", 1},
      {"mu", 0.5, 0, 10, "friction", 0},
      {"speed", 1, -100, 100, "of the drum, rad/s", 0},
      SEED}},
    {"painleve",
     "a rod that slides on its tip",
     0.001,
     1,
     world_painleve,
     {{"mu", 1.5, 0, 10, "friction", 0},
      {"angle", 1.0, 0.05, 1.5, "of the rod above the ground, rad", 0},
      {"speed", 3, -100, 100, "m/s", 0}}},
    {"chain",
     "links on ball joints, hung at both ends",
     0.01,
     5,
     world_chain,
     {{"links", 20, 2, 2000, "links", 1},
      {"ends", 1, 1, 2, "ends that are held", 1},
      {"ratio", 1, 1e-6, 1e6, "mass of the last link over the others'", 0}}},
    {"slider-crank",
     "a crank drives a slider",
     0.005,
     5,
     world_slider_crank,
     {{"speed", 6, -100, 100, "of the motor, rad/s", 0},
      {"effort", 100, 0, 1e9, "of the motor at most, N m", 0}}},
    {"blockfeeder",
     "turn the wheel, and blocks come out one by one",
     0.01,
     20,
     world_blockfeeder,
     {{"count", 7, 1, 200, "blocks", 1},
      {"mu", 0.2, 0, 10, "friction", 0},
      {"speed", 0, -20, 20, "of a motor on the wheel, rad/s; 0: none", 0}}},
    {"jack",
     "pump the lever, and both strokes raise the load",
     0.01,
     20,
     world_jack,
     {{"load", 100, 1, 1e6, "mass, kg", 0},
      {"mu", 0.2, 0, 10, "friction", 0},
      {"pump", 0, 0, 5, "strokes of the lever a second; 0: it is free", 0}}},
    {"gripper",
     "two fingers lift a heavy box",
     0.005,
     3,
     world_gripper,
     {{"mass", 10, 1e-3, 1e6, "of the box, kg; a finger has 0.1", 0},
      {"mu", 0.6, 0, 10, "friction", 0},
      {"squeeze", 200, 0, 1e8, "force of a finger, N", 0},
      {"lift", 0.2, 0, 10, "speed, m/s", 0}}},
    {"cradle",
     "Newton's cradle",
     0.001,
     4,
     world_cradle,
     {{"balls", 5, 2, 50, "balls", 1},
      {"raised", 1, 1, 50, "of them raised", 1},
      {"restitution", 1, 0, 1, "restitution", 0}}},
    {"spinning-coin",
     "a coin spins on its rim, rolls and settles",
     0.0005,
     4,
     world_spinning_coin,
     {{"spin", 25, -1000, 1000, "about the vertical, rad/s", 0},
      {"lean", 0.5, 0, 1.5, "from upright, rad", 0},
      {"mu", 0.3, 0, 10, "friction", 0}}},
    {"billiard",
     "a break",
     0.002,
     4,
     world_billiard,
     {{"speed", 8, 0, 100, "of the cue ball, m/s", 0},
      {"mu", 0.2, 0, 10, "friction", 0},
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
    for (int k = 0; k < world_scene_count(); ++k) {
        if (strcmp(SCENES[k].name, name) == 0) {
            return SCENES + k;
        }
    }
    return NULL;
}

int world_parameter_count(const world_scene *scene)
{
    int count = 0;
    while (count < WORLD_PARAMETERS && scene->parameter[count].name) {
        ++count;
    }
    return count;
}

void world_default_values(const world_scene *scene, double *values)
{
    for (int k = 0; k < world_parameter_count(scene); ++k) {
        values[k] = scene->parameter[k].value;
    }
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
