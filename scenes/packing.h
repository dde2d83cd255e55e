/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The bed of scene_packing in pieces, for those who make a part of it. */
#ifndef SCENES_PACKING_H
#define SCENES_PACKING_H

#include "scenes.h"

enum { SCENE_BED_WORLD = -1 };

typedef struct scene_bed {
    uint64_t seed;
    scene_grain grain;
    int columns, rows; /* of a layer */
    int bodies;        /* the sites of full layers, and a part of the last one */
} scene_bed;

/* A pair that may touch: normal from the first (or the world) to the second. */
typedef struct scene_candidate {
    int first, second;
    double normal[3];
    double distance; /* of the centres, or of the centre and the wall    */
    double share;    /* of it that lies in the second ball               */
    double growth;   /* of the radii until it touches                    */
} scene_candidate;

typedef void scene_candidate_fn(void *context, const scene_candidate *pair);

scene_bed scene_bed_of(scene_grain grain, int bodies, uint64_t seed);

/* The candidates whose second ball is one of begin .. end, each once. */
void scene_bed_visit(const scene_bed *bed, int begin, int end, scene_candidate_fn *fn,
                     void *context);

/* Mass and inertia of a body after its radius has grown by this factor, and the impulse on it. */
double scene_bed_body(const scene_bed *bed, int body, double growth, double inertia[3],
                      double f[6]);

/* The contact of a pair of balls; bodies by their numbers in the bed. */
mo_rigid_contact scene_bed_contact(const scene_candidate *pair);

#endif
