/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Ray casts, overlaps and distances in a world (query.h).  Shapes are tested one by one, after a
 * test of their bounding spheres.
 */
#include "moreau/query.h"

#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "collide/ray.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

mo_query_filter mo_default_query_filter(void)
{
    return (mo_query_filter){.mask = ~0u};
}

static int is_seen(const mo_world *world, int shape, const mo_query_filter *filter)
{
    const mo_sim_shape *s = world->shape + shape;
    return (s->collider.def.layer & filter->mask) != 0 &&
           s->body != mo_body_place(world, filter->ignored);
}

static mo_shape_id shape_id(const mo_world *world, int shape)
{
    return (mo_shape_id){shape + 1, world->shape[shape].generation};
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* May the ray meet a ball of this radius within `length`? */
static int may_hit(const mo_ray *ray, const double centre[3], double radius, double length)
{
    double to[3], across[3];
    mo_vec3_minus(centre, ray->origin, to);
    const double along = mo_vec3_dot(to, ray->direction);
    mo_vec3_along(to, -along, ray->direction, across);
    const double reach = radius * (1 + 1e-9);
    return along >= -reach && along - reach <= length &&
           !(mo_vec3_dot(across, across) > reach * reach);
}

static mo_ray_hit cast(const mo_world *world, const mo_ray *ray, const mo_query_filter *filter)
{
    mo_ray_hit hit = {0};
    mo_ray rest = *ray;
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k];
        const mo_sim_body *body = world->body + place;
        for (int i = body->first_shape; i != MO_NONE; i = world->shape[i].next) {
            const mo_sim_shape *shape = world->shape + i;
            const mo_placed placed = {&shape->collider, mo_shape_pose(body, shape)};
            double t, normal[3];
            if (is_seen(world, i, filter) &&
                may_hit(ray, placed.pose.position, shape->collider.size, rest.length) &&
                mo_ray_hits(&placed, &rest, &t, normal) && (!hit.body.index || t < hit.distance)) {
                hit.body = mo_body_id_of(world, place);
                hit.shape = shape_id(world, i);
                hit.distance = rest.length = t;
                mo_vec3_copy(normal, hit.normal);
                mo_vec3_along(ray->origin, t, ray->direction, hit.point);
            }
        }
    }
    return hit;
}

static mo_error make_ray(const mo_world *world, const double origin[3], const double direction[3],
                         double length, mo_ray *ray, mo_message *why)
{
    double d[3], from[3];
    mo_vec3_copy(direction, d);
    mo_vec3_copy(origin, from);
    if (mo_is_planar(world)) d[2] = from[2] = 0;
    const double size = mo_vec3_norm(d);
    MO_REFUSE_IF(!isfinite(mo_vec3_norm(from)) || !(size > 0 && isfinite(size)) || !(length >= 0),
                 why,
                 "a ray needs a finite origin, a direction other than zero, and a length that "
                 "is not negative");
    *ray = (mo_ray){.length = length};
    mo_vec3_copy(from, ray->origin);
    mo_vec3_scale(1 / size, d, ray->direction);
    return MO_OK;
}

mo_error mo_world_cast_ray(const mo_world *world, const double origin[3], const double direction[3],
                           double length, const mo_query_filter *filter, mo_ray_hit *hit,
                           mo_message *why)
{
    mo_device_heap_fetch(world);
    MO_NEED(world && origin && direction && hit, why);
    const mo_query_filter all = filter ? *filter : mo_default_query_filter();
    mo_ray ray;
    const mo_error error = make_ray(world, origin, direction, length, &ray, why);
    if (!error) *hit = cast(world, &ray, &all);
    return error;
}

typedef struct rays {
    const mo_world *world;
    const double *origins, *directions;
    double length;
    const mo_query_filter *filter;
    mo_ray_hit *hits;
    int count;
} rays;

enum { RAYS_A_TASK = 16 };

static void cast_some(void *context, int task)
{
    const rays *all = context;
    const int first = task * RAYS_A_TASK, beyond = first + RAYS_A_TASK;
    for (int k = first; k < beyond && k < all->count; ++k) {
        mo_ray ray;
        if (!make_ray(all->world, all->origins + 3 * (size_t)k, all->directions + 3 * (size_t)k,
                      all->length, &ray, NULL))
            all->hits[k] = cast(all->world, &ray, all->filter);
    }
}

mo_error mo_world_cast_rays(const mo_world *world, int count, const double *origins,
                            const double *directions, double length, const mo_query_filter *filter,
                            int threads, mo_ray_hit *hits, mo_message *why)
{
    mo_device_heap_fetch(world);
    MO_NEED(world && origins && directions && hits, why);
    const mo_query_filter seen = filter ? *filter : mo_default_query_filter();
    MO_REFUSE_IF(
        count < 0 || threads < 1, why,
        "%d rays and %d threads: the first must not be negative, the second must be positive",
        count, threads);
    for (int k = 0; k < count; ++k) {
        mo_ray ray;
        mo_message reason = {{0}};
        MO_REFUSE_IF(make_ray(world, origins + 3 * (size_t)k, directions + 3 * (size_t)k, length,
                              &ray, &reason),
                     why, "ray %d: %.400s", k, reason.text);
    }
    rays all = {world, origins, directions, length, &seen, hits, count};
    mo_parallel_tasks(threads, (count + RAYS_A_TASK - 1) / RAYS_A_TASK, cast_some, &all);
    return MO_OK;
}

