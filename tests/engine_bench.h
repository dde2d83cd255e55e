/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A convex engine with its workspace and vectors, as the driver of methods makes them. */
#ifndef MO_TESTS_ENGINE_BENCH_H
#define MO_TESTS_ENGINE_BENCH_H

#include <stdint.h>
#include <string.h>

#include "check.h"
#include "solver/convex.h"

typedef struct bench {
    const mo_convex_engine *engine;
    mo_run run;
    mo_options options;
    mo_result result;
    void *memory, *workspace;
    double *r, *u, *s; /* zero at first */
} bench;

/* `inner` is the option acary-cadoux.inner; 0: its default. */
static inline bench make_bench(const mo_convex_engine *engine, const mo_problem *problem, int inner)
{
    bench b = {.engine = engine, .options = mo_default_options()};
    const size_t rows = (size_t)mo_problem_row_count(problem);
    const size_t room = 2 * rows + (size_t)mo_problem_constraint_count(problem);
    _Alignas(MO_ARENA_ALIGN) char heads[MO_HEADS_SIZE];
    mo_arena arena = {.heads = heads};
    b.options.acary_cadoux.inner = inner > 0 ? inner : b.options.acary_cadoux.inner;
    CHECK(engine->layout(problem, &b.options, &arena, &b.workspace) == MO_OK);
    b.memory = test_malloc(arena.used + MO_ARENA_ALIGN);
    const size_t skip = MO_ARENA_ALIGN - (uintptr_t)b.memory % MO_ARENA_ALIGN;
    arena = (mo_arena){.base = (char *)b.memory + skip};
    CHECK(engine->layout(problem, &b.options, &arena, &b.workspace) == MO_OK);
    b.r = test_malloc(room * sizeof(double) + 1);
    b.u = b.r + rows;
    b.s = b.u + rows;
    memset(b.r, 0, room * sizeof(double));
    b.run = (mo_run){.problem = problem, .q_scale = 1};
    return b;
}

static inline mo_convex_answer ask(bench *b, const mo_convex *convex, double tol)
{
    b->run.options = &b->options;
    b->run.result = &b->result;
    return b->engine->solve(&b->run, b->workspace, convex, tol, b->r, b->u);
}

static inline void free_bench(bench *b)
{
    test_free(b->memory);
    test_free(b->r);
}

#endif
