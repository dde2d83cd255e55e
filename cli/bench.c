/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau bench`: the benchmarks, whose sources are in bench/, by name. */
#include <stddef.h>

#include "args.h"
#include "command.h"
#include "experiments.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "bench",
    .operands = "[NAME]",
    .summary = "performance, measured on this machine",
    .about = "Without a name: the benchmarks there are.",
    .examples = "  moreau bench            what there is\n"
                "  moreau bench sweep      one of them\n",
    .least = 0,
    .most = 1,
};

/* A new benchmark is one file in bench/ and one row in both tables. */
static const experiment BENCHES[] = {
    {"sweep", "one Gauss-Seidel sweep over a million contacts, beside streaming the same bytes"},
};
enum { BENCH_COUNT = sizeof BENCHES / sizeof BENCHES[0] };

typedef int (*bench_run)(int as_json);
static const bench_run RUNS[BENCH_COUNT] = {
    NULL,
};

int command_bench(int argc, char **argv)
{
    args_flag flags[] = {{.name = "json", .text = "one JSON object, and nothing else"}};
    int count = 0;
    const args_answer answer = args_parse(&COMMAND, flags, 1, argc, argv, &count);
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    const int as_json = flags[0].value != NULL;
    if (count == 0) {
        experiments_list(BENCHES, BENCH_COUNT, as_json);
        return EXIT_DONE;
    }
    const int index = experiments_find(COMMAND.name, BENCHES, BENCH_COUNT, argv[0]);
    if (index < 0) {
        return EXIT_CALL;
    }
    if (!RUNS[index]) {
        say(COMMAND.name, "%s is not part of this build", BENCHES[index].name);
        return EXIT_FAILED;
    }
    return RUNS[index](as_json);
}
