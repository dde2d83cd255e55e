#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# Manual pages and completion say what --help says: manual.sh MOREAU MANUAL
set -u
moreau=$1 manual=$2 failures=0

fail() {
    printf 'FAILED: %s\n' "$1"
    failures=$((failures + 1))
}

# completed WORD...: what bash offers for the last word.
completed() {
    COMP_WORDS=(moreau "$@") COMP_CWORD=$#
    COMPREPLY=()
    _moreau
    printf '%s\n' "${COMPREPLY[@]}"
}

# shellcheck disable=SC1091
source "$manual/completions/moreau" || fail "the completion is no script"
commands=$("$moreau" --help | sed -n -E '/^Commands:/,/^Flags:/s/^  ([a-z]+) .*/\1/p')
test "$(wc -w <<<"$commands")" -ge 11 || fail "hardly any command was found"
for command in $commands; do
    completed "${command:0:2}" | grep -q -x "$command" || fail "$command is not completed"
    help=$("$moreau" "$command" --help 2>/dev/null) || continue # not built in
    page=$manual/man1/moreau-$command.1
    flags=$(sed -n -E 's/^  (--[a-z0-9.-]+).*/\1/p' <<<"$help")
    test -n "$flags" || fail "$command has no flags"
    for flag in $flags; do
        grep -q -x -F -- ".B ${flag//-/\\-}" "$page" || grep -q -F -- ".B ${flag//-/\\-} " "$page" ||
            fail "$flag is not in $page"
        completed "$command" "$flag" | grep -q -x -e "$flag" || fail "$command $flag is not completed"
    done
    grep -q -F "moreau\\-$command" "$manual/man1/moreau.1" || fail "moreau.1 lacks $command"
done
test -z "$(completed run stack)" || fail "an operand is completed as a flag"
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page in "$manual"/man1/*.1; do
        said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        test -z "$said" || fail "$page: $said"
    done
fi
test "$failures" = 0
