// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Draws all bodies with one instanced mesh for each geometry (key of shapes.ts). The poses of a
 * frame are written directly to the matrices of the instances. Without shadows, the instances are
 * one merged mesh (merged.ts) with simpler materials; balls and discs have two triangles each
 * (plain.ts).
 */
import {
    Color,
    DoubleSide,
    FrontSide,
    Group,
    InstancedMesh,
    MeshLambertMaterial,
    PlaneGeometry,
    Raycaster,
    ShaderMaterial,
    SRGBColorSpace,
    type Side,
} from "three";
import { seenFirst, type Lens } from "./hidden";
import { canMerge, Merged } from "./merged";
import { finishedMaterial, lightFinished } from "./finish";
import { lightPlainly, plainMaterial } from "./plain";
import {
    BODY_FLOATS,
    type BodyInfo,
    type Finish,
    type SceneMessage,
    type ShapeInfo,
    type Vec3,
} from "./protocol";
import { drawingOf, fineness, type Drawing } from "./shapes";
import type { Palette } from "./theme";

interface Batch {
    mesh: InstancedMesh;
    merged: Merged | null; // replaces it without shadows, after the first use
    changed: boolean; // since it was loaded
    drawings: Drawing[];
    bodies: number[];
    own: (Color | null)[]; // colours from the file
    finish: Finish | null; // likewise, of all of them
}

const rgb = ([r, g, b]: number[]): [number, number, number] => [r, g, b];

export interface Hit {
    body: number;
    point: Vec3;
}

/** Half of the least width of a shape. */
export function thicknessOf(shape: ShapeInfo): number {
    switch (shape.kind) {
        case "ball":
        case "capsule":
            return shape.radius;
        case "box":
            return Math.min(...shape.half);
        case "cylinder":
            return Math.min(shape.radius, shape.half[2]);
        default:
            return 0.4 * reachOf(shape);
    }
}

export const isMovable = (body: BodyInfo): boolean => body.kind === "free" || body.kind === "link";

/** A typical size of the scene: half the diagonal of the finite shapes, or 1. */
export function reachOf(shape: ShapeInfo): number {
    switch (shape.kind) {
        case "ball":
            return shape.radius;
        case "box":
            return Math.hypot(...shape.half);
        case "capsule":
            return (
                shape.radius + Math.max(Math.hypot(...shape.ends[0]), Math.hypot(...shape.ends[1]))
            );
        case "cylinder":
            return Math.hypot(shape.radius, shape.half[2]);
        case "plane":
            return 0;
        default: {
            let reach = 0;
            for (let k = 0; k + 2 < shape.points.length; k += 3)
                reach = Math.max(
                    reach,
                    Math.hypot(shape.points[k], shape.points[k + 1], shape.points[k + 2]),
                );
            return reach;
        }
    }
}

/** Bodies that may overlap others: those of joints and mechanisms, and those of several shapes. */
function overlappingBodies(scene: SceneMessage): Set<number> {
    const found = new Set<number>();
    const seen = new Set<number>();
    scene.bodies.forEach(({ kind }, body) => {
        if (kind === "link") found.add(body);
    });
    for (const { a, b } of scene.joints) found.add(a).add(b);
    for (const { body } of scene.shapes) (seen.has(body) ? found : seen).add(body);
    return found;
}

/**
 * Selects the shapes to draw: the visual shapes of a body (layer 0) if it has any, unless collision
 * shapes are requested; never shapes that the file makes invisible.
 */
export function drawnShapes(scene: SceneMessage, collision: boolean): ShapeInfo[] {
    const visual = new Set(scene.shapes.filter(({ layer }) => layer === 0).map(({ body }) => body));
    return scene.shapes.filter(({ body, layer, colour }) =>
        collision
            ? layer !== 0
            : (layer === 0 || !visual.has(body)) && (colour === null || colour[3] > 0),
    );
}

