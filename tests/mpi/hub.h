/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A container that touches everything: one body with more contacts than there are colours. */
#ifndef TESTS_MPI_HUB_H
#define TESTS_MPI_HUB_H

#include "moreau/mpi.h"

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static inline void add_touch(mo_builder *builder, int above, int below, double aside)
{
    mo_rigid_contact contact = {.body = {above, below},
                                .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                .arm = {{0, 0, -0.5}, {aside, 0.1 * aside, 0.5}},
                                .mu = 0.4};
    mo_builder_add_contact(builder, &contact);
}

/* A plate that moves, with so many balls on it that it needs more colours than there are. */
static inline mo_problem *make_hub(int balls)
{
    mo_builder *builder;
    mo_problem *problem = NULL;
    mo_builder_create(NULL, &builder);
    for (int k = 0; k <= balls; ++k) {
        const double f[6] = {0.02 * (k % 5), 0.01 * (k % 3), -1, 0, 0, 0};
        mo_builder_add_rigid_body(builder, k == balls ? 10 : 1, IDENTITY, f);
    }
    for (int k = 0; k < balls; ++k)
        add_touch(builder, k, balls, 0.3 * (k % 7) - 0.9);
    for (int k = 0; k < 4; ++k)
        add_touch(builder, balls, -1, k < 2 ? 1 : -1);
    mo_builder_finish(builder, &problem, NULL);
    mo_builder_destroy(builder);
    return problem;
}

#endif
