// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The protocol of server and page (docs/frames.md): JSON messages and binary frames.
 *
 * Incoming data are checked here, once. An invalid message or frame throws a ProtocolError with the
 * reason.
 */

export type Vec3 = [number, number, number];

export interface BodyInfo {
    kind: "free" | "fixed" | "driven" | "link"; // a link is a movable part of a mechanism
    name: string;
    mass: number;
}

export const SHAPE_KINDS = ["ball", "box", "capsule", "cylinder", "hull", "plane", "mesh"] as const;
export type ShapeKind = (typeof SHAPE_KINDS)[number];

/**
 * A shape in the frame of its body. The numbers that it uses depend on its kind
 * (include/moreau/shape.h).
 */
/** From 0 to 1: metal or not; polished to matt. */
export interface Finish {
    metallic: number;
    roughness: number;
}

export interface ShapeInfo {
    body: number;
    kind: ShapeKind;
    pose: number[]; // px py pz qw qx qy qz
    radius: number;
    half: Vec3;
    ends: [Vec3, Vec3];
    points: number[]; // three a point
    indices: number[];
    layer: number; // 0: does not collide; drawn instead of the collision shapes
    colour: [number, number, number, number] | null; // from the file, with opacity
    finish: Finish | null; // likewise
}

export interface JointInfo {
    index: number;
    kind: string;
    a: number; // -1: the world
    b: number;
    anchorA: Vec3; // in the frame of a
    anchorB: Vec3; // in the frame of b
    axisA: Vec3;
    drive: "none" | "velocity" | "position";
    target: number;
    least: number; // a range for a slider
    most: number;
}

/** An actuator of a mechanism: the current target, and a range for a slider. */
export interface ActuatorInfo {
    name: string;
    kind: "position" | "velocity" | "effort";
    turns: boolean; // its joint: rad rather than m
    lower: number;
    upper: number;
    target: number;
    q: number; // indices in the readings; -1: none
    effort: number;
}

/** A number of a mechanism or a robot, present in every frame. */
export interface ReadingInfo {
    kind: "q" | "length" | "effort" | "sensor";
    name: string;
    unit: string;
    body: number; // of q: the link that it moves; else -1
}

export interface ParameterInfo {
    name: string;
    value: number;
    least: number;
    most: number;
    whole: boolean;
    summary: string;
}

export interface SceneInfo {
    name: string;
    summary: string;
    parameters: ParameterInfo[];
}

/** Settings that can change during the run. */
export interface Settings {
    playing: boolean;
    speed: number;
    method: string;
    step: number;
    tolerance: number;
    gravity: Vec3;
    friction: number | null; // null: that of the scene
    restart: boolean; // starts again when at rest
}

/** A ball around the movable bodies at the start. */
export interface CameraHint {
    centre: Vec3;
    size: number;
}

export interface SceneMessage extends Settings {
    type: "scene";
    generation: number;
    title: string;
    name: string;
    set: Record<string, number>;
    dimension: 2 | 3;
    methods: string[];
    bodies: BodyInfo[];
    shapes: ShapeInfo[];
    joints: JointInfo[];
    actuators: ActuatorInfo[];
    readings: ReadingInfo[];
    scenes: SceneInfo[];
    camera: CameraHint | null;
    note: string; // to be shown, or ""
}

export interface StateMessage extends Partial<Settings> {
    type: "state";
}

export interface ErrorMessage {
    type: "error";
    text: string;
}

export type ServerMessage = SceneMessage | StateMessage | ErrorMessage;

export type Command =
    | { do: "play" | "pause" | "step" | "reset" | "release" }
    | { do: "scene"; name: string; set: Record<string, number> }
    | { do: "speed"; value: number }
    | { do: "grab"; body: number; local: Vec3; target: Vec3 }
    | { do: "drag"; target: Vec3 }
    | { do: "throw"; from: Vec3; velocity: Vec3; radius: number }
    | { do: "set"; method: string }
    | { do: "set"; step: number }
    | { do: "set"; tolerance: number }
    | { do: "set"; gravity: number } // its strength, downwards
    | { do: "set"; friction: number | null }
    | { do: "set"; restart: 0 | 1 }
    | { do: "joint"; index: number; target: number }
    | { do: "target"; index: number; value: number };

