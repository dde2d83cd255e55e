#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# signals.sh MOREAU MAKE_PROBLEM READ_JSON [MOMENTS [LONGEST]]: SIGTERM ends every command, whatever
# it does.
#
# Each command is ended at a moment up to LONGEST ms after its start.  It has to be gone within a
# second, with all processes that it started; a machine that is busy is given three, and the slowest
# is printed.  moreau-mpi is tried where it lies beside MOREAU.  200 moments: every command four times.
# shellcheck source=tests/cli/checks.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/checks.sh"
moments=${4:-19} longest=${5:-1000}
cp "$here/../../scenes/models/quadruped.xml" "$here/../../scenes/models/hand.xml" . || exit 1
"$make_problem" . || exit 1
"$moreau" run stack --steps 60 --record film.hdf5 > /dev/null || exit 1

now() { date +%s%3N; } # ms

# A moment in ms, the same ones in every run.
seed=12345
moment() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    at=$((seed / 65536 % longest))
}

# Long work in every place where a program can be; the first ones are tried by ./test.
commands=$(cat <<'END'
moreau run wall --set courses=60 --set length=300 --time 100
moreau run stack --time 100000 --record run.hdf5 --csv run.csv
moreau solve slow.hdf5 --method nsgs --tol 1e-16 --max-iter 2000000000
moreau view wall --set courses=200 --set length=1000 --no-open
moreau view stack --no-open
moreau bench sim
moreau check slow.hdf5
moreau reproduce acary-cadoux
moreau bench scaling
moreau forces wall --set courses=60 --set length=300
moreau render film.hdf5 film.webp --size 1600x1200 --fps 100
moreau render wall wall.png --set courses=60 --set length=300 --time 100
moreau compare quadruped.xml --time 1000
moreau solve slow.hdf5 --method ipm --tol 1e-16 --max-iter 2000000000
moreau bench solvers . --repeats 1000
moreau run quadruped.xml --time 100000 --replay run.html
moreau view film.hdf5 --no-open
moreau bench violent
moreau-mpi run beads --set count=20000 --time 100
moreau info slow.hdf5
moreau convert slow.hdf5 other.hdf5
moreau solvers
moreau bench sweep
moreau bench beads
moreau bench families
moreau bench collide
moreau bench links
moreau bench levels
moreau bench slower .
moreau bench standing
moreau bench passive
moreau bench lasting quadruped.xml
moreau bench overlap
moreau bench deadline
moreau reproduce anitescu-hart
moreau reproduce baraff
moreau reproduce bead-piles
moreau reproduce brazil-nut
moreau reproduce cannonball
moreau reproduce lu-trinkle
moreau reproduce painleve
moreau reproduce trinkle-pang
moreau reproduce trinkle-pang-verdicts
moreau run hand.xml --time 100000
moreau view quadruped.xml --no-open
moreau-mpi solve slow.hdf5 --tol 1e-16 --max-iter 2000000000
moreau-mpi bench --contacts 1000000 --sweeps 100000
moreau-mpi join film.hdf5
END
)
kinds=$(echo "$commands" | wc -l)
arguments() { echo "$commands" | sed -n "$(($1 % kinds + 1))p"; }

# Starts it with a process group of its own, which has its number.
start() {
    # shellcheck disable=SC2046 # words without spaces
    set -- $(arguments "$1")
    program=$(dirname "$moreau")/$1
    shift
    [ -x "$program" ] || exit 0
    exec setsid "$program" "$@"
}

# Is nobody at work in the group?  Those who are told to go are given a moment; what is dead and not
# yet buried (Z) is the affair of the system.
group_is_gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        cat /proc/[0-9]*/stat 2> /dev/null |
            awk -v group="$1" '$5 == group && $3 !~ /[ZX]/ { left = 1 } END { exit left }' && return 0
        sleep 0.1
    done
    return 1
}

temporary_left() { find . -name '.moreau-*.part' | grep -q .; }
none_left() { ! temporary_left; }

slowest=0
k=0
while [ "$k" -lt "$moments" ]; do
    moment
    call="$(arguments "$k"), ended after $at ms"
    (start "$k") > out 2> err &
    process=$!
    sleep "$((at / 1000)).$(printf %03d $((at % 1000)))"
    began=$(now)
    kill -TERM "$process" 2> /dev/null
    wait "$process" 2> /dev/null
    took=$(($(now) - began))
    that "it took $took ms to end" test "$took" -lt 3000
    that "processes that it started are left" group_is_gone "$process"
    that "a temporary file is left" none_left
    [ "$took" -le "$slowest" ] || slowest=$took
    k=$((k + 1))
done
# In the middle of a step, while a table is being written.
call="moreau run wall, ended when its table has been begun"
"$moreau" run wall --set courses=60 --set length=300 --time 100 --csv wall.csv > out 2> err &
process=$!
tries=0
until temporary_left || [ "$tries" -ge 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
that "it begins a table" temporary_left
kill -TERM "$process" 2> /dev/null
wait "$process" 2> /dev/null
that "a temporary file is left" none_left

echo "$moments moments, the slowest end after $slowest ms"

echo "$checks checks, $failures failed"
test "$failures" = 0
