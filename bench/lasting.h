/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Functions shared by runs of scenes: `bench standing`, `passive`, `lasting`, `overlap` and
 * `deadline`. */
#ifndef BENCH_LASTING_H
#define BENCH_LASTING_H

#include <stdio.h>

#include "args.h"
#include "moreau/moreau.h"

enum { LASTING_SETTINGS = 3 };

/* A scene of moreau run with some of its parameters set; the list of them ends at the first NULL.
 */
typedef struct lasting_scene {
    const char *name; /* its name in tables, without spaces */
    const char *scene;
    struct {
        const char *name;
        double value;
    } set[LASTING_SETTINGS];
} lasting_scene;

/* Its world, at its start, and its step. */
mo_error lasting_build(const lasting_scene *scene, mo_world **world, double *step, mo_message *why);

/* Heaps of every shape, which fall into a box, and the radius of a ball of theirs, m. */
enum { LASTING_HEAPS = 6 };
extern const lasting_scene LASTING_HEAP[LASTING_HEAPS];
extern const double LASTING_HEAP_RADIUS;
/* With this many bodies and this seed. */
mo_error lasting_build_heap(const lasting_scene *heap, double count, double seed, mo_world **world,
                            mo_message *why);

/* The smallest radius of a shape of a free body about its middle, m. */
double lasting_size(const mo_world *world);

/* Newton: the weight of all free bodies. */
double lasting_weight(const mo_world *world);

/* Positions of all bodies in `at`, 3 numbers each, and the largest displacement from there, m. */
void lasting_places(const mo_world *world, double *at);
double lasting_way(const mo_world *world, const double *at);

/* Resident memory of this process, in bytes; 0 if unknown. */
double lasting_memory(void);

/* Is this one of the requested names? All are if there is none. */
int lasting_is_asked(const args_values *asked, const char *name);

/* False, with a list of the valid names, if one of `asked` is invalid. */
int lasting_know_all(const char *command, const args_values *asked, const lasting_scene *scenes,
                     int count);

/* The number of a flag, within the range; false after an error message. */
int lasting_number(const char *command, const args_flag *flag, double least, double most,
                   double *value);

/* The sheet that a run may write: a file of this name below `out` (NULL: none), with these columns.
 */
typedef struct lasting_sheet {
    const char *out, *name, *columns;
} lasting_sheet;

/* Runs with that sheet (csv: NULL if there is none), on one thread of BLAS; prints errors.  An
 * exit status. */
typedef mo_error lasting_fn(const void *call, FILE *csv, mo_message *why);
int lasting_run(const char *command, const lasting_sheet *sheet, lasting_fn *run, const void *call);

#endif
