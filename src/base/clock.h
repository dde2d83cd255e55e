/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Wall-clock seconds from an arbitrary origin, never going back. */
#ifndef MO_BASE_CLOCK_H
#define MO_BASE_CLOCK_H

double mo_clock(void);

#endif
