#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# The installed program, used by someone who built nothing:
#
#     as_nobody.sh BUILD LIBDIR MAKE_PROBLEM READ_JSON
#
# Another user, no HOME, no environment, a TMPDIR of a strange name, and neither source nor build
# folder in reach.  Only root can become another user; else it ends with 77.
set -eu
build=$1 libdir=$2 make_problem=$3 read_json=$4
if test "$(id -u)" != 0; then
    echo "skipped: only root can run the program as another user"
    exit 77
fi
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cmake --install "$build" --prefix "$folder/prefix" > "$folder/install.log"
mkdir "$folder/tests" "$folder/its own folder"
cp "$here"/*.sh "$make_problem" "$read_json" "$folder/tests"
chmod -R a+rX "$folder"
chown 65534:65534 "$folder/its own folder"

cd "$folder/its own folder"
for script in run view models; do
    env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/nonexistent TMPDIR="$PWD" \
        LD_LIBRARY_PATH="$folder/prefix/$libdir" \
        setpriv --reuid=65534 --regid=65534 --clear-groups \
        sh "$folder/tests/$script.sh" "$folder/prefix/bin/moreau" "$folder/tests/make_problem" "$folder/tests/read_json" "$folder/prefix/share/moreau/models"
done
