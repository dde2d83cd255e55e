# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Painleve's paradox: a rod that is pushed over the ground has no rigid-body solution."""
# %% One velocity (the rotation of the rod), one contact; the lower end is pushed at 1 m/s.
# [acary2011, example 2.1]
import math

import moreau

ANGLE = 0.5  # rad, of the rod from the vertical


def rod(mu):
    problem = moreau.Problem()
    body = problem.add_body([[1.0]], [-math.sin(ANGLE)])
    contact = problem.add_constraint(moreau.law.coulomb(mu), w=[0, 1])
    problem.add_jacobian(contact, body, [[math.sin(ANGLE)], [math.cos(ANGLE)]])
    return problem


# %% Below tan(angle) there is one solution; above, none: the verdict is proven, not guessed.
print(f"tan(angle) = {math.tan(ANGLE):.4f}")
for mu in (0.3, 0.54, 0.55, 0.8):
    problem = rod(mu)
    result, verdict = problem.solve(), problem.check()
    print(f"mu = {mu}: solver says {result.status}; solutions: {verdict.verdict}, "
          f"proven: {verdict.holds}")
    assert verdict.verdict == ("unique" if mu < math.tan(ANGLE) else "none") and verdict.holds
    assert result.solved == (mu < math.tan(ANGLE))

# %% Up to which friction the cone is pointed: no contact forces balance each other.
below, above = rod(1.0).friction_limit()
print(f"the friction cone is pointed up to mu = {below:.3f}")
