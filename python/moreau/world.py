# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The simulator: a world of bodies in contact, and its time steps."""
import ctypes

import numpy

from . import query
from ._library import (C, CONSTANTS, Error, Why, address, array, set_options, span, structs, text,
                       words)
from .body import DRIVES, JOINTS, KINDS, Body, Joint, add_shapes, contact_array
from .forces import Forces
from .mechanism import Mechanism, add_mechanism
from .problem import Problem, Result
from .shape import material, plane

MODES = ("apart", "sticks", "slides")
LEVELS = ("velocity", "acceleration")
RULES = ("world", "geometric", "mean", "product", "minimum", "maximum")
_Report = structs["mo_step_report"]
_step = C.mo_world_step


class Report:
    """How a step went: contacts, joints, islands, iterations, penetration (m), energies (J), ...

    Every field of mo_step_report is an attribute; status is a word, residual the relative one.
    """

    __slots__ = ("_struct",)

    def __init__(self, made):
        self._struct = made

    @property
    def status(self):
        return text(C.mo_status_name(self._struct.status))

    @property
    def solved(self):
        return self._struct.status == 0

    @property
    def residual(self):
        return self._struct.residual.natural_relative

    @property
    def message(self):
        return text(self._struct.message)

    def __getattr__(self, name):
        return getattr(self._struct, name)

    def __repr__(self):
        return f"<Report: {self.status}, {self.contacts} contacts, residual {self.residual:.1e}>"


