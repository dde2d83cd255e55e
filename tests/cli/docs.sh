#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# What README.md, docs/ and every --help print is true: docs.sh MOREAU MAKE_PROBLEM READ_JSON SOURCE
#
#   - every command that is shown works; long ones are cut short: a run takes a few steps, an
#     experiment must be in its list
#   - every flag that docs/program.md names is in some --help, every command in docs/program.md,
#     every method in docs/methods/README.md
#   - the program in README.md is examples/falling_boxes.c, and its output is the one in docs/examples.md
# shellcheck disable=SC2034,SC2154 # names of checks.sh
. "$(dirname "$0")/checks.sh"
source=$4
commands='run view render compare forces solve check info solvers convert reproduce bench'

"$make_problem" . > /dev/null
for name in box pile old problem; do
    cp stack.hdf5 "$name.hdf5"
done
mkdir problems scenes && cp box.hdf5 slow.hdf5 problems && ln -s "$source/scenes/models" scenes/models
cp "$source/scenes/models/biped.xml" robot.xml

# ---- the commands ------------------------------------------------------------------------------

# Lines of code blocks and of examples, without their prompt, remark, pipe or file for the output;
# a word in capitals stands for another.
shown() {
    sed -E ':a; /\\$/{N; s/ *\\\n */ /; ba}' | sed -n -E 's/^ +(\$ )?(build\/)?(moreau [a-z].*)$/\3/p' | sed -E 's/ +#.*//; s/   .*//; s/ [|>] .*//' |
        grep -v -E '(^moreau [a-z]+$|[ [][A-Z][A-Z]+)' | sort -u
}

# The same, cut short.
shortened() {
    case $1 in
    *--list* | *--joints*) echo "$1" ;;
    'moreau run '*)
        echo "$1" | sed -E 's/ --(time|steps) [^ ]+//; s/--export-problem [0-9]+/--export-problem 2/; s/$/ --steps 3/'
        ;;
    'moreau forces '*) echo "$1" | sed -E 's/--time [^ ]+/--time 0.02/' ;;
    'moreau view '*) echo "$1" | sed -E 's/ --port [0-9]+| --no-open//; s/$/ --no-open/' ;;
    'moreau check '*) echo "$1" | sed -E 's/--step [0-9]+/--step 2/; s/count=[0-9]+/count=1/' ;;
    'moreau compare '*) echo "$1" | sed -E 's/ --time [^ ]+//; s/$/ --time 0.02/' ;;
    'moreau render '*.hdf5*) echo "$1" | sed -E 's/--at [^ ]+/--at 0.01/' ;;
    'moreau render '*) echo "$1" | sed -E 's/ --(time|size) [^ ]+//g; s/$/ --time 0.02 --size 64x48/' ;;
    *) echo "$1" ;;
    esac
}

# A server is good once it says where it is.
view_is_served() {
    : > out
    "$moreau" "$@" > out 2> err &
    server=$!
    while ! test -s out && kill -0 "$server" 2> /dev/null; do
        sleep 0.05
    done
    kill "$server" 2> /dev/null
    wait "$server"
    status=$?
    out_has '^http://127.0.0.1:'
}

# Experiments are too long to be run here: the name must be in the list.
is_listed() {
    "$moreau" "$1" > out 2> err
    out_has "^$2 "
}

try() {
    # shellcheck disable=SC2086 # words, as a shell would read them
    set -- $1
    shift
    call="moreau $*"
    case $1 in
    view) test -z "$viewer" || view_is_served "$@" ;;
    reproduce | bench) is_listed "$1" "$2" ;;
    *)
        run "$@"
        case $* in
        compare*) that "status $status" test "$status" -lt 2 ;; # where there is no MuJoCo
        *.mp4*) that "status $status" test "$status" -lt 2 ;; # where there is no ffmpeg
        *'solve rod.hdf5'*) status_is 1 ;;                     # it has no solution
        *) status_is 0 ;;
        esac
        ;;
    esac
}

run view --help
viewer=$(test "$status" = 0 && echo yes)
for command in $commands; do
    run "$command" --help
    cat out >> helps
done
# Recordings and states that others look at come first.
cat helps "$source"/README.md "$source"/docs/*.md "$source"/docs/methods/*.md "$source"/papers/*/README.md | shown > all
sed -i 's/ fall.hdf5/ domino.hdf5/; s, out/, made/,' all # viewer.md's recording of anything; `out` is a file here
{
    grep -E -- '--(record|save-state)' all
    grep -v -E -- '--(record|save-state)' all
} > ordered
"$moreau" render --help > /dev/null 2>&1 || sed -i '/^moreau render/d' ordered # built without libpng
while read -r line; do
    try "$(shortened "$line")" < /dev/null
done < ordered
that "hardly any command was found" test "$checks" -gt 60

# ---- words -------------------------------------------------------------------------------------

call=docs/program.md
grep -o -E -- '--[a-z][a-z.-]*' "$source/docs/program.md" | grep -v -x -- --name | sort -u > flags
while read -r flag; do
    that "$flag is in no --help" grep -q -- "$flag\\b" helps
done < flags
for command in $commands; do
    that "moreau $command is not listed in docs/program.md" grep -q "^    moreau $command " "$source/docs/program.md"
    that "moreau $command is not in docs/program.md" grep -q "^## moreau $command\$" "$source/docs/program.md"
done
call=docs/methods/README.md
"$moreau" solvers | sed -n -E 's/^([a-z0-9-]+)  +.*/\1/p' > methods
while read -r method; do
    that "the method $method is not listed" grep -q "^| .*\`$method\`" "$source/docs/methods/README.md"
done < methods

# ---- the program in README.md --------------------------------------------------------------------

# block LANGUAGE FILE: the first code block in that language.
block() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$2" | sed '/^```$/q' | grep -v '^```'
}
call=README.md
block c "$source/README.md" > readme.c
tail -n +3 "$source/examples/falling_boxes.c" | diff - readme.c > differs
that "its C block is not examples/falling_boxes.c: $(head -5 differs)" test ! -s differs
block text "$source/README.md" > readme.txt
block text "$source/docs/examples.md" | diff - readme.txt > differs
that "its output is not the one in docs/examples.md: $(head -5 differs)" test ! -s differs

echo "$checks checks, $failures failed"
test "$failures" = 0
