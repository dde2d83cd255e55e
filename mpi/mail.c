/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "mail.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "spread.h"

typedef struct mail {
    int *count, *start, *count_in, *start_in;
} mail;

/* How many come from whom; 0 if there is no room, or more than an int counts. */
static int address(MPI_Comm comm, int size, const int *count, mail *m, int *total)
{
    long long sum = 0, sum_in = 0;
    m->count = calloc(4 * (size_t)size + 4, sizeof *m->count);
    *total = 0;
    if (!m->count) return 0;
    m->start = m->count + size;
    m->count_in = m->start + size;
    m->start_in = m->count_in + size;
    memcpy(m->count, count, (size_t)size * sizeof *count);
    MPI_Alltoall(m->count, 1, MPI_INT, m->count_in, 1, MPI_INT, comm);
    for (int k = 0; k < size; ++k) {
        m->start[k] = (int)sum;
        m->start_in[k] = (int)sum_in;
        sum += m->count[k];
        sum_in += m->count_in[k];
        if (sum > INT_MAX || sum_in > INT_MAX) return 0;
    }
    *total = (int)sum_in;
    return 1;
}

mo_error mo_mail(MPI_Comm comm, size_t bytes, const int *count, const void *out, void **in,
                 int *in_count, int *from)
{
    mail m = {0};
    int size, total = 0;
    MPI_Datatype record;
    MPI_Comm_size(comm, &size);
    const int has_room = address(comm, size, count, &m, &total);
    *in = malloc((size_t)total * bytes + 1);
    *in_count = total;
    const mo_error error = mo_mpi_agree(comm, has_room && *in ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        MPI_Type_contiguous((int)bytes, MPI_BYTE, &record);
        MPI_Type_commit(&record);
        MPI_Alltoallv(out, m.count, m.start, record, *in, m.count_in, m.start_in, record, comm);
        MPI_Type_free(&record);
        if (from) memcpy(from, m.count_in, (size_t)size * sizeof *from);
    } else {
        free(*in);
        *in = NULL;
    }
    free(m.count);
    return error;
}

/* Places of records that are sorted by rank: where those of each rank begin. */
static int *begin_of(int size, int count, const int *rank_of, const size_t *start, int *counts)
{
    int *next = calloc((size_t)size + 1, sizeof *next);
    for (int k = 0; next && k < count; ++k)
        counts[rank_of[k]] += start ? (int)(start[k + 1] - start[k]) : 1;
    for (int rank = 1; next && rank < size; ++rank)
        next[rank] = next[rank - 1] + counts[rank - 1];
    return next;
}

mo_error mo_mail_to(MPI_Comm comm, size_t bytes, int count, const int *rank_of, const void *records,
                    void **in, int *in_count, int *from)
{
    int size;
    MPI_Comm_size(comm, &size);
    int *counts = calloc((size_t)size + 1, sizeof *counts);
    char *out = malloc(bytes * ((size_t)count + 1));
    int *next = counts ? begin_of(size, count, rank_of, NULL, counts) : NULL;
    mo_error error = mo_mpi_agree(comm, out && next ? MO_OK : MO_ERR_MEMORY, NULL);
    *in = NULL;
    *in_count = 0;
    if (!error) {
        for (int k = 0; k < count; ++k) {
            memcpy(out + bytes * (size_t)next[rank_of[k]]++,
                   (const char *)records + bytes * (size_t)k, bytes);
        }
        error = mo_mail(comm, bytes, counts, out, in, in_count, from);
    }
    free(counts);
    free(next);
    free(out);
    return error;
}

mo_error mo_mail_all(MPI_Comm comm, size_t bytes, int count, const void *out, void **in,
                     int *in_count)
{
    int size;
    MPI_Comm_size(comm, &size);
    int *counts = calloc(2 * (size_t)size, sizeof *counts), *start = counts + size;
    mo_error error = mo_mpi_agree(comm, counts ? MO_OK : MO_ERR_MEMORY, NULL);
    *in = NULL;
    if (!error) {
        int64_t total = count;
        MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm);
        MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, comm);
        *in = total <= INT_MAX ? malloc((size_t)total * bytes + 1) : NULL;
        *in_count = (int)total;
        error = mo_mpi_agree(comm, *in ? MO_OK : MO_ERR_MEMORY, NULL);
    }
    if (!error) {
        MPI_Datatype record;
        for (int rank = 1; rank < size; ++rank)
            start[rank] = start[rank - 1] + counts[rank - 1];
        MPI_Type_contiguous((int)bytes, MPI_BYTE, &record);
        MPI_Type_commit(&record);
        MPI_Allgatherv(out, count, record, *in, counts, start, record, comm);
        MPI_Type_free(&record);
    }
    free(counts);
    return error;
}

mo_error mo_mail_numbers(MPI_Comm comm, int count, const int *rank_of, const size_t *start,
                         const double *numbers, double **in, size_t *in_numbers)
{
    int size, total = 0;
    void *came = NULL;
    MPI_Comm_size(comm, &size);
    const int fits = start[count] <= INT_MAX;
    int *counts = calloc((size_t)size + 1, sizeof *counts);
    double *out = malloc((start[count] + 1) * sizeof *out);
    int *next = counts && fits ? begin_of(size, count, rank_of, start, counts) : NULL;
    mo_error error = mo_mpi_agree(comm, out && next ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        for (int k = 0; k < count; ++k) {
            const size_t length = start[k + 1] - start[k];
            memcpy(out + next[rank_of[k]], numbers + start[k], length * sizeof *out);
            next[rank_of[k]] += (int)length;
        }
        error = mo_mail(comm, sizeof *out, counts, out, &came, &total, NULL);
    }
    *in = came;
    *in_numbers = (size_t)total;
    free(counts);
    free(next);
    free(out);
    return error;
}
