/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "summary.h"

#include <stdio.h>

#include "number.h"

summary summary_of(const mo_problem *problem)
{
    summary s = {
        .form = mo_problem_form(problem) == MO_FORM_GLOBAL ? "global" : "local",
        .bodies = mo_problem_body_count(problem),
        .dofs = mo_problem_dof_count(problem),
        .constraints = mo_problem_constraint_count(problem),
        .rows = mo_problem_row_count(problem),
    };
    for (int i = 0; i < s.constraints; ++i)
        s.laws[mo_problem_constraint(problem, i).law.kind] += 1;
    s.joints = s.laws[MO_LAW_BILATERAL];
    s.boxes = s.laws[MO_LAW_BOX];
    s.contacts = s.constraints - s.joints - s.boxes;
    return s;
}

void summary_put(FILE *out, const summary *s)
{
    fputs(number_count(s->contacts, "contact").text, out);
    if (s->joints) fprintf(out, ", %s", number_count(s->joints, "joint").text);
    if (s->boxes)
        fprintf(out, ", %s %s", number_whole(s->boxes).text, s->boxes == 1 ? "box" : "boxes");
    fprintf(out, ", %s", number_count(s->rows, "row").text);
    if (s->bodies) {
        fprintf(out, "; %s %s, %s", number_whole(s->bodies).text,
                s->bodies == 1 ? "body" : "bodies", number_count(s->dofs, "dof").text);
    }
}

void summary_json(json *j, const summary *s)
{
    json_text(j, "form", s->form);
    json_whole(j, "bodies", s->bodies);
    json_whole(j, "dofs", s->dofs);
    json_whole(j, "contacts", s->contacts);
    json_whole(j, "joints", s->joints);
    json_whole(j, "boxes", s->boxes);
    json_whole(j, "rows", s->rows);
}
