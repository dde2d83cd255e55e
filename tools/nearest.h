/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The name that was meant by one that was mistyped: try every name there is, and take the nearest.
 * Names that begin alike are near; others are by the number of edits between them, up to three.
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
