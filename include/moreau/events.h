/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contacts that begin and end.
 *
 * Two bodies are in contact in a step if one of their contacts has an impulse.  An events object
 * compares the pairs of the last step with those of its previous update:
 *
 *     mo_events *events;
 *     mo_events_create(NULL, &events);
 *     mo_world_step(world, h, NULL, &why);
 *     mo_events_update(events, world, &why);
 *     for (int k = 0; k < mo_events_count(events); ++k) { ... mo_events_get(events, k) ... }
 *     mo_events_destroy(events);
 *
 * Sleeping bodies stay in contact.  Worlds without an events object have no extra cost.
 */
#ifndef MOREAU_EVENTS_H
#define MOREAU_EVENTS_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mo_events mo_events;

typedef enum mo_event_kind { MO_EVENT_BEGIN, MO_EVENT_END } mo_event_kind;

typedef struct mo_event {
    mo_event_kind kind;
    /* in the order of their ids; the id of a removed body is stale */
    mo_body_id a, b;
} mo_event;

MO_API mo_error mo_events_create(const mo_allocator *allocator, mo_events **events);
MO_API void mo_events_destroy(mo_events *events);

/* Finds the events since the last update; to be called after each step.  One object belongs to one
 * world. */
MO_API mo_error mo_events_update(mo_events *events, const mo_world *world, mo_message *why);

/* The events of the last update: first ends, then begins, each sorted by body ids. */
MO_API int mo_events_count(const mo_events *events);
/* The k-th event; its bodies are {0} if k is out of range. */
MO_API mo_event mo_events_get(const mo_events *events, int k);

#ifdef __cplusplus
}
#endif
#endif
