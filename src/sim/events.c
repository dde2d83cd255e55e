/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Begin and end of contacts (events.h).
 *
 * The pairs of bodies in contact are a sorted list.  An update builds the new list and merges it
 * with the old one: pairs only in the old list have ended, pairs only in the new list have begun.
 */
#include "moreau/events.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct pair {
    mo_body_id a, b;
} pair;

typedef struct pair_list {
    pair *at;
    size_t room;
    int count;
} pair_list;

struct mo_events {
    mo_allocator allocator;
    pair_list now, before;
    mo_event *event;
    size_t event_room;
    int event_count;
};

mo_error mo_events_create(const mo_allocator *allocator, mo_events **events)
{
    MO_NEED(events, NULL);
    const mo_allocator own = mo_allocator_or_default(allocator);
    *events = mo_memory_array(&own, 1, sizeof **events);
    MO_NEED_MEMORY(*events, NULL);
    **events = (mo_events){.allocator = own};
    return MO_OK;
}

void mo_events_destroy(mo_events *events)
{
    if (events) {
        const mo_allocator own = events->allocator;
        MO_FREE(&own, events->now.at, events->before.at, events->event, events);
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int compare_ids(mo_body_id p, mo_body_id q)
{
    const int by_index = (p.index > q.index) - (p.index < q.index);
    return by_index ? by_index : (p.generation > q.generation) - (p.generation < q.generation);
}

static int compare(const void *p, const void *q)
{
    const pair *one = p, *other = q;
    const int first = compare_ids(one->a, other->a);
    return first ? first : compare_ids(one->b, other->b);
}

static int append(mo_events *events, pair_list *list, mo_body_id a, mo_body_id b)
{
    if (!MO_GROW(&events->allocator, list->at, list->room, (size_t)list->count + 1)) return 0;
    list->at[list->count++] = compare_ids(a, b) < 0 ? (pair){a, b} : (pair){b, a};
    return 1;
}

/* Contacts between sleeping bodies are not contacts of the step. */
static int sleeps(const mo_world *world, const pair *p)
{
    const mo_body_state a = mo_body_get(world, p->a), b = mo_body_get(world, p->b);
    const int a_rests = a.is_asleep || a.kind == MO_BODY_FIXED,
              b_rests = b.is_asleep || b.kind == MO_BODY_FIXED;
    return mo_world_has_body(world, p->a) && mo_world_has_body(world, p->b) && a_rests && b_rests &&
           (a.is_asleep || b.is_asleep);
}

/* A rebound has an impulse, too, although it is open at the end of the step. */
static int carries(const mo_contact *contact)
{
    const double *p = contact->impulse, *n = contact->normal;
    return contact->mode != MO_CONTACT_APART || p[0] * n[0] + p[1] * n[1] + p[2] * n[2] > 0;
}

static int list_pairs(mo_events *events, const mo_world *world)
{
    pair_list *now = &events->now;
    now->count = 0;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        if (carries(&contact) && !append(events, now, contact.a, contact.b)) return 0;
    }
    for (int k = 0; k < events->before.count; ++k) {
        const pair p = events->before.at[k];
        if (sleeps(world, &p) && !append(events, now, p.a, p.b)) return 0;
    }
    if (now->count > 0) qsort(now->at, (size_t)now->count, sizeof *now->at, compare);
    int kept = 0;
    for (int k = 0; k < now->count; ++k)
        if (k == 0 || compare(now->at + k, now->at + kept - 1)) now->at[kept++] = now->at[k];
    now->count = kept;
    return 1;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Events of pairs in `list` that are not in `other`. */
static int report(mo_events *events, const pair_list *list, const pair_list *other,
                  mo_event_kind kind)
{
    for (int k = 0, j = 0; k < list->count; ++k) {
        while (j < other->count && compare(other->at + j, list->at + k) < 0)
            ++j;
        if (j < other->count && compare(other->at + j, list->at + k) == 0) continue;
        if (!MO_GROW(&events->allocator, events->event, events->event_room,
                     (size_t)events->event_count + 1))
            return 0;
        events->event[events->event_count++] = (mo_event){kind, list->at[k].a, list->at[k].b};
    }
    return 1;
}

mo_error mo_events_update(mo_events *events, const mo_world *world, mo_message *why)
{
    MO_NEED(events && world, why);
    events->event_count = 0;
    if (!list_pairs(events, world) ||
        !report(events, &events->before, &events->now, MO_EVENT_END) ||
        !report(events, &events->now, &events->before, MO_EVENT_BEGIN)) {
        events->event_count = 0;
        return mo_fail_memory(why);
    }
    const pair_list swap = events->before;
    events->before = events->now;
    events->now = swap;
    return MO_OK;
}

MO_GETTER(int, mo_events_count, mo_events, event_count)

mo_event mo_events_get(const mo_events *events, int k)
{
    MO_NEED_OR((mo_event){0}, events, NULL);
    return k < 0 || k >= events->event_count ? (mo_event){0} : events->event[k];
}
