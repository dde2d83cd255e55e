/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MO_STRINGIFY_(x) #x
#define MO_STRINGIFY(x) MO_STRINGIFY_(x)

const char *mo_version(void)
{
    return MO_STRINGIFY(MO_VERSION_MAJOR) "." MO_STRINGIFY(MO_VERSION_MINOR) "." MO_STRINGIFY(
        MO_VERSION_PATCH);
}

#define MO_ENUM_TEXT(name, text) text,
MO_NAMES(mo_error_text, mo_error, "unknown error", MO_ERROR_LIST(MO_ENUM_TEXT))

MO_PRINTF(2, 0) static void fill(mo_message *message, const char *format, va_list values)
{
    if (message) vsnprintf(message->text, sizeof message->text, format, values);
}

void mo_say(mo_message *message, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fill(message, format, values);
    va_end(values);
}

mo_error mo_fail(mo_message *why, mo_error code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fill(why, format, values);
    va_end(values);
    return code;
}

mo_error mo_fail_memory(mo_message *why)
{
    return mo_fail(why, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY));
}

bool mo_is_memory_message(const mo_message *why)
{
    return strcmp(why->text, mo_error_text(MO_ERR_MEMORY)) == 0;
}

mo_error mo_fail_null(mo_message *why, const char *function, const char *pointers)
{
    return mo_fail(why, MO_ERR_ARGUMENT, "%s: NULL where it needs %s", function, pointers);
}
