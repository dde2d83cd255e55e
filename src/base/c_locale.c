/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#define _POSIX_C_SOURCE 200809L
#include "base/c_locale.h"

#include <locale.h>
#include <stddef.h>

mo_c_locale mo_c_locale_begin(void)
{
    mo_c_locale locale = {.own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)};
    if (locale.own) locale.before = uselocale((locale_t)locale.own);
    return locale;
}

void mo_c_locale_end(mo_c_locale *locale)
{
    if (locale->own) {
        uselocale((locale_t)locale->before);
        freelocale((locale_t)locale->own);
    }
    *locale = (mo_c_locale){NULL, NULL};
}
