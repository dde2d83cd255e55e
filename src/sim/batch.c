/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Steps of many worlds (batch.h).  A world is one task of mo_parallel_tasks. */
#include "moreau/batch.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

typedef struct batch {
    mo_world *const *worlds;
    double h;
    int steps;
    mo_batch_report *reports;
    mo_message *messages;
} batch;

static void step_one(void *context, int k)
{
    const batch *all = context;
    mo_batch_report *report = all->reports + k;
    *report = (mo_batch_report){0};
    while (report->steps < all->steps && !report->error) {
        report->error = mo_world_step(all->worlds[k], all->h, &report->last, &all->messages[k]);
        if (!report->error) {
            report->steps++;
            report->unsolved += report->last.status != MO_SOLVED;
        }
    }
}

mo_error mo_worlds_step(mo_world *const *worlds, int count, double h, int steps, int threads,
                        mo_batch_report *reports, mo_message *why)
{
    MO_NEED(worlds || count <= 0, why);
    MO_REFUSE_IF(count < 0 || steps < 0 || threads < 1, why,
                 "%d worlds, %d steps and %d threads: numbers of worlds and steps are not "
                 "negative, and there is at least one thread",
                 count, steps, threads);
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_message *messages = mo_memory_array(&own, (size_t)count, sizeof *messages);
    mo_batch_report *room = reports ? reports : mo_memory_array(&own, (size_t)count, sizeof *room);
    mo_error error = messages && room ? MO_OK : mo_fail_memory(why);
    if (!error) {
        batch all = {worlds, h, steps, room, messages};
        mo_parallel_tasks(threads, count, step_one, &all);
        for (int k = 0; k < count && !error; ++k) {
            error = room[k].error
                        ? mo_fail(why, room[k].error, "world %d: %.480s", k, messages[k].text)
                        : MO_OK;
        }
    }
    MO_FREE(&own, messages, reports ? NULL : room);
    return error;
}
