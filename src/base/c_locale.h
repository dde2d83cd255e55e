/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Numbers as in the C locale, in this thread, between begin and end: files and options have a
 * decimal point whatever locale the host program has set.
 */
#ifndef MO_BASE_C_LOCALE_H
#define MO_BASE_C_LOCALE_H

typedef struct mo_c_locale {
    void *own, *before; /* NULL where memory ran out: the host's locale stays */
} mo_c_locale;

mo_c_locale mo_c_locale_begin(void);
void mo_c_locale_end(mo_c_locale *locale);

#endif
