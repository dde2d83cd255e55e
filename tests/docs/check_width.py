# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""check_width.py ROOT: every line of text in the tree has at most 100 columns.

Code, comments and Markdown alike.  Rows of tables, lines that hold a link or an image and
nothing else, and files that programs write (locks, results, data) may be longer.
"""
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1])
COLUMNS = 100
ENDINGS = (".c", ".h", ".cu", ".md", ".ts", ".mjs", ".css", ".py")
WRITTEN = (".git", "node_modules", "out", "results", "corpus")
LONE_LINK = re.compile(r"^\s*(?:[-*] )?!?\[[^\]]*\]\([^)]*\)[.,;]?$|^\s*\[[^\]]*\]: \S+$")


def pages():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders
                            if name not in WRITTEN and not name.startswith("build"))
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith(ENDINGS):
                yield path


def may_be_longer(path, line):
    if path.endswith(".md") and line.lstrip().startswith("|"):
        return True
    return LONE_LINK.search(line) is not None


def main():
    checked, failures = 0, []
    for path in pages():
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n")
                checked += 1
                if len(line) > COLUMNS and not may_be_longer(path, line):
                    failures.append(f"{os.path.relpath(path, ROOT)}:{number}: {len(line)} columns")
    print("\n".join(failures))
    print(f"{checked} lines, {len(failures)} of them longer than {COLUMNS} columns")
    return 1 if failures or checked < 10000 else 0


sys.exit(main())
