/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "args.h"

#include <stdio.h>
#include <string.h>

#include "manual.h"
#include "nearest.h"
#include "text.h"

enum { TEXT_COLUMN = 26 }; /* where --help begins what a flag does */

/* ---- help ------------------------------------------------------------------------------------ */

/* The typed form of a name. */
static void put_name(FILE *out, const char *name)
{
    for (; *name; ++name)
        fputc(*name == '_' ? '-' : *name, out);
}

static void put_flag(const args_flag *flag)
{
    fputs("  --", stdout);
    put_name(stdout, flag->name);
    int column = 4 + (int)strlen(flag->name);
    if (flag->operand) {
        printf(" %s", flag->operand);
        column += 1 + text_width(flag->operand);
    }
    if (column + 2 > TEXT_COLUMN)
        printf("\n%*s", TEXT_COLUMN, "");
    else
        printf("%*s", TEXT_COLUMN - column, "");
    char text[512];
    const int shown = flag->initial[0] != 0;
    snprintf(text, sizeof text, "%s%s%s%s", flag->text, shown ? " [" : "", flag->initial,
             shown ? "]" : "");
    text_put_wrapped(stdout, text, TEXT_COLUMN, TEXT_COLUMN);
}

/* "group.name": an option of a method. */
static int has_group(const char *name)
{
    return strchr(name, '.') != NULL;
}

/* Flags, then the names of the options of methods. */
static void put_flags(const args_flag *flags, int count)
{
    static const args_flag help = {.name = "help", .text = "this text"};
    int k = 0;
    printf("\nFlags:\n");
    for (; k < count && !has_group(flags[k].name); ++k)
        put_flag(&flags[k]);
    put_flag(&help);
    if (k < count) printf("\nOptions of the methods (see moreau solvers METHOD):\n");
    for (; k < count; ++k) {
        fputs("  --", stdout);
        put_name(stdout, flags[k].name);
        printf(" %s\n", flags[k].operand ? flags[k].operand : "");
    }
}

/* Paragraphs, each wrapped. */
static void put_about(const char *about)
{
    while (*about) {
        const char *end = strstr(about, "\n\n");
        const int length = end ? (int)(end - about) : (int)strlen(about);
        char paragraph[2048];
        snprintf(paragraph, sizeof paragraph, "%.*s", length, about);
        fputc('\n', stdout);
        text_put_wrapped(stdout, paragraph, 0, 0);
        about += end ? length + 2 : length;
    }
}

static void put_help(const args_command *command, const args_flag *flags, int flag_count)
{
    printf("moreau %s: %s\n\n", command->name, command->summary);
    printf("Usage: moreau %s [FLAGS]%s%s\n", command->name, command->operands[0] ? " " : "",
           command->operands);
    if (command->about) put_about(command->about);
    printf("\nExamples:\n%s", command->examples); /* before the flags, which may be many */
    put_flags(flags, flag_count);
}

