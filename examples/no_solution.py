# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Painleve's rod [acary2011, example 2.1]: the upper end of a rod moves along a rail at 1 m/s and
pushes the lower end over the ground.  With mu > tan(angle), angle from the vertical, the rod lies
inside the friction cone and jams: the contact problem of rigid bodies has no solution.
Problem.check proves that."""
import math

import moreau

angle = 0.5
print(f"tan(angle) = {math.tan(angle):.4f}")
for mu in (0.2, 0.5, 0.6, 1.0):
    problem = moreau.Problem()
    rod = problem.add_body([[1.0]], [-math.sin(angle)])  # one velocity, l d(angle)/dt
    contact = problem.add_constraint(moreau.law.coulomb(mu), w=[0, 1])
    problem.add_jacobian(contact, rod, [[math.sin(angle)], [math.cos(angle)]])
    solved = "solved" if problem.solve().solved else "not solved"
    check = problem.check()
    print(f"mu = {mu}: {solved}; solutions: {check.verdict}; the certificate "
          f"{'holds' if check.holds else 'does not hold'}")
