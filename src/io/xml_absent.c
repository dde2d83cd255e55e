/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Replaces xml.c in a library built without libxml2. */
#include "base/error.h"
#include "io/xml.h"

mo_error mo_xml_read(const char *path, const char *file, mo_pool *pool, int *elements,
                     mo_xml_node **root, mo_message *why)
{
    (void)path;
    (void)pool;
    (void)elements;
    *root = NULL;
    return mo_fail(why, MO_ERR_UNSUPPORTED,
                   "%.200s cannot be read: this library was built without libxml2, which MJCF and"
                   " URDF files need; build it with -D MOREAU_XML=ON",
                   file[0] ? file : "the file");
}
