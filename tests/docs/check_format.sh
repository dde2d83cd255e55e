#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# check_format.sh ROOT: every C file has the layout of .clang-format.
# Versions of clang-format differ in details; the tree is laid out by version 14.
set -euo pipefail
cd "$1"
tool=$(command -v clang-format-14 || command -v clang-format || true)
if [[ -z $tool || $("$tool" --version) != *"version 14."* ]]; then
    echo "skipped: clang-format 14 is not installed"
    exit 77
fi
find . \( -name 'build*' -o -name node_modules -o -name .git \) -prune -o -name '*.[ch]' -print0 |
    xargs -0 -n 100 -P 2 "$tool" --dry-run --Werror
