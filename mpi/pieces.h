/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Bodies and constraints in transit to their ranks.
 *
 * A piece is a record of numbers; every body and constraint of a problem is a piece of some rank:
 *
 *   body         id, n, symmetric or not, offset in v, M (n x n), f (n)
 *   constraint   id, d, offset in r, law (6 numbers), w (d), number of bodies,
 *                then for each body its id, n and the Jacobian (d x n)
 *
 * The home of a body is the rank whose range of ids contains it.  Homes know the neighbours of
 * their bodies, and PT-Scotch partitions that graph, with 1 + the number of constraints as weight.
 * Constraints go to the owner of their first body; those of a body with many constraints (HUB) all
 * go to rank 0, since the rest colour must be on one rank.
 */
#ifndef MOREAU_MPI_PIECES_H
#define MOREAU_MPI_PIECES_H

#include "spread.h"

/* Numbers before M of a body, before w of a constraint, before the Jacobian of each body of it. */
enum { MO_PIECE_BODY = 4, MO_PIECE_W = 9, MO_PIECE_BLOCK = 2 };

typedef struct mo_piece_list {
    int count;
    size_t *start;   /* of each, and the end */
    double *numbers; /* NULL: only counted so far */
    size_t room_count, room_numbers;
} mo_piece_list;

typedef struct mo_pieces {
    int64_t body_total;
    int64_t rows, dofs; /* of the whole */
    mo_piece_list bodies, constraints;
} mo_pieces;

/* Adds a piece of so many numbers; NULL if memory runs out. */
double *mo_piece_add(mo_piece_list *list, size_t numbers);
void mo_piece_list_clear(mo_piece_list *list);
void mo_pieces_clear(mo_pieces *pieces);

/* Numbers of a constraint with blocks of so many values in all, and its start; returns where its
 * number of bodies belongs. */
size_t mo_piece_constraint_size(int d, const mo_law *law, int blocks, size_t values);
double *mo_piece_begin_constraint(double *piece, int64_t id, int d, int64_t place,
                                  const mo_law *law, const double *w);

/* Numbers of a body, and of a constraint, by their records. */
size_t mo_piece_body_length(const double *piece);
size_t mo_piece_constraint_length(const double *piece);

/* The law of a constraint, whose arrays lie in the piece, and where its number of bodies is; its w
 * begins at MO_PIECE_W. */
const double *mo_piece_law(const double *piece, mo_law *law);

/* Deals the pieces of all ranks. */
mo_error mo_pieces_deal(MPI_Comm comm, const mo_pieces *pieces, mo_spread **spread,
                        mo_message *why);

#endif
