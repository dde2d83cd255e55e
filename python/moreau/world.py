# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The simulator: a world of bodies that touch, and its time steps."""
import ctypes

import numpy

from ._library import Why, address, array, function, set_options, structs, text
from .forces import Forces
from .problem import Problem, Result, _status_word

# ---- shapes -------------------------------------------------------------------------------------

_shape_ball = function("mo_shape_ball", "mo_shape_def", "double")
_shape_box = function("mo_shape_box", "mo_shape_def", "double", "double", "double")
_shape_capsule = function("mo_shape_capsule", "mo_shape_def", "pointer", "pointer", "double")
_shape_cylinder = function("mo_shape_cylinder", "mo_shape_def", "double", "double")
_shape_hull = function("mo_shape_hull", "mo_shape_def", "pointer", "int")
_shape_plane = function("mo_shape_plane", "mo_shape_def")


class Shape:
    """A shape for World.add_body; made by ball() and the others below."""

    def __init__(self, made, *kept):
        self._struct = made
        self._kept = kept

    def at(self, position, orientation=(1, 0, 0, 0)):
        """Where it is in its body."""
        self._struct.pose.position[:] = array(position, (3,))
        self._struct.pose.orientation[:] = array(orientation, (4,))
        return self

    def of(self, **material):
        """What it is of: density, friction, restitution, rolling, torsion; layer, mask."""
        for name, value in material.items():
            where = self._struct if name in ("density", "layer", "mask") else self._struct.material
            if not hasattr(where, name):
                raise TypeError(f"a shape has no {name}")
            setattr(where, name, value)
        return self


def ball(radius):
    return Shape(_shape_ball(radius))


def cuboid(half_x, half_y, half_z):
    """A box by its half edges."""
    return Shape(_shape_box(half_x, half_y, half_z))


def capsule(a, b, radius):
    a, b = array(a, (3,)), array(b, (3,))
    return Shape(_shape_capsule(address(a), address(b), radius))


def cylinder(radius, half_height):
    return Shape(_shape_cylinder(radius, half_height))


def hull(points):
    """The convex hull of points, one a row."""
    points = array(points)
    points = array(points, (len(points), 3))
    return Shape(_shape_hull(address(points), len(points)), points)


def plane():
    """All below z = 0 of a fixed body."""
    return Shape(_shape_plane())


# ---- bodies ------------------------------------------------------------------------------------

_KINDS = ("free", "fixed", "driven", "link")
_default_body = function("mo_default_body", "mo_body_def", "int")
_add_body = function("mo_world_add_body", "mo_body_id", "pointer", "pointer", "pointer")
_add_shape = function("mo_world_add_shape", "mo_shape_id", "pointer", "mo_body_id", "pointer", "pointer")
_body_get = function("mo_body_get", "mo_body_state", "pointer", "mo_body_id")
_body_set = function("mo_body_set", "int", "pointer", "mo_body_id", "pointer", "pointer", "pointer",
                     "pointer")
_push = function("mo_body_apply_force", "int", "pointer", "mo_body_id", "pointer", "pointer",
                 "pointer")


class Body:
    """A body of a world."""

    def __init__(self, world, body_id):
        self._world = world
        self._id = body_id

    def __eq__(self, other):
        return isinstance(other, Body) and (self._id.index, self._id.generation) == (
            other._id.index, other._id.generation)

    def __hash__(self):
        return hash((self._id.index, self._id.generation))

    @property
    def _state(self):
        return _body_get(self._world._w, self._id)

    @property
    def name(self):
        return text(self._state.name)

    @property
    def kind(self):
        return _KINDS[self._state.kind]

    @property
    def mass(self):
        return self._state.mass

    @property
    def position(self):
        """Of its frame."""
        return numpy.array(self._state.pose.position)

    @property
    def orientation(self):
        """Quaternion (w, x, y, z)."""
        return numpy.array(self._state.pose.orientation)

    @property
    def centre(self):
        """Of mass, in the world."""
        return numpy.array(self._state.centre)

    @property
    def velocity(self):
        """Of the centre of mass."""
        return numpy.array(self._state.velocity)

    @property
    def spin(self):
        return numpy.array(self._state.spin)

    def move(self, position=None, orientation=None, velocity=None, spin=None):
        """Puts it somewhere; what is not given stays."""
        state, why = self._state, Why()
        pose = state.pose
        if position is not None:
            pose.position[:] = array(position, (3,))
        if orientation is not None:
            pose.orientation[:] = array(orientation, (4,))
        velocity = array(state.velocity if velocity is None else velocity, (3,))
        spin = array(state.spin if spin is None else spin, (3,))
        why.check(_body_set(self._world._w, self._id, ctypes.addressof(pose), address(velocity),
                            address(spin), why.pointer))

    def push(self, force, at=None):
        """A force at a point of the world (the centre of mass) during the next step."""
        force = array(force, (3,))
        at = array(self.centre if at is None else at, (3,))
        why = Why()
        why.check(_push(self._world._w, self._id, address(force), address(at), why.pointer))

    def __repr__(self):
        return f"<Body {self.name or self._id.index}: {self.kind}>"


# ---- worlds ------------------------------------------------------------------------------------

