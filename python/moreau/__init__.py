# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Moreau: rigid multibody dynamics with hard contact, joints and exact Coulomb friction.

    robot = moreau.load("quadruped.xml")     # MJCF or URDF, in a world of its own
    robot.set_key("stand")
    report = robot.step()
    robot.world.contacts["impulse"]          # numpy, one row a contact

    problem = moreau.Problem()               # M v = H r + f, u = H' v + w
    body = problem.add_body(M, f)
    contact = problem.add_constraint(moreau.coulomb(0.5))
    problem.add_jacobian(contact, body, J)
    result = problem.solve(tol=1e-10)
    result.r                                 # on the library's own memory, not a copy
"""
from ._library import Error
from .forces import TRANSITIONS, Forces
from .problem import (Gradient, Law, Problem, Result, Verdict, bilateral, box, coulomb, frictionless,
                      rolling, soft_finger, version)
from .robot import Joint, Mechanism, Robot, load
from .world import (MODES, Body, Report, Shape, World, ball, capsule, cuboid, cylinder, hull, plane)

__all__ = ["Body", "Error", "Forces", "Gradient", "Joint", "Law", "MODES", "Mechanism", "Problem", "Report", "Result",
           "Robot", "Shape", "TRANSITIONS", "Verdict", "World", "ball", "bilateral", "box", "capsule", "coulomb", "cuboid",
           "cylinder", "frictionless", "hull", "load", "plane", "rolling", "soft_finger", "version"]
