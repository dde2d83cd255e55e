/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "sim/pairs.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"

static const double MARGIN_OF_SIZE = 0.01; /* the default margin */
static const double FAT = 0.1;             /* of the size of a shape: margin of its bounding box */
enum {
    /* Maximum number of pairs in all, and for each shape.  Shapes of one size that do not overlap
     * have fewer than 13 neighbours. */
    MOST_PAIRS = 1000000,
    MOST_OF_SHAPE = 64,
    FEW = 4,  /* fraction of shapes that left their boxes, above which all pairs are found again */
    LASTS = 4 /* steps in which a tree may keep its shape then */
};

/* ---- boxes ----------------------------------------------------------------------------------- */

/* A ball about the centre of its body turns in place. */
static double turn_of(const mo_sim_shape *shape, const mo_sim_body *body, double spin, double h)
{
    double arm[3];
    mo_vec3_minus(shape->pose.position, body->x, arm);
    const double size = shape->collider.def.kind == MO_SHAPE_BALL ? mo_vec3_norm(arm) : body->size;
    const double turn =
        fmin(h * spin, 2) * size; /* half a turn moves no point further than two radii */
    return isfinite(turn) ? turn : 0;
}

/* Takes a motion with v into the path. */
static void take_in(const double v[6], double h, mo_sim_shape *shape)
{
    for (int k = 0; k < 3; ++k) {
        const double way = h * v[k];
        shape->path.low[k] = way < shape->path.low[k] ? way : shape->path.low[k];
        shape->path.high[k] = way > shape->path.high[k] ? way : shape->path.high[k];
    }
}

int mo_shape_strays(const mo_world *world, int place, double h, double spare)
{
    const mo_sim_shape *shape = world->shape + place;
    const mo_sim_body *body = world->body + shape->body;
    int strays = 0;
    for (int k = 0; k < 3; ++k) {
        const double way = h * body->next_v[k];
        strays |= (way < shape->path.low[k] - spare) | (way > shape->path.high[k] + spare);
    }
    return strays ||
           (!world->near[place].is_central &&
            turn_of(shape, body, mo_vec3_norm(body->next_v + 3), h) > shape->turn + spare);
}

double mo_margin_for(const mo_world *world, double size)
{
    return world->def.margin > 0 ? world->def.margin : MARGIN_OF_SIZE * size;
}

double mo_margin_of(const mo_world *world, const mo_sim_shape *a, const mo_sim_shape *b)
{
    const double one = a->collider.size, other = b->collider.size;
    return mo_margin_for(world, one < other ? one : other);
}

double mo_pair_reach(const mo_world *world, const mo_pair *pair)
{
    const mo_shape_near *a = world->near + pair->a, *b = world->near + pair->b;
    return mo_margin_for(world, a->size < b->size ? a->size : b->size) + a->motion + b->motion;
}

static mo_bounds bounds_of(const mo_sim_shape *shape)
{
    if (shape->collider.def.kind != MO_SHAPE_BALL)
        return mo_collider_bounds_at(&shape->collider, &shape->pose);
    const double *x = shape->pose.position, radius = shape->collider.size;
    return (mo_bounds){{x[0] - radius, x[1] - radius, x[2] - radius},
                       {x[0] + radius, x[1] + radius, x[2] + radius}};
}

static void set_reach(mo_world *world, int place)
{
    mo_sim_shape *shape = world->shape + place;
    const double by = mo_margin_for(world, shape->collider.size) + shape->turn;
    double way[3];
    shape->reach = bounds_of(shape);
    for (int k = 0; k < 3; ++k) {
        way[k] =
            shape->path.high[k] > -shape->path.low[k] ? shape->path.high[k] : -shape->path.low[k];
        shape->reach.low[k] += shape->path.low[k] - by;
        shape->reach.high[k] += shape->path.high[k] + by;
    }
    world->near[place].motion = mo_vec3_norm(way) + shape->turn;
}

static void set_near(mo_world *world, int place)
{
    const mo_sim_shape *shape = world->shape + place;
    const mo_sim_body *body = world->body + shape->body;
    const double *v = body->kind == MO_BODY_DRIVEN ? body->free_v : body->v;
    mo_shape_near *near = world->near + place;
    mo_vec3_copy(shape->pose.position, near->x);
    near->size = shape->collider.size;
    const double spin = mo_vec3_norm(v + 3);
    near->speed = mo_vec3_norm(v) + (spin > 0 ? spin * body->size : 0); /* which may be infinite */
    near->is_round = shape->collider.def.kind == MO_SHAPE_BALL;
    near->is_central = near->is_round && near->x[0] == body->x[0] && near->x[1] == body->x[1] &&
                       near->x[2] == body->x[2];
    near->moves = mo_moves_freely(body) != 0;
}

