# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""The module against the public headers: every function, its types, every struct.

The C compiler judges what bindings.py read: a function pointer of the types in _bindings.py takes
each function without a conversion, and each field of the ctypes structs is where the compiler has
it.
"""
import ctypes
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from moreau import _bindings
from moreau._library import C, ctype, lib, structs

# Functions that Python does without, and why.
LEFT_OUT = {
    "targets and efforts are set between steps": "mo_mechanism_set_control",
    "numpy does this": """
        mo_pose_at mo_pose_planar mo_pose_point mo_pose_vector mo_pose_point_back
        mo_pose_vector_back mo_pose_angle""",
    "a Python list, attribute or another function has it": """
        mo_default_shape mo_world_add_solid mo_shape_body mo_shape_set_user_data mo_world_contact
        mo_model_read mo_model_find_body mo_model_find_joint mo_model_find_actuator
        mo_model_find_tendon mo_model_find_key mo_model_world mo_robot_joint mo_robot_tendon
        mo_combine_name mo_material_combine_by mo_model_actuator_name mo_status_text
        mo_transition_name mo_model_drop_visuals
        mo_options_check mo_option_print mo_verdict_text mo_problem_form
        mo_problem_bytes mo_problem_relative_velocity mo_measure_scaled mo_condition_text
        mo_found_mode_name mo_model_find_sensor mo_model_find_site mo_model_sensor_name""",
    "Verdict has their results": """
        mo_find_all_solutions mo_solution_set_clear mo_certificate_check mo_condition_decide
        mo_condition_check mo_condition_clear""",
    "norms of other programs, and bounds for those who study methods": """
        mo_measure_global mo_measure_cck mo_bound_frozen""",
    "for problems of a million contacts, which C builds": """
        mo_builder_add_contact mo_builder_reserve""",
    "Recording keeps its frames in memory": """
        mo_recorder_create mo_recorder_add mo_recorder_finish mo_recorder_destroy""",
    "scipy.spatial.ConvexHull does this": "mo_hull_faces",
}


def headers():
    root = os.path.join(os.getcwd(), "include", "moreau")
    for path in sorted(glob.glob(os.path.join(root, "*.h"))):
        with open(path, encoding="utf-8") as file:
            yield re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL)


def package():
    root = os.path.join(os.getcwd(), "python", "moreau")
    made = ""
    for path in glob.glob(os.path.join(root, "*.py")):
        with open(path, encoding="utf-8") as file:
            made += file.read()
    return made


class Functions(unittest.TestCase):
    def test_every_function_of_the_headers_is_bound(self):
        declared = set()
        for text in headers():
            declared |= set(re.findall(r"^MO_API [^;]*?\b(mo_\w+)\s*\(", text, re.MULTILINE))
        self.assertGreater(len(declared), 200)
        self.assertEqual(declared, set(_bindings.FUNCTIONS))
        for name in declared:
            self.assertTrue(hasattr(lib, name), name)
            self.assertEqual(len(getattr(C, name).argtypes), len(_bindings.FUNCTIONS[name][1]))

    def test_every_function_is_used_or_left_out_for_a_reason(self):
        used = set(re.findall(r"\bC\.(mo_\w+)", package()))
        self.assertEqual(used - set(_bindings.FUNCTIONS), set())
        left_out = {name for names in LEFT_OUT.values() for name in names.split()}
        missing = sorted(set(_bindings.FUNCTIONS) - used - left_out)
        self.assertEqual(missing, [], "neither used by the package nor left out for a reason")
        self.assertEqual(sorted(left_out & used), [], "left out, but used")


class Types(unittest.TestCase):
    def compile(self, source):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            self.skipTest("there is no C compiler")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "check.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#include <stddef.h>\n#include \"moreau/moreau.h\"\n" + source)
            return subprocess.run([compiler, "-std=c17", "-fsyntax-only", "-Werror", "-pedantic",
                                   "-I", "include", path], capture_output=True, text=True)

    def pointers(self, change=lambda name, types: types):
        lines = []
        for name, types in _bindings.FUNCTIONS.items():
            result, arguments = change(name, types)
            shown = ", ".join(arguments) or "void"
            lines.append(f"extern {result} (*check_{name})({shown});\n"
                         f"{result} (*check_{name})({shown}) = {name};")
        return "\n".join(lines)

    def test_the_compiler_agrees_with_the_types_of_functions(self):
        made = self.compile(self.pointers())
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_a_wrong_type_would_be_seen(self):
        def wrong(name, types):
            return ("float", types[1]) if name == "mo_world_time" else types
        self.assertNotEqual(self.compile(self.pointers(wrong)).returncode, 0)

    def test_the_compiler_agrees_with_the_structs(self):
        lines = []
        for name in _bindings.STRUCTS:
            outer, _, inner = name.partition(".")
            of = f"(({outer} *)0)->{inner}" if inner else name
            size = ctypes.sizeof(structs[name])
            lines.append(f'_Static_assert(sizeof({of}) == {size}, "{name}");')
            for field, _ in structs[name]._fields_:
                path = f"{inner}.{field}" if inner else field
                at, size = getattr(structs[name], field).offset, getattr(structs[name], field).size
                lines.append(f'_Static_assert(offsetof({outer}, {path}) == {at} + '
                             f'{self.base(outer, inner)} && sizeof((({outer} *)0)->{path}) == '
                             f'{size}, "{name}.{field}");')
        made = self.compile("\n".join(lines))
        self.assertEqual(made.returncode, 0, made.stderr[:2000])

    @staticmethod
    def base(outer, inner):
        return f"offsetof({outer}, {inner})" if inner else "0"

    def test_scalars_are_what_c_has(self):
        for text in ("int", "unsigned", "double", "size_t", "long long", "int32_t", "uint32_t",
                     "uint64_t", "mo_error", "void *", "const char *"):
            made = self.compile(f'#include <stdint.h>\n_Static_assert(sizeof({text}) == '
                                f'{ctypes.sizeof(ctype(text))}, "{text}");')
            self.assertEqual(made.returncode, 0, made.stderr)


if __name__ == "__main__":
    unittest.main()
