/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Checkpoints of a heap: a header, all bodies, and all impulses of the last step, in the byte order
 * of the machine.  Every rank writes its part of one file by MPI under a temporary name; rank 0
 * renames it once all have closed it, so a run that dies leaves the last checkpoint intact.  A full
 * disk ends the run with an error, the last checkpoint intact.
 */
#define _XOPEN_SOURCE 700 /* posix_fallocate */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "heap.h"
#include "spread.h"

static const char MAGIC[16] = "moreau heap 7\n";
enum { CHUNK = 1 << 16 }; /* impulses that are read at a time */

typedef struct head {
    char magic[16];
    mo_heap_def def;
    int64_t step, bodies, impulses;
    uint64_t checksum; /* of all records, whatever their order, and of the head with 0 here */
} head;

/* FNV-1a of each record, added. */
static uint64_t checksum_of(const void *records, size_t bytes, size_t count)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < count; ++k)
        sum += mo_mpi_hash((const char *)records + bytes * k, bytes);
    return sum;
}

/* ---- writing -------------------------------------------------------------------------------- */

static mo_error fail_file(const char *path, const char *what, mo_message *why)
{
    return mo_fail(why, MO_ERR_FILE, "%.300s: %s", path, what);
}

/* This rank's share of a section of the file, all ranks together. */
static int write_part(MPI_File file, MPI_Comm comm, MPI_Offset section, size_t bytes, int count,
                      const void *data)
{
    int64_t own = count, before = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Exscan(&own, &before, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Datatype record;
    MPI_Status status;
    int written = 0;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &record);
    MPI_Type_commit(&record);
    const int code = MPI_File_write_at_all(file, section + (rank ? before : 0) * (MPI_Offset)bytes,
                                           data, count, record, &status);
    MPI_Get_count(&status, record, &written);
    MPI_Type_free(&record);
    return code == MPI_SUCCESS && written == count;
}

static head head_of(const mo_heap *heap)
{
    int64_t own[2] = {heap->count, heap->impulse_count}, all[2];
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, heap->comm);
    h.def = heap->def;
    h.step = heap->step;
    h.bodies = all[0];
    h.impulses = all[1];
    uint64_t sum = checksum_of(heap->own, sizeof *heap->own, (size_t)heap->count) +
                   checksum_of(heap->impulse, sizeof *heap->impulse, (size_t)heap->impulse_count);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, heap->comm);
    h.checksum = sum + checksum_of(&h, sizeof h, 1);
    return h;
}

static int write_all(const mo_heap *heap, const head *h, MPI_File file)
{
    const MPI_Offset bodies = sizeof *h,
                     impulses = bodies + h->bodies * (MPI_Offset)sizeof *heap->own;
    int good = write_part(file, heap->comm, 0, sizeof *h, heap->rank == 0, h);
    good &= write_part(file, heap->comm, bodies, sizeof *heap->own, heap->count, heap->own);
    good &= write_part(file, heap->comm, impulses, sizeof *heap->impulse, heap->impulse_count,
                       heap->impulse);
    return good & (MPI_File_sync(file) == MPI_SUCCESS);
}

/* An empty file with room on the disk: on a full one rank 0 fails here, before all ranks write
 * together, where one that fails leaves the others waiting. */
static mo_error reserve(const char *path, const head *h, mo_message *why)
{
    const off_t bytes = (off_t)(sizeof *h + (size_t)h->bodies * sizeof(mo_heap_body) +
                                (size_t)h->impulses * sizeof(mo_heap_impulse));
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    int code = file < 0 ? errno : posix_fallocate(file, 0, bytes);
    code = code == EOPNOTSUPP || code == EINVAL ? 0 : code; /* not every file system has this */
    if (file >= 0 && close(file) != 0 && !code) code = errno;
    return code ? fail_file(path, strerror(code), why) : MO_OK;
}

