// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The mouse or a finger in the scene: drags bodies through a spring, selects them with a click, and
 * leaves everything else to the camera.
 *
 * While a body is held, the target moves in the plane through the grabbed point, parallel to the
 * image.
 */
import { Plane, Vector3 } from "three";
import { isMovable, toLocal, toWorld, type Bodies } from "./bodies";
import type { Spring } from "./joints";
import type { SceneMessage, Vec3, Command } from "./protocol";
import type { Stage } from "./stage";

const CLICK_PIXELS = 5;
const HOVER_BODIES = 1500; // above this number picking under the pointer is too slow

export interface PointerWorld {
    scene(): SceneMessage | null;
    bodies(): Bodies | null;
    poses(): Float32Array | null;
    live(): boolean; // whether bodies can be pulled
    command(command: Command): void;
    choose(body: number): void;
    grabbed(): void;
    hover(body: number): void;
}

interface Hold {
    body: number;
    local: Vec3;
    plane: Plane;
    target: Vec3;
    sent: boolean;
}

export class Pointer {
    x = 0;
    y = 0;
    private isOver = false; // a mouse over the image; not a finger
    private hold: Hold | null = null;
    private down: { x: number; y: number; body: number; id: number } | null = null;
    private hoverAt = 0;

    constructor(
        private readonly stage: Stage,
        private readonly spring: Spring,
        private readonly world: PointerWorld,
    ) {
        const { canvas } = stage;
        const parent = canvas.parentElement ?? canvas;
        // Before the camera's own listener, which is on the canvas.
        parent.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
        canvas.addEventListener("pointermove", (event) => this.move(event));
        canvas.addEventListener("pointerleave", () => {
            this.isOver = false;
        });
        for (const type of ["pointerup", "pointercancel", "lostpointercapture"] as const)
            canvas.addEventListener(type, (event) => this.lift(event));
        const box = canvas.getBoundingClientRect();
        this.x = box.left + box.width / 2;
        this.y = box.top + box.height / 2;
    }

    get holds(): number {
        return this.hold?.body ?? -1;
    }

    private press(event: PointerEvent): void {
        if (event.button !== 0 || this.hold) return;
        this.x = event.clientX;
        this.y = event.clientY;
        const scene = this.world.scene();
        const poses = this.world.poses();
        const hit =
            this.world.bodies()?.pick(this.stage.rayAt(event.clientX, event.clientY)) ?? null;
        this.down = {
            x: event.clientX,
            y: event.clientY,
            body: hit?.body ?? -1,
            id: event.pointerId,
        };
        if (!hit || !scene || !poses || !this.world.live() || !isMovable(scene.bodies[hit.body]))
            return;
        this.stage.controls.enabled = false;
        this.stage.canvas.setPointerCapture(event.pointerId);
        const normal = this.stage.camera.getWorldDirection(new Vector3());
        const target = hit.point;
        if (scene.dimension === 2) target[2] = 0;
        const plane = new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3(...target));
        const local = toLocal(poses, hit.body, target);
        this.hold = { body: hit.body, local, plane, target, sent: true };
        this.world.command({ do: "grab", body: hit.body, local, target });
        this.world.hover(hit.body);
        this.stage.canvas.style.cursor = "grabbing";
    }

    private move(event: PointerEvent): void {
        this.isOver = event.pointerType === "mouse";
        this.x = event.clientX;
        this.y = event.clientY;
        if (!this.hold) return;
        if (event.pointerId !== this.down?.id) return;
        const point = this.stage
            .rayAt(event.clientX, event.clientY)
            .ray.intersectPlane(this.hold.plane, new Vector3());
        if (!point) return;
        this.hold.target = point.toArray() as Vec3;
        this.hold.sent = false;
        if (this.down && this.moved(event)) this.world.grabbed();
    }

    private moved(event: PointerEvent): boolean {
        return (
            !!this.down &&
            Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) > CLICK_PIXELS
        );
    }

    private lift(event: PointerEvent): void {
        if (!this.down || event.pointerId !== this.down.id) return;
        const { body } = this.down;
        const clicked = event.type === "pointerup" && !this.moved(event);
        this.down = null;
        this.letGo();
        if (clicked) this.world.choose(body);
    }

    /** The target of the spring; null while it holds nothing. */
    get target(): Vec3 | null {
        return this.hold?.target ?? null;
    }

    /** Also called when the scene changes during a drag. */
    letGo(): void {
        if (!this.hold) return;
        this.hold = null;
        this.world.command({ do: "release" });
        this.world.hover(-1);
        this.spring.hide();
        this.stage.controls.enabled = true;
        this.stage.canvas.style.cursor = "";
        this.stage.invalidate();
    }

    /**
     * Once per image: sends the target, draws the spring, and finds the body under the pointer.
     */
    tick(now: number, front: number): void {
        const poses = this.world.poses();
        const scene = this.world.scene();
        if (!poses || !scene) return;
        if (this.hold) {
            if (!this.hold.sent) this.world.command({ do: "drag", target: this.hold.target });
            this.hold.sent = true;
            const from = toWorld(poses, this.hold.body, this.hold.local);
            const to = [...this.hold.target] as Vec3;
            if (scene.dimension === 2) from[2] = to[2] = front;
            this.spring.show(from, to, 0.012 * this.stage.reach);
            this.stage.invalidate();
            return;
        }
        if (this.down || now - this.hoverAt < 60 || scene.shapes.length > HOVER_BODIES) return;
        this.hoverAt = now;
        const bodies = this.isOver ? this.world.bodies() : null;
        const hit = bodies?.pick(this.stage.rayAt(this.x, this.y)) ?? null;
        const body = hit && isMovable(scene.bodies[hit.body]) ? hit.body : -1;
        this.stage.canvas.style.cursor = body >= 0 && this.world.live() ? "grab" : "";
        this.world.hover(body);
    }
}
