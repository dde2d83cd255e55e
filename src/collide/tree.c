/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A binary tree of bounding boxes.  A leaf is inserted next to the node that minimises the growth
 * of the total surface area, found by branch and bound; on the way up, a node is rotated with a
 * grandchild if this reduces its boxes.
 */
#include "collide/tree.h"

#include <math.h>
#include <stdint.h>

#include "base/pace.h"

enum { NONE = -1, FREE = -2 };

typedef struct node {
    mo_bounds bounds;
    int parent; /* of a free node: the next free one */
    int child[2];
    int item; /* of a leaf; else NONE, or FREE */
} node;

typedef struct two_nodes {
    int a, b;
} two_nodes;

struct mo_tree {
    mo_allocator allocator;
    node *node;
    size_t room;
    two_nodes *stack; /* of a walk over pairs */
    size_t stack_room;
    int count, root, free;
};

mo_error mo_tree_create(const mo_allocator *allocator, mo_tree **tree)
{
    const mo_allocator own = mo_allocator_or_default(allocator);
    mo_tree *made = mo_memory_array(&own, 1, sizeof *made);
    if (made) *made = (mo_tree){.allocator = own, .root = NONE, .free = NONE};
    *tree = made;
    return made ? MO_OK : MO_ERR_MEMORY;
}

