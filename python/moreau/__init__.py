# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Moreau: rigid multibody dynamics with hard contact, joints and exact Coulomb friction.

    world = moreau.World(floor=0)            # m, kg, s, N; gravity along -z
    box = world.add_body(moreau.box(0.1, 0.1, 0.1), position=(0, 0, 0.5))
    for _ in range(100):
        world.step(0.01)
    box.position, box.contact_force          # numpy
    world.contacts["force"]                  # one row a contact

    robot = moreau.load("quadruped.xml")     # MJCF, URDF or SDF, in its own world
    robot.set_key("stand")
    robot.step()

    problem = moreau.Problem()               # M v = H r + f, u = H' v + w
    body = problem.add_body(M, f)
    contact = problem.add_constraint(moreau.law.coulomb(0.5))
    problem.add_jacobian(contact, body, J)
    result = problem.solve(tol=1e-10)
    result.r                                 # on the library's own memory, not a copy

moreau.gym has environments for learning.
"""
from . import law
from ._library import Error
from .body import Body, Joint
from .certificate import Verdict
from .forces import TRANSITIONS, Forces
from .mechanism import Actuator, Axis, Mechanism, Tree
from .problem import Gradient, Method, Problem, Result, methods, options, version
from .query import Hit, Proximity
from .recording import Recording, record
from .robot import ModelJoint, Robot, load
from .shape import (Shape, ball, box, capsule, cylinder, half_space, height_field, hull, mesh,
                    plane, rotation)
from .world import MODES, Report, World, step_worlds

__version__ = version()

__all__ = ["Actuator", "Axis", "Body", "Error", "Forces", "Gradient", "Hit", "Joint", "MODES",
           "Mechanism", "Method", "ModelJoint", "Problem", "Proximity", "Recording", "Report",
           "Result", "Robot", "Shape", "TRANSITIONS", "Tree", "Verdict", "World", "ball", "box",
           "capsule", "cylinder", "half_space", "height_field", "hull", "law", "load", "mesh",
           "methods", "options", "plane", "record", "rotation", "step_worlds", "version"]
