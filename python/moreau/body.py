# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Bodies and joints of a world."""
import ctypes

import numpy

from ._library import C, CONSTANTS, Error, Why, address, array, frozen, structs, text, words
from .shape import Shape, material

KINDS = ("free", "fixed", "driven", "link")
DRIVES = ("none", "velocity", "position")
JOINTS = ("ball", "revolute", "prismatic", "weld", "distance")
_FIELDS = [(name, numpy.dtype(kind)) for name, kind in structs["mo_contact"]._fields_]
_CONTACT = numpy.dtype(_FIELDS + [("force", float, 3)])
_OWN_CONTACT = numpy.dtype(_FIELDS + [("force", float, 3), ("force_here", float, 3)])


def contact_array(made, count, h, here=None):
    """Contacts as a structured array, with the force on b in N beside the impulse.

    here: the index of a body, for the force on it.
    """
    found = numpy.frombuffer(made, numpy.dtype(structs["mo_contact"]), count)
    contacts = numpy.zeros(count, _CONTACT if here is None else _OWN_CONTACT)
    for name in found.dtype.names:
        contacts[name] = found[name]
    contacts["force"] = found["impulse"] / h if h > 0 else 0
    if here is not None:
        sign = numpy.where(contacts["b"]["index"] == here, 1.0, -1.0)
        contacts["force_here"] = sign[:, None] * contacts["force"]
    return contacts


def check_shape(world, shape):
    """Whether it is one, for this world."""
    if not isinstance(shape, Shape):
        raise TypeError(f"{shape!r} is no shape; use moreau.box(...) and the others")
    if shape._is_flat and not world.is_planar:
        raise Error("box(half_x, half_y) is a rectangle of a planar world; add half_z")


def add_shapes(world, body, shapes):
    """Shapes to the body of an id; the caller removes the body where one is refused."""
    for shape in shapes:
        check_shape(world, shape)
    why = Why()
    for shape in shapes:
        why.check_id(C.mo_world_add_shape(world._w, body, ctypes.addressof(shape._struct),
                                          why.pointer))


class _Part:
    """What bodies and joints share: an id in a world, and user data."""

    __slots__ = ("_world", "_id")

    def __init__(self, world, made):
        self._world, self._id = world, made

    def __eq__(self, other):
        return type(other) is type(self) and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    @property
    def _key(self):
        return id(self._world), self._id.index, self._id.generation

    def _id_in(self, world):
        """The id, for a call on `world`, where another world's would be that of another body."""
        if self._world._w != world._w:
            raise Error(f"{self} belongs to another world")
        return self._id

    def _call(self, function, *arguments):
        why = Why()
        why.check(function(self._world._w, self._id, *arguments, why.pointer))

    def _keep(self, function, value):
        kept = self._world._user_data
        kept.append(value)
        self._call(function, len(kept) - 1)


