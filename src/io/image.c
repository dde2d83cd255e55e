/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* All calls of libpng. */
#include "io/image.h"

#include <png.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

mo_error mo_image_read_grey(const char *bytes, size_t size, size_t most,
                            const mo_allocator *allocator, mo_image *image, mo_message *why)
{
    png_image png;
    *image = (mo_image){0};
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    MO_FAIL_IF(!png_image_begin_read_from_memory(&png, bytes, size),
               mo_fail(why, MO_ERR_FORMAT, "not a PNG image: %.60s", png.message));
    if ((size_t)png.width * png.height > most) {
        const unsigned width = png.width, height = png.height;
        png_image_free(&png);
        return mo_fail(why, MO_ERR_UNSUPPORTED, "the image has %u times %u pixels, more than %zu",
                       width, height, most);
    }
    png.format = PNG_FORMAT_GRAY;
    image->width = (int)png.width;
    image->height = (int)png.height;
    image->grey = mo_memory_array(allocator, PNG_IMAGE_SIZE(png), 1);
    if (!image->grey) {
        png_image_free(&png);
        return mo_fail_memory(why);
    }
    memset(image->grey, 0, PNG_IMAGE_SIZE(png)); /* transparent pixels are black */
    if (!png_image_finish_read(&png, NULL, image->grey, 0, NULL)) {
        mo_memory_free(allocator, image->grey);
        *image = (mo_image){0};
        return mo_fail(why, MO_ERR_FORMAT, "incomplete PNG image: %.60s", png.message);
    }
    return MO_OK;
}
