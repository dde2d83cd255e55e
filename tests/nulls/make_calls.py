# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""make_calls.py HEADERS OUTPUT: calls of all functions that the public headers declare, as C.

Each becomes a function that makes the call with any set of its pointers NULL and the others from a
`place` (test_nulls.c).  An argument of a type that is not known here is NULL in every call.  The
argument that is number p->wrong is a value that the function should not expect.
"""
import glob
import os
import re
import sys

# Pointers for which the headers give NULL a meaning, beside `why` and `allocator`.
OPTIONAL = {
    "mo_world_create": {"def"},
    "mo_world_add_solid": {"pose"},
    "mo_world_forces": {"options"},
    "mo_world_step": {"report"},
    "mo_worlds_step": {"reports"},
    "mo_world_cast_ray": {"filter"},
    "mo_world_cast_rays": {"filter"},
    "mo_world_overlap": {"pose", "filter"},
    "mo_body_set_user_data": {"user_data"},
    "mo_shape_set_user_data": {"user_data"},
    "mo_joint_set_user_data": {"user_data"},
    "mo_world_save": {"bytes"},
    "mo_body_mechanism": {"link"},
    "mo_bound_error": {"v"},
    "mo_bound_frozen": {"shift"},
    "mo_gradient_forward": {"defect"},
    "mo_mechanism_set": {"q", "v"},
    "mo_mechanism_set_control": {"control", "user"},
    "mo_hull_faces": {"user"},
    "mo_model_read_with": {"folder"},
    "mo_mechanism_inverse": {"acceleration"},
    "mo_problem_response": {"r"},
    "mo_problem_velocity": {"r"},
    "mo_recording_set_title": {"title"},
    "mo_recording_add": {"report"},
    "mo_recorder_add": {"report"},
    "mo_recorder_create": {"title"},
    "mo_robot_get": {"q", "v"},
    "mo_robot_set": {"q", "v"},
    "mo_robot_joint": {"number"},
    "mo_robot_actuator": {"number"},
    "mo_robot_tendon": {"number"},
    "mo_solve": {"options"},
    "mo_builder_add_body": {"f"},
    "mo_builder_add_unsymmetric_body": {"f"},
    "mo_builder_add_rigid_body": {"f"},
    "mo_builder_add_constraint": {"w"},
}

OBJECTS = """problem certificate certificate_report solution_set condition friction_limit
error_bound frozen_bound check_result judgement world force_options forces gradient
data_vector solution_vector document joint_def law residual global_residual
mechanism_def coupling_def model options builder rigid_contact recording result
robot pose model_key shape_def material world_def body_def step_report message
allocator events recorder query_filter ray_hit proximity contact batch_report""".split()
OPAQUE = {"problem", "world", "gradient", "builder", "robot", "events", "recorder"}
ARRAYS = {"ray_hit", "proximity", "contact"} # ROOM of each
IDS = {"mo_body_id": "body", "mo_shape_id": "shape", "mo_joint_id": "joint",
       "mo_mechanism_id": "mechanism"}
NUMBERS = {"h": "0.01", "width": "1e-3", "n": "3", "d": "3", "facets": "8", "most_systems": "100",
           "point_count": "4", "index_count": "3", "count": "1", "steps": "1",
           "copies": "2"}
# Lengths of arrays: only negative ones are wrong in a way that a function can see.  Steps take
# time.
LENGTHS = {"n", "d", "room", "point_count", "index_count", "count", "rows", "columns", "d_row",
           "d_column", "steps"}
TEXTS = {"path": "p->path", "folder": "\".\"", "value": "\"1e-8\"", "name": "\"tol\"",
         "title": "\"title\""}

# Calls that leave nothing of their first argument.
ENDS = {f"mo_{word}_destroy": word for word in OPAQUE} | {"mo_recorder_finish": "recorder"}
# What takes long to make.
NEEDED = ("model", "gradient", "check", "robot", "recording", "document", "events", "recorder")
FUNCTIONS = {"mo_control_fn*": "idle", "mo_face_fn*": "take_face"}


def declarations(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.h"))):
        text = re.sub(r"/\*.*?\*/", " ", open(path, encoding="utf-8").read(), flags=re.S)
        text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.S | re.M)
        for found in re.finditer(r"\bMO_API\s+([^;{]*?)\b(mo_\w+)\s*\(([^;]*?)\)\s*;", text, re.S):
            result, name, arguments = (" ".join(part.split()) for part in found.groups())
            parts = [] if arguments == "void" else arguments.split(",")
            yield result.strip(), name, [split(part.strip()) for part in parts]


def split(argument):
    """`const double at[3]` -> ("const double *", "at")."""
    found = re.fullmatch(r"(.*?)(\w+)(\[\d*\])?", argument)
    kind = found.group(1).strip()
    return (kind + " *" if found.group(3) else kind), found.group(2)


def pointer(place, kind, name):
    """What the argument is where it is not NULL; None: it always is."""
    plain = kind.replace("const ", "").replace(" ", "")
    if plain == "double*":
        odd = f"p->wrong == {place} ? p->odd_numbers : p->numbers"
        return odd if kind.startswith("const") else "p->room"
    if plain == "int*":
        return "p->indices"
    if plain == "void*":
        return "p->state" if kind.startswith("const") else "p->room"
    if plain == "char*":
        return TEXTS.get(name) if kind.startswith("const") else "p->text"
    if plain in FUNCTIONS:
        return FUNCTIONS[plain]
    if plain == "char**":
        return "&p->word"
    if "*const *" in kind:
        return "&p->world"
    base = plain.removeprefix("mo_").rstrip("*")
    if base not in OBJECTS:
        return None
    if plain.endswith("**"):
        return f"&p->made_{base}"
    return f"p->{base}" if base in OPAQUE | ARRAYS else f"&p->{base}"


def value(function, place, kind, name):
    if kind in IDS:
        return f"p->wrong == {place} ? ({kind}){{p->odd_int, 1}} : p->{IDS[kind]}"
    if name == "size":
        return "sizeof p->text" if function == "mo_option_print" else "p->state_size"
    if name == "room":
        return f"p->wrong == {place} ? -1 : ROOM" if kind == "int" else "sizeof p->room"
    if kind == "size_t":
        return NUMBERS.get(name, "0")
    known = NUMBERS.get(name, "0.5") if kind == "double" else NUMBERS.get(name, "0")
    odd = "p->odd" if kind == "double" else "-1" if name in LENGTHS else f"({kind})p->odd_int"
    return f"p->wrong == {place} ? {odd} : ({kind}){known}"


def call(number, result, name, arguments):
    pointers, terms, needed, why, needs = 0, [], 0, -1, []
    for place, (kind, argument) in enumerate(arguments):
        if not kind.endswith("*"):
            terms.append(value(name, place, kind, argument))
            continue
        given = pointer(place, kind, argument)
        if kind == "mo_message *":
            why = pointers
        elif "allocator" not in kind and argument not in OPTIONAL.get(name, ()):
            needed |= 1 << pointers
        if given is None:
            print(f"{name}: {kind} {argument} is NULL in every call", file=sys.stderr)
        terms.append(f"(nulls >> {pointers} & 1) ? NULL : {given}" if given else "NULL")
        is_filled = re.search(r"_(read|read_with|begin)$|^mo_check$", name)
        needs += [word for word in NEEDED if given and word in given and not is_filled]
        pointers += 1
    made = f"{name}({', '.join(terms)})"
    if result == "mo_error":
        body = f"return {made} == MO_OK ? TAKEN : REFUSED;"
    elif result in IDS:
        body = f"return {made}.index > 0 ? TAKEN : REFUSED;"
    else:
        body = f"{'' if result == 'void' else '(void)'}{made};\n    return TAKEN;"
    gone = ENDS.get(name)
    if gone:
        body = body.replace("return mo_", "const mo_error error = mo_")
        body = body.replace(" == MO_OK ?", ";\n    return error == MO_OK ?")
        body = body.replace("return", f"p->{gone} = (nulls & 1) ? p->{gone} : NULL;\n    return")
    unused = "" if "p->" in made else "    (void)p;\n"
    unused += "" if "nulls" in made or gone else "    (void)nulls;\n"
    head = f"static outcome call_{number}(place *p, unsigned nulls)\n{{\n{unused}    {body}\n}}\n"
    answers = int(result == "mo_error" or result in IDS)
    flags = " | ".join(sorted({f"NEEDS_{word.upper()}" for word in needs})) or "0"
    odd = sum(1 << k for k, term in enumerate(terms) if f"wrong == {k} " in term)
    row = (f'    {{"{name}", call_{number}, {pointers}, {needed:#x}, {why}, {answers}, {flags}, '
           f'{odd:#x}}},\n')
    return head, row


def main():
    headers, output = sys.argv[1:]
    made = [call(k, *found) for k, found in enumerate(declarations(headers))]
    with open(output, "w", encoding="utf-8") as out:
        out.write("/* made by make_calls.py */\n" + "\n".join(head for head, _ in made))
        out.write("\nstatic const call CALLS[] = {\n" + "".join(row for _, row in made) + "};\n")


main()