class Body(_Part):
    """A body of a world.  Its numbers are read when they are asked for; m, kg, s, rad.

    position, orientation, velocity and spin can be set as a whole; their elements cannot.
    """

    __slots__ = ()

    @property
    def _state(self):
        if not C.mo_world_has_body(self._world._w, self._id):
            raise Error("this body was removed from its world")
        return C.mo_body_get(self._world._w, self._id)

    @property
    def name(self):
        return text(self._state.name)

    @property
    def kind(self):
        """free, fixed, driven or link."""
        return KINDS[self._state.kind]

    @property
    def is_asleep(self):
        return bool(self._state.is_asleep)

    @property
    def mass(self):
        return self._state.mass

    @property
    def inertia(self):
        """3 x 3, about the centre of mass, in the axes of the body."""
        xx, yy, zz, xy, xz, yz = self._state.inertia
        return frozen([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def centre(self):
        """Of mass, in the world."""
        return frozen(self._state.centre)

    @property
    def position(self):
        """Of its frame."""
        made, why = structs["mo_pose"](), Why()
        why.check(C.mo_body_pose(self._world._w, self._id, ctypes.addressof(made), why.pointer))
        return frozen(made.position)

    @position.setter
    def position(self, value):
        self.move(position=value)

    @property
    def orientation(self):
        """Unit quaternion (w, x, y, z)."""
        return frozen(self._state.pose.orientation)

    @orientation.setter
    def orientation(self, value):
        self.move(orientation=value)

    @property
    def velocity(self):
        """Of the centre of mass."""
        return frozen(self._state.velocity)

    @velocity.setter
    def velocity(self, value):
        self.move(velocity=value)

    @property
    def spin(self):
        """Angular velocity in world axes."""
        return frozen(self._state.spin)

    @spin.setter
    def spin(self, value):
        self.move(spin=value)

    def move(self, position=None, orientation=None, velocity=None, spin=None):
        """Sets pose and velocities; what is not given stays."""
        state = self._state
        pose = state.pose
        if position is not None:
            pose.position[:] = array(position, (3,), "position")
        if orientation is not None:
            pose.orientation[:] = array(orientation, (4,), "orientation")
        velocity = array(state.velocity if velocity is None else velocity, (3,), "velocity")
        spin = array(state.spin if spin is None else spin, (3,), "spin")
        self._call(C.mo_body_set, ctypes.addressof(pose), address(velocity), address(spin))

    def apply_force(self, force, at=None):
        """A force in N at a point of the world (the centre of mass) during the next step."""
        force = array(force, (3,), "force")
        at = array(self.centre if at is None else at, (3,))
        self._call(C.mo_body_apply_force, address(force), address(at))

    def apply_torque(self, torque):
        """A torque in N m during the next step."""
        torque = array(torque, (3,), "torque")
        self._call(C.mo_body_apply_torque, address(torque))

    def apply_impulse(self, impulse, at=None):
        """Changes the velocities at once by an impulse in N s at a point (the centre of mass)."""
        impulse = array(impulse, (3,), "impulse")
        at = array(self.centre if at is None else at, (3,))
        self._call(C.mo_body_apply_impulse, address(impulse), address(at))

    @property
    def contacts(self):
        """Contacts of the body in the last step, as World.contacts.

        `force` is that on b; `force_here` that on this body, in N.
        """
        count = C.mo_body_contacts(self._world._w, self._id, None, 0)
        made = (structs["mo_contact"] * max(1, count))()
        C.mo_body_contacts(self._world._w, self._id, ctypes.addressof(made), count)
        return contact_array(made, count, self._world.h, self._id.index)

    @property
    def contact_force(self):
        """The sum of the contact forces on the body in the last step, in N."""
        force, moment = numpy.zeros(3), numpy.zeros(3)
        self._call(C.mo_body_contact_force, address(force), address(moment))
        return force

    def force_from(self, other):
        """The contact force that another body (or its name) exerts on this one, in N."""
        other = self._world.body(other) if isinstance(other, str) else other
        contacts, number = self.contacts, other._id_in(self._world).index
        theirs = (contacts["a"]["index"] == number) | (contacts["b"]["index"] == number)
        return contacts["force_here"][theirs].sum(axis=0)

    @property
    def shape_count(self):
        return self._state.shape_count

    def shape(self, k):
        """The definition of shape k: kind, radius, half, density, friction, ..."""
        made = C.mo_body_shape(self._world._w, self._id, k)
        kind = C.mo_shape_name(made.kind)
        if kind is None:
            raise IndexError(k)
        return {"kind": text(kind), "radius": made.radius, "half": tuple(made.half),
                "density": made.density, "friction": made.material.friction,
                "restitution": made.material.restitution, "layer": made.layer, "mask": made.mask}

    def add_shape(self, *shapes):
        """More shapes; mass, centre and inertia follow, unless the body has its own."""
        add_shapes(self._world, self._id, shapes)

    def remove_shape(self, k):
        """Removes shape k; those after it move up.  What rested on it wakes."""
        made, why = C.mo_body_shape_id(self._world._w, self._id, k), Why()
        if not made.index:
            raise IndexError(k)
        why.check(C.mo_world_remove_shape(self._world._w, made, why.pointer))

    def set_material(self, **numbers):
        """friction, restitution, rolling, torsion, priority of all its shapes."""
        made = material(numbers)
        self._call(C.mo_body_set_material, ctypes.addressof(made))

    @property
    def user_data(self):
        """Any object of yours; None at first."""
        return self._world._user_data[self._state.user_data or 0]

    @user_data.setter
    def user_data(self, value):
        self._keep(C.mo_body_set_user_data, value)

    def remove(self):
        """Removes the body with its shapes and joints."""
        self._call(C.mo_world_remove_body)

    def __repr__(self):
        if not C.mo_world_has_body(self._world._w, self._id):
            return "<Body: removed>"
        return f"<Body {self.name or self._id.index - 1}: {self.kind}>"


class Joint(_Part):
    """A joint between two bodies, or a body and the world."""

    __slots__ = ()

    @property
    def _state(self):
        made = C.mo_joint_get(self._world._w, self._id)
        if made.kind == CONSTANTS["MO_JOINT_KIND_COUNT"]:
            raise Error("this joint was removed from its world")
        return made

    @property
    def kind(self):
        """ball, revolute, prismatic, weld or distance."""
        return text(C.mo_joint_name(self._state.kind))

    @property
    def q(self):
        """Angle in rad, displacement or distance in m."""
        return self._state.q

    @property
    def speed(self):
        """The rate of q."""
        return self._state.speed

    @property
    def effort(self):
        """Of motor, servo or dry friction in the last step: N m or N."""
        return self._state.effort

    @property
    def force(self):
        """On b in the last step, in N, world axes."""
        return numpy.array(self._state.force)

    @property
    def moment(self):
        """On b in the last step, in N m, world axes."""
        return numpy.array(self._state.moment)

    @property
    def error(self):
        """How far the anchors are apart, in m."""
        return self._state.error

    @property
    def limits(self):
        state = self._state
        return (state.lower, state.upper) if state.has_limits else None

    @property
    def drive(self):
        """(none, velocity or position; its target; its greatest effort)."""
        state = self._state
        return DRIVES[state.drive], state.target, state.max_effort

    def set_drive(self, drive, target=0.0, max_effort=numpy.inf):
        """A motor (velocity, rad/s or m/s) or servo (position, rad or m); none switches it off."""
        self._call(C.mo_joint_set_drive, words(drive, DRIVES, "drive"), target, max_effort)

    @property
    def user_data(self):
        """Any object of yours; None at first."""
        return self._world._user_data[self._state.user_data or 0]

    @user_data.setter
    def user_data(self, value):
        self._keep(C.mo_joint_set_user_data, value)

    def remove(self):
        self._call(C.mo_world_remove_joint)

    def __repr__(self):
        return f"<Joint {self._id.index}: {self.kind}>"
