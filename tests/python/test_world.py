# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Worlds from Python: shapes, joints, queries, events, recordings, errors."""
import ctypes
import os
import tempfile
import unittest

import numpy as np

import moreau

G = 9.81


def run(world, h, steps):
    for _ in range(steps):
        assert world.step(h).solved


class Shapes(unittest.TestCase):
    def rest(self, ground, shape, position, **settings):
        """Where a body comes to rest on a ground."""
        world = moreau.World(tol=1e-10, **settings)
        world.add_body(ground, kind="fixed")
        body = world.add_body(shape, position=position)
        run(world, 0.01, 100)
        self.assertAlmostEqual(np.linalg.norm(body.contact_force), G * body.mass, places=6)
        return body.position

    def test_every_shape_rests_on_a_plane(self):
        tetrahedron = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]
        for shape, height in ((moreau.ball(0.1), 0.1), (moreau.box(0.1, 0.2, 0.3), 0.3),
                              (moreau.cylinder(0.1, 0.2), 0.2),
                              (moreau.capsule((-0.2, 0, 0), (0.2, 0, 0), 0.1), 0.1),
                              (moreau.hull(tetrahedron), 0)):
            z = self.rest(moreau.plane(), shape, (0, 0, height + 0.02))[2]
            self.assertAlmostEqual(z, height, places=6)

    def test_half_spaces_meshes_and_height_fields(self):
        ball = moreau.ball(0.1)
        z = self.rest(moreau.half_space((0, 0, 2), 1.0), ball, (0, 0, 0.7))[2]
        self.assertAlmostEqual(z, 0.6, places=6)
        square = [[-1, -1, 0.3], [1, -1, 0.3], [1, 1, 0.3], [-1, 1, 0.3]]
        z = self.rest(moreau.mesh(square, [[0, 1, 2], [0, 2, 3]]), ball, (0.1, 0.2, 0.45))[2]
        self.assertAlmostEqual(z, 0.4, places=6)
        z = self.rest(moreau.height_field(np.full((4, 5), 0.2), 0.5), ball, (1.1, 0.7, 0.35))[2]
        self.assertAlmostEqual(z, 0.3, places=6)
        for bad in (lambda: moreau.half_space((0, 0, 0)), lambda: moreau.height_field([1, 2], 1),
                    lambda: moreau.hull("abc")):
            self.assertRaises(moreau.Error, bad)

    def test_planar_worlds(self):
        world = moreau.World(planar=True, floor=0.5, tol=1e-10)
        disk = world.add_body(moreau.ball(0.1), position=(0, 0.7, 0))
        self.assertTrue(world.is_planar)
        self.assertAlmostEqual(disk.mass, 1000 * np.pi * 0.01)
        run(world, 0.01, 100)
        np.testing.assert_allclose(disk.position, [0, 0.6, 0], atol=1e-8)

    def test_materials_and_filters(self):
        # On a slope of 20 degrees mu = 0.3 < tan(20) slides, and 0.5 sticks.
        slope = np.radians(20)
        world = moreau.World(gravity=(G * np.sin(slope), 0, -G * np.cos(slope)), tol=1e-10)
        floor = world.add_body(moreau.plane().of(friction=1), kind="fixed")
        boxes = [world.add_body(moreau.box(0.1, 0.1, 0.1).of(friction=mu ** 2),
                                position=(0, y, 0.1)) for y, mu in ((0, 0.3), (1, 0.5))]
        ghost = world.add_body(moreau.ball(0.1).of(layer=2, mask=2), position=(0, 3, 0.2))
        run(world, 0.01, 50)
        acceleration = G * (np.sin(slope) - 0.3 * np.cos(slope))
        self.assertAlmostEqual(boxes[0].velocity[0], acceleration * 0.5, places=6)
        self.assertAlmostEqual(boxes[1].velocity[0], 0, places=8)
        self.assertLess(ghost.position[2], -0.9)
        boxes[1].set_material(friction=0)
        run(world, 0.01, 10)
        self.assertAlmostEqual(boxes[1].velocity[0], G * np.sin(slope) * 0.1, places=6)
        self.assertEqual(floor.shape(0)["kind"], "plane")

    def test_restitution_and_first_order(self):
        world = moreau.World(floor=0)
        ball = world.add_body(moreau.ball(0.1).of(restitution=1.0), position=(0, 0, 0.5))
        run(world, 0.001, 290)
        self.assertAlmostEqual(ball.velocity[2], np.sqrt(2 * G * 0.4), delta=0.1)
        slow = moreau.World(first_order=0.1)
        body = slow.add_body(moreau.ball(0.1))
        run(slow, 0.01, 10)  # M v = first_order * force: v = 0.1 * g
        self.assertAlmostEqual(body.position[2], -0.1 * G * 0.1, places=8)


