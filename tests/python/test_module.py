# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Tests of the Python module: numbers, memory, errors."""
import gc
import os
import sys
import tempfile
import unittest

import numpy as np

import moreau


def stack(n):
    """n unit masses above each other: contact k between mass k - 1 (or the ground) and mass k."""
    problem = moreau.Problem()
    bodies = [problem.add_body(np.eye(3), [-1, 0, 0]) for _ in range(n)]
    for k, body in enumerate(bodies):
        contact = problem.add_constraint(moreau.law.coulomb(0.5))
        problem.add_jacobian(contact, body, np.eye(3))
        if k:
            problem.add_jacobian(contact, bodies[k - 1], -np.eye(3))
    return problem


class Problems(unittest.TestCase):
    def test_a_stack_carries_its_weight(self):
        for method in ("auto", "nsgs", "ipm"):
            result = stack(4).solve(method=method, tol=1e-10)
            self.assertTrue(result.solved)
            np.testing.assert_allclose(result.r.reshape(4, 3)[:, 0], [4, 3, 2, 1], atol=1e-8)

    def test_arrays_are_views_that_keep_their_result(self):
        result = stack(2).solve()
        r = result.r
        self.assertTrue(np.shares_memory(r, result.r))
        expected = r.copy()
        del result
        gc.collect()
        np.testing.assert_array_equal(r, expected)

    def test_views_of_the_problem(self):
        problem = stack(2)
        M, f = problem.body(1)
        np.testing.assert_array_equal(M, np.eye(3))
        np.testing.assert_array_equal(f, [-1, 0, 0])
        self.assertEqual(problem.constraint(0)[:2], ("coulomb", 0.5))
        np.testing.assert_array_equal(problem.response(), [-1, 0, 0, 0, 0, 0])

    def test_measure_and_warm_start(self):
        problem = stack(3)
        result = problem.solve(tol=1e-12)
        self.assertLess(problem.measure(result.r), 1e-12)
        self.assertGreater(problem.measure(np.zeros(9)), 0.1)
        self.assertLessEqual(problem.solve(start=result.r, method="nsgs", tol=1e-10).iterations, 2)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stack.hdf5")
            stack(3).write(path)
            again = moreau.Problem.read(path)
            self.assertEqual(again.constraint_count, 3)
            self.assertTrue(again.solve().solved)
            with self.assertRaises(moreau.Error):
                moreau.Problem.read(os.path.join(folder, "nowhere.hdf5"))

    def test_boxes_and_joints(self):
        problem = moreau.Problem()
        body = problem.add_body(np.eye(1), [5])
        row = problem.add_constraint(moreau.law.box([-2], [2]), d=1)
        problem.add_jacobian(row, body, [[1]])
        np.testing.assert_allclose(problem.solve().v, [3])

    def test_objects_that_were_not_made_are_destroyed_in_silence(self):
        complaints, before = [], sys.unraisablehook
        sys.unraisablehook = lambda one: complaints.append(str(one.exc_value))
        try:
            for kind in (moreau.Gradient, moreau.Result, moreau.Verdict, moreau.Recording,
                         moreau.Robot, moreau.World, moreau.Problem, moreau.Forces):
                with self.assertRaises(TypeError):
                    kind(*range(30))
            gc.collect()
        finally:
            sys.unraisablehook = before
        self.assertEqual(complaints, [])

    def test_errors_are_sentences(self):
        problem = moreau.Problem()
        problem.add_body(-np.eye(2))
        with self.assertRaisesRegex(moreau.Error, "body 0"):
            problem.solve()
        with self.assertRaisesRegex(moreau.Error, "method"):
            stack(1).solve(method="magic")
        with self.assertRaisesRegex(moreau.Error, "shape"):
            stack(1).solve(start=[1, 2])
        with self.assertRaises(moreau.Error):
            stack(1).solve(tol=-1)

    def test_a_garbage_cycle_of_a_problem_and_its_gradient_is_collected(self):
        for _ in range(50):
            problem = stack(1)
            problem.gradient_of_it = problem.gradient(problem.solve(tol=1e-12).r)
            del problem
            gc.collect()

    def test_gradients_are_differences(self):
        def problem_of(push):
            made = moreau.Problem()
            body = made.add_body(np.diag([1.0, 2.0, 3.0]), [-1, push, 0])
            contact = made.add_constraint(moreau.law.coulomb(0.4))
            made.add_jacobian(contact, body, np.eye(3))
            return made
        base = problem_of(0.7).solve(tol=1e-13)
        gradient = problem_of(0.7).gradient(base.r)
        dv, _, _ = gradient.forward(f=[0, 1, 0])
        step = 1e-6
        differences = (problem_of(0.7 + step).solve(tol=1e-13).v - base.v) / step
        np.testing.assert_allclose(dv, differences, atol=1e-6)
        df, _, _ = gradient.adjoint(v=[0, 1, 0])
        self.assertAlmostEqual(df[1], dv[1])


