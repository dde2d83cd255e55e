# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A quadruped from an MJCF file stands, is pushed, and stands again."""
# %% Load a robot: a world of its own, coordinates q and v as MuJoCo has them.
import numpy as np

import moreau

robot = moreau.load("scenes/models/quadruped.xml")
robot.set_key("stand")
trunk, feet = robot.body("trunk"), [name for name in robot.body_names if name.endswith("foot")]
print(f"{len(robot.q)} coordinates, {len(robot.actuators)} actuators: {robot.actuators[0]}, ...")

# %% Let it stand for two seconds: the feet carry the weight.
for _ in range(400):
    assert robot.step().solved
weight = 9.81 * sum(body.mass for body in robot.world.bodies)
forces = np.array([robot.world.force_on(robot.body(foot)) for foot in feet])
print(f"feet {forces[:, 2].sum():.1f} N, weight {weight:.1f} N")
assert abs(forces[:, 2].sum() - weight) < 0.01 * weight

# %% Push it sideways: an impulse of 3 N s at the trunk.
trunk.apply_impulse((0, 3, 0))
tilt = []
for _ in range(400):
    assert robot.step().solved
    tilt.append(abs(trunk.orientation[1]) * 2)
print(f"it tilts by up to {np.degrees(max(tilt)):.1f} degrees, and stands at "
      f"{trunk.position[2]:.2f} m")
assert trunk.position[2] > 0.25 and np.linalg.norm(trunk.velocity) < 0.05

# %% The torques of the servos, and what holds each link, at this instant.
forces = robot.world.forces(speed=1e-2)
print("largest torque of a servo:", f"{np.abs(forces.actuator_efforts).max():.1f} N m")