class Joints(unittest.TestCase):
    def test_a_motor_a_servo_and_limits(self):
        world = moreau.World(gravity=(0, 0, 0), tol=1e-12)
        arm = world.add_body(moreau.box(0.5, 0.05, 0.05), position=(0.5, 0, 0))
        hinge = world.add_joint("revolute", None, arm, axis=(0, 0, 1), drive="velocity", target=2.0)
        run(world, 0.01, 50)
        self.assertAlmostEqual(hinge.speed, 2, places=8)
        self.assertAlmostEqual(hinge.q, 1, places=2)
        self.assertEqual(hinge.drive[:2], ("velocity", 2.0))
        hinge.set_drive("position", -0.5, max_effort=500.0)
        run(world, 0.01, 300)
        self.assertAlmostEqual(hinge.q, -0.5, places=6)
        self.assertEqual(hinge.kind, "revolute")
        self.assertEqual(world.joints, [hinge])
        hinge.remove()
        with self.assertRaisesRegex(moreau.Error, "removed"):
            hinge.q
        slide = world.add_joint("prismatic", None, arm, axis=(1, 0, 0), limits=(-0.1, 0.2))
        arm.velocity = (3, 0, 0)
        run(world, 0.01, 50)
        self.assertLess(abs(slide.q), 0.2 + 1e-6)
        self.assertEqual(slide.limits, (-0.1, 0.2))

    def test_a_pendulum_has_the_force_of_its_circle(self):
        world = moreau.World(tol=1e-12)
        bob = world.add_body(moreau.ball(0.05), position=(0, 0, -1))
        rod = world.add_joint("distance", None, bob, anchor=(0, 0, 0), anchor_b=(0, 0, -1))
        bob.velocity = (0.5, 0, 0)
        forces = []
        for _ in range(40):
            run(world, 1e-3, 1)
            forces.append(rod.force[2])
        self.assertAlmostEqual(np.mean(forces), bob.mass * (G + 0.25), delta=0.01 * forces[0])
        self.assertLess(rod.error, 1e-5)


