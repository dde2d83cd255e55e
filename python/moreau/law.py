# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Laws of contact problems, for Problem.add_constraint: moreau.law.coulomb(0.5)."""
import ctypes

import numpy

from ._library import C, Why, address, array, text

__all__ = ["Law", "bilateral", "box", "coulomb", "faceted", "frictionless", "pyramid", "rolling",
           "sliding", "soft_finger"]


class Law:
    """A law with its numbers; made by coulomb() and the others below."""

    __slots__ = ("_struct", "_kept")

    def __init__(self, made, *kept):
        self._struct = made
        self._kept = kept

    @property
    def name(self):
        return text(C.mo_law_name(self._struct.kind))

    def with_compliance(self, compliance):
        """The same law, compliant: one number >= 0 for each row."""
        made = type(self._struct).from_buffer_copy(self._struct)
        numbers = array(compliance)
        made.compliance = address(numbers)
        return Law(made, numbers, *self._kept)

    def check(self, d):
        """Raises moreau.Error where the law has not d rows or a number is outside its range."""
        why = Why()
        why.check(C.mo_law_check(ctypes.addressof(self._struct), d, why.pointer))

    def project(self, x):
        """The impulse of the law's set that is nearest to x."""
        x = array(x)
        self.check(x.size)
        y = numpy.empty_like(x)
        C.mo_law_project(ctypes.addressof(self._struct), x.size, address(x), address(y))
        return y

    def solve(self, W, b):
        """r of one block with u = W r + b, exactly."""
        b = array(b)
        W, r = array(W, (b.size, b.size)), numpy.empty_like(b)
        self.check(b.size)
        C.mo_law_solve(ctypes.addressof(self._struct), b.size, address(W), address(b), address(r))
        return r

    def __repr__(self):
        return f"<Law: {self.name}>"


def coulomb(mu):
    """Coulomb's cone: normal first, then one or two tangents."""
    return Law(C.mo_law_coulomb(mu))


def frictionless():
    """A unilateral constraint, d = 1, or a contact without friction."""
    return Law(C.mo_law_frictionless())


def bilateral():
    """An equation u = 0: a joint."""
    return Law(C.mo_law_bilateral())


def box(lower, upper):
    """lower <= r <= upper in each row: motors and dry friction."""
    lower, upper = array(lower), array(upper)
    return Law(C.mo_law_box(address(lower), address(upper)), lower, upper)


def rolling(mu, mu_rolling):
    """Coulomb's cone with rolling friction; mu_rolling is a length, in m."""
    return Law(C.mo_law_rolling(mu, mu_rolling))


def soft_finger(mu, mu_torsion):
    """Coulomb's cone with torsional friction; mu_torsion is a length, in m."""
    return Law(C.mo_law_soft_finger(mu, mu_torsion))


def faceted(mu, facets):
    """The cone replaced by a pyramid of so many facets."""
    return Law(C.mo_law_faceted(mu, facets))


def pyramid(mu):
    """The pyramid of Trinkle and others: each tangent has its own bound."""
    return Law(C.mo_law_pyramid(mu))


def sliding(mu, direction):
    """A contact that slides in a known direction: its force is tied to the normal force."""
    direction = array(direction)
    return Law(C.mo_law_sliding(mu, address(direction)), direction)
