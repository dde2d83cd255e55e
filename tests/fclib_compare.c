/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "fclib_compare.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

bool same_numbers(const double *a, const double *b, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        if (!(a[k] == 0 && b[k] == 0) && memcmp(&a[k], &b[k], sizeof a[k]) != 0) return false;
    return true;
}

static double *zeros(size_t count)
{
    double *values = calloc(count + 1, sizeof *values);
    assert_non_null(values);
    return values;
}

/* Rows of contacts, then rows of joints; `where` is the inverse of `order`. */
static void put_in_order(const mo_problem *p, spread *s, int *where)
{
    int next = 0;
    for (int joints = 0; joints < 2; ++joints) {
        for (int c = 0; c < mo_problem_constraint_count(p); ++c) {
            const mo_constraint_view view = mo_problem_constraint(p, c);
            if ((view.law.kind == MO_LAW_BILATERAL) != joints) continue;
            for (int k = 0; k < view.dim; ++k) {
                where[view.offset + k] = next;
                s->order[next++] = view.offset + k;
            }
            if (!joints) {
                s->mu[s->contacts] = view.law.mu;
                s->mu_rolling[s->contacts++] = view.law.mu_rolling;
                s->contact_rows += view.dim;
            }
        }
    }
}

static void spread_blocks(const mo_problem *p, spread *s, const int *where)
{
    const int across = s->reduced ? s->rows : s->dofs;
    for (int c = 0; c < mo_problem_constraint_count(p); ++c) {
        const mo_constraint_view view = mo_problem_constraint(p, c);
        for (int b = 0; b < view.block_count; ++b) {
            const mo_block_view block = mo_problem_block(p, c, b);
            const mo_constraint_view other =
                s->reduced ? mo_problem_constraint(p, block.index) : (mo_constraint_view){0};
            const mo_body_view body =
                s->reduced ? (mo_body_view){0} : mo_problem_body(p, block.index);
            const int n = s->reduced ? other.dim : body.dim;
            for (int k = 0; k < view.dim * n; ++k) {
                const int row = where[view.offset + k / n];
                const int column = s->reduced ? where[other.offset + k % n] : body.offset + k % n;
                s->A[(size_t)row * across + column] = block.values[k];
            }
        }
    }
}

spread spread_make(const mo_problem *p)
{
    spread s = {.dofs = mo_problem_dof_count(p),
                .rows = mo_problem_row_count(p),
                .reduced = mo_problem_form(p) == MO_FORM_REDUCED};
    const int across = s.reduced ? s.rows : s.dofs;
    s.order = calloc((size_t)s.rows + 1, sizeof *s.order);
    int *where = calloc((size_t)s.rows + 1, sizeof *where);
    assert_true(s.order && where);
    s.M = zeros((size_t)s.dofs * s.dofs);
    s.f = zeros((size_t)s.dofs);
    s.A = zeros((size_t)s.rows * across);
    s.w = zeros((size_t)s.rows);
    s.mu = zeros((size_t)s.rows);
    s.mu_rolling = zeros((size_t)s.rows);
    put_in_order(p, &s, where);
    for (int b = 0; b < mo_problem_body_count(p); ++b) {
        const mo_body_view body = mo_problem_body(p, b);
        for (int k = 0; k < body.dim * body.dim; ++k) {
            s.M[(size_t)(body.offset + k / body.dim) * s.dofs + body.offset + k % body.dim] =
                body.M[k];
        }
        memcpy(s.f + body.offset, body.f, (size_t)body.dim * sizeof *s.f);
    }
    for (int c = 0; c < mo_problem_constraint_count(p); ++c) {
        const mo_constraint_view view = mo_problem_constraint(p, c);
        for (int k = 0; k < view.dim; ++k)
            s.w[where[view.offset + k]] = view.w[k];
    }
    spread_blocks(p, &s, where);
    free(where);
    return s;
}

void spread_clear(spread *s)
{
    free(s->order);
    free(s->M);
    free(s->f);
    free(s->A);
    free(s->w);
    free(s->mu);
    free(s->mu_rolling);
}

