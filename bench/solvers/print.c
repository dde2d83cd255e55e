/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scoreboard on the terminal and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "report.h"
#include "text.h"

enum { PEERS_SHOWN = 12 };

/* ---- text ------------------------------------------------------------------------------------ */

/* Three digits: times from a fraction of a microsecond to minutes stand in one column. */
static number_text seconds_text(double seconds)
{
    number_text t;
    const double scale = seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1;
    const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
    const double value = scale * seconds;
    snprintf(t.text, sizeof t.text, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, unit);
    return t;
}

static void print_run(const board_run *run, int with_name)
{
    char text[2 * BOARD_NAME_SIZE] = "-";
    if (run && trial_is_solved(&run->line)) {
        snprintf(text, sizeof text, "%s%s%s", seconds_text(run->line.seconds).text,
                 with_name ? " " : "", with_name ? run->solver : "");
    } else if (run) {
        snprintf(text, sizeof text, "%s", run->line.status);
    }
    printf("  %-*.*s", with_name ? 25 : 11, with_name ? 25 : 11, text);
}

static void print_ratio(double ratio)
{
    if (isnan(ratio))
        printf("%8s", "-");
    else
        printf("%8.3g", ratio);
}

static void print_problem(const board *b, int p, int target)
{
    text_put_column(stdout, b->problems[p].name, 32);
    printf(" %8d", b->problems[p].contacts);
    print_run(board_find(b, p, target, 0, b->standard), 0);
    print_run(board_best(b, p, target, 0), 1);
    if (b->peer) {
        if (board_has_peer(b, p, target))
            print_run(board_best(b, p, target, 1), 1);
        else
            printf("  %-25s", "not tried");
        print_ratio(board_ratio(b, p, target, b->standard));
        print_ratio(board_ratio(b, p, target, NULL));
    }
    printf("\n");
}

static void print_table(const board *b, int target)
{
    printf("\nTime to a residual of %s\n\n%-32s %8s  %-11s  %-25s",
           trial_target_name(b->call.targets[target]).text, "problem", "contacts", b->standard,
           "our best");
    if (b->peer) printf("  %-25s%8s%8s", b->peer, "ratio", "of best");
    printf("\n");
    for (int p = 0; p < b->problem_count; ++p)
        print_problem(b, p, target);
}

static void print_match(const board *b, int target, const char *method)
{
    const board_match m = board_compare(b, target, method);
    const char *name = method ? method : "our best";
    if (m.both > 0) {
        printf(
            "  %s over the best of %s: %.3g, the geometric mean of %s with %d contacts or more\n",
            name, b->peer, m.mean, number_count(m.both, "problem").text, BOARD_COUNTED_CONTACTS);
    }
    if (m.worst >= 0) {
        printf("  %s at worst: %.3g, on ", name, m.worst_ratio);
        text_put(stdout, b->problems[m.worst].name);
        printf("\n");
    }
    printf("  solved by %s alone: %d, by %s alone: %d, by neither: %d\n", name, m.ours_only,
           b->peer, m.theirs_only, m.neither);
}

/* Problems that no solver of a side solves. */
static void print_unsolved(const board *b, int target, int is_peer, const char *method)
{
    int count = 0;
    for (int p = 0; p < b->problem_count; ++p) {
        const board_run *run =
            method ? board_find(b, p, target, is_peer, method) : board_best(b, p, target, is_peer);
        if ((run && trial_is_solved(&run->line)) || (is_peer && !board_has_peer(b, p, target)))
            continue;
        printf("%s", count++ ? ", " : "");
        text_put(stdout, b->problems[p].name);
    }
    printf("%s\n", count ? "" : "none");
}

static void print_solvers(const board *b, int target)
{
    int count = 0, shown = 0;
    board_solver *list = board_solvers(b, target, &count);
    printf("\n%-34s %6s %6s %8s %6s\n", "solver", "takes", "solves", "fastest", "area");
    for (int k = 0; list && k < count; ++k) {
        if (list[k].is_peer && ++shown > PEERS_SHOWN) {
            printf("... and %d more of %s\n", count - k, b->peer);
            break;
        }
        printf("%-8s%-26s %6d %6d %8d %6.3f\n", list[k].is_peer ? b->peer : "", list[k].name,
               list[k].tried, list[k].solved, list[k].fastest, list[k].area);
    }
    free(list);
}

