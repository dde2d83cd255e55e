/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Output of `moreau forces`. */
#ifndef CLI_FORCES_REPORT_H
#define CLI_FORCES_REPORT_H

#include "moreau/moreau.h"

void forces_report_json(const char *scene, const mo_force_options *options, const mo_world *world,
                        const mo_forces *forces);
void forces_report_text(const mo_world *world, const mo_forces *forces);

#endif