export class Bodies {
    readonly group = new Group();
    private readonly batches: Batch[] = [];
    private readonly rich: MeshLambertMaterial;
    private readonly side: Side;
    private readonly planar: boolean;
    private opacity = 1;
    private colours: Color[] = [];
    private pale = false;
    private readonly overlapping: Set<number>; // bodies whose shapes may overlap others
    private marked: { body: number; colour: number }[] = [];

    constructor(
        private readonly scene: SceneMessage,
        private palette: Palette,
        thickness: number,
        shapes: ShapeInfo[],
    ) {
        const planar = scene.dimension === 2;
        this.planar = planar;
        const hasMesh = shapes.some((shape) => shape.kind === "mesh");
        this.side = hasMesh ? DoubleSide : FrontSide;
        this.overlapping = overlappingBodies(scene);
        this.rich = new MeshLambertMaterial({ vertexColors: true, side: this.side });
        const cut = fineness(
            shapes.filter((shape) => shape.kind !== "box" && shape.kind !== "plane").length,
        );
        const boxSizes = new Set(
            shapes.filter((shape) => shape.kind === "box").map((shape) => String(shape.half)),
        ).size;
        const byKey = new Map<string, Pick<Batch, "drawings" | "bodies" | "own" | "finish">>();
        shapes.forEach((shape, place) => {
            const drawing = drawingOf(shape, place, {
                planar,
                cut,
                thickness,
                boxSizes,
                shapes: shapes.length,
            });
            if (!drawing) return;
            const finish = planar ? null : shape.finish;
            const key = finish
                ? `${drawing.key} ${finish.metallic} ${finish.roughness}`
                : drawing.key;
            const entry = byKey.get(key) ?? { drawings: [], bodies: [], own: [], finish };
            entry.drawings.push(drawing);
            entry.bodies.push(shape.body);
            entry.own.push(
                shape.colour && new Color().setRGB(...rgb(shape.colour), SRGBColorSpace),
            );
            byKey.set(key, entry);
        });
        for (const { drawings, bodies, own, finish } of byKey.values()) {
            const material = finish ? finishedMaterial(finish, this.side) : this.rich;
            const mesh = new InstancedMesh(drawings[0].make(), material, drawings.length);
            mesh.frustumCulled = false;
            mesh.castShadow = true;
            mesh.receiveShadow = true;
            this.batches.push({ mesh, merged: null, changed: true, drawings, bodies, own, finish });
            this.group.add(mesh);
        }
        this.setPalette(palette);
    }

    /** The batch as one mesh; null where it would be too large. */
    private merge({ mesh, drawings, bodies, finish }: Batch): Merged | null {
        const isRound = drawings[0].isRound === true && !finish;
        const exact = bodies.some((body) => this.overlapping.has(body));
        const geometry = isRound ? new PlaneGeometry(2, 2) : mesh.geometry;
        if (!canMerge(geometry, mesh.count)) return null;
        const kind = finish ? "finished" : !isRound ? "plain" : this.planar ? "disc" : "ball";
        const merged = new Merged(geometry, mesh.count, (matrices, colours) =>
            plainMaterial(kind, this.planar, this.side, matrices, colours, exact, finish),
        );
        const material = merged.mesh.material as ShaderMaterial;
        lightPlainly(material, this.palette);
        this.makeGlass(material);
        this.group.add(merged.mesh);
        return merged;
    }

    dispose(): void {
        for (const { mesh, merged } of this.batches) {
            mesh.geometry.dispose();
            if (mesh.material !== this.rich) (mesh.material as MeshLambertMaterial).dispose();
            mesh.dispose();
            merged?.dispose();
        }
        this.rich.dispose();
    }

