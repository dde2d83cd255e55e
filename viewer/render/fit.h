/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The camera of a recording: it shows all moving bodies in all frames, and static ones near them.
 *
 * Each shape is the hull of a few balls (a box: its corners).  The camera is moved sideways and
 * zoomed until the rectangle of their projections fills the image.  page/src/framing.ts does the
 * same.
 */
#ifndef VIEWER_FIT_H
#define VIEWER_FIT_H

#include "render.h"

/* From an eye that looks at r->centre. */
void fit_eye(renderer *r);

#endif