void mo_tree_destroy(mo_tree *tree)
{
    if (tree) {
        const mo_allocator own = tree->allocator;
        mo_memory_free(&own, tree->node);
        mo_memory_free(&own, tree->stack);
        mo_memory_free(&own, tree);
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static mo_bounds join(const mo_bounds *a, const mo_bounds *b)
{
    mo_bounds both;
    for (int k = 0; k < 3; ++k) {
        both.low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        both.high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    }
    return both;
}

static double area(const mo_bounds *a)
{
    const double x = a->high[0] - a->low[0], y = a->high[1] - a->low[1], z = a->high[2] - a->low[2];
    return x * y + y * z + z * x;
}

static double joint_area(const mo_bounds *a, const mo_bounds *b)
{
    const mo_bounds both = join(a, b);
    return area(&both);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int is_leaf(const mo_tree *tree, int k)
{
    return tree->node[k].item != NONE;
}

static int take_node(mo_tree *tree)
{
    if (tree->free != NONE) {
        const int k = tree->free;
        tree->free = tree->node[k].parent;
        return k;
    }
    if (!MO_GROW(&tree->allocator, tree->node, tree->room, (size_t)tree->count + 1)) return NONE;
    return tree->count++;
}

static void drop_node(mo_tree *tree, int k)
{
    tree->node[k].parent = tree->free;
    tree->node[k].item = FREE;
    tree->free = k;
}

static void refit(mo_tree *tree, int k)
{
    const int *child = tree->node[k].child;
    tree->node[k].bounds = join(&tree->node[child[0]].bounds, &tree->node[child[1]].bounds);
}

static int *place_in_parent(mo_tree *tree, int k)
{
    const int parent = tree->node[k].parent;
    return parent == NONE ? &tree->root
                          : &tree->node[parent].child[tree->node[parent].child[1] == k];
}

/*
 * Swaps the child `near` of k with the grandchild that makes the other child smallest, where that
 * is a gain.
 */
static void rotate(mo_tree *tree, int k)
{
    node *n = tree->node;
    double best = 0;
    int best_side = NONE, best_grand = NONE;
    for (int side = 0; side < 2; ++side) {
        const int near = n[k].child[side], far = n[k].child[!side];
        if (is_leaf(tree, far)) continue;
        for (int grand = 0; grand < 2; ++grand) { /* n[far].child[grand] goes up, near goes down */
            const int stays = n[far].child[!grand];
            const double gain =
                area(&n[far].bounds) - joint_area(&n[near].bounds, &n[stays].bounds);
            if (gain > best) {
                best = gain;
                best_side = side;
                best_grand = grand;
            }
        }
    }
    if (best_side == NONE) return;
    const int near = n[k].child[best_side], far = n[k].child[!best_side],
              up = n[far].child[best_grand];
    n[k].child[best_side] = up;
    n[up].parent = k;
    n[far].child[best_grand] = near;
    n[near].parent = far;
    refit(tree, far);
}

/* From k to the root: boxes fit again. */
static void refit_up(mo_tree *tree, int k)
{
    for (; k != NONE; k = tree->node[k].parent) {
        refit(tree, k);
        rotate(tree, k);
    }
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/*
 * The node to become the sibling: down the child whose subtree grows least, as long as that may
 * help.  If both are equally good, as among equal boxes, the bits of a hash decide; otherwise a
 * tree of equal boxes would be a chain.
 */
static int find_sibling(const mo_tree *tree, const mo_bounds *bounds, int leaf)
{
    const node *n = tree->node;
    uint32_t coin = (uint32_t)leaf;
    int k = tree->root, best = k;
    double inherited = 0, best_cost = joint_area(&n[k].bounds, bounds);
    while (!is_leaf(tree, k)) {
        inherited += joint_area(&n[k].bounds, bounds) - area(&n[k].bounds);
        double low[2];
        int ties = 0;
        for (int side = 0; side < 2; ++side) {
            const node *child = n + n[k].child[side];
            const double direct = joint_area(&child->bounds, bounds), cost = inherited + direct;
            ties += cost == best_cost;
            if (cost < best_cost) {
                best_cost = cost;
                best = n[k].child[side];
            }
            low[side] = is_leaf(tree, n[k].child[side])
                            ? INFINITY
                            : cost - area(&child->bounds) + area(bounds);
        }
        if (ties == 2) {
            coin = coin * 1664525 + 1013904223; /* a linear congruence; the high bit is fair */
            k = best = n[k].child[coin >> 31];
            continue;
        }
        const int side = low[1] < low[0];
        if (low[side] >= best_cost) break;
        k = n[k].child[side];
    }
    return best;
}

static void link_leaf(mo_tree *tree, int leaf, int parent)
{
    node *n = tree->node;
    if (tree->root == NONE) {
        tree->root = leaf;
        n[leaf].parent = NONE;
        drop_node(tree, parent);
        return;
    }
    const int sibling = find_sibling(tree, &n[leaf].bounds, leaf);
    *place_in_parent(tree, sibling) = parent;
    n[parent] = (node){.parent = n[sibling].parent, .child = {sibling, leaf}, .item = NONE};
    n[sibling].parent = n[leaf].parent = parent;
    refit_up(tree, parent);
}

static void unlink_leaf(mo_tree *tree, int leaf)
{
    node *n = tree->node;
    const int parent = n[leaf].parent;
    if (parent == NONE) {
        tree->root = NONE;
        return;
    }
    const int sibling = n[parent].child[n[parent].child[0] == leaf];
    *place_in_parent(tree, parent) = sibling;
    n[sibling].parent = n[parent].parent;
    drop_node(tree, parent);
    refit_up(tree, n[sibling].parent);
}

int mo_tree_insert(mo_tree *tree, const mo_bounds *bounds, int item)
{
    const int leaf = take_node(tree);
    const int parent = leaf == NONE ? NONE : take_node(tree);
    if (parent == NONE) {
        if (leaf != NONE) drop_node(tree, leaf);
        return NONE;
    }
    tree->node[leaf] =
        (node){.bounds = *bounds, .parent = NONE, .child = {NONE, NONE}, .item = item};
    link_leaf(tree, leaf, parent);
    return leaf;
}

void mo_tree_remove(mo_tree *tree, int proxy)
{
    unlink_leaf(tree, proxy);
    drop_node(tree, proxy);
}

void mo_tree_resize(mo_tree *tree, int proxy, const mo_bounds *bounds, double fat)
{
    node *leaf = tree->node + proxy;
    for (int k = 0; k < 3; ++k) {
        leaf->bounds.low[k] = bounds->low[k] - fat;
        leaf->bounds.high[k] = bounds->high[k] + fat;
    }
}

/* From below: a node when both of its children are done, up the parents instead of a stack. */
void mo_tree_refit(mo_tree *tree)
{
    const node *n = tree->node;
    int k = tree->root, last = NONE;
    for (unsigned steps = 1; k != NONE; ++steps) {
        int next = n[k].parent;
        mo_pace_every(steps, 512);
        if (!is_leaf(tree, k)) {
            if (last == n[k].parent) /* from above */
                next = n[k].child[0];
            else if (last == n[k].child[0])
                next = n[k].child[1];
            else
                refit(tree, k);
        }
        last = k;
        k = next;
    }
}

int mo_tree_move(mo_tree *tree, int proxy, const mo_bounds *bounds, double fat)
{
    node *n = tree->node;
    if (mo_box_fits(&n[proxy].bounds, bounds, fat)) return 0;
    const int was_alone = n[proxy].parent == NONE;
    unlink_leaf(tree, proxy);
    mo_tree_resize(tree, proxy, bounds, fat);
    if (was_alone) {
        tree->root = proxy;
        n[proxy].parent = NONE;
        return 1;
    }
    link_leaf(tree, proxy, take_node(tree)); /* the parent that unlinking freed: there is room */
    return 1;
}

/*
 * The items below k: false where found has ended it.  What is deeper than the stack has a stack of
 * its own.
 */
static int query_below(const mo_tree *tree, int k, const mo_bounds *bounds, mo_tree_found *found,
                       void *context)
{
    enum { DEEP = 64 };
    const node *n = tree->node;
    int stack[DEEP + 1], depth = 0;
    stack[depth++] = k;
    while (depth > 0) {
        k = stack[--depth];
        if (!mo_bounds_overlap(&n[k].bounds, bounds)) continue;
        if (is_leaf(tree, k)) {
            if (!found(context, n[k].item)) return 0;
        } else if (depth < DEEP) {
            stack[depth++] = n[k].child[1];
            stack[depth++] = n[k].child[0];
        } else if (!query_below(tree, n[k].child[0], bounds, found, context) ||
                   !query_below(tree, n[k].child[1], bounds, found, context)) {
            return 0;
        }
    }
    return 1;
}

void mo_tree_query(const mo_tree *tree, const mo_bounds *bounds, mo_tree_found *found,
                   void *context)
{
    if (tree->root != NONE) query_below(tree, tree->root, bounds, found, context);
}

const mo_bounds *mo_tree_bounds(const mo_tree *tree, int proxy)
{
    return &tree->node[proxy].bounds;
}

/* ---- all pairs of leaves --------------------------------------------------------------------- */

static int push_nodes(mo_tree *tree, int a, int b, size_t *depth)
{
    if (!MO_GROW(&tree->allocator, tree->stack, tree->stack_room, *depth + 1)) return 0;
    tree->stack[(*depth)++] = (two_nodes){a, b};
    return 1;
}

/*
 * The leaves below a against those below b: of two nodes whose boxes meet the larger is opened.
 * False for lack of memory, or where found ends it.
 */
static int walk_pairs(mo_tree *tree, int a, int b, mo_tree_pair *found, void *context,
                      int *is_short)
{
    const node *n = tree->node;
    size_t depth = 0;
    for (unsigned steps = 1;; ++steps) {
        mo_pace_every(steps, 256);
        if (mo_bounds_overlap(&n[a].bounds, &n[b].bounds)) {
            const int a_ends = is_leaf(tree, a), b_ends = is_leaf(tree, b);
            if (!a_ends || !b_ends) {
                const int opens_a = b_ends || (!a_ends && area(&n[a].bounds) >= area(&n[b].bounds));
                const int *child = n[opens_a ? a : b].child;
                if (!push_nodes(tree, opens_a ? child[1] : a, opens_a ? b : child[1], &depth)) {
                    *is_short = 1;
                    return 0;
                }
                a = opens_a ? child[0] : a;
                b = opens_a ? b : child[0];
                continue;
            }
            if (!found(context, n[a].item, n[b].item)) return 0;
        }
        if (depth == 0) return 1;
        --depth;
        a = tree->stack[depth].a;
        b = tree->stack[depth].b;
    }
}

mo_error mo_tree_pairs(mo_tree *tree, mo_tree_pair *found, void *context)
{
    int goes_on = 1, is_short = 0;
    for (int k = 0; k < tree->count && goes_on; ++k) {
        const node *n = tree->node + k;
        mo_pace_every(k, 32);
        if (n->item == NONE) /* two leaves separate at exactly one node */
            goes_on = walk_pairs(tree, n->child[0], n->child[1], found, context, &is_short);
    }
    return is_short ? MO_ERR_MEMORY : MO_OK;
}
