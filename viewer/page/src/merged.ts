// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Many copies of a geometry as one mesh: each vertex has the number of its copy and reads the
 * matrix and colour of that copy from a texture.
 *
 * An InstancedMesh has the same effect. On a graphics card both are fast; in software rendering
 * each instance costs a draw call (about 25 microseconds), and a copy here costs only its
 * triangles.
 */
import {
    BufferAttribute,
    BufferGeometry,
    DataTexture,
    FloatType,
    Mesh,
    RGBAFormat,
    type ShaderMaterial,
} from "three";

const ROW = 256; // copies in a row of the textures
const MOST_VERTICES = 3e6;

/** Declarations for vertex shaders that call copyMatrix() and copyColour(). */
export const COPIES = /* glsl */ `
    attribute float copy;
    uniform highp sampler2D matrices, colours;
    mat4 copyMatrix() {
        int k = int(copy);
        ivec2 at = ivec2(4 * (k % ${ROW}), k / ${ROW});
        return mat4(
            texelFetch(matrices, at, 0),
            texelFetch(matrices, at + ivec2(1, 0), 0),
            texelFetch(matrices, at + ivec2(2, 0), 0),
            texelFetch(matrices, at + ivec2(3, 0), 0));
    }
    vec3 copyColour() {
        int k = int(copy);
        return texelFetch(colours, ivec2(k % ${ROW}, k / ${ROW}), 0).rgb;
    }`;

export const canMerge = (geometry: BufferGeometry, count: number): boolean =>
    count * geometry.getAttribute("position").count <= MOST_VERTICES;

function texture(width: number, height: number): DataTexture {
    return new DataTexture(
        new Float32Array(4 * width * height),
        width,
        height,
        RGBAFormat,
        FloatType,
    );
}

function repeat(source: Float32Array, times: number): Float32Array {
    const out = new Float32Array(times * source.length);
    for (let k = 0; k < times; ++k) out.set(source, k * source.length);
    return out;
}

function copiesOf(geometry: BufferGeometry, count: number): BufferGeometry {
    const merged = new BufferGeometry();
    const vertices = geometry.getAttribute("position").count;
    for (const name of ["position", "normal", "color"]) {
        const attribute = geometry.getAttribute(name) as BufferAttribute | undefined;
        if (attribute)
            merged.setAttribute(
                name,
                new BufferAttribute(
                    repeat(attribute.array as Float32Array, count),
                    attribute.itemSize,
                ),
            );
    }
    const copy = new Float32Array(count * vertices);
    for (let k = 0; k < count; ++k) copy.fill(k, k * vertices, (k + 1) * vertices);
    merged.setAttribute("copy", new BufferAttribute(copy, 1));
    const index = geometry.getIndex();
    if (index) {
        const all = new Uint32Array(count * index.count);
        for (let k = 0; k < count; ++k)
            for (let i = 0; i < index.count; ++i)
                all[k * index.count + i] = k * vertices + index.getX(i);
        merged.setIndex(new BufferAttribute(all, 1));
    }
    return merged;
}

export class Merged {
    readonly mesh: Mesh;
    private readonly matrices: DataTexture;
    private readonly colours: DataTexture;
    private readonly corners: number; // of triangles, of one copy

    /**
     * `make` receives the textures, which become the uniforms `matrices` and `colours` of the
     * material.
     */
    constructor(
        geometry: BufferGeometry,
        private readonly count: number,
        make: (matrices: DataTexture, colours: DataTexture) => ShaderMaterial,
    ) {
        const rows = Math.ceil(count / ROW);
        this.matrices = texture(4 * ROW, rows);
        this.colours = texture(ROW, rows);
        this.corners = geometry.getIndex()?.count ?? geometry.getAttribute("position").count;
        this.mesh = new Mesh(copiesOf(geometry, count), make(this.matrices, this.colours));
        this.mesh.frustumCulled = false;
        this.mesh.raycast = () => {};
    }

    /**
     * Matrices (16 numbers) and colours (3) of the copies. With an order, copy k is entry order[k],
     * and the order has one entry for each copy.
     */
    load(matrices: Float32Array, colours: Float32Array, order: Uint32Array | null): void {
        const toMatrices = this.matrices.image.data as Float32Array;
        const toColours = this.colours.image.data as Float32Array;
        const count = order?.length ?? this.count;
        if (!order) toMatrices.set(matrices.subarray(0, 16 * count));
        this.mesh.geometry.setDrawRange(0, count * this.corners);
        for (let k = 0; k < count; ++k) {
            const from = order ? order[k] : k;
            if (order)
                for (let c = 0; c < 16; ++c) toMatrices[16 * k + c] = matrices[16 * from + c];
            for (let c = 0; c < 3; ++c) toColours[4 * k + c] = colours[3 * from + c];
        }
        this.matrices.needsUpdate = this.colours.needsUpdate = true;
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        (this.mesh.material as ShaderMaterial).dispose();
        this.matrices.dispose();
        this.colours.dispose();
    }
}
