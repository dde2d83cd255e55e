# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The reference of the Python module, from its docstrings and signatures."""
import ast
import html
import os


def _public(tree):
    """What __all__ names; nothing where there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return {item.value for item in node.value.elts}
    return set()


def _doc(node):
    text = ast.get_docstring(node) or ""
    parts = [html.escape(part, quote=False) for part in text.split("\n\n") if part]
    return "\n".join(f"<pre>{part}</pre>" if "\n" in part and "  " in part else f"<p>{part}</p>"
                     for part in parts)


def _signature(node, name):
    is_property = any(getattr(one, "id", "") == "property" for one in node.decorator_list)
    shown = f"{name}({ast.unparse(node.args)})".replace("(self, ", "(").replace("(self)", "()")
    return name if is_property else shown


def _members(node):
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            is_setter = any(isinstance(d, ast.Attribute) for d in one.decorator_list)
            if not is_setter:
                shown = html.escape(_signature(one, one.name), quote=False)
                yield f"<dt><code>{shown}</code></dt><dd>{_doc(one)}</dd>"


def _entry(node):
    if isinstance(node, ast.FunctionDef):
        shown = html.escape(_signature(node, node.name), quote=False)
        return f'<h3><code id="{node.name}">{shown}</code></h3>\n{_doc(node)}'
    made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    shown = html.escape(_signature(made[0], node.name) if made else node.name, quote=False)
    members = "".join(_members(node))
    return f'<h3><code id="{node.name}">{shown}</code></h3>\n{_doc(node)}\n<dl>{members}</dl>'


def page(folder):
    """The body of the page."""
    def parse(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return ast.parse(file.read())
    package = parse("__init__.py")
    about = html.escape(ast.get_docstring(package), quote=False)
    public, made = _public(package), ["<h1>Python</h1>", f"<pre>{about}</pre>"]
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") and name != "__init__.py":
            tree = parse(name)
            shown = public | _public(tree)  # modules of their own: moreau.law, moreau.gym
            nodes = [node for node in tree.body if getattr(node, "name", None) in shown]
            if nodes:
                title = (ast.get_docstring(tree) or name).split("\n")[0].split(":")[0].rstrip(".")
                anchor = name[:-3].strip("_")
                made.append(f'<h2 id="{anchor}">{html.escape(title, quote=False)}</h2>')
                made += [_entry(node) for node in nodes]
    return "\n".join(made)
