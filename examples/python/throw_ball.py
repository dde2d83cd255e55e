# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Gradients: the throw that takes a ball over a rough floor to a target, by Newton's method.

A ball (a point of 1 kg in the plane) flies, hits the floor and slides.  Each step is a contact
problem; its adjoint takes the derivative of the final position back to the throw, through all
impacts.
"""
# %% A step: M v+ = M v + h f + r, and the gap in w: u_N = v_N + z / h >= 0.
import numpy as np

import moreau

H, STEPS, MU, TARGET = 0.01, 120, 0.2, 4.0


def step(x, v):
    problem = moreau.Problem()
    ball = problem.add_body(np.eye(2), v + H * np.array([-9.81, 0]))  # normal first
    contact = problem.add_constraint(moreau.law.coulomb(MU), w=[x[0] / H, 0])
    problem.add_jacobian(contact, ball, np.eye(2))
    result = problem.solve(tol=1e-13)
    assert result.solved
    return problem, result


def throw(v):
    """The final distance, and its derivative with respect to the velocity of the throw."""
    x, v, tape = np.array([1.0, 0.0]), np.array(v, float), []
    for _ in range(STEPS):
        problem, result = step(x, v)
        tape.append((problem, result))
        v = result.v.copy()
        x = x + H * v
    by_x, by_v = np.array([0.0, 1.0]), np.zeros(2)
    for problem, result in reversed(tape):  # x+ = x + h v+; v+ depends on v by f and on z by w
        by_f, by_w, _ = problem.gradient(result.r).adjoint(v=by_v + H * by_x)
        by_v, by_x = by_f, by_x + np.array([by_w[0] / H, 0])
    return x[1], by_v


# %% The derivative is that of differences.
speed = np.array([2.0, 3.0])  # up, forward
reached, slope = throw(speed)
differences = [(throw(speed + d)[0] - reached) / 1e-6 for d in 1e-6 * np.eye(2)]
print(f"at {reached:.3f} m; derivative {slope.round(4)}, differences {np.round(differences, 4)}")
assert np.allclose(slope, differences, atol=1e-4)

# %% Newton's method on the forward speed.
for k in range(10):
    reached, slope = throw(speed)
    print(f"throw {k}: {speed[1]:.6f} m/s forward reaches {reached:.6f} m")
    if abs(reached - TARGET) < 1e-9:
        break
    speed[1] += (TARGET - reached) / slope[1]
assert abs(reached - TARGET) < 1e-9
