# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Contact problems: M v = H r + f, u = H' v + w, (u, r) obeys its law."""
import ctypes

import numpy

from . import certificate
from ._library import C, Error, Why, address, array, set_options, structs, text, view

# ---- results -----------------------------------------------------------------------------------


class Result:
    """What a solve found.  v, u and r are arrays on the library's own memory, not copies."""

    def __init__(self, made, owner=None):
        self._struct = made
        self._owner = owner

    def __del__(self):
        if getattr(self, "_owner", self) is None:
            C.mo_result_clear(ctypes.addressof(self._struct))

    @property
    def status(self):
        return text(C.mo_status_name(self._struct.status))

    @property
    def solved(self):
        return self._struct.status == 0

    @property
    def residual(self):
        """Relative, as the tolerance is."""
        return self._struct.residual.natural_relative

    @property
    def method(self):
        return text(self._struct.method)

    @property
    def iterations(self):
        return self._struct.iterations

    @property
    def message(self):
        return text(self._struct.message)

    @property
    def v(self):
        return view(self._struct.v, (self._struct.dof_count,), self)

    @property
    def u(self):
        return view(self._struct.u, (self._struct.row_count,), self)

    @property
    def r(self):
        return view(self._struct.r, (self._struct.row_count,), self)

    def __repr__(self):
        return (f"<Result: {self.status}, residual {self.residual:.1e}, "
                f"{self.iterations} iterations>")

# ---- problems ----------------------------------------------------------------------------------


