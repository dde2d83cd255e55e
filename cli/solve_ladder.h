/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The facts that `auto` counted and the rungs that it used. */
#ifndef CLI_SOLVE_LADDER_H
#define CLI_SOLVE_LADDER_H

#include "json.h"
#include "moreau/result.h"

void solve_ladder_json(json *j, const mo_explanation *explanation);
void solve_ladder_put(const mo_explanation *explanation);

#endif
