/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Numbers as text, for people and for programs. */
#ifndef TOOLS_NUMBER_H
#define TOOLS_NUMBER_H

typedef struct number_text {
    char text[40];
} number_text;

number_text number_real(double value);      /* "3.1e-9", "0"                                */
number_text number_short(double value);     /* "1e-8", "0.3", "10000"                       */
number_text number_exact(double value);     /* the shortest text that gives the same double */
number_text number_whole(long long value);  /* "1,234,567"                                   */
number_text number_seconds(double seconds); /* "3.2 ms"                                      */
number_text number_bytes(double bytes);     /* "1.5 MB"                                      */
number_text number_count(long long count, const char *noun); /* "1 contact", "12 contacts" */
void number_trim(char *text); /* removes "+" and leading zeros from an exponent: 1e-08 is 1e-8 */

#endif