class Worlds(unittest.TestCase):
    def test_a_ball_falls_and_rests(self):
        world = moreau.World(tol=1e-10)
        ground = world.add_body(moreau.plane(), kind="fixed", name="ground")
        ball = world.add_body(moreau.ball(0.1).of(density=1000, friction=0.3), position=(0, 0, 0.3),
                              name="ball")
        self.assertAlmostEqual(ball.mass, 4000 / 3 * np.pi * 1e-3)
        for _ in range(100):
            self.assertTrue(world.step(0.01).solved)
        self.assertAlmostEqual(ball.position[2], 0.1, places=9)
        contacts = world.contacts
        self.assertEqual(len(contacts), 1)
        np.testing.assert_allclose(contacts["normal"][0], [0, 0, 1], atol=1e-12)
        self.assertEqual(moreau.MODES[contacts["mode"][0]], "sticks")
        np.testing.assert_allclose(world.force_on(ball), [0, 0, 9.81 * ball.mass], rtol=1e-8,
                                   atol=1e-8)
        np.testing.assert_allclose(world.force_on(ground), [0, 0, -9.81 * ball.mass], rtol=1e-8,
                                   atol=1e-8)
        self.assertEqual(world.body("ball"), ball)
        self.assertTrue(world.problem.solve().solved)

    def test_a_world_without_contacts_has_none(self):
        world = moreau.World(gravity=(0, 0, 0))
        world.add_body(moreau.box(1, 1, 1), velocity=(1, 0, 0))
        world.step(0.5)
        self.assertEqual(len(world.contacts), 0)
        self.assertAlmostEqual(world.bodies[0].position[0], 0.5)

    def test_saved_and_loaded(self):
        def world_of():
            world = moreau.World()
            world.add_body(moreau.plane(), kind="fixed")
            world.add_body(moreau.box(0.1, 0.2, 0.3), position=(0, 0, 0.5), spin=(1, 2, 3))
            return world
        one, other = world_of(), world_of()
        for _ in range(20):
            one.step(0.01)
        state = one.save()
        other.load(state)
        one.step(0.01)
        other.step(0.01)
        np.testing.assert_array_equal(one.bodies[1].position, other.bodies[1].position)

    def test_errors(self):
        world = moreau.World()
        with self.assertRaises(moreau.Error):
            world.add_body(moreau.ball(-1))
        with self.assertRaises(moreau.Error):
            world.step(-1)
        with self.assertRaises(moreau.Error):
            moreau.World(method="magic").step(0.1)
        with self.assertRaises(TypeError):
            moreau.ball(1).of(colour=3)


