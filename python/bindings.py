# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""bindings.py IN OUT: the public headers as Python data.

Reads the output of the C preprocessor (cc -E moreau/moreau.h) and keeps what comes from the headers
of the library.  Writes the values of the enumerators, the fields of the structs and the types of
the functions, as the headers have them, so that module and library cannot differ.

Limits: reads the C that the headers use: typedefs of structs, enums and functions, anonymous enums,
structs inside structs, arrays, pointers, function pointers.  Anything else is an error.
"""
import pprint
import re
import sys

EXPORT = '__attribute__((visibility("default")))'
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d[\w.]*|\.\.\.|<<|[^\s\w]')


def own_lines(text):
    """What comes from the headers of the library, without the line markers."""
    is_own, kept = False, []
    for line in text.split("\n"):
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            is_own = "/moreau/" in marker.group(1)
        elif is_own and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def statements(tokens):
    """Lists of tokens, each up to a semicolon outside braces and parentheses."""
    made, depth = [], 0
    for token in tokens:
        depth += token in "({[" and len(token) == 1
        depth -= token in ")}]" and len(token) == 1
        if token == ";" and depth == 0:
            yield made
            made = []
        else:
            made.append(token)
    if made:
        raise SystemExit(f"bindings.py: text without an end: {' '.join(made[:20])}")


def closing(tokens, at):
    """Where the bracket that opens at `at` is closed."""
    depth = 0
    for k in range(at, len(tokens)):
        depth += tokens[k] in ("(", "{", "[")
        depth -= tokens[k] in (")", "}", "]")
        if depth == 0:
            return k
    raise SystemExit(f"bindings.py: a bracket is not closed: {tokens[:20]}")


def split_commas(tokens):
    made, depth = [[]], 0
    for token in tokens:
        depth += token in ("(", "{", "[")
        depth -= token in (")", "}", "]")
        if token == "," and depth == 0:
            made.append([])
        else:
            made[-1].append(token)
    return [part for part in made if part]


class Reader:
    def __init__(self):
        self.enums, self.constants, self.structs, self.functions = {}, {}, {}, {}
        self.callbacks = []

    def number(self, tokens):
        text = " ".join(str(self.constants.get(token, token)) for token in tokens)
        text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text)
        if not re.fullmatch(r"[\d\s()<|+*/-]+", text):
            raise SystemExit(f"bindings.py: not a constant: {text}")
        return eval(text)  # digits and operators alone

    def enum(self, name, tokens):
        value, names = -1, []
        for part in split_commas(tokens):
            value = self.number(part[2:]) if len(part) > 1 else value + 1
            self.constants[part[0]] = value
            names.append(part[0])
        if name:
            self.enums[name] = names

    def declarator(self, kind, tokens):
        """(name, type, lengths) of `*name[3]` or `(*name)[6]` of a type."""
        stars = 0
        while tokens[stars] in ("*", "const"):
            stars += 1
        if tokens[stars] == "(":
            end = closing(tokens, stars)
            is_function = tokens[end + 1] == "("
            return tokens[end - 1], "function *" if is_function else kind + " *", []
        lengths, rest = [], tokens[stars + 1:]
        while rest:
            end = closing(rest, 0)
            lengths.append(self.number(rest[1:end]) if end > 1 else 0)
            rest = rest[end + 1:]
        kind = kind + " *" * tokens[:stars].count("*")
        return tokens[stars], kind, lengths

    def base(self, tokens):
        """How many of the tokens name the type before the declarator."""
        words = ("const", "volatile", "unsigned", "struct", "long", "signed")
        at = 0
        while at < len(tokens) and tokens[at] in words:
            at += 1
        is_named = tokens[at - 1] in ("unsigned", "long") if at else False
        follows = tokens[at] if at < len(tokens) else ""
        if not is_named or follows in ("char", "int", "short"):
            at += 1
        return at

    def fields(self, owner, tokens):
        made = []
        for statement in statements(tokens):
            if statement[0] == "struct" and statement[1] == "{":
                end = closing(statement, 1)
                name = statement[end + 1]
                self.structs[f"{owner}.{name}"] = self.fields(f"{owner}.{name}", statement[2:end])
                made.append((name, f"{owner}.{name}", []))
                continue
            at = self.base(statement)
            kind = " ".join(statement[:at])
            for part in split_commas(statement[at:]):
                made.append(self.declarator(kind, part))
        return made

    def parameter(self, tokens):
        at = self.base(tokens)
        kind = " ".join(tokens[:at])
        rest = tokens[at:]
        if rest and rest[0] == "(":
            return "function *" if rest[closing(rest, 0) + 1] == "(" else kind + " *"
        kind += "".join(" " + token for token in rest if token in ("*", "const"))
        return kind + " *" if "[" in rest else kind

    def function(self, tokens):
        open_at = tokens.index("(")
        at = self.base(tokens)
        result = " ".join(tokens[:at]) + " *" * tokens[at:open_at].count("*")
        arguments = [self.parameter(part) for part in split_commas(tokens[open_at + 1:-1])]
        self.functions[tokens[open_at - 1]] = (result, [] if arguments == ["void"] else arguments)

    def typedef(self, tokens):
        if tokens[0] in ("struct", "enum") and "{" in tokens:
            start = tokens.index("{")
            inside, name = tokens[start + 1:closing(tokens, start)], tokens[-1]
            if tokens[0] == "enum":
                self.enum(name, inside)
            else:
                self.structs[name] = self.fields(name, inside)
        elif tokens[0] != "struct" and "(" in tokens:
            self.callbacks.append(tokens[tokens.index("(") - 1])

    def read(self, text):
        text = text.replace(EXPORT, " MO_API ")
        text = re.sub(r"__attribute__\s*\(\(.*?\)\)\s*(?=;|$)", "", text)
        for tokens in statements(TOKEN.findall(text)):
            if tokens[0] == "typedef":
                self.typedef(tokens[1:])
            elif tokens[0] == "MO_API":
                self.function(tokens[1:])
            elif tokens[0] == "enum":
                start = tokens.index("{")
                self.enum(None, tokens[start + 1:closing(tokens, start)])
            elif tokens[0] not in ("struct", "static"):
                raise SystemExit(f"bindings.py: not understood: {' '.join(tokens[:12])}")


def main():
    source, target = sys.argv[1:3]
    reader = Reader()
    with open(source, encoding="utf-8") as file:
        reader.read(own_lines(file.read()))
    if len(reader.functions) < 100:
        raise SystemExit("bindings.py: the headers were not found in what was read")
    made = ['"""Written by bindings.py from the public headers when the library was built."""']
    for name in ("constants", "enums", "structs", "functions", "callbacks"):
        value = pprint.pformat(getattr(reader, name), width=100, sort_dicts=False, compact=True)
        made.append(f"\n{name.upper()} = \\\n{value}")
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(made) + "\n")


main()
