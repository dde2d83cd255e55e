#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# `moreau run` as a user meets it: scenes.sh MOREAU MAKE_PROBLEM READ_JSON
#
# Prints each check that fails and ends with status 1 if any did.

. "$(dirname "$0")/checks.sh"

# ---- the list ----------------------------------------------------------------------------------

run run --list
status_is 0
err_is_empty
out_has '^incline '
out_has '^beads '
out_has 'count=600'
that "a line is longer than 90 columns" not grep -q '.\{91\}' out
run run --list --json
is_json_lines 1
out_has '"name":"incline"'
out_has '"default":0.49'
run run stack --list
status_is 0
out_has '^stack '
out_lacks '^beads '

# ---- wrong calls -------------------------------------------------------------------------------

run run
is_wrong_call 'moreau run --list'
run run stak
is_wrong_call 'did you mean stack?'
run run zzzzz
is_wrong_call 'moreau run --list'
run run stack wall
is_wrong_call 'wall'
run run stack --set cuont=3
is_wrong_call 'did you mean count?'
run run stack --set zzz=3
is_wrong_call 'count, mu, ratio'
run run stack --set count=0
is_wrong_call 'between 1 and 1000'
for value in count count= count=x count=nan count=inf count=3x =3; do
    run run stack --set "$value"
    is_wrong_call '--set\|no parameter'
done
run run stack --set mu=1 --set mu=2
is_wrong_call 'mu=1 and --set mu=2 are both given'
run run stack --count 3
is_wrong_call '--set count=VALUE'
run run stack count=3
is_wrong_call 'did you mean --set count=3?'
run run scenes/nowhere.py
is_wrong_call 'neither a scene nor a file of a robot'
run run stack --steps 3 --time 1
is_wrong_call 'give one of them'
for flag in "--steps -1" "--steps 1.5" "--steps many" "--time -1" "--time nan" "--dt 0" "--dt -0.1" "--dt inf" \
            "--every 0" "--every 1.5"; do
    run run stack $flag
    is_wrong_call "number from"
done
run run stack --time 1e9 --dt 1e-9
is_wrong_call 'more than'
run run stack --method magic
is_wrong_call 'moreau solvers'
run run stack --tol 2
is_wrong_call 'tol'
run run stack --steps 2 --export-problem 2
is_wrong_call 'two values'
run run stack --steps 2 --export-problem 3 late.hdf5
is_wrong_call 'from 1 to 2'
run run stack --steps 2 --export-problem 0 late.hdf5
is_wrong_call 'from 1 to 2'
run run stack --csv same --record same
is_wrong_call 'same file'
run run stack --csv folder/
is_wrong_call 'name a file'
run run stack --csv .
is_wrong_call 'folder'
run run stack --csv nowhere/rows.csv
status_is 1
err_is_one_sentence
err_has 'nowhere/rows.csv'

# ---- what it reports ---------------------------------------------------------------------------

# A block on a slope of 0.5 with mu = 0.49 slides with g (sin - mu cos): its speed after 2 s.
run run incline --json --csv rows.csv
status_is 0
err_is_empty
is_json_lines 1
member_is status '"done"'
member_is scene '"incline"'
member_is steps 200
member_is unsolved_steps 0
member_is bodies 2
member_is dt 0.01
member_above contacts_last 0
member_below worst_residual 1.000001e-8
member_below worst_penetration 1e-6
member_above seconds 0
member_above seconds_solve 0
for key in energy_first energy_last seconds_collide seconds_assemble seconds_advance real_time_factor; do
    that "no $key" not test "$(member "$key")" = '(absent)'
done
that "the head of the CSV is another" \
    test "$(head -1 rows.csv)" = 'time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,name'
that "not a row for each body and recorded step" test "$(grep -c '' rows.csv)" = 403
that "a row has not 15 numbers and a name" awk -F, 'NR > 1 && NF != 16 { exit 1 }' rows.csv
that "the block has not slid as it should" awk -F, '
    END { v = sqrt($10 ^ 2 + $11 ^ 2 + $12 ^ 2); due = 2 * 9.81 * 0.01 / sqrt(1.25)
          exit !(v > due * (1 - 1e-9) && v < due * (1 + 1e-9) && $1 > 1.999 && $1 < 2.001) }' rows.csv
