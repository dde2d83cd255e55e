/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "claims.h"

#include "json.h"
#include "text.h"

static void print_part(const char *label, const char *text)
{
    printf("    %-9s", label);
    text_put_wrapped(stdout, text, 13, 13);
}

void paper_print_claims(const paper_claim *claims, int count)
{
    for (int k = 0; k < count; ++k) {
        printf("\n%2d  ", k + 1);
        text_put_wrapped(stdout, claims[k].claim, 4, 4);
        print_part("paper", claims[k].paper);
        print_part("ours", claims[k].ours);
        print_part("verdict", claims[k].verdict);
    }
}

void paper_put_claims(json *j, const paper_claim *claims, int count)
{
    json_array(j, "claims");
    for (int k = 0; k < count; ++k) {
        json_object(j, NULL);
        json_text(j, "claim", claims[k].claim);
        json_text(j, "paper", claims[k].paper);
        json_text(j, "ours", claims[k].ours);
        json_text(j, "verdict", claims[k].verdict);
        json_object_end(j);
    }
    json_array_end(j);
}

void paper_write_claims(FILE *csv, const paper_claim *claims, int count)
{
    fprintf(csv, "claim,paper,ours,verdict\n");
    for (int k = 0; k < count; ++k) {
        fprintf(csv, "\"%s\",\"%s\",\"%s\",\"%s\"\n", claims[k].claim, claims[k].paper,
                claims[k].ours, claims[k].verdict);
    }
}
