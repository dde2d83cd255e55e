#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# program.sh PROGRAM MPIEXEC MOREAU: a rank that dies ends the run with a sentence and leaves the
# last checkpoint whole; another number of ranks goes on from it, on the trajectory of an undisturbed
# run.  Rows and recordings by rank, joined, are those of one rank.  Bad calls and files end on all
# ranks with one sentence.
set -euo pipefail
program=$1 mpiexec=$2 moreau=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { "$mpiexec" --oversubscribe -n "$@"; }
fail() {
    echo "$*" >&2
    exit 1
}
beads=(run beads --set count=150 --set restitution=0.4 --dt 0.02 --tol 1e-2)

# value NAME FILE: a number or a text of a JSON object.
value() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"; }

# kill_a_rank RANK: in a folder of its own, starts a run on three ranks and kills this one once there
# is a checkpoint.  Each writes to files of its own, err.RANK: mpiexec may end before it has passed on
# what came last.
kill_a_rank() {
    mkdir "victim.$1"
    cd "victim.$1"
    "$mpiexec" --oversubscribe --mca odls_base_sigkill_timeout 3 -n 3 bash -c \
        'echo $$ >"process.$OMPI_COMM_WORLD_RANK"; exec "$@" >out 2>"err.$OMPI_COMM_WORLD_RANK"' - \
        "$program" "${beads[@]}" --steps 1000000 --checkpoint run.heap --checkpoint-every 5 \
        >out 2>err &
    local run=$! status=0
    for _ in $(seq 600); do
        [[ -e run.heap ]] && break
        sleep 0.1
    done
    [[ -e run.heap ]] || fail "no checkpoint was written"
    kill -KILL "$(cat "process.$1")"
    wait "$run" || status=$?
    [[ $status -ne 0 ]] || fail "a run that lost rank $1 has the exit status 0"
    [[ $(cat err.* | grep -c 'rank has died') -eq 1 ]] ||
        fail "rank $1 died, and not one sentence tells: $(cat err.*)"
    cat err.* | grep -q 'run.heap is whole' || fail "it does not name the checkpoint: $(cat err.*)"
}

# mpiexec leaves the other ranks three seconds: both at once.
kill_a_rank 0 &
first=$!
(kill_a_rank 2)
wait "$first"
cp victim.2/run.heap .

# From the checkpoint, on two ranks; and the same number of steps at once, on one.
ranks 2 "$program" run beads --restart run.heap --steps 3 --json >restarted
steps=$(value steps restarted)
[[ $steps -gt 3 ]] || fail "the checkpoint is of step $((steps - 3))"
"$program" "${beads[@]}" --steps "$steps" --json >whole
[[ $(value hash restarted) == "$(value hash whole)" ]] ||
    fail "after $steps steps: $(value hash restarted), undisturbed $(value hash whole)"
echo "killed after a checkpoint, restarted, same state after $steps steps"

# Rows by rank, joined, are those of one rank.
"$program" "${beads[@]}" --steps 6 --csv one.csv --every 2 >out
ranks 3 "$program" "${beads[@]}" --steps 6 --csv three.csv --every 2 --progress >out 2>err
grep -q '^step [1-6]: [0-9]* contacts, [0-9]* sweeps, residual ' err || fail "no progress: $(cat err)"
"$program" join one.csv
"$program" join three.csv
cmp one.csv three.csv || fail "the joined rows differ"
[[ $(wc -l <three.csv) -eq 601 && ! -e three.csv.rank-0 ]] || fail "rows are missing"

expect() {
    local wanted=$1 status=0
    shift
    "$program" "$@" >out 2>err || status=$?
    [[ $status -eq $wanted && $(grep -c . err) -eq 1 ]] || fail "$* ends with $status: $(cat err)"
}

# Recordings by rank, joined, are those of one rank, byte by byte; moreau reads them.
for scene in beads heap; do
    "$program" run "$scene" --set count=30 --steps 8 --record one.hdf5 --every 2 >out
    ranks 3 "$program" run "$scene" --set count=30 --steps 8 --record three.hdf5 --every 2 >out
    "$program" join one.hdf5
    "$program" join three.hdf5
    cmp one.hdf5 three.hdf5 || fail "the joined recordings of $scene differ"
    [[ ! -e three.hdf5.rank-2 ]] || fail "parts are left"
done
"$moreau" render three.hdf5 three.png --size 160x120 >out || fail "no image: $(cat out)"
[[ $(head -c 4 three.png | tail -c 3) == PNG ]] || fail "no image of the joined recording"

# A part that is empty, a folder, or of another kind.
: >empty.hdf5.rank-0
expect 1 join empty.hdf5
cp three.hdf5 whole.hdf5.rank-0
expect 1 join whole.hdf5
mkdir folder.csv.rank-0
expect 1 join folder.csv
[[ -e empty.hdf5.rank-0 && -e whole.hdf5.rank-0 && -d folder.csv.rank-0 ]] || fail "a part is gone"
[[ ! -e empty.hdf5 && ! -e whole.hdf5 && ! -e folder.csv ]] || fail "a file was made of nothing"

