# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Robots from MJCF and URDF files."""
import ctypes
import os
import tempfile
import warnings

import numpy

from ._library import C, CONSTANTS, Error, Why, address, array, frozen, structs, text
from .body import Body
from .shape import pose
from .world import World


class ModelJoint:
    """A joint of a model: its name, its kind, its places in q and v, its limits or None."""

    def __init__(self, made):
        self.name, self.kind = text(made.name), text(C.mo_model_joint_name(made.kind))
        self.q = slice(made.first_q, made.first_q + C.mo_model_joint_q(made.kind))
        self.v = slice(made.first_v, made.first_v + C.mo_model_joint_v(made.kind))
        self.limits = tuple(made.range) if made.has_limits else None

    def __repr__(self):
        return f"<ModelJoint {self.name}: {self.kind}>"


def _read(model, source, meshes):
    """Reads a file, or the text of one, which begins with '<'; its name in messages."""
    why, folder = Why(), str(meshes).encode() if meshes else None
    if not str(source).lstrip().startswith("<"):
        why.check(C.mo_model_read_with(str(source).encode(), folder, None,
                                       ctypes.addressof(model), why.pointer), source)
        return source
    with tempfile.TemporaryDirectory() as own:
        path = os.path.join(own, "text.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(source).lstrip())
        why.check(C.mo_model_read_with(path.encode(), folder, None,
                                       ctypes.addressof(model), why.pointer), "the text")
    return "the text"


class Robot:
    """A robot of a file, in a world of its own or in a given one.

    q, v and the numbering are those of the model (MuJoCo's); q, v and ctrl can be set as a whole.
    `notes` lists what was not read; loading warns of it.
    """

    __slots__ = ("_robot", "_model", "_start", "world", "name", "timestep", "notes", "joints",
                 "body_names", "actuators", "sites", "keys", "__weakref__")

    def __init__(self, path, world=None, meshes=None, servo=None, free=False, position=(0, 0, 0),
                 orientation=(1, 0, 0, 0), **solver):
        self._robot = None
        self._model = structs["mo_model"]()
        name, m = _read(self._model, path, meshes), self._model
        if free:
            self._set_free()
        if servo:
            C.mo_model_servo(ctypes.addressof(m), 2 * numpy.pi * servo)
        self._place(pose(position, orientation))
        self.world = world or World(gravity=tuple(m.gravity), **solver)
        self.name, self.timestep = text(m.name), m.step or 0.002
        self.notes = [text(note.text) for note in self._all("note", m.notes, m.note_count)]
        self.joints = [ModelJoint(one) for one in self._all("joint", m.joints, m.joint_count)]
        self.body_names = [text(one.name) for one in self._all("body", m.bodies, m.body_count)]
        self.actuators = [text(one.name) for one in
                          self._all("actuator", m.actuators, m.actuator_count)]
        self.sites = [text(one.name) for one in self._all("site", m.sites, m.site_count)]
        self.keys = [text(one.name) for one in self._all("key", m.keys, m.key_count)]
        made, why = ctypes.c_void_p(), Why()
        why.check(C.mo_model_build(ctypes.addressof(m), self.world._w, None,
                                   ctypes.addressof(made), why.pointer))
        self._robot = made.value
        self._start = self.world.save() if world is None else None
        self.notes += [text(C.mo_robot_note(self._robot, k))
                       for k in range(C.mo_robot_note_count(self._robot))]
        self._warn(name)

    def _warn(self, path):
        """Of what was not read, as one warning."""
        more = len(self.notes) - 3
        if self.notes:
            told = "; ".join(self.notes[:3]) + (f"; and {more} more in notes" if more > 0 else "")
            warnings.warn(f"{path}: {told}", stacklevel=4)

    def _set_free(self):
        """A free joint for what the file fixes to the world."""
        bodies = self._all("body", self._model.bodies, self._model.body_count)
        for number, body in enumerate(bodies):
            if number and body.parent == 0 and body.joint_count == 0:
                why = Why()
                why.check(C.mo_model_release(ctypes.addressof(self._model), number, why.pointer))

    def _place(self, to):
        """Moves what stands in the world of the file, but not the shapes of that world."""
        if bytes(to) == bytes(C.mo_pose_identity()):
            return
        for one in self._all("equality", self._model.equalities, self._model.equality_count):
            ties = one.kind in (CONSTANTS["MO_MODEL_CONNECT"], CONSTANTS["MO_MODEL_WELD"])
            if ties and 0 in (one.a, one.b):
                raise Error(f"the robot is tied to the world in line {one.line} of its file, so "
                            "that it cannot be put elsewhere")
        for body in self._all("body", self._model.bodies, self._model.body_count)[1:]:
            if body.parent == 0:
                body.pose = C.mo_pose_compose(ctypes.addressof(to), ctypes.addressof(body.pose))

    def __del__(self):
        if getattr(self, "_robot", None):
            C.mo_robot_destroy(self._robot)
        if hasattr(self, "_model"):
            C.mo_model_clear(ctypes.addressof(self._model))

    def _all(self, what, first, count):
        kind = structs[f"mo_model_{what}"]
        return [kind.from_address(first + k * ctypes.sizeof(kind)) for k in range(count)]

    @staticmethod
    def _number(names, name, what):
        if isinstance(name, int):
            return name
        if name not in names:
            known = ", ".join(n for n in names if n) or "none with a name"
            raise Error(f"there is no {what} '{name}'; there are {known}")
        return names.index(name)

    def body(self, name):
        """The body of that name, or number, in the model."""
        number = self._number(self.body_names, name, "body")
        return Body(self.world, C.mo_robot_body(self._robot, number))

    @property
    def mechanisms(self):
        """Those of the world."""
        return self.world.mechanisms

    def __repr__(self):
        return (f"<Robot {self.name}: {len(self.body_names) - 1} bodies, "
                f"{len(self.joints)} joints, {len(self.actuators)} actuators>")

    @property
    def q(self):
        """A copy; robot.q = values sets all of it."""
        made = numpy.zeros(self._model.q_count)
        C.mo_robot_get(self._robot, self.world._w, address(made), None)
        return frozen(made)

    @q.setter
    def q(self, values):
        values, why = array(values, (self._model.q_count,), "q"), Why()
        why.check(C.mo_robot_set(self._robot, self.world._w, address(values), None, why.pointer))

    @property
    def v(self):
        """A copy; robot.v = values sets all of it."""
        made = numpy.zeros(self._model.v_count)
        C.mo_robot_get(self._robot, self.world._w, None, address(made))
        return frozen(made)

    @v.setter
    def v(self, values):
        values, why = array(values, (self._model.v_count,), "v"), Why()
        why.check(C.mo_robot_set(self._robot, self.world._w, None, address(values), why.pointer))

    def _actuator(self, place):
        """The state of an actuator in its mechanism, or None: the model gives it no effect."""
        number = ctypes.c_int()
        mechanism = C.mo_robot_actuator(self._robot, place, ctypes.addressof(number))
        if not mechanism.index:
            return None
        return C.mo_mechanism_actuator(self.world._w, mechanism, number.value)

    @property
    def ctrl(self):
        """The controls of all actuators, a copy; robot.ctrl = values sets all of them."""
        states = [self._actuator(place) for place in range(len(self.actuators))]
        return frozen([state.target if state else 0.0 for state in states])

    @ctrl.setter
    def ctrl(self, values):
        self.controls(values)

    def control(self, actuator, value):
        """Sets the control (target or effort) of an actuator, by name or number."""
        why = Why()
        number = self._number(self.actuators, actuator, "actuator")
        why.check(C.mo_robot_set_control(self._robot, self.world._w, number, value, why.pointer))

    def controls(self, values):
        """Sets the controls of all actuators, in their order."""
        values, why = array(values, (len(self.actuators),), "ctrl"), Why()
        why.check(C.mo_robot_set_controls(self._robot, self.world._w, address(values), why.pointer))

    def move_mocap(self, body, position, orientation=(1, 0, 0, 0), time=0.0):
        """A mocap body goes to a pose: at once, or with a steady velocity in `time` seconds."""
        number, why = self._number(self.body_names, body, "body"), Why()
        to = pose(position, orientation)
        why.check(C.mo_robot_move_mocap(self._robot, self.world._w, number, ctypes.addressof(to),
                                        time, why.pointer))

    # -- dynamics in the coordinates of the model, n = len(v) --

    def _matrix(self, function, rows, *arguments):
        made, why = numpy.empty((rows, self._model.v_count)), Why()
        why.check(function(self._robot, self.world._w, *arguments, address(made), why.pointer))
        return made

    def mass_matrix(self):
        """M, n x n."""
        return self._matrix(C.mo_robot_mass_matrix, self._model.v_count)

    def bias(self):
        """Efforts that keep v as it is, against gravity and inertia."""
        return self._matrix(C.mo_robot_bias, 1)[0]

    def inverse_dynamics(self, acceleration):
        """Efforts M a + bias."""
        acceleration = array(acceleration, (self._model.v_count,), "acceleration")
        return self._matrix(C.mo_robot_inverse, 1, address(acceleration))[0]

    def jacobian(self, body, at=None):
        """6 x n: velocity and spin of the point of a body that is at `at` (its centre of mass)."""
        number = self._number(self.body_names, body, "body")
        at = array(self.body(body).centre if at is None else at, (3,))
        return self._matrix(C.mo_robot_jacobian, 6, number, address(at))

    def site(self, site):
        """(position, orientation) of a site, by name or number."""
        found = C.mo_robot_site(self._robot, self.world._w, self._number(self.sites, site, "site"))
        return numpy.array(found.position), numpy.array(found.orientation)

    def site_jacobian(self, site):
        """6 x n: velocity and spin of a site."""
        return self._matrix(C.mo_robot_site_jacobian, 6, self._number(self.sites, site, "site"))

    @property
    def sensors(self):
        """The sensors of the file: {name: (kind, its slice in sense_all())}."""
        kind, first, count = ctypes.c_char_p(), ctypes.c_int(), ctypes.c_int()
        made = {}
        for k in range(C.mo_robot_sensor_count(self._robot)):
            name = text(C.mo_robot_sensor(self._robot, k, ctypes.addressof(kind),
                                          ctypes.addressof(first), ctypes.addressof(count)))
            place = slice(first.value, first.value + count.value)
            made[name or f"sensor {k}"] = text(kind.value), place
        return made

    def sense(self):
        """{name: its value, a number or an array} after the last step; call it once a step."""
        values = self.sense_all()
        found = {name: values[place] for name, (_, place) in self.sensors.items()}
        return {name: value[0] if len(value) == 1 else value for name, value in found.items()}

    def sense_all(self):
        """The values of all sensors in one array, as MuJoCo's sensordata; once a step."""
        made, why = numpy.zeros(C.mo_robot_sensor_values(self._robot)), Why()
        why.check(C.mo_robot_sense(self._robot, self.world._w, self.world.h, address(made),
                                   why.pointer))
        return made

    def write(self, path):
        """The model as an MJCF file."""
        why = Why()
        why.check(C.mo_model_write(str(path).encode(), ctypes.addressof(self._model), why.pointer))

    def effort(self, actuator):
        """What an actuator gave in the last step."""
        state = self._actuator(self._number(self.actuators, actuator, "actuator"))
        return state.effort if state else 0.0

    def set_key(self, key):
        """q, v and controls of a keyframe, by name or number."""
        why, number = Why(), self._number(self.keys, key, "keyframe")
        made = self._all("key", self._model.keys, self._model.key_count)[number]
        why.check(C.mo_robot_set_key(self._robot, self.world._w, ctypes.addressof(made),
                                     why.pointer))
        self.order()

    def order(self):
        """Moves joints beyond their limits to them, closes open loops; adds to notes."""
        why, known = Why(), C.mo_robot_note_count(self._robot)
        why.check(C.mo_robot_order(self._robot, self.world._w, why.pointer))
        self.notes += [text(C.mo_robot_note(self._robot, k))
                       for k in range(known, C.mo_robot_note_count(self._robot))]

    def reset(self):
        """The whole world as it was after loading: time, q, v and controls."""
        if self._start is None:
            raise Error("the robot is in a world of others: save() it at first, and load() that")
        self.world.load(self._start)

    def step(self, h=None):
        """One step, by default of the model's length."""
        return self.world.step(self.timestep if h is None else h)


def load(path, world=None, meshes=None, servo=None, free=False, position=(0, 0, 0),
         orientation=(1, 0, 0, 0), **solver):
    """A robot from an MJCF, URDF or SDF file, or from the text of one.

    meshes: a folder where its files may lie beside its own; text has no other.  servo: its motors
    become critically damped position servos with this natural frequency in Hz.  free: what the file
    fixes to the world gets a free joint.  position, orientation: where the origin of the file is in
    a given world; shapes of the file's own world, such as a floor, and keyframes are not moved.
    """
    return Robot(path, world, meshes, servo, free, position, orientation, **solver)
