/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The list of methods. */
#include <string.h>

#include "base/error.h"
#include "solver/method.h"

const mo_method *const mo_methods[] = {
    &mo_auto_method, &mo_nsgs_method, &mo_prox_method,         &mo_newton_method,
    &mo_aln_method,  &mo_ipm_method,  &mo_lemke_method,        &mo_lcp1_method,
    &mo_lcp2_method, &mo_lcp3_method, &mo_acary_cadoux_method, &mo_apgd_method,
    &mo_admm_method, &mo_fip_method,  &mo_dantzig_method,
};
enum { COUNT = sizeof mo_methods / sizeof mo_methods[0] };

int mo_method_count(void)
{
    return COUNT;
}

mo_method_info mo_method_describe(int index)
{
    if (index < 0 || index >= COUNT) return (mo_method_info){0};
    const mo_method *method = mo_methods[index];
    return (mo_method_info){method->name,      method->summary, method->paper, method->laws,
                            method->by_facets, method->relaxed, index == 0};
}

int mo_method_find(const char *name)
{
    MO_NEED_OR(-1, name, NULL);
    for (int k = 0; k < COUNT; ++k)
        if (strcmp(mo_methods[k]->name, name) == 0) return k;
    return -1;
}
