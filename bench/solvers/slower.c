/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench slower`: compares two tables of `bench solvers --keep` or `--out`, run by run.
 *
 * A run is slower if its time exceeds `--noise` times the earlier one, and faster if it is below
 * 1 / noise of it.  Times are the fastest of a few runs; the factor covers the remaining noise.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "report.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "bench slower",
    .operands = "FOLDER | BEFORE.csv NOW.csv",
    .summary = "find regressions between two runs of bench solvers",
    .about = "Compares two tables of times of one machine: the last two that moreau bench solvers "
             "--keep has written into a folder, or two files. Runs are matched by problem, method "
             "and target. The exit status is 1 if a run is slower or is no longer solved.",
    .examples = "  moreau bench solvers problems/ --methods auto --keep bench/results/laptop\n"
                "  moreau bench slower bench/results/laptop\n"
                "  moreau bench slower before/runs.csv now/runs.csv --noise 1.5\n",
    .least = 1,
    .most = 2,
};

enum { FLAG_NOISE, FLAG_JSON, FLAG_COUNT };

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_NOISE] = {.name = "noise",
                    .operand = "X",
                    .text = "ignore changes up to this factor",
                    .initial = "1.3"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

enum { PATH_SIZE = 1024, FACT_SIZE = 256, LINE_SIZE = 2048, FACTS = 5 };
static const char *const FACT_NAMES[FACTS] = {"machine", "date", "commit", "compiler", "flags"};

typedef struct entry {
    char problem[96], solver[BOARD_NAME_SIZE], target[32];
    int is_solved;
    double seconds;
} entry;

typedef struct table {
    char path[PATH_SIZE];
    char fact[FACTS][FACT_SIZE]; /* empty if the file does not contain it */
    entry *list;
    int count, room;
} table;

/* ---- reading --------------------------------------------------------------------------------- */

static int add_entry(table *t, char **field)
{
    enum { PROBLEM = 0, OF = 4, SOLVER, TARGET, STATUS, SECONDS };
    if (strcmp(field[OF], "moreau") != 0) return 1;
    if (t->count == t->room) {
        const int room = 2 * t->room + 64;
        entry *list = realloc(t->list, (size_t)room * sizeof *list);
        if (!list) {
            say(COMMAND.name, "memory ran out");
            return 0;
        }
        t->list = list;
        t->room = room;
    }
    entry *e = &t->list[t->count++];
    snprintf(e->problem, sizeof e->problem, "%.95s", field[PROBLEM]);
    snprintf(e->solver, sizeof e->solver, "%.47s", field[SOLVER]);
    snprintf(e->target, sizeof e->target, "%.31s", field[TARGET]);
    e->is_solved = strcmp(field[STATUS], trial_solved) == 0;
    e->seconds = strtod(field[SECONDS], NULL);
    return 1;
}

/* "# commit: 12ab34c" */
static void read_fact(table *t, const char *line)
{
    for (int k = 0; k < FACTS; ++k) {
        const size_t length = strlen(FACT_NAMES[k]);
        if (strncmp(line + 2, FACT_NAMES[k], length) == 0 && line[2 + length] == ':')
            snprintf(t->fact[k], sizeof t->fact[k], "%.*s", FACT_SIZE - 1, line + 2 + length + 2);
    }
}

static int read_table(table *t)
{
    char line[LINE_SIZE], *fields[REPORT_FIELDS];
    FILE *file = fopen(t->path, "r");
    int has_header = 0, good = 1;
    if (!file) {
        say(COMMAND.name, "%.400s cannot be read: %s", t->path, strerror(errno));
        return 0;
    }
    while (good && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!has_header && strncmp(line, "# ", 2) == 0) {
            read_fact(t, line);
        } else if (!has_header) {
            has_header = report_is_header(line);
            good = has_header;
        } else if (report_split(line, fields, REPORT_FIELDS) == REPORT_FIELDS) {
            good = add_entry(t, fields);
        }
    }
    fclose(file);
    if (!has_header) {
        say(COMMAND.name, "%.400s is no table that bench solvers --keep or --out has written",
            t->path);
    }
    return good && has_header;
}

/* The last two tables of a folder by name; false if there are fewer, which has then been
 * reported. */
static int find_last_two(const char *folder, table *before, table *now)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    int found = 0;
    for (int k = count - 1; k >= 0; --k) {
        const char *name = entries[k]->d_name;
        const size_t length = strlen(name);
        const int is_table = length > 4 && strcmp(name + length - 4, ".csv") == 0 &&
                             strncmp(name, "profile-", 8) != 0;
        if (is_table && found < 2) {
            table *t = found++ == 0 ? now : before;
            snprintf(t->path, sizeof t->path, "%.400s/%.400s", folder, name);
        }
        free(entries[k]);
    }
    free(entries);
    if (found < 2) {
        say(COMMAND.name,
            "%.400s holds %d table%s; two are compared: run bench solvers --keep %.400s", folder,
            found, found == 1 ? "" : "s", folder);
    }
    return found == 2;
}

/* ---- comparing ------------------------------------------------------------------------------- */

typedef enum change { SAME, SLOWER, FASTER, LOST, GAINED } change;

typedef struct pair {
    const entry *before, *now;
    change change;
    double ratio; /* NAN if one of them is not solved */
} pair;

typedef struct comparison {
    pair *list;
    int count, of[GAINED + 1];
    double mean; /* geometric, of the ratios; NAN if there are none */
} comparison;

static const entry *find_entry(const table *t, const entry *like)
{
    for (int k = 0; k < t->count; ++k) {
        const entry *e = &t->list[k];
        if (strcmp(e->problem, like->problem) == 0 && strcmp(e->solver, like->solver) == 0 &&
            strcmp(e->target, like->target) == 0)
            return e;
    }
    return NULL;
}

static pair compare_runs(const entry *before, const entry *now, double noise)
{
    pair p = {before, now, SAME, NAN};
    if (before->is_solved && now->is_solved) {
        p.ratio = now->seconds / before->seconds;
        p.change = p.ratio > noise ? SLOWER : p.ratio < 1 / noise ? FASTER : SAME;
    } else if (before->is_solved != now->is_solved) {
        p.change = before->is_solved ? LOST : GAINED;
    }
    return p;
}

static int by_ratio(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->change != y->change ? (int)x->change - (int)y->change
                                  : (x->ratio < y->ratio) - (x->ratio > y->ratio);
}

static int compare(const table *before, const table *now, double noise, comparison *c)
{
    double sum = 0;
    int both = 0;
    *c = (comparison){.list = malloc(((size_t)now->count + 1) * sizeof *c->list)};
    if (!c->list) {
        say(COMMAND.name, "memory ran out");
        return 0;
    }
    for (int k = 0; k < now->count; ++k) {
        const entry *old = find_entry(before, &now->list[k]);
        if (old) {
            const pair p = compare_runs(old, &now->list[k], noise);
            c->list[c->count++] = p;
            ++c->of[p.change];
            both += !isnan(p.ratio);
            sum += isnan(p.ratio) ? 0 : log(p.ratio);
        }
    }
    c->mean = both > 0 ? exp(sum / both) : NAN;
    qsort(c->list, (size_t)c->count, sizeof *c->list, by_ratio);
    return 1;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void print(const table *before, const table *now, double noise, const comparison *c)
{
    for (int k = 0; k < FACTS; ++k) {
        const int differ = strcmp(before->fact[k], now->fact[k]) != 0;
        if (before->fact[k][0] || now->fact[k][0]) {
            printf("%-9s %s%s%s\n", FACT_NAMES[k], before->fact[k], differ ? " -> " : "",
                   differ ? now->fact[k] : "");
        }
    }
    for (int k = 0; k < c->count; ++k) {
        const pair *p = &c->list[k];
        if (p->change == SLOWER || p->change == LOST) {
            printf("%s  ", p->change == SLOWER ? "slower" : "lost  ");
            text_put_column(stdout, p->now->problem, 32);
            printf(" %-14s %-6s", p->now->solver, p->now->target);
            if (p->change == SLOWER) {
                printf(" %.3g -> %.3g ms (%.2f)", 1e3 * p->before->seconds, 1e3 * p->now->seconds,
                       p->ratio);
            }
            putchar('\n');
        }
    }
    printf("%d runs compared", c->count);
    if (!isnan(c->mean)) printf(", times %.3f of those before in the geometric mean", c->mean);
    printf(": %d slower and %d faster by a factor of %g, %d no longer solved, %d newly solved\n",
           c->of[SLOWER], c->of[FASTER], noise, c->of[LOST], c->of[GAINED]);
}

static void json_facts(json *j, const char *key, const table *t)
{
    json_object(j, key);
    json_text(j, "file", t->path);
    for (int k = 0; k < FACTS; ++k)
        json_text(j, FACT_NAMES[k], t->fact[k][0] ? t->fact[k] : NULL);
    json_object_end(j);
}

static void print_json(const table *before, const table *now, double noise, const comparison *c)
{
    static const char *const words[] = {"same", "slower", "faster", "lost", "gained"};
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_facts(&j, "before", before);
    json_facts(&j, "now", now);
    json_number(&j, "noise", noise);
    json_number(&j, "mean_ratio", c->mean);
    json_array(&j, "runs");
    for (int k = 0; k < c->count; ++k) {
        const pair *p = &c->list[k];
        json_object(&j, NULL);
        json_text(&j, "problem", p->now->problem);
        json_text(&j, "solver", p->now->solver);
        json_text(&j, "target", p->now->target);
        json_text(&j, "change", words[p->change]);
        json_number(&j, "ratio", p->ratio);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int compare_tables(table *before, table *now, double noise, int as_json)
{
    comparison c = {.list = NULL};
    int status = EXIT_FAILED;
    if (read_table(before) && read_table(now) && compare(before, now, noise, &c)) {
        (as_json ? print_json : print)(before, now, noise, &c);
        status = c.of[SLOWER] + c.of[LOST] == 0 && output_is_good() ? EXIT_DONE : EXIT_FAILED;
    }
    free(c.list);
    free(before->list);
    free(now->list);
    return status;
}

static int is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int bench_slower_command(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    static table before, now;
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    char *end = NULL;
    const double noise = flags[FLAG_NOISE].value ? strtod(flags[FLAG_NOISE].value, &end) : 1.3;
    if ((end && (*end || end == flags[FLAG_NOISE].value)) || !(noise >= 1 && noise <= 1e6)) {
        say(COMMAND.name, "--noise needs a number from 1 to 1e6, not '%.60s'",
            flags[FLAG_NOISE].value);
        return EXIT_CALL;
    }
    if (operands == 1 && !is_folder(argv[0])) {
        say(COMMAND.name, "%.400s is no folder; name a folder, or two tables", argv[0]);
        return EXIT_CALL;
    }
    if (operands == 2) {
        snprintf(before.path, sizeof before.path, "%.1000s", argv[0]);
        snprintf(now.path, sizeof now.path, "%.1000s", argv[1]);
    } else if (!find_last_two(argv[0], &before, &now)) {
        return EXIT_FAILED;
    }
    return compare_tables(&before, &now, noise, flags[FLAG_JSON].value != NULL);
}

int bench_slower(const experiment_call *asked)
{
    (void)asked;
    say(COMMAND.name, "name a folder of results, or two tables; moreau bench slower --help");
    return EXIT_CALL;
}
