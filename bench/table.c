/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>

#include "number.h"

bench_table table_begin(const char *bench, const bench_column *columns, int count, int is_json)
{
    bench_table table = {.columns = columns, .count = count, .is_json = is_json};
    if (is_json) {
        table.json = json_begin(stdout);
        json_object(&table.json, NULL);
        json_text(&table.json, "bench", bench);
    }
    return table;
}

void table_number(bench_table *table, const char *key, double value)
{
    if (table->is_json) json_number(&table->json, key, value);
}

void table_head(bench_table *table, const char *title, ...)
{
    if (table->is_json) {
        json_array(&table->json, "runs");
        return;
    }
    va_list values;
    va_start(values, title);
    vprintf(title, values);
    va_end(values);
    const char *between = "";
    for (int k = 0; k < table->count; ++k) {
        if (table->columns[k].head) {
            printf("%s%*s", between, table->columns[k].width, table->columns[k].head);
            between = " ";
        }
    }
    printf("\n");
    fflush(stdout);
}

/* ---- a value --------------------------------------------------------------------------------- */

static double number_of(const bench_column *column, const void *value)
{
    switch (column->kind) {
    case COLUMN_TEXT:
        return 0;
    case COLUMN_INT:
        return *(const int *)value;
    case COLUMN_LONG:
        return (double)*(const long *)value;
    default:
        return *(const double *)value;
    }
}

static void print_value(const bench_column *column, const void *value)
{
    const int width = column->width, digits = column->digits;
    const double number = number_of(column, value) * (column->scale != 0 ? column->scale : 1);
    switch (column->kind) {
    case COLUMN_TEXT:
        printf("%*s", width, *(const char *const *)value);
        break;
    case COLUMN_INT:
    case COLUMN_LONG:
        printf("%*.0f", width, number);
        break;
    case COLUMN_GENERAL:
        printf("%*.*g", width, digits, number);
        break;
    case COLUMN_EXPONENT:
        printf("%*.*e", width, digits, number);
        break;
    case COLUMN_FIXED:
        printf("%*.*f", width, digits, number);
        break;
    case COLUMN_BYTES:
        printf("%*s", width, number_bytes(number).text);
        break;
    }
}

static void put_value(json *j, const bench_column *column, const void *value)
{
    switch (column->kind) {
    case COLUMN_TEXT:
        json_text(j, column->key, *(const char *const *)value);
        break;
    case COLUMN_INT:
        json_whole(j, column->key, *(const int *)value);
        break;
    case COLUMN_LONG:
        json_whole(j, column->key, *(const long *)value);
        break;
    default:
        json_number(j, column->key, *(const double *)value);
    }
}

/* ---- a record -------------------------------------------------------------------------------- */

static void print_record(const bench_table *table, const void *record)
{
    const char *between = "";
    for (int k = 0; k < table->count; ++k) {
        const bench_column *column = table->columns + k;
        if (column->head) {
            printf("%s", between);
            print_value(column, (const char *)record + column->at);
            between = " ";
        }
    }
    printf("\n");
    fflush(stdout);
}

void table_add(bench_table *table, const void *record)
{
    if (!table->is_json) {
        print_record(table, record);
        return;
    }
    json_object(&table->json, NULL);
    for (int k = 0; k < table->count; ++k) {
        const bench_column *column = table->columns + k;
        if (column->key) put_value(&table->json, column, (const char *)record + column->at);
    }
    json_object_end(&table->json);
}

void table_end(bench_table *table)
{
    if (table->is_json) {
        json_array_end(&table->json);
        json_object_end(&table->json);
        json_end(&table->json);
    }
}
