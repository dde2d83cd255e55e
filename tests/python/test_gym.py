# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""moreau.gym: the interface, the same bits for the same seed, vectors over threads."""
import subprocess
import sys
import unittest

import numpy as np

from moreau import gym

KINDS = (gym.Quadruped, gym.Hand, gym.CubeTower)


def run(env, seed, steps):
    """All numbers of an episode with random actions."""
    observation, _ = env.reset(seed=seed)
    made = [observation]
    random = np.random.default_rng(seed)
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(
            random.uniform(-1, 1, env.action_space.shape))
        made += [observation, [reward, terminated, truncated]]
    return np.concatenate(made)


class Environments(unittest.TestCase):
    def test_the_same_seed_gives_the_same_bits(self):
        for kind in KINDS:
            env = kind()
            first = run(env, 3, 15)
            np.testing.assert_array_equal(first, run(env, 3, 15))
            np.testing.assert_array_equal(first, run(kind(), 3, 15))
            self.assertFalse(np.array_equal(first, run(env, 4, 15)))
            self.assertTrue(np.all(np.isfinite(first)))
            self.assertEqual(env.observation_space.shape, env.reset()[0].shape)
            self.assertTrue(env.action_space.contains(env.action_space.sample()))

    def test_a_quadruped_that_does_nothing_stands(self):
        env = gym.Quadruped()
        env.reset(seed=1)
        for _ in range(60):
            _, reward, terminated, truncated, info = env.step(np.zeros(12))
            self.assertFalse(terminated or truncated)
            self.assertEqual(info["unsolved"], 0)
        self.assertAlmostEqual(reward, 1, delta=0.1)
        self.assertAlmostEqual(env._trunk.position[2], 0.3, delta=0.03)

    def test_a_tower_falls_when_the_plate_is_pulled_away(self):
        env = gym.CubeTower()
        env.reset(seed=1)
        over = [env.step([1, 0])[2] for _ in range(100)]
        self.assertFalse(any(over[:5]))
        still = gym.CubeTower()
        still.reset(seed=1)
        self.assertFalse(any(still.step([0, 0])[2] for _ in range(50)))
        hand = gym.Hand()
        hand.reset(seed=1)
        self.assertFalse(any(hand.step(np.zeros(9))[2] for _ in range(20)))

    def test_bad_actions_are_errors(self):
        with self.assertRaisesRegex(ValueError, "shape"):
            gym.CubeTower().step([1, 2, 3])

    def test_images(self):
        image = gym.CubeTower().render()
        self.assertEqual(image.shape, (360, 480, 3))
        self.assertGreater(image.std(), 5)


class WithGymnasium(unittest.TestCase):
    def test_environments_are_registered_where_gymnasium_is(self):
        # What moreau.gym uses of the package: Env, spaces.Box, register.
        script = """
import sys, types
registered = {}
package, spaces = types.ModuleType("gymnasium"), types.ModuleType("gymnasium.spaces")
package.Env = type("Env", (), {})
package.register = lambda id, entry_point: registered.update({id: entry_point})
class Box:
    def __init__(self, low, high, shape, dtype):
        self.shape = tuple(shape)
    def seed(self, seed):
        pass
spaces.Box = Box
package.spaces = spaces
sys.modules.update({"gymnasium": package, "gymnasium.spaces": spaces})
from moreau import gym
assert registered["moreau/Hand-v0"] == "moreau.gym:Hand", registered
assert len(registered) == 3
env = gym.CubeTower()
assert isinstance(env, package.Env) and isinstance(env.action_space, Box)
env.reset(seed=1)
assert len(env.step([0, 0])) == 5
"""
        made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)


class Vectors(unittest.TestCase):
    def test_threads_change_no_bit(self):
        made = []
        for threads in (1, 2):
            envs = gym.Vector(gym.Quadruped, 4, threads=threads)
            observations, _ = envs.reset(seed=7)
            random = np.random.default_rng(0)
            found = [observations]
            for _ in range(10):
                found.append(envs.step(random.uniform(-1, 1, (4, 12)))[0])
            made.append(np.array(found))
        np.testing.assert_array_equal(made[0], made[1])
        alone = gym.Quadruped()
        np.testing.assert_array_equal(alone.reset(seed=7)[0], made[0][0][0])
        np.testing.assert_array_equal(alone.reset(seed=9)[0], made[0][0][2])

    def test_what_is_over_starts_again(self):
        class Short(gym.CubeTower):
            longest = 3
        envs = gym.Vector(Short, 2)
        envs.reset(seed=1)
        ends = [envs.step(np.zeros((2, 2)))[3].tolist() for _ in range(8)]
        self.assertEqual(ends, [[k % 4 == 2] * 2 for k in range(8)])
        with self.assertRaises(ValueError):
            envs.step(np.zeros((3, 2)))


if __name__ == "__main__":
    unittest.main()