class Bodies(unittest.TestCase):
    def test_a_servo_with_gains_brings_an_arm_to_its_angle(self):
        for h in (0.002, 0.0005):
            world = moreau.World(gravity=(0, 0, 0))
            arm = world.add_body(moreau.box(0.5, 0.02, 0.02), position=(0.5, 0, 0))
            hinge = world.add_joint("revolute", None, arm, axis=(0, 0, 1), drive="position",
                                    target=0.8, max_effort=2, stiffness=20, damping=5)
            run(world, h, int(2.5 / h))
            self.assertAlmostEqual(hinge.q, 0.8, delta=1e-3)
            self.assertAlmostEqual(hinge.speed, 0, delta=1e-3)
        inertia = arm.mass * (1.0 ** 2) / 3 + arm.mass * 0.04 ** 2 / 12
        hinge.set_drive("position", 0.8 + 0.01, max_effort=50)
        q, v = hinge.q, hinge.speed
        world.step(h)  # implicit: (J + h d + h^2 k) v' = J v + h k (target - q)
        v_next = (inertia * v + h * 20 * (0.81 - q)) / (inertia + h * 5 + h * h * 20)
        self.assertAlmostEqual(hinge.speed, v_next, delta=1e-5)
        self.assertRaisesRegex(moreau.Error, "stiffness", world.add_joint, "revolute", None, arm,
                               stiffness=-1)

    def test_forces_on_this_body_and_words(self):
        world = moreau.World(floor=0, floor_friction=0.2)
        low = world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.1), name="low")
        top = world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.3))
        run(world, 0.01, 50)
        weight = 9.81 * low.mass
        self.assertAlmostEqual(low.contacts["force_here"][:, 2].sum(), weight, delta=1e-6)
        self.assertAlmostEqual(low.force_from("floor")[2], 2 * weight, delta=1e-6)
        self.assertAlmostEqual(top.force_from("low")[2], weight, delta=1e-6)
        self.assertAlmostEqual(low.contacts["mu"].min(), (0.2 * 0.5) ** 0.5, delta=1e-12)
        self.assertRaisesRegex(moreau.Error, "no body 'up'; there are floor, low", world.body, "up")
        self.assertRaisesRegex(moreau.Error, "none of none, velocity", world.add_joint, "ball",
                               None, low, drive="torque")
        self.assertRaisesRegex(moreau.Error, "b must be a body", world.add_joint, "ball", low, None)
        self.assertRaisesRegex(moreau.Error, "add half_z", world.add_body, moreau.box(0.1, 0.1))
        self.assertRaisesRegex(TypeError, "add_body.mass", moreau.ball(0.1).of, mass=2)
        self.assertEqual(repr(top), "<Body 2: free>")
        top.remove()
        self.assertEqual(repr(top), "<Body: removed>")

    def test_forces_impulses_and_momentum(self):
        world = moreau.World(gravity=(0, 0, 0), tol=1e-12)
        body = world.add_body(moreau.box(0.1, 0.2, 0.3), position=(1, 0, 0))
        body.apply_impulse((1, 2, 3), at=(1, 0.1, 0))
        linear, angular = world.momentum
        np.testing.assert_allclose(linear, [1, 2, 3], atol=1e-12)
        np.testing.assert_allclose(angular, np.cross((1, 0.1, 0), (1, 2, 3)), atol=1e-10)
        body.apply_force((10, 0, 0))
        body.apply_torque((0, 0, 1))
        world.step(0.1)
        linear, _ = world.momentum
        np.testing.assert_allclose(linear, [2, 2, 3], atol=1e-12)
        np.testing.assert_allclose(np.diag(body.inertia), body.mass / 3 * np.array(
            [0.13, 0.1, 0.05]), rtol=1e-12)

    def test_what_cannot_be_assigned_fails(self):
        world = moreau.World()
        body = world.add_body(moreau.ball(1))
        for thing, name in ((world, "gravitation"), (world, "time"), (body, "mass"),
                            (body, "colour"), (world.step(0.01), "extra")):
            with self.assertRaises(AttributeError):
                setattr(thing, name, 1)
        with self.assertRaises(ValueError):
            world.gravity[2] = 0
        world.gravity = (0, 0, -1)
        before = body.velocity[2]
        world.step(0.5)
        self.assertAlmostEqual(body.velocity[2] - before, -0.5)
        with self.assertRaises(moreau.Error):
            world.gravity = (0, 0, np.nan)
        self.assertEqual(world.gravity[2], -1)
        world.change(tol=1e-6, sleeping=True)
        with self.assertRaises(moreau.Error):
            world.change(tol=-1)

    def test_no_nan_comes_in(self):
        """Every entry with a number refuses NaN, and the world goes on as if nobody had asked."""
        def make():
            world = moreau.World(floor=0)
            body = world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.1))
            other = world.add_body(moreau.ball(0.1), position=(0, 0, 0.31))
            tree = moreau.Tree()
            link = tree.add_link(moreau.ball(0.1), position=(1, 0, 1))
            joint = tree.add_joint("revolute", link, axis=(0, 1, 0))
            tree.add_actuator("position", joint=joint, stiffness=1.0)
            return world, body, other, world.add_mechanism(tree)

        bad, three = np.nan, (0, np.nan, 0)
        world, body, other, mechanism = make()
        twin = make()[0]
        tries = [
            lambda: setattr(world, "gravity", three),
            lambda: world.change(tol=bad),
            lambda: world.change(margin=bad),
            lambda: world.step(bad),
            lambda: world.add_body(moreau.ball(bad)),
            lambda: world.add_body(moreau.ball(0.1), position=three),
            lambda: world.add_body(moreau.ball(0.1), velocity=three),
            lambda: world.add_body(moreau.ball(0.1), orientation=(bad, 0, 0, 0)),
            lambda: world.add_body(moreau.hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], three])),
            lambda: world.add_joint("revolute", body, other, anchor=three),
            lambda: world.add_joint("revolute", body, other, axis=three),
            lambda: world.cast_ray(three, (0, 0, -1)),
            lambda: world.cast_ray((0, 0, 1), three),
            lambda: setattr(body, "position", three),
            lambda: setattr(body, "orientation", (1, 0, 0, bad)),
            lambda: setattr(body, "velocity", three),
            lambda: setattr(body, "spin", three),
            lambda: body.apply_force(three),
            lambda: body.apply_force((0, 0, 1), at=three),
            lambda: body.apply_torque(three),
            lambda: body.apply_impulse(three),
            lambda: body.set_material(friction=bad),
            lambda: body.add_shape(moreau.box(0.1, bad, 0.1)),
            lambda: setattr(mechanism.actuators[0], "target", bad),
        ]
        for number, attempt in enumerate(tries):
            with self.assertRaises((moreau.Error, ValueError), msg=f"entry {number}"):
                attempt()
        for _ in range(3):
            world.step(0.01)
            twin.step(0.01)
        self.assertEqual(world.save(), twin.save())

    def test_a_failed_add_leaves_nothing(self):
        world = moreau.World()
        with self.assertRaisesRegex(moreau.Error, "radius"):
            world.add_body(moreau.ball(0.1), moreau.ball(-1))
        self.assertEqual(len(world.bodies), 0)
        with self.assertRaisesRegex(moreau.Error, "kind is 'fluid', .* free, fixed, driven"):
            world.add_body(moreau.ball(0.1), kind="fluid")
        with self.assertRaises(TypeError):
            world.add_body(moreau.law.coulomb(0.5))
        with self.assertRaises(TypeError):
            world.add_body(moreau.ball(0.1), "box")
        self.assertEqual(len(world.bodies), 0)

    def test_errors_name_the_argument_and_what_it_may_be(self):
        world = moreau.World()
        ball = world.add_body(moreau.ball(0.1), position=(0, 0, 1))
        for kind, sentence, call in (
                (moreau.Error, "position has the shape .2,., but .3,. is needed",
                 lambda: world.add_body(moreau.ball(1), position=(0, 1))),
                (moreau.Error, "gravity is 'down'", lambda: moreau.World(gravity="down")),
                (moreau.Error, "limits has the shape",
                 lambda: world.add_joint("revolute", None, ball, limits=1)),
                (moreau.Error, r"moreau\.methods\(\)", lambda: moreau.World(method="pgs")),
                (moreau.Error, r"unknown option 'dt'; moreau\.options\(\)",
                 lambda: moreau.World(dt=0.01)),
                (moreau.Error, "1024$", lambda: moreau.World(threads=0)),
                (moreau.Error, "bytes that save", lambda: world.load("state")),
                (moreau.Error, "returned, and there are 0",
                 lambda: moreau.Tree().add_actuator("motor", "hip")),
                (TypeError, "no mu; .* density, .* friction", lambda: moreau.ball(1).of(mu=0.5)),
                (TypeError, "no shape", lambda: world.overlap("ball")),
                (ctypes.ArgumentError, "'a' is not a number", lambda: moreau.ball("a"))):
            with self.assertRaisesRegex(kind, sentence):
                call()

    def test_removal_and_user_data(self):
        world = moreau.World(floor=0)
        body = world.add_body(moreau.ball(0.1), position=(0, 0, 0.1))
        other = world.add_body(moreau.ball(0.1), position=(1, 0, 0.1))
        body.user_data = {"name": "one"}
        joint = world.add_joint("ball", None, other)
        joint.user_data = 7
        world.step(0.01)
        self.assertEqual(world.bodies[1].user_data["name"], "one")
        self.assertEqual((joint.user_data, other.user_data), (7, None))
        body.remove()
        self.assertEqual(len(world.bodies), 2)
        for call in (lambda: body.position, lambda: body.mass, body.remove,
                     lambda: body.apply_force((1, 0, 0)),
                     lambda: setattr(body, "velocity", (0, 0, 0))):
            self.assertRaises(moreau.Error, call)
        world.exclude(world.bodies[0], other)
        run(world, 0.01, 5)

    def test_forces_between_two_bodies(self):
        world = moreau.World(floor=0, tol=1e-12)
        low, top = (world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, z))
                    for z in (0.1, 0.3))
        run(world, 0.01, 3)
        weight = G * low.mass
        self.assertAlmostEqual(top.force_from(low)[2], weight, delta=1e-6)
        self.assertAlmostEqual(low.force_from(top)[2], -weight, delta=1e-6)
        self.assertAlmostEqual(low.force_from(world.body("floor"))[2], 2 * weight, delta=1e-6)
        pairs = {world.bodies_of(contact) for contact in world.contacts}
        self.assertEqual(pairs, {(world.body("floor"), low), (low, top)})
        self.assertIn("3 bodies", repr(world))

    def test_single_shapes_come_and_go(self):
        world = moreau.World(floor=0)
        body = world.add_body(moreau.ball(0.1), position=(0, 0, 1))
        mass = body.mass
        body.add_shape(moreau.ball(0.1).at((1, 0, 0)), moreau.box(0.1, 0.1, 0.1))
        body.remove_shape(1)
        self.assertEqual([body.shape(k)["kind"] for k in range(2)], ["ball", "box"])
        body.remove_shape(1)
        self.assertAlmostEqual(body.mass, mass)
        self.assertRaises(IndexError, body.remove_shape, 1)
        run(world, 0.01, 5)

    def test_events_and_contacts_of_a_body(self):
        world = moreau.World(floor=0, tol=1e-10)
        low = world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.1))
        top = world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.35))
        self.assertEqual(world.events, [])
        seen = []
        for _ in range(50):
            world.step(0.01)
            seen += world.events
        self.assertEqual([(kind, b) for kind, _, b in seen], [("begin", low), ("begin", top)])
        self.assertEqual(len(top.contacts), 4)
        self.assertEqual(len(low.contacts), 8)
        self.assertAlmostEqual(top.contacts["force"][:, 2].sum(), G * top.mass, places=6)
        top.remove()
        world.step(0.01)
        self.assertEqual([kind for kind, _, _ in world.events], ["end"])


