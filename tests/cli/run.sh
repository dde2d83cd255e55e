#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# The program as a user meets it: run.sh MOREAU MAKE_PROBLEM READ_JSON
#
# Every check compares something real: an exit status, a stream, a number.  Prints each check that
# fails and ends with status 1 if any did.

. "$(dirname "$0")/checks.sh"

call="make_problem ."
"$make_problem" . > out 2> err || { fail "the problems could not be made"; exit 1; }

# ---- help and names ----------------------------------------------------------------------------

run --help
status_is 0
err_is_empty
for command in run solve check info solvers convert reproduce bench; do
    out_has "^  $command "
done
run --version
status_is 0
out_has '^moreau [0-9]*\.[0-9]*\.[0-9]*$'
run
status_is 2
err_has '^Usage: moreau COMMAND'
for command in run solve check info solvers convert reproduce bench; do
    run "$command" --help
    status_is 0
    err_is_empty
    out_has "^Usage: moreau $command"
    out_has '^Examples:'
    out_has "^  moreau $command"
    out_has '^  --json'
    that "a line is longer than 80 columns" not grep -q '.\{81\}' out
    that "an exponent is padded" not grep -q '[0-9]e[-+]*0[0-9]\|[0-9]e+' out
    cp out expected
    run help "$command"
    that "moreau help differs from --help" cmp -s out expected
done
run slove
is_wrong_call "did you mean solve?"
run frobnicate
is_wrong_call "moreau --help"
run ""
is_wrong_call "no command ''"

# ---- wrong calls -------------------------------------------------------------------------------

run solve
is_wrong_call 'moreau solve: .*FILE'
run solve ""
is_wrong_call 'empty'
run solve block.hdf5 --tol
is_wrong_call '--tol needs a value'
run solve block.hdf5 --tol --json
is_wrong_call '--tol needs a value'
run solve block.hdf5 --tol=
is_wrong_call '--tol needs a value'
for value in nan inf -1 2 1e999 one "" 1e-8x; do
    run solve block.hdf5 --tol "$value"
    is_wrong_call 'tol'
done
for value in 1.5 -1 1e300 nan 99999999999999999999 ten; do
    run solve block.hdf5 --max-iter "$value"
    is_wrong_call 'max.iter'
done
run solve block.hdf5 --prox.rule best
is_wrong_call 'fixed|foerg'
run solve block.hdf5 --tol 1e-6 --tol 1e-8
is_wrong_call 'twice'
run solve block.hdf5 --json=yes
is_wrong_call 'no value'
run solve block.hdf5 --tool 1e-6
is_wrong_call 'did you mean --tol?'
run solve block.hdf5 --maxiter 5
is_wrong_call 'did you mean --max-iter?'
run solve block.hdf5 -j
is_wrong_call 'no flag -j'
run solve block.hdf5 --=
is_wrong_call 'no flag'
run solve block.hdf5 --method nsg
is_wrong_call 'did you mean nsgs?'
run solve block.hdf5 --method magic
is_wrong_call 'moreau solvers'
run solve block.hdf5 --start hot
is_wrong_call 'zero, guess, solution'
run solve block.hdf5 stack.hdf5 --out one.hdf5
is_wrong_call 'folder'
run solve block.hdf5 stack.hdf5 --history one.csv
is_wrong_call 'folder'
run solve block.hdf5 ./block.hdf5 --out results/
is_wrong_call 'same file'
cp block.hdf5 kept.hdf5
run solve block.hdf5 --history block.hdf5
is_wrong_call 'overwrite'
run solve block.hdf5 --history ./block.hdf5
is_wrong_call 'overwrite'
run solve block.hdf5 --out one.hdf5 --history one.hdf5
is_wrong_call 'overwrite'
that "the input has changed" cmp -s block.hdf5 kept.hdf5
run solve block.hdf5 --out .
is_wrong_call 'folder'
run solve block.hdf5 --out /dev/null
is_wrong_call 'not a regular file'
run convert block.hdf5
is_wrong_call 'IN OUT'
run convert block.hdf5 a.hdf5 b.hdf5
is_wrong_call 'b.hdf5'
run convert block.hdf5 a.hdf5 --form round
is_wrong_call 'neither local nor global'
run solvers nsgs prox
is_wrong_call 'prox'
run solvers magic
is_wrong_call 'moreau solvers'
run reproduce nothing
is_wrong_call 'moreau reproduce'
run bench nothing
is_wrong_call 'moreau bench'
run bench solvers --methods auto,magic
is_wrong_call 'magic'
run bench solvers --targets 1e-8,1e-4
is_wrong_call 'targets'
run bench solvers --time-limit soon
is_wrong_call 'time-limit'

# ---- solve: one file ---------------------------------------------------------------------------

