# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A brick thrown onto a rough floor: one body, one contact, one step.

The problem is solved by three methods, and every answer is judged by the same measure.
"""
import numpy as np

import moreau

problem = moreau.Problem()  # M v = H r + f, u = H' v + w
# 2 kg; falls at 1 m/s, slides at 3 m/s
brick = problem.add_body(2 * np.eye(3), f=[2 * -1.0, 2 * 3.0, 0])
contact = problem.add_constraint(moreau.law.coulomb(0.5))
problem.add_jacobian(contact, brick, np.eye(3))  # the normal first, then two tangents

tol = 1e-8
for method in ("auto", "nsgs", "ipm"):
    result = problem.solve(method=method, tol=tol)
    r, v = result.r, result.v + 0.0
    print(f"{method}: {result.status}, impulse ({r[0]:.3f}, {r[1]:.3f}), "
          f"velocity ({v[0]:.3f}, {v[1]:.3f}), "
          f"residual below {tol:g}: {'yes' if problem.measure(r) < tol else 'no'}")
print(f"a wrong impulse: residual {problem.measure([2, -0.5, 0]):.3f}")
