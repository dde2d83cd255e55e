#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# signals.sh MOREAU MAKE_PROBLEM READ_JSON [MOMENTS [LONGEST]]: SIGTERM ends every command, whatever
# it does.
#
# Each command is ended at a moment up to LONGEST ms after its start.  It has to be gone within a
# second, with all processes that it started; a machine that is busy is given three, and the slowest
# is printed.  moreau-mpi is tried where it lies beside MOREAU.
# shellcheck source=tests/cli/checks.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/checks.sh"
moments=${4:-19} longest=${5:-1000}
cp "$here/../../scenes/models/quadruped.xml" . || exit 1
"$make_problem" . || exit 1
"$moreau" run stack --steps 60 --record film.hdf5 > /dev/null || exit 1
mpi=$(dirname "$moreau")/moreau-mpi

now() { date +%s%3N; } # ms

# A moment in ms, the same ones in every run.
seed=12345
moment() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    at=$((seed / 65536 % longest))
}

# The command of number $1: long work in every place where a program can be.
kinds=19
arguments() {
    case $(($1 % kinds)) in
        0) echo run wall --set courses=60 --set length=300 --time 100 ;;
        1) echo run stack --time 100000 --record run.hdf5 --csv run.csv ;;
        2) echo solve slow.hdf5 --method nsgs --tol 1e-16 --max-iter 2000000000 ;;
        3) echo view wall --set courses=200 --set length=1000 --no-open ;;
        4) echo view stack --no-open ;;
        5) echo bench sim ;;
        6) echo check slow.hdf5 ;;
        7) echo reproduce acary-cadoux ;;
        8) echo bench scaling ;;
        9) echo forces wall --set courses=60 --set length=300 ;;
        10) echo render film.hdf5 film.webp --size 1600x1200 --fps 100 ;;
        11) echo render wall wall.png --set courses=60 --set length=300 --time 100 ;;
        12) echo compare quadruped.xml --time 1000 ;;
        13) echo solve slow.hdf5 --method ipm --tol 1e-16 --max-iter 2000000000 ;;
        14) echo bench solvers . --repeats 1000 ;;
        15) echo run quadruped.xml --time 100000 --replay run.html ;;
        16) echo view film.hdf5 --no-open ;;
        17) echo bench violent ;;
        18) echo run beads --set count=20000 --time 100 ;; # of moreau-mpi, where it is
    esac
}

# Starts it with a process group of its own, which has its number.
start() {
    program=$moreau
    if [ $(($1 % kinds)) = 18 ] && [ -x "$mpi" ]; then
        program=$mpi
    fi
    # shellcheck disable=SC2046 # words without spaces
    exec setsid "$program" $(arguments "$1")
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

slowest=0
k=0
while [ "$k" -lt "$moments" ]; do
    moment
    call="moreau $(arguments "$k"), ended after $at ms"
    (start "$k") > out 2> err &
    process=$!
    sleep "$((at / 1000)).$(printf %03d $((at % 1000)))"
    began=$(now)
    kill -TERM "$process" 2> /dev/null
    wait "$process" 2> /dev/null
    took=$(($(now) - began))
    that "it took $took ms to end" test "$took" -lt 3000
    that "processes that it started are left" group_is_gone "$process"
    [ "$took" -le "$slowest" ] || slowest=$took
    k=$((k + 1))
done
echo "$moments moments, the slowest end after $slowest ms"

echo "$checks checks, $failures failed"
test "$failures" = 0
