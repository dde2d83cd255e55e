/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/memory.h"
#include "moreau/io.h"

static void clear_point(const mo_allocator *allocator, mo_point *point)
{
    MO_FREE(allocator, point->v, point->u, point->r);
}

void mo_document_clear(mo_document *document)
{
    if (!document) return;
    const mo_allocator allocator = mo_allocator_or_default(&document->allocator);
    mo_problem_destroy(document->problem);
    MO_FREE(&allocator, document->title, document->description, document->math_info,
            document->notes);
    for (int k = 0; k < MO_DOCUMENT_MATRICES; ++k)
        mo_memory_free(&allocator, document->facts[k].comment);
    clear_point(&allocator, &document->solution);
    for (int k = 0; document->guesses && k < document->guess_count; ++k)
        clear_point(&allocator, &document->guesses[k]);
    mo_memory_free(&allocator, document->guesses);
    *document = (mo_document){0};
}