class Queries(unittest.TestCase):
    def test_rays_overlaps_distances(self):
        world = moreau.World(floor=0)
        ball = world.add_body(moreau.ball(0.5), position=(3, 0, 1))
        hit = world.cast_ray((0, 0, 1), (2, 0, 0))
        self.assertEqual((hit.body, round(hit.distance, 12)), (ball, 2.5))
        np.testing.assert_allclose(hit.normal, [-1, 0, 0], atol=1e-9)
        self.assertIsNone(world.cast_ray((0, 0, 1), (2, 0, 0), length=2))
        self.assertIsNone(world.cast_ray((0, 0, 1), (2, 0, 0), ignored=ball))
        distances = world.cast_rays([(0, 0, 1), (0, 0, 1), (0, 0, 1)],
                                    [(1, 0, 0), (0, 0, -1), (0, 0, 1)], threads=2)
        np.testing.assert_allclose(distances, [2.5, 1, np.inf])
        found = world.overlap(moreau.box(1, 1, 1), position=(2, 0, 1.2))
        self.assertEqual([one.b for one in found], [ball])
        self.assertEqual(len(world.overlap(moreau.ball(0.1), position=(3, 0, 1.7), distance=5)), 2)
        near = world.distance(world.bodies[0], ball)
        self.assertAlmostEqual(near.distance, 0.5)
        np.testing.assert_allclose(near.point_b, [3, 0, 0.5], atol=1e-12)
        world.add_body(moreau.ball(0.5), position=(0, 0, 0.4))
        self.assertAlmostEqual(world.penetration, 0.1)
        self.assertAlmostEqual(world.relative_penetration, 0.2)


