// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/** A frame as docs/frames.md has it, written here byte by byte and not by the code under test. */
export function makeFrame(
    time: number,
    bodies: number[][],
    contacts: { floats: number[]; words: number[] }[] = [],
    readings: number[] = [],
): ArrayBuffer {
    const end = 100 + 28 * bodies.length + 56 * contacts.length;
    const buffer = new ArrayBuffer(end + 4 * readings.length);
    const view = new DataView(buffer);
    view.setUint32(0, 0x354f4d46, true);
    view.setUint32(4, 7, true);
    view.setFloat64(8, time, true);
    [1.5, -2.5, 1e-9, 1e-4, 0.25, 2].forEach((value, k) =>
        view.setFloat32(16 + 4 * k, value, true),
    );
    [0, 12, 1, bodies.length, contacts.length].forEach((value, k) =>
        view.setUint32(40 + 4 * k, value, true),
    );
    [0.5, 0.25, 2, 0.125].forEach((value, k) => view.setFloat32(60 + 4 * k, value, true));
    [0.75, 0.0625, 0.03125, 12.5].forEach((value, k) => view.setFloat32(76 + 4 * k, value, true));
    view.setUint32(92, readings.length, true);
    view.setUint32(96, contacts.length, true);
    readings.forEach((value, k) => view.setFloat32(end + 4 * k, value, true));
    bodies.forEach((pose, b) =>
        pose.forEach((value, k) => view.setFloat32(100 + 28 * b + 4 * k, value, true)),
    );
    contacts.forEach(({ floats, words }, c) => {
        const at = 100 + 28 * bodies.length + 56 * c;
        floats.forEach((value, k) => view.setFloat32(at + 4 * k, value, true));
        words.forEach((value, k) => view.setUint32(at + 44 + 4 * k, value, true));
    });
    return buffer;
}
