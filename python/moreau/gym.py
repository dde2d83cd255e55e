# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Environments for learning, by the interface of Gymnasium, and vectors of them over threads.

    env = moreau.gym.Quadruped()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    envs = moreau.gym.Vector(moreau.gym.Quadruped, 64, threads=2)    # one C call a step
    observations, infos = envs.reset(seed=1)

The same seed and the same actions give the same bits, with any number of threads.  Gymnasium is not
needed; where it is installed, the classes are its Env and Box, and moreau/Quadruped-v0,
moreau/Hand-v0 and moreau/CubeTower-v0 are registered.
"""
import os

import numpy

from .recording import Recording
from .robot import load
from .shape import box
from .world import World, step_worlds

__all__ = ["CubeTower", "Environment", "Hand", "Quadruped", "Vector"]

try:
    import gymnasium
    from gymnasium.spaces import Box
    _Env = gymnasium.Env
except ImportError:
    gymnasium = None
    _Env = object

    class Box:
        """Arrays of numbers between bounds, as gymnasium.spaces.Box."""

        def __init__(self, low, high, shape, dtype=numpy.float32):
            self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
            self.low = numpy.full(shape, low, dtype)
            self.high = numpy.full(shape, high, dtype)
            self._random = numpy.random.default_rng()

        def seed(self, seed=None):
            self._random = numpy.random.default_rng(seed)

        def sample(self):
            low = numpy.maximum(self.low, -1e6)
            return self._random.uniform(low, numpy.minimum(self.high, 1e6)).astype(self.dtype)

        def contains(self, x):
            x = numpy.asarray(x)
            return x.shape == self.shape and bool(numpy.all((x >= self.low) & (x <= self.high)))


def _model(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", name)


class Environment(_Env):
    """A world with actions, observations and rewards; a class below says which.

    A subclass builds its world in _build(), and has _start(), _act(action), _observe() and
    _judge(), which returns the reward and whether the episode is over.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    render_mode = "rgb_array"
    frame_skip = 4
    longest = 1000

    def __init__(self, actions):
        self.np_random = numpy.random.default_rng()
        self._time = 0
        self._build()
        self._state = self.world.save()
        self.action_space = Box(-1.0, 1.0, (actions,), numpy.float32)
        self.observation_space = Box(-numpy.inf, numpy.inf, self._observe().shape, numpy.float64)

    def reset(self, *, seed=None, options=None):
        """A new episode: (observation, info)."""
        if seed is not None:
            self.np_random = numpy.random.default_rng(seed)
            self.action_space.seed(seed)
        self.world.load(self._state)
        self._time = 0
        self._start()
        return self._observe(), {}

    def step(self, action):
        """(observation, reward, terminated, truncated, info)."""
        self._act(self._clip(action))
        unsolved = step_worlds([self.world], self.h, self.frame_skip)
        return self._finish(unsolved[0])

    def _clip(self, action):
        action = numpy.asarray(action, float)
        if action.shape != self.action_space.shape:
            raise ValueError(f"an action has the shape {self.action_space.shape}, "
                             f"not {action.shape}")
        return numpy.clip(action, -1, 1)

    def _finish(self, unsolved):
        self._time += 1
        reward, is_over = self._judge()
        return (self._observe(), float(reward), bool(is_over), self._time >= self.longest,
                {"unsolved": unsolved})

    def render(self):
        """The world as an image, height x width x 3 bytes."""
        return Recording(self.world).render(size=(480, 360))

    def close(self):
        pass


class Quadruped(Environment):
    """A robot on four legs walks along x: twelve servo targets about the standing pose.

    Reward: forward velocity (m/s), plus 1 while it stands, less the effort of the action.
    """

    def __init__(self):
        super().__init__(actions=12)

    def _build(self):
        self._robot = load(_model("quadruped.xml"), tol=1e-6)
        self._robot.set_key("stand")
        self.world, self.h = self._robot.world, self._robot.timestep
        self._trunk = self._robot.body("trunk")
        self._q = self._robot.q
        self._targets = self._q[7:]
        self._action = numpy.zeros(12)

    def _start(self):
        q = self._q.copy()
        q[7:] += self.np_random.uniform(-0.05, 0.05, 12)
        self._robot.q, self._robot.v = q, numpy.zeros(18)
        self._robot.controls(self._targets)
        self._action = numpy.zeros(12)

    def _act(self, action):
        self._action = action
        self._robot.controls(self._targets + 0.4 * action)

    def _observe(self):
        return numpy.concatenate([self._robot.q[2:], self._robot.v])

    def _judge(self):
        height = self._trunk.position[2]
        reward = self._trunk.velocity[0] + 1 - 0.01 * self._action @ self._action
        return reward, height < 0.15


