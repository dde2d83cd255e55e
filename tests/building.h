/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A builder whose failure fails the test. */
#ifndef TESTS_BUILDING_H
#define TESTS_BUILDING_H

#include "check.h"
#include "moreau/problem.h"

static inline mo_builder *new_builder(void)
{
    mo_builder *builder = NULL;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    return builder;
}

/* The problem; the builder is gone. */
static inline mo_problem *finish(mo_builder *builder)
{
    mo_problem *problem = NULL;
    mo_message why;
    if (mo_builder_finish(builder, &problem, &why)) fail_msg("%s", why.text);
    mo_builder_destroy(builder);
    return problem;
}

#endif
