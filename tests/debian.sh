#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# The Debian package is that of this version: debian.sh SOURCE VERSION
set -eu
cd "$1/debian"
library=libmoreau${2%.*}
fail() {
    echo "FAILED: $1"
    exit 1
}
head -n 1 changelog | grep -q "^moreau ($2) " || fail "debian/changelog is not of $2"
grep -q -x "Package: $library" control || fail "debian/control has no $library"
test -f "$library.install" || fail "debian/$library.install is missing"
