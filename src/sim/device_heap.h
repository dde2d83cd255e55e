/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A heap that is stepped as a whole on a device (device/device.h).
 *
 * While it is there, the bodies and contacts of the world are not up to date: readers fetch them
 * first, and a change moves the heap back to the host, so the next step starts from the world
 * again.
 *
 * Supported: velocity level in space, dynamic balls and other convex shapes, one a body, static
 * planes and such shapes, Coulomb friction.  Not supported: joints, mechanisms, kinematic bodies,
 * rolling friction, layers, sleeping, the option projection.  Impacts with restitution are part of
 * the problem of the step (ball_step.h), unlike on the host (impact.c).
 */
#ifndef MO_SIM_DEVICE_HEAP_H
#define MO_SIM_DEVICE_HEAP_H

#include "device/device.h"
#include "sim/world_data.h"

typedef struct mo_device_heap mo_device_heap;

/* Whether a device can step this world; otherwise `why` has the reason. */
int mo_device_heap_takes(const mo_world *world, mo_message *why);

/*
 * Steps the world on this device from now on; the world closes it.  is_given: regardless of its
 * options (tests with the host).
 */
mo_error mo_device_heap_begin(mo_world *world, mo_device *device, int is_given, mo_message *why);
void mo_device_heap_end(mo_world *world);
/* The same for a world that is destroyed: nothing is fetched. */
void mo_device_heap_drop(mo_world *world);

/* Whether the next step runs there; *error if a requested GPU is missing. */
int mo_device_heap_is_due(mo_world *world, mo_error *error, mo_message *why);
mo_error mo_device_heap_step(mo_world *world, double h, mo_step_report *report, mo_message *why);

/* Is the state on a device, and on which? */
int mo_device_heap_is_away(const mo_world *world);
const char *mo_device_heap_device(const mo_world *world);

/* Fetches bodies, or also contacts, from the device if they are there. */
void mo_device_heap_fetch(const mo_world *world);
mo_error mo_device_heap_fetch_contacts(const mo_world *world);
/* Both, and the next step starts from them.  Must be called before a change of the world; a
 * suspended step is cancelled. */
void mo_device_heap_bring_back(mo_world *world);

#endif
