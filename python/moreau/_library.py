# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The shared library: its structs, its functions, its errors.

The structs come from _layout.py, which the compiler's own numbers were written to when the library was built.
"""
import ctypes
import os

import numpy

try:
    from . import _layout, _where
except ImportError:
    raise ImportError("moreau: this is the source of the module; build the library, and take the module from "
                      "build/python (docs/python.md)") from None


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

# ---- structs ------------------------------------------------------------------------------------

_CODES = {"d": ctypes.c_double, "i": ctypes.c_int, "u": ctypes.c_uint, "l": ctypes.c_ulonglong,
          "p": ctypes.c_void_p, "s": ctypes.c_char_p}
structs = {}


def _make(name):
    size, fields = _layout.STRUCTS[name]
    made, at = [], 0
    for field, offset, length, code in sorted(fields, key=lambda f: f[1]):
        if offset > at:
            made.append((f"_gap{at}", ctypes.c_char * (offset - at)))
        kind = _CODES.get(code) or structs.get(code) or _make(code)
        count = length // ctypes.sizeof(kind)
        made.append((field, kind if count == 1 else kind * count))
        at = offset + length
    if size > at:
        made.append((f"_gap{at}", ctypes.c_char * (size - at)))
    structs[name] = type(name, (ctypes.Structure,), {"_fields_": made})
    assert ctypes.sizeof(structs[name]) == size, name
    return structs[name]


for _name in _layout.STRUCTS:
    if _name not in structs and _name != "nothing":
        _make(_name)

# ---- functions ----------------------------------------------------------------------------------


def function(name, result, *arguments):
    """A function of the library with its types; structs are named by their C names."""
    known = {"int": ctypes.c_int, "double": ctypes.c_double, "text": ctypes.c_char_p,
             "pointer": ctypes.c_void_p, "size": ctypes.c_size_t, "long": ctypes.c_longlong,
             None: None}

    def kind(word):
        return known[word] if word in known else structs[word]

    made = getattr(lib, name)
    made.restype = kind(result)
    made.argtypes = [kind(word) for word in arguments]
    return made


_error_text = function("mo_error_text", "text", "int")


def text(data):
    """Bytes, or a message, as a string."""
    if data is None:
        return ""
    if not isinstance(data, bytes):
        data = bytes(data).split(b"\0")[0]
    return data.decode("utf-8", "replace")


class Why:
    """An mo_message to hand over, and the exception it becomes."""

    def __init__(self):
        self.message = structs["mo_message"]()
        self.pointer = ctypes.addressof(self.message)

    def check(self, code):
        if code:
            raise Error(text(self.message) or text(_error_text(code)))

    def check_id(self, made):
        if not made.index:
            raise Error(text(self.message))
        return made


# ---- arrays ------------------------------------------------------------------------------------


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


def array(values, shape=None):
    """Doubles in one piece, not copied where they are so already."""
    made = numpy.ascontiguousarray(values, dtype=numpy.float64)
    if shape is not None and made.shape != tuple(shape):
        raise Error(f"an array has the shape {made.shape}, but {tuple(shape)} is needed")
    return made


def address(values):
    """Where the numbers of an array are; None for None."""
    return None if values is None else values.ctypes.data


_set_option = function("mo_options_set", "int", "pointer", "text", "text", "pointer")


def set_options(options, settings):
    """Options by their names; an underscore stands for a dot or a minus where it must."""
    for name, value in settings.items():
        if name == "method":
            options._method = value.encode()
            options.method = options._method
            continue
        why = Why()
        shown = str(int(value)) if isinstance(value, (bool, numpy.bool_)) else str(value)
        why.check(_set_option(ctypes.addressof(options), name.replace("__", ".").encode(),
                              shown.encode(), why.pointer))
    return options
