/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/memory.h"
#include "moreau/io.h"

static void clear_point(const mo_allocator *allocator, mo_point *point)
{
    mo_memory_free(allocator, point->v);
    mo_memory_free(allocator, point->u);
    mo_memory_free(allocator, point->r);
}

void mo_document_clear(mo_document *document)
{
    if (!document) {
        return;
    }
    const mo_allocator allocator = mo_allocator_or_default(&document->allocator);
    mo_problem_destroy(document->problem);
    mo_memory_free(&allocator, document->title);
    mo_memory_free(&allocator, document->description);
    mo_memory_free(&allocator, document->math_info);
    mo_memory_free(&allocator, document->notes);
    for (int k = 0; k < MO_DOCUMENT_MATRICES; ++k) {
        mo_memory_free(&allocator, document->facts[k].comment);
    }
    clear_point(&allocator, &document->solution);
    for (int k = 0; document->guesses && k < document->guess_count; ++k) {
        clear_point(&allocator, &document->guesses[k]);
    }
    mo_memory_free(&allocator, document->guesses);
    *document = (mo_document){0};
}
