# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
"""run_test.py SCRIPT ROOT: runs a script in the source tree.

Ends with status 77 and a sentence where numpy is missing.
"""
import os
import runpy
import sys

sys.dont_write_bytecode = True
try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: numpy is not installed (Debian: python3-numpy)")
    sys.exit(77)
script, root = sys.argv[1:3]
os.chdir(root)
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
