/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The eye of a recording: it has in view what moves, over all frames, and what is fixed near it.
 *
 * Each shape is the hull of a few balls (of a box its corners, as points); their places in the
 * picture give a rectangle, and the eye moves sideways and changes its angle until that fills it.
 * page/src/framing.ts does the same.
 */
#ifndef VIEWER_FIT_H
#define VIEWER_FIT_H

#include "render.h"

/* From an eye that looks at r->centre. */
void fit_eye(renderer *r);

#endif
