// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Keeps what moves in the picture, as long as nobody has taken the camera: at the first frame the
 * camera goes where everything fits; later, when something leaves the picture, it follows gently.
 * What flies far away is let go.
 */
import { isMovable, reachOf, turned } from "./bodies";
import { BODY_FLOATS, type Frame, type SceneMessage, type ShapeInfo } from "./protocol";
import type { Stage } from "./stage";

const FAR = 4; // sizes of the scene
// what does not move belongs to the picture if it ends within so many sizes of what does
const NEAR_BY = 3;
const EASE = 0.06; // of the way, a picture
const LOOK_EVERY = 4; // pictures

const MANY_SHAPES = 1000; // above so many each is a ball around itself

export type Ball = [number, number, number, number]; // centre and radius

/** Balls whose hull is the shape, or holds it, in its own frame. */
export function hullBalls(shape: ShapeInfo): Ball[] {
    const { radius, half, ends, points } = shape;
    const corners = (low: number[], high: number[]) =>
        Array.from({ length: 8 }, (_, k): Ball => [
            k & 1 ? high[0] : low[0],
            k & 2 ? high[1] : low[1],
            k & 4 ? high[2] : low[2],
            0,
        ]);
    switch (shape.kind) {
        case "ball":
            return [[0, 0, 0, radius]];
        case "box":
            return corners([-half[0], -half[1], -half[2]], half);
        case "capsule":
            return ends.map((end): Ball => [...end, radius]);
        case "cylinder":
            return corners([-radius, -radius, -half[2]], [radius, radius, half[2]]);
        case "plane":
            return [];
        default: {
            const low = [Infinity, Infinity, Infinity];
            const high = [-Infinity, -Infinity, -Infinity];
            points.forEach((x, k) => {
                low[k % 3] = Math.min(low[k % 3], x);
                high[k % 3] = Math.max(high[k % 3], x);
            });
            return points.length >= 3 ? corners(low, high) : [];
        }
    }
}

export class Framing {
    private parts = new Map<number, Ball[]>(); // of each body, in its frame
    private fresh = true;
    private following = false;
    private pictures = 0;
    free = true; // nobody has taken the camera

    constructor(private readonly stage: Stage) {
        stage.controls.addEventListener("start", () => {
            this.free = false;
        });
    }

    /** Another scene, or the wish to see the whole of it. */
    restart(scene: SceneMessage): void {
        this.fresh = this.free = true;
        this.following = false;
        this.parts = new Map();
        for (const shape of scene.shapes) {
            const all =
                scene.shapes.length > MANY_SHAPES && shape.kind !== "plane"
                    ? [[0, 0, 0, reachOf(shape)] as Ball]
                    : hullBalls(shape);
            const [px, py, pz, ...turn] = shape.pose;
            const inBody = all.map(([x, y, z, radius]): Ball => {
                const [tx, ty, tz] = turned(turn, [x, y, z]);
                return [px + tx, py + ty, pz + tz, radius];
            });
            if (inBody.length > 0)
                this.parts.set(shape.body, [...(this.parts.get(shape.body) ?? []), ...inBody]);
        }
    }

    private balls(scene: SceneMessage, frame: Frame): Ball[] {
        const { centre, reach } = this.stage;
        const balls: Ball[] = [];
        for (const [body, parts] of this.parts) {
            if (body >= frame.bodyCount) continue;
            const [x, y, z, ...turn] = frame.bodies.subarray(
                BODY_FLOATS * body,
                BODY_FLOATS * (body + 1),
            );
            const placed = parts.map(([px, py, pz, radius]): Ball => {
                const [tx, ty, tz] = turned(turn, [px, py, pz]);
                return [x + tx, y + ty, z + tz, radius];
            });
            const away = (ball: Ball) =>
                Math.hypot(ball[0] - centre.x, ball[1] - centre.y, ball[2] - centre.z) + ball[3];
            const most = (isMovable(scene.bodies[body]) ? FAR : NEAR_BY) * reach;
            if (placed.every((ball) => away(ball) < most)) balls.push(...placed);
        }
        return balls;
    }

    /** Before each picture. */
    update(scene: SceneMessage, frame: Frame): void {
        if (!this.free || (!this.fresh && ++this.pictures % LOOK_EVERY !== 0 && !this.following))
            return;
        const balls = this.balls(scene, frame);
        if (balls.length === 0) return;
        if (this.fresh) this.stage.approach(balls, 1);
        else if (this.following) this.following = this.stage.approach(balls, EASE) > 0.02;
        else this.following = !this.stage.sees(balls);
        this.fresh = false;
    }
}
