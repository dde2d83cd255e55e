# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""check_includes.py ROOT: includes point one way.

A room may include itself and the rooms that REST names for it.  The library rests on its public
headers; the rooms around it on these, never on the library's own headers.
"""
import glob
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1])
REST = {
    "include": (),
    "src": ("include",),
    "scenes": ("include",),
    "tools": ("include",),
    "papers": ("include", "scenes", "tools"),
    "bench": ("include", "scenes", "tools"),
    "viewer": ("include", "scenes", "tools"),
    "mpi": ("include", "src", "scenes", "tools"),
    "cli": ("include", "scenes", "tools", "papers", "bench", "viewer"),
}


def files_of(room, endings):
    for path in glob.glob(os.path.join(ROOT, room, "**", "*"), recursive=True):
        if path.endswith(endings) and "node_modules" not in path:
            yield path


def room_of(name, path, headers):
    """The room whose header an #include "name" in this file reaches."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    if os.path.isfile(beside):
        return os.path.relpath(beside, ROOT).split(os.sep)[0]
    own = os.path.relpath(path, ROOT).split(os.sep)[0]
    rooms = headers.get(os.path.basename(name), set())
    return own if own in rooms or not rooms else sorted(rooms, key=list(REST).index)[0]


def main():
    headers = {}
    for room in REST:
        for path in files_of(room, (".h",)):
            headers.setdefault(os.path.basename(path), set()).add(room)
    checked, failures = 0, []
    for room, rest in REST.items():
        for path in files_of(room, (".c", ".h", ".cpp", ".cu")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for name in re.findall(r'^#include "([^"]+)"', text, flags=re.MULTILINE):
                checked += 1
                reached = room_of(name, path, headers)
                if reached != room and reached not in rest:
                    failures.append(f"{os.path.relpath(path, ROOT)} includes {name} of {reached}")
    print("\n".join(failures))
    print(f"{checked} includes, {len(failures)} of them into a room that the file may not rest on")
    return 1 if failures or checked < 1000 else 0


sys.exit(main())
