# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The derivative of a solution: how the sliding speed of a brick after an impact depends on the
friction coefficient and on the momentum before."""
import numpy as np

import moreau

print("# mu, speed, d speed / d mu, d speed / d f_N, d speed / d f_T, status")
for mu in (0.1, 0.5, 1.0, 2.0, 2.9, 3.5):
    problem = moreau.Problem()
    brick = problem.add_body(2 * np.eye(3), f=[2 * -1.0, 2 * 3.0, 0])
    problem.add_jacobian(problem.add_constraint(moreau.law.coulomb(mu)), brick, np.eye(3))
    result = problem.solve(tol=1e-12)  # a derivative is as accurate as the solution it is taken at
    gradient = problem.gradient(result.r)
    by_f, by_w, by_mu = gradient.adjoint(v=[0, 1, 0])  # of the speed v[1], with respect to all data
    print(f"{mu}  {abs(result.v[1]):.3f}  {by_mu[0] + 0.0:.3f}  "
          f"{by_f[0] + 0.0:.3f}  {by_f[1] + 0.0:.3f}  {gradient.status}")
