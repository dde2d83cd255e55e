# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Mechanisms: trees of links in joint coordinates."""
import ctypes

import numpy

from ._library import C, CONSTANTS, Error, Why, address, array, span, structs, text, view, words
from .body import Body, add_shapes

AXES = ("revolute", "prismatic", "ball", "planar", "free")


class Tree:
    """What a mechanism is made of: links, joints, actuators, tendons; then World.add_mechanism.

        arm = moreau.Tree("arm")
        upper = arm.add_link(moreau.capsule((0, 0, 0), (0, 0, -0.4), 0.04), position=(0, 0, 1))
        shoulder = arm.add_joint("revolute", upper, axis=(0, 1, 0), limits=(-1.5, 1.5))
        motor = arm.add_actuator("position", shoulder, stiffness=100, damping=5)
        mechanism = world.add_mechanism(arm)
        mechanism.set_target(motor, 0.5)

    Links, joints, tendons and actuators are numbers from 0, in the order in which they are added.
    One tree can be added to any number of worlds.
    """

    def __init__(self, name=None, collide_parents=False):
        """collide_parents: a link may touch the link that it is joined to."""
        self.name, self.collide_parents = name, collide_parents
        self._links, self._joints, self._actuators, self._tendons = [], [], [], []
        self._shapes, self._couplings, self._kept = [], [], []

    def _name(self, made, name):
        if name:
            self._kept.append(name.encode())
            made.name = self._kept[-1]

    @staticmethod
    def _number(number, among, what):
        if not isinstance(number, (int, numpy.integer)) or not 0 <= number < len(among):
            raise Error(f"there is no {what} {number!r}: {what}s are named by the numbers that "
                        f"add_{what}() returned, and there are {len(among)}")
        return int(number)

    @staticmethod
    def _limit(made, limits):
        if limits is not None:
            made.has_limits = 1
            made.lower, made.upper = span(limits)

    def add_link(self, *shapes, parent=None, position=(0, 0, 0), orientation=(1, 0, 0, 0),
                 mass=0.0, inertia=None, centre=(0, 0, 0), gravity_compensation=0.0, name=None):
        """A link of shapes; returns its number.

        parent: the number of an earlier link, None for the world.  position and orientation in the
        frame of the parent, while all joints are at their reference.  mass, inertia (xx, yy, zz,
        xy, xz, yz) and centre as in World.add_body.  A link without joints is fixed to its parent.
        gravity_compensation: the part of its weight that does not act, 0 to 1.
        """
        number = -1 if parent is None else self._number(parent, self._links, "link")
        made = C.mo_default_link(number)
        made.pose.position[:] = array(position, (3,), "position")
        made.pose.orientation[:] = array(orientation, (4,), "orientation")
        made.mass = mass
        made.centre[:] = array(centre, (3,), "centre")
        if inertia is not None:
            made.inertia[:] = array(inertia, (6,), "inertia")
        made.gravity_compensation = gravity_compensation
        self._name(made, name)
        self._links.append(made)
        self._shapes.append(shapes)
        return len(self._links) - 1

    def add_joint(self, kind, link, axis=(0, 0, 1), anchor=(0, 0, 0), limits=None, damping=0.0,
                  stiffness=0.0, rest=0.0, dry_friction=0.0, armature=0.0, initial=0.0,
                  reference=0.0, name=None):
        """A joint of a link to its parent; returns its number.

        kind: revolute, prismatic, ball, planar, or free (of a link on the world).  axis and anchor
        in the frame of the link.  limits: (lower, upper) of q in rad or m; of a ball, upper is the
        largest angle.  damping in N m s/rad or N s/m, stiffness in N m/rad or N/m of a spring that
        is slack at `rest`, dry_friction in N m or N, armature: inertia of a rotor in kg m^2 or kg.
        initial: q at first; reference: q at the pose of the link.
        """
        made = C.mo_default_axis(words(kind, AXES, "kind"), self._number(link, self._links, "link"))
        made.axis[:] = array(axis, (3,), "axis")
        made.anchor[:] = array(anchor, (3,), "anchor")
        self._limit(made, limits)
        made.damping, made.stiffness, made.rest = damping, stiffness, rest
        made.dry_friction, made.armature = dry_friction, armature
        made.initial, made.reference = initial, reference
        self._name(made, name)
        self._joints.append(made)
        return len(self._joints) - 1

    def add_tendon(self, coefficients, limits=None, stiffness=0.0, slack=(0.0, 0.0), damping=0.0,
                   dry_friction=0.0, name=None):
        """A tendon of the length sum of c q over joints: {joint: c}; returns its number.

        It pulls as a spring while its length is outside the slack.
        """
        made = C.mo_default_tendon()
        joints = [self._number(joint, self._joints, "joint") for joint in coefficients]
        self._kept += [(ctypes.c_int * len(joints))(*joints), array(list(coefficients.values()))]
        made.joints, made.coefficients = ctypes.addressof(self._kept[-2]), address(self._kept[-1])
        made.count = len(joints)
        self._limit(made, limits)
        made.stiffness, made.damping, made.dry_friction = stiffness, damping, dry_friction
        made.slack[:] = array(slack, (2,), "slack")
        self._name(made, name)
        self._tendons.append(made)
        return len(self._tendons) - 1

    def add_actuator(self, kind, joint=None, tendon=None, stiffness=0.0, damping=0.0, gear=1.0,
                     max_effort=numpy.inf, target=0.0, target_range=None, name=None, link=None,
                     position=(0, 0, 0), orientation=(1, 0, 0, 0)):
        """An actuator of a joint, of a tendon or of a link; returns its number.

        kind: motor (the effort is the target, in N m or N), position (effort = stiffness (target -
        q) - damping q'), velocity (effort = damping (target - q')).  gear: a number, or one for
        each velocity of the joint.  max_effort: the largest effort in either direction, or (lower,
        upper).  target_range: targets are put into it.  An actuator of a link is a thruster: a
        motor whose gear (6 numbers) is a force and a moment for each unit of its target, at a
        position and in axes of the link's frame.
        """
        if [joint, tendon, link].count(None) != 2:
            raise Error("an actuator drives a joint, a tendon or a link: give one of them")
        if link is not None and (kind != "motor" or numpy.size(gear) != 6):
            raise Error("an actuator of a link is a motor with a gear of 6 numbers: "
                        "a force and a moment")
        at = 0 if joint is None else self._number(joint, self._joints, "joint")
        make = {"motor": lambda: C.mo_actuator_motor(at),
                "position": lambda: C.mo_actuator_position(at, stiffness, damping),
                "velocity": lambda: C.mo_actuator_velocity(at, damping)}
        words(kind, tuple(make), "kind")
        made = make[kind]()
        if tendon is not None:
            made.on = CONSTANTS["MO_ON_TENDON"]
            made.tendon = self._number(tendon, self._tendons, "tendon")
        if link is not None:
            made.on = CONSTANTS["MO_ON_LINK"]
            made.link = self._number(link, self._links, "link")
            made.place.position[:] = array(position, (3,), "position")
            made.place.orientation[:] = array(orientation, (4,), "orientation")
        gear = numpy.atleast_1d(array(gear))
        made.gear[:len(gear)] = gear
        limits = (-max_effort, max_effort) if numpy.isscalar(max_effort) else max_effort
        made.lower, made.upper = span(limits, "max_effort")
        made.target = target
        if target_range is not None:
            made.has_target_range = 1
            made.target_lower, made.target_upper = span(target_range, "target_range")
        self._name(made, name)
        self._actuators.append(made)
        return len(self._actuators) - 1

    def couple(self, a, b=None, polynomial=(0, 1)):
        """q of joint a is a polynomial (at most of degree 4) of q of joint b, from the references.

        Without b, q of a is the first number of the polynomial.
        """
        made = C.mo_default_coupling(
            self._number(a, self._joints, "joint"),
            -1 if b is None else self._number(b, self._joints, "joint"))
        polynomial = array(polynomial)
        if len(polynomial) > len(made.polynomial):
            raise Error(f"a coupling has at most {len(made.polynomial)} coefficients, not "
                        f"{len(polynomial)}")
        made.polynomial[:] = [0] * len(made.polynomial)
        made.polynomial[:len(polynomial)] = polynomial
        self._couplings.append(made)

    def __repr__(self):
        return (f"<Tree {self.name or ''}: {len(self._links)} links, {len(self._joints)} joints, "
                f"{len(self._actuators)} actuators>")

    def _definition(self):
        """An mo_mechanism_def, and the arrays that it points to."""
        made, kept = C.mo_default_mechanism(), []
        for name in ("link", "joint", "actuator", "tendon"):
            parts = getattr(self, f"_{name}s")
            kind = structs["mo_axis_def" if name == "joint" else f"mo_{name}_def"]
            kept.append((kind * max(1, len(parts)))(*parts))
            setattr(made, f"{name}s", ctypes.addressof(kept[-1]))
            setattr(made, f"{name}_count", len(parts))
        made.collide_parents = int(self.collide_parents)
        made.name = self.name.encode() if self.name else None
        return made, kept


