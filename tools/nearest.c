/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "nearest.h"

#include <string.h>

static char folded(char c)
{
    return c == '_' ? '-' : (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static int begins_with(const char *text, const char *head)
{
    while (*head && folded(*text) == folded(*head)) {
        ++text;
        ++head;
    }
    return *head == 0;
}

/* Edit distance of two words: insertions, deletions, substitutions and transpositions. */
static int edits(const char *a, int length_a, const char *b, int length_b)
{
    enum { ROOM = 48 };
    int rows[3][ROOM + 1]; /* the last three rows of the table */
    if (length_a > ROOM || length_b > ROOM) return ROOM;
    for (int j = 0; j <= length_b; ++j)
        rows[0][j] = j;
    for (int i = 1; i <= length_a; ++i) {
        int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= length_b; ++j) {
            const int differ = folded(a[i - 1]) != folded(b[j - 1]);
            int best = last[j - 1] + differ;
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (differ && i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[length_a % 3][length_b];
}

/* Distance of a typed word from a name; -1 if they are too different for a suggestion. */
static int distance_of(const char *typed, const char *name)
{
    const size_t length = strlen(typed), name_length = strlen(name);
    const size_t most = length < 4 ? 1 : length < 7 ? 2 : 3;
    if (length == 0) return -1;
    if (begins_with(name, typed) || (name_length > 2 && begins_with(typed, name))) return 0;
    /* Words whose lengths differ by more are that many edits apart. */
    if (length > name_length + most || name_length > length + most) return -1;
    const int distance = edits(typed, (int)length, name, (int)name_length);
    return distance <= (int)most ? distance : -1;
}

void nearest_try(nearest *n, const char *name)
{
    const int distance = distance_of(n->typed, name);
    if (distance >= 0 && (!n->name || distance < n->distance)) {
        n->name = name;
        n->distance = distance;
    }
}
