/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scenes of `moreau bench sim`, and the board that collects the results. */
#ifndef BENCH_SIM_ROWS_H
#define BENCH_SIM_ROWS_H

#include "ours.h"
#include "run.h"

enum { ROW_NAME_SIZE = 32, ROW_TEXT_SIZE = 128, CONFIG_NAME_SIZE = 32 };

typedef enum row_when {
    ROW_QUICK,
    ROW_USUAL,
    ROW_ASKED
} row_when; /* run with --quick; by default */

typedef struct sim_row {
    char name[ROW_NAME_SIZE];
    char text[ROW_TEXT_SIZE];  /* description */
    char scene[ROW_TEXT_SIZE]; /* for sim_world_make */
    double step, time;
    sim_question question;
    char ours[ROW_TEXT_SIZE]; /* our configurations; "peer": the residual of the fastest peer */
    const char *theirs;       /* those of the peers; all between commas */
    row_when when;
    int seeds; /* runs with seed=1, 2, ...; 0: one, as defined */
} sim_row;

int sim_row_count(void);
const sim_row *sim_row_at(int k);

/*
 * The row of this name, or one made from a scene of worlds.h with its values ("funnel,count=100").
 * False if neither is there, or the scene is not supported by peers: `why` receives the reason.
 */
int sim_row_find(const char *text, sim_row *row, mo_message *why);

int sim_row_steps(const sim_row *row);

/* ---- results --------------------------------------------------------------------------------- */

typedef struct sim_entry {
    int row;
    const char *engine;
    char config[CONFIG_NAME_SIZE];
    sim_outcome outcome;
} sim_entry;

typedef struct sim_board {
    sim_row *row;
    int row_count;
    sim_entry *entry;
    int entry_count, entry_room;
    const char *missing[8]; /* messages about peers that are not part of this build */
    int missing_count;
    double limit;
} sim_board;

/* False if memory ran out. */
int sim_board_add(sim_board *board, const sim_entry *entry);
void sim_board_clear(sim_board *board);

/* The run of a peer with the least time a step among finished runs, or NULL. */
const sim_entry *sim_board_fastest_peer(const sim_board *board, int row);

/* Its time a step over that of the fastest peer, NaN if there is none. */
double sim_entry_ratio(const sim_board *board, const sim_entry *entry);

/* A short verdict: is it stable and correct? */
typedef struct sim_words {
    char text[96];
    int is_right; /* the expected behaviour */
} sim_words;

sim_words sim_entry_words(const sim_board *board, const sim_entry *entry);

/* Is the name one of those between the commas? */
int sim_is_among(const char *name, const char *names);

#endif
