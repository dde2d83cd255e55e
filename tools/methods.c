/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "methods.h"

#include <string.h>

#include "exit_status.h"
#include "moreau/solve.h"
#include "nearest.h"
#include "text.h"

const char *method_default(void)
{
    for (int k = 0; k < mo_method_count(); ++k) {
        const mo_method_info method = mo_method_describe(k);
        if (method.is_default) return method.name;
    }
    return "";
}

void method_say_unknown(const char *command, const char *name)
{
    nearest n = {.typed = name};
    for (int k = 0; k < mo_method_count(); ++k)
        nearest_try(&n, mo_method_describe(k).name);
    if (n.name)
        say(command, "there is no method '%.100s'; did you mean %s?", name, n.name);
    else
        say(command, "there is no method '%.100s'; moreau solvers lists them", name);
}

int method_check(const char *command, const char *name)
{
    if (!name || mo_method_find(name) >= 0) return EXIT_DONE;
    method_say_unknown(command, name);
    return EXIT_CALL;
}

int option_is_of(const char *option, const char *method)
{
    const char *group = strcmp(method, "auto") == 0 ? "ladder" : method; /* auto walks along it */
    const size_t length = strlen(group);
    return strncmp(option, group, length) == 0 && option[length] == '.';
}

int option_is_common(const char *option)
{
    return strchr(option, '.') == NULL && strcmp(option, "history") != 0;
}
