# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""build.py ROOT OUT: the documentation as a static site in the folder OUT, which opens from disk.

Pages are the Markdown files of the tree, converted by pandoc (formulas become MathML), and a
reference made from the public headers.  Links between files of the tree become links between pages;
files that are linked and are no page are shown as text.  docs/index.md gives the navigation.  Every
link of the result is checked: the exit status is 1 where one is broken.
"""
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import headers
import module

# A font with the metrics of formulas (Debian: fonts-stix); without it the browser takes one of its
# own.
MATH_FONT = "/usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf"
IMAGES = (".png", ".svg", ".webp", ".jpg", ".gif")


# ---- what there is -----------------------------------------------------------------------------


def markdown_files(root):
    """Every page: its path in the tree to its path in the site."""
    pages = {name: name[:-len(".md")].lower() + ".html" for name in sorted(os.listdir(root))
             if name.endswith(".md")}
    for folder in ("docs", "docs/methods"):
        for name in sorted(os.listdir(os.path.join(root, folder))):
            if name.endswith(".md"):
                path = posixpath.join(folder, name)
                pages[path] = path[len("docs/"):-len(".md")].replace("README", "index") + ".html"
    for name in sorted(os.listdir(os.path.join(root, "papers"))):
        if os.path.isfile(os.path.join(root, "papers", name, "README.md")):
            pages[f"papers/{name}/README.md"] = f"papers/{name}.html"
    return pages


def public_headers(root):
    folder = os.path.join(root, "include", "moreau")
    return sorted(name[:-2] for name in os.listdir(folder) if name.endswith(".h"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- links -------------------------------------------------------------------------------------


class Site:
    def __init__(self, root, out):
        self.root, self.out = root, out
        self.pages = markdown_files(root)
        self.places = dict(self.pages)
        for name in public_headers(root):
            self.places[f"include/moreau/{name}.h"] = f"reference/{name}.html"
        self.places["include/moreau"] = "reference/index.html"
        self.places["papers"] = "index.html#teach"
        self.places["docs/methods"] = "methods/index.html"
        self.sources = {}  # files of the tree that are shown as text
        self.index = []  # of the search: [address, title, text]

    def target(self, path):
        """Where a file of the tree is in the site; None for a folder without a page."""
        full = os.path.join(self.root, path)
        if path in self.places:
            return self.places[path]
        if path.endswith(IMAGES):
            place = posixpath.join("files", path)
            os.makedirs(os.path.dirname(os.path.join(self.out, place)), exist_ok=True)
            shutil.copyfile(full, os.path.join(self.out, place))
            self.places[path] = place
            return place
        if os.path.isfile(full):
            self.sources[path] = self.places[path] = posixpath.join("files", path + ".html")
            return self.places[path]
        if os.path.isdir(full):
            return None
        raise SystemExit(f"{path} is linked and does not exist")

    def relink(self, body, source, place):
        """Turns addresses relative to a file of the tree into addresses relative to its page."""
        def one(match):
            kind, address = match.group(1), html.unescape(match.group(2))
            path, _, fragment = address.partition("#")
            if ":" in address or not path:
                return match.group(0)
            joined = posixpath.join(posixpath.dirname(source), path)
            target = self.target(posixpath.normpath(joined))
            if target is None:
                return 'class="folder"'
            address = posixpath.relpath(target.partition("#")[0], posixpath.dirname(place) or ".")
            fragment = fragment or target.partition("#")[2]
            return f'{kind}="{html.escape(address + ("#" + fragment if fragment else ""))}"'
        return re.sub(r'\b(href|src)="([^"]*)"', one, body)

    # ---- pages ----------------------------------------------------------------------------------

    def put(self, place, title, body):
        """A page, and its sections in the search."""
        up = "../" * place.count("/")
        body = contents(body).replace("<table", '<div class="wide"><table')
        body = body.replace("</table>", "</table></div>")
        body = body.replace('<math display="block"', '<span class="formula"><math display="block"')
        body = re.sub(r'(<math display="block".*?</math>)', r"\1</span>", body, flags=re.DOTALL)
        shown = self.template.replace("{{title}}", html.escape(title)).replace("{{up}}", up)
        shown = shown.replace("{{nav}}", self.nav(place)).replace("{{body}}", body)
        path = os.path.join(self.out, place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(shown)
        pieces = re.split(r'<(?:h[1-3]|code) id="([^"]*)">', body)
        names = [""] + pieces[1::2]
        for anchor, text in zip(names, pieces[::2]):
            words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
            if words:
                self.index.append([place + ("#" + anchor if anchor else ""), title, words])

    def nav(self, place):
        made = []
        for heading, links in self.navigation:
            made.append(f"<h2>{html.escape(heading)}</h2>\n<ul>")
            for text, target in links:
                page, hash_sign, anchor = target.partition("#")
                address = posixpath.relpath(page, posixpath.dirname(place) or ".")
                here = ' aria-current="page"' if target == place else ""
                made.append(f'<li><a href="{address}{hash_sign}{anchor}"{here}>'
                            f"{html.escape(text)}</a></li>")
            made.append("</ul>")
        return "\n".join(made)

    def read_navigation(self):
        """The headings of docs/index.md with the pages below each; a page is listed once."""
        self.navigation, listed = [], set()
        index = read(os.path.join(self.root, "docs/index.md"))
        for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
            heading, links = part.split("\n", 1)[0], []
            for text, address in re.findall(r"\[([^\]]*)\]\(([^)#]*)\)", part):
                target = self.target(posixpath.normpath(posixpath.join("docs", address)))
                is_page = target and target.endswith(".html") and "reference" not in target
                if is_page and target not in listed:
                    listed.add(target)
                    text = " ".join(text.split())
                    links.append((text[:1].upper() + text[1:], target))
            self.navigation.append((heading, links))
        self.navigation.append(("Reference", [
            ("All functions", "reference/index.html"),
            ("Python module", "reference/python.html")] + [
                (f"{name}.h", f"reference/{name}.html") for name in public_headers(self.root)]))

    def build(self):
        here = os.path.dirname(os.path.abspath(__file__))
        self.template = read(os.path.join(here, "template.html"))
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        for name in ("style.css", "search.js"):
            shutil.copyfile(os.path.join(here, name), os.path.join(self.out, name))
        if os.path.isfile(MATH_FONT):
            shutil.copyfile(MATH_FONT, os.path.join(self.out, "math.otf"))
            with open(os.path.join(self.out, "style.css"), "a", encoding="utf-8") as file:
                file.write('@font-face { font-family: "Formulas"; src: url("math.otf"); }\n')
        self.read_navigation()
        self.read_headers()
        for source, place in self.pages.items():
            body = pandoc(read(os.path.join(self.root, source)))
            title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.DOTALL)
            title = re.sub(r"<[^>]*>", "", title.group(1)) if title else source
            body = self.link_names(self.relink(body, source, place), place)
            self.put(place, html.unescape(title), body)
        self.build_reference()
        for source, place in list(self.sources.items()):
            text = html.escape(read(os.path.join(self.root, source)), quote=False)
            self.put(place, source, f"<h1>{source}</h1>\n<pre>{text}</pre>")
        with open(os.path.join(self.out, "index.js"), "w", encoding="utf-8") as file:
            file.write("const INDEX = " + json.dumps(self.index, ensure_ascii=False) + ";\n")

    # ---- the reference --------------------------------------------------------------------------

    def read_headers(self):
        """The headers by name, and the page of every name that they declare."""
        self.headers, self.declared = {}, {}
        for name in public_headers(self.root):
            source = read(os.path.join(self.root, f"include/moreau/{name}.h"))
            self.headers[name] = headers.read(source)
            for _, groups in self.headers[name][1]:
                for declared in [one for group in groups for one in group.names]:
                    self.declared.setdefault(declared, f"{name}.html")

    def link_names(self, body, place):
        """Functions and types between backquotes become links to the reference."""
        def one(match):
            page = self.declared.get(match.group(1))
            address = posixpath.relpath("reference", posixpath.dirname(place) or ".")
            shown = match.group(0)
            return f'<a href="{address}/{page}#{match.group(1)}">{shown}</a>' if page else shown
        return re.sub(r"<code>(mo_\w+)</code>(?!</a>)", one, body)

    def build_reference(self):
        made = ["<h1>Reference</h1>",
                "<p>Every public header, made from its comments. <code>#include "
                "&lt;moreau/moreau.h&gt;</code> includes them all.</p>", "<table><tbody>"]
        for name, (about, sections) in self.headers.items():
            page = headers.page(name, about, sections, self.declared)
            self.put(f"reference/{name}.html", f"{name}.h", page)
            first = html.escape(re.split(r"(?<=[.:])\s|\n\n", about)[0].rstrip(":"))
            made.append(f'<tr><td><a href="{name}.html"><code>{name}.h</code></a></td>'
                        f'<td>{first}</td></tr>')
        made.append('</tbody></table>\n<h2 id="names">All names</h2>\n<ul class="names">')
        made += [f'<li><a href="{place}#{name}"><code>{name}</code></a></li>'
                 for name, place in sorted(self.declared.items())]
        self.put("reference/index.html", "Reference", "\n".join(made) + "</ul>")
        package = os.path.join(self.root, "python", "moreau")
        self.put("reference/python.html", "Python", module.page(package))
        self.check_reference()

    def check_reference(self):
        """Every function with MO_API has its place in the reference."""
        for name in self.headers:
            source = read(os.path.join(self.root, f"include/moreau/{name}.h"))
            source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
            for function in re.findall(r"^MO_API[^;]*?\b(mo_\w+)\(", source, flags=re.MULTILINE):
                if self.declared.get(function) != f"{name}.html":
                    raise SystemExit(f"{name}.h: {function} is not in the reference")


def contents(body):
    """With a list of the sections of a long page after its title."""
    sections = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', body, re.DOTALL)
    if len(sections) < 4:
        return body
    items = "".join(f'<li><a href="#{anchor}">{re.sub("<[^>]*>", "", text)}</a></li>'
                    for anchor, text in sections)
    return body.replace("</h1>", f'</h1>\n<ul class="toc">{items}</ul>', 1)


def pandoc(text):
    made = subprocess.run(["pandoc", "-f", "gfm+tex_math_dollars", "-t", "html5", "--mathml",
                           "--wrap=preserve"],
                          input=text, capture_output=True, text=True, check=False)
    if made.returncode or "Could not convert" in made.stderr:
        raise SystemExit(f"pandoc failed: {made.stderr}")
    return made.stdout


# ---- checking ----------------------------------------------------------------------------------


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src"):
                self.links.append(value)


def check(out):
    """(pages, links, sentences on broken ones)."""
    found = {}
    for folder, _, names in os.walk(out):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                found[os.path.normpath(path)] = parser = Links()
                parser.feed(read(path))
    count, broken = 0, []
    searched = json.loads(read(os.path.join(out, "index.js"))[len("const INDEX = "):-len(";\n")])
    first = os.path.normpath(os.path.join(out, "index.html"))
    found[first].links += [section[0] for section in searched]
    for path, parser in found.items():
        for link in parser.links:
            if re.match(r"(https?|mailto):", link):
                continue
            count += 1
            address, _, fragment = link.partition("#")
            joined = os.path.join(os.path.dirname(path), address)
            target = os.path.normpath(joined) if address else path
            if not os.path.isfile(target):
                broken.append(f"{path}: {link} leads nowhere")
            elif fragment and (target not in found or fragment not in found[target].ids):
                broken.append(f"{path}: {link} has no such place")
    return len(found), count, broken


def main():
    if len(sys.argv) != 3:
        raise SystemExit("usage: build.py ROOT OUT")
    if not shutil.which("pandoc"):
        print("skipped: pandoc was not found (Debian: pandoc), so the site was not built")
        sys.exit(77)
    root, out = sys.argv[1:]
    Site(root, out).build()
    pages, links, broken = check(out)
    print("\n".join(broken))
    print(f"{pages} pages, {links} links, {len(broken)} broken: {os.path.abspath(out)}/index.html")
    sys.exit(1 if broken else 0)


main()
