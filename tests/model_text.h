/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Reading a model from text, in the folder of a test group. */
#ifndef MO_TESTS_MODEL_TEXT_H
#define MO_TESTS_MODEL_TEXT_H

#include "check.h"
#include "linalg/vec3.h"
#include "model_group.h"
#include "moreau/model.h"

static inline void read_file(const char *path, mo_model *model)
{
    mo_message why = {{0}};
    if (mo_model_read(path, NULL, model, &why)) fail_msg("%s: %s", path, why.text);
}

static inline void read_text(const char *text, mo_model *model)
{
    read_file(folder_put(&folder, "model.xml", text), model);
}

#define MJCF(inside) "<mujoco>" inside "</mujoco>"
#define WORLD(inside) MJCF("<worldbody>" inside "</worldbody>")

/* ---- a mesh ---------------------------------------------------------------------------------- */

/* A box from -a to a as triangles, outward. */
static const int BOX_TRIANGLE[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                        {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                        {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static inline void box_corner(int k, const double half[3], double x[3])
{
    mo_vec3_set(x, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                k & 4 ? half[2] : -half[2]);
}

static inline size_t write_stl(char *bytes, const double half[3], const double shift[3])
{
    memset(bytes, 0, 84 + 50 * 12);
    bytes[80] = 12;
    for (int t = 0; t < 12; ++t) {
        for (int c = 0; c < 3; ++c) {
            double x[3];
            box_corner(BOX_TRIANGLE[t][c], half, x);
            for (int k = 0; k < 3; ++k) {
                const float value = (float)(x[k] + shift[k]);
                memcpy(bytes + 84 + 50 * t + 12 + 12 * c + 4 * k, &value, sizeof value);
            }
        }
    }
    return 84 + 50 * 12;
}

#endif
