/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "report.h"

#include "exit_status.h"
#include "json.h"
#include "text.h"

int report_failure(const char *file, const char *sentence, int as_json)
{
    if (as_json) {
        json j = json_begin(stdout);
        json_object(&j, NULL);
        json_text(&j, "file", file);
        json_text(&j, "status", "error");
        json_text(&j, "error", sentence);
        json_object_end(&j);
        json_end(&j);
    }
    say_of_file(file, "%s", sentence);
    return EXIT_FAILED;
}
