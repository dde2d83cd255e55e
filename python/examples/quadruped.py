# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A quadruped from an MJCF file stands up from a crouch; the forces at its feet carry its weight."""
import numpy as np

import moreau

robot = moreau.load("scenes/models/quadruped.xml")
robot.set_key("stand")
print(f"{robot.name}: {len(robot.joints)} joints, {len(robot.actuators)} actuators")

LEGS = ("front_right", "front_left", "rear_right", "rear_left")


def bend(first, last, seconds):
    """Moves the targets of the servos from one bend of the legs to another, then waits two seconds."""
    steps = round(seconds / robot.timestep)
    for k in range(steps + round(2 / robot.timestep)):
        angle = first + (last - first) * min(1.0, k / steps)
        for leg in LEGS:
            robot.control(f"{leg}_hip", angle)
            robot.control(f"{leg}_knee", -2 * angle)
        assert robot.step().solved


bend(0.8, 1.1, 1.0)
low = robot.body("trunk").position[2]
bend(1.1, 0.8, 1.0)
high = robot.body("trunk").position[2]
print(f"the trunk rose from {low:.3f} m to {high:.3f} m")

total = np.zeros(3)
for leg in LEGS:
    force = robot.world.force_on(robot.body(f"{leg}_foot"))
    total += force
    print(f"  {leg:12} {force[2]:7.3f} N up, {np.hypot(force[0], force[1]):6.3f} N sideways")
weight = 9.81 * sum(robot.body(k).mass for k in range(1, len(robot.body_names)))
print(f"  all feet     {total[2]:7.3f} N; the robot weighs {weight:.3f} N")
assert high > low + 0.05
assert abs(total[2] - weight) < 1e-3 * weight
