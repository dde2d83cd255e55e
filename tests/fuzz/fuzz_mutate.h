/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Mutations that know a little of what they change: bytes, numbers in binary files, elements and
 * attributes of XML, words of a command line or of JSON.
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

typedef enum fuzz_kind {
    FUZZ_RAW,    /* bytes */
    FUZZ_BINARY, /* bytes, and aligned ints and doubles */
    FUZZ_HDF5,   /* bytes, with checksums mended */
    FUZZ_XML,    /* bytes, elements, attributes */
    FUZZ_TEXT    /* bytes, and words */
} fuzz_kind;

/* Changes data[0 .. size) in place, with room for `room` bytes; the new size. */
size_t fuzz_change(fuzz_kind kind, uint8_t *data, size_t size, size_t room, mo_random *random);

#endif
