/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A statement of a paper, the result of the rerun, and whether they agree. */
#ifndef PAPERS_CLAIMS_H
#define PAPERS_CLAIMS_H

#include <stdio.h>

struct json; /* tools/json.h */

typedef struct paper_claim {
    const char *claim;   /* the paper's words, shortened */
    const char *paper;   /* its number; "-": none        */
    char ours[400];      /* what was found */
    const char *verdict; /* "holds", ...                 */
} paper_claim;

void paper_print_claims(const paper_claim *claims, int count);
void paper_put_claims(struct json *j, const paper_claim *claims, int count); /* "claims": [...] */
void paper_write_claims(FILE *csv, const paper_claim *claims, int count);

#endif
