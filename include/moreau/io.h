/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * FCLIB files (HDF5): a problem in global, local or rolling form, with a solution and any number of
 * guesses.  Files are untrusted input: reading returns data or an error message.  Writing creates a
 * temporary file and renames it at the end, so a file is never half written.
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

/* Metadata of a matrix in FCLIB: statements of the author of the file, not checked. */
typedef struct mo_matrix_facts {
    char matrix; /* 'M', 'H', 'G', 'W', 'V' or 'R'; 0: no facts */
    char *comment;
    double conditioning, determinant;
    int rank;
} mo_matrix_facts;

enum { MO_DOCUMENT_MATRICES = 3 };

/* A problem with its metadata.  Initialise with {0}; strings may be NULL. */
typedef struct mo_document {
    mo_problem *problem;
    char *title;
    char *description;
    char *math_info; /* known properties, in words */
    char *notes; /* how ambiguous contents were interpreted, one sentence per line; not written */
    mo_matrix_facts facts[MO_DOCUMENT_MATRICES]; /* in any order */
    mo_point solution;                           /* all NULL if there is none */
    mo_point *guesses;
    int guess_count;

    mo_allocator allocator; /* of all arrays above; set by the reader */
} mo_document;

MO_API void mo_document_clear(mo_document *document);

MO_API mo_error mo_fclib_read(const char *path, const mo_allocator *allocator,
                              mo_document *document, mo_message *why);

MO_API mo_error mo_fclib_write(const char *path, const mo_document *document, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
