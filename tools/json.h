/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A streaming writer of JSON on one line.  Members of an object take a key, elements of an array
 * NULL.  Numbers read back as the same double; infinity and NaN, which JSON does not have, become
 * null; bytes that are not UTF-8 become U+FFFD.
 */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdio.h>

typedef struct json {
    FILE *out;
    int started; /* a comma precedes the next value */
} json;

json json_begin(FILE *out); /* then one value, then: */
void json_end(json *j);     /* ends the line */

/* Whether output of a value has begun. */
int json_was_printed(void);

void json_object(json *j, const char *key); /* members until */
void json_object_end(json *j);
void json_array(json *j, const char *key); /* elements until */
void json_array_end(json *j);

void json_text(json *j, const char *key, const char *text); /* NULL text is null */
void json_number(json *j, const char *key, double value);
void json_whole(json *j, const char *key, long long value);
void json_truth(json *j, const char *key, int value);
void json_null(json *j, const char *key);

#endif
