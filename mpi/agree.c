/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Start and end of MPI and PETSc, and errors on which all ranks agree. */
#include <petscsys.h>
#include <stdio.h>
#include <sys/stat.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define LEAKS(call) __lsan_##call()
#else
#define LEAKS(call) (void)0
#endif

#include "base/error.h"
#include "spread.h"

static int has_begun; /* MPI and PETSc are one for a process by themselves */

mo_error mo_mpi_begin(int *argc, char ***argv)
{
    PetscBool is_there = PETSC_FALSE;
    (void)argc; /* PETSc's own options are not ours: none is read from the command line */
    (void)argv;
    PetscInitialized(&is_there);
    if (is_there) return MO_OK;
    static char program[] = "moreau", quiet[] = "-no_signal_handler", skip[] = "-skip_petscrc";
    static char *own[] = {program, quiet, skip, NULL};
    int count = 3;
    char **arguments = own;
    LEAKS(disable); /* what MPI loses as it starts is not ours */
    const PetscErrorCode code = PetscInitialize(&count, &arguments, NULL, NULL);
    LEAKS(enable);
    if (code) return MO_ERR_UNSUPPORTED;
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    has_begun = 1;
    return MO_OK;
}

void mo_mpi_end(void)
{
    if (has_begun) {
        LEAKS(do_leak_check); /* while MPI and PETSc hold what they do not free at their end */
        PetscPopErrorHandler();
        PetscFinalize();
        has_begun = 0;
    }
}

mo_error mo_mpi_check_target(const char *path, mo_message *why)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode)) return MO_OK;
    return mo_fail(why, MO_ERR_FILE, "%.300s: is %s; a file name is needed", path,
                   S_ISDIR(about.st_mode) ? "a directory" : "not a regular file");
}

uint64_t mo_mpi_hash(const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < count; ++k)
        hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    return hash;
}

int mo_mpi_all_equal(MPI_Comm comm, uint64_t number)
{
    uint64_t most[2] = {number, ~number};
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, comm);
    return most[0] == ~most[1];
}

/* Of its length, its beginning and its end; 0 if it is not a file that can be read. */
static uint64_t fingerprint(const char *path)
{
    char part[4096];
    uint64_t sum = 0;
    struct stat about;
    const int is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_file ? fopen(path, "rb") : NULL;
    if (!file) return 0;
    for (int at_end = 0; at_end < 2; ++at_end) {
        (void)fseek(file, at_end ? -(long)sizeof part : 0, at_end ? SEEK_END : SEEK_SET);
        sum = 3 * sum + mo_mpi_hash(part, fread(part, 1, sizeof part, file));
    }
    fclose(file);
    return sum + (uint64_t)about.st_size;
}

mo_error mo_mpi_check_source(MPI_Comm comm, const char *path, mo_message *why)
{
    const uint64_t own = fingerprint(path);
    uint64_t most = own;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
    return mo_mpi_all_equal(comm, own ? own : most)
               ? MO_OK
               : mo_fail(why, MO_ERR_FILE,
                         "%.300s: ranks see different files of this name: copy one to all machines",
                         path);
}

mo_error mo_mpi_agree(MPI_Comm comm, mo_error error, mo_message *why)
{
    struct {
        int error, rank;
    } own, worst;
    MPI_Comm_rank(comm, &own.rank);
    own.error = (int)error;
    MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MAXLOC, comm);
    if (worst.error && why) MPI_Bcast(why->text, (int)sizeof why->text, MPI_CHAR, worst.rank, comm);
    return (mo_error)worst.error;
}

mo_error mo_mpi_petsc_error(PetscErrorCode code, mo_message *why)
{
    const char *text = NULL;
    if (!code) return MO_OK;
    PetscErrorMessage(code, &text, NULL);
    return mo_fail(why, code == PETSC_ERR_MEM ? MO_ERR_MEMORY : MO_ERR_UNSUPPORTED,
                   "PETSc failed: %s", text ? text : "no reason is known");
}
