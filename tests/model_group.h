/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The folder that a group of tests puts its models into. */
#ifndef MO_TESTS_MODEL_GROUP_H
#define MO_TESTS_MODEL_GROUP_H

#include "check.h"
#include "model_files.h"

static model_folder folder;

static int open_folder(void **state)
{
    (void)state;
    folder_make(&folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

#endif