run solve block.hdf5 --json
status_is 0
err_is_empty
is_json_lines 1
member_is file '"block.hdf5"'
member_is status '"solved"'
member_is form '"global"'
member_is contacts 1
member_is joints 0
member_is dofs 6
member_is rows 3
member_is tol 1e-08
member_above iterations 0
member_above seconds 0
for key in residual residual_relative penetration_rate cone_violation dissipation power siconos_q siconos_full \
           siconos_global; do
    member_below "$key" 1e-7
done
for key in method message; do
    that "no $key" not test "$(member "$key")" = '(absent)'
done

run solve block.hdf5
status_is 0
err_is_empty
out_has '^block.hdf5: solved$'
out_has '1 contact, 3 rows; 1 body, 6 dofs'

# The same for every method, which `moreau solvers` names.
run solvers --json
is_json_lines 1
run solvers
methods=$(sed -n 's/^\([a-z][a-z0-9-]*\)  .*/\1/p' out)
that "no methods listed" test -n "$methods"
out_has 'the default'
for method in $methods; do
    run solvers "$method"
    status_is 0
    out_has "^  --tol X, from 0 to 1"
    run solvers "$method" --json
    is_json_lines 1
    # A method that replaces the cone by another law is judged by the true one, and owes no solution.
    if ! grep -q '"by_facets": *\[\]' out || ! grep -q '"relaxed": *\[\]' out; then
        run solve block.hdf5 --method "$method" --json
        is_json_lines 1
        member_is method "\"$method\""
        continue
    fi
    for file in block stack local joint joints fixed empty; do
        run solve "$file.hdf5" --method "$method" --max-iter 200000 --json
        status_is 0
        err_is_empty
        is_json_lines 1
        member_is method "\"$method\""
        member_is status '"solved"'
        member_below residual_relative 1.000001e-8
    done
done

# Flags reach the solver, whichever way they are written.
run solve stack.hdf5 --max-iter 0 --json
status_is 1
member_is status '"iteration-limit"'
member_is iterations 0
err_is_one_sentence
err_has 'stack.hdf5.*not solved (iteration-limit)'
run solve stack.hdf5 --max-iter=0
status_is 1
out_has 'NOT SOLVED'
out_has 'suggestion'
run solve --max_iter 1 stack.hdf5 --json --tol 1e-14
member_is iterations 1
run solve stack.hdf5 --json --tol=0.5
status_is 0
member_is tol 0.5
run solve slow.hdf5 --method nsgs --json --tol 1e-14 --max-iter 2000000000 --time-limit 0.2
status_is 1
member_is status '"time-limit"'
member_below seconds 2

# ---- solve: what it writes ---------------------------------------------------------------------

run solve stack.hdf5 --out solved.hdf5 --history stack.csv --json
status_is 0
member_is out '"solved.hdf5"'
member_is history '"stack.csv"'
that "the history has another head" test "$(head -1 stack.csv)" = 'iteration,seconds,residual,residual_relative'
that "the history has no rows" test "$(grep -c '' stack.csv)" -gt 1
that "a row of the history has not four numbers" \
    awk -F, 'NR > 1 && (NF != 4 || $1 != int($1) || $2 < 0 || $3 != $3 + 0 || $4 != $4 + 0) { exit 1 }' stack.csv
that "the history does not end at the tolerance" awk -F, 'END { exit !($4 <= 1e-8) }' stack.csv
run info solved.hdf5 --json
member_is rows 15
solution=$(member solution)
that "the solution lacks v, u or r: $solution" test "${solution#'{"v":true,"u":true,"r":true,'}" != "$solution"

# From its solution a problem is solved at once; from a guess it may be; without one it fails.
run solve solved.hdf5 --start solution --json
status_is 0
member_below iterations 2
run solve known.hdf5 --start guess --json
status_is 0
run solve stack.hdf5 --start solution
fails_on stack.hdf5
err_has 'holds no solution'
run solve stack.hdf5 --start guess --json
fails_on stack.hdf5
is_json_lines 1
member_is status '"error"'

# In place, and several into a folder that is made for them.
cp stack.hdf5 place.hdf5
run solve place.hdf5 --out place.hdf5
status_is 0
run info place.hdf5
out_has 'solution *r u v with a relative residual'
run solve block.hdf5 stack.hdf5 --out results/ --history results/
status_is 0
for file in results/block.hdf5 results/stack.hdf5; do
    that "$file is not there" test -s "$file"
    that "$file.csv is not there" test -s "$file.csv"
done
run solve block.hdf5 --out nowhere/block.hdf5
status_is 1
err_is_one_sentence
err_has 'nowhere/block.hdf5'

# What was not solved says so where it is written.
run solve slow.hdf5 --max-iter 1 --out slow-out.hdf5
status_is 1
out_has 'not a solution'

