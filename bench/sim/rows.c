/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "worlds.h"

#define TURNED "turn=0.7853981633974483"
#define SINGLE "newton-elliptic,newton-pyramidal,quick-20,worldstep,si-10,si-50"
#define STACKS SINGLE ",quick-100,nncg-50"
#define DISCS "newton-elliptic,newton-pyramidal,quick-20,quick-100,si-10,si-50,nncg-50"
#define GRAINS "cg-elliptic,cg-pyramidal,quick-20,si-10,si-50"
#define WALLS "cg-elliptic,quick-20,quick-100,si-10,si-50,nncg-50"
#define FINE "1e-8"
#define COARSE "2e-3,1e-4"
#define HEAPED COARSE ",peer"

/* Bodies dropped into a box: four sizes of one kind, three seeds each. */
#define HEAP(kind, shape, count, theirs, when)                                                     \
    {                                                                                              \
        "heap-" kind "-" #count, #count " " kind " dropped into a box",                            \
            "heap,shape=" #shape ",count=" #count, 0.01, 3, SIM_SETTLE, HEAPED, theirs, when, 3    \
    }
#define HEAPS(kind, shape)                                                                         \
    HEAP(kind, shape, 100, "cg-elliptic,quick-20,si-10,si-50", ROW_USUAL),                         \
        HEAP(kind, shape, 300, "cg-elliptic,quick-20,si-10,si-50", ROW_ASKED),                     \
        HEAP(kind, shape, 1000, "quick-20,si-10", ROW_ASKED),                                      \
        HEAP(kind, shape, 5000, "quick-20,si-10", ROW_ASKED)

static const sim_row ROWS[] = {
    {"block-rests", "a block on a slope, tan = 0.5, mu = 0.51, along an axis of friction",
     "incline,mu=0.51", 0.02, 10, SIM_REST, FINE, SINGLE, ROW_USUAL, 0},
    {"block-rests-45", "a block on a slope, tan = 0.5, mu = 0.51, at 45 degrees to the axes",
     "incline,mu=0.51," TURNED, 0.02, 10, SIM_REST, FINE, SINGLE, ROW_QUICK, 0},
    {"block-slides", "a block on a slope, tan = 0.5, mu = 0.49, along an axis of friction",
     "incline,mu=0.49", 0.02, 10, SIM_SLIDE, FINE, SINGLE, ROW_USUAL, 0},
    {"block-slides-45", "a block on a slope, tan = 0.5, mu = 0.49, at 45 degrees to the axes",
     "incline,mu=0.49," TURNED, 0.02, 10, SIM_SLIDE, FINE, SINGLE, ROW_QUICK, 0},
    {"ball-rolls", "a sliding ball comes to roll, along an axis of friction", "slip-to-roll", 0.01,
     1, SIM_ROLL, FINE, SINGLE, ROW_USUAL, 0},
    {"ball-rolls-45", "a sliding ball comes to roll, at 45 degrees to the axes",
     "slip-to-roll," TURNED, 0.01, 1, SIM_ROLL, FINE, SINGLE, ROW_QUICK, 0},
    {"stack-10", "10 cubes on top of each other", "stack,count=10", 0.02, 10, SIM_STAND, FINE,
     STACKS, ROW_QUICK, 0},
    {"stack-30", "30 cubes on top of each other", "stack,count=30", 0.02, 10, SIM_STAND, FINE,
     STACKS, ROW_USUAL, 0},
    {"wall-200", "a wall of 205 bricks and half bricks, 10 courses", "wall,courses=10,length=20",
     0.02, 4, SIM_STAND, FINE, WALLS, ROW_USUAL, 0},
    {"wall-1000", "a wall of 1,010 bricks and half bricks, 20 courses", "wall,courses=20,length=50",
     0.02, 2, SIM_STAND, FINE, "cg-elliptic,quick-100,si-50,nncg-50", ROW_USUAL, 0},
    {"planks-120", "a tower of 120 crossed planks, 40 layers", "kapla,layers=40,planks=3", 0.02, 4,
     SIM_STAND, FINE, "newton-pyramidal," WALLS, ROW_USUAL, 0},
    {"discs-136", "a pyramid of 136 discs between walls, mu = 0.2, in the plane",
     "cannonball,rows=16,mu=0.2", 0.05, 10, SIM_STAND, FINE, DISCS, ROW_USUAL, 0},
    {"discs-210", "a pyramid of 210 discs between walls, mu = 0.2, in the plane",
     "cannonball,rows=20,mu=0.2", 0.05, 10, SIM_STAND, FINE, DISCS, ROW_USUAL, 0},
    {"beads-150", "150 balls dropped into a box", "beads,count=150", 0.02, 6, SIM_SETTLE, COARSE,
     GRAINS, ROW_QUICK, 0},
    {"beads-300", "300 balls dropped into a box", "beads,count=300", 0.02, 6, SIM_SETTLE, COARSE,
     GRAINS, ROW_USUAL, 0},
    {"beads-600", "600 balls dropped into a box", "beads,count=600", 0.02, 6, SIM_SETTLE, COARSE,
     GRAINS, ROW_USUAL, 0},
    {"beads-5000", "5,000 balls dropped into a box", "beads,count=5000", 0.02, 6, SIM_SETTLE,
     "2e-3", "quick-20,si-10,si-50", ROW_ASKED, 0},
    {"beads-20000", "20,000 balls dropped into a box", "beads,count=20000", 0.02, 6, SIM_SETTLE,
     "2e-3", "quick-20,si-50", ROW_ASKED, 0},
    HEAPS("boxes", 1),
    HEAPS("capsules", 2),
    HEAPS("cylinders", 3),
    HEAPS("hulls", 4),
    HEAPS("mixed", 5),
};