class Hand(Environment):
    """Three fingers turn a ball about the vertical: nine servo targets about the grasp.

    Reward: the spin of the ball about z (rad/s), plus 0.1 while it is held.  The episode is over
    when the ball is 3 cm from its place.
    """

    frame_skip = 10

    def __init__(self):
        super().__init__(actions=9)

    def _build(self):
        self._robot = load(_model("hand.xml"), tol=1e-6)
        self._robot.set_key("grasp")
        self.world, self.h = self._robot.world, self._robot.timestep
        self._q, self._v = self._robot.q, self._robot.v
        self._ball = self._robot.body("ball")
        self._place = self._ball.position
        self._targets = numpy.tile([0, 0, -1.8], 3)

    def _start(self):
        q = self._q.copy()
        q[:9] += self.np_random.uniform(-0.02, 0.02, 9)
        self._robot.q, self._robot.v = q, self._v
        self._robot.controls(self._targets)

    def _act(self, action):
        self._robot.controls(self._targets + 0.4 * action)

    def _observe(self):
        return numpy.concatenate([self._robot.q, self._robot.v])

    def _judge(self):
        is_lost = numpy.linalg.norm(self._ball.position - self._place) > 0.03
        return (0.0 if is_lost else self._ball.spin[2] + 0.1), is_lost


class CubeTower(Environment):
    """A tower of cubes stands on a plate that two actions accelerate along x and y.

    Reward: 1 while the tower stands, less the distance (m) of the plate from a goal.
    """

    cubes = 5
    longest = 500

    def __init__(self):
        super().__init__(actions=2)

    def _build(self):
        self.world, self.h = World(tol=1e-6), 0.005
        self._plate = self.world.add_body(box(0.5, 0.5, 0.05).of(friction=0.8), kind="driven",
                                          position=(0, 0, -0.05), name="plate")
        self._tower = [self.world.add_body(box(0.05, 0.05, 0.05).of(density=500, friction=0.8),
                                           position=(0, 0, 0.05 + 0.1 * k), name=f"cube {k}")
                       for k in range(self.cubes)]
        self._velocity, self._goal = numpy.zeros(2), numpy.zeros(2)

    def _start(self):
        self._velocity = numpy.zeros(2)
        self._goal = self.np_random.uniform(-0.5, 0.5, 2)
        for cube in self._tower:
            x, y = self.np_random.uniform(-0.004, 0.004, 2)
            cube.move(position=cube.position + (x, y, 0))

    def _act(self, action):
        self._velocity = self._velocity + 2.0 * action * self.h * self.frame_skip
        self._plate.move(velocity=(*self._velocity, 0))

    def _observe(self):
        plate = self._plate.position
        parts = [plate[:2] - self._goal, self._velocity]
        for cube in self._tower:
            parts += [cube.position - plate, cube.orientation, cube.velocity, cube.spin]
        return numpy.concatenate(parts)

    def _judge(self):
        plate = self._plate.position
        has_fallen = self._tower[-1].position[2] < 0.1 * self.cubes - 0.1
        reward = 1 - numpy.linalg.norm(plate[:2] - self._goal)
        return (0.0 if has_fallen else reward), has_fallen


class Vector:
    """Many environments of one class, stepped together over threads without Python's lock.

    An environment that is over starts a new episode in the next step, as in Gymnasium's vectors.
    """

    def __init__(self, kind, count, threads=1, **settings):
        self.envs = [kind(**settings) for _ in range(count)]
        self.num_envs, self.threads = count, threads
        one = self.envs[0]
        self.single_action_space = one.action_space
        self.single_observation_space = one.observation_space
        self._over = numpy.zeros(count, bool)
        self._worlds = [env.world for env in self.envs]

    def reset(self, *, seed=None, options=None):
        """(observations, info); environment k has the seed + k."""
        seeds = [None if seed is None else seed + k for k in range(self.num_envs)]
        found = [env.reset(seed=s)[0] for env, s in zip(self.envs, seeds)]
        self._over[:] = False
        return numpy.array(found), {}

    def step(self, actions):
        """(observations, rewards, terminations, truncations, info), one row an environment."""
        if len(actions) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments, not {len(actions)}")
        running = [k for k in range(self.num_envs) if not self._over[k]]
        for k in running:
            self.envs[k]._act(self.envs[k]._clip(actions[k]))
        one = self.envs[0]
        unsolved = step_worlds([self._worlds[k] for k in running], one.h, one.frame_skip,
                               self.threads)
        found = [None] * self.num_envs
        for k, count in zip(running, unsolved):
            found[k] = self.envs[k]._finish(count)
        for k in range(self.num_envs):
            if found[k] is None:
                found[k] = (self.envs[k].reset()[0], 0.0, False, False, {"unsolved": 0})
        observations, rewards, terminated, truncated, infos = zip(*found)
        self._over = numpy.array(terminated) | numpy.array(truncated)
        return (numpy.array(observations), numpy.array(rewards), numpy.array(terminated),
                numpy.array(truncated), {"unsolved": [one["unsolved"] for one in infos]})

    def close(self):
        for env in self.envs:
            env.close()


if gymnasium is not None:
    for _kind in (Quadruped, Hand, CubeTower):
        gymnasium.register(id=f"moreau/{_kind.__name__}-v0",
                           entry_point=f"moreau.gym:{_kind.__name__}")