    setPalette(palette: Palette): void {
        this.palette = palette;
        for (const { merged, mesh, finish } of this.batches) {
            if (merged) lightPlainly(merged.mesh.material as ShaderMaterial, palette);
            if (finish) lightFinished(mesh.material as MeshLambertMaterial, palette);
        }
        const back = new Color(palette.background);
        this.colours = this.scene.bodies.map((body, k) =>
            new Color(this.colourOf(body, k)).lerp(back, this.pale ? PALE : 0),
        );
        this.paint();
    }

    private colourOf(body: BodyInfo, k: number): number {
        if (body.kind === "fixed") return this.palette.fixed;
        if (body.kind === "driven") return this.palette.driven;
        // Neighbours in the list differ; a golden stride, so that regular scenes show no stripes.
        return this.palette.bodies[Math.floor(k * 0.618034 * 8) % this.palette.bodies.length];
    }

    /** Highlights the bodies that are selected, held or under the pointer. */
    mark(marked: { body: number; colour: number }[]): void {
        this.marked = marked;
        this.paint();
    }

    private paint(): void {
        const marks = new Map(this.marked.map(({ body, colour }) => [body, new Color(colour)]));
        const back = new Color(this.palette.background);
        for (const batch of this.batches) {
            const { mesh, bodies, own } = batch;
            bodies.forEach((body, k) => {
                const plain = own[k]
                    ? mixed(own[k], back, this.pale ? PALE : 0)
                    : this.colours[body];
                const mark = marks.get(body);
                mesh.setColorAt(k, mark ? mixed(plain, mark, 0.6) : plain);
            });
            if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
            batch.changed = true;
        }
    }

    /** Makes bodies pale behind force chains. */
    setPale(pale: boolean): void {
        if (pale === this.pale) return;
        this.pale = pale;
        this.setPalette(this.palette);
    }

    setOpacity(opacity: number): void {
        this.opacity = opacity;
        this.makeGlass(this.rich);
        for (const batch of this.batches) {
            const { merged, mesh, finish } = batch;
            batch.changed = true; // hidden bodies are visible through glass
            if (merged) this.makeGlass(merged.mesh.material as ShaderMaterial);
            if (finish) this.makeGlass(mesh.material as MeshLambertMaterial);
        }
    }

    private makeGlass(material: MeshLambertMaterial | ShaderMaterial): void {
        const solid = this.opacity >= 1;
        material.transparent = !solid;
        material.opacity = this.opacity;
        material.depthWrite = solid;
        material.needsUpdate = true;
        if (material instanceof ShaderMaterial) material.uniforms.opacity.value = this.opacity;
    }

    setShadows(on: boolean): void {
        for (const batch of this.batches) {
            if (!on) batch.merged ??= this.merge(batch);
            batch.mesh.visible = on || !batch.merged;
            if (batch.merged) batch.merged.mesh.visible = !on;
        }
    }

    /** Poses of a frame: BODY_FLOATS a body. */
    update(poses: Float32Array): void {
        for (const batch of this.batches) {
            const { mesh, drawings, bodies } = batch;
            const out = mesh.instanceMatrix.array as Float32Array;
            for (let k = 0; k < bodies.length; ++k)
                writeMatrix(poses, BODY_FLOATS * bodies[k], drawings[k], out, 16 * k);
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null; // of the poses before
            batch.changed = true;
        }
    }

    /**
     * Before each image: loads what has changed. Of many balls only the visible ones are drawn,
     * from the nearest to the farthest (hidden.ts).
     */
    arrange(lens: Lens): void {
        for (const batch of this.batches) {
            const { mesh, merged } = batch;
            const sorted =
                !this.planar &&
                batch.drawings[0].isRound &&
                !batch.finish &&
                mesh.count > SORT_ABOVE &&
                this.opacity >= 1;
            const isDue = batch.changed || (sorted && lens.changed);
            if (!merged?.mesh.visible || !isDue || !mesh.instanceColor) continue;
            const matrices = mesh.instanceMatrix.array as Float32Array;
            merged.load(
                matrices,
                mesh.instanceColor.array as Float32Array,
                sorted ? seenFirst(matrices, mesh.count, lens) : null,
            );
            batch.changed = false;
        }
    }

