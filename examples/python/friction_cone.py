# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Coulomb's cone: a block is pushed from all sides, and slides where the force leaves the cone."""
# %% A block of weight N on a floor with mu = 0.5: it sticks while the push is below mu N.
import numpy as np

import moreau

MU = 0.5


def push(angle, part):
    """The speed after 0.1 s of a push of `part` times mu N, and the friction force over mu N."""
    world = moreau.World(tol=1e-12)
    world.add_body(moreau.plane().of(friction=MU), kind="fixed")
    block = world.add_body(moreau.box(0.3, 0.3, 0.1).of(friction=MU), position=(0, 0, 0.1))
    limit = MU * 9.81 * block.mass
    force = part * limit * np.array([np.cos(angle), np.sin(angle), 0])
    for _ in range(10):
        block.apply_force(force, at=block.centre - (0, 0, 0.1))
        assert world.step(0.01).solved
    return np.linalg.norm(block.velocity), np.linalg.norm(block.contact_force[:2]) / limit


# %% The cone is round: the same in every direction, to the last digits.
print("push/mu N  friction/mu N  speed")
for part in (0.5, 0.9, 0.999, 1.001, 1.5):
    found = np.array([push(angle, part) for angle in np.linspace(0, 2 * np.pi, 7)])
    print(f"{part:9.3f}  {found[0, 1]:13.6f}  {found[0, 0]:.4f} m/s")
    expected = max(0.0, part - 1) * MU * 9.81 * 0.1
    assert np.allclose(found[:, 0], expected, atol=1e-6)
    assert np.allclose(found[:, 1], min(part, 1), atol=1e-6)
