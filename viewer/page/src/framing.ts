// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Keeps what moves in the picture, as long as nobody has taken the camera: at the first frame the camera goes where everything fits; later, when
 * something leaves the picture, it follows gently.  What flies far away is let go.
 */
import { isMovable, reachOf } from "./bodies";
import { BODY_FLOATS, type Frame, type SceneMessage } from "./protocol";
import type { Stage } from "./stage";

const FAR = 4; // sizes of the scene
const NEAR_BY = 3; // what does not move belongs to the picture if it ends within so many sizes of what does
const EASE = 0.06; // of the way, a picture
const LOOK_EVERY = 4; // pictures

export type Ball = [number, number, number, number]; // centre and radius

export class Framing {
    private reaches = new Map<number, number>(); // by body
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
        this.reaches = new Map();
        for (const shape of scene.shapes) {
            if (shape.kind === "plane") continue;
            const away = Math.hypot(shape.pose[0], shape.pose[1], shape.pose[2]);
            this.reaches.set(shape.body, Math.max(this.reaches.get(shape.body) ?? 0, away + reachOf(shape)));
        }
    }

    private balls(scene: SceneMessage, frame: Frame): Ball[] {
        const { centre, reach } = this.stage;
        const all = [...this.reaches]
            .filter(([body]) => body < frame.bodyCount)
            .map(([body, radius]) => {
                const [x, y, z] = frame.bodies.subarray(BODY_FLOATS * body, BODY_FLOATS * body + 3);
                const away = Math.hypot(x - centre.x, y - centre.y, z - centre.z);
                return { ball: [x, y, z, radius] as Ball, away, moves: isMovable(scene.bodies[body]) };
            });
        return all.filter(({ ball, away, moves }) => (moves ? away < FAR * reach : away + ball[3] < NEAR_BY * reach)).map(({ ball }) => ball);
    }

    /** Before each picture. */
    update(scene: SceneMessage, frame: Frame): void {
        if (!this.free || (!this.fresh && ++this.pictures % LOOK_EVERY !== 0 && !this.following)) return;
        const balls = this.balls(scene, frame);
        if (balls.length === 0) return;
        if (this.fresh) this.stage.approach(balls, 1);
        else if (this.following) this.following = this.stage.approach(balls, EASE) > 0.02;
        else this.following = !this.stage.sees(balls);
        this.fresh = false;
    }
}
