/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Which worlds are stepped as a whole on a device, and when (device_heap.h). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/device_heap_data.h"

enum { MANY = 10000 }; /* number of bodies from which device = auto uses a GPU */
enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_GPU };

static const char *name_of(const mo_sim_body *body)
{
    return body->def.name ? body->def.name : "";
}

/* Whether it fits into the hull storage of a GPU. */
static int is_small(const mo_hull *hull)
{
    int is_small = hull->vertex_count <= MO_SMALL_HULL;
    for (int k = 0; k < hull->face_count; ++k)
        is_small = is_small && hull->face_start[k + 1] - hull->face_start[k] <= MO_SMALL_FACE;
    return is_small;
}

/* The reason why a moving shape is not supported, or NULL. */
static const char *wrong_shape(const mo_sim_shape *shape)
{
    const mo_collider *c = &shape->collider;
    return shape->is_on_show               ? "touches nothing"
           : c->def.kind >= MO_SHAPE_PLANE ? "has a shape that is not convex and bounded"
           : c->def.kind == MO_SHAPE_HULL && !is_small(c->hull)
               ? "has a hull of more than 32 vertices, or a face of more than 16"
               : NULL;
}

static int takes_free(const mo_world *world, int place, mo_message *why)
{
    const mo_sim_body *body = world->body + place;
    const char *wrong = body->shape_count != 1 ? "has no shape, or more than one"
                                               : wrong_shape(world->shape + body->first_shape);
    if (wrong) mo_say(why, "body %d '%.64s' %s", place, name_of(body), wrong);
    return !wrong;
}

static int takes_fixed(const mo_world *world, int place, int *count, mo_message *why)
{
    const mo_sim_body *body = world->body + place;
    for (int k = body->first_shape; k != MO_NONE; k = world->shape[k].next) {
        const mo_sim_shape *shape = world->shape + k;
        if (shape->is_on_show) continue;
        const char *wrong = shape->collider.def.kind == MO_SHAPE_PLANE ? NULL : wrong_shape(shape);
        if (wrong || ++*count > MO_FIXED_MOST) {
            mo_say(why, "body %d '%.64s' %s", place, name_of(body),
                   wrong ? wrong : "is one of more than 64 fixed shapes");
            return 0;
        }
    }
    return 1;
}

static int takes_surfaces(const mo_world *world, mo_message *why)
{
    const mo_surfaces *s = &world->surfaces;
    for (int k = 0; k < world->shape_places; ++k) {
        if (world->shape[k].generation && world->near[k].surface == MO_NONE) {
            mo_say(why, "there are more than %d different surfaces", MO_SURFACES);
            return 0;
        }
        const mo_shape_def *def = &world->shape[k].collider.def;
        if (world->shape[k].generation && (def->layer != 1 || !(def->mask & 1))) {
            mo_say(why, "layers keep shape %d from touching others", k);
            return 0;
        }
    }
    for (int i = 0; i < s->count * s->count; ++i) {
        const mo_material *both = &s->both[i / s->count][i % s->count];
        if (both->rolling > 0 || both->torsion > 0 || !isfinite(both->friction)) {
            mo_say(why, "a surface has rolling, torsional or unlimited friction");
            return 0;
        }
    }
    return 1;
}

static int takes_definition(const mo_world *world, mo_message *why)
{
    const mo_world_def *def = &world->def;
    const char *method = def->solver.method;
    const char *wrong = def->dimension != 3                ? "it is planar"
                        : def->level != MO_LEVEL_VELOCITY  ? "it is solved for accelerations"
                        : def->first_order > 0             ? "it is of first order"
                        : def->projection || def->sleeping ? "projection or sleeping is on"
                        : world->jointed_count > 0         ? "it has joints"
                        : world->mechanism_count > 0       ? "it has mechanisms"
                        : world->own_pairs.count > 0 || world->excluded.count > 0
                            ? "pairs of shapes have rules of their own"
                        : !mo_uses_auto(world) && strcmp(method, "nsgs") != 0
                            ? "its method is neither auto nor nsgs"
                            : NULL;
    if (wrong) mo_say(why, "%s", wrong);
    return !wrong;
}

int mo_device_heap_takes(const mo_world *world, mo_message *why)
{
    int fixed = 0, moving = 0;
    if (!takes_definition(world, why) || !takes_surfaces(world, why)) return 0;
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k];
        const mo_body_kind kind = world->body[place].kind;
        if (kind == MO_BODY_FREE && !takes_free(world, place, why)) return 0;
        if (kind == MO_BODY_FIXED && !takes_fixed(world, place, &fixed, why)) return 0;
        if (kind != MO_BODY_FREE && kind != MO_BODY_FIXED) {
            mo_say(why, "body %d '%.64s' is driven", place, name_of(world->body + place));
            return 0;
        }
        moving += kind == MO_BODY_FREE;
    }
    if (moving == 0) mo_say(why, "nothing moves");
    return moving > 0;
}

/* A GPU; copies of a world are stepped by the same kernels on the host where there is none. */
static mo_error open_for(mo_world *world, mo_device **device, mo_message *why)
{
    const mo_options *solver = &world->def.solver;
    const int is_here = world->copies > 0 && (solver->device == DEVICE_CPU || !mo_device_has_gpu());
    if (!is_here || solver->device == DEVICE_GPU)
        return mo_device_open_gpu(&world->allocator, device, why);
    return mo_device_open_host(&world->allocator, solver->threads, MO_FORWARD, device)
               ? mo_fail_memory(why)
               : MO_OK;
}

int mo_device_heap_is_due(mo_world *world, mo_error *error, mo_message *why)
{
    mo_device_heap *heap = world->heap;
    const int asked = world->def.solver.device;
    const int is_given = heap && heap->is_given;
    mo_device *device;
    *error = MO_OK;
    if (heap && heap->is_there) return 1;
    world->device_note = (mo_message){""};
    if (!is_given && asked == DEVICE_GPU) *error = mo_device_find_gpu(why);
    const int is_auto = asked == DEVICE_AUTO && !isfinite(world->def.solver.time_limit);
    const int is_wanted = is_given || asked == DEVICE_GPU || world->copies > 0 ||
                          (is_auto && world->living_count >= MANY && mo_device_has_gpu());
    if (*error || !is_wanted || !mo_device_heap_takes(world, &world->device_note)) return 0;
    if (!heap) {
        *error = open_for(world, &device, why);
        *error = *error ? *error : mo_device_heap_begin(world, device, 0, why);
    }
    return !*error;
}
