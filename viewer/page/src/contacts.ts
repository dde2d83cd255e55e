// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Contacts: points, force arrows and friction cones, coloured by contact mode. They are drawn over
 * the bodies, which would hide them. Arrows are flat and face the camera; forces.ts chooses the
 * body on which they act and their length.
 *
 * Above CHAINS_ABOVE contacts forces are drawn as chains: for each pair of bodies a line from
 * centre to centre (to the contact if one body is static). Its width shows the force. The arrows on
 * a selected body remain.
 */
import { Color, Group, Vector3 } from "three";
import { isMovable } from "./bodies";
import { CHAINS_ABOVE, ForceScaling, roundBelow, shownSide, upwards } from "./forces";
import type { ForceScale } from "./forces";
import { Dots, Triangles } from "./glyphs";
import {
    BODY_FLOATS,
    CONTACT_WORDS,
    MODE_SLIDES,
    MODE_STICKS,
    type Frame,
    type SceneMessage,
    type Vec3,
} from "./protocol";
import type { Palette } from "./theme";

export interface ContactView {
    points: boolean;
    forces: boolean;
    cones: boolean;
    scale: ForceScale;
    size: number; // of arrows, 1 as a rule
    threshold: number; // part of the largest force below which none is shown
    selected: number; // body, or -1
    pixelsPerMetre: number;
}

/** The force that a length or a width in the image represents. */
export interface ScaleBar {
    force: number; // N
    length: number; // m in the scene: of an arrow, or the width of a chain
    chains: boolean;
}

const CONE_LIMIT = 2000; // more would cover the image
const CONE_SIDES = 18;
const CONE_ALPHA = 0.2;
const ARROW = 0.24; // length of the largest force, in sizes of the scene
const HALO = 1.9; // width of the rim around an arrow, in widths of its shaft
const THINNEST = 0.4; // pixels: thinner lines of chains are left out
const CHAIN = 0.55; // width of the largest force's line, in half widths of a body

/** Two unit vectors across a third. */
function across(axis: Vector3): [Vector3, Vector3] {
    const other = Math.abs(axis.x) < 0.7 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const first = other.cross(axis).normalize();
    return [first, new Vector3().crossVectors(axis, first)];
}

/** Whether a point is on the line from a to b, to a hundredth of its length. */
function isBetween(a: Vec3, p: Vec3, b: Vec3): boolean {
    let [along, length, square] = [0, 0, 0];
    for (let i = 0; i < 3; ++i) {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        length += (b[i] - a[i]) ** 2;
        square += (p[i] - a[i]) ** 2;
    }
    const across = square * length - along * along;
    return along >= 0 && along <= length && across < 1e-4 * length * length;
}

export class Contacts {
    readonly group = new Group();
    private readonly points = new Dots(13);
    private readonly arrows = new Triangles(12);
    private readonly halos = new Triangles(11);
    private readonly cones = new Triangles(10);
    private colours: Color[] = [];
    private rim = new Color();
    private readonly scaling = new ForceScaling();
    private frame: Frame | null = null;
    private readonly planar: boolean;
    private readonly movable: boolean[];
    private up: Vec3;
    private readonly pair = new Float64Array(7); // weighted point, force, weight
    private readonly point: Vec3 = [0, 0, 0];
    private readonly centre: Vec3 = [0, 0, 0];
    private readonly other: Vec3 = [0, 0, 0];
    private readonly look = new Vector3();

    constructor(
        scene: SceneMessage,
        palette: Palette,
        private readonly reach: number,
        private readonly front: number, // z of what is drawn, in planar scenes
        private readonly thickness: number, // of a body: half its least width
    ) {
        this.planar = scene.dimension === 2;
        this.movable = scene.bodies.map(isMovable);
        this.up = upwards(scene.gravity);
        this.group.add(this.cones.mesh, this.halos.mesh, this.arrows.mesh, this.points.points);
        this.setPalette(palette);
    }

    dispose(): void {
        for (const part of [this.points, this.arrows, this.halos, this.cones]) part.dispose();
    }

    setPalette(palette: Palette): void {
        const modes = [palette.apart, palette.sticks, palette.slides];
        this.colours = modes.map((colour) => new Color(colour).convertLinearToSRGB());
        this.rim.set(palette.background).convertLinearToSRGB();
    }

