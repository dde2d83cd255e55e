// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The drawing of a shape: a geometry that shapes share by key, a scale, and a pose in the body.
 *
 * Drawn shapes equal the collision shapes: no bevels, no smoothing. Brightness (the colour
 * attribute, which multiplies the colour of the body) marks edges and quarters, so that faces and
 * rotations are visible.
 */
import {
    BufferGeometry,
    CapsuleGeometry,
    CylinderGeometry,
    Float32BufferAttribute,
    Quaternion,
    Vector3,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { capsuleOutline, chainBand, discOutline, outlineOf, plate } from "./planar";
import type { ShapeInfo, Vec3 } from "./protocol";

export interface Drawing {
    key: string;
    scale: Vec3;
    pose: number[]; // px py pz qw qx qy qz, in the body's frame
    isRound?: boolean; // a ball or a disc
    make(): BufferGeometry;
}

/** The resolution of round shapes, by their number. */
export function fineness(count: number): number {
    if (count <= 80) return 12;
    if (count <= 400) return 8;
    if (count <= 1500) return 5;
    return 3;
}

const QUARTER = 0.9; // brightness of every other quarter of a round shape
const EDGE = 0.8;
const MANY_SIZES = 48; // above this number of sizes boxes share one geometry without edges
const THINNEST = 0.4; // half a width, in thicknesses of a plate: thinner rods are invisible
const MANY_SHAPES = 1500; // above this number as well

function geometryFrom(
    position: number[],
    normal: number[],
    shade: number[],
    index: number[],
): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
    geometry.setAttribute("normal", new Float32BufferAttribute(normal, 3));
    geometry.setAttribute(
        "color",
        new Float32BufferAttribute(
            shade.flatMap((s) => [s, s, s]),
            3,
        ),
    );
    geometry.setIndex(index);
    return geometry;
}

/**
 * The unit ball from an octahedron whose faces are divided into n^2 triangles; octants differ in
 * brightness.
 */
export function octasphere(n: number): BufferGeometry {
    const position: number[] = [];
    const shade: number[] = [];
    const index: number[] = [];
    for (let octant = 0; octant < 8; ++octant) {
        const sign = [octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1];
        const odd = sign[0] * sign[1] * sign[2] < 0;
        const first = position.length / 3;
        const at = (i: number, j: number) => first + i * (n + 1) - (i * (i - 1)) / 2 + j;
        for (let i = 0; i <= n; ++i)
            for (let j = 0; j <= n - i; ++j) {
                const p = [i, j, n - i - j];
                const length = Math.hypot(p[0], p[1], p[2]);
                position.push(
                    (sign[0] * p[0]) / length,
                    (sign[1] * p[1]) / length,
                    (sign[2] * p[2]) / length,
                );
                shade.push(odd ? QUARTER : 1);
            }
        const triangle = (a: number, b: number, c: number) =>
            index.push(...(odd ? [a, c, b] : [a, b, c]));
        for (let i = 0; i < n; ++i)
            for (let j = 0; j < n - i; ++j) {
                triangle(at(i, j), at(i + 1, j), at(i, j + 1));
                if (j < n - i - 1) triangle(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            }
    }
    return geometryFrom(position, position, shade, index);
}

/** A box with a darker band along its edges. */
export function edgedBox(half: Vec3, band: number): BufferGeometry {
    const position: number[] = [];
    const normal: number[] = [];
    const shade: number[] = [];
    const index: number[] = [];
    for (let axis = 0; axis < 3; ++axis)
        for (const side of [-1, 1]) {
            const u = (axis + 1) % 3;
            const v = (axis + 2) % 3;
            const quad = (corners: number[][], brightness: number) => {
                const first = position.length / 3;
                for (const [a, b] of corners) {
                    const p = [0, 0, 0];
                    const n = [0, 0, 0];
                    p[axis] = side * half[axis];
                    p[u] = a;
                    p[v] = b;
                    n[axis] = side;
                    position.push(...p);
                    normal.push(...n);
                    shade.push(brightness);
                }
                const order = side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
                index.push(...order.map((k) => first + k));
            };
            const ring = (x: number, y: number) => [
                [-x, -y],
                [x, -y],
                [x, y],
                [-x, y],
            ];
            const outer = ring(half[u], half[v]);
            const inner = ring(half[u] - band, half[v] - band);
            quad(inner, 1);
            // Mitred: both faces share the line of an edge, so that no pixel between them is empty.
            if (band > 0)
                for (let k = 0; k < 4; ++k)
                    quad([outer[k], outer[(k + 1) % 4], inner[(k + 1) % 4], inner[k]], EDGE);
        }
    return geometryFrom(position, normal, shade, index);
}

/**
 * Rotates three's geometries from the y axis to the z axis, and sets the brightness of quarters
 * around the axis.
 */
function standing(geometry: BufferGeometry): BufferGeometry {
    geometry.rotateX(Math.PI / 2);
    const flat = geometry.toNonIndexed();
    geometry.dispose();
    const position = flat.getAttribute("position");
    const shade = new Float32Array(3 * position.count);
    for (let k = 0; k < position.count; k += 3) {
        const x = position.getX(k) + position.getX(k + 1) + position.getX(k + 2);
        const y = position.getY(k) + position.getY(k + 1) + position.getY(k + 2);
        shade.fill(x * y < 0 ? QUARTER : 1, 3 * k, 3 * k + 9);
    }
    flat.setAttribute("color", new Float32BufferAttribute(shade, 3));
    flat.deleteAttribute("uv");
    return flat;
}

function withPlainColour(geometry: BufferGeometry): BufferGeometry {
    const count = geometry.getAttribute("position").count;
    geometry.setAttribute(
        "color",
        new Float32BufferAttribute(new Float32Array(3 * count).fill(1), 3),
    );
    return geometry;
}

function hullGeometry(points: number[]): BufferGeometry {
    const corners: Vector3[] = [];
    for (let k = 0; k + 2 < points.length; k += 3)
        corners.push(new Vector3(points[k], points[k + 1], points[k + 2]));
    return withPlainColour(new ConvexGeometry(corners));
}

function meshGeometry(points: number[], indices: number[]): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
    geometry.setIndex(indices);
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals();
    return withPlainColour(flat);
}

