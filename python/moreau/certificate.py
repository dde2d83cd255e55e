# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Verdicts on contact problems: none, one or several solutions, with evidence that is checked."""
import ctypes

from ._library import C, Why, address, array, structs, text, view

CONDITIONS = ("strict", "closed", "frictionless", "pointed", "pointed-frictionless")


class Verdict:
    """`verdict` is none, unique, several, exists or unknown; `solutions` are impulses r.

    `holds`: the evidence was checked apart (mo_check_judge) and proves the verdict.
    """

    __slots__ = ("_struct", "_problem", "verdict", "message", "holds", "solutions")

    def __init__(self, problem, most_systems=0, path=None):
        made, why = structs["mo_check_result"](), Why()
        self._struct, self._problem = made, problem
        at = ctypes.addressof(made)
        if path is None:
            why.check(C.mo_check(problem._p, most_systems, at))
        else:
            why.check(C.mo_check_read(str(path).encode(), problem._p, at, why.pointer), path)
        self.verdict = text(C.mo_verdict_name(made.verdict))
        self.message = text(made.message)
        judgement = structs["mo_judgement"]()
        why.check(C.mo_check_judge(problem._p, at, ctypes.addressof(judgement)))
        self.holds = bool(judgement.holds)
        found = structs["mo_found_solution"]
        self.solutions = []
        for k in range(made.set.count):
            one = found.from_address(made.set.solutions + k * ctypes.sizeof(found))
            self.solutions.append(view(one.r, (problem.row_count,), made).copy())

    def __del__(self):
        if hasattr(self, "_struct"):
            C.mo_check_clear(ctypes.addressof(self._struct))

    @property
    def conditions(self):
        """The conditions for existence and pointedness: {name: holds, fails or unknown}."""
        return {text(C.mo_condition_name(one.kind)): text(C.mo_answer_name(one.answer))
                for one in self._struct.conditions}

    def write(self, path):
        """The verdict with its evidence as a certificate file, for Problem.verify."""
        why = Why()
        why.check(C.mo_check_write(str(path).encode(), self._problem._p,
                                   ctypes.addressof(self._struct), why.pointer))

    def __repr__(self):
        return f"<Verdict: {self.verdict}: {self.message}>"


def friction_limit(problem, width):
    """(below, above): the cone is pointed with the coefficients times the one, not the other."""
    made = structs["mo_friction_limit"]()
    try:
        Why().check(C.mo_friction_limit_find(problem._p, width, ctypes.addressof(made)))
        return made.below, made.above
    finally:
        C.mo_friction_limit_clear(ctypes.addressof(made))


def error_bound(problem, r, v=None):
    """A proven bound on the distance to a solution: {"u": ..., "r": ..., "v": ...}, or None."""
    made, r = structs["mo_error_bound"](), array(r, (problem.row_count,), "r")
    v = None if v is None else array(v, (problem.dof_count,), "v")
    Why().check(C.mo_bound_error(problem._p, address(v), address(r), ctypes.addressof(made)))
    return {"v": made.v, "u": made.u, "r": made.r} if made.is_proven else None
