/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Errors with a message. */
#ifndef MO_BASE_ERROR_H
#define MO_BASE_ERROR_H

#include <stdbool.h>

#include "moreau/base.h"

/* Fills the message (if there is one) and returns the code, as in `return mo_fail(...)`. */
mo_error mo_fail(mo_message *why, mo_error code, const char *format, ...) MO_PRINTF(3, 4);

/* The same with MO_ERR_ARGUMENT. */
#define mo_fail_argument(why, ...) mo_fail((why), MO_ERR_ARGUMENT, __VA_ARGS__)
/* The same for lack of memory, without details. */
mo_error mo_fail_memory(mo_message *why);
/* Whether the message has this text.  For calls that return NULL with a message. */
bool mo_is_memory_message(const mo_message *why);

/* The same for an argument that is NULL: "FUNCTION: NULL where it needs POINTERS". */
mo_error mo_fail_null(mo_message *why, const char *function, const char *pointers);

/*
 * The rule of moreau/base.h for NULL, as the first line of a public function, which returns unless
 * all these pointers are given (`world && def`).  MO_NEED_OR is for functions that do not return
 * mo_error; its value is empty for void.
 */
#define MO_NEED(pointers, why)                                                                     \
    do {                                                                                           \
        if (!(pointers)) return mo_fail_null((why), __func__, #pointers);                          \
    } while (0)
#define MO_NEED_OR(value, pointers, why)                                                           \
    do {                                                                                           \
        if (!(pointers)) {                                                                         \
            mo_fail_null((why), __func__, #pointers);                                              \
            return value;                                                                          \
        }                                                                                          \
    } while (0)

/* A public function that returns a member of an object; zero for NULL. */
#define MO_GETTER(type, name, object, member)                                                      \
    type name(const object *it)                                                                    \
    {                                                                                              \
        MO_NEED_OR((type){0}, it, NULL);                                                           \
        return it->member;                                                                         \
    }

/* A public function from an enumeration to a text, one for each value in order. */
#define MO_NAMES(function, type, unknown, ...)                                                     \
    const char *function(type value)                                                               \
    {                                                                                              \
        static const char *const names[] = {__VA_ARGS__};                                          \
        return (unsigned)value < sizeof names / sizeof names[0] ? names[value] : (unknown);        \
    }

/* Returns the error of a call that fails, or the lack of memory.  For functions that return an
 * mo_error and have nothing to free. */
#define MO_TRY(call)                                                                               \
    do {                                                                                           \
        const mo_error mo_tried = (call);                                                          \
        if (mo_tried) return mo_tried;                                                             \
    } while (0)
#define MO_NEED_MEMORY(pointers, why)                                                              \
    do {                                                                                           \
        if (!(pointers)) return mo_fail_memory(why);                                               \
    } while (0)

/* A check: returns the failure if the condition holds.  The failure is a call that keeps a message:
 * MO_FAIL_IF(n < 1, mo_fail(why, MO_ERR_ARGUMENT, "...")). */
#define MO_FAIL_IF(condition, ...)                                                                 \
    do {                                                                                           \
        if (condition) return __VA_ARGS__;                                                         \
    } while (0)
/* The same for an argument: MO_REFUSE_IF(n < 1, why, "n is %d, but must be positive", n). */
#define MO_REFUSE_IF(condition, ...) MO_FAIL_IF(condition, mo_fail_argument(__VA_ARGS__))
/* MO_TRY for calls that return false after a failure that they have reported. */
#define MO_PASS(calls) MO_FAIL_IF(!(calls), false)

/* Fills the message without an error; NULL is allowed. */
void mo_say(mo_message *message, const char *format, ...) MO_PRINTF(2, 3);

#endif
