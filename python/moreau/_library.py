# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The shared library: its structs, its functions, its errors.

Structs, functions and constants come from _bindings.py, which was written from the public headers
when the library was built.  C.mo_world_step is a function of the library with its types,
structs["mo_contact"] a struct, CONSTANTS["MO_BODY_FREE"] an enumerator.
"""
import ctypes
import operator
import os

import numpy

try:
    from . import _bindings, _where
except ImportError:
    raise ImportError("moreau: this is the source of the module; build the library and take the "
                      "module from build/python (docs/python.md)") from None


class Error(Exception):
    """A call that could not run; the text is the library's sentence."""


def _find():
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("MOREAU_LIBRARY")
    path = named or os.path.join(here, _where.LIBRARY)
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"moreau: the library {path} cannot be loaded ({error}); "
                          "MOREAU_LIBRARY may name another") from None


lib = _find()
CONSTANTS = _bindings.CONSTANTS

# ---- types ---------------------------------------------------------------------------------------

_PLAIN = {"void": None, "int": ctypes.c_int, "unsigned": ctypes.c_uint, "double": ctypes.c_double,
          "char": ctypes.c_char, "size_t": ctypes.c_size_t, "long long": ctypes.c_longlong,
          "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
          "const char *": ctypes.c_char_p}


def _whole(kind):
    """The integer type as the type of an argument; ctypes would cut 2**32 + 1 to 1."""
    bits = 8 * ctypes.sizeof(kind)
    least = 0 if kind(-1).value > 0 else -(1 << (bits - 1))

    def from_param(value):
        number = operator.index(value)
        if not least <= number < least + (1 << bits):
            raise OverflowError(f"{number} does not fit an integer of {bits} bits")
        return kind(number)

    return type(kind.__name__, (), {"from_param": staticmethod(from_param)})


class _Real:
    """A double as the type of an argument; ctypes alone would say no more than "wrong type"."""

    @staticmethod
    def from_param(value):
        try:
            return ctypes.c_double(value)
        except TypeError:
            raise TypeError(f"{value!r} is not a number") from None


_WHOLE = {kind: _whole(kind) for kind in _PLAIN.values()
          if kind and issubclass(kind, ctypes._SimpleCData) and kind._type_ in "iIlLqQ"}
_CHECKED = {**_WHOLE, ctypes.c_double: _Real}


class _Struct(ctypes.Structure):
    """A struct whose integers are checked."""

    def __setattr__(self, name, value):
        whole = self._whole.get(name)
        super().__setattr__(name, whole.from_param(value) if whole else value)


class _Structs(dict):
    """The structs by their C names, each made when it is first asked for."""

    def __missing__(self, name):
        fields = []
        for field, kind, lengths in _bindings.STRUCTS[name]:
            made = ctype(kind)
            for length in reversed(lengths):
                made = made * length
            fields.append((field, made))
        whole = {field: _WHOLE[made] for field, made in fields if made in _WHOLE}
        self[name] = type(name, (_Struct,), {"_fields_": fields, "_whole": whole})
        return self[name]


structs = _Structs()


def ctype(text):
    """The ctypes type of a C type; pointers other than text are addresses."""
    if text in _PLAIN:
        return _PLAIN[text]
    if text.endswith("*"):
        return ctypes.c_void_p
    return ctypes.c_int if text in _bindings.ENUMS else structs[text]


# ---- functions -----------------------------------------------------------------------------------


class _Functions:
    """The functions of the library, each given its types when it is first used."""

    def __getattr__(self, name):
        result, arguments = _bindings.FUNCTIONS[name]
        made = getattr(lib, name)
        made.restype = ctype(result)
        types = [ctype(kind) for kind in arguments]
        made.argtypes = [_CHECKED.get(kind, kind) for kind in types]
        setattr(self, name, made)
        return made


C = _Functions()


def text(data):
    """Bytes, or a message, as a string."""
    if data is None:
        return ""
    if not isinstance(data, bytes):
        data = bytes(data).split(b"\0")[0]
    return data.decode("utf-8", "replace")


def frozen(values):
    """An array of its own that cannot be written: element assignment would be lost."""
    made = numpy.array(values)
    made.flags.writeable = False
    return made


def words(name, names, what):
    """The number of a word in a list of them; the error names the list."""
    if name not in names:
        raise Error(f"{what} is {name!r}, which is none of {', '.join(names)}")
    return names.index(name)


def span(limits, what="limits"):
    """(lower, upper) from two numbers."""
    lower, upper = array(limits, (2,), what)
    return lower, upper


class Why:
    """An mo_message to hand over, and the exception that it becomes."""

    def __init__(self):
        self.message = structs["mo_message"]()
        self.pointer = ctypes.addressof(self.message)

    def check(self, code, path=None):
        """path: of the file that was read or written, for the sentence."""
        if code:
            told = text(self.message) or text(C.mo_error_text(code))
            raise Error(told if path is None or str(path) in told else f"{path}: {told}")

    def check_id(self, made):
        if not made.index:
            raise Error(text(self.message))
        return made


# ---- arrays --------------------------------------------------------------------------------------


def view(address, shape, owner, kind=ctypes.c_double):
    """A numpy array on memory of the library, which lives as long as `owner`; None for NULL."""
    count = int(numpy.prod(shape))
    if not address:
        return None
    if count == 0:
        return numpy.zeros(shape)
    memory = (kind * count).from_address(address)
    memory._owner = owner
    return numpy.ctypeslib.as_array(memory).reshape(shape)


def rows(address, count, owner, name):
    """A structured array on `count` structs of the library."""
    kind = numpy.dtype(structs[name])
    if count == 0:
        return numpy.zeros(0, kind)
    memory = (structs[name] * count).from_address(address)
    memory._owner = owner
    return numpy.frombuffer(memory, kind)


def array(values, shape=None, what="the array"):
    """Doubles in one piece, not copied where they are so already; `what` names them in errors."""
    try:
        made = numpy.ascontiguousarray(values, dtype=numpy.float64)
    except (TypeError, ValueError):
        raise Error(f"{what} is {values!r}, which is not an array of numbers") from None
    if shape is not None and made.shape != tuple(shape):
        raise Error(f"{what} has the shape {made.shape}, but {tuple(shape)} is needed")
    return made


def address(values):
    """Where the numbers of an array are; None for None."""
    return None if values is None else values.ctypes.data


def set_options(options, settings):
    """Solver options by their names; two underscores stand for a dot: nsgs__omega=1.2."""
    for name, value in settings.items():
        if name == "method":
            if C.mo_method_find(str(value).encode()) < 0:
                raise Error(f"there is no method {value!r}; moreau.methods() lists them")
            options._method = value.encode()
            options.method = options._method
            continue
        why = Why()
        shown = str(int(value)) if isinstance(value, (bool, numpy.bool_)) else str(value)
        if C.mo_options_set(ctypes.addressof(options), name.replace("__", ".").encode(),
                            shown.encode(), why.pointer):
            told = text(why.message)
            raise Error(told + "; moreau.options() lists them" * told.startswith("unknown"))
    return options
