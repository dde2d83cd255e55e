/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Forces inside a stack of five cubes at rest, without a time step.
 *
 * Four corners carry each cube, but statics determines only the resultant of their forces: the
 * contacts are hyperstatic.  A small relative compliance selects the even distribution.
 */
#include <math.h>
#include <moreau/moreau.h>
#include <stdio.h>

enum { CUBES = 5 };

static int build(mo_world *world, mo_message *why)
{
    const mo_shape_def ground = mo_shape_plane(), cube = mo_shape_box(0.5, 0.5, 0.5);
    int good = mo_world_add_solid(world, MO_BODY_FIXED, &ground, NULL, why).index;
    for (int k = 0; k < CUBES && good; ++k) {
        const mo_pose pose = mo_pose_at(0, 0, 0.5 + k);
        good = mo_world_add_solid(world, MO_BODY_FREE, &cube, &pose, why).index;
    }
    return good;
}

/* The smallest and the largest normal force at the corners of one interface, and their sum. */
static void print_interface(const mo_forces *forces, int below)
{
    double least = INFINITY, most = 0, sum = 0;
    int corners = 0;
    for (int k = 0; k < forces->contact_count; ++k) {
        const mo_contact_force *c = &forces->contacts[k];
        if (c->a.index == below) { /* the bodies are numbered from 1, from the ground upwards */
            least = fmin(least, c->force[2]);
            most = fmax(most, c->force[2]);
            sum += c->force[2];
            ++corners;
        }
    }
    printf("interface %d: %d corners, %.1f to %.1f kN each, %.1f kN in all\n", below, corners,
           least / 1000, most / 1000, sum / 1000);
}

int main(void)
{
    mo_world *world = NULL;
    mo_forces forces = {0};
    mo_message why = {{0}};
    mo_force_options options = mo_default_force_options();
    options.softness = 1e-6;
    const int good = !mo_world_create(NULL, NULL, &world, &why) && build(world, &why) &&
                     !mo_world_forces(world, &options, &forces, &why) && forces.status == MO_SOLVED;
    if (good) {
        for (int k = 1; k <= CUBES; ++k)
            print_interface(&forces, k);
        printf("bodies that accelerate: %d\n", forces.moving);
    } else {
        fprintf(stderr, "stack_forces: %s%s\n", why.text, forces.message.text);
    }
    mo_forces_clear(&forces);
    mo_world_destroy(world);
    return good ? 0 : 1;
}
