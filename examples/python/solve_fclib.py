# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Solves an FCLIB file and checks the verdict: solve_fclib.py [FILE].

Without a file it writes one: the contact problem of a step of a stack.
"""
# %% A file of the exchange format of this field.
import os
import sys
import tempfile

import moreau

folder = tempfile.TemporaryDirectory()
path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder.name, "stack.hdf5")
if len(sys.argv) < 2:
    world = moreau.World(floor=0)
    for k in range(2):
        world.add_body(moreau.ball(0.1), position=(0, 0, 0.1 + 0.2 * k))
    world.step(0.01)
    world.problem.write(path)
problem = moreau.Problem.read(path)
print(f"{problem.body_count} bodies, {problem.constraint_count} constraints, "
      f"{problem.row_count} rows")

# %% Every method, judged by one measure.
for method in ("auto", "nsgs", "newton", "ipm", "admm"):
    result = problem.solve(method=method, tol=1e-8)
    is_small = problem.measure(result.r) <= 1e-8
    print(f"{method:6s}  {result.status:10s} residual at most 1e-8: {is_small}")
    assert result.solved == is_small

# %% Has it a solution, one or several?  The evidence is checked apart from the search.
verdict = problem.check()
print(f"solutions: {verdict.verdict}; the evidence holds: {verdict.holds}")
for name, answer in verdict.conditions.items():
    print(f"  {name}: {answer}")
assert verdict.holds and verdict.verdict in ("unique", "exists")

# %% The proof as a file, which anybody may verify.
proof = os.path.join(folder.name, "proof.cert")
verdict.write(proof)
print("verified:", problem.verify(proof).holds)
