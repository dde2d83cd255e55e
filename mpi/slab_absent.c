/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Replaces the reading of FCLIB files in slabs in a library built without HDF5. */
#include "base/error.h"
#include "moreau/mpi.h"

static mo_error fail(mo_message *why)
{
    return mo_fail(why, MO_ERR_UNSUPPORTED, "this library was built without HDF5");
}

mo_error mo_spread_read(MPI_Comm comm, const char *path, mo_spread **spread, mo_message *why)
{
    (void)comm;
    (void)path;
    *spread = NULL;
    return fail(why);
}

mo_error mo_spread_write(const mo_spread *spread, const mo_result *result, const char *from,
                         const char *to, mo_message *why)
{
    (void)spread;
    (void)result;
    (void)from;
    (void)to;
    return fail(why);
}
