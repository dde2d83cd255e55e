// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * A recording inside the page (docs/frames.md, "A replay"): base64 of gzip of [u32 length,
 * scene][u32 length, frame]...
 *
 * Frames stay packed and are decoded when shown. Poses are interpolated between two frames, so that
 * a recording with thirty frames per second plays smoothly at any speed.
 */
import {
    BODY_FLOATS,
    HEADER_BYTES,
    ProtocolError,
    decodeFrame,
    readMessage,
    type Frame,
    type SceneMessage,
} from "./protocol";

export const RECORDING_ID = "moreau-recording";

export interface Recording {
    scene: SceneMessage;
    times: Float64Array;
    frameAt(k: number): Frame;
}

export function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> {
    const binary = atob(text.replace(/\s+/g, ""));
    const bytes = new Uint8Array(binary.length);
    for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
    return bytes;
}

async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
}

/** Starts and lengths of the pieces of the data. */
function pieces(buffer: ArrayBuffer): { start: number; length: number }[] {
    const view = new DataView(buffer);
    const found = [];
    for (let at = 0; at < buffer.byteLength;) {
        if (at + 4 > buffer.byteLength)
            throw new ProtocolError("the recording ends inside a length");
        const length = view.getUint32(at, true);
        if (at + 4 + length > buffer.byteLength)
            throw new ProtocolError("the recording ends inside a frame");
        found.push({ start: at + 4, length });
        at += 4 + length;
    }
    return found;
}

export function readRecording(buffer: ArrayBuffer): Recording {
    const [head, ...frames] = pieces(buffer);
    if (!head) throw new ProtocolError("the recording is empty");
    const scene = readMessage(
        new TextDecoder().decode(new Uint8Array(buffer, head.start, head.length)),
    );
    if (scene?.type !== "scene")
        throw new ProtocolError("the recording does not begin with a scene");
    if (frames.length === 0) throw new ProtocolError("the recording has no frames");
    if (frames.some((frame) => frame.length < HEADER_BYTES))
        throw new ProtocolError("a frame of the recording is too short");
    const view = new DataView(buffer);
    return {
        scene,
        times: Float64Array.from(frames, (frame) => view.getFloat64(frame.start + 8, true)),
        frameAt: (k) => decodeFrame(buffer, frames[k].start, frames[k].length),
    };
}

/** The recording of this page, or null if it has none. */
export async function findRecording(): Promise<Recording | null> {
    const element = document.getElementById(RECORDING_ID);
    if (!element) return null;
    const bytes = bytesFromBase64(element.textContent ?? "");
    element.remove();
    return readRecording(await unzip(bytes));
}

/** The last k with times[k] <= time; 0 if time is before all. */
export function frameIndex(times: Float64Array, time: number): number {
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= time) low = middle;
        else high = middle - 1;
    }
    return low;
}

/**
 * Interpolates poses between two frames: positions linearly, quaternions along the shorter way,
 * then normalised.
 */
export function blendBodies(
    a: Float32Array,
    b: Float32Array,
    part: number,
    out: Float32Array,
): void {
    for (let k = 0; k < a.length; k += BODY_FLOATS) {
        for (let c = 0; c < 3; ++c) out[k + c] = a[k + c] + part * (b[k + c] - a[k + c]);
        let dot = 0;
        for (let c = 3; c < 7; ++c) dot += a[k + c] * b[k + c];
        const sign = dot < 0 ? -1 : 1;
        let norm = 0;
        for (let c = 3; c < 7; ++c) {
            out[k + c] = (1 - part) * a[k + c] + part * sign * b[k + c];
            norm += out[k + c] * out[k + c];
        }
        const scale = norm > 0 ? 1 / Math.sqrt(norm) : 1;
        for (let c = 3; c < 7; ++c) out[k + c] *= scale;
    }
}

/** Plays a recording: a clock with a speed, which loops or stops at its end. */
export class Player {
    time: number;
    playing = true;
    speed = 1;
    loop = true;
    private shown = -1;
    private frame: Frame | null = null;
    private next: Frame | null = null;
    private readonly blended: Float32Array;

    constructor(readonly recording: Recording) {
        this.time = this.start;
        this.blended = new Float32Array(recording.frameAt(0).bodies.length);
    }

    get start(): number {
        return this.recording.times[0];
    }
    get end(): number {
        return this.recording.times[this.recording.times.length - 1];
    }
    get index(): number {
        return frameIndex(this.recording.times, this.time);
    }

    advance(seconds: number): void {
        if (!this.playing) return;
        this.time += this.speed * seconds;
        if (this.time <= this.end) return;
        if (this.loop && this.end > this.start) this.time = this.start;
        else {
            this.time = this.end;
            this.playing = false;
        }
    }

    seek(time: number): void {
        this.time = Math.min(this.end, Math.max(this.start, time));
    }

    /** Moves one frame forward or back, and pauses. */
    nudge(frames: number): void {
        this.playing = false;
        const { times } = this.recording;
        this.time = times[Math.min(times.length - 1, Math.max(0, this.index + frames))];
    }

    /** The frame at the current time, interpolated with the next one. */
    current(): Frame {
        const { times } = this.recording;
        const k = this.index;
        if (k !== this.shown || !this.frame) {
            this.frame = this.recording.frameAt(k);
            this.next = k + 1 < times.length ? this.recording.frameAt(k + 1) : null;
            this.shown = k;
        }
        const span = this.next ? times[k + 1] - times[k] : 0;
        const fits =
            this.next &&
            this.next.bodies.length === this.frame.bodies.length &&
            this.blended.length === this.frame.bodies.length;
        if (!this.next || !fits || span <= 0) return this.frame;
        blendBodies(
            this.frame.bodies,
            this.next.bodies,
            (this.time - times[k]) / span,
            this.blended,
        );
        return { ...this.frame, time: this.time, bodies: this.blended };
    }
}
