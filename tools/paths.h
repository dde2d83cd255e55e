/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Where results go.  A flag that names an output takes a file, or a folder with a slash at its end,
 * which receives one file for each input under the input's own name.
 */
#ifndef TOOLS_PATHS_H
#define TOOLS_PATHS_H

/* Is it the name of a folder, with a slash at its end? */
int path_is_folder(const char *path);

/*
 * May the value of this flag receive the results of these inputs?  Returns an exit status; if it
 * may not, the sentence has been said.  A folder that is missing is made.
 */
int path_check(const char *command, const char *flag, const char *value, char **inputs, int count);

/*
 * The output for one input, as new memory, or NULL where there is none.  In a folder it has the
 * input's name with the suffix, which may be empty, after it.
 */
char *path_for(const char *value, const char *input, const char *suffix);

/* Do both names lead to the same file? */
int path_same(const char *a, const char *b);

#endif
