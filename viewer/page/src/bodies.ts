// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * All bodies, drawn in as few calls as there are different geometries: one instanced mesh for each key of shapes.ts.  A frame's poses
 * are written straight into the matrices of the instances.
 */
import { Color, DoubleSide, FrontSide, Group, InstancedMesh, Matrix4, MeshLambertMaterial, Raycaster, ShaderMaterial, Vector3 } from "three";
import { lightPlainly, plainMaterial } from "./plain";
import { BODY_FLOATS, type BodyInfo, type SceneMessage, type ShapeInfo, type Vec3 } from "./protocol";
import { drawingOf, fineness, type Drawing } from "./shapes";
import type { Palette } from "./theme";

interface Batch {
    mesh: InstancedMesh;
    drawings: Drawing[];
    bodies: number[];
}

export interface Hit {
    body: number;
    point: Vec3;
}

export const isMovable = (body: BodyInfo): boolean => body.kind === "free" || body.kind === "link";

/** A size of the scene to go by: half the diagonal of the shapes that end, or 1. */
export function reachOf(shape: ShapeInfo): number {
    switch (shape.kind) {
        case "ball":
            return shape.radius;
        case "box":
            return Math.hypot(...shape.half);
        case "capsule":
            return shape.radius + Math.max(Math.hypot(...shape.ends[0]), Math.hypot(...shape.ends[1]));
        case "cylinder":
            return Math.hypot(shape.radius, shape.half[2]);
        case "plane":
            return 0;
        default: {
            let reach = 0;
            for (let k = 0; k + 2 < shape.points.length; k += 3)
                reach = Math.max(reach, Math.hypot(shape.points[k], shape.points[k + 1], shape.points[k + 2]));
            return reach;
        }
    }
}

export class Bodies {
    readonly group = new Group();
    private readonly batches: Batch[] = [];
    private readonly rich: MeshLambertMaterial; // with shadows
    private readonly plain: ShaderMaterial; // without
    private colours: Color[] = [];
    private marked: { body: number; colour: number }[] = [];

    constructor(
        private readonly scene: SceneMessage,
        private palette: Palette,
        thickness: number,
    ) {
        const planar = scene.dimension === 2;
        const hasMesh = scene.shapes.some((shape) => shape.kind === "mesh");
        const side = hasMesh ? DoubleSide : FrontSide;
        this.rich = new MeshLambertMaterial({ vertexColors: true, side });
        this.plain = plainMaterial(planar);
        this.plain.side = side;
        const cut = fineness(scene.shapes.filter((shape) => shape.kind !== "box" && shape.kind !== "plane").length);
        const boxSizes = new Set(scene.shapes.filter((shape) => shape.kind === "box").map((shape) => String(shape.half))).size;
        const byKey = new Map<string, { drawings: Drawing[]; bodies: number[] }>();
        scene.shapes.forEach((shape, place) => {
            const drawing = drawingOf(shape, place, { planar, cut, thickness, boxSizes });
            if (!drawing) return;
            const entry = byKey.get(drawing.key) ?? { drawings: [], bodies: [] };
            entry.drawings.push(drawing);
            entry.bodies.push(shape.body);
            byKey.set(drawing.key, entry);
        });
        for (const { drawings, bodies } of byKey.values()) {
            const mesh = new InstancedMesh(drawings[0].make(), this.rich, drawings.length);
            mesh.frustumCulled = false;
            mesh.castShadow = true;
            mesh.receiveShadow = true;
            this.batches.push({ mesh, drawings, bodies });
            this.group.add(mesh);
        }
        this.setPalette(palette);
    }

    dispose(): void {
        for (const { mesh } of this.batches) {
            mesh.geometry.dispose();
            mesh.dispose();
        }
        this.rich.dispose();
        this.plain.dispose();
    }

    setPalette(palette: Palette): void {
        this.palette = palette;
        lightPlainly(this.plain, palette);
        this.colours = this.scene.bodies.map((body, k) => new Color(this.colourOf(body, k)));
        this.paint();
    }

    private colourOf(body: BodyInfo, k: number): number {
        if (body.kind === "fixed") return this.palette.fixed;
        if (body.kind === "driven") return this.palette.driven;
        // Neighbours in the list differ; a golden stride, so that regular scenes show no stripes.
        return this.palette.bodies[Math.floor(k * 0.618034 * 8) % this.palette.bodies.length];
    }

    /** Colours of bodies that stand out: what is chosen, held or under the pointer. */
    mark(marked: { body: number; colour: number }[]): void {
        this.marked = marked;
        this.paint();
    }

    private paint(): void {
        const mixed = new Map(this.marked.map(({ body, colour }) => [body, this.colours[body]?.clone().lerp(new Color(colour), 0.6)]));
        for (const { mesh, bodies } of this.batches) {
            bodies.forEach((body, k) => mesh.setColorAt(k, mixed.get(body) ?? this.colours[body]));
            if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
        }
    }

    setOpacity(opacity: number): void {
        const solid = opacity >= 1;
        this.plain.uniforms.opacity.value = opacity;
        for (const material of [this.rich, this.plain]) {
            material.transparent = !solid;
            material.opacity = opacity;
            material.depthWrite = solid;
            material.needsUpdate = true;
        }
    }

    setShadows(on: boolean): void {
        for (const { mesh } of this.batches) mesh.material = on ? this.rich : this.plain;
    }

    /** Poses of a frame: BODY_FLOATS a body. */
    update(poses: Float32Array): void {
        for (const { mesh, drawings, bodies } of this.batches) {
            const out = mesh.instanceMatrix.array as Float32Array;
            for (let k = 0; k < bodies.length; ++k) writeMatrix(poses, BODY_FLOATS * bodies[k], drawings[k], out, 16 * k);
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null; // of the poses before
        }
    }

    /** The first movable body that the ray meets, unless something that does not move is in front of it. */
    pick(raycaster: Raycaster): Hit | null {
        const hits = raycaster.intersectObjects(this.group.children, false);
        const first = hits[0];
        if (!first || first.instanceId === undefined) return null;
        const batch = this.batches.find(({ mesh }) => mesh === first.object);
        if (!batch) return null;
        return { body: batch.bodies[first.instanceId], point: first.point.toArray() as Vec3 };
    }
}

/** The matrix of body pose o drawing pose o scale, by columns. */
function writeMatrix(poses: Float32Array, at: number, drawing: Drawing, out: Float32Array, to: number): void {
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

/** The pose of a body as a matrix. */
export function poseMatrix(poses: Float32Array, body: number, out = new Matrix4()): Matrix4 {
    const identity: Drawing = { key: "", scale: [1, 1, 1], pose: [0, 0, 0, 1, 0, 0, 0], make: () => { throw new Error("not drawn"); } };
    const elements = new Float32Array(16);
    writeMatrix(poses, BODY_FLOATS * body, identity, elements, 0);
    return out.fromArray(elements);
}

/** A point of a body's frame in the world. */
export function toWorld(poses: Float32Array, body: number, local: Vec3): Vec3 {
    return new Vector3(...local).applyMatrix4(poseMatrix(poses, body)).toArray() as Vec3;
}

/** A point of the world in a body's frame. */
export function toLocal(poses: Float32Array, body: number, point: Vec3): Vec3 {
    return new Vector3(...point).applyMatrix4(poseMatrix(poses, body).invert()).toArray() as Vec3;
}
