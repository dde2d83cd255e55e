#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# Static analysis: run.sh BUILD
#
# Scripts by shellcheck; src by cppcheck; src, cli, tools and viewer by clang-tidy.  BUILD has
# compile_commands.json.  The checks are in .clang-tidy; exceptions, each with its reason, are in
# tests/lint/cppcheck.txt.  A file that clang-tidy found clean is not looked at again while it,
# its headers and the checks are as they were: BUILD/tidy has a mark for each.  Ends with the number of
# tools that found something.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
export build=$1
found=0

mapfile -t scripts < <(git ls-files | grep -E '\.sh$|^(test|demo|\.ci/run)$')
shellcheck --severity=warning --external-sources --source-path=SCRIPTDIR "${scripts[@]}" || found=$((found + 1))

mkdir -p "$build/cppcheck"
cppcheck --quiet --error-exitcode=1 --enable=warning,portability,performance --std=c11 \
    --cppcheck-build-dir="$build/cppcheck" --suppressions-list=tests/lint/cppcheck.txt \
    -j "$(nproc)" -I include -I src src || found=$((found + 1))

# The sources, each with the headers of ours that it includes, as the build has seen them.
sources() {
    ninja -C "$build" -t deps | sed "s|^ *\.\./|    $PWD/|" | awk -v root="$PWD/" '
        /^[^ ]/ { if (line) print line; line = "" }
        index($1, root) == 1 { line = (line ? line " " : "") substr($1, length(root) + 1) }
        END { if (line) print line }' |
        grep -E '^(src|cli|tools|viewer/(frames|render|server))/[^ ]*\.c( |$)' | sort -u -k1,1
}

# SOURCE HEADER...: what clang-tidy finds is printed.
tidy() {
    local mark
    mark=$build/tidy/$(cat .clang-tidy "$@" | sha1sum | cut -c1-40)
    [[ -e $mark ]] && return 0
    clang-tidy --quiet --warnings-as-errors='*' -p "$build/tidy" "$1" 2>/dev/null && touch "$mark"
}
export -f tidy
mkdir -p "$build/tidy"
# Without the options of gcc that clang does not know.
sed 's/ -mmem[a-z]*-strategy=[^ "]*//g' "$build/compile_commands.json" > "$build/tidy/compile_commands.json"
sources > "$build/tidy/sources"
[[ $(wc -l < "$build/tidy/sources") -gt 300 ]] || { echo "the build in $build is not whole" >&2; exit 9; }
xargs -P "$(nproc)" -L1 bash -c 'tidy "$@"' tidy < "$build/tidy/sources" || found=$((found + 1))
exit "$found"