/** A command as text. Ten digits suffice for input by hand. */
export function writeCommand(command: Command): string {
    return JSON.stringify(command, (_, value: unknown) =>
        typeof value === "number" ? Number(value.toPrecision(10)) : value,
    );
}

export class ProtocolError extends Error {}

// ---- binary frames ------------------------------------------------------------------------------

export const FRAME_MAGIC = 0x354f4d46;
export const HEADER_BYTES = 100;
export const BODY_FLOATS = 7; // position, quaternion w x y z
export const CONTACT_WORDS = 14; // point, normal, force, mu, gap; mode, a, b

export const MODE_APART = 0;
export const MODE_STICKS = 1;
export const MODE_SLIDES = 2;

export interface Frame {
    generation: number;
    time: number;
    kinetic: number;
    potential: number;
    rotation: number; // the part of the kinetic energy
    springs: number; // the part of the potential energy
    residual: number;
    tolerance: number; // of the last step; 0: unknown
    hand: number; // N, the largest force of a pointer
    penetration: number;
    milliseconds: number; // of computing a step
    phases: number[]; // of them: collide, assemble, solve, advance
    rate: number; // simulated seconds a second
    status: number;
    steps: number;
    unsolved: number;
    bodyCount: number;
    contactCount: number;
    touching: number; // contacts of the step; if there are very many, the frame has none
    bodies: Float32Array; // BODY_FLOATS each
    contacts: Float32Array; // CONTACT_WORDS each
    contactWords: Uint32Array; // the same memory, for mode, a and b
    readings: Float32Array;
}

/** Decodes the frame in bytes[start .. start + length]. */
export function decodeFrame(
    buffer: ArrayBuffer,
    start = 0,
    length = buffer.byteLength - start,
): Frame {
    if (length < HEADER_BYTES || start + length > buffer.byteLength)
        throw new ProtocolError(`a frame of ${length} bytes is shorter than its header`);
    const view = new DataView(buffer, start, length);
    if (view.getUint32(0, true) !== FRAME_MAGIC)
        throw new ProtocolError("this is not a frame: its first four bytes are wrong");
    const bodyCount = view.getUint32(52, true);
    const contactCount = view.getUint32(56, true);
    const contactStart = HEADER_BYTES + 4 * BODY_FLOATS * bodyCount;
    const readingCount = view.getUint32(92, true);
    const readingStart = contactStart + 4 * CONTACT_WORDS * contactCount;
    const wanted = readingStart + 4 * readingCount;
    if (wanted !== length)
        throw new ProtocolError(
            `a frame of ${bodyCount} bodies, ${contactCount} contacts and ` +
                `${readingCount} readings has ${wanted} bytes, not ${length}`,
        );
    // Typed arrays need an offset that is a multiple of four; a frame of a recording may have any.
    const aligned = start % 4 === 0 ? buffer : buffer.slice(start, start + length);
    const origin = aligned === buffer ? start : 0;
    const contactWords = CONTACT_WORDS * contactCount;
    return {
        generation: view.getUint32(4, true),
        time: view.getFloat64(8, true),
        kinetic: view.getFloat32(16, true),
        potential: view.getFloat32(20, true),
        rotation: view.getFloat32(76, true),
        springs: view.getFloat32(80, true),
        residual: view.getFloat32(24, true),
        tolerance: view.getFloat32(84, true),
        hand: view.getFloat32(88, true),
        penetration: view.getFloat32(28, true),
        milliseconds: view.getFloat32(32, true),
        rate: view.getFloat32(36, true),
        phases: [60, 64, 68, 72].map((at) => view.getFloat32(at, true)),
        status: view.getUint32(40, true),
        steps: view.getUint32(44, true),
        unsolved: view.getUint32(48, true),
        bodyCount,
        contactCount,
        touching: view.getUint32(96, true),
        bodies: new Float32Array(aligned, origin + HEADER_BYTES, BODY_FLOATS * bodyCount),
        contacts: new Float32Array(aligned, origin + contactStart, contactWords),
        contactWords: new Uint32Array(aligned, origin + contactStart, contactWords),
        readings: new Float32Array(aligned, origin + readingStart, readingCount),
    };
}

