# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Recordings of a world, frame by frame: files, replay pages, images."""
import base64
import ctypes
import os
import tempfile
import webbrowser

import numpy

from . import _where
from ._library import C, Error, Why, rows, structs, text, view


def _pictures():
    """The library that draws; it is built where the program and libpng are."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = getattr(_where, "PICTURES", "")
    if not path:
        raise Error("this build of moreau draws nothing: it was built without libpng or without "
                    "the program (docs/python.md)")
    made = ctypes.CDLL(os.path.join(here, path))
    made.moreau_render.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                                   ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_int,
                                   ctypes.c_void_p]
    made.moreau_replay.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    return made


class Recording:
    """What a world looked like: Recording(world), then add() after steps; or Recording.read(path).

    len() is the number of frames.  In a notebook it is shown as a replay.
    """

    __slots__ = ("_struct", "_world")

    def __init__(self, world=None, title=None):
        self._struct, self._world, why = structs["mo_recording"](), world, Why()
        if world is not None:
            why.check(C.mo_recording_begin(self._at, world._w, None, why.pointer))
            self.add()
        if title:
            why.check(C.mo_recording_set_title(self._at, title.encode(), why.pointer))

    def __del__(self):
        if hasattr(self, "_struct"):
            C.mo_recording_clear(self._at)

    @property
    def _at(self):
        return ctypes.addressof(self._struct)

    @classmethod
    def read(cls, path):
        """From a file that write(), or moreau run --record, wrote."""
        made, why = cls(), Why()
        why.check(C.mo_recording_read(str(path).encode(), None, made._at, why.pointer), path)
        return made

    def add(self, report=None):
        """A frame: the world as it is, with the report of the step that ended here."""
        why = Why()
        if self._world is None:
            raise Error("a recording that was read from a file takes no further frames")
        at = ctypes.addressof(report._struct) if report is not None else None
        h = self._world.h if report is not None else 0.0
        why.check(C.mo_recording_add(self._at, self._world._w, h, at, why.pointer))

    def __len__(self):
        return self._struct.frame_count

    def _safe(self, array):
        """A copy while frames are added, which may move the memory; a view of what was read."""
        return array if array is None or self._world is None else array.copy()

    @property
    def title(self):
        return text(ctypes.string_at(self._struct.title)) if self._struct.title else ""

    @property
    def frames(self):
        """One row a frame: time (s), step, kinetic_energy, potential_energy (J), residual, ..."""
        return self._safe(rows(self._struct.frames, len(self), self, "mo_recorded_frame"))

    @property
    def contacts(self):
        """Contacts of all frames; those of frame k from frames["first_contact"][k] on."""
        count = self._struct.contact_count
        return self._safe(rows(self._struct.contacts, count, self, "mo_recorded_contact"))

    @property
    def poses(self):
        """frames x bodies x 7: position in m, quaternion (w, x, y, z)."""
        shape = (len(self), self._struct.body_count, 7)
        return self._safe(view(self._struct.poses, shape, self))

    @property
    def velocities(self):
        """frames x bodies x 6: velocity of the centre of mass, spin."""
        shape = (len(self), self._struct.body_count, 6)
        return self._safe(view(self._struct.velocities, shape, self))

    def write(self, path):
        """As an HDF5 file: moreau view and moreau render show it."""
        why = Why()
        why.check(C.mo_recording_write(str(path).encode(), self._at, why.pointer))

    def write_replay(self, path):
        """As one HTML file that plays in any browser."""
        if len(self) == 0:
            raise Error("the recording has no frame")
        name = (self.title or "replay").encode()
        if not _pictures().moreau_replay(self._at, name, str(path).encode()):
            raise Error(f"the replay {path} could not be written")

    def show(self):
        """Plays it in the browser; the page is kept in the folder for temporary files."""
        path = os.path.join(tempfile.mkdtemp(prefix="moreau-"), "replay.html")
        self.write_replay(path)
        webbrowser.open(f"file://{path}")
        return path

    def render(self, frame=-1, size=(640, 360), azimuth=-52.0, elevation=20.0, zoom=1.0,
               forces=False):
        """An image of a frame, height x width x 3 bytes; the eye's angles in degrees."""
        width, height = size
        number = frame + len(self) if frame < 0 else frame
        if not 0 <= number < len(self):
            raise IndexError(f"there is no frame {frame} of {len(self)}")
        if not (16 <= width <= 8192 and 16 <= height <= 8192):
            raise Error("an image has 16 to 8192 pixels each way")
        image = numpy.empty((height, width, 3), numpy.uint8)
        turn = numpy.pi / 180
        if not _pictures().moreau_render(self._at, number, width, height, azimuth * turn,
                                         elevation * turn, zoom, int(forces), image.ctypes.data):
            raise Error("memory ran out")
        return image

    def _repr_html_(self):
        """A replay, for notebooks."""
        handle, path = tempfile.mkstemp(suffix=".html")
        os.close(handle)
        try:
            self.write_replay(path)
            with open(path, "rb") as file:
                page = base64.b64encode(file.read()).decode()
        finally:
            if os.path.exists(path):
                os.remove(path)
        return (f'<iframe src="data:text/html;base64,{page}" width="100%" height="420" '
                'style="border:0"></iframe>')

    def __repr__(self):
        return f"<Recording: {len(self)} frames of {self._struct.body_count} bodies>"


def record(world, h, steps, every=1, title=None):
    """Takes steps of a world or robot and records them: every `every`-th, the first, the last."""
    world = getattr(world, "world", world)
    made = Recording(world, title)
    for k in range(1, steps + 1):
        report = world.step(h)
        if k % every == 0 or k == steps:
            made.add(report)
    return made
