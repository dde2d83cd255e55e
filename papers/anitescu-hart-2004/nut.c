/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The Brazil nut [anitescu2004, section 5.3 and figure 4]: a disk of radius 5 among 269 of radius
 * 1.5, mu = 0.5, restitution 0.5, steps of 100 ms, on a plank that moves up and down between fixed
 * walls.  The paper does not print the width, gravity or the motion of the plank; the scene
 * `brazil-nut` has a box of width 50 and a jump of 6 every 5 s.
 *
 * The nut is at the top when no more than a fiftieth of the small disks lie above its highest
 * point.
 */
#include <math.h>
#include <string.h>

#include "machine.h"
#include "motion.h"
#include "progress.h"
#include "worlds.h"

static const double AT_TOP = 0.02, NUT = 5;

static mo_error build(const ah_nut *nut, mo_world **world, double *step, int *steps,
                      mo_message *why)
{
    const world_scene *scene = world_scene_find("brazil-nut");
    double values[WORLD_PARAMETERS];
    world_default_values(scene, values);
    mo_error error = scene->build(values, world, why);
    if (error) return error;
    mo_world_def def = mo_world_definition(*world);
    def.solver.method = nut->method;
    def.solver.tol = nut->tolerance;
    *step = scene->step;
    *steps = (int)lround(values[4] / scene->step); /* of a shake */
    return mo_world_change(*world, &def, why);
}

static void look(const mo_world *world, ah_nut *nut)
{
    const int first = mo_world_body_count(world) - AH_DISKS;
    int above = 0;
    for (int k = 0; k < AH_DISKS; ++k) {
        const mo_body_state disk = mo_body_get(world, mo_world_body(world, first + k));
        memcpy(nut->at[nut->shakes][k], disk.pose.position, sizeof nut->at[0][0]);
        above += k > 0 && disk.pose.position[1] > nut->at[nut->shakes][0][1] + NUT;
    }
    nut->above[nut->shakes] = (double)above / (AH_DISKS - 1);
    if (nut->top < 0 && nut->above[nut->shakes] <= AT_TOP) nut->top = nut->shakes;
}

static mo_error shake_once(mo_world *world, double step, int steps, ah_nut *nut, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < steps && !error; ++k) {
        mo_step_report report;
        const double start = machine_process_clock();
        error = mo_world_step(world, step, &report, why);
        nut->seconds += machine_process_clock() - start;
        nut->contacts += report.contacts;
        nut->residual += report.residual.natural_relative;
        nut->penetration = fmax(nut->penetration, report.penetration);
        nut->unsolved += report.status != MO_SOLVED;
        ++nut->steps;
    }
    return error;
}

mo_error ah_shake(const char *method, double tolerance, int most, ah_nut *nut, mo_message *why)
{
    mo_world *world = NULL;
    double step = 0;
    int steps = 0;
    memset(nut, 0, sizeof *nut);
    nut->method = method;
    nut->tolerance = tolerance;
    nut->top = -1;
    mo_error error = build(nut, &world, &step, &steps, why);
    if (!error) look(world, nut);
    while (!error && nut->shakes < most && nut->shakes < AH_SHAKES && nut->top < 0) {
        progress_line("%s: shake %d, %.0f %% of the disks above the nut", method, nut->shakes + 1,
                      100 * nut->above[nut->shakes]);
        error = shake_once(world, step, steps, nut, why);
        if (!error) {
            ++nut->shakes;
            look(world, nut);
        }
    }
    double *const sums[] = {&nut->contacts, &nut->seconds, &nut->residual};
    for (int k = 0; k < 3; ++k)
        *sums[k] /= fmax(1, nut->steps);
    mo_world_destroy(world);
    return error;
}
