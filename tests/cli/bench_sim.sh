#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# `moreau bench sim` as a user meets it: bench_sim.sh MOREAU MAKE_PROBLEM READ_JSON
#
# Ours alone; bench_peer.sh has the simulators of others.  Prints each check that fails and ends with status 1 if any did.

. "$(dirname "$0")/checks.sh"

# ---- wrong calls -------------------------------------------------------------------------------

run bench sim --against nobody
is_wrong_call 'mujoco, ode and bullet'
run bench sim --scene nowhere
is_wrong_call "no scene 'nowhere'"
run bench sim --scene stack,cuont=3
is_wrong_call 'cuont'
run bench sim --scene stack,count
is_wrong_call 'NAME=NUMBER'
run bench sim --scene stack,count=0.5
is_wrong_call 'count'
run bench sim --scene chain
is_wrong_call 'joints'
run bench sim --scene drum
is_wrong_call 'driven'
run bench sim --configurations magic
is_wrong_call 'magic'
run bench sim --time-limit soon
is_wrong_call '--time-limit'
run bench sim --steps 0.5
is_wrong_call '--steps'
run bench sim file
status_is 2
run bench sim --help
status_is 0
out_has 'wall-1000'

# ---- ours alone --------------------------------------------------------------------------------

run bench sim --against none --scene stack-10 --scene discs-136 --steps 20 --out made
status_is 0
err_is_empty
out_has '^stack-10: '
out_has 'moreau 1e-8 .* stands$'
out_lacks 'not built in'
that "sim.csv has not two runs" test "$(wc -l < made/sim.csv)" = 3
if command -v gnuplot > /dev/null; then
    that "the figure was not drawn" grep -q '<svg' made/sim.svg
fi
run bench --json sim --against none --scene beads,count=20 --steps 5
status_is 0
is_json_lines 1
out_has '"engine":"moreau"'
out_has '"configuration":"1e-08"'
run bench sim --against none --scene heap-hulls-100 --steps 2 --configurations 0.01
status_is 0
out_has 'mean of 3 seeds'
out_has 'moreau 0.01 '

# A simulator that was not built in is named, with its package.
for peer in mujoco ode bullet; do
    if ! has_peer "$peer"; then
        run bench sim --against "$peer" --scene stack-10 --steps 2
        status_is 0
        out_has "^$peer: not built in (install lib$peer-dev"
    fi
done

printf '%s checks, %s failed\n' "$checks" "$failures"
test "$failures" = 0
