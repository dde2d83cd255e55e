/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Copies of a world in one world (batch.h), stepped together by the kernels of a device.
 *
 * Copy 0 has the bodies of the world in their order, static ones included; each further copy has
 * those that move, behind them.  Copies lie in the same place.  Bodies of different copies never
 * touch: on a device each copy has its own buckets (device/ball_cells.h), elsewhere pairs.c leaves
 * such pairs out.
 *
 * The colours of a copy are those that it has alone.  Common to all are the number of sweeps,
 * relaxation, momentum and rounds of a step: the residual is a root mean square over the copies.
 */
#include "base/error.h"
#include "moreau/batch.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

enum { MOST_COPIES = 1000000, MOST_BODIES = 20000000 };

/* A body with its shapes, as it moves now. */
static mo_error copy_body(const mo_world *world, int place, int copy, mo_world *batch,
                          mo_message *why)
{
    const mo_sim_body *body = world->body + place;
    mo_body_def def = body->def;
    def.pose = mo_sim_body_pose(body);
    mo_vec3_copy(body->v, def.velocity);
    mo_vec3_copy(body->v + 3, def.spin);
    const mo_body_id id = mo_world_add_body(batch, &def, why);
    int has_all = id.index != 0;
    for (int k = body->first_shape; k != MO_NONE && has_all; k = world->shape[k].next)
        has_all = mo_world_add_shape(batch, id, &world->shape[k].collider.def, why).index != 0;
    if (has_all) {
        mo_sim_body *own = batch->body + mo_body_place(batch, id);
        own->copy = copy;
        memcpy(own->x, body->x, sizeof own->x); /* not rounded by the frame of the body */
        memcpy(own->orientation, body->orientation, sizeof own->orientation);
    }
    return has_all ? MO_OK : MO_ERR_MEMORY; /* their definitions were accepted before */
}

static mo_error copy_all(const mo_world *world, int copies, mo_world *batch, mo_message *why)
{
    for (int copy = 0; copy < copies; ++copy) {
        for (int k = 0; k < world->living_count; ++k) {
            const int place = world->living[k];
            if (copy == 0 || world->body[place].kind == MO_BODY_FREE)
                MO_TRY(copy_body(world, place, copy, batch, why));
        }
    }
    return MO_OK;
}

mo_error mo_world_create_copies(const mo_world *world, int copies, mo_world **batch,
                                mo_message *why)
{
    mo_message wrong = {""};
    MO_NEED(world && batch, why);
    *batch = NULL;
    MO_REFUSE_IF(copies < 1 || copies > MOST_COPIES || world->living_count > MOST_BODIES / copies,
                 why, "%d copies of %d bodies: there are 1 to %d copies, and at most %d bodies",
                 copies, world->living_count, MOST_COPIES, MOST_BODIES);
    MO_FAIL_IF(world->copies > 0,
               mo_fail(why, MO_ERR_UNSUPPORTED, "copies of copies: copy the world itself"));
    mo_device_heap_fetch(world);
    MO_FAIL_IF(!mo_device_heap_takes(world, &wrong),
               mo_fail(why, MO_ERR_UNSUPPORTED,
                       "this world cannot be copied, since no device steps it: %.300s; step "
                       "separate worlds with mo_worlds_step",
                       wrong.text));
    MO_TRY(mo_world_create(&world->def, &world->allocator, batch, why));
    const mo_error error = copy_all(world, copies, *batch, why);
    if (error) {
        mo_world_destroy(*batch);
        *batch = NULL;
        return error;
    }
    (*batch)->time = world->time;
    (*batch)->copies = copies;
    return MO_OK;
}

/* Those of copy 0 come first, static ones among them. */
mo_body_id mo_world_copy_body(const mo_world *batch, int copy, int k)
{
    MO_NEED_OR((mo_body_id){0}, batch, NULL);
    int first = 0, moving = 0, before = 0;
    while (first < batch->living_count && batch->body[batch->living[first]].copy == 0) {
        const int moves = batch->body[batch->living[first]].kind == MO_BODY_FREE;
        before += first < k && moves;
        moving += moves;
        ++first;
    }
    if (copy < 0 || copy >= batch->copies || k < 0 || k >= first) return (mo_body_id){0};
    const int is_shared = batch->body[batch->living[k]].kind != MO_BODY_FREE;
    return mo_world_body(batch, copy == 0 || is_shared ? k : first + (copy - 1) * moving + before);
}
