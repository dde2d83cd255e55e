# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Questions about the geometry of a world: rays, overlaps, distances."""
import ctypes

import numpy

from ._library import C, Why, address, array, structs
from .body import Body, check_shape
from .shape import pose


class Hit:
    """Where a ray met a body: body, distance (m), point, normal (unit, outward)."""

    __slots__ = ("body", "distance", "point", "normal")

    def __init__(self, world, made):
        self.body, self.distance = Body(world, made.body), made.distance
        self.point, self.normal = numpy.array(made.point), numpy.array(made.normal)

    def __repr__(self):
        return f"<Hit: {self.body} at {self.distance:.6g} m>"


class Proximity:
    """Two bodies at their nearest points.

    a, b: bodies (a is None for a shape of your own); distance in m, negative where they overlap;
    point_a, point_b; normal from a to b.
    """

    __slots__ = ("a", "b", "distance", "point_a", "point_b", "normal")

    def __init__(self, world, made):
        self.a = Body(world, made.body_a) if made.body_a.index else None
        self.b, self.distance = Body(world, made.body_b), made.distance
        self.point_a, self.point_b = numpy.array(made.point_a), numpy.array(made.point_b)
        self.normal = numpy.array(made.normal)

    def __repr__(self):
        return f"<Proximity: {self.b} at {self.distance:.6g} m>"


def query_filter(world, mask, ignored):
    made = C.mo_default_query_filter()
    if mask is not None:
        made.mask = mask
    if ignored is not None:
        made.ignored = ignored._id_in(world)
    return made


def cast_ray(world, origin, direction, length, mask, ignored):
    hit, why = structs["mo_ray_hit"](), Why()
    seen = query_filter(world, mask, ignored)
    origin, direction = array(origin, (3,), "origin"), array(direction, (3,), "direction")
    why.check(C.mo_world_cast_ray(world._w, address(origin), address(direction), length,
                                  ctypes.addressof(seen), ctypes.addressof(hit), why.pointer))
    return Hit(world, hit) if hit.body.index else None


def cast_rays(world, origins, directions, length, mask, ignored, threads):
    origins = array(numpy.atleast_2d(origins))
    count = len(origins)
    origins = array(origins, (count, 3), "origins")
    directions = array(numpy.broadcast_to(array(directions), (count, 3)), (count, 3))
    hits, why = (structs["mo_ray_hit"] * max(1, count))(), Why()
    seen = query_filter(world, mask, ignored)
    why.check(C.mo_world_cast_rays(world._w, count, address(origins), address(directions), length,
                                   ctypes.addressof(seen), threads, ctypes.addressof(hits),
                                   why.pointer))
    found = numpy.frombuffer(hits, numpy.dtype(structs["mo_ray_hit"]), count)
    return numpy.where(found["body"]["index"] > 0, found["distance"], numpy.inf)


def overlap(world, shape, position, orientation, distance, mask, ignored):
    check_shape(world, shape)
    at, count = pose(position, orientation), ctypes.c_int()
    seen = query_filter(world, mask, ignored)

    def ask(found, room):
        why = Why()
        why.check(C.mo_world_overlap(
            world._w, ctypes.addressof(shape._struct), ctypes.addressof(at), distance,
            ctypes.addressof(seen), found, room, ctypes.addressof(count), why.pointer))
        return count.value
    room = ask(None, 0)
    found = (structs["mo_proximity"] * max(1, room))()
    ask(ctypes.addressof(found), room)
    return [Proximity(world, found[k]) for k in range(room)]


def distance(world, a, b, most):
    found, why = structs["mo_proximity"](), Why()
    why.check(C.mo_world_distance(world._w, a._id_in(world), b._id_in(world), most,
                                  ctypes.addressof(found), why.pointer))
    return Proximity(world, found)
