/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Compact contacts: the same problem as in rows; their arrangement in batches; sweeps, looks and
 * the measure in lanes against plain C.
 */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "linalg/vec3.h"
#include "measure/measure_batches.h"
#include "moreau/moreau.h"
#include "problem/row_blocks.h"
#include "problem/views.h"
#include "scenes.h"
#include "solver/sweeps.h"

/* ---- random problems ------------------------------------------------------------------------- */

enum { RIGID = 40, LINKS = 9 };

static double draw(mo_random *random)
{
    return 2 * mo_random_unit(random) - 1;
}

/* A symmetric positive definite matrix of n rows. */
static void draw_mass(mo_random *random, int n, double *M)
{
    double A[LINKS * LINKS];
    for (int k = 0; k < n * n; ++k) {
        A[k] = draw(random);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            M[i * n + j] = i == j ? 0.5 : 0;
            for (int k = 0; k < n; ++k) {
                M[i * n + j] += A[i * n + k] * A[j * n + k];
            }
        }
    }
}

static void draw_frame(mo_random *random, double frame[9])
{
    double n[3] = {draw(random), draw(random), draw(random)};
    mo_vec3_scale(1 / mo_vec3_norm(n), n, frame);
    mo_vec3_tangents(frame, frame + 3, frame + 6);
}

/* Manifolds of one to five points between random bodies, some with the world. */
static void draw_contact(mo_random *random, int bodies, mo_rigid_contact *contact)
{
    draw_frame(random, contact->frame);
    contact->body[0] = (int)(mo_random_unit(random) * bodies);
    contact->body[1] =
        (contact->body[0] + 1 + (int)(mo_random_unit(random) * (bodies - 1))) % bodies;
    if (mo_random_unit(random) < 0.2) {
        contact->body[mo_random_unit(random) < 0.5] = -1;
    }
    contact->mu = 0.1 + mo_random_unit(random);
}

static void draw_point(mo_random *random, mo_rigid_contact *contact)
{
    for (int k = 0; k < 3; ++k) {
        contact->arm[0][k] = draw(random);
        contact->arm[1][k] = draw(random);
        contact->w[k] = 0.1 * draw(random);
    }
}

/* The rows of a contact, for the same problem without the compact form. */
static void add_as_rows(mo_builder *builder, const mo_rigid_contact *contact)
{
    const mo_law law = mo_law_coulomb(contact->mu);
    const int i = mo_builder_add_constraint(builder, 3, &law, contact->w);
    for (int side = 0; side < 2; ++side) {
        double J[18];
        for (int k = 0; k < 3; ++k) {
            mo_vec3_scale(side ? -1 : 1, contact->frame + 3 * k, J + 6 * k);
            mo_vec3_cross(contact->arm[side], J + 6 * k, J + 6 * k + 3);
        }
        if (contact->body[side] >= 0) {
            mo_builder_add_jacobian(builder, i, contact->body[side], 3, 6, J);
        }
    }
}

static void add_bodies(mo_builder *builder, mo_random *random, int is_compact)
{
    for (int b = 0; b < RIGID; ++b) {
        double J[9], M[36] = {0}, f[6];
        const double mass = 0.5 + mo_random_unit(random);
        draw_mass(random, 3, J);
        for (int k = 0; k < 6; ++k) {
            f[k] = draw(random);
        }
        for (int i = 0; i < 3; ++i) {
            M[7 * i] = mass;
            memcpy(M + 6 * (i + 3) + 3, J + 3 * i, 3 * sizeof *J);
        }
        CHECK((is_compact ? mo_builder_add_rigid_body(builder, mass, J, f)
                          : mo_builder_add_body(builder, 6, M, f)) == b);
    }
}

static void add_mechanism(mo_builder *builder, mo_random *random)
{
    double M[LINKS * LINKS], f[LINKS];
    draw_mass(random, LINKS, M);
    for (int k = 0; k < LINKS; ++k) {
        f[k] = draw(random);
    }
    CHECK(mo_builder_add_body(builder, LINKS, M, f) == RIGID);
}

/* A joint between a rigid body and the mechanism, a limit of the latter, a soft-finger contact
 * between two bodies. */
