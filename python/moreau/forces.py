# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Forces and accelerations of a world at one instant (docs/forces.md)."""
import ctypes

from ._library import C, Why, rows, set_options, structs, text, view, words


TRANSITIONS = ("sticks", "slips", "slides", "breaks", "impact")
_FRICTION = ("cone", "pyramid")


class Forces:
    """What world.forces() found; the arrays are views on its own memory.

    contacts, joints, links, axes   structured arrays, one row each: contacts["force"],
                                    links["moment"], axes["effort"], ...
    accelerations                   of each body: centre of mass, then spin
    is_moving                       of each body: whether it accelerates
    joint_accelerations             of each mechanism after the other, as its v
    actuator_efforts                of each mechanism after the other, as its actuators
    known_efforts                   of each known acceleration

    Forces in N, moments in N m, in world axes, on b (or on the link) and about ["point"]; where
    `impulsive`, impulses.
    """

    def __init__(self, world, friction="cone", gap=0.0, speed=1e-6, softness=0.0, known=(),
                 **solver):
        options, why = C.mo_default_force_options(), Why()
        options.friction = words(friction, _FRICTION, "friction")
        options.gap, options.speed, options.softness = gap, speed, softness
        set_options(options.solver, solver)
        given = (structs["mo_known_acceleration"] * max(1, len(known)))()
        for at, (mechanism, velocity, acceleration) in zip(given, known):
            at.mechanism, at.velocity, at.acceleration = mechanism._id, velocity, acceleration
        options.known, options.known_count = ctypes.addressof(given), len(known)
        self._struct = structs["mo_forces"]()
        why.check(C.mo_world_forces(world._w, ctypes.addressof(options),
                                    ctypes.addressof(self._struct), why.pointer))
        self._read(self._struct)

    def __del__(self):
        if hasattr(self, "_struct"):
            C.mo_forces_clear(ctypes.addressof(self._struct))

    def _read(self, made):
        self.status, self.solved = text(C.mo_status_name(made.status)), made.status == 0
        self.method, self.message = text(made.method), text(made.message)
        self.residual, self.iterations = made.residual.natural, made.iterations
        self.impulsive = bool(made.is_impulsive)
        self.rolling, self.sliding, self.impacts = made.rolling, made.sliding, made.impacts
        self.moving = made.moving
        self.is_moving = view(made.is_moving, (made.body_count,), self, ctypes.c_int)
        self.contacts = self._all(made.contacts, made.contact_count, "mo_contact_force")
        self.joints = self._all(made.joints, made.joint_count, "mo_joint_force")
        self.links = self._all(made.links, made.link_count, "mo_link_force")
        self.axes = self._all(made.axes, made.axis_count, "mo_axis_force")
        self.accelerations = view(made.accelerations, (made.body_count, 6), self)
        self.joint_accelerations = view(made.joint_accelerations,
                                        (made.joint_acceleration_count,), self)
        self.actuator_efforts = view(made.actuator_efforts, (made.actuator_count,), self)
        self.known_efforts = view(made.known_efforts, (made.known_count,), self)

    def _all(self, address, count, name):
        return rows(address, count, self, name)

    def __repr__(self):
        return (f"<Forces: {self.status}, {len(self.contacts)} contacts, "
                f"{len(self.joints)} joints, {len(self.links)} links>")
