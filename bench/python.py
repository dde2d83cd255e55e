# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""What Python costs: the overhead of a step, and 64 quadrupeds over threads.

    PYTHONPATH=build/python OPENBLAS_NUM_THREADS=1 python3 bench/python.py

Overhead: a step of an empty world from Python, less one of the same in C (many steps in one call),
in user time, the best of seven.  Scaling: wall time of one thread over that of two, median of nine;
run it on an idle machine, or with a priority of its own (chrt -f 10).
"""
import statistics
import time
import timeit

import moreau
from moreau import gym

COUNT = 20000
STEPS = 200


def best(call, number):
    return min(timeit.repeat(call, number=number, repeat=7, timer=time.process_time))


one, other = moreau.World(), moreau.World()
python = best(lambda: one.step(1e-3), COUNT) / COUNT
inside = best(lambda: moreau.step_worlds([other], 1e-3, COUNT), 1) / COUNT
print(f"step of an empty world: {python * 1e6:.2f} us, in C {inside * 1e6:.2f} us, "
      f"overhead {(python - inside) * 1e6:.2f} us")

vectors = {threads: gym.Vector(gym.Quadruped, 64, threads=threads) for threads in (1, 2)}
worlds = {threads: [env.world for env in made.envs] for threads, made in vectors.items()}
for made in vectors.values():
    made.reset(seed=1)
ratios = []
for _ in range(9):
    seconds = {}
    for threads in (1, 2):
        start = time.perf_counter()
        moreau.step_worlds(worlds[threads], 0.005, STEPS, threads)
        seconds[threads] = time.perf_counter() - start
    ratios.append(seconds[1] / seconds[2])
print(f"64 quadrupeds, {STEPS} steps: one thread over two {statistics.median(ratios):.2f} "
      f"({min(ratios):.2f} to {max(ratios):.2f})")
