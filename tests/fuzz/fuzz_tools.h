/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What the targets of the fuzzer share: files in a folder of their own, demands that abort. */
#ifndef TESTS_FUZZ_TOOLS_H
#define TESTS_FUZZ_TOOLS_H

#include "fuzz_targets.h"
#include "moreau/moreau.h"

/* Says what is wrong and aborts, unless the condition holds. */
void demand(int condition, const char *what);
void demand_sentence(mo_error error, const mo_message *why);
void demand_finite(const mo_world *world);

/* A path in a folder of this process, which is removed at its end. */
const char *path_of(const char *name);
/* The same, with these bytes there. */
const char *file_of(const char *name, const uint8_t *data, size_t size);

/* Seeds from a file, and from text. */
void take_file(const char *path, fuzz_take_fn *take, void *user);
void take_text(const char *text, fuzz_take_fn *take, void *user);

/* Is this input one of those, a part in `in`, on which what was read is also used?  By its bytes,
 * so that an input is always treated alike. */
int is_chosen(const uint8_t *data, size_t size, unsigned in);

/* fuzz_models.c */
void mjcf_seeds(fuzz_take_fn *take, void *user);
void mjcf_run(const uint8_t *data, size_t size);
void urdf_seeds(fuzz_take_fn *take, void *user);
void urdf_run(const uint8_t *data, size_t size);
void sdf_seeds(fuzz_take_fn *take, void *user);
void sdf_run(const uint8_t *data, size_t size);
void mesh_seeds(fuzz_take_fn *take, void *user);
void mesh_run(const uint8_t *data, size_t size);
void collada_seeds(fuzz_take_fn *take, void *user);
void collada_run(const uint8_t *data, size_t size);
void heights_seeds(fuzz_take_fn *take, void *user);
void heights_run(const uint8_t *data, size_t size);

#endif
