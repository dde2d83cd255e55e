/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A condition with every friction coefficient times a factor. */
#ifndef MO_CERTIFICATE_CONDITION_H
#define MO_CERTIFICATE_CONDITION_H

#include "moreau/certificate.h"

mo_error mo_condition_decide_with(const mo_problem *problem, mo_condition_kind kind,
                                  double friction, mo_condition *condition);

#endif
