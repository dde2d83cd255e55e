/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Four lanes, for any processor and for those with AVX2; and the choice among all. */
#define L 4
#include "problem/ball_passes.h"

KERNELS(anywhere, ANY_TARGET)

#if defined(__x86_64__)
KERNELS(avx2, __attribute__((target("avx2,fma"))))

static const mo_ball_kernels *chosen(void)
{
    const int is_wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return is_wide                         ? &mo_ball_avx512
           : __builtin_cpu_supports("fma") ? &mo_ball_avx2
                                           : &mo_ball_anywhere;
}
#else
static const mo_ball_kernels *chosen(void)
{
    return &mo_ball_anywhere;
}
#endif

double mo_ball_visit(const mo_ball_pass *pass, int begin, int end)
{
    return chosen()->visit(pass, begin, end);
}

mo_ball_sums mo_ball_look(const mo_ball_pass *pass, int begin, int end)
{
    return chosen()->look(pass, begin, end);
}

void mo_ball_push(const mo_ball_given *given)
{
    chosen()->push(given);
}

double mo_ball_speeds(const mo_ball_given *given)
{
    return chosen()->speeds(given);
}

mo_ball_verdict mo_ball_measure(const mo_ball_given *given)
{
    return chosen()->measure(given);
}

void mo_ball_push_on(const mo_ball_pass *pass, mo_ball *before)
{
    chosen()->push_on(pass, before);
}