static void add_rows(mo_builder *builder, mo_random *random)
{
    const mo_law laws[3] = {mo_law_bilateral(), mo_law_frictionless(),
                            mo_law_soft_finger(0.5, 0.1)};
    const int d[3] = {3, 1, 4}, body[3][2] = {{2, RIGID}, {RIGID, -1}, {4, 7}};
    for (int k = 0; k < 3; ++k) {
        const double w[4] = {0.1 * draw(random), 0.1 * draw(random), 0, 0};
        const int i = mo_builder_add_constraint(builder, d[k], laws + k, w);
        for (int side = 0; side < 2 && body[k][side] >= 0; ++side) {
            double J[4 * LINKS];
            const int n = body[k][side] == RIGID ? LINKS : 6;
            for (int m = 0; m < d[k] * n; ++m) {
                J[m] = draw(random);
            }
            mo_builder_add_jacobian(builder, i, body[k][side], d[k], n, J);
        }
    }
}

/* The same problem for the same seed, in compact form or in rows; with a mechanism or without. */
static mo_problem *build_any(int contacts, uint64_t seed, int is_compact, int has_others)
{
    mo_builder *builder;
    mo_problem *problem = NULL;
    mo_message why = {""};
    mo_random random = {seed};
    mo_rigid_contact contact;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    add_bodies(builder, &random, is_compact);
    if (has_others) {
        add_mechanism(builder, &random);
    }
    for (int k = 0, points = 0; k < contacts; ++k, --points) {
        if (points <= 0) {
            points = 1 + (int)(5 * mo_random_unit(&random));
            draw_contact(&random, RIGID, &contact);
        }
        draw_point(&random, &contact);
        if (is_compact) {
            CHECK(mo_builder_add_contact(builder, &contact) == k);
        } else {
            add_as_rows(builder, &contact);
        }
    }
    if (has_others) {
        add_rows(builder, &random);
    }
    if (mo_builder_finish(builder, &problem, &why)) {
        fail_msg("%s", why.text);
    }
    mo_builder_destroy(builder);
    return problem;
}

static mo_problem *build(int contacts, uint64_t seed, int is_compact)
{
    return build_any(contacts, seed, is_compact, 1);
}

/* Impulses in their sets, on their edges and outside. */
static double *draw_impulses(const mo_problem *problem, uint64_t seed)
{
    const int rows = mo_problem_row_count(problem);
    double *r = malloc((size_t)rows * sizeof *r);
    mo_random random = {seed};
    CHECK(r != NULL);
    for (int k = 0; k < rows; ++k) {
        r[k] = k % 3 == 0 ? fabs(draw(&random)) : 0.5 * draw(&random);
        r[k] *= k % 7 == 0 ? 0 : k % 11 == 0 ? 1e13 : 1;
    }
    return r;
}

/* ---- the form -------------------------------------------------------------------------------- */

static void check_near_all(const double *a, const double *b, int count, double tolerance)
{
    double largest = 1;
    for (int k = 0; k < count; ++k) {
        largest = fmax(largest, fabs(b[k]));
    }
    for (int k = 0; k < count; ++k) {
        CHECK_NEAR(a[k], b[k], tolerance * largest);
    }
}

static void a_compact_problem_is_the_one_of_its_rows(void **state)
{
    (void)state;
    mo_problem *compact = build(150, 3, 1), *rows = build(150, 3, 0);
    const int count = mo_problem_row_count(rows), dofs = mo_problem_dof_count(rows);
    double *r = draw_impulses(rows, 5), *out = malloc(4 * (size_t)(count + dofs) * sizeof *out);
    double *u = out + count, *v = u + count, *w = v + dofs;
    mo_residual a, b;
    CHECK(out && mo_problem_row_count(compact) == count && mo_problem_dof_count(compact) == dofs);
    CHECK(mo_problem_response(compact, r, out) == MO_OK &&
          mo_problem_response(rows, r, u) == MO_OK);
    check_near_all(out, u, count, 1e-13);
    mo_problem_velocity(compact, r, v);
    mo_problem_velocity(rows, r, w);
    check_near_all(v, w, dofs, 1e-13);
    CHECK(mo_measure(compact, r, &a) == MO_OK && mo_measure(rows, r, &b) == MO_OK);
    CHECK_NEAR(a.natural, b.natural, 1e-12 * b.natural);
    CHECK_NEAR(a.q_norm, b.q_norm, 1e-12 * b.q_norm);
    for (int i = 0; i < mo_problem_constraint_count(rows);
         ++i) { /* and they are written on demand */
        const mo_constraint_view view = mo_problem_constraint(rows, i);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view x = mo_problem_block(compact, i, k),
                                y = mo_problem_block(rows, i, k);
            CHECK(x.index == y.index);
            check_near_all(x.values, y.values, view.dim * mo_problem_body(rows, y.index).dim,
                           1e-15);
        }
    }
    for (int k = 0; k < RIGID; ++k) {
        check_near_all(mo_problem_body(compact, k).M, mo_problem_body(rows, k).M, 36, 1e-15);
    }
    free(r);
    free(out);
    mo_problem_destroy(compact);
    mo_problem_destroy(rows);
}

