# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Mechanisms from Python: servos, limits, springs, tendons, loops, thrusters, errors."""
import unittest

import numpy as np

import moreau

G = 9.81


def run(world, h, steps):
    for _ in range(steps):
        assert world.step(h).solved


def two_rods(tree):
    """A double pendulum of rods of 0.4 m that hang from (0, 0, 1); the numbers of its joints."""
    rod = moreau.capsule((0, 0, 0), (0, 0, -0.4), 0.02)
    upper = tree.add_link(rod, position=(0, 0, 1), name="upper")
    lower = tree.add_link(rod, parent=upper, position=(0, 0, -0.4), name="lower")
    return (tree.add_joint("revolute", upper, axis=(0, 1, 0), name="shoulder"),
            tree.add_joint("revolute", lower, axis=(0, 1, 0), damping=0.2, name="elbow"))


class Mechanisms(unittest.TestCase):
    def test_a_servo_holds_a_link_against_its_weight(self):
        world, tree = moreau.World(tol=1e-10), moreau.Tree("arm")
        shoulder, elbow = two_rods(tree)
        tree.add_actuator("position", shoulder, stiffness=200, damping=20, name="servo")
        tree.add_actuator("motor", elbow, name="motor")
        arm = world.add_mechanism(tree)
        arm.set_target("servo", 0.5)
        run(world, 0.01, 600)
        mass, (q, elbow_q) = arm.link("upper").mass, arm.q
        self.assertAlmostEqual(q, -elbow_q, delta=1e-3)  # the lower rod hangs straight down
        weight = -9.81 * mass * np.sin(q) * (0.2 + 0.4)  # about the shoulder
        self.assertAlmostEqual(arm.actuator("servo").effort, -weight, delta=1e-3)
        self.assertAlmostEqual(200 * (0.5 - q), -weight, delta=1e-3)
        arm.actuator("motor").target = 0.3
        self.assertEqual(arm.actuator(1).target, 0.3)
        self.assertEqual([joint.name for joint in arm.joints], ["shoulder", "elbow"])
        self.assertEqual((arm.joint(0).kind, arm.name), ("revolute", "arm"))
        self.assertRaisesRegex(moreau.Error, "no joint 'knee'", arm.joint, "knee")

    def test_limits_springs_tendons_and_couplings(self):
        world, tree = moreau.World(tol=1e-10, gravity=(0, 0, 0)), moreau.Tree()
        slides = []
        for k in range(3):
            link = tree.add_link(moreau.ball(0.1), position=(0, k, 0))
            slides.append(tree.add_joint("prismatic", link, axis=(1, 0, 0), limits=(-1, 0.3),
                                         stiffness=10 if k == 2 else 0, damping=12))
        tree.couple(slides[1], slides[0], (0.1, 0.5))
        self.assertRaisesRegex(moreau.Error, "at most 5", tree.couple, slides[1], None, [1] * 6)
        tree.add_tendon({slides[0]: 1, slides[2]: -1}, name="rope")
        tree.add_actuator("motor", slides[0], max_effort=2.0)
        tree.add_actuator("motor", slides[2])
        mechanism = world.add_mechanism(tree)
        mechanism.set_target(0, 5.0)
        mechanism.set_target(1, 1.0)
        run(world, 0.01, 500)
        q = mechanism.q
        self.assertAlmostEqual(q[0], 0.3, delta=1e-9)
        self.assertAlmostEqual(mechanism.joint(0).limit_effort, -2.0, delta=1e-6)
        self.assertAlmostEqual(q[1], 0.1 + 0.5 * 0.3, delta=1e-9)
        self.assertAlmostEqual(q[2], 0.1, delta=1e-3)  # 1 N over 10 N/m
        self.assertAlmostEqual(mechanism.tendon(0)[0], q[0] - q[2], delta=1e-12)
        self.assertTrue(mechanism.actuator(0).is_saturated)

    def test_a_joint_between_two_links_closes_a_loop(self):
        world, tree = moreau.World(tol=1e-10), moreau.Tree()
        rod = moreau.capsule((0, 0, 0), (0, 0, -0.5), 0.02)
        for x in (0, 0.3):
            link = tree.add_link(rod, position=(x, 0, 1))
            tree.add_joint("revolute", link, axis=(0, 1, 0))
        left, right = world.add_mechanism(tree).links
        bar = world.add_joint("distance", left, right, anchor=(0, 0, 0.5), anchor_b=(0.3, 0, 0.5))
        left.apply_impulse((0.5, 0, 0), at=(0, 0, 0.5))
        run(world, 0.005, 100)
        self.assertAlmostEqual(bar.q, 0.3, delta=1e-4)
        q = world.mechanisms[0].q
        self.assertGreater(abs(q[0]), 1e-3)
        self.assertAlmostEqual(q[0], q[1], delta=1e-3)  # a parallelogram

    def test_energy_by_kind(self):
        world = moreau.World()
        ball = world.add_body(moreau.ball(0.1), position=(0, 0, 1), velocity=(2, 0, 0))
        energy = world.energy
        self.assertAlmostEqual(energy["translation"], 2 * ball.mass)
        self.assertAlmostEqual(energy["gravity"], ball.mass * G)
        self.assertEqual((energy["rotation"], energy["springs"]), (0, 0))

    def test_a_free_root_falls_unless_its_weight_is_compensated(self):
        world = moreau.World()
        for compensation in (0, 1):
            tree = moreau.Tree()
            base = tree.add_link(moreau.box(0.1, 0.1, 0.1), name="base",
                                 gravity_compensation=compensation)
            tree.add_joint("free", base)
            world.add_mechanism(tree).set(q=(2 * compensation, 0, 5, 1, 0, 0, 0))
        run(world, 0.01, 10)
        falling, floating = (mechanism.q[2] for mechanism in world.mechanisms)
        self.assertLess(falling, 4.97)
        self.assertAlmostEqual(floating, 5, delta=1e-12)
        world.mechanisms[0].remove()
        self.assertEqual(len(world.mechanisms), 1)

    def test_a_thruster_pushes_its_link(self):
        world, tree = moreau.World(gravity=(0, 0, 0)), moreau.Tree()
        base = tree.add_link(moreau.box(0.1, 0.1, 0.1), mass=2.0)
        tree.add_joint("free", base)
        jet = tree.add_actuator("motor", link=base, position=(0.1, 0, 0), gear=(0, 3, 0, 0, 0, 0))
        craft = world.add_mechanism(tree)
        craft.set_target(jet, 0.5)
        world.step(0.01)
        linear, angular = world.momentum
        np.testing.assert_allclose(linear, (0, 0.5 * 3 * 0.01, 0), atol=1e-12)
        np.testing.assert_allclose(angular, (0, 0, 0.1 * 0.5 * 3 * 0.01), atol=1e-12)
        self.assertRaisesRegex(moreau.Error, "6 numbers", tree.add_actuator, "motor", link=base)
        self.assertRaisesRegex(moreau.Error, "give one", tree.add_actuator, "motor", 0, link=base)

    def test_a_refused_mechanism_leaves_nothing(self):
        world, tree = moreau.World(), moreau.Tree()
        tree.add_link(moreau.ball(0.1))
        tree.add_link(moreau.ball(-1), parent=0)
        self.assertRaisesRegex(moreau.Error, "radius", world.add_mechanism, tree)
        self.assertEqual((len(world.bodies), len(world.mechanisms)), (0, 0))
        self.assertRaisesRegex(moreau.Error, "there is no link 7", tree.add_joint, "ball", 7)
        joint = tree.add_joint("ball", 1)
        self.assertRaisesRegex(moreau.Error, "none of motor", tree.add_actuator, "muscle", joint)


if __name__ == "__main__":
    unittest.main()
