/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Chunked storage, for the guard. */
#ifndef MO_IO_HDF5_CHUNKS_H
#define MO_IO_HDF5_CHUNKS_H

#include "io/hdf5_parse.h"

/* Are all chunks of a vector there, each of the right size once its filters are undone? */
bool mo_guard_check_chunks(mo_guard *guard, const mo_guard_message *layout,
                           const mo_guard_message *filters, mo_guard_dataset *dataset);

#endif
