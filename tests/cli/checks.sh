# shellcheck shell=sh disable=SC2034 # names for those who source it
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# What the tests of the program share: sourced, with the arguments MOREAU MAKE_PROBLEM READ_JSON.
# Goes to a folder of its own, which is removed at the end.

moreau=$1 make_problem=$2 read_json=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
checks=0 failures=0

# ---- what a check is ---------------------------------------------------------------------------

# run ARGUMENTS...: the program, with its status in $status and its streams in the files out and err.
run() {
    call="moreau $*"
    "$moreau" "$@" > out 2> err
    status=$?
}

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  %s\n' "$call" "$1"
    sed 's/^/  stdout: /' out | head -5
    sed 's/^/  stderr: /' err | head -5
}

# that WHAT COMMAND...: the command has to succeed.
that() {
    checks=$((checks + 1))
    what=$1
    shift
    "$@" > /dev/null 2>&1 || fail "$what"
}

status_is() { that "status $status, not $1" test "$status" = "$1"; }
out_has() { that "standard output lacks '$1'" grep -q -- "$1" out; }
out_lacks() { that "standard output has '$1'" not grep -q -- "$1" out; }
err_has() { that "standard error lacks '$1'" grep -q -- "$1" err; }
out_is_empty() { that "standard output is not empty" not test -s out; }
err_is_empty() { that "standard error is not empty" not test -s err; }
err_is_one_sentence() { that "standard error is not one line" test "$(grep -c '' err)" = 1; }
not() { ! "$@"; }

# has_peer NAME: is there a program of its own for benchmarks beside NAME, beside ours or installed?
has_peer() {
    test -x "$(dirname "$moreau")/moreau-$1" || test -x "$(dirname "$moreau")/../libexec/moreau/moreau-$1"
}

# A wrong call: status 2, one sentence, nothing on standard output.
is_wrong_call() {
    status_is 2
    out_is_empty
    err_is_one_sentence
    err_has "$1"
}

# A file that fails: status 1, one sentence that names it.
fails_on() {
    status_is 1
    err_is_one_sentence
    err_has "^moreau: $1: ."
}

# member KEY: that member of each JSON line of `out`; member_is KEY VALUE compares the first line.
member() { "$read_json" "$1" < out; }
member_is() {
    value=$(member "$1" | head -1)
    that "member $1 is $value, not $2" test "$value" = "$2"
}
is_json_lines() {
    that "not $1 JSON lines" test "$(grep -c '' out)" = "$1"
    that "not JSON" "$read_json" < out
}
is_number() {
    case $1 in
    *[!-+.0-9e]* | '') false ;;
    *) awk "BEGIN { exit !($1 $2 $3) }" ;;
    esac
}
# member_below KEY BOUND, member_above KEY BOUND: of the first line.
member_below() {
    value=$(member "$1" | head -1)
    that "member $1 is $value, not below $2" is_number "$value" '<' "$2"
}
member_above() {
    value=$(member "$1" | head -1)
    that "member $1 is $value, not above $2" is_number "$value" '>' "$2"
}
