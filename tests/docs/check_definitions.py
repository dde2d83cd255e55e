#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Definitions and options can grow: check_definitions.py SOURCE

A public struct that a caller fills in (*_def, *_options, *_filter) is returned by a function of the
header that declares it, so that a new field has its default in every caller.  Programs and pages of
this project use that function: none of them lists the fields of such a struct in braces.
"""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
CALLERS = ("bench", "cli", "docs", "examples", "mpi", "papers", "scenes", "tools", "viewer")


def main():
    faults, structs = [], []
    for path in sorted((SOURCE / "include/moreau").glob("*.h")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^\} (mo_\w+_(?:def|options|filter)|mo_options);", text, re.M):
            structs.append(name)
            if not re.search(rf"^MO_API {name} mo_\w+\(", text, re.M):
                faults.append(f"{path.name}: no function returns a {name}")
    by_hand = re.compile(r"\((" + "|".join(structs) + r")\)\{|\b(" + "|".join(structs) +
                         r")\s+\w+\s*=\s*\{")
    files = [SOURCE / "README.md"]
    for room in CALLERS:
        files += [p for p in (SOURCE / room).rglob("*") if p.suffix in (".c", ".h", ".md")]
    for path in sorted(files):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if by_hand.search(line):
                faults.append(f"{path.relative_to(SOURCE)}:{number}: made by hand: {line.strip()}")
    print("\n".join(faults) if faults else f"{len(structs)} structs, {len(files)} files")
    return 1 if faults or len(structs) < 12 else 0


sys.exit(main())
