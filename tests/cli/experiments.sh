#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# Experiments of the program, `reproduce` and `bench`: experiments.sh MOREAU MAKE_PROBLEM READ_JSON

. "$(dirname "$0")/checks.sh"

call="make_problem ."
"$make_problem" . > out 2> err || { fail "the problems could not be made"; exit 1; }
head -c "$(($(wc -c < stack.hdf5) - 200))" stack.hdf5 > cut.hdf5

# ---- experiments -------------------------------------------------------------------------------

run reproduce lu-trinkle --out lu-trinkle
status_is 0
if test -s lu-trinkle/figure2.png; then # gnuplot is here
    that "a figure is no vector file" grep -q '<svg' lu-trinkle/figure2.svg
    that "its axis has no name" grep -q 'iterations' lu-trinkle/figure2.svg
fi
run reproduce
status_is 0
out_has '(about 4 min)'
run reproduce
status_is 0
out_has '^lu-trinkle '
run solve --help
that "examples come after the flags" test "$(grep -n '^Examples' out | cut -d: -f1)" -lt "$(grep -n '^Flags' out | cut -d: -f1)"
that "a help of more than 130 lines" test "$(grep -c '' out)" -lt 130
out_has '^  --fip.*'
run solvers auto
out_has '^  --ladder.skip N'
run bench --help
status_is 0
out_has '^standing .*'
out_has 'moreau bench NAME --help'
run bench
status_is 0
out_has '^sweep '
run bench sweep --contacts 2000 --json
status_is 0
is_json_lines 1
run bench scaling --contacts 1000 --out scaled
status_is 0
out_has 'bytes a contact'
that "scaled/scaling.csv is not there" test -s scaled/scaling.csv
: > occupied
for name in scaling levels solvers sim standing; do # before anything is measured
    run bench "$name" --out occupied/in
    status_is 1
    out_is_empty
    err_is_one_sentence
    err_has 'occupied/in'
done
for name in violent collide links; do
    run bench "$name" --out unused
    is_wrong_call 'leave out --out'
done
run bench families --contacts 5 --json
status_is 0
is_json_lines 1
run bench families --contacts 4
is_wrong_call 'whole number'
run bench scaling --contacts few
is_wrong_call 'whole number'
run bench --json
is_json_lines 1
run bench solvers block.hdf5 stack.hdf5 --methods auto,nsgs --targets 1e-3,1e-9 --repeats 1 --out board
status_is 0
err_is_empty
out_has '^Time to a residual of 1e-9'
out_has '^block .* us '
out_has '^stack '
that "runs.csv has not 8 runs" test "$(wc -l < board/runs.csv)" = 9
that "a run of runs.csv is not solved" not grep -v -e ',solved,' -e '^problem,' board/runs.csv
that "the table of the profile is missing" test -s board/profile-1e-9.csv
if command -v gnuplot > /dev/null; then
    that "the profile was not drawn" grep -q '<svg' board/profile-1e-9.svg
fi
run bench solvers block.hdf5 stack.hdf5 --methods auto --targets 1e-8 --repeats 1 --keep kept/desk
status_is 0
err_is_empty
kept=$(find kept/desk -name '*-*.csv' ! -name '*profile*')
that "the machine is not in the kept table" grep -q '^# machine: desk$' "$kept"
that "the compiler is not in the kept table" grep -q '^# compiler: [A-Za-z]' "$kept"
that "the kept table has not 2 runs" test "$(grep -c ',moreau,auto,1e-8,solved,' "$kept")" = 2
run bench slower kept/desk
status_is 1
err_is_one_sentence
err_has 'holds 1 table'
# The same table with the block a hundred times slower, and with the stack not solved.
sed 's/^\("block",.*,solved,\)[^,]*/\1100/' "$kept" > kept/desk/9999-slow.csv
run bench slower kept/desk
status_is 1
err_is_empty
out_has '^slower  block '
out_has '1 slower and 0 faster by a factor of 1.3, 0 no longer solved'
run bench slower kept/desk/9999-slow.csv "$kept"
status_is 0
out_has '0 slower and 1 faster'
sed 's/^\("stack",.*\),solved,/\1,stalled,/' "$kept" > lost.csv
run bench slower --json "$kept" lost.csv
status_is 1
is_json_lines 1
out_has '"change":"lost"'
run bench slower "$kept" block.hdf5
status_is 1
err_is_one_sentence
err_has 'block.hdf5'
run bench slower "$kept"
status_is 2
run bench slower kept/desk --noise 0.5
status_is 2
mkdir -p several/deep && cp local.hdf5 joint.hdf5 several && cp islands.hdf5 several/deep
run bench --json solvers several/ --methods nsgs --repeats 1
is_json_lines 1
status_is 0
out_has '"name":"islands","form":"reduced"'
run bench solvers block.hdf5 cut.hdf5 --methods nsgs
fails_on cut.hdf5
run bench solvers block.hdf5 --against nobody
status_is 1
err_is_one_sentence
err_has 'nobody'
run bench solvers block.hdf5 --peer-results block.hdf5
status_is 1
err_is_one_sentence
err_has 'runs.csv'
if ! has_peer siconos; then
    run bench solvers block.hdf5 --against siconos
    status_is 1
    err_is_one_sentence
    err_has 'libsiconos-numerics-dev'
fi

echo "$checks checks, $failures failed"
test "$failures" = 0