run run incline --set mu=0.51 --steps 50 --csv rows.csv --every 25
status_is 0
err_is_empty
out_has 'incline: 50 steps of 0.01 s'
out_has 'unsolved steps *0 of'
out_has 'worst penetration'
out_has 'energy *initial .* J, final .* J'
out_has 'collide .* assemble .* solve'
that "--every is not kept" test "$(grep -c '' rows.csv)" = 7
that "the block has moved" awk -F, '
    NR > 1 && $2 == 1 { if (n++) { d = ($3 - x) ^ 2 + ($4 - y) ^ 2 + ($5 - z) ^ 2; if (d > 1e-24) exit 1 } else { x = $3; y = $4; z = $5 } }
    END { exit n != 3 }' rows.csv
run run stack --time 0.1 --dt 0.01 --json
member_is steps 10
run run stack --steps 0 --json
status_is 0
member_is steps 0
run run stack --set count=2 --set mu=0.7 --steps 1 --json
member_is bodies 3
member_is parameters '{"count":2,"mu":0.7,"ratio":1}'

# Steps that are not solved are counted and told; --strict makes them a failure.
run run stack --steps 5 --max-iter 0 --json
status_is 0
member_is unsolved_steps 5
member_is first_unsolved_step 1
member_is first_unsolved_status '"iteration-limit"'
run run stack --steps 5 --max-iter 0 --strict
status_is 1
out_has '5 UNSOLVED'
out_has 'unsolved steps *5 of 5; the first is step 1'
run run stack --steps 5 --max-iter 0 --explain
status_is 0
out_has 'to blame *method: '

# Every scene can be built and takes a step.
"$moreau" run --list | sed -n 's/^\([a-z][a-z-]*\)  *[a-z].*/\1/p' > scenes
that "no scenes" test "$(grep -c '' scenes)" -gt 5
while read -r scene; do
    run run "$scene" --steps 2 --json < /dev/null
    status_is 0
    is_json_lines 1
    member_is steps 2
done < scenes

# The same bits for every number of threads.
run run wall --set courses=4 --set length=4 --steps 10 --save-state one
run run wall --set courses=4 --set length=4 --steps 10 --threads 2 --save-state two
that "the threads change the state" cmp -s one two

# ---- states ------------------------------------------------------------------------------------

run run domino --set count=4 --steps 40 --save-state whole
status_is 0
run run domino --set count=4 --steps 20 --save-state half
run run domino --set count=4 --steps 20 --load-state half --save-state rest --json
status_is 0
member_above time_first 0.0999
that "a run that was saved and loaded goes on otherwise" cmp -s whole rest
run run domino --set count=5 --load-state half
fails_on half
err_has 'count=4'
run run stack --load-state half --json
fails_on half
is_json_lines 1
member_is status '"error"'
head -c 300 half > short
run run domino --set count=4 --load-state short
fails_on short
sed 's/moreau-state/moreau-stats/' half > other
run run domino --set count=4 --load-state other
fails_on other
run run domino --set count=4 --load-state missing
fails_on missing
# What has no end, and what nobody writes to.
mkfifo pipe
for endless in /dev/zero pipe; do
    run run domino --set count=4 --load-state "$endless"
    fails_on "$endless"
    err_has 'not a regular file'
done
# A disk that is full, or a file that may not grow: the reason is that of the write that failed.
call="moreau run --save-state grown"
(trap '' XFSZ && ulimit -f 8 &&
    exec "$moreau" run wall --set courses=10 --set length=10 --steps 2 --save-state grown) > out 2> err
status=$?
status_is 1
err_has 'File too large'

# ---- what it writes ----------------------------------------------------------------------------

run run stack --set count=3 --steps 4 --export-problem 4 step4.hdf5 --json
status_is 0
member_is problem '"step4.hdf5"'
run info step4.hdf5 --json
member_is contacts 12
member_is bodies 3
member_is title '"stack, step 4"'
run solve step4.hdf5 --start solution --json
status_is 0
member_is iterations 0
# A motor has no place in that format: a sentence, and no file.
run run slider-crank --steps 3 --export-problem 3 crank.hdf5
fails_on crank.hdf5
that "a file was left" not test -e crank.hdf5