# ---- solve: several files ----------------------------------------------------------------------

run solve block.hdf5 missing.hdf5 stack.hdf5 --json
status_is 1
is_json_lines 3
err_is_one_sentence
err_has '^moreau: missing.hdf5: '
that "the order is another" test "$(member file | tr -d '\n')" = '"block.hdf5""missing.hdf5""stack.hdf5"'
that "the wrong one failed" test "$(member error | cut -c1-8 | head -1)" = '(absent)'
that "the failed one has no error" not test "$(member error | sed -n 2p)" = '(absent)'
run solve block.hdf5 stack.hdf5 local.hdf5
status_is 0
err_is_empty
out_has '^file .*status .*contacts'
out_has '^block.hdf5 .*solved .* 1 '
out_has '^3 of 3 files solved'
many=$(awk 'BEGIN { for (k = 0; k < 2000; ++k) printf "block.hdf5 " }')
run solve $many --json
status_is 0
is_json_lines 2000

# The same bits twice, and for any number of threads.
for threads in 1 2; do
    run solve stack.hdf5 slow.hdf5 --json --threads "$threads" --max-iter 50
    member residual > "residual-$threads"
done
that "the threads change the answer" cmp -s residual-1 residual-2

# ---- Ctrl-C ------------------------------------------------------------------------------------

if command -v timeout > /dev/null; then
    # in the foreground: otherwise timeout signals its group too, and the second Ctrl-C ends the program at once
    call="moreau solve slow.hdf5 stack.hdf5, interrupted"
    timeout --foreground --preserve-status -s INT 3 "$moreau" solve slow.hdf5 stack.hdf5 --method nsgs --json --tol 1e-15 \
        --max-iter 2000000000 > out 2> err
    status=$?
    status_is 1
    is_json_lines 1
    member_is status '"cancelled"'
    member_above iterations 0
    err_has 'interrupted with 1 file left'
fi

# ---- files that are no problems ----------------------------------------------------------------

: > nothing.hdf5
printf 'this is not HDF5\n' > text.hdf5
mkdir folder.hdf5
head -c 1000 stack.hdf5 > short.hdf5
head -c "$(($(wc -c < stack.hdf5) - 200))" stack.hdf5 > cut.hdf5
for file in missing nothing text folder short cut; do
    for command in solve info; do
        run "$command" "$file.hdf5"
        out_is_empty
        fails_on "$file.hdf5"
        run "$command" "$file.hdf5" --json
        fails_on "$file.hdf5"
        is_json_lines 1
        member_is file "\"$file.hdf5\""
        that "no error in the object" not test "$(member error)" = '(absent)'
    done
    run convert "$file.hdf5" out.hdf5
    fails_on "$file.hdf5"
    that "convert left a file" not test -e out.hdf5
done

# Names that need escapes.
name=$(printf 'a"b\\c\td\033[31m\377.hdf5')
cp block.hdf5 "$name"
run solve "$name" --json
status_is 0
is_json_lines 1
member_is file '"a\"b\\c\td\u001b[31m\ufffd.hdf5"'
run info "$name"
status_is 0
that "a control character reached the terminal" not grep -q "$(printf '\033')" out
cp block.hdf5 -- --json
run info -- --json
status_is 0
out_has '^--json$'

# ---- bounds and blame --------------------------------------------------------------------------

run solve stack.hdf5 --bound --json
status_is 0
out_has '"bound":{"proven":true,"v":[0-9.e-]*,'
out_lacks explained
run solve stack.hdf5 --bound
out_has 'proven to be within'
run solve rod.hdf5 --bound --explain --json
status_is 1
out_has '"bound":{"proven":false,"v":null'
out_has '"to_blame":"problem","verdict":"none"'
run solve stack.hdf5 --method prox --max-iter 2 --explain
out_has 'to blame  *method: it is proven that exactly one solution exists'
run solve islands.hdf5 --bound --explain
status_is 0
out_has 'methods tried  *[a-z]'
out_has 'docs/methods/auto.md describes them'

# ---- standard output that cannot be written ----------------------------------------------------

if test -w /dev/full; then
    call="moreau ... > /dev/full"
    for command in "--help" "solvers" "solve block.hdf5 --json" "info block.hdf5" \
                   "convert block.hdf5 full.hdf5 --force"; do
        "$moreau" $command > /dev/full 2> err
        status=$?
        : > out
        status_is 1
        err_is_one_sentence
        err_has 'standard output could not be written'
    done
fi
call="moreau solve block.hdf5 with standard output closed"
"$moreau" solve block.hdf5 --out closed.hdf5 >&- 2> err
status=$?
status_is 1
err_has 'standard output could not be written'
run info closed.hdf5
status_is 0

echo "$checks checks, $failures failed"
test "$failures" = 0
