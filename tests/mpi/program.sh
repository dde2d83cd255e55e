#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# program.sh PROGRAM MPIEXEC: a rank that dies ends the run with a sentence and leaves the last
# checkpoint whole; another number of ranks goes on from it, on the trajectory of an undisturbed run.
set -euo pipefail
program=$1 mpiexec=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { "$mpiexec" --oversubscribe -n "$@"; }
fail() {
    echo "$*" >&2
    exit 1
}
beads=(run beads --set count=150 --dt 0.02 --tol 1e-2)

# value NAME FILE: a number or a text of a JSON object.
value() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"; }

"$mpiexec" --oversubscribe -n 3 "$program" "${beads[@]}" --steps 1000000 --checkpoint run.heap --checkpoint-every 5 \
    >out 2>err &
run=$!
for _ in $(seq 600); do
    [[ -e run.heap ]] && break
    sleep 0.1
done
[[ -e run.heap ]] || fail "no checkpoint was written"
victim=$(pgrep -P "$run" | tail -n 1)
[[ -n $victim ]] || fail "no rank was found"
kill -KILL "$victim"
status=0
wait "$run" || status=$?
[[ $status -ne 0 ]] || fail "a run that lost a rank has the exit status 0"
grep -q 'rank has died' err || fail "no sentence tells that a rank died: $(cat err)"
grep -q 'run.heap is whole' err || fail "the sentence does not name the checkpoint: $(cat err)"

# From the checkpoint, on two ranks; and the same number of steps at once, on one.
ranks 2 "$program" run beads --restart run.heap --steps 3 --json >restarted
steps=$(value steps restarted)
[[ $steps -gt 3 ]] || fail "the checkpoint is of step $((steps - 3))"
ranks 1 "$program" "${beads[@]}" --steps "$steps" --json >whole
[[ $(value hash restarted) == "$(value hash whole)" ]] ||
    fail "after $steps steps: $(value hash restarted), undisturbed $(value hash whole)"
echo "killed after a checkpoint, restarted, same state after $steps steps"

# Rows by rank, joined, are those of one rank.
ranks 1 "$program" "${beads[@]}" --steps 6 --csv one.csv --every 2 >out
ranks 3 "$program" "${beads[@]}" --steps 6 --csv three.csv --every 2 >out
"$program" join one.csv
"$program" join three.csv
cmp one.csv three.csv || fail "the joined rows differ"
[[ $(wc -l <three.csv) -eq 601 && ! -e three.csv.rank-0 ]] || fail "rows are missing"

# Bad calls: a sentence and the status 2; files that are not there or are damaged: 1.
expect() {
    local wanted=$1 status=0
    shift
    "$program" "$@" >out 2>err || status=$?
    [[ $status -eq $wanted && $(grep -c . err) -eq 1 ]] || fail "$* ends with $status: $(cat err)"
}
expect 2 fly
expect 2 run cubes
expect 2 run beads --set count=none
expect 2 run beads --steps
expect 2 bench --contacts 0
expect 2 solve
expect 1 solve missing.hdf5
expect 1 run beads --restart missing.heap
head -c 1000 run.heap >damaged.heap
expect 1 run beads --restart damaged.heap
expect 1 join missing.csv
"$program" run --help | grep -q -- --restart || fail "no help"
