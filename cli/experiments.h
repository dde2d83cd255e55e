/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Named things to run, for `moreau reproduce` and `moreau bench`: their list, and finding one. */
#ifndef CLI_EXPERIMENTS_H
#define CLI_EXPERIMENTS_H

typedef struct experiment {
    const char *name;    /* as typed           */
    const char *summary; /* one line           */
} experiment;

/* The list, for a person or as {"experiments": [...]}. */
void experiments_list(const experiment *all, int count, int as_json);

/* Its position, or -1 where the name is unknown, which has then been said. */
int experiments_find(const char *command, const experiment *all, int count, const char *name);

#endif
