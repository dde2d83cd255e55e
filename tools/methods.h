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

/* Checks that it is NULL or the name of a method; an exit status, after a message. */
int method_check(const char *command, const char *name);

/* Reports an unknown method, with the nearest name or the command that lists them. */
void method_say_unknown(const char *command, const char *name);

/*
 * The method of an option: "nsgs.omega" belongs to nsgs, "tol" to every method.  "history" is left
 * out; commands take a file instead.
 */
int option_is_of(const char *option, const char *method);
int option_is_common(const char *option);

#endif