_default_world = function("mo_default_world", "mo_world_def")
_create = function("mo_world_create", "int", "pointer", "pointer", "pointer", "pointer")
_destroy = function("mo_world_destroy", None, "pointer")
_time = function("mo_world_time", "double", "pointer")
_step = function("mo_world_step", "int", "pointer", "double", "pointer", "pointer")
_body_count = function("mo_world_body_count", "int", "pointer")
_body = function("mo_world_body", "mo_body_id", "pointer", "int")
_contact_count = function("mo_world_contact_count", "int", "pointer")
_contact = function("mo_world_contact", "mo_contact", "pointer", "int")
_problem = function("mo_world_problem", "pointer", "pointer")
_result = function("mo_world_result", "pointer", "pointer")
_kinetic = function("mo_world_kinetic_energy", "double", "pointer")
_potential = function("mo_world_potential_energy", "double", "pointer")
_save = function("mo_world_save", "size", "pointer", "pointer", "size")
_load = function("mo_world_load", "int", "pointer", "pointer", "size", "pointer")

MODES = ("apart", "sticks", "slides")


class Report:
    """How a step went."""

    def __init__(self, made):
        self.contacts, self.joints, self.islands = made.contacts, made.joints, made.islands
        self.status = text(_status_word(made.status))
        self.solved = made.status == 0
        self.residual = made.residual.natural_relative
        self.iterations = made.iterations
        self.penetration = made.penetration
        self.kinetic_energy, self.potential_energy = made.kinetic_energy, made.potential_energy
        self.message = text(made.message)

    def __repr__(self):
        return f"<Report: {self.status}, {self.contacts} contacts, residual {self.residual:.1e}>"


class World:
    """A world in space: World(gravity=(0, 0, -9.81), tol=1e-8, method="auto", threads=2).

    floor: the height of a fixed horizontal plane, in m; None for no floor.
    """

    def __init__(self, gravity=(0, 0, -9.81), margin=0.0, projection=False, sleeping=False, floor=None,
                 **solver):
        definition, why, made = _default_world(), Why(), ctypes.c_void_p()
        self._world = None
        definition.gravity[:] = array(gravity, (3,))
        definition.margin = margin
        definition.projection, definition.sleeping = int(projection), int(sleeping)
        self._solver = set_options(definition.solver, solver)
        why.check(_create(ctypes.addressof(definition), None, ctypes.addressof(made), why.pointer))
        self._world = made.value
        self.h = 0.0  # of the last step
        if floor is not None:
            self.add_body(plane(), kind="fixed", position=(0, 0, floor), name="floor")

    def __del__(self):
        if self._world:
            _destroy(self._world)

    @property
    def _w(self):
        return self._world

    def add_body(self, *shapes, kind="free", position=(0, 0, 0), orientation=(1, 0, 0, 0),
                 velocity=(0, 0, 0), spin=(0, 0, 0), mass=0.0, name=None):
        """A body of shapes; its mass from their densities unless it is given."""
        definition, why = _default_body(_KINDS.index(kind)), Why()
        definition.pose.position[:] = array(position, (3,))
        definition.pose.orientation[:] = array(orientation, (4,))
        definition.velocity[:] = array(velocity, (3,))
        definition.spin[:] = array(spin, (3,))
        definition.mass = mass
        definition.name = name.encode() if name else None
        made = why.check_id(_add_body(self._w, ctypes.addressof(definition), why.pointer))
        for shape in shapes:
            why.check_id(_add_shape(self._w, made, ctypes.addressof(shape._struct), why.pointer))
        return Body(self, made)

    def step(self, h):
        """One step of h seconds."""
        made, why = structs["mo_step_report"](), Why()
        why.check(_step(self._w, h, ctypes.addressof(made), why.pointer))
        self.h = h
        return Report(made)

    @property
    def time(self):
        return _time(self._w)

    @property
    def bodies(self):
        return [Body(self, _body(self._w, k)) for k in range(_body_count(self._w))]

    def body(self, name):
        """The body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise KeyError(name)

    @property
    def contacts(self):
        """Those of the last step, as a structured array: contacts["point"], ["normal"], ["impulse"], ["gap"], ...

        The force on b is impulse / h; a and b are in ["a"]["index"] as body._id.index has them.
        """
        kind = structs["mo_contact"]
        made = (kind * max(1, _contact_count(self._w)))()
        for k in range(_contact_count(self._w)):
            made[k] = _contact(self._w, k)
        return numpy.ctypeslib.as_array(made)[:_contact_count(self._w)]

    def force_on(self, body):
        """The sum of the contact forces on a body in the last step, in N."""
        found, index = self.contacts, body._id.index
        on = found["impulse"][found["b"]["index"] == index].sum(axis=0)
        by = found["impulse"][found["a"]["index"] == index].sum(axis=0)
        return (on - by) / self.h if self.h > 0 else on - by

    def forces(self, friction="cone", gap=0.0, speed=1e-6, softness=0.0, known=(), **solver):
        """Forces at contacts and joints, and accelerations, at this instant; the world stays as it is.

        known: (mechanism, number of the velocity, acceleration) of each velocity whose effort is asked for.
        """
        return Forces(self, friction, gap, speed, softness, known, **solver)

    @property
    def problem(self):
        """The contact problem of the last step; it is gone with the next one."""
        pointer = _problem(self._w)
        return Problem._borrow(pointer, self) if pointer else None

    @property
    def result(self):
        """And its result, likewise."""
        pointer = _result(self._w)
        return Result(structs["mo_result"].from_address(pointer), self) if pointer else None

    @property
    def kinetic_energy(self):
        return _kinetic(self._w)

    @property
    def potential_energy(self):
        return _potential(self._w)

    def save(self):
        """Everything that changes in a step, as bytes for load()."""
        size = _save(self._w, None, 0)
        room = ctypes.create_string_buffer(size)
        _save(self._w, ctypes.addressof(room), size)
        return room.raw

    def load(self, state):
        """Goes on from there, with the same bits."""
        why = Why()
        room = ctypes.create_string_buffer(state, len(state))
        why.check(_load(self._w, ctypes.addressof(room), len(state), why.pointer))