/* Unbounded shapes are not in the tree: if one moves, all pairs are found again. */
static void place_shape(mo_world *world, int place, double h)
{
    mo_sim_shape *shape = world->shape + place;
    const mo_sim_body *body = world->body + shape->body;
    const mo_pose at = mo_shape_pose(body, shape);
    if (shape->proxy < 0 && memcmp((const char *)&at, (const char *)&shape->pose, sizeof at) != 0)
        world->pairs_are_stale = 1;
    shape->pose = at;
    shape->path = (mo_bounds){{0}, {0}};
    take_in(body->v, h, shape);
    take_in(body->free_v, h, shape);
    set_near(world, place);
    shape->turn = 0;
    if (!world->near[place].is_central) {
        const double spin = fmax(mo_vec3_norm(body->v + 3), mo_vec3_norm(body->free_v + 3));
        shape->turn = turn_of(shape, body, spin, h);
    }
    set_reach(world, place);
}

/* Without `moves` the tree is to be refitted afterwards. */
static void move_in_tree(mo_world *world, mo_sim_shape *shape, int moves)
{
    const int is_fixed = world->body[shape->body].kind == MO_BODY_FIXED;
    const double fat = is_fixed ? 0 : FAT * shape->collider.size;
    if (shape->proxy >= 0 && !mo_box_fits(&shape->box, &shape->reach, fat)) {
        if (moves)
            mo_tree_move(world->tree, shape->proxy, &shape->reach, fat);
        else
            mo_tree_resize(world->tree, shape->proxy, &shape->reach, fat);
        shape->box = *mo_tree_bounds(world->tree, shape->proxy);
        world->strayed += !shape->has_strayed;
        shape->has_strayed = 1;
    }
}

void mo_pairs_place(mo_world *world, int place, double h)
{
    place_shape(world, place, h);
    move_in_tree(world, world->shape + place, 1);
}

static void update_tree(mo_world *world, double h)
{
    const int refits = world->strayed_before > world->shape_places / FEW && world->refits < LASTS;
    world->least_margin = INFINITY;
    for (int k = 0; k < world->shape_places; ++k) {
        mo_sim_shape *shape = world->shape + k;
        mo_pace_every(k, 64);
        if (k + MO_AHEAD / 2 < world->shape_places) {
            const mo_sim_shape *next = shape + MO_AHEAD / 2;
            mo_prefetch(next, offsetof(mo_sim_shape, collider.def.half));
            mo_prefetch(&next->collider.size, sizeof next->collider.size);
            mo_prefetch(world->body + next->body, offsetof(mo_sim_body, force));
        }
        if (shape->generation && !shape->is_on_show) {
            const double margin = mo_margin_for(world, shape->collider.size);
            world->least_margin = margin < world->least_margin ? margin : world->least_margin;
            place_shape(world, k, h);
            move_in_tree(world, shape, !refits);
        }
    }
    mo_pace();
    world->least_margin = mo_team_least(world, world->least_margin);
    if (refits) mo_tree_refit(world->tree);
    world->refits = refits ? world->refits + 1 : 0;
    world->strayed_before = world->strayed;
}

/* ---- search ---------------------------------------------------------------------------------- */

static int layers_meet(const mo_shape_def *a, const mo_shape_def *b)
{
    const int one = (a->layer & b->mask) != 0, other = (b->layer & a->mask) != 0;
    return a->either_mask || b->either_mask ? one || other : one && other;
}

static int can_move(const mo_sim_body *body)
{
    return body->kind == MO_BODY_FREE || body->kind == MO_BODY_LINK;
}

int mo_shapes_may_touch(const mo_world *world, int a, int b)
{
    if (world->near[a].collides_with_all && world->near[b].collides_with_all &&
        world->own_pairs.count == 0 && world->excluded.count == 0 && world->jointed_count == 0 &&
        world->copies == 0)
        return world->near[a].body != world->near[b].body;
    const mo_sim_shape *sa = world->shape + a, *sb = world->shape + b;
    const mo_shape_def *da = &sa->collider.def, *db = &sb->collider.def;
    const mo_sim_body *body_a = world->body + sa->body, *body_b = world->body + sb->body;
    if (body_a == body_b || (!can_move(body_a) && !can_move(body_b))) return 0;
    if (body_a->copy != body_b->copy && can_move(body_a) && can_move(body_b)) return 0;
    if (world->own_pairs.count > 0) {
        if (mo_own_pair(world, a, b)) return 1;
        if (mo_pair_never_touches(world, a, b)) return 0;
    }
    if (!layers_meet(da, db)) return 0;
    if (body_a->mechanism != MO_NONE && body_a->mechanism == body_b->mechanism &&
        mo_mechanism_keeps_apart(world, body_a, body_b))
        return 0;
    if (world->excluded.count > 0 && mo_is_excluded(world, sa->body, sb->body)) return 0;
    for (int j = body_a->first_joint; j != MO_NONE;) {
        const mo_sim_joint *joint = world->joint + j;
        const int side = joint->body[1] == sa->body;
        if (joint->body[!side] == sb->body && !joint->def.collide) return 0;
        j = joint->next[side];
    }
    return 1;
}

