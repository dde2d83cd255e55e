/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Defaults, checks, setting by name and printing of options.  All of it is generated from
 * MO_OPTIONS_TABLE in options.h; this file names no option.
 */
#include "moreau/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/error.h"
#include "base/options.h"

/* The member of an option: common ones at the top, the others in their group. */
#define MEMBER_common(field) field
#define MEMBER_ladder(field) ladder.field
#define MEMBER_nsgs(field) nsgs.field
#define MEMBER_prox(field) prox.field
#define MEMBER_newton(field) newton.field
#define MEMBER_ipm(field) ipm.field
#define MEMBER_lemke(field) lemke.field
#define MEMBER_fip(field) fip.field
#define MEMBER_lcp1(field) lcp1.field
#define MEMBER_lcp2(field) lcp2.field
#define MEMBER_acary_cadoux(field) acary_cadoux.field
#define MEMBER_apgd(field) apgd.field
#define MEMBER_admm(field) admm.field
#define MEMBER_dantzig(field) dantzig.field
#define PLACE(group, field) offsetof(mo_options, MEMBER_##group(field))
#define NAME_common(field) #field
#define NAME_ladder(field) "ladder." #field
#define NAME_nsgs(field) "nsgs." #field
#define NAME_prox(field) "prox." #field
#define NAME_newton(field) "newton." #field
#define NAME_lcp1(field) "lcp1." #field
#define NAME_lcp2(field) "lcp2." #field
#define NAME_ipm(field) "ipm." #field
#define NAME_lemke(field) "lemke." #field
#define NAME_fip(field) "fip." #field
#define NAME_acary_cadoux(field) "acary-cadoux." #field
#define NAME_apgd(field) "apgd." #field
#define NAME_admm(field) "admm." #field
#define NAME_dantzig(field) "dantzig." #field

typedef struct option_row {
    const char *name, *text, *names;
    size_t place;
    double value, least, most;
    int is_count;
} option_row;

