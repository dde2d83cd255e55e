# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The Python block of README.md and those of docs/python.md run as printed.

The boxes of the README are where they must be; the forces in the stack and the speed of the motor
of docs/python.md have their closed forms.
"""
import os
import re
import tempfile

import numpy as np

with open("README.md", encoding="utf-8") as file:
    block = re.search(r"```python\n(.*?)```", file.read(), re.DOTALL).group(1)
assert len(block.splitlines()) == 5, block
found = {}
exec(block, found)  # noqa: S102
positions = [box.position for box in found["boxes"]]
np.testing.assert_allclose(positions, [[1, 1, 0.1], [1, 1, 0.3], [1, 1, 0.5]], atol=1e-6)
# Each box weighs 8 kg g; the interfaces carry one, two and three of them.
forces = found["world"].contacts["impulse"][:, 2] / 0.01
assert (forces >= 0).all()
np.testing.assert_allclose(forces.sum(), 6 * 8 * 9.81, rtol=1e-6)

# The blocks of docs/python.md run one after the other, in a folder of their own.
with open("docs/python.md", encoding="utf-8") as file:
    blocks = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
assert len(blocks) >= 10, len(blocks)
root = os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    os.symlink(os.path.join(root, "scenes"), os.path.join(folder, "scenes"))
    os.chdir(folder)
    found = {}
    for number, block in enumerate(blocks):
        try:
            exec(block, found)  # noqa: S102
        except Exception as error:
            raise SystemExit(f"block {number + 1} of docs/python.md: {error}\n{block}")
        if number == 3:
            # Each box weighs 4 kg g and carries those above it; the motor has reached its speed.
            loads = 4 * 9.81 * np.array([3, 2, 1])
            np.testing.assert_allclose(found["loads"][-1], loads, rtol=1e-6)
            np.testing.assert_allclose(found["hinge"].speed, 2, rtol=1e-6)
    os.chdir(root)
