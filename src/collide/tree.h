/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The broad phase: a dynamic tree of bounding boxes.
 *
 * Each leaf is a proxy with an enlarged box, so it is reinserted only when its contents leave that
 * box.  Insertion minimises the surface area, and rotations balance the tree.
 */
#ifndef MO_COLLIDE_TREE_H
#define MO_COLLIDE_TREE_H

#include "collide/collide.h"

typedef struct mo_tree mo_tree;

mo_error mo_tree_create(const mo_allocator *allocator, mo_tree **tree);
void mo_tree_destroy(mo_tree *tree);

/* A leaf for `item` (any number >= 0); its proxy, or -1 for lack of memory. */
int mo_tree_insert(mo_tree *tree, const mo_bounds *bounds, int item);
void mo_tree_remove(mo_tree *tree, int proxy);
/* Is a box of the tree large enough for the bounds, and not far too large?  `fat`: its margin. */
static inline int mo_box_fits(const mo_bounds *box, const mo_bounds *bounds, double fat)
{
    int fits = 1;
    for (int k = 0; k < 3; ++k) {
        fits &= (box->low[k] <= bounds->low[k]) & (bounds->high[k] <= box->high[k]) &
                (bounds->low[k] - 4 * fat <= box->low[k]) &
                (box->high[k] <= bounds->high[k] + 4 * fat);
    }
    return fits;
}

/* The bounds, enlarged by `fat`, where the box does not fit them: true then. */
int mo_tree_move(mo_tree *tree, int proxy, const mo_bounds *bounds, double fat);

/*
 * Where most boxes move, as in a heap that falls, the tree may keep its shape: the new box of a
 * proxy, as mo_tree_move would make it, and then, before anything is asked, all others of the tree.
 * Searches slow down as boxes move apart, so boxes should be reinserted now and then.
 */
void mo_tree_resize(mo_tree *tree, int proxy, const mo_bounds *bounds, double fat);
void mo_tree_refit(mo_tree *tree);

/* Calls `found` for every item whose box meets the bounds, until it returns 0. */
typedef int mo_tree_found(void *context, int item);
void mo_tree_query(const mo_tree *tree, const mo_bounds *bounds, mo_tree_found *found,
                   void *context);

/* Calls `found` for every two items whose boxes meet, until it returns 0. */
typedef int mo_tree_pair(void *context, int item, int other);
mo_error mo_tree_pairs(mo_tree *tree, mo_tree_pair *found, void *context);

/* The box of a proxy, until the tree changes. */
const mo_bounds *mo_tree_bounds(const mo_tree *tree, int proxy);

#endif
