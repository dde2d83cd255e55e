# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Shapes of bodies: moreau.box(0.1, 0.1, 0.1).of(density=500, friction=0.3).at((0, 0, 1))."""
import ctypes

import numpy

from ._library import C, Error, address, array


_OWN = ("density", "layer", "mask", "either_mask", "colour", "metallic", "roughness")


def _set_field(struct, name, value, among, hint=""):
    if name not in among:
        raise TypeError(f"there is no {name}{hint}; there are {', '.join(among)}")
    setattr(struct, name, value)


def material(numbers):
    """An mo_material with these numbers: friction, restitution, ..."""
    made = C.mo_default_material()
    for name, value in numbers.items():
        _set_field(made, name, value, [field for field, _ in made._fields_])
    return made


class Shape:
    """A shape for World.add_body; made by ball() and the others below.

    at() and of() return the shape itself, so that they can be chained.
    """

    __slots__ = ("_struct", "_kept", "_is_flat")

    def __init__(self, made, *kept, is_flat=False):
        self._struct = made
        self._kept = kept
        self._is_flat = is_flat

    def at(self, position=(0, 0, 0), orientation=(1, 0, 0, 0)):
        """Its pose in the body: m, unit quaternion (w, x, y, z)."""
        self._struct.pose.position[:] = array(position, (3,), "position")
        self._struct.pose.orientation[:] = array(orientation, (4,), "orientation")
        return self

    def of(self, **material):
        """Its material and filter.

        density (kg/m^3; kg/m^2 in the plane), friction, restitution, rolling (m), torsion (m),
        priority; layer and mask: two shapes collide where each layer is in the other's mask;
        colour: red, green, blue and opacity from 0 to 1; metallic (0 or 1) and roughness (polished
        0 to matt 1): for drawing.
        """
        names = _OWN + tuple(name for name, _ in self._struct.material._fields_)
        for name, value in material.items():
            where = self._struct if name in _OWN else self._struct.material
            hint = " of a shape, but World.add_body(mass=...)" if name == "mass" else ""
            _set_field(where, name, tuple(value) if name == "colour" else value, names, hint)
        return self


def ball(radius):
    """A ball of a radius in m; in the plane a disk."""
    return Shape(C.mo_shape_ball(radius))


def box(half_x, half_y, half_z=None):
    """A box by its half edges in m; without half_z a rectangle of a planar world."""
    is_flat = half_z is None
    return Shape(C.mo_shape_box(half_x, half_y, 1.0 if is_flat else half_z), is_flat=is_flat)


def capsule(a, b, radius):
    """All points within a radius of the segment from a to b."""
    a, b = array(a, (3,), "a"), array(b, (3,), "b")
    return Shape(C.mo_shape_capsule(address(a), address(b), radius))


def cylinder(radius, half_height):
    """A cylinder along z."""
    return Shape(C.mo_shape_cylinder(radius, half_height))


def hull(points):
    """The convex hull of points, one a row."""
    points = array(points)
    points = array(points, (len(points), 3), "points")
    return Shape(C.mo_shape_hull(address(points), len(points)), points)


def plane():
    """All below z = 0 (y = 0 in the plane) of a fixed or driven body."""
    return Shape(C.mo_shape_plane())


def half_space(normal, offset=0.0):
    """All x with normal . x <= offset; in the plane the normal has two numbers."""
    normal = array(normal)
    if normal.shape not in ((2,), (3,)) or not numpy.any(normal):
        raise Error("the normal of a half-space has three numbers (two in the plane), not all zero")
    make = C.mo_shape_half_plane if len(normal) == 2 else C.mo_shape_half_space
    return Shape(make(address(normal), offset))


def mesh(points, triangles):
    """Triangles, counterclockwise seen from outside, of a fixed or driven body.

    points: one a row.  triangles: three numbers of points a row; in the plane two a segment.
    """
    points = array(points)
    points = array(points, (len(points), 3), "points")
    indices = numpy.ascontiguousarray(triangles, dtype=numpy.intc)
    made = C.mo_shape_mesh(address(points), len(points), address(indices), indices.size)
    return Shape(made, points, indices)


def height_field(heights, spacing):
    """The ground z = heights[row, column] over x = column * spacing, y = row * spacing."""
    heights = array(heights)
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise Error("heights of a height field are a matrix of two rows and columns at least")
    rows, columns = heights.shape
    points = numpy.empty((rows * columns, 3))
    indices = numpy.empty(6 * (rows - 1) * (columns - 1), dtype=numpy.intc)
    C.mo_height_field_mesh(rows, columns, spacing, address(heights), address(points),
                           address(indices))
    return mesh(points, indices)


def pose(position=(0, 0, 0), orientation=(1, 0, 0, 0)):
    """An mo_pose of a position in m and a unit quaternion."""
    made = C.mo_pose_identity()
    made.position[:] = array(position, (3,), "position")
    made.orientation[:] = array(orientation, (4,), "orientation")
    return made


def rotation(axis, angle):
    """The unit quaternion of a rotation by an angle (rad) about an axis of any length."""
    axis = array(axis, (3,), "axis")
    return numpy.array(C.mo_pose_turned(0.0, 0.0, 0.0, address(axis), angle).orientation)


def combine(a, b):
    """The numbers of the contact between two shapes: friction, restitution, rolling, torsion."""
    made = C.mo_material_combine(ctypes.addressof(a._struct.material),
                                 ctypes.addressof(b._struct.material))
    return {name: getattr(made, name) for name, _ in made._fields_}
