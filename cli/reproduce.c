/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce`: the papers' experiments, whose sources are in papers/, by name. */
#include <stddef.h>

#include "args.h"
#include "command.h"
#include "experiments.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "reproduce",
    .operands = "[NAME]",
    .summary = "a paper's tables and figures, its numbers beside ours",
    .about = "Without a name: the papers that can be rerun.",
    .examples = "  moreau reproduce                 what there is\n"
                "  moreau reproduce lu-trinkle      one paper\n",
    .least = 0,
    .most = 1,
};

/* A new paper is one folder in papers/ and one row in both tables. */
static const experiment PAPERS[] = {
    {"lu-trinkle", "Lu and Trinkle 2015: the prox iteration and the choice of its step r"},
};
enum { PAPER_COUNT = sizeof PAPERS / sizeof PAPERS[0] };

typedef int (*paper_run)(int as_json);
static const paper_run RUNS[PAPER_COUNT] = {
    NULL,
};

int command_reproduce(int argc, char **argv)
{
    args_flag flags[] = {{.name = "json", .text = "one JSON object, and nothing else"}};
    int count = 0;
    const args_answer answer = args_parse(&COMMAND, flags, 1, argc, argv, &count);
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    const int as_json = flags[0].value != NULL;
    if (count == 0) {
        experiments_list(PAPERS, PAPER_COUNT, as_json);
        return EXIT_DONE;
    }
    const int index = experiments_find(COMMAND.name, PAPERS, PAPER_COUNT, argv[0]);
    if (index < 0) {
        return EXIT_CALL;
    }
    if (!RUNS[index]) {
        say(COMMAND.name, "%s is not part of this build", PAPERS[index].name);
        return EXIT_FAILED;
    }
    return RUNS[index](as_json);
}
