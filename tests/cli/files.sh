#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# What the program says of files of problems, and makes of them: check, info, convert.
# files.sh MOREAU MAKE_PROBLEM READ_JSON

. "$(dirname "$0")/checks.sh"

call="make_problem ."
"$make_problem" . > out 2> err || { fail "the problems could not be made"; exit 1; }

# ---- check -------------------------------------------------------------------------------------

run check rod.hdf5 --json
status_is 0
err_is_empty
is_json_lines 1
member_is verdict '"none"'
out_has '"certificate":{"holds":true'
out_has '"closed":{"answer":"fails"'
out_has '"frictionless":{"answer":"holds"'
run check short_rod.hdf5 --json
member_is verdict '"unique"'
out_has '"modes":\["slide"\],"proven":true'
out_has '"pointed":{"answer":"holds"'
run check block.hdf5 stack.hdf5 joint.hdf5 islands.hdf5 empty.hdf5
status_is 0
err_is_empty
out_has '^block.hdf5: unique'
out_has '^empty.hdf5: unique'
run check missing.hdf5
fails_on missing.hdf5
run check rod.hdf5 --most-systems 0
is_wrong_call 'most-systems'
run check painleve-rod --set angle=0.5 --set mu=1 --json
is_json_lines 1
member_is scene '"painleve-rod"'
member_is verdict '"none"'
out_has '"solutions":\[\]'
out_has '"seconds":'
run check painleve-rod --set angle=0.5 --set mu=0.5
out_has '^painleve-rod: unique'
run check billiard --step 2 --json
status_is 0
member_is step 2
run check drum --step 1
out_has '^drum, step 1: unique'
run check rod.hdf5 --certificate rod.txt
status_is 0
run check rod.hdf5 --verify rod.txt
status_is 0
out_has '^rod.hdf5: none, verified'
run check rod.hdf5 --verify rod.txt --json
is_json_lines 1
member_is holds true
member_is supported '"none"'
run check short_rod.hdf5 --verify rod.txt
status_is 1
out_has 'NOT VERIFIED'
run check block.hdf5 --verify rod.txt
fails_on rod.txt
run check rod.hdf5 --verify missing.txt
fails_on missing.txt
run check rod.hdf5 short_rod.hdf5 --verify rod.txt
is_wrong_call 'one problem'
run check slow.hdf5 --most-systems 1000000000 --certificate missing/slow.txt # before the search
status_is 1
err_has 'missing/slow.txt cannot be written'
run check rod.hdf5 --certificate /dev/full
is_wrong_call 'not a regular file'
run check rod.hdf5 --certificate certificates/
is_wrong_call 'names a folder'
run check rod.hdf5 --certificate ./rod.hdf5
is_wrong_call 'would replace the problem'
run check rod.hdf5 --verify rod.txt --certificate rod2.txt
is_wrong_call 'give one of them'
run check crushed-ball --certificate crushed.txt
run check crushed-ball --verify crushed.txt
out_has '^crushed-ball: none, verified'
run check --list
status_is 0
out_has '^crushed-ball '
run check
is_wrong_call 'missing file or scene'
run check crushed-bal
is_wrong_call 'did you mean crushed-ball'
run check crushed-ball --set sped=1
is_wrong_call 'did you mean speed'
run check crushed-ball --step 2
is_wrong_call 'leave out --step'
run check rod.hdf5 --set mu=1
is_wrong_call 'is a file'

# ---- info --------------------------------------------------------------------------------------

run info islands.hdf5 --json
status_is 0
err_is_empty
is_json_lines 1
member_is form '"local"'
member_is bodies 0
member_is contacts 4
member_is rows 12
member_is blocks 8
member_is islands 2
member_is largest_island 2
member_is rank 9
member_is mu_least 0.4
member_is mu_most 0.4
member_above asymmetry 0.011117
member_below asymmetry 0.011119
member_above q_norm 2.449
member_below q_norm 2.450
member_is solution null
run info islands.hdf5
status_is 0
out_has 'rank 9 of 12'
run info slow.hdf5 --json
member_is rank null
member_is mass_ratio 1000000
member_is islands 1
run info stack.hdf5 --json
member_is bodies 5
member_is largest_body 6
member_is blocks 9
member_is asymmetry 0
member_is rank 15
run info joint.hdf5 --json
member_is joints 1
member_is contacts 1
member_is islands 2
run info fixed.hdf5 empty.hdf5 --json
is_json_lines 2
member_is rank 0
run info known.hdf5 --json
member_is title '"a \"block\" on the étang\u001b[31m"'
member_is description '"first line\nsecond\tline \\ end"'
member_is math_info '"unique"'
that "not two guesses" test "$(member guesses | grep -o '"residual_relative"' | grep -c '')" = 2
run info known.hdf5
status_is 0
out_has 'solution *r u v with a relative residual of'
that "a control character reached the terminal" not grep -q "$(printf '\033')" out

# ---- convert -----------------------------------------------------------------------------------

# A copy says the same of itself as its original, in every number.
facts() {
    "$moreau" info "$1" --json | sed 's/"file":"[^"]*","file_bytes":[0-9]*,//'
}
for file in block stack local islands joint joints fixed empty known; do
    run convert "$file.hdf5" copy.hdf5 --json --force
    status_is 0
    is_json_lines 1
    that "the copy of $file differs" test "$(facts "$file.hdf5")" = "$(facts copy.hdf5)"
done
run convert known.hdf5 copy.hdf5
fails_on copy.hdf5
err_has '--force'
run convert known.hdf5 known.hdf5 --force
status_is 0
out_has 'with its solution and 2 guesses'

# Without its bodies the problem keeps its solution.
run convert known.hdf5 reduced.hdf5 --form local --json
status_is 0
member_is form '"local"'
member_is bodies 0
member_is solution true
member_is guesses 2
run info reduced.hdf5 --json
solution=$(member solution)
that "the solution is another: $solution" test "${solution#'{"v":false,"u":true,"r":true,'}" != "$solution"
run solve reduced.hdf5 --start solution --json
status_is 0
member_below iterations 2
run convert reduced.hdf5 back.hdf5 --form global
fails_on reduced.hdf5
err_has 'cannot be converted to global'
that "convert left a file" not test -e back.hdf5
run convert known.hdf5 kept/ --form global
status_is 0
that "kept/known.hdf5 is not there" test -s kept/known.hdf5

echo "$checks checks, $failures failed"
test "$failures" = 0