static void every_method_takes_a_compact_problem(void **state)
{
    (void)state;
    mo_problem *problem = build(30, 8, 1);
    const char *const methods[] = {"nsgs", "prox", "newton", "aln", "ipm", "admm"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        mo_residual residual;
        options.method = methods[k];
        options.tol = 1e-6;
        options.max_iter = 100000;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK_NEAR(residual.natural, result.residual.natural, 1e-9 * (1 + residual.natural));
        if (result.status != MO_SOLVED) {
            fail_msg("%s: %s, residual %g", methods[k], mo_status_word(result.status),
                     residual.natural_relative);
        }
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void contacts_in_rows_are_found(void **state)
{
    (void)state;
    mo_problem *rows = build(150, 3, 0), *given = build(150, 3, 1);
    const mo_compact *found, *own;
    CHECK(mo_problem_compact(rows, &found) == MO_OK && mo_problem_compact(given, &own) == MO_OK);
    CHECK(found->contact_count == 150 && own->contact_count == 150);
    for (int k = 0; k < 150; ++k) {
        const mo_compact_contact *a = found->contact + k, *b = own->contact + k;
        /* the first body in rows is the one with the lower number: both may be turned about */
        const int turned = a->body[0] != b->body[0];
        CHECK(a->body[turned] == b->body[0] && a->body[!turned] == b->body[1]);
        check_near_all(a->arm[turned], b->arm[0], b->body[0] < RIGID ? 3 : 0, 1e-12);
        check_near_all(a->arm[!turned], b->arm[1], b->body[1] < RIGID ? 3 : 0, 1e-12);
        CHECK_NEAR(mo_vec3_dot(a->frame, b->frame), turned ? -1 : 1, 1e-12);
    }
    mo_problem_destroy(rows);
    mo_problem_destroy(given);
}

/* An axis that is no unit vector, an arm that is none, an M that couples, mu = infinity: rows. */
static void other_constraints_are_not_taken_for_contacts(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 5; ++wrong) {
        double M[36] = {0}, J[18] = {0};
        mo_builder *builder;
        mo_problem *problem;
        const mo_compact *compact;
        const mo_law law = mo_law_coulomb(wrong == 4 ? INFINITY : 0.5);
        for (int k = 0; k < 6; ++k) {
            M[7 * k] = 1;
        }
        J[0] = J[7] = J[14] = 1;
        J[3] = wrong == 1 ? 0.1 : 0; /* a x e_0 has no part along e_0 */
        J[0] = wrong == 2 ? 1.1 : 1;
        M[3] = M[18] = wrong == 3 ? 0.1 : 0;
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        mo_builder_add_body(builder, 6, M, NULL);
        mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_jacobian(builder, 0, 0, 3, 6, J);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        CHECK(mo_problem_compact(problem, &compact) == MO_OK);
        CHECK(compact->contact_count == (wrong == 0));
        mo_builder_destroy(builder);
        mo_problem_destroy(problem);
    }
}

static void bad_contacts_get_a_sentence(void **state)
{
    (void)state;
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    for (int wrong = 0; wrong < 8; ++wrong) {
        mo_builder *builder;
        mo_problem *problem;
        mo_message why = {""};
        mo_rigid_contact contact = {
            .body = {0, -1}, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mu = 0.5};
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        if (wrong == 7) {
            mo_builder_add_body(builder, 3, J, NULL); /* no rigid body in space */
        } else {
            mo_builder_add_rigid_body(builder, wrong == 5 ? -1 : 1, wrong == 6 ? flat : J, NULL);
        }
        contact.frame[0] = wrong == 0 ? 2 : 1;
        contact.mu = wrong == 1 ? NAN : 0.5;
        contact.arm[0][1] = wrong == 2 ? INFINITY : 0;
        contact.body[0] = wrong == 3 ? -1 : wrong == 4 ? 5 : 0;
        mo_builder_add_contact(builder, &contact);
        CHECK(mo_builder_finish(builder, &problem, &why) != MO_OK && problem == NULL);
        CHECK(why.text[0] != '\0');
        mo_builder_destroy(builder);
    }
}

/* A file holds the rows, in which the same contacts are found again. */
static void a_compact_problem_survives_a_file(void **state)
{
    (void)state;
    const char *path = "test_batches.hdf5";
    mo_problem *problem = build_any(80, 31, 1, 0);
    mo_document document = {.problem = problem}, back = {0};
    mo_message why = {""};
    const mo_compact *compact;
    mo_residual a, b;
    double *r = draw_impulses(problem, 3);
    if (mo_fclib_write(path, &document, &why) || mo_fclib_read(path, NULL, &back, &why)) {
        fail_msg("%s", why.text);
    }
    CHECK(mo_problem_compact(back.problem, &compact) == MO_OK && compact->contact_count == 80);
    CHECK(mo_measure(problem, r, &a) == MO_OK && mo_measure(back.problem, r, &b) == MO_OK);
    CHECK_NEAR(a.natural, b.natural, 1e-9 * a.natural);
    CHECK_NEAR(a.q_norm, b.q_norm, 1e-12 * a.q_norm);
    remove(path);
    free(r);
    mo_document_clear(&back);
    mo_problem_destroy(problem);
}

/* ---- the arrangement --------------------------------------------------------------------------
 */

static const mo_batches *batches_of(const mo_problem *problem)
{
    const mo_batches *batches = NULL;
    CHECK(mo_problem_batches(problem, &batches) == MO_OK);
    return batches;
}

static void every_constraint_is_in_one_place(void **state)
{
    (void)state;
    mo_problem *problem = build(500, 4, 1);
    const mo_batches *b = batches_of(problem);
    int *seen = calloc((size_t)problem->constraint_count, sizeof *seen);
    CHECK(seen != NULL);
    for (int k = 0; k < b->point_count * MO_LANES; ++k) {
        if (b->constraint[k] >= 0) {
            ++seen[b->constraint[k]];
        }
    }
    for (int k = 0; k < b->row_count; ++k) {
        ++seen[b->row[k].constraint];
    }
    CHECK(b->row_count == 3);
    for (int i = 0; i < problem->constraint_count; ++i) {
        CHECK(seen[i] == 1);
    }
    free(seen);
    mo_problem_destroy(problem);
}

/* The groups that touched each line last. */
static void touch(int *last, int line, int world, int group)
{
    if (line != world) {
        CHECK(last[line] != group);
        last[line] = group;
    }
}

static void what_has_one_colour_shares_no_body(void **state)
{
    (void)state;
    mo_problem *problem = build(300, 6, 1);
    const mo_batches *b = batches_of(problem);
    int *last = malloc((size_t)b->line_count * sizeof *last);
    CHECK(last != NULL);
    memset(last, 0xff, (size_t)b->line_count * sizeof *last);
    for (int g = 0; g < b->group_count - b->last_is_sequential; ++g) {
        for (int k = b->group[g].first_batch; k < b->group[g].last_batch; ++k) {
            for (int lane = 0; lane < 2 * MO_LANES; ++lane) {
                touch(last, b->batch[k].line[lane / MO_LANES][lane % MO_LANES], b->line_count - 1,
                      g);
            }
        }
        for (int k = b->group[g].first_row; k < b->group[g].last_row; ++k) {
            const int i = b->row[k].constraint;
            for (int m = problem->block_start[i]; m < problem->block_start[i + 1]; ++m) {
                touch(last, b->line_of[problem->block_index[m]], b->line_count - 1, g);
            }
        }
    }
    free(last);
    mo_problem_destroy(problem);
}

/* ---- lanes against plain C ----------------------------------------------------------------------
 */

static mo_sweeps *make_sweeps(const mo_batches *batches, char **memory)
{
    mo_arena arena = {0};
    mo_sweeps counted, *sweeps = malloc(sizeof *sweeps);
    mo_sweeps_layout(&arena, batches, &counted);
    *memory = malloc(arena.used + MO_ARENA_ALIGN);
    CHECK(sweeps && *memory);
    arena = (mo_arena){.base = *memory + MO_ARENA_ALIGN - (uintptr_t)*memory % MO_ARENA_ALIGN};
    mo_sweeps_layout(&arena, batches, sweeps);
    return sweeps;
}

static void check_worst(mo_worst told, mo_worst of_measure)
{
    CHECK_NEAR(told.value, of_measure.value, 1e-9 * of_measure.value);
    CHECK(told.constraint == of_measure.constraint);
}

static void the_measure_in_lanes_is_the_measure(void **state)
{
    (void)state;
    mo_problem *problems[3] = {build(203, 9, 1), build(64, 2, 0), NULL};
    mo_message why = {""};
    CHECK(scene_packing(3001, 3, &problems[2], &why) == MO_OK); /* balls */
    for (int k = 0; k < 3; ++k) {
        const mo_problem *problem = problems[k];
        double *r = draw_impulses(problem, 17), *v, *out;
        char *memory;
        mo_sweeps *sweeps = make_sweeps(batches_of(problem), &memory);
        mo_residual told, truth;
        const size_t rows = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
        v = malloc((dofs + 3 * rows) * sizeof *v);
        out = v + dofs;
        CHECK(v && mo_measure(problem, r, &truth) == MO_OK);
        mo_sweeps_start(sweeps, 1, 0, r);
        mo_sweeps_measure(sweeps, truth.q_norm, out, v, out + rows, &told);
        check_near_all(out, r, (int)rows, 1e-13);
        CHECK(mo_problem_response(problem, r, out + 2 * rows) == MO_OK);
        check_near_all(out + rows, out + 2 * rows, (int)rows, 1e-12);
        CHECK_NEAR(told.natural, truth.natural, 1e-9 * truth.natural);
        CHECK_NEAR(told.siconos_full, truth.siconos_full, 1e-9 * truth.siconos_full);
        CHECK_NEAR(told.power, truth.power, 1e-9 * truth.power);
        check_worst(told.block, truth.block);
        check_worst(told.penetration_rate, truth.penetration_rate);
        check_worst(told.cone_violation, truth.cone_violation);
        check_worst(told.dissipation, truth.dissipation);
        free(r);
        free(v);
        free(memory);
        free(sweeps);
        mo_problem_destroy(problems[k]);
    }
}

/* A visit of a contact in plain C, as batch_passes.h has it. */
static void visit_plainly(const mo_problem *problem, const mo_compact *compact, int i, double *r,
                          double *u)
{
    const mo_compact_contact *c = compact->contact + compact->contact_of[i];
    const double mu = *mo_constraint_param(problem, i);
    double *own = r + problem->row_start[i], W[9] = {0};
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 9 && c->body[side] < problem->body_count; ++k) {
            double J[6], by[6], other[6];
            mo_vec3_copy(c->frame + 3 * (k / 3), J);
            mo_vec3_cross(c->arm[side], J, J + 3);
            mo_rigid_accelerate(compact->rigid + c->body[side], J, by);
            mo_vec3_copy(c->frame + 3 * (k % 3), other);
            mo_vec3_cross(c->arm[side], other, other + 3);
            W[k] += mo_vec3_dot(other, by) + mo_vec3_dot(other + 3, by + 3);
        }
    }
    const double W_T =
        0.5 * (W[4] + W[8]) + sqrt(0.25 * (W[4] - W[8]) * (W[4] - W[8]) + W[5] * W[5]);
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    own[0] = fmax(0, own[0] - u[problem->row_start[i]] / W[0]);
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    double stick[2] = {own[1] - u[problem->row_start[i] + 1] / W_T,
                       own[2] - u[problem->row_start[i] + 2] / W_T};
    const double size = hypot(stick[0], stick[1]), bound = mu * own[0];
    own[1] = size > bound ? stick[0] * bound / size : stick[0];
    own[2] = size > bound ? stick[1] * bound / size : stick[1];
}

