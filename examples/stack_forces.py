# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Forces inside a stack of five cubes at rest, without a time step.

Four corners carry each cube, but statics determines only the resultant of their forces: the
contacts are hyperstatic.  A small relative compliance (softness) selects the even distribution.
"""
import moreau

CUBES = 5
world = moreau.World(floor=0)
for k in range(CUBES):
    world.add_body(moreau.box(0.5, 0.5, 0.5), position=(0, 0, 0.5 + k))
forces = world.forces(softness=1e-6)
assert forces.solved
for below in range(1, CUBES + 1):
    up = forces.contacts["force"][forces.contacts["a"]["index"] == below][:, 2] / 1000
    print(f"interface {below}: {len(up)} corners, {up.min():.1f} to {up.max():.1f} kN each, "
          f"{up.sum():.1f} kN in all")
print(f"bodies that accelerate: {forces.moving}")
