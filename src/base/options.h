/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The default options in place: mo_default_options without the copy. */
#ifndef MO_BASE_OPTIONS_H
#define MO_BASE_OPTIONS_H

#include "moreau/options.h"

const mo_options *mo_options_default(void);

#endif
