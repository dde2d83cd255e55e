// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Keeps moving bodies in the image until the user moves the camera. At the first frame the camera
 * moves to where everything fits; later it follows smoothly if a body leaves the image. Bodies that
 * fly far away are ignored.
 */
import { Vector3 } from "three";
import { isMovable, reachOf, turned } from "./bodies";
import { BODY_FLOATS, type Frame, type SceneMessage, type ShapeInfo } from "./protocol";
import type { Stage } from "./stage";

const FAR = 4; // sizes of the scene
// What does not move belongs to the picture if it ends within so many sizes of what does.
const NEAR_BY = 3;
const EASE = 0.09; // of the way, per image
const LOOK_EVERY = 6; // images, with many bodies
const FEW = 50; // bodies, which are checked in every image
const MIDDLE_OF = 200; // bodies, at most
const LONE_ROOM = 2.2; // sizes around a single body

const MANY_SHAPES = 1000; // above this number a shape is its bounding ball

export type Ball = [number, number, number, number]; // centre and radius

/** Balls whose hull is the shape or contains it, in its own frame. */
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

/** The balls that reached farthest in eight directions of the image. */
class Extremes {
    private balls: (Ball | null)[] = new Array(8).fill(null);
    private most = new Array<number>(8).fill(-Infinity);

    clear(): void {
        this.balls.fill(null);
        this.most.fill(-Infinity);
    }

    add(balls: Ball[], right: Vector3, above: Vector3): void {
        for (const ball of balls) {
            const x = ball[0] * right.x + ball[1] * right.y + ball[2] * right.z;
            const y = ball[0] * above.x + ball[1] * above.y + ball[2] * above.z;
            for (let k = 0; k < 8; ++k) {
                const reach = x * DIRECTIONS[k][0] + y * DIRECTIONS[k][1] + ball[3];
                if (reach <= this.most[k]) continue;
                this.most[k] = reach;
                this.balls[k] = ball;
            }
        }
    }

    /** Those nearer than `most` to a point. */
    near(point: Vector3, most: number): Ball[] {
        return this.balls.filter(
            (ball): ball is Ball =>
                ball !== null &&
                Math.hypot(ball[0] - point.x, ball[1] - point.y, ball[2] - point.z) < most,
        );
    }
}

const DIRECTIONS = Array.from({ length: 8 }, (_, k) => [
    Math.cos((k * Math.PI) / 4),
    Math.sin((k * Math.PI) / 4),
]);

export class Framing {
    private parts = new Map<number, Ball[]>(); // of each body, in its frame
    private movable = 0; // bodies
    private fresh = true;
    private following = false;
    private images = 0;
    private readonly past = new Extremes(); // positions since the scene began
    private lastTime = 0;
    free = true; // the user has not moved the camera

    constructor(private readonly stage: Stage) {
        stage.controls.addEventListener("start", () => {
            this.free = false;
        });
    }

    /** Starts again: for another scene, or to fit the view. */
    restart(scene: SceneMessage): void {
        this.fresh = this.free = true;
        this.following = false;
        this.past.clear();
        this.parts = new Map();
        this.movable = scene.bodies.filter(isMovable).length;
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

    /** The median, in each coordinate, of the movable bodies. */
    private middle(scene: SceneMessage, frame: Frame): Vector3 {
        const bodies = [...this.parts.keys()].filter(
            (body) => body < frame.bodyCount && isMovable(scene.bodies[body]),
        );
        if (bodies.length === 0) return this.stage.controls.target;
        const stride = Math.ceil(bodies.length / MIDDLE_OF);
        const some = bodies.filter((_, k) => k % stride === 0);
        const median = (c: number) =>
            some.map((body) => frame.bodies[BODY_FLOATS * body + c]).sort((a, b) => a - b)[
                some.length >> 1
            ];
        return new Vector3(median(0), median(1), median(2));
    }

    /** The bodies near the middle: movable ones, and those that support them. */
    private balls(scene: SceneMessage, frame: Frame, target: Vector3): Ball[] {
        const { reach } = this.stage;
        const balls: Ball[] = [];
        for (const { kind, a, anchorA } of scene.joints)
            if (kind === "distance" && a < 0) balls.push([...anchorA, 0]); // the end of a string
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
                Math.hypot(ball[0] - target.x, ball[1] - target.y, ball[2] - target.z) + ball[3];
            const most = (isMovable(scene.bodies[body]) ? FAR : NEAR_BY) * reach;
            if (placed.every((ball) => away(ball) < most)) balls.push(...placed);
        }
        return balls;
    }

    /** Before each image. */
    update(scene: SceneMessage, frame: Frame): void {
        const isReset = frame.time < this.lastTime;
        this.lastTime = frame.time;
        if (!this.free) return;
        const every = this.movable > FEW ? LOOK_EVERY : 1;
        if (!isReset && !this.fresh && ++this.images % every !== 0 && !this.following) return;
        const { stage } = this;
        const middle = this.middle(scene, frame);
        const balls = this.balls(scene, frame, middle);
        if (balls.length === 0) return;
        if (isReset && !stage.sees(balls)) return this.begin(scene);
        const [right, above] = stage.axes();
        this.past.add(balls, right, above);
        // A single body has room around it, so that its motion is visible.
        if (this.movable < 2) balls.push([middle.x, middle.y, middle.z, LONE_ROOM * stage.reach]);
        const all = [...balls, ...this.past.near(middle, FAR * stage.reach)];
        if (this.fresh) stage.approach(balls, 1);
        else if (this.following || !stage.sees(balls))
            this.following = stage.approach(all, EASE) > 0.02;
        this.fresh = false;
    }

    /** The scene started again while the camera was elsewhere. */
    private begin(scene: SceneMessage): void {
        this.stage.lookAtScene(scene);
        this.restart(scene);
    }
}
