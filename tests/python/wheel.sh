#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# The wheel has the library inside: wheel.sh PYTHON SOURCE WORK [BUILD]
#
# Builds it without a network, from the sources or from the finished build BUILD, installs it in a clean virtual environment, lets a ball fall there,
# draws it and resets an environment.  Ends with 77 where a tool is missing.
set -eu
python=$1 source=$2 work=$3
export MOREAU_BUILD="${4:-}"

for module in pip setuptools wheel numpy venv; do
    if ! "$python" -c "import $module" 2> /dev/null; then
        echo "skipped: Python's $module is not installed (Debian: python3-$module)"
        exit 77
    fi
done

rm -rf "$work" && mkdir -p "$work"
unset PYTHONPATH
# Not optimised: it is the package that is tested.
CMAKE_ARGS='-G Ninja -D CMAKE_BUILD_TYPE=None -D MOREAU_CUDA=off' "$python" -m pip wheel --no-index --no-deps \
    --no-build-isolation --wheel-dir "$work" "$source"
# A virtual environment that has numpy of the system and nothing else of ours.
"$python" -m venv --without-pip --system-site-packages "$work/venv"
site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -m pip install --no-index --no-deps --target "$site" "$work"/moreau-*-py3-none-*.whl
cd "$work"
"$work/venv/bin/python" -c "import moreau"
"$work/venv/bin/python" - <<'END'
import os
import moreau
from moreau import _library

inside = os.path.dirname(moreau.__file__)
assert inside.endswith("site-packages/moreau") and "venv" in inside, inside
assert _library.lib._name == os.path.join(inside, "libmoreau.so"), _library.lib._name
world = moreau.World(gravity=(0, 0, -9.81), tol=1e-10)
world.add_body(moreau.plane(), kind="fixed")
ball = world.add_body(moreau.ball(0.1), position=(0, 0, 0.2))
for _ in range(100):
    assert world.step(0.005).solved
assert abs(ball.position[2] - 0.1) < 1e-6, ball.position
image = moreau.Recording(world).render(size=(64, 48))
assert image.shape == (48, 64, 3) and image.std() > 1
from moreau import gym
observation, _ = gym.Quadruped().reset(seed=1)
assert len(observation) == 35
print("moreau", moreau.version(), "from", inside)
END
