/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* How the fuzzer damages HDF5 files: by bytes, and by the means of HDF5. */
#ifndef TESTS_FUZZ_EDIT_H
#define TESTS_FUZZ_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

typedef struct fuzz_bytes {
    uint8_t *data;
    size_t size;
} fuzz_bytes;

bool fuzz_load(const char *path, fuzz_bytes *bytes);
bool fuzz_save(const char *path, const uint8_t *data, size_t size);

/* Other ways to store the same problem. */
typedef enum fuzz_form {
    FUZZ_CHUNKED,    /* in chunks of three */
    FUZZ_COMPRESSED, /* in chunks, with shuffle, deflate, checksums */
    FUZZ_BIG_ENDIAN, /* and integers of 64 bits */
    FUZZ_NEWEST,     /* object headers of version 2 */
    FUZZ_COMPACT,    /* values in the object headers */
    FUZZ_FORMS
} fuzz_form;

bool fuzz_rewrite(const char *from, const char *to, fuzz_form form);

/* A damaged copy of `seed`; `other` is there to be spliced in, `scratch` a path to be used. */
fuzz_bytes fuzz_mutate(const fuzz_bytes *seed, const fuzz_bytes *other, mo_random *random,
                       const char *scratch);

/* Both ways alone, in place; the new size.  Edits are for sound files, which HDF5 itself bears. */
size_t fuzz_change_hdf5(uint8_t *data, size_t size, mo_random *random);
size_t fuzz_edit_hdf5(uint8_t *data, size_t size, size_t room, mo_random *random);

/* Checksums of the newest format, as they should be. */
void fuzz_mend_checksums(fuzz_bytes *f);

/* Reads all that an FCLIB reader would, by libhdf5 alone.  True where something was read. */
bool fuzz_read_bare(const char *path);

#endif
