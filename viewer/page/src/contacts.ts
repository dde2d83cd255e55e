// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Contacts: points, forces as arrows, friction cones, coloured by what the contact does.  They are
 * drawn over the bodies, which would hide them.
 *
 * An arrow is a force F on the second body, or on the first where the second cannot move; it is
 * flat and turned to the eye.  Its length is linear, L |F| / F0, or logarithmic, L log(1 + 9 |F| /
 * F0) / log 10, with F0 the largest force, followed slowly so that the scale does not jump.
 */
import { Color, Group, Vector3 } from "three";
import { isMovable } from "./bodies";
import { Dots, Triangles } from "./glyphs";
import { CONTACT_WORDS, MODE_SLIDES, MODE_STICKS, type Frame, type SceneMessage } from "./protocol";
import type { Palette } from "./theme";

export type ForceScale = "linear" | "log";

export interface ContactView {
    points: boolean;
    forces: boolean;
    cones: boolean;
    scale: ForceScale;
    size: number; // of arrows, 1 as a rule
}

const CONE_LIMIT = 2000; // more would hide everything, themselves included
const CONE_SIDES = 18;
const CONE_ALPHA = 0.2;

/** Two unit vectors across a third. */
function across(axis: Vector3): [Vector3, Vector3] {
    const other = Math.abs(axis.x) < 0.7 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const first = other.cross(axis).normalize();
    return [first, new Vector3().crossVectors(axis, first)];
}

export class Contacts {
    readonly group = new Group();
    private readonly points = new Dots(13);
    private readonly arrows = new Triangles(12);
    private readonly cones = new Triangles(11);
    private colours: Color[] = [];
    private reference = 0; // F0
    private frame: Frame | null = null;
    private readonly planar: boolean;
    private readonly movable: boolean[];

    constructor(
        scene: SceneMessage,
        palette: Palette,
        private readonly reach: number,
        private readonly front: number, // z of what is drawn, in planar scenes
    ) {
        this.planar = scene.dimension === 2;
        this.movable = scene.bodies.map(isMovable);
        this.group.add(this.cones.mesh, this.arrows.mesh, this.points.points);
        this.setPalette(palette);
    }

    dispose(): void {
        for (const part of [this.points, this.arrows, this.cones]) part.dispose();
    }

    setPalette(palette: Palette): void {
        this.colours = [palette.apart, palette.sticks, palette.slides].map(
            (colour) => new Color(colour),
        );
    }

    private colourOf(mode: number): Color {
        return this.colours[mode === MODE_STICKS ? 1 : mode === MODE_SLIDES ? 2 : 0];
    }

    update(frame: Frame): void {
        this.frame = frame;
    }

    /** Writes the marks for a picture: `eye` looks along `way`; `pixels` is the size of a dot. */
    arrange(view: ContactView, eye: Vector3, way: Vector3, pixels: number): void {
        const { frame } = this;
        this.group.visible = frame !== null && (view.points || view.forces || view.cones);
        if (!frame || !this.group.visible) return;
        if (view.forces) this.follow(frame);
        this.points.begin(pixels);
        this.arrows.begin();
        this.cones.begin();
        const point = new Vector3();
        const vector = new Vector3();
        const { contacts: c, contactWords: words } = frame;
        for (let k = 0; k < frame.contactCount; ++k) {
            const at = CONTACT_WORDS * k;
            point.set(c[at], c[at + 1], this.planar ? this.front : c[at + 2]);
            const colour = this.colourOf(words[at + 11]);
            const side = this.movable[words[at + 13]] || !this.movable[words[at + 12]] ? 1 : -1;
            if (view.points) this.points.add(point, colour);
            if (view.forces) {
                const look = this.planar ? way : point.clone().sub(eye);
                this.arrow(
                    point,
                    vector.set(c[at + 6], c[at + 7], c[at + 8]).multiplyScalar(side),
                    look,
                    colour,
                    view,
                );
            }
            if (view.cones && k < CONE_LIMIT)
                this.cone(
                    point,
                    vector.set(c[at + 3], c[at + 4], c[at + 5]).multiplyScalar(side),
                    c[at + 9],
                    colour,
                    view,
                );
        }
        for (const part of [this.points, this.arrows, this.cones]) part.end();
    }

    /** F0: soon up to a larger force, slowly down to a smaller one. */
    private follow(frame: Frame): void {
        let largest = 0;
        for (let k = 0; k < frame.contactCount; ++k) {
            const at = CONTACT_WORDS * k + 6;
            largest = Math.max(
                largest,
                Math.hypot(frame.contacts[at], frame.contacts[at + 1], frame.contacts[at + 2]),
            );
        }
        const share = largest > this.reference ? 0.3 : 0.02;
        this.reference =
            this.reference > 0 ? this.reference + share * (largest - this.reference) : largest;
    }

    private length(force: number, view: ContactView): number {
        const part = force / Math.max(this.reference, 1e-30);
        const measure = view.scale === "log" ? Math.log10(1 + 9 * part) : part;
        return 0.24 * this.reach * view.size * Math.min(measure, 3);
    }

    private arrow(
        point: Vector3,
        force: Vector3,
        look: Vector3,
        colour: Color,
        view: ContactView,
    ): void {
        const size = force.length();
        const length = this.length(size, view);
        const width = 0.0032 * this.reach * Math.sqrt(view.size);
        if (!(length > 0.5 * width)) return;
        force.divideScalar(size);
        const side = new Vector3().crossVectors(force, look);
        if (!(side.lengthSq() > 0)) return; // along the look
        side.normalize();
        const head = Math.min(7.5 * width, 0.5 * length);
        const neck = point.clone().addScaledVector(force, length - head);
        const tip = point.clone().addScaledVector(force, length);
        const beside = (from: Vector3, by: number) => from.clone().addScaledVector(side, by);
        const half = Math.min(width, 0.2 * head);
        const [a, b, c, d] = [
            beside(point, -half),
            beside(point, half),
            beside(neck, half),
            beside(neck, -half),
        ];
        this.arrows.add(a, b, c, colour);
        this.arrows.add(a, c, d, colour);
        this.arrows.add(beside(neck, -0.4 * head), beside(neck, 0.4 * head), tip, colour);
    }

    /**
     * The cone of forces that friction allows, on the body that the arrow is for; its slant is as
     * long for any mu, and an infinite one is flat.
     */
    private cone(
        point: Vector3,
        normal: Vector3,
        mu: number,
        colour: Color,
        view: ContactView,
    ): void {
        const slant = 0.12 * this.reach * view.size;
        const angle = Number.isFinite(mu) ? Math.atan(Math.max(mu, 0)) : Math.PI / 2;
        const top = point.clone().addScaledVector(normal, slant * Math.cos(angle));
        const radius = slant * Math.sin(angle);
        if (this.planar) {
            const side = new Vector3(-normal.y, normal.x, 0).multiplyScalar(radius);
            this.cones.add(
                point,
                top.clone().add(side),
                top.clone().sub(side),
                colour,
                1.6 * CONE_ALPHA,
            );
            return;
        }
        const [x, y] = across(normal);
        const rim = (k: number) => {
            const turn = (2 * Math.PI * k) / CONE_SIDES;
            return top
                .clone()
                .addScaledVector(x, radius * Math.cos(turn))
                .addScaledVector(y, radius * Math.sin(turn));
        };
        let from = rim(0);
        for (let k = 1; k <= CONE_SIDES; ++k) {
            const to = rim(k);
            this.cones.add(point, from, to, colour, CONE_ALPHA);
            from = to;
        }
    }
}
