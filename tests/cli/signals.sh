#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# signals.sh MOREAU MAKE_PROBLEM READ_JSON [MOMENTS [LONGEST]]: SIGTERM ends every command, whatever it does.
#
# Each command is ended at a moment up to LONGEST ms after its start.  It has to be gone within a
# second; a machine that is busy is given three, and the slowest is printed.
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"
moments=${4:-10} longest=${5:-1000}
"$make_problem" . || exit 1

now() { date +%s%3N; } # ms

# A moment in ms, the same ones in every run.
seed=12345
moment() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    at=$((seed / 65536 % longest))
}

# The command of number $1: long work in every place where a program can be.
start() {
    case $(($1 % 10)) in
        0) exec "$moreau" run wall --set courses=60 --set length=300 --time 100 ;;
        1) exec "$moreau" run stack --time 100000 --record run.hdf5 --csv run.csv ;;
        2) exec "$moreau" solve slow.hdf5 --method nsgs --tol 1e-16 --max-iter 2000000000 ;;
        3) exec "$moreau" view wall --set courses=200 --set length=1000 --no-open ;;
        4) exec "$moreau" view stack --no-open ;;
        5) exec "$moreau" bench sim ;;
        6) exec "$moreau" check slow.hdf5 ;;
        7) exec "$moreau" reproduce acary-cadoux ;;
        8) exec "$moreau" bench scaling ;;
        9) exec "$moreau" forces wall --set courses=60 --set length=300 ;;
    esac
}

slowest=0
k=0
while [ "$k" -lt "$moments" ]; do
    moment
    call="command $((k % 10)) after $at ms"
    (start "$k") > out 2> err &
    process=$!
    sleep "$((at / 1000)).$(printf %03d $((at % 1000)))"
    began=$(now)
    kill -TERM "$process" 2> /dev/null
    wait "$process" 2> /dev/null
    took=$(($(now) - began))
    that "it took $took ms to end" test "$took" -lt 3000
    [ "$took" -le "$slowest" ] || slowest=$took
    k=$((k + 1))
done
echo "$moments moments, the slowest end after $slowest ms"

echo "$checks checks, $failures failed"
test "$failures" = 0