static mo_error write_beside(const mo_heap *heap, const char *beside, mo_message *why)
{
    const head h = head_of(heap);
    MPI_File file;
    mo_error error = heap->rank == 0 ? reserve(beside, &h, why) : MO_OK;
    error = mo_mpi_agree(heap->comm, error, why);
    if (error) return error;
    if (MPI_File_open(heap->comm, beside, MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS)
        return mo_mpi_agree(heap->comm, fail_file(beside, "it cannot be written", why), why);
    if (!write_all(heap, &h, file)) error = fail_file(beside, "it could not be written", why);
    if (MPI_File_close(&file) != MPI_SUCCESS)
        error = fail_file(beside, "it could not be closed", why);
    return mo_mpi_agree(heap->comm, error, why);
}

mo_error mo_heap_save(const mo_heap *heap, const char *path, mo_message *why)
{
    char beside[4200];
    snprintf(beside, sizeof beside, "%.4096s.part", path);
    mo_error error = mo_mpi_agree(heap->comm, mo_mpi_check_target(path, why), why);
    if (error) return error;
    error = write_beside(heap, beside, why);
    if (!error && heap->rank == 0 && rename(beside, path) != 0)
        error = fail_file(path, strerror(errno), why);
    error = mo_mpi_agree(heap->comm, error, why);
    if (error && heap->rank == 0) unlink(beside);
    return error;
}

/* ---- reading -------------------------------------------------------------------------------- */

static mo_error read_head(FILE *file, const char *path, head *h, mo_message *why)
{
    if (fread(h, sizeof *h, 1, file) != 1 || memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        return mo_fail(why, MO_ERR_FORMAT, "%.300s: it is not a checkpoint of a heap", path);
    fseek(file, 0, SEEK_END);
    const double expected = (double)sizeof *h + (double)h->bodies * sizeof(mo_heap_body) +
                            (double)h->impulses * sizeof(mo_heap_impulse);
    if (h->bodies != h->def.count || h->impulses < 0 || h->step < 0 ||
        expected != (double)ftell(file))
        return mo_fail(why, MO_ERR_FORMAT, "%.300s: it is cut short or damaged", path);
    return MO_OK;
}

static mo_error check_body(const mo_heap_body *body, const char *path, int64_t count,
                           mo_message *why)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += body->at[k] + body->v[k] + body->spin[k] + body->turn[k];
    return isfinite(sum + body->turn[3]) && body->id < count
               ? MO_OK
               : mo_fail(why, MO_ERR_FORMAT, "%.300s: a body is damaged", path);
}

/* This rank's share of the bodies, by rising id. */
static mo_error read_bodies(FILE *file, const char *path, const head *h, int64_t begin, int count,
                            mo_heap *heap, uint64_t *sum, mo_message *why)
{
    const long place = (long)sizeof *h + (long)(begin * (int64_t)sizeof *heap->own);
    mo_error error = MO_OK;
    if (fseek(file, place, SEEK_SET) ||
        fread(heap->own, sizeof *heap->own, (size_t)count, file) != (size_t)count)
        return fail_file(path, "its bodies cannot be read", why);
    heap->count = count;
    *sum += checksum_of(heap->own, sizeof *heap->own, (size_t)count);
    for (int b = 0; b < count && !error; ++b) {
        error = check_body(heap->own + b, path, h->bodies, why);
        heap->own[b].rank = heap->rank;
    }
    qsort(heap->own, (size_t)count, sizeof *heap->own, mo_heap_by_id);
    return error;
}

static int is_own(const mo_heap *heap, uint32_t id)
{
    const mo_heap_body key = {.id = id};
    return bsearch(&key, heap->own, (size_t)heap->count, sizeof key, mo_heap_by_id) != NULL;
}

/* Impulses of contacts that belong to this rank's bodies; all are read, some at a time. */
static mo_error read_impulses(FILE *file, const char *path, const head *h, mo_heap *heap,
                              uint64_t *sum, mo_message *why)
{
    mo_heap_impulse *chunk = malloc(CHUNK * sizeof *chunk);
    mo_error error = chunk ? MO_OK : mo_fail_memory(why);
    fseek(file, (long)sizeof *h + (long)(h->bodies * (int64_t)sizeof *heap->own), SEEK_SET);
    for (int64_t at = 0; at < h->impulses && !error; at += CHUNK) {
        const size_t count = (size_t)(h->impulses - at < CHUNK ? h->impulses - at : CHUNK);
        mo_heap_impulse *more =
            realloc(heap->impulse, ((size_t)heap->impulse_count + count + 1) * sizeof *more);
        heap->impulse = more ? more : heap->impulse;
        if (!more || fread(chunk, sizeof *chunk, count, file) != count) {
            error =
                more ? fail_file(path, "its impulses cannot be read", why) : mo_fail_memory(why);
            break;
        }
        *sum += heap->rank == 0 ? checksum_of(chunk, sizeof *chunk, count) : 0;
        for (size_t k = 0; k < count; ++k)
            if (is_own(heap, mo_heap_key_owner(chunk[k].key)))
                heap->impulse[heap->impulse_count++] = chunk[k];
    }
    qsort(heap->impulse, (size_t)heap->impulse_count, sizeof *heap->impulse, mo_heap_by_key);
    free(chunk);
    return error;
}

/* Is all that the ranks have read what was written? */
static mo_error check_sum(mo_heap *heap, head *h, uint64_t sum, const char *path, mo_message *why)
{
    const uint64_t written = h->checksum;
    h->checksum = 0;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, heap->comm);
    return sum + checksum_of(h, sizeof *h, 1) == written
               ? MO_OK
               : mo_fail(why, MO_ERR_FORMAT, "%.300s: it is damaged: its checksum is wrong", path);
}

static mo_error read_all(FILE *file, const char *path, head *h, mo_heap *heap, mo_message *why)
{
    const int64_t begin = h->bodies * heap->rank / heap->size,
                  end = h->bodies * (heap->rank + 1) / heap->size;
    uint64_t sum = 0;
    mo_error error = read_bodies(file, path, h, begin, (int)(end - begin), heap, &sum, why);
    error = error ? error : read_impulses(file, path, h, heap, &sum, why);
    error = mo_mpi_agree(heap->comm, error, why);
    heap->step = h->step;
    error = error ? error : check_sum(heap, h, sum, path, why);
    error = error ? error : mo_heap_balance(heap, why);
    return error ? error : mo_heap_migrate(heap, why);
}

mo_error mo_heap_load(MPI_Comm comm, const char *path, mo_heap **out, mo_message *why)
{
    head h;
    int rank, size;
    *out = NULL;
    MO_TRY(mo_mpi_check_source(comm, path, why));
    FILE *file = fopen(path, "rb");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mo_error error = file ? read_head(file, path, &h, why) : fail_file(path, strerror(errno), why);
    error = mo_mpi_agree(comm, error, why);
    if (!error) {
        const int64_t begin = h.bodies * rank / size, end = h.bodies * (rank + 1) / size;
        error = mo_heap_begin(comm, &h.def, (int)(end - begin), out, why);
        error = error ? error : read_all(file, path, &h, *out, why);
    }
    if (file) fclose(file);
    if (error) {
        mo_heap_destroy(*out);
        *out = NULL;
    }
    return error;
}