/* ---- overlaps and distances ------------------------------------------------------------------ */

/* The nearest touch of two shapes within the reach; false if there is none. */
static int nearest(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *touches,
                   mo_proximity *found)
{
    double apart[3];
    mo_vec3_minus(b->pose.position, a->pose.position, apart);
    if (mo_vec3_norm(apart) > a->collider->size + b->collider->size + reach) return 0;
    touches->count = 0;
    mo_collide_at(a->collider, &a->pose, b->collider, &b->pose, reach, touches);
    const mo_touch *best = NULL;
    for (int k = 0; k < touches->count; ++k) {
        const mo_touch *touch = touches->touch + k;
        best = touch->gap <= reach && (!best || touch->gap < best->gap) ? touch : best;
    }
    if (!best) return 0;
    found->distance = best->gap;
    mo_vec3_copy(best->normal, found->normal);
    mo_vec3_along(best->point, -0.5 * best->gap, best->normal, found->point_a);
    mo_vec3_along(best->point, 0.5 * best->gap, best->normal, found->point_b);
    return 1;
}

/* The shapes of the world near `mine`, the first `room` of them; how many there are. */
static int find_near(const mo_world *world, const mo_placed *mine, double distance,
                     const mo_query_filter *filter, mo_touch_list *touches, mo_proximity *found,
                     int room)
{
    int count = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k];
        for (int i = world->body[place].first_shape; i != MO_NONE; i = world->shape[i].next) {
            const mo_sim_shape *shape = world->shape + i;
            const mo_placed other = {&shape->collider, mo_shape_pose(world->body + place, shape)};
            mo_proximity one = {.body_b = mo_body_id_of(world, place),
                                .shape_b = shape_id(world, i)};
            if (is_seen(world, i, filter) && nearest(mine, &other, distance, touches, &one)) {
                if (count < room) found[count] = one;
                ++count;
            }
        }
    }
    return count;
}

mo_error mo_world_overlap(const mo_world *world, const mo_shape_def *shape, const mo_pose *pose,
                          double distance, const mo_query_filter *filter, mo_proximity *found,
                          int room, int *count, mo_message *why)
{
    mo_device_heap_fetch(world);
    MO_NEED(world && shape && count && (found || room <= 0), why);
    const mo_query_filter seen = filter ? *filter : mo_default_query_filter();
    const mo_pose at = pose ? *pose : mo_pose_identity();
    mo_shape_def solid = *shape;
    mo_collider collider;
    solid.layer = solid.mask = 1; /* also of a visual mesh, which would not collide */
    *count = 0;
    MO_REFUSE_IF(!(distance >= 0), why, "the distance of a query must not be negative");
    MO_TRY(mo_collider_init(&solid, mo_is_planar(world), &world->allocator, &collider, why));
    mo_touch_list touches = {.allocator = world->allocator};
    const mo_placed mine = {&collider, mo_pose_compose(&at, &collider.def.pose)};
    *count = find_near(world, &mine, distance, &seen, &touches, found, room);
    mo_memory_free(&world->allocator, touches.touch);
    mo_collider_clear(&world->allocator, &collider);
    return touches.is_short ? mo_fail_memory(why) : MO_OK;
}

static void compare_shapes(const mo_world *world, int a, int b, double most, mo_touch_list *touches,
                           mo_proximity *best)
{
    const mo_sim_body *body_a = world->body + a, *body_b = world->body + b;
    for (int i = body_a->first_shape; i != MO_NONE; i = world->shape[i].next) {
        const mo_placed p = {&world->shape[i].collider, mo_shape_pose(body_a, world->shape + i)};
        for (int j = body_b->first_shape; j != MO_NONE; j = world->shape[j].next) {
            const mo_placed q = {&world->shape[j].collider,
                                 mo_shape_pose(body_b, world->shape + j)};
            mo_proximity one = *best;
            if (!world->shape[i].is_on_show && !world->shape[j].is_on_show &&
                nearest(&p, &q, fmin(most, fmax(best->distance, 0)), touches, &one) &&
                one.distance < best->distance) {
                one.shape_a = shape_id(world, i);
                one.shape_b = shape_id(world, j);
                *best = one;
            }
        }
    }
}

mo_error mo_world_distance(const mo_world *world, mo_body_id a, mo_body_id b, double most,
                           mo_proximity *found, mo_message *why)
{
    mo_device_heap_fetch(world);
    MO_NEED(world && found, why);
    const int p = mo_body_place(world, a), q = mo_body_place(world, b);
    if (p < 0 || q < 0) {
        const mo_body_id stale = p < 0 ? a : b;
        return mo_fail_stale(why, "body", stale.index, stale.generation);
    }
    MO_REFUSE_IF(p == q || !(most >= 0), why,
                 "a distance needs two bodies and a bound that is not negative");
    mo_touch_list touches = {.allocator = world->allocator};
    *found = (mo_proximity){.body_a = a, .body_b = b, .distance = INFINITY};
    compare_shapes(world, p, q, most, &touches, found);
    mo_memory_free(&world->allocator, touches.touch);
    return touches.is_short ? mo_fail_memory(why) : MO_OK;
}