/* Prints the requested help; MANUAL_NONE: none was requested. */
static manual_form answer_help(const args_command *command, const args_flag *flags, int flag_count,
                               int argc, char **argv)
{
    manual_form form = MANUAL_NONE;
    for (int k = 0; k < argc && !form && strcmp(argv[k], "--") != 0; ++k)
        form = manual_asked(argv[k]);
    if (form == MANUAL_TEXT)
        put_help(command, flags, flag_count);
    else if (form == MANUAL_MAN)
        manual_put_man(command, flags, flag_count);
    else if (form == MANUAL_BASH)
        manual_put_bash(command, flags, flag_count);
    return form;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* Is `typed`, of this length, the name of a flag? */
static int names_flag(const char *typed, size_t length, const char *name)
{
    if (strlen(name) != length) return 0;
    for (size_t k = 0; k < length; ++k) {
        const char a = typed[k] == '_' ? '-' : typed[k], b = name[k] == '_' ? '-' : name[k];
        if (a != b) return 0;
    }
    return 1;
}

static args_flag *find_flag(args_flag *flags, int count, const char *typed, size_t length)
{
    for (int k = 0; k < count; ++k)
        if (names_flag(typed, length, flags[k].name)) return &flags[k];
    return NULL;
}

args_typed_name args_typed(const char *name)
{
    args_typed_name t;
    snprintf(t.text, sizeof t.text, "--%s", name);
    for (char *c = t.text; *c; ++c)
        *c = *c == '_' ? '-' : *c;
    return t;
}

static args_answer say_unknown(const args_command *command, args_flag *flags, int count,
                               const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *bare = name + strspn(name, "-");
    nearest n = {.typed = bare};
    for (int k = 0; k < count; ++k)
        nearest_try(&n, flags[k].name);
    const int sets = find_flag(flags, count, "set", 3) != NULL;
    if (n.name && !(sets && strcmp(n.name, "set") == 0)) {
        say(command->name, "there is no flag %s; did you mean %s?", name, args_typed(n.name).text);
    } else if (sets) {
        say(command->name,
            "there is no flag %s; --set %s=VALUE sets a parameter of a scene, and moreau %s --help "
            "lists the flags",
            name, bare, command->name);
    } else {
        say(command->name, "there is no flag %s; moreau %s --help lists them", name, command->name);
    }
    return ARGS_WRONG;
}

/* Adds a value of a flag that may be given several times. */
static args_answer collect(const args_command *command, args_flag *flag, const char *value)
{
    if (flag->all->count == ARGS_MOST) {
        say(command->name, "%s is given more than %d times", args_typed(flag->name).text,
            ARGS_MOST);
        return ARGS_WRONG;
    }
    flag->value = flag->all->at[flag->all->count++] = value;
    return ARGS_RUN;
}

/* The next word, unless it is a flag; moves *at there. */
static const char *next_value(int argc, char **argv, int *at)
{
    return *at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0 ? argv[++*at] : NULL;
}

/* Takes the flag at argv[*at], and its value, moving *at to the last word used. */
static args_answer take_flag(const args_command *command, args_flag *flags, int flag_count,
                             int argc, char **argv, int *at)
{
    const char *word = argv[*at], *name = word + 2;
    const size_t length = strcspn(name, "=");
    args_flag *flag = word[1] == '-' ? find_flag(flags, flag_count, name, length) : NULL;
    if (!flag) return say_unknown(command, flags, flag_count, word);
    const args_typed_name shown = args_typed(flag->name);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!flag->operand) {
        if (value) {
            say(command->name, "%s takes no value", shown.text);
            return ARGS_WRONG;
        }
        flag->value = "";
        return ARGS_RUN;
    }
    value = value ? value : next_value(argc, argv, at);
    const char *second = value && flag->takes_two ? next_value(argc, argv, at) : NULL;
    if (!value || !value[0] || (flag->takes_two && (!second || !second[0]))) {
        say(command->name, "%s needs %s, as in %s %s", shown.text,
            flag->takes_two ? "two values" : "a value", shown.text, flag->operand);
        return ARGS_WRONG;
    }
    if (flag->all) return collect(command, flag, value);
    if (flag->value) {
        say(command->name, "%s is given twice, with %.100s and with %.100s; give it once",
            shown.text, flag->value, value);
        return ARGS_WRONG;
    }
    flag->value = value;
    flag->second = second;
    return ARGS_RUN;
}

static args_answer check_operands(const args_command *command, args_flag *flags, int flag_count,
                                  int count, char **operands)
{
    for (int k = 0; k < count; ++k) {
        if (!operands[k][0] && (command->most < 0 || k < command->most)) {
            say(command->name, "operand %d is empty; expected %s", k + 1, command->operands);
            return ARGS_WRONG;
        }
    }
    if (count < command->least) {
        say(command->name, "missing operand; usage: moreau %s [FLAGS] %s", command->name,
            command->operands);
        return ARGS_WRONG;
    }
    if (command->most >= 0 && count > command->most) {
        const char *more = operands[command->most];
        if (strchr(more, '=') && find_flag(flags, flag_count, "set", 3)) {
            say(command->name, "unexpected operand '%.200s'; did you mean --set %.200s?", more,
                more);
            return ARGS_WRONG;
        }
        say(command->name, "unexpected operand '%.200s'; usage: moreau %s [FLAGS]%s%s", more,
            command->name, command->operands[0] ? " " : "", command->operands);
        return ARGS_WRONG;
    }
    return ARGS_RUN;
}

args_answer args_parse(const args_command *command, args_flag *flags, int flag_count, int argc,
                       char **argv, int *operand_count)
{
    if (answer_help(command, flags, flag_count, argc, argv)) return ARGS_HELP;
    int count = 0, only_operands = 0;
    for (int k = 0; k < argc; ++k) {
        if (!only_operands && strcmp(argv[k], "--") == 0) {
            only_operands = 1;
        } else if (!only_operands && argv[k][0] == '-' && argv[k][1]) {
            const args_answer answer = take_flag(command, flags, flag_count, argc, argv, &k);
            if (answer != ARGS_RUN) return answer;
        } else {
            argv[count++] = argv[k];
        }
    }
    *operand_count = count;
    return check_operands(command, flags, flag_count, count, argv);
}
