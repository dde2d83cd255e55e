// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Contacts: points, forces as arrows, friction cones, coloured by what the contact does.  They are drawn over the bodies, which would hide them.
 *
 * An arrow is a force F on the second body, or on the first where the second cannot move.  Its length is linear, L |F| / F0, or logarithmic, L log(1 + 9 |F| / F0) / log 10, with F0 the
 * largest force, followed slowly so that the scale does not jump.
 */
import {
    Color,
    ConeGeometry,
    CylinderGeometry,
    DoubleSide,
    DynamicDrawUsage,
    Group,
    InstancedMesh,
    Matrix4,
    MeshBasicMaterial,
    Quaternion,
    SphereGeometry,
    Vector3,
    type BufferGeometry,
} from "three";
import { isMovable } from "./bodies";
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

const UP = new Vector3(0, 0, 1);
const CONE_LIMIT = 4000; // translucent, and of use to few contacts only

/** An instanced mesh that grows with what it has to show. */
class Pool {
    mesh: InstancedMesh;
    private used = 0;

    constructor(
        private readonly group: Group,
        private readonly geometry: BufferGeometry,
        private readonly material: MeshBasicMaterial,
        private readonly order: number,
    ) {
        this.mesh = this.make(64);
    }

    private make(room: number): InstancedMesh {
        const mesh = new InstancedMesh(this.geometry, this.material, room);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.setColorAt(0, new Color());
        mesh.frustumCulled = false;
        mesh.renderOrder = this.order;
        mesh.count = 0;
        this.group.add(mesh);
        return mesh;
    }

    begin(count: number): void {
        this.used = 0;
        if (count <= this.mesh.instanceMatrix.count) return;
        this.group.remove(this.mesh);
        this.mesh.dispose();
        this.mesh = this.make(Math.ceil(1.5 * count));
    }

    add(matrix: Matrix4, colour: Color): void {
        this.mesh.setMatrixAt(this.used, matrix);
        this.mesh.setColorAt(this.used, colour);
        this.used++;
    }

    end(): void {
        this.mesh.count = this.used;
        this.mesh.visible = this.used > 0;
        this.mesh.instanceMatrix.needsUpdate = true;
        if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    }

    dispose(): void {
        this.mesh.dispose();
        this.geometry.dispose();
        this.material.dispose();
    }
}

const standing = (geometry: BufferGeometry, lift: number) => geometry.rotateX(Math.PI / 2).translate(0, 0, lift);

export class Contacts {
    readonly group = new Group();
    private readonly points: Pool;
    private readonly shafts: Pool;
    private readonly heads: Pool;
    private readonly cones: Pool;
    private colours: Color[] = [];
    private reference = 0; // F0

    private readonly planar: boolean;
    private readonly movable: boolean[];

