// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
import assert from "node:assert/strict";
import { test } from "node:test";
import { blendBodies, frameIndex, Player, readRecording } from "../src/replay";
import { makeFrame } from "./frames";

function pack(...parts: ArrayBuffer[]): ArrayBuffer {
    const out = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.byteLength, 0));
    let at = 0;
    for (const part of parts) {
        new DataView(out.buffer).setUint32(at, part.byteLength, true);
        out.set(new Uint8Array(part), at + 4);
        at += 4 + part.byteLength;
    }
    return out.buffer;
}

const SCENE = new TextEncoder().encode('{"type":"scene","bodies":[{"kind":"free"}],"shapes":[]}')
    .buffer as ArrayBuffer;
const frameAt = (time: number, x: number, turn = 0) =>
    makeFrame(time, [[x, 0, 0, Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)]]);
const RECORDING = pack(SCENE, frameAt(0, 0), frameAt(0.1, 1), frameAt(0.2, 3, Math.PI / 2));

test("a recording gives back its frames in order", () => {
    const recording = readRecording(RECORDING);
    assert.deepEqual(Array.from(recording.times), [0, 0.1, 0.2]);
    assert.equal(recording.frameAt(2).bodies[0], 3);
    assert.deepEqual(
        [0, 1, 2].map((k) => recording.frameAt(k).kinetic),
        [1.5, 1.5, 1.5],
    );
});

test("a recording that was cut off is refused", () => {
    assert.throws(() => readRecording(RECORDING.slice(0, RECORDING.byteLength - 3)), /ends inside/);
    assert.throws(() => readRecording(new ArrayBuffer(0)), /empty/);
    assert.throws(() => readRecording(pack(SCENE)), /no frames/);
    assert.throws(() => readRecording(pack(frameAt(0, 0))), /JSON/);
});

test("the frame of a time is the last one before it", () => {
    const times = Float64Array.of(0, 0.1, 0.2);
    assert.deepEqual(
        [-1, 0, 0.05, 0.1, 0.19, 0.2, 9].map((time) => frameIndex(times, time)),
        [0, 0, 0, 1, 1, 2, 2],
    );
});

test("bodies are blended between frames, and quaternions stay unit", () => {
    const player = new Player(readRecording(RECORDING));
    player.seek(0.15);
    const { bodies } = player.current();
    assert.ok(Math.abs(bodies[0] - 2) < 1e-6);
    assert.ok(Math.abs(Math.hypot(...bodies.subarray(3, 7)) - 1) < 1e-6);
    // Halfway to a quarter turn is an eighth of a turn.
    assert.ok(Math.abs(2 * Math.atan2(bodies[6], bodies[3]) - Math.PI / 4) < 1e-6);
});

test("opposite quaternions are the same turn", () => {
    const out = new Float32Array(7);
    blendBodies(
        Float32Array.of(0, 0, 0, 1, 0, 0, 0),
        Float32Array.of(0, 0, 0, -1, 0, 0, 0),
        0.5,
        out,
    );
    assert.deepEqual(Array.from(out.subarray(3)), [1, 0, 0, 0]);
});

test("a player stops at the end, or begins again", () => {
    const player = new Player(readRecording(RECORDING));
    player.loop = false;
    player.advance(5);
    assert.equal(player.time, 0.2);
    assert.equal(player.playing, false);
    player.loop = true;
    player.playing = true;
    player.advance(5);
    assert.equal(player.time, 0);
    player.nudge(1);
    assert.equal(player.time, 0.1);
    assert.equal(player.playing, false);
    player.nudge(-7);
    assert.equal(player.time, 0);
});