class Problem:
    """A contact problem, built piece by piece, or read from an FCLIB file.

    Pieces may come in any order; what is wrong with them is said when the problem is first used.
    """

    def __init__(self):
        self._builder = ctypes.c_void_p()
        self._problem = None
        self._owner = None
        self._rows = []
        Why().check(C.mo_builder_create(None, ctypes.addressof(self._builder)))

    @classmethod
    def _borrow(cls, pointer, owner):
        made = cls.__new__(cls)
        made._builder, made._problem, made._owner, made._rows = None, pointer, owner, []
        return made

    def __del__(self):
        if getattr(self, "_builder", None):
            C.mo_builder_destroy(self._builder)
        if getattr(self, "_problem", None) and self._owner is None:
            C.mo_problem_destroy(self._problem)

    # -- building --

    def _building(self):
        if not self._builder:
            raise Error("the problem is made already: nothing can be added to it")
        return self._builder

    def add_body(self, M, f=None):
        """A body with n velocities; its number."""
        M = array(M)
        n = M.shape[0] if M.ndim == 2 else -1
        M = array(M, (n, n), "M") if n >= 0 else array(M, (0, 0), "M")
        f = None if f is None else array(f, (n,), "f")
        return C.mo_builder_add_body(self._building(), n, address(M), address(f))

    def add_rigid_body(self, mass, inertia, f=None):
        """A rigid body in space: velocity of its centre and spin, world axes; inertia 3 x 3."""
        inertia = array(inertia, (3, 3), "inertia")
        f = None if f is None else array(f, (6,), "f")
        return C.mo_builder_add_rigid_body(self._building(), mass, address(inertia), address(f))

    def add_unsymmetric_body(self, M, f=None):
        """A body whose matrix M is not symmetric; M + M' is positive definite."""
        M = array(M)
        M = array(M, (len(M), len(M)), "M")
        f = None if f is None else array(f, (len(M),), "f")
        return C.mo_builder_add_unsymmetric_body(self._building(), len(M), address(M), address(f))

    def add_constraint(self, law, d=3, w=None):
        """A constraint block with d rows; its number."""
        w = None if w is None else array(w)
        d = d if w is None else len(w)
        self._rows.append(d)
        return C.mo_builder_add_constraint(self._building(), d, ctypes.addressof(law._struct),
                                           address(w))

    def add_jacobian(self, constraint, body, J):
        """u of the constraint gains J v of the body; J is d x n."""
        J = array(numpy.atleast_2d(J))
        C.mo_builder_add_jacobian(self._building(), constraint, body, J.shape[0], J.shape[1],
                                  address(J))

    def add_coupling(self, row, column, W):
        """In a reduced problem: u of `row` gains W r of `column`."""
        W = array(numpy.atleast_2d(W))
        C.mo_builder_add_coupling(self._building(), row, column, W.shape[0], W.shape[1], address(W))

    @property
    def _p(self):
        if self._problem is None:
            made, why = ctypes.c_void_p(), Why()
            code = C.mo_builder_finish(self._builder, ctypes.addressof(made), why.pointer)
            C.mo_builder_destroy(self._builder)
            self._builder = None
            why.check(code)
            self._problem = made.value
        if not self._problem:
            raise Error("there is no problem")
        return self._problem

    # -- files --

    @classmethod
    def read(cls, path):
        """From an FCLIB file; `solution` has what the file has beside it, or None."""
        document, why = structs["mo_document"](), Why()
        why.check(C.mo_fclib_read(str(path).encode(), None, ctypes.addressof(document),
                                  why.pointer), path)
        made = cls._borrow(document.problem, None)
        r = view(document.solution.r, (made.row_count,), document)
        made.solution = None if r is None else r.copy()
        document.problem = None
        C.mo_document_clear(ctypes.addressof(document))
        return made

    def write(self, path):
        """As an FCLIB file."""
        document, why = structs["mo_document"](), Why()
        document.problem = self._p
        why.check(C.mo_fclib_write(str(path).encode(), ctypes.addressof(document), why.pointer))

    # -- looking --

    @property
    def body_count(self):
        return C.mo_problem_body_count(self._p)

    @property
    def constraint_count(self):
        return C.mo_problem_constraint_count(self._p)

    @property
    def dof_count(self):
        return C.mo_problem_dof_count(self._p)

    @property
    def row_count(self):
        return C.mo_problem_row_count(self._p)

    def body(self, k):
        """Mass matrix and forces of body k, as views."""
        if not 0 <= k < self.body_count:
            raise IndexError(k)
        body = C.mo_problem_body(self._p, k)
        return (view(body.M, (body.dim, body.dim), self), view(body.f, (body.dim,), self))

    def constraint(self, k):
        """Name of the law, friction and w of constraint k."""
        if not 0 <= k < self.constraint_count:
            raise IndexError(k)
        made = C.mo_problem_constraint(self._p, k)
        return (text(C.mo_law_name(made.law.kind)), made.law.mu, view(made.w, (made.dim,), self))

    # -- solving --

    def solve(self, start=None, **options):
        """Solves it: solve(method="ipm", tol=1e-10, nsgs__omega=1.2); see `moreau solvers`."""
        settings = set_options(C.mo_default_options(), options)
        if start is not None:
            start = array(start, (self.row_count,), "start")
            settings.start = address(start)
        result = Result(structs["mo_result"]())
        code = C.mo_solve(self._p, ctypes.addressof(settings), ctypes.addressof(result._struct))
        if code:
            raise Error(result.message)
        return result

    def response(self, r=None):
        """u = W r + q, without forming W; q where r is None."""
        u = numpy.empty(self.row_count)
        r = None if r is None else array(r, (self.row_count,), "r")
        Why().check(C.mo_problem_response(self._p, address(r), address(u)))
        return u

    def measure(self, r):
        """The relative residual of impulses r, from whatever they come."""
        return self.residuals(r)["natural_relative"]

    def residuals(self, r):
        """All that mo_measure finds: natural, natural_relative, and the worst contact of each kind.

        penetration_rate (m/s), cone_violation (N s), dissipation (J): the largest values.
        """
        made, r = structs["mo_residual"](), array(r, (self.row_count,), "r")
        Why().check(C.mo_measure(self._p, address(r), ctypes.addressof(made)))
        return {name: getattr(getattr(made, name), "value", getattr(made, name))
                for name, _ in made._fields_}

    def velocity(self, r=None):
        """v = M^-1 (H r + f); without r where that is None."""
        v = numpy.empty(self.dof_count)
        r = None if r is None else array(r, (self.row_count,), "r")
        Why().check(C.mo_problem_velocity(self._p, address(r), address(v)))
        return v

    def block(self, constraint, k=0):
        """(body, H): the k-th matrix of a constraint, d x n; (constraint, W) of a reduced one."""
        made = C.mo_problem_constraint(self._p, constraint)
        if not 0 <= k < made.block_count:
            raise IndexError(k)
        one = C.mo_problem_block(self._p, constraint, k)
        columns = self.body(one.index)[1].size if self.dof_count else made.dim
        return one.index, view(one.values, (made.dim, columns), self)

    def check(self, most_systems=0):
        """Has it no solution, one, or several?"""
        return certificate.Verdict(self, most_systems)

    def verify(self, path):
        """The verdict of a certificate file; its evidence is checked against this problem."""
        return certificate.Verdict(self, path=path)

    def friction_limit(self, width=1e-3):
        """(below, above): factors on the friction up to which the cone is pointed, or is not."""
        return certificate.friction_limit(self, width)

    def error_bound(self, r, v=None):
        """Proven bounds on the distance from r (and v) to a solution; None where none is found."""
        return certificate.error_bound(self, r, v)

    def reduce(self):
        """The reduced problem, in W and q alone."""
        made, why = ctypes.c_void_p(), Why()
        why.check(C.mo_problem_reduce(self._p, ctypes.addressof(made), why.pointer))
        return Problem._borrow(made.value, None)

    def gradient(self, r):
        """Derivatives of the solution r."""
        return Gradient(self, r)

