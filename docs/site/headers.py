# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The reference: public headers to HTML.

A header is a comment on the whole, then groups of declarations.  A group is what has no blank line
inside; the comment above it explains it.  Names of functions, types and constants that have an
entry become links.
"""
import html
import re

# Comment, preprocessor line with its continuations, blank line, or other text up to the end of the
# line.
_TOKEN = re.compile(r"(?P<comment>/\*.*?\*/)|(?P<blank>\n[ \t]*(?=\n))"
                    r"|(?P<macro>^#(?:[^\n]*\\\n)*[^\n]*)|(?P<code>[^\n/#]+|/|#|\n)",
                    re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"\b(?:mo|MO)_\w+\b")


def _clean(source):
    """Without guards, includes and the lines for C++."""
    source = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", source, flags=re.DOTALL)
    source = re.sub(r"#if defined\(__GNUC__\)\n.*?#endif\n", "", source, flags=re.DOTALL)
    source = re.sub(r"^#(ifndef|define) MOREAU_\w+_H\n|^#endif\n?|^#include [^\n]*\n", "", source,
                    flags=re.MULTILINE)
    return re.sub(r"^/\* SPDX[^\n]*\n", "", source, flags=re.MULTILINE)


def comment_text(comment):
    """The lines of a comment without its stars."""
    inner = comment[2:-2]
    lines = [re.sub(r"^\s*\* ?", "", line) if k else line.strip()
             for k, line in enumerate(inner.split("\n"))]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


class Group:
    def __init__(self, comment, code):
        self.comment = comment
        self.code = code.strip("\n")
        self.names = declared(code)


def declared(code):
    """Names of the functions, types and macros that a piece of code declares."""
    bare = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    names = re.findall(r"^#define (MO_\w+)", bare, flags=re.MULTILINE)
    bare = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", "", bare, flags=re.MULTILINE)
    depth, flat = 0, ""  # without what is in braces
    for letter in bare:
        depth += letter == "{"
        flat += letter if depth == 0 else ""
        depth -= letter == "}"
    for statement in flat.split(";"):
        words = " ".join(statement.split())
        function = re.match(r"(?:MO_API|typedef) .*?\b(mo_\w+)\(", words)
        kind = re.match(r"typedef .*\b(mo_\w+)$", words)
        if function or kind:
            names.append((function or kind).group(1))
    return list(dict.fromkeys(names))


def read(source):
    """(comment on the whole, [(heading, [Group])])."""
    about, sections = "", [("", [])]
    comment, code, depth = "", "", 0

    def finish():
        nonlocal comment, code
        if code.strip():
            sections[-1][1].append(Group(comment, code))
            comment = ""
        code = ""

    for token in _TOKEN.finditer(_clean(source)):
        text = token.group(0)
        starts_line = not code or code.endswith("\n")
        if token.lastgroup == "comment" and depth == 0 and starts_line:
            finish()
            inner = comment_text(text)
            heading = re.match(r"-{3,} (.*?) -*$", inner)
            if heading:
                sections.append((heading.group(1), []))
            elif not about and not sections[0][1] and len(sections) == 1:
                about = inner
            else:
                comment = inner
        elif token.lastgroup == "blank" and depth == 0:
            finish()
        else:
            code += text
            if token.lastgroup == "code":
                depth += text.count("{") - text.count("}")
    finish()
    return about, [s for s in sections if s[1]]


def prose(text, link):
    """Paragraphs; indented lines stay as they are."""
    made, lines = [], text.split("\n")
    while lines:
        is_code = lines[0].startswith("  ")
        taken = []
        while lines and (is_code or lines[0]) and (
                lines[0].startswith("  ") == is_code or (is_code and not lines[0])):
            taken.append(lines.pop(0))
        while lines and not lines[0]:
            lines.pop(0)
        shown = link(html.escape("\n".join(taken).rstrip(), quote=False))
        if taken:
            made.append(f"<pre>{shown}</pre>" if is_code else f"<p>{shown}</p>")
    return "\n".join(made)


def linker(places, here):
    """Turns known names in escaped text into links."""
    def one(match):
        name = match.group(0)
        page = places.get(name)
        if not page:
            return name
        return f'<a href="{"" if page == here else page}#{name}">{name}</a>'
    return lambda text: _NAME.sub(one, text)


def page(name, about, sections, places):
    """The body of the page of one header."""
    here = f"{name}.html"
    link = linker(places, here)
    made = [f"<h1>{name}.h</h1>", prose(about, link)]
    for heading, groups in sections:
        if heading:
            anchor = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
            made.append(f'<h2 id="{anchor}">{html.escape(heading)}</h2>')
        for group in groups:
            titles = " ".join(f'<code id="{n}">{n}</code>'
                              for n in group.names if places.get(n) == here)
            made.append(f"<h3>{titles}</h3>" if titles else "")
            if group.comment:
                made.append(prose(group.comment, link))
            code = re.sub(r"^MO_API ", "", group.code, flags=re.MULTILINE)
            made.append(f'<pre class="c">{link(html.escape(code, quote=False))}</pre>')
    return "\n".join(made)
