/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Scenes and robots for `moreau render`, simulated here. */
#ifndef CLI_RENDER_SOURCE_H
#define CLI_RENDER_SOURCE_H

#include "args.h"
#include "moreau/recording.h"

/* Whether a name is a scene or a robot's file; otherwise it is a recording. */
int render_source_is_world(const char *name);

/* Simulates for --time, or the scene's own time, and records as many frames a second as are drawn.
 * An exit status, after a message; the recording is to be cleared in any case. */
int render_source_run(const char *command, const char *name, const args_values *sets,
                      const args_flag *model_rows, const args_flag *time, double fps,
                      mo_recording *recording);

#endif
