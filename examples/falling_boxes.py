# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Three boxes fall on the ground and come to rest on each other."""
import moreau

h = 0.01  # SI units: the length of a step is 10 ms
world = moreau.World(floor=0)
for k in range(3):
    world.add_body(moreau.box(0.1, 0.1, 0.1), position=(1, 1, 0.2 + 0.3 * k))
for _ in range(200):
    assert world.step(h).solved
contacts = world.contacts
for k, body in enumerate(world.bodies):
    x, y, z = body.position
    load = contacts["impulse"][contacts["a"]["index"] == k + 1][:, 2].sum() / h
    print(f"body {k} at ({x:.3f}, {y:.3f}, {z:.3f}) carries {load:.2f} N")
