# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A first world: a ball and a box fall on a floor.  Cells (# %%) run in editors and notebooks."""
# %% A world has a floor at z = 0 and gravity along -z; lengths in m, masses in kg, times in s.
import moreau

world = moreau.World(floor=0)
ball = world.add_body(moreau.ball(0.1).of(restitution=0.5), position=(0, 0, 1), name="ball")
box = world.add_body(moreau.box(0.2, 0.2, 0.1), position=(0.5, 0, 0.5), name="box")
print(f"the ball has {ball.mass:.2f} kg, the box {box.mass:.2f} kg")

# %% A step of 10 ms solves one contact problem; the report says how it went.
world.events  # from now on, contacts that begin and end are found
for _ in range(200):
    report = world.step(0.01)
    assert report.solved, report.message
    for kind, a, b in world.events:
        print(f"{world.time:.2f} s: contact of {a.name} and {b.name} {kind}s")

# %% Where they came to rest, and what carries them.
for body in (ball, box):
    x, y, z = body.position
    force = body.contact_force[2]
    print(f"{body.name} at ({x:.2f}, {y:.2f}, {z:.2f}), the floor pushes with {force:.1f} N")
assert abs(ball.position[2] - 0.1) < 1e-3 and abs(box.position[2] - 0.1) < 1e-6
assert abs(box.contact_force[2] - 9.81 * box.mass) < 1e-3

# %% A recording: a file, a replay in one HTML file, an image; in a notebook it plays.
recording = moreau.record(world, 0.01, 10)
image = recording.render(size=(320, 180), forces=True)
print(recording, image.shape)
