/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Small documents, one of each kind that an FCLIB file can hold; for tests and for fuzzing. */
#ifndef TESTS_FCLIB_SAMPLES_H
#define TESTS_FCLIB_SAMPLES_H

#include <hdf5.h>

#include "moreau/io.h"

typedef enum fclib_sample {
    SAMPLE_GLOBAL_3D,      /* two bodies, three contacts */
    SAMPLE_GLOBAL_2D,      /* three bodies, four contacts */
    SAMPLE_GLOBAL_JOINTS,  /* contacts and joints in turn, solution, two guesses  */
    SAMPLE_GLOBAL_ROLLING, /* rolling contacts and a joint */
    SAMPLE_LOCAL_3D,       /* an unsymmetric W */
    SAMPLE_LOCAL_2D,       /* infinite friction among the coefficients */
    SAMPLE_LOCAL_JOINTS,   /* W, V, R; solution, one guess */
    SAMPLE_LOCAL_ROLLING,  /* by analogy */
    SAMPLE_BODIES_ONLY,    /* no constraint at all */
    SAMPLE_JOINTS_ONLY,    /* bodies and joints, no contact */
    SAMPLE_NOTHING,        /* neither bodies nor constraints */
    SAMPLE_COUNT
} fclib_sample;

/* A new document of that kind, the same each time; to be cleared. */
mo_document fclib_sample_make(fclib_sample sample);

/* Puts a vector at `path` of an open file, in the place of what is there. */
void fclib_put_ints(hid_t file, const char *path, hsize_t count, const int *values);
void fclib_put_doubles(hid_t file, const char *path, hsize_t count, const double *values);

#endif
