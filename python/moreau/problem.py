# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Contact problems: M v = H r + f, u = H' v + w, (u, r) obeys its law."""
import ctypes

import numpy

from ._library import (Error, Why, address, array, function, set_options, structs, text, view)

# ---- laws ---------------------------------------------------------------------------------------

_law_name = function("mo_law_name", "text", "int")


class Law:
    """A law with its numbers; made by coulomb() and the others below."""

    def __init__(self, made, *kept):
        self._struct = made
        self._kept = kept

    @property
    def name(self):
        return text(_law_name(self._struct.kind))

    def with_compliance(self, compliance):
        """The same law, compliant: one number >= 0 for each row."""
        made = type(self._struct).from_buffer_copy(self._struct)
        numbers = array(compliance)
        made.compliance = address(numbers)
        return Law(made, numbers, *self._kept)


_coulomb = function("mo_law_coulomb", "mo_law", "double")
_frictionless = function("mo_law_frictionless", "mo_law")
_bilateral = function("mo_law_bilateral", "mo_law")
_box = function("mo_law_box", "mo_law", "pointer", "pointer")
_rolling = function("mo_law_rolling", "mo_law", "double", "double")
_soft_finger = function("mo_law_soft_finger", "mo_law", "double", "double")


def coulomb(mu):
    return Law(_coulomb(mu))


def frictionless():
    return Law(_frictionless())


def bilateral():
    return Law(_bilateral())


def box(lower, upper):
    lower, upper = array(lower), array(upper)
    return Law(_box(address(lower), address(upper)), lower, upper)


def rolling(mu, mu_rolling):
    return Law(_rolling(mu, mu_rolling))


def soft_finger(mu, mu_torsion):
    return Law(_soft_finger(mu, mu_torsion))


# ---- results -----------------------------------------------------------------------------------

_default_options = function("mo_default_options", "mo_options")
_solve = function("mo_solve", "int", "pointer", "pointer", "pointer")
_result_clear = function("mo_result_clear", None, "pointer")
_status_word = function("mo_status_word", "text", "int")


class Result:
    """What a solve found.  v, u and r are arrays on the library's own memory, not copies."""

    def __init__(self, made, owner=None):
        self._struct = made
        self._owner = owner

    def __del__(self):
        if self._owner is None:
            _result_clear(ctypes.addressof(self._struct))

    @property
    def status(self):
        return text(_status_word(self._struct.status))

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
        return f"<Result: {self.status}, residual {self.residual:.1e}, {self.iterations} iterations>"


# ---- problems ----------------------------------------------------------------------------------

_builder_create = function("mo_builder_create", "int", "pointer", "pointer")
_builder_destroy = function("mo_builder_destroy", None, "pointer")
_add_body = function("mo_builder_add_body", "int", "pointer", "int", "pointer", "pointer")
_add_constraint = function("mo_builder_add_constraint", "int", "pointer", "int", "pointer", "pointer")
_add_jacobian = function("mo_builder_add_jacobian", None, "pointer", "int", "int", "int", "int",
                         "pointer")
_add_coupling = function("mo_builder_add_coupling", None, "pointer", "int", "int", "int", "int",
                         "pointer")
_finish = function("mo_builder_finish", "int", "pointer", "pointer", "pointer")
_destroy = function("mo_problem_destroy", None, "pointer")
_body_count = function("mo_problem_body_count", "int", "pointer")
_constraint_count = function("mo_problem_constraint_count", "int", "pointer")
_dof_count = function("mo_problem_dof_count", "int", "pointer")
_row_count = function("mo_problem_row_count", "int", "pointer")
_body = function("mo_problem_body", "mo_body_view", "pointer", "int")
_constraint = function("mo_problem_constraint", "mo_constraint_view", "pointer", "int")
_block = function("mo_problem_block", "mo_block_view", "pointer", "int", "int")
_response = function("mo_problem_response", "int", "pointer", "pointer", "pointer")
_measure = function("mo_measure", "int", "pointer", "pointer", "pointer")
_document_clear = function("mo_document_clear", None, "pointer")
_fclib_read = function("mo_fclib_read", "int", "text", "pointer", "pointer", "pointer")
_fclib_write = function("mo_fclib_write", "int", "text", "pointer", "pointer")


