// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Soft contact shadows on a floor: each shape near it has a blurred patch, a rounded rectangle of
 * the shape's extents along the floor. It is darkest at contact and fades with the height of the
 * shape's lowest point, over one size of the shape.
 *
 * All patches are one mesh that is written again for each frame. In software rendering they cost a
 * fraction of a shadow map.
 */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, ShaderMaterial } from "three";
import { Matrix4, Vector3 } from "three";
import { reachOf } from "./bodies";
import type { ShapeInfo } from "./protocol";

const MOST = 1500; // patches
const SPREAD = 0.45; // of the blur beyond the extents, in sizes of a shape

/** Half extents of a shape along three unit vectors, about the middle of its frame. */
function extents(shape: ShapeInfo, pose: Matrix4, axes: Vector3[]): number[] {
    const { radius, half, ends } = shape;
    const m = pose.elements;
    const along = (axis: Vector3, column: number) =>
        Math.abs(axis.x * m[4 * column] + axis.y * m[4 * column + 1] + axis.z * m[4 * column + 2]);
    const turned = axes.map((axis) => [0, 1, 2].map((column) => along(axis, column)));
    switch (shape.kind) {
        case "ball":
            return axes.map(() => radius);
        case "box":
            return turned.map(([x, y, z]) => half[0] * x + half[1] * y + half[2] * z);
        case "cylinder":
            return turned.map(([x, y, z]) => radius * Math.hypot(x, y) + half[2] * z);
        case "capsule": {
            const d = [0, 1, 2].map((c) => Math.abs(ends[1][c] - ends[0][c]) / 2);
            return turned.map(([x, y, z]) => radius + d[0] * x + d[1] * y + d[2] * z);
        }
        default:
            return axes.map(() => 0.6 * reachOf(shape));
    }
}

export class ContactShade {
    readonly mesh: Mesh;
    private readonly buffers: BufferAttribute[];
    private used = 0;
    private readonly material = new ShaderMaterial({
        uniforms: { darkness: { value: 0.4 } },
        vertexShader: /* glsl */ `
            attribute vec2 place;
            attribute vec4 patch_; // half extents, blur, strength
            varying vec2 vPlace;
            flat varying vec4 vPatch;
            void main() {
                vPlace = place;
                vPatch = patch_;
                gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
            }`,
        fragmentShader: /* glsl */ `
            varying vec2 vPlace;
            flat varying vec4 vPatch;
            uniform float darkness;
            void main() {
                vec2 outside = max(abs(vPlace) - vPatch.xy, 0.0);
                float near = clamp(1.0 - length(outside) / vPatch.z, 0.0, 1.0);
                gl_FragColor = vec4(0.0, 0.0, 0.0, darkness * vPatch.w * near * near);
            }`,
        transparent: true,
        depthWrite: false, // the floor writes no depth either: only bodies hide a patch
    });

    constructor() {
        const geometry = new BufferGeometry();
        const sizes = { position: 3, place: 2, patch_: 4 };
        this.buffers = Object.entries(sizes).map(([name, size]) => {
            const attribute = new BufferAttribute(new Float32Array(4 * MOST * size), size);
            geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
            return attribute;
        });
        const index = new Uint32Array(6 * MOST);
        for (let k = 0; k < MOST; ++k)
            index.set(
                [0, 1, 2, 0, 2, 3].map((corner) => 4 * k + corner),
                6 * k,
            );
        geometry.setIndex(new BufferAttribute(index, 1));
        this.mesh = new Mesh(geometry, this.material);
        this.mesh.frustumCulled = false;
        this.mesh.raycast = () => {};
        this.mesh.renderOrder = -5;
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.material.dispose();
    }

    setDarkness(darkness: number): void {
        this.material.uniforms.darkness.value = darkness;
    }

    begin(): void {
        this.used = 0;
    }

    /** The patch of a shape at a pose on a floor through `point`; its axes: two along it, up. */
    add(shape: ShapeInfo, pose: Matrix4, point: Vector3, [east, north, up]: Vector3[]): void {
        if (this.used === MOST) return;
        const centre = middleOf(shape).applyMatrix4(pose);
        const [a, b, high] = extents(shape, pose, [east, north, up]);
        const size = Math.min(Math.max(a, b), 2 * high);
        const off = centre.clone().sub(point);
        const lift = Math.max(0, off.dot(up) - high);
        const strength = 1 - lift / (1.6 * size);
        if (!(strength > 0.03) || off.dot(up) < -high) return;
        const blur = (SPREAD + 0.6 * (1 - strength)) * size;
        const round = shape.kind === "ball" ? 0.25 : 0.9; // the area near the contact is smaller
        const half = [round * a, round * b];
        const foot = centre.addScaledVector(up, -off.dot(up));
        [-1, 1, 1, -1].forEach((x, k) => {
            const y = k < 2 ? -1 : 1;
            const [u, v] = [x * (half[0] + blur), y * (half[1] + blur)];
            const at = foot.clone().addScaledVector(east, u).addScaledVector(north, v);
            const corner = 4 * this.used + k;
            this.buffers[0].setXYZ(corner, at.x, at.y, at.z);
            this.buffers[1].setXY(corner, u, v);
            this.buffers[2].setXYZW(corner, half[0], half[1], blur, strength * strength);
        });
        this.used++;
    }

    end(): void {
        this.mesh.geometry.setDrawRange(0, 6 * this.used);
        this.mesh.visible = this.used > 0;
        for (const buffer of this.buffers) {
            buffer.clearUpdateRanges();
            buffer.addUpdateRange(0, 4 * this.used * buffer.itemSize);
            buffer.needsUpdate = true;
        }
    }
}

function middleOf({ kind, ends }: ShapeInfo): Vector3 {
    if (kind !== "capsule") return new Vector3();
    return new Vector3(...ends[0]).add(new Vector3(...ends[1])).multiplyScalar(0.5);
}
