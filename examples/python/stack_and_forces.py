# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""A stack of boxes and the normal force at each interface over time, as a plot or as a table."""
# %% Five boxes, each 1 cm above the next, fall on each other.
import numpy as np

import moreau

BOXES, H = 5, 0.005
world = moreau.World(floor=0, tol=1e-10)
boxes = [world.add_body(moreau.box(0.1, 0.1, 0.1).of(density=500), name=f"box {k + 1}",
                        position=(0, 0, 0.11 + 0.21 * k)) for k in range(BOXES)]
weight = 9.81 * boxes[0].mass

# %% The force at interface k is what floor or box k carries: contacts whose upper body is box k.
times, loads = [], []
for _ in range(200):
    assert world.step(H).solved
    contacts = world.contacts
    upper = np.maximum(contacts["a"]["index"], contacts["b"]["index"]) - 2  # the floor is number 1
    times.append(world.time)
    loads.append([np.abs(contacts["force"][upper == k, 2]).sum() for k in range(BOXES)])
loads = np.array(loads)

# %% At rest each interface carries what is above it.
print("interface  peak    at rest  weights above")
for k in range(BOXES):
    print(f"{k + 1:9d}  {loads[:, k].max():6.0f} N {loads[-1, k]:7.1f} N  {BOXES - k}")
assert np.allclose(loads[-1], weight * np.arange(BOXES, 0, -1), rtol=1e-6)

# %% The plot, where matplotlib is installed.
try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.plot(times, loads)
    plt.xlabel("time in s")
    plt.ylabel("normal force in N")
    plt.close()
except ImportError:
    pass
