# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A block on a slope: one contact problem, solved, checked and differentiated.

With friction above the tangent of the slope the block sticks; below, it slides with g h (sin - mu cos).
"""
import numpy as np

import moreau

mass, g, h = 2.0, 9.81, 0.01
slope = np.radians(30)


def problem_of(mu):
    """One step of a point mass on the slope: normal, down the slope, across it."""
    problem = moreau.Problem()
    weight = mass * g * h * np.array([-np.cos(slope), np.sin(slope), 0])
    block = problem.add_body(mass * np.eye(3), weight)
    contact = problem.add_constraint(moreau.coulomb(mu))
    problem.add_jacobian(contact, block, np.eye(3))
    return problem


for mu in (0.3, 0.5, 0.7):
    result = problem_of(mu).solve(tol=1e-12)
    speed = max(0.0, g * h * (np.sin(slope) - mu * np.cos(slope)))
    print(f"mu = {mu}: {result.status}, sliding at {result.v[1]:.6f} m/s; by hand {speed:.6f}")
    assert result.solved and abs(result.v[1] - speed) < 1e-10

# The solution is the only one, and how it changes with the friction:
problem = problem_of(0.3)
result = problem.solve(tol=1e-12)
print(problem.check())
dv, du, dr = problem.gradient(result.r).forward(mu=[1.0])
print(f"d(speed)/d(mu) = {dv[1]:.6f}; by hand {-g * h * np.cos(slope):.6f}")
assert problem.check().verdict == "unique"
assert abs(dv[1] + g * h * np.cos(slope)) < 1e-8
