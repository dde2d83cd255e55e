# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""Builds the wheel: CMake makes the library, its bindings and what draws, for the package.

CMAKE_ARGS in the environment is handed to CMake, as in CMAKE_ARGS="-D BLA_VENDOR=All".
MOREAU_BUILD names the folder of a finished build, which is packed instead of a new one.
"""
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
WORK = ROOT / "build-wheel"  # "build" is CMake's own
WORK.mkdir(exist_ok=True)


def version():
    header = (ROOT / "include/moreau/base.h").read_text()
    return ".".join(re.findall(r"^#define MO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header, re.M))


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        made = Path(os.environ.get("MOREAU_BUILD") or self.build_library())
        package = Path(self.build_lib) / "moreau"
        shutil.copy(made / "python/moreau/_bindings.py", package)
        shutil.copytree(made / "python/moreau/models", package / "models", dirs_exist_ok=True)
        library = (made / "src/libmoreau.so").resolve()
        shutil.copy(library, package / "libmoreau.so")
        where = "LIBRARY = 'libmoreau.so'\n"
        for pictures in (made / "python").glob("libmoreau_pictures.*"):
            # It needs the library by its soname, which ctypes loaded before it.
            shutil.copy(pictures, package)
            where += f"PICTURES = '{pictures.name}'\n"
        (package / "_where.py").write_text(where)

    def build_library(self):
        made = WORK / "cmake"
        shutil.rmtree(made, ignore_errors=True)  # options of an earlier build
        off = [f"-DMOREAU_{what}=OFF" for what in ("BUILD_TESTS", "INSTALL", "BUILD_PEERS")]
        on = [f"-DMOREAU_{what}=ON" for what in ("BUILD_PYTHON", "SHARED", "BUILD_CLI")]
        more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", ROOT, "-B", made, *off, *on, *more], check=True)
        subprocess.run(["cmake", "--build", made, "--target", "moreau_python", "moreau",
                        "--parallel", str(os.cpu_count())], check=True)
        return made


class PlatformWheel(bdist_wheel):
    """For any Python 3 of this platform: the library is no extension module."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(
    version=version(),
    distclass=WithLibrary,
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
    options={"build": {"build_base": str(WORK)}, "egg_info": {"egg_base": str(WORK)}},
)