run run stack --set count=3 --steps 6 --every 3 --record stack.hdf5 --vtk deep/frames --json
status_is 0
err_is_empty
member_is record '"stack.hdf5"'
that "the recording is not HDF5" test "$(head -c 4 stack.hdf5 | tail -c 3)" = HDF
for frame in 000000 000001 000002; do
    for part in bodies contacts; do
        that "${part}_$frame.vtp is missing" test -s "deep/frames/${part}_$frame.vtp"
        that "$part.pvd lacks $frame" grep -q "file=\"${part}_$frame.vtp\"" "deep/frames/$part.pvd"
    done
done
that "there are other frames" not test -e deep/frames/bodies_000003.vtp
# 3 cubes of 8 corners and 6 faces, and the ground.
that "the bodies are not drawn whole" \
    grep -q 'NumberOfPoints="28" .*NumberOfPolys="19"' deep/frames/bodies_000002.vtp
that "not 12 contacts" grep -q 'NumberOfPoints="12"' deep/frames/contacts_000002.vtp
run run cradle --set balls=3 --steps 4 --record cradle.hdf5 --vtk frames
status_is 0

run run stack --set count=2 --steps 20 --plot plots
status_is 0
that "not a row for each step" test "$(grep -c '' plots/steps.csv)" = 21
# Two cubes of a tonne: the ground holds both, the first holds the second.
that "the normal forces do not add up" awk -F, '
    NR > 10 { due = 3 * 1000 * 9.81; if ($7 < due * (1 - 1e-6) || $7 > due * (1 + 1e-6)) exit 1 }' plots/steps.csv
if command -v gnuplot > /dev/null; then
    for figure in energy forces solve; do
        that "$figure.svg was not drawn" grep -q '<svg' "plots/$figure.svg"
    done
fi
that "a temporary file was left" test -z "$(find . -name '.moreau-*')"

if test -w /dev/full; then
    call="moreau run --json > /dev/full"
    "$moreau" run stack --steps 1 --json > /dev/full 2> err
    status=$?
    : > out
    status_is 1
    err_has 'standard output could not be written'
fi

# ---- Ctrl-C, and the end of a job ------------------------------------------------------------

if command -v timeout > /dev/null; then for signal in INT TERM; do
    call="moreau run, with SIG$signal"
    rm -f cut.csv
    timeout --foreground --preserve-status -s "$signal" 3 "$moreau" run stack --set count=2 --steps 100000000 --csv cut.csv \
        --every 50 --json > out 2> err
    status=$?
    status_is 1
    is_json_lines 1
    member_is status '"interrupted"'
    member_above steps 0
    err_has 'interrupted after'
    that "what was recorded is not written" test "$(grep -c '' cut.csv)" -gt 3
done; fi

# A time limit divides a step into calls: they are no steps.
run run stack --steps 20 --dt 0.01 --time-limit 1e-5 --json
status_is 0
member_is steps 20
member_above waits 0
member_above time_last 0.1999

# Where address space is short, OpenBLAS's threads wait for it: the program ends all the same.
if test "$(ldd "$moreau" | grep -c 'lib[at]san')" = 0; then
    call="run stack, with 160 MB of address space"
    # shellcheck disable=SC3045 # dash, bash and ksh have it
    (ulimit -v 160000 && exec timeout 20 "$moreau" run stack --steps 2) > out 2> err
    status=$?
    that "status $status" test "$status" -le 1
    # A scene is as large as memory allows.
    call="run wall, with 400 MB of address space"
    # shellcheck disable=SC3045
    (ulimit -v 400000 &&
        exec timeout 60 "$moreau" run wall --set courses=200 --set length=1000 --steps 1) > out 2> err
    status=$?
    status_is 1
    err_is_one_sentence
    err_has 'the scene wall could not be built: memory ran out'
fi

echo "$checks checks, $failures failed"
test "$failures" = 0
