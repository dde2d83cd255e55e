#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Files are short: check_sizes.py SOURCE

A header has at most 350 lines, any other source, script or page at most 500, and the comment at the
head of a file at most 15.
"""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
ROOMS = ("bench", "cli", "docs", "examples", "include", "mpi", "papers", "python", "scenes",
         "scripts", "src", "tests", "tools", "viewer")
KINDS = (".c", ".h", ".cu", ".py", ".sh", ".ts", ".cmake", ".md")
BUILT = {"node_modules", "page", "__pycache__"}
HEADER, FILE, HEAD = 350, 500, 15


def head_of(text):
    """Lines of the first comment after the licence."""
    found = re.match(r"(?:/\* SPDX[^\n]*\n|\s*\n)*/\*\n(.*?)\n \*/", text, re.S)
    return found.group(1).count("\n") + 1 if found else 0


def main():
    faults, count = [], 0
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*")):
            if path.suffix not in KINDS or BUILT & set(path.relative_to(SOURCE).parts):
                continue
            text = path.read_text(encoding="utf-8")
            lines, most = text.count("\n"), HEADER if path.suffix == ".h" else FILE
            name, head = path.relative_to(SOURCE), head_of(text)
            count += 1
            if lines > most:
                faults.append(f"{name}: {lines} lines, at most {most}")
            if head > HEAD:
                faults.append(f"{name}: a head of {head} lines, at most {HEAD}")
    print("\n".join(faults) if faults else f"{count} files")
    return 1 if faults or count < 500 else 0


sys.exit(main())