    /**
     * The first movable body on the ray, unless a static body is in front of it.
     */
    pick(raycaster: Raycaster): Hit | null {
        const hits = raycaster.intersectObjects(this.group.children, false);
        const first = hits[0];
        if (!first || first.instanceId === undefined) return null;
        const batch = this.batches.find(({ mesh }) => mesh === first.object);
        if (!batch) return null;
        return { body: batch.bodies[first.instanceId], point: first.point.toArray() as Vec3 };
    }
}

const mixed = (a: Color, b: Color, part: number): Color => a.clone().lerp(b, part);

const PALE = 0.75; // of the background's colour
const SORT_ABOVE = 100;

/** The matrix of body pose o drawing pose o scale, by columns. */
function writeMatrix(
    poses: Float32Array,
    at: number,
    drawing: Drawing,
    out: Float32Array,
    to: number,
): void {
    const [bw, bx, by, bz] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
    const [px, py, pz, dw, dx, dy, dz] = drawing.pose;
    const [sx, sy, sz] = drawing.scale;
    // position: body + rotate(body quaternion, p)
    const tx = 2 * (by * pz - bz * py);
    const ty = 2 * (bz * px - bx * pz);
    const tz = 2 * (bx * py - by * px);
    out[to + 12] = poses[at] + px + bw * tx + by * tz - bz * ty;
    out[to + 13] = poses[at + 1] + py + bw * ty + bz * tx - bx * tz;
    out[to + 14] = poses[at + 2] + pz + bw * tz + bx * ty - by * tx;
    out[to + 15] = 1;
    // quaternion: body * drawing
    const w = bw * dw - bx * dx - by * dy - bz * dz;
    const x = bw * dx + bx * dw + by * dz - bz * dy;
    const y = bw * dy - bx * dz + by * dw + bz * dx;
    const z = bw * dz + bx * dy - by * dx + bz * dw;
    out[to] = (1 - 2 * (y * y + z * z)) * sx;
    out[to + 1] = 2 * (x * y + w * z) * sx;
    out[to + 2] = 2 * (x * z - w * y) * sx;
    out[to + 3] = 0;
    out[to + 4] = 2 * (x * y - w * z) * sy;
    out[to + 5] = (1 - 2 * (x * x + z * z)) * sy;
    out[to + 6] = 2 * (y * z + w * x) * sy;
    out[to + 7] = 0;
    out[to + 8] = 2 * (x * z + w * y) * sz;
    out[to + 9] = 2 * (y * z - w * x) * sz;
    out[to + 10] = (1 - 2 * (x * x + y * y)) * sz;
    out[to + 11] = 0;
}

/** A vector turned by a quaternion (w, x, y, z). */
export function turned([w, x, y, z]: ArrayLike<number> & Iterable<number>, [a, b, c]: Vec3): Vec3 {
    const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
    return [
        a + w * t[0] + y * t[2] - z * t[1],
        b + w * t[1] + z * t[0] - x * t[2],
        c + w * t[2] + x * t[1] - y * t[0],
    ];
}

/** A point of a body's frame in the world. */
export function toWorld(poses: Float32Array, body: number, local: Vec3): Vec3 {
    const [x, y, z, ...turn] = poses.subarray(BODY_FLOATS * body, BODY_FLOATS * (body + 1));
    const [a, b, c] = turned(turn, local);
    return [x + a, y + b, z + c];
}

/** A point of the world in a body's frame. */
export function toLocal(poses: Float32Array, body: number, point: Vec3): Vec3 {
    const [x, y, z, qw, qx, qy, qz] = poses.subarray(BODY_FLOATS * body, BODY_FLOATS * (body + 1));
    return turned([qw, -qx, -qy, -qz], [point[0] - x, point[1] - y, point[2] - z]);
}