// ---- messages -----------------------------------------------------------------------------------

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
    typeof value === "object" && value !== null && !Array.isArray(value);
const number = (value: unknown, otherwise: number) =>
    typeof value === "number" && Number.isFinite(value) ? value : otherwise;
const text = (value: unknown) => (typeof value === "string" ? value : "");
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const numbers = (value: unknown): number[] => list(value).map((entry) => number(entry, 0));
const numberOrNull = (value: unknown) =>
    typeof value === "number" && Number.isFinite(value) ? value : null;

function vec3(value: unknown, otherwise: Vec3 = [0, 0, 0]): Vec3 {
    const [x, y, z] = numbers(value);
    return Array.isArray(value) && value.length >= 3 ? [x, y, z] : otherwise;
}

function readBody(value: unknown): BodyInfo {
    const body = isObject(value) ? value : {};
    const kind = text(body.kind);
    const known = kind === "fixed" || kind === "driven" || kind === "link";
    return { kind: known ? kind : "free", name: text(body.name), mass: number(body.mass, 0) };
}

function readColour(value: unknown): [number, number, number, number] | null {
    const [r, g, b, a] = numbers(value);
    return Array.isArray(value) && value.length === 4 ? [r, g, b, a] : null;
}

function readShape(value: unknown, bodyCount: number): ShapeInfo {
    if (!isObject(value)) throw new ProtocolError("a shape is not an object");
    const kind = SHAPE_KINDS.find((name) => name === value.kind);
    const body = number(value.body, -1);
    if (!kind) throw new ProtocolError(`this page does not know the shape "${text(value.kind)}"`);
    if (body < 0 || body >= bodyCount)
        throw new ProtocolError(`a shape belongs to body ${body} of ${bodyCount}`);
    const pose = numbers(value.pose);
    const ends = list(value.ends);
    // Two triples, or six numbers in a row.
    const flat = Array.isArray(ends[0])
        ? [...numbers(ends[0]), ...numbers(ends[1])]
        : numbers(ends);
    return {
        body,
        kind,
        pose: pose.length === 7 ? pose : [0, 0, 0, 1, 0, 0, 0],
        radius: number(value.radius, 0),
        half: vec3(value.half),
        ends: [vec3(flat.slice(0, 3)), vec3(flat.slice(3, 6))],
        points: numbers(value.points),
        indices: numbers(value.indices),
        layer: number(value.layer, 1),
        colour: readColour(value.colour),
        finish:
            typeof value.roughness === "number"
                ? { metallic: number(value.metallic, 0), roughness: value.roughness }
                : null,
    };
}

function readJoint(value: unknown, place: number): JointInfo {
    const joint = isObject(value) ? value : {};
    const drive = text(joint.drive);
    return {
        index: number(joint.index, place),
        kind: text(joint.kind),
        a: number(joint.a, -1),
        b: number(joint.b, -1),
        anchorA: vec3(joint.anchor_a),
        anchorB: vec3(joint.anchor_b),
        axisA: vec3(joint.axis_a),
        drive: drive === "velocity" || drive === "position" ? drive : "none",
        target: number(joint.target, 0),
        least: number(joint.min, -1),
        most: number(joint.max, 1),
    };
}

