/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The command line, from a table with one row per flag, which both the parser and --help use.
 *
 *   --name value, --name=value    a flag with a value
 *   --name                        a switch
 *   --name value second           a flag with two values
 *   --                            all following words are operands
 *
 * '_' in a name is typed '-' (both are accepted).  A value begins with "--" only after '='.
 * Operands and flags come in any order.  A flag with a value is given once, unless it collects
 * several.
 */
#ifndef TOOLS_ARGS_H
#define TOOLS_ARGS_H

/* The values of a flag that may be given several times. */
enum { ARGS_MOST = 64 };
typedef struct args_values {
    const char *at[ARGS_MOST];
    int count;
} args_values;

typedef struct args_flag {
    const char *name;    /* "max_iter"; "group.name" is shown under its group by --help */
    const char *operand; /* name of its value in --help ("FILE"); NULL for a switch     */
    const char *text;    /* description, for --help */
    char initial[40];    /* the default, for --help; may be empty */
    const char *value;   /* set by args_parse: "" for a switch, NULL if absent */
    int takes_two;       /* the operand stands for two words */
    const char *second;  /* set by args_parse: the second word */
    args_values *all;    /* may be given several times: filled by args_parse */
} args_flag;

typedef struct args_command {
    const char *name;     /* "solve"                                          */
    const char *operands; /* "FILE...", for the usage line; or ""             */
    const char *summary;  /* one line */
    const char *about;    /* paragraphs, separated by empty lines; or NULL */
    const char *examples; /* lines, for --help */
    int least, most;      /* number of operands; most < 0: any number */
} args_command;

typedef enum args_answer {
    ARGS_RUN,  /* go on */
    ARGS_HELP, /* help was printed */
    ARGS_WRONG /* the arguments are wrong; the message was printed */
} args_answer;

/* The typed form of a flag, "--max-iter", for messages. */
typedef struct args_typed_name {
    char text[64];
} args_typed_name;
args_typed_name args_typed(const char *name);

/* Reads the words after the command's name.  Operands are moved to the front of argv. */
args_answer args_parse(const args_command *command, args_flag *flags, int flag_count, int argc,
                       char **argv, int *operand_count);

#endif