    constructor(
        scene: SceneMessage,
        palette: Palette,
        private readonly reach: number,
        private readonly front: number, // z of what is drawn, in planar scenes
    ) {
        const planar = scene.dimension === 2;
        this.planar = planar;
        this.movable = scene.bodies.map(isMovable);
        const over = (opacity = 1) =>
            new MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity, side: DoubleSide });
        this.cones = new Pool(this.group, standing(new ConeGeometry(1, 1, planar ? 2 : 20, 1, true).rotateX(Math.PI), 0.5), over(0.22), 10);
        this.shafts = new Pool(this.group, standing(new CylinderGeometry(1, 1, 1, 6, 1, true), 0.5), over(), 11);
        this.heads = new Pool(this.group, standing(new ConeGeometry(1, 1, 10), 0.5), over(), 12);
        this.points = new Pool(this.group, new SphereGeometry(1, 8, 6), over(), 13);
        this.setPalette(palette);
    }

    dispose(): void {
        for (const pool of [this.points, this.shafts, this.heads, this.cones]) pool.dispose();
    }

    setPalette(palette: Palette): void {
        this.colours = [palette.apart, palette.sticks, palette.slides].map((colour) => new Color(colour));
    }

    private colourOf(mode: number): Color {
        return this.colours[mode === MODE_STICKS ? 1 : mode === MODE_SLIDES ? 2 : 0];
    }

    update(frame: Frame, view: ContactView, bodyRadius: number): void {
        const shown = view.points || view.forces || view.cones;
        this.group.visible = shown;
        if (!shown) return;
        this.follow(frame);
        const count = frame.contactCount;
        this.points.begin(view.points ? count : 0);
        this.shafts.begin(view.forces ? count : 0);
        this.heads.begin(view.forces ? count : 0);
        this.cones.begin(view.cones ? Math.min(count, CONE_LIMIT) : 0);
        const matrix = new Matrix4();
        const point = new Vector3();
        const vector = new Vector3();
        const dot = Math.min(0.012 * this.reach, 0.16 * bodyRadius);
        for (let k = 0; k < count; ++k) {
            const at = CONTACT_WORDS * k;
            const c = frame.contacts;
            point.set(c[at], c[at + 1], this.planar ? this.front : c[at + 2]);
            const colour = this.colourOf(frame.contactWords[at + 11]);
            if (view.points) this.points.add(matrix.makeScale(dot, dot, dot).setPosition(point), colour);
            const side = this.movable[frame.contactWords[at + 13]] || !this.movable[frame.contactWords[at + 12]] ? 1 : -1;
            if (view.forces) this.arrow(point, vector.set(c[at + 6], c[at + 7], c[at + 8]).multiplyScalar(side), colour, view);
            if (view.cones && k < CONE_LIMIT)
                this.cone(point, vector.set(c[at + 3], c[at + 4], c[at + 5]).multiplyScalar(side), c[at + 9], colour, view);
        }
        for (const pool of [this.points, this.shafts, this.heads, this.cones]) pool.end();
    }

    /** F0: at once up to a larger force, slowly down to a smaller one. */
    private follow(frame: Frame): void {
        let largest = 0;
        for (let k = 0; k < frame.contactCount; ++k) {
            const at = CONTACT_WORDS * k + 6;
            largest = Math.max(largest, Math.hypot(frame.contacts[at], frame.contacts[at + 1], frame.contacts[at + 2]));
        }
        const share = largest > this.reference ? 0.3 : 0.02;
        this.reference = this.reference > 0 ? this.reference + share * (largest - this.reference) : largest;
    }

    private length(force: number, view: ContactView): number {
        const part = force / Math.max(this.reference, 1e-30);
        const measure = view.scale === "log" ? Math.log10(1 + 9 * part) : part;
        return 0.24 * this.reach * view.size * Math.min(measure, 3);
    }

    private arrow(point: Vector3, force: Vector3, colour: Color, view: ContactView): void {
        const size = force.length();
        const length = this.length(size, view);
        const width = 0.003 * this.reach * Math.sqrt(view.size);
        if (!(length > 0.5 * width)) return;
        const turn = new Quaternion().setFromUnitVectors(UP, force.divideScalar(size));
        const head = Math.min(7 * width, 0.5 * length);
        const thick = Math.min(width, 0.25 * head);
        const matrix = new Matrix4().compose(point, turn, new Vector3(thick, thick, length - head));
        this.shafts.add(matrix, colour);
        const tip = point.clone().addScaledVector(force, length - head);
        this.heads.add(matrix.compose(tip, turn, new Vector3(0.42 * head, 0.42 * head, head)), colour);
    }

    /** The cone of forces that friction allows, on the body that the arrow is for. */
    private cone(point: Vector3, normal: Vector3, mu: number, colour: Color, view: ContactView): void {
        const height = 0.12 * this.reach * view.size;
        // Its slant is as long for any mu; an infinite one is a disc.
        const angle = Number.isFinite(mu) ? Math.atan(Math.max(mu, 0)) : Math.PI / 2;
        const width = Math.max(height * Math.sin(angle), 1e-6 * this.reach);
        const turn = new Quaternion().setFromUnitVectors(UP, normal.normalize());
        const rise = Math.max(height * Math.cos(angle), 1e-6 * this.reach);
        this.cones.add(new Matrix4().compose(point, turn, new Vector3(width, width, rise)), colour);
    }
}
