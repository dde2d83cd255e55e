/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The program: runs the command, and checks that its output was written. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"
#include "json.h"
#include "manual.h"
#include "moreau/base.h"
#include "nearest.h"
#include "text.h"

typedef struct command {
    manual_row row;
    int (*run)(int argc, char **argv);
} command;

/* A new command is one file and one row. */
static const command COMMANDS[] = {
    {{"run", "SCENE|FILE", "simulate a scene or a robot"}, command_run},
    {{"view", "[SCENE]", "simulate in the browser, or replay a recording"}, command_view},
    {{"render", "IN OUT", "make images, animations and videos"}, command_render},
    {{"compare", "FILE", "simulate a robot in Moreau and in MuJoCo"}, command_compare},
    {{"solve", "FILE...", "solve the contact problem of each FCLIB file"}, command_solve},
    {{"check", "FILE|SCENE", "decide whether a solution exists and is unique"}, command_check},
    {{"forces", "SCENE|FILE", "forces at contacts and joints at one instant"}, command_forces},
    {{"info", "FILE...", "show the contents of FCLIB files"}, command_info},
    {{"solvers", "[NAME]", "list the methods with their laws and options"}, command_solvers},
    {{"convert", "IN OUT", "convert an FCLIB file"}, command_convert},
    {{"reproduce", "[NAME]", "rerun the experiments of a paper"}, command_reproduce},
    {{"bench", "[NAME]", "measure performance on this machine"}, command_bench},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static const char SUMMARY[] =
    "rigid multibody dynamics with hard contact, joints and Coulomb friction";
static const char EXAMPLES[] = "  moreau run --list\n"
                               "  moreau run stack --set count=30 --time 5\n"
                               "  moreau run robot.xml --key stand\n"
                               "  moreau view\n"
                               "  moreau info box.hdf5\n"
                               "  moreau solve box.hdf5 --out solved.hdf5\n"
                               "  moreau solve problems/*.hdf5 --json\n";

static void put_help(FILE *out)
{
    fprintf(out, "moreau: %s\n\nUsage: moreau COMMAND [FLAGS] ...\n\nCommands:\n", SUMMARY);
    for (int k = 0; k < COMMAND_COUNT; ++k) {
        fprintf(out, "  %-10s %-10s  %s\n", COMMANDS[k].row.name, COMMANDS[k].row.operands,
                COMMANDS[k].row.summary);
    }
    fprintf(out,
            "\nFlags:\n"
            "  --help                 this text; moreau COMMAND --help has flags and examples\n"
            "  --help=man             a manual page, also after a command\n"
            "  --help=bash            completion for bash\n"
            "  --version              the version of the library\n"
            "\nExamples:\n%s",
            EXAMPLES);
}

/* All forms but the text; each command adds its own branch to the script. */
static void put_manual(manual_form form)
{
    char bash[] = "--help=bash";
    manual_row rows[COMMAND_COUNT];
    for (int k = 0; k < COMMAND_COUNT; ++k)
        rows[k] = COMMANDS[k].row;
    if (form == MANUAL_MAN) {
        manual_put_main_man(rows, COMMAND_COUNT, SUMMARY, EXAMPLES);
        return;
    }
    manual_begin_bash(rows, COMMAND_COUNT);
    for (int k = 0; k < COMMAND_COUNT; ++k) {
        char *ask[] = {bash, NULL};
        COMMANDS[k].run(1, ask);
    }
    manual_end_bash();
}

static const command *find_command(const char *name)
{
    for (int k = 0; k < COMMAND_COUNT; ++k)
        if (strcmp(COMMANDS[k].row.name, name) == 0) return &COMMANDS[k];
    return NULL;
}

static int say_unknown(const char *name)
{
    nearest n = {.typed = name};
    for (int k = 0; k < COMMAND_COUNT; ++k)
        nearest_try(&n, COMMANDS[k].row.name);
    if (n.name)
        say(NULL, "there is no command '%.100s'; did you mean %s?", name, n.name);
    else
        say(NULL, "there is no command '%.100s'; moreau --help lists them", name);
    return EXIT_CALL;
}

static int dispatch(int argc, char **argv)
{
    char help[] = "--help";
    char *ask_help[] = {help, NULL};
    if (argc < 2) {
        put_help(stderr);
        return EXIT_CALL;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2 && !manual_asked(argv[2])) {
        const command *named = find_command(argv[2]);
        return named ? named->run(1, ask_help) : say_unknown(argv[2]);
    }
    const manual_form form = strcmp(argv[1], "help") == 0 ? MANUAL_TEXT : manual_asked(argv[1]);
    if (form == MANUAL_TEXT) {
        put_help(stdout);
        return EXIT_DONE;
    }
    if (form) {
        put_manual(form);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("moreau %s\n", mo_version());
        return EXIT_DONE;
    }
    const command *named = find_command(argv[1]);
    return named ? named->run(argc - 2, argv + 2) : say_unknown(argv[1]);
}

/*
 * A program may be started with its standard streams closed; the next opened file would then take
 * their place, and output would be written to it.  Opens replacements; that of standard output
 * cannot be written, so the loss is detected.
 */
static void fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

static int wants_json(int argc, char **argv)
{
    for (int k = 2; k < argc && strcmp(argv[k], "--") != 0; ++k)
        if (strcmp(argv[k], "--json") == 0) return 1;
    return 0;
}

/*
 * Limits the address space, so that too large a request fails with a message and the system does
 * not kill the process later.  Sanitizers reserve far more than the memory of the machine.
 */
static void bound_memory(void)
{
#if defined(RLIMIT_DATA) && defined(_SC_PHYS_PAGES) && !defined(MOREAU_SANITIZED)
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (pages > 0 && size > 0 && getrlimit(RLIMIT_DATA, &limit) == 0) {
        const rlim_t most = (rlim_t)pages / 10 * 9 * (rlim_t)size;
        if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most) {
            limit.rlim_cur = most;
            setrlimit(RLIMIT_DATA, &limit);
        }
    }
#endif
}

/* The JSON object of a command that failed before printing its own. */
static void put_failure(void)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "status", "error");
    json_text(&j, "error", said_last()->text);
    json_text(&j, "error_at", said_last()->file[0] ? said_last()->file : NULL);
    json_object_end(&j);
    json_end(&j);
}

/* Skips the destructors of libraries: OpenBLAS joins its threads, which wait forever for memory if
 * address space is short (ulimit -v). */
static int end(int status)
{
#ifndef MOREAU_SANITIZED /* leak checks and coverage run in destructors */
    _exit(status);
#else
    return status;
#endif
}

int main(int argc, char **argv)
{
    const int as_json = wants_json(argc, argv); /* argv is reordered by what follows */
    fill_standard_streams();
    bound_memory();
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is a failed write */
    const int status = dispatch(argc, argv);
    if (status == EXIT_FAILED && as_json && !json_was_printed()) put_failure();
    const int lost = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || lost) {
        fputs("moreau: standard output could not be written: the disk may be full, or the output "
              "was closed\n",
              stderr);
        return end(status == EXIT_CALL ? EXIT_CALL : EXIT_FAILED);
    }
    return end(status);
}