function readActuator(value: unknown): ActuatorInfo {
    const actuator = isObject(value) ? value : {};
    const kind = text(actuator.kind);
    return {
        name: text(actuator.name),
        kind: kind === "velocity" || kind === "effort" ? kind : "position",
        turns: actuator.turns !== false,
        lower: number(actuator.lower, -1),
        upper: number(actuator.upper, 1),
        target: number(actuator.target, 0),
        q: number(actuator.q, -1),
        effort: number(actuator.effort, -1),
    };
}

function readReading(value: unknown): ReadingInfo {
    const reading = isObject(value) ? value : {};
    const kind = text(reading.kind);
    const known = kind === "q" || kind === "length" || kind === "effort";
    return {
        kind: known ? kind : "sensor",
        name: text(reading.name),
        unit: text(reading.unit),
        body: number(reading.body, -1),
    };
}

function readParameter(value: unknown): ParameterInfo {
    const parameter = isObject(value) ? value : {};
    return {
        name: text(parameter.name),
        value: number(parameter.default, 0),
        least: number(parameter.min, -Infinity),
        most: number(parameter.max, Infinity),
        whole: parameter.whole === true,
        summary: text(parameter.summary),
    };
}

function readSceneInfo(value: unknown): SceneInfo {
    const scene = isObject(value) ? value : {};
    return {
        name: text(scene.name),
        summary: text(scene.summary),
        parameters: list(scene.parameters).map(readParameter),
    };
}

function readSettings(message: Json): Partial<Settings> {
    const settings: Partial<Settings> = {};
    if (typeof message.playing === "boolean") settings.playing = message.playing;
    if (typeof message.speed === "number") settings.speed = message.speed;
    if (typeof message.method === "string") settings.method = message.method;
    if (typeof message.step === "number") settings.step = message.step;
    if (typeof message.tolerance === "number") settings.tolerance = message.tolerance;
    if (Array.isArray(message.gravity)) settings.gravity = vec3(message.gravity);
    if (typeof message.restart === "boolean") settings.restart = message.restart;
    if ("friction" in message) settings.friction = numberOrNull(message.friction);
    return settings;
}

function readCamera(value: unknown): CameraHint | null {
    if (!isObject(value) || !Array.isArray(value.centre) || !(number(value.size, 0) > 0))
        return null;
    return { centre: vec3(value.centre), size: number(value.size, 1) };
}

const DEFAULT_SETTINGS: Settings = {
    playing: true,
    speed: 1,
    method: "auto",
    step: 0.01,
    tolerance: 1e-8,
    gravity: [0, 0, -9.81],
    friction: null,
    restart: false,
};

function readScene(message: Json): SceneMessage {
    const bodies = list(message.bodies).map(readBody);
    const set: Record<string, number> = {};
    if (isObject(message.set))
        for (const [name, value] of Object.entries(message.set)) set[name] = number(value, 0);
    return {
        ...DEFAULT_SETTINGS,
        ...readSettings(message),
        type: "scene",
        generation: number(message.generation, 0),
        title: text(message.title),
        name: text(message.name),
        set,
        dimension: message.dimension === 2 ? 2 : 3,
        methods: list(message.methods).map(text),
        bodies,
        shapes: list(message.shapes).map((shape) => readShape(shape, bodies.length)),
        joints: list(message.joints).map(readJoint),
        actuators: list(message.actuators).map(readActuator),
        readings: list(message.readings).map(readReading),
        scenes: list(message.scenes).map(readSceneInfo),
        camera: readCamera(message.camera),
        note: text(message.note),
    };
}

/** Reads a message of the server; null if this page does not know its kind. */
export function readMessage(json: string): ServerMessage | null {
    let message: unknown;
    try {
        message = JSON.parse(json);
    } catch {
        throw new ProtocolError("a message is not JSON");
    }
    if (!isObject(message)) throw new ProtocolError("a message is not an object");
    switch (message.type) {
        case "scene":
            return readScene(message);
        case "state":
            return { type: "state", ...readSettings(message) };
        case "error":
            return { type: "error", text: text(message.text) };
        default:
            return null;
    }
}