/* Two sweeps over contacts, in the order of the batches, for each kind of processor. */
static void visits_in_lanes_are_those_in_plain_c(void **state)
{
    (void)state;
    mo_problem *problem = build(60, 12, 1);
    const mo_batches *b = batches_of(problem);
    const mo_compact *compact;
    const int rows = problem->row_count;
    double *r = calloc(3 * (size_t)rows, sizeof *r), *u = r + rows, *out = u + rows;
    CHECK(r && mo_problem_compact(problem, &compact) == MO_OK);
    mo_batches contacts = *b; /* without the three constraints in rows */
    mo_colour_group *group = malloc((size_t)b->group_count * sizeof *group);
    CHECK(group != NULL);
    memcpy(group, b->group, (size_t)b->group_count * sizeof *group);
    contacts.group = group;
    contacts.row_count = 0;
    for (int g = 0; g < b->group_count; ++g) {
        group[g].first_row = group[g].last_row = 0;
    }
    for (int sweep = 0; sweep < 2; ++sweep) {
        for (int k = 0; k < b->batch_count; ++k) { /* lanes share nothing: lane after lane */
            for (int lane = 0; lane < MO_LANES; ++lane) {
                for (int p = 0; p < b->batch[k].point_count; ++p) {
                    const int i = b->constraint[(b->batch[k].point + p) * MO_LANES + lane];
                    if (i >= 0) {
                        visit_plainly(problem, compact, i, r, u);
                    }
                }
            }
        }
    }
    const mo_batch_kernels *const kernels[] = {&mo_batch_anywhere, &mo_batch_avx2,
                                               &mo_batch_avx512};
    for (int kind = 0; kind < 3; ++kind) {
#if defined(__x86_64__)
        const int can_run =
            kind == 0 ||
            (kind == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) ||
            (kind == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"));
#else
        const int can_run = kind == 0;
#endif
        if (!can_run) {
            continue;
        }
        char *memory;
        mo_sweeps *s = make_sweeps(&contacts, &memory);
        memset(out, 0, (size_t)rows * sizeof *out);
        mo_sweeps_start(s, 1, 0, out);
        const mo_batch_pass pass = {&contacts, s->state, s->impulses, 1, 1, 0, NULL};
        kernels[kind]->visit(&pass, 0, b->batch_count);
        kernels[kind]->visit(&pass, 0, b->batch_count);
        for (int k = 0; k < b->point_count * MO_LANES; ++k) {
            const int i = b->constraint[k];
            for (int x = 0; x < 3 && i >= 0; ++x) {
                const double *from = s->impulses[k / MO_LANES].r + k % MO_LANES;
                const double own[3] = {from[0], from[MO_LANES], from[2 * MO_LANES]};
                const double *e = compact->contact[compact->contact_of[i]].frame;
                CHECK_NEAR(mo_vec3_dot(own, e + 3 * x), r[problem->row_start[i] + x], 1e-9);
            }
        }
        free(memory);
        free(s);
    }
    free(group);
    free(r);
    mo_problem_destroy(problem);
}

/* ---- solves ---------------------------------------------------------------------------------- */

static mo_result sweep(const mo_problem *problem, double tol, int most, double momentum,
                       int threads)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "nsgs";
    options.tol = tol;
    options.max_iter = most;
    options.threads = threads;
    options.nsgs.momentum = momentum;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    return result;
}

