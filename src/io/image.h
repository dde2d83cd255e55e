/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Images from memory, by libpng (image.c); without libpng an error message (image_absent.c). */
#ifndef MO_IO_IMAGE_H
#define MO_IO_IMAGE_H

#include "moreau/base.h"

typedef struct mo_image {
    int width, height;
    unsigned char *grey; /* row by row from above */
} mo_image;

/* The brightness of a PNG image of at most `most` pixels. */
mo_error mo_image_read_grey(const char *bytes, size_t size, size_t most,
                            const mo_allocator *allocator, mo_image *image, mo_message *why);

#endif
