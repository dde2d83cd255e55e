/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Writes the small FCLIB files that the tests of the program read: make_problem FOLDER
 *
 *   block.hdf5    global  a body on the ground, pushed sideways: it slides
 *   stack.hdf5    global  five bodies on each other
 *   slow.hdf5     global  three hundred, the topmost a million times heavier
 *   local.hdf5    local   two coupled contacts, W and q only
 *   islands.hdf5  local   four contacts in two islands, W of rank 9 and not symmetric
 *   joint.hdf5    global  a body held by a joint, another on the ground
 *   joints.hdf5   global  a body held by a joint, and no contact
 *   fixed.hdf5    global  a contact between two fixed things, beside a body
 *   empty.hdf5    global  a body and no constraint
 *   known.hdf5    global  block.hdf5 with its solution, two guesses and strings
 */
#include <stdio.h>
#include <stdlib.h>

#include "moreau/moreau.h"

/* From the velocity of a body to that of its centre: rows z (the normal), x, y. */
static const double CENTRE[18] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};

static const double TWICE[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
static const double COUPLING[9] = {0.5, 0.1, 0, 0.1, 0.3, 0, 0, 0, 0.3};

static void stop(const char *what)
{
    fprintf(stderr, "make_problem: %s\n", what);
    exit(1);
}

static mo_builder *begin(void)
{
    mo_builder *builder = NULL;
    if (mo_builder_create(NULL, &builder)) stop("no memory");
    return builder;
}

static mo_problem *finish(mo_builder *builder)
{
    mo_message why = {{0}};
    mo_problem *problem = NULL;
    if (mo_builder_finish(builder, &problem, &why)) stop(why.text);
    mo_builder_destroy(builder);
    return problem;
}

/* A rigid body in space under gravity, pushed along x, for a step of 0.01. */
static int add_body(mo_builder *builder, double mass, double push)
{
    const double f[6] = {push, 0, -9.81 * 0.01 * mass, 0, 0, 0};
    double M[36] = {0};
    for (int k = 0; k < 6; ++k)
        M[7 * k] = k < 3 ? mass : 0.4 * mass;
    return mo_builder_add_body(builder, 6, M, f);
}

/* A contact of the body with what is below it: the ground (-1) or another body. */
static void add_contact(mo_builder *builder, double mu, int body, int below)
{
    const double w[3] = {0, 0, 0};
    const mo_law law = mo_law_coulomb(mu);
    const int contact = mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_jacobian(builder, contact, body, 3, 6, CENTRE);
    if (below >= 0) {
        double J[18];
        for (int k = 0; k < 18; ++k)
            J[k] = -CENTRE[k];
        mo_builder_add_jacobian(builder, contact, below, 3, 6, J);
    }
}

static void add_joint(mo_builder *builder, int body)
{
    const double w[3] = {0, 0, 0};
    const mo_law law = mo_law_bilateral();
    const int joint = mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_jacobian(builder, joint, body, 3, 6, CENTRE);
}

static mo_problem *block(void)
{
    mo_builder *builder = begin();
    add_contact(builder, 0.5, add_body(builder, 2.0, 1.0), -1);
    return finish(builder);
}

/* Painleve's rod at 30 degrees, dragged to the right: no solution for mu = 1. */
static mo_problem *rod(double mu)
{
    mo_builder *builder = begin();
    const double M = 1, f = -0.5, w[2] = {0, 1}, J[2] = {0.5, 0.8660254037844386};
    const mo_law law = mo_law_coulomb(mu);
    const int body = mo_builder_add_body(builder, 1, &M, &f);
    mo_builder_add_jacobian(builder, mo_builder_add_constraint(builder, 2, &law, w), body, 2, 1, J);
    return finish(builder);
}

static mo_problem *stack(int count, double top_mass)
{
    mo_builder *builder = begin();
    for (int k = 0; k < count; ++k)
        add_contact(builder, 0.3, add_body(builder, k == count - 1 ? top_mass : 1.0, 0.001), k - 1);
    return finish(builder);
}

static mo_problem *joint(int with_contact)
{
    mo_builder *builder = begin();
    add_joint(builder, add_body(builder, 1.0, 1.0));
    if (with_contact) add_contact(builder, 0.5, add_body(builder, 1.0, 0.0), -1);
    return finish(builder);
}

static mo_problem *fixed(void)
{
    const double w[3] = {0.1, 0.2, 0};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder = begin();
    add_body(builder, 1.0, 1.0);
    mo_builder_add_constraint(builder, 3, &law, w);
    return finish(builder);
}

static mo_problem *empty(void)
{
    mo_builder *builder = begin();
    add_body(builder, 1.0, 1.0);
    return finish(builder);
}

/* Couples contacts i and j of a local problem: W_ij = A and W_ji = scale A', A being symmetric. */
static void add_pair(mo_builder *builder, int i, int j, const double *A, double scale)
{
    double back[9];
    for (int k = 0; k < 9; ++k)
        back[k] = scale * A[k];
    mo_builder_add_coupling(builder, i, j, 3, 3, A);
    mo_builder_add_coupling(builder, j, i, 3, 3, back);
}

/* Contacts of a local problem, each alone: W_ii = 2 I. */
static mo_builder *begin_local(int count)
{
    const double q[3] = {-1.0, 0.7, 0.1};
    const mo_law law = mo_law_coulomb(0.4);
    mo_builder *builder = begin();
    for (int i = 0; i < count; ++i) {
        mo_builder_add_constraint(builder, 3, &law, q);
        mo_builder_add_coupling(builder, i, i, 3, 3, TWICE);
    }
    return builder;
}

static mo_problem *local(void)
{
    mo_builder *builder = begin_local(2);
    add_pair(builder, 0, 1, COUPLING, 1.0);
    return finish(builder);
}

/* Contacts 0 and 1 with an unsymmetric coupling; 2 and 3 tied rigidly, so that three rows of W are
 * spare. */
static mo_problem *islands(void)
{
    mo_builder *builder = begin_local(4);
    add_pair(builder, 0, 1, COUPLING, 0.9);
    add_pair(builder, 2, 3, TWICE, 1.0);
    return finish(builder);
}

static void write_document(const char *folder, const char *name, mo_document *document)
{
    char path[4096];
    mo_message why = {{0}};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (mo_fclib_write(path, document, &why)) stop(why.text);
}

static void write_problem(const char *folder, const char *name, mo_problem *problem)
{
    mo_document document = {.problem = problem};
    write_document(folder, name, &document);
    mo_problem_destroy(problem);
}

/* The block with what may stand beside it.  Its strings test the printing. */
static void write_known(const char *folder)
{
    char title[] = "a \"block\" on the \xC3\xA9tang\x1B[31m";
    char description[] = "first line\nsecond\tline \\ end";
    char math_info[] = "unique";
    double near_r[3] = {0.1, 0, 0}, far_r[3] = {5, 1, 1}, some_v[6] = {1, 2, 3, 4, 5, 6},
           some_u[3] = {0, 1, 0};
    mo_point guesses[2] = {{some_v, some_u, near_r}, {some_v, some_u, far_r}};
    mo_document document = {.problem = block(),
                            .title = title,
                            .description = description,
                            .math_info = math_info,
                            .guesses = guesses,
                            .guess_count = 2};
    mo_result result = {0};
    if (mo_solve(document.problem, NULL, &result) || result.status != MO_SOLVED)
        stop(result.message.text);
    document.solution = (mo_point){result.v, result.u, result.r};
    write_document(folder, "known.hdf5", &document);
    mo_result_clear(&result);
    mo_problem_destroy(document.problem);
}

int main(int argc, char **argv)
{
    if (argc != 2) stop("the call is: make_problem FOLDER");
    write_problem(argv[1], "block.hdf5", block());
    write_problem(argv[1], "rod.hdf5", rod(1));
    write_problem(argv[1], "short_rod.hdf5", rod(0.3));
    write_problem(argv[1], "stack.hdf5", stack(5, 1.0));
    write_problem(argv[1], "slow.hdf5", stack(300, 1e6));
    write_problem(argv[1], "local.hdf5", local());
    write_problem(argv[1], "islands.hdf5", islands());
    write_problem(argv[1], "joint.hdf5", joint(1));
    write_problem(argv[1], "joints.hdf5", joint(0));
    write_problem(argv[1], "fixed.hdf5", fixed());
    write_problem(argv[1], "empty.hdf5", empty());
    write_known(argv[1]);
    return 0;
}
