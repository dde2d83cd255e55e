/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau solvers`: the methods, the laws they take, their papers and their options. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "json.h"
#include "methods.h"
#include "moreau/law.h"
#include "moreau/options.h"
#include "moreau/solve.h"
#include "number.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "solvers",
    .operands = "[NAME]",
    .summary = "list the methods with their laws, papers and options",
    .about = "With a name, shows the options of that method, with their defaults and ranges.",
    .examples = "  moreau solvers           all methods\n"
                "  moreau solvers nsgs      one method and its options\n"
                "  moreau solvers --json    the same as JSON\n",
    .least = 0,
    .most = 1,
};

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_choices(json *j, const char *names)
{
    json_array(j, "choices");
    while (*names) {
        char name[64];
        const size_t length = strcspn(names, "|");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        json_text(j, NULL, name);
        names += length + (names[length] == '|');
    }
    json_array_end(j);
}

static void json_option(json *j, int index)
{
    const mo_options defaults = mo_default_options();
    const mo_option_info option = mo_option_describe(index);
    char value[64] = "";
    mo_option_print(&defaults, index, value, sizeof value);
    json_object(j, NULL);
    json_text(j, "name", option.name);
    json_text(j, "text", option.text);
    json_text(j, "default", value);
    if (option.names) {
        json_choices(j, option.names);
    } else {
        json_number(j, "least", option.least);
        json_number(j, "most", option.most);
        json_truth(j, "whole", option.is_count);
    }
    json_object_end(j);
}

static void json_laws(json *j, const char *name, unsigned laws)
{
    json_array(j, name);
    for (int kind = 0; kind < MO_LAW_KIND_COUNT; ++kind)
        if (laws >> kind & 1u) json_text(j, NULL, mo_law_name((mo_law_kind)kind));
    json_array_end(j);
}

static void json_method(json *j, const mo_method_info *method)
{
    json_object(j, NULL);
    json_text(j, "name", method->name);
    json_truth(j, "default", method->is_default);
    json_text(j, "summary", method->summary);
    json_text(j, "paper", method->paper);
    json_laws(j, "laws", method->laws);
    json_laws(j, "by_facets", method->by_facets);
    json_laws(j, "relaxed", method->relaxed);
    json_array(j, "options");
    for (int k = 0; k < mo_option_count(); ++k) {
        const char *name = mo_option_describe(k).name;
        if (option_is_common(name) || option_is_of(name, method->name)) json_option(j, k);
    }
    json_array_end(j);
    json_object_end(j);
}

static void json_methods(int first, int count)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_array(&j, "methods");
    for (int k = first; k < first + count; ++k) {
        const mo_method_info method = mo_method_describe(k);
        json_method(&j, &method);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_laws(unsigned laws)
{
    const char *comma = "";
    for (int kind = 0; kind < MO_LAW_KIND_COUNT; ++kind) {
        if (laws >> kind & 1u) {
            printf("%s%s", comma, mo_law_name((mo_law_kind)kind));
            comma = ", ";
        }
    }
    fputc('\n', stdout);
}

/* The laws that a method takes, and those that it replaces by others; lines start with `indent`
 * spaces. */
static void put_all_laws(const mo_method_info *method, int indent)
{
    printf("%*slaws:  ", indent, "");
    put_laws(method->laws);
    if (method->by_facets) {
        printf("%*sin space by facets: ", indent, "");
        put_laws(method->by_facets);
    }
    if (method->relaxed) {
        printf("%*srelaxed: ", indent, "");
        put_laws(method->relaxed);
    }
}

static void put_list(void)
{
    enum { COLUMN = 16 };
    for (int k = 0; k < mo_method_count(); ++k) {
        const mo_method_info method = mo_method_describe(k);
        printf("%s%-*s", k ? "\n" : "", COLUMN, method.name);
        text_put_wrapped(stdout, method.summary, COLUMN, COLUMN);
        put_all_laws(&method, COLUMN);
        printf("%*spaper: %s%s\n", COLUMN, "", method.paper,
               method.is_default ? "\n                the default" : "");
    }
    printf("\nmoreau solvers NAME shows the options of a method; docs/references.bib lists the "
           "papers.\n");
}

static number_text bound(const mo_option_info *option, double value)
{
    return option->is_count ? number_whole((long long)value) : number_short(value);
}

static void put_option(int index)
{
    enum { COLUMN = 6 };
    const mo_options defaults = mo_default_options();
    const mo_option_info option = mo_option_describe(index);
    char value[64] = "";
    mo_option_print(&defaults, index, value, sizeof value);
    printf("  --");
    for (const char *c = option.name; *c; ++c)
        fputc(*c == '_' ? '-' : *c, stdout);
    if (option.names) {
        printf(" %s", option.names);
    } else {
        printf(" %s, from %s to %s", option.is_count ? "N" : "X", bound(&option, option.least).text,
               bound(&option, option.most).text);
    }
    printf(" [%s]\n%*s", value, COLUMN, "");
    text_put_wrapped(stdout, option.text, COLUMN, COLUMN);
}

static void put_options(const char *method)
{
    for (int k = 0; k < mo_option_count(); ++k) {
        const char *name = mo_option_describe(k).name;
        if (method ? option_is_of(name, method) : option_is_common(name)) put_option(k);
    }
}

static void put_method(const mo_method_info *method)
{
    const int column = printf("%s%s: ", method->name, method->is_default ? " (the default)" : "");
    text_put_wrapped(stdout, method->summary, column, 0);
    fputc('\n', stdout);
    put_all_laws(method, 0);
    printf("paper: %s\n\nOptions of this method, with their defaults:\n", method->paper);
    put_options(method->name);
    printf("\nOptions of all methods:\n");
    put_options(NULL);
}

int command_solvers(int argc, char **argv)
{
    args_flag flags[] = {{.name = "json", .text = "print one JSON object"}};
    int count = 0;
    const args_answer answer = args_parse(&COMMAND, flags, 1, argc, argv, &count);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    const int index = count ? mo_method_find(argv[0]) : 0;
    if (index < 0) {
        method_say_unknown(COMMAND.name, argv[0]);
        return EXIT_CALL;
    }
    if (flags[0].value) {
        json_methods(index, count ? 1 : mo_method_count());
    } else if (count) {
        const mo_method_info method = mo_method_describe(index);
        put_method(&method);
    } else {
        put_list();
    }
    return EXIT_DONE;
}
