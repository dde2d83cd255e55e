/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Errors with a sentence. */
#ifndef MO_BASE_ERROR_H
#define MO_BASE_ERROR_H

#include "moreau/base.h"

/* Fills the message (if there is one) and returns the code, so that `return mo_fail(...)` reads. */
mo_error mo_fail(mo_message *why, mo_error code, const char *format, ...) MO_PRINTF(3, 4);

/* The same for lack of memory, which needs no details. */
mo_error mo_fail_memory(mo_message *why);

/* Fills the message without an error; NULL is allowed. */
void mo_say(mo_message *message, const char *format, ...) MO_PRINTF(2, 3);

#endif
