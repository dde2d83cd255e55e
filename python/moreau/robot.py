# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Robots from MJCF and URDF files."""
import ctypes

import numpy

from ._library import Error, Why, address, array, function, structs, text, view
from .world import Body, World

_read = function("mo_model_read_with", "int", "text", "text", "pointer", "pointer", "pointer")
_servo = function("mo_model_servo", "int", "pointer", "double")
_release = function("mo_model_release", "int", "pointer", "int", "pointer")
_note_count = function("mo_robot_note_count", "int", "pointer")
_note = function("mo_robot_note", "text", "pointer", "int")
_clear = function("mo_model_clear", None, "pointer")
_joint_q = function("mo_model_joint_q", "int", "int")
_joint_v = function("mo_model_joint_v", "int", "int")
_joint_word = function("mo_model_joint_word", "text", "int")
_actuator_word = function("mo_model_actuator_word", "text", "int")
_build = function("mo_model_build", "int", "pointer", "pointer", "pointer", "pointer", "pointer")
_order = function("mo_robot_order", "int", "pointer", "pointer", "pointer")
_destroy = function("mo_robot_destroy", None, "pointer")
_body = function("mo_robot_body", "mo_body_id", "pointer", "int")
_actuator = function("mo_robot_actuator", "mo_mechanism_id", "pointer", "int", "pointer")
_get = function("mo_robot_get", None, "pointer", "pointer", "pointer", "pointer")
_set = function("mo_robot_set", "int", "pointer", "pointer", "pointer", "pointer", "pointer")
_set_control = function("mo_robot_set_control", "int", "pointer", "pointer", "int", "double", "pointer")
_set_key = function("mo_robot_set_key", "int", "pointer", "pointer", "pointer", "pointer")
_mechanism_count = function("mo_world_mechanism_count", "int", "pointer")
_mechanism = function("mo_world_mechanism", "mo_mechanism_id", "pointer", "int")
_mechanism_get = function("mo_mechanism_get", "mo_mechanism_info", "pointer", "mo_mechanism_id")
_mechanism_q = function("mo_mechanism_q", "pointer", "pointer", "mo_mechanism_id")
_mechanism_v = function("mo_mechanism_v", "pointer", "pointer", "mo_mechanism_id")
_mass_matrix = function("mo_mechanism_mass_matrix", "int", "pointer", "mo_mechanism_id", "pointer",
                        "pointer")
_bias = function("mo_mechanism_bias", "int", "pointer", "mo_mechanism_id", "pointer", "pointer")
_actuator_state = function("mo_mechanism_actuator", "mo_actuator_state", "pointer", "mo_mechanism_id",
                           "int")


class Joint:
    """A joint of a model: its name, its kind, its places in q and v, its limits or None."""

    def __init__(self, made):
        self.name, self.kind = text(made.name), text(_joint_word(made.kind))
        self.q = slice(made.first_q, made.first_q + _joint_q(made.kind))
        self.v = slice(made.first_v, made.first_v + _joint_v(made.kind))
        self.limits = tuple(made.range) if made.has_limits else None

    def __repr__(self):
        return f"<Joint {self.name}: {self.kind}>"


class Mechanism:
    """A tree of links in joint coordinates; q and v are views on the world's own numbers."""

    def __init__(self, world, mechanism_id):
        self._world, self._id = world, mechanism_id
        info = _mechanism_get(world._w, mechanism_id)
        self.q_count, self.v_count = info.q_count, info.v_count

    @property
    def q(self):
        made = view(_mechanism_q(self._world._w, self._id), (self.q_count,), self._world)
        made.flags.writeable = False
        return made

    @property
    def v(self):
        made = view(_mechanism_v(self._world._w, self._id), (self.v_count,), self._world)
        made.flags.writeable = False
        return made

    def mass_matrix(self):
        """M at the present q."""
        made, why = numpy.empty((self.v_count, self.v_count)), Why()
        why.check(_mass_matrix(self._world._w, self._id, address(made), why.pointer))
        return made

    def bias(self):
        """Efforts that keep v as it is, against gravity and inertia."""
        made, why = numpy.empty(self.v_count), Why()
        why.check(_bias(self._world._w, self._id, address(made), why.pointer))
        return made


