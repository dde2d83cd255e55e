#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# Static analysis: run.sh BUILD
#
# Scripts by shellcheck; src by cppcheck; src, cli, tools and viewer by clang-tidy.  BUILD has
# compile_commands.json.  The checks are in .clang-tidy; exceptions, each with its reason, are in
# tests/lint/cppcheck.txt.  Ends with the number of tools that found something.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=$1 found=0

mapfile -t scripts < <(git ls-files | grep -E '\.sh$|^(test|demo|\.ci/run)$')
shellcheck --severity=warning --external-sources --source-path=SCRIPTDIR "${scripts[@]}" || found=$((found + 1))

cppcheck --quiet --error-exitcode=1 --enable=warning,portability,performance --std=c11 \
    --suppressions-list=tests/lint/cppcheck.txt -j "$(nproc)" -I include -I src src ||
    found=$((found + 1))

git ls-files src cli tools viewer/frames viewer/render viewer/server | grep '\.c$' |
    xargs -P "$(nproc)" -n 8 clang-tidy --quiet --warnings-as-errors='*' -p "$build" 2>/dev/null ||
    found=$((found + 1))
exit "$found"
