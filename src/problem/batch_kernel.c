/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Batch kernels with four lanes, for any processor and for AVX2, and the selection among all
 * kernels.
 */
#define L 4
#include "problem/batch_passes.h"

KERNELS(anywhere, ANY_TARGET)

#if defined(__x86_64__)
KERNELS(avx2, __attribute__((target("avx2,fma"))))

static const mo_batch_kernels *chosen(void)
{
    const int is_wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return is_wide                         ? &mo_batch_avx512
           : __builtin_cpu_supports("fma") ? &mo_batch_avx2
                                           : &mo_batch_anywhere;
}
#else
static const mo_batch_kernels *chosen(void)
{
    return &mo_batch_anywhere;
}
#endif

double mo_batch_visit(const mo_batch_pass *pass, int begin, int end)
{
    return chosen()->visit(pass, begin, end);
}

mo_batch_sums mo_batch_look(const mo_batch_pass *pass, int begin, int end)
{
    return chosen()->look(pass, begin, end);
}

mo_batch_verdict mo_batch_judge(const mo_batch_pass *pass, double *u)
{
    return chosen()->judge(pass, u);
}

double mo_batch_speeds(const mo_batch_pass *pass, int begin, int end)
{
    return chosen()->speeds(pass, begin, end);
}

void mo_batch_apply(const mo_batch_pass *pass, int begin, int end)
{
    chosen()->apply(pass, begin, end);
}

void mo_batch_respond(const mo_batch_pass *pass, int begin, int end)
{
    chosen()->respond(pass, begin, end);
}

void mo_batch_extrapolate(const mo_batch_pass *pass, double *before, int begin, int end)
{
    chosen()->extrapolate(pass, before, begin, end);
}
