/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Output that commands share. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

/* Reports a file that failed: the message on standard error and, as_json, an object with `file` and
 * `error` on standard output.  Returns the exit status. */
int report_failure(const char *file, const char *sentence, int as_json);

#endif
