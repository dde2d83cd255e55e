/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A private folder for temporary files, under TMPDIR or /tmp. */
#ifndef TOOLS_TEMPORARY_H
#define TOOLS_TEMPORARY_H

enum { TEMPORARY_PATH = 1024 };

/* Makes the folder and writes its path; false, with errno, if that fails. */
int temporary_folder(char path[TEMPORARY_PATH]);

#endif
