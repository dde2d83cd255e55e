/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "asked.h"

#include <math.h>
#include <stdlib.h>

#include "exit_status.h"
#include "experiments.h"
#include "sheet.h"
#include "text.h"

static const char *const COMMAND = "bench";

int asked_contacts(const experiment_call *asked, int initial, int least, int most)
{
    char *end;
    if (!asked->own) return initial;
    const double value = strtod(asked->own, &end);
    if (end == asked->own || *end || !(value >= least && value <= most) || value != floor(value)) {
        say(COMMAND, "--contacts needs a whole number from %d to %d, not '%.60s'", least, most,
            asked->own);
        return 0;
    }
    return (int)value;
}

int asked_folder(const char *command, const char *folder)
{
    if (!folder || sheet_make_folder(folder)) return EXIT_DONE;
    say(command, "the folder %.900s cannot be made: choose another after --out", folder);
    return EXIT_FAILED;
}

int asked_for_no_files(const experiment_call *asked, const char *name)
{
    if (!asked->out) return EXIT_DONE;
    say(COMMAND, "%s writes no files: leave out --out", name);
    return EXIT_CALL;
}