typedef struct search {
    mo_world *world;
    mo_pairs *into;
    int shape;
    int takes_all; /* whatever the other one finds */
    int failed;
} search;

/* By places; in a team by the ids of the bodies, which all have. */
static int is_first(const mo_world *world, int a, int b)
{
    return world->team ? world->body[world->near[a].body].id < world->body[world->near[b].body].id
                       : a < b;
}

static void add_pair(search *s, int a, int b)
{
    mo_pairs *into = s->into;
    if (!mo_shapes_may_touch(s->world, a, b) ||
        (s->world->team && !mo_team_has_pair(s->world, a, b)))
        return;
    if (into->count / MOST_OF_SHAPE >= MOST_PAIRS / MOST_OF_SHAPE + s->world->shape_places) {
        s->failed = s->world->has_too_many_pairs = 1;
        return;
    }
    if (!MO_GROW(&s->world->allocator, into->at, into->room, (size_t)into->count + 1)) {
        s->failed = 1;
        return;
    }
    const int in_order = is_first(s->world, a, b);
    into->at[into->count++] = (mo_pair){in_order ? a : b, in_order ? b : a};
}

static int found_pair(void *context, int a, int b)
{
    search *s = context;
    add_pair(s, a, b);
    return !s->failed;
}

/* Of two shapes that both search, the one with the smaller place finds the pair. */
static int found(void *context, int item)
{
    search *s = context;
    if (s->takes_all || !s->world->shape[item].has_strayed || item > s->shape)
        add_pair(s, s->shape, item);
    return !s->failed;
}

/* Does any of the box reach into the half-space z <= margin of the plane's frame? */
static int reaches_plane(const mo_world *world, const mo_bounds *box, const mo_sim_shape *plane,
                         double margin)
{
    static const double in_space[3] = {0, 0, 1}, in_plane[3] = {0, 1, 0};
    double up[3], height = -margin;
    mo_pose_vector(&plane->pose, mo_is_planar(world) ? in_plane : in_space, up);
    for (int k = 0; k < 3; ++k) {
        const double lowest = up[k] > 0 ? box->low[k] : box->high[k];
        height += up[k] != 0 ? up[k] * (lowest - plane->pose.position[k]) : 0;
    }
    return !(height > world->near[plane - world->shape].motion);
}

/* Pairs of a shape of the tree with those that have no bounds. */
static void search_boundless(search *s, const mo_bounds *box)
{
    mo_world *world = s->world;
    const mo_sim_shape *shape = world->shape + s->shape;
    for (int i = 0; i < world->boundless_count && !s->failed; ++i) {
        const mo_sim_shape *plane = world->shape + world->boundless[i];
        if (reaches_plane(world, box, plane, mo_margin_of(world, shape, plane)))
            add_pair(s, s->shape, world->boundless[i]);
    }
}

static void search_from(search *s, const mo_bounds *box)
{
    mo_tree_query(s->world->tree, box, found, s);
    if (!s->failed) search_boundless(s, box);
}

mo_error mo_fail_pairs(mo_world *world, mo_message *why)
{
    MO_NEED_MEMORY(world->has_too_many_pairs, why);
    world->has_too_many_pairs = 0;
    return mo_fail(why, MO_ERR_ARGUMENT,
                   "more than %d pairs of %d shapes overlap or may meet in this step: place the "
                   "bodies apart, or shorten the step",
                   MOST_PAIRS + MOST_OF_SHAPE * world->shape_places, world->shape_places);
}

/* ---- from step to step ----------------------------------------------------------------------- */

static mo_error find_all(mo_world *world)
{
    search s = {.world = world, .into = &world->pairs};
    world->pairs.count = 0;
    MO_FAIL_IF(mo_tree_pairs(world->tree, found_pair, &s), MO_ERR_MEMORY);
    for (s.shape = 0; s.shape < world->shape_places && !s.failed; ++s.shape) {
        const mo_sim_shape *shape = world->shape + s.shape;
        mo_pace_every(s.shape, 256);
        if (shape->generation && shape->proxy >= 0) search_boundless(&s, &shape->box);
    }
    return s.failed ? MO_ERR_MEMORY : MO_OK;
}

