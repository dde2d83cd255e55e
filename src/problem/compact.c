/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/compact.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"

static const double SAME = 1e-10; /* relative: rounding of the caller's Jacobians */

/* ---- bodies ---------------------------------------------------------------------------------- */

/* M = diag(m I, J) with m > 0? */
static int is_rigid_mass(const double *M)
{
    const double m = M[0], trace = M[21] + M[28] + M[35];
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            const int is_inertia = i >= 3 && j >= 3;
            const double expected = i == j && i < 3 ? m : 0,
                         scale = i < 3 && j < 3 ? m : sqrt(m * trace);
            if (!is_inertia && !(fabs(M[6 * i + j] - expected) <= SAME * scale)) return 0;
        }
    }
    return m > 0;
}

mo_rigid mo_rigid_of(double mass, const double J[9])
{
    mo_rigid rigid = {.mass = mass,
                      .inertia = {J[0], J[4], J[8], J[1], J[2], J[5]},
                      .inverse_mass = 1 / mass,
                      .is_isotropic = mo_mat3_is_isotropic(J, SAME)};
    double *I = rigid.inverse_inertia;
    if (rigid.is_isotropic) {
        I[0] = I[1] = I[2] = 1 / J[0];
        return rigid;
    }
    double yz[3], zx[3], xy[3]; /* cross products of the rows: the columns of the adjugate */
    mo_vec3_cross(J + 3, J + 6, yz);
    mo_vec3_cross(J + 6, J, zx);
    mo_vec3_cross(J, J + 3, xy);
    const double scale = 1 / mo_vec3_dot(J, yz);
    I[0] = scale * yz[0], I[1] = scale * zx[1], I[2] = scale * xy[2];
    I[3] = scale * yz[1], I[4] = scale * yz[2], I[5] = scale * zx[2];
    return rigid;
}

static void write_mass(const mo_rigid *rigid, double *M)
{
    static const int PLACE[6][2] = {{3, 3}, {4, 4}, {5, 5}, {3, 4}, {3, 5}, {4, 5}};
    memset(M, 0, 36 * sizeof *M);
    M[0] = M[7] = M[14] = rigid->mass;
    for (int k = 0; k < 6; ++k)
        M[6 * PLACE[k][0] + PLACE[k][1]] = M[6 * PLACE[k][1] + PLACE[k][0]] = rigid->inertia[k];
}

void mo_rigid_accelerate(const mo_rigid *rigid, const double *x, double *out)
{
    const double *I = rigid->inverse_inertia, s[3] = {x[3], x[4], x[5]};
    mo_vec3_scale(rigid->inverse_mass, x, out);
    mo_vec3_set(out + 3, I[0] * s[0] + I[3] * s[1] + I[4] * s[2],
                I[3] * s[0] + I[1] * s[1] + I[5] * s[2], I[4] * s[0] + I[5] * s[1] + I[2] * s[2]);
}