    setGravity(gravity: Vec3): void {
        this.up = upwards(gravity);
    }

    private colourOf(mode: number): Color {
        return this.colours[mode === MODE_STICKS ? 1 : mode === MODE_SLIDES ? 2 : 0];
    }

    update(frame: Frame): void {
        this.frame = frame;
    }

    hasChains(view: ContactView): boolean {
        return view.forces && (this.frame?.contactCount ?? 0) > CHAINS_ABOVE;
    }

    /** For the legend: a round force near the largest one, with its length or width. */
    scaleBar(view: ContactView): ScaleBar | null {
        const { scaling } = this;
        if (!view.forces || !(scaling.reference > 0)) return null;
        const force = roundBelow(scaling.reference);
        const chains = this.hasChains(view);
        const length = chains ? this.chainWidth(force, view) : this.arrowLength(force, view);
        return { force, length, chains };
    }

    /** Writes the marks of an image: `eye` looks along `way`; `pixels` is the size of a dot. */
    arrange(view: ContactView, eye: Vector3, way: Vector3, pixels: number): void {
        const { frame } = this;
        this.group.visible = frame !== null && (view.points || view.forces || view.cones);
        if (!frame || !this.group.visible) return;
        if (view.forces) this.scaling.follow(frame);
        const parts = [this.points, this.arrows, this.halos, this.cones];
        this.points.begin(pixels);
        for (const part of [this.arrows, this.halos, this.cones]) part.begin();
        const chains = this.hasChains(view);
        if (chains) this.chains(frame, view, eye, way);
        this.marks(frame, view, eye, way, chains);
        for (const part of parts) part.end();
    }

    private marks(
        frame: Frame,
        view: ContactView,
        eye: Vector3,
        way: Vector3,
        chains: boolean,
    ): void {
        if (chains && !view.points && !view.cones && view.selected < 0) return;
        const [point, vector] = [new Vector3(), new Vector3()];
        const { contacts: c, contactWords: words } = frame;
        const { up } = this;
        for (let k = 0; k < frame.contactCount; ++k) {
            const at = CONTACT_WORDS * k;
            const [a, b] = [words[at + 12], words[at + 13]];
            point.set(c[at], c[at + 1], this.planar ? this.front : c[at + 2]);
            const colour = this.colourOf(words[at + 11]);
            const rise = c[at + 3] * up[0] + c[at + 4] * up[1] + c[at + 5] * up[2];
            const side = shownSide(a, b, rise, this.movable, view.selected);
            if (view.points) this.points.add(point, colour);
            if (view.forces && (!chains || a === view.selected || b === view.selected)) {
                const look = this.planar ? way : point.clone().sub(eye);
                vector.set(c[at + 6], c[at + 7], c[at + 8]).multiplyScalar(side);
                this.arrow(point, vector, look, colour, view);
            }
            if (view.cones && k < CONE_LIMIT) {
                vector.set(c[at + 3], c[at + 4], c[at + 5]).multiplyScalar(side);
                this.cone(point, vector, c[at + 9], colour, view);
            }
        }
    }

    // ---- arrows ---------------------------------------------------------------------------------

    private arrowLength(force: number, view: ContactView): number {
        return ARROW * this.reach * view.size * this.scaling.length(force, view.scale);
    }

    private arrow(
        point: Vector3,
        force: Vector3,
        look: Vector3,
        colour: Color,
        view: ContactView,
    ): void {
        const size = force.length();
        const length = this.arrowLength(size, view);
        const width = 0.0036 * this.reach * Math.sqrt(view.size);
        if (!(length > 0.5 * width) || this.scaling.part(size) < view.threshold) return;
        force.divideScalar(size);
        const side = new Vector3().crossVectors(force, look);
        if (!(side.lengthSq() > 0)) return; // along the look
        side.normalize();
        const head = Math.min(7.5 * width, 0.5 * length);
        const half = Math.min(width, 0.2 * head);
        const rim = (HALO - 1) * half;
        this.shape(this.halos, point, force, side, [-rim, length + 2 * rim, half + rim, rim], head);
        this.shape(this.arrows, point, force, side, [0, length, half, 0], head, colour);
    }