static void check_same_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a) assert_string_equal(a, b);
}

static void check_same_rows(const double *a, const spread *sa, const double *b, const spread *sb)
{
    assert_int_equal(!a, !b);
    for (int k = 0; a && k < sa->rows; ++k)
        assert_true(same_numbers(a + sa->order[k], b + sb->order[k], 1));
}

static void check_same_point(const mo_point *a, const spread *sa, const mo_point *b,
                             const spread *sb)
{
    assert_int_equal(!a->v, !b->v);
    assert_true(!a->v || same_numbers(a->v, b->v, (size_t)sa->dofs));
    check_same_rows(a->u, sa, b->u, sb);
    check_same_rows(a->r, sa, b->r, sb);
}

void check_same_document(const mo_document *a, const mo_document *b)
{
    spread x = spread_make(a->problem), y = spread_make(b->problem);
    const size_t across = (size_t)(x.reduced ? x.rows : x.dofs);
    assert_int_equal(x.dofs, y.dofs);
    assert_int_equal(x.rows, y.rows);
    assert_int_equal(x.contacts, y.contacts);
    assert_int_equal(x.contact_rows, y.contact_rows);
    assert_int_equal(x.reduced, y.reduced);
    assert_true(same_numbers(x.M, y.M, (size_t)x.dofs * (size_t)x.dofs));
    assert_true(same_numbers(x.f, y.f, (size_t)x.dofs));
    assert_true(same_numbers(x.A, y.A, (size_t)x.rows * across));
    assert_true(same_numbers(x.w, y.w, (size_t)x.rows));
    assert_true(same_numbers(x.mu, y.mu, (size_t)x.contacts));
    assert_true(same_numbers(x.mu_rolling, y.mu_rolling, (size_t)x.contacts));
    check_same_text(a->title, b->title);
    check_same_text(a->description, b->description);
    check_same_text(a->math_info, b->math_info);
    check_same_point(&a->solution, &x, &b->solution, &y);
    assert_int_equal(a->guess_count, b->guess_count);
    for (int k = 0; k < a->guess_count; ++k)
        check_same_point(&a->guesses[k], &x, &b->guesses[k], &y);
    spread_clear(&x);
    spread_clear(&y);
}

void check_same_problem(const mo_problem *a, const mo_problem *b)
{
    assert_int_equal(mo_problem_form(a), mo_problem_form(b));
    assert_int_equal(mo_problem_body_count(a), mo_problem_body_count(b));
    assert_int_equal(mo_problem_constraint_count(a), mo_problem_constraint_count(b));
    for (int k = 0; k < mo_problem_body_count(a); ++k) {
        const mo_body_view x = mo_problem_body(a, k), y = mo_problem_body(b, k);
        assert_int_equal(x.dim, y.dim);
        assert_true(same_numbers(x.M, y.M, (size_t)x.dim * (size_t)x.dim));
        assert_true(same_numbers(x.f, y.f, (size_t)x.dim));
    }
    for (int c = 0; c < mo_problem_constraint_count(a); ++c) {
        const mo_constraint_view x = mo_problem_constraint(a, c), y = mo_problem_constraint(b, c);
        assert_int_equal(x.dim, y.dim);
        assert_int_equal(x.law.kind, y.law.kind);
        assert_true(same_numbers(&x.law.mu, &y.law.mu, 1));
        assert_true(same_numbers(&x.law.mu_rolling, &y.law.mu_rolling, 1));
        assert_true(same_numbers(x.w, y.w, (size_t)x.dim));
        assert_int_equal(x.block_count, y.block_count);
        for (int k = 0; k < x.block_count; ++k) {
            const mo_block_view p = mo_problem_block(a, c, k), q = mo_problem_block(b, c, k);
            const int n = mo_problem_form(a) == MO_FORM_GLOBAL
                              ? mo_problem_body(a, p.index).dim
                              : mo_problem_constraint(a, p.index).dim;
            assert_int_equal(p.index, q.index);
            assert_true(same_numbers(p.values, q.values, (size_t)x.dim * (size_t)n));
        }
    }
}
