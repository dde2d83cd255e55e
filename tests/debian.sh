#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# The Debian package is that of this version: debian.sh SOURCE VERSION
set -eu
cd "$1"
version=$2
soversion=${version%.*}
head -n 1 debian/changelog | grep -q "^moreau ($version) " || { echo "debian/changelog is not of $version"; exit 1; }
grep -q "^Package: libmoreau$soversion\$" debian/control || { echo "debian/control has no libmoreau$soversion"; exit 1; }
test -f "debian/libmoreau$soversion.install" || { echo "debian/libmoreau$soversion.install is missing"; exit 1; }
