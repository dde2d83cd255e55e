/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Saved state of mechanisms: coordinates, velocities, their last kick, applied efforts, impulses of
 * limits, friction and couplings, targets, states and efforts of actuators, and those of tendons.
 * Poses of links follow from the coordinates.
 */
#include <math.h>
#include <string.h>

#include "sim/mechanism.h"

typedef void visit_fn(void *context, double *numbers, size_t count);

/* Every run of numbers, in one order for saving and loading.  A flag travels as a number. */
static void visit(mo_sim_mechanism *mechanism, visit_fn *fn, void *context)
{
    const size_t n = (size_t)mechanism->tree.dofs;
    fn(context, mechanism->q, (size_t)mechanism->tree.coordinates);
    fn(context, mechanism->v, n);
    fn(context, mechanism->kick, n);
    fn(context, mechanism->push, n);
    fn(context, &mechanism->wait, 1);
    fn(context, &mechanism->last_wait, 1);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        fn(context, mechanism->axis[k].stop.impulse, 2);
        fn(context, mechanism->axis[k].friction_impulse, 6);
        fn(context, &mechanism->axis[k].slip, 1);
        fn(context, &mechanism->axis[k].had_form, 1);
    }
    for (int k = 0; k < mechanism->tendons; ++k) {
        fn(context, mechanism->tendon[k].stop.impulse, 2);
        fn(context, &mechanism->tendon[k].friction_impulse, 1);
    }
    for (int k = 0; k < mechanism->couplings; ++k)
        fn(context, &mechanism->coupling[k].impulse, 1);
    for (int k = 0; k < mechanism->actuators; ++k) {
        mo_sim_actuator *actuator = mechanism->actuator + k;
        double flag = actuator->is_saturated;
        fn(context, &actuator->target, 1);
        fn(context, &actuator->state, 1);
        fn(context, &actuator->effort, 1);
        fn(context, &flag, 1);
        actuator->is_saturated = flag != 0;
    }
}

static void visit_all(const mo_world *world, visit_fn *fn, void *context)
{
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k]) visit(world->mechanism[k], fn, context);
}

static void count_numbers(void *context, double *numbers, size_t count)
{
    (void)numbers;
    *(size_t *)context += count;
}

static void write_numbers(void *context, double *numbers, size_t count)
{
    char **to = context;
    memcpy(*to, numbers, count * sizeof *numbers);
    *to += count * sizeof *numbers;
}

static void read_numbers(void *context, double *numbers, size_t count)
{
    const char **from = context;
    memcpy(numbers, *from, count * sizeof *numbers);
    *from += count * sizeof *numbers;
}

static void exchange_numbers(void *context, double *numbers, size_t count)
{
    double **other = context;
    for (size_t k = 0; k < count; ++k, ++*other) {
        const double own = numbers[k];
        numbers[k] = **other;
        **other = own;
    }
}

size_t mo_mechanisms_size(const mo_world *world)
{
    size_t count = 0;
    visit_all(world, count_numbers, &count);
    return count;
}

void mo_mechanisms_save(const mo_world *world, char *to)
{
    visit_all(world, write_numbers, &to);
}

void mo_mechanisms_exchange(mo_world *world, double *saved)
{
    visit_all(world, exchange_numbers, &saved);
}

/* Of one mechanism; its coordinates come first.  Moves on behind its numbers. */
static int is_sound(mo_sim_mechanism *mechanism, const char **from)
{
    const char *const coordinates = *from;
    size_t count = 0;
    const size_t motions = (size_t)(mechanism->tree.coordinates + mechanism->tree.dofs);
    int good = 1;
    visit(mechanism, count_numbers, &count);
    for (size_t k = 0; k < count; ++k, *from += sizeof(double)) {
        double number;
        memcpy(&number, *from, sizeof number);
        good = good && (k < motions ? mo_are_moderate(1, &number) : isfinite(number));
    }
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        const int at = mo_linkage_turn_at(mechanism->tree.joint + k);
        double turn[4] = {1};
        if (at >= 0) memcpy(turn, coordinates + (size_t)at * sizeof *turn, sizeof turn);
        good = good && mo_quat_is_unit(turn);
    }
    return good;
}

int mo_mechanisms_sound(const mo_world *world, const char *from)
{
    int good = 1;
    for (int k = 0; k < world->mechanism_places && good; ++k)
        good = !world->mechanism[k] || is_sound(world->mechanism[k], &from);
    return good;
}

void mo_mechanisms_load(mo_world *world, const char *from)
{
    visit_all(world, read_numbers, &from);
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k]) mo_mechanism_place_links(world, world->mechanism[k]);
}
