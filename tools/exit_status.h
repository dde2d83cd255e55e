/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Exit statuses: success; failure; wrong arguments. */
#ifndef TOOLS_EXIT_STATUS_H
#define TOOLS_EXIT_STATUS_H

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_CALL = 2 };

#endif
