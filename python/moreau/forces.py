# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Forces and accelerations of a world at one instant (docs/forces.md)."""
import ctypes

import numpy

from ._library import Why, function, set_options, structs, text, view

_default = function("mo_default_force_options", "mo_force_options")
_forces = function("mo_world_forces", "int", "pointer", "pointer", "pointer", "pointer")
_clear = function("mo_forces_clear", None, "pointer")
_status_word = function("mo_status_word", "text", "int")

TRANSITIONS = ("rolls", "slips", "slides", "breaks", "impact")
_FRICTION = ("cone", "pyramid")


class Forces:
    """What world.forces() found; the arrays are views on its own memory.

    contacts, joints, links, axes   structured arrays, one row each: contacts["force"], links["moment"], axes["effort"], ...
    accelerations                   of each body: centre of mass, then spin; is_moving: whether it has one
    joint_accelerations             of each mechanism after the other, as its v
    actuator_efforts                of each mechanism after the other, as its actuators
    known_efforts                   of each known acceleration

    Forces in N, moments in N m, in world axes, on b (or on the link) and about ["point"]; where `impulsive`, impulses.
    """

    def __init__(self, world, friction="cone", gap=0.0, speed=1e-6, softness=0.0, known=(), **solver):
        options, why = _default(), Why()
        options.friction, options.gap, options.speed = _FRICTION.index(friction), gap, speed
        options.softness = softness
        set_options(options.solver, solver)
        given = (structs["mo_known_acceleration"] * max(1, len(known)))()
        for at, (mechanism, velocity, acceleration) in zip(given, known):
            at.mechanism, at.velocity, at.acceleration = mechanism._id, velocity, acceleration
        options.known, options.known_count = ctypes.addressof(given), len(known)
        self._struct = structs["mo_forces"]()
        why.check(_forces(world._w, ctypes.addressof(options), ctypes.addressof(self._struct), why.pointer))
        self._read(self._struct)

    def __del__(self):
        if hasattr(self, "_struct"):
            _clear(ctypes.addressof(self._struct))

    def _read(self, made):
        self.status, self.solved = text(_status_word(made.status)), made.status == 0
        self.method, self.message = text(made.method), text(made.message)
        self.residual, self.iterations = made.residual.natural, made.iterations
        self.impulsive = bool(made.is_impulsive)
        self.rolling, self.sliding, self.impacts = made.rolling, made.sliding, made.impacts
        self.moving = made.moving
        self.is_moving = view(made.is_moving, (made.body_count,), self, ctypes.c_int)
        self.contacts = self._rows(made.contacts, made.contact_count, "mo_contact_force")
        self.joints = self._rows(made.joints, made.joint_count, "mo_joint_force")
        self.links = self._rows(made.links, made.link_count, "mo_link_force")
        self.axes = self._rows(made.axes, made.axis_count, "mo_axis_force")
        self.accelerations = view(made.accelerations, (made.body_count, 6), self)
        self.joint_accelerations = view(made.joint_accelerations, (made.joint_acceleration_count,), self)
        self.actuator_efforts = view(made.actuator_efforts, (made.actuator_count,), self)
        self.known_efforts = view(made.known_efforts, (made.known_count,), self)

    def _rows(self, address, count, name):
        kind = structs[name]
        return view(address, (count,), self, kind) if count else numpy.zeros(0, dtype=numpy.dtype(kind))

    def __repr__(self):
        return (f"<Forces: {self.status}, {len(self.contacts)} contacts, {len(self.joints)} joints, "
                f"{len(self.links)} links>")
