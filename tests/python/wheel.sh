#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# The wheel has the library inside: wheel.sh PYTHON SOURCE WORK
#
# Builds it without a network, unpacks it elsewhere, and lets a ball fall with what is in it.  Ends
# with 77 where a tool is missing.
set -eu
python=$1 source=$2 work=$3

for module in pip setuptools wheel numpy; do
    if ! "$python" -c "import $module" 2> /dev/null; then
        echo "skipped: Python's $module is not installed (Debian: python3-$module)"
        exit 77
    fi
done

rm -rf "$work" && mkdir -p "$work"
unset PYTHONPATH
# Not optimised: it is the package that is tested.
CMAKE_ARGS='-G Ninja -D CMAKE_BUILD_TYPE=None' "$python" -m pip wheel --no-index --no-deps \
    --no-build-isolation --wheel-dir "$work" "$source"
"$python" -m pip install --no-index --no-deps --target "$work/installed" "$work"/moreau-*-py3-none-*.whl
cd "$work"
PYTHONPATH=$work/installed "$python" - <<'END'
import os
import moreau
from moreau import _library

inside = os.path.dirname(moreau.__file__)
assert inside.endswith("installed/moreau"), inside
assert _library.lib._name == os.path.join(inside, "libmoreau.so"), _library.lib._name
world = moreau.World(gravity=(0, 0, -9.81), tol=1e-10)
world.add_body(moreau.plane(), kind="fixed")
ball = world.add_body(moreau.ball(0.1), position=(0, 0, 0.2))
for _ in range(100):
    assert world.step(0.005).solved
assert abs(ball.position[2] - 0.1) < 1e-6, ball.position
print("moreau", moreau.version(), "from", inside)
END
