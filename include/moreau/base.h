/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Version, errors, messages and memory: the base of all other headers.
 *
 * The library never prints, exits or aborts, and has no global state.  A call that fails returns an
 * mo_error.  If the caller passes an mo_message, it receives one sentence that says what is wrong,
 * where, and what to do.
 *
 * A pointer must not be NULL unless its declaration says what NULL means; `why` and `allocator` may
 * always be NULL, and so may an array of no elements.  A call that breaks this changes nothing and
 * returns MO_ERR_ARGUMENT, an id of {0}, or zero (-1 for an index).  Functions that clear or
 * destroy ignore NULL.
 *
 * A struct that a caller fills in (*_def, *_options, *_filter) is made by a function of its header,
 * such as mo_default_world, and changed by field name: new fields then keep their default.
 */
#ifndef MOREAU_BASE_H
#define MOREAU_BASE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MO_VERSION_MAJOR 0
#define MO_VERSION_MINOR 1
#define MO_VERSION_PATCH 0

#if defined(__GNUC__)
#define MO_API __attribute__((visibility("default")))
#define MO_PRINTF(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
#else
#define MO_API
#define MO_PRINTF(format_at, values_at)
#endif

/* "major.minor.patch" of the linked library, which may differ from the version of the header. */
MO_API const char *mo_version(void);

/* Whether a call could run.  The outcome of a solve is an mo_status (result.h). */
#define MO_ERROR_LIST(X)                                                                           \
    X(MO_OK, "no error")                                                                           \
    X(MO_ERR_ARGUMENT, "an argument is outside its range")                                         \
    X(MO_ERR_PROBLEM, "the contact problem is not well formed")                                    \
    X(MO_ERR_MEMORY, "memory ran out")                                                             \
    X(MO_ERR_FILE, "the file could not be read or written")                                        \
    X(MO_ERR_FORMAT, "the file does not follow its format")                                        \
    X(MO_ERR_UNSUPPORTED, "the method or the format does not support this problem")

#define MO_ENUM_NAME(name, text) name,
typedef enum mo_error { MO_ERROR_LIST(MO_ENUM_NAME) MO_ERROR_COUNT } mo_error;

/* The text of an error code.  Never NULL, not even for an invalid code. */
MO_API const char *mo_error_text(mo_error error);

/* One sentence for people, always terminated; a longer one is truncated. */
typedef struct mo_message {
    char text[512];
} mo_message;

/*
 * Memory.  `reallocate` works like realloc: p = NULL allocates; size = 0 frees and returns NULL; on
 * failure it returns NULL and leaves the old block unchanged.  Blocks are aligned for any scalar
 * type.  A NULL allocator stands for the C library's.
 */
typedef struct mo_allocator {
    void *(*reallocate)(void *user, void *p, size_t size);
    void *user;
} mo_allocator;

#ifdef __cplusplus
}
#endif
#endif