def add_mechanism(world, tree):
    """Into a world, whole or not at all."""
    definition, kept = tree._definition()
    why = Why()
    made = why.check_id(C.mo_world_add_mechanism(world._w, ctypes.addressof(definition),
                                                 why.pointer))
    try:
        for number, shapes in enumerate(tree._shapes):
            add_shapes(world, C.mo_mechanism_link(world._w, made, number), shapes)
        for coupling in tree._couplings:
            why.check(C.mo_mechanism_couple(world._w, made, ctypes.addressof(coupling),
                                            why.pointer))
    except Exception:
        C.mo_world_remove_mechanism(world._w, made, None)
        raise
    return Mechanism(world, made)


class _Part:
    """A numbered part of a mechanism, whose state is read when asked for."""

    __slots__ = ("_mechanism", "_number")

    def __init__(self, mechanism, number):
        self._mechanism, self._number = mechanism, number

    @property
    def _state(self):
        m = self._mechanism
        return self._read(m._world._w, m._id, self._number)

    @property
    def name(self):
        return text(self._state.name)


class Axis(_Part):
    """A joint of a mechanism: kind, name, q, v, limits and efforts."""

    __slots__ = ()
    _read = staticmethod(C.mo_mechanism_joint)

    @property
    def kind(self):
        """revolute, prismatic, ball, planar or free."""
        return text(C.mo_axis_name(self._state.kind))

    @property
    def q(self):
        """Its coordinates: a number where there is one."""
        state = self._state
        made = numpy.array(self._mechanism.q[state.q_at:state.q_at + state.q_count])
        return made[0] if state.q_count == 1 else made

    @property
    def v(self):
        """Its velocities: a number where there is one."""
        state = self._state
        made = numpy.array(self._mechanism.v[state.v_at:state.v_at + state.v_count])
        return made[0] if state.v_count == 1 else made

    @property
    def limits(self):
        state = self._state
        return (state.lower, state.upper) if state.has_limits else None

    @property
    def limit_effort(self):
        """Of its limits in the last step, in N m or N; that of the lower one is positive."""
        return self._state.limit_effort

    @property
    def anchor(self):
        """In the world, now."""
        return numpy.array(self._state.anchor)

    @property
    def axis(self):
        """In the world, now."""
        return numpy.array(self._state.axis)

    def __repr__(self):
        return f"<Axis {self.name or self._number}: {self.kind}>"