class Problem:
    """A contact problem, built piece by piece, or read from an FCLIB file.

    Pieces may come in any order; what is wrong with them is said when the problem is first used.
    """

    def __init__(self):
        self._builder = ctypes.c_void_p()
        self._problem = None
        self._owner = None
        self._rows = []
        Why().check(_builder_create(None, ctypes.addressof(self._builder)))

    @classmethod
    def _borrow(cls, pointer, owner):
        made = cls.__new__(cls)
        made._builder, made._problem, made._owner, made._rows = None, pointer, owner, []
        return made

    def __del__(self):
        if getattr(self, "_builder", None):
            _builder_destroy(self._builder)
        if getattr(self, "_problem", None) and self._owner is None:
            _destroy(self._problem)

    # -- building --

    def _building(self):
        if not self._builder:
            raise Error("the problem is made already: nothing can be added to it")
        return self._builder

    def add_body(self, M, f=None):
        """A body with n velocities; its number."""
        M = array(M)
        n = M.shape[0] if M.ndim == 2 else -1
        M = array(M, (n, n)) if n >= 0 else array(M, (0, 0))
        f = None if f is None else array(f, (n,))
        return _add_body(self._building(), n, address(M), address(f))

    def add_constraint(self, law, d=3, w=None):
        """A constraint block with d rows; its number."""
        w = None if w is None else array(w)
        d = d if w is None else len(w)
        self._rows.append(d)
        return _add_constraint(self._building(), d, ctypes.addressof(law._struct), address(w))

    def add_jacobian(self, constraint, body, J):
        """u of the constraint gains J v of the body; J is d x n."""
        J = array(numpy.atleast_2d(J))
        _add_jacobian(self._building(), constraint, body, J.shape[0], J.shape[1], address(J))

    def add_coupling(self, row, column, W):
        """In a reduced problem: u of `row` gains W r of `column`."""
        W = array(numpy.atleast_2d(W))
        _add_coupling(self._building(), row, column, W.shape[0], W.shape[1], address(W))

    @property
    def _p(self):
        if self._problem is None:
            made, why = ctypes.c_void_p(), Why()
            code = _finish(self._builder, ctypes.addressof(made), why.pointer)
            _builder_destroy(self._builder)
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
        why.check(_fclib_read(str(path).encode(), None, ctypes.addressof(document), why.pointer))
        made = cls._borrow(document.problem, None)
        r = view(document.solution.r, (made.row_count,), document)
        made.solution = None if r is None else r.copy()
        document.problem = None
        _document_clear(ctypes.addressof(document))
        return made

    def write(self, path):
        """As an FCLIB file."""
        document, why = structs["mo_document"](), Why()
        document.problem = self._p
        why.check(_fclib_write(str(path).encode(), ctypes.addressof(document), why.pointer))

    # -- looking --

    @property
    def body_count(self):
        return _body_count(self._p)

    @property
    def constraint_count(self):
        return _constraint_count(self._p)

    @property
    def dof_count(self):
        return _dof_count(self._p)

    @property
    def row_count(self):
        return _row_count(self._p)

    def body(self, k):
        """Mass matrix and forces of body k, as views."""
        if not 0 <= k < self.body_count:
            raise IndexError(k)
        body = _body(self._p, k)
        return (view(body.M, (body.dim, body.dim), self), view(body.f, (body.dim,), self))

    def constraint(self, k):
        """Name of the law, friction and w of constraint k."""
        if not 0 <= k < self.constraint_count:
            raise IndexError(k)
        made = _constraint(self._p, k)
        return (text(_law_name(made.law.kind)), made.law.mu, view(made.w, (made.dim,), self))

    # -- solving --

    def solve(self, start=None, **options):
        """Solves it: solve(method="ipm", tol=1e-10, nsgs__omega=1.2); see `moreau solvers`."""
        settings = set_options(_default_options(), options)
        if start is not None:
            start = array(start, (self.row_count,))
            settings.start = address(start)
        result = Result(structs["mo_result"]())
        code = _solve(self._p, ctypes.addressof(settings), ctypes.addressof(result._struct))
        if code:
            raise Error(result.message)
        return result

    def response(self, r=None):
        """u = W r + q, without forming W; q where r is None."""
        u = numpy.empty(self.row_count)
        r = None if r is None else array(r, (self.row_count,))
        Why().check(_response(self._p, address(r), address(u)))
        return u

    def measure(self, r):
        """The relative residual of impulses r, from whatever they come."""
        made, r = structs["mo_residual"](), array(r, (self.row_count,))
        Why().check(_measure(self._p, address(r), ctypes.addressof(made)))
        return made.natural_relative

    def check(self, most_systems=0):
        """Has it no solution, one, or several?"""
        return Verdict(self, most_systems)

    def gradient(self, r):
        """Derivatives of the solution r."""
        return Gradient(self, r)