int sim_row_count(void)
{
    return (int)(sizeof ROWS / sizeof *ROWS);
}

const sim_row *sim_row_at(int k)
{
    return ROWS + k;
}

int sim_row_steps(const sim_row *row)
{
    const double steps = row->time / row->step;
    return steps < 1 ? 1 : (int)lround(fmin(steps, 1e9));
}

/* Can the peers run it?  The scene is inspected once; ours runs it at its own tolerance. */
static int is_for_others(const char *text, sim_row *row, mo_message *why)
{
    sim_scene scene = {0};
    mo_world *world = sim_world_make(text, why);
    const int is_taken = world && sim_scene_take(world, 0.01, &scene, why);
    if (is_taken)
        snprintf(row->ours, sizeof row->ours, "%g", mo_world_definition(world).solver.tol);
    sim_scene_clear(&scene);
    mo_world_destroy(world);
    return is_taken;
}

int sim_row_find(const char *text, sim_row *row, mo_message *why)
{
    char name[ROW_NAME_SIZE];
    for (int k = 0; k < sim_row_count(); ++k) {
        if (strcmp(ROWS[k].name, text) == 0) {
            *row = ROWS[k];
            return 1;
        }
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
    const world_scene *scene = world_scene_find(name);
    if (!scene) {
        snprintf(why->text, sizeof why->text,
                 "there is no scene '%.60s'; moreau bench sim --help has those of this benchmark, "
                 "moreau run --list others",
                 name);
        return 0;
    }
    if (strlen(text) >= ROW_TEXT_SIZE) {
        snprintf(why->text, sizeof why->text, "'%.60s...' is too long for a scene", text);
        return 0;
    }
    *row = (sim_row){
        .step = scene->step, .time = scene->time, .theirs = SINGLE, .question = SIM_SETTLE};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->text, sizeof row->text, "%.*s", ROW_TEXT_SIZE - 1, scene->text);
    snprintf(row->scene, sizeof row->scene, "%s", text);
    return is_for_others(text, row, why);
}

/* ---- results --------------------------------------------------------------------------------- */

int sim_board_add(sim_board *board, const sim_entry *entry)
{
    if (board->entry_count == board->entry_room) {
        const int room = 2 * board->entry_room + 64;
        sim_entry *more = realloc(board->entry, (size_t)room * sizeof *more);
        if (!more) return 0;
        board->entry = more;
        board->entry_room = room;
    }
    board->entry[board->entry_count++] = *entry;
    return 1;
}