class Robot:
    """A robot of a file, in a world of its own or in a given one.

    q, v and the numbering are those of the model (MuJoCo's); `notes` lists what was not read.
    """

    def __init__(self, path, world=None, meshes=None, servo=None, free=False, **solver):
        self._robot = None
        self._model = structs["mo_model"]()
        why, folder = Why(), str(meshes).encode() if meshes else None
        why.check(_read(str(path).encode(), folder, None, ctypes.addressof(self._model), why.pointer))
        m = self._model
        if free:
            self._set_free()
        if servo:
            _servo(ctypes.addressof(m), 2 * numpy.pi * servo)
        self.world = world or World(gravity=tuple(m.gravity), **solver)
        self.name, self.timestep = text(m.name), m.step or 0.002
        self.notes = [text(note.text) for note in self._all("note", m.notes, m.note_count)]
        self.joints = [Joint(one) for one in self._all("joint", m.joints, m.joint_count)]
        self.body_names = [text(one.name) for one in self._all("body", m.bodies, m.body_count)]
        self.actuators = [text(one.name) for one in
                          self._all("actuator", m.actuators, m.actuator_count)]
        self.keys = [text(one.name) for one in self._all("key", m.keys, m.key_count)]
        made, why = ctypes.c_void_p(), Why()
        why.check(_build(ctypes.addressof(m), self.world._w, None, ctypes.addressof(made), why.pointer))
        self._robot = made.value
        self.notes += [text(_note(self._robot, k)) for k in range(_note_count(self._robot))]

    def _set_free(self):
        """A free joint for what the file fixes to the world."""
        for number, body in enumerate(self._all("body", self._model.bodies, self._model.body_count)):
            if number and body.parent == 0 and body.joint_count == 0:
                why = Why()
                why.check(_release(ctypes.addressof(self._model), number, why.pointer))

    def __del__(self):
        if self._robot:
            _destroy(self._robot)
        _clear(ctypes.addressof(self._model))

    def _all(self, what, first, count):
        kind = structs[f"mo_model_{what}"]
        return [kind.from_address(first + k * ctypes.sizeof(kind)) for k in range(count)]

    @staticmethod
    def _number(names, name, what):
        if isinstance(name, int):
            return name
        if name not in names:
            raise Error(f"there is no {what} '{name}'; there are {', '.join(n for n in names if n)}")
        return names.index(name)

    def body(self, name):
        """The body of that name, or number, in the model."""
        number = self._number(self.body_names, name, "body")
        return Body(self.world, _body(self._robot, number))

    @property
    def mechanisms(self):
        """Those of the world."""
        w = self.world
        return [Mechanism(w, _mechanism(w._w, k)) for k in range(_mechanism_count(w._w))]

    @property
    def q(self):
        made = numpy.zeros(self._model.q_count)
        _get(self._robot, self.world._w, address(made), None)
        return made

    @q.setter
    def q(self, values):
        values, why = array(values, (self._model.q_count,)), Why()
        why.check(_set(self._robot, self.world._w, address(values), None, why.pointer))

    @property
    def v(self):
        made = numpy.zeros(self._model.v_count)
        _get(self._robot, self.world._w, None, address(made))
        return made

    @v.setter
    def v(self, values):
        values, why = array(values, (self._model.v_count,)), Why()
        why.check(_set(self._robot, self.world._w, None, address(values), why.pointer))

    def control(self, actuator, value):
        """Sets the control (target or effort) of an actuator, by name or number."""
        why = Why()
        number = self._number(self.actuators, actuator, "actuator")
        why.check(_set_control(self._robot, self.world._w, number, value, why.pointer))

    def effort(self, actuator):
        """What an actuator gave in the last step."""
        number = ctypes.c_int()
        place = self._number(self.actuators, actuator, "actuator")
        mechanism = _actuator(self._robot, place, ctypes.addressof(number))
        if not mechanism.index:
            return 0.0
        return _actuator_state(self.world._w, mechanism, number.value).effort

    def set_key(self, key):
        """q, v and controls of a keyframe, by name or number."""
        why, number = Why(), self._number(self.keys, key, "keyframe")
        made = self._all("key", self._model.keys, self._model.key_count)[number]
        why.check(_set_key(self._robot, self.world._w, ctypes.addressof(made), why.pointer))
        self.order()

    def order(self):
        """Moves joints beyond their limits to them, closes open loops; adds to notes."""
        why, known = Why(), _note_count(self._robot)
        why.check(_order(self._robot, self.world._w, why.pointer))
        self.notes += [text(_note(self._robot, k)) for k in range(known, _note_count(self._robot))]

    def step(self, h=None):
        """One step, by default of the model's length."""
        return self.world.step(self.timestep if h is None else h)


def load(path, world=None, meshes=None, servo=None, free=False, **solver):
    """A robot from an MJCF or URDF file.

    meshes: a folder where its files may lie beside its own.  servo: its motors hold positions, as stiff as to
    swing so often a second.  free: what the file fixes to the world is free.
    """
    return Robot(path, world, meshes, servo, free, **solver)
