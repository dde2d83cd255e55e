# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A quadruped from an MJCF file stands under the control of its position servos; then the forces at
its feet are compared with its weight."""
import numpy as np

import moreau

robot = moreau.load("scenes/models/quadruped.xml")
robot.set_key("stand")  # pose and targets of the servos
for _ in range(600):
    assert robot.step().solved

total = 0.0
for foot in ("front_right_foot", "front_left_foot", "rear_right_foot", "rear_left_foot"):
    x, y, z = robot.world.force_on(robot.body(foot))
    print(f"{foot}: {z:.1f} N normal, {np.hypot(x, y):.1f} N tangential")
    total += z
weight = 9.81 * sum(body.mass for body in robot.world.bodies)
height = robot.body("trunk").position[2]
print(f"all feet {total:.1f} N, weight {weight:.1f} N, height of the trunk {height:.2f} m")