/* The pairs of shapes that left their boxes go, and are sought again. */
static mo_error find_of_strayed(mo_world *world)
{
    mo_pairs *pairs = &world->pairs;
    int kept = 0;
    for (int k = 0; k < pairs->count; ++k) {
        const mo_pair pair = pairs->at[k];
        mo_pace_every(k, 1024);
        if (!world->shape[pair.a].has_strayed && !world->shape[pair.b].has_strayed)
            pairs->at[kept++] = pair;
    }
    mo_pace();
    pairs->count = kept;
    search s = {.world = world, .into = pairs};
    for (s.shape = 0; s.shape < world->shape_places && !s.failed; ++s.shape) {
        mo_pace_every(s.shape, 64);
        if (world->shape[s.shape].has_strayed) search_from(&s, &world->shape[s.shape].box);
    }
    return s.failed ? MO_ERR_MEMORY : MO_OK;
}

mo_error mo_pairs_update(mo_world *world, double h)
{
    update_tree(world, h);
    if (!world->pairs_are_stale && world->strayed == 0) return MO_OK;
    const int is_new = world->pairs_are_stale || world->strayed > world->shape_places / FEW;
    world->pairs_are_stale = 1; /* until it is done */
    mo_pace();
    const mo_error error = is_new ? find_all(world) : find_of_strayed(world);
    mo_pace();
    MO_FAIL_IF(error || mo_pairs_sort(world, &world->pairs), MO_ERR_MEMORY);
    for (int k = 0; k < world->shape_places; ++k) {
        mo_pace_every(k, 256);
        world->shape[k].has_strayed = 0;
    }
    mo_pace();
    world->strayed = 0;
    world->pairs_are_stale = 0;
    return MO_OK;
}

/* The balls about the two are further from each other than they may move in this step, as most
 * pairs are whose boxes meet at a corner. */
static int is_apart(const mo_world *world, const mo_pair *pair)
{
    const mo_shape_near *a = world->near + pair->a, *b = world->near + pair->b;
    const double reach = a->size + b->size + mo_pair_reach(world, pair);
    double between[3];
    mo_vec3_minus(a->x, b->x, between);
    return mo_vec3_dot(between, between) > 1.0001 * reach * reach;
}

int mo_pair_may_meet(const mo_world *world, const mo_pair *pair)
{
    const int moves = world->near[pair->a].moves || world->near[pair->b].moves;
    return moves && !is_apart(world, pair) &&
           mo_bounds_overlap(&world->shape[pair->a].reach, &world->shape[pair->b].reach);
}

mo_error mo_pairs_reach_out(mo_world *world, int place, double h, mo_pairs *fresh)
{
    mo_sim_shape *shape = world->shape + place;
    const mo_sim_body *body = world->body + shape->body;
    search s = {.world = world, .into = fresh, .shape = place, .takes_all = 1};
    take_in(body->next_v, h, shape);
    shape->turn = fmax(shape->turn, turn_of(shape, body, mo_vec3_norm(body->next_v + 3), h));
    set_reach(world, place);
    if (shape->proxy >= 0 && !world->pairs_are_stale && !shape->has_strayed &&
        mo_box_fits(&shape->box, &shape->reach, INFINITY)) {
        world->near[place].reaches_out = 1;
        world->reach_out++;
        return MO_OK;
    }
    move_in_tree(world, shape, 1);
    search_from(&s, &shape->reach);
    return s.failed ? MO_ERR_MEMORY : MO_OK;
}

/* Does the one reach out, and as far as the box of the other? */
static int reaches(const mo_world *world, int one, int other)
{
    const mo_sim_shape *a = world->shape + one, *b = world->shape + other;
    if (!world->near[one].reaches_out) return 0;
    return b->proxy < 0 ? reaches_plane(world, &a->reach, b, mo_margin_of(world, a, b))
                        : mo_bounds_overlap(&a->reach, &b->box);
}

mo_error mo_pairs_of_box(mo_world *world, mo_pairs *fresh)
{
    search s = {.world = world, .into = fresh};
    if (world->reach_out == 0) return MO_OK;
    for (int k = 0; k < world->pairs.count && !s.failed; ++k) {
        const mo_pair pair = world->pairs.at[k];
        mo_pace_every(k, 512);
        if (reaches(world, pair.a, pair.b) || reaches(world, pair.b, pair.a))
            add_pair(&s, pair.a, pair.b);
    }
    mo_pace();
    for (int k = 0; k < world->shape_places; ++k) {
        mo_pace_every(k, 1024);
        world->near[k].reaches_out = 0;
    }
    mo_pace();
    world->reach_out = 0;
    return s.failed ? MO_ERR_MEMORY : MO_OK;
}