# ---- verdicts ----------------------------------------------------------------------------------

_check = function("mo_check", "int", "pointer", "long", "pointer")
_check_clear = function("mo_check_clear", None, "pointer")
_check_judge = function("mo_check_judge", "int", "pointer", "pointer", "pointer")
_verdict_word = function("mo_verdict_word", "text", "int")


class Verdict:
    """`verdict` is none, unique, several, exists or unknown; `solutions` are impulses r.

    `holds`: the evidence was checked apart (mo_check_judge) and proves the verdict.
    """

    def __init__(self, problem, most_systems):
        made = structs["mo_check_result"]()
        try:
            Why().check(_check(problem._p, most_systems, ctypes.addressof(made)))
            self.verdict = text(_verdict_word(made.verdict))
            self.message = text(made.message)
            judgement = structs["mo_judgement"]()
            Why().check(_check_judge(problem._p, ctypes.addressof(made), ctypes.addressof(judgement)))
            self.holds = bool(judgement.holds)
            found = structs["mo_found_solution"]
            self.solutions = []
            for k in range(made.set.count):
                one = found.from_address(made.set.solutions + k * ctypes.sizeof(found))
                self.solutions.append(view(one.r, (problem.row_count,), made).copy())
        finally:
            _check_clear(ctypes.addressof(made))

    def __repr__(self):
        return f"<Verdict: {self.verdict}: {self.message}>"


# ---- gradients ---------------------------------------------------------------------------------

_gradient_create = function("mo_gradient_create", "int", "pointer", "pointer", "pointer", "pointer")
_gradient_destroy = function("mo_gradient_destroy", None, "pointer")
_gradient_describe = function("mo_gradient_describe", "mo_gradient_info", "pointer")
_gradient_word = function("mo_gradient_status_word", "text", "int")
_forward = function("mo_gradient_forward", None, "pointer", "pointer", "pointer", "pointer")
_adjoint = function("mo_gradient_adjoint", None, "pointer", "pointer", "pointer")


class Gradient:
    """How v, u and r change with f, w and the friction coefficients."""

    def __init__(self, problem, r):
        made, why = ctypes.c_void_p(), Why()
        self._problem = problem
        self._gradient = None
        r = array(r, (problem.row_count,))
        why.check(_gradient_create(problem._p, address(r), ctypes.addressof(made), why.pointer))
        self._gradient = made

    def __del__(self):
        if self._gradient:
            _gradient_destroy(self._gradient)

    @property
    def status(self):
        return text(_gradient_word(_gradient_describe(self._gradient).status))

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
        _forward(self._gradient, ctypes.addressof(data), ctypes.addressof(solution), None)
        return found

    def adjoint(self, v=None, u=None, r=None):
        """Derivatives (f, w, mu) of a number whose derivatives by v, u, r are given."""
        p = self._problem
        given = [None if x is None else array(x, (n,)) for x, n in
                 ((v, p.dof_count), (u, p.row_count), (r, p.row_count))]
        found = numpy.zeros(p.dof_count), numpy.zeros(p.row_count), numpy.zeros(p.constraint_count)
        data, solution = self._data(*found), self._solution(*given)
        _adjoint(self._gradient, ctypes.addressof(solution), ctypes.addressof(data))
        return found


_version = function("mo_version", "text")


def version():
    """Of the library that is loaded."""
    return text(_version())

