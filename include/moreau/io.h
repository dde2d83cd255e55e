/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Files.  FCLIB (HDF5): a problem in global, local, or rolling form, with a solution and any number
 * of guesses.  Files are untrusted: whatever is in them, the answer is data or a sentence.  Writing
 * goes to a temporary file beside the target that is renamed at the end: a file is whole or
 * untouched.
 */
#ifndef MOREAU_IO_H
#define MOREAU_IO_H

#include "moreau/base.h"
#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A solution or a guess of a problem, in the problem's own order of rows (joints included). */
typedef struct mo_point {
    double *v; /* dof_count entries, or NULL */
    double *u; /* row_count entries, or NULL */
    double *r; /* row_count entries, or NULL */
} mo_point;

/* What FCLIB keeps beside a matrix: statements of the writer of the file, which are not checked.
 */
typedef struct mo_matrix_facts {
    char matrix; /* 'M', 'H', 'G', 'W', 'V' or 'R'; 0: no facts */
    char *comment;
    double conditioning, determinant;
    int rank;
} mo_matrix_facts;

enum { MO_DOCUMENT_MATRICES = 3 };

/* A problem with what a file says beside it.  Start from {0}; strings may be NULL. */
typedef struct mo_document {
    mo_problem *problem;
    char *title;
    char *description;
    char *math_info; /* known properties, in words */
    char *notes;     /* what the reader had to interpret, one sentence a line; not written */
    mo_matrix_facts facts[MO_DOCUMENT_MATRICES]; /* in any order */
    mo_point solution;                           /* all NULL where there is none */
    mo_point *guesses;
    int guess_count;

    mo_allocator allocator; /* of everything in it; set by the reader */
} mo_document;

MO_API void mo_document_clear(mo_document *document);

MO_API mo_error mo_fclib_read(const char *path, const mo_allocator *allocator,
                              mo_document *document, mo_message *why);

MO_API mo_error mo_fclib_write(const char *path, const mo_document *document, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
