#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# Benchmarks beside others, as a user meets them:
#
#     bench_peer.sh MOREAU MAKE_PROBLEM READ_JSON siconos|mujoco|ode|bullet
#
# Small problems by the solvers of Siconos, or ten cubes for twenty steps in a simulator.  Prints
# each check that fails and ends with status 1 if any did.
# shellcheck disable=SC2154 # names of checks.sh

. "$(dirname "$0")/checks.sh"
peer=$4

# run_of ENGINE: its run in the object of `out`, alone.
run_of() { sed "s/.*{\"engine\":\"$1\"/{\"engine\":\"$1\"/; s/}.*/}/" out; }

solvers() {
    "$make_problem" . > /dev/null
    # islands.hdf5: W is neither symmetric nor of full rank; joint.hdf5: no solver of theirs takes it
    run bench solvers block.hdf5 islands.hdf5 joint.hdf5 --methods auto --repeats 1 --against siconos \
        --configurations nsgs_ac,nsgs_ac_dense,prox,g_nsn_ac --out beside
    status_is 0
    out_has '^block .* us .* us '
    out_has '^joint .* not tried'
    that "not 7 answers of siconos are good at 1e-8" \
        test "$(grep -c ',siconos,.*,1e-8,solved,' beside/runs.csv)" = 7
    run bench solvers block.hdf5 islands.hdf5 --methods auto --repeats 1 --peer-results beside/runs.csv --json
    is_json_lines 1
    out_has '"of":"siconos"'
    out_has '"mean_ratio"'
}

# simulator CONFIGURATION
simulator() {
    for scene in stack-10 cannonball,rows=4 beads,count=20 heap,shape=4,count=8; do
        run bench sim --against "$peer" --scene "$scene" --steps 20 --json --configurations "$1"
        status_is 0
        is_json_lines 1
        run_of "$peer" > one && cp one out
        member_is status '"done"'
        member_is steps 20
        # its impulses explain its motion: points, normals, signs and units are as we read them
        member_below momentum 1e-2
        member_above judged 9
    done
    run bench sim --against "$peer" --scene stack-10 --steps 20 --json
    run_of "$peer" > one && cp one out
    member_above contacts 30
    member_below penetration 0.02
    member_below drift 0.1
}

case $peer in
siconos) solvers ;;
mujoco) simulator newton-pyramidal ;;
ode) simulator worldstep ;;
bullet) simulator si-50 ;;
*) exit 2 ;;
esac

printf '%s checks, %s failed\n' "$checks" "$failures"
test "$failures" = 0
