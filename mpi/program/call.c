/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "call.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int call_is_root(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

void call_say(const char *format, ...)
{
    va_list values;
    if (!call_is_root()) return;
    fputs("moreau-mpi: ", stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
}

int call_progress_is_due(call_progress *progress)
{
    const double now = MPI_Wtime();
    if (!call_is_root() || !(progress->is_asked || isatty(STDERR_FILENO)) ||
        (progress->last > 0 && now - progress->last < 1))
        return 0;
    progress->last = now;
    return 1;
}

static void put_help(const call_command *command, const call_flag *flags, int flag_count)
{
    printf("moreau-mpi %s: %s\n\nUsage: mpiexec -n RANKS moreau-mpi %s [FLAGS] %s\n\nFlags:\n",
           command->name, command->about, command->name, command->operands);
    for (int k = 0; k < flag_count; ++k) {
        char typed[64];
        snprintf(typed, sizeof typed, "--%s%s%s", flags[k].name, flags[k].operand ? " " : "",
                 flags[k].operand ? flags[k].operand : "");
        printf("  %-22s  %s\n", typed, flags[k].about);
    }
    printf("  %-22s  this text\n\nExamples:\n%s", "--help", command->examples);
}

static const call_flag *find_flag(const call_flag *flags, int flag_count, const char *word,
                                  size_t length)
{
    for (int k = 0; k < flag_count; ++k)
        if (strlen(flags[k].name) == length && strncmp(flags[k].name, word, length) == 0)
            return flags + k;
    return NULL;
}

static int take_number(const call_command *command, const call_flag *flag, const char *value)
{
    char *end;
    const double number = strtod(value, &end);
    if (end == value || *end || !(number >= flag->least && number <= flag->most)) {
        call_say("%s: --%s takes a number from %g to %g, not %.80s", command->name, flag->name,
                 flag->least, flag->most, value);
        return EXIT_CALL;
    }
    *flag->number = number;
    return -1;
}

static int take_flag(const call_command *command, const call_flag *flags, int flag_count, int argc,
                     char **argv, int *at)
{
    const char *word = argv[*at] + 2, *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const call_flag *flag = find_flag(flags, flag_count, word, length);
    if (!flag) {
        call_say("%s: there is no flag %.80s; see moreau-mpi %s --help", command->name, argv[*at],
                 command->name);
        return EXIT_CALL;
    }
    if (!flag->operand) {
        *flag->is_set = 1;
        return -1;
    }
    if (!equals && *at + 1 >= argc) {
        call_say("%s: --%s needs a value, %s", command->name, flag->name, flag->operand);
        return EXIT_CALL;
    }
    const char *value = equals ? equals + 1 : argv[++*at];
    if (flag->texts) {
        if (flag->texts->count == CALL_TEXTS) {
            call_say("%s: --%s is given more than %d times", command->name, flag->name, CALL_TEXTS);
            return EXIT_CALL;
        }
        flag->texts->at[flag->texts->count++] = value;
        return -1;
    }
    if (flag->text) {
        *flag->text = value;
        return -1;
    }
    return take_number(command, flag, value);
}

int call_read(const call_command *command, const call_flag *flags, int flag_count, int argc,
              char **argv, const char **operands, int *operand_count)
{
    *operand_count = 0;
    for (int k = 0; k < argc; ++k) {
        int status = -1;
        if (strcmp(argv[k], "--help") == 0) {
            if (call_is_root()) put_help(command, flags, flag_count);
            return EXIT_DONE;
        }
        if (strncmp(argv[k], "--", 2) == 0) {
            status = take_flag(command, flags, flag_count, argc, argv, &k);
        } else if (*operand_count < command->most) {
            operands[(*operand_count)++] = argv[k];
        } else {
            call_say("%s: %.200s is one operand too many", command->name, argv[k]);
            status = EXIT_CALL;
        }
        if (status >= 0) return status;
    }
    if (*operand_count < command->least) {
        call_say("%s needs %s; see moreau-mpi %s --help", command->name, command->operands,
                 command->name);
        return EXIT_CALL;
    }
    return -1;
}

int call_setting(const char *pair, const char *name, double *value)
{
    const size_t length = strlen(name);
    char *end;
    if (strncmp(pair, name, length) != 0 || pair[length] != '=') return 0;
    *value = strtod(pair + length + 1, &end);
    return end != pair + length + 1 && *end == '\0';
}