static mo_rigid find_rigid(const mo_problem *problem, int body)
{
    const double *M = problem->M + problem->mass_start[body];
    if (mo_body_dim(problem, body) != 6 || problem->asymmetric[body] || !is_rigid_mass(M))
        return (mo_rigid){0};
    const double J[9] = {M[21], M[22], M[23], M[27], M[28], M[29], M[33], M[34], M[35]};
    return mo_rigid_of(M[0], J);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/*
 * Is B = sign (e_k, a x e_k), with e_k the linear parts of A?  Then a is the arm, from
 * sum_k e_k x (a x e_k) = 2 a.
 */
static int has_arm(const double *A, const double *B, double sign, double arm[3])
{
    double sum[3] = {0}, off = 0, off_frame = 0;
    for (int k = 0; k < 3; ++k) {
        double turned[3];
        mo_vec3_cross(A + 6 * k, B + 6 * k + 3, turned);
        mo_vec3_along(sum, 0.5 * sign, turned, sum);
    }
    for (int k = 0; k < 3; ++k) {
        double turned[3];
        mo_vec3_cross(sum, A + 6 * k, turned);
        for (int i = 0; i < 3; ++i) {
            off = fmax(off, fabs(B[6 * k + 3 + i] - sign * turned[i]));
            off_frame = fmax(off_frame, fabs(B[6 * k + i] - sign * A[6 * k + i]));
        }
    }
    mo_vec3_copy(sum, arm);
    return off_frame <= SAME && off <= SAME * mo_vec3_norm(arm);
}

static int find_contact(const mo_problem *problem, const mo_rigid *rigid, int i,
                        mo_compact_contact *contact)
{
    const int first = problem->block_start[i], bodies = problem->block_start[i + 1] - first;
    const double *A = problem->values + problem->value_start[i];
    if (problem->law[i].kind != MO_LAW_COULOMB || mo_constraint_dim(problem, i) != 3 ||
        bodies < 1 || bodies > 2 || !isfinite(*mo_constraint_param(problem, i)))
        return 0;
    *contact = (mo_compact_contact){.body = {problem->block_index[first], problem->body_count}};
    if (!(rigid[contact->body[0]].inverse_mass > 0) || !mo_is_frame(A, 6, SAME) ||
        !has_arm(A, A, 1, contact->arm[0]))
        return 0;
    if (bodies == 2) {
        contact->body[1] = problem->block_index[first + 1];
        if (!(rigid[contact->body[1]].inverse_mass > 0) || !has_arm(A, A + 18, -1, contact->arm[1]))
            return 0;
    }
    for (int k = 0; k < 3; ++k)
        mo_vec3_copy(A + 6 * k, contact->frame + 3 * k);
    return 1;
}

/* ---- rows of compact contacts ---------------------------------------------------------------- */

/* sign (e_k, a x e_k) */
static void write_jacobian(const mo_compact_contact *contact, int side, double *J)
{
    const double sign = side ? -1 : 1;
    for (int k = 0; k < 3; ++k, J += 6) {
        mo_vec3_scale(sign, contact->frame + 3 * k, J);
        mo_vec3_cross(contact->arm[side], J, J + 3);
    }
}

static void write_contact(const mo_problem *problem, const mo_compact_contact *contact, double *J)
{
    const int turned = contact->body[0] > contact->body[1]; /* blocks lie by rising body */
    for (int k = 0; k < 2; ++k) {
        const int side = k ^ turned;
        if (contact->body[side] < problem->body_count) {
            write_jacobian(contact, side, J);
            J += 18;
        }
    }
}

void mo_compact_write_rows(mo_problem *problem)
{
    const mo_compact *compact = problem->compact;
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i, 256);
        if (compact->contact_of[i] >= 0) {
            write_contact(problem, compact->contact + compact->contact_of[i],
                          problem->values + problem->value_start[i]);
        }
    }
    mo_pace();
    for (int b = 0; b < problem->body_count; ++b) {
        mo_pace_every(b, 256);
        if (compact->rigid[b].inverse_mass > 0) {
            double *M = problem->M + problem->mass_start[b];
            double *factor = problem->factor + problem->mass_start[b];
            write_mass(compact->rigid + b, M);
            memcpy(factor, M, 36 * sizeof *factor);
            mo_factor_symmetric(6, factor);
        }
    }
    mo_pace();
}

/* ---- entry points ---------------------------------------------------------------------------- */

static mo_error create(const mo_allocator *own, int bodies, int constraints, mo_compact **out)
{
    mo_compact *compact = mo_memory_zeros(own, 1, sizeof *compact);
    *out = NULL;
    MO_NEED_MEMORY(compact, NULL);
    if (!MO_NEW(own, bodies, &compact->rigid) || !MO_NEW(own, constraints, &compact->contact) ||
        !MO_NEW(own, constraints, &compact->contact_of)) {
        mo_compact_destroy(own, compact);
        return MO_ERR_MEMORY;
    }
    *out = compact;
    return MO_OK;
}

mo_error mo_compact_find(const mo_problem *problem, mo_compact **out)
{
    const int is_global = problem->form == MO_FORM_GLOBAL && !problem->compliance;
    MO_TRY(create(&problem->allocator, problem->body_count, problem->constraint_count, out));
    mo_compact *compact = *out;
    for (int b = 0; b < problem->body_count; ++b) {
        mo_pace_every(b, 512);
        compact->rigid[b] = find_rigid(problem, b);
    }
    mo_pace();
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i, 256);
        mo_compact_contact *contact = compact->contact + compact->contact_count;
        const int is_compact = is_global && find_contact(problem, compact->rigid, i, contact);
        compact->contact_of[i] = is_compact ? compact->contact_count++ : -1;
    }
    mo_pace();
    return MO_OK;
}

void mo_compact_destroy(const mo_allocator *own, mo_compact *compact)
{
    if (compact) MO_FREE(own, compact->rigid, compact->contact, compact->contact_of, compact);
}

size_t mo_compact_bytes(const mo_problem *problem, const mo_compact *compact)
{
    return sizeof *compact + (size_t)problem->body_count * sizeof *compact->rigid +
           (size_t)problem->constraint_count *
               (sizeof *compact->contact + sizeof *compact->contact_of);
}
