/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Names of methods and of their options, for the commands that take them. */
#ifndef TOOLS_METHODS_H
#define TOOLS_METHODS_H

/* The name of the default method. */
const char *method_default(void);

/* Its row in a table of flags. */
#define METHOD_ROW                                                                                 \
    {                                                                                              \
        .name = "method", .operand = "NAME", .text = "solver; moreau solvers lists them"           \
    }

/* Is it NULL or the name of a method?  An exit status, after a sentence. */
int method_check(const char *command, const char *name);

/* Says that there is no such method, with the nearest one or the way to the list. */
void method_say_unknown(const char *command, const char *name);

/*
 * Whose is an option of the table?  "nsgs.omega" is of nsgs alone, "tol" of every method; "history"
 * is the program's own affair, which asks for a file instead.
 */
int option_is_of(const char *option, const char *method);
int option_is_common(const char *option);

#endif