# ---- gradients ---------------------------------------------------------------------------------


_MODES = ("free", "held", "sliding")


class Gradient:
    """How v, u and r change with f, w and the friction coefficients."""

    def __init__(self, problem, r):
        made, why = ctypes.c_void_p(), Why()
        self._problem = problem
        self._gradient = None
        r = array(r, (problem.row_count,), "r")
        why.check(C.mo_gradient_create(problem._p, address(r), ctypes.addressof(made), why.pointer))
        self._gradient = made

    def __del__(self):
        if getattr(self, "_gradient", None):
            C.mo_gradient_destroy(self._gradient)

    @property
    def status(self):
        """exact, loose, edge or undetermined."""
        return text(C.mo_gradient_status_name(C.mo_gradient_describe(self._gradient).status))

    @property
    def message(self):
        """The status as a sentence."""
        return text(C.mo_gradient_status_text(C.mo_gradient_describe(self._gradient).status))

    def mode(self, constraint):
        """free, held or sliding."""
        return _MODES[C.mo_gradient_block_of(self._gradient, constraint).mode]

    def _data(self, f, w, mu):
        made = structs["mo_data_vector"]()
        made.f, made.w, made.mu = address(f), address(w), address(mu)
        return made

    def _solution(self, v, u, r):
        made = structs["mo_solution_vector"]()
        made.v, made.u, made.r = address(v), address(u), address(r)
        return made

    def forward(self, f=None, w=None, mu=None):
        """The change (v, u, r) that changes of the data cause."""
        p = self._problem
        given = [None if x is None else array(x, (n,)) for x, n in
                 ((f, p.dof_count), (w, p.row_count), (mu, p.constraint_count))]
        found = numpy.zeros(p.dof_count), numpy.zeros(p.row_count), numpy.zeros(p.row_count)
        data, solution = self._data(*given), self._solution(*found)
        C.mo_gradient_forward(self._gradient, ctypes.addressof(data), ctypes.addressof(solution),
                              None)
        return found

    def adjoint(self, v=None, u=None, r=None):
        """Derivatives (f, w, mu) of a number whose derivatives by v, u, r are given."""
        p = self._problem
        given = [None if x is None else array(x, (n,)) for x, n in
                 ((v, p.dof_count), (u, p.row_count), (r, p.row_count))]
        found = numpy.zeros(p.dof_count), numpy.zeros(p.row_count), numpy.zeros(p.constraint_count)
        data, solution = self._data(*found), self._solution(*given)
        C.mo_gradient_adjoint(self._gradient, ctypes.addressof(solution), ctypes.addressof(data))
        return found




def version():
    """Of the library that is loaded."""
    return text(C.mo_version())


class Method:
    """A method of Problem.solve: its name, a line about it, the key of its paper."""

    __slots__ = ("name", "summary", "paper", "is_default")

    def __init__(self, made):
        self.name, self.summary = text(made.name), text(made.summary)
        self.paper, self.is_default = text(made.paper), bool(made.is_default)

    def __repr__(self):
        return f"<Method {self.name}: {self.summary}>"


def methods():
    """All methods."""
    return [Method(C.mo_method_describe(k)) for k in range(C.mo_method_count())]


def options():
    """The options of Problem.solve: {name: sentence}; a dot is written as two underscores."""
    found = [C.mo_option_describe(k) for k in range(C.mo_option_count())]
    return {text(one.name).replace(".", "__"): text(one.text) for one in found}