#define ROW_NUMBER(group, field, value, least, most, text)                                         \
    {NAME_##group(field), text, NULL, PLACE(group, field), value, least, most, 0},
#define ROW_COUNT(group, field, value, least, most, text)                                          \
    {NAME_##group(field), text, NULL, PLACE(group, field), value, least, most, 1},
#define ROW_CHOICE(group, field, value, names, text)                                               \
    {NAME_##group(field), text, names, PLACE(group, field), value, 0, -1, 1},

static const option_row table[] = {MO_OPTIONS_TABLE(ROW_NUMBER, ROW_COUNT, ROW_CHOICE)};
#define ONE_NUMBER(group, field, value, least, most, text) +1
#define ONE_CHOICE(group, field, value, names, text) +1
enum {
    OPTION_COUNT = sizeof table / sizeof table[0],
    COMMON_COUNT = 0 MO_OPTIONS_COMMON(ONE_NUMBER, ONE_NUMBER, ONE_CHOICE) /* the first rows */
};

static int choice_count(const char *names)
{
    int count = 1;
    for (const char *c = names; *c; ++c)
        count += *c == '|';
    return count;
}

static double largest(const option_row *row)
{
    return row->names ? choice_count(row->names) - 1 : row->most;
}

static double get_value(const mo_options *options, const option_row *row)
{
    const char *place = (const char *)options + row->place;
    if (row->is_count) {
        int value;
        memcpy(&value, place, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, place, sizeof value);
    return value;
}

static void put_value(mo_options *options, const option_row *row, double value)
{
    char *place = (char *)options + row->place;
    if (row->is_count) {
        const int count = (int)value;
        memcpy(place, &count, sizeof count);
    } else {
        memcpy(place, &value, sizeof value);
    }
}

#define SET_NUMBER(group, field, value, least, most, text) .MEMBER_##group(field) = value,
#define SET_CHOICE(group, field, value, names, text) .MEMBER_##group(field) = value,

static const mo_options defaults = {MO_OPTIONS_TABLE(SET_NUMBER, SET_NUMBER, SET_CHOICE)};

const mo_options *mo_options_default(void)
{
    return &defaults;
}

mo_options mo_default_options(void)
{
    return defaults;
}

static mo_error check_value(const option_row *row, double value, mo_message *why)
{
    if (value == row->value) /* the usual case */
        return MO_OK;
    if (value >= row->least && value <= largest(row)) /* false for NaN */
        return MO_OK;
    MO_REFUSE_IF(row->names, why, "option %s is not one of %s", row->name, row->names);
    return mo_fail(why, MO_ERR_ARGUMENT, "option %s is %g, but must lie between %g and %g",
                   row->name, value, row->least, row->most);
}

mo_error mo_options_check(const mo_options *options, mo_message *why)
{
    MO_REFUSE_IF(!options, why, "no options were given");
    /* Options of methods are mostly the default ones, and their table is long. */
    const size_t methods = offsetof(mo_options, nsgs);
    const int count = memcmp((const char *)options + methods, (const char *)&defaults + methods,
                             sizeof *options - methods) == 0
                          ? COMMON_COUNT
                          : OPTION_COUNT;
    for (int k = 0; k < count; ++k)
        MO_TRY(check_value(&table[k], get_value(options, &table[k]), why));
    return MO_OK;
}

/* The position of `value` among "a|b|c", or -1. */
static int choice_find(const char *names, const char *value)
{
    const size_t length = strlen(value);
    int position = 0;
    for (const char *name = names;; ++position) {
        const size_t n = strcspn(name, "|");
        if (n == length && memcmp(name, value, n) == 0) return position;
        if (!name[n]) return -1;
        name += n + 1;
    }
}

static mo_error parse_value(const option_row *row, const char *text, double *value, mo_message *why)
{
    if (row->names) {
        *value = choice_find(row->names, text);
        return *value >= 0
                   ? MO_OK
                   : mo_fail(why, MO_ERR_ARGUMENT, "option %s cannot be '%.80s': choose one of %s",
                             row->name, text, row->names);
    }
    char *end;
    mo_c_locale numbers = mo_c_locale_begin();
    *value = strtod(text, &end);
    mo_c_locale_end(&numbers);
    const int is_number = end != text && !*end && *value == *value;
    const int is_whole =
        is_number && *value >= INT_MIN && *value <= INT_MAX && *value == (int)*value;
    MO_REFUSE_IF(!is_number || (row->is_count && !is_whole), why, "option %s needs %s, not '%.80s'",
                 row->name, row->is_count ? "a whole number" : "a number", text);
    return MO_OK;
}

mo_error mo_options_set(mo_options *options, const char *name, const char *value, mo_message *why)
{
    MO_REFUSE_IF(!options || !name || !value, why, "an option needs a name and a value");
    for (int k = 0; k < OPTION_COUNT; ++k) {
        if (strcmp(table[k].name, name) != 0) continue;
        double number = 0;
        mo_error error = parse_value(&table[k], value, &number, why);
        if (!error) error = check_value(&table[k], number, why);
        if (!error) put_value(options, &table[k], number);
        return error;
    }
    return mo_fail(why, MO_ERR_ARGUMENT, "unknown option '%.80s'", name);
}

int mo_option_count(void)
{
    return OPTION_COUNT;
}

mo_option_info mo_option_describe(int index)
{
    if (index < 0 || index >= OPTION_COUNT) return (mo_option_info){0};
    const option_row *row = &table[index];
    return (mo_option_info){row->name,  row->text,    row->names,
                            row->least, largest(row), row->is_count};
}

void mo_option_print(const mo_options *options, int index, char *text, size_t size)
{
    if (index < 0 || index >= OPTION_COUNT || !options || !text || !size) return;
    const option_row *row = &table[index];
    const double value = get_value(options, row);
    if (!row->names) {
        mo_c_locale numbers = mo_c_locale_begin();
        /* the shortest text that reads back as the same number */
        for (int digits = 1; digits <= 17; ++digits) {
            snprintf(text, size, "%.*g", row->is_count ? 10 : digits, value);
            if (strtod(text, NULL) == value) break;
        }
        mo_c_locale_end(&numbers);
        return;
    }
    const char *name = row->names;
    for (int k = 0; k < (int)value && strchr(name, '|'); ++k)
        name = strchr(name, '|') + 1;
    snprintf(text, size, "%.*s", (int)strcspn(name, "|"), name);
}
