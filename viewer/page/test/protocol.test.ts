// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    CONTACT_WORDS,
    decodeFrame,
    FRAME_MAGIC,
    HEADER_BYTES,
    ProtocolError,
    readMessage,
    writeCommand,
} from "../src/protocol";
import { makeFrame } from "./frames";

const POSES = [
    [1, 2, 3, 1, 0, 0, 0],
    [4, 5, 6, 0, 1, 0, 0],
];
const CONTACT = { floats: [1, 2, 3, 0, 0, 1, 5, 6, 7, 0.5, -0.001], words: [2, 0, 1] };

test("a frame decodes to what was written", () => {
    const frame = decodeFrame(makeFrame(0.125, POSES, [CONTACT], [0.5, -2]));
    assert.equal(frame.generation, 7);
    assert.deepEqual([frame.tolerance, frame.hand], [0.03125, 12.5]);
    assert.deepEqual(Array.from(frame.readings), [0.5, -2]);
    assert.equal(frame.time, 0.125);
    assert.equal(frame.kinetic, 1.5);
    assert.equal(frame.potential, -2.5);
    assert.deepEqual([frame.rotation, frame.springs], [0.75, 0.0625]);
    assert.equal(frame.milliseconds, 0.25);
    assert.equal(frame.rate, 2);
    assert.deepEqual(frame.phases, [0.5, 0.25, 2, 0.125]);
    assert.deepEqual(
        [frame.status, frame.steps, frame.unsolved, frame.bodyCount, frame.contactCount],
        [0, 12, 1, 2, 1],
    );
    assert.deepEqual(Array.from(frame.bodies), POSES.flat());
    assert.deepEqual(Array.from(frame.contacts.subarray(0, 10)), CONTACT.floats.slice(0, 10));
    assert.deepEqual(Array.from(frame.contactWords.subarray(11, CONTACT_WORDS)), CONTACT.words);
});

test("a frame decodes at any place of a buffer", () => {
    const one = new Uint8Array(makeFrame(1, POSES, [CONTACT]));
    for (const shift of [0, 1, 2, 3, 4, 7]) {
        const buffer = new ArrayBuffer(one.length + shift + 5);
        new Uint8Array(buffer).set(one, shift);
        const frame = decodeFrame(buffer, shift, one.length);
        assert.deepEqual(Array.from(frame.bodies), POSES.flat());
        assert.deepEqual(Array.from(frame.contactWords.subarray(11, 14)), CONTACT.words);
    }
});

test("frames that do not hold together are refused", () => {
    const good = makeFrame(1, POSES, [CONTACT]);
    assert.throws(() => decodeFrame(new ArrayBuffer(10)), ProtocolError);
    assert.throws(() => decodeFrame(good.slice(0, good.byteLength - 1)), ProtocolError);
    for (let length = 0; length < good.byteLength; ++length)
        assert.throws(() => decodeFrame(good.slice(0, length)), ProtocolError);
    const wrongMagic = good.slice(0);
    new DataView(wrongMagic).setUint32(0, FRAME_MAGIC + 1, true);
    assert.throws(() => decodeFrame(wrongMagic), ProtocolError);
    const manyBodies = good.slice(0);
    new DataView(manyBodies).setUint32(52, 0xffffffff, true);
    assert.throws(() => decodeFrame(manyBodies), ProtocolError);
    assert.equal(HEADER_BYTES, 100);
});

test("a scene message is read, with what is missing filled in", () => {
    const hip = { name: "hip", kind: "effort", turns: true, lower: -3, upper: 4, target: 0.5 };
    const message = readMessage(
        JSON.stringify({
            type: "scene",
            generation: 3,
            title: "t",
            name: null,
            dimension: 2,
            friction: null,
            bodies: [{ kind: "fixed" }, { kind: "free", name: "block", mass: 2 }],
            shapes: [
                {
                    body: 1,
                    kind: "capsule",
                    radius: 0.5,
                    ends: [0, 0, 0, 1, 2, 3],
                    pose: [0, 0, 0, 1, 0, 0, 0],
                    layer: 4,
                },
            ],
            joints: [
                {
                    kind: "revolute",
                    a: -1,
                    b: 1,
                    anchor_a: [1, 2, 3],
                    anchor_b: [0, 0, 0],
                    drive: "velocity",
                    target: 2,
                    min: -5,
                    max: 5,
                },
            ],
            actuators: [
                { ...hip, q: 0, effort: 1 },
                {},
            ],
            readings: [
                { kind: "q", name: "hip", unit: "rad", body: 1 },
                { kind: "effort", name: "hip", unit: "N m" },
                {},
            ],
            scenes: [
                {
                    name: "stack",
                    summary: "s",
                    parameters: [
                        {
                            name: "count",
                            default: 10,
                            min: 1,
                            max: 1000,
                            whole: true,
                            summary: "cubes",
                        },
                    ],
                },
            ],
            camera: { centre: [1, 2, 3], size: 4 },
        }),
    );
    assert.ok(message?.type === "scene");
    assert.equal(message.name, "");
    assert.equal(message.dimension, 2);
    assert.equal(message.friction, null);
    assert.deepEqual(message.shapes[0].ends, [
        [0, 0, 0],
        [1, 2, 3],
    ]);
    assert.deepEqual(message.joints[0].anchorA, [1, 2, 3]);
    assert.equal(message.joints[0].drive, "velocity");
    assert.equal(message.joints[0].most, 5);
    assert.deepEqual(message.actuators, [
        { ...hip, q: 0, effort: 1 },
        {
            name: "",
            kind: "position",
            turns: true,
            lower: -1,
            upper: 1,
            target: 0,
            q: -1,
            effort: -1,
        },
    ]);
    assert.deepEqual(message.readings, [
        { kind: "q", name: "hip", unit: "rad", body: 1 },
        { kind: "effort", name: "hip", unit: "N m", body: -1 },
        { kind: "sensor", name: "", unit: "", body: -1 },
    ]);
    assert.equal(message.scenes[0].parameters[0].whole, true);
    assert.deepEqual(message.camera, { centre: [1, 2, 3], size: 4 });
});

test("a state message says only what changed", () => {
    assert.deepEqual(readMessage('{"type":"state","playing":false,"friction":0.5}'), {
        type: "state",
        playing: false,
        friction: 0.5,
    });
});

test("messages that make no sense are refused, those of another time are passed over", () => {
    assert.throws(() => readMessage("{"), ProtocolError);
    assert.throws(() => readMessage("[1]"), ProtocolError);
    assert.throws(
        () => readMessage('{"type":"scene","bodies":[],"shapes":[{"body":0,"kind":"ball"}]}'),
        /body 0 of 0/,
    );
    assert.throws(
        () => readMessage('{"type":"scene","bodies":[{}],"shapes":[{"body":0,"kind":"blob"}]}'),
        /blob/,
    );
    assert.equal(readMessage('{"type":"later"}'), null);
});

test("numbers of a command are short, and near what was meant", () => {
    const target: [number, number, number] = [
        -0.000009534447855225516,
        1.9000001237159696,
        1e-300 / 3,
    ];
    const text = writeCommand({ do: "drag", target });
    for (const word of text.match(/[-\d.e+]+/g) ?? []) assert.ok(word.length <= 20, word);
    const read = JSON.parse(text).target as number[];
    read.forEach((value, k) =>
        assert.ok(Math.abs(value - target[k]) <= 1e-9 * Math.abs(target[k])),
    );
    assert.equal(writeCommand({ do: "set", friction: null }), '{"do":"set","friction":null}');
});
