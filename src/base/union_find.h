/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Disjoint sets of integers: parent[k] = k for a root.  The root of a set is its smallest element,
 * so the result does not depend on the order of the unions.
 */
#ifndef MO_BASE_UNION_FIND_H
#define MO_BASE_UNION_FIND_H

/* The root of the set of k; the path to it is halved on the way. */
static inline int mo_set_root(int *parent, int k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

/* Unites the sets of a and b and returns the root; 0 in *were_two if they were one already. */
static inline int mo_set_unite(int *parent, int a, int b, int *were_two)
{
    a = mo_set_root(parent, a);
    b = mo_set_root(parent, b);
    const int root = a < b ? a : b;
    parent[a < b ? b : a] = root;
    if (were_two) *were_two = a != b;
    return root;
}

#endif
