#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Names use the words of the field: check_names.py SOURCE

Every word of a name in the public headers is in docs/glossary.md or in vocabulary.txt, which has
plain words that need no explanation.  A new term goes to the glossary; a new plain word to the
list, in the order of the alphabet.  Words that the field does not have are in no name at all.
A public function from a value to a text ends in _name (one word) or _text (a sentence).
"""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
HERE = SOURCE / "tests/docs"
STRANGE = {"borne", "calm", "dress", "fleet", "gait", "sinks", "sociable", "story", "wish"}
ROOMS = ("include", "src", "cli", "tools", "viewer/server", "viewer/frames", "viewer/render", "mpi")


def names_of(path):
    """Identifiers of a C file, without comments, texts and included files."""
    text = path.read_text(encoding="utf-8")
    noise = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|#\s*include[^\n]*'
    text = re.sub(noise, " ", text, flags=re.S)
    return set(re.findall(r"[A-Za-z_]\w*", text))


def words_of(name):
    return [word for word in re.split(r"[_0-9]+", name.lower()) if word]


def main():
    listed = (HERE / "vocabulary.txt").read_text(encoding="utf-8").split()
    glossary = (SOURCE / "docs/glossary.md").read_text(encoding="utf-8").lower()
    known = set(listed) | set(re.findall(r"[a-z]+", glossary))
    faults = [] if listed == sorted(set(listed)) else ["vocabulary.txt is not sorted"]
    used = set()
    for path in sorted((SOURCE / "include/moreau").glob("*.h")):
        texts = re.findall(r"^MO_API const char \*(mo_\w+)\(mo_\w+ \w+\);",
                           path.read_text(encoding="utf-8"), re.M)
        faults += [f"{path.name}: {name} does not end in _name or _text"
                   for name in texts if not name.endswith(("_name", "_text"))]
        for name in sorted(names_of(path)):
            words = words_of(name)
            used.update(words)
            faults += [f"{path.name}: {name}: '{word}' is neither in the glossary nor in the list"
                       for word in words if len(word) > 2 and word not in known]
    faults += [f"vocabulary.txt: no name has '{word}'" for word in listed if word not in used]
    count = 0
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.[ch]")):
            names = names_of(path)
            count += len(names)
            faults += [f"{path.relative_to(SOURCE)}: {name}: not a word of the field"
                       for name in sorted(names) if STRANGE & set(words_of(name))]
    print("\n".join(faults) if faults else f"{count} names, {len(used)} words in public ones")
    return 1 if faults else 0


sys.exit(main())