static void what_is_solved_is_solved_by_the_measure(void **state)
{
    (void)state;
    mo_problem *problems[2] = {build(80, 21, 1), NULL};
    mo_message why = {""};
    const double tols[] = {1e-2, 1e-3, 1e-5};
    CHECK(scene_packing(3000, 3, &problems[1], &why) == MO_OK);
    for (int k = 0; k < 6; ++k) {
        const mo_problem *problem = problems[k / 3];
        mo_result result = sweep(problem, tols[k % 3], 50000, 10, 1);
        mo_residual residual;
        CHECK(result.status == MO_SOLVED);
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK_BELOW(residual.natural_relative, tols[k % 3] * (1 + 1e-9));
        CHECK_NEAR(residual.natural, result.residual.natural, 1e-9 * residual.natural);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problems[0]);
    mo_problem_destroy(problems[1]);
}

static void too_few_sweeps_are_told(void **state)
{
    (void)state;
    mo_problem *problem = build(200, 5, 1);
    mo_result none = sweep(problem, 1e-5, 0, 10, 1), few = sweep(problem, 1e-5, 5, 10, 1);
    CHECK(none.status == MO_ITERATION_LIMIT && none.iterations == 0);
    CHECK(few.status == MO_ITERATION_LIMIT && few.iterations == 5);
    CHECK_BELOW(few.residual.natural, none.residual.natural);
    mo_result_clear(&none);
    mo_result_clear(&few);
    mo_problem_destroy(problem);
}

