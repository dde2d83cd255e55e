#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# An example prints what docs/examples.md says: example.sh SOURCE NAME COMMAND...
# The text is the code block after the line <!-- output of NAME -->.
source=$1
name=$2
shift 2
cd "$source" || exit 1
made=$(mktemp)
"$@" > "$made"
status=$?
if test "$status" = 0; then
    sed -n "/^<!-- output of $name -->\$/,/^\`\`\`\$/p" docs/examples.md | grep -v -e '^<!--' -e '^```' -e '^$' |
        diff - "$made"
    status=$?
elif test "$status" = 77; then
    cat "$made"
fi
rm -f "$made"
exit $status