class Many(unittest.TestCase):
    def test_worlds_over_threads(self):
        def make(n):
            worlds = [moreau.World(floor=0) for _ in range(n)]
            for k, world in enumerate(worlds):
                world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0.01 * k, 0, 0.3))
            return worlds
        one, two = make(4), make(4)
        self.assertEqual(moreau.step_worlds(one, 0.01, 40), [0] * 4)
        moreau.step_worlds(two, 0.01, 40, threads=2)
        for a, b in zip(one, two):
            self.assertEqual(a.save(), b.save())
        with self.assertRaises(moreau.Error):
            moreau.step_worlds([one[0], one[0]], 0.01)
        with self.assertRaisesRegex(moreau.Error, "world 0"):
            moreau.step_worlds(one, -1)

    def test_copies_step_together_and_never_touch(self):
        world = moreau.World(floor=0, tol=1e-6)
        world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.1))
        world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.3))
        batch = world.copies(3)
        self.assertEqual(len(batch.bodies), 1 + 3 * 2)
        top = batch.body_of_copy(2, 2)
        top.position = (1, 0, 0.1)
        for _ in range(30):
            self.assertTrue(batch.step(0.01).solved)
        for copy, height in enumerate((0.3, 0.3, 0.1)):
            np.testing.assert_allclose(batch.body_of_copy(copy, 1).position, (0, 0, 0.1), atol=1e-4)
            self.assertAlmostEqual(batch.body_of_copy(copy, 2).position[2], height, delta=1e-4)
        with self.assertRaisesRegex(moreau.Error, "copy 3"):
            batch.body_of_copy(3, 0)
        with self.assertRaisesRegex(moreau.Error, "copies of copies"):
            batch.copies(2)

    def test_a_body_of_another_world_is_refused(self):
        worlds = [moreau.World(floor=0) for _ in range(2)]
        one, other = [[world.add_body(moreau.ball(0.1), position=(0, 0, 0.1 + 0.3 * k))
                       for k in range(2)] for world in worlds]
        for call in (lambda: worlds[0].add_joint("ball", one[0], other[1]),
                     lambda: worlds[0].exclude(one[0], other[1]),
                     lambda: worlds[0].pair(one[0], other[1], friction=0.1),
                     lambda: worlds[0].distance(one[0], other[1]),
                     lambda: worlds[0].cast_ray((0, 0, 5), (0, 0, -1), ignored=other[1]),
                     lambda: one[0].force_from(other[1])):
            with self.assertRaisesRegex(moreau.Error, "belongs to another world"):
                call()

    def test_integers_are_not_cut_to_those_of_c(self):
        world = moreau.World(floor=0)
        world.add_body(moreau.ball(0.1), position=(0, 0, 0.1))
        for call in (lambda: world.copies(2**32 + 2),
                     lambda: world.copies(2).body_of_copy(2**32, 1),
                     lambda: moreau.step_worlds([world], 0.01, 2**32 + 1)):
            with self.assertRaisesRegex(Exception, "does not fit an integer of 32 bits"):
                call()
        shape = moreau.ball(0.1)
        with self.assertRaisesRegex(OverflowError, "does not fit"):
            shape.of(layer=2**32 + 1)
        self.assertEqual(len(world.copies(np.int64(2)).bodies), 3)