# A part that is damaged, lost, or cut short by a rank that died.
ranks 2 "$program" run heap --set count=20 --steps 4 --record parts.hdf5 >out
cp parts.hdf5.rank-1 kept
size=$(stat -c %s kept)
head -c "$((size - 100))" kept >parts.hdf5.rank-1
"$program" join parts.hdf5 || fail "a part whose last frame is cut short"
[[ -e parts.hdf5 ]] || fail "the whole frames were not joined"
ranks 2 "$program" run heap --set count=20 --steps 4 --record parts.hdf5 >out
rm parts.hdf5.rank-1
expect 1 join parts.hdf5
ranks 2 "$program" run heap --set count=20 --steps 4 --record parts.hdf5 >out
printf 'damaged' | dd of=parts.hdf5.rank-1 bs=1 seek=2000 conv=notrunc 2>/dev/null
expect 1 join parts.hdf5

# Bad calls: a sentence and the status 2; files that are not there or are damaged: 1.
expect 2 fly
expect 2 run cubes
expect 2 run chain
grep -q joints err || fail "it does not say that ranks have no joints: $(cat err)"
expect 2 run beads --set restitution=1.1
expect 2 run beads --set restitution=nan
expect 2 run beads --set count=none
expect 2 run beads --steps
expect 2 run beads --steps -1
expect 2 run beads --steps 1e99
expect 2 run beads --set shape=1
expect 2 run beads --set count=1.5
expect 2 run heap --set shape=6
expect 2 run heap --set mu=nan
expect 2 run
expect 2 run beads more
expect 2 run beads --dt 0
expect 2 join
expect 2 solve box.hdf5 --linear magic
expect 1 solve "$program"
expect 1 run beads --checkpoint no/such/folder.heap --steps 1
expect 1 run beads --csv no/such/folder.csv --steps 1
expect 1 run beads --record no/such/folder.hdf5 --steps 1

# At the start, not at the first checkpoint; what is no regular file stays what it is.
expect 1 run beads --checkpoint no/such/folder.heap --steps 1000000000 --checkpoint-every 1000000000
mkfifo pipe pipe.csv
for flag in checkpoint csv record; do
    expect 1 run beads "--$flag" pipe --steps 1
    grep -q 'pipe: is not a regular file' err || fail "--$flag: $(cat err)"
    expect 1 run beads "--$flag" "$folder" --steps 1
done
: >pipe.csv.rank-0
expect 1 join pipe.csv
[[ -p pipe && -p pipe.csv ]] || fail "a pipe was replaced by a file"
expect 2 bench --contacts 0
expect 2 solve
expect 1 solve missing.hdf5
expect 1 run beads --restart missing.heap
head -c 1000 run.heap >damaged.heap
expect 1 run beads --restart damaged.heap
expect 1 join missing.csv
# The same on ranks: each ends, none waits for another; one sentence among those of mpiexec.
on_ranks() {
    local status=0
    timeout 60 "$mpiexec" --oversubscribe -n 3 "$program" "$@" >out 2>err || status=$?
    [[ $status -ne 0 && $status -ne 124 ]] || fail "$* on ranks ends with $status"
    [[ $(grep -c '^moreau-mpi: ' err) -eq 1 ]] || fail "$* on ranks: $(cat err)"
}
on_ranks run beads --restart damaged.heap
on_ranks solve missing.hdf5
on_ranks solve parts.hdf5.rank-0
on_ranks run heap --set shape=9
on_ranks run beads --checkpoint no/such/folder.heap --steps 1

# Ranks with other arguments, or with another file of the same name.
differ() {
    local status=0
    timeout 60 "$mpiexec" --oversubscribe -n 2 bash -c "$1" - "$program" >out 2>err || status=$?
    [[ $status -ne 0 && $status -ne 124 ]] || fail "$1 on ranks ends with $status"
    [[ $(grep -c "^moreau-mpi: .*$2" err) -eq 1 ]] || fail "$1 on ranks: $(cat err)"
}
mkdir rank.0 rank.1
cp run.heap rank.0/some.heap
"$program" run beads --set count=9 --steps 2 --checkpoint rank.1/some.heap >out
differ '"$1" run beads --steps "1$OMPI_COMM_WORLD_RANK"' 'different arguments'
differ 'cd "rank.$OMPI_COMM_WORLD_RANK"; "$1" run beads --restart some.heap' 'different files'
cp three.hdf5 rank.0/some.hdf5
head -c 5000 three.hdf5 >rank.1/some.hdf5
differ 'cd "rank.$OMPI_COMM_WORLD_RANK"; "$1" solve some.hdf5' 'different files'

# A full disk: the run ends with a sentence, and the last checkpoint is whole.
mkdir small
if unshare -rm mount -t tmpfs tmpfs small 2>/dev/null; then
    # shellcheck disable=SC2016
    unshare -rm bash -c 'mount -t tmpfs -o size=64k tmpfs small && cd small || exit 3
        timeout 60 "$2" --oversubscribe -n 3 "$1" run beads --set count=300 --steps 12 \
            --checkpoint some.heap --checkpoint-every 2 >../out 2>../err
        [[ $? -eq 1 && $(ls) == some.heap ]] && "$1" run beads --restart some.heap --steps 1' - \
        "$program" "$mpiexec" >restarted || fail "on a full disk: $(cat err)"
    grep -q '^moreau-mpi: run: some.heap.part: No space left' err || fail "full disk: $(cat err)"
fi

# More ranks than bodies.
ranks 4 "$program" run heap --set count=2 --steps 5 --json >few
"$program" run heap --set count=2 --steps 5 --json >one
[[ $(value hash few) == "$(value hash one)" ]] || fail "two bodies on four ranks"

"$program" run --help | grep -q -- --restart || fail "no help"
