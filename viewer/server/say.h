/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A sentence for the page. */
#ifndef VIEWER_SAY_H
#define VIEWER_SAY_H

#include <stdarg.h>
#include <stdio.h>

#include "moreau/base.h"

MO_PRINTF(2, 3)
static inline mo_error view_fail(mo_message *why, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(why->text, sizeof why->text, format, values);
    va_end(values);
    return MO_ERR_ARGUMENT;
}

#endif
