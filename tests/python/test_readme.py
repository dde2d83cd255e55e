# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The Python block of README.md runs as printed, and finds the boxes where they must be."""
import re

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
