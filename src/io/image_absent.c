/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Without libpng. */
#include "base/error.h"
#include "io/image.h"

mo_error mo_image_read_grey(const char *bytes, size_t size, size_t most,
                            const mo_allocator *allocator, mo_image *image, mo_message *why)
{
    (void)bytes, (void)size, (void)most, (void)allocator;
    *image = (mo_image){0};
    return mo_fail(why, MO_ERR_UNSUPPORTED,
                   "this build cannot read images; build with libpng, or give MuJoCo's own format");
}
