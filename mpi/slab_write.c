/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An FCLIB file with a solution, written in slabs.
 *
 *   1. rank 0 copies the file of the problem and appends the vectors of /solution, contiguous and
 *      without values
 *   2. every rank writes its numbers by MPI
 *   3. rank 0 renames the file
 *
 * The parallel libhdf5 has the same names as the serial one, which the library uses, so a program
 * cannot link both.  Contiguous vectors need neither.
 */
#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "reduced.h"

enum { PATH = 4200, CHUNK = 1 << 20, VECTORS = 4, SPARE = 1 << 20 };

static mo_error fail_file(const char *path, const char *what, mo_message *why)
{
    return mo_fail(why, MO_ERR_FILE, "%.300s: %s", path, what);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* libhdf5 does not survive a disk that runs full, so that room is asked for first. */
static mo_error check_room(const char *to, FILE *in, double bytes, mo_message *why)
{
    char folder[PATH];
    struct statvfs disk;
    snprintf(folder, sizeof folder, "%.4096s", to);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = '\0';
    fseek(in, 0, SEEK_END);
    const double needed = (double)ftell(in) + bytes + SPARE;
    rewind(in);
    if (statvfs(slash ? folder : ".", &disk) == 0 &&
        needed > (double)disk.f_bavail * (double)disk.f_frsize)
        return fail_file(to, "the disk has no room for it", why);
    return MO_OK;
}

static mo_error copy_file(const char *from, const char *to, double more, mo_message *why)
{
    FILE *in = fopen(from, "rb");
    if (!in) return fail_file(from, strerror(errno), why);
    mo_error error = check_room(to, in, more, why);
    FILE *out = error ? NULL : fopen(to, "wb");
    char *chunk = malloc(CHUNK);
    if (!error && (!out || !chunk)) error = fail_file(to, strerror(errno), why);
    for (size_t count = 1; !error && count > 0;) {
        count = fread(chunk, 1, CHUNK, in);
        if (fwrite(chunk, 1, count, out) != count) error = fail_file(to, strerror(errno), why);
    }
    error = error || !ferror(in) ? error : fail_file(from, "it cannot be read", why);
    if (out && fclose(out) != 0 && !error) error = fail_file(to, strerror(errno), why);
    free(chunk);
    fclose(in);
    return error;
}

/* A vector that has its place from the start; returns where, or -1. */
static int64_t make_vector(hid_t group, const char *name, int64_t count)
{
    const hsize_t length = (hsize_t)count;
    const hid_t space = H5Screate_simple(1, &length, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    int64_t place = -1;
    if (space >= 0 && how >= 0 && H5Pset_layout(how, H5D_CONTIGUOUS) >= 0 &&
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0) {
        const hid_t vector =
            H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
        const haddr_t at = vector >= 0 ? H5Dget_offset(vector) : HADDR_UNDEF;
        place = at != HADDR_UNDEF ? (int64_t)at : count == 0 && vector >= 0 ? 0 : -1;
        if (vector >= 0) H5Dclose(vector);
    }
    H5Pclose(how);
    H5Sclose(space);
    return place;
}

/* /solution with v, u, r and l; an older one goes. */
static bool make_solution(const char *path, const int64_t count[VECTORS], int64_t place[VECTORS])
{
    static const char *const names[VECTORS] = {"v", "u", "r", "l"};
    H5E_auto2_t printer;
    void *printer_data;
    H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    bool good = file >= 0;
    if (good && H5Lexists(file, "/solution", H5P_DEFAULT) > 0)
        good = H5Ldelete(file, "/solution", H5P_DEFAULT) >= 0;
    const hid_t group =
        good ? H5Gcreate2(file, "/solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = group >= 0;
    for (int k = 0; good && k < VECTORS; ++k) {
        if (count[k] || k == 1 || k == 2) { /* v is of global problems, l of joints */
            place[k] = make_vector(group, names[k], count[k]);
            good = place[k] >= 0;
        }
    }
    if (group >= 0) H5Gclose(group);
    good = (file < 0 || H5Fclose(file) >= 0) && good;
    H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
    return good;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Runs of numbers of a rank: how many, where in the vector and where in memory. */
typedef struct run {
    int length;
    int64_t to;
    const double *from;
} run;

/* All ranks write their runs of a vector together. */
static bool write_vector(const mo_spread *s, MPI_File file, int64_t place, const run *runs,
                         int count)
{
    MPI_Aint *at = malloc(((size_t)count + 1) * sizeof *at);
    int *length = malloc(((size_t)count + 1) * sizeof *length), total = 0;
    for (int k = 0; k < count; ++k)
        total += runs[k].length;
    double *numbers = malloc(((size_t)total + 1) * sizeof *numbers), *next = numbers;
    bool good = !mo_mpi_agree(s->comm, at && length && numbers ? MO_OK : MO_ERR_MEMORY, NULL);
    if (good) {
        MPI_Datatype places;
        for (int k = 0; k < count; ++k) {
            at[k] = (MPI_Aint)(runs[k].to * (int64_t)sizeof *numbers);
            length[k] = runs[k].length;
            memcpy(next, runs[k].from, (size_t)runs[k].length * sizeof *next);
            next += runs[k].length;
        }
        MPI_Type_create_hindexed(count, length, at, MPI_DOUBLE, &places);
        MPI_Type_commit(&places);
        good =
            MPI_File_set_view(file, place, MPI_DOUBLE, places, "native", MPI_INFO_NULL) ==
                MPI_SUCCESS &&
            MPI_File_write_all(file, numbers, total, MPI_DOUBLE, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        MPI_Type_free(&places);
    }
    free(at);
    free(length);
    free(numbers);
    return good;
}

static int list_bodies(const mo_spread *s, const mo_result *result, run *runs)
{
    int count = 0;
    for (int b = 0; b < s->part->body_count; ++b) {
        if (s->body_rank[b] == s->rank) {
            runs[count++] =
                (run){mo_body_dim(s->part, b), s->dof_at[b], result->v + s->part->body_start[b]};
        }
    }
    return count;
}

/* Of contacts, or of joints.  The part of a reduced problem has all rows; a rank writes those that
 * it owns. */
static int list_rows(const mo_spread *s, const double *x, bool are_joints, run *runs)
{
    const mo_problem *part = s->part;
    const int64_t contact_rows = s->whole_rows - s->joint_rows;
    int count = 0;
    for (int i = 0; i < part->constraint_count; ++i) {
        const int64_t row = s->reduced ? part->row_start[i] : s->row_at[i];
        if ((!s->reduced || s->reduced->owner[i] == s->rank) &&
            (row >= contact_rows) == are_joints) {
            runs[count++] = (run){mo_constraint_dim(part, i), row - (are_joints ? contact_rows : 0),
                                  x + part->row_start[i]};
        }
    }
    return count;
}

static mo_error write_numbers(const mo_spread *s, const mo_result *result, const char *path,
                              const int64_t place[VECTORS], mo_message *why)
{
    const size_t most = (size_t)s->part->body_count + (size_t)s->part->constraint_count + 1;
    run *runs = malloc(most * sizeof *runs);
    MPI_File file;
    mo_error error = mo_mpi_agree(s->comm, runs ? MO_OK : mo_fail_memory(why), why);
    if (error) {
        free(runs);
        return error;
    }
    if (MPI_File_open(s->comm, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
        free(runs);
        return mo_mpi_agree(s->comm, fail_file(path, "it cannot be written", why), why);
    }
    bool good = s->reduced || write_vector(s, file, place[0], runs, list_bodies(s, result, runs));
    good = write_vector(s, file, place[1], runs, list_rows(s, result->u, false, runs)) && good;
    good = write_vector(s, file, place[2], runs, list_rows(s, result->r, false, runs)) && good;
    good = (!s->joint_rows ||
            write_vector(s, file, place[3], runs, list_rows(s, result->r, true, runs))) &&
           good;
    good = MPI_File_close(&file) == MPI_SUCCESS && good;
    free(runs);
    return mo_mpi_agree(s->comm, good ? MO_OK : fail_file(path, "it could not be written", why),
                        why);
}

mo_error mo_spread_write(const mo_spread *s, const mo_result *result, const char *from,
                         const char *to, mo_message *why)
{
    char beside[PATH];
    int64_t place[VECTORS] = {0};
    const int64_t contact_rows = s->whole_rows - s->joint_rows;
    const int64_t count[VECTORS] = {s->whole_dofs, contact_rows, contact_rows, s->joint_rows};
    mo_error error = MO_OK;
    if (!s->reduced && !s->row_at)
        return mo_fail(why, MO_ERR_UNSUPPORTED, "the problem was not read in slabs");
    snprintf(beside, sizeof beside, "%.4096s.part", to);
    if (s->rank == 0) {
        error = mo_mpi_check_target(to, why);
        error = error ? error
                      : copy_file(from, beside,
                                  8.0 * (double)(count[0] + 2 * contact_rows + count[3]), why);
        if (!error && !make_solution(beside, count, place))
            error = fail_file(beside, "HDF5 cannot add the solution", why);
    }
    error = mo_mpi_agree(s->comm, error, why);
    MPI_Bcast(place, VECTORS, MPI_INT64_T, 0, s->comm);
    error = error ? error : write_numbers(s, result, beside, place, why);
    if (!error && s->rank == 0 && rename(beside, to) != 0)
        error = fail_file(to, strerror(errno), why);
    error = mo_mpi_agree(s->comm, error, why);
    if (error && s->rank == 0) unlink(beside);
    return error;
}
