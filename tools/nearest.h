/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Suggestions for mistyped names: the nearest name by common prefix, then by edit distance up to
 * three.
 */
#ifndef TOOLS_NEAREST_H
#define TOOLS_NEAREST_H

typedef struct nearest {
    const char *typed;
    const char *name; /* the best so far, or NULL */
    int distance;     /* of it */
} nearest;

void nearest_try(nearest *n, const char *name);

#endif