static void any_number_of_threads_has_the_same_bits(void **state)
{
    (void)state;
    mo_problem *problem;
    mo_message why = {""};
    CHECK(scene_packing(20000, 3, &problem, &why) == MO_OK);
    mo_result one = sweep(problem, 1e-5, 12, 10, 1);
    for (int threads = 2; threads <= 4; ++threads) {
        mo_result other = sweep(problem, 1e-5, 12, 10, threads);
        CHECK(memcmp(one.r, other.r, (size_t)one.row_count * sizeof *one.r) == 0);
        mo_result_clear(&other);
    }
    mo_result_clear(&one);
    mo_problem_destroy(problem);
}

/* One ball on another, with mass ratios and frictions: the visit is the exact solution. */
static void a_pair_of_balls_is_solved_by_one_visit(void **state)
{
    (void)state;
    const double ratios[] = {1, 1e3, 1e6}, mus[] = {0, 0.01, 0.3, 2};
    for (int k = 0; k < 12; ++k) {
        mo_builder *builder;
        mo_problem *problem;
        const double ratio = ratios[k / 4];
        const mo_rigid_contact contact = {.body = {1, 0},
                                          .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                          .arm = {{0, 0, -0.2}, {0, 0, 0.1}},
                                          .w = {0, 0.05, 0.02},
                                          .mu = mus[k % 4]};
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        for (int b = 0; b < 2; ++b) {
            const double m = b ? 2 * ratio : 1, j = b ? 0.05 * ratio : 0.01;
            const double J[9] = {j, 0, 0, 0, j, 0, 0, 0, j},
                         f[6] = {0, 0, b ? -m : m, 0.1 * j, 0, 0};
            mo_builder_add_rigid_body(builder, m, J, f);
        }
        mo_builder_add_contact(builder, &contact);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        CHECK(batches_of(problem)->batch[0].is_central);
        mo_result result = sweep(problem, 1e-5, 3, 0, 1);
        CHECK(result.status == MO_SOLVED);
        CHECK_BELOW(result.residual.natural_relative, 1e-13);
        mo_result_clear(&result);
        mo_builder_destroy(builder);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compact_problem_is_the_one_of_its_rows),
        cmocka_unit_test(every_method_takes_a_compact_problem),
        cmocka_unit_test(contacts_in_rows_are_found),
        cmocka_unit_test(other_constraints_are_not_taken_for_contacts),
        cmocka_unit_test(bad_contacts_get_a_sentence),
        cmocka_unit_test(a_compact_problem_survives_a_file),
        cmocka_unit_test(every_constraint_is_in_one_place),
        cmocka_unit_test(what_has_one_colour_shares_no_body),
        cmocka_unit_test(the_measure_in_lanes_is_the_measure),
        cmocka_unit_test(visits_in_lanes_are_those_in_plain_c),
        cmocka_unit_test(what_is_solved_is_solved_by_the_measure),
        cmocka_unit_test(too_few_sweeps_are_told),
        cmocka_unit_test(any_number_of_threads_has_the_same_bits),
        cmocka_unit_test(a_pair_of_balls_is_solved_by_one_visit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
