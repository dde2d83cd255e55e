# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""check_sources.py ROOT BUILD: what the Markdown pages say is there.

- Every link between files of the tree leads to a file, and to a heading where it names one.
- Every command in a code block exists: scripts, built programs, CMake targets, presets and options,
  tests by name, Python files, packages.  Commands of the program itself are run by
  tests/cli/docs.sh.
- Every row of a table has as many cells as its head.
- docs/index.md leads to every page, and no image is larger than 3 MB.
"""
import glob
import os
import re
import subprocess
import sys

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
failures = []
checks = 0


def that(page, what, holds):
    global checks
    checks += 1
    if not holds:
        failures.append(f"{os.path.relpath(page, ROOT)}: {what}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


PAGES = sorted(path for pattern in ("*.md", "docs/*.md", "docs/methods/*.md", "papers/*/*.md")
               for path in glob.glob(os.path.join(ROOT, pattern)))

# ---- links --------------------------------------------------------------------------------------


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "``", text)


def anchors(path):
    """The places that headings make, as GitHub names them."""
    made, seen = set(), {}
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#+ +(.*)$", text, flags=re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        number = seen.get(name, 0)
        seen[name] = number + 1
        made.add(f"{name}-{number}" if number else name)
    return made


def check_links(page):
    linked = set()
    for address in re.findall(r"\]\(([^)\s]+)\)", without_code(read(page))):
        if re.match(r"[a-z]+:", address):
            continue
        path, _, fragment = address.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        that(page, f"the link {address} leads nowhere", os.path.exists(target))
        if fragment and target.endswith(".md") and os.path.exists(target):
            that(page, f"the link {address} names no heading", fragment in anchors(target))
        linked.add(target)
    return linked


def check_tables(page):
    """Every row has as many cells as the head of its table; a bar inside a cell is written \\|."""
    head = 0
    for line in re.sub(r"^```.*?^```", "", read(page), flags=re.DOTALL | re.MULTILINE).split("\n"):
        if line.startswith("|"):
            cells = len(re.split(r"(?<!\\)\|", line.strip())) - 2
            head = head or cells
            that(page, f"a row has {cells} cells in place of {head}: {line[:60]}", cells == head)
        else:
            head = 0


def check_reachable():
    """From docs/index.md, by links between pages."""
    index = os.path.join(ROOT, "docs", "index.md")
    reached, ahead = set(), [index]
    while ahead:
        page = ahead.pop()
        if page in reached or not page.endswith(".md") or not os.path.exists(page):
            continue
        reached.add(page)
        ahead += check_links(page)
    for page in PAGES:
        that(page, "no path from docs/index.md leads here", page in reached)


# ---- commands ----------------------------------------------------------------------------------


def lines_of_code(text):
    """Lines of indented blocks, and of fenced ones in the language of the shell."""
    fenced = re.findall(r"^```(?:sh|bash)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    indented = re.findall(r"^(?: {4}|\t)(.*)$", rest, flags=re.MULTILINE)
    return [line for block in fenced for line in block.splitlines()] + indented


def run(*command):
    made = subprocess.run(command, capture_output=True, text=True, cwd=BUILD, check=False)
    return made.stdout


def targets():
    listed = run("cmake", "--build", ".", "--target", "help")
    return set(re.findall(r"^(?:\.\.\. )?([\w.+/-]+)", listed, re.MULTILINE))


LISTS = glob.glob(os.path.join(ROOT, "**", "CMakeLists.txt"), recursive=True)
CMAKE = "".join(read(path) for path in LISTS
                if "build" not in os.path.relpath(path, ROOT).split(os.sep)[0])
PRESETS = read(os.path.join(ROOT, "CMakePresets.json"))
# Packages that scripts install or packaging depends on; build-essential is what every package is
# built with, dh-python provides dh-sequence-python3.
PACKAGES = "".join(read(os.path.join(ROOT, path))
                   for path in ("scripts/common.sh", "test", "debian/control"))
PACKAGES += "build-essential" + (" dh-python" if "dh-sequence-python3" in PACKAGES else "")


def check_cmake(page, words):
    for flag, value in zip(words, words[1:] + [""]):
        if flag == "--target":
            that(page, f"cmake has no target {value}", value in targets())
        elif flag == "--preset":
            that(page, f"there is no preset {value}", f'"{value}"' in PRESETS)
        elif flag == "-D" or re.match(r"-D\w", flag):
            name = re.match(r"\w*", flag[2:] or value).group(0)
            that(page, f"no CMakeLists.txt knows {name}",
                 name.startswith("CMAKE_") or name in CMAKE)


def check_ctest(page, words):
    if "-R" in words:
        pattern = words[words.index("-R") + 1].strip("'\"")
        that(page, f"no test is called {pattern}",
             "Total Tests: 0" not in run("ctest", "-N", "-R", pattern))


def check_command(page, line):
    words = re.sub(r" +#.*|  .*", "", line).split()
    while words and (words[0] in ("$", "sudo") or re.match(r"\w+=", words[0])):
        words.pop(0)
    if not words:
        return
    first = words[0]
    if first.startswith("./"):
        that(page, f"{first} is no program", os.access(os.path.join(ROOT, first), os.X_OK))
    elif first.startswith("build/"):
        that(page, f"{first} is not built",
             os.access(os.path.join(BUILD, first[len("build/"):]), os.X_OK))
    elif first == "cmake":
        check_cmake(page, words)
    elif first == "ctest":
        check_ctest(page, words)
    elif first == "python3":
        that(page, f"{words[1]} does not exist",
             words[1].startswith("-") or os.path.exists(os.path.join(ROOT, words[1])))
    elif first in ("apt", "apt-get"):
        for package in [word for word in words[2:] if not word.startswith("-")]:
            that(page, f"nothing here knows the package {package}", package in PACKAGES)
    elif first == "pkg-config":
        that(page, f"pkg-config knows no {words[-1]}",
             os.path.exists(os.path.join(ROOT, "cmake", f"{words[-1]}.pc.in")))


def check_commands(page):
    for line in lines_of_code(read(page)):
        for command in line.split(" && "):
            check_command(page, command)


for path in PAGES:
    check_links(path)
    check_tables(path)
    check_commands(path)
check_reachable()
for image in glob.glob(os.path.join(ROOT, "docs", "images", "*")):
    that(image, "the image is larger than 3 MB", os.path.getsize(image) < 3e6)
if checks < 300:
    failures.append(f"only {checks} checks were made")
print("\n".join(failures + [f"{len(PAGES)} pages, {checks} checks, {len(failures)} failed"]))
sys.exit(1 if failures else 0)
