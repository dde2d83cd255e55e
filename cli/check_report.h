/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Report of `moreau check` on one problem. */
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "check_input.h"

void check_json(const check_input *input, const mo_check_result *check);
void check_put(const check_input *input, const mo_check_result *check);

/* Result of --verify. */
void check_verified(const check_input *input, const char *certificate,
                    const mo_judgement *judgement, int as_json);

#endif