class Verdicts(unittest.TestCase):
    def test_certificates_laws_and_options(self):
        problem = moreau.Problem()
        body = problem.add_rigid_body(1.0, np.eye(3), f=[0, 0, -1, 0, 0, 0])
        contact = problem.add_constraint(moreau.law.coulomb(0.5))
        problem.add_jacobian(contact, body, np.hstack([np.eye(3)[[2, 0, 1]], np.zeros((3, 3))]))
        result = problem.solve(tol=1e-12)
        np.testing.assert_allclose(result.r, [1, 0, 0], atol=1e-10)
        np.testing.assert_allclose(problem.reduce().solve(tol=1e-12).r, [1, 0, 0], atol=1e-10)
        np.testing.assert_allclose(problem.velocity(result.r), 0, atol=1e-10)
        self.assertEqual(problem.block(0)[0], body)
        verdict = problem.check()
        self.assertEqual(verdict.conditions["pointed"], "holds")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "proof")
            verdict.write(path)
            again = problem.verify(path)
            self.assertEqual((again.verdict, again.holds), (verdict.verdict, True))
        bound = problem.error_bound(result.r)
        self.assertTrue(bound is None or bound["r"] < 1e-6)
        self.assertGreater(problem.friction_limit()[1], 0.5)
        np.testing.assert_allclose(moreau.law.coulomb(0.5).project([1, 5, 0]),
                                   np.array([1, 0.5, 0]) * (1 + 2.5) / 1.25)
        np.testing.assert_allclose(moreau.law.frictionless().solve([[2.0]], [-4.0]), [2])
        self.assertIn("nsgs__omega", moreau.options())
        names = [method.name for method in moreau.methods()]
        for name in names:
            self.assertTrue(problem.solve(method=name, tol=1e-6).status, name)
        self.assertIn("ipm", names)


if __name__ == "__main__":
    unittest.main()