/** The composition of two poses; both px py pz qw qx qy qz. */
function compose(outer: number[], position: Vector3, turn: Quaternion): number[] {
    const q = new Quaternion(outer[4], outer[5], outer[6], outer[3]);
    const p = position
        .clone()
        .applyQuaternion(q)
        .add(new Vector3(outer[0], outer[1], outer[2]));
    q.multiply(turn);
    return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
}

function capsuleDrawing(shape: ShapeInfo, cut: number): Drawing {
    const a = new Vector3(...shape.ends[0]);
    const b = new Vector3(...shape.ends[1]);
    const along = b.clone().sub(a);
    const length = along.length();
    const turn = new Quaternion();
    if (length > 0) turn.setFromUnitVectors(new Vector3(0, 0, 1), along.divideScalar(length));
    const { radius } = shape;
    return {
        key: `capsule ${radius} ${length} ${cut}`,
        scale: [1, 1, 1],
        pose: compose(shape.pose, a.add(b).multiplyScalar(0.5), turn),
        make: () =>
            standing(new CapsuleGeometry(radius, length, Math.max(3, cut), 4 * Math.max(2, cut))),
    };
}

export interface Style {
    planar: boolean;
    cut: number; // fineness
    thickness: number; // of plates
    boxSizes: number; // number of different boxes in the scene
    shapes: number; // number of shapes
}

/** null for planes, which are infinite and drawn by ground.ts. */
export function drawingOf(shape: ShapeInfo, place: number, style: Style): Drawing | null {
    if (shape.kind === "plane") return null;
    return style.planar ? planarDrawing(shape, place, style) : spatialDrawing(shape, place, style);
}

function spatialDrawing(
    shape: ShapeInfo,
    place: number,
    { cut, boxSizes, shapes }: Style,
): Drawing | null {
    const { pose, radius, half } = shape;
    switch (shape.kind) {
        case "ball":
            return {
                key: `ball ${cut}`,
                scale: [radius, radius, radius],
                pose,
                isRound: true,
                make: () => octasphere(cut),
            };
        case "box": {
            if (boxSizes > MANY_SIZES || shapes > MANY_SHAPES)
                return { key: "box", scale: half, pose, make: () => edgedBox([1, 1, 1], 0) };
            const band = 0.07 * Math.min(...half);
            return { key: `box ${half}`, scale: [1, 1, 1], pose, make: () => edgedBox(half, band) };
        }
        case "capsule":
            return capsuleDrawing(shape, cut);
        case "cylinder": {
            const around = 4 * Math.max(3, cut);
            const make = () => standing(new CylinderGeometry(1, 1, 2, around));
            return { key: `cylinder ${cut}`, scale: [radius, radius, half[2]], pose, make };
        }
        case "hull":
            return {
                key: `hull ${shape.points}`,
                scale: [1, 1, 1],
                pose,
                make: () => hullGeometry(shape.points),
            };
        case "mesh":
            return {
                key: `mesh ${place}`,
                scale: [1, 1, 1],
                pose,
                make: () => meshGeometry(shape.points, shape.indices),
            };
        default:
            return null;
    }
}

/** Plates are ordered by the bits of their layer: the highest is in front. */
export function layerDepth(layer: number): number {
    return layer > 1 ? Math.floor(Math.log2(layer)) : 0;
}

function planarDrawing(shape: ShapeInfo, place: number, { cut, thickness }: Style): Drawing | null {
    const depth = layerDepth(shape.layer);
    const pose = [...shape.pose];
    pose[2] = 1.5 * thickness * depth;
    const segments = 4 * Math.max(3, cut);
    const one: Vec3 = [1, 1, 1];
    if (shape.kind === "ball") {
        const { radius } = shape;
        const make = () => plate(discOutline(segments), 1, true);
        return {
            key: `disc ${cut}`,
            scale: [radius, radius, thickness],
            pose,
            isRound: true,
            make,
        };
    }
    if (shape.kind === "mesh")
        return {
            key: `chain ${place}`,
            scale: one,
            pose,
            make: () => chainBand(shape.points, shape.indices, 1.5 * thickness, thickness),
        };
    if (shape.kind === "capsule") {
        const { ends } = shape;
        const radius = Math.max(shape.radius, THINNEST * thickness);
        const make = () => plate(capsuleOutline(ends[0], ends[1], radius, segments), thickness);
        return { key: `capsule ${ends} ${radius} ${cut}`, scale: one, pose, make };
    }
    const half = shape.half.map((x) => Math.max(x, THINNEST * thickness)) as Vec3;
    const outline = outlineOf({ ...shape, half }, segments);
    if (!outline) return null;
    return {
        key: `plate ${shape.kind} ${shape.half} ${shape.points}`,
        scale: one,
        pose,
        make: () => plate(outline, thickness),
    };
}
