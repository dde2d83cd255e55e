/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Text output: sentences on standard error, columns and wrapped lines.
 *
 * File names and strings in files are untrusted: all output to a terminal passes through text_put,
 * which removes control characters.
 */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stdio.h>

#include "moreau/base.h"

/* ---- errors: one sentence each, on standard error -------------------------------------------- */

/* "moreau COMMAND: sentence", or "moreau: sentence" where command is NULL. */
void say(const char *command, const char *format, ...) MO_PRINTF(2, 3);

/* "moreau: FILE: sentence". */
void say_of_file(const char *file, const char *format, ...) MO_PRINTF(2, 3);

/* The last message and its file; "" if there is none. */
typedef struct said {
    char text[8192], file[4096];
} said;
const said *said_last(void);

/* The message of the library, or the text of the code if there is none, without the file name in
 * front, which say_of_file adds. */
const char *text_of_error(const char *file, mo_error error, const mo_message *why);

/* Flushes standard output; whether that succeeded. */
int output_is_good(void);

/* ---- writing --------------------------------------------------------------------------------- */

/* The next character of UTF-8 text; 0xFFFD for invalid bytes; 0 at the end, where *text stays. */
unsigned text_next(const char **text);

/* Text with control characters and broken UTF-8 shown as '?'. */
void text_put(FILE *out, const char *text);

/* The same in a column, padded on the right; of a longer text "..." and its end. */
void text_put_column(FILE *out, const char *text, int width);

int text_width(const char *text); /* in characters */

/* Wraps text into lines that end before column 80, all but the first indented. */
void text_put_wrapped(FILE *out, const char *text, int column, int indent);

#endif
