# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A heap of disks and its force chains: lines between bodies, as wide as the force is large."""
# %% Disks of three sizes fall into a box, in the plane.
import sys

import numpy as np

import moreau

random = np.random.default_rng(1)
world = moreau.World(planar=True, floor=0, tol=1e-6)
for normal, offset in (((1, 0), -0.5), ((-1, 0), -0.5)):
    world.add_body(moreau.half_space(normal, offset).of(friction=0.3), kind="fixed")
disks = []
for k in range(60):
    radius = random.choice([0.03, 0.04, 0.05])
    at = (-0.4 + 0.11 * (k % 8) + random.uniform(-0.01, 0.01), 0.1 + 0.12 * (k // 8), 0)
    disks.append(world.add_body(moreau.ball(radius).of(friction=0.4), position=at))
for _ in range(400):
    world.step(0.005)

# %% The floor carries the heap; a few contacts carry much more than the others.
contacts = world.contacts
force = np.linalg.norm(contacts["force"], axis=1)
carried = force > 0
weight = 9.81 * sum(disk.mass for disk in disks)
floor = world.body("floor")
print(f"{carried.sum()} contacts, mean force {force[carried].mean():.1f} N, "
      f"largest {force.max():.1f} N")
print(f"floor {-floor.contact_force[1]:.1f} N of {weight:.1f} N, walls by friction the rest")
strong = force > force[carried].mean()
print(f"{strong.sum() / carried.sum():.0%} of the contacts carry "
      f"{force[strong].sum() / force.sum():.0%} of the force")
total = sum(body.contact_force[1] for body in world.bodies[:3])
assert abs(total + weight) < 0.01 * weight

# %% As a picture: heap_force_chains.py chains.svg.
if len(sys.argv) > 1:
    centre = {body._id.index: body.position for body in world.bodies}
    lines = []
    for one, size in zip(contacts[carried], force[carried]):
        ends = [centre[one[side]["index"]] if centre[one[side]["index"]][1] else one["point"]
                for side in ("a", "b")]
        (x, y, _), (u, v, _) = ends
        lines.append(f'<line x1="{x}" y1="{-y}" x2="{u}" y2="{-v}" stroke="black" '
                     f'stroke-linecap="round" stroke-width="{0.03 * size / force.max():.4f}"/>')
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="-0.6 -1.1 1.2 1.2">'
                   + "\n".join(lines) + "</svg>\n")
