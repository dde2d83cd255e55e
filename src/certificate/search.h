/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Internal state of the search for all solutions: the current cell, and the results so far. */
#ifndef MO_CERTIFICATE_SEARCH_H
#define MO_CERTIFICATE_SEARCH_H

#include "certificate/polyhedron.h"
#include "measure/cell_system.h"
#include "measure/certificate.h"

/*
 * Reaches (cell_system.h) in natural units.  A cell that still has modes to choose is discarded
 * only with a large reach, since the proof does not cover larger impulses; MO_REACH_LEAST is
 * sufficient for the last cells, whose solutions are computed individually.
 */
#define MO_REACH_INNER 1e12

/* Sectors (cells.h): a sector this small without a listed solution nearby is searched for one,
 * and an even smaller one is abandoned; 2^6 and 2^24 per turn. */
enum { MO_SMALL_SECTOR = 1 << 7, MO_SMALLEST_SECTOR = 1 << 25 };

typedef struct mo_search {
    mo_cell_system *system;
    mo_polyhedron polyhedron;
    mo_interval *root_r, *root_u;
    double *u, *r, *other;    /* n each, natural units */
    double *span;             /* n x n: directions of a set of velocities */
    double *newton;           /* n x (n + 2): a matrix, its right side, a step */
    double *point;            /* n: of the cell, zero outside of the active island */
    double *multipliers;      /* of the system's rows, likewise */
    int *island;              /* of each unit; of each row of u and r */
    int *row_island, *column; /* column of the polyhedron, or -1 */
    int island_count;
    int active;      /* the island that the polyhedron is about, or MO_EVERY_ISLAND */
    int last_island; /* of the unit that was decided last */
    mo_solution_set *set;
    size_t node_room, value_room, solution_room, u_room;
    long long most_systems;
    int is_exact;    /* no cell is a relaxation: there is no Coulomb cone in space */
    int is_complete; /* every cell so far has a node */
    mo_error error;
} mo_search;

/* ---- the current cell (search_cell.c) -------------------------------------------------------- */

enum { MO_EVERY_ISLAND = -1 };

void mo_search_find_islands(mo_search *search);

/* The rows of the active island as a polyhedron. */
void mo_search_load(mo_search *search);

/* Multipliers for the current rows that the checker accepts up to this reach?  Otherwise `point`
 * may be one of the cell. */
int mo_search_is_empty(mo_search *search, double reach);

/* u = W r + q in natural units. */
void mo_search_velocity(const mo_search *search, const double *r, double *u);

/* ---- results (found.c) ----------------------------------------------------------------------- */

/* Appends a node; its index among the nodes. */
void mo_search_add_node(mo_search *search, mo_proof_kind kind, int unit, int solution);

/* Appends multipliers for the last node. */
void mo_search_add_values(mo_search *search, int count, const double *y);

/* The index of the solution in search->u, search->r; one near a listed solution counts as it. */
int mo_search_add_solution(mo_search *search, int is_proven);

/* A listed solution within this many natural units of search->u, or -1. */
int mo_search_find(const mo_search *search, double distance);

/* Runs methods, and lists solutions that the measure accepts. */
void mo_search_seed(mo_search *search);

/* Newton's method from search->r for the modes of the current cells, with free sliding directions;
 * lists solutions that the measure accepts.  Finds solutions that are unstable for iterations. */
void mo_search_refine(mo_search *search);

/* The modes of a solution, from its u and r. */
void mo_classify_modes(const mo_problem *problem, mo_found_solution *found);

/* u of a listed solution in natural units, as the checker reads it. */
double mo_search_listed(const mo_search *search, int solution, int k);

/* A last cell whose equations have no single root. */
void mo_search_singular_cell(mo_search *search);

/* ---- enumerate.c ----------------------------------------------------------------------------- */

/* Decides the remaining cells below the current one. */
void mo_search_visit(mo_search *search);

/* Appends the node that the current cell is empty; a split of the unit, whose cells are visited. */
void mo_search_add_empty(mo_search *search);
void mo_search_split(mo_search *search, int unit, const int *children, int count,
                     void (*visit)(mo_search *));

/* A new solution at the end of the list, with its memory; NULL for lack of it. */
mo_found_solution *mo_solution_set_append(mo_solution_set *set, const mo_problem *problem,
                                          size_t *room);

/* ---- condition.c ----------------------------------------------------------------------------- */

/* A condition with every friction coefficient times a factor. */
mo_error mo_condition_decide_with(const mo_problem *problem, mo_condition_kind kind,
                                  double friction, mo_condition *condition);

#endif
