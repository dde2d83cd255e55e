/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Results of a benchmark, a record each: rows of a table, or objects of JSON.  A column names the
 * member of the record once for both.
 *
 *   bench_table table = table_begin("standing", COLUMNS, COLUMN_COUNT, is_json);
 *   table_number(&table, "time", 60);       members of the JSON object besides
 *   table_head(&table, "title\n\n");
 *   table_add(&table, &record);             for each
 *   table_end(&table);
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stddef.h>

#include "json.h"

typedef enum column_kind {
    COLUMN_TEXT,     /* const char * */
    COLUMN_INT,      /* int */
    COLUMN_LONG,     /* long */
    COLUMN_GENERAL,  /* double, as %g */
    COLUMN_EXPONENT, /* double, as %e */
    COLUMN_FIXED,    /* double, as %f */
    COLUMN_BYTES     /* double, with its unit */
} column_kind;

typedef struct bench_column {
    column_kind kind;
    size_t at;        /* of the value in the record */
    const char *key;  /* in JSON; NULL: in the table alone */
    const char *head; /* in the table; NULL: in JSON alone */
    int width;        /* of the table; negative: from the left */
    int digits;       /* after the point, or of %g */
    double scale;     /* of the table: what a value is multiplied by; 0 is 1 */
} bench_column;

typedef struct bench_table {
    const bench_column *columns;
    int count, is_json;
    json json;
} bench_table;

bench_table table_begin(const char *bench, const bench_column *columns, int count, int is_json);
void table_number(bench_table *table, const char *key, double value);
void table_head(bench_table *table, const char *title, ...) __attribute__((format(printf, 2, 3)));
void table_add(bench_table *table, const void *record);
void table_end(bench_table *table);

#endif
