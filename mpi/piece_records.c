/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The records of pieces.h: lists of them, how they are written and read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pieces.h"

enum { HEAD = 3, LAW = MO_PIECE_W - HEAD };
enum { HAS_BOUNDS = 1, HAS_COMPLIANCE = 2, HAS_DIRECTION = 4 };

double *mo_piece_add(mo_piece_list *list, size_t numbers)
{
    const size_t used = list->count ? list->start[list->count] : 0;
    if ((size_t)list->count + 2 > list->room_count) {
        const size_t room = 2 * (size_t)list->count + 64;
        size_t *start = realloc(list->start, room * sizeof *start);
        if (!start) return NULL;
        list->start = start;
        list->room_count = room;
    }
    if (used + numbers > list->room_numbers || !list->numbers) {
        const size_t room = used + used / 2 + numbers + 1024;
        double *more = realloc(list->numbers, room * sizeof *more);
        if (!more) return NULL;
        list->numbers = more;
        list->room_numbers = room;
    }
    list->start[list->count] = used;
    list->start[++list->count] = used + numbers;
    return list->numbers + used;
}

void mo_piece_list_clear(mo_piece_list *list)
{
    free(list->start);
    free(list->numbers);
    *list = (mo_piece_list){0};
}

void mo_pieces_clear(mo_pieces *pieces)
{
    mo_piece_list_clear(&pieces->bodies);
    mo_piece_list_clear(&pieces->constraints);
}

static int arrays_of(const mo_law *law)
{
    return (law->lower ? HAS_BOUNDS : 0) | (law->compliance ? HAS_COMPLIANCE : 0) |
           (law->direction ? HAS_DIRECTION : 0);
}

static size_t numbers_of_arrays(int arrays, int d)
{
    return (size_t)d * (size_t)((arrays & HAS_BOUNDS ? 2 : 0) + (arrays & HAS_COMPLIANCE ? 1 : 0) +
                                (arrays & HAS_DIRECTION ? 1 : 0));
}

size_t mo_piece_constraint_size(int d, const mo_law *law, int blocks, size_t values)
{
    return HEAD + LAW + (size_t)d + numbers_of_arrays(arrays_of(law), d) + 1 +
           MO_PIECE_BLOCK * (size_t)blocks + values;
}

static double *put(double *at, int count, const double *from)
{
    memcpy(at, from, (size_t)count * sizeof *at);
    return at + count;
}

double *mo_piece_begin_constraint(double *piece, int64_t id, int d, int64_t place,
                                  const mo_law *law, const double *w)
{
    const int arrays = arrays_of(law);
    const double head[HEAD + LAW] = {(double)id,        d,           (double)place,
                                     (double)law->kind, law->mu,     law->mu_rolling,
                                     law->mu_torsion,   law->facets, arrays};
    double *at = put(put(piece, HEAD + LAW, head), d, w);
    at = arrays & HAS_BOUNDS ? put(put(at, d, law->lower), d, law->upper) : at;
    at = arrays & HAS_COMPLIANCE ? put(at, d, law->compliance) : at;
    if (arrays & HAS_DIRECTION) {
        at[d - 1] = 0; /* d - 1 numbers */
        put(at, d - 1, law->direction);
        at += d;
    }
    return at;
}

const double *mo_piece_law(const double *piece, mo_law *law)
{
    const int d = (int)piece[1], arrays = (int)piece[HEAD + 5];
    const double *law_of = piece + HEAD, *at = piece + HEAD + LAW + d;
    *law = (mo_law){.kind = (mo_law_kind)law_of[0],
                    .mu = law_of[1],
                    .mu_rolling = law_of[2],
                    .mu_torsion = law_of[3],
                    .facets = (int)law_of[4]};
    if (arrays & HAS_BOUNDS) {
        law->lower = at;
        law->upper = at + d;
        at += 2 * d;
    }
    if (arrays & HAS_COMPLIANCE) {
        law->compliance = at;
        at += d;
    }
    if (arrays & HAS_DIRECTION) {
        law->direction = at;
        at += d;
    }
    return at;
}

size_t mo_piece_body_length(const double *piece)
{
    const size_t n = (size_t)piece[1];
    return MO_PIECE_BODY + n * n + n;
}

size_t mo_piece_constraint_length(const double *piece)
{
    mo_law law;
    const double *at = mo_piece_law(piece, &law), *end = at + 1;
    for (int k = 0; k < (int)at[0]; ++k)
        end += MO_PIECE_BLOCK + (size_t)piece[1] * (size_t)end[1];
    return (size_t)(end - piece);
}