    /** An arrow from `start` to `end`: a shaft of half the width, and a head enlarged by `more`. */
    private shape(
        to: Triangles,
        point: Vector3,
        way: Vector3,
        side: Vector3,
        [start, end, half, more]: number[],
        head: number,
        colour = this.rim,
    ): void {
        const at = (along: number, by: number) =>
            point.clone().addScaledVector(way, along).addScaledVector(side, by);
        const neck = end - head - 2.5 * more;
        const [a, b, c, d] = [at(start, -half), at(start, half), at(neck, half), at(neck, -half)];
        const wing = 0.4 * head + 1.5 * more;
        to.add(a, b, c, colour);
        to.add(a, c, d, colour);
        to.add(at(neck, -wing), at(neck, wing), at(end, 0), colour);
    }

    // ---- chains ---------------------------------------------------------------------------------

    private chainWidth(force: number, view: ContactView): number {
        return CHAIN * this.thickness * view.size * this.scaling.part(force);
    }

    /** The contacts of a pair are consecutive in a frame; their sum is one line. */
    private chains(frame: Frame, view: ContactView, eye: Vector3, way: Vector3): void {
        const { contacts: c, contactWords: words } = frame;
        const { pair } = this;
        let slides = false;
        pair.fill(0);
        for (let k = 0; k < frame.contactCount; ++k) {
            const at = CONTACT_WORDS * k;
            const fx = c[at + 6];
            const fy = c[at + 7];
            const fz = c[at + 8];
            const size = Math.sqrt(fx * fx + fy * fy + fz * fz);
            pair[0] += size * c[at];
            pair[1] += size * c[at + 1];
            pair[2] += size * c[at + 2];
            pair[3] += fx;
            pair[4] += fy;
            pair[5] += fz;
            pair[6] += size;
            slides ||= words[at + 11] === MODE_SLIDES;
            const next = at + CONTACT_WORDS;
            if (
                k + 1 < frame.contactCount &&
                words[at + 12] === words[next + 12] &&
                words[at + 13] === words[next + 13]
            )
                continue;
            const colour = this.colours[slides ? 2 : 1];
            this.link(frame, words[at + 12], words[at + 13], view, colour, eye, way);
            pair.fill(0);
            slides = false;
        }
    }

    /** Draws the line of the summed pair; lines that are too thin to see are left out. */
    private link(
        frame: Frame,
        a: number,
        b: number,
        view: ContactView,
        colour: Color,
        eye: Vector3,
        way: Vector3,
    ): void {
        const { pair, point, centre, other, look } = this;
        const force = Math.sqrt(pair[3] * pair[3] + pair[4] * pair[4] + pair[5] * pair[5]);
        const part = this.scaling.part(force);
        const width = this.chainWidth(force, view);
        if (!(part >= view.threshold) || width * view.pixelsPerMetre < THINNEST) return;
        for (let i = 0; i < 3; ++i) point[i] = pair[i] / pair[6];
        if (this.planar) point[2] = this.front;
        look.set(point[0] - eye.x, point[1] - eye.y, point[2] - eye.z);
        if (this.planar) look.copy(way);
        const alpha = Math.min(1, 0.25 + 1.5 * part);
        if (this.movable[b]) this.toCentre(frame, b, centre);
        if (this.movable[a] && this.movable[b]) {
            this.toCentre(frame, a, other);
            // between balls the contact is on the line of the centres: one line instead of two
            if (isBetween(other, point, centre)) {
                this.arrows.line(other, centre, width / 2, look, colour, alpha);
                return;
            }
            this.arrows.line(other, point, width / 2, look, colour, alpha);
        } else if (this.movable[a]) this.toCentre(frame, a, centre);
        if (this.movable[a] || this.movable[b])
            this.arrows.line(centre, point, width / 2, look, colour, alpha);
    }

    private toCentre({ bodies }: Frame, body: number, out: Vec3): void {
        const at = BODY_FLOATS * body;
        out[0] = bodies[at];
        out[1] = bodies[at + 1];
        out[2] = this.planar ? this.front : bodies[at + 2];
    }

    // ---- cones ----------------------------------------------------------------------------------

    /**
     * The friction cone on the body of the arrow. The length of its side is the same for every mu;
     * with infinite friction it is flat.
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
            const [left, right] = [top.clone().add(side), top.clone().sub(side)];
            this.cones.add(point, left, right, colour, 1.6 * CONE_ALPHA);
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