class Robots(unittest.TestCase):
    def test_forces_at_an_instant(self):
        robot = moreau.load("scenes/models/quadruped.xml")
        robot.set_key("stand")
        for _ in range(200):
            robot.step()
        forces = robot.world.forces(speed=1e-4)
        self.assertTrue(forces.solved and not forces.impulsive)
        weight = 9.81 * sum(body.mass for body in robot.world.bodies if body.kind == "link")
        self.assertEqual(forces.contacts["force"].shape, (4, 3))
        self.assertAlmostEqual(abs(forces.contacts["force"][:, 2]).sum(), weight,
                               delta=0.05 * weight)
        # nothing holds the trunk, which is free; a leg carries its foot's load less its own weight
        np.testing.assert_allclose(forces.links["force"][0], 0, atol=1e-6)
        self.assertEqual(len(forces.axes), 13)
        self.assertEqual(len(forces.actuator_efforts), 12)
        np.testing.assert_allclose(forces.axes["actuator"][1:, 0], forces.actuator_efforts,
                                   atol=1e-12)
        # inverse dynamics undoes forward dynamics
        mechanism = robot.mechanisms[0]
        asked = forces.joint_accelerations[7] + 2
        again = robot.world.forces(speed=1e-4, known=[(mechanism, 7, asked)])
        self.assertTrue(again.solved)
        self.assertAlmostEqual(again.joint_accelerations[7], asked, places=6)
        self.assertGreater(again.known_efforts[0], 0)
        with self.assertRaisesRegex(moreau.Error, "known acceleration 0"):
            robot.world.forces(known=[(mechanism, 99, 0.0)])

    def test_a_urdf_arm_of_motors_holds_itself(self):
        text = ("<robot name='r'><link name='base'><inertial><mass value='1'/>"
                "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
                "<link name='arm'><inertial><origin xyz='.5 0 0'/><mass value='2'/>"
                "<inertia ixx='.1' iyy='.1' izz='.1'/></inertial></link>"
                "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/>"
                "<axis xyz='0 1 0'/></joint></robot>")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "arm.urdf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            limp, held = moreau.load(path), moreau.load(path, servo=3, meshes=folder)
            fallen = moreau.load(path, free=True)
        of_text = moreau.load(text, servo=3)
        with self.assertRaisesRegex(moreau.Error, "line 1: .*type 'bent'"):
            moreau.load(text.replace("continuous", "bent"))
        for _ in range(500):
            of_text.step()
            self.assertTrue(limp.step().solved and held.step().solved and fallen.step().solved)
        self.assertGreater(limp.q[0], 0.5)
        stiffness = 0.6 * (2 * np.pi * 3) ** 2
        self.assertAlmostEqual(stiffness * held.q[0], 9.81 * np.cos(held.q[0]), places=4)
        self.assertEqual(of_text.q[0], held.q[0])
        self.assertEqual(len(fallen.q), 8)
        self.assertLess(fallen.q[2], -4)

    def test_dynamics_in_the_coordinates_of_the_model(self):
        robot = moreau.load("scenes/models/quadruped.xml")
        robot.set_key("stand")
        v = np.linspace(-1, 1, 18)
        robot.v = v
        M, energy = robot.mass_matrix(), robot.world.kinetic_energy
        self.assertAlmostEqual(0.5 * v @ M @ v, energy, places=9)
        a = np.sin(np.arange(18))
        np.testing.assert_allclose(robot.inverse_dynamics(a), M @ a + robot.bias(), atol=1e-9)
        foot = robot.body("front_left_foot")
        np.testing.assert_allclose(robot.jacobian("front_left_foot") @ v,
                                   np.concatenate([foot.velocity, foot.spin]), atol=1e-9)
        robot.step()
        self.assertEqual(len(robot.sense_all()), sum(place.stop - place.start
                                                 for _, place in robot.sensors.values()))
        self.assertEqual(set(robot.sense()), set(robot.sensors))
        self.assertTrue(robot.world.device.startswith("cpu"))

    def test_a_reset_forgets_all(self):
        robot, fresh = (moreau.load("scenes/models/quadruped.xml") for _ in range(2))
        robot.set_key("stand")
        for _ in range(20):
            robot.step()
        robot.reset()
        self.assertEqual(robot.world.save(), fresh.world.save())
        robot.step()
        fresh.step()
        np.testing.assert_array_equal(robot.sense_all(), fresh.sense_all())

    def test_two_robots_in_one_world(self):
        world = moreau.World(floor=0)
        one = moreau.load("scenes/models/quadruped.xml", world)
        turn = moreau.rotation((0, 0, 1), np.pi / 2)
        other = moreau.load("scenes/models/quadruped.xml", world, position=(2, 0, 0.1),
                            orientation=turn)
        np.testing.assert_allclose(other.q[:7], np.concatenate([[2, 0, one.q[2] + 0.1], turn]))
        np.testing.assert_array_equal(other.q[7:], one.q[7:])
        foot, its = one.body("front_left_foot").position, other.body("front_left_foot").position
        np.testing.assert_allclose(its, [2 - foot[1], foot[0], foot[2] + 0.1])
        with self.assertRaisesRegex(moreau.Error, "world of others"):
            other.reset()
        tied = """<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/></body>
            </worldbody><equality><connect body1="b" anchor="0 0 0"/></equality></mujoco>"""
        with self.assertRaisesRegex(moreau.Error, "tied to the world"):
            moreau.load(tied, world, position=(1, 0, 0))

    def test_what_cannot_be_assigned_fails(self):
        robot = moreau.load("scenes/models/quadruped.xml")
        for numbers in (robot.q, robot.v, robot.ctrl, robot.body(1).position):
            with self.assertRaisesRegex(ValueError, "read-only"):
                numbers[0] = 0.5
        with self.assertRaises(AttributeError):
            robot.controlled = 1
        robot.ctrl = np.full(12, 0.1)
        np.testing.assert_array_equal(robot.ctrl, np.full(12, 0.1))
        self.assertEqual(repr(robot), "<Robot quadruped: 17 bodies, 13 joints, 12 actuators>")
        self.assertEqual(moreau.__version__, moreau.version())
        self.assertEqual(len(moreau.record(robot, 0.002, 2)), 3)

    def test_notes_are_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "odd.xml")
            with open(path, "w", encoding="utf-8") as file:
                file.write('<mujoco><worldbody><body><joint type="free"/><geom size="0.1" '
                           'mas="2"/></body></worldbody></mujoco>')
            with self.assertWarnsRegex(UserWarning, "odd.xml: .*mas"):
                robot = moreau.load(path)
        self.assertRaisesRegex(moreau.Error, "there are none with a name", robot.site, "tip")
        self.assertRaisesRegex(moreau.Error, "absent.xml", moreau.load, "absent.xml")

    def test_joints_and_limits(self):
        robot = moreau.load("scenes/models/biped.xml")
        self.assertEqual(len(robot.joints), 9)
        self.assertEqual(robot.joints[3].name, "right_hip")
        self.assertAlmostEqual(robot.joints[3].limits[1], np.radians(100))
        self.assertEqual(robot.keys, ["stand"])

    def test_coordinates_and_views(self):
        robot = moreau.load("scenes/models/linkage.xml")
        robot.set_key("turn")
        crank = robot.mechanisms[0]
        before = crank.q.copy()
        robot.step()
        self.assertFalse(np.array_equal(crank.q, before))
        np.testing.assert_array_equal(robot.q[:2], crank.q)
        M = crank.mass_matrix()
        np.testing.assert_allclose(M, M.T)
        self.assertTrue(np.all(np.linalg.eigvalsh(M) > 0))
        self.assertEqual(len(crank.bias()), 2)
        with self.assertRaises(ValueError):
            crank.q[0] = 1
        robot.q = np.zeros(3)
        np.testing.assert_array_equal(crank.q, [0, 0])
        self.assertNotEqual(robot.effort("drive"), 0)

    def test_errors(self):
        robot = moreau.load("scenes/models/arm.xml")
        with self.assertRaisesRegex(moreau.Error, "there is no actuator 'nose'"):
            robot.control("nose", 1)
        with self.assertRaisesRegex(moreau.Error, "cannot be opened"):
            moreau.load("nowhere.xml")


if __name__ == "__main__":
    unittest.main()
