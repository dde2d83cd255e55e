# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# shellcheck shell=bash disable=SC2034
# What ./demo and ./test share: the packages, and one way to build.  Sourced, from the root.

# What it takes to build the library and the program.
build_packages=(gcc libc6-dev cmake ninja-build pkg-config libopenblas-dev libhdf5-dev zlib1g-dev libxml2-dev libpng-dev)
# What moreau view and moreau render need besides.
viewer_packages=(libwebsockets-dev libpng-dev libwebp-dev libgif-dev)

jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '%s\n' "$@"; } # one line for each argument
warn() { say "$@" >&2; }
fail() {
    warn "$@"
    exit 1
}

# missing PACKAGE...: those that are not installed, one a line.
missing() {
    local package
    for package in "$@"; do
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
            say "$package"
        fi
    done
}

apt() {
    local as_root=()
    [[ $(id -u) -eq 0 ]] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -o DPkg::Lock::Timeout=120 "$@"
}

# install_missing PACKAGE...: installs what is missing; touches neither apt nor the network when nothing is.
install_missing() {
    local absent
    if ! command -v dpkg-query >/dev/null; then
        warn "This is neither Debian nor Ubuntu, so please see to it that these are installed: $*"
        return 0
    fi
    mapfile -t absent < <(missing "$@")
    if [[ ${#absent[@]} -eq 0 ]]; then
        return 0
    fi

    say "Installing: ${absent[*]}"
    if [[ $(id -u) -ne 0 ]] && ! command -v sudo >/dev/null; then
        warn "That takes root or sudo. As root, run: apt-get install ${absent[*]}"
        return 1
    fi
    if ! apt update; then
        warn "apt-get update failed; trying once more."
        sleep 5
        apt update || warn "apt-get update failed again; going on with the lists that are there."
    fi
    apt install -y --no-install-recommends "${absent[@]}"
}

# need PACKAGE...: what there is no going on without.
need() { install_missing "$@" || fail "Stopped, since what is missing could not be installed."; }

# want PACKAGE...: what there is going on without.
want() { install_missing "$@" || warn "Going on without: $*"; }

# forget_foreign FOLDER: drops the CMake settings there unless they came from our presets, since CMake
# cannot change the generator of a folder, and forgets options when it changes the compiler.
forget_foreign() {
    local cache=$1/CMakeCache.txt
    if [[ -f $cache ]] && ! { grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$' "$cache" &&
        grep -q '^CMAKE_C_COMPILER:[A-Z]*=.*\(gcc\|clang\)$' "$cache"; }; then
        rm -rf "$cache" "$1/CMakeFiles"
    fi
}

targets=() # what build makes; all where it is empty

# follow_build LOG: how far ninja is and how long it will take, on a terminal, until it is killed or
# the script has ended.
follow_build() {
    local log=$1 began=$SECONDS now files all
    while kill -0 $$ 2>/dev/null; do
        now=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" 2>/dev/null | tail -n 1 | tr -d '[]') || true
        files=${now%/*} all=${now#*/}
        if [[ ${files:-0} -gt 0 ]]; then
            printf '\r\033[K%d of %d files, %d s left' "$files" "$all" \
                $(((SECONDS - began) * (all - files) / files)) >&2
        fi
        sleep 1
    done
}

# build PRESET [-D NAME=VALUE]...: configures and builds; prints what the step that failed said.
build() {
    local preset=$1 log status=0 follower=
    shift
    log=$(mktemp)
    case $preset in
        release) forget_foreign build ;;
        *) forget_foreign "build-$preset" ;;
    esac
    # Kernels for a GPU that is not here: PTX alone takes a twentieth of the time to compile.
    if [[ ! -e /dev/nvidia0 ]]; then
        set -- "$@" -D CMAKE_CUDA_ARCHITECTURES=80-virtual
    fi
    if [[ -t 2 ]]; then
        follow_build "$log" &
        follower=$!
    fi
    cmake --preset "$preset" "$@" >"$log" 2>&1 &&
        cmake --build --preset "$preset" --parallel "$jobs" ${targets:+--target "${targets[@]}"} \
            >"$log" 2>&1 || status=$?
    if [[ -n $follower ]]; then
        kill "$follower" 2>/dev/null || true
        wait "$follower" 2>/dev/null || true
        printf '\r\033[K' >&2
    fi
    if [[ $status -ne 0 ]]; then
        grep -v '^\[[0-9]*/[0-9]*\] ' "$log" || true
    fi
    rm -f "$log"
    return "$status"
}
