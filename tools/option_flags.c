/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "option_flags.h"

#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "text.h"

args_flag *option_flags(const args_flag *own, int own_count, const mo_options *defaults, int *count)
{
    args_flag *flags = calloc((size_t)own_count + (size_t)mo_option_count(), sizeof *flags);
    if (!flags) return NULL;
    memcpy(flags, own, (size_t)own_count * sizeof *flags);
    int n = own_count;
    for (int k = 0; k < mo_option_count(); ++k) {
        const mo_option_info option = mo_option_describe(k);
        if (strcmp(option.name, "history") == 0) continue;
        flags[n] = (args_flag){.name = option.name, .text = option.text};
        flags[n].operand = option.names ? option.names : option.is_count ? "N" : "X";
        mo_option_print(defaults, k, flags[n].initial, sizeof flags[n].initial);
        number_trim(flags[n].initial);
        ++n;
    }
    *count = n;
    return flags;
}

int option_flags_read(const char *command, const args_flag *rows, int count, mo_options *options)
{
    for (int k = 0; k < count; ++k) {
        mo_message why = {{0}};
        const char *value = rows[k].value;
        const mo_error error = value ? mo_options_set(options, rows[k].name, value, &why) : MO_OK;
        if (error) {
            say(command, "%s", text_of_error("", error, &why));
            return 0;
        }
    }
    return 1;
}

int option_flags_read_world(const char *command, const args_flag *rows, int count,
                            mo_world_def *def)
{
    for (int k = 0; k < count; ++k)
        if (rows[k].value && strcmp(rows[k].name, "tol") == 0) def->moving_tol = 0;
    return option_flags_read(command, rows, count, &def->solver);
}
