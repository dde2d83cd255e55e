/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Selects the C locale for numbers in this thread, between begin and end.  Files and options use a
 * decimal point in any locale of the host program.
 */
#ifndef MO_BASE_C_LOCALE_H
#define MO_BASE_C_LOCALE_H

typedef struct mo_c_locale {
    void *own, *before; /* NULL if memory ran out: the locale of the program is kept */
} mo_c_locale;

mo_c_locale mo_c_locale_begin(void);
void mo_c_locale_end(mo_c_locale *locale);

#endif
