/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau check`: existence and uniqueness of solutions, and pointedness of the friction cone. */
#include <stdio.h>

#include "args.h"
#include "check_input.h"
#include "check_report.h"
#include "command.h"
#include "paths.h"
#include "report.h"
#include "settings.h"
#include "text.h"
#include "world_call.h"

static const args_command COMMAND = {
    .name = "check",
    .operands = "FILE|SCENE...",
    .summary = "decide whether a solution exists and is unique",
    .about = "Decides for each problem whether it has no solution, one, or "
             "several, and gives the evidence. A problem is an FCLIB file, a "
             "named problem of --list, or one step of a scene of moreau run "
             "--list. For problems of up to 160 rows all solutions are found, "
             "with a certificate that is verified independently. For larger ones "
             "the conditions for existence and pointedness are decided, and a "
             "solver is tried. docs/check.md defines the verdicts.\n\n"
             "--certificate writes the evidence to a text file; --verify checks "
             "such a file against the problem by direct evaluation, without a "
             "search.\n\nExit status: 0 if every problem has a verdict, including "
             "none and unknown; 1 if a check failed or a certificate does not "
             "hold.",
    .examples = "  moreau check rod.hdf5\n"
                "  moreau check problems/*.hdf5 --json | jq -c '[.file, .verdict]'\n"
                "  moreau check painleve-rod --set angle=0.5 --set mu=1\n"
                "  moreau check stack --set count=3 --step 20\n"
                "  moreau check rod.hdf5 --certificate rod.txt\n"
                "  moreau check rod.hdf5 --verify rod.txt\n",
    .least = 0,
    .most = -1,
};

enum {
    FLAG_LIST,
    FLAG_SET,
    FLAG_STEP,
    FLAG_SYSTEMS,
    FLAG_KEEP,
    FLAG_VERIFY,
    FLAG_JSON,
    FLAG_COUNT
};

typedef struct call {
    args_values sets;
    int step; /* 0: none was given */
    long long most_systems;
    const char *keep, *verify; /* certificates, to write or to judge; or NULL */
    int json;
} call;

/* A positive integer of a flag; the value does not change if the flag is absent. */
static int read_whole(const args_flag *flag, const char *typed, double most, double *value)
{
    double given = 0;
    if (!flag->value) return EXIT_DONE;
    if (!settings_number(flag->value, &given) || given < 1 || given > most ||
        given != (double)(long long)given) {
        say(COMMAND.name, "%s takes a whole number above zero, not %.100s", typed, flag->value);
        return EXIT_CALL;
    }
    *value = given;
    return EXIT_DONE;
}

static int read_call(const args_flag *flags, call *c)
{
    double step = 0, systems = 0;
    int status = read_whole(&flags[FLAG_STEP], "--step", 1e9, &step);
    status = status ? status : read_whole(&flags[FLAG_SYSTEMS], "--most-systems", 1e15, &systems);
    c->step = (int)step;
    c->most_systems = (long long)systems;
    c->keep = flags[FLAG_KEEP].value;
    c->verify = flags[FLAG_VERIFY].value;
    c->json = flags[FLAG_JSON].value != NULL;
    if (!status && c->keep && c->verify) {
        say(COMMAND.name, "--certificate writes a file and --verify checks one; give one of them");
        status = EXIT_CALL;
    }
    return status;
}

/* Writes a certificate only if its verification succeeds. */
static mo_error keep_certificate(const call *c, const mo_problem *problem,
                                 const mo_check_result *check, mo_message *why)
{
    mo_judgement judgement;
    const mo_error error = mo_check_judge(problem, check, &judgement);
    if (!error && !judgement.holds) {
        snprintf(why->text, sizeof why->text, "no certificate was written: %.400s",
                 judgement.message.text);
        return MO_ERR_PROBLEM;
    }
    return error ? error : mo_check_write(c->keep, problem, check, why);
}

static int verify_one(const call *c, check_input *input)
{
    mo_message why = {{0}};
    mo_check_result check = {0};
    mo_judgement judgement = {0};
    mo_error error = check_input_load(input, &why);
    const char *about = error ? input->name : c->verify;
    error = error ? error : mo_check_read(c->verify, input->problem, &check, &why);
    error = error ? error : mo_check_judge(input->problem, &check, &judgement);
    mo_check_clear(&check);
    if (error) return report_failure(about, text_of_error(about, error, &why), c->json);
    check_verified(input, c->verify, &judgement, c->json);
    return judgement.holds ? EXIT_DONE : EXIT_FAILED;
}

static int check_one(const call *c, check_input *input, int *shown)
{
    mo_message why = {{0}};
    mo_check_result check = {0};
    int status = EXIT_DONE;
    mo_error error = check_input_load(input, &why);
    if (!error) error = mo_check(input->problem, c->most_systems, &check);
    const char *about = error || !c->keep ? input->name : c->keep;
    if (!error && c->keep) error = keep_certificate(c, input->problem, &check, &why);
    if (error) {
        status = report_failure(about, text_of_error(about, error, &why), c->json);
    } else if (c->json) {
        check_json(input, &check);
    } else {
        fputs((*shown)++ ? "\n" : "", stdout);
        check_put(input, &check);
    }
    mo_check_clear(&check);
    return status;
}

/* All arguments are parsed before the first problem is read. */
static int check_all(const call *c, int count, char **words)
{
    int status = EXIT_DONE, shown = 0;
    check_input input;
    for (int k = 0; k < count && !status; ++k)
        status = check_input_find(COMMAND.name, words[k], &c->sets, c->step, &input);
    if (status) return status;
    for (int k = 0; k < count && output_is_good(); ++k) {
        check_input_find(COMMAND.name, words[k], &c->sets, c->step, &input);
        status |= c->verify ? verify_one(c, &input) : check_one(c, &input, &shown);
        check_input_clear(&input);
    }
    return status;
}

int command_check(int argc, char **argv)
{
    call c = {.step = 0};
    int count = 0;
    args_flag flags[FLAG_COUNT] = {
        [FLAG_LIST] = {.name = "list", .text = "list the named problems with their parameters"},
        [FLAG_SET] = WORLD_ROW_SET,
        [FLAG_STEP] = {.name = "step",
                       .operand = "K",
                       .initial = "1",
                       .text = "number of the step of a scene"},
        [FLAG_SYSTEMS] = {.name = "most_systems",
                          .operand = "N",
                          .initial = "20000",
                          .text = "maximum number of mode combinations in the search for all "
                                  "solutions; fewer by default above 40 rows"},
        [FLAG_KEEP] = {.name = "certificate",
                       .operand = "FILE",
                       .text =
                           "write the verdict with its evidence to this text file (one problem)"},
        [FLAG_VERIFY] = {.name = "verify",
                         .operand = "FILE",
                         .text = "verify the certificate in this file instead (one problem)"},
        [FLAG_JSON] = {.name = "json", .text = "print one JSON object per problem, one per line"}};
    flags[FLAG_SET].all = &c.sets;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &count);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    int status = read_call(flags, &c);
    if (status) return status;
    if (flags[FLAG_LIST].value) {
        check_input_list(c.json);
        return EXIT_DONE;
    }
    if (count == 0) {
        say(COMMAND.name, "missing file or scene; moreau check --list shows the named problems");
        return EXIT_CALL;
    }
    if (count > 1 && (c.keep || c.verify)) {
        say(COMMAND.name, "%s takes one problem, not %d", c.keep ? "--certificate" : "--verify",
            count);
        return EXIT_CALL;
    }
    if (c.keep && path_same(c.keep, argv[0])) {
        say(COMMAND.name, "--certificate %.500s would replace the problem", c.keep);
        return EXIT_CALL;
    }
    if (c.keep && path_is_folder(c.keep)) {
        say(COMMAND.name, "--certificate %.500s names a folder; name a file", c.keep);
        return EXIT_CALL;
    }
    status = c.keep ? path_check(COMMAND.name, "--certificate", c.keep, argv, 1) : EXIT_DONE;
    return status ? status : check_all(&c, count, argv);
}