class Actuator(_Part):
    """An actuator of a mechanism: target (can be set), effort, length, speed."""

    __slots__ = ()
    _read = staticmethod(C.mo_mechanism_actuator)

    @property
    def target(self):
        return self._state.target

    @target.setter
    def target(self, value):
        self._mechanism.set_target(self._number, value)

    @property
    def effort(self):
        """In the last step, in N m or N."""
        return self._state.effort

    @property
    def is_saturated(self):
        """Whether it gave its largest effort in the last step."""
        return bool(self._state.is_saturated)

    @property
    def length(self):
        """What it drives, now: gear times q, in rad or m."""
        return self._state.length

    @property
    def speed(self):
        """The rate of its length."""
        return self._state.speed

    def __repr__(self):
        return f"<Actuator {self.name or self._number}>"


class Mechanism:
    """A tree of links in joint coordinates; q and v are views on the world's own numbers."""

    def __init__(self, world, mechanism_id):
        self._world, self._id = world, mechanism_id
        info = C.mo_mechanism_get(world._w, mechanism_id)
        self.q_count, self.v_count = info.q_count, info.v_count

    @property
    def q(self):
        made = view(C.mo_mechanism_q(self._world._w, self._id), (self.q_count,), self._world)
        made.flags.writeable = False
        return made

    @property
    def v(self):
        made = view(C.mo_mechanism_v(self._world._w, self._id), (self.v_count,), self._world)
        made.flags.writeable = False
        return made

    def mass_matrix(self):
        """M at the present q."""
        made, why = numpy.empty((self.v_count, self.v_count)), Why()
        why.check(C.mo_mechanism_mass_matrix(self._world._w, self._id, address(made), why.pointer))
        return made

    def bias(self):
        """Efforts that keep v as it is, against gravity and inertia."""
        made, why = numpy.empty(self.v_count), Why()
        why.check(C.mo_mechanism_bias(self._world._w, self._id, address(made), why.pointer))
        return made

    def inverse_dynamics(self, acceleration):
        """Efforts M a + bias."""
        a = array(acceleration, (self.v_count,), "acceleration")
        made, why = numpy.empty(self.v_count), Why()
        why.check(C.mo_mechanism_inverse(self._world._w, self._id, address(a), address(made),
                                         why.pointer))
        return made

    def forward_dynamics(self, effort):
        """Accelerations M^-1 (effort - bias), without contacts."""
        effort = array(effort, (self.v_count,), "effort")
        made, why = numpy.empty(self.v_count), Why()
        why.check(C.mo_mechanism_forward(self._world._w, self._id, address(effort), address(made),
                                         why.pointer))
        return made

    def jacobian(self, body, at=None):
        """6 x n: velocity and spin of the point of a link that is at `at` (its centre of mass)."""
        link, why = self._link(body), Why()
        at = array(body.centre if at is None else at, (3,))
        made = numpy.empty((6, self.v_count))
        why.check(C.mo_mechanism_jacobian(self._world._w, self._id, link, address(at),
                                          address(made), why.pointer))
        return made

    def drift(self, body, at=None):
        """The acceleration of that point and of the spin at zero joint accelerations."""
        link, why, made = self._link(body), Why(), numpy.empty(6)
        at = array(body.centre if at is None else at, (3,))
        why.check(C.mo_mechanism_drift(self._world._w, self._id, link, address(at), address(made),
                                       why.pointer))
        return made

    def _link(self, body):
        number = ctypes.c_int()
        found = C.mo_body_mechanism(self._world._w, body._id_in(self._world),
                                    ctypes.addressof(number))
        if found.index != self._id.index:
            raise Error(f"{body} is not a link of this mechanism")
        return number.value

    @property
    def links(self):
        """The bodies of its links."""
        count = C.mo_mechanism_get(self._world._w, self._id).link_count
        return [Body(self._world, C.mo_mechanism_link(self._world._w, self._id, k))
                for k in range(count)]

    def set(self, q=None, v=None):
        """Sets coordinates and velocities; what is not given stays."""
        q = None if q is None else array(q, (self.q_count,), "q")
        v = None if v is None else array(v, (self.v_count,), "v")
        why = Why()
        why.check(C.mo_mechanism_set(self._world._w, self._id, address(q), address(v),
                                     why.pointer))

    def apply_effort(self, effort):
        """Efforts on each velocity during the next step, in N m or N."""
        effort, why = array(effort, (self.v_count,), "effort"), Why()
        why.check(C.mo_mechanism_push(self._world._w, self._id, address(effort), why.pointer))

    @property
    def name(self):
        return text(C.mo_mechanism_get(self._world._w, self._id).name)

    @property
    def joints(self):
        """Its joints, in the order of q."""
        count = C.mo_mechanism_get(self._world._w, self._id).joint_count
        return [Axis(self, k) for k in range(count)]

    @property
    def actuators(self):
        count = C.mo_mechanism_get(self._world._w, self._id).actuator_count
        return [Actuator(self, k) for k in range(count)]

    @staticmethod
    def _find(parts, key, what):
        for number, part in enumerate(parts):
            if key == number or key == part.name:
                return part
        raise Error(f"there is no {what} {key!r}; there are {', '.join(map(repr, parts))}")

    def joint(self, key):
        """The joint of this name or number."""
        return self._find(self.joints, key, "joint")

    def actuator(self, key):
        """The actuator of this name or number."""
        return self._find(self.actuators, key, "actuator")

    def link(self, key):
        """The body of the link of this name or number."""
        return self._find(self.links, key, "link")

    def tendon(self, number):
        """(length, speed) of a tendon, by its number."""
        made = C.mo_mechanism_tendon(self._world._w, self._id, number)
        return made.length, made.speed

    def set_target(self, actuator, target):
        """The target of an actuator, by its name or number here."""
        number = actuator
        if isinstance(actuator, str):
            number = self.actuator(actuator)._number
        why = Why()
        why.check(C.mo_mechanism_set_target(self._world._w, self._id, number, target,
                                            why.pointer))

    def __repr__(self):
        return f"<Mechanism {self.name or self._id.index}: {len(self.links)} links, q = {self.q}>"

    def remove(self):
        """Removes the mechanism with its links."""
        why = Why()
        why.check(C.mo_world_remove_mechanism(self._world._w, self._id, why.pointer))
