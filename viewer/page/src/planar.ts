// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Outlines of planar shapes and what is drawn from them: thin plates seen from the front, with a
 * darker rim that shows where each one ends.  Outlines are convex, counterclockwise, pairs (x, y).
 */
import { BufferGeometry, Float32BufferAttribute } from "three";
import type { ShapeInfo } from "./protocol";

export type Outline = [number, number][];

const RIM = 0.7; // brightness against that of the face
const SIDE = 0.82;

export function discOutline(segments: number): Outline {
    return Array.from({ length: segments }, (_, k) => {
        const angle = (2 * Math.PI * k) / segments;
        return [Math.cos(angle), Math.sin(angle)] as [number, number];
    });
}

export function boxOutline(x: number, y: number): Outline {
    return [
        [-x, -y],
        [x, -y],
        [x, y],
        [-x, y],
    ];
}

/** All within `radius` of the segment from a to b. */
export function capsuleOutline(
    a: number[],
    b: number[],
    radius: number,
    segments: number,
): Outline {
    const along = Math.atan2(b[1] - a[1], b[0] - a[0]);
    const outline: Outline = [];
    const half = Math.max(4, segments >> 1);
    for (const [centre, from] of [
        [b, along - Math.PI / 2],
        [a, along + Math.PI / 2],
    ] as [number[], number][])
        for (let k = 0; k <= half; ++k) {
            const angle = from + (Math.PI * k) / half;
            outline.push([
                centre[0] + radius * Math.cos(angle),
                centre[1] + radius * Math.sin(angle),
            ]);
        }
    return outline;
}

/** The convex hull of points in the plane (Andrew's chains); points come three numbers each. */
export function hullOutline(points: number[]): Outline {
    const sorted: Outline = [];
    for (let k = 0; k + 1 < points.length; k += 3) sorted.push([points[k], points[k + 1]]);
    sorted.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    const turn = (o: number[], p: number[], q: number[]) =>
        (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    const chain = (list: Outline) => {
        const out: Outline = [];
        for (const point of list) {
            while (out.length >= 2 && turn(out[out.length - 2], out[out.length - 1], point) <= 0)
                out.pop();
            out.push(point);
        }
        out.pop();
        return out;
    };
    return [...chain(sorted), ...chain([...sorted].reverse())];
}

/** The outline of a planar shape in its own frame; null where it has none that is closed. */
export function outlineOf(shape: ShapeInfo, segments: number): Outline | null {
    switch (shape.kind) {
        case "box":
            return boxOutline(shape.half[0], shape.half[1]);
        case "capsule":
            return capsuleOutline(shape.ends[0], shape.ends[1], shape.radius, segments);
        case "hull": {
            const hull = hullOutline(shape.points);
            return hull.length >= 3 ? hull : null;
        }
        case "ball":
            return discOutline(segments).map(([x, y]) => [shape.radius * x, shape.radius * y]);
        default:
            return null;
    }
}

function areaAndGirth(outline: Outline): [number, number] {
    let area = 0;
    let girth = 0;
    outline.forEach((p, k) => {
        const q = outline[(k + 1) % outline.length];
        area += (p[0] * q[1] - q[0] * p[1]) / 2;
        girth += Math.hypot(q[0] - p[0], q[1] - p[1]);
    });
    return [area, girth];
}

/** The outline moved inwards by `width`: each corner along its bisector. */
function inset(outline: Outline, width: number): Outline {
    const count = outline.length;
    const normal = (k: number): [number, number] => {
        const p = outline[k % count];
        const q = outline[(k + 1) % count];
        const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
        return [-(q[1] - p[1]) / length, (q[0] - p[0]) / length]; // inwards
    };
    return outline.map((p, k) => {
        const a = normal(k + count - 1);
        const b = normal(k);
        const sum: [number, number] = [a[0] + b[0], a[1] + b[1]];
        const square = sum[0] * sum[0] + sum[1] * sum[1];
        const reach = Math.min((2 * width) / Math.max(square, 0.2), 3 * width);
        return [p[0] + reach * sum[0], p[1] + reach * sum[1]];
    });
}

class Builder {
    private readonly position: number[] = [];
    private readonly normal: number[] = [];
    private readonly colour: number[] = [];
    private readonly index: number[] = [];

    polygon(points: number[][], normal: number[], shade: number): void {
        const first = this.position.length / 3;
        for (const point of points) {
            this.position.push(point[0], point[1], point[2]);
            this.normal.push(...normal);
            this.colour.push(shade, shade, shade);
        }
        for (let k = 2; k < points.length; ++k) this.index.push(first, first + k - 1, first + k);
    }

    finish(): BufferGeometry {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new Float32BufferAttribute(this.position, 3));
        geometry.setAttribute("normal", new Float32BufferAttribute(this.normal, 3));
        geometry.setAttribute("color", new Float32BufferAttribute(this.colour, 3));
        geometry.setIndex(this.index);
        return geometry;
    }
}

/**
 * A plate: the outline from z = -thickness/2 to +thickness/2.  With a hand it carries a line from
 * the middle to the rim, as a clock does, which shows how a disc turns.
 */
export function plate(outline: Outline, thickness: number, hand = false): BufferGeometry {
    const [area, girth] = areaAndGirth(outline);
    const width = Math.min(0.045 * Math.sqrt(area), (0.5 * area) / girth);
    const inner = inset(outline, width);
    const front = thickness / 2;
    const build = new Builder();
    build.polygon(
        inner.map(([x, y]) => [x, y, front]),
        [0, 0, 1],
        1,
    );
    outline.forEach((p, k) => {
        const next = (k + 1) % outline.length;
        const q = outline[next];
        const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
        const corners = [p, q, inner[next], inner[k]].map(([x, y]) => [x, y, front]);
        build.polygon(corners, [0, 0, 1], RIM);
        const side = [
            [p[0], p[1], -front],
            [q[0], q[1], -front],
            [q[0], q[1], front],
            [p[0], p[1], front],
        ];
        build.polygon(side, [(q[1] - p[1]) / length, -(q[0] - p[0]) / length, 0], SIDE);
    });
    if (hand) {
        const reach = Math.max(...outline.map(([x]) => x)) - width;
        const z = front * 1.02;
        build.polygon(
            [
                [0, -width / 2, z],
                [reach, -width / 2, z],
                [reach, width / 2, z],
                [0, width / 2, z],
            ],
            [0, 0, 1],
            RIM,
        );
    }
    return build.finish();
}

/** A chain of segments, solid on the right as one walks it: a band of some depth on that side. */
export function chainBand(
    points: number[],
    indices: number[],
    depth: number,
    thickness: number,
): BufferGeometry {
    const build = new Builder();
    const z = thickness / 2;
    for (let k = 0; k + 1 < indices.length; k += 2) {
        const p = points.slice(3 * indices[k], 3 * indices[k] + 2);
        const q = points.slice(3 * indices[k + 1], 3 * indices[k + 1] + 2);
        const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
        if (!(length > 0)) continue;
        const right = [(q[1] - p[1]) / length, -(q[0] - p[0]) / length];
        const strip = (near: number, far: number, lift: number) => [
            [p[0] + far * right[0], p[1] + far * right[1], lift],
            [q[0] + far * right[0], q[1] + far * right[1], lift],
            [q[0] + near * right[0], q[1] + near * right[1], lift],
            [p[0] + near * right[0], p[1] + near * right[1], lift],
        ];
        build.polygon(strip(0, depth, z), [0, 0, 1], 1);
        build.polygon(strip(0, 0.18 * depth, 1.02 * z), [0, 0, 1], RIM);
    }
    return build.finish();
}
