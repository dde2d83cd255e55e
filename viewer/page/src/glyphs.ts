// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Marks that are drawn over everything and written again for each image: dots with a size in
 * pixels, and flat triangles. Each kind is one draw call for any number of marks (see merged.ts).
 * Colours are in sRGB, since a conversion at every pixel is expensive.
 */
import {
    BufferAttribute,
    BufferGeometry,
    Color,
    DoubleSide,
    DynamicDrawUsage,
    Mesh,
    Points,
    ShaderMaterial,
    type Vector3,
} from "three";

import type { Vec3 } from "./protocol";

/**
 * Any number of vertices with a position and a colour (red, green, blue, alpha).
 */
class Vertices {
    readonly geometry = new BufferGeometry();
    private position = new Float32Array(0);
    private colour = new Float32Array(0);
    private used = 0;

    constructor() {
        this.grow(256);
    }

    private grow(room: number): void {
        const [position, colour] = [new Float32Array(3 * room), new Float32Array(4 * room)];
        position.set(this.position);
        colour.set(this.colour);
        [this.position, this.colour] = [position, colour];
        this.geometry.dispose(); // the buffers of the previous size
        this.geometry.setAttribute(
            "position",
            new BufferAttribute(position, 3).setUsage(DynamicDrawUsage),
        );
        this.geometry.setAttribute(
            "color",
            new BufferAttribute(colour, 4).setUsage(DynamicDrawUsage),
        );
    }

    begin(): void {
        this.used = 0;
    }

    add(x: number, y: number, z: number, colour: Color, alpha: number): void {
        if (4 * this.used === this.colour.length) this.grow(2 * this.used);
        const k = this.used++;
        this.position[3 * k] = x;
        this.position[3 * k + 1] = y;
        this.position[3 * k + 2] = z;
        this.colour[4 * k] = colour.r;
        this.colour[4 * k + 1] = colour.g;
        this.colour[4 * k + 2] = colour.b;
        this.colour[4 * k + 3] = alpha;
    }

    end(): number {
        this.geometry.setDrawRange(0, this.used);
        for (const name of ["position", "color"]) {
            const attribute = this.geometry.getAttribute(name) as BufferAttribute;
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, this.used * attribute.itemSize);
            attribute.needsUpdate = true;
        }
        return this.used;
    }
}

/** Round dots, `pixels` wide. */
export class Dots {
    readonly points: Points;
    private readonly vertices = new Vertices();
    private readonly material: ShaderMaterial;

    constructor(order: number) {
        this.material = new ShaderMaterial({
            uniforms: { pixels: { value: 8 } },
            vertexShader: /* glsl */ `
                attribute vec4 color;
                flat varying vec3 vColour;
                uniform float pixels;
                void main() {
                    vColour = color.rgb;
                    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
                    gl_PointSize = pixels;
                }`,
            fragmentShader: /* glsl */ `
                flat varying vec3 vColour;
                void main() {
                    vec2 at = 2.0 * gl_PointCoord - 1.0;
                    if (dot(at, at) > 1.0) discard;
                    gl_FragColor = vec4(vColour, 1.0);
                }`,
            depthTest: false,
            depthWrite: false,
            transparent: true, // drawn after opaque objects
        });
        this.points = new Points(this.vertices.geometry, this.material);
        this.points.frustumCulled = false;
        this.points.renderOrder = order;
    }

    begin(pixels: number): void {
        this.material.uniforms.pixels.value = pixels;
        this.vertices.begin();
    }

    add(at: Vector3, colour: Color): void {
        this.vertices.add(at.x, at.y, at.z, colour, 1);
    }

    end(): void {
        this.points.visible = this.vertices.end() > 0;
    }

    dispose(): void {
        this.vertices.geometry.dispose();
        this.material.dispose();
    }
}

export class Triangles {
    readonly mesh: Mesh;
    private readonly vertices = new Vertices();
    private readonly material = new ShaderMaterial({
        vertexShader: /* glsl */ `
            attribute vec4 color;
            varying vec4 vColour;
            void main() {
                vColour = color;
                gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
            }`,
        fragmentShader: /* glsl */ `
            varying vec4 vColour;
            void main() {
                gl_FragColor = vColour;
            }`,
        transparent: true,
        depthTest: false,
        depthWrite: false,
        side: DoubleSide,
    });

    constructor(order: number) {
        this.mesh = new Mesh(this.vertices.geometry, this.material);
        this.mesh.frustumCulled = false;
        this.mesh.raycast = () => {};
        this.mesh.renderOrder = order;
    }

    begin(): void {
        this.vertices.begin();
    }

    add(a: Vector3, b: Vector3, c: Vector3, colour: Color, alpha = 1): void {
        for (const p of [a, b, c]) this.vertices.add(p.x, p.y, p.z, colour, alpha);
    }

    /** A flat line with this half width that faces a camera looking along `look`. */
    line(a: Vec3, b: Vec3, half: number, look: Vector3, colour: Color, alpha: number): void {
        const x = b[0] - a[0];
        const y = b[1] - a[1];
        const z = b[2] - a[2];
        const sx = y * look.z - z * look.y;
        const sy = z * look.x - x * look.z;
        const sz = x * look.y - y * look.x;
        const scale = half / Math.sqrt(sx * sx + sy * sy + sz * sz);
        if (!Number.isFinite(scale)) return;
        const u = scale * sx;
        const v = scale * sy;
        const w = scale * sz;
        const { vertices } = this;
        vertices.add(a[0] - u, a[1] - v, a[2] - w, colour, alpha);
        vertices.add(a[0] + u, a[1] + v, a[2] + w, colour, alpha);
        vertices.add(b[0] + u, b[1] + v, b[2] + w, colour, alpha);
        vertices.add(a[0] - u, a[1] - v, a[2] - w, colour, alpha);
        vertices.add(b[0] + u, b[1] + v, b[2] + w, colour, alpha);
        vertices.add(b[0] - u, b[1] - v, b[2] - w, colour, alpha);
    }

    end(): void {
        this.mesh.visible = this.vertices.end() > 0;
    }

    dispose(): void {
        this.vertices.geometry.dispose();
        this.material.dispose();
    }
}