void sim_board_clear(sim_board *board)
{
    free(board->row);
    free(board->entry);
    *board = (sim_board){0};
}

const sim_entry *sim_board_fastest_peer(const sim_board *board, int row)
{
    const sim_entry *fastest = NULL;
    double least = INFINITY;
    for (int k = 0; k < board->entry_count; ++k) {
        const sim_entry *entry = board->entry + k;
        const double time = entry->outcome.seconds / entry->outcome.steps;
        if (entry->row == row && strcmp(entry->engine, sim_ours.name) != 0 &&
            sim_outcome_is(&entry->outcome, sim_done) && time < least) {
            least = time;
            fastest = entry;
        }
    }
    return fastest;
}

double sim_entry_ratio(const sim_board *board, const sim_entry *entry)
{
    const sim_entry *peer = sim_board_fastest_peer(board, entry->row);
    const sim_outcome *o = &entry->outcome;
    return peer && o->steps > 0
               ? o->seconds / o->steps / (peer->outcome.seconds / peer->outcome.steps)
               : NAN;
}

int sim_is_among(const char *name, const char *names)
{
    const size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
    }
    return 0;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static const double REST = 1e-9, CREEPS = 0.05; /* m/s */
static const double SUNK = 0.01;                /* r: deeper overlap of grains is a failure */
static const double STILL = 0.01;               /* m/s: rms speed of grains that have settled */
static const double RIGHT = 1e-3;               /* relative error of an acceleration */

static sim_words error_words(double error, double allowed, const char *good, const char *less,
                             const char *more)
{
    sim_words words = {.is_right = fabs(error) <= allowed};
    if (words.is_right) {
        snprintf(words.text, sizeof words.text, "%s (%+.2g %%)", good, 100 * error);
    } else if (isinf(error)) {
        snprintf(words.text, sizeof words.text, "never");
    } else {
        snprintf(words.text, sizeof words.text, "%s (%+.2g %%)", error < 0 ? less : more,
                 100 * error);
    }
    return words;
}

static sim_words plain(const char *text, int is_right)
{
    sim_words words = {.is_right = is_right};
    snprintf(words.text, sizeof words.text, "%s", text);
    return words;
}

static sim_words answer(sim_question question, const sim_outcome *o)
{
    switch (question) {
    case SIM_STAND:
        return o->drift < o->size ? plain("stands", 1)
                                  : plain(o->drift < 1e6 * o->size ? "falls" : "flies apart", 0);
    case SIM_REST:
        return o->creep < REST ? plain("rests", 1)
                               : plain(o->creep < CREEPS ? "creeps" : "slides", 0);
    case SIM_SLIDE:
        return o->error < -0.99 ? plain("sticks", 0)
                                : error_words(o->error, RIGHT, "right", "too slow", "too fast");
    case SIM_ROLL:
        return error_words(o->error, o->error_step, "in time", "early", "late");
    default:
        return o->penetration > SUNK * o->size ? plain("penetrates", 0)
               : o->speed > STILL              ? plain("still moves", 0)
                                               : plain("settles", 1);
    }
}

sim_words sim_entry_words(const sim_board *board, const sim_entry *entry)
{
    const sim_row *row = board->row + entry->row;
    const sim_outcome *o = &entry->outcome;
    if (sim_outcome_is(o, sim_done)) return answer(row->question, o);
    sim_words words = {.is_right = 0};
    const int has_begun = o->steps > 0;
    const sim_words so_far = has_begun ? answer(row->question, o) : plain("", 0);
    if (row->question == SIM_STAND && has_begun && !so_far.is_right)
        return so_far; /* it has already fallen */
    if (sim_outcome_is(o, sim_time_limit)) {
        snprintf(words.text, sizeof words.text, "%.0f of %d steps in %.3g s", o->steps,
                 sim_row_steps(row), o->seconds > 0 ? o->seconds : board->limit);
    } else {
        snprintf(words.text, sizeof words.text, "%s%s%.70s", o->status, o->message[0] ? ": " : "",
                 o->message);
    }
    return words;
}
