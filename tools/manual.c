/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "manual.h"

#include <stdio.h>
#include <string.h>

#include "moreau/base.h"

manual_form manual_asked(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ? MANUAL_TEXT
           : strcmp(word, "--help=man") == 0                      ? MANUAL_MAN
           : strcmp(word, "--help=bash") == 0                     ? MANUAL_BASH
                                                                  : MANUAL_NONE;
}

/* ---- man(7) ---------------------------------------------------------------------------------- */

/* Escapes text for roff: hyphens, and lines that would begin like a request. */
static void put_roff(const char *text, int length)
{
    for (int k = 0; k < length; ++k) {
        if ((k == 0 || text[k - 1] == '\n') && (text[k] == '.' || text[k] == '\''))
            fputs("\\&", stdout);
        if (text[k] == '-')
            fputs("\\-", stdout);
        else if (text[k] == '\\')
            fputs("\\e", stdout);
        else
            putchar(text[k]);
    }
}

static void put_roff_line(const char *text)
{
    put_roff(text, (int)strlen(text));
    putchar('\n');
}

/* The head; the name in capitals. */
static void begin_page(const char *command, const char *summary)
{
    fputs(".TH MOREAU", stdout);
    if (command) {
        fputs("\\-", stdout);
        for (const char *c = command; *c; ++c)
            putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    printf(" 1 \"\" \"moreau %s\" \"Moreau\"\n.SH NAME\nmoreau%s%s \\- ", mo_version(),
           command ? "\\-" : "", command ? command : "");
    put_roff_line(summary);
}

static void put_examples(const char *examples)
{
    fputs(".SH EXAMPLES\n.EX\n", stdout);
    put_roff(examples, (int)strlen(examples));
    fputs(".EE\n", stdout);
}

static void put_flag(const args_flag *flag)
{
    fputs(".TP\n.B ", stdout);
    put_roff(args_typed(flag->name).text, (int)strlen(args_typed(flag->name).text));
    if (flag->operand) {
        fputs(" \\fI", stdout);
        put_roff(flag->operand, (int)strlen(flag->operand));
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_roff_line(flag->text);
    if (flag->initial[0]) {
        fputs("Default: ", stdout);
        put_roff(flag->initial, (int)strlen(flag->initial));
        fputs(".\n", stdout);
    }
}

/* Flags of a group ("nsgs.omega") follow the others under a heading. */
static void put_flags(const args_flag *flags, int count)
{
    static const args_flag help = {.name = "help", .text = "a short form of this page"};
    const char *group = "";
    size_t length = 0;
    int help_is_put = 0;
    fputs(".SH OPTIONS\n", stdout);
    for (int k = 0; k < count; ++k) {
        const char *dot = strchr(flags[k].name, '.');
        const size_t n = dot ? (size_t)(dot - flags[k].name) : 0;
        if (n > 0 && !help_is_put) {
            put_flag(&help);
            help_is_put = 1;
        }
        if (n > 0 && (n != length || strncmp(group, flags[k].name, n) != 0)) {
            group = flags[k].name;
            length = n;
            printf(".SS \"Options of %.*s\"\n", (int)n, group);
        }
        put_flag(&flags[k]);
    }
    if (!help_is_put) put_flag(&help);
}

static void put_about(const char *about)
{
    while (*about) {
        const char *end = strstr(about, "\n\n");
        const int length = end ? (int)(end - about) : (int)strlen(about);
        fputs(".PP\n", stdout);
        put_roff(about, length);
        putchar('\n');
        about += end ? length + 2 : length;
    }
}

void manual_put_man(const args_command *command, const args_flag *flags, int flag_count)
{
    begin_page(command->name, command->summary);
    printf(".SH SYNOPSIS\n.B moreau %s\n[\\fIFLAGS\\fR] ", command->name);
    put_roff_line(command->operands);
    if (command->about) {
        fputs(".SH DESCRIPTION\n", stdout);
        put_about(command->about);
    }
    put_flags(flags, flag_count);
    put_examples(command->examples);
    fputs(".SH SEE ALSO\n.BR moreau (1)\n", stdout);
}

void manual_put_main_man(const manual_row *rows, int count, const char *summary,
                         const char *examples)
{
    begin_page(NULL, summary);
    fputs(".SH SYNOPSIS\n.B moreau\n\\fICOMMAND\\fR [\\fIFLAGS\\fR] ...\n.SH COMMANDS\n", stdout);
    for (int k = 0; k < count; ++k) {
        printf(".TP\n.BR moreau\\-%s (1)\n", rows[k].name);
        put_roff_line(rows[k].summary);
    }
    fputs(".SH OPTIONS\n.TP\n.B \\-\\-help\nthe commands; after a command, its flags and examples\n"
          ".TP\n.B \\-\\-version\nthe version of the library\n",
          stdout);
    put_examples(examples);
}

/* ---- bash ------------------------------------------------------------------------------------ */

void manual_put_bash(const args_command *command, const args_flag *flags, int flag_count)
{
    printf("        %s) flags=\"", command->name);
    for (int k = 0; k < flag_count; ++k)
        printf("%s ", args_typed(flags[k].name).text);
    fputs("--help\" ;;\n", stdout);
}

void manual_begin_bash(const manual_row *rows, int count)
{
    fputs("# Completion of moreau for bash.\n"
          "_moreau()\n"
          "{\n"
          "    local flags='' word=${COMP_WORDS[COMP_CWORD]}\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"",
          stdout);
    for (int k = 0; k < count; ++k)
        printf("%s ", rows[k].name);
    fputs("--help --version\" -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
}

void manual_end_bash(void)
{
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
          "    fi\n"
          "}\n"
          "complete -o default -F _moreau moreau\n",
          stdout);
}
