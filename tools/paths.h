/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Output paths.  A flag for output takes a file, or a folder ending in a slash, which receives one
 * file for each input with the name of the input.
 */
#ifndef TOOLS_PATHS_H
#define TOOLS_PATHS_H

/* Whether it is a folder, ending in a slash. */
int path_is_folder(const char *path);

/*
 * Checks that the value of this flag can receive the results of these inputs; an exit status, after
 * a message.  A missing folder is created.
 */
int path_check(const char *command, const char *flag, const char *value, char **inputs, int count);

/*
 * The output path for one input, as new memory, or NULL.  In a folder it is the input's name with
 * the suffix.
 */
char *path_for(const char *value, const char *input, const char *suffix);

/* Do both names lead to the same file? */
int path_same(const char *a, const char *b);

#endif