class World:
    """A world: World(gravity=(0, 0, -9.81), floor=0, tol=1e-8, method="auto", threads=2).

    planar: two dimensions, x and y; gravity is then (0, -9.81, 0) unless it is given.
    floor: the height in m of a fixed horizontal plane; None for no floor.  floor_friction: its
    coefficient, 0.5 unless it is given, which combines with that of what lies on it.
    margin (m), projection, sleeping, level ("velocity" or "acceleration"), first_order (s),
    restitution_speed (m/s), moving_tol: as in mo_world_def.  A tol that is given holds for every
    step, whatever moves.  friction_rule, restitution_rule: how two surfaces combine, "geometric",
    "mean", "product", "minimum" or "maximum".  All else are options of the solver.
    """

    __slots__ = ("_world", "_definition", "_user_data", "_events", "_why", "_why_at", "h",
                 "__weakref__")

    def __init__(self, gravity=None, planar=False, floor=None, floor_friction=0.5, **settings):
        made = ctypes.c_void_p()
        self._world, self._events, self._user_data = None, None, [None]
        self._why = Why()
        self._why_at = self._why.pointer
        self._definition = C.mo_default_planar_world() if planar else C.mo_default_world()
        if gravity is not None:
            self._definition.gravity[:] = array(gravity, (3,), "gravity")
        self._set(settings)
        self._why.check(C.mo_world_create(ctypes.addressof(self._definition), None,
                                          ctypes.addressof(made), self._why_at))
        self._world = made.value
        self.h = 0.0  # of the last step, in s
        if floor is not None:
            at = (0, floor, 0) if planar else (0, 0, floor)
            self.add_body(plane().of(friction=floor_friction), kind="fixed", position=at,
                          name="floor")

    def _set(self, settings):
        """Fields of the definition by their names; the rest are options of the solver."""
        fields = {name for name, _ in self._definition._fields_} - {"solver", "gravity",
                                                                    "dimension"}
        own = {name: value for name, value in settings.items() if name in fields}
        if "tol" in settings:
            own.setdefault("moving_tol", 0)  # a tolerance that is given holds for every step
        set_options(self._definition.solver,
                    {name: value for name, value in settings.items() if name not in fields})
        for name, value in own.items():
            value = words(value, LEVELS, name) if name == "level" else value
            value = words(value, RULES, name) if name.endswith("_rule") else value
            kind = type(getattr(self._definition, name))
            setattr(self._definition, name, kind(value))

    def __del__(self):
        if getattr(self, "_events", None):
            C.mo_events_destroy(self._events)
        if getattr(self, "_world", None):
            C.mo_world_destroy(self._world)

    @property
    def _w(self):
        return self._world

    def change(self, **settings):
        """Changes settings between steps: change(tol=1e-6, sleeping=True)."""
        before = type(self._definition).from_buffer_copy(self._definition)
        try:
            self._set(settings)
            self._apply()
        except Error:
            self._definition = before
            raise

    def _apply(self):
        self._why.check(C.mo_world_change(self._w, ctypes.addressof(self._definition),
                                          self._why_at))

    @property
    def gravity(self):
        """In m/s^2; assign a new vector to change it."""
        made = numpy.array(C.mo_world_definition(self._w).gravity)
        made.flags.writeable = False
        return made

    @gravity.setter
    def gravity(self, value):
        before = list(self._definition.gravity)
        self._definition.gravity[:] = array(value, (3,))
        try:
            self._apply()
        except Error:
            self._definition.gravity[:] = before
            raise

    @property
    def device(self):
        """Where the last step ran: cpu, or the name of a GPU."""
        C.mo_world_device(self._w, self._why_at)
        return text(self._why.message)

    @property
    def is_planar(self):
        """Whether it has two dimensions."""
        return C.mo_world_definition(self._w).dimension == 2

    # -- bodies and joints --

    def add_body(self, *shapes, kind="free", position=(0, 0, 0), orientation=(1, 0, 0, 0),
                 velocity=(0, 0, 0), spin=(0, 0, 0), mass=0.0, inertia=None, centre=(0, 0, 0),
                 linear_damping=0.0, angular_damping=0.0, name=None):
        """A body of shapes; its mass from their densities unless it is given.

        kind: free (moves by forces), fixed, or driven (moves with its velocity).  inertia: xx, yy,
        zz, xy, xz, yz about the centre of mass, in kg m^2.  Where a shape is refused, nothing is
        added.
        """
        definition = C.mo_default_body(words(kind, KINDS[:3], "kind"))
        definition.pose.position[:] = array(position, (3,), "position")
        definition.pose.orientation[:] = array(orientation, (4,), "orientation")
        definition.velocity[:] = array(velocity, (3,), "velocity")
        definition.spin[:] = array(spin, (3,), "spin")
        definition.mass = mass
        definition.centre[:] = array(centre, (3,), "centre")
        if inertia is not None:
            definition.inertia[:] = array(inertia, (6,), "inertia")
        definition.linear_damping, definition.angular_damping = linear_damping, angular_damping
        definition.name = name.encode() if name else None
        why = Why()
        made = why.check_id(C.mo_world_add_body(self._w, ctypes.addressof(definition),
                                                why.pointer))
        try:
            add_shapes(self, made, shapes)
        except (Error, TypeError):
            C.mo_world_remove_body(self._w, made, None)
            raise
        return Body(self, made)

    @property
    def bodies(self):
        count = C.mo_world_body_count(self._w)
        return [Body(self, C.mo_world_body(self._w, k)) for k in range(count)]

    def body(self, name):
        """The body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        known = ", ".join(body.name for body in self.bodies if body.name)
        raise Error(f"there is no body '{name}'; there are {known or 'none with a name'}")

    def add_joint(self, kind, a, b, anchor=(0, 0, 0), axis=(0, 0, 1), anchor_b=(0, 0, 0),
                  limits=None, dry_friction=0.0, drive="none", target=0.0,
                  max_effort=numpy.inf, collide=False, stiffness=0.0, damping=0.0):
        """A joint of body b on body a (None: the world), at their present poses.

        kind: ball, revolute, prismatic, weld, distance.  anchor and axis in world coordinates;
        limits of q (rad or m), which is zero now; drive: velocity (motor) or position (servo), with
        a target and a greatest effort in N m or N; collide: the two bodies may touch.  A servo
        gives stiffness (target - q) - damping q'; without both it is at its target at the end of
        the step, and swings about it where max_effort does not allow that.
        """
        if b is None:
            raise Error("b must be a body; None, the world, is allowed for a")
        none = structs["mo_body_id"]()
        definition = C.mo_default_joint(words(kind, JOINTS, "kind"), a._id_in(self) if a else none,
                                        b._id_in(self))
        definition.anchor[:] = array(anchor, (3,), "anchor")
        definition.anchor_b[:] = array(anchor_b, (3,), "anchor_b")
        definition.axis[:] = array(axis, (3,), "axis")
        if limits is not None:
            definition.has_limits = 1
            definition.lower, definition.upper = span(limits)
        definition.dry_friction = dry_friction
        definition.drive = words(drive, DRIVES, "drive")
        definition.stiffness, definition.damping = stiffness, damping
        definition.target, definition.max_effort = target, max_effort
        definition.collide = int(collide)
        why = Why()
        return Joint(self, why.check_id(C.mo_world_add_joint(
            self._w, ctypes.addressof(definition), why.pointer)))

    @property
    def joints(self):
        count = C.mo_world_joint_count(self._w)
        return [Joint(self, C.mo_world_joint(self._w, k)) for k in range(count)]

    def add_mechanism(self, tree):
        """A mechanism of links, joints and actuators, as a moreau.Tree lists them."""
        return add_mechanism(self, tree)

    @property
    def mechanisms(self):
        """Of the world, robots' among them."""
        return [Mechanism(self, C.mo_world_mechanism(self._w, k))
                for k in range(C.mo_world_mechanism_count(self._w))]

    def exclude(self, a, b):
        """Two bodies never touch, from now on."""
        self._why.check(C.mo_world_exclude(self._w, a._id_in(self), b._id_in(self),
                                           self._why_at))

    def pair(self, a, b, **numbers):
        """All shapes of a and b touch with this material, whatever filters say."""
        made = material(numbers)
        for k in range(a.shape_count):
            for j in range(b.shape_count):
                one = C.mo_body_shape_id(self._w, a._id_in(self), k)
                other = C.mo_body_shape_id(self._w, b._id_in(self), j)
                self._why.check(C.mo_world_pair(self._w, one, other, ctypes.addressof(made),
                                                self._why_at))

    # -- steps --

    def step(self, h):
        """One step of h seconds."""
        made = _Report()
        code = _step(self._world, h, ctypes.addressof(made), self._why_at)
        if code:
            self._why.check(code)
        self.h = h
        if self._events:
            self._why.check(C.mo_events_update(self._events, self._w, self._why_at))
        return Report(made)

    @property
    def time(self):
        return C.mo_world_time(self._w)

    @property
    def events(self):
        """Contacts that began and ended in the last step: [("begin", body, body), ...].

        Events are found from the first time on that they are asked for.
        """
        if not self._events:
            made = ctypes.c_void_p()
            self._why.check(C.mo_events_create(None, ctypes.addressof(made)))
            self._events = made.value
            self._why.check(C.mo_events_update(self._events, self._w, self._why_at))
        found = [C.mo_events_get(self._events, k)
                 for k in range(C.mo_events_count(self._events))]
        return [("end" if one.kind else "begin", Body(self, one.a), Body(self, one.b))
                for one in found]

    @property
    def contacts(self):
        """Those of the last step, as a structured array with one row each.

        contacts["force"] is the force on b in N, ["point"], ["normal"] from a to b, ["gap"] (m),
        ["velocity"] of b against a, ["mode"] a number in moreau.MODES, ["a"]["index"] and
        ["b"]["index"] numbers of bodies, ["impulse"] (N s), ["moment"], ["mu"].
        """
        count = C.mo_world_contact_count(self._w)
        made = (structs["mo_contact"] * max(1, count))()
        C.mo_world_contacts(self._w, ctypes.addressof(made), count)
        return contact_array(made, count, self.h)

    def bodies_of(self, contact):
        """The two bodies of a row of contacts: (a, b)."""
        return tuple(Body(self, structs["mo_body_id"](int(end["index"]), int(end["generation"])))
                     for end in (contact["a"], contact["b"]))

    def __repr__(self):
        kind = "planar " if self.is_planar else ""
        return f"<World: {kind}{C.mo_world_body_count(self._w)} bodies, t = {self.time:.6g} s>"

    def force_on(self, body):
        """The sum of the contact forces on a body in the last step, in N."""
        return body.contact_force

    def forces(self, friction="cone", gap=0.0, speed=1e-6, softness=0.0, known=(), **solver):
        """Forces at contacts and joints, and accelerations, at this instant, without a step.

        known: (mechanism, number of the velocity, acceleration) of each velocity whose effort is
        asked for.
        """
        return Forces(self, friction, gap, speed, softness, known, **solver)

    @property
    def problem(self):
        """The contact problem of the last step; it is gone with the next one."""
        pointer = C.mo_world_problem(self._w)
        return Problem._borrow(pointer, self) if pointer else None

    @property
    def result(self):
        """Its result, likewise."""
        pointer = C.mo_world_result(self._w)
        return Result(structs["mo_result"].from_address(pointer), self) if pointer else None

    # -- queries --

    def cast_ray(self, origin, direction, length=numpy.inf, mask=None, ignored=None):
        """The first body along a ray, as a Hit, or None.  mask: layers of shapes that are seen."""
        return query.cast_ray(self, origin, direction, length, mask, ignored)

    def cast_rays(self, origins, directions, length=numpy.inf, mask=None, ignored=None, threads=1):
        """The distances of many rays, one a row; infinity where nothing is hit."""
        return query.cast_rays(self, origins, directions, length, mask, ignored, threads)

    def overlap(self, shape, position=(0, 0, 0), orientation=(1, 0, 0, 0), distance=0.0, mask=None,
                ignored=None):
        """The bodies that a shape at a pose overlaps, or is nearer to than a distance in m."""
        return query.overlap(self, shape, position, orientation, distance, mask, ignored)

    def distance(self, a, b, most=numpy.inf):
        """The nearest points of two bodies, as a Proximity."""
        return query.distance(self, a, b, most)

    # -- the whole of it --

    @property
    def kinetic_energy(self):
        return C.mo_world_kinetic_energy(self._w)

    @property
    def potential_energy(self):
        return C.mo_world_potential_energy(self._w)

    @property
    def energy(self):
        """By kind, in J: {"translation", "rotation", "gravity", "springs"}."""
        made = C.mo_world_energy(self._w)
        return {name: getattr(made, name) for name, _ in made._fields_}

    @property
    def momentum(self):
        """Linear (kg m/s), and angular about the origin (kg m^2/s)."""
        linear, angular = numpy.zeros(3), numpy.zeros(3)
        C.mo_world_momentum(self._w, address(linear), address(angular))
        return linear, angular

    @property
    def penetration(self):
        """The deepest now, in m."""
        return C.mo_world_penetration(self._w)

    @property
    def relative_penetration(self):
        """The deepest now, over the size of the smaller shape of its pair."""
        return C.mo_world_relative_penetration(self._w)

    def save(self):
        """Everything that changes in a step, as bytes for load()."""
        size = C.mo_world_save(self._w, None, 0)
        room = ctypes.create_string_buffer(size)
        C.mo_world_save(self._w, ctypes.addressof(room), size)
        return room.raw

    def load(self, state):
        """Goes on from a saved state, with the same bits."""
        if not isinstance(state, bytes):
            raise Error("a state is the bytes that save() returned")
        room = ctypes.create_string_buffer(state, len(state))
        self._why.check(C.mo_world_load(self._w, ctypes.addressof(room), len(state), self._why_at))

    def copies(self, count):
        """A World with `count` copies of this one, which step() steps together, on a GPU if there
        is one.  Bodies of different copies never touch; fixed ones are shared (docs/gpu.md)."""
        made = ctypes.c_void_p()
        self._why.check(C.mo_world_create_copies(self._w, count, ctypes.addressof(made),
                                                 self._why_at))
        batch = World.__new__(World)
        batch._world, batch._events, batch._user_data = made.value, None, list(self._user_data)
        batch._why = Why()
        batch._why_at = batch._why.pointer
        batch._definition = type(self._definition).from_buffer_copy(self._definition)
        batch.h = 0.0
        return batch

    def body_of_copy(self, copy, k):
        """Of copies(): the body of a copy that corresponds to bodies[k] of the world."""
        body = C.mo_world_copy_body(self._w, copy, k)
        if body.index == 0:
            raise Error(f"there is no body {k} in copy {copy}")
        return Body(self, body)


def step_worlds(worlds, h, steps=1, threads=1):
    """Takes `steps` steps of h seconds in each world, over threads, in one call.

    Returns the number of steps of each world that did not converge.
    """
    count, why = len(worlds), Why()
    if len({id(world) for world in worlds}) != count:
        raise Error("a world is listed twice")
    pointers = (ctypes.c_void_p * max(1, count))(*[world._w for world in worlds])
    reports = (structs["mo_batch_report"] * max(1, count))()
    code = C.mo_worlds_step(ctypes.addressof(pointers), count, h, steps, threads,
                            ctypes.addressof(reports), why.pointer)
    for world in worlds:
        world.h = h
    why.check(code)
    return [reports[k].unsolved for k in range(count)]