void report_print(const board *b)
{
    printf("Every method on %s, one thread, at most %s a run, the fastest of %d runs or more; the\n"
           "residual is the natural map over max(1, |q|), measured from r alone.\n",
           number_count(b->problem_count, "problem").text, number_seconds(b->call.time_limit).text,
           b->call.repeats);
    for (int t = 0; t < b->call.target_count; ++t) {
        print_table(b, t);
        printf("\n");
        if (b->peer) {
            print_match(b, t, b->standard);
            print_match(b, t, NULL);
        }
        printf("  not solved by %s: ", b->standard);
        print_unsolved(b, t, 0, b->standard);
        printf("  not solved by any of ours: ");
        print_unsolved(b, t, 0, NULL);
        if (b->peer) {
            printf("  not solved by any of %s: ", b->peer);
            print_unsolved(b, t, 1, NULL);
        }
        print_solvers(b, t);
    }
    printf("\nArea: below the performance profile, over the logarithm of the ratio from 1 to 10^4; "
           "1 is the best there\n"
           "can be.\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_run(json *j, const board *b, const board_run *run)
{
    json_object(j, NULL);
    json_text(j, "solver", run->solver);
    json_text(j, "of", run->is_peer ? b->peer : "moreau");
    json_number(j, "target", b->call.targets[run->target]);
    json_text(j, "status", run->line.status);
    json_number(j, "seconds", run->line.seconds);
    json_number(j, "residual", run->line.residual);
    json_whole(j, "iterations", run->line.iterations);
    json_number(j, "tolerance", run->line.tolerance);
    json_object_end(j);
}

static void json_match(json *j, const board *b, int target, const char *key, const char *method)
{
    const board_match m = board_compare(b, target, method);
    json_object(j, key);
    json_number(j, "mean_ratio", m.mean);
    json_whole(j, "problems", m.both);
    json_number(j, "worst_ratio", m.worst >= 0 ? m.worst_ratio : NAN);
    json_text(j, "worst", m.worst >= 0 ? b->problems[m.worst].name : NULL);
    json_whole(j, "ours_only", m.ours_only);
    json_whole(j, "theirs_only", m.theirs_only);
    json_whole(j, "neither", m.neither);
    json_object_end(j);
}

static void json_solvers(json *j, const board *b, int target)
{
    int count = 0;
    board_solver *list = board_solvers(b, target, &count);
    json_array(j, "solvers");
    for (int k = 0; list && k < count; ++k) {
        json_object(j, NULL);
        json_text(j, "solver", list[k].name);
        json_text(j, "of", list[k].is_peer ? b->peer : "moreau");
        json_whole(j, "takes", list[k].tried);
        json_whole(j, "solves", list[k].solved);
        json_whole(j, "fastest", list[k].fastest);
        json_number(j, "area", list[k].area);
        json_object_end(j);
    }
    json_array_end(j);
    free(list);
}

static void json_targets(json *j, const board *b)
{
    json_array(j, "targets");
    for (int t = 0; t < b->call.target_count; ++t) {
        json_object(j, NULL);
        json_number(j, "target", b->call.targets[t]);
        if (b->peer) {
            json_match(j, b, t, "default_beside_peer", b->standard);
            json_match(j, b, t, "best_beside_peer", NULL);
        }
        json_solvers(j, b, t);
        json_object_end(j);
    }
    json_array_end(j);
}

void report_json(const board *b)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "solvers");
    json_text(&j, "default", b->standard);
    json_text(&j, "against", b->peer);
    json_number(&j, "time_limit", b->call.time_limit);
    json_targets(&j, b);
    json_array(&j, "problems");
    for (int p = 0; p < b->problem_count; ++p) {
        json_object(&j, NULL);
        json_text(&j, "name", b->problems[p].name);
        json_text(&j, "form", b->problems[p].form == MO_FORM_GLOBAL ? "global" : "reduced");
        json_whole(&j, "contacts", b->problems[p].contacts);
        json_whole(&j, "rows", b->problems[p].rows);
        json_array(&j, "runs");
        for (int k = 0; k < b->run_count; ++k)
            if (b->runs[k].problem == p) json_run(&j, b, &b->runs[k]);
        json_array_end(&j);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}
