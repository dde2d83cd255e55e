// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Selects the balls of a heap to draw: those hidden by nearer ones and those outside the image are
 * left out. In software rendering, most of the time of a heap is spent on its inner balls.
 *
 * The image is divided into cells of a quarter of a ball. Balls are visited from the nearest to the
 * farthest; each visible ball fills the cells inside its outline. A ball is hidden if all cells
 * that its outline meets are filled by balls whose middle plane, at which they are drawn, is in
 * front of its nearest point.
 */
import type { Matrix4 } from "three";

const BUCKETS = 1024;
const CELLS_PER_RADIUS = 4;
const MOST_CELLS = 400; // across the image
const EYE_ROOM = 2; // radii: nearer balls are drawn and hide nothing

/** The view: from world to image. */
export interface Lens {
    view: Matrix4;
    lens: Matrix4; // its projection
    changed: boolean; // since the previous image
}

/** Depths along the view; position and radius of each ball in the image. */
class Discs {
    readonly depth: Float32Array;
    readonly x: Float32Array;
    readonly y: Float32Array;
    readonly radius: Float32Array; // of the ball, m
    readonly seen: Float32Array; // in the image, whose height is 2
    readonly stretch: Float32Array; // of the outline, which is an ellipse away from the middle
    aspect: number;

    constructor(matrices: Float32Array, count: number, { view, lens }: Lens) {
        const [v, p] = [view.elements, lens.elements];
        this.aspect = p[5] / p[0];
        this.depth = new Float32Array(count);
        this.x = new Float32Array(count);
        this.y = new Float32Array(count);
        this.radius = new Float32Array(count);
        this.seen = new Float32Array(count);
        this.stretch = new Float32Array(count);
        for (let k = 0; k < count; ++k) {
            const at = 16 * k;
            const [cx, cy, cz] = [matrices[at + 12], matrices[at + 13], matrices[at + 14]];
            const depth = -(v[2] * cx + v[6] * cy + v[10] * cz + v[14]);
            const sideways = (v[0] * cx + v[4] * cy + v[8] * cz + v[12]) / depth;
            const upwards = (v[1] * cx + v[5] * cy + v[9] * cz + v[13]) / depth;
            const radius = Math.hypot(matrices[at], matrices[at + 1], matrices[at + 2]);
            this.depth[k] = depth;
            this.radius[k] = radius;
            this.x[k] = this.aspect * (p[0] * sideways - p[8]);
            this.y[k] = p[5] * upwards - p[9];
            this.seen[k] = (p[5] * radius) / depth;
            this.stretch[k] = 1.02 * Math.sqrt(1 + sideways * sideways + upwards * upwards);
        }
    }
}

/** The balls by the depth of their centres, nearest first, to a thousandth of the range. */
export function nearestFirst(depth: Float32Array): Uint32Array {
    const count = depth.length;
    let [least, most] = [Infinity, -Infinity];
    for (let k = 0; k < count; ++k) {
        least = Math.min(least, depth[k]);
        most = Math.max(most, depth[k]);
    }
    const scale = most > least ? (BUCKETS - 1) / (most - least) : 0;
    const starts = new Uint32Array(BUCKETS + 1);
    for (let k = 0; k < count; ++k) starts[1 + Math.floor((depth[k] - least) * scale)]++;
    for (let b = 0; b < BUCKETS; ++b) starts[b + 1] += starts[b];
    const order = new Uint32Array(count);
    for (let k = 0; k < count; ++k) order[starts[Math.floor((depth[k] - least) * scale)]++] = k;
    return order;
}

/** Cells of the image, filled by nearer balls or not. */
class Cells {
    private readonly full: Uint8Array;
    private readonly across: number;
    private readonly down: number;
    private readonly scale: number; // cells in a unit of the image

    constructor(
        radius: number,
        private readonly aspect: number,
    ) {
        this.scale = Math.min(CELLS_PER_RADIUS / radius, MOST_CELLS / (2 * aspect));
        this.across = Math.ceil(2 * aspect * this.scale);
        this.down = Math.ceil(2 * this.scale);
        this.full = new Uint8Array(this.across * this.down);
    }

    /** Fills the cells inside a disc. */
    fill(x: number, y: number, radius: number): void {
        const { scale, across, down, full } = this;
        const [cx, cy, r] = [(x + this.aspect) * scale, (y + 1) * scale, radius * scale];
        const last = Math.min(down, Math.floor(cy + r));
        for (let row = Math.max(0, Math.ceil(cy - r)); row < last; ++row) {
            const off = Math.max(Math.abs(row - cy), Math.abs(row + 1 - cy));
            const half = Math.sqrt(Math.max(0, r * r - off * off));
            const from = Math.max(0, Math.ceil(cx - half));
            const to = Math.min(across, Math.floor(cx + half));
            if (from < to) full.fill(1, row * across + from, row * across + to);
        }
    }

    /** Whether all cells that a disc meets are filled; true for a disc outside the image. */
    hides(x: number, y: number, radius: number): boolean {
        const { scale, across, down, full } = this;
        const [cx, cy, r] = [(x + this.aspect) * scale, (y + 1) * scale, radius * scale];
        const last = Math.min(down, Math.ceil(cy + r));
        for (let row = Math.max(0, Math.floor(cy - r)); row < last; ++row) {
            const off = Math.max(0, row - cy, cy - row - 1);
            const half = Math.sqrt(Math.max(0, r * r - off * off));
            const to = Math.min(across, Math.ceil(cx + half));
            for (let column = Math.max(0, Math.floor(cx - half)); column < to; ++column)
                if (full[row * across + column] === 0) return false;
        }
        return true;
    }
}

/** The balls to be drawn, nearest first; `matrices` has 16 numbers a ball. */
export function seenFirst(matrices: Float32Array, count: number, lens: Lens): Uint32Array {
    const discs = new Discs(matrices, count, lens);
    const { depth, radius, seen, stretch, x, y } = discs;
    const order = nearestFirst(depth);
    const typical = seen[order[count >> 1]];
    if (!(typical > 0)) return order;
    const cells = new Cells(typical, discs.aspect);
    let [kept, filled] = [0, 0];
    for (let k = 0; k < count; ++k) {
        const ball = order[k];
        const front = depth[ball] - radius[ball];
        const isNear = depth[ball] < EYE_ROOM * radius[ball];
        if (isNear && depth[ball] < -radius[ball]) continue; // behind the eye
        for (; filled < kept && depth[order[filled]] <= front; ++filled) {
            const one = order[filled];
            if (depth[one] >= EYE_ROOM * radius[one]) cells.fill(x[one], y[one], seen[one]);
        }
        if (isNear || !cells.hides(x[ball], y[ball], stretch[ball] * seen[ball]))
            order[kept++] = ball; // its entry was visited
    }
    return order.subarray(0, kept);
}
