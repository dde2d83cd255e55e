/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench sim`: the same scenes in Moreau and in the engines of others, in one table.
 *
 * A run is one configuration of one engine on one scene, in a process of its own (run.h,
 * ../solvers/child.h); the board keeps what came of it (rows.h); report.h shows it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "asked.h"
#include "bench.h"
#include "beside.h"
#include "child.h"
#include "exit_status.h"
#include "experiments.h"
#include "ours.h"
#include "progress.h"
#include "report.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "bench sim",
    .operands = "",
    .summary = "the same scenes in Moreau and in MuJoCo, ODE and Bullet",
    .about =
        "Compares the time of a step, penetration, drift and energy, and judges the contact"
        " impulses of every engine by one measure. Other engines take part if they were installed"
        " when Moreau was built.\n\n"
        "Scenes: block-rests, block-slides, ball-rolls (each also with -45: at 45 degrees to the "
        "axes of friction), stack-10, stack-30, wall-200, wall-1000, planks-120, discs-136, "
        "discs-210, beads-150, beads-300, beads-600, and heap-KIND-100 with KIND boxes, capsules, "
        "cylinders, hulls or mixed. These run only if named with --scene: beads-5000, beads-20000, "
        "heap-KIND-300, heap-KIND-1000, heap-KIND-5000, and any scene of moreau run --list that "
        "consists of balls, boxes, capsules, cylinders, hulls and planes, with parameters: --scene "
        "funnel,count=100. Figures of a heap are means over three seeds.\n\n"
        "A configuration of Moreau is the relative residual of a step, such as 2e-3, or peer: the "
        "residual of the fastest other engine.",
    .examples = "  moreau bench sim\n"
                "  moreau bench sim --quick\n"
                "  moreau bench sim --against ode --scene stack-30 --scene wall-200\n"
                "  moreau bench sim --scene beads-5000 --time-limit 60\n"
                "  moreau bench sim --scene heap-boxes-300 --scene heap-mixed-300\n"
                "  moreau bench sim --scene heap-boxes-1000 --configurations 1e-2,peer,si-10\n"
                "  moreau bench sim --scene stack,count=5 --configurations si-10,si-200 --json\n",
    .least = 0,
    .most = 0,
};

enum {
    FLAG_AGAINST,
    FLAG_SCENE,
    FLAG_CONFIGURATIONS,
    FLAG_STEPS,
    FLAG_TIME,
    FLAG_QUICK,
    FLAG_OUT,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_AGAINST] = {.name = "against",
                      .operand = "A,B",
                      .text = "other engines: mujoco, ode, bullet, or none",
                      .initial = "all of this build"},
    [FLAG_SCENE] = {.name = "scene",
                    .operand = "NAME",
                    .text = "run only this scene; may be given several times"},
    [FLAG_CONFIGURATIONS] = {.name = "configurations",
                             .operand = "A,B",
                             .text =
                                 "solvers and settings of the engines, for every scene; moreau-ode "
                                 "--list shows those of ODE, and likewise for the others",
                             .initial = "a selection for each scene"},
    [FLAG_STEPS] = {.name = "steps",
                    .operand = "N",
                    .text = "number of steps of every scene; default: that of the scene"},
    [FLAG_TIME] = {.name = "time_limit",
                   .operand = "X",
                   .text = "maximum processor time of one run, in s; the results so far are "
                           "reported",
                   .initial = "20"},
    [FLAG_QUICK] = {.name = "quick", .text = "a few small scenes, one configuration of each peer"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FOLDER",
                  .text = "write sim.csv and the figure sim.svg to this folder"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

/* ---- peers ----------------------------------------------------------------------------------- */

enum { PEER_COUNT = 3, LIST_SIZE = 1024, ANSWER_SIZE = 1 << 16 };

typedef struct sim_peer {
    const char *name, *package;
    const char *missing;
    int is_asked, is_there;
    char program[BESIDE_PATH_SIZE];
    char list[LIST_SIZE]; /* its configurations, between commas */
} sim_peer;

static const sim_peer PEERS[PEER_COUNT] = {
    {.name = "mujoco",
     .package = "libmujoco-dev",
     .missing = "mujoco: not built in (install libmujoco-dev, configure and build again)"},
    {.name = "ode",
     .package = "libode-dev",
     .missing = "ode: not built in (install libode-dev, configure and build again)"},
    {.name = "bullet",
     .package = "libbullet-dev",
     .missing = "bullet: not built in (install libbullet-dev and g++, configure and build again)"},
};

static int ask_for_list(const void *input, FILE *out)
{
    const sim_peer *peer = input;
    char program[BESIDE_PATH_SIZE], list[] = "--list";
    snprintf(program, sizeof program, "%s", peer->program);
    char *const words[] = {program, list, NULL};
    return beside_become(words, out);
}

static void open_peer(sim_peer *peer, sim_board *board)
{
    static const double patience = 20;
    peer->is_there =
        beside_find(peer->name, peer->program) &&
        child_run(ask_for_list, peer, patience, peer->list, sizeof peer->list) == CHILD_DONE;
    if (!peer->is_there && peer->is_asked) board->missing[board->missing_count++] = peer->missing;
    for (char *at = peer->list; *at; ++at)
        *at = *at == '\n' ? ',' : *at;
}

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct call {
    sim_peer peers[PEER_COUNT];
    const char *configurations; /* or NULL */
    int is_quick, json;
    const char *out;
} call;

static int read_against(const char *text, call *c)
{
    int known = text ? 0 : 1, asked = text ? 1 : 0;
    for (const char *at = text; at && *at; ++at)
        asked += *at == ',';
    for (int k = 0; k < PEER_COUNT; ++k) {
        c->peers[k].is_asked = !text || sim_is_among(c->peers[k].name, text);
        known += text && c->peers[k].is_asked;
    }
    if (text && strcmp(text, "none") != 0 && known != asked) {
        say(COMMAND.name,
            "--against takes mujoco, ode and bullet, between commas, or none; not "
            "'%.60s'",
            text);
        return 0;
    }
    return 1;
}

/* Ours are tolerances, and "peer": the residual of the fastest of the others. */
static const char *const AS_PEER = "peer";

static int is_ours(const char *name)
{
    return sim_ours_tolerance(name) > 0 || strcmp(name, AS_PEER) == 0;
}

/* Is every name a configuration of an engine?  Those of peers that are not part of this build
 * are unknown. */
static int check_configurations(const call *c, const sim_board *board)
{
    char name[CONFIG_NAME_SIZE];
    for (const char *at = c->configurations; at && *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int is_known = is_ours(name);
        for (int k = 0; k < PEER_COUNT; ++k)
            is_known = is_known || (c->peers[k].is_there && sim_is_among(name, c->peers[k].list));
        if (!is_known) {
            say(COMMAND.name,
                "no engine has a configuration '%s'%s; a number above 0 and up to 1 is one of "
                "ours: the residual of a step",
                name, board->missing_count ? " in this build" : "");
            return 0;
        }
        at += length;
    }
    return 1;
}

static int take_rows(const args_values *names, const call *c, sim_board *board)
{
    mo_message why = {""};
    const size_t most = (size_t)(names->count > 0 ? names->count : sim_row_count());
    board->row = calloc(most, sizeof *board->row);
    for (int k = 0; board->row && k < names->count; ++k) {
        if (!sim_row_find(names->at[k], board->row + board->row_count++, &why)) {
            say(COMMAND.name, "%s", why.text);
            return 0;
        }
    }
    for (int k = 0; board->row && names->count == 0 && k < sim_row_count(); ++k) {
        const sim_row *row = sim_row_at(k);
        if (row->when == ROW_QUICK || (row->when == ROW_USUAL && !c->is_quick))
            board->row[board->row_count++] = *row;
    }
    return board->row != NULL;
}

/* A number after a flag; false if it is none within its range; the error is reported. */
static int read_number(const char *text, const char *flag, double least, double most, int whole,
                       double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= least && *value <= most) ||
        (whole && *value != floor(*value))) {
        say(COMMAND.name, "--%s needs a %snumber from %g to %g, not '%.60s'", flag,
            whole ? "whole " : "", least, most, text);
        return 0;
    }
    return 1;
}

static int read_call(const args_flag *flags, const args_values *scenes, call *c, sim_board *board)
{
    double steps = 0;
    memcpy(c->peers, PEERS, sizeof PEERS);
    c->configurations = flags[FLAG_CONFIGURATIONS].value;
    c->is_quick = flags[FLAG_QUICK].value != NULL;
    c->json = flags[FLAG_JSON].value != NULL;
    c->out = flags[FLAG_OUT].value;
    board->limit = 20;
    if ((flags[FLAG_TIME].value &&
         !read_number(flags[FLAG_TIME].value, "time-limit", 1e-3, 1e6, 0, &board->limit)) ||
        (flags[FLAG_STEPS].value &&
         !read_number(flags[FLAG_STEPS].value, "steps", 1, 1e8, 1, &steps)) ||
        !read_against(flags[FLAG_AGAINST].value, c))
        return 0;
    for (int k = 0; k < PEER_COUNT; ++k)
        open_peer(&c->peers[k], board);
    if (!check_configurations(c, board) || !take_rows(scenes, c, board)) return 0;
    for (int k = 0; k < board->row_count && steps > 0; ++k)
        board->row[k].time = steps * board->row[k].step;
    return 1;
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct run_input {
    const sim_peer *peer; /* NULL: ours */
    const char *config;
    sim_call call;
} run_input;

static int run_ours(const void *input, FILE *out)
{
    const run_input *in = input;
    sim_run(&sim_ours, 0, &in->call, out);
    return 0;
}

static int run_peer(const void *input, FILE *out)
{
    enum { WORDS = 7 };
    const run_input *in = input;
    char text[WORDS][BESIDE_PATH_SIZE];
    char *words[WORDS + 1] = {NULL};
    snprintf(text[0], sizeof text[0], "%s", in->peer->program);
    snprintf(text[1], sizeof text[1], "%s", in->config);
    snprintf(text[2], sizeof text[2], "%.17g", in->call.step);
    snprintf(text[3], sizeof text[3], "%d", in->call.steps);
    snprintf(text[4], sizeof text[4], "%.9g", in->call.limit);
    snprintf(text[5], sizeof text[5], "%d", (int)in->call.question);
    snprintf(text[6], sizeof text[6], "%s", in->call.scene);
    for (int k = 0; k < WORDS; ++k)
        words[k] = text[k];
    return beside_become(words, out);
}

/* A progress line on the terminal. */
static void show(const sim_board *board, const sim_entry *entry)
{
    progress_line("[%d/%d] %s: %s %s", entry->row + 1, board->row_count,
                  board->row[entry->row].name, entry->engine, entry->config);
}

/* One run in its own process, which may fail. */
static sim_outcome run_once(const sim_board *board, const sim_row *row, const sim_peer *peer,
                            const char *config, const char *scene)
{
    static char answer[ANSWER_SIZE];
    const run_input input = {peer,
                             config,
                             {scene, row->step, sim_row_steps(row), board->limit, row->question,
                              peer ? 0 : sim_ours_tolerance(config)}};
    const child_end end = child_run(peer ? run_peer : run_ours, &input, 60 + 10 * board->limit,
                                    answer, sizeof answer);
    sim_outcome outcome;
    if (!sim_outcome_parse(answer, &outcome)) outcome = sim_outcome_start();
    if (sim_outcome_is(&outcome, sim_running)) /* it did not finish */
        sim_outcome_end(&outcome, end == CHILD_TIME ? sim_time_limit : sim_crashed, "");
    return outcome;
}

/* One configuration on one row, over its seeds. */
static int try(sim_board *board, int row, const sim_peer *peer, const char *config)
{
    const sim_row *r = board->row + row;
    sim_entry entry = {.row = row, .engine = peer ? peer->name : sim_ours.name};
    snprintf(entry.config, sizeof entry.config, "%s", config);
    show(board, &entry);
    for (int seed = 0; seed < r->seeds || seed == 0; ++seed) {
        char scene[ROW_TEXT_SIZE + 32];
        const int length = snprintf(scene, sizeof scene, "%s", r->scene);
        if (r->seeds > 0)
            snprintf(scene + length, sizeof scene - (size_t)length, ",seed=%d", seed + 1);
        const sim_outcome outcome = run_once(board, r, peer, config, scene);
        sim_outcome_add(&entry.outcome, seed, &outcome);
    }
    return sim_board_add(board, &entry);
}

/* The configurations of an engine for a row: the requested ones, or those of the row; --quick
 * takes the first. */
static int try_all(sim_board *board, int row, const sim_peer *peer, const char *wanted,
                   int is_quick)
{
    const char *list = peer ? peer->list : "";
    for (const char *at = wanted; *at; at += *at == ',') {
        char name[CONFIG_NAME_SIZE];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        const int is_its = peer ? sim_is_among(name, list) : sim_ours_tolerance(name) > 0;
        if (is_its && !try(board, row, peer, name)) return 0;
        if (is_its && is_quick) break;
    }
    return 1;
}

static int has_ours(const char *configurations)
{
    for (const char *at = configurations; *at; at += *at == ',') {
        char name[CONFIG_NAME_SIZE];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        if (is_ours(name)) return 1;
    }
    return 0;
}

/* Ours at the residual of the fastest of the others. */
static int try_as_peer(sim_board *board, int row)
{
    const sim_entry *peer = sim_board_fastest_peer(board, row);
    char tol[CONFIG_NAME_SIZE];
    if (!peer || !(peer->outcome.residual > 0)) return 1;
    snprintf(tol, sizeof tol, "%.2g", fmin(peer->outcome.residual, 1));
    return try(board, row, NULL, tol);
}

static int run_row(const call *c, sim_board *board, int row)
{
    const sim_row *r = board->row + row;
    const char *asked = c->configurations;
    const char *ours = asked && has_ours(asked) ? asked : r->ours;
    int is_well = try_all(board, row, NULL, ours, c->is_quick);
    for (int k = 0; k < PEER_COUNT && is_well; ++k) {
        const sim_peer *peer = c->peers + k;
        if (peer->is_asked && peer->is_there)
            is_well = try_all(board, row, peer, asked ? asked : r->theirs, c->is_quick && !asked);
    }
    if (is_well && sim_is_among(AS_PEER, ours) && !c->is_quick) is_well = try_as_peer(board, row);
    return is_well;
}

static int run_all(const call *c, sim_board *board)
{
    const progress_clock clock = progress_begin();
    int is_well = 1;
    for (int row = 0; row < board->row_count && is_well; ++row) {
        is_well = run_row(c, board, row);
        progress_line("%s", "");
        progress_expect_rest(&clock, row + 1, board->row_count);
        if (is_well && !c->json) sim_report_row(board, row);
    }
    if (!is_well) {
        say(COMMAND.name, "memory ran out");
        return EXIT_FAILED;
    }
    if (c->json)
        sim_report_json(board);
    else
        sim_report_end(board);
    const int status = c->out ? sim_report_write(board, c->out) : EXIT_DONE;
    return output_is_good() ? status : EXIT_FAILED;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_with(args_flag *flags, const args_values *scenes)
{
    call c = {.out = NULL};
    sim_board board = {.row = NULL};
    int status = read_call(flags, scenes, &c, &board) ? EXIT_DONE : EXIT_CALL;
    status = status ? status : asked_folder(COMMAND.name, c.out);
    status = status ? status : run_all(&c, &board);
    sim_board_clear(&board);
    return status;
}

int bench_sim_command(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    args_values scenes = {.count = 0};
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SCENE].all = &scenes;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    return run_with(flags, &scenes);
}

int bench_sim(const experiment_call *asked)
{
    args_flag flags[FLAG_COUNT];
    const args_values none = {.count = 0};
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_OUT].value = asked->out;
    flags[FLAG_JSON].value = asked->json ? "" : NULL;
    return run_with(flags, &none);
}
