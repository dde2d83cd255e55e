#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# Replay pages and `moreau view` as a user meets them: view.sh MOREAU MAKE_PROBLEM READ_JSON
#
# Prints each check that fails and ends with status 1 if any did.

. "$(dirname "$0")/checks.sh"

# ---- replay pages ------------------------------------------------------------------------------

run run incline --time 0.5 --replay incline.html
status_is 0
out_has 'replay page *incline.html'
that "the page has no recording" grep -q 'id="moreau-recording">H4sI' incline.html
that "the page does not end" sh -c 'tail -n 3 incline.html | grep -q "</html>"'
run run incline --time 0.5 --replay again.html
that "the same run is another page" cmp incline.html again.html
run run incline --steps 2 --replay two.html --json
status_is 0
is_json_lines 1
out_has '"replay":"two.html"'
run run incline --steps 2 --replay nowhere/page.html
that "status 0" test "$status" != 0
err_is_one_sentence
run run incline --steps 2 --replay same --csv same
is_wrong_call 'name the same file'
run run incline --steps 2 --record incline.hdf5

# ---- pictures ----------------------------------------------------------------------------------

run render --help
if grep -q -- '--azimuth' out; then
    run render incline.hdf5 incline.png --size 160x120 --forces
    status_is 0
    out_has 'incline.png: 1 image of 160 x 120'
    that "not a PNG" test "$(head -c 4 incline.png | tail -c 3)" = PNG
    run render incline.hdf5 frames/ --size 64x48 --fps 100 --json
    status_is 0
    is_json_lines 1
    out_has '"images":3'
    that "a picture is missing" test -s frames/00002.png
    run render incline.hdf5 last.png --size 64x48
    that "an image alone differs from the same image among others" cmp -s last.png frames/00002.png
    run render incline.hdf5 incline.bmp
    is_wrong_call 'use .png, .webp'
    run render incline.hdf5 incline.gif --size 64x48 --fps 100
    if grep -q 'built without giflib' err; then
        fails_on incline.gif
    else
        status_is 0
        out_has 'incline.gif: 3 images of 64 x 48'
        that "not a GIF image" test "$(head -c 6 incline.gif)" = GIF89a
    fi
    # A scene in place of a recording; what is for scenes alone.
    run render incline scene.png --set mu=0.1 --time 0.05 --size 64x48 --axes --turn 90 --follow all
    status_is 0
    that "not a PNG" test "$(head -c 4 scene.png | tail -c 3)" = PNG
    run render incline.hdf5 x.png --time 1
    is_wrong_call 'scenes and models'
    run render incline x.png --set nonsense=1
    is_wrong_call 'nonsense'
    run render incline.hdf5 incline.webp --size 64x48 --fps 100
    if grep -q 'built without libwebp' err; then
        fails_on incline.webp
    else
        status_is 0
        out_has 'incline.webp: 3 images of 64 x 48'
        that "not a WebP image" test "$(head -c 12 incline.webp | tail -c 4)" = WEBP
    fi
    # A time that the recording does not have; frames that are equal; what a recording is not.
    run render incline.hdf5 late.png --at 9
    is_wrong_call '--at 9 is outside the recording, which lasts from 0 s to 0.02 s'
    that "an image was written" not test -e late.png
    run render incline late.png --time 0.1 --at 0.5
    is_wrong_call '--time simulates more'
    run render stack still.webp --set count=1 --time 0.5 --size 64x48
    if ! grep -q 'built without libwebp' err; then
        out_has 'still.webp: 16 images of 64 x 48, 1 of them different'
    fi
    run info incline.hdf5
    fails_on incline.hdf5
    err_has 'is a recording of a simulation.*moreau view'
    run render incline.hdf5
    is_wrong_call 'OUT'
    run render incline.hdf5 x.png --size 10x
    is_wrong_call '--size'
    run render incline.html x.png
    fails_on incline.html
    run render missing.hdf5 x.png
    fails_on missing.hdf5
    # An image of one time has one frame.
    run render incline.hdf5 still.gif --size 64x48 --at 0.01
    if [ "$status" = 0 ]; then # built with giflib
        out_has ': 1 image of'
    fi
    # The eye follows a body by its name or number; a wrong name is a wrong call.
    run render incline.hdf5 body.png --size 64x48 --follow 1
    status_is 0
    run render incline.hdf5 body.png --size 64x48 --follow blok
    is_wrong_call "there is no body 'blok'"
    # A video, by what stands for ffmpeg: it counts the bytes it is sent.  Names reach it as they
    # are, since there is no shell between.
    mkdir bin
    printf '#!/bin/sh\nfor last; do :; done\nwc -c > "$last"\n' > bin/ffmpeg
    chmod +x bin/ffmpeg
    for name in "it's a film.mp4" '-v $(touch ran) "x".mp4'; do
        PATH=$PWD/bin:$PATH run render incline.hdf5 --size 64x48 --fps 100 -- "$name"
        status_is 0
        that "the film is not whole" test "$(tr -d ' ' < "./$name")" = $((3 * 3 * 64 * 48))
    done
    that "a shell has run" test ! -e ran
    printf '#!/bin/sh\necho no >&2\nexit 3\n' > bin/ffmpeg
    PATH=$PWD/bin:$PATH run render incline.hdf5 film.mp4 --size 64x48 --fps 100
    status_is 1
    err_has 'film.mp4: the video was not made'
    path=$PATH
    # shellcheck disable=SC2123 # no ffmpeg there
    PATH=$PWD/none
    run render incline.hdf5 film.mp4 --size 64x48
    PATH=$path
    fails_on film.mp4
    err_has 'ffmpeg, which is not installed'
fi

# ---- view --------------------------------------------------------------------------------------

run view --help
if grep -q -- '--port' out; then
    run view stak
    is_wrong_call 'did you mean stack?'
    run view stack --set cuont=3
    is_wrong_call 'did you mean count?'
    run view stack --port 70000
    is_wrong_call '--port'
    run view stack --method magic
    is_wrong_call 'magic'
    run view stack --dt 0
    is_wrong_call '--dt'
    run view missing.hdf5
    fails_on missing.hdf5
    run view incline.html
    fails_on incline.html

    # serve ARGUMENTS...: until the address is there; its process in $server, the address in $url.
    serve() {
        call="moreau view $*"
        : > out
        "$moreau" view "$@" --no-open > out 2> err &
        server=$!
        for _ in $(seq 100); do
            [ -s out ] && break
            sleep 0.1
        done
        url=$(sed -n 's|.*\(http://[0-9.:]*/\).*|\1|p' out)
    }
    # end_server: its status in $status.  (What a shell starts in the background is deaf to Ctrl-C.)
    end_server() {
        kill -TERM "$server"
        wait "$server"
        status=$?
    }

    for what in "stack --set count=3" incline.hdf5; do
        # shellcheck disable=SC2086 # the words of a call
        serve $what
        that "the first line is not the address" sh -c "head -n 1 out | grep -q '^http://127.0.0.1:[0-9]*/$'"
        if command -v curl > /dev/null; then
            that "the page does not come" curl -sf -o page.html "$url"
            that "the page is none" grep -qi '<html' page.html
            that "a wrong path is there" not curl -sf "${url}x"
            that "another host is served" not curl -sf -H 'Host: evil.example' "$url"
        fi
        end_server
        status_is 0
    done
    if command -v curl > /dev/null; then
        that "the recording is not in the page" grep -q 'moreau-recording' page.html
    fi

    serve stack --json
    is_json_lines 1
    out_has '"url":"http://127.0.0.1:'
    first=$url
    port=$(echo "$url" | sed 's|.*:\([0-9]*\)/|\1|')
    run view stack --no-open --port "$port"
    status_is 1
    err_is_one_sentence
    err_has "port $port"
    printf '{"url":"%s"}\n' "$first" > out
    end_server
    status_is 0
fi

echo "$checks checks, $failures failed"
test "$failures" = 0
